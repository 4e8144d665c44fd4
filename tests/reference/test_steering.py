"""Receive packet steering against a worked example and the published findings."""

import pytest

from netmodel.concurrency import (
    steered_frame_rate_fps,
    steering_cpu_time_s,
)


def test_a_single_queue() -> None:
    """2 µs on the CPU of the queue and 5 µs on eight others: 1 / 2 µs."""
    assert steering_cpu_time_s(0.2e-6, 1.2e-6, 4, 0.5e-6) == pytest.approx(1e-6)
    steered = (1.5e-6, 0.2e-6, 1.2e-6, 4, 4.5e-6, 0.5e-6)
    assert steered_frame_rate_fps(*steered, 8, 1) == pytest.approx(500_000)
    assert steered_frame_rate_fps(*steered, 2, 0.75) == pytest.approx(300_000)
