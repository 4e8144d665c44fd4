"""Rows of a comparison: which conditions of the facts a question leaves open."""

from types import SimpleNamespace

import pytest

from netmodel.judging._compared import _open_conditions, compared


@pytest.mark.parametrize(
    ("subjects", "fixed", "left"),
    [
        ([{"layer": 2}, {"layer": 3}], {}, {"layer"}),
        ([{"layer": 2}, {"layer": 2}], {}, set()),
        ([{"layer": 2}, {"layer": 3}], {"layer": 2}, set()),
        ([{"path": "a"}, {"path": "b"}], {}, set()),
        ([{"layer": 2, "mtu_bytes": 1500}, {"layer": 2, "mtu_bytes": 8992}], {}, {"mtu_bytes"}),
    ],
)
def test_conditions_in_which_facts_differ_are_open(
    subjects: list[dict[str, object]], fixed: dict[str, object], left: set[str]
) -> None:
    facts = [SimpleNamespace(subject=subject) for subject in subjects]
    assert _open_conditions(facts, fixed, {}) == left  # type: ignore[arg-type]
    assert _open_conditions(facts, {}, fixed) == left  # type: ignore[arg-type]


def test_what_is_printed_of_any_number_of_connections_has_no_second_row() -> None:
    """Slide 25 says that times and costs stay as they are with MTU 9000, and nothing of rates."""
    small = {"adapter": "osa-express7s-25gbe", "workload": "rr1c-200x1000", "mtu_bytes": 1500}
    rows = compared(small, {**small, "mtu_bytes": 9000}).rows
    printed = {row.quantity: row.printed for row in rows}
    assert len(rows) == len(printed) == 3
    assert printed["transaction_time"]
    assert printed["cpu_consumption"]
    assert not printed["throughput"]
