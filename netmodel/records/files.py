"""Files of records: where they are, TOML read into models, and errors that name file and key."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from netmodel.errors import MissingPartError, ParseError, UnknownRecordError
from netmodel.printable import cut
from netmodel.reading import read_toml as read_plain_toml
from netmodel.text import meant_text

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

Model = TypeVar("Model", bound="BaseModel")

KINDS = ("adapters", "hosts", "links", "paths", "workloads")
"""Kinds of records of the catalog, by the name of their directory."""
_PACKAGE = Path(__file__).resolve().parent.parent
_ROOTS = (_PACKAGE / "_data", _PACKAGE.parent / "data")
"""In an installed package, and in a checkout."""
_TOPS = ("catalog", "calibrated")
"""Directories of records: those that people wrote, and those that calibration wrote."""
_MOST_FAULTS = 20
"""Faults of a record in one message: a screen of them. A damaged file may have a fault a line."""
_MOST_IDS = 16
"""Ids in one message: a few lines of them."""
_LETTERS_IN_COMMON = 3
"""An id is offered in place of text that it contains from three letters on: two are in many ids."""
_REWORDED = {
    "date_type": "must be a date without quotes, such as 2026-12-01",
    "bool_type": "must be true or false, without quotes",
    "string_type": "must be text in quotes",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "tuple_type": "must be an array, of tables [[...]]",
    "too_short": "must not be empty",
}
"""Words of a TOML file for faults that pydantic names in words of Python."""
_WORDS = {
    "Input should be": "must be",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "above",
    "less than": "below",
}
"""Words of pydantic in faults, and those of netmodel."""
_FIGURE = "must be text like '12 µs' or '8', or a table with value and unit"


def data_path(*names: str) -> Path:
    """
    Path of a bundled file or directory.

    Parameters
    ----------
    *names : str
        Directories and file below the data.

    Returns
    -------
    path : pathlib.Path
        In the installed package or in the checkout.

    Raises
    ------
    MissingPartError
        If netmodel was installed without it.

    Examples
    --------
    >>> data_path("examples", "iperf3").is_dir()
    True
    """
    for root in _ROOTS:
        path = root.joinpath(*names)
        if path.exists():
            return path
    raise MissingPartError(f"netmodel was installed without its data: no {'/'.join(names)}")


def found_files(pattern: str) -> tuple[Path, ...]:
    """Return the bundled files of a pattern, by name."""
    return tuple(sorted(data_path().glob(pattern)))


@lru_cache(maxsize=256)  # more records are in no question
def record_files(kind: str, name: str) -> tuple[Path, ...]:
    """Return the files of a record, written and calibrated; none where no record has this id."""
    if Path(name).name != name or "\0" in name:
        return ()
    root = data_path()
    places = (root / top / kind / f"{name}.toml" for top in _TOPS)
    return tuple(path for path in places if path.is_file())


def catalog_files(kind: str) -> dict[str, tuple[Path, ...]]:
    """Return the files of each record of a kind, such as ``"adapters"``, by id."""
    found: dict[str, tuple[Path, ...]] = {}
    for path in (path for top in _TOPS for path in found_files(f"{top}/{kind}/*.toml")):
        found[path.stem] = (*found.get(path.stem, ()), path)
    return dict(sorted(found.items()))


def dataset_ids() -> tuple[str, ...]:
    """
    Ids of the bundled datasets.

    Returns
    -------
    ids : tuple of str
        In alphabetical order.

    Raises
    ------
    MissingPartError
        If netmodel was installed without its data.

    Examples
    --------
    >>> "zvm-layer2-layer3" in dataset_ids()
    True
    """
    return tuple(path.parent.name for path in found_files("measurements/*/dataset.toml"))


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the tables of a TOML file; decimal numbers keep their printed digits."""
    return read_plain_toml(os.fspath(path), Decimal)


@cache
def kept_record(model: type[Model], paths: tuple[Path, ...]) -> Model:
    """Return a record of the catalog, read once."""
    return read_record(paths, model)


def read_record(paths: Sequence[str | os.PathLike[str]], model: type[Model]) -> Model:
    """
    Return the record of a TOML file, or of a written and a calibrated one.

    A table ``[defaults]`` with ``source``, ``locator``, ``grade`` and ``note``
    serves every value that lacks its own. The id is the name of the file.

    Raises
    ------
    ParseError
        If a file cannot be read, is not TOML or not such a record, or if both
        files have the same key; names the file at fault.
    """
    from netmodel.records.values import Defaults

    document: dict[str, Any] = {}
    files: dict[str, str] = {}
    for file in [os.fspath(each) for each in paths]:
        tables = read_toml(file)
        if "id" in tables:
            raise ParseError(file, "id: is the name of the file; leave it out")
        for key in tables.keys() & document.keys():
            raise ParseError(file, f"{cut(key)}: is in {files[key]} too; a record has it once")
        document |= tables
        files |= dict.fromkeys(tables, file)
    first = os.fspath(paths[0])
    of_file = files.get("defaults", first)
    defaults = validated(of_file, Defaults, document.pop("defaults", {}), ("defaults",))
    context = {"defaults": defaults.model_dump(exclude_none=True)}
    given = {"id": Path(first).stem, **document}
    return validated(first, model, given, context=context, files=files)


