"""Verdicts as rows of text, from which all outputs for people take them."""

from collections.abc import Iterable
from typing import NamedTuple

from netmodel._predicted_text import rate_text
from netmodel._text import percent_text, printable, range_text
from netmodel.checking import Outcome, Verdict
from netmodel.checking._limits import Limit
from netmodel.checking._tolerance import Tolerance
from netmodel.consumption import CpuScope

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
