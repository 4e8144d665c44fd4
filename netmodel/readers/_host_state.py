"""State of a host, from any tool: the format is recognised from the content."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, tzinfo

from netmodel.errors import ParseError, UnknownRecordError
from netmodel.readers._document import RawText, Source, read_text
from netmodel.readers._ethtool import (
    LinkSettings,
    Offloads,
    read_ethtool,
    read_ethtool_offloads,
    read_ethtool_statistics,
)
from netmodel.readers._host_cpu import HostCpu
from netmodel.readers._proc_stat import read_proc_stat_copies
from netmodel.readers.counters import (
    Counters,
    read_ip_link_counters,
    read_net_dev,
    read_net_snmp,
    read_nstat,
)
from netmodel.readers.interfaces import Interface, read_ip_link
from netmodel.readers.sysstat import read_mpstat, read_sadf, read_sar
from netmodel.results import Result

UNNAMED_INTERFACE = "(not reported)"
"""Name of counters whose interface the file does not name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostState(Result):
    """
    What one file shows of a host.

    Parameters
    ----------
    source : str
        File that it was read from.
    raw_text : str
        The whole text of the file.
    sha256 : str
        Of the bytes of the file.
    format_name : str
        What printed it, such as ``mpstat``, ``ethtool -k`` or ``/proc/net/dev``.
    cpu : HostCpu
        CPU time; None where the file has none.
    interfaces : tuple of Interface
        The interfaces, and the headers that they add to packets.
    link : LinkSettings
        Speed and duplex of one interface; None where the file has none.
    offloads : Offloads
        Offloads of one interface; None where the file has none.
    counters : Counters
        Counters at one time; None where the file has none.
    notes : tuple of str
        Why a part that the format can have is missing.

    Examples
    --------
    >>> from netmodel.readers import read_host_state
    >>> state = read_host_state(
    ...     b'[{"ifindex": 2, "ifname": "eth0", "mtu": 9000, "link_type": "ether",'
    ...     b' "promiscuity": 0}]'
    ... )
    >>> [(each.name, each.mtu_bytes) for each in state.interfaces]
    [('eth0', 9000)]
    """

    source: str
    raw_text: str = field(default="", repr=False, compare=False)
    sha256: str
    format_name: str
    cpu: HostCpu | None = None
    interfaces: tuple[Interface, ...] = ()
    link: LinkSettings | None = None
    offloads: Offloads | None = None
    counters: Counters | None = None
    notes: tuple[str, ...] = ()


def read_host_state(
    source: Source,
    format_name: str | None = None,
    *,
    zone: tzinfo | None = None,
    day: date | None = None,
    interval_s: float | None = None,
    cpu_count: int | None = None,
    interface: str | None = None,
) -> HostState:
    """
    Read what a file shows of a host, from any tool.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the output of mpstat, sadf, sar, ethtool, ``ip -j link``,
        or nstat, a copy of ``/proc/net/dev``, ``/proc/net/snmp``,
        ``/proc/net/netstat`` or ``/proc/stat``, or its content. Several copies
        of ``/proc/stat``, one after the other, give CPU time; each may stand
        below a line with its time, as ``date +%s.%N`` prints it.
    format_name : str, optional
        One of the names above, such as ``mpstat`` or ``ethtool -S``; recognised
        from the content when left out.
    zone : datetime.tzinfo, optional
        Time zone of the times that mpstat, sar and sadf print, where the file
        does not report it.
    day : datetime.date, optional
        Day on which a record of mpstat or sar began, where the file has the date
        in the form of a locale.
    interval_s : float, optional
        Length of each interval of mpstat; its JSON does not report the length
        of a single one. [s]
    cpu_count : int, optional
        CPUs of the host, which ``sadf -d`` reports only with ``-P ALL``.
    interface : str, optional
        Interface of the counters of ``ethtool -S`` or ``tc``, which the file may
        not name.

    Returns
    -------
    state : HostState
        With each part that the file has. Counters without a named interface
        stand under ``(not reported)``.

    Raises
    ------
    ParseError
        If the file is of no such format, is cut off, or holds an impossible
        value; the message names the file, and the key or line.
    UnknownRecordError
        If there is no format of that name.

    Examples
    --------
    >>> read_host_state(b"NIC statistics:\\n     rx_drops: 7\\n").format_name
    'ethtool -S'
    """
    raw = read_text(source)
    names = ", ".join(each.name for each in _FORMATS)
    if format_name is not None:
        known = next((each for each in _FORMATS if each.name == format_name), None)
        if known is None:
            raise UnknownRecordError(f"unknown format {format_name!r}; known are {names}")
    else:
        known = _recognised(raw.text)
    if known is None:
        kind = unread_kind(raw.text)
        raise ParseError(raw.source, kind or f"not the state of a host in a known format: {names}")
    specified = _Specified(zone, day, interval_s, cpu_count, interface)
    parts: dict[str, object] = {}
    faults: list[ParseError] = []
    for name, read in known.readers.items():
        try:
            parts[name] = read(raw, specified)
        except ParseError as error:
            faults.append(error)
    if not parts:
        raise faults[0]
    state = HostState(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        format_name=known.name,
        notes=tuple(fault.problem for fault in faults),
    )
    return replace(state, **parts)  # type: ignore[arg-type]


