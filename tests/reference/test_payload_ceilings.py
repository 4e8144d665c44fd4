"""Payload that an Ethernet line carries: a published worked example, and the same by hand."""

import pytest

from netmodel.ceilings import efficiency_ratio, line_ceiling, payload_rate_bps
from netmodel.framing import Stack, ethernet, ipv4, ipv6, qinq, tcp, udp, vlan

LINK = (ethernet(),)
TCP = tcp()


@pytest.mark.parametrize(
    ("line_rate_bps", "mtu_bytes", "printed_gbps"),
    [(25e9, 1500, 23.537), (25e9, 9000, 24.751), (10e9, 1500, 9.415), (10e9, 9000, 9.900)],
)
def test_the_published_rates_of_two_lines_at_two_mtus(
    line_rate_bps: float, mtu_bytes: int, printed_gbps: float
) -> None:
    """N. Hoppmann (2021), slide 13, to three decimals."""
    rate_gbps = payload_rate_bps(line_rate_bps, mtu_bytes) / 1e9
    assert rate_gbps == pytest.approx(printed_gbps, rel=0, abs=0.0005)


@pytest.mark.parametrize(
    ("layers", "mtu_bytes", "payload_bytes", "efficiency", "rate_gbps"),
    [
        ((*LINK, ipv4(), TCP), 1500, 1448, 0.941482445, 23.537061),
        ((*LINK, ipv4(), tcp(timestamps=False)), 1500, 1460, 0.949284785, 23.732120),
        ((*LINK, ipv6(), TCP), 1500, 1428, 0.928478544, 23.211964),
        ((*LINK, ipv4(), udp()), 1500, 1472, 0.957087126, 23.927178),
        ((*LINK, ipv6(), udp()), 1500, 1452, 0.944083225, 23.602081),
        ((*LINK, ipv4(), TCP), 8192, 8140, 0.989064399, 24.726610),
        ((*LINK, ipv4(), TCP), 8992, 8940, 0.990033223, 24.750831),
        ((*LINK, ipv4(), TCP), 9000, 8948, 0.990042045, 24.751051),
        ((*LINK, ipv6(), TCP), 9000, 8928, 0.987829166, 24.695729),
        ((*LINK, vlan(), ipv4(), TCP), 1500, 1448, 0.939040208, 23.476005),
        ((*LINK, qinq(), ipv4(), TCP), 1500, 1448, 0.936610608, 23.415265),
        ((*LINK, ipv6(extension_bytes=8), TCP), 1500, 1420, 0.923276983, 23.081925),
    ],
    ids=lambda value: str(Stack(value)) if isinstance(value, tuple) else str(value),
)
def test_efficiency_of_a_stack(
    layers: tuple, mtu_bytes: int, payload_bytes: int, efficiency: float, rate_gbps: float
) -> None:
    """By hand: payload / (MTU + 38 + 4 per tag), the headers from RFC 791, 8200, 9293, 768."""
    ceiling = line_ceiling(25e9, mtu_bytes, Stack(layers))
    assert ceiling.payload_bytes == payload_bytes
    assert ceiling.efficiency_ratio == pytest.approx(efficiency, rel=0, abs=0.5001e-9)
    assert ceiling.payload_rate_bps / 1e9 == pytest.approx(rate_gbps, rel=0, abs=0.5001e-6)


def test_efficiency_under_macsec_with_32_bytes() -> None:
    """By hand: IEEE 802.1AE tag with SCI (16) and check value (16): 1448 / (1538 + 32)."""
    ratio = efficiency_ratio(1500, link_header_bytes=14 + 32)
    assert ratio == pytest.approx(0.922292994, rel=0, abs=0.5001e-9)
    assert 25 * ratio == pytest.approx(23.057325, rel=0, abs=0.5001e-6)


@pytest.mark.parametrize(("mtu_bytes", "share"), [(1500, 0.975292588), (9000, 0.995795530)])
def test_ip_layer_capacity(mtu_bytes: int, share: float) -> None:
    """RFC 5136, section 2.3, counts IP packets whole: by hand MTU / (MTU + 38)."""
    ceiling = line_ceiling(1e9, mtu_bytes, Stack((ethernet(),)))
    assert ceiling.efficiency_ratio == pytest.approx(share, rel=0, abs=0.5001e-9)
    assert ceiling.layer_rates.layer3_bps == ceiling.payload_rate_bps
    assert efficiency_ratio(mtu_bytes, header_bytes=0) == ceiling.efficiency_ratio


@pytest.mark.parametrize(
    ("sack_blocks", "timestamps", "option_bytes"),
    [(0, True, 12), (0, False, 0), (1, False, 12), (1, True, 24), (3, True, 40), (4, False, 36)],
)
def test_tcp_options_take_the_bytes_of_their_standards(
    sack_blocks: int, timestamps: bool, option_bytes: int
) -> None:
    """RFC 7323, appendix A: 10 and 2 of padding. RFC 2018, section 3: 2 and 8 a block, padded."""
    layer = tcp(timestamps=timestamps, sack_blocks=sack_blocks)
    assert layer.header_bytes == 20 + option_bytes
