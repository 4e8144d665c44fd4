"""Results of any tool, recognised from the content of files, which directories may hold."""

import os
import re
import stat
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from netmodel.errors import NetmodelError, ParseError, UnknownFormatError, UnknownRecordError
from netmodel.printable import fault_text
from netmodel.readers._document import RawText, Source, cleaned, json_spans, read_text, shown
from netmodel.readers._printed import IPERF_BITS, NUMBER, Figure, Run, half_step, started
from netmodel.readers.measurement import Direction, Measurement
from netmodel.reading import is_directory, names_read, read_bytes, reason_of, stat_of, status_of
from netmodel.results import Result
from netmodel.units import parse_rate_bps

_OF_TOOLS = (
    *("iperf3", "iperf3-text", "uperf", "netperf", "nuttcp", "iperf2", "sockperf", "qperf"),
    *("perftest", "perftest-text", "ntttcp", "flent", "trex", "trex-text", "speedtest"),
    *("speedtest-text", "netmodel-csv", "rate"),
)
_NAMES = (*_OF_TOOLS, "counters")
"""Formats in the order in which they are tried: the constant of that name in the module of it."""
_MODULES = {f"{name}-text": f"_{name}" for name in ("perftest", "speedtest", "trex")}
_MODULES |= {"netmodel-csv": "tables", "rate": "_formats"}
"""Modules of another name."""
_OF_SEVERAL_DOCUMENTS = frozenset({"iperf3", "trex"})
"""Formats of which a result may be several JSON documents: lines of a stream, snapshots."""
_OBJECTS = re.compile(r"\s*\[?\s*\{")
"""Begin of an object, or of a list of them; a log may begin each line with a time in brackets."""
ONE_SNAPSHOT = "counters of one time"
"""Kind of a text with one snapshot, to which another file may have the other one."""
OF_NO_KNOWN_FORMAT = "of no known format"
"""Kind of a text that no reader recognises."""


Reader: TypeAlias = Callable[[RawText], list[Run]]


class Format(NamedTuple):
    """
    A format of results; each reader module defines one, and ``_OF_TOOLS`` names it.

    Parameters
    ----------
    name : str
        Its name for users.
    recognises : callable
        From a text to whether it is of this format. It searches for marks, never parses the whole
        text, and never raises.
    read : callable
        From a text to its runs; ParseError where it is not of this format.
    marks : re.Pattern, optional
        Lines of the text of a tool, each behind the end of one, which may stand between others.
    """

    name: str
    recognises: Callable[[str], bool]
    read: Reader
    marks: re.Pattern[str] | None = None


def json_format(name: str, read: Reader, *marks: str) -> Format:
    """Return a format of JSON that has all keys of one of these lists."""

    def recognises(text: str) -> bool:
        is_json = _OBJECTS.match(text) is not None
        return is_json and any(all(f'"{key}"' in text for key in keys.split()) for keys in marks)

    return Format(name, recognises, read)


@cache
def format_named(name: str) -> Format:
    """Return the format of a name in `result_formats`; its module is loaded."""
    plain = name.replace("-", "_")
    module = import_module(f"netmodel.readers.{_MODULES.get(name, f'_{plain}')}")
    return getattr(module, plain.upper())  # type: ignore[no-any-return]


def result_formats() -> tuple[str, ...]:
    """
    Return the names of the formats that `read_result` reads.

    Returns
    -------
    names : tuple of str
        In the order in which a file is tried.

    Examples
    --------
    >>> "iperf3" in result_formats()
    True
    """
    return _NAMES


