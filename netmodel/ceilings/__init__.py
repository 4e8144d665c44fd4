"""Rates that no software can exceed: what a line carries, and what an adapter leaves of it."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.ceilings._columns import ceiling_columns
    from netmodel.ceilings._duplex import (
        acknowledged_payload_rate_bps,
        full_duplex_transaction_rate_tps,
        half_duplex_transaction_rate_tps,
    )
    from netmodel.ceilings._line import LayerRates, LineCeiling, line_ceiling
    from netmodel.ceilings._memory import memory_path_payload_rate_bps
    from netmodel.ceilings._messages import MessageCeiling, TransactionCeiling
    from netmodel.ceilings._pcie_adapter import (
        PcieAdapter,
        pcie_nic_duplex_rate_bps,
        pcie_nic_receive_rate_bps,
        pcie_nic_transmit_rate_bps,
    )
    from netmodel.ceilings._pcie_link import (
        pcie_raw_rate_bps,
        pcie_read_latency_rate_bps,
        pcie_read_rate_bps,
        pcie_tlp_ceiling_bps,
        pcie_tlp_rate_bps,
        pcie_write_rate_bps,
    )
    from netmodel.ceilings._rates import (
        efficiency_ratio,
        frame_rate_fps,
        layer_rate_bps,
        payload_rate_bps,
    )
    from netmodel.ceilings._required import (
        MAX_PACKET_BYTES,
        required_line_rate_bps,
        required_mtu_bytes,
    )
    from netmodel.ceilings._service import (
        frame_rate_of_payload_fps,
        frame_time_of_rate_s,
        frame_time_s,
        stage_payload_rate_bps,
    )
    from netmodel.ceilings._service_segment import FrameTimes, FrameTimeSegment, frame_time_segment
    from netmodel.ceilings._service_shared import (
        pipelined_payload_rate_bps,
        serial_payload_rate_bps,
        shared_engine_payload_rate_bps,
        shared_engine_utilisation_ratio,
        soft_minimum_rate_bps,
        wire_time_s,
    )

__all__ = [
    "MAX_PACKET_BYTES",
    "FrameTimeSegment",
    "FrameTimes",
    "LayerRates",
    "LineCeiling",
    "MessageCeiling",
    "PcieAdapter",
    "TransactionCeiling",
    "acknowledged_payload_rate_bps",
    "ceiling_columns",
    "efficiency_ratio",
    "frame_rate_fps",
    "frame_rate_of_payload_fps",
    "frame_time_of_rate_s",
    "frame_time_s",
    "frame_time_segment",
    "full_duplex_transaction_rate_tps",
    "half_duplex_transaction_rate_tps",
    "layer_rate_bps",
    "line_ceiling",
    "memory_path_payload_rate_bps",
    "payload_rate_bps",
    "pcie_nic_duplex_rate_bps",
    "pcie_nic_receive_rate_bps",
    "pcie_nic_transmit_rate_bps",
    "pcie_raw_rate_bps",
    "pcie_read_latency_rate_bps",
    "pcie_read_rate_bps",
    "pcie_tlp_ceiling_bps",
    "pcie_tlp_rate_bps",
    "pcie_write_rate_bps",
    "pipelined_payload_rate_bps",
    "required_line_rate_bps",
    "required_mtu_bytes",
    "serial_payload_rate_bps",
    "shared_engine_payload_rate_bps",
    "shared_engine_utilisation_ratio",
    "soft_minimum_rate_bps",
    "stage_payload_rate_bps",
    "wire_time_s",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_columns": ("ceiling_columns",),
        "_duplex": (
            "acknowledged_payload_rate_bps",
            "full_duplex_transaction_rate_tps",
            "half_duplex_transaction_rate_tps",
        ),
        "_line": (
            "LayerRates",
            "LineCeiling",
            "line_ceiling",
        ),
        "_memory": ("memory_path_payload_rate_bps",),
        "_messages": (
            "MessageCeiling",
            "TransactionCeiling",
        ),
        "_pcie_adapter": (
            "PcieAdapter",
            "pcie_nic_duplex_rate_bps",
            "pcie_nic_receive_rate_bps",
            "pcie_nic_transmit_rate_bps",
        ),
        "_pcie_link": (
            "pcie_raw_rate_bps",
            "pcie_read_latency_rate_bps",
            "pcie_read_rate_bps",
            "pcie_tlp_ceiling_bps",
            "pcie_tlp_rate_bps",
            "pcie_write_rate_bps",
        ),
        "_rates": (
            "efficiency_ratio",
            "frame_rate_fps",
            "layer_rate_bps",
            "payload_rate_bps",
        ),
        "_required": (
            "MAX_PACKET_BYTES",
            "required_line_rate_bps",
            "required_mtu_bytes",
        ),
        "_service": (
            "frame_rate_of_payload_fps",
            "frame_time_of_rate_s",
            "frame_time_s",
            "stage_payload_rate_bps",
        ),
        "_service_segment": (
            "FrameTimes",
            "FrameTimeSegment",
            "frame_time_segment",
        ),
        "_service_shared": (
            "pipelined_payload_rate_bps",
            "serial_payload_rate_bps",
            "shared_engine_payload_rate_bps",
            "shared_engine_utilisation_ratio",
            "soft_minimum_rate_bps",
            "wire_time_s",
        ),
    },
)
