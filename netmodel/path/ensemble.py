"""Parameters that are known as intervals or only together: each set is an axis of arrays."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import chain
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from netmodel.errors import DomainError
from netmodel.estimates import LEVEL_DEVIATIONS, Bound, Predicted
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    FloatOrArray,
    Floats,
    is_array,
    maximum,
    minimum,
    require_at_least,
    require_at_most,
    require_one,
    require_within,
)
from netmodel.results import fields_repr
from netmodel.text import listed

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_CASE_COUNT = 65_536
"""Combinations of sets that meet in one sum; a minute of work for one prediction."""
_FEW = 100
"""Values of which Python finds the ends before numpy does."""
_KEPT, _LONGEST_KEPT = 16, 4096
"""Times at numbers of connections that are kept: those of a path, for the next part of a sweep; of
as many numbers as a part has points at least, some 400 kB each."""
_INTERVAL_COUNT = 3
"""Values of an interval: the one to quote, the slow end and the fast end."""
_SPREAD_BETWEEN, _SPREAD_BEYOND = 0.18, 0.3
"""
Standard deviation of ln(service time) of one part where connections become e times as many.

Left-out numbers of series of CPU costs have 0.11 for guests and 0.15 for hypervisors where they lie
between measured ones: 90 to 98 % of them are within the range of 0.18. From one measured number to
the next the times change by 0.30 (44 steps of 24 series, 42 of them within the range of 0.3).
"""
LARGEST = 1e290
"""Of a parameter: its product with a message of many terabytes still is a finite float."""


@dataclass(frozen=True)
class Interval:
    """
    A parameter somewhere between two ends, regardless of the others.

    Parameters
    ----------
    value : float or numpy.ndarray
        The one to quote.
    low, high : float or numpy.ndarray
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

    value: FloatOrArray
    low: FloatOrArray
    high: FloatOrArray
    has_figure: bool = True

    def __post_init__(self) -> None:
        names = ("value", "low", "high")
        ends = [getattr(self, name) for name in names]
        if any(map(is_array, ends)):
            ends = [*np.broadcast_arrays(*ends)]
        for name, given in zip(names, ends, strict=True):
            checked = given if is_array(given) else require_one(name, given)
            object.__setattr__(self, name, require_at_most(name, checked, LARGEST, ""))
        require_at_least("value", self.value, self.low, "")
        require_at_most("value", self.value, self.high, "")

    @property
    def values(self) -> tuple[FloatOrArray, ...]:
        """The value to quote, and both ends."""
        return self.value, self.low, self.high

    @property
    def printed_count(self) -> int:
        """Number of values that take a published figure as printed."""
        return 1 if self.has_figure else _INTERVAL_COUNT


