"""Laws of the line ceiling, for any line, MTU and headers."""

from dataclasses import asdict, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
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
from netmodel.framing import Layer, Stack, ethernet, frame_bytes, ipv4, ipv6, qinq, tcp, vlan
from netmodel.framing import wire_bytes as wire_bytes_of
from netmodel.framing.lengths import MAX_PACKET_BYTES
from netmodel.testing import assert_bounded, assert_monotone

SIZES = ("mtu_bytes", "header_bytes", "link_header_bytes")
fractions = st.fractions(min_value=1, max_value=10**12, max_denominator=1000)


def rate_of(stack: Stack, mtu_bytes: int, line_rate_bps: float = 25e9) -> float:
    return line_ceiling(line_rate_bps, mtu_bytes, stack).payload_rate_bps


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


@pytest.mark.parametrize(
    ("fewer", "more"),
    [
        ((ipv4(), tcp()), (ipv6(), tcp())),
        ((ipv4(), tcp()), (ipv4(options_bytes=4), tcp())),
        ((ipv4(options_bytes=36), tcp()), (ipv4(options_bytes=40), tcp())),
        ((ipv6(), tcp()), (ipv6(extension_bytes=8), tcp())),
        ((ipv4(), tcp(timestamps=False)), (ipv4(), tcp())),
        ((ipv4(), tcp()), (ipv4(), tcp(sack_blocks=1))),
        ((ipv4(), tcp(sack_blocks=2)), (ipv4(), tcp(sack_blocks=3))),
        ((ipv4(), tcp(timestamps=False)), (ipv4(), tcp(timestamps=False, sack_blocks=1))),
        ((ipv4(), tcp()), (vlan(), ipv4(), tcp())),
        ((vlan(), ipv4(), tcp()), (qinq(), ipv4(), tcp())),
        ((qinq(), ipv4(), tcp()), (vlan(), qinq(), ipv4(), tcp())),
    ],
    ids=lambda layers: "/".join(map(str, layers)),
)
@given(mtu_bytes=st.integers(1280, MAX_PACKET_BYTES))
@settings(max_examples=20)
def test_payload_falls_with_every_part_of_a_stack(
    fewer: tuple[Layer, ...], more: tuple[Layer, ...], mtu_bytes: int
) -> None:
    assert rate_of(Stack((ethernet(), *more)), mtu_bytes) < rate_of(
        Stack((ethernet(), *fewer)), mtu_bytes
    )


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


@given(fractions, fractions, header_sizes())
def test_rates_scale_with_the_line(
    line_rate_bps: Fraction, scale: Fraction, sizes: HeaderSizes
) -> None:
    scaled_bps = scale * line_rate_bps
    frame = frame_bytes(sizes.mtu_bytes, sizes.link_header_bytes)
    assert frame_rate_fps(scaled_bps, frame) == scale * frame_rate_fps(line_rate_bps, frame)
    assert payload_rate_bps(scaled_bps, *exact_arguments(sizes)) == scale * payload_rate_bps(
        line_rate_bps, *exact_arguments(sizes)
    )


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


@given(fractions, header_sizes())
@example(Fraction(1), HeaderSizes(45, 0, 14))
@example(Fraction(1), HeaderSizes(46, 0, 14))
@example(Fraction(1), HeaderSizes(47, 0, 14))
def test_the_required_mtu_undoes_the_payload_rate(
    line_rate_bps: Fraction, sizes: HeaderSizes
) -> None:
    mtu_bytes, *around = exact_arguments(sizes)
    rate_bps = payload_rate_bps(line_rate_bps, mtu_bytes, *around)
    assert required_mtu_bytes(rate_bps, line_rate_bps, *around) == mtu_bytes


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
