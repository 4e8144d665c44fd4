"""
How many plausible faults in the measured tables the audit flags.

    python tests/planted_faults.py docs/reference/planted-faults.csv

plants one fault at a time: what a hand that copies a table gets wrong. It does so in the bundled
tables and in made-up ones, of the same shape and digits but without a fault of their own. A fault
is flagged where the audit has a finding in a place in which it has none without the fault. Cells of
the bundled tables that the audit names as they are printed are left alone, and so is a fault that
changes no number. Any finding in a made-up table as it is would be a false alarm.
"""

import argparse
import csv
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple, TypeAlias

from netmodel.judging import audit_dataset
from netmodel.judging._audit_findings import Audit
from netmodel.records import Dataset, Table, dataset

__all__ = ["KINDS", "SAMPLED", "Fault", "Outcome", "made_up", "of_bundled", "of_made_up"]

DATASET = "zvm-layer2-layer3"
FIGURES, DIFFERENCES = "measurements", "differences"
MEASURED = (
    *("transaction_rate_tps", "data_rate_mb_per_s"),
    *(
        f"{part}_cpu_ms_per_{amount}"
        for amount in ("transaction", "mb")
        for part in ("total", "emulation", "cp")
    ),
)
PRINTED = ("difference_percent",)
SAMPLED = {FIGURES: 160, DIFFERENCES: 60}
"""Faults of each kind of figure, the same numbers as in the first count of this kind."""
SEED = 20261123
MADE_UP_COUNT = 200
"""Made-up datasets: a false alarm in 1.5 % of them would show with 95 % probability."""

Place: TypeAlias = tuple[str, int | None, str]
"""File, row and column of a cell."""
Cell: TypeAlias = tuple[int, str]
"""Position of a row, and its column."""


class Fault(NamedTuple):
    """Cells of a table with what they hold by mistake."""

    kind: str
    table: str
    cells: Mapping[Cell, str]


class Outcome(NamedTuple):
    """A planted fault, and the laws that flag it."""

    fault: Fault
    laws: tuple[str, ...]


# --- kinds of faults ------------------------------------------------------------------------------


def _digit(table: Table, cell: Cell, draw: random.Random) -> dict[Cell, str]:
    """Another digit in the place of one."""
    text = _text(table, cell)
    place = draw.choice([place for place, each in enumerate(text) if each.isdigit()])
    other = draw.choice("0123456789".replace(text[place], ""))
    return {cell: text[:place] + other + text[place + 1 :]}


def _swap(table: Table, cell: Cell, draw: random.Random) -> dict[Cell, str]:
    """Two digits next to each other in the wrong order."""
    text = _text(table, cell)
    places = [place for place, each in enumerate(text) if each.isdigit()]
    pairs = [pair for pair in pairwise(places) if pair[0] + 2 >= pair[1]]
    if not pairs:
        return {}
    first, second = draw.choice(pairs)
    letters = list(text)
    letters[first], letters[second] = letters[second], letters[first]
    return {cell: "".join(letters)}


def _shift(table: Table, cell: Cell, draw: random.Random) -> dict[Cell, str]:
    """The figure of the row above or below."""
    row, column = cell
    others = [other for other in (row - 1, row + 1) if 0 <= other < table.row_count]
    return {cell: table.text(column)[draw.choice(others)]}


def _point(table: Table, cell: Cell, draw: random.Random) -> dict[Cell, str]:
    """The decimal point one place to the left or to the right."""
    return {cell: format(Decimal(_text(table, cell)).scaleb(draw.choice((-1, 1))), "f")}


def _sign(table: Table, cell: Cell, draw: random.Random) -> dict[Cell, str]:
    """A minus sign too many or too few."""
    text = _text(table, cell)
    return {cell: text[1:] if text.startswith("-") else f"-{text}"}


def _unit(table: Table, cell: Cell, draw: random.Random) -> dict[Cell, str]:
    """The column in a unit a thousand times as large or as small, all through a printed table."""
    power = draw.choice((-3, 3))
    return {
        (row, cell[1]): format(Decimal(text).scaleb(power), "f")
        for row, text in _column_of_table(table, cell)
    }


