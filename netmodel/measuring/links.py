"""Route and interfaces of a Linux host, as iproute2 shows them, and the headers of its frames."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from netmodel.errors import DomainError
from netmodel.framing import Layer, ethernet, geneve, gre, ipv4, ipv6, macsec, udp, vlan, vxlan

WITH_PORTS = frozenset({"bond", "bridge", "team"})
_TRANSPARENT = frozenset({"ipvlan", "ipvtap", "macvlan", "macvtap"}) | WITH_PORTS
_NO_LINE = frozenset({"dummy", "ifb", "loopback", "nlmon", "tun", "vrf"})
"""They drop packets, keep them on the host or hand them to a program; of vrf routes decide."""
_TUNNELS: Mapping[str, tuple[Callable[[], Layer], ...]] = {
    "vxlan": (udp, vxlan, ethernet),
    "geneve": (udp, geneve, ethernet),
    "gre": (gre,),
    "gretap": (gre, ethernet),
    "ipip": (),
    "sit": (),
}
"""Headers behind the outer IP header."""
_ICV_BYTES = 16
"""Integrity check value of both cipher suites that IEEE Std 802.1AE requires, GCM-AES-128, -256."""
_GRE_OPTIONS = {"ocsum": "checksum", "okey": "key", "oseq": "sequence"}


@dataclass(frozen=True, slots=True)
class Route:
    """
    Route to a peer; None stands for what is not shown.

    Parameters
    ----------
    interface : str
        Interface that packets leave through.
    destination : str
        Address of the peer.
    is_local : bool
        Whether the peer is this host itself.
    mtu_bytes : int
        MTU of the route, where it has one of its own. [byte]
    """

    interface: str | None = None
    destination: str | None = None
    is_local: bool = False
    mtu_bytes: int | None = None

    @property
    def ip_version(self) -> int | None:
        """4 or 6, by the address of the peer."""
        if self.destination is None:
            return None
        return 6 if ":" in self.destination else 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """
    A network interface; None stands for what is not shown.

    Parameters
    ----------
    name : str
        Its name.
    mtu_bytes : int
        Its MTU. [byte]
    kind : str
        Kind of a virtual interface, such as ``vlan`` or ``vxlan``.
    lower : str
        Interface that it sends through.
    master : str
        Bond, bridge or team that it is a port of.
    headers : tuple of Layer
        Headers that it adds to packets, outermost first.
    unclear : str
        Why its headers do not follow from the output; empty where they do.
    remote : str
        Other end of a tunnel.
    addresses : tuple of str
        Its own addresses.
    """

    name: str
    mtu_bytes: int
    kind: str | None = None
    lower: str | None = None
    master: str | None = None
    headers: tuple[Layer, ...] = ()
    unclear: str = ""
    remote: str | None = None
    addresses: tuple[str, ...] = ()


def _objects(value: Any) -> list[dict[str, Any]]:
    """Objects of a list; none where it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _read(text: str | None) -> list[dict[str, Any]]:
    try:
        return _objects(json.loads(text or "null"))
    except (ValueError, RecursionError):
        return []


def _text(item: Mapping[str, Any], *keys: str) -> str | None:
    """Return the first text under one of these keys; an address may be any, which is none."""
    texts = (item.get(key) for key in keys)
    return next((each for each in texts if isinstance(each, str) and each != "any"), None)


def route_of(text: str | None) -> Route:
    """
    Return the route that ``ip -j route get`` prints; an empty one where it prints none.

    Examples
    --------
    >>> route_of('[{"dst": "10.0.0.2", "dev": "eth0", "prefsrc": "10.0.0.1"}]').interface
    'eth0'
    """
    for item in _read(text):
        sizes = [each.get("mtu") for each in _objects(item.get("metrics"))]
        return Route(
            interface=_text(item, "dev"),
            destination=_text(item, "dst"),
            is_local=item.get("type") == "local",
            mtu_bytes=next((each for each in sizes if isinstance(each, int)), None),
        )
    return Route()


def interfaces_of(text: str | None) -> dict[str, Interface]:
    """
    Return the interfaces that ``ip -j -d address show`` prints, by name; none of other text.

    References: iproute2 6.1: ``ip/ipaddress.c``, ``ip/iplink_*.c``, ``ip/link_*.c``.
    """
    found: dict[str, Interface] = {}
    for item in _read(text):
        name, mtu_bytes = _text(item, "ifname"), item.get("mtu")
        if name is None or not isinstance(mtu_bytes, int):
            continue
        info = (*_objects([item.get("linkinfo")]), {})[0]
        data = (*_objects([info.get("info_data")]), {})[0]
        kind = "loopback" if item.get("link_type") == "loopback" else _text(info, "info_kind")
        headers, unclear = _headers(kind, item, data)
        found[name] = Interface(
            name=name,
            mtu_bytes=mtu_bytes,
            kind=kind,
            # the peer of a veth is on the other side of the line
            lower=None if kind == "veth" else _text(item, "link") or _text(data, "link"),
            master=_text(item, "master"),
            headers=headers,
            unclear=unclear,
            remote=_text(data, "remote", "remote6", "group", "group6"),
            addresses=tuple(
                local for each in _objects(item.get("addr_info")) if (local := _text(each, "local"))
            ),
        )
    return found


