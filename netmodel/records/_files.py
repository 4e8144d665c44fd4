"""Where the bundled data lie: inside an installed package, or at the top of a checkout."""

from pathlib import Path

from netmodel.errors import MissingDataError

__all__ = ["data_path"]

_PACKAGE = Path(__file__).resolve().parent.parent
_ROOTS = (_PACKAGE / "_data", _PACKAGE.parent / "data")


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
