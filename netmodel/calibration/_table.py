"""Observations from tables of your own: a CSV file, a data frame."""

import math
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netmodel.calibration.observations import (
    QUANTITIES,
    Conditions,
    Observed,
    Selection,
    allowed_by,
    conditions_of,
    number_of,
)
from netmodel.errors import DomainError
from netmodel.printable import quoted
from netmodel.readers import tables
from netmodel.records import Relation
from netmodel.units.columns import unit_of_name

if TYPE_CHECKING:
    import pandas

_NOT_CONDITIONS = frozenset(
    (*tables.OF_ROWS, *(name + part for name in tables.FIGURES for part in tables.PARTS))
)
_MISSING = ("nan", "<NA>", "NaT")
"""Text of missing floats, of missing values of pandas, and of its missing times."""


def observed_from_table(
    source: "str | os.PathLike[str] | pandas.DataFrame",
    *,
    name: str = "frame",
) -> Selection:
    """
    Observations from a table of your own: a CSV file, or a data frame.

    Parameters
    ----------
    source : str, path-like or pandas.DataFrame
        A file with a line of column names, and commas, semicolons or tabs between the cells, or
        a data frame with such columns, whose index is not read: use ``frame.reset_index()``
        where it holds conditions. Empty cells and missing values are not known.
    name : str
        Name of a data frame in messages and places.

    Returns
    -------
    selection : Selection
        One observation for each figure, row by row.

    Raises
    ------
    DomainError
        If the source is neither a path nor a data frame.
    ParseError
        If it is not such a table; names file, line and column, or row and column.

    Notes
    -----
    **Figures** stand in ``throughput_bps``, ``transaction_rate_tps``,
    ``transaction_time_s``, ``cpu_us_per_gbit`` and ``cpu_s_per_transaction``,
    or in other units: ``throughput_mbps``, ``_gbps``, ``_mib_per_s``;
    ``transaction_time_ms``, ``_us``, ``_ns``; ``cpu_ms_per_mib``;
    ``cpu_ms_per_transaction``, ``_us_per_transaction``.

    Beside a column ``<figure>``, each optional:

    - ``<figure>_low`` and ``<figure>_high``: lower and upper end, as they
      stand; both, or without a figure one of them.
    - ``<figure>_relation``, or ``relation`` for all figures of the row: a word
      of `Relation`. ``equal`` where a figure stands alone, ``range`` where both
      ends do, ``at_least`` or ``at_most`` where one end does.
    - ``<figure>_resolution``: step of the figure. Without it the rounding follows
      from the printed digits: 13.40 is within 0.005, 13 within 0.5. Trailing zeros of an
      integer may only hold places: they count as digits up to as many as another figure
      of the column has, so that 9400 alone is within 50, and beside 9413 within 0.5, with a
      note.

    **Conditions** are all other columns, such as ``connection_count``,
    ``mtu_bytes``, ``request_bytes``, ``response_bytes``, ``write_bytes``,
    ``workload``, ``adapter``, ``direction`` and ``side``: numbers where each
    cell of the column is one, else text.

    ``flag`` is the reason why a row is left out.

    In a **data frame** the digits of a number decide its rounding too: numbers that were computed
    have many, and are exact but for noise. A float without a fraction counts as an integer.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"mtu_bytes": [1500, 9000], "throughput_gbps": [11.21, 19.9]})
    >>> [(each.value, each.at["mtu_bytes"]) for each in observed_from_table(frame)]
    [(11210000000.0, 1500), (19900000000.0, 9000)]
    """
    if isinstance(source, str | os.PathLike):
        table = tables.own_table(source)
        name = Path(source).name
    elif hasattr(source, "itertuples"):
        columns = [
            (str(each), *map(_cell, source.iloc[:, place]))
            for place, each in enumerate(source.columns)
        ]
        table = tables.plain_table(name, columns, [f"row {n + 1}" for n in range(len(source))])
    else:
        got = type(source).__name__
        raise DomainError(f"source must be a CSV file or a pandas.DataFrame; got {got}")
    figures = table.figures([*QUANTITIES])
    at = {each: cells for each, cells in table.columns.items() if each not in _NOT_CONDITIONS}
    of_numbers = [each for each in at if unit_of_name(each)]
    seen, notes, open_zeros = list[Observed](), list[str](), Counter[str]()
    for row, own in zip(table.rows(), conditions_of(at, len(table.places)), strict=True):
        place, fault = f"{name}, {row.place}", row.text("flag")
        for each in of_numbers:
            if row.cells[each] and number_of(row.cells[each]) is None:
                raise row.fault(each, f"must be a number; got {quoted(row.cells[each])}")
        of_row = [figure for each in figures if (figure := row.figure(each)) is not None]
        open_zeros.update(each for each in figures if row.has_open_zeros(each))
        if not of_row:
            notes.append(f"{place}: no figure is known")
        elif fault:
            notes += [f"{place}, {figure.column}: refused: {fault}" for figure in of_row]
        else:
            seen += [_observed(row, figure, own, place) for figure in of_row]
    misspelled = [
        f"column {each} is a condition of that name; {near} may be meant"
        for each in table.columns
        if (near := tables.near_column(each)) is not None
    ]
    # zeros count as digits up to as many as another figure of the column has, else hold places
    zeros = [
        f"column {each}: trailing zeros of {count} figure{'s' * (count != 1)} may not be digits: "
        "add a _resolution column"
        for each, count in open_zeros.items()
    ]
    return Selection(tuple(seen), (*misspelled, *zeros, *notes))


def _cell(value: object) -> str:
    """Return a value as a cell of a table: empty where it is missing, numbers with their digits."""
    text = "" if value is None else str(value).strip()
    is_whole = isinstance(value, float) and text.endswith(".0")
    return "" if text in _MISSING else text.removesuffix(".0" if is_whole else "")


def _observed(row: tables.Row, figure: tables.TableFigure, at: Conditions, place: str) -> Observed:
    """Observation of a figure of a row."""
    relation = Relation(figure.relation)
    low, high = figure.low or 0.0, math.inf if figure.high is None else figure.high
    if figure.value is not None and figure.low is None:
        low, high = allowed_by(relation, figure.value, figure.half_width)
    about: Any = {"relation": relation, "value": figure.value, "at": at}
    try:
        where = f"{place}, {figure.column}"
        return Observed(quantity=figure.quantity, low=low, high=high, place=where, **about)
    except DomainError as error:
        raise row.fault(figure.column, error) from None
