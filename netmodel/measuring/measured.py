"""A measured run: its record, the verdicts on it, and what the hosts show."""

from collections.abc import Mapping
from dataclasses import dataclass

from netmodel.checking import Outcome, Verdict
from netmodel.measuring.record import Record
from netmodel.readers import Measurement
from netmodel.results import Result, short_repr, shortened
from netmodel.terminal import fitted
from netmodel.units import format_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun(Result):
    """
    A measured run; the result of `netmodel.measure`.

    Parameters
    ----------
    record : Record
        Command, folder and facts of its hosts.
    verdicts : tuple of Verdict
        One for each direction, as `netmodel.check` gives them.
    line : mapping of str to (str, str)
        What the run was judged by, and where it is from.
    contradictions : tuple of str
        Where what is specified differs from what the hosts show.
    notes : tuple of str
        What is not known, most important first.
    """

    record: Record
    verdicts: tuple[Verdict, ...]
    line: Mapping[str, tuple[str, str]]
    contradictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    json_keys = (
        "folder=record.place state=record.ran.state exit_code=record.ran.exit_code verdicts "
        "line=line_sources contradictions notes"
    )

    @property
    def passes(self) -> bool:
        """True where the tool ended well and all verdicts pass."""
        is_complete = self.record.ran.state == "complete" and bool(self.verdicts)
        return is_complete and all(each.passes for each in self.verdicts)

    @property
    def line_sources(self) -> dict[str, dict[str, str]]:
        """Values that the run was judged by, with their sources, by name."""
        return {name: {"value": value, "source": of} for name, (value, of) in self.line.items()}

    def __str__(self) -> str:
        return fitted("\n".join(map(str, self.verdicts)))

    def __repr__(self) -> str:
        place, words = shortened(str(self.record.place)), [each.word for each in self.verdicts]
        return short_repr(self, place, self.record.ran.state, *words)


def unjudged(run: Measurement, why: str) -> Verdict:
    """Return the verdict on a run without a line."""
    rate = "" if run.goodput_bps is None else f"{format_rate(run.goodput_bps, 5)}: "
    outcome = Outcome.NOT_JUDGEABLE if run.error is None else Outcome.FAILED
    return Verdict(file=run.source, outcome=outcome, why=run.error or rate + why, measurement=run)
