"""What observations of each kind leave of parameters, worked out by hand."""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from netmodel.calibration import Observed, Point, adapter_model, feasible_set, next_measurements
from netmodel.calibration import fit as likelihood_fit
from netmodel.calibration.models import Curve, FreeParameter, LinearModel, demand_model
from netmodel.errors import CalibrationError, ContradictionError
from netmodel.records.values import Relation


def capped(conditions: Any) -> float:
    return 10.0


PAIR = (FreeParameter("first_s", "s"), FreeParameter("second_s", "s"))
RATE = demand_model(
    "rate_tps", PAIR, lambda conditions: (conditions["first"], conditions["second"]), cap=capped
)


def sums_of(quantity: str) -> LinearModel:
    return demand_model(
        quantity, PAIR, lambda conditions: (conditions["first"], conditions["second"]), False
    )


TIME = sums_of("time_s")
FIRST, SECOND, BOTH = ({"first": a, "second": b} for a, b in ((1, 0), (0, 1), (1, 1)))


def rate(conditions: dict[str, int], low: float, high: float, **more: Any) -> Observed:
    return Observed(quantity="rate_tps", at=conditions, low=low, high=high, **more)


def time(conditions: dict[str, int], low: float, high: float, **more: Any) -> Observed:
    return Observed(quantity="time_s", at=conditions, low=low, high=high, **more)


def ends(model: LinearModel, observed: Sequence[Observed]) -> list[tuple[float, float]]:
    return [(each.low, each.high) for each in feasible_set(observed, model).parameters.values()]


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


def test_advice_for_a_fit_is_that_of_one_more_row() -> None:
    """Against the inverse of the information with one more run, whose noise is known."""
    design = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
    observed = [time({"first": a, "second": b}, 2 * a + b, 2 * a + b) for a, b in design.tolist()]
    points = [Point("time_s", conditions) for conditions in (BOTH, FIRST, SECOND)]
    advice = next_measurements(
        likelihood_fit(observed, TIME, noise_ratio=0.02), Point("time_s", SECOND), points
    )
    rows = design / (design @ [2, 1])[:, np.newaxis]
    information = rows.T @ rows / 0.02**2
    before = np.linalg.inv(information)[1, 1]
    for point, shrinkage_ratio, _ in advice:
        row = np.array([point.at["first"], point.at["second"]], float)
        row /= row @ [2, 1]
        noise = math.hypot(0.02, 0.005 / 1.959963984540054)
        after = np.linalg.inv(information + np.outer(row, row) / noise**2)[1, 1]
        assert shrinkage_ratio == pytest.approx(1 - math.sqrt(after / before))
    assert advice[0][0].at == SECOND
    assert "narrower" in advice[0][2]


def test_a_fit_of_unknown_noise_has_no_range_to_narrow() -> None:
    observed = [
        Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=rate, high=rate)
        for mtu, rate in ((1500, 13e9), (3000, 20e9))
    ]
    for model in (adapter_model(), adapter_model(25e9)):
        result = likelihood_fit(observed, model)
        with pytest.raises(CalibrationError, match="noise is not known"):
            next_measurements(result, Point("throughput_bps", {"mtu_bytes": 4000}), [])


def test_advice_for_a_curve() -> None:
    curve = Curve("y", PAIR, lambda x, a, b: a + b * x, ("x",), (1.0, 1.0))
    seen = [Observed(quantity="y", at={"x": x}, low=1 + x, high=1 + x) for x in (1.0, 2.0, 3.0)]
    known = likelihood_fit(seen, curve, noise_ratio=0.01)
    ((_, shrinkage_ratio, _),) = next_measurements(
        known, Point("y", {"x": 1}), [Point("y", {"x": 1})]
    )
    assert 0.2 < shrinkage_ratio < 0.4


def test_advice_on_a_known_quantity_and_on_an_unbounded_reading() -> None:
    target = Point("time_s", BOTH)
    known = feasible_set([time(BOTH, 4, 4)], TIME)
    ((_, shrinkage_ratio, _),) = next_measurements(known, target, [Point("time_s", FIRST)])
    assert shrinkage_ratio == pytest.approx(0, abs=1e-9)
    with pytest.raises(CalibrationError, match=r"yet; second_s has no .* least; first_s"):
        next_measurements(feasible_set([time(FIRST, 1, 2)], TIME), target, [target])


def test_advice_by_hand() -> None:
    """First from 0 to 4, the second 1: corners 0 and 4 of a reading, 2 ± 2: (1) with v = 1."""
    result = feasible_set([time(FIRST, 0, 4), time(SECOND, 1, 1)], TIME)
    points = [Point("time_s", SECOND), Point("time_s", FIRST)]
    best, worst = next_measurements(result, Point("time_s", BOTH), points)
    assert best[0].at == FIRST
    noise = (0.005 / 1.959963984540054) ** 2
    assert best[1] == pytest.approx(1 - math.sqrt(1 - 1 / (1 + noise)))
    assert worst[1] == pytest.approx(0, abs=1e-9)
    assert best[2] == "may read 0 ns to 4 s now, after which the range would be 100 % narrower"


@pytest.mark.parametrize(
    ("quantity", "low", "high", "text"),
    [
        ("throughput_bps", 4e8, 2e9, "400 Mbit/s to 2 Gbit/s"),
        ("transaction_rate_tps", 5e4, 1e6, "50,000 to 1,000,000 transaction/s"),
        ("transaction_time_s", 1e-6, 2e-3, "1 µs to 2 ms"),
        ("cpu_us_per_gbit", 1234, 40210, "1234 to 40,210 µs/Gbit"),
        ("y", 1, 2, "1 to 2"),
    ],
)
def test_expected_readings_have_a_unit(quantity: str, low: float, high: float, text: str) -> None:
    model = sums_of(quantity)
    known = feasible_set([Observed(quantity=quantity, at=FIRST, low=low, high=high)], model)
    ((_, _, why),) = next_measurements(known, Point(quantity, FIRST), [Point(quantity, FIRST)])
    assert why.startswith(f"may read {text} now, after which")
