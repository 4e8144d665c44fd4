"""The ceiling of one line for one header stack, with its parts."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

from netmodel.ceilings._line_rates import (
    MAX_PACKET_BYTES,
    acknowledged_payload_rate_bps,
    frame_rate_fps,
    layer_rate_bps,
)
from netmodel.ceilings._messages import MessageCeiling, TransactionCeiling, whole_message_bytes
from netmodel.framing import SILENT_BYTES, Part, Stack, tcp_stack
from netmodel.numeric import (
    require_above,
    require_at_least,
    require_at_most,
    require_kind,
    require_one,
    require_whole,
)
from netmodel.results import Result, short_repr
from netmodel.text import SENTENCE_DIGITS
from netmodel.units import format_rate


@dataclass(frozen=True)
class LayerRates(Result):
    """
    The rate of one saturated line as four layers count it, in bit/s.

    Examples
    --------
    >>> from netmodel.ceilings import line_ceiling
    >>> rates = line_ceiling(25e9, 1500).layer_rates
    >>> round(rates.layer4_bps / 1e9, 3), rates.layer1_bps / 1e9
    (23.537, 25.0)
    """

    layer1_bps: float
    """The line rate: frames with preamble, delimiter and gap."""
    layer2_bps: float
    """Frames from destination address to check sequence."""
    layer3_bps: float
    """Outermost packets."""
    layer4_bps: float
    """Payload."""

    json_keys = "layer1=layer1_bps layer2=layer2_bps layer3=layer3_bps layer4=layer4_bps"


@dataclass(frozen=True)
class LineCeiling(Result):
    """
    What one direction of an Ethernet line carries when every packet is full.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate of the line. [bit/s]
    mtu_bytes : int
        Largest packet. [byte]
    stack : Stack
        Headers of each frame.

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

    json_keys = (
        "line_rate_bps mtu_bytes payload_bytes overhead_bytes wire_bytes efficiency_ratio "
        "payload_rate_bps frame_rate_fps parts layer_rates_bps=layer_rates"
    )

    @cached_property
    def payload_bytes(self) -> float:
        """Payload of a full frame, a mean where records cut the stream. [byte]"""
        return self.stack.payload_bytes(self.mtu_bytes)

    @cached_property
    def segment_bytes(self) -> int:
        """What a full frame carries: payload, with the headers of its records. [byte]"""
        return cast("int", self.stack.segment_bytes(self.mtu_bytes))

    @cached_property
    def packet_bytes(self) -> int:
        """Innermost packet of a full frame: the MTU, less what blocks leave empty. [byte]"""
        return cast("int", self.stack.packet_bytes(self.segment_bytes))

    @cached_property
    def outer_packet_bytes(self) -> int:
        """Outermost packet of a full frame. [byte]"""
        return cast("int", self.stack.outer_packet_bytes(self.packet_bytes, self.mtu_bytes))

    @cached_property
    def wire_bytes(self) -> int:
        """A full frame with preamble, delimiter and gap. [byte]"""
        return cast("int", self.stack.wire_bytes(self.packet_bytes, self.mtu_bytes))

    @property
    def overhead_bytes(self) -> float:
        """Everything on the wire that is not payload. [byte]"""
        return self.wire_bytes - self.payload_bytes

    @property
    def parts(self) -> tuple[Part, ...]:
        """A full frame on the wire, part by part."""
        return self.stack.full_frame_parts(self.mtu_bytes)

    @property
    def efficiency_ratio(self) -> float:
        """Payload per byte on the wire."""
        return self.payload_bytes / self.wire_bytes

    @cached_property
    def payload_rate_bps(self) -> float:
        """Payload rate of the saturated line. [bit/s]"""
        return self._rate_bps(self.payload_bytes)

    @property
    def frame_rate_fps(self) -> float:
        """Frame rate of the saturated line. [frame/s]"""
        return frame_rate_fps(self.line_rate_bps, self.wire_bytes - SILENT_BYTES)

    @property
    def layer_rates(self) -> LayerRates:
        """The rate as layers 1 to 4 count it. [bit/s]"""
        return LayerRates(
            self._rate_bps(self.wire_bytes),
            self._rate_bps(self.wire_bytes - SILENT_BYTES),
            self._rate_bps(self.outer_packet_bytes),
            self.payload_rate_bps,
        )

    def _rate_bps(self, counted_bytes: float) -> float:
        """The rate of the saturated line in this many bytes of each frame. [bit/s]"""
        return layer_rate_bps(self.line_rate_bps, counted_bytes, self.wire_bytes)

    def message(self, message_bytes: int) -> MessageCeiling:
        """What the line carries when each message is sent by itself."""
        return MessageCeiling(self.line_rate_bps, self.mtu_bytes, self.stack, message_bytes)

    def transaction(
        self, request_bytes: int, response_bytes: int, segments_per_ack: int | None = None
    ) -> TransactionCeiling:
        """
        What the line carries in requests and their responses, each sent by itself.

        Every message carries the acknowledgement of the one before, unless it is
        said how many segments one pure acknowledgement answers.
        """
        request_bytes = whole_message_bytes("request_bytes", request_bytes)
        response_bytes = whole_message_bytes("response_bytes", response_bytes)
        return TransactionCeiling(
            self.message(request_bytes), self.message(response_bytes), segments_per_ack
        )

    def acknowledged_payload_rate_bps(self, segments_per_ack: float) -> float:
        """
        Payload rate of each direction when both are saturated. [bit/s]

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
        carried = f"payload {format_rate(self.payload_rate_bps, SENTENCE_DIGITS)}"
        line = f"{format_rate(self.line_rate_bps)} line at MTU {self.mtu_bytes}"
        return short_repr(self, line, carried, f"{self.frame_rate_fps:,.0f} frame/s")


def line_ceiling(line_rate_bps: float, mtu_bytes: int, stack: Stack | None = None) -> LineCeiling:
    """
    Ceiling of an Ethernet line for one MTU and header stack.

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
    require_kind("stack", stack, Stack, "a Stack, as parse_stack makes it")
    line_rate_bps = float(require_one("line_rate_bps", line_rate_bps))
    require_above("line_rate_bps", line_rate_bps, 0, "bit/s")
    return _ceiling(line_rate_bps, require_whole("mtu_bytes", mtu_bytes), stack)


@lru_cache(maxsize=128)  # lines, MTUs and stacks of a directory of runs
def _ceiling(line_rate_bps: float, mtu_bytes: int, stack: Stack) -> LineCeiling:
    """The ceiling, kept because one line is asked for again with every run over it."""
    require_at_least("mtu_bytes", mtu_bytes, stack.minimum_mtu_bytes, "byte")
    require_at_most("mtu_bytes", mtu_bytes, MAX_PACKET_BYTES, "byte")
    outer_packet_bytes = stack.outer_packet_bytes(mtu_bytes, mtu_bytes)
    require_at_most("outer_packet_bytes", outer_packet_bytes, MAX_PACKET_BYTES, "byte")
    return LineCeiling(line_rate_bps, mtu_bytes, stack)
