"""Stages of adapters, from the limits that were seen on them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel._grades import Grade
from netmodel._text import span_text
from netmodel.ceilings import frame_time_of_rate_s, wire_time_s
from netmodel.consumption import Side
from netmodel.errors import ContradictionError
from netmodel.framing import tcp_stack
from netmodel.path._path import (
    DIRECTION_AT,
    DIRECTIONS,
    LINE_STAGES,
    NO_TIME,
    ByteLayer,
    Stage,
    Times,
    ValidityRange,
)
from netmodel.path._told import Told, notes_of, timed_one_way, told_times
from netmodel.path._uncertain import Joint
from netmodel.units import format_rate, parse_rate_bps

if TYPE_CHECKING:
    from decimal import Decimal

    from netmodel.records import Adapter, Host
    from netmodel.records._equipment import Observation

__all__ = [
    "ADAPTER_STAGES",
    "LINE_STAGES",
    "adapter_notes",
    "adapter_stages",
    "largest_scatter",
    "line_rate_of",
    "wire_stages",
]

ADAPTER_STAGES = {
    f"{side.value}_adapter_{direction}": way for (side, direction), way in DIRECTION_AT.items()
}
"""Direction on the path of what passes each direction of the adapters, by the name of its stage."""
_DIGITS = 5
_ROUNDING_RATIO = 1e-9


class _Bound(NamedTuple):
    """Most, or with sign -1 least, time of a frame with a payload."""

    sign: int
    payload_bytes: float
    time_s: float

    def allows(self, per_frame_s: float, per_byte_s: float) -> bool:
        excess_s = per_frame_s + per_byte_s * self.payload_bytes - self.time_s
        return self.sign * excess_s <= _ROUNDING_RATIO * self.time_s


def line_rate_of(
    adapters: "Sequence[Adapter]", line_rate_bps: float | None
) -> tuple[float, Grade | None]:
    """
    Rate of the line between adapters, and the grade of its evidence where a record tells it.

    Raises
    ------
    ContradictionError
        If an adapter is slower than the line stated.
    """
    slowest = min(adapters, key=lambda one: one.line_rate_bps, default=None)
    if slowest is None or line_rate_bps is not None:
        stated_bps = math.inf if line_rate_bps is None else line_rate_bps
        if slowest is not None and stated_bps > slowest.line_rate_bps:
            raise ContradictionError(
                f"the line is {format_rate(stated_bps, _DIGITS)}, but {slowest.id} only "
                f"{format_rate(slowest.line_rate_bps, _DIGITS)}"
            )
        return stated_bps, None
    return slowest.line_rate_bps, slowest.line_rate.grade


def wire_stages(line_rate_bps: float, grade: Grade | None = None) -> tuple[Stage, Stage]:
    """
    The two directions of a line.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate. [bit/s]
    grade : Grade, optional
        How good the evidence for it is.

    Returns
    -------
    to_server, to_client : Stage
        Named ``"wire_to_server"`` and ``"wire_to_client"``.

    Raises
    ------
    DomainError
        If the rate is not above zero, or infinite.

    Examples
    --------
    >>> wire_stages(25e9)[0].to_server.per_byte_s
    3.2e-10
    """
    times = Times(per_byte_s=wire_time_s(line_rate_bps, 1))
    to_server, to_client = (
        Stage(
            name=f"wire_{way}",
            byte_layer=ByteLayer.WIRE,
            grades={} if grade is None else {f"{way}.per_byte_s": grade},
            to_server=times if way == "to_server" else NO_TIME,
            to_client=times if way == "to_client" else NO_TIME,
        )
        for way in DIRECTIONS
    )
    return to_server, to_client


def adapter_stages(adapter: "Adapter", side: Side) -> tuple[Stage, Stage]:
    """
    The two directions of an adapter.

    Parameters
    ----------
    adapter : Adapter
        From the catalog, or from a file.
    side : Side
        Whose it is.

    Returns
    -------
    outward, inward : Stage
        As seen from the host: named such as ``"client_adapter_out"``. A
        direction of which only is known that the line was slower takes no time.

    Raises
    ------
    ContradictionError
        If limits that were seen on it cannot be true together.

    Notes
    -----
    Times that the record tells go before limits that were seen in the same
    direction. A limit that was seen at one MTU is a time of each frame there; how it
    divides into a time for the frame and one for each of its bytes is as open
    as limits and rates that were seen at other MTUs leave it, as in
    :func:`netmodel.ceilings.frame_time_segment`; the corners of what they leave
    go together. The value to quote takes the most for the frame.

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 35, for limits of an adapter by direction.

    Examples
    --------
    >>> from netmodel.records import adapter
    >>> _, inward = adapter_stages(adapter("osa-express7s-25gbe"), Side.SERVER)
    >>> inward.name, round(inward.to_server.per_frame_s.values[0] * 1e6, 6)
    ('server_adapter_in', 0.864478)
    """
    outward, inward = (_stage(adapter, side, direction) for direction in ("out", "in"))
    return outward, inward


def adapter_notes(adapters: "Iterable[Adapter]") -> Iterator[str]:
    """What of the times that adapters tell a reader should know, each adapter once."""
    for adapter in dict.fromkeys(adapters):
        told = {
            name: part
            for name, part in adapter.parts.items()
            if name.partition(".")[0] in {"out", "in"}
        }
        yield from notes_of(adapter.id, told)


def largest_scatter(records: "Iterable[Adapter | Host]") -> float | None:
    """Most that runs scatter by from which times of a record come; None where none tells it."""
    ratios = (one.scatter_ratio for one in records)
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def _stage(adapter: "Adapter", side: Side, direction: str) -> Stage:
    stage = Stage(name=f"{side.value}_adapter_{direction}", side=side)
    return timed_one_way(stage, DIRECTION_AT[side, direction], _told(adapter, direction))


def _told(adapter: "Adapter", direction: str) -> Told:
    """Times that the record tells, else what follows from the limits that were seen."""
    times = adapter.out if direction == "out" else adapter.in_
    if times:
        return told_times(times, f"{adapter.id} {direction}")
    found = _times(adapter, direction)
    figures = {name: (parameter, Grade.DERIVED) for name, parameter in found.named}
    return Told(figures, found.validity)


def _times(adapter: "Adapter", direction: str) -> Times:
    """What the limits that streams showed in one direction tell of the times of a frame."""
    from netmodel.records import Relation

    seen = _of_streams(adapter, direction)
    shown = _narrowest(one for one in seen if _is_bounded(one))
    if shown:
        return _found_times(adapter, shown, [one for one in seen if not _is_bounded(one)])
    hidden = sorted(
        {_payload_bytes(one) for one in seen if one.relation is Relation.CENSORED_ABOVE}
    )
    if hidden:
        told = span_text(f"{hidden[0]:.0f} byte", f"{hidden[-1]:.0f} byte")
        elsewhere = (
            f"{adapter.id} {direction} was seen to fill its line with {told} of payload in each "
            "frame; taken as no slower than its line with others"
        )
        return Times(validity=ValidityRange(hidden[0], hidden[-1], elsewhere))
    if adapter.kind == "ethernet":
        return Times()
    elsewhere = f"no limit of {adapter.id} {direction} is known; taken as no slower than its line"
    return Times(validity=ValidityRange(math.inf, math.inf, elsewhere))


def _found_times(
    adapter: "Adapter", shown: "Sequence[Observation]", others: "Sequence[Observation]"
) -> Times:
    """Corners of all times that agree with every limit seen, and with rates that were reached."""
    bounds = [bound for one in (*shown, *others) for bound in _bounds(one, one.interval or ())]
    corners = _corners(bounds)
    of = f"{adapter.id} {shown[0].direction}"
    seen = " and ".join(
        f"{one.value} {one.unit} was seen with {_payload_bytes(one):.0f} byte of payload in each "
        "frame"
        for one in shown
    )
    if not corners:
        raise ContradictionError(
            f"{of}: {seen}, which cannot be together, or with rates that were reached otherwise"
        )
    for one in shown:
        figures = () if one.value is None else (one.value, one.value)
        exactly = [*bounds, *_bounds(one, figures)]
        bounds = exactly if _corners(exactly) else bounds
    printed = sorted(_corners(bounds), reverse=True)
    found = list(dict.fromkeys([*printed, *corners]))
    elsewhere = (
        f"extrapolation: {of} was calibrated there only ({seen}); how its time divides into frames "
        "and bytes is open"
    )
    payloads = [_payload_bytes(one) for one in shown]
    return Times(
        per_frame_s=Joint(tuple(frame_s for frame_s, _ in found), of, len(printed)),
        per_byte_s=Joint(tuple(byte_s for _, byte_s in found), of, len(printed)),
        validity=ValidityRange(min(payloads), max(payloads), elsewhere),
    )


def _bounds(one: "Observation", rates: "Iterable[Decimal]") -> "Iterator[_Bound]":
    """What least and most of its rate tell of the time of its frames."""
    payload_bytes = _payload_bytes(one)
    for sign, rate in zip((1, -1), rates, strict=False):
        if rate.is_finite() and rate > 0:
            yield _Bound(sign, payload_bytes, _frame_time_s(one, rate))


def _corners(bounds: "Sequence[_Bound]") -> list[tuple[float, float]]:
    """Times per frame and per byte where two bounds meet that break no other, from 0 up."""
    # Edges are lines a * per_frame + b * per_byte = c.
    edges = [(1.0, one.payload_bytes, one.time_s) for one in bounds]
    edges += [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    corners = []
    for (a, b, c), (d, e, f) in combinations(dict.fromkeys(edges), 2):
        determinant = a * e - d * b
        if determinant:
            times = (c * e - f * b) / determinant, (a * f - d * c) / determinant
            if min(times) >= 0 and all(one.allows(*times) for one in bounds):
                corners.append(times)
    return corners


def _of_streams(adapter: "Adapter", direction: str) -> "list[Observation]":
    """Rates that streams showed in one direction, at an MTU that is told."""
    from netmodel.records import workload
    from netmodel.records._subjects import QuantityKind

    rates = (QuantityKind.PAYLOAD_RATE, QuantityKind.LINE_RATE)
    seen = [
        one
        for one in adapter.observations
        if one.direction == direction and one.quantity in rates and one.mtu_bytes is not None
    ]
    is_stream = {
        name: name is None or workload(name).is_stream for name in {one.workload for one in seen}
    }
    return [one for one in seen if is_stream[one.workload]]


def _payload_bytes(one: "Observation") -> float:
    """Payload in each frame of the stream that showed it. [byte]"""
    mtu_bytes: Any = one.mtu_bytes
    return float(tcp_stack().payload_bytes(mtu_bytes))


def _frame_time_s(one: "Observation", rate: "Decimal") -> float:
    """Time of its frames at a rate in its unit: of payload, or of all that the line carries. [s]"""
    from netmodel.records._subjects import QuantityKind

    stack, counted_bytes = tcp_stack(), _payload_bytes(one)
    if one.quantity is QuantityKind.LINE_RATE:
        counted_bytes = stack.wire_bytes(stack.packet_bytes(counted_bytes))
    return float(frame_time_of_rate_s(parse_rate_bps(f"{rate} {one.unit}"), counted_bytes))


def _narrowest(observations: "Iterable[Observation]") -> "list[Observation]":
    """The narrowest observation with each payload, the narrowest of all first."""
    found: dict[float, Observation] = {}
    for one in sorted(observations, key=_width):
        found.setdefault(_payload_bytes(one), one)
    return list(found.values())


def _is_bounded(one: "Observation") -> bool:
    return one.interval is not None and all(end.is_finite() for end in one.interval)


def _width(one: "Observation") -> float:
    low, high = one.interval or (0, 0)
    return float((high - low) / high)
