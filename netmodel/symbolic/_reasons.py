"""Which public functions have no symbolic form, and what others need for one."""

import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from netmodel.framing import Layer, Stack
from netmodel.symbolic._formulas import Formula

FIXED: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "asymptotic_rate_bounds_tps": {"demands_s": (1e-6, 2e-6)},
        "asymptotic_time_bounds_s": {"demands_s": (1e-6, 2e-6)},
        "balanced_rate_bounds_tps": {"demands_s": (1e-6, 2e-6)},
        "balanced_time_bounds_s": {"demands_s": (1e-6, 2e-6)},
        "ceiling_columns": {"stack": "ethernet/ipv4/tcp+timestamps", "message_bytes": ...},
        "erlang_b_blocking_ratio": {"parallel_count": 2},
        "erlang_c_waiting_ratio": {"parallel_count": 2},
        "from_us_per_gbit": {"unit": "ms/MB"},
        "knee_connection_count": {"demands_s": (1e-6, 2e-6)},
        "line_ceiling": {"stack": "ethernet/ipv4/tcp+timestamps"},
        "mm1k_loss_ratio": {"place_count": 3},
        "mmc_waiting_time_s": {"parallel_count": 2},
        "to_us_per_gbit": {"unit": "ms/MB"},
    }
)
"""Arguments that decide the shape of a formula, with an example; the others are symbols."""
REASONS: Mapping[str, str] = MappingProxyType(
    {
        "approximate_closed_network": "iterates until queues settle",
        "approximate_multiclass_network": "iterates until queues settle",
        "best_mix": "solves a linear program",
        "busiest_queue_flow_count": "sums over all ways to spread the flows",
        "consumption_change": "classifies a change of two numbers",
        "cpus_out_of_range": "takes CPUs, not quantities",
        "decode_rps_mask": "reads a text",
        "encode_rps_mask": "takes CPUs, not quantities",
        "endpoint_latencies": "decides by the values whether two reductions agree",
        "exact_closed_network": "a recursion over the number of connections",
        "exact_multiclass_network": "a recursion over the numbers of connections",
        "format_cpu_list": "takes CPUs, not quantities",
        "frame_time_segment": "returns all pairs of times, not a number",
        "general_service_closed_network": "a recursion over the number of connections",
        "load_dependent_closed_network": "a recursion over the number of connections",
        "lognormal_peak_ratio": "an inverse of the normal distribution, computed by the standard "
        "library",
        "max_window_bytes": "takes a whole number of bits to shift",
        "mix_scale": "solves a linear program",
        "mm1_place_count": "searches the next whole number",
        "normal_peak_ratio": "an inverse of the normal distribution, computed by the standard "
        "library",
        "pcie_raw_rate_bps": "a table of generations and lanes",
        "pcie_tlp_ceiling_bps": "a table of generations and lanes",
        "pcie_tlp_rate_bps": "a table of generations and lanes",
        "rdma_throughput": "decides by the values which limit is smallest",
        "saturation_rate_tps": "a minimum over as many stages as there are",
        "single_stage_rate_tps": "a recursion over the number of connections",
        "soft_minimum_rate_bps": "a power mean of as many limits as there are",
        "tcp_throughput": "decides by the values which limit is smallest",
        "usable_capacity_ratio": "sums over all ways to spread the flows",
    }
)
"""Functions without a symbolic form, and why."""


def reason_of(formula: Formula) -> str | None:
    """Why a function has no symbolic form; None where it has one."""
    if next(iter(formula.parameters), "") == "text":
        return "reads a text"
    returned = inspect.signature(formula.function).return_annotation
    if returned in (Layer, Stack):
        return f"makes a {returned.__name__.lower()}"
    return REASONS.get(formula.short_name)


def fixed_of(formula: Formula) -> dict[str, Any]:
    """Arguments that a formula needs for its symbolic form."""
    return dict(FIXED.get(formula.short_name, {}))
