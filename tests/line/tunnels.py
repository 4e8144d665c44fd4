"""Tunnels and tags on an emulated line, made with iproute2 at both ends."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from line.emulated import ONE_SEGMENT, EmulatedLine
from line.lines import SIDES, Side
from line.namespaces import LineError

from netmodel.framing import parse_stack

DEVICE = "inner"
INNER_ADDRESSES: dict[Side, str] = {"client": "10.97.0.1", "server": "10.97.0.2"}
_UNKNOWN_DEVICE = "Unknown device type"
_WIREGUARD_PORT = 51820


class NoTunnelError(RuntimeError):
    """A tunnel that cannot be made on this machine; the message holds why."""


@dataclass(frozen=True)
class Tunnel:
    """A kind of tunnel over IPv4.

    Parameters
    ----------
    name
        Type of the device, as iproute2 has it.
    outer_stack
        Headers around each inner packet.
    options
        What ``ip link add`` is reported after the type, from the line and the side.
    set_up
        What is done at each side when there is a device.
    """

    name: str
    outer_stack: str
    options: Callable[[EmulatedLine, Side], str]
    set_up: Callable[[EmulatedLine, Side], None] = lambda line, side: None

    def stack(self, transport: str) -> str:
        """Return all headers of a segment or datagram, inner IPv4 included."""
        return f"{self.outer_stack}/ipv4/{transport}"

    def mtu_bytes(self, line: EmulatedLine) -> int:
        """Return the largest inner packet that fits the line [byte]."""
        return int(parse_stack(self.stack("tcp")).mtu_bytes(line.mtu_bytes))

    @contextlib.contextmanager
    def on(self, line: EmulatedLine) -> Iterator[str]:
        """Make the tunnel; yield the inner address of the server.

        Without ``gso_max_segs 1`` on the device of the tunnel too, packets of several segments
        would enter it whole, and the run would read 9 % fast.
        """
        for side in SIDES:
            self._add(line, side)
        for side in SIDES:
            self.set_up(line, side)
            address = f"{INNER_ADDRESSES[side]}/24"
            line.run(side, ["ip", "address", "add", address, "dev", DEVICE])
            mtu = ["mtu", str(self.mtu_bytes(line))]
            line.run(side, ["ip", "link", "set", DEVICE, *ONE_SEGMENT, *mtu, "up"])
        yield INNER_ADDRESSES["server"]

    def _add(self, line: EmulatedLine, side: Side) -> None:
        base = ["link", line.device(side)] if self.name == "vlan" else []
        options = self.options(line, side).split()
        try:
            line.run(
                side, ["ip", "link", "add", *base, "name", DEVICE, "type", self.name, *options]
            )
        except LineError as error:
            if _UNKNOWN_DEVICE in str(error):
                raise NoTunnelError(f"this kernel has no {self.name} device") from error
            raise


def _peer(side: Side) -> Side:
    return "server" if side == "client" else "client"


def _between(line: EmulatedLine, side: Side) -> str:
    return f"local {line.address(side)} remote {line.address(_peer(side))}"


def _tag_in_the_packet(line: EmulatedLine, side: Side) -> None:
    """A tag that the driver is to add is not counted by the token bucket."""
    if shutil.which("ethtool") is None:
        raise NoTunnelError("ethtool is not on the PATH")
    line.run(side, ["ethtool", "-K", line.device(side), "txvlan", "off"])


def _exchange_keys(line: EmulatedLine, side: Side) -> None:
    """Give one side a private key, and its public key to the other side."""
    if shutil.which("wg") is None:
        raise NoTunnelError("wg is not on the PATH")
    key = line.run(side, ["wg", "genkey"]).decode().strip()
    own = f"wg set {DEVICE} listen-port {_WIREGUARD_PORT} private-key /dev/stdin"
    script = f"echo {key} | {own}; echo {key} | wg pubkey"
    public = line.run(side, ["sh", "-ec", script]).decode().strip()
    endpoint = f"{line.address(side)}:{_WIREGUARD_PORT}"
    allowed = f"{INNER_ADDRESSES[side]}/32"
    peer = ["peer", public, "endpoint", endpoint, "allowed-ips", allowed]
    line.run(_peer(side), ["wg", "set", DEVICE, *peer])


TUNNELS = (
    Tunnel(
        "vxlan",
        "ethernet/ipv4/udp/vxlan/ethernet",
        lambda line, side: f"id 7 {_between(line, side)} dstport 4789",
    ),
    Tunnel("vlan", "ethernet/vlan", lambda line, side: "id 7", _tag_in_the_packet),
    Tunnel("gre", "ethernet/ipv4/gre", _between),
    Tunnel(
        "geneve",
        "ethernet/ipv4/udp/geneve/ethernet",
        lambda line, side: f"id 7 remote {line.address(_peer(side))}",
    ),
    Tunnel("wireguard", "ethernet/ipv4/udp/wireguard", lambda line, side: "", _exchange_keys),
)
