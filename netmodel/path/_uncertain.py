"""Parameters that are known as intervals, or only together with others."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from netmodel.errors import DomainError
from netmodel.estimates import Bound, Predicted
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    FloatOrArray,
    Floats,
    QuantityLike,
    is_array,
    maximum,
    minimum,
    require_above,
    require_at_least,
    require_at_most,
    require_one,
)
from netmodel.results import fields_repr

if TYPE_CHECKING:
    import numpy.typing as npt

    Places: TypeAlias = npt.NDArray[np.intp]

MAX_CASE_COUNT = 65_536
"""Combinations of the sets that one limit depends on; a minute of work for one prediction."""
_FEW_CASES = 32
"""Combinations that take less time one by one than as an array; numpy takes as long to load as
some thousands of them."""
_BLOCK_ELEMENT_COUNT = 2**18
"""Cases times points that are computed at once: 2 MiB for each number of a limit."""
LARGEST = 1e300
"""Of a parameter: its product with a message of many terabytes still is a finite float."""


@dataclass(frozen=True, slots=True)
class Interval:
    """
    A parameter somewhere between two ends, regardless of the others.

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
            require_at_most(name, require_one(name, getattr(self, name)), LARGEST, "")
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

    values: tuple[FloatOrArray, ...]
    of: str
    printed_count: int | None = None

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        if not self.values:
            raise DomainError(f"the set {self.of!r} needs at least one value")
        for number, value in enumerate(self.values):
            checked = value if is_array(value) else require_one(self.of, value)
            require_at_most(f"value {number} of {self.of}", checked, LARGEST, "")
        if self.printed_count is None:
            object.__setattr__(self, "printed_count", len(self.values))
        elif not 1 <= self.printed_count <= len(self.values):
            raise DomainError(
                f"printed_count of {self.of} must be from 1 to {len(self.values)}, the number of "
                f"values; got {self.printed_count}"
            )


Parameter: TypeAlias = FloatOrArray | Interval | Joint
"""What a stage may have in place of a number."""
ParameterLike: TypeAlias = QuantityLike | Interval | Joint
"""What such a parameter may be made from."""
Replacement: TypeAlias = Callable[[Parameter, bool], Parameter]
"""From a parameter, and whether more of it slows the path down, to what takes its place."""
ValueOf: TypeAlias = Callable[[Parameter, bool], FloatOrArray]
"""The same where that is a number or an array."""
Column: TypeAlias = tuple[float, ...]
"""A quantity in each combination of what parameters may be."""
InCases: TypeAlias = tuple[tuple[Column, ...], tuple[bool, ...]]
"""Some of them, and whether a combination takes all published figures as printed."""


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
            value.values[0] if isinstance(value, Joint) else value
            for value in parameters
            if not isinstance(value, Interval)
        )
        shapes = {np.shape(item) for item in known if type(item) not in (int, float)}
        shape = np.broadcast_shapes(*shapes) if shapes else ()
        return cls(len(shape), math.prod(shape))


_ONE_POINT = Points(0, 1)
_INTERVAL_VALUES = 3
"""The value to quote, the slow end and the fast end, which all intervals take together."""
_FIGURES, _RANGES = "\0figures", "\0ranges"
"""Names of what all intervals with and without a figure are together, which no set has."""


