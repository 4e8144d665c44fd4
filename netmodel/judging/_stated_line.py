"""What the user says of the line, the path and the hosts of a run."""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

from netmodel._numeric import require_above, require_at_least, require_one, require_whole
from netmodel.ceilings import line_ceiling
from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack, udp_stack

if TYPE_CHECKING:
    from netmodel.path import SpecifiedPath

__all__ = [
    "DEFAULT_IP_VERSION",
    "ROCE",
    "USUAL_MTU_BYTES",
    "StatedHost",
    "StatedLine",
    "require_possible",
]

DEFAULT_IP_VERSION = 4
"""Of runs between names; tools print names of IPv6 hosts rarely."""
USUAL_MTU_BYTES = 1500
"""Of Ethernet without jumbo frames (IEEE 802.3)."""
ROCE = frozenset({"rocev1", "rocev2"})
"""Innermost layers of stacks that carry RDMA over Ethernet."""
_TRANSPORTS = frozenset({"tcp", "udp"}) | ROCE
_IP_VERSIONS = {"ipv4": 4, "ipv6": 6}


@dataclass(frozen=True, slots=True)
class StatedHost:
    """
    What the user says of the host at one end; None leaves it to the measurement.

    Parameters
    ----------
    cpu_count : int, optional
        CPUs that the host has.
    us_per_gbit : float, optional
        CPU time that it takes per payload, of whole system. [µs/Gbit]
    """

    cpu_count: int | None = None
    us_per_gbit: float | None = None


@dataclass(frozen=True)
class StatedLine:
    """
    What the user says of the line; None leaves it to the measurement.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate. [bit/s]
    mtu_bytes : int, optional
        Largest packet. [byte]
    ip_version : int, optional
        4 or 6.
    transport : str, optional
        ``tcp`` or ``udp``.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option.
    vlan_tags : int
        802.1Q tags in each frame.
    stack : Stack, optional
        All headers, in place of the four before.
    message_bytes : int, optional
        Payload of each write where every write is sent for itself, or of each
        datagram. [byte]
    path : SpecifiedPath, optional
        What else lies between the applications.
    round_trip_s : float, optional
        Time from a byte to the news that it has arrived. [s]
    client, server : StatedHost
        The hosts at both ends.
    assumed_transport : str, optional
        Transport of runs that do not report theirs; others keep their own.
    rate_cap_bps : float, optional
        Payload rate that a shaper, a policer or a contract allows. [bit/s]
    """

    line_rate_bps: float
    mtu_bytes: int | None = None
    ip_version: int | None = None
    transport: str | None = None
    timestamps: bool | None = None
    vlan_tags: int = 0
    stack: Stack | None = None
    message_bytes: int | None = None
    path: "SpecifiedPath | None" = None
    round_trip_s: float | None = None
    client: StatedHost = StatedHost()
    server: StatedHost = StatedHost()
    assumed_transport: str | None = None
    rate_cap_bps: float | None = None

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, each.name) for each in fields(self)))

    def __hash__(self) -> int:
        """Computed once, as every run over the line asks for it."""
        return self._hash

    @cached_property
    def path_over_it(self) -> "SpecifiedPath | None":
        """The path with the line rate stated here, composed once for all runs over it."""
        return self.path and replace(self.path, line_rate_bps=self.line_rate_bps)

    @cached_property
    def is_possible(self) -> bool:
        """True; DomainError for a line, a host or a message that cannot exist."""
        _require_possible(self)
        return True

    @cached_property
    def line_alone(self) -> "StatedLine":
        """The line without what lies around it, made once for all runs over it."""
        return replace(
            self,
            path=None,
            round_trip_s=None,
            client=StatedHost(),
            server=StatedHost(),
            rate_cap_bps=None,
        )

    @property
    def stated_transport(self) -> str | None:
        """Transport, as the stack has it or as said for itself."""
        return self.stack.protocols[-1] if self.stack else self.transport

    @property
    def stated_ip_version(self) -> int | None:
        """IP version of the innermost packet, as the stack has it or as said for itself."""
        if self.stack is None:
            return self.ip_version
        return _IP_VERSIONS.get(_packet_protocol(self.stack))


def require_possible(stated: StatedLine) -> None:
    """Raise DomainError for a line or a message that cannot exist; looked at once for each."""
    _ = stated.is_possible


def _require_possible(stated: StatedLine) -> None:
    if stated.message_bytes is not None:
        require_whole("message_bytes", stated.message_bytes)
        require_at_least("message_bytes", stated.message_bytes, 1, "byte")
    if stated.round_trip_s is not None:
        require_above("round_trip_s", require_one("round_trip_s", stated.round_trip_s), 0, "s")
    if stated.rate_cap_bps is not None:
        rate_cap_bps = require_one("rate_cap_bps", stated.rate_cap_bps)
        require_above("rate_cap_bps", rate_cap_bps, 0, "bit/s")
    _require_possible_host("client", stated.client)
    _require_possible_host("server", stated.server)
    if stated.stack is not None:
        _require_possible_stack(stated, stated.stack)
        return
    for transport in (stated.transport, stated.assumed_transport):
        if transport not in (None, "tcp", "udp"):
            raise DomainError(f"transport must be tcp or udp; got {transport!r}")
    if stated.transport == "udp" and stated.timestamps is not None:
        raise DomainError("timestamps are an option of TCP; the transport is udp")
    ip_version = DEFAULT_IP_VERSION if stated.ip_version is None else stated.ip_version
    stack = (
        udp_stack(ip_version=ip_version, vlan_tags=stated.vlan_tags)
        if stated.transport == "udp"
        else tcp_stack(
            ip_version=ip_version,
            timestamps=stated.timestamps is not False,
            vlan_tags=stated.vlan_tags,
        )
    )
    mtu_bytes = USUAL_MTU_BYTES if stated.mtu_bytes is None else stated.mtu_bytes
    line_ceiling(stated.line_rate_bps, mtu_bytes, stack)


def _require_possible_host(side: str, host: StatedHost) -> None:
    if host.cpu_count is not None:
        name = f"{side} cpu_count"
        require_at_least(name, require_whole(name, host.cpu_count), 1, "")
    if host.us_per_gbit is not None:
        name = f"{side} us_per_gbit"
        require_above(name, require_one(name, host.us_per_gbit), 0, "µs/Gbit")


def _require_possible_stack(stated: StatedLine, stack: Stack) -> None:
    one_by_one = (stated.ip_version, stated.transport, stated.timestamps, stated.vlan_tags or None)
    if one_by_one != (None,) * 4:
        raise DomainError("state the headers by a stack or one by one, not both")
    transport = stack.protocols[-1]
    is_carried = _packet_protocol(stack) in _IP_VERSIONS or transport == "rocev1"
    if transport not in _TRANSPORTS or not is_carried:
        raise DomainError(
            f"a run needs tcp or udp over IP, rocev1 or rocev2 as the innermost layers; got {stack}"
        )
    mtu_bytes = stack.minimum_mtu_bytes if stated.mtu_bytes is None else stated.mtu_bytes
    line_ceiling(stated.line_rate_bps, mtu_bytes, stack)


def _packet_protocol(stack: Stack) -> str:
    """Protocol that opens the innermost packet; empty where there is none."""
    return next((layer.protocol for layer in stack.inner_layers), "")
