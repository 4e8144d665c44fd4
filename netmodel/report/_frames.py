"""Tables of measurements as pandas frames (extra ``report``), and imports that need an extra."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from netmodel.errors import MissingExtraError


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around an import: says which extra brings what is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{error.name} is not installed; pip install 'netmodel[{name}]' brings it"
        ) from None


if TYPE_CHECKING:
    import pandas as pd

    from netmodel.records import Table


def table_frame(table: "Table") -> "pd.DataFrame":
    """
    A table of measurements as a pandas frame.

    Parameters
    ----------
    table : Table
        Of a dataset, or of a file of your own.

    Returns
    -------
    frame : pandas.DataFrame
        Columns with a unit as numbers, all others as text; the index is the
        number of the row in the file, and ``attrs["units"]`` holds the units.

    Raises
    ------
    MissingExtraError
        If pandas is not installed.

    Examples
    --------
    >>> from netmodel.records import dataset
    >>> frame = table_frame(dataset("zvm-layer2-layer3").tables["measurements"])
    >>> float(frame["transaction_rate_tps"].max()), frame.attrs["units"]["mtu_bytes"]
    (75060.0, 'byte')
    """
    with extra("report"):
        import pandas as pd

    frame = pd.DataFrame(
        {
            column.name: table.text(column.name)
            if column.unit is None
            else table.numbers(column.name)
            for column in table.columns
        },
        index=pd.Index(table.row_numbers, name="row"),
    )
    frame.attrs["units"] = {column.name: column.unit for column in table.columns}
    return frame
