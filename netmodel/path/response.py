"""Response time of connections that wait: alone on the path, and expected with all of them."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any, NamedTuple, TypeAlias

from netmodel.ceilings import ByteLayer
from netmodel.concurrency import used_queue_count
from netmodel.concurrency.product_form import product_form
from netmodel.estimates import Predicted
from netmodel.lazy_numpy import np
from netmodel.numeric import ROUNDING_RATIO, FloatOrArray, Floats, floor, maximum, minimum, where
from netmodel.path.ensemble import Ensemble, Spread, is_nothing, is_one, joined
from netmodel.path.stages import Direction, Path, Pool, Stage
from netmodel.path.traffic import Counts, Load, Traffic, is_at_most_one, least
from netmodel.results import Result
from netmodel.text import fixed_percent
from netmodel.units import BITS_PER_BYTE

ASSUMPTION = "service times are exponential"
"""What expected values rest on, beside what the bounds do."""
SIMULATED_ERRORS = {
    "messages of several frames, which overlap at stages": 0.48,
    "visits of different length": 0.2,
}
"""Largest error of the rate that `tests/simulation` shows, by what causes it, with exponential
service. Medians are 0.2 to 11 %.
"""
_RECURSION_COUNT = 10_000
"""Connections up to which the recursion is taken: a tenth of a second. Beyond, the bound is within
1 % where a path has one bottleneck: queues differ by one part in the square root of their number.
"""
_TABLE_COUNT = 4_000_000
"""Numbers of the tables of a network, 32 MB: passages beyond them are solved in turn."""
_SHORTEST_S = 1e-300
"""In place of no time at all, which networks refuse: it adds nothing to any other time."""


@dataclass(frozen=True, repr=False)
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
    approximations : tuple of str
        Why the value is not exact under its assumption; none where it is.
    assumption : str
        What the value rests on, beside what the bounds do.
    """

    transaction_rate_tps: Predicted
    throughput_bps: Predicted
    transaction_time_s: Predicted
    approximations: tuple[str, ...]
    assumption: str = ASSUMPTION

    json_keys = (
        "transaction_rate_tps throughput_bps transaction_time_s is_exact assumption approximations"
    )

    @property
    def is_exact(self) -> bool:
        """True if the value is exact under its assumption, not an approximation."""
        return not self.approximations


def expected_of_rate(
    rate_tps: Predicted, upper_tps: Predicted, traffic: Traffic, assumption: str, *causes: str
) -> Expected:
    """
    Return the expected value of a rate, with its time by Little's law.

    Parameters
    ----------
    rate_tps : Predicted
        Of all connections together. [1/s]
    upper_tps : Predicted
        Upper bound of it, which the value does not exceed. [1/s]
    traffic : Traffic
        With a number of connections.
    assumption : str
        What the value rests on.
    *causes : str
        Why it is not exact.
    """
    count = traffic.connection_count
    assert count is not None
    value = minimum(rate_tps.value, upper_tps.value)
    low = minimum(rate_tps.low, value)
    rate = Predicted(value, low, maximum(minimum(rate_tps.high, upper_tps.high), value))
    time = rate.inverse(count).mapped(lambda time_s: time_s - traffic.think_time_s)
    bps = rate.scaled(BITS_PER_BYTE * traffic.payload_bytes)
    return Expected(rate, bps, time, causes, assumption)


# ---- Zero load: a lower bound of the time of a transaction that meets no other


_Part: TypeAlias = tuple[FloatOrArray, list[FloatOrArray]]
"""A time of a stage, and what a message takes of it in each bound of its time."""


def zero_load(path: Path, load: Load) -> Spread:
    """
    Return the zero-load time of a transaction, a lower bound, with its think time. [s]

    The largest of the bounds of `passages`, each over all values of its parameters.
    """
    ways = [*passages([stage for stage in path.stages if stage.delays], path.pools, load)]
    # a message of one frame has a single bound, whose sets go together with those of the other
    alone = [part for way in ways for part in way if len(part[1]) == 1]
    first, *others = [way for way in ways if way and len(way[0][1]) > 1] or [[]]
    result = Spread.of(load.traffic.think_time_s)
    for parts in filter(None, ([*alone, *first], *others)):
        result = result.by_end(add, _longest(load.axes, parts))
    return result


