"""The laws that tables of measurements must obey, one function each."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import tcp_stack
from netmodel.judging._audit_patterns import identifier, quantised, unit
from netmodel.judging._columns import (
    SECONDS,
    Floats,
    Tables,
    Tally,
    bits_per_s,
    cells_of,
    cpu_scale,
    factor,
    keys,
    looked_up,
    other_table,
    require_one_unit,
    rows_with,
    span,
    texts_looked_up,
)
from netmodel.judging._findings import Finding, Severity, finding
from netmodel.judging._intervals import intervals_of
from netmodel.records import Table
from netmodel.records._datasets import (
    CeilingCheck,
    ChangeCheck,
    LittleCheck,
    PartsCheck,
    UtilisationCheck,
)

__all__ = ["run_check"]

_TRANSACTIONS = {"transaction/s": 1.0, "1/s": 1.0}


def run_check(dataset: str, tables: Tables, check: Any, tally: Tally) -> Iterator[Finding]:
    """What one declared check finds in the tables of a dataset."""
    try:
        table = other_table(tables, check.file)
        for found in _CHECKS[check.kind](tables, table, check, tally):
            yield replace(found, dataset=dataset, file=f"{table.name}.csv")
    except DomainError as error:
        raise DomainError(f"{dataset}, check {check.kind}: {error}") from error


def _parts(tables: Tables, table: Table, check: PartsCheck, tally: Tally) -> Iterator[Finding]:
    """Parts add up to their total."""
    names = (check.total, *check.parts)
    rows = rows_with(*(table.numbers(name) for name in names))
    require_one_unit(table, names)
    total, *parts = (intervals_of(table, name).rows(rows) for name in names)
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    summed = sum(table.numbers(name)[rows] for name in check.parts)
    is_fault = whole.is_apart_from(total)
    tally.count(~np.isclose(summed, table.numbers(check.total)[rows], rtol=1e-12), is_fault)
    per_cent_costs = _costs_of_a_per_cent(tables, table, check)[rows]
    gaps = np.maximum(whole.low - total.high, total.low - whole.high)
    is_coarse = gaps <= per_cent_costs * len(names) / 2
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        cells = " + ".join(table.text(name)[row] for name in check.parts)
        yield finding(
            "parts",
            Severity.NOTE if is_coarse[place] else Severity.FAULT,
            row=table.row_numbers[row],
            column=check.total,
            printed=table.text(check.total)[row],
            allowed=span(whole, place),
            message=f"{cells} do not add up to {table.text(check.total)[row]}"
            + ("; whole per cents of all CPUs would explain it" if is_coarse[place] else ""),
        )


def _costs_of_a_per_cent(tables: Tables, table: Table, check: PartsCheck) -> Floats:
    """What one per cent of all CPUs costs at the rate of each row; NaN where that is not known."""
    if check.rate is None or check.cpu_count is None:
        return np.full(table.row_count, np.nan)
    cpus = looked_up(tables, table, check.cpu_count)
    scale = cpu_scale(table, check.rate, check.total)
    with np.errstate(divide="ignore"):
        return 0.01 * cpus / (scale * table.numbers(check.rate))


def _utilisation(
    tables: Tables, table: Table, check: UtilisationCheck, tally: Tally
) -> Iterator[Finding]:
    """Rate times cost is no more than the CPUs that are there."""
    cpus = looked_up(tables, table, check.cpu_count)
    scale = cpu_scale(table, check.rate, check.cost)
    rows = rows_with(table.numbers(check.rate), table.numbers(check.cost), cpus)
    rate, cost = (intervals_of(table, name).rows(rows) for name in (check.rate, check.cost))
    busy = (rate * cost).scaled(scale)
    is_fault = busy.low > cpus[rows] * (1 + 1e-9)
    printed = scale * table.numbers(check.rate)[rows] * table.numbers(check.cost)[rows]
    tally.count(printed > cpus[rows], is_fault)
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        yield finding(
            "utilisation",
            Severity.FAULT,
            row=table.row_numbers[row],
            column=check.cost,
            printed=f"{table.text(check.rate)[row]} x {table.text(check.cost)[row]}",
            allowed=f"at most {cpus[row]:g} CPUs",
            message=f"{span(busy, place)} CPUs would be busy, where {cpus[row]:g} are installed",
        )


def _littles_law(_: Tables, table: Table, check: LittleCheck, tally: Tally) -> Iterator[Finding]:
    """Rate times time is no more than the connections."""
    names = (check.rate, check.time, check.connection_count)
    rows = rows_with(*(table.numbers(name) for name in names))
    rate, time = (intervals_of(table, name).rows(rows) for name in names[:2])
    per_second = factor(table, check.rate, _TRANSACTIONS) * factor(table, check.time, SECONDS)
    waiting = (rate * time).scaled(per_second)
    most = table.numbers(check.connection_count)[rows]
    is_fault = waiting.low > most * (1 + 1e-9)
    printed = per_second * table.numbers(check.rate)[rows] * table.numbers(check.time)[rows]
    tally.count(printed > most, is_fault)
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        yield finding(
            "littles_law",
            Severity.FAULT,
            row=table.row_numbers[row],
            column=check.time,
            printed=f"{table.text(check.rate)[row]} x {table.text(check.time)[row]}",
            allowed=f"at most {most[place]:g} connections",
            message=(
                f"{span(waiting, place)} transactions would be under way, "
                f"where {most[place]:g} connections have one each"
            ),
        )


def _change(tables: Tables, table: Table, check: ChangeCheck, tally: Tally) -> Iterator[Finding]:
    """A printed percentage lies in the interval that the printed figures allow."""
    figures = other_table(tables, check.figures)
    places = keys(figures, (*check.keys, check.compared))
    changes, printed = table.text(check.change), intervals_of(table, check.change)
    quantities, cells = table.text(check.quantity), cells_of(table, check.keys)
    for row in _chosen_rows(tables, table, check):
        pair = [places.get((*cells[row], side)) for side in (check.before, check.after)]
        if not changes[row] or pair[0] is None or pair[1] is None:
            continue
        column = quantities[row]
        before, after = (intervals_of(figures, column).rows(np.array([place])) for place in pair)
        allowed = after.change_from(before)
        if np.isnan(allowed.low[0]):
            continue
        one = printed.rows(np.array([row]))
        is_fault = one.is_apart_from(allowed)
        first, second = (figures.text(column)[place] for place in (pair[0], pair[1]))
        exact = _change_percent(float(first), float(second))
        tally.count(np.array([not one.low[0] <= exact <= one.high[0]]), is_fault)
        if is_fault[0]:
            yield finding(
                "change",
                Severity.FAULT,
                row=table.row_numbers[row],
                column=check.change,
                printed=f"{changes[row]} %",
                allowed=f"{span(allowed, 0)} %",
                message=f"{column} from {first} to {second} is {_change_text(exact)}",
            )


def _chosen_rows(tables: Tables, table: Table, check: ChangeCheck) -> Iterator[int]:
    """Rows that `where` picks, and whose cell is that of the file that `matches` names."""
    wanted = {name: table.text(name) for name in check.where}
    found = [""] * table.row_count
    expected = found
    if check.matches is not None:
        found = list(table.text(check.matches.column))
        expected = texts_looked_up(tables, table, check.matches)
    for row in range(table.row_count):
        is_wanted = all(wanted[name][row] == value for name, value in check.where.items())
        if is_wanted and found[row] == expected[row]:
            yield row


def _change_text(percent: float) -> str:
    return "an increase from next to nothing" if math.isnan(percent) else f"{percent:+.1f} %"


def _change_percent(before: float, after: float) -> float:
    return 100 * (after / before - 1) if before else math.nan


def _ceiling(_: Tables, table: Table, check: CeilingCheck, tally: Tally) -> Iterator[Finding]:
    """A payload rate is no more than its line carries, with the leanest headers of TCP."""
    names = (check.rate, check.line_rate, check.mtu)
    rows = rows_with(*(table.numbers(name) for name in names))
    rates = intervals_of(table, check.rate).rows(rows).scaled(bits_per_s(table, check.rate))
    ceilings = np.array(
        [
            line_ceiling(line_bps, int(mtu), tcp_stack(timestamps=False)).payload_rate_bps
            for line_bps, mtu in zip(
                table.numbers(check.line_rate)[rows] * bits_per_s(table, check.line_rate),
                table.numbers(check.mtu)[rows],
                strict=True,
            )
        ]
    )
    is_fault = rates.low > ceilings * (1 + 1e-9)
    printed = table.numbers(check.rate)[rows] * bits_per_s(table, check.rate)
    tally.count(printed > ceilings, is_fault)
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        yield finding(
            "ceiling",
            Severity.FAULT,
            row=table.row_numbers[row],
            column=check.rate,
            printed=table.text(check.rate)[row],
            allowed=f"at most {ceilings[place] / bits_per_s(table, check.rate):.6g}",
            message="is more than the line carries of TCP at this MTU",
        )


_CHECKS: Mapping[str, Callable[[Tables, Table, Any, Tally], Iterator[Finding]]] = {
    "parts": _parts,
    "utilisation": _utilisation,
    "littles_law": _littles_law,
    "change": _change,
    "ceiling": _ceiling,
    "unit": unit,
    "identifier": identifier,
    "quantised": quantised,
}
