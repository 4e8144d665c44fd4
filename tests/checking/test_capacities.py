"""Runs against capacities: of clouds, of shapers, of each flow, and with a burst."""

import csv
from pathlib import Path
from typing import Any

import pytest
from runs import run

import netmodel
from netmodel.ceilings import Capacity, line_ceiling
from netmodel.checking import Outcome, SpecifiedLine, Verdict, check
from netmodel.path import SpecifiedPath
from netmodel.readers import Direction
from netmodel.records import adapter

FACTS = Path(__file__).parents[1] / "data/facts"


def rows(name: str) -> list[dict[str, str]]:
    with (FACTS / name).open(encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def judged(goodput_bps: float, *texts: str, mtu_bytes: int | None = 1500, **more: Any) -> Verdict:
    capacities = tuple(map(Capacity.parse, texts))
    line = SpecifiedLine.over(None, None, mtu_bytes=mtu_bytes, capacities=capacities)
    assert line is not None
    return check(run(goodput_bps, **{"duration_s": 60.0, **more}), line)


@pytest.mark.parametrize("mtu_bytes", [1500, 9001])
@pytest.mark.parametrize("layer", ["", " ip"])
def test_no_healthy_run_at_a_baseline_of_a_cloud_is_impossible(mtu_bytes: int, layer: str) -> None:
    """Baselines count bytes of IP packets."""
    for row in rows("aws_baselines.csv"):
        baseline_bps = float(row["baseline_bps"])
        goodput_bps = baseline_bps * (mtu_bytes - 52) / mtu_bytes
        text = f"{baseline_bps / 1e9!r} Gbit/s{layer}"
        verdict = judged(goodput_bps, text, mtu_bytes=mtu_bytes)
        assert verdict.outcome is Outcome.AT_CEILING, verdict
        assert layer or "ip (IP packet)" in verdict.reason


def test_no_published_run_of_a_cloud_is_impossible() -> None:
    for row in rows("aws_measured_2018.csv"):
        measured = f"{row['measured_gbit']} Gbit/s"
        (verdict,) = netmodel.check(
            measured, capacity=f"{row['documented_baseline_gbit']} Gbit/s", mtu_bytes=9001
        )
        assert verdict.outcome is not Outcome.IMPOSSIBLE, verdict


@pytest.mark.parametrize(
    ("word", "frame_bytes", "named"),
    [
        ("wire", 1538, "wire"),
        ("frame", 1518, "frame or tc (frame without FCS)"),
        ("tc", 1514, "frame or tc (frame without FCS)"),
        ("ip", 1500, "ip (IP packet)"),
        ("payload", 1448, "payload"),
    ],
)
def test_a_run_names_the_layers_that_fit_it(word: str, frame_bytes: int, named: str) -> None:
    goodput_bps = 0.999 * 1448e9 / frame_bytes
    verdict = judged(goodput_bps, "1 Gbit/s")
    assert verdict.outcome is Outcome.AT_CEILING
    assert f"the capacity 1 Gbit/s, counted as {named}, allows" in verdict.reason or word == "tc"
    assert judged(goodput_bps, f"1 Gbit/s {word}").ratio == pytest.approx(0.999)


def test_a_run_with_its_start_may_have_got_a_burst() -> None:
    """tbf with a bucket of 64 KiB at 10 Mbit/s, on the emulated line: 1.017 of its rate in 3 s."""
    goodput_bps = 10e6 * 1448 / 1514 + 8 * 65536 / 3
    for leaves_out_start, named in ((False, True), (True, False)):
        more = {"duration_s": 3.0, "leaves_out_start": leaves_out_start}
        assert ("tc (frame" in judged(goodput_bps, "10 Mbit/s", **more).reason) is named


def test_a_run_below_all_layers_is_below_and_one_above_all_impossible() -> None:
    low, high = judged(0.9e9, "1Gbit/s"), judged(1.02e9, "1Gbit/s")
    assert (low.outcome, high.outcome) == (Outcome.BELOW, Outcome.IMPOSSIBLE)
    assert (low.ratio, high.ratio) == pytest.approx((0.9 * 1538 / 1448, 1.02))
    assert high.causes[0].text == "the capacity 1Gbit/s does not apply to this run"


def test_an_unspecified_bucket_of_a_second_may_explain_what_is_above() -> None:
    """1.1 times the rate in 10 s; a line carries no more than itself, and a rate has no time."""
    capacity = "100Mbit/s payload"
    assert judged(104e6, capacity, duration_s=10.0).outcome is Outcome.NOT_JUDGEABLE
    assert judged(112e6, capacity, duration_s=10.0).outcome is Outcome.IMPOSSIBLE
    assert judged(104e6, capacity, duration_s=None).outcome is Outcome.IMPOSSIBLE
    line = SpecifiedLine(107e6, 1500, capacities=(Capacity.parse(capacity),))
    assert check(run(104e6, duration_s=10.0), line).outcome is Outcome.IMPOSSIBLE


def test_the_smallest_of_line_and_capacities_is_the_ceiling() -> None:
    capacities = (Capacity.parse("2Gbit/s ip"), Capacity.parse("0.1Mpps"))
    line = SpecifiedLine.over(None, 10e9, mtu_bytes=1500, capacities=capacities)
    verdict = check(run(1.15e9, duration_s=60.0), line)
    assert [each.name for each in verdict.limits.specified] == [
        "wire",
        "capacity 2Gbit/s ip",
        "capacity 0.1Mpps",
    ]
    assert verdict.ceiling_bps == pytest.approx(0.1e6 * 8 * 1448)
    assert verdict.binding.name == "capacity 0.1Mpps"


def test_streams_have_a_capacity_each() -> None:
    assert judged(9.6e9, "5Gbit/s ip per flow", stream_count=2).ratio == pytest.approx(
        9.6 / 2 / (5 * 1448 / 1500)
    )
    (typed,) = netmodel.check(
        "9.6 Gbit/s", capacity="5Gbit/s ip per flow", mtu_bytes=1500, connections=2
    )
    assert typed.ratio == pytest.approx(9.6 / 2 / (5 * 1448 / 1500))
    unknown = judged(9.6e9, "5Gbit/s ip per flow", stream_count=None)
    assert unknown.outcome is Outcome.NOT_JUDGEABLE
    assert "no limit without the number of connections" in unknown.why


def test_without_their_number_one_connection_may_have_been_all() -> None:
    """5 Gbit/s of IP packets at MTU 9001 carry 4.971 of payload; 60 Gbit/s take 13 connections."""
    line = SpecifiedLine(25e9, 9001, capacities=(Capacity.parse("5Gbit/s ip per flow"),))
    ends = {3e9: Outcome.BELOW, 4.96e9: Outcome.NOT_JUDGEABLE, 24.75e9: Outcome.AT_CEILING}
    for goodput_bps, outcome in ends.items():
        assert check(run(goodput_bps, stream_count=None), line).outcome is outcome
    open_run = check(run(4.96e9, stream_count=None), line)
    assert open_run.limits.bounds_bps[0] == pytest.approx(5e9 * 8949 / 9001)
    assert "specify the number of connections (connections=...)" in open_run.reason


def test_both_directions_share_a_capacity_of_both() -> None:
    """9.15 + 9.20 Gbit/s of 19 Gbit/s of packets at MTU 1500: 18.35 of 18.341 of payload."""
    other = {"is_bidirectional": True, "duration_s": 30.0}
    for goodput_bps, reverse_bps in ((9.15e9, 9.2e9), (9.2e9, 9.15e9)):
        known = {**other, "reverse_goodput_bps": reverse_bps}
        full = judged(goodput_bps, "19Gbit/s both ip", **known)
        assert full.ratio == pytest.approx(18.35 / (19 * 1448 / 1500))
        assert full.outcome is Outcome.AT_CEILING
        assert judged(goodput_bps, "9.6Gbit/s both ip", **known).outcome is Outcome.IMPOSSIBLE
    # without the other one, it is an upper bound
    alone = judged(9.15e9, "19Gbit/s both ip", **other)
    assert alone.outcome is Outcome.NOT_JUDGEABLE
    assert "the rate of the other direction" in alone.reason
    assert judged(19e9, "19Gbit/s both ip", **other).outcome is Outcome.IMPOSSIBLE
    assert judged(0.0, "19Gbit/s both ip", **other).outcome is Outcome.BELOW


def test_a_bucket_is_full_or_empty() -> None:
    """30 GB at 10 Gbit/s and then 2.5: 5.5 Gbit/s over a minute at most."""
    text = "10Gbit/s for 30GB then 2.5Gbit/s payload"
    ends = {2.4e9: Outcome.BELOW, 4e9: Outcome.NOT_JUDGEABLE, 5.6e9: Outcome.IMPOSSIBLE}
    for goodput_bps, outcome in ends.items():
        assert judged(goodput_bps, text).outcome is outcome
    assert judged(4e9, text).limits.bounds_bps == pytest.approx((2.5e9, 5.5e9))
    # 0.5 GB last half a second, and so may a run of unknown time
    untimed = judged(4e9, text.replace("30GB", "0.5GB"), duration_s=None)
    assert untimed.limits.bounds_bps == pytest.approx((2.5e9, 10e9))


def test_a_shaper_at_the_rate_of_the_line_is_the_first_cause() -> None:
    """956 Mbit/s: 0.9996 of 1448 / 1514 Gbit/s."""
    (verdict,) = netmodel.check("956 Mbit/s", transport="tcp", line_rate_bps=1e9, mtu_bytes=1500)
    assert verdict.outcome is Outcome.IMPOSSIBLE
    assert verdict.causes[0].text == (
        "a capacity of 1 Gbit/s that counts tc (frame without FCS) would explain it"
    )
    assert "capacity='1 Gbit/s tc'" in verdict.causes[0].confirm
    other = judged(0.999 * 1448e9 / 1500, "1Gbit/s wire")
    assert other.causes[0].text.startswith("a capacity of 1Gbit/s that counts ip")


def test_a_capacity_is_suggested_with_its_burst() -> None:
    """30 GB at 10 Gbit/s and then 2.5 are 3.1 Gbit/s over 300 s, of payload or of packets."""
    capacity = "10Gbit/s for 30GB then 2.5Gbit/s"
    verdict = judged(3.09e9, f"{capacity} ip", duration_s=300.0)
    assert verdict.outcome is Outcome.IMPOSSIBLE
    assert f"capacity='{capacity} payload'" in verdict.causes[0].confirm
    again = judged(3.09e9, f"{capacity} payload", duration_s=300.0)
    assert again.ratio == pytest.approx(3.09 / 3.1)


def test_frames_are_judged_by_what_counts_of_them() -> None:
    """Frames of 1538 byte on the wire, 1514 for tc."""
    frames = run(None, layer1_rate_bps=0.999e9 * 1538 / 1514, frame_rate_fps=0.999e9 / 8 / 1514)
    capacities = (Capacity.parse("1Gbit/s tc"),)
    line = SpecifiedLine.over(None, 10e9, mtu_bytes=1500, capacities=capacities)
    assert check(frames, line).ratio == pytest.approx(0.999)


def test_a_capacity_never_raises_a_ceiling() -> None:
    plain = line_ceiling(10e9, 1500).payload_rate_bps
    for text in ("1Mbit/s", "20Gbit/s ip", "1Tbit/s per flow", "0.8Mpps"):
        line = SpecifiedLine.over(None, 10e9, mtu_bytes=1500, capacities=(Capacity.parse(text),))
        assert check(run(1e9), line).limits.smallest.value_bps <= plain


def of_ends(goodput_bps: float, sender: str, receiver: str, *texts: str, **more: Any) -> Verdict:
    ends = SpecifiedPath(adapter(sender), adapter(receiver))
    given = tuple(map(Capacity.parse, texts))
    line = SpecifiedLine.over(ends, None, mtu_bytes=9001, capacities=given)
    return check(run(goodput_bps, **{"duration_s": 60.0, **more}), line)


def test_capacities_of_adapters_judge_without_a_line() -> None:
    types = "aws:c6in.8xlarge", "aws:c6in.8xlarge"
    payload_ratio = 8949 / 9001
    for streams, rate_bps in ((1, 5e9), (2, 10e9), (64, 50e9)):
        verdict = of_ends(rate_bps * payload_ratio, *types, stream_count=streams)
        assert verdict.outcome is Outcome.AT_CEILING, verdict
        assert not any("burst" in note for note in verdict.notes)
    verdict = of_ends(10e9 * payload_ratio, *types, "10Gbit/s ip per flow", stream_count=1)
    assert verdict.outcome is Outcome.AT_CEILING, verdict
    # without the number of streams that of each flow limits nothing, and explains nothing
    assert of_ends(60e9, *types).outcome is Outcome.IMPOSSIBLE
    assert of_ends(60e9, *types).notes[0].startswith("capacity 5Gbit/s per flow: no limit")


def test_capacities_of_adapters_judge_their_own_direction() -> None:
    ends = "gcp:c3-standard-44+tier_1", "gcp:c3-standard-22"
    assert of_ends(50e9, *ends).outcome is Outcome.AT_CEILING
    assert of_ends(50e9, *ends[::-1]).outcome is Outcome.IMPOSSIBLE
    back = {"direction": Direction.SERVER_TO_CLIENT, "is_bidirectional": True}
    assert of_ends(23e9, *ends, **back).outcome is Outcome.AT_CEILING


def test_without_a_line_segments_of_a_run_have_no_limit_of_it() -> None:
    verdict = judged(180e6, "16kpps", mtu_bytes=9001, segment_bytes=1448)
    assert verdict.outcome is Outcome.BELOW
    assert "something other than the capacity 16kpps limits" in verdict.reason
    verdict = judged(3e9, "5Gbit/s", mtu_bytes=1500)
    assert "the capacity 5Gbit/s, counted as wire, allows" in verdict.reason


def test_a_burst_above_what_lasts_is_not_impossible() -> None:
    """An instance of 0.75 Gbit/s "up to 10 Gbit/s" may burst; one of 32 vCPUs has its baseline."""
    burst, lasting = (
        netmodel.check(text, adapter=name, mtu_bytes=9001, transport="tcp")[0]
        for text, name in (("8 Gbit/s", "aws:m5.large"), ("9.9 Gbit/s", "aws:m5.8xlarge"))
    )
    assert burst.outcome.value == "not_judgeable"
    assert "a burst may be faster" in str(burst)
    outcomes = {"9.9 Gbit/s": "at_ceiling", "10.04 Gbit/s": "at_ceiling", "12 Gbit/s": "impossible"}
    for text, outcome in outcomes.items():
        (one,) = netmodel.check(text, adapter="aws:m5.large", mtu_bytes=9001, transport="tcp")
        assert one.outcome.value == outcome
    assert lasting.outcome.value == "at_ceiling"
    slow = netmodel.check("0.5 Gbit/s", adapter="aws:m5.large", mtu_bytes=9001, transport="tcp")[0]
    assert slow.outcome.value == "below"
