"""
Tests use no network: no name of another host is known, and what sends to its address fails.

An audit hook sees every connection and look-up of names that Python code of this process makes.
Loopback addresses and local sockets are allowed: distributed workers talk through them.
"""

import socket
import sys
from ipaddress import ip_address
from typing import Any

__all__ = ["ASKING", "SENDING", "NetworkUsedError", "refuse_other_hosts"]

SENDING = ("socket.connect", "socket.sendto", "socket.sendmsg")
"""Audit events whose second argument is an address."""
ASKING = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
"""Audit events whose first argument is a name or an address."""


class NetworkUsedError(Exception):
    """No ``OSError``, so that what tolerates failing networks does not hide it."""


def refuse_other_hosts() -> None:
    """From now on this process reaches no other host: names are unknown, and sending fails."""
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in SENDING:
        own, address = arguments[:2]
        if not isinstance(address, tuple):
            return  # a name of a local socket
        if event == "socket.connect" and own.type & socket.SOCK_DGRAM:
            return  # sends nothing: so distributed finds the address of this host
        host = address[0]
        if host != "localhost" and not (_is_address(host) and ip_address(host).is_loopback):
            raise NetworkUsedError(f"{event}: {host} is another host")
    elif event in ASKING:
        name = arguments[0]
        if isinstance(name, bytes):
            name = name.decode()
        if name not in (None, "", "localhost", socket.gethostname()) and not _is_address(name):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
