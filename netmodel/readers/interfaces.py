"""Interfaces of a Linux host (``ip -j -d link show``), and the headers of what they send."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from netmodel.errors import ContradictionError, DomainError, ParseError
from netmodel.framing import (
    Layer,
    Stack,
    ethernet,
    geneve,
    gre,
    ipv4,
    ipv6,
    macsec,
    qinq,
    tcp_stack,
    udp,
    vlan,
    vxlan,
)
from netmodel.readers._document import Node, Source, load_json_document, read_text, shown
from netmodel.results import Result

_ENCAPSULATION_LIMIT_BYTES = 8
"""Destination options header with the tunnel encapsulation limit (RFC 2473, section 4.1.1)."""
_ICV_BYTES = 16
"""Integrity check value of both cipher suites that IEEE Std 802.1AE requires, GCM-AES-128, -256."""
_LINE_ENDS = frozenset({None, "veth"})
_WITH_PORTS = frozenset({"bond", "bridge", "team"})
_TRANSPARENT = frozenset({"ipvlan", "ipvtap", "macvlan", "macvtap"}) | _WITH_PORTS
_NO_LINE = frozenset({"dummy", "ifb", "loopback", "nlmon", "tun", "vrf"})
"""They drop packets, keep them on the host or hand them to a program; of vrf routes decide."""
_HIDDEN = dict.fromkeys(("vti", "vti6", "xfrm"), "the IPsec suite is not shown") | {
    "wireguard": "the IP version of the peer's address is not shown"
}
_CARRIED = {"ipip": "ipv4", "ip6ip": "ipv6", "ipip6": "ipv4", "ip6ip6": "ipv6"}
_GRE_OPTIONS = {"csum": "checksum", "key": "key", "seq": "sequence"}
_UDP_TUNNELS = {"geneve": geneve, "vxlan": vxlan}
_IP_TUNNELS = {
    "gre": ipv4,
    "gretap": ipv4,
    "ipip": ipv4,
    "sit": ipv4,
    "ip6gre": ipv6,
    "ip6gretap": ipv6,
    "ip6tnl": ipv6,
}


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
    carries : str
        The only IP layer that a tunnel carries, if it carries only one.
    vlan_protocol : str
        ``802.1Q`` or ``802.1ad``, for a VLAN.
    unclear : str
        Why its headers do not follow from the output; empty where they do.
    notes : tuple of str
        Conditions under which the headers are these.
    """

    name: str
    mtu_bytes: int
    kind: str | None = None
    lower: str | None = None
    master: str | None = None
    headers: tuple[Layer, ...] = ()
    carries: str | None = None
    vlan_protocol: str | None = None
    unclear: str = ""
    notes: tuple[str, ...] = ()

    @property
    def has_ports(self) -> bool:
        """Whether it sends through the interfaces whose master it is."""
        return self.kind in _WITH_PORTS

    @property
    def leads_nowhere(self) -> bool:
        """Whether none of its packets reaches a line."""
        return self.kind in _NO_LINE

    @property
    def is_line_end(self) -> bool:
        """Whether no other interface is below it."""
        return self.kind in _LINE_ENDS


def read_ip_link(source: Source) -> tuple[Interface, ...]:
    """
    The interfaces of ``ip -j -d link show``, in its order; ``ip -j -d address show`` serves too.

    References: iproute2 6.1: ``ip/ipaddress.c``, ``ip/iplink_*.c``, ``ip/link_*.c``,
    ``ip/ipmacsec.c``; Linux 6.1: ``drivers/net/macsec.c``, ``net/ipv6/ip6_tunnel.c``.
    """
    raw = read_text(source)
    interfaces: dict[str, Interface] = {}
    for item in load_json_document(raw, "outputs").items():
        if item.value == {}:  # an interface that a filter hides, in older versions
            continue
        interface = _interface(item)
        if interface.name in interfaces:
            raise item.child("ifname").fault(f"is a second {shown(interface.name)}")
        interfaces[interface.name] = interface
    if not interfaces:
        raise ParseError(raw.source, "the document shows no interface")
    return tuple(interfaces.values())


