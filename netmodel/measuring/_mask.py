"""Texts of a record without what identifies hosts: MAC addresses always, the rest on demand."""

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address

_MAC = re.compile(r"(?<![0-9A-Fa-f:])[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5,}(?![0-9A-Fa-f:])")
"""Six octets, or more as of InfiniBand."""
_NOBODY = re.compile(r"00(?::00)+|[fF]{2}(?::[fF]{2})+")
"""No address, and all stations."""
_NUMBERED = re.compile(r'("(?:sci|phys_switch_id|phys_port_id)":\s*")[0-9A-Fa-fx]+(")')
"""Keys of iproute2 whose numbers hold a MAC address: 8 octets of MACsec, ids of a switch."""
_IPV6 = re.compile(
    r"(?<![0-9A-Za-z:.])(?:[0-9A-Fa-f]{0,4}:){2,7}(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{1,4})?"
    r"(?![0-9A-Za-z:])"
)
_IPV4 = re.compile(r"(?<![0-9A-Za-z.])(?:\d{1,3}\.){3}\d{1,3}(?![0-9A-Za-z]|\.\d)")
_EUI_64_MARK = slice(11, 13)
"""Octets that an interface identifier made from a MAC address has as ff:fe (RFC 4291, app. A)."""
_DOCUMENTATION = tuple(map(IPv4Network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")))
"""Networks for examples (RFC 5737)."""
_DOCUMENTATION_IPV6 = int(IPv6Address("2001:db8::"))
"""RFC 3849."""
_LOCAL_MAC = "02:00:00:00"
"""Begin of masked MAC addresses: locally administered, one station."""


class Mask:
    """
    Replaces what identifies hosts; the same thing has the same replacement in all texts.

    Parameters
    ----------
    names : mapping of str to str
        Names of hosts and what stands for each, where names and addresses are masked.
    masks_addresses : bool
        Whether IP addresses and names are replaced too; MAC addresses always are, and the parts
        of IPv6 addresses that are made from them.
    """

    def __init__(self, names: dict[str, str] | None = None, masks_addresses: bool = False) -> None:
        self._names = names or {}
        self.masks_addresses = masks_addresses
        self._known: dict[str, str] = {}
        self._macs = _numbered_macs()
        self._ipv4 = (str(each) for network in _DOCUMENTATION for each in network.hosts())
        self._ipv6 = _numbered_ipv6()

    def __call__(self, text: str) -> str:
        """The text without what identifies hosts."""
        text = _NUMBERED.sub(r"\g<1>0\g<2>", text)
        text = _MAC.sub(self._mac, text)
        text = _IPV6.sub(self._of_ipv6, text)
        if not self.masks_addresses:
            return text
        text = _IPV4.sub(self._of_ipv4, text)
        for name in sorted(self._names, key=len, reverse=True):
            # a key of JSON, such as "server", is no name of a host
            whole = rf"(?<![0-9A-Za-z_-]){re.escape(name)}(?![0-9A-Za-z_-]|\"\s*:)"
            text = re.sub(whole, self._names[name], text)
        return text

    def _mac(self, match: re.Match[str]) -> str:
        if _NOBODY.fullmatch(match[0]):
            return match[0]
        return self._replaced(match[0].lower(), self._macs)

    def _of_ipv6(self, match: re.Match[str]) -> str:
        try:
            address = IPv6Address(match[0])
        except ValueError:
            return match[0]
        if address.is_loopback or address.is_unspecified or address.is_multicast:
            return match[0]
        is_from_mac = address.packed[_EUI_64_MARK] == b"\xff\xfe"
        if not (self.masks_addresses or is_from_mac):
            return match[0]
        return self._replaced(str(address), self._ipv6)

    def _of_ipv4(self, match: re.Match[str]) -> str:
        try:
            address = IPv4Address(match[0])
        except ValueError:
            return match[0]
        # netmasks, 0.0.0.0, loopback and multicast addresses identify no host
        if address.is_loopback or address.is_unspecified or int(address) >= _FIRST_MULTICAST:
            return match[0]
        return self._replaced(match[0], self._ipv4)

    def _replaced(self, name: str, more: Iterator[str]) -> str:
        if name not in self._known:
            self._known[name] = next(more, "(masked)")
        return self._known[name]


_FIRST_MULTICAST = int(IPv4Address("224.0.0.0"))
"""From here on no address is that of a host (RFC 5771, RFC 1112)."""


def _numbered_macs() -> Iterator[str]:
    for number in range(1, 1 << 16):
        yield f"{_LOCAL_MAC}:{number >> 8:02x}:{number & 255:02x}"


def _numbered_ipv6() -> Iterator[str]:
    for number in range(1, 1 << 16):
        yield str(IPv6Address(_DOCUMENTATION_IPV6 + number))
