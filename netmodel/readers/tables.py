"""
Tables of your own, for ``check`` and for ``calibrate``: columns with the names of netmodel.

``throughput_bps`` is goodput. Its uncertainty is given by ``throughput_bps_low`` and
``throughput_bps_high``, else by the printed digits where the figure has a point or an exponent,
else `check` does not know it. Where ``relation`` makes it a bound or a range, there is no goodput;
``about`` leaves 5 %.

`check` reads rates, times and what they were measured with, and no other columns; a note names each
that is spelled nearly as one of these. For `calibrate` all columns without figures are conditions.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from netmodel.errors import ParseError
from netmodel.estimates import ABOUT_RATIO
from netmodel.readers._document import LARGEST, RawText, Source, one_line, read_text, shown
from netmodel.readers._formats import Format
from netmodel.readers._printed import Run, started
from netmodel.readers.measurement import Direction
from netmodel.text import listed, near_name, slug
from netmodel.units.columns import ENDINGS
from netmodel.units.prefixes import BITS_PER_BYTE, MEBI

_BITS_PER_MIB = Decimal(BITS_PER_BYTE * MEBI)
_S: dict[str, Decimal | int | str] = {"s": 1, "ms": "1e-3", "us": "1e-6", "ns": "1e-9"}
_SCALES: dict[tuple[str, str], dict[str, Decimal | int | str]] = {
    ("throughput", "bps"): {"bps": 1, "mbps": 10**6, "gbps": 10**9, "mib_per_s": _BITS_PER_MIB},
    ("transaction_rate", "tps"): {"tps": 1},
    ("transaction_time", "s"): _S,
    ("cpu", "us_per_gbit"): {"us_per_gbit": 1, "ms_per_mib": Decimal(10**12) / _BITS_PER_MIB},
    ("cpu", "s_per_transaction"): {f"{u}_per_transaction": _S[u] for u in ("s", "ms", "us")},
}
"""One of each unit in that of a quantity, by its ending: 1 MiB is 2^20 byte of 8 bit."""
FIGURES = {
    f"{stem}_{ending}": (f"{stem}_{base}", Decimal(scale))
    for (stem, base), endings in _SCALES.items()
    for ending, scale in endings.items()
}
"""Columns of figures: the quantity, and one of the column's unit in that of the quantity."""
ENDS = ("_low", "_high")
"""Suffixes of a figure: its lower and its upper bound."""
PARTS = ("", *ENDS, "_relation", "_resolution")
"""Suffixes of all columns that are about one figure."""
OF_ROWS = ("relation", "flag", "comment", "note")
"""Columns that are about all figures of a row, or explain it."""
_EQUAL, _ABOUT, _RANGE = "equal", "about", "range"
_LOWER = ("at_least", "censored_above")
_UPPER = ("at_most", "up_to", "censored_below")
_RELATIONS = (_EQUAL, _ABOUT, *_LOWER, *_UPPER, _RANGE)
_FITTING: dict[tuple[bool, ...], tuple[str, ...]] = {
    (True, True, True): (_EQUAL, _ABOUT),
    (False, True, True): (_RANGE, _EQUAL, _ABOUT),
    (False, True, False): _LOWER,
    (False, False, True): _UPPER,
    (True, False, False): (_EQUAL, _ABOUT, *_LOWER, *_UPPER),
}
"""Relations by which of figure, lower and upper end are given; the first one is meant."""
_AMBIGUOUS = {
    "throughput_mb_per_s": "throughput_mib_per_s or throughput_mbps",
    "cpu_ms_per_mb": "cpu_ms_per_mib or cpu_us_per_gbit",
}
_RATES = frozenset({"throughput", "rate", "goodput", "bandwidth", "bitrate"})
_OF_GOODPUT = re.compile("throughput|goodput")
"""Begins names of columns that are never settings."""
_SYNONYMS = {
    **dict.fromkeys(("stream_count", "connections", "streams"), "connection_count"),
    **dict.fromkeys(_RATES, "throughput"),
    "mtu": "mtu_bytes",
    "transport": "protocol",
    "transactions": "transaction_rate",
    "response_time": "transaction_time",
}
ENDINGS = ENDINGS | {"1/s": "tps", "MBps": "mb_per_s", "MByte/s": "mb_per_s"}
"""Ending of a column's name by the unit in a header or a cell."""
_CONDITIONS = (
    *("connection_count", "mtu_bytes", "payload_bytes", "request_bytes", "response_bytes"),
    *("write_bytes", "duration_s", "protocol", "ip_version", "direction", "side", "cpu_scope"),
    *("adapter", "workload", "tool", "tool_version", "cpu_count"),
)
_KNOWN = dict.fromkeys(
    (*(name + part for name in FIGURES for part in PARTS), *_CONDITIONS, *OF_ROWS)
)
"""In order: of names that are equally near, the first is meant."""
_OF_REQUESTS = re.compile("tps|(trans(actions?)?|req(uests?)?)_(per_)?s(ec(onds?)?)?")
"""Names of rates of transactions that people write, without punctuation."""
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_ ./%()\[\]µμ-]*")
_WITH_UNIT = re.compile(r"(?P<name>[^(\[]+?)\s*[(\[]\s*(?P<unit>[^)\]]+?)\s*[)\]]")
_BARE_UNIT = re.compile(
    r"(?P<name>.+?)[_ ](?P<unit>[KMG]i?[Bb](it|yte)?(/s|ps)|[gmt]?b?ps|[mun]?s)"
)
_SEPARATORS = (",", ";", "\t")
_LONGEST_HEAD = 4000
"""Characters in which the names of all known columns fit three times."""
_MOST_TITLES = 10
"""Lines above a table that tools and people write."""
_MISSING = frozenset({"-", "n/a", "na", "nan"})
_CELL = re.compile(r"(?P<number>[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?)\s*(?P<unit>[^\s0-9.,].*)?")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_DECIMAL_COMMA = re.compile(r"(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+")
_NUMBER = re.compile(r"[0-9]{1,19}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,2})?")
_OPEN_ZEROS = re.compile(r"0*[1-9][0-9]*0")
_RATE = "throughput_bps"
_SLOWEST_BPS, _FASTEST_BPS = 1e3, 4e12
"""Rates of throughput beyond these are of another unit, such as Mbit/s in a column of Gbit/s: no
line is faster than 1.6 Tbit/s, and no host has more than two of them."""
_MEASURED = (_RATE, "transaction_rate_tps", "transaction_time_s")
_OF_FIGURES = {name + end: of for name, (of, _) in FIGURES.items() for end in ("", *ENDS)}
"""Columns that hold a figure or one of its ends, with its quantity."""
_OF_RESULTS = [name for name, quantity in _OF_FIGURES.items() if quantity in _MEASURED]
_COUNTS = {
    **{each: each for each in ("request_bytes", "response_bytes", "write_bytes")},
    "stream_count": "connection_count",
    "path_mtu_bytes": "mtu_bytes",
    "segment_bytes": "payload_bytes",
}
"""Numbers of a result by the columns that have them."""
_OF_ADAPTERS = ("in", "out")
"""Directions as seen from an adapter, which calibration uses: neither end is client or server."""


