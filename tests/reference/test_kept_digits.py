"""Formulas that lose half of their digits where they are computed as they are usually written."""

from collections.abc import Callable
from typing import Any

import pytest
from mpmath import mp, mpf

from netmodel import concurrency, transport

ROUNDINGS_RATIO = 24 * 2.0**-53
"""Some roundings of a float each way: what is lost otherwise is 1,000 times as much and more."""


def used_queue_count(flow_count: Any, queue_count: Any) -> Any:
    """Balls in cells: W. Feller, volume 1 (1968), chapter II.5."""
    return queue_count * (1 - (1 - 1 / queue_count) ** flow_count)


def buffer_bytes(rate_bps: Any, round_trip_s: Any, flow_count: Any, decrease_ratio: Any) -> Any:
    """G. Appenzeller et al., "Sizing router buffers", SIGCOMM (2004), sections 2 and 3."""
    return rate_bps * round_trip_s / 8 / mp.sqrt(flow_count) * (1 / decrease_ratio - 1)


def batch_waiting_s(
    rate_tps: Any, service_s: Any, varies: Any, batch: Any, batch_varies: Any
) -> Any:
    """M/G/1 with batches: the queue of batches, and others of the same batch."""
    use = rate_tps * service_s
    single_s = use * service_s * (1 + varies**2) / (2 * (1 - use))
    return single_s + service_s * (batch * (1 + batch_varies**2) - 1) / (2 * (1 - use))


@pytest.mark.parametrize(
    ("function", "textbook", "arguments"),
    [
        (concurrency.used_queue_count, used_queue_count, (1.738211742105526, 811.3525021131644)),
        (concurrency.used_queue_count, used_queue_count, (2.0, 1e9)),
        (
            transport.full_utilisation_buffer_bytes,
            buffer_bytes,
            (25768686276.86494, 0.15317297360038523, 42.10755344698001, 0.9924782252736712),
        ),
        (
            concurrency.batch_mg1_waiting_time_s,
            batch_waiting_s,
            (5.626963368670156, 1.37661e-12, 3.9372e-9, 1.0, 6.135e-7),
        ),
    ],
)
def test_results_have_the_digits_of_their_arguments(
    function: Callable[..., float], textbook: Callable[..., Any], arguments: tuple[float, ...]
) -> None:
    """Beside the textbook formula with 50 digits."""
    with mp.workdps(50):
        exact = textbook(*map(mpf, arguments))
        assert abs(function(*arguments) / exact - 1) < ROUNDINGS_RATIO
        naive = textbook(*arguments)
        assert abs(naive / exact - 1) > ROUNDINGS_RATIO
