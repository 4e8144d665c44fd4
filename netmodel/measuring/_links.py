"""Which interface a connection uses, and which are below it, as iproute2 shows them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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


def underlay_targets(text: str) -> dict[str, str]:
    """Other end of each tunnel that does not show the interface below it, by its name."""
    targets: dict[str, str] = {}
    for item in _items(text):
        info = item.get("linkinfo")
        data = info.get("info_data") if isinstance(info, dict) else None
        name = _text(item, "ifname")
        if not isinstance(data, dict) or name is None or "link" in item or "link" in data:
            continue
        ends = [_text(data, key) for key in ("remote", "remote6", "group", "group6")]
        target = next((each for each in ends if each and each != "any"), None)
        if target is not None:
            targets[name] = target
    return targets


def links_below(text: str, start: str, under: Mapping[str, str]) -> list[str]:
    """
    An interface and all that it may send through, each once, from the top down.

    Parameters
    ----------
    text : str
        What ``ip -j -d address show`` prints.
    start : str
        Name of the interface.
    under : mapping of str to str
        Interface below a tunnel that does not show it.
    """
    items = {name: item for item in _items(text) if (name := _text(item, "ifname"))}
    found: list[str] = []
    pending = [start]
    while pending:
        name = pending.pop(0)
        if name in found or (name not in items and name != start):
            continue
        found.append(name)
        item = items.get(name, {})
        info = item.get("linkinfo")
        info = info if isinstance(info, dict) else {}
        data = info.get("info_data")
        data = data if isinstance(data, dict) else {}
        lowers = [under.get(name), _text(data, "link")]
        # the peer of a veth is on the other side of the line
        if info.get("info_kind") != "veth":
            lowers.append(_text(item, "link"))
        lowers += [each for each, other in items.items() if _text(other, "master") == name]
        pending += [each for each in lowers if each]
    return found


def addresses_of(text: str | None) -> dict[str, str]:
    """Interface by each of its addresses."""
    return {
        local: name
        for item in _items(text)
        if (name := _text(item, "ifname"))
        for address in item.get("addr_info") or ()
        if isinstance(address, dict) and (local := _text(address, "local"))
    }
