# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import Any, overload

from netmodel._dataclasses import dataclass
from netmodel._numeric import Floats, Number, QuantityLike

SPEED_OF_LIGHT_MPS: int
SILICA_GROUP_INDEX: float

@overload
def propagation_delay_s(distance_m: Number, group_index: Number = SILICA_GROUP_INDEX) -> float: ...
@overload
def propagation_delay_s(
    distance_m: QuantityLike, group_index: QuantityLike = SILICA_GROUP_INDEX
) -> Floats: ...
@overload
def propagation_round_trip_s(
    distance_m: Number,
    group_index: Number = SILICA_GROUP_INDEX,
    equipment_time_s: Number = 0,
    route_factor: Number = 1,
) -> float: ...
@overload
def propagation_round_trip_s(
    distance_m: QuantityLike,
    group_index: QuantityLike = SILICA_GROUP_INDEX,
    equipment_time_s: QuantityLike = 0,
    route_factor: QuantityLike = 1,
) -> Floats: ...
@overload
def latency_ratio(
    endpoint_latency_s: Number, baseline_latency_s: Number, round_trip_s: Number
) -> float: ...
@overload
def latency_ratio(
    endpoint_latency_s: QuantityLike, baseline_latency_s: QuantityLike, round_trip_s: QuantityLike
) -> Floats: ...

@dataclass(frozen=True, slots=True)
class EndpointLatencies:
    endpoint_latency_s: float
    baseline_latency_s: float

    @overload
    def latency_ratio(self, round_trip_s: Number) -> float: ...
    @overload
    def latency_ratio(self, round_trip_s: QuantityLike) -> Floats: ...
    def to_dict(self) -> dict[str, Any]: ...

def endpoint_latencies(
    first_reduction_ratio: float,
    first_round_trip_s: float,
    second_reduction_ratio: float,
    second_round_trip_s: float,
) -> EndpointLatencies: ...