def _interface(item: Node) -> Interface:
    if not item.has("promiscuity"):
        raise item.fault("has no key promiscuity: write the file with ip -j -d link show")
    info = item.child("linkinfo") if item.has("linkinfo") else Node(item.source, "", {})
    link_type, kind = item.text("link_type"), _text_or_none(info, "info_kind")
    if kind is None and link_type == "loopback":
        kind = "loopback"
    fields = _headers_shown(kind, link_type, info)
    lower = _text_or_none(item, "link")
    if kind in _UDP_TUNNELS or kind in _IP_TUNNELS:
        lower = lower or _text_or_none(info.child("info_data"), "link")
    if item.has("link_netnsid") and kind not in _LINE_ENDS:
        fields["unclear"] = "sends through an interface in another network namespace"
    return Interface(
        name=item.text("ifname"),
        mtu_bytes=item.count("mtu"),
        kind=kind,
        lower=lower,
        master=_text_or_none(item, "master"),
        **fields,
    )


def _headers_shown(kind: str | None, link_type: str, info: Node) -> dict[str, Any]:
    """Fields of an `Interface`: the headers that follow from its kind, or why they do not."""
    if kind in _NO_LINE:
        return {"unclear": f"does not lead to a line: it is of kind {kind}"}
    if kind in _HIDDEN:
        return {"unclear": f"is of kind {kind}, and {_HIDDEN[kind]}"}
    of_link = {"unclear": f"is of link type {shown(link_type)}, not ether"}
    if kind is None or kind == "veth":
        notes = ("the interface behind its peer is not shown",) if kind else ()
        return of_link if link_type != "ether" else {"headers": (ethernet(),), "notes": notes}
    if kind == "bridge" and info.child("info_data").count("vlan_filtering"):
        return {"unclear": "filters VLANs, and it is not shown which ports tag frames"}
    if kind in _TRANSPARENT:
        return {}
    if kind not in {"vlan", "macsec", *_UDP_TUNNELS, *_IP_TUNNELS}:
        return {"unclear": f"is of kind {shown(kind)}, whose headers are not known"}
    data = info.child("info_data")
    if kind == "vlan":
        protocol = data.text("protocol")
        if protocol not in {"802.1Q", "802.1ad"}:
            raise data.child("protocol").fault(f"must be 802.1Q or 802.1ad; got {shown(protocol)}")
        return {"headers": (vlan(),), "vlan_protocol": protocol}
    if kind == "macsec":
        return _macsec(data)
    if data.has("external") and _flag(data, "external"):
        return {"unclear": "takes addresses and options from routes (external)"}
    if data.has("encap"):
        return {"unclear": "is wrapped in UDP once more (encap)"}
    if kind in _IP_TUNNELS:
        return _ip_tunnel(kind, data)
    addresses = {4: ("remote", "group", "local"), 6: ("remote6", "group6", "local6")}
    versions = [version for version, keys in addresses.items() if any(map(data.has, keys))]
    if len(versions) != 1:
        return {"unclear": "shows no address, so that the outer IP version is not known"}
    ip_layer = ipv4() if versions == [4] else ipv6()
    headers = (ip_layer, udp(), _UDP_TUNNELS[kind](), ethernet())
    return of_link if link_type != "ether" else {"headers": headers}


def _macsec(data: Node) -> dict[str, Any]:
    has_sci, is_end_station, is_broadcast = (_flag(data, key) for key in ("inc_sci", "es", "scb"))
    if not _flag(data, "protect"):
        return {"notes": ("frames are sent without MACsec (protect off)",)}
    if data.count("icv_len") != _ICV_BYTES:
        return {"unclear": f"has an integrity check value that is not of {_ICV_BYTES} byte"}
    may_add_sci = not (has_sci or is_end_station or is_broadcast)
    notes = ("with more than one peer each frame has 8 byte more (SCI)",) if may_add_sci else ()
    return {"headers": (macsec(sci=has_sci),), "notes": notes}


