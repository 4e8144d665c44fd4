"""Laws of records in a byte stream, and of the markers of iWARP, which are cut like them."""

from dataclasses import replace

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from testing.strategies import record_layers

from netmodel.framing import Layer, Stack, iscsi, mpa_markers, tcp_stack, tls

cut_layers = record_layers | st.just(mpa_markers())
small_cut_layers = cut_layers.filter(lambda layer: layer.record_bytes <= 2000)
sizes = st.integers(0, 300) | st.integers(0, 20_000) | st.integers(0, 10**8)


def streamed(layer: Layer) -> Stack:
    return Stack((*tcp_stack().layers, layer))


@given(cut_layers, sizes)
@example(tls(), 0)
@example(tls(), 16384 + 22)
@example(tls(), 16384 + 22 + 22)
@example(tls(), 16384 + 22 + 23)
@example(iscsi(4), 48 + 3)
def test_the_room_is_the_largest_content_that_fits(layer: Layer, size: int) -> None:
    room = layer.room_bytes(size)
    assert room >= 0
    assert layer.size_bytes(room, room) <= size < layer.size_bytes(room + 1, room + 1)


@given(record_layers, st.integers(1, 10**6) | st.integers(10**8, 10**11))
def test_a_long_stream_tends_to_full_records(layer: Layer, content: int) -> None:
    """At most one header and the padding of one record are more than their share."""
    stack = streamed(layer)
    mean = (layer.record_bytes + layer.fixed_bytes) / layer.record_bytes
    most = layer.fixed_bytes + (layer.block_bytes - 1) * mean
    assert mean * (1 - 1e-12) <= stack.stream_bytes(content) / content <= mean + most / content
    ratio = stack.payload_bytes(1500) / stack.segment_bytes(1500)
    assert ratio == pytest.approx(1 / mean, rel=1e-12)


@given(record_layers, st.integers(1, 4000), st.integers(1, 10**6), st.integers(68, 9000))
def test_larger_records_are_never_less_efficient(
    layer: Layer, words: int, content: int, mtu: int
) -> None:
    larger = replace(layer, record_bytes=layer.record_bytes + words * layer.block_bytes)
    small, large = streamed(layer), streamed(larger)
    assert large.stream_bytes(content) <= small.stream_bytes(content)
    assert large.payload_bytes(mtu) >= small.payload_bytes(mtu)
    assert large.segment_bytes(mtu) == small.segment_bytes(mtu)
    whole = layer.record_bytes * larger.record_bytes  # ends a record of both sizes
    assume(layer.fixed_bytes > 0)
    assert large.stream_bytes(whole) < small.stream_bytes(whole)


@given(record_layers, st.integers(1500, 9000), st.integers(1, 200_000))
def test_records_cost_what_the_stream_is_longer_by(layer: Layer, mtu: int, size: int) -> None:
    """They end wherever they end: to TCP a record is nothing but more bytes of its stream."""
    stack = streamed(layer)
    longer = stack.stream_bytes(size)
    for length in ("message_wire_bytes", "message_frame_count"):
        assert getattr(stack, length)(size, mtu) == getattr(tcp_stack(), length)(longer, mtu)
    assert stack.segment_bytes(mtu) == tcp_stack().payload_bytes(mtu)
    assert stack.acknowledgement_wire_bytes(mtu) == 90