def _headers(
    kind: str | None, item: Mapping[str, Any], data: Mapping[str, Any]
) -> tuple[tuple[Layer, ...], str]:
    """Headers that an interface adds to packets, and why they are not shown where they are not."""
    if kind in _NO_LINE:
        return (), f"does not lead to a line: it is of kind {kind}"
    if kind != "veth" and item.get("link_netnsid") is not None:
        return (), "sends through an interface in another network namespace"
    if kind in _TRANSPARENT:
        filters = "filters VLANs, and it is not shown which ports tag frames"
        return (), filters if data.get("vlan_filtering") else ""
    if kind is None or kind == "veth":
        layers: tuple[Layer, ...] = (ethernet(),)
    elif kind == "vlan":
        return (vlan(),), ""
    elif kind == "macsec" and data.get("protect") and data.get("icv_len") == _ICV_BYTES:
        return (macsec(sci=bool(data.get("inc_sci"))),), ""
    elif kind in _TUNNELS:
        versions = [
            version
            for version, end in ((ipv4, ""), (ipv6, "6"))
            if _text(data, *(f"{each}{end}" for each in ("remote", "group", "local")))
        ]
        if len(versions) != 1 or data.get("external") or "encap" in data:
            return (), "does not show its outer headers (no address, external or encap)"
        options = {name: True for key, name in _GRE_OPTIONS.items() if key in data}
        inner = (each(**options) if each is gre else each() for each in _TUNNELS[kind])
        layers = (versions[0](), *inner)
    else:
        return (), f"is of kind {kind}, whose headers are not shown"
    if layers[-1].protocol == "ethernet" and item.get("link_type") != "ether":
        return (), f"is of link type {item.get('link_type')}, not ether"
    return layers, ""


def path_to_line(
    interfaces: Mapping[str, Interface],
    name: str,
    under: Mapping[str, str | None],
    above: tuple[str, ...] = (),
) -> tuple[Interface, ...]:
    """
    Return an interface and those below it; of ports that lead to the same headers the narrowest.

    Parameters
    ----------
    interfaces : mapping of str to Interface
        Those of the host.
    name : str
        Name of the interface.
    under : mapping of str to str
        Interface below a tunnel that does not show it.
    above : tuple of str
        Those that send through it.

    Raises
    ------
    DomainError
        If an interface is missing, or its headers are not shown.
    """
    if name not in interfaces:
        user = f", which {above[-1]} sends through," if above else ""
        raise DomainError(f"interface {name}{user} is missing; shown are {', '.join(interfaces)}")
    own = interfaces[name]
    if own.unclear or name in above:
        raise DomainError(f"{name} {own.unclear or 'sends through itself'}")
    if own.kind is None or own.kind == "veth":
        return (own,)
    lowers = _directly_below(interfaces, own, under)
    lowers = [each for each in lowers if interfaces.get(each, own).kind not in _NO_LINE]
    if not lowers:
        raise DomainError(f"the interface under {name} is not shown")
    paths = [path_to_line(interfaces, each, under, (*above, name)) for each in lowers]
    if len({headers_of(path) for path in paths}) > 1:
        raise DomainError(f"the ports of {name} ({', '.join(lowers)}) lead to different headers")
    return (own, *min(paths, key=lambda path: path[0].mtu_bytes))


def _directly_below(
    interfaces: Mapping[str, Interface], own: Interface, under: Mapping[str, str | None]
) -> list[str]:
    lower = own.lower or under.get(own.name)
    ports = [each.name for each in interfaces.values() if each.master == own.name]
    return [lower] if lower else ports


def links_below(
    interfaces: Mapping[str, Interface], start: str, under: Mapping[str, str | None]
) -> list[str]:
    """Return an interface and all that it may send through, each once, from the top down."""
    found = [start]
    for name in found:
        if name in interfaces:
            below = _directly_below(interfaces, interfaces[name], under)
            found += [each for each in below if each in interfaces and each not in found]
    return found


def headers_of(path: Sequence[Interface]) -> tuple[Layer, ...]:
    """Return the headers of interfaces that send through each other, outermost first."""
    return tuple(layer for each in reversed(path) for layer in each.headers)


def narrow_mtus(path: Sequence[Interface]) -> list[str]:
    """Return notes where packets of one MTU do not fit the MTU below."""
    notes = []
    packet_bytes, tags_bytes = path[0].mtu_bytes, 0
    for upper, lower in pairwise(path):
        tags_bytes += sum(layer.fixed_bytes for layer in upper.headers)
        if upper.headers and upper.kind != "vlan":  # an MTU counts all but VLAN tags
            packet_bytes, tags_bytes = packet_bytes + tags_bytes, 0
        if packet_bytes > lower.mtu_bytes:
            sent = f"{packet_bytes} byte at {lower.name}, above its MTU {lower.mtu_bytes}"
            first = f"MTU {path[0].mtu_bytes} of {path[0].name}"
            notes.append(f"{first}: {sent}: fragmented or dropped")
            packet_bytes = lower.mtu_bytes
    return notes
