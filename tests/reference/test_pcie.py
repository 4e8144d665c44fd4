"""PCIe rates, from the byte ledger of the specification and of three adapters.

The rates are those of the model that R. Neugebauer et al. published at SIGCOMM 2018, run with a
maximum payload of 256 and read requests of 512 bytes; where that code loses the request of the
descriptor read, the ledger is added up by hand. Acknowledgements and flow control take what they
take on each lane, not as in that code on all lanes together.
"""

from collections.abc import Callable
from math import ceil
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

each_adapter = pytest.mark.parametrize("adapter", get_args(Nic))


@pytest.mark.parametrize(
    ("generation", "lanes", "raw_gbps", "published_gbps"),
    [
        (2, 8, 32.0000, 28.6763),
        (3, 8, 63.0154, 57.8848),
        (3, 16, 126.0308, 113.7001),
        (4, 8, 126.0308, 115.7695),
        (4, 16, 252.0615, 227.4001),
        (5, 8, 252.0615, 231.5391),
        (5, 16, 504.1231, 454.8002),
    ],
)
def test_the_published_model_counts_on_all_lanes_what_each_lane_takes(
    generation: int, lanes: int, raw_gbps: float, published_gbps: float
) -> None:
    ceiling_bps = pcie_tlp_ceiling_bps(generation, lanes)
    taken_bps = ceiling_bps - pcie_tlp_rate_bps(generation, lanes)
    assert pcie_raw_rate_bps(generation, lanes) / 1e9 == pytest.approx(raw_gbps, abs=5e-5)
    assert (ceiling_bps - lanes * taken_bps) / 1e9 == pytest.approx(published_gbps, abs=5e-5)


LIMITS = {
    (1, 1): (237, 416, 559, 1071, 2095, 4143),
    (1, 8): (67, 107, 86, 150, 278, 534),
    (1, 32): (33, 45, 52, 84, 148, 276),
    (2, 4): (124, 169, 205, 333, 589, 1101),
    (2, 32): (84, 96, 103, 135, 199, 327),
    (3, 2): (224, 313, 385, 641, 1153, 2177),
    (3, 16): (144, 168, 182, 246, 374, 630),
}


@pytest.mark.parametrize(("link", "limits"), LIMITS.items(), ids=str)
def test_limits_of_acknowledgements_are_those_of_the_tables(
    link: tuple[int, int], limits: tuple[int, ...]
) -> None:
    """Tables 3-7 to 3-9 of the specification; rows of other generations differ by a constant.

    The published code has 248 for 148 (generation 1, 32 lanes, 2048 bytes) and 237 for 327
    (generation 2, 32 lanes, 4096 bytes).
    """
    for max_payload, limit in zip((128, 256, 512, 1024, 2048, 4096), limits, strict=True):
        left = 1 - 16 / (link[1] * limit) - 4 / 1538
        expected = pcie_raw_rate_bps(*link) * left
        assert pcie_tlp_rate_bps(*link, max_payload) == pytest.approx(expected, rel=1e-12)


TRANSFERS = [
    # V100, ingress: reply of the authors of BaM (github.com/ZaidQureshi/bam, issue 54)
    (3, 16, pcie_read_rate_bps, 12.0),
    # RTX 3050 laptop GPU, 8 lanes: output of nvbandwidth 0.8
    (4, 8, pcie_read_rate_bps, 12.98),
    (4, 8, pcie_write_rate_bps, 13.17),
    # A100, the highest of 8: sample output in the README of nvbandwidth
    (4, 16, pcie_read_rate_bps, 26.19),
    # sample of "nvbandwidth -t host_to_device_memcpy_ce -j" in tutorials of the tool
    (5, 16, pcie_read_rate_bps, 55.63),
    # 8 GPUs, from host and to host: output of nvbandwidth 0.10
    (5, 16, pcie_read_rate_bps, 55.37),
    (5, 16, pcie_write_rate_bps, 55.26),
    # B300 in a Dell PowerEdge XE9780, the highest of 7: output of nvbandwidth 0.10, August 2026
    (5, 16, pcie_read_rate_bps, 55.60),
    (5, 16, pcie_write_rate_bps, 57.30),
]
"""Generation, lanes, what the GPU does to memory of the host, and GB/s that a tool printed."""


@pytest.mark.parametrize(("generation", "lanes", "rate_of", "published"), TRANSFERS)
def test_no_published_transfer_exceeds_the_bound(
    generation: int, lanes: int, rate_of: Callable[..., float], published: float
) -> None:
    """With the usual maximum payload of 256 bytes; the published model falls below five of them."""
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
