"""Predictions over arrays cost little more than the smallest of their limits written out."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.paths import compare, exchange, plain_exchange, plain_stream, stream, sweep

pytestmark = pytest.mark.thorough

ALLOWED_RATIO = 30
"""4 for streams, 16 for exchanges on a quiet machine; half as much again on a busy one."""
TRY_COUNT = 3
"""What other programs do at the same moment may slow one side alone, but hardly three times."""


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(stream, plain_stream), (exchange, plain_exchange)],
    ids=lambda f: f.__name__,
)
def test_many_predictions(ours: Callable[..., Any], theirs: Callable[..., Any]) -> None:
    """The same results too, which the comparison makes sure of."""
    points = sweep(300_000)
    ratios = (compare(ours, theirs, points, calls=1)[2] for _ in range(TRY_COUNT))
    assert any(ratio < ALLOWED_RATIO for ratio in ratios)
