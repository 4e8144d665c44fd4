"""The laws that tables of measurements must obey, one function each."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import tcp_stack
from netmodel.judging._findings import Finding, Severity
from netmodel.judging._intervals import Intervals, intervals_of
from netmodel.records import (
    CeilingCheck,
    ChangeCheck,
    IdentifierCheck,
    LittleCheck,
    Lookup,
    PartsCheck,
    QuantisedCheck,
    Table,
    UnitCheck,
    UtilisationCheck,
)

__all__ = ["Tally", "run_check"]

Tables: TypeAlias = Mapping[str, Table]
Rows: TypeAlias = npt.NDArray[np.intp]

_SECONDS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9}
_AMOUNTS = {"bit": 1.0, "Mbit": 1e6, "Gbit": 1e9, "MB": 8e6, "MiB": 8 * 2.0**20}
_BITS_PER_S = {"bit/s": 1.0, "Mbit/s": 1e6, "Gbit/s": 1e9}
_BYTES_OF_MB = {"MB": 10**6, "MiB": 2**20}
_CHANCE = 1e-6
"""A pattern that chance makes less often than this is no chance."""
_FULL_LINE = (0.995, 1.0)
"""Shares of a line that count as filling it."""
_FLAT_RATIO = 0.002
"""Rates that differ by no more than this have met the same limit."""
_MANY = 3


@dataclass(slots=True)
class Tally:
    """How many comparisons were made, and how many only rounding explains."""

    checked: int = 0
    explained: int = 0


def run_check(dataset: str, tables: Tables, check: Any, tally: Tally) -> Iterator[Finding]:
    """What one declared check finds in the tables of a dataset."""
    if check.file not in tables:
        raise DomainError(f"{dataset}: check {check.kind}: there is no file {check.file}")
    table = tables[check.file]
    found = _CHECKS[check.kind](tables, table, check, tally)
    return (replace(one, dataset=dataset, file=f"{table.name}.csv") for one in found)


def _finding(kind: str, severity: Severity, **told: Any) -> Finding:
    return Finding(dataset="", kind=kind, severity=severity, **told)


def _rows_with(*columns: npt.NDArray[np.float64]) -> Rows:
    """Rows in which all columns have a figure."""
    return np.flatnonzero(~np.isnan(np.array(columns)).any(axis=0))


def _count(tally: Tally, is_off: npt.NDArray[np.bool_], is_fault: npt.NDArray[np.bool_]) -> None:
    tally.checked += is_off.size
    tally.explained += int((is_off & ~is_fault).sum())


def _parts(_: Tables, table: Table, check: PartsCheck, tally: Tally) -> Iterator[Finding]:
    """Parts add up to their total."""
    names = (check.total, *check.parts)
    rows = _rows_with(*(table.numbers(name) for name in names))
    total, *parts = (intervals_of(table, name).rows(rows) for name in names)
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    summed = sum(table.numbers(name)[rows] for name in check.parts)
    is_fault = whole.is_apart_from(total)
    _count(tally, ~np.isclose(summed, table.numbers(check.total)[rows], rtol=1e-12), is_fault)
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        cells = " + ".join(table.text(name)[row] for name in check.parts)
        yield _finding(
            "parts",
            Severity.FAULT,
            row=table.row_numbers[row],
            column=check.total,
            printed=table.text(check.total)[row],
            allowed=_span(whole, place),
            message=f"{cells} do not add up to {table.text(check.total)[row]}",
        )


def _utilisation(
    tables: Tables, table: Table, check: UtilisationCheck, tally: Tally
) -> Iterator[Finding]:
    """Rate times cost is no more than the CPUs that are there."""
    cpus = _looked_up(tables, table, check.cpu_count)
    scale = _cpu_scale(table, check.rate, check.cost)
    rows = _rows_with(table.numbers(check.rate), table.numbers(check.cost), cpus)
    rate, cost = (intervals_of(table, name).rows(rows) for name in (check.rate, check.cost))
    busy = (rate * cost).scaled(scale)
    is_fault = busy.low > cpus[rows] * (1 + 1e-9)
    _count(tally, busy.high > cpus[rows], is_fault)
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        yield _finding(
            "utilisation",
            Severity.FAULT,
            row=table.row_numbers[row],
            column=check.cost,
            printed=f"{table.text(check.rate)[row]} x {table.text(check.cost)[row]}",
            allowed=f"at most {cpus[row]:g} CPUs",
            message=f"{_span(busy, place)} CPUs would be busy, where {cpus[row]:g} are installed",
        )


def _littles_law(_: Tables, table: Table, check: LittleCheck, tally: Tally) -> Iterator[Finding]:
    """Rate times time is no more than the connections."""
    names = (check.rate, check.time, check.connection_count)
    rows = _rows_with(*(table.numbers(name) for name in names))
    rate, time = (intervals_of(table, name).rows(rows) for name in names[:2])
    seconds = _factor(table, check.time, _SECONDS)
    waiting = (rate * time).scaled(seconds)
    most = table.numbers(check.connection_count)[rows]
    is_fault = waiting.low > most * (1 + 1e-9)
    _count(tally, waiting.high > most, is_fault)
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        yield _finding(
            "littles_law",
            Severity.FAULT,
            row=table.row_numbers[row],
            column=check.time,
            printed=f"{table.text(check.rate)[row]} x {table.text(check.time)[row]}",
            allowed=f"at most {most[place]:g} connections",
            message=(
                f"{_span(waiting, place)} transactions would be under way, "
                f"where {most[place]:g} connections have one each"
            ),
        )


def _change(tables: Tables, table: Table, check: ChangeCheck, tally: Tally) -> Iterator[Finding]:
    """A printed percentage lies in the interval that the printed figures allow."""
    figures = tables[check.figures]
    printed = intervals_of(table, check.change)
    keys_of_figures = _keys(figures, (*check.keys, check.compared))
    places = {key: row for row, key in enumerate(keys_of_figures)}
    matched = None if check.matches is None else _texts_looked_up(tables, table, check.matches)
    for row, cells in enumerate(table.rows()):
        if any(cells[name] != value for name, value in check.where.items()):
            continue
        if check.matches and matched and cells[check.matches.column] != matched[row]:
            continue
        keys = tuple(cells[name] for name in check.keys)
        pair = [places.get((*keys, side)) for side in (check.before, check.after)]
        if None in pair:
            continue
        column = cells[check.quantity]
        compared = intervals_of(figures, column)
        before, after = (compared.rows(np.array([place])) for place in pair)
        allowed = after.change_from(before)
        if not np.isfinite(allowed.low[0]):
            continue
        one = printed.rows(np.array([row]))
        is_fault = bool(one.is_apart_from(allowed)[0])
        first, second = (figures.text(column)[place] for place in pair if place is not None)
        exact = 100 * (float(second) / float(first) - 1)
        tally.checked += 1
        tally.explained += not is_fault and not one.low[0] <= exact <= one.high[0]
        if is_fault:
            yield _finding(
                "change",
                Severity.FAULT,
                row=table.row_numbers[row],
                column=check.change,
                printed=f"{cells[check.change]} %",
                allowed=f"{_span(allowed, 0)} %",
                message=f"{column} from {first} to {second} is {exact:+.1f} %",
            )


def _ceiling(_: Tables, table: Table, check: CeilingCheck, tally: Tally) -> Iterator[Finding]:
    """A payload rate is no more than its line carries, with the leanest headers of TCP."""
    names = (check.rate, check.line_rate, check.mtu)
    rows = _rows_with(*(table.numbers(name) for name in names))
    rates = intervals_of(table, check.rate).rows(rows).scaled(_bits_per_s(table, check.rate))
    line_factor = _bits_per_s(table, check.line_rate)
    ceilings = np.array(
        [
            line_ceiling(line * line_factor, int(mtu), tcp_stack(timestamps=False)).payload_rate_bps
            for line, mtu in zip(
                table.numbers(check.line_rate)[rows], table.numbers(check.mtu)[rows], strict=True
            )
        ]
    )
    is_fault = rates.low > ceilings * (1 + 1e-9)
    _count(tally, rates.high > ceilings, is_fault)
    for place in np.flatnonzero(is_fault):
        row = rows[place]
        yield _finding(
            "ceiling",
            Severity.FAULT,
            row=table.row_numbers[row],
            column=check.rate,
            printed=table.text(check.rate)[row],
            allowed=f"at most {ceilings[place] / _bits_per_s(table, check.rate):.6g}",
            message="is more than the line carries of TCP at this MTU",
        )


def _unit(_: Tables, table: Table, check: UnitCheck, tally: Tally) -> Iterator[Finding]:
    """Which reading of an ambiguous unit brings the rates that met a limit to the line."""
    plateaus = _plateaus(table, check)
    if not plateaus:
        return
    shares = {
        reading: [_share(*plateau, reading) for plateau in plateaus]
        for reading in product(_BYTES_OF_MB, (True, False), (0, 1))
    }
    tally.checked += len(shares)
    fitting = [
        reading
        for reading, found in shares.items()
        if all(low <= _FULL_LINE[1] and high >= _FULL_LINE[0] for low, high in found)
    ]
    plain = ("MB", True, 0)
    beyond = [reading for reading, found in shares.items() if any(low > 1 for low, _ in found)]
    yield _finding(
        "unit",
        Severity.NOTE,
        column=check.rate,
        printed=table.column(check.rate).unit or "",
        allowed=" or ".join(map(_reading_text, fitting)) or "no reading",
        message=(
            f"of {len(shares)} readings only {' or '.join(map(_reading_text, fitting))} brings the "
            f"flat rates of all {len(plateaus)} groups to the line; {len(beyond)} put one above "
            f"it, and {_reading_text(plain)} would fill {_gap_text(shares[plain])}"
        )
        if fitting
        else "no reading of the unit brings the plateaus to the line",
    )


def _identifier(_: Tables, table: Table, check: IdentifierCheck, tally: Tally) -> Iterator[Finding]:
    """Each row has a name of its own, and those of a group one pattern."""
    cells = table.text(check.column)
    seen: dict[str, int] = {}
    tally.checked += sum(map(bool, cells))
    for row, cell in enumerate(cells):
        if cell and cell in seen:
            first = table.row_numbers[seen[cell]]
            yield _finding(
                "identifier",
                Severity.FAULT,
                row=table.row_numbers[row],
                column=check.column,
                printed=cell,
                allowed="a name of its own",
                message=f"{cell} names row {first} already",
            )
        seen.setdefault(cell, row)
    for group in _groups(table, check.group).values():
        patterns = Counter(_pattern(cells[row]) for row in group if cells[row])
        if not patterns or len(group) < _MANY:
            continue
        usual, often = patterns.most_common(1)[0]
        if often <= len(group) / 2:
            continue
        for row in group:
            if cells[row] and _pattern(cells[row]) != usual:
                yield _finding(
                    "identifier",
                    Severity.NOTE,
                    row=table.row_numbers[row],
                    column=check.column,
                    printed=cells[row],
                    allowed=f"{usual}, a for letters and 9 for digits",
                    message=f"{cells[row]} is not written as the others are",
                )


def _quantised(_: Tables, table: Table, check: QuantisedCheck, tally: Tally) -> Iterator[Finding]:
    """Costs that, times their rate, are whole per cents of a CPU throughout."""
    per_cent = 100 * _cpu_scale(table, check.rate, check.cost)
    rates, costs = table.numbers(check.rate), table.numbers(check.cost)
    widths = per_cent * rates * table.half_widths(check.cost)
    for keys, group in _groups(table, check.group).items():
        rows = np.array([row for row in group if not np.isnan(rates[row] * costs[row])], dtype=int)
        if rows.size < _MANY:
            continue
        tally.checked += 1
        busy = per_cent * rates[rows] * costs[rows]
        is_whole = np.abs(busy - np.round(busy)) <= widths[rows] * (1 + 1e-9)
        chance = float(np.prod(np.minimum(1, 2 * widths[rows])))
        if is_whole.all() and chance < _CHANCE:
            yield _finding(
                "quantised",
                Severity.NOTE,
                column=check.cost,
                printed=", ".join(f"{value:.2f}" for value in busy[:4]) + " % ...",
                allowed="figures that are not all whole",
                message=(
                    f"{_group_text(check.group, keys)}: times its rate it is a whole per cent of "
                    f"a CPU in all {rows.size} rows, by chance once in {1 / chance:.0e}: "
                    "it is no finer than that"
                ),
            )


_CHECKS: Mapping[str, Callable[[Tables, Table, Any, Tally], Iterator[Finding]]] = {
    "parts": _parts,
    "utilisation": _utilisation,
    "littles_law": _littles_law,
    "change": _change,
    "ceiling": _ceiling,
    "unit": _unit,
    "identifier": _identifier,
    "quantised": _quantised,
}


def _span(intervals: Intervals, place: int | np.intp) -> str:
    return f"{intervals.low[place]:.4g} to {intervals.high[place]:.4g}"


def _group_text(names: Sequence[str], keys: Sequence[str]) -> str:
    return ", ".join(f"{name} {key}" for name, key in zip(names, keys, strict=True))


def _keys(table: Table, columns: Sequence[str]) -> list[tuple[str, ...]]:
    return list(zip(*(table.text(name) for name in columns), strict=True))


def _groups(table: Table, columns: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Rows by the cells of some columns."""
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, cells in enumerate(table.rows()):
        groups[tuple(cells[name] for name in columns)].append(row)
    return dict(groups)


