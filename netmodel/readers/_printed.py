"""Figures that tools print, with their line and rounding, and the run that they are of."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, TypeAlias

from netmodel.consumption import Side
from netmodel.errors import ParseError
from netmodel.readers._document import LARGEST, Node, RawText, shown
from netmodel.readers.measurement import CpuUse, Direction, Measurement
from netmodel.results import Result
from netmodel.units import BITS_PER_BYTE, format_rate
from netmodel.units.prefixes import KIBI, KILO

Units: TypeAlias = Mapping[str, float | Mapping[str, float]]
"""Units by the names of groups, or by those that are printed beside a figure."""
NUMBER = r"[0-9]+(?:\.[0-9]+)?"
"""A figure as tools print it, in a regular expression."""
_FIGURE = re.compile(rf"{NUMBER}\Z|[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?\Z")
_COUNT = re.compile(r"[0-9]{1,18}\Z")
MAX_DATAGRAM_BYTES = 65507
"""Largest payload of a UDP datagram over IPv4: 65535 less 20 of IP and 8 of UDP."""
RATE_TOLERANCE_RATIO = 1e-3
"""
Two rates of one result may differ by this beyond their rounding: tools take the time for their own
rate a few ms before or after the time that they print, in runs of some seconds. Where they differ
by more, either may be wrong, and neither is the goodput.
"""
_DISAGREEMENT_DIGITS = 6
"""Digits in which two rates differ visibly that are further apart than the tolerance."""


def prefixed(unit: str, base: float = KILO, factor: float = 1.0) -> dict[str, float]:
    """Return the sizes of a unit with each prefix, and without one."""
    return {f"{x}{unit}": factor * base**power for power, x in enumerate(["", *"KMGTPEZ"])}


SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0}
"""Unit of a time. [s]"""
IPERF_BYTES = prefixed("Bytes", KIBI)
"""Unit of a size in the text of iperf3 and iperf 2. [byte]"""
IPERF_BITS = prefixed("bits") | prefixed("Bytes", KIBI, BITS_PER_BYTE)
"""Unit of their rates, per second: prefixes of bits are decimal, those of bytes binary. [bit]"""
_WIDEST_DATAGRAM_RATIO = 0.01
"""A wider range of the datagram size moves the line-rate limit by more than a check tolerates."""
_USUAL_BYTES = (1000, 1024, 1400, 1428, 1448, 1452, 1460, 1470, 1472, 8192, 8928, 8948, 8952, 8972)
"""Sizes of datagrams: defaults of iperf3 (1460, segments of 1448, 1428, 8948, 8928), iperf 2 (1470)
and nuttcp (1024, 8192), full frames at MTU 1500 and 9000 (1472, 1452, 8972, 8952), round sizes."""
_RECEIVING = re.compile(r"^Receiving (\d{1,5}) byte datagrams", re.MULTILINE)
_SHORTEST_INTERVAL_S = 1e-3
"""Resolution of the times that iperf3 works with: a shorter time divides by noise. [s]"""


@dataclass(slots=True)
class Figure:
    """A printed figure, and half the step of its last digit; not frozen, to be quick to make."""

    value: float
    half_width: float = 0.0

    def times(self, factor: float) -> "Figure":
        """Return the figure in another unit."""
        return Figure(self.value * factor, self.half_width * factor)

    def __add__(self, other: "Figure") -> "Figure":
        return Figure(self.value + other.value, self.half_width + other.half_width)

    def or_finer(self, other: "Figure") -> "Figure":
        """Return the less rounded of two figures for one amount, this one where they disagree."""
        is_finer = abs(self.value - other.value) <= self.half_width > other.half_width
        return other if is_finer else self

    def __sub__(self, other: "Figure") -> "Figure":
        return Figure(self.value - other.value, self.half_width + other.half_width)


@dataclass(slots=True)
class Hit:
    """A line of a known form, with what its groups hold; not frozen, to be quick to make."""

    source: str
    number: int
    line: str
    form: str
    groups: dict[str, str | None]
    units: Units

    def fault(self, problem: str) -> ParseError:
        """Return an error that names the file and this line."""
        return ParseError(self.source, f"line {self.number}: {problem}")

    def has(self, name: str) -> bool:
        """Return whether the line has this part."""
        return self.groups.get(name) is not None

    def text(self, name: str) -> str:
        """Return a part of the line; nothing where it has none."""
        return self.groups.get(name) or ""

    def figure(self, name: str, unit: float | Mapping[str, float] | None = None) -> Figure:
        """Return a figure times its unit, that of the table, or the one that is printed with it."""
        text = self.text(name)
        unit = self.units.get(name, 1.0) if unit is None else unit
        if isinstance(unit, Mapping):
            printed = self.text(f"{name}_unit")
            if printed not in unit:
                known = ", ".join(filter(None, unit))
                raise self.fault(f"unknown unit {shown(printed)}; known are {known}")
            unit = unit[printed]
        if not _FIGURE.match(text):
            raise self.fault(f"{name} must be a number; got {shown(text)}")
        plain = text.replace(",", "")
        if (value := float(plain) * unit) > LARGEST:
            raise self.fault(f"{name} must be from 0 to {LARGEST:g}; got {shown(text)}")
        return Figure(value, half_step(plain) * unit)

    def count(self, name: str) -> int:
        """Return a whole number."""
        if not _COUNT.match(self.text(name)):
            raise self.fault(f"{name} must be a whole number; got {shown(self.text(name))}")
        return int(self.text(name))

    def maybe(self, name: str, unit: float | Mapping[str, float] | None = None) -> Figure | None:
        """Return a figure; None where the line has none."""
        return self.figure(name, unit) if self.has(name) else None

    def whole(self, name: str) -> int | None:
        """Return a whole number; None where the line has none."""
        return self.count(name) if self.has(name) else None

    def duration(self) -> Figure:
        """Return the time of the line, or between its ends; a start of zero is exact. [s]"""
        if not self.has("start"):
            return self.figure("time")
        from_s, to_s = self.figure("start"), self.figure("end")
        return to_s - from_s if from_s.value else to_s

    def known(self) -> dict[str, Any]:
        """Return fields by the names of groups; a size or time of 0 is not known."""
        fields: dict[str, Any] = {}
        for name in filter(self.has, filter(_SET_BY_GROUPS.__contains__, self.groups)):
            if name.endswith("_count"):
                fields[name] = self.count(name)
            elif name.endswith(("_bytes", "_s")):
                value = self.figure(name).value
                fields[name] = (round(value) if name.endswith("_bytes") else value) or None
            else:
                text = self.text(name)
                fields[name] = text.lower() if name == "protocol" else text
        return fields


def half_step(figure: str) -> float:
    """Half a unit of the last digit of a figure as it is printed."""
    exponent = Decimal(figure).as_tuple().exponent
    return 0.5 * 10.0**exponent if isinstance(exponent, int) else 0.0


def payload_rate(place: Hit | Node, payload_bytes: Figure, duration_s: Figure) -> Figure:
    """Payload per second, from figures that were rounded."""
    shortest_s = duration_s.value - duration_s.half_width
    if duration_s.value < _SHORTEST_INTERVAL_S or shortest_s <= 0:
        raise place.fault(f"has no duration: {duration_s.value:.4g} s")
    most_bytes = payload_bytes.value + payload_bytes.half_width
    rate_bps = BITS_PER_BYTE * payload_bytes.value / duration_s.value
    return Figure(rate_bps, BITS_PER_BYTE * most_bytes / shortest_s - rate_bps)


class Run(dict[str, Any]):
    """Fields of a `Measurement` and its parts, by name, while a reader finds them."""

    def __missing__(self, name: str) -> Any:
        return _DEFAULTS[name]

    def measurement(self) -> Measurement:
        """Return the measurement: datagrams that were sent may be lost, and loopback is no line."""
        if self.get("is_loopback"):
            self["segment_bytes"] = None
        if contradiction := self.pop("contradiction", ""):
            self.take_back(contradiction)
            self["cpu"] = ()
        if (self["lost_ratio"] or 0) > 1:
            self.note(f"{self['tool']} counts more datagrams lost than sent")
        is_of_udp = self.get("protocol") == "udp" and self["is_at_sender"]
        if is_of_udp and self["goodput_bps"] is not None:
            why = f"{self['tool']} counts what was sent; over UDP that is not what arrived"
            self.take_back(why)
        values = dict(self)
        for part, kind in _PARTS.items():
            values[part] = kind(**{x: values.pop(x) for x in kind.__slots__ if x in values})
        return Measurement(**values)

    def set_direction(self, *, is_up: bool) -> None:
        """Set the direction: from client to server, or back."""
        self["direction"] = Direction.CLIENT_TO_SERVER if is_up else Direction.SERVER_TO_CLIENT

    def note(self, *notes: str) -> None:
        """Add notes, the most important first."""
        self["notes"] += notes

    def count(self, goodput: Figure, **fields: Any) -> None:
        """Set the goodput, and other fields."""
        self.update(goodput_bps=goodput.value, half_width_bps=goodput.half_width, **fields)

    def arrive(
        self,
        place: Hit | Node,
        payload_bytes: Figure,
        duration_s: Figure,
        printed: Figure | None = None,
    ) -> None:
        """Set the payload: by the less rounded of the printed and the computed rate."""
        self.count(self.finer(place, payload_bytes, duration_s, printed))
        self.update(duration_s=duration_s.value, received_bytes=round(payload_bytes.value))

    def take_back(self, why: str) -> None:
        """Take back what does not count as arrived."""
        self.update(goodput_bps=None, half_width_bps=None, received_bytes=None)
        self.update(layer1_rate_bps=None, why_no_goodput=why)

    def finer(
        self, place: Hit | Node, payload_bytes: Figure, duration_s: Figure, printed: Figure | None
    ) -> Figure:
        """Return the less rounded of two figures for one rate: from bytes and time, as printed."""
        computed = payload_rate(place, payload_bytes, duration_s)
        self.disagree(printed or computed, computed, "its bytes and time give")
        return min(computed, printed or computed, key=lambda figure: figure.half_width)

    def disagree(self, printed: Figure, computed: Figure, counted: str = "its counts give") -> None:
        """Leave no goodput where two rates are more than 0.1 % and their rounding apart."""
        most_bps = RATE_TOLERANCE_RATIO * computed.value + printed.half_width + computed.half_width
        if abs(printed.value - computed.value) > most_bps:
            rates = (format_rate(x.value, _DISAGREEMENT_DIGITS) for x in (printed, computed))
            self["contradiction"] = f"{self['tool']} prints {f', but {counted} '.join(rates)}"

    def name_hosts(self, names: Iterable[str], *, are_both_ends: bool = False) -> None:
        """Set IP version and loopback, from addresses of ends; not from names."""
        self["ip_version"], self["is_loopback"] = _of_hosts(tuple(names), are_both_ends)

    def lose(
        self, payload_bytes: Figure, lost: int, sent: int, *, lost_are_counted: bool = False
    ) -> None:
        """
        Set the lost share and, where it is not printed, the size of the datagrams.

        The size follows from the bytes and the number of datagrams that arrived, or of all where
        the bytes are those that were sent. One datagram more or less may be counted at one end
        alone. There is none where that and the rounding leave more than 1 %. Otherwise it is the
        middle, within defaults of tools and sizes that fill a frame where some are possible.
        """
        self["lost_ratio"] = lost / sent if sent else None
        count = sent if lost_are_counted else sent - lost
        if self["datagram_bytes"] is not None or count < 2 or not payload_bytes.value:
            return
        low = (payload_bytes.value - payload_bytes.half_width) / (count + 1)
        high = (payload_bytes.value + payload_bytes.half_width) / (count - 1)
        middle = round(payload_bytes.value / count)
        if high - low > _WIDEST_DATAGRAM_RATIO * middle or not 0 < middle <= MAX_DATAGRAM_BYTES:
            return
        # the buffer of a server of iperf 2 may be larger than the datagrams
        named = [int(each) for each in _RECEIVING.findall(self["raw_text"])]
        usual = [size for size in named if low <= size <= high][:1]
        usual = usual or [x for x in _USUAL_BYTES if low <= x <= high] or [middle]
        self["datagram_bytes"] = size = max(min(usual), min(middle, max(usual)))
        bounds = f"{low:.1f} to {high:.1f}"
        self.note(f"datagram size {size} byte derived: bytes over datagrams give {bounds}")


_OWN = fields(Measurement)
_PARTS: dict[str, Any] = {x.name: type(x.default) for x in _OWN if isinstance(x.default, Result)}
_DEFAULTS = {x.name: x.default for kind in (Measurement, *_PARTS.values()) for x in fields(kind)}
_SET_BY_GROUPS = _DEFAULTS.keys() - {"error", "part", *_PARTS}
"""Fields that a group of their name sets."""


def started(raw: RawText, tool: str, **fields: Any) -> Run:
    """Return a run with its origin, and fields that are known."""
    return Run(source=raw.source, raw_text=raw.text, sha256=raw.sha256, tool=tool, **fields)


def datagram_size(place: Hit | Node, size_bytes: int, name: str = "") -> int:
    """Return the payload of a UDP datagram, where it is possible; a line does not name it."""
    if not 0 < size_bytes <= MAX_DATAGRAM_BYTES:
        problem = f"must be from 1 to {MAX_DATAGRAM_BYTES} for UDP; got {size_bytes}"
        raise place.fault(f"{name} {problem}".strip())
    return size_bytes


def of_process(percent: float, rate_bps: float, side: Side) -> CpuUse:
    """Return the CPU time of the process of a tool, from per cent of one CPU."""
    return CpuUse(percent / 100, rate_bps, "process", side)


def share_cpu(runs: Sequence[Run], percents: Mapping[Side, float]) -> None:
    """Set the CPU time of a process that the directions of a run share, where both are known."""
    rates_bps = [run["goodput_bps"] for run in runs]
    # iperf3 has 0 for an end that it does not know
    known = {side: percent for side, percent in percents.items() if percent}
    if None in rates_bps or not known:
        return
    cpu = tuple(of_process(percent, sum(rates_bps), side) for side, percent in known.items())
    for run in runs:
        run["cpu"] = cpu
        run.note(*("CPU time is that of both directions together",) * (len(runs) > 1))


@lru_cache(maxsize=256)  # the results of a directory are mostly from a few hosts
def _of_hosts(names: tuple[str, ...], are_both_ends: bool) -> tuple[int | None, bool]:
    """Return IP version of ends by their addresses, and whether they are on loopback."""
    hosts = [address_of(name) for name in names]
    known = [host for host in hosts if host]
    is_one_host = are_both_ends and 1 < len(hosts) == hosts.count(hosts[0])
    is_loopback = is_one_host or all(host.is_loopback for host in known)
    return known[0].version if known else None, len(known) == len(hosts) > 0 and is_loopback


def address_of(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address without its interface; None where it is a name, or masked."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
