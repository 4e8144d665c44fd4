"""Models that are ready to calibrate: what they are for known parameters, and their limits."""

import numpy as np
import pytest

from netmodel.calibration import Point
from netmodel.calibration.models import Model
from netmodel.calibration.named_models import curve_model
from netmodel.concurrency import scalability_peak_connection_count, scalability_rate_tps
from netmodel.errors import DomainError

COUNTS = (1, 2, 18, 36, 72, 108, 216)
RATE, COST, COUNT = "transaction_rate_tps", "cpu_s_per_transaction", "connection_count"


def values(model: Model, parameters: list[float], counts: tuple[float, ...] = COUNTS) -> object:
    points = [Point(RATE, {COUNT: count}) for count in counts]
    return model.function(points)(np.array(parameters))


def test_scalability_as_times_is_the_law_of_its_coefficients() -> None:
    """The coefficients of the R package usl for its specsdm91 data, and their peak."""
    rate, contention, coherency = 89.99519, 0.02772845, 1.043655e-4
    times_s = [1 / rate, contention / rate, coherency / rate]
    expected = [scalability_rate_tps(count, rate, contention, coherency) for count in COUNTS]
    assert values(curve_model("scalability"), times_s) == pytest.approx(expected, rel=1e-12)
    peak = scalability_peak_connection_count(contention, coherency)
    assert peak == pytest.approx(96.5196, abs=1e-3)


def test_saturation_is_the_lower_of_two_asymptotes() -> None:
    """By hand: 1 / 400 µs each, and 1 / 20 µs from 20 connections on."""
    rates = values(curve_model("saturation"), [400e-6, 20e-6], (1, 10, 19, 20, 21, 1000))
    assert rates == pytest.approx([2500, 25000, 47500, 50000, 50000, 50000])


def test_a_line_caps_saturation_but_not_its_uncapped_value() -> None:
    model = curve_model("saturation", "throughput_bps", cap=lambda at: at["link_rate_bps"] * 0.9)
    at = {COUNT: 10, "link_rate_bps": 1e9}
    many = [Point("throughput_bps", at, is_uncapped) for is_uncapped in (False, True)]
    assert model.function(many)(np.array([1 / 3e8, 1 / 2e9])) == pytest.approx([9e8, 2e9])
    assert [each.unit for each in model.parameters] == ["s/bit", "s/bit"]


def test_saturation_refuses_other_quantities_and_missing_conditions() -> None:
    with pytest.raises(DomainError, match="connection_count"):
        curve_model("saturation").loads(Point(RATE, {}))
    with pytest.raises(DomainError, match="quantity must be one of transaction_rate_tps"):
        curve_model("saturation").loads(Point("throughput_bps", {COUNT: 1}))


def test_shared_work_falls_to_its_lower_limit() -> None:
    """By hand: half of 24 µs at 30 connections, none of it at very many."""
    rates = values(curve_model("amortised"), [0.4e-3, 11e-6, 24e-6, 30], (30, 1e12))
    assert rates == pytest.approx([30 / (0.4e-3 + 30 * 23e-6), 1 / 11e-6], rel=1e-6)


def test_starts_have_the_size_of_the_figures() -> None:
    counts, rates = np.array([1.0, 10, 50, 500]), np.array([2429.0, 14916, 34774, 70533])
    curve = curve_model("amortised")
    ratios = curve.formula(counts, *curve.start(counts, rates)) / rates
    assert (0.2 < ratios).all()
    assert (ratios < 5).all()