def read_result(source: Source, format_name: str | None = None) -> tuple[Measurement, ...]:
    """
    Read the result of a benchmark tool.

    Parameters
    ----------
    source : path or bytes
        File that the tool wrote, plain or packed with gzip, or its content.
    format_name : str, optional
        One of `result_formats`; recognised from the content when left out.

    Returns
    -------
    measurements : tuple of Measurement
        One for each direction of each run, row, port or series in the file;
        `part` names it where there are several. A run that failed has an
        `error` and no values.

    Raises
    ------
    UnknownFormatError
        If the file is of no known format; this is a ParseError too.
    ParseError
        If the file is cut off, or holds an impossible value; the message names
        the file and the key or line.
    UnknownRecordError
        If there is no format of that name.

    Notes
    -----
    Goodput is counted at the receiver, from bytes and time, as far as the tool
    reports them; ``docs/reference/results.md`` says for each format what is
    read. Text is rounded: the goodput is then the less rounded of the printed
    rate and of bytes over time, and `half_width_bps` is the rounding.

    Examples
    --------
    >>> from netmodel.records import data_path
    >>> (run,) = read_result(data_path("examples", "iperf3", "line-200m-mtu1500.json"))
    >>> run.tool
    'iperf3'
    """
    if format_name is not None and format_name not in _NAMES:
        raise UnknownRecordError(f"unknown format {format_name!r}; known are {', '.join(_NAMES)}")
    raw = read_text(source)
    parts = _parts(raw)
    if format_name is not None:
        known = format_named(format_name)
        text = raw if known.marks is None else raw._replace(text=cleaned(raw.text))
        parts = [part for part in parts if part[0] is known] or [(known, text)]
    if not parts:
        from netmodel.readers._host_activity import NOT_READ, recognised_host_state

        kind = recognised_host_state(raw.text)
        problem = f"CPU time by {kind}: netmodel calibrate host takes a directory with it and a run"
        if kind is None:
            unknown = f"not a result of a known tool: {', '.join(_NAMES)}"
            problem = next((x for mark, x in NOT_READ.items() if re.match(mark, raw.text)), unknown)
            kind = OF_NO_KNOWN_FORMAT if problem is unknown else problem.partition(":")[0]
        raise UnknownFormatError(raw.source, problem, kind)
    unread = [started(text, known.name.removesuffix("-text")) for known, text in parts]
    reads = (partial(known.read, text) for known, text in parts)
    runs = read_parts([("result", *each) for each in zip(unread, reads, strict=True)])
    rates_bps = {(run["part"], run["direction"]): run["goodput_bps"] for run in runs}
    for run in (run for run in runs if run["is_bidirectional"] and run["direction"]):
        (other,) = {*Direction} - {run["direction"]}
        run["reverse_goodput_bps"] = rates_bps.get((run["part"], other))
    return tuple(run.measurement() for run in runs)


def read_parts(parts: Sequence[tuple[str, Run, Callable[[], list[Run]]]]) -> list[Run]:
    """Return the runs of named parts; one that cannot be read beside others says why."""
    if len(parts) == 1:
        return parts[0][2]()
    runs: list[Run] = []
    counts, seen = Counter(name for name, *_ in parts), Counter[str]()
    for name, unread, read in parts:
        seen[name] += 1
        number = f" {seen[name]}" if counts[name] > 1 else ""
        try:
            found = read()
        except ParseError as error:
            found = [Run(unread, why_no_goodput=error.problem)]
        for run in found:
            run["part"] = ", ".join(filter(None, (name + number, run["part"])))
        runs += found
    return runs


def _parts(raw: RawText) -> list[tuple[Format, RawText]]:
    """Return the results in a text: one document, or documents and lines of tools among others."""
    for each in map(format_named, _OF_TOOLS):  # which loads no more modules than it takes
        if each.marks is None and each.recognises(raw.text):
            return [(each, raw)]
    formats = [format_named(name) for name in _OF_TOOLS]
    documents = [each for each in formats if each.marks is None]
    plain = cleaned(raw.text)
    found: list[tuple[int, Format, str]] = []
    for start, end in json_spans(plain):
        text = "\n" * plain[:start].count("\n") + plain[start:end]  # lines keep their numbers
        known = next((each for each in documents if each.recognises(text)), None)
        if known is None:
            continue
        if found and known is found[-1][1] and known.name in _OF_SEVERAL_DOCUMENTS:
            text = f"{found.pop()[2]}\n{text}"
        found.append((start, known, text))
        plain = plain[:start] + re.sub(r"[^\n]", " ", plain[start:end]) + plain[end:]
    marks = [(number, each.marks) for number, each in enumerate(formats) if each.marks]
    whole = f"\n{plain}"
    marked = sorted((at.start(), number) for number, mark in marks for at in mark.finditer(whole))
    begins = [pair for before, pair in pairwise([(0, -1), *marked]) if pair[1] != before[1]]
    for (start, number), (end, _) in pairwise([*begins, (len(plain), -1)]):
        begin = start if found or len(begins) > 1 else 0
        line_ends = "\n" * plain[:begin].count("\n")
        found.append((start, formats[number], f"{line_ends}{plain[begin:end]}"))
    if not found and (counters := format_named("counters")).recognises(raw.text):
        return [(counters, raw)]
    return [(each, raw._replace(text=text)) for _, each, text in sorted(found, key=lambda e: e[0])]


