"""What is left out and predicted: against numbers by hand, the hat matrix, and perfect models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from drawn import simulate
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scores import leave_one_out_errors, mean_crps_ratio, mean_interval_score_ratio

from netmodel._estimates import Estimate
from netmodel.calibration import (
    DemandModel,
    FreeParameter,
    Noise,
    Observed,
    Point,
    adapter_model,
    compare,
    feasible_set,
    interpolation,
    leave_one_out,
)
from netmodel.calibration._compare import Beyond, Scale, forecasting
from netmodel.calibration._leave_out import Method, Predictor, in_sample, mean_of_others
from netmodel.errors import CalibrationError, DomainError
from netmodel.records import Relation

pytestmark = pytest.mark.thorough

NAN = float("nan")
INFINITE = float("inf")


def seen(value: float, **conditions: float | str) -> Observed:
    return Observed(quantity="x_s", at=conditions, low=value, high=value, value=value)


def bound(low: float, high: float, relation: Relation, **conditions: float | str) -> Observed:
    return Observed(quantity="x_s", at=conditions, low=low, high=high, relation=relation)


@dataclass(frozen=True)
class Line:
    """Intercept and slope, without intervals or with one that is as wide everywhere."""

    intercept: float
    slope: float
    half_width: float = NAN

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        return {name: Estimate(0, NAN, NAN) for name in ("intercept", "slope")}

    def predict(self, point: Point) -> Estimate:
        value = self.intercept + self.slope * float(point.at["n"])
        return Estimate(value, value - self.half_width, value + self.half_width)


@dataclass(frozen=True)
class Ceiling:
    """The upper bound of a quantity, which no observation changes."""

    value: float

    @property
    def parameters(self) -> Mapping[str, Estimate]:
        return {}

    def predict(self, _: Point) -> Estimate:
        return Estimate(self.value, NAN, NAN)


def least_squares(observed: Sequence[Observed]) -> Predictor:
    if len(observed) < 2:
        raise CalibrationError("two observations at least")
    slope, intercept = np.polyfit(
        [float(each.at["n"]) for each in observed], [each.low for each in observed], 1
    )
    return Line(float(intercept), float(slope))


def always(predictor: Predictor) -> Method:
    return lambda observed: predictor


DOUBLED = always(Line(0, 2, 0.5))
EIGHT = [seen(y, n=x + 1) for x, y in enumerate((2.4, 2.1, 4.6, 4.2, 6.5, 5.4, 6.5, 6.5))]


def test_a_line_left_out_point_by_point_is_the_hat_matrix() -> None:
    rows = leave_one_out(least_squares, EIGHT).rows
    errors = [row.observed.low - row.predicted.value for row in rows if row.predicted]
    design = np.column_stack([np.ones(8), np.arange(1, 9)])
    expected = leave_one_out_errors(design, [each.low for each in EIGHT])
    assert errors == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.integers(1, 10**6), min_size=3, max_size=9, unique=True), st.floats(0.1, 10))
def test_a_perfect_model_has_no_error(places: list[int], slope: float) -> None:
    """Places at least 1 apart: between neighbouring floats, rounding alone is the slope."""
    observed = [seen(1 + slope * place, n=place) for place in places]
    for method in (always(Line(1, slope)), interpolation("n", Scale.LINEAR, Beyond.EXTEND)):
        errors = leave_one_out(method, observed)
        assert errors.figure_count == len(places)
        assert errors.root_mean_square_ratio == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("scale", list(Scale))
def test_interpolation_passes_through_its_points(scale: Scale) -> None:
    errors = in_sample(interpolation("n", scale), EIGHT)
    assert errors.root_mean_square_ratio == pytest.approx(0, abs=1e-12)
    assert errors.coverage is None


@pytest.mark.parametrize(
    ("scale", "expected"),
    [(Scale.LINEAR, 1 + 9 / 99 * 3), (Scale.LOG_CONDITION, 2.5), (Scale.LOG_BOTH, 2)],
)
def test_interpolation_between_two_points(scale: Scale, expected: float) -> None:
    """Half way of 1 and 100 in the logarithm is 10, half way of 1 and 4 is 2."""
    predictor = interpolation("n", scale)([seen(1, n=1), seen(4, n=100), seen(9, n=1, run="other")])
    result = predictor.predict(Point("x_s", {"n": 10}))
    assert result.value == pytest.approx(expected, rel=1e-12)
    assert np.isnan([result.low, result.high]).all()


def test_interpolation_outside_the_range_refuses_or_extends() -> None:
    observed = [seen(1, n=1), seen(2, n=2), seen(4, n=3), seen(4.5, n=3), seen(3.5, n=3)]
    errors = leave_one_out(interpolation("n", Scale.LINEAR), observed)
    assert [bool(row.refusal) for row in errors.rows] == [True, False, True, True, True]
    assert "n 1 is outside the observed range, 2 to 3" in errors.refusals[0][1]
    further = leave_one_out(interpolation("n", Scale.LINEAR, Beyond.EXTEND), observed)
    values = [row.predicted.value for row in further.rows if row.predicted]
    assert values == pytest.approx([0, 2.5, 3, 3, 3])


def test_interpolation_needs_its_condition_and_two_figures() -> None:
    method = interpolation("n")
    with pytest.raises(DomainError, match="needs n"):
        method(EIGHT).predict(Point("x_s", {}))
    for observed in ([seen(1, n=1)], [seen(1, n=1), bound(3, INFINITE, Relation.AT_LEAST, n=2)]):
        with pytest.raises(CalibrationError, match="no two figures"):
            method(observed).predict(Point("x_s", {"n": 1}))


def test_the_mean_keeps_quantities_apart() -> None:
    other = replace(seen(100, n=1), quantity="y_s")
    predictor = mean_of_others([seen(1, n=1), seen(3, n=2), other])
    assert predictor.predict(Point("x_s", {})).value == 2
    with pytest.raises(CalibrationError, match="z_s"):
        predictor.predict(Point("z_s", {}))


def test_errors_by_hand() -> None:
    """Twice n, plus and minus a half: errors of 0, 1/3 and -1/2, and two of three are held."""
    errors = in_sample(DOUBLED, [seen(2, n=1), seen(3, n=2), seen(4.5, n=2)])
    ratios = [row.error_ratio for row in errors.rows]
    assert ratios == pytest.approx([0, 1 / 3, -1 / 9])
    assert errors.mean_absolute_ratio == pytest.approx(4 / 27)
    assert errors.root_mean_square_ratio == pytest.approx(((1 / 9 + 1 / 81) / 3) ** 0.5)
    assert errors.worst is errors.rows[1]
    assert errors.coverage is not None
    assert (errors.coverage.hit_count, errors.coverage.count) == (2, 3)
    assert errors.mean_width_ratio == pytest.approx((1 / 2 + 1 / 3 + 1 / 4.5) / 3)
    scores = [1 / 2, (1 + 40 * 0.5) / 3, 1 / 4.5]
    assert mean_interval_score_ratio(errors) == pytest.approx(np.mean(scores))
    assert errors.bounds == (0, 0)


def test_errors_as_plain_values() -> None:
    """2 of 3 intervals hold: 9.4 to 99.2 % in the long run (Clopper and Pearson)."""
    below = bound(3, INFINITE, Relation.AT_LEAST, n=1)
    plain = in_sample(DOUBLED, [seen(2, n=1), seen(3, n=2), seen(4.5, n=2), below]).to_dict()
    covered, rows = plain.pop("coverage"), plain.pop("rows")
    assert (covered["hit_count"], covered["count"]) == (2, 3)
    assert (covered["low_ratio"], covered["high_ratio"]) == pytest.approx(
        (0.0943, 0.9916), abs=5e-5
    )
    assert plain == {
        "observation_count": 4,
        "figure_count": 3,
        "mean_absolute_ratio": pytest.approx(4 / 27),
        "root_mean_square_ratio": pytest.approx(((1 / 9 + 1 / 81) / 3) ** 0.5),
        "below_ceiling_mean_absolute_ratio": pytest.approx(4 / 27),
        "worst": "x_s at n 2",
        "mean_width_ratio": pytest.approx((1 / 2 + 1 / 3 + 1 / 4.5) / 3),
        "agreeing_bound_count": 0,
        "bound_count": 1,
        "refusals": [],
    }
    assert rows[1] == {
        "name": "x_s at n 2",
        "quantity": "x_s",
        "at": {"n": 2},
        "low": 3,
        "high": 3,
        "figure": 3,
        "predicted": {"value": 4, "low": 3.5, "high": 4.5},
        "refusal": None,
        "error_ratio": pytest.approx(1 / 3),
        "agrees": False,
        "holds": False,
        "is_at_ceiling": False,
    }
    assert rows[3]["high"] is None


def test_a_normal_prediction_is_scored_by_its_logarithm() -> None:
    """0.233695 standard deviations for a prediction that is right."""

    class Right:
        parameters: Mapping[str, Estimate] = {}

        def predict(self, point: Point) -> Estimate:
            half = 1.959964 * 0.1
            return Estimate(3, 3 * np.exp(-half), 3 * np.exp(half))

    errors = in_sample(always(Right()), [seen(3, n=1)])
    assert mean_crps_ratio(errors) == pytest.approx(0.0233695, rel=1e-5)


def test_an_endless_interval_holds_all_and_scores_infinitely() -> None:
    errors = in_sample(always(Line(0, 1, INFINITE)), [seen(7, n=1)])
    assert errors.coverage is not None
    assert errors.coverage.ratio == 1
    assert mean_interval_score_ratio(errors) == INFINITE
    assert mean_crps_ratio(errors) is None
    assert errors.to_dict()["mean_width_ratio"] is None


def test_bounds_are_judged_by_whether_the_prediction_agrees() -> None:
    observed = [
        bound(2, INFINITE, Relation.CENSORED_ABOVE, n=1),
        bound(3, INFINITE, Relation.AT_LEAST, n=1),
        bound(0, 3, Relation.AT_MOST, n=1),
        bound(1.9, 2.5, Relation.RANGE, n=1),
    ]
    errors = in_sample(DOUBLED, observed)
    assert [row.agrees for row in errors.rows] == [True, False, True, True]
    assert errors.bounds == (2, 3)
    assert errors.figure_count == 1
    assert [row.is_at_ceiling for row in errors.rows] == [True, False, False, False]


def test_comparisons_are_judged_by_the_ratio() -> None:
    """Twice n: three times as much at 3 as at 1; the largest of 1 and 4 is 8."""
    thrice = replace(seen(3, n=3), baseline={"n": 1})
    wrong = replace(seen(2, n=3), baseline={"n": 1})
    unknown = replace(seen(2, n=3), baseline="an older adapter")
    most = Observed(
        quantity="x_s", at={"n": 1}, also_at=({"n": 4},), low=7.5, high=8.5, relation=Relation.UP_TO
    )
    errors = in_sample(DOUBLED, [thrice, wrong, unknown, most])
    assert [row.agrees for row in errors.rows] == [True, False, None, True]
    assert errors.refusals == ((unknown.name, "nothing predicts the baseline an older adapter"),)
    assert errors.figure_count == 0
    assert errors.mean_absolute_ratio is None


def test_figures_at_the_line_are_distinguished() -> None:
    observed = [seen(5, n=1), seen(9.9, n=2), seen(9.7, n=3), seen(10, n=4)]
    errors = in_sample(always(Ceiling(10.0)), observed, lambda conditions: 10.0)
    assert [row.is_at_ceiling for row in errors.rows] == [False, True, False, True]
    assert errors.below_ceiling.mean_absolute_ratio == pytest.approx((1 + 0.3 / 9.7) / 2)
    assert errors.mean_absolute_ratio < 0.3
    assert "mean error below the ceiling: 51.5 %" in str(errors)


def test_replicates_leave_together() -> None:
    """Each of the two at n = 1 would predict the other without an error."""
    observed = [seen(1, n=1), seen(1, n=1), seen(3, n=2)]
    errors = leave_one_out("mean", observed)
    assert [row.predicted.value for row in errors.rows if row.predicted] == [3, 3, 1]


def test_groups_leave_together_and_comparisons_with_either_side() -> None:
    used: list[set[str]] = []

    def method(observed: Sequence[Observed]) -> Predictor:
        used.append({str(each.value) for each in observed})
        return Line(0, 1)

    observed = [
        seen(1, n=1, adapter="a", mtu_bytes=1500),
        seen(2, n=2, adapter="a", mtu_bytes=9000),
        seen(3, n=3, adapter="b", mtu_bytes=1500),
        replace(seen(4, n=4, adapter="c", mtu_bytes=1500), baseline={"n": 1, "adapter": "a"}),
    ]
    leave_one_out(method, observed, by="adapter")
    assert used == [{"3"}, {"1", "2", "4"}, {"1", "2", "3"}]
    used.clear()
    leave_one_out(method, observed, by=("adapter", "mtu_bytes"))
    assert used == [{"2", "3", "4"}, {"1", "3", "4"}, {"1", "2", "4"}, {"1", "2", "3"}]


def test_a_single_group_is_refused() -> None:
    with pytest.raises(CalibrationError, match="of one group"):
        leave_one_out("mean", [seen(1, n=1), seen(2, n=1)])
    with pytest.raises(DomainError, match="adapter"):
        leave_one_out("mean", EIGHT, by="adapter")


def test_a_method_of_another_name_is_refused() -> None:
    with pytest.raises(DomainError, match="a method must be callable, or 'mean'; got 'median'"):
        leave_one_out("median", EIGHT)  # type: ignore[arg-type]


def test_a_method_that_refuses_a_subset_is_reported() -> None:
    errors = leave_one_out(least_squares, [seen(1, n=1), seen(2, n=2)])
    assert [why for _, why in errors.refusals] == ["two observations at least"] * 2
    assert errors.figure_count == 0
    assert errors.to_dict()["refusals"][0] == ["x_s at n 1", "two observations at least"]
    assert "refused: x_s at n 1: two observations at least" in str(errors)


def test_ranges_of_feasible_sets_contain_left_out_figures() -> None:
    """Figures printed to 0.1 Gbit/s of one adapter: each lies in what the others allow."""
    model = adapter_model(25e9)
    template = [
        Observed(quantity="throughput_bps", at={"mtu_bytes": mtu}, low=9.95e9, high=10.05e9)
        for mtu in (1500, 2000, 3000, 9000)
    ]
    observed = simulate(model, {"per_frame_s": 0.7e-6, "per_byte_s": 0.11e-9}, template, 0, seed=1)
    errors = leave_one_out(partial(feasible_set, model=model), observed)
    assert errors.coverage is not None
    assert (errors.coverage.hit_count, errors.coverage.count) == (4, 4)
    assert 0 < errors.mean_width_ratio < 0.5
    faulty = [*observed[:3], replace(observed[3], low=1e9, high=1.1e9)]
    refused = leave_one_out(partial(feasible_set, model=model), faulty).refusals
    assert len(refused) == 3
    (row,) = compare({"set": partial(feasible_set, model=model)}, faulty).methods
    assert row.parameter_count is None


def test_a_range_agrees_with_a_bound_that_it_reaches() -> None:
    class Range:
        parameters: Mapping[str, Estimate] = {}

        def predict(self, point: Point) -> Estimate:
            return Estimate(None, 2, 3)

    observed = [bound(2.5, INFINITE, Relation.AT_LEAST, n=1), bound(0, 1, Relation.AT_MOST, n=1)]
    errors = in_sample(
        always(Range()), [*observed, seen(2.5, n=1), replace(seen(1, n=1), baseline={"n": 2})]
    )
    assert [row.agrees for row in errors.rows] == [True, False, True, True]
    assert [row.holds for row in errors.rows] == [None, None, True, None]
    assert errors.figure_count == 0


def test_methods_beside_each_other() -> None:
    methods = {
        "line": least_squares,
        "interpolation": interpolation("n"),
        "ceiling": always(Ceiling(6.6)),
    }
    table = compare(methods, EIGHT, cap=lambda conditions: 6.6)
    assert [each.parameter_count for each in table.methods] == [2, 8, 0]
    assert [each.degrees_of_freedom for each in table.methods] == [6, 0, 8]
    line, between, ceiling = table.methods
    assert line.left_out.mean_absolute_ratio > line.in_sample.mean_absolute_ratio
    assert between.in_sample.mean_absolute_ratio == pytest.approx(0, abs=1e-12)
    assert ceiling.left_out.below_ceiling.mean_absolute_ratio > ceiling.left_out.mean_absolute_ratio
    assert any(note.startswith("interpolation: no degree of freedom") for note in table.notes)
    assert any("interpolation, one left out: 2 of 8 refused" in note for note in table.notes)
    lines = str(table).splitlines()
    assert lines[0].split("  ")[0] == "method"
    assert len(lines) == 4 + len(table.notes)
    html = table._repr_html_()
    assert (html.count("<tr>"), html.count("<li>")) == (4, len(table.notes))
    assert table.to_dict()["methods"][1]["degrees_of_freedom"] == 0


def test_few_figures_and_refusals_are_noted() -> None:
    observed = [seen(1, n=1, run=1), seen(2, n=2, run=1), seen(3, n=3, run=2)]
    table = compare({"line": least_squares}, observed, by="run")
    assert "all errors rest on 3 figures: chance may order the methods" in table.notes
    assert any("line, one group left out: 2 of 3 refused" in note for note in table.notes)
    (line,) = table.methods
    assert line.groups_left_out is not None
    assert line.groups_left_out.figure_count == 1
    assert "run left out" in str(table)


def test_a_method_that_refuses_all_has_no_parameters() -> None:
    table = compare({"line": least_squares, "mean": "mean"}, EIGHT[:2])
    assert table.methods[0].parameter_count == 2

    def refuses(observed: Sequence[Observed]) -> Predictor:
        raise CalibrationError("never")

    (none,) = compare({"none": refuses}, EIGHT).methods
    assert (none.parameter_count, none.degrees_of_freedom) == (None, None)
    assert len(none.in_sample.refusals) == 8


LINE = DemandModel(
    "x_s",
    (FreeParameter("fixed_s", "s", -np.inf), FreeParameter("each_s", "s", -np.inf)),
    lambda conditions: (1, float(conditions["n"])),
    is_rate=False,
)


def test_a_forecast_of_a_line_is_that_of_least_squares() -> None:
    """The interval of another figure by the textbook: t s sqrt(1 + leverage)."""
    design = np.column_stack([np.ones(8), np.arange(1, 9)])
    figures = np.array([each.low for each in EIGHT])
    result, squares, _, _ = np.linalg.lstsq(design, figures)
    spread = np.sqrt(squares[0] / 6)
    for n in (1.0, 4.5, 12.0):
        row = np.array([1, n])
        leverage = row @ np.linalg.inv(design.T @ design) @ row
        half = stats.t.ppf(0.975, 6) * spread * np.sqrt(1 + leverage)
        forecast = forecasting(LINE, Noise.ABSOLUTE)(EIGHT).predict(Point("x_s", {"n": n}))
        ends = (row @ result - half, row @ result + half)
        assert (forecast.low, forecast.high) == pytest.approx((max(0, ends[0]), ends[1]), rel=1e-6)


def test_a_forecast_uses_the_given_noise() -> None:
    """Relative noise: by the textbook of the logarithms; none without a degree of freedom."""
    level = DemandModel("x_s", (FreeParameter("x_s", "s"),), lambda conditions: (1,), is_rate=False)
    observed = [seen(value, n=value) for value in (3.0, 3.3, 2.8)]
    logs = np.log([3, 3.3, 2.8])
    result = forecasting(level)(observed).predict(Point("x_s", {}))
    half = stats.t.ppf(0.975, 2) * logs.std(ddof=1) * np.sqrt(1 + 1 / 3)
    assert np.log([result.low, result.high]) == pytest.approx(
        logs.mean() + half * np.array([-1, 1])
    )
    message = forecasting(level, noise_ratio=0.1)(observed).predict(Point("x_s", {}))
    assert np.log(message.high / message.value) == pytest.approx(1.959964 * 0.1 * np.sqrt(4 / 3))
    alone = forecasting(level)(observed[:1]).predict(Point("x_s", {}))
    assert alone.value == pytest.approx(3)
    assert np.isnan([alone.low, alone.high]).all()


def test_forecasts_contain_figures_at_their_level() -> None:
    """Of 24 series each figure left out is in its interval 95 times in 100, 99.9 % sure."""
    template = [seen(1, n=n) for n in (1, 2, 4, 8)]
    true = {"fixed_s": 3.0, "each_s": 2.0}
    hits = 0
    for seed in range(24):
        observed = simulate(LINE, true, template, 0.05, seed)
        rows = leave_one_out(forecasting(LINE), observed).rows
        hits += bool(rows[seed % 4].holds)
    least, most = stats.binom.interval(0.999, 24, 0.95)
    assert least <= hits <= most
