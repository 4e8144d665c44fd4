"""Expected rate, time and queues of connections that wait: mean value analysis of a path."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from netmodel.concurrency import (
    approximate_closed_network,
    general_service_closed_network,
    used_queue_count,
)
from netmodel.concurrency._product_form import product_form
from netmodel.estimates import Bound, Predicted
from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO, FloatOrArray, Floats, maximum, minimum, sqrt, where
from netmodel.path._expected_rate import ASSUMPTION, Expected
from netmodel.path._overlap import Hop, message_time_s, time_at_s
from netmodel.path._path import DIRECTIONS, Direction, Path, Stage
from netmodel.path._traffic import Counts, Load, sum_of
from netmodel.path._uncertain import (
    Parameter,
    ValueOf,
    ends_of,
    is_nothing,
    over_cases,
    quoted_of,
)
from netmodel.path._zero_load import Parts, message_servers, quoted_parts, spread_parts
from netmodel.text import fixed_percent
from netmodel.units import BITS_PER_BYTE

_VARIATION_GIVEN = "service times vary as specified"
"""The same where coefficients of variation are given."""

SIMULATED_ERRORS = {
    "messages of several frames, which overlap at stages": 0.48,
    "visits of different length": 0.2,
    "acknowledgements beside messages": 0.37,
    "service that is not exponential": 0.35,
}
"""Largest error of the rate that `tests/simulation` shows, by what causes it: with exponential
service, or with the variation given. Medians are 0.2 to 11 %, of acknowledgements 7 to 16 %.
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


def expected_value(
    path: Path,
    load: Load,
    works_s: Mapping[str, Predicted],
    limits_tps: Mapping[str, Predicted],
) -> Expected:
    r"""
    Expected value of the rate of connections that wait, over a path that is known.

    Parameters
    ----------
    path : Path
        Without unknown parts.
    load : Load
        What it carries, with a number of connections.
    works_s : mapping of str to Predicted
        What a transaction takes of each stage, acknowledgements included. [s]
    limits_tps : mapping of str to Predicted
        Upper bounds of the rate, by their limits. [1/s]

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

    References
    ----------
    M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed multichain queuing networks",
    Journal of the ACM 27 (1980); A. Seidmann, P. J. Schweitzer and S. Shalev-Oren,
    "Computerized closed queueing network models of flexible manufacturing systems", Large
    Scale Systems 12 (1987), for stations with several servers.
    """
    traffic = load.traffic
    count = traffic.connection_count
    assert count is not None
    delaying = [stage for stage in path.stages if stage.delays]
    quoted = [
        _Message(*message, [_ack_s(load, stage, message[0]).value for stage in delaying])
        for message in quoted_parts(delaying, load.without_acks)
    ]
    works = {stage.name: sum_of(load.demand(stage, quoted_of)) for stage in path.stages}
    network = _Network.of(path, load, quoted, works, quoted_of)
    solution = network.solved(count)
    others = {name: rate for name, rate in limits_tps.items() if name not in network.full_rates_tps}
    # (1) the value, with all parameters as quoted
    caps = network.full_rates_tps | {name: rate.value for name, rate in others.items()}
    cap_tps = reduce(minimum, caps.values())
    rate_tps = minimum(solution.rate_tps, cap_tps)
    # (2) its ends: all times at their longest, with the fewest servers; and the reverse
    low_tps = high_tps = rate_tps
    if path.is_uncertain:
        spreads = list(spread_parts(delaying, load.without_acks))

        def fewest(parameter: Parameter, slows: bool) -> FloatOrArray:
            return ends_of(parameter)[0]

        def most(parameter: Parameter, slows: bool) -> FloatOrArray:
            return ends_of(parameter)[1]

        ends = []
        for of_times, of_rates, counts_of in (("high", "low", fewest), ("low", "high", most)):
            at_end = [
                _Message(
                    direction,
                    counts,
                    [Parts(*(getattr(part, of_times) for part in parts)) for parts in of_stages],
                    [getattr(_ack_s(load, stage, direction), of_times) for stage in delaying],
                )
                for direction, counts, of_stages in spreads
            ]
            works_there = {name: getattr(work, of_times) for name, work in works_s.items()}
            there = _Network.of(path, load, at_end, works_there, counts_of)
            caps_there = [*there.full_rates_tps.values()]
            caps_there += [getattr(rate, of_rates) for rate in others.values()]
            ends.append(minimum(there.solved(count).rate_tps, reduce(minimum, caps_there)))
        low_tps, high_tps = minimum(ends[0], rate_tps), maximum(ends[1], rate_tps)
    rate = Predicted(rate_tps, low_tps, high_tps)
    # (3) Little's law: the time, and who is where; what a limit holds back waits for it
    time_s, longest_s, shortest_s = (
        count / each - traffic.think_time_s for each in (rate_tps, low_tps, high_tps)
    )
    passed_ratio = rate_tps / solution.rate_tps
    present: dict[str, FloatOrArray] = {
        name: length * passed_ratio for name, length in solution.lengths.items()
    }
    held_back = count - count * passed_ratio
    for name, cap in caps.items():
        here = where((cap <= cap_tps) & (held_back > count * ROUNDING_RATIO), held_back, 0.0)
        if np.any(here):
            present[name] = present.get(name, 0.0) + here
            held_back = held_back - here
    return Expected(
        transaction_rate_tps=rate,
        throughput_bps=rate.scaled(BITS_PER_BYTE * traffic.payload_bytes),
        transaction_time_s=Predicted(time_s, shortest_s, longest_s),
        stage_transaction_counts=present,
        use_ratios={name: rate_tps / full for name, full in network.full_rates_tps.items()},
        approximations=tuple(network.approximations(count)),
        assumption=_assumption(path),
        service_variation_ratios=network.varied,
    )