# Names of columns


def near_column(name: str) -> str | None:
    """Return the known name, or one of each unit, that an unknown one may stand for; else None."""
    if name in _KNOWN or re.search("[KMGT]B", name):  # bytes are no bits
        return None
    flat = slug(_canonical(name.lower().replace("latency", "transaction_time")))
    flat = _MEASURED[1] if _OF_REQUESTS.fullmatch(flat) else _canonical(flat)
    near = flat if flat in _KNOWN else near_name(flat, _KNOWN)
    # another unit would be off by a factor
    for (stem, _), endings in _SCALES.items():
        every = [f"{stem}_{each}" for each in endings]
        is_other = not re.search(f"_({'|'.join(endings)})(_|$)", flat)
        if near in every and is_other and "_" in flat.removeprefix(stem):
            return " or ".join(every)
    return near


def _canonical(name: str) -> str:
    """Return the name of a column as netmodel spells it, with its unit as its ending."""
    name = name.strip()
    part = next((each for each in PARTS[1:] if name.endswith(each)), "")
    whole = name.removesuffix(part)
    match = _WITH_UNIT.fullmatch(whole) or _BARE_UNIT.fullmatch(whole)
    ending = ENDINGS.get(match["unit"]) if match else ""
    if ending is None:
        return name
    meant = _with_ending(slug(match["name"] if match else whole), ending) + part
    return meant if meant in _KNOWN or meant in _AMBIGUOUS else name


def _with_ending(word: str, ending: str) -> str:
    """Return the name of a column from a word for what it holds, and the ending of its unit."""
    stem = _SYNONYMS.get(word, word)
    return f"{stem.removesuffix(f'_{ending}')}_{ending}" if ending else stem


