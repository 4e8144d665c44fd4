"""
Results in a user's own table: CSV with the columns that netmodel names.

``throughput_bps`` is goodput. Its uncertainty is given by ``throughput_bps_low`` and
``throughput_bps_high``, else by the printed digits where the figure has a point or an exponent,
else it is not known. Where ``relation`` makes it a bound or a range, there is no goodput; ``about``
leaves 5 %.

CPU time needs ``side``, ``cpu_scope`` (process, system, guest or hypervisor) and a throughput; it
is left out, with a note, where one is missing. ``cpu_count`` is how many CPUs that side has. Other
columns, ``adapter`` among them, are not read; a note names each that is spelled nearly as one of
these. The names of the columns are also those of ``calibrate``.
"""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from netmodel.consumption import CpuScope, Side, busy_cpu_count, transaction_busy_cpu_count
from netmodel.errors import ParseError
from netmodel.estimates import ABOUT_RATIO
from netmodel.readers._document import LARGEST, RawText, one_line, shown
from netmodel.readers._formats import Format
from netmodel.readers._measurement import CpuUse, Direction, Measurement
from netmodel.readers._printed import half_step
from netmodel.text import near_name
from netmodel.units.prefixes import BITS_PER_BYTE, MEBI

_BITS_PER_MIB = Decimal(BITS_PER_BYTE * MEBI)
FIGURES: dict[str, tuple[str, Decimal]] = {
    "throughput_bps": ("throughput_bps", Decimal(1)),
    "throughput_mbps": ("throughput_bps", Decimal(10**6)),
    "throughput_gbps": ("throughput_bps", Decimal(10**9)),
    "throughput_mib_per_s": ("throughput_bps", _BITS_PER_MIB),
    "transaction_rate_tps": ("transaction_rate_tps", Decimal(1)),
    "transaction_time_s": ("transaction_time_s", Decimal(1)),
    "transaction_time_ms": ("transaction_time_s", Decimal("1e-3")),
    "transaction_time_us": ("transaction_time_s", Decimal("1e-6")),
    "transaction_time_ns": ("transaction_time_s", Decimal("1e-9")),
    "cpu_us_per_gbit": ("cpu_us_per_gbit", Decimal(1)),
    "cpu_ms_per_mib": ("cpu_us_per_gbit", Decimal(10**12) / _BITS_PER_MIB),
    "cpu_s_per_transaction": ("cpu_s_per_transaction", Decimal(1)),
    "cpu_ms_per_transaction": ("cpu_s_per_transaction", Decimal("1e-3")),
    "cpu_us_per_transaction": ("cpu_s_per_transaction", Decimal("1e-6")),
}
"""Columns of figures: the quantity, and one of the column's unit in that of the quantity."""

ENDS = ("_low", "_high")
"""Suffixes of a figure: its lower and its upper bound."""

_PARTS = ("", *ENDS, "_relation", "_resolution")
_AMBIGUOUS = {
    "throughput_mb_per_s": "throughput_mib_per_s or throughput_mbps",
    "cpu_ms_per_mb": "cpu_ms_per_mib or cpu_us_per_gbit",
}
_SYNONYMS = {"stream_count": "connection_count", "transport": "protocol"}
_BASELINE = "baseline_"
_CONDITIONS = (
    *("connection_count", "mtu_bytes", "payload_bytes", "request_bytes", "response_bytes"),
    *("write_bytes", "duration_s", "protocol", "ip_version", "direction", "side", "cpu_scope"),
    *("adapter", "workload", "tool", "tool_version", "cpu_count"),
)
_OF_ROWS = ("relation", "weight", "flag", "quantity", "change", "baseline")
_KNOWN = (*(name + part for name in FIGURES for part in _PARTS), *_CONDITIONS, *_OF_ROWS)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ ./%()\[\]-]*")
_OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
_LONGEST_HEAD = 4000
"""Characters in which the names of all known columns fit three times."""


