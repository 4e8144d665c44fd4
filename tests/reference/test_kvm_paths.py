"""Published statements on KVM guests, against the records calibrated from some of them."""

from dataclasses import replace
from typing import Any

import pytest
from paths import ends

from netmodel.consumption import Side
from netmodel.framing import Hop, MtuFate, PathMtu
from netmodel.path import Path, RatioPrediction, SpecifiedPath, predict_ratio, workload_traffic
from netmodel.records import path_record, statement, workload

SMALL, LARGE = 1500, 8192
STREAM = "str-writex30k"
LINE_ONLY = (8140 / 8230) / (1448 / 1538)


def path_of(name: str, line_rate_bps: float | None = None) -> Path:
    return SpecifiedPath(record=path_record(name), line_rate_bps=line_rate_bps).path(Side.CLIENT)


def predicted(
    name: str, load: str = STREAM, mtu_bytes: int = LARGE, **specified: Any
) -> RatioPrediction:
    result = workload(load)
    path = SpecifiedPath(record=path_record(name), **specified).path(result.sender)
    return predict_ratio(path, workload_traffic(result, 10), mtu_bytes)


def percent(ratio: float) -> float:
    return 100 * (ratio - 1)


def test_a_frame_costs_between_nothing_and_2855_bytes() -> None:
    """An input: up to 120 % on one host, whose CPUs are the bottleneck at both MTUs."""
    (stage,) = path_record("kvm-one-host").stages
    assert stage.both is not None
    costs = [point.per_frame.time_s / point.per_byte.time_s for point in stage.both.vertices]
    assert costs == pytest.approx([2855, 0], abs=0.5)


def test_the_gain_on_one_host_is_up_to_the_printed_one() -> None:
    printed = statement("kvm-same-host-throughput")
    value, low, high = predicted("kvm-one-host").ratio_to_reference
    assert value is not None
    assert printed.value is not None
    assert percent(value) == pytest.approx(float(printed.value))
    assert (percent(low), percent(high)) == pytest.approx((0, 120))


@pytest.mark.parametrize(("load", "gain_percent"), [(STREAM, 120), ("rr1c-200x30k", 114)])
def test_responses_of_30k_gain_as_the_stream_does(load: str, gain_percent: float) -> None:
    """A prediction: the frames of a message are not all full."""
    value = predicted("kvm-one-host", load).ratio_to_reference.value
    assert value is not None
    assert percent(value) == pytest.approx(gain_percent, abs=0.5)


def test_only_payload_larger_than_the_smaller_mtu_gains_on_one_host() -> None:
    """Statement kvm-same-host-gain-payload."""
    result = predicted("kvm-one-host", "rr1c-200x1000").ratio_to_reference
    assert result == pytest.approx((1, 1, 1))


@pytest.mark.parametrize("load", [STREAM, "rr1c-200x1000", "rr1c-200x30k"])
@pytest.mark.parametrize("mtu_bytes", [LARGE, 8992])
def test_across_hosts_the_gain_is_the_published_one_for_any_message(
    load: str, mtu_bytes: int
) -> None:
    """5 to 20 % in all but 2 workload test types, 25 to 75 % of CPU efficiency in all."""
    result = predicted("kvm-two-hosts", load, mtu_bytes)
    for name, ratio in (
        ("kvm-separate-hosts-throughput", result.ratio_to_reference),
        ("kvm-separate-hosts-cpu", result.ratios["client-guest-and-host-cpu"]),
        ("kvm-separate-hosts-cpu", result.ratios["server-guest-and-host-cpu"]),
    ):
        printed = statement(name)
        assert printed.low is not None
        assert printed.high is not None
        ends_percent = (float(printed.low), float(printed.high))
        assert (percent(ratio.low), percent(ratio.high)) == pytest.approx(ends_percent)
    assert result.ratio_to_reference.value is None
    assert result.to_dict()["ratio_to_reference"]["published"]
    texts = result.notes
    assert any("all but 2 test types" in text for text in texts)
    assert any("extrapolation" in text for text in texts) is (mtu_bytes != LARGE)
    assert any("do not explain" in text for text in texts) is (load == "rr1c-200x1000")