@dataclass(frozen=True)
class Joint:
    """
    A parameter that goes together with others: corners of a feasible set, or joint samples.

    Parameters
    ----------
    values : tuple of float or numpy.ndarray, or numpy.ndarray
        The one to quote first; arrays of one shape, or rows of one, where it differs with what is
        in arrays of that shape, such as numbers of connections. The k-th goes with the k-th of
        every other parameter of the same set.
    of : str
        Name of the set.
    printed_count : int, optional
        How many of them, from the first on, take published figures as printed; the others
        are of their rounding. All when left out; 1 for samples, the first of which is
        the likeliest.
    by_count : tuple of (int, tuple of float, int)
        Numbers of connections that it is known for, rising; with each what it may be then, and how
        many of that take figures as printed. Its values are those of all numbers.
    at : numpy.ndarray of int, optional
        Of values in columns, which of them each prediction has.

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

    values: Any
    of: str
    printed_count: int | None = None
    by_count: tuple[tuple[int, tuple[float, ...], int], ...] = ()
    at: Any = 0

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        if not len(self.values):
            raise DomainError(f"the set {self.of!r} needs at least one value")
        for number, value in enumerate([self.values] if is_array(self.values) else self.values):
            checked = value if is_array(value) else require_one(self.of, value)
            require_at_most(f"value {number} of {self.of}", checked, LARGEST, "")
        if self.printed_count is None:
            object.__setattr__(self, "printed_count", len(self.values))
        else:
            name = f"printed_count of {self.of}"
            require_within(name, self.printed_count, 1, len(self.values), "")


Parameter: TypeAlias = FloatOrArray | Interval | Joint
"""What a stage may have in place of a number."""
OPEN = (Interval, Joint)
"""Parameters that are no numbers."""

_FIGURES, _RANGES = 0, 1
"""Ensemble of all intervals with and without a figure, which move to their slow ends together."""


class Spread(NamedTuple):
    """
    A quantity over all values that its parameters may have together.

    Parameters
    ----------
    quoted : float or numpy.ndarray
        With the first value of each set.
    least, most : float or numpy.ndarray
        Ends of the values that take published figures as printed.
    low, high : float or numpy.ndarray
        Ends of all values.
    """

    quoted: FloatOrArray
    least: FloatOrArray
    most: FloatOrArray
    low: FloatOrArray
    high: FloatOrArray

    @classmethod
    def of(cls, value: FloatOrArray) -> "Spread":
        """Return the spread of a known quantity."""
        return cls(value, value, value, value, value)

    def by_end(
        self, combine: Callable[[FloatOrArray, FloatOrArray], FloatOrArray], other: "Spread"
    ) -> "Spread":
        """Combine two spreads by an increasing function, end by end."""
        if self.low is self.high and other.low is other.high:  # nothing is open
            return Spread.of(combine(self.quoted, other.quoted))
        if all(each.least is each.low and each.most is each.high for each in (self, other)):
            quoted, low, high = map(combine, self[:3], other[:3])
            return Spread(quoted, low, high, low, high)
        return Spread(*map(combine, self, other))

    def over(self, time: "Spread") -> "Spread":
        """Return a capacity over the time spent of it: the least over the most, and so on."""
        quoted, least, most, low, high = time
        return self.by_end(per_second, Spread(quoted, most, least, high, low))

    def predicted(self, bound: Bound = Bound.VALUE) -> Predicted:
        """Return the quoted value of a bound, or of the figure itself, with both ends."""
        bounds = self.least if bound is Bound.LOWER else self.most
        value = self.quoted if bound is Bound.VALUE else bounds
        return Predicted(value, self.low, self.high, bound)


def joined(
    combine: Callable[[FloatOrArray, FloatOrArray], FloatOrArray], spreads: Iterable[Spread]
) -> Spread:
    """Combine all spreads by an increasing function, end by end."""
    return reduce(lambda one, other: one.by_end(combine, other), spreads)


def per_second(count: FloatOrArray, time_s: FloatOrArray) -> FloatOrArray:
    """Return a rate; infinite where nothing takes time."""
    if not is_array(time_s):
        return count / time_s if time_s else count * math.inf
    with np.errstate(divide="ignore"):
        return count / time_s


@lru_cache
def _sets_of(shape: tuple[int, ...], rank: int) -> frozenset[int]:
    sizes = shape[: max(len(shape) - rank, 0)]
    return frozenset(axis for axis, size in enumerate(sizes) if size > 1 and axis > _RANGES)


class Ensemble:
    """
    The sets of a path, each an axis in front of those of the predictions that are made at once.

    Intervals move together, to the slow ends and to the fast ends: results that rise or fall
    with each parameter have their extremes there. Sets that have nothing in common are
    combined in all ways.

    Parameters
    ----------
    parameters : iterable of float, array_like, Interval or Joint
        Everything that a path and its traffic are made of.

    Raises
    ------
    DomainError
        If the values of a set differ in number.
    """

    def __init__(self, parameters: Iterable[Parameter]) -> None:
        known = tuple(parameters)
        shapes = {np.shape(x) for x in map(quoted_of, known) if type(x) not in (int, float)}
        self.shape = np.broadcast_shapes(*shapes) if shapes else ()
        """Shape of all predictions that are made at once."""
        self.rank, self.size = len(self.shape), math.prod(self.shape)
        sets: dict[str, list[Joint]] = {}
        for each in known:
            if isinstance(each, Joint):
                sets.setdefault(each.of, []).append(each)
        for of, members in sets.items():
            sizes = [*dict.fromkeys(len(each.values) for each in members)]
            if len(sizes) > 1:
                raise DomainError(
                    f"the set {of!r} has parameters with {sizes[0]} and {sizes[1]} values"
                )
        self._places = {of: place for place, of in enumerate(sets, _RANGES + 1)}
        printed = (min(each.printed_count or 1 for each in members) for members in sets.values())
        self._as_printed = tuple(map(slice, (1, _INTERVAL_COUNT, *printed)))
        counts = (len(members[0].values) for members in sets.values())
        self._sizes = [_INTERVAL_COUNT, _INTERVAL_COUNT, *counts]

    def array(self, parameter: Parameter, slows: bool) -> FloatOrArray:
        """Return a parameter with all its values along the axis of its set."""
        if not isinstance(parameter, OPEN):
            return parameter
        known = _values_of(parameter)
        if isinstance(parameter, Joint):
            place = self._places[parameter.of]
        else:
            place = _FIGURES if parameter.has_figure else _RANGES
            known = (known[0], *reversed(known[1:])) if slows else known
        values: Floats = np.asarray(known, dtype=float)
        shape = [1] * (len(self._sizes) + self.rank)
        shape[place] = len(values)
        for axis in range(1, values.ndim):
            shape[axis - values.ndim] = values.shape[axis]
        return values.reshape(shape)

    def spread(self, values: FloatOrArray, more: int = 0) -> Spread:
        """Return the ends of a quantity over all axes of sets."""
        # a number has no axis, and loads no numpy
        rank, count = self.rank + more, getattr(values, "ndim", 0) - self.rank - more
        if count <= 0:
            return Spread.of(values)
        many = np.asarray(values)
        printed = many[self._as_printed]
        if not rank and many.size < _FEW:
            every, some = many.ravel().tolist(), printed.ravel().tolist()
            return Spread(every[0], min(some), max(some), min(every), max(every))
        axes = tuple(range(count))
        of_all = many.min(axes), many.max(axes)
        of_printed = (printed.min(axes), printed.max(axes)) if printed.size < many.size else of_all
        # a copy of the first, which keeps the others out of memory
        ends = (many[(0,) * count].copy(), *of_printed, *of_all)
        return Spread(*ends) if rank else Spread(*map(float, ends))

    def sets_of(self, quantity: FloatOrArray, more: int = 0) -> frozenset[int]:
        """Return the axes of the sets behind a quantity; ends of intervals move together."""
        return _sets_of(getattr(quantity, "shape", ()), self.rank + more)

    def apart(self, quantities: Iterable[frozenset[int]]) -> list[list[int]]:
        """Group the indices of quantities so that no two groups share a set."""
        groups: dict[frozenset[int], list[int]] = {}
        for place, own in enumerate(quantities):
            meeting = [axes for axes in groups if axes == own or not axes.isdisjoint(own)]
            together = own.union(*meeting)
            count = math.prod(self._sizes[axis] for axis in together) if meeting else 1
            if count > MAX_CASE_COUNT:
                many = f"sets of one limit make {count} combinations, above {MAX_CASE_COUNT}"
                raise DomainError(f"{many}: give joint samples of all")
            groups[together] = [*chain.from_iterable(map(groups.pop, meeting)), place]
        return [*groups.values()]

    def total(self, parts: Iterable[FloatOrArray], more: int = 0) -> Spread:
        """Return the ends of a sum; those of parts that share no set add up."""
        alike: dict[frozenset[int], list[FloatOrArray]] = {}
        for part in parts:
            alike.setdefault(self.sets_of(part, more), []).append(part)
        sets = [*alike]
        # one sum at a time, and its parts no longer than that, which takes less memory
        groups = ([reduce(add, alike.pop(sets[x])) for x in group] for group in self.apart(sets))
        added = (reduce(add, group) for group in groups)
        return joined(add, [self.spread(each, more) for each in added] or [Spread.of(0)])

    def cases(self, *values: FloatOrArray) -> tuple[list[Floats], "npt.NDArray[np.bool_]"]:
        """
        Return the quantities of one prediction in each case, the quoted one first.

        The second result says whether a case takes all published figures as printed.
        """
        arrays = np.broadcast_arrays(*(np.asarray(value, dtype=float) for value in values))
        are_printed = np.zeros(arrays[0].shape, dtype=bool)
        are_printed[self._as_printed[: are_printed.ndim]] = True
        return [each.ravel() for each in arrays], are_printed.ravel()


def quoted_of(parameter: Parameter) -> FloatOrArray:
    """
    Return the value to quote of a parameter.

    Parameters
    ----------
    parameter : float, array_like, Interval or Joint
        May be uncertain.

    Returns
    -------
    value : float or numpy.ndarray
        The first of a set.

    Examples
    --------
    >>> quoted_of(Interval(2.0, 1.0, 4.0))
    2.0
    """
    return _values_of(parameter, 1)[0] if isinstance(parameter, OPEN) else parameter


def _values_of(parameter: Any, count: int | None = None) -> Any:
    """Return the values of a parameter in each prediction, or the first of them."""
    values, at = parameter.values[:count], getattr(parameter, "at", 0)
    return values.take(at, axis=1) if is_array(at) else values


def ends_of(parameter: Parameter, as_printed: bool = False) -> tuple[FloatOrArray, FloatOrArray]:
    """
    Return the smallest and the largest value of a parameter.

    Parameters
    ----------
    parameter : float, array_like, Interval or Joint
        May be uncertain.
    as_printed : bool
        Whether published figures are as printed.

    Returns
    -------
    low, high : float or numpy.ndarray
        Both are the parameter where it is known, and the figure of an interval as printed.

    Examples
    --------
    >>> ends_of(Interval(2.0, 1.0, 4.0)), ends_of(Joint((2, 3, 9), "a", 2), as_printed=True)
    ((1.0, 4.0), (2, 3))
    """
    if not isinstance(parameter, OPEN):
        return parameter, parameter
    values = _values_of(parameter, parameter.printed_count if as_printed else None)
    return reduce(minimum, values), reduce(maximum, values)


def mapped(parameter: Parameter, function: Callable[[FloatOrArray], FloatOrArray]) -> Parameter:
    """
    Apply an increasing function to all values of a parameter.

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
        value, low, high = map(function, parameter.values)
        return Interval(value, low, high, parameter.has_figure)
    if isinstance(parameter, Joint):
        values = tuple(map(function, _values_of(parameter)))
        return Joint(values, parameter.of, parameter.printed_count)
    return function(parameter)


