"""Header stacks: what they are made of, what they refuse, and how they are written."""

import csv
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import (
    Hop,
    Part,
    PathMtu,
    Stack,
    ethernet,
    ipv4,
    parse_stack,
    qinq,
    tcp,
    tcp_stack,
    udp,
    udp_stack,
    vlan,
)
from netmodel.framing.stack import mtu_of_rdma

TABLE = Path(__file__).with_name("refused_stacks.csv")
REFUSED = list(csv.reader(TABLE.read_text(encoding="utf-8").splitlines()))[1:]


@pytest.mark.parametrize(
    ("stack", "written"),
    [
        (tcp_stack(), "ethernet/ipv4/tcp+timestamps"),
        (tcp_stack(ip_version=6, timestamps=False), "ethernet/ipv6/tcp"),
        (tcp_stack(vlan_tags=2), "ethernet/vlan/vlan/ipv4/tcp+timestamps"),
        (udp_stack(), "ethernet/ipv4/udp"),
        (udp_stack(ip_version=6, vlan_tags=1), "ethernet/vlan/ipv6/udp"),
        (Stack((ethernet(), qinq(), vlan(), ipv4(), udp())), "ethernet/qinq/vlan/ipv4/udp"),
        (Stack((ethernet(),)), "ethernet"),
    ],
)
def test_stacks_are_written_from_the_line_inwards(stack: Stack, written: str) -> None:
    assert str(stack) == written


def test_a_stack_has_layers_and_whole_tags() -> None:
    with pytest.raises(DomainError, match="a stack needs at least the ethernet layer"):
        Stack(())
    with pytest.raises(DomainError, match="it is the outermost layer"):
        Stack((ipv4(), tcp()))


def test_a_full_frame_part_by_part() -> None:
    """N. Hoppmann (2021), slide 12, names and adds up the same parts."""
    assert tcp_stack().full_frame_parts(1500) == (
        Part("preamble", 7),
        Part("sfd", 1),
        Part("ethernet_header", 14),
        Part("ipv4_header", 20),
        Part("tcp_header", 20),
        Part("tcp_timestamps", 12),
        Part("payload", 1448),
        Part("fcs", 4),
        Part("interframe_gap", 12),
    )


def test_a_short_frame_is_padded() -> None:
    """IEEE 802.3: addresses and type 14, one byte, 45 of padding and a check of 4 are 64."""
    assert Part("padding", 45) in Stack((ethernet(),)).full_frame_parts(1)


def test_a_message_of_a_stream_has_content() -> None:
    with pytest.raises(DomainError, match="message_bytes must be above 0 byte; got 0"):
        tcp_stack().message_wire_bytes(0, 1500)
    assert tcp_stack().message_wire_bytes(0.5, 1500) == 0.5 + 52 + 38


@pytest.mark.parametrize(
    ("text", "longest_bytes"),
    [
        ("ethernet/ipv4/udp", 65535 - 20 - 8),
        ("ethernet/ipv4+options=40/udp", 65535 - 60 - 8),
        ("ethernet/ipv6/udp", 65535 - 8),
        ("ethernet/ipv6+extension=8/udp", 65535 - 8 - 8),
    ],
)
def test_a_datagram_fits_the_length_field_of_ip(text: str, longest_bytes: int) -> None:
    """RFC 791, section 3.1: the length counts the header; RFC 8200, section 3: not that of IPv6."""
    stack = parse_stack(text)
    assert stack.message_wire_bytes(longest_bytes, 65535) > longest_bytes
    message = f"datagram_bytes must be at most {longest_bytes} byte; got {longest_bytes + 1}"
    with pytest.raises(DomainError, match=message):
        stack.message_wire_bytes(longest_bytes + 1, 65535)