def recognised_host_state(text: str) -> str | None:
    """Name of the format of a text, also where it is damaged further down; None for others."""
    known = _recognised(text)
    return known.name if known else None


def unread_kind(text: str) -> str | None:
    """What a known text is that is not read, and what to use instead; None for other texts."""
    return next((kind for mark, kind in _NOT_READ if mark.match(text)), None)


def _recognised(text: str) -> "_HostFormat | None":
    whole = text.removeprefix("\ufeff")
    return next((known for known in _FORMATS if known.mark.match(whole)), None)


@dataclass(frozen=True, slots=True)
class _Specified:
    """What the user specifies because a file does not report it."""

    zone: tzinfo | None
    day: date | None
    interval_s: float | None
    cpu_count: int | None
    interface: str | None


@dataclass(frozen=True, slots=True)
class _HostFormat:
    """A format: the beginning of its texts, and the reader of each part of a `HostState`."""

    name: str
    mark: re.Pattern[str]
    readers: dict[str, Callable[[RawText, _Specified], object]]


def _driver_counters(raw: RawText, given: _Specified) -> Counters:
    """Counters of ``ethtool -S``; only those of ``--all-groups`` name their interface."""
    try:
        return read_ethtool_statistics(raw, interface=given.interface)
    except ParseError:
        if given.interface is not None:
            raise
        return read_ethtool_statistics(raw, interface=UNNAMED_INTERFACE)


_SYSSTAT_BANNER = r"\s*Linux \S+ \([^)\n]*\)[^\n(]*\([0-9]+ CPU\)\s++"
"""First line of every text of sysstat, with the blank lines behind it."""

_AFTER_EMPTY_OBJECTS = r"\s*\[\s*(?:\{\s*\}\s*,\s*)*\{\s*"
"""Begin of the first object with content in a list of ip or tc: a filter leaves empty ones."""

