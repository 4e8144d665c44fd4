"""What files hold that users name, up to a limit: no endless file is read."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Protocol

from netmodel.errors import ParseError
from netmodel.printable import cut
from netmodel.units.prefixes import MEBI

LARGEST_FILE_BYTES = 256 * MEBI
"""
Largest file that is read: parsing it takes a few GiB of memory, and an hour of iperf3 with 128
streams in intervals of 1 s stays below.
"""
_CHUNK_BYTES = MEBI
"""Sixteen times the buffer of a pipe on Linux: few calls, little memory."""
_INTEGERS = 2**63
"""First integer that TOML does not have (version 1.0, section Integer)."""
_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
"""Non-blocking, because opening a pipe without a writer, or reading a kernel log, hangs."""


_names_read: ContextVar[dict[tuple[int, int], set[str]] | None] = ContextVar(
    "names_read", default=None
)
"""Names of each file that a command has read, by device and inode; None outside commands."""


class ByteStream(Protocol):
    """A source of bytes, such as ``sys.stdin.buffer``."""

    def read(self, count: int, /) -> bytes:
        """At most this number of bytes; fewer at the end."""


@contextmanager
def noting_files() -> Iterator[None]:
    """Note each file that is read meanwhile, so that none is replaced under any name or link."""
    token = _names_read.set({})
    try:
        yield
    finally:
        _names_read.reset(token)


def note_read(path: str | os.PathLike[str], status: os.stat_result | None = None) -> None:
    """Note a file as read; for loaders that keep what they read, so that it need not be opened."""
    noted = _names_read.get()
    if noted is None:
        return
    identity = _identity(status_of(path) if status is None else status)
    if identity is not None:
        noted.setdefault(identity, set()).add(os.fspath(path))


def forget_read(path: str | os.PathLike[str]) -> None:
    """Undo `note_read` for one name: the file was opened, and is of no use to the command."""
    names_read(path).discard(os.fspath(path))


def names_read(path: str | os.PathLike[str]) -> set[str]:
    """Names under which a command has read this file."""
    noted = _names_read.get()
    identity = _identity(status_of(path)) if noted else None
    return set() if noted is None or identity is None else noted.get(identity, set())


def _identity(status: os.stat_result | None) -> tuple[int, int] | None:
    """Device and inode of a regular file: the same under each of its names."""
    if status is None or not stat.S_ISREG(status.st_mode):
        return None
    return status.st_dev, status.st_ino


def too_large(size_bytes: int) -> str | None:
    """Why a file of this size is not read; None where it is."""
    if size_bytes <= LARGEST_FILE_BYTES:
        return None
    return f"has {size_bytes} byte; at most {LARGEST_FILE_BYTES // MEBI} MiB are read"


def read_bytes(path: str) -> bytes:
    """
    The whole content of a file, or of a pipe with a writer.

    Raises
    ------
    OSError
        If it cannot be opened, is a directory or a device, is too large, or is a
        pipe without a writer; ``strerror`` has the reason.
    ValueError
        If the name cannot be that of a file.
    """
    file = os.open(path, _OPEN_FLAGS)
    try:
        status = os.fstat(file)
        note_read(path, status)
        size_bytes = status.st_size
        if stat.S_ISREG(status.st_mode) and 0 < size_bytes <= LARGEST_FILE_BYTES:
            content = os.read(file, size_bytes + 1)
            return content if len(content) == size_bytes else content + _rest(file, len(content))
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
            raise OSError(errno.EINVAL, "it is a device, not a file")
        if stat.S_ISREG(status.st_mode):
            _require_small(size_bytes)
        return _rest(file)
    finally:
        os.close(file)


def read_text(path: str) -> str:
    """
    Text of a file in UTF-8.

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
    import tomllib  # compiles its expressions, for nothing where no TOML is read

    text = read_text(path)
    try:
        tables = tomllib.loads(text, parse_float=parse_float)
        _require_64_bits(tables)
        return tables
    except tomllib.TOMLDecodeError as error:
        problem, at, place = str(error).rpartition(" (at ")  # that of a key names all of it
        raise ParseError(path, f"not TOML: {cut(problem)}{at}{place}") from None
    except OverflowError as error:
        raise ParseError(path, str(error)) from None
    except (ValueError, ArithmeticError):
        raise ParseError(path, "a number has too many digits") from None
    except RecursionError:
        raise ParseError(path, "is nested too deeply") from None


def _require_64_bits(value: Any, name: str = "") -> None:
    """Refuse integers that TOML 1.0 does not hold; arrays would hold them as objects."""
    if isinstance(value, dict):
        for key, member in value.items():
            _require_64_bits(member, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for place, member in enumerate(value, start=1):
            _require_64_bits(member, f"{name}.{place}")
    elif isinstance(value, int) and not -_INTEGERS <= value < _INTEGERS:
        raise OverflowError(f"{cut(name)}: is beyond the integers of 64 bit that TOML has")


def reason_of(error: Exception) -> str:
    """Why a file cannot be read or written."""
    return getattr(error, "strerror", None) or str(error)


def status_of(path: str | os.PathLike[str]) -> os.stat_result | None:
    """The status of a file, links followed; None where there is none, or it cannot be asked."""
    with suppress(OSError, ValueError):
        return Path(path).stat()
    return None


def is_directory(path: str | os.PathLike[str]) -> bool:
    """Whether a name is that of a directory; False where its status cannot be asked."""
    status = status_of(path)
    return status is not None and stat.S_ISDIR(status.st_mode)


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a name is that of a regular file; False where its status cannot be asked."""
    status = status_of(path)
    return status is not None and stat.S_ISREG(status.st_mode)


def read_stream(stream: ByteStream) -> bytes:
    """
    The whole content of a stream.

    Raises
    ------
    OSError
        If it is too large.
    """
    content = stream.read(LARGEST_FILE_BYTES + 1)
    _require_small(len(content))
    return content


def _require_small(size_bytes: int) -> None:
    if size_bytes > LARGEST_FILE_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {LARGEST_FILE_BYTES // MEBI} MiB")


def _rest(file: int, read_bytes: int = 0) -> bytes:
    """The rest of a pipe, or of a file whose size is not known or grew."""
    is_pipe = stat.S_ISFIFO(os.fstat(file).st_mode)
    content = bytearray()
    if is_pipe:
        with suppress(BlockingIOError):
            content += os.read(file, _CHUNK_BYTES)
            if not content:
                raise OSError(errno.EPIPE, "it is a pipe that nothing writes into")
        os.set_blocking(file, True)
    while chunk := os.read(file, _CHUNK_BYTES):
        content += chunk
        _require_small(read_bytes + len(content))
    return bytes(content)
