"""Limits of a run, and the line, path and hosts that the user specifies for it."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from netmodel.ceilings import Capacity, LineCeiling, line_ceiling
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.framing import Stack, parse_stack, tcp_stack, udp_stack
from netmodel.framing.presets import LINK_MTU_BYTES, PRESETS
from netmodel.framing.stack import mtu_of_rdma
from netmodel.numeric import require_above, require_at_most, require_one
from netmodel.predicted_text import rate_text
from netmodel.readers import Direction, Measurement
from netmodel.results import fields_repr
from netmodel.transport import MAX_WINDOW_BYTES
from netmodel.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from netmodel.path import SpecifiedPath


USUAL_MTUS_BYTES = (LINK_MTU_BYTES, 9000)
"""MTUs of Ethernet without and with jumbo frames."""
STANDARD_RATES_BPS = (1e7, 1e8, 1e9, 2.5e9, 5e9, 1e10, 2.5e10, 4e10, 5e10, 1e11, 2e11, 4e11, 8e11)
"""MAC rates of Ethernet (IEEE 802.3). [bit/s]"""
OF_CPUS = ("client_cpus", "server_cpus", "client_process", "server_process")
"""Names of limits that busy CPUs set."""
REPORTED_LIMITS = ("segment_size", "offered_rate", "window", "loss", *OF_CPUS)
"""Names of limits that a run may report about itself."""


@dataclass(frozen=True)
class SpecifiedLine:
    """
    Line as specified by the user; None leaves it to the measurement.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate. [bit/s]
    mtu_bytes : int, optional
        Largest packet. [byte]
    ip_version : int, optional
        4 or 6.
    transport : str, optional
        ``tcp`` or ``udp``.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option.
    vlan_tags : int
        802.1Q tags in each frame.
    stack : Stack, optional
        All headers, instead of the four before.
    message_bytes : int, optional
        Payload of each datagram or RDMA message, and of each write over a path.
        [byte]
    rdma_mtu_bytes : int, optional
        Payload of a full RDMA packet, where the queue pairs use less than
        the MTU leaves: 256, 512, 1024, 2048 or 4096. [byte]
    path : SpecifiedPath, optional
        Adapters, hosts and links between the applications.
    round_trip_s : float, optional
        Round-trip time of the loaded path, instead of its distance and that of the run. [s]
    window_bytes : float, optional
        Receive window of each connection, instead of that of the run. [byte]
    assumed_transport : str, optional
        Transport of runs that do not report theirs; others keep their own.
    capacities : tuple of Capacity
        Rates that a shaper, a policer or a contract allows.
    connection_count : int, optional
        Connections of runs that do not report theirs.
    has_line : bool
        False where capacities alone are specified: the line itself is then no limit.

    Raises
    ------
    DomainError
        If such a line cannot exist.

    Examples
    --------
    >>> line = SpecifiedLine(line_rate_bps=25e9, mtu_bytes=9000)
    >>> line.line_rate_bps, line.mtu_bytes
    (25000000000.0, 9000)
    """

    line_rate_bps: float
    mtu_bytes: int | None = None
    ip_version: int | None = None
    transport: str | None = None
    timestamps: bool | None = None
    vlan_tags: int = 0
    stack: Stack | None = None
    message_bytes: int | None = None
    path: "SpecifiedPath | None" = None
    round_trip_s: float | None = None
    assumed_transport: str | None = None
    capacities: tuple[Capacity, ...] = ()
    window_bytes: float | None = None
    has_line: bool = True
    rdma_mtu_bytes: int | None = None
    connection_count: int | None = None

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        for name in ("mtu_bytes", "window_bytes", "message_bytes", "round_trip_s"):
            if (value := getattr(self, name)) is not None:
                unit = "byte" if name.endswith("_bytes") else "s"
                require_above(name, require_one(name, value), 0, unit)
        if self.window_bytes is not None:
            require_at_most("window_bytes", self.window_bytes, MAX_WINDOW_BYTES, "byte")
        if self.rdma_mtu_bytes is not None:
            mtu_of_rdma(self.rdma_mtu_bytes, self.mtu_bytes, self.stack)
        for transport in (self.transport, self.assumed_transport):
            if transport not in (None, "tcp", "udp"):
                raise DomainError(f"transport must be tcp or udp; got {transport!r}")
        if self.transport == "udp" and self.timestamps is not None:
            raise DomainError("timestamps are an option of TCP; the transport is udp")
        if self.stack is not None:
            parts = (self.ip_version, self.transport, self.timestamps, self.vlan_tags or None)
            if any(part is not None for part in parts):
                raise DomainError("specify the headers by a stack or one by one, not both")
            on_link, over_ip = {"rocev1", "infiniband", None}, {"tcp", "udp", "rocev2"}
            if self.specified_transport not in (over_ip if self.specified_ip_version else on_link):
                needed = "tcp or udp over IP, rocev1, rocev2 or infiniband as the innermost layers"
                raise DomainError(f"a run needs {needed}; got {self.stack}")
        stack = self.headers(self.transport, self.timestamps is not False)
        line_ceiling(self.line_rate_bps, self.mtu_bytes or stack.minimum_mtu_bytes, stack)

    def headers(
        self, transport: str | None, timestamps: bool = True, ip_version: int | None = None
    ) -> Stack:
        """Return the specified headers, or those of TCP or UDP with what is specified of them."""
        if self.whole_stack is not None:
            return self.whole_stack
        version = self.ip_version or ip_version or 4  # host names are rarely those of IPv6
        if self.stack is not None:
            inner = "udp" if transport == "udp" else "tcp" + "+timestamps" * timestamps
            return parse_stack(f"{self.stack.preset}/ipv{version}/{inner}")
        if transport == "udp":
            return udp_stack(ip_version=version, vlan_tags=self.vlan_tags)
        return tcp_stack(ip_version=version, timestamps=timestamps, vlan_tags=self.vlan_tags)

    @classmethod
    def over(
        cls, path: "SpecifiedPath | None", line_rate_bps: float | None, **others: Any
    ) -> Self | None:
        """
        Return the line of a path, from what the user specified of both.

        Parameters
        ----------
        path : SpecifiedPath or None
            Adapters, hosts and links between the applications.
        line_rate_bps : float or None
            MAC rate; None takes that of the path's link or slower adapter. Without
            one, a capacity of the user or of an adapter is enough. [bit/s]
        **others : optional
            As in the class; None leaves one out.

        Returns
        -------
        line : SpecifiedLine or None
            Over that path; None if neither the user nor the path gives a line rate, nor a
            capacity.
        """
        if line_rate_bps is None and path is not None:
            line_rate_bps = path.own_line_rate_bps
        has_line = line_rate_bps is not None
        if not has_line:
            known = others.get("capacities") or ()
            recorded = path.loading_capacities(Side.CLIENT, Side.CLIENT) if path else ()
            line_rate_bps = next((each.rate_bps for each in (*known, *recorded)), None)
        if line_rate_bps is None:
            return None
        given = {name: value for name, value in others.items() if value is not None}
        return cls(line_rate_bps, path=path, has_line=has_line, **given)

    @cached_property
    def path_over_it(self) -> "SpecifiedPath | None":
        """
        The path with this line and round trip, composed once and without capacities for its runs.

        Its links stay where the line rate is that of its adapters.
        """
        if self.path is None:
            return None
        from netmodel.path.stages import Distance

        path = replace(self.path, distance=Distance(round_trip_s=self.round_trip_s))
        if self.line_rate_bps != path.adapters_line_rate_bps:
            path = replace(path, line_rate_bps=self.line_rate_bps)
        return replace(path, capacities=self.capacities, has_capacities=False)

    @cached_property
    def cases(self) -> dict[Hashable, tuple["RunLimits", ...]]:
        """Limits by the line alone of runs judged before, by protocol, IP version and traffic."""
        return {}

    @cached_property
    def own_round_trips_s(self) -> tuple[float, float, float]:
        """Lowest, best and highest round trip that is specified, else of the path, else 0. [s]"""
        if self.round_trip_s or self.path_over_it is None:
            return (self.round_trip_s or 0.0,) * 3
        from netmodel.path.over_distance import round_trips_s

        return round_trips_s(self.path_over_it.path())

    def round_trips_s(self, run: Measurement) -> tuple[float, float, float]:
        """Return those of a run: as specified, else as it reports them, else of the path. [s]"""
        mean_s = run.tcp.round_trip_s
        if self.round_trip_s or not mean_s:
            return self.own_round_trips_s
        return min(run.tcp.least_round_trip_s or mean_s, mean_s), mean_s, mean_s

    def capacities_of(self, run: Measurement) -> tuple[Capacity, ...]:
        """Return the capacities that limit this direction of a run, with those of its adapters."""
        path = self.path_over_it
        return path.loading_capacities(*sides_of(run)) if path else self.capacities

    @property
    def whole_stack(self) -> Stack | None:
        """The stack; None of a preset alone, which leaves the innermost headers to the run."""
        return self.stack if self.stack and self.stack.preset not in PRESETS else None

    @property
    def specified_transport(self) -> str | None:
        """Transport, of the stack or as specified by itself."""
        return self.whole_stack.protocols[-1] if self.whole_stack else self.transport

    @property
    def specified_ip_version(self) -> int | None:
        """IP version of the innermost packet, of the stack or as specified by itself."""
        if self.whole_stack is None:
            return self.ip_version
        inner = next((x.protocol for x in self.whole_stack.inner_layers), "")
        return {"ipv4": 4, "ipv6": 6}.get(inner)

    def transport_of(self, run: Measurement) -> str | None:
        """Return the transport of a run: as specified or reported, else assumed, else usual."""
        usual = "tcp" if self.stack and run.tool != "rate" else None
        return self.specified_transport or run.protocol or self.assumed_transport or usual


@dataclass(frozen=True, slots=True)
class Limit:
    """
    An upper bound of the rate of a run, by name.

    Parameters
    ----------
    name : str
        ``"wire"``, or the stage or part that limits.
    value_bps : float
        Best value of the rate. [bit/s]
    low_bps, high_bps : float, optional
        Ends of its range; both the value when left out. [bit/s]
    carrier : str
        What has this limit, in words; the part of the path when left out.
    """

    name: str
    value_bps: float
    low_bps: float | None = None
    high_bps: float | None = None
    carrier: str = ""

    @property
    def is_cap(self) -> bool:
        """True if a shaper, a policer or a contract sets it."""
        return self.name.startswith(("rate_cap", "capacity"))

    @property
    def bounds_bps(self) -> tuple[float, float]:
        """Lowest and highest value. [bit/s]"""
        low_bps = self.value_bps if self.low_bps is None else self.low_bps
        return low_bps, self.value_bps if self.high_bps is None else self.high_bps


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLimits:
    """
    All known limits of a run.

    Parameters
    ----------
    line : SpecifiedLine
        As specified by the user.
    specified : tuple of Limit
        Specified by the user: the wire first, then the path and a rate cap. Only
        these make a verdict.
    reported : tuple of Limit
        Reported by the run about itself: segment size, offered rate, window,
        loss and busy CPUs. They explain a result and never make it pass.
    ceiling : LineCeiling
        The line with the headers and MTU that the limits rest on; None where
        frames are judged, or where more than one case is possible.
    transport : str
        Innermost protocol that the limits rest on; None where frames are
        judged, or where it is not known.
    message_bytes : int, optional
        Payload of each datagram or RDMA message that the limits rest on. [byte]
    notes : tuple of str
        What was taken from the run, and contradictions.
    frame_wire_bytes : float
        Mean length of a frame on the wire, where frames are judged instead of
        payload: the limits are then rates of all bits on the wire. [byte]
    unknown : tuple of str
        What to specify so that one case is left: until then the limits are
        ranges over all cases.
    exceeds_mtu : bool
        Whether the run reports segments larger than the specified MTU carries.
    fastest_bps : float
        Rate of the fastest of several repeats, whose mean is judged. [bit/s]
    smallest : Limit
        The smallest specified limit, which follows from them.
    bounds_bps : tuple of float
        Lowest and highest value of the smallest specified limit. [bit/s]
    """

    line: SpecifiedLine = field(compare=False)
    specified: tuple[Limit, ...]
    reported: tuple[Limit, ...] = ()
    ceiling: LineCeiling | None = None
    transport: str | None = None
    message_bytes: int | None = None
    notes: tuple[str, ...] = ()
    frame_wire_bytes: float | None = None
    unknown: tuple[str, ...] = ()
    exceeds_mtu: bool = False
    fastest_bps: float = 0.0
    smallest: Limit = field(init=False, compare=False)
    bounds_bps: tuple[float, float] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        lows_bps, highs_bps = zip(*(limit.bounds_bps for limit in self.specified), strict=True)
        object.__setattr__(self, "smallest", min(self.specified, key=lambda x: x.value_bps))
        object.__setattr__(self, "bounds_bps", (min(lows_bps), min(highs_bps)))

    @property
    def limits(self) -> tuple[Limit, ...]:
        """All limits, the specified ones first."""
        return self.specified + self.reported

    def named(self, name: str) -> Limit | None:
        """Return the limit that the run reports by this name; None where there is none."""
        return next((limit for limit in self.reported if limit.name == name), None)

    @property
    def frame_bits(self) -> float | None:
        """Bits of a frame on the wire, where frames are judged and not payload."""
        return None if self.frame_wire_bytes is None else self.frame_wire_bytes * BITS_PER_BYTE

    def in_unit(self, **rates_bps: float | None) -> dict[str, float]:
        """Return known rates in the unit of the judged rate, by names that end in it."""
        suffix, divisor = ("fps", self.frame_bits) if self.frame_bits else ("bps", 1.0)
        return {f"{name}_{suffix}": x / divisor for name, x in rates_bps.items() if x is not None}

    def rate_text(self, rate_bps: float) -> str:
        """Return a rate in the unit of the judged rate: bits or frames per second."""
        if self.frame_bits is None:
            return rate_text(rate_bps)
        return f"{rate_bps / self.frame_bits:,.0f} frames/s"

    def segment_bytes(self, run: Measurement) -> float | None:
        """Segment of a run as it reports it, else as the line has it. [byte]"""
        own_bytes = run.traffic.segment_bytes
        return self.ceiling.segment_bytes if own_bytes is None and self.ceiling else own_bytes

    def measured_bps(self, run: Measurement) -> float | None:
        """Return the rate of a run that is judged: its goodput, or all bits of frames. [bit/s]"""
        return run.goodput_bps if self.frame_wire_bytes is None else run.counted.layer1_rate_bps

    @property
    def mtu_bytes(self) -> int | None:
        """MTU that the limits rest on. [byte]"""
        return self.ceiling.mtu_bytes if self.ceiling else None

    @property
    def is_of_the_line(self) -> bool:
        """True if the line itself sets the smallest specified limit."""
        return self.smallest.name == "wire"


def over_all_cases(cases: Sequence[RunLimits]) -> RunLimits:
    """
    Return the limits of a run with several possible cases, each as a range over the cases.

    Cases are the possible MTUs, transports and datagram sizes. The result has the limits that all
    cases have, each from the lowest to the highest. A limit that some cases lack lowers the lower
    end of the range and never its upper end.
    """
    first, *others = cases
    if not others:
        return first
    wire, *widest = shared_limits([case.specified for case in cases], max)
    return replace(
        first,
        specified=(replace(wire, low_bps=min(min(x.bounds_bps) for x in cases)), *widest),
        ceiling=None,
        transport=first.transport if len({case.transport for case in cases}) == 1 else None,
        notes=tuple(dict.fromkeys(text for case in cases for text in case.notes)),
    )


def shared_limits(
    rows: Sequence[tuple[Limit, ...]], value_of: Callable[[Iterable[float]], float]
) -> list[Limit]:
    """Return the limits that all rows have: of those that differ a value, and their whole range."""
    named, *others = ({limit.name: limit for limit in row} for row in rows)
    shared = []
    for name, first in named.items():
        if all(name in each for each in others):
            same = [first, *(each[name] for each in others)]
            lows_bps, highs_bps = zip(*(limit.bounds_bps for limit in same), strict=True)
            is_one = {limit.carrier for limit in same} == {first.carrier}
            carrier = first.carrier if is_one else f"the {name} of the repeats, on average,"
            ends_bps = value_of(x.value_bps for x in same), min(lows_bps), max(highs_bps)
            shared.append(first if {*same} == {first} else Limit(name, *ends_bps, carrier))
    return shared


def sides_of(run: Measurement) -> tuple[Side, Side]:
    """Return the side that sends more in a run, and the side that sends what is judged."""
    source = Side.SERVER if run.direction is Direction.SERVER_TO_CLIENT else Side.CLIENT
    return (Side.CLIENT if run.is_bidirectional else source), source
