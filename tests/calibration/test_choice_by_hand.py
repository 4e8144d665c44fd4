"""A choice between two models whose errors are known: shares, intervals, table and plain values."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from scipy.optimize import brentq
from scipy.stats import t

from netmodel._estimates import Estimate
from netmodel.calibration import Observed, Point
from netmodel.calibration._choices import ChosenModel, choose_model
from netmodel.errors import CalibrationError

RATE, COUNT = "transaction_rate_tps", "connection_count"
NEAR = {1: 1.1, 2: 1.1, 3: 1.1, 4: 1.1, 5: 1.2}
"""10 % too high between the ends."""
FAR = {1: 1.0, 2: 1.3, 3: 1.3, 4: 1.3, 5: 1.1}
"""30 % too high between the ends, and closer at these."""


class Wrong:
    """Predicts 100 for each connection, times a factor for each number of them."""

    def __init__(self, factors: Mapping[int, float], names: Sequence[str] = ("a",)) -> None:
        self.factors, self.parameters = factors, {name: Estimate(1.0, 1.0, 1.0) for name in names}

    def predict(self, point: Point) -> Estimate:
        count = int(point.at[COUNT])
        if count not in self.factors:
            raise CalibrationError(f"nothing at {count}")
        value = 100.0 * count * self.factors[count]
        return Estimate(value, math.nan, math.nan)


def chosen(counts: Sequence[int] = (1, 2, 3, 4, 5), **options: Any) -> ChosenModel:
    observed = [
        Observed(quantity=RATE, at={COUNT: count}, low=100.0 * count, high=100.0 * count)
        for count in counts
    ]
    methods: dict[str, Any] = {
        "far": lambda _: Wrong(FAR, ("a", "b")),
        "near": lambda _: Wrong(NEAR | {7: 1.5}),
    }
    return choose_model(observed, methods, COUNT, **options)


INSIDE = {"near": math.log(1.1), "far": math.log(1.3)}
BEYOND = {
    "near": math.sqrt((math.log(1.1) ** 2 + math.log(1.2) ** 2) / 2),
    # figures have four digits: an exact one counts as off by 0.0001
    "far": math.sqrt((1e-4**2 + math.log(1.1) ** 2) / 2),
}


def shares(spreads: Mapping[str, float], count: int) -> dict[str, float]:
    """As likely as errors of these sizes are: each to the power of minus the number of figures."""
    powers = {name: spread**-count for name, spread in spreads.items()}
    return {name: power / sum(powers.values()) for name, power in powers.items()}


def test_each_model_has_its_errors_and_its_share() -> None:
    result = chosen(refused={"line": "too few"})
    inside, beyond = shares(INSIDE, 3), shares(BEYOND, 2)
    errors = {
        "near": (0.1, math.sqrt((0.01 + 0.04) / 2), math.sqrt((4 * 0.01 + 0.04) / 5)),
        "far": (0.3, math.sqrt(0.01 / 2), math.sqrt((3 * 0.09 + 0.01) / 5)),
    }
    assert result.to_dict() == {
        "chosen": {"inside": "near", "beyond": "far"},
        "over": COUNT,
        "range": [1, 5],
        "level_ratio": 0.95,
        "candidates": [
            {
                "name": name,
                "parameter_count": parameters,
                "inside_root_mean_square_ratio": pytest.approx(errors[name][0]),
                "end_root_mean_square_ratio": pytest.approx(errors[name][1]),
                "root_mean_square_ratio": pytest.approx(errors[name][2]),
                "weight_inside_ratio": pytest.approx(inside[name]),
                "weight_beyond_ratio": pytest.approx(beyond[name]),
            }
            for name, parameters in (("near", 1), ("far", 2))
        ],
        "refused": {"line": "too few"},
        "notes": list(result.notes),
    }
    # shares of 0.95 and 0.05, and of 0.18 and 0.82
    assert result.table.splitlines() == [
        "model  parameters  RMS error inside  at ends  weight inside  beyond",
        "near            1            10.0 %   15.8 %           95 %    18 %",
        "far             2            30.0 %    7.1 %            5 %    82 %",
    ]
    assert result.answer == "near predicts left-out figures best"
    assert str(result).startswith(result.table)


def test_notes_name_the_models_and_their_errors() -> None:
    assert chosen().notes == (
        "near is chosen between connection_count 1 and 5: RMS error 10.0 % of left-out figures",
        "far is chosen beyond them: RMS error 7.1 % of the two end figures",
    )
    # of four figures two are inside: all four count, and chance may order the models
    few = chosen((1, 2, 3, 4)).notes
    assert few[-1] == "the choice rests on 4 figures: chance may order the models"
    assert not any("chance" in note for note in chosen().notes)


@pytest.mark.parametrize(("count", "is_inside"), [(1, True), (3, True), (5, True), (7, False)])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_an_interval_averages_over_the_models(count: int, is_inside: bool, level: float) -> None:
    """Student's t about each prediction, with its errors and its share; beyond, as at the ends."""
    spreads, figures = (INSIDE, 3) if is_inside else (BEYOND, 2)
    factors = {"near": (NEAR | {7: 1.5})[count], "far": FAR.get(count, math.nan)}
    weights = shares(spreads, figures)
    known = [name for name in factors if not math.isnan(factors[name])]
    total = sum(weights[name] for name in known)

    def below(logarithm: float, probability: float) -> float:
        return (
            sum(
                weights[name]
                * t.cdf(
                    (logarithm - math.log(100 * count * factors[name])) / spreads[name], figures
                )
                for name in known
            )
            / total
            - probability
        )

    tail = (1 - level) / 2
    low, high = (brentq(below, -20, 40, args=(each,), xtol=1e-12) for each in (tail, 1 - tail))
    result = chosen(level_ratio=level).predict(Point(RATE, {COUNT: count}))
    best = max(known, key=lambda name: weights[name])
    assert result.value == pytest.approx(100 * count * factors[best])
    assert (result.low, result.high) == pytest.approx((math.exp(low), math.exp(high)), rel=1e-9)


def test_a_point_that_no_model_knows_is_refused() -> None:
    with pytest.raises(CalibrationError, match="no model has a value there: nothing at 9"):
        chosen().predict(Point(RATE, {COUNT: 9}))


def test_what_is_known_of_parameters_is_that_of_the_chosen_model() -> None:
    result = chosen()
    assert set(result.parameters) == {"a"}
    assert [each.name for each in result.free] == ["a"]
    assert result.estimable == {"a": None}
    assert not result.is_scatter_known  # of one more run: its interval is that of `predict`
    html = result._repr_html_()
    assert html.index("near") < html.index("far")
