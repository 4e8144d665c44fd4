"""Expected rate, time and queues of connections that wait: mean value analysis of a path."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from netmodel.concurrency import approximate_closed_network, used_queue_count
from netmodel.concurrency.product_form import product_form
from netmodel.estimates import Predicted
from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO, FloatOrArray, Floats, maximum, minimum, where
from netmodel.path.ensemble import Spread, is_nothing
from netmodel.path.limits import PathLimit
from netmodel.path.overlap import Hop, Parts, message_time_s, time_at_s
from netmodel.path.stages import DIRECTIONS, Direction, Path, Stage
from netmodel.path.traffic import Counts, Load, Traffic
from netmodel.path.zero_load import frame_shares, message_servers
from netmodel.results import Result
from netmodel.text import fixed_percent
from netmodel.units import BITS_PER_BYTE

ASSUMPTION = "service times are exponential"
"""What expected values rest on, beside what the bounds do."""
SIMULATED_ERRORS = {
    "messages of several frames, which overlap at stages": 0.48,
    "visits of different length": 0.2,
    "acknowledgements beside messages": 0.37,
}
"""Largest error of the rate that `tests/simulation` shows, by what causes it, with exponential
service. Medians are 0.2 to 11 %, of acknowledgements 7 to 16 %.
"""
_RECURSION_COUNT = 10_000
"""Connections up to which the recursion is taken: a tenth of a second. Beyond, the approximation
without a recursion is within 1 % where a path has one bottleneck: queues differ by one part in
the square root of their number."""
_TABLE_COUNT = 4_000_000
"""Numbers of the tables of a network, 32 MB: passages beyond them are solved in turn."""
_LARGEST_COUNT = 1_000_000
"""Connections that the approximation is made for; the rate does not rise beyond."""
_SHORTEST_S = 1e-300
"""In place of no time at all, which networks refuse: it adds nothing to any other time."""


@dataclass(frozen=True)
class Expected(Result):
    """
    Expected value of a transaction rate, and what follows from it.

    Parameters
    ----------
    transaction_rate_tps : Predicted
        Mean rate of all connections; its ends are with the longest and the shortest
        service times that the parameters leave open. [1/s]
    throughput_bps : Predicted
        Payload rate of the side that sends more. [bit/s]
    transaction_time_s : Predicted
        Mean time from a request to its response, without the think time. [s]
    stage_transaction_counts : dict of str to float or numpy.ndarray
        Mean transactions that wait or are served, by stage, pool or limit; they and those
        of connections that think add up to the connections.
    use_ratios : dict of str to float or numpy.ndarray
        Share of the servers of each stage and pool that is busy.
    approximations : tuple of str
        Why the value is not exact under its assumption; none where it is.
    assumption : str
        What the value rests on, beside what the bounds do.
    """

    transaction_rate_tps: Predicted
    throughput_bps: Predicted
    transaction_time_s: Predicted
    stage_transaction_counts: dict[str, FloatOrArray]
    use_ratios: dict[str, FloatOrArray]
    approximations: tuple[str, ...]
    assumption: str = ASSUMPTION

    json_keys = (
        "transaction_rate_tps throughput_bps transaction_time_s stage_transaction_counts "
        "use_ratios is_exact assumption approximations"
    )

    @property
    def is_exact(self) -> bool:
        """Whether the value is exact under its assumption, and not an approximation."""
        return not self.approximations


def expected_of_rate(
    rate_tps: Predicted, upper_tps: Predicted, traffic: Traffic, assumption: str, why: str
) -> Expected:
    """
    Return the expected value of a rate that is known as a whole, by Little's law.

    Parameters
    ----------
    rate_tps : Predicted
        Of all connections together. [1/s]
    upper_tps : Predicted
        Upper bound of it, which the value does not exceed. [1/s]
    traffic : Traffic
        With a number of connections.
    assumption, why : str
        What the value rests on, and why it is not exact.
    """
    value = minimum(rate_tps.value, upper_tps.value)
    high = maximum(minimum(rate_tps.high, upper_tps.high), value)
    ends = Predicted(value, minimum(rate_tps.low, value), high)
    return _expected(ends, traffic, {}, {}, (why,), assumption)


def _expected(
    rate: Predicted,
    traffic: Traffic,
    present: dict[str, FloatOrArray],
    used: dict[str, FloatOrArray],
    approximations: tuple[str, ...],
    assumption: str = ASSUMPTION,
) -> Expected:
    """A rate with its payload, and with the time by Little's law."""
    count = traffic.connection_count
    assert count is not None
    value_s, low_s, high_s = (
        count / each - traffic.think_time_s for each in (rate.value, rate.high, rate.low)
    )
    time = Predicted(value_s, low_s, high_s)
    bps = rate.scaled(BITS_PER_BYTE * traffic.payload_bytes)
    return Expected(rate, bps, time, present, used, approximations, assumption)


