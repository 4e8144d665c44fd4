# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from typing import NamedTuple, overload

from netmodel._numeric import (
    Floats,
    Number,
    QuantityLike,
)

class MixScale(NamedTuple):
    scale_ratio: float
    binding_index: int
    slack_ratios: Floats

class BestMix(NamedTuple):
    volumes: Floats
    value: float
    prices: Floats
    gain_prices: Floats
    loss_prices: Floats
    slack_ratios: Floats

    @property
    def has_ties(self) -> bool: ...

@overload
def required_adapter_count(
    demand_bps: Number,
    capacity_bps: Number,
    max_utilisation_ratio: Number = 1,
    spare_count: Number = 0,
) -> float: ...
@overload
def required_adapter_count(
    demand_bps: QuantityLike,
    capacity_bps: QuantityLike,
    max_utilisation_ratio: QuantityLike = 1,
    spare_count: QuantityLike = 0,
) -> Floats: ...
@overload
def adapter_use_ratio(
    demand_bps: Number, capacity_bps: Number, adapter_count: Number, failed_count: Number = 0
) -> float: ...
@overload
def adapter_use_ratio(
    demand_bps: QuantityLike,
    capacity_bps: QuantityLike,
    adapter_count: QuantityLike,
    failed_count: QuantityLike = 0,
) -> Floats: ...
@overload
def required_core_count(
    busy_cpu_count: Number, max_utilisation_ratio: Number = 1, smt_gain_ratio: Number = 1
) -> float: ...
@overload
def required_core_count(
    busy_cpu_count: QuantityLike,
    max_utilisation_ratio: QuantityLike = 1,
    smt_gain_ratio: QuantityLike = 1,
) -> Floats: ...
@overload
def square_root_server_count(offered_load_erlang: Number, margin_ratio: Number = 1) -> float: ...
@overload
def square_root_server_count(
    offered_load_erlang: QuantityLike, margin_ratio: QuantityLike = 1
) -> Floats: ...
def mix_scale(
    capacities: QuantityLike, demands: QuantityLike, volumes: QuantityLike
) -> MixScale: ...
def best_mix(
    capacities: QuantityLike,
    demands: QuantityLike,
    values: QuantityLike,
    minimum_volumes: QuantityLike = 0,
) -> BestMix: ...

MAX_QUANTILE_RATIO: float

@overload
def normal_peak_ratio(quantile_ratio: Number, variation_ratio: Number) -> float: ...
@overload
def normal_peak_ratio(quantile_ratio: QuantityLike, variation_ratio: QuantityLike) -> Floats: ...
@overload
def lognormal_peak_ratio(quantile_ratio: Number, variation_ratio: Number) -> float: ...
@overload
def lognormal_peak_ratio(quantile_ratio: QuantityLike, variation_ratio: QuantityLike) -> Floats: ...
@overload
def pooled_variation_ratio(variation_ratio: Number, source_count: Number) -> float: ...
@overload
def pooled_variation_ratio(variation_ratio: QuantityLike, source_count: QuantityLike) -> Floats: ...
