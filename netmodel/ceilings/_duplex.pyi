# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def acknowledged_payload_rate_bps(
    line_rate_bps: Number,
    payload_bytes: Number,
    wire_bytes: Number,
    ack_wire_bytes: Number,
    segments_per_ack: Number,
) -> float: ...
@overload
def acknowledged_payload_rate_bps(
    line_rate_bps: QuantityLike,
    payload_bytes: QuantityLike,
    wire_bytes: QuantityLike,
    ack_wire_bytes: QuantityLike,
    segments_per_ack: QuantityLike,
) -> Floats: ...
@overload
def full_duplex_transaction_rate_tps(
    line_rate_bps: Number, request_wire_bytes: Number, response_wire_bytes: Number
) -> float: ...
@overload
def full_duplex_transaction_rate_tps(
    line_rate_bps: QuantityLike, request_wire_bytes: QuantityLike, response_wire_bytes: QuantityLike
) -> Floats: ...
@overload
def half_duplex_transaction_rate_tps(
    line_rate_bps: Number, request_wire_bytes: Number, response_wire_bytes: Number
) -> float: ...
@overload
def half_duplex_transaction_rate_tps(
    line_rate_bps: QuantityLike, request_wire_bytes: QuantityLike, response_wire_bytes: QuantityLike
) -> Floats: ...