def expected_value(path: Path, load: Load, limits: Iterable[PathLimit]) -> Expected:
    r"""
    Expected value of the rate of connections that wait, over a path that is known.

    Parameters
    ----------
    path : Path
        Without unknown parts.
    load : Load
        What it carries, with a number of connections.
    limits : iterable of PathLimit
        Upper bounds of the rate.

    Returns
    -------
    expected : Expected
        Of the shape of the prediction.

    Notes
    -----
    Servers that transactions compete for are a station :math:`k`: a stage, or a pool with all
    stages that may use any of its servers. A transaction that meets no other spends :math:`e_k`
    there, and :math:`Z` at delays and thinking; all of it is the zero-load time,
    :math:`T = Z + \sum_k e_k`. Of :math:`n` transactions present, :math:`\min(n, m_k)` are
    served at a time, so that the station is full at :math:`m_k / e_k`.

    Frames of a message overlap, so that :math:`T` is the longest of several passages (see
    `passages`). Each of them is a network with times of its own,

    .. math:: X(N) = \min_p X_p(N; e^{(p)}, m^{(p)}, Z^{(p)})

    with the exact rate :math:`X_p` of a network with exponential service. This rises with
    :math:`N` and falls with every time, as each of them does. What a transaction alone takes
    beyond a passage, as its frames wait for each other, is a delay of the passage, so that with
    one connection it is one over that time (see `message_time_s`). Limits that are no
    stations, such as windows and rate caps, cap it.

    All of it is computed with the times to quote, the longest with the fewest servers, and the
    reverse, along a first axis where parameters are uncertain.

    References
    ----------
    M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed multichain queuing networks",
    Journal of the ACM 27 (1980); A. Seidmann, P. J. Schweitzer and S. Shalev-Oren,
    "Computerized closed queueing network models of flexible manufacturing systems", Large
    Scale Systems 12 (1987), for stations with several servers.
    """
    count = load.traffic.connection_count
    assert count is not None
    network = _network(path, load, count)
    solution = _solved(network, count)
    # (1) the value and its ends, capped by all limits
    caps = dict(network.full_rates_tps)
    for limit in limits:
        if limit.name not in caps:
            rate = limit.rate
            caps[limit.name] = _in_rows(load, (rate.value, rate.low, rate.high))
    cap_tps = reduce(minimum, caps.values())
    rates = minimum(solution.rate_tps, cap_tps)
    value, low, high = _of_rows(load, rates)
    ends = Predicted(value, minimum(low, value), maximum(high, value))

    # (2) who is where; what a limit holds back waits for it
    def quoted(quantity: FloatOrArray) -> FloatOrArray:
        return _of_rows(load, quantity)[0]

    passed_ratio = value / quoted(solution.rate_tps)
    present = {name: quoted(each) * passed_ratio for name, each in solution.lengths.items()}
    held_back = count - count * passed_ratio
    for name, cap in caps.items():
        is_cap = (quoted(cap) <= quoted(cap_tps)) & (held_back > count * ROUNDING_RATIO)
        here = where(is_cap, held_back, 0.0)
        if np.any(here):
            present[name] = present.get(name, 0.0) + here
            held_back = held_back - here
    used = {name: value / quoted(full) for name, full in network.full_rates_tps.items()}
    why = tuple(_approximations(network, path, load))
    return _expected(ends, load.traffic, present, used, why)


