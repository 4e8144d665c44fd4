"""Files of calibrated records: whether they are current, and written where they are not."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from netmodel._writing import write_whole
from netmodel.calibration._declarations import Document, Key, declarations
from netmodel.errors import ParseError
from netmodel.records._load import data_roots
from netmodel.records._write import record_text

_FOLDER = "calibrated"
_HEAD = "# Written by: netmodel catalog calibrate. What is changed by hand is lost.\n\n"
_NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")
_TOLERANCE_RATIO = 1e-6
"""Of ten digits that are stored, six or more are the same with every version of SciPy and HiGHS."""


class FileState(Enum):
    """
    How a file compares with what calibration makes now.

    ``CURRENT`` it has the same content, ``DIFFERENT`` other content, ``MISSING`` there is no file,
    ``LEFT_OVER`` nothing declares it any more.
    """

    CURRENT = "current"
    DIFFERENT = "different"
    MISSING = "missing"
    LEFT_OVER = "left over"


@dataclass(frozen=True, slots=True)
class CalibratedFile:
    """
    The file of a calibrated record beside what calibration makes now.

    Parameters
    ----------
    kind, id : str
        Of the record.
    path : pathlib.Path
        Where the file is, or would be.
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

    @property
    def key(self) -> Key:
        """Kind and id."""
        return self.kind, self.id

    def to_dict(self) -> dict[str, Any]:
        """Kind, id, file and state, as JSON has them."""
        return {
            "kind": self.kind,
            "id": self.id,
            "file": str(self.path),
            "state": self.state.value,
        }


def calibrated_files(documents: Mapping[Key, Document]) -> list[CalibratedFile]:
    """
    The files of calibrated records, each compared with the document of the record.

    Parameters
    ----------
    documents : mapping of (str, str) to dict
        By kind and id, as `calibrated_documents` makes them.

    Returns
    -------
    files : list of CalibratedFile
        In the folder of data that declares the record, in the order of kind and id. Files that
        nothing declares are among them if calibration wrote them. Numbers within a part in a
        million are the same; so are no other differences.

    Raises
    ------
    DomainError
        If a document holds what no file can; names the key.
    ParseError
        If a file cannot be read.

    Examples
    --------
    >>> files = calibrated_files({("adapters", "mine"): {"title": "mine"}})
    >>> [each.state.value for each in files if each.id == "mine"]
    ['missing']
    """
    roots = data_roots()
    declared = {key: each.root for key, each in declarations().items()}
    files: dict[tuple[Key, Path], CalibratedFile] = {}
    for key, document in documents.items():
        kind, name = key
        path = declared.get(key, roots[0]) / _FOLDER / kind / f"{name}.toml"
        text = _HEAD + record_text(document)
        state = FileState.MISSING
        if path.exists():
            is_same = _has_same_content(_text_of(path), text)
            state = FileState.CURRENT if is_same else FileState.DIFFERENT
        files[key, path] = CalibratedFile(kind, name, path, state, text)
    for path in (path for root in roots for path in (root / _FOLDER).glob("*/*.toml")):
        key = path.parent.name, path.stem
        # without the first line it is a record of the user's own, and stays
        if (key, path) not in files and _text_of(path).startswith(_HEAD.splitlines()[0]):
            files[key, path] = CalibratedFile(*key, path, FileState.LEFT_OVER, "")
    return [files[place] for place in sorted(files)]


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
    for each in files:
        try:
            if each.state is FileState.LEFT_OVER:
                each.path.unlink()
            elif each.state is not FileState.CURRENT:
                each.path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(each.path, each.text.encode())
        except OSError as error:
            raise ParseError(str(each.path), f"cannot be written: {error.strerror}") from None


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise ParseError(str(path), f"cannot be read: {error}") from None


def _has_same_content(one: str, other: str) -> bool:
    """Whether texts differ in nothing but the rounding of their numbers."""
    parts, others = _NUMBER.split(one.replace("\r\n", "\n")), _NUMBER.split(other)
    return (
        len(parts) == len(others)
        and parts[::2] == others[::2]
        and all(
            math.isclose(float(number), float(wanted), rel_tol=_TOLERANCE_RATIO)
            for number, wanted in zip(parts[1::2], others[1::2], strict=True)
        )
    )
