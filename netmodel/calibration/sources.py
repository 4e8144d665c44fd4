"""Observations from tables of your own, of datasets, and results of measurement tools."""

import math
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netmodel.calibration import observations
from netmodel.calibration.observations import Condition, Conditions, Observed, Selection
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.printable import quoted
from netmodel.readers import Direction, Measurement, tables
from netmodel.records.values import Relation
from netmodel.units import format_rate
from netmodel.units.columns import ENDINGS, unit_of_name

if TYPE_CHECKING:
    import pandas

    from netmodel.records.datasets import Dataset
    from netmodel.records.tables import Column, Table

_NOT_CONDITIONS = (*tables.OF_ROWS, *(x + part for x in tables.FIGURES for part in tables.PARTS))
_STEMS = ("throughput", "transaction_rate", "transaction_time", "cpu")
"""Beginnings of the names of columns of figures, which a unit ends."""
_MISSING = ("nan", "<NA>", "NaT")
"""Text of missing floats, of missing values of pandas, and of its missing times."""


def observed_from_table(
    source: "str | os.PathLike[str] | pandas.DataFrame", *, name: str = "frame"
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
        columns = [(str(x), *map(_cell, source.iloc[:, n])) for n, x in enumerate(source.columns)]
        table = tables.plain_table(name, columns, [f"row {n + 1}" for n in range(len(source))])
    else:
        got = type(source).__name__
        raise DomainError(f"source must be a CSV file or a pandas.DataFrame; got {got}")
    figures = table.figures([*observations.QUANTITIES])
    at = {each: cells for each, cells in table.columns.items() if each not in _NOT_CONDITIONS}
    of_numbers = [each for each in at if unit_of_name(each)]
    seen, notes, open_zeros = list[Observed](), list[str](), Counter[str]()
    conditions = observations.conditions_of(at, len(table.places))
    for row, own in zip(table.rows(), conditions, strict=True):
        place, fault = f"{name}, {row.place}", row.text("flag")
        for each in of_numbers:
            if row.cells[each] and observations.number_of(row.cells[each]) is None:
                raise row.fault(each, f"must be a number; got {quoted(row.cells[each])}")
        of_row = [figure for each in figures if (figure := row.figure(each)) is not None]
        open_zeros.update(each for each in figures if row.has_open_zeros(each))
        if not of_row:
            notes.append(f"{place}: no figure is known")
        elif fault:
            notes += [f"{place}, {figure.column}: refused: {fault}" for figure in of_row]
        else:
            seen += [_observed_of_row(figure, own, place) for figure in of_row]
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
    return "" if text in _MISSING else text.removesuffix(".0" if isinstance(value, float) else "")


def _observed_of_row(figure: tables.TableFigure, at: Conditions, place: str) -> Observed:
    """Observation of a figure of a row."""
    relation = Relation(figure.relation)
    low, high = figure.low or 0.0, math.inf if figure.high is None else figure.high
    if figure.value is not None and figure.low is None:
        low, high = observations.allowed_by(relation, figure.value, figure.half_width)
    about: Any = {"at": at, "value": figure.value, "place": f"{place}, {figure.column}"}
    return Observed(quantity=figure.quantity, low=low, high=high, relation=relation, **about)


def base_quantity(column: "Column") -> tuple[str, float] | None:
    """Quantity of a column by its unit, and one of the unit in base units; None for others."""
    unit = column.taken_as or column.unit or ""
    if unit == "1/s" and not column.name.endswith("_tps"):
        return None
    names = (f"{stem}_{ENDINGS.get(unit)}" for stem in _STEMS)
    quantity, scale = next(filter(None, map(tables.FIGURES.get, names)), ("", 0))
    return (quantity, float(scale)) if quantity else None


def observed_from_dataset(
    source: "Dataset",
    table: "Table",
    columns: Sequence[str],
    *,
    conditions: Sequence[str] | None = None,
) -> Selection:
    """
    Observations from columns of a table of a dataset.

    Parameters
    ----------
    source : Dataset
        Its flags and checks count, and its side becomes a condition.
    table : Table
        One of its tables, or the rows of one that `Table.where` leaves.
    columns : sequence of str
        With figures. Their units decide the quantities: bits or bytes per second
        `throughput_bps`, transactions per second `transaction_rate_tps`, times
        `transaction_time_s`, times per data `cpu_us_per_gbit`, times per
        transaction `cpu_s_per_transaction`.
    conditions : sequence of str, optional
        Columns that become conditions of the same names, in their units. When
        left out, columns without such a quantity that do not identify runs.

    Returns
    -------
    selection : Selection
        One observation for each figure, within the rounding of its digits.
        Left out are figures whose cell is flagged, or that of a condition. The notes list these,
        and the known faults of the dataset.

    Raises
    ------
    DomainError
        If a column holds no such quantity, or that of another
        one, or a unit in which MB is not defined as 10^6 or 2^20 byte.
    UnknownRecordError
        If there is no such column.

    Examples
    --------
    >>> from netmodel.records import dataset
    >>> comparison = dataset("zvm-layer2-layer3")
    >>> runs = comparison.tables["measurements"].where(table=11)
    >>> result = observed_from_dataset(comparison, runs, ["total_cpu_ms_per_transaction"])
    >>> len(result.observed), runs.row_count
    (3, 16)
    """
    if conditions is None:
        names = [each.name for each in table.columns if base_quantity(each) is None]
        conditions = [name for name in names if name not in source.identifiers]
    names = [name for name in conditions if name not in columns]
    side = {"side": source.side.value} if source.side else {}
    at = observations.conditions_of({name: table.text(name) for name in names}, table.row_count)
    flags = [each for each in source.flags if each["file"] == f"{table.name}.csv"]
    seen, notes, of_quantity = list[Observed](), list[str](), dict[str, str]()
    for name in columns:
        column = table.column(name)
        if (of_unit := base_quantity(column)) is None:
            why = "; taken_as must say whether MB is 10^6 or 2^20 byte" * ("MB" in str(column.unit))
            problem = f"no quantity that models have: its unit is {column.unit or 'none'}{why}"
            raise DomainError(f"{source.id}: column {name} holds {problem}")
        quantity, scale = of_unit
        other = of_quantity.setdefault(quantity, name)
        if other != name:
            raise DomainError(f"{source.id}: {other} and {name} are both {quantity}: choose one")
        values, half_widths = table.numbers(name) * scale, table.half_widths(name) * scale
        every = (table.row_numbers, values.tolist(), half_widths.tolist(), at)
        for row, value, half, own in zip(*every, strict=True):
            place = f"{source.id}, {table.name}, row {row}, {name}"
            # flags of the cell, of a condition, of the row, or of the whole table
            faults = [
                f"{flag['message']} ({flag['kind']}, {flag['severity']})"
                for flag in flags
                if flag["row"] in ("", str(row)) and flag["column"] in ("", name, *side, *own)
            ]
            if faults and not math.isnan(value):
                notes.append(f"{place}: refused: {'; '.join(faults)}")
            elif not math.isnan(value):
                found = observations.observed_figure(quantity, {**side, **own}, value, half, place)
                seen.append(replace(found, is_published=source.document_title is not None))
    notes += [f"known fault of {source.id}: {fault}" for fault in source.known_faults]
    return Selection(tuple(seen), tuple(notes))


def observed_from_measurements(runs: Iterable[Measurement], **conditions: Condition) -> Selection:
    """
    Observations from results that `netmodel.readers` read.

    Parameters
    ----------
    runs : iterable of Measurement
        Each run is an observation of its own, also where it repeats another one; the same
        result given twice counts once.
    **conditions : float, str or bool
        Conditions of all runs that results do not report, such as
        ``mtu_bytes=9000`` or ``adapter="my-card"``.

    Returns
    -------
    selection : Selection
        Of each run its goodput, transaction rate and transaction time, as far as reported.
        Goodput is within the rounding of the tool; figures of unknown rounding are exact but for
        noise. Conditions of a run: ``connection_count``, ``mtu_bytes`` where the tool reports
        that of the path, ``write_bytes``, ``request_bytes``, ``response_bytes``, ``protocol``.
        A run with an error is left out; so is a goodput that is not reported.

    Raises
    ------
    ContradictionError
        If a run reports another value of a condition.
    DomainError
        If a figure of a run is negative or no number.

    Examples
    --------
    >>> run = Measurement(source="run.json", tool="iperf3", goodput_bps=9.4e9)
    >>> result = observed_from_measurements([run], mtu_bytes=1500)
    >>> result.observed[0].value, dict(result.observed[0].at)
    (9400000000.0, {'mtu_bytes': 1500})
    """
    seen, notes = list[Observed](), list[str]()
    for run in _distinct(runs, notes):
        if run.error is not None:
            notes.append(f"{run.place}: left out: {run.error}")
        else:
            _add(run, observations.with_given(reported(run), conditions, run.place), seen, notes)
    return Selection(tuple(seen), tuple(notes))


def observed_of_adapter(
    runs: Iterable[Measurement],
    adapter_of: Side | None = None,
    conditions: Conditions | None = None,
) -> Selection:
    """
    Observations of the throughput of an adapter, from results that `netmodel.readers` read.

    Parameters
    ----------
    runs : iterable of Measurement
        Over TCP. Each is an observation of its own, also where it repeats another one.
    adapter_of : Side, optional
        Whose adapter it is; the ``direction`` of each run, as seen from there,
        then follows from the direction of its payload.
    conditions : mapping, optional
        Conditions of all runs, such as ``{"mtu_bytes": 9000}``.

    Returns
    -------
    selection : Selection
        As `observed_from_measurements` has it. Without an MTU the segments of the run are taken
        as ``payload_bytes`` of full frames. Left out with a note are runs that failed, over
        loopback or UDP, or whose sender was held at a rate, and the same result given twice.

    Raises
    ------
    ContradictionError
        If a run reports another value of a condition.
    DomainError
        If neither MTU nor segment size of a run is known, or runs go in both directions
        without `adapter_of`.

    Examples
    --------
    >>> from netmodel.readers.measurement import SentTraffic
    >>> run = Measurement(
    ...     source="run.json", tool="iperf3", goodput_bps=9.4e9, protocol="tcp",
    ...     traffic=SentTraffic(path_mtu_bytes=1500), direction=Direction.CLIENT_TO_SERVER,
    ... )
    >>> result = observed_of_adapter([run], Side.SERVER)
    >>> dict(result.observed[0].at)
    {'mtu_bytes': 1500, 'protocol': 'tcp', 'direction': 'in'}
    """
    seen, notes, directions = list[Observed](), list[str](), dict[Direction, str]()
    for run in _distinct(runs, notes):
        if (why := _why_no_adapter(run, adapter_of)) is not None:
            notes.append(f"{run.place}: left out: {why}")
            continue
        at, own_bytes = reported(run), run.traffic.segment_bytes
        if adapter_of is not None:
            to_server = run.direction is Direction.CLIENT_TO_SERVER
            at["direction"] = "in" if to_server is (adapter_of is Side.SERVER) else "out"
        elif run.direction is not None:
            directions[run.direction] = run.place
        at = observations.with_given(at, conditions or {}, run.place)
        if not at.keys() & {"mtu_bytes", "payload_bytes"}:
            if own_bytes is None:
                raise DomainError(
                    f"{run.place}: neither MTU nor segment size reported: give its MTU"
                )
            at["payload_bytes"] = own_bytes
            notes.append(f"{run.place}: MTU not reported: frames taken as full, with {own_bytes} B")
        _add(run, at, seen, notes)
    if len(directions) > 1:
        each = ", ".join(f"{place} {way.value}" for way, place in directions.items())
        raise DomainError(f"runs go in both directions: {each}: specify whose adapter it is")
    return Selection(tuple(seen), tuple(notes))


def _distinct(runs: Iterable[Measurement], notes: list[str]) -> list[Measurement]:
    """Return each result once; a note on every other copy of it is added."""
    first: dict[object, Measurement] = {}
    for number, run in enumerate(runs):
        key = (run.file.sha256, run.file.part, run.direction) if run.file.sha256 else number
        same = first.setdefault(key, run)
        if same is not run:
            notes.append(f"{run.place}: left out: the same result as {same.place}")
    return [*first.values()]


def _why_no_adapter(run: Measurement, adapter_of: Side | None) -> str | None:
    """Return why a run is no observation of an adapter; None if it is."""
    held_bps = run.traffic.offered_rate_bps
    reasons = {
        "over UDP, whose frames carry other headers than those of the model": run.protocol == "udp",
        "over loopback: no frame crossed a line": run.is_loopback,
        f"its sender was held at {format_rate(held_bps or 0)}": held_bps is not None,
        "the direction of its payload is not reported": adapter_of and run.direction is None,
    }
    return run.error or next((why for why, holds in reasons.items() if holds), None)


def reported(run: Measurement) -> dict[str, Condition]:
    """Conditions of a run, as far as its tool reports them."""
    known = {
        "connection_count": run.stream_count,
        "mtu_bytes": run.traffic.path_mtu_bytes,
        "write_bytes": run.traffic.write_bytes,
        "request_bytes": run.traffic.request_bytes,
        "response_bytes": run.traffic.response_bytes,
        "protocol": run.protocol,
    }
    return {name: value for name, value in known.items() if value is not None}


def _add(run: Measurement, at: Conditions, observed: list[Observed], notes: list[str]) -> None:
    """Add the observations of one run, and notes on it."""
    place, halves = run.place, (run.counted.half_width_bps or 0.0, 0.0, 0.0)
    figures = (run.goodput_bps, run.transaction_rate_tps, run.transaction_time_s)
    known = [
        observations.observed_figure(quantity, at, value, half, place)
        for quantity, value, half in zip(observations.QUANTITIES, figures, halves, strict=False)
        if value is not None
    ]
    observed += known
    if run.goodput_bps is None:
        why = run.counted.why_no_goodput or "not reported by the tool"
        notes.append(f"{place}: no goodput: {why}")
    if known and run.is_loopback:
        notes.append(f"{place}: over loopback: no frame crossed a line")
    if known and run.is_bidirectional:
        notes.append(f"{place}: payload also went in the other direction")