def test_across_hosts_other_mtus_are_between_or_by_their_frames() -> None:
    between = predicted("kvm-two-hosts", "rr1c-200x1000", 4000)
    assert between.ratio_to_reference[1:] == pytest.approx((1, 1.2))
    assert any("what both neighbours have" in text for text in between.notes)
    assert predicted("kvm-two-hosts", STREAM, SMALL).ratio_to_reference == (1, 1, 1)
    below = predicted("kvm-two-hosts", STREAM, 1400)
    assert below.ratio_to_reference.high == pytest.approx((1348 / 1438) / (1448 / 1538))
    assert any("no gain is published beyond MTU 1500" in text for text in below.notes)


def test_across_hosts_the_lower_end_is_that_of_framing_alone() -> None:
    printed = statement("kvm-separate-hosts-throughput")
    fabric = predicted("kvm-two-hosts").ratios["fabric"]
    assert ends(fabric) == pytest.approx([LINE_ONLY] * 3)
    assert percent(fabric.value) == pytest.approx(5.054, abs=5e-4)
    assert printed.low is not None
    assert round(percent(fabric.value)) == printed.low


def test_across_hosts_the_frames_of_a_stream_make_what_is_published() -> None:
    """5 to 20 % for 25 to 75 % of CPU efficiency: the line is the bottleneck in some cases."""
    path = path_of("kvm-two-hosts")
    assert path.reference is not None
    by_frames = replace(path, reference=replace(path.reference, gains=()))
    result = predict_ratio(by_frames, workload_traffic(workload(STREAM), 10), LARGE)
    value, low, high = result.ratio_to_reference
    assert value is None
    assert (percent(low), percent(high)) == pytest.approx((5.054, 75), abs=1e-3)
    for side in ("client", "server"):
        many = ends(result.ratios[f"{side}-guest-and-host-cpu"])
        assert [percent(end) for end in many] == pytest.approx([50, 25, 75])


@pytest.mark.parametrize("rate_bps", [1e9, 10e9, 25e9])
def test_a_line_rate_gives_an_upper_bound_and_the_same_ratio(rate_bps: float) -> None:
    """Statement kvm-separate-hosts-fabric: no throughput above the line."""
    result = predicted("kvm-two-hosts", line_rate_bps=rate_bps)
    assert result.ceiling_bps == pytest.approx(rate_bps * 8140 / 8230)
    assert result.ratios["known times"].value == pytest.approx(LINE_ONLY)
    assert result.ratio_to_reference == predicted("kvm-two-hosts").ratio_to_reference


def test_nothing_absolute_is_predicted_for_guests() -> None:
    for name in ("kvm-one-host", "kvm-two-hosts"):
        result = predicted(name).to_dict()
        for key in ("throughput_bps", "transaction_rate_tps", "cpu_us_per_gbit", "cpu_busy"):
            assert result[key] is None
        assert result["limits"] == []
        assert "up to a factor only" in result["notes"][0]


def test_a_note_warns_of_frames_outside_the_validity_range() -> None:
    path = path_of("kvm-one-host")
    load = workload_traffic(workload(STREAM), 10)
    assert not any("calibrated for" in each for each in predict_ratio(path, load, LARGE).notes)
    assert any("calibrated for" in each for each in predict_ratio(path, load, 16000).notes)


def test_larger_packets_of_a_guest_stall_at_macvtap() -> None:
    """Statements kvm-macvtap-stall and kvm-macvtap-host-mtu."""
    for host_mtu, fate in ((SMALL, MtuFate.STALLS), (LARGE, MtuFate.PASSES)):
        hops = (Hop("guest", LARGE), Hop("macvtap", host_mtu, sends_too_big=False))
        assert PathMtu(hops).outcome(LARGE).fate is fate