def _texts_looked_up(tables: Tables, table: Table, lookup: Lookup) -> list[str]:
    """The cell of another file that belongs to each row."""
    other = tables[lookup.file]
    cells = dict(zip(other.text(lookup.key), other.text(lookup.column), strict=True))
    return [cells.get(key, "") for key in table.text(lookup.key)]


def _looked_up(tables: Tables, table: Table, where: Lookup | str) -> npt.NDArray[np.float64]:
    if isinstance(where, str):
        return table.numbers(where)
    texts = _texts_looked_up(tables, table, where)
    return np.array([float(text) if text else np.nan for text in texts])


def _factor(table: Table, column: str, known: Mapping[str, float]) -> float:
    unit = table.column(column).unit or "none"
    if unit not in known:
        raise DomainError(f"{table.name}, {column}: unit {unit} is not one of {', '.join(known)}")
    return known[unit]


def _bits_per_s(table: Table, column: str) -> float:
    return _factor(table, column, _BITS_PER_S)


def _cpu_scale(table: Table, rate: str, cost: str) -> float:
    """What makes a rate times a cost a number of CPUs."""
    time, _, amount = (table.column(cost).unit or "").partition("/")
    moved, _, per = (table.column(rate).unit or "").partition("/")
    moved = "transaction" if moved == "1" else moved
    same = amount == moved or {amount, moved} <= _AMOUNTS.keys()
    if time not in _SECONDS or per != "s" or not same:
        raise DomainError(
            f"{table.name}: {rate} [{table.column(rate).unit}] times {cost} "
            f"[{table.column(cost).unit}] is no number of CPUs"
        )
    return _SECONDS[time] * _AMOUNTS.get(moved, 1) / _AMOUNTS.get(amount, 1)


