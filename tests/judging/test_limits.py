"""What a run could have reached, each limit worked out by hand from the bytes of a frame.

A frame at MTU 1500 takes 1500 + 38 = 1538 bytes on the wire (14 of header, 4 of check sequence, 20
of preamble, delimiter and gap). Of these TCP over IPv4 carries 1448 with timestamps (52 bytes of
headers) and 1460 without; UDP carries 1472.
"""

import dataclasses
from pathlib import Path

import pytest
from runs import EVEN_LINE, run, sample

from netmodel.judging import (
    NotJudgeableError,
    Outcome,
    StatedLine,
    Verdict,
    check,
    check_file,
    line_limits,
)

LINE_TCP = sample("line_200m_mtu1500_ts1_v4.json")
LINE_M1000 = sample("line200m_iperf3_3.21_xM1000.json")


def only(path: Path, stated: StatedLine) -> Verdict:
    (verdict,) = check_file(path, stated)
    return verdict


def said(verdict: Verdict) -> str:
    return "\n".join(verdict.warnings)


# Without a stated MTU


def test_the_segment_size_decides_where_no_mtu_is_stated() -> None:
    verdict = only(LINE_TCP, StatedLine(200e6))
    assert verdict.ratio == only(LINE_TCP, StatedLine(200e6, 1500)).ratio
    assert "no MTU stated: 1500 follows" in said(verdict)
    assert "1448 byte" in said(verdict)


def test_the_path_mtu_decides_where_the_run_asked_for_smaller_segments() -> None:
    verdict = only(LINE_M1000, StatedLine(200e6))
    assert verdict.line_limits.mtu_bytes == 1500
    assert "no MTU stated: 1500 follows from the path MTU" in said(verdict)


@pytest.mark.parametrize("segment_bytes", [1, 15, 10**6, 10**30])
def test_a_segment_size_that_no_packet_can_have_is_not_judgeable(segment_bytes: int) -> None:
    verdict = check(run(segment_bytes=segment_bytes), StatedLine(1e9))
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
    assert verdict.reason.startswith("state the MTU")


@pytest.mark.parametrize("is_loopback", [True, False])
def test_a_run_without_any_size_is_not_judgeable(is_loopback: bool) -> None:
    verdict = check(run(is_loopback=is_loopback), StatedLine(1e9))
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
    assert verdict.reason.startswith("state the MTU")
    assert ("loopback" in verdict.reason) is is_loopback


def test_a_run_over_loopback_needs_the_mtu() -> None:
    path = sample("iperf3_3.21_tcp.json")
    assert only(path, StatedLine(25e9)).outcome is Outcome.NOT_JUDGEABLE
    assert only(path, StatedLine(25e9, 1500)).outcome is Outcome.BELOW


def test_the_limits_of_a_run_without_any_size_are_an_error_of_their_own() -> None:
    with pytest.raises(NotJudgeableError, match="state the MTU"):
        line_limits(run(), StatedLine(1e9))


# Timestamps


def test_segments_that_fill_the_mtu_show_that_there_were_no_timestamps() -> None:
    verdict = check(run(1460e6, segment_bytes=1460), EVEN_LINE)
    assert verdict.ratio == 1
    assert "without TCP timestamps" in said(verdict)


def test_the_path_mtu_shows_it_too() -> None:
    unstated = StatedLine(1538e6)
    verdict = check(run(1460e6, segment_bytes=1460, path_mtu_bytes=1500), unstated)
    assert (verdict.ratio, verdict.line_limits.mtu_bytes) == (1, 1500)


def test_timestamps_are_assumed_where_the_run_does_not_show_them() -> None:
    assert check(run(), EVEN_LINE).ratio == 1
    assert check(run(segment_bytes=1448), EVEN_LINE).ratio == 1


