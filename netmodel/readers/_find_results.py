"""Results in files and directories: runs to judge, unreadable files, and what is no result."""

import json
import os
import re
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from netmodel.errors import (
    DomainError,
    NetmodelError,
    ParseError,
    UnitError,
    UnknownFormatError,
)
from netmodel.frames import frame_of, row_of
from netmodel.html import row_table
from netmodel.printable import fault_text
from netmodel.readers._document import GZIP_MARK, ZIP_MARK, read_text
from netmodel.readers._formats import OF_NO_KNOWN_FORMAT, read_result, result_formats
from netmodel.readers._measurement import Measurement
from netmodel.reading import (
    is_directory,
    names_read,
    reason_of,
    status_of,
    too_large,
)
from netmodel.results import fields_repr
from netmodel.text import RESULT_DIGITS
from netmodel.units import format_rate
from netmodel.units.prefixes import MEBI

if TYPE_CHECKING:
    import pandas as pd


_MAX_FILES = 100_000
"""Files of one directory: reading as many takes about a minute, and a home holds more."""
_LARGE_BYTES = MEBI
"""Results are mostly smaller; a larger file is probed for binary content before it is read."""
_PROBE_BYTES = 4096
"""A page of a file system, which a disk reads at once; binary files have a NUL in it."""
_OF_DATASETS = (".toml", ".csv")
"""Records and tables: no result, but nothing that a command may replace either."""
_BEFORE_ANY_NAME = "\0"
"""Sorts before all characters of names: a directory precedes names that only begin as its own."""
_MOUNTS = "/proc/self/mountinfo"
_KERNEL_FILE_SYSTEMS = frozenset(
    {"proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs", "bpf"}
    | {"pstore", "efivarfs", "binfmt_misc", "mqueue", "fusectl", "devpts", "nsfs", "selinuxfs"}
    | {"rpc_pipefs", "nfsd"}
)
"""File systems of Linux whose files are generated when they are read, some of them endless."""
_PAGES = frozenset(
    {".md", ".markdown", ".rst", ".adoc", ".tex", ".html", ".htm", ".xhtml", ".ipynb", ".py", ".sh"}
)
"""Endings of prose, pages, notebooks and programs: output in them is quoted."""
_QUOTED = "quotes output in its text"
_SENTENCE = re.compile(r"\b[A-Z]\S*(?:[ \n]\S+){5,59}?(?<=[\w)\"'`])[.!?](?=\s|$)")
"""Six words or more with one space between them: columns of tools have more, and no full stop."""
_MARKS_OF_TEXT = "\"'`*(),;:.!?"
_FEWEST_PLAIN_RATIO = 0.7
"""Share of the words of a sentence that are letters alone; lines of tools have fewer."""
_OF_TOOLS = re.compile(r"\b(?:NOTE|INFO|WARNING|Warning)\b")
"""Sentences that sockperf, ntttcp, netperf and ssh print beside a result."""
_FEWEST_SENTENCES = 2
"""A title above a result is one."""
_BEGINNING = re.compile(
    r"\s*(?:-{40,}\s*(?:\Z|Server|Client|RDMA|Send|Raw)|\[ *(?:ID|\d+)\]|Connecting to host|iperf 3"
    r"|MIGRATED |OMNI |NTTTCP |Starting \d+ (?:threads|processes) |Error connecting |megabytes="
    r"|\d{14}[.,]"
    r"|(?:[\w ./-]+: )*(?:iperf3?|netperf|uperf|nuttcp(?:-[rt])?|sockperf|qperf|ntttcp|ib_\w+): )"
)
"""First words of tools, and of shells that cannot start one: bash: iperf3: command not found."""
_JSON_BEGINNING = re.compile(r"\s*(?:\{|\[\s*\{)")
_LONGEST_LITERAL = len("false")
"""Characters that JSON may end with if it breaks off within a number, true, false or null."""


