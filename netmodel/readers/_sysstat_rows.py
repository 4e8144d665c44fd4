"""Rows of what sysstat prints, by the names of columns and never by their order."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, tzinfo
from itertools import pairwise

from netmodel.errors import ParseError
from netmodel.readers._document import LARGEST, Node, RawText, load_json_document, shown
from netmodel.readers._host_cpu import DAY_S, Clock, CpuInterval, clock_s, iso_day

_BANNER = re.compile(r"\S.* \((?P<host>[^)]*)\)\s+(?P<day>\S.*?)\s+_\S+_\s+\((?P<cpus>\d+) CPU\)")
_READ = frozenset(
    {"usr", "user", "nice", "sys", "system", "iowait", "irq", "soft", "steal", "guest", "gnice"}
    | {"idle", "rxpck", "txpck", "rxkB", "txkB", "ifutil", "rxerr", "txerr", "rxdrop", "txdrop"}
)
"""Columns that are read; other tables and newer versions have more."""
_CPUS = re.compile(r"\((\d+) CPU\)")
_EPOCH = re.compile(r"\d{9,11}", re.ASCII)
_MANY = "[...]"
_COMMENT = "COM"
"""Mark of a comment between the values, with ``sar -C`` and ``sadf -C``."""
MAX_CPU_COUNT = 1_000_000
"""More than any host has; a larger number is damage, and would fill the memory."""
_LONGEST_S = 366 * DAY_S
"""A year: daily files of sysstat hold a day, and damage makes times beyond all dates. [s]"""
_WITHOUT_ALL = ("CORE", "SOCK", "NODE")
_HALVES = frozenset({"am", "pm"})
NO_ZONE = "times have no zone: specify it, or they cannot be compared with those of runs"
NO_DAY = "the date has the form of a locale: specify the day, or set S_TIME_FORMAT=ISO"
RESTARTED = "the host restarted during the record"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of a CPU or an interface in one interval."""

    source: str
    place: str
    clock: str
    subject: str
    values: dict[str, float]
    begin_utc_s: float | None = None
    end_utc_s: float | None = None
    duration_s: float | None = None
    core: str | None = None
    socket: str | None = None

    def fault(self, problem: str) -> ParseError:
        """An error that names the file and this line."""
        return ParseError(self.source, f"{self.place}{problem}")


