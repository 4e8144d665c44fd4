"""Files of records: where they are, TOML read into models, and errors that name file and key."""

import difflib
import fnmatch
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from copy import copy
from decimal import Decimal
from functools import cache, lru_cache
from importlib.util import cache_from_source
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args
from zlib import crc32

from netmodel._printable import cut
from netmodel._reading import is_directory, note_read, reason_of
from netmodel._reading import read_toml as read_plain_toml
from netmodel.errors import ContradictionError, MissingDataError, ParseError, UnknownRecordError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

Model = TypeVar("Model", bound="BaseModel")
Read = TypeVar("Read")
Stamped: TypeAlias = tuple[str, int, int]
"""A file, its modification time [ns] and its size [byte]: what changes when the file does."""

_PACKAGE = Path(__file__).resolve().parent.parent
_ROOTS = (_PACKAGE / "_data", _PACKAGE.parent / "data")
"""In an installed package, and in a checkout."""
_TOPS = ("catalog", "calibrated")
"""Directories of records: those that people wrote, and those that calibration wrote."""
_DIRECTORIES = (*_TOPS, "measurements", "published")
"""Directories of data, bundled or of users."""
_BUNDLED = tuple(f"{root}{os.sep}{top}" for root in _ROOTS for top in (*_DIRECTORIES, "documents"))
"""Bundled files and directories that commands read: all but the examples."""
_CHECKSUM_BYTES = 4
"""A CRC-32."""
_SETTLED_NS = 2_000_000_000
"""Resolution of modification times on FAT, the coarsest of common file systems: a directory that
changed later than that may change again without a newer time."""
_LETTERS_IN_COMMON = 3
"""An id is offered in place of text that it contains from three letters on: two are in many ids."""
_MOST_FAULTS = 20
"""Faults of a record in one message: a screen of them. A damaged file may have a fault a line."""
_REWORDED = {
    "missing": "is missing",
    "extra_forbidden": "is not a known key",
    "bool_type": "must be true or false",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "tuple_type": "must be an array",
}
"""Words of a TOML file for faults that pydantic names in words of Python."""
_FIGURE = "must be text like '12 µs' or '8', or a table with value and unit"

_CACHED_KINDS = 32
"""Kinds of records, with a few directories registered in turn."""
_registered: list[Path] = []
_listings: dict[tuple[Path, str], tuple[int | None, list[str], tuple[Path, ...]]] = {}
"""By directory and pattern: modification time of the directory, None where it may change again
without a newer one; and what it then had: names, and their paths, which take longer to make."""
_looked_up: ContextVar[dict[object, Any] | None] = ContextVar("_looked_up", default=None)
"""Files and their stamps that hold for a while; None where they may change any time."""


@contextmanager
def unchanged_files() -> Iterator[None]:
    """
    Take files of records not to change meanwhile, so that each is looked for once.

    For many predictions at once: looking at the files takes as long as one of them.
    """
    if _looked_up.get() is not None:
        yield
        return
    token = _looked_up.set({})
    try:
        yield
    finally:
        _looked_up.reset(token)


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
    MissingDataError
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
    raise MissingDataError(f"netmodel was installed without its data: no {'/'.join(names)}")


def register_data(directory: str | os.PathLike[str]) -> None:
    """
    Search your own directory besides the bundled data, from now on in this process.

    Parameters
    ----------
    directory : str or path-like
        Laid out as the bundled data: any of
        ``catalog/{adapters,hosts,links,paths,workloads}/*.toml``,
        the same below ``calibrated``, ``measurements/<id>/dataset.toml``,
        ``published/*.toml`` and ``documents.toml``. Registering it again changes nothing. Files
        that are added or edited later are read at the next use.

    Raises
    ------
    MissingDataError
        If there is no such directory.
    ContradictionError
        If it has a record of the same kind and id as another directory; names
        both files, and leaves the directory out.

    See Also
    --------
    unregister_data : Undoes it.

    Notes
    -----
    A record of ``catalog`` and one of ``calibrated`` with the same kind and id
    are one record, each file with ``[defaults]`` of its own. Each top-level key
    must be in only one of them. Either file may also be the whole record.

    Examples
    --------
    The invented document that ships as an example:

    >>> from netmodel.records import data_path, path_record, unregister_data
    >>> own = data_path("examples", "own-document")
    >>> register_data(own)
    >>> path_record("brief-appliance").title
    'Streams to the appliance of the brief'
    >>> unregister_data(own)
    """
    root = Path(directory).resolve()
    if not is_directory(root):
        raise MissingDataError(f"{os.fspath(directory)} is not a directory")
    if root in _registered:
        return
    _registered.append(root)
    try:
        dataset_files()
        for kind in sorted({path.name for top in _TOPS for path in found_files(top, "*")}):
            catalog_files(kind)
    except ContradictionError:
        _registered.remove(root)
        raise
    for place in ("*.toml", *(f"{top}/**/*.*" for top in _DIRECTORIES)):
        for path in root.glob(place):
            note_read(path)


