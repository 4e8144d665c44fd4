"""Laws of the universal scalability law, whatever its coefficients."""

import math

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from netmodel.concurrency import scalability_peak_connection_count, scalability_rate_tps
from netmodel.errors import DomainError
from netmodel.testing import assert_scales

TIGHT = 1e-12
COUNTS = st.floats(1, 1e4)
RATES_TPS = st.floats(1e-3, 1e9)
CONTENTIONS = st.floats(0, 1)
COHERENCIES = st.floats(1e-9, 1)
STEPS = st.floats(1.01, 100)


def close(expected: float) -> object:
    return pytest.approx(expected, rel=TIGHT)


@given(RATES_TPS, CONTENTIONS, COHERENCIES)
def test_one_connection_has_the_rate_of_one(
    one_tps: float, contention: float, coherency: float
) -> None:
    assert scalability_rate_tps(1, one_tps, contention, coherency) == one_tps


def test_the_rate_is_in_the_unit_of_the_rate_of_one() -> None:
    assert_scales(
        scalability_rate_tps,
        by="rate_at_one_tps",
        factors=st.floats(1e-3, 1e3),
        rounding_ratio=TIGHT,
        connection_count=COUNTS,
        rate_at_one_tps=RATES_TPS,
        contention_ratio=CONTENTIONS,
        coherency_ratio=COHERENCIES,
    )


@given(COUNTS, STEPS, st.floats(0, 0.999), COHERENCIES)
def test_the_rate_rises_to_its_peak_and_falls_behind(
    count: float, step: float, contention: float, coherency: float
) -> None:
    peak = scalability_peak_connection_count(contention, coherency)
    near, far = (
        (max(1, peak / count), max(1, peak / count / step)),
        (max(1, peak * count), max(1, peak * count * step)),
    )
    for nearer, further in (near, far):
        nearer_tps, further_tps = (
            scalability_rate_tps(n, 1, contention, coherency) for n in (nearer, further)
        )
        assert further_tps <= nearer_tps * (1 + TIGHT)


@given(st.floats(0, 0.9), st.floats(1e-6, 0.05))
def test_the_peak_is_a_peak_and_no_shoulder(contention: float, coherency: float) -> None:
    peak = scalability_peak_connection_count(contention, coherency)
    at_peak, *beside = (
        scalability_rate_tps(n, 1, contention, coherency) for n in (peak, peak * 1.1, peak / 1.1)
    )
    assert max(beside) < at_peak


@given(COUNTS, RATES_TPS)
def test_without_contention_and_coherency_connections_add_up(count: float, one_tps: float) -> None:
    assert scalability_rate_tps(count, one_tps, 0, 0) == close(count * one_tps)


@given(COUNTS, RATES_TPS, st.floats(1e-6, 1))
def test_contention_alone_leaves_a_rate_that_is_neared(
    count: float, one_tps: float, contention: float
) -> None:
    limit_tps = one_tps / contention
    assert scalability_rate_tps(count, one_tps, contention, 0) <= limit_tps * (1 + TIGHT)
    assert scalability_rate_tps(1e16, one_tps, contention, 0) == pytest.approx(limit_tps, rel=1e-9)


@given(COUNTS, CONTENTIONS, COHERENCIES, STEPS)
def test_what_is_shared_costs_rate(
    count: float, contention: float, coherency: float, step: float
) -> None:
    rate_tps = scalability_rate_tps(count, 1, contention, coherency)
    assert scalability_rate_tps(count, 1, contention / step, coherency) >= rate_tps
    assert scalability_rate_tps(count, 1, contention, coherency / step) >= rate_tps


def test_symbols_give_the_equation_and_its_peak() -> None:
    n, gamma, sigma, kappa = sympy.symbols("n gamma sigma kappa", positive=True)
    rate = scalability_rate_tps(n, gamma, sigma, kappa)
    peak = scalability_peak_connection_count(sigma, kappa)
    assert sympy.simplify(sympy.diff(rate, n).subs(n, peak)) == 0
    assert sympy.limit(rate.subs({sigma: sympy.Rational(1, 20), kappa: 0}), n, sympy.oo) == (
        20 * gamma
    )


def test_without_coherency_there_is_no_peak() -> None:
    with pytest.raises(DomainError, match=r"^coherency_ratio must be above 0; got 0$"):
        scalability_peak_connection_count(0.05, 0)
    assert scalability_peak_connection_count(1, 0.5) == 0
    assert math.isnan(scalability_peak_connection_count(math.nan, 0.5))
