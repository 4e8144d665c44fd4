"""Receive packet steering against a worked example and the published findings."""

import pytest

from netmodel.concurrency import (
    queue_frame_rate_fps,
    steered_frame_rate_fps,
    steering_cpu_time_s,
    usable_capacity_ratio,
)

CPUS = range(8)
"""Slides 40 and 43: 4 cores with SMT-2, the mask ff."""


def test_a_single_queue() -> None:
    """1 / 6 µs, and with 2 µs on the queue's CPU and 5 µs on eight others 1 / 2 µs."""
    assert queue_frame_rate_fps(6e-6, 1) == pytest.approx(166_667, abs=0.5)
    assert steering_cpu_time_s(0.2e-6, 1.2e-6, 4, 0.5e-6) == pytest.approx(1e-6)
    steered = (1.5e-6, 0.2e-6, 1.2e-6, 4, 4.5e-6, 0.5e-6)
    assert steered_frame_rate_fps(*steered, 8, 1) == pytest.approx(500_000)
    assert steered_frame_rate_fps(*steered, 2, 0.75) == pytest.approx(300_000)


def test_sixteen_queues_by_their_busiest() -> None:
    """10 connections: 2.33 of them on one queue, so 0.27 of sixteen queues."""
    rate_fps = queue_frame_rate_fps(6e-6, 0.23303)
    assert rate_fps == pytest.approx(16 * usable_capacity_ratio(10, 16) / 6e-6, rel=1e-4)
