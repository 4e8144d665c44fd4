"""Rows of what sysstat prints, by the names of columns and never by their order."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, tzinfo
from functools import cache

from netmodel.errors import ParseError
from netmodel.readers._document import LARGEST, Node, RawText, load_json_document, shown
from netmodel.readers._host_cpu import DAY_S, Clock, CpuInterval, clock_s, iso_day

_BANNER = re.compile(r"\S.* \((?P<host>[^)]*)\)\s+(?P<day>\S.*?)\s+_\S+_\s+\((?P<cpus>\d+) CPU\)")
_READ = frozenset(
    {"usr", "user", "nice", "sys", "system", "iowait", "irq", "soft", "steal", "guest", "gnice"}
    | {"idle"}
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


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a CPU in one interval."""

    source: str
    place: str
    when: CpuInterval
    subject: str
    values: dict[str, float]
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
    rows: Iterable[Row] = ()
    notes: list[str] = field(default_factory=list)

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


@cache
def name_of_column(printed: str) -> str:
    """Name of a column without what marks its unit, as JSON has it."""
    return printed.strip().lstrip("%").removesuffix("/s").removesuffix("-percent")


def json_host(raw: RawText) -> tuple[Node, Iterator[Node]]:
    """The one host of a JSON file of sysstat, and its statistics, decoded one by one."""
    begin = _STATISTICS.search(raw.text)
    if begin is None:
        host = _only_host(raw, raw.text)
        return host, host.child("statistics").each()
    host = _only_host(raw, f"{raw.text[: begin.end()]}{_CLOSING}")
    return host, _entries(raw, begin.end(), host.path)


def _only_host(raw: RawText, text: str) -> Node:
    try:
        document = load_json_document(replace(raw, text=text), "outputs")
    except ParseError:
        document = load_json_document(raw, "outputs")  # names the place of the fault
    if not (isinstance(document.value, dict) and document.has("sysstat")):
        raise ParseError(raw.source, "not JSON of sysstat: it has no key sysstat")
    hosts = document.child("sysstat").child("hosts").items()
    if len(hosts) != 1:
        raise ParseError(raw.source, f"holds {len(hosts)} hosts; keep one in a file")
    return hosts[0]


def _entries(raw: RawText, position: int, path: str) -> Iterator[Node]:
    """The objects of the list that begins here; what stands behind them must close the document."""
    text, number = raw.text, 0
    while (position := _BETWEEN.match(text, position).end()) == len(text) or text[position] != "]":  # type: ignore[union-attr]
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            load_json_document(raw, "outputs")
            raise ParseError(raw.source, f"{path}.statistics must be a list") from None
        yield Node(raw.source, f"{path}.statistics[{number}]", value)
        number += 1
    _only_host(raw, f"{_OPENING}{text[position:]}")


