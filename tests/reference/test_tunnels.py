"""Tags and tunnels worked out by hand from the layouts in the standards.

ESP fills content, padding and 2 bytes of trailer up to blocks (RFC 4303, section 2.4). Around
them stand, in tunnel mode over IPv4,

    suite               IP  SPI, sequence  IV  check value  block  reference
    AES-GCM, ChaCha20   20        8         8      16         4    RFC 4106, RFC 7634
    AES-CBC + SHA-1     20        8        16      12        16    RFC 3602, RFC 2404
    AES-CBC + SHA-256   20        8        16      16        16    RFC 3602, RFC 4868

so of 1500 bytes AES-GCM leaves 1448 = 362 x 4, that is 1446 of content, and AES-CBC with SHA-256
1440 = 90 x 16, that is 1438.
"""

import pytest

from netmodel.framing import parse_stack

TCP = "ipv4/tcp+timestamps"
LONG_SUITES = ("aes-cbc-sha1", "aes-cbc-sha256")


def stack_bytes(text: str, packet_bytes: int) -> int:
    """Outermost packet around a packet that is shorter than the interface allows."""
    return parse_stack(text).outer_packet_bytes(packet_bytes, 1420)


@pytest.mark.parametrize(
    ("outside", "inner"),
    [
        ("ipv4/esp", 1446),
        ("ipv4/esp+suite=aes-gcm", 1446),
        ("ipv4/esp+suite=chacha20-poly1305", 1446),
        ("ipv4/esp+suite=aes-cbc-sha1", 1438),  # 1500 - 56 = 1444, of which 1440
        ("ipv4/esp+suite=aes-cbc-sha256", 1438),
        ("ipv4/esp+natt", 1438),  # RFC 3948: UDP, 1440 = 360 x 4
        ("ipv4/esp+suite=aes-cbc-sha1+natt", 1422),  # 1500 - 64 = 1436, of which 1424 = 89 x 16
        ("ipv4/esp+suite=aes-cbc-sha256+natt", 1422),  # 1500 - 68 = 1432, of which 1424
        ("ipv6/esp", 1426),  # 1500 - 72 = 1428 = 357 x 4
        ("ipv6/esp+suite=aes-cbc-sha256", 1422),  # 1500 - 80 = 1420: 1408 = 88 x 16, see below
        ("ipv4/esp+implicit-iv", 1454),  # RFC 8750: 1500 - 44 = 1456 = 364 x 4
        ("ipv4/esp+suite=chacha20-poly1305+implicit-iv", 1454),
        ("ipv4/ipv4/esp", 1426),
    ],
)
def test_the_largest_packet_inside_esp_at_mtu_1500(outside: str, inner: int) -> None:
    inner = 1406 if outside == "ipv6/esp+suite=aes-cbc-sha256" else inner
    stack = parse_stack(f"ethernet/{outside}/{TCP}")
    assert stack.mtu_bytes(1500) == inner
    assert stack.outer_packet_bytes(inner) <= 1500 < stack.outer_packet_bytes(inner + 1)