def canonical(name: str) -> str:
    """The name of a column without blanks around it, and with one word for what has two."""
    name = name.strip()
    prefix = _BASELINE if name.startswith(_BASELINE) else ""
    own = name.removeprefix(prefix)
    return prefix + _SYNONYMS.get(own, own)


def near_column(name: str) -> str | None:
    """The known name that an unknown one may stand for; None for a known one, or without any."""
    own = name.removeprefix(_BASELINE)
    if own in _KNOWN:
        return None
    flat = canonical(re.sub("[^a-z0-9]+", "_", own.lower()).strip("_"))
    return flat if flat in _KNOWN else near_name(flat, _KNOWN)


def figure_columns(source: str, names: Iterable[str]) -> dict[str, tuple[str, Decimal]]:
    """
    The columns of figures among these, without ends: quantity and scale of each.

    Raises
    ------
    ParseError
        If two of them hold the same quantity, or one has a unit with two meanings.
    """
    present = set(names)
    for name in sorted(present & set(_AMBIGUOUS)):
        problem = f"MB is 10^6 byte to some and 2^20 to others; write {_AMBIGUOUS[name]}"
        raise ParseError(source, f"line 1, column {name}: {problem}")
    figures = {
        name: figure
        for name, figure in FIGURES.items()
        if any(name + end in present for end in ("", *ENDS))
    }
    quantities = [quantity for quantity, _ in figures.values()]
    for name, (quantity, _) in figures.items():
        if quantities.count(quantity) > 1:
            raise ParseError(source, f"line 1, column {name}: another column has {quantity} too")
    return figures


def require_commas(source: str, header: str) -> None:
    """Refuse a table with another separator."""
    for mark, word in _OTHER_SEPARATORS.items():
        if mark in header and "," not in header:
            problem = f"cells are separated by {word}; save the table with commas"
            raise ParseError(source, f"line 1: {shown(header)}: {problem}")


def is_table(text: str, quantities: Collection[str]) -> bool:
    """
    Whether the first line names columns, and one of them is a figure of these quantities.

    A misspelt name counts too, so that its author gets a hint, but only above a row of as many
    cells: other lists of words are not tables.
    """
    header, second = (*text[:_LONGEST_HEAD].removeprefix("\ufeff").split("\n", 2), "")[:2]
    mark = next((mark for mark in _OTHER_SEPARATORS if mark in header and "," not in header), ",")
    names = [name.strip().strip('"') for name in header.split(mark)]
    if not all(map(_NAME.fullmatch, names)):
        return False
    wanted = {
        name + end
        for name, (quantity, _) in FIGURES.items()
        if quantity in quantities
        for end in ("", *ENDS)
    } | set(_AMBIGUOUS)
    if wanted & set(names):
        return True
    is_row = len(names) > 1 and second.count(mark) == header.count(mark)
    return is_row and any(near_column(name) in wanted for name in names)


_RATE = "throughput_bps"
_MEASURED = (_RATE, "transaction_rate_tps", "transaction_time_s")
_EQUAL, _ABOUT = "equal", "about"
_RELATIONS = (
    _EQUAL,
    _ABOUT,
    "at_least",
    "at_most",
    "up_to",
    "range",
    "censored_above",
    "censored_below",
)
_LARGEST_COUNT = 10**15
"""Above it, floats no longer separate neighbouring whole numbers."""
_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?")
_WHOLE_NUMBER = re.compile(r"[0-9]+")
_OF_ADAPTERS = ("in", "out")
"""Directions as seen from an adapter, which calibration uses: neither end is client or server."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row, with its line number."""

    source: str
    line: int
    cells: dict[str, str]
    figures: dict[str, tuple[str, Decimal]]

    def fault(self, column: str, problem: str) -> ParseError:
        return ParseError(self.source, f"line {self.line}, column {column}: {problem}")

    def text(self, column: str) -> str | None:
        return self.cells.get(column) or None

    def column_of(self, quantity: str) -> str:
        """The column of a quantity, in any unit; its own name where there is none."""
        names = (name for name, (of, _) in self.figures.items() if of == quantity)
        return next(names, quantity)

    def figure(self, quantity: str, end: str = "") -> float | None:
        """A figure of the quantity, or one of its ends, in its own unit."""
        name = self.column_of(quantity)
        if self.number(name + end) is None:
            return None
        return float(Decimal(self.cells[name + end]) * FIGURES[name][1])

    def number(self, column: str) -> float | None:
        text = self.text(column)
        if text is None:
            return None
        if not _NUMBER.fullmatch(text) or float(text) > LARGEST:
            raise self.fault(column, f"must be a number from 0 to {LARGEST:g}; got {shown(text)}")
        return float(text)

    def count(self, column: str) -> int | None:
        number = self.number(column)
        if number is None:
            return None
        if number != int(number) or number > _LARGEST_COUNT:
            raise self.fault(column, f"must be a whole number; got {shown(self.text(column))}")
        return int(number)

    def one_of(self, column: str, known: tuple[str, ...]) -> str | None:
        text = self.text(column)
        if text is not None and text not in known:
            raise self.fault(column, f"must be one of {', '.join(known)}; got {shown(text)}")
        return text


