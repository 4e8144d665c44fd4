"""Laws of receive packet steering, for any times, CPUs and load."""

from hypothesis import given
from hypothesis import strategies as st

from netmodel.concurrency import steered_frame_rate_fps

TIGHT = 1 + 1e-9
TIMES_S = st.floats(1e-8, 1e-4)
CPU_COUNTS = st.integers(1, 64)
PER_FRAME = st.tuples(TIMES_S, TIMES_S, TIMES_S, st.floats(1, 64), TIMES_S, TIMES_S)


@given(PER_FRAME, CPU_COUNTS, st.floats(0.01, 1))
def test_steering_never_gains_more_than_the_cpus_have(
    times: tuple[float, ...], cpu_count: int, efficiency_ratio: float
) -> None:
    poll_s, hash_s, ipi_s, frames_per_ipi, protocol_s, enqueue_s = times
    rate_fps = steered_frame_rate_fps(*times, cpu_count, efficiency_ratio)
    cost_s = poll_s + hash_s + ipi_s / frames_per_ipi + protocol_s + enqueue_s
    assert rate_fps * cost_s <= (1 + efficiency_ratio * cpu_count) * TIGHT
    assert rate_fps <= cpu_count / (protocol_s + enqueue_s) * TIGHT
