"""Units by the words of names."""

import pytest

from netmodel._quantities import unit_of


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
        ("connections", "1"),
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
