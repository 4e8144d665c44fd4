"""RDMA over Ethernet: messages in packets of the RDMA MTU, each figure worked out by hand.

A packet of RoCE v2 over IPv4 with 4096 byte of payload takes 20 + 8 + 12 + 4 of headers around it,
14 + 4 of the frame and 20 of preamble and gap: 4178 byte on the wire. The first packet of a write
has 16 byte more.
"""

from typing import Any

import pytest
from checking.verdicts import line_limits
from runs import run

from netmodel.checking import Outcome, SpecifiedLine, check
from netmodel.framing import parse_stack
from netmodel.readers import Measurement

ROCE = parse_stack("ethernet/ipv4/udp/rocev2")
WRITE = 65536


def rdma(goodput_bps: float, **reported: Any) -> Measurement:
    usual = {"protocol": "rdma", "ip_version": None, "write_bytes": WRITE, "rdma_mtu_bytes": 4096}
    return run(goodput_bps, **(usual | reported))


@pytest.mark.parametrize(
    ("mtu_bytes", "packet_bytes", "overhead_bytes"), [(4200, 4096, 82), (1500, 1024, 82)]
)
def test_messages_take_the_packets_of_the_rdma_mtu(
    mtu_bytes: int, packet_bytes: int, overhead_bytes: int
) -> None:
    """At MTU 1500 the RDMA MTU is 1024, a quarter of which would fit 4096."""
    limits = line_limits(
        rdma(1e9, rdma_mtu_bytes=None), SpecifiedLine(100e9, mtu_bytes, stack=ROCE)
    )
    count = WRITE // packet_bytes
    wire_bytes = WRITE + count * overhead_bytes
    assert limits.smallest.value_bps == pytest.approx(100e9 * WRITE / wire_bytes, rel=1e-3)
    assert limits.transport == "rdma"


def test_without_an_mtu_the_rdma_mtu_of_the_run_sets_the_ceiling() -> None:
    known = line_limits(rdma(1e9), SpecifiedLine(100e9, stack=ROCE))
    assert known.smallest == line_limits(rdma(1e9), SpecifiedLine(100e9, 4200, stack=ROCE)).smallest
    assert "RDMA packets of 4096 byte" in known.notes[0]


@pytest.mark.parametrize(
    ("mtu_bytes", "rdma_mtu_bytes", "outcome"),
    [
        (4200, 4096, Outcome.AT_CEILING),
        (4200, 1024, Outcome.LIMITED),
        (1500, 4096, Outcome.IMPOSSIBLE),
    ],
)
def test_another_rdma_mtu_than_that_of_the_line_never_passes(
    mtu_bytes: int, rdma_mtu_bytes: int, outcome: Outcome
) -> None:
    own = SpecifiedLine(100e9, stack=ROCE)
    full_bps = line_limits(rdma(1e9, rdma_mtu_bytes=rdma_mtu_bytes), own).smallest.value_bps
    message = rdma(full_bps, rdma_mtu_bytes=rdma_mtu_bytes, duration_s=5.0)
    verdict = check(message, SpecifiedLine(100e9, mtu_bytes, stack=ROCE))
    assert verdict.outcome is outcome
    assert check(message, own).outcome is Outcome.AT_CEILING


def test_without_headers_both_versions_of_roce_form_a_range() -> None:
    """They differ by less than a tolerance with large packets, and by more with small ones."""
    large = check(rdma(97.9e9), SpecifiedLine(100e9))
    assert large.outcome is Outcome.AT_CEILING
    small = line_limits(rdma(1e9, write_bytes=64), SpecifiedLine(100e9))
    low_bps, high_bps = small.bounds_bps
    assert low_bps < 0.95 * high_bps
    inside = check(rdma((low_bps + high_bps) / 2, write_bytes=64), SpecifiedLine(100e9))
    assert inside.outcome is Outcome.NOT_JUDGEABLE
    assert "the headers (stack=..., such as ethernet/ipv4/udp/rocev2)" in inside.reason


@pytest.mark.parametrize("rdma_mtu_bytes", [256, 512, 1024, 2048, 4096])
def test_every_rdma_mtu_has_a_ceiling(rdma_mtu_bytes: int) -> None:
    """IPv6, which needs an MTU of 1280, is no case where the packets are too small for one."""
    message = rdma(1e9, rdma_mtu_bytes=rdma_mtu_bytes)
    for specified in (
        SpecifiedLine(100e9),
        SpecifiedLine(100e9, 9000),
        SpecifiedLine(100e9, stack=ROCE),
    ):
        low_bps, high_bps = line_limits(message, specified).bounds_bps
        assert 0.5 * 100e9 < low_bps <= high_bps < 100e9


