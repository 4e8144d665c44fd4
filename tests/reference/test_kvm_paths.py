"""What is stated of KVM guests, from the records that were made of a part of it."""

from typing import Any

import pytest

from netmodel.consumption import Side
from netmodel.framing import Hop, MtuFate, PathMtu
from netmodel.path import Path, RatioPrediction, StatedPath, predict_ratio, workload_traffic
from netmodel.records import network_path, statement, workload

SMALL, LARGE = 1500, 8192
STREAM = "str-writex30k"
LINE_ONLY = (8140 / 8230) / (1448 / 1538)


def path_of(name: str, line_rate_bps: float | None = None) -> Path:
    return StatedPath(network=network_path(name), line_rate_bps=line_rate_bps).path(Side.CLIENT)


def predicted(name: str, load: str = STREAM, **stated: Any) -> RatioPrediction:
    found = workload(load)
    path = StatedPath(network=network_path(name), **stated).path(found.sender)
    return predict_ratio(path, workload_traffic(found, 10), LARGE)


def percent(ratio: float) -> float:
    return 100 * (ratio - 1)


def test_a_frame_costs_between_nothing_and_2855_bytes() -> None:
    """An input: up to 120 % on one host, whose CPUs bind at both MTUs."""
    (stage,) = network_path("kvm-one-host").stages
    assert stage.both is not None
    costs = [point.per_frame.time_s / point.per_byte.time_s for point in stage.both.vertices]
    assert costs == pytest.approx([2855, 0], abs=0.5)


def test_the_gain_on_one_host_is_up_to_the_printed_one() -> None:
    told = statement("kvm-same-host-throughput")
    value, low, high = predicted("kvm-one-host").ratio_to_reference
    assert value is not None
    assert told.value is not None
    assert percent(value) == pytest.approx(float(told.value))
    assert (percent(low), percent(high)) == pytest.approx((0, 120))


@pytest.mark.parametrize(("load", "gain_percent"), [(STREAM, 120), ("rr1c-200x30k", 114)])
def test_responses_of_30k_gain_as_the_stream_does(load: str, gain_percent: float) -> None:
    """A prediction: the frames of a message are not all full."""
    value = predicted("kvm-one-host", load).ratio_to_reference.value
    assert value is not None
    assert percent(value) == pytest.approx(gain_percent, abs=0.5)


@pytest.mark.parametrize("name", ["kvm-one-host", "kvm-two-hosts"])
def test_only_payload_larger_than_the_smaller_mtu_gains(name: str) -> None:
    """Statement kvm-same-host-gain-payload; on two hosts it is against "all test types"."""
    assert predicted(name, "rr1c-200x1000").ratio_to_reference == pytest.approx((1, 1, 1))


def test_across_hosts_the_lower_end_is_that_of_framing_alone() -> None:
    told = statement("kvm-separate-hosts-throughput")
    fabric = predicted("kvm-two-hosts").ratios["fabric"]
    assert fabric == pytest.approx([LINE_ONLY] * 3)
    assert percent(fabric.value) == pytest.approx(5.054, abs=5e-4)
    assert told.low is not None
    assert round(percent(fabric.value)) == told.low


def test_across_hosts_the_range_holds_the_printed_one() -> None:
    """5 to 20 % for 25 to 75 % of CPU efficiency: the line binds in part of the cases."""
    told = statement("kvm-separate-hosts-throughput")
    found = predicted("kvm-two-hosts")
    value, low, high = found.ratio_to_reference
    assert value is None
    assert told.high is not None
    assert (percent(low), percent(high)) == pytest.approx((5.054, 75), abs=1e-3)
    assert percent(low) < told.high < percent(high)
    for side in ("client", "server"):
        ends = found.ratios[f"{side}-guest-and-host-cpu"]
        assert [percent(end) for end in ends] == pytest.approx([50, 25, 75])


@pytest.mark.parametrize("rate_bps", [1e9, 10e9, 25e9])
def test_a_rate_of_the_line_makes_a_most_and_no_other_ratio(rate_bps: float) -> None:
    """Statement kvm-separate-hosts-fabric: no throughput above the line."""
    found = predicted("kvm-two-hosts", line_rate_bps=rate_bps)
    assert found.ceiling_bps == pytest.approx(rate_bps * 8140 / 8230)
    assert found.ratios["known times"].value == pytest.approx(LINE_ONLY)
    assert found.ratio_to_reference == predicted("kvm-two-hosts").ratio_to_reference


def test_nothing_absolute_is_told_of_guests() -> None:
    for name in ("kvm-one-host", "kvm-two-hosts"):
        told = predicted(name).to_dict()
        for key in ("throughput_bps", "transaction_rate_tps", "cpu_us_per_gbit", "cpu_busy"):
            assert told[key] is None
        assert told["limits"] == []
        assert "up to a factor only" in told["warnings"][0]


def test_frames_that_the_times_were_not_found_with_are_told() -> None:
    path = path_of("kvm-one-host")
    load = workload_traffic(workload(STREAM), 10)
    assert not any("were found with" in one for one in predict_ratio(path, load, LARGE).warnings)
    assert any("were found with" in one for one in predict_ratio(path, load, 16000).warnings)


def test_larger_packets_of_a_guest_stall_at_macvtap() -> None:
    """Statements kvm-macvtap-stall and kvm-macvtap-host-mtu."""
    for host_mtu, fate in ((SMALL, MtuFate.STALLS), (LARGE, MtuFate.PASSES)):
        hops = (Hop("guest", LARGE), Hop("macvtap", host_mtu, tells_too_big=False))
        assert PathMtu(hops).outcome(LARGE).fate is fate
