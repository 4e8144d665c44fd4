"""Results in files and directories: runs to judge, unreadable files, and what is no result."""

import json
import os
import re
import stat
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from netmodel.errors import DomainError, NetmodelError, ParseError, UnitError, UnknownFormatError
from netmodel.printable import fault_text
from netmodel.readers._document import read_text
from netmodel.readers._formats import OF_NO_KNOWN_FORMAT, read_result, result_formats
from netmodel.readers._measurement import Measurement
from netmodel.reading import is_directory, names_read, reason_of, status_of
from netmodel.results import Result

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
_PAGES = frozenset(
    {".md", ".markdown", ".rst", ".adoc", ".tex", ".html", ".htm", ".xhtml", ".ipynb", ".py", ".sh"}
)
"""Endings of prose, pages, notebooks and programs: output in them is quoted."""
_QUOTED = "quotes output in its text"
_SENTENCE = re.compile(r"\b[A-Z][a-z]*(?:[ \n][A-Za-z'-]+[,;:]?){5,}[.!?](?:\s|$)")
"""Six words or more with one space between them: columns of tools have more, and no full stop."""
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
_Known = UnreadableResult | NoResult | None
"""What a file is, where its status shows it."""


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
    >>> len(found.rows), [each.kind for each in found.passed_over]
    (8, ['of no known format'])
    """
    rows: list[Measurement | UnreadableResult] = []
    passed_over: list[NoResult] = []
    for place in places:
        path = os.fspath(place) if isinstance(place, str | os.PathLike) else ""
        in_directory = bool(path) and is_directory(path)
        files = files_below(path) if in_directory else [(path or place, None)]
        content = [
            each
            for file, known in files
            for each in ([known] if known else _read(file, format_name, in_directory))
        ]
        results = [each for each in content if not isinstance(each, NoResult)]
        if not results:
            problem = f"result in a known format: {', '.join(result_formats())}"
            problem = problem if files else "visible files"
            results = [UnreadableResult(path, f"the directory has no {problem}")]
        rows += results
        passed_over += (each for each in content if isinstance(each, NoResult))
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
    except (ParseError, DomainError, UnitError) as error:
        return [UnreadableResult(name, getattr(error, "problem", str(error)))]
    except NetmodelError:
        raise
    except (OSError, ValueError) as error:
        return [UnreadableResult(name, f"cannot be read: {reason_of(error)}")]
    except Exception as error:  # noqa: BLE001  # of any kind: the other files are read
        return [UnreadableResult(name, fault_text(error))]


def _read_in_directory(path: str, format_name: str | None) -> Sequence[_Read]:
    """Return the runs of a file that nobody named, or what it is instead."""
    was_read, text = bool(names_read(path)), ""
    try:
        raw = read_text(path)
        text = raw.text
        runs = read_result(raw, format_name)
    except ParseError as error:
        unknown = error
        if format_name and not isinstance(error, UnknownFormatError):
            # broken in the format that was named: it may be of none at all
            try:
                read_result(path)
            except ParseError as other:
                unknown = other
        if not isinstance(unknown, UnknownFormatError):
            if _quotes_output(path, text):
                return [NoResult(path, _QUOTED)]
            raise
        if unknown.kind == OF_NO_KNOWN_FORMAT and _breaks_off(text):
            return [UnreadableResult(path, "begins like a result and breaks off")]
        if not was_read and not path.endswith(_OF_DATASETS):
            # a report from before, which may be replaced
            names_read(path).discard(path)
        return [NoResult(path, unknown.kind)]
    if _quotes_output(path, text):
        return [NoResult(path, _QUOTED)]
    return _without_text(path, runs)


def _without_text(name: str, runs: Sequence[Measurement]) -> Sequence[Measurement]:
    """Return the runs with the name of their source, without its text."""
    for run in runs:
        # in place, no other code holds the runs yet: replace() takes a tenth of the time of reading
        object.__setattr__(run, "source", name)
        object.__setattr__(run, "raw_text", "")
    return runs


def _quotes_output(path: str, text: str) -> bool:
    """Return whether a file is a page or a program, or has two sentences of prose or more."""
    is_page = Path(path.removesuffix(".gz")).suffix.lower() in _PAGES
    # a title is one sentence
    return is_page or (text.lstrip()[:1] not in {"{", "["} and len(_SENTENCE.findall(text)) > 1)


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


def files_below(directory: str) -> list[tuple[str, _Known]]:
    """
    Return all visible files below a directory, each once, in the order of their names.

    Links are followed; one that leads back to where it lies ends there. File systems of the kernel
    are not entered, and a directory with too many files is a fault.
    """
    kernel = {status.st_dev for name in _OF_KERNEL if (status := status_of(name))}
    outputs = [status for name in _OUTPUTS if (status := status_of(name))]
    written = {(each.st_dev, each.st_ino) for each in outputs}
    root = str(Path(directory))
    files: list[tuple[str, _Known]] = []
    seen: set[tuple[int, int]] = set()
    pending = deque([root])
    while pending:
        path = pending.pop()
        try:
            status = Path(path).stat()
            identity = status.st_dev, status.st_ino
            if identity in seen:
                continue
            seen.add(identity)
            if stat.S_ISDIR(status.st_mode) and status.st_dev not in kernel:
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
                is_folder = stat.S_ISDIR(status.st_mode)
                kind = "a directory of the kernel" if is_folder else "no regular file"
            files.append((path, NoResult(path, kind) if kind else None))
        except OSError as error:
            files.append((path, UnreadableResult(path, f"cannot be read: {error.strerror}")))
        if len(files) + len(pending) > _MAX_FILES:
            problem = f"holds more than {_MAX_FILES} files: name the directories with results"
            return [(root, UnreadableResult(root, problem))]
    return sorted(files, key=lambda file: file[0].replace(os.sep, _BEFORE_ANY_NAME))
