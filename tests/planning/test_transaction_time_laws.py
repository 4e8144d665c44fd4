"""Laws of times of transactions at a planned load: bounds, monotony, symmetry, scaling."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planning.planned import planned

from netmodel.path import SpecifiedPath
from netmodel.planning import Headroom
from netmodel.planning._transaction_time import TransactionTime, transaction_times
from netmodel.records import path_record

WORKED = SpecifiedPath(record=path_record("worked-closed-network"))
RATES = st.integers(10, 50_000)
USES = st.floats(1e-6, 0.999)
SERVERS = st.integers(1, 200)


def times(*rates_tps: float, volume_ratio: float = 1.0, adapters: int = 1) -> list[float]:
    """Of flows of the same messages; infinite where a stage is full."""
    flows = [f"{rate_tps}/s rr1c-200x1000" for rate_tps in rates_tps]
    demand, plan = planned(*flows, path=WORKED, headroom=Headroom(0.999, 0))

    def time_s(time: TransactionTime) -> float:
        assert time.lower_bound_s is not None
        if time.expected_s is None:
            return math.inf
        assert time.expected_s.value >= time.lower_bound_s.value
        assert time.expected_s.low <= time.expected_s.value <= time.expected_s.high
        return time.expected_s.value

    found = transaction_times(demand.scaled(volume_ratio), plan, adapter_count=adapters)
    return [time_s(time) for time in found]


@settings(max_examples=20)
@given(rates=st.lists(RATES, min_size=1, max_size=3), ratios=st.tuples(USES, USES))
def test_more_volume_never_takes_less_time(rates: list[int], ratios: tuple[float, float]) -> None:
    less, more = (times(*rates, volume_ratio=ratio) for ratio in sorted(ratios))
    assert all(one <= other * (1 + 1e-12) for one, other in zip(less, more, strict=True))


@settings(max_examples=20)
@given(rates=st.lists(RATES, min_size=2, max_size=3))
def test_the_order_of_flows_does_not_matter(rates: list[int]) -> None:
    assert times(*rates[::-1]) == pytest.approx(times(*rates)[::-1], rel=1e-12)


@settings(max_examples=20)
@given(rates=st.lists(RATES, min_size=1, max_size=2), counts=st.tuples(SERVERS, SERVERS))
def test_more_adapters_never_take_longer(rates: list[int], counts: tuple[int, int]) -> None:
    few, many = (times(*rates, adapters=count) for count in sorted(counts))
    assert all(other <= one * (1 + 1e-12) for one, other in zip(few, many, strict=True))
