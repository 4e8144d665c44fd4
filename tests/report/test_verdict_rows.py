"""What people read of a verdict."""

import dataclasses
import math

import pytest
from checking.verdicts import CPU, NASTY, UNREADABLE, by_frames, judged, limited
from runs import EVEN_CEILING_BPS

from netmodel.checking import Verdict
from netmodel.checking._limits import Limit
from netmodel.checking._tolerance import Tolerance, TolerancePart
from netmodel.checking._verdict import Repeats
from netmodel.report._verdict_rows import (
    FRAMES,
    VerdictRow,
    printable,
    verdict_row,
)


def rows(*shares: float | None) -> list[VerdictRow]:
    return [verdict_row(judged("run.json", share)) for share in shares]


def under(*limits: Limit, share: float = 1.0) -> VerdictRow:
    return verdict_row(limited(judged("run.json", share), *limits))


def test_a_row_holds_the_numbers_of_its_verdict() -> None:
    row = verdict_row(judged("a.json", 0.5, part="port 5201", duration_s=10.0, cpu=(CPU,)))
    assert row.name == "a.json (client_to_server, port 5201)"
    assert (row.word, row.tool, row.duration_s) == ("below", "iperf3 3.21", 10)
    assert (row.measured, row.ceiling) == (EVEN_CEILING_BPS / 2, EVEN_CEILING_BPS)
    assert (row.ratio_text, row.binding) == ("0.5000", "wire")
    assert row.reason.startswith("724 Mbit/s is 0.5000 of the 1.448 Gbit/s")
    assert row.cpu_texts == ("client: 0.500 CPUs busy (process only), 345304 µs/Gbit",)


def test_what_is_not_known_is_empty() -> None:
    row = verdict_row(UNREADABLE)
    assert row.name == row.file == "gone.json"
    assert (row.word, row.reason) == ("unreadable", "No such file or directory")
    assert (row.measured, row.ceiling, row.duration_s) == (None, None, None)
    texts = (row.place, row.tool, row.ratio_text, row.binding)
    assert texts == ("",) * 4
    assert (row.limits, row.cpu_texts, row.notes) == ((), (), ())


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
