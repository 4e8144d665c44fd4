"""Files that commands write: never over what they read, and whole or not at all."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from netmodel.errors import ParseError, UnknownFormatError

__all__ = ["OUTPUT_FILE", "OutputFile", "note_input", "require_no_input", "write_output"]

_NOTED = "netmodel.inputs"
_STDIN = "-"
_OF_DATASETS = (".toml", ".csv")


class OutputFile(click.Path):
    """A file that a command writes, and does not read."""


OUTPUT_FILE = OutputFile(dir_okay=False, writable=True)


def note_input(path: str) -> None:
    """Note a file that is read and that the value of an option no longer tells."""
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta.setdefault(_NOTED, []).append(path)


def require_no_input(option: str, path: str) -> None:
    """Refuse to write over a file that the command reads, under whatever name and link."""
    output = _identity(path)
    if output is None:
        return
    for name in _inputs(click.get_current_context()):
        found = _input_in(name, output, path)
        if found is not None:
            same = "" if found == path else f" is the same file as {found}, which"
            of = "" if found == name else f" in {name}"
            raise click.UsageError(f"{option} {path}:{same} is read{of}: name another file")


def write_output(option: str, path: str, content: bytes) -> None:
    """Write a file whole or leave it as it was; UsageError where that is not possible."""
    from netmodel._writing import write_whole

    require_no_input(option, path)
    try:
        write_whole(path, content)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise click.UsageError(f"{option} {path}: {reason}") from None


def _inputs(context: click.Context) -> Iterator[str]:
    """All that may name a file or folder which is read."""
    for parameter in context.command.params:
        if not isinstance(parameter.type, OutputFile):
            yield from _texts(context.params.get(parameter.name or ""))
    yield from context.meta.get(_NOTED, ())


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def _input_in(name: str, output: tuple[int, int], path: str) -> str | None:
    """The file of a name that is the output: itself, or one of its folder that is read."""
    if name == _STDIN:
        return "standard input" if _identity_of_stdin() == output else None
    if _identity(name) == output:
        return name
    if not Path(name).is_dir():
        return None
    from netmodel.readers._find_results import files_below

    places = (place.path for place in files_below(name))
    same = next((place for place in places if _identity(place) == output), None)
    return same if same is not None and _is_read(path) else None


def _is_read(path: str) -> bool:
    """Whether a file of a folder is one that commands read, and no report of an earlier run."""
    from netmodel.readers import read_result

    if path.endswith(_OF_DATASETS):
        return True
    try:
        read_result(path)
    except UnknownFormatError:
        return False
    except ParseError:
        return True
    return True


def _identity(path: str) -> tuple[int, int] | None:
    """What a file is, whatever it is called; None for what is no regular file."""
    with suppress(OSError, ValueError):
        return _of_regular(Path(path).stat())
    return None


def _identity_of_stdin() -> tuple[int, int] | None:
    with suppress(OSError, ValueError, AttributeError):
        return _of_regular(os.fstat(sys.stdin.fileno()))
    return None


def _of_regular(status: os.stat_result) -> tuple[int, int] | None:
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