# A goodput that is typed or pasted: one number with its unit

_LONGEST = 200
"""Characters of a pasted line of iperf3 with a title; results of tools are longer."""
_AS_WRITTEN = rf"([\d,]*{NUMBER})\s*(\S.*)"
_IN_A_LINE = rf"(?<![\w.])(?<!\d,)({NUMBER}) *([KMGT]?bits/sec)(?!\w)"
"""A rate of iperf3 and iperf 2, behind other figures."""
_AMOUNT = r"(?i)[kmgt]?bits?"
"""Units of data in the results of tools, although a rate that is typed may have them: 10 gbit."""
_TOOL_UNITS = {f"{unit}/{s}": bits for unit, bits in IPERF_BITS.items() for s in ("s", "sec")}
"""Units of tools in bit/s: 939 Mbits/sec."""


def _only_rate(text: str) -> tuple[str, float] | None:
    """Return the only rate in a line, as printed and in bit/s; None where there is none."""
    text = text.strip().strip("|│` ")  # of a cell of a table
    # the reader of iperf3 text reads lines of a summary
    if not 0 < len(text) <= _LONGEST or "\n" in text or text.endswith(("sender", "receiver")):
        return None
    rates, written = re.findall(_IN_A_LINE, text), re.fullmatch(_AS_WRITTEN, text)
    if len(rates) == 1:
        ((number, unit),) = rates
    elif rates or written is None or re.fullmatch(_AMOUNT, written[2]):
        return None
    else:
        number, unit = written.groups()
    if unit in _TOOL_UNITS and "," not in number:
        return number, float(number) * _TOOL_UNITS[unit]
    try:
        return number.replace(",", ""), parse_rate_bps(text)
    except NetmodelError:
        return None


def _read_rate(raw: RawText) -> list[Run]:
    if (rate := _only_rate(raw.text)) is None:
        raise ParseError(raw.source, f"not a rate such as 9.2Gbit/s: {shown(raw.text.strip())}")
    number, rate_bps = rate
    half_width_bps = half_step(number) * rate_bps / float(number) if float(number) else 0.0
    protocol = "udp" if re.search(r" ms +\d+/ *\d+ \(", raw.text) else None  # lost of sent
    run = Run(started(raw, "rate"), sha256="", protocol=protocol)  # equal figures are no copies
    run.count(Figure(rate_bps, half_width_bps))
    return [run]


RATE = Format("rate", lambda text: _only_rate(text) is not None, _read_rate)


# Results in files and directories

_MAX_FILES = 100_000
"""Files of one directory: reading as many takes about a minute, and a home holds more."""
_BEFORE_ANY_NAME = "\0"
"""Sorts before all characters of names: a directory precedes names that only begin as its own."""
_OF_DATASETS = (".toml", ".csv")
"""Records and tables: no result, but nothing that a command may replace either."""
_OF_KERNEL = ("/proc", "/sys")
"""File systems whose files are generated when they are read, some of them endless."""
_OUTPUTS = ("/dev/fd/1", "/dev/fd/2")
"""Standard output and standard error, where they are open."""
_PAGE = re.compile(r"(?i)\.(?:md|markdown|rst|adoc|tex|x?html?|ipynb|py|sh)(?:\.gz)?\Z")
"""Endings of prose, pages, notebooks and programs: output in them is quoted."""
_SENTENCE = re.compile(r"\b[A-Z][a-z]*(?:[ \n][A-Za-z'-]+[,;:]?){5,}[.!?](?:\s|$)")
"""Six words or more with one space between them: columns of tools have more, and no full stop."""
_BEGINNING = (
    r"\s*(?:-{40,}\s*(?:\Z|Server|Client|RDMA|Send|Raw)|\[ *(?:ID|\d+)\]|Connecting to host|iperf 3"
    r"|MIGRATED |OMNI |NTTTCP |Starting \d+ (?:threads|processes) |Error connecting |megabytes="
    r"|\d{14}[.,]"
    r"|(?:[\w ./-]+: )*(?:iperf3?|netperf|uperf|nuttcp(?:-[rt])?|sockperf|qperf|ntttcp|ib_\w+): )"
)
"""First words of tools, and of shells that cannot start one: bash: iperf3: command not found."""


