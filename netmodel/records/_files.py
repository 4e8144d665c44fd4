"""Where data lie: inside an installed package, at the top of a checkout, and where users say."""

import os
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

from netmodel.errors import ContradictionError, MissingDataError

__all__ = [
    "catalog_files",
    "data_path",
    "data_roots",
    "dataset_files",
    "register_data",
    "statement_files",
    "unregister_data",
]

_PACKAGE = Path(__file__).resolve().parent.parent
_ROOTS = (_PACKAGE / "_data", _PACKAGE.parent / "data")
_TOPS = ("catalog", "calibrated")
"""Folders of records: those that people wrote, and those that calibration did."""
_registered: list[Path] = []


def data_path(*names: str) -> Path:
    """
    Path of a bundled file or folder.

    Parameters
    ----------
    *names : str
        Folders and file below the data.

    Returns
    -------
    path : pathlib.Path
        In the installed package, or in the checkout that is worked on.

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
    raise MissingDataError(f"netmodel carries no data {'/'.join(names)}")


def register_data(folder: str | os.PathLike[str]) -> None:
    """
    Search a folder of one's own besides the bundled data, from now on in this process.

    Parameters
    ----------
    folder : str or path-like
        Laid out as the bundled data: any of
        ``catalog/{adapters,hosts,links,paths,workloads}/*.toml``,
        the same below ``calibrated``, ``measurements/<id>/dataset.toml`` and
        ``statements/*.toml``. Registering it again changes nothing.

    Raises
    ------
    MissingDataError
        If there is no such folder.
    ContradictionError
        If it has a record of the same kind and id as another folder; names
        both files, and leaves the folder out. Statements are compared when
        they are read.

    See Also
    --------
    unregister_data : Undoes it.

    Notes
    -----
    A record of ``catalog`` and one of ``calibrated`` with the same kind and id
    are one record, each file with ``[defaults]`` of its own: a key of the top
    stands in one of them only. Either file may also be the whole record.
    """
    root = Path(folder).resolve()
    if not root.is_dir():
        raise MissingDataError(f"{os.fspath(folder)} is not a folder")
    if root in _registered:
        return
    _registered.append(root)
    try:
        dataset_files()
        for kind in sorted({path.name for top in _TOPS for path in _found(f"{top}/*")}):
            catalog_files(kind)
    except ContradictionError:
        _registered.remove(root)
        raise


def unregister_data(folder: str | os.PathLike[str]) -> None:
    """
    Leave a folder that was registered out again.

    Parameters
    ----------
    folder : str or path-like
        Nothing happens where it is not registered.

    See Also
    --------
    register_data : Has it searched.
    """
    root = Path(folder).resolve()
    if root in _registered:
        _registered.remove(root)


def catalog_files(kind: str) -> dict[str, tuple[Path, ...]]:
    """Files of each record of a kind, such as ``"adapters"``, by id: written, then calibrated."""
    tops = [_by_id(_found(f"{top}/{kind}/*.toml"), lambda path: path.stem) for top in _TOPS]
    names = sorted(set().union(*tops))
    return {name: tuple(top[name] for top in tops if name in top) for name in names}


def dataset_files() -> dict[str, Path]:
    """The ``dataset.toml`` of each dataset by id."""
    return _by_id(_found("measurements/*/dataset.toml"), lambda path: path.parent.name)


def statement_files() -> tuple[Path, ...]:
    """Files of statements."""
    return _found("statements/*.toml")


def data_roots() -> tuple[Path, ...]:
    """The folder of the bundled data, then those that were registered."""
    return (data_path(), *_registered)


def _found(pattern: str) -> tuple[Path, ...]:
    return tuple(chain.from_iterable(sorted(root.glob(pattern)) for root in data_roots()))


def _by_id(paths: Iterable[Path], id_of: Callable[[Path], str]) -> dict[str, Path]:
    known: dict[str, Path] = {}
    for path in paths:
        name = id_of(path)
        if name in known:
            raise ContradictionError(f"{name!r} is the id of both {known[name]} and {path}")
        known[name] = path
    return dict(sorted(known.items()))
