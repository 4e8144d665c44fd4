"""What a run could have reached, each limit worked out by hand from the bytes of a frame.

A frame at MTU 1500 takes 1500 + 38 = 1538 bytes on the wire (14 of header, 4 of check sequence, 20
of preamble, delimiter and gap). Of these TCP over IPv4 carries 1448 with timestamps (52 bytes of
headers) and 1460 without; UDP carries 1472.
"""

import dataclasses
from pathlib import Path

import pytest
from runs import EVEN_LINE, run, sample

from netmodel.checking import Outcome, SpecifiedLine, Verdict, check, check_file
from netmodel.checking._limits import Limit
from netmodel.checking._line_limits import line_limits
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
    assert "make MTU 1500" in notes_of(verdict)


def test_segments_that_the_run_asked_for_decide_too() -> None:
    """1000 asked for less 12 of timestamps: packets of 1040 byte, though the path passes 1500."""
    verdict = only(LINE_M1000, SpecifiedLine(200e6))
    assert verdict.limits.mtu_bytes == 1040
    assert verdict.outcome is Outcome.AT_CEILING
    assert "at most 1000 byte: 988 byte of payload" in notes_of(verdict)


@pytest.mark.parametrize("segment_bytes", [1, 15, 10**6, 10**30])
def test_a_segment_size_that_no_packet_can_have_is_not_judgeable(segment_bytes: int) -> None:
    verdict = check(run(segment_bytes=segment_bytes), SpecifiedLine(1e9))
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
    assert verdict.reason.startswith("specify the MTU (mtu_bytes=...)")


# Where something is unknown


@pytest.mark.parametrize(
    ("goodput_bps", "outcome"),
    [
        (0.1e9, "below"),
        (8.4e9, "below"),
        (9e9, "not_judgeable"),
        (9.9e9, "not_judgeable"),
        (9.95e9, "impossible"),
    ],
)
def test_a_run_of_unknown_size_is_judged_by_the_range_of_all_mtus(
    goodput_bps: float, outcome: str
) -> None:
    """TCP at MTU 576: 524 of 614 byte with timestamps; at 9216: 9176 of 9254 without."""
    verdict = check(run(goodput_bps), SpecifiedLine(10e9))
    assert verdict.limits.bounds_bps == pytest.approx((10e9 * 524 / 614, 10e9 * 9176 / 9254))
    assert verdict.outcome.value == outcome
    assert ("specify the MTU (mtu_bytes=...)" in verdict.reason) is (outcome == "not_judgeable")


def test_too_much_under_every_mtu_is_impossible() -> None:
    verdict = check(run(9.8e9), SpecifiedLine(1e9))
    assert verdict.outcome is Outcome.IMPOSSIBLE
    assert verdict.ratio == pytest.approx(9.8 * 9254 / 9176)


def test_specified_timestamps_hold_at_both_ends_of_the_range() -> None:
    limits = line_limits(run(), SpecifiedLine(10e9, timestamps=True))
    assert limits.bounds_bps == pytest.approx((10e9 * 524 / 614, 10e9 * 9164 / 9254))


def test_an_unknown_transport_has_the_range_of_both() -> None:
    """TCP at MTU 576 has least, UDP at MTU 9216 most: 9188 of 9254 byte."""
    message = run(1e8, protocol=None)
    limits = line_limits(message, SpecifiedLine(10e9))
    assert limits.bounds_bps == pytest.approx((10e9 * 524 / 614, 10e9 * 9188 / 9254))
    assert check(message, SpecifiedLine(10e9)).outcome is Outcome.BELOW
    inside = check(dataclasses.replace(message, goodput_bps=9.4e9), SpecifiedLine(10e9, 1500))
    assert inside.outcome is Outcome.NOT_JUDGEABLE
    assert "(transport=..." in inside.reason
    assert "mtu_bytes" not in inside.reason


@pytest.mark.parametrize("datagram_bytes", [None, 0])
def test_datagrams_of_unknown_size_have_the_range_of_all(datagram_bytes: int | None) -> None:
    """One byte takes 84 on the wire, 1472 take 1538."""
    message = run(0.5e9, protocol="udp", datagram_bytes=datagram_bytes)
    verdict = check(message, SpecifiedLine(1e9, 1500))
    assert verdict.limits.bounds_bps == pytest.approx((1e9 / 84, 1e9 * 1472 / 1538))
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
    assert "the payload of a datagram (payload_bytes=...)" in verdict.reason
    known = check(message, SpecifiedLine(1e9, 1500, message_bytes=1472))
    assert known.outcome is Outcome.BELOW


def test_datagrams_above_the_usual_mtu_have_the_range_of_their_fragments() -> None:
    message = run(0.1e9, protocol="udp", datagram_bytes=8972)
    low_bps, high_bps = line_limits(message, SpecifiedLine(1e9)).bounds_bps
    assert high_bps == pytest.approx(1e9 * 8972 / 9038)
    assert low_bps < 0.91e9
    assert check(message, SpecifiedLine(1e9)).outcome is Outcome.BELOW


def test_a_run_of_one_of_several_mtus_keeps_its_transport() -> None:
    limits = line_limits(run(0.5e9, protocol="tcp"), SpecifiedLine(1e9))
    assert limits.ceiling is None
    assert limits.transport == "tcp"


