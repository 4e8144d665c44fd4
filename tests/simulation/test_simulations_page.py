"""The table of simulations in the documentation: complete, and what it says of targets."""

import csv
from pathlib import Path
from statistics import median

import pytest
from expected_trials import CASES, SERVICES, trial_of

from netmodel.path._expected import SIMULATED_ERRORS

pytestmark = pytest.mark.thorough

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


CAUSES = {
    "messages of several frames, which overlap at stages": lambda run: (
        run["service"].startswith("exponential")
        and (
            (run["kind"] == "frames" and run["frame_count"] != "1")
            or (run["kind"] == "alone" and "acks" not in run["path"])
        )
    ),
    "visits of different length": lambda run: (
        run["service"].startswith("exponential")
        and (run["kind"], run["has_product_form"]) == ("messages", "False")
    ),
    "acknowledgements beside messages": lambda run: "acks" in run["path"],
    "service that is not exponential": lambda run: (
        run["kind"] == "messages" and not run["service"].startswith("exponential")
    ),
}
"""Runs that show what a cause of approximations does."""


def test_approximations_have_the_size_of_the_table(runs: list[dict[str, str]]) -> None:
    """Not less than any run, and not more than half as much again."""
    assert CAUSES.keys() == SIMULATED_ERRORS.keys()
    for cause, shows in CAUSES.items():
        of_cause = [run for run in runs if shows(run)]
        worst = max(abs(float(run["given_rate_off_ratio"])) for run in of_cause)
        assert worst <= SIMULATED_ERRORS[cause] < 1.5 * worst


def test_one_connection_takes_what_is_expected(runs: list[dict[str, str]]) -> None:
    """Where the variation of service times is given; constant times are exact in the median."""
    alone = [run for run in runs if run["kind"] == "alone"]
    for service, most in (("constant", 0.001), ("exponential, constant delays", 0.035)):
        of_service = [run for run in alone if run["service"] == service]
        without_acks = [run for run in of_service if "acks" not in run["path"]]
        assert len(without_acks) > 50
        assert median(abs(float(run["given_time_off_ratio"])) for run in without_acks) < most
        before = median(abs(float(run["above_ratio"])) for run in without_acks)
        assert before > 0.09


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
