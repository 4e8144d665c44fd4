"""Published statements on PowerVM, against the records calibrated from some of them."""

from dataclasses import replace
from typing import Any

import pytest
from paths import ends

from netmodel.consumption import Side
from netmodel.path import (
    Path,
    Prediction,
    RatioPrediction,
    SpecifiedPath,
    Traffic,
    predict_path,
    predict_ratio,
    workload_traffic,
)
from netmodel.records import path_record, statement, workload

ONE_TRUNK, TWO_TRUNKS = "powervm-sea-power7", "powervm-sea-power7-two-trunks"
LPARS = "powervm-lpar-to-lpar"


def path_of(name: str) -> Path:
    return SpecifiedPath(record=path_record(name)).path(Side.CLIENT)


def stream(connection_count: int | None) -> Traffic:
    return workload_traffic(workload("str-writex30k"), connection_count)


def with_cpus(path: Path, **counts: float) -> Path:
    named = {name.replace("_", "-"): count for name, count in counts.items()}
    return replace(
        path,
        pools=tuple(
            replace(pool, parallel_count=named.get(pool.name, pool.parallel_count))
            for pool in path.pools
        ),
    )


def predicted(path: Path, connection_count: int | None = 8) -> RatioPrediction:
    return predict_ratio(path, stream(connection_count), 1500)


def ceiling_of(name: str) -> Prediction:
    ceiling = predicted(path_of(name)).ceiling
    assert ceiling is not None
    return ceiling


@pytest.mark.parametrize("count", [0.5, 1, 2, 4, 8])
def test_throughput_is_linear_in_the_cpus_of_both_lpars(count: float) -> None:
    """Statement powervm-cpu-linear, relative to the test bed of powervm-tools-test-cpu."""
    path = with_cpus(path_of(LPARS), client_lpar=count, server_lpar=count)
    assert predicted(path).ratio_to_reference == pytest.approx((count, count, count))


def test_cpus_of_one_lpar_help_until_the_other_is_the_bottleneck() -> None:
    value, low, high = predicted(with_cpus(path_of(LPARS), client_lpar=2)).ratio_to_reference
    assert value is None
    assert (low, high) == pytest.approx((1, 2))


def test_one_connection_does_not_use_more_than_one_cpu() -> None:
    """Statements powervm-tools-ftp-threads and powervm-tools-iperf-parallel, in CPUs."""
    path = with_cpus(path_of(LPARS), client_lpar=4, server_lpar=4)
    ratios = [predicted(path, count).ratio_to_reference.value for count in (1, 2, 4, 8)]
    assert ratios == pytest.approx([1, 2, 4, 4])


def test_tuned_attributes_save_time_by_the_printed_factor() -> None:
    printed = statement("powervm-tuning-throughput")
    result = predicted(path_of("powervm-lpar-to-lpar-tuned"))
    assert result.ratio_to_reference.value == pytest.approx(float(printed.value or 0))
    assert result.ratio_to_reference[1:] == pytest.approx((1.65, 1.75))
    assert str(result.reference) == (
        "1.7 times the CPU time of client-lpar, 1.7 times the CPU time of server-lpar"
    )


def test_one_trunk_carries_13_gigabit_within_a_tenth_and_never_20() -> None:
    """Statements powervm-power7-trunk-limit, an input, and powervm-power7-20g."""
    printed = statement("powervm-power7-20g")
    trunk = ceiling_of(ONE_TRUNK).limit_rates_bps["trunk_to_server"]
    assert ends(trunk) == pytest.approx((13e9, 11.7e9, 14.3e9))
    ends_gbps = statement("powervm-power7-trunk-limit").interval
    assert ends_gbps is not None
    assert [float(end) * 1e9 for end in ends_gbps] == pytest.approx([trunk.low, trunk.high])
    assert trunk.high < float(printed.value or 0) * 1e9


def test_two_trunks_fill_the_line_of_10_gigabit() -> None:
    """Statement powervm-power7-two-trunks."""
    ceiling = ceiling_of(TWO_TRUNKS)
    trunks = ceiling.limit_rates_bps["trunk_to_server"]
    assert ends(trunks) == pytest.approx((26e9, 23.4e9, 28.6e9))
    assert ceiling.binding == "wire_to_server"
    assert ends(ceiling.throughput_bps) == pytest.approx([10e9 * 1448 / 1538] * 3)


