"""Benchmark tools on a command line: which one it is, the peer that it names, its version."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

TOOLS: dict[str, tuple[str | None, str]] = {
    **dict.fromkeys(("iperf3", "iperf"), ("-c --client", "-s --server")),
    "netperf": ("-H", ""),
    "nuttcp": (None, "-S -1"),
    "sockperf": ("-i --ip", "server sr"),
    "qperf": (None, ""),
    "uperf": ("", "-s"),
    "ntttcp": ("-s", "-r"),
    **dict.fromkeys(("ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_atomic_bw"), (None, "")),
    **dict.fromkeys(("ib_write_lat", "ib_read_lat", "ib_send_lat", "ib_atomic_lat"), (None, "")),
}
"""
By the name of the program: options with the peer, None where that is an argument without an option;
and arguments with which it waits for a client.
"""
_ELSEWHERE = frozenset({"ssh", "docker", "podman", "kubectl", "nsenter", "netns"})
"""Words before the tool that run it in another place, whose facts are not those of this one."""
_WITHOUT_VALUE = re.compile(r"-[46]$")
_NUMBER = re.compile(r"[0-9][0-9.,]*[A-Za-z/%]*$")
"""A value of an option, such as 10, 64K or 1.5s, and no name of a host."""


@dataclass(frozen=True, slots=True)
class Call:
    """
    A command, taken apart.

    Parameters
    ----------
    arguments : tuple of str
        The whole command.
    tool : str
        Name of the tool; None where no known one is on the command line.
    peer : str
        Host that the tool connects to; None where the command does not name it.
    ip_version : int
        4 or 6 where an option says so.
    is_server : bool
        Whether it waits for a client.
    runs_elsewhere : str
        Word that runs the tool on another host or in another network namespace; empty where none
        does.
    """

    arguments: tuple[str, ...]
    tool: str | None = None
    peer: str | None = None
    ip_version: int | None = None
    is_server: bool = False
    runs_elsewhere: str = ""


def parse_call(arguments: Sequence[str]) -> Call:
    """
    Return the tool of a command and the peer that it names.

    Parameters
    ----------
    arguments : sequence of str
        The command, such as ``taskset -c 1 iperf3 -c HOST -J``.

    Returns
    -------
    call : Call
        Without a tool where none is known, and then with the only IP address on the command line
        as its peer.

    Examples
    --------
    >>> parse_call(["taskset", "-c", "1", "iperf3", "-c", "10.0.0.2", "-J"]).peer
    '10.0.0.2'
    >>> parse_call(["qperf", "-t", "4", "server1", "tcp_bw"]).peer
    'server1'
    """
    names = [Path(each).name for each in arguments]
    place = next((n for n, name in enumerate(names) if name in TOOLS), None)
    elsewhere = next((name for name in names[:place] if name in _ELSEWHERE), "")
    if place is None:
        addresses = [each for each in arguments if _is_address(each)]
        peer = addresses[0] if len(set(addresses)) == 1 else None
        return Call(tuple(arguments), peer=peer, runs_elsewhere=elsewhere)
    (options, waiting), rest = TOOLS[names[place]], list(arguments[place + 1 :])
    is_server = not {*rest}.isdisjoint(waiting.split())
    version = next((int(each[1]) for each in rest if _WITHOUT_VALUE.match(each)), None)
    return Call(
        tuple(arguments),
        tool=names[place],
        peer=None if is_server else _peer(options, rest),
        ip_version=version,
        is_server=is_server,
        runs_elsewhere=elsewhere,
    )


def _peer(options: str | None, rest: Sequence[str]) -> str | None:
    if options is None:
        hosts = (x for x in rest if _is_address(x) or not (x[:1] == "-" or _NUMBER.fullmatch(x)))
        return next(map(_host, hosts), None)
    for place, each in enumerate(rest):
        for option in options.split():
            if each == option:
                return _host("".join(rest[place + 1 : place + 2]))
            if each.startswith(f"{option}=" if option.startswith("--") else option):
                return _host(each.removeprefix(option).removeprefix("="))
    return None


def _host(text: str) -> str | None:
    """Return the host of ``HOST%interface``, ``HOST,family`` or ``control/HOST``, or None."""
    return text.rpartition("/")[2].partition(",")[0].partition("%")[0] or None


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