def _assumption(path: Path) -> str:
    """What the value rests on: the variation that is given, else exponential service times."""
    served = [stage for stage in path.stages if stage.delays and not stage.is_delay]
    is_given = [path.service_variation_ratio(stage) != 1 for stage in served]
    if not any(is_given):
        return ASSUMPTION
    return _VARIATION_GIVEN + ("" if all(is_given) else ", else are exponential")


class _Message(NamedTuple):
    """A message of a direction: what it brings to each stage, and what that takes of it. [s]"""

    direction: Direction
    counts: list[Counts]
    parts: list[Parts]
    acks_s: list[FloatOrArray]

    @property
    def frame_count(self) -> FloatOrArray:
        """Its frames, where there are most of them."""
        return reduce(maximum, (count.frame_count for count in self.counts))


class _Solution(NamedTuple):
    """Rate of a network, and mean transactions at its stations and delays."""

    rate_tps: FloatOrArray
    lengths: dict[str, FloatOrArray]


@dataclass(frozen=True)
class _Station:
    """Servers that transactions compete for, and the stages that need one of them."""

    name: str
    stages: tuple[str, ...]
    server_count: FloatOrArray
    hashes_flows: bool
    work_s: FloatOrArray
    variation_ratio: FloatOrArray


@dataclass(frozen=True)
class _Servers:
    """How many transactions a station serves at a time, in messages of a passage."""

    station: _Station
    time_s: FloatOrArray

    @property
    def ratio(self) -> FloatOrArray:
        """Time of a message over the work for it: below 1 where servers share its frames."""
        return self.time_s / self.station.work_s

    @property
    def full(self) -> FloatOrArray:
        """With any number of transactions present, m = e * servers / work; at least 1."""
        return maximum(self.station.server_count * self.ratio, 1.0)

    @property
    def row_count(self) -> int:
        """Transactions beyond which no more are served, but for a part in a billion."""
        if not self.station.hashes_flows:
            return math.ceil(_largest(self.full))
        # (1 - 1/q)^j of the servers are not chosen by any of j flows
        return math.ceil(-math.log(ROUNDING_RATIO) * _largest(self.station.server_count))

    def busy(self, present: int) -> FloatOrArray:
        """With a number of transactions present."""
        if not self.station.hashes_flows:
            return minimum(float(present), self.full)
        used = used_queue_count(present, self.station.server_count)
        return maximum(used * self.ratio, 1.0)


