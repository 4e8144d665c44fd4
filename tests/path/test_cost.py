"""Predictions over arrays cost little more than the smallest of their limits written out."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.paths import compare, exchange, plain_exchange, plain_stream, stream, sweep

pytestmark = pytest.mark.thorough

ALLOWED_RATIO = 20


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(stream, plain_stream), (exchange, plain_exchange)],
    ids=lambda f: f.__name__,
)
def test_a_million_predictions(ours: Callable[..., Any], theirs: Callable[..., Any]) -> None:
    """About four times as much; the same results, which the comparison makes sure of."""
    assert compare(ours, theirs, sweep(1_000_000), calls=1)[2] < ALLOWED_RATIO
