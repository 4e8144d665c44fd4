"""What the counters of a host show of a run: losses, stalls and busy CPUs, the gravest first."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from netmodel._dataclasses import dataclass
from netmodel.errors import ContradictionError, ParseError
from netmodel.measuring._facts import Facts
from netmodel.measuring._shown import HostShown
from netmodel.readers import Counters, HostCpu, counter_change
from netmodel.readers._counters import (
    read_ip_link_counters,
    read_net_dev,
    read_net_snmp,
    read_nstat,
    read_softnet_stat,
    read_tc_qdisc,
)
from netmodel.readers._ethtool import read_ethtool_statistics

BUSY_RATIO = 0.95
"""A CPU that is busy for more has no time left but for the ends of the run."""
_SOFTIRQ_RATIO = 0.5
"""Receive processing dominates a CPU from half of its time on."""
_FULL_HOST_RATIO = 0.8
"""Where the other CPUs are busy for more, threads or queues on them gain less than a quarter."""
_STOLEN_RATIO = 0.02
"""Stolen time below this is that of a few interruptions, and shorter than the tolerance."""
SHORTEST_RUN_S = 1.0
"""A shorter time is that of starting a program, which fills a CPU by itself. [s]"""
_TINY_RATIO = 1e-5
"""Fewer retransmissions than this cost a connection no rate that shows within a LAN."""
_PROBE_COUNT = 1
"""A single segment that was sent again may be a probe at the end, and no loss (RFC 8985)."""
_SHOWN_COUNT = 3
"""Names of counters that a line has room for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """
    One thing that counters show.

    Parameters
    ----------
    kind : str
        ``drops``, ``retransmits``, ``busy_cpu``, ``softirq``, ``pause``, ``ring_overrun``,
        ``backlog``, ``receive_buffer``, ``errors`` or ``stolen``.
    role : str
        ``client`` or ``server``: the host that counted.
    place : str
        Interface, queue or CPU.
    count : int
        How often, between the copies before and after; None where it is no count.
    text : str
        What it is, what it means and what to look at first.
    """

    kind: str
    role: str
    place: str
    count: int | None
    text: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel measure``."""
        return {name: getattr(self, name) for name in self.__slots__}


_DRIVER_COUNTERS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    (
        "ring_overrun",
        re.compile(
            r"(?i)^(?!.*(?:tx|xdp)).*(?:no_?buf|out_of_buf|no_?desc|no_dma|missed|fifo|over_?run|over_err"
            r"|alloc_?fail|ring_full|rx_resource)"
        ),
        "the receive ring was full: raise it (ethtool -G), or give the queue more CPU",
    ),
    (
        "pause",
        re.compile(r"(?i)(?:pause|flow_control|xoff|xon)(?!.*(?:duration|storm_warning))"),
        "pause frames held up the line: the slower side is at its limit",
    ),
    (
        "errors",
        re.compile(r"(?i)(?:crc|fcs|symbol|align|length)_?.*err"),
        "damaged frames: check cable, optics and duplex",
    ),
    (
        "drops",
        re.compile(r"(?i)^(?!.*xdp).*(?:drop|discard)"),
        "the adapter dropped frames: which queue, and was its CPU full?",
    ),
)
"""Kinds of driver counters by their names, which differ from driver to driver; the first fits."""

_PROTOCOL_COUNTERS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    (
        "receive_buffer",
        "packets dropped at full receive buffers of UDP",
        ("UdpRcvbufErrors", "Udp6RcvbufErrors"),
        "the application reads too slowly: give it CPU, raise net.core.rmem_max and its buffer",
    ),
    (
        "receive_buffer",
        "TCP segments dropped at full sockets",
        ("TcpExtTCPBacklogDrop", "TcpExtTCPRcvQDrop", "TcpExtTCPRcvCoalesceFail"),
        "the application reads too slowly: give it CPU, raise net.ipv4.tcp_rmem",
    ),
    (
        "receive_buffer",
        "zero windows announced",
        ("TcpExtTCPToZeroWindowAdv",),
        "the application of this host read too slowly: look at its CPU",
    ),
    (
        "drops",
        "IP packets discarded",
        ("IpInDiscards", "IpOutDiscards", "Ip6InDiscards", "Ip6OutDiscards"),
        "memory or queues were short (tc -s qdisc)",
    ),
    (
        "drops",
        "fragments that could not be put together",
        ("IpReasmFails", "Ip6ReasmFails"),
        "fragments were lost: keep datagrams below the MTU",
    ),
    (
        "errors",
        "checksum errors",
        ("TcpInCsumErrors", "UdpInCsumErrors", "Udp6InCsumErrors"),
        "packets were damaged on the way",
    ),
)


def causes_of(
    role: str,
    before: Facts,
    after: Facts,
    *,
    shown: HostShown,
    cpu: HostCpu | None,
) -> tuple[Cause, ...]:
    """
    What the counters of a host show between two times.

    Parameters
    ----------
    role : str
        ``client`` or ``server``.
    before, after : Facts
        Its counters.
    shown : HostShown
        Its interfaces and queues.
    cpu : HostCpu or None
        CPU time in between.
    """
    found = [
        *_of_protocols(role, before, after),
        *_of_interfaces(role, before, after, shown),
        *_of_queues(role, before, after, shown),
        *_of_backlog(role, before, after),
        *(_of_cpus(role, cpu, shown) if cpu is not None else ()),
    ]
    return in_order(found)


def in_order(causes: Iterable[Cause]) -> tuple[Cause, ...]:
    """Causes, the gravest first."""
    return tuple(sorted(causes, key=lambda each: _ORDER.index(each.kind)))


_ORDER = (
    *("softirq", "busy_cpu", "stolen", "ring_overrun", "backlog", "drops"),
    *("receive_buffer", "retransmits", "pause", "errors"),
)
"""Causes before what follows from them: a full CPU drops, and what is dropped is sent again."""


def _growth(before: Counters, after: Counters) -> dict[str, dict[str, int]]:
    """How much each counter grew; those that were reset are left out."""
    grown: dict[str, dict[str, int]] = {}
    for place in before.counts.keys() & after.counts.keys():
        for name in before.counts[place].keys() & after.counts[place].keys():
            earlier, later = (
                replace(each, counts={place: {name: each.counts[place][name]}})
                for each in (before, after)
            )
            if earlier.counts == later.counts:
                continue
            with suppress(ContradictionError):
                change = counter_change(earlier, later, 1.0)
                grown.setdefault(place, {})[name] = change.counts[place][name]
    return grown


def _read(
    name: str, before: Facts, after: Facts, reader: Callable[[bytes], Counters]
) -> dict[str, dict[str, int]]:
    """Growth of the counters of a file; empty where either copy is missing or damaged."""
    earlier, later = before.text(name), after.text(name)
    if earlier is None or later is None:
        return {}
    with suppress(ParseError, ContradictionError):
        return _growth(reader(earlier.encode()), reader(later.encode()))
    return {}


def _of_protocols(role: str, before: Facts, after: Facts) -> Iterator[Cause]:
    grown = _read("nstat.json", before, after, read_nstat) or _read(
        "net-snmp.txt", before, after, read_net_snmp
    )
    counts: Mapping[str, int] = grown.get("kernel", {})
    again, sent = counts.get("TcpRetransSegs", 0), counts.get("TcpOutSegs", 0)
    if again > max(_PROBE_COUNT, _TINY_RATIO * sent):
        timeouts = counts.get("TcpExtTCPTimeouts", 0)
        more = f", {timeouts:,} after a timeout" if timeouts else ""
        yield Cause(
            kind="retransmits",
            role=role,
            place="tcp",
            count=again,
            text=f"{again:,} of {sent:,} TCP segments sent again{more}: packets lost or reordered",
        )
    for kind, what, names, advice in _PROTOCOL_COUNTERS:
        count = sum(counts.get(name, 0) for name in names)
        if count:
            yield Cause(
                kind=kind, role=role, place="ip", count=count, text=f"{count:,} {what}: {advice}"
            )


_LINK_COUNTERS = (
    (
        "ring_overrun",
        ("rx_missed_errors", "rx_over_errors", "rx_fifo_errors"),
        "received",
        "at a full receive ring",
    ),
    ("drops", ("rx_dropped",), "received", "by the kernel after the adapter had them"),
    ("drops", ("tx_dropped",), "sent", "before the adapter sent them"),
    ("errors", ("rx_errors", "rx_crc_errors", "rx_frame_errors"), "received", "with errors"),
    ("errors", ("tx_errors", "tx_carrier_errors"), "sent", "with errors"),
)
"""Counters that all interfaces have."""


def _of_interfaces(role: str, before: Facts, after: Facts, shown: HostShown) -> Iterator[Cause]:
    links = _read("ip-link.json", before, after, read_ip_link_counters) or _read(
        "net-dev.txt", before, after, read_net_dev
    )
    for link in shown.links:
        counts = links.get(link.name, {})
        for kind, names, direction, how in _LINK_COUNTERS:
            count = max((counts.get(name, 0) for name in names), default=0)
            if count:
                text = f"{link.name}: {count:,} packets {direction} and dropped {how}"
                if kind == "errors":
                    text = f"{link.name}: {count:,} packets {direction} {how}"
                yield Cause(kind=kind, role=role, place=link.name, count=count, text=text)
        name = f"ethtool-S-{link.name}.txt"
        driver = _read(name, before, after, partial(read_ethtool_statistics, interface=link.name))
        grown = driver.get(link.name, {})
        taken: set[str] = set()
        for kind, pattern, advice in _DRIVER_COUNTERS:
            named = {key: count for key, count in grown.items() if pattern.search(key)}
            named = {key: count for key, count in named.items() if key not in taken}
            taken |= named.keys()
            if named:
                most = sorted(named, key=lambda key: -named[key])[:_SHOWN_COUNT]
                listed = ", ".join(f"{key} {named[key]:,}" for key in most)
                yield Cause(
                    kind=kind,
                    role=role,
                    place=link.name,
                    count=max(named.values()),
                    text=f"{link.name}: {listed}: {advice}",
                )


def _of_queues(role: str, before: Facts, after: Facts, shown: HostShown) -> Iterator[Cause]:
    grown = _read("tc-qdisc.json", before, after, read_tc_qdisc)
    for link in shown.links:
        for name, count in grown.get(link.name, {}).items():
            if name.endswith(" drops"):
                queue = name.removesuffix(" drops")
                yield Cause(
                    kind="drops",
                    role=role,
                    place=link.name,
                    count=count,
                    text=f"{link.name}: {count:,} packets dropped at the transmit queue {queue}: "
                    "more was offered than it lets through",
                )


def _of_backlog(role: str, before: Facts, after: Facts) -> Iterator[Cause]:
    grown = _read("softnet-stat.txt", before, after, read_softnet_stat)
    dropped = {cpu: counts["dropped"] for cpu, counts in grown.items() if counts.get("dropped")}
    if dropped:
        where = ", ".join(sorted(dropped))
        count = sum(dropped.values())
        yield Cause(
            kind="backlog",
            role=role,
            place=where,
            count=count,
            text=f"{count:,} packets dropped at the backlog of {where}: give the queue more CPUs "
            "(RPS), or raise net.core.netdev_max_backlog",
        )


def _of_cpus(role: str, cpu: HostCpu, shown: HostShown) -> Iterator[Cause]:
    """CPUs that were busy all the time, with what they did, and time that was stolen."""
    means = mean_shares(cpu)
    singles = {number: parts for number, parts in means.items() if number is not None}
    lengths_s = [each.duration_s for each in cpu.intervals]
    is_short = None in lengths_s or sum(filter(None, lengths_s)) < SHORTEST_RUN_S
    if is_short or len(singles) != cpu.cpu_count:
        return
    full = {n: parts for n, parts in singles.items() if parts["busy"] >= BUSY_RATIO}
    others = [parts["busy"] for n, parts in singles.items() if n not in full]
    others_ratio = sum(others) / len(others) if others else 1.0
    beside = f", the others {100 * others_ratio:.0f} %" if others else ""
    for number, parts in full.items():
        soft = parts["soft"]
        if soft >= _SOFTIRQ_RATIO and others_ratio < _FULL_HOST_RATIO:
            link = shown.line_link
            queues = link.receive_queue_count if link else 0
            first = "spread receive queues or steer packets (RPS)"
            if link and queues == 1 and not link.steered_queue_count:
                first = f"{link.name} has one receive queue without RPS: netmodel rps"
            text = f"CPU {number} spent {100 * soft:.0f} % in softirqs{beside}: {first}"
            yield Cause(kind="softirq", role=role, place=f"CPU {number}", count=None, text=text)
        elif len(full) < len(singles):
            what = "one thread may limit: use more streams, or end other work (top)"
            if others_ratio >= _FULL_HOST_RATIO:
                what = "the run or other work fills the host (top)"
            text = (
                f"CPU {number} was {100 * parts['busy']:.0f} % busy (softirqs {100 * soft:.0f} %)"
                f"{beside}: {what}"
            )
            yield Cause(kind="busy_cpu", role=role, place=f"CPU {number}", count=None, text=text)
    if full and len(full) == len(singles):
        text = f"all {len(full)} CPUs were busy all the time: with the run or other work (top)"
        yield Cause(kind="busy_cpu", role=role, place="all CPUs", count=None, text=text)
    stolen = means.get(None, {}).get("steal", 0.0)
    if stolen >= _STOLEN_RATIO:
        text = f"the hypervisor took {100 * stolen:.0f} % of the CPU time for other guests"
        yield Cause(kind="stolen", role=role, place="all CPUs", count=None, text=text)


def mean_shares(cpu: HostCpu) -> dict[int | None, dict[str, float]]:
    """Busy, softirq and stolen share of each CPU and of all, during the run."""
    totals: dict[int | None, dict[str, float]] = {}
    weights: dict[int | None, float] = {}
    # of three or more, the first and the last also hold the start and the end of the tool
    inner = cpu.intervals[1:-1] if len(cpu.intervals) > 2 else cpu.intervals
    for interval in inner:
        weight = interval.duration_s or 1.0
        for load in interval.loads:
            parts = totals.setdefault(load.cpu, {"busy": 0.0, "soft": 0.0, "steal": 0.0})
            shares = load.shares
            parts["busy"] += weight * shares.busy_ratio
            parts["soft"] += weight * ((shares.soft_ratio or 0.0) + (shares.irq_ratio or 0.0))
            parts["steal"] += weight * (shares.steal_ratio or 0.0)
            weights[load.cpu] = weights.get(load.cpu, 0.0) + weight
    return {
        number: {name: value / weights[number] for name, value in parts.items()}
        for number, parts in totals.items()
    }


def causes_of_repeats(causes: Sequence[Sequence[Cause]]) -> tuple[Cause, ...]:
    """Causes of several runs: of each the gravest, with the number of runs that show it."""
    gravest: dict[tuple[str, str, str], Cause] = {}
    shown_by: dict[tuple[str, str, str], int] = {}
    for of_run in causes:
        for key in {(each.kind, each.role, each.place) for each in of_run}:
            shown_by[key] = shown_by.get(key, 0) + 1
        for each in of_run:
            key = each.kind, each.role, each.place
            if key not in gravest or (each.count or 0) > (gravest[key].count or 0):
                gravest[key] = each
    found = [
        replace(each, text=f"{each.text} (in {shown_by[key]} of {len(causes)} runs)")
        for key, each in gravest.items()
    ]
    return in_order(found)


def cause_lines(causes: Sequence[Cause]) -> list[str]:
    """A line for each cause, with the host that counted."""
    return [f"{each.role}: {each.text}" for each in causes]