def _longest(axes: Ensemble, parts: Sequence[_Part]) -> Spread:
    """Return the largest bound of a message, at each end of its parameters."""
    groups = [parts]
    kinds = {type(share) for _, shares in parts for share in shares}
    if axes.rank:
        sets = (axes.sets_of(time_s) | axes.sets_of(shares[-1]) for time_s, shares in parts)
        groups = [[parts[place] for place in places] for places in axes.apart(sets)]
    elif kinds <= {int, float} and any(hasattr(x, "ndim") for x, _ in parts):
        every = (np.asarray(x)[..., np.newaxis] * np.array(shares) for x, shares in parts)
        return Spread(*(float(np.max(each)) for each in axes.total(every, 1)))
    groups.sort(key=lambda group: any(len(shares) > 1 for _, shares in group))
    share_of = {id(share): share for _, shares in parts for share in shares}

    def total(group: Sequence[_Part], taken: Sequence[int]) -> Spread:
        pairs = ((time_s, share_of[key]) for (time_s, _), key in zip(group, taken, strict=True))
        return axes.total(t if is_one(x) else t * x for t, x in pairs if not is_nothing(x))

    ends = list[Any]()
    for kind in (0, 1):  # bounds of two kinds share hardly any sum, and it takes much memory
        # a bound is the shares that it takes, group by group, with its sum of the groups so far:
        # of bounds that take the same of all groups to come only the longest sum counts
        bounds = dict[Any, Any]()
        for number in range(kind, len(parts[-1][1]), 2):
            every = ([shares[number % len(shares)] for _, shares in group] for group in groups)
            bounds[tuple(tuple(map(id, taken)) for taken in every)] = None
        for group in groups:
            sums, longest = dict[Any, Spread](), dict[Any, Any]()
            for (taken, *to_come), before in bounds.items():
                if taken not in sums:
                    sums[taken] = total(group, taken)
                way = taken, id(before)  # each sum is made once
                if way not in sums:
                    sums[way] = sums[taken] if before is None else before.by_end(add, sums[taken])
                other = longest.setdefault(tuple(to_come), sums[way])
                if other is not sums[way]:
                    longest[tuple(to_come)] = other.by_end(maximum, sums[way])
            bounds = longest
        ends += bounds.values()
    return joined(maximum, ends)


def passages(stages: Sequence[Stage], pools: Sequence[Pool], load: Load) -> Iterator[list[_Part]]:
    r"""
    Yield lower bounds of the time of a message, for each direction; the largest counts.

    Parameters
    ----------
    stages : sequence of Stage
        Those that a message waits for.
    pools : sequence of Pool
        Those that the stages draw on.
    load : Load
        What the path carries.

    Yields
    ------
    parts : list of (float or numpy.ndarray, list of float or numpy.ndarray)
        Of one direction: times of its stages, each with what the message takes of it in every
        lower bound, or in the only one.

    Notes
    -----
    With :math:`a_j` and :math:`b_j` what stage :math:`j` takes of a full and of the last
    frame, :math:`F_k` and :math:`F'_k` of all frames and of all but the last, :math:`w_j` of
    a wake-up and :math:`M` of the message at all stages, a message takes at least

    .. math:: M + \max\Bigl(\sum_j (a_j + w_j),\;
        \max_k \frac{F_k + w_k}{c_k} + \sum_{j \ne k} b_j s_j,\;
        \max_k \frac{F'_k + w_k}{c_k} + \sum_{j \ne k} a_j s_j\Bigr)

    The first frame passes every stage and meets every wake-up. A stage :math:`k` with
    :math:`c_k` servers for one connection cannot begin before a frame reaches it, nor end
    before its servers have done all frames, and the last of them passes what lies behind;
    so do the full frames alone. At other stages servers shorten the wait for the first or
    behind the last frame where service times vary: :math:`s_j` is 1 for one server and for a
    delay, else one over the smaller of servers and frames. The order of stages is not in it.
    What a message takes as a whole it takes while none of its frames moves.
    """
    load = load.without_acks(stages)
    for direction, count in load.counts.items():
        passed = [stage for stage in stages if getattr(stage, direction).named]
        parts, known = list[_Part](), dict[Any, Any]()
        if is_at_most_one(count.frame_count):
            yield [(time_s, [1]) for each in passed for _, time_s in load.terms(each, direction)]
            continue
        for number, stage in enumerate(passed):
            servers = message_servers(stage, pools, load.axes)
            # one server, and any number of them, do not shorten the wait for a frame: s_j
            is_plain = type(servers) in (int, float) and servers in (1, math.inf)
            s = None if is_plain else 1 / maximum(minimum(servers, count.frame_count), 1)
            for name, time_s in load.terms(stage, direction):
                # shares of the time of the first frame; at the stage k itself: of all frames, and
                # of the full ones; at another one: of the last frame, and of a full one
                # those of stages that count the same bytes are the same arrays
                key = name.rpartition(".")[2], stage.byte_layer
                if key not in known:
                    known[key] = part_shares(name, stage, count)
                whole, wakeup, full, last, every, rest = known[key]
                passing = (last, full) if s is None else (last * s, full * s)
                shares = [whole or wakeup or full, *[whole or x for x in passing] * len(passed)]
                own = [whole or wakeup or x for x in (every, rest)]
                own = own if whole or is_one(servers) else [x / servers for x in own]
                shares[1 + 2 * number : 3 + 2 * number] = own
                parts.append((time_s, shares))
        yield parts


