"""Files of calibrated records: whether they are current, and written where they are not."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from netmodel._writing import write_whole
from netmodel.calibration.published._documents import Document
from netmodel.errors import ParseError
from netmodel.records import data_path, record_text

__all__ = ["CalibratedFile", "FileState", "calibrated_files", "write_calibrated_files"]

_FOLDER = "calibrated"
_HEAD = "# Written by: netmodel catalog calibrate. What is changed by hand is lost.\n\n"
_NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")
_TOLERANCE_RATIO = 1e-6


class FileState(Enum):
    """
    How a file compares with what calibration makes now.

    ``CURRENT`` it tells the same, ``DIFFERENT`` something else, ``MISSING`` it is
    not there, ``LEFT_OVER`` nothing makes it any more.
    """

    CURRENT = "current"
    DIFFERENT = "different"
    MISSING = "missing"
    LEFT_OVER = "left over"


@dataclass(frozen=True, slots=True)
class CalibratedFile:
    """
    A file of a calibrated record beside what calibration makes now.

    Parameters
    ----------
    kind, id : str
        Of the record.
    path : pathlib.Path
        Where it lies, or would lie.
    state : FileState
        How it compares.
    text : str
        What it should hold.
    """

    kind: str
    id: str
    path: Path
    state: FileState
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Kind, id, file and state, as JSON has them."""
        return {
            "kind": self.kind,
            "id": self.id,
            "file": str(self.path),
            "state": self.state.value,
        }


def calibrated_files(documents: Mapping[tuple[str, str], Document]) -> list[CalibratedFile]:
    """
    The files of calibrated records, each compared with the document of the record.

    Parameters
    ----------
    documents : mapping of (str, str) to dict
        By kind and id, such as `published_documents` makes them.

    Returns
    -------
    files : list of CalibratedFile
        In the order of kind and id, those included that no document is for. Numbers
        within a part in a million are the same; so are no other differences.

    Raises
    ------
    DomainError
        If a document holds what no file can; names the key.
    ParseError
        If a file cannot be read.

    Examples
    --------
    >>> files = calibrated_files({("adapters", "mine"): {"title": "mine"}})
    >>> [one.state.value for one in files if one.id == "mine"]
    ['missing']
    """
    folder = data_path() / _FOLDER
    present = {(path.parent.name, path.stem) for path in folder.glob("*/*.toml")}
    return [
        _compared(folder / kind / f"{name}.toml", documents.get((kind, name)))
        for kind, name in sorted(present | documents.keys())
    ]


def write_calibrated_files(files: Iterable[CalibratedFile]) -> None:
    """
    Make files current: those that are not are written anew, and left over ones removed.

    Parameters
    ----------
    files : iterable of CalibratedFile
        As `calibrated_files` found them.

    Raises
    ------
    ParseError
        If a file cannot be written; names it.

    Examples
    --------
    >>> write_calibrated_files([])
    """
    for one in files:
        try:
            if one.state is FileState.LEFT_OVER:
                one.path.unlink()
            elif one.state is not FileState.CURRENT:
                one.path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(one.path, one.text.encode())
        except OSError as error:
            raise ParseError(str(one.path), f"cannot be written: {error.strerror}") from None


def _compared(path: Path, document: Document | None) -> CalibratedFile:
    text = "" if document is None else _HEAD + record_text(document)
    return CalibratedFile(path.parent.name, path.stem, path, _state(path, document, text), text)


def _state(path: Path, document: Document | None, text: str) -> FileState:
    if document is None:
        return FileState.LEFT_OVER
    if not path.exists():
        return FileState.MISSING
    try:
        present = path.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise ParseError(str(path), f"cannot be read: {error}") from None
    return FileState.CURRENT if _tell_the_same(present, text) else FileState.DIFFERENT


def _tell_the_same(one: str, other: str) -> bool:
    """Whether texts differ in nothing but rounding of their numbers."""
    parts, others = _NUMBER.split(one.replace("\r\n", "\n")), _NUMBER.split(other)
    return (
        len(parts) == len(others)
        and parts[::2] == others[::2]
        and all(
            math.isclose(float(number), float(wanted), rel_tol=_TOLERANCE_RATIO)
            for number, wanted in zip(parts[1::2], others[1::2], strict=True)
        )
    )
