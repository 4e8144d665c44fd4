"""Many connections at once: rate, time and their bounds, open queues, flows on queues, steering."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from ._approximate import approximate_closed_network as approximate_closed_network
    from ._bounds import asymptotic_rate_bounds_tps as asymptotic_rate_bounds_tps
    from ._bounds import asymptotic_time_bounds_s as asymptotic_time_bounds_s
    from ._bounds import balanced_rate_bounds_tps as balanced_rate_bounds_tps
    from ._bounds import balanced_time_bounds_s as balanced_time_bounds_s
    from ._bounds import knee_connection_count as knee_connection_count
    from ._bounds import saturation_rate_tps as saturation_rate_tps
    from ._closed import exact_closed_network as exact_closed_network
    from ._closed import load_dependent_closed_network as load_dependent_closed_network
    from ._laws import closed_connection_count as closed_connection_count
    from ._laws import closed_transaction_rate_tps as closed_transaction_rate_tps
    from ._laws import closed_transaction_time_s as closed_transaction_time_s
    from ._laws import stage_demand_s as stage_demand_s
    from ._laws import stage_visit_rate_tps as stage_visit_rate_tps
    from ._laws import utilisation_ratio as utilisation_ratio
    from ._multiclass import approximate_multiclass_network as approximate_multiclass_network
    from ._multiclass import exact_multiclass_network as exact_multiclass_network
    from ._queues import approximate_gg1_waiting_time_s as approximate_gg1_waiting_time_s
    from ._queues import batch_mg1_waiting_time_s as batch_mg1_waiting_time_s
    from ._queues import erlang_b_blocking_ratio as erlang_b_blocking_ratio
    from ._queues import erlang_c_waiting_ratio as erlang_c_waiting_ratio
    from ._queues import mg1_waiting_time_s as mg1_waiting_time_s
    from ._queues import mm1_place_count as mm1_place_count
    from ._queues import mm1_waiting_time_s as mm1_waiting_time_s
    from ._queues import mm1k_loss_ratio as mm1k_loss_ratio
    from ._queues import mmc_waiting_time_s as mmc_waiting_time_s
    from ._scalability import scalability_peak_connection_count as scalability_peak_connection_count
    from ._scalability import scalability_rate_tps as scalability_rate_tps
    from ._steering import queue_frame_rate_fps as queue_frame_rate_fps
    from ._steering import steered_frame_rate_fps as steered_frame_rate_fps
    from ._steering import steering_cpu_time_s as steering_cpu_time_s
    from .spreading import busiest_queue_flow_count as busiest_queue_flow_count
    from .spreading import usable_capacity_ratio as usable_capacity_ratio
    from .spreading import used_queue_count as used_queue_count
