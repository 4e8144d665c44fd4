"""Judged runs to print, made up from what the outputs have to cope with."""

import dataclasses
from typing import Any

from runs import EVEN_CEILING_BPS, EVEN_LINE, run

from netmodel.checking import Outcome, SpecifiedLine, Verdict, check
from netmodel.checking._line_limits import line_cases
from netmodel.checking.limits import Limit, RunLimits, over_all_cases
from netmodel.consumption import Side
from netmodel.readers import CpuUse, Measurement

__all__ = ["NASTY", "UNREADABLE", "by_frames", "judged", "limited", "line_limits", "one_of_each"]

NASTY = '<script>alert("1")</script>&amp;\'größe-\x00\x1b[31m\udcff\u202e\uffff.json'
UNREADABLE = Verdict(file="gone.json", outcome=None, why="No such file or directory")
CPU = CpuUse(0.5, EVEN_CEILING_BPS, "process", Side.CLIENT)


def judged(file: str, share: float | None = 1.0, **reported: Any) -> Verdict:
    """A run that reached this share of its ceiling."""
    goodput_bps = None if share is None else share * EVEN_CEILING_BPS
    return dataclasses.replace(check(run(goodput_bps, **reported), EVEN_LINE), file=file)


def by_frames(file: str, share: float = 1.0) -> Verdict:
    """A generator's run that reached this share of a million frames of 1538 bytes in a second."""
    line = SpecifiedLine(1538 * 8e6, mtu_bytes=1500)
    rates = {"frame_rate_fps": share * 1e6, "layer1_rate_bps": share * line.line_rate_bps}
    return dataclasses.replace(check(run(None, duration_s=30.0, **rates), line), file=file)


def limited(verdict: Verdict, *limits: Limit) -> Verdict:
    """The same run under these limits."""
    return dataclasses.replace(verdict, limits=RunLimits(line=SpecifiedLine(1e9), specified=limits))


def line_limits(measurement: Measurement, line: SpecifiedLine) -> RunLimits:
    """Limits of a run by its line, over all possible cases."""
    return over_all_cases(line_cases(measurement, line))


def one_of_each() -> list[Verdict]:
    """A verdict of each outcome, those without a fault first."""
    verdicts = [
        judged("full.json", 1.0, duration_s=10.0, cpu=(CPU,)),
        judged("loop.json", 0.99, is_loopback=True, duration_s=5.5),
        judged("low.json", 0.5, notes=("too short",)),
        judged("high.json", 1.5),
        judged("near.json", 0.99),
        judged("paced.json", 0.3, offered_rate_bps=0.3 * EVEN_CEILING_BPS),
        judged("failed.json", None, error="no route to host"),
        UNREADABLE,
    ]
    assert {verdict.outcome for verdict in verdicts} == {None, *Outcome}
    return verdicts
