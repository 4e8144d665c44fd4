"""Verdicts as rows of text, from which all outputs for people take them, and their common axis."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from netmodel._predicted_text import rate_text
from netmodel._text import percent_text, printable, range_text
from netmodel.consumption import CpuScope
from netmodel.judging import Outcome, Verdict
from netmodel.judging._limits import Limit
from netmodel.judging._tolerance import Tolerance

OUTCOMES: tuple[Outcome | None, ...] = (
    None,
    Outcome.FAILED,
    Outcome.IMPOSSIBLE,
    Outcome.BELOW,
    Outcome.LIMITED,
    Outcome.NOT_JUDGEABLE,
    Outcome.AT_CEILING,
)
"""In the order of outputs: faults first."""

BITS = "bit/s"
FRAMES = "frames/s"
_SCOPES = {CpuScope.PROCESS: "process only", CpuScope.SYSTEM: "whole system"}


class LimitRow(NamedTuple):
    """
    A limit of a run.

    Parameters
    ----------
    name : str
        Name of the limit.
    value, low, high : float
        Limit and range, in the unit of the run.
    unit : str
        Bits or frames per second.
    margin_ratio : float
        Unused share of it; None where it is not known.
    is_specified : bool
        Whether the user specified it; otherwise the run reported it.
    binds : bool
        Whether the outcome refers to it.
    """

    name: str
    value: float
    low: float
    high: float
    unit: str
    margin_ratio: float | None
    is_specified: bool
    binds: bool

    @property
    def value_text(self) -> str:
        """The limit as text."""
        return quantity_text(self.value, self.unit)

    @property
    def spread_text(self) -> str:
        """Its range; empty where there is none."""
        return _spread_text(self.low, self.high, self.unit) if self.low < self.high else ""

    @property
    def margin_text(self) -> str:
        """Unused share of it, in percent; empty where it is not known."""
        if self.margin_ratio is None:
            return ""
        return f"{100 * self.margin_ratio:z.2f} %".replace("-", "−")

    @property
    def sentence(self) -> str:
        """The limit in one line."""
        texts = (self.spread_text, self.margin_text and f"margin {self.margin_text}")
        origin = "" if self.is_specified else "reported by the run"
        parts = [self.value_text, *texts, origin, "binding" if self.binds else ""]
        return f"{self.name}: {', '.join(filter(None, parts))}"


class VerdictRow(NamedTuple):
    """
    A verdict for people; texts are empty where nothing is known.

    Parameters
    ----------
    outcome : Outcome
        None where the file could not be read.
    passes : bool
        Whether it passes a gate.
    word : str
        The outcome in a word.
    file, place : str
        File; direction and part.
    tool : str
        Benchmark and its version.
    duration_s : float
        Duration of the run; None where not known. [s]
    unit : str
        Unit of all rates of the run: bits or frames per second.
    measured, ceiling : float
        Measured and allowed, in this unit; None where not known.
    ratio_text, binding : str
        Measured over allowed as text, and the binding limit.
    reason : str
        Reason of the outcome.
    limits : tuple of LimitRow
        All known limits.
    repeats_text : str
        Runs whose mean it is.
    tolerance : Tolerance
        Ratios that count as reaching the ceiling; None without a ceiling.
    cpu_texts, notes : tuple of str
        CPU use of each side, and notes.
    """

    outcome: Outcome | None
    passes: bool
    word: str
    file: str
    place: str
    tool: str
    duration_s: float | None
    unit: str
    measured: float | None
    ceiling: float | None
    ratio_text: str
    binding: str
    reason: str
    limits: tuple[LimitRow, ...]
    repeats_text: str
    tolerance: Tolerance | None
    cpu_texts: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def measured_text(self) -> str:
        """Measured rate as text."""
        return quantity_text(self.measured, self.unit)

    @property
    def ceiling_text(self) -> str:
        """Ceiling as text."""
        return quantity_text(self.ceiling, self.unit)

    @property
    def tolerance_text(self) -> str:
        """Tolerance below and above the ceiling, with the names of its parts."""
        if self.tolerance is None:
            return ""
        below, above = 1 - self.tolerance.min_ratio, self.tolerance.max_ratio - 1
        names = ", ".join(part.name for part in self.tolerance.parts) or "as specified"
        return f"tolerance: -{percent_text(below, 3)} to +{percent_text(above, 3)} ({names})"

    @property
    def tolerance_parts(self) -> tuple[str, ...]:
        """Parts of the tolerance."""
        return tuple(
            printable(
                f"tolerance for {part.name}: {100 * part.below_ratio:.2f} % below, "
                f"{100 * part.above_ratio:.2f} % above; {part.reason}"
            )
            for part in (self.tolerance.parts if self.tolerance else ())
        )

    @property
    def drawn(self) -> tuple[float, ...]:
        """Measured rate and ceiling, as far as they are known and have a place on any axis."""
        known = (rate for rate in (self.measured, self.ceiling) if rate is not None)
        return tuple(rate for rate in known if 0 < rate < math.inf)

    @property
    def details(self) -> tuple[str, ...]:
        """Repeats and tolerance, in full."""
        return tuple(filter(None, (self.repeats_text, self.tolerance_text, *self.tolerance_parts)))

    @property
    def name(self) -> str:
        """File, direction and part."""
        return f"{self.file} ({self.place})" if self.place else self.file


def verdict_row(verdict: Verdict) -> VerdictRow:
    """
    A verdict in texts that any output can hold.

    Parameters
    ----------
    verdict : Verdict
        One measured direction of one file, judged.

    Returns
    -------
    row : VerdictRow
        Its texts are printable.

    Raises
    ------
    UnitError
        If a figure to be printed is not finite.
    """
    run, binding, ratio = verdict.measurement, verdict.binding, verdict.ratio
    limits = verdict.limits.limits if verdict.limits else ()
    unit, divisor = (BITS, 1.0) if verdict.frame_bits is None else (FRAMES, verdict.frame_bits)
    measured = None if verdict.measured_bps is None else verdict.measured_bps / divisor
    ceiling = None if verdict.ceiling_bps is None else verdict.ceiling_bps / divisor
    places = (run.direction and run.direction.value, run.part) if run else ()
    tool = (run.tool, run.tool_version) if run else ()
    cpu_texts = []
    for use in run.cpu if run else ():
        cost = f", {use.consumption.us_per_gbit:.0f} µs/Gbit" if use.consumption else ""
        scope = _SCOPES.get(use.scope, use.scope.value)
        cpu_texts.append(f"{use.side.value}: {use.busy_cpu_count:.3f} CPUs busy ({scope}){cost}")
    return VerdictRow(
        outcome=verdict.outcome,
        passes=verdict.passes,
        word=verdict.word,
        file=printable(verdict.file).replace("\n", "\\n"),
        place=_joined(places, ", "),
        tool=_joined(tool, " "),
        duration_s=run.duration_s if run else None,
        unit=unit,
        measured=measured,
        ceiling=ceiling,
        ratio_text="" if ratio is None else f"{ratio:.4f}",
        binding=printable(binding.name) if binding else "",
        reason=printable(verdict.reason),
        limits=tuple(_limit_row(limit, verdict, unit, divisor) for limit in limits),
        repeats_text=_repeats_text(verdict, unit, divisor),
        tolerance=verdict.tolerance,
        cpu_texts=tuple(cpu_texts),
        notes=tuple(map(printable, verdict.notes)),
    )


def quantity_text(value: float | None, unit: str) -> str:
    """
    A rate as text.

    Parameters
    ----------
    value : float
        In the unit; None where it is not known.
    unit : str
        Bits or frames per second.

    Returns
    -------
    text : str
        Number and unit; empty where nothing is known.

    Examples
    --------
    >>> quantity_text(1156768.0, FRAMES)
    '1.1568 Mframes/s'
    """
    return "" if value is None else rate_text(value).replace(BITS, unit)


def _limit_row(limit: Limit, verdict: Verdict, unit: str, divisor: float) -> LimitRow:
    """A limit in the unit of the run, with its margin."""
    low, high = (bound_bps / divisor for bound_bps in limit.bounds_bps)
    return LimitRow(
        name=printable(limit.name),
        value=limit.value_bps / divisor,
        low=low,
        high=high,
        unit=unit,
        margin_ratio=verdict.margin_ratio(limit),
        is_specified=verdict.limits is not None and limit in verdict.limits.specified,
        binds=limit is verdict.binding,
    )


def _spread_text(low: float, high: float, unit: str) -> str:
    return range_text(quantity_text(low, unit), quantity_text(high, unit))


def _repeats_text(verdict: Verdict, unit: str, divisor: float) -> str:
    """The confidence interval of the mean of repeated runs, and their files."""
    repeats, measured_bps = verdict.repeats, verdict.measured_bps
    if repeats is None or measured_bps is None:
        return ""
    low = max(0.0, measured_bps - repeats.half_width_bps) / divisor
    high = (measured_bps + repeats.half_width_bps) / divisor
    return printable(
        f"mean of {len(repeats.files)} runs, {_spread_text(low, high, unit)} "
        f"at {100 * repeats.level_ratio:.0f} %: {', '.join(repeats.files)}"
    )


def _joined(texts: Iterable[str | None], between: str) -> str:
    return between.join(printable(text) for text in texts if text)


_LOG_FROM_RATIO = 20
"""On a linear axis, a rate below a twentieth cannot be distinguished from 0."""
_SMALLEST_RATIO = 1e-3
"""Lowest rate over the smallest ceiling on an axis: a stalled run must not stretch it."""
_HEADROOM = 1.04
"""Space for the mark of the highest rate."""
_ROOM_FOR_LIMITS = 1.5
"""Limits further above the highest rate lie outside the axis."""
_MAX_TICKS = 5
"""Labels of ticks that fit on a narrow screen."""
_STEPS = (1, 2, 5, 10)
"""Steps of a scale that are easy to read, in powers of ten."""


@dataclass(frozen=True, slots=True)
class Axis:
    """
    Maps a value to a place in percent of the width.

    Parameters
    ----------
    low, high : float
        Values at the ends.
    is_log : bool
        Whether equal distances are equal ratios.
    """

    low: float
    high: float
    is_log: bool

    def percent(self, value: float) -> float:
        """Place of a value; that of the nearer end where it lies outside."""
        inside = min(max(value, self.low), self.high)
        if self.is_log:
            share = math.log(inside / self.low) / math.log(self.high / self.low)
        else:
            share = (inside - self.low) / (self.high - self.low)
        return round(100 * share, 2)

    @property
    def ticks(self) -> list[float]:
        """Values to be named: powers of ten, or multiples of 1, 2 or 5 times one."""
        if self.is_log:
            lowest, highest = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
            exponents = range(lowest, highest + 1)
            stride = math.ceil(len(exponents) / _MAX_TICKS)
            return [10.0**exponent for exponent in exponents[:: stride or 1]]
        rough = self.high / _MAX_TICKS
        decade = 10 ** math.floor(math.log10(rough))
        step = next(factor * decade for factor in _STEPS if factor * decade >= rough)
        return [step * count for count in range(int(self.high / step) + 1)]


def axis_of(rows: Sequence[VerdictRow]) -> Axis | None:
    """
    The axis for all these runs and their ceilings.

    Parameters
    ----------
    rows : sequence of VerdictRow
        Runs whose rates have one unit.

    Returns
    -------
    axis : Axis
        From zero, or a logarithmic one where the rates are more than 20 times
        apart. A rate far below its ceiling does not count for that; it may
        lie outside, and so may limits far above. None without any rate.
    """
    drawn = [row.drawn for row in rows if row.drawn]
    if not drawn:
        return None
    least, most = min(rates[-1] for rates in drawn), max(map(max, drawn))
    limits = (end for row in rows for limit in row.limits for end in (limit.value, limit.high))
    high = _HEADROOM * max([most, *(end for end in limits if end <= _ROOM_FOR_LIMITS * most)])
    if most <= _LOG_FROM_RATIO * least:
        return Axis(0, high, is_log=False)
    low = max(min(map(min, drawn)), _SMALLEST_RATIO * least) / _HEADROOM
    return Axis(low, high, is_log=True)
