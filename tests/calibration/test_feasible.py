"""What observations of each kind leave of parameters, worked out by hand."""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from netmodel.calibration import Observed, Point, feasible_set
from netmodel.calibration.models import FreeParameter, LinearModel, demand_model
from netmodel.errors import CalibrationError, ContradictionError
from netmodel.records.values import Relation


def capped(conditions: Any) -> float:
    return 10.0


PAIR = (FreeParameter("first_s", "s"), FreeParameter("second_s", "s"))
RATE = demand_model(
    "rate_tps", PAIR, lambda conditions: (conditions["first"], conditions["second"]), cap=capped
)


TIME = demand_model("time_s", PAIR, lambda at: (at["first"], at["second"]), is_rate=False)
FIRST, SECOND, BOTH = ({"first": a, "second": b} for a, b in ((1, 0), (0, 1), (1, 1)))


def rate(conditions: dict[str, int], low: float, high: float, **more: Any) -> Observed:
    return Observed(quantity="rate_tps", at=conditions, low=low, high=high, **more)


def time(conditions: dict[str, int], low: float, high: float, **more: Any) -> Observed:
    return Observed(quantity="time_s", at=conditions, low=low, high=high, **more)


def ends(model: LinearModel, observed: Sequence[Observed]) -> list[tuple[float, float]]:
    return [(each.low, each.high) for each in feasible_set(observed, model).parameters.values()]


def test_a_parameter_that_may_be_below_zero_has_no_set() -> None:
    pair = (PAIR[0], FreeParameter("second_s", "s", -1.0))
    model = demand_model("time_s", pair, lambda at: (1, at["second"]), is_rate=False)
    with pytest.raises(CalibrationError, match="if second_s may be below 0: give more figures"):
        feasible_set([time(BOTH, 3, 3.2)], model)


@pytest.mark.parametrize(
    ("observed", "first", "second"),
    [
        ([], (0, math.inf), (0, math.inf)),
        ([rate(FIRST, 2, 4)], (0.25, 0.5), (0, math.inf)),
        ([rate(FIRST, 0, 4)], (0.25, math.inf), (0, math.inf)),
        ([rate(BOTH, 2, 4)], (0, 0.5), (0, 0.5)),
        ([time(FIRST, 2, 4)], (2, 4), (0, math.inf)),
        ([time(BOTH, 0, 4), time(FIRST, 3, math.inf)], (3, 4), (0, 1)),
        ([time(FIRST, 0, 0)], (0, 0), (0, math.inf)),
        # At the cap of 10 nothing tells how much faster it would be; censored, all tells.
        ([rate(FIRST, 9, 11)], (0, 1 / 9), (0, math.inf)),
        ([rate(FIRST, 10, 10)], (0, 0.1), (0, math.inf)),
        ([rate(FIRST, 10 + 1e-12, 10 + 1e-12)], (0, 0.1), (0, math.inf)),
        ([rate(FIRST, 12, 20, relation=Relation.CENSORED_ABOVE)], (1 / 20, 1 / 12), (0, math.inf)),
        # Ratios: the second takes 2 to 3 times the time of the first.
        ([rate(FIRST, 2, 4), rate(FIRST, 2, 3, baseline=SECOND)], (0.25, 0.5), (0.5, 1.5)),
        ([time(FIRST, 2, 4), time(SECOND, 2, 3, baseline=FIRST)], (2, 4), (4, 12)),
    ],
)
def test_ends_of_parameters(
    observed: list[Observed], first: tuple[float, float], second: tuple[float, float]
) -> None:
    model = TIME if observed and observed[0].quantity == "time_s" else RATE
    assert ends(model, observed) == [pytest.approx(first), pytest.approx(second)]


def test_a_value_is_reported_only_where_there_is_one() -> None:
    seen = time(BOTH, 1.5, 2.5, value=2)
    result = feasible_set([seen], TIME)
    assert result.predict(Point("time_s", BOTH)).value == pytest.approx(2)
    assert result.predict(Point("time_s", FIRST)).value is None
    assert result.parameters["first_s"].value is None
    assert seen.as_printed().low == 2
    narrow = feasible_set([time(FIRST, 1.95, 2.05), time(SECOND, 1, 3, value=2)], TIME)
    assert narrow.estimable == {"first_s": None, "second_s": False}
    assert narrow.parameters["first_s"].value == pytest.approx(2)
    assert narrow.parameters["second_s"].value is None


