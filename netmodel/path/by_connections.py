"""Parameters that differ with how many connections there are, and what is known of any number."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from netmodel.estimates import LEVEL_DEVIATIONS
from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray, Floats
from netmodel.path.ensemble import Joint, Parameter
from netmodel.text import listed

_SPREAD_BETWEEN, _SPREAD_BEYOND = 0.18, 0.3
"""
Standard deviation of ln(service time) of one part where connections become e times as many.

Left-out numbers of series of CPU costs have 0.11 for guests and 0.15 for hypervisors where they lie
between measured ones: 90 to 98 % of them are within the range of 0.18. From one measured number to
the next the times change by 0.30 (44 steps of 24 series, 42 of them within the range of 0.3).
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
    printed_counts : tuple of int
        With each number, how many of its values, from the first on, take published figures
        as printed.

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
    >>> known.at(10), known.at(50)
    (2e-06, 1e-06)

    Half way from 10 to 50, by logarithms, the first is the value to quote:

    >>> [round(float(time_s) * 1e6, 2) for time_s in known.at(500**0.5).values[:3]]
    [1.41, 1.13, 1.77]
    """

    connection_counts: tuple[int, ...] = ()
    values_at: tuple[tuple[float, ...], ...] = ()
    printed_counts: tuple[int, ...] = ()

    def at(self, connection_count: FloatOrArray | None) -> Parameter:
        """
        What is known of it with this number of connections, for arrays element by element.

        Every value that it may have where their number is not known.
        """
        if connection_count is None:
            return self._joint(self.values, self.printed_count)
        counts, asked = self.connection_counts, np.asarray(connection_count)
        if not asked.ndim and connection_count in counts:
            place = counts.index(int(connection_count))
            return self._joint(self.values_at[place], self.printed_counts[place])
        # (1) places of the measured numbers around; beyond all of them that of the nearest twice
        last, logs = len(counts) - 1, np.log(counts)
        lower = np.clip(np.searchsorted(counts, asked, side="right") - 1, 0, last)
        upper = np.clip(np.searchsorted(counts, asked), 0, last)
        below, above = (np.abs(np.log(asked) - logs[place]) for place in (lower, upper))
        step = np.where(lower < upper, below + above, 1.0)
        # (2) the value to quote, and the ends that measured series deviate to
        firsts = np.array([values[0] for values in self.values_at])
        tiny = np.finfo(float).tiny  # what is less has no ratio to it: 1 over it is no float

        def ratio(over: Floats, under: Floats) -> Floats:
            is_some = (over >= tiny) & (under >= tiny)
            return np.divide(over, under, out=np.ones_like(step), where=is_some)

        quoted = firsts[lower] * ratio(firsts[upper], firsts[lower]) ** (
            np.where(lower < upper, below, 0.0) / step
        )
        deviation = np.where(
            lower < upper,
            _SPREAD_BETWEEN * np.sqrt(below * above / step),
            _SPREAD_BEYOND * np.sqrt(below),
        )
        band = np.exp(LEVEL_DEVIATIONS * deviation)

        # (3) what rounding leaves open at both neighbours, in proportion to the value to quote
        def around(rows: Sequence[Sequence[float]]) -> Iterator[Floats]:
            longest = max(map(len, rows))  # the first value fills gaps
            padded = [
                [*row, *[first] * (longest - len(row))]
                for row, first in zip(rows, firsts, strict=True)
            ]
            for place in (lower, upper):
                yield from np.array(padded).T[:, place] * ratio(quoted, firsts[place])

        of_each = [*zip(self.values_at, self.printed_counts, strict=True)]
        printed = [quoted, quoted / band, quoted * band]
        printed += around([values[:count] for values, count in of_each])
        values = [*printed, *around([values[count:] for values, count in of_each])]
        return self._joint(values if asked.ndim else map(float, values), len(printed))

    def _joint(self, values: Iterable[FloatOrArray], printed_count: int | None) -> Parameter:
        """A set of these values; one alone is a number."""
        known = tuple(values)
        if not np.ptp(np.array(known, dtype=np.float64), axis=0).any():
            return known[0]
        return Joint(known, self.of, printed_count)


def joint_by_connections(
    of: str,
    known: Mapping[int, Sequence[tuple[float, ...]]],
    quoted: int,
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
    printed = [known[quoted][0], *chain.from_iterable(points[:count] for points, count in pairs)]
    every = [*printed, *chain.from_iterable(points[count:] for points, count in pairs)]
    of_number = zip(*(zip(*points, strict=True) for points in known.values()), strict=True)
    return tuple(
        JointByConnections(values, of, len(printed), tuple(known), values_at, counts)
        for values, values_at in zip(zip(*every, strict=True), of_number, strict=True)
    )


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
            yield f"extrapolation: {stages} measured with {measured} connections; the nearest holds"
