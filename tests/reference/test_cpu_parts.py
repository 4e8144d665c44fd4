"""CPU time part by part: worked out by hand, and figures of measured tables."""

import math

import numpy as np
import pytest
from approximate import digits

from netmodel.consumption import (
    ConsumptionUnit,
    batched_cpu_time_s,
    capped_frames_per_interrupt,
    consumption_us_per_gbit,
    effective_core_count,
    frames_per_interrupt,
    from_us_per_gbit,
    message_cpu_time_s,
    polled_cpu_time_s,
    smt_capacity_core_count,
    streaming_consumption_us_per_gbit,
)

WRITE_BYTES = 30720
PER_MESSAGE_S, PER_PACKET_S, PER_BYTE_S = 1e-6, 0.5e-6, 0.2e-9

TABLE_8 = [(2538.62, 55.9), (14340.35, 34.9), (31996.02, 24.4)]
"""z/VM, Layer 3 and Layer 2 Comparisons, table 8, layer 3: transactions per second, µs for each."""


@pytest.mark.parametrize(
    ("segment_bytes", "segment_count", "aggregate", "streaming", "message"),
    [
        (1448, 22, 1, 72_231.994, 73_828.125),
        (1448, 22, 45, 30_028.188, 30_063.657),
        (8948, 4, 1, 36_053.8115, 37_207.031),
    ],
)
def test_streams_and_messages_of_30_kib(
    segment_bytes: int, segment_count: int, aggregate: int, streaming: float, message: float
) -> None:
    """By hand: 1 µs a write, 0.5 µs a packet, 0.2 ns a byte."""
    assert streaming_consumption_us_per_gbit(
        segment_bytes, WRITE_BYTES, PER_MESSAGE_S, PER_PACKET_S, PER_BYTE_S, aggregate
    ) == digits(streaming, 3)
    cpu_time_s = message_cpu_time_s(
        WRITE_BYTES,
        segment_count,
        0,
        PER_MESSAGE_S,
        0,
        0,
        PER_PACKET_S,
        0,
        PER_BYTE_S,
        segments_per_packet=aggregate,
    )
    assert consumption_us_per_gbit(cpu_time_s, 8 * WRITE_BYTES) == digits(message, 3)


def test_every_part_of_a_message() -> None:
    """By hand: 1 + 6/3 + 2*10/5 + 0.5*10/2 + 0.25*4 + 0.001*1000 = 11.5 µs."""
    cpu_time_s = message_cpu_time_s(1000, 10, 4, 1e-6, 6e-6, 2e-6, 0.5e-6, 0.25e-6, 1e-9, 3, 5, 2)
    assert cpu_time_s == pytest.approx(11.5e-6, rel=1e-12)


@pytest.mark.parametrize(
    ("per_packet_us", "per_byte_ns", "small", "jumbo", "packet_share_percent"),
    [
        (4.387, 3.562, 6.93, 4.25, 46),  # tables 6 and 7, virtual switch, total
        (1.031, 3.881, 4.82, 4.19, 16),  # tables 9 and 10, direct, total
        (2.636, 1.708, 3.71, 2.10, None),  # tables 9 and 10, direct, emulation
    ],
)
def test_a_cost_per_packet_and_per_byte_gives_measured_figures_back(
    per_packet_us: float,
    per_byte_ns: float,
    small: float,
    jumbo: float,
    packet_share_percent: int | None,
) -> None:
    """z/VM, Layer 3 and Layer 2 Comparisons, layer 3, 10 clients: ms/MiB at MTU 1492 and 8992."""
    figures = [
        from_us_per_gbit(
            streaming_consumption_us_per_gbit(
                segment_bytes, 1, 0, per_packet_us * 1e-6, per_byte_ns * 1e-9
            ),
            ConsumptionUnit.MS_PER_MIB,
        )
        for segment_bytes in (1440, 8940)
    ]
    assert figures == [digits(small, 2), digits(jumbo, 2)]
    if packet_share_percent is not None:
        of_packets = per_packet_us * 1e-6 / 1440 * 2**20 * 1e3
        assert 100 * of_packets / figures[0] == digits(packet_share_percent, 0)


