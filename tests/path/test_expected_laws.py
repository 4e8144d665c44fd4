"""Laws of expected values, for any stages, traffic and headers."""

from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from paths import changed
from testing.strategies import Scenario, scenarios

from netmodel.path import Interval, Path, Prediction
from netmodel.path.response import Expected

CLOSE = 1e-9
factors = st.floats(1, 10)
Variants = list[tuple[float, float, float]]
variants = st.lists(st.tuples(*[st.floats(0.5, 2)] * 3), min_size=1, max_size=7)


def expected_of(prediction: Prediction) -> Expected:
    assert prediction.expected is not None
    return prediction.expected


def rate_of(scenario: Scenario) -> float:
    return expected_of(scenario.predict()).transaction_rate_tps.value


def known(scenario: Scenario) -> Scenario:
    """The same with a number of connections and answers to wait for."""
    count = scenario.traffic.connection_count
    return scenario.with_traffic(waits=True, connection_count=count or 3, segments_per_ack=None)


def varied(path: Path, change: Any) -> Path:
    """Every parameter that is there as a function of it, whether it slows, and its number."""
    numbers = iter(range(10_000))
    return changed(
        path, lambda value, slows: change(value, slows, next(numbers)) if value else value
    )


def around(scenario: Scenario, drawn: Variants) -> Scenario:
    triples = cycle(drawn)

    def interval(value: float, slows: bool, _: int) -> Any:
        if not slows:
            return value
        low, middle, high = sorted(next(triples))
        return Interval(value * middle, value * low, value * high)

    return replace(scenario, path=varied(scenario.path, interval))


@given(scenarios().map(known), variants)
def test_the_expected_value_is_never_above_the_bound(scenario: Scenario, drawn: Variants) -> None:
    for each in (scenario, around(scenario, drawn)):
        prediction = each.predict()
        expected = expected_of(prediction)
        highest = min(limit.highest_rate_tps for limit in prediction.limits)
        rate = expected.transaction_rate_tps
        assert rate.low <= rate.value <= rate.high <= highest * (1 + CLOSE)
        assert rate.value <= prediction.transaction_rate_tps.value * (1 + CLOSE)
        time = prediction.transaction_time_s
        assert time is not None
        think_s = each.traffic.think_time_s
        assert expected.transaction_time_s.value + think_s >= (time.value + think_s) * (1 - CLOSE)


@given(scenarios().map(known))
def test_one_connection_has_the_zero_load_time(scenario: Scenario) -> None:
    """Where no frames of a message get into each other's way."""
    alone = scenario.with_traffic(connection_count=1)
    prediction = alone.predict()
    assume(all(count.frame_count <= 1 for count in prediction.load.counts.values()))
    assert rate_of(alone) == pytest.approx(prediction.transaction_rate_tps.value, rel=CLOSE)
    light = prediction.zero_load_time_s
    assert light is not None
    if prediction.binding == "connections":
        expected = expected_of(prediction).transaction_time_s
        whole = light.value + scenario.traffic.think_time_s
        assert expected.value == pytest.approx(light.value, rel=CLOSE, abs=CLOSE * whole)


@given(scenarios().map(known), st.integers(1, 300))
def test_more_connections_never_lower_the_rate(scenario: Scenario, more: int) -> None:
    count = scenario.traffic.connection_count
    larger = scenario.with_traffic(connection_count=count + more)
    assert rate_of(scenario) <= rate_of(larger) * (1 + CLOSE)
    assert rate_of(larger) / (count + more) <= rate_of(scenario) / count * (1 + CLOSE)


@given(scenarios().map(known), st.lists(factors, min_size=1, max_size=7))
def test_no_longer_time_raises_the_rate(scenario: Scenario, longer: list[float]) -> None:
    by = cycle(longer)
    slower = varied(scenario.path, lambda value, slows, _: value * next(by) if slows else value)
    assert rate_of(replace(scenario, path=slower)) <= rate_of(scenario) * (1 + CLOSE)


@given(scenarios().map(known), st.lists(st.integers(1280, 9216), min_size=3, max_size=3))
def test_arrays_are_their_entries(scenario: Scenario, mtus_bytes: list[int]) -> None:
    counts = scenario.traffic.connection_count * np.array([1, 2.5, 7])
    of_all = scenario.with_traffic(connection_count=counts)
    together = replace(of_all, mtu_bytes=np.array(mtus_bytes)).predict()
    rates = expected_of(together).transaction_rate_tps
    for place, (mtu_bytes, count) in enumerate(zip(mtus_bytes, counts, strict=True)):
        of_one = scenario.with_traffic(connection_count=float(count))
        one = expected_of(replace(of_one, mtu_bytes=mtu_bytes).predict()).transaction_rate_tps
        for end in ("value", "low", "high"):
            there = np.broadcast_to(getattr(rates, end), 3)[place]
            assert there == pytest.approx(getattr(one, end), rel=1e-8)


@given(scenarios().map(known), variants, st.floats(0, 1))
def test_intervals_hold_every_point_inside(
    scenario: Scenario, drawn: Variants, share: float
) -> None:
    triples = cycle(drawn)

    def inside(value: float, slows: bool, number: int) -> float:
        if not slows:
            return value
        low, _, high = sorted(next(triples))
        return value * (low + (share * (number + 1)) % 1 * (high - low))

    ranges = expected_of(around(scenario, drawn).predict()).transaction_rate_tps
    point = rate_of(replace(scenario, path=varied(scenario.path, inside)))
    assert ranges.low * (1 - CLOSE) <= point <= ranges.high * (1 + CLOSE)


@given(scenarios())
def test_what_is_not_known_has_bounds_alone(scenario: Scenario) -> None:
    prediction = scenario.with_path(unknown=("hosts",)).predict()
    assert prediction.expected is None
    assert prediction.to_dict()["expected"] is None
    assume(not scenario.traffic.waits or scenario.traffic.connection_count is None)
    assert scenario.predict().expected is None