# ---- Rows: the times to quote, the longest with the fewest servers, and the reverse


def _in_rows(load: Load, ends: tuple[FloatOrArray, ...]) -> FloatOrArray:
    """What is uncertain along a first axis; a quantity that is known as it is."""
    value, *others = ends
    if all(each is value for each in others):
        return value
    rows = np.stack(np.broadcast_arrays(*ends))
    return rows.reshape(len(ends), *[1] * (load.axes.rank + 1 - rows.ndim), *rows.shape[1:])


def _rows(load: Load, spread: Spread, is_count: bool = False) -> FloatOrArray:
    ends = (spread.low, spread.high) if is_count else (spread.high, spread.low)
    return _in_rows(load, (spread.quoted, *ends))


def _of_rows(load: Load, quantity: FloatOrArray) -> tuple[FloatOrArray, ...]:
    if np.ndim(quantity) <= load.axes.rank:
        return quantity, quantity, quantity
    value, low, high = (each if np.ndim(each) else float(each) for each in np.asarray(quantity))
    return value, low, high


# ---- From a path to a network


class _Message(NamedTuple):
    """A message of a direction: what it brings to each stage, and what that takes of it. [s]"""

    direction: Direction
    frame_count: FloatOrArray
    parts: list[Parts]
    acks_s: list[FloatOrArray]


class _Station(NamedTuple):
    """Servers that transactions compete for, and the stages that need one of them."""

    name: str
    stages: tuple[str, ...]
    server_count: FloatOrArray
    hashes_flows: bool
    work_s: FloatOrArray

    def ratio(self, time_s: FloatOrArray) -> FloatOrArray:
        """Time of a message over the work for it: below 1 where servers share its frames."""
        return time_s / where(self.work_s > 0, self.work_s, 1.0)

    def full(self, time_s: FloatOrArray) -> FloatOrArray:
        """Transactions served at a time with any number present, m = e * servers / work."""
        return maximum(self.server_count * self.ratio(time_s), 1.0)

    def row_count(self, time_s: FloatOrArray) -> int:
        """Transactions beyond which no more are served, but for a part in a billion."""
        if not self.hashes_flows:
            return math.ceil(_largest(self.full(time_s)))
        # (1 - 1/q)^j of the servers are not chosen by any of j flows
        return math.ceil(-math.log(ROUNDING_RATIO) * _largest(self.server_count))

    def busy(self, time_s: FloatOrArray, present: int) -> FloatOrArray:
        """Transactions served at a time with a number of them present."""
        if not self.hashes_flows:
            return minimum(float(present), self.full(time_s))
        used = used_queue_count(present, self.server_count)
        return maximum(used * self.ratio(time_s), 1.0)


class _Network(NamedTuple):
    """
    Stations and delays of a path, with the times of each passage that may be the longest.

    ``passages_s`` has the times of a stage in all passages, one behind the other on the first axis.
    """

    stations: list[_Station]
    passages_s: dict[str, Floats]
    alone_s: FloatOrArray
    think_time_s: FloatOrArray
    full_rates_tps: dict[str, FloatOrArray]
    messages: list[_Message]


