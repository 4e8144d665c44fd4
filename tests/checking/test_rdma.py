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
from netmodel.consumption import Side
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


def test_without_headers_it_is_version_2_over_the_ip_of_the_run() -> None:
    """IPv6 has 20 byte more than IPv4: 4198 on the wire."""
    count = WRITE // 4096
    for ip_version, wire_bytes in ((None, 4178), (4, 4178), (6, 4198)):
        limits = line_limits(rdma(1e9, ip_version=ip_version), SpecifiedLine(100e9))
        expected_bps = 100e9 * WRITE / (count * wire_bytes + 16)
        assert limits.smallest.value_bps == pytest.approx(expected_bps, rel=1e-4)
        assert "headers not specified" in limits.notes[0]


def test_an_operation_in_the_headers_counts_where_the_run_reports_none() -> None:
    """512 byte are alone in a packet: 16 byte more of a write, which is assumed, than of a send."""
    small = rdma(21.5e9, rdma_mtu_bytes=1024, write_bytes=512)
    write = line_limits(small, SpecifiedLine(25e9, stack=ROCE)).smallest.value_bps
    assert write == pytest.approx(25e9 * 512 / (512 + 82 + 16))
    send = SpecifiedLine(25e9, stack=parse_stack(f"{ROCE}+operation=send"))
    assert check(small, send).outcome is Outcome.AT_CEILING
    assert check(small, send).ratio == pytest.approx(21.5 / 21.549, rel=1e-4)


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


def test_a_receiver_that_counts_messages_may_miss_one() -> None:
    """101 messages without a time of their own: one of a hundred, below and above."""
    counted = {"rdma_operation": "send", "recorded_by": Side.SERVER, "duration_s": 1.0}
    message = rdma(9e10, received_bytes=101 * WRITE, **counted)
    parts = {each.name: each for each in check(message, SpecifiedLine(1e11, 4200)).tolerance.parts}
    assert (parts["timing"].below_ratio, parts["timing"].above_ratio) == (0.01, 0.01)
    single = check(rdma(9e10, received_bytes=WRITE, **counted), SpecifiedLine(1e11, 4200))
    assert "timing" not in [each.name for each in single.tolerance.parts]


def test_an_rdma_mtu_given_as_that_of_ip_is_named() -> None:
    """An interface of MTU 4096 has 96 byte too little for packets of 4096: they have 2048."""
    named = "MTU 4096 of IP leaves 2048 byte; if it is the RDMA MTU"
    for reported in (4096, None):
        verdict = check(rdma(97.9e9, rdma_mtu_bytes=reported), SpecifiedLine(100e9, 4096))
        assert verdict.outcome is not Outcome.AT_CEILING
        assert named in verdict.notes[0]
    right = SpecifiedLine(100e9, rdma_mtu_bytes=4096)
    assert check(rdma(97.9e9), right).outcome is Outcome.AT_CEILING
    assert not any(named in each for each in check(rdma(1e9), SpecifiedLine(100e9, 4192)).notes)