def _fraction(table: Table, cell: Cell, draw: random.Random) -> dict[Cell, str]:
    """A ratio in place of percent."""
    return {cell: format(Decimal(_text(table, cell)).scaleb(-2), "f")}


def _column(table: Table, cell: Cell, draw: random.Random) -> dict[Cell, str]:
    """A column twice: all through a printed table the figures of the column beside it."""
    columns = [name for name in MEASURED if table.text(name)[cell[0]]]
    at = columns.index(cell[1])
    other = draw.choice([columns[each] for each in (at - 1, at + 1) if 0 <= each < len(columns)])
    return {(row, cell[1]): table.text(other)[row] for row, _ in _column_of_table(table, cell)}


def _quantity(table: Table, cell: Cell, draw: random.Random) -> dict[Cell, str]:
    """A column twice: the differences of one quantity are those of another."""
    keys = ("table", "comparison", "layer", "hypervisor_level", "connection_count")
    columns = [table.text(key) for key in keys]
    quantities = table.text("quantity")
    of_case = {
        (tuple(column[row] for column in columns), quantities[row]): row
        for row in range(table.row_count)
    }
    case = tuple(column[cell[0]] for column in columns)
    own = quantities[cell[0]]
    other = draw.choice([name for found, name in of_case if found == case and name != own])
    return {
        (row, cell[1]): table.text(cell[1])[of_case[found, other]]
        for (found, name), row in of_case.items()
        if name == own and found[:-1] == case[:-1]
    }


Kind: TypeAlias = Callable[[Table, Cell, random.Random], dict[Cell, str]]
KINDS: Mapping[str, Mapping[str, Kind]] = {
    FIGURES: {
        "wrong digit": _digit,
        "swapped digits": _swap,
        "shifted cell": _shift,
        "shifted point": _point,
        "unit of a column": _unit,
        "column twice": _column,
    },
    DIFFERENCES: {
        "wrong digit": _digit,
        "swapped digits": _swap,
        "shifted cell": _shift,
        "shifted point": _point,
        "sign": _sign,
        "ratio for percent": _fraction,
        "column twice": _quantity,
    },
}
COLUMNS = {FIGURES: MEASURED, DIFFERENCES: PRINTED}


def _text(table: Table, cell: Cell) -> str:
    return table.text(cell[1])[cell[0]]


def _column_of_table(table: Table, cell: Cell) -> Iterator[tuple[int, str]]:
    """Rows and cells of a column in the printed table of a cell."""
    numbers, texts = table.text("table"), table.text(cell[1])
    for row, text in enumerate(texts):
        if numbers[row] == numbers[cell[0]]:
            yield row, text


# --- tables without a fault -----------------------------------------------------------------------

SPREAD = 0.1
"""Made-up figures are the printed ones times factors that scatter by this: 10 %, as runs may."""
FULLEST_RATIO = 0.9
"""Made-up runs use this share of their line and of their CPUs at most: all laws hold clearly."""
LINE_MIB_PER_S = 112.0
"""What 1 Gbit/s carries at the smaller MTU; 10 Gbit/s and larger MTUs carry more."""
LEVELS = ("5.1.0", "5.2.0")
RATES = MEASURED[:2]
Case: TypeAlias = tuple[str, str, str, str]
"""Table, layer, level and number of connections of a run."""