@dataclass(frozen=True, slots=True)
class UnreadableResult:
    """
    A file that cannot be read, or that is no result of a tool.

    Parameters
    ----------
    path : str
        Its path; that of a directory without any result.
    problem : str
        Why, or what it is instead.
    is_result : bool
        Whether it is taken for a result, so that its fault counts.
    """

    path: str
    problem: str
    is_result: bool = True


@dataclass(frozen=True, slots=True, repr=False)
class FoundResults(Result):
    """
    Content of files and directories.

    Parameters
    ----------
    rows : tuple of Measurement and UnreadableResult
        In the order of the arguments; files of a directory in the order of
        their names.
    passed_over : tuple of UnreadableResult
        Files in directories that are no results.

    Examples
    --------
    >>> from netmodel.readers import find_results
    >>> from netmodel.records import data_path
    >>> found = find_results([data_path("examples", "own-adapter", "runs")])
    >>> [round(run.goodput_bps / 1e6, 1) for run in found.rows]
    [144.7, 244.9, 61.2]
    """

    rows: tuple[Measurement | UnreadableResult, ...]
    passed_over: tuple[UnreadableResult, ...] = ()


_Read = Measurement | UnreadableResult


def find_results(
    places: Sequence[str | os.PathLike[str] | BinaryIO | Measurement],
    format_name: str | None = None,
) -> FoundResults:
    """
    Read all results in files and directories.

    Parameters
    ----------
    places : sequence of path, stream or Measurement
        Files, directories, which stand for all visible files in them and below,
        open binary streams, and runs as they are. Links are followed, and no file of a
        directory is read twice because of them. Files that standard output and standard
        error go to are no results in a directory.
    format_name : str, optional
        One of `result_formats`; recognised from the content of each file when
        left out.

    Returns
    -------
    found : FoundResults
        Runs without the text that they were read from, because there may be
        thousands; files that cannot be read, and those that are no results. In
        a directory, output that prose, a page or a program quotes is no result.

    Raises
    ------
    UnknownRecordError
        If there is no format of that name.

    Examples
    --------
    >>> from netmodel.records import data_path
    >>> found = find_results([data_path("examples", "iperf3")])
    >>> len(found.rows), [each.problem for each in found.passed_over]
    (8, ['of no known format'])
    """
    rows: list[Measurement | UnreadableResult] = []
    passed_over: list[UnreadableResult] = []
    for place in places:
        path = os.fspath(place) if isinstance(place, str | os.PathLike) else ""
        in_directory = bool(path) and is_directory(path)
        files = files_below(path) if in_directory else [(path or place, None)]
        read = partial(_read, format_name=format_name, in_directory=in_directory)
        content = [x for file, known in files for x in ([known] if known else read(file))]
        results = [each for each in content if getattr(each, "is_result", True)]
        if not results:
            what = f"result in a known format: {', '.join(_NAMES)}" if files else "visible files"
            results = [UnreadableResult(path, f"the directory has no {what}")]
        rows += results
        passed_over += (x for x in content if isinstance(x, UnreadableResult) and not x.is_result)
    unread = [row for row in rows if isinstance(row, UnreadableResult)]
    halves = [row.path for row in unread if row.problem.startswith(ONE_SNAPSHOT)]
    if len(halves) == 2:
        both = partial(b"\n".join, map(read_bytes, halves))
        rows = [row for row in rows if getattr(row, "path", "") not in halves]
        rows += _read(SimpleNamespace(name=", ".join(halves), read=both), format_name, False)
    return FoundResults(tuple(rows), tuple(passed_over))


def _read(file: Any, format_name: str | None, in_directory: bool) -> Sequence[_Read]:
    """Return runs of a file or stream, or why there are none; a fault in it ends no other."""
    if isinstance(file, Measurement):
        return [file]
    name = file if isinstance(file, str) else file.name
    try:
        if in_directory:
            return _read_in_directory(name, format_name)
        source = file if isinstance(file, str) else file.read()
        return _without_text(name, read_result(source, format_name))
    except UnknownRecordError:
        raise
    except NetmodelError as error:
        return [UnreadableResult(name, getattr(error, "problem", str(error)))]
    except (OSError, ValueError) as error:
        return [UnreadableResult(name, f"cannot be read: {reason_of(error)}")]
    except Exception as error:  # noqa: BLE001  # of any kind: the other files are read
        return [UnreadableResult(name, fault_text(error))]


