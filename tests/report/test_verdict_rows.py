"""What people read of a verdict."""

import dataclasses
import math

import pytest
from judging.verdicts import CPU, NASTY, UNREADABLE, by_frames, judged, limited, one_of_each
from runs import EVEN_CEILING_BPS

from netmodel.judging import Outcome, Verdict
from netmodel.judging._limits import Limit
from netmodel.judging._tolerance import Tolerance, TolerancePart
from netmodel.judging._verdict import Repeats
from netmodel.report._verdict_rows import (
    FRAMES,
    OUTCOMES,
    Axis,
    VerdictRow,
    axis_of,
    printable,
    verdict_row,
)


def rows(*shares: float | None) -> list[VerdictRow]:
    return [verdict_row(judged("run.json", share)) for share in shares]


def under(*limits: Limit, share: float = 1.0) -> VerdictRow:
    return verdict_row(limited(judged("run.json", share), *limits))


def the_axis(*found: VerdictRow) -> Axis:
    axis = axis_of(found)
    assert axis is not None
    return axis


# Rows


def test_a_row_holds_the_numbers_of_its_verdict() -> None:
    row = verdict_row(judged("a.json", 0.5, part="port 5201", duration_s=10.0, cpu=(CPU,)))
    assert row.name == "a.json (client_to_server, port 5201)"
    assert (row.word, row.tool, row.duration_s) == ("below", "iperf3 3.21", 10)
    assert (row.measured, row.ceiling) == (EVEN_CEILING_BPS / 2, EVEN_CEILING_BPS)
    assert (row.measured_text, row.ceiling_text) == ("724 Mbit/s", "1.448 Gbit/s")
    assert (row.ratio_text, row.binding) == ("0.5000", "wire")
    assert row.reason.startswith("724 Mbit/s is 0.5000 of the 1.448 Gbit/s")
    assert row.cpu_texts == ("client: 0.500 CPUs busy (process only), 345304 µs/Gbit",)


def test_what_is_not_known_is_empty() -> None:
    row = verdict_row(UNREADABLE)
    assert row.name == row.file == "gone.json"
    assert (row.word, row.reason) == ("unreadable", "No such file or directory")
    assert (row.measured, row.ceiling, row.duration_s) == (None, None, None)
    texts = (row.place, row.tool, row.measured_text, row.ceiling_text, row.ratio_text, row.binding)
    assert texts == ("",) * 6
    assert (row.limits, row.cpu_texts, row.notes, row.drawn) == ((), (), (), ())


def test_limits_show_range_and_margin() -> None:
    row = under(Limit("wire", 2e9), Limit("queue", 1.6e9, 1.5e9, 1.8e9))
    assert [limit.sentence for limit in row.limits] == [
        "wire: 2 Gbit/s, margin 27.60 %",
        "queue: 1.6 Gbit/s, 1.5 to 1.8 Gbit/s, binding",
    ]
    wire, queue = row.limits
    assert (wire.low, wire.high) == (2e9, 2e9)
    assert (queue.low, queue.high) == (1.5e9, 1.8e9)


@pytest.mark.parametrize(
    ("share", "margin"), [(1.5, "−50.00 %"), (1.0, "0.00 %"), (1.000001, "0.00 %")]
)
def test_a_margin_may_be_negative(share: float, margin: str) -> None:
    (row,) = rows(share)
    assert row.limits[0].margin_text == margin


def test_an_infinite_limit_is_printed_as_no_limit() -> None:
    row = under(Limit("wire", 2e9), Limit("client", math.inf, 1e9, math.inf))
    assert row.limits[1].value_text == "no limit"
    assert row.limits[1].spread_text == "1 Gbit/s to no limit"


def test_frames_are_reported_in_frames() -> None:
    row = verdict_row(by_frames("run.json", 0.5))
    assert row.unit == FRAMES
    assert (row.measured, row.ceiling) == (pytest.approx(5e5), pytest.approx(1e6))
    assert (row.measured_text, row.ceiling_text) == ("500 kframes/s", "1 Mframes/s")
    (wire,) = row.limits
    assert wire.sentence == "wire: 1 Mframes/s, margin 50.00 %, binding"
    assert wire.low == wire.value == wire.high == row.ceiling
    assert row.reason.startswith("500,000 frames/s is 0.5000")


def test_the_tolerance_is_reported_part_by_part() -> None:
    part = TolerancePart("clocks", 0.0006, 0.001, "clocks of the line")
    verdict = dataclasses.replace(judged("a.json"), tolerance=Tolerance(0.98, 1.002, (part,)))
    assert verdict_row(verdict).details == (
        "tolerance: -2 % to +0.2 % (clocks)",
        "tolerance for clocks: 0.06 % below, 0.10 % above; clocks of the line",
    )


@pytest.mark.parametrize(
    ("verdict", "spread"),
    [
        (judged("a.json"), "1.438 to 1.458 Gbit/s"),
        (by_frames("a.json"), "999.19 kframes/s to 1.0008 Mframes/s"),
    ],
    ids=["payload", "frames"],
)
def test_repeats_are_named_with_their_interval(verdict: Verdict, spread: str) -> None:
    repeats = Repeats(
        files=("a.json", "b\x00.json"), half_width_bps=10e6, level_ratio=0.95, outliers=()
    )
    row = verdict_row(dataclasses.replace(verdict, repeats=repeats, tolerance=None))
    assert row.details == (f"mean of 2 runs, {spread} at 95 %: a.json, b\\x00.json",)


