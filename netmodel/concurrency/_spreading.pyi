# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import (
    Floats,
    Number,
    QuantityLike,
)

MAX_FLOW_COUNT: int

@overload
def used_queue_count(flow_count: Number, queue_count: Number) -> float: ...
@overload
def used_queue_count(flow_count: QuantityLike, queue_count: QuantityLike) -> Floats: ...
@overload
def busiest_queue_flow_count(flow_count: Number, queue_count: Number) -> float: ...
@overload
def busiest_queue_flow_count(flow_count: QuantityLike, queue_count: QuantityLike) -> Floats: ...
@overload
def usable_capacity_ratio(flow_count: Number, queue_count: Number) -> float: ...
@overload
def usable_capacity_ratio(flow_count: QuantityLike, queue_count: QuantityLike) -> Floats: ...
