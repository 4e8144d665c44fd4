"""The table of accuracy: figures of an independent study, and the files in the documentation.

The study is of the same tables with other programs, one figure of each series left out at a time.
"""

import csv
import math
from pathlib import Path

import pytest

from benchmarks import accuracy
from benchmarks.accuracy import FIGURES, METHODS, Quantity, Split, Uses, errors_of

pytestmark = pytest.mark.thorough

DOCS = Path(__file__).parents[2] / "docs/reference"
PRINTED_RATIO = 2e-3
"""Searches on other machines end elsewhere within a fifth of a per cent."""


def percent(method: str, quantity: Quantity, figures: str = "all") -> float:
    mean = errors_of(method, quantity, Split.ONE, FIGURES[figures]).mean_absolute_ratio
    assert mean is not None
    return 100 * mean


@pytest.mark.parametrize(
    ("method", "throughput", "cost"),
    [
        ("log-linear interpolation", 98, 12),
        ("log-log interpolation", 50, 8.2),
        ("related series times a ratio along log N", 1.1, 8.2),
    ],
)
def test_the_study_is_reproduced(method: str, throughput: float, cost: float) -> None:
    for quantity, expected in ((Quantity.THROUGHPUT, throughput), (Quantity.TOTAL, cost)):
        digits = 0.05 if expected < 10 else 0.5
        assert percent(method, quantity) == pytest.approx(expected, abs=digits)


def test_methods_of_others_err_as_much_as_in_the_study() -> None:
    """28 and 32 % there; the optimum of two figures is any, where there are three parameters."""
    for method, expected in (
        ("Universal Scalability Law", 28),
        ("exact MVA, one queue and a delay", 32),
    ):
        assert percent(method, Quantity.THROUGHPUT) == pytest.approx(expected, abs=7)


def test_other_scenarios_are_never_the_same_one() -> None:
    for series in accuracy.series_of(Quantity.THROUGHPUT):
        for entry in METHODS:
            known = accuracy._known(entry, series, (), Split.ONE)
            assert all(each.scenario != series.scenario for each in known.others)
            assert all(each.layer != series.layer for each in known.related)
            assert not known.others or entry.uses is not Uses.SERIES


def test_the_files_in_the_documentation_are_current() -> None:
    rows = [*accuracy.rows_of(METHODS)]
    with (DOCS / "accuracy.csv").open(encoding="utf-8", newline="") as file:
        written = [*csv.DictReader(file)]
    assert len(rows) == len(written)
    for row, line in zip(rows, written, strict=True):
        assert [line[name] for name in ("quantity", "method", "split", "figures")] == [
            row.quantity,
            row.method,
            row.split,
            row.figures,
        ]
        assert int(line["refused_count"]) == row.refused_count
        assert float(line["mape_ratio"] or "nan") == pytest.approx(
            math.nan if row.mape_ratio is None else row.mape_ratio,
            rel=0.02,
            abs=PRINTED_RATIO,
            nan_ok=True,
        )
    with (DOCS / "accuracy-targets.csv").open(encoding="utf-8", newline="") as file:
        for aim, line in zip(accuracy.outcomes(rows), csv.DictReader(file), strict=True):
            assert line["error"] == accuracy.met(aim.is_met)
            assert line["error"] in {"met", "MISSED"}


def test_a_target_that_is_missed_is_called_missed() -> None:
    row = accuracy.Row(
        *("throughput", "a", Uses.SERIES.value, Split.ONE.value, "all"), 60, 0, 0.04, 60, 40
    )
    aim = next(accuracy.outcomes([row]))
    assert (aim.is_met, aim.is_covered) == (False, False)
    assert "MISSED" in "\n".join(accuracy.texts([row], [aim]))
    refusing = row._replace(refused_count=1, mape_ratio=0.01)
    assert next(accuracy.outcomes([refusing])).mape_ratio is None