def _network(path: Path, load: Load, connection_count: FloatOrArray) -> _Network:
    delaying = [stage for stage in path.stages if stage.delays]
    messages = [*_messages(delaying, load)]
    works_s = {stage.name: _rows(load, load.time_of([stage])) for stage in path.stages}
    servers = [
        _rows(load, load.axes.spread(message_servers(stage, path.pools, load.axes)), is_count=True)
        for stage in delaying
    ]
    # (1) stations: pools, for stages that may use any of their servers, and other stages
    full_rates_tps: dict[str, FloatOrArray] = {}
    counts: dict[str, FloatOrArray] = {}
    station_of: dict[str, str] = {}
    for stage in path.stages:
        if stage.parallel_count is not None:
            count = load.axes.spread(load.axes.array(stage.parallel_count, False))
            counts[stage.name] = own = _rows(load, count, is_count=True)
            if stage.hashes_flows:
                own = used_queue_count(connection_count, own)
            _add_full_rate(full_rates_tps, stage.name, own, works_s[stage.name])
            station_of[stage.name] = stage.name
    for pool in path.pools:
        if pool.parallel_count is None:
            continue
        count = load.axes.spread(load.axes.array(pool.parallel_count, False))
        counts[pool.name] = own = _rows(load, count, is_count=True)
        members = [stage for stage in path.stages if stage.pool == pool.name]
        _add_full_rate(full_rates_tps, pool.name, own, sum(works_s[each.name] for each in members))
        for stage in members:
            is_free = stage.name not in counts or (
                not stage.hashes_flows and bool(np.all(counts[stage.name] >= own))
            )
            if is_free:
                station_of[stage.name] = pool.name
    hashed = {stage.name for stage in path.stages if stage.hashes_flows}
    stations = []
    for name in dict.fromkeys(station_of.values()):
        stages = tuple(each.name for each in delaying if station_of.get(each.name) == name)
        work_s = sum(works_s[each.name] for each in delaying if name in (each.name, each.pool))
        if stages and not is_nothing(work_s):
            stations.append(_Station(name, stages, counts[name], name in hashed, work_s))
    # (2) what a transaction takes that meets no other
    alone_s: FloatOrArray = 0.0
    for message in messages:
        hops = [
            Hop(
                parts=parts,
                server_count=count,
                stores=not stage.is_delay
                and not is_nothing(getattr(stage, message.direction).per_message_s),
                ack_time_s=ack_s,
            )
            for stage, parts, count, ack_s in zip(
                delaying, message.parts, servers, message.acks_s, strict=True
            )
        ]
        from_client = message.direction == "to_server"
        pause_s = load.traffic.think_time_s if from_client else 0.0
        alone_s = alone_s + message_time_s(
            hops if from_client else hops[::-1], message.frame_count, pause_s
        )
    # (3) what each passage spends at each stage: one for every direction, in all combinations
    think_time_s = load.traffic.think_time_s
    quantities = (connection_count, think_time_s, alone_s, *works_s.values())
    axis_count = max(map(np.ndim, (*quantities, *counts.values())))
    passages_s: dict[str, Floats] = {}
    for message in messages:
        of_message = _passages(delaying, servers, message, station_of, axis_count)
        for name, time_s in of_message.items():
            both = passages_s.get(name, np.zeros((1, *time_s.shape[1:])))[:, np.newaxis] + time_s
            passages_s[name] = both.reshape(-1, *both.shape[2:])
    return _Network(stations, passages_s, alone_s, think_time_s, full_rates_tps, messages)


def _messages(stages: Sequence[Stage], load: Load) -> Iterator[_Message]:
    alone = load.without_acks
    for place, direction in enumerate(DIRECTIONS):
        if alone.counts()[place].message_count:
            counts = [alone.counts(stage.stack)[place] for stage in stages]
            yield _Message(
                direction,
                reduce(maximum, (count.frame_count for count in counts)),
                [
                    _parts(stage, alone, direction, count)
                    for stage, count in zip(stages, counts, strict=True)
                ],
                [_ack_s(stage, load, direction) for stage in stages],
            )


