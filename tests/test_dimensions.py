"""
Every formula has the dimensions that its names and its docstring give.

In units half as large all numbers of that unit double, named constants too: a formula that adds
bytes to bits, or lacks a factor 8, then does not return the number that its own unit demands.
"""

import inspect
import random
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas

from netmodel import numeric
from netmodel.errors import DomainError
from netmodel.symbolic.docstrings import documentation
from netmodel.symbolic.formulas import PACKAGES
from netmodel.units.columns import unit_of

FORMULAS = public_formulas()
BASE_UNITS = ("bit", "byte", "Gbit", "s", "ms", "µs", "m")
"""A factor between two of them, such as 8 bit/byte, is a constant whose name has both."""
COUNTED = frozenset(
    {"1", "frame", "packet", "segment", "cycle", "erlang", "transaction", "core", "count", "ratio"}
)
WORDS = {
    "BITS": "bit",
    "BIT": "bit",
    "BYTES": "byte",
    "BYTE": "byte",
    "GBIT": "Gbit",
    "MPS": "m/s",
    "US": "µs",
    "MS": "ms",
    "S": "s",
}
"""Unit of a constant, by the last word of its name."""
CONSTANTS = {
    "CUBIC_SCALE": "1/s^3",
    "_SCALE_OF_WINDOW": "1/s^3",
    "RDMA_MTUS_BYTES": "byte",
    **dict.fromkeys(("_FRAMED_BYTES", "_IN_FLITS_BYTES", "_TRANSMIT", "_RECEIVE"), "byte"),
}
"""Constants whose names do not end in their unit: RFC 9438, and fields of lengths."""
NOT_HOMOGENEOUS = {
    "window_shift_count": "the header of TCP has 16 bits for bytes",
    "frame_loss_ratio": "counts bits: an error may happen to each",
    "required_mtu_bytes": "adds plain bytes: the next whole MTU, a payload of at least one byte",
}
CANCELS = {"lossy_transfer_time_s"}
"""Formulas that multiply by a factor and divide by it: one alone that is missing would be seen."""
ROUNDING = (numeric.ceil, numeric.floor, numeric.ceil_but_for_rounding)
"""Whole numbers of half units are no whole numbers of units."""
MOST_DRAWS = 200


def power(unit: str, base: str) -> Fraction:
    """Power of a base unit in a unit such as ``bit/s`` or ``1/s^3``."""
    above, _, below = unit.partition("/")
    total = Fraction()
    for part, sign in ((above, 1), (below, -1)):
        name, _, exponent = part.replace("Hz", "s^-1").partition("^")
        assert name in {"", *COUNTED, *BASE_UNITS}, unit
        total += sign * Fraction(exponent or 1) * (name == base)
    return total


def unit_of_constant(name: str) -> str:
    above, _, below = name.strip("_").rpartition("_PER_")
    ends = [WORDS.get(each.rpartition("_")[2], "1") for each in (above, below)]
    return CONSTANTS.get(name) or ("/".join(ends) if above else ends[1])


def doubled(name: str, value: Any, base: str) -> Any:
    """A constant in units half as large."""
    if any(value is each for each in ROUNDING):
        return lambda number: number
    if not re.fullmatch("_?[A-Z][A-Z0-9_]*", name):
        return value
    if hasattr(value, "_fields"):
        fields = zip(value._fields, value, strict=True)
        return type(value)(*(doubled(field.upper(), each, base) for field, each in fields))
    if type(value) is tuple and name in CONSTANTS:
        return tuple(doubled(name, each, base) for each in value)
    exponent = power(unit_of_constant(name), base) if type(value) in (int, float) else 0
    return value * (2**exponent if exponent > 0 else 2.0 ** float(exponent)) if exponent else value


@cache
def scaled_constants(base: str) -> list[tuple[Any, str, Any]]:
    """Module, name and value in units half as large, of each constant that differs."""
    return [
        (module, name, changed)
        for path, module in list(sys.modules.items())
        if path.startswith(tuple(PACKAGES.values()))
        for name, value in vars(module).items()
        if (changed := doubled(name, value, base)) is not value
    ]


def scale_constants(patch: pytest.MonkeyPatch, base: str, keeps: str = "") -> None:
    for module, name, changed in scaled_constants(base):
        if name != keeps:
            patch.setattr(module, name, changed)


def faults(function: Callable[..., Any], formula: Formula, keeps: str = "") -> list[str]:
    """Base units in which a function with the names of a formula does not return its own unit."""
    documented = documentation(formula.function)
    known = documented.units
    units_of = {name: known.get(name) or unit_of(name) or "" for name in formula.quantities}
    for name in formula.quantities:
        if per := re.fullmatch(r"(?:\w+_)?per_(byte|bit)_s", name):
            units_of[name] = f"s/{per.group(1)}"
    unit = documented.result_unit or unit_of(formula.function.__name__) or ""
    chosen = {name: CHOICES[name][0] for name in formula.choices}
    draw = random.Random(str(formula))
    found = []
    for base in BASE_UNITS:
        point, value = drawn(function, formula, chosen, draw)
        with pytest.MonkeyPatch.context() as patch:
            scale_constants(patch, base, keeps)
            scaled = {
                name: each * 2.0 ** float(power(units_of[name], base))
                for name, each in point.items()
            }
            try:
                result = function(**chosen, **scaled)
            except DomainError as error:
                found.append(f"{base}: {error}")
                continue
        if result != pytest.approx(value * 2.0 ** float(power(unit, base)), rel=1e-9):
            found.append(base)
    return found


def drawn(
    function: Callable[..., Any], formula: Formula, chosen: dict[str, Any], draw: random.Random
) -> tuple[dict[str, float], float]:
    """Arguments that go together, and the result without rounding."""
    for _ in range(MOST_DRAWS):
        point = {name: draw.uniform(*DOMAINS[name]) for name in formula.quantities}
        with pytest.MonkeyPatch.context() as patch:
            scale_constants(patch, "none")
            try:
                value = float(function(**chosen, **point))
            except DomainError:
                continue
        if value:
            return point, value
    raise AssertionError(f"{MOST_DRAWS} draws do not go together")


HOMOGENEOUS = [each for each in FORMULAS if each.function.__name__ not in NOT_HOMOGENEOUS]


@pytest.mark.parametrize("formula", HOMOGENEOUS, ids=str)
def test_a_formula_has_the_dimensions_that_its_names_say(formula: Formula) -> None:
    assert faults(formula.function, formula) == []


def with_bits(formula: Formula) -> bool:
    """Whether a factor between bits and bytes is in a formula."""
    names = inspect.unwrap(formula.function).__code__.co_names
    return "BITS_PER_BYTE" in names and formula.function.__name__ not in CANCELS


@pytest.mark.parametrize("formula", [each for each in HOMOGENEOUS if with_bits(each)], ids=str)
def test_a_missing_factor_8_is_seen(formula: Formula) -> None:
    assert faults(formula.function, formula, keeps="BITS_PER_BYTE")
