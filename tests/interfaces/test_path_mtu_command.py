"""``netmodel path-mtu`` and ``netmodel pcie``."""

from collections.abc import Sequence

import pytest
from invocation import printed, printed_json, refusal

OVERLAY = "overlay=1500,ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp"


def test_the_smallest_hop_is_named() -> None:
    """50 bytes of VXLAN leave 1450 of 1500."""
    found = printed_json("path-mtu", "guest=9000", OVERLAY, "core=9216")
    assert found["mtu_bytes"] == 1450
    assert found["smallest_hops"] == ["overlay"]
    assert [hop["mtu_bytes"] for hop in found["hops"]] == [9000, 1450, 9216]
    assert "path MTU 1450, set by overlay" in printed("path-mtu", "guest=9000", OVERLAY)


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
    found = printed_json(*command, exit_code=exit_code)
    assert (found["fate"], found["packet_bytes"]) == (fate, packet)
    assert f"{fate}: " in printed(*command, exit_code=exit_code)


def test_a_stall_is_said_in_words() -> None:
    text = printed("path-mtu", "macvtap=1500,silent", "--sender-mtu", "9000", exit_code=1)
    assert "its throughput is zero" in text
    assert "go no further than macvtap" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Missing argument 'HOP...'"),
        (("1500",), "is no hop; write NAME=MTU[,silent][,STACK]"),
        (("a=",), "is no hop"),
        (("a=fast",), "fast"),
        (("a=1500,quiet",), "unknown layer 'quiet'"),
        (("a=1500,ethernet/ipv4,ethernet/ipv6",), "more than one stack"),
        (("a=60",), "must be at least 68 byte"),
        (("a=1500", "--sender-mtu", "0"), "sender_mtu_bytes must be at least 1"),
    ],
)
def test_hops_that_cannot_be_are_refused(arguments: Sequence[str], words: str) -> None:
    assert words in refusal("path-mtu", *arguments)


def test_a_bus_is_held_against_a_line() -> None:
    """Eight lanes of generation 3 carry 40 Gbit/s both ways from 339 bytes on: not 256, but 512."""
    command = ("pcie", "--generation", "3", "--lanes", "8", "--line-rate", "40G")
    found = printed_json(*command)
    assert found["raw_rate_bps"] == pytest.approx(8 * 8e9 * 128 / 130)
    keeps_up = {
        row["frame_bytes"]: row["duplex_frame_rate_fps"] >= row["line_frame_rate_fps"]
        for row in found["frames"]
    }
    assert (keeps_up[256], keeps_up[512]) == (False, True)
    lines = printed(*command).splitlines()
    assert [line.split()[-1] for line in lines if line.split()[:1] in (["256"], ["512"])] == [
        "no",
        "yes",
    ]
    assert "line" not in printed(*command[:-2]).splitlines()[3]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--generation", "6", "--lanes", "8"), "generation must be one of"),
        (("--generation", "3", "--lanes", "7"), "lanes must be one of"),
        (("--generation", "3"), "Missing option '--lanes'"),
        (("--generation", "3", "--lanes", "8", "--adapter", "best"), "'best' is not one of"),
        (("--generation", "3", "--lanes", "8", "--max-payload", "100"), "must be one of 128"),
        (("--generation", "3", "--lanes", "8", "--max-read-request", "0"), "not one of"),
    ],
)
def test_links_that_do_not_exist_are_refused(options: Sequence[str], words: str) -> None:
    assert words in refusal("pcie", *options)
