"""Frames, packets and lines that documents state, by the rules of framing."""

from netmodel.judging._evidence._book import Book, tcp_ceiling
from netmodel.judging._evidence._computed import (
    Computed,
    base_of_unit,
    change_in_words,
    exactly,
    size_in_words,
)
from netmodel.records import StatedQuantity, Statement
from netmodel.tuning import pages_per_packet_count
from netmodel.units import parse_rate_bps

__all__ = [
    "fewer_packets",
    "frame_sums",
    "header_sizes",
    "line_ceilings",
    "packets",
    "pages",
    "smaller_hop",
]

Q = StatedQuantity
_PART_NAMES = {
    ("ethernet", "header"): "ethernet_header",
    ("ethernet", "CRC"): "fcs",
    ("ipv4", "header"): "ipv4_header",
    ("tcp", "header"): "tcp_header",
    ("tcp", "options"): "tcp_timestamps",
    ("ethernet", "preamble"): "preamble",
    ("ethernet", "SFD"): "sfd",
    ("ethernet", "IFG"): "interframe_gap",
}
_LARGER_PACKETS = "larger packet size"
_SMALLER_HOP = "path with a hop of smaller MTU"
_PAGE = "physical memory page"


def header_sizes(told: Statement, _: Book) -> Computed | None:
    """Named parts of a frame."""
    name = _PART_NAMES.get((str(told.subject.layer), str(told.subject.item)))
    if told.quantity not in (Q.HEADER_SIZE, Q.OVERHEAD_SIZE) or name is None:
        return None
    sizes = {part.name: part.bytes for part in tcp_ceiling(1, 1500).parts}
    return size_in_words(
        told, [sizes[name]], f"part {name} of a frame of TCP with timestamps over IPv4"
    )


def frame_sums(told: Statement, _: Book) -> Computed | None:
    """Overhead, payload and their ratio in a full frame."""
    subject = told.subject
    if subject.mtu_bytes is None or subject.transport != "tcp" or subject.adapter:
        return None
    ceiling = tcp_ceiling(1, subject.mtu_bytes)
    how = f"a full frame at MTU {subject.mtu_bytes}"
    if told.quantity is Q.PAYLOAD_RATIO:
        return exactly(ceiling.efficiency_ratio, told, how)
    sizes = {Q.OVERHEAD_SIZE: ceiling.overhead_bytes, Q.PAYLOAD_SIZE: ceiling.payload_bytes}
    return size_in_words(told, [sizes[told.quantity]], how) if told.quantity in sizes else None


def line_ceilings(told: Statement, _: Book) -> Computed | None:
    """Payload rate of a line."""
    subject = told.subject
    if told.quantity is not Q.PAYLOAD_RATE or subject.adapter or subject.line_rate is None:
        return None
    if subject.mtu_bytes is None:
        return None
    ceiling = tcp_ceiling(parse_rate_bps(subject.line_rate), subject.mtu_bytes)
    in_unit_bps = base_of_unit(told, parse_rate_bps)
    if in_unit_bps is None:
        return None
    return exactly(ceiling.payload_rate_bps / in_unit_bps, told, "payload ceiling of the line")


def packets(told: Statement, _: Book) -> Computed | None:
    """Packets of a message."""
    size, mtu_bytes = told.given.get("message_bytes"), told.subject.mtu_bytes
    if told.quantity is not Q.PACKET_COUNT or size is None or mtu_bytes is None:
        return None
    count = tcp_ceiling(1, mtu_bytes).message(int(str(size))).frame_count
    return exactly(count, told, f"frames of a message of {size} byte at MTU {mtu_bytes}")


def pages(told: Statement, book: Book) -> Computed | None:
    """Pages of 4 KiB that a packet fills."""
    mtu_bytes = told.subject.mtu_bytes
    if told.quantity is not Q.PAGE_COUNT or mtu_bytes is None:
        return None
    count = float(pages_per_packet_count(mtu_bytes))
    used = [one.id for one in book.others(told, quantity=Q.MEMORY_SIZE, setting=_PAGE)]
    return exactly(count, told, f"pages of 4 KiB for a packet of {mtu_bytes} byte", used)


def fewer_packets(told: Statement, book: Book) -> Computed | None:
    """Packets of a large message at the larger of two MTUs that are compared."""
    subject, baseline = told.subject, told.baseline
    is_packets = told.quantity is Q.PACKET_COUNT and baseline is not None
    if not is_packets or subject.setting != _LARGER_PACKETS:
        return None
    found = _compared_mtus(told, book)
    if found is None:
        return None
    large, small = found
    (size,) = (
        int(1000 * other.value)
        for other in book.others(told, quantity=Q.PAYLOAD_SIZE, unit="K bytes")
        if other.value is not None
    )
    counts = [tcp_ceiling(1, mtu).message(size).frame_count for mtu in (large, small)]
    how = f"{counts[0]:g} rather than {counts[1]:g} frames for 30 kB at MTU {large} and {small}"
    return change_in_words(told, counts[0] / counts[1], counts[0] / counts[1], how)


def smaller_hop(told: Statement, book: Book) -> Computed | None:
    """Payload of a packet where a hop has the smaller of two MTUs that are compared."""
    if told.quantity is not Q.PAYLOAD_SIZE or told.subject.setting != _SMALLER_HOP:
        return None
    found = _compared_mtus(told, book)
    if found is None:
        return None
    payloads = [tcp_ceiling(1, mtu).payload_bytes for mtu in sorted(found)]
    how = (
        f"{payloads[0]:g} byte with a hop of MTU {min(found)} on a path of MTU {max(found)}, "
        f"{payloads[1]:g} without"
    )
    return change_in_words(told, payloads[0] / payloads[1], payloads[0] / payloads[1], how)


def _compared_mtus(told: Statement, book: Book) -> tuple[int, int] | None:
    """The larger and the smaller MTU that the document says to have compared."""
    stated = {
        setting: [int(other.value) for other in book.others(told, setting=setting) if other.value]
        for setting in ("mtu, large, tested", "mtu, normal")
    }
    large, small = stated.values()
    return (large[0], small[0]) if large and small else None
