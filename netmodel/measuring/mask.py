"""Texts of a record without the MAC addresses of hosts."""

import re
from ipaddress import IPv6Address

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
_EUI_64_MARK = slice(11, 13)
"""Octets that an interface identifier made from a MAC address has as ff:fe (RFC 4291, app. A)."""
_DOCUMENTATION_IPV6 = IPv6Address("2001:db8::")
"""Network for examples (RFC 3849)."""


class Mask:
    """Replaces MAC addresses and what is made of them, the same one alike in all texts."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        """Return the text without MAC addresses."""
        text = _NUMBERED.sub(r"\g<1>0\g<2>", text)
        return _IPV6.sub(self._of_ipv6, _MAC.sub(self._of_mac, text))

    def _of_mac(self, match: re.Match[str]) -> str:
        if _NOBODY.fullmatch(match[0]):
            return match[0]
        number = self._number(match[0].lower())
        # locally administered, one station
        return f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"

    def _of_ipv6(self, match: re.Match[str]) -> str:
        try:
            address = IPv6Address(match[0])
        except ValueError:
            return match[0]
        if address.packed[_EUI_64_MARK] != b"\xff\xfe":
            return match[0]
        return str(_DOCUMENTATION_IPV6 + self._number(str(address)))

    def _number(self, name: str) -> int:
        return self._known.setdefault(name, len(self._known) + 1)
