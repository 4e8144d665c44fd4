"""Recorded steps as text and as LaTeX, with names or with numbers."""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from netmodel._numeric import _ROUNDING_MARGIN
from netmodel._numpy import np
from netmodel._recording import Operand, Step
from netmodel.symbolic._dimensions import (
    ANY,
    NUMBER,
    Dimension,
    Dimensions,
    any_of_zero,
    as_its_sibling,
    dimension,
    product,
    unit_text,
)
from netmodel.symbolic._latex import symbol_of
from netmodel.symbolic._record import Record
from netmodel.units import BITS_PER_BYTE, format_rate, format_time
from netmodel.units._prefixes import BITS_PER_GBIT, US_PER_MS, US_PER_S

if TYPE_CHECKING:
    from numpy.typing import NDArray

RATE_DIGITS = 11
"""Significant digits of a rate: to the bit/s at 25 Gbit/s, as of the ceiling of a line."""
_DIGITS = 12
"""Of all other numbers: what agrees between tools."""
_BUT_FOR_ROUNDING = 1 - _ROUNDING_MARGIN
_CONVERSIONS: Mapping[float, Dimension] = {
    float(BITS_PER_BYTE): dimension("bit/byte"),
    US_PER_S: dimension("µs/s"),
    US_PER_MS: dimension("µs/ms"),
    BITS_PER_GBIT: dimension("bit/Gbit"),
}
"""What a factor turns into what, where that is in the other factor."""
_SUM, _PRODUCT, _POWER, _ATOM = range(4)
"""How tightly an operation binds."""
_SIGNS = {"add": "+", "subtract": "−"}
_COMPARED = {
    "greater": ">",
    "greater_equal": "≥",
    "less": "<",
    "less_equal": "≤",
    "equal": "=",
    "not_equal": "≠",
}
_FUNCTIONS = {"log": "ln", "exp": "exp", "absolute": "abs", "maximum": "max", "minimum": "min"}
_WITH_PREFIXES = {"bit/s": format_rate, "s": format_time}
_TEX_UNITS = {"µs": r"\mu\mathrm{s}", "%": r"\%"}


class Written(Dimensions):
    """
    Quantities of a formula with their values and units.

    Parameters
    ----------
    record : Record
        Steps of the formula.
    values : sequence of float
        Numbers of the arguments.
    converts : bool
        Whether factors such as 8 turn bytes into bits where they may.
    """

    def __init__(self, record: Record, values: "list[float]", converts: bool = False) -> None:
        self._converts = converts
        super().__init__(record, any_of_zero, as_its_sibling)
        self.record = record
        self.steps = record.recording.steps
        self.values: list[Any] = list(values)
        for step in self.steps:
            self.values.append(self._computed(step))

    def _of_step(self, step: Step) -> Dimension:
        """The dimension, with factors such as 8 bit/byte where they fit."""
        if self._converts and step.operation in {"multiply", "divide"}:
            factors = [self.factor(step, place) for place in (0, 1)]
            return product(factors[0], factors[1], 1 if step.operation == "multiply" else -1)
        return super()._of_step(step)

    def factor(self, step: Step, place: int) -> Dimension:
        """Dimension of one of two factors: a constant converts what the other one has."""
        operand, other = step.operands[place], step.operands[1 - place]
        if not isinstance(operand, float):
            return self.of(operand)
        known = _CONVERSIONS.get(operand, NUMBER) if self._converts else NUMBER
        if not known or isinstance(other, float):
            return any_of_zero(operand)
        is_divisor = step.operation == "divide" and place == 1
        (lower, upper) = sorted(known, key=lambda each: each[1])
        powers = dict(self.of(other))
        cancelled = upper[0] if is_divisor else lower[0]
        kept = lower[0] if is_divisor else upper[0]
        divides = step.operation == "divide" and place == 0
        fits = powers.get(cancelled, 0) > 0 or powers.get(kept, 0) < 0
        if divides:
            fits = powers.get(kept, 0) > 0 or powers.get(cancelled, 0) < 0
        return known if fits else NUMBER

    @property
    def has_units(self) -> bool:
        """Whether the units of parts are known: not where a constant hides one."""
        return not self.faults

    def shown(self, operand: Operand) -> Dimension:
        """Dimension that is printed behind a number."""
        is_argument = not isinstance(operand, float) and operand < len(self.record.names)
        return self.of(operand) if is_argument or self.has_units else NUMBER

    def value(self, operand: Operand) -> float:
        """Number of a quantity."""
        return operand if isinstance(operand, float) else self.values[operand]

    def step(self, operand: Operand) -> Step | None:
        """What made a quantity; None for arguments and constants."""
        if isinstance(operand, float) or operand < len(self.record.names):
            return None
        return self.steps[operand - len(self.record.names)]

    def _computed(self, step: Step) -> Any:
        function: Callable[..., NDArray[Any]] = getattr(np, step.operation)
        with np.errstate(all="ignore"):
            return np.asarray(function(*(self.value(each) for each in step.operands))).item()

    def is_chosen_one(self, operand: Operand) -> bool:
        """Whether a factor is 1 because a condition holds, which has a line of its own."""
        step = self.step(operand)
        return step is not None and step.operation == "where" and self.chosen(step) == 1

    def is_zero(self, operand: Operand) -> bool:
        """Whether an addend is always 0, such as the options that a stack has not."""
        step = self.step(operand)
        factors = step.operands if step is not None and step.operation == "multiply" else (operand,)
        return any(isinstance(each, float) and each == 0 for each in factors)

    def chosen(self, step: Step) -> Operand:
        """The branch that a choice takes."""
        condition, if_true, if_false = step.operands
        return if_true if self.value(condition) else if_false


