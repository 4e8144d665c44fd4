"""The helpers on which formulas stand: one answer for numbers, fractions, arrays and symbols."""

import itertools
import operator
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from netmodel.errors import DomainError
from netmodel.numeric import (
    any_of_many,
    ceil,
    domain,
    floor,
    is_symbol,
    log,
    maximum,
    minimum,
    power,
    require_above,
    require_at_least,
    require_at_most,
    require_share,
    require_within,
    sqrt,
    where,
)

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


ENDS = np.array([np.nan, np.inf, 70, 64, 5e-324, 0.0, -0.0, -5e-324, -3, -np.inf])


def test_the_smaller_of_two() -> None:
    assert minimum(64, 60) == minimum(60, 64) == 60
    assert minimum(Fraction(1, 3), 1) == Fraction(1, 3)
    assert minimum(64, np.array([60, 70.0])).tolist() == [60, 64]
    assert minimum(np.array([60, 70.0]), np.array([70, 60.0])).tolist() == [60, 60]
    assert minimum(X, 64).subs(X, 60) == 60
    assert np.isnan(minimum(np.nan, 64))
    assert np.isnan(minimum(64, np.nan))


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


RELATIONS: dict[Callable[..., Any], Callable[[float, float], bool]] = {
    require_above: operator.gt,
    require_at_least: operator.ge,
    require_at_most: operator.le,
}


def is_refused(check: Callable[..., Any], *arguments: Any) -> bool:
    try:
        check("p", *arguments)
    except DomainError:
        return True
    return False


@pytest.mark.parametrize("check", RELATIONS)
@pytest.mark.parametrize("limit", [0, 64, -3, 0.0, 1e300])
def test_arrays_are_refused_where_one_of_their_numbers_is(
    check: Callable[..., Any], limit: float
) -> None:
    """NaN is unknown, and never refused; what is infinite always is."""
    relation = RELATIONS[check]
    for pair in itertools.product(ENDS.tolist(), repeat=2):
        wrong = [x == x and not (relation(x, limit) and abs(x) < np.inf) for x in pair]
        assert [is_refused(check, x, limit, "") for x in pair] == wrong, pair
        assert [is_refused(check, np.float64(x), limit, "") for x in pair] == wrong, pair
        assert is_refused(check, np.array(pair), limit, "") == any(wrong), pair


def test_a_share_and_what_is_within_two_numbers() -> None:
    ranges: tuple[tuple[Callable[..., Any], Callable[[float], bool]], ...] = (
        (require_share, lambda x: 0 < x <= 1),
        (lambda name, x: require_within(name, x, -3, 64, "s"), lambda x: -3 <= x <= 64),
    )
    for check, is_right in ranges:
        for x in ENDS.tolist():
            for given in (x, np.float64(x), np.array([x, 1]), [1, x], np.array(x)):
                assert is_refused(check, given) == (x == x and not is_right(x)), x
    assert type(require_within("p", np.array(2), -3, 64, "s")) is int
    with pytest.raises(DomainError, match="p must be at most 64 s; got 70 at index"):
        require_within("p", ENDS[2:-1], -3, 64, "s")
    with pytest.raises(DomainError, match="p must be above 0; got 0"):
        require_share("p", 0)


def test_one_of_two_by_a_condition() -> None:
    assert where(True, 1, 2) == 1
    assert where(False, 1, 2) == 2
    assert where(np.array([True, False]), 1, np.array([3, 4])).tolist() == [1, 4]
    chosen = where(X > 5, 1, 2)
    assert (chosen.subs(X, 6), chosen.subs(X, 5)) == (1, 2)


def test_symbols_are_known_without_importing_sympy() -> None:
    assert is_symbol(X)
    assert not is_symbol(1.0)
    code = "import sys, netmodel.numeric as n; n.is_symbol(1); assert 'sympy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@domain("loss_ratio <= utilisation_ratio", "window_bytes >= 3", "window_bytes <= 9")
def formula(loss_ratio: Any, utilisation_ratio: Any = 1, window_bytes: Any = 4) -> Any:
    return loss_ratio + utilisation_ratio, window_bytes


@domain()
def each(flow_count: Any, frame_bytes: Any, name: str = "x") -> Any:
    return flow_count, frame_bytes, name


def test_a_domain_passes_what_lies_in_it() -> None:
    assert formula(0, 1, 9) == formula(loss_ratio=0, window_bytes=9) == (1, 9)
    assert each(1, 1e-9) == (1, 1e-9, "x")
    assert each(2, frame_bytes=3, name="y") == (2, 3, "y")
    columns = each([1, 2], 3)
    assert columns[0].tolist() == [1, 2]
    assert each(X, 3)[0] is X
    assert formula(np.nan)[1] == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: each(0.5, 1), "flow_count must be at least 1; got 0.5"),
        (lambda: each(1, 0), "frame_bytes must be above 0 byte; got 0"),
        (lambda: each(frame_bytes=-1, flow_count=1), "frame_bytes must be above 0 byte; got -1"),
        (lambda: each([1, 0], 1), "flow_count must be at least 1; got 0 at index (1,)"),
        (lambda: each(np.inf, 1), "flow_count must be finite; got inf"),
        (lambda: formula(-1), "loss_ratio must be at least 0; got -1"),
        (lambda: formula(1), "loss_ratio must be below 1; got 1"),
        (lambda: formula(0.5, 0.25), "loss_ratio must be at most 0.25; got 0.5"),
        (lambda: formula(0.5, 2), "utilisation_ratio must be at most 1; got 2"),
        (lambda: formula(0, 1, 2), "window_bytes must be at least 3 byte; got 2"),
        (lambda: formula(0, 1, 10), "window_bytes must be at most 9 byte; got 10"),
    ],
)
def test_a_domain_refuses_by_name_of_the_argument(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(DomainError) as refused:
        call()
    assert str(refused.value) == message
