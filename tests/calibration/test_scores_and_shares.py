"""Edges, errors and shapes of scores, coverage, leave-one-out errors and shares of variance."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scores import crps_normal, interval_score, leave_one_out_errors

from netmodel.calibration import variance_shares
from netmodel.calibration._leave_out import Coverage, coverage
from netmodel.calibration._next import VarianceShare
from netmodel.errors import DomainError

RANGES = {"first": (0, 1), "second": (0, 2)}


def total(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return first + second


def test_scores_of_arrays_are_those_of_their_numbers() -> None:
    scores = crps_normal([0, 1], [[1], [2]], 0.5)
    assert scores.tolist() == [[crps_normal(m, s, 0.5) for m in (0, 1)] for s in (1, 2)]
    assert type(crps_normal(0, 1, 0)) is float
    scores = interval_score([0, 1], 2, [[1], [3]], [0.9, 0.5])
    assert scores.tolist() == [[2, 1], [interval_score(0, 2, 3, 0.9), 1 + 4]]
    assert type(interval_score(0, 1, 0, 0.5)) is float


def test_nan_gives_nan() -> None:
    assert math.isnan(crps_normal(0, 1, math.nan))
    assert np.isnan(interval_score(0, 1, [0, math.nan], 0.5)).tolist() == [False, True]


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (crps_normal, (0, 0, 1), "standard_deviation must be above 0; got 0"),
        (crps_normal, (math.inf, 1, 1), "mean must be finite; got inf"),
        (crps_normal, (0, 1, -math.inf), "observed must be finite; got -inf"),
        (interval_score, (2, 1, 1, 0.9), "high must be at least 2; got 1"),
        (interval_score, (-math.inf, 1, 1, 0.9), "low must be finite; got -inf"),
        (interval_score, (0, 1, 1, 0), "level_ratio must be above 0; got 0"),
        (interval_score, (0, 1, 1, 1), "1 - level_ratio must be above 0; got 0"),
        (coverage, (1, 0), "count must be at least 1; got 0"),
        (coverage, (-1, 2), "hit_count must be at least 0; got -1"),
        (coverage, (3, 2), "hit_count must be at most 2; got 3"),
        (coverage, (1.5, 2), "hit_count must be a whole number; got 1.5"),
        (coverage, (1, 2, 1), "1 - level_ratio must be above 0; got 0"),
        (
            leave_one_out_errors,
            ([1, 2], [1, 2]),
            "design must have one row for each observation; got shapes (2,) and (2,)",
        ),
        (
            leave_one_out_errors,
            ([[1], [2]], [1, 2, 3]),
            "design must have one row for each observation; got shapes (2, 1) and (3,)",
        ),
        (
            leave_one_out_errors,
            ([[1], [math.nan]], [1, 2]),
            "design and observed must be finite",
        ),
        (
            leave_one_out_errors,
            ([[1, 2], [2, 4], [3, 6]], [1, 2, 3]),
            "columns of design must not depend on each other",
        ),
        (
            leave_one_out_errors,
            ([[0], [0]], [1, 2]),
            "columns of design must not depend on each other",
        ),
        (
            leave_one_out_errors,
            ([[1, 0], [1, 0], [1, 5e-7]], [1, 2, 3]),
            "design must determine all parameters without its row 2",
        ),
        (
            variance_shares,
            (total, {"first": (0, 1)}),
            "ranges must hold at least two parameters; got 1",
        ),
        (
            variance_shares,
            (total, RANGES | {"second": (2, 2)}),
            "high end of second must be above 2; got 2",
        ),
        (
            variance_shares,
            (total, RANGES | {"first": (-math.inf, 1)}),
            "low end of first must be finite; got -inf",
        ),
        (variance_shares, (total, RANGES, 1000), "sample_count must be a power of two; got 1000"),
        (variance_shares, (total, RANGES, 0), "sample_count must be at least 1; got 0"),
        (
            variance_shares,
            (lambda first, second: (first + second)[:2], RANGES, 16),
            "model must give one result for each sample; got shape (2,)",
        ),
        (
            variance_shares,
            (lambda first, second: np.where(first > 0.5, math.nan, second), RANGES, 16),
            "model must give finite results over all ranges",
        ),
    ],
)
def test_impossible_arguments_are_refused(
    function: Callable[..., Any], arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(DomainError) as caught:
        function(*arguments)
    assert str(caught.value) == message


def test_results_as_plain_values() -> None:
    result = coverage(1, 1, 0.9)
    assert result == Coverage(1, 1, 1.0, pytest.approx(0.05), 1.0, 0.9)
    assert list(result.to_dict()) == [
        *("hit_count", "count", "ratio", "low_ratio", "high_ratio", "level_ratio")
    ]
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
