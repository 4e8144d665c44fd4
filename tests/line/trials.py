"""Runs of tools on a line, judged, and what is asked of a run that the line bounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from runs import check_file

from netmodel.checking import Gate, Outcome, SpecifiedLine, Verdict

LEAST_RATIO = 0.985
MOST_RATIO = 1.005
MEDIAN_TOLERANCE_RATIO = 0.005
TRY_COUNT = 3
DERIVED = Gate()


@dataclass
class Scoreboard:
    """Measured and predicted goodput of every run of this session, as a table."""

    rows: list[tuple[str, Verdict]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the table, a heading first."""
        width = max((len(name) for name, _ in self.rows), default=0)
        rates = f"{'measured':>9}  {'predicted':>9}  ratio "
        heading = f"{'run':{width}}  {'tool':8}  {rates}  {'limit':12}  verdict"
        return [heading, *(_row(name, verdict, width) for name, verdict in self.rows)]


def _row(name: str, verdict: Verdict, width: int) -> str:
    """One verdict; a test of response times has no goodput and no limit."""
    assert verdict.measurement is not None
    tool, goodput_bps, binding = verdict.measurement.tool, verdict.goodput_bps, verdict.binding
    figures, limit = f"{'-':>9}  {'-':>9}  {'-':6}", "-"
    if goodput_bps is not None and binding is not None:
        share = goodput_bps / binding.value_bps
        figures = f"{goodput_bps / 1e6:9.3f}  {binding.value_bps / 1e6:9.3f}  {share:.4f}"
        limit = binding.name
    return f"{name:{width}}  {tool:8}  {figures}  {limit:12}  {verdict.word}"


@dataclass
class Judge:
    """Judges what tools print in one test, and keeps it for the table.

    Parameters
    ----------
    name
        Of the test.
    directory
        Where the files that are judged go.
    scoreboard
        The table.
    """

    name: str
    directory: Path
    scoreboard: Scoreboard

    def __call__(
        self, output: bytes, specified: SpecifiedLine, gate: Gate = DERIVED, case: str = ""
    ) -> Verdict:
        """Return the verdict on the only direction of a run."""
        (verdict,) = self.directions(output, specified, gate, case)
        return verdict

    def directions(
        self, output: bytes, specified: SpecifiedLine, gate: Gate = DERIVED, case: str = ""
    ) -> tuple[Verdict, ...]:
        """Return the verdicts on all directions of a run; the table names the case."""
        path = self.directory / f"run-{len(self.scoreboard.rows)}"
        path.write_bytes(output)
        return self.kept(check_file(path, specified, gate), case)

    def kept(self, verdicts: Sequence[Verdict], case: str = "") -> tuple[Verdict, ...]:
        """Keep verdicts for the table."""
        name = f"{self.name}: {case}" if case else self.name
        self.scoreboard.rows += [(name, verdict) for verdict in verdicts]
        return tuple(verdicts)


def steady(measure: Callable[[], Verdict], least_ratio: float = LEAST_RATIO) -> Verdict:
    """Return the fastest of up to three runs, the first that no stall of the machine held up.

    A stall leaves the line empty and can only lower a run: one that is high enough had none worth
    another try, and one that stays low three times is no stall.
    """
    fastest = measure()
    for _ in range(TRY_COUNT - 1):
        if ratio(fastest) >= least_ratio:
            break
        fastest = max(fastest, measure(), key=ratio)
    return fastest


def steady_directions(
    measure: Callable[[], tuple[Verdict, ...]], least_ratio: float
) -> tuple[Verdict, ...]:
    """Return the directions of a run that no stall held up, as `steady` does for a single one."""

    def slowest(verdicts: tuple[Verdict, ...]) -> float:
        return min(map(ratio, verdicts))

    best = measure()
    for _ in range(TRY_COUNT - 1):
        if slowest(best) >= least_ratio:
            break
        best = max(best, measure(), key=slowest)
    return best


def ratio(verdict: Verdict) -> float:
    """Return measured over predicted by the limit that the verdict names."""
    assert verdict.goodput_bps is not None, verdict.reason
    assert verdict.binding is not None, verdict.reason
    return verdict.goodput_bps / verdict.binding.value_bps


def assert_on_the_wire(verdicts: Sequence[Verdict], most_ratio: float = MOST_RATIO) -> None:
    """Each run lies near what the wire carries, and the median of several lies nearer."""
    for verdict in verdicts:
        assert verdict.binding is not None
        assert verdict.binding.name == "wire", verdict.reason
        assert LEAST_RATIO <= ratio(verdict) <= most_ratio, verdict.reason
    if len(verdicts) > 1:
        middle = median(ratio(verdict) for verdict in verdicts)
        assert abs(middle - 1) <= MEDIAN_TOLERANCE_RATIO, [v.reason for v in verdicts]


def assert_at_ceiling(*verdicts: Verdict) -> None:
    """Each run passes, and the wire is what it is held against."""
    for verdict in verdicts:
        assert verdict.outcome is Outcome.AT_CEILING, verdict.reason
        assert verdict.binding is not None
        assert verdict.binding.name == "wire", verdict.reason


def assert_limited_by(name: str, verdict: Verdict) -> None:
    """The run does not pass, and says that a limit of its own is why."""
    assert verdict.outcome is Outcome.LIMITED, verdict.reason
    assert verdict.binding is not None
    assert verdict.binding.name == name, verdict.reason
    assert not verdict.passes
    assert "does not test" in verdict.reason


def assert_has_warning(verdict: Verdict, text: str) -> None:
    """One of its warnings holds a text."""
    assert any(text in warning for warning in verdict.notes), verdict.notes
