"""Files that are written completely or not at all, and never over a file that was read."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from netmodel.errors import DomainError
from netmodel.reading import names_read


class IsReadError(DomainError):
    """An output is a file that the command reads, under this or another name."""

    def __init__(self, path: str | os.PathLike[str], problem: str) -> None:
        super().__init__(f"{os.fspath(path)}: {problem}")
        self.strerror = problem


def require_unread(path: str | os.PathLike[str], *, is_update: bool = False) -> None:
    """
    Refuse to replace a file that the command has read; an update may replace what it read as such.

    Raises
    ------
    IsReadError
        If it was read, under any name or link.
    """
    names = names_read(path)
    if is_update:
        names = {each for each in names if Path(each).absolute() != Path(path).absolute()}
    if names:
        raise IsReadError(path, f"is read as {min(names)}: name another file")


@contextmanager
def draft_of(path: str | os.PathLike[str], *, is_update: bool = False) -> Iterator[Path]:
    """
    A temporary file that replaces another of the same name unless an error occurs.

    Links and permissions are kept. A pipe or a terminal is written to and not replaced. Everything
    that a command writes is written here.

    Raises
    ------
    IsReadError
        If the command has read the file; for an update, under another name.
    OSError, ValueError
        If the file cannot be written.
    """
    require_unread(path, is_update=is_update)
    name = Path(path)
    if name.exists() and not (name.is_file() or name.is_dir()):
        yield name
        return
    target = Path(os.path.realpath(path))
    with TemporaryDirectory(dir=target.parent, prefix=".netmodel-") as directory:
        draft = Path(directory, name.name)
        yield draft
        if target.is_file():
            shutil.copymode(target, draft)
        names = names_read(target)
        draft.replace(target)
        names.clear()  # the inode of what was replaced may soon be that of another file


def write_whole(path: str | os.PathLike[str], content: bytes, *, is_update: bool = False) -> None:
    """
    Write a file, or leave it unchanged.

    Raises
    ------
    IsReadError
        If the command has read the file; for an update, under another name.
    OSError, ValueError
        If the file cannot be written.
    """
    with draft_of(path, is_update=is_update) as draft:
        draft.write_bytes(content)
