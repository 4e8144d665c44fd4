"""Curves and linear models by hand: each term at once, defaults, and where searches begin."""

import math
from typing import Any

import numpy as np
import pytest

from netmodel._estimates import Estimate
from netmodel.calibration import (
    DemandModel,
    FreeParameter,
    Noise,
    Observed,
    Point,
    SeveralModels,
    curve_model,
    feasible_set,
    fit,
    host_cost_model,
)
from netmodel.calibration._curves import CURVES
from netmodel.calibration._host_runs import HeldOut, require_separated
from netmodel.calibration._models import (
    Curve,
    Loads,
    is_unknown,
    unknown_point,
    with_unknowns,
)
from netmodel.calibration._problem import slopes_by_differences
from netmodel.calibration._summary import Section, Summary
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, DomainError

RATE, COST, COUNT = "transaction_rate_tps", "cpu_s_per_transaction", "connection_count"


@pytest.mark.parametrize(
    ("name", "at", "parameters", "expected"),
    [
        # (4 connections) 1 / X = (2 + 0.5 * 3 + 0.1 * 12) / 4
        ("scalability", 4, (2, 0.5, 0.1), 4 / 4.7),
        # N / R0 while it is the smaller one
        ("saturation", 4, (2, 0.4), 2.0),
        ("saturation", 4, (2, 0.6), 1 / 0.6),
        ("knee", 4, (2, 0.1, 0.05), 1 / 0.5),
        ("knee", 4, (2, 0.4, 0.05), 1 / 0.6),
        # a response time of 2 + 4 (0.5 + 0.3 / 2)
        ("batching", 4, (2, 0.5, 0.3), 4 / 4.6),
        # one of 2 + 0.5 * 32^0.8, the fifth root of 2^20
        ("power", 32, (2, 0.5), 32 / (2 + 0.5 * 16)),
        # one of 2 + 4 (0.5 + 0.3 / (1 + 4 / 8))
        ("amortised", 4, (2, 0.5, 0.3, 8), 4 / (2 + 4 * 0.7)),
        # a cost of 2 + 3 / (1 + 0.5 * 4), and 2 + 3 / 4^0.5
        ("coalescing", 4, (2, 3, 0.5), 3.0),
        ("falling-cost", 4, (2, 3), 3.5),
        # a cost of 2 + 3 / 4^0.5 + 0.1 * 4
        ("plateau-cost", 4, (2, 3, 0.1), 3.9),
    ],
)
def test_a_curve_where_nothing_else_is_said(
    name: Any, at: float, parameters: tuple[float, ...], expected: float
) -> None:
    """Quantity, condition and exponent of each are those of its page."""
    model = curve_model(name)
    is_cost = name in {"coalescing", "falling-cost", "plateau-cost"}
    over = RATE if name in {"coalescing", "falling-cost"} else COUNT
    point = Point(COST if is_cost else RATE, {over: at})
    assert model.function([point])(np.array(parameters, float)) == pytest.approx([expected])
    form = CURVES[name]
    assert form.least == (0 if over == RATE else 1)
    assert form.takes_cap is (name in {"scalability", "saturation", "knee", "batching", "power"})
    assert all(
        each.low == (1e-3 if each.name == "batching_count" else 0) for each in model.parameters
    )
    assert all(each.high == math.inf for each in model.parameters)


@pytest.mark.parametrize("name", ["scalability", "saturation", "knee", "batching", "power"])
@pytest.mark.parametrize(
    ("quantity", "unit"),
    [("transaction_rate_tps", "s"), ("throughput_bps", "s/bit"), ("frame_rate_fps", "s/frame")],
)
def test_times_have_the_unit_of_one_over_the_rate_and_a_line_caps_it(
    name: Any, quantity: str, unit: str
) -> None:
    model = curve_model(name, quantity, "users", cap=lambda at: float(at["most"]))
    assert {each.unit for each in model.parameters} == {unit}
    points = [Point(quantity, {"users": 1.0, "most": 0.25}, free) for free in (False, True)]
    ones = np.ones(len(model.parameters))
    capped, uncapped = model.function(points)(ones)
    assert capped == 0.25
    assert uncapped > 0.25
    assert model.loads(points[0]).names[-1] == "cap"
    assert "cap" not in model.loads(points[1]).names


