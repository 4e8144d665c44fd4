"""How many faults of a copying hand the audit flags: a sample, and the table of all."""

import csv
from pathlib import Path

import pytest
from planted_faults import DATASET, KINDS, SAMPLED, Fault, of_bundled, of_made_up, outcome

from netmodel.judging import audit_dataset
from netmodel.records import dataset

pytestmark = pytest.mark.thorough

TABLE = Path(__file__).parents[2] / "docs/reference/planted-faults.csv"
TARGETS = {"measurements": 0.95, "differences": 0.80}
"""Least shares that the project sets itself."""
MADE_UP = {"measurements": 0.90, "differences": 0.80}
"""The same for made-up tables, which have fewer figures with many digits."""
FEW = 4
"""Made-up datasets in each run of the tests, a second: forty printed tables."""


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def counts(rows: list[dict[str, str]], tables: str, figures: str) -> tuple[int, int]:
    chosen = [row for row in rows if (row["tables"], row["figures"]) == (tables, figures)]
    flagged, planted = (
        sum(int(row[key]) for row in chosen) for key in ("flagged_count", "planted_count")
    )
    return flagged, planted


@pytest.mark.parametrize("figures", KINDS)
def test_the_table_meets_the_targets(rows: list[dict[str, str]], figures: str) -> None:
    flagged, planted = counts(rows, "bundled", figures)
    assert planted == SAMPLED[figures]
    assert flagged >= TARGETS[figures] * planted
    flagged, planted = counts(rows, "made up", figures)
    assert flagged >= MADE_UP[figures] * planted


def test_the_table_has_all_kinds_and_no_false_alarm(rows: list[dict[str, str]]) -> None:
    kinds = [(figures, kind) for figures, each in KINDS.items() for kind in each]
    *planted, none = rows
    assert [(row["figures"], row["fault"]) for row in planted] == 2 * kinds
    assert (none["fault"], none["flagged_count"]) == ("none", "0")
    assert int(none["planted_count"]) >= 100


@pytest.mark.parametrize("number", range(FEW))
def test_made_up_tables_without_a_fault_raise_no_alarm(number: int) -> None:
    known, _ = of_made_up(number)
    assert list(known) == []
    assert known.checked.total() > 300


@pytest.mark.parametrize(
    ("cell", "text", "law"),
    [
        ((0, "transaction_rate_tps"), "1224.07", "change"),  # 2124.07
        ((0, "total_cpu_ms_per_transaction"), "0.056", "parts"),  # 0.065 = 0.025 + 0.040
        ((9, "data_rate_mb_per_s"), "913", "ceiling"),  # 91.3 of 112 MB/s
    ],
)
def test_a_fault_is_flagged_by_its_law_and_only_because_of_it(
    cell: tuple[int, str], text: str, law: str
) -> None:
    clean, fault = dataset(DATASET), Fault("by hand", "measurements", {cell: text})
    assert law in outcome(clean, fault, audit_dataset(clean)).laws
    others = tuple(check for check in clean.checks if check.kind != law)
    without = clean.model_copy(update={"checks": others})
    assert law not in outcome(without, fault, audit_dataset(without)).laws
    unchecked = clean.model_copy(update={"checks": ()})
    assert outcome(unchecked, fault, audit_dataset(unchecked)).laws == ()


@pytest.mark.nightly
def test_the_table_is_of_these_tables_and_laws(rows: list[dict[str, str]]) -> None:
    outcomes = of_bundled()
    for row in rows:
        if row["tables"] == "bundled":
            same = [each for each in outcomes if each.fault[:2] == (row["fault"], row["figures"])]
            assert len(same) == int(row["planted_count"])
            assert sum(bool(each.laws) for each in same) == int(row["flagged_count"])
