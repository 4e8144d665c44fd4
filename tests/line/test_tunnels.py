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


@pytest.mark.parametrize("transport", [TCP, "udp"])
@pytest.mark.parametrize("tunnel", TUNNELS, ids=lambda tunnel: tunnel.name)
def test_a_tunnel(tunnel: Tunnel, transport: str, judge: Judge) -> None:
    """With full datagrams where they are datagrams."""
    stack = parse_stack(tunnel.stack(transport))
    with EmulatedLine(LINE_RATE_BPS) as line:
        inner_bytes = tunnel.mtu_bytes(line)
        full = str(stack.payload_bytes(inner_bytes))
        arguments = ("-u", "-b", "0", "-l", full) if transport == "udp" else ()
        specified = SpecifiedLine(LINE_RATE_BPS, inner_bytes, stack=stack)
        try:
            with tunnel.on(line) as server:
                verdict = steady(lambda: judge(iperf3(line, *arguments, server=server), specified))
        except NoTunnelError as error:
            pytest.skip(str(error))
    assert_on_the_wire([verdict])
    assert_at_ceiling(verdict)
