"""CPU cost by part: guest and hypervisor add up, and no more CPUs are busy than installed."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from testing.strategies import Scenario, scenarios

from netmodel.consumption import Side
from netmodel.consumption.cost import parse_cpu_cost
from netmodel.path import (
    Interval,
    Path,
    Pool,
    Prediction,
    SpecifiedPath,
    Stage,
    Times,
    Traffic,
    predict_path,
)
from netmodel.path.from_records import wire_stages
from netmodel.path.limits import CpuPart
from netmodel.path.specified import with_given_costs
from netmodel.records import path_record

CLOSE = 1e-9


def requests(count: float, path_id: str = "zvm-direct-osa-layer3-1gbe") -> Prediction:
    path = SpecifiedPath(record=path_record(path_id)).path()
    return predict_path(path, Traffic(200, 1000, connection_count=count), 1492)


def of_client(prediction: Prediction) -> Mapping[str, CpuPart]:
    parts = prediction.cpu_parts[Side.CLIENT]
    assert parts is not None
    return parts


@pytest.mark.parametrize(
    ("count", "guest_us", "hypervisor_us"), [(1, 24.4, 31.5), (10, 20.6, 14.3), (50, 18.7, 5.7)]
)
def test_parts_are_the_printed_ones(count: int, guest_us: float, hypervisor_us: float) -> None:
    """Layer 3 and Layer 2 Comparisons, table 8, layer 3: emulation and CP of a transaction."""
    prediction = requests(count)
    parts = of_client(prediction)
    whole_us = guest_us + hypervisor_us
    assert parts["guest"].s_per_transaction.value == pytest.approx(guest_us * 1e-6, abs=1e-12)
    assert parts["hypervisor"].share_ratio == pytest.approx(hypervisor_us / whole_us, abs=1e-6)
    total = prediction.cpu_s_per_transaction[Side.CLIENT]
    assert total is not None
    assert total.value == pytest.approx(whole_us * 1e-6, abs=1e-12)
    # 1200 bytes in both directions: µs/Gbit of them
    gbit = 1200 * 8e-9
    assert parts["guest"].us_per_gbit.value == pytest.approx(guest_us / gbit, rel=1e-6)


@pytest.mark.parametrize(
    "path_id",
    [f"zvm-direct-osa-layer{layer}-1gbe" for layer in (2, 3)]
    + [f"zvm-vswitch-layer{layer}-1gbe" for layer in (2, 3)],
)
@given(count=st.floats(1, 1000))
def test_along_the_curve_parts_are_positive_and_add_up(path_id: str, count: float) -> None:
    prediction = requests(count, path_id)
    parts, total = of_client(prediction), prediction.cpu_s_per_transaction[Side.CLIENT]
    assert total is not None
    times = [part.s_per_transaction for part in parts.values()]
    assert all(0 < time.low <= time.value <= time.high for time in times)
    assert sum(time.value for time in times) == pytest.approx(total.value)
    assert sum(time.low for time in times) <= total.low * (1 + CLOSE)
    assert total.high <= sum(time.high for time in times) * (1 + CLOSE)
    assert sum(part.share_ratio for part in parts.values()) == pytest.approx(1)
    busy = prediction.cpu_busy[Side.CLIENT]
    assert busy is not None
    assert busy.high <= 2 * (1 + CLOSE)  # CPUs of the machine


def test_requests_over_10_gbe_have_no_cost_and_say_why() -> None:
    """Table 11: printed totals would keep 9.2 to 16.6 of 8 CPUs busy."""
    prediction = requests(50, "zvm-direct-osa-layer3-10gbe")
    assert prediction.cpu_parts[Side.CLIENT] is None
    assert prediction.cpu_s_per_transaction[Side.CLIENT] is None
    assert any("CPU time of requests" in text and "flagged" in text for text in prediction.notes)


@given(scenarios())
def test_parts_of_any_path_add_up_and_stay_within_its_cpus(scenario: Scenario) -> None:
    prediction = scenario.predict()
    for side in Side:
        parts, cost = prediction.cpu_parts[side], prediction.cpu_us_per_gbit[side]
        time, busy = prediction.cpu_s_per_transaction[side], prediction.cpu_busy_expected[side]
        assert (parts is None) == (cost is None) == (time is None)
        if parts is None or cost is None or time is None:
            continue
        assert sum(part.us_per_gbit.value for part in parts.values()) == pytest.approx(cost.value)
        assert sum(part.s_per_transaction.value for part in parts.values()) == pytest.approx(
            time.value
        )
        assert (busy is None) == (prediction.expected is None)
        if busy is None or prediction.expected is None:
            continue
        pools = {stage.pool for stage in prediction.path.cpu_stages(side)}
        installed = sum(
            pool.parallel_count or 0 for pool in prediction.path.pools if pool.name in pools
        )
        assert 0 <= busy.low <= busy.value <= busy.high <= installed * (1 + CLOSE)
        rate = prediction.expected.transaction_rate_tps.value
        # the expected rate stays below what the pool allows, so that nothing is bounded
        assert busy.value == pytest.approx(rate * time.value)
        assert busy.value <= prediction.cpu_busy[side].value * (1 + CLOSE)  # type: ignore[union-attr]


def test_a_stage_keeps_no_more_cpus_busy_than_it_has() -> None:
    """One queue of 4 CPUs, 5 to 20 µs: at most 200,000 /s, of which it cannot keep 4 busy."""
    queue = Stage(
        name="queue",
        to_server=Times(per_message_s=Interval(10e-6, 5e-6, 20e-6)),
        pool="cpus",
        side=Side.SERVER,
    )
    path = Path(stages=(queue,), pools=(Pool("cpus", 4, Side.SERVER),))
    prediction = predict_path(path, Traffic(200, 1000, connection_count=100), 1500)
    for busy in (prediction.cpu_busy[Side.SERVER], prediction.cpu_busy_expected[Side.SERVER]):
        assert busy is not None
        assert (busy.value, busy.high) == (pytest.approx(1), pytest.approx(1))


@pytest.mark.parametrize(("basis", "threads"), [("thread", 2), ("core", 1)])
def test_a_cost_of_threads_without_a_host_is_of_cores_with_two(basis: str, threads: int) -> None:
    """SMT-2, as the time basis of a guest of which no more is known."""
    cost = parse_cpu_cost("0.1 cores/(Gbit/s)", time_basis=basis)
    costs, hosts = {Side.SERVER: cost}, dict.fromkeys(Side)
    path = with_given_costs(Path(stages=wire_stages(25e9)), Traffic(1000), costs, hosts)
    assert [pool.threads_per_core for pool in path.pools] == [threads]