@dataclass(kw_only=True)
class Rows:
    """All rows of a file, and the host."""

    host: str | None = None
    cpu_count: int | None = None
    day: date | None = None
    zone: tzinfo | None = None
    rows: list[Row] = field(default_factory=list)
    entries: list[tuple[Node, CpuInterval]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_s390: bool = False

    def note(self, text: str) -> None:
        """Add a note once."""
        if text not in self.notes:
            self.notes.append(text)

    def note_unknown_time(self, text: str) -> None:
        """Add a note on a time that cannot be read."""
        self.note(f"times such as {shown(text)} are of no known form")

    def place(self, day: date | None, zone: tzinfo | None) -> date | None:
        """Set day and zone of the times, with notes where they are missing; returns the day."""
        if day is None:
            self.note(NO_DAY)
        if zone is None:
            self.note(NO_ZONE)
        self.day, self.zone = day, zone
        return day


def name_of_column(printed: str) -> str:
    """Name of a column without what marks its unit, as JSON has it."""
    return printed.strip().lstrip("%").removesuffix("/s").removesuffix("-percent")


def json_host(raw: RawText) -> Node:
    """The one host of a JSON file of sysstat."""
    document = load_json_document(raw, "outputs")
    if not (isinstance(document.value, dict) and document.has("sysstat")):
        raise ParseError(raw.source, "not JSON of sysstat: it has no key sysstat")
    hosts = document.child("sysstat").child("hosts").items()
    if len(hosts) != 1:
        raise ParseError(raw.source, f"holds {len(hosts)} hosts; keep one in a file")
    return hosts[0]


def moment(
    source: str, rows: Rows, stamp: str, interval_s: float | None, zone: tzinfo | None
) -> CpuInterval:
    """Begin and end of an interval, from its printed end with date and perhaps zone."""
    if interval_s is not None and interval_s > _LONGEST_S:
        raise ParseError(source, f"an interval of {interval_s:g} s is longer than a year")
    end_utc_s = None
    day_text, _, rest = stamp.partition(" ")
    time_text, _, zone_name = rest.strip().partition(" ")
    if zone_name.lower() in _HALVES:
        time_text, zone_name = f"{time_text} {zone_name}", ""
    day = iso_day(day_text)
    if _EPOCH.fullmatch(stamp):
        end_utc_s = float(stamp)
    elif day is None or clock_s(time_text) is None:
        rows.note_unknown_time(stamp)
    else:
        zone = UTC if zone_name.strip() in {"UTC", "GMT"} else zone
        if zone is None:
            rows.note(NO_ZONE)
        rows.day, rows.zone = rows.day or day, zone
        clock = Clock(day, zone)
        end_utc_s = clock.utc_s(clock.since_start(time_text))
    return CpuInterval(
        clock=stamp,
        begin_utc_s=None if end_utc_s is None or interval_s is None else end_utc_s - interval_s,
        end_utc_s=end_utc_s,
        duration_s=interval_s,
    )


def json_row(node: Node, empty: CpuInterval, subject_key: str) -> Row:
    """The row of a JSON object; a key of it names the CPU or interface."""
    subject = node.text(subject_key)
    return Row(
        source=node.source,
        place=node.path,
        clock=empty.clock,
        subject=subject,
        values={
            name_of_column(key): node.number(key)
            for key in node.value
            if name_of_column(key) in _READ
        },
        begin_utc_s=empty.begin_utc_s,
        end_utc_s=empty.end_utc_s,
        duration_s=empty.duration_s,
        core=node.text("core") if node.has("core") else None,
        socket=node.text("socket") if node.has("socket") else None,
    )


def csv_rows(raw: RawText, zone: tzinfo | None) -> Rows:
    """Rows of ``sadf -d`` (``;``, with headers) or ``sadf -p`` (tabs, one value to a line)."""
    rows = Rows()
    columns: list[str] = []
    for number, line in enumerate(raw.text.splitlines(), 1):
        if not line.strip():
            continue
        if line.startswith("# "):
            columns = line.removeprefix("# ").strip().split(";")
            if columns[:3] != _FIRST_COLUMNS or len(columns) < _FEWEST_CELLS:
                raise ParseError(raw.source, f"line {number} is not a header of sadf -d")
            if any(_MANY in column for column in columns[:-1]):
                problem = f"line {number} mixes activities (-h): write one at a time"
                raise ParseError(raw.source, problem)
            continue
        is_table = ";" in line
        cells = line.split(";" if is_table else "\t")
        if len(cells) < _FEWEST_CELLS:
            problem = f"line {number} has {len(cells)} cells, fewer than {_FEWEST_CELLS}"
            raise ParseError(raw.source, problem)
        rows.host = rows.host or cells[0]
        if "RESTART" in cells[3]:
            rows.note(RESTARTED)
            cpus = _CPUS.search(line)
            rows.cpu_count = _cpu_count(raw.source, cpus[1]) if cpus else rows.cpu_count
            continue
        if _COMMENT in cells[3].split():
            continue
        csv_line = _CsvLine(raw, rows, number, cells, zone)
        if is_table:
            rows.rows += csv_line.of_table(columns)
        else:
            csv_line.add_metric()
    if not rows.rows:
        raise ParseError(raw.source, "holds no line of sadf -d or sadf -p")
    return rows


_FIRST_COLUMNS = ["hostname", "interval", "timestamp"]
_FEWEST_CELLS = 4
"""These, and a figure or a subject."""
_METRIC_CELLS = 6
"""Of sadf -p: host, interval, time, subject, name and value."""


@dataclass(frozen=True, slots=True)
class _CsvLine:
    """One line of ``sadf -d`` or ``sadf -p``."""

    raw: RawText
    rows_of_file: Rows
    number: int
    cells: list[str]
    zone: tzinfo | None

    def _row(self, subject: str, values: dict[str, float]) -> Row:
        interval_s = self._number(self.cells[1], "interval")
        when = moment(
            self.raw.source, self.rows_of_file, self.cells[2].strip(), interval_s or None, self.zone
        )
        return Row(
            source=self.raw.source,
            place=f"line {self.number}",
            clock=when.clock,
            subject=subject,
            values=values,
            begin_utc_s=when.begin_utc_s,
            end_utc_s=when.end_utc_s,
            duration_s=when.duration_s,
        )

    def _number(self, text: str, name: str) -> float:
        return _number(self.raw.source, f"line {self.number}: {name}", text)

    def of_table(self, columns: list[str]) -> Iterator[Row]:
        """Rows of a line with a value for each column; with ``-h`` the columns repeat."""
        if not columns:
            raise ParseError(self.raw.source, f"line {self.number} stands before any header")
        names = [column.removesuffix(_MANY) for column in columns[3:]]
        cells = self.cells[3:]
        is_many = columns[-1].endswith(_MANY)
        if len(cells) % len(names) or (len(cells) != len(names) and not is_many):
            raise ParseError(
                self.raw.source,
                f"line {self.number} has {len(self.cells)} cells for {len(columns)} columns",
            )
        if names[0] not in {"CPU", "IFACE"}:
            return
        for start in range(0, len(cells), len(names)):
            pairs = list(zip(names, cells[start : start + len(names)], strict=True))
            values = {
                name_of_column(name): self._number(text, name)
                for name, text in pairs[1:]
                if name_of_column(name) in _READ
            }
            yield self._row(pairs[0][1].strip(), values)

    def add_metric(self) -> None:
        """Add the value of a line to the row of its subject and interval."""
        if len(self.cells) != _METRIC_CELLS:
            problem = f"line {self.number} has {len(self.cells)} cells, not {_METRIC_CELLS}"
            raise ParseError(self.raw.source, problem)
        subject, printed, text = (cell.strip() for cell in self.cells[3:])
        name = name_of_column(printed)
        if name not in _READ:
            return
        value = self._number(text, printed)
        last = self.rows_of_file.rows[-1] if self.rows_of_file.rows else None
        same = last is not None and (last.subject, last.clock) == (subject, self.cells[2].strip())
        if last is not None and same and name not in last.values:
            last.values[name] = value
        else:
            self.rows_of_file.rows.append(self._row(subject, {name: value}))


def _number(source: str, place: str, text: str) -> float:
    try:
        value = float(text.strip().removesuffix("%").replace(",", "."))
    except ValueError:
        value = math.nan
    if not 0 <= value <= LARGEST:
        raise ParseError(
            source, f"{place} must be a number from 0 to {LARGEST:g}; got {shown(text)}"
        )
    return value


def _cpu_count(source: str, text: str) -> int:
    if len(text) > len(str(MAX_CPU_COUNT)) or not 0 < int(text) <= MAX_CPU_COUNT:
        raise ParseError(source, f"must have 1 to {MAX_CPU_COUNT} CPUs; has {shown(text)} CPUs")
    return int(text)


def text_rows(raw: RawText, tool: str, day: date | None, zone: tzinfo | None) -> Rows:
    """Rows of the tables that ``mpstat`` and ``sar`` print; averages are left out."""
    lines = raw.text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.strip())
    banner = _BANNER.match(lines[first].strip())
    if banner is None:
        raise ParseError(raw.source, f"not a result of {tool}: line {first + 1} names no host")
    rows = Rows(host=banner["host"], cpu_count=_cpu_count(raw.source, banner["cpus"]))
    day = rows.place(day or iso_day(banner["day"]), zone)
    clock = Clock(day, zone)
    for block in _blocks(lines, first + 1):
        header = lines[block[0]].split()
        if "RESTART" in header:
            rows.note(RESTARTED)
            continue
        if header[0].endswith(":"):  # averages
            continue
        is_halved = len(header) > 1 and header[1].lower() in _HALVES
        times = 2 if is_halved else 1
        columns = header[times:]
        subject = next((name for name in ("CPU", "IFACE") if name in columns), None)
        if subject is not None:
            table = _Table(raw, rows, clock, times, columns, subject)
            rows.rows += table.rows(header, lines, block)
    return rows