def _read(raw: RawText) -> tuple[Measurement, ...]:
    rows = list(_rows(raw))
    if not rows:
        raise ParseError(raw.source, "holds no rows")
    notes = tuple(
        f"column {shown(name)} is not read: {near} may be meant"
        for name in rows[0].cells
        if (near := near_column(name))
    )
    return tuple(_measured(raw, row, notes) for row in rows)


def _rows(raw: RawText) -> Iterator[_Row]:
    text = raw.text.removeprefix("\ufeff")
    require_commas(raw.source, text.partition("\n")[0].rstrip("\r"))
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        header = [canonical(name) for name in next(reader)]
        figures = figure_columns(raw.source, header)
        _require_names(raw.source, header, figures)
        line = reader.line_num + 1
        for cells in reader:
            if cells and len(cells) != len(header):
                problem = f"has {len(cells)} cells; the header has {len(header)}"
                raise ParseError(raw.source, f"line {line}: {problem}")
            if cells:
                cell_of = dict(zip(header, map(str.strip, cells), strict=True))
                yield _Row(raw.source, line, cell_of, figures)
            line = reader.line_num + 1
    except csv.Error as error:
        raise ParseError(raw.source, f"line {line}: not valid CSV: {error}") from None


def _require_names(
    source: str, header: list[str], figures: Mapping[str, tuple[str, Decimal]]
) -> None:
    if not any(quantity in _MEASURED for quantity, _ in figures.values()):
        known = ", ".join(_MEASURED)
        near = [
            f"{shown(name)} may be meant as {column}"
            for name in header
            if (column := near_column(name))
        ]
        hint = f": {', '.join(near)}" if near else ", or one of them in another unit"
        problem = f"not a table of results: no column is one of {known}{hint}"
        raise ParseError(source, f"line 1: {problem}")
    for name in header:
        if header.count(name) > 1:
            raise ParseError(source, f"line 1: two columns have the name {shown(name)}")


def _measured(raw: RawText, row: _Row, notes: tuple[str, ...]) -> Measurement:
    columns = [row.column_of(quantity) for quantity in _MEASURED]
    if not any(row.text(column + end) for column in columns for end in ("", *ENDS)):
        raise ParseError(raw.source, f"line {row.line}: none of {', '.join(columns)} is known")
    direction = row.one_of("direction", (*(each.value for each in Direction), *_OF_ADAPTERS))
    ip_version = row.one_of("ip_version", ("4", "6"))
    run = Measurement(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        part=f"line {row.line}",
        tool=one_line(row.text("tool") or "netmodel-csv"),
        tool_version=row.text("tool_version"),
        direction=Direction(direction) if direction and direction not in _OF_ADAPTERS else None,
        protocol=row.one_of("protocol", ("tcp", "udp")),
        ip_version=int(ip_version) if ip_version else None,
        duration_s=row.number("duration_s"),
        transaction_rate_tps=row.figure("transaction_rate_tps"),
        transaction_time_s=row.figure("transaction_time_s"),
        stream_count=row.count("connection_count"),
        path_mtu_bytes=row.count("mtu_bytes"),
        segment_bytes=row.count("payload_bytes"),
        request_bytes=row.count("request_bytes"),
        response_bytes=row.count("response_bytes"),
        write_bytes=row.count("write_bytes"),
        notes=notes,
    )
    return _with_cpu(_with_goodput(run, row), row)


