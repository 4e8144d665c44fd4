"""``netmodel path-mtu`` and ``netmodel pcie``."""

from collections.abc import Sequence

import pytest
from invocation import printed, printed_json, refusal


@pytest.mark.parametrize(
    ("hops", "fate", "packet", "exit_code"),
    [
        (("a=9000", "b=1500"), "reduced", 1500, 0),
        (("a=9000", "b=1500,silent"), "stalls", 9000, 1),
        (("a=1500", "b=1500,silent"), "reduced", 1500, 0),
        (("a=9000,silent", "b=9001"), "passes", 9000, 0),
    ],
)
def test_what_becomes_of_full_packets(
    hops: Sequence[str], fate: str, packet: int, exit_code: int
) -> None:
    command = ("path-mtu", *hops, "--sender-mtu", "9000")
    result = printed_json(*command, exit_code=exit_code)
    assert (result["fate"], result["packet_bytes"]) == (fate, packet)
    assert f"{fate}: " in printed(*command, exit_code=exit_code)


def test_the_interface_of_the_sender_is_a_hop() -> None:
    """RFC 1191, section 3: a path MTU is no larger than the MTU of the first hop."""
    result = printed_json("path-mtu", "lan=9000", "--sender-mtu", "1500")
    assert (result["mtu_bytes"], result["smallest_hops"]) == (1500, ["sender"])


def test_presets_have_their_usual_mtu() -> None:
    (note,) = printed_json("path-mtu", "lan=1500", "pods=1500,calico-vxlan")["notes"]
    assert note.startswith("calico-vxlan: usual MTU 1450 at link MTU 1500")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument 'HOP...'"),
        (("a=",), "is not a hop"),
        (("a=1500,quiet",), "unknown layer 'quiet'"),
        (("a=70,pppoe/ipv4/tcp",), "got 62, which pppoe leaves of 70"),
        (("a=1500", "--sender-mtu", "0"), "hop sender: link_mtu_bytes must be at least 68"),
    ],
)
def test_hops_that_cannot_be_are_refused(arguments: Sequence[str], words: str) -> None:
    assert words in refusal("path-mtu", *arguments)


def test_a_bus_is_compared_with_a_line() -> None:
    """By hand: 284.95 bytes up for 128, 412.95 for 256, of 62.85 Gbit/s: 27.6 and 19.0 Mframe/s."""
    command = ("pcie", "--generation", "3", "--lanes", "8", "--line-rate", "40G")
    result = printed_json(*command)
    assert result["raw_rate_bps"] == pytest.approx(8 * 8e9 * 128 / 130)
    keeps_up = {row["frame_bytes"]: row["keeps_up"] for row in result["frames"]}
    assert (keeps_up[128], keeps_up[256]) == (False, True)
    assert "128 33,783,784 no 27," in " ".join(printed(*command).split())
    assert "line frame/s" in printed(*command)
    assert "line" not in printed(*command[:-2])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--generation", "3"), "Missing option '--lanes'"),
        (("--generation", "3", "--lanes", "8", "--max-payload", "100"), "must be one of 128"),
    ],
)
def test_links_that_do_not_exist_are_refused(options: Sequence[str], words: str) -> None:
    assert words in refusal("pcie", *options)
