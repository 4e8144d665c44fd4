"""Laws of ratios, for any stages, traffic and unknown factors."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from paths import STREAM
from testing.strategies import Scenario, scenarios

from netmodel.errors import DomainError
from netmodel.path import (
    Interval,
    Path,
    Pool,
    RatioPrediction,
    Reference,
    Stage,
    Times,
    predict_path,
    predict_ratio,
)

CLOSE = 1e-9
FACTORS = st.floats(1e-3, 1e3)
COUNTS = st.floats(0.25, 64)


def factor_of(stage: Stage) -> str:
    return stage.pool or stage.name


def with_factors(scenario: Scenario, names: set[str], reference: Reference) -> Scenario:
    """The same with times of some stages known up to a factor only."""
    stages = (
        replace(each, factor=factor_of(each)) if factor_of(each) in names else each
        for each in scenario.path.stages
    )
    return scenario.with_path(stages=tuple(stages), reference=reference)


def slowed(path: Path, slower: dict[str, float]) -> Path:
    """The path as it is where the factors are these."""

    def known(stage: Stage) -> Stage:
        times = slower[stage.factor] if stage.factor else 1.0
        changed = stage.changed(lambda value, slows: value * times if slows else value)
        return replace(changed, factor=None)

    return replace(path, stages=tuple(known(each) for each in path.stages), reference=None)


def ratio_of(scenario: Scenario) -> RatioPrediction:
    try:
        return predict_ratio(scenario.path, scenario.traffic, scenario.mtu_bytes, scenario.stack)
    except DomainError as error:
        assume("nothing limits" not in str(error))
        raise


@given(scenarios(), st.data())
def test_no_factors_take_the_ratio_out_of_its_range(scenario: Scenario, data: Any) -> None:
    stages = [each for each in scenario.path.stages if not each.is_delay]
    names = {factor_of(each) for each in stages if data.draw(st.booleans())} | {"first"}
    pools = [pool.name for pool in scenario.path.pools if pool.parallel_count is not None]
    sizes = [scenario.mtu_bytes, scenario.mtu_bytes + data.draw(st.integers(0, 9000))]
    here_bytes, there_bytes = data.draw(st.permutations(sizes))
    counts = {name: data.draw(COUNTS) for name in pools}
    reference = Reference(there_bytes, counts)
    sized = replace(scenario, mtu_bytes=here_bytes)
    mine = with_factors(sized, names, reference).with_traffic(waits=False)
    result = ratio_of(mine)
    slower = {name: data.draw(FACTORS) for name in mine.path.factors}
    here = slowed(mine.path, slower)
    there = replace(
        here,
        pools=tuple(
            replace(pool, parallel_count=counts.get(pool.name, pool.parallel_count))
            for pool in here.pools
        ),
    )
    rates = [
        predict_path(path, mine.traffic, mtu_bytes, mine.stack).transaction_rate_tps.value
        for path, mtu_bytes in ((here, here_bytes), (there, there_bytes))
    ]
    _, low, high = result.ratio_to_reference
    assert low * (1 - CLOSE) <= rates[0] / rates[1] <= high * (1 + CLOSE)


@given(scenarios(), FACTORS)
def test_the_unit_of_times_up_to_a_factor_is_nothing(scenario: Scenario, factor: float) -> None:
    mine = with_factors(scenario, {"first"}, Reference(9000))
    other = slowed(mine.path, dict.fromkeys(mine.path.factors, factor)).stages
    same = zip(other, mine.path.stages, strict=True)
    stages = tuple(replace(each, factor=known.factor) for each, known in same)
    result, again = ratio_of(mine), ratio_of(mine.with_path(stages=stages))
    for name, ratio in result.ratios.items():
        there = again.ratios[name]
        for end in ("value", "low", "high"):
            assert getattr(there, end) == pytest.approx(getattr(ratio, end), rel=CLOSE)


@given(COUNTS, COUNTS, st.floats(1, 10), st.floats(0, 5000))
def test_throughput_is_linear_in_the_cpus_that_bind(
    here: float, there: float, times: float, frame_bytes: float
) -> None:
    cpu = Stage(
        name="cpu",
        to_server=Times(per_frame_s=frame_bytes, per_byte_s=1),
        parallel_count=None,
        pool="cpus",
        factor="cpus",
    )

    def ratio(count: float) -> float:
        path = Path(
            stages=(cpu,), pools=(Pool("cpus", count),), reference=Reference(None, {"cpus": there})
        )
        value = predict_ratio(path, STREAM, 1500).ratio_to_reference.value
        assert value is not None
        return float(value)

    assert ratio(here) == pytest.approx(here / there, rel=CLOSE)
    assert ratio(times * here) == pytest.approx(times * ratio(here), rel=CLOSE)


def two_stages(counts: tuple[float, float], costs: tuple[float, float], shared: bool) -> Path:
    names = ("cpus", "cpus") if shared else ("first", "second")
    stages = tuple(
        Stage(
            name=f"stage{place}",
            to_server=Times(per_byte_s=cost),
            parallel_count=None,
            pool=name,
            factor=name,
        )
        for place, (name, cost) in enumerate(zip(names, costs, strict=True))
    )
    pools = [Pool("cpus", sum(counts))] if shared else map(Pool, names, counts)
    return Path(stages=stages, pools=tuple(pools), reference=Reference(None, {}))


@given(COUNTS, COUNTS, COUNTS, st.floats(1, 8))
def test_more_cpus_of_one_stage_never_lower_the_range(
    first: float, second: float, there: float, times: float
) -> None:
    reference = Reference(None, {"first": there, "second": there})

    def ratio(count: float) -> Any:
        path = replace(two_stages((count, second), (1, 1), shared=False), reference=reference)
        return predict_ratio(path, STREAM, 1500).ratio_to_reference

    few, many = ratio(first), ratio(times * first)
    assert many.low >= few.low * (1 - CLOSE)
    assert many.high >= few.high * (1 - CLOSE)


@given(FACTORS, FACTORS, FACTORS, FACTORS)
def test_intervals_that_hold_in_both_cases_enclose_each_pair_of_values(
    low: float, width: float, other: float, where: float
) -> None:
    """Mixed ends of two intervals are cases too."""

    def ratio(frame: Any, byte: Any) -> Any:
        cpu = Stage(name="cpu", to_server=Times(per_frame_s=frame, per_byte_s=byte), factor="cpu")
        path = Path(stages=(cpu,), reference=Reference(1500))
        return predict_ratio(path, STREAM, 8192).ratio_to_reference

    high, share = low * (1 + width), where / (1 + where)
    inside = low + share * (high - low)
    whole = ratio(Interval(low, low, high), Interval(other, other, other * (1 + width)))
    first = ratio(inside, other * (1 + (1 - share) * width)).value
    assert whole.low * (1 - CLOSE) <= first <= whole.high * (1 + CLOSE)