def test_exact_figures_that_do_not_meet_leave_those_that_do() -> None:
    """Figures of 2 and 4 for the same are exact one at a time; the narrower one is."""
    result = feasible_set([time(FIRST, 1.9, 2.1, value=2), time(FIRST, 1, 4, value=4)], TIME)
    assert result.predict(Point("time_s", FIRST)).value == pytest.approx(2)


def test_what_an_open_end_needs() -> None:
    result = feasible_set([rate(FIRST, 0, 4)], RATE)
    assert result.parameters["first_s"].high == math.inf
    assert "first_s has no upper bound" in result.notes[0]
    assert "second_s has no upper bound" in result.notes[1]
    assert result.predict(Point("rate_tps", FIRST))[1:] == pytest.approx((0, 4))
    assert result.to_dict()["parameters"]["first_s"] == {
        "value": None,
        "low": pytest.approx(0.25),
        "high": None,
        "estimable": False,
        "unit": "s",
    }
    json.dumps(result.to_dict(), allow_nan=False)


def test_corners_start_with_the_largest_first_parameter() -> None:
    """A triangle: both together at most 4, the first at least 1."""
    result = feasible_set([time(BOTH, 0, 4), time(FIRST, 1, math.inf)], TIME)
    assert result.vertices == pytest.approx(np.array([[4, 0], [1, 3], [1, 0]]), abs=1e-9)
    assert result.printed_vertices[0] == pytest.approx([4, 0], abs=1e-9)
    assert str(result).startswith("first_s: 1 to 4 s")


def test_above_the_line_contradicts_the_line() -> None:
    with pytest.raises(ContradictionError, match="too fast: cannot be true"):
        feasible_set([rate(FIRST, 12, 13, place="too fast")], RATE)


HARMLESS = [time(BOTH, 0, 50 + n, place=f"d{n}") for n in range(20)]
TOGETHER = [
    time(BOTH, 0, 3, place="a"),
    time(FIRST, 2, math.inf, place="b"),
    time(SECOND, 2, math.inf, place="c"),
]


@pytest.mark.parametrize(
    ("seen", "names"),
    [
        ([*HARMLESS, *TOGETHER], "a; b; c"),
        ([time(FIRST, 0, 1, place="e"), *HARMLESS, time(FIRST, 2, 3, place="z")], "e; z"),
        # nothing shows a size, and two of no time at all would agree with any ratio
        (
            [
                time(FIRST, 2, 3, baseline=SECOND, place="x"),
                time(SECOND, 2, 3, baseline=FIRST, place="y"),
            ],
            "x; y",
        ),
    ],
)
def test_only_those_that_contradict_each_other_are_named(seen: list[Observed], names: str) -> None:
    with pytest.raises(ContradictionError) as caught:
        feasible_set(seen, TIME)
    assert str(caught.value) == f"{names}: cannot be true together"
    for left_out in seen:
        if left_out.place in names.split("; "):
            feasible_set([each for each in seen if each is not left_out], TIME)


@pytest.mark.thorough
def test_too_many_corners_are_refused() -> None:
    names = [f"p{n}" for n in range(24)]
    model = demand_model(
        "time_s",
        tuple(FreeParameter(name, "s") for name in names),
        # the larger of two times: either of them reaches a figure
        lambda conditions: [
            [float(conditions[which] == name) for name in names] for which in ("one", "other")
        ],
        is_rate=False,
    )
    seen = [
        Observed(quantity="time_s", at={"one": one, "other": other}, low=1, high=2)
        for one, other in zip(names[::2], names[1::2], strict=True)
    ]
    assert len(feasible_set(seen[:3], model).parts) == 8
    with pytest.raises(CalibrationError, match="too many corners"):
        feasible_set(seen, model)
