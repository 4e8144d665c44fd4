"""The catalog: records by kind and id, of bundled data, registered directories and your files."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from netmodel.errors import AmbiguousIdError, ParseError, UnknownRecordError
from netmodel.records._load import (
    Stamped,
    catalog_files,
    data_path,
    data_roots,
    id_as_written,
    near_ids,
    read_record,
    read_toml,
    stamped,
    unknown_record,
    validated,
)

if TYPE_CHECKING:
    from netmodel.records._equipment import Adapter, Host, Link
    from netmodel.records._paths import PathRecord
    from netmodel.records._values import Document
    from netmodel.records._workloads import Workload

    CatalogRecord: TypeAlias = Adapter | Host | Link | PathRecord | Workload

Place: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class _Kind:
    """A kind of records: the word for one of them, and where its model is."""

    word: str
    module: str
    model_name: str

    @property
    def model(self) -> Any:
        """The model, loaded when the first record of its kind is read."""
        return getattr(import_module(f"netmodel.records.{self.module}"), self.model_name)


_KINDS = {
    "adapters": _Kind("adapter", "_equipment", "Adapter"),
    "hosts": _Kind("host", "_equipment", "Host"),
    "links": _Kind("link", "_equipment", "Link"),
    "paths": _Kind("path", "_paths", "PathRecord"),
    "workloads": _Kind("workload", "_workloads", "Workload"),
}
"""By the name of their directory."""
_CACHED_COUNT = 256
"""Records kept in memory: several times what the bundled catalog has."""


def adapter(name: Place) -> "Adapter":
    """
    An adapter of the catalog, or of your own file.

    Parameters
    ----------
    name : str or path-like
        Its id, one of ``catalog()["adapters"]``; or a TOML file: a path, or text that
        ends in ``.toml``. The file's name without the ending is then the id.

    Returns
    -------
    adapter : Adapter
        Its values, each with its source.

    Raises
    ------
    UnknownRecordError
        If no adapter has this id; names similar ids.
    ParseError
        If the file is not that of an adapter; names each table and key at fault.

    Examples
    --------
    >>> adapter("roce-express2.1-25gbe").receive_queue_count.value
    Decimal('16')
    """
    result: Adapter = _record(name, "adapters")
    return result


def host(name: Place) -> "Host":
    """
    A host of the catalog, or of your own file.

    Parameters
    ----------
    name : str or path-like
        Its id, one of ``catalog()["hosts"]``; or a TOML file: a path, or text that
        ends in ``.toml``. The file's name without the ending is then the id.

    Returns
    -------
    host : Host
        Its values, each with its source.

    Raises
    ------
    UnknownRecordError
        If no host has this id; names similar ids.
    ParseError
        If the file is not that of a host; names each table and key at fault.

    Examples
    --------
    >>> host("z15-lpar-4core-smt2").thread_count.value
    Decimal('8')
    """
    result: Host = _record(name, "hosts")
    return result


def link(name: Place) -> "Link":
    """
    A link of the catalog, or of your own file.

    Parameters
    ----------
    name : str or path-like
        Its id, one of ``catalog()["links"]``; or a TOML file: a path, or text that
        ends in ``.toml``. The file's name without the ending is then the id.

    Returns
    -------
    link : Link
        Its values, each with its source.

    Raises
    ------
    UnknownRecordError
        If no link has this id; names similar ids.
    ParseError
        If the file is not that of a link; names each table and key at fault.

    Examples
    --------
    >>> print(link("smcr-dwdm-100km").distance)
    100 km
    """
    result: Link = _record(name, "links")
    return result


def path_record(name: Place) -> "PathRecord":
    """
    A path of the catalog, or of your own file with adapters, hosts and stages.

    Parameters
    ----------
    name : str or path-like
        Its id, one of ``catalog()["paths"]``; or a TOML file: a path, or text that
        ends in ``.toml``. The file's name without the ending is then the id.

    Returns
    -------
    path_record : PathRecord
        Its values, each with its source. :func:`netmodel.path.recorded_path` makes a
        path of it.

    Raises
    ------
    UnknownRecordError
        If no path has this id; names similar ids.
    ParseError
        If the file is not that of a path; names each table and key at fault.

    Examples
    --------
    >>> [stage.name for stage in path_record("powervm-sea-power7").stages]
    ['trunk', 'wire']
    >>> path = path_record(data_path("examples", "paths", "powervm-sea-tandem.toml"))
    >>> path.pools["vios"].side
    <Side.CLIENT: 'client'>
    """
    result: PathRecord = _record(name, "paths")
    return result


def workload(name: Place) -> "Workload":
    """
    A workload of the catalog, or of your own file.

    Parameters
    ----------
    name : str or path-like
        Its id, one of ``catalog()["workloads"]``; or a TOML file: a path, or text that
        ends in ``.toml``. The file's name without the ending is then the id.

    Returns
    -------
    workload : Workload
        Its messages and numbers of connections, each with its source.

    Raises
    ------
    UnknownRecordError
        If no workload has this id; names similar ids.
    ParseError
        If the file is not that of a workload; names each table and key at fault.

    Examples
    --------
    >>> load = workload("rr1c-200x30k")
    >>> load.request_bytes, load.response_bytes, load.sender.value, load.connection_counts
    (200, 30720, 'server', (1, 10, 50, 250))
    """
    result: Workload = _record(name, "workloads")
    return result


def record(name: Place, kind: str | None = None) -> "CatalogRecord":
    """
    A record of any kind, of the catalog or of your own file.

    Parameters
    ----------
    name : str or path-like
        Its id, one of `catalog`; or a TOML file: a path, or text that ends in ``.toml``.
        The file's name without the ending is then the id.
    kind : str, optional
        A key of `catalog`; needed for a file, and for an id that records of several kinds
        have.

    Returns
    -------
    record : Adapter, Host, Link, PathRecord or Workload
        Its values, each with its source.

    Raises
    ------
    UnknownRecordError
        If there is no such kind, or no such record of it; names similar ids.
    AmbiguousIdError
        If the kind is left out and does not follow from the name.
    ParseError
        If the file is not of that kind; names each table and key at fault.

    Examples
    --------
    >>> record("link-25gbe").line_rate_bps
    25000000000.0
    >>> record(data_path("catalog", "links", "link-1gbe.toml"), "links").id
    'link-1gbe'
    """
    if kind is not None and kind not in _KINDS:
        raise unknown_record("kind", kind, _KINDS)
    if not is_file(name):
        kind = kind or kind_of(str(name))
    if kind is None:
        raise AmbiguousIdError(f"{os.fspath(name)} needs its kind: {', '.join(_KINDS)}")
    result: CatalogRecord = _record(name, kind)
    return result


def catalog() -> dict[str, tuple[str, ...]]:
    """
    Ids of all bundled records and of those in registered directories.

    Returns
    -------
    ids : dict of str to tuple of str
        By kind: adapters, hosts, links, paths and workloads. The ids of a kind are in
        alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.
    ContradictionError
        If two directories have a record of the same kind and id.

    Examples
    --------
    >>> catalog()["workloads"][:3]
    ('awm-rr', 'awm-str', 'rr1c-200x1000')
    """
    return {kind: tuple(catalog_files(kind)) for kind in _KINDS}


def titles(kind: str) -> dict[str, str]:
    """Titles of the records of a kind by id, without reading the rest of them."""
    by_id = ((name, files) for name, files in catalog_files(kind).items())
    return {name: _title(stamped(files)) for name, files in by_id}


def kind_of(name: str) -> str:
    """
    Kind of the record with an id.

    Raises
    ------
    UnknownRecordError
        If there is none; names similar ids of all kinds.
    AmbiguousIdError
        If records of several kinds have the id; names the kinds.
    """
    ids = catalog()
    kinds = [kind for kind in ids if id_as_written(name, ids[kind]) in ids[kind]]
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        raise AmbiguousIdError(f"{name!r} is an id of {' and of '.join(kinds)}; name the kind")
    near = near_ids(name, {each for names in ids.values() for each in names})
    hint = f"did you mean {' or '.join(near)}?" if near else "netmodel catalog list prints all"
    raise UnknownRecordError(f"unknown id {name!r}; {hint}")


def is_file(name: Place) -> bool:
    """Whether a record is named by its file: a path, or text that ends in ``.toml``."""
    return not isinstance(name, str) or name.endswith(".toml")


def document(name: str) -> "Document":
    """
    A document that records cite.

    Parameters
    ----------
    name : str
        Its id, one of `document_ids`.

    Returns
    -------
    document : Document
        Title, authors and publisher.

    Raises
    ------
    UnknownRecordError
        If there is no such document.

    Examples
    --------
    >>> print(document("zvm"))
    "Layer 3 and Layer 2 Comparisons", IBM, z/VM performance report
    """
    documents = _documents(_document_files())
    if name not in documents:
        raise unknown_record("document", name, documents)
    return documents[name]


def document_ids() -> tuple[str, ...]:
    """
    Ids of the documents that records cite.

    Returns
    -------
    ids : tuple of str
        In alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Examples
    --------
    >>> "adapter" in document_ids()
    True
    """
    return tuple(sorted(_documents(_document_files())))


def _document_files() -> tuple[Stamped, ...]:
    """``documents.toml`` of the bundled data, and of registered directories that have one."""
    own = [root / "documents.toml" for root in data_roots()[1:]]
    return stamped([data_path("documents.toml"), *(path for path in own if path.exists())])


def _record(name: Place, kind: str) -> Any:
    """The record of a kind with this id, or of this file; read once while its files stay."""
    chosen = _KINDS[kind]
    if is_file(name):
        return read_record([name], chosen.model)
    files = catalog_files(kind)
    wanted = id_as_written(os.fspath(name), files)
    if wanted in files:
        return _of_files(stamped(files[wanted]), kind)
    ids = catalog()
    if others := [other for other in ids if wanted in ids[other]]:
        near = near_ids(wanted, files)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UnknownRecordError(
            f"unknown {chosen.word} {wanted!r}; it is an id of {' and of '.join(others)}{hint}"
        )
    raise unknown_record(chosen.word, wanted, files)


@lru_cache(maxsize=_CACHED_COUNT)
def _of_files(files: tuple[Stamped, ...], kind: str) -> Any:
    return read_record([name for name, _, _ in files], _KINDS[kind].model)


@lru_cache(maxsize=_CACHED_COUNT)
def _title(files: tuple[Stamped, ...]) -> str:
    documents = (read_toml(name) for name, _, _ in files)
    return str(next(tables["title"] for tables in documents if "title" in tables))


@lru_cache(maxsize=1)
def _documents(files: tuple[Stamped, ...]) -> "Mapping[str, Document]":
    from netmodel.records._values import Document

    known: dict[str, Document] = {}
    for path, _, _ in files:
        for name, table in read_toml(path).items():
            if name in known:
                raise ParseError(path, f"{name}: is the id of another document, {known[name]}")
            known[name] = validated(path, Document, table, (name,))
    return known
