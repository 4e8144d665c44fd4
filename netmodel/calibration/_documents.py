"""Observations from documents: tables of datasets, and records of adapters."""

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

from netmodel.calibration.conditions import line_cap
from netmodel.calibration.observations import (
    QUANTITIES,
    Conditions,
    Figure,
    Observed,
    Selection,
    allowed_by,
    base_quantity,
    comparable,
    conditions_of,
    counted,
    grade_of,
)
from netmodel.errors import DomainError, UnitError
from netmodel.records import (
    Adapter,
    Relation,
)
from netmodel.records.equipment import Observation, QuantityKind

if TYPE_CHECKING:
    from netmodel.records import Dataset, Table

_AMBIGUOUS = frozenset({"MB/s", "ms/MB"})
"""Units in which MB is 10^6 byte to some and 2^20 to others."""

_NAMES = {
    QuantityKind.THROUGHPUT: "throughput_bps",
    QuantityKind.PAYLOAD_RATE: "throughput_bps",
    QuantityKind.TRANSACTION_RATE: "transaction_rate_tps",
    QuantityKind.TRANSACTION_TIME: "transaction_time_s",
    QuantityKind.CPU_CONSUMPTION: "cpu_us_per_gbit",
    QuantityKind.CPU_TIME_PER_TRANSACTION: "cpu_s_per_transaction",
}


