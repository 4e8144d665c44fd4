"""Limits of the rate of a path, each a capacity over its service demand, and CPU costs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from netmodel.concurrency import usable_capacity_ratio, used_queue_count
from netmodel.consumption import consumption_us_per_gbit
from netmodel.estimates import Bound, Predicted
from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray, maximum, minimum, where
from netmodel.path.ensemble import Parameter, Spread, ends_of, is_nothing, joined, per_second
from netmodel.path.over_distance import is_rdma, loss_limited_rate_bps, round_trip_terms
from netmodel.path.response import zero_load
from netmodel.path.stages import Direction, Path, Stage
from netmodel.path.traffic import Counts, Load, Terms
from netmodel.results import Result
from netmodel.units import BITS_PER_BYTE

PUBLISHED = "published limit"
"""Name of the limit by a printed row, which bounds a rate more tightly than the path."""
_AGAINST_A_STREAM_RATIO = 1e-3
"""
Part of the payload up to which a direction of a stream only answers or asks for it.

At ten times the cost per byte it is a hundredth of the whole, as much as costs are printed to.
"""


@dataclass(frozen=True)
class PathLimit:
    """
    A rate that no transaction rate exceeds.

    Parameters
    ----------
    name : str
        Stage, stage of each connection, pool, ``"window"``, ``"loss"``, ``"connections"``
        or ``"published limit"``.
    rate : Predicted
        Transactions per second at which the capacity is used up, the highest that published
        figures as printed leave open. Where a hash spreads flows, an upper bound of the mean
        over all its outcomes. [1/s]
    smallest_tps : float or numpy.ndarray
        The lowest that published figures as printed leave open. [1/s]
    best_rate_tps : float or numpy.ndarray, optional
        Where a hash spreads flows: upper bound of a run in which it spreads them best. [1/s]
    even_rate_tps : float or numpy.ndarray, optional
        Where a hash spreads the flows of a stream: the mean over all its outcomes, if
        all flows are equally fast, as the slowest of them is. [1/s]
    published : str
        The printed ratio with its place, if the limit is not one of the path.
    """

    name: str
    rate: Predicted
    smallest_tps: FloatOrArray
    best_rate_tps: FloatOrArray | None = None
    even_rate_tps: FloatOrArray | None = None
    published: str = ""

    @property
    def highest_rate_tps(self) -> FloatOrArray:
        """The highest that parameters leave open, and a hash that spreads flows. [1/s]"""
        return self.rate.high if self.best_rate_tps is None else self.best_rate_tps


def limits(path: Path, load: Load) -> Iterator[PathLimit]:
    """
    Yield every limit of a path: stages, pools, windows, loss, and connections that wait.

    Each over all combinations of the parameters that it depends on, and of no others.
    """
    traffic, flows, axes = load.traffic, load.traffic.connection_count, load.axes

    def over(name: str, capacity: Spread, time: Spread, bound: Bound = Bound.UPPER) -> PathLimit:
        rate = capacity.over(time)
        return PathLimit(name, rate.predicted(bound), rate.least)

    def limit(name: str, capacity: FloatOrArray, terms: Terms) -> PathLimit:
        """C_r over the sum of d_rj, over all values that its parameters may have."""
        is_open = getattr(capacity, "ndim", 0) > axes.rank
        times_s = (time_s / capacity if is_open else time_s for _, time_s in terms)
        return over(name, Spread.of(1.0 if is_open else capacity), axes.total(times_s))

    # (0) first what takes the most memory
    alone = zero_load(path, load) if traffic.waits and flows is not None else Spread.of(0)
    used = [(stage, terms) for stage in path.stages if (terms := load.demand(stage))]
    # (1) servers of each stage
    for stage, terms in used:
        if stage.parallel_count is None:
            continue
        count = axes.array(stage.parallel_count, False)
        if not stage.hashes_flows or flows is None:
            yield limit(stage.name, count, terms)
            continue
        best = limit(stage.name, minimum(count, flows), terms)
        mean = limit(stage.name, used_queue_count(flows, count), terms)
        if not traffic.waits:
            even = limit(stage.name, count * usable_capacity_ratio(flows, count), terms)
            mean = replace(mean, even_rate_tps=even.rate.value)
        yield replace(mean, best_rate_tps=best.rate.high)
    # (2) servers of each pool, for all stages that draw on it
    for pool in path.pools:
        own = tuple(x for stage, terms in used if stage.pool == pool.name for x in terms)
        if pool.parallel_count is not None and own:
            yield limit(pool.name, axes.array(pool.parallel_count, False), own)
    if flows is None:
        return
    # (3) streams over stages that keep one of their servers busy for each, and what never delays
    for stage, terms in used:
        if stage.is_serial and not (traffic.waits and stage.delays):
            has_others = stage.parallel_count is not None or stage.pool is not None
            # the name of a capacity per flow says so itself
            yield limit(stage.name + " of each connection" * has_others, flows, terms)
    # (4) windows over the round trip that nothing shortens (RFC 6349, section 4)
    trips = tuple((name, axes.array(time_s, True)) for name, time_s in round_trip_terms(path))
    if trips and path.window_bytes is not None:
        window_bytes = axes.array(path.window_bytes, False)
        yield limit("window", flows * window_bytes / traffic.payload_bytes, trips)
    # (5) loss over the same round trip, which slows each connection
    if trips and path.loss_ratio is not None:
        bits = BITS_PER_BYTE * traffic.payload_bytes

        def lasts_s(trip_s: FloatOrArray, loss_ratio: FloatOrArray) -> FloatOrArray:
            return per_second(bits, flows * loss_limited_rate_bps(load, trip_s, loss_ratio))

        trip = axes.total(time_s for _, time_s in trips)
        lost_s = trip.by_end(lasts_s, axes.spread(axes.array(path.loss_ratio, True)))
        if is_rdma(load) and not traffic.waits:
            # go-back-N: what is sent again takes its time beside that of all at the next limit
            rest = ((x.rate, x.smallest_tps) for x in limits(replace(path, loss_ratio=None), load))
            rates = (Spread(x.value, least, x.value, x.low, x.high) for x, least in rest)
            sent_s = joined(maximum, (Spread.of(0.0), *map(Spread.of(1.0).over, rates)))
            lost_s = lost_s.by_end(lambda lost, sent: where(lost > 0, lost + sent, 0), sent_s)
        yield over("loss", Spread.of(1.0), lost_s, Bound.MEAN)
    # (6) connections that wait, over the zero-load response time (Little's law)
    if not is_nothing(alone.quoted):
        yield over("connections", Spread.of(flows), alone)


# ---- CPU cost


@dataclass(frozen=True, repr=False)
class CpuPart(Result):
    """
    CPU cost of one stage of a side.

    Parameters
    ----------
    us_per_gbit : Predicted
        CPU time for all payload that the side sends and receives. [µs/Gbit]
    s_per_transaction : Predicted
        CPU time of a transaction. [s]
    share_ratio : float or numpy.ndarray
        Part of the CPU time of the side, at the values to quote.

    Examples
    --------
    >>> time_s = Predicted(20e-6, 19e-6, 21e-6)
    >>> CpuPart(time_s.scaled(1e11), time_s, 0.5).share_ratio
    0.5
    """

    us_per_gbit: Predicted
    s_per_transaction: Predicted
    share_ratio: FloatOrArray

    json_keys = "cpu_us_per_gbit=us_per_gbit cpu_s_per_transaction=s_per_transaction share_ratio"


def partly_known(path: Path, counts: Mapping[Direction, Counts], waits: bool) -> tuple[str, ...]:
    """
    Return the stages in use whose service times are not all known.

    A cost per data of a stream includes the few requests that go against it.
    """
    asked_bytes = _AGAINST_A_STREAM_RATIO * sum(count.payload_bytes for count in counts.values())
    result = []
    for stage in path.stages:
        for direction, count in counts.items():
            times = getattr(stage, direction)
            if times.is_complete:
                continue
            has_acks = not is_nothing(count.ack_count)
            if times.validity is not None:
                is_known = not np.any(count.payload_bytes > times.validity.high_payload_bytes)
            elif waits or has_acks:
                is_known = not (count.message_count or has_acks)
            else:
                is_known = not np.any(count.payload_bytes > asked_bytes)
            if not is_known:
                result.append(stage.name)
    return tuple(result)


def cpu_parts(load: Load, stages: Sequence[Stage]) -> dict[str, CpuPart]:
    """
    Return the CPU cost of a side by its stages.

    Parameters
    ----------
    load : Load
        What a transaction brings to each stage.
    stages : sequence of Stage
        All stages of CPUs of the side, whose times are known.
    """
    times_s = {stage.name: load.time_of([stage]).predicted() for stage in stages}
    scale = consumption_us_per_gbit(1, BITS_PER_BYTE * load.traffic.exchanged_bytes)
    # no time at all has no shares: 0 of it
    some_s = maximum(sum(time_s.value for time_s in times_s.values()), np.finfo(float).tiny)
    return {
        name: CpuPart(time_s.scaled(scale), time_s, time_s.value / some_s)
        for name, time_s in times_s.items()
    }


def busy_at(rate_tps: Predicted, time: Spread, count: Parameter | None) -> Predicted:
    """Return how many servers are busy at a rate, at most all of them."""
    value = rate_tps.value * (time.quoted if rate_tps.bound is Bound.VALUE else time.most)
    low, high = rate_tps.low * time.low, rate_tps.high * time.high
    if count is not None:
        value = minimum(value, ends_of(count, as_printed=True)[1])
        low, high = map(minimum, (low, high), ends_of(count))
    return Predicted(value, minimum(low, value), maximum(high, value), rate_tps.bound)
