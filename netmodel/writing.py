"""Files that are written completely or not at all, and never over a file that was read."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from netmodel.reading import names_read


@contextmanager
def draft_of(path: str | os.PathLike[str]) -> Iterator[Path]:
    """
    Yield a temporary file that replaces another of the same name unless an error occurs.

    Links and permissions are kept. A pipe or a terminal is written to and not replaced. Everything
    that a command writes is written here.

    Raises
    ------
    OSError, ValueError
        If the file cannot be written, or the command has read it, under any name or link.
    """
    name = Path(path)
    if path == "-":
        raise OSError(errno.EINVAL, "standard output has the answer: name a file", path)
    if read := names_read(path):
        raise OSError(errno.EEXIST, f"is read as {min(read)}: name another file", str(path))
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


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """
    Write a file, or leave it unchanged.

    Raises
    ------
    OSError, ValueError
        If the file cannot be written, or the command has read it, under any name or link.
    """
    with draft_of(path) as draft:
        draft.write_bytes(content)
