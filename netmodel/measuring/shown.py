"""Line and headers that the facts of a host show."""

import re
from dataclasses import dataclass, field, replace

from netmodel.errors import DomainError
from netmodel.framing import Layer
from netmodel.measuring.facts import Facts
from netmodel.measuring.links import (
    WITH_PORTS,
    Interface,
    Route,
    headers_of,
    interfaces_of,
    narrow_mtus,
    path_to_line,
    route_of,
)
from netmodel.readers.host_runs import processor_of
from netmodel.units import format_rate, parse_rate_bps

VIRTUAL_DRIVERS = frozenset(
    {"veth", "tun", "virtio_net", "vmxnet3", "hv_netvsc", "vif", "xen-netfront", "ibmveth"}
    | {"netvsc", "ena", "gve", "dummy", "bridge", "ifb", "macvlan", "ipvlan", "vxlan"}
)
"""Drivers of adapters that software makes: the speed that they report is not that of a line."""
_EMULATED = frozenset({"e1000", "e1000e", "rtl8139", "8139cp", "pcnet32"})
"""Drivers of adapters that hypervisors emulate, where the host is a guest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostShown:
    """
    Line and headers of a host; None stands for what its facts do not show.

    Parameters
    ----------
    route : Route
        Route to the peer.
    interface : str
        Interface of the connection.
    links : tuple of str
        That interface and those below it, down to the line.
    speed_bps : float
        Speed that the driver of the last one reports. [bit/s]
    driver : str
        Name of that driver.
    is_virtual : bool
        Whether software makes it, so that its speed is not that of a line.
    headers : tuple of Layer
        Headers around the packets of the connection, outermost first; empty where not known.
    mtu_bytes : int
        Largest packet of the connection. [byte]
    has_ports : bool
        Whether a bond, bridge or team with several ports is on the way.
    has_timestamps : bool
        Whether TCP connections ask for timestamps.
    notes : tuple of str
        What is not known, and why.
    """

    route: Route = field(default_factory=Route)
    interface: str | None = None
    links: tuple[str, ...] = ()
    speed_bps: float | None = None
    driver: str | None = None
    is_virtual: bool = False
    headers: tuple[Layer, ...] = ()
    mtu_bytes: int | None = None
    has_ports: bool = False
    has_timestamps: bool | None = None
    notes: tuple[str, ...] = ()

    @property
    def why_no_line_rate(self) -> str:
        """Reason why the line rate is not known from the facts; empty where it is."""
        name, driver = self.links[-1] if self.links else "", self.driver or "a virtual device"
        if self.route.is_local:
            return "the peer is this host itself: no line is between them"
        if not name:
            return "the interface to the peer is not known"
        if self.has_ports:
            return f"{self.interface} sends through several ports"
        if self.speed_bps is None:
            return f"{name} ({driver}) has no speed" if self.is_virtual else f"{name} has no speed"
        rate = format_rate(self.speed_bps)
        made_up = f"{name} ({driver}) reports {rate}, which virtual devices make up"
        return made_up if self.is_virtual else ""

    @property
    def line_rate_bps(self) -> float | None:
        """Speed of the line; None where a virtual device, several ports or nothing reports it."""
        return None if self.why_no_line_rate else self.speed_bps


def shown_of(facts: Facts, interface: str | None = None, address: str | None = None) -> HostShown:
    """
    Return what the facts of a host show.

    Parameters
    ----------
    facts : Facts
        Its settings.
    interface : str, optional
        Interface of the connection, in place of that of the route.
    address : str, optional
        Address of this host in the connection, which shows the interface where no route does.
    """
    notes: list[str] = []
    route = route_of(facts.text("route.json"))
    interfaces = interfaces_of(facts.text("ip-address.json"))
    of_address = (each.name for each in interfaces.values() if address in each.addresses)
    name = interface or route.interface or next(of_address, None)
    timestamps = _found(r"^net\.ipv4\.tcp_timestamps = (.*)$", facts.text("sysctl.txt"))
    shown = HostShown(
        route=route,
        interface=name,
        has_timestamps=None if timestamps is None else timestamps != "0",
    )
    if name is None:
        why = facts.why_not("route.json") or "give --peer"
        return replace(shown, notes=(f"the interface to the peer is not known: {why}",))
    if route.is_local:
        notes.append("the peer is this host itself: the connection crosses no line")
    own, mtu_bytes = interfaces.get(name), None
    path: tuple[Interface, ...] = (own,) if own else ()
    headers: tuple[Layer, ...] = ()
    if own is None:
        why = facts.why_not("ip-address.json") or "no such interface"
        notes.append(f"{name} is not shown: {why}")
    else:
        mtu_bytes = own.mtu_bytes
        under = {each: route_of(facts.text(f"route-{each}.json")).interface for each in interfaces}
        try:
            path = path_to_line(interfaces, name, under)
            headers = headers_of(path)
            notes += narrow_mtus(path)
        except DomainError as error:
            if not route.is_local:
                notes.append(f"headers are those of plain Ethernet: {error}")
    if route.mtu_bytes is not None and (mtu_bytes is None or route.mtu_bytes < mtu_bytes):
        notes.append(f"the route to the peer has MTU {route.mtu_bytes}, the interface {mtu_bytes}")
        mtu_bytes = route.mtu_bytes
    links = tuple(each.name for each in path) or (name,)
    settings = facts.text(f"sys-{links[-1]}.txt") or ""
    speed = _found(r"^\s*Speed: ([1-9][0-9]{0,8})Mb/s$", facts.text(f"ethtool-{links[-1]}.txt"))
    speed = speed or _found(r"^speed ([1-9][0-9]*)$", settings)
    kind = path[-1].kind if path else None
    driver = _found(r"^driver:? +(\S+)", facts.text(f"ethtool-i-{links[-1]}.txt"), settings) or kind
    processor = processor_of(facts.text("lscpu.txt") or "")
    is_guest = processor is not None and processor.hypervisor is not None
    made_up = VIRTUAL_DRIVERS | (_EMULATED if is_guest else set())
    masters = [each.master for each in interfaces.values()]
    return replace(
        shown,
        links=links,
        speed_bps=parse_rate_bps(f"{speed} Mbit/s") if speed else None,
        driver=driver,
        is_virtual="is_virtual true" in settings or driver in made_up or kind is not None,
        headers=headers,
        mtu_bytes=mtu_bytes,
        has_ports=any(each.kind in WITH_PORTS and masters.count(each.name) > 1 for each in path),
        notes=tuple(notes),
    )


def _found(pattern: str, *texts: str | None) -> str | None:
    """Return the match of a pattern in the first text that has it."""
    matches = (re.search(pattern, text or "", re.MULTILINE) for text in texts)
    return next((each[1] for each in matches if each), None)
