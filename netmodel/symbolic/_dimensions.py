"""
Dimensions of every step of a formula.

Bits and bytes, and seconds and microseconds, are dimensions of their own here: a factor that turns
one into the other must be a constant whose name says so, such as ``BITS_PER_BYTE``. Frames,
segments, connections, CPUs and cycles are counted, without a dimension.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TypeAlias

from netmodel._quantities import unit_of
from netmodel._recording import Operand, Step
from netmodel.symbolic._docstrings import documentation
from netmodel.symbolic._formulas import Formula
from netmodel.symbolic._record import Record

Dimension: TypeAlias = tuple[tuple[str, Fraction], ...]
"""Powers of units, sorted by name; empty for pure numbers."""

NUMBER: Dimension = ()
ANY: Dimension = (("any", Fraction(1)),)
"""Of 0 and infinity, which are the same in all units."""
_COUNTED = frozenset(
    {"1", "frame", "packet", "segment", "cycle", "erlang", "transaction", "core", "count", "ratio"}
)


_BIT: Dimension = (("bit", Fraction(1)),)
"""Counted where it is an exponent: an error may happen to each bit of a frame."""
_BYTE: Dimension = (("byte", Fraction(1)),)
"""Lengths are whole numbers of bytes: they may be rounded up, unlike times."""
LARGEST_ROOT = 12
"""Denominator of an exponent; models of CUBIC have fourths."""


def dimension(unit: str) -> Dimension:
    """Dimension of a unit such as ``bit/s`` or ``1/s^3``; all behind the slash divides."""
    above, _, below = unit.partition("/")
    powers: dict[str, Fraction] = {}
    for part, sign in ((above, 1), (below, -1)):
        base, _, power = part.strip().partition("^")
        exponent = sign * Fraction(power or 1)
        if base == "Hz":
            base, exponent = "s", -exponent
        if base and base not in _COUNTED:
            powers[base] = powers.get(base, Fraction()) + exponent
    return _sorted(powers)


def _sorted(powers: Mapping[str, Fraction]) -> Dimension:
    return tuple(sorted((base, power) for base, power in powers.items() if power))


def product(first: Dimension, second: Dimension, sign: int = 1) -> Dimension:
    """Dimension of a product, or of a quotient."""
    if ANY in (first, second):
        return ANY
    powers = dict(first)
    for base, power in second:
        powers[base] = powers.get(base, Fraction()) + sign * power
    return _sorted(powers)


def raised(base: Dimension, exponent: Fraction) -> Dimension:
    """Dimension of a power."""
    return base if base == ANY else _sorted({name: power * exponent for name, power in base})


def unit_text(found: Dimension) -> str:
    """A dimension as a unit: ``bit/s``; 1 for a pure number."""
    if found == ANY:
        return "any unit"
    above = [_power_text(name, power) for name, power in found if power > 0]
    below = [_power_text(name, -power) for name, power in found if power < 0]
    return "·".join(above or ["1"]) + (f"/{'/'.join(below)}" if below else "")


def _power_text(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{power}"


def unit_of_argument(formula: Formula, name: str) -> str:
    """Unit of an argument: by its name, or as the docstring has it; empty for a pure number."""
    per = re.fullmatch(r"(?:\w+_)?per_(byte|bit)_s", name)
    if per:
        return f"s/{per.group(1)}"
    unit = documentation(formula.function).units.get(name) or unit_of(name) or ""
    return "" if unit == "1" else unit


def unit_of_result(formula: Formula, name: str) -> str:
    """Unit of a result, in the same way."""
    documented = documentation(formula.function).result_unit if name == formula.short_name else ""
    unit = documented or unit_of(name) or ""
    return "" if unit == "1" else unit


class Dimensions:
    """
    Dimensions of all quantities of a formula.

    Parameters
    ----------
    record : Record
        Steps of the formula.
    constant_dimension : callable
        Dimension of a constant as a factor or an exponent.
    addend_dimension : callable
        Dimension of a constant as an addend or a limit.
    units : dict of str to str
        Units of arguments, where they are not those of their names.
    """

    def __init__(
        self,
        record: Record,
        constant_dimension: Callable[[float], Dimension],
        addend_dimension: Callable[[float], Dimension],
        units: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._factor = constant_dimension
        self._addend = addend_dimension
        self.faults: list[str] = []
        formula = record.formula
        self.places: list[Dimension] = [
            dimension(units.get(name, unit_of_argument(formula, name))) for name in record.names
        ]
        for step in record.recording.steps:
            self.places.append(self._of_step(step))
        for check in record.recording.checks:
            limit = check.limit
            if not isinstance(limit, float) or type(limit) is not float:
                self._same("require", (check.value, limit))
        for name, operand in record.results.items():
            documented = dimension(unit_of_result(formula, name))
            computed = self.of(operand)
            if computed not in (documented, ANY):
                self.faults.append(
                    f"{name} is in {unit_text(documented)}, and computed in {unit_text(computed)}"
                )

    def of(self, operand: Operand) -> Dimension:
        """Dimension of a quantity, or of a constant as a factor."""
        return self._factor(operand) if isinstance(operand, float) else self.places[operand]

    def of_addend(self, operand: Operand) -> Dimension:
        """Dimension of a quantity, or of a constant as an addend."""
        return self._addend(operand) if isinstance(operand, float) else self.places[operand]

    def _of_step(self, step: Step) -> Dimension:
        first, *others = step.operands
        match step.operation:
            case "multiply" | "divide":
                sign = 1 if step.operation == "multiply" else -1
                return product(self.of(first), self.of(others[0]), sign)
            case "negative" | "absolute":
                return self.of(first)
            case "square":
                return raised(self.of(first), Fraction(2))
            case "sqrt":
                return raised(self.of(first), Fraction(1, 2))
            case "power":
                return self._of_power(first, others[0])
            case "log" | "log1p" | "exp" | "expm1":
                return self._number(step.operation, first)
            case "ceil":
                if self.of(first) not in (NUMBER, _BYTE, ANY):
                    self.faults.append(f"rounds up {unit_text(self.of(first))}")
                return self.of(first)
            case "where":
                return self._same("where", others)
            case "add" | "subtract" | "maximum" | "minimum":
                return self._same(step.operation, step.operands)
            case "logical_and" | "logical_or" | "logical_not":
                return NUMBER
            case _:
                self._same(step.operation, step.operands)
                return NUMBER

    def _of_power(self, base: Operand, exponent: Operand) -> Dimension:
        if isinstance(exponent, float):
            return raised(self.of(base), Fraction(exponent).limit_denominator(LARGEST_ROOT))
        self._number("power", exponent)
        return self._number("power", base)

    def _number(self, operation: str, operand: Operand) -> Dimension:
        if self.of(operand) not in (NUMBER, _BIT, ANY):
            self.faults.append(f"{operation} of {unit_text(self.of(operand))}")
        return NUMBER

    def _same(self, operation: str, operands: Sequence[Operand]) -> Dimension:
        """The one dimension of all operands; a fault where there are several."""
        found = [each for each in map(self.of_addend, operands) if each != ANY]
        if len(set(found)) > 1:
            self.faults.append(f"{operation} of {' and '.join(map(unit_text, found))}")
        return found[0] if found else ANY


def any_of_zero(value: float) -> Dimension:
    """Dimension of a constant that stands alone: a pure number, but for 0 and infinity."""
    return ANY if value == 0 or math.isinf(value) else NUMBER


def as_its_sibling(value: float) -> Dimension:
    """Dimension of an addend whose unit is not checked."""
    return ANY
