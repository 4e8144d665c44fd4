"""Results in files and directories: runs to judge, unreadable files, and what is no result."""

import json
import os
import re
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from netmodel.errors import DomainError, NetmodelError, ParseError, UnitError, UnknownFormatError
from netmodel.printable import fault_text
from netmodel.readers._document import GZIP_MARK, ZIP_MARK, read_text
from netmodel.readers._formats import OF_NO_KNOWN_FORMAT, read_result, result_formats
from netmodel.readers._measurement import Measurement
from netmodel.reading import is_directory, names_read, reason_of, status_of, too_large
from netmodel.results import Result
from netmodel.units.prefixes import MEBI

_MAX_FILES = 100_000
"""Files of one directory: reading as many takes about a minute, and a home holds more."""
_BEFORE_ANY_NAME = "\0"
"""Sorts before all characters of names: a directory precedes names that only begin as its own."""
_WRITTEN = "written by this command"
_PROBE_BYTES = 4096
"""Of a file above 1 MiB, as few results are: binary files have a NUL in the first page."""
_PACKED = (GZIP_MARK, ZIP_MARK, BOM_UTF16_LE, BOM_UTF16_BE)
_OF_DATASETS = (".toml", ".csv")
"""Records and tables: no result, but nothing that a command may replace either."""
_OF_KERNEL = ("/proc", "/sys")
"""File systems whose files are generated when they are read, some of them endless."""
_PAGES = frozenset(
    {".md", ".markdown", ".rst", ".adoc", ".tex", ".html", ".htm", ".xhtml", ".ipynb", ".py", ".sh"}
)
"""Endings of prose, pages, notebooks and programs: output in them is quoted."""
_SENTENCE = re.compile(r"\b[A-Z]\S*(?:[ \n]\S+){5,59}?(?<=[\w)\"'`])[.!?](?=\s|$)")
"""Six words or more with one space between them: columns of tools have more, and no full stop."""
_WORD = re.compile(r"[\"'`*(]*[A-Za-z'-]+[\"'`*),;:.!?]*")
_FEWEST_WORDS_RATIO = 0.7
"""Share of the words of a sentence that are letters alone; lines of tools have fewer."""
_OF_TOOLS = re.compile(r"\b(?:NOTE|INFO|WARNING|Warning)\b")
"""Sentences that sockperf, ntttcp, netperf and ssh print beside a result."""
_BEGINNING = re.compile(
    r"\s*(?:-{40,}\s*(?:\Z|Server|Client|RDMA|Send|Raw)|\[ *(?:ID|\d+)\]|Connecting to host|iperf 3"
    r"|MIGRATED |OMNI |NTTTCP |Starting \d+ (?:threads|processes) |Error connecting |megabytes="
    r"|\d{14}[.,]"
    r"|(?:[\w ./-]+: )*(?:iperf3?|netperf|uperf|nuttcp(?:-[rt])?|sockperf|qperf|ntttcp|ib_\w+): )"
)
"""First words of tools, and of shells that cannot start one: bash: iperf3: command not found."""
_LONGEST_LITERAL = len("false")
"""Characters that JSON may end with if it breaks off within a number, true, false or null."""


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
class FoundResults(Result):
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


_Read = Measurement | UnreadableResult | NoResult


@dataclass(frozen=True, slots=True)
class _File:
    """A file that may be a result."""

    path: str
    known: UnreadableResult | NoResult | None = None
    """What it is, where its status shows it."""
    is_in_directory: bool = True
    """Whether it was found in a directory, and not named itself."""


