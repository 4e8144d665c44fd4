"""Adapters as ethtool shows them: link, offloads, and counters of the driver."""

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from netmodel.errors import ParseError
from netmodel.kept import ReadOnly
from netmodel.readers._document import Node, RawText, Source, load_json_document, read_text, shown
from netmodel.readers.counters import Counters, is_64_bit_count, whole_count
from netmodel.units.prefixes import MEGA

_SETTINGS = re.compile(r"Settings for (?P<name>\S+):", re.ASCII)
_FEATURES = re.compile(r"Features for (?P<name>\S+):", re.ASCII)
_STANDARD = re.compile(r"Standard stats for (?P<name>\S+):", re.ASCII)
_SPEED = re.compile(r"(?P<mbps>[1-9][0-9]{0,8})Mb/s", re.ASCII)
_STATE = re.compile(r"(?P<state>on|off)(?: \[(?P<note>fixed|requested on|requested off)\])?")
_UNKNOWN = "Unknown!"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSettings:
    """
    Link of an interface; None stands for what is not reported.

    Parameters
    ----------
    source : str
        File that it was read from.
    raw_text : str
        The whole text of the file.
    sha256 : str
        Of the bytes of the file.
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
        What the driver does not know.
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
        Whether it was requested; None for a fixed one and for a group.
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
        The whole text of the file.
    sha256 : str
        Of the bytes of the file.
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
        object.__setattr__(self, "by_name", ReadOnly(dict(self.by_name)))

    def active(self, *names: str) -> tuple[str, ...]:
        """
        Those of the named offloads that are on.

        Parameters
        ----------
        *names : str
            Names of offloads; one that the interface does not have is off.

        Returns
        -------
        names : tuple of str
            In the order of the arguments.
        """
        return tuple(n for n in names if n in self.by_name and self.by_name[n].is_active)


def read_ethtool(source: Source) -> LinkSettings:
    """
    Speed and duplex of a link from ``ethtool INTERFACE``.

    What is ``Unknown!``, as for virtual adapters and links that are down, is None, with a note.

    References: ethtool 6.1: ``common.c``, ``netlink/settings.c``.
    """
    raw = read_text(source)
    name, lines = _headed(raw, _SETTINGS, "ethtool")
    values: dict[str, tuple[int, str]] = {}
    for number, line in lines:
        key, colon, value = line.partition(":")
        if colon and key.strip() not in values:
            values[key.strip()] = (number, value.strip())
    notes: list[str] = []

    line_rate_bps = None
    number, text = values.get("Speed", (0, _UNKNOWN))
    if text.startswith(_UNKNOWN):
        notes.append("the driver does not know the speed of the link")
    elif match := _SPEED.fullmatch(text):
        line_rate_bps = int(match["mbps"]) * MEGA
    else:
        raise ParseError(raw.source, f"line {number}: Speed must be in Mb/s; got {shown(text)}")

    def choice(key: str, choices: dict[str, bool]) -> bool | None:
        """A setting by its first word; None where it is missing or not known."""
        if key not in values:
            return None
        number, text = values[key]
        if text.startswith(_UNKNOWN):
            notes.append(f"the driver does not know: {key.lower()}")
            return None
        word = text.partition(" ")[0]
        if word not in choices:
            problem = f"{key} must be {' or '.join(choices)}; got {shown(text)}"
            raise ParseError(raw.source, f"line {number}: {problem}")
        return choices[word]

    return LinkSettings(
        source=raw.source,
        raw_text=raw.text,
        sha256=raw.sha256,
        interface=name,
        line_rate_bps=line_rate_bps,
        is_full_duplex=choice("Duplex", {"Full": True, "Half": False}),
        is_auto_negotiated=choice("Auto-negotiation", {"on": True, "off": False}),
        has_link=choice("Link detected", {"yes": True, "no": False}),
        notes=tuple(notes),
    )


def read_ethtool_offloads(source: Source) -> Offloads:
    """
    Offloads of an interface from ``ethtool -k INTERFACE``, as text or with ``--json``.

    JSON has ``fixed: null`` for groups, and ``requested: false`` for what is fixed, on or off:
    both are None here.

    References: ethtool 6.1: ``netlink/features.c``.
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
        raise ParseError(raw.source, "has no offloads")
    return Offloads(
        source=raw.source, raw_text=raw.text, sha256=raw.sha256, interface=name, by_name=by_name
    )


def read_ethtool_statistics(source: Source, *, interface: str | None = None) -> Counters:
    """
    Counters of a driver from ``ethtool -S INTERFACE``, or ``--all-groups`` as text or ``--json``.

    Names differ from driver to driver; a counter of a group is ``eth-mac.FramesTransmittedOK``.
    They may hold spaces, brackets and colons: the value stands behind the last colon. A name that a
    driver uses twice gets a number. Plain ``-S`` does not print the interface.

    References: ethtool 6.1: ``ethtool.c`` (do_gstats), ``netlink/stats.c``.
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
        raise ParseError(raw.source, "does not name the interface: specify it")
    if interface not in {None, name}:
        raise ParseError(raw.source, f"has counters of {shown(name)}, not of {shown(interface)}")
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


def _one_object(raw: RawText) -> Node:
    items = load_json_document(raw, "outputs").items()
    if len(items) != 1:
        raise ParseError(raw.source, "must hold the output for one interface")
    items[0].has("ifname")
    return items[0]


def _json_offload(node: Node) -> Offload:
    """Whether an offload is active, fixed and requested; null leaves the last two open."""
    states = []
    for child in (node.child(key) for key in ("active", "fixed", "requested")):
        if child.value is not None and not isinstance(child.value, bool):
            raise child.fault(f"must be true, false or null; got {shown(child.value)}")
        states.append(child.value)
    is_active, is_fixed, is_requested = states
    if is_active is None:
        raise node.child("active").fault("must be true or false; got null")
    return Offload(is_active, is_fixed, None if is_fixed is not False else is_requested)


def _text_offloads(raw: RawText, lines: list[tuple[int, str]]) -> dict[str, Offload]:
    offloads: dict[str, Offload] = {}
    group = ""
    for number, line in lines:
        name, colon, text = (part.strip() for part in line.partition(":"))
        match = _STATE.fullmatch(text)
        if not colon or not name or match is None:
            raise ParseError(
                raw.source, f"line {number} must be an offload and on or off; got {shown(line)}"
            )
        if name in offloads:
            raise ParseError(raw.source, f"line {number} is a second {shown(name)}")
        is_active, note = match["state"] == "on", match["note"]
        if line[0].isspace():
            if group:
                offloads[group] = Offload(offloads[group].is_active, None, None)
        else:
            group = name
        requested = {"requested on": True, "requested off": False, None: is_active}
        offloads[name] = Offload(is_active, note == "fixed", requested.get(note))
    return offloads


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
        raise ParseError(raw.source, f"not of ethtool -S: line {number} is not a heading of it")
    counts: dict[str, int] = {}
    nexts: dict[str, int] = {}
    for number, line in lines[1:]:
        name, _, text = (part.strip() for part in line.rpartition(":"))
        if not name or not is_64_bit_count(text):
            raise ParseError(
                raw.source, f"line {number} must be a counter of 64 bits; got {shown(line)}"
            )
        if name in counts:
            if name not in nexts:
                notes.append(f"the driver has more than one counter {name}")
            nth = next(
                n for n in itertools.count(nexts.get(name, 2)) if f"{name} ({n})" not in counts
            )
            nexts[name] = nth + 1
            name = f"{name} ({nth})"
        counts[name] = int(text)
    return (match["name"] if match else None), counts