def made_up(bundled: Dataset, draw: random.Random) -> Dataset:
    """
    Tables without a fault: true figures keep all laws, and are printed as those of a dataset.

    Changes are computed from printed figures in half of the tables, drawn at random, and from the
    true ones in the others, as in the document.
    """
    texts = {name: list(table.rows()) for name, table in bundled.tables.items()}
    level_of = {row["table"]: row["hypervisor_level"] for row in texts["tables"]}
    cpus_of = {row["table"]: int(row["cpu_count"]) for row in texts["footers"]}
    true: dict[Case, dict[str, float]] = {}
    shown: dict[Case, dict[str, str]] = {}
    for number, row in enumerate(texts[FIGURES]):
        both = level_of[row["table"]] in LEVELS[1:] and row["path"] == "zvm-vswitch"
        row["run_id"] = f"run{number:03}"
        for level in LEVELS if both else (level_of[row["table"]],):
            case = (row["table"], row["layer"], level, row["connection_count"])
            true[case] = _true_figures(row, cpus_of[row["table"]], draw)
            shown[case] = {
                name: _as_printed(value, row[name]) for name, value in true[case].items()
            }
        own = (row["table"], row["layer"], level_of[row["table"]], row["connection_count"])
        row.update(shown[own])
    from_printed = {table: draw.random() < 0.5 for table in level_of}
    for row in texts[DIFFERENCES]:
        before, after = _compared(row)
        name = row["quantity"]
        first, second = true[before][name], true[after][name]
        if from_printed[after[0]] and float(shown[before][name]):
            first, second = float(shown[before][name]), float(shown[after][name])
        row[PRINTED[0]] = _as_printed(100 * (second / first - 1), row[PRINTED[0]])
    tables = {
        name: replace(table, cells=tuple(tuple(row.values()) for row in texts[name]))
        for name, table in bundled.tables.items()
    }
    return bundled.model_copy(update={"tables": tables})


def _true_figures(row: Mapping[str, str], cpu_count: int, draw: random.Random) -> dict[str, float]:
    """Rate and costs of a run that keep all laws, near those of a row."""
    rate = next(name for name in RATES if row[name])
    total, *parts = (name for name in MEASURED[2:] if row[name])
    figures = {name: float(row[name]) * draw.lognormvariate(0, SPREAD) for name in (rate, *parts)}
    if rate == RATES[1]:
        figures[rate] = min(figures[rate], draw.uniform(0.5, FULLEST_RATIO) * LINE_MIB_PER_S)
    busy_cpus = sum(figures[name] for name in parts) * figures[rate] / 1000
    for name in parts:
        figures[name] *= min(1.0, FULLEST_RATIO * cpu_count / busy_cpus)
    return figures | {total: sum(figures[name] for name in parts)}


def _compared(row: Mapping[str, str]) -> tuple[Case, Case]:
    """The runs that a printed difference compares."""
    table, count = row["table"], row["connection_count"]
    if row["layer"]:  # tables 2 to 4 compare levels, for the loads of tables 5 to 7
        before, after = ((str(int(table) + 3), row["layer"], level, count) for level in LEVELS)
    else:
        before, after = ((table, layer, row["hypervisor_level"], count) for layer in "32")
    return before, after


def _as_printed(value: float, like: str) -> str:
    """A figure with as many decimals as another."""
    step = Decimal(1).scaleb(int(Decimal(like).as_tuple().exponent))
    return format(Decimal(value).quantize(step), "f")


# --- planting -------------------------------------------------------------------------------------


def places(audit: Audit) -> set[Place]:
    """Cells in which an audit has a finding; of several suspects each that nothing confirms."""
    found: set[Place] = set()
    for each in audit:
        found.add((each.file, each.row, each.column))
        found |= {
            (suspect.file, suspect.row, suspect.column)
            for suspect in each.suspects
            if not suspect.is_confirmed
        }
    return found


def planted(clean: Dataset, fault: Fault) -> Dataset:
    """A dataset with a fault."""
    table = clean.tables[fault.table]
    at = {column.name: place for place, column in enumerate(table.columns)}
    cells = [list(row) for row in table.cells]
    for (row, column), text in fault.cells.items():
        cells[row][at[column]] = text
    wrong = replace(table, cells=tuple(map(tuple, cells)))
    return clean.model_copy(update={"tables": {**clean.tables, fault.table: wrong}})


def outcome(clean: Dataset, fault: Fault, known: Audit) -> Outcome:
    """The laws that flag a fault: a finding where the audit of the clean tables has none."""
    before = places(known)
    columns = {(each.kind, each.column, each.allowed) for each in known if each.row is None}
    laws = (
        each.kind
        for each in audit_dataset(planted(clean, fault))
        if (each.file, each.row, each.column) not in before
        or (each.row is None and (each.kind, each.column, each.allowed) not in columns)
    )
    return Outcome(fault, tuple(dict.fromkeys(laws)))


def cells_to_plant_in(clean: Dataset, known: Audit, table: str) -> list[Cell]:
    """Cells with figures that nothing flags."""
    figures, flagged = clean.tables[table], places(known)
    return [
        (row, column)
        for column in COLUMNS[table]
        for row, text in enumerate(figures.text(column))
        if text and (f"{table}.csv", figures.row_numbers[row], column) not in flagged
    ]


