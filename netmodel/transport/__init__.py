"""Rates that distance, windows and loss leave, and how long a transfer takes."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from ._buffers import full_utilisation_buffer_bytes as full_utilisation_buffer_bytes
    from ._buffers import pfc_headroom_bytes as pfc_headroom_bytes
    from ._buffers import reno_utilisation_ratio as reno_utilisation_ratio
    from ._cubic import cubic_allowed_loss_event_ratio as cubic_allowed_loss_event_ratio
    from ._cubic import cubic_crossover_round_trip_s as cubic_crossover_round_trip_s
    from ._cubic import cubic_payload_rate_bps as cubic_payload_rate_bps
    from ._cubic import cubic_recovery_time_s as cubic_recovery_time_s
    from ._cubic import cubic_window_segment_count as cubic_window_segment_count
    from ._cubic import reno_window_segment_count as reno_window_segment_count
    from ._distance import endpoint_latencies as endpoint_latencies
    from ._distance import latency_ratio as latency_ratio
    from ._distance import propagation_delay_s as propagation_delay_s
    from ._distance import propagation_round_trip_s as propagation_round_trip_s
    from ._loss import MAX_RESPONSE_LOSS_EVENT_RATIO as MAX_RESPONSE_LOSS_EVENT_RATIO
    from ._loss import burst_loss_event_ratio as burst_loss_event_ratio
    from ._loss import frame_loss_ratio as frame_loss_ratio
    from ._loss import go_back_n_payload_rate_bps as go_back_n_payload_rate_bps
    from ._loss import mathis_payload_rate_bps as mathis_payload_rate_bps
    from ._loss import pftk_approximate_rate_bps as pftk_approximate_rate_bps
    from ._loss import pftk_payload_rate_bps as pftk_payload_rate_bps
    from ._loss import pftk_received_rate_bps as pftk_received_rate_bps
    from ._loss import random_loss_event_ratio as random_loss_event_ratio
    from ._loss import retransmission_timeout_s as retransmission_timeout_s
    from ._loss import tfrc_payload_rate_bps as tfrc_payload_rate_bps
    from ._metrics import available_capacity_bps as available_capacity_bps
    from ._metrics import buffer_delay_ratio as buffer_delay_ratio
    from ._metrics import tcp_efficiency_ratio as tcp_efficiency_ratio
    from ._metrics import transfer_time_ratio as transfer_time_ratio
    from ._throughput import rdma_throughput as rdma_throughput
    from ._throughput import tcp_throughput as tcp_throughput
    from ._transfer import lossy_transfer_time_s as lossy_transfer_time_s
    from ._transfer import restarted_window_segment_count as restarted_window_segment_count
    from ._transfer import short_transfer_time_s as short_transfer_time_s
    from ._transfer import slow_start_round_count as slow_start_round_count
    from ._window import MAX_WINDOW_BYTES as MAX_WINDOW_BYTES
    from ._window import bandwidth_delay_product_bytes as bandwidth_delay_product_bytes
    from ._window import effective_window_bytes as effective_window_bytes
    from ._window import max_window_bytes as max_window_bytes
    from ._window import required_window_bytes as required_window_bytes
    from ._window import window_limited_payload_rate_bps as window_limited_payload_rate_bps
    from ._window import window_payload_rate_bps as window_payload_rate_bps
    from ._window import window_shift_count as window_shift_count