def test_stated_timestamps_stand_against_the_segment_size() -> None:
    stated = dataclasses.replace(EVEN_LINE, timestamps=True)
    verdict = check(run(1460e6, segment_bytes=1460), stated)
    assert verdict.ratio == pytest.approx(1460 / 1448, rel=1e-15)
    assert "1460 byte contradicts MTU 1500" in said(verdict)


# A maximum segment size that was asked for


def test_smaller_segments_bind_before_the_wire() -> None:
    """1000 asked for less 12 of timestamps: 988 of 988 + 52 + 38 bytes."""
    verdict = only(LINE_M1000, StatedLine(200e6, 1500))
    wire, segment, *_ = verdict.line_limits.limits
    assert (wire.name, segment.name) == ("wire", "segment_size")
    assert wire.value_bps == pytest.approx(200e6 * 1448 / 1538, rel=1e-14)
    assert segment.value_bps == pytest.approx(200e6 * 988 / 1078, rel=1e-14)
    assert verdict.binding is segment
    assert verdict.ratio == pytest.approx(114819072 * 8 / 5.001538 / (200e6 * 988 / 1078))
    assert verdict.outcome is Outcome.AT_CEILING
    assert "at most 1000 byte: 988 byte of payload" in said(verdict)
    assert "the run's own segment size" in verdict.reason


def test_without_timestamps_all_of_the_asked_for_size_is_payload() -> None:
    stated = StatedLine(1e9, 1500, timestamps=False)
    binding = check(run(requested_mss_bytes=1000), stated).binding
    assert binding.value_bps == pytest.approx(1e9 * 1000 / 1078, rel=1e-14)


@pytest.mark.parametrize("requested_mss_bytes", [1460, 1461, 65000])
def test_a_size_that_the_mtu_allows_anyway_is_no_limit(requested_mss_bytes: int) -> None:
    verdict = check(run(requested_mss_bytes=requested_mss_bytes), EVEN_LINE)
    assert [limit.name for limit in verdict.line_limits.limits] == ["wire"]


# UDP


@pytest.mark.parametrize(
    ("datagram_bytes", "mtu_bytes", "wire_bytes"),
    [
        (1472, 1500, 1538),
        (100, 1500, 100 + 28 + 38),
        (1, 1500, 84),
        (1473, 1500, 1538 + 84),
        (30720, 1500, 20 * 1538 + 1128 + 20 + 38),
        (30720, 9000, 3 * (8976 + 20 + 38) + 3800 + 20 + 38),
    ],
)
def test_datagrams_take_the_frames_of_all_their_fragments(
    datagram_bytes: int, mtu_bytes: int, wire_bytes: int
) -> None:
    verdict = check(run(protocol="udp", datagram_bytes=datagram_bytes), StatedLine(1e9, mtu_bytes))
    expected_bps = 1e9 * datagram_bytes / wire_bytes
    assert verdict.binding.value_bps == pytest.approx(expected_bps, rel=1e-14)
    assert verdict.warnings == ()


@pytest.mark.parametrize(("ip_version", "largest_bytes"), [(4, 1472), (6, 1452)])
def test_datagrams_that_fit_the_usual_mtu_are_judged_without_one(
    ip_version: int, largest_bytes: int
) -> None:
    fitting = run(protocol="udp", ip_version=ip_version, datagram_bytes=largest_bytes)
    verdict = check(fitting, StatedLine(1e9))
    assert verdict.binding.value_bps == pytest.approx(1e9 * largest_bytes / 1538, rel=1e-14)
    assert "no MTU stated" in said(verdict)
    larger = dataclasses.replace(fitting, datagram_bytes=largest_bytes + 1)
    assert check(larger, StatedLine(1e9)).outcome is Outcome.NOT_JUDGEABLE


@pytest.mark.parametrize("datagram_bytes", [None, 0])
def test_datagrams_of_unknown_size_are_not_judgeable(datagram_bytes: int | None) -> None:
    verdict = check(run(protocol="udp", datagram_bytes=datagram_bytes), EVEN_LINE)
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
