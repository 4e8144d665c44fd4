"""What a run could have reached, each limit worked out by hand from the bytes of a frame.

A frame at MTU 1500 takes 1500 + 38 = 1538 bytes on the wire (14 of header, 4 of check sequence, 20
of preamble, delimiter and gap). Of these TCP over IPv4 carries 1448 with timestamps (52 bytes of
headers) and 1460 without; UDP carries 1472.
"""

from pathlib import Path

import pytest
from runs import check_file, run, sample

from netmodel.checking import Outcome, SpecifiedLine, Verdict, check
from netmodel.readers import Direction

LINE_TCP = sample("line_200m_mtu1500_ts1_v4.json")
LINE_M1000 = sample("line200m_iperf3_3.21_xM1000.json")


def only(path: Path, specified: SpecifiedLine) -> Verdict:
    (verdict,) = check_file(path, specified)
    return verdict


def notes_of(verdict: Verdict) -> str:
    return "\n".join(verdict.notes)


# Without a specified MTU


def test_the_segment_size_decides_where_no_mtu_is_specified() -> None:
    verdict = only(LINE_TCP, SpecifiedLine(200e6))
    assert verdict.ratio == only(LINE_TCP, SpecifiedLine(200e6, 1500)).ratio
    assert "no MTU specified: segments of 1448 byte" in notes_of(verdict)
    assert "imply MTU 1500" in notes_of(verdict)


# Where something is unknown


# A maximum segment size that was asked for


def test_smaller_segments_explain_and_never_pass_where_an_mtu_is_specified() -> None:
    """1000 asked for less 12 of timestamps: 988 of 988 + 52 + 38 bytes."""
    verdict = only(LINE_M1000, SpecifiedLine(200e6, 1500))
    wire, segment, *_ = verdict.limits.limits
    assert (wire.name, segment.name) == ("wire", "segment_size")
    assert wire.value_bps == pytest.approx(200e6 * 1448 / 1538, rel=1e-14)
    assert segment.value_bps == pytest.approx(200e6 * 988 / 1078, rel=1e-14)
    assert verdict.binding is segment
    assert verdict.ratio == pytest.approx(114819072 * 8 / 5.001538 / (200e6 * 1448 / 1538))
    assert verdict.outcome is Outcome.LIMITED
    assert "the run's own segments of 988 byte" in verdict.reason


@pytest.mark.parametrize(
    ("mtu_bytes", "segment_bytes", "outcome"),
    [
        (9000, 8948, Outcome.AT_CEILING),
        (9000, 8900, Outcome.AT_CEILING),
        (9000, 3948, Outcome.LIMITED),
        (9000, 1448, Outcome.LIMITED),
        (8900, 8948, Outcome.NOT_JUDGEABLE),
        (1500, 8948, Outcome.IMPOSSIBLE),
    ],
)
@pytest.mark.parametrize("direction", list(Direction))
def test_a_full_line_passes_only_with_about_the_mtu_that_was_specified(
    mtu_bytes: int, segment_bytes: int, outcome: Outcome, direction: Direction
) -> None:
    goodput_bps = 10e9 * segment_bytes / (segment_bytes + 90)
    message = {"segment_bytes": segment_bytes, "duration_s": 60.0, "direction": direction}
    verdict = check(run(goodput_bps, **message), SpecifiedLine(10e9, mtu_bytes))
    assert verdict.outcome is outcome
    assert check(run(goodput_bps, **message), SpecifiedLine(10e9)).outcome is Outcome.AT_CEILING


@pytest.mark.parametrize("duration_s", [0.1, 0.5, 60.0])
def test_a_run_of_a_moment_does_not_pass_within_the_range_of_unknown_sizes(
    duration_s: float,
) -> None:
    """0.74 of the most that any transport and MTU leave on the line."""
    message = run(0.74e9, protocol=None, duration_s=duration_s, segment_bytes=100)
    assert not check(message, SpecifiedLine(1e9)).passes
