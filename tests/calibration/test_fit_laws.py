"""Laws of fits: what they reduce to, and how their intervals follow the observations."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from netmodel.calibration import Fit, Observed, Point, adapter_model, fit
from netmodel.calibration.models import Curve, FreeParameter, demand_model
from netmodel.records.values import Relation

pytestmark = pytest.mark.thorough

LINE = demand_model(
    "y",
    (FreeParameter("a", "", -math.inf), FreeParameter("b", "", -math.inf)),
    lambda conditions: (1, conditions["x"]),
    is_rate=False,
)
LINE_RATE_BPS = 25e9
MTUS = (1000, 1500, 2000, 3000, 4000, 6000)

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=12, deadline=None)
"""Each example is some fits with all their intervals."""


def figures(seed: int, count: int = 7) -> np.ndarray:
    """About a line, all above zero."""
    drawn: np.ndarray = 20 + 1.5 * np.arange(count) + np.random.default_rng(seed).normal(size=count)
    return drawn


def exact(seen: Sequence[float]) -> list[Observed]:
    return [
        Observed(quantity="y", at={"x": x}, low=float(y), high=float(y)) for x, y in enumerate(seen)
    ]


def censored_from(observed: Observed, limit: float) -> Observed:
    if observed.low < limit:
        return observed
    return replace(observed, low=limit, high=math.inf, relation=Relation.CENSORED_ABOVE)


def of_line(observed: Sequence[Observed], level_ratio: float = 0.95) -> Fit:
    return replace(fit(observed, LINE, noise="absolute"), level_ratio=level_ratio)


def ends(result: Fit) -> np.ndarray:
    """Low, value and high of each parameter."""
    return np.array([(each.low, each.value, each.high) for each in result.parameters.values()])


@given(seeds)
@few
def test_without_censored_figures_it_is_least_squares(seed: int) -> None:
    from scipy.special import stdtrit

    seen = figures(seed)
    matrix = np.column_stack([np.ones(len(seen)), np.arange(len(seen))])
    expected, (square,), _, _ = np.linalg.lstsq(matrix, seen)
    degrees = len(seen) - 2
    covariance = square / degrees * np.linalg.inv(matrix.T @ matrix)
    reach = stdtrit(degrees, 0.975) * np.sqrt(np.diag(covariance))
    result = of_line(exact(seen))
    assert [*result.values.values()] == pytest.approx(expected, rel=1e-9)
    assert result.noise_sd == pytest.approx(math.sqrt(square / len(seen)), rel=1e-9)
    assert result.covariance == pytest.approx(covariance, rel=1e-9)
    assert ends(result)[:, 0] == pytest.approx(expected - reach, rel=1e-6)
    assert ends(result)[:, 2] == pytest.approx(expected + reach, rel=1e-6)


@given(seeds)
@few
def test_narrow_ends_fit_like_figures(seed: int) -> None:
    observed = exact(figures(seed))
    narrow = [replace(each, low=each.low - 1e-4, high=each.high + 1e-4) for each in observed]
    assert ends(of_line(narrow)) == pytest.approx(ends(of_line(observed)), rel=1e-4)


@given(seeds, st.floats(0.01, 100), st.floats(0, 1000))
@few
def test_shifted_and_scaled_figures_shift_and_scale_the_line(
    seed: int, scale: float, shift: float
) -> None:
    observed = [censored_from(each, 26.0) for each in exact(figures(seed))]
    moved = [
        replace(each, low=scale * each.low + shift, high=scale * each.high + shift)
        for each in observed
    ]
    before, after = of_line(observed), of_line(moved)
    expected = scale * ends(before) + [[shift], [0]]
    assert ends(after) == pytest.approx(expected, rel=1e-5, abs=1e-6 * scale)
    assert after.noise_sd == pytest.approx(scale * before.noise_sd, rel=1e-6)


@given(seeds, st.lists(st.floats(0.05, 0.999), min_size=2, max_size=4, unique=True))
@few
def test_intervals_nest_with_level(seed: int, levels: list[float]) -> None:
    observed = [censored_from(each, 26.0) for each in exact(figures(seed))]
    many = [ends(of_line(observed, level)) for level in sorted(levels)]
    for inner, outer in pairwise(many):
        assert (outer[:, 0] <= inner[:, 0] + 1e-9).all()
        assert (outer[:, 2] >= inner[:, 2] - 1e-9).all()


@given(seeds)
@example(6513)
@settings(max_examples=4)
def test_intervals_do_not_depend_on_how_a_parameter_is_reported(seed: int) -> None:
    """One over it, or its logarithm, has the same interval turned over."""
    scatter = np.random.default_rng(seed).normal(0, 0.05, 6)
    rates = np.array([1, 2, 4, 8, 16, 32])
    observed = [
        Observed(quantity="y", at={"x": float(x)}, low=float(y), high=float(y))
        for x, y in zip(rates, (3 + 20 / (1 + rates / 5)) * np.exp(scatter), strict=True)
    ]

    def curve(name: str, half: object, start: float, low: float) -> Curve:
        free = (FreeParameter("least", ""), FreeParameter("more", ""), FreeParameter(name, "", low))
        return Curve("y", free, half, ("x",), (3, 20, start))  # type: ignore[arg-type]

    plain = curve("knee", lambda x, least, more, knee: least + more / (1 + x / knee), 5, 1e-9)
    inverse = curve("per", lambda x, least, more, per: least + more / (1 + x * per), 0.2, 1e-9)
    logarithm = curve(
        "log", lambda x, least, more, log: least + more / (1 + x / np.exp(log)), 1.6, -math.inf
    )
    first, second, third = (fit(observed, each) for each in (plain, inverse, logarithm))
    knee, per, log = first.parameters["knee"], second.parameters["per"], third.parameters["log"]
    assert (knee.low, knee.value, knee.high) == pytest.approx(
        (1 / per.high, 1 / per.value, 1 / per.low), rel=1e-4
    )
    assert (knee.low, knee.value, knee.high) == pytest.approx(
        (math.exp(log.low), math.exp(log.value), math.exp(log.high)), rel=1e-4
    )


@given(seeds, st.integers(2, 4))
@few
def test_more_of_the_same_figures_shrink_intervals(seed: int, times: int) -> None:
    observed = [censored_from(each, 26.0) for each in exact(figures(seed))]
    once, many = ends(of_line(observed)), ends(of_line(observed * times))
    assert many[:, 1] == pytest.approx(once[:, 1], rel=1e-6, abs=1e-6)
    assert (many[:, 2] - many[:, 0] < once[:, 2] - once[:, 0]).all()


@given(seeds, st.sampled_from(MTUS), st.floats(0.001, 0.2))
@example(6639, 1000, 0.10181317658537167)
@example(1054, 1000, 0.05031231786886009)
@few
def test_no_prediction_exceeds_the_line(seed: int, mtu_bytes: int, noise_ratio: float) -> None:
    model = adapter_model(LINE_RATE_BPS)
    points = [Point("throughput_bps", {"mtu_bytes": mtu}) for mtu in MTUS]
    rates = model.function(points)(np.array([0.5e-6, 0.2e-9]))
    scatter = np.random.default_rng(seed).normal(0, noise_ratio, len(MTUS))
    observed = [
        Observed(quantity=point.quantity, at=point.at, low=float(rate), high=float(rate))
        for point, rate in zip(points, rates * np.exp(scatter), strict=True)
    ]
    result = fit(observed, model, noise_ratio=noise_ratio)
    conditions = {"mtu_bytes": mtu_bytes}
    wire = adapter_model(LINE_RATE_BPS).function([Point("throughput_bps", conditions)])
    ceiling = float(wire(np.array([1e-15, 1e-18]))[0])
    message = result.predict(Point("throughput_bps", conditions))
    assert message.low <= message.value <= message.high <= ceiling * (1 + 1e-12)


@given(seeds)
@few
def test_predictions_of_a_parameter_are_the_parameter(seed: int) -> None:
    """The line at zero is its constant, whichever way it is asked for."""
    observed = [censored_from(each, 26.0) for each in exact(figures(seed))]
    result = of_line(observed)
    message, constant = result.predict(Point("y", {"x": 0})), result.parameters["a"]
    assume(constant.low > 0)
    assert message.value == pytest.approx(constant.value, rel=1e-9)
    assert tuple(message) == pytest.approx(tuple(constant), rel=1e-6)  # ends as near as searched