class ResultStream(Protocol):
    """A source of a result that is no file, such as ``sys.stdin.buffer``."""

    @property
    def name(self) -> str:
        """Its name in messages."""

    def read(self) -> bytes:
        """Its whole content."""


@dataclass(frozen=True, slots=True)
class UnreadableResult:
    """
    A file that cannot be read.

    Parameters
    ----------
    path : str
        Its path; that of a directory without any result.
    problem : str
        Why.
    """

    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class NoResult:
    """
    A file in a directory that is no result of a tool.

    Parameters
    ----------
    path : str
        Its path.
    kind : str
        What it is instead.
    """

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class FoundResults:
    """
    Content of files and directories.

    Parameters
    ----------
    rows : tuple of Measurement and UnreadableResult
        In the order of the arguments; files of a directory in the order of
        their names.
    passed_over : tuple of NoResult
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
    passed_over: tuple[NoResult, ...] = ()

    __repr__ = fields_repr

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each result that was read, in base units.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        rows: list[dict[str, object]] = [
            row_of(each)
            if isinstance(each, Measurement)
            else {"source": each.path, "error": each.problem}
            for each in self.rows
        ]
        # what no result reports has no column
        known = {name for row in rows for name, value in row.items() if value is not None}
        columns = known - {"sha256"} | {"source"}
        return frame_of(
            [{name: row[name] for name in row if name in columns} for row in rows], "source"
        )

    def _repr_html_(self) -> str:
        rows = [
            (
                each.source,
                each.tool or "",
                "" if each.goodput_bps is None else format_rate(each.goodput_bps, RESULT_DIGITS),
                "; ".join(each.notes),
            )
            if isinstance(each, Measurement)
            else (each.path, "", "", each.problem)
            for each in self.rows
        ]
        names = ("file", "tool", "goodput", "notes")
        return row_table(f"{len(rows)} results", names, rows, [2])


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A file that may be a result."""

    path: str
    fault: str | None = None
    """Why it cannot be read, where its status shows it."""
    kind: str | None = None
    """What it is, where it cannot be a result."""
    is_in_directory: bool = True
    """Whether it was found in a directory, and not named itself."""


