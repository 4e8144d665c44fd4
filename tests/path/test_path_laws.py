"""Laws of composed stages, for any stages, traffic and headers."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from paths import changed
from testing.strategies import Scenario, exchanges, path_stages, scenarios, server_stages

from netmodel.estimates import Bound
from netmodel.framing import Stack, ethernet, ipv4, tcp, udp, vlan, vxlan
from netmodel.path import Interval, Joint, Path, Pool, Prediction, Stage, Times, Traffic

CLOSE = 1e-9
FACTORS = st.floats(1.01, 10)
SHARES = st.floats(0, 1)
waiting = exchanges.filter(lambda traffic: traffic.connection_count is not None)


def close(expected: Any) -> object:
    return pytest.approx(expected, rel=CLOSE)


def rate_of(scenario: Scenario) -> float:
    return scenario.predict().transaction_rate_tps.value


def not_above(rate: float, other: float) -> bool:
    return rate <= other * (1 + CLOSE)


def scaled(scenario: Scenario, name: str, factor: float) -> Scenario:
    """The same with one parameter, multiplied by the factor."""
    path, traffic = scenario.path, scenario.traffic
    if name == "window_bytes":
        return scenario.with_path(window_bytes=path.window_bytes * factor)
    if name in {"connection_count", "think_time_s"}:
        return scenario.with_traffic(**{name: getattr(traffic, name) * factor})
    owner, *inside = name.split(".")

    def part(owner_part: Any, names: list[str]) -> Any:
        value = getattr(owner_part, names[0])
        larger = part(value, names[1:]) if names[1:] else value * factor
        return replace(owner_part, **{names[0]: larger})

    def parts(members: Any) -> list[Any]:
        return [part(each, inside) if each.name == owner else each for each in members]

    return scenario.with_path(stages=parts(path.stages), pools=parts(path.pools))


def parameters_of(scenario: Scenario) -> list[str]:
    """Names of times that are spent, and of servers and windows that are there."""
    prediction, path = scenario.predict(), scenario.path
    names = {name for terms in prediction.demands.values() for name, _ in terms}
    names |= {f"{each.name}.parallel_count" for each in path.stages if each.parallel_count}
    names |= {f"{pool.name}.parallel_count" for pool in path.pools}
    names |= {"window_bytes"} if path.window_bytes else set()
    return sorted(names)


def estimates(prediction: Prediction) -> Iterator[tuple[str, Any]]:
    """Every result that rises or falls with each parameter, and its name."""
    yield "rate", prediction.transaction_rate_tps
    yield "throughput", prediction.throughput_bps
    yield from prediction.limit_rates_bps.items()
    yield "zero load", prediction.zero_load_time_s
    yield "time", prediction.transaction_time_s
    yield from prediction.cpu_us_per_gbit.items()


def all_estimates(prediction: Prediction) -> Iterator[tuple[str, Any]]:
    yield from estimates(prediction)
    for parts in (prediction.use_ratios, prediction.cpu_busy):
        yield from parts.items()


def values(prediction: Prediction) -> list[Any]:
    return [each and each.value for _, each in all_estimates(prediction)]


@given(scenarios())
def test_the_throughput_is_the_smallest_limit(scenario: Scenario) -> None:
    prediction = scenario.predict()
    throughput_bps = prediction.throughput_bps.value
    rates = {name: rate.value for name, rate in prediction.limit_rates_bps.items()}
    assert throughput_bps == close(min(rates.values()))
    assert rates[prediction.binding] == close(throughput_bps)
    tied = {name for name, rate in rates.items() if rate == close(throughput_bps)}
    assert set(prediction.ties) == (tied if len(tied) > 1 else set())
    assert max(use.value for use in prediction.use_ratios.values()) == close(1)


@given(scenarios(), path_stages, st.integers(0, 5))
def test_one_stage_more_never_raises_the_rate(scenario: Scenario, stage: Any, place: int) -> None:
    more = [*scenario.path.stages]
    more.insert(place, replace(stage, name="more"))
    assert not_above(rate_of(scenario.with_path(stages=more)), rate_of(scenario))


def tagged(stack: Stack) -> Stack:
    return Stack((stack.layers[0], vlan(), *stack.layers[1:]))


def tunnelled(stack: Stack) -> Stack:
    return Stack((ethernet(), ipv4(), udp(), vxlan(), *stack.layers))


@given(scenarios(), st.sampled_from([tagged, tunnelled]))
def test_more_headers_never_raise_the_rate(
    scenario: Scenario, wrap: Callable[[Stack], Stack]
) -> None:
    wrapped = replace(scenario, stack=wrap(scenario.stack))
    assert not_above(rate_of(wrapped), rate_of(scenario))


@given(scenarios(), FACTORS, st.data())
def test_no_time_raises_the_rate_and_no_capacity_lowers_it(
    scenario: Scenario, factor: float, data: st.DataObject
) -> None:
    """Of a time per byte, and so of a line rate, as of all others; hashed servers are whole."""
    prediction = scenario.predict()
    name = data.draw(st.sampled_from(parameters_of(scenario)))
    if not name.endswith("_s"):
        factor = math.ceil(factor)
    other = rate_of(scaled(scenario, name, factor))
    rate = prediction.transaction_rate_tps.value
    slower, faster = (other, rate) if name.endswith("_s") else (rate, other)
    assert not_above(slower, faster)


@given(scenarios(more=server_stages), st.integers(1, 16), st.integers(1, 300))
def test_more_servers_and_more_connections_never_lower_the_rate(
    scenario: Scenario, server_count: int, connection_count: int
) -> None:
    stages = [
        replace(stage, parallel_count=stage.parallel_count + server_count)
        if stage.hashes_flows
        else stage
        for stage in scenario.path.stages
    ]
    assert not_above(rate_of(scenario), rate_of(scenario.with_path(stages=stages)))
    count = scenario.traffic.connection_count
    assume(count is not None)
    more = scenario.with_traffic(connection_count=count + connection_count)
    assert not_above(rate_of(scenario), rate_of(more))


def limits_apart(prediction: Prediction, margin_ratio: float = 1e-3) -> bool:
    """Whether limits either tie or lie well apart."""
    rates = [rate.value for rate in prediction.limit_rates_bps.values()]
    return not any(1 + 1e-12 < rate / min(rates) < 1 + margin_ratio for rate in rates)


@given(scenarios(hashed=False), FACTORS)
def test_a_number_of_times_all_servers_and_connections(scenario: Scenario, factor: float) -> None:
    """
    The windows as they are: they are one for each connection.

    More where connections wait for messages of several frames, on which more servers work.
    """
    count = scenario.traffic.connection_count
    larger = scenario.with_path(
        stages=[
            replace(stage, parallel_count=stage.parallel_count and stage.parallel_count * factor)
            for stage in scenario.path.stages
        ],
        pools=[
            replace(pool, parallel_count=pool.parallel_count * factor)
            for pool in scenario.path.pools
        ],
    ).with_traffic(connection_count=count and count * factor)
    rate, expected = rate_of(larger), factor * rate_of(scenario)
    assert not_above(expected, rate)
    if all(count.frame_count <= 1 for count in scenario.predict().load.counts.values()):
        assert rate == close(expected)


@given(scenarios(), st.randoms())
def test_the_order_of_stages_is_for_reading_only(scenario: Scenario, random: Any) -> None:
    stages = [*scenario.path.stages]
    random.shuffle(stages)
    plain, other = scenario.predict(), scenario.with_path(stages=stages).predict()
    limits = {name: close(rate.value) for name, rate in plain.limit_rates_bps.items()}
    assert {name: rate.value for name, rate in other.limit_rates_bps.items()} == limits
    for side, cost in plain.cpu_us_per_gbit.items():
        there = other.cpu_us_per_gbit[side]
        assert (there and there.value) == (cost and close(cost.value))


Variants = list[tuple[float, float, float]]
VARIANTS = st.lists(st.tuples(*[st.floats(0.5, 2)] * 3), min_size=1, max_size=7)
WHOLE = (1, 3, 2)


def varied(path: Path, variants: Variants, change: Callable[..., Any]) -> Path:
    """Every parameter that is there as a function of it, its three times, and its number."""
    times, number = cycle(variants), iter(range(10_000))

    def varied_value(value: Any, slows: bool) -> Any:
        factors = next(times) if slows else WHOLE
        return change(value, factors, next(number)) if value else value

    return changed(path, varied_value)


def variant(scenario: Scenario, variants: Variants, index: int) -> Scenario:
    path = varied(scenario.path, variants, lambda value, factors, _: value * factors[index])
    return replace(scenario, path=path)


BELOW_AND_ABOVE_ONE_SERVER = Scenario(
    Path(
        stages=(
            Stage(name="first", to_server=Times(2e-6), to_client=Times(2e-6)),
            Stage(name="second", to_server=Times(per_interrupt_s=1e-6), pool="server"),
        ),
        pools=(Pool("server", 0.5),),
    ),
    Traffic(414, 1, 1),
    1280,
    Stack((ethernet(), ipv4(), tcp())),
)


@given(scenarios(), VARIANTS, st.lists(st.integers(1280, 9216), min_size=3, max_size=3))
@example(BELOW_AND_ABOVE_ONE_SERVER, [(1.0, 1.0, 1.0)], [1280] * 3)
def test_arrays_are_their_entries(
    scenario: Scenario, variants: Variants, mtus_bytes: list[int]
) -> None:
    def traffic(factors: Any) -> Scenario:
        given = {
            name: getattr(scenario.traffic, name) * factors
            for name in (
                "request_bytes",
                "response_bytes",
                "connection_count",
                "think_time_s",
                "segments_per_ack",
            )
            if getattr(scenario.traffic, name)
        }
        return scenario.with_traffic(**given)

    arrays = varied(scenario.path, variants, lambda value, factors, _: value * np.array(factors))
    together = replace(traffic(np.array(WHOLE)), path=arrays, mtu_bytes=np.array(mtus_bytes))
    prediction = together.predict()

    def entry(value: Any, index: int) -> Any:
        return value if value is None else np.broadcast_to(value, (3,))[index]

    for index, mtu_bytes in enumerate(mtus_bytes):
        alone = replace(variant(traffic(WHOLE[index]), variants, index), mtu_bytes=mtu_bytes)
        single = alone.predict()
        for value, expected in zip(values(prediction), values(single), strict=True):
            assert entry(value, index) == (None if expected is None else close(expected))
        assume(limits_apart(single, 1e-6))
        rates = single.limit_rates_bps
        assert rates[str(entry(prediction.binding, index))].value == close(
            rates[single.binding].value
        )


@given(scenarios(), VARIANTS, SHARES)
def test_intervals_hold_the_results_of_every_point_inside(
    scenario: Scenario, variants: Variants, share: float
) -> None:
    """Of what rises or falls with each parameter: shares in use and CPUs busy need not."""

    def around(value: float, factors: Any, _: int) -> Interval:
        low, middle, high = sorted(factors)
        return Interval(value * middle, value * low, value * high)

    def inside(value: float, factors: Any, number: int) -> float:
        if factors == WHOLE:
            return value * WHOLE[number % 3]
        low, _, high = sorted(factors)
        mixed = (share * (number + 1)) % 1  # another share for each parameter
        return value * min(max(low + mixed * (high - low), low), high)

    ranges = replace(scenario, path=varied(scenario.path, variants, around)).predict()
    point = replace(scenario, path=varied(scenario.path, variants, inside)).predict()
    for (name, result), (_, one) in zip(estimates(ranges), estimates(point), strict=True):
        if one is not None:
            assert result.low <= result.value <= result.high, name
            assert result.low * (1 - CLOSE) - 1e-15 <= one.value <= result.high * (1 + CLOSE), name


@given(scenarios(), VARIANTS)
def test_joint_values_hold_the_results_of_every_combination(
    scenario: Scenario, variants: Variants
) -> None:
    """Two sets, of three and two values: each limit over the sets that it depends on alone."""

    def joint(value: float, factors: Any, number: int) -> Joint:
        count = 2 + number % 2
        return Joint([value * factor for factor in factors[:count]], of=f"set of {count}")

    def member(places: tuple[int, int]) -> Scenario:
        def one(value: float, factors: Any, number: int) -> float:
            return value * factors[places[number % 2]]

        return replace(scenario, path=varied(scenario.path, variants, one))

    together = replace(scenario, path=varied(scenario.path, variants, joint)).predict()
    members = [member(places).predict() for places in product(range(2), range(3))]
    many = [all_estimates(each) for each in members]
    for (name, result), *alone in zip(all_estimates(together), *many, strict=True):
        if result is None:
            continue
        ends = [estimate.value for _, estimate in alone]
        assert result.low <= min(ends) * (1 + CLOSE) + 1e-15, name
        assert result.high >= max(ends) * (1 - CLOSE) - 1e-15, name
        if result.bound is Bound.UPPER:
            assert result.value >= max(ends) * (1 - CLOSE) - 1e-15, name
        elif result.bound is Bound.LOWER:
            assert result.value <= min(ends) * (1 + CLOSE) + 1e-15, name
    for name, rate in together.limit_rates_bps.items():
        ends = [each.limit_rates_bps[name].value for each in members]
        if name != "connections":
            assert [rate.value, rate.low, rate.high] == [
                close(end) for end in (max(ends), min(ends), max(ends))
            ]


@given(scenarios(), st.booleans())
def test_intervals_and_sets_of_one_value_are_the_plain_path(
    scenario: Scenario, joint: bool
) -> None:
    def same(value: float, *_: Any) -> Interval | Joint:
        return Joint((value, value), of="all") if joint else Interval(value, value, value)

    uncertain = replace(scenario, path=varied(scenario.path, [(1, 1, 1)], same)).predict()
    plain = scenario.predict()
    for (_, result), value in zip(all_estimates(uncertain), values(plain), strict=True):
        ends = result and [result.value, result.low, result.high]
        assert ends == (None if value is None else [close(value)] * 3)
    assert uncertain.binding == plain.binding


@given(scenarios(traffic=waiting))
def test_one_connection_waits_for_none(scenario: Scenario) -> None:
    """Where it finds a whole server everywhere, and no cap or window; pools may be smaller."""
    counted = ((each, each.parallel_count) for each in scenario.path.stages)
    stages = [replace(x, delays=True, parallel_count=n and max(n, 1)) for x, n in counted]
    pools = [replace(pool, parallel_count=pool.parallel_count + 1) for pool in scenario.path.pools]
    alone = scenario.with_path(stages=stages, pools=pools, window_bytes=None)
    prediction = alone.with_traffic(connection_count=1).predict()
    latencies = [time_s for terms in prediction.demands.values() for _, time_s in terms]
    most_s = math.fsum([*latencies, scenario.traffic.think_time_s])
    assert prediction.zero_load_time_s is not None
    light = prediction.zero_load_time_s.value + scenario.traffic.think_time_s
    shared = {pool.name for pool in pools}
    rates = [limit.rate.value for limit in prediction.limits if limit.name in shared]
    highest = min([1 / light, *rates])
    assert prediction.transaction_rate_tps.value == close(highest)
    assert light <= most_s * (1 + CLOSE)
    is_single = all(count.frame_count <= 1 for count in prediction.load.counts.values())
    if scenario.traffic.segments_per_ack is None and is_single:
        assert light == close(most_s)


@given(scenarios(hashed=False))
def test_many_connections_reach_the_longest_demand(scenario: Scenario) -> None:
    prediction = scenario.with_traffic(connection_count=1e15).predict()
    times_s = {
        name: math.fsum(time_s for _, time_s in terms) for name, terms in prediction.demands.items()
    }
    shares = [
        times_s[stage.name] / stage.parallel_count
        for stage in scenario.path.stages
        if stage.parallel_count is not None
    ]
    shares += [
        sum(times_s[stage.name] for stage in scenario.path.stages if stage.pool == pool.name)
        / pool.parallel_count
        for pool in scenario.path.pools
    ]
    assert prediction.transaction_rate_tps.value == close(1 / max(shares))
    assert rate_of(scenario.with_traffic(connection_count=None)) == close(1 / max(shares))


@given(scenarios())
def test_laws_of_operation(scenario: Scenario) -> None:
    prediction, traffic = scenario.predict(), scenario.traffic
    rate = prediction.transaction_rate_tps.value
    time = prediction.transaction_time_s
    if time is not None:
        assert rate * (time.value + traffic.think_time_s) == close(traffic.connection_count)
        assert prediction.zero_load_time_s is not None
        assert time.value >= prediction.zero_load_time_s.value * (1 - CLOSE) - 1e-15
    demands = {name: sum(time_s for _, time_s in of) for name, of in prediction.demands.items()}
    for pool in scenario.path.pools:
        used = [demands[stage.name] for stage in scenario.path.stages if stage.pool == pool.name]
        busy = rate * sum(used)
        if pool.name in prediction.use_ratios:
            assert busy / pool.parallel_count == close(prediction.use_ratios[pool.name].value)
        cost, of_side = prediction.cpu_us_per_gbit[pool.side], prediction.cpu_busy[pool.side]
        assert (cost is None) == (of_side is None) == (not used)
        if cost is not None and of_side is not None:
            assert of_side.value == close(busy)
            gbit = 8e-9 * (traffic.request_bytes + traffic.response_bytes)
            assert cost.value * 1e-6 * gbit * rate == close(busy)


@given(scenarios())
def test_no_result_is_negative_or_no_number(scenario: Scenario) -> None:
    prediction = scenario.predict()
    for name, estimate in all_estimates(prediction):
        if estimate is not None:
            assert 0 <= estimate.value < math.inf, name
            assert estimate.low == estimate.value == estimate.high
    for limit in prediction.limits:
        assert 0 < limit.rate.value < math.inf
    plain = prediction.to_dict()
    assert plain["binding"] in {limit["name"] for limit in plain["limits"]}
    assert all(0 <= limit["margin_ratio"] + CLOSE <= 1 + CLOSE for limit in plain["limits"])