def observed_from_dataset(
    source: "Dataset",
    table: "Table",
    columns: Sequence[str],
    *,
    conditions: Sequence[str] | None = None,
    also_conditions: Sequence[str] = (),
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
    also_conditions : sequence of str
        More of them.

    Returns
    -------
    selection : Selection
        One observation for each figure, within the rounding of its digits.
        A column that a check calls a part of a total has the condition
        ``part``, so that none is taken for the total. Left out are figures whose cell is flagged,
        or that of a condition. The notes list these, and the known faults of the dataset.

    Raises
    ------
    DomainError
        If the table is not of the dataset, or a column holds no such quantity,
        or a unit in which MB is not defined as 10^6 or 2^20 byte.
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
    if table.name not in source.tables:
        raise DomainError(f"{source.id} has no table {table.name}")
    if conditions is None:
        conditions = [
            column.name
            for column in table.columns
            if column.name not in source.identifiers and base_quantity(column) is None
        ]
    names = [name for name in (*conditions, *also_conditions) if name not in columns]
    at = conditions_of(table, {name: name for name in names})
    seen: list[Observed] = []
    notes: list[str] = []
    for name in columns:
        for observation, fault in _of_column(source, table, name, at):
            if fault:
                notes.append(f"{observation.place}: refused: {fault}")
            else:
                seen.append(observation)
    faults = (f"known fault of {source.id}: {fault}" for fault in source.known_faults)
    return Selection(tuple(seen), (*notes, *faults))


def _of_column(
    source: "Dataset", table: "Table", name: str, conditions: Sequence[Conditions]
) -> Iterator[tuple[Observed, str]]:
    """Yield the observations from the filled cells of a column, each with what flags say."""
    column = table.column(name)
    if column.unit in _AMBIGUOUS and column.taken_as is None:
        raise DomainError(
            f"{source.id}: column {name} is in {column.unit}, and taken_as does not say "
            "whether MB is 10^6 or 2^20 byte"
        )
    of_unit = base_quantity(column)
    if of_unit is None:
        raise DomainError(
            f"{source.id}: column {name} holds no quantity that models have: "
            f"its unit is {column.unit or 'none'}"
        )
    quantity, scale = of_unit
    fixed = _part(source, name) | ({"side": source.side.value} if source.side else {})
    figures = zip(table.row_numbers, table.numbers(name), table.half_widths(name), strict=True)
    for (row, number, half_width), at in zip(figures, conditions, strict=True):
        if math.isnan(number):
            continue
        value = float(number) * scale
        low, high = allowed_by(Relation.EQUAL, value, float(half_width) * scale)
        seen = Observed(
            quantity=quantity,
            at={**fixed, **at},
            low=low,
            high=high,
            value=value,
            place=f"{source.id}, {table.name}, row {row}, {name}",
            grade=source.grade,
            is_published=source.document_title is not None,
        )
        # flags of the cell, of a condition, of the row, or of the whole table
        faults = (
            f"{flag.message} ({flag.kind}, {flag.severity})"
            for flag in source.flags
            if flag.file == f"{table.name}.csv"
            and flag.row in (None, row)
            and (flag.column is None or flag.column in (name, *at))
        )
        yield seen, "; ".join(faults)


def _part(source: "Dataset", name: str) -> dict[str, float | str | bool]:
    """The condition of a column that is a part of a total: its name in place of "total"."""
    for each in source.parts:
        if name in each.of:
            words, total = name.split("_"), each.total.split("_")
            while len(words) > 1 and total and words[-1] == total[-1]:
                words.pop(), total.pop()
            return {"part": "_".join(words)}
    return {}


def observed_from_records(*sources: Adapter) -> Selection:
    """
    Observations that the records of adapters carry.

    Parameters
    ----------
    *sources : Adapter
        Such as `netmodel.records.adapter`.

    Returns
    -------
    selection : Selection
        One observation for each number of connections, but one for all where the record says
        "up to". The id of the adapter is the condition ``adapter``, that of the one at the other
        end ``peer_adapter``. The notes count what was left out, by reason, and name figures
        that repeat another one.

    Raises
    ------
    DomainError
        If a source is no such record.
    UnknownRecordError
        If an observation names a workload that is not known.

    Notes
    -----
    Throughput and payload rate become ``throughput_bps``, CPU consumption ``cpu_us_per_gbit``. The
    rate of a full line is that of the payload which the line carries of that workload at that
    MTU, over TCP and IPv4.

    Examples
    --------
    >>> from netmodel.records import adapter
    >>> seen = observed_from_records(adapter("osa-express7s-25gbe")).observed
    >>> seen[0].low, seen[0].high, seen[0].at["direction"]
    (13350000000.0, 13450000000.0, 'in')
    >>> [round(each.value / 1e9, 1) for each in seen[:2]]
    [13.4, 20.5]
    """
    # the same figure of the same case once
    distinct: dict[Hashable, Observed] = {}
    repeats: list[str] = []
    reasons: list[str] = []
    for record in sources:
        if not isinstance(record, Adapter):
            raise DomainError(f"sources must be Adapter; got {type(record).__name__}")
        for source in record.observations:
            try:
                of_source = list(_observed(record, source))
            except DomainError as reason:
                reasons.append(str(reason))
                continue
            for seen in of_source:
                case = (seen.quantity, seen.relation, seen.low, seen.high)
                first = distinct.setdefault((*case, comparable(seen.at)), seen)
                if first is not seen:
                    repeats.append(f"{seen.place}: repeats {first.place}")
    left_out = counted("observation", reasons)
    return Selection(tuple(distinct.values()), (*left_out, *dict.fromkeys(repeats)))


def _observed(record: Adapter, source: Observation) -> Iterator[Observed]:
    """Yield the observations of a figure; a DomainError gives the reason where there are none."""
    is_line_speed = source.quantity is QuantityKind.LINE_RATE
    quantity = _NAMES.get(source.quantity, "throughput_bps")
    if is_line_speed and source.relation is not Relation.CENSORED_ABOVE:
        raise DomainError("line_rate is not a quantity that models have")
    known = {key: value for key, value in source.conditions.items() if key != "connection_counts"}
    at = {"adapter": record.id, **known}
    counts = source.connection_counts
    cases = [at | {"connection_count": count} for count in counts] or [at]
    # which of several numbers of connections reached the figure is not said
    for case in [at] if source.relation is Relation.UP_TO and len(counts) > 1 else cases:
        figure = _line_speed(record, case) if is_line_speed else _figure(source, quantity)
        yield Observed(
            quantity=quantity,
            at=case,
            **figure._asdict(),
            place=f"{record.id}: {source.quantity.value} {source} ({source.source}, "
            f"{source.locator})",
            grade=grade_of(figure.relation, source.grade),
            is_published=True,
        )


def _line_speed(record: Adapter, at: Conditions) -> Figure:
    """Return the payload of a full line, over TCP, as what the adapter reaches at least."""
    if "mtu_bytes" not in at or "workload" not in at:
        raise DomainError("it is about line speed, without MTU and workload")
    payload_bps = line_cap(record.line_rate.rate_bps)(at)
    return Figure(payload_bps, math.inf, payload_bps, Relation.CENSORED_ABOVE)


def _figure(source: Observation, quantity: str) -> Figure:
    """Return the interval that an observation allows, in base units."""
    if source.interval is None:
        raise DomainError("it has no figure")
    try:
        scale = QUANTITIES[quantity](f"1 {source.unit}")
    except UnitError:
        raise DomainError(f"its unit, {source.unit}, is none of {source.quantity.value}") from None
    low, high = (max(0.0, float(end)) * scale for end in source.interval)
    value = None if source.value is None else float(source.value) * scale
    return Figure(low, high, value, source.relation)
