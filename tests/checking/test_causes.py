"""Why a run found more or less than its line carries: causes that fit, and only those."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from runs import EVEN_CEILING_BPS, EVEN_LINE, run, sample

from netmodel.checking import Gate, Outcome, SpecifiedLine, Verdict, check, check_file
from netmodel.consumption import CpuScope, Side
from netmodel.path import SpecifiedPath
from netmodel.readers import CpuUse
from netmodel.records import path_record


def only(path: Path, specified: SpecifiedLine) -> Verdict:
    (verdict,) = check_file(path, specified)
    return verdict


def test_a_larger_mtu_than_specified_is_named() -> None:
    verdict = only(sample("line_200m_mtu9000_ts1_v4.json"), SpecifiedLine(200e6, 1500))
    at_9000 = 197787648 * 8 / 8.006451 / (200e6 * 8948 / 9038)
    assert verdict.outcome is Outcome.IMPOSSIBLE
    assert "segments of 8948 byte need a larger MTU; at MTU 9000" in verdict.reason
    assert f"the ratio is {at_9000:.4f}" in verdict.reason


def test_a_larger_mtu_is_not_named_where_it_does_not_explain_enough() -> None:
    verdict = check(run(1e12, segment_bytes=8948), EVEN_LINE)
    assert "larger MTU" not in verdict.reason


def test_timestamps_that_no_segment_carried_are_named() -> None:
    specified = dataclasses.replace(EVEN_LINE, timestamps=True)
    reason = check(run(1459e6, segment_bytes=1460, duration_s=60.0), specified).reason
    assert "no room for TCP timestamps" in reason
    assert f"the ratio is {1459 / 1460:.4f}" in reason


@pytest.mark.parametrize(("specified_bps", "real_bps"), [(100e6, "1 Gbit/s"), (10e9, "25 Gbit/s")])
def test_a_faster_line_than_specified_is_named(specified_bps: float, real_bps: str) -> None:
    faster_bps = {"1 Gbit/s": 1e9, "25 Gbit/s": 25e9}[real_bps]
    reason = check(run(0.99 * faster_bps * 1448 / 1538), SpecifiedLine(specified_bps, 1500)).reason
    assert f"a line of {real_bps} would explain it: 0.9900 of its ceiling" in reason


def test_only_a_faster_line_than_specified_is_named() -> None:
    specified = SpecifiedLine(1e9, 1500)
    reason = check(run(1.003e9 * 1448 / 1538), specified, Gate(max_ratio=1.0)).reason
    assert "a line of" not in reason.partition("it takes")[0]


@pytest.mark.parametrize(("ratio", "is_named"), [(0.986, True), (0.984, False)])
def test_another_line_has_to_fit_its_ceiling_from_below(ratio: float, is_named: bool) -> None:
    reason = check(run(ratio * 10e9 * 1448 / 1538), SpecifiedLine(1e9, 1500)).reason
    assert ("a line of 10 Gbit/s" in reason) is is_named


@pytest.mark.parametrize(("ratio", "is_named"), [(1.004, True), (1.006, False)])
def test_another_line_has_to_fit_its_ceiling_from_above(ratio: float, is_named: bool) -> None:
    reason = check(run(ratio * 10e9 * 1448 / 1538), SpecifiedLine(1e9, 1500)).reason
    assert ("a line of 10 Gbit/s" in reason) is is_named


@pytest.mark.parametrize("is_bidirectional", [True, False])
def test_datagrams_have_neither_aggregates_nor_acknowledgements(is_bidirectional: bool) -> None:
    message = {"protocol": "udp", "datagram_bytes": 1472, "is_bidirectional": is_bidirectional}
    for rate_bps in (1.02 * 1472e6, 0.98 * 1472e6):
        reason = check(run(rate_bps, duration_s=60.0, **message), EVEN_LINE).reason
        assert "aggregate" not in reason
        assert "acknowledgement" not in reason


def test_a_run_over_loopback_crossed_no_line() -> None:
    verdict = only(sample("iperf3_3.21_tcp.json"), SpecifiedLine(1e9, 1500))
    assert verdict.outcome is Outcome.IMPOSSIBLE
    assert "loopback" in verdict.reason
    assert all(guess not in verdict.reason for guess in ("burst credit", "line rate, MTU"))


@pytest.mark.parametrize(
    ("ratio", "duration_s", "is_named"),
    [
        *((1.01, 2.0, True), (1.01, 4.9, True), (1.01, 5.0, False), (1.01, 60.0, False)),
        *((1.05, 2.0, False), (1.01, None, False)),
    ],
)
def test_a_short_run_explains_a_little_too_much(
    ratio: float, duration_s: float | None, is_named: bool
) -> None:
    verdict = check(run(ratio * EVEN_CEILING_BPS, duration_s=duration_s), EVEN_LINE)
    assert verdict.outcome is Outcome.IMPOSSIBLE
    assert ("socket buffers" in verdict.reason) is is_named


def test_all_causes_that_fit_are_named() -> None:
    message = {"segment_bytes": 8948, "is_loopback": True, "duration_s": 2.0}
    reason = check(run(1.03 * EVEN_CEILING_BPS, **message), EVEN_LINE).reason
    assert all(word in reason for word in ("loopback", "larger MTU"))
    assert "in a run of 2 s" not in reason


def test_guesses_are_named_where_the_run_shows_nothing() -> None:
    short = check(run(1.03 * EVEN_CEILING_BPS, duration_s=2.0), EVEN_LINE).reason
    assert "in a run of 2 s" in short
    assert "TSO or GRO" not in short
    long = check(run(1.03 * EVEN_CEILING_BPS, duration_s=60.0), EVEN_LINE).reason
    assert "TSO or GRO" in long


def test_a_surplus_without_a_known_cause_questions_what_was_specified() -> None:
    reason = check(run(1.2 * EVEN_CEILING_BPS), EVEN_LINE).reason
    assert "line rate, MTU or headers are not those specified" in reason
    assert f"a line of at least {1.2 * 1.538:.5g} Gbit/s" in reason


@pytest.mark.parametrize(
    ("reported", "words"),
    [
        ({}, "something other than the wire limits"),
        ({"lost_ratio": 0.2}, "20 % of the datagrams were lost, 0.6250 of the limit was sent"),
        ({"lost_ratio": 1.0}, "carries at MTU 1500: 100 % of the datagrams were lost"),
        ({"lost_ratio": 1e-3}, "0.1 % of the datagrams were lost"),
        (
            {"retransmit_count": 2727, "segment_bytes": 1448, "received_bytes": 100 * 2727 * 1448},
            "2727 segments were retransmitted (1 %)",
        ),
    ],
)
def test_what_the_run_shows_of_a_low_goodput_is_named(reported: dict[str, Any], words: str) -> None:
    verdict = check(run(0.5 * EVEN_CEILING_BPS, **reported), EVEN_LINE)
    assert verdict.outcome is Outcome.BELOW
    assert words in verdict.reason
    assert words not in check(run(**reported), EVEN_LINE).reason


@pytest.mark.parametrize(
    "reported",
    [
        {"lost_ratio": 0.0005},
        {"retransmit_count": 5, "segment_bytes": 1448, "received_bytes": 188_259_144},
        {"segment_bytes": 1348},
    ],
)
def test_what_would_not_explain_a_low_goodput_is_not_named(reported: dict[str, Any]) -> None:
    reason = check(run(0.5 * EVEN_CEILING_BPS, **reported), EVEN_LINE).reason
    assert "something other than the wire limits" in reason


def test_segments_of_a_smaller_mtu_explain_a_low_goodput() -> None:
    """948 of 1038 bytes at MTU 1000 are 0.9700 of 1448 of 1538 bytes at MTU 1500."""
    message = run(0.957 * EVEN_CEILING_BPS, segment_bytes=948)
    verdict = check(message, EVEN_LINE)
    ratio = 0.957 * (1448 / 1538) / (948 / 1038)
    assert verdict.outcome is Outcome.BELOW
    assert "segments of 948 byte are those of a smaller MTU; at MTU 1000 under" in verdict.reason
    assert f"the ratio is {ratio:.4f} (confirm: ip link at both ends" in verdict.reason


# Causes of clouds, shapers and virtual lines, and the evidence for all


def test_a_bucket_hides_no_wrong_line_and_is_empty_after_an_omitted_start() -> None:
    """Twice what the line carries, for 2 s: 23.5 MB more."""
    message = {"duration_s": 2.0, "segment_bytes": 1448, "received_bytes": 1}
    specified = SpecifiedLine(100e6, 1500)
    reason = check(run(188e6, **message), specified).reason
    assert "it takes a line of at least 199.69 Mbit/s" in reason
    slight = run(96e6, **message)
    assert "token bucket" in check(slight, specified).reason
    assert (
        "token bucket"
        not in check(dataclasses.replace(slight, leaves_out_start=True), specified).reason
    )


def test_a_bucket_and_credit_explain_too_much_for_a_rate_cap_too() -> None:
    specified = SpecifiedLine(1e9, 1500, rate_cap_bps=100e6)
    assert (
        "a token bucket of 1,250,000 byte" in check(run(101e6, duration_s=10.0), specified).reason
    )
    assert "burst credit" in check(run(300e6, duration_s=60.0), specified).reason


@pytest.mark.parametrize(
    ("reached_bps", "lost_ratio", "is_named"),
    [(0.2e9, 0.0, True), (0.2e9, 0.1, False), (0.999e9, 0.0, False)],
    ids=["slow", "lost on the way", "as fast as asked"],
)
def test_a_sender_that_cannot_send_what_it_was_asked_for_is_named(
    reached_bps: float, lost_ratio: float, is_named: bool
) -> None:
    message = {"protocol": "udp", "datagram_bytes": 64, "duration_s": 10.0}
    sent = run(reached_bps, offered_rate_bps=1e9, lost_ratio=lost_ratio, **message)
    reason = check(sent, SpecifiedLine(10e9, 1500)).reason
    words = f"the sender reached {reached_bps / 1e9:.4f} of the requested rate"
    assert (words in reason) is is_named


@pytest.mark.parametrize(
    ("measured_bps", "is_named"), [(290e6, True), (2e8, True), (1.99e8, False)]
)
def test_a_congestion_window_that_loss_kept_small_is_named(
    measured_bps: float, is_named: bool
) -> None:
    """3 MB over 80 ms are 300 Mbit/s: at most half as much again as was reached."""
    message = {"congestion_window_bytes": 3_000_000, "peer_window_bytes": 30_000_000}
    seen = {"round_trip_s": 80e-3, "retransmit_count": 150, "duration_s": 30.0}
    reason = check(run(measured_bps, **message, **seen), SpecifiedLine(10e9, 1500)).reason
    words = "congestion window of at most 3,000,000 byte over 80 ms carries 300 Mbit/s"
    assert (words in reason) is is_named
    assert ("150 segments were retransmitted" in reason) is is_named


def test_a_token_bucket_that_was_full_is_named_with_its_size() -> None:
    """5 Mbit/s more than 1448 Mbit/s over 10 s are 6.25 MB."""
    message = run(1453e6, duration_s=10.0, segment_bytes=1448, retransmit_count=0)
    reason = check(message, EVEN_LINE).reason
    assert "a token bucket of 6,250,000 byte or more, full at the start" in reason
    assert "tc -s qdisc" in reason


def test_burst_credit_of_a_cloud_is_named_where_nothing_else_fits() -> None:
    """7.2 times the baseline for 60 s: 6.2 x 1448 Mbit/s x 60 s are 67.3 GB."""
    message = run(7.2 * EVEN_CEILING_BPS, duration_s=60.0, segment_bytes=1448, received_bytes=1)
    reason = check(message, EVEN_LINE).reason
    assert "a cloud instance with 67.3 GB of burst credit would explain it" in reason
    assert "falls to the baseline" in reason


def test_a_virtual_line_that_does_not_pad_is_named() -> None:
    """1 byte takes 84 on the wire, and 67 without 17 of padding: 1 + 8 + 20 + 18 + 20."""
    message = {"protocol": "udp", "datagram_bytes": 1, "duration_s": 60.0, "received_bytes": 1}
    line = SpecifiedLine(84e6, 1500)
    reason = check(run(0.999e6 * 84 / 67, **message), line).reason
    assert (
        "does not pad short frames would explain it: without padding the ratio is 0.9990" in reason
    )
    assert "does not pad" not in check(run(1.4e6, **message), line).reason


@pytest.mark.parametrize("has_window", [True, False])
def test_no_other_line_is_guessed_for_a_distant_run_whose_window_is_known(has_window: bool) -> None:
    """Half of a line by chance, over a round trip of 17 ms."""
    message = {"round_trip_s": 17e-3, "duration_s": 30.0, "segment_bytes": 1448}
    window = {"peer_window_bytes": 10**9} if has_window else {}
    verdict = check(run(4.7e9, **message, **window), SpecifiedLine(10e9, 1500))
    assert verdict.outcome is Outcome.BELOW
    assert ("a line of 5 Gbit/s" in verdict.reason) is not has_window
    slow = check(run(0.94e9, **message, **window), SpecifiedLine(10e9, 1500))
    assert ("a line of 1 Gbit/s" in slow.reason) is not has_window


def test_the_window_that_goodput_and_round_trip_imply_is_a_hint_and_no_limit() -> None:
    """5 Gbit/s over 10 ms are 6.25 MB under way."""
    verdict = check(run(5e9, round_trip_s=10e-3, duration_s=30.0), SpecifiedLine(10e9, 1500))
    assert verdict.outcome is Outcome.BELOW
    assert "goodput times the round trip is 6,250,000 byte" in verdict.reason


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.97, 1.03, 1.2, 2.0, 8.0, 30.0])
@pytest.mark.parametrize(
    "reported",
    [
        {"segment_bytes": 1448, "round_trip_s": 1e-4},
        {"segment_bytes": 948},
        {"lost_ratio": 0.2},
        {"is_counted_at_sender": True},
        {"duration_s": 2.0},
        {"is_bidirectional": True},
    ],
)
def test_every_cause_names_the_evidence_that_would_confirm_it(
    share: float, reported: dict[str, Any]
) -> None:
    verdict = check(run(share * EVEN_CEILING_BPS, **({"duration_s": 60.0} | reported)), EVEN_LINE)
    if verdict.outcome not in (Outcome.BELOW, Outcome.IMPOSSIBLE):
        return
    causes = verdict.reason.partition(": ")[2].split(")")
    unknown = "something other than the wire"
    assert all("(confirm: " in cause or unknown in cause for cause in causes if cause.strip("; "))


def test_a_run_over_loopback_is_never_at_the_ceiling() -> None:
    verdict = check(run(is_loopback=True), EVEN_LINE)
    assert verdict.outcome is Outcome.NOT_JUDGEABLE
    assert "loopback" in verdict.reason
    assert verdict.binding is not None


@pytest.mark.parametrize(
    ("payload_bytes", "wire_bytes", "words"),
    [
        (8948, 9038, "under ethernet/ipv4/tcp+timestamps at MTU 9000 the ratio is 0.9990"),
        (1460, 1538, "under ethernet/ipv4/tcp at MTU 1500 the ratio is 0.9990"),
    ],
)
def test_sizes_that_the_run_does_not_show_are_guessed(
    payload_bytes: int, wire_bytes: int, words: str
) -> None:
    message = run(0.999 * 1538e6 * payload_bytes / wire_bytes, duration_s=60.0)
    assert words in check(message, EVEN_LINE).reason
    known = dataclasses.replace(message, segment_bytes=1448)
    assert words not in check(known, EVEN_LINE).reason


def test_a_smaller_mtu_than_specified_is_guessed() -> None:
    specified = SpecifiedLine(1538e6, 9000)
    reason = check(run(0.999 * EVEN_CEILING_BPS, duration_s=60.0), specified).reason
    assert "under ethernet/ipv4/tcp+timestamps at MTU 1500 the ratio is 0.9990" in reason


def test_no_size_is_guessed_for_datagrams() -> None:
    message = run(0.9 * 1538e6, protocol="udp", datagram_bytes=1000)
    assert "the ratio is" not in check(message, EVEN_LINE).reason


@pytest.mark.parametrize(
    ("specified_bps", "real_bps"),
    [
        *((10e9, 1e9), (1e9, 100e6), (100e9, 40e9)),
        # the other MAC rates of IEEE 802.3, under one of its next project
        *((1.6e12, bps) for bps in (10e6, 2.5e9, 5e9, 10e9, 25e9, 50e9, 100e9, 200e9, 400e9, 8e11)),
    ],
)
def test_a_slower_standard_line_than_specified_is_recognised(
    specified_bps: float, real_bps: float
) -> None:
    message = run(0.998 * real_bps * 1448 / 1538, duration_s=30.0, segment_bytes=1448)
    verdict = check(message, SpecifiedLine(specified_bps, 1500))
    assert verdict.outcome is Outcome.BELOW
    name = f"{real_bps / 1e9:g} Gbit/s" if real_bps >= 1e9 else f"{real_bps / 1e6:g} Mbit/s"
    assert f"a line of {name} would explain it: 0.9980 of its ceiling" in verdict.reason


def test_no_unit_is_blamed_where_bytes_were_counted() -> None:
    for power, (name, binary) in enumerate([("kB", "KiB"), ("MB", "MiB"), ("GB", "GiB")], 1):
        mixed_up = run(1.024**power * EVEN_CEILING_BPS, duration_s=60.0)
        words = f"{name} (10^{3 * power}) and {binary} (2^{10 * power}) mixed up"
        assert words in check(mixed_up, EVEN_LINE).reason
    counted = dataclasses.replace(mixed_up, received_bytes=10**9)
    assert "mixed up" not in check(counted, EVEN_LINE).reason


@pytest.mark.parametrize("factor", [8, 1 / 8])
def test_bytes_taken_for_bits_are_named(factor: float) -> None:
    message = run(factor * EVEN_CEILING_BPS, duration_s=60.0)
    assert "bytes taken for bits would explain it" in check(message, EVEN_LINE).reason


def test_datagrams_that_need_a_larger_mtu_than_specified_are_named() -> None:
    """1472 byte take 1538 on the wire at MTU 1500, and 66 more for a second packet at 1400."""
    message = run(
        0.999 * 1538e6 * 1472 / 1538, protocol="udp", datagram_bytes=1472, duration_s=60.0
    )
    verdict = check(message, SpecifiedLine(1538e6, 1400))
    assert verdict.outcome is Outcome.IMPOSSIBLE
    assert "datagrams of 1472 byte at MTU 1500: the ratio is 0.9990" in verdict.reason


# Causes that the run itself refutes, and those that it shows


WRITES = {"duration_s": 10.0, "segment_bytes": 1448, "stream_count": 1, "received_bytes": 1}


@pytest.mark.parametrize(
    ("size_bytes", "measured_bps", "words"),
    [
        (14, 5.9872e6, "writes of 14 byte, 53,457 a second"),
        (512, 2.346e9, "writes of 512 byte, 572,754 a second"),
        (723, 2.346e9, "writes of 723 byte, 405,602 a second"),
    ],
)
def test_small_writes_are_named_and_no_line_or_window_is_guessed(
    size_bytes: int, measured_bps: float, words: str
) -> None:
    """As in public threads; 2.346 Gbit/s would be 0.997 of what 2.5 GbE carries."""
    window = {"round_trip_s": 90e-6, "congestion_window_bytes": 1_200_000}
    message = run(measured_bps, write_bytes=size_bytes, **WRITES, **window)
    verdict = check(message, SpecifiedLine(25e9, 1500))
    assert verdict.outcome is Outcome.BELOW
    assert words in verdict.reason
    guessed = ("a line of", "a window of that size", "a rate cap", "one core", "mixed up")
    assert not [each for each in guessed if each in verdict.reason]


@pytest.mark.parametrize(
    ("protocol", "size", "words"),
    [
        ("udp", {"datagram_bytes": 64}, "datagrams of 64 byte, 1,953,125 a second"),
        ("rdma", {"write_bytes": 64, "rdma_mtu_bytes": 1024}, "messages of 64 byte, 1,953,125 a"),
    ],
)
def test_small_datagrams_and_messages_are_named(
    protocol: str, size: dict[str, int], words: str
) -> None:
    message = run(1e9, protocol=protocol, duration_s=10.0, received_bytes=1, **size)
    assert words in check(message, SpecifiedLine(100e9)).reason


def test_small_writes_are_named_beside_the_process_that_they_keep_busy() -> None:
    """2.346 Gbit/s of 512 byte: 572,754 writes a second."""
    busy = CpuUse(0.99, 2.346e9, CpuScope.PROCESS, Side.CLIENT)
    message = run(2.346e9, write_bytes=512, cpu=(busy,), **WRITES)
    verdict = check(message, SpecifiedLine(25e9, 1500))
    assert verdict.outcome is Outcome.LIMITED
    assert verdict.binding is not None
    assert verdict.binding.name == "client_process"
    assert "writes of 512 byte, 572,754 a second" in verdict.reason


def test_writes_of_half_a_segment_are_not_small() -> None:
    message = run(2.346e9, write_bytes=724, **WRITES)
    reason = check(message, SpecifiedLine(25e9, 1500)).reason
    assert "writes of" not in reason
    assert "a line of 2.5 Gbit/s" in reason


@pytest.mark.parametrize(("window_bytes", "is_named"), [(5e6, False), (4.9e6, True), (None, True)])
def test_a_window_that_the_congestion_window_refutes_is_not_named(
    window_bytes: float | None, is_named: bool
) -> None:
    """1 Gbit/s over 9.9 ms are 1,237,500 byte in flight: less than a quarter of 5 MB."""
    known = {"round_trip_s": 9.9e-3, "congestion_window_bytes": window_bytes, "duration_s": 30.0}
    reason = check(run(1e9, **known), SpecifiedLine(10e9, 1500)).reason
    assert ("a window of that size would explain it" in reason) is is_named


@pytest.mark.parametrize(("line_bps", "mtu"), [(10e9, 9001), (25e9, 1500), (10e9, 1500)])
def test_a_rate_cap_at_a_round_rate_is_suggested_first(line_bps: float, mtu: int) -> None:
    """4.97 Gbit/s: 0.994 of 5 Gbit/s, as clouds allow a small instance; also 5GBASE-T at 9001."""
    message = run(4.97e9, duration_s=30.0, stream_count=8)
    reason = check(message, SpecifiedLine(line_bps, mtu)).reason
    causes = reason.partition(": ")[2]
    assert causes.startswith("a rate cap of 5 Gbit/s would explain it: 0.9940 of it (confirm: ")


def test_a_rate_cap_that_was_given_as_the_line_is_suggested_before_what_is_rare() -> None:
    """A line of 5 Gbit/s carries 4.7074 Gbit/s at MTU 1500."""
    message = run(4.97e9, duration_s=0.2, stream_count=8, retransmit_count=0)
    reason = check(message, SpecifiedLine(5e9, 1500)).reason
    cap = reason.index("a rate cap of 5 Gbit/s would explain it: 0.9940 of it")
    assert cap < reason.index("token bucket")


@pytest.mark.parametrize("measured_bps", [4.92e9, 5.03e9, 4.4e9, 9.4e9])
def test_no_rate_cap_is_suggested_beside_round_rates(measured_bps: float) -> None:
    message = run(measured_bps, duration_s=30.0, stream_count=8)
    assert "a rate cap" not in check(message, SpecifiedLine(25e9, 1500)).reason


@pytest.mark.parametrize(
    ("reported", "path", "is_named"),
    [
        ({}, None, True),
        ({"is_loopback": True}, None, False),
        ({}, "kvm-one-host", False),
        ({}, "kvm-two-hosts", True),
    ],
)
def test_burst_credit_explains_nothing_within_one_host(
    reported: dict[str, Any], path: str | None, is_named: bool
) -> None:
    over = None if path is None else SpecifiedPath(record=path_record(path))
    line = SpecifiedLine(10e9, 1500, path=over, rate_cap_bps=1e9)
    message = run(3e9, duration_s=60.0, segment_bytes=1448, stream_count=1, **reported)
    assert ("burst credit" in check(message, line).reason) is is_named


def used(*busy: float, scope: CpuScope = CpuScope.PROCESS) -> dict[str, Any]:
    """Busy CPUs of client and server."""
    sides = (Side.CLIENT, Side.SERVER)
    cpu = tuple(CpuUse(each, 41e9, scope, side) for each, side in zip(busy, sides, strict=True))
    return {"cpu": cpu}


@pytest.mark.parametrize(
    ("line_bps", "reported", "is_named"),
    [
        (100e9, {"stream_count": 1}, True),
        (100e9, {"stream_count": 2}, False),
        (100e9, {}, False),
        (40e9, {"stream_count": 1}, False),
        (100e9, {"stream_count": 1, "protocol": "udp", "datagram_bytes": 8972}, False),
        (100e9, {"stream_count": 1, "is_loopback": True}, False),
        (100e9, {"stream_count": 1, "is_bidirectional": True}, False),
        (100e9, {"stream_count": 1} | used(0.7, 0.8), True),
        (100e9, {"stream_count": 1} | used(0.1, 0.5), True),
        (100e9, {"stream_count": 1} | used(0.1, 0.4), False),
        (100e9, {"stream_count": 1} | used(1.7, 0.8, scope=CpuScope.SYSTEM), True),
        (100e9, {"stream_count": 1} | used(0.7, 0.8, scope=CpuScope.SYSTEM), False),
    ],
)
def test_one_stream_far_below_a_fast_line_is_asked_for_its_core(
    line_bps: float, reported: dict[str, Any], is_named: bool
) -> None:
    verdict = check(run(41e9, duration_s=30.0, **reported), SpecifiedLine(line_bps, 9000))
    assert verdict.outcome in (Outcome.BELOW, Outcome.IMPOSSIBLE)
    assert ("usually limited by one core" in verdict.reason) is is_named


def test_the_cpu_figure_of_the_file_stands_beside_the_core() -> None:
    message = run(41e9, duration_s=30.0, stream_count=1, **used(0.71, 0.6))
    reason = check(message, SpecifiedLine(100e9, 9000)).reason
    assert "the process itself used 0.71 at the client, 0.60 at the server" in reason


@pytest.mark.parametrize(("line_bps", "is_named"), [(25e9, True), (24.9e9, False)])
def test_a_slow_line_is_no_question_of_a_core(line_bps: float, is_named: bool) -> None:
    message = run(9e9, duration_s=30.0, stream_count=1)
    reason = check(message, SpecifiedLine(line_bps, 1500)).reason
    assert ("limited by one core" in reason) is is_named


@pytest.mark.parametrize(("measured_bps", "is_named"), [(1e9, True), (0.9e9, False)])
def test_what_any_core_moves_is_no_question_of_a_core(measured_bps: float, is_named: bool) -> None:
    message = run(measured_bps, duration_s=30.0, stream_count=1)
    reason = check(message, SpecifiedLine(25e9, 1500)).reason
    assert ("limited by one core" in reason) is is_named
