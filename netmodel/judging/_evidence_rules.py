"""What netmodel computes for a published statement, one rule for each sort of claim."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from math import inf
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel.ceilings import LineCeiling, line_ceiling
from netmodel.consumption import consumption_ratio
from netmodel.errors import NetmodelError, UnitError
from netmodel.framing import tcp_stack
from netmodel.records import (
    Change,
    Configuration,
    Dataset,
    Relation,
    StatedQuantity,
    Statement,
    Workload,
    adapter,
    workload,
)
from netmodel.units import parse_rate_bps, parse_size_bytes

__all__ = ["RULES", "Book", "Computed", "half_step", "why_not_modelled"]

Q = StatedQuantity
Floats: TypeAlias = npt.NDArray[np.float64]
_GIGA = 1e9
_LINE = "line"
_LINE_RATES = frozenset({Q.THROUGHPUT, Q.PAYLOAD_RATE})
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
_COLUMNS = {
    Q.THROUGHPUT: ("transaction_rate_tps", "data_rate_mb_per_s"),
    Q.TRANSACTION_RATE: ("transaction_rate_tps",),
    Q.CPU_TIME: ("total_cpu_ms_per_transaction", "total_cpu_ms_per_mb"),
    Q.CPU_TIME_PER_TRANSACTION: ("total_cpu_ms_per_transaction",),
    Q.CPU_CONSUMPTION: ("total_cpu_ms_per_mb",),
}
_VSWITCH_DATASET = "zvm-layer2-layer3"


def half_step(figure: Decimal) -> Decimal:
    """Half of one in the last printed digit."""
    return Decimal(5).scaleb(int(figure.as_tuple().exponent) - 1)


@dataclass(frozen=True, slots=True)
class Computed:
    """
    An interval that was computed for a statement.

    Parameters
    ----------
    low, high : float
        In the unit of the statement.
    unit : str
        That unit.
    how : str
        From what, in a sentence.
    is_spread : bool
        Whether every value of the interval occurs, so that a printed range has
        to hold them all; otherwise the truth is one of them.
    text : str
        What to print in place of the interval.
    """

    low: float
    high: float
    unit: str
    how: str
    is_spread: bool = False
    text: str = ""

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else self.unit
        if self.text or self.low == self.high:
            return f"{self.text or format(self.low, '.6g')} {unit}".strip()
        high = "more" if self.high == inf else f"{self.high:.4g}"
        return f"{self.low:.4g} to {high} {unit}".strip()


@dataclass(frozen=True)
class Book:
    """
    All statements and datasets, which rules look things up in.

    Parameters
    ----------
    statements : sequence of Statement
        Of all documents.
    datasets : sequence of Dataset
        Measured tables.
    """

    statements: Sequence[Statement]
    datasets: Sequence[Dataset]

    def is_input(self, told: Statement) -> bool:
        """Whether ratios are computed from this limit of an adapter."""
        subject = told.subject
        is_limit = told.quantity is Q.PAYLOAD_RATE and subject.adapter is not None
        is_streaming = subject.workload in (None, "str-writex30k")
        return is_limit and (told.unit == _LINE or is_streaming)

    def rate_gbps(
        self, name: str, subject: Configuration, direction: str
    ) -> tuple[float, float, str] | None:
        """Payload rate of an adapter that documents state, as a limit or as that of the line."""
        found = [
            told
            for told in self.statements
            if told.quantity is Q.PAYLOAD_RATE
            and told.subject.adapter == name
            and told.subject.direction in (None, direction)
            and _covers(told.subject, subject)
        ]
        if any(told.unit == _LINE for told in found):
            low, high = _line_gbps(name, subject)
            return low, high, f"the line's payload ceiling for {name}"
        figures = [told for told in found if told.unit == "Gbit/s" and told.interval]
        if not figures:
            return None
        lows, highs = zip(*(told.interval for told in figures if told.interval), strict=True)
        printed = figures[0].value
        return float(max(lows)), float(min(highs)), f"the {printed} Gbit/s printed for {name}"

    @cached_property
    def partners(self) -> dict[tuple[Any, ...], Statement]:
        """Statements on latency by what they are about."""
        return {
            (told.source, told.locator, told.subject, told.baseline): told
            for told in self.statements
            if told.quantity is Q.LATENCY and told.interval and told.change is Change.LESS
        }

    def table(self, name: str) -> Any:
        """A table of the measured comparison."""
        for one in self.datasets:
            if one.id == _VSWITCH_DATASET:
                return one.tables[name]
        return None


def _header_sizes(told: Statement, _: Book) -> Computed | None:
    """Named parts of a frame."""
    name = _PART_NAMES.get((str(told.subject.layer), str(told.subject.item)))
    if told.quantity not in (Q.HEADER_SIZE, Q.OVERHEAD_SIZE) or name is None:
        return None
    sizes = {part.name: part.bytes for part in _tcp_ceiling(1, 1500).parts}
    return _size(told, [sizes[name]], f"part {name} of a frame of TCP with timestamps over IPv4")


def _frame_sums(told: Statement, _: Book) -> Computed | None:
    """Overhead, payload and their ratio in a full frame."""
    subject = told.subject
    if subject.mtu_bytes is None or subject.transport != "tcp" or subject.adapter:
        return None
    ceiling = _tcp_ceiling(1, subject.mtu_bytes)
    how = f"a full frame at MTU {subject.mtu_bytes}"
    if told.quantity is Q.PAYLOAD_RATIO:
        return _exactly(ceiling.efficiency_ratio, told, how)
    sizes = {Q.OVERHEAD_SIZE: ceiling.overhead_bytes, Q.PAYLOAD_SIZE: ceiling.payload_bytes}
    return _size(told, [sizes[told.quantity]], how) if told.quantity in sizes else None


def _line_ceilings(told: Statement, _: Book) -> Computed | None:
    """Payload rate of a line."""
    subject = told.subject
    if told.quantity is not Q.PAYLOAD_RATE or subject.adapter or subject.line_rate is None:
        return None
    if subject.mtu_bytes is None:
        return None
    ceiling = _tcp_ceiling(parse_rate_bps(subject.line_rate), subject.mtu_bytes)
    in_unit_bps = _base_of_unit(told, parse_rate_bps)
    if in_unit_bps is None:
        return None
    return _exactly(ceiling.payload_rate_bps / in_unit_bps, told, "payload ceiling of the line")


def _consumption_examples(told: Statement, _: Book) -> Computed | None:
    """What the worked examples on consumption come to."""
    ratios = [told.given.get(name) for name in ("cpu_time_ratio", "data_ratio")]
    if told.quantity is not Q.CPU_CONSUMPTION or None in ratios:
        return None
    ratio = float(consumption_ratio(*(float(str(value)) for value in ratios)))
    return _change(told, ratio, ratio, "consumption_ratio of the two given ratios")


def _masks(told: Statement, _: Book) -> Computed | None:
    """The mask of processors that the text names."""
    cpus = told.given.get("cpus")
    if told.quantity is not Q.CPU_MASK or not isinstance(cpus, tuple) or not cpus:
        return None
    mask = sum(1 << int(str(cpu)) for cpu in cpus)
    return _exactly(
        mask, told, f"one bit for each of the processors named, {mask:#x} and {mask:#b}"
    )


def _threads(told: Statement, _: Book) -> Computed | None:
    """Hardware threads of so many cores."""
    factors = [told.given.get(name) for name in ("cores", "threads_per_core")]
    if told.quantity is not Q.THREAD_COUNT or None in factors:
        return None
    cores, threads_per_core = (float(str(value)) for value in factors)
    return _exactly(cores * threads_per_core, told, "cores times threads of a core")


def _packets(told: Statement, _: Book) -> Computed | None:
    """Packets of a message."""
    size, mtu_bytes = told.given.get("message_bytes"), told.subject.mtu_bytes
    if told.quantity is not Q.PACKET_COUNT or size is None or mtu_bytes is None:
        return None
    count = _tcp_ceiling(1, mtu_bytes).message(int(str(size))).frame_count
    return _exactly(count, told, f"frames of a message of {size} byte at MTU {mtu_bytes}")


def _buffers(told: Statement, _: Book) -> Computed | None:
    """Memory of so many buffers of 64 KiB."""
    count = told.given.get("buffer_count")
    if told.quantity is not Q.BUFFER_MEMORY or count is None:
        return None
    total_bytes = int(str(count)) * _BUFFER_BYTES
    readings = [total_bytes, total_bytes * 1e6 / 2**20] if told.unit == "MB" else [total_bytes]
    return _size(told, readings, f"{count} buffers of 64 KiB")


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
    return _size(told, [doubled], f"twice the default of {default[0].value} KiB")


def _short_counters(told: Statement, book: Book) -> Computed | None:
    """A counter in GB against the same counter in bytes."""
    if told.quantity is not Q.BYTE_COUNT or told.unit != "GB":
        return None
    for other in book.statements:
        same = (other.source, other.subject) == (told.source, told.subject)
        if same and other.quantity is Q.BYTE_COUNT and other.unit == "bytes" and other.value:
            return _size(told, [float(other.value)], f"{other.value} byte, printed beside it")
    return None


def _throughput_from_latency(told: Statement, book: Book) -> Computed | None:
    """Throughput gain of a closed workload from what its latency loses: Little's law."""
    key = (told.source, told.locator, told.subject, told.baseline)
    partner = book.partners.get(key)
    if told.quantity is not Q.THROUGHPUT or told.change is not Change.MORE or told.unit != "%":
        return None
    if partner is None or partner.value is None or partner.relation is Relation.RANGE:
        return None
    if "workload" not in str(told.subject) or float(partner.value) >= 100:
        return None
    half = float(half_step(partner.value))
    reduced = [(float(partner.value) + shift) / 100 for shift in (-half, half)]
    if partner.relation is Relation.AT_LEAST:
        reduced = [float(partner.value) / 100, 1.0]
    low, high = (1 / (1 - part) if part < 1 else inf for part in reduced)
    return _change(
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
    return _change(told, *ratios, how)


def _table_ranges(told: Statement, book: Book) -> Computed | None:
    """What the printed percentages of the measured tables range over."""
    found = _differences(told, book)
    if found is None or told.change is Change.SAME:
        return None
    values, half_widths, how = found
    if told.relation is Relation.SIGN:
        text = f"{values.min():g} to {values.max():g}"
        low, high = (values + half_widths).min(), (values - half_widths).max()
        return Computed(low, high, "%", f"{how}, each within its rounding", True, text)
    ratios = 1 + values / 100
    found_change = _change(told, ratios.min(), ratios.max(), how)
    return found_change and replace(found_change, is_spread=True)


RULES: tuple[Callable[[Statement, Book], Computed | None], ...] = (
    _header_sizes,
    _frame_sums,
    _line_ceilings,
    _consumption_examples,
    _masks,
    _threads,
    _packets,
    _buffers,
    _doubled_buffer,
    _short_counters,
    _throughput_from_latency,
    _rate_ratios,
    _table_ranges,
)


_REASONS = (
    (
        {Q.CPU_CONSUMPTION, Q.CPU_TIME, Q.CPU_EFFICIENCY, Q.CPU_UTILISATION},
        "needs the CPU cost of hosts and adapters, of which the documents print ratios only",
    ),
    ({Q.TRANSACTION_TIME}, "needs stage times and concurrency"),
    ({Q.LATENCY}, "needs the round trip and the windows of both transports"),
    (
        {Q.THROUGHPUT, Q.PAYLOAD_RATE, Q.TRANSACTION_RATE, Q.GAIN},
        "needs the adapter, host or path that it is about as a model",
    ),
    ({Q.DROP_COUNT, Q.ERROR_COUNT, Q.PACKET_COUNT, Q.BYTE_COUNT}, "is one counter of one host"),
)


def why_not_modelled(told: Statement, book: Book) -> str:
    """What is missing to compute a statement."""
    found = _differences(told, book)
    if found is not None:
        values, _, how = found
        spread = f"{values.min():g} to {values.max():g} %"
        return f"no figure says how near 'the same' is; {how} print {spread}"
    for quantities, reason in _REASONS:
        if told.quantity in quantities:
            return reason
    return "describes what was set up, and follows from nothing else"


def _exactly(value: float, told: Statement, how: str) -> Computed:
    return Computed(value, value, told.unit or "", how)


def _change(told: Statement, low: float, high: float, how: str) -> Computed | None:
    """A ratio of subject to baseline in the words of a statement; None where it has none."""
    if told.change is Change.FACTOR:
        return Computed(low, high, "x", how)
    if told.change is Change.SAME or (told.unit != "%" and told.relation is not Relation.SIGN):
        return None
    more = [100 * (ratio - 1) for ratio in (low, high)]
    if told.change is Change.LESS and told.relation is not Relation.SIGN:
        more = [-more[1], -more[0]]
    return Computed(round(more[0], 9), round(more[1], 9), "%", how)


def _size(told: Statement, readings_bytes: Sequence[float], how: str) -> Computed | None:
    """A size in the unit of a statement: of several readings the one that is nearest to it."""
    in_unit_bytes = _base_of_unit(told, parse_size_bytes)
    if in_unit_bytes is None or told.value is None:
        return None
    printed = float(told.value)
    sizes = [size / in_unit_bytes for size in readings_bytes]
    return _exactly(min(sizes, key=lambda size: abs(size - printed)), told, how)


def _base_of_unit(told: Statement, parse: Callable[[str], float]) -> float | None:
    """What one of the unit of a statement is in base units; None for another kind of unit."""
    try:
        return parse(f"1 {told.unit}")
    except UnitError:
        return None


def _tcp_ceiling(line_rate_bps: float, mtu_bytes: int) -> LineCeiling:
    return line_ceiling(line_rate_bps, mtu_bytes, tcp_stack())


def _covers(stated: Configuration, wanted: Configuration) -> bool:
    """Whether a statement is about all that is wanted."""
    return (
        stated.workload == wanted.workload
        and stated.mtu_bytes in (None, wanted.mtu_bytes)
        and _covers_counts(stated, set(wanted.connection_counts))
    )


def _covers_counts(stated: Configuration, counts: set[int]) -> bool:
    """Whether a statement is about all these counts; the limit of a direction is about any."""
    if not stated.connection_counts:
        return stated.direction is not None
    return bool(counts) and counts <= set(stated.connection_counts)


def _line_gbps(name: str, subject: Configuration) -> tuple[float, float]:
    """What the line of an adapter carries of a workload, from separate to merged writes."""
    rate = adapter(name).line_rate
    if subject.mtu_bytes is None or subject.workload is None:
        raise NetmodelError(f"{name}: neither MTU nor workload may be left out")
    ceiling = _tcp_ceiling(rate.rate_bps, subject.mtu_bytes)
    load: Workload = workload(subject.workload)
    if load.is_stream:
        message = ceiling.message(load.write_bytes)
        merged_bps = message.merged_payload_rate_bps or message.payload_rate_bps
        return message.payload_rate_bps / _GIGA, merged_bps / _GIGA
    found = ceiling.transaction(load.request_bytes, load.response_bytes)
    return found.response_payload_rate_bps / _GIGA, found.response_payload_rate_bps / _GIGA


def _differences(told: Statement, book: Book) -> tuple[Floats, Floats, str] | None:
    """Printed differences of the measured tables that a statement sums up, and their rounding."""
    differences, tables = book.table("differences"), book.table("tables")
    subject, baseline = told.subject, told.baseline
    columns = _COLUMNS.get(told.quantity)
    if told.source != "zvm" or None in (differences, tables, baseline, columns):
        return None
    if baseline is None or columns is None or subject.load is not None:
        return None
    versions = baseline.hypervisor_level is not None
    if not versions and (subject.layer, baseline.layer) not in {("2", "3"), (2, 3)}:
        return None
    levels = dict(zip(tables.text("table"), tables.text("hypervisor_level"), strict=True))
    chosen = {cells["table"] for cells in tables.rows() if _is_summed_up(cells, subject, versions)}
    rows = [
        row
        for row, cells in enumerate(differences.rows())
        if cells["table"] in chosen
        and cells["quantity"] in columns
        and _is_counted(cells["connection_count"], subject)
        and (
            cells["comparison"] == "5.1.0-to-5.2.0" and cells["layer"] == str(subject.layer)
            if versions
            else cells["comparison"] == "layer3-to-layer2"
            and cells["hypervisor_level"] == levels[cells["table"]]
        )
    ]
    if not rows:
        return None
    how = f"the {len(rows)} differences of table {', '.join(sorted(chosen, key=int))}"
    return (
        differences.numbers("difference_percent")[rows],
        differences.half_widths("difference_percent")[rows],
        how,
    )


def _is_counted(connection_count: str, subject: Configuration) -> bool:
    return not subject.connection_counts or int(connection_count) in subject.connection_counts


def _is_summed_up(cells: dict[str, str], subject: Configuration, versions: bool) -> bool:
    """Whether a table is one that a statement speaks of."""
    if subject.table is not None:
        return cells["table"] == str(subject.table)
    if versions == (int(cells["table"]) > 4):
        return False
    path = (subject.path or "").removesuffix("-layer2").removesuffix("-layer3")
    rate = (subject.line_rate or "").removesuffix(" Gbit/s")
    if subject.adapter is not None:
        rate = str(adapter(subject.adapter).line_rate.value)
    return (
        path in ("", cells["path"])
        and rate in ("", cells["link_rate_gbps"])
        and subject.workload in (None, cells["workload"])
        and (subject.mtu_bytes is None or str(subject.mtu_bytes) == cells["mtu_bytes"])
    )
