"""What shows the state of a host: the format is recognised from what a file holds."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import tzinfo

from netmodel.errors import ParseError
from netmodel.readers._counter_change import Counters
from netmodel.readers._document import Source, read_text
from netmodel.readers._ethtool import (
    LinkSettings,
    Offloads,
    read_ethtool,
    read_ethtool_offloads,
    read_ethtool_statistics,
)
from netmodel.readers._host_cpu import HostCpu
from netmodel.readers._ip_link import Interface, read_ip_link
from netmodel.readers._kernel_counters import (
    read_ip_link_counters,
    read_net_dev,
    read_nstat,
    read_softirqs,
    read_tc_qdisc,
)
from netmodel.readers._proc_stat import proc_stat_copies, read_proc_stat_counters
from netmodel.readers._sysstat import read_mpstat, read_sadf, read_sar
from netmodel.readers._sysstat_interfaces import (
    InterfaceRates,
    read_sadf_interfaces,
    read_sar_interfaces,
)
from netmodel.readers._unread import SYSSTAT_BANNER, what_it_is

__all__ = ["HostState", "read_host_state", "recognised_host_state"]

_UNTOLD = "(not told)"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostState:
    """
    What one file shows of a host.

    Parameters
    ----------
    source : str
        File that it was read from.
    raw_text : str
        What was read, whole.
    sha256 : str
        Of the bytes that were read.
    format_name : str
        What printed it, such as ``mpstat``, ``ethtool -k`` or ``/proc/net/dev``.
    cpu : HostCpu
        CPU time and interrupts; None where the file tells nothing of them.
    interface_rates : tuple of InterfaceRates
        What went through the interfaces in each interval.
    interfaces : tuple of Interface
        The interfaces, and what they put around packets.
    link : LinkSettings
        Speed and duplex of one interface; None where the file does not tell.
    offloads : Offloads
        Offloads of one interface; None where the file does not tell.
    counters : Counters
        Counters at one time; None where the file has none.
    warnings : tuple of str
        Why a part of what the format can tell is not here.
    """

    source: str
    raw_text: str = field(default="", repr=False, compare=False)
    sha256: str
    format_name: str
    cpu: HostCpu | None = None
    interface_rates: tuple[InterfaceRates, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    link: LinkSettings | None = None
    offloads: Offloads | None = None
    counters: Counters | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _HostFormat:
    """What a text of this format begins with or holds, and what reads each part of it."""

    name: str
    mark: re.Pattern[str]
    readers: dict[str, Callable[..., object]]
    has_local_times: bool = False


def _queues(source: Source) -> Counters:
    return read_tc_qdisc(source, interface=_UNTOLD)


def _driver_counters(source: Source) -> Counters:
    try:
        return read_ethtool_statistics(source)
    except ParseError:
        return read_ethtool_statistics(source, interface=_UNTOLD)


_FILTERED = r"\s*\[\s*(?:\{\s*\}\s*,\s*)*\{\s*"

_FORMATS = (
    _HostFormat(
        "sadf",
        re.compile(
            r"\s*\{\s*\"sysstat\"\s*:(?=.*\"file-date\")"
            r"|# hostname;interval;timestamp;"
            r"|[^\s;]+[\t;]-?[0-9]+[\t;](?:[0-9]{4}-[0-9]{2}-[0-9]{2} |[0-9]{9,11}[\t;])",
            re.DOTALL,
        ),
        {"cpu": read_sadf, "interface_rates": read_sadf_interfaces},
        has_local_times=True,
    ),
    _HostFormat(
        "mpstat",
        re.compile(
            rf"\s*\{{\s*\"sysstat\"\s*:"
            rf"|{SYSSTAT_BANNER}[^\n]{{0,20}}\bCPU\b[^\n]{{0,80}}(?:%iowait +%irq|intr/s)"
        ),
        {"cpu": read_mpstat},
        has_local_times=True,
    ),
    _HostFormat(
        "sar",
        re.compile(rf"{SYSSTAT_BANNER}(?![^\n]*\bPID\b|avg-cpu|Device)"),
        {"cpu": read_sar, "interface_rates": read_sar_interfaces},
        has_local_times=True,
    ),
    _HostFormat(
        "ethtool -k",
        re.compile(
            r"\s*Features for \S+:|\s*\[\s*\{\s*\"ifname\"(?=.{0,500}\"active\")", re.DOTALL
        ),
        {"offloads": read_ethtool_offloads},
    ),
    _HostFormat(
        "ethtool -S",
        re.compile(r"\s*(?:NIC statistics:|Standard stats for \S+:)|\s*\[\s*\{\s*\"ifname\""),
        {"counters": _driver_counters},
    ),
    _HostFormat("ethtool", re.compile(r"\s*Settings for \S+:"), {"link": read_ethtool}),
    _HostFormat(
        "ip link",
        re.compile(rf"{_FILTERED}\"ifindex\""),
        {"interfaces": read_ip_link, "counters": read_ip_link_counters},
    ),
    _HostFormat("nstat", re.compile(r"\s*\{\s*\"kernel\""), {"counters": read_nstat}),
    _HostFormat("tc qdisc", re.compile(rf"{_FILTERED}\"kind\""), {"counters": _queues}),
    _HostFormat("/proc/net/dev", re.compile(r"\s*Inter-\|"), {"counters": read_net_dev}),
    _HostFormat(
        "/proc/stat",
        re.compile(r"\s*(?:[0-9.]+\s+)?cpu +[0-9]+ [0-9]+ [0-9]+ [0-9]+"),
        {"counters": read_proc_stat_counters, "cpu": proc_stat_copies},
    ),
    _HostFormat(
        "/proc/softirqs",
        re.compile(r"\s*CPU[0-9]+(?: +CPU[0-9]+)* *\n\s*HI:"),
        {"counters": read_softirqs},
    ),
)
"""In the order in which they are tried."""


def recognised_host_state(text: str) -> str | None:
    """
    Tell which format of a host's state a text has.

    Parameters
    ----------
    text : str
        What a file holds.

    Returns
    -------
    name : str or None
        Such as ``mpstat``, ``ethtool -k`` or ``/proc/net/dev``; None for a text
        of no such format. A text that is damaged further down has a name too.

    Examples
    --------
    >>> recognised_host_state("Settings for eth0:")
    'ethtool'
    >>> recognised_host_state("good morning") is None
    True
    """
    known = _known(text)
    return known.name if known else None


def read_host_state(source: Source, *, zone: tzinfo | None = None) -> HostState:
    """
    Read what a file shows of a host, whatever printed it.

    Parameters
    ----------
    source : path, bytes or mapping
        File with the output of mpstat, sadf, sar, ethtool, ``ip -j link``,
        nstat or tc, a copy of ``/proc/net/dev``, ``/proc/stat`` or
        ``/proc/softirqs``, or its content. Two copies of ``/proc/stat``, one
        after the other, tell CPU time; each may stand below a line with its
        time, as ``date +%s.%N`` prints it.
    zone : datetime.tzinfo, optional
        Time zone of the times that mpstat, sar and sadf print, where they do not
        tell it.

    Returns
    -------
    state : HostState
        With what the file tells. Counters of no named interface stand under ``(not told)``: the
        function of the format takes what the user knows.

    Raises
    ------
    ParseError
        If the file is of no such format, is cut off, or holds a value that
        cannot be; the message names the file, and the key or line.

    Examples
    --------
    >>> read_host_state(b"NIC statistics:\\n     rx_drops: 7\\n").format_name
    'ethtool -S'
    """
    raw = read_text(source)
    known = _known(raw.text)
    if known is None:
        names = ", ".join(each.name for each in _FORMATS)
        told = what_it_is(raw.text) or f"not the state of a host that is known: {names}"
        raise ParseError(raw.source, told)
    parts: dict[str, object] = {}
    faults: list[ParseError] = []
    for name, read in known.readers.items():
        try:
            parts[name] = read(raw, zone=zone) if known.has_local_times else read(raw)
        except ParseError as error:
            faults.append(error)
    if not parts:
        raise faults[0]
    state = HostState(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        format_name=known.name,
        warnings=tuple(fault.problem for fault in faults),
    )
    return replace(state, **parts)  # type: ignore[arg-type]


def _known(text: str) -> _HostFormat | None:
    whole = text.removeprefix("\ufeff")
    return next((known for known in _FORMATS if known.mark.match(whole)), None)
