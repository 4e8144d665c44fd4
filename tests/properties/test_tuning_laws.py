"""Laws of buffers, queues, pages and masks."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from netmodel.errors import DomainError
from netmodel.framing import wire_bytes
from netmodel.tuning import (
    decode_rps_mask,
    drain_time_s,
    encode_rps_mask,
    page_fill_ratio,
    pages_per_packet_count,
    parse_cpu_list,
    queue_packet_count,
    required_socket_buffer_bytes,
)

positive = st.fractions(min_value=Fraction(1, 1000), max_value=10**9, max_denominator=10**6)
scales = st.fractions(min_value=Fraction(1001, 1000), max_value=1000, max_denominator=1000)
shares = st.fractions(min_value=Fraction(1, 100), max_value=1, max_denominator=1000)
counts = st.integers(1, 10_000)
sizes = st.integers(1, 65_535)
pages = st.sampled_from([4096, 16_384, 65_536]) | st.integers(1, 70_000)
lines_bps = st.sampled_from([1e9, 1e10, 2.5e10, 1e11, 4e11])
few_cpus = st.sets(st.integers(0, 70))
cpu_sets = few_cpus | st.sets(st.integers(0, 8191), max_size=40)


# Buffers and queues


@given(counts, lines_bps, sizes)
def test_a_queue_is_as_long_as_its_drain_time_says(
    count: int, line_bps: float, packet_bytes: int
) -> None:
    """To the last packet, in floats too."""
    size = wire_bytes(packet_bytes)
    time_s = drain_time_s(count * size, line_bps)
    assert queue_packet_count(time_s, line_bps, size) == count
    assert queue_packet_count(time_s * (1 + 1e-7), line_bps, size) == count + 1
    assert queue_packet_count(time_s * (1 - 1e-9), line_bps, size) == count


# Pages


@given(sizes, pages)
@example(8192, 4096)
@example(8193, 4096)
def test_pages_hold_the_packet_and_one_less_does_not(packet_bytes: int, page_bytes: int) -> None:
    count = pages_per_packet_count(packet_bytes, page_bytes)
    assert (count - 1) * page_bytes < packet_bytes <= count * page_bytes
    fill = page_fill_ratio(packet_bytes, page_bytes)
    assert 0 < fill <= 1
    assert (fill == 1) is (packet_bytes % page_bytes == 0)
    assert page_fill_ratio(count * page_bytes, page_bytes) == 1
    assert pages_per_packet_count(packet_bytes + 1, page_bytes) in (count, count + 1)


# Sockets


@given(positive, positive, counts.map(Fraction), shares, scales)
def test_a_required_buffer_is_just_enough(
    rate_bps: Fraction, round_trip_s: Fraction, flows: Fraction, share: Fraction, scale: Fraction
) -> None:
    required = required_socket_buffer_bytes(rate_bps, round_trip_s, flows, share)
    assert required * share * flows == rate_bps * round_trip_s / 8
    assert required_socket_buffer_bytes(scale * rate_bps, round_trip_s, flows, share) > required
    assert required_socket_buffer_bytes(rate_bps, scale * round_trip_s, flows, share) > required
    assert required_socket_buffer_bytes(rate_bps, round_trip_s, scale * flows, share) < required
    smaller = required_socket_buffer_bytes(rate_bps, round_trip_s, flows, share / scale)
    assert smaller == scale * required


# Masks


def bits_of(mask: str) -> str:
    """The bits of a mask, read without the code under test."""
    return "".join(f"{int(digit, 16):04b}" for digit in mask.replace(",", ""))


@given(cpu_sets)
def test_each_bit_of_a_mask_is_its_cpu(cpus: set[int]) -> None:
    mask = encode_rps_mask(cpus)
    assert mask == "0" or not mask.startswith("0")
    assert {len(group) for group in mask.split(",")[1:]} <= {8}
    assert decode_rps_mask(mask) == tuple(sorted(cpus))
    bits = bits_of(mask)
    assert {place for place, bit in enumerate(reversed(bits)) if bit == "1"} == cpus


@given(cpu_sets.filter(bool))
def test_a_list_of_cpus_is_read(cpus: set[int]) -> None:
    assert parse_cpu_list(",".join(map(str, cpus))) == tuple(sorted(cpus))


@given(st.text(alphabet="0123456789abcdefABCDEFx,- \n_٣", max_size=30) | st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        cpus = parse_cpu_list(text)
    except DomainError:
        return
    assert parse_cpu_list(",".join(map(str, cpus))) == cpus


def test_a_mask_has_no_cpu_that_no_kernel_has() -> None:
    with pytest.raises(DomainError, match="a mask has CPUs up to 8191; got 8192"):
        decode_rps_mask("1" + ",00000000" * 256)