def validated(
    source: str,
    model: type[Model],
    data: object,
    place: tuple[str, ...] = (),
    context: Mapping[str, object] | None = None,
    files: Mapping[str, str] | None = None,
) -> Model:
    """
    Return the data as a model.

    Raises
    ------
    ParseError
        If they do not fit it; names the source, or the file of the key where files are given, and
        table and key of each fault, as far as a screen holds them.
    """
    from pydantic import ValidationError

    try:
        return model.model_validate(data, context=context)
    except ValidationError as error:
        by_file: dict[str, list[str]] = {}
        for fault in error.errors(include_url=False):
            file = (files or {}).get(str(fault["loc"][0]) if fault["loc"] else "", source)
            where = "".join([*place, *_place(data, fault["loc"])]).lstrip(".")
            problem = _problem(model, fault)
            by_file.setdefault(file, []).append(f"{where}: {problem}" if where else problem)
        file, problems = next(iter(by_file.items()))
        if others := problems[_MOST_FAULTS:]:
            problems = [*problems[:_MOST_FAULTS], f"and {len(others)} more"]
        raise ParseError(file, "; ".join(problems)) from None


def meant_ids(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """Return which ids may have been meant: those most alike, else those with the text."""
    from difflib import get_close_matches  # of errors alone

    ids, wanted = {each.lower(): each for each in sorted(known)}, name.strip().lower()
    near = get_close_matches(wanted, ids)
    if len(wanted) >= _LETTERS_IN_COMMON:
        near = near or [each for each in ids if wanted in each]
        near = near or [each for each in ids if each.startswith(wanted[:_LETTERS_IN_COMMON])]
    near = [ids[each] for each in near[:_MOST_IDS]]
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def unknown_record(kind: str, name: str, known: Iterable[str]) -> UnknownRecordError:
    """Return the error for an id without a record, with the ids that may have been meant."""
    ids = sorted(known)
    more = f" and {len(ids) - _MOST_IDS} more" if len(ids) > _MOST_IDS else ""
    known_ids = f"known are {', '.join(ids[:_MOST_IDS])}{more}" if ids else "none is known"
    return UnknownRecordError(f"unknown {kind} {name!r}; {meant_ids(name, ids, known_ids)}")


def shown(given: object) -> str:
    """Return a value as in the file, shortened."""
    if isinstance(given, bool):
        return str(given).lower()
    return cut(f'"{given}"' if isinstance(given, str) else str(given))


def _place(data: Any, parts: Iterable[str | int]) -> Iterator[str]:
    """Yield the keys that lead to a fault; of an array a place, with the name of its table."""
    for part in parts:
        if isinstance(part, str):
            # what stands in brackets is a variant or a function of the model, no key of the file
            yield from () if part.endswith((">", "]")) else (f".{cut(part)}",)
            data = data.get(part) if isinstance(data, Mapping) else None
        elif isinstance(data, list | tuple):
            data = data[part]
            name = data.get("name") if isinstance(data, Mapping) else None
            yield f' {part + 1} "{cut(name)}"' if isinstance(name, str) else f".{part}"


def _problem(model: "type[BaseModel]", fault: "ErrorDetails") -> str:
    """Return the problem of a fault, with a short value."""
    kind, given = fault["type"], fault["input"]
    if kind == "value_error":
        return str(fault["ctx"]["error"])
    if kind == "model_type" and fault["ctx"]["class_name"] == "Value":
        return _FIGURE
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return f"is not a known key{_hint(model, fault)}"
    what = _REWORDED.get(kind, fault["msg"])
    for words, ours in _WORDS.items():
        what = what.replace(words, ours)
    known = re.findall("'([^']+)'", fault["msg"]) if kind in {"enum", "literal_error"} else ()
    is_short = isinstance(given, str | int | float | Decimal)
    return f"{what}; got {shown(given)}{meant_text(str(given), known)}" if is_short else what


def _hint(model: "type[BaseModel]", fault: "ErrorDetails") -> str:
    """Return where an unknown key belongs, or which one may have been meant, else those allowed."""
    *outer, name = fault["loc"]
    parts = {key: table for key, each in _keys(model).items() for table in _tables(each)}
    for place, table in {"the top of the file": model, **parts}.items():
        if name in _keys(table):
            return f": it belongs to {place}"
    annotation: Any = model
    for part in outer:
        inside = [_keys(table).get(str(part)) for table in _tables(annotation)]
        annotation = next(filter(None, inside), annotation)  # the same inside an array
    keys = sorted({key for table in _tables(annotation) for key in _keys(table)} - {"id"})
    return meant_text(str(name), keys) or f"; known are {', '.join(keys)}"


def _keys(table: "type[BaseModel]") -> dict[str, Any]:
    """Return what a table holds by its keys as in a file."""
    return {field.alias or key: field.annotation for key, field in table.model_fields.items()}


def _tables(annotation: Any) -> "Iterator[type[BaseModel]]":
    """Yield the models anywhere in an annotation, but not inside other models."""
    from pydantic import BaseModel

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _tables(part)
