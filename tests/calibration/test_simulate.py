"""Observations that a model would have: printed, bounded and censored like the template."""

import math
from dataclasses import replace

import numpy as np
import pytest
from calibration.drawn import coverage_of, simulate

from netmodel.calibration import (
    DemandModel,
    FreeParameter,
    Observed,
    adapter_model,
)
from netmodel.errors import CalibrationError, DomainError
from netmodel.estimates import Estimate
from netmodel.records import Relation

LEVEL = DemandModel(
    "x_s", (FreeParameter("x_s", "s"),), lambda conditions: (conditions["n"],), is_rate=False
)
EXACT = Observed(quantity="x_s", at={"n": 1}, low=1, high=1, value=1)
TRUE = {"x_s": 5.0}


def reported(low: float, high: float, relation: Relation, value: float | None = None) -> Observed:
    return replace(EXACT, low=low, high=high, relation=relation, value=value)


def one_of(template: Observed, true: float, noise_ratio: float = 0.0, seed: int = 1) -> Observed:
    (result,) = simulate(LEVEL, {"x_s": true}, [template], noise_ratio, seed)
    return result


def test_without_noise_an_exact_figure_is_the_model() -> None:
    assert one_of(EXACT, 5) == replace(EXACT, low=5, high=5, value=5)


def test_noise_scatters_the_logarithm_less_with_more_weight() -> None:
    """Of 4000 draws the standard deviation is known to 1.1 %, the mean to 0.016 of it."""
    for weight, expected in ((1.0, 0.1), (4.0, 0.05)):
        template = [replace(EXACT, weight=weight)] * 4000
        logs = np.log([each.low for each in simulate(LEVEL, TRUE, template, 0.1, seed=3)])
        assert logs.std() == pytest.approx(expected, rel=0.05)
        assert logs.mean() == pytest.approx(math.log(5), abs=4 * 0.016 * expected)


def test_the_same_seed_draws_the_same() -> None:
    template = [EXACT, reported(4.95, 5.05, Relation.EQUAL, 5.0)]
    first, again, other = (simulate(LEVEL, TRUE, template, 0.1, seed) for seed in (7, 7, 8))
    assert first == again
    assert first != other


@pytest.mark.parametrize("true", [5.0, 5.049, 0.04, 13.37, 123.456])
def test_a_printed_figure_is_printed_to_the_same_step(true: float) -> None:
    result = one_of(reported(13.35, 13.45, Relation.EQUAL, 13.4), true)
    assert result.value == pytest.approx(round(true, 1), abs=1e-9)
    assert (result.low, result.high) == pytest.approx(
        (max(0, result.value - 0.05), result.value + 0.05), abs=1e-9
    )
    assert result.low <= true <= result.high


@pytest.mark.parametrize("true", [0.01, 5.0, 90.0])
def test_about_keeps_its_ratio(true: float) -> None:
    result = one_of(reported(0.95, 1.05, Relation.ABOUT, 1.0), true)
    assert result.high / result.low == pytest.approx(1.05 / 0.95)
    assert result.low <= true <= result.high


def test_a_range_keeps_its_width() -> None:
    result = one_of(reported(2, 4, Relation.RANGE), 7.5)
    assert (result.low, result.high, result.value) == (6, 8, None)


@pytest.mark.parametrize(
    ("template", "true", "ends", "relation"),
    [
        (reported(4, math.inf, Relation.CENSORED_ABOVE), 5, (4, math.inf), Relation.CENSORED_ABOVE),
        (reported(4, math.inf, Relation.CENSORED_ABOVE), 3, (3, 3), Relation.EQUAL),
        (reported(0, 4, Relation.CENSORED_BELOW), 3, (0, 4), Relation.CENSORED_BELOW),
        (reported(0, 4, Relation.CENSORED_BELOW), 5, (5, 5), Relation.EQUAL),
        (reported(4, math.inf, Relation.AT_LEAST), 5, (4, math.inf), Relation.AT_LEAST),
        (reported(4, math.inf, Relation.AT_LEAST), 3, (0, 4), Relation.AT_MOST),
        (reported(0, 4, Relation.AT_MOST), 3, (0, 4), Relation.AT_MOST),
        (reported(0, 4, Relation.AT_MOST), 5, (4, math.inf), Relation.AT_LEAST),
        (reported(0, math.inf, Relation.AT_LEAST), 5, (0, math.inf), Relation.AT_LEAST),
    ],
)
def test_limits_stay_where_they_are(
    template: Observed, true: float, ends: tuple[float, float], relation: Relation
) -> None:
    result = one_of(template, true)
    assert ((result.low, result.high), result.relation) == (ends, relation)


def test_comparisons() -> None:
    """By hand: five times as much at 10 as at 2."""
    ratio = replace(EXACT, at={"n": 10}, baseline={"n": 2})
    (result,) = simulate(LEVEL, TRUE, [ratio], 0.0, seed=1)
    assert result.low == 5


def test_the_line_caps_plain_figures_and_not_censored_ones() -> None:
    """A fast adapter: the line of 25 Gbit/s is seen, and censors what it would do."""
    conditions = {"mtu_bytes": 9000}
    exact = Observed(quantity="throughput_bps", at=conditions, low=1, high=1)
    censored = replace(exact, low=24e9, high=math.inf, relation=Relation.CENSORED_ABOVE)
    true = {"per_frame_s": 1e-6, "per_byte_s": 0.0}
    seen, still = simulate(adapter_model(25e9), true, [exact, censored], 0.0, seed=1)
    assert seen.low == pytest.approx(25e9 * 8948 / 9038, rel=1e-9)
    assert still == censored
    slow = {"per_frame_s": 4e-6, "per_byte_s": 0.0}
    _, figure = simulate(adapter_model(25e9), slow, [exact, censored], 0.0, seed=1)
    assert figure.low == pytest.approx(8 * 8948 / 4e-6)


def test_impossible_draws_are_refused() -> None:
    with pytest.raises(DomainError, match="noise_ratio"):
        simulate(LEVEL, TRUE, [EXACT], -0.1, 1)
    with pytest.raises(DomainError, match="must have x_s"):
        simulate(LEVEL, {}, [EXACT], 0.1, 1)


def test_coverage_counts_the_intervals_that_hold_the_truth() -> None:
    """Half of all draws exceed the median: the interval from zero to the draw holds it then."""

    class UpToTheDraw:
        def __init__(self, figure: float) -> None:
            self.parameters = {"x_s": Estimate(0, 0, figure)}

        def predict(self, point: object) -> object:
            raise NotImplementedError

    def method(observed: tuple[Observed, ...]) -> UpToTheDraw:
        if observed[0].low > 6:
            raise CalibrationError("too large")
        return UpToTheDraw(observed[0].low)

    study = coverage_of(LEVEL, TRUE, [EXACT], 0.1, range(200), method)
    draws = [one_of(EXACT, 5, 0.1, seed).low for seed in range(200)]
    kept = [draw for draw in draws if draw <= 6]
    assert study.hit_counts["x_s"] == sum(draw >= 5 for draw in kept)
    assert set(study.refusals) == {seed for seed, draw in enumerate(draws) if draw > 6}
    assert 0 < len(study.refusals) < 30
    assert study.seed_count == 200


def test_a_method_that_always_refuses_has_no_coverage() -> None:
    def refuses(observed: object) -> object:
        raise CalibrationError("never")

    with pytest.raises(CalibrationError, match="never"):
        coverage_of(LEVEL, TRUE, [EXACT], 0.1, range(3), refuses)
