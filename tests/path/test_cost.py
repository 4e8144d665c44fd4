"""Predictions over arrays are the smallest of their limits written out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks.paths import exchange, plain_exchange, plain_stream, stream, sweep


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(stream, plain_stream), (exchange, plain_exchange)],
    ids=lambda f: f.__name__,
)
def test_many_predictions(ours: Callable[..., Any], theirs: Callable[..., Any]) -> None:
    parameters = sweep(3_000)
    np.testing.assert_allclose(ours(*parameters), theirs(*parameters), rtol=1e-12)
