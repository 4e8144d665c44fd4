"""The catalog: records by kind and id, of bundled data and of your own."""

import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from netmodel.errors import AmbiguousValueError, UnknownRecordError
from netmodel.records.files import (
    KINDS,
    catalog_files,
    data_path,
    dataset_ids,
    kept_record,
    meant_ids,
    read_record,
    read_toml,
    record_files,
    unknown_record,
    validated,
)

if TYPE_CHECKING:
    from netmodel.records.datasets import Dataset
    from netmodel.records.equipment import Adapter, Host, Link
    from netmodel.records.paths import PathRecord
    from netmodel.records.values import Document
    from netmodel.records.workloads import Workload

    CatalogRecord: TypeAlias = Adapter | Dataset | Host | Link | PathRecord | Workload

Place: TypeAlias = str | os.PathLike[str]

INSTANCES = "instances"
MEASUREMENTS = "measurements"
"""Kinds that are listed only where they are asked for: rows of tables, and datasets."""
_ALL = (*KINDS, INSTANCES, MEASUREMENTS)
_MODELS = {
    "adapters": ("equipment", "Adapter"),
    INSTANCES: ("equipment", "Adapter"),
    "hosts": ("equipment", "Host"),
    "links": ("equipment", "Link"),
    "paths": ("paths", "PathRecord"),
    "workloads": ("workloads", "Workload"),
    "scenarios": ("scenarios", "Scenario"),
}
"""Module and class of each kind, loaded when the first record of it is read."""


def adapter(name: Place) -> "Adapter":
    """
    Return an adapter of the catalog, or of your own file.

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
    return cast("Adapter", _record(name, "adapters"))


def host(name: Place) -> "Host":
    """
    Return a host of the catalog, or of your own file.

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
    return cast("Host", _record(name, "hosts"))


def link(name: Place) -> "Link":
    """
    Return a link of the catalog, or of your own file.

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
    return cast("Link", _record(name, "links"))


def path_record(name: Place) -> "PathRecord":
    """
    Return a path of the catalog, or of your own file with adapters, hosts and stages.

    Parameters
    ----------
    name : str or path-like
        Its id, one of ``catalog()["paths"]``; or a TOML file: a path, or text that
        ends in ``.toml``. The file's name without the ending is then the id.

    Returns
    -------
    path_record : PathRecord
        Its values, each with its source. `netmodel.path.SpecifiedPath` makes a
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
    >>> from netmodel.records import data_path
    >>> path = path_record(data_path("examples", "paths", "powervm-sea-tandem.toml"))
    >>> path.pools["vios"].side
    <Side.CLIENT: 'client'>
    """
    return cast("PathRecord", _record(name, "paths"))


def workload(name: Place) -> "Workload":
    """
    Return a workload of the catalog, or of your own file.

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
    return cast("Workload", _record(name, "workloads"))


def record(name: Place, kind: str | None = None) -> "CatalogRecord":
    """
    Return a record of any kind, of the catalog or of your own file.

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
    AmbiguousValueError
        If the kind is left out and does not follow from the name.
    ParseError
        If the file is not of that kind; names each table and key at fault.

    Examples
    --------
    >>> record("ethernet-25gbe").line_rate_bps
    25000000000.0
    >>> from netmodel.records import data_path
    >>> record(data_path("catalog", "adapters", "ethernet-1gbe.toml"), "adapters").id
    'ethernet-1gbe'
    """
    if kind is not None and kind not in _ALL:
        raise unknown_record("kind", kind, _ALL)
    if not is_file(name):
        kind = kind or kind_of(str(name))
    if kind is None:
        raise AmbiguousValueError(f"{os.fspath(name)} needs its kind: {', '.join(KINDS)}")
    return cast("CatalogRecord", _record(name, kind))


def catalog() -> dict[str, tuple[str, ...]]:
    """
    Ids of all bundled records and of your own.

    Returns
    -------
    ids : dict of str to tuple of str
        By kind: adapters, hosts, links, paths and workloads. The ids of a kind are in
        alphabetical order.

    Raises
    ------
    MissingPartError
        If netmodel was installed without its data.

    Examples
    --------
    >>> catalog()["workloads"][:2]
    ('awm-rr', 'awm-str')
    """
    return {kind: tuple(catalog_files(kind)) for kind in KINDS}