def _parts(stage: Stage, load: Load, direction: Direction, count: Counts) -> Parts:
    """What a message takes of a stage, by part. [s]"""
    sums: list[list[FloatOrArray]] = [[] for _ in Parts._fields]
    for name, time_s in load.terms(stage, direction):
        if name.endswith("per_message_s"):
            sums[0].append(time_s)
        elif name.endswith("per_wakeup_s"):
            sums[1].append(time_s)
        else:
            full, last, rest = frame_shares(name, stage, count)
            for terms, share in zip(sums[2:], (full, last, 1, rest), strict=True):
                terms.append(time_s * share)
    return Parts(*(_rows(load, load.axes.total(terms)) if terms else 0.0 for terms in sums))


def _ack_s(stage: Stage, load: Load, direction: Direction) -> FloatOrArray:
    """What one pure acknowledgement takes of a stage. [s]"""
    count = load.counts(stage.stack)[DIRECTIONS.index(direction)].ack_count
    if is_nothing(count):
        return 0.0
    with_acks = [time_s for _, time_s in load.terms(stage, direction)]
    without = [-time_s for _, time_s in load.without_acks.terms(stage, direction)]
    total = load.axes.total([*with_acks, *without])
    return _rows(load, total.mapped(lambda time_s: maximum(time_s, 0.0) / maximum(count, 1)))


def _add_full_rate(
    rates_tps: dict[str, FloatOrArray], name: str, count: FloatOrArray, work_s: FloatOrArray
) -> None:
    """The rate at which servers are full, where a transaction takes time of them."""
    if not is_nothing(work_s):
        with np.errstate(divide="ignore"):
            rates_tps[name] = count / work_s


def _passages(
    stages: Sequence[Stage],
    servers: Sequence[FloatOrArray],
    message: _Message,
    station_of: Mapping[str, str],
    axis_count: int,
) -> dict[str, Floats]:
    """Times of a message at each stage, in each of its passages that may be the longest."""
    parts, frame_count = message.parts, message.frame_count
    # (1) the first frame at every stage
    of_first = [part.message + part.wakeup + part.full for part in parts]
    is_single = np.less_equal(frame_count, 1)
    # (2) all frames at one station, and the last behind them; a single frame passes as in (1)
    of_last = [part.message + part.last for part in parts]
    of_all = {
        place: part.message + (part.wakeup + time_at_s(part, frame_count, servers[place]))
        for place, (stage, part) in enumerate(zip(stages, parts, strict=True))
        if stage.name in station_of and not is_nothing(part.all) and not np.all(is_single)
    }
    shape = np.broadcast_shapes(
        np.shape(is_single), *map(np.shape, (*of_first, *of_last, *of_all.values()))
    )
    shape = (1,) * (axis_count - len(shape)) + shape
    rows = {place: row for row, place in enumerate(of_all, start=1)}
    passages_s = {}
    for place, stage in enumerate(stages):
        times_s = np.empty((1 + len(of_all), *shape))
        times_s[0] = of_first[place]
        times_s[1:] = np.where(is_single, of_first[place], of_last[place])
        if place in rows:
            times_s[rows[place]] = np.where(is_single, of_first[place], of_all[place])
        passages_s[stage.name] = times_s
    return passages_s


def _approximations(network: _Network, path: Path, load: Load) -> Iterator[str]:
    """Why the rate is not exact for exponential service."""
    delaying = [stage.name for stage in path.stages if stage.delays]
    visits_of: dict[str, list[FloatOrArray]] = {name: [] for name in delaying}
    for message in network.messages:
        for name, part in zip(delaying, message.parts, strict=True):
            visit_s = part.message + part.wakeup + part.full
            visits_of[name].append(_of_rows(load, visit_s)[0])
    passage_count = max(len(time_s) for time_s in network.passages_s.values())
    if passage_count > 1:
        yield _with_error("messages of several frames, which overlap at stages")
    differing, partial = [], []
    for station in network.stations:
        visits = [
            visit for name in station.stages for visit in visits_of[name] if not is_nothing(visit)
        ]
        if any(np.any(visit != visits[0]) for visit in visits[1:]):
            differing.append(station.name)
        spent_s = sum(network.passages_s[name][0] for name in station.stages)
        if np.any(station.work_s > spent_s * (1 + ROUNDING_RATIO)):
            partial.append(station.name)
    if any(np.any(ack_s) for message in network.messages for ack_s in message.acks_s):
        yield _with_error("acknowledgements beside messages")
    if differing:
        yield _with_error("visits of different length", differing)
    if partial and passage_count == 1:
        yield f"work beside messages at {', '.join(partial)}"
    chosen = [
        station.name
        for station in network.stations
        if station.hashes_flows and np.any(station.server_count != 1)
    ]
    if chosen:
        yield f"a hash chooses the server at {', '.join(chosen)}"
    if np.any(np.asarray(load.traffic.connection_count) % 1 != 0):
        yield "a number of connections that is not whole"


