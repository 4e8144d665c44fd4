"""``netmodel pcie``."""

from collections.abc import Mapping
from typing import Any, Literal, cast

import netmodel.ceilings as formulas
from netmodel.api.kinds import Count, Rate, Size
from netmodel.ceilings import FIRST_WITH_FLITS, USUAL_PAYLOAD_BYTES, USUAL_READ_REQUEST_BYTES
from netmodel.cli._derived import stating
from netmodel.framing import FCS_BYTES
from netmodel.units import BITS_PER_BYTE

_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1518, 4096, 9018)
"""Powers of two as in RFC 2544, and full frames of MTU 1500 and 9000."""


def bus(
    *,
    generation: Count,
    lanes: Count,
    max_payload_bytes: Size = USUAL_PAYLOAD_BYTES,
    max_read_request_bytes: Literal[128, 256, 512, 1024, 2048, 4096] = USUAL_READ_REQUEST_BYTES,
    driver: Literal["simple", "kernel-driver", "poll-mode-driver"] = "kernel-driver",
    line_rate_bps: Rate | None = None,
) -> tuple[str, Mapping[str, Any]]:
    """
    Print what an adapter can move over PCIe, by frame size.

    Frames count from destination address to FCS; their Gbit/s leave out the FCS, which does not
    cross the link. The model is of generic adapters, not of a product, with 64-bit addresses.
    --line-rate also shows the frame sizes for which PCIe cannot keep up.

    Parameters
    ----------
    generation : int or str
        PCIe generation, 1 to 6.
    lanes : int or str
        Number of lanes.
    max_payload_bytes : int or str
        Configured maximum payload size (MPS); 256 by default. [byte]
    max_read_request_bytes : int or str
        Configured maximum read request size (MRRS); 512 by default. [byte]
    driver : {"simple", "kernel-driver", "poll-mode-driver"}
        Model of adapter and driver: how frames share PCIe transactions; kernel-driver by default.
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``25e9`` or ``"25 Gbit/s"``. [bit/s]
    """
    link = cast("int", generation), cast("int", lanes)
    most_bytes, adapter = cast("int", max_payload_bytes), driver.replace("-", "_").upper()
    flits = {"flit_mode": link[0] >= FIRST_WITH_FLITS}
    ceiling_bps = formulas.pcie_tlp_ceiling_bps(*link)
    of_full = ceiling_bps, most_bytes, most_bytes
    model = formulas.PcieAdapter[adapter]

    def frame(size_bytes: int) -> dict[str, Any]:
        sent = ceiling_bps, size_bytes - FCS_BYTES, most_bytes
        rates_bps = {
            "duplex": formulas.pcie_nic_duplex_rate_bps(
                *sent, max_read_request_bytes, model, **flits
            ),
            "transmit": formulas.pcie_nic_transmit_rate_bps(*sent, model, **flits),
            "receive": formulas.pcie_nic_receive_rate_bps(*sent, model, **flits),
        }
        frame_bits = BITS_PER_BYTE * (size_bytes - FCS_BYTES)
        row: dict[str, Any] = {"frame_bytes": size_bytes, "bound": "upper"}
        if line_rate_bps is not None:
            line_bps = cast("float", line_rate_bps)
            row["line_frame_rate_fps"] = formulas.frame_rate_fps(line_bps, size_bytes)
        row |= {f"{name}_frame_rate_fps": each / frame_bits for name, each in rates_bps.items()}
        return row | {f"{name}_rate_bps": each for name, each in rates_bps.items()}

    frames = [frame(size_bytes) for size_bytes in _FRAMES_BYTES]
    return (
        f"PCIe generation {generation} with {lanes} lanes moves at most "
        f"{frames[0]['duplex_frame_rate_fps']:,.0f} frames of {_FRAMES_BYTES[0]} B a second in "
        "both directions at once.",
        {
            "generation": generation,
            "lanes": lanes,
            "max_payload_bytes": most_bytes,
            "max_read_request_bytes": max_read_request_bytes,
            "adapter": model.value,
            "raw_rate_bps": formulas.pcie_raw_rate_bps(*link),
            "tlp_rate_bps": formulas.pcie_tlp_rate_bps(*link, most_bytes),
            "bound": "upper",
            "tlp_ceiling_bps": ceiling_bps,
            "write_rate_bps": formulas.pcie_write_rate_bps(*of_full, **flits),
            "read_rate_bps": formulas.pcie_read_rate_bps(*of_full, **flits),
            "frames": frames,
        },
    )


pcie = stating(bus, stated=("generation", "lanes", "bound"), name="pcie")