def require_parameter(
    name: str,
    parameter: Parameter,
    limit: float,
    unit: str,
    require: Callable[[str, FloatOrArray, float, str], FloatOrArray] = require_at_least,
) -> Parameter:
    """Return the parameter; raise DomainError if any of its values is below the limit."""
    low = reduce(minimum, parameter.values) if isinstance(parameter, OPEN) else parameter
    checked = require(name, low, limit, unit)
    return parameter if isinstance(parameter, OPEN) else checked


def is_nothing(value: object) -> bool:
    """Return True for the number 0, not for an array that may have zeros."""
    return type(value) in (int, float) and value == 0


def is_one(value: object) -> bool:
    """Return True for the whole number 1, not for a measured one or an array."""
    return type(value) is int and value == 1


def require_a(name: str, value: object, wanted: type, advice: str = "") -> None:
    """Raise DomainError if the value is no object of a class; the advice says how to make one."""
    if not isinstance(value, wanted):
        got = repr(value) if isinstance(value, str | int | float) else type(value).__name__
        article = "an" if wanted.__name__[0] in "AEIOU" else "a"
        text = f"{name} must be {article} {wanted.__name__}; got {got}"
        raise DomainError(text + (advice and f": {advice}"))


# ---- By the number of connections


def at_count(known: Parameter, connection_count: Any, at: Any = 0) -> Parameter:
    r"""
    Return a parameter at this number of connections, or at each of several.

    Parameters
    ----------
    known : float, array_like, Interval or Joint
        The same with all numbers of connections, or a set for several.
    connection_count : float or tuple of float, optional
        Every value that it may have where their number is not known.
    at : numpy.ndarray of int, optional
        Which of these numbers each prediction has; each its own when left out.

    Notes
    -----
    Between two measured numbers the logarithm of the time to quote is linear in that of the number.
    Costs that fall by amortisation lie on such lines, and below lines in the time itself. Below
    the first and above the last number the time is that of the nearest.

    Around either, the set has what a series of costs was measured to deviate, 19 times in 20:

    .. math:: \ln t \pm 1.96 \sqrt{v}, \qquad
        v = 0.18^2 \frac{u_1 u_2}{u_1 + u_2} \text{ between}, \quad 0.3^2 u \text{ beyond}

    with :math:`u` the logarithms of the quotients to the measured numbers: a random walk that the
    measured numbers fix.

    Examples
    --------
    >>> (known,) = joint_by_connections("cpu", {10: [(2e-6,)], 50: [(1e-6,)]}, 10)
    >>> at_count(known, 10), at_count(known, 50)
    (2e-06, 1e-06)

    Half way from 10 to 50, by logarithms, the first is the value to quote:

    >>> [round(float(time_s) * 1e6, 2) for time_s in at_count(known, 500**0.5).values[:3]]
    [1.41, 1.13, 1.77]
    """

    if not isinstance(known, Joint) or not known.by_count:
        return known
    if connection_count is None:
        return _open(known, known.values, known.printed_count, at)
    is_long = isinstance(connection_count, tuple) and len(connection_count) > _LONGEST_KEPT
    values_at = _values_at.__wrapped__ if is_long else _values_at
    return _open(known, *values_at(known.by_count, connection_count), at)


