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
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from netmodel.consumption import CpuScope, Side, busy_cpu_count, transaction_busy_cpu_count
from netmodel.errors import ParseError
from netmodel.estimates import ABOUT_RATIO
from netmodel.readers._document import LARGEST, RawText, Source, one_line, read_text, shown
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
_WORDS = {
    "connection_count": ("stream_count", "connections", "streams"),
    "mtu_bytes": ("mtu",),
    "protocol": ("transport",),
    "throughput": ("throughput", "rate", "goodput", "bandwidth", "bitrate"),
    "transaction_rate": ("transactions", "transaction_rate"),
    "transaction_time": ("response_time", "transaction_time"),
}
_SYNONYMS = {word: name for name, words in _WORDS.items() for word in words}
_UNITS = {
    "bps": ("bit/s", "bps"),
    "mbps": ("Mbit/s", "Mbps", "mbps", "Mb/s"),
    "gbps": ("Gbit/s", "Gbps", "gbps", "Gb/s"),
    "mib_per_s": ("MiB/s",),
    "mb_per_s": ("MB/s",),
    "s": ("s",),
    "ms": ("ms",),
    "us": ("us", "\N{MICRO SIGN}s", "\N{GREEK SMALL LETTER MU}s"),
    "ns": ("ns",),
    "tps": ("tps", "1/s", "transactions/s"),
    "bytes": ("byte", "bytes", "B"),
}
_ENDINGS = {unit: ending for ending, units in _UNITS.items() for unit in units}
"""Ending of a column's name by the unit in a header or a cell."""
_BASELINE = "baseline_"
_CONDITIONS = (
    *("connection_count", "mtu_bytes", "payload_bytes", "request_bytes", "response_bytes"),
    *("write_bytes", "duration_s", "protocol", "ip_version", "direction", "side", "cpu_scope"),
    *("adapter", "workload", "tool", "tool_version", "cpu_count"),
)
_OF_ROWS = ("relation", "weight", "flag", "quantity", "change", "baseline")
_KNOWN = frozenset((*(name + part for name in FIGURES for part in _PARTS), *_CONDITIONS, *_OF_ROWS))
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ ./%()\[\]µμ-]*")
_WITH_UNIT = re.compile(r"(?P<name>[^(\[]+?)\s*[(\[]\s*(?P<unit>[^)\]]+?)\s*[)\]]")
_SEPARATORS = (",", ";", "\t")
_LONGEST_HEAD = 4000
"""Characters in which the names of all known columns fit three times."""
_MOST_TITLES = 10
"""Lines above a table that tools and people write."""


def canonical(name: str) -> str:
    """
    The name of a column as netmodel spells it, with the unit in brackets as its ending.

    Others are themselves, without blanks around them.

    Examples
    --------
    >>> canonical("Throughput [Gbit/s]"), canonical("MTU (bytes)"), canonical("rack ")
    ('throughput_gbps', 'mtu_bytes', 'rack')
    """
    name = name.strip()
    prefix = _BASELINE if name.startswith(_BASELINE) else ""
    own = name.removeprefix(prefix)
    if own in _KNOWN:
        return name
    match = _WITH_UNIT.fullmatch(own)
    ending = _ENDINGS.get(match["unit"]) if match else ""
    flat = re.sub("[^a-z0-9]+", "_", (match["name"] if match else own).lower()).strip("_")
    meant = _with_ending(flat, ending or "") if ending is not None else own
    return prefix + meant if meant in _KNOWN or meant in _AMBIGUOUS else name


def _with_ending(word: str, ending: str) -> str:
    """The name of a column from a word for what it holds, and the ending of its unit."""
    stem = _SYNONYMS.get(word, word)
    return f"{stem.removesuffix(f'_{ending}')}_{ending}" if ending else stem


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


def _header(text: str, quantities: Collection[str]) -> tuple[int, str] | None:
    """
    Index of the line that names columns, of which one is of these quantities, and its separator.

    A misspelt name counts too, so that its author gets a hint, but only above a row of as many
    cells, and so does any name below a title: other lists of words are not tables.
    """
    wanted = {
        name + end
        for name, (quantity, _) in FIGURES.items()
        if quantity in quantities
        for end in ("", *ENDS)
    } | set(_AMBIGUOUS)
    lines = text[:_LONGEST_HEAD].removeprefix("\ufeff").split("\n")
    for index, line in enumerate(lines[:_MOST_TITLES]):
        mark = max(_SEPARATORS, key=line.count)
        names = [name.strip().strip('"') for name in line.rstrip("\r").split(mark)]
        if not all(map(_NAME.fullmatch, filter(None, names))):
            continue
        below = next(filter(str.strip, lines[index + 1 :]), "")
        is_row = len(names) > 1 and below.count(mark) == line.count(mark)
        if wanted & set(map(canonical, names)) and (index == 0 or is_row):
            return index, mark
        if index == 0 and is_row and any(near_column(n) in wanted or _is_rate(n) for n in names):
            return index, mark
        if is_row:  # the names of another table
            break
    return None