def find_results(
    places: Sequence[str | os.PathLike[str] | ResultStream | Measurement],
    format_name: str | None = None,
    watched: Callable[[Sequence[Any]], Iterable[Any]] = iter,
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
    watched : callable
        Passes on what is read, one by one, such as a progress bar.

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
    >>> len(found.rows), [each.kind for each in found.passed_over]
    (8, ['of no known format'])
    """
    written = frozenset(_written_files())
    targets: list[tuple[str, Sequence[_File | ResultStream | Measurement]]] = []
    for place in places:
        if isinstance(place, Measurement):
            targets.append((place.source, [place]))
        elif not isinstance(place, str | os.PathLike):
            targets.append((place.name, [place]))
        elif is_directory(path := os.fspath(place)):
            targets.append((path, files_below(path, written)))
        else:
            # where its status cannot be read, reading it gives the reason
            status = status_of(path)
            fault = None if status is None else too_large(status.st_size)
            targets.append((path, [_File(path=path, fault=fault, is_in_directory=False)]))
    files = [file for _, of_target in targets for file in of_target]
    read = iter(
        [
            [each] if isinstance(each, Measurement) else _read(each, format_name)
            for each in watched(files)
        ]
    )
    rows: list[Measurement | UnreadableResult] = []
    passed_over: list[NoResult] = []
    for name, of_target in targets:
        content = [each for _ in of_target for each in next(read)]
        results = [each for each in content if not isinstance(each, NoResult)]
        if not results and not of_target:
            results = [UnreadableResult(name, "the directory has no visible files")]
        elif not results:
            formats = ", ".join(result_formats())
            problem = f"the directory has no result in a known format: {formats}"
            results = [UnreadableResult(name, problem)]
        rows += results
        passed_over += (each for each in content if isinstance(each, NoResult))
    return FoundResults(tuple(rows), tuple(passed_over))


def _read(
    file: _File | ResultStream, format_name: str | None
) -> Sequence[Measurement | UnreadableResult | NoResult]:
    """Runs of a file or stream, or why there are none; a fault in reading it ends no other."""
    name = file.path if isinstance(file, _File) else file.name
    try:
        return _read_one(file, format_name)
    except (DomainError, UnitError) as error:
        return [UnreadableResult(name, str(error))]
    except NetmodelError:
        raise
    except Exception as error:  # noqa: BLE001  # of any kind: the other files are read
        return [UnreadableResult(name, fault_text(error))]


def _read_one(
    file: _File | ResultStream, format_name: str | None
) -> Sequence[Measurement | UnreadableResult | NoResult]:
    if not isinstance(file, _File):
        try:
            content = file.read()
        except (OSError, ValueError) as error:
            return [UnreadableResult(file.name, f"cannot be read: {reason_of(error)}")]
        try:
            runs = read_result(content, format_name)
        except ParseError as error:
            return [UnreadableResult(file.name, error.problem)]
        return [replace(run, source=file.name, raw_text="") for run in runs]
    if file.kind is not None:
        return [NoResult(file.path, file.kind)]
    if file.fault is not None:
        return [UnreadableResult(file.path, file.fault)]
    was_read = bool(names_read(file.path))
    try:
        runs = read_result(file.path, format_name)
    except ParseError as error:
        unknown = error
        if not isinstance(error, UnknownFormatError):
            # broken in the format that was named: it may be of none at all
            try:
                read_result(file.path)
            except ParseError as other:
                unknown = other
        if file.is_in_directory and isinstance(unknown, UnknownFormatError):
            if unknown.kind == OF_NO_KNOWN_FORMAT and _breaks_off(read_text(file.path).text):
                return [UnreadableResult(file.path, "begins like a result and breaks off")]
            if not was_read and not file.path.endswith(_OF_DATASETS):
                # a report from before, which may be replaced
                names_read(file.path).discard(file.path)
            return [NoResult(file.path, unknown.kind)]
        if file.is_in_directory and _quotes_output(file.path):
            return [NoResult(file.path, _QUOTED)]
        return [UnreadableResult(file.path, error.problem)]
    if file.is_in_directory and _quotes_output(file.path, runs[0].raw_text):
        return [NoResult(file.path, _QUOTED)]
    for run in runs:
        # in place, no other code holds the runs yet: replace() takes a tenth of the time of reading
        object.__setattr__(run, "raw_text", "")
    return runs


def _written_files() -> Iterator[tuple[int, int]]:
    """Identity of the files that standard output and standard error go to."""
    for descriptor in (1, 2):
        with suppress(OSError):  # it is closed
            status = os.fstat(descriptor)
            yield status.st_dev, status.st_ino


def _quotes_output(path: str, text: str | None = None) -> bool:
    """Whether a file that looks like a result is prose, a page or a program that quotes one."""
    if text is None:
        try:
            text = read_text(path).text
        except ParseError:
            return False
    if Path(path.removesuffix(".gz")).suffix.lower() in _PAGES:
        return True
    if text.lstrip()[:1] in {"{", "["}:
        return False
    return sum(_is_prose(match[0]) for match in _SENTENCE.finditer(text)) >= _FEWEST_SENTENCES


def _is_prose(sentence: str) -> bool:
    """Whether most words of a sentence are letters alone, and no tool prints it."""
    words = sentence.split()
    plain = [word.strip(_MARKS_OF_TEXT).replace("-", "").isalpha() for word in words]
    return sum(plain) >= _FEWEST_PLAIN_RATIO * len(words) and not _OF_TOOLS.search(sentence)


def _breaks_off(text: str) -> bool:
    """Whether a text of no known format begins like the output of a tool: of a run that crashed."""
    if _BEGINNING.match(text):
        return True
    if not _JSON_BEGINNING.match(text):
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        is_cut = len(text[error.pos :].strip()) <= _LONGEST_LITERAL
        return is_cut or error.msg.startswith("Unterminated string")
    except RecursionError:
        return False
    return False


def files_below(directory: str, written: Set[tuple[int, int]] = frozenset()) -> list[_File]:
    """
    All visible files below a directory, each once, in the order of their names.

    Links are followed after all else: a file that lies in the directory keeps its own name, and a
    link that leads back to where it lies ends there. File systems of the kernel, such as /proc, are
    not entered, and a directory with too many files is a fault.
    """
    root = str(Path(directory))
    kernel_devices = _kernel_devices()
    files: list[_File] = []
    seen: set[tuple[int, int]] = set()
    pending: deque[tuple[str, os.DirEntry[str] | None]] = deque([(root, None)])
    links: deque[tuple[str, os.DirEntry[str] | None]] = deque()
    is_linked = False
    while pending or links:
        is_linked = is_linked or not pending
        path, entry = (pending or links).popleft()
        try:
            status = Path(path).stat() if entry is None else entry.stat()
            identity = status.st_dev, status.st_ino
            if is_linked and identity in seen:
                continue
            seen.add(identity)
            if not stat.S_ISDIR(status.st_mode):
                is_written = identity in written
                files.append(_found_file(path, status, is_written))
            elif status.st_dev in kernel_devices:
                kind = f"a directory of the kernel ({kernel_devices[status.st_dev]})"
                if path == root:
                    files.append(_File(path=path, fault=f"is {kind}: name the files in it"))
                else:
                    files.append(_File(path=path, kind=kind))
            else:
                with os.scandir(path) as entries:
                    visible = [each for each in entries if not each.name.startswith(".")]
                for each in sorted(visible, key=lambda each: each.name):
                    # spelled as pathlib does, which takes longer
                    below = (
                        each.name if path == "." else f"{path.rstrip(os.sep)}{os.sep}{each.name}"
                    )
                    (links if each.is_symlink() else pending).append((below, each))
        except OSError as error:
            files.append(_File(path=path, fault=f"cannot be read: {error.strerror}"))
        if len(files) + len(pending) + len(links) > _MAX_FILES:
            problem = f"holds more than {_MAX_FILES} files: name the directories with results"
            return [_File(path=root, fault=problem)]
    return sorted(files, key=lambda file: file.path.replace(os.sep, _BEFORE_ANY_NAME))


def _kernel_devices() -> dict[int, str]:
    """Device number and kind of each file system of the kernel; none but on Linux."""
    kinds = {}
    with suppress(OSError), Path(_MOUNTS).open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            # proc(5): ID, parent, major:minor, ..., and behind a hyphen the kind of file system
            fields, _, file_system = line.partition(" - ")
            kind, (major, _, minor) = file_system.split(" ")[0], fields.split()[2].partition(":")
            if kind in _KERNEL_FILE_SYSTEMS:
                kinds[os.makedev(int(major), int(minor))] = kind
    return kinds


def _found_file(path: str, status: os.stat_result, is_written: bool) -> _File:
    """A file of a directory, as far as its status and, for a large one, its begin show."""
    if is_written:
        return _File(path=path, kind="written by this command")
    if not stat.S_ISREG(status.st_mode):
        return _File(path=path, kind="no regular file")
    if status.st_size > _LARGE_BYTES:
        with Path(path).open("rb") as file:
            head = file.read(_PROBE_BYTES)
        if b"\0" in head and not head.startswith((GZIP_MARK, ZIP_MARK, BOM_UTF16_LE, BOM_UTF16_BE)):
            # JSON in UTF-16 has NULs too, and no mark of its byte order
            text = head.decode(json.detect_encoding(head), errors="ignore")
            if text.lstrip()[:1] not in {"{", "["}:
                return _File(path=path, kind="not text")
    return _File(path=path, fault=too_large(status.st_size))