@lru_cache(_KEPT)
def _values_at(by_count: tuple[Any, ...], connection_count: Any) -> tuple[Any, int]:
    """Return values at these numbers of connections, and how many take figures as printed."""
    counts, rows, printed_counts = zip(*by_count, strict=True)
    if connection_count in counts:
        place = counts.index(int(connection_count))
        return rows[place], printed_counts[place]
    # (1) the measured numbers around, beyond all the nearest twice, and the band around both
    asked, last, logs = np.asarray(connection_count), len(counts) - 1, np.log(counts)
    lower = np.maximum(np.searchsorted(counts, asked, side="right") - 1, 0)
    upper = np.minimum(np.searchsorted(counts, asked), last)
    below, above = (np.abs(np.log(asked) - logs[place]) for place in (lower, upper))
    is_between = lower < upper
    step = np.where(is_between, below + above, 1.0)
    variance = below * np.where(is_between, _SPREAD_BETWEEN**2 * above / step, _SPREAD_BEYOND**2)
    band = np.exp(LEVEL_DEVIATIONS * np.sqrt(variance))
    power = np.where(is_between, below, 0.0) / step
    # (2) figures with each number, those as printed first; gaps are filled with the first value
    pairs = [*zip(rows, printed_counts, strict=True)]
    most, more = max(printed_counts), max(len(row) - n for row, n in pairs)
    padded = (
        [*row[:n], *row[:1] * (most - n), *row[n:], *row[:1] * (more + n - len(row))]
        for row, n in pairs
    )
    firsts, *_ = figures = np.array([*padded]).T
    # (3) the value to quote
    tiny = np.finfo(float).tiny  # what is less has no ratio to it: 1 over it is no float

    def ratio(over: Floats, under: Floats) -> Floats:
        is_some = (over >= tiny) & (under >= tiny)
        return np.divide(over, under, out=np.ones(band.shape), where=is_some)

    quoted = firsts[lower] * ratio(firsts[upper], firsts[lower]) ** power
    # (4) what rounding leaves open at both neighbours, in proportion to the value to quote
    left = [figures[:, x] * ratio(quoted, firsts[x]) for x in (lower, upper)]
    printed = [np.stack([quoted, quoted / band, quoted * band]), *(x[:most] for x in left)]
    of_each = np.concatenate([*printed, *(x[most:] for x in left)])
    of_each.flags.writeable = False  # it is kept, and shared
    return of_each if band.ndim else of_each.tolist(), 3 + 2 * most


