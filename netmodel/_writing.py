"""Files that are written completely or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def draft_of(path: str | os.PathLike[str]) -> Iterator[Path]:
    """
    A temporary file that replaces another of the same name unless an error occurs.

    Links and permissions are kept. A pipe or a terminal is written to and not replaced.

    Raises
    ------
    OSError, ValueError
        If the file cannot be written.
    """
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
        draft.replace(target)


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """
    Write a file, or leave it unchanged.

    Raises
    ------
    OSError, ValueError
        If the file cannot be written.
    """
    with draft_of(path) as draft:
        draft.write_bytes(content)
