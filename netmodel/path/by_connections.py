"""Parameters that differ with how many connections there are, and what is known of any number."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from netmodel.estimates import LEVEL_DEVIATIONS
from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray, Floats
from netmodel.path.ensemble import Joint, Parameter
from netmodel.text import listed

if TYPE_CHECKING:
    import numpy.typing as npt

    Places: TypeAlias = npt.NDArray[np.intp]

_SLOPE_KEPT_ABOVE = 0.5
"""
Part of the last slope, d ln(time) / d ln(connections), that goes on above the measured numbers.

Of series of CPU costs the next numbers were predicted from the first ones, with 0, 1/4, 1/2, 3/4
and all of the slope: errors are least between 1/2 and 3/4, and unbiased at 1/2. Of fewer
connections than measured they are least with all of it.
"""
_STEEPEST_SLOPE = 1.0
"""
Of ln(time) over ln(connections) beyond the measured numbers, down and up.

A time that falls faster than that would let more connections take less CPU time in all; one that
rises faster would take more than work that each connection causes for each other.
"""
_SPREAD_PER_STEP = 0.18
"""
Standard deviation of ln(service time) of one part where connections become e times as many.

Errors of the predictions above have 0.16 for guests and 0.22 for hypervisors, 0.11 and 0.15 between
measured numbers. With 0.18, 90 to 98 % of left-out costs and parts are within the ranges.
"""


@dataclass(frozen=True, slots=True)
class JointByConnections(Joint):
    r"""
    A parameter that is known for several numbers of connections, and goes together with others.

    Parameters
    ----------
    values : tuple of float
        Every value that it may have with any of these numbers, the one to quote first.
    of : str
        Name of the set, which all parameters of it have for the same numbers.
    connection_counts : tuple of int
        The numbers, rising.
    values_at : tuple of tuple of float
        What it may be with each of them, the one to quote first.
    is_alone : bool
        Whether no other parameter is of the set, so that its least and most say all.
    printed_counts : tuple of int
        With each number, how many of its values, from the first on, take published figures
        as printed.

    Notes
    -----
    Between two measured numbers the logarithm of the time to quote is linear in that of the number.
    Costs that fall by amortisation lie on such lines, and below lines in the time itself. Below
    the first number the slope goes on, above the last one half of it; a time of 0 stays as it is.

    Around either, the set has what a series of costs was measured to deviate, 19 times in 20:

    .. math:: \ln t \pm 1.96\, s \sqrt{v}, \qquad
        v = \frac{u_1 u_2}{u_1 + u_2} \text{ between}, \quad v = u \text{ beyond}

    with :math:`u` the logarithms of the quotients to the measured numbers: a random walk that the
    measured numbers fix.

    Examples
    --------
    >>> (known,) = joint_by_connections("cpu", {10: [(2e-6,)], 50: [(1e-6,)]}, 10)
    >>> known.at(10), known.at(50)
    (2e-06, 1e-06)

    Half way from 10 to 50, by logarithms, the first is the value to quote:

    >>> [round(float(time_s) * 1e6, 2) for time_s in known.at(500**0.5).values[:3]]
    [1.41, 1.13, 1.77]
    """

    connection_counts: tuple[int, ...] = ()
    values_at: tuple[tuple[float, ...], ...] = ()
    is_alone: bool = False
    printed_counts: tuple[int, ...] = ()

    def at(self, connection_count: FloatOrArray | None) -> Parameter:
        """
        What is known of it with this number of connections, for arrays element by element.

        Every value that it may have where their number is not known.
        """
        if connection_count is None:
            return self._joint(self.values, self.printed_count)
        counts, asked = self.connection_counts, connection_count
        if not np.ndim(asked) and asked in counts:
            place = counts.index(int(asked))
            return self._joint(self.values_at[place], self.printed_counts[place])
        lower, upper = neighbours(counts, asked)
        pairs = [*zip(self.values_at, self.printed_counts, strict=True)]

        def table(rows: Sequence[Sequence[float]]) -> Floats:
            """Values by the number of connections along the last axis; the first fills gaps."""
            longest = max(map(len, rows))
            firsts = (values[:1] for values in self.values_at)
            padded = [
                [*row, *first * (longest - len(row))]
                for row, first in zip(rows, firsts, strict=True)
            ]
            return np.array(padded).T

        # (1) values that take published figures as printed, and the others
        tables = [table([x[:n] for x, n in pairs]), table([x[n:] for x, n in pairs])]
        # (2) the value to quote, and the ends that measured series deviate to
        first = np.array([values[0] for values in self.values_at])
        quoted, deviation = _on_curve(counts, first, asked)
        band = np.stack([quoted, quoted * np.exp(-deviation), quoted * np.exp(deviation)])
        # (3) what rounding leaves open at both neighbours, in proportion to the value to quote
        tiny = np.finfo(float).tiny  # what is less has no ratio to it: 1 over it is no float
        parts: list[Floats] = [band]
        for each in tables:
            for nearest in (lower, upper):
                is_some, ones = first[nearest] >= tiny, np.ones_like(quoted)
                ratio = np.divide(quoted, first[nearest], out=ones, where=is_some)
                parts.append(each[:, nearest] * ratio)
        # at a measured number, only what was measured there
        exact = np.concatenate([band, *(each[:, lower] for each in tables for _ in (0, 1))])
        values = np.where(deviation == 0, exact, np.concatenate(parts))
        printed_count = len(band) + len(parts[1]) + len(parts[2])
        return self._joint(values if np.ndim(asked) else map(float, values), printed_count)

    def _joint(self, values: Iterable[FloatOrArray], printed_count: int | None) -> Parameter:
        """A set of these values, without those that say nothing more; one alone is a number."""
        known = tuple(values)
        table = np.array(known, dtype=np.float64)
        if self.is_alone:
            both = (table[:printed_count], table)
            ends = [end(axis=0) for item in both for end in (item.min, item.max)]
            # printed are the first and the two ends of the values that are so
            known, printed_count = (known[0], *ends), 1 + len(ends) // 2
        if not np.ptp(table, axis=0).any():
            return known[0]
        return Joint(known, self.of, printed_count)


def joint_by_connections(
    of: str,
    known: Mapping[int, Sequence[tuple[float, ...]]],
    quoted: int,
    are_all: bool = True,
    printed_counts: Sequence[int] = (),
) -> tuple[JointByConnections, ...]:
    """
    Parameters that go together, each from what all of them may be with several numbers.

    Parameters
    ----------
    of : str
        Name of the set.
    known : mapping of int to sequence of tuple of float
        By the number of connections the points that are possible, the one to quote first.
    quoted : int
        The number to quote where none is given.
    are_all : bool
        Whether no other parameters are of the set, so that its corners say all.
    printed_counts : sequence of int
        With each number, how many of its points, from the first on, take published figures
        as printed; all of them when left out.

    Returns
    -------
    parameters : tuple of JointByConnections
        As many as a point has coordinates.
    """
    counts = tuple(printed_counts) or tuple(map(len, known.values()))
    pairs = [*zip(known.values(), counts, strict=True)]
    printed = [*chain.from_iterable(points[:count] for points, count in pairs)]
    every = [*printed, *chain.from_iterable(points[count:] for points, count in pairs)]
    if are_all:
        printed, every = corners(printed), [*corners(printed), *corners(every)]
    whole = zip(known[quoted][0], *every, strict=True)
    is_alone = are_all and len(every[0]) == 1
    each = zip(*(zip(*points, strict=True) for points in known.values()), strict=True)
    return tuple(
        JointByConnections(
            all_of_it,
            of,
            1 + len(printed),
            connection_counts=tuple(known),
            values_at=at_each,
            is_alone=is_alone,
            printed_counts=counts,
        )
        for all_of_it, at_each in zip(whole, each, strict=True)
    )


def corners(points: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """
    Points, each of them once; of those on a line the two ends.

    Whatever is linear in the coordinates has its least and most there.

    Examples
    --------
    >>> corners([(0.5,), (2.0,), (0.0,)]), corners([(0.0, 1.0), (0.0, 1.0)])
    ([(0.0,), (2.0,)], [(0.0, 1.0)])
    """
    rising = sorted(set(points))
    return [rising[0], rising[-1]] if len(rising) > 2 and len(rising[0]) == 1 else rising


def connection_notes(
    places: Mapping[tuple[int, ...], Sequence[str]], connection_count: FloatOrArray | None
) -> Iterator[str]:
    """
    What a reader should know of times with this number of connections.

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
            ends = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
            many = f"{ends} connection{'s' * (counts[-1] > 1)}"
            yield f"extrapolation: {stages} measured with {many}; the trend goes on"