def find_results(
    places: Sequence[str | os.PathLike[str] | BinaryIO | Measurement],
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
    targets: list[tuple[str, Sequence[Any]]] = []
    for place in places:
        if not isinstance(place, str | os.PathLike):
            targets.append(("", [place]))
        elif is_directory(path := os.fspath(place)):
            targets.append((path, files_below(path)))
        else:
            # where its status cannot be read, reading it gives the reason
            status = status_of(path)
            fault = too_large(status.st_size) if status else None
            known = UnreadableResult(path, fault) if fault else None
            targets.append((path, [_File(path, known, is_in_directory=False)]))
    rows: list[Measurement | UnreadableResult] = []
    passed_over: list[NoResult] = []
    for name, of_target in targets:
        content = [each for file in watched(of_target) for each in _read(file, format_name)]
        results = [each for each in content if not isinstance(each, NoResult)]
        if not results:
            problem = f"result in a known format: {', '.join(result_formats())}"
            problem = problem if of_target else "visible files"
            results = [UnreadableResult(name, f"the directory has no {problem}")]
        rows += results
        passed_over += (each for each in content if isinstance(each, NoResult))
    return FoundResults(tuple(rows), tuple(passed_over))


def _read(file: Any, format_name: str | None) -> Sequence[_Read]:
    """Return runs of a file or stream, or why there are none; a fault in it ends no other."""
    if isinstance(file, Measurement):
        return [file]
    name = file.path if isinstance(file, _File) else file.name
    try:
        if isinstance(file, _File):
            return _read_file(file, format_name)
        return [
            replace(run, source=name, raw_text="") for run in read_result(file.read(), format_name)
        ]
    except ParseError as error:
        return [UnreadableResult(name, error.problem)]
    except (DomainError, UnitError) as error:
        return [UnreadableResult(name, str(error))]
    except NetmodelError:
        raise
    except (OSError, ValueError) as error:
        return [UnreadableResult(name, f"cannot be read: {reason_of(error)}")]
    except Exception as error:  # noqa: BLE001  # of any kind: the other files are read
        return [UnreadableResult(name, fault_text(error))]


def _read_file(file: _File, format_name: str | None) -> Sequence[_Read]:
    if file.known is not None:
        return [file.known]
    was_read = bool(names_read(file.path))
    try:
        runs = read_result(file.path, format_name)
    except ParseError as error:
        if not file.is_in_directory:
            raise
        unknown = error
        if format_name and not isinstance(error, UnknownFormatError):
            # broken in the format that was named: it may be of none at all
            try:
                read_result(file.path)
            except ParseError as other:
                unknown = other
        if not isinstance(unknown, UnknownFormatError):
            if _quotes_output(file.path):
                return [NoResult(file.path, "quotes output in its text")]
            raise
        if unknown.kind == OF_NO_KNOWN_FORMAT and _breaks_off(read_text(file.path).text):
            return [UnreadableResult(file.path, "begins like a result and breaks off")]
        if not was_read and not file.path.endswith(_OF_DATASETS):
            # a report from before, which may be replaced
            names_read(file.path).discard(file.path)
        return [NoResult(file.path, unknown.kind)]
    if file.is_in_directory and _quotes_output(file.path, runs[0].raw_text):
        return [NoResult(file.path, "quotes output in its text")]
    for run in runs:
        # in place, no other code holds the runs yet: replace() takes a tenth of the time of reading
        object.__setattr__(run, "raw_text", "")
    return runs


def _quotes_output(path: str, text: str | None = None) -> bool:
    """Return whether a file is a page or a program, or has two sentences of prose or more."""
    if Path(path.removesuffix(".gz")).suffix.lower() in _PAGES:
        return True
    if text is None:
        with suppress(ParseError):
            text = read_text(path).text
    if not text or text.lstrip()[:1] in {"{", "["}:
        return False
    sentences = [match[0] for match in _SENTENCE.finditer(text) if not _OF_TOOLS.search(match[0])]
    shares = [
        sum(bool(_WORD.fullmatch(word)) for word in words) / len(words)
        for words in map(str.split, sentences)
    ]
    return sum(share >= _FEWEST_WORDS_RATIO for share in shares) > 1  # a title is one


def _breaks_off(text: str) -> bool:
    """Return whether a text of no known format begins like the output of a run that crashed."""
    if text.lstrip()[:1] not in {"{", "["}:
        return _BEGINNING.match(text) is not None
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        is_cut = len(text[error.pos :].strip()) <= _LONGEST_LITERAL
        return is_cut or error.msg.startswith("Unterminated string")
    except RecursionError:
        return False
    return False


def files_below(directory: str) -> list[_File]:
    """
    Return all visible files below a directory, each once, in the order of their names.

    Links are followed; one that leads back to where it lies ends there. File systems of the kernel
    are not entered, and a directory with too many files is a fault.
    """
    kernel = {status.st_dev for name in _OF_KERNEL if (status := status_of(name))}
    written: set[tuple[int, int]] = set()
    for descriptor in (1, 2):
        with suppress(OSError):  # it is closed
            status = os.fstat(descriptor)
            written.add((status.st_dev, status.st_ino))
    root = str(Path(directory))
    files: list[_File] = []
    seen: set[tuple[int, int]] = set()
    pending = deque([root])
    while pending:
        path = pending.pop()
        known: UnreadableResult | NoResult | None
        try:
            status = Path(path).stat()
            identity = status.st_dev, status.st_ino
            if identity in seen:
                continue
            seen.add(identity)
            if not stat.S_ISDIR(status.st_mode):
                is_written = identity in written
                known = NoResult(path, _WRITTEN) if is_written else _known_by_status(path, status)
                files.append(_File(path, known))
            elif status.st_dev in kernel:
                files.append(_File(path, NoResult(path, "a directory of the kernel")))
            else:
                with os.scandir(path) as entries:
                    visible = [each for each in entries if not each.name.startswith(".")]
                for each in sorted(visible, key=lambda each: each.name, reverse=True):
                    # spelled as pathlib does, which takes longer
                    place = (
                        each.name if path == "." else f"{path.rstrip(os.sep)}{os.sep}{each.name}"
                    )
                    # links after all else: a file that lies in the directory keeps its own name
                    add = pending.appendleft if each.is_symlink() else pending.append
                    add(place)
        except OSError as error:
            known = UnreadableResult(path, f"cannot be read: {error.strerror}")
            files.append(_File(path, known))
        if len(files) + len(pending) > _MAX_FILES:
            problem = f"holds more than {_MAX_FILES} files: name the directories with results"
            return [_File(root, UnreadableResult(root, problem))]
    return sorted(files, key=lambda file: file.path.replace(os.sep, _BEFORE_ANY_NAME))


def _known_by_status(path: str, status: os.stat_result) -> UnreadableResult | NoResult | None:
    """Return what status and begin of a file show; None where it may be a result."""
    if not stat.S_ISREG(status.st_mode):
        return NoResult(path, "no regular file")
    if status.st_size > MEBI:
        with Path(path).open("rb") as file:
            head = file.read(_PROBE_BYTES)
        if b"\0" in head and not head.startswith(_PACKED):
            return NoResult(path, "not text")
    fault = too_large(status.st_size)
    return UnreadableResult(path, fault) if fault else None
