# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import overload

from netmodel._numeric import (
    Floats,
    Number,
    QuantityLike,
)

MAX_PARALLEL_COUNT: int

@overload
def erlang_b_blocking_ratio(offered_load_erlang: Number, parallel_count: Number) -> float: ...
@overload
def erlang_b_blocking_ratio(
    offered_load_erlang: QuantityLike, parallel_count: Number
) -> Floats: ...
@overload
def erlang_c_waiting_ratio(offered_load_erlang: Number, parallel_count: Number) -> float: ...
@overload
def erlang_c_waiting_ratio(offered_load_erlang: QuantityLike, parallel_count: Number) -> Floats: ...
@overload
def mm1_waiting_time_s(arrival_rate_tps: Number, service_time_s: Number) -> float: ...
@overload
def mm1_waiting_time_s(arrival_rate_tps: QuantityLike, service_time_s: QuantityLike) -> Floats: ...
@overload
def mmc_waiting_time_s(
    arrival_rate_tps: Number, service_time_s: Number, parallel_count: Number
) -> float: ...
@overload
def mmc_waiting_time_s(
    arrival_rate_tps: QuantityLike, service_time_s: QuantityLike, parallel_count: Number
) -> Floats: ...
@overload
def mg1_waiting_time_s(
    arrival_rate_tps: Number, service_time_s: Number, service_variation_ratio: Number
) -> float: ...
@overload
def mg1_waiting_time_s(
    arrival_rate_tps: QuantityLike,
    service_time_s: QuantityLike,
    service_variation_ratio: QuantityLike,
) -> Floats: ...
@overload
def approximate_gg1_waiting_time_s(
    arrival_rate_tps: Number,
    service_time_s: Number,
    arrival_variation_ratio: Number,
    service_variation_ratio: Number,
) -> float: ...
@overload
def approximate_gg1_waiting_time_s(
    arrival_rate_tps: QuantityLike,
    service_time_s: QuantityLike,
    arrival_variation_ratio: QuantityLike,
    service_variation_ratio: QuantityLike,
) -> Floats: ...
@overload
def batch_mg1_waiting_time_s(
    arrival_rate_tps: Number,
    service_time_s: Number,
    service_variation_ratio: Number,
    mean_batch_count: Number,
    batch_variation_ratio: Number = 0,
) -> float: ...
@overload
def batch_mg1_waiting_time_s(
    arrival_rate_tps: QuantityLike,
    service_time_s: QuantityLike,
    service_variation_ratio: QuantityLike,
    mean_batch_count: QuantityLike,
    batch_variation_ratio: QuantityLike = 0,
) -> Floats: ...
@overload
def mm1k_loss_ratio(offered_load_erlang: Number, place_count: Number) -> float: ...
@overload
def mm1k_loss_ratio(offered_load_erlang: QuantityLike, place_count: Number) -> Floats: ...
def mm1_place_count(utilisation_ratio: Number, overflow_ratio: Number) -> int: ...
