"""A measurement against the limits of its line."""

import math
import os
from dataclasses import dataclass
from enum import Enum
from typing import Any

from netmodel._html import definition_table
from netmodel._numeric import require_at_least, require_one
from netmodel.errors import DomainError, ParseError
from netmodel.judging._causes import what_explains_too_little, what_explains_too_much
from netmodel.judging._limits import (
    Limit,
    LineLimits,
    NotJudgeableError,
    StatedLine,
    line_limits,
    require_possible,
)
from netmodel.judging._path_limits import with_path_limits
from netmodel.readers import CpuUse, Measurement, read_result
from netmodel.units import format_rate

__all__ = [
    "DEFAULT_MAX_RATIO",
    "DEFAULT_MIN_RATIO",
    "Outcome",
    "Verdict",
    "check",
    "check_file",
    "require_arguments",
]

DEFAULT_MIN_RATIO = 0.95
DEFAULT_MAX_RATIO = 1.005
_DIGITS = 5


class Outcome(Enum):
    """How a measurement stands to the smallest limit that is known."""

    AT_CEILING = "at_ceiling"
    BELOW = "below"
    IMPOSSIBLE = "impossible"
    FAILED = "failed"
    NOT_JUDGEABLE = "not_judgeable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """
    One measured direction of one file, judged; None stands for what is not known.

    Parameters
    ----------
    file : str
        File that was read.
    outcome : Outcome
        None where the file could not be read.
    reason : str
        Why, in a sentence.
    measurement : Measurement
        What was measured; None where the file could not be read.
    line_limits : LineLimits
        Limits of the run; None where it could not be judged.
    max_ratio : float
        Largest ratio to the ceiling that still counts as reaching it.
    """

    file: str
    outcome: Outcome | None
    reason: str
    measurement: Measurement | None = None
    line_limits: LineLimits | None = None
    max_ratio: float = DEFAULT_MAX_RATIO

    @property
    def binding(self) -> Limit | None:
        """The smallest limit, to which the outcome refers."""
        return self.line_limits.binding if self.line_limits else None

    @property
    def goodput_bps(self) -> float | None:
        """Payload that arrived. [bit/s]"""
        return self.measurement.goodput_bps if self.measurement else None

    @property
    def ratio(self) -> float | None:
        """Goodput over the smallest limit."""
        if self.binding is None or self.goodput_bps is None:
            return None
        return self.goodput_bps / self.binding.value_bps

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of this verdict should know."""
        measured = self.measurement.warnings if self.measurement else ()
        return measured + (self.line_limits.warnings if self.line_limits else ())

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units, as in the JSON of ``netmodel check``."""
        run = self.measurement
        direction = run.direction if run else None
        return {
            "file": self.file,
            "tool": run and run.tool,
            "tool_version": run and run.tool_version,
            "direction": direction and direction.value,
            "goodput_bps": self.goodput_bps,
            "ceiling_bps": self.binding and self.binding.value_bps,
            "ratio": self.ratio,
            "verdict": self.outcome and self.outcome.value,
            "reason": self.reason,
            "binding": self.binding and self.binding.name,
            "limits": [self._limit_dict(limit) for limit in self._limits()],
            "tolerance_ratio": round(self.max_ratio - 1, 12) if self.line_limits else None,
            "cpu": [_cpu_dict(use) for use in run.cpu] if run else [],
            "warnings": list(self.warnings),
        }

    def _repr_html_(self) -> str:
        run = self.measurement
        rows = [("reason", self.reason), *(("warning", text) for text in self.warnings)]
        if run and run.direction:
            rows.insert(0, ("direction", run.direction.value))
        outcome = self.outcome.value if self.outcome else "unreadable"
        return definition_table(f"{self.file}: {outcome}", rows)

    def _limits(self) -> tuple[Limit, ...]:
        return self.line_limits.limits if self.line_limits else ()

    def _limit_dict(self, limit: Limit) -> dict[str, Any]:
        goodput_bps = self.goodput_bps
        margin_ratio = None if goodput_bps is None else 1 - goodput_bps / limit.value_bps
        bounds = {"low_bps": limit.low_bps, "high_bps": limit.high_bps}
        return {
            "name": limit.name,
            "value_bps": limit.value_bps,
            **{key: value for key, value in bounds.items() if value is not None},
            "margin_ratio": margin_ratio,
        }


def check(
    measurement: Measurement,
    stated: StatedLine,
    min_ratio: float = DEFAULT_MIN_RATIO,
    max_ratio: float = DEFAULT_MAX_RATIO,
) -> Verdict:
    """
    Judge one measurement against what its line carries.

    Parameters
    ----------
    measurement : Measurement
        What was measured.
    stated : StatedLine
        What the user says of the line.
    min_ratio : float
        Smallest ratio to the ceiling that counts as reaching it.
    max_ratio : float
        Largest ratio to the ceiling that counts as reaching it; more is
        impossible.

    Returns
    -------
    verdict : Verdict
        Outcome, reason, all limits, and the binding one.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those stated.
    DomainError
        If the line cannot exist, the goodput is no number, or the ratios are
        not 0 < min <= 1 <= max.

    References
    ----------
    RFC 6349, section 4, for achieved against achievable TCP throughput.

    Examples
    --------
    >>> run = Measurement(source="a.json", sha256="", tool="iperf3", protocol="tcp",
    ...                   goodput_bps=23.4e9, ip_version=4)
    >>> verdict = check(run, StatedLine(25e9, mtu_bytes=1500))
    >>> verdict.outcome, round(verdict.ratio, 3)
    (<Outcome.AT_CEILING: 'at_ceiling'>, 0.994)
    """
    require_arguments(stated, min_ratio, max_ratio)
    if measurement.error is not None:
        reason = f"{measurement.tool} reports: {measurement.error}"
        return _verdict(measurement, Outcome.FAILED, reason)
    try:
        limits = line_limits(measurement, stated)
        limits = with_path_limits(measurement, stated, limits)
    except NotJudgeableError as error:
        return _verdict(measurement, Outcome.NOT_JUDGEABLE, str(error))
    if measurement.goodput_bps is None:
        reason = measurement.why_no_goodput or "the run does not tell what arrived"
        outcome = Outcome.NOT_JUDGEABLE
    else:
        require_at_least("goodput_bps", require_one("goodput_bps", measurement.goodput_bps), 0, "")
        ratio = measurement.goodput_bps / limits.binding.value_bps
        least_bps, most_bps = limits.bounds_bps
        outcome = _outcome(
            measurement.goodput_bps / least_bps,
            measurement.goodput_bps / most_bps,
            (min_ratio, max_ratio),
            measurement.is_loopback,
        )
        reason = _reason(outcome, ratio, measurement, limits, stated)
    return Verdict(
        file=measurement.source,
        outcome=outcome,
        reason=reason,
        measurement=measurement,
        line_limits=limits,
        max_ratio=max_ratio,
    )


def check_file(
    path: str | os.PathLike[str],
    stated: StatedLine,
    min_ratio: float = DEFAULT_MIN_RATIO,
    max_ratio: float = DEFAULT_MAX_RATIO,
    format_name: str | None = None,
) -> tuple[Verdict, ...]:
    """
    Read the result of a benchmark and judge each direction of it.

    Parameters
    ----------
    path : path
        Result of a tool that :func:`netmodel.readers.read_result` knows.
    stated : StatedLine
        What the user says of the line.
    min_ratio : float
        Smallest ratio to the ceiling that counts as reaching it.
    max_ratio : float
        Largest ratio to the ceiling that counts as reaching it; more is
        impossible.
    format_name : str, optional
        One of :func:`netmodel.readers.result_formats`; recognised from what the
        file holds when left out.

    Returns
    -------
    verdicts : tuple of Verdict
        One for each direction; one without an outcome where the file cannot
        be read.

    Raises
    ------
    ContradictionError
        If protocol or IP version of the run are not those stated.
    DomainError
        If the line cannot exist, or the ratios are not 0 < min <= 1 <= max.
    """
    require_arguments(stated, min_ratio, max_ratio)
    try:
        measurements = read_result(path, format_name)
    except ParseError as error:
        return (Verdict(file=error.source, outcome=None, reason=error.problem),)
    return tuple(check(one, stated, min_ratio, max_ratio) for one in measurements)


def require_arguments(stated: StatedLine, min_ratio: float, max_ratio: float) -> None:
    require_possible(stated)
    if not 0 < min_ratio <= 1 <= max_ratio < math.inf:
        raise DomainError(
            "min_ratio and max_ratio must be 0 < min_ratio <= 1 <= max_ratio; "
            f"got {min_ratio} and {max_ratio}"
        )


def _verdict(measurement: Measurement, outcome: Outcome, reason: str) -> Verdict:
    return Verdict(file=measurement.source, outcome=outcome, reason=reason, measurement=measurement)


def _outcome(
    to_least: float, to_most: float, allowed: tuple[float, float], is_loopback: bool
) -> Outcome:
    """
    From the ratios to the least and to the most that the ceiling may be.

    A run over loopback never counts as one that reached the ceiling of a line.
    """
    min_ratio, max_ratio = allowed
    if to_most > max_ratio:
        return Outcome.IMPOSSIBLE
    if to_least < min_ratio:
        return Outcome.BELOW
    return Outcome.NOT_JUDGEABLE if is_loopback else Outcome.AT_CEILING


def _reason(
    outcome: Outcome,
    ratio: float,
    measurement: Measurement,
    limits: LineLimits,
    stated: StatedLine,
) -> str:
    ceiling = format_rate(limits.binding.value_bps, _DIGITS)
    goodput = format_rate(measurement.goodput_bps or 0.0, _DIGITS)
    found = (
        f"{goodput} is {ratio:.4f} of the {ceiling}{_range(limits)} that {_carrier(limits)} allows"
    )
    if outcome is Outcome.IMPOSSIBLE:
        return f"{found}: {what_explains_too_much(measurement, limits, stated)}"
    if outcome is Outcome.BELOW:
        return f"{found}: {what_explains_too_little(measurement, limits, stated)}"
    if outcome is Outcome.NOT_JUDGEABLE:
        return f"{found}, but the connection stayed on a loopback interface"
    return found


def _range(limits: LineLimits) -> str:
    """What is left open of the ceiling, where anything is."""
    low_bps, high_bps = limits.bounds_bps
    if low_bps == high_bps:
        return ""
    return f" ({format_rate(low_bps, _DIGITS)} to {format_rate(high_bps, _DIGITS)})"


def _carrier(limits: LineLimits) -> str:
    if limits.binding.name == "wire":
        return f"the wire at MTU {limits.mtu_bytes}"
    if limits.binding.name == "messages":
        return "the wire with a frame of its own for every write"
    if limits.binding.name == "segment_size":
        return "the wire with the run's own segment size"
    return f"the {limits.binding.name} of the path at MTU {limits.mtu_bytes}"


def _cpu_dict(use: CpuUse) -> dict[str, Any]:
    consumption = use.consumption
    return {
        "side": use.side.value,
        "scope": use.scope.value,
        "busy_cpus": use.busy_cpu_count,
        "us_per_gbit": consumption and consumption.us_per_gbit,
    }
