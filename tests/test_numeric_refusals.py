"""The helpers on which formulas stand: the short ways of numbers and arrays, and every refusal."""

import math
import sys
from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy

from netmodel._numeric import (
    EXACT_INTEGER,
    any_of_many,
    ceil,
    ceil_but_for_rounding,
    extremes,
    floor,
    holds_everywhere,
    holds_somewhere,
    is_array,
    is_symbol,
    log,
    log1p,
    maximum,
    minimum,
    power,
    require_above,
    require_at_least,
    require_at_most,
    require_below,
    require_flags,
    require_kind,
    require_member,
    require_one,
    require_share,
    require_whole,
    require_within,
    sqrt,
    where,
)
from netmodel.errors import DomainError

X = sympy.Symbol("x", positive=True)
LARGEST = sys.float_info.max
TINY = 5e-324


CHECKS: dict[Callable[..., Any], tuple[tuple[Any, ...], tuple[float, ...], float]] = {
    require_above: ((3,), (4, 3.5, LARGEST), 3),
    require_at_least: ((3,), (4, 3, LARGEST), 2.5),
    require_at_most: ((3,), (2, 3, -LARGEST), 3.5),
    require_below: ((3,), (2, 0, -LARGEST), 3),
    require_within: ((3, 5), (3, 4, 5), 6),
}
"""Limits, good values, and a bad one."""


@pytest.mark.parametrize("check", CHECKS)
def test_good_values_are_let_through_as_plain_numbers_and_the_same_arrays(
    check: Callable[..., Any],
) -> None:
    limits, values, bad = CHECKS[check]
    for value in values:
        assert check("p", value, *limits, "s") is value
        plain = check("p", np.float64(value), *limits, "s")
        assert (plain, type(plain)) == (value, float)
    for pair in product(values, repeat=2):
        for array in (np.array(pair, float), np.array([pair, pair], float)):
            assert check("p", array, *limits, "s") is array
    for wrong in (bad, math.inf, -math.inf):
        for each in (wrong, np.float64(wrong), np.array([values[0], wrong])):
            with pytest.raises(DomainError, match=r"^p must be .*; got "):
                check("p", each, *limits, "s")
    assert math.isnan(check("p", math.nan, *limits, "s"))


def test_a_share_is_above_0_and_at_most_1() -> None:
    for value in (TINY, 0.5, 1, 1.0):
        assert require_share("p", value) is value
    array = np.array([TINY, 1.0])
    assert require_share("p", array) is array
    for bad in (0, -0.5, 1.0000001, np.array([0.5, 2])):
        with pytest.raises(DomainError):
            require_share("p", bad)


def test_lists_within_their_limits_are_let_through() -> None:
    assert require_above("p", [4, 5], 3, "s").tolist() == [4, 5]
    assert require_at_least("p", [4, 5], [4, 4.5], "s").tolist() == [4, 5]
    assert require_at_least("p", 5, np.array([4, 5.0]), "s") == 5
    assert require_at_most("p", [4, 5], 5, "s").tolist() == [4, 5]
    assert require_below("p", np.array([2.0, 2.5]), 3, "s").tolist() == [2, 2.5]
    assert require_at_least("p", np.array([]), np.array([]), "s").tolist() == []
    assert require_above("p", np.array([]), 3, "s").tolist() == []


