"""``netmodel pcie``."""

from dataclasses import dataclass

import click
import numpy as np

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
from netmodel.cli._console import print_json
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
        type=click.Choice(PAYLOADS_BYTES),
        default=USUAL_READ_REQUEST_BYTES,
        show_default=True,
        help="Configured maximum read request size (MRRS).",
    ),
)
@click.option(
    "--driver",
    type=click.Choice(list(_ADAPTERS)),
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
    click.echo(
        f"PCIe generation {generation}, {lanes} lanes, maximum payload (MPS) {max_payload_bytes} B,"
        f" maximum read request (MRRS) {max_read_request_bytes} B"
    )
    labels = {
        "raw": raw_rate_bps,
        "packets": ceiling_bps,
        "full writes": bounds_bps["write_rate_bps"],
        "full reads": bounds_bps["read_rate_bps"],
    }
    click.echo(text_table([_link_row(*item) for item in labels.items()], right_aligned=[1, 2]))
    if flit_mode:
        click.echo(_FLIT_NOTE)
    else:
        taken_ratio = (ceiling_bps - tlp_rate_bps) / raw_rate_bps
        click.echo(
            f"Acknowledgements and flow control take a further {taken_ratio:.2%} or so of the raw "
            "rate where both directions are busy (approximation, not in the bounds)."
        )
    click.echo(f"\n{adapter.value}")
    head = ["frame B"]
    for name in rates_bps:
        head += [f"{name} Mframe/s", "Gbit/s"]
    head += ["line Mframe/s", "line both ways"] if line_rate_bps else []
    click.echo(text_table([head, *map(_frame_row, rows)], right_aligned=range(len(head))))


def _link_row(label: str, rate_bps: float) -> list[str]:
    sign = "" if label == "raw" else "<= "
    bytes_per_s = rate_bps / BITS_PER_BYTE
    return [
        label,
        f"{sign}{rate_bps / GIGA:.3f} Gbit/s",
        f"{sign}{bytes_per_s / GIGA:.3f} GB/s",
    ]


def _frame_row(row: dict[str, float]) -> list[str]:
    cells = [f"{row['frame_bytes']:.0f}"]
    for name in ("transmit", "receive", "duplex"):
        cells.append(f"<= {row[f'{name}_frame_rate_fps'] / MEGA:.4f}")
        cells.append(f"<= {row[f'{name}_rate_bps'] / GIGA:.2f}")
    line_fps = row.get("line_frame_rate_fps")
    if line_fps is not None:
        cells.append(f"{line_fps / MEGA:.4f}")
        cells.append("possible" if row["duplex_frame_rate_fps"] >= line_fps else "no")
    return cells
