"""Rates that no software can exceed: what an Ethernet line carries."""

from netmodel.ceilings._bus import (
    pcie_nic_duplex_rate_bps,
    pcie_nic_receive_rate_bps,
    pcie_nic_transmit_rate_bps,
    pcie_raw_rate_bps,
    pcie_read_rate_bps,
    pcie_tlp_rate_bps,
    pcie_write_rate_bps,
)
from netmodel.ceilings._duplex import (
    acknowledged_payload_rate_bps,
    full_duplex_transaction_rate_tps,
    half_duplex_transaction_rate_tps,
)
from netmodel.ceilings._line import LayerRates, LineCeiling, MessageCeiling, line_ceiling
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

__all__ = [
    "MAX_PACKET_BYTES",
    "LayerRates",
    "LineCeiling",
    "MessageCeiling",
    "acknowledged_payload_rate_bps",
    "efficiency_ratio",
    "frame_rate_fps",
    "full_duplex_transaction_rate_tps",
    "half_duplex_transaction_rate_tps",
    "layer_rate_bps",
    "line_ceiling",
    "payload_rate_bps",
    "pcie_nic_duplex_rate_bps",
    "pcie_nic_receive_rate_bps",
    "pcie_nic_transmit_rate_bps",
    "pcie_raw_rate_bps",
    "pcie_read_rate_bps",
    "pcie_tlp_rate_bps",
    "pcie_write_rate_bps",
    "required_line_rate_bps",
    "required_mtu_bytes",
]