def _is_rate(name: str) -> bool:
    """Whether a name is a word for throughput, without a unit."""
    return _SYNONYMS.get(name.strip().lower()) == "throughput"


_MISSING = frozenset({"-", "n/a", "na", "nan"})
_CELL = re.compile(r"(?P<number>[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?)\s*(?P<unit>[^\s0-9.,].*)?")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_DECIMAL_COMMA = re.compile(r"(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+")


def own_table(source: Source) -> tuple[tuple[str, ...], list[tuple[int, tuple[str, ...]]]]:
    """
    Names of the columns of a user's table, and the number and cells of each line.

    Cells are separated by commas, semicolons or tabs. Lines above the names and blank lines are
    passed over; ``n/a`` is an empty cell. Units in brackets behind a name, or in all cells of a
    column, become the ending of its name. Numbers with groups of thousands or a decimal comma
    become plain ones.

    Raises
    ------
    ParseError
        If the text is no such table, a number has two readings, or a rate has no unit.
    """
    raw = read_text(source)
    text = raw.text.removeprefix("\ufeff")
    header_place = _header(text, [quantity for quantity, _ in FIGURES.values()])
    first, mark = header_place or (0, max(_SEPARATORS, key=text.partition("\n")[0].count))
    below = "\n".join(text.split("\n")[first:])
    reader = csv.reader(io.StringIO(below, newline=""), delimiter=mark, strict=True)
    line = first + 1
    rows: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            rows.append((line, [cell.strip() for cell in cells]))
            line = first + reader.line_num + 1
    except csv.Error as error:
        raise ParseError(raw.source, f"line {line}: not valid CSV: {error}") from None
    (_, header), *rows = rows
    rows = [(line, cells) for line, cells in rows if any(cells)]
    for line, cells in rows:
        if len(cells) != len(header):
            problem = f"has {len(cells)} cells; the header has {len(header)}"
            raise ParseError(raw.source, f"line {line}: {problem}")
    columns: dict[str, list[str]] = {}
    for printed, *values in zip(header, *(cells for _, cells in rows), strict=True):
        known = ["" if each.lower() in _MISSING else each for each in values]
        name, known = _with_units(raw.source, canonical(printed), known)
        if not name and not any(known):
            continue
        if name in columns or not name:
            problem = f"two columns have the name {shown(name)}" if name else "a column has no name"
            raise ParseError(raw.source, f"line {first + 1}: {problem}")
        columns[name] = known
    rates = [name for name in columns if _is_rate(name)]
    if rates and not any(name + end in columns for name in FIGURES for end in ("", *ENDS)):
        problem = f'needs one unit: write "{rates[0]} (Gbit/s)" or "{rates[0]} (Mbit/s)"'
        raise ParseError(raw.source, f"line {first + 1}, column {rates[0]}: {problem}")
    _make_plain(raw.source, columns, mark)
    return tuple(columns), [
        (line, cells)
        for (line, _), cells in zip(rows, zip(*columns.values(), strict=True), strict=True)
    ]


def _with_units(source: str, name: str, cells: list[str]) -> tuple[str, list[str]]:
    """A column without the one unit of all its cells, which then ends its name."""
    matches = [_CELL.fullmatch(each) for each in cells if each]
    units = {match["unit"] if match else None for match in matches}
    ending = _ENDINGS.get(units.pop() or "") if len(units) == 1 else None
    word = re.sub(f"_({'|'.join(_UNITS)})$", "", re.sub("[^a-z0-9]+", "_", name.lower()))
    named = _with_ending(word, ending or "")
    if ending is None or (named not in _KNOWN and named not in _AMBIGUOUS):
        return name, cells
    if name in _KNOWN and named != name:
        raise ParseError(source, f"column {name}: its cells are of another unit")
    return named, [match["number"] if (match := _CELL.fullmatch(each)) else "" for each in cells]


def _make_plain(source: str, columns: dict[str, list[str]], mark: str) -> None:
    """Write the numbers of a table without groups, and with a decimal point."""
    numbers = {
        name: cells
        for name, cells in columns.items()
        # between commas a cell of another column may be a list
        if (name in _KNOWN or mark != ",")
        and all((match := _CELL.fullmatch(each)) and not match["unit"] for each in cells if each)
    }
    printed = [each for cells in numbers.values() for each in cells if "," in each]
    if not printed:
        return
    has_groups = all(map(_THOUSANDS.fullmatch, printed))
    has_decimals = all(map(_DECIMAL_COMMA.fullmatch, printed))
    example = printed[0]
    if has_groups == has_decimals:
        plain, decimal = example.replace(",", ""), example.replace(",", ".")
        problem = f"{example} may be {plain} or {decimal}: write numbers without a comma"
        raise ParseError(source, problem)
    for name, cells in numbers.items():
        if has_groups:
            columns[name] = [each.replace(",", "") for each in cells]
            continue
        for each in cells:
            if "." in each and "," not in each:
                problem = f"has {each} beside {example}: write all numbers with a decimal point"
                raise ParseError(source, f"column {name}: {problem}")
        columns[name] = [each.replace(".", "").replace(",", ".") for each in cells]