@dataclass(frozen=True)
class _Network:
    """
    Stations and delays of a path, with the times of each passage that may be the longest.

    ``passages_s`` has the times of a stage in all passages, one behind the other on the first axis.
    """

    stations: tuple[_Station, ...]
    passages_s: dict[str, Floats]
    alone_s: FloatOrArray
    think_time_s: FloatOrArray
    full_rates_tps: dict[str, FloatOrArray]
    path: Path
    load: Load
    quoted: Sequence[_Message]

    @classmethod
    def of(
        cls,
        path: Path,
        load: Load,
        messages: Sequence[_Message],
        works_s: Mapping[str, FloatOrArray],
        change: Callable[[Parameter, bool], FloatOrArray],
    ) -> "_Network":
        """Of messages with these parts of their times; the work and the counts are of the same."""
        delaying = [stage for stage in path.stages if stage.delays]
        pools = [pool.changed(change) for pool in path.pools]
        changed = [stage.changed(change) for stage in delaying]
        servers = [message_servers(stage, pools) for stage in changed]
        flows = load.traffic.connection_count
        assert flows is not None
        # (1) stations: pools, for stages that may use any of their servers, and other stages
        full_rates_tps: dict[str, FloatOrArray] = {}
        counts: dict[str, FloatOrArray] = {}
        hashed: set[str] = set()
        station_of: dict[str, str] = {}
        for stage in path.stages:
            own = stage.parallel_count
            if own is not None:
                count = change(own, False)
                counts[stage.name] = count
                if stage.hashes_flows:
                    hashed.add(stage.name)
                    count = used_queue_count(flows, count)
                _add_full_rate(full_rates_tps, stage.name, count, works_s[stage.name])
                station_of[stage.name] = stage.name
        for pool in pools:
            if pool.parallel_count is None:
                continue
            count = change(pool.parallel_count, False)
            members = [stage for stage in path.stages if stage.pool == pool.name]
            work_s = sum(works_s[stage.name] for stage in members)
            _add_full_rate(full_rates_tps, pool.name, count, work_s)
            counts[pool.name] = count
            for stage in members:
                is_free = stage.name not in counts or (
                    not stage.hashes_flows and bool(np.all(counts[stage.name] >= count))
                )
                if is_free:
                    station_of[stage.name] = pool.name
        stations = []
        for name in dict.fromkeys(station_of.values()):
            of_station = tuple(
                stage.name for stage in delaying if station_of.get(stage.name) == name
            )
            work_s = sum(
                works_s[stage.name]
                for stage in path.stages
                if stage.delays and name in (stage.name, stage.pool)
            )
            if of_station and not is_nothing(work_s):
                variation = _variation_ratio(path, of_station, delaying, messages)
                station = (counts[name], name in hashed, work_s, variation)
                stations.append(_Station(name, of_station, *station))
        # (2) what a transaction takes that meets no other
        alone_s: FloatOrArray = 0.0
        for message in messages:
            hops = [
                Hop(
                    parts=message.parts[place],
                    server_count=servers[place],
                    stores=not stage.is_delay
                    and not is_nothing(getattr(stage, message.direction).per_message_s),
                    ack_time_s=message.acks_s[place],
                )
                for place, stage in enumerate(delaying)
            ]
            from_client = message.direction == "to_server"
            alone_s = alone_s + message_time_s(
                hops if from_client else hops[::-1],
                message.frame_count,
                load.traffic.think_time_s if from_client else 0.0,
            )
        # (3) what each passage spends at each stage: one for every direction, in all combinations
        think_time_s = load.traffic.think_time_s
        quantities = (flows, think_time_s, alone_s, *works_s.values(), *counts.values())
        axis_count = max(map(np.ndim, quantities))
        of_directions = [
            _passages(delaying, servers, message, station_of, axis_count) for message in messages
        ]
        return cls(
            stations=tuple(stations),
            passages_s=_combined(of_directions),
            alone_s=alone_s,
            think_time_s=think_time_s,
            full_rates_tps=full_rates_tps,
            path=path,
            load=load,
            quoted=messages,
        )

    @property
    def passage_count(self) -> int:
        """Passages, of which the slowest counts."""
        return max(len(time_s) for time_s in self.passages_s.values())

    def solved(self, count: FloatOrArray) -> _Solution:
        """The passage with the lowest rate."""
        shapes = [time_s.shape[1:] for time_s in self.passages_s.values()]
        shapes += map(np.shape, (self.alone_s, self.think_time_s, count))
        models = math.prod(np.broadcast_shapes(*shapes))
        rows = min(_largest(count), _RECURSION_COUNT) + 1
        block = max(1, int(_TABLE_COUNT / (max(1, len(self.stations)) * rows * max(1, models))))
        slowest = [
            self._slowest(slice(first, first + block), count)
            for first in range(0, self.passage_count, block)
        ]
        return reduce(_slower, slowest)

    def _slowest(self, passages: slice, count: FloatOrArray) -> _Solution:
        """Of some passages: their stations as queues, all else as delays."""
        times_s = {name: time_s[passages] for name, time_s in self.passages_s.items()}
        at_stations: dict[str, FloatOrArray] = {}
        servers: dict[str, _Servers] = {}
        for station in self.stations:
            time_s = sum(times_s[name] for name in station.stages)
            if np.any(time_s != 0):
                at_stations[station.name] = time_s
                servers[station.name] = _Servers(station, time_s)
        inside = {name for station in self.stations for name in station.stages}
        at_delays = {
            name: time_s
            for name, time_s in times_s.items()
            if name not in inside and np.any(time_s != 0)
        }
        # frames that wait for others of their message delay it beside what the passage takes
        axis_count = 1 + max(map(np.ndim, (self.alone_s, self.think_time_s, count)))
        passed_s: Floats = sum(times_s.values(), np.zeros((1,) * axis_count))
        waits_s = maximum(self.alone_s - passed_s, 0.0)
        apart_s = self.think_time_s + sum(at_delays.values()) + waits_s
        rates: list[FloatOrArray] = (
            _rate_of_network(list(at_stations.values()), list(servers.values()), apart_s, count)
            if at_stations
            else [count / apart_s]
        )
        rate_tps, queues = np.asarray(rates[0]), rates[1:]
        share = rate_tps * waits_s / where(passed_s > 0, passed_s, 1.0)
        lengths: dict[str, FloatOrArray] = dict(zip(at_stations, queues, strict=True))
        lengths |= {name: rate_tps * time_s for name, time_s in at_delays.items()}
        for name, own_s in (at_stations | at_delays).items():
            lengths[name] = lengths[name] + share * own_s
        # of several that are the slowest, the first has the queues
        first = np.argmax(rate_tps <= rate_tps.min(axis=0), axis=0)[np.newaxis]

        def of_first(quantity: FloatOrArray) -> FloatOrArray:
            one = np.take_along_axis(np.broadcast_to(quantity, rate_tps.shape), first, axis=0)[0]
            return one if one.ndim else float(one)

        return _Solution(
            of_first(rate_tps), {name: of_first(each) for name, each in lengths.items()}
        )

    @property
    def varied(self) -> dict[str, FloatOrArray]:
        """Coefficients of variation of stations whose service is not exponential."""
        ratios = {station.name: station.variation_ratio for station in self.stations}
        return {name: ratio for name, ratio in ratios.items() if np.any(ratio != 1)}

    def approximations(self, count: FloatOrArray) -> Iterator[str]:
        """Why the rate is not exact for exponential service."""
        if self.passage_count > 1:
            yield _with_error("messages of several frames, which overlap at stages")
        differing, partial = [], []
        delaying = [stage.name for stage in self.path.stages if stage.delays]
        visits_of: dict[str, list[FloatOrArray]] = {name: [] for name in delaying}
        for message in self.quoted:
            for name, part in zip(delaying, message.parts, strict=True):
                visits_of[name].append(part.message + part.wakeup + part.full)
        for station in self.stations:
            visits = [
                visit
                for name in station.stages
                for visit in visits_of[name]
                if not is_nothing(visit)
            ]
            if any(np.any(visit != visits[0]) for visit in visits[1:]):
                differing.append(station.name)
            spent_s = sum(self.passages_s[name][0] for name in station.stages)
            if np.any(station.work_s > spent_s * (1 + ROUNDING_RATIO)):
                partial.append(station.name)
        if any(np.any(ack_s) for message in self.quoted for ack_s in message.acks_s):
            yield _with_error("acknowledgements beside messages")
        if differing:
            yield _with_error("visits of different length", differing)
        if partial and self.passage_count == 1:
            yield f"work beside messages at {', '.join(partial)}"
        chosen = [
            station.name
            for station in self.stations
            if station.hashes_flows and np.any(station.server_count != 1)
        ]
        if chosen:
            yield f"a hash chooses the server at {', '.join(chosen)}"
        if self.varied:
            yield _with_error("service that is not exponential", self.varied)
        if np.any(np.asarray(count) % 1 != 0):
            yield "a number of connections that is not whole"


