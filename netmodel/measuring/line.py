"""The line as the facts of its hosts show it, and where what is specified differs."""

from collections.abc import Sequence
from dataclasses import dataclass

from netmodel.estimates import ABOUT_RATIO
from netmodel.framing import Layer, Stack, tcp_stack, udp_stack
from netmodel.measuring.record import Record
from netmodel.measuring.shown import HostShown
from netmodel.readers import Measurement
from netmodel.units import format_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLine:
    """
    Line that the facts show; None stands for what they do not.

    Parameters
    ----------
    line_rate_bps : float
        The lower speed of both ends that report the speed of a line. [bit/s]
    why_no_line_rate : str
        Why it is not known; empty where it is.
    mtu_bytes : int
        The smaller MTU of both ends. [byte]
    vlan_tags : int
        802.1Q tags, where the headers are Ethernet with or without them.
    stack : Stack
        All headers, where they are others.
    outer_headers : tuple of Layer
        Those around the packets of the connection; empty where not known.
    ip_version : int
        Where the runs do not report it.
    client_cpus, server_cpus : int
        CPUs of each host, or fewer where its container leaves fewer.
    sources : dict of str to str
        Where each of them is from.
    notes : tuple of str
        Where both ends differ.
    stack_ip_version : int
        IP version of the connection, 4 where it is not known.
    """

    line_rate_bps: float | None
    why_no_line_rate: str
    mtu_bytes: int | None
    vlan_tags: int | None
    stack: Stack | None
    outer_headers: tuple[Layer, ...] = ()
    ip_version: int | None
    client_cpus: int | None
    server_cpus: int | None
    sources: dict[str, str]
    notes: tuple[str, ...]
    stack_ip_version: int = 4


def found_line(record: Record, runs: Sequence[Measurement]) -> FoundLine:
    """
    The line of a recorded run.

    Parameters
    ----------
    record : Record
        The run, with the facts of its hosts.
    runs : sequence of Measurement
        What its tool reports, for protocol and IP version.
    """
    hosts = {"client": record.client} | ({"server": record.server} if record.server else {})
    notes: list[str] = []
    sources = {f"CPUs of the {role}": f"facts of the {role}" for role in hosts}
    sources["VLAN tags"] = sources["headers"] = f"{record.client.interface} of the client"
    rates = {role: host.line_rate_bps for role, host in hosts.items() if host.line_rate_bps}
    slower = min(rates, key=lambda role: rates[role], default="")
    if slower:
        sources["line rate"] = f"{hosts[slower].links[-1].name} of the {slower}"
    # packets on a loopback interface are larger than any line takes
    sizes = {
        role: host.mtu_bytes
        for role, host in hosts.items()
        if host.mtu_bytes and not host.route.is_local
    }
    lesser = min(sizes, key=lambda role: sizes[role], default="")
    if lesser:
        sources["MTU"] = f"{hosts[lesser].interface} of the {lesser}"
    speeds = {role: format_rate(rate_bps) for role, rate_bps in rates.items()}
    for what, ends in (("speeds", speeds), ("MTUs", sizes)):
        if len(set(ends.values())) > 1:
            listed = " and ".join(f"{each} ({role})" for role, each in ends.items())
            notes.append(f"the ends have different {what}: {listed}; the lower counts")
    headers = record.client.headers
    if record.server and record.server.headers and headers != record.server.headers:
        shown = ["/".join(map(str, each)) for each in (headers, record.server.headers)]
        notes.append(f"headers differ: {shown[0]} at the client, {shown[1]} at the server")
    run = runs[0] if runs else None
    ip_version = (run.ip_version if run else None) or record.client.route.ip_version
    names = [each.protocol for each in headers]
    is_plain = not names or (names[0] == "ethernet" and set(names[1:]) <= {"vlan"})
    stack = None
    if not is_plain:
        stack = _stack(headers, run, ip_version or 4, sizes.get(lesser), record.client)
    return FoundLine(
        line_rate_bps=rates.get(slower),
        why_no_line_rate="" if slower else record.client.why_no_line_rate,
        mtu_bytes=sizes.get(lesser),
        vlan_tags=len(names) - 1 if is_plain and names else None,
        stack=stack,
        outer_headers=headers,
        ip_version=None if run and run.ip_version else ip_version,
        client_cpus=_cpus(record.client),
        server_cpus=_cpus(record.server),
        sources=sources,
        notes=tuple(notes),
        stack_ip_version=ip_version or 4,
    )


def _stack(
    headers: tuple[Layer, ...],
    run: Measurement | None,
    ip_version: int,
    mtu_bytes: int | None,
    client: HostShown,
) -> Stack:
    """All headers of a run through a tunnel, with the transport protocol that it reports."""
    if run is not None and run.protocol == "udp":
        return Stack((*headers, *udp_stack(ip_version=ip_version).inner_layers))
    has_timestamps = client.has_timestamps is not False
    inner = {
        each: Stack((*headers, *tcp_stack(ip_version=ip_version, timestamps=each).inner_layers))
        for each in (True, False)
    }
    if run is not None and run.segment_bytes and mtu_bytes is not None:
        # segments show whether both ends agreed on timestamps
        fitting = [
            each
            for each, stack in inner.items()
            if stack.packet_bytes(run.segment_bytes) == mtu_bytes
        ]
        has_timestamps = fitting[0] if fitting else has_timestamps
    return inner[has_timestamps]


def _cpus(host: HostShown | None) -> int | None:
    if host is None or host.cpu_count is None:
        return None
    limit = host.cpu_limit_count
    return host.cpu_count if limit is None else max(1, min(host.cpu_count, int(limit)))


def differs(specified: float, found: float) -> bool:
    """Return whether two rates are of different lines: link speeds are further apart than about."""
    return abs(specified / found - 1) > float(ABOUT_RATIO)
