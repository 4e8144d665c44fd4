"""Results in files and folders: runs to judge, what cannot be read, and what is no result."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from netmodel.errors import ParseError, UnknownFormatError
from netmodel.readers._formats import read_result, result_formats
from netmodel.readers._measurement import Measurement
from netmodel.readers._places import Place, place_of, places_below

__all__ = [
    "FoundResults",
    "NoResult",
    "Progress",
    "ResultStream",
    "UnreadableResult",
    "find_results",
]

Progress: TypeAlias = Callable[[Sequence[Any], str], Iterable[Any]]
"""Gives the items of a sequence one by one, and may tell how far it is with what is done."""


class ResultStream(Protocol):
    """What a result is read from that is no file, such as ``sys.stdin.buffer``."""

    @property
    def name(self) -> str:
        """As it is shown."""

    def read(self) -> bytes:
        """All of it."""


@dataclass(frozen=True, slots=True)
class UnreadableResult:
    """
    A file that cannot be read.

    Parameters
    ----------
    path : str
        Which; that of a folder where no result is in it.
    problem : str
        Why.
    """

    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class NoResult:
    """
    A file in a folder that is no result of a tool.

    Parameters
    ----------
    path : str
        Which.
    kind : str
        What it is instead.
    """

    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class FoundResults:
    """
    What is in files and folders.

    Parameters
    ----------
    rows : tuple of Measurement and UnreadableResult
        In the order in which they were named; files of a folder are in the
        order of their names.
    passed_over : tuple of NoResult
        Files in folders that are no results.
    """

    rows: tuple[Measurement | UnreadableResult, ...]
    passed_over: tuple[NoResult, ...] = ()


@dataclass(frozen=True, slots=True)
class _Target:
    """What was named, with what is to be read for it: of a folder, any number of files."""

    name: str
    places: Sequence[Place | ResultStream]


def find_results(
    places: Sequence[str | os.PathLike[str] | ResultStream],
    format_name: str | None = None,
    progress: Progress | None = None,
) -> FoundResults:
    """
    Read all results in files and folders.

    Parameters
    ----------
    places : sequence of path or stream
        Files, folders, which stand for all files in them and below but hidden
        ones, and open binary streams. Links are followed, and no file of a
        folder is read twice because of them.
    format_name : str, optional
        One of `result_formats`; recognised from what each file holds when left
        out.
    progress : callable, optional
        Is called with all files and what is done with them, and gives the files
        one by one, such as ``lambda files, what: tqdm(files, desc=what)``.

    Returns
    -------
    found : FoundResults
        Runs without the text that they were read from, for there may be
        thousands; files that cannot be read, and those that are no results.

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
    targets = [_target(place) for place in places]
    pending = [place for target in targets for place in target.places]
    watched = progress(pending, "reading") if progress else pending
    read = iter([_read(place, format_name) for place in watched])
    rows: list[Measurement | UnreadableResult] = []
    passed_over: list[NoResult] = []
    for target in targets:
        found = [each for _ in target.places for each in next(read)]
        results = [each for each in found if not isinstance(each, NoResult)]
        rows += results or [_nothing_in(target)]
        passed_over += (each for each in found if isinstance(each, NoResult))
    return FoundResults(tuple(rows), tuple(passed_over))


def _target(place: str | os.PathLike[str] | ResultStream) -> _Target:
    if not isinstance(place, str | os.PathLike):
        return _Target(place.name, [place])
    path = os.fspath(place)
    return _Target(path, places_below(path) if Path(path).is_dir() else [place_of(path)])


def _read(
    place: Place | ResultStream, format_name: str | None
) -> Sequence[Measurement | UnreadableResult | NoResult]:
    """Runs of a file, or that there are none."""
    if not isinstance(place, Place):
        return _read_stream(place, format_name)
    if place.kind is not None:
        return [NoResult(place.path, place.kind)]
    if place.fault is not None:
        return [UnreadableResult(place.path, place.fault)]
    try:
        return _without_text(read_result(place.path, format_name))
    except ParseError as error:
        kind = _kind_of_no_result(place.path, error) if place.is_in_folder else None
        if kind is not None:
            return [NoResult(place.path, kind)]
        return [UnreadableResult(place.path, error.problem)]


def _read_stream(
    stream: ResultStream, format_name: str | None
) -> Sequence[Measurement | UnreadableResult]:
    try:
        content = stream.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return [UnreadableResult(stream.name, f"cannot be read: {reason}")]
    try:
        runs = read_result(content, format_name)
    except ParseError as error:
        return [UnreadableResult(stream.name, error.problem)]
    return [replace(run, source=stream.name) for run in _without_text(runs)]


def _without_text(runs: Sequence[Measurement]) -> Sequence[Measurement]:
    """The runs, which nobody else has yet, without what they were read from."""
    for run in runs:
        # replacing each by a copy takes a tenth of the time of reading it
        object.__setattr__(run, "raw_text", "")
    return runs


def _kind_of_no_result(path: str, error: ParseError) -> str | None:
    """What a file is that is no result of any tool; None where it is a broken one."""
    if isinstance(error, UnknownFormatError):
        return error.kind
    try:
        read_result(path)
    except UnknownFormatError as other:
        return other.kind
    except ParseError:
        return None
    return None


def _nothing_in(folder: _Target) -> UnreadableResult:
    if not folder.places:
        return UnreadableResult(folder.name, "no file is in this folder but hidden ones")
    known = f"no result of a tool that is known is in this folder: {', '.join(result_formats())}"
    return UnreadableResult(folder.name, known)