def test_searches_begin_near_the_figures() -> None:
    """Alone at the fewest connections; half of the least and the rest; the middle of all."""
    counts, rates = np.array([10.0, 2.0, 40.0]), np.array([50.0, 20.0, 80.0])
    amortised = curve_model("amortised")
    assert amortised.start(counts, rates) == pytest.approx((0.1, 1 / 160, 1 / 80, 10.0))
    coalescing = curve_model("coalescing")
    costs = np.array([4.0, 9.0, 2.0])
    assert coalescing.start(rates, costs) == pytest.approx((1.0, 8.0, 1 / 50))


def line(start: Any = (1.0, 2.0)) -> Curve:
    return Curve(
        "y_s",
        (FreeParameter("fixed_s", "s"), FreeParameter("each_s", "s")),
        lambda x, fixed, each: fixed + each * x,
        ("x",),
        start,
    )


def test_the_largest_of_sums_and_one_over_it() -> None:
    """2 a + 1, 3 b, and 4, with a = 1, 2 and b = 2, 1."""
    rows, constants = np.array([[2.0, 0], [0, 3], [0, 0]]), np.array([1.0, 0, 4])
    sums = Loads(rows, constants, False, ("a", "b", "fixed"))
    parameters = np.array([[1.0, 2], [2, 1]])
    assert sums.sums(parameters) == pytest.approx(np.array([[3, 5], [6, 3], [4, 4]]))
    assert sums.values(parameters) == pytest.approx([6, 5])
    assert sums.most == math.inf
    rate = Loads(rows, constants, True, sums.names)
    assert rate.values(parameters) == pytest.approx([1 / 6, 1 / 5])
    assert rate.most == 1 / 4
    assert rate.uncapped.names == ("a", "b")
    assert rate.uncapped.constants == pytest.approx([1, 0])
    assert rate.uncapped.most == math.inf
    capped = rate.capped(0.1)
    assert (capped.names[-1], capped.most) == ("cap", 0.1)
    assert capped.values(parameters) == pytest.approx([0.1, 0.1])
    assert capped.coefficients.shape == (4, 2)


def test_parameters_that_are_given_are_no_longer_free() -> None:
    model = curve_model("batching")
    fixed = model.with_fixed({"least_s": 0.5})
    assert [each.name for each in fixed.parameters] == ["delay_s", "shared_s"]
    point = Point(RATE, {COUNT: 4})
    assert fixed.function([point])(np.array([2, 0.3])) == pytest.approx([4 / 4.6])
    of_curve = curve_model("amortised").with_fixed({"least_s": 0.5, "batching_count": 8.0})
    assert [each.name for each in of_curve.parameters] == ["delay_s", "shared_s"]
    assert of_curve.function([point])(np.array([2, 0.3])) == pytest.approx([4 / 4.8])
    many = of_curve.function([point])(np.array([[2, 4], [0.3, 0.3]]))
    assert many == pytest.approx(np.array([[4 / 4.8, 4 / 6.8]]))
    assert model.with_fixed({}) is model
    with pytest.raises(DomainError, match=r"least_s must be from 0 to inf; got -1"):
        model.with_fixed({"least_s": -1})
    with pytest.raises(DomainError, match="at least one parameter must be free"):
        model.with_fixed({"delay_s": 1, "least_s": 1, "shared_s": 1})
    with pytest.raises(
        DomainError, match=r"no parameter 'least'; there are .*; did you mean least_s"
    ):
        model.with_fixed({"least": 1})


def test_parameters_of_several_are_fixed_by_their_full_names() -> None:
    both = SeveralModels(COUNT, dict.fromkeys("ab", curve_model("batching")), ("least_s",))
    names = [each.name for each in both.parameters]
    assert names == ["a.delay_s", "least_s", "a.shared_s", "b.delay_s", "b.shared_s"]
    fixed = both.with_fixed({"least_s": 0.5, "b.delay_s": 3.0})
    assert [each.name for each in fixed.parameters] == ["a.delay_s", "a.shared_s", "b.shared_s"]
    assert fixed.common == ()
    assert both.with_fixed({}) is both


def test_what_only_comparisons_have_is_a_parameter_of_its_own() -> None:
    model = curve_model("batching")
    more = with_unknowns(model, ("osa", "roce"))
    assert [each.name for each in more.parameters[-2:]] == ["osa", "roce"]
    assert with_unknowns(model, ()) is model
    point = unknown_point(RATE, "roce", True)
    assert is_unknown(point)
    assert not is_unknown(Point(RATE, {COUNT: 4}))
    values = np.array([2, 0.5, 0.3, 7.0, 8.0])
    known = Point(RATE, {COUNT: 4})
    assert more.function([point, known])(values) == pytest.approx([1 / 8, 4 / 4.6])
    cost = unknown_point(COST, "osa", False)
    assert more.function([cost])(values) == pytest.approx([7])


