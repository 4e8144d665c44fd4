"""Header stacks on the command line: --stack, --link-mtu, --list."""

from collections.abc import Sequence

import pytest
from invocation import printed, printed_json, refusal, words

VXLAN = "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"
LINE = ("ceiling", "--line-rate", "25G")


def test_a_tunnel_is_counted_from_either_mtu() -> None:
    """50 bytes of tunnel: 1398 of 1538 bytes at link MTU 1500, 1448 of 1588 at MTU 1500."""
    outer = printed_json(*LINE, "--link-mtu", "1500", "--stack", VXLAN)
    assert (outer["mtu_bytes"], outer["payload_bytes"], outer["wire_bytes"]) == (1450, 1398, 1538)
    inner = printed_json(*LINE, "--mtu", "1500", "--stack", VXLAN)
    assert (inner["payload_bytes"], inner["wire_bytes"]) == (1448, 1588)
    assert inner["efficiency_ratio"] == pytest.approx(1448 / 1588, rel=1e-15)


def test_a_stack_without_a_transport_says_what_it_counts() -> None:
    """IPv4 in IPv4: 1480 of 1500 byte (RFC 2003), without the header of a transport."""
    shown = words(printed(*LINE, "--link-mtu", "1500", "--stack", "ipip"))
    assert "of payload of ipv4 (no transport header) at MTU 1480" in shown
    assert "of payload at MTU 1500" in words(printed(*LINE, "--mtu", "1500"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--mtu", "1500", "--link-mtu", "1500"), "not both"),
        ((), "give --mtu or --link-mtu"),
        (("--mtu", "1500", "--stack", VXLAN, "--ip", "4"), "give --stack or --ip, not both"),
        (
            ("--mtu", "1500", "--stack", VXLAN, "--no-timestamps"),
            "give --stack or --timestamps/--no-timestamps, not both",
        ),
        (("--mtu", "1500", "--stack", "ethernet/ipv5/tcp"), "did you mean ipv6 or ipv4?"),
        (("--link-mtu", "90", "--stack", VXLAN), "--link-mtu must be at least 118"),
        (("--mtu", "1500", "--stack", "esp"), "such as calico-vxlan or vlan/ipv4/tcp"),
        (("--mtu", "65500", "--stack", VXLAN), "outer_packet_bytes must be at most 65535"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(options: Sequence[str], words: str) -> None:
    assert words in refusal(*LINE, *options)
