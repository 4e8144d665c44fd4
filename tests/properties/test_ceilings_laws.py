"""Laws of the line ceiling, for any line, MTU and headers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from netmodel.testing import assert_bounded, assert_monotone, line_rates, stacks

fractions = st.fractions(min_value=1, max_value=10**12, max_denominator=1000)


Sizes = dict[str, int]


@st.composite
def header_sizes(draw: st.DrawFn) -> Sizes:
    """Small MTUs, whose frames are padded, come up as often as large ones."""
    header_bytes = draw(st.integers(0, 200))
    smallest = header_bytes + 1
    return {
        "mtu_bytes": draw(st.integers(smallest, 300) | st.integers(smallest, MAX_PACKET_BYTES)),
        "header_bytes": header_bytes,
        "link_header_bytes": draw(st.integers(0, 60)),
    }


@given(line_rates(), header_sizes())
def test_payload_takes_less_than_the_line(line_rate_bps: float, sizes: Sizes) -> None:
    assert_bounded(efficiency_ratio, above=0, below=1, **sizes)
    line = {"line_rate_bps": line_rate_bps}
    assert_bounded(payload_rate_bps, above=0, below="line_rate_bps", **line, **sizes)


@given(line_rates(), header_sizes())
def test_payload_rises_with_the_mtu(line_rate_bps: float, sizes: Sizes) -> None:
    assert_monotone(
        payload_rate_bps,
        in_="mtu_bytes",
        direction="strictly increasing",
        line_rate_bps=line_rate_bps,
        **sizes | {"mtu_bytes": [sizes["mtu_bytes"], sizes["mtu_bytes"] + 1]},
    )


@given(line_rates(), stacks(), st.integers(0, 60) | st.integers(0, 60_000))
def test_each_layer_counts_no_more_than_the_one_below(
    line_rate_bps: float, stack: Stack, spare_bytes: int
) -> None:
    mtu_bytes = stack.minimum_mtu_bytes + spare_bytes
    ceiling = line_ceiling(line_rate_bps, mtu_bytes, stack)
    layer1_bps, layer2_bps, layer3_bps, layer4_bps = ceiling.layer_rates.values()
    assert layer1_bps == line_rate_bps
    assert layer1_bps > layer2_bps > layer3_bps > layer4_bps > 0
    assert ceiling.payload_rate_bps == layer4_bps
    for rate_bps, counted_bytes in (
        (layer2_bps, stack.frame_bytes(mtu_bytes)),
        (layer3_bps, mtu_bytes),
        (layer4_bps, ceiling.payload_bytes),
    ):
        assert rate_bps == pytest.approx(8 * counted_bytes * ceiling.frame_rate_fps, rel=1e-14)


@given(fractions, st.integers(0, MAX_PACKET_BYTES), st.integers(0, 60))
def test_frames_fill_the_line_exactly(
    line_rate_bps: Fraction, packet_bytes: int, link_header_bytes: int
) -> None:
    rate_fps = frame_rate_fps(line_rate_bps, frame_bytes(packet_bytes, link_header_bytes))
    assert rate_fps * wire_bytes_of(packet_bytes, link_header_bytes) * 8 == line_rate_bps


@given(fractions, header_sizes())
def test_the_required_line_rate_undoes_the_payload_rate(rate_bps: Fraction, sizes: Sizes) -> None:
    """In fractions, so that no quotient is rounded."""
    exact = {name: Fraction(size) for name, size in sizes.items()}
    line_rate_bps = required_line_rate_bps(rate_bps, **exact)
    assert line_rate_bps > rate_bps
    assert payload_rate_bps(line_rate_bps, **exact) == rate_bps


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
