# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def go_back_n_payload_rate_bps(
    path_rate_bps: Number, round_trip_s: Number, loss_ratio: Number, rdma_mtu_bytes: Number
) -> float: ...
@overload
def go_back_n_payload_rate_bps(
    path_rate_bps: QuantityLike,
    round_trip_s: QuantityLike,
    loss_ratio: QuantityLike,
    rdma_mtu_bytes: QuantityLike,
) -> Floats: ...
@overload
def pfc_headroom_bytes(line_rate_bps: Number, round_trip_s: Number, mtu_bytes: Number) -> float: ...
@overload
def pfc_headroom_bytes(
    line_rate_bps: QuantityLike, round_trip_s: QuantityLike, mtu_bytes: QuantityLike
) -> Floats: ...
