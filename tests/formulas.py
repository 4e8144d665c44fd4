"""Every public formula of the formula layers, and numbers that each of its arguments accepts."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

from netmodel import ceilings, concurrency, consumption, framing, transport, tuning, units
from netmodel.ceilings import PcieAdapter
from netmodel.consumption import ConsumptionUnit
from netmodel.planning import sizing

__all__ = [
    "CHOICES",
    "DOMAINS",
    "FORMULA_LAYERS",
    "NOT_FORMULAS",
    "Formula",
    "public_formulas",
    "public_functions",
    "stale_names",
    "valid_arguments",
]

FORMULA_LAYERS = (framing, ceilings, consumption, transport, tuning, concurrency, sizing)

NOT_FORMULAS = {
    "to_us_per_gbit": "takes a unit",
    "from_us_per_gbit": "takes a unit",
    "approximate_closed_network": "takes one demand for each stage, and answers with queues",
    "approximate_multiclass_network": "takes a table of demands, and answers with a network",
    "asymptotic_time_bounds_s": "takes one demand for each stage, and answers with Bounds",
    "balanced_time_bounds_s": "takes one demand for each stage, and answers with Bounds",
    "exact_multiclass_network": "takes a table of demands, and answers with a network",
    "saturation_rate_tps": "takes one demand for each stage",
    "consumption_change": "answers with a CostChange, of two numbers only",
    "cpus_out_of_range": "takes CPUs, not quantities",
    "decode_rps_mask": "reads a text",
    "format_cpu_list": "takes CPUs, not quantities",
    "endpoint_latencies": "answers with EndpointLatencies, of single numbers only",
    "max_window_bytes": "takes whole numbers only",
    "closed_transaction_time_s": "refuses rates that a think time does not allow",
    "consumption_by_unit": "answers with a number in each unit",
    "encode_rps_mask": "takes CPUs, not quantities",
    "rdma_throughput": "answers with several rates",
    "tcp_throughput": "answers with several rates",
    "parse_cpu_list": "reads a text",
    "asymptotic_rate_bounds_tps": "takes one demand for each stage, and answers with Bounds",
    "balanced_rate_bounds_tps": "takes one demand for each stage, and answers with Bounds",
    "busiest_queue_flow_count": "takes whole numbers only",
    "ethernet": "makes a layer",
    "exact_closed_network": "takes one demand for each stage, and answers with queues",
    "load_dependent_closed_network": "takes one demand for each stage, and answers with queues",
    "frame_time_segment": "answers with a FrameTimeSegment",
    "ipv4": "makes a layer",
    "ipv6": "makes a layer",
    "erlang_b_blocking_ratio": "takes one whole number of servers",
    "erlang_c_waiting_ratio": "takes one whole number of servers",
    "esp": "makes a layer",
    "geneve": "makes a layer",
    "gre": "makes a layer",
    "iscsi": "makes a layer",
    "iwarp": "makes a layer",
    "mm1_place_count": "takes numbers only, and answers with a whole one",
    "mm1k_loss_ratio": "takes one whole number of places",
    "mmc_waiting_time_s": "takes one whole number of servers",
    "mpa_markers": "makes a layer",
    "nvme_tcp": "makes a layer",
    "quic": "makes a layer",
    "smcr": "makes a layer",
    "tls": "makes a layer",
    "knee_connection_count": "takes one demand for each stage",
    "llc_snap": "makes a layer",
    "macsec": "makes a layer",
    "mpls": "makes a layer",
    "pppoe": "makes a layer",
    "rocev1": "makes a layer",
    "rocev2": "makes a layer",
    "vxlan": "makes a layer",
    "wireguard": "makes a layer",
    "parse_stack": "reads a text",
    "pcie_raw_rate_bps": "takes the name of a link, not quantities",
    "pcie_tlp_ceiling_bps": "takes the name of a link, not quantities",
    "pcie_tlp_rate_bps": "takes the name of a link, not quantities",
    "ceiling_columns": "takes a stack, and answers with named columns",
    "line_ceiling": "takes a stack, and answers with a LineCeiling",
    "parse_consumption_us_per_gbit": "reads a text",
    "qinq": "makes a layer",
    "soft_minimum_rate_bps": "takes as many limits as there are",
    "tcp": "makes a layer",
    "tcp_stack": "makes a stack",
    "udp": "makes a layer",
    "udp_stack": "makes a stack",
    "lognormal_peak_ratio": "takes no symbols, and ends in another digit for arrays",
    "usable_capacity_ratio": "takes whole numbers only",
    "vlan": "makes a layer",
}

DOMAINS: dict[str, tuple[float, float]] = {
    "packet_count": (0, 1e5),
    "ideal_transfer_time_s": (0.001, 100),
    "actual_transfer_time_s": (0.001, 100),
    "retransmitted_bytes": (0, 1e5),
    "sent_bytes": (1e5, 1e9),
    "idle_time_s": (0, 100),
    "delayed_ack_s": (0, 1),
    "baseline_latency_s": (1e-6, 1),
    "endpoint_latency_s": (0, 1),
    "rmbe_bytes": (0, 1e9),
    "send_buffer_bytes": (0, 1e9),
    "congestion_window_bytes": (0, 1e9),
    "receive_window_bytes": (0, 1e9),
    "baseline_round_trip_s": (1e-6, 1),
    "mean_round_trip_s": (1, 10),
    "link_capacity_bps": (1e6, 1e12),
    "cpu_time_per_transaction_s": (0, 1),
    "consumption": (0, 1e7),
    "overlap_ratio": (0, 1),
    "thread_time_s": (0, 1e5),
    "ms_per_transaction": (0, 1e4),
    "transaction_time_ratio": (0.01, 100),
    "cycles_per_byte": (0, 1000),
    "consumption_ratio": (0.01, 100),
    "busiest_share_ratio": (0.01, 1),
    "visits_per_transaction": (0, 1e6),
    "time_per_visit_s": (0, 1),
    "max_frames_per_interrupt": (1, 300),
    "bit_error_ratio": (0, 1e-3),
    "buffer_bytes": (1, 1e7),
    "buffer_count": (0, 8192),
    "deviation_s": (0, 1),
    "buffer_ratio": (0, 2),
    "decrease_ratio": (0.1, 1),
    "handshake_count": (0, 3),
    "initial_window_segment_count": (1, 100),
    "transfer_bytes": (1, 1e9),
    "distance_m": (0, 1e7),
    "drain_rate_bps": (1e6, 1e12),
    "equipment_time_s": (0, 1),
    "flow_count": (1, 1000),
    "group_index": (1, 4),
    "loss_event_ratio": (1e-8, 1),
    "loss_ratio": (0, 0.3),
    "mean_burst_count": (2, 50),
    "page_bytes": (512, 65536),
    "path_rate_bps": (1e8, 1e12),
    "queue_time_s": (0, 1),
    "queued_bytes": (0, 1e9),
    "rdma_mtu_bytes": (256, 4096),
    "round_trip_s": (1e-6, 1),
    "route_factor": (1, 3),
    "timeout_s": (0.01, 60),
    "window_bytes": (0, 1e9),
    "window_segment_count": (1, 1e6),
    "window_share_ratio": (0.01, 1),
    "consumption_us_per_gbit": (1, 1e7),
    "cpu_frequency_hz": (1e9, 6e9),
    "cpu_time_ratio": (0.01, 100),
    "cpu_time_s": (0, 1e5),
    "data_bits": (1e3, 1e15),
    "data_ratio": (0.01, 100),
    "datagram_bytes": (0, 65507),
    "fragment_header_bytes": (0, 8),
    "frame_bytes": (64, 9216),
    "frame_rate_fps": (1, 1e9),
    "header_bytes": (0, 200),
    "ip_header_bytes": (20, 200),
    "ack_wire_bytes": (84, 200),
    "data_bytes": (1, 9000),
    "max_payload_bytes": (128, 4096),
    "max_read_request_bytes": (128, 4096),
    "tag_count": (1, 1024),
    "copy_rate_bps": (1e9, 1e12),
    "time_per_message_s": (0, 1),
    "latency_s": (1e-7, 1),
    "tlp_rate_bps": (1e9, 1e12),
    "layer_bytes": (0, 1500),
    "max_aggregate_bytes": (321, 524280),
    "payload_bytes": (1, 1500),
    "request_wire_bytes": (84, 1e6),
    "response_wire_bytes": (84, 1e6),
    "segments_per_ack": (1, 45),
    "line_rate_bps": (1e9, 4e9),
    "link_header_bytes": (0, 60),
    "max_utilisation_ratio": (0.01, 1),
    "message_bytes": (1, 1e9),
    "mtu_bytes": (352, 65535),
    "packet_bytes": (0, 65535),
    "payload_rate_bps": (1e8, 9e8),
    "segment_bytes": (1, 9000),
    "transaction_bytes": (1, 1e9),
    "transaction_rate_tps": (0, 1e8),
    "ack_count": (0, 100),
    "capacity_bps": (1e9, 1e12),
    "demand_bps": (0, 1e12),
    "spare_count": (0, 9),
    "arrival_rate_tps": (0, 900),
    "arrival_variation_ratio": (0, 10),
    "batch_variation_ratio": (0, 10),
    "batching_time_s": (0, 1),
    "busy_core_count": (6, 8),
    "busy_thread_count": (8, 12),
    "coalescing_time_s": (0, 1e-3),
    "coherency_ratio": (1e-6, 1),
    "connection_count": (1, 1e5),
    "contention_ratio": (0, 1),
    "core_count": (0, 1000),
    "cpu_count": (1, 1024),
    "demand_s": (0, 1),
    "efficiency_ratio": (0.01, 1),
    "enqueue_time_s": (0, 1),
    "frame_time_s": (1e-9, 1),
    "frames_per_interrupt": (1, 300),
    "frames_per_ipi": (1, 300),
    "hash_time_s": (0, 1),
    "in_frame_rate_fps": (0, 1e8),
    "in_frame_time_s": (0, 1),
    "in_payload_rate_bps": (1e6, 1e12),
    "ipi_time_s": (0, 1),
    "management_core_count": (0, 1),
    "mean_batch_count": (1, 361),
    "messages_per_wakeup": (1, 100),
    "offered_load_erlang": (0, 1e6),
    "out_frame_rate_fps": (0, 1e8),
    "out_frame_time_s": (0, 1),
    "out_payload_rate_bps": (1e6, 1e12),
    "poll_time_s": (1e-9, 1),
    "protocol_time_s": (1e-9, 1),
    "queue_count": (1, 1024),
    "rate_at_one_tps": (0, 1e8),
    "segment_count": (0, 1e5),
    "segments_per_packet": (1, 361),
    "parallel_count": (1, 1000),
    "service_time_s": (0, 1e-3),
    "service_variation_ratio": (0, 10),
    "smt_gain_ratio": (1, 2),
    "stage_time_s": (0, 1e-4),
    "think_time_s": (0, 100),
    "time_per_ack_s": (0, 1),
    "time_per_batch_s": (0, 1),
    "time_per_byte_s": (0, 1),
    "time_per_frame_s": (0, 1),
    "time_per_interrupt_s": (0, 1),
    "time_per_packet_s": (0, 1),
    "time_per_transaction_s": (0, 1),
    "time_per_wakeup_s": (0, 1),
    "transaction_time_s": (1e-6, 100),
    "utilisation_ratio": (0, 1),
    "variation_ratio": (0, 10),
    "wire_bytes": (1500, 65635),
}
"""Lowest and highest number drawn for an argument: any mixture of them is valid input."""

CHOICES: dict[str, tuple[object, ...]] = {
    "adapter": tuple(PcieAdapter),
    "flit_mode": (False, True),
}
"""Arguments that are no quantity, and what they may be."""

EXAMPLES: dict[str, object] = {
    "consumption": 1.0,
    "unit": ConsumptionUnit.MS_PER_MB,
    "connection_counts": [1, 2],
    "first_reduction_ratio": 0.47,
    "first_round_trip_s": 98e-6,
    "mask": "4b",
    "second_reduction_ratio": 0.09,
    "second_round_trip_s": 980e-6,
    "shift_count": 7,
    "arrival_rate_tps": 1e5,
    "censored_frame_time_s": 3e-6,
    "censored_payload_bytes": 8948,
    "connection_count": 10,
    "cpu_count": 4,
    "cpu_time_ratio": 1.2,
    "cpus": [0, 1],
    "data_ratio": 1.1,
    "demands_s": [[1e-6], [2e-6]],
    "flow_count": 10,
    "frame_time_s": 1e-6,
    "frequency_hz": 1e9,
    "generation": 3,
    "ip_version": 4,
    "lanes": 8,
    "limits_bps": [1e9, 2e9],
    "line_rate_bps": 25e9,
    "max_payload_bytes": 256,
    "message_bytes": 1000,
    "mtu_bytes": 1500,
    "offered_load_erlang": 1.5,
    "overflow_ratio": 1e-6,
    "parallel_count": 2,
    "parallel_counts": [1, 1],
    "payload_bytes": 1448,
    "place_count": 4,
    "quantile_ratio": 0.95,
    "queue_count": 4,
    "rate_bps": 1e9,
    "sharpness": 8.0,
    "service_time_s": 1e-6,
    "significant_digits": 3,
    "size_bytes": 1000,
    "stack": framing.tcp_stack(),
    "time_s": 1e-6,
    "transaction_rate_tps": 10,
    "utilisation_ratio": 0.8,
    "variation_ratio": 0.5,
}
"""A valid value of each argument that a function which is no formula demands."""

TEXTS = {
    "parse_consumption_us_per_gbit": "6.95 ms/MiB",
    "parse_count": "250",
    "parse_cpu_list": "0-7",
    "parse_frequency_hz": "5.2 GHz",
    "parse_length_m": "100 km",
    "parse_rate_bps": "25 Gbit/s",
    "parse_ratio": "0.95",
    "parse_size_bytes": "1500",
    "parse_stack": "ethernet/ipv4/tcp",
    "parse_time_s": "1.2 µs",
    "split_quantity": "6.95 ms/MiB",
}
"""What each function that reads a text reads."""


@dataclass(frozen=True)
class Formula:
    """A public function of quantities."""

    function: Callable[..., Any]
    quantities: tuple[str, ...]
    choices: tuple[str, ...]

    def with_choices(self, chosen: Mapping[str, object]) -> Callable[..., Any]:
        """The function with its arguments that are no quantity filled in."""
        return partial(self.function, **{name: chosen[name] for name in self.choices})

    def __str__(self) -> str:
        return f"{self.function.__module__.split('.')[1]}.{self.function.__name__}"


def public_functions(*modules: ModuleType) -> Iterator[Callable[..., Any]]:
    """Each function that a package lists in ``__all__``, or that a module defines."""
    for module in modules:
        own = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        ]
        for name in getattr(module, "__all__", own):
            if inspect.isfunction(function := getattr(module, name)):
                yield function


def public_formulas() -> list[Formula]:
    """All formulas; an argument that nobody described is an error that says where to do so."""
    return [
        _formula(function)
        for function in public_functions(*FORMULA_LAYERS)
        if function.__name__ not in NOT_FORMULAS
    ]


def valid_arguments(function: Callable[..., Any]) -> dict[str, object]:
    """A valid value for each argument that a public function demands."""
    demanded = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is inspect.Parameter.empty
    ]
    if function.__name__ in TEXTS:
        return dict.fromkeys(demanded, TEXTS[function.__name__])
    known: dict[str, object] = {name: sum(ends) / 2 for name, ends in DOMAINS.items()}
    if function.__name__ in NOT_FORMULAS:
        known |= EXAMPLES
    known |= {name: choices[0] for name, choices in CHOICES.items()}
    return {name: known[name] if name in known else EXAMPLES[name] for name in demanded}


def _formula(function: Callable[..., Any]) -> Formula:
    names = tuple(inspect.signature(function).parameters)
    unknown = [name for name in names if name not in DOMAINS and name not in CHOICES]
    if unknown:
        raise LookupError(
            f"{function.__module__}.{function.__name__}: no domain for {', '.join(unknown)}; add "
            "the lowest and highest valid number to DOMAINS in tests/formulas.py, or the "
            "function with a reason to NOT_FORMULAS if it is no formula of quantities"
        )
    quantities = tuple(name for name in names if name in DOMAINS)
    return Formula(function, quantities, tuple(name for name in names if name in CHOICES))


def stale_names() -> set[str]:
    """Entries of the tables above that no public function has any more."""
    functions = list(public_functions(*FORMULA_LAYERS, units))
    names = {name for function in functions for name in inspect.signature(function).parameters}
    return (set(NOT_FORMULAS) - {function.__name__ for function in functions}) | (
        (set(DOMAINS) | set(CHOICES)) - names
    )
