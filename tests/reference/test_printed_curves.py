"""Expected values of the z/VM paths: Layer 3 and Layer 2 Comparisons, tables 5 to 12."""

from typing import Any

import numpy as np
import pytest

import netmodel
from netmodel.consumption import Side
from netmodel.path import Prediction
from netmodel.published import listing
from netmodel.records import dataset
from netmodel.units import BITS_PER_BYTE

BITS_PER_MIB = BITS_PER_BYTE * 2**20
COSTS = [
    {**{key: str(values[0]) for key, values in row.of.items()}, "id": row.id, "low": str(row.low)}
    for row in listing()
    if not row.against and {"guest", "hypervisor"}.intersection(row.of.get("part", ()))
]
"""CPU time of each part, as printed."""


def predicted(path: str, workload: str, mtu: int, connections: Any) -> Prediction:
    result = netmodel.predict(path=path, workload=workload, mtu_bytes=mtu, connections=connections)
    assert isinstance(result, Prediction)
    return result


def path_of(row: dict[str, str]) -> str:
    return f"{row['path']}-layer{row['layer']}-{row['client'].rpartition('-')[2]}"


def test_every_printed_rate_is_expected_and_within_its_bound() -> None:
    runs = [*dataset("zvm-layer2-layer3").tables["measurements"].rows()]
    for run in runs:
        path = f"{run['path']}-layer{run['layer']}-{run['link_rate_gbps']}gbe"
        case = (path, run["workload"], int(run["mtu_bytes"]), int(run["connection_count"]))
        prediction = predicted(*case)
        expected = prediction.expected
        assert expected is not None, case
        if run["transaction_rate_tps"]:
            rate, measured = expected.transaction_rate_tps, float(run["transaction_rate_tps"])
            bound = prediction.transaction_rate_tps
        else:
            rate = expected.throughput_bps
            measured = float(run["data_rate_mb_per_s"]) * BITS_PER_MIB
            bound = prediction.throughput_bps
        assert rate.value == pytest.approx(measured, rel=1e-9), case
        assert rate.low <= measured <= rate.high, case
        assert measured <= bound.value * (1 + 1e-9), case
    assert len(runs) == 60


@pytest.mark.parametrize("row", COSTS, ids=lambda row: row["id"])
def test_every_printed_part_of_the_cpu_time_comes_out(row: dict[str, str]) -> None:
    """But for requests over 10 GbE, whose totals cannot be right: their cost is not predicted."""
    case = (path_of(row), row["workload"], int(row["mtu"]), int(row["connections"]))
    if row["level"] != "5.2.0" and row["client"].endswith("1gbe"):
        pytest.skip("of an older level than a path means")
    parts = predicted(*case).cpu_parts[Side.CLIENT]
    if row["workload"] == "awm-rr" and case[0].endswith("10gbe"):
        assert parts is None
        return
    assert parts is not None
    of_bytes = 2**20 / 20_971_520 if row["workload"] == "awm-str" else 1.0
    shown_ms = float(parts[row["part"]].s_per_transaction.value) * 1e3 * of_bytes
    assert shown_ms == pytest.approx(float(row["low"]), rel=1e-9)


@pytest.mark.parametrize("mtu", [1492, 1500, 8992])
@pytest.mark.parametrize("workload", ["awm-rr", "awm-str"])
def test_arrays_are_as_each_alone(workload: str, mtu: int) -> None:
    path, counts = "zvm-direct-osa-layer3-1gbe", [1, 3, 10, 50, 60]
    together = predicted(path, workload, mtu, counts)
    cost = together.cpu_us_per_gbit[Side.CLIENT]
    assert cost is not None
    for place, count in enumerate(counts):
        alone = predicted(path, workload, mtu, count)
        one = alone.cpu_us_per_gbit[Side.CLIENT]
        assert one is not None
        assert np.broadcast_to(cost.value, len(counts))[place] == pytest.approx(one.value)
        for end in ("value", "low", "high"):
            bounds = getattr(together.throughput_bps, end)
            shown = np.broadcast_to(bounds, len(counts))[place]
            assert shown == pytest.approx(getattr(alone.throughput_bps, end))
        if together.expected is None:
            assert alone.expected is None
            continue
        expected = np.nan if alone.expected is None else alone.expected.throughput_bps.value
        shown = together.expected.throughput_bps.value[place]  # type: ignore[index]
        assert shown == pytest.approx(expected, nan_ok=True)


def test_between_printed_numbers_the_rate_and_the_cost_are_between() -> None:
    """Table 5, layer 2: 14,336.5 and 32,521.9 /s with 10 and 50 clients, 43 and 34 µs."""
    found = predicted("zvm-vswitch-layer2-1gbe", "awm-rr", 1492, 25)
    cost = found.cpu_s_per_transaction[Side.CLIENT]
    assert found.expected is not None
    assert cost is not None
    assert found.expected.transaction_rate_tps.value == pytest.approx(23_954, abs=1)
    assert 34e-6 < cost.value < 43e-6
    assert not found.expected.is_exact


def test_beyond_the_largest_number_there_is_a_bound() -> None:
    """No connection gets faster by others: 60 / 50 of 32,521.9 /s, and 1 % that runs scatter."""
    found = predicted("zvm-vswitch-layer2-1gbe", "awm-rr", 1492, 60)
    assert found.expected is None
    assert found.transaction_rate_tps.value == pytest.approx(1.01 * 1.2 * 32_521.9)
    assert found.binding == "published limit"
    assert "measured to 50 connections" in str(found.bounded_by)
