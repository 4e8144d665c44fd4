"""What was seen of a quantity: a figure, an interval, a bound, or how it compares."""

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import TypeAlias

from netmodel._grades import Grade
from netmodel._text import near_name
from netmodel.errors import DomainError
from netmodel.records import Relation
from netmodel.records._figures import allowed_interval
from netmodel.records._subjects import Change

Conditions: TypeAlias = Mapping[str, float | str | bool]
"""Under which something holds: names and units of the columns of a table of results."""

WAYS_TO_TELL_MESSAGES = (
    frozenset({"workload"}),
    frozenset({"request_bytes", "response_bytes"}),
    frozenset({"write_bytes"}),
)
"""Conditions that say what is exchanged, in one of three ways."""
MESSAGE_CONDITIONS = frozenset[str]().union(*WAYS_TO_TELL_MESSAGES)
"""All of them."""

Cap: TypeAlias = Callable[[Conditions], float]
"""From conditions to what no quantity exceeds there, such as the payload rate of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """
    What was seen of one quantity under conditions, and what that allows it to be.

    Parameters
    ----------
    quantity : str
        What was seen, with its unit, such as ``"throughput_bps"``.
    at : mapping of str to float, str or bool
        Conditions, such as ``{"mtu_bytes": 1500}``.
    low, high : float
        Least and most that the figure allows, both allowed; 0 and infinite
        where an end is open. The same where the figure is exact but for noise.
    value : float, optional
        Figure to quote; None where only ends are known.
    relation : Relation
        How the quantity stands to the figure. ``CENSORED_ABOVE`` is about what
        the quantity would be if nothing else limited it, ``EQUAL`` about what
        was seen.
    baseline : mapping or str, optional
        Conditions of what it is compared with: figures are then ratios to the
        same quantity there. A text names one whose value is not known.
    also_at : tuple of mappings
        More cases, for ``UP_TO``: none of all exceeds the figure, and one
        reaches it: comes to ``low`` at least, where the rounding of the figure
        begins. Which case reached it is not known.
    is_beside_censored : bool
        Whether others of the same conditions are censored, so that it is, like
        them, of what would have been seen if nothing else had limited it.
    weight : float
        How much it counts beside others; 1 for all of them alike. A comparison has the
        noise of two runs.
    place : str
        Where it is from, as a reader finds it.
    grade : Grade, optional
        How good the evidence is.
    is_published : bool
        Whether it is a figure of a document, whose interval is its printed rounding:
        how much runs scatter is then not known. Other figures are of your own runs,
        which scatter by more than their digits say.

    Raises
    ------
    DomainError
        If an end is negative or not a number, or the ends are the wrong way round.

    Examples
    --------
    >>> seen = Observed(
    ...     quantity="throughput_bps", at={"mtu_bytes": 1500}, low=13.35e9, high=13.45e9
    ... )
    >>> seen.is_exact, seen.is_bounded
    (False, True)
    """

    quantity: str
    at: Conditions
    low: float
    high: float
    value: float | None = None
    relation: Relation = Relation.EQUAL
    baseline: Conditions | str | None = None
    also_at: tuple[Conditions, ...] = ()
    is_beside_censored: bool = False
    weight: float = 1.0
    place: str = ""
    grade: Grade | None = None
    is_published: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", MappingProxyType(dict(self.at)))
        object.__setattr__(self, "also_at", tuple(self.also_at))
        if not 0 <= self.low <= self.high or self.low == math.inf:
            raise DomainError(
                f"{self.name}: low and high must be from 0 up, low not above high; "
                f"got {self.low!r} and {self.high!r}"
            )
        if not (0 < self.weight < math.inf):
            raise DomainError(f"{self.name}: weight must be above 0; got {self.weight!r}")
        if self.also_at and self.relation is not Relation.UP_TO:
            raise DomainError(f"{self.name}: also_at belongs to the relation up_to")

    @property
    def name(self) -> str:
        """Its place, else quantity and conditions."""
        return self.place or f"{self.quantity} at {conditions_text(self.at)}"

    @property
    def cases(self) -> tuple[Conditions, ...]:
        """Conditions of each case that it is about, regardless of the baseline."""
        return (self.at, *self.also_at)

    @property
    def all_conditions(self) -> tuple[Conditions, ...]:
        """Those of each case, and of what it is compared with where these are given."""
        if self.baseline is None or isinstance(self.baseline, str):
            return self.cases
        return (*self.cases, self.baseline)

    @property
    def scatter_weight(self) -> float:
        """The weight by which noise of one run counts: half where two runs are compared."""
        return self.weight if self.baseline is None else self.weight / 2

    @property
    def figure(self) -> float | None:
        """The one to quote, else the middle; None for bounds and comparisons."""
        if self.baseline is not None or self.also_at or not self.is_bounded:
            return None
        return self.value if self.value is not None else (self.low + self.high) / 2

    @property
    def is_exact(self) -> bool:
        """Whether only noise stands between figure and quantity."""
        return self.low == self.high

    @property
    def is_bounded(self) -> bool:
        """Whether neither end is open."""
        return self.low > 0 and self.high < math.inf

    @property
    def is_uncapped(self) -> bool:
        """Whether it is of what would have been seen if nothing else had limited it."""
        censored = (Relation.CENSORED_ABOVE, Relation.CENSORED_BELOW)
        return self.is_beside_censored or self.relation in censored

    @property
    def is_unbounded(self) -> bool:
        """Whether both ends are open."""
        return self.low <= 0 and self.high == math.inf


def conditions_with(conditions: Conditions, given: Conditions) -> dict[str, float | str | bool]:
    """
    Conditions with others in their place; messages are then given in one way only.

    Parameters
    ----------
    conditions : mapping
        Conditions.
    given : mapping
        What holds in place of them, or besides.

    Returns
    -------
    conditions : dict
        Of both.

    Examples
    --------
    >>> conditions_with({"workload": "awm-rr", "mtu_bytes": 1500}, {"request_bytes": 200})
    {'mtu_bytes': 1500, 'request_bytes': 200}
    """
    ways = [way for way in WAYS_TO_TELL_MESSAGES if way & set(given)]
    replaced = MESSAGE_CONDITIONS.difference(*ways) if ways else frozenset()
    return {**{name: value for name, value in conditions.items() if name not in replaced}, **given}


def comparable(at: Conditions | str | None) -> Hashable:
    """Conditions, or what stands for them, as something that is equal where they are."""
    return frozenset(at.items()) if isinstance(at, Mapping) else at


def conditions_text(at: Conditions) -> str:
    """Names and values, as people read them."""
    return ", ".join(f"{name} {value}" for name, value in at.items())


def needed(at: Conditions, name: str, by: str) -> float | str | bool:
    """A condition; where it is missing, a DomainError names it and what needs it."""
    if name not in at:
        raise not_told(name, by, at)
    return at[name]


def not_told(name: str, by: str, at: Conditions) -> DomainError:
    """What to raise where a condition is needed, and not there; names one that may be meant."""
    meant = next((each for each in at if near_name(each, (name,))), None)
    hint = f": {meant} may be meant, write {name}" if meant else ""
    return DomainError(f"{by} needs {name}, which is not given{hint}")


def allowed_by(relation: Relation, value: float, half_width: float = 0.0) -> tuple[float, float]:
    """
    Least and most that one figure allows, for a quantity that is never negative.

    Parameters
    ----------
    relation : Relation
        How the quantity stands to it; not a range, which has two figures, nor a
        sign, which has none.
    value : float
        The figure.
    half_width : float
        How far rounding may have moved it.

    Returns
    -------
    low, high : float
        Both allowed; records have the rule.

    Examples
    --------
    >>> allowed_by(Relation.AT_LEAST, 45.0)
    (45.0, inf)
    """
    low, high = map(float, allowed_interval(relation, Decimal(value), Decimal(half_width)))
    return max(0.0, low), high


def ratio_interval(change: Change, low: float, high: float) -> tuple[float, float]:
    """
    Least and most ratio of subject to baseline that a change allows.

    Parameters
    ----------
    change : Change
        More or less by a part, a multiple, or the same.
    low, high : float
        Least and most of the change: parts of 1, or factors.

    Returns
    -------
    low, high : float
        Ratios, from 0 up.

    Examples
    --------
    At least 45 % more:

    >>> ratio_interval(Change.MORE, 0.45, math.inf)
    (1.45, inf)
    """
    if change is Change.MORE:
        return max(0.0, 1 + low), 1 + high
    if change is Change.LESS:
        return max(0.0, 1 - high), max(0.0, 1 - low)
    return max(0.0, low), high
