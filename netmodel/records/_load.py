"""TOML files read into records; every fault is told with its file and place."""

import difflib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, get_args

from pydantic import BaseModel, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from netmodel._reading import read_bytes
from netmodel.errors import ParseError, UnknownRecordError
from netmodel.records._values import FROZEN, Grade, Text, Value

__all__ = [
    "Stamped",
    "near_ids",
    "read_joined",
    "read_record",
    "read_text",
    "read_toml",
    "read_with_defaults",
    "reason_of",
    "stamped",
    "unknown_record",
    "validated",
]

Model = TypeVar("Model", bound=BaseModel)
Stamped: TypeAlias = tuple[str, int, int]
"""A file, when it was changed, and its size."""

_TELLING = 3
"""Letters that an id must share with others before they are offered in its place."""
_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not a known key",
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "tuple_type": "must be an array",
}
_FIGURE = "must be text like '12 µs' or '8', or a table with value and unit"


class _Defaults(BaseModel):
    """What the values of a file have in common."""

    model_config = FROZEN

    source: Text | None = None
    locator: Text | None = None
    grade: Grade | None = None
    note: Text | None = None


def read_record(path: str | os.PathLike[str], model: type[Model]) -> Model:
    """
    Record of one TOML file, its id the name of the file without the ending.

    A table ``[defaults]`` with ``source``, ``locator``, ``grade`` and ``note``
    serves every value of the file that lacks its own. A value with a source
    of its own needs its own locator, and one with a source or grade of its
    own its own note.

    Raises
    ------
    ParseError
        If the file cannot be read, is not TOML, or is not such a record.
    """
    return read_joined((path,), model)


def read_joined(paths: Sequence[str | os.PathLike[str]], model: type[Model]) -> Model:
    """
    Record of TOML files of one name, each with defaults of its own.

    Raises
    ------
    ParseError
        As of `read_record`, or if a key stands in two of the files; names the
        file at fault.
    """
    first, *others = [os.fspath(path) for path in paths]
    document, defaults = _read_without_id(first)
    for name in others:
        part = _part(name, model)
        for key in document.keys() & part.keys():
            raise ParseError(name, f"{key}: stands in {first} too; one record tells it once")
        document |= part
    return validated(first, model, {"id": Path(first).stem, **document}, context=defaults)


def _part(name: str, model: type[BaseModel]) -> dict[str, Any]:
    """What one file tells of a record by key, each read with the defaults of that file."""
    document, defaults = _read_without_id(name)
    found = validated(name, _partial(model), document, context=defaults)
    told = {field.alias or key: key for key, field in model.model_fields.items()}
    return {key: getattr(found, told[key]) for key in document}


@cache
def _partial(model: type[BaseModel]) -> type[BaseModel]:
    """The model with no key that must be there."""
    fields: dict[str, Any] = {
        key: (field.annotation, _optional(field)) for key, field in model.model_fields.items()
    }
    return create_model(model.__name__, __config__=FROZEN, **fields)


def _optional(field: FieldInfo) -> FieldInfo:
    optional = copy(field)
    optional.default = None
    return optional


def _read_without_id(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    document, defaults = read_with_defaults(name)
    if "id" in document:
        raise ParseError(name, "id: is the name of the file, and not told again in it")
    return document, defaults


def read_with_defaults(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """
    Tables of a TOML file without its ``[defaults]``, and those.

    Raises
    ------
    ParseError
        If the file cannot be read, is not TOML, or its defaults are no defaults.
    """
    document = read_toml(path)
    defaults = validated(path, _Defaults, document.pop("defaults", {}), ("defaults",))
    return document, defaults.model_dump(exclude_none=True)


def read_text(path: str) -> str:
    """
    What a text file holds.

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


def stamped(paths: Iterable[Path]) -> tuple[Stamped, ...]:
    """
    Files with what changes when they do, as a key of what was read from them.

    Raises
    ------
    ParseError
        If one is not there.
    """
    try:
        stats = [(path, path.stat()) for path in paths]
    except OSError as error:
        raise ParseError(str(error.filename), f"cannot be read: {reason_of(error)}") from None
    return tuple((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in stats)


def reason_of(error: Exception) -> str:
    """Why a file cannot be read or written."""
    return getattr(error, "strerror", None) or str(error)


def read_toml(path: str) -> dict[str, Any]:
    """
    Tables of a TOML file, decimal numbers with the digits that are written.

    Raises
    ------
    ParseError
        If the file cannot be read or is not TOML; the line is told.
    """
    text = read_text(path)
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ParseError(path, f"not TOML: {error}") from None
    except (ValueError, ArithmeticError):
        raise ParseError(path, "a number has too many digits") from None
    except RecursionError:
        raise ParseError(path, "is nested too deeply") from None


def validated(
    source: str,
    model: type[Model],
    data: object,
    place: tuple[str, ...] = (),
    context: Mapping[str, object] | None = None,
) -> Model:
    """
    The data as a model.

    Raises
    ------
    ParseError
        If they do not fit it; names the source, and table and key of each fault.
    """
    try:
        return model.model_validate(data, context=context)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        told = "; ".join(_told(place, fault) + _hint(model, fault) for fault in faults)
        raise ParseError(source, told) from None


def near_ids(name: str, known: Iterable[str]) -> list[str]:
    """Ids that may have been meant: similar ones, else those that contain it."""
    ids, wanted = sorted(known), name.strip().lower()
    similar = difflib.get_close_matches(wanted, ids)
    return similar or [one for one in ids if len(wanted) >= _TELLING and wanted in one]


def unknown_record(kind: str, name: str, known: Iterable[str]) -> UnknownRecordError:
    """The error for an id that no record has, with what may have been meant."""
    ids = sorted(known)
    near = near_ids(name, ids)
    known_ids = f"known are {', '.join(ids)}" if ids else "none is known"
    hint = f"did you mean {' or '.join(near)}?" if near else known_ids
    return UnknownRecordError(f"unknown {kind} {name!r}; {hint}")


def _told(place: tuple[str, ...], fault: ErrorDetails) -> str:
    where = ".".join(str(part) for part in (*place, *fault["loc"]))
    if fault["type"] == "value_error":
        what = str(fault["ctx"]["error"])
    elif fault["type"] == "model_type" and fault["ctx"]["class_name"] == Value.__name__:
        what = _FIGURE
    else:
        what = _WORDS.get(fault["type"]) or fault["msg"].replace("Input should be", "must be")
    return f"{where}: {what}" if where else what


def _hint(model: type[BaseModel], fault: ErrorDetails) -> str:
    """The key that may have been meant, else all that are known there."""
    if fault["type"] != "extra_forbidden":
        return ""
    *outer, name = fault["loc"]
    found: Any = model
    for part in outer:
        found = _inside(found, part)
    tables = list(_tables(found))
    if len(tables) != 1:
        return ""
    keys = sorted({field.alias or key for key, field in tables[0].model_fields.items()} - {"id"})
    near = difflib.get_close_matches(str(name), keys, n=1)
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(keys)}"


def _inside(annotation: Any, part: int | str) -> Any:
    """Annotation of a field; the same where the part is the place in an array, or an id."""
    for table in _tables(annotation):
        for key, field in table.model_fields.items():
            if part == (field.alias or key):
                return field.annotation
    return annotation


def _tables(annotation: Any) -> Iterator[type[BaseModel]]:
    """Models that an annotation has anywhere, but not in other models."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _tables(part)