_RATE = "throughput_bps"
_MEASURED = (_RATE, "transaction_rate_tps", "transaction_time_s")
_EQUAL, _ABOUT = "equal", "about"
_BOUNDS = ("at_least", "at_most", "up_to", "range", "censored_above", "censored_below")
_RELATIONS = (_EQUAL, _ABOUT, *_BOUNDS)
_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,15})?(?:[eE][+-]?[0-9]{1,2})?")
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
        if number != int(number):
            raise self.fault(column, f"must be a whole number; got {shown(self.text(column))}")
        return int(number)

    def one_of(self, column: str, known: tuple[str, ...]) -> str | None:
        text = self.text(column)
        if text is not None and text not in known:
            raise self.fault(column, f"must be one of {', '.join(known)}; got {shown(text)}")
        return text


def _read(raw: RawText) -> tuple[Measurement, ...]:
    names, rows = own_table(raw)
    figures = figure_columns(raw.source, names)
    if not any(quantity in _MEASURED for quantity, _ in figures.values()):
        hints = [f"{shown(each)} may be meant as {m}" for each in names if (m := near_column(each))]
        hint = f": {', '.join(hints)}" if hints else ", or one of them in another unit"
        problem = f"not a table of results: no column is one of {', '.join(_MEASURED)}{hint}"
        raise ParseError(raw.source, f"line 1: {problem}")
    if not rows:
        raise ParseError(raw.source, "holds no rows")
    notes = tuple(
        f"column {shown(name)} is not read: {near} may be meant"
        for name in names
        if (near := near_column(name))
    )
    return tuple(
        _measured(raw, _Row(raw.source, line, dict(zip(names, cells, strict=True)), figures), notes)
        for line, cells in rows
    )


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
    """The run with its goodput, and how far off it may be: by its ends, relation or digits."""
    name = row.column_of(_RATE)
    of_figure = row.one_of(f"{name}_relation", _RELATIONS)
    relation = of_figure or row.one_of("relation", _RELATIONS) or _EQUAL
    rate_bps, *ends = (row.figure(_RATE, end) for end in ("", *ENDS))
    known = [each for each in (ends[0], rate_bps, ends[1]) if each is not None]
    if known != sorted(known):
        raise row.fault(name, f"{name}_low, {name} and {name}_high must ascend")
    if rate_bps is None:
        why = "a range of throughput, not a single figure" if known else "no throughput"
        return replace(run, why_no_goodput=f"the table has {why}")
    if relation in _BOUNDS:
        why = f"the relation is {relation}: {name} is a bound or a range"
        return replace(run, reported_rate_bps=rate_bps, why_no_goodput=why)
    text = row.text(name) or ""
    half_bps: float | None = None
    if len(known) > 1:
        half_bps = max(abs(rate_bps - each) for each in known)
    elif relation == _ABOUT:
        half_bps = float(ABOUT_RATIO) * rate_bps
    elif not text.isdigit():
        half_bps = half_step(text) * float(FIGURES[name][1])
    return replace(run, goodput_bps=rate_bps, goodput_half_width_bps=half_bps)


def _with_cpu(run: Measurement, row: _Row) -> Measurement:
    """The run with its CPU time, where side and scope are specified."""
    side = row.one_of("side", tuple(each.value for each in Side))
    scope = row.one_of("cpu_scope", tuple(each.value for each in CpuScope))
    per_data, each_s = row.figure("cpu_us_per_gbit"), row.figure("cpu_s_per_transaction")
    if per_data is None and each_s is None:
        return run
    wanted = {"side": side, "cpu_scope": scope, _RATE: run.goodput_bps}
    if per_data is None:
        wanted["transaction_rate_tps"] = run.transaction_rate_tps
    if None in wanted.values():
        missing = ", ".join(name for name, value in wanted.items() if value is None)
        return replace(run, notes=(*run.notes, f"CPU time is left out: {missing} not specified"))
    rate_bps, rate_tps = run.goodput_bps or 0.0, run.transaction_rate_tps or 0.0
    if per_data is not None:
        busy = float(busy_cpu_count(per_data, rate_bps))
    else:
        busy = float(transaction_busy_cpu_count(each_s or 0.0, rate_tps))
    use = CpuUse(busy, rate_bps, CpuScope(scope), Side(side), row.count("cpu_count"))
    return replace(run, cpu=(use,))


# recognised: a line names columns, and one of them is a measured quantity
NETMODEL_CSV = Format("netmodel-csv", lambda text: _header(text, _MEASURED) is not None, _read)
