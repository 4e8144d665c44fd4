# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from collections.abc import Sequence
from typing import Generic, NamedTuple, overload

from netmodel._numeric import (
    FloatOrArray,
    Floats,
    Number,
    PerStage,
    Q_co,
    QuantityLike,
)

class Bounds(NamedTuple, Generic[Q_co]):
    low: Q_co
    high: Q_co

@overload
def saturation_rate_tps(
    demands_s: Sequence[Number], parallel_counts: Sequence[Number] | Number = 1
) -> float: ...
@overload
def saturation_rate_tps(
    demands_s: Sequence[QuantityLike], parallel_counts: Sequence[QuantityLike] | QuantityLike = 1
) -> Floats: ...
@overload
def saturation_rate_tps(
    demands_s: PerStage, parallel_counts: PerStage | QuantityLike = 1
) -> FloatOrArray: ...
@overload
def knee_connection_count(
    demands_s: Sequence[Number],
    think_time_s: Number = 0,
    parallel_counts: Sequence[Number] | Number = 1,
) -> float: ...
@overload
def knee_connection_count(
    demands_s: Sequence[QuantityLike],
    think_time_s: QuantityLike = 0,
    parallel_counts: Sequence[QuantityLike] | QuantityLike = 1,
) -> Floats: ...
@overload
def knee_connection_count(
    demands_s: PerStage,
    think_time_s: QuantityLike = 0,
    parallel_counts: PerStage | QuantityLike = 1,
) -> FloatOrArray: ...
@overload
def asymptotic_rate_bounds_tps(
    demands_s: Sequence[Number],
    connection_count: Number,
    think_time_s: Number = 0,
    parallel_counts: Sequence[Number] | Number = 1,
) -> Bounds[float]: ...
@overload
def asymptotic_rate_bounds_tps(
    demands_s: Sequence[QuantityLike],
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: Sequence[QuantityLike] | QuantityLike = 1,
) -> Bounds[Floats]: ...
@overload
def asymptotic_rate_bounds_tps(
    demands_s: PerStage,
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: PerStage | QuantityLike = 1,
) -> Bounds[FloatOrArray]: ...
@overload
def asymptotic_time_bounds_s(
    demands_s: Sequence[Number],
    connection_count: Number,
    think_time_s: Number = 0,
    parallel_counts: Sequence[Number] | Number = 1,
) -> Bounds[float]: ...
@overload
def asymptotic_time_bounds_s(
    demands_s: Sequence[QuantityLike],
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: Sequence[QuantityLike] | QuantityLike = 1,
) -> Bounds[Floats]: ...
@overload
def asymptotic_time_bounds_s(
    demands_s: PerStage,
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: PerStage | QuantityLike = 1,
) -> Bounds[FloatOrArray]: ...
@overload
def balanced_rate_bounds_tps(
    demands_s: Sequence[Number],
    connection_count: Number,
    think_time_s: Number = 0,
    parallel_counts: Sequence[Number] | Number = 1,
) -> Bounds[float]: ...
@overload
def balanced_rate_bounds_tps(
    demands_s: Sequence[QuantityLike],
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: Sequence[QuantityLike] | QuantityLike = 1,
) -> Bounds[Floats]: ...
@overload
def balanced_rate_bounds_tps(
    demands_s: PerStage,
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: PerStage | QuantityLike = 1,
) -> Bounds[FloatOrArray]: ...
@overload
def balanced_time_bounds_s(
    demands_s: Sequence[Number],
    connection_count: Number,
    think_time_s: Number = 0,
    parallel_counts: Sequence[Number] | Number = 1,
) -> Bounds[float]: ...
@overload
def balanced_time_bounds_s(
    demands_s: Sequence[QuantityLike],
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: Sequence[QuantityLike] | QuantityLike = 1,
) -> Bounds[Floats]: ...
@overload
def balanced_time_bounds_s(
    demands_s: PerStage,
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: PerStage | QuantityLike = 1,
) -> Bounds[FloatOrArray]: ...
