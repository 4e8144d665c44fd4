"""Laws of messages over whole header stacks: what they take, what they carry, and how often."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from testing.strategies import (
    composed_stacks,
    ip_layers,
    link_layers,
    record_layers,
)

from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import Level, Stack, parse_stack, tcp

LARGEST_DATAGRAM_BYTES = 65507 - 40
MARKERS = parse_stack("ethernet/ipv4/tcp/mpa-markers/iwarp")
"""Markers fall every 512 bytes, so that full segments can need more of them than short ones."""
FRAGMENTS_V6 = parse_stack("ethernet/ipv6/udp")
"""A datagram that fits needs no fragment header, so that two can hold more than one."""
PADDED = parse_stack("ethernet/ipv4/esp/ipv4/tcp+timestamps")


def carries_messages(stack: Stack) -> bool:
    """UDP inside ESP is the one kind of stack that ends too early for messages."""
    return stack.protocols[-1] not in {"ipv4", "ipv6"} and stack.protocols[-2:] != ("esp", "udp")


message_stacks = composed_stacks().filter(carries_messages)


def message_sizes(stack: Stack) -> st.SearchStrategy[int]:
    largest = LARGEST_DATAGRAM_BYTES // 2 if stack.protocols[-1] == "udp" else 300_000
    return st.integers(1, 100) | st.integers(1, 12_000) | st.integers(1, largest)


@st.composite
def messages(draw: st.DrawFn) -> tuple[Stack, int, int]:
    """A stack, an MTU of its innermost interface and a message."""
    stack = draw(message_stacks)
    least = stack.minimum_mtu_bytes
    mtu = draw(st.integers(least, least + 100) | st.integers(least, 16_000))
    return stack, mtu, draw(message_sizes(stack))


def segments(stack: Stack, mtu: int, size: int) -> list[int]:
    """Cut off full segments until nothing is left; then what RDMA puts to the first and behind."""
    left, full = stack.stream_bytes(size), stack.segment_bytes(mtu)
    cut = []
    while left > full:
        cut.append(full)
        left -= full
    cut.append(left)
    if not {"rocev1", "rocev2"}.isdisjoint(stack.protocols):
        cut[0] += 16
    return cut + [44] * ("smcr" in stack.protocols)


def fragments(stack: Stack, mtu: int, size: int) -> list[int]:
    """Packets of a datagram: cut off multiples of 8 until what is left fits."""
    header = stack.inner_layers[0].header_bytes
    left = size + 8
    if left <= mtu - header:
        return [header + left]
    header += 8 if stack.inner_layers[0].protocol == "ipv6" else 0
    full = (mtu - header) // 8 * 8
    packets = []
    while left > mtu - header:
        packets.append(header + full)
        left -= full
    return [*packets, header + left]


def frames(stack: Stack, mtu: int, size: int) -> list[int]:
    """Bytes on the wire of each frame."""
    if stack.protocols[-1] == "udp":
        return [stack.wire_bytes(packet, mtu) for packet in fragments(stack, mtu, size)]
    packets = (stack.packet_bytes(segment) for segment in segments(stack, mtu, size))
    return [stack.wire_bytes(packet, mtu) for packet in packets]


@given(messages())
@example((MARKERS, 1500, 5000))
@example((FRAGMENTS_V6, 1280, 2464))
@example((FRAGMENTS_V6, 1501, 30720))
@example((parse_stack("ethernet/ipv4/udp/rocev2/smcr"), 1500, 30720))
@example((PADDED, 1447, 5000))
def test_a_message_is_the_sum_of_its_frames(case: tuple[Stack, int, int]) -> None:
    stack, mtu, size = case
    counted = frames(stack, mtu, size)
    assert stack.message_frame_count(size, mtu) == len(counted)
    assert stack.message_segment_count(size, mtu) == len(counted) - ("smcr" in stack.protocols)
    assert stack.message_wire_bytes(size, mtu) == sum(counted)


@st.composite
def unpadded_messages(draw: st.DrawFn) -> tuple[Stack, int, int]:
    """The smallest frame of TCP with timestamps has 14 + 20 + 32 + 1 + 4 = 71 bytes."""
    records = draw(st.lists(record_layers, max_size=1))
    stack = Stack((*draw(link_layers), draw(ip_layers), tcp(), *records))
    least = stack.minimum_mtu_bytes
    mtu = draw(st.integers(least, least + 100) | st.integers(least, 16_000))
    return stack, mtu, draw(message_sizes(stack))


@given(unpadded_messages(), st.integers(1, 4000), st.integers(1, 100_000))
def test_with_timestamps_the_laws_are_exact(
    case: tuple[Stack, int, int], more: int, other: int
) -> None:
    stack, mtu, size = case
    wire = stack.message_wire_bytes(size, mtu)
    both, second = (stack.message_wire_bytes(each, mtu) for each in (size + other, other))
    assert both <= wire + second
    assert stack.message_wire_bytes(size, mtu + more) <= wire
    ceiling = line_ceiling(25e9, mtu, stack)
    assert ceiling.message(size).efficiency_ratio <= ceiling.efficiency_ratio * (1 + 1e-15)
    separate_bps = ceiling.message(size).payload_rate_bps
    assert separate_bps <= ceiling.message(size).merged_payload_rate_bps * (1 + 1e-15)


def only_tcp_and_rdma_acknowledge(stack: Stack) -> bool:
    return not {"tcp", "rocev1", "rocev2"}.isdisjoint(stack.protocols)


@given(composed_stacks())
def test_an_acknowledgement_is_a_frame_of_the_innermost_transport_that_sends_any(
    stack: Stack,
) -> None:
    """It carries no payload over TCP, and the 4 bytes of its own header over RoCE."""
    mtu = stack.minimum_mtu_bytes
    if not only_tcp_and_rdma_acknowledge(stack):
        with pytest.raises(DomainError, match="no acknowledgements of a known size"):
            stack.acknowledgement_wire_bytes(mtu)
        return
    ends = [i for i, name in enumerate(stack.protocols) if name in {"tcp", "rocev1", "rocev2"}]
    answering = Stack(stack.layers[: ends[-1] + 1])
    content = 0 if answering.protocols[-1] == "tcp" else 4
    packet = answering.packet_bytes(content)
    assert stack.acknowledgement_wire_bytes(mtu) == answering.wire_bytes(packet, mtu)
    assert answering.layers[-1].level in {Level.TRANSPORT, Level.INTERNET}
