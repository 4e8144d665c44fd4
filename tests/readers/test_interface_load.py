"""Every figure of the load of an interface, by hand from two snapshots of its counters."""

import json
from pathlib import Path
from typing import Any

import pytest

from netmodel.errors import ContradictionError, DomainError, ParseError
from netmodel.readers import Measurement, interface_load

KERNEL = Path(__file__).parent / "samples" / "kernel"
AFTER = KERNEL / "line200m_ip_s_s_link_after.json"
BEGIN = {"bytes": 1000, "packets": 10, "dropped": 1, "errors": 2}
NOTHING = {"bytes": 0, "packets": 0, "dropped": 0}


def snapshot(rx: dict[str, Any], name: str = "eth0") -> bytes:
    other = {"bytes": 7, "packets": 1, "dropped": 0}
    items = [{}, {"ifname": "eth1", "stats64": {"rx": other, "tx": other}}]
    return json.dumps([*items, {"ifname": name, "stats64": {"rx": rx, "tx": NOTHING}}]).encode()


def load(byte_count: int, packets: int, dropped: int = 0, mtu: int | None = 1500) -> Measurement:
    """The load of two seconds with these changes."""
    grown = {"bytes": byte_count, "packets": packets, "dropped": dropped}
    after = {name: BEGIN[name] + grown.get(name, 0) for name in BEGIN}
    return interface_load(snapshot(BEGIN), snapshot(after), 2.0, "eth0", "in", mtu_bytes=mtu)


def test_wire_bytes_of_a_full_line_of_200_mbps() -> None:
    """
    Five runs of 5.003 s, counted from zero: 598 044 656 bytes in 1 190 653 frames.

    (598 044 656 + 24 × 1 190 653) × 8 / 25.0151 s = 200.4 Mbit/s.
    """
    before = json.dumps([{"ifname": "vA", "stats64": {"rx": NOTHING, "tx": NOTHING}}]).encode()
    run = interface_load(before, AFTER, 25.0151, "vA", "out", mtu_bytes=1500)
    assert run.layer1_rate_bps == pytest.approx(200.4e6, rel=1e-4)
    assert run.frame_rate_fps == pytest.approx(47_598, abs=1)
    assert (run.goodput_bps, run.notes) == (None, ())
    assert run.why_no_goodput == "counters of an interface do not separate payload from headers"


def test_rates_are_changes_over_their_time() -> None:
    """1000 frames of 1514 byte in 2 s, with 24 more on the line."""
    run = load(1_514_000, 1000, 3)
    assert run.frame_rate_fps == pytest.approx(500)
    assert run.layer1_rate_bps == pytest.approx(8 * 1_538_000 / 2)
    assert not run.goodput_is_lower_bound
    assert run.notes == ("eth0 dropped 3 packets (in)",)


@pytest.mark.parametrize(
    ("device_bytes", "is_aggregate"), [(10 * 1518, False), (10 * 1518 + 1, True)]
)
def test_packets_are_frames_up_to_the_mtu_with_its_headers_and_a_tag(
    device_bytes: int, is_aggregate: bool
) -> None:
    """1500 + 14 + 4 byte on average."""
    run = load(device_bytes, 10)
    assert run.goodput_is_lower_bound is is_aggregate
    assert ((run.frame_rate_fps or 0) > 5) is is_aggregate


def test_an_aggregate_holds_the_headers_of_its_frames_once() -> None:
    """
    10 packets of 15 000 byte: 149 580 without their headers of 42, in frames of 1476: 102.

    These have 92 more headers of 42 byte, and 24 byte each around them.
    """
    run = load(150_000, 10)
    assert run.frame_rate_fps == pytest.approx(102 / 2)
    assert run.layer1_rate_bps == pytest.approx(8 * (150_000 + 92 * 42 + 102 * 24) / 2)
    assert run.notes == (
        "lower bounds: packets of 15000 byte on average are aggregates (TSO, GRO) at MTU 1500",
    )


@pytest.mark.parametrize(("device_bytes", "is_short"), [(600, False), (599, True)])
def test_frames_below_60_byte_on_average_were_padded(device_bytes: int, is_short: bool) -> None:
    notes = load(device_bytes, 10).notes
    assert any("padding is not counted" in note for note in notes) is is_short


def test_without_mtu_a_packet_may_be_several_frames() -> None:
    assert load(1000, 10, mtu=None).notes == (
        "a packet may hold several segments: specify the MTU to know",
    )
    assert load(0, 0).layer1_rate_bps == 0


def test_counters_that_cannot_be_are_refused() -> None:
    with pytest.raises(ParseError, match='no counters of "eth0"'):
        interface_load(snapshot(BEGIN), snapshot(BEGIN, "eth7"), 1.0, "eth0", "in")
    with pytest.raises(ContradictionError, match="bytes of eth0 fell by 1000: it was reset"):
        interface_load(snapshot(BEGIN), snapshot(NOTHING), 1.0, "eth0", "in")
    for odd in (-1, 2**64, 1.5, "1", None, True):
        with pytest.raises(ParseError, match=r"stats64.rx.bytes must be"):
            interface_load(snapshot(BEGIN), snapshot(BEGIN | {"bytes": odd}), 1.0, "eth0", "in")
    with pytest.raises(DomainError, match="direction must be 'in' or 'out'"):
        interface_load(AFTER, AFTER, 1.0, "vA", "up")  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="duration_s"):
        interface_load(AFTER, AFTER, 0.0, "vA", "out")
