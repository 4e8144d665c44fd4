# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from dataclasses import dataclass
from typing import overload

from netmodel._numeric import FloatOrArray, Floats

CPU_TIME_BASES: tuple[str, ...]
MOST_SMT_GAIN_RATIO: int

@dataclass(frozen=True, slots=True)
class CpuCost:
    text: str
    us_per_gbit: float | None = ...
    s_per_transaction: float | None = ...
    time_basis: str | None = ...
    smt_gain_ratio: float = ...

    @overload
    def us_per_gbit_of(self, exchanged_bytes: float) -> float: ...
    @overload
    def us_per_gbit_of(self, exchanged_bytes: FloatOrArray) -> Floats: ...
    @overload
    def per_byte_s(self, exchanged_bytes: float) -> float: ...
    @overload
    def per_byte_s(self, exchanged_bytes: FloatOrArray) -> Floats: ...
    def conversion_text(self, exchanged_bytes: float) -> str: ...

def parse_cpu_cost(
    given: str | float,
    *,
    cpu_frequency_hz: float | None = None,
    time_basis: str | None = None,
    smt_gain_ratio: float = 1.0,
) -> CpuCost: ...
