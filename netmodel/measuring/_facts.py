"""Facts of a host, copied by commands that only read: interfaces, settings, counters, CPUs."""

import os
import platform
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from netmodel._reading import read_bytes
from netmodel.errors import DomainError, ParseError
from netmodel.measuring._links import links_below, route_of, underlay_targets

COMMAND_LIMIT_S = 5.0
"""Each command prints within milliseconds; one that waits for a driver is given up. [s]"""
_LARGEST_TEXT_BYTES = 8 << 20
"""Counters of a driver with a thousand queues have some MB."""
_SYSCTLS = (
    *("core/rmem_max", "core/wmem_max", "core/rmem_default", "core/wmem_default"),
    *("core/netdev_max_backlog", "core/netdev_budget", "core/netdev_budget_usecs"),
    *("core/dev_weight", "core/default_qdisc", "core/rps_sock_flow_entries", "core/busy_poll"),
    *("core/busy_read", "core/optmem_max", "core/somaxconn", "core/gro_normal_batch"),
    *("ipv4/tcp_rmem", "ipv4/tcp_wmem", "ipv4/tcp_mem", "ipv4/udp_mem", "ipv4/tcp_timestamps"),
    *("ipv4/tcp_window_scaling", "ipv4/tcp_sack", "ipv4/tcp_congestion_control"),
    *("ipv4/tcp_available_congestion_control", "ipv4/tcp_mtu_probing", "ipv4/tcp_base_mss"),
    *("ipv4/tcp_slow_start_after_idle", "ipv4/tcp_no_metrics_save", "ipv4/tcp_ecn"),
    *("ipv4/tcp_limit_output_bytes", "ipv4/tcp_notsent_lowat", "ipv4/tcp_adv_win_scale"),
    *("ipv4/tcp_moderate_rcvbuf", "ipv4/tcp_autocorking", "ipv4/tcp_min_tso_segs"),
    *("ipv4/tcp_pacing_ss_ratio", "ipv4/tcp_pacing_ca_ratio", "ipv4/ip_no_pmtu_disc"),
)
"""Settings below /proc/sys/net on which throughput and response time of a connection depend."""
_OF_QUEUES = ("rps_cpus", "rps_flow_cnt", "xps_cpus")
_CGROUPS = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class FactFile:
    """
    Text of a command or of a file of the kernel.

    Parameters
    ----------
    name : str
        Name of the file in a record.
    origin : str
        Command or file that it is from.
    text : str
        As printed, masked where it is written.
    """

    name: str
    origin: str
    text: str


@dataclass(frozen=True, slots=True)
class Missing:
    """
    A fact that could not be had.

    Parameters
    ----------
    name : str
        Name that its file would have.
    origin : str
        Command or file.
    reason : str
        Why, and what would help.
    """

    name: str
    origin: str
    reason: str


@dataclass
class Facts:
    """
    Facts of one host at one time.

    Parameters
    ----------
    files : dict of str to FactFile
        By name.
    missing : dict of str to Missing
        By name.
    """

    files: dict[str, FactFile] = field(default_factory=dict)
    missing: dict[str, Missing] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """Text of a file; None where it is missing."""
        return self.files[name].text if name in self.files else None

    def keep(self, name: str, origin: str, text: str | None, reason: str) -> None:
        """Add a file, or the reason why there is none."""
        if text is not None:
            self.files[name] = FactFile(name, origin, text)
        else:
            self.missing[name] = Missing(name, origin, reason)

    def command(self, name: str, *command: str) -> None:
        """Add what a command prints."""
        text, reason = printed_by(command)
        self.keep(name, " ".join(command), text, reason)

    def copies(self, name: str, *paths: str) -> None:
        """Add copies of files of the kernel, one after the other."""
        texts, reason = [], ""
        for path in paths:
            text, why = copied(path)
            reason = reason or why
            if text is not None:
                texts.append(text)
        self.keep(name, " ".join(paths), "".join(texts) if texts else None, reason)


def printed_by(command: Sequence[str]) -> tuple[str | None, str]:
    """What a command prints; None and the reason where it fails, hangs or is not installed."""
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
        return None, str(error.strerror or error)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        return None, said or f"exit code {done.returncode}"
    if not done.stdout.strip():
        said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        return None, said or "it printed nothing"
    return done.stdout[:_LARGEST_TEXT_BYTES].decode(errors="replace"), ""


def copied(path: str) -> tuple[str | None, str]:
    """Content of a file of the kernel; None and the reason where it cannot be read."""
    try:
        return read_bytes(path).decode(errors="replace"), ""
    except (OSError, ValueError) as error:
        return None, str(getattr(error, "strerror", None) or error)