class Text:
    """
    Formulas as plain text.

    Parameters
    ----------
    written : Written
        What is written.
    with_numbers : bool
        Whether numbers with units stand for names.
    """

    times, minus = " · ", "−"

    def __init__(self, written: Written, with_numbers: bool, lines: Mapping[int, str]) -> None:
        self.written = written
        self.with_numbers = with_numbers
        self.lines = lines

    def of(self, operand: Operand, sibling: Dimension = NUMBER, at: int = _SUM) -> str:
        """A quantity, in brackets where it binds less tightly than what is around it."""
        written, binds = self._bound(operand, sibling)
        return self.bracketed(written) if binds < at else written

    def line(self, place: int) -> str:
        """A quantity that has a line of its own, as it follows from others."""
        step = self.written.step(place)
        assert step is not None
        return self._of_step(place, step)[0]

    def _bound(self, operand: Operand, sibling: Dimension) -> tuple[str, int]:
        if isinstance(operand, float):
            of = sibling if self.written.has_units else NUMBER
            return self.number(operand, of), _ATOM if operand >= 0 else _SUM
        if operand in self.lines:
            if self.with_numbers:
                return self.number(self.written.value(operand), self.written.shown(operand)), _ATOM
            return self.reference(self.lines[operand]), _ATOM
        step = self.written.step(operand)
        if step is not None:
            return self._of_step(operand, step)
        if self.with_numbers:
            return self.number(self.written.value(operand), self.written.of(operand)), _ATOM
        return self.name(self.written.record.names[operand]), _ATOM

    def _of_step(self, place: int, step: Step) -> tuple[str, int]:
        first, *others = step.operands
        of = self.written.of(place)
        match step.operation:
            case "add" | "subtract":
                kept = [each for each in step.operands if not self.written.is_zero(each)]
                if len(kept) == 1 and (step.operation == "add" or kept[0] == first):
                    return self._bound(kept[0], of)
                sign = f" {_SIGNS[step.operation]} "
                right = _PRODUCT if step.operation == "subtract" else _SUM
                return self.of(first, of) + sign + self.of(others[0], of, right), _SUM
            case "multiply":
                if _BUT_FOR_ROUNDING in step.operands:
                    rest = others[0] if first == _BUT_FOR_ROUNDING else first
                    return self._bound(rest, of)
                for one, other in ((first, others[0]), (others[0], first)):
                    if self.written.is_chosen_one(one):
                        return self._bound(other, of)
                factors = [self.written.factor(step, at) for at in (0, 1)]
                left = self.of(first, factors[0], _PRODUCT)
                return left + self.times + self.of(others[0], factors[1], _PRODUCT), _PRODUCT
            case "divide":
                factors = [self.written.factor(step, at) for at in (0, 1)]
                return self.quotient(first, others[0], factors[0], factors[1])
            case "power":
                return self.power(self.of(first, NUMBER, _ATOM), others[0]), _POWER
            case "square":
                return self.power(self.of(first, NUMBER, _ATOM), 2.0), _POWER
            case "sqrt":
                return self.root(self.of(first)), _ATOM
            case "negative":
                return self._negative(first, of)
            case "ceil":
                return self.ceiling(self.of(first, of)), _ATOM
            case "maximum" | "minimum":
                name = _FUNCTIONS[step.operation]
                return self.flat(name, [self.of(each, of) for each in step.operands]), _ATOM
            case "where":
                return self._bound(self.written.chosen(step), of)
            case "log1p":
                return self.function("ln", f"1 + {self.of(first)}"), _ATOM
            case "expm1":
                return f"{self.function('exp', self.of(first))} {self.minus} 1", _SUM
            case _ if step.operation in _COMPARED:
                side = self._side(step)
                sign = f" {self.compared(_COMPARED[step.operation])} "
                return sign.join(self.of(each, side) for each in step.operands), _SUM
            case _:
                name = _FUNCTIONS.get(step.operation, step.operation)
                return self.function(
                    name, ", ".join(self.of(each) for each in step.operands)
                ), _ATOM

    def _side(self, step: Step) -> Dimension:
        known = (self.written.of(each) for each in step.operands if not isinstance(each, float))
        return next(known, NUMBER)

    def _negative(self, operand: Operand, of: Dimension) -> tuple[str, int]:
        """-max(-a, -b) as min(a, b), and -ceil(-a) as the whole number below."""
        step = self.written.step(operand)
        if step is not None and step.operation == "maximum":
            return self.flat("min", [self._opposite(each, of) for each in step.operands]), _ATOM
        if step is not None and step.operation == "ceil":
            return self.floor(self._opposite(step.operands[0], of)), _ATOM
        return f"{self.minus}{self.of(operand, of, _PRODUCT)}", _SUM

    def _opposite(self, operand: Operand, of: Dimension) -> str:
        if isinstance(operand, float):
            return self.of(-operand, of)
        step = self.written.step(operand)
        if step is not None and step.operation == "negative":
            return self.of(step.operands[0], of)
        return f"{self.minus}{self.of(operand, of, _PRODUCT)}"

    def bracketed(self, text: str) -> str:
        return f"({text})"

    def reference(self, label: str) -> str:
        return label

    def name(self, name: str) -> str:
        return name

    def number(self, value: float, of: Dimension) -> str:
        return number_text(value, of)

    def quotient(
        self, first: Operand, second: Operand, above: Dimension, below: Dimension
    ) -> tuple[str, int]:
        return f"{self.of(first, above, _PRODUCT)} / {self.of(second, below, _POWER)}", _PRODUCT

    def power(self, base: str, exponent: Operand) -> str:
        return f"{base}^{self.of(exponent, NUMBER, _ATOM)}"

    def root(self, inside: str) -> str:
        return f"√({inside})"

    def ceiling(self, inside: str) -> str:
        return f"⌈{inside}⌉"

    def floor(self, inside: str) -> str:
        return f"⌊{inside}⌋"

    def function(self, name: str, inside: str) -> str:
        return f"{name}({inside})"

    def flat(self, name: str, parts: "list[str]") -> str:
        """The largest or smallest of several quantities, some of which may be that of others."""
        start, end = self.function(name, "|").split("|")
        inner = (
            each[len(start) : -len(end)] if each.startswith(start) and each.endswith(end) else each
            for each in parts
        )
        is_one = all(each.count(start) <= 1 for each in parts)
        return self.function(name, ", ".join(inner if is_one else parts))

    def compared(self, sign: str) -> str:
        return sign


