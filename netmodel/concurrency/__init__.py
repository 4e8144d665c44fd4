"""Many connections at once: rate, time and their bounds, open queues, flows on queues, steering."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.concurrency._approximate import (
        approximate_closed_network,
        general_service_closed_network,
    )
    from netmodel.concurrency._bounds import (
        Bounds,
        asymptotic_rate_bounds_tps,
        asymptotic_time_bounds_s,
        balanced_rate_bounds_tps,
        balanced_time_bounds_s,
        knee_connection_count,
        saturation_rate_tps,
    )
    from netmodel.concurrency._closed import (
        ClosedNetwork,
        exact_closed_network,
        load_dependent_closed_network,
        single_stage_rate_tps,
    )
    from netmodel.concurrency._laws import (
        closed_connection_count,
        closed_transaction_rate_tps,
        closed_transaction_time_s,
        stage_demand_s,
        stage_visit_rate_tps,
        utilisation_ratio,
    )
    from netmodel.concurrency._multiclass import (
        MulticlassNetwork,
        approximate_multiclass_network,
        exact_multiclass_network,
    )
    from netmodel.concurrency._queues import (
        approximate_gg1_waiting_time_s,
        batch_mg1_waiting_time_s,
        erlang_b_blocking_ratio,
        erlang_c_waiting_ratio,
        mg1_waiting_time_s,
        mm1_place_count,
        mm1_waiting_time_s,
        mm1k_loss_ratio,
        mmc_waiting_time_s,
    )
    from netmodel.concurrency._scalability import (
        scalability_peak_connection_count,
        scalability_rate_tps,
    )
    from netmodel.concurrency._spreading import (
        busiest_queue_flow_count,
        usable_capacity_ratio,
        used_queue_count,
    )
    from netmodel.concurrency._steering import (
        queue_frame_rate_fps,
        steered_frame_rate_fps,
        steering_cpu_time_s,
    )

__all__ = [
    "Bounds",
    "ClosedNetwork",
    "MulticlassNetwork",
    "approximate_closed_network",
    "approximate_gg1_waiting_time_s",
    "approximate_multiclass_network",
    "asymptotic_rate_bounds_tps",
    "asymptotic_time_bounds_s",
    "balanced_rate_bounds_tps",
    "balanced_time_bounds_s",
    "batch_mg1_waiting_time_s",
    "busiest_queue_flow_count",
    "closed_connection_count",
    "closed_transaction_rate_tps",
    "closed_transaction_time_s",
    "erlang_b_blocking_ratio",
    "erlang_c_waiting_ratio",
    "exact_closed_network",
    "exact_multiclass_network",
    "general_service_closed_network",
    "knee_connection_count",
    "load_dependent_closed_network",
    "mg1_waiting_time_s",
    "mm1_place_count",
    "mm1_waiting_time_s",
    "mm1k_loss_ratio",
    "mmc_waiting_time_s",
    "queue_frame_rate_fps",
    "saturation_rate_tps",
    "scalability_peak_connection_count",
    "scalability_rate_tps",
    "single_stage_rate_tps",
    "stage_demand_s",
    "stage_visit_rate_tps",
    "steered_frame_rate_fps",
    "steering_cpu_time_s",
    "usable_capacity_ratio",
    "used_queue_count",
    "utilisation_ratio",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_approximate": (
            "approximate_closed_network",
            "general_service_closed_network",
        ),
        "_bounds": (
            "Bounds",
            "asymptotic_rate_bounds_tps",
            "asymptotic_time_bounds_s",
            "balanced_rate_bounds_tps",
            "balanced_time_bounds_s",
            "knee_connection_count",
            "saturation_rate_tps",
        ),
        "_closed": (
            "ClosedNetwork",
            "exact_closed_network",
            "load_dependent_closed_network",
            "single_stage_rate_tps",
        ),
        "_laws": (
            "closed_connection_count",
            "closed_transaction_rate_tps",
            "closed_transaction_time_s",
            "stage_demand_s",
            "stage_visit_rate_tps",
            "utilisation_ratio",
        ),
        "_multiclass": (
            "MulticlassNetwork",
            "approximate_multiclass_network",
            "exact_multiclass_network",
        ),
        "_queues": (
            "approximate_gg1_waiting_time_s",
            "batch_mg1_waiting_time_s",
            "erlang_b_blocking_ratio",
            "erlang_c_waiting_ratio",
            "mg1_waiting_time_s",
            "mm1_place_count",
            "mm1_waiting_time_s",
            "mm1k_loss_ratio",
            "mmc_waiting_time_s",
        ),
        "_scalability": (
            "scalability_peak_connection_count",
            "scalability_rate_tps",
        ),
        "_spreading": (
            "busiest_queue_flow_count",
            "usable_capacity_ratio",
            "used_queue_count",
        ),
        "_steering": (
            "queue_frame_rate_fps",
            "steered_frame_rate_fps",
            "steering_cpu_time_s",
        ),
    },
)
