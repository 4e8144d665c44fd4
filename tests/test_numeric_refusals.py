"""The helpers on which formulas stand: the short ways of numbers and arrays, and every refusal."""

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from netmodel.errors import DomainError
from netmodel.numeric import (
    ceil_but_for_rounding,
    require_above,
    require_at_least,
    require_at_most,
    require_flags,
    require_kind,
    require_member,
    require_one,
    require_share,
    require_whole,
    require_within,
)

X = sympy.Symbol("x", positive=True)
LARGEST = sys.float_info.max


# What is refused, with its place


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "number": (lambda: require_above("p", 3, 3, "s"), "p must be above 3 s; got 3"),
    "no unit": (lambda: require_at_most("p", 4, 3, ""), "p must be at most 3; got 4"),
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


def test_a_member_is_one_of_those_that_are_listed() -> None:
    require_member("colour", "red", ("red", "blue"))
    require_kind("p", "x", str, "text")
    require_flags(p=True, q=False)
    with pytest.raises(DomainError, match="colour must be one of red, blue; got 'green'"):
        require_member("colour", "green", ("red", "blue"))
    with pytest.raises(DomainError, match="red, blue; got array"):
        require_member("colour", np.array(["red", "blue"]), ("red", "blue"))


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
    with pytest.raises(DomainError, match="p must be one number; got x"):
        require_whole("p", X)


# Numbers of every kind


def test_rounding_of_floats_does_not_make_one_more() -> None:
    """A part in 10^12 is taken for rounding: 1.5 of them in 3 are more, 0.5 are not."""
    for of in (float, lambda value: np.array([value])):
        assert ceil_but_for_rounding(of(3 * (1 + 0.5e-12))) == 3
        assert ceil_but_for_rounding(of(3 * (1 + 1.5e-12))) == 4
        assert ceil_but_for_rounding(of(2.5)) == 3
