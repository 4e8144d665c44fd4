"""Settings of a host: receive buffers, queues, socket buffers, pages, steering of packets."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from ._buffers import buffer_drain_time_s as buffer_drain_time_s
    from ._buffers import buffer_memory_bytes as buffer_memory_bytes
    from ._buffers import drain_time_s as drain_time_s
    from ._buffers import page_fill_ratio as page_fill_ratio
    from ._buffers import pages_per_packet_count as pages_per_packet_count
    from ._buffers import queue_drain_time_s as queue_drain_time_s
    from ._buffers import queue_memory_bytes as queue_memory_bytes
    from ._buffers import queue_packet_count as queue_packet_count
    from ._buffers import required_socket_buffer_bytes as required_socket_buffer_bytes
    from ._buffers import socket_buffer_ratio as socket_buffer_ratio
    from ._steering import cpus_out_of_range as cpus_out_of_range
    from ._steering import decode_rps_mask as decode_rps_mask
    from ._steering import encode_rps_mask as encode_rps_mask
    from ._steering import format_cpu_list as format_cpu_list
    from ._steering import parse_cpu_list as parse_cpu_list
