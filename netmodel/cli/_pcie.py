"""``netmodel pcie``."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, cast

import numpy as np

from netmodel.api._kinds import Count, Rate, Size
from netmodel.ceilings import (
    PcieAdapter,
    frame_rate_fps,
    pcie_nic_duplex_rate_bps,
    pcie_nic_receive_rate_bps,
    pcie_nic_transmit_rate_bps,
    pcie_raw_rate_bps,
    pcie_read_rate_bps,
    pcie_tlp_ceiling_bps,
    pcie_tlp_rate_bps,
    pcie_write_rate_bps,
)
from netmodel.ceilings._pcie_link import (
    FIRST_WITH_FLITS,
    USUAL_PAYLOAD_BYTES,
    USUAL_READ_REQUEST_BYTES,
)
from netmodel.cli._console import wrapped
from netmodel.cli._derived import answering
from netmodel.framing import FCS_BYTES
from netmodel.report.fields import fields_table, rows_table
from netmodel.units import BITS_PER_BYTE

_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1518, 4096, 9018)
"""Powers of two as in RFC 2544, and full frames of MTU 1500 and 9000."""
_FLIT_NOTE = (
    "Generation 6: flits of 256 bytes hold 236 of packets; skip ordered sets and optional header "
    "content are not counted. Not compared with measurements."
)


def bus(
    *,
    generation: Count,
    lanes: Count,
    max_payload_bytes: Size = USUAL_PAYLOAD_BYTES,
    max_read_request_bytes: Literal[128, 256, 512, 1024, 2048, 4096] = USUAL_READ_REQUEST_BYTES,
    driver: Literal["simple", "kernel-driver", "poll-mode-driver"] = "kernel-driver",
    line_rate_bps: Rate | None = None,
) -> Mapping[str, Any]:
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
    payload_bytes = cast("int", max_payload_bytes)
    adapter = PcieAdapter[driver.replace("-", "_").upper()]
    flits = {"flit_mode": link[0] >= FIRST_WITH_FLITS}
    tlp_bps = pcie_tlp_rate_bps(*link, payload_bytes)
    ceiling_bps = pcie_tlp_ceiling_bps(*link)
    frames_bytes = np.array(_FRAMES_BYTES, dtype=float)
    data_bytes = frames_bytes - FCS_BYTES
    full = (ceiling_bps, payload_bytes, payload_bytes)
    sent = (ceiling_bps, data_bytes, payload_bytes)
    rates_bps = {
        "transmit": pcie_nic_transmit_rate_bps(*sent, adapter, **flits),
        "receive": pcie_nic_receive_rate_bps(*sent, adapter, **flits),
        "duplex": pcie_nic_duplex_rate_bps(*sent, max_read_request_bytes, adapter, **flits),
    }
    columns = {"frame_bytes": frames_bytes}
    for name, rate_bps in rates_bps.items():
        columns[f"{name}_frame_rate_fps"] = rate_bps / (BITS_PER_BYTE * data_bytes)
        columns[f"{name}_rate_bps"] = rate_bps
    if line_rate_bps is not None:
        line_bps = cast("float", line_rate_bps)
        columns["line_frame_rate_fps"] = frame_rate_fps(line_bps, frames_bytes)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return {
        "generation": link[0],
        "lanes": link[1],
        "max_payload_bytes": payload_bytes,
        "max_read_request_bytes": max_read_request_bytes,
        "adapter": adapter.value,
        "raw_rate_bps": pcie_raw_rate_bps(*link),
        "tlp_rate_bps": tlp_bps,
        "bound": "upper",
        "tlp_ceiling_bps": ceiling_bps,
        "write_rate_bps": float(pcie_write_rate_bps(*full, **flits)),
        "read_rate_bps": float(pcie_read_rate_bps(*full, **flits)),
        "frames": [{"bound": "upper", **dict(zip(columns, row, strict=True))} for row in rows],
    }


def _blocks(answer: Mapping[str, Any], is_verbose: bool) -> Iterator[str]:
    frames = [
        {
            name.replace("_frame_rate", ""): each
            for name, each in row.items()
            if "_rate_bps" not in name and name != "bound"
        }
        for row in answer["frames"]
    ]
    least = frames[0]
    yield wrapped(
        f"PCIe generation {answer['generation']} with {answer['lanes']} lanes moves at most "
        f"{least['duplex_fps']:,.0f} frames of {least['frame_bytes']:.0f} B a second in both "
        "directions at once."
    )
    yield fields_table((name, each) for name, each in answer.items() if name != "frames")
    yield rows_table(frames, is_verbose)
    if answer["generation"] >= FIRST_WITH_FLITS:
        yield wrapped(f"note: {_FLIT_NOTE}")


pcie = answering(bus, _blocks, name="pcie")
