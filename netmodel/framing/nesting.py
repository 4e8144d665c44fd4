"""Sizes of layers inside one another."""

from typing import cast

from netmodel.framing._layer import Layer, Part
from netmodel.numeric import Q, maximum


def size_bytes(layers: tuple[Layer, ...], content_bytes: Q, mtu_bytes: Q | float) -> Q:
    """Length of nested layers around a content that came through an interface of an MTU."""
    depends_on_mtu = any(layer.pads_up_to_mtu for layer in layers)
    fixed_bytes = 0
    for layer in reversed(layers):
        if not layer.is_stepped:
            fixed_bytes += layer.fixed_bytes
            continue
        mtu_bytes = mtu_bytes + fixed_bytes if depends_on_mtu else 0
        content_bytes = layer.size_bytes(content_bytes + fixed_bytes, mtu_bytes)
        mtu_bytes = layer.size_bytes(cast("Q", mtu_bytes), mtu_bytes)
        fixed_bytes = 0
    return content_bytes + fixed_bytes


def fixed_bytes(layers: tuple[Layer, ...]) -> int:
    """Headers and trailers of layers without padding."""
    return sum(layer.fixed_bytes for layer in layers)


def mean_content_bytes(layers: tuple[Layer, ...], size_bytes: Q) -> Q:
    """Content of so much of a long stream of full records inside one another."""
    for layer in layers:
        size_bytes = layer.mean_content_bytes(size_bytes)
    return size_bytes


def smallest_content_bytes(layers: tuple[Layer, ...]) -> float:
    """What a full packet of the layers must at least hold, which is more than nothing."""
    content_bytes: float = 1
    for layer in layers:
        content_bytes = maximum(content_bytes, layer.minimum_content_bytes)
    return content_bytes


def room_bytes(layers: tuple[Layer, ...], size_bytes: Q) -> Q:
    """Longest content with which nested layers are not longer than a size."""
    for layer in layers:
        size_bytes = layer.room_bytes(size_bytes)
    return size_bytes


def wrapped(
    inside: tuple[Part, ...], layers: tuple[Layer, ...], content_bytes: int, mtu_bytes: int
) -> tuple[Part, ...]:
    """Parts of nested layers around the parts of their content."""
    for layer in reversed(layers):
        padding_bytes = cast("int", layer.padding_bytes(content_bytes, mtu_bytes))
        padding = Part(f"{layer.protocol}_padding", padding_bytes)
        count = cast("int", layer.record_count(content_bytes))
        header = (Part(part.name, part.bytes * count) for part in layer.header)
        inside = (*header, *inside, padding, *layer.trailer)
        content_bytes, mtu_bytes = (
            cast("int", layer.size_bytes(content_bytes, mtu_bytes)),
            cast("int", layer.size_bytes(mtu_bytes, mtu_bytes)),
        )
    return inside


def padding_bytes(layers: tuple[Layer, ...], content_bytes: Q) -> Q | float:
    """Padding of nested layers, none of which pads up to an MTU, around a content."""
    total_bytes: Q | float = 0
    for layer in reversed(layers):
        total_bytes = total_bytes + layer.padding_bytes(content_bytes, content_bytes)
        content_bytes = layer.size_bytes(content_bytes, content_bytes)
    return total_bytes
