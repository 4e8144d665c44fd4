"""Laws of whole header stacks, whatever they are composed of."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from testing.strategies import composed_stacks, link_mtus

from netmodel.errors import DomainError
from netmodel.framing import Level, Part, Stack, parse_stack
from netmodel.framing.grammar import LAYERS
from netmodel.framing.lengths import RDMA_MTUS_BYTES

HEADERS_BYTES = {
    "ethernet": 14,
    "vlan": 4,
    "qinq": 4 + 4,
    "llc-snap": 3 + 5,
    "mpls": 4,
    "pppoe": 6 + 2,
    "ipv4": 20,
    "ipv6": 40,
    "tcp": 20,
    "udp": 8,
    "gre": 4,
    "vxlan": 8,
    "geneve": 8,
    "openvpn": 1 + 3 + 4 + 16,
}
"""IEEE 802.3, 802.1Q, 802.1ad; RFC 1042, 3032, 2516, 791, 8200, 9293, 768, 2784, 7348, 8926."""
FLAGS_BYTES = {
    "timestamps": 12,
    "checksum": 4,
    "key": 4,
    "sequence": 4,
    "sci": 8,
    "natt": 8,
    "untagged": 4,
    "header-digest": 4,
    "data-digest": 4,
}
"""RFC 7323, 2784, 2890, IEEE 802.1AE, RFC 3948; RFC 5041, RFC 7143."""
CIPHERS_BYTES = {
    "aes-gcm": (8, 4, 16),
    "chacha20-poly1305": (8, 4, 16),
    "aes-cbc-sha1": (16, 16, 12),
    "aes-cbc-sha256": (16, 16, 16),
}
"""Initialisation vector, block and check value: RFC 4106, 7634, 3602 with 2404 and 4868."""
RECORDS_BYTES = {
    "tls": (5 + 1 + 16, 16384, 1),
    "iscsi": (48, 8192, 4),
    "nvme-tcp": (24, 4096, 4),
}
"""Around a record, a full record and its unit: RFC 8446, RFC 7143, NVMe/TCP 1.0."""
NONCES_BYTES = {"1.3": 1, "1.2-aes-gcm": 8, "1.2-chacha20-poly1305": 0}
"""Content type or explicit nonce in a record of TLS: RFC 8446, 5288, 7905."""


def layer_bytes(written: str, content: int, mtu: int) -> int:
    """Length of one layer around its content, from its text and the standards alone."""
    name, *options = written.split("+")
    flags = sum(FLAGS_BYTES.get(option, 0) for option in options)
    counts = {key: value for key, _, value in (option.partition("=") for option in options)}
    lengths = int(counts.get("options") or 0) + int(counts.get("extension") or 0)
    match name:
        case "tcp":
            blocks = int(counts.get("sack") or 0)
            return 20 + flags + (4 + 8 * blocks if blocks else 0) + content
        case "macsec":
            return 8 + flags + content + 16
        case "rocev1" | "rocev2":
            return (40 if name == "rocev1" else 0) + 12 + content + -content % 4 + 4
        case "smcr":
            return content
        case "iwarp":
            return 2 + 14 + flags + content + -content % 4 + 4
        case "mpa-markers":
            return content + 4 * -(-content // 508)
        case "quic":
            return 1 + int(counts.get("cid", 8)) + 2 + 1 + 1 + 4 + content + 16
        case "tls" | "iscsi" | "nvme-tcp":
            around, record, unit = written_record(written)
            content += -content % unit
            return content + around * -(-content // record)
        case "wireguard":
            return 16 + min(content + -content % 16, mtu) + 16
        case "esp":
            vector, block, check = CIPHERS_BYTES[counts.get("suite", "aes-gcm")]
            vector = 0 if "implicit-iv" in options else vector
            return flags + 8 + vector + content + -(content + 2) % block + 2 + check
    return HEADERS_BYTES[name] + flags + lengths + content


def written_record(written: str) -> tuple[int, int, int]:
    """What stands around a record, what a full one holds, and the unit of its content."""
    name, *options = written.split("+")
    counts = {key: value for key, _, value in (option.partition("=") for option in options)}
    around, record, unit = RECORDS_BYTES[name]
    around += sum(FLAGS_BYTES.get(option, 0) for option in options)
    around += NONCES_BYTES[counts.get("version", "1.3")] - 1 if name == "tls" else 0
    sizes = [int(counts[key]) for key in ("record", "segment", "data") if key in counts]
    return around, *(sizes or [record]), unit


def nested_bytes(layers: list[str], content: int, mtu: int) -> int:
    """One layer after the other around a content that came through an interface of an MTU."""
    for written in reversed(layers):
        content, mtu = layer_bytes(written, content, mtu), layer_bytes(written, mtu, mtu)
    return content


def written_zones(stack: Stack) -> tuple[list[str], list[str], list[str]]:
    """Layers outside the outermost packet, between it and the innermost, and inside that."""
    layers = [layer for layer in str(stack).split("/") if not is_record(layer)]
    opens = [i for i, layer in enumerate(layers) if re.match("ipv4|ipv6|rocev1", layer)]
    return layers[: opens[0]], layers[opens[0] : opens[-1]], layers[opens[-1] :]


def is_record(written: str) -> bool:
    return written.partition("+")[0] in RECORDS_BYTES


def written_records(stack: Stack) -> list[str]:
    """Layers that cut the byte stream into records."""
    return [layer for layer in str(stack).split("/") if is_record(layer)]


def mean_share(stack: Stack) -> Fraction:
    """Payload in each byte of a long stream of full records."""
    share = Fraction(1)
    for written in written_records(stack):
        around, record, _ = written_record(written)
        share *= Fraction(record, record + around)
    return share


@st.composite
def stacks_on_links(draw: st.DrawFn) -> tuple[Stack, int]:
    """A stack, and the MTU of a link that it runs over."""
    stack = draw(composed_stacks())
    return stack, draw(link_mtus(stack))


def full_packet(stack: Stack, link_mtu: int) -> tuple[int, int, int]:
    """MTU inside, segment of a full packet and the packet, which padding can leave shorter."""
    mtu = stack.mtu_bytes(link_mtu)
    segment = stack.segment_bytes(mtu)
    return mtu, segment, stack.packet_bytes(segment)


def unless_refused(function: Callable[[Any], Any], argument: object) -> Any:
    """What a function gives, or None where it refuses its argument."""
    try:
        return function(argument)
    except DomainError:
        return None


def is_roce(stack: Stack) -> bool:
    return not {"rocev1", "rocev2"}.isdisjoint(stack.protocols)


@given(composed_stacks())
def test_text_and_stack_are_two_forms_of_the_same(stack: Stack) -> None:
    again = parse_stack(str(stack))
    assert again == stack
    assert str(again) == str(stack)
    assert parse_stack(f" {stack}\n") == stack


@given(composed_stacks(), st.integers(0, 100) | st.integers(0, 60_000), st.integers(0, 100))
@example(parse_stack("ethernet/ipv4/tcp/mpa-markers/iwarp"), 488, 0)
@example(parse_stack("ethernet/ipv4/tcp/mpa-markers/iwarp"), 489, 0)
def test_a_stack_is_as_long_as_its_text_says(stack: Stack, payload: int, spare: int) -> None:
    link, tunnel, inner = written_zones(stack)
    packet = nested_bytes(inner, payload, payload)
    outer = nested_bytes(tunnel, packet, packet + spare)
    frame = max(64, nested_bytes(link, outer, outer) + 4)
    assert stack.packet_bytes(payload) == packet
    assert stack.outer_packet_bytes(packet, packet + spare) == outer
    assert stack.frame_bytes(packet, packet + spare) == frame
    assert stack.wire_bytes(packet, packet + spare) == frame + 20


@given(composed_stacks(), st.integers(0, 100) | st.integers(0, 60_000))
@example(parse_stack("ethernet/ipv4/tcp/tls/nvme-tcp"), 16385)
def test_a_stream_is_as_long_as_its_records_say(stack: Stack, payload: int) -> None:
    assert stack.stream_bytes(payload) == nested_bytes(written_records(stack), payload, payload)


@given(stacks_on_links())
def test_the_payload_of_a_full_packet_is_a_mean_over_full_records(case: tuple[Stack, int]) -> None:
    stack, link_mtu = case
    mtu, segment, _ = full_packet(stack, link_mtu)
    payload = stack.payload_bytes(mtu)
    assert payload == pytest.approx(float(segment * mean_share(stack)), rel=1e-12)
    assert (payload == segment) == (not written_records(stack))


@given(stacks_on_links())
def test_the_mtu_inside_is_that_of_the_largest_packet_that_fits(case: tuple[Stack, int]) -> None:
    """Padding that stops at the MTU of an interface does so at the MTU that is asked about."""
    stack, link_mtu = case
    mtu = stack.mtu_bytes(link_mtu)
    assert stack.outer_packet_bytes(mtu, mtu) <= link_mtu
    assert stack.outer_packet_bytes(mtu + 1, mtu + 1) > link_mtu


@given(stacks_on_links())
def test_the_segment_of_a_full_packet_is_the_largest_that_fits(case: tuple[Stack, int]) -> None:
    """With records, what a packet carries is payload and the headers of records."""
    stack, link_mtu = case
    assume(not is_roce(stack))
    mtu, segment, packet = full_packet(stack, link_mtu)
    assert segment >= 1
    assert packet <= mtu < stack.packet_bytes(segment + 1)


@given(composed_stacks().filter(is_roce), st.sampled_from(RDMA_MTUS_BYTES), st.integers(0, 200))
@example(parse_stack("ethernet/ipv6/esp/udp/rocev2"), 2048, 0)
def test_the_payload_of_a_full_rdma_packet_fits_too(stack: Stack, size: int, spare: int) -> None:
    """It need not be the largest: the RDMA MTU has five values and leaves 96 bytes to headers."""
    mtu = size + 96 + spare
    payload = unless_refused(stack.payload_bytes, mtu)
    assume(payload is not None)
    assert payload in RDMA_MTUS_BYTES
    assert payload <= mtu - 96
    assert stack.packet_bytes(payload) <= mtu


def carried(parts: tuple[Part, ...]) -> tuple[float, float]:
    """Payload, and the payload together with the headers of its records."""
    [payload] = (part.bytes for part in parts if part.name == "payload")
    return payload, payload + sum(part.bytes for part in parts if part.name.endswith("_records"))


@given(stacks_on_links())
@example((parse_stack("ethernet/ipv4/esp+suite=aes-cbc-sha1/udp/rocev2"), 1399))
def test_parts_of_a_full_frame_add_up_to_the_wire(case: tuple[Stack, int]) -> None:
    stack, link_mtu = case
    mtu, segment, packet = full_packet(stack, link_mtu)
    parts = stack.full_frame_parts(mtu)
    assert carried(parts) == pytest.approx((stack.payload_bytes(mtu), segment), rel=1e-12)
    total = sum(part.bytes for part in parts)
    assert total == pytest.approx(stack.wire_bytes(packet, mtu), rel=1e-12)
    assert isinstance(total, int) or stack.record_layers
    assert all(part.bytes > 0 for part in parts)


@given(stacks_on_links())
def test_parts_stand_in_the_order_of_the_layers(case: tuple[Stack, int]) -> None:
    """Headers from the outermost layer inwards, then the payload, then trailers outwards.

    Headers and trailers of records are one part each: a record ends where it ends.
    """
    stack, link_mtu = case
    named = [part.name for part in stack.full_frame_parts(stack.mtu_bytes(link_mtu))]
    place = named.index("payload")
    records = [layer.partition("+")[0].replace("-", "_") for layer in written_records(stack)]
    around = [layer for layer in stack.layers if layer.level is not Level.RECORDS]
    assert named[:place] == [
        *("preamble", "sfd"),
        *(part.name for layer in around for part in layer.header),
        *(f"{name}_records" for name in records),
    ]
    trailers = [name for name in named[place + 1 :] if not name.endswith("padding")]
    assert trailers == [
        *(part.name for layer in reversed(around) for part in layer.trailer),
        *("fcs", "interframe_gap"),
    ]


@given(composed_stacks(), st.data())
def test_arrays_are_their_elements(stack: Stack, data: st.DataObject) -> None:
    link_mtus_bytes = data.draw(st.lists(link_mtus(stack), min_size=1, max_size=5))
    mtus = stack.mtu_bytes(np.array(link_mtus_bytes))
    segments = stack.segment_bytes(mtus)
    packets = stack.packet_bytes(segments)
    singles = [full_packet(stack, size) for size in link_mtus_bytes]
    assert list(zip(mtus, segments, packets, strict=True)) == singles
    payloads = [stack.payload_bytes(each[0]) for each in singles]
    assert stack.payload_bytes(mtus).tolist() == payloads
    for length in (stack.outer_packet_bytes, stack.frame_bytes, stack.wire_bytes):
        assert length(packets, mtus).tolist() == [length(each[2], each[0]) for each in singles]


CHARACTERS = st.sampled_from("/+=-_ 0123456789aeinptv4\n²é") | st.characters()


@st.composite
def mutated_texts(draw: st.DrawFn) -> str:
    """A few characters or words of a proper text are left out, put in, doubled or swapped."""
    text = str(draw(composed_stacks()))
    for _ in range(draw(st.integers(1, 3))):
        words = re.split(r"([/+=])", text) if draw(st.booleans()) else list(text)
        place, to = (draw(st.integers(0, max(0, len(words) - 1))) for _ in range(2))
        change = draw(st.sampled_from(["cut", "put", "double", "swap"]))
        if change == "put":
            words.insert(place, draw(CHARACTERS | st.sampled_from([*LAYERS, *FLAGS_BYTES])))
        elif words and change == "cut":
            del words[place]
        elif words and change == "double":
            words.insert(place, words[place])
        elif words:
            words[place], words[to] = words[to], words[place]
        text = "".join(words)
    return text


@given(mutated_texts() | st.text(CHARACTERS))
@settings(max_examples=300)
def test_any_text_is_a_stack_or_a_domain_error(text: str) -> None:
    stack = unless_refused(parse_stack, text)
    if stack is not None:
        assert isinstance(stack, Stack)
        assert parse_stack(str(stack)) == stack