def _pattern(text: str) -> str:
    return re.sub(r"[0-9]", "9", re.sub(r"[^\W\d_]", "a", text))


_Plateau: TypeAlias = tuple[float, float, float, int]


def _plateaus(table: Table, check: UnitCheck) -> list[_Plateau]:
    """Lowest and highest rate, line and MTU of groups whose largest rates are all but equal."""
    rates = intervals_of(table, check.rate)
    numbers = table.numbers(check.rate)
    lines = table.numbers(check.line_rate) * _bits_per_s(table, check.line_rate)
    mtus = table.numbers(check.mtu)
    found = []
    for group in _groups(table, check.group).values():
        rows = np.array([row for row in group if not np.isnan(numbers[row])], dtype=int)
        top = rows[np.argsort(numbers[rows])[::-1]][: max(2, rows.size // 2)]
        if top.size < 2 or np.ptp(numbers[top]) > _FLAT_RATIO * numbers[top].max():
            continue
        low, high = float(rates.low[top].max()), float(rates.high[top].max())
        found.append((low, high, float(lines[top[0]]), int(mtus[top[0]])))
    return found


def _share(
    low: float, high: float, line_rate_bps: float, mtu_bytes: int, reading: tuple[str, bool, int]
) -> tuple[float, float]:
    """Share of the line that a plateau has in one reading of its unit."""
    unit, timestamps, vlan_tags = reading
    stack = tcp_stack(timestamps=timestamps, vlan_tags=vlan_tags)
    ceiling_bps = line_ceiling(line_rate_bps, mtu_bytes, stack).payload_rate_bps
    bits = 8 * _BYTES_OF_MB[unit]
    return low * bits / ceiling_bps, high * bits / ceiling_bps


def _reading_text(reading: tuple[str, bool, int]) -> str:
    unit, timestamps, vlan_tags = reading
    return (
        f"MB of {_BYTES_OF_MB[unit]} byte {'with' if timestamps else 'without'} TCP timestamps"
        + (f" and {vlan_tags} VLAN tag" if vlan_tags else "")
    )


def _gap_text(shares: Sequence[tuple[float, float]]) -> str:
    lows, highs = zip(*shares, strict=True)
    return f"{min(lows):.3f} to {max(highs):.3f}"
