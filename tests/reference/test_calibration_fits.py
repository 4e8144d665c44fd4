"""Fits against values of the theory handbook that were computed apart from this code."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from netmodel.calibration import Fit, Observed, fit
from netmodel.calibration.models import Curve, FreeParameter, LinearModel, demand_model
from netmodel.records.values import Relation

LINE = demand_model(
    "y",
    (FreeParameter("a", "", -math.inf), FreeParameter("b", "", -math.inf)),
    lambda conditions: (1, conditions["x"]),
    is_rate=False,
)
MEAN = demand_model(
    "y", (FreeParameter("mean", "", -math.inf),), lambda conditions: (1,), is_rate=False
)
SEEN = (2.4, 2.1, 4.6, 4.2, 6.5, 5.4, 6.5, 6.5)
LIMIT = 6.5
MIB_BYTES = 1 << 20


def censored(seen: Sequence[float], limit: float = math.inf) -> list[Observed]:
    """One for each of 1, 2, 3 and so on."""
    return [
        Observed(
            quantity="y",
            at={"x": x},
            low=y,
            high=y if y < limit else math.inf,
            relation=Relation.EQUAL if y < limit else Relation.CENSORED_ABOVE,
        )
        for x, y in enumerate(seen, 1)
    ]


def absolute(model: LinearModel, observed: Sequence[Observed], noise: float | None = None) -> Fit:
    return fit(observed, model, noise="absolute", noise_ratio=noise)


def test_tobit() -> None:
    result = absolute(LINE, censored(SEEN, LIMIT))
    assert result.values["a"] == pytest.approx(1.205129, abs=5e-7)
    assert result.values["b"] == pytest.approx(0.890884, abs=5e-7)
    assert result.noise_sd == pytest.approx(0.878315, abs=5e-7)
    assert result.log_likelihood == pytest.approx(-7.868868, abs=5e-7)


def test_least_squares_of_all_is_biased_low() -> None:
    assert absolute(LINE, censored(SEEN)).values["b"] == pytest.approx(0.659524, abs=5e-7)


def test_profile_interval() -> None:
    """At the level where n ln(1 + t²/(n - p)), n = 5 and p = 2, is chi-square at 95 %."""
    student = math.sqrt(3 * math.expm1(stats.chi2.ppf(0.95, 1) / 5))
    level_ratio = 2 * stats.t.cdf(student, 3) - 1
    result = replace(absolute(LINE, censored(SEEN, LIMIT)), level_ratio=float(level_ratio))
    slope = result.parameters["b"]
    assert (slope.low, slope.high) == pytest.approx((0.539585, 1.447149), abs=5e-7)


def test_figures_that_are_rounded() -> None:
    observed = [
        Observed(quantity="y", at={}, low=y - 0.05, high=y + 0.05)
        for y in (13.4, 13.5, 13.4, 13.6, 13.3)
    ]
    result = absolute(MEAN, observed)
    assert result.values["mean"] == pytest.approx(13.440042, abs=5e-7)
    assert result.noise_sd == pytest.approx(0.097659, abs=5e-7)
    assert result.log_likelihood == pytest.approx(-7.190936, abs=5e-7)


def cost(low: float) -> LinearModel:
    """CPU time of a MiB, for each packet and each byte, at MTUs with 52 byte of headers."""
    return demand_model(
        "cpu_s",
        (FreeParameter("per_packet_s", "s", low), FreeParameter("per_byte_s", "s", low)),
        lambda conditions: (MIB_BYTES / (conditions["mtu_bytes"] - 52), MIB_BYTES),
        is_rate=False,
    )


def costs(*ms: float) -> list[Observed]:
    return [
        Observed(quantity="cpu_s", at={"mtu_bytes": mtu}, low=each / 1e3, high=each / 1e3)
        for mtu, each in zip((1492, 8992), ms, strict=True)
    ]


def test_nonnegative_least_squares_reports_that_it_does_not_fit() -> None:
    half_a_digit_s = 5e-6
    result = absolute(cost(0.0), costs(1.11, 2.08), half_a_digit_s)
    assert result.values["per_packet_s"] == 0
    assert result.values["per_byte_s"] * 1e6 == pytest.approx(1.52111e-3, abs=5e-9)
    residual_s = math.hypot(*(each.measured - each.fitted for each in result.residuals))
    assert residual_s * 1e6 == pytest.approx(686, abs=0.5)
    assert result.active_bounds == ("per_packet_s",)
    assert result.parameters["per_packet_s"].low == 0
    assert result.misfit_ratio == 0
    assert any("the model does not hold" in warning for warning in result.notes)


@pytest.mark.parametrize(
    ("ms", "per_packet_us", "per_byte_ns"),
    [
        ((6.93, 4.25), 4.387, 3.562),
        ((4.82, 4.19), 1.031, 3.881),
        ((3.71, 2.10), 2.636, 1.708),
    ],
    ids=["virtual switch", "direct", "direct, emulation"],
)
def test_costs_taken_apart(
    ms: tuple[float, float], per_packet_us: float, per_byte_ns: float
) -> None:
    """Layer 3 with ten connections, tables 6 and 7, and 9 and 10."""
    result = absolute(cost(0.0), costs(*ms))
    assert result.values["per_packet_s"] * 1e6 == pytest.approx(per_packet_us, abs=5e-4)
    assert result.values["per_byte_s"] * 1e9 == pytest.approx(per_byte_ns, abs=5e-4)


def test_three_points_determine_three_parameters_at_most() -> None:
    """CPU time of a transaction on table 8: exactly identified, which is not evidence."""
    curve = Curve(
        "cpu_s_per_transaction",
        tuple(FreeParameter(name, "s") for name in ("least_s", "wake_up_s", "timer_s")),
        lambda rate_tps, least_s, wake_up_s, timer_s: (
            least_s + wake_up_s / (1 + timer_s * rate_tps)
        ),
        ("transaction_rate_tps",),
        (1e-5, 5e-5, 5e-5),
    )
    seen = ((2538.62, 55.9), (14340.35, 34.9), (31996.02, 24.4))
    observed = [
        Observed(
            quantity="cpu_s_per_transaction",
            at={"transaction_rate_tps": rate},
            low=us / 1e6,
            high=us / 1e6,
        )
        for rate, us in seen
    ]
    result = fit(observed, curve)
    us = np.array([*result.values.values()]) * 1e6
    assert us == pytest.approx([8.587, 57.12, 81.64], abs=5e-3)
    assert result.degrees_of_freedom == 0
    assert result.parameters["wake_up_s"].high == math.inf
    assert any("noise is not known" in warning for warning in result.notes)
