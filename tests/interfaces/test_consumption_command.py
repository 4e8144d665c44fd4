"""``netmodel consumption``: convert, cpus and compare, with numbers worked out by hand."""

from collections.abc import Sequence

import pytest
from invocation import printed_json, refusal

BYTE = 8e-9
"""Gbit in a byte."""
UNITS = {
    "µs/Gbit": ("us_per_gbit", 1e5),
    "ms/MB": ("ms_per_mb", 1e5 / 1e3 * BYTE * 1e6),
    "ms/MiB": ("ms_per_mib", 1e5 / 1e3 * BYTE * 1024**2),
    "ms/GB": ("ms_per_gb", 1e5 / 1e3 * BYTE * 1e9),
    "µs/KiB": ("us_per_kib", 1e5 * BYTE * 1024),
    "cores/(Gbit/s)": ("cores_per_gbps", 0.1),
    "(Gbit/s)/core": ("gbps_per_core", 10.0),
    "ms/transaction": ("ms_per_transaction", 1e5 / 1e3 * BYTE * 1200),
    "cycles/byte": ("cycles_per_byte", 1e5 / 1e6 * BYTE * 5.2e9),
}
FULLY = ("--payload", "1200", "--cpu-frequency", "5.2GHz")


@pytest.mark.parametrize("unit", [*UNITS, *(f"u{unit[1:]}" for unit in UNITS if unit[0] == "µ")])
def test_every_unit_of_consumption_converts_to_every_other(unit: str) -> None:
    _, number = UNITS[unit.replace("us", "µs")]
    result = printed_json("consumption", "convert", f"{number!r} {unit}", *FULLY)
    assert result == {key: pytest.approx(value, rel=1e-12) for key, value in UNITS.values()}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("convert", "5 ms/transaction"), ("give --payload, the payload of one transaction",)),
        (("convert", "5 cycles/byte"), ("give --cpu-frequency, the clock of the CPU",)),
        (("convert", ""), ("it is empty",)),
        (("convert", "--", "-5 us/Gbit"), ("negative",)),
        (("convert", "5 cycles/byte", "--cpu-frequency", "5.2"), ("unit is missing",)),
        (("cpus", "5 us/Gbit"), ("Missing option '--rate'",)),
        (("cpus", "5 us/Gbit", "--rate", "1G", "--max-utilisation", "0"), ("above 0",)),
    ],
    ids=" ".join,
)
def test_consumption_refuses_impossible_values_with_the_reason(
    arguments: Sequence[str], words: Sequence[str]
) -> None:
    answer = refusal("consumption", *arguments)
    assert all(word in answer for word in words), answer