@dataclass(frozen=True)
class Cases:
    """
    All combinations of what some uncertain parameters may be, the values to quote first.

    Intervals move together, to the slow ends and to the fast ends: results
    that rise or fall with each parameter have their extremes there. Sets that
    have nothing in common are combined in all ways.

    Parameters
    ----------
    sizes : mapping of str to int
        How many values each set has; the intervals are one of three.
    printed_counts : mapping of str to int
        How many of them, from the first on, take published figures as printed.
    count : int
        Number of combinations.
    rank : int
        Axes of the points, behind the one of the cases.
    """

    sizes: dict[str, int]
    printed_counts: dict[str, int]
    count: int
    rank: int

    @property
    def are_printed(self) -> "npt.NDArray[np.bool_]":
        """Whether a combination takes all published figures as printed."""
        places = np.unravel_index(np.arange(self.count), tuple(self.sizes.values()))
        marks = [
            place < self.printed_counts[name]
            for name, place in zip(self.sizes, places, strict=True)
        ]
        return np.asarray(np.logical_and.reduce(marks, axis=0))

    def values_of(self, parameter: Parameter, slows: bool) -> FloatOrArray:
        """The values of a parameter in all combinations, along a first axis."""
        return self.values_in(np.arange(self.count).reshape(-1, *[1] * self.rank))(parameter, slows)

    def values_in(self, chosen: "Places") -> ValueOf:
        """What takes the place of a parameter in combinations: along a first axis, or by point."""
        numbers = np.unravel_index(chosen, tuple(self.sizes.values()))
        return self._values_at(dict(zip(self.sizes, numbers, strict=True)))

    def one_by_one(self) -> Iterator[tuple[ValueOf, bool]]:
        """
        Each combination, and whether it takes all published figures as printed.

        What takes the place of a parameter is a number.
        """
        for numbers in product(*map(range, self.sizes.values())):
            places = dict(zip(self.sizes, numbers, strict=True))
            is_printed = all(place < self.printed_counts[of] for of, place in places.items())
            yield self._values_at(places), is_printed

    def _values_at(self, places: "Mapping[str, int | Places]") -> ValueOf:
        """What takes the place of a parameter at these places of each set."""

        def value_of(parameter: Parameter, slows: bool) -> FloatOrArray:
            if isinstance(parameter, Interval):
                ends = (parameter.high, parameter.low) if slows else (parameter.low, parameter.high)
                values: Sequence[FloatOrArray] = (parameter.value, *ends)
                place = places[_FIGURES if parameter.has_figure else _RANGES]
            elif isinstance(parameter, Joint):
                values, place = parameter.values, places[parameter.of]
            else:
                return parameter
            if isinstance(place, int):
                return float(values[place])
            if not np.ndim(place):
                chosen_value = values[int(place)]
                return chosen_value if np.ndim(chosen_value) else float(chosen_value)
            table = np.asarray(values)
            if table.ndim == 1:
                return table[place]
            if place.ndim == table.ndim and place.size == len(place):
                return table[place.ravel()]
            # values that differ from point to point, at places that do so too
            index = np.broadcast_to(place, np.broadcast_shapes(place.shape, table.shape[1:]))
            table = np.broadcast_to(table, (len(table), *index.shape))
            by_point: Floats = np.take_along_axis(table, index[np.newaxis], axis=0)[0]
            return by_point

        return value_of


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
    for value in parameters:
        if isinstance(value, Interval):
            # of a figure the value is as printed, of a range all three are
            sizes[_FIGURES if value.has_figure else _RANGES] = _INTERVAL_VALUES
            printed = 1 if value.has_figure else _INTERVAL_VALUES
            printed_counts[_FIGURES if value.has_figure else _RANGES] = printed
        elif isinstance(value, Joint):
            count = len(value.values)
            if sizes.setdefault(value.of, count) != count:
                raise DomainError(
                    f"the set {value.of!r} has parameters with {sizes[value.of]} and {count} values"
                )
            printed = value.printed_count or count
            printed_counts[value.of] = min(printed, printed_counts.get(value.of, printed))
    if not sizes:
        return None
    result = Cases(sizes, printed_counts, math.prod(sizes.values()), points.rank)
    if result.count > MAX_CASE_COUNT:
        raise DomainError(
            f"one limit depends on {len(sizes)} independent sets of parameters, which make "
            f"{result.count} combinations, and {MAX_CASE_COUNT} are computed at most: give joint "
            "samples of all of them"
        )
    return result


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
    other: FloatOrArray
    quoted: ValueOf
    opposite: ValueOf


