"""CPU time of a host as mpstat, sar and sadf print it, and from copies of ``/proc/stat``."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from itertools import count, pairwise
from operator import itemgetter
from time import strptime
from typing import Any, TypeAlias

from netmodel.errors import ContradictionError, ParseError
from netmodel.readers._document import Node, RawText, Source, load_json_document, read_text, shown
from netmodel.results import Result
from netmodel.text import percent_text
from netmodel.units.prefixes import WHOLE_PERCENT

DAY_S = 24 * 60 * 60  # no tool counts leap seconds
_YEARS = range(1971, 2200)
"""Years in which every day and zone is a time after 1970 that datetime can represent."""

Span: TypeAlias = tuple[float, float]
"""Begin and end. [s]"""


def clock_s(text: str, last_s: float | None = None) -> float | None:
    """
    Seconds since midnight of a first day, on the day nearest to the last time, if any.

    None where the text is no time of day.
    """
    for form in ("%H:%M:%S", "%I:%M:%S %p"):
        with suppress(ValueError):
            read = strptime(text.replace(".", "").strip(), form)
            seconds = 3600.0 * read.tm_hour + 60 * read.tm_min + read.tm_sec
            return seconds + DAY_S * (0 if last_s is None else round((last_s - seconds) / DAY_S))
    return None


def iso_day(text: str) -> date | None:
    """Return the day of an ISO 8601 date; None for others, whose day and month are ambiguous."""
    with suppress(ValueError):
        day = date.fromisoformat(text.strip())
        return day if day.year in _YEARS else None
    return None


@dataclass(frozen=True, slots=True)
class CpuInterval:
    """
    One interval of a record of CPU time; None stands for what is not reported.

    Parameters
    ----------
    busy_ratios : mapping of int to float
        Share of its time in which each CPU worked: neither idle nor stolen. Under None that of all
        CPUs together.
    clock : str
        Its end as printed.
    end_s : float
        Its end: since 1970, UTC, where the host's record is in UTC, else since midnight of the
        first day by the clock of the host. [s]
    duration_s : float
        Its length. [s]
    """

    busy_ratios: Mapping[int | None, float]
    clock: str = ""
    end_s: float | None = None
    duration_s: float | None = None

    @property
    def span(self) -> Span | None:
        """Begin and end, where both are known."""
        if self.end_s is None or self.duration_s is None:
            return None
        return self.end_s - self.duration_s, self.end_s


@dataclass(frozen=True, kw_only=True, repr=False)
class HostCpu(Result):
    """
    CPU time of a host.

    Parameters
    ----------
    source : str
        File that it was read from.
    sha256 : str
        Of the bytes of the file.
    tool : str
        Tool that measured.
    host : str
        Name of the host, if reported.
    cpu_count : int
        CPUs as the operating system counts them: hardware threads, where cores have several.
    intervals : tuple of CpuInterval
        In the order of the file.
    day : datetime.date
        Day on which the first interval ended, by the clock of the host.
    zone : datetime.tzinfo
        Time zone of the times in the file.
    is_utc : bool
        Whether the times of the intervals are in UTC, which needs both.
    notes : tuple of str
        What limits the use of these numbers, most important first.

    Examples
    --------
    >>> from netmodel.readers import read_host_cpu
    >>> copies = b"cpu 0 0 0 0\\ncpu0 0 0 0 0\\ncpu 50 0 0 150\\ncpu0 50 0 0 150\\n"
    >>> host = read_host_cpu(copies)
    >>> host.cpu_count, host.busy_cpu_count()
    (1, 0.25)
    """

    source: str
    sha256: str
    tool: str
    host: str | None = None
    cpu_count: int | None = None
    intervals: tuple[CpuInterval, ...] = ()
    day: date | None = None
    zone: tzinfo | None = None
    is_utc: bool = False
    notes: tuple[str, ...] = ()

    @property
    def span(self) -> Span | None:
        """Begin of the first interval and end of the last in UTC, where both are known."""
        spans = [each.span for each in (*self.intervals[:1], *self.intervals[-1:])]
        if not self.is_utc or not spans or spans[0] is None or spans[-1] is None:
            return None
        return spans[0][0], spans[-1][1]

    def in_utc(self) -> "HostCpu":
        """Return the record with its times in UTC, where day and zone are known."""
        if self.day is None or self.zone is None:
            return self
        day = datetime.combine(self.day, time())
        first_s = next((each.end_s for each in self.intervals if each.end_s is not None), 0.0)
        utc_s = (day + timedelta(seconds=first_s)).replace(tzinfo=self.zone).timestamp()
        return self.moved(utc_s - first_s)

    def moved(self, shift_s: float) -> "HostCpu":
        """Return the record in UTC, by the seconds that UTC is ahead of its own clock."""
        intervals = tuple(
            each if each.end_s is None else replace(each, end_s=each.end_s + shift_s)
            for each in self.intervals
        )
        return replace(self, intervals=intervals, is_utc=True)

    def busy_cpu_count(self, intervals: Iterable[CpuInterval] | None = None) -> float:
        """
        Return the mean number of busy CPUs.

        Parameters
        ----------
        intervals : iterable of CpuInterval, optional
            Intervals that count; all when left out.

        Returns
        -------
        busy_cpu_count : float
            Mean over the intervals, weighted by length where all are known.

        Raises
        ------
        ContradictionError
            If there is no interval, or one does not report all CPUs.
        """
        chosen = tuple(self.intervals if intervals is None else intervals)
        if not chosen:
            raise ContradictionError(f"{self.source}: no interval with CPU time")
        lengths_s = [each.duration_s or 0.0 for each in chosen]
        weights = lengths_s if all(lengths_s) else [1.0] * len(chosen)
        total = 0.0
        for each, weight in zip(chosen, weights, strict=True):
            of_all = each.busy_ratios.get(None)
            if of_all is None and len(each.busy_ratios) != self.cpu_count:
                count = f"{len(each.busy_ratios)} CPUs of {self.cpu_count or 'an unknown number'}"
                problem = f"the interval to {each.clock or 'its end'} has {count}"
                raise ContradictionError(f"{self.source}: {problem}")
            if self.cpu_count is None:
                problem = "the number of CPUs is not reported: record each CPU (-P ALL)"
                raise ContradictionError(f"{self.source}: {problem}")
            busy = sum(each.busy_ratios.values()) if of_all is None else of_all * self.cpu_count
            total += busy * weight
        return total / sum(weights)


# Formats

_BANNER = (  # words of the day one by one: without a way back, long blanks take linear time
    r"\s*Linux \S+ \((?P<host>[^)\n]*)\)\s+(?P<day>[^\s_]++(?: [^\s_]++)*+)"
    r"\s+_\S+_\s+\((?P<cpus>\d{1,9}) CPU\)\s++"
)
"""First line of every text of sysstat, with the blank lines behind it."""
_FORMATS = {
    "sadf": r"(?s)\s*\{\s*\"sysstat\"\s*:(?=[^\[]*\[[^\[]*\"file-date\")|# hostname;int",
    "mpstat": rf'\s*\{{\s*"sysstat"\s*:|{_BANNER}.{{0,20}}\bCPU\b.{{0,80}}(?:%iowait +%irq|intr/s)',
    "sar": _BANNER,
    "/proc/stat": r"\s*(?:[0-9.]+\s+)?cpu +[0-9]+ [0-9]+ [0-9]+ [0-9]+",
}
"""How the texts of each format begin, in the order in which they are tried."""
_BESIDE = ": netmodel measure records it beside a run; for a load give ip -s link twice, 10 s apart"
NOT_READ = {
    r"\s*<\?xml[^<]*<!DOCTYPE (?:sysstat|svg) ": "another form of sadf: write -d or -j",
    r"[^\s;]+[\t;]-?\d+[\t;](?:\d{4}-\d|\d{9,11}[\t;])": "sadf without a header: write -d or -j",
    r'NIC s|(Set|Feat)\w+ f|driver: \S+\nv|\[ \{\s*"ifname": \S+\s+"(eth|rx)-': f"ethtool{_BESIDE}",
    r'\{"kernel":|#kernel|Ip: Forwarding|TcpExt:|\[\{"kind":|\s+CPU0 ': f"kernel counters{_BESIDE}",
    r"qdisc \S+ [0-9a-f]+: dev ": f"kernel counters{_BESIDE}",
    r'\s*\[[\s{},]*"ifindex"|\d+: \S+: <': "ip without counters: give ip -s link twice, 10 s apart",
}
"""How files begin that are not read, and what to use instead: they lie beside results."""


def read_host_cpu(source: Source, *, zone: tzinfo | None = None) -> HostCpu:
    """
    Read the CPU time that a file shows of a host, from any tool.

    Parameters
    ----------
    source : path or bytes
        File with the output of mpstat, sadf or sar, or its content, or copies
        of ``/proc/stat``, one after the other; each may stand below a line with its time, as
        ``date +%s.%N`` prints it.
    zone : datetime.tzinfo, optional
        Time zone of the times that mpstat, sar and sadf print, where the file
        does not report it.

    Returns
    -------
    cpu : HostCpu
        With all intervals of the file.

    Raises
    ------
    ParseError
        If the file is of no such format, is cut off, or holds an impossible
        value; the message names the file, and the key or line.

    Examples
    --------
    One CPU, busy for a quarter of the ticks between two copies:

    >>> read_host_cpu(b"cpu 0 0 0 0\\ncpu 50 0 0 150\\n").intervals[0].busy_ratios
    {None: 0.25}
    """
    raw = read_text(source)
    name = recognised_host_state(raw.text)
    if name is not None:
        return read_proc_stat(raw) if name == "/proc/stat" else read_sysstat(raw, name, zone)
    wanted = "use mpstat, sar, sadf -d or -j, or two copies of /proc/stat in one file"
    raise ParseError(raw.source, f"no CPU time in a known format: {wanted}")


def recognised_host_state(text: str) -> str | None:
    """Name of the format of a text, also where it is damaged further down; None for others."""
    return next((x for x, mark in _FORMATS.items() if re.match(mark, text.lstrip("\ufeff"))), None)


# sysstat

_BUSY = ("usr", "user", "nice", "sys", "system", "irq", "soft", "guest", "gnice")
_NOT_BUSY = ("iowait", "steal", "idle")
"""
Parts of a CPU's time by the names that mpstat, sar and sadf give them in text, CSV and JSON, whose
order differs: those in which the CPU works, and those in which it is idle or was stolen.
"""
_NEEDED = (("usr", "user"), ("nice",), ("sys", "system"), ("iowait",))
_LEAST, _MOST = WHOLE_PERCENT - 5, WHOLE_PERCENT + 1
"""Sum of ten parts, each rounded to 0.01 %, or down to 1 % with ``--dec=0``; less lacks a part."""
_NUMBERS = frozenset({int, float})
_CPU = re.compile(r"(?:cpu|CPU)?([0-9]{1,6})", re.ASCII)
_MOST_CPUS = 10**6
"""Linux has at most 8192 CPUs (NR_CPUS): a longer number is damage."""
_ALL = frozenset({"all", "-1"})
_LONGEST_S = 366 * DAY_S
"""A year: daily files of sysstat hold a day, and damage makes times beyond all dates. [s]"""
_COMMENT = "COM"
"""Mark of a comment between the values, with ``sar -C`` and ``sadf -C``."""
_OF_ONE_CPU = ("CORE", "SOCK", "NODE")
"""Columns of ``mpstat -T`` that lines of all CPUs leave out."""
_RESTARTED = "the host restarted during the record"

_When: TypeAlias = tuple[str, float | None, float | None]
"""An interval: its end as printed, its end by the clock of the host, and its length. [s]"""


@lru_cache(maxsize=64)  # tables of one file, as damage makes many
def _columns(
    printed: tuple[str, ...],
) -> tuple[tuple[str, ...], "itemgetter[Any]", int, list[str]] | None:
    """
    Parts of CPU time in a table, what takes them from a row, how many are busy, and what lacks.

    Those in which the CPU works stand first. None for a table without CPU time.
    """
    plain = [each.strip().lstrip("%").removesuffix("-percent") for each in printed]
    if "idle" not in plain:
        return None
    busy = [each for each in _BUSY if each in plain]
    names = (*busy, *(each for each in _NOT_BUSY if each in plain))
    lacking = [either[0] for either in _NEEDED if not {*either} & {*plain}]
    return names, itemgetter(*map(plain.index, names)), len(busy), lacking


@dataclass
class _Record:
    """CPU time of one host, filled row by row."""

    raw: RawText
    tool: str
    zone: tzinfo | None = None
    day: date | None = None
    host: str | None = None
    cpu_count: int | None = None
    intervals: list[CpuInterval] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    cpus: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(_ALL))
    _busy: dict[int | None, float] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)

    def fault(self, problem: str) -> ParseError:
        """Return an error that names the file."""
        return ParseError(self.raw.source, problem)

    def since_start_s(self, text: str, last_s: float | None) -> float | None:
        """Seconds from midnight of the first day to a time of day, on the day nearest the last."""
        seconds = clock_s(text, last_s)
        if seconds is None:
            self.notes[f"times such as {shown(text)} are of no known form"] = None
        return seconds

    def dated(self, stamp: Node) -> _When:
        """Return the interval of sadf that ends at a date and time."""
        zone = "UTC" if stamp.members().get("utc") else stamp.value.get("tz", "")
        day, end_s = iso_day(stamp.text("date")), clock_s(stamp.text("time"))
        clock = f"{stamp.text('date')} {stamp.text('time')} {zone}".rstrip()
        length_s = stamp.number("interval") or None
        if day is None or end_s is None:
            self.notes[f"times such as {shown(clock)} are of no known form"] = None
            return clock, None, length_s
        self.day = self.day or day
        self.zone = UTC if zone in {"UTC", "GMT"} else self.zone
        return clock, end_s + (day - self.day).days * DAY_S, length_s

    def add(
        self, place: str, when: _When, cpu: str, names: tuple[str, ...], cells: Sequence[Any]
    ) -> None:
        """Add a CPU; another time, or a CPU that comes again, begins the next interval."""
        columns = _columns(names)
        if columns is None:
            return
        printed, take, busy_count, lacking = columns
        if lacking:
            raise self.fault(f"{place}.{lacking[0]} is missing")
        if cpu not in self.cpus:
            if (match := _CPU.fullmatch(cpu)) is None:
                raise self.fault(f"{place} must be a CPU or all; got {shown(cpu)}")
            self.cpus[cpu] = int(match[1])
        if not self.intervals or when[0] != self.intervals[-1].clock or cpu in self._seen:
            if when[2] is not None and not when[2] <= _LONGEST_S:
                raise self.fault(f"{place}: an interval of {when[2]:g} s is longer than a year")
            self._busy, self._seen = {}, set()
            self.intervals.append(CpuInterval(self._busy, *when))
        self._seen.add(cpu)
        parts = take(cells)
        are_numbers = _NUMBERS.issuperset(map(type, parts))
        if not are_numbers or min(parts) < 0 or max(parts) > WHOLE_PERCENT:
            for name, value in zip(printed, parts, strict=True):
                if type(value) not in _NUMBERS or not 0 <= value <= WHOLE_PERCENT:
                    problem = f"must be from 0 to {WHOLE_PERCENT} %; got {shown(value)}"
                    raise self.fault(f"{place}.{name} {problem}")
        total = sum(parts)
        if total and not _LEAST <= total <= _MOST:
            share = percent_text(total / WHOLE_PERCENT, 4)
            raise self.fault(f"{place}: the parts add up to {share}")
        if total:
            self._busy[self.cpus[cpu]] = sum(parts[:busy_count]) / WHOLE_PERCENT
        else:
            self.notes[f"CPU {cpu} was offline for a time: all its parts are 0"] = None


def read_sysstat(raw: RawText, tool: str, zone: tzinfo | None = None) -> HostCpu:
    """
    Read CPU time from ``mpstat -P ALL``, ``sar -u ALL -P ALL``, and ``sadf -j`` or ``-d`` of it.

    Averages and other activities are left out. Stolen time is part of the whole and never busy.
    mpstat never prints the time zone, nor, in JSON of a single interval, its length; JSON of sadf
    marks UTC with ``"utc": 1``, from version 12.7.1 with ``"tz": "UTC"``. Without ``-u ALL``
    interrupts are part of the kernel's time.

    References: sysstat 12.6.1: ``mpstat.c``, ``rd_stats.c``, ``pr_stats.c``, ``json_stats.c``,
    ``rndr_stats.c``; issues 159, 214, 314, 421.
    """
    record = _Record(raw, tool, zone)
    if raw.text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        _read_json(record)
    elif tool == "sadf":
        _read_csv(record)
    else:
        _read_tables(record)
    if record.cpu_count is not None and not 0 < record.cpu_count <= _MOST_CPUS:
        raise record.fault(f"must have 1 to {_MOST_CPUS} CPUs; has {record.cpu_count}")
    intervals = tuple(each for each in record.intervals if each.busy_ratios)
    if not intervals:
        raise record.fault(f"{tool} has no CPU time here: use -P ALL")
    known = {name: getattr(record, name) for name in ("tool", "host", "cpu_count", "day", "zone")}
    known |= {"source": raw.source, "sha256": raw.sha256}
    return HostCpu(intervals=intervals, notes=tuple(record.notes), **known).in_utc()


# JSON, of which the statistics are decoded one by one: they may have a hundred megabytes

_STATISTICS = re.compile(r'"statistics"\s*:\s*\[')
_BEFORE_ENTRY = re.compile(r"\s*,?\s*")
_DECODER = json.JSONDecoder()


def _read_json(record: _Record) -> None:
    """Read CPU time of ``mpstat -o JSON`` and ``sadf -j``."""
    raw, ends_s = record.raw, list[float | None]([None])
    match = _STATISTICS.search(raw.text)
    begin = end = match.end() if match else 0
    for number in count() if match else ():
        end = _BEFORE_ENTRY.match(raw.text, end).end()  # type: ignore[union-attr]
        if raw.text.startswith("]", end):
            break
        path = f"sysstat.hosts[0].statistics[{number}]"
        try:
            value, end = _DECODER.raw_decode(raw.text, end)
        except (ValueError, RecursionError):
            load_json_document(raw, "outputs")  # names the place of the fault
            raise record.fault(f"{path} is not one of a list") from None
        entry = Node(raw.source, path, value)
        if record.tool == "mpstat":
            clock = entry.text("timestamp")
            ends_s.append(record.since_start_s(clock, ends_s[-1]))
            when: _When = clock, ends_s[-1], None
        elif entry.has("timestamp"):  # after a restart an entry may be empty
            when = record.dated(entry.child("timestamp"))
        else:
            continue
        for place, row in enumerate(entry.child("cpu-load", []).require_list()):
            where = f"{path}.cpu-load[{place}]"
            if type(row) is not dict or type(cpu := row.get("cpu")) is not str:
                raise record.fault(f"{where} must be an object with the name of its cpu")
            record.add(where, when, cpu, tuple(row), [*row.values()])
    line_ends = "\n" * raw.text.count("\n", begin, end)
    around = raw._replace(text=raw.text[:begin] + line_ends + raw.text[end:])
    hosts = load_json_document(around, "outputs").child("sysstat").child("hosts").each()
    if len(hosts) != 1:
        raise record.fault(f"holds {len(hosts)} hosts; keep one in a file")
    (host,) = hosts
    host.child("statistics").require_list()
    record.host, record.cpu_count = host.text("nodename"), host.count("number-of-cpus")
    if host.value.get("restarts"):
        record.notes[_RESTARTED] = None
    if record.tool == "mpstat":
        record.day = iso_day(host.text("date"))
        known_s = [each for each in ends_s if each is not None]
        if 1 < len(known_s) == len(ends_s) - 1 and known_s[-1] > known_s[0]:
            length_s = (known_s[-1] - known_s[0]) / (len(known_s) - 1)  # mpstat: equal intervals
            record.intervals = [replace(each, duration_s=length_s) for each in record.intervals]


# CSV and text


def _numbers(cells: Sequence[str]) -> list[float | str]:
    """Return the numbers of a line, in any locale; a cell that is none stays text."""
    numbers: list[float | str] = [*cells]
    for place, cell in enumerate(cells):
        with suppress(ValueError):
            numbers[place] = float(cell.strip().removesuffix("%").replace(",", "."))
    return numbers


def _read_csv(record: _Record) -> None:
    """Read CPU time of ``sadf -d``, below the names of its columns."""
    names: list[str] = []
    for number, line in enumerate(record.raw.text.splitlines(), 1):
        place, cells = f"line {number}", line.removeprefix("# ").strip().split(";")
        if line.startswith("# "):
            names = cells
        elif "RESTART" in line:
            record.notes[_RESTARTED] = None
        elif len(cells) != len(names):
            if line.strip() and not cells[-1].startswith(_COMMENT):
                problem = f"has {len(cells)} cells for {len(names)} columns: leave out -h of sadf"
                raise record.fault(f"{place} {problem}")
        elif names[3:4] == ["CPU"]:
            stamp = cells[2]
            if _STAMP.fullmatch(stamp):  # seconds since 1970, of -U
                stamp = f"{datetime.fromtimestamp(float(stamp), UTC):%Y-%m-%d %H:%M:%S} UTC"
            values = dict(zip(("date", "time", "tz"), (*stamp.split(), "", "", ""), strict=False))
            when = Node(record.raw.source, place, values | {"interval": _numbers(cells[1:2])[0]})
            record.host, own = record.host or cells[0], _numbers(cells[3:])
            record.add(place, record.dated(when), cells[3].strip(), tuple(names[3:]), own)
    record.cpu_count = len(record.cpus) - len(_ALL) or None


def _read_tables(record: _Record) -> None:
    """CPU time of the tables that mpstat and sar print, each up to a blank line."""
    text = record.raw.text
    if (banner := re.match(_BANNER, text)) is None:
        raise record.fault(f"not a result of {record.tool}: its first line names no host")
    record.host, record.cpu_count = banner["host"], int(banner["cpus"])
    record.day = iso_day(banner["day"])
    is_header, names = True, list[str]()
    when: _When = "", None, None
    first = banner[0].count("\n") + 1
    for number, line in enumerate(text[banner.end() :].splitlines(), first):
        cells = line.split()
        if not cells:
            is_header = True
            continue
        words = 2 if cells[1:2] and cells[1].lower() in {"am", "pm", "a.m.", "p.m."} else 1
        clock, values = " ".join(cells[:words]), cells[words:]
        if "RESTART" in cells:
            record.notes[_RESTARTED] = None
        elif is_header:
            # averages have no time
            is_table = "CPU" in values and "%idle" in values and not clock.endswith(":")
            names = values if is_table else []
            when = clock, record.since_start_s(clock, when[1]) if names else when[1], 0.0
        elif names and not clock.endswith(":") and values[:1] != [_COMMENT]:
            if clock != when[0]:
                begin_s, end_s = when[1], record.since_start_s(clock, when[1])
                length_s = None if begin_s is None or end_s is None else max(end_s - begin_s, 0.0)
                when = clock, end_s, length_s
            own = names
            if len(values) < len(names):  # all CPUs together are on no one core
                own = [each for each in names if each not in _OF_ONE_CPU]
            if len(values) != len(own):
                problem = f"line {number} has {len(values)} values under {len(names)} columns"
                raise record.fault(problem)
            place, cpu = f"line {number}", values[own.index("CPU")]
            record.add(place, when, cpu, tuple(own), _numbers(values))
        is_header = False


# copies of /proc/stat

_STATES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
"""Counters of a line; those of guests, which follow, are part of user and nice too."""
_MAY_FALL = frozenset({"idle", "iowait"})
_CPU_LINE = re.compile(r"cpu([0-9]{0,6})(?:\s+[0-9]{1,18}){4,}", re.ASCII)
"""Kernels before 2.6 had four counters, later ones append."""
_STAMP = re.compile(r"\d{9,10}(?:\.\d{1,9})?", re.ASCII)
"""Seconds since 1970, as ``date +%s`` or ``date +%s.%N`` prints them."""
_TICKS_PER_S = 100
"""USER_HZ of Linux, in which /proc/stat counts, on all architectures but Alpha (proc(5))."""
_COUNTED_RATIO = 0.95
"""
Least wall time over counted idle time: the kernel rounds each of ten counters of a CPU
down to a tick, up to 5 % of 2 s.
"""


_BY_TICKS = "busy by ticks, wrong for paced programs: date +%s.%N above each copy gives exact times"
_Copy: TypeAlias = tuple[float | None, dict[int | None, list[int]], list[str]]
"""A copy of ``/proc/stat``: its time, its ticks, and the time at which the host started."""


def read_proc_stat(raw: RawText) -> HostCpu:
    """
    CPU time between the copies of ``/proc/stat`` in one file, one after the other.

    Each may stand below a line with its time in seconds since 1970, as ``date +%s.%N`` prints it.
    Idle and iowait are not reliable and may fall: such a change is 0, with a note.

    Most kernels sample what a CPU does at each tick (100 to 1000 per second). Programs that wake up
    by a timer, such as a paced iperf3, run in step with the ticks: the samples then show several
    times too much or next to nothing. Idle time is measured by the clock. With times to fractions
    of a second, busy time is therefore wall time less idle, iowait and stolen time.

    References: Linux, proc(5), ``Documentation/filesystems/proc.rst``, section 1.7, and
    ``get_idle_time`` in ``fs/proc/stat.c``.
    """
    copies: list[_Copy] = []
    before = ""
    for number, line in enumerate(raw.text.splitlines(), 1):
        name, *texts = line.split() or [""]
        if name == "cpu":
            copies.append((float(before) if _STAMP.fullmatch(before) else None, {}, []))
        if copies and name.startswith("cpu"):
            if (match := _CPU_LINE.fullmatch(line.strip())) is None:
                problem = f"line {number} must be counts of 64 bits; got {shown(line)}"
                raise ParseError(raw.source, problem)
            cpu = int(match[1]) if match[1] else None
            if cpu in copies[-1][1]:
                raise ParseError(raw.source, f"line {number} is a second {name}")
            copies[-1][1][cpu] = [*map(int, texts)]
        elif copies and name == "btime":
            copies[-1][2][:] = texts
        before = line.strip()
    if len(copies) < 2:
        raise ParseError(raw.source, "holds one copy of /proc/stat: CPU time needs two")
    notes: dict[str, None] = {}
    intervals = tuple(_between(raw.source, *pair, notes) for pair in pairwise(copies))
    known: Any = {"source": raw.source, "sha256": raw.sha256, "tool": "/proc/stat", "is_utc": True}
    known["cpu_count"] = len(copies[-1][1]) - 1 or None
    return HostCpu(intervals=intervals, notes=tuple(notes), **known)


def _between(source: str, first: _Copy, last: _Copy, notes: dict[str, None]) -> CpuInterval:
    """CPU time from a copy to the next."""
    (begin_s, before, first_boot), (end_s, after, last_boot) = first, last
    duration_s = None if begin_s is None or end_s is None else end_s - begin_s
    if duration_s is not None and duration_s <= 0:
        raise ParseError(source, "the copies of /proc/stat are not in the order of time")
    if first_boot != last_boot:
        raise ParseError(source, "line btime: the host restarted between the copies")
    shapes = [{cpu: len(counts) for cpu, counts in each.items()} for each in (before, after)]
    if shapes[0] != shapes[1]:
        raise ParseError(source, "has other CPUs or counters than the first copy")
    # a time in whole seconds is too coarse for wall time less idle time
    is_exact = all(each is not None and each % 1 for each in (begin_s, end_s))
    notes |= {} if is_exact else {_BY_TICKS: None}
    busy_ratios: dict[int | None, float] = {}
    for cpu, counts in after.items():
        name = "cpu" if cpu is None else f"cpu{cpu}"
        spent = {}
        for state, start, end in zip(_STATES, before[cpu], counts, strict=False):
            spent[state] = max(end - start, 0)
            if end < start and state not in _MAY_FALL:
                raise ParseError(source, f"{name}: {state} fell since the first copy")
            if end < start:
                notes[f"{name}: {state} fell by {start - end} ticks, counted as 0"] = None
        total, rest = sum(spent.values()), sum(spent.get(state, 0) for state in _NOT_BUSY)
        if not total:
            continue
        busy_ratios[cpu] = (total - rest) / total
        # the number of CPUs is not known of a copy that has their sum alone
        cpu_count = 1 if cpu is not None else len(after) - 1
        wall = (duration_s or 0.0) * cpu_count * _TICKS_PER_S
        if wall and is_exact:
            if _COUNTED_RATIO * rest > wall:
                lengths = f"{rest / _TICKS_PER_S:.2f} s in {wall / _TICKS_PER_S:.2f} s"
                problem = f"{name} was idle for {lengths}: the times of the copies are wrong"
                raise ParseError(source, problem)
            busy_ratios[cpu] = max(wall - rest, 0) / max(wall, rest)
    if not busy_ratios:
        raise ParseError(source, "no time passed between the copies")
    return CpuInterval(busy_ratios, end_s=end_s, duration_s=duration_s)
