"""PCIe rates, from the byte ledger of the specification and of the simple NIC.

The rates are those of the model that R. Neugebauer et al. published at SIGCOMM 2018, run with a
maximum payload of 256 and read requests of 512 bytes; where that code loses the request of the
descriptor read, the ledger is added up by hand.
"""

import pytest

from netmodel.ceilings import (
    pcie_nic_duplex_rate_bps,
    pcie_nic_receive_rate_bps,
    pcie_nic_transmit_rate_bps,
    pcie_raw_rate_bps,
    pcie_read_rate_bps,
    pcie_tlp_rate_bps,
    pcie_write_rate_bps,
)
from netmodel.errors import DomainError

GEN3_X8_BPS = 57.884801e9


@pytest.mark.parametrize(
    ("generation", "lanes", "raw_gbps", "tlp_gbps"),
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
def test_rates_of_a_link(generation: int, lanes: int, raw_gbps: float, tlp_gbps: float) -> None:
    assert pcie_raw_rate_bps(generation, lanes) / 1e9 == pytest.approx(raw_gbps, abs=5e-5)
    assert pcie_tlp_rate_bps(generation, lanes) / 1e9 == pytest.approx(tlp_gbps, abs=5e-5)


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
        left = 1 - 16 / limit - 4 / 1538
        expected = pcie_raw_rate_bps(*link) * left
        assert pcie_tlp_rate_bps(*link, max_payload) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("data", "gbps"), [(64, 42.098), (256, 52.923), (257, 48.775), (1024, 52.923)]
)
def test_writes(data: int, gbps: float) -> None:
    assert pcie_write_rate_bps(GEN3_X8_BPS, data) / 1e9 == pytest.approx(gbps, abs=6e-4)


@pytest.mark.parametrize(("data", "gbps"), [(64, 44.103), (256, 53.690)])
def test_reads(data: int, gbps: float) -> None:
    assert pcie_read_rate_bps(GEN3_X8_BPS, data) / 1e9 == pytest.approx(gbps, abs=6e-4)


@pytest.mark.parametrize(
    ("max_payload", "ratio"), [(128, 0.842105), (256, 0.914286), (512, 0.955224)]
)
def test_share_of_data_in_full_writes(max_payload: int, ratio: float) -> None:
    rate_bps = pcie_write_rate_bps(1e9, max_payload, max_payload)
    assert rate_bps / 1e9 == pytest.approx(ratio, abs=5e-7)


@pytest.mark.parametrize(("data", "gbps"), [(64, 21.539), (512, 46.308), (1514, 50.893)])
def test_a_simple_adapter_sends(data: int, gbps: float) -> None:
    assert pcie_nic_transmit_rate_bps(GEN3_X8_BPS, data) / 1e9 == pytest.approx(gbps, abs=6e-4)


def test_a_simple_adapter_receives() -> None:
    """64 bytes: 24 descriptor + 88 frame + 40 write back + 28 interrupt + 24 head pointer up."""
    rate_bps = pcie_nic_receive_rate_bps(GEN3_X8_BPS, 64)
    assert rate_bps == pytest.approx(GEN3_X8_BPS * 64 / (24 + 88 + 40 + 28 + 24), rel=1e-12)
    assert rate_bps / 1e9 == pytest.approx(18.160, abs=6e-4)


def test_a_simple_adapter_does_both() -> None:
    """204 bytes up to receive 64, and 100 to send them: 24 + 24 + 28 + 24."""
    rate_bps = pcie_nic_duplex_rate_bps(GEN3_X8_BPS, 64)
    assert rate_bps == pytest.approx(GEN3_X8_BPS * 64 / (204 + 100), rel=1e-12)
    assert rate_bps / 1e9 == pytest.approx(12.186, abs=6e-4)


def test_frames_too_short_for_40_gbe_in_both_directions() -> None:
    """As the published comparison counts it: data on the bus without, on the line with the FCS."""
    link_bps = pcie_tlp_rate_bps(3, 8)
    too_short = [
        frame
        for frame in range(64, 1519)
        if pcie_nic_duplex_rate_bps(link_bps, frame - 4) < 40e9 * frame / (frame + 20)
    ]
    assert max(too_short) == 637


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((6, 8), "generation must be one of 1, 2, 3, 4, 5"),
        ((3, 3), "lanes must be one of"),
        ((3, 8, 200), "max_payload_bytes must be one of"),
    ],
)
def test_links_that_do_not_exist_are_refused(arguments: tuple[int, ...], words: str) -> None:
    with pytest.raises(DomainError, match=words):
        pcie_tlp_rate_bps(*arguments)


def test_duplex_is_never_faster_than_one_direction() -> None:
    for data in range(1, 2000):
        duplex_bps = pcie_nic_duplex_rate_bps(GEN3_X8_BPS, data)
        assert duplex_bps <= pcie_nic_transmit_rate_bps(GEN3_X8_BPS, data)
        assert duplex_bps <= pcie_nic_receive_rate_bps(GEN3_X8_BPS, data)
        assert pcie_write_rate_bps(GEN3_X8_BPS, data) < GEN3_X8_BPS
