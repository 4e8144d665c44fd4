"""Records of TLS, iSCSI and NVMe/TCP, laid out byte by byte from their standards.

All over TCP with timestamps over IPv4 at MTU 1500, unless said otherwise: segments of 1448 bytes,
90 bytes on the wire around each.
"""

import operator
import tomllib
from pathlib import Path
from typing import Any

import pytest

from netmodel.ceilings import line_ceiling
from netmodel.framing import Stack, parse_stack

RECORDS = tomllib.loads(Path(__file__).with_name("records.toml").read_text(encoding="utf-8"))


def over_tcp(text: str) -> Stack:
    return parse_stack(f"ethernet/ipv4/tcp+timestamps/{text}")


@pytest.mark.parametrize(
    "case", [each for rows in RECORDS.values() for each in rows["contents"]], ids=str
)
def test_a_content_with_the_headers_of_its_records(case: dict[str, Any]) -> None:
    stack, content = over_tcp(case["stack"]), case["content"]
    stream = content + case.get("padding", 0)
    stream += sum(map(operator.mul, case["records"], case["around"]))
    assert stack.stream_bytes(content) == stream
    frames = -(-stream // 1448)
    assert stack.message_wire_bytes(content, 1500) == stream + 90 * frames
    assert stack.message_frame_count(content, 1500) == frames


def test_records_of_a_full_frame_are_a_part_of_it() -> None:
    """Of 1448 bytes in each frame 22 of each 16406 are around a record of TLS."""
    ceiling = line_ceiling(25e9, 1500, over_tcp("tls"))
    assert ceiling.segment_bytes == 1448
    assert ceiling.payload_rate_bps == pytest.approx(25e9 * 1448 * 16384 / 16406 / 1538, rel=1e-12)
    named = {part.name: part.bytes for part in ceiling.parts}
    assert named["tls_records"] == pytest.approx(1448 * 22 / 16406, rel=1e-12)


def test_lengths_of_quic_are_an_estimate() -> None:
    [estimate] = parse_stack("ethernet/ipv4/udp/quic").estimates
    assert estimate.startswith("quic")
