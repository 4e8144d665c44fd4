"""Laws of closed networks, for any demands, think time and number of connections."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.concurrency import (
    approximate_closed_network,
    approximate_multiclass_network,
    asymptotic_rate_bounds_tps,
    asymptotic_time_bounds_s,
    balanced_rate_bounds_tps,
    balanced_time_bounds_s,
    exact_closed_network,
    exact_multiclass_network,
    general_service_closed_network,
    load_dependent_closed_network,
    saturation_rate_tps,
    single_stage_rate_tps,
)

CLOSE = 1e-9
LARGEST_SHORTFALL = 0.07
LARGEST_SHORTFALL_OF_SERVERS = 0.27
"""Seidmann's 25 % with one stage, 4 connections and 4 servers, and some of Schweitzer's error."""
DEMANDS_S = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=5)
THINK_TIMES_S = st.one_of(st.just(0.0), st.floats(1e-6, 1e3))
COUNTS = st.integers(1, 60)
SOLVERS = (exact_closed_network, approximate_closed_network, general_service_closed_network)


@given(DEMANDS_S, THINK_TIMES_S)
def test_rate_is_increasing_and_concave_time_convex(demands_s: list[float], think_s: float) -> None:
    network = exact_closed_network(demands_s, np.arange(1, 61), think_s)
    rate, time_s = np.array(network.transaction_rate_tps), np.array(network.transaction_time_s)
    assert (np.diff(rate) >= -CLOSE * rate[:-1]).all()
    assert (np.diff(rate, n=2) <= CLOSE * rate[:-2]).all()
    assert (np.diff(time_s) <= max(demands_s) + CLOSE * time_s[1:]).all()
    assert (np.diff(time_s, n=2) >= -CLOSE * time_s[2:]).all()


@pytest.mark.parametrize("solver", SOLVERS)
@given(DEMANDS_S, THINK_TIMES_S)
def test_one_connection_never_waits(solver, demands_s: list[float], think_s: float) -> None:  # type: ignore[no-untyped-def]
    network = solver(demands_s, 1, think_s)
    assert network.transaction_time_s == pytest.approx(sum(demands_s), rel=CLOSE)
    assert network.transaction_rate_tps == pytest.approx(1 / (sum(demands_s) + think_s), rel=CLOSE)


@pytest.mark.parametrize("solver", SOLVERS)
@given(DEMANDS_S, COUNTS, THINK_TIMES_S)
def test_every_connection_is_somewhere(  # type: ignore[no-untyped-def]
    solver, demands_s: list[float], count: int, think_s: float
) -> None:
    network = solver(demands_s, count, think_s)
    thinking = network.transaction_rate_tps * think_s
    assert sum(network.stage_connection_counts) + thinking == pytest.approx(count, rel=CLOSE)


@pytest.mark.parametrize("solver", SOLVERS)
def test_many_connections_saturate_the_longest_demand(solver) -> None:  # type: ignore[no-untyped-def]
    demands_s = [0.605, 2.1, 1.35]
    rate = solver(demands_s, 10_000, 15).transaction_rate_tps
    assert rate == pytest.approx(saturation_rate_tps(demands_s), rel=1e-3)
    assert rate <= saturation_rate_tps(demands_s) * (1 + CLOSE)


@given(DEMANDS_S, COUNTS, THINK_TIMES_S)
def test_approximate_rate_is_slightly_below_the_exact_one(
    demands_s: list[float], count: int, think_s: float
) -> None:
    exact = exact_closed_network(demands_s, count, think_s).transaction_rate_tps
    rate = approximate_closed_network(demands_s, count, think_s).transaction_rate_tps
    assert exact * (1 - LARGEST_SHORTFALL) <= rate <= exact * (1 + CLOSE)


@pytest.mark.parametrize("solver", SOLVERS)
@given(DEMANDS_S, COUNTS, THINK_TIMES_S, st.floats(1e-3, 1e3))
def test_order_and_unit_of_demands_do_not_matter(  # type: ignore[no-untyped-def]
    solver, demands_s: list[float], count: int, think_s: float, scale: float
) -> None:
    network = solver(demands_s, count, think_s)
    scaled = solver([scale * each for each in reversed(demands_s)], count, scale * think_s)
    assert scaled.transaction_rate_tps * scale == pytest.approx(
        network.transaction_rate_tps, rel=CLOSE
    )


@st.composite
def several_servers(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    """Demands of the stages, and how many each serves at a time."""
    demands_s = draw(DEMANDS_S)
    servers = st.lists(st.integers(1, 64), min_size=len(demands_s), max_size=len(demands_s))
    return demands_s, draw(servers)


@given(several_servers(), COUNTS, THINK_TIMES_S)
def test_bounds_enclose_the_exact_network_and_lie_inside_each_other(
    stages: tuple[list[float], list[int]], count: int, think_s: float
) -> None:
    demands_s, servers = stages
    network = exact_closed_network(demands_s, count, think_s, servers)
    for near, far, exact in (
        (balanced_rate_bounds_tps, asymptotic_rate_bounds_tps, network.transaction_rate_tps),
        (balanced_time_bounds_s, asymptotic_time_bounds_s, network.transaction_time_s),
    ):
        low, high = far(demands_s, count, think_s, servers)
        near_low, near_high = near(demands_s, count, think_s, servers)
        for smaller, larger in pairwise([low, near_low, exact, near_high, high]):
            assert smaller <= larger * (1 + CLOSE)


@given(several_servers(), THINK_TIMES_S)
def test_laws_of_several_servers(stages: tuple[list[float], list[int]], think_s: float) -> None:
    demands_s, servers = stages
    counts = np.arange(1, 61)
    network = exact_closed_network(demands_s, counts, think_s, servers)
    rate = np.array(network.transaction_rate_tps)
    assert (np.diff(rate) >= -CLOSE * rate[:-1]).all()
    assert (np.diff(rate, n=2) <= CLOSE * rate[:-2]).all()
    assert rate[0] == pytest.approx(1 / (sum(demands_s) + think_s), rel=CLOSE)
    somewhere = sum(network.stage_connection_counts) + rate * think_s
    assert somewhere == pytest.approx(counts, rel=CLOSE)
    single = exact_closed_network(demands_s, counts, think_s).transaction_rate_tps
    assert (single <= rate * (1 + CLOSE)).all()
    mirrored = exact_closed_network(demands_s[::-1], counts, think_s, servers[::-1])
    assert mirrored.transaction_rate_tps == pytest.approx(rate, rel=CLOSE)


@given(several_servers(), COUNTS, THINK_TIMES_S)
def test_approximate_servers_are_slower(
    stages: tuple[list[float], list[int]], count: int, think_s: float
) -> None:
    demands_s, servers = stages
    exact = exact_closed_network(demands_s, count, think_s, servers).transaction_rate_tps
    network = approximate_closed_network(demands_s, count, think_s, servers)
    rate = network.transaction_rate_tps
    assert exact * (1 - LARGEST_SHORTFALL_OF_SERVERS) <= rate <= exact * (1 + CLOSE)
    thinking = rate * think_s
    assert sum(network.stage_connection_counts) + thinking == pytest.approx(count, rel=CLOSE)


VARIATIONS = st.one_of(st.just(0.0), st.floats(0, 1), st.floats(1, 3))


@given(several_servers(), COUNTS, THINK_TIMES_S, st.data())
def test_laws_of_service_of_any_variation(
    stages: tuple[list[float], list[int]], count: int, think_s: float, data: st.DataObject
) -> None:
    demands_s, servers = stages
    exact = exact_closed_network(demands_s, count, think_s, servers)
    random = general_service_closed_network(demands_s, count, think_s, servers, 1)
    assert random.transaction_rate_tps == pytest.approx(exact.transaction_rate_tps, rel=CLOSE)
    queues = exact.stage_connection_counts
    assert random.stage_connection_counts == pytest.approx(queues, rel=CLOSE, abs=CLOSE)
    variations = data.draw(st.lists(VARIATIONS, min_size=len(servers), max_size=len(servers)))
    network = general_service_closed_network(demands_s, count, think_s, servers, variations)
    rate = network.transaction_rate_tps
    low, high = asymptotic_rate_bounds_tps(demands_s, count, think_s, servers)
    assert low * (1 - CLOSE) <= rate <= high * (1 + CLOSE)
    somewhere = sum(network.stage_connection_counts) + rate * think_s
    assert somewhere == pytest.approx(count, rel=CLOSE)
    if max(variations) <= 1 and max(servers) == 1:
        assert rate >= exact.transaction_rate_tps * (1 - CLOSE)


@st.composite
def classes(draw: st.DrawFn) -> tuple[list[list[float]], list[int], list[float]]:
    """Demands of two or three classes, their connections and their think times."""
    count, stages = draw(st.integers(2, 3)), draw(st.integers(1, 4))
    rows = st.lists(st.floats(1e-6, 1e3), min_size=stages, max_size=stages)
    return (
        draw(st.lists(rows, min_size=count, max_size=count)),
        draw(st.lists(st.integers(1, 6), min_size=count, max_size=count)),
        draw(st.lists(THINK_TIMES_S, min_size=count, max_size=count)),
    )


@pytest.mark.parametrize("solver", [exact_multiclass_network, approximate_multiclass_network])
@given(classes(), st.floats(1e-3, 1e3))
def test_laws_of_classes(  # type: ignore[no-untyped-def]
    solver, drawn: tuple[list[list[float]], list[int], list[float]], scale: float
) -> None:
    demands_s, counts, thinks_s = drawn
    network = solver(demands_s, counts, thinks_s)
    rates = network.transaction_rates_tps
    somewhere = network.stage_connection_counts.sum(axis=1) + rates * thinks_s
    assert somewhere == pytest.approx(np.array(counts), rel=CLOSE)
    assert (rates @ np.array(demands_s) <= 1 + CLOSE).all()
    mirrored = [[scale * demand for demand in row[::-1]] for row in demands_s[::-1]]
    other = solver(mirrored, counts[::-1], [scale * think_s for think_s in thinks_s[::-1]])
    assert other.transaction_rates_tps[::-1] * scale == pytest.approx(rates, rel=CLOSE)
    without = solver([*demands_s, demands_s[0]], [*counts, 0], [*thinks_s, 0])
    assert without.transaction_rates_tps == pytest.approx(np.append(rates, 0), rel=CLOSE)


@given(DEMANDS_S, st.lists(st.integers(1, 9), min_size=1, max_size=3), THINK_TIMES_S)
def test_equal_classes_are_one_class(
    demands_s: list[float], counts: list[int], think_s: float
) -> None:
    for of_classes, of_one in (
        (exact_multiclass_network, exact_closed_network),
        (approximate_multiclass_network, approximate_closed_network),
    ):
        network = of_one(demands_s, sum(counts), think_s)
        alike = of_classes([demands_s] * len(counts), counts, think_s)
        shares = np.array(counts) / sum(counts)
        if of_one is exact_closed_network or len(counts) == 1:
            expected = shares * network.transaction_rate_tps
            assert alike.transaction_rates_tps == pytest.approx(expected, rel=CLOSE)
            queues = alike.stage_connection_counts.sum(axis=0)
            assert queues == pytest.approx(np.array(network.stage_connection_counts), rel=CLOSE)


@given(several_servers(), COUNTS, THINK_TIMES_S)
def test_demands_by_presence_that_are_constant_or_servers(
    stages: tuple[list[float], list[int]], count: int, think_s: float
) -> None:
    demands_s, servers = stages
    constant = load_dependent_closed_network(demands_s, count, think_s)
    network = exact_closed_network(demands_s, count, think_s)
    assert constant.transaction_rate_tps == pytest.approx(network.transaction_rate_tps, rel=CLOSE)
    shared = [
        lambda there, demand_s=demand_s, m=m: demand_s / np.minimum(there, m)
        for demand_s, m in zip(demands_s, servers, strict=True)
    ]
    network = exact_closed_network(demands_s, count, think_s, servers)
    dependent = load_dependent_closed_network(shared, count, think_s)
    assert dependent.transaction_rate_tps == pytest.approx(network.transaction_rate_tps, rel=CLOSE)
    queues = network.stage_connection_counts
    assert dependent.stage_connection_counts == pytest.approx(queues, rel=CLOSE)


@given(DEMANDS_S, COUNTS, THINK_TIMES_S, st.floats(1e-6, 1e3))
def test_a_delay_centre_is_a_think_time(
    demands_s: list[float], count: int, think_s: float, delay_s: float
) -> None:
    centre = lambda there: delay_s / there  # noqa: E731
    network = load_dependent_closed_network([*demands_s, centre], count, think_s)
    expected = exact_closed_network(demands_s, count, think_s + delay_s).transaction_rate_tps
    assert network.transaction_rate_tps == pytest.approx(expected, rel=CLOSE)
    assert network.stage_connection_counts[-1] == pytest.approx(delay_s * expected, rel=CLOSE)


@given(
    st.lists(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=9), min_size=1, max_size=4),
    COUNTS,
    THINK_TIMES_S,
    st.floats(1e-3, 1e3),
)
def test_laws_of_demands_by_presence(
    demands_s: list[list[float]], count: int, think_s: float, scale: float
) -> None:
    network = load_dependent_closed_network(demands_s, count, think_s)
    rate = network.transaction_rate_tps
    assert sum(network.stage_connection_counts) + rate * think_s == pytest.approx(count, rel=CLOSE)
    assert rate <= 1 / max(min(gaps_s) for gaps_s in demands_s) * (1 + CLOSE)
    first = load_dependent_closed_network(demands_s, 1, think_s).transaction_rate_tps
    assert first == pytest.approx(1 / (sum(gaps_s[0] for gaps_s in demands_s) + think_s), rel=CLOSE)
    scaled = [[gap_s * scale for gap_s in gaps_s] for gaps_s in reversed(demands_s)]
    other = load_dependent_closed_network(scaled, count, think_s * scale)
    assert other.transaction_rate_tps * scale == pytest.approx(rate, rel=CLOSE)


@given(
    st.lists(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=9), min_size=1, max_size=4),
    COUNTS,
    THINK_TIMES_S,
)
def test_bounds_of_demands_that_fall_with_presence(
    demands_s: list[list[float]], count: int, think_s: float
) -> None:
    """The rate is between those of the demands of one and of many transactions at the stage."""
    falling = [sorted(gaps_s, reverse=True) for gaps_s in demands_s]
    rate = load_dependent_closed_network(falling, count, think_s).transaction_rate_tps
    for bounds in (asymptotic_rate_bounds_tps, balanced_rate_bounds_tps):
        assert bounds([gaps_s[0] for gaps_s in falling], count, think_s).low * (1 - CLOSE) <= rate
        assert rate <= bounds([gaps_s[-1] for gaps_s in falling], count, think_s).high * (1 + CLOSE)


@given(st.floats(1e-6, 1e3), COUNTS, THINK_TIMES_S, st.integers(1, 80))
def test_one_stage_has_a_closed_form(
    demand_s: float, count: int, think_s: float, parallel_count: int
) -> None:
    rate = single_stage_rate_tps(demand_s, count, think_s, parallel_count)
    network = exact_closed_network([demand_s], count, think_s, parallel_count)
    assert network.transaction_rate_tps == pytest.approx(rate, rel=CLOSE)
    assert rate <= single_stage_rate_tps(demand_s, count, think_s, parallel_count + 1) * (1 + CLOSE)
