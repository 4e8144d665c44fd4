"""Stacks of everyday: TCP or UDP over IP over Ethernet."""

import operator
from contextlib import suppress
from functools import lru_cache

from netmodel.errors import DomainError
from netmodel.framing.layers._internet import ipv4, ipv6, tcp, udp
from netmodel.framing.layers._link import ethernet, vlan
from netmodel.framing.stack import Stack
from netmodel.numeric import require_at_least, require_at_most, require_flags, require_whole

_IP_LAYERS = {4: ipv4, 6: ipv6}
"""By the version in the first four bits of a header (RFC 791 and RFC 8200)."""
_MAX_VLAN_TAGS = 8
"""802.1ad uses two; more than a few are a slip of the caller."""


def tcp_stack(*, ip_version: int = 4, timestamps: bool = True, vlan_tags: int = 0) -> Stack:
    """
    Return the stack of TCP over IP over Ethernet.

    Parameters
    ----------
    ip_version : int
        4 or 6.
    timestamps : bool
        Whether TCP segments carry the timestamps option, as Linux does by
        default.
    vlan_tags : int
        802.1Q tags in each frame, at most 8.

    Returns
    -------
    stack : Stack
        Layers of a segment of an established connection.

    Raises
    ------
    DomainError
        If there is no such IP version, or not 0 to 8 tags.

    References
    ----------
    RFC 9293, section 3.1; RFC 7323, section 3, for the timestamps; RFC 791 and 8200; IEEE 802.3 and
    802.1Q.

    Examples
    --------
    >>> tcp_stack(ip_version=6).payload_bytes(1500)
    1428
    """
    require_flags(timestamps=timestamps)
    vlan_tags = require_whole("vlan_tags", vlan_tags)
    return _stack(_checked_version(ip_version), vlan_tags, timestamps)


def udp_stack(*, ip_version: int = 4, vlan_tags: int = 0) -> Stack:
    """
    Return the stack of UDP over IP over Ethernet.

    Parameters
    ----------
    ip_version : int
        4 or 6.
    vlan_tags : int
        802.1Q tags in each frame, at most 8.

    Returns
    -------
    stack : Stack
        Layers of a datagram that fits one packet.

    Raises
    ------
    DomainError
        If there is no such IP version, or not 0 to 8 tags.

    References
    ----------
    RFC 768; RFC 791 and 8200; IEEE 802.3 and 802.1Q.

    Examples
    --------
    >>> udp_stack().payload_bytes(1500)
    1472
    """
    return _stack(_checked_version(ip_version), require_whole("vlan_tags", vlan_tags), None)


def _checked_version(ip_version: int) -> int:
    with suppress(TypeError):
        version = operator.index(ip_version)
        if version in _IP_LAYERS:
            return version
    raise DomainError(f"ip_version must be 4 or 6; got {ip_version!r}")


@lru_cache  # 2 versions, 9 settings of tags, UDP and 2 settings of TCP: 54 stacks
def _stack(ip_version: int, vlan_tags: int, timestamps: bool | None) -> Stack:
    """Return TCP with timestamps or without them, UDP for None."""
    require_at_least("vlan_tags", vlan_tags, 0, "tag")
    require_at_most("vlan_tags", vlan_tags, _MAX_VLAN_TAGS, "tag")
    transport = udp() if timestamps is None else tcp(timestamps=timestamps)
    return Stack((ethernet(), *[vlan()] * vlan_tags, _IP_LAYERS[ip_version](), transport))
