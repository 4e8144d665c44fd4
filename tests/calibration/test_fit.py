"""Fits: what they refuse and why, relative figures, several cases, draws, and what they tell."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from netmodel.calibration import Fit, Observed, Point, adapter_model, fit
from netmodel.calibration.models import (
    Curve,
    FreeParameter,
    LinearModel,
    Loads,
    Model,
    demand_model,
    with_fixed,
)
from netmodel.calibration.named_models import curve_model
from netmodel.errors import CalibrationError, DomainError
from netmodel.records.values import Relation

PER_FRAME_S, PER_BYTE_S = 0.5e-6, 0.2e-9
TRUE = np.array([PER_FRAME_S, PER_BYTE_S])
MTUS = (576, 1500, 2000, 3000, 4000)
ADAPTER = adapter_model()
CAPPED = adapter_model(25e9)
RATE = "throughput_bps"


def rates(model: Model, mtus: Sequence[int] = MTUS, noise_ratio: float = 0.0) -> list[Observed]:
    points = [Point(RATE, {"mtu_bytes": mtu}) for mtu in mtus]
    scatter = np.random.default_rng(7).normal(0, noise_ratio, len(mtus))
    seen = model.function(points)(TRUE) * np.exp(scatter)
    return [
        Observed(quantity=RATE, at=point.at, low=float(each), high=float(each))
        for point, each in zip(points, seen, strict=True)
    ]


def beyond(mtu_bytes: int, rate_bps: float = 24e9) -> Observed:
    return Observed(
        quantity=RATE,
        at={"mtu_bytes": mtu_bytes},
        low=rate_bps,
        high=math.inf,
        relation=Relation.CENSORED_ABOVE,
    )


def rounded(observed: Observed, half_bps: float) -> Observed:
    return replace(observed, low=observed.low - half_bps, high=observed.high + half_bps)


def refused(observed: Sequence[Observed], model: Model = ADAPTER, **options: object) -> str:
    with pytest.raises(CalibrationError) as refusal:
        fit(observed, model, **options)  # type: ignore[arg-type]
    return str(refusal.value)


def test_all_censored_is_refused() -> None:
    message = refused([beyond(1500), beyond(3000), beyond(9000)], noise_ratio=0.01)
    assert message == "every figure is a bound, as at line speed: measure below it"


def test_fewer_observations_than_parameters_are_refused() -> None:
    message = refused([*rates(CAPPED, (1500,)), beyond(9000)], CAPPED, noise_ratio=0.01)
    assert message.startswith("1 figure that is no bound is too few for 2 parameters")


def test_two_rates_that_no_adapter_has_say_so_first() -> None:
    """Less at the larger MTU: the best fit has no time per frame, and meets neither."""
    faster, slower = rates(ADAPTER, (1500, 9000))
    faster, slower = replace(faster, low=24e9, high=24e9), replace(slower, low=10e9, high=10e9)
    found = fit([faster, slower], ADAPTER)
    assert found.notes[0].endswith("the best fit lies beyond it, as where a larger MTU does worse")
    assert not any("no residual" in note for note in found.notes)


def test_no_observation_for_the_noise_is_refused() -> None:
    message = refused([*rates(ADAPTER, (1500, 3000)), beyond(9000)])
    assert "and the noise" in message


def test_a_parameter_without_effect_is_named() -> None:
    model = demand_model(
        "time_s",
        (FreeParameter("fixed_s", "s"), FreeParameter("each_s", "s")),
        lambda conditions: (1, conditions["count"]),
        is_rate=False,
    )
    observed = [
        Observed(quantity="time_s", at={"count": 0}, low=each, high=each) for each in (1, 2, 3)
    ]
    assert "no observation depends on each_s" in refused(observed, model)


def test_rounding_that_explains_all_differences_hides_the_noise() -> None:
    """Root mean square of the widths over the square root of 12: a uniform distribution."""
    observed = [rounded(each, 1e8) for each in rates(ADAPTER)]
    result = fit(observed, ADAPTER)
    widths = [math.log(each.high / each.low) for each in observed]
    assert result.noise_sd == pytest.approx(np.sqrt(np.mean(np.square(widths)) / 12))
    assert "rounding hides the noise" in result.notes[0]
    for name, each in result.parameters.items():
        assert each.low < dict(zip(result.parameters, TRUE, strict=True))[name] < each.high
    assert fit(observed, ADAPTER, noise_ratio=0.01).noise_sd == 0.01


def test_published_rounding_that_explains_all_differences_is_refused() -> None:
    observed = [replace(rounded(each, 1e8), is_published=True) for each in rates(ADAPTER)]
    assert "meets all observations within their digits; give noise_ratio=..." in refused(observed)


def test_a_figure_of_zero_has_no_ratio() -> None:
    observed = [*rates(ADAPTER), Observed(quantity=RATE, at={"mtu_bytes": 1000}, low=0, high=0)]
    assert "cannot have relative noise" in refused(observed)


def test_no_bound_is_refused() -> None:
    message = Observed(quantity=RATE, at={"mtu_bytes": 1500}, low=0, high=math.inf)
    assert "no observation bounds anything" in refused([message])
    assert "no observation bounds anything" in refused([])


def test_an_observation_of_another_quantity_is_refused() -> None:
    message = Observed(quantity="other", at={"mtu_bytes": 1500}, low=1, high=1)
    assert "not of this model" in refused([*rates(ADAPTER), message])


def test_a_quantity_without_a_calibrated_limit_is_refused() -> None:
    nothing = demand_model(
        "y", (FreeParameter("a", ""),), lambda conditions: (0.0,), cap=lambda conditions: 1.0
    )
    message = Observed(quantity="y", at={}, low=1, high=math.inf, relation=Relation.CENSORED_ABOVE)
    assert "has no calibrated limit" in refused([message], nothing)


def test_a_curve_without_values_is_refused() -> None:
    curve = Curve("y", (FreeParameter("a", ""),), lambda x, a: a * x / 0.0 * 0.0, ("x",), (1.0,))
    observed = [Observed(quantity="y", at={"x": x}, low=1, high=1) for x in (1, 2, 3)]
    assert "has no value" in refused(observed, curve)


def test_noise_is_above_zero() -> None:
    with pytest.raises(DomainError, match="noise_ratio must be above 0"):
        fit(rates(ADAPTER), ADAPTER, noise_ratio=0.0)


def values(result: Fit) -> list[float]:
    return [*result.values.values()]


def test_figures_without_noise_give_the_parameters() -> None:
    result = fit(rates(ADAPTER), ADAPTER)
    assert values(result) == pytest.approx(TRUE, rel=1e-9)
    assert "to the last digit" in result.notes[0]
    assert "noise is not known" in result.notes[1]
    assert result.parameters["per_frame_s"][1:] == (0, math.inf)
    assert not any(result.estimable.values())


def test_a_censored_rate_is_about_the_adapter_alone() -> None:
    """Beyond the line it says the same without a line in the model, and still shows something."""
    observed = [*rates(ADAPTER, noise_ratio=0.02), beyond(9000, 40e9)]
    with_line, without = (fit(observed, model, noise_ratio=0.02) for model in (CAPPED, ADAPTER))
    unbounded = fit(observed[:-1], ADAPTER, noise_ratio=0.02)
    assert without.values["per_byte_s"] < unbounded.values["per_byte_s"]
    assert with_line.values["per_byte_s"] < unbounded.values["per_byte_s"]


def test_a_figure_at_the_line_shows_that_the_adapter_is_no_slower() -> None:
    """Exact likelihood of the smaller of the two: the line at MTU 9000 hides the adapter."""
    observed = rates(CAPPED, (576, 1000, 1500, 2000, 9000), 0.01)
    capped = fit(observed, CAPPED, noise_ratio=0.01)
    short = fit(observed[:-1], CAPPED, noise_ratio=0.01)
    assert values(capped) == pytest.approx(values(short), rel=1e-6)
    assert capped.parameters["per_byte_s"].high <= short.parameters["per_byte_s"].high + 1e-15


def compared(mtu: int, to: int, ratio: float) -> Observed:
    at, baseline = {"mtu_bytes": mtu}, {"mtu_bytes": to}
    return Observed(quantity=RATE, at=at, low=ratio, high=ratio, baseline=baseline)


def true_rate(mtu: int, model: Model = ADAPTER) -> float:
    return float(model.function([Point(RATE, {"mtu_bytes": mtu})])(TRUE)[0])


def test_only_parameters_that_change_nothing_together_are_named() -> None:
    free = tuple(FreeParameter(x, "s", separated_by=f"two {x}") for x in ("a_s", "b_s", "c_s"))
    model = demand_model("y_s", free, lambda at: (at["x"], 1.0, 2.0), is_rate=False)
    seen = [Observed(quantity="y_s", at={"x": x}, low=3 + x, high=3 + x) for x in range(4)]
    message = refused(seen, model, noise_ratio=0.01)
    assert "cannot separate b_s and c_s; measure at two b_s and two c_s" in message


def test_ratios_to_other_conditions() -> None:
    ratios = [compared(mtu, 1500, true_rate(mtu) / true_rate(1500)) for mtu in (576, 3000, 9000)]
    result = fit([*rates(ADAPTER, (1500,)), *ratios], ADAPTER, noise_ratio=0.01)
    assert values(result) == pytest.approx(TRUE, rel=1e-8)


def test_ratios_alone_determine_no_scale() -> None:
    ratios = [compared(mtu, 1500, true_rate(mtu) / true_rate(1500)) for mtu in (576, 3000, 9000)]
    assert "cannot separate" in refused(ratios, noise_ratio=0.01)


def grid_ends(result: Fit, point: Point, loss: float) -> tuple[float, float]:
    """Ends of a prediction by looking everywhere about the optimum."""
    centre = np.array(values(result))
    reach = 5 * np.sqrt(np.diag(result.covariance))
    axes = [np.linspace(max(0, c - r), c + r, 401) for c, r in zip(centre, reach, strict=True)]
    places = np.array(np.meshgrid(*axes)).reshape(2, -1)
    seen = [Point(each.quantity, each.at) for each in result.observed]
    misses = np.log(result.model.function(seen)(places)) - np.log(
        [[each.low] for each in result.observed]
    )
    square = (misses**2).sum(axis=0) / result.noise_sd**2
    inside = places[:, square - square.min() <= loss]
    predicted = result.model.function([point])(inside)
    return float(predicted.min()), float(predicted.max())


@pytest.mark.parametrize("mtu_bytes", [1000, 2500, 3400, 4000, 9000])
@pytest.mark.parametrize("model", [ADAPTER, CAPPED], ids=["alone", "with line"])
def test_predictions_span_the_likelihood_region(model: Model, mtu_bytes: int) -> None:
    result = fit(rates(model, noise_ratio=0.02), model, noise_ratio=0.02)
    point = Point(RATE, {"mtu_bytes": mtu_bytes})
    message = result.predict(point)
    low, high = grid_ends(result, point, 3.841459)
    assert message.low <= low * (1 + 1e-9)
    assert message.high >= high * (1 - 1e-9)
    assert (message.low, message.high) == pytest.approx((low, high), rel=2e-3)


def test_a_bound_makes_an_interval_one_sided() -> None:
    """Twice the loss may be 2.705543 there, half of a chi-square and half of nothing."""
    model = demand_model(
        "y",
        (FreeParameter("a", ""), FreeParameter("b", "")),
        lambda conditions: (1, conditions["x"]),
        is_rate=False,
    )
    observed = [Observed(quantity="y", at={"x": x}, low=9 - x, high=9 - x) for x in range(4)]
    result = fit(observed, model, noise="absolute", noise_ratio=1.0)
    assert result.active_bounds == ("b",)
    slope = result.parameters["b"]
    assert (slope.low, slope.value) == (0, 0)
    spread, best = 5.0, -1.0
    assert (slope.high - best) ** 2 - best**2 == pytest.approx(2.705543 / spread, rel=1e-6)
    assert "at its bound" in result.notes[0]
    # of 9 and 6 the mean: 1.5 off on either side, beside no degree of freedom
    pair = fit(observed[::3], model, noise="absolute", noise_ratio=0.1)
    assert pair.scatter_ratio == pytest.approx(math.sqrt(2) * 1.5)


def test_a_parameter_in_a_small_unit_is_found_as_well() -> None:
    model = demand_model(
        "y", (FreeParameter("a", ""),), lambda at: (1e-12 * at["x"],), is_rate=False
    )
    observed = [Observed(quantity="y", at={"x": x}, low=x, high=x) for x in (1.0, 2.0, 3.0)]
    result = fit(observed, model, noise_ratio=0.1)
    assert result.parameters["a"].value == pytest.approx(1e12)


def level(half_s: float) -> list[Observed]:
    """Six runs under two conditions of which a model of one level makes no difference."""
    figures = {1: (9.9, 10.0, 10.1), 2: (11.9, 12.0, 12.1)}
    return [
        Observed(quantity="x_s", at={"n": n}, low=each - half_s, high=each + half_s)
        for n, many in figures.items()
        for each in many
    ]


def test_wide_figures_that_one_value_meets_hide_the_noise() -> None:
    model = demand_model(
        "x_s", (FreeParameter("x_s", "s"),), lambda conditions: (1,), is_rate=False
    )
    result = fit(level(1.5), model, noise="absolute")
    assert "hides the noise" in result.notes[0]


def test_the_optimum_may_be_where_two_limits_tie() -> None:
    """As fast as the line at MTU 4000: a figure above the line pulls no further than there."""
    mtus = (1000, 1500, 2000, 3000, 4000, 6000)
    points = [Point(RATE, {"mtu_bytes": mtu}) for mtu in mtus]
    scatter = np.random.default_rng(1724).normal(0, 0.125, len(mtus))
    seen = CAPPED.function(points)(TRUE) * np.exp(scatter)
    observed = [
        Observed(quantity=RATE, at=point.at, low=float(each), high=float(each))
        for point, each in zip(points, seen, strict=True)
    ]
    result = fit(observed, CAPPED, noise_ratio=0.125)
    at_tie = [
        float(model.function(points[4:5])(np.array(values(result)))[0])
        for model in (ADAPTER, CAPPED)
    ]
    assert at_tie[0] == pytest.approx(at_tie[1], rel=1e-9)
    near = np.array(values(result))[:, np.newaxis] * (
        1 + np.random.default_rng(0).normal(0, 1e-3, (2, 2000))
    )
    misses = np.log(CAPPED.function(points)(near)) - np.log(seen)[:, np.newaxis]
    best = np.square([math.log(each.measured / each.fitted) for each in result.residuals]).sum()
    assert (np.square(misses).sum(axis=0) > best).all()


def test_the_likeliest_parameters_are_found_in_either_order() -> None:
    """Figures that scatter far more than the noise: which of them the line binds is a choice."""
    mtus = (4000, 576, 9000, 1000, 1500, 6000, 3000)
    figures = zip(mtus, (26.2, 10.95, 23.69, 18.9, 23.1, 25.9, 20.29), strict=True)
    observed = [
        Observed(quantity=RATE, at={"mtu_bytes": mtu}, low=gbps * 1e9, high=gbps * 1e9)
        for mtu, gbps in figures
    ]

    def sums(point: Point) -> Loads:
        loads = CAPPED.sums(point)
        return replace(loads, rows=loads.rows[:, [1, 0, 2]])

    swapped = LinearModel(CAPPED.every[::-1], sums)
    one, other = (fit(observed, model, noise_ratio=0.02) for model in (CAPPED, swapped))
    assert one.log_likelihood == pytest.approx(other.log_likelihood)
    assert one.values == pytest.approx(other.values, rel=1e-6)


def test_text_and_json_of_a_fit() -> None:
    result = fit(rates(ADAPTER, noise_ratio=0.01), ADAPTER)
    message = result.to_dict()
    assert message["parameters"]["per_frame_s"] == {
        **result.parameters["per_frame_s"]._asdict(),
        "unit": "s",
        "estimable": True,
    }
    assert message["degrees_of_freedom"] == 3
    assert [each["name"] for each in message["residuals"]] == [
        each.name for each in result.observed
    ]
    assert "per_frame_s" in str(result)


def test_a_rounded_figure_has_the_likelihood_of_its_cell() -> None:
    """One figure of a noise of 2 %: twice the loss of log-likelihood is 3.841459 at both ends."""
    model = demand_model("x_s", (FreeParameter("x_s", "s"),), lambda at: (1,), is_rate=False)
    seen = [Observed(quantity="x_s", at={}, low=0.9, high=1.1)]
    result = fit(seen, model, noise_ratio=0.02).parameters["x_s"]
    for end in (result.low, result.high):
        low, high = (stats.norm.cdf(math.log(each / end) / 0.02) for each in (0.9, 1.1))
        assert -2 * math.log(high - low) == pytest.approx(3.841459, rel=1e-4)


@pytest.mark.parametrize("mtus", [(576, 1500, 4000), (4000, 1500, 576), (1500, 4000, 576)])
def test_of_equal_residuals_the_first_is_named(mtus: tuple[int, ...]) -> None:
    """With one degree of freedom all are a standard deviation off, whatever rounding says."""
    result = fit(rates(ADAPTER, mtus, 0.01), ADAPTER)
    assert [abs(each.deviations) for each in result.residuals] == pytest.approx([1, 1, 1])
    assert result.largest_residual == result.residuals[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_law_whose_shared_work_does_not_show_has_open_intervals(seed: int) -> None:
    """A batch of six smooth figures without shared work: any size of it fits."""
    counts = np.array([1.0, 5, 10, 50, 100, 250])
    chance = np.random.default_rng(seed).normal(0, 0.005, len(counts))
    rates = 1 / ((4e-4 / counts) ** 4 + 1e-5**4) ** 0.25 * np.exp(chance)
    observed = [
        Observed(
            quantity="transaction_rate_tps", at={"connection_count": count}, low=rate, high=rate
        )
        for count, rate in zip(counts, rates, strict=True)
    ]
    result = fit(observed, curve_model("amortised"))
    assert "shared_s" in result.active_bounds
    assert result.parameters["batching_count"].high == math.inf
    assert not result.estimable["batching_count"]
    for each in result.parameters.values():
        assert each.low <= each.value < each.high


def test_an_interval_holds_places_that_a_kink_parts() -> None:
    """The line may hide MTU 9000 or not: both explain 23 Gbit/s within 2 % of noise."""
    figures = ((576, 5.5e9, 5e7), (1500, 13.4e9, 5e7), (4000, 19e9, 5e8), (9000, 23e9, 5e8))
    observed = [
        Observed(quantity=RATE, at={"mtu_bytes": mtu}, low=rate - half, high=rate + half)
        for mtu, rate, half in figures
    ]
    result = fit(observed, CAPPED, noise_ratio=0.02)
    assert result.answer  # two figures are far off: without what that adds
    frame = replace(result, _variance_ratio=1.0, _degrees=math.inf).parameters["per_frame_s"]
    assert frame.low * 1e9 == pytest.approx(541, abs=3)
    assert frame.high * 1e9 == pytest.approx(612, abs=3)


def test_a_change_is_that_of_welch_in_logarithms() -> None:
    """Of one parameter in proportion to a rate; ends of a difference are off by less than 2 %."""
    chance, model = np.random.default_rng(7), with_fixed(ADAPTER, {"per_frame_s": 0.0})
    logarithms = [
        chance.normal(math.log(mean), sd, 8) for mean, sd in ((8e9, 0.002), (8.02e9, 0.004))
    ]
    at = {"mtu_bytes": 9000}
    new, old = (
        fit([Observed(quantity=RATE, at=at, low=x, high=x) for x in np.exp(each).tolist()], model)
        for each in logarithms
    )
    ((change, low, high), p) = new.changes_from(old)["per_byte_s"]
    test = stats.ttest_ind(*logarithms, equal_var=False)
    assert p == pytest.approx(test.pvalue, rel=0.01)
    least, most = test.confidence_interval()  # of a rate: a time shrinks as it grows
    ratios = (change / old.values["per_byte_s"], low / old.values["per_byte_s"])
    assert ratios == pytest.approx((-(least + most) / 2, -most), rel=0.03)
    ((back, back_low, back_high), back_p) = old.changes_from(new)["per_byte_s"]
    assert (-back, -back_high, -back_low, back_p) == pytest.approx((change, low, high, p))
    assert new.changes_from(new)["per_byte_s"][0].value == 0


def test_changes_of_other_parameters_or_without_noise_are_refused() -> None:
    known, unknown = (
        fit(rates(ADAPTER, noise_ratio=0.01), ADAPTER),
        fit(rates(ADAPTER)[:2], ADAPTER),
    )
    with pytest.raises(CalibrationError, match="no interval of a change"):
        known.changes_from(unknown)
    one = with_fixed(ADAPTER, {"per_frame_s": 0.0})
    with pytest.raises(DomainError, match="fits of the same parameters can be compared"):
        known.changes_from(fit(rates(ADAPTER, noise_ratio=0.01), one))