_FORMATS = (
    _HostFormat(
        "sadf",
        re.compile(
            r"\s*\{\s*\"sysstat\"\s*:(?=.*\"file-date\")"
            r"|# hostname;interval;timestamp;"
            r"|[^\s;]+[\t;]-?[0-9]+[\t;](?:[0-9]{4}-[0-9]{2}-[0-9]{2} |[0-9]{9,11}[\t;])",
            re.DOTALL,
        ),
        {
            "cpu": lambda raw, given: read_sadf(raw, cpu_count=given.cpu_count, zone=given.zone),
        },
    ),
    _HostFormat(
        "mpstat",
        re.compile(
            rf"\s*\{{\s*\"sysstat\"\s*:"
            rf"|{_SYSSTAT_BANNER}[^\n]{{0,20}}\bCPU\b[^\n]{{0,80}}(?:%iowait +%irq|intr/s)"
        ),
        {
            "cpu": lambda raw, given: read_mpstat(
                raw, interval_s=given.interval_s, day=given.day, zone=given.zone
            )
        },
    ),
    _HostFormat(
        "sar",
        re.compile(rf"{_SYSSTAT_BANNER}(?![^\n]*\bPID\b|avg-cpu|Device)"),
        {
            "cpu": lambda raw, given: read_sar(raw, day=given.day, zone=given.zone),
        },
    ),
    _HostFormat(
        "ethtool -k",
        re.compile(
            r"\s*Features for \S+:|\s*\[\s*\{\s*\"ifname\"(?=.{0,500}\"active\")", re.DOTALL
        ),
        {"offloads": lambda raw, _: read_ethtool_offloads(raw)},
    ),
    _HostFormat(
        "ethtool -S",
        re.compile(r"\s*(?:NIC statistics:|Standard stats for \S+:)|\s*\[\s*\{\s*\"ifname\""),
        {"counters": _driver_counters},
    ),
    _HostFormat(
        "ethtool",
        re.compile(r"\s*Settings for \S+:"),
        {"link": lambda raw, _: read_ethtool(raw)},
    ),
    _HostFormat(
        "ip link",
        re.compile(rf"{_AFTER_EMPTY_OBJECTS}\"ifindex\""),
        {
            "interfaces": lambda raw, _: read_ip_link(raw),
            "counters": lambda raw, _: read_ip_link_counters(raw),
        },
    ),
    _HostFormat(
        "nstat",
        re.compile(r"\s*\{\s*\"kernel\""),
        {"counters": lambda raw, _: read_nstat(raw)},
    ),
    _HostFormat(
        "/proc/net/dev",
        re.compile(r"\s*Inter-\|"),
        {"counters": lambda raw, _: read_net_dev(raw)},
    ),
    _HostFormat(
        "/proc/net/snmp",
        re.compile(
            r"\s*(?P<group>[A-Z][A-Za-z0-9]*):(?: [A-Za-z][A-Za-z0-9]*)+ *\n(?P=group): -?[0-9]"
        ),
        {"counters": lambda raw, _: read_net_snmp(raw)},
    ),
    _HostFormat(
        "/proc/stat",
        re.compile(r"\s*(?:[0-9.]+\s+)?cpu +[0-9]+ [0-9]+ [0-9]+ [0-9]+"),
        {
            "cpu": lambda raw, _: read_proc_stat_copies(raw),
        },
    ),
)
"""In the order in which they are tried."""

_NOT_READ = (
    (
        re.compile(r" *[0-9]++(?: +[0-9]++){2} +[0-9]{18,20} +[0-9]+ *$", re.MULTILINE),
        "a log of uperf -X, which has single times and no payload: keep the output of uperf -R -a",
    ),
    (
        re.compile(r"\s*(?:<\?xml[^>]*>\s*)?<profile\b"),
        "a profile that uperf runs, not its result: keep the output of uperf -R -a",
    ),
    (
        re.compile(r"\s*OUTPUT_NONE,"),
        "the list of what netperf can print (-k ?), not a result of it",
    ),
    (
        re.compile(r"-+\r?\ntest was performed using the following parameters: --mps="),
        "the log of single messages of sockperf --full-log: keep the standard output of sockperf",
    ),
    (
        re.compile(rf"{_SYSSTAT_BANNER}[^\n]{{0,40}}\bUID +PID\b"),
        "of pidstat, which has CPU time of processes, not of the host: use mpstat -P ALL",
    ),
    (
        re.compile(rf"{_SYSSTAT_BANNER}(?:avg-cpu|Device)"),
        "of iostat, which measures disks: use mpstat -P ALL",
    ),
    (
        re.compile(r"\s*<\?xml[^<]*<!DOCTYPE (?:sysstat|svg) "),
        "XML of sadf -x or -g: write the file with sadf -j",
    ),
    (
        re.compile(r"\s*driver: [^\n]*\nversion:"),
        "of ethtool -i, which shows only the driver: use ethtool, ethtool -k and ethtool -S",
    ),
    (re.compile(r"#[A-Za-z0-9.-]+\nIp"), "text of nstat: write the file with nstat -asz --json"),
    (
        re.compile(r"[0-9]+: \S+: <[A-Z_,]*> mtu "),
        "text of ip link: write the file with ip -j -d -s link",
    ),
    (re.compile(r"qdisc \S+ [0-9a-f]+: "), "text of tc: write the file with tc -j -s qdisc"),
)
"""Files found beside results that are not read: how they begin, and what to use instead."""
