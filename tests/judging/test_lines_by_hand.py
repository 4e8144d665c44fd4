"""What a line carries of segments, datagrams and RDMA packets, with every note, byte by byte."""

from typing import Any

import pytest
from runs import run

from netmodel.framing import parse_stack
from netmodel.judging import Outcome, SpecifiedLine, check
from netmodel.judging._limits import Limit, NotJudgeableError, RunLimits, over_all_cases
from netmodel.judging._line_limits import line_limits

LINE_BPS = 10e9
STAMPED, PLAIN = "ethernet/ipv4/tcp+timestamps", "ethernet/ipv4/tcp"


def of(line: dict[str, Any] | None = None, **message: Any) -> RunLimits:
    return line_limits(run(1e9, **message), SpecifiedLine(LINE_BPS, **line or {}))


def at(mtu_bytes: int, **more: Any) -> dict[str, Any]:
    return {"mtu_bytes": mtu_bytes, **more}


# Segments


@pytest.mark.parametrize(
    ("line", "message", "carried", "notes"),
    [
        (at(1500), {}, (1448, 1538), ()),
        (at(1500), {"segment_bytes": 1448}, (1448, 1538), ()),
        (
            *({}, {"segment_bytes": 1448}, (1448, 1538)),
            (f"no MTU specified: segments of 1448 byte under {STAMPED} make MTU 1500",),
        ),
        (
            *({}, {"path_mtu_bytes": 9000}, (8948, 9038)),
            (f"no MTU specified: segments of 8948 byte under {STAMPED} make MTU 9000",),
        ),
        (
            *(at(1500), {"segment_bytes": 1460}, (1460, 1538)),
            ("judged without TCP timestamps: segments of 1460 byte fill MTU 1500",),
        ),
        (
            *({}, {"segment_bytes": 1460, "path_mtu_bytes": 1500}, (1460, 1538)),
            (
                f"no MTU specified: segments of 1460 byte under {PLAIN} make MTU 1500",
                "judged without TCP timestamps: segments of 1460 byte fill MTU 1500",
            ),
        ),
        (
            *(at(1500, timestamps=True), {"segment_bytes": 1460}, (1448, 1538)),
            (f"segments of 1460 byte contradict MTU 1500: {STAMPED} leaves 1448 byte",),
        ),
        (at(1500, timestamps=False), {"segment_bytes": 1460}, (1460, 1538), ()),
        (
            *(at(1500), {"path_mtu_bytes": 1400}, (1448, 1538)),
            ("the run reports a path MTU of 1400, not 1500",),
        ),
        (
            *(at(1500), {"requested_mss_bytes": 1000}, (1448, 1538)),
            ("the run requested segments of at most 1000 byte: 988 byte of payload in each",),
        ),
        (
            *(at(1500), {"requested_mss_bytes": 2000}, (1448, 1538)),
            ("the run requested segments of at most 2000 byte: 1448 byte of payload in each",),
        ),
        (
            *(at(1500), {"requested_mss_bytes": 1000, "path_mtu_bytes": 1400}, (1448, 1538)),
            ("the run requested segments of at most 1000 byte: 988 byte of payload in each",),
        ),
        (
            *(at(1500), {"is_bidirectional": True}, (1448, 1538)),
            (
                f"both directions: acknowledgements leave {1538 / 1628:.4f} to {1538 / 1540:.4f} "
                "of the ceiling (one per segment, per 45)",
            ),
        ),
        (
            *(at(1500), {"is_loopback": True}, (1448, 1538)),
            ("the connection stayed on a loopback interface: no frame crossed a line",),
        ),
        (at(1500, vlan_tags=1), {"ip_version": 6}, (1428, 1542), ()),
        (at(9000, ip_version=6), {"ip_version": None}, (8928, 9038), ()),
    ],
    ids=str,
)
def test_segments_fill_the_line_with_their_headers(
    line: dict[str, Any], message: dict[str, Any], carried: tuple[int, int], notes: tuple[str, ...]
) -> None:
    """38 byte around an IP packet, 20 of IPv4 or 40 of IPv6, 20 of TCP, 12 of time stamps."""
    limits = of(line, **message)
    payload_bytes, wire_bytes = carried
    (wire,) = limits.specified
    assert wire == Limit("wire", pytest.approx(LINE_BPS * payload_bytes / wire_bytes))
    assert limits.notes == notes
    assert (limits.transport, limits.unknown) == ("tcp", ())
    assert limits.ceiling is not None
    own_bytes = message.get("segment_bytes", 0)
    assert limits.exceeds_mtu is (own_bytes > limits.ceiling.segment_bytes)


