"""CPU time as mpstat, sar and sadf print it, and from copies of ``/proc/stat``."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, tzinfo
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from netmodel.errors import ParseError
from netmodel.readers._document import LARGEST, Node, RawText, load_json_document, shown
from netmodel.readers._host_cpu import DAY_S, CpuInterval, HostCpu, clock_s, iso_day
from netmodel.text import percent_text
from netmodel.units.prefixes import WHOLE_PERCENT

_BUSY = ("usr", "user", "nice", "sys", "system", "irq", "soft", "guest", "gnice")
_NOT_BUSY = ("iowait", "steal", "idle")
"""
Parts of a CPU's time by the names that mpstat, sar and sadf give them in text, CSV and JSON, whose
order differs: those in which the CPU works, and those in which it is idle or was stolen.
"""
_NEEDED = (("usr", "user"), ("nice",), ("sys", "system"), ("iowait",), ("idle",))
_WITHOUT = {
    "soft": "interrupts are part of sys: measure with -u ALL to separate them",
    "steal": "stolen time is not reported: measure with -u ALL",
}
"""Notes on parts that are missing."""
_LEAST, _MOST = WHOLE_PERCENT - 1, WHOLE_PERCENT + 1
"""Sum of ten parts, each rounded to 0.01 %, or to 1 % with ``--dec=0`` where most are 0."""
_NUMBERS = frozenset({int, float})
_CPU = re.compile(r"(?:cpu|CPU)?([0-9]{1,6})", re.ASCII)
_MOST_CPUS = 10**6
"""Linux has at most 8192 CPUs (NR_CPUS): a longer number is damage."""
_ALL = frozenset({"all", "-1"})
_LONGEST_S = 366 * DAY_S
"""A year: daily files of sysstat hold a day, and damage makes times beyond all dates. [s]"""
_EPOCH = re.compile(r"\d{9,11}", re.ASCII)
_HALVES = frozenset({"am", "pm"})
_UTC = (["UTC"], ["GMT"])
"""Names of the only zone that needs no other information, behind a time."""
_COMMENT = "COM"
"""Mark of a comment between the values, with ``sar -C`` and ``sadf -C``."""
_OF_ONE_CPU = ("CORE", "SOCK", "NODE")
"""Columns of ``mpstat -T`` that lines of all CPUs leave out."""
_RESTARTED = "the host restarted during the record"

_When: TypeAlias = tuple[str, float | None, float | None]
"""An interval: its end as printed, its end by the clock of the host, and its length. [s]"""


class _Columns(NamedTuple):
    """Columns of CPU time: the parts in which the CPU works stand first."""

    names: tuple[str, ...]
    parts: Callable[[Sequence[Any]], tuple[Any, ...]]
    busy_count: int
    notes: tuple[str, ...]
    missing: str


@lru_cache(maxsize=64)  # tables of one file, as damage makes many
def _columns(printed: tuple[str, ...]) -> _Columns | None:
    """The columns of a table by their names, without marks of the unit; None without CPU time."""
    places = {
        each.strip().lstrip("%").removesuffix("-percent"): place
        for place, each in enumerate(printed)
    }
    if "idle" not in places:
        return None
    names = tuple(each for each in (*_BUSY, *_NOT_BUSY) if each in places)
    missing = [either[0] for either in _NEEDED if not places.keys() & set(either)]
    return _Columns(
        names,
        itemgetter(*(places[each] for each in names)),
        len(set(names) & set(_BUSY)),
        tuple(note for name, note in _WITHOUT.items() if name not in places),
        "".join(missing[:1]),
    )


@dataclass
class _Record:
    """CPU time of one host, filled row by row."""

    raw: RawText
    tool: str
    day: date | None = None
    zone: tzinfo | None = None
    host: str | None = None
    cpu_count: int | None = None
    place: tuple[Any, ...] = ("",)
    """Form of the name of the line that is read, and the numbers in it."""
    intervals: list[CpuInterval] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    _cpus: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(_ALL))
    _seen: set[str] = field(default_factory=set)
    _busy: dict[int | None, float] = field(default_factory=dict)
    _zones: set[tzinfo | None] = field(default_factory=set)
    _last_s: float | None = None

    def fault(self, problem: str) -> ParseError:
        """An error that names the file and the line that is read."""
        form, *numbers = self.place
        return ParseError(self.raw.source, f"{form.format(*numbers)}{problem}")

    def set_cpu_count(self, count: int) -> None:
        """Set the number of CPUs of the host."""
        if not 0 < count <= _MOST_CPUS:
            raise ParseError(self.raw.source, f"must have 1 to {_MOST_CPUS} CPUs; has {count}")
        self.cpu_count = count

    def since_start_s(self, text: str) -> float | None:
        """Seconds from midnight of the first day to a time of day, on the day nearest the last."""
        seconds = clock_s(text, self._last_s)
        if seconds is None:
            self.notes[f"times such as {shown(text)} are of no known form"] = None
        else:
            self._last_s = seconds
        return seconds

    def dated(self, stamp: str, length_s: float) -> _When:
        """The interval that ends at a date and time, or at seconds since 1970."""
        day_text, *words = stamp.split() or [""]
        is_half = words[1:2] != [] and words[1].lower() in _HALVES
        day, zone, end_s = iso_day(day_text), self.zone, clock_s(" ".join(words[: 1 + is_half]))
        if words[1 + is_half :] in _UTC:
            zone = UTC
        if _EPOCH.fullmatch(stamp):
            day, zone, end_s = date(1970, 1, 1), UTC, float(stamp)
        if day is None or end_s is None:
            self.notes[f"times such as {shown(stamp)} are of no known form"] = None
            return stamp, None, length_s or None
        self._zones.add(zone)
        self.day = self.day or day
        return stamp, end_s + (day - self.day).days * DAY_S, length_s or None

    def columns(self, printed: Iterable[str]) -> _Columns | None:
        """The columns of a table of CPU time; None for other tables."""
        columns = _columns(tuple(printed))
        if columns is not None and columns.missing:
            raise self.fault(f".{columns.missing} is missing")
        if columns is not None and columns.notes:
            self.notes.update(dict.fromkeys(columns.notes))
        return columns

    def add(self, when: _When, cpu: str, columns: _Columns, cells: Sequence[Any]) -> None:
        """Add a CPU; another time, or a CPU that comes again, begins the next interval."""
        if cpu not in self._cpus:
            match = _CPU.fullmatch(cpu)
            if match is None:
                raise self.fault(f" must be a CPU or all; got {shown(cpu)}")
            self._cpus[cpu] = int(match[1])
        if not self.intervals or when[0] != self.intervals[-1].clock or cpu in self._seen:
            if when[2] is not None and not when[2] <= _LONGEST_S:
                raise self.fault(f": an interval of {when[2]:g} s is longer than a year")
            self._busy, self._seen = {}, set()
            self.intervals.append(CpuInterval(self._busy, *when))
        self._seen.add(cpu)
        parts = columns.parts(cells)
        is_number = _NUMBERS.issuperset(map(type, parts))
        is_share = is_number and min(parts) >= 0 and max(parts) <= WHOLE_PERCENT
        total = sum(parts) if is_share else math.nan
        if not _LEAST <= total <= _MOST:
            for name, value in zip(columns.names, parts, strict=True):
                if type(value) not in _NUMBERS or not 0 <= value <= WHOLE_PERCENT:
                    problem = f"must be from 0 to {WHOLE_PERCENT} %; got {shown(value)}"
                    raise self.fault(f".{name} {problem}")
            printed = percent_text(total / WHOLE_PERCENT, 4)
            if total > _MOST:
                raise self.fault(f": the parts add up to {printed}")
            if not total:
                self.notes[f"CPU {cpu} was offline for a time: all its parts are 0"] = None
                return
            self.notes[f"parts of a CPU's time add up to only {printed}"] = None
        self._busy[self._cpus[cpu]] = sum(parts[: columns.busy_count]) / WHOLE_PERCENT

    def result(self) -> HostCpu:
        """The host with its intervals, in UTC where day and zone are known."""
        intervals = tuple(each for each in self.intervals if each.busy_ratios)
        if not intervals:
            raise ParseError(self.raw.source, f"{self.tool} has no CPU time here: use -P ALL")
        if len(self._zones) > 1:
            raise ParseError(self.raw.source, "has times in UTC and times without a zone")
        return HostCpu(
            source=self.raw.source,
            sha256=self.raw.sha256,
            tool=self.tool,
            host=self.host,
            cpu_count=self.cpu_count,
            intervals=intervals,
            notes=tuple(self.notes),
        ).in_utc(self.day, self._zones.pop() if self._zones else self.zone)


def read_sysstat(
    raw: RawText,
    tool: str,
    *,
    day: date | None = None,
    zone: tzinfo | None = None,
    interval_s: float | None = None,
) -> HostCpu:
    """
    CPU time from ``mpstat -P ALL``, ``sar -u ALL -P ALL``, and ``sadf -j`` or ``-d`` of the same.

    Averages and other activities are left out. Stolen time is part of the whole and never busy.
    mpstat never prints the time zone, nor, in JSON of a single interval, its length; JSON of sadf
    marks UTC with ``"utc": 1``, from version 12.7.1 with ``"tz": "UTC"``. Without ``-u ALL``
    interrupts are part of the kernel's time.

    References: sysstat 12.6.1: ``mpstat.c``, ``rd_stats.c``, ``pr_stats.c``, ``json_stats.c``,
    ``rndr_stats.c``; issues 159, 214, 314, 421.
    """
    record = _Record(raw, tool, day, zone)
    if raw.text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        _read_json(record, interval_s)
    elif tool == "sadf":
        _read_csv(record)
    else:
        _read_tables(record)
    return record.result()


# JSON, of which the statistics are decoded one by one: they may have a hundred megabytes

_STATISTICS = re.compile(r'"statistics"\s*:\s*\[')
_BEGIN = re.compile(r"[^\s,]")
"""Of an entry, or the end of the list."""
_DECODER = json.JSONDecoder()
_OPENING, _CLOSING = '{"sysstat": {"hosts": [{"statistics": [', "]}]}}"
"""What stands before and behind the statistics of a host."""


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


def _entries(record: _Record, position: int) -> Iterator[Node]:
    """The objects of the list that begins here; what stands behind must close the document."""
    raw, text, number = record.raw, record.raw.text, 0
    while True:
        begin = _BEGIN.search(text, position)
        position = begin.start() if begin else len(text)
        if text.startswith("]", position):
            break
        path = f"sysstat.hosts[0].statistics[{number}]"
        try:
            value, position = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            load_json_document(raw, "outputs")
            raise ParseError(raw.source, f"{path} is not one of a list") from None
        yield Node(raw.source, path, value)
        number += 1
    if _only_host(raw, f"{_OPENING}{text[position:]}").value.get("restarts"):
        record.notes[_RESTARTED] = None


def _read_json(record: _Record, interval_s: float | None) -> None:
    """CPU time of ``mpstat -o JSON`` and ``sadf -j``."""
    raw = record.raw
    begin = _STATISTICS.search(raw.text)
    host = _only_host(raw, f"{raw.text[: begin.end()]}{_CLOSING}" if begin else raw.text)
    record.host = host.text("nodename")
    record.set_cpu_count(host.count("number-of-cpus"))
    if begin is None:
        raise host.child("statistics").fault("must be a list")
    is_sadf = record.tool == "sadf"
    if not is_sadf:
        record.day = record.day or iso_day(host.text("date"))
    ends_s: list[float | None] = []
    for entry in _entries(record, begin.end()):
        if not is_sadf:
            clock = entry.text("timestamp")
            ends_s.append(record.since_start_s(clock))
            when: _When = clock, ends_s[-1], interval_s
        elif entry.has("timestamp"):  # after a restart an entry may be empty
            stamp = entry.child("timestamp")
            name = "UTC" if stamp.members().get("utc") else stamp.value.get("tz", "")
            clock = f"{stamp.text('date')} {stamp.text('time')} {name}".rstrip()
            when = record.dated(clock, stamp.number("interval"))
        else:
            continue
        loads = entry.value.get("cpu-load", [])
        if type(loads) is not list:
            raise entry.child("cpu-load").fault("must be a list")
        for place, row in enumerate(loads):
            record.place = "{}.cpu-load[{}]", entry.path, place
            if type(row) is not dict or type(cpu := row.get("cpu")) is not str:
                raise record.fault(" must be an object with the name of its cpu")
            if columns := record.columns(row):
                record.add(when, cpu, columns, [*row.values()])
    known_s = [each for each in ends_s if each is not None]
    if interval_s is None and 1 < len(known_s) == len(ends_s) and known_s[-1] > known_s[0]:
        length_s = (known_s[-1] - known_s[0]) / (len(known_s) - 1)  # mpstat has equal intervals
        record.intervals = [replace(each, duration_s=length_s) for each in record.intervals]


# CSV and text

_FIRST_COLUMNS = ["hostname", "interval", "timestamp"]
_BANNER = re.compile(r"\S.* \((?P<host>[^)]*)\)\s+(?P<day>\S.*?)\s+_\S+_\s+\((?P<cpus>\d+) CPU\)")
_CPUS = re.compile(r"\((\d{1,9}) CPU\)")


def _numbers(cells: Sequence[str]) -> list[float | str]:
    """The numbers of a line, in any locale; a cell that is none stays text."""
    numbers: list[float | str] = []
    for cell in cells:
        try:
            numbers.append(float(cell.strip().removesuffix("%").replace(",", ".")))
        except ValueError:
            numbers.append(cell)
    return numbers


def _read_csv(record: _Record) -> None:
    """CPU time of ``sadf -d``."""
    header: list[str] = []
    cpus: set[str] = set()
    for number, line in enumerate(record.raw.text.splitlines(), 1):
        if not line.strip():
            continue
        record.place = "line {}", number
        if line.startswith("# "):
            header = line.removeprefix("# ").strip().split(";")
            if header[:3] != _FIRST_COLUMNS or len(header) == len(_FIRST_COLUMNS):
                raise record.fault(" is not a header of sadf -d")
            if "[...]" in line:
                raise record.fault(" has all CPUs on one line: leave out -h of sadf")
            continue
        cells = line.split(";")
        if len(cells) <= len(_FIRST_COLUMNS):
            raise record.fault(f" has {len(cells)} cells: write the file with sadf -j or -d")
        record.host = record.host or cells[0]
        if "RESTART" in cells[3]:
            record.notes[_RESTARTED] = None
            if match := _CPUS.search(line):
                record.set_cpu_count(int(match[1]))
            continue
        if _COMMENT in cells[3].split():
            continue
        if not header:
            raise record.fault(" stands before any header")
        if len(cells) != len(header):
            raise record.fault(f" has {len(cells)} cells for {len(header)} columns")
        columns = record.columns(header[3:]) if header[3] == "CPU" else None
        if columns is None:
            continue
        (length_s,) = _numbers(cells[1:2])
        if isinstance(length_s, str) or not 0 <= length_s <= LARGEST:
            raise record.fault(f": interval must be a number; got {shown(cells[1])}")
        cpu = cells[3].strip()
        cpus.add(cpu)
        when = record.dated(cells[2].strip(), length_s)
        record.add(when, cpu, columns, _numbers(cells[3:]))
    record.cpu_count = record.cpu_count or len(cpus - _ALL) or None


def _read_tables(record: _Record) -> None:
    """CPU time of the tables that mpstat and sar print, each up to a blank line."""
    raw = record.raw
    lines = enumerate(raw.text.splitlines(), 1)
    number, first = next((number, line) for number, line in lines if line.strip())
    banner = _BANNER.match(first.strip())
    if banner is None:
        raise ParseError(raw.source, f"not a result of {record.tool}: line {number} names no host")
    record.host = banner["host"]
    record.set_cpu_count(int(banner["cpus"][:9]))
    record.day = record.day or iso_day(banner["day"])
    is_header, words, names, columns = True, 1, [""], None
    when: _When = "", None, None
    for number, line in lines:
        cells = line.split()
        if not cells:
            is_header = True
            continue
        record.place = "line {}", number
        if is_header:
            is_header, columns = False, None
            words = 2 if cells[1:2] and cells[1].lower() in _HALVES else 1
            names = cells[words:]
            if "RESTART" in cells:
                record.notes[_RESTARTED] = None
            elif not cells[0].endswith(":") and "CPU" in names:  # averages have no time
                columns, clock = record.columns(names), " ".join(cells[:words])
                when = clock, record.since_start_s(clock), 0.0
            continue
        if columns is None or cells[0].endswith(":") or cells[words : words + 1] == [_COMMENT]:
            continue
        clock, values = " ".join(cells[:words]), cells[words:]
        if clock != when[0]:
            begin_s, end_s = when[1], record.since_start_s(clock)
            length_s = None if begin_s is None or end_s is None else max(end_s - begin_s, 0.0)
            when = clock, end_s, length_s
        own = names
        if len(values) < len(names):  # all CPUs together are on no one core
            own = [each for each in names if each not in _OF_ONE_CPU]
        if len(values) != len(own):
            raise record.fault(f" has {len(values)} values under {len(names)} columns")
        if columns := record.columns(own):
            record.add(when, values[own.index("CPU")], columns, _numbers(values))


# copies of /proc/stat

_STATES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
"""Counters of a line; those of guests, which follow, are part of user and nice too."""
_MAY_FALL = frozenset({"idle", "iowait"})
_LEAST_COUNTERS = 4
"""Kernels before 2.6 had four, later ones append."""
_CPU_LINE = re.compile(r"cpu([0-9]{0,6})", re.ASCII)
_STAMP = re.compile(r"\d{9,10}(?:\.\d{1,9})?", re.ASCII)
"""Seconds since 1970, as ``date +%s`` or ``date +%s.%N`` prints them."""
_TICKS_PER_S = 100
"""USER_HZ of Linux, in which /proc/stat counts, on all architectures but Alpha (proc(5))."""
_COUNTED_RATIO = 0.95
"""
Counted time over wall time that needs no note: the kernel rounds each of ten counters of a CPU
down to a tick, up to 5 % of 2 s.
"""


class _Copy(NamedTuple):
    """A copy of ``/proc/stat``, its time, and the time at which the host started."""

    utc_s: float | None
    ticks: dict[int | None, tuple[int, ...]]
    boot: list[str]


def read_proc_stat(raw: RawText) -> HostCpu:
    """
    CPU time between the copies of ``/proc/stat`` in one file, one after the other.

    Each may stand below a line with its time in seconds since 1970, as ``date +%s.%N`` prints it.
    Idle and iowait are not reliable and may fall: such a change is 0, with a note.

    Most kernels sample what a CPU does at each tick (100 to 1000 per second). Programs that wake up
    by a timer, such as a paced iperf3, run in step with the ticks: the samples then show several
    times too much or next to nothing. Idle time is measured by the clock. With times to fractions
    of a second, busy time is therefore wall time less idle, iowait and stolen time. A note says by
    how much all ticks fall short of wall time or exceed it.

    References: Linux, proc(5), ``Documentation/filesystems/proc.rst``, section 1.7, and
    ``get_idle_time`` in ``fs/proc/stat.c``.
    """
    copies: list[_Copy] = []
    before = ""
    for number, line in enumerate(raw.text.splitlines(), 1):
        name, *texts = line.split() or [""]
        match = _CPU_LINE.fullmatch(name)
        if name == "cpu":
            stamp = before.strip()
            copies.append(_Copy(float(stamp) if _STAMP.fullmatch(stamp) else None, {}, []))
        if match and copies:
            cpu = int(match[1]) if match[1] else None
            if len(texts) < _LEAST_COUNTERS or not all(map(_is_count, texts)):
                problem = f"line {number} must be counts of 64 bits; got {shown(line)}"
                raise ParseError(raw.source, problem)
            if cpu in copies[-1].ticks:
                raise ParseError(raw.source, f"line {number} is a second {name}")
            copies[-1].ticks[cpu] = tuple(map(int, texts))
        elif name == "btime" and copies:
            copies[-1].boot.extend(texts)
        before = line
    if len(copies) < 2:
        raise ParseError(raw.source, "holds one copy of /proc/stat: CPU time needs two")
    notes: dict[str, None] = {}
    return HostCpu(
        source=raw.source,
        sha256=raw.sha256,
        tool="/proc/stat",
        cpu_count=len(copies[-1].ticks) - 1 or None,
        intervals=tuple(_between(raw.source, *pair, notes) for pair in pairwise(copies)),
        is_utc=True,
        notes=tuple(notes),
    )


def _between(source: str, first: _Copy, last: _Copy, notes: dict[str, None]) -> CpuInterval:
    """CPU time from a copy to the next."""
    duration_s = None
    if first.utc_s is not None and last.utc_s is not None:
        duration_s = last.utc_s - first.utc_s
        if duration_s <= 0:
            raise ParseError(source, "the copies of /proc/stat are not in the order of time")
    if first.boot != last.boot:
        raise ParseError(source, "line btime: the host restarted between the copies")
    if first.ticks.keys() != last.ticks.keys():
        raise ParseError(source, "has other CPUs than the first copy")
    # a time in whole seconds is too coarse for wall time less idle time
    is_exact = all(each.utc_s is not None and each.utc_s % 1 for each in (first, last))
    busy_ratios: dict[int | None, float] = {}
    for cpu, counts in last.ticks.items():
        name = "cpu" if cpu is None else f"cpu{cpu}"
        earlier = first.ticks[cpu]
        if len(earlier) != len(counts):
            problem = f"{name} has another number of values than in the first copy"
            raise ParseError(source, problem)
        spent = {}
        for state, start, end in zip(_STATES, earlier, counts, strict=False):
            spent[state] = max(end - start, 0)
            if end < start and state not in _MAY_FALL:
                raise ParseError(source, f"{name}: {state} fell since the first copy")
            if end < start:
                notes[f"{name}: {state} fell by {start - end} ticks, counted as 0"] = None
        total = sum(spent.values())
        if not total:
            continue
        rest = sum(spent.get(state, 0) for state in ("idle", "iowait", "steal"))
        busy_ratios[cpu] = (total - rest) / total
        # the number of CPUs is not known of a copy that has their sum alone
        cpu_count = 1 if cpu is not None else len(last.ticks) - 1
        if not (duration_s and cpu_count):
            continue
        wall = duration_s * cpu_count * _TICKS_PER_S
        if cpu is None and not _COUNTED_RATIO <= total / wall <= 1 / _COUNTED_RATIO:
            by_ticks, by_idle = ((each - rest) / wall * cpu_count for each in (total, wall))
            note = (
                f"the kernel counted {total / _TICKS_PER_S:.2f} s of {wall / _TICKS_PER_S:.2f} s "
                f"of CPU time: busy CPUs {by_ticks:.3g} by ticks, {by_idle:.3g} by idle time"
            )
            notes[note] = None
        if is_exact:
            if _COUNTED_RATIO * rest > wall:
                raise ParseError(
                    source,
                    f"{name} was idle for {rest / _TICKS_PER_S:.2f} s in "
                    f"{wall / _TICKS_PER_S:.2f} s: the times of the copies are wrong",
                )
            busy_ratios[cpu] = max(wall - rest, 0) / max(wall, rest)
    if not busy_ratios:
        raise ParseError(source, "no time passed between the copies")
    return CpuInterval(busy_ratios, end_s=last.utc_s, duration_s=duration_s)


def _is_count(text: str) -> bool:
    """Whether a text is a whole number below 2^64, which has at most 20 digits."""
    is_short = len(text) <= 20  # int() refuses thousands of digits
    return text.isascii() and text.isdigit() and is_short and int(text) < 2**64
