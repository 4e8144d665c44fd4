"""``netmodel pcie``."""

from typing import Any, cast

import netmodel.ceilings as formulas
from netmodel.api.kinds import Count, Rate, Size
from netmodel.cli._derived import Stated, answering
from netmodel.framing import FCS_BYTES
from netmodel.units import BITS_PER_BYTE

_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1518, 4096, 9018)
"""Powers of two as in RFC 2544, and full frames of MTU 1500 and 9000."""


def bus(
    *,
    generation: Count,
    lanes: Count,
    max_payload_bytes: Size = formulas.USUAL_PAYLOAD_BYTES,
    line_rate_bps: Rate | None = None,
) -> Stated:
    """
    Print what an adapter can move over PCIe, by frame size.

    Frames count from destination address to FCS; their Gbit/s leave out the FCS, which does not
    cross the link. The model is of a generic adapter with a kernel driver, not of a product, with
    64-bit addresses and read requests of 512 byte. --line-rate also shows the frame sizes for which
    PCIe cannot keep up.

    Parameters
    ----------
    generation : int or str
        PCIe generation, 1 to 6.
    lanes : int or str
        Number of lanes.
    max_payload_bytes : int or str
        Configured maximum payload size (MPS); 256 by default. [byte]
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``25e9`` or ``"25 Gbit/s"``. [bit/s]
    """
    link = cast("int", generation), cast("int", lanes)
    most_bytes, read_bytes = cast("int", max_payload_bytes), formulas.USUAL_READ_REQUEST_BYTES
    bus_bps, model = formulas.pcie_tlp_ceiling_bps(*link), formulas.PcieAdapter.KERNEL_DRIVER
    flits = {"flit_mode": link[0] >= formulas.FIRST_WITH_FLITS}
    frames = []
    for size in _FRAMES_BYTES:
        sent = bus_bps, size - FCS_BYTES, most_bytes
        rates_bps = {
            "duplex": formulas.pcie_nic_duplex_rate_bps(*sent, read_bytes, model, **flits),
            "transmit": formulas.pcie_nic_transmit_rate_bps(*sent, model, **flits),
            "receive": formulas.pcie_nic_receive_rate_bps(*sent, model, **flits),
        }
        row: dict[str, Any] = {"frame_bytes": size, "bound": "upper"}
        if line_rate_bps is not None:
            line_bps = cast("float", line_rate_bps)
            row["line_frame_rate_fps"] = formulas.frame_rate_fps(line_bps, size)
        bits = BITS_PER_BYTE * (size - FCS_BYTES)
        row |= {f"{name}_frame_rate_fps": each / bits for name, each in rates_bps.items()}
        frames.append(row | {f"{name}_rate_bps": each for name, each in rates_bps.items()})
    most = f"{frames[0]['duplex_frame_rate_fps']:,.0f} frames of {_FRAMES_BYTES[0]} B a second"
    return Stated(
        f"PCIe generation {generation} with {lanes} lanes moves at most {most} in both directions "
        "at once.",
        {
            "generation": generation,
            "lanes": lanes,
            "max_payload_bytes": most_bytes,
            "raw_rate_bps": formulas.pcie_raw_rate_bps(*link),
            "tlp_rate_bps": formulas.pcie_tlp_rate_bps(*link, most_bytes),
            "bound": "upper",
            "frames": frames,
        },
        ("generation", "lanes", "bound"),
    )


pcie = answering(bus)
