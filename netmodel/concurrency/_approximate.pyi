# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from collections.abc import Sequence
from typing import overload

from netmodel._numeric import (
    FloatOrArray,
    Floats,
    Number,
    PerStage,
    QuantityLike,
)
from netmodel.concurrency._closed import (
    ClosedNetwork,
)

@overload
def approximate_closed_network(
    demands_s: Sequence[Number],
    connection_count: Number,
    think_time_s: Number = 0,
    parallel_counts: Sequence[Number] | Number = 1,
) -> ClosedNetwork[float]: ...
@overload
def approximate_closed_network(
    demands_s: Sequence[QuantityLike],
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: Sequence[QuantityLike] | QuantityLike = 1,
) -> ClosedNetwork[Floats]: ...
@overload
def approximate_closed_network(
    demands_s: PerStage,
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: PerStage | QuantityLike = 1,
) -> ClosedNetwork[FloatOrArray]: ...
@overload
def general_service_closed_network(
    demands_s: Sequence[Number],
    connection_count: Number,
    think_time_s: Number = 0,
    parallel_counts: Sequence[Number] | Number = 1,
    service_variation_ratios: Sequence[Number] | Number = 1,
) -> ClosedNetwork[float]: ...
@overload
def general_service_closed_network(
    demands_s: Sequence[QuantityLike],
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: Sequence[QuantityLike] | QuantityLike = 1,
    service_variation_ratios: Sequence[QuantityLike] | QuantityLike = 1,
) -> ClosedNetwork[Floats]: ...
@overload
def general_service_closed_network(
    demands_s: PerStage,
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: PerStage | QuantityLike = 1,
    service_variation_ratios: PerStage | QuantityLike = 1,
) -> ClosedNetwork[FloatOrArray]: ...
