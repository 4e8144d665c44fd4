"""``netmodel pcie``."""

import click
import numpy as np

from netmodel.ceilings import (
    PcieAdapter,
    frame_rate_fps,
    pcie_nic_duplex_rate_bps,
    pcie_nic_receive_rate_bps,
    pcie_nic_transmit_rate_bps,
    pcie_raw_rate_bps,
    pcie_tlp_rate_bps,
)
from netmodel.cli._options import COUNT, RATE, SIZE, json_option, print_json
from netmodel.framing import FCS_BYTES
from netmodel.report import text_table
from netmodel.units import BITS_PER_BYTE, format_rate

__all__ = ["pcie"]

_ADAPTERS = {adapter.name.lower().replace("_", "-"): adapter for adapter in PcieAdapter}
_FRAMES_BYTES = (64, 128, 256, 512, 1024, 1518, 4096, 9018)
_MEGA = 1e6


@click.command()
@click.option("--generation", type=COUNT, required=True, help="Generation of the link, 1 to 5.")
@click.option("--lanes", type=COUNT, required=True, help="Width of the link.")
@click.option(
    "--max-payload",
    "max_payload_bytes",
    type=SIZE,
    default="256",
    show_default=True,
    help="Maximum payload size that is configured.",
)
@click.option(
    "--max-read-request",
    "max_read_request_bytes",
    type=click.Choice([128, 256, 512, 1024, 2048, 4096]),
    default=512,
    show_default=True,
    help="Maximum read request size that is configured.",
)
@click.option(
    "--adapter",
    "adapter_name",
    type=click.Choice(list(_ADAPTERS)),
    default="kernel-driver",
    show_default=True,
    help="How adapter and driver share transactions between frames.",
)
@click.option("--line-rate", "line_rate_bps", type=RATE, help="Also which frames a line outruns.")
@json_option
def pcie(
    generation: int,
    lanes: int,
    max_payload_bytes: int,
    max_read_request_bytes: int,
    adapter_name: str,
    line_rate_bps: float | None,
    as_json: bool,
) -> None:
    """Print what a PCIe link lets an adapter send and receive, by size of frame.

    Frames count from destination address to check sequence. The model is of generic adapters, not
    of a product.
    """
    tlp_rate_bps = pcie_tlp_rate_bps(generation, lanes, max_payload_bytes)
    adapter = _ADAPTERS[adapter_name]
    frames_bytes = np.array(_FRAMES_BYTES, dtype=float)
    data_bytes = frames_bytes - FCS_BYTES
    sizes = (max_payload_bytes, max_read_request_bytes)
    rates = {
        "transmit": pcie_nic_transmit_rate_bps(tlp_rate_bps, data_bytes, sizes[0], adapter),
        "receive": pcie_nic_receive_rate_bps(tlp_rate_bps, data_bytes, sizes[0], adapter),
        "duplex": pcie_nic_duplex_rate_bps(tlp_rate_bps, data_bytes, *sizes, adapter),
    }
    columns = {"frame_bytes": frames_bytes} | {
        f"{name}_frame_rate_fps": rate / (BITS_PER_BYTE * data_bytes)
        for name, rate in rates.items()
    }
    if line_rate_bps is not None:
        columns["line_frame_rate_fps"] = frame_rate_fps(line_rate_bps, frames_bytes)
    if as_json:
        names = list(columns)
        rows = zip(*(columns[name].tolist() for name in names), strict=True)
        print_json(
            {
                "raw_rate_bps": pcie_raw_rate_bps(generation, lanes),
                "tlp_rate_bps": tlp_rate_bps,
                "adapter": adapter.value,
                "frames": [dict(zip(names, row, strict=True)) for row in rows],
            }
        )
        return
    raw = format_rate(pcie_raw_rate_bps(generation, lanes), 6)
    click.echo(f"PCIe generation {generation}, {lanes} lanes, {adapter.value}")
    click.echo(f"{raw} raw, {format_rate(tlp_rate_bps, 6)} for packets\n")
    head = ["frame B", *(f"{name} Mframe/s" for name in rates)]
    head += ["line Mframe/s", "line both ways"] if line_rate_bps else []
    click.echo(text_table([head, *_rows(columns)], right_aligned=range(len(head))))


def _rows(columns: dict[str, np.ndarray]) -> list[list[str]]:
    rows = []
    for frame_bytes, *rates in zip(*(column.tolist() for column in columns.values()), strict=True):
        cells = [f"{frame_bytes:.0f}", *(f"{rate / _MEGA:.4f}" for rate in rates)]
        if "line_frame_rate_fps" in columns:
            cells.append("yes" if rates[2] >= rates[3] else "no")
        rows.append(cells)
    return rows
