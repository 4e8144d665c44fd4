"""Facts of a host, copied by commands that only read: interfaces, settings, counters, CPUs."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from netmodel.errors import DomainError
from netmodel.measuring.links import interfaces_of, links_below, route_of
from netmodel.reading import read_bytes, reason_of

COMMAND_LIMIT_S = 5.0
"""Each command prints within milliseconds; one that waits for a driver is given up. [s]"""
_SYSCTLS = ("core/*", "ipv4/tcp_*", "ipv4/udp_*", "ipv4/ip_no_pmtu_disc")
"""Settings below /proc/sys/net on which throughput and response time of a connection depend."""
_SECRETS = frozenset({"tcp_fastopen_key"})
_OF_INTERFACE = ("speed", "duplex", "mtu", "operstate", "gro_flush_timeout")
_CGROUPS = Path("/sys/fs/cgroup")
_COUNTERS = {
    "ip-link.json": "ip -j -d -s -s link show",
    "tc-qdisc.json": "tc -j -s qdisc show",
    "nstat.json": "nstat -asz --json",
    "net-dev.txt": "/proc/net/dev",
    "net-snmp.txt": "/proc/net/snmp /proc/net/netstat",
    "softnet-stat.txt": "/proc/net/softnet_stat",
    "softirqs.txt": "/proc/softirqs",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """
    Text of a command or of a file of the kernel.

    Parameters
    ----------
    name : str
        Name of its file in a record.
    origin : str
        Command or file that it is from.
    text : str
        As printed, masked where it is written; None where it could not be had.
    reason : str
        Why not, and what would help.
    """

    name: str
    origin: str
    text: str | None = None
    reason: str = ""


class Facts(dict[str, Fact]):
    """Facts of one host at one time, by name."""

    def text(self, name: str) -> str | None:
        """Return the text of a fact; None where it is missing."""
        return self[name].text if name in self else None

    def why_not(self, name: str) -> str:
        """Return why a fact is missing; empty where that is not known."""
        return self[name].reason if name in self else ""

    def keep(self, name: str, origin: str, text: str | None, reason: str = "") -> None:
        """Add a fact, or the reason why it is missing."""
        self[name] = Fact(name, origin, text, "" if text is not None else reason)

    def command(self, name: str, *command: str) -> None:
        """Add what a command prints."""
        self.keep(name, " ".join(command), *printed_by(command))

    def copies(self, name: str, *paths: str) -> None:
        """Add copies of files of the kernel, one after the other."""
        found = [copied(path) for path in paths]
        text = "".join(text for text, _ in found if text is not None)
        self.keep(name, " ".join(paths), text or None, next((why for _, why in found if why), ""))


def printed_by(command: Sequence[str]) -> tuple[str | None, str]:
    """Return the output of a command; None and the reason where it fails or hangs."""
    environment = os.environ | {"LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=COMMAND_LIMIT_S,
            check=False,
            env=environment,
        )
    except FileNotFoundError:
        return None, f"{command[0]} is not installed"
    except subprocess.TimeoutExpired:
        return None, f"not done after {COMMAND_LIMIT_S:g} s"
    except OSError as error:
        return None, reason_of(error)
    if done.returncode or not done.stdout.strip():
        said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        return None, said or f"it printed nothing, with exit code {done.returncode}"
    return done.stdout.decode(errors="replace"), ""


def copied(path: str) -> tuple[str | None, str]:
    """Content of a file of the kernel; None and the reason where it cannot be read."""
    try:
        return read_bytes(path).decode(errors="replace"), ""
    except (OSError, ValueError) as error:
        return None, reason_of(error)


def settings_of_host(peer: str | None, interface: str | None, ip_version: int | None) -> Facts:
    """
    Return facts that do not change during a run: route, interfaces, settings, CPUs, limits.

    Parameters
    ----------
    peer : str or None
        Host to which the route is looked up; its interface and those below it are asked.
    interface : str or None
        Interface of the connection, in place of that of the route.
    ip_version : int or None
        Of the address of the peer; None takes what its name resolves to first.
    """
    facts = Facts()
    if peer is not None:
        address, reason = address_of(peer, ip_version)
        if address is None:
            facts.keep("route.json", f"ip -j route get {peer}", None, reason)
        else:
            facts.command("route.json", "ip", "-j", "route", "get", address)
    facts.command("ip-address.json", "ip", "-j", "-d", "address", "show")
    start = interface or route_of(facts.text("route.json")).interface
    for name in _with_links_below(facts, start) if start else ():
        _settings_of_interface(facts, name)
    root = Path("/proc/sys/net")
    places = [path for each in _SYSCTLS for path in sorted(root.glob(each)) if path.is_file()]
    found = ((path, copied(str(path))[0]) for path in places if path.name not in _SECRETS)
    rows = [
        f"net.{path.parent.name}.{path.name} = {' '.join(text.split())}\n"
        for path, text in found
        if text
    ]
    facts.keep("sysctl.txt", str(root), "".join(rows) or None, f"{root} is not there")
    facts.command("kernel.txt", "uname", "-srvm")
    text, reason = printed_by(["lscpu"])
    if text is None:
        text, _ = copied("/proc/cpuinfo")
    facts.keep("lscpu.txt", "lscpu or /proc/cpuinfo", text, reason)
    limits = "".join(_limits_of_container())
    facts.keep("limits.txt", "/sys/fs/cgroup, sched_getaffinity", limits or None, "none is shown")
    return facts


def _with_links_below(facts: Facts, start: str) -> list[str]:
    """Return the interface and those below it; under a tunnel, by the route to its other end."""
    interfaces = interfaces_of(facts.text("ip-address.json"))
    under: dict[str, str | None] = {}
    for each in interfaces.values():
        if each.remote and each.lower is None:
            file = f"route-{each.name}.json"
            facts.command(file, "ip", "-j", "route", "get", each.remote)
            under[each.name] = route_of(facts.text(file)).interface
    return links_below(interfaces, start, under)


def _settings_of_interface(facts: Facts, name: str) -> None:
    facts.command(f"ethtool-{name}.txt", "ethtool", name)
    for letter in "kgci":
        facts.command(f"ethtool-{letter}-{name}.txt", "ethtool", f"-{letter}", name)
    place = Path("/sys/class/net", name)
    shown = [(each, copied(str(place / each))[0]) for each in _OF_INTERFACE]
    rows = [f"{attribute} {text.strip()}\n" for attribute, text in shown if text is not None]
    with suppress(OSError):
        rows.append(f"driver {(place / 'device' / 'driver').readlink().name}\n")
    with suppress(OSError):
        is_virtual = "/devices/virtual/" in str(place.resolve(strict=True))
        rows.append(f"is_virtual {str(is_virtual).lower()}\n")
    for path in sorted(place.glob("queues/*/[rx]ps_*")):
        text, _ = copied(str(path))
        rows.append(f"{path.parent.name} {path.name} {(text or '').strip()}\n")
    reason = "/sys/class/net does not show it"
    facts.keep(f"sys-{name}.txt", f"/sys/class/net/{name}", "".join(rows) or None, reason)


def _limits_of_container() -> Iterator[str]:
    """CPU time that cgroups leave, from the innermost outwards, and the CPUs of this process."""
    with suppress(AttributeError, OSError):
        yield f"affinity {','.join(map(str, sorted(os.sched_getaffinity(0))))}\n"
    groups, _ = copied("/proc/self/cgroup")
    for line in (groups or "").splitlines():
        _, controllers, path = line.split(":", 2)
        group = Path(path.lstrip("/"))
        for place in () if controllers else (group, *group.parents):
            text, _ = copied(str(_CGROUPS / place / "cpu.max"))
            if text is not None:
                yield f"cpu.max /{place} {text.strip()}\n"


def address_of(peer: str, ip_version: int | None = None) -> tuple[str | None, str]:
    """Address of a host; None and the reason where its name is not known."""
    family = {4: socket.AF_INET, 6: socket.AF_INET6, None: socket.AF_UNSPEC}[ip_version]
    try:
        found = socket.getaddrinfo(peer, None, family, socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        return None, f"{peer}: {reason_of(error)}"
    return str(found[0][4][0]).partition("%")[0], ""


def require_there(peer: str | None, interface: str | None) -> None:
    """
    Refuse a peer and an interface that the user names and that are not there.

    Raises
    ------
    DomainError
        If the name of the peer is not known, or there is no such interface.
    """
    if peer is not None:
        address, reason = address_of(peer)
        if address is None:
            raise DomainError(f"the peer cannot be looked up: {reason}")
    if interface is not None:
        names = [name for _, name in socket.if_nameindex()]
        if interface not in names:
            raise DomainError(f"no interface {interface!r} here; there are {', '.join(names)}")


def counters_of_host(interfaces: Sequence[str]) -> Facts:
    """Counters of the host at this time; those of drivers for the named interfaces alone."""
    facts = Facts()
    for name, words in _COUNTERS.items():
        add = facts.copies if words.startswith("/") else facts.command
        add(name, *words.split())
    for name in interfaces:
        facts.command(f"ethtool-S-{name}.txt", "ethtool", "-S", name)
    return facts


def proc_stat() -> str | None:
    """Return a copy of /proc/stat below its time, without interrupts by number; else None."""
    text, _ = copied("/proc/stat")
    if text is None:
        return None
    rows = [line for line in text.splitlines() if not line.startswith(("intr ", "softirq "))]
    return "\n".join([f"{time.time():.6f}", *rows]) + "\n"
