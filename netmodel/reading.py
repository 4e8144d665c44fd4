"""What files hold that users name, up to a limit: no endless file is read."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import FileIO
from typing import IO, Any

from netmodel.errors import ParseError
from netmodel.printable import cut
from netmodel.units.prefixes import MEBI

LARGEST_FILE_BYTES = 256 * MEBI
"""
Largest file that is read: parsing it takes a few GiB of memory, and an hour of iperf3 with 128
streams in intervals of 1 s stays below.
"""
_INTEGERS = 2**63
"""First integer that TOML does not have (version 1.0, section Integer)."""
_names_read: ContextVar[dict[tuple[int, int], set[str]] | None] = ContextVar(
    "names_read", default=None
)
"""Names of each file that a command has read, by device and inode; None outside commands."""


@contextmanager
def noting_files() -> Iterator[None]:
    """Note each file that is read meanwhile, so that none is replaced under any name or link."""
    token = _names_read.set({})
    try:
        yield
    finally:
        _names_read.reset(token)


def names_read(path: str | os.PathLike[str], status: os.stat_result | None = None) -> set[str]:
    """Return the names under which a command has read this file; another one may be added."""
    noted = _names_read.get()
    status = None if noted is None else status or status_of(path)
    if noted is None or status is None or not stat.S_ISREG(status.st_mode):
        return set()
    return noted.setdefault((status.st_dev, status.st_ino), set())


def read_bytes(path: str) -> bytes:
    """
    Return the whole content of a file.

    Raises
    ------
    OSError
        If it cannot be opened, is too large, or is a directory, a device, or a pipe, which might
        never end; ``strerror`` has the reason.
    ValueError
        If the name cannot be that of a file.
    """
    status = stat_of(path)
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):  # which fails below
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")
    _require_small(status.st_size)
    names_read(path, status).add(path)
    with FileIO(path) as file:
        return read_stream(file)


def read_stream(stream: IO[bytes]) -> bytes:
    """
    Return the whole content of a stream.

    Raises
    ------
    OSError
        If it is too large.
    """
    content = bytearray()
    # in parts, as the kernel refuses large reads of its own files
    while len(content) <= LARGEST_FILE_BYTES and (part := stream.read(MEBI)):
        content += part
    _require_small(len(content))
    return bytes(content)


def _require_small(size_bytes: int) -> None:
    if size_bytes > LARGEST_FILE_BYTES:
        problem = f"it has more than {LARGEST_FILE_BYTES // MEBI} MiB, the most that are read"
        raise OSError(errno.EFBIG, problem)


def read_text(path: str) -> str:
    """
    Return the text of a file in UTF-8.

    Raises
    ------
    ParseError
        If it cannot be read, or is not in UTF-8.
    """
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError:
        raise ParseError(path, "not a text file in UTF-8") from None
    except (OSError, ValueError) as error:
        raise ParseError(path, f"cannot be read: {reason_of(error)}") from None


def read_toml(path: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """
    Tables of a TOML file.

    Raises
    ------
    ParseError
        If the file cannot be read or is not TOML; names the line.
    """
    import tomli  # takes as long as a formula, for nothing where no TOML is read

    text = read_text(path)
    try:
        tables = tomli.loads(text, parse_float=parse_float)
        _require_64_bits(tables)
        return tables
    except tomli.TOMLDecodeError as error:
        problem, at, place = str(error).rpartition(" (at ")  # that of a key names all of it
        raise ParseError(path, f"not TOML: {cut(problem)}{at}{place}") from None
    except OverflowError as error:
        raise ParseError(path, str(error)) from None
    except (ValueError, ArithmeticError):
        raise ParseError(path, "a number has too many digits") from None
    except RecursionError:
        raise ParseError(path, "is nested too deeply") from None


def _require_64_bits(value: Any, name: Any = "") -> None:
    """Refuse integers that TOML 1.0 does not hold; arrays would hold them as objects."""
    members = value.items() if isinstance(value, dict) else ()
    for key, member in enumerate(value, 1) if isinstance(value, list) else members:
        _require_64_bits(member, f"{name}.{key}" if name else key)
    if isinstance(value, int) and not -_INTEGERS <= value < _INTEGERS:
        raise OverflowError(f"{cut(name)}: is beyond the integers of 64 bit that TOML has")


def reason_of(error: Exception) -> str:
    """Return why a file cannot be read or written."""
    return getattr(error, "strerror", None) or str(error)


def status_of(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Return the status of a file, links followed; None where there is none, or no access."""
    with suppress(OSError, ValueError):
        return stat_of(path)
    return None


is_directory, is_file, stat_of = os.path.isdir, os.path.isfile, os.stat
"""Tests for a directory and for a regular file, False where neither can be asked; and the status
of a file. Those of pathlib take twice as long."""
