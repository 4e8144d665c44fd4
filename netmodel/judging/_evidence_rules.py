"""What netmodel computes for a published statement, one rule for each sort of claim."""

from collections.abc import Callable
from math import inf

from netmodel.consumption import consumption_ratio
from netmodel.judging._computed import (
    Computed,
    base_of_unit,
    change_in_words,
    exactly,
    size_in_words,
)
from netmodel.judging._evidence_book import Book, tcp_ceiling
from netmodel.judging._evidence_tables import differences_summed_up, layer_differences, table_ranges
from netmodel.records import Change, Relation, StatedQuantity, Statement, half_step
from netmodel.tuning import pages_per_packet_count
from netmodel.units import parse_rate_bps

__all__ = ["RULES", "why_not_modelled"]

Q = StatedQuantity
_GIGA = 1e9
_BUFFER_BYTES = 64 * 1024
_KIB = 1024
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


def _header_sizes(told: Statement, _: Book) -> Computed | None:
    """Named parts of a frame."""
    name = _PART_NAMES.get((str(told.subject.layer), str(told.subject.item)))
    if told.quantity not in (Q.HEADER_SIZE, Q.OVERHEAD_SIZE) or name is None:
        return None
    sizes = {part.name: part.bytes for part in tcp_ceiling(1, 1500).parts}
    return size_in_words(
        told, [sizes[name]], f"part {name} of a frame of TCP with timestamps over IPv4"
    )


def _frame_sums(told: Statement, _: Book) -> Computed | None:
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


def _line_ceilings(told: Statement, _: Book) -> Computed | None:
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


def _consumption_examples(told: Statement, _: Book) -> Computed | None:
    """What the worked examples on consumption come to."""
    ratios = [told.given.get(name) for name in ("cpu_time_ratio", "data_ratio")]
    if told.quantity is not Q.CPU_CONSUMPTION or None in ratios:
        return None
    ratio = float(consumption_ratio(*(float(str(value)) for value in ratios)))
    return change_in_words(told, ratio, ratio, "consumption_ratio of the two given ratios")


def _masks(told: Statement, _: Book) -> Computed | None:
    """The mask of processors that the text names."""
    cpus = told.given.get("cpus")
    if told.quantity is not Q.CPU_MASK or not isinstance(cpus, tuple) or not cpus:
        return None
    mask = sum(1 << int(str(cpu)) for cpu in cpus)
    return exactly(mask, told, f"one bit for each of the processors named, {mask:#x} and {mask:#b}")


def _pages(told: Statement, _: Book) -> Computed | None:
    """Pages of 4 KiB that a packet fills."""
    mtu_bytes = told.subject.mtu_bytes
    if told.quantity is not Q.PAGE_COUNT or mtu_bytes is None:
        return None
    count = float(pages_per_packet_count(mtu_bytes))
    return exactly(count, told, f"pages of 4 KiB for a packet of {mtu_bytes} byte")


def _threads(told: Statement, _: Book) -> Computed | None:
    """Hardware threads of so many cores."""
    factors = [told.given.get(name) for name in ("cores", "threads_per_core")]
    if told.quantity is not Q.THREAD_COUNT or None in factors:
        return None
    cores, threads_per_core = (float(str(value)) for value in factors)
    return exactly(cores * threads_per_core, told, "cores times threads of a core")


def _packets(told: Statement, _: Book) -> Computed | None:
    """Packets of a message."""
    size, mtu_bytes = told.given.get("message_bytes"), told.subject.mtu_bytes
    if told.quantity is not Q.PACKET_COUNT or size is None or mtu_bytes is None:
        return None
    count = tcp_ceiling(1, mtu_bytes).message(int(str(size))).frame_count
    return exactly(count, told, f"frames of a message of {size} byte at MTU {mtu_bytes}")


def _buffers(told: Statement, _: Book) -> Computed | None:
    """Memory of so many buffers of 64 KiB."""
    count = told.given.get("buffer_count")
    if told.quantity is not Q.BUFFER_MEMORY or count is None:
        return None
    total_bytes = int(str(count)) * _BUFFER_BYTES
    readings = [total_bytes, total_bytes * 1e6 / 2**20] if told.unit == "MB" else [total_bytes]
    return size_in_words(told, readings, f"{count} buffers of 64 KiB")