def _ack_s(load: Load, stage: Stage, direction: Direction) -> Predicted:
    """What one pure acknowledgement takes of a stage. [s]"""
    count = load.counts(stage.stack)[DIRECTIONS.index(direction)].ack_count
    if is_nothing(count):
        return Predicted(0.0, 0.0, 0.0)

    def time_s(value_of: ValueOf) -> FloatOrArray:
        with_acks, without = (
            sum_of(each.demand(stage, value_of, (direction,))) for each in (load, load.without_acks)
        )
        return maximum(with_acks - without, 0.0) / maximum(count, 1)

    return over_cases(stage.parameters, load.points, time_s, Bound.LOWER).predicted


def _variation_ratio(
    path: Path, names: Sequence[str], stages: Sequence[Stage], messages: Sequence[_Message]
) -> FloatOrArray:
    """Of all visits to the stages of a station: the mean of squares, as in what is left of one."""
    weights: FloatOrArray = 0.0
    squares: FloatOrArray = 0.0
    ratios = {
        stage.name: path.service_variation_ratio(stage) for stage in stages if stage.name in names
    }
    if all(ratio == 1 for ratio in ratios.values()):
        return 1.0
    for message in messages:
        for stage, parts in zip(stages, message.parts, strict=True):
            if stage.name in ratios:
                weight = (parts.message + parts.wakeup + parts.all) ** 2
                weights = weights + weight
                squares = squares + weight * ratios[stage.name] ** 2
    return sqrt(squares / where(weights > 0, weights, 1.0))