@pytest.mark.parametrize(
    ("message", "own_bytes"),
    [
        ({"segment_bytes": 948}, 948),
        ({"requested_mss_bytes": 960}, 948),
        ({"path_mtu_bytes": 1000}, 948),
        ({"requested_mss_bytes": 960, "path_mtu_bytes": 900}, 848),
        ({"requested_mss_bytes": 860, "path_mtu_bytes": 1000}, 848),
        ({"segment_bytes": 948, "requested_mss_bytes": 860, "path_mtu_bytes": 900}, 948),
        ({"segment_bytes": 1448}, None),
        ({"requested_mss_bytes": 1460}, None),
        ({"path_mtu_bytes": 60}, None),
    ],
    ids=str,
)
def test_smaller_segments_of_the_run_are_a_limit_of_their_own(
    message: dict[str, Any], own_bytes: int | None
) -> None:
    """Reported, or the smaller of what was requested and what its path MTU leaves."""
    limits = of(at(1500), **message)
    if own_bytes is None:
        assert limits.reported == ()
        return
    (own,) = limits.reported
    assert own.name == "segment_size"
    assert own.value_bps == pytest.approx(LINE_BPS * own_bytes / (own_bytes + 90))
    assert own.carrier == f"the wire with the run's own segments of {own_bytes} byte"


@pytest.mark.parametrize(
    ("line", "message", "ends", "unknown"),
    [
        # packets of 576 to 9216 byte, with time stamps at the one end and without at the other
        ({}, {}, (524 / 614, 9176 / 9254), ("mtu_bytes",)),
        ({"timestamps": True}, {}, (524 / 614, 9164 / 9254), ("mtu_bytes",)),
        ({"timestamps": False}, {}, (536 / 614, 9176 / 9254), ("mtu_bytes",)),
        ({"vlan_tags": 1}, {}, (524 / 618, 9176 / 9258), ("mtu_bytes",)),
        # IPv6 has packets of 1280 or more
        ({"ip_version": 6}, {"ip_version": 6}, (1208 / 1318, 9156 / 9254), ("mtu_bytes",)),
        (at(1500), {"protocol": None}, (1448 / 1538, 1472 / 1538), ("transport",)),
        ({}, {"protocol": None}, (524 / 614, 9188 / 9254), ("transport", "mtu_bytes")),
        (at(1500), {"protocol": "udp"}, (1 / 84, 1472 / 1538), ("payload_bytes",)),
        ({}, {"protocol": "udp"}, (1 / 84, 9188 / 9254), ("payload_bytes", "mtu_bytes")),
    ],
    ids=str,
)
def test_what_is_not_known_leaves_a_range_over_all_cases(
    line: dict[str, Any],
    message: dict[str, Any],
    ends: tuple[float, float],
    unknown: tuple[str, ...],
) -> None:
    limits = of(line, **message)
    assert limits.bounds_bps == pytest.approx([LINE_BPS * end for end in ends])
    assert limits.smallest.value_bps == limits.bounds_bps[1]
    assert limits.unknown == unknown
    assert limits.ceiling is None


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"segment_bytes": 15}, "the run reports an impossible one, 67"),
        ({"path_mtu_bytes": 60}, "the run reports an impossible one, 60"),
        ({"segment_bytes": 65485}, "the run reports an impossible one, 65537"),
    ],
)
def test_a_packet_that_cannot_be_asks_for_the_mtu(message: dict[str, Any], problem: str) -> None:
    with pytest.raises(NotJudgeableError) as caught:
        of(**message)
    assert str(caught.value) == f"specify the MTU (mtu_bytes=...): {problem}"


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ({"requested_mss_bytes": 65000}, Outcome.AT_CEILING),
        ({"requested_mss_bytes": 65000, "path_mtu_bytes": 1500}, Outcome.AT_CEILING),
        ({"requested_mss_bytes": 65000, "path_mtu_bytes": 9000}, Outcome.NOT_JUDGEABLE),
        ({"path_mtu_bytes": 9000}, Outcome.NOT_JUDGEABLE),
        ({"segment_bytes": 1460}, Outcome.NOT_JUDGEABLE),
    ],
    ids=str,
)
def test_a_size_that_is_only_requested_contradicts_no_mtu(
    message: dict[str, Any], outcome: Outcome
) -> None:
    """TCP sends no segment that the MTU has no room for, whatever was asked for."""
    full = run(LINE_BPS * 1448 / 1538, duration_s=60.0, **message)
    line = SpecifiedLine(LINE_BPS, 1500, timestamps=True)
    assert check(full, line).outcome is outcome


