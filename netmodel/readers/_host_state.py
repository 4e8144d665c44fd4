"""CPU time of a host, from any tool, and the files beside results that are known by their begin."""

import re
from datetime import tzinfo

from netmodel.errors import ParseError
from netmodel.readers._document import Source, read_text
from netmodel.readers._host_activity import read_proc_stat, read_sysstat
from netmodel.readers._host_cpu import HostCpu


def read_host_cpu(source: Source, *, zone: tzinfo | None = None) -> HostCpu:
    """
    Read the CPU time that a file shows of a host, from any tool.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the output of mpstat, sadf or sar, or its content, or copies
        of ``/proc/stat``, one after the other; each may stand below a line with its time, as
        ``date +%s.%N`` prints it.
    zone : datetime.tzinfo, optional
        Time zone of the times that mpstat, sar and sadf print, where the file
        does not report it.

    Returns
    -------
    cpu : HostCpu
        With all intervals of the file.

    Raises
    ------
    ParseError
        If the file is of no such format, is cut off, or holds an impossible
        value; the message names the file, and the key or line.

    Examples
    --------
    One CPU, busy for a quarter of the ticks between two copies:

    >>> read_host_cpu(b"cpu 0 0 0 0\\ncpu 50 0 0 150\\n").intervals[0].busy_ratios
    {None: 0.25}
    """
    raw = read_text(source)
    name = recognised_host_state(raw.text)
    if name == "/proc/stat":
        return read_proc_stat(raw)
    if name in _WITH_CPU:
        return read_sysstat(raw, name, zone)
    wanted = f"use {', '.join(_WITH_CPU)} or two copies of /proc/stat in one file"
    problem = unread_kind(raw.text) or f"no CPU time in a known format: {wanted}"
    raise ParseError(raw.source, f"of {name}: no CPU time; {wanted}" if name else problem)


def recognised_host_state(text: str) -> str | None:
    """Name of the format of a text, also where it is damaged further down; None for others."""
    whole = text.removeprefix("\ufeff")
    return next((name for name, mark in _FORMATS.items() if re.match(mark, whole)), None)


def unread_kind(text: str) -> str | None:
    """What a known text is that is not read, and what to use instead; None for other texts."""
    return next((kind for mark, kind in _NOT_READ.items() if re.match(mark, text)), None)


_WITH_CPU = ("mpstat", "sar", "sadf")
_SYSSTAT_BANNER = r"\s*Linux \S+ \([^)\n]*\)[^\n(]*\([0-9]+ CPU\)\s++"
"""First line of every text of sysstat, with the blank lines behind it."""
_FORMATS = {
    "sadf": r"(?s)\s*\{\s*\"sysstat\"\s*:(?=[^\[]*\[[^\[]*\"file-date\")",
    "mpstat": (
        rf"\s*\{{\s*\"sysstat\"\s*:"
        rf"|{_SYSSTAT_BANNER}[^\n]{{0,20}}\bCPU\b[^\n]{{0,80}}(?:%iowait +%irq|intr/s)"
    ),
    "sar": rf"{_SYSSTAT_BANNER}(?![^\n]*\bPID\b|avg-cpu|Device)",
    "ethtool -k": r"(?s)\s*Features for \S+:|\s*\[\s*\{\s*\"ifname\"(?=.{0,500}\"active\")",
    "ethtool -S": r"\s*(?:NIC statistics:|Standard stats for \S+:)|\s*\[\s*\{\s*\"ifname\"",
    "ethtool": r"\s*Settings for \S+:",
    "ethtool -i": r"\s*driver: [^\n]*\nversion:",
    # a filter of ip leaves empty objects
    "ip link": r"\s*\[\s*(?:\{\s*\}\s*,\s*)*\{\s*\"ifindex\"|[0-9]+: \S+: <[A-Z_,]*> mtu ",
    "nstat": r"\s*\{\s*\"kernel\"|#[A-Za-z0-9.-]+\nIp",
    "tc": r"qdisc \S+ [0-9a-f]+: ",
    "/proc/net/dev": r"\s*Inter-\|",
    "/proc/net/snmp": (
        r"\s*(?P<group>[A-Z][A-Za-z0-9]*):(?: [A-Za-z][A-Za-z0-9]*)+ *\n(?P=group): -?[0-9]"
    ),
    "/proc/stat": r"\s*(?:[0-9.]+\s+)?cpu +[0-9]+ [0-9]+ [0-9]+ [0-9]+",
}
"""How the texts of each format begin, in the order in which they are tried."""
_NOT_READ = {
    r"\s*(?:<\?xml[^>]*>\s*)?<profile\b": (
        "a profile that uperf runs, not its result: keep the output of uperf -R -a"
    ),
    r'\s*\{\s*"ntttcp[rs]\b': "JSON of ntttcp: keep its text, or its XML",
    r'\s*\{\s*"test_info"': "JSON of perftest, whose bandwidth has no unit: keep what it prints",
    rf"{_SYSSTAT_BANNER}[^\n]{{0,40}}\bUID +PID\b": (
        "of pidstat, which has CPU time of processes, not of the host: use mpstat -P ALL"
    ),
    rf"{_SYSSTAT_BANNER}(?:avg-cpu|Device)": "of iostat, which measures disks: use mpstat -P ALL",
    r"# hostname;interval;timestamp;|\s*<\?xml[^<]*<!DOCTYPE (?:sysstat|svg) "
    r"|[^\s;]+[\t;]-?[0-9]+[\t;](?:[0-9]{4}-[0-9]{2}-[0-9]{2} |[0-9]{9,11}[\t;])": (
        "another form of sadf: write the file with sadf -j"
    ),
}
"""Files found beside results that are not read: how they begin, and what to use instead."""
