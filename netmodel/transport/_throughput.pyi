# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from enum import Enum
from typing import Any, Generic, overload

from netmodel._dataclasses import dataclass
from netmodel._numeric import FloatOrArray, Floats, Number, Q_co, QuantityLike
from netmodel._numpy import np
from netmodel.transport._window import MAX_WINDOW_BYTES

COMMON_SEGMENT_BYTES: int
RDMA_MTU_BYTES: int

class LossResponse(Enum):
    CUBIC = "cubic"
    RENO = "reno"
    PFTK = "pftk"

@dataclass(frozen=True, slots=True)
class StreamThroughput(Generic[Q_co]):
    payload_rate_bps: Q_co
    line_rate_bps: Q_co
    window_rate_bps: Q_co
    loss_rate_bps: Q_co

    @property
    def limit(self) -> str | np.ndarray[Any, np.dtype[np.str_]]: ...
    @property
    def margins(self) -> dict[str, FloatOrArray]: ...
    def to_dict(self) -> dict[str, object]: ...

@overload
def tcp_throughput(
    path_rate_bps: Number,
    round_trip_s: Number,
    window_bytes: Number = MAX_WINDOW_BYTES,
    loss_event_ratio: Number = 0,
    flow_count: Number = 1,
    segment_bytes: Number = COMMON_SEGMENT_BYTES,
    response: LossResponse = LossResponse.CUBIC,
) -> StreamThroughput[float]: ...
@overload
def tcp_throughput(
    path_rate_bps: QuantityLike,
    round_trip_s: QuantityLike,
    window_bytes: QuantityLike = MAX_WINDOW_BYTES,
    loss_event_ratio: QuantityLike = 0,
    flow_count: QuantityLike = 1,
    segment_bytes: QuantityLike = COMMON_SEGMENT_BYTES,
    response: LossResponse = LossResponse.CUBIC,
) -> StreamThroughput[Floats]: ...
@overload
def rdma_throughput(
    path_rate_bps: Number,
    round_trip_s: Number,
    window_bytes: Number,
    loss_ratio: Number = 0,
    flow_count: Number = 1,
    rdma_mtu_bytes: Number = RDMA_MTU_BYTES,
) -> StreamThroughput[float]: ...
@overload
def rdma_throughput(
    path_rate_bps: QuantityLike,
    round_trip_s: QuantityLike,
    window_bytes: QuantityLike,
    loss_ratio: QuantityLike = 0,
    flow_count: QuantityLike = 1,
    rdma_mtu_bytes: QuantityLike = RDMA_MTU_BYTES,
) -> StreamThroughput[Floats]: ...
