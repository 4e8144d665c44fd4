"""Commands of tools: which tool, which peer, and whether it would wait for a client."""

import pytest

from netmodel.measuring.tools import parse_call


@pytest.mark.parametrize(
    ("command", "tool", "peer"),
    [
        ("iperf3 -c server1 -J", "iperf3", "server1"),
        ("iperf3 -J -cserver1", "iperf3", "server1"),
        ("iperf3 --client=server1", "iperf3", "server1"),
        ("/usr/local/bin/iperf3 --client fd77::2 -6", "iperf3", "fd77::2"),
        ("iperf3 -C cubic -c 10.0.0.2", "iperf3", "10.0.0.2"),
        ("iperf3 -c fe80::1%eth0", "iperf3", "fe80::1"),
        ("iperf -c 10.0.0.2 -e", "iperf", "10.0.0.2"),
        ("netperf -H 10.0.0.2,4 -t omni", "netperf", "10.0.0.2"),
        ("netperf -t TCP_RR -H db1", "netperf", "db1"),
        ("sockperf ping-pong -i 10.0.0.2 -p 11111", "sockperf", "10.0.0.2"),
        ("sockperf tp --ip 10.0.0.2", "sockperf", "10.0.0.2"),
        ("nuttcp -T10 -fparse 10.0.0.2", "nuttcp", "10.0.0.2"),
        ("nuttcp -T 10 -w 4m server1", "nuttcp", "server1"),
        ("qperf -t 4 -m 64K server1 tcp_bw", "qperf", "server1"),
        ("ntttcp -s10.0.0.2 -t 10", "ntttcp", "10.0.0.2"),
        ("ib_write_bw -s 65536 10.0.0.2", "ib_write_bw", "10.0.0.2"),
        ("taskset -c 1 chrt --rr 10 iperf3 -c 10.0.0.2", "iperf3", "10.0.0.2"),
        ("./own-tool --to 10.0.0.2", None, "10.0.0.2"),
        ("./own-tool 10.0.0.2 10.0.0.3", None, None),
        ("iperf3 -v", "iperf3", None),
        ("iperf3 -c", "iperf3", None),
    ],
)
def test_the_peer_of_a_command(command: str, tool: str | None, peer: str | None) -> None:
    call = parse_call(command.split())
    assert (call.tool, call.peer, call.is_server) == (tool, peer, False)


@pytest.mark.parametrize(
    "command",
    [
        "iperf3 -s",
        "iperf -s -u",
        "nuttcp -S",
        "nuttcp -1",
        "sockperf server -i 10.0.0.2",
        "uperf -s",
    ],
)
def test_a_server_is_recognised(command: str) -> None:
    call = parse_call(command.split())
    assert call.is_server
    assert call.peer is None


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("ssh db1 iperf3 -c 10.0.0.2", "ssh"),
        ("ip netns exec blue iperf3 -c 10.0.0.2", "netns"),
        ("docker run x iperf3 -c 10.0.0.2", "docker"),
        ("env A=1 iperf3 -c 10.0.0.2", ""),
    ],
)
def test_a_tool_in_another_place_is_recognised(command: str, word: str) -> None:
    assert parse_call(command.split()).runs_elsewhere == word


def test_an_option_sets_the_ip_version() -> None:
    assert parse_call(["iperf3", "-6", "-c", "db1"]).ip_version == 6
    assert parse_call(["iperf3", "-4", "-c", "db1"]).ip_version == 4
    assert parse_call(["iperf3", "-c", "db1"]).ip_version is None
