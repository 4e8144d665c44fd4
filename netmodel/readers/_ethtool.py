"""Adapters as ethtool shows them: link, offloads, and the driver's own counters."""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from netmodel.errors import ParseError
from netmodel.readers._counters import Counters, whole_count
from netmodel.readers._document import Node, RawText, Source, load_json_values, read_text, shown

_SETTINGS = re.compile(r"Settings for (?P<name>\S+):", re.ASCII)
_FEATURES = re.compile(r"Features for (?P<name>\S+):", re.ASCII)
_STANDARD = re.compile(r"Standard stats for (?P<name>\S+):", re.ASCII)
_SPEED = re.compile(r"(?P<mbps>[1-9][0-9]{0,8})Mb/s", re.ASCII)
_STATE = re.compile(r"(?P<state>on|off)(?: \[(?P<note>fixed|requested on|requested off)\])?")
_UNKNOWN = "Unknown!"
_MBPS = 10**6
_YES_NO = {"yes": True, "no": False}
_ON_OFF = {"on": True, "off": False}
_DUPLEX = {"Full": True, "Half": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSettings:
    """
    The link of an interface; None stands for what is not told.

    Parameters
    ----------
    source : str
        File that it was read from.
    raw_text : str
        What was read, whole.
    sha256 : str
        Of the bytes that were read.
    interface : str
        Name of the interface.
    line_rate_bps : float
        Speed of the link. [bit/s]
    is_full_duplex : bool
        Whether both directions can be used at once.
    is_auto_negotiated : bool
        Whether the ends agree on the speed.
    has_link : bool
        Whether the link is up.
    notes : tuple of str
        What a reader of these numbers should know.
    """

    source: str
    raw_text: str = field(default="", repr=False, compare=False)
    sha256: str
    interface: str
    line_rate_bps: float | None = None
    is_full_duplex: bool | None = None
    is_auto_negotiated: bool | None = None
    has_link: bool | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offload:
    """
    One offload of an interface.

    Parameters
    ----------
    is_active : bool
        Whether it is on.
    is_fixed : bool
        Whether it cannot be changed; None for a group of offloads.
    is_requested : bool
        Whether it was asked for; None where that means nothing, for it is fixed
        or a group.
    """

    is_active: bool
    is_fixed: bool | None
    is_requested: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offloads:
    """
    The offloads of an interface.

    Parameters
    ----------
    source : str
        File that they were read from.
    raw_text : str
        What was read, whole.
    sha256 : str
        Of the bytes that were read.
    interface : str
        Name of the interface.
    by_name : mapping of str to Offload
        As ethtool calls them: ``tcp-segmentation-offload`` and others.
    """

    source: str
    raw_text: str = field(default="", repr=False, compare=False)
    sha256: str
    interface: str
    by_name: Mapping[str, Offload]

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", MappingProxyType(dict(self.by_name)))

    def active(self, *names: str) -> tuple[str, ...]:
        """
        Those of some offloads that are on.

        Parameters
        ----------
        *names : str
            Which offloads; those that the interface does not have are off.

        Returns
        -------
        names : tuple of str
            In the order of the question.
        """
        return tuple(n for n in names if n in self.by_name and self.by_name[n].is_active)


def read_ethtool(source: Source) -> LinkSettings:
    """
    Read speed and duplex of a link.

    Parameters
    ----------
    source : path or bytes
        File with the text that ``ethtool INTERFACE`` printed, or its content.

    Returns
    -------
    settings : LinkSettings
        With None and a warning for what is ``Unknown!``, as for virtual
        adapters and links that are down.

    Raises
    ------
    ParseError
        If the file is not that output or holds a value that cannot be; the
        message names the file and the line.

    References
    ----------
    ethtool 6.1: ``common.c``, ``netlink/settings.c``.
    """
    raw = read_text(source)
    name, lines = _headed(raw, _SETTINGS, "ethtool")
    told: dict[str, tuple[int, str]] = {}
    for number, line in lines:
        key, colon, value = line.partition(":")
        if colon and key.strip() not in told:
            told[key.strip()] = (number, value.strip())
    notes: list[str] = []
    return LinkSettings(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        interface=name,
        line_rate_bps=_speed_bps(raw, told, notes),
        is_full_duplex=_choice(raw, told, "Duplex", _DUPLEX, notes),
        is_auto_negotiated=_choice(raw, told, "Auto-negotiation", _ON_OFF, notes),
        has_link=_choice(raw, told, "Link detected", _YES_NO, notes),
        notes=tuple(notes),
    )


def read_ethtool_offloads(source: Source) -> Offloads:
    """
    Read which offloads of an interface are on.

    Parameters
    ----------
    source : path or bytes
        File with the output of ``ethtool -k INTERFACE``, as text or with
        ``--json``, or its content.

    Returns
    -------
    offloads : Offloads
        The same from both forms.

    Raises
    ------
    ParseError
        If the file is not that output or holds a value that cannot be; the
        message names the file and the key or line.

    Notes
    -----
    JSON tells ``fixed: null`` for groups, and ``requested: false`` for what is
    fixed, on or off: neither means anything, and both are None here.

    References
    ----------
    ethtool 6.1: ``netlink/features.c``.
    """
    raw = read_text(source)
    if raw.text.lstrip()[:1] == "[":
        item = _one_object(raw)
        name = item.text("ifname")
        by_name = {key: _json_offload(item.child(key)) for key in item.value if key != "ifname"}
    else:
        name, lines = _headed(raw, _FEATURES, "ethtool -k")
        by_name = _text_offloads(raw, lines)
    if not by_name:
        raise ParseError(raw.source, "shows no offload")
    return Offloads(
        source=raw.source, raw_text=raw.text, sha256=raw.sha256, interface=name, by_name=by_name
    )


def read_ethtool_statistics(source: Source, *, interface: str | None = None) -> Counters:
    """
    Read the counters that a driver keeps.

    Parameters
    ----------
    source : path or bytes
        File with the output of ``ethtool -S INTERFACE``, as text, or with
        ``--all-groups`` as text or ``--json``, or its content.
    interface : str, optional
        Whose counters they are, where the file does not tell: plain ``-S``
        never does.

    Returns
    -------
    counters : Counters
        Named as the driver names them, which differs from driver to driver; a
        counter of a group as in ``eth-mac.FramesTransmittedOK``.

    Raises
    ------
    ParseError
        If the file is not that output, does not tell the interface, or holds a
        value that cannot be; the message names the file and the key or line.

    Notes
    -----
    Names may hold spaces, brackets and colons: the value is what stands behind
    the last colon. A name that a driver uses twice gets a number.

    References
    ----------
    ethtool 6.1: ``ethtool.c`` (do_gstats), ``netlink/stats.c``.
    """
    raw = read_text(source)
    notes: list[str] = []
    if raw.text.lstrip()[:1] == "[":
        item = _one_object(raw)
        name: str | None = item.text("ifname")
        counts = dict(_grouped(item))
    else:
        name, counts = _text_statistics(raw, notes)
    name = name or interface
    if name is None:
        raise ParseError(raw.source, "does not tell the interface: state it")
    if interface not in {None, name}:
        raise ParseError(raw.source, f"is of {shown(name)}, not of {shown(interface)}")
    return Counters(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        tool="ethtool -S",
        counts={name: counts},
        notes=tuple(notes),
    )


def _headed(raw: RawText, heading: re.Pattern[str], tool: str) -> tuple[str, list[tuple[int, str]]]:
    """The interface that the first line names, and the lines below with their numbers."""
    (number, first), *lines = [
        (number, line) for number, line in enumerate(raw.text.splitlines(), 1) if line.strip()
    ]
    match = heading.fullmatch(first.strip())
    if match is None:
        raise ParseError(raw.source, f"not of {tool}: line {number} names no interface")
    again = [number for number, line in lines if heading.fullmatch(line.strip())]
    if again:
        raise ParseError(raw.source, f"line {again[0]} begins another output; keep one in a file")
    return match["name"], lines


def _speed_bps(raw: RawText, told: dict[str, tuple[int, str]], notes: list[str]) -> float | None:
    number, text = told.get("Speed", (0, _UNKNOWN))
    if text.startswith(_UNKNOWN):
        notes.append("the speed of the link is not known to its driver")
        return None
    match = _SPEED.fullmatch(text)
    if match is None:
        raise ParseError(raw.source, f"line {number}: Speed must be in Mb/s; got {shown(text)}")
    return float(int(match["mbps"]) * _MBPS)


def _choice(
    raw: RawText,
    told: dict[str, tuple[int, str]],
    key: str,
    choices: dict[str, bool],
    notes: list[str],
) -> bool | None:
    if key not in told:
        return None
    number, text = told[key]
    if text.startswith(_UNKNOWN):
        notes.append(f"{key.lower()} is not known to the driver")
        return None
    word = text.partition(" ")[0]
    if word not in choices:
        wanted = " or ".join(choices)
        raise ParseError(raw.source, f"line {number}: {key} must be {wanted}; got {shown(text)}")
    return choices[word]


def _one_object(raw: RawText) -> Node:
    values = load_json_values(raw)
    items = Node(raw.source, "", values[0]).items()
    if len(values) > 1 or len(items) != 1:
        raise ParseError(raw.source, "must hold the output for one interface")
    items[0].has("ifname")
    return items[0]


def _json_offload(node: Node) -> Offload:
    is_active, is_fixed, is_requested = (
        _truth(node.child(key)) for key in ("active", "fixed", "requested")
    )
    if is_active is None:
        raise node.child("active").fault("must be true or false; got null")
    return Offload(is_active, is_fixed, None if is_fixed is not False else is_requested)


def _truth(node: Node) -> bool | None:
    if node.value is not None and not isinstance(node.value, bool):
        raise node.fault(f"must be true, false or null; got {shown(node.value)}")
    return node.value


def _text_offloads(raw: RawText, lines: list[tuple[int, str]]) -> dict[str, Offload]:
    found: dict[str, Offload] = {}
    group = ""
    for number, line in lines:
        name, colon, text = (part.strip() for part in line.partition(":"))
        match = _STATE.fullmatch(text)
        if not colon or not name or match is None:
            raise ParseError(
                raw.source, f"line {number} must be an offload and on or off; got {shown(line)}"
            )
        if name in found:
            raise ParseError(raw.source, f"line {number} is {shown(name)} for the second time")
        is_active, note = match["state"] == "on", match["note"]
        if line.startswith("\t"):
            if group:
                found[group] = Offload(found[group].is_active, None, None)
        else:
            group = name
        asked = {"requested on": True, "requested off": False, None: is_active}
        found[name] = Offload(is_active, note == "fixed", asked.get(note))
    return found


def _grouped(item: Node) -> Iterator[tuple[str, int]]:
    """Counters of all groups; histograms with the range of each bucket."""
    for group in item.value:
        if group == "ifname":
            continue
        node = item.child(group)
        node.has("")
        for key in node.value:
            child = node.child(key)
            if not isinstance(child.value, list):
                yield f"{group}.{key}", whole_count(node, key)
                continue
            for bucket in child.items():
                bounds = f"{whole_count(bucket, 'low')}-{whole_count(bucket, 'high')}"
                yield f"{group}.{key}[{bounds}]", whole_count(bucket, "val")


def _text_statistics(raw: RawText, notes: list[str]) -> tuple[str | None, dict[str, int]]:
    lines = [(n, line) for n, line in enumerate(raw.text.splitlines(), 1) if line.strip()]
    number, first = lines[0]
    match = _STANDARD.fullmatch(first.strip())
    if match is None and first.strip() != "NIC statistics:":
        raise ParseError(raw.source, f"not of ethtool -S: line {number} is no heading of it")
    counts: dict[str, int] = {}
    nexts: dict[str, int] = {}
    for number, line in lines[1:]:
        name, _, text = (part.strip() for part in line.rpartition(":"))
        is_count = text.isascii() and text.isdigit() and len(text) <= 20
        if not name or not is_count or int(text) >= 2**64:
            raise ParseError(
                raw.source, f"line {number} must be a counter of 64 bits; got {shown(line)}"
            )
        if name in counts:
            if name not in nexts:
                notes.append(f"the driver has several counters {name}")
            nth = next(
                n for n in itertools.count(nexts.get(name, 2)) if f"{name} ({n})" not in counts
            )
            nexts[name] = nth + 1
            name = f"{name} ({nth})"
        counts[name] = int(text)
    return (match["name"] if match else None), counts
