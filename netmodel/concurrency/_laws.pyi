# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

@overload
def closed_connection_count(
    transaction_rate_tps: Number, transaction_time_s: Number, think_time_s: Number = 0
) -> float: ...
@overload
def closed_connection_count(
    transaction_rate_tps: QuantityLike,
    transaction_time_s: QuantityLike,
    think_time_s: QuantityLike = 0,
) -> Floats: ...
@overload
def closed_transaction_rate_tps(
    connection_count: Number, transaction_time_s: Number, think_time_s: Number = 0
) -> float: ...
@overload
def closed_transaction_rate_tps(
    connection_count: QuantityLike, transaction_time_s: QuantityLike, think_time_s: QuantityLike = 0
) -> Floats: ...
@overload
def closed_transaction_time_s(
    connection_count: Number, transaction_rate_tps: Number, think_time_s: Number = 0
) -> float: ...
@overload
def closed_transaction_time_s(
    connection_count: QuantityLike,
    transaction_rate_tps: QuantityLike,
    think_time_s: QuantityLike = 0,
) -> Floats: ...
@overload
def utilisation_ratio(
    transaction_rate_tps: Number, demand_s: Number, parallel_count: Number = 1
) -> float: ...
@overload
def utilisation_ratio(
    transaction_rate_tps: QuantityLike, demand_s: QuantityLike, parallel_count: QuantityLike = 1
) -> Floats: ...
@overload
def stage_visit_rate_tps(transaction_rate_tps: Number, visits_per_transaction: Number) -> float: ...
@overload
def stage_visit_rate_tps(
    transaction_rate_tps: QuantityLike, visits_per_transaction: QuantityLike
) -> Floats: ...
@overload
def stage_demand_s(visits_per_transaction: Number, time_per_visit_s: Number) -> float: ...
@overload
def stage_demand_s(
    visits_per_transaction: QuantityLike, time_per_visit_s: QuantityLike
) -> Floats: ...
