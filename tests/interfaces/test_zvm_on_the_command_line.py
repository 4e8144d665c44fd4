"""Streams to a z/VM guest on the command line, in the workload that was measured."""

from typing import Any

import pytest
from invocation import printed_json, refusal

VIRTUAL_SWITCH = ("predict", "--path", "zvm-vswitch-layer3-1gbe", "--workload", "awm-str")
MIB_BITS = 8 * 2**20


def streamed(mtu_bytes: int, size: str, clients: int = 10) -> Any:
    path = (*VIRTUAL_SWITCH, "--mtu", str(mtu_bytes), "--connections", str(clients))
    (row,) = printed_json(*path, "--payload", size)
    return row


@pytest.mark.parametrize(
    ("mtu_bytes", "clients", "printed_mib_per_s", "total_ms_per_mib", "binding"),
    [
        (1492, 1, 44.6, 7.13, "virtual-switch_in"),
        (1492, 10, 92.4, 6.93, "virtual-switch_in"),
        (1492, 50, 93.3, 6.95, "virtual-switch_in"),
        (8992, 1, 36.4, 4.18, "wire_to_client"),
        (8992, 10, 118.0, 4.25, "wire_to_client"),
        (8992, 50, 118.0, 4.68, "wire_to_client"),
    ],
)
def test_the_cells_of_each_number_of_clients(
    mtu_bytes: int, clients: int, printed_mib_per_s: float, total_ms_per_mib: float, binding: str
) -> None:
    """z/VM, tables 6 and 7, layer 3: what is moved at the most, what it costs, what limits it."""
    row = streamed(mtu_bytes, "20MiB", clients)
    assert row["binding"] == binding
    rate = row["throughput_bps"]
    assert rate["high"] >= (printed_mib_per_s - 0.05) * MIB_BITS
    if clients > 1:
        assert rate["low"] <= (printed_mib_per_s + 0.05) * MIB_BITS
    assert _value(row["cpu_us_per_gbit"]["client"]) == pytest.approx(
        total_ms_per_mib * 119_209.28955, rel=3e-3
    )
    assert _value(row["cpu_busy"]["client"]) == pytest.approx(
        rate["value"] / MIB_BITS * total_ms_per_mib / 1000, rel=3e-3
    )
    assert row["cpu_us_per_gbit"]["server"] is None


def _value(answer: Any) -> Any:
    """The value to quote, of an interval or alone."""
    return answer["value"] if isinstance(answer, dict) else answer


def test_an_mtu_that_is_missing_is_one_of_those_printed() -> None:
    path = ("--path", "zvm-vswitch-layer2-1gbe", "--workload", "awm-rr")
    assert "documents print figures at 1492 and 8992" in refusal("predict", *path)
