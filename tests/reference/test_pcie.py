"""PCIe rates, from the byte ledger of the specification and of three adapters.

The rates are those of the model that R. Neugebauer et al. published at SIGCOMM 2018, run with a
maximum payload of 256 and read requests of 512 bytes; where that code loses the request of the
descriptor read, the ledger is added up by hand. Acknowledgements and flow control take what they
take on each lane, not as in that code on all lanes together.
"""

import tomllib
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from netmodel.ceilings import (
    pcie_nic_duplex_rate_bps,
    pcie_raw_rate_bps,
    pcie_read_rate_bps,
    pcie_tlp_ceiling_bps,
    pcie_tlp_rate_bps,
    pcie_write_rate_bps,
)
from netmodel.ceilings.pcie import Nic

GEN3_X8_BPS = 57.884801e9
"""Of the published model; the formulas of transactions hold for any rate."""
SIMPLE, KERNEL, POLL_MODE = get_args(Nic)
TABLES = tomllib.loads(Path(__file__).with_name("pcie.toml").read_text(encoding="utf-8"))

each_adapter = pytest.mark.parametrize("adapter", get_args(Nic))


@pytest.mark.parametrize(
    ("generation", "lanes", "raw_gbps", "published_gbps"), TABLES["links"]["rows"]
)
def test_the_published_model_counts_on_all_lanes_what_each_lane_takes(
    generation: int, lanes: int, raw_gbps: float, published_gbps: float
) -> None:
    ceiling_bps = pcie_tlp_ceiling_bps(generation, lanes)
    taken_bps = ceiling_bps - pcie_tlp_rate_bps(generation, lanes)
    assert pcie_raw_rate_bps(generation, lanes) / 1e9 == pytest.approx(raw_gbps, abs=5e-5)
    assert (ceiling_bps - lanes * taken_bps) / 1e9 == pytest.approx(published_gbps, abs=5e-5)


@pytest.mark.parametrize(("generation", "lanes", "limits"), TABLES["acknowledgements"]["rows"])
def test_limits_of_acknowledgements_are_those_of_the_tables(
    generation: int, lanes: int, limits: list[int]
) -> None:
    for max_payload, limit in zip((128, 256, 512, 1024, 2048, 4096), limits, strict=True):
        left = 1 - 16 / (lanes * limit) - 4 / 1538
        expected = pcie_raw_rate_bps(generation, lanes) * left
        result = pcie_tlp_rate_bps(generation, lanes, max_payload)
        assert result == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("generation", "lanes", "way", "published"), TABLES["transfers"]["rows"])
def test_no_published_transfer_exceeds_the_bound(
    generation: int, lanes: int, way: str, published: float
) -> None:
    """With the usual maximum payload of 256 bytes; the published model falls below five of them."""
    rate_of = pcie_read_rate_bps if way == "read" else pcie_write_rate_bps
    ceiling_bps = pcie_tlp_ceiling_bps(generation, lanes)
    assert published * 8e9 < rate_of(ceiling_bps, 256)
    assert published * 8e9 > 0.8 * rate_of(ceiling_bps, 256)


LOST_BYTES = 24
"""Of the request that reads a descriptor to receive into, which the published code overwrites."""

OTHER_BYTES = {
    SIMPLE: (
        (24 + 28 + 24) + (24 + 40 + 28 + 24),
        (28 + 36 + 24) + (28 + 36 + 24),
    ),
    KERNEL: (
        (2 * 24 / 40 + (8 * 16 + 24) / 8 + 28 / 32 + 24) + (24 + 40 + 28 / 32 + 24 / 8),
        (28 + (40 * 16 + 3 * 20) / 40 + 24) + (28 / 32 + 36 + 24 / 8),
    ),
    POLL_MODE: (
        (2 * 24 / 40 + (8 * 16 + 24) / 8) + (24 + 40),
        (28 / 32 + (40 * 16 + 3 * 20) / 40) + (28 / 32 + 36),
    ),
}
"""Per frame, up and down: of sending and of receiving, besides the frame itself."""


def duplex_by_hand_bps(adapter: Nic, data: int, lost_bytes: int = 0) -> float:
    other_up, other_down = OTHER_BYTES[adapter]
    up = other_up + 24 * ceil(data / 512) + data + 24 * ceil(data / 256) - lost_bytes
    down = other_down + data + 20 * ceil(data / 256)
    return GEN3_X8_BPS * data / max(up, down)


@each_adapter
def test_both_directions_are_the_ledger_added_up_by_hand(adapter: Nic) -> None:
    data = np.arange(60, 1515)
    by_hand = [duplex_by_hand_bps(adapter, each) for each in data.tolist()]
    rates = pcie_nic_duplex_rate_bps(GEN3_X8_BPS, data, adapter=adapter)
    assert rates == pytest.approx(by_hand, rel=1e-12)


def longest_too_short_bytes(is_too_short: Callable[[int], bool]) -> int:
    return max(frame for frame in range(64, 1519) if is_too_short(frame))


@pytest.mark.parametrize(
    ("adapter", "published", "corrected"),
    [(SIMPLE, 583, 637), (KERNEL, 299, 352), (POLL_MODE, 181, 288)],
)
def test_frames_too_short_for_40_gbe_as_published(
    adapter: Nic, published: int, corrected: int
) -> None:
    """The published line carries the frame without its check sequence, 4 bytes too few."""

    def line_bps(frame: int) -> float:
        return 40e9 * (frame - 4) / (frame - 4 + 20)

    assert published == longest_too_short_bytes(
        lambda frame: duplex_by_hand_bps(adapter, frame - 4, LOST_BYTES) < line_bps(frame)
    )
    assert corrected == longest_too_short_bytes(
        lambda frame: (
            pcie_nic_duplex_rate_bps(GEN3_X8_BPS, frame - 4, adapter=adapter) < line_bps(frame)
        )
    )