def unregister_data(directory: str | os.PathLike[str]) -> None:
    """
    No longer search a directory that was registered.

    Parameters
    ----------
    directory : str or path-like
        Nothing happens if it is not registered.

    See Also
    --------
    register_data : Adds it.

    Examples
    --------
    >>> from netmodel.records import catalog, data_path, register_data
    >>> own = data_path("examples", "own-document")
    >>> before = len(catalog()["paths"])
    >>> register_data(own)
    >>> unregister_data(own)
    >>> len(catalog()["paths"]) - before
    0
    """
    root = Path(directory).resolve()
    if root in _registered:
        _registered.remove(root)


def catalog_files(kind: str) -> dict[str, tuple[Path, ...]]:
    """Files of each record of a kind, such as ``"adapters"``, by id: written, then calibrated."""

    def found() -> Mapping[str, tuple[Path, ...]]:
        return _by_ids(tuple(found_files(f"{top}/{kind}", "*.toml") for top in _TOPS))

    return dict(while_unchanged(kind, found))


@lru_cache(maxsize=_CACHED_KINDS)
def _by_ids(files: tuple[tuple[Path, ...], ...]) -> Mapping[str, tuple[Path, ...]]:
    """The same of the files below each top."""
    tops = [_by_id(paths, lambda path: path.stem) for paths in files]
    names = sorted(set().union(*tops))
    return {name: tuple(top[name] for top in tops if name in top) for name in names}


def dataset_files() -> dict[str, Path]:
    """The ``dataset.toml`` of each dataset by id."""

    def found() -> Mapping[str, Path]:
        headers = (directory / "dataset.toml" for directory in found_files("measurements", "*"))
        return _by_id((path for path in headers if path.is_file()), lambda path: path.parent.name)

    return dict(while_unchanged("datasets", found))


def dataset_ids() -> tuple[str, ...]:
    """
    Ids of the bundled datasets and of those in registered directories.

    Returns
    -------
    ids : tuple of str
        In alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.
    ContradictionError
        If two directories have a dataset of the same id.

    Examples
    --------
    >>> "zvm-layer2-layer3" in dataset_ids()
    True
    """
    return tuple(dataset_files())


def while_unchanged(what: str, read: Callable[[], Read]) -> Read:
    """What is read from all directories: once while files do not change, else each time."""
    known, key = _looked_up.get(), (what, *_registered)
    if known is None:
        return read()
    if key not in known:
        known[key] = read()
    result: Read = known[key]
    return result


def data_roots() -> tuple[Path, ...]:
    """The directory of the bundled data, then the registered directories."""
    return (data_path(), *_registered)


def found_files(directory: str, pattern: str) -> tuple[Path, ...]:
    """Files of a directory, in the bundled data and in each registered directory."""
    return tuple(
        chain.from_iterable(listed_files(root / directory, pattern) for root in data_roots())
    )


def listed_files(directory: Path, pattern: str) -> tuple[Path, ...]:
    """Files of one directory, listed again when its modification time has changed."""
    try:
        changed_ns = directory.stat().st_mtime_ns
        known_ns, known, files = _listings.get((directory, pattern), (None, None, ()))
        if known_ns == changed_ns:
            return files
        is_settled = time.time_ns() - changed_ns > _SETTLED_NS
        with os.scandir(directory) as entries:
            names = sorted(fnmatch.filter((entry.name for entry in entries), pattern))
    except OSError:
        return ()
    if names != known:
        files = tuple(directory / name for name in names)
    _listings[directory, pattern] = (changed_ns if is_settled else None, names, files)
    return files


def _by_id(paths: Iterable[Path], id_of: Callable[[Path], str]) -> dict[str, Path]:
    known: dict[str, Path] = {}
    for path in paths:
        name = id_of(path)
        if name in known:
            raise ContradictionError(f"{name!r} is the id of both {known[name]} and {path}")
        known[name] = path
    return dict(sorted(known.items()))


