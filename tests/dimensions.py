"""Formulas recorded with constants that know their names, and so their dimensions."""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from netmodel._numeric import power
from netmodel._recording import Operand, Recorded, Recording
from netmodel.symbolic._dimensions import (
    LARGEST_ROOT,
    NUMBER,
    Dimension,
    Dimensions,
    any_of_zero,
    dimension,
    product,
    raised,
    unit_text,
)
from netmodel.symbolic._formulas import PACKAGES, Formula
from netmodel.symbolic._record import record

__all__ = ["CONSTANTS", "Constant", "DimensionError", "dimension_of_constant", "faults_of"]

_SUFFIXES = {
    "BITS": "bit",
    "BIT": "bit",
    "BYTES": "byte",
    "BYTE": "byte",
    "GBIT": "Gbit",
    "US": "µs",
    "MS": "ms",
    "NS": "ns",
    "S": "s",
    "MPS": "m/s",
}
"""Unit of a constant, by the last word of its name."""
CONSTANTS = {
    "CUBIC_SCALE": ("1/s^3", "RFC 9438 grows the window by segments over the cube of a time"),
    "_SCALE_OF_WINDOW": ("1/s^3", "CUBIC_SCALE times a pure number"),
    "RDMA_MTUS_BYTES": ("byte", "sizes one by one"),
    "WRITE": ("byte", "a field of Headers, which are lengths"),
    "READ": ("byte", "a field of Headers, which are lengths"),
    "COMPLETION": ("byte", "a field of Headers, which are lengths"),
}
"""Constants whose names do not end in their unit: the unit, and why it is that."""
BARE_ADDENDS = {
    ("required_mtu_bytes", 1): ("byte", "the next whole MTU, and a payload of at least one byte"),
}
"""Plain numbers that a formula adds to something with a unit: their unit, and what they are."""
_CONSTANT = re.compile("_?[A-Z][A-Z0-9_]*")


class DimensionError(Exception):
    """Constants of different dimensions are added."""


class Constant(float):
    """
    A number that knows its name and dimension.

    Parameters
    ----------
    value : float
        The number.
    name : str
        Of the constant, or how it follows from others.
    dimension : tuple
        What it stands for.
    """

    name: str
    dimension: Dimension

    def __new__(cls, value: float, name: str, of: Dimension) -> "Constant":
        made = super().__new__(cls, value)
        made.name, made.dimension = name, of
        return made

    def __repr__(self) -> str:
        return f"{self.name}={float(self)!r}"

    __hash__ = float.__hash__

    def _with(self, other: Any, sign: int, value: Any, text: str) -> Any:
        if isinstance(other, Recorded) or value is NotImplemented:
            return NotImplemented
        own = other.dimension if isinstance(other, Constant) else NUMBER
        return Constant(value, text, product(self.dimension, own, sign))

    def __mul__(self, other: Any) -> Any:
        return self._with(other, 1, float.__mul__(self, other), f"{self.name}·{other!r}")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, -1, float.__truediv__(self, other), f"{self.name}/{other!r}")

    def __rtruediv__(self, other: Any) -> Any:
        value = float.__rtruediv__(self, other)
        if isinstance(other, Recorded) or value is NotImplemented:
            return NotImplemented
        return Constant(value, f"{other!r}/{self.name}", raised(self.dimension, Fraction(-1)))

    def __add__(self, other: Any) -> Any:
        return self._alike(other, float.__add__(self, other), f"{self.name}+{other!r}")

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._alike(other, float.__sub__(self, other), f"{self.name}-{other!r}")

    def __neg__(self) -> "Constant":
        return Constant(-float(self), f"-{self.name}", self.dimension)

    def __pow__(self, exponent: Any, modulus: None = None) -> Any:
        power = Fraction(exponent).limit_denominator(LARGEST_ROOT)
        return Constant(
            float(self) ** exponent, f"{self.name}^{exponent}", raised(self.dimension, power)
        )

    def __lshift__(self, places: int) -> "Constant":
        return Constant(float(self) * 2**places, f"{self.name}<<{places}", self.dimension)

    def _alike(self, other: Any, value: Any, text: str) -> Any:
        if isinstance(other, Recorded) or value is NotImplemented:
            return NotImplemented
        own = other.dimension if isinstance(other, Constant) else NUMBER
        if own not in (NUMBER, self.dimension):
            raise DimensionError(f"{text} adds {unit_text(self.dimension)} and {unit_text(own)}")
        return Constant(value, text, self.dimension)


def dimension_of_constant(name: str) -> Dimension:
    """Dimension of a constant by its name: ``BITS_PER_BYTE``, ``FCS_BYTES``, ``US_PER_S``."""
    if name in CONSTANTS:
        return dimension(CONSTANTS[name][0])
    above, _, below = name.strip("_").rpartition("_PER_")
    if above:
        return product(_of_word(above), _of_word(below), -1)
    return _of_word(name)


def _of_word(name: str) -> Dimension:
    return dimension(_SUFFIXES.get(name.rpartition("_")[2], "1"))


@contextmanager
def named_constants() -> Iterator[None]:
    """Let the constants of all formula modules know their names."""
    changed: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for names in _namespaces():
            for name, value in list(names.items()):
                marked = _marked(name, value)
                if marked is not value:
                    changed.append((names, name, value))
                    names[name] = marked
        yield
    finally:
        for names, name, value in changed:
            names[name] = value


def _namespaces() -> Iterator[dict[str, Any]]:
    starts = tuple(PACKAGES.values())
    for path, module in list(sys.modules.items()):
        if path.startswith(starts):
            yield vars(module)


def _power_of_constants(base: Any, exponent: Any) -> Any:
    return base**exponent if isinstance(base, Constant) else power(base, exponent)


def _marked(name: str, value: Any) -> Any:
    if value is power:
        return _power_of_constants
    if not _CONSTANT.fullmatch(name):
        return value
    if type(value) in (int, float):
        known = dimension_of_constant(name)
        return value if known == NUMBER else Constant(value, name, known)
    if type(value) is tuple and name in CONSTANTS:
        return tuple(_marked(name, item) for item in value)
    if hasattr(value, "_fields"):  # lengths by name, such as headers
        return type(value)(
            *(_marked(each.upper(), item) for each, item in zip(value._fields, value, strict=True))
        )
    return value


class NamedRecording(Recording):
    """A recording that keeps the names of constants."""

    def operand(self, value: object) -> Operand:
        return value if isinstance(value, Constant) else super().operand(value)


def faults_of(
    formula: Formula, units: Mapping[str, str] = MappingProxyType({}), **fixed: object
) -> list[str]:
    """Steps of a formula that join different dimensions, and results of another one."""
    with named_constants():
        try:
            recorded = record(formula, fixed, NamedRecording)
        except DimensionError as fault:
            return [str(fault)]

    def of_addend(value: float) -> Dimension:
        unit, _ = BARE_ADDENDS.get((formula.short_name, value), ("", ""))
        return dimension(unit) if unit else of_constant(value)

    return Dimensions(recorded, of_constant, of_addend, units).faults


def of_constant(value: float) -> Dimension:
    return value.dimension if isinstance(value, Constant) else any_of_zero(value)
