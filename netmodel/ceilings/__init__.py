"""Rates that no software can exceed: what a line carries, and what an adapter leaves of it."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.ceilings._columns import ceiling_columns as ceiling_columns
    from netmodel.ceilings._duplex import (
        acknowledged_payload_rate_bps as acknowledged_payload_rate_bps,
    )
    from netmodel.ceilings._duplex import (
        full_duplex_transaction_rate_tps as full_duplex_transaction_rate_tps,
    )
    from netmodel.ceilings._duplex import (
        half_duplex_transaction_rate_tps as half_duplex_transaction_rate_tps,
    )
    from netmodel.ceilings._line import LayerRates as LayerRates
    from netmodel.ceilings._line import LineCeiling as LineCeiling
    from netmodel.ceilings._line import line_ceiling as line_ceiling
    from netmodel.ceilings._memory import (
        memory_path_payload_rate_bps as memory_path_payload_rate_bps,
    )
    from netmodel.ceilings._messages import MessageCeiling as MessageCeiling
    from netmodel.ceilings._messages import TransactionCeiling as TransactionCeiling
    from netmodel.ceilings._pcie_adapter import PcieAdapter as PcieAdapter
    from netmodel.ceilings._pcie_adapter import pcie_nic_duplex_rate_bps as pcie_nic_duplex_rate_bps
    from netmodel.ceilings._pcie_adapter import (
        pcie_nic_receive_rate_bps as pcie_nic_receive_rate_bps,
    )
    from netmodel.ceilings._pcie_adapter import (
        pcie_nic_transmit_rate_bps as pcie_nic_transmit_rate_bps,
    )
    from netmodel.ceilings._pcie_link import FIRST_WITH_FLITS as FIRST_WITH_FLITS
    from netmodel.ceilings._pcie_link import USUAL_PAYLOAD_BYTES as USUAL_PAYLOAD_BYTES
    from netmodel.ceilings._pcie_link import USUAL_READ_REQUEST_BYTES as USUAL_READ_REQUEST_BYTES
    from netmodel.ceilings._pcie_link import pcie_raw_rate_bps as pcie_raw_rate_bps
    from netmodel.ceilings._pcie_link import (
        pcie_read_latency_rate_bps as pcie_read_latency_rate_bps,
    )
    from netmodel.ceilings._pcie_link import pcie_read_rate_bps as pcie_read_rate_bps
    from netmodel.ceilings._pcie_link import pcie_tlp_ceiling_bps as pcie_tlp_ceiling_bps
    from netmodel.ceilings._pcie_link import pcie_tlp_rate_bps as pcie_tlp_rate_bps
    from netmodel.ceilings._pcie_link import pcie_write_rate_bps as pcie_write_rate_bps
    from netmodel.ceilings._rates import efficiency_ratio as efficiency_ratio
    from netmodel.ceilings._rates import frame_rate_fps as frame_rate_fps
    from netmodel.ceilings._rates import layer_rate_bps as layer_rate_bps
    from netmodel.ceilings._rates import payload_rate_bps as payload_rate_bps
    from netmodel.ceilings._required import MAX_PACKET_BYTES as MAX_PACKET_BYTES
    from netmodel.ceilings._required import required_line_rate_bps as required_line_rate_bps
    from netmodel.ceilings._required import required_mtu_bytes as required_mtu_bytes
    from netmodel.ceilings._service import frame_rate_of_payload_fps as frame_rate_of_payload_fps
    from netmodel.ceilings._service import frame_time_of_rate_s as frame_time_of_rate_s
    from netmodel.ceilings._service import frame_time_s as frame_time_s
    from netmodel.ceilings._service import stage_payload_rate_bps as stage_payload_rate_bps
    from netmodel.ceilings._service_segment import FrameTimes as FrameTimes
    from netmodel.ceilings._service_segment import FrameTimeSegment as FrameTimeSegment
    from netmodel.ceilings._service_segment import frame_time_segment as frame_time_segment
    from netmodel.ceilings._service_shared import (
        pipelined_payload_rate_bps as pipelined_payload_rate_bps,
    )
    from netmodel.ceilings._service_shared import serial_payload_rate_bps as serial_payload_rate_bps
    from netmodel.ceilings._service_shared import (
        shared_engine_payload_rate_bps as shared_engine_payload_rate_bps,
    )
    from netmodel.ceilings._service_shared import (
        shared_engine_utilisation_ratio as shared_engine_utilisation_ratio,
    )
    from netmodel.ceilings._service_shared import soft_minimum_rate_bps as soft_minimum_rate_bps
    from netmodel.ceilings._service_shared import wire_time_s as wire_time_s
