"""Files that are written whole or not at all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

__all__ = ["draft_of", "write_whole"]


@contextmanager
def draft_of(path: str | os.PathLike[str]) -> Iterator[Path]:
    """
    A file of the same name in a folder beside another, which it replaces when all went well.

    Links stay links, and permissions what they were. What is no regular file, such as a pipe or a
    terminal, is written into and not replaced.

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
    with TemporaryDirectory(dir=target.parent, prefix=".netmodel-") as folder:
        draft = Path(folder, name.name)
        yield draft
        if target.is_file():
            shutil.copymode(target, draft)
        draft.replace(target)


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """
    Write a file, or leave it as it was.

    Raises
    ------
    OSError, ValueError
        If the file cannot be written.
    """
    with draft_of(path) as draft:
        draft.write_bytes(content)
