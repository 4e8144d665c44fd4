"""Laws of buffers, queues, pages and masks."""

from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from netmodel.errors import DomainError
from netmodel.framing import wire_bytes
from netmodel.transport import window_limited_payload_rate_bps
from netmodel.tuning import (
    MAX_CPU_COUNT,
    buffer_drain_time_s,
    buffer_memory_bytes,
    cpus_out_of_range,
    decode_rps_mask,
    drain_time_s,
    encode_rps_mask,
    format_cpu_list,
    page_fill_ratio,
    pages_per_packet_count,
    parse_cpu_list,
    queue_drain_time_s,
    queue_memory_bytes,
    queue_packet_count,
    required_socket_buffer_bytes,
    socket_buffer_ratio,
)

positive = st.fractions(min_value=Fraction(1, 1000), max_value=10**9, max_denominator=10**6)
scales = st.fractions(min_value=Fraction(1001, 1000), max_value=1000, max_denominator=1000)
shares = st.fractions(min_value=Fraction(1, 100), max_value=1, max_denominator=1000)
counts = st.integers(1, 10_000)
sizes = st.integers(1, 65_535)
pages = st.sampled_from([4096, 16_384, 65_536]) | st.integers(1, 70_000)
lines_bps = st.sampled_from([1e9, 1e10, 2.5e10, 1e11, 4e11])
few_cpus = st.sets(st.integers(0, 70))
cpu_sets = few_cpus | st.sets(st.integers(0, MAX_CPU_COUNT - 1), max_size=40)


# Buffers and queues


@given(positive, positive)
def test_drain_time_is_bytes_over_rate(queued_bytes: Fraction, rate_bps: Fraction) -> None:
    assert drain_time_s(queued_bytes, rate_bps) * rate_bps == 8 * queued_bytes
    assert drain_time_s(0, rate_bps) == 0


@given(counts, counts, positive, positive)
def test_buffers_of_two_queues_add_up(
    first: int, second: int, size_bytes: Fraction, rate_bps: Fraction
) -> None:
    both = buffer_memory_bytes(first + second, size_bytes)
    assert both == buffer_memory_bytes(first, size_bytes) + buffer_memory_bytes(second, size_bytes)
    times = [buffer_drain_time_s(count, rate_bps, size_bytes) for count in (first, second)]
    assert buffer_drain_time_s(first + second, rate_bps, size_bytes) == sum(times)
    assert drain_time_s(both, rate_bps) == sum(times)


@given(counts, lines_bps, sizes)
def test_a_queue_is_as_long_as_its_drain_time_says(
    count: int, line_bps: float, packet_bytes: int
) -> None:
    """To the last packet, in floats too."""
    size = wire_bytes(packet_bytes)
    time_s = queue_drain_time_s(count, line_bps, size)
    assert queue_packet_count(time_s, line_bps, size) == count
    assert queue_packet_count(time_s * (1 + 1e-7), line_bps, size) == count + 1
    assert queue_packet_count(time_s * (1 - 1e-9), line_bps, size) == count


@given(positive, positive, positive)
def test_a_queue_is_the_smallest_that_lasts(
    time_s: Fraction, line_bps: Fraction, size_bytes: Fraction
) -> None:
    count = queue_packet_count(time_s, line_bps, size_bytes)
    assert isinstance(count, int)
    margin = 1 + Fraction(1, 10**11)
    assert queue_drain_time_s(count, line_bps, size_bytes) * margin >= time_s
    assert queue_drain_time_s(count - 1, line_bps, size_bytes) < time_s if count else time_s == 0


@given(counts, sizes, st.integers(0, 60))
def test_a_queue_holds_no_more_than_it_sends(count: int, packet_bytes: int, header: int) -> None:
    held = queue_memory_bytes(count, packet_bytes, header)
    assert held >= count * packet_bytes
    assert held < count * wire_bytes(packet_bytes, header)
    assert queue_memory_bytes(count + 1, packet_bytes, header) - held == packet_bytes + header


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


@given(positive, positive, positive, counts.map(Fraction), shares)
def test_a_socket_buffer_allows_its_share_of_the_rate(
    buffer_bytes: Fraction,
    rate_bps: Fraction,
    round_trip_s: Fraction,
    flows: Fraction,
    share: Fraction,
) -> None:
    ratio = socket_buffer_ratio(buffer_bytes, rate_bps, round_trip_s, flows, share)
    allowed = window_limited_payload_rate_bps(rate_bps, share * buffer_bytes, round_trip_s, flows)
    assert allowed == min(ratio, 1) * rate_bps
    assert (ratio >= 1) is (allowed == rate_bps)


@given(positive, positive, counts.map(Fraction), shares, scales)
def test_a_required_buffer_is_just_enough(
    rate_bps: Fraction, round_trip_s: Fraction, flows: Fraction, share: Fraction, scale: Fraction
) -> None:
    required = required_socket_buffer_bytes(rate_bps, round_trip_s, flows, share)
    assert socket_buffer_ratio(required, rate_bps, round_trip_s, flows, share) == 1
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
@example(set())
@example({31})
@example({32})
@example({MAX_CPU_COUNT - 1})
def test_a_mask_is_read_as_it_is_written(cpus: set[int]) -> None:
    mask = encode_rps_mask(cpus)
    assert decode_rps_mask(mask) == tuple(sorted(cpus))
    assert decode_rps_mask(mask.upper()) == tuple(sorted(cpus))
    assert mask == mask.lower()
    assert mask == "0" or not mask.startswith("0")


@given(cpu_sets)
def test_each_bit_of_a_mask_is_its_cpu(cpus: set[int]) -> None:
    bits = bits_of(encode_rps_mask(cpus))
    assert {place for place, bit in enumerate(reversed(bits)) if bit == "1"} == cpus


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=12), st.booleans())
def test_groups_count_32_bits_each_however_short_they_are_written(
    groups: list[int], short: bool
) -> None:
    mask = ",".join(f"{group:x}" if short else f"{group:08x}" for group in groups)
    cpus = decode_rps_mask(mask)
    expected = sum(group << 32 * place for place, group in enumerate(reversed(groups)))
    assert sum(2**cpu for cpu in cpus) == expected
    assert list(cpus) == sorted(set(cpus))


@given(cpu_sets.filter(bool))
@example({0, 1, 3, 6})
@example(set(range(8)))
def test_a_list_is_read_as_it_is_written(cpus: set[int]) -> None:
    assert parse_cpu_list(format_cpu_list(cpus)) == tuple(sorted(cpus))
    assert parse_cpu_list(",".join(map(str, cpus))) == tuple(sorted(cpus))


@given(cpu_sets, st.integers(1, MAX_CPU_COUNT) | st.integers(1, 70))
def test_every_cpu_is_there_or_out_of_range(cpus: set[int], cpu_count: int) -> None:
    outside = cpus_out_of_range(cpus, cpu_count)
    assert all(cpu >= cpu_count for cpu in outside)
    assert all(cpu < cpu_count for cpu in cpus - set(outside))
    assert set(outside) <= cpus
    assert list(outside) == sorted(outside)


@given(st.text(alphabet="0123456789abcdefABCDEFx,- \n_٣", max_size=30) | st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever is read is written back and read the same."""
    for parse, write in ((parse_cpu_list, format_cpu_list), (decode_rps_mask, encode_rps_mask)):
        try:
            cpus = parse(text)
        except DomainError:
            continue
        assert parse(write(cpus)) == cpus