def _with_error(cause: str, stations: Collection[str] = ()) -> str:
    """Cause of an approximation, where it is, and how far off simulations show it at most."""
    places = f" at {', '.join(stations)}" if stations else ""
    error = fixed_percent(SIMULATED_ERRORS[cause], 0)
    return f"{cause}{places} (rate in simulations up to {error} off)"


# ---- The network solved


class _Solution(NamedTuple):
    """Rate of a network, and mean transactions at its stations and delays."""

    rate_tps: FloatOrArray
    lengths: dict[str, FloatOrArray]


def _solved(network: _Network, count: FloatOrArray) -> _Solution:
    """The passage with the lowest rate."""
    times = network.passages_s.values()
    passage_count = max(map(len, times))
    shapes = [time_s.shape[1:] for time_s in times]
    shapes += map(np.shape, (network.alone_s, network.think_time_s, count))
    models = math.prod(np.broadcast_shapes(*shapes))
    rows = min(_largest(count), _RECURSION_COUNT) + 1
    block = max(1, int(_TABLE_COUNT / (max(1, len(network.stations)) * rows * max(1, models))))
    return reduce(
        _slower,
        (
            _slowest(network, slice(first, first + block), count)
            for first in range(0, passage_count, block)
        ),
    )


def _slowest(network: _Network, passages: slice, count: FloatOrArray) -> _Solution:
    """Of some passages: their stations as queues, all else as delays."""
    times_s = {name: time_s[passages] for name, time_s in network.passages_s.items()}
    queued = [
        (station, time_s)
        for station in network.stations
        if np.any(time_s := sum(times_s[name] for name in station.stages))
    ]
    inside = {name for station in network.stations for name in station.stages}
    at_delays = {
        name: time_s for name, time_s in times_s.items() if name not in inside and np.any(time_s)
    }
    # frames that wait for others of their message delay it beside what the passage takes
    axis_count = 1 + max(map(np.ndim, (network.alone_s, network.think_time_s, count)))
    passed_s: Floats = sum(times_s.values(), np.zeros((1,) * axis_count))
    waits_s = maximum(network.alone_s - passed_s, 0.0)
    apart_s = network.think_time_s + sum(at_delays.values()) + waits_s
    rates = _rate_of_network(queued, apart_s, count) if queued else [count / apart_s]
    rate_tps, queues = np.asarray(rates[0]), rates[1:]
    share = rate_tps * waits_s / where(passed_s > 0, passed_s, 1.0)
    lengths = {
        station.name: length + share * time_s
        for (station, time_s), length in zip(queued, queues, strict=True)
    }
    lengths |= {name: (rate_tps + share) * time_s for name, time_s in at_delays.items()}
    # of several that are the slowest, the first has the queues
    first = np.argmax(rate_tps <= rate_tps.min(axis=0), axis=0)[np.newaxis]

    def of_first(quantity: FloatOrArray) -> FloatOrArray:
        one = np.take_along_axis(np.broadcast_to(quantity, rate_tps.shape), first, axis=0)[0]
        return one if one.ndim else float(one)

    return _Solution(of_first(rate_tps), {name: of_first(each) for name, each in lengths.items()})


