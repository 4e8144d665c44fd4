"""What an audit finds."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

__all__ = ["Audit", "Finding", "Severity", "finding"]


class Severity(Enum):
    """How much a finding matters to whoever uses the data."""

    FAULT = "fault"
    """Cannot be right as printed: do not calibrate on it."""
    NOTE = "note"
    """May be right, but should be known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    Something in data that does not agree with the rest of them, or with physics.

    Parameters
    ----------
    dataset : str
        Dataset, file or documents that were audited.
    file : str
        Name of the CSV file; empty for a statement.
    row : int, optional
        Number of the row, the first below the header is 1; None where a whole
        column is meant.
    column : str
        Name of the column, or ids of statements.
    kind : str
        Which law is broken.
    severity : Severity
        How much it matters.
    printed : str
        What is printed.
    allowed : str
        What could stand there.
    message : str
        The finding in a sentence.
    """

    dataset: str
    file: str = ""
    row: int | None = None
    column: str
    kind: str
    severity: Severity
    printed: str
    allowed: str
    message: str

    @property
    def location(self) -> str:
        """File, row and column, or the ids of statements."""
        row = f" row {self.row}" if self.row is not None else ""
        return f"{self.file}{row} {self.column}".strip()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel audit``."""
        return {
            "dataset": self.dataset,
            "location": self.location,
            "file": self.file or None,
            "row": self.row,
            "column": self.column,
            "kind": self.kind,
            "severity": self.severity.value,
            "printed": self.printed,
            "allowed": self.allowed,
            "message": self.message,
        }


def finding(kind: str, severity: Severity, **told: Any) -> Finding:
    """A finding whose dataset and file are filled in by whoever knows them."""
    return Finding(dataset="", kind=kind, severity=severity, **told)


@dataclass(frozen=True, slots=True)
class Audit:
    """
    All findings of an audit, and how much was looked at.

    Parameters
    ----------
    name : str
        What was audited.
    findings : tuple of Finding
        In the order of the data.
    checked : Counter of str
        Comparisons that were made, by kind.
    explained : Counter of str
        Comparisons that are off as printed, but within rounding, by kind.
    """

    name: str
    findings: tuple[Finding, ...]
    checked: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """The findings that cannot be right as printed."""
        return tuple(one for one in self.findings if one.severity is Severity.FAULT)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)
