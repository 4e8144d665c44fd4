# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from collections.abc import Sequence
from typing import Generic, NamedTuple, overload

from netmodel._numeric import (
    ByPresence,
    FloatOrArray,
    Floats,
    Number,
    PerStage,
    Q_co,
    QuantityLike,
)

class ClosedNetwork(NamedTuple, Generic[Q_co]):
    transaction_rate_tps: Q_co
    transaction_time_s: Q_co
    stage_connection_counts: tuple[Q_co, ...]

@overload
def exact_closed_network(
    demands_s: Sequence[Number],
    connection_count: Number,
    think_time_s: Number = 0,
    parallel_counts: Sequence[Number] | Number = 1,
) -> ClosedNetwork[float]: ...
@overload
def exact_closed_network(
    demands_s: Sequence[QuantityLike],
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: Sequence[QuantityLike] | QuantityLike = 1,
) -> ClosedNetwork[Floats]: ...
@overload
def exact_closed_network(
    demands_s: PerStage,
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_counts: PerStage | QuantityLike = 1,
) -> ClosedNetwork[FloatOrArray]: ...
@overload
def load_dependent_closed_network(
    demands_s: Sequence[Number | Sequence[Number]],
    connection_count: Number,
    think_time_s: Number = 0,
) -> ClosedNetwork[float]: ...
@overload
def load_dependent_closed_network(
    demands_s: ByPresence, connection_count: QuantityLike, think_time_s: QuantityLike = 0
) -> ClosedNetwork[FloatOrArray]: ...
@overload
def single_stage_rate_tps(
    demand_s: Number, connection_count: Number, think_time_s: Number = 0, parallel_count: Number = 1
) -> float: ...
@overload
def single_stage_rate_tps(
    demand_s: QuantityLike,
    connection_count: QuantityLike,
    think_time_s: QuantityLike = 0,
    parallel_count: QuantityLike = 1,
) -> Floats: ...
