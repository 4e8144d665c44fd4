"""Law checks: what keeps a law passes, and what breaks it is named with its simplest case."""

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netmodel.ceilings import payload_rate_bps
from netmodel.errors import DomainError
from netmodel.testing import (
    assert_bounded,
    assert_inverse,
    assert_monotone,
    assert_refuses,
    assert_same_for_arrays,
    assert_scales,
    line_rates,
    mtus,
)

LINES = {"line_rate_bps": line_rates(), "mtu_bytes": mtus()}
COUNTS = st.integers(1, 1000)


def tunnel_rate_bps(line_rate_bps: Any, mtu_bytes: Any) -> Any:
    """A formula of a user: payload of a tunnel with 50 byte of headers outside the packet."""
    return line_rate_bps * (mtu_bytes - 52) / (mtu_bytes + 38 + 50)


def line_rate_of_tunnel_bps(tunnel_rate_bps: float, mtu_bytes: int) -> float:
    return tunnel_rate_bps * (mtu_bytes + 38 + 50) / (mtu_bytes - 52)


def broken(check: Callable[..., None], *arguments: Any, **options: Any) -> str:
    """The message of a check that fails."""
    with pytest.raises(AssertionError) as caught:
        check(*arguments, **options)
    return str(caught.value)


def test_laws_of_a_formula_of_ones_own() -> None:
    assert_bounded(tunnel_rate_bps, above=0, below="line_rate_bps", **LINES)
    assert_bounded(tunnel_rate_bps, below=payload_rate_bps, **LINES)
    assert_monotone(tunnel_rate_bps, in_="mtu_bytes", direction="strictly increasing", **LINES)
    assert_inverse(tunnel_rate_bps, line_rate_of_tunnel_bps, of="line_rate_bps", **LINES)
    assert_scales(tunnel_rate_bps, by="line_rate_bps", **LINES)
    assert_same_for_arrays(tunnel_rate_bps, **LINES)


# Counterexamples


def test_a_bound_that_is_broken_is_named_with_its_unit() -> None:
    message = broken(assert_bounded, tunnel_rate_bps, at_most=9e9, line_rate_bps=10e9, **MTUS)
    assert message == (
        "tunnel_rate_bps must be at most 9 Gbit/s; got 9.1184 Gbit/s\n"
        "with line_rate_bps = 10 Gbit/s, mtu_bytes = 1500 byte"
    )
    message = broken(
        assert_bounded,
        lambda mtu_bytes: mtu_bytes + 1,
        at_most="mtu_bytes",
        mtu_bytes=st.integers(100, 200),
    )
    assert message == (
        "the formula must be at most mtu_bytes = 100; got 101\nwith mtu_bytes = 100 byte"
    )


MTUS = {"mtu_bytes": mtus()}


@pytest.mark.parametrize(
    ("bound", "value", "keeps"),
    [
        ("at_least", 1.0, True),
        ("at_least", 1 - 1e-12, True),
        ("at_least", 1 - 1e-6, False),
        ("at_most", 1 + 1e-12, True),
        ("at_most", 1 + 1e-6, False),
        ("above", 1.0, False),
        ("above", 1 + 1e-15, True),
        ("below", 1.0, False),
        ("below", 1 - 1e-15, True),
    ],
)
def test_included_bounds_allow_rounding_and_excluded_ones_do_not(
    bound: str, value: float, keeps: bool
) -> None:
    check = functools.partial(assert_bounded, lambda x: x, x=value, **{bound: 1.0})
    if keeps:
        check()
    else:
        assert "must be" in broken(check)


def test_an_error_of_the_formula_is_a_counterexample() -> None:
    def inverse(x: int) -> float:
        return 1 / (x - 3)

    message = broken(assert_bounded, inverse, at_least=-1, x=st.integers(2, 10))
    assert message == "inverse raises ZeroDivisionError: division by zero\nwith x = 3"
    message = broken(
        assert_bounded, payload_rate_bps, above=0, line_rate_bps=1e9, mtu_bytes=st.integers(0, 99)
    )
    assert message.startswith("payload_rate_bps raises DomainError: ")
    assert message.endswith("mtu_bytes = 0 byte")


def test_two_results_in_the_wrong_order_are_named() -> None:
    def padded_rate_bps(mtu_bytes: int) -> float:
        return 1e9 * mtu_bytes / (mtu_bytes + 50 + (1000 if mtu_bytes > 2000 else 0))

    message = broken(
        assert_monotone, padded_rate_bps, in_="mtu_bytes", direction="increasing", **MTUS
    )
    assert message.startswith("padded_rate_bps must be increasing in mtu_bytes; got ")
    smaller, larger = map(int, re.findall(r"bit/s at (\d+) byte", message))
    assert smaller <= 2000 < larger


