"""The helpers on which formulas stand: one answer for numbers, fractions, arrays and symbols."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy

from netmodel._numeric import (
    any_of_many,
    ceil,
    floor,
    is_symbol,
    log,
    maximum,
    power,
    require_below,
    sqrt,
    where,
)
from netmodel.errors import DomainError

X = sympy.Symbol("x", positive=True)


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [
        (2, 2, 2),
        (2.0, 2, 2),
        (2.1, 3, 2),
        (-2.1, -2, -3),
        (Fraction(7, 3), 3, 2),
        (sympy.Rational(7, 3), 3, 2),
    ],
)
def test_whole_numbers_around_a_value(value: float, up: int, down: int) -> None:
    assert ceil(value) == up
    assert floor(value) == down
    assert ceil(np.array([float(value)])).tolist() == [up]
    assert floor(np.array([float(value)])).tolist() == [down]


def test_the_larger_of_two() -> None:
    assert maximum(64, 60) == maximum(60, 64) == 64
    assert maximum(Fraction(1, 3), 0) == Fraction(1, 3)
    assert maximum(64, np.array([60, 70.0])).tolist() == [64, 70]
    assert maximum(X, 64).subs(X, 70) == 70
    assert maximum(64, X).subs(X, 60) == 64


@pytest.mark.parametrize(("first", "second"), [(np.nan, 64), (64, np.nan), (np.nan, np.nan)])
def test_nan_is_larger_than_nothing_and_stays(first: float, second: float) -> None:
    assert np.isnan(maximum(first, second))
    assert np.isnan(maximum(np.array([first]), second)[0])
    assert np.isnan(ceil(np.nan))
    assert np.isnan(floor(np.nan))


def test_square_roots() -> None:
    assert sqrt(2.25) == sqrt(Fraction(9, 4)) == 1.5
    assert sqrt(np.array([4.0, 9.0])).tolist() == [2, 3]
    assert sqrt(X**2) == X
    assert np.isnan(sqrt(np.nan))


def test_logarithms_and_powers_end_in_the_same_digit_in_arrays() -> None:
    values = np.random.default_rng(0).uniform(1e-6, 100, 1000)
    assert log(values).tolist() == [log(value) for value in values.tolist()]
    assert power(values, 0.75).tolist() == [power(value, 0.75) for value in values.tolist()]
    assert power(0.3, values).tolist() == [power(0.3, value) for value in values.tolist()]
    assert type(log(2)) is type(power(2, 3)) is float
    assert power(X, 2) == X * X
    assert log(X).subs(X, 1) == 0
    assert np.isnan(log(np.nan))


def test_one_of_many_to_all_digits() -> None:
    """By hand: 1 - 0.7^2, 8e-18 of eight tiny chances, and both sides of one half."""
    assert any_of_many(0.3, 2) == pytest.approx(0.51, rel=1e-15)
    assert any_of_many(1e-18, 8) == pytest.approx(8e-18, rel=1e-15)
    assert any_of_many(0.75, 2) == 0.9375
    assert (any_of_many(1, 3), any_of_many(1, 0), any_of_many(0, 3)) == (1, 0, 0)
    assert any_of_many(np.array([0, 0.5, 1]), 2).tolist() == [0, 0.75, 1]
    assert any_of_many(X, 2).subs(X, 0.5) == 0.75
    assert np.isnan(any_of_many(np.nan, 2))


def test_a_limit_that_is_not_reached() -> None:
    assert require_below("p", 0.5, 1, "") == 0.5
    assert require_below("p", np.array([0.5, 0.9]), 1, "").tolist() == [0.5, 0.9]
    for wrong in (1, 1.5, [0.5, 1], np.float64(1)):
        with pytest.raises(DomainError, match="p must be below 1; got 1"):
            require_below("p", wrong, 1, "")


def test_one_of_two_by_a_condition() -> None:
    assert where(True, 1, 2) == 1
    assert where(False, 1, 2) == 2
    assert where(np.array([True, False]), 1, np.array([3, 4])).tolist() == [1, 4]
    chosen = where(X > 5, 1, 2)
    assert (chosen.subs(X, 6), chosen.subs(X, 5)) == (1, 2)


def test_symbols_are_known_without_importing_sympy() -> None:
    assert is_symbol(X)
    assert not is_symbol(1.0)
    code = "import sys, netmodel._numeric as n; n.is_symbol(1); assert 'sympy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