def drawn_fault(figures: Table, kind: str, cells: Sequence[Cell], draw: random.Random) -> Fault:
    """A fault of a kind that changes a number."""
    while True:
        by_mistake = KINDS[figures.name][kind](figures, draw.choice(cells), draw)
        changed = {
            cell: text
            for cell, text in by_mistake.items()
            if text and Decimal(text) != Decimal(_text(figures, cell))
        }
        if changed:
            return Fault(kind, figures.name, changed)


def of_bundled(seed: int = SEED) -> list[Outcome]:
    """Faults of all kinds in turn in the bundled tables."""
    clean, draw = dataset(DATASET), random.Random(seed)
    known = audit_dataset(clean)
    outcomes = []
    for table, count in SAMPLED.items():
        cells, kinds = cells_to_plant_in(clean, known, table), list(KINDS[table])
        for number in range(count):
            kind = kinds[number % len(kinds)]
            fault = drawn_fault(clean.tables[table], kind, cells, draw)
            outcomes.append(outcome(clean, fault, known))
    return outcomes


def of_made_up(number: int) -> tuple[Audit, list[Outcome]]:
    """The audit of a made-up dataset, and one fault in each of its tables."""
    draw = random.Random(number)
    clean = made_up(dataset(DATASET), draw)
    known = audit_dataset(clean)
    outcomes = []
    for table, kinds in KINDS.items():
        cells = cells_to_plant_in(clean, known, table)
        kind = list(kinds)[number % len(kinds)]
        outcomes.append(outcome(clean, drawn_fault(clean.tables[table], kind, cells, draw), known))
    return known, outcomes


# --- counting -------------------------------------------------------------------------------------


def table_rows(tables: str, outcomes: Sequence[Outcome]) -> Iterator[dict[str, str | int]]:
    """For each kind of figure and of fault how many were planted and flagged, and by which laws."""
    for figures, kinds in KINDS.items():
        for kind in kinds:
            of_kind = [each for each in outcomes if each.fault[:2] == (kind, figures)]
            laws = sorted({law for each in of_kind for law in each.laws})
            yield {
                "tables": tables,
                "figures": figures,
                "fault": kind,
                "planted_count": len(of_kind),
                "flagged_count": sum(bool(each.laws) for each in of_kind),
                "laws": " ".join(laws),
            }


def main(arguments: Sequence[str]) -> None:
    """Plant, count, print and write."""
    parser = argparse.ArgumentParser(description="How many planted faults the audit flags.")
    parser.add_argument("file", type=Path, nargs="?", help="CSV file to write")
    parser.add_argument("--made-up", type=int, default=MADE_UP_COUNT, help="made-up datasets")
    parser.add_argument("--missed", action="store_true", help="print what nothing flags")
    chosen = parser.parse_args(arguments)
    bundled = of_bundled()
    with ProcessPoolExecutor() as workers:
        results = list(workers.map(of_made_up, range(chosen.made_up), chunksize=10))
    made = [each for _, outcomes in results for each in outcomes]
    alarms = [known for known, _ in results if list(known)]
    rows = [*table_rows("bundled", bundled), *table_rows("made up", made)]
    rows.append(
        dict.fromkeys(rows[0], "")
        | {
            "tables": "made up",
            "fault": "none",
            "planted_count": len(results),
            "flagged_count": len(alarms),
        }
    )
    for row in rows:
        print(*row.values(), sep="\t")
    for tables, figures in product(("bundled", "made up"), KINDS):
        of_both = [row for row in rows if (row["tables"], row["figures"]) == (tables, figures)]
        counts = (
            sum(int(row[key]) for row in of_both) for key in ("flagged_count", "planted_count")
        )
        print(f"{tables}, {figures}: {' of '.join(map(str, counts))} flagged")
    print(f"false alarms: {len(alarms)} in {len(results)} made-up datasets without a fault")
    if chosen.missed:
        for each in (*bundled, *made):
            if not each.laws:
                print(each.fault)
    if chosen.file is not None:
        with chosen.file.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
