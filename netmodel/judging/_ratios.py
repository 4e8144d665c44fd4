"""Quantities known by their ratios: what all relations allow together, and which contradict."""

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

Quantity: TypeAlias = Hashable
"""Whatever names a quantity: its kind and its conditions."""

_UNIT = None
"""The quantity 1, with which absolute figures are compared."""
_LEAST_EXCESS = 1e-9
"""A cycle is a contradiction from this excess of its logarithm on: beyond the rounding of sums."""


@dataclass(frozen=True, slots=True)
class Related:
    """
    What one source says of a quantity: its ratio to another one, or its size.

    Parameters
    ----------
    quantity : hashable
        Name of a positive quantity.
    low, high : float
        Smallest and largest ratio, both allowed; 0 and infinite where an end is open.
    source : str
        What says so, such as the id of a statement.
    baseline : hashable, optional
        Quantity that it is compared with; None for an absolute figure.
    """

    quantity: Quantity
    low: float
    high: float
    source: str
    baseline: Quantity | None = _UNIT


class _Edge(NamedTuple):
    """`end` is at most `start` times the exponential of `log_factor`."""

    start: Quantity
    end: Quantity
    log_factor: float
    related: Related


class Allowed(NamedTuple):
    """
    Interval of a quantity, and the relations that each of its ends follows from.

    Parameters
    ----------
    low, high : float
        Ends; 0 and infinite where no relation leads to one.
    low_because, high_because : tuple of Related
        From the baseline to the quantity; empty where the end is open.
    """

    low: float
    high: float
    low_because: tuple[Related, ...]
    high_because: tuple[Related, ...]


