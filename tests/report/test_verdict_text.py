"""What people read of a verdict."""

import dataclasses
import math

from checking.verdicts import CPU, NASTY, UNREADABLE, by_frames, judged, limited

from netmodel.checking import Verdict, Verdicts
from netmodel.checking.limits import Limit
from netmodel.checking.tolerance import Tolerance, TolerancePart
from netmodel.checking.verdict import Cause, Repeats
from netmodel.report.verdict_text import verdict_lines

SHOWN = '<script>alert("1")</script>&amp;\'größe-\\x00\\x1b[31m\\udcff\\u202e\\uffff.json'


def lines(verdict: Verdict, *, is_verbose: bool = False, **changed: object) -> list[str]:
    """What stands below the sentence."""
    verdict = dataclasses.replace(verdict, **{"tolerance": None} | changed)  # type: ignore[arg-type]
    return [line.strip() for line in verdict_lines(verdict, is_verbose)[1:]]


def test_a_verdict_begins_with_its_reason_and_names_the_run() -> None:
    verdict = judged("a.json", 0.5, part="port 5201", duration_s=10.0, cpu=(CPU,))
    assert verdict_lines(verdict)[0].startswith("below: 724 Mbit/s is 0.5000 of the 1.448 Gbit/s")
    assert lines(verdict) == [
        "a.json (client_to_server, port 5201)",
        "client: 0.5 CPUs busy (process only), 345,304 µs/Gbit",
    ]
    assert verdict_lines(UNREADABLE) == [
        "unreadable: No such file or directory",
        "    gone.json",
    ]


def test_several_limits_stand_with_their_ranges() -> None:
    several = Limit("wire", 2e9), Limit("queue", 1.6e9, 1.5e9, 1.8e9)
    assert lines(limited(judged("a.json"), *several))[1] == (
        "limits: queue 1.6 Gbit/s (1.5 to 1.8 Gbit/s), wire 2 Gbit/s"
    )
    endless = Limit("client", math.inf, 1e9, math.inf)
    assert lines(limited(judged("a.json"), several[0], endless))[1] == (
        "limits: wire 2 Gbit/s, client no limit (1 Gbit/s to no limit)"
    )


def test_the_tolerance_stands_part_by_part() -> None:
    part = TolerancePart("clocks", 0.0006, 0.001, "clocks of the line")
    tolerance = Tolerance(0.98, 0.98, 0.98, 0.003, 1.002, 1.002, 0.003, (part,))
    assert lines(judged("a.json"), tolerance=tolerance, is_verbose=True)[1:] == [
        "tolerance: -2 % to +0.2 % (clocks)",
        "tolerance for clocks: 0.06 % below, 0.10 % above; clocks of the line",
    ]
    specified = Tolerance(0.99, 0.99, 0.99, 0.0, 1.005, 1.005, 0.0)
    assert lines(judged("a.json"), tolerance=specified)[1:] == [
        "tolerance: -1 % to +0.5 % (as specified)"
    ]


def test_repeats_are_named() -> None:
    repeats = Repeats(files=("a.json", "b\x00.json"), half_width_bps=10e6, level_ratio=0.95)
    assert lines(judged("a.json"), repeats=repeats)[1] == "repeats: a.json, b\\x00.json"


def test_several_verdicts_have_a_line_each_failures_first() -> None:
    low = dataclasses.replace(judged("low.json", 0.5), causes=(Cause("x", "no", confirm="ask"),))
    verdicts = Verdicts([judged("a.json"), UNREADABLE, low, by_frames("frames.json")])
    assert str(verdicts).splitlines()[-5:] == [
        "outcome     rate                ratio   run",
        "unreadable                              gone.json: No such file or directory",
        "below       724 Mbit/s          0.5000  low.json (client_to_server): no",
        "at ceiling  1.448 Gbit/s        1.0000  a.json (client_to_server)",
        "at ceiling  1,000,000 frames/s  1.0000  frames.json (client_to_server)",
    ]


def test_all_texts_can_be_printed_each_on_its_line() -> None:
    verdict = judged(NASTY, 0.5, part=NASTY, tool_version=NASTY, notes=(NASTY,))
    verdict = limited(
        dataclasses.replace(verdict, tolerance=None, causes=(), why=NASTY),
        Limit(NASTY, 2e9),
        Limit("b", 3e9),
    )
    assert verdict_lines(verdict)[0] == f"below: {SHOWN}"
    assert lines(verdict) == [
        f"{SHOWN} (client_to_server, {SHOWN})",
        f"limits: {SHOWN} 2 Gbit/s, b 3 Gbit/s",
        f"note: {SHOWN}",
    ]
    broken = Verdict(file="a\nat_ceiling.json", outcome=None, why="empty")
    assert lines(broken) == [r"a\nat_ceiling.json"]