def part_shares(name: str, stage: Stage, count: Counts) -> tuple[FloatOrArray, ...]:
    """
    Return the shares of a time that parts of a message have, as in the notes of `passages`.

    Of the message as a whole and of a wake-up; of a full frame, of the last one, of all frames and
    of all but the last. Where frames are not all cut alike, each is a lower bound.
    """
    frames = count.frame_count
    if name.endswith("per_message_s"):
        return 1, 0, 0, 0, 0, 0
    if name.endswith("per_wakeup_s"):
        return 0, 1, 0, 0, 0, 0
    of_frames = 1 / maximum(frames, 1)
    if not name.endswith("per_byte_s"):
        return 0, 0, of_frames, of_frames, 1, 1 - of_frames
    if count.full_frame_bytes is None:
        return 0, 0, of_frames, 0, 1, 1 - of_frames
    full_bytes = count.full_frame_bytes[stage.byte_layer is not ByteLayer.PAYLOAD]
    if stage.byte_layer is not ByteLayer.PAYLOAD:
        around_bytes = count.wire_bytes - count.layer_bytes(stage.byte_layer)
        full_bytes = full_bytes - around_bytes / frames
    full = minimum(full_bytes / count.layer_bytes(stage.byte_layer), 1)
    rest = minimum((maximum(frames, 1) - 1) * full, 1)
    return 0, 0, full, 1 - rest, 1, rest


def message_servers(stage: Stage, pools: Iterable[Pool], axes: Ensemble) -> FloatOrArray:
    """Return how many servers work on the frames of one message at a time; at least one."""
    if stage.hashes_flows or stage.is_serial:
        return 1
    counts = (stage.parallel_count, *(p.parallel_count for p in pools if p.name == stage.pool))
    known = [axes.array(count, False) for count in counts if count is not None]
    return maximum(1, least(known)) if known else math.inf


# ---- A message of several frames that meets no other, stage after stage


class Hop(NamedTuple):
    """Times of a message at a stage, as in the notes of `passages`. [s]"""

    stage: Stage
    servers: FloatOrArray
    stores: bool  # begins with the whole message
    message: FloatOrArray  # its part of M
    wakeup: FloatOrArray  # w
    full: FloatOrArray  # a
    last: FloatOrArray  # b
    all: FloatOrArray  # F
    all_but_last: FloatOrArray  # F'

    def full_frames_s(self, frame_count: FloatOrArray) -> FloatOrArray:
        """Return the time of the rounds that serve all frames but the last. [s]"""
        rounds = 1 + floor((frame_count - 2) / self.servers)
        return self.all_but_last / maximum(frame_count - 1, 1) * rounds

    def time_s(self, frame_count: FloatOrArray) -> FloatOrArray:
        """Return the time from the start of the first frame to the end of the last. [s]"""
        # rounds of full frames, and the last one behind them
        rounds = floor((frame_count - 1) / self.servers)
        last_s = self.all - self.all_but_last * (1 - rounds / maximum(frame_count - 1, 1))
        return maximum(last_s, self.full_frames_s(frame_count))