def settings_of_host(peer: str | None, interface: str | None, ip_version: int | None) -> Facts:
    """
    What does not change during a run: route, interfaces, adapters, settings, CPUs, limits.

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
    names = [start] if start else []
    with suppress(ParseError):
        names = _with_links_below(facts, start) if start else []
    for name in names:
        _settings_of_interface(facts, name)
    rows = []
    for setting in _SYSCTLS:
        text, _ = copied(f"/proc/sys/net/{setting}")
        if text is not None:
            rows.append(f"net.{setting.replace('/', '.')} = {' '.join(text.split())}\n")
    facts.keep("sysctl.txt", "/proc/sys/net", "".join(rows) or None, "/proc/sys/net is not there")
    kernel = f"{platform.system()} {platform.release()} {platform.version()} {platform.machine()}\n"
    facts.keep("kernel.txt", "uname -srvm", kernel, "")
    text, reason = printed_by(["lscpu"])
    if text is None:
        text, _ = copied("/proc/cpuinfo")
    facts.keep("lscpu.txt", "lscpu or /proc/cpuinfo", text, reason)
    limits = "".join(_limits_of_container())
    facts.keep("limits.txt", "/sys/fs/cgroup, sched_getaffinity", limits or None, "none is shown")
    return facts


def _with_links_below(facts: Facts, start: str) -> list[str]:
    """The interface and those below it; under a tunnel, by the route to its other end."""
    text = facts.text("ip-address.json")
    if text is None:
        return [start]
    under: dict[str, str] = {}
    for name, target in underlay_targets(text).items():
        file = f"route-{name}.json"
        facts.command(file, "ip", "-j", "route", "get", target)
        below = route_of(facts.text(file)).interface
        if below:
            under[name] = below
    return links_below(text, start, under)


def _settings_of_interface(facts: Facts, name: str) -> None:
    facts.command(f"ethtool-{name}.txt", "ethtool", name)
    for letter in "kgci":
        facts.command(f"ethtool-{letter}-{name}.txt", "ethtool", f"-{letter}", name)
    place = Path("/sys/class/net", name)
    rows = []
    for attribute in ("speed", "duplex", "mtu", "operstate", "gro_flush_timeout"):
        text, _ = copied(str(place / attribute))
        if text is not None:
            rows.append(f"{attribute} {text.strip()}\n")
    with suppress(OSError):
        rows.append(f"driver {(place / 'device' / 'driver').readlink().name}\n")
    with suppress(OSError):
        is_virtual = "/devices/virtual/" in str(place.resolve(strict=True))
        rows.append(f"is_virtual {str(is_virtual).lower()}\n")
    with suppress(OSError):
        for queue in sorted(place.joinpath("queues").iterdir(), key=_by_number):
            settings = [f"{each} {copied(str(queue / each))[0]}".strip() for each in _OF_QUEUES]
            shown = [each for each in settings if not each.endswith("None")]
            rows.append(f"{queue.name} {' '.join(shown)}".strip() + "\n")
    reason = "/sys/class/net does not show it"
    facts.keep(f"sys-{name}.txt", f"/sys/class/net/{name}", "".join(rows) or None, reason)


def _by_number(queue: Path) -> tuple[str, int]:
    kind, _, number = queue.name.rpartition("-")
    return kind, int(number) if number.isdecimal() else 0


def _limits_of_container() -> Iterator[str]:
    """CPU time that cgroups leave, from the innermost outwards, and the CPUs of this process."""
    with suppress(AttributeError, OSError):
        cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        yield f"affinity {cpus}\n"
    groups, _ = copied("/proc/self/cgroup")
    for line in (groups or "").splitlines():
        _, controllers, path = line.split(":", 2)
        roots = {"": _CGROUPS, "cpu": _CGROUPS / "cpu", "cpu,cpuacct": _CGROUPS / "cpu,cpuacct"}
        if controllers not in roots:
            continue
        root, group = roots[controllers], Path(path.lstrip("/"))
        for place in (group, *group.parents):
            for name in ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us"):
                text, _ = copied(str(root / place / name))
                if text is not None:
                    yield f"{name} /{place} {text.strip()}\n"


def address_of(peer: str, ip_version: int | None = None) -> tuple[str | None, str]:
    """Address of a host; None and the reason where its name is not known."""
    if not peer:
        return None, "the name is empty: ''"
    family = {4: socket.AF_INET, 6: socket.AF_INET6, None: socket.AF_UNSPEC}[ip_version]
    try:
        found = socket.getaddrinfo(peer, None, family, socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        return None, f"{peer}: {getattr(error, 'strerror', None) or error}"
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
            raise DomainError(f"the peer cannot be looked up: {reason or repr(peer)}")
    if interface is not None:
        names = [name for _, name in socket.if_nameindex()]
        if interface not in names:
            raise DomainError(f"no interface {interface!r} here; there are {', '.join(names)}")


def counters_of_host(interfaces: Sequence[str]) -> Facts:
    """Counters of the host at this time; those of drivers for the named interfaces alone."""
    facts = Facts()
    facts.command("ip-link.json", "ip", "-j", "-d", "-s", "-s", "link", "show")
    for name in interfaces:
        facts.command(f"ethtool-S-{name}.txt", "ethtool", "-S", name)
    facts.command("tc-qdisc.json", "tc", "-j", "-s", "qdisc", "show")
    facts.command("nstat.json", "nstat", "-asz", "--json")
    facts.copies("net-dev.txt", "/proc/net/dev")
    facts.copies("net-snmp.txt", "/proc/net/snmp", "/proc/net/netstat")
    facts.copies("softnet-stat.txt", "/proc/net/softnet_stat")
    facts.copies("softirqs.txt", "/proc/softirqs")
    return facts


def proc_stat() -> str | None:
    """A copy of /proc/stat below its time, without interrupts by number; None where not there."""
    text, _ = copied("/proc/stat")
    if text is None:
        return None
    rows = [line for line in text.splitlines() if not line.startswith(("intr ", "softirq "))]
    return "\n".join([f"{time.time():.6f}", *rows]) + "\n"