def _header(text: str, wanted: Collection[str]) -> tuple[int, str] | None:
    """
    Index of the line that names columns, of which one is wanted or ambiguous, and its separator.

    A misspelt name counts too, so that its author gets a hint, but only above a row of as many
    cells, and so does any name below a title: other lists of words are not tables.
    """
    wanted = {*wanted, *_AMBIGUOUS}
    lines = text[:_LONGEST_HEAD].removeprefix("\ufeff").split("\n")
    for index, line in enumerate(lines[:_MOST_TITLES]):
        mark = max(_SEPARATORS, key=line.count)
        names = [name.strip().strip('"') for name in line.rstrip("\r").split(mark)]
        if not all(map(_NAME.fullmatch, filter(None, names))):
            continue
        below = next(filter(str.strip, lines[index + 1 :]), "")
        is_row = len(names) > 1 and below.count(mark) == line.count(mark)
        if (is_row or index == 0) and not wanted.isdisjoint(map(_canonical, names)):
            return index, mark
        if is_row:  # the names of another table, unless they are misspelt
            near = (each for name in names for each in (near_column(name) or "").split())
            is_rate = any(each.lower() in _RATES for each in names)
            return (0, mark) if index == 0 and (is_rate or not wanted.isdisjoint(near)) else None
    return None


# The table, and its rows


class TableFigure(NamedTuple):
    """A figure of a row, or its ends, in the unit of its quantity; None for what is not given."""

    column: str
    quantity: str
    relation: str
    value: float | None
    half_width: float
    low: float | None
    high: float | None


class OwnTable(NamedTuple):
    """
    A table of your own, with the names of netmodel.

    Parameters
    ----------
    source : str
        Its file, or the name of a data frame.
    columns : mapping of str to sequence of str
        Cells by the name of their column, numbers with a decimal point and without a unit.
    places : sequence of str
        Line or row of each.
    """

    source: str
    columns: Mapping[str, Sequence[str]]
    places: Sequence[str]

    def figures(self, quantities: Collection[str]) -> list[str]:
        """
        Columns of figures, without ends, in the order of `FIGURES`.

        Raises
        ------
        ParseError
            If two of them hold the same quantity, one has a unit with two meanings, none is of
            these quantities, or there is no row.
        """
        for name in sorted(set(self.columns) & set(_AMBIGUOUS)):
            problem = f"MB is 10^6 byte to some and 2^20 to others; write {_AMBIGUOUS[name]}"
            raise ParseError(self.source, f"line 1, column {name}: {problem}")
        names = [each for each in FIGURES if any(each + end in self.columns for end in ("", *ENDS))]
        found = [FIGURES[each][0] for each in names]
        for quantity in found:
            same = [each for each in names if FIGURES[each][0] == quantity]
            if len(same) > 1:
                problem = f"columns {listed(same)} all hold {quantity}: keep one"
                raise ParseError(self.source, f"line 1: {problem}")
        if set(quantities).isdisjoint(found):
            near = {shown(each): near_column(each) for each in self.columns}
            hints = [f"{each} may be meant as {meant}" for each, meant in near.items() if meant]
            hint = f": {', '.join(hints)}" if hints else ", or in another unit: throughput (Gbit/s)"
            problem = f"no column is one of {', '.join(quantities)}{hint}"
            raise ParseError(self.source, f"line 1: {problem}")
        if not self.places:
            raise ParseError(self.source, "holds no rows")
        return names

    def rows(self) -> Iterator["Row"]:
        """Yield each row with its place."""
        digit_counts = {
            name: max(map(_digit_count, self.columns[name]), default=0)
            for name in FIGURES.keys() & self.columns.keys()
        }
        for place, *cells in zip(self.places, *self.columns.values(), strict=True):
            yield Row(self.source, place, dict(zip(self.columns, cells, strict=True)), digit_counts)