def _on_curve(counts: Sequence[int], times: Floats, asked: FloatOrArray) -> tuple[Floats, Floats]:
    """Time with any number of connections, and how far its logarithm deviates 19 times in 20."""
    lower, upper = neighbours(counts, asked)
    is_beyond = (asked < counts[0]) | (asked > counts[-1])
    # (1) between: the share of the way to the upper neighbour; beyond: of the outermost interval
    inner = np.minimum(lower, max(len(counts) - 2, 0))
    start, end = np.where(is_beyond, inner, lower), np.where(is_beyond, inner + 1, upper)
    end = np.minimum(end, len(counts) - 1)
    logs = np.log(counts)
    step = logs[end] - logs[start]
    # (2) distances, as logarithms, to the measured numbers
    below, above = np.abs(np.log(asked) - logs[lower]), np.abs(logs[upper] - np.log(asked))
    outside = np.where(is_beyond, below, 0.0)
    inside = np.where(is_beyond | (lower == upper), 0.0, below * above)
    variance = outside + np.divide(inside, step, out=np.zeros_like(step), where=inside > 0)
    # (3) ln t is linear in ln N between and below, and has half that slope above
    is_positive = (times[start] > 0) & (times[end] > 0)
    log_times = np.log(np.where(times > 0, times, 1.0))
    slope = np.zeros_like(step)
    np.divide(log_times[end] - log_times[start], step, out=slope, where=is_positive & (step > 0))
    kept = np.clip(slope, -_STEEPEST_SLOPE, _STEEPEST_SLOPE)
    kept = kept * np.where(asked > counts[-1], _SLOPE_KEPT_ABOVE, -1.0)
    value = times[lower] * np.exp(np.where(is_beyond, kept * outside, slope * below))
    return (
        np.asarray(value),
        np.asarray(LEVEL_DEVIATIONS * _SPREAD_PER_STEP * np.sqrt(variance)),
    )


def neighbours(known: Sequence[int], asked: FloatOrArray) -> "tuple[Places, Places]":
    """
    Places of the known numbers at or around others, for arrays element by element.

    Parameters
    ----------
    known : sequence of int
        Rising.
    asked : float or array_like
        Any numbers.

    Returns
    -------
    lower, upper : numpy.ndarray
        The same twice where it is one of them, or beyond the first or the last.

    Examples
    --------
    >>> [place.tolist() for place in neighbours([1, 10, 50], [1, 20, 100])]
    [[0, 1, 2], [0, 2, 2]]
    """
    last, numbers = len(known) - 1, np.asarray(asked)
    lower: Places = np.searchsorted(known, numbers, side="right") - 1
    upper: Places = np.searchsorted(known, numbers, side="left")
    return np.clip(lower, 0, last), np.clip(upper, 0, last)
