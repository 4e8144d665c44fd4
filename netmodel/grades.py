"""How good the evidence for a value is."""

from collections.abc import Iterable
from enum import StrEnum


class Grade(StrEnum):
    """Grade of the evidence for a value, best first; the last three need a note."""

    STANDARD = "standard"
    """Set by a standard."""
    MEASURED = "measured"
    """Printed as measured, with its test bed."""
    PUBLISHED = "published"
    """Claimed by a document without the measurement."""
    DERIVED = "derived"
    """Computed from other values by a formula."""
    FITTED = "fitted"
    """Estimated from observations."""
    ASSUMED = "assumed"
    """Without a source."""

    @property
    def rank(self) -> int:
        """Number of better grades."""
        return tuple(Grade).index(self)


def weakest_grade(grades: Iterable[Grade | None]) -> Grade | None:
    """Return the worst of the known grades."""
    return max(filter(None, grades), key=lambda grade: grade.rank, default=None)