def test_options_that_fill_a_requested_segment_leave_nothing() -> None:
    """12 byte of time stamps; 13 leave a byte."""
    with pytest.raises(NotJudgeableError) as caught:
        of(at(1500), requested_mss_bytes=12)
    assert str(caught.value) == (
        "the run requested segments of 12 byte, which 12 byte of TCP options fill"
    )
    (own,) = of(at(1500), requested_mss_bytes=13).reported
    assert own.value_bps == pytest.approx(LINE_BPS / 91)


# Datagrams


@pytest.mark.parametrize(
    ("line", "size", "carried", "notes"),
    [
        (at(1500), 1472, (1472, 1538), ()),
        (at(1500, message_bytes=1472), None, (1472, 1538), ()),
        (at(1500), 1473, (1473, 1538 + 84), ()),
        (
            *({}, 1472, (1472, 1538)),
            ("no MTU specified: assuming that datagrams of 1472 byte fit one frame",),
        ),
        (at(1500, ip_version=6), 1452, (1452, 1538), ()),
    ],
    ids=str,
)
def test_datagrams_take_their_frames(
    line: dict[str, Any], size: int | None, carried: tuple[int, int], notes: tuple[str, ...]
) -> None:
    message = {"protocol": "udp", "datagram_bytes": size, "ip_version": line.get("ip_version", 4)}
    limits = of(line, **message)
    assert limits.smallest.value_bps == pytest.approx(LINE_BPS * carried[0] / carried[1])
    assert (limits.notes, limits.transport) == (notes, "udp")


def test_datagrams_above_the_usual_mtu_are_cut_at_the_smallest_and_whole_at_the_largest() -> None:
    """8000 + 8 byte in 15 packets with 552 of payload or less, or in one of 8028 byte."""
    limits = of(protocol="udp", datagram_bytes=8000)
    wire_bytes = 8008 + 15 * (20 + 38)
    assert limits.bounds_bps == pytest.approx(
        (LINE_BPS * 8000 / wire_bytes, LINE_BPS * 8000 / 8066)
    )
    assert limits.unknown == ("mtu_bytes",)


# RDMA


ROCE = parse_stack("ethernet/ipv4/udp/rocev2")
AROUND = {"rocev1": 94, "ipv4": 82, "ipv6": 102}
"""Frame 18, preamble and gap 20, headers 12 and 4; GRH 40, or IP and UDP."""
FIRST = 16
"""Of the first packet of a write."""


def rdma(line: dict[str, Any], **message: Any) -> RunLimits:
    usual = {"protocol": "rdma", "ip_version": None, "write_bytes": 4096}
    usual |= {"rdma_operation": "write"}
    return of(line, **usual | message)


