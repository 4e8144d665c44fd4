"""Ceilings of one line for one header stack: of full frames, and of messages."""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from netmodel.ceilings._capacity import ByteLayer
from netmodel.ceilings._line_rates import (
    acknowledged_payload_rate_bps,
    frame_rate_fps,
    layer_rate_bps,
)
from netmodel.framing import Part, Stack, tcp_stack
from netmodel.framing.lengths import MAX_PACKET_BYTES, SILENT_BYTES
from netmodel.lazy_numpy import np
from netmodel.numeric import (
    QuantityLike,
    require_above,
    require_at_least,
    require_at_most,
    require_kind,
    require_one,
    require_whole,
)
from netmodel.results import Result, keys_of, short_repr
from netmodel.text import RESULT_DIGITS
from netmodel.units import BITS_PER_BYTE, format_rate

if TYPE_CHECKING:
    import numpy.typing as npt

_STACK = "a Stack, as parse_stack makes it"


@dataclass(frozen=True)
class LineCeiling(Result):
    """
    Ceiling of one direction of an Ethernet line where every packet is full.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate of the line. [bit/s]
    mtu_bytes : int
        Largest packet. [byte]
    stack : Stack
        Headers of each frame.

    Attributes
    ----------
    payload_bytes : float
        Payload of a full frame, a mean where records cut the stream. [byte]
    segment_bytes : int
        Content of a full frame: payload, with the headers of its records. [byte]
    packet_bytes : int
        Innermost packet of a full frame: the MTU, less what blocks leave empty. [byte]
    outer_packet_bytes : int
        Outermost packet of a full frame. [byte]
    wire_bytes : int
        A full frame with preamble, delimiter and gap. [byte]
    overhead_bytes : float
        Everything on the wire that is not payload. [byte]
    efficiency_ratio : float
        Payload per byte on the wire.
    payload_rate_bps : float
        Payload rate of the saturated line. [bit/s]
    frame_rate_fps : float
        Frame rate of the saturated line. [frame/s]

    Examples
    --------
    >>> from netmodel.ceilings import line_ceiling
    >>> ceiling = line_ceiling(25e9, 1500)
    >>> round(ceiling.payload_rate_bps / 1e9, 3), round(ceiling.frame_rate_fps)
    (23.537, 2031860)
    """

    line_rate_bps: float
    mtu_bytes: int
    stack: Stack
    payload_bytes: float = field(init=False)
    segment_bytes: int = field(init=False)
    packet_bytes: int = field(init=False)
    outer_packet_bytes: int = field(init=False)
    wire_bytes: int = field(init=False)
    overhead_bytes: float = field(init=False)
    efficiency_ratio: float = field(init=False)
    payload_rate_bps: float = field(init=False)
    frame_rate_fps: float = field(init=False)

    json_keys = (
        "line_rate_bps mtu_bytes stack payload_bytes overhead_bytes wire_bytes efficiency_ratio "
        "payload_rate_bps frame_rate_fps parts layer_rates_bps=layer_rates"
    )

    def __post_init__(self) -> None:
        self.__dict__.update(_of_frames(self.line_rate_bps, self.mtu_bytes, self.stack))

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return a full frame on the wire, part by part."""
        return self.stack.full_frame_parts(self.mtu_bytes)

    @property
    def layer_rates(self) -> dict[str, float]:
        """
        Return the rate as layers 1 to 4 count it. [bit/s]

        Frames with preamble, delimiter and gap; from destination address to check sequence;
        outermost packets; payload.
        """
        frame_bytes = self.stack.frame_bytes(self.packet_bytes, self.mtu_bytes)
        counted = (self.wire_bytes, frame_bytes, self.outer_packet_bytes, self.payload_bytes)
        rates = (layer_rate_bps(self.line_rate_bps, each, self.wire_bytes) for each in counted)
        return {f"layer{number}": rate for number, rate in enumerate(rates, 1)}

    def counted_bytes(
        self, message_bytes: int | None = None
    ) -> tuple[float, dict[ByteLayer, float]]:
        """
        Return the payload of a full frame, or of a message, and its bytes by layer. [byte]

        They are the arguments of :meth:`Capacity.payload_rates_bps`.
        """
        sizes: tuple[float, ...] = (self.payload_bytes, self.outer_packet_bytes, self.wire_bytes, 1)
        if message_bytes:
            frame_count, *sent_bytes = self.stack.message_totals(message_bytes, self.mtu_bytes)
            sizes = (message_bytes, *sent_bytes, frame_count)
        link_bytes = self.stack.link_header_bytes
        return sizes[0], {x: x.counted_bytes(link_bytes, *sizes) for x in ByteLayer}

    def message(self, message_bytes: int) -> "MessageCeiling":
        """Return what the line carries when each message is sent by itself."""
        message_bytes = require_whole("message_bytes", message_bytes)
        return MessageCeiling(self.line_rate_bps, self.mtu_bytes, self.stack, message_bytes)

    def acknowledged_payload_rate_bps(self, segments_per_ack: float) -> float:
        """
        Return the payload rate of each direction when both are saturated. [bit/s]

        The acknowledgements of the other direction take frames of their own.
        On a half-duplex line it is the rate of one direction alone.
        """
        return acknowledged_payload_rate_bps(
            self.line_rate_bps,
            self.payload_bytes,
            self.wire_bytes,
            self.stack.acknowledgement_wire_bytes(self.mtu_bytes),
            segments_per_ack,
        )

    def __repr__(self) -> str:
        carried = f"payload {format_rate(self.payload_rate_bps, RESULT_DIGITS)}"
        line = f"{format_rate(self.line_rate_bps)} line at MTU {self.mtu_bytes}"
        return short_repr(self, line, carried, f"{self.frame_rate_fps:,.0f} frame/s")


@dataclass(frozen=True, repr=False)
class MessageCeiling(Result):
    """
    Ceiling of one direction of a line in messages of one size, none of which share a frame.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate of the line. [bit/s]
    mtu_bytes : int
        Largest packet. [byte]
    stack : Stack
        Headers of each frame.
    message_bytes : int
        Payload of a message. [byte]

    Examples
    --------
    >>> from netmodel.framing import tcp_stack
    >>> ceiling = MessageCeiling(25e9, 1500, tcp_stack(), 30720)
    >>> ceiling.frame_count, round(ceiling.payload_rate_bps / 1e9, 3)
    (22, 23.486)
    """

    line_rate_bps: float
    mtu_bytes: int
    stack: Stack
    message_bytes: int
    segment_count: int = field(init=False)
    """Segments of a message: fragments of a datagram, packets of an RDMA write."""
    frame_count: int = field(init=False)
    """Frames of a message: its segments, and the CDC message of SMC-R."""
    wire_bytes: int = field(init=False)
    """Frames of a message with preamble, delimiter and gap. [byte]"""
    efficiency_ratio: float = field(init=False)
    """Payload per byte on the wire."""
    payload_rate_bps: float = field(init=False)
    """Payload rate of the saturated line. [bit/s]"""
    message_rate_tps: float = field(init=False)
    """Messages per second of the saturated line. [1/s]"""

    json_keys = (
        "message_bytes message_segment_count=segment_count message_frame_count=frame_count "
        "message_wire_bytes=wire_bytes message_efficiency_ratio=efficiency_ratio "
        "message_payload_rate_bps=payload_rate_bps "
        "message_merged_payload_rate_bps=merged_payload_rate_bps message_rate_tps"
    )

    def __post_init__(self) -> None:
        given = (self.line_rate_bps, self.mtu_bytes, self.stack, self.message_bytes)
        self.__dict__.update(_of_messages(*given))

    @property
    def merged_payload_rate_bps(self) -> float | None:
        """
        Return the payload rate when messages share segments, as writes may. [bit/s]

        None where a message is a unit of its own. A stream of writes runs
        between :attr:`payload_rate_bps` and this, which is the larger of the two
        unless full packets are padded.
        """
        if not self.stack.merges_messages:
            return None
        line = LineCeiling(self.line_rate_bps, self.mtu_bytes, self.stack)
        stream_rate_bps = layer_rate_bps(self.line_rate_bps, line.segment_bytes, line.wire_bytes)
        stream_bytes = self.stack.stream_bytes(self.message_bytes)
        return layer_rate_bps(stream_rate_bps, self.message_bytes, stream_bytes)


def line_ceiling(line_rate_bps: float, mtu_bytes: int, stack: Stack | None = None) -> LineCeiling:
    """
    Return the ceiling of an Ethernet line for one MTU and header stack.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate of the line. [bit/s]
    mtu_bytes : int
        Largest packet, from the IP header to the end of the payload. [byte]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 with timestamps when left out.

    Returns
    -------
    ceiling : LineCeiling
        Payload, overhead by named part, and the rate at each layer.

    Raises
    ------
    DomainError
        If the line rate is not above zero and finite, the MTU is below what
        the stack needs, or a packet or what a tunnel makes of it is above 65535
        bytes.

    References
    ----------
    RFC 6349, section 4.1.1; RFC 5180, appendix A.1.

    Examples
    --------
    >>> ceiling = line_ceiling(25e9, 1500)
    >>> ceiling.payload_bytes, ceiling.overhead_bytes, round(ceiling.payload_rate_bps / 1e9, 3)
    (1448, 90, 23.537)
    """
    stack = tcp_stack() if stack is None else stack
    require_kind("stack", stack, Stack, _STACK)
    line_rate_bps = float(require_one("line_rate_bps", line_rate_bps))
    require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    mtu_bytes = require_whole("mtu_bytes", mtu_bytes)
    require_at_most("mtu_bytes", mtu_bytes, MAX_PACKET_BYTES, "byte")
    return _kept_ceiling(line_rate_bps, mtu_bytes, stack)


@lru_cache  # lines, MTUs and stacks of a directory of runs
def _kept_ceiling(line_rate_bps: float, mtu_bytes: int, stack: Stack) -> LineCeiling:
    """Return the ceiling, kept because one line is asked for again with every run over it."""
    _require_outer(stack, mtu_bytes)
    return LineCeiling(line_rate_bps, mtu_bytes, stack)


def _require_outer(stack: Stack, mtu_bytes: Any) -> None:
    outer_bytes = stack.outer_packet_bytes(mtu_bytes, mtu_bytes)
    require_at_most("outer_packet_bytes", outer_bytes, MAX_PACKET_BYTES, "byte")


def ceiling_columns(
    line_rate_bps: QuantityLike,
    mtu_bytes: QuantityLike,
    stack: Stack,
    message_bytes: QuantityLike | None = None,
) -> "dict[str, npt.NDArray[Any]]":
    """
    Return the ceilings of an Ethernet line for many MTUs or message sizes.

    Parameters
    ----------
    line_rate_bps : float or array_like
        MAC rate of the line. [bit/s]
    mtu_bytes : float or array_like
        Largest packet of the innermost interface. [byte]
    stack : Stack
        Headers of each frame.
    message_bytes : float or array_like, optional
        Also messages of this size, each sent by itself. [byte]

    Returns
    -------
    columns : dict of str to numpy.ndarray
        By the names that :class:`LineCeiling` and :class:`MessageCeiling` give
        them in JSON, each of the broadcast shape of the inputs.

    Raises
    ------
    DomainError
        If the line rate is not above zero, an MTU is below what the stack
        needs, a message has no bytes, or a packet or what a tunnel makes of it
        is above 65535 bytes.

    References
    ----------
    RFC 6349, section 4.1.1.

    Examples
    --------
    >>> from netmodel.framing import tcp_stack
    >>> ceiling_columns(25e9, [1500, 9000], tcp_stack())["payload_bytes"]
    array([1448., 8948.])
    """
    require_kind("stack", stack, Stack, _STACK)
    mtu = require_at_least("mtu_bytes", mtu_bytes, stack.minimum_mtu_bytes, "byte")
    _require_outer(stack, mtu)
    rate = require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    known = {"line_rate_bps": rate, "mtu_bytes": mtu, **_of_frames(rate, mtu, stack)}
    columns: dict[str, Any] = {x: known[x] for x, *_ in keys_of(LineCeiling) if x in known}
    if message_bytes is not None:
        names = ("frame_count", "wire_bytes", "efficiency_ratio", "payload_rate_bps")
        found = _of_messages(rate, mtu, stack, message_bytes)
        columns["message_bytes"] = found["message_bytes"]
        columns |= {f"message_{name}": found[name] for name in names}
    arrays = np.broadcast_arrays(*(np.asarray(column) for column in columns.values()))
    return dict(zip(columns, arrays, strict=True))


def _of_frames(line_rate_bps: Any, mtu_bytes: Any, stack: Stack) -> dict[str, Any]:
    """Return what a line carries in full frames, by the names of :class:`LineCeiling`."""
    segment_bytes, payload_bytes = stack.segment_bytes(mtu_bytes), stack.payload_bytes(mtu_bytes)
    packet_bytes = stack.packet_bytes(segment_bytes)
    wire_bytes = stack.wire_bytes(packet_bytes, mtu_bytes)
    return {
        "payload_bytes": payload_bytes,
        "segment_bytes": segment_bytes,
        "packet_bytes": packet_bytes,
        "outer_packet_bytes": stack.outer_packet_bytes(packet_bytes, mtu_bytes),
        "wire_bytes": wire_bytes,
        "overhead_bytes": wire_bytes - payload_bytes,
        "efficiency_ratio": payload_bytes / wire_bytes,
        "payload_rate_bps": layer_rate_bps(line_rate_bps, payload_bytes, wire_bytes),
        "frame_rate_fps": frame_rate_fps(line_rate_bps, wire_bytes - SILENT_BYTES),
    }


def _of_messages(
    line_rate_bps: Any, mtu_bytes: Any, stack: Stack, message_bytes: Any
) -> dict[str, Any]:
    """Return what a line carries in messages, by the names of :class:`MessageCeiling`."""
    message_bytes = require_at_least("message_bytes", message_bytes, 1, "byte")
    wire_bytes = stack.message_wire_bytes(message_bytes, mtu_bytes)
    payload_rate_bps = layer_rate_bps(line_rate_bps, message_bytes, wire_bytes)
    return {
        "message_bytes": message_bytes,
        "segment_count": stack.message_segment_count(message_bytes, mtu_bytes),
        "frame_count": stack.message_frame_count(message_bytes, mtu_bytes),
        "wire_bytes": wire_bytes,
        "efficiency_ratio": message_bytes / wire_bytes,
        "payload_rate_bps": payload_rate_bps,
        "message_rate_tps": payload_rate_bps / (BITS_PER_BYTE * message_bytes),
    }