def test_the_limit_of_one_trunk_does_not_explain_why_line_speed_is_hard() -> None:
    """Statement powervm-power7-one-trunk: the trunk is above the line, so the CPUs are left."""
    ceiling = ceiling_of(ONE_TRUNK)
    assert ceiling.binding == "wire_to_server"
    assert ceiling.limit_rates_bps["trunk_to_server"].low > ceiling.throughput_bps.high
    assert any("up to" in each or "a factor" in each for each in ceiling.notes)


def test_one_virtual_adapter_of_power8_fills_two_ports() -> None:
    """Statements powervm-power8-20g, an input, powervm-power8-easier and powervm-final-trunks."""
    result = predict_ratio(path_of("powervm-sea-power8"), stream(None), 1500).ceiling
    assert result is not None
    adapter = result.limit_rates_bps["virtual-adapter_to_server"]
    assert (adapter.value, adapter.low) == pytest.approx((20e9, 20e9))
    assert adapter.high == float("inf")
    assert result.binding == "ports_to_server"
    assert ends(result.throughput_bps) == pytest.approx([2 * 10e9 * 1448 / 1538] * 3)
    assert adapter.low > ceiling_of(ONE_TRUNK).limit_rates_bps["trunk_to_server"].high


@pytest.mark.parametrize("name", [ONE_TRUNK, TWO_TRUNKS, "powervm-sea-power8"])
def test_more_cpus_help_a_shared_adapter_up_to_the_next_limit(name: str) -> None:
    """Statements powervm-sea-cpu-resources and powervm-final-cpu."""
    result = predicted(with_cpus(path_of(name), client_lpar=3, vios=3))
    value, low, high = result.ratio_to_reference
    assert value is None
    assert (low, high) == pytest.approx((1, 3))
    assert result.ratios["vios"].value == pytest.approx(3)


def test_ten_times_the_line_is_at_most_ten_times_as_fast() -> None:
    """Statement powervm-sea-ten-times: whatever does not grow with the line lowers it."""
    printed = statement("powervm-sea-ten-times")
    path = path_of(ONE_TRUNK)
    rates = [
        predict_path(known, stream(8), 1500).throughput_bps.value
        for known in (slower_line(path, 1), slower_line(path, 10))
    ]
    assert rates[0] / rates[1] == pytest.approx(float(printed.value or 0))


def slower_line(path: Path, times: float) -> Path:
    known = path.without_factors
    assert known is not None
    stages: list[Any] = [
        each.changed(lambda value, slows: value * times if slows and value else value)
        if each.name.startswith("wire")
        else each
        for each in known.stages
    ]
    return replace(known, stages=tuple(stages))


def test_the_worked_tandem_still_holds() -> None:
    """150,000 and 90,000 µs/Gbit on a CPU each, and on two CPUs that they share."""
    path = path_of("powervm-sea-tandem")
    rates = predict_path(path, stream(8), 1500).limit_rates_bps
    assert rates["client-lpar"].value == pytest.approx(6.6667e9, abs=5e4)
    assert rates["vios"].value == pytest.approx(11.1111e9, abs=5e4)
    shared = replace(path.pools[0], name="both", parallel_count=2)
    stages = tuple(replace(each, pool="both") if each.pool else each for each in path.stages)
    together = predict_path(replace(path, stages=stages, pools=(shared,)), stream(8), 1500)
    assert together.throughput_bps.value == pytest.approx(8.3333e9, abs=5e4)
    assert together.binding == "both"


@pytest.mark.parametrize(
    "name", [LPARS, "powervm-lpar-to-lpar-tuned", ONE_TRUNK, TWO_TRUNKS, "powervm-sea-power8"]
)
def test_tools_and_cpus_stand_with_each_record(name: str) -> None:
    record = path_record(name)
    assert record.description is not None
    for word in ("iperf 2", "iperf 3", "netperf", "ftp"):
        assert word in record.description
    assert any("CPU" in text for text in record.unknown)
