"""Rows of a comparison: which conditions of the facts a question leaves open."""

from types import SimpleNamespace

import pytest

from netmodel.judging._compared import _open_conditions


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
