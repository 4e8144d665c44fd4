"""Verdicts as rows of text, the one place that all outputs for people take them from."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from netmodel.judging import Limit, Outcome, Verdict
from netmodel.readers import CpuUse
from netmodel.report._path_rows import range_text, rate_text

__all__ = [
    "OUTCOMES",
    "LimitRow",
    "VerdictRow",
    "outcome_word",
    "printable",
    "verdict_row",
]

OUTCOMES: tuple[Outcome | None, ...] = (
    None,
    Outcome.FAILED,
    Outcome.IMPOSSIBLE,
    Outcome.BELOW,
    Outcome.NOT_JUDGEABLE,
    Outcome.AT_CEILING,
)
"""In the order in which a reader wants them: faults first."""

_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)
"""What XML 1.0 does not allow, more control characters, and what turns the direction of text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRow:
    """
    A limit of a run.

    Parameters
    ----------
    name : str
        What limits.
    value, low, high : float
        The limit and its range, in the unit of the run.
    value_text, spread_text, margin_text : str
        The same for people, and what the run left of it; empty where there is none.
    binds : bool
        Whether the outcome refers to it.
    """

    name: str
    value: float
    low: float
    high: float
    value_text: str
    spread_text: str
    margin_text: str
    binds: bool

    @property
    def sentence(self) -> str:
        """The limit in one line."""
        texts = (self.spread_text, self.margin_text and f"margin {self.margin_text}")
        parts = [self.value_text, *texts, "binding" if self.binds else ""]
        return f"{self.name}: {', '.join(filter(None, parts))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRow:
    """
    A verdict for people; texts are empty where nothing is known.

    Parameters
    ----------
    outcome : Outcome
        None where the file could not be read.
    word : str
        The outcome in a word.
    file, place : str
        File, and which direction and part of it.
    tool : str
        Benchmark and its version.
    duration_s : float
        How long the run was; None where that is not known. [s]
    goodput, ceiling : float
        Measured and allowed, in the unit of the run; None where not known.
    goodput_text, ceiling_text, ratio_text, binding : str
        The same for people, and the limit that binds.
    reason : str
        Why.
    limits : tuple of LimitRow
        Every limit that is known.
    cpu_texts, warnings : tuple of str
        CPU use of each side, and what a reader should know.
    """

    outcome: Outcome | None
    word: str
    file: str
    place: str
    tool: str
    duration_s: float | None
    goodput: float | None
    ceiling: float | None
    goodput_text: str
    ceiling_text: str
    ratio_text: str
    binding: str
    reason: str
    limits: tuple[LimitRow, ...]
    cpu_texts: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def drawn(self) -> tuple[float, ...]:
        """Goodput and ceiling, as far as they are known and have a place on any axis."""
        known = (rate for rate in (self.goodput, self.ceiling) if rate is not None)
        return tuple(rate for rate in known if 0 < rate < math.inf)

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
    """
    run, binding, ratio = verdict.measurement, verdict.binding, verdict.ratio
    limits = verdict.line_limits.limits if verdict.line_limits else ()
    ceiling_bps = binding.value_bps if binding else None
    places = (run.direction and run.direction.value, run.part) if run else ()
    tool = (run.tool, run.tool_version) if run else ()
    return VerdictRow(
        outcome=verdict.outcome,
        word=outcome_word(verdict.outcome),
        file=printable(verdict.file),
        place=_joined(places, ", "),
        tool=_joined(tool, " "),
        duration_s=run.duration_s if run else None,
        goodput=verdict.goodput_bps,
        ceiling=ceiling_bps,
        goodput_text=_known_rate_text(verdict.goodput_bps),
        ceiling_text=_known_rate_text(ceiling_bps),
        ratio_text="" if ratio is None else f"{ratio:.4f}",
        binding=printable(binding.name) if binding else "",
        reason=printable(verdict.reason),
        limits=tuple(_limit_row(limit, verdict) for limit in limits),
        cpu_texts=tuple(_cpu_text(use) for use in run.cpu) if run else (),
        warnings=tuple(printable(warning) for warning in verdict.warnings),
    )


def printable(text: str) -> str:
    r"""
    Text without the characters that no XML document may hold, and without others that mislead.

    Parameters
    ----------
    text : str
        May hold control characters, marks that turn the direction of writing,
        and what stands for undecodable bytes.

    Returns
    -------
    text : str
        With each of them written as its number.

    Examples
    --------
    >>> print(printable("a\x1b[1m b\udcff"))
    a\x1b[1m b\udcff
    """
    return _UNPRINTABLE.sub(lambda found: ascii(found.group())[1:-1], text)


def outcome_word(outcome: Outcome | None) -> str:
    """The outcome in a word."""
    return outcome.value if outcome else "unreadable"


def _limit_row(limit: Limit, verdict: Verdict) -> LimitRow:
    goodput_bps = verdict.goodput_bps
    low_bps, high_bps = limit.bounds_bps
    margin = "" if goodput_bps is None else f"{100 * (1 - goodput_bps / limit.value_bps):z.2f} %"
    has_range = low_bps < high_bps
    return LimitRow(
        name=printable(limit.name),
        value=limit.value_bps,
        low=low_bps,
        high=high_bps,
        value_text=rate_text(limit.value_bps),
        spread_text=range_text(rate_text(low_bps), rate_text(high_bps)) if has_range else "",
        margin_text=margin.replace("-", "−"),
        binds=limit is verdict.binding,
    )


def _known_rate_text(rate_bps: float | None) -> str:
    return "" if rate_bps is None else rate_text(rate_bps)


def _cpu_text(use: CpuUse) -> str:
    consumption = use.consumption
    cost = f", {consumption.us_per_gbit:.0f} µs/Gbit" if consumption else ""
    return f"{use.side.value}: {use.busy_cpu_count:.3f} CPUs busy ({use.scope.value}){cost}"


def _joined(texts: Iterable[str | None], between: str) -> str:
    return between.join(printable(text) for text in texts if text)
