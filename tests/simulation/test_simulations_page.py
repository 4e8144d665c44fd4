"""The table of simulations in the documentation: complete, and what it says of targets."""

import csv
from pathlib import Path

import pytest
from expected_trials import CASES, SERVICES, trial_of

RECOMPUTED_STEP = 97
"""Every so many runs are simulated again each night: ten, of most services and of frames."""
FEW_STEP = 4 * RECOMPUTED_STEP
"""The same in every run of the tests: three."""
PRINTED_STEP = 1e-5
"""Last digit of the table."""
TABLE = Path(__file__).parents[2] / "docs/reference/simulations.csv"


@pytest.fixture(scope="module")
def runs() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_has_all_cases(runs: list[dict[str, str]]) -> None:
    names = CASES[0]._fields
    assert [tuple(run[name] for name in names) for run in runs] == [
        tuple(str(value) for value in case) for case in CASES
    ]


def test_no_run_of_the_table_exceeds_a_bound(runs: list[dict[str, str]]) -> None:
    assert not [run for run in runs if run["exceeds_a_bound"] == "True"]


def test_exact_values_of_the_table_are_within_one_percent(runs: list[dict[str, str]]) -> None:
    """Of the 30 paths with the service that expected values assume."""
    assumed = next(iter(SERVICES))
    of_paths = [run for run in runs if (run["kind"], run["service"]) == ("messages", assumed)]
    exact = [run for run in of_paths if run["has_product_form"] == "True"]
    assert len(of_paths) >= 30 * 4
    assert exact
    for quantity in ("rate_off_ratio", "time_off_ratio"):
        assert max(abs(float(run[quantity])) for run in exact) <= 0.01
        assert max(abs(float(run[quantity])) for run in of_paths) <= 0.15


@pytest.mark.parametrize(
    "step", [FEW_STEP, pytest.param(RECOMPUTED_STEP, marks=pytest.mark.nightly)]
)
def test_the_table_is_current(step: int, runs: list[dict[str, str]]) -> None:
    """Else run `make simulations`, and read the page again."""
    names = ("rate_off_ratio", "time_off_ratio", "above_ratio", "below_ratio")
    several = list(zip(runs, CASES, strict=True))[40::step]
    again = {case: (trial_of(case), run) for run, case in several}
    assert not {
        (case, name): (run[name], getattr(trial, name))
        for case, (trial, run) in again.items()
        for name in names
        if abs(getattr(trial, name) - float(run[name])) > PRINTED_STEP
    }
