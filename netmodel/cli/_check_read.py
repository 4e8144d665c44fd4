"""What ``netmodel check`` reads: rows to judge, rows that cannot be read, and what is no result."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import click

from netmodel.cli._check_places import STDIN, Place, Target, places_of
from netmodel.errors import ParseError, UnknownFormatError
from netmodel.judging import Verdict
from netmodel.readers import Measurement, read_result, result_formats

__all__ = ["Row", "read_rows", "with_progress"]

Row: TypeAlias = Measurement | Verdict
"""A run that is to be judged, or the verdict that there is none to judge."""

_Item = TypeVar("_Item")

_SHOWN_STDIN = "<stdin>"
_LONG = 100
_NAMED_COUNT = 3


@dataclass(frozen=True, slots=True)
class _NoResult:
    """A file that is passed over, and what it is."""

    path: str
    kind: str


def read_rows(names: Sequence[str], format_name: str | None) -> list[Row]:
    """
    Read what was named, in this order; files of a folder are in the order of their names.

    Files of a folder that are no results are passed over, and counted on standard error.
    """
    if names.count(STDIN) > 1:
        raise click.UsageError("standard input can be read once only: name - once")
    targets = [places_of(name) for name in names]
    places = [place for target in targets for place in target.places]
    found = iter([_read(place, format_name) for place in with_progress(places, "reading")])
    rows: list[Row] = []
    passed_over: list[_NoResult] = []
    for target in targets:
        read = [each for _ in target.places for each in next(found)]
        no_results = [each for each in read if isinstance(each, _NoResult)]
        results = [each for each in read if not isinstance(each, _NoResult)]
        rows += results or [_nothing_in(target)]
        passed_over += no_results
    if passed_over:
        click.echo(_told(passed_over), err=True)
    return rows


def with_progress(items: Sequence[_Item], label: str) -> Iterator[_Item]:
    """The items, with a bar on standard error where they are many and somebody looks."""
    is_hidden = len(items) < _LONG or not _is_watched()
    with click.progressbar(items, label=label, file=sys.stderr, hidden=is_hidden) as bar:
        yield from bar


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _read(place: Place, format_name: str | None) -> Sequence[Row | _NoResult]:
    """Rows of a file, or that it is none. Its text is not kept: there may be thousands."""
    if place.kind is not None:
        return [_NoResult(place.path, place.kind)]
    if place.fault is not None:
        return [_unreadable(place.path, place.fault)]
    shown = _SHOWN_STDIN if place.path == STDIN else place.path
    try:
        runs = read_result(_stdin() if place.path == STDIN else place.path, format_name)
    except ParseError as error:
        kind = None if place.was_named else _kind_of_no_result(place.path, error)
        return [_NoResult(shown, kind) if kind else _unreadable(shown, error.problem)]
    return [replace(run, source=shown, raw_text="") for run in runs]


def _stdin() -> bytes:
    try:
        with click.open_file(STDIN, "rb") as file:
            content: bytes = file.read()
    except (OSError, RuntimeError):
        raise ParseError(_SHOWN_STDIN, "cannot be read: it is closed") from None
    return content


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


def _unreadable(path: str, problem: str) -> Verdict:
    return Verdict(file=path, outcome=None, reason=problem)


def _nothing_in(target: Target) -> Verdict:
    """A row for a folder without a result."""
    if not target.places:
        return _unreadable(target.name, "no file is in this folder but hidden ones")
    names = ", ".join(result_formats())
    return _unreadable(target.name, f"no result of a tool that is known is in this folder: {names}")


def _told(passed_over: Sequence[_NoResult]) -> str:
    """A line on files that were passed over: how many, and what the first of them are."""
    count = len(passed_over)
    named = ", ".join(f"{each.path} ({each.kind})" for each in passed_over[:_NAMED_COUNT])
    more = f", and {count - _NAMED_COUNT} more" if count > _NAMED_COUNT else ""
    files = "1 file that is no result" if count == 1 else f"{count} files that are no results"
    return f"passed over {files}: {named}{more}"
