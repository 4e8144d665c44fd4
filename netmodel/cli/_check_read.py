"""What ``netmodel check`` reads, how far it is, and what it passes over."""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import click

from netmodel._reading import read_stream
from netmodel.cli._console import as_given
from netmodel.errors import UnitError
from netmodel.readers import FoundResults, find_results
from netmodel.readers._find_results import NoResult
from netmodel.units import parse_rate_bps

__all__ = ["found_in", "is_typed_rate", "with_progress"]

_Item = TypeVar("_Item")

_STDIN = "-"
_LONG = 100
_NAMED_COUNT = 3
"""Files that are no results, of which the first are named."""
_LIKE_A_NUMBER = re.compile(r"[0-9](?:[0-9.,]*[0-9])?\s*[A-Za-z]*(?:/[A-Za-z]+)?")
"""A number with a unit, if any; a name such as 1.json has a dot before its letters."""


class _Stdin:
    """Standard input, which is opened when it is read."""

    name = "<stdin>"

    def read(self) -> bytes:
        try:
            with click.open_file(_STDIN, "rb") as file:
                return read_stream(file)
        except RuntimeError:
            raise OSError("it is closed") from None


@dataclass(frozen=True, slots=True)
class _Rate:
    """A goodput that was typed in place of a file."""

    name: str

    def read(self) -> bytes:
        return self.name.encode()


def found_in(names: Sequence[str], format_name: str | None) -> FoundResults:
    """Results that were named; what is none is counted on standard error."""
    if names.count(_STDIN) > 1:
        raise click.UsageError("standard input can be read once only: name - once")
    places = [_place(name) for name in names]
    found = find_results(places, format_name, with_progress)
    if found.passed_over:
        click.echo(_told(found.passed_over), err=True)
    return found


def _place(name: str) -> "str | _Stdin | _Rate":
    """What a name stands for: standard input, a file, or a rate where no file has that name."""
    if name == _STDIN:
        return _Stdin()
    return _Rate(name) if is_typed_rate(name) else name


def is_typed_rate(name: str) -> bool:
    """Whether it is a rate and no file; UsageError for a number whose unit is none of a rate."""
    if not _LIKE_A_NUMBER.fullmatch(name) or Path(name).exists():
        return False
    try:
        parse_rate_bps(name)
    except UnitError as error:
        raise click.UsageError(f"no file has the name {name!r}, and as a goodput {error}") from None
    return True


def with_progress(items: Sequence[_Item], label: str, least_count: int = _LONG) -> Iterator[_Item]:
    """The items, with a bar on standard error where they are many and somebody looks."""
    is_hidden = len(items) < least_count or not _is_watched()
    stream = None if sys.stderr is None else as_given(sys.stderr)
    with click.progressbar(items, label=label, file=stream, hidden=is_hidden) as bar:
        yield from bar


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _told(passed_over: Sequence[NoResult]) -> str:
    """A line on files that were passed over: how many, and what the first of them are."""
    count = len(passed_over)
    named = ", ".join(f"{each.path} ({each.kind})" for each in passed_over[:_NAMED_COUNT])
    more = f", and {count - _NAMED_COUNT} more" if count > _NAMED_COUNT else ""
    files = "1 file that is no result" if count == 1 else f"{count} files that are no results"
    return f"passed over {files}: {named}{more}"
