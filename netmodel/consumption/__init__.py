"""CPU per data: what it means, how it converts, how two runs compare, what a rate needs."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from ._batching import batched_cpu_time_s as batched_cpu_time_s
    from ._batching import capped_frames_per_interrupt as capped_frames_per_interrupt
    from ._batching import frames_per_interrupt as frames_per_interrupt
    from ._batching import polled_cpu_time_s as polled_cpu_time_s
    from ._cpus import Consumption as Consumption
    from ._cpus import Side as Side
    from ._cpus import busy_cpu_count as busy_cpu_count
    from ._cpus import cycle_budget_per_frame as cycle_budget_per_frame
    from ._cpus import required_cpu_count as required_cpu_count
    from ._cpus import transaction_busy_cpu_count as transaction_busy_cpu_count
    from ._identity import consumption_ratio as consumption_ratio
    from ._identity import consumption_us_per_gbit as consumption_us_per_gbit
    from ._identity import cpu_time_ratio as cpu_time_ratio
    from ._identity import data_ratio_at_fixed_concurrency as data_ratio_at_fixed_concurrency
    from ._identity import scaled_consumption_us_per_gbit as scaled_consumption_us_per_gbit
    from ._parts import message_cpu_time_s as message_cpu_time_s
    from ._parts import streaming_consumption_us_per_gbit as streaming_consumption_us_per_gbit
    from ._smt import effective_core_count as effective_core_count
    from ._smt import single_thread_time_s as single_thread_time_s
    from ._smt import smt_capacity_core_count as smt_capacity_core_count
    from ._units import consumption_by_unit as consumption_by_unit
    from ._units import cycles_per_byte_to_us_per_gbit as cycles_per_byte_to_us_per_gbit
    from ._units import from_us_per_gbit as from_us_per_gbit
    from ._units import ms_per_transaction_to_us_per_gbit as ms_per_transaction_to_us_per_gbit
    from ._units import parse_consumption_us_per_gbit as parse_consumption_us_per_gbit
    from ._units import to_us_per_gbit as to_us_per_gbit
    from ._units import us_per_gbit_to_cycles_per_byte as us_per_gbit_to_cycles_per_byte
    from ._units import us_per_gbit_to_gbps_per_core as us_per_gbit_to_gbps_per_core
    from ._units import us_per_gbit_to_ms_per_transaction as us_per_gbit_to_ms_per_transaction