def _open(known: Joint, values: Any, printed_count: int | None, at: Any) -> Parameter:
    """Return a set of this name with the values, each prediction's own; one alone is a number."""
    rows = np.asarray(values, dtype=np.float64)
    if (rows != rows[0]).any():
        return Joint(values, known.of, printed_count, at=at)
    first: FloatOrArray = values[0][at] if is_array(at) else values[0]
    return first


def joint_by_connections(
    of: str,
    known: Mapping[int, Sequence[tuple[float, ...]]],
    quoted: int,
    printed_counts: Sequence[int] = (),
) -> tuple[Joint, ...]:
    """
    Return parameters that go together, from their values at several numbers of connections.

    Parameters
    ----------
    of : str
        Name of the set.
    known : mapping of int to sequence of tuple of float
        By the number of connections the points that are possible, the one to quote first.
    quoted : int
        The number to quote where none is given.
    printed_counts : sequence of int
        With each number, how many of its points, from the first on, take published figures
        as printed; all of them when left out.

    Returns
    -------
    parameters : tuple of Joint
        As many as a point has coordinates.
    """
    counts = tuple(printed_counts) or tuple(map(len, known.values()))
    pairs = [*zip(known.values(), counts, strict=True)]
    printed = [known[quoted][0], *chain.from_iterable(points[:count] for points, count in pairs)]
    every = [*printed, *chain.from_iterable(points[count:] for points, count in pairs)]
    of_number = zip(*(zip(*points, strict=True) for points in known.values()), strict=True)
    return tuple(
        Joint(values, of, len(printed), tuple(zip(known, values_at, counts, strict=True)))
        for values, values_at in zip(zip(*every, strict=True), of_number, strict=True)
    )


def connection_notes(
    places: Mapping[tuple[int, ...], Sequence[str]], connection_count: FloatOrArray | None
) -> Iterator[str]:
    """
    Yield notes on times at this number of connections.

    Parameters
    ----------
    places : dict of tuple of int to sequence of str
        Numbers of connections that times were measured with, and the stages that have them.
    connection_count : float or array_like, optional
        The number asked for.
    """
    for counts, names in places.items():
        stages, measured = ", ".join(names), listed(counts)
        if connection_count is None:
            quoted = counts[(len(counts) - 1) // 2]
            cost = f"CPU cost of {stages} is that with {quoted} of {measured}"
            yield f"connections not specified: {cost}"
            continue
        asked = np.asarray(connection_count)
        is_inside = (asked >= counts[0]) & (asked <= counts[-1])
        if np.any(is_inside & ~np.isin(asked, counts)):
            yield f"{stages}: interpolated between times measured with {measured} connections"
        if not np.all(is_inside):
            yield f"extrapolation: {stages} measured with {measured} connections; the nearest holds"
