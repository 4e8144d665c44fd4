"""Parts of CPU time at the edges of their domain."""

from netmodel.consumption import (
    effective_core_count,
    frames_per_interrupt,
    message_cpu_time_s,
    polled_cpu_time_s,
)


def test_edges() -> None:
    assert frames_per_interrupt(0, 1) == 1
    assert frames_per_interrupt(1e6, 0) == 1
    assert message_cpu_time_s(0, 0, 0, 1e-6, 1, 1, 1, 1, 1) == 1 + 1e-6
    assert polled_cpu_time_s(1, 2, 3) == 2
    assert effective_core_count(0, 0, 0, 1.3) == 0
    assert effective_core_count(4, 8, 0, 1.3) == 4
    assert effective_core_count(4, 4, 0, 2) == 2