def read_record(paths: Sequence[str | os.PathLike[str]], model: type[Model]) -> Model:
    """
    Record of one TOML file, or of a written and a calibrated one; its id is the file's name.

    A table ``[defaults]`` with ``source``, ``locator``, ``grade`` and ``note``
    serves every value of its file that lacks its own (`with_defaults`).

    Raises
    ------
    ParseError
        If a file cannot be read, is not TOML or not such a record, or if both
        files have the same key; names the file at fault.
    """
    first, *others = [os.fspath(path) for path in paths]
    document, defaults = _read_without_id(first)
    for name in others:
        part = _part(name, model)
        for key in document.keys() & part.keys():
            raise ParseError(name, f"{cut(key)}: is in {first} too; a record has each key once")
        document |= part
    return validated(first, model, {"id": Path(first).stem, **document}, context=defaults)


def _part(name: str, model: "type[BaseModel]") -> dict[str, Any]:
    """Members of one file of a record by key, each read with the defaults of that file."""
    document, defaults = _read_without_id(name)
    part = validated(name, _partial(model), document, context=defaults)
    fields = {field.alias or key: key for key, field in model.model_fields.items()}
    return {key: getattr(part, fields[key]) for key in document}


@cache
def _partial(model: "type[BaseModel]") -> "type[BaseModel]":
    """The model with every key optional."""
    from pydantic import create_model

    fields: dict[str, Any] = {}
    for key, field in model.model_fields.items():
        optional = copy(field)
        if field.default_factory is None:
            optional.default = None
        fields[key] = (field.annotation, optional)
    return create_model(model.__name__, __config__=model.model_config, **fields)


