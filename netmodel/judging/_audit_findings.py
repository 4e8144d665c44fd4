"""Findings of audits, and how much was compared."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from netmodel._display import short_repr, shortened
from netmodel._frame import frame_of, row_of
from netmodel._html import notes_list, row_table

if TYPE_CHECKING:
    import pandas as pd


class Severity(Enum):
    """Effect of a finding on the use of the data."""

    FAULT = "fault"
    """Cannot be right as printed: not to be calibrated on."""
    NOTE = "note"
    """May be right, but worth knowing."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """
    One of several figures that cannot all be right, and what it would be if the others are.

    Parameters
    ----------
    place : str
        Where the source prints it.
    file : str
        Name of the CSV file.
    row : int, optional
        Number of the row, 1 for the first below the header.
    column : str
        Name of the column.
    printed, allowed : str
        Figure as printed, and figures that the others allow.
    is_confirmed : bool
        Whether the figures that it was computed from are printed too, and agree with it.
    """

    place: str
    file: str
    row: int | None
    column: str
    printed: str
    allowed: str
    is_confirmed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel audit``."""
        return {
            "place": self.place,
            "file": self.file or None,
            "row": self.row,
            "column": self.column,
            "printed": self.printed,
            "allowed": self.allowed,
            "confirmed": self.is_confirmed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    A figure that contradicts the rest of the data, or physics.

    Parameters
    ----------
    dataset : str
        Audited dataset, file or documents.
    file : str
        Name of the CSV file.
    row : int, optional
        Number of the row, 1 for the first below the header; None for a whole
        column.
    line : int, optional
        Line of the file in which the row begins; the header is line 1.
    column : str
        Name of the column.
    place : str
        Where the source prints it: table, row and column, or page.
    kind : str
        Violated law.
    severity : Severity
        Fault or note.
    printed : str
        Figure as printed.
    allowed : str
        Figures that the law allows.
    message : str
        The finding in a sentence.
    suspects : tuple of Suspect
        Where any of several figures may be the wrong one: all of them.
    """

    dataset: str
    file: str = ""
    row: int | None = None
    line: int | None = None
    column: str
    place: str
    kind: str
    severity: Severity
    printed: str
    allowed: str
    message: str
    suspects: tuple[Suspect, ...] = ()

    @property
    def location(self) -> str:
        """File, row and column."""
        row = f" row {self.row}" if self.row is not None else ""
        return f"{self.file}{row} {self.column}".strip()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel audit``."""
        return {
            "dataset": self.dataset,
            "place": self.place,
            "location": self.location,
            "file": self.file or None,
            "row": self.row,
            "line": self.line,
            "column": self.column,
            "kind": self.kind,
            "severity": self.severity.value,
            "printed": self.printed,
            "allowed": self.allowed,
            "message": self.message,
            "suspects": [each.to_dict() for each in self.suspects],
        }

    def __repr__(self) -> str:
        figures = f"printed {self.printed}, allowed {self.allowed}"
        return short_repr(
            self, f"{self.severity.value}: {self.kind}", shortened(self.place), figures
        )


@dataclass(frozen=True, slots=True)
class ChangeCoverage:
    """
    How many printed changes of a table were compared, and with what.

    Parameters
    ----------
    file : str
        Name of the CSV file.
    printed : int
        Changes that it prints.
    with_figures : int
        Of these, compared with the printed figures that they were computed from.
    with_changes_only : int
        Of the others, compared with other changes between the same figures.
    """

    file: str
    printed: int
    with_figures: int
    with_changes_only: int

    def __str__(self) -> str:
        without = self.printed - self.with_figures
        text = f"{self.with_figures} of {self.printed} changes compared with base figures"
        if not without:
            return text
        unchecked = without - self.with_changes_only
        others = {0: "all", without: "none"}.get(unchecked, str(self.with_changes_only))
        has = "has" if without == 1 else "have"
        return f"{text}; {without} {has} none, {others} compared with other changes"


@dataclass(frozen=True, slots=True)
class Audit:
    """
    Findings of an audit, and the number of its comparisons.

    Parameters
    ----------
    name : str
        Audited dataset or file.
    findings : tuple of Finding
        In the order of the data.
    checked : Counter of str
        Number of comparisons, by kind.
    explained : Counter of str
        Number of comparisons that only rounding explains, by kind.
    coverage : tuple of ChangeCoverage
        Of each table that prints changes.
    known_faults : tuple of str
        Errors and open questions that the dataset itself names.
    """

    name: str
    findings: tuple[Finding, ...]
    checked: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    coverage: tuple[ChangeCoverage, ...] = ()
    known_faults: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of the comparisons, most important first."""
        notes = [str(each) for each in self.coverage]
        doubtful = sum(
            sum(not suspect.is_confirmed for suspect in each.suspects) > 1 for each in self
        )
        if doubtful:
            has = "finding has" if doubtful == 1 else "findings have"
            notes.append(f"{doubtful} {has} several suspects: any of them may be the wrong one")
        return (*notes, *(f"known fault: {each}" for each in self.known_faults))

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that cannot be right as printed."""
        return tuple(each for each in self.findings if each.severity is Severity.FAULT)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __repr__(self) -> str:
        compared = f"{self.checked.total():,} comparisons"
        faults = f"{len(self.faults)} faults among {len(self.findings)} findings"
        return short_repr(self, shortened(self.name), faults, compared)

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each finding.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return frame_of([row_of(each) for each in self.findings], "place")

    def _repr_html_(self) -> str:
        rows = [
            (each.place, each.severity.value, each.kind, each.printed, each.allowed)
            for each in self.findings
        ]
        names = ("place", "severity", "law", "printed", "allowed")
        caption = f"{self.name}: {len(self.faults)} faults in {self.checked.total():,} comparisons"
        return row_table(caption, names, rows) + notes_list(self.notes)