# What is refused, with its place


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "number": (lambda: require_above("p", 3, 3, "s"), "p must be above 3 s; got 3"),
    "no unit": (lambda: require_below("p", 4, 3, ""), "p must be below 3; got 4"),
    "endless": (lambda: require_above("p", math.inf, 3, "s"), "p must be finite; got inf"),
    "endless below": (
        lambda: require_at_most("p", -math.inf, 3, "s"),
        "p must be finite; got -inf",
    ),
    "in a list": (
        lambda: require_at_least("p", [4.0, 2.5, 1.0], 3, "s"),
        "p must be at least 3 s; got 2.5 at index (1,)",
    ),
    "in rows": (
        lambda: require_at_most("p", np.array([[1.0, 2.0], [7.0, 3.0]]), 5, "s"),
        "p must be at most 5 s; got 7 at index (1, 0)",
    ),
    "a limit of many": (
        lambda: require_at_least("p", 2.0, np.array([1.0, 2.5]), "s"),
        "p must be at least 2.5 s; got 2 at index (1,)",
    ),
    "one of each": (
        lambda: require_at_most("p", np.array([4.0, 9.0]), np.array([5.0, 8.25]), "s"),
        "p must be at most 8.25 s; got 9 at index (1,)",
    ),
    "within, below": (lambda: require_within("p", 2, 3, 5, "s"), "p must be at least 3 s; got 2"),
    "within, above": (lambda: require_within("p", 6, 3, 5, "s"), "p must be at most 5 s; got 6"),
    "share, above": (lambda: require_share("p", [0.5, 1.5]), "p must be at most 1; got 1.5 at"),
    "share, zero": (lambda: require_share("p", np.array([0.5, 0])), "p must be above 0; got 0 at"),
    "fifteen digits": (
        lambda: require_above("p", 1 / 3, 2 / 3, "s"),
        "p must be above 0.666666666666667 s; got 0.333333333333333",
    ),
    "huge": (
        lambda: require_above("p", 10**400, 0, "s"),
        "p must be at most 1.79769313486232e+308; got a larger whole number",
    ),
    "rows of other lengths": (
        lambda: require_above("p", [[1.0], [2.0, 3.0]], 0, "s"),
        "p must be one array, rows of one length; got [[1.0], [2.0, 3.0]]",
    ),
    "text": (
        lambda: require_above("p", "1500", 0, "s"),
        "p must be a number or an array of numbers; got '1500'",
    ),
    "one of several": (lambda: require_one("p", [1.0]), "p must be one number; got [1.0]"),
    "one of none": (lambda: require_one("p", math.nan), "p must be one number; got nan"),
    "one in words": (lambda: require_one("p", "x"), "p must be one number; got 'x'"),
    "half": (lambda: require_whole("p", 1.5), "p must be a whole number; got 1.5"),
    "kind": (lambda: require_kind("p", 1, str, "text"), "p must be text; got 1"),
    "flag": (lambda: require_flags(p=True, q=1), "q must be True or False; got 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_message_has_name_rule_value_and_place(case: str) -> None:
    ask, message = REFUSED[case]
    with pytest.raises(DomainError) as caught:
        ask()
    text = str(caught.value)
    assert text == message or (message.endswith(" at") and text.startswith(f"{message} index"))


class Colour(Enum):
    RED = "red"
    BLUE = "blue"

    def __str__(self) -> str:
        return self.value


def test_a_member_is_one_of_those_that_are_listed() -> None:
    require_member("colour", Colour.RED, Colour)
    require_kind("p", "x", str, "text")
    require_flags(p=True, q=False)
    with pytest.raises(DomainError, match="colour must be one of red, blue; got 'red'"):
        require_member("colour", "red", Colour)


def test_unknown_limits_and_values_are_let_through() -> None:
    """NaN is unknown; beside it others are refused all the same."""
    for pair in ((np.nan, 3.0), (2.0, np.nan)):
        require_at_least("p", np.array([pair[0], 5]), np.array([pair[1], 4]), "s")
        with pytest.raises(DomainError, match=r"at least 4 s; got 3 at index \(1,\)"):
            require_at_least("p", np.array([pair[0], 3]), np.array([pair[1], 4]), "s")
    for symbols in ((X, 3), (2, X)):
        assert require_at_least("p", *symbols, "s") is symbols[0]


@pytest.mark.parametrize(
    ("given", "plain", "kind"),
    [
        (2, 2, int),
        (np.int64(2), 2, int),
        (np.uint8(200), 200, int),
        (np.array(2), 2, int),
        (2.5, 2.5, float),
        (np.float64(2.5), 2.5, float),
        (np.float32(2.5), 2.5, float),
        (np.array(2.5), 2.5, float),
        (Fraction(5, 2), Fraction(5, 2), Fraction),
        (int(LARGEST), LARGEST, int),
    ],
)
def test_one_number_is_a_plain_one(given: Any, plain: float, kind: type) -> None:
    one = require_one("p", given)
    assert (one, type(one)) == (plain, kind)


def test_whole_numbers_are_ints() -> None:
    for given in (4, 4.0, np.float64(4), np.int32(4), Fraction(4)):
        whole = require_whole("p", given)
        assert (whole, type(whole)) == (4, int)
    assert require_whole("p", X) is X  # type: ignore[arg-type]


def test_columns_of_whole_or_masked_numbers_are_floats() -> None:
    column = require_above("p", np.array([1, 2]), 0, "s")
    assert (column.tolist(), column.dtype) == ([1, 2], np.float64)
    masked = np.ma.array([7, 8], mask=[False, True])
    np.testing.assert_array_equal(require_above("p", masked, 0, "s"), [7, np.nan])
    with pytest.raises(DomainError, match="must be a number or an array of numbers"):
        require_above("p", np.ma.array(["a"]), 0, "s")


# Numbers of every kind


@pytest.mark.parametrize("endless", [math.inf, -math.inf, np.float64(np.inf), -np.float64(np.inf)])
def test_what_has_no_end_stays_so_when_it_is_rounded(endless: float) -> None:
    assert ceil(endless) == floor(endless) == endless
    assert math.isnan(ceil(np.float64("nan")))


def test_fractions_and_scalars_of_numpy_are_rounded_to_whole_numbers() -> None:
    for value in (Fraction(-7, 3), np.float64(-7 / 3), sympy.Rational(-7, 3)):
        assert (ceil(value), floor(value)) == (-2, -3)


def test_rounding_of_floats_does_not_make_one_more() -> None:
    """A part in 10^12 is taken for rounding: 1.5 of them in 3 are more, 0.5 are not."""
    for of in (float, lambda value: np.array([value])):
        assert ceil_but_for_rounding(of(3 * (1 + 0.5e-12))) == 3
        assert ceil_but_for_rounding(of(3 * (1 + 1.5e-12))) == 4
        assert ceil_but_for_rounding(of(2.5)) == 3


def test_the_whole_numbers_that_a_float_holds() -> None:
    """Above 2^53 floats are two apart."""
    assert float(EXACT_INTEGER - 1) + 1 == EXACT_INTEGER
    assert float(EXACT_INTEGER) + 1 == EXACT_INTEGER
    assert float(EXACT_INTEGER) - 1 != EXACT_INTEGER


@pytest.mark.parametrize("of", [float, np.float64])
def test_nan_stays_where_numbers_are_compared(of: Callable[[float], float]) -> None:
    for pair in ((of(1), of(math.nan)), (of(math.nan), of(1)), (of(math.nan), 1)):
        assert math.isnan(maximum(*pair))
        assert math.isnan(minimum(*pair))
    assert (maximum(of(1), 2), minimum(2, of(1))) == (2, 1)


def test_numbers_without_a_sign_are_compared_too() -> None:
    unsigned = np.array([1, 3], np.uint64)
    for first, second in ((unsigned, np.uint64(2)), (np.uint64(2), unsigned)):
        assert minimum(first, second).tolist() == [1, 2]
        assert maximum(first, second).tolist() == [2, 3]
    assert maximum(X, np.pi).subs(X, 4) == 4
    assert minimum(Fraction(1, 3), Fraction(1, 2)) == Fraction(1, 3)
    assert maximum(Fraction(1, 3), Fraction(1, 2)) == Fraction(1, 2)


def test_roots_logarithms_and_powers_of_every_kind() -> None:
    """Logarithms of 1 + x: x - x²/2 where x is tiny."""
    for of in (float, np.float64, Fraction):
        results = (sqrt(of(2.25)), log(of(1)), log1p(of(0)), power(of(2), of(3)))
        assert results == (1.5, 0, 0, 8)
        assert {type(each) for each in results} == {float}
    tiny = 1e-12
    assert log1p(tiny) == pytest.approx(tiny - tiny**2 / 2, rel=1e-15)
    assert log1p(np.array([0, tiny])).tolist() == [0, log1p(tiny)]
    assert log1p(X) == sympy.log(1 + X)
    assert log(np.array([1.0])).tolist() == [0]
    assert power(2, X) == 2**X
    assert power(np.array([2.0, 3]), 2).tolist() == [4, 9]
    assert power(2, np.array([2.0, 3])).tolist() == [4, 8]
    assert is_symbol(X)
    assert not is_symbol("x")


def test_any_of_many_in_fractions_symbols_and_arrays() -> None:
    """1 - (2/3)² = 5/9; 1 - 0.75³ = 0.578125, and 1 - 0.25³ = 0.984375."""
    assert any_of_many(Fraction(1, 3), 2) == Fraction(5, 9)
    assert any_of_many(X, 3).subs(X, sympy.Rational(1, 4)) == sympy.Rational(37, 64)
    assert any_of_many(0.25, X).subs(X, 3) == 0.578125
    many = any_of_many(np.array([0.25, 0.75, 1e-18]), 3)
    assert many == pytest.approx([0.578125, 0.984375, 3e-18], rel=1e-15)
    assert any_of_many(0.25, np.array([1, 3])) == pytest.approx([0.25, 0.578125], rel=1e-15)
    for of in (float, np.float64):
        one = any_of_many(of(0.25), of(3))
        assert (one, type(one)) == (pytest.approx(0.578125, rel=1e-15), float)
    assert any_of_many(0.25, 3) == pytest.approx(0.578125, rel=1e-15)
    assert any_of_many(0.75, 3) == 0.984375


def test_conditions_of_every_kind() -> None:
    assert (where(np.True_, 1, 2), where(np.False_, 1, 2)) == (1, 2)
    mask = np.array([True, False])
    assert (holds_somewhere(mask), holds_everywhere(mask)) == (True, False)
    assert (holds_somewhere(~mask & mask), holds_everywhere(mask | ~mask)) == (False, True)
    for plain in (True, False):
        assert holds_somewhere(plain) is holds_everywhere(plain) is plain


def test_the_ends_of_arrays_and_of_numbers() -> None:
    assert extremes(3.0) == (3.0, 3.0)
    assert extremes(np.array([3.0, 1.0, 2.0])) == (1.0, 3.0)
    assert extremes(np.array([[3.0, 1.0], [2.0, 9.0]])) == (1.0, 9.0)
    assert extremes(np.array([[3.0, 1.0], [2.0, 9.0]]).T[::-1]) == (1.0, 9.0)
    assert is_array(np.array(3.0))
    assert not any(map(is_array, (3, 3.0, True, X, [3.0], np.float64(3))))