@dataclass(frozen=True, slots=True)
class Row:
    """A row with its place, and the largest digit count of each column of figures."""

    source: str
    place: str
    cells: Mapping[str, str]
    digit_counts: Mapping[str, int]

    def fault(self, column: str, problem: object) -> ParseError:
        """Return the error of a cell."""
        return ParseError(self.source, f"{self.place}, column {column}: {problem}")

    def text(self, column: str) -> str | None:
        """Content of a cell; None where it is empty or not there."""
        return self.cells.get(column) or None

    def number(self, column: str) -> Decimal | None:
        """Return the number in a cell, with its digits."""
        if (text := self.text(column)) is None:
            return None
        if not _NUMBER.fullmatch(text) or float(text) > LARGEST:
            raise self.fault(column, f"must be a number from 0 to {LARGEST:g}; got {shown(text)}")
        return Decimal(text)

    def count(self, column: str) -> int | None:
        """Whole number in a cell."""
        number = self.number(column)
        if number is not None and number != int(number):
            raise self.fault(column, f"must be a whole number; got {shown(self.text(column))}")
        return None if number is None else int(number)

    def word(self, column: str, known: Collection[str]) -> str | None:
        """One of several words in a cell."""
        text = self.text(column)
        if text is not None and text not in known:
            raise self.fault(column, f"must be one of {', '.join(known)}; got {shown(text)}")
        return text

    def figure(self, name: str) -> TableFigure | None:
        """Return a figure with its ends, its relation and its rounding; None for empty cells."""
        numbers = [self.number(name + end) for end in ("", *ENDS)]
        given = tuple(each is not None for each in numbers)
        if not any(given):
            return None
        if (fitting := _FITTING.get(given)) is None:
            raise self.fault(name, f"a figure has both {name}_low and {name}_high, or neither")
        own = self.word(f"{name}_relation", _RELATIONS)
        relation = own or self.word("relation", _RELATIONS) or fitting[0]
        if relation not in fitting:
            raise self.fault(name, f"the filled cells go with {', '.join(fitting)}; got {relation}")
        known = [each for each in (numbers[1], numbers[0], numbers[2]) if each is not None]
        if known != sorted(known):
            raise self.fault(name, f"{name}_low, {name} and {name}_high must ascend")
        quantity, scale = FIGURES[name]
        value, low, high = (None if each is None else float(each * scale) for each in numbers)
        if quantity == _RATE and value and not _SLOWEST_BPS <= value <= _FASTEST_BPS:
            problem = f"{value:.3g} bit/s is the rate of no line: its unit may be another one"
            raise self.fault(name, f"{problem}; got {shown(self.text(name))}")
        half_width = float(self._half_width(name, relation) * scale)
        return TableFigure(name, quantity, relation, value, half_width, low, high)

    def _half_width(self, name: str, relation: str) -> Decimal:
        """Half a step of a figure; trailing zeros of an integer may only hold places."""
        number, step = self.number(name) or Decimal(0), self.number(f"{name}_resolution")
        if step is not None:
            return step / 2
        _, digits, exponent = number.as_tuple()
        if not self.has_open_zeros(name):
            return Decimal((0, (5,), int(exponent) - 1))
        places = max(len(digits) - self.digit_counts[name], 0)
        return Decimal(10) ** places / 2 if relation == _EQUAL else Decimal(0)

    def has_open_zeros(self, name: str) -> bool:
        """True if a figure without ends has trailing zeros that may or may not be significant."""
        beside = self.text(f"{name}_low") or self.text(f"{name}_resolution")
        return beside is None and bool(_OPEN_ZEROS.fullmatch(self.cells.get(name, "")))


def _digit_count(cell: str) -> int:
    """Return the number of digits of a figure, without trailing zeros of an integer."""
    if not _NUMBER.fullmatch(cell):
        return 0
    number = Decimal(cell)
    return len((number.normalize() if _OPEN_ZEROS.fullmatch(cell) else number).as_tuple().digits)


# From text to the table


