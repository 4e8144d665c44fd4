# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def effective_core_count(
    busy_core_count: Number,
    busy_thread_count: Number,
    management_core_count: Number,
    smt_gain_ratio: Number,
) -> float: ...
@overload
def effective_core_count(
    busy_core_count: QuantityLike,
    busy_thread_count: QuantityLike,
    management_core_count: QuantityLike,
    smt_gain_ratio: QuantityLike,
) -> Floats: ...
@overload
def smt_capacity_core_count(core_count: Number, smt_gain_ratio: Number) -> float: ...
@overload
def smt_capacity_core_count(core_count: QuantityLike, smt_gain_ratio: QuantityLike) -> Floats: ...
@overload
def single_thread_time_s(
    thread_time_s: Number, overlap_ratio: Number, smt_gain_ratio: Number
) -> float: ...
@overload
def single_thread_time_s(
    thread_time_s: QuantityLike, overlap_ratio: QuantityLike, smt_gain_ratio: QuantityLike
) -> Floats: ...
