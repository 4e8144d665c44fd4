"""Prefixes, and what the words of a name say of its unit."""

import pytest

from netmodel.units import prefixes
from netmodel.units.names import PARSERS


def test_prefixes_are_those_of_the_si_and_of_iec_80000() -> None:
    decimal = ("MICRO", "MILLI", "KILO", "MEGA", "GIGA", "TERA")
    for power, name in zip((-2, -1, 1, 2, 3, 4), decimal, strict=True):
        assert getattr(prefixes, name) == pytest.approx(1000.0**power, rel=1e-15)
    for power, name in enumerate(("KIBI", "MEBI", "GIBI"), start=1):
        assert getattr(prefixes, name) == 1024**power
    assert (prefixes.MS_PER_S, prefixes.US_PER_S) == (1e3, 1e6)
    assert (prefixes.BITS_PER_BYTE, prefixes.BITS_PER_GBIT) == (8, 1e9)
    assert (prefixes.US_PER_MS, prefixes.WHOLE_PERCENT) == (1000, 100)


@pytest.mark.parametrize(
    ("name", "text", "number"),
    [
        ("payload_rate_bps", "25 Gbit/s", 25e9),
        ("mtu_bytes", "9 kB", 9000),
        ("round_trip_s", "40 µs", 40e-6),
        ("frequency_hz", "5.2 GHz", 5.2e9),
        ("distance_m", "100 km", 1e5),
        ("loss_ratio", "1 %", 0.01),
        ("flow_count", "250", 250),
    ],
)
def test_the_last_word_of_a_name_says_how_its_text_is_read(
    name: str, text: str, number: float
) -> None:
    assert PARSERS[name.rpartition("_")[2]](text) == number