def _read_in_directory(path: str, format_name: str | None) -> Sequence[_Read]:
    """Return the runs of a file that nobody named, or what it is instead."""
    text = ""
    try:
        raw = read_text(path)
        text = raw.text
        runs = read_result(raw, format_name)
    except ParseError as error:
        unknown = error
        if format_name:  # broken in the format that was named: it may be of none at all
            try:
                read_result(path)
            except ParseError as other:
                unknown = other
        if isinstance(unknown, UnknownFormatError):
            if unknown.kind == OF_NO_KNOWN_FORMAT and _breaks_off(text):
                return [UnreadableResult(path, "begins like a result and breaks off")]
            if names_read(path) == {path} and not path.endswith(_OF_DATASETS):
                # read under no other name: a report from before, which may be replaced
                names_read(path).discard(path)
            return [UnreadableResult(path, unknown.kind, is_result=False)]
        if not _quotes_output(path, text):
            raise
    if _quotes_output(path, text):
        return [UnreadableResult(path, "quotes output in its text", is_result=False)]
    return _without_text(path, runs)


def _without_text(name: str, runs: Sequence[Measurement]) -> Sequence[Measurement]:
    """Return the runs with the name of their source, without its text."""
    for run in runs:
        # in place, no other code holds the runs yet: replace() takes a tenth of the time of reading
        object.__setattr__(run, "source", name)
        object.__setattr__(run.file, "raw_text", "")
    return runs


def _quotes_output(path: str, text: str) -> bool:
    """Return whether a file is a page or a program, or has two sentences of prose or more."""
    is_page = _PAGE.search(path) is not None
    # a title is one sentence
    return is_page or (text.lstrip()[:1] not in {"{", "["} and len(_SENTENCE.findall(text)) > 1)


def _breaks_off(text: str) -> bool:
    """Return whether a text of no known format begins like the output of a run that crashed."""
    if _OBJECTS.match(text):
        return not text.rstrip().endswith(("}", "]"))
    return re.match(_BEGINNING, text) is not None


def files_below(directory: str) -> list[tuple[str, UnreadableResult | None]]:
    """
    Return all visible files below a directory, each once, in the order of their names.

    Links are followed; one that leads back to where it lies ends there. File systems of the kernel
    are not entered, and a directory with too many files is a fault.
    """
    kernel = {status.st_dev for name in _OF_KERNEL if (status := status_of(name))}
    written = {(known.st_dev, known.st_ino) for name in _OUTPUTS if (known := status_of(name))}
    root = str(Path(directory))
    files: list[tuple[str, UnreadableResult | None]] = []
    seen: set[tuple[int, int]] = set()
    pending = deque([root])
    while pending:
        path = pending.pop()
        try:
            status = stat_of(path)
            identity = status.st_dev, status.st_ino
            if identity in seen:
                continue
            seen.add(identity)
            is_folder = stat.S_ISDIR(status.st_mode)
            if is_folder and status.st_dev not in kernel:
                with os.scandir(path) as entries:
                    visible = [each for each in entries if not each.name.startswith(".")]
                # spelled as pathlib does, which takes longer
                below = f"{path.rstrip(os.sep)}{os.sep}" if path != "." else ""
                for each in sorted(visible, key=lambda each: each.name, reverse=True):
                    # links after all else: a file that lies in the directory keeps its own name
                    add = pending.appendleft if each.is_symlink() else pending.append
                    add(below + each.name)
                continue
            kind = "written by this command" if identity in written else None
            if not stat.S_ISREG(status.st_mode):
                kind = "a directory of the kernel" if is_folder else "no regular file"
            files.append((path, UnreadableResult(path, kind, is_result=False) if kind else None))
        except OSError as error:
            files.append((path, UnreadableResult(path, f"cannot be read: {error.strerror}")))
        if len(files) + len(pending) > _MAX_FILES:
            problem = f"holds more than {_MAX_FILES} files: name the directories with results"
            return [(root, UnreadableResult(root, problem))]
    return sorted(files, key=lambda file: file[0].replace(os.sep, _BEFORE_ANY_NAME))
