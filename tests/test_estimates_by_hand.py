"""Quantities with their ranges and grades, by hand."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from netmodel._estimates import (
    ABOUT_RATIO,
    LEVEL_DEVIATIONS,
    LEVEL_RATIO,
    Bound,
    Estimate,
    Predicted,
    combined,
)
from netmodel._grades import Grade, weakest_grade

WHOLE = Predicted(3.0, 2.0, 5.0, Bound.UPPER, 1.0, 7.0)
"""Six figures that differ."""


def test_an_interval_holds_nineteen_of_twenty() -> None:
    assert float(ABOUT_RATIO) == pytest.approx(1 / 20)
    assert LEVEL_RATIO == pytest.approx(19 / 20)
    assert LEVEL_DEVIATIONS == pytest.approx(float(norm.ppf(39 / 40)), rel=1e-15)


def test_an_estimate_in_json_has_none_for_what_is_open() -> None:
    assert Estimate(2.0, 1.0, 3.0).to_dict() == {"value": 2.0, "low": 1.0, "high": 3.0}
    assert Estimate(None, 0.0, math.inf).known() == {"value": None, "low": 0.0, "high": None}
    assert Estimate(1.0, math.nan, 2.0).known() == {"value": 1.0, "low": None, "high": 2.0}


def test_a_prediction_in_other_units_is_scaled_in_all_its_figures() -> None:
    assert WHOLE.scaled(4) == Predicted(12.0, 8.0, 20.0, Bound.UPPER, 4.0, 28.0)
    assert Predicted(3.0, 2.0, 5.0).scaled(4) == Predicted(12.0, 8.0, 20.0)
    lower = Predicted(3.0, 2.0, 5.0, Bound.LOWER, None, 7.0).scaled(2)
    assert lower == Predicted(6.0, 4.0, 10.0, Bound.LOWER, None, 14.0)


def test_a_prediction_has_plain_numbers_on_demand() -> None:
    given = Predicted(*map(np.float64, (3, 2, 5)), Bound.UPPER, *map(np.float64, (1, 7)))
    plain = given.numbers()
    assert plain == WHOLE
    figures = (plain.value, plain.low, plain.high, plain.new_run_low, plain.new_run_high)
    assert {type(each) for each in figures} == {float}
    assert Predicted(3.0, 2.0, 5.0).numbers() == Predicted(3.0, 2.0, 5.0)
    with pytest.raises(TypeError):
        Predicted(np.ones(2), 2.0, 5.0).numbers()


def test_a_prediction_in_json_names_its_bound_and_what_a_new_run_gives() -> None:
    figures = {"value": 3.0, "low": 2.0, "high": 5.0, "bound": "upper"}
    assert WHOLE.to_dict() == {**figures, "new_run_low": 1.0, "new_run_high": 7.0}
    for ends in ((None, None), (1.0, None), (None, 7.0)):
        assert Predicted(3.0, 2.0, 5.0, Bound.UPPER, *ends).to_dict() == figures
    endless = Predicted(math.inf, 2.0, math.inf, Bound.LOWER, 1.0, math.inf).to_dict()
    assert endless == {
        "value": None,
        "low": 2.0,
        "high": None,
        "bound": "lower",
        "new_run_low": 1.0,
        "new_run_high": None,
    }


def test_the_sign_of_a_bound_stands_before_its_figure() -> None:
    assert {each.value: each.sign for each in Bound} == {
        "value": "",
        "upper": "<= ",
        "lower": ">= ",
        "mean": "about ",
    }
    assert Predicted(1.0, 1.0, 1.0).bound is Bound.VALUE


def test_quantities_are_combined_end_by_end() -> None:
    parts = [WHOLE, Predicted(30.0, 20.0, 50.0)]
    assert combined(sum, parts) == Predicted(33.0, 22.0, 55.0)
    assert combined(min, iter(parts), Bound.UPPER) == Predicted(3.0, 2.0, 5.0, Bound.UPPER)


def test_the_weakest_grade_is_the_last_in_order() -> None:
    order = ("standard", "measured", "published", "derived", "fitted", "assumed")
    assert [Grade(name).rank for name in order] == [0, 1, 2, 3, 4, 5]
    assert weakest_grade([Grade.DERIVED, None, Grade.FITTED, Grade.STANDARD]) is Grade.FITTED
    assert weakest_grade([None]) is weakest_grade([]) is None