def _ip_tunnel(kind: str, data: Node) -> dict[str, Any]:
    ip_layer = _IP_TUNNELS[kind]()
    if ip_layer.protocol == "ipv6" and not data.has("ip6_tnl_f_ign_encap_limit"):
        data.count("encap_limit")
        ip_layer = ipv6(_ENCAPSULATION_LIMIT_BYTES)
    if "gre" not in kind:
        protocol = data.text("proto")
        carries = "ipv4" if kind == "ipip" and protocol == "any" else _CARRIED.get(protocol)
        if carries is None and protocol != "any":
            return {"unclear": f"carries {shown(protocol)}, not IP"}
        return {"headers": (ip_layer,), "carries": carries}
    sent, received = (
        {name: data.has(prefix + key) for key, name in _GRE_OPTIONS.items()} for prefix in "oi"
    )
    notes = ("received packets have other GRE options",) if sent != received else ()
    frame = (ethernet(),) if kind.endswith("tap") else ()
    return {"headers": (ip_layer, gre(**sent), *frame), "notes": notes}


def _flag(data: Node, key: str) -> bool:
    child = data.child(key)
    if not isinstance(child.value, bool):
        raise child.fault(f"must be true or false; got {shown(child.value)}")
    return child.value


def _text_or_none(node: Node, key: str) -> str | None:
    return node.text(key) if node.has(key) and node.child(key).value is not None else None


@dataclass(frozen=True, slots=True)
class InterfaceStack(Result):
    """
    Header stack of a connection through an interface.

    Parameters
    ----------
    stack : Stack
        Layers of its frames.
    interfaces : tuple of Interface
        The interface and those below it, down to the one on the line.
    notes : tuple of str
        MTUs that are too small for the packets of the interface above, and
        conditions under which the stack is this.
    """

    stack: Stack
    interfaces: tuple[Interface, ...]
    notes: tuple[str, ...]

    @property
    def mtu_bytes(self) -> int:
        """MTU of the interface, for packets of the connection. [byte]"""
        return self.interfaces[0].mtu_bytes

    @property
    def link_mtu_bytes(self) -> int:
        """MTU of the interface on the line. [byte]"""
        return self.interfaces[-1].mtu_bytes


def interface_stack(
    interfaces: Sequence[Interface],
    name: str,
    *,
    inner: Sequence[Layer] | None = None,
    underlay: Mapping[str, str] | None = None,
) -> InterfaceStack:
    """
    Header stack on the line of a connection through an interface.

    Parameters
    ----------
    interfaces : sequence of Interface
        All interfaces of the host's network namespace.
    name : str
        Interface that the connection uses.
    inner : sequence of Layer, optional
        From the IP layer of the connection on; TCP over IPv4 with timestamps
        unless given.
    underlay : mapping of str to str, optional
        Interface under a tunnel, by the name of the tunnel, where the output does
        not show it; or port of a bond or bridge, where the headers depend on it.

    Returns
    -------
    stack : InterfaceStack
        The stack, with the interfaces that it comes from and their MTUs.

    Raises
    ------
    DomainError
        If an interface is missing, or its headers do not follow from the output.
    ContradictionError
        If arguments and output contradict each other.

    Examples
    --------
    >>> from netmodel.readers import read_host_state
    >>> state = read_host_state(
    ...     b'[{"ifindex": 2, "ifname": "eth0", "mtu": 9000, "link_type": "ether",'
    ...     b' "promiscuity": 0}]'
    ... )
    >>> found = interface_stack(state.interfaces, "eth0")
    >>> str(found.stack), found.mtu_bytes
    ('ethernet/ipv4/tcp+timestamps', 9000)
    """
    underlay = dict(underlay or {})
    by_name = {interface.name: interface for interface in interfaces}
    path = _path(by_name, name, underlay, ())
    unused = underlay.keys() - {interface.name for interface in path}
    if unused:
        raise ContradictionError(f"nothing from {name} is sent through {sorted(unused)[0]}")
    contents = tuple(tcp_stack().inner_layers if inner is None else inner)
    for place, tunnel in enumerate(path):
        carried = [layer.protocol for layer in _headers(path[:place]) + contents][:1]
        if tunnel.carries and carried != [tunnel.carries]:
            raise ContradictionError(
                f"{tunnel.name} carries {tunnel.carries} alone, not {''.join(carried) or 'nothing'}"
            )
    notes = (f"{interface.name}: {note}" for interface in path for note in interface.notes)
    return InterfaceStack(Stack(_headers(path) + contents), path, (*_narrow_mtus(path), *notes))


