"""Frame rates that standards print, and the same quotient worked out by hand for others."""

from fractions import Fraction

import pytest

from netmodel.ceilings import frame_rate_fps, layer_rate_bps, payload_rate_bps

GIGA = 10**9
FRAME_RATES_OF_RFC_5180_FPS = {
    64: (14_880, 148_809, 1_488_095, 14_880_952),
    128: (8_445, 84_459, 844_594, 8_445_945),
    256: (4_528, 45_289, 452_898, 4_528_985),
    512: (2_349, 23_496, 234_962, 2_349_624),
    1024: (1_197, 11_973, 119_731, 1_197_318),
    1280: (961, 9_615, 96_153, 961_538),
    1518: (812, 8_127, 81_274, 812_743),
    1522: (810, 8_106, 81_063, 810_635),
    2048: (604, 6_044, 60_444, 604_448),
    4096: (303, 3_036, 30_396, 303_691),
    8192: (152, 1_522, 15_221, 152_216),
    9216: (135, 1_353, 13_534, 135_339),
}
"""RFC 5180, appendix A.1, at 10, 100, 1000 and 10000 Mbit/s, fractions dropped."""

MISPRINTS_FPS = {(4096, 1000): -27, (4096, 10000): 1, (9216, 1000): -1}
"""What the RFC's own formula gives more: digits swapped, one too few, and 13533.997 rounded."""

FRAME_RATES_MFPS = {
    64: "1.488095 14.880952 37.202381 59.523810 74.404762 148.809524 297.619048 595.238095",
    128: "0.844595 8.445946 21.114865 33.783784 42.229730 84.459459 168.918919 337.837838",
    256: "0.452899 4.528986 11.322464 18.115942 22.644928 45.289855 90.579710 181.159420",
    512: "0.234962 2.349624 5.874060 9.398496 11.748120 23.496241 46.992481 93.984962",
    1024: "0.119732 1.197318 2.993295 4.789272 5.986590 11.973180 23.946360 47.892720",
    1518: "0.081274 0.812744 2.031860 3.250975 4.063719 8.127438 16.254876 32.509753",
    1522: "0.081064 0.810636 2.026589 3.242542 4.053178 8.106355 16.212711 32.425422",
    9018: "0.013830 0.138305 0.345762 0.553220 0.691525 1.383049 2.766099 5.532197",
}
"""Line rate / (8 * (frame + 20)), worked out to six decimals apart from netmodel."""

LINE_RATES_GBPS = (1, 10, 25, 40, 50, 100, 200, 400)


@pytest.mark.parametrize("line_rate_mbps", [10, 100, 1000, 10000])
@pytest.mark.parametrize("frame_bytes", FRAME_RATES_OF_RFC_5180_FPS)
def test_rates_are_those_of_rfc_5180(frame_bytes: int, line_rate_mbps: int) -> None:
    """RFC 5180, appendix A.1, which drops the fraction."""
    column = len(str(line_rate_mbps)) - 2
    printed_fps = FRAME_RATES_OF_RFC_5180_FPS[frame_bytes][column]
    misprint_fps = MISPRINTS_FPS.get((frame_bytes, line_rate_mbps), 0)
    assert int(frame_rate_fps(line_rate_mbps * 1e6, frame_bytes)) == printed_fps + misprint_fps


@pytest.mark.parametrize(
    ("line_rate_bps", "printed_fps"), [(100e6, 8_127), (1e9, 81_274), (10e9, 812_743)]
)
def test_rates_of_full_frames_are_those_of_rfc_6349(line_rate_bps: float, printed_fps: int) -> None:
    """RFC 6349, section 4.1.1: 1538 bytes on the wire, fractions dropped."""
    assert int(frame_rate_fps(line_rate_bps, 1518)) == printed_fps


def test_payload_of_fast_ethernet_is_that_of_rfc_6349() -> None:
    """RFC 6349, section 4.1.1: 94.9 Mbit/s at MTU 1500 without TCP options."""
    assert payload_rate_bps(100e6, 1500, header_bytes=40) == pytest.approx(94.9e6, abs=0.05e6)


def test_a_t3_line_carries_what_rfc_6349_says() -> None:
    """RFC 6349, section 4.1.1: 44.21 Mbit/s, 1508 bytes a frame: 3664 frames/s, 42.8 Mbit/s."""
    rate_bps = layer_rate_bps(44.21e6, 1460, 1508)
    assert rate_bps == pytest.approx(42.8e6, abs=0.05e6)
    assert int(rate_bps / (8 * 1460)) == 3664


@pytest.mark.parametrize("frame_bytes", FRAME_RATES_MFPS)
def test_rates_from_1_to_400_gbit_per_s(frame_bytes: int) -> None:
    """Worked out apart from netmodel, rounded to six decimals of a million frames/s."""
    rates = [frame_rate_fps(gbps * 1e9, frame_bytes) / 1e6 for gbps in LINE_RATES_GBPS]
    expected = [float(text) for text in FRAME_RATES_MFPS[frame_bytes].split()]
    assert rates == pytest.approx(expected, rel=0, abs=0.5001e-6)


@pytest.mark.parametrize(
    ("line_rate_gbps", "frame_bytes", "frame_time_ns"),
    [
        (1, 1518, "12304"),  # 1538 * 8 / 1
        (10, 1518, "1230.4"),
        (25, 1518, "492.16"),
        (100, 1518, "123.04"),
        (25, 9018, "2892.16"),  # 9038 * 8 / 25
    ],
)
def test_a_frame_takes_the_time_of_its_wire_bytes(
    line_rate_gbps: int, frame_bytes: int, frame_time_ns: str
) -> None:
    """By hand: frame and 20 bytes around it, 8 bits each, at one bit per line_rate_gbps ns."""
    rate_fps = frame_rate_fps(Fraction(line_rate_gbps * GIGA), frame_bytes)
    assert GIGA / rate_fps == Fraction(frame_time_ns)
