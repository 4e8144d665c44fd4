"""The catalog: adapters, hosts, links and virtual paths by their ids."""

import os
from typing import TypeVar

from netmodel.records._equipment import Adapter, Host, Link, VirtualPath
from netmodel.records._files import catalog_files
from netmodel.records._load import load_record, unknown_record

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
    "load_virtual_path",
    "virtual_path",
    "virtual_path_ids",
]

Equipment = TypeVar("Equipment", Adapter, Host, Link, VirtualPath)


def adapter(name: str) -> Adapter:
    """
    An adapter that comes with netmodel, or lies in a folder that was registered.

    Parameters
    ----------
    name : str
        Its id, one of `adapter_ids`.

    Returns
    -------
    adapter : Adapter
        Its values, each with source and place.

    Raises
    ------
    UnknownRecordError
        If there is no such adapter; tells the ids that are near.

    Examples
    --------
    >>> adapter("roce-express2.1-25gbe").receive_queue_count.value
    Decimal('16')
    """
    return _found("adapter", "adapters", name, Adapter)


def adapter_ids() -> tuple[str, ...]:
    """
    Ids that `adapter` takes.

    Returns
    -------
    ids : tuple of str
        In alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.
    ContradictionError
        If two folders have an adapter of the same id.
    """
    return tuple(catalog_files("adapters"))


def load_adapter(path: str | os.PathLike[str]) -> Adapter:
    """
    An adapter from a TOML file of one's own.

    Parameters
    ----------
    path : str or path-like
        The file. Its name without the ending becomes the id.

    Returns
    -------
    adapter : Adapter
        Its values, each with source and place.

    Raises
    ------
    ParseError
        If the file cannot be read, is not TOML, or is not an adapter; names the
        file and each table and key that does not fit.
    """
    return load_record(path, Adapter)


def host(name: str) -> Host:
    """
    A machine that was measured that comes with netmodel, or lies in a folder that was registered.

    Parameters
    ----------
    name : str
        Its id, one of `host_ids`.

    Returns
    -------
    host : Host
        Its values, each with source and place.

    Raises
    ------
    UnknownRecordError
        If there is no such host; tells the ids that are near.

    Examples
    --------
    >>> host("z15-lpar-4core-smt2").thread_count.value
    Decimal('8')
    """
    return _found("host", "hosts", name, Host)


def host_ids() -> tuple[str, ...]:
    """
    Ids that `host` takes.

    Returns
    -------
    ids : tuple of str
        In alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.
    ContradictionError
        If two folders have a host of the same id.
    """
    return tuple(catalog_files("hosts"))


def load_host(path: str | os.PathLike[str]) -> Host:
    """
    A machine that was measured from a TOML file of one's own.

    Parameters
    ----------
    path : str or path-like
        The file. Its name without the ending becomes the id.

    Returns
    -------
    host : Host
        Its values, each with source and place.

    Raises
    ------
    ParseError
        If the file cannot be read, is not TOML, or is not a host; names the
        file and each table and key that does not fit.
    """
    return load_record(path, Host)


def link(name: str) -> Link:
    """
    A link that comes with netmodel, or lies in a folder that was registered.

    Parameters
    ----------
    name : str
        Its id, one of `link_ids`.

    Returns
    -------
    link : Link
        Its values, each with source and place.

    Raises
    ------
    UnknownRecordError
        If there is no such link; tells the ids that are near.

    Examples
    --------
    >>> print(link("smcr-dwdm-100km").distance)
    100 km
    """
    return _found("link", "links", name, Link)


def link_ids() -> tuple[str, ...]:
    """
    Ids that `link` takes.

    Returns
    -------
    ids : tuple of str
        In alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.
    ContradictionError
        If two folders have a link of the same id.
    """
    return tuple(catalog_files("links"))


def load_link(path: str | os.PathLike[str]) -> Link:
    """
    A link from a TOML file of one's own.

    Parameters
    ----------
    path : str or path-like
        The file. Its name without the ending becomes the id.

    Returns
    -------
    link : Link
        Its values, each with source and place.

    Raises
    ------
    ParseError
        If the file cannot be read, is not TOML, or is not a link; names the
        file and each table and key that does not fit.
    """
    return load_record(path, Link)


def virtual_path(name: str) -> VirtualPath:
    """
    A way through a hypervisor that comes with netmodel, or lies in a folder that was registered.

    Parameters
    ----------
    name : str
        Its id, one of `virtual_path_ids`.

    Returns
    -------
    virtual_path : VirtualPath
        Its values, each with source and place.

    Raises
    ------
    UnknownRecordError
        If there is no such virtual path; tells the ids that are near.

    Examples
    --------
    >>> virtual_path("zvm-vswitch-layer2").layer.value
    2
    """
    return _found("virtual path", "paths", name, VirtualPath)


def virtual_path_ids() -> tuple[str, ...]:
    """
    Ids that `virtual_path` takes.

    Returns
    -------
    ids : tuple of str
        In alphabetical order.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.
    ContradictionError
        If two folders have a virtual path of the same id.
    """
    return tuple(catalog_files("paths"))


def load_virtual_path(path: str | os.PathLike[str]) -> VirtualPath:
    """
    A way through a hypervisor from a TOML file of one's own.

    Parameters
    ----------
    path : str or path-like
        The file. Its name without the ending becomes the id.

    Returns
    -------
    virtual_path : VirtualPath
        Its values, each with source and place.

    Raises
    ------
    ParseError
        If the file cannot be read, is not TOML, or is not a virtual path; names the
        file and each table and key that does not fit.
    """
    return load_record(path, VirtualPath)


def _found(word: str, folder: str, name: str, model: type[Equipment]) -> Equipment:
    files = catalog_files(folder)
    if name not in files:
        raise unknown_record(word, name, files)
    return load_record(files[name], model)