def _read_without_id(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    document, defaults = read_with_defaults(name)
    if "id" in document:
        raise ParseError(name, "id: is the name of the file; leave it out")
    return document, defaults


def read_with_defaults(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """
    Tables of a TOML file without its ``[defaults]``, and the defaults.

    Raises
    ------
    ParseError
        If the file cannot be read, is not TOML, or its defaults are not valid.
    """
    from netmodel.records._values import Defaults

    document = read_toml(path)
    defaults = validated(path, Defaults, document.pop("defaults", {}), ("defaults",))
    return document, defaults.model_dump(exclude_none=True)


def stamped(paths: Iterable[Path]) -> tuple[Stamped, ...]:
    """
    Files with modification time and size: a key for what was read from them.

    Raises
    ------
    ParseError
        If one is missing.
    """
    paths, known = tuple(paths), _looked_up.get()
    if known is not None and paths in known:
        same: tuple[Stamped, ...] = known[paths]
        return same
    try:
        stats = [(path, path.stat()) for path in paths]
    except OSError as error:
        raise ParseError(str(error.filename), f"cannot be read: {reason_of(error)}") from None
    for path, stat in stats:
        note_read(path, stat)
    result = tuple((str(path), stat.st_mtime_ns, stat.st_size) for path, stat in stats)
    if known is not None:
        known[paths] = result
    return result


def read_toml(path: str) -> dict[str, Any]:
    """
    Tables of a TOML file; decimal numbers keep their printed digits.

    Raises
    ------
    ParseError
        If the file cannot be read or is not TOML; names the line.
    """
    parsed = _Parsed(path)
    note_read(path)
    if parsed.tables is not None:
        return parsed.tables
    tables = read_plain_toml(path, Decimal)
    parsed.keep(tables)
    return tables


class _Parsed:
    """
    A bundled TOML file as parsed before, which takes a twentieth of the time.

    It is kept where Python keeps bytecode, and as bytecode is: beside the file or below
    ``PYTHONPYCACHEPREFIX``, valid for one modification time and size, and never written where
    ``PYTHONDONTWRITEBYTECODE`` is set or the directory cannot be written. Files of users are parsed
    each time.
    """

    def __init__(self, path: str) -> None:
        self._place: Path | None = None
        self._stamp: tuple[int, int] | None = None
        self.tables: dict[str, Any] | None = None
        if not path.startswith(_BUNDLED):
            return
        self._place = Path(cache_from_source(path)).with_suffix(".pickle")
        try:
            stat = Path(path).stat()
            self._stamp = (stat.st_mtime_ns, stat.st_size)
            content = self._place.read_bytes()
        except OSError:
            return
        checksum, kept = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
        if checksum == _checksum(kept):
            stamp, tables = pickle.loads(kept)
            self.tables = tables if stamp == self._stamp else None

    def keep(self, tables: dict[str, Any]) -> None:
        """Keep the tables for the next process."""
        if self._place is None or self._stamp is None or sys.dont_write_bytecode:
            return
        if time.time_ns() - self._stamp[0] <= _SETTLED_NS:
            return
        kept = pickle.dumps((self._stamp, tables), pickle.HIGHEST_PROTOCOL)
        draft = self._place.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(_checksum(kept) + kept)
            draft.replace(self._place)


def _checksum(content: bytes) -> bytes:
    """Shows whether all of a kept file was written."""
    return crc32(content).to_bytes(_CHECKSUM_BYTES, "little")


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
        If they do not fit it; names the source, and table and key of each fault, as far as a
        screen holds them.
    """
    from pydantic import ValidationError

    try:
        return model.model_validate(data, context=context)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        shown, others = faults[:_MOST_FAULTS], len(faults[_MOST_FAULTS:])
        problems = [_problem(place, fault) + _hint(model, fault) for fault in shown]
        problems += [f"and {others} more"] if others else []
        raise ParseError(source, "; ".join(problems)) from None


def id_as_written(name: str, known: Iterable[str]) -> str:
    """The known id that differs in capital letters alone; the name itself where none or two do."""
    if name in known:
        return name
    same = [each for each in known if each.casefold() == name.strip().casefold()]
    return same[0] if len(same) == 1 else name


def near_ids(name: str, known: Iterable[str]) -> list[str]:
    """Ids that may have been meant: similar, else with the text in them, else that begin alike."""
    ids, wanted = sorted(known), name.strip().lower()
    similar = difflib.get_close_matches(wanted, ids)
    if similar or len(wanted) < _LETTERS_IN_COMMON:
        return similar
    with_text = [each for each in ids if wanted in each]
    begin = wanted[:_LETTERS_IN_COMMON]
    return with_text or [each for each in ids if each.startswith(begin)]


def unknown_record(kind: str, name: str, known: Iterable[str]) -> UnknownRecordError:
    """The error for an id without a record, with the ids that may have been meant."""
    ids = sorted(known)
    near = near_ids(name, ids)
    known_ids = f"known are {', '.join(ids)}" if ids else "none is known"
    hint = f"did you mean {' or '.join(near)}?" if near else known_ids
    return UnknownRecordError(f"unknown {kind} {name!r}; {hint}")


def _problem(place: tuple[str, ...], fault: "ErrorDetails") -> str:
    """Table, key and problem of a fault."""
    # What stands in brackets is a variant or a function of the model, no key of the file.
    keys = [cut(str(part)) for part in fault["loc"] if not str(part).endswith((">", "]"))]
    where = ".".join([*place, *keys])
    if fault["type"] == "value_error":
        what = str(fault["ctx"]["error"])
    elif fault["type"] == "model_type" and fault["ctx"]["class_name"] == "Value":
        what = _FIGURE
    else:
        what = _REWORDED.get(fault["type"]) or fault["msg"].replace("Input should be", "must be")
    return f"{where}: {what}" if where else what


def _hint(model: "type[BaseModel]", fault: "ErrorDetails") -> str:
    """The key that may have been meant in place of an unknown one, else all keys of its table."""
    if fault["type"] != "extra_forbidden":
        return ""
    *outer, name = fault["loc"]
    annotation: Any = model
    for part in outer:
        annotation = _inside(annotation, part)
    tables = list(_tables(annotation))
    if len(tables) != 1:
        return ""
    keys = sorted({field.alias or key for key, field in tables[0].model_fields.items()} - {"id"})
    near = difflib.get_close_matches(str(name), keys, n=1)
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(keys)}"


def _inside(annotation: Any, part: int | str) -> Any:
    """Annotation of a field or variant; unchanged where the part is an index, or an id."""
    for table in _tables(annotation):
        if part == f"<{table.__name__}>":
            return table
        for key, field in table.model_fields.items():
            if part == (field.alias or key):
                return field.annotation
    return annotation


def _tables(annotation: Any) -> "Iterator[type[BaseModel]]":
    """Models anywhere in an annotation, but not inside other models."""
    from pydantic import BaseModel

    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    # a type with a name has what it stands for
    for part in get_args(getattr(annotation, "__value__", annotation)):
        yield from _tables(part)
