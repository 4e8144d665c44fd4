"""Patterns in tables of measurements that tell how the figures came about."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from netmodel.ceilings import line_ceiling
from netmodel.framing import tcp_stack
from netmodel.judging._columns import (
    Floats,
    Tables,
    Tally,
    bits_per_s,
    cpu_scale,
    groups,
    looked_up,
    rows_with,
)
from netmodel.judging._findings import Finding, Severity, finding
from netmodel.judging._intervals import intervals_of
from netmodel.records import Table
from netmodel.records._datasets import IdentifierCheck, QuantisedCheck, UnitCheck

__all__ = ["identifier", "quantised", "unit"]

_BYTES_OF_MB = {"MB": 10**6, "MiB": 2**20}
_FULL_LINE = (0.995, 1.0)
"""Shares of a line that count as filling it."""
_FLAT_RATIO = 0.002
"""Rates that differ by no more than this have met the same limit."""
_LLC_SNAP_BYTES = 8
"""1492 and 8992 are 1500 and 9000 less LLC and SNAP, whether or not frames have them."""
_LOG_OF_CHANCE = math.log(1e-6)
"""A pattern that chance makes less often than this is no chance."""
_MANY = 3


class _Reading(NamedTuple):
    """What an ambiguous MB and the headers of a frame may be."""

    unit: str
    timestamps: bool
    vlan_tags: int

    def __str__(self) -> str:
        tags = f" and {self.vlan_tags} VLAN tag" if self.vlan_tags else ""
        with_or_without = "with" if self.timestamps else "without"
        size = _BYTES_OF_MB[self.unit]
        return f"MB of {size} byte {with_or_without} TCP timestamps{tags}"


_READINGS = tuple(_Reading(*choices) for choices in product(_BYTES_OF_MB, (True, False), (0, 1)))
_PLAIN_READING = _READINGS[0]


class _Plateau(NamedTuple):
    """Rates that do not grow any more, as printed, and the line that they may have met."""

    low: float
    high: float
    line_rate_bps: float
    mtu_bytes: int

    def share(self, reading: _Reading, more_mtu_bytes: int = 0) -> tuple[float, float]:
        """Share of the line's payload ceiling in one reading."""
        stack = tcp_stack(timestamps=reading.timestamps, vlan_tags=reading.vlan_tags)
        ceiling = line_ceiling(self.line_rate_bps, self.mtu_bytes + more_mtu_bytes, stack)
        bits_per_printed = 8 * _BYTES_OF_MB[reading.unit] / ceiling.payload_rate_bps
        return self.low * bits_per_printed, self.high * bits_per_printed

    def fills(self, reading: _Reading, more_mtu_bytes: int = 0) -> bool:
        """Whether the line is full in one reading, and not more than full."""
        low, high = self.share(reading, more_mtu_bytes)
        return low <= _FULL_LINE[1] and high >= _FULL_LINE[0]


def unit(_: Tables, table: Table, check: UnitCheck, tally: Tally) -> Iterator[Finding]:
    """Which reading of an ambiguous unit brings the rates that met a limit to the line."""
    plateaus = list(_plateaus(table, check))
    if not plateaus:
        return
    tally.checked += len(_READINGS)
    fitting = [one for one in _READINGS if all(plateau.fills(one) for plateau in plateaus)]
    yield finding(
        "unit",
        Severity.NOTE,
        column=check.rate,
        printed=table.column(check.rate).unit or "",
        allowed=" or ".join(map(str, fitting)) or "no reading",
        message=_unit_text(plateaus, fitting),
    )


def _unit_text(plateaus: Sequence[_Plateau], fitting: Sequence[_Reading]) -> str:
    if not fitting:
        return f"no reading of the unit brings all {len(plateaus)} plateaus to the line"
    shares = [share for plateau in plateaus for share in plateau.share(_PLAIN_READING)]
    beyond = [one for one in _READINGS if any(plateau.share(one)[0] > 1 for plateau in plateaus)]
    wider = all(plateau.fills(fitting[0], _LLC_SNAP_BYTES) for plateau in plateaus)
    more = f"; an MTU {_LLC_SNAP_BYTES} byte larger would do as well" if wider else ""
    return (
        f"of {len(_READINGS)} readings only {' or '.join(map(str, fitting))} brings all "
        f"{len(plateaus)} plateaus to the line; {len(beyond)} put one above it, and "
        f"{_PLAIN_READING} would fill {min(shares):.3f} to {max(shares):.3f}{more}"
    )