def test_an_operation_in_the_headers_counts_where_the_run_reports_none() -> None:
    small = rdma(21.5e9, rdma_mtu_bytes=1024, write_bytes=512)
    inside = check(small, SpecifiedLine(25e9, stack=ROCE))
    assert inside.outcome is Outcome.NOT_JUDGEABLE
    assert "+operation=send" in inside.reason
    send = SpecifiedLine(25e9, stack=parse_stack(f"{ROCE}+operation=send"))
    assert check(small, send).outcome is Outcome.AT_CEILING
    assert check(small, send).ratio == pytest.approx(21.5 / 21.549, rel=1e-4)


@pytest.mark.parametrize(
    ("goodput_bps", "outcome"),
    [(97.9e9, Outcome.NOT_JUDGEABLE), (98.03e9, Outcome.NOT_JUDGEABLE), (98.5e9, "impossible")],
)
def test_without_a_size_messages_may_be_long_or_short(goodput_bps: float, outcome: Any) -> None:
    """4096 of 4178 byte: 98.037 Gbit/s, where the header of a write is not seen."""
    long = rdma(goodput_bps, write_bytes=None, duration_s=10.0)
    line = SpecifiedLine(100e9, 9000, stack=ROCE)
    verdict = check(long, line)
    assert verdict.outcome is Outcome(outcome)
    assert line_limits(long, line).bounds_bps[1] == pytest.approx(100e9 * 4096 / 4178)
    if verdict.outcome is Outcome.NOT_JUDGEABLE:
        assert verdict.reason.endswith("specify the payload of a message (payload_bytes=...)")
    sized = SpecifiedLine(100e9, 9000, stack=ROCE, message_bytes=WRITE)
    assert check(rdma(97.9e9, write_bytes=None), sized).outcome is Outcome.AT_CEILING


@pytest.mark.parametrize("duration_s", [0.02, 2.0, 60.0])
def test_no_shaper_or_socket_buffer_explains_rdma(duration_s: float) -> None:
    """It bypasses the kernel."""
    line = SpecifiedLine(100e9, 4200, stack=ROCE)
    reason = check(rdma(98.8e9, duration_s=duration_s), line).reason
    assert not {"token", "socket", "credit"}.intersection(reason.split())


@pytest.mark.parametrize("rdma_mtu_bytes", [1024, 4096])
@pytest.mark.parametrize("mtu_bytes", [None, 9000])
def test_an_rdma_mtu_beside_that_of_ip_sets_the_packets(
    rdma_mtu_bytes: int, mtu_bytes: int | None
) -> None:
    line = SpecifiedLine(100e9, mtu_bytes, stack=ROCE, rdma_mtu_bytes=rdma_mtu_bytes)
    for reported in (None, rdma_mtu_bytes):
        long = rdma(1e9, rdma_mtu_bytes=reported, rdma_operation="send")
        wire_bytes = WRITE * (rdma_mtu_bytes + 82) / rdma_mtu_bytes
        limits = line_limits(long, line)
        assert limits.smallest.value_bps == pytest.approx(100e9 * WRITE / wire_bytes)
        assert (limits.notes, limits.unknown) == ((), ())
    # a run without RDMA keeps the MTU of IP
    tcp = rdma(1e9, protocol="tcp", rdma_mtu_bytes=None)
    of_tcp = SpecifiedLine(100e9, mtu_bytes, rdma_mtu_bytes=rdma_mtu_bytes)
    assert line_limits(tcp, of_tcp) == line_limits(tcp, SpecifiedLine(100e9, mtu_bytes))


def test_an_rdma_mtu_given_as_that_of_ip_is_named() -> None:
    """An interface of MTU 4096 has 96 byte too little for packets of 4096: they have 2048."""
    named = "MTU 4096 of IP leaves RDMA packets of 2048 byte; if it is the RDMA MTU"
    for reported in (4096, None):
        verdict = check(rdma(97.9e9, rdma_mtu_bytes=reported), SpecifiedLine(100e9, 4096))
        assert verdict.outcome is not Outcome.AT_CEILING
        assert named in verdict.notes[0]
    right = SpecifiedLine(100e9, rdma_mtu_bytes=4096)
    assert check(rdma(97.9e9), right).outcome is Outcome.AT_CEILING
    assert not any(named in each for each in check(rdma(1e9), SpecifiedLine(100e9, 4192)).notes)