def over_cases(
    parameters: Iterable[Parameter],
    points: Points,
    compute: Callable[[ValueOf], FloatOrArray],
    bound: Bound,
    *,
    at_once: bool = False,
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
    at_once : bool
        Whether it is computed for all combinations alike; what a path does without where a time
        is 0 differs between them. Few are else computed one by one.

    Raises
    ------
    DomainError
        If there are too many combinations.
    """
    cases = cases_of(parameters, points)
    if cases is None:
        known = compute(quoted_of)
        return Spread(Predicted(known, known, known, bound), known, quoted_of, quoted_of)
    if not at_once and not points.rank and cases.count <= _FEW_CASES:
        return _over_few_cases(cases, compute, bound)
    # (1) extremes of each block: of all combinations, and of those with figures as printed
    are_printed = cases.are_printed
    block_size = max(1, _BLOCK_ELEMENT_COUNT // max(points.size, 1))
    first: Floats | None = None
    extremes: list[tuple[Floats, Floats]] = []
    printed: list[tuple[Floats, Floats, Places, Places]] = []
    for start in range(0, cases.count, block_size):
        chosen = np.arange(start, min(start + block_size, cases.count))
        along_axis = chosen.reshape(-1, *[1] * points.rank)
        block = np.asarray(compute(cases.values_in(along_axis)), dtype=np.float64)
        if block.ndim <= points.rank:
            block = block[np.newaxis]
        first = block[0] if first is None else first
        block = np.broadcast_to(block, (len(chosen), *block.shape[1:]))
        extremes.append((block.min(axis=0), block.max(axis=0)))
        kept = np.flatnonzero(are_printed[chosen])
        if kept.size:
            ours, numbers = block[kept], chosen[kept]
            smallest, largest = ours.argmin(axis=0), ours.argmax(axis=0)
            printed.append(
                (ours.min(axis=0), ours.max(axis=0), numbers[smallest], numbers[largest])
            )
    # (2) extremes of all blocks, and the combination that makes each, point by point
    least, most, least_case, most_case = printed[0]
    for low, high, low_case, high_case in printed[1:]:
        is_less, is_more = np.less(low, least), np.greater(high, most)
        least, least_case = np.where(is_less, low, least), np.where(is_less, low_case, least_case)
        most, most_case = np.where(is_more, high, most), np.where(is_more, high_case, most_case)
    first_case = np.zeros(np.shape(least_case), dtype=np.intp)
    # (3) the side to quote
    assert first is not None
    sides: dict[Bound, tuple[Floats, Floats, Places, Places]] = {
        Bound.VALUE: (first, first, first_case, first_case),
        Bound.UPPER: (most, least, most_case, least_case),
        Bound.LOWER: (least, most, least_case, most_case),
    }
    value, other, case, other_case = sides[bound]
    lows, highs = zip(*extremes, strict=True)
    quoted, lowest, highest, opposite = (
        end if np.ndim(end) else float(end)
        for end in (value, np.min(lows, axis=0), np.max(highs, axis=0), other)
    )
    return Spread(
        Predicted(quoted, lowest, highest, bound),
        opposite,
        cases.values_in(case),
        cases.values_in(other_case),
    )


def _over_few_cases(
    cases: Cases, compute: Callable[[ValueOf], FloatOrArray], bound: Bound
) -> Spread:
    """The same with one number after the other, which takes no numpy and gives the same digits."""
    values_of, are_printed = zip(*cases.one_by_one(), strict=True)
    values = [float(compute(value_of)) for value_of in values_of]
    printed = [place for place, is_printed in enumerate(are_printed) if is_printed]
    least, most = (choose(printed, key=values.__getitem__) for choose in (min, max))
    quoted, opposite = {
        Bound.VALUE: (0, 0),
        Bound.UPPER: (most, least),
        Bound.LOWER: (least, most),
    }[bound]
    return Spread(
        Predicted(values[quoted], min(values), max(values), bound),
        values[opposite],
        values_of[quoted],
        values_of[opposite],
    )


def columns_of_cases(
    parameters: Iterable[Parameter], compute: Callable[[ValueOf], tuple[FloatOrArray, ...]]
) -> InCases:
    """
    Some quantities of one prediction in each combination of the parameters they depend on.

    Parameters
    ----------
    parameters : iterable of float, Interval or Joint
        Those that they depend on.
    compute : callable
        From what takes the place of parameters to the quantities.

    Returns
    -------
    columns : tuple of tuple of float
        Each quantity in all combinations, that to quote first; one where nothing is uncertain.
    are_printed : tuple of bool
        Whether a combination takes all published figures as printed.

    Raises
    ------
    DomainError
        If there are too many combinations.

    Examples
    --------
    >>> time_s = Interval(2e-6, 1e-6, 4e-6)
    >>> columns_of_cases([time_s], lambda value_of: (value_of(time_s, True), 8.0))
    (((2e-06, 4e-06, 1e-06), (8.0, 8.0, 8.0)), (True, False, False))
    """
    cases = cases_of(parameters)
    if cases is None:
        return tuple((float(value),) for value in compute(quoted_of)), (True,)
    if cases.count <= _FEW_CASES:
        values_of, are_printed = zip(*cases.one_by_one(), strict=True)
        rows = [tuple(map(float, compute(value_of))) for value_of in values_of]
        return tuple(zip(*rows, strict=True)), are_printed
    values = [np.asarray(value, dtype=np.float64) for value in compute(cases.values_of)]
    columns = [np.broadcast_to(value, cases.count).tolist() for value in values]
    return tuple(map(tuple, columns)), tuple(cases.are_printed.tolist())


def quoted_of(parameter: Parameter, slows: bool = True) -> FloatOrArray:
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


def ends_of(parameter: Parameter) -> tuple[FloatOrArray, FloatOrArray]:
    """
    The smallest and the largest value of a parameter.

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


def printed_ends_of(parameter: Parameter) -> tuple[FloatOrArray, FloatOrArray]:
    """
    The smallest and the largest value of a parameter, published figures as printed.

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


def mapped(parameter: Parameter, function: Callable[[FloatOrArray], FloatOrArray]) -> Parameter:
    """
    A function of a parameter that rises with it, over all values that the parameter may have.

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
    >>> mapped(Interval(2.0, 1.0, 4.0), lambda value: value + 1)
    Interval(value=3.0, low=2.0, high=5.0, has_figure=True)
    """
    if isinstance(parameter, Interval):
        ends = (parameter.value, parameter.low, parameter.high)
        value, low, high = (float(function(end)) for end in ends)
        return Interval(value, low, high, parameter.has_figure)
    if isinstance(parameter, Joint):
        values = tuple(function(value) for value in parameter.values)
        return Joint(values, parameter.of, parameter.printed_count)
    return function(parameter)


def require_parameter(
    name: str,
    parameter: Parameter,
    limit: float,
    unit: str,
    require: Callable[[str, FloatOrArray, float, str], FloatOrArray] = require_at_least,
) -> Parameter:
    """The parameter, arrays as such; raise DomainError if any of its values is below the limit."""
    if isinstance(parameter, Interval):
        require(name, parameter.low, limit, unit)
        return parameter
    if isinstance(parameter, Joint):
        try:
            for value in parameter.values:
                require(name, value, limit, unit)
        except DomainError:  # which says at what place
            require(name, np.array(parameter.values), limit, unit)
        return parameter
    return require(name, parameter, limit, unit)


def require_count(name: str, count: Parameter | None) -> Parameter | None:
    """The same for a count, None for one that is not there; it must be above zero."""
    return None if count is None else require_parameter(name, count, 0, "", require_above)


def is_nothing(value: object) -> bool:
    """Whether it is the number 0, not an array that may have zeros."""
    return type(value) in (int, float) and value == 0


def is_one(value: object) -> bool:
    """Whether it is the whole number 1, not one that was measured or an array."""
    return type(value) is int and value == 1


def require_a(name: str, value: object, wanted: type, advice: str = "") -> None:
    """Raise DomainError if the value is no object of a class; the advice says how to make one."""
    if not isinstance(value, wanted):
        got = repr(value) if isinstance(value, str | int | float) else type(value).__name__
        article = "an" if wanted.__name__[0] in "AEIOU" else "a"
        raise DomainError(
            f"{name} must be {article} {wanted.__name__}; got {got}" + (advice and f": {advice}")
        )