def catalog_records(
    kind: str | None = None, where: Mapping[str, str] | None = None
) -> "list[tuple[str, CatalogRecord]]":
    """
    Return the records of the catalog with their kinds; those alone that fit all conditions.

    Parameters
    ----------
    kind : str, optional
        A key of `catalog`; all kinds when left out.
    where : mapping of str to str, optional
        By key of the record: a figure, equal in any unit, or a part of a text.

    Returns
    -------
    records : list of tuple
        Kind and record.

    Raises
    ------
    UnknownRecordError
        If no record of the kind has a key; names similar ones.
    UnitError
        If a figure has another unit than that of its key.

    Examples
    --------
    >>> where = {"line_rate": "25Gbit/s", "kind": "osa"}
    >>> [each.id for _, each in catalog_records("adapters", where)]
    ['osa-express7s-25gbe']
    """
    from netmodel.records.instances import instance_ids

    special = {INSTANCES: instance_ids, MEASUREMENTS: dataset_ids}
    ids = {kind: special[kind]()} if kind in special else catalog()
    kinds = KINDS if kind is None else (kind,)
    found = [(each, record(name, each)) for each in kinds for name in ids[each]]
    known = {key for _, each in found if where for key in each.named}
    for key, wanted in (where or {}).items():
        if key not in known:
            every = catalog() | {of: names()[:1] for of, names in special.items()}
            others = [(of, name) for of, x in every.items() if of not in kinds for name in x]
            having = dict.fromkeys(of for of, x in others if key in record(x, of).named)
            if having:
                raise UnknownRecordError(f"unknown key {key!r}; give kind {' or '.join(having)}")
            raise unknown_record("key", key, known)
        found = [(each, one) for each, one in found if _holds(one.named.get(key), wanted)]
    return found


def schema_of(kind: str) -> dict[str, Any]:
    """
    Return the JSON Schema of the files of a kind, by which an editor completes and checks them.

    Parameters
    ----------
    kind : str
        A key of `catalog`, or ``"scenarios"``.

    Returns
    -------
    schema : dict
        Of JSON Schema 2020-12. Whether values belong together is checked when a file is read.

    Examples
    --------
    >>> schema_of("adapters")["required"]
    ['title', 'kind']
    """
    if kind not in _MODELS:
        raise unknown_record("kind", kind, _MODELS)
    result: dict[str, Any] = model_of(kind).model_json_schema()
    if kind in KINDS:  # the id is the name of the file
        result["required"].remove("id")
        del result["properties"]["id"]
        result["properties"]["defaults"] = {"type": "object"}
    return result


@cache
def model_of(kind: str) -> Any:
    """Return the class of a kind, which is loaded now."""
    module, name = _MODELS[kind]
    return getattr(import_module(f"netmodel.records.{module}"), name)


def _holds(part: object, wanted: str) -> bool:
    """Return whether a value or a number equals a figure, or a text contains one."""
    from netmodel.records.values import Value

    if isinstance(part, Value):
        return part.holds(wanted)
    if (own := str(getattr(part, "value", part))).isdecimal():
        return own == wanted.strip()
    return part is not None and wanted.casefold() in str(part).casefold()


def kind_of(name: str) -> str:
    """
    Return the kind of the record with an id.

    Raises
    ------
    UnknownRecordError
        If there is none; names similar ids of all kinds.
    """
    if ":" in name:
        return INSTANCES
    if name in dataset_ids():
        return MEASUREMENTS
    for kind in KINDS:  # no two of the bundled records have one id
        if _files(kind, name):
            return kind
    known = {each for ids in (dataset_ids(), *catalog().values()) for each in ids}
    hint = meant_ids(name, known, "netmodel catalog list prints all")
    raise UnknownRecordError(f"unknown id {name!r}; {hint}")


def is_file(name: Place) -> bool:
    """Return whether a record is named by its file: a path, or text that ends in ``.toml``."""
    return not isinstance(name, str) or name.endswith(".toml")


def document(name: str) -> "Document":
    """
    Return a document that records cite.

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
    documents = _documents()
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
    MissingPartError
        If netmodel was installed without its data.

    Examples
    --------
    >>> "adapter" in document_ids()
    True
    """
    return tuple(sorted(_documents()))


def _record(name: Place, kind: str) -> Any:
    """Return the record of a kind with this id, or of this file."""
    if kind == MEASUREMENTS:
        from netmodel.records.datasets import dataset

        return dataset(name)
    model = model_of(kind)
    if is_file(name):
        return read_record([name], model)
    if kind == INSTANCES or (kind == "adapters" and ":" in str(name)):
        from netmodel.records.instances import instance

        return instance(str(name))
    return kept_record(model, _known_files(kind, str(name)))


def _files(kind: str, name: str) -> tuple[Path, ...]:
    """Return the files of a record, in capital letters or not; none where none or two fit."""
    if files := record_files(kind, name):
        return files
    wanted = name.strip().casefold()
    same = [files for each, files in catalog_files(kind).items() if each.casefold() == wanted]
    return same[0] if len(same) == 1 else ()


def _known_files(kind: str, name: str) -> tuple[Path, ...]:
    if files := _files(kind, name):
        return files
    word, ids = kind.removesuffix("s"), catalog_files(kind)
    if others := [other for other in KINDS if _files(other, name)]:
        known = [f"it is an id of {' and of '.join(others)}", meant_ids(name, ids)]
        raise UnknownRecordError(f"unknown {word} {name!r}; {'; '.join(filter(None, known))}")
    from netmodel.records.instances import instance_ids

    types = [x for x in instance_ids() if x.lower().endswith(f":{name.strip().lower()}")]
    raise unknown_record(word, name, types if kind == "adapters" and types else ids)


@cache
def _documents() -> "dict[str, Document]":
    """Return the documents of ``documents.toml``."""
    from netmodel.records.values import Document

    path = str(data_path("documents.toml"))
    return {name: validated(path, Document, x, (name,)) for name, x in read_toml(path).items()}
