"""Predictions over arrays are the smallest of their limits written out."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.paths import compare, exchange, plain_exchange, plain_stream, stream, sweep


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(stream, plain_stream), (exchange, plain_exchange)],
    ids=lambda f: f.__name__,
)
def test_many_predictions(ours: Callable[..., Any], theirs: Callable[..., Any]) -> None:
    """The comparison refuses other results; its times are for `make bench`."""
    assert compare(ours, theirs, sweep(3_000), calls=1)
