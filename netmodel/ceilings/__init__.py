"""Rates that no software can exceed: what a line carries, and what an adapter leaves of it."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from ._capacity import ByteLayer as ByteLayer
    from ._capacity import Capacity as Capacity
    from ._line import LineCeiling as LineCeiling
    from ._line import MessageCeiling as MessageCeiling
    from ._line import ceiling_columns as ceiling_columns
    from ._line import line_ceiling as line_ceiling
    from ._line_rates import acknowledged_payload_rate_bps as acknowledged_payload_rate_bps
    from ._line_rates import efficiency_ratio as efficiency_ratio
    from ._line_rates import frame_rate_fps as frame_rate_fps
    from ._line_rates import full_duplex_transaction_rate_tps as full_duplex_transaction_rate_tps
    from ._line_rates import half_duplex_transaction_rate_tps as half_duplex_transaction_rate_tps
    from ._line_rates import layer_rate_bps as layer_rate_bps
    from ._line_rates import payload_rate_bps as payload_rate_bps
    from ._line_rates import required_line_rate_bps as required_line_rate_bps
    from ._line_rates import required_mtu_bytes as required_mtu_bytes
    from ._line_rates import wire_time_s as wire_time_s
    from ._stage_rates import FrameTimeSegment as FrameTimeSegment
    from ._stage_rates import frame_rate_of_payload_fps as frame_rate_of_payload_fps
    from ._stage_rates import frame_time_of_rate_s as frame_time_of_rate_s
    from ._stage_rates import frame_time_s as frame_time_s
    from ._stage_rates import frame_time_segment as frame_time_segment
    from ._stage_rates import memory_path_payload_rate_bps as memory_path_payload_rate_bps
    from ._stage_rates import pipelined_payload_rate_bps as pipelined_payload_rate_bps
    from ._stage_rates import serial_payload_rate_bps as serial_payload_rate_bps
    from ._stage_rates import shared_engine_payload_rate_bps as shared_engine_payload_rate_bps
    from ._stage_rates import shared_engine_utilisation_ratio as shared_engine_utilisation_ratio
    from ._stage_rates import soft_minimum_rate_bps as soft_minimum_rate_bps
    from ._stage_rates import stage_payload_rate_bps as stage_payload_rate_bps
    from .pcie import pcie_nic_duplex_rate_bps as pcie_nic_duplex_rate_bps
    from .pcie import pcie_nic_receive_rate_bps as pcie_nic_receive_rate_bps
    from .pcie import pcie_nic_transmit_rate_bps as pcie_nic_transmit_rate_bps
    from .pcie import pcie_raw_rate_bps as pcie_raw_rate_bps
    from .pcie import pcie_read_latency_rate_bps as pcie_read_latency_rate_bps
    from .pcie import pcie_read_rate_bps as pcie_read_rate_bps
    from .pcie import pcie_tlp_ceiling_bps as pcie_tlp_ceiling_bps
    from .pcie import pcie_tlp_rate_bps as pcie_tlp_rate_bps
    from .pcie import pcie_write_rate_bps as pcie_write_rate_bps
