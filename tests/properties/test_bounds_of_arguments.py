"""Every argument of every formula at its bounds and right beyond them."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas

from netmodel.errors import DomainError

Numbers = Mapping[str, float]

LEAST: dict[str, tuple[str, ...]] = {
    "at least 0": (
        *("ack_count", "ack_wire_bytes", "arrival_rate_tps", "arrival_variation_ratio"),
        *("batch_variation_ratio", "batching_time_s", "bit_error_ratio", "buffer_count"),
        *("buffer_ratio", "busy_core_count", "busy_cpu_count", "coalescing_time_s"),
        *("coherency_ratio", "congestion_window_bytes", "consumption", "consumption_us_per_gbit"),
        *("contention_ratio", "core_count", "cpu_time_per_transaction_s", "cpu_time_s"),
        *("cycles_per_byte", "datagram_bytes", "delayed_ack_s", "demand_bps", "demand_s"),
        *("deviation_s", "distance_m", "endpoint_latency_s", "enqueue_time_s", "equipment_time_s"),
        *("failed_count", "fragment_header_bytes", "frame_rate_fps", "handshake_count"),
        *("hash_time_s", "header_bytes", "idle_time_s", "in_frame_rate_fps", "in_frame_time_s"),
        *("ip_header_bytes", "ipi_time_s", "layer_bytes", "link_header_bytes", "loss_ratio"),
        *("management_core_count", "margin_ratio", "ms_per_transaction", "offered_load_erlang"),
        *("out_frame_rate_fps", "out_frame_time_s", "overlap_ratio", "packet_bytes"),
        *("packet_count", "queue_time_s", "queued_bytes", "rate_at_one_tps"),
        *("receive_window_bytes", "retransmitted_bytes", "rmbe_bytes", "segment_count"),
        *("send_buffer_bytes", "service_time_s", "service_variation_ratio", "spare_count"),
        *("stage_time_s", "think_time_s", "thread_time_s", "time_per_ack_s", "time_per_batch_s"),
        *("time_per_byte_s", "time_per_frame_s", "time_per_interrupt_s", "time_per_message_s"),
        *("time_per_packet_s", "time_per_transaction_s", "time_per_visit_s", "time_per_wakeup_s"),
        *("transaction_rate_tps", "utilisation_ratio", "variation_ratio"),
        *("visits_per_transaction", "window_bytes"),
        "busy_cpu_count.payload_rate_bps",
        "closed_connection_count.transaction_time_s",
        "closed_transaction_rate_tps.connection_count",
        "cubic_recovery_time_s.window_segment_count",
        "frame_rate_of_payload_fps.payload_rate_bps",
        "frame_time_s.payload_bytes",
        "message_cpu_time_s.message_bytes",
        "pftk_approximate_rate_bps.loss_event_ratio",
        "pftk_payload_rate_bps.loss_event_ratio",
        "pftk_received_rate_bps.loss_event_ratio",
        "required_cpu_count.payload_rate_bps",
        # what follows from no distance at all is finite
        *("bandwidth_delay_product_bytes.round_trip_s", "cubic_window_segment_count.round_trip_s"),
        *("full_utilisation_buffer_bytes.round_trip_s", "go_back_n_payload_rate_bps.round_trip_s"),
        *("latency_ratio.round_trip_s", "pfc_headroom_bytes.round_trip_s"),
        *("retransmission_timeout_s.round_trip_s", "short_transfer_time_s.round_trip_s"),
        "used_queue_count.flow_count",
        "wire_time_s.wire_bytes",
    ),
    "above 0": (
        *("actual_transfer_time_s", "baseline_latency_s", "baseline_round_trip_s"),
        *("buffer_bytes", "busiest_share_ratio", "capacity_bps", "consumption_ratio"),
        *("copy_rate_bps", "cpu_frequency_hz", "cpu_time_ratio", "data_bits", "data_bytes"),
        *("data_ratio", "decrease_ratio", "drain_rate_bps", "efficiency_ratio", "frame_time_s"),
        *("ideal_transfer_time_s", "in_payload_rate_bps", "latency_s", "line_rate_bps"),
        *("link_capacity_bps", "loss_event_ratio", "max_payload_bytes", "max_read_request_bytes"),
        *("max_utilisation_ratio", "message_bytes", "out_payload_rate_bps", "page_bytes"),
        *("path_rate_bps", "payload_bytes", "payload_rate_bps", "poll_time_s", "protocol_time_s"),
        *("rdma_mtu_bytes", "request_wire_bytes", "response_wire_bytes", "round_trip_s"),
        *("segment_bytes", "sent_bytes", "tag_count", "timeout_s", "tlp_rate_bps"),
        *("transaction_bytes", "transaction_time_ratio", "transaction_time_s"),
        *("transfer_bytes", "window_share_ratio", "wire_bytes", "mtu_bytes"),
        "cycle_budget_per_frame.frame_rate_fps",
        "frame_loss_ratio.frame_bytes",
        "scalability_peak_connection_count.coherency_ratio",
        "us_per_gbit_to_gbps_per_core.consumption_us_per_gbit",
    ),
    "at least 1": (
        *("connection_count", "cpu_count", "flow_count", "frames_per_interrupt"),
        *("frames_per_ipi", "group_index", "initial_window_segment_count"),
        *("max_frames_per_interrupt", "mean_batch_count", "messages_per_wakeup"),
        *("parallel_count", "queue_count", "route_factor", "segments_per_ack"),
        *("segments_per_packet", "smt_gain_ratio", "source_count", "window_segment_count"),
    ),
    "at least 64": ("frame_bytes",),  # IEEE 802.3, the shortest frame
    "at least 321": ("max_aggregate_bytes",),
    "at least 352": ("rdma_mtu_bytes.mtu_bytes",),  # InfiniBand's 256 and the headers around it
}
"""Lowest value of arguments, by argument or, where formulas differ, by formula and argument."""

MOST: dict[str, tuple[str, ...]] = {
    "at most 1": (
        *("busiest_share_ratio", "contention_ratio", "decrease_ratio", "efficiency_ratio"),
        *("loss_event_ratio", "max_utilisation_ratio", "overlap_ratio", "utilisation_ratio"),
        "window_share_ratio",
    ),
    "below 1": ("bit_error_ratio", "loss_ratio"),
    "at most 2": ("smt_gain_ratio",),
    "at most 65527": ("datagram_bytes",),  # RFC 768: a length of 16 bits, 8 of them the header
    # RFC 7323: 16 bits, shifted by at most 14
    "at most 1073725440": ("receive_window_bytes", "window_shift_count.window_bytes"),
    "at most 65534": ("required_mtu_bytes.header_bytes",),  # one byte of payload in 65535
}
"""Highest value of arguments; where missing there is none."""

TOGETHER: dict[str, tuple[str, Callable[[Numbers], float]]] = {
    "adapter_use_ratio.adapter_count": ("above", lambda given: given["failed_count"]),
    "buffer_delay_ratio.mean_round_trip_s": (
        "at least",
        lambda given: given["baseline_round_trip_s"],
    ),
    "burst_loss_event_ratio.mean_burst_count": (
        "at least",
        lambda given: 1 / (1 - given["loss_ratio"]),
    ),
    "efficiency_ratio.mtu_bytes": ("above", lambda given: given["header_bytes"]),
    "payload_bytes.mtu_bytes": ("above", lambda given: given["header_bytes"]),
    "payload_rate_bps.mtu_bytes": ("above", lambda given: given["header_bytes"]),
    "required_line_rate_bps.mtu_bytes": ("above", lambda given: given["header_bytes"]),
    "udp_packet_count.mtu_bytes": (
        "at least",  # a fragment carries eight bytes, RFC 791
        lambda given: given["ip_header_bytes"] + given["fragment_header_bytes"] + 8,
    ),
    "udp_wire_bytes.mtu_bytes": (
        "at least",
        lambda given: given["ip_header_bytes"] + given["fragment_header_bytes"] + 8,
    ),
    "effective_core_count.busy_thread_count": ("at least", lambda given: given["busy_core_count"]),
}
"""Lowest value of arguments that depends on another argument."""

TOGETHER_MOST: dict[str, Callable[[Numbers], float]] = {
    "acknowledged_payload_rate_bps.payload_bytes": lambda given: given["wire_bytes"],
    "effective_core_count.busy_thread_count": lambda given: 2 * given["busy_core_count"],
    "layer_rate_bps.layer_bytes": lambda given: given["wire_bytes"],
    # the largest packet of IP fills 65535 byte; FCS, preamble and gap take 24 more
    "required_mtu_bytes.payload_rate_bps": lambda given: (
        given["line_rate_bps"]
        * (65535 - given["header_bytes"])
        / (65535 + given["link_header_bytes"] + 24)
    ),
    "pipelined_payload_rate_bps.payload_bytes": lambda given: given["wire_bytes"],
    "serial_payload_rate_bps.payload_bytes": lambda given: given["wire_bytes"],
    "tcp_efficiency_ratio.retransmitted_bytes": lambda given: given["sent_bytes"],
}
"""Highest value of arguments that depends on another argument; it is accepted."""

ARGUMENTS = [(formula, name) for formula in public_formulas() for name in formula.quantities]
each_argument = pytest.mark.parametrize(
    ("formula", "name"), ARGUMENTS, ids=[f"{formula}-{name}" for formula, name in ARGUMENTS]
)


def middle(formula: Formula) -> dict[str, Any]:
    chosen = {name: CHOICES[name][0] for name in formula.choices}
    return chosen | {name: sum(DOMAINS[name]) / 2 for name in formula.quantities}


def bound_of(
    table: Mapping[str, tuple[str, ...]], formula: Formula, name: str
) -> tuple[str, float] | None:
    """Relation and number that a table has for the argument of this formula, else of any."""
    for key in (f"{formula.function.__name__}.{name}", name):
        for bound, names in table.items():
            if key in names:
                relation, number = bound.rsplit(" ", 1)
                return relation, float(number)
    return None


def is_refused(formula: Formula, name: str, value: float) -> bool:
    """Whether a value of an argument is refused by its name, with others in the middle."""
    try:
        result = formula.function(**middle(formula) | {name: value})
    except DomainError as error:
        return str(error).startswith(f"{name} must be ")
    assert not math.isnan(result)
    return False


@each_argument
def test_the_lowest_value_is_accepted_and_none_below_it(formula: Formula, name: str) -> None:
    together = TOGETHER.get(f"{formula.function.__name__}.{name}")
    if together:
        relation, limit = together[0], together[1](middle(formula))
    else:
        bound = bound_of(LEAST, formula, name)
        assert bound is not None, "not in LEAST"
        relation, limit = bound
    assert is_refused(formula, name, limit) is (relation == "above")
    assert is_refused(formula, name, math.nextafter(limit, -math.inf))
    assert not is_refused(formula, name, limit + 1e-9 * max(limit, 1e-3))


@each_argument
def test_the_highest_value_is_accepted_and_none_above_it(formula: Formula, name: str) -> None:
    together = TOGETHER_MOST.get(f"{formula.function.__name__}.{name}")
    bound = ("at most", together(middle(formula))) if together else bound_of(MOST, formula, name)
    if bound is None:
        assert not is_refused(formula, name, 10 * DOMAINS[name][1])
        return
    relation, limit = bound
    assert is_refused(formula, name, limit) is (relation == "below")
    assert is_refused(formula, name, math.nextafter(limit, math.inf))
    assert not is_refused(formula, name, math.nextafter(limit, -math.inf))


def test_each_entry_is_that_of_an_argument() -> None:
    names = {name for _, name in ARGUMENTS}
    names |= {f"{formula.function.__name__}.{name}" for formula, name in ARGUMENTS}
    listed = [name for table in (LEAST, MOST) for entries in table.values() for name in entries]
    assert {*listed, *TOGETHER, *TOGETHER_MOST} <= names
