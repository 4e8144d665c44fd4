"""Laws of records in a byte stream, and of the markers of iWARP, which are cut like them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from testing.strategies import record_layers

from netmodel.framing import Layer, Stack, iscsi, mpa_markers, tcp_stack, tls

cut_layers = record_layers | st.just(mpa_markers())
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
