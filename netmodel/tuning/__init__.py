"""Settings of a host: receive buffers, queues, socket buffers, pages, steering of packets."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.tuning._buffers import (
        QDIO_BUFFER_BYTES,
        buffer_drain_time_s,
        buffer_memory_bytes,
        drain_time_s,
        page_fill_ratio,
        pages_per_packet_count,
        queue_drain_time_s,
        queue_memory_bytes,
        queue_packet_count,
    )
    from netmodel.tuning._sockets import required_socket_buffer_bytes, socket_buffer_ratio
    from netmodel.tuning._steering import (
        MAX_CPU_COUNT,
        cpus_out_of_range,
        decode_rps_mask,
        encode_rps_mask,
        format_cpu_list,
        parse_cpu_list,
    )

__all__ = [
    "MAX_CPU_COUNT",
    "QDIO_BUFFER_BYTES",
    "buffer_drain_time_s",
    "buffer_memory_bytes",
    "cpus_out_of_range",
    "decode_rps_mask",
    "drain_time_s",
    "encode_rps_mask",
    "format_cpu_list",
    "page_fill_ratio",
    "pages_per_packet_count",
    "parse_cpu_list",
    "queue_drain_time_s",
    "queue_memory_bytes",
    "queue_packet_count",
    "required_socket_buffer_bytes",
    "socket_buffer_ratio",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_buffers": (
            "QDIO_BUFFER_BYTES",
            "buffer_drain_time_s",
            "buffer_memory_bytes",
            "drain_time_s",
            "page_fill_ratio",
            "pages_per_packet_count",
            "queue_drain_time_s",
            "queue_memory_bytes",
            "queue_packet_count",
        ),
        "_sockets": (
            "required_socket_buffer_bytes",
            "socket_buffer_ratio",
        ),
        "_steering": (
            "MAX_CPU_COUNT",
            "cpus_out_of_range",
            "decode_rps_mask",
            "encode_rps_mask",
            "format_cpu_list",
            "parse_cpu_list",
        ),
    },
)