# Plain values


def test_a_run_that_was_not_seen_is_inside_an_interval_or_not() -> None:
    def held(measured: float) -> HeldOut:
        predicted = Estimate(10.0, 8.0, 14.0)
        return HeldOut("run.json, client", {"mtu_bytes": 1500}, COST, measured, predicted)

    for measured, is_inside in ((8, True), (7.9, False), (14, True), (14.1, False)):
        assert held(measured).is_inside is is_inside
    assert held(8.0).to_dict() == {
        "place": "run.json, client",
        "at": {"mtu_bytes": 1500},
        "quantity": COST,
        "measured": 8.0,
        "predicted": 10.0,
        "new_run_low": 8.0,
        "new_run_high": 14.0,
        "error_ratio": 0.25,
        "is_inside": True,
    }
    assert held(8.0).half_width_ratio == pytest.approx(0.3)


def test_a_summary_has_its_sections_as_tables() -> None:
    sections = (
        Section("", (), (("data", "given"), ("level", "95 %"))),
        Section("Correlations", ("pair", "correlation"), (("a, b", "+0.50"), ("a, c", "-0.2"))),
    )
    summary = Summary("A title", sections, ("first", "second"))
    assert summary.to_dict() == {
        "title": "A title",
        "sections": [
            {"title": "", "heads": [], "rows": [["data", "given"], ["level", "95 %"]]},
            {
                "title": "Correlations",
                "heads": ["pair", "correlation"],
                "rows": [["a, b", "+0.50"], ["a, c", "-0.2"]],
            },
        ],
        "notes": ["first", "second"],
    }
    assert str(summary).splitlines() == [
        "A title",
        "",
        "data   given",
        "level  95 %",
        "",
        "Correlations",
        "pair  correlation",
        "a, b        +0.50",
        "a, c         -0.2",
        "",
        "note: first",
        "note: second",
    ]
    assert summary.section("Correlations") is sections[1]
    with pytest.raises(KeyError):
        summary.section("Parameters")
    html = summary._repr_html_()
    assert html.index("A title") < html.index("Correlations") < html.index("second")


# Bounds


def seen(
    figure_s: float, x: float, low: float | None = None, high: float | None = None
) -> Observed:
    ends = figure_s if low is None else low, figure_s if high is None else high
    return Observed(quantity="y_s", at={"x": x}, low=ends[0], high=ends[1])


LINE = DemandModel(
    "y_s",
    (FreeParameter("fixed_s", "s"), FreeParameter("each_s", "s")),
    lambda at: (1, float(at["x"])),
    is_rate=False,
)


def test_a_set_is_bounded_where_each_parameter_has_an_end() -> None:
    """At least 2 s at 1 says nothing of the most; 2 to 3 s at 0 bound the fixed part alone."""
    both = feasible_set([seen(2, 0, 2, 3), seen(4, 1, 4, 5)], LINE)
    assert both.is_bounded
    assert both.parameters["each_s"].high == pytest.approx(3)
    one = feasible_set([seen(2, 0, 2, 3), seen(4, 1, 4, math.inf)], LINE)
    assert not one.is_bounded
    assert (one.parameters["fixed_s"].low, one.parameters["fixed_s"].high) == pytest.approx((2, 3))
    assert one.parameters["each_s"].high == math.inf
    none = feasible_set([seen(2, 1, 2, math.inf)], LINE)
    assert not none.is_bounded


def test_a_bound_that_holds_is_missed_by_nothing() -> None:
    """2 and 4 s at 0 and 1, so that 8 s at 3: at least 7 s hold, and at most 9."""
    noisy = [seen(figure + off, x) for figure, x in ((2, 0), (4, 1)) for off in (-0.1, 0.1)]
    for low, high in ((7.0, math.inf), (0.0, 9.0)):
        result = fit([*noisy, seen(8, 3, low, high)], LINE, noise=Noise.ABSOLUTE)
        last = result.residuals[-1]
        assert (last.difference, last.deviations) == (0, 0)
        assert last.fitted == pytest.approx(8)


