"""A measured run: its record, the verdicts on it, and what the hosts show."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from netmodel.checking import Verdict
from netmodel.frames import frame_of, row_of
from netmodel.measuring.record import Record
from netmodel.results import Result, short_repr, shortened_path
from netmodel.terminal import fitted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun(Result):
    """
    A measured run, or repeats of it; the result of `netmodel.measure`.

    Parameters
    ----------
    records : tuple of Record
        Command, folder and facts of each run.
    place : Path
        The folder; that of repeats has one for each run.
    verdicts : tuple of Verdict
        One for each direction, as `netmodel.check` gives them; of the mean of repeats.
    line : mapping of str to (str, str)
        What the run was judged by, and where it is from.
    contradictions : tuple of str
        Where what is specified differs from what the hosts show.
    notes : tuple of str
        What is not known, most important first.
    """

    records: tuple[Record, ...]
    place: Path
    verdicts: tuple[Verdict, ...]
    line: Mapping[str, tuple[str, str]]
    contradictions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    json_keys = (
        "folder=place state exit_code run_count verdicts line=line_sources contradictions notes"
    )

    @property
    def state(self) -> str:
        """State of the last run: repeats end at one that is not complete."""
        return self.records[-1].state

    @property
    def passes(self) -> bool:
        """True where the tool ended well and all verdicts pass."""
        return (
            self.state == "complete"
            and bool(self.verdicts)
            and all(each.passes for each in self.verdicts)
        )

    @property
    def line_sources(self) -> dict[str, dict[str, str]]:
        """What the run was judged by: value and source by name."""
        return {name: {"value": value, "source": of} for name, (value, of) in self.line.items()}

    @property
    def exit_code(self) -> int | None:
        """How the last run ended."""
        return self.records[-1].ran.exit_code

    @property
    def run_count(self) -> int:
        """Runs, one unless it was repeated."""
        return len(self.records)

    def __str__(self) -> str:
        return fitted("\n".join(map(str, self.verdicts)))

    def __repr__(self) -> str:
        return short_repr(
            self,
            shortened_path(str(self.place)),
            self.state,
            *(each.word for each in self.verdicts),
        )

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each verdict, in base units.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return frame_of([row_of(each) for each in self.verdicts], "direction")