def _plateaus(table: Table, check: UnitCheck) -> Iterator[_Plateau]:
    """Groups whose largest rates are all but equal, at least two of them."""
    rates, numbers = intervals_of(table, check.rate), table.numbers(check.rate)
    lines = table.numbers(check.line_rate) * bits_per_s(table, check.line_rate)
    mtus = table.numbers(check.mtu)
    printed = set(rows_with(numbers, lines, mtus).tolist())
    for group in groups(table, check.group).values():
        rows = np.array(sorted(printed.intersection(group)), dtype=int)
        top = rows[np.argsort(numbers[rows])[::-1]][: max(2, rows.size // 2)]
        if top.size < 2 or np.ptp(numbers[top]) > _FLAT_RATIO * numbers[top].max():
            continue
        yield _Plateau(
            float(rates.low[top].max()),
            float(rates.high[top].max()),
            float(lines[top[0]]),
            int(mtus[top[0]]),
        )


def identifier(_: Tables, table: Table, check: IdentifierCheck, tally: Tally) -> Iterator[Finding]:
    """Each row has a name of its own, and those of a group one pattern."""
    cells = table.text(check.column)
    tally.checked += sum(map(bool, cells))
    yield from _repeated(table, check.column, cells)
    for group in groups(table, check.group).values():
        named = [row for row in group if cells[row]]
        patterns = Counter(_pattern(cells[row]) for row in named)
        if len(named) < _MANY:
            continue
        usual, often = patterns.most_common(1)[0]
        for row in named:
            if 2 * often > len(named) and _pattern(cells[row]) != usual:
                yield finding(
                    "identifier",
                    Severity.NOTE,
                    row=table.row_numbers[row],
                    column=check.column,
                    printed=cells[row],
                    allowed=f"{usual}, a for letters and 9 for digits",
                    message=f"{cells[row]} is not written as the others are",
                )


def _repeated(table: Table, column: str, cells: Sequence[str]) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for row, cell in enumerate(cells):
        if cell and first.setdefault(cell, row) != row:
            yield finding(
                "identifier",
                Severity.FAULT,
                row=table.row_numbers[row],
                column=column,
                printed=cell,
                allowed="a name of its own",
                message=f"{cell} names row {table.row_numbers[first[cell]]} already",
            )


def _pattern(text: str) -> str:
    return re.sub(r"[0-9]", "9", re.sub(r"[^\W\d_]", "a", text))


def quantised(
    tables: Tables, table: Table, check: QuantisedCheck, tally: Tally
) -> Iterator[Finding]:
    """Costs that, times their rate, are whole per cents of a CPU, or of all CPUs, throughout."""
    per_cent = 100 * cpu_scale(table, check.rate, check.cost)
    rates, costs = table.numbers(check.rate), table.numbers(check.cost)
    cpus = np.ones(table.row_count)
    if check.cpu_count is not None:
        cpus = looked_up(tables, table, check.cpu_count)
    telling = set(rows_with(np.where(rates > 0, rates, np.nan), costs, cpus).tolist())
    for names, group in groups(table, check.group).items():
        rows = np.array(sorted(telling.intersection(group)), dtype=int)
        if rows.size < _MANY:
            continue
        tally.checked += 1
        busy = per_cent * rates[rows] * costs[rows]
        widths = per_cent * rates[rows] * table.half_widths(check.cost)[rows]
        steps = {"all CPUs": cpus[rows], "a CPU": np.ones(rows.size)}
        step = next(
            (name for name, one in steps.items() if _are_whole(busy / one, widths / one)), ""
        )
        if step:
            shown = busy / steps[step]
            group_text = ", ".join(map(" ".join, zip(check.group, names, strict=True)))
            yield finding(
                "quantised",
                Severity.NOTE,
                column=check.cost,
                printed=", ".join(f"{value:.2f}" for value in shown[:4]) + " % ...",
                allowed="figures that are not all whole",
                message=(
                    f"{group_text}: times its rate it is a whole per cent of {step} in all "
                    f"{rows.size} rows: it is no finer than that"
                ),
            )


def _are_whole(values: Floats, half_widths: Floats) -> bool:
    """Whether all values are whole within their rounding, and chance would not make them so."""
    log_chance = np.log(np.minimum(1, 2 * half_widths)).sum()
    is_whole = np.abs(values - np.round(values)) <= half_widths * (1 + 1e-9)
    return bool(is_whole.all() and log_chance < _LOG_OF_CHANCE)
