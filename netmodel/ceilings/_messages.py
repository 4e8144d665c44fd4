"""The ceiling of one line for messages, in one direction or as requests and responses."""

from dataclasses import dataclass
from typing import cast

from netmodel.ceilings._line_rates import (
    full_duplex_transaction_rate_tps,
    half_duplex_transaction_rate_tps,
    layer_rate_bps,
)
from netmodel.framing import Stack
from netmodel.numeric import ceil, require_at_least, require_whole
from netmodel.results import Result
from netmodel.units import BITS_PER_BYTE


@dataclass(frozen=True)
class MessageCeiling(Result):
    """
    What one direction of a line carries in messages of one size, none of which share a frame.

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

    json_keys = (
        "message_bytes message_segment_count=segment_count message_frame_count=frame_count "
        "message_padding_bytes=padding_bytes message_wire_bytes=wire_bytes "
        "message_efficiency_ratio=efficiency_ratio message_payload_rate_bps=payload_rate_bps "
        "message_merged_payload_rate_bps=merged_payload_rate_bps message_rate_tps"
    )

    def __post_init__(self) -> None:
        message_bytes = whole_message_bytes("message_bytes", self.message_bytes)
        object.__setattr__(self, "message_bytes", message_bytes)

    @property
    def segment_count(self) -> int:
        """Segments of a message: fragments of a datagram, packets of an RDMA write."""
        return cast("int", self.stack.message_segment_count(self.message_bytes, self.mtu_bytes))

    @property
    def frame_count(self) -> int:
        """Frames of a message: its segments, and the CDC message of SMC-R."""
        return cast("int", self.stack.message_frame_count(self.message_bytes, self.mtu_bytes))

    @property
    def wire_bytes(self) -> int:
        """Frames of a message with preamble, delimiter and gap. [byte]"""
        return cast("int", self.stack.message_wire_bytes(self.message_bytes, self.mtu_bytes))

    @property
    def padding_bytes(self) -> int:
        """How much of :attr:`wire_bytes` is padding. [byte]"""
        return cast("int", self.stack.message_padding_bytes(self.message_bytes, self.mtu_bytes))

    @property
    def efficiency_ratio(self) -> float:
        """Payload per byte on the wire."""
        return self.message_bytes / self.wire_bytes

    @property
    def payload_rate_bps(self) -> float:
        """Payload rate of the saturated line. [bit/s]"""
        return layer_rate_bps(self.line_rate_bps, self.message_bytes, self.wire_bytes)

    @property
    def merged_payload_rate_bps(self) -> float | None:
        """
        Payload rate when messages share segments, as writes to a byte stream may. [bit/s]

        None where a message is a unit of its own. A stream of writes runs
        between :attr:`payload_rate_bps` and this, which is the larger of the two
        unless full packets are padded.
        """
        if not self.stack.merges_messages:
            return None
        segment_bytes = self.stack.segment_bytes(self.mtu_bytes)
        wire_bytes = self.stack.wire_bytes(self.stack.packet_bytes(segment_bytes), self.mtu_bytes)
        stream_rate_bps = layer_rate_bps(self.line_rate_bps, segment_bytes, wire_bytes)
        stream_bytes = self.stack.stream_bytes(self.message_bytes)
        return layer_rate_bps(stream_rate_bps, self.message_bytes, stream_bytes)

    @property
    def message_rate_tps(self) -> float:
        """Messages per second of the saturated line. [1/s]"""
        return self.payload_rate_bps / (BITS_PER_BYTE * self.message_bytes)


@dataclass(frozen=True)
class TransactionCeiling(Result):
    """
    What a line carries in requests and their responses, none of which share a frame.

    Parameters
    ----------
    request : MessageCeiling
        From client to server.
    response : MessageCeiling
        From server to client.
    segments_per_ack : int, optional
        Frames that one pure acknowledgement answers; None where every message
        carries the acknowledgement of the one before.

    Examples
    --------
    >>> from netmodel.framing import tcp_stack
    >>> request = MessageCeiling(25e9, 1500, tcp_stack(), 200)
    >>> response = MessageCeiling(25e9, 1500, tcp_stack(), 1000)
    >>> round(TransactionCeiling(request, response).transaction_rate_tps)
    2866972
    """

    request: MessageCeiling
    response: MessageCeiling
    segments_per_ack: int | None = None

    json_keys = (
        "request_bytes=request.message_bytes response_bytes=response.message_bytes "
        "request_frame_count=request.frame_count response_frame_count=response.frame_count "
        "segments_per_ack forward_wire_bytes reverse_wire_bytes transaction_rate_tps "
        "half_duplex_transaction_rate_tps request_payload_rate_bps response_payload_rate_bps"
    )

    def __post_init__(self) -> None:
        if self.segments_per_ack is not None:
            count = require_whole("segments_per_ack", self.segments_per_ack)
            require_at_least("segments_per_ack", count, 1, "segment")
            object.__setattr__(self, "segments_per_ack", count)
            self.request.stack.acknowledgement_wire_bytes(self.request.mtu_bytes)

    @property
    def forward_wire_bytes(self) -> int:
        """Frames of a transaction from client to server. [byte]"""
        return self.request.wire_bytes + self._ack_wire_bytes(self.response)

    @property
    def reverse_wire_bytes(self) -> int:
        """Frames of a transaction from server to client. [byte]"""
        return self.response.wire_bytes + self._ack_wire_bytes(self.request)

    @property
    def transaction_rate_tps(self) -> float:
        """Transactions per second that saturate the busier direction. [1/s]"""
        return full_duplex_transaction_rate_tps(*self._rate_and_wire_bytes)

    @property
    def half_duplex_transaction_rate_tps(self) -> float:
        """Transactions per second where both directions share the line. [1/s]"""
        return half_duplex_transaction_rate_tps(*self._rate_and_wire_bytes)

    @property
    def request_payload_rate_bps(self) -> float:
        """Payload rate from client to server. [bit/s]"""
        return self.transaction_rate_tps * BITS_PER_BYTE * self.request.message_bytes

    @property
    def response_payload_rate_bps(self) -> float:
        """Payload rate from server to client. [bit/s]"""
        return self.transaction_rate_tps * BITS_PER_BYTE * self.response.message_bytes

    def _ack_wire_bytes(self, answered: MessageCeiling) -> int:
        """Frames of the pure acknowledgements of a message. [byte]"""
        if self.segments_per_ack is None:
            return 0
        ack_bytes = answered.stack.acknowledgement_wire_bytes(answered.mtu_bytes)
        return cast("int", ceil(answered.frame_count / self.segments_per_ack) * ack_bytes)

    @property
    def _rate_and_wire_bytes(self) -> tuple[float, int, int]:
        return self.request.line_rate_bps, self.forward_wire_bytes, self.reverse_wire_bytes


def whole_message_bytes(name: str, message_bytes: int) -> int:
    """A message of whole bytes, at least one; DomainError for any other."""
    message_bytes = require_whole(name, message_bytes)
    require_at_least(name, message_bytes, 1, "byte")
    return message_bytes