def test_what_does_not_come_back_is_named() -> None:
    def wrong_bps(tunnel_rate_bps: float, mtu_bytes: int) -> float:
        return 1.01 * line_rate_of_tunnel_bps(tunnel_rate_bps, mtu_bytes)

    message = broken(assert_inverse, tunnel_rate_bps, wrong_bps, of="line_rate_bps", **LINES)
    assert message == (
        "wrong_bps must give line_rate_bps = 10 Gbit/s back; got 10.1 Gbit/s from "
        "tunnel_rate_bps = 9.118387909319899 Gbit/s\n"
        "with line_rate_bps = 10 Gbit/s, mtu_bytes = 1500 byte"
    )


def test_what_does_not_scale_is_named() -> None:
    message = broken(
        assert_scales,
        lambda rate_bps: rate_bps + 1e9,
        by="rate_bps",
        rate_bps=line_rates(),
        factors=2.0,
    )
    assert message == (
        "the formula must be 2 times as large, 22000000000, where rate_bps is 2 times as large; "
        "got 21000000000\nwith rate_bps = 10 Gbit/s"
    )


# Arrays


def branching(x: Any) -> Any:
    return x if x > 0 else -x


def whole(x: Any) -> Any:
    return (x // 1) * 2**62


def writing(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        x += 1
        return x
    return x + 1


@pytest.mark.parametrize(
    ("formula", "numbers", "message"),
    [
        (branching, st.integers(-9, 9), "branching raises ValueError for arrays of float64"),
        (lambda x: float(np.sum(x)), COUNTS, "must have the shape (1,) for arrays of float64"),
        (lambda x: np.sum(x) + 0 * x, COUNTS, "for arrays of float64 as for numbers; got"),
        (lambda x: x + (np.arange(x.size) if np.ndim(x) == 1 else 0), COUNTS, "float64 as for"),
        (writing, COUNTS, "writing raises ValueError for arrays of float64"),
        (whole, st.integers(1, 100), "for arrays of int64 as for numbers; got"),
        (lambda x: x * (1 + 1e-3 * (getattr(x, "dtype", 0) == np.float32)), COUNTS, "float32 as"),
        (lambda x: x.tolist() if np.ndim(x) == 2 else x, COUNTS, ""),
    ],
)
def test_what_arrays_do_otherwise_is_named(
    formula: Callable[[Any], Any], numbers: st.SearchStrategy[float], message: str
) -> None:
    if message:
        assert message in broken(assert_same_for_arrays, formula, x=numbers)
    else:
        assert_same_for_arrays(formula, x=numbers)


# Refusals


def test_what_is_accepted_or_refused_otherwise_is_named() -> None:
    message = broken(assert_refuses, tunnel_rate_bps, line_rate_bps=-1e9, mtu_bytes=1500)
    assert message == (
        "tunnel_rate_bps must raise ValueError; it returned -911.8387909319899 Mbit/s\n"
        "with line_rate_bps = -1 Gbit/s, mtu_bytes = 1500 byte"
    )
    message = broken(assert_refuses, tunnel_rate_bps, line_rate_bps="fast", mtu_bytes=1500)
    assert message.startswith("tunnel_rate_bps must raise ValueError; got TypeError: ")
    message = broken(
        assert_refuses, payload_rate_bps, naming="line", line_rate_bps=1e9, mtu_bytes=0
    )
    assert message.startswith("payload_rate_bps must raise ValueError that names line; got: mtu")


# Around them


@given(st.integers(60, 1500))
@settings(max_examples=5)
def test_inside_a_property_test_a_check_takes_values(mtu_bytes: int) -> None:
    assert_bounded(tunnel_rate_bps, above=0, below=1e9, line_rate_bps=1e9, mtu_bytes=mtu_bytes)
    with pytest.raises(DomainError, match="give values, not strategies, of mtu_bytes"):
        assert_bounded(tunnel_rate_bps, above=0, line_rate_bps=1e9, mtu_bytes=mtus())


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: assert_bounded(abs, x=1), "give at_least, at_most, above or below"),
        (lambda: assert_bounded(abs, below="y", x=1), "y must be one of the arguments: x"),
        (lambda: assert_bounded(abs, below="mtu", mtu_bytes=1), "did you mean mtu_bytes"),
        (
            lambda: assert_monotone(abs, in_="y", direction="increasing", x=COUNTS),
            "y must be one of the arguments: x",
        ),
        (lambda: assert_monotone(abs, in_="x", direction="up", x=COUNTS), "direction must be"),
        (lambda: assert_monotone(abs, in_="x", direction="increasing", x=1), "or several values"),
        (lambda: assert_bounded(lambda x: x, at_most=0, x=1, rounding_ratio=2), "rounding_ratio"),
        (lambda: assert_inverse(abs, abs, x=1, y=1), "of must name what the inverse returns: x, y"),
        (lambda: assert_inverse(abs, abs, of="z", x=1), "z must be one of the arguments"),
        (lambda: assert_scales(abs, by="y", x=1), "y must be one of the arguments"),
        (lambda: assert_same_for_arrays(abs, x=1), "give a strategy for at least one argument"),
        (lambda: assert_same_for_arrays(abs, x=st.booleans()), "give a strategy of numbers"),
    ],
)
def test_a_check_of_nothing_is_refused(check: Callable[[], None], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        check()