def test_every_outcome_has_its_place() -> None:
    assert set(OUTCOMES) == {None, *Outcome}
    assert OUTCOMES[-1] is Outcome.AT_CEILING
    assert {verdict_row(each).outcome for each in one_of_each()} == set(OUTCOMES)


def test_all_texts_can_be_printed() -> None:
    shown = '<script>alert("1")</script>&amp;\'größe-\\x00\\x1b[31m\\udcff\\u202e\\uffff.json'
    assert printable(NASTY) == shown
    verdict = judged(NASTY, 0.5, part=NASTY, tool_version=NASTY, notes=(NASTY,))
    row = verdict_row(limited(dataclasses.replace(verdict, reason=NASTY), Limit(NASTY, 2e9)))
    assert row.limits[0].name == shown
    assert (row.file, row.reason, row.binding, row.notes) == (*[shown] * 3, (shown,))
    assert (row.place, row.tool) == (f"client_to_server, {shown}", f"iperf3 {shown}")


def test_the_name_of_a_file_stays_on_one_line() -> None:
    row = verdict_row(Verdict(file="a\nat_ceiling.json", outcome=None, reason="empty"))
    assert row.name == r"a\nat_ceiling.json"


def test_what_can_be_printed_stays() -> None:
    text = "tab\t line\n größe 日本語 \N{GRINNING FACE} \\x00"
    assert printable(text) == text


# The axis


def test_rates_alike_are_drawn_from_zero() -> None:
    axis = the_axis(*rows(0.5, 1.0, 1.5))
    assert not axis.is_log
    assert axis.low == 0
    assert axis.high == pytest.approx(1.04 * 1.5 * EVEN_CEILING_BPS)
    assert axis.percent(0) == 0
    assert axis.percent(axis.high / 4) == 25
    assert axis.percent(axis.high) == axis.percent(2 * axis.high) == axis.percent(math.inf) == 100


@pytest.mark.parametrize(("ratio", "is_log"), [(20, False), (20.1, True)])
def test_rates_far_apart_are_drawn_by_ratio(ratio: float, is_log: bool) -> None:
    axis = the_axis(under(Limit("wire", 1e9)), under(Limit("wire", ratio * 1e9)))
    assert axis.is_log is is_log


def test_equal_ratios_are_equal_distances() -> None:
    axis = the_axis(under(Limit("wire", 1e8), share=0.05), under(Limit("wire", 1e10)))
    steps = [axis.percent(value) for value in (1e8, 1e9, 1e10)]
    assert steps[1] - steps[0] == pytest.approx(steps[2] - steps[1], abs=0.02)
    assert 0 < steps[0] < steps[2] < 100
    assert axis.percent(1) == axis.percent(axis.low) == 0


def test_a_poor_result_alone_leaves_the_axis_from_zero() -> None:
    assert not the_axis(*rows(0.0, 1e-6, 1.0)).is_log


def test_an_excess_beyond_measure_does_not_squeeze_the_others() -> None:
    assert the_axis(*rows(1.0, 1000.0)).is_log


def test_a_logarithmic_axis_does_not_reach_down_to_nothing() -> None:
    axis = the_axis(*rows(1e-9, 1.0, 1000.0))
    assert axis.low == pytest.approx(1e-3 * EVEN_CEILING_BPS / 1.04)


def test_near_limits_have_room_and_far_ones_lie_outside() -> None:
    near = the_axis(under(Limit("wire", 2e9), Limit("queue", 2.5e9, 2.4e9, 2.9e9)))
    assert near.high == pytest.approx(1.04 * 2.9e9)
    far = the_axis(under(Limit("wire", 2e9), Limit("queue", 3.1e9), Limit("client", math.inf)))
    assert far.high == pytest.approx(1.04 * 2e9)


def test_without_a_rate_there_is_no_axis() -> None:
    nothing = limited(judged("run.json", 0.0), Limit("client", math.inf))
    assert axis_of([verdict_row(UNREADABLE), verdict_row(nothing)]) is None
    assert axis_of([]) is None


@pytest.mark.parametrize(
    ("high", "ticks"),
    [
        (1.04, [0, 0.5, 1]),
        (5.0, [0, 1, 2, 3, 4, 5]),
        (188.3e6, [0, 50e6, 100e6, 150e6]),
        (24.5e9, [0, 5e9, 10e9, 15e9, 20e9]),
        (9.9e9, [0, 2e9, 4e9, 6e9, 8e9]),
    ],
)
def test_ticks_are_even(high: float, ticks: list[float]) -> None:
    assert Axis(0, high, is_log=False).ticks == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (90e6, 24e9, [1e8, 1e9, 1e10]),
        (1e8, 1e9, [1e8, 1e9]),
        (2.0, 9.0, []),
        (1.0, 1e11, [1, 1e3, 1e6, 1e9]),
    ],
)
def test_ticks_of_ratios_are_powers_of_ten(low: float, high: float, ticks: list[float]) -> None:
    assert Axis(low, high, is_log=True).ticks == pytest.approx(ticks)
