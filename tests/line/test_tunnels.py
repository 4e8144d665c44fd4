"""Tunnels and tags on the line: all their headers are in what is predicted."""

import pytest
from line.emulated import EmulatedLine
from line.tools import iperf3
from line.trials import Judge, assert_at_ceiling, assert_on_the_wire, steady
from line.tunnels import TUNNELS, NoTunnelError, Tunnel

from netmodel.checking import SpecifiedLine
from netmodel.framing import parse_stack

pytestmark = pytest.mark.line

LINE_RATE_BPS = 100_000_000
TCP = "tcp+timestamps"


def measured(
    tunnel: Tunnel, transport: str, judge: Judge, repeats: int = 1, mtu_bytes: int = 1500
) -> None:
    """Runs through a tunnel, with full datagrams where they are datagrams."""
    stack = parse_stack(tunnel.stack(transport))
    with EmulatedLine(LINE_RATE_BPS, mtu_bytes) as line:
        inner_bytes = tunnel.mtu_bytes(line)
        full = str(stack.payload_bytes(inner_bytes))
        arguments = ("-u", "-b", "0", "-l", full) if transport == "udp" else ()
        specified = SpecifiedLine(LINE_RATE_BPS, inner_bytes, stack=stack)
        try:
            with tunnel.on(line) as server:
                verdicts = [
                    steady(lambda: judge(iperf3(line, *arguments, server=server), specified))
                    for _ in range(repeats)
                ]
        except NoTunnelError as error:
            pytest.skip(str(error))
    assert_on_the_wire(verdicts)
    assert_at_ceiling(*verdicts)


@pytest.mark.parametrize("transport", [TCP, "udp"])
@pytest.mark.parametrize("tunnel", TUNNELS, ids=lambda tunnel: tunnel.name)
def test_a_tunnel(tunnel: Tunnel, transport: str, judge: Judge) -> None:
    measured(tunnel, transport, judge)


@pytest.mark.nightly
@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
@pytest.mark.parametrize("transport", [TCP, "udp"])
@pytest.mark.parametrize("tunnel", TUNNELS, ids=lambda tunnel: tunnel.name)
def test_a_tunnel_three_times(tunnel: Tunnel, transport: str, mtu_bytes: int, judge: Judge) -> None:
    measured(tunnel, transport, judge, repeats=3, mtu_bytes=mtu_bytes)
