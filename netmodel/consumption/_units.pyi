# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from enum import Enum
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike

class ConsumptionUnit(Enum):
    US_PER_GBIT = "µs/Gbit"
    MS_PER_MB = "ms/MB"
    MS_PER_MIB = "ms/MiB"
    MS_PER_GB = "ms/GB"
    US_PER_KIB = "µs/KiB"
    CORES_PER_GBPS = "cores/(Gbit/s)"

    @property
    def us_per_gbit(self) -> float: ...

@overload
def to_us_per_gbit(consumption: Number, unit: ConsumptionUnit) -> float: ...
@overload
def to_us_per_gbit(consumption: QuantityLike, unit: ConsumptionUnit) -> Floats: ...
@overload
def from_us_per_gbit(consumption_us_per_gbit: Number, unit: ConsumptionUnit) -> float: ...
@overload
def from_us_per_gbit(consumption_us_per_gbit: QuantityLike, unit: ConsumptionUnit) -> Floats: ...
@overload
def us_per_gbit_to_gbps_per_core(consumption_us_per_gbit: Number) -> float: ...
@overload
def us_per_gbit_to_gbps_per_core(consumption_us_per_gbit: QuantityLike) -> Floats: ...
@overload
def ms_per_transaction_to_us_per_gbit(
    ms_per_transaction: Number, transaction_bytes: Number
) -> float: ...
@overload
def ms_per_transaction_to_us_per_gbit(
    ms_per_transaction: QuantityLike, transaction_bytes: QuantityLike
) -> Floats: ...
@overload
def us_per_gbit_to_ms_per_transaction(
    consumption_us_per_gbit: Number, transaction_bytes: Number
) -> float: ...
@overload
def us_per_gbit_to_ms_per_transaction(
    consumption_us_per_gbit: QuantityLike, transaction_bytes: QuantityLike
) -> Floats: ...
@overload
def cycles_per_byte_to_us_per_gbit(cycles_per_byte: Number, cpu_frequency_hz: Number) -> float: ...
@overload
def cycles_per_byte_to_us_per_gbit(
    cycles_per_byte: QuantityLike, cpu_frequency_hz: QuantityLike
) -> Floats: ...
@overload
def us_per_gbit_to_cycles_per_byte(
    consumption_us_per_gbit: Number, cpu_frequency_hz: Number
) -> float: ...
@overload
def us_per_gbit_to_cycles_per_byte(
    consumption_us_per_gbit: QuantityLike, cpu_frequency_hz: QuantityLike
) -> Floats: ...
def parse_consumption_us_per_gbit(
    text: str, *, transaction_bytes: float | None = None, cpu_frequency_hz: float | None = None
) -> float: ...