@dataclass(frozen=True)
class Ratios:
    """
    Quantities and relations between them.

    In logarithms each relation bounds a difference, so that the tightest bound of a ratio is a
    shortest path, and relations contradict each other where a cycle of them is negative.

    Parameters
    ----------
    related : sequence of Related
        Relations, in the order in which they are to be named.

    Examples
    --------
    >>> known = [
    ...     Related("new", 13.4, 13.4, "limit"),
    ...     Related("new", 1.45, math.inf, "gain", "old"),
    ...     Related("old", 9.39, math.inf, "line"),
    ... ]
    >>> [each.source for each in next(Ratios(known).contradictions())]
    ['limit', 'gain', 'line']
    >>> round(Ratios(known[:2]).allowed("old").high, 2)
    9.24
    """

    related: Sequence[Related]
    _edges: tuple[_Edge, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_edges", tuple(_edges(self.related)))

    @cached_property
    def _places(self) -> dict[Related, list[int]]:
        """Places of the edges of each relation."""
        places: dict[Related, list[int]] = defaultdict(list)
        for place, edge in enumerate(self._edges):
            places[edge.related].append(place)
        return places

    @cached_property
    def _end_count(self) -> int:
        return len({edge.end for edge in self._edges})

    def allowed(
        self,
        quantity: Quantity,
        baseline: Quantity | None = _UNIT,
        without: Collection[Related] = (),
    ) -> Allowed:
        """
        Interval of a quantity, or of its ratio to another one, that the relations allow.

        Parameters
        ----------
        quantity : hashable
            Its name.
        baseline : hashable, optional
            Name of the quantity that it is compared with; None for its size.
        without : collection of Related
            Relations to leave out.

        Returns
        -------
        allowed : Allowed
            Tightest ends. Meaningless where the relations contradict each other.
        """
        left_out = {place for each in without for place in self._places.get(each, ())}
        edges = [edge for place, edge in enumerate(self._edges) if place not in left_out]
        high, high_because = _shortest(edges, baseline, quantity, self._end_count)
        low, low_because = _shortest(edges, quantity, baseline, self._end_count)
        return Allowed(math.exp(-low), math.exp(high), tuple(reversed(low_because)), high_because)

    def contradictions(self) -> Iterator[tuple[Related, ...]]:
        """
        Smallest groups of relations that cannot hold together.

        Yields
        ------
        group : tuple of Related
            In the order of the relations. With any of them left out, the others of the group
            agree. No relation is in two groups: those of a group are left out of the next.
        """
        order = {id(each): place for place, each in enumerate(self.related)}
        for component in _components(self._edges):
            edges = component
            while cycle := _fewest_contradicting(edges):
                group = {id(edge.related): edge.related for edge in cycle}
                yield tuple(sorted(group.values(), key=lambda each: order[id(each)]))
                edges = [edge for edge in edges if id(edge.related) not in group]


def _edges(related: Iterable[Related]) -> Iterator[_Edge]:
    for each in related:
        if 0 < each.high < math.inf:
            yield _Edge(each.baseline, each.quantity, math.log(each.high), each)
        if 0 < each.low < math.inf:
            yield _Edge(each.quantity, each.baseline, -math.log(each.low), each)


def _shortest(
    edges: Sequence[_Edge], start: Quantity, end: Quantity, end_count: int
) -> tuple[float, tuple[Related, ...]]:
    """
    Log of the tightest bound of `end` in terms of `start`, and what it follows from.

    The edges have at most `end_count` ends: without a contradiction, no chain is longer.
    """
    logs: dict[Quantity, float] = {start: 0.0}
    last: dict[Quantity, _Edge] = {}
    for _ in range(end_count):
        is_changed = False
        for edge in edges:
            if edge.start not in logs or edge.end == start:
                continue
            log = logs[edge.start] + edge.log_factor
            if log < logs.get(edge.end, math.inf) - _LEAST_EXCESS:
                logs[edge.end], last[edge.end], is_changed = log, edge, True
        if not is_changed:
            break
    chain: list[Related] = []
    place = end
    while place in last and len(chain) <= len(last):
        chain.append(last[place].related)
        place = last[place].start
    return logs.get(end, math.inf), tuple(reversed(chain))


def _components(edges: Sequence[_Edge]) -> list[list[_Edge]]:
    """Relations grouped by whether a chain of them links their quantities other than by size."""
    group_of: dict[Quantity, Quantity] = {}
    for edge in edges:
        if _UNIT not in (edge.start, edge.end):
            group_of[_root(group_of, edge.start)] = _root(group_of, edge.end)
    components: dict[Quantity, list[_Edge]] = defaultdict(list)
    for edge in edges:
        components[_root(group_of, edge.end if edge.start is _UNIT else edge.start)].append(edge)
    return list(components.values())


def _root(group_of: dict[Quantity, Quantity], quantity: Quantity) -> Quantity:
    """The quantity that stands for all that are linked to one."""
    while group_of.setdefault(quantity, quantity) != quantity:
        quantity = group_of[quantity]
    return quantity


def _fewest_contradicting(edges: Sequence[_Edge]) -> list[_Edge]:
    """The shortest cycle whose factors multiply to less than 1; empty where there is none."""
    if not _has_negative_cycle(edges):
        return []
    starts = dict.fromkeys(edge.start for edge in edges)
    # walks of one relation more at a time, from each quantity: (start, end) to log and last edge
    walks: list[dict[tuple[Quantity, Quantity], tuple[float, _Edge | None]]] = [
        {(start, start): (0.0, None) for start in starts}
    ]
    for _ in starts:
        longer: dict[tuple[Quantity, Quantity], tuple[float, _Edge | None]] = {}
        for start in starts:
            for edge in edges:
                before = walks[-1].get((start, edge.start))
                if before is None:
                    continue
                log = before[0] + edge.log_factor
                if log < longer.get((start, edge.end), (math.inf, None))[0]:
                    longer[start, edge.end] = (log, edge)
        walks.append(longer)
        closed = [
            (log, start)
            for start in starts
            for log, _ in [longer.get((start, start), (math.inf, None))]
            if log < -_LEAST_EXCESS
        ]
        if closed:
            _, start = min(closed, key=lambda each: each[0])
            return _walk_back(walks, start)
    return []


def _walk_back(
    walks: Sequence[dict[tuple[Quantity, Quantity], tuple[float, _Edge | None]]], start: Quantity
) -> list[_Edge]:
    cycle: list[_Edge] = []
    place = start
    for walk in reversed(walks[1:]):
        edge = walk[start, place][1]
        assert edge is not None
        cycle.append(edge)
        place = edge.start
    return cycle


def _has_negative_cycle(edges: Sequence[_Edge]) -> bool:
    logs: dict[Quantity, float] = defaultdict(float)
    for _ in range(len({*(edge.start for edge in edges), *(edge.end for edge in edges)})):
        is_changed = False
        for edge in edges:
            log = logs[edge.start] + edge.log_factor
            if log < logs[edge.end] - _LEAST_EXCESS:
                logs[edge.end], is_changed = log, True
        if not is_changed:
            return False
    return True


def excess_ratio(group: Sequence[Related]) -> float:
    """
    How far the relations of a contradiction are apart, as a part of any of their figures.

    Examples
    --------
    >>> known = [Related("rate", 0, 10, "line"), Related("rate", 11, 12, "measured")]
    >>> round(excess_ratio(known), 3)
    0.1
    """
    first, *others = group
    allowed = Ratios(others).allowed(first.quantity, first.baseline)
    return max(allowed.low / first.high, first.low / allowed.high) - 1
