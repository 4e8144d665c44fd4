"""Parts of CPU time at the edges of their domain."""

from collections.abc import Callable
from typing import Any

import pytest

from netmodel.consumption import (
    capped_frames_per_interrupt,
    effective_core_count,
    frames_per_interrupt,
    message_cpu_time_s,
    polled_cpu_time_s,
    single_thread_time_s,
    smt_capacity_core_count,
    streaming_consumption_us_per_gbit,
)
from netmodel.errors import DomainError


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (
            message_cpu_time_s,
            (1, 1, 0, 0, 0, 0, -1e-6, 0, 0),
            "time_per_packet_s must be at least 0 s; got -1e-06",
        ),
        (
            message_cpu_time_s,
            (1, 1, 0, 0, 0, 0, 0, 0, 0, 0.5),
            "messages_per_wakeup must be at least 1 message; got 0.5",
        ),
        (
            streaming_consumption_us_per_gbit,
            (1448, 0, 0, 0, 0),
            "message_bytes must be above 0 byte; got 0",
        ),
        (
            streaming_consumption_us_per_gbit,
            (1448, 1, 0, 0, 0, [1, 0]),
            "segments_per_packet must be at least 1 segment; got 0 at index (1,)",
        ),
        (
            capped_frames_per_interrupt,
            (1, 1, 0),
            "max_frames_per_interrupt must be at least 1 frame; got 0",
        ),
        (polled_cpu_time_s, (1.01, 0, 0), "utilisation_ratio must be at most 1; got 1.01"),
        (effective_core_count, (2, 1, 0, 1.3), "busy_thread_count must be at least 2; got 1"),
        (effective_core_count, (2, 5, 0, 1.3), "busy_thread_count must be at most 4; got 5"),
        (effective_core_count, (2, 3, 0, 0.9), "smt_gain_ratio must be at least 1; got 0.9"),
        (smt_capacity_core_count, (2, 2.1), "smt_gain_ratio must be at most 2; got 2.1"),
        (single_thread_time_s, (1, 1.1, 1.3), "overlap_ratio must be at most 1; got 1.1"),
    ],
)
def test_impossible_arguments_are_refused(
    function: Callable[..., Any], arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(DomainError) as caught:
        function(*arguments)
    assert str(caught.value) == message


def test_edges() -> None:
    assert frames_per_interrupt(0, 1) == 1
    assert frames_per_interrupt(1e6, 0) == 1
    assert message_cpu_time_s(0, 0, 0, 1e-6, 1, 1, 1, 1, 1) == 1 + 1e-6
    assert polled_cpu_time_s(1, 2, 3) == 2
    assert effective_core_count(0, 0, 0, 1.3) == 0
    assert effective_core_count(4, 8, 0, 1.3) == 4
    assert effective_core_count(4, 4, 0, 2) == 2