def test_a_datagram_inside_esp_is_not_split() -> None:
    """By hand, MTU 1500: 20 of IP, 32 of ESP, 1446 + 2 in words of 4, and 8 of UDP."""
    stack = parse_stack("ethernet/ipv4/esp/udp")
    assert stack.message_wire_bytes(1438, 1500) == 1500 + 38
    with pytest.raises(DomainError, match="message_bytes must be at most 1438 byte; got 1439"):
        stack.message_wire_bytes(1439, 1500)


@pytest.mark.parametrize(
    ("stack", "smallest"),
    [
        (tcp_stack(), 68),
        (Stack((ethernet(), ipv4(), tcp(sack_blocks=3))), 81),
        (Stack((ethernet(), ipv4(options_bytes=40), tcp(sack_blocks=3))), 121),
        (tcp_stack(ip_version=6), 1280),
        (Stack((ethernet(),)), 1),
    ],
)
def test_the_smallest_mtu_of_a_stack(stack: Stack, smallest: int) -> None:
    """RFC 791: 68; RFC 8200: 1280; else the headers and one byte of payload."""
    assert stack.minimum_mtu_bytes == smallest
    assert stack.payload_bytes(smallest) >= 1
    with pytest.raises(
        DomainError, match=f"^mtu_bytes must be at least {smallest} byte; got {smallest - 1}$"
    ):
        stack.payload_bytes(smallest - 1)


def test_a_datagram_needs_the_mtu_of_its_protocol() -> None:
    with pytest.raises(DomainError, match="mtu_bytes must be at least 1280 byte; got 1279"):
        udp_stack(ip_version=6).message_wire_bytes(100, 1279)


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Stack("ethernet/ipv4/tcp"), r"layers\[0\] must be a Layer; parse_stack reads a"),
        (lambda: Stack(None), "layers must be layers, or parse_stack for a text; got None"),
        (lambda: Hop("switch", 1500, "ethernet/ipv4/tcp"), "stack must be a Stack, as parse_stack"),
        (
            lambda: Hop("switch", "1500"),
            "hop switch: link_mtu_bytes must be one number; got '1500'",
        ),
        (lambda: PathMtu(1500), "hops must be hops from the sender to the receiver; got 1500"),
        (lambda: PathMtu([1500]), r"hops\[0\] must be a Hop; got 1500"),
        (lambda: tcp_stack().wire_bytes("1500"), "packet_bytes must be a number"),
        (lambda: tcp_stack().wire_bytes(1500, mtu_bytes="1500"), "mtu_bytes must be a number"),
        (lambda: tcp_stack().message_wire_bytes([30720, "x"], 1500), "message_bytes must be a num"),
    ],
)
def test_wrong_objects_are_refused_by_name(make: Callable[[], object], problem: str) -> None:
    with pytest.raises(DomainError, match=problem):
        make()


def test_the_padding_of_wireguard_needs_an_mtu() -> None:
    with pytest.raises(DomainError, match="give mtu_bytes"):
        parse_stack("ethernet/ipv4/udp/wireguard/ipv4/udp").wire_bytes(52)


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_senseless_stacks_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(DomainError, match=re.escape(reason)):
        parse_stack(text)


@pytest.mark.parametrize("text", ["ethernet/ipv4/udp", "ethernet/ipv4/udp/quic", "ethernet/ipv4"])
def test_what_sends_no_acknowledgement_has_none(text: str) -> None:
    with pytest.raises(DomainError, match="has no acknowledgements of a known size"):
        parse_stack(text).acknowledgement_wire_bytes(1500)


@pytest.mark.parametrize("text", ["ethernet/ipv4/tcp/tls", "ethernet/ipv4/esp/tcp"])
def test_the_overhead_of_records_and_blocks_depends_on_the_payload(text: str) -> None:
    with pytest.raises(DomainError, match=rf"the overhead of {text} depends on the payload"):
        _ = parse_stack(text).header_bytes


