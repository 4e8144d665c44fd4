"""Which interface a connection uses, and which are below it, as iproute2 shows them."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from netmodel.errors import ParseError
from netmodel.readers.interfaces import Interface, read_ip_link


@dataclass(frozen=True, slots=True)
class Route:
    """
    Route to a peer; None stands for what is not shown.

    Parameters
    ----------
    interface : str
        Interface that packets leave through.
    destination, source : str
        Address of the peer, and of this host on the way to it.
    is_local : bool
        Whether the peer is this host itself.
    mtu_bytes : int
        MTU of the route, where it has one of its own. [byte]
    """

    interface: str | None = None
    destination: str | None = None
    source: str | None = None
    is_local: bool = False
    mtu_bytes: int | None = None

    @property
    def ip_version(self) -> int | None:
        """4 or 6, by the address of the peer."""
        if self.destination is None:
            return None
        return 6 if ":" in self.destination else 4


def _items(text: str | None) -> list[dict[str, Any]]:
    """Objects of a list in JSON; none where it is no such list."""
    try:
        found = json.loads(text) if text else []
    except ValueError:
        return []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _text(item: Mapping[str, Any], key: str) -> str | None:
    value = item.get(key)
    return value if isinstance(value, str) else None


def route_of(text: str | None) -> Route:
    """
    The route that ``ip -j route get`` prints; an empty one where it prints none.

    Examples
    --------
    >>> route_of('[{"dst": "10.0.0.2", "dev": "eth0", "prefsrc": "10.0.0.1"}]').interface
    'eth0'
    """
    items = _items(text)
    if not items:
        return Route()
    item = items[0]
    sizes = [each.get("mtu") for each in item.get("metrics") or () if isinstance(each, dict)]
    return Route(
        interface=_text(item, "dev"),
        destination=_text(item, "dst"),
        source=_text(item, "prefsrc"),
        is_local=item.get("type") == "local",
        mtu_bytes=next((each for each in sizes if isinstance(each, int)), None),
    )


def interfaces_of(text: str | None) -> tuple[Interface, ...]:
    """Return the interfaces that ``ip -j -d address show`` prints; none of other text."""
    with suppress(ParseError):
        return read_ip_link((text or "").encode())
    return ()


def underlay_targets(text: str | None) -> dict[str, str]:
    """Return the other end of each tunnel that does not show the interface below it, by name."""
    targets: dict[str, str] = {}
    for item in _items(text):
        info = item.get("linkinfo")
        data = info.get("info_data") if isinstance(info, dict) else None
        name = _text(item, "ifname")
        if not isinstance(data, dict) or name is None or "link" in item or "link" in data:
            continue
        ends = [_text(data, key) for key in ("remote", "remote6", "group", "group6")]
        if named := [each for each in ends if each and each != "any"]:
            targets[name] = named[0]
    return targets


def links_below(
    interfaces: Sequence[Interface], start: str, under: Mapping[str, str | None]
) -> list[str]:
    """
    Return an interface and all that it may send through, each once, from the top down.

    Parameters
    ----------
    interfaces : sequence of Interface
        Those of the host.
    start : str
        Name of the interface.
    under : mapping of str to str
        Interface below a tunnel that does not show it.
    """
    known = {each.name: each for each in interfaces}
    found, pending = [start], [start]
    while pending:
        name = pending.pop(0)
        own = known.get(name)
        # the peer of a veth is on the other side of the line
        lower = None if own is None or own.kind == "veth" else own.lower
        ports = [each.name for each in interfaces if each.master == name]
        new = [each for each in (under.get(name), lower, *ports) if each in known.keys() - {*found}]
        found += new
        pending += new
    return found


def addresses_of(text: str | None) -> dict[str, str]:
    """Return the interface by each of its addresses."""
    return {
        local: name
        for item in _items(text)
        if (name := _text(item, "ifname"))
        for address in item.get("addr_info") or ()
        if isinstance(address, dict) and (local := _text(address, "local"))
    }