@pytest.mark.parametrize("is_loopback", [True, False])
def test_a_run_over_loopback_is_never_at_a_ceiling(is_loopback: bool) -> None:
    verdict = check(run(0.9e9, is_loopback=is_loopback), SpecifiedLine(1e9))
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
    assert ("loopback" in verdict.reason) is is_loopback


# Timestamps


def test_segments_that_fill_the_mtu_show_that_there_were_no_timestamps() -> None:
    verdict = check(run(1460e6, segment_bytes=1460), EVEN_LINE)
    assert verdict.ratio == 1
    assert "without TCP timestamps" in notes_of(verdict)


def test_the_path_mtu_shows_it_too() -> None:
    without_mtu = SpecifiedLine(1538e6)
    verdict = check(run(1460e6, segment_bytes=1460, path_mtu_bytes=1500), without_mtu)
    assert (verdict.ratio, verdict.limits.mtu_bytes) == (1, 1500)


def test_timestamps_are_assumed_where_the_run_does_not_show_them() -> None:
    assert check(run(), EVEN_LINE).ratio == 1
    assert check(run(segment_bytes=1448), EVEN_LINE).ratio == 1


def test_specified_timestamps_stand_against_the_segment_size() -> None:
    specified = dataclasses.replace(EVEN_LINE, timestamps=True)
    verdict = check(run(1460e6, segment_bytes=1460), specified)
    assert verdict.ratio == pytest.approx(1460 / 1448, rel=1e-15)
    assert "1460 byte contradict MTU 1500" in notes_of(verdict)


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
    assert "at most 1000 byte: 988 byte of payload" in notes_of(verdict)
    assert "the run's own segments of 988 byte" in verdict.reason


@pytest.mark.parametrize(
    ("mtu_bytes", "segment_bytes", "outcome"),
    [
        (9000, 8948, Outcome.AT_CEILING),
        (9000, 8900, Outcome.LIMITED),
        (9000, 3948, Outcome.LIMITED),
        (9000, 1448, Outcome.LIMITED),
        (8900, 8948, Outcome.NOT_JUDGEABLE),
        (1500, 8948, Outcome.IMPOSSIBLE),
    ],
)
@pytest.mark.parametrize("direction", list(Direction))
def test_a_full_line_passes_only_with_the_mtu_that_was_specified(
    mtu_bytes: int, segment_bytes: int, outcome: Outcome, direction: Direction
) -> None:
    goodput_bps = 10e9 * segment_bytes / (segment_bytes + 90)
    message = {"segment_bytes": segment_bytes, "duration_s": 60.0, "direction": direction}
    verdict = check(run(goodput_bps, **message), SpecifiedLine(10e9, mtu_bytes))
    assert verdict.outcome is outcome
    assert check(run(goodput_bps, **message), SpecifiedLine(10e9)).outcome is Outcome.AT_CEILING


def test_without_timestamps_all_of_the_asked_for_size_is_payload() -> None:
    specified = SpecifiedLine(1e9, 1500, timestamps=False)
    (own,) = line_limits(run(requested_mss_bytes=1000), specified).reported
    assert own.value_bps == pytest.approx(1e9 * 1000 / 1078, rel=1e-14)


@pytest.mark.parametrize("requested_mss_bytes", [1460, 1461, 65000])
def test_a_size_that_the_mtu_allows_anyway_is_no_limit(requested_mss_bytes: int) -> None:
    verdict = check(run(requested_mss_bytes=requested_mss_bytes), EVEN_LINE)
    assert [limit.name for limit in verdict.limits.limits] == ["wire"]


def test_a_segment_size_that_cannot_carry_the_goodput_is_doubted() -> None:
    """536 byte, as some tools report before a connection is up, carry 536 of 626."""
    verdict = check(run(1447e6, segment_bytes=536, duration_s=60.0), EVEN_LINE)
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
    assert "segments of 536 byte carries at most" in verdict.reason


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
    verdict = check(
        run(protocol="udp", datagram_bytes=datagram_bytes), SpecifiedLine(1e9, mtu_bytes)
    )
    expected_bps = 1e9 * datagram_bytes / wire_bytes
    assert verdict.binding.value_bps == pytest.approx(expected_bps, rel=1e-14)
    assert verdict.notes == ()


@pytest.mark.parametrize(("ip_version", "largest_bytes"), [(4, 1472), (6, 1452)])
def test_datagrams_that_fit_the_usual_mtu_are_judged_without_one(
    ip_version: int, largest_bytes: int
) -> None:
    fitting = run(protocol="udp", ip_version=ip_version, datagram_bytes=largest_bytes)
    verdict = check(fitting, SpecifiedLine(1e9))
    assert verdict.binding.value_bps == pytest.approx(1e9 * largest_bytes / 1538, rel=1e-14)
    assert "no MTU specified" in notes_of(verdict)
    larger = dataclasses.replace(fitting, datagram_bytes=largest_bytes + 1)
    assert line_limits(larger, SpecifiedLine(1e9)).unknown == ("mtu_bytes",)


def test_a_limit_shows_the_ends_of_its_range_where_it_has_one() -> None:
    assert Limit("wire", 1e9).figures_bps == {"value": 1e9}
    ranged = Limit("window", 5e9, low_bps=4e9, high_bps=6e9)
    assert ranged.figures_bps == {"value": 5e9, "low": 4e9, "high": 6e9}
