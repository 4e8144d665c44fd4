"""Laws of the line ceiling, for any line, MTU and headers."""

from dataclasses import asdict, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from testing.strategies import LINE_RATES_BPS, HeaderSizes, full_packets, header_sizes

from netmodel.ceilings import (
    efficiency_ratio,
    frame_rate_fps,
    line_ceiling,
    payload_rate_bps,
    required_line_rate_bps,
    required_mtu_bytes,
)
from netmodel.framing import Stack, frame_bytes
from netmodel.framing import wire_bytes as wire_bytes_of
from netmodel.framing.lengths import MAX_PACKET_BYTES
from netmodel.testing import assert_bounded, assert_monotone

SIZES = ("mtu_bytes", "header_bytes", "link_header_bytes")
fractions = st.fractions(min_value=1, max_value=10**12, max_denominator=1000)


def arguments(sizes: HeaderSizes) -> tuple[int, int, int]:
    return sizes.mtu_bytes, sizes.header_bytes, sizes.link_header_bytes


def exact_arguments(sizes: HeaderSizes) -> tuple[Fraction, Fraction, Fraction]:
    """In fractions, so that no quotient is rounded."""
    mtu_bytes, header_bytes, link_header_bytes = map(Fraction, arguments(sizes))
    return mtu_bytes, header_bytes, link_header_bytes


@given(LINE_RATES_BPS, header_sizes())
def test_payload_takes_less_than_the_line(line_rate_bps: float, sizes: HeaderSizes) -> None:
    around = asdict(sizes)
    assert_bounded(efficiency_ratio, above=0, below=1, **around)
    line = {"line_rate_bps": line_rate_bps}
    assert_bounded(payload_rate_bps, above=0, below="line_rate_bps", **line, **around)


@given(LINE_RATES_BPS, header_sizes())
def test_payload_rises_with_the_mtu(line_rate_bps: float, sizes: HeaderSizes) -> None:
    assert_monotone(
        payload_rate_bps,
        in_="mtu_bytes",
        direction="strictly increasing",
        line_rate_bps=line_rate_bps,
        **asdict(sizes) | {"mtu_bytes": [sizes.mtu_bytes, sizes.mtu_bytes + 1]},
    )


@given(header_sizes())
def test_payload_falls_with_every_header(sizes: HeaderSizes) -> None:
    rate = efficiency_ratio(*arguments(sizes))
    if sizes.header_bytes + 1 < sizes.mtu_bytes:
        longer = replace(sizes, header_bytes=sizes.header_bytes + 1)
        assert efficiency_ratio(*arguments(longer)) < rate
    tagged = replace(sizes, link_header_bytes=sizes.link_header_bytes + 4)
    padded = sizes.mtu_bytes + tagged.link_header_bytes + 4 <= 64
    if padded:
        assert efficiency_ratio(*arguments(tagged)) == rate
    else:
        assert efficiency_ratio(*arguments(tagged)) < rate


@given(LINE_RATES_BPS, full_packets())
def test_each_layer_counts_no_more_than_the_one_below(
    line_rate_bps: float, full_packet: tuple[Stack, int]
) -> None:
    stack, mtu_bytes = full_packet
    ceiling = line_ceiling(line_rate_bps, mtu_bytes, stack)
    rates = ceiling.layer_rates
    assert rates.layer1_bps == line_rate_bps
    assert rates.layer1_bps > rates.layer2_bps > rates.layer3_bps > rates.layer4_bps > 0
    assert ceiling.payload_rate_bps == rates.layer4_bps
    for rate_bps, counted_bytes in (
        (rates.layer2_bps, stack.frame_bytes(mtu_bytes)),
        (rates.layer3_bps, mtu_bytes),
        (rates.layer4_bps, ceiling.payload_bytes),
    ):
        assert rate_bps == pytest.approx(8 * counted_bytes * ceiling.frame_rate_fps, rel=1e-14)


@given(LINE_RATES_BPS, full_packets())
def test_a_stack_and_its_sizes_give_the_same_ceiling(
    line_rate_bps: float, full_packet: tuple[Stack, int]
) -> None:
    stack, mtu_bytes = full_packet
    ceiling = line_ceiling(line_rate_bps, mtu_bytes, stack)
    sizes = (mtu_bytes, stack.header_bytes, stack.link_header_bytes)
    assert ceiling.efficiency_ratio == efficiency_ratio(*sizes)
    assert ceiling.payload_rate_bps == pytest.approx(
        payload_rate_bps(line_rate_bps, *sizes), rel=1e-14
    )
    assert ceiling.frame_rate_fps == frame_rate_fps(line_rate_bps, stack.frame_bytes(mtu_bytes))


@given(fractions, st.integers(0, MAX_PACKET_BYTES), st.integers(0, 60))
def test_frames_fill_the_line_exactly(
    line_rate_bps: Fraction, packet_bytes: int, link_header_bytes: int
) -> None:
    rate_fps = frame_rate_fps(line_rate_bps, frame_bytes(packet_bytes, link_header_bytes))
    assert rate_fps * wire_bytes_of(packet_bytes, link_header_bytes) * 8 == line_rate_bps


@given(fractions, header_sizes())
def test_the_required_line_rate_undoes_the_payload_rate(
    rate_bps: Fraction, sizes: HeaderSizes
) -> None:
    line_rate_bps = required_line_rate_bps(rate_bps, *exact_arguments(sizes))
    assert line_rate_bps > rate_bps
    assert payload_rate_bps(line_rate_bps, *exact_arguments(sizes)) == rate_bps


@pytest.mark.parametrize(
    ("header_bytes", "link_header_bytes"), [(52, 14), (72, 14), (28, 22), (0, 14), (0, 0), (40, 46)]
)
@pytest.mark.parametrize("line_rate_bps", [1e7, 25e9, 44.21e6, 4e11 / 3])
def test_the_required_mtu_finds_back_every_mtu_to_the_last_digit_of_floats(
    line_rate_bps: float, header_bytes: int, link_header_bytes: int
) -> None:
    mtus_bytes = np.arange(header_bytes + 1, MAX_PACKET_BYTES + 1)
    rates_bps = payload_rate_bps(line_rate_bps, mtus_bytes, header_bytes, link_header_bytes)
    result = required_mtu_bytes(rates_bps, line_rate_bps, header_bytes, link_header_bytes)
    assert np.array_equal(result, mtus_bytes)
    little_more_bps = np.nextafter(rates_bps[:-1], np.inf)
    result = required_mtu_bytes(little_more_bps, line_rate_bps, header_bytes, link_header_bytes)
    assert np.array_equal(result, mtus_bytes[1:])


@given(LINE_RATES_BPS, st.floats(1e-9, 1), header_sizes())
def test_the_required_mtu_is_the_smallest_that_reaches_the_rate(
    line_rate_bps: float, share: float, sizes: HeaderSizes
) -> None:
    around = (sizes.header_bytes, sizes.link_header_bytes)
    rate_bps = share * payload_rate_bps(line_rate_bps, MAX_PACKET_BYTES, *around)
    mtu_bytes = required_mtu_bytes(rate_bps, line_rate_bps, *around)
    assert isinstance(mtu_bytes, int)
    assert sizes.header_bytes < mtu_bytes <= MAX_PACKET_BYTES
    assert payload_rate_bps(line_rate_bps, mtu_bytes, *around) >= rate_bps
    if mtu_bytes - 1 > sizes.header_bytes:
        assert payload_rate_bps(line_rate_bps, mtu_bytes - 1, *around) < rate_bps