def message_time_s(hops: Sequence[Hop], frame_count: FloatOrArray) -> FloatOrArray:
    r"""
    Return the expected time of a message alone, along its stages in order. [s]

    Notes
    -----
    A stage with a time per message begins with the whole message; in between, frames follow
    each other from stage to stage. With constant times, :math:`F` frames leave after

    .. math:: \max_k \Bigl(\sum_{j<k} (a_j + w_j) + w_k
        + a_k \Bigl\lfloor \frac{F-1}{c_k} \Bigr\rfloor + b_k + \sum_{j>k} b_j \Bigr)

    for the last frame, which is shorter, and likewise for the last full one: the first frame
    passes the stages before :math:`k`, whose :math:`c_k` servers have a frame each, so that it
    serves them in rounds. This is exact where each stage has one server; of several servers it
    leaves out how their turns meet those of other stages, and how stages that share servers wait
    for each other.

    With times that vary, a stage waits now for a frame and now has several of them, which is left
    out: a message alone then takes longer than this, 5 % in the median of simulated paths.
    """
    time_s: FloatOrArray = sum(hop.message for hop in hops)
    begins = [0, *(place for place, hop in enumerate(hops) if hop.stores and place), len(hops)]
    for first, last in pairwise(begins):
        longest_s: FloatOrArray = 0.0
        before_s: FloatOrArray = 0.0
        for place in range(first, last):
            hop, later = hops[place], hops[place + 1 : last]
            begins_s = before_s + hop.wakeup
            # all frames here, and the last one behind
            all_s = begins_s + hop.time_s(frame_count) + sum(each.last for each in later)
            longest_s = maximum(longest_s, all_s)
            if later:  # the full ones here and behind; at the end the last one
                full_s = begins_s + hop.full_frames_s(frame_count) + sum(e.full for e in later)
                full_s = full_s + where(later[-1].servers == 1, later[-1].last, 0.0)
                longest_s = maximum(longest_s, where(frame_count >= 2, full_s, 0.0))
            before_s = begins_s + hop.full
        time_s = time_s + longest_s
    return time_s


# ---- From a path to a network


class _Station(NamedTuple):
    """Servers that transactions compete for, and the stages that need one of them."""

    name: str
    stages: tuple[str, ...]
    server_count: FloatOrArray
    hashes_flows: bool
    work_s: FloatOrArray

    def gaps_s(self, time_s: FloatOrArray, largest: int) -> list[FloatOrArray]:
        """Return the mean time between completions of messages, by how many are present."""
        # below 1 where servers share the frames of a message
        ratio = time_s / where(self.work_s > 0, self.work_s, 1.0)
        full = self.full(time_s)
        # the number beyond which no more are served: of hashed flows, but for a part in a billion,
        # as (1 - 1/q)^j of the servers are not chosen by any of j flows
        most = math.ceil(_largest(full))
        if self.hashes_flows:
            most = math.ceil(-math.log(ROUNDING_RATIO) * _largest(self.server_count))
        gaps_s: list[FloatOrArray] = []
        for present in range(1, min(largest, most) + 1):
            served = minimum(float(present), full)
            if self.hashes_flows:
                served = maximum(used_queue_count(present, self.server_count) * ratio, 1.0)
            gaps_s.append(maximum(time_s, _SHORTEST_S) / served)
        return gaps_s

    def full(self, time_s: FloatOrArray) -> FloatOrArray:
        """Return how many transactions are served at a time, m = e * servers / work."""
        return maximum(self.server_count * (time_s / where(self.work_s > 0, self.work_s, 1.0)), 1.0)


# ---- Quantities along a first axis: to quote, and both ends where they are uncertain


def _rows(axes: Ensemble, *ends: FloatOrArray) -> FloatOrArray:
    """Stack uncertain ends along an axis; return a known quantity as it is."""
    if all(each is ends[0] for each in ends):
        return ends[0]
    rows = np.stack(np.broadcast_arrays(*ends))
    return rows.reshape(len(ends), *[1] * (axes.rank + 1 - rows.ndim), *rows.shape[1:])


