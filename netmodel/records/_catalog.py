"""The catalog: records of equipment and workloads, by kind and id."""

import os
from typing import TypeAlias

from netmodel.errors import AmbiguousIdError, UnknownRecordError
from netmodel.records._equipment import Adapter, Host, Link
from netmodel.records._kinds import ADAPTERS, HOSTS, LINKS, WORKLOADS, Kind
from netmodel.records._load import near_ids, unknown_record
from netmodel.records._paths import PATHS, PathRecord
from netmodel.records._workloads import Workload

__all__ = [
    "CatalogRecord",
    "catalog",
    "catalog_kind",
    "catalog_kinds",
    "load_record",
    "record",
]

CatalogRecord: TypeAlias = Adapter | Host | Link | PathRecord | Workload
"""Any record of the catalog."""

_KINDS: dict[str, Kind[CatalogRecord]] = {
    kind.folder: kind for kind in (ADAPTERS, HOSTS, LINKS, PATHS, WORKLOADS)
}


def catalog_kinds() -> tuple[str, ...]:
    """
    Kinds of records in the catalog.

    Returns
    -------
    kinds : tuple of str
        Names of their folders, in alphabetical order.

    Examples
    --------
    >>> "adapters" in catalog_kinds()
    True
    """
    return tuple(_KINDS)


def catalog() -> dict[str, tuple[str, ...]]:
    """
    Ids of all records that come with netmodel or lie in folders that were registered.

    Returns
    -------
    ids : dict of str to tuple of str
        By kind, in the order of `catalog_kinds`; the ids of a kind in
        alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.
    ContradictionError
        If two folders have a record of the same kind and id.

    Examples
    --------
    >>> catalog()["workloads"][:3]
    ('awm-rr', 'awm-str', 'rr1c-200x1000')
    """
    return {name: kind.ids() for name, kind in _KINDS.items()}


def catalog_kind(name: str) -> str:
    """
    Kind of the record that has an id.

    Parameters
    ----------
    name : str
        The id, one of those in `catalog`.

    Returns
    -------
    kind : str
        One of `catalog_kinds`.

    Raises
    ------
    UnknownRecordError
        If no record of any kind has it; tells the ids that are near.
    AmbiguousIdError
        If records of several kinds have it; names the kinds.

    Examples
    --------
    >>> catalog_kind("kvm-one-host")
    'paths'
    """
    kinds = _kinds_that_have(name)
    if not kinds:
        raise _unknown_in_all(name)
    if len(kinds) > 1:
        raise AmbiguousIdError(f"{name!r} is an id of {' and of '.join(kinds)}; name the kind")
    return kinds[0]


def record(name: str, kind: str | None = None) -> CatalogRecord:
    """
    A record that comes with netmodel, or lies in a folder that was registered.

    Parameters
    ----------
    name : str
        Its id, one of those in `catalog`.
    kind : str, optional
        One of `catalog_kinds`; needed only where several have the id.

    Returns
    -------
    record : Adapter, Host, Link, PathRecord or Workload
        Its values, each with source and place.

    Raises
    ------
    UnknownRecordError
        If there is no such kind, or no such record of it; tells what is near.
    AmbiguousIdError
        If the kind is left out and records of several kinds have the id.
    ParseError
        If its file is not valid, which one of your own may be.

    Examples
    --------
    >>> record("link-25gbe").line_rate_bps
    25000000000.0
    """
    chosen = _kind(catalog_kind(name) if kind is None else kind)
    others = _kinds_that_have(name)
    if others and chosen.folder not in others:
        where = " and of ".join(others)
        near = near_ids(name, catalog()[chosen.folder])
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UnknownRecordError(f"unknown {chosen.word} {name!r}; it is an id of {where}{hint}")
    return chosen.found(name)


def load_record(path: str | os.PathLike[str], kind: str) -> CatalogRecord:
    """
    A record of the catalog from a TOML file of one's own.

    Parameters
    ----------
    path : str or path-like
        The file. Its name without the ending becomes the id.
    kind : str
        One of `catalog_kinds`.

    Returns
    -------
    record : Adapter, Host, Link, PathRecord or Workload
        Its values, each with source and place.

    Raises
    ------
    UnknownRecordError
        If there is no such kind; tells the kinds that are near.
    ParseError
        If the file cannot be read, is not TOML, or is not of that kind; names
        the file and each table and key that does not fit.

    Examples
    --------
    >>> from netmodel.records import data_path
    >>> load_record(data_path("catalog", "links", "link-1gbe.toml"), "links").id
    'link-1gbe'
    """
    return _kind(kind).loaded(path)


def _kind(name: str) -> Kind[CatalogRecord]:
    if name not in _KINDS:
        raise unknown_record("kind", name, _KINDS)
    return _KINDS[name]


def _kinds_that_have(name: str) -> list[str]:
    return [kind for kind, ids in catalog().items() if name in ids]


def _unknown_in_all(name: str) -> UnknownRecordError:
    """The error for an id that no kind has; a list of all that are known would be too long."""
    near = near_ids(name, {one for ids in catalog().values() for one in ids})
    hint = f"did you mean {' or '.join(near)}?" if near else f"none of {', '.join(_KINDS)} is near"
    return UnknownRecordError(f"unknown id {name!r}; {hint}")
