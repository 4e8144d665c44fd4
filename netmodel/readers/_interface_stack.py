"""Header stacks of what is sent through the interfaces of a host."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import Layer, Stack, qinq, tcp_stack
from netmodel.readers._ip_link import Interface

__all__ = ["InterfaceStack", "interface_stack"]


@dataclass(frozen=True, slots=True)
class InterfaceStack:
    """
    What a connection through an interface puts on the line.

    Parameters
    ----------
    stack : Stack
        Layers of its frames.
    interfaces : tuple of Interface
        The interface and those below it, down to the one on the line.
    warnings : tuple of str
        Where an MTU is too small for what is sent through it, and conditions
        under which the stack is this.
    """

    stack: Stack
    interfaces: tuple[Interface, ...]
    warnings: tuple[str, ...]

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
    Header stack of what is sent through an interface, as it is on the line.

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
        Interface that a tunnel sends through, by the name of the tunnel, where
        that is not shown; or the port that a bond or bridge sends through, where
        the headers depend on it.

    Returns
    -------
    found : InterfaceStack
        The stack, with the interfaces that it comes from and their MTUs.

    Raises
    ------
    DomainError
        If an interface is not shown, or its headers do not follow from what is.
    ContradictionError
        If what is stated and what is shown cannot both be true.
    """
    stated = dict(underlay or {})
    by_name = {interface.name: interface for interface in interfaces}
    path = _path(by_name, name, stated, ())
    unused = stated.keys() - {interface.name for interface in path}
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
    by_name: Mapping[str, Interface], name: str, stated: Mapping[str, str], above: tuple[str, ...]
) -> tuple[Interface, ...]:
    """An interface and those below it; of ports that lead to the same headers the narrowest."""
    if name not in by_name:
        user = f", which {above[-1]} sends through," if above else ""
        raise DomainError(
            f"interface {name}{user} is not among those that are shown: {', '.join(by_name)}"
        )
    if name in above:
        raise ContradictionError(f"interface {name} sends through itself")
    interface = by_name[name]
    if interface.leads_nowhere:
        raise DomainError(f"{name} {interface.unclear}")
    if interface.unclear:
        raise DomainError(f"{name} {interface.unclear}: state the header stack itself")
    if interface.is_line_end:
        return (interface,)
    lowers = _lowers(by_name, interface, stated.get(name))
    paths = [_path(by_name, lower, stated, (*above, name)) for lower in lowers]
    if len({_headers(path) for path in paths}) > 1:
        raise DomainError(
            f"the ports of {name} ({', '.join(lowers)}) lead to different headers: state which of "
            "them it sends through (underlay)"
        )
    return (interface, *min(paths, key=lambda path: path[0].mtu_bytes))


def _lowers(
    by_name: Mapping[str, Interface], interface: Interface, stated: str | None
) -> list[str]:
    """Names of the interfaces that one sends through, as shown or stated."""
    lowers = [interface.lower] if interface.lower else []
    if interface.has_ports:
        ports = [other for other in by_name.values() if other.master == interface.name]
        lowers = [port.name for port in ports if not port.leads_nowhere]
    if stated is None and not lowers:
        lacking = "a port of" if interface.has_ports else "the interface under"
        raise DomainError(f"{lacking} {interface.name} is not shown: state it (underlay)")
    if stated is not None and lowers and stated not in lowers:
        raise ContradictionError(f"{interface.name} sends through {lowers[0]}, not {stated}")
    return lowers if stated is None else [stated]


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
    """Warnings where packets as long as one MTU allows do not fit the MTU below."""
    warnings = []
    packet_bytes, tags_bytes = path[0].mtu_bytes, 0
    for upper, lower in pairwise(path):
        tags_bytes += sum(layer.fixed_bytes for layer in upper.headers)
        if upper.headers and upper.vlan_protocol is None:  # an MTU counts all but VLAN tags
            packet_bytes, tags_bytes = packet_bytes + tags_bytes, 0
        if packet_bytes > lower.mtu_bytes:
            warnings.append(
                f"what fills the MTU of {path[0].name} ({path[0].mtu_bytes}) has {packet_bytes} "
                f"byte at {lower.name}, whose MTU is {lower.mtu_bytes}: it is fragmented or dropped"
            )
            packet_bytes = lower.mtu_bytes
    return tuple(warnings)
