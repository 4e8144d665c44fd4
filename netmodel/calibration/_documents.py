"""Observations from documents: tables of datasets, statements, and records of adapters."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING

from netmodel._text import listed
from netmodel.calibration._conditions import line_cap, traffic_under
from netmodel.calibration._observed import (
    QUANTITIES,
    Conditions,
    Figure,
    Flagged,
    Observed,
    Selection,
    allowed_by,
    as_ratio,
    base_quantity,
    comparable,
    conditions_of,
    counted,
    grade_of,
    with_flag,
)
from netmodel.errors import DomainError, UnitError
from netmodel.records import (
    Adapter,
    Relation,
    adapter,
)
from netmodel.records._equipment import Observation
from netmodel.records._load import unknown_record
from netmodel.records._subjects import Change, Configuration, QuantityKind
from netmodel.units import parse_rate_bps

if TYPE_CHECKING:
    from netmodel.records import Dataset, Statement, Table

_AMBIGUOUS = frozenset({"MB/s", "ms/MB"})
"""Units in which MB is 10^6 byte to some and 2^20 to others."""

_LINE = "line"
"""Unit of statements: the payload that the line carries."""
_NAMES = {
    QuantityKind.THROUGHPUT: "throughput_bps",
    QuantityKind.PAYLOAD_RATE: "throughput_bps",
    QuantityKind.TRANSACTION_RATE: "transaction_rate_tps",
    QuantityKind.TRANSACTION_TIME: "transaction_time_s",
    QuantityKind.LATENCY: "transaction_time_s",
    QuantityKind.CPU_CONSUMPTION: "cpu_us_per_gbit",
    QuantityKind.CPU_TIME_PER_TRANSACTION: "cpu_s_per_transaction",
}
_CHANGE_UNITS = {"%": 0.01, "x": 1.0}
"""Units of changes that documents print, as ratios: per cent, and times as much."""
_WORDS = frozenset({"interface", "setting", "version", "tool", "item", "load", "payload"})
"""Parts of a configuration in words, which no model reads."""
_OF_ANY_LINE = frozenset({"mtu_bytes", "transport"})
"""Conditions without equipment: a statement with these alone is a calculation."""
_CASES = ("workload", "workloads", "connection_counts")


def observed_from_dataset(
    source: "Dataset",
    table: "Table",
    columns: Sequence[str],
    *,
    conditions: Sequence[str] | None = None,
    also_conditions: Sequence[str] = (),
    flagged: Flagged = Flagged.REFUSED,
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
    flagged : Flagged
        Treatment of figures whose cell is flagged, or that of a condition.

    Returns
    -------
    selection : Selection
        One observation for each figure, within the rounding of its digits.
        A column that a check calls a part of a total has the condition
        ``part``, so that none is taken for the total. The notes list each flag that matters,
        and the known faults of the dataset.

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
    faults = tuple(f"known fault of {source.id}: {fault}" for fault in source.known_faults)
    parts = [_of_column(source, table, name, at, flagged) for name in columns]
    return sum(parts, Selection(())) + Selection((), faults)


def dataset_rows(
    name: str, table: str, where: Mapping[str, Sequence[object]]
) -> "tuple[Dataset, Table]":
    """
    A dataset, and the rows of one of its tables that `chosen_rows` leaves.

    Raises
    ------
    DomainError
        If no row is left.
    UnknownRecordError
        If there is no such dataset, table or column.
    """
    from netmodel.records import dataset

    source = dataset(name)
    if table not in source.tables:
        raise unknown_record(f"table of {name}", table, source.tables)
    return source, chosen_rows(source.tables[table], where)


def chosen_rows(table: "Table", where: Mapping[str, Sequence[object]]) -> "Table":
    """
    Rows whose columns hold one of the values wanted there.

    Raises
    ------
    DomainError
        If no row is left.
    UnknownRecordError
        If there is no such column.
    """
    chosen = table
    for column, values in where.items():
        wanted = {n for value in values for n in chosen.where(**{column: value}).row_numbers}
        kept = [place for place, n in enumerate(chosen.row_numbers) if n in wanted]
        chosen = replace(
            chosen,
            cells=tuple(chosen.cells[place] for place in kept),
            row_numbers=tuple(chosen.row_numbers[place] for place in kept),
        )
    if not chosen.row_count:
        rule = ", ".join(f"{column} {listed(values)}" for column, values in where.items())
        raise DomainError(f"{table.name}: no row has {rule}")
    return chosen


def _of_column(
    source: "Dataset",
    table: "Table",
    name: str,
    conditions: Sequence[Conditions],
    flagged: Flagged,
) -> Selection:
    """Observations from the filled cells of a column."""
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
    fixed = part_of_column(source, table, name) | (
        {"side": source.side.value} if source.side else {}
    )
    figures = zip(table.row_numbers, table.numbers(name), table.half_widths(name), strict=True)
    result = Selection(())
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
        faults = [
            f"{flag.message} ({flag.kind}, {flag.severity})"
            for flag in source.flags
            if flag.file == f"{table.name}.csv"
            and flag.row in (None, row)
            and (flag.column is None or flag.column in (name, *at))
        ]
        result += with_flag(seen, "; ".join(faults), flagged) if faults else Selection((seen,))
    return result


def part_of_column(source: "Dataset", table: "Table", name: str) -> dict[str, float | str | bool]:
    """The condition of a column that is a part of a total: its name in place of "total"."""
    for each in source.parts:
        if name in each.of:
            words, total = name.split("_"), each.total.split("_")
            while len(words) > 1 and total and words[-1] == total[-1]:
                words.pop(), total.pop()
            return {"part": "_".join(words)}
    return {}


@dataclass(frozen=True, slots=True)
class _Claim:
    """The common content of statements and of observations of adapters."""

    source: "Statement | Observation"
    place: str
    at: Conditions
    workloads: tuple[str, ...]
    connection_counts: tuple[int, ...]
    change: Change | None = None
    baseline_at: Conditions | None = None
    line_rate_bps: float | None = None

    @property
    def cases(self) -> tuple[Conditions, ...]:
        """Conditions of each workload and number of connections that it names."""
        workloads = [{"workload": name} for name in self.workloads] or [{}]
        counts = [{"connection_count": count} for count in self.connection_counts] or [{}]
        cases = []
        for workload, count in product(workloads, counts):
            at: dict[str, float | str | bool] = {**self.at, **workload, **count}
            if at.get("side") in ("sender", "receiver") and "workload" in at:
                # models know sender and receiver as client and server
                sender = traffic_under(at).sender
                at["side"] = (sender if at["side"] == "sender" else sender.other).value
            cases.append(at)
        return tuple(cases)

    @property
    def is_line_speed(self) -> bool:
        """Whether it reports a full line, by its unit or by the rate of the line."""
        if self.source.quantity is QuantityKind.LINE_RATE:
            is_observation = isinstance(self.source, Observation)
            return is_observation and self.source.relation is Relation.CENSORED_ABOVE
        return self.source.unit == _LINE


def observed_from_records(*sources: "Statement | Adapter") -> Selection:
    """
    Observations from published statements, and from the records of adapters.

    Parameters
    ----------
    *sources : Statement or Adapter
        Such as `netmodel.records.statements` of one document, or `netmodel.records.adapter`.

    Returns
    -------
    selection : Selection
        One observation for each workload and number of connections that a
        statement names, but one for all where it says "up to". Each part of
        the subject is a condition of the same name, ``connection_count`` one
        for each count, and a sender or receiver is called client or server.
        The baseline has the same conditions but for those it names itself. The
        notes count the statements that were left out, by reason, and name those
        that repeat another one. Of an adapter, the observations that its record
        carries: its id is the condition ``adapter``, the adapter at the other end
        ``peer_adapter``.

    Raises
    ------
    DomainError
        If a source is no such record.
    UnknownRecordError
        If a statement names an adapter or a workload that is not known.

    Notes
    -----
    Throughput and payload rate become ``throughput_bps``, transaction time and
    latency ``transaction_time_s``, CPU consumption ``cpu_us_per_gbit``. "The
    same" is within 5 %, "more" without a figure from 1 time up. A rate in units
    of the line, "line speed reached", is that of the payload which the line
    carries of that workload at that MTU, over TCP and IPv4.

    Examples
    --------
    >>> from netmodel.records import adapter, statement
    >>> limit = statement("osa7s-inbound-limit-slide-35")
    >>> seen = observed_from_records(limit).observed[0]
    >>> seen.low, seen.high, seen.at["direction"]
    (13350000000.0, 13450000000.0, 'in')
    >>> seen = observed_from_records(adapter("osa-express7s-25gbe")).observed
    >>> [round(each.value / 1e9, 1) for each in seen[:2]]
    [13.4, 20.5]
    """
    claims: list[_Claim] = []
    for each in sources:
        if isinstance(each, Adapter):
            claims += _claims_of_adapter(each)
            continue
        # loaded for statements alone: with their rules it takes as long as all equipment
        from netmodel.records import Statement

        if not isinstance(each, Statement):
            raise DomainError(f"sources must be Statement or Adapter; got {type(each).__name__}")
        claims.append(_claim(each))

    # the same figure of the same case once
    distinct: dict[Hashable, Observed] = {}
    repeats: list[str] = []
    reasons: dict[str, list[str]] = {"statement": [], "observation": []}
    for claim in claims:
        try:
            of_claim = list(_observed(claim))
        except DomainError as reason:
            kind = "observation" if isinstance(claim.source, Observation) else "statement"
            reasons[kind].append(str(reason))
            continue
        for seen in of_claim:
            key = (
                *(seen.quantity, seen.relation, seen.low, seen.high, len(seen.also_at)),
                comparable(seen.at),
                comparable(seen.baseline),
            )
            first = distinct.setdefault(key, seen)
            if first is not seen:
                repeats.append(f"{seen.place}: repeats {first.place}")
    left_out = [note for kind, whys in reasons.items() for note in counted(kind, whys)]
    return Selection(tuple(distinct.values()), (*left_out, *dict.fromkeys(repeats)))


def _claim(source: "Statement") -> _Claim:
    subject, baseline = source.subject, source.baseline
    if subject.line_rate is not None:
        line_rate_bps: float | None = parse_rate_bps(subject.line_rate)
    else:
        card = None if subject.adapter is None else adapter(subject.adapter)
        line_rate_bps = None if card is None else card.line_rate.rate_bps
    baseline_at = None
    if baseline is not None:
        # several workloads or counts of a baseline are not the conditions of one case
        many: list[tuple[str, Sequence[str | int]]] = [
            ("workload", baseline.all_workloads),
            ("connection_count", baseline.connection_counts),
        ]
        baseline_at = _conditions(baseline)
        baseline_at |= {name: values[0] for name, values in many if len(values) == 1}
    return _Claim(
        source,
        f"{source.id} ({source.source}, {source.locator})",
        _conditions(subject),
        subject.all_workloads,
        subject.connection_counts,
        source.change,
        baseline_at,
        line_rate_bps,
    )


def _claims_of_adapter(record: Adapter) -> list[_Claim]:
    return [
        _Claim(
            each,
            f"{record.id}: {each.quantity.value} {each} ({each.source}, {each.locator})",
            {
                "adapter": record.id,
                **{key: value for key, value in each.conditions.items() if key not in _CASES},
            },
            (each.workload,) if each.workload else (),
            each.connection_counts,
            line_rate_bps=record.line_rate.rate_bps,
        )
        for each in record.observations
    ]


def _conditions(configuration: Configuration) -> dict[str, float | str | bool]:
    parts = configuration.model_dump(exclude_defaults=True, exclude={*_CASES, "line_rate"})
    return {
        name: float(value) if isinstance(value, Decimal) else value for name, value in parts.items()
    }


def _observed(claim: _Claim) -> Iterator[Observed]:
    """Observations of a claim; a DomainError gives the reason where there are none."""
    source = claim.source
    quantity = _NAMES.get(source.quantity) or ("throughput_bps" if claim.is_line_speed else None)
    if quantity is None:
        raise DomainError(f"{source.quantity.value} is not a quantity that models have")
    if not isinstance(source, Observation) and source.given:
        raise DomainError("it is a worked example, not an observation")
    if claim.change is None and set(claim.at) <= _OF_ANY_LINE:
        raise DomainError("it is what a line could carry, not an observation")
    if claim.baseline_at is not None and set(claim.baseline_at) <= _WORDS:
        raise DomainError("its baseline is described in words only")
    cases = claim.cases
    for at in cases:
        figure = _figure(claim, quantity, at)
        also_at = cases[1:] if figure.relation is Relation.UP_TO else ()
        yield Observed(
            quantity=quantity,
            at=at,
            low=figure.low,
            high=figure.high,
            value=figure.value,
            relation=figure.relation,
            baseline=None if claim.baseline_at is None else {**at, **claim.baseline_at},
            also_at=also_at,
            place=claim.place,
            grade=grade_of(figure.relation, source.grade),
            is_published=True,
        )
        if also_at:
            return


def _figure(claim: _Claim, quantity: str, at: Conditions) -> Figure:
    """The interval that a claim allows in a case, in base units."""
    source = claim.source
    if claim.change is not None:
        return as_ratio(claim.change, _scaled(source, _CHANGE_UNITS.get(source.unit or "")))
    if not claim.is_line_speed:
        try:
            scale: float | None = QUANTITIES[quantity](f"1 {source.unit}")
        except UnitError:
            scale = None
    else:  # payload of a full line, over TCP
        if claim.line_rate_bps is None or "mtu_bytes" not in at or "workload" not in at:
            raise DomainError("it is about line speed, without line rate, MTU and workload")
        if at.get("transport", "tcp") != "tcp":
            raise DomainError("it is about line speed of another transport than TCP")
        scale = line_cap(claim.line_rate_bps)(at)
        if source.quantity is QuantityKind.LINE_RATE:
            return Figure(scale, math.inf, scale, Relation.CENSORED_ABOVE)
    figure = _scaled(source, scale)
    if figure is None:
        raise DomainError("it has no figure")
    return figure


def _scaled(source: "Statement | Observation", scale: float | None) -> Figure | None:
    """Its figures in base units; None where it has none."""
    if source.interval is None:
        return None
    if scale is None:
        raise DomainError(f"its unit, {source.unit}, is none of {source.quantity.value}")
    low, high = (max(0.0, float(end)) * scale for end in source.interval)
    value = None if source.value is None else float(source.value) * scale
    return Figure(low, high, value, source.relation)
