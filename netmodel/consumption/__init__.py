"""CPU per data: what it means, how it converts, how two runs compare, what a rate needs."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.consumption._batching import (
        batched_cpu_time_s,
        capped_frames_per_interrupt,
        frames_per_interrupt,
        polled_cpu_time_s,
    )
    from netmodel.consumption._cpus import (
        Consumption,
        CpuScope,
        Side,
        busy_cpu_count,
        cycle_budget_per_frame,
        required_cpu_count,
        transaction_busy_cpu_count,
    )
    from netmodel.consumption._identity import (
        CostChange,
        consumption_change,
        consumption_ratio,
        consumption_us_per_gbit,
        cpu_time_ratio,
        data_ratio_at_fixed_concurrency,
        scaled_consumption_us_per_gbit,
    )
    from netmodel.consumption._parts import (
        message_cpu_time_s,
        streaming_consumption_us_per_gbit,
    )
    from netmodel.consumption._smt import (
        effective_core_count,
        single_thread_time_s,
        smt_capacity_core_count,
    )
    from netmodel.consumption._units import (
        ConsumptionUnit,
        cycles_per_byte_to_us_per_gbit,
        from_us_per_gbit,
        ms_per_transaction_to_us_per_gbit,
        parse_consumption_us_per_gbit,
        to_us_per_gbit,
        us_per_gbit_to_cycles_per_byte,
        us_per_gbit_to_gbps_per_core,
        us_per_gbit_to_ms_per_transaction,
    )

__all__ = [
    "Consumption",
    "ConsumptionUnit",
    "CostChange",
    "CpuScope",
    "Side",
    "batched_cpu_time_s",
    "busy_cpu_count",
    "capped_frames_per_interrupt",
    "consumption_change",
    "consumption_ratio",
    "consumption_us_per_gbit",
    "cpu_time_ratio",
    "cycle_budget_per_frame",
    "cycles_per_byte_to_us_per_gbit",
    "data_ratio_at_fixed_concurrency",
    "effective_core_count",
    "frames_per_interrupt",
    "from_us_per_gbit",
    "message_cpu_time_s",
    "ms_per_transaction_to_us_per_gbit",
    "parse_consumption_us_per_gbit",
    "polled_cpu_time_s",
    "required_cpu_count",
    "scaled_consumption_us_per_gbit",
    "single_thread_time_s",
    "smt_capacity_core_count",
    "streaming_consumption_us_per_gbit",
    "to_us_per_gbit",
    "transaction_busy_cpu_count",
    "us_per_gbit_to_cycles_per_byte",
    "us_per_gbit_to_gbps_per_core",
    "us_per_gbit_to_ms_per_transaction",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_batching": (
            "batched_cpu_time_s",
            "capped_frames_per_interrupt",
            "frames_per_interrupt",
            "polled_cpu_time_s",
        ),
        "_cpus": (
            "Consumption",
            "CpuScope",
            "Side",
            "busy_cpu_count",
            "cycle_budget_per_frame",
            "required_cpu_count",
            "transaction_busy_cpu_count",
        ),
        "_identity": (
            "CostChange",
            "consumption_change",
            "consumption_ratio",
            "consumption_us_per_gbit",
            "cpu_time_ratio",
            "data_ratio_at_fixed_concurrency",
            "scaled_consumption_us_per_gbit",
        ),
        "_parts": (
            "message_cpu_time_s",
            "streaming_consumption_us_per_gbit",
        ),
        "_smt": (
            "effective_core_count",
            "single_thread_time_s",
            "smt_capacity_core_count",
        ),
        "_units": (
            "ConsumptionUnit",
            "cycles_per_byte_to_us_per_gbit",
            "from_us_per_gbit",
            "ms_per_transaction_to_us_per_gbit",
            "parse_consumption_us_per_gbit",
            "to_us_per_gbit",
            "us_per_gbit_to_cycles_per_byte",
            "us_per_gbit_to_gbps_per_core",
            "us_per_gbit_to_ms_per_transaction",
        ),
    },
)
