"""What observations of each kind leave of parameters, worked out by hand."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from netmodel.calibration import (
    Curve,
    DemandModel,
    FreeParameter,
    Noise,
    Observed,
    Point,
    SeveralModels,
    adapter_model,
    feasible_set,
    next_measurements,
)
from netmodel.calibration import fit as likelihood_fit
from netmodel.calibration._next import candidate_points
from netmodel.errors import CalibrationError, ContradictionError, DomainError
from netmodel.estimates import Estimate
from netmodel.records import Relation


def capped(conditions: Any) -> float:
    return 10.0


PAIR = (FreeParameter("first_s", "s"), FreeParameter("second_s", "s"))
RATE = DemandModel(
    "rate_tps", PAIR, lambda conditions: (conditions["first"], conditions["second"]), cap=capped
)
TIME = DemandModel(
    "time_s", PAIR, lambda conditions: (conditions["first"], conditions["second"]), is_rate=False
)
FIRST, SECOND, BOTH = ({"first": a, "second": b} for a, b in ((1, 0), (0, 1), (1, 1)))


def rate(conditions: dict[str, int], low: float, high: float, **more: Any) -> Observed:
    return Observed(quantity="rate_tps", at=conditions, low=low, high=high, **more)


def time(conditions: dict[str, int], low: float, high: float, **more: Any) -> Observed:
    return Observed(quantity="time_s", at=conditions, low=low, high=high, **more)


def ends(model: DemandModel, observed: Sequence[Observed]) -> list[tuple[float, float]]:
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
        (
            [rate(FIRST, 2, 4), rate(FIRST, 2, 3, baseline=SECOND)],
            (0.25, 0.5),
            (0.5, 1.5),
        ),
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


def test_an_observation_open_at_both_ends_is_noted() -> None:
    assert "bounds nothing" in feasible_set([rate(FIRST, 0, math.inf)], RATE).notes[0]


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
    model = DemandModel(
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


def test_candidates_are_distinguished() -> None:
    points = candidate_points(adapter_model(25e9), Point("throughput_bps", {"mtu_bytes": 1500}))
    assert points[0].at == {"mtu_bytes": 1500}
    mtus = {point.at["mtu_bytes"] for point in points}
    assert len(mtus) == 9
    # RFC 791: every host accepts 576 byte; the others are usual settings
    assert all(mtu == 576 or float(mtu) % 500 == 0 for mtu in mtus)
    assert sorted(point.at["request_bytes"] for point in points[9:]) == [64, 128, 256, 512]


def test_candidates_that_the_model_does_not_distinguish_come_once() -> None:
    conditions = {"mtu_bytes": 1500, "connection_count": 10}
    points = candidate_points(adapter_model(25e9), Point("throughput_bps", conditions))
    assert {point.at["connection_count"] for point in points} == {10}


def test_candidates_include_other_models() -> None:
    many = SeveralModels("direction", {"in": adapter_model(25e9), "out": adapter_model(25e9)})
    target = Point("throughput_bps", {"mtu_bytes": 1500, "direction": "in"})
    assert candidate_points(many, target)[-1].at == {"mtu_bytes": 1500, "direction": "out"}


@dataclass
class Fit:
    """What a fit shows, as if times of 2 and 1 had been found."""

    model: Any
    covariance: Any
    noise: Noise = Noise.RELATIVE
    corrected_noise_sd: float = 0.0
    values: Any = field(default_factory=lambda: {"first_s": 2.0, "second_s": 1.0})
    width: float = 1.0

    def predict(self, point: Point) -> Estimate:
        return Estimate(1.0, 1.0, 1.0 + self.width)


def test_advice_for_a_fit_is_that_of_one_more_row() -> None:
    """Against the inverse of the information with one more run, whose noise is known."""
    design = np.array([[1.0, 1.0], [1.0, 2.0]])
    information = design.T @ design / 0.2**2
    fit = Fit(TIME, np.linalg.inv(information))
    fit.width = 2 * 1.959963984540054 * math.sqrt(fit.covariance[1, 1])
    target, points = (
        Point("time_s", SECOND),
        [Point("time_s", conditions) for conditions in (BOTH, FIRST, SECOND)],
    )
    advice = next_measurements(fit, target, points, resolution_ratio=0.1)
    for each in advice:
        row = np.array([each.point.at["first"], each.point.at["second"]], float)
        noise = 0.1 * float(row @ [2, 1]) / 1.959963984540054
        after = np.linalg.inv(information + np.outer(row, row) / noise**2)
        expected = 2 * 1.959963984540054 * math.sqrt(after[1, 1])
        assert each.expected_width == pytest.approx(expected)
        assert each.shrinkage_ratio == pytest.approx(
            1 - math.sqrt(after[1, 1] / fit.covariance[1, 1])
        )
    assert advice[0].point.at == SECOND
    assert "narrower" in advice[0].why


@pytest.mark.parametrize(("noise", "scatter"), [(Noise.RELATIVE, 0.3 * 3), (Noise.ABSOLUTE, 0.3)])
def test_one_more_run_scatters_like_those_before(noise: Noise, scatter: float) -> None:
    """The quantity is 2 + 1, of variance 0.04 + 0.01."""
    fit = Fit(TIME, np.diag([0.04, 0.01]), noise, corrected_noise_sd=0.3)
    target = Point("time_s", BOTH)
    (advice,) = next_measurements(fit, target, [target], resolution_ratio=1e-9)
    expected = 1 - math.sqrt(scatter**2 / (0.05 + scatter**2))
    assert advice.shrinkage_ratio == pytest.approx(expected)


def test_the_line_and_fixed_parameters_do_not_narrow_a_fit() -> None:
    fit = Fit(RATE, np.diag([0.01, 0]))
    fit.values = {"first_s": 0.05, "second_s": 0.0}
    (advice,) = next_measurements(fit, Point("rate_tps", FIRST, True), [Point("rate_tps", FIRST)])
    assert advice.shrinkage_ratio == 0
    (fixed,) = next_measurements(fit, Point("rate_tps", SECOND), [Point("rate_tps", FIRST)])
    assert (fixed.expected_width, fixed.shrinkage_ratio) == (1, 0)


def test_advice_for_a_fit_starts_from_its_interval() -> None:
    """Which is wider than that of known noise where there are few observations."""
    observed = [
        Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=rate, high=rate)
        for mtu, rate in ((576, 6.9e9), (1500, 14.6e9), (2000, 17.3e9), (3000, 21.5e9))
    ]
    target = Point("throughput_bps", {"mtu_bytes": 4000})
    now = likelihood_fit(observed, adapter_model()).predict(target)
    for each in next_measurements(likelihood_fit(observed, adapter_model()), target):
        after = (1 - each.shrinkage_ratio) * (now.high - now.low)
        assert each.expected_width == pytest.approx(after)


def test_a_fit_of_unknown_noise_has_no_range_to_narrow() -> None:
    observed = [
        Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=rate, high=rate)
        for mtu, rate in ((1500, 13e9), (3000, 20e9))
    ]
    for model in (adapter_model(), adapter_model(25e9)):
        result = likelihood_fit(observed, model)
        with pytest.raises(CalibrationError, match="noise is not known"):
            next_measurements(result, Point("throughput_bps", {"mtu_bytes": 4000}))


def test_a_curve_has_no_candidates_of_its_own() -> None:
    curve = Curve("y", PAIR, lambda x, a, b: a + b * x, ("x",), (1.0, 1.0))
    fit = Fit(curve, np.eye(2))
    with pytest.raises(DomainError, match="candidates must be given"):
        next_measurements(fit, Point("y", {"x": 1}))
    (advice,) = next_measurements(fit, Point("y", {"x": 1}), [Point("y", {"x": 1})])
    assert advice.shrinkage_ratio > 0.8


def test_advice_on_a_known_quantity_and_on_an_unbounded_reading() -> None:
    target = Point("time_s", BOTH)
    known = feasible_set([time(BOTH, 4, 4)], TIME)
    (advice,) = next_measurements(known, target, [Point("time_s", FIRST)])
    assert advice.shrinkage_ratio == 0
    with pytest.raises(CalibrationError, match="no upper bound yet"):
        next_measurements(feasible_set([time(FIRST, 1, 2)], TIME), target, [target])
    with pytest.raises(DomainError, match="resolution_ratio"):
        next_measurements(known, target, [target], resolution_ratio=-1)


def test_advice_by_hand() -> None:
    """
    First from 0 to 4, the second 1: reading the first leaves a range of its own rounding.

    Readings of 4 (i + 1/2) / 9, each 10 % off either way, cut off at 4: the mean of the
    widths is 0.2 times the mean reading of 2, less 0.1778 of the last that is cut.
    """
    result = feasible_set([time(FIRST, 0, 4), time(SECOND, 1, 1)], TIME)
    points = [Point("time_s", SECOND), Point("time_s", FIRST)]
    best, worst = next_measurements(result, Point("time_s", BOTH), points, resolution_ratio=0.1)
    assert best.point.at == FIRST
    cut = 4 * 8.5 / 9 * 1.1 - 4
    assert best.expected_width == pytest.approx(0.4 - cut / 9)
    assert best.worst_shrinkage_ratio == pytest.approx(1 - 0.2 * 4 * 7.5 / 9 / 4)
    assert worst.shrinkage_ratio == 0
    assert "90 % narrower" in best.why or "91 % narrower" in best.why


def test_order_and_repetition_do_not_matter() -> None:
    seen = [time(BOTH, 2, 4, value=3), time(FIRST, 1, 2, value=2), time(SECOND, 0, 3)]
    expected = feasible_set(seen, TIME).to_dict()["parameters"]
    again = feasible_set([*reversed(seen), replace(seen[0], place="again")], TIME)
    for name, each in again.to_dict()["parameters"].items():
        assert each == pytest.approx(expected[name])


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
    model = replace(TIME, quantity=quantity)
    known = feasible_set([Observed(quantity=quantity, at=FIRST, low=low, high=high)], model)
    (advice,) = next_measurements(known, Point(quantity, FIRST), [Point(quantity, FIRST)])
    assert advice.why.startswith(f"may read {text} now, after which")
