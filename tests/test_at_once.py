"""Tests over all rows of a table name each row that is wrong, and why."""

import pytest
from at_once import all_at_once
from nightly import few_by_day


def test_all_wrong_rows_are_named_with_their_reason() -> None:
    def is_small(number: int) -> None:
        """Docstring."""
        assert number < 2, "too large"
        with pytest.raises(ZeroDivisionError):
            _ = 1 // number

    over = all_at_once([0, 1, 2], lambda number: f"row {number}")(is_small)
    assert (over.__name__, over.__doc__) == ("is_small", "Docstring.")
    with pytest.raises(AssertionError, match=r"^row 1: .*ZeroDivisionError.*\nrow 2: .*too large"):
        over()
    all_at_once([0], str)(is_small)()
    with pytest.raises(AssertionError):
        all_at_once([], str)(is_small)()


def test_one_of_so_many_cases_runs_by_day() -> None:
    cases = few_by_day(["a", "b", "c", "d", ("e", 5)], 2)
    assert [each.values for each in cases] == [("a",), ("b",), ("c",), ("d",), ("e", 5)]
    assert [len(each.marks) for each in cases] == [0, 1, 0, 1, 0]
