"""Where results may lie: files, and folders with all that is below them."""

import json
import os
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from netmodel._reading import too_large

__all__ = ["Place", "place_of", "places_below"]

_MOST_FILES = 100_000
"""Files of one folder that are looked at: reading as many takes about a minute."""
_TOO_MANY = f"holds more than {_MOST_FILES} files: name the folders in it that hold results"
_LARGE_BYTES = 1024 * 1024
"""Above that a file is looked into before it is read whole."""
_HEAD_BYTES = 4096
_FIRST = "\0"
"""Comes before all that names hold, so that a folder comes before what only begins as it."""
_GZIP_MARK = b"\x1f\x8b"
_MOUNTS = "/proc/self/mountinfo"
_OF_KERNEL = frozenset(
    {"proc", "sysfs", "cgroup", "cgroup2", "debugfs", "tracefs", "securityfs", "configfs", "bpf"}
    | {"pstore", "efivarfs", "binfmt_misc", "mqueue", "fusectl", "devpts", "nsfs", "selinuxfs"}
    | {"rpc_pipefs", "nfsd"}
)
"""File systems on Linux whose files are made when they are read, some of them without end."""


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
    the folder too, and a link that leads back to where it lies ends there. Folders of the kernel,
    such as /proc, are not entered, and a folder with too many files is a fault.
    """
    root = str(Path(folder))
    of_kernel = _devices_of_kernel()
    found: list[Place] = []
    seen: set[tuple[int, int]] = set()
    pending: deque[tuple[str, os.DirEntry[str] | None]] = deque([(root, None)])
    links: deque[tuple[str, os.DirEntry[str] | None]] = deque()
    is_linked = False
    while pending or links:
        is_linked = is_linked or not pending
        path, entry = (pending or links).popleft()
        try:
            status = Path(path).stat() if entry is None else entry.stat()
            identity = status.st_dev, status.st_ino
            if is_linked and identity in seen:
                continue
            seen.add(identity)
            if not stat.S_ISDIR(status.st_mode):
                found.append(_place(path, status))
            elif status.st_dev in of_kernel:
                found.append(_of_kernel(path, of_kernel[status.st_dev], is_named=path == root))
            else:
                for inner in _entries(path):
                    (links if inner.is_symlink() else pending).append((_below(path, inner), inner))
        except OSError as error:
            found.append(Place(path=path, fault=f"cannot be read: {error.strerror}"))
        if len(found) + len(pending) + len(links) > _MOST_FILES:
            return [Place(path=root, fault=_TOO_MANY)]
    return sorted(found, key=lambda place: place.path.replace(os.sep, _FIRST))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder but hidden, by name."""
    with os.scandir(folder) as entries:
        shown = [entry for entry in entries if not entry.name.startswith(".")]
    return sorted(shown, key=lambda entry: entry.name)


def _below(folder: str, entry: os.DirEntry[str]) -> str:
    """The path of what is in a folder, spelled as pathlib does."""
    return entry.name if folder == "." else f"{folder.rstrip(os.sep)}{os.sep}{entry.name}"


def _devices_of_kernel() -> dict[int, str]:
    """Kinds of the file systems that the kernel makes up, by their device; none but on Linux."""
    found = {}
    with suppress(OSError), Path(_MOUNTS).open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            told, _, file_system = line.partition(" - ")
            kind, (major, _, minor) = file_system.split(" ")[0], told.split()[2].partition(":")
            if kind in _OF_KERNEL:
                found[os.makedev(int(major), int(minor))] = kind
    return found


def _of_kernel(path: str, kind: str, *, is_named: bool) -> Place:
    told = f"a folder of the kernel ({kind})"
    if is_named:
        return Place(path=path, fault=f"is {told}: name the files in it")
    return Place(path=path, kind=told)


def _place(path: str, status: os.stat_result) -> Place:
    if not stat.S_ISREG(status.st_mode):
        return Place(path=path, kind="no regular file")
    if status.st_size > _LARGE_BYTES and _is_binary(path):
        return Place(path=path, kind="not text")
    return Place(path=path, fault=too_large(status.st_size))


def _is_binary(path: str) -> bool:
    """Whether a file begins as no text does, nor JSON in UTF-16, nor what is packed."""
    with Path(path).open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if b"\0" not in head or head.startswith((_GZIP_MARK, BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    return head.decode(json.detect_encoding(head), errors="ignore").lstrip()[:1] not in {"{", "["}
