"""Many results as a pandas frame (extra ``report``)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from netmodel.frames import frame_of, row_of

if TYPE_CHECKING:
    import pandas as pd


def results_frame(results: object | Iterable[object]) -> "pd.DataFrame":
    """
    Results as a pandas frame: a row for each.

    Parameters
    ----------
    results : result or iterable of them
        Of one kind, such as the verdicts of `netmodel.check`, the plans of `netmodel.plan`,
        predictions, or measurements.

    Returns
    -------
    frame : pandas.DataFrame
        A column for each text and number of their ``to_dict()``, in base units; a range has
        three, and columns that are empty in every row are left out. The index counts from 0;
        ``attrs["units"]`` holds the units.

    Raises
    ------
    MissingPartError
        If pandas is not installed.

    Examples
    --------
    >>> import netmodel
    >>> verdicts = netmodel.check("9.4 Gbit/s", line_rate_bps=10e9, mtu_bytes=1500, transport="tcp")
    >>> frame = results_frame(verdicts)
    >>> frame["verdict"].tolist(), frame.attrs["units"]["goodput_bps"]
    (['at_ceiling'], 'bit/s')
    """
    rows = [*map(row_of, results if isinstance(results, Iterable) else [results])]
    known = {name for row in rows for name, value in row.items() if value is not None}
    shown = [{name: row[name] for name in row if name in known} for row in rows]
    return frame_of([{"result": place, **row} for place, row in enumerate(shown)], "result")
