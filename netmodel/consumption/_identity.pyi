# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from enum import Enum
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

class CostChange(Enum):
    LOWER = "lower"
    EQUAL = "equal"
    HIGHER = "higher"

@overload
def consumption_us_per_gbit(cpu_time_s: Number, data_bits: Number) -> float: ...
@overload
def consumption_us_per_gbit(cpu_time_s: QuantityLike, data_bits: QuantityLike) -> Floats: ...
@overload
def consumption_ratio(cpu_time_ratio: Number, data_ratio: Number) -> float: ...
@overload
def consumption_ratio(cpu_time_ratio: QuantityLike, data_ratio: QuantityLike) -> Floats: ...
@overload
def scaled_consumption_us_per_gbit(
    consumption_us_per_gbit: Number, cpu_time_ratio: Number, data_ratio: Number
) -> float: ...
@overload
def scaled_consumption_us_per_gbit(
    consumption_us_per_gbit: QuantityLike, cpu_time_ratio: QuantityLike, data_ratio: QuantityLike
) -> Floats: ...
def consumption_change(cpu_time_ratio: float, data_ratio: float) -> CostChange: ...
@overload
def cpu_time_ratio(consumption_ratio: Number, data_ratio: Number) -> float: ...
@overload
def cpu_time_ratio(consumption_ratio: QuantityLike, data_ratio: QuantityLike) -> Floats: ...
@overload
def data_ratio_at_fixed_concurrency(transaction_time_ratio: Number) -> float: ...
@overload
def data_ratio_at_fixed_concurrency(transaction_time_ratio: QuantityLike) -> Floats: ...
