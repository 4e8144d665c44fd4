"""Prefixes, and what the words of a name say of its unit."""

import re
from pathlib import Path

import pytest

from netmodel.units import prefixes
from netmodel.units.columns import unit_of
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


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        *(("client_us_per_gbit", "µs/Gbit"), ("payload_rate_bps", "bit/s"), ("rate_fps", "1/s")),
        *(("frequency_hz", "Hz"), ("mtu_bytes", "byte"), ("data_bits", "bit"), ("loss_ratio", "1")),
        *(("flow_count", "1"), ("km", "km"), ("distance_m", "m"), ("round_trip_s", "s")),
        *(("per_transaction", None), ("adapter", None)),
    ],
)
def test_the_last_words_of_a_name_give_its_unit(name: str, unit: str | None) -> None:
    assert unit_of(name) == unit


def test_units_are_known_by_the_suffixes_that_the_nomenclature_lists() -> None:
    page = (Path(__file__).parents[2] / "docs" / "nomenclature.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `_(\w+)` \|", page, flags=re.MULTILINE))
    without = {ending for ending in listed if unit_of(f"x_{ending}") is None}
    assert without == {"erlang", "index", "mps"}  # of no argument that a message names
