"""PCIe rates, from the byte ledger of the specification and of three adapters.

The rates are those of the model that R. Neugebauer et al. published at SIGCOMM 2018, run with a
maximum payload of 256 and read requests of 512 bytes; where that code loses the request of the
descriptor read, the ledger is added up by hand. Acknowledgements and flow control take what they
take on each lane, not as in that code on all lanes together.
"""

from collections.abc import Callable
from math import ceil

import numpy as np
import pytest

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
from netmodel.errors import DomainError

GEN3_X8_BPS = 57.884801e9
"""Of the published model; the formulas of transactions hold for any rate."""
SIMPLE, KERNEL, POLL_MODE = PcieAdapter

each_adapter = pytest.mark.parametrize("adapter", PcieAdapter)


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


def test_sixteen_lanes_lose_little_to_acknowledgements() -> None:
    """By hand: 2 packets of 8 bytes in 168 symbols of 16 lanes are 0.595 %, where 9.5 % of one."""
    lost_bps = pcie_tlp_ceiling_bps(5, 16) - pcie_tlp_rate_bps(5, 16)
    assert lost_bps / pcie_raw_rate_bps(5, 16) == pytest.approx(16 / (16 * 168), rel=1e-12)
    assert lost_bps / pcie_raw_rate_bps(5, 1) == pytest.approx(0.095, abs=5e-4)


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


def test_acknowledgements_are_no_part_of_the_bound() -> None:
    """57.30 GB/s to the host exceed what both directions leave, as the other one had no packets."""
    both_ways_bps = pcie_write_rate_bps(pcie_tlp_rate_bps(5, 16), 256)
    assert both_ways_bps < 57.30 * 8e9 < pcie_write_rate_bps(pcie_tlp_ceiling_bps(5, 16), 256)


@each_adapter
def test_flits_carry_more_of_each_packet(adapter: PcieAdapter) -> None:
    data = np.arange(1, 9001)
    for rate_of in (
        pcie_nic_transmit_rate_bps,
        pcie_nic_receive_rate_bps,
        pcie_nic_duplex_rate_bps,
    ):
        framed, in_flits = (
            rate_of(1e12, data, adapter=adapter, flit_mode=flit_mode) for flit_mode in (False, True)
        )
        assert (framed < in_flits).all()
        assert (in_flits < 1e12).all()


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


def duplex_by_hand_bps(adapter: PcieAdapter, data: int, lost_bytes: int = 0) -> float:
    other_up, other_down = OTHER_BYTES[adapter]
    up = other_up + 24 * ceil(data / 512) + data + 24 * ceil(data / 256) - lost_bytes
    down = other_down + data + 20 * ceil(data / 256)
    return GEN3_X8_BPS * data / max(up, down)


@each_adapter
def test_both_directions_are_the_ledger_added_up_by_hand(adapter: PcieAdapter) -> None:
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
    adapter: PcieAdapter, published: int, corrected: int
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


@pytest.mark.parametrize(("adapter", "frame"), [(SIMPLE, 624), (KERNEL, 339), (POLL_MODE, 275)])
def test_frames_too_short_for_40_gbe_in_frames_per_second(adapter: PcieAdapter, frame: int) -> None:
    """By hand: too short while the bus moves more than (frame + 20) / 40e9 * 57.88e9 bytes.

    With 624, 339 and 275 it moves 932, 519.95 and 427.2 bytes up, of 931.9, 519.5 and 426.9.
    """

    def is_too_short(frame: int) -> bool:
        rate_bps = pcie_nic_duplex_rate_bps(GEN3_X8_BPS, frame - 4, adapter=adapter)
        return rate_bps / (8 * (frame - 4)) < frame_rate_fps(40e9, frame)

    assert longest_too_short_bytes(is_too_short) == frame


def test_batches_never_cost() -> None:
    data = np.arange(1, 9001)
    for rate_of in (
        pcie_nic_transmit_rate_bps,
        pcie_nic_receive_rate_bps,
        pcie_nic_duplex_rate_bps,
    ):
        simple, kernel, poll_mode = (
            rate_of(GEN3_X8_BPS, data, adapter=adapter) for adapter in PcieAdapter
        )
        assert (simple <= kernel).all()
        assert (kernel <= poll_mode).all()
        assert (poll_mode < GEN3_X8_BPS).all()


@pytest.mark.parametrize("max_payload", [128, 256, 4096])
@pytest.mark.parametrize(
    ("adapter", "other_up_bytes"),
    [(SIMPLE, 24 + 28 + 24), (KERNEL, 3 + 19 + 28 / 32 + 24), (POLL_MODE, 3 + 19)],
)
def test_the_smallest_read_requests_do_not_bind_a_sender(
    adapter: PcieAdapter, other_up_bytes: float, max_payload: int
) -> None:
    """Of 128 bytes, and so five for 40 descriptors: more still comes down than goes up."""
    data = np.arange(60, 9015)
    sent = pcie_nic_transmit_rate_bps(GEN3_X8_BPS, data, max_payload, adapter)
    assert (other_up_bytes + 24 * np.ceil(data / 128) < GEN3_X8_BPS * data / sent).all()


def test_an_adapter_is_no_text() -> None:
    with pytest.raises(DomainError, match=r"adapter must be one of PcieAdapter\.SIMPLE,.* got 'si"):
        pcie_nic_transmit_rate_bps(GEN3_X8_BPS, 64, adapter="simple NIC")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            (7, 8),
            "generation must be one of 1, 2, 3, 4, 5, 6; got 7: later generations are not modelled",
        ),
        ((6, 8, 200), "max_payload_bytes must be one of"),
        ((3, 3), "lanes must be one of"),
        ((3, 8, 200), "max_payload_bytes must be one of"),
    ],
)
def test_links_that_do_not_exist_are_refused(arguments: tuple[int, ...], words: str) -> None:
    with pytest.raises(DomainError, match=words):
        pcie_tlp_rate_bps(*arguments)


@each_adapter
def test_duplex_is_never_faster_than_one_direction(adapter: PcieAdapter) -> None:
    data = np.arange(1, 2000)
    duplex = pcie_nic_duplex_rate_bps(GEN3_X8_BPS, data, adapter=adapter)
    assert (duplex <= pcie_nic_transmit_rate_bps(GEN3_X8_BPS, data, adapter=adapter)).all()
    assert (duplex <= pcie_nic_receive_rate_bps(GEN3_X8_BPS, data, adapter=adapter)).all()
    assert (pcie_write_rate_bps(GEN3_X8_BPS, data) < GEN3_X8_BPS).all()