def test_parts_that_no_run_spends_or_that_go_together_are_named() -> None:
    """Requests that the client sends, of one size or of two; it receives nothing."""

    def runs(*sizes: int) -> list[Observed]:
        at = {"mtu_bytes": 1500, "side": "client"}
        return [
            Observed(quantity=COST, at={**at, "request_bytes": size}, low=1.0, high=1.0)
            for size in sizes
        ]

    sent = host_cost_model(Side.CLIENT, ["sent.per_message_s", "sent.per_byte_s"])
    require_separated(sent, runs(1000, 1001), [Side.CLIENT])
    with pytest.raises(CalibrationError, match=r"separate sent\.per_message_s, sent\.per_byte_s: "):
        require_separated(sent, runs(1000, 1000), [Side.CLIENT])
    both = host_cost_model(Side.CLIENT, ["sent.per_message_s", "received.per_message_s"])
    with pytest.raises(CalibrationError, match=r"separate received\.per_message_s: also measure "):
        require_separated(both, runs(1000, 1001), [Side.CLIENT])


def test_corners_of_a_set_stand_by_their_first_parameter() -> None:
    """2 to 3 s at 0, and 4 to 5 s at 1: the fixed part first, then what each adds."""
    both = feasible_set([seen(2, 0, 2, 3), seen(4, 1, 4, 5)], LINE)
    assert both.vertices == pytest.approx(np.array([[3, 2], [3, 1], [2, 3], [2, 2]]))


@pytest.mark.parametrize(("repeats", "share"), [(1, 1 / 3), (2, 1 / 2), (4, 2 / 3)])
def test_the_likeliest_times_may_lie_where_two_limits_tie(repeats: int, share: float) -> None:
    """
    Alone 1.2 s and at the bottleneck 0.12 s; ten take 0.1 s each, where both limits are alike.

    Both come down together, to the geometric mean of the figures that each of them is part of:
    less of one alone would leave the other, and more of one alone takes ten further off.
    """
    times = {1: 1.2, 100: 0.12, 10: 0.1}
    observed = [
        Observed(quantity=RATE, at={COUNT: count}, low=1 / time_s, high=1 / time_s)
        for count, time_s in times.items()
        for _ in range(repeats if count == 10 else 1)
    ]
    result = fit(observed, curve_model("saturation"))
    together = 0.1**share * 0.12 ** (1 - share)
    assert result.parameters["zero_load_s"].value == pytest.approx(10 * together, rel=1e-6)
    assert result.parameters["bottleneck_s"].value == pytest.approx(together, rel=1e-6)


@pytest.mark.parametrize(
    ("cap", "noise_ratio", "ends"),
    [
        # 1.959964 standard deviations of 2 % to either side
        (None, 0.02, (8 / math.exp(0.03919928), 10 * math.exp(0.03919928))),
        # no run exceeds the line
        (10.2, 0.02, (8 / math.exp(0.03919928), 10.2)),
        (12.0, 0.02, (8 / math.exp(0.03919928), 10 * math.exp(0.03919928))),
        (12.0, None, (0, 12.0)),
        (None, None, (0, math.inf)),
    ],
)
def test_one_more_run_scatters_about_the_range_and_stays_below_the_line(
    cap: float | None, noise_ratio: float | None, ends: tuple[float, float]
) -> None:
    """Rates of 8 to 10, from times that are known as a range."""
    line = None if cap is None else (lambda at: cap)
    model = DemandModel("y_fps", (FreeParameter("time_s", "s"),), lambda at: (1,), cap=line)
    point = Point("y_fps", {})
    widening = 1.0 if noise_ratio is None else math.exp(1.959963984540054 * noise_ratio)
    seen_rate = Observed(quantity="y_fps", at={}, low=8 * widening, high=10 / widening)
    allowed = feasible_set([seen_rate], model, noise_ratio=noise_ratio)
    _, low, high = allowed.predict(point)
    assert (low, high) == pytest.approx((8, 10))
    run = allowed.predict_run(point)
    assert (run.low, run.high) == pytest.approx(ends, rel=1e-6)
    assert allowed.is_scatter_known is (noise_ratio is not None)


def test_slopes_at_bounds_are_exact_for_polynomials_of_degree_four() -> None:
    """By five points ahead of a lower bound, behind an upper one, and around a place between."""

    def function(p: Any) -> Any:
        return np.array([p[0] ** 4 - 2 * p[0] ** 3 + 3 * p[0], p[0] * p[1] ** 3 + p[1] ** 4])

    bounds = (np.array([1.0, 1.0]), np.array([3.0, 3.0]))
    for first in (1.0, 2.0, 3.0):
        for second in (1.0, 2.0, 3.0):
            slopes = slopes_by_differences(
                function, np.array([first, second]), np.array([1e-3, 1e-3]), bounds
            )
            assert slopes == pytest.approx(
                np.array(
                    [
                        [4 * first**3 - 6 * first**2 + 3, 0],
                        [second**3, 3 * first * second**2 + 4 * second**3],
                    ]
                ),
                abs=1e-9,
            )
