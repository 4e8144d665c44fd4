"""Units and prefixes against those of pint, a library of physical units."""

from decimal import Decimal
from typing import Any

import pytest

from netmodel.units import _kinds as kinds
from netmodel.units.names import PARSERS

pint = pytest.importorskip("pint")

BASES = {"rate": "bit/s", "size": "byte", "time": "s", "frequency": "Hz", "length": "m"}
"""Base unit of each kind, as its parser gives it."""
SUFFIXES = {"rate": "bps", "size": "bytes", "time": "s", "frequency": "hz", "length": "m"}
OTHERWISE = {
    "": "pint takes a bare number for a ratio, and a size without a unit is in bytes here",
    **dict.fromkeys(("b/s", "kb/s", "Mb/s", "Tb/s"), "b is the barn of physics there"),
    "Gb/s": "Gb is the gilbert there",
    **dict.fromkeys(("k", "M", "G", "T"), "a prefix alone is a constant or a magnetic unit there"),
}
"""Units that pint reads as something else, and why: nobody measures a line in barns."""
UNITS = [
    pytest.param(kind, unit, id=f"{kind.name}: {unit}")
    for kind in kinds.KINDS
    for unit in kind.units
    if unit not in OTHERWISE
]
NUMBERS = ("1", "25", "0.5", "13.40", "1.2345678901")


@pytest.fixture(scope="module")
def registry() -> Any:
    return pint.UnitRegistry(non_int_type=Decimal)


@pytest.mark.parametrize(("kind", "unit"), UNITS)
def test_a_unit_is_as_large_as_that_of_pint(kind: kinds.Kind, unit: str, registry: Any) -> None:
    """Exactly, in decimal arithmetic; what is parsed is the nearest float."""
    factor = registry.Quantity(Decimal(1), registry.parse_units(unit)).to(BASES[kind.name])
    assert factor.magnitude == kind.units[unit]
    parse = PARSERS[SUFFIXES[kind.name]]
    for number in NUMBERS:
        quantity = registry.Quantity(Decimal(number), registry.parse_units(unit))
        expected = quantity.to(BASES[kind.name]).magnitude
        if kind is not kinds.SIZE or expected == int(expected):  # no part of a byte is sent
            assert parse(f"{number} {unit}") == float(expected)
