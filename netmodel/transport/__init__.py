"""What distance and window leave of a rate: propagation, bandwidth-delay product, windows."""

from netmodel.transport._distance import (
    SILICA_GROUP_INDEX,
    SPEED_OF_LIGHT_MPS,
    EndpointLatencies,
    endpoint_latencies,
    latency_ratio,
    propagation_delay_s,
    propagation_round_trip_s,
)
from netmodel.transport._window import (
    MAX_WINDOW_BYTES,
    MAX_WINDOW_SHIFT_COUNT,
    bandwidth_delay_product_bytes,
    effective_window_bytes,
    max_window_bytes,
    required_window_bytes,
    window_limited_payload_rate_bps,
    window_payload_rate_bps,
    window_shift_count,
)

__all__ = [
    "MAX_WINDOW_BYTES",
    "MAX_WINDOW_SHIFT_COUNT",
    "SILICA_GROUP_INDEX",
    "SPEED_OF_LIGHT_MPS",
    "EndpointLatencies",
    "bandwidth_delay_product_bytes",
    "effective_window_bytes",
    "endpoint_latencies",
    "latency_ratio",
    "max_window_bytes",
    "propagation_delay_s",
    "propagation_round_trip_s",
    "required_window_bytes",
    "window_limited_payload_rate_bps",
    "window_payload_rate_bps",
    "window_shift_count",
]