def own_table(source: Source) -> OwnTable:
    """
    Return the table in the text of a file.

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
    header_place = _header(text, _OF_FIGURES)
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
    columns = list(zip(header, *(cells for _, cells in rows), strict=True))
    return plain_table(raw.source, columns, [f"line {line}" for line, _ in rows], first + 1, mark)


def plain_table(
    source: str,
    printed: Sequence[Sequence[str]],
    places: Sequence[str],
    line: int = 1,
    mark: str = ",",
) -> OwnTable:
    """
    Return the table of columns as printed, each a header and its cells.

    Raises
    ------
    ParseError
        As of `own_table`; a fault of a header is at the line.
    """
    columns: dict[str, list[str]] = {}
    headers = [header.strip() for header, *_ in printed]
    for header, *cells in printed:
        known = ["" if each.lower() in _MISSING else each for each in cells]
        # beside a column of the name that it may stand for, it is a condition, such as a set rate
        is_own = _canonical(header) in headers and not _OF_GOODPUT.match(header.strip().lower())
        name, known = _with_units(source, header.strip() if is_own else _canonical(header), known)
        if not name and not any(known):
            continue
        if name in columns or not name:
            same = {each: None for each in headers if name in (each, _canonical(each))}
            problem = f"two columns have the name {shown(name)}" if name else "a column has no name"
            problem += f": {listed(map(shown, same))}" * (len(same) > 1)
            raise ParseError(source, f"line {line}: {problem}")
        columns[name] = known
    rates = [name for name in columns if name.strip().lower() in _RATES]
    if rates and not columns.keys() & _OF_FIGURES.keys():
        rows = [each for each in zip(places, columns[rates[0]], strict=True) if each[1]]
        units = [(match := _CELL.fullmatch(cell)) and match["unit"] for _, cell in rows]
        usual = [unit for unit, _ in Counter(units).most_common(1)]
        others = (each for each, unit in zip(rows, units, strict=True) if unit not in usual)
        odd = next((f"; {place} has {shown(cell)}" for place, cell in others), "")
        problem = f'needs one unit{odd}: write "{rates[0]} (Gbit/s)" or "{rates[0]} (Mbit/s)"'
        raise ParseError(source, f"line {line}, column {rates[0]}: {problem}")
    _make_plain(source, columns, mark)
    return OwnTable(source, columns, places)


def _with_units(source: str, name: str, cells: list[str]) -> tuple[str, list[str]]:
    """Return a column without the one unit of all its cells, which then ends its name."""
    matches = [_CELL.fullmatch(each) for each in cells if each]
    units = {match["unit"] if match else None for match in matches}
    ending = ENDINGS.get(units.pop() or "") if len(units) == 1 else None
    word = re.sub(f"_({'|'.join({*ENDINGS.values()})})$", "", slug(name))
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
    example = printed[0]
    if has_groups == all(map(_DECIMAL_COMMA.fullmatch, printed)):
        plain, decimal = example.replace(",", ""), example.replace(",", ".")
        problem = f"{example} may be {plain} or {decimal}: write numbers without a comma"
        raise ParseError(source, problem)
    group, point = (",", ".") if has_groups else (".", ",")
    for name, cells in numbers.items():
        lone = next((each for each in cells if "." in each and "," not in each), None)
        if lone and not has_groups:
            problem = f"has {lone} beside {example}: write all numbers with a decimal point"
            raise ParseError(source, f"column {name}: {problem}")
        columns[name] = [each.replace(group, "").replace(point, ".") for each in cells]


# Results for check


def _read(raw: RawText) -> list[Run]:
    table = own_table(raw)
    figures = table.figures(_MEASURED)
    notes = tuple(
        f"column {shown(name)} is not read: {near} may be meant"
        for name in table.columns
        if (near := near_column(name))
    )
    return [_run(started(raw, "netmodel-csv", notes=notes), row, figures) for row in table.rows()]


def _run(run: Run, row: Row, columns: Iterable[str]) -> Run:
    """Return the run with what a row has of it."""
    figures = {each.quantity: each for name in columns if (each := row.figure(name)) is not None}
    if not figures.keys() & set(_MEASURED):
        names = ", ".join(name for name in columns if FIGURES[name][0] in _MEASURED)
        raise ParseError(row.source, f"{row.place}: none of {names} is known")
    direction = row.word("direction", (*(each.value for each in Direction), *_OF_ADAPTERS))
    duration_s = row.number("duration_s")
    run |= {each: figures[each].value for each in _MEASURED[1:] if each in figures}
    run |= {field: row.count(column) for field, column in _COUNTS.items()}
    run.update(
        part=row.place,
        tool=one_line(row.text("tool") or run["tool"]),
        tool_version=row.text("tool_version"),
        direction=Direction(direction) if direction and direction not in _OF_ADAPTERS else None,
        protocol=row.word("protocol", ("tcp", "udp")),
        ip_version=row.word("ip_version", ("4", "6")) and row.count("ip_version"),
        duration_s=None if duration_s is None else float(duration_s),
    )
    if (figure := figures.get(_RATE)) is None:
        return Run(run, why_no_goodput="the table has no throughput")
    name, value, half_bps = figure.column, figure.value, None
    if value is None or figure.relation not in (_EQUAL, _ABOUT):
        why = f"{name} is a bound or a range, not a single figure (relation {figure.relation})"
        return Run(run, why_no_goodput=why)
    # how far off the goodput may be: by its ends, relation or digits
    if figure.low is not None and figure.high is not None:
        half_bps = max(value - figure.low, figure.high - value)
    elif figure.relation == _ABOUT:
        half_bps = float(ABOUT_RATIO) * value
    elif row.text(f"{name}_resolution") or not row.cells[name].isdigit():
        half_bps = figure.half_width
    run.update(goodput_bps=value, half_width_bps=half_bps)
    return run


# recognised: a line names columns, and one of them is a measured quantity
NETMODEL_CSV = Format("netmodel-csv", lambda text: _header(text, _OF_RESULTS) is not None, _read)