def _largest(values: FloatOrArray) -> float:
    """At least 1; NaN does not count."""
    return float(np.fmax.reduce(np.ravel(values), initial=1.0))


def _with_error(cause: str, stations: Collection[str] = ()) -> str:
    """Cause of an approximation, where it is, and how far off simulations show it at most."""
    places = f" at {', '.join(stations)}" if stations else ""
    error = fixed_percent(SIMULATED_ERRORS[cause], 0)
    return f"{cause}{places} (rate in simulations up to {error} off)"


def _add_full_rate(
    rates_tps: dict[str, FloatOrArray], name: str, count: FloatOrArray, work_s: FloatOrArray
) -> None:
    """The rate at which servers are full, where a transaction takes time of them."""
    if is_nothing(work_s):
        return
    with np.errstate(divide="ignore"):
        rates_tps[name] = count / work_s


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


def _combined(of_directions: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    """Times at each stage in every combination of a passage of each direction."""
    result: dict[str, Floats] = {}
    for passages_s in of_directions:
        for name, time_s in passages_s.items():
            before = result.get(name, np.zeros((1, *time_s.shape[1:])))
            both = before[:, np.newaxis] + time_s
            result[name] = both.reshape(-1, *both.shape[2:])
    return result


def _rate_of_network(
    times_s: Sequence[FloatOrArray],
    servers: Sequence[_Servers],
    apart_s: FloatOrArray,
    count: FloatOrArray,
) -> list[FloatOrArray]:
    """Rate of a network with exponential service, and transactions at each of its stations."""
    # (1) models along one axis, each with all numbers of connections up to the largest asked for
    shapes = [np.shape(each) for each in (*times_s, apart_s, *(some.full for some in servers))]
    models = np.broadcast_shapes(*shapes)
    asked = np.minimum(np.where(np.isnan(count), 1.0, count), _RECURSION_COUNT)
    largest = int(np.ceil(asked.max(initial=1.0)))

    def by_model(quantity: FloatOrArray) -> Floats:
        return np.broadcast_to(np.asarray(quantity, dtype=float), models).reshape(-1)

    shape = np.broadcast_shapes(models, np.shape(count))
    share = np.where(np.isnan(count), np.nan, asked - np.floor(asked))
    gaps_s = []
    for time_s, some in zip(times_s, servers, strict=True):
        row_count = min(largest, some.row_count)
        served = np.stack([by_model(some.busy(present)) for present in range(1, row_count + 1)])
        gaps_s.append(np.maximum(by_model(time_s), _SHORTEST_S) / served)
    rates, queues = product_form(gaps_s, by_model(apart_s), largest)
    # (2) those asked for; between two whole numbers they are on the line between both
    place = np.broadcast_to(np.arange(math.prod(models)).reshape(models), shape)
    fewer = np.broadcast_to(np.floor(asked), shape).astype(int)
    near = fewer, np.minimum(fewer + 1, largest)
    few, many = ([table[each, place] for table in (rates, *queues)] for each in near)
    if any(np.any(some.station.variation_ratio != 1) for some in servers):
        few, many = (
            _of_any_service(times_s, servers, apart_s, each, exponential)
            for each, exponential in zip(near, (few, many), strict=True)
        )
    results: list[FloatOrArray] = [
        first + share * (second - first) for first, second in zip(few, many, strict=True)
    ]
    # (3) beyond the largest number of the recursion, the approximation where it is higher
    if np.any(count > _RECURSION_COUNT):
        queues_s = [
            maximum(time_s / some.full, _SHORTEST_S)
            for time_s, some in zip(times_s, servers, strict=True)
        ]
        delays_s = [time_s - queue_s for time_s, queue_s in zip(times_s, queues_s, strict=True)]
        network = approximate_closed_network(
            queues_s, minimum(count, _LARGEST_COUNT), apart_s + maximum(sum(delays_s), 0.0)
        )
        rate_tps, lengths = network.transaction_rate_tps, network.stage_connection_counts
        # those beyond the largest number wait where most do
        most = reduce(maximum, lengths)
        is_most = [length >= most * (1 - ROUNDING_RATIO) for length in lengths]
        further = maximum(count - _LARGEST_COUNT, 0.0) / sum(where(each, 1, 0) for each in is_most)
        wide = [rate_tps]
        wide += [
            length + where(is_here, further, 0.0) + rate_tps * delay_s
            for length, is_here, delay_s in zip(lengths, is_most, delays_s, strict=True)
        ]
        is_higher = (count > _RECURSION_COUNT) & (rate_tps > results[0])
        results = [where(is_higher, far, near) for far, near in zip(wide, results, strict=True)]
    return [each if np.ndim(each) else float(each) for each in results]


def _of_any_service(
    times_s: Sequence[FloatOrArray],
    servers: Sequence[_Servers],
    apart_s: FloatOrArray,
    count: Floats,
    exponential: Sequence[Floats],
) -> list[Floats]:
    """Rate of a network with the variation of each station, and transactions at each."""
    served = [
        maximum(used_queue_count(count, some.station.server_count) * some.ratio, 1.0)
        if some.station.hashes_flows
        else some.full
        for some in servers
    ]
    ratios = [some.station.variation_ratio for some in servers]
    network = general_service_closed_network(
        [maximum(time_s, _SHORTEST_S) for time_s in times_s], count, apart_s, served, ratios
    )
    rate_tps, *lengths = (
        np.asarray(each)
        for each in (network.transaction_rate_tps, *network.stage_connection_counts)
    )
    # (1) no transaction waits for more than all others at each stage
    least_tps = count / (apart_s + count * sum(times_s))
    raised_tps = np.maximum(rate_tps, least_tps)
    scale = (count - raised_tps * apart_s) / sum(lengths)
    varied = [raised_tps, *(length * scale for length in lengths)]
    # (2) service that varies less is not slower than exponential, service that varies more not
    # faster: with several servers the approximation may be, by a percent
    varies_less = reduce(np.logical_and, (np.less_equal(ratio, 1) for ratio in ratios))
    varies_more = reduce(np.logical_and, (np.greater_equal(ratio, 1) for ratio in ratios))
    is_beyond = (varies_less & (raised_tps < exponential[0])) | (
        varies_more & (raised_tps > exponential[0])
    )
    return [
        np.where(is_beyond, other, each) for each, other in zip(varied, exponential, strict=True)
    ]
