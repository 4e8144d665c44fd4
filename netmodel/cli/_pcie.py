"""``netmodel pcie``."""

from dataclasses import dataclass

import click
import numpy as np

from netmodel._terminal import Column, columns_table
from netmodel._text import fixed_percent
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
    PAYLOADS_BYTES,
    USUAL_PAYLOAD_BYTES,
    USUAL_READ_REQUEST_BYTES,
)
from netmodel.cli._console import print_blocks, print_json, wrapped
from netmodel.cli._ids import Choice
from netmodel.cli._options import COUNT, SIZE, json_option, line_rate_option, option_group
from netmodel.framing import FCS_BYTES
from netmodel.report import text_table
from netmodel.units import BITS_PER_BYTE
from netmodel.units._prefixes import GIGA, MEGA

_ADAPTERS = {adapter.name.lower().replace("_", "-"): adapter for adapter in PcieAdapter}
_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1518, 4096, 9018)
"""Powers of two as in RFC 2544, and full frames of MTU 1500 and 9000."""
_FLIT_NOTE = (
    "Generation 6: flits of 256 bytes hold 236 of packets; skip ordered sets and optional header "
    "content are not counted. Not compared with measurements."
)
_ACKNOWLEDGED_NOTE = (
    "Acknowledgements and flow control take a further {} or so of the raw rate where both "
    "directions are busy (approximation, not in the bounds)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A PCIe link as it is configured."""

    generation: int
    lanes: int
    max_payload_bytes: int
    max_read_request_bytes: int


@click.command()
@option_group(
    "link",
    _Link,
    click.option(
        "--generation",
        type=COUNT,
        required=True,
        help="PCIe generation, 1 to 6.",
    ),
    click.option("--lanes", type=COUNT, required=True, help="Number of lanes."),
    click.option(
        "--max-payload",
        "max_payload_bytes",
        type=SIZE,
        default=str(USUAL_PAYLOAD_BYTES),
        show_default=True,
        help="Configured maximum payload size (MPS).",
    ),
    click.option(
        "--max-read-request",
        "max_read_request_bytes",
        type=Choice(PAYLOADS_BYTES),
        default=USUAL_READ_REQUEST_BYTES,
        show_default=True,
        help="Configured maximum read request size (MRRS).",
    ),
)
@click.option(
    "--driver",
    type=Choice(list(_ADAPTERS)),
    default="kernel-driver",
    show_default=True,
    help="Model of adapter and driver: how frames share PCIe transactions.",
)
@line_rate_option()
@json_option
def pcie(link: _Link, driver: str, line_rate_bps: float | None, as_json: bool) -> None:
    """Print what an adapter can move over PCIe, by frame size.

    Frames count from destination address to FCS; their Gbit/s leave out the FCS, which does not
    cross the link. The model is of generic adapters, not of a product, with 64-bit addresses.
    --line-rate also shows the frame sizes for which PCIe cannot keep up.
    """
    generation, lanes = link.generation, link.lanes
    max_payload_bytes = link.max_payload_bytes
    max_read_request_bytes = link.max_read_request_bytes
    tlp_rate_bps = pcie_tlp_rate_bps(generation, lanes, max_payload_bytes)
    raw_rate_bps = pcie_raw_rate_bps(generation, lanes)
    ceiling_bps = pcie_tlp_ceiling_bps(generation, lanes)
    flit_mode = generation >= FIRST_WITH_FLITS
    adapter = _ADAPTERS[driver]
    frames_bytes = np.array(_FRAMES_BYTES, dtype=float)
    data_bytes = frames_bytes - FCS_BYTES
    full = (ceiling_bps, max_payload_bytes, max_payload_bytes)
    bounds_bps = {
        "tlp_ceiling_bps": ceiling_bps,
        "write_rate_bps": float(pcie_write_rate_bps(*full, flit_mode=flit_mode)),
        "read_rate_bps": float(pcie_read_rate_bps(*full, flit_mode=flit_mode)),
    }
    sent = (ceiling_bps, data_bytes, max_payload_bytes)
    rates_bps = {
        "transmit": pcie_nic_transmit_rate_bps(*sent, adapter, flit_mode=flit_mode),
        "receive": pcie_nic_receive_rate_bps(*sent, adapter, flit_mode=flit_mode),
        "duplex": pcie_nic_duplex_rate_bps(
            *sent, max_read_request_bytes, adapter, flit_mode=flit_mode
        ),
    }
    columns = {"frame_bytes": frames_bytes}
    for name, rate_bps in rates_bps.items():
        columns[f"{name}_frame_rate_fps"] = rate_bps / (BITS_PER_BYTE * data_bytes)
        columns[f"{name}_rate_bps"] = rate_bps
    if line_rate_bps is not None:
        columns["line_frame_rate_fps"] = frame_rate_fps(line_rate_bps, frames_bytes)
    rows = [
        dict(zip(columns, row, strict=True))
        for row in zip(*(column.tolist() for column in columns.values()), strict=True)
    ]
    if as_json:
        print_json(
            {
                "generation": generation,
                "lanes": lanes,
                "max_payload_bytes": max_payload_bytes,
                "max_read_request_bytes": max_read_request_bytes,
                "adapter": adapter.value,
                "raw_rate_bps": raw_rate_bps,
                "tlp_rate_bps": tlp_rate_bps,
                "bound": "upper",
                **bounds_bps,
                "frames": [{"bound": "upper"} | row for row in rows],
            }
        )
        return
    labels = {
        "raw": raw_rate_bps,
        "packets": ceiling_bps,
        "full writes": bounds_bps["write_rate_bps"],
        "full reads": bounds_bps["read_rate_bps"],
    }
    signs = {label: "" if label == "raw" else "<= " for label in labels}
    link_rows = [
        (
            label,
            f"{signs[label]}{rate_bps / GIGA:.3f} Gbit/s",
            f"{signs[label]}{rate_bps / BITS_PER_BYTE / GIGA:.3f} GB/s",
        )
        for label, rate_bps in labels.items()
    ]
    taken_ratio = (ceiling_bps - tlp_rate_bps) / raw_rate_bps
    note = _FLIT_NOTE if flit_mode else _ACKNOWLEDGED_NOTE.format(fixed_percent(taken_ratio, 2))
    frames = [f"{each:.0f}" for each in _FRAMES_BYTES]
    per_second = [Column("frame B", frames, is_number=True)]
    in_gbit = [Column("frame B", frames, is_number=True)]
    for name in rates_bps:
        rates = columns[f"{name}_frame_rate_fps"] / MEGA
        per_second.append(Column(name, [f"<= {each:.4f}" for each in rates], is_number=True))
        rates = columns[f"{name}_rate_bps"] / GIGA
        in_gbit.append(Column(name, [f"<= {each:.2f}" for each in rates], is_number=True))
    if line_rate_bps is not None:
        line_fps = columns["line_frame_rate_fps"]
        keeps_up = columns["duplex_frame_rate_fps"] >= line_fps
        per_second += (
            Column("line", [f"{each / MEGA:.4f}" for each in line_fps], is_number=True),
            Column("line in both directions", ["possible" if each else "no" for each in keeps_up]),
        )
    head = (
        f"PCIe generation {generation}, {lanes} lanes, maximum payload (MPS) {max_payload_bytes} "
        f"B, maximum read request (MRRS) {max_read_request_bytes} B"
    )
    first = f"{wrapped(head)}\n{text_table(link_rows, right_aligned=[1, 2])}"
    print_blocks(
        (
            f"{first}\n{wrapped(note)}",
            f"{adapter.value}: Mframe/s\n{columns_table(per_second)}",
            f"{adapter.value}: Gbit/s\n{columns_table(in_gbit)}",
        )
    )
