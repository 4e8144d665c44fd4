"""What a source tells as observations, and what of it is left out."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from netmodel._grades import Grade
from netmodel.calibration._observed import Observed, allowed_by, ratio_interval
from netmodel.errors import DomainError
from netmodel.records import Relation
from netmodel.records._subjects import Change

__all__ = [
    "FLAGGED_WEIGHT",
    "Figure",
    "Flagged",
    "Selection",
    "as_ratio",
    "counted",
    "grade_of",
    "with_flag",
]

FLAGGED_WEIGHT = 0.1
"""What a flagged observation counts beside one that is not, where it is weighted down."""

_OTHER_WAY = {
    Relation.AT_LEAST: Relation.AT_MOST,
    Relation.AT_MOST: Relation.AT_LEAST,
    Relation.CENSORED_ABOVE: Relation.CENSORED_BELOW,
    Relation.CENSORED_BELOW: Relation.CENSORED_ABOVE,
    Relation.UP_TO: Relation.AT_LEAST,
}
"""What a bound of how much less something is says of what is left of it."""


class Flagged(Enum):
    """
    What becomes of a figure that its source, or the caller, marks as faulty.

    ``WEIGHTED_DOWN`` lets it count a tenth of what it would: where weights have
    no meaning, as in the set of all that intervals allow, it counts in full.
    """

    REFUSED = "refused"
    WEIGHTED_DOWN = "weighted down"
    USED = "used"


@dataclass(frozen=True, slots=True)
class Selection:
    """
    Observations that a source tells.

    Parameters
    ----------
    observed : tuple of Observed
        In the order of the source.
    notes : tuple of str
        What was left out, weighted down or taken otherwise than it is written, and why.

    Examples
    --------
    >>> both = Selection((), ("row 1: flagged",)) + Selection((), ("row 2: no figure",))
    >>> both.notes
    ('row 1: flagged', 'row 2: no figure')
    """

    observed: tuple[Observed, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Observed]:
        """Each observation."""
        return iter(self.observed)

    def __len__(self) -> int:
        """How many observations there are."""
        return len(self.observed)

    def __add__(self, other: "Selection") -> "Selection":
        """The observations and notes of both."""
        return Selection((*self.observed, *other.observed), (*self.notes, *other.notes))


class Figure(NamedTuple):
    """What a figure allows, in base units: least, most, the one to quote, how it is meant."""

    low: float
    high: float
    value: float | None
    relation: Relation


def as_ratio(change: Change, by: Figure | None) -> Figure:
    """
    Ratio of subject to baseline of a change by parts of 1, so many times, or nobody knows how much.

    Raises
    ------
    DomainError
        If that cannot be.
    """
    if by is None:
        return _told_in_words(change)
    if change is Change.SAME:
        raise DomainError("a change that is the same has no figure")
    if change is Change.LESS and by.low > 1:
        raise DomainError("nothing is less by more than 100 %")
    low, high = ratio_interval(change, by.low, by.high)
    if change is Change.FACTOR or by.value is None:
        return Figure(low, high, by.value, by.relation)
    if change is Change.MORE:
        return Figure(low, high, 1 + by.value, by.relation)
    return Figure(low, high, 1 - by.value, _OTHER_WAY.get(by.relation, by.relation))


def _told_in_words(change: Change) -> Figure:
    if change is Change.SAME:
        return Figure(*allowed_by(Relation.ABOUT, 1.0), 1.0, Relation.ABOUT)
    if change is Change.FACTOR:
        raise DomainError("a factor has a figure")
    return Figure(*ratio_interval(change, 0.0, float("inf")), None, Relation.SIGN)


def grade_of(relation: Relation, grade: Grade | None) -> Grade | None:
    """That of the source; how far "about" may be off is assumed."""
    return Grade.ASSUMED if relation is Relation.ABOUT else grade


def with_flag(seen: Observed, told: str, flagged: Flagged) -> Selection:
    """A flagged observation as it is to be taken, and a note that says so."""
    note = f"{seen.place}: {flagged.value}: {told}"
    if flagged is Flagged.REFUSED:
        return Selection((), (note,))
    if flagged is Flagged.USED:
        return Selection((seen,), (note,))
    weighted = replace(seen, weight=seen.weight * FLAGGED_WEIGHT)
    return Selection((weighted,), (f"{note} (weight {weighted.weight:g})",))


def counted(kind: str, reasons: Iterable[str]) -> tuple[str, ...]:
    """A note for each reason that something is left out for, with how many it is."""
    return tuple(
        f"{count} {kind if count == 1 else f'{kind}s'} left out: {reason}"
        for reason, count in Counter(reasons).most_common()
    )