def test_a_write_takes_packets_of_the_rdma_mtu() -> None:
    """4096 byte in one packet of MTU 4200, or in four of 1024 byte."""
    known = rdma({"stack": ROCE}, rdma_mtu_bytes=4096)
    assert known.smallest.value_bps == pytest.approx(LINE_BPS * 4096 / (4096 + 82 + FIRST))
    assert known.notes == (
        "no MTU specified: RDMA packets with 4096 byte of payload set the ceiling",
    )
    assert (known.unknown, known.transport, known.reported) == ((), "rdma", ())
    four = rdma({"stack": ROCE, **at(1500)})
    assert four.smallest.value_bps == pytest.approx(LINE_BPS * 4096 / (4096 + 4 * 82 + FIRST))
    assert (four.notes, four.exceeds_mtu) == ((), False)


def test_smaller_rdma_packets_than_the_mtu_leaves_are_a_limit_of_their_own() -> None:
    limits = rdma({"stack": ROCE, **at(4200)}, rdma_mtu_bytes=1024)
    assert limits.notes == (
        "the run's RDMA MTU of 1024 byte contradicts MTU 4200, which leaves 4096 byte",
    )
    (own,) = limits.reported
    assert own.value_bps == pytest.approx(LINE_BPS * 4096 / (4096 + 4 * 82 + FIRST))
    assert own.carrier == "the wire with the run's own RDMA packets of 1024 byte"
    assert not limits.exceeds_mtu
    larger = rdma({"stack": ROCE, **at(1500)}, rdma_mtu_bytes=4096)
    assert (larger.reported, larger.exceeds_mtu) == ((), True)


def test_without_headers_all_versions_of_roce_are_possible() -> None:
    limits = rdma({}, rdma_mtu_bytes=4096)
    ends = (LINE_BPS * 4096 / (4096 + AROUND[name] + FIRST) for name in ("ipv6", "ipv4"))
    assert limits.bounds_bps == pytest.approx(tuple(ends))
    assert limits.unknown == ("stack",)
    # an RDMA MTU of 256 is none of IPv6, whose packets may have 1280
    small = rdma({}, rdma_mtu_bytes=256, write_bytes=256)
    ends = (LINE_BPS * 256 / (256 + AROUND[name] + FIRST) for name in ("rocev1", "ipv4"))
    assert small.bounds_bps == pytest.approx(tuple(ends))


def test_without_any_size_packets_of_256_to_4096_byte_are_possible() -> None:
    limits = rdma({"stack": ROCE}, write_bytes=4096)
    ends = (LINE_BPS * 4096 / (4096 + count * 82 + FIRST) for count in (16, 1))
    assert limits.bounds_bps == pytest.approx(tuple(ends))
    assert limits.unknown == ("mtu_bytes",)
    assert rdma({}, write_bytes=4096).unknown == ("stack", "mtu_bytes")


# Several cases


def test_limits_that_all_cases_have_are_ranges_and_others_lower_the_lowest() -> None:
    """The second case has a stage of 3 Gbit/s that the first lacks."""
    cases = [
        RunLimits(
            line_rate_bps=LINE_BPS,
            specified=(Limit("wire", wire), Limit("pcie", pcie, pcie - 1, pcie + 1), *more),
            transport=transport,
            notes=("shared", transport),
        )
        for wire, pcie, more, transport in (
            (9e9, 8e9, (), "tcp"),
            (7e9, 6e9, (Limit("softirq", 3e9),), "udp"),
        )
    ]
    assert over_all_cases(cases[:1]) is cases[0]
    whole = over_all_cases(cases)
    wire, pcie = whole.specified
    assert (wire.name, wire.value_bps, wire.bounds_bps) == ("wire", 9e9, (3e9, 9e9))
    assert (pcie.name, pcie.value_bps) == ("pcie", 8e9 + 1)
    assert pcie.bounds_bps == (6e9 - 1, 8e9 + 1)
    assert whole.bounds_bps == (3e9, 8e9 + 1)
    assert (whole.transport, whole.notes) == (None, ("shared", "tcp", "udp"))
    assert over_all_cases([cases[0], cases[0]]).transport == "tcp"
