"""Every figure of the load of an interface, by hand from two snapshots of its counters."""

from typing import Any

import pytest

from netmodel.errors import ContradictionError
from netmodel.readers import Counters, interface_load
from netmodel.readers._interface_load import InterfaceDirection, InterfaceLoad

BEGIN = {
    "rx_bytes": 1000,
    "rx_packets": 10,
    "rx_dropped": 1,
    "rx_errors": 2,
    "tx_bytes": 5000,
    "tx_packets": 50,
    "tx_dropped": 7,
    "tx_errors": 8,
}


def counters(counts: dict[str, int]) -> Counters:
    known = {"eth0": counts, "eth1": {"rx_bytes": 0}}
    return Counters(
        source="after.json", raw_text="x", sha256="1", tool="ip", counts=known, width_bits=64
    )


def load(
    counts: dict[str, int],
    duration_s: float = 2.0,
    direction: InterfaceDirection = "in",
    **more: Any,
) -> InterfaceLoad:
    """The load after these changes."""
    after = {name: number + counts.get(name, 0) for name, number in BEGIN.items()}
    return interface_load(counters(BEGIN), counters(after), duration_s, "eth0", direction, **more)


def test_rates_are_changes_over_their_time() -> None:
    """1000 frames of 1514 byte in 2 s, with 24 more on the line: 12.304 Mbit of 25."""
    known = load(
        {"rx_bytes": 1_514_000, "rx_packets": 1000, "rx_dropped": 3, "rx_errors": 4},
        line_rate_bps=25e6,
        mtu_bytes=1500,
        begin_utc_s=1e9,
    )
    assert (known.interface, known.direction) == ("eth0", "in")
    assert (known.packet_count, known.device_bytes) == (1000, 1_514_000)
    assert (known.drop_count, known.error_count) == (3, 4)
    assert known.device_rate_bps == pytest.approx(8 * 1_514_000 / 2)
    assert known.wire_rate_bps == pytest.approx(8 * 1_538_000 / 2)
    assert known.utilisation_ratio == pytest.approx(8 * 1_538_000 / 2 / 25e6)
    assert not known.is_lower_bound
    run = known.measurement
    assert (run.begin_utc_s, run.duration_s, run.goodput_bps) == (1e9, 2, None)
    assert (run.source, run.sha256, run.tool) == ("after.json", "1", "ip")
    assert run.frame_rate_fps == pytest.approx(500)
    assert run.layer1_rate_bps == known.wire_rate_bps
    assert not run.goodput_is_lower_bound
    assert known.notes == ("eth0 dropped 3 packets (in)",)


def test_each_direction_has_counters_of_its_own() -> None:
    known = load({"tx_bytes": 600, "tx_packets": 6, "tx_errors": 1}, 3.0, "out", mtu_bytes=1500)
    assert (known.packet_count, known.device_bytes) == (6, 600)
    assert (known.drop_count, known.error_count, known.utilisation_ratio) == (0, 1, None)
    assert known.wire_rate_bps == pytest.approx(8 * (600 + 6 * 24) / 3)
    assert known.notes == ()


def test_bytes_around_a_frame_may_be_others() -> None:
    known = load({"rx_bytes": 1000, "rx_packets": 10}, mtu_bytes=1500, uncounted_bytes=38)
    assert known.wire_rate_bps == pytest.approx(8 * (1000 + 380) / 2)


@pytest.mark.parametrize(
    ("device_bytes", "is_aggregate"), [(10 * 1518, False), (10 * 1518 + 1, True)]
)
def test_packets_are_frames_up_to_the_mtu_with_its_headers_and_a_tag(
    device_bytes: int, is_aggregate: bool
) -> None:
    """1500 + 14 + 4 byte on average."""
    known = load({"rx_bytes": device_bytes, "rx_packets": 10}, mtu_bytes=1500)
    assert known.is_lower_bound is is_aggregate
    assert (known.measurement.frame_rate_fps > 5) is is_aggregate  # type: ignore[operator]
    assert known.measurement.goodput_is_lower_bound is is_aggregate


def test_an_aggregate_holds_the_headers_of_its_frames_once() -> None:
    """
    10 packets of 15 000 byte: 149 580 without their headers of 42, in frames of 1476: 102.

    These have 92 more headers of 42 byte, and 24 byte each around them.
    """
    known = load({"rx_bytes": 150_000, "rx_packets": 10}, mtu_bytes=1500)
    assert known.measurement.frame_rate_fps == pytest.approx(102 / 2)
    wire_bytes = 150_000 + 92 * 42 + 102 * 24
    assert known.wire_rate_bps == pytest.approx(8 * wire_bytes / 2)
    assert known.device_rate_bps == pytest.approx(8 * 150_000 / 2)
    assert known.notes == (
        "lower bounds: packets of 15000 byte on average are aggregates (TSO, GRO) at MTU 1500",
    )


@pytest.mark.parametrize(("device_bytes", "is_short"), [(600, False), (599, True), (0, True)])
def test_frames_below_60_byte_on_average_were_padded(device_bytes: int, is_short: bool) -> None:
    known = load({"rx_bytes": device_bytes, "rx_packets": 10}, mtu_bytes=1500)
    assert any("padding to 64 byte is not counted" in note for note in known.notes) is is_short


def test_nothing_moved_is_no_load() -> None:
    known = load({}, line_rate_bps=1e9, mtu_bytes=1500)
    assert (known.wire_rate_bps, known.utilisation_ratio, known.notes) == (0, 0, ())


@pytest.mark.parametrize(("line_rate_bps", "is_noted"), [(992 * 4, True), (1000 * 4, False)])
def test_one_percent_above_the_line_is_rounding(line_rate_bps: float, is_noted: bool) -> None:
    """10 frames of 77 byte with 24 around them: 1010 byte in 2 s."""
    known = load({"rx_bytes": 770, "rx_packets": 10}, mtu_bytes=1500, line_rate_bps=line_rate_bps)
    assert known.utilisation_ratio == pytest.approx(4040 / line_rate_bps)
    noted = [note for note in known.notes if "a unit or the time is wrong" in note]
    assert bool(noted) is is_noted
    assert not noted or noted[0].startswith("utilisation of 101.8 %")


def test_without_mtu_and_offloads_a_packet_may_be_several_frames() -> None:
    note = "a packet may hold several segments: specify MTU or offloads to know"
    assert load({"rx_bytes": 1000, "rx_packets": 10}).notes == (note,)


def test_counters_of_another_interface_are_not_those() -> None:
    with pytest.raises(ContradictionError, match="no counter rx_packets of eth1 in both snapshots"):
        interface_load(counters(BEGIN), counters(BEGIN), 1.0, "eth1", "in")
    with pytest.raises(ContradictionError, match="no counter tx_bytes of eth2 in both snapshots"):
        interface_load(counters(BEGIN), counters(BEGIN), 1.0, "eth2", "out")
