"""Results as pandas frames, with the units of the columns in their attributes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from netmodel.lazy import extra
from netmodel.units.columns import label_and_unit

if TYPE_CHECKING:
    import pandas as pd


def frame_of(rows: Sequence[Mapping[str, object]], index: str) -> "pd.DataFrame":
    """
    Return a frame of rows, with the unit of each column in ``attrs["units"]``.

    Parameters
    ----------
    rows : sequence of mapping
        Plain values by the name of the column; None where there is none.
    index : str
        The column that names a row.

    Returns
    -------
    frame : pandas.DataFrame
        Numbers in base units; columns of text and truth values have the unit None.

    Raises
    ------
    MissingPartError
        If pandas is not installed.

    Examples
    --------
    >>> frame = frame_of([{"limit": "wire", "rate_bps": 1e9}], "limit")
    >>> frame.attrs["units"]
    {'rate_bps': 'bit/s'}
    """
    names = dict.fromkeys(name for row in rows for name in row) or {index: None}
    columns = {name: [row.get(name) for row in rows] for name in names}
    with extra("report"):
        import pandas
    frame: pd.DataFrame = pandas.DataFrame(columns).set_index(index)
    frame.attrs["units"] = {name: label_and_unit(name)[1] or None for name in frame.columns}
    return frame


def row_of(result: Any) -> dict[str, object]:
    """Return plain values of a result by name: texts, numbers, and ranges as three of them."""
    row: dict[str, object] = {}
    for name, value in result.to_dict().items():
        if isinstance(value, Mapping) and "value" in value:
            row[name] = value["value"]
            row |= {f"{name}_{end}": value[end] for end in ("low", "high") if end in value}
        elif not isinstance(value, list | Mapping):
            row[name] = value
    return row
