"""State of a host, from any tool: the format is recognised from the content."""

import re
from dataclasses import dataclass, replace
from datetime import date, tzinfo

from netmodel.errors import ParseError
from netmodel.readers._document import Source, read_text
from netmodel.readers._host_activity import read_proc_stat, read_sysstat
from netmodel.readers._host_cpu import HostCpu
from netmodel.readers.interfaces import Interface, read_ip_link
from netmodel.results import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class HostState(Result):
    """
    What one file shows of a host.

    Parameters
    ----------
    source : str
        File that it was read from.
    sha256 : str
        Of the bytes of the file.
    format_name : str
        What printed it, such as ``mpstat`` or ``ip link``.
    cpu : HostCpu
        CPU time; None where the file has none.
    interfaces : tuple of Interface
        The interfaces, and the headers that they add to packets.

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
    sha256: str
    format_name: str
    cpu: HostCpu | None = None
    interfaces: tuple[Interface, ...] = ()


def read_host_state(
    source: Source,
    *,
    zone: tzinfo | None = None,
    day: date | None = None,
    interval_s: float | None = None,
) -> HostState:
    """
    Read the CPU time or the interfaces that a file shows of a host, from any tool.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the output of mpstat, sadf, sar or ``ip -j -d link``, or its content, or copies
        of ``/proc/stat``, one after the other; each may stand below a line with its time, as
        ``date +%s.%N`` prints it.
    zone : datetime.tzinfo, optional
        Time zone of the times that mpstat, sar and sadf print, where the file
        does not report it.
    day : datetime.date, optional
        Day on which a record of mpstat or sar began, where the file has the date
        in the form of a locale.
    interval_s : float, optional
        Length of each interval of mpstat; its JSON does not report the length
        of a single one. [s]

    Returns
    -------
    state : HostState
        With what the file has.

    Raises
    ------
    ParseError
        If the file is of no such format, is cut off, or holds an impossible
        value; the message names the file, and the key or line.

    Examples
    --------
    One CPU, busy for a quarter of the ticks between two copies:

    >>> read_host_state(b"cpu 0 0 0 0\\ncpu 50 0 0 150\\n").cpu.intervals[0].busy_ratios
    {None: 0.25}
    """
    raw = read_text(source)
    name = recognised_host_state(raw.text)
    state = HostState(source=raw.source, sha256=raw.sha256, format_name=name or "")
    if name == "ip link":
        return replace(state, interfaces=read_ip_link(raw))
    if name == "/proc/stat":
        return replace(state, cpu=read_proc_stat(raw))
    if name in {"mpstat", "sar", "sadf"}:
        cpu = read_sysstat(raw, name, day=day, zone=zone, interval_s=interval_s)
        return replace(state, cpu=cpu)
    if name is not None:
        raise ParseError(raw.source, f"of {name}, which shows neither CPU time nor interfaces")
    known = ", ".join(_FORMATS)
    problem = unread_kind(raw.text) or f"not the state of a host in a known format: {known}"
    raise ParseError(raw.source, problem)


def recognised_host_state(text: str) -> str | None:
    """Name of the format of a text, also where it is damaged further down; None for others."""
    whole = text.removeprefix("\ufeff")
    return next((name for name, mark in _FORMATS.items() if mark.match(whole)), None)


def unread_kind(text: str) -> str | None:
    """What a known text is that is not read, and what to use instead; None for other texts."""
    return next(
        (kind for mark, kind in _NOT_READ.items() if re.match(mark, text, re.MULTILINE)), None
    )


_SYSSTAT_BANNER = r"\s*Linux \S+ \([^)\n]*\)[^\n(]*\([0-9]+ CPU\)\s++"
"""First line of every text of sysstat, with the blank lines behind it."""
_FORMATS = {
    "sadf": re.compile(
        r"\s*\{\s*\"sysstat\"\s*:(?=[^\[]*\[[^\[]*\"file-date\")"
        r"|# hostname;interval;timestamp;"
        r"|[^\s;]+[\t;]-?[0-9]+[\t;](?:[0-9]{4}-[0-9]{2}-[0-9]{2} |[0-9]{9,11}[\t;])",
        re.DOTALL,
    ),
    "mpstat": re.compile(
        rf"\s*\{{\s*\"sysstat\"\s*:"
        rf"|{_SYSSTAT_BANNER}[^\n]{{0,20}}\bCPU\b[^\n]{{0,80}}(?:%iowait +%irq|intr/s)"
    ),
    "sar": re.compile(rf"{_SYSSTAT_BANNER}(?![^\n]*\bPID\b|avg-cpu|Device)"),
    "ethtool -k": re.compile(
        r"\s*Features for \S+:|\s*\[\s*\{\s*\"ifname\"(?=.{0,500}\"active\")", re.DOTALL
    ),
    "ethtool -S": re.compile(
        r"\s*(?:NIC statistics:|Standard stats for \S+:)|\s*\[\s*\{\s*\"ifname\""
    ),
    "ethtool": re.compile(r"\s*Settings for \S+:"),
    # a filter of ip leaves empty objects
    "ip link": re.compile(r"\s*\[\s*(?:\{\s*\}\s*,\s*)*\{\s*\"ifindex\""),
    "nstat": re.compile(r"\s*\{\s*\"kernel\""),
    "/proc/net/dev": re.compile(r"\s*Inter-\|"),
    "/proc/net/snmp": re.compile(
        r"\s*(?P<group>[A-Z][A-Za-z0-9]*):(?: [A-Za-z][A-Za-z0-9]*)+ *\n(?P=group): -?[0-9]"
    ),
    "/proc/stat": re.compile(r"\s*(?:[0-9.]+\s+)?cpu +[0-9]+ [0-9]+ [0-9]+ [0-9]+"),
}
"""How the texts of each format begin, in the order in which they are tried."""

_PIDSTAT = rf"{_SYSSTAT_BANNER}[^\n]{{0,40}}\bUID +PID\b"
_UPERF_PROFILE = r"\s*(?:<\?xml[^>]*>\s*)?<profile\b"
_SOCKPERF_LOG = r"-+\r?\ntest was performed using the following parameters: --mps="
_NOT_READ = {
    r" *[0-9]++(?: +[0-9]++){2} +[0-9]{18,20} +[0-9]+ *$": (
        "a log of uperf -X, which has single times and no payload: keep the output of uperf -R -a"
    ),
    _UPERF_PROFILE: ("a profile that uperf runs, not its result: keep the output of uperf -R -a"),
    r'\s*\{\s*"ntttcp[rs]\b': "JSON of ntttcp: keep its text, or its XML",
    r"\s*OUTPUT_NONE,": "the list of what netperf can print (-k ?), not a result of it",
    _SOCKPERF_LOG: (
        "the log of single messages of sockperf --full-log: keep the standard output of sockperf"
    ),
    _PIDSTAT: ("of pidstat, which has CPU time of processes, not of the host: use mpstat -P ALL"),
    rf"{_SYSSTAT_BANNER}(?:avg-cpu|Device)": "of iostat, which measures disks: use mpstat -P ALL",
    r"\s*<\?xml[^<]*<!DOCTYPE (?:sysstat|svg) ": (
        "XML of sadf -x or -g: write the file with sadf -j"
    ),
    r"\s*driver: [^\n]*\nversion:": "of ethtool -i, which shows only the driver",
    r"#[A-Za-z0-9.-]+\nIp": "text of nstat, which shows neither CPU time nor interfaces",
    r"[0-9]+: \S+: <[A-Z_,]*> mtu ": "text of ip link: write the file with ip -j -d link",
    r"qdisc \S+ [0-9a-f]+: ": "text of tc, which shows neither CPU time nor interfaces",
}
"""Files found beside results that are not read: how they begin, and what to use instead."""
