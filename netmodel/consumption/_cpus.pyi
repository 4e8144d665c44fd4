# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from enum import Enum
from typing import overload

from netmodel._dataclasses import dataclass
from netmodel._display import fields_repr
from netmodel._numeric import (
    Floats,
    Number,
    QuantityLike,
)

class CpuScope(Enum):
    PROCESS = "process"
    SYSTEM = "system"
    GUEST = "guest"
    HYPERVISOR = "hypervisor"

class Side(Enum):
    CLIENT = "client"
    SERVER = "server"

    @property
    def other(self) -> Side: ...
    @classmethod
    def sending_more(cls, from_client: float, from_server: float) -> Side: ...

@dataclass(frozen=True, slots=True)
class Consumption:
    us_per_gbit: float
    scope: CpuScope
    side: Side
    __repr__ = fields_repr

    @classmethod
    def from_busy_cpus(
        cls, busy_cpu_count: float, payload_rate_bps: float, scope: CpuScope, side: Side
    ) -> Consumption: ...
    def ratio_to(self, baseline: Consumption) -> float: ...

@overload
def busy_cpu_count(consumption_us_per_gbit: Number, payload_rate_bps: Number) -> float: ...
@overload
def busy_cpu_count(
    consumption_us_per_gbit: QuantityLike, payload_rate_bps: QuantityLike
) -> Floats: ...
@overload
def transaction_busy_cpu_count(
    cpu_time_per_transaction_s: Number, transaction_rate_tps: Number
) -> float: ...
@overload
def transaction_busy_cpu_count(
    cpu_time_per_transaction_s: QuantityLike, transaction_rate_tps: QuantityLike
) -> Floats: ...
@overload
def required_cpu_count(
    consumption_us_per_gbit: Number, payload_rate_bps: Number, max_utilisation_ratio: Number = 1
) -> float: ...
@overload
def required_cpu_count(
    consumption_us_per_gbit: QuantityLike,
    payload_rate_bps: QuantityLike,
    max_utilisation_ratio: QuantityLike = 1,
) -> Floats: ...
@overload
def cycle_budget_per_frame(cpu_frequency_hz: Number, frame_rate_fps: Number) -> float: ...
@overload
def cycle_budget_per_frame(
    cpu_frequency_hz: QuantityLike, frame_rate_fps: QuantityLike
) -> Floats: ...
