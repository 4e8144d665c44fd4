"""One function for each kind of record in the catalog: by id, all ids, and from a file."""

import inspect
import os
from collections.abc import Callable
from typing import Any, TypeVar

from netmodel.records._catalog import CatalogRecord
from netmodel.records._equipment import Adapter, Host, Link
from netmodel.records._kinds import ADAPTERS, HOSTS, LINKS, WORKLOADS, Kind
from netmodel.records._paths import PATHS, PathRecord
from netmodel.records._workloads import Workload

__all__ = [
    "adapter",
    "adapter_ids",
    "host",
    "host_ids",
    "link",
    "link_ids",
    "load_adapter",
    "load_host",
    "load_link",
    "load_path_record",
    "load_workload",
    "path_record",
    "path_record_ids",
    "workload",
    "workload_ids",
]

Function = TypeVar("Function", bound=Callable[..., Any])

_LOOKUP = """\
Parameters
----------
name : str
    Its id, one of `{stem}_ids`.

Returns
-------
{stem} : {model}
    Its values, each with source and place.

Raises
------
UnknownRecordError
    If there is no such {word}; tells the ids that are near."""

_IDS = """\
Returns
-------
ids : tuple of str
    In alphabetical order.

Raises
------
MissingDataError
    If netmodel was installed without its data.
ContradictionError
    If an id of a {word} stands in two folders."""

_LOADER = """\
Parameters
----------
path : str or path-like
    The file. Its name without the ending becomes the id.

Returns
-------
{stem} : {model}
    Its values, each with source and place.

Raises
------
ParseError
    If the file cannot be read, is not TOML, or is no {word}; names the
    file and each table and key that does not fit."""


def _documented(sections: str, kind: Kind[CatalogRecord]) -> Callable[[Function], Function]:
    """Put what the functions of all kinds have in common behind the summary of a docstring."""
    common = sections.format(
        stem=kind.word.replace(" ", "_"), word=kind.word, model=kind.model.__name__
    )

    def decorate(function: Function) -> Function:
        summary, *examples = (inspect.getdoc(function) or "").split("\n\n", maxsplit=1)
        function.__doc__ = "\n\n".join([summary, common, *examples])
        return function

    return decorate


@_documented(_LOOKUP, ADAPTERS)
def adapter(name: str) -> Adapter:
    """
    An adapter that comes with netmodel, or lies in a folder that was registered.

    Examples
    --------
    >>> adapter("roce-express2.1-25gbe").receive_queue_count.value
    Decimal('16')
    """
    return ADAPTERS.found(name)


@_documented(_IDS, ADAPTERS)
def adapter_ids() -> tuple[str, ...]:
    """Ids that `adapter` takes."""
    return ADAPTERS.ids()


@_documented(_LOADER, ADAPTERS)
def load_adapter(path: str | os.PathLike[str]) -> Adapter:
    """An adapter from a TOML file of one's own."""
    return ADAPTERS.loaded(path)


@_documented(_LOOKUP, HOSTS)
def host(name: str) -> Host:
    """
    A machine that was measured that comes with netmodel, or lies in a folder that was registered.

    Examples
    --------
    >>> host("z15-lpar-4core-smt2").thread_count.value
    Decimal('8')
    """
    return HOSTS.found(name)


@_documented(_IDS, HOSTS)
def host_ids() -> tuple[str, ...]:
    """Ids that `host` takes."""
    return HOSTS.ids()


@_documented(_LOADER, HOSTS)
def load_host(path: str | os.PathLike[str]) -> Host:
    """A machine that was measured from a TOML file of one's own."""
    return HOSTS.loaded(path)


@_documented(_LOOKUP, LINKS)
def link(name: str) -> Link:
    """
    A link that comes with netmodel, or lies in a folder that was registered.

    Examples
    --------
    >>> print(link("smcr-dwdm-100km").distance)
    100 km
    """
    return LINKS.found(name)


@_documented(_IDS, LINKS)
def link_ids() -> tuple[str, ...]:
    """Ids that `link` takes."""
    return LINKS.ids()


@_documented(_LOADER, LINKS)
def load_link(path: str | os.PathLike[str]) -> Link:
    """A link from a TOML file of one's own."""
    return LINKS.loaded(path)


@_documented(_LOOKUP, PATHS)
def path_record(name: str) -> PathRecord:
    """
    A path that comes with netmodel, or lies in a folder that was registered.

    Examples
    --------
    >>> print(path_record("powervm-sea-tandem").stages[2].rate_cap)
    about 13 Gbit/s
    """
    return PATHS.found(name)


@_documented(_IDS, PATHS)
def path_record_ids() -> tuple[str, ...]:
    """
    Ids that `path_record` takes.

    Examples
    --------
    >>> "zvm-vswitch-layer3-1gbe" in path_record_ids()
    True
    """
    return PATHS.ids()


@_documented(_LOADER, PATHS)
def load_path_record(path: str | os.PathLike[str]) -> PathRecord:
    """
    A path with adapters, hosts and stages of one's own, from a TOML file.

    Examples
    --------
    >>> from netmodel.records import data_path
    >>> path = load_path_record(data_path("catalog", "paths", "powervm-sea-tandem.toml"))
    >>> path.pools["vios"].side
    <Side.CLIENT: 'client'>
    """
    return PATHS.loaded(path)


@_documented(_LOOKUP, WORKLOADS)
def workload(name: str) -> Workload:
    """
    A workload that comes with netmodel, or lies in a folder that was registered.

    Examples
    --------
    >>> load = workload("rr1c-200x30k")
    >>> load.request_bytes, load.response_bytes, load.sender.value, load.connection_counts
    (200, 30720, 'server', (1, 10, 50, 250))
    """
    return WORKLOADS.found(name)


@_documented(_IDS, WORKLOADS)
def workload_ids() -> tuple[str, ...]:
    """
    Ids that `workload` takes.

    Examples
    --------
    >>> workload_ids()[:3]
    ('awm-rr', 'awm-str', 'rr1c-200x1000')
    """
    return WORKLOADS.ids()


@_documented(_LOADER, WORKLOADS)
def load_workload(path: str | os.PathLike[str]) -> Workload:
    """
    A workload from a TOML file of one's own.

    Examples
    --------
    >>> from netmodel.records import data_path
    >>> load_workload(data_path("catalog", "workloads", "awm-rr.toml")).response_bytes
    1000
    """
    return WORKLOADS.loaded(path)
