"""What windows and losses explain of a run, and what contradicts the run."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from runs import EVEN_LINE, having, run, sample

import netmodel
from netmodel.ceilings import Capacity
from netmodel.checking import Gate, Outcome, SpecifiedLine, Verdict, Verdicts, check
from netmodel.checking._run_limits import run_limits
from netmodel.checking.limits import Limit
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.readers import CpuUse, Measurement, read_result
from netmodel.transport import mathis_payload_rate_bps

SEGMENT_BYTES = 1448
ROUND_TRIP_S = 20e-3
SENT_COUNT = 10_000
LOST_COUNT = 40


def specified(**values: float) -> SpecifiedLine:
    """The even line with a round trip, a window, or both."""
    return SpecifiedLine(1538e6, 1500, **values)


def limits(measurement: Measurement, line: SpecifiedLine = EVEN_LINE) -> dict[str, Limit]:
    return {each.name: each for each in run_limits(measurement, line).limits}


def lossy(goodput_bps: float = 15e6, **reported: Any) -> Measurement:
    """40 of 10,000 segments retransmitted over 20 ms, in 10 intervals, by Reno."""
    usual = {
        "round_trip_s": ROUND_TRIP_S,
        "segment_bytes": SEGMENT_BYTES,
        "received_bytes": (SENT_COUNT - LOST_COUNT) * SEGMENT_BYTES,
        "retransmit_count": LOST_COUNT,
        "lossy_interval_count": 10,
        "congestion_control": "reno",
        "duration_s": 10.0,
    }
    return run(goodput_bps, **(usual | reported))


# Loss


def test_retransmits_are_loss_events_at_most() -> None:
    """At 4e-3 Reno has 1.2247 / sqrt(4e-3) = 19.365 segments in flight: 11.216 Mbit/s."""
    result = limits(lossy())["loss"]
    assert result.value_bps == pytest.approx(11.2164e6, rel=1e-4)
    assert result.high_bps == pytest.approx(2 * result.value_bps)
    assert result.low_bps is not None
    assert result.low_bps == pytest.approx(0.7 * result.value_bps)
    assert "40 of 10,000 segments retransmitted over a round trip of 20 ms" in result.carrier


@pytest.mark.parametrize("count", [1, 4])
def test_without_intervals_no_event_loses_more_than_a_window(count: int) -> None:
    """15 Mbit/s over 20 ms are 25.9 segments in flight, twice that at most: 40 / 51.8 events."""
    reported = {"lossy_interval_count": None, "stream_count": count}
    assert "loss" not in limits(lossy(15e6 * count, **reported))
    assert "loss" in limits(lossy(1e6 * count, **reported))
    # three events are a rate, each in an interval of its own
    assert "loss" in limits(lossy(15e6 * count, lossy_interval_count=3, stream_count=count))
    assert "loss" not in limits(lossy(15e6 * count, lossy_interval_count=2, stream_count=count))


@pytest.mark.parametrize("goodput_bps", [8e6, 11e6, 22e6])
def test_loss_explains_a_run_within_its_range_and_never_passes(goodput_bps: float) -> None:
    verdict = check(lossy(goodput_bps), EVEN_LINE)
    assert verdict.outcome is Outcome.LIMITED, verdict.reason
    assert verdict.binding is not None
    assert verdict.binding.name == "loss"
    assert "limited by loss, 40 of 10,000 segments retransmitted" in verdict.reason
    assert "drop counters" in verdict.reason
    assert not verdict.passes
    assert check(lossy(goodput_bps), EVEN_LINE, Gate(accepted=frozenset({"loss"}))).passes


def test_a_slower_line_than_specified_goes_before_loss() -> None:
    """A line of 10 Mbit/s carries 9.41 Mbit/s, and drops what does not fit."""
    verdict = check(lossy(10e6 * 1448 / 1538), EVEN_LINE)
    assert verdict.outcome is Outcome.BELOW
    assert "a line of 10 Mbit/s would explain it" in verdict.reason


@pytest.mark.parametrize(
    "reported",
    [
        # 28 kB over 20 ms are 11.2 Mbit/s
        {"peer_window_bytes": 28_000},
        {
            "stream_count": 1,
            "cpu": (
                CpuUse(0.82, 11e6, "process", Side.CLIENT),
                CpuUse(0.81, 11e6, "process", Side.SERVER),
            ),
        },
    ],
    ids=["window", "client_process"],
)
def test_loss_explains_nothing_beside_another_cause(
    reported: dict[str, Any], request: pytest.FixtureRequest
) -> None:
    other = request.node.callspec.id
    verdict = check(lossy(11e6, **reported), EVEN_LINE)
    assert verdict.outcome is Outcome.BELOW
    assert {each.name for each in verdict.causes} == {"loss", other}
    assert all(each.confirm for each in verdict.causes)
    assert verdict.causes[0].text in Verdicts([verdict]).columns[-1].cells[0]
    assert "loss" not in limits(lossy(11e6, **reported, congestion_control="bbr"))


# 28 kB over 20 ms are 11.2 Mbit/s
WINDOW = {"peer_window_bytes": 28_000, "congestion_control": "bbr"}


@pytest.mark.parametrize(
    ("reported", "is_explained"),
    [
        ({"lossy_interval_count": 5}, True),
        ({"lossy_interval_count": 4}, False),
        ({"lossy_interval_count": 9, "stream_count": 2}, False),
        (WINDOW, True),
        ({**WINDOW, "congestion_window_bytes": 56_000}, True),
        ({**WINDOW, "congestion_window_bytes": 55_999}, False),
        ({**WINDOW, "congestion_window_bytes": 55_999, "lossy_interval_count": 2}, True),
    ],
)
def test_what_held_in_a_part_of_a_run_explains_it_with_another_alone(
    reported: dict[str, Any], is_explained: bool
) -> None:
    """40 losses that fall apart hit most of ten seconds; a window is full if losses leave it so."""
    rate_bps = 11.15e6 * reported.get("stream_count", 1)
    verdict = check(lossy(rate_bps, **reported), EVEN_LINE)
    assert verdict.outcome is (Outcome.LIMITED if is_explained else Outcome.BELOW), verdict.reason


def test_more_than_separate_losses_allow_came_through_a_full_queue() -> None:
    """2.5 times the 11.2 Mbit/s of Reno at this loss; at 1.9 times it still explains the run."""
    verdict = check(lossy(28e6), EVEN_LINE)
    assert (verdict.outcome, verdict.causes[0].name) == (Outcome.BELOW, "full_queue")
    assert check(lossy(21.3e6), EVEN_LINE).outcome is Outcome.LIMITED


def test_less_than_separate_losses_allow_is_of_a_policer_where_one_is_specified() -> None:
    """0.7 times the 11.2 Mbit/s of Reno at this loss are the least that it explains alone."""
    policed = dataclasses.replace(EVEN_LINE, capacities=(Capacity.parse("50Mbit/s ip"),))
    verdict = check(lossy(6e6), policed)
    assert (verdict.outcome, verdict.causes[0].name) == (Outcome.BELOW, "policer")
    assert "loss" not in {each.name for each in check(lossy(6e6), EVEN_LINE).causes}


def test_a_recorded_run_over_a_line_that_loses_packets_is_limited_by_loss() -> None:
    """The line lost 5e-3 over 20 ms, at which Reno reaches 9.6 Mbit/s of 94.1."""
    (lossy_run,) = read_result(sample("iperf3_3.12_line_loss_reno.json"))
    verdict = check(lossy_run, SpecifiedLine(100e6, 1500))
    assert verdict.outcome is Outcome.LIMITED
    assert verdict.binding is not None
    assert verdict.binding.name == "loss"
    true_bps = mathis_payload_rate_bps(SEGMENT_BYTES, 20.1e-3, 5e-3)
    assert verdict.binding.low_bps < true_bps < verdict.binding.high_bps


def test_too_few_events_for_a_limit_are_named_with_their_rate_in_the_reason() -> None:
    """As netperf prints them, without intervals: 25 of 4,793 segments, 9.8 Mbit/s over 20.13 ms."""
    counts = {"retransmit_count": 25, "lossy_interval_count": None, "round_trip_s": None}
    measurement = lossy(9.08e6, received_bytes=6_903_984, **counts)
    verdict = check(measurement, specified(round_trip_s=20.13e-3))
    assert verdict.outcome is Outcome.BELOW
    assert "which allows 9.759" in verdict.reason
    assert "goodput times the round trip is 22,848 byte" in verdict.reason
    bbr = check(having(measurement, congestion_control="bbr"), EVEN_LINE)
    assert "if losses are isolated" not in bbr.reason


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        (["a/b.json", "a/c.json"], ["b.json", "c.json"]),
        (["/b.json", "/c.json"], ["/b.json", "/c.json"]),
        (["a/b.json"], ["a/b.json"]),
    ],
)
def test_files_are_shown_below_the_folder_that_has_all(files: list[str], shown: list[str]) -> None:
    listed = Verdicts([Verdict(file=each, outcome=None) for each in files])
    assert listed.columns[-1].cells == shown


# Window


def test_a_window_may_be_text() -> None:
    verdicts = [
        netmodel.check(
            run(21e6), line_rate_bps="1538 Mbit/s", mtu_bytes=1500, rtt_s=rtt, window_bytes=window
        )[0]
        for rtt, window in (("10 ms", "26 KiB"), (10e-3, 26 * 1024))
    ]
    assert verdicts[0].reason == verdicts[1].reason
    assert "specified window of 26624 byte" in verdicts[0].reason
    with pytest.raises(DomainError, match="must be one number"):
        check(run(), specified(window_bytes=np.array([1.0, 2.0])))  # type: ignore[arg-type]
