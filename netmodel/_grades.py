"""How good the evidence for a value is."""

from enum import Enum

__all__ = ["Grade"]


class Grade(Enum):
    """How good the evidence for a value is, best first; the last three need a note."""

    STANDARD = "standard"
    MEASURED = "measured"
    PUBLISHED = "published"
    DERIVED = "derived"
    FITTED = "fitted"
    ASSUMED = "assumed"
