"""The line as the facts of its hosts show it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from netmodel.estimates import ABOUT_RATIO
from netmodel.framing import Layer, tcp_stack
from netmodel.measuring.record import Record
from netmodel.readers import Measurement
from netmodel.units import format_rate

Shown: TypeAlias = dict[str, tuple[str, str]]
"""Values by which a run is judged, by name, each with its source."""
SPECIFIED = "specified"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLine:
    """
    Line that the facts of a run show.

    Parameters
    ----------
    known : mapping of str to (number, str)
        Arguments of `netmodel.check`, with where each is from: the lower speed and the smaller
        MTU of both ends.
    why_no_line_rate : str
        Why the line rate is not known; empty where it is.
    headers : tuple of Layer
        Those around the packets of the connection; empty where not known.
    headers_source : str
        Interface that has them.
    packets : mapping
        IP version, transport protocol and timestamps of the packets, as far as known.
    notes : tuple of str
        Where both ends differ.
    """

    known: Mapping[str, tuple[float, str]]
    why_no_line_rate: str
    headers: tuple[Layer, ...]
    headers_source: str
    packets: Mapping[str, Any]
    notes: tuple[str, ...]

    def completed(self, specified: Mapping[str, Any]) -> tuple[dict[str, Any], Shown, list[str]]:
        """Return what is specified, else known; what was taken of both; and where they differ."""
        line, shown, against = dict(specified), Shown(), list[str]()
        if {"adapter", "sender", "receiver", "path"} & line.keys():
            shown["line rate"] = ("that of the slower adapter or the path", SPECIFIED)
        # speeds of different lines are further apart than about
        of_rate = ("line_rate_bps", "line rate", format_rate, ABOUT_RATIO)
        for key, name, text, about in (of_rate, ("mtu_bytes", "MTU", str, 0)):
            value, of = self.known.get(key, (None, ""))
            if line.get(key) is not None:
                shown[name] = (text(line[key]), SPECIFIED)
                if value is not None and not math.isclose(line[key], value, rel_tol=about):
                    against.append(f"{name} {text(line[key])} is specified, {of} has {text(value)}")
            elif value is not None and name not in shown:
                line[key], shown[name] = value, (text(value), of)
        return line, shown, against

    @property
    def is_tunnel(self) -> bool:
        """True where the headers are more than Ethernet with tags."""
        names = [each.protocol for each in self.headers]
        return bool(names) and (names[0] != "ethernet" or not {"vlan"}.issuperset(names[1:]))


def found_line(record: Record, runs: Sequence[Measurement]) -> FoundLine:
    """
    Return the line of a recorded run.

    Parameters
    ----------
    record : Record
        The run, with the facts of its hosts.
    runs : sequence of Measurement
        What its tool reports, for protocol and IP version.
    """
    client = record.client
    hosts = {"client": client} | ({"server": record.server} if record.server else {})
    speeds = {
        role: (host.line_rate_bps, f"{host.links[-1]} of the {role}")
        for role, host in hosts.items()
        if host.line_rate_bps
    }
    # packets on a loopback interface are larger than any line takes
    sizes = {
        role: (host.mtu_bytes, f"{host.interface} of the {role}")
        for role, host in hosts.items()
        if host.mtu_bytes and not host.route.is_local
    }
    known: dict[str, tuple[float, str]] = {}
    notes: list[str] = []
    if speeds:
        known["line_rate_bps"] = min(speeds.values())
        rates = {role: format_rate(rate_bps) for role, (rate_bps, _) in speeds.items()}
        notes += _difference("speeds", rates, "; the lower counts")
    if sizes:
        known["mtu_bytes"] = min(sizes.values())
        mtus = {role: str(mtu_bytes) for role, (mtu_bytes, _) in sizes.items()}
        notes += _difference("MTUs", mtus, "; the lower counts")
    headers = {role: "/".join(map(str, host.headers)) for role, host in hosts.items()}
    notes += _difference("headers", {role: text for role, text in headers.items() if text})
    return FoundLine(
        known=known,
        why_no_line_rate="" if speeds else client.why_no_line_rate,
        headers=client.headers,
        headers_source=f"{client.interface} of the client",
        packets=_packets(record, runs[0] if runs else None, known),
        notes=tuple(notes),
    )


def _difference(what: str, ends: Mapping[str, str], then: str = "") -> list[str]:
    """Return a note where both ends differ."""
    if len(set(ends.values())) <= 1:
        return []
    texts = " and ".join(f"{text} ({role})" for role, text in ends.items())
    return [f"the ends have different {what}: {texts}{then}"]


def _packets(
    record: Record, run: Measurement | None, known: Mapping[str, tuple[float, str]]
) -> dict[str, Any]:
    """Return IP version, transport protocol and timestamps of the packets of a run."""
    ip_version = (run.ip_version if run else None) or record.client.route.ip_version
    packets: dict[str, Any] = {"ip": ip_version}
    if run is not None and run.protocol == "udp":
        return packets | {"transport": "udp"}
    timestamps = record.client.has_timestamps is not False
    if run is not None and run.traffic.segment_bytes and "mtu_bytes" in known:
        # segments show whether both ends agreed on timestamps
        for each in (True, False):
            stack = tcp_stack(ip_version=ip_version or 4, timestamps=each)
            if stack.packet_bytes(run.traffic.segment_bytes) == known["mtu_bytes"][0]:
                timestamps = each
    return packets | {"timestamps": timestamps}
