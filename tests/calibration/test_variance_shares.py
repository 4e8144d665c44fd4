"""Shares of variance: published numbers, laws and impossible arguments."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from approximate import digits
from hypothesis import given, settings
from hypothesis import strategies as st

from netmodel.calibration import variance_shares
from netmodel.calibration._next import VarianceShare
from netmodel.errors import DomainError

SAMPLING = 0.03
few_examples = settings(max_examples=20, deadline=None)
ISHIGAMI = {"x1": (0.313905, 0.557589), "x2": (0.442411, 0.442411), "x3": (0, 0.243684)}
"""First-order and total shares for a = 7, b = 0.1, worked out from the integrals."""


RANGES = {"first": (0, 1), "second": (0, 2)}


def total(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return first + second


def test_shares_of_the_ishigami_function() -> None:
    shares = variance_shares(
        lambda x1, x2, x3: np.sin(x1) + 7 * np.sin(x2) ** 2 + 0.1 * x3**4 * np.sin(x1),
        dict.fromkeys(ISHIGAMI, (-math.pi, math.pi)),
        sample_count=2**14,
    )
    assert [share.name for share in shares] == list(ISHIGAMI)
    for share in shares:
        assert (share.first_order_ratio, share.total_ratio) == pytest.approx(
            ISHIGAMI[share.name], abs=3e-3
        )


def test_the_exact_shares_of_the_ishigami_function() -> None:
    """T. Ishigami and T. Homma (1990): the variance is 13.844588, and its parts give the shares."""
    a, b, pi = 7, 0.1, math.pi
    alone_1, alone_2 = (1 + b * pi**4 / 5) ** 2 / 2, a**2 / 8
    together = b**2 * pi**8 * (1 / 18 - 1 / 50)
    variance = alone_1 + alone_2 + together
    assert variance == digits(13.844588, 6)
    assert ISHIGAMI["x1"] == (
        digits(alone_1 / variance, 6),
        digits((alone_1 + together) / variance, 6),
    )
    assert ISHIGAMI["x2"] == (digits(alone_2 / variance, 6),) * 2
    assert ISHIGAMI["x3"] == (0, digits(together / variance, 6))


def shares_of(
    weights: dict[str, float], product_weight: float, scale: float = 1, shift: float = 0
) -> tuple[VarianceShare, ...]:
    """Of a weighted sum of parameters, and of the product of the first two."""

    def model(**values: np.ndarray) -> np.ndarray:
        total = sum(weights[name] * value for name, value in values.items())
        return scale * (total + product_weight * values["a"] * values["b"]) + shift

    return variance_shares(model, dict.fromkeys(weights, (0.0, 1.0)), 1024)


WEIGHTS = st.fixed_dictionaries({name: st.floats(0.1, 10) for name in "abc"})


@given(WEIGHTS, st.floats(-5, 5))
@few_examples
def test_shares_are_ordered_and_add_up(weights: dict[str, float], product_weight: float) -> None:
    shares = shares_of(weights, product_weight)
    for share in shares:
        assert -SAMPLING <= share.first_order_ratio <= share.total_ratio + SAMPLING
    assert sum(share.first_order_ratio for share in shares) <= 1 + SAMPLING
    assert sum(share.total_ratio for share in shares) >= 1 - SAMPLING


@given(WEIGHTS)
@few_examples
def test_additive_parameters_have_only_their_own_variance(weights: dict[str, float]) -> None:
    variance = sum(weight**2 for weight in weights.values())
    for share in shares_of(weights, 0):
        own = pytest.approx(weights[share.name] ** 2 / variance, abs=SAMPLING)
        assert share.first_order_ratio == own
        assert share.total_ratio == own


@given(WEIGHTS, st.floats(0.01, 100), st.floats(-100, 100))
@few_examples
def test_units_of_the_prediction_change_no_share(
    weights: dict[str, float], scale: float, shift: float
) -> None:
    for plain, moved in zip(
        shares_of(weights, 2), shares_of(weights, 2, scale, shift), strict=True
    ):
        assert moved.name == plain.name
        assert moved.first_order_ratio == pytest.approx(plain.first_order_ratio, abs=1e-6)
        assert moved.total_ratio == pytest.approx(plain.total_ratio, abs=1e-6)


def test_a_limit_that_is_the_bottleneck_takes_the_shares_of_the_others() -> None:
    def smallest(line_bps: np.ndarray, adapter_bps: np.ndarray) -> np.ndarray:
        return np.minimum(line_bps, adapter_bps)

    line, adapter = variance_shares(
        smallest, {"line_bps": (24e9, 25e9), "adapter_bps": (13e9, 14e9)}
    )
    assert (line.first_order_ratio, line.total_ratio) == (0, 0)
    assert adapter.first_order_ratio == pytest.approx(1, abs=1e-3)
    assert adapter.total_ratio == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (total, {"first": (0, 1)}),
            "ranges must hold at least two parameters; got 1",
        ),
        (
            (total, RANGES | {"second": (2, 2)}),
            "high end of second must be above 2; got 2",
        ),
        (
            (total, RANGES | {"first": (-math.inf, 1)}),
            "low end of first must be finite; got -inf",
        ),
        ((total, RANGES, 1000), "sample_count must be a power of two; got 1000"),
        ((total, RANGES, 0), "sample_count must be at least 1; got 0"),
        (
            (lambda first, second: (first + second)[:2], RANGES, 16),
            "model must give one result for each sample; got shape (2,)",
        ),
        (
            (lambda first, second: np.where(first > 0.5, math.nan, second), RANGES, 16),
            "model must give finite results over all ranges",
        ),
    ],
)
def test_impossible_arguments_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(DomainError) as caught:
        variance_shares(*arguments)
    assert str(caught.value) == message


def test_results_as_plain_values() -> None:
    assert VarianceShare("mtu_bytes", 0.25, 0.5).to_dict() == {
        "name": "mtu_bytes",
        "first_order_ratio": 0.25,
        "total_ratio": 0.5,
    }


@pytest.mark.parametrize(
    "model", [lambda first, second: 23.5e9, lambda first, second: 0 * first + 0.1]
)
def test_a_constant_prediction_has_no_shares(model: Callable[..., Any]) -> None:
    for share in variance_shares(model, RANGES, 64):
        assert (share.first_order_ratio, share.total_ratio) == (0, 0)


def test_the_seed_decides_the_samples() -> None:
    same, again, other = (variance_shares(total, RANGES, 64, seed) for seed in (1, 1, 2))
    assert same == again != other


@pytest.mark.parametrize("dtype", [int, float])
def test_results_that_the_model_keeps_are_left_alone(dtype: type) -> None:
    kept = []

    def rounded(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        kept.append(np.round(10 * (first + second)).astype(dtype))
        return kept[-1]

    shares = variance_shares(rounded, RANGES, 256)
    assert shares[1].total_ratio == pytest.approx(0.8, abs=0.05)
    assert all(results.min() >= 0 for results in kept)