def _blocks(lines: list[str], start: int) -> Iterator[range]:
    """Runs of lines without a blank one."""
    borders = [start - 1, *(n for n in range(start, len(lines)) if not lines[n].strip())]
    for before, after in pairwise([*borders, len(lines)]):
        if after - before > 1:
            yield range(before + 1, after)


@dataclass(frozen=True, slots=True)
class _Table:
    """A header of ``mpstat`` or ``sar``, and how to read the lines under it."""

    raw: RawText
    rows_of_file: Rows
    clock: Clock
    times: int
    columns: list[str]
    subject: str

    def rows(self, header: list[str], lines: list[str], block: range) -> Iterator[Row]:
        """A row for each line."""
        begin_s = end_s = self._time(header)
        last = " ".join(header[: self.times])
        for number in block[1:]:
            cells = lines[number].split()
            if cells[0].endswith(":") or cells[self.times : self.times + 1] == [_COMMENT]:
                continue
            printed = " ".join(cells[: self.times])
            if printed != last:
                begin_s, end_s, last = end_s, self._time(cells), printed
            yield self._row(number + 1, printed, cells, begin_s, end_s)

    def _time(self, cells: list[str]) -> float | None:
        printed = " ".join(cells[: self.times])
        seconds = self.clock.since_start(printed)
        if seconds is None:
            self.rows_of_file.note_unknown_time(printed)
        return seconds

    def _row(
        self,
        number: int,
        printed: str,
        cells: list[str],
        begin_s: float | None,
        end_s: float | None,
    ) -> Row:
        names, texts = self.columns, cells[self.times :]
        if len(texts) < len(names):  # all CPUs together are on no one core
            names = [name for name in names if name not in _WITHOUT_ALL]
        if len(texts) != len(names):
            raise ParseError(
                self.raw.source,
                f"line {number} has {len(texts)} values under {len(self.columns)} columns",
            )
        cell_of = dict(zip(names, texts, strict=True))
        elapsed_s = None if begin_s is None or end_s is None else end_s - begin_s
        return Row(
            source=self.raw.source,
            place=f"line {number}",
            clock=printed,
            subject=cell_of[self.subject],
            values={
                name_of_column(name): _number(self.raw.source, f"line {number}: {name}", text)
                for name, text in cell_of.items()
                if name_of_column(name) in _READ
            },
            begin_utc_s=self.clock.utc_s(begin_s),
            end_utc_s=self.clock.utc_s(end_s),
            duration_s=elapsed_s if elapsed_s and elapsed_s > 0 else None,
            core=cell_of.get("CORE"),
            socket=cell_of.get("SOCK"),
        )