def _with_goodput(run: Measurement, row: _Row) -> Measurement:
    name = row.column_of(_RATE)
    of_figure = row.one_of(f"{name}_relation", _RELATIONS)
    relation = of_figure or row.one_of("relation", _RELATIONS) or _EQUAL
    rate_bps, low_bps, high_bps = (row.figure(_RATE, end) for end in ("", *ENDS))
    if low_bps is not None and high_bps is not None and low_bps > high_bps:
        raise row.fault(f"{name}_low", f"is above {name}_high")
    if rate_bps is None:
        has_range = low_bps is not None or high_bps is not None
        why = "a range of throughput, not a single figure" if has_range else "no throughput"
        return replace(run, why_no_goodput=f"the table has {why}")
    if rate_bps < (low_bps or 0) or (high_bps is not None and rate_bps > high_bps):
        raise row.fault(name, f"lies outside {name}_low and {name}_high")
    if relation not in {_EQUAL, _ABOUT}:
        why = f"the relation is {relation}: {name} is a bound or a range"
        return replace(run, reported_rate_bps=rate_bps, why_no_goodput=why)
    return replace(
        run,
        goodput_bps=rate_bps,
        goodput_half_width_bps=_half_width_bps(row, rate_bps, low_bps, high_bps, relation),
    )


def _half_width_bps(
    row: _Row, rate_bps: float, low_bps: float | None, high_bps: float | None, relation: str
) -> float | None:
    """From the specified ends, else from the relation, else from the digits."""
    distances = [abs(rate_bps - end) for end in (low_bps, high_bps) if end is not None]
    if distances:
        return max(distances)
    if relation == _ABOUT:
        return float(ABOUT_RATIO) * rate_bps
    name = row.column_of(_RATE)
    text = row.text(name) or ""
    return None if _WHOLE_NUMBER.fullmatch(text) else half_step(text) * float(FIGURES[name][1])


def _with_cpu(run: Measurement, row: _Row) -> Measurement:
    """The run with its CPU time, where side and scope are specified."""
    side = row.one_of("side", tuple(each.value for each in Side))
    scope = row.one_of("cpu_scope", tuple(each.value for each in CpuScope))
    per_data = row.figure("cpu_us_per_gbit")
    per_transaction_s = row.figure("cpu_s_per_transaction")
    if per_data is None and per_transaction_s is None:
        return run
    wanted = {"side": side, "cpu_scope": scope, _RATE: run.goodput_bps}
    if per_data is None:
        wanted["transaction_rate_tps"] = run.transaction_rate_tps
    missing = [name for name, value in wanted.items() if value is None]
    if side is None or scope is None or run.goodput_bps is None or missing:
        note = f"CPU time is left out: {', '.join(missing)} not specified"
        return replace(run, notes=(*run.notes, note))
    if per_data is not None:
        busy_count = float(busy_cpu_count(per_data, run.goodput_bps))
    else:
        assert per_transaction_s is not None
        assert run.transaction_rate_tps is not None
        busy_count = float(transaction_busy_cpu_count(per_transaction_s, run.transaction_rate_tps))
    installed = row.count("cpu_count")
    use = CpuUse(busy_count, run.goodput_bps, CpuScope(scope), Side(side), installed)
    return replace(run, cpu=(use,))


# recognised: its first line names columns, and one of them is a measured quantity
NETMODEL_CSV = Format("netmodel-csv", lambda text: is_table(text, _MEASURED), _read)
