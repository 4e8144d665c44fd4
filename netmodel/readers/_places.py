"""Where results may lie: files, and folders with all that is below them."""

import os
import stat
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from netmodel._reading import too_large

__all__ = ["Place", "place_of", "places_below"]

_HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """
    A file that may be a result.

    Parameters
    ----------
    path : str
        As it is shown.
    fault : str
        Why it cannot be read, as far as can be seen from outside.
    kind : str
        What it is, where it cannot be a result.
    is_in_folder : bool
        Whether it was found in a folder, and not named itself.
    """

    path: str
    fault: str | None = None
    kind: str | None = None
    is_in_folder: bool = True


def place_of(path: str) -> Place:
    """A file that was named; what cannot be opened is left to who opens it."""
    try:
        fault = too_large(Path(path).stat().st_size)
    except (OSError, ValueError):
        fault = None
    return Place(path=path, fault=fault, is_in_folder=False)


def places_below(folder: str) -> list[Place]:
    """
    All files below a folder but hidden ones, each once, in the order of their names.

    Links are followed after all else: so what a link leads to has its own name where it lies in
    the folder too, and a link that leads back to where it lies ends there.
    """
    found: list[Place] = []
    seen: set[tuple[int, int]] = set()
    pending, links = deque([folder]), deque[str]()
    is_linked = False
    while pending or links:
        is_linked = is_linked or not pending
        path = (pending or links).popleft()
        try:
            status = Path(path).stat()
            identity = status.st_dev, status.st_ino
            if is_linked and identity in seen:
                continue
            seen.add(identity)
            if not stat.S_ISDIR(status.st_mode):
                found.append(_place(path, status))
                continue
            for name, leads_elsewhere in _entries(path):
                (links if leads_elsewhere else pending).append(str(Path(path) / name))
        except OSError as error:
            found.append(Place(path=path, fault=f"cannot be read: {error.strerror}"))
    return sorted(found, key=lambda place: Path(place.path).parts)


def _entries(folder: str) -> list[tuple[str, bool]]:
    """Names in a folder but hidden ones, in order, each with whether it is a link."""
    with os.scandir(folder) as entries:
        return sorted(
            (entry.name, entry.is_symlink()) for entry in entries if not entry.name.startswith(".")
        )


def _place(path: str, status: os.stat_result) -> Place:
    if not stat.S_ISREG(status.st_mode):
        return Place(path=path, kind="no regular file")
    fault = too_large(status.st_size)
    if fault is not None and _is_binary(path):
        return Place(path=path, kind="not text")
    return Place(path=path, fault=fault)


def _is_binary(path: str) -> bool:
    with Path(path).open("rb") as file:
        return b"\0" in file.read(_HEAD_BYTES)
