# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def scalability_rate_tps(
    connection_count: Number,
    rate_at_one_tps: Number,
    contention_ratio: Number,
    coherency_ratio: Number,
) -> float: ...
@overload
def scalability_rate_tps(
    connection_count: QuantityLike,
    rate_at_one_tps: QuantityLike,
    contention_ratio: QuantityLike,
    coherency_ratio: QuantityLike,
) -> Floats: ...
@overload
def scalability_peak_connection_count(
    contention_ratio: Number, coherency_ratio: Number
) -> float: ...
@overload
def scalability_peak_connection_count(
    contention_ratio: QuantityLike, coherency_ratio: QuantityLike
) -> Floats: ...
