"""Printed changes against the figures that they compare, and against each other."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from netmodel.judging._audit_findings import ChangeCoverage, Finding, Severity, Suspect
from netmodel.judging._audit_tables import (
    Source,
    Tally,
    cells_of,
    intervals_of,
    keys,
    other_table,
    span,
    texts_looked_up,
)
from netmodel.judging._ratios import Ratios, Related
from netmodel.records import Table
from netmodel.records._datasets import ChangeCheck, ChangesAgreeCheck, Check
from netmodel.units._prefixes import WHOLE_PERCENT

_SHOWN_DIGITS = 2
"""Decimals of an allowed change: one more than changes are printed with."""


def change_findings(
    source: Source, table: Table, check: ChangeCheck, tally: Tally
) -> Iterator[Finding]:
    """Law: a printed percentage follows from the printed figures within rounding."""
    figures = other_table(source.tables, check.figures)
    places = keys(figures, (*check.keys, check.compared))
    changes, printed = table.text(check.change), intervals_of(table, check.change)
    quantities, cells = table.text(check.quantity), cells_of(table, check.keys)
    for row in _chosen_rows(source, table, check):
        pair = [places.get((*cells[row], side)) for side in (check.before, check.after)]
        if not changes[row] or pair[0] is None or pair[1] is None:
            continue
        column = quantities[row]
        before, after = (intervals_of(figures, column).rows(np.array([place])) for place in pair)
        allowed = after.change_from(before)
        if np.isnan(allowed.low[0]):
            continue
        change = printed.rows(np.array([row]))
        is_fault = change.is_apart_from(allowed)
        first, second = (figures.text(column)[place] for place in (pair[0], pair[1]))
        exact = 100 * (float(second) / float(first) - 1) if float(first) else math.nan
        tally.count(np.array([not change.low[0] <= exact <= change.high[0]]), is_fault)
        tally.with_figures.setdefault((table.name, check.change), {})[row] = not is_fault[0]
        if is_fault[0]:
            yield source.finding(
                table,
                row,
                check.change,
                kind="change",
                severity=Severity.FAULT,
                printed=f"{changes[row]} %",
                allowed=f"{span(allowed, 0)} %",
                message=f"{source.heading(column)} from {first} to {second} is "
                + ("an increase from almost 0" if math.isnan(exact) else f"{exact:+.1f} %"),
            )


def _chosen_rows(source: Source, table: Table, check: ChangeCheck) -> Iterator[int]:
    """Rows selected by `where`, with the cell of the file that `matches` names."""
    wanted = {name: table.text(name) for name in check.where}
    cells = [""] * table.row_count
    expected = cells
    if check.matches is not None:
        cells = list(table.text(check.matches.column))
        expected = texts_looked_up(source.tables, table, check.matches)
    for row in range(table.row_count):
        is_wanted = all(wanted[name][row] == value for name, value in check.where.items())
        if is_wanted and cells[row] == expected[row]:
            yield row


def changes_agree_findings(
    source: Source, table: Table, check: ChangesAgreeCheck, tally: Tally
) -> Iterator[Finding]:
    """Law: changes that lead from one figure to another multiply to one factor on every way."""
    rows = dict(_related(source, table, check))
    ratios = Ratios(tuple(rows))
    # a change that others bound on both sides closes a cycle
    linked = []
    for each in rows:
        allowed = ratios.allowed(each.quantity, each.baseline, without=(each,))
        if allowed.low and allowed.high < math.inf:
            linked.append(each)
    name = (table.name, check.change)
    tally.with_changes.setdefault(name, set()).update(rows[each] for each in linked)
    tally.checked += ratios.cycle_count
    tally.explained += sum(1 for _ in Ratios(_exact(rows)).contradictions())
    for group in ratios.contradictions():
        tally.explained -= 1
        suspects = tuple(_suspects(source, table, check, group, rows, tally))
        # of several in doubt the last: tables print what they add to their own figures below them
        open_places = [place for place, each in enumerate(suspects) if not each.is_confirmed]
        shown = open_places[-1] if open_places else len(suspects) - 1
        yield source.finding(
            table,
            rows[group[shown]],
            check.change,
            kind="changes_agree",
            severity=Severity.FAULT,
            printed=suspects[shown].printed,
            allowed=suspects[shown].allowed,
            message=f"one of {len(suspects)} changes between the same figures must be wrong",
            suspects=suspects,
        )


def _related(
    source: Source, table: Table, check: ChangesAgreeCheck
) -> Iterator[tuple[Related, int]]:
    """Each printed change as a ratio of two figures, and its row."""
    printed = intervals_of(table, check.change)
    case_of_row = list(
        zip(
            *(
                table.text(key)
                if isinstance(key, str)
                else texts_looked_up(source.tables, table, key)
                for key in check.keys
            ),
            strict=True,
        )
    )
    columns = {column.name for column in table.columns}
    compared = {
        each.compared: table.text(each.compared)
        if each.compared in columns
        else ("",) * table.row_count
        for each in check.comparisons
    }
    for comparison in check.comparisons:
        wanted = [(table.text(name), cell) for name, cell in comparison.where.items()]
        for row in range(table.row_count):
            low, high = (1 + end[row] / WHOLE_PERCENT for end in (printed.low, printed.high))
            if math.isnan(low) or any(cells[row] != cell for cells, cell in wanted):
                continue
            own = {name: cells[row] for name, cells in compared.items()}
            before, after = (
                (case_of_row[row], *(own | {comparison.compared: side}).items())
                for side in (comparison.before, comparison.after)
            )
            yield Related(after, max(0.0, low), high, str(row), before), row


def _exact(related: Iterable[Related]) -> tuple[Related, ...]:
    """The same ratios without rounding."""
    middles = ((each, (each.low + each.high) / 2) for each in related)
    return tuple(replace(each, low=middle, high=middle) for each, middle in middles)


def _suspects(
    source: Source,
    table: Table,
    check: ChangesAgreeCheck,
    group: tuple[Related, ...],
    rows: Mapping[Related, int],
    tally: Tally,
) -> Iterator[Suspect]:
    """Each change of a contradiction, and what it would be if the others are right."""
    ratios = Ratios(group)
    confirmed = tally.with_figures.get((table.name, check.change), {})
    for each in group:
        row = rows[each]
        allowed = ratios.allowed(each.quantity, each.baseline, without=(each,))
        ends = (WHOLE_PERCENT * (end - 1) for end in (allowed.low, allowed.high))
        yield Suspect(
            place=source.place(table, row, check.change),
            file=f"{table.name}.csv",
            row=table.row_numbers[row],
            column=check.change,
            printed=f"{table.text(check.change)[row]} %",
            allowed=" to ".join(f"{end:.{_SHOWN_DIGITS}f}" for end in ends) + " %",
            is_confirmed=confirmed.get(row, False),
        )


def change_coverage(
    source: Source, checks: Sequence[Check], tally: Tally
) -> Iterator[ChangeCoverage]:
    """How many changes of each table with such checks were compared, and with what."""
    columns = dict.fromkeys(
        (each.file, each.change)
        for each in checks
        if isinstance(each, ChangeCheck | ChangesAgreeCheck)
    )
    for file, change in columns:
        printed = sum(1 for cell in source.tables[file].text(change) if cell)
        with_figures = tally.with_figures.get((file, change), {}).keys()
        with_changes = tally.with_changes.get((file, change), set()) - with_figures
        yield ChangeCoverage(f"{file}.csv", printed, len(with_figures), len(with_changes))
