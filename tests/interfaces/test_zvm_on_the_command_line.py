"""Streams to a z/VM guest on the command line, in the workload that was measured."""

from typing import Any

import pytest
from invocation import printed_json, refusal

VIRTUAL_SWITCH = ("predict", "--path", "zvm-vswitch-layer3-1gbe", "--workload", "awm-str")
MIB_BITS = 8 * 2**20


def with_ten_clients(mtu_bytes: int, *options: str) -> Any:
    (row,) = printed_json(
        *VIRTUAL_SWITCH, "--mtu", str(mtu_bytes), "--connections", "10", "--payload", *options
    )
    return row


@pytest.mark.parametrize(
    ("mtu_bytes", "printed_mib_per_s", "total_ms_per_mib", "binding"),
    [(1492, 92.4, 6.93, "virtual-switch_in"), (8992, 118.0, 4.25, "wire_to_client")],
)
def test_the_cells_of_ten_clients(
    mtu_bytes: int, printed_mib_per_s: float, total_ms_per_mib: float, binding: str
) -> None:
    """z/VM, tables 6 and 7, layer 3: what is moved, what it costs, and what limits it."""
    row = with_ten_clients(mtu_bytes, "20MiB")
    assert row["binding"] == binding
    rate = row["throughput_bps"]
    assert rate["low"] <= (printed_mib_per_s + 0.05) * MIB_BITS
    assert rate["high"] >= (printed_mib_per_s - 0.05) * MIB_BITS
    assert row["cpu_us_per_gbit"]["client"] == pytest.approx(
        total_ms_per_mib * 119_209.28955, rel=2e-3
    )
    assert row["cpu_busy"]["client"] == pytest.approx(
        rate["value"] / MIB_BITS * total_ms_per_mib / 1000, rel=2e-3
    )
    assert row["cpu_us_per_gbit"]["server"] is None


def test_both_readings_of_the_size_give_the_same_stream() -> None:
    small, large = (with_ten_clients(1492, size) for size in ("20MB", "20MiB"))
    assert small["throughput_bps"]["value"] == pytest.approx(large["throughput_bps"]["value"])


def test_a_size_is_needed_and_must_be_one_of_the_range() -> None:
    told = refusal(*VIRTUAL_SWITCH, "--mtu", "1492")
    assert "20000000 to 20971520 byte: give one size with --payload" in told
    told = refusal(*VIRTUAL_SWITCH, "--mtu", "1492", "--payload", "30KiB")
    assert "payload_bytes must be 20000000 to 20971520 byte in awm-str; got 30720" in told
    stream = ("predict", "--path", "zvm-vswitch-layer3-1gbe", "--workload", "str-writex30k")
    told = refusal(*stream, "--mtu", "1492", "--payload", "1000B")
    assert "payload_bytes must be 30720 byte in str-writex30k; got 1000" in told
