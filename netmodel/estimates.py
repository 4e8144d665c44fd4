"""A quantity with its range, and on which side of the true value it lies."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from netmodel.numeric import FloatOrArray
from netmodel.results import Result
from netmodel.text import BOUND_SIGNS

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Q = TypeVar("Q", bound=FloatOrArray)
    V_co = TypeVar("V_co", bound=float | None, covariant=True, default=float)
    Q_co = TypeVar("Q_co", bound=FloatOrArray, covariant=True, default=FloatOrArray)
else:
    from netmodel.numeric import Q_co

    V_co = Q_co

ABOUT_RATIO = Decimal("0.05")
"""Deviation that "about" allows where the source gives none: a convention of this library."""
LEVEL_RATIO = 0.95
"""Confidence of an interval where no other is asked for: the usual one, so that it compares."""
LEVEL_DEVIATIONS = 1.959963984540054
"""Standard deviations on either side of the mean that hold this share of a normal distribution."""


class Estimate(NamedTuple, Generic[V_co]):
    """
    A quantity in its base unit, and the range that is left open of it.

    Parameters
    ----------
    value : float, optional
        The one to quote; None where it may be any within the range.
    low, high : float
        Smallest and largest; both are the value where it is exact, and an open
        end is 0 or infinite, one that is not known NaN.

    Examples
    --------
    >>> Estimate(13.4, 13.35, 13.45).low
    13.35
    """

    value: V_co
    low: float
    high: float


class Bound(StrEnum):
    """On which side of the true value a figure lies."""

    VALUE = "value"
    """The expected one."""
    UPPER = "upper"
    """No run exceeds it; a run may be far below it."""
    LOWER = "lower"
    """No run falls below it; a run may be far above it."""
    MEAN = "mean"
    """Mean of a random process such as loss: a run may be above or below it."""

    @property
    def sign(self) -> str:
        """Sign in front of the figure in tables."""
        return BOUND_SIGNS[self.value]

    @property
    def words(self) -> str:
        """Words in front of the figure in a sentence."""
        return {"value": "", "upper": "at most", "lower": "at least", "mean": "about"}[self.value]


@dataclass(frozen=True, slots=True, repr=False)
class Predicted(Result, Generic[Q_co]):
    """
    A predicted quantity in its base unit, and on which side of the true value it lies.

    Parameters
    ----------
    value : float or numpy.ndarray
        Of an upper bound the highest that the sets of parameters leave open, of a lower
        bound the lowest, with published figures as printed.
    low, high : float or numpy.ndarray
        Smallest and largest that the parameters leave open, the rounding of published
        figures included; the value where they leave nothing open. They enclose the true
        value only where the figure is no bound. A bound by a printed ratio holds for sure at
        `high`, the far end of the printed digits: texts and plans count with it.
    bound : Bound
        The side.

    Examples
    --------
    >>> Predicted(13.4, 13.35, 13.45, Bound.UPPER).to_dict()
    {'value': 13.4, 'low': 13.35, 'high': 13.45, 'bound': 'upper'}
    """

    value: Q_co
    low: Q_co
    high: Q_co
    bound: Bound = Bound.VALUE

    def scaled(self, factor: FloatOrArray) -> "Predicted[Q_co]":
        """Return the quantity in a smaller or larger unit: the factor is above zero."""
        return self.mapped(lambda number: number * factor)

    def numbers(self) -> "Predicted[float]":
        """Return the quantity in plain floats; TypeError if it has arrays."""
        return self.mapped(float)

    def inverse(self, amount: FloatOrArray) -> "Predicted":
        """Return an amount over it, such as its time at this rate; of upper bounds lower ones."""
        bound = {Bound.UPPER: Bound.LOWER, Bound.LOWER: Bound.UPPER}.get(self.bound, self.bound)
        return Predicted(amount / self.value, amount / self.high, amount / self.low, bound)

    def mapped(self, change: Callable[[Any], Any]) -> "Predicted[Any]":
        """Apply an increasing function to each number."""
        value, low, high = map(change, (self.value, self.low, self.high))
        return Predicted(value, low, high, self.bound)


def combined(
    combine: "Callable[[list[Q]], Q]",
    quantities: "Iterable[Predicted[Q]]",
    bound: Bound = Bound.VALUE,
) -> "Predicted[Q]":
    """
    Combine independent quantities end by end by an increasing function, such as sum or min.

    Examples
    --------
    >>> combined(sum, [Predicted(2.0, 1.0, 3.0), Predicted(5.0, 4.0, 6.0)]).to_dict()
    {'value': 7.0, 'low': 5.0, 'high': 9.0, 'bound': 'value'}
    """
    known = list(quantities)
    ends = [combine([getattr(each, end) for each in known]) for end in ("value", "low", "high")]
    value, low, high = ends
    return Predicted(value, low, high, bound)
