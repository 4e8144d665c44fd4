"""Ceilings of a line: at the edges of the domain, and as results to show."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from netmodel.ceilings import (
    LineCeiling,
    ceiling_columns,
    line_ceiling,
)
from netmodel.errors import DomainError
from netmodel.framing import Stack, parse_stack, tcp_stack, udp_stack


def test_the_ceiling_of_25_gbe_as_a_dictionary() -> None:
    """N. Hoppmann (2021), slide 12, and by hand: 25e9 / (8 * 1538) = 2 031 859.558 frames/s."""
    values = json.loads(json.dumps(line_ceiling(np.int64(25_000_000_000), 1500).to_dict()))
    parts, layer_rates_bps = values.pop("parts"), values.pop("layer_rates_bps")
    assert values == {
        "line_rate_bps": 25e9,
        "mtu_bytes": 1500,
        "stack": "ethernet/ipv4/tcp+timestamps",
        "payload_bytes": 1448,
        "overhead_bytes": 90,
        "wire_bytes": 1538,
        "efficiency_ratio": pytest.approx(0.941482444733, abs=0.5e-12),
        "payload_rate_bps": pytest.approx(23.537061118e9, abs=0.5),
        "frame_rate_fps": pytest.approx(2_031_859.558, abs=5e-4),
    }
    assert parts[0] == {"name": "preamble", "bytes": 7}
    assert sum(part["bytes"] for part in parts) == 1538
    counted = zip(("layer1", "layer2", "layer3", "layer4"), (1538, 1518, 1500, 1448), strict=True)
    assert layer_rates_bps == {
        layer: pytest.approx(25e9 * size / 1538, rel=1e-15) for layer, size in counted
    }


def test_a_tunnel_leaves_no_packet_longer_than_its_length_field() -> None:
    """GRE adds 24 bytes: RFC 2784, and RFC 791 for the 65535."""
    stack = parse_stack("ethernet/ipv4/gre/ipv4/tcp")
    assert line_ceiling(25e9, 65535 - 24, stack).mtu_bytes == 65511
    with pytest.raises(
        DomainError, match=r"^outer_packet_bytes must be at most 65535 byte; got 65536$"
    ):
        line_ceiling(25e9, 65512, stack)


@pytest.mark.parametrize("stack", [tcp_stack(), udp_stack()], ids=str)
def test_columns_are_the_ceilings_one_by_one(stack: Stack) -> None:
    mtus_bytes, messages_bytes = [1500, 9000], [200, 30720]
    columns = ceiling_columns(25e9, mtus_bytes, stack, messages_bytes)
    for place, (mtu_bytes, message_bytes) in enumerate(
        zip(mtus_bytes, messages_bytes, strict=True)
    ):
        ceiling = line_ceiling(25e9, mtu_bytes, stack)
        single = ceiling.to_dict() | ceiling.message(message_bytes).to_dict()
        assert {name: column[place] for name, column in columns.items()} == {
            name: value
            for name, value in single.items()
            if name not in {"stack", "parts", "layer_rates_bps", "message_rate_tps"}
            if name not in {"message_segment_count", "message_merged_payload_rate_bps"}
        }


def test_a_message_as_a_dictionary() -> None:
    """By hand: 1000 bytes and 90 of headers; alone in a segment, or 1448 of 1538 bytes of it."""
    assert line_ceiling(8 * 1090, 1500).message(1000).to_dict() == {
        "message_bytes": 1000,
        "message_segment_count": 1,
        "message_frame_count": 1,
        "message_wire_bytes": 1090,
        "message_efficiency_ratio": 1000 / 1090,
        "message_payload_rate_bps": 8000,
        "message_merged_payload_rate_bps": pytest.approx(8 * 1090 * 1448 / 1538, rel=1e-15),
        "message_rate_tps": 1,
    }


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda each: each.message(0), "message_bytes must be at least 1 byte; got 0"),
        (lambda each: each.message(1.5), "message_bytes must be a whole number; got 1.5"),
        (
            lambda each: ceiling_columns(25e9, 1500, each.stack, [1, 0.5]),
            "message_bytes must be at least 1 byte; got 0.5 at index (1,)",
        ),
        (
            lambda each: each.acknowledged_payload_rate_bps(0),
            "segments_per_ack must be at least 1; got 0",
        ),
    ],
)
def test_messages_that_do_not_exist_are_refused(
    ask: Callable[[LineCeiling], object], message: str
) -> None:
    with pytest.raises(DomainError) as caught:
        ask(line_ceiling(25e9, 1500))
    assert str(caught.value) == message