def _path(
    by_name: Mapping[str, Interface], name: str, underlay: Mapping[str, str], above: tuple[str, ...]
) -> tuple[Interface, ...]:
    """An interface and those below it; of ports that lead to the same headers the narrowest."""
    if name not in by_name:
        user = f", which {above[-1]} sends through," if above else ""
        raise DomainError(f"interface {name}{user} is missing; shown are {', '.join(by_name)}")
    if name in above:
        raise ContradictionError(f"interface {name} sends through itself")
    interface = by_name[name]
    if interface.leads_nowhere:
        raise DomainError(f"{name} {interface.unclear}")
    if interface.unclear:
        raise DomainError(f"{name} {interface.unclear}: specify the header stack itself")
    if interface.is_line_end:
        return (interface,)
    lowers = [interface.lower] if interface.lower else []
    if interface.has_ports:
        ports = [other for other in by_name.values() if other.master == name]
        lowers = [port.name for port in ports if not port.leads_nowhere]
    specified = underlay.get(name)
    if specified is None and not lowers:
        lacking = "a port of" if interface.has_ports else "the interface under"
        raise DomainError(f"{lacking} {name} is not shown: specify it (underlay)")
    if specified is not None and lowers and specified not in lowers:
        raise ContradictionError(f"{name} sends through {lowers[0]}, not {specified}")
    if specified is not None:
        lowers = [specified]
    paths = [_path(by_name, lower, underlay, (*above, name)) for lower in lowers]
    if len({_headers(path) for path in paths}) > 1:
        raise DomainError(
            f"the ports of {name} ({', '.join(lowers)}) lead to different headers: specify "
            "the one that it sends through (underlay)"
        )
    return (interface, *min(paths, key=lambda path: path[0].mtu_bytes))


def _headers(path: Sequence[Interface]) -> tuple[Layer, ...]:
    """Headers of interfaces that send through each other, outermost first."""
    headers: tuple[Layer, ...] = ()
    outer_tag = None
    for interface in reversed(path):
        if (outer_tag, interface.vlan_protocol) == ("802.1ad", "802.1Q"):
            headers = (*headers[:-1], qinq())
        else:
            headers += interface.headers
        outer_tag = interface.vlan_protocol
    return headers


def _narrow_mtus(path: Sequence[Interface]) -> tuple[str, ...]:
    """Notes where packets of one MTU do not fit the MTU below."""
    notes = []
    packet_bytes, tags_bytes = path[0].mtu_bytes, 0
    for upper, lower in pairwise(path):
        tags_bytes += sum(layer.fixed_bytes for layer in upper.headers)
        if upper.headers and upper.vlan_protocol is None:  # an MTU counts all but VLAN tags
            packet_bytes, tags_bytes = packet_bytes + tags_bytes, 0
        if packet_bytes > lower.mtu_bytes:
            notes.append(
                f"MTU {path[0].mtu_bytes} of {path[0].name}: {packet_bytes} byte at {lower.name}, "
                f"above its MTU {lower.mtu_bytes}: fragmented or dropped"
            )
            packet_bytes = lower.mtu_bytes
    return tuple(notes)