def _doubled_buffer(told: Statement, book: Book) -> Computed | None:
    """A buffer size against twice the default that is printed elsewhere."""
    is_size = told.quantity is Q.BUFFER_SIZE and told.unit == "byte"
    default = [
        other
        for other in book.statements
        if other.source == told.source and other.quantity is Q.BUFFER_SIZE and other.unit == "Kb"
    ]
    if not is_size or not default or default[0].value is None:
        return None
    doubled = 2 * float(default[0].value) * _KIB
    return size_in_words(told, [doubled], f"twice the default of {default[0].value} KiB")


def _short_counters(told: Statement, book: Book) -> Computed | None:
    """A counter in GB against the same counter in bytes."""
    if told.quantity is not Q.BYTE_COUNT or told.unit != "GB":
        return None
    for other in book.statements:
        same = (other.source, other.subject) == (told.source, told.subject)
        if same and other.quantity is Q.BYTE_COUNT and other.unit == "bytes" and other.value:
            return size_in_words(
                told, [float(other.value)], f"{other.value} byte, printed beside it"
            )
    return None


def _throughput_from_latency(told: Statement, book: Book) -> Computed | None:
    """Throughput gain of a closed workload from what its latency loses: Little's law."""
    key = (told.source, told.locator, told.subject, told.baseline)
    partner = book.partners.get(key)
    if told.quantity is not Q.THROUGHPUT or told.change is not Change.MORE or told.unit != "%":
        return None
    if partner is None or partner.value is None or partner.relation is Relation.RANGE:
        return None
    if told.subject.workload is None or float(partner.value) >= 100:
        return None
    half = float(half_step(partner.value))
    reduced = [(float(partner.value) + shift) / 100 for shift in (-half, half)]
    if partner.relation is Relation.AT_LEAST:
        reduced = [reduced[0], 1.0]
    low, high = (1 / (1 - part) if part < 1 else inf for part in reduced)
    return change_in_words(
        told,
        low,
        high,
        f"1 / (1 - {partner.value} %) by Little's law, from {partner.id}: without think time the "
        "connections wait for the answers all the time",
    )


def _rate_ratios(told: Statement, book: Book) -> Computed | None:
    """Throughput of one adapter against another where both met a limit that is stated."""
    subject, baseline = told.subject, told.baseline
    if told.quantity is not Q.THROUGHPUT or baseline is None or told.change is None:
        return None
    if subject.adapter is None or baseline.adapter is None or subject.workload is None:
        return None
    if subject.mtu_bytes is None:
        return None
    first, second = (
        book.rate_gbps(name, subject, "in") for name in (subject.adapter, baseline.adapter)
    )
    if first is None or second is None:
        return None
    ratios = first[0] / second[1], first[1] / second[0]
    how = f"{first[2]} over {second[2]}"
    return change_in_words(told, *ratios, how)


RULES: tuple[tuple[str, Callable[[Statement, Book], Computed | None]], ...] = (
    ("framing", _header_sizes),
    ("framing", _frame_sums),
    ("framing", _packets),
    ("ceiling", _line_ceilings),
    ("ceiling", _rate_ratios),
    ("arithmetic", _consumption_examples),
    ("arithmetic", _threads),
    ("arithmetic", _pages),
    ("notation", _masks),
    ("notation", _buffers),
    ("notation", _doubled_buffer),
    ("notation", _short_counters),
    ("littles_law", _throughput_from_latency),
    ("summary", table_ranges),
    ("summary", layer_differences),
)
"""What a claim is held against, and the rule that computes it."""


_REASONS = (
    (
        {Q.CPU_CONSUMPTION, Q.CPU_TIME, Q.CPU_EFFICIENCY, Q.CPU_UTILISATION},
        "needs the CPU cost of hosts and adapters, of which the documents print ratios only",
    ),
    ({Q.TRANSACTION_TIME}, "needs stage times and concurrency"),
    ({Q.LATENCY}, "needs the round trip and the windows of both transports"),
    ({Q.GAIN}, "names no quantity that could be computed"),
    (
        {Q.THROUGHPUT, Q.PAYLOAD_RATE, Q.TRANSACTION_RATE},
        "needs the adapter, host or path that it is about as a model",
    ),
    ({Q.DROP_COUNT, Q.ERROR_COUNT, Q.PACKET_COUNT, Q.BYTE_COUNT}, "is one counter of one host"),
)


def why_not_modelled(told: Statement, book: Book) -> str:
    """What is missing to compute a statement."""
    found = differences_summed_up(told, book)
    if found is not None:
        values, _, how = found
        spread = f"{values.min():g} to {values.max():g} %"
        return f"no figure says how near 'the same' is; {how} print {spread}"
    for quantities, reason in _REASONS:
        if told.quantity in quantities:
            return reason
    return "describes what was set up, printed or counted; nothing is computed for it"
