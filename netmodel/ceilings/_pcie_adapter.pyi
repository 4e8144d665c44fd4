# Written by `make stubs` from the module of the same name: change that one, not this.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false
from enum import Enum
from typing import overload

from netmodel._numeric import Floats, Number, QuantityLike
from netmodel.ceilings._pcie_link import USUAL_PAYLOAD_BYTES, USUAL_READ_REQUEST_BYTES

class PcieAdapter(Enum):
    SIMPLE = "simple NIC"
    KERNEL_DRIVER = "modern NIC, kernel driver"
    POLL_MODE_DRIVER = "modern NIC, DPDK driver"

@overload
def pcie_nic_transmit_rate_bps(
    tlp_rate_bps: Number,
    data_bytes: Number,
    max_payload_bytes: Number = USUAL_PAYLOAD_BYTES,
    adapter: PcieAdapter = PcieAdapter.SIMPLE,
    *,
    flit_mode: bool = False,
) -> float: ...
@overload
def pcie_nic_transmit_rate_bps(
    tlp_rate_bps: QuantityLike,
    data_bytes: QuantityLike,
    max_payload_bytes: QuantityLike = USUAL_PAYLOAD_BYTES,
    adapter: PcieAdapter = PcieAdapter.SIMPLE,
    *,
    flit_mode: bool = False,
) -> Floats: ...
@overload
def pcie_nic_receive_rate_bps(
    tlp_rate_bps: Number,
    data_bytes: Number,
    max_payload_bytes: Number = USUAL_PAYLOAD_BYTES,
    adapter: PcieAdapter = PcieAdapter.SIMPLE,
    *,
    flit_mode: bool = False,
) -> float: ...
@overload
def pcie_nic_receive_rate_bps(
    tlp_rate_bps: QuantityLike,
    data_bytes: QuantityLike,
    max_payload_bytes: QuantityLike = USUAL_PAYLOAD_BYTES,
    adapter: PcieAdapter = PcieAdapter.SIMPLE,
    *,
    flit_mode: bool = False,
) -> Floats: ...
@overload
def pcie_nic_duplex_rate_bps(
    tlp_rate_bps: Number,
    data_bytes: Number,
    max_payload_bytes: Number = USUAL_PAYLOAD_BYTES,
    max_read_request_bytes: Number = USUAL_READ_REQUEST_BYTES,
    adapter: PcieAdapter = PcieAdapter.SIMPLE,
    *,
    flit_mode: bool = False,
) -> float: ...
@overload
def pcie_nic_duplex_rate_bps(
    tlp_rate_bps: QuantityLike,
    data_bytes: QuantityLike,
    max_payload_bytes: QuantityLike = USUAL_PAYLOAD_BYTES,
    max_read_request_bytes: QuantityLike = USUAL_READ_REQUEST_BYTES,
    adapter: PcieAdapter = PcieAdapter.SIMPLE,
    *,
    flit_mode: bool = False,
) -> Floats: ...