def _times_s(axes: Ensemble, terms: Iterable[FloatOrArray]) -> FloatOrArray:
    """Return the sum of times: quoted, longest and shortest."""
    spread = axes.total(terms)
    return _rows(axes, spread.quoted, spread.high, spread.low)


def _counts(axes: Ensemble, servers: FloatOrArray) -> FloatOrArray:
    """Return servers: quoted, fewest and most."""
    spread = axes.spread(servers)
    return _rows(axes, spread.quoted, spread.low, spread.high)


def _ends(axes: Ensemble, quantity: FloatOrArray) -> tuple[FloatOrArray, ...]:
    """Return value to quote, low and high."""
    if np.ndim(quantity) <= axes.rank:
        return quantity, quantity, quantity
    rows = np.broadcast_to(quantity, (3, *np.shape(quantity)[1:]))
    return tuple(each if each.ndim else float(each) for each in rows)


def expected_value(path: Path, load: Load, limits: Mapping[str, Predicted]) -> Expected:
    r"""
    Return the expected rate of connections that wait, over a path whose times are known.

    Parameters
    ----------
    path : Path
        Without unknown parts.
    load : Load
        What it carries, with a number of connections and without acknowledgements.
    limits : mapping of str to Predicted
        Upper bounds of the rate, by name. [1/s]

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
    axes, traffic = load.axes, load.traffic
    count, think_s = traffic.connection_count, traffic.think_time_s
    assert count is not None
    messages = [*_messages(path, load)]
    stations, caps_tps = _stations(path, load, count)
    # (1) the rate of the slowest passage: one for every direction, in all combinations
    alone_s: FloatOrArray = think_s
    for direction, frame_count, hops in messages:
        on_way = hops if direction == "to_server" else hops[::-1]
        alone_s = alone_s + message_time_s(on_way, frame_count)
    sized = (count, alone_s, *(each.work_s for each in stations), *caps_tps.values())
    axis_count = max(map(np.ndim, (*sized, *(each.server_count for each in stations))))
    at_stations = {name for station in stations for name in station.stages}
    passages_s: dict[str, Floats] = {}
    for _, frame_count, hops in messages:
        for name, time_s in _passages(hops, frame_count, at_stations, axis_count).items():
            both = passages_s.get(name, np.zeros((1, *time_s.shape[1:])))[:, np.newaxis] + time_s
            passages_s[name] = both.reshape(-1, *both.shape[2:])
    rate_tps = _slowest_tps(stations, passages_s, alone_s, think_s, count)
    # (2) the value and its ends, capped by all limits
    for name, cap in limits.items():
        if name not in caps_tps:
            caps_tps[name] = _rows(axes, cap.value, cap.low, cap.high)
    value, low, high = _ends(axes, reduce(minimum, caps_tps.values(), rate_tps))
    why = _approximations(stations, passages_s, messages, axes, count)
    rate, no_other = Predicted(value, low, high), Predicted(math.inf, math.inf, math.inf)
    return expected_of_rate(rate, no_other, traffic, ASSUMPTION, *why)


_Message = tuple[Direction, FloatOrArray, list[Hop]]
"""Direction, number of frames, and what the message takes of each stage."""


def _messages(path: Path, load: Load) -> Iterator[_Message]:
    """Yield the messages of a transaction."""
    for direction, count in load.counts.items():
        if not count.message_count:
            continue
        hops = []
        for stage in path.stages:
            if not stage.delays:
                continue
            sums: tuple[list[FloatOrArray], ...] = ([], [], [], [], [], [])
            for name, time_s in load.terms(stage, direction):
                for terms, share in zip(sums, part_shares(name, stage, count), strict=True):
                    if not is_nothing(share):
                        terms.append(time_s * share)
            times_s = (_times_s(load.axes, terms) if terms else 0.0 for terms in sums)
            servers = _counts(load.axes, message_servers(stage, path.pools, load.axes))
            hops.append(Hop(stage, servers, bool(sums[0]) and not stage.is_delay, *times_s))
        yield direction, count.frame_count, hops


def _stations(
    path: Path, load: Load, connection_count: FloatOrArray
) -> tuple[list[_Station], dict[str, FloatOrArray]]:
    """Return the stations: pools, for stages that may use any of their servers; other stages."""
    axes = load.axes
    terms_s = {stage.name: [x for _, x in load.demand(stage)] for stage in path.stages}
    works_s = {name: _times_s(axes, terms) for name, terms in terms_s.items()}
    full_rates_tps: dict[str, FloatOrArray] = {}
    counts: dict[str, FloatOrArray] = {}
    station_of: dict[str, str] = {}
    hashed = {stage.name for stage in path.stages if stage.hashes_flows}
    members = {each.name: [each.name] for each in path.stages}
    for pool in path.pools:
        members[pool.name] = [each.name for each in path.stages if each.pool == pool.name]
    owners: list[Stage | Pool] = [*path.stages, *path.pools]
    for each in owners:
        if each.parallel_count is None:
            continue
        counts[each.name] = own = _counts(axes, axes.array(each.parallel_count, False))
        used = used_queue_count(connection_count, own) if each.name in hashed else own
        work_s = sum(works_s[name] for name in members[each.name])
        if not is_nothing(work_s):
            with np.errstate(divide="ignore"):
                full_rates_tps[each.name] = used / work_s
        for name in members[each.name]:
            has_own = name in counts and (name in hashed or bool(np.any(counts[name] < own)))
            if name == each.name or not has_own:
                station_of[name] = each.name
    stations = []
    delaying = [stage for stage in path.stages if stage.delays]
    for name in dict.fromkeys(station_of.values()):
        stages = tuple(each.name for each in delaying if station_of.get(each.name) == name)
        work_s = sum(works_s[each.name] for each in delaying if name in (each.name, each.pool))
        if stages and not is_nothing(work_s):
            stations.append(_Station(name, stages, counts[name], name in hashed, work_s))
    return stations, full_rates_tps


def _passages(
    hops: Sequence[Hop], frame_count: FloatOrArray, at_stations: Collection[str], axis_count: int
) -> dict[str, Floats]:
    """Return the times of a message at each stage, in each passage that may be the longest."""
    is_single = np.less_equal(frame_count, 1)
    # (1) the first frame at every stage
    rows = [[hop.message + hop.wakeup + hop.full for hop in hops]]
    # (2) all frames at one station, and the last behind them; a single frame passes as in (1)
    for place, hop in enumerate(hops):
        if hop.stage.name in at_stations and not is_nothing(hop.all) and not np.all(is_single):
            times_s = [each.message + each.last for each in hops]
            times_s[place] = hop.message + (hop.wakeup + hop.time_s(frame_count))
            rows.append([where(is_single, a, b) for a, b in zip(rows[0], times_s, strict=True)])
    shape = np.broadcast_shapes(np.shape(is_single), *(np.shape(x) for row in rows for x in row))
    shape = (1,) * (axis_count - len(shape)) + shape
    return {
        hop.stage.name: np.stack([np.broadcast_to(row[place], shape) for row in rows])
        for place, hop in enumerate(hops)
    }


def _approximations(
    stations: Sequence[_Station],
    passages_s: dict[str, Floats],
    messages: Sequence[_Message],
    axes: Ensemble,
    count: FloatOrArray,
) -> Iterator[str]:
    """Return the reasons why the rate is not exact for exponential service."""

    def has_different_visits(station: _Station) -> bool:
        own = (hop for _, _, hops in messages for hop in hops if hop.stage.name in station.stages)
        visits = [_ends(axes, hop.message + hop.wakeup + hop.full)[0] for hop in own]
        known = [visit for visit in visits if not is_nothing(visit)]
        return any(np.any(visit != known[0]) for visit in known)

    def has_more_work(station: _Station) -> bool:
        spent_s = sum(passages_s[name][0] for name in station.stages)
        return bool(np.any(station.work_s > spent_s * (1 + ROUNDING_RATIO)))

    several = max(map(len, passages_s.values())) > 1
    is_hashed = any(each.hashes_flows and np.any(each.server_count != 1) for each in stations)
    causes = {
        "messages of several frames, which overlap at stages": several,
        "visits of different length": any(map(has_different_visits, stations)),
        "work beside messages": not several and any(map(has_more_work, stations)),
        "a hash chooses the server": is_hashed,
        "a number of connections that is not whole": np.any(np.asarray(count) % 1 != 0),
    }
    for cause in (cause for cause, holds in causes.items() if holds):
        error = SIMULATED_ERRORS.get(cause)
        shown = f" (rate in simulations up to {fixed_percent(error, 0)} off)" if error else ""
        yield cause + shown


# ---- The network solved


def _slowest_tps(
    stations: Sequence[_Station],
    passages_s: dict[str, Floats],
    alone_s: FloatOrArray,
    think_s: FloatOrArray,
    count: FloatOrArray,
) -> FloatOrArray:
    """Return the rate of the slowest passage: its stations queue, all else is a delay. [1/s]"""
    # frames that wait for others of their message delay it beside what the passage takes
    axis_count = max(map(np.ndim, (alone_s, think_s, count)))
    passed_s: Floats = sum(passages_s.values(), np.zeros((1,) * (1 + axis_count)))
    waits_s = maximum(alone_s - think_s - passed_s, 0.0)
    rows = len(stations) * (min(_largest(count), _RECURSION_COUNT) + 1)
    cells = rows * np.broadcast(waits_s, count).size
    block = max(1, int(_TABLE_COUNT * len(passed_s) / (1 + cells)))
    rates = []
    for first in range(0, len(passed_s), block):
        part = slice(first, first + block)
        apart_s = np.asarray(think_s + passed_s[part] + waits_s[part], dtype=float)
        queued: list[tuple[_Station, Floats]] = []
        for station in stations:
            time_s = sum((passages_s[name][part] for name in station.stages), np.zeros(()))
            if np.any(time_s):
                queued.append((station, time_s))
                apart_s = apart_s - time_s
        apart_s = maximum(apart_s, 0.0)
        found = _rate_tps(queued, apart_s, count) if queued else count / apart_s
        rates.append(found.min(axis=0))
    rate_tps: FloatOrArray = reduce(minimum, rates)
    return rate_tps if np.ndim(rate_tps) else float(rate_tps)


def _rate_tps(
    queued: Sequence[tuple[_Station, Floats]], apart_s: Floats, count: FloatOrArray
) -> Floats:
    """Return rates of networks with exponential service, passages along the first axis. [1/s]"""
    # (1) models along one axis, each with all numbers of connections up to the largest asked for
    asked = np.minimum(np.where(np.isnan(count), 1.0, count), _RECURSION_COUNT)
    largest = int(np.ceil(asked.max(initial=1.0)))
    gaps_s = [station.gaps_s(time_s, largest) for station, time_s in queued]
    models = np.broadcast_shapes(apart_s.shape, *(np.shape(each[0]) for each in gaps_s))

    def by_model(quantity: FloatOrArray) -> Floats:
        return np.broadcast_to(np.asarray(quantity, dtype=float), models).reshape(-1)

    rates, _ = product_form(
        [np.stack([*map(by_model, each)]) for each in gaps_s], by_model(apart_s), largest
    )
    # (2) those asked for; between two whole numbers they are on the line between both
    shape = np.broadcast_shapes(models, np.shape(count))
    place = np.broadcast_to(np.arange(math.prod(models)).reshape(models), shape)
    fewer = np.broadcast_to(np.floor(asked), shape).astype(int)
    few, more = rates[fewer, place], rates[np.minimum(fewer + 1, largest), place]
    share = np.where(np.isnan(count), np.nan, asked - np.floor(asked))
    rate_tps: Floats = few + share * (more - few)
    # (3) beyond the largest number of the recursion, the bound
    if np.any(count > _RECURSION_COUNT):
        alone_s = apart_s + sum(time_s for _, time_s in queued)
        most_tps = reduce(minimum, (station.full(t) / t for station, t in queued), count / alone_s)
        rate_tps = np.where(count > _RECURSION_COUNT, most_tps, rate_tps)
    return rate_tps


def _largest(values: FloatOrArray) -> float:
    """Return the largest value, at least 1; NaN does not count."""
    return float(np.fmax.reduce(np.ravel(values), initial=1.0))