@pytest.mark.parametrize(
    ("text", "merges"),
    [
        ("ethernet/ipv4/tcp", True),
        ("ethernet/ipv4/tcp/tls/nvme-tcp", True),
        ("ethernet/ipv4/udp/quic", True),
        ("ethernet/ipv4/udp", False),
        ("ethernet/ipv4/tcp/iwarp", False),
        ("ethernet/rocev1/smcr", False),
    ],
)
def test_only_byte_streams_merge_messages(text: str, merges: bool) -> None:
    assert parse_stack(text).merges_messages is merges
    assert parse_stack(text).transport_notes == []


def test_a_stack_that_ends_before_the_transport_says_so() -> None:
    for last in ("ethernet", "ipv4"):
        notes = parse_stack(f"ethernet/ipv4/gre/{last}").transport_notes
        assert notes == [f"no transport header: all behind {last} counts as payload"]


def test_a_stack_takes_nothing_but_its_layers_along() -> None:
    """Its hash least of all, which is another in another process."""
    stack = parse_stack("ethernet/vlan/ipv4/tcp")
    copies = {stack: stack.minimum_mtu_bytes}
    loaded = pickle.loads(pickle.dumps(stack))
    assert vars(loaded) == {"layers": stack.layers, "preset": ""}
    assert copies[loaded] == loaded.minimum_mtu_bytes


def test_what_no_interface_has_is_refused() -> None:
    tunnel = parse_stack("ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp")
    with pytest.raises(DomainError, match="mtu_bytes must be at least 0 byte; got -1"):
        tunnel.outer_packet_bytes(1500, -1)
    with pytest.raises(DomainError, match="packet_bytes must be at least 0 byte; got -1"):
        tunnel.outer_packet_bytes(-1)
    with pytest.raises(DomainError, match="segment_bytes must be at least 0 byte; got -1"):
        tunnel.packet_bytes(-1)
    with pytest.raises(DomainError, match="an RDMA MTU is of rocev1, rocev2 or infiniband; got e"):
        mtu_of_rdma(1024, None, tunnel)
    with pytest.raises(DomainError, match="RDMA packets of 2048 byte are not modelled in "):
        mtu_of_rdma(2048, None, parse_stack("ethernet/ipv6+extension=40/udp/rocev2"))
    for given in (None, 1024 + 96):
        assert mtu_of_rdma(1024, given, parse_stack("ethernet/rocev1")) == 1024 + 96


def test_the_mtu_of_infiniband_is_that_of_its_payload() -> None:
    """Headers of 8 + 12 and check sequences of 4 + 2 around it, and nothing of Ethernet."""
    stack = parse_stack("infiniband")
    parts = [(each.name, each.bytes) for each in stack.full_frame_parts(4096)]
    headers = [("local_route_header", 8), ("base_transport_header", 12)]
    assert parts == [*headers, ("payload", 4096), ("icrc", 4), ("vcrc", 2)]
    assert mtu_of_rdma(4096, None, stack) == stack.segment_bytes(4096) == 4096
    assert (stack.minimum_mtu_bytes, stack.segment_bytes(4095)) == (256, 2048)
    assert stack.acknowledgement_wire_bytes() == 8 + 12 + 4 + 4 + 2
    routed = parse_stack("infiniband+grh+operation=send")
    assert routed.wire_bytes(routed.packet_bytes(256)) == 256 + 26 + 40
    assert line_ceiling(1e11, 4096, stack).layer_rates["layer2"] == 1e11


def test_the_longest_datagram_fills_the_length_field_where_ip_may_split_it() -> None:
    """65,535 less 20 + 8, or 8; in ESP 1450 - 20 - 8 - 8 - 16 = 1398, of which 1396 - 2 - 8."""
    stacks = map(parse_stack, ("ethernet/ipv4/udp", "ethernet/ipv6/udp", "ethernet/ipv4/esp/udp"))
    assert [each.longest_datagram_bytes(1450) for each in stacks] == [65507, 65527, 1386]
