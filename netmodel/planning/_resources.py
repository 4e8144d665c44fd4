"""What the flows of a plan share, and how many adapters each of it needs."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain
from typing import NamedTuple, cast

from netmodel.concurrency import busiest_queue_flow_count
from netmodel.consumption import Side
from netmodel.estimates import combined
from netmodel.numeric import (
    FloatOrArray,
    require_at_least,
    require_one,
    require_share,
    require_whole,
)
from netmodel.path import Bound, Path, Pool, Predicted, Prediction
from netmodel.path._from_records import ADAPTER_STAGES, host_pool_name, lacks_cpu_time
from netmodel.path._limits import Published
from netmodel.path._path import DIRECTION_AT, DIRECTIONS, LINE_STAGES
from netmodel.path._traffic import sum_of
from netmodel.path._uncertain import (
    Column,
    InCases,
    Parameter,
    ValueOf,
    columns_of_cases,
    ends_of,
    quoted_of,
)
from netmodel.planning._flows import Flow
from netmodel.planning.sizing import required_adapter_count
from netmodel.results import fields_repr

MAX_ADAPTER_COUNT = 2**16
"""Where the number of connections is given, more are not tried: no plan buys as many."""
SIDE_DIRECTIONS = tuple(DIRECTION_AT)
"""Those of the adapters at both ends, as seen from the host of the side."""
TIE_DIGITS = 8
"""Uses that agree so far are a tie: more than any figure has, less than rounding leaves."""
PRINTED_RATIO = 0.005
"""Half a step of the last of three digits, which rates of adapters are printed with."""
FULL_RATIO = 1 + 1e-12
"""All of what may be used, with what the rounding of floats may add."""


def planned(need: Predicted[float]) -> float:
    """Return the need that a plan is made for: the largest, but for rounding of printed figures."""
    is_rounded = need.high <= (1 + PRINTED_RATIO) * need.value
    return float(need.value if is_rounded else need.high)


def without_rounding(cases: Column, are_printed: tuple[bool, ...]) -> Column:
    """Return a need in each case, in those of rounding alone that of figures as printed."""
    quoted = need_of(cases, are_printed).value
    is_rounded = max(cases) <= (1 + PRINTED_RATIO) * quoted
    return tuple(min(case, quoted) for case in cases) if is_rounded else cases


@dataclass(frozen=True, slots=True)
class Headroom:
    """
    What of a capacity may be used, and what may fail.

    Parameters
    ----------
    max_utilisation_ratio : float
        Share of each adapter and stage that may be used while all work.
    spare_count : int
        Adapters that may fail at the same time; 1 is known as N+1.
    max_utilisation_after_failure_ratio : float, optional
        Share that may be used then; the same when left out.

    Raises
    ------
    DomainError
        If a share is not above 0 and at most 1, or the spares are not a whole
        number from 0 up.

    Examples
    --------
    >>> Headroom(0.6, max_utilisation_after_failure_ratio=0.9).spare_count
    1
    """

    # a queue with random arrivals (M/M/1) takes 1 / (1 - 0.7) = 3.3 service times then
    max_utilisation_ratio: float = 0.7
    spare_count: int = 1
    max_utilisation_after_failure_ratio: float | None = None

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        for name in ("max_utilisation_ratio", "max_utilisation_after_failure_ratio"):
            ratio = getattr(self, name)
            if ratio is not None:
                require_share(name, require_one(name, ratio))
        require_at_least("spare_count", require_whole("spare_count", self.spare_count), 0, "")

    @property
    def after_failure_ratio(self) -> float:
        """Share that may be used after a failure."""
        after = self.max_utilisation_after_failure_ratio
        return self.max_utilisation_ratio if after is None else after


class _Part(NamedTuple):
    """
    What one flow takes of a resource in each case.

    Parameters
    ----------
    busy_counts, server_counts : tuple of float
        Servers that it keeps busy, and that there are.
    connection_count : float, optional
        Its connections, on all adapters.
    is_hashed : bool
        Whether each of them stays on one server.
    """

    busy_counts: Column
    server_counts: Column
    connection_count: float | None
    is_hashed: bool

    def use_ratios(self, adapter_count: int) -> Column:
        """Share that is used of the servers of this many adapters, of those with most to do."""
        flows = self.connection_count
        in_cases = zip(self.busy_counts, self.server_counts, strict=True)
        if flows is None:
            return tuple(busy / (adapter_count * servers) for busy, servers in in_cases)

        most = -(-flows // adapter_count)

        @cache
        def hashed_count(servers: float) -> float:
            """Connections of the busiest, which may be one of several servers of an adapter."""
            return float(busiest_queue_flow_count(most, servers))

        if self.is_hashed:
            return tuple(busy * hashed_count(servers) / flows for busy, servers in in_cases)
        return tuple(busy / servers * most / flows for busy, servers in in_cases)

    def scaled(self, ratio: float) -> "_Part":
        """The same of a rate times a factor."""
        return self._replace(busy_counts=tuple(busy * ratio for busy in self.busy_counts))


@dataclass(frozen=True)
class Resource:
    """
    A stage that flows share, or what documents print of one flow.

    Parameters
    ----------
    name : str
        That of the stage.
    side : Side, optional
        Whose it is; None for the line and what lies between.
    directions : frozenset of str
        ``"to_server"`` and ``"to_client"``, as far as the flows use it.
    is_of_adapters : bool
        Whether each adapter brings one.
    parts : tuple of _Part
        What each flow takes of it.
    are_printed : tuple of bool
        Whether a case takes published figures as printed.
    published : Published, optional
        Where it is published, if it is no stage.
    places : tuple of int
        Of the flows that the parts are of.
    """

    name: str
    side: Side | None
    directions: frozenset[str]
    is_of_adapters: bool
    parts: tuple[_Part, ...]
    are_printed: tuple[bool, ...]
    published: Published | None = None
    places: tuple[int, ...] = (0,)
    _use_ratios: dict[int, Column] = field(default_factory=dict, init=False, repr=False)
    """Those of numbers of adapters that were asked for: a plan asks for most of them again."""

    def needed(self, cases: Column) -> Predicted[float]:
        """A need over all cases; the one to quote is the largest with figures as printed."""
        return need_of(cases, self.are_printed)

    def use_ratios(self, adapter_count: int) -> Column:
        """Share that is used, in each case of what the parameters of the stage may be."""
        known = self._use_ratios.get(adapter_count)
        if known is None:
            count = adapter_count if self.is_of_adapters else 1
            known = _added([part.use_ratios(count) for part in self.parts])
            self._use_ratios[adapter_count] = known
        return known

    def scaled(self, volume_ratios: Sequence[float]) -> "Resource":
        """The same with the rate of each flow times a factor, by the places of the flows."""
        pairs = zip(self.places, self.parts, strict=True)
        return replace(
            self, parts=tuple(part.scaled(float(volume_ratios[place])) for place, part in pairs)
        )

    def serves(self, side: Side, direction: str) -> bool:
        """Whether it is passed out of, or into, the host of a side."""
        return self.side in (None, side) and DIRECTION_AT[side, direction] in self.directions

    def adapter_counts(self, headroom: Headroom) -> Column:
        """Fewest adapters with which it has the headroom, in each case; infinite for none."""
        share, after = headroom.max_utilisation_ratio, headroom.after_failure_ratio
        spare_count = headroom.spare_count
        # (1) without numbers of connections each adapter has 1/n of the load
        if all(part.connection_count is None for part in self.parts):
            return tuple(
                max(_required_count(alone, 1, headroom, spare_count), 1.0 + spare_count)
                for alone in without_rounding(self.use_ratios(1), self.are_printed)
            )

        # (2) else the share of the busiest depends on how connections divide: searched from what
        # an even division would need, which is mostly the answer or close to it
        @cache
        def uses(count: int) -> Column:
            return without_rounding(self.use_ratios(count), self.are_printed)

        def holds(count: int, case: int) -> bool:
            is_within = uses(count)[case] <= share * FULL_RATIO
            return is_within and uses(count - spare_count)[case] <= after * FULL_RATIO

        counts = range(spare_count + 1, spare_count + MAX_ADAPTER_COUNT + 1)
        fewest = []
        for case, use in enumerate(uses(1)):
            even = max(use / share, use / after + spare_count)
            guess = math.ceil(min(max(even, counts[0]), counts[-1]))
            place = _first_place(
                len(counts),
                guess - counts[0],
                lambda place, case=case: holds(counts[place], case),  # type: ignore[misc]
            )
            fewest.append(float(counts[place]) if place < len(counts) else math.inf)
        return tuple(fewest)


def _first_place(length: int, guess: int, holds: Callable[[int], bool]) -> int:
    """First place that holds, or `length` where none does; all after it hold too."""
    step = 1  # doubled until the border lies within it
    if holds(guess):
        first = guess
        while first >= step and holds(first - step):
            first, step = first - step, 2 * step
        below = max(first - step, -1)
    elif not holds(length - 1):
        return length
    else:
        below = guess
        while below + step < length and not holds(below + step):
            below, step = below + step, 2 * step
        first = min(below + step, length)
    return bisect_left(range(length), True, below + 1, first, key=holds)


def resources(
    flows: Sequence[Flow],
    predictions: Sequence[Prediction],
) -> tuple[Resource, ...]:
    """The stages that flows share, as far as they take time of them."""
    result = []
    for place, stage in enumerate(predictions[0].path.stages):
        name = stage.name
        if stage.parallel_count is None or not any(each.demands[name] for each in predictions):
            continue
        # each adapter brings its directions, its line, and CPUs of its receive queues
        has_queues = stage.hashes_flows and stage.pool is not None and stage.side is not None
        is_of_adapters = has_queues or name in {*LINE_STAGES, *ADAPTER_STAGES}
        # (1) load of each flow, y_k d_rk, and the servers that it meets, in each case
        parts, marks = {}, []
        for number, (flow, prediction) in enumerate(zip(flows, predictions, strict=True)):
            if prediction.demands[name]:
                (busy, there), are_printed = _in_cases_of_stage(place, flow, prediction)
                if not is_of_adapters:
                    busy = _reached(busy, there, flow, prediction)
                parts[number] = _Part(busy, there, flow.connection_count, stage.hashes_flows)
                marks.append(are_printed)
        # (2) directions of the path in which it takes time
        terms = {term for each in predictions for term, _ in each.demands[name]}
        directions = (
            direction
            for direction in DIRECTIONS
            if any(term.startswith(f"{name}.{direction}.") for term in terms)
        )
        result.append(
            Resource(
                name,
                stage.side,
                frozenset(directions),
                is_of_adapters,
                tuple(parts.values()),
                max(marks, key=len),
                places=tuple(parts),
            )
        )
    return tuple(result)


def _reached(busy: Column, there: Column, flow: Flow, prediction: Prediction) -> Column:
    """
    Busy servers in each case, at most those there are at the rate that a measured series reaches.

    Service times with more connections than were measured have a wide range, and those that would
    not allow this rate are left out.
    """
    expected = prediction.expected
    if expected is None or not prediction.is_known_as_whole:
        return busy
    share = flow.transaction_rate_tps / float(expected.transaction_rate_tps.value)
    return tuple(min(own, servers * share) for own, servers in zip(busy, there, strict=True))


def _in_cases_of_stage(place: int, flow: Flow, prediction: Prediction) -> InCases:
    """Servers of a stage that a flow keeps busy, and those that it meets."""
    stage = prediction.path.stages[place]

    def loads(value_of: ValueOf) -> tuple[FloatOrArray, ...]:
        busy = flow.transaction_rate_tps * sum_of(prediction.load.demand(stage, value_of))
        return busy, value_of(cast("Parameter", stage.parallel_count), False)

    return columns_of_cases(stage.parameters, loads)


def published_resource(flow: Flow, place: int, prediction: Prediction) -> Resource | None:
    """
    The rate that documents allow an adapter of a flow; None where its path allows no more.

    With fewer connections on each of several adapters it holds too: no connection gets faster.
    """
    limit = prediction.published_limit
    if limit is None:
        return None
    ends = (limit.rate.value, limit.rate.low, limit.rate.high)
    busy = tuple(flow.transaction_rate_tps / float(end) for end in ends)
    return Resource(
        name="published" if place == 0 else f"published (flow {place + 1})",
        side=None,
        directions=frozenset({DIRECTION_AT[flow.sender, "out"]}),
        is_of_adapters=True,
        parts=(_Part(busy, (1.0, 1.0, 1.0), flow.connection_count, False),),
        are_printed=(True, False, False),  # the value to quote, then its ends
        published=limit.published,
        places=(place,),
    )


def own_limits(flow: Flow, prediction: Prediction) -> Iterator[tuple[str, Predicted[float]]]:
    """Limits that a flow shares with no other, and the share of each that it uses."""
    shared = {stage.name for stage in prediction.path.stages}
    shared |= {pool.name for pool in prediction.path.pools}
    rate_tps = flow.transaction_rate_tps
    for limit in prediction.all_limits:
        if limit.name not in shared:
            rate = limit.rate.numbers()
            value_tps = float(
                limit.rate.value if limit.smallest_tps is None else limit.smallest_tps
            )
            yield (
                limit.name,
                Predicted(
                    rate_tps / value_tps, rate_tps / rate.high, rate_tps / rate.low, Bound.LOWER
                ),
            )


def need_of(
    cases: Column, are_printed: tuple[bool, ...], bound: Bound = Bound.LOWER
) -> Predicted[float]:
    """
    A need over all cases; the one to quote is the largest with figures as printed.

    A lower bound, as upper bounds of rates make it, unless another is named.
    """
    value = max(case for case, is_printed in zip(cases, are_printed, strict=True) if is_printed)
    return Predicted(value, min(cases), max(cases), bound)


def _required_count(load: float, capacity: float, headroom: Headroom, spare_count: int) -> float:
    """Units that carry a load within the highest use, and without the spares within that then."""
    return max(
        float(required_adapter_count(load, capacity, headroom.max_utilisation_ratio)),
        float(required_adapter_count(load, capacity, headroom.after_failure_ratio, spare_count)),
    )


def cores_of(
    pool: Pool,
    busy: Column,
    are_printed: tuple[bool, ...],
    headroom: Headroom,
    bound: Bound,
) -> Predicted[float]:
    """Whole cores for what is busy, in the time basis of the pool, with SMT."""

    def counts(cpus_of_core: float) -> Column:
        share = headroom.max_utilisation_ratio
        return tuple(float(required_adapter_count(each, cpus_of_core, share)) for each in busy)

    low, high = ends_of(pool.smt_gain)
    gains = (quoted_of(pool.smt_gain, False), high, low)
    value, least, most = (
        need_of(counts(float(gain) * pool.threads_per_core), are_printed, bound) for gain in gains
    )
    return Predicted(value.value, least.low, most.high, bound)


def bound_of(pool: Pool, path: Path) -> Bound:
    """A value where nothing is left out of the CPU time of the pool, else a lower bound."""
    if pool.cost is not None:
        return pool.cost.bound
    if pool.side is not None and pool.name == host_pool_name(pool.side):
        is_complete = not lacks_cpu_time(path.unknown, pool.side)
        return Bound.VALUE if is_complete else Bound.LOWER
    return Bound.LOWER if path.unknown else Bound.VALUE


def gain_of(pool: Pool) -> Predicted[float] | None:
    """Work of a core with two busy threads over that with one; None where it does not count."""
    low, high = (require_one("smt_gain", end) for end in ends_of(pool.smt_gain))
    if high == 1:
        return None
    return Predicted(require_one("smt_gain", quoted_of(pool.smt_gain, False)), low, high)


def largest(needs: Sequence[Predicted[float]]) -> Predicted[float]:
    """The largest of independent needs, end by end."""
    return combined(max, needs, needs[0].bound)


class PoolLoad(NamedTuple):
    """
    Servers of a pool that flows keep busy.

    Parameters
    ----------
    pool : Pool
        The pool.
    busy : tuple of float
        Those that all keep busy, in each case.
    present : tuple of float, optional
        Those that there are, in each case; None where that is not known.
    are_printed : tuple of bool
        Whether a case takes published figures as printed.
    """

    pool: Pool
    busy: Column
    present: Column | None
    are_printed: tuple[bool, ...]


def pool_load(pool: Pool, pairs: Sequence[tuple[Flow, Prediction]]) -> PoolLoad | None:
    """Servers of a pool that flows keep busy, and that are present; None where none is known."""
    parts: list[Column] = []
    present: Column | None = None
    are_printed: tuple[bool, ...] = ()
    for flow, prediction in pairs:
        if takes_time(pool, prediction):
            (busy, *there), marks = _in_cases_of_pool(pool, flow, prediction)
            parts.append(_reached(busy, there[0], flow, prediction) if there else busy)
            if len(marks) > len(are_printed):
                present, are_printed = there[0] if there else None, marks
    if not parts:
        return None
    return PoolLoad(pool, _added(parts), present, are_printed)


def _added(columns: Sequence[Column]) -> Column:
    """The sum of loads in each case; a load of one case is the same in all."""
    count = max(map(len, columns))
    in_all = (column * count if len(column) == 1 else column for column in columns)
    return tuple(map(sum, zip(*in_all, strict=True)))


def _in_cases_of_pool(pool: Pool, flow: Flow, prediction: Prediction) -> InCases:
    """Servers of a pool that a flow keeps busy and, where known, those that there are."""
    stages = [stage for stage in prediction.path.stages if stage.pool == pool.name]
    counts = [] if pool.parallel_count is None else [pool.parallel_count]

    def loads(value_of: ValueOf) -> tuple[FloatOrArray, ...]:
        terms = chain.from_iterable(prediction.load.demand(stage, value_of) for stage in stages)
        busy = sum(flow.transaction_rate_tps * time_s for _, time_s in terms)
        return busy, *(value_of(count, False) for count in counts)

    return columns_of_cases(chain(*(stage.parameters for stage in stages), counts), loads)


def takes_time(pool: Pool, prediction: Prediction) -> bool:
    """Whether a transaction takes time of a pool."""
    return any(
        prediction.demands[stage.name]
        for stage in prediction.path.stages
        if stage.pool == pool.name
    )


def is_partly_known(pool: Pool, predictions: Sequence[Prediction]) -> bool:
    """Whether flows take more time of a pool than the path has service times for."""
    return any(
        stage.pool == pool.name and stage.name in prediction.partly_known
        for prediction in predictions
        for stage in prediction.path.stages
    )
