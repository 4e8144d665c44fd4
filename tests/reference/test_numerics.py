"""Formulas against arithmetic of 50 digits: at random, and at the worst arguments of the table."""

import csv
from pathlib import Path

import pytest
from exact_forms import EXACT_FORMS, NOT_COMPARED
from formulas import FORMULA_LAYERS, public_functions
from numerics import CASES, ROUNDING_RATIO, Case, compared, drawn_points, read_arguments, worst_of

from netmodel.symbolic._formulas import formulas_by_name
from netmodel.symbolic._reasons import reason_of

pytestmark = pytest.mark.thorough

TABLE = Path(__file__).parents[2] / "docs/reference/numerics.csv"
POINT_COUNT = 100
MOST_ROUNDINGS = 24
"""What any formula may lose beyond the rounding of its arguments: each makes at most a few dozen
operations one after the other, and roundings of both signs add up to less than their number."""
SUMS_OF_MANY = {
    "concurrency.busiest_queue_flow_count": 500,
    "concurrency.usable_capacity_ratio": 500,
}
"""Formulas that add hundreds of products at the roots of unity, whose sum is far smaller."""
CHANGED_LIBRARY = 4
"""A logarithm or a power may end in another digit elsewhere; NumPy allows four units."""

ONCE_LOST: dict[str, dict[str, float]] = {
    "concurrency.batch_mg1_waiting_time_s": {
        "arrival_rate_tps": 5.626963368670156,
        "service_time_s": 1.3766140976108947e-12,
        "service_variation_ratio": 3.937197665586097e-09,
        "mean_batch_count": 1.0,
        "batch_variation_ratio": 6.135040247400856e-07,
    },
    "concurrency.used_queue_count": {
        "flow_count": 1.738211742105526,
        "queue_count": 811.3525021131644,
    },
    "transport.full_utilisation_buffer_bytes": {
        "path_rate_bps": 25768686276.86494,
        "round_trip_s": 0.15317297360038523,
        "flow_count": 42.10755344698001,
        "decrease_ratio": 0.9924782252736712,
    },
    "transport.lossy_transfer_time_s": {
        "segment_count": 3.9570597431513024e-07,
        "round_trip_s": 3.0474221996092153e-05,
        "timeout_s": 0.01,
        "loss_ratio": 8.779391729497234e-12,
        "initial_window_segment_count": 84.07182775743813,
        "segments_per_ack": 45.0,
        "window_segment_count": 194.97609693800956,
        "delayed_ack_s": 1.8961399549562242e-06,
    },
}
"""Arguments at which the formulas as they are usually written lose 50 roundings or more."""

each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["formula"]: row for row in csv.DictReader(file)}


def most_roundings(case: Case) -> float:
    return SUMS_OF_MANY.get(case.name, MOST_ROUNDINGS)


@each_case
def test_a_formula_loses_no_digits(case: Case) -> None:
    """No more than rounding its arguments would change, and a few roundings of its own."""
    found = compared(case, drawn_points(case, POINT_COUNT))
    assert found
    _, excess, where = max(found, key=lambda each: each[1])
    assert excess <= most_roundings(case), where


@each_case
def test_no_error_exceeds_that_of_the_table(case: Case, rows: dict[str, dict[str, str]]) -> None:
    row = rows[case.name]
    assert float(row["excess"]) <= most_roundings(case)
    for arguments, listed in (
        (row["arguments"], float(row["error_ratio"])),
        (row["excess_arguments"], None),
    ):
        point = read_arguments(case, arguments)
        ((error_ratio, excess, _),) = compared(case, iter([point]))
        assert excess <= most_roundings(case)
        if listed is not None:
            assert error_ratio <= listed + CHANGED_LIBRARY * 2 * ROUNDING_RATIO


@pytest.mark.nightly
@each_case
def test_a_search_finds_no_larger_loss(case: Case) -> None:
    assert worst_of(case).excess <= most_roundings(case)


def test_every_formula_is_in_the_table(rows: dict[str, dict[str, str]]) -> None:
    """Else run `make numerics`."""
    assert rows.keys() == CASES.keys()


def test_every_function_of_quantities_is_compared_or_has_a_reason() -> None:
    names = {
        each.short_name
        for each in formulas_by_name().values()
        if not (reason_of(each) or "").startswith(("makes", "reads", "takes CPUs"))
    }
    compared_names = {name.partition(",")[0].rpartition(".")[2] for name in CASES}
    assert names == compared_names | NOT_COMPARED.keys()
    assert not compared_names & NOT_COMPARED.keys()
    known = {function.__name__ for function in public_functions(*FORMULA_LAYERS)}
    assert {name.partition(",")[0].rpartition(".")[2] for name in EXACT_FORMS} <= known


@pytest.mark.parametrize("name", ONCE_LOST)
def test_digits_that_were_lost_are_kept(name: str) -> None:
    error_ratio = CASES[name].error_ratio(ONCE_LOST[name])
    assert error_ratio is not None
    assert error_ratio <= MOST_ROUNDINGS * ROUNDING_RATIO


def test_lost_digits_are_found() -> None:
    """1 - (1 - 1/q)^N as it reads, and a product that only its arguments explain."""
    case = CASES["concurrency.used_queue_count"]
    point = {"flow_count": 2.0, "queue_count": 1000.0}
    naive = 1000 * (1 - (1 - 1 / 1000) ** 2)
    error_ratio = float(abs(naive / case.exact(point) - 1))
    assert case.excess(point, error_ratio) > MOST_ROUNDINGS
    tail = CASES["framing.tail_bytes"]
    assert tail.condition({"message_bytes": 1e9, "segment_bytes": 1447.9}) > 1e6
