"""Parameters that are known as intervals, or only together with others."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from netmodel._estimates import Bound, Estimate, Predicted
from netmodel._numeric import (
    Floats,
    Quantity,
    maximum,
    minimum,
    require_above,
    require_at_least,
    require_at_most,
    require_one,
)
from netmodel._numpy import np
from netmodel.errors import DomainError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "Bound",
    "Cases",
    "Change",
    "Estimate",
    "Interval",
    "Joint",
    "Parameter",
    "Points",
    "Predicted",
    "Spread",
    "as_known",
    "cases_of",
    "ends_of",
    "is_uncertain",
    "mapped",
    "over_cases",
    "printed_ends_of",
    "quoted_of",
    "require_count",
    "require_parameter",
    "sum_of_predicted",
]

MAX_CASE_COUNT = 65_536
"""Combinations of the sets that one limit depends on; a minute of work for one prediction."""
_BLOCK_ELEMENT_COUNT = 2**18
"""Cases times points that are computed at once: 2 MiB for each number of a limit."""
_LARGEST = 1e300


@dataclass(frozen=True, slots=True)
class Interval:
    """
    A parameter somewhere between two ends, whatever the others are.

    Parameters
    ----------
    value : float
        The one to quote.
    low, high : float
        The ends, which the value may be.
    has_figure : bool
        Whether the value is a figure of the source, and the ends are what it leaves open; else
        the source has the ends alone, and a bound is that of the better one.

    Raises
    ------
    DomainError
        If the value is not between the ends, or one of the three is no finite number.

    Examples
    --------
    >>> Interval(12e-6, 11.5e-6, 12.5e-6).high
    1.25e-05
    """

    value: float
    low: float
    high: float
    has_figure: bool = True

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            require_at_most(name, require_one(name, getattr(self, name)), _LARGEST, "")
        require_at_least("value", self.value, self.low, "")
        require_at_most("value", self.value, self.high, "")


@dataclass(frozen=True, slots=True)
class Joint:
    """
    A parameter that goes together with others: corners of a feasible set, or joint samples.

    Parameters
    ----------
    values : tuple of float or numpy.ndarray
        The one to quote first; arrays of one shape where it differs with what is in arrays of
        that shape, such as numbers of connections. The k-th goes with the k-th of every other
        parameter of the same set.
    of : str
        Name of the set.
    printed_count : int, optional
        How many of them, from the first on, take published figures as printed; the others
        are of their rounding. All when left out; 1 for samples, the first of which is
        the likeliest.

    Raises
    ------
    DomainError
        If there is no value, one is no finite number, or the count is not from 1 to
        the number of values.

    Examples
    --------
    >>> Joint((0.86e-6, 0.47e-6), of="adapter in").values[0]
    8.6e-07
    """

    values: tuple[float | Floats, ...]
    of: str
    printed_count: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not self.values:
            raise DomainError(f"the set {self.of!r} needs at least one value")
        for number, value in enumerate(self.values):
            one = value if isinstance(value, np.ndarray) else require_one(self.of, value)
            require_at_most(f"value {number} of {self.of}", one, _LARGEST, "")
        if self.printed_count is None:
            object.__setattr__(self, "printed_count", len(self.values))
        elif not 1 <= self.printed_count <= len(self.values):
            raise DomainError(
                f"printed_count of {self.of} must be from 1 to {len(self.values)}, the number of "
                f"values; got {self.printed_count}"
            )


Parameter: TypeAlias = Quantity | Interval | Joint
"""What a stage may have in place of a number."""
Change: TypeAlias = Callable[[Parameter, bool], Parameter]
"""From a parameter, and whether more of it slows the path down, to what takes its place."""


class Points(NamedTuple):
    """
    How many predictions are made at once.

    Parameters
    ----------
    rank : int
        Number of axes of all arrays among numbers that are known, broadcast.
    size : int
        Number of predictions.
    """

    rank: int
    size: int

    @classmethod
    def of(cls, parameters: Iterable[Parameter]) -> "Points":
        """Of these numbers and arrays; a set may have arrays too."""
        known = (
            one.values[0] if isinstance(one, Joint) else one
            for one in parameters
            if not isinstance(one, Interval)
        )
        shapes = {np.shape(one) for one in known if type(one) not in (int, float)}
        shape = np.broadcast_shapes(*shapes) if shapes else ()
        return cls(len(shape), math.prod(shape))


_ONE_POINT = Points(0, 1)


@dataclass(frozen=True)
class Cases:
    """
    All combinations of what some uncertain parameters may be, the values to quote first.

    Intervals move together, to the slow ends and to the fast ends: results
    that rise or fall with each parameter have their extremes there. Sets that
    have nothing to do with each other are combined in every way.

    Parameters
    ----------
    sizes : mapping of str to int
        How many values each set has; the intervals are one of three.
    printed_counts : mapping of str to int
        How many of them, from the first on, take published figures as printed.
    rank : int
        Axes of the points, behind the one of the cases.
    """

    sizes: dict[str, int]
    printed_counts: dict[str, int]
    rank: int

    @property
    def count(self) -> int:
        """Number of combinations."""
        return math.prod(self.sizes.values())

    @property
    def are_printed(self) -> "npt.NDArray[np.bool_]":
        """Whether a combination takes all published figures as printed."""
        places = self._places(np.arange(self.count))
        marks = [places[name] < count for name, count in self.printed_counts.items()]
        return np.asarray(np.logical_and.reduce(marks, axis=0))

    def values_of(self, parameter: Parameter, slows: bool) -> Quantity:
        """The values of a parameter in all combinations, along a first axis."""
        return self.picked(np.arange(self.count))(parameter, slows)

    def picked(self, chosen: "npt.NDArray[np.intp]") -> Change:
        """What takes the place of a parameter in these combinations, along a first axis."""
        axes = (len(chosen), *[1] * self.rank)
        return self._at({name: one.reshape(axes) for name, one in self._places(chosen).items()})

    def picked_by_point(self, chosen: "npt.NDArray[np.intp]") -> Change:
        """What takes the place of a parameter where each point has its own combination."""
        return self._at(self._places(chosen))

    def _places(self, chosen: "npt.NDArray[np.intp]") -> "dict[str, npt.NDArray[np.intp]]":
        places = np.unravel_index(chosen, tuple(self.sizes.values()))
        return dict(zip(self.sizes, places, strict=True))

    def _at(self, places: "dict[str, npt.NDArray[np.intp]]") -> Change:
        def values_of(parameter: Parameter, slows: bool) -> Quantity:
            if isinstance(parameter, Interval):
                ends = (parameter.high, parameter.low) if slows else (parameter.low, parameter.high)
                return _picked((parameter.value, *ends), places[_axis_of(parameter)])
            if isinstance(parameter, Joint):
                return _picked(parameter.values, places[parameter.of])
            return parameter

        return values_of


def _picked(values: Sequence[float | Floats], place: "npt.NDArray[np.intp]") -> Quantity:
    """Values at places, which are along a first axis or one for each point."""
    if not np.ndim(place):
        one = values[int(place)]
        return one if np.ndim(one) else float(one)
    several = np.asarray(values)
    if several.ndim == 1:
        return several[place]
    if place.ndim == several.ndim and place.size == len(place):
        return several[place.ravel()]
    index = np.broadcast_to(place, np.broadcast_shapes(place.shape, several.shape[1:]))
    table = np.broadcast_to(several, (len(several), *index.shape))
    return np.take_along_axis(table, index[np.newaxis], axis=0)[0]


_FIGURES, _RANGES = "\0figures", "\0ranges"
"""Names of what all intervals with and without a figure are together, which no set has."""


def _axis_of(interval: Interval) -> str:
    return _FIGURES if interval.has_figure else _RANGES


def cases_of(parameters: Iterable[Parameter], points: Points = _ONE_POINT) -> Cases | None:
    """
    Combinations of uncertain parameters; None where none of them is uncertain.

    Raises
    ------
    DomainError
        If the values of a set differ in number, or there are too many combinations.
    """
    sizes: dict[str, int] = {}
    printed_counts: dict[str, int] = {}
    for one in parameters:
        if isinstance(one, Interval):
            sizes[_axis_of(one)] = 3
            printed_counts[_axis_of(one)] = 1 if one.has_figure else 3
        elif isinstance(one, Joint):
            count = len(one.values)
            if sizes.setdefault(one.of, count) != count:
                raise DomainError(
                    f"the set {one.of!r} has parameters with {sizes[one.of]} and {count} values"
                )
            printed = one.printed_count or count
            printed_counts[one.of] = min(printed, printed_counts.get(one.of, printed))
    if not sizes:
        return None
    found = Cases(sizes, printed_counts, points.rank)
    if found.count > MAX_CASE_COUNT:
        raise DomainError(
            f"one limit depends on {len(sizes)} independent sets of parameters, which make "
            f"{found.count} combinations, and {MAX_CASE_COUNT} are computed at most: give joint "
            "samples of all of them"
        )
    return found


class Spread(NamedTuple):
    """
    A quantity over all combinations of the parameters that it depends on.

    Parameters
    ----------
    predicted : Predicted
        Its value to quote, and its ends.
    other : float or numpy.ndarray
        The opposite end over combinations that take published figures as printed.
    quoted, opposite : callable
        From a parameter to its value in the combination to quote, and in that of `other`.
    """

    predicted: Predicted
    other: Quantity
    quoted: Change
    opposite: Change


def over_cases(
    parameters: Iterable[Parameter],
    points: Points,
    compute: Callable[[Change], Quantity],
    bound: Bound,
) -> Spread:
    """
    A quantity over all combinations of the parameters it depends on, in blocks of bounded size.

    Parameters
    ----------
    parameters : iterable of float, array_like, Interval or Joint
        Those that it depends on.
    points : Points
        Of all arrays that it depends on.
    compute : callable
        From what takes the place of parameters to the quantity, its combinations along
        a first axis.
    bound : Bound
        Which combination to quote: of an upper bound the one with the highest quantity of those
        that take published figures as printed, of a lower bound that with the lowest,
        else the first.

    Raises
    ------
    DomainError
        If there are too many combinations.
    """
    cases = cases_of(parameters, points)
    if cases is None:
        found = compute(as_known)
        return Spread(Predicted(found, found, found, bound), found, as_known, as_known)
    block_size = max(1, _BLOCK_ELEMENT_COUNT // max(points.size, 1))
    are_printed = cases.are_printed
    lows, highs = [], []
    first: Quantity = None
    printed: list[tuple[Quantity, Quantity, Quantity, Quantity]] = []
    for start in range(0, cases.count, block_size):
        chosen = np.arange(start, min(start + block_size, cases.count))
        several = np.asarray(compute(cases.picked(chosen)), dtype=np.float64)
        if several.ndim <= points.rank:
            several = several[np.newaxis]
        first = several[0] if first is None else first
        several = np.broadcast_to(several, (len(chosen), *several.shape[1:]))
        lows.append(several.min(axis=0))
        highs.append(several.max(axis=0))
        kept = np.flatnonzero(are_printed[chosen])
        if kept.size:
            ours = several[kept]
            places = chosen[kept]
            printed.append(
                (ours.min(0), ours.max(0), places[ours.argmin(0)], places[ours.argmax(0)])
            )
    least, least_place = _extreme([(one[0], one[2]) for one in printed], np.less)
    most, most_place = _extreme([(one[1], one[3]) for one in printed], np.greater)
    first_place = np.zeros(np.shape(least_place), dtype=np.intp)
    value, other, place, other_place = {
        Bound.VALUE: (first, first, first_place, first_place),
        Bound.UPPER: (most, least, most_place, least_place),
        Bound.LOWER: (least, most, least_place, most_place),
    }[bound]
    low, high = (_plain(end) for end in (np.min(lows, axis=0), np.max(highs, axis=0)))
    return Spread(
        Predicted(_plain(value), low, high, bound),
        _plain(other),
        cases.picked_by_point(place),
        cases.picked_by_point(other_place),
    )


def _extreme(
    found: "list[tuple[Quantity, Quantity]]", is_further: "Callable[[Quantity, Quantity], Quantity]"
) -> tuple[Quantity, Quantity]:
    """The furthest of the extremes of blocks, and its combination, point by point."""
    value, place = found[0]
    for other, other_place in found[1:]:
        mask = is_further(other, value)
        value, place = np.where(mask, other, value), np.where(mask, other_place, place)
    return value, place


def _plain(value: Quantity) -> Quantity:
    return value if np.ndim(value) else float(value)


def as_known(parameter: Parameter, slows: bool) -> Quantity:
    """The very parameter, which is a number or an array."""
    return parameter


def quoted_of(parameter: Parameter, slows: bool = True) -> Quantity:
    """
    The value to quote of a parameter.

    Parameters
    ----------
    parameter : float, array_like, Interval or Joint
        May be uncertain.
    slows : bool
        Whether more of it slows the path down; for use with `Path.changed`.

    Returns
    -------
    value : float or numpy.ndarray
        The first of a set.

    Examples
    --------
    >>> quoted_of(Interval(2.0, 1.0, 4.0))
    2.0
    """
    if isinstance(parameter, Joint):
        return parameter.values[0]
    return parameter.value if isinstance(parameter, Interval) else parameter


def ends_of(parameter: Parameter) -> tuple[Quantity, Quantity]:
    """
    The least and the most that a parameter may be.

    Parameters
    ----------
    parameter : float, array_like, Interval or Joint
        May be uncertain.

    Returns
    -------
    low, high : float or numpy.ndarray
        Both are the parameter where it is known.

    Examples
    --------
    >>> ends_of(Interval(2.0, 1.0, 4.0))
    (1.0, 4.0)
    """
    if isinstance(parameter, Joint):
        return reduce(minimum, parameter.values), reduce(maximum, parameter.values)
    if isinstance(parameter, Interval):
        return parameter.low, parameter.high
    return parameter, parameter


def printed_ends_of(parameter: Parameter) -> tuple[Quantity, Quantity]:
    """
    The least and the most that a parameter may be, published figures as printed.

    Parameters
    ----------
    parameter : float, array_like, Interval or Joint
        May be uncertain.

    Returns
    -------
    low, high : float or numpy.ndarray
        The figure itself where an interval has one.

    Examples
    --------
    >>> printed_ends_of(Interval(2.0, 1.0, 4.0)), printed_ends_of(Joint((2, 3, 9), "a", 2))
    ((2.0, 2.0), (2, 3))
    """
    if isinstance(parameter, Joint):
        printed = parameter.values[: parameter.printed_count]
        return reduce(minimum, printed), reduce(maximum, printed)
    if isinstance(parameter, Interval) and parameter.has_figure:
        return parameter.value, parameter.value
    return ends_of(parameter)


def sum_of_predicted(several: "Iterable[Predicted]") -> Predicted:
    """Their sum, of parameters that have nothing to do with each other."""
    known = list(several)
    value, low, high = (sum(getattr(one, end) for one in known) for end in ("value", "low", "high"))
    return Predicted(value, low, high, known[0].bound if known else Bound.VALUE)


def mapped(parameter: Parameter, function: Callable[[Quantity], Quantity]) -> Parameter:
    """
    A function of a parameter that rises with it, in all that the parameter may be.

    Parameters
    ----------
    parameter : float, array_like, Interval or Joint
        May be uncertain.
    function : callable
        From a number to a number.

    Returns
    -------
    parameter : float, array_like, Interval or Joint
        Of the same kind.

    Raises
    ------
    DomainError
        If the function does not rise, so that a value is not between its ends.

    Examples
    --------
    >>> mapped(Interval(2.0, 1.0, 4.0), lambda one: one + 1)
    Interval(value=3.0, low=2.0, high=5.0, has_figure=True)
    """
    if isinstance(parameter, Interval):
        ends = (parameter.value, parameter.low, parameter.high)
        value, low, high = (float(function(one)) for one in ends)
        return Interval(value, low, high, parameter.has_figure)
    if isinstance(parameter, Joint):
        values = tuple(function(one) for one in parameter.values)
        return Joint(values, parameter.of, parameter.printed_count)
    return function(parameter)


def require_parameter(name: str, parameter: Parameter, least: float, unit: str) -> Parameter:
    """The parameter, arrays as such; raise DomainError if any of its values is below the least."""
    return _required(require_at_least, name, parameter, least, unit)


def require_count(name: str, parameter: Parameter | None) -> Parameter | None:
    """The same for a count, None for one that is not there; it must be above zero."""
    return None if parameter is None else _required(require_above, name, parameter, 0, "")


def _required(
    require: Callable[[str, Quantity, Quantity, str], Quantity],
    name: str,
    parameter: Parameter,
    limit: float,
    unit: str,
) -> Parameter:
    if isinstance(parameter, Interval):
        require(name, parameter.low, limit, unit)
        return parameter
    if isinstance(parameter, Joint):
        require(name, np.array(parameter.values), limit, unit)
        return parameter
    return require(name, parameter, limit, unit)


def is_uncertain(parameter: Parameter) -> bool:
    """Whether it may be one of several values."""
    return isinstance(parameter, Interval | Joint)
