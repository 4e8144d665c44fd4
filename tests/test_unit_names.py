"""Units by the words of names."""

import re

import pages_of_docs
import pytest

from netmodel.units.columns import unit_of


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("client_us_per_gbit", "µs/Gbit"),
        ("payload_rate_bps", "bit/s"),
        ("rate_fps", "1/s"),
        ("transaction_rate_tps", "1/s"),
        ("frequency_hz", "Hz"),
        ("mtu_bytes", "byte"),
        ("data_bits", "bit"),
        ("loss_ratio", "1"),
        ("flow_count", "1"),
        ("km", "km"),
        ("distance_m", "m"),
        ("round_trip_s", "s"),
        ("per_transaction", None),
        ("adapter", None),
    ],
)
def test_the_last_words_of_a_name_give_its_unit(name: str, unit: str | None) -> None:
    """As the suffixes of the nomenclature."""
    assert unit_of(name) == unit


def test_units_are_known_by_the_suffixes_that_the_nomenclature_lists() -> None:
    page = (pages_of_docs.DOCS / "nomenclature.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `_(\w+)` \|", page, flags=re.MULTILINE))
    without = {ending for ending in listed if unit_of(f"x_{ending}") is None}
    assert without == {"erlang", "index", "mps"}  # of no argument that a message names
