"""Fits where the log-likelihood is far from that of a linear model, or numbers are far from 1."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from netmodel.calibration import Fit, Observed, Point, fit
from netmodel.calibration._likelihood import Noise
from netmodel.calibration.models import Curve, FreeParameter, LinearModel, demand_model
from netmodel.calibration.named_models import curve_model
from netmodel.errors import CalibrationError
from netmodel.records.values import Relation

LINE = demand_model(
    "y_s",
    (FreeParameter("a", "s"), FreeParameter("b", "s")),
    lambda conditions: (1, float(conditions["x"])),
    is_rate=False,
)


def seen(x: float, low: float, high: float | None = None, **rest: object) -> Observed:
    end = low if high is None else high
    return Observed(quantity="y_s", at={"x": x}, low=low, high=end, **rest)  # type: ignore[arg-type]


def below(x: float, high: float) -> Observed:
    return seen(x, 0, high, relation=Relation.CENSORED_BELOW)


def square(observed: Sequence[Observed], a: float, b: float) -> float:
    """Of misses of exact figures."""
    return sum((each.low - a - b * float(each.at["x"])) ** 2 for each in observed)


def test_an_outlier_leaves_ends_on_both_sides_of_the_bound() -> None:
    """The end of a, where b stays at its bound: by the sum of squares, with noise found."""
    observed = [seen(x, 1 + 2 * x) for x in range(1, 7)]
    observed.append(seen(3, 1e6))
    result = fit(observed, LINE, noise="absolute")
    assert result.active_bounds == ("b",)
    a, count, student = result.parameters["a"], 7, 2.570582
    growth = square(observed, a.high, 0) / square(observed, a.value, 0)
    assert growth == pytest.approx(1 + student**2 / (count - 2), rel=1e-6)


def test_ends_along_a_ridge() -> None:
    """By a profile of other programs: least squares from many starts for each value."""
    rates = (12649, 24658, 47468, 90315, 144530, 240580, 375890, 462450, 594340, 650090, 709670)
    counts = (1, 2, 4, 8, 16, 32, 63, 126, 251, 501, 1000)
    quantity, pairs = "transaction_rate_tps", zip(counts, rates, strict=True)
    observed = [
        Observed(quantity=quantity, at={"connection_count": n}, low=rate, high=rate)
        for n, rate in pairs
    ]
    found = fit(observed, curve_model("amortised")).parameters
    assert found["delay_s"].low == pytest.approx(2.0533962e-05, rel=1e-4)
    assert found["shared_s"].high == pytest.approx(4.6757953e-04, rel=1e-4)


def test_figures_nearly_on_a_line_converge() -> None:
    """The noise is a hundredth of what it is where the search begins."""
    exact = [seen(1, 1.438313311616289), seen(2, 1.9281071856282865), seen(4, 2.9074306168867676)]
    beyond = seen(8, 4.5, math.inf, relation=Relation.CENSORED_ABOVE)
    alone, both = fit(exact, LINE), fit([*exact, beyond], LINE)
    assert both.noise_sd < 1e-4
    assert both.values == pytest.approx(alone.values, rel=1e-6)


def test_an_interval_that_a_censored_figure_ends() -> None:
    """The region is far shorter along a than curvature at the optimum has it."""
    sd = 0.02
    observed = [seen(5, 9.95), seen(5, 9.95), below(2, 4.85)]
    result = fit(observed, LINE, noise="absolute", noise_ratio=sd)
    assert result.parameters["a"].low == pytest.approx(0, abs=1e-9)
    most = (9.95 + 1.959964 * sd / math.sqrt(2)) / 5
    assert result.parameters["b"].high == pytest.approx(most, rel=1e-6)
    assert result.predict(Point("y_s", {"x": 5})).low == pytest.approx(10 * 9.95 / 5 - most * 5)


@pytest.mark.parametrize("bend", [0.3, 3.0, 30.0])
@pytest.mark.parametrize("tilt", [0.0, -2.0])
def test_ends_of_a_bent_region(bend: float, tilt: float) -> None:
    """
    Figures of a and of b + bend (a - 10)², each with a deviation of 1: the region is a bent disc.

    With u = a - 10 and w the miss of the second figure, b + tilt u = 500 + w - bend u² + tilt u,
    whose ends are at the edge of the disc u² + w² = 1.959964².
    """
    curve = Curve(
        "y",
        (FreeParameter("a", ""), FreeParameter("b", "")),
        lambda x, a, b: (
            np.where(x == 1, a, b + np.where(x == 2, bend, 0) * (a - 10) ** 2)
            + np.where(x == 3, tilt * (a - 10), 0)
        ),
        ("x",),
        (10.5, 480.0),
    )
    observed = [Observed(quantity="y", at={"x": x}, low=y, high=y) for x, y in ((1, 10), (2, 500))]
    result = fit(observed, curve, noise="absolute", noise_ratio=1.0)
    angles = np.linspace(0, 2 * np.pi, 200_001)
    u, w = 1.959964 * np.cos(angles), 1.959964 * np.sin(angles)
    for name, value in (("a", 10 + u), ("b", 500 + w - bend * u**2)):
        low, high = result.parameters[name].low, result.parameters[name].high
        assert (low, high) == pytest.approx((value.min(), value.max()), rel=1e-6)
    edge = 500 + w - bend * u**2 + tilt * u
    _, low, high = result.predict(Point("y", {"x": 3}))
    assert (low, high) == pytest.approx((edge.min(), edge.max()), rel=1e-6)


FALLING = demand_model(
    "y_s",
    (FreeParameter("a", "s", -math.inf), FreeParameter("b", "s", -math.inf)),
    lambda conditions: (1, float(conditions["x"])),
    is_rate=False,
)


@pytest.mark.thorough
@pytest.mark.parametrize("noise", ["relative", "absolute"])
@pytest.mark.parametrize(
    ("model", "observed"),
    [
        pytest.param(LINE, [*(seen(x, 1 + 2 * x) for x in range(1, 7)), seen(3, 1e6)], id="far"),
        pytest.param(FALLING, [seen(x, max(1e-3, 5 - x)) for x in range(1, 9)], id="below zero"),
        pytest.param(
            LINE,
            [seen(x, 0.2 + 0.4 * x, baseline={"x": 9}) for x in range(1, 6)],
            id="ratios alone",
        ),
        pytest.param(LINE, [seen(x, 0) for x in range(4)], id="nothing but zeros"),
        pytest.param(LINE, [seen(x, 1e-200 * (1 + 2 * x + x % 2)) for x in range(6)], id="tiny"),
        pytest.param(LINE, [seen(x, 1e200 * (1 + 2 * x + x % 2)) for x in range(6)], id="huge"),
        pytest.param(LINE, [seen(x * 1e200, 1 + 2 * x + x % 2) for x in range(6)], id="huge x"),
        pytest.param(LINE, [seen(x, 9) for x in (1, 2, 3, math.nan)], id="not a number"),
        pytest.param(LINE, [seen(x, 9) for x in (1, 2, 3, math.inf)], id="infinite"),
        pytest.param(
            LINE,
            [
                seen(1, 1e4, math.inf, relation=Relation.CENSORED_ABOVE),
                below(1, 1e-4),
                *(seen(x, 1 + 2 * x + x % 2) for x in range(2, 6)),
            ],
            id="contradicting",
        ),
    ],
)
@pytest.mark.parametrize("noise_ratio", [None, 1e-3])
def test_a_result_or_a_refusal(
    model: LinearModel, observed: Sequence[Observed], noise: Noise, noise_ratio: float | None
) -> None:
    """And nothing else: no warning, which is an error here, and no error of numpy."""
    try:
        result = fit(observed, model, noise=noise, noise_ratio=noise_ratio)
        every = [*result.parameters.values(), result.predict(Point("y_s", {"x": 3.5}))]
    except CalibrationError:
        return
    assert isinstance(result, Fit)
    assert np.isfinite(list(result.values.values())).all()
    assert all(each.low <= each.value <= each.high for each in every)