def test_a_packet_that_costs_as_much_as_2855_bytes() -> None:
    """By hand: (2855/1448 + 1) / (2855/8140 + 1) = 2.2, the gain of up to 120 % with MTU 8192."""
    small, jumbo = (
        streaming_consumption_us_per_gbit(segment_bytes, 1, 0, 2855e-9, 1e-9)
        for segment_bytes in (1448, 8140)
    )
    assert small / jumbo == digits(2.2, 3)


@pytest.mark.parametrize(
    ("frame_rate_fps", "frames", "interrupts"), [(1e5, 6, 16_666.7), (1e6, 51, 19_607.8)]
)
def test_interrupts_of_a_timer_of_50_us(
    frame_rate_fps: float, frames: int, interrupts: float
) -> None:
    """By hand: 1 + rate * 50 µs, and the rate over that."""
    batch = frames_per_interrupt(frame_rate_fps, 50e-6)
    assert batch == pytest.approx(frames, rel=1e-12)
    assert frame_rate_fps / batch == digits(interrupts, 1)


def test_a_count_that_also_ends_the_wait_bounds_the_mean() -> None:
    """By hand: sum of P(1 + Poisson(3) > j) for j = 0..3 is 3.328, below min(4, 1 + 3)."""
    chances = [math.exp(-3) * 3**j / math.factorial(j) for j in range(3)]
    mean = 1 + sum(1 - sum(chances[:j]) for j in range(1, 4))
    assert mean == digits(3.328, 3)
    assert capped_frames_per_interrupt(3e6, 1e-6, 4) == 4
    assert frames_per_interrupt(3e6, 1e-6) == pytest.approx(4.005, rel=2e-3)  # simulated


def test_a_third_of_frames_interrupts_a_cpu_that_is_70_percent_busy() -> None:
    """Simulated for random arrivals and service: 0.299 of the frames find the CPU idle."""
    assert polled_cpu_time_s(0.7, 0, 1) == pytest.approx(0.299, rel=5e-3)


@pytest.mark.parametrize(("rate_tps", "cpu_us"), TABLE_8)
def test_batches_give_the_cpu_time_of_transactions(rate_tps: float, cpu_us: float) -> None:
    """Three figures for three coefficients: that it fits is no evidence for the form."""
    time_s = batched_cpu_time_s(rate_tps, 8.587e-6, 57.12e-6, 81.64e-6)
    assert time_s * 1e6 == digits(cpu_us, 1)


def test_polling_alone_does_not() -> None:
    """By least squares over the same figures, 2 CPUs: -37 µs a transaction, which nothing takes."""
    idle = [1 - rate_tps * cpu_us * 1e-6 / 2 for rate_tps, cpu_us in TABLE_8]
    slope, floor_us = np.polyfit(idle, [cpu_us for _, cpu_us in TABLE_8], 1)
    assert floor_us == digits(-37, 0)
    for share, (_, cpu_us) in zip(idle, TABLE_8, strict=True):
        forced = polled_cpu_time_s(1 - share, 0, slope * 1e-6) * 1e6
        assert forced > cpu_us + 30


def test_cores_that_a_load_uses_up() -> None:
    """IBM, linux.mainframe.blog: 7.992 cores and 11.989 threads busy, gain 1.3."""
    assert effective_core_count(7.992, 11.989, 0.0002, 1.3) == digits(7.0703, 4)


def test_four_cores_are_not_eight() -> None:
    """N. Hoppmann (2021): 4 cores with SMT-2; by hand 4 * 1.3."""
    assert smt_capacity_core_count(4, 1.3) == pytest.approx(5.2, rel=1e-12)
    assert smt_capacity_core_count(4, 1) == 4