_STATISTICS = re.compile(r'"statistics"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()
_OPENING, _CLOSING = '{"sysstat": {"hosts": [{"statistics": [', "]}]}}"
"""What stands before and behind the statistics of a host."""


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


def json_row(node: Node, when: CpuInterval) -> Row:
    """The row of a JSON object, which names its CPU."""
    columns = map(name_of_column, node.members())
    values = {
        column: value if type(value) is float and 0 <= value <= LARGEST else node.number(key)
        for column, (key, value) in zip(columns, node.value.items(), strict=True)
        if column in _READ
    }
    core = node.text("core") if node.has("core") else None
    socket = node.text("socket") if node.has("socket") else None
    return Row(node.source, node.path, when, node.text("cpu"), values, core, socket)


def csv_rows(raw: RawText, zone: tzinfo | None) -> Rows:
    """Rows of ``sadf -d``."""
    rows = Rows()
    rows.rows = _csv_rows(raw, rows, zone)
    return rows


_FIRST_COLUMNS = ["hostname", "interval", "timestamp"]
_FEWEST_CELLS = 4
"""These, and a figure or a subject."""


def _csv_rows(raw: RawText, file: Rows, zone: tzinfo | None) -> Iterator[Row]:
    columns: list[str] = []
    for number, line in enumerate(raw.text.splitlines(), 1):
        if not line.strip():
            continue

        def fault(problem: str, number: int = number) -> ParseError:
            return ParseError(raw.source, f"line {number} {problem}")

        if line.startswith("# "):
            columns = line.removeprefix("# ").strip().split(";")
            if columns[:3] != _FIRST_COLUMNS or len(columns) < _FEWEST_CELLS:
                raise fault("is not a header of sadf -d")
            if any(_MANY in column for column in columns[:-1]):
                raise fault("mixes activities (-h): write one at a time")
            continue
        cells = line.split(";")
        if len(cells) < _FEWEST_CELLS:
            raise fault(f"has {len(cells)} cells: write the file with sadf -j or -d")
        file.host = file.host or cells[0]
        if "RESTART" in cells[3]:
            file.note(RESTARTED)
            cpus = _CPUS.search(line)
            file.cpu_count = _cpu_count(raw.source, cpus[1]) if cpus else file.cpu_count
            continue
        if _COMMENT in cells[3].split():
            continue
        if not columns:
            raise fault("stands before any header")
        names, is_many = [each.removesuffix(_MANY) for each in columns[3:]], _MANY in columns[-1]
        if (len(cells) - 3) % len(names) or not (is_many or len(cells) == len(columns)):
            raise fault(f"has {len(cells)} cells for {len(columns)} columns")
        if names[0] != "CPU":
            continue
        interval_s = _number(raw.source, f"line {number}: interval", cells[1])
        when = moment(raw.source, file, cells[2].strip(), interval_s or None, zone)
        for start in range(3, len(cells), len(names)):  # with -h the columns repeat
            texts = cells[start : start + len(names)]
            yield _row(raw, number, when, names[0], dict(zip(names, texts, strict=True)))


def _row(raw: RawText, number: int, when: CpuInterval, subject: str, cells: dict[str, str]) -> Row:
    """The row of a line, from its cells by the names of their columns."""
    values = {
        name_of_column(name): _number(raw.source, f"line {number}: {name}", text)
        for name, text in cells.items()
        if name_of_column(name) in _READ
    }
    place, cpu = f"line {number}", cells[subject].strip()
    return Row(raw.source, place, when, cpu, values, cells.get("CORE"), cells.get("SOCK"))


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
    numbered = [*enumerate(lines[first + 1 :], first + 2)]
    rows.rows = _text_rows(raw, rows, numbered, Clock(day, zone))
    return rows


def _text_rows(
    raw: RawText, file: Rows, lines: Iterable[tuple[int, str]], clock: Clock
) -> Iterator[Row]:
    """Rows below a header that names the CPU, up to the next blank line."""
    names: list[str] = []
    begin_s = end_s = None
    is_header, times, last = True, 1, ""
    for number, line in lines:
        cells = line.split()
        if not cells:
            is_header = True
            continue
        if is_header:
            times = 2 if len(cells) > 1 and cells[1].lower() in _HALVES else 1
            is_table = not cells[0].endswith(":") and "CPU" in cells[times:]  # averages: no times
            names = cells[times:] if is_table else []
            if "RESTART" in cells:
                names = []
                file.note(RESTARTED)
        elif not names or cells[0].endswith(":") or cells[times : times + 1] == [_COMMENT]:
            continue
        printed = " ".join(cells[:times])
        if names and (is_header or printed != last):
            begin_s, end_s, last = end_s, clock.since_start(printed), printed
            if end_s is None:
                file.note_unknown_time(printed)
            if is_header:
                begin_s = end_s
        if is_header:
            is_header = False
            continue
        texts, columns = cells[times:], names
        if len(texts) < len(names):  # all CPUs together are on no one core
            columns = [name for name in names if name not in _WITHOUT_ALL]
        if len(texts) != len(columns):
            problem = f"line {number} has {len(texts)} values under {len(names)} columns"
            raise ParseError(raw.source, problem)
        elapsed_s = None if begin_s is None or end_s is None else end_s - begin_s
        when = CpuInterval(
            clock=printed,
            begin_utc_s=clock.utc_s(begin_s),
            end_utc_s=clock.utc_s(end_s),
            duration_s=elapsed_s if elapsed_s and elapsed_s > 0 else None,
        )
        yield _row(raw, number, when, "CPU", dict(zip(columns, texts, strict=True)))
