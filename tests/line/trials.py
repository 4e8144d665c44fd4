"""Runs of tools on a line, judged, and what is asked of a run that the line bounds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from netmodel.judging import StatedLine, Verdict, check_file

LEAST_RATIO = 0.985
MOST_RATIO = 1.005
MEDIAN_TOLERANCE_RATIO = 0.005
TRY_COUNT = 3


@dataclass
class Scoreboard:
    """Measured and predicted goodput of every run of this session, as a table."""

    rows: list[tuple[str, Verdict]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the table, a heading first."""
        width = max((len(name) for name, _ in self.rows), default=0)
        heading = f"{'run':{width}}  {'tool':8}  {'measured':>9}  {'predicted':>9}  ratio   limit"
        return [heading, *(_row(name, verdict, width) for name, verdict in self.rows)]


def _row(name: str, verdict: Verdict, width: int) -> str:
    assert verdict.measurement is not None
    assert verdict.binding is not None
    assert verdict.ratio is not None
    rates = (verdict.goodput_bps or 0.0, verdict.binding.value_bps)
    mbps = "  ".join(f"{rate_bps / 1e6:9.3f}" for rate_bps in rates)
    tool, limit = verdict.measurement.tool, verdict.binding.name
    return f"{name:{width}}  {tool:8}  {mbps}  {verdict.ratio:.4f}  {limit}"


@dataclass
class Judge:
    """Judges what tools print in one test, and keeps it for the table.

    Parameters
    ----------
    name
        Of the test.
    folder
        Where the files that are judged go.
    scoreboard
        The table.
    """

    name: str
    folder: Path
    scoreboard: Scoreboard

    def __call__(self, output: bytes, stated: StatedLine) -> Verdict:
        """Return the verdict on the only direction of a run."""
        path = self.folder / f"run-{len(self.scoreboard.rows)}"
        path.write_bytes(output)
        (verdict,) = check_file(path, stated)
        assert verdict.ratio is not None, verdict.reason
        self.scoreboard.rows.append((self.name, verdict))
        return verdict


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


def ratio(verdict: Verdict) -> float:
    """Return measured over predicted."""
    assert verdict.ratio is not None, verdict.reason
    return verdict.ratio


def assert_on_the_wire(verdicts: Sequence[Verdict], most_ratio: float = MOST_RATIO) -> None:
    """Each run lies near what the wire carries, and the median of several lies nearer."""
    for verdict in verdicts:
        assert verdict.binding is not None
        assert verdict.binding.name == "wire", verdict.reason
        assert LEAST_RATIO <= ratio(verdict) <= most_ratio, verdict.reason
    if len(verdicts) > 1:
        middle = median(ratio(verdict) for verdict in verdicts)
        assert abs(middle - 1) <= MEDIAN_TOLERANCE_RATIO, [v.reason for v in verdicts]