def _slower(first: _Solution, second: _Solution) -> _Solution:
    """The one with the lower rate, the first where they tie; NaN where either is NaN."""
    is_second = (second.rate_tps < first.rate_tps) | np.isnan(second.rate_tps)
    names = dict.fromkeys((*first.lengths, *second.lengths))
    return _Solution(
        where(is_second, second.rate_tps, first.rate_tps),
        {
            name: where(is_second, second.lengths.get(name, 0.0), first.lengths.get(name, 0.0))
            for name in names
        },
    )


def _rate_of_network(
    queued: Sequence[tuple[_Station, FloatOrArray]], apart_s: FloatOrArray, count: FloatOrArray
) -> list[FloatOrArray]:
    """Rate of a network with exponential service, and transactions at each of its stations."""
    # (1) models along one axis, each with all numbers of connections up to the largest asked for
    fulls = [station.full(time_s) for station, time_s in queued]
    models = np.broadcast_shapes(*map(np.shape, (apart_s, *fulls, *(each for _, each in queued))))
    asked = np.minimum(np.where(np.isnan(count), 1.0, count), _RECURSION_COUNT)
    largest = int(np.ceil(asked.max(initial=1.0)))

    def by_model(quantity: FloatOrArray) -> Floats:
        return np.broadcast_to(np.asarray(quantity, dtype=float), models).reshape(-1)

    shape = np.broadcast_shapes(models, np.shape(count))
    share = np.where(np.isnan(count), np.nan, asked - np.floor(asked))
    gaps_s = []
    for station, time_s in queued:
        presents = range(1, min(largest, station.row_count(time_s)) + 1)
        served = np.stack([by_model(station.busy(time_s, present)) for present in presents])
        gaps_s.append(np.maximum(by_model(time_s), _SHORTEST_S) / served)
    rates, queues = product_form(gaps_s, by_model(apart_s), largest)
    # (2) those asked for; between two whole numbers they are on the line between both
    place = np.broadcast_to(np.arange(math.prod(models)).reshape(models), shape)
    fewer = np.broadcast_to(np.floor(asked), shape).astype(int)
    more = np.minimum(fewer + 1, largest)
    results: list[FloatOrArray] = [
        table[fewer, place] + share * (table[more, place] - table[fewer, place])
        for table in (rates, *queues)
    ]
    # (3) beyond the largest number of the recursion, the approximation where it is higher
    if np.any(count > _RECURSION_COUNT):
        times_s = [time_s for _, time_s in queued]
        queues_s = [
            maximum(each / full, _SHORTEST_S) for each, full in zip(times_s, fulls, strict=True)
        ]
        delays_s = [time_s - queue_s for time_s, queue_s in zip(times_s, queues_s, strict=True)]
        network = approximate_closed_network(
            queues_s, minimum(count, _LARGEST_COUNT), apart_s + maximum(sum(delays_s), 0.0)
        )
        rate_tps, lengths = network.transaction_rate_tps, network.stage_connection_counts
        # those beyond the largest number wait where most do
        longest = reduce(maximum, lengths)
        is_longest = [length >= longest * (1 - ROUNDING_RATIO) for length in lengths]
        further = maximum(count - _LARGEST_COUNT, 0.0) / sum(where(a, 1, 0) for a in is_longest)
        wide = [rate_tps]
        wide += [
            length + where(is_here, further, 0.0) + rate_tps * delay_s
            for length, is_here, delay_s in zip(lengths, is_longest, delays_s, strict=True)
        ]
        is_higher = (count > _RECURSION_COUNT) & (rate_tps > results[0])
        results = [where(is_higher, far, near) for far, near in zip(wide, results, strict=True)]
    return [each if np.ndim(each) else float(each) for each in results]


def _largest(values: FloatOrArray) -> float:
    """At least 1; NaN does not count."""
    return float(np.fmax.reduce(np.ravel(values), initial=1.0))