class Latex(Text):
    """Formulas as LaTeX."""

    times, minus = r" \cdot ", "-"

    def _of_step(self, place: int, step: Step) -> tuple[str, int]:
        written, binds = super()._of_step(place, step)
        return written.replace("−", "-"), binds

    def bracketed(self, text: str) -> str:
        return rf"\left({text}\right)"

    def reference(self, label: str) -> str:
        return label.replace("[", "y_{").replace("]", "}")

    def name(self, name: str) -> str:
        return symbol_of(name)

    def number(self, value: float, of: Dimension) -> str:
        return latex_number(number_text(value, of))

    def quotient(
        self, first: Operand, second: Operand, above: Dimension, below: Dimension
    ) -> tuple[str, int]:
        return rf"\frac{{{self.of(first, above)}}}{{{self.of(second, below)}}}", _PRODUCT

    def power(self, base: str, exponent: Operand) -> str:
        return f"{base}^{{{self.of(exponent)}}}"

    def root(self, inside: str) -> str:
        return rf"\sqrt{{{inside}}}"

    def ceiling(self, inside: str) -> str:
        return rf"\left\lceil {inside} \right\rceil"

    def floor(self, inside: str) -> str:
        return rf"\left\lfloor {inside} \right\rfloor"

    def function(self, name: str, inside: str) -> str:
        return rf"\{name}\left({inside}\right)"

    def compared(self, sign: str) -> str:
        return {"≥": r"\geq", "≤": r"\leq", "≠": r"\neq"}.get(sign, sign)


def number_text(value: float, of: Dimension) -> str:
    """A number with its unit, in the prefix that fits: ``25 Gbit/s``, ``1500 B``."""
    # no unit has a broken power: it comes from a constant of unknown unit
    is_shown = of not in (NUMBER, ANY) and all(power.denominator == 1 for _, power in of)
    unit = unit_text(of) if is_shown else ""
    if math.isfinite(value) and value > 0 and unit in _WITH_PREFIXES:
        return _WITH_PREFIXES[unit](value, RATE_DIGITS)
    unit = unit.replace("byte", "B")
    number = f"{value:.{_DIGITS}g}"
    return f"{number}{unit[1:]}" if unit.startswith("1/") else f"{number} {unit}".rstrip()


def latex_number(text: str) -> str:
    """A number with its unit as LaTeX."""
    number, _, unit = text.partition(" ")
    if "/" in number and not unit:
        number, slash, rest = number.partition("/")
        unit = slash + rest
    mantissa, _, power = number.partition("e")
    if power:
        number = rf"{mantissa} \cdot 10^{{{int(power)}}}"
    upright = "".join(_TEX_UNITS.get(unit, rf"\mathrm{{{unit}}}") if unit else "")
    return rf"{number}\,{upright}" if unit else number
