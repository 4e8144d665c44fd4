"""Recorded steps as SymPy expressions."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

from netmodel._numeric import _ROUNDING_MARGIN, is_symbol
from netmodel._quantities import unit_of
from netmodel._recording import Operand, Step
from netmodel.errors import DomainError
from netmodel.symbolic._formulas import Function, formula_of, formulas_by_name
from netmodel.symbolic._record import Record, record
from netmodel.symbolic._sympy import sympy

if TYPE_CHECKING:
    from sympy import Expr, Symbol

_LARGEST_DENOMINATOR = 10**6
"""Of a constant such as 1/3; those of published models have at most five digits."""
_NEAR_ULPS = 2
"""Units in the last place by which a computed constant such as 0.1 + 0.2 may be off."""
_BUT_FOR_ROUNDING = 1 - _ROUNDING_MARGIN
"""Factor that takes off what floats round; symbols round nothing."""
_FLOAT_DIGITS = 30
"""Of a number that cannot stay exact: far more than a float has."""
_HOLDS = {"above": "Gt", "at least": "Ge", "at most": "Le", "below": "Lt"}
_NAMES = {
    "absolute": "Abs",
    "ceil": "ceiling",
    "maximum": "Max",
    "minimum": "Min",
    "greater": "Gt",
    "greater_equal": "Ge",
    "less": "Lt",
    "less_equal": "Le",
    "equal": "Eq",
    "not_equal": "Ne",
    "logical_and": "And",
    "logical_or": "Or",
    "logical_not": "Not",
}
"""What SymPy calls an operation, where that is not its name in numpy."""


def exact(value: Any) -> Any:
    """A number as SymPy's: whole numbers and fractions where a float means one."""
    if is_symbol(value):
        return value
    number = float(value)
    if math.isnan(number):
        return sympy.nan
    if math.isinf(number):
        return sympy.oo if number > 0 else -sympy.oo
    if number.is_integer():
        return sympy.Integer(int(number))
    near = Fraction(number).limit_denominator(_LARGEST_DENOMINATOR)
    if near and abs(float(near) - number) <= _NEAR_ULPS * math.ulp(number):
        return sympy.Rational(near.numerator, near.denominator)
    return sympy.Rational(repr(number))


class Expressions:
    """
    Every quantity of a record as an expression.

    Parameters
    ----------
    recorded : Record
        Steps of a formula.
    """

    def __init__(self, recorded: Record) -> None:
        self.record = recorded
        self.symbols: dict[str, Symbol] = {
            name: _symbol(recorded, place) for place, name in enumerate(recorded.names)
        }
        self._values: list[Any] = list(self.symbols.values())
        for step in recorded.recording.steps:
            self._values.append(self._applied(step))

    def __getitem__(self, operand: Operand) -> Any:
        """A quantity by its place, or a constant."""
        return exact(operand) if isinstance(operand, float) else self._values[operand]

    def _applied(self, step: Step) -> Any:
        """
        Result of a step.

        What floats need is undone: -max(-a, -b) is the smaller one, -ceil(-a) the next whole number
        below, and nothing is taken off for rounding.
        """
        operands = [self[each] for each in step.operands]
        first = operands[0]
        of_first = self._step(step.operands[0])
        if step.operation == "ceil" and of_first and of_first.operation == "negative":
            return -sympy.floor(self[of_first.operands[0]])
        if step.operation == "multiply" and _BUT_FOR_ROUNDING in step.operands:
            return operands[0] if step.operands[1] == _BUT_FOR_ROUNDING else operands[1]
        if step.operation == "negative" and of_first and of_first.operation == "maximum":
            return sympy.Min(*(self._negative(each) for each in of_first.operands))
        return _applied(step.operation, first, *operands[1:])

    def _step(self, operand: Operand) -> Step | None:
        """What made a quantity; None for arguments and constants."""
        place = -1 if isinstance(operand, float) else operand - len(self.record.names)
        return self.record.recording.steps[place] if place >= 0 else None

    def _negative(self, operand: Operand) -> Any:
        step = self._step(operand)
        is_negative = step is not None and step.operation == "negative"
        return self[step.operands[0]] if step and is_negative else -self[operand]

    def results(self) -> dict[str, Any]:
        """Results with all symbols, in which fixed numbers are symbols too."""
        return {name: self[each] for name, each in self.record.results.items()}

    def with_known(self) -> dict[str, Any]:
        """Results with what is known in its place; DomainError where that fails a check."""
        self.require(self.known)
        return {name: replaced(each, self.known) for name, each in self.results().items()}

    @property
    def known(self) -> "dict[Symbol, Any]":
        """Symbols that stand for numbers and expressions, with these."""
        return {self.symbols[name]: exact(value) for name, value in self.record.known.items()}

    def require(self, known: "Mapping[Symbol, Any]") -> None:
        """Raise DomainError where a check fails for sure."""
        if not known:
            return
        for check in self.record.recording.checks:
            value = replaced(self[check.value], known)
            limit = replaced(self[check.limit], known)
            holds = getattr(sympy, _HOLDS[check.relation])(value, limit)
            if holds == sympy.false or (value.is_number and value.is_finite is False):
                name = self._name_of(check.value)
                unit = unit_of(name) or ""
                rule = f"{check.relation} {sympy.sstr(limit)} {'' if unit == '1' else unit}"
                raise DomainError(f"{name} must be {rule.rstrip()}; got {sympy.sstr(value)}")

    def _name_of(self, operand: Operand) -> str:
        if isinstance(operand, int) and operand < len(self.record.names):
            return self.record.names[operand]
        return str(self[operand])


def replaced(expression: Any, known: "Mapping[Symbol, Any]") -> Any:
    """
    An expression with numbers in it.

    Exact, but for broken exponents: the exact root of a long number takes minutes.
    """
    if not known:
        return expression
    in_exponents = {
        symbol for power in expression.atoms(sympy.Pow) for symbol in power.exp.free_symbols
    }
    values = {
        symbol: sympy.Float(value, _FLOAT_DIGITS)
        if symbol in in_exponents and value.is_Rational and not value.is_Integer
        else value
        for symbol, value in known.items()
    }
    return expression.subs(values, simultaneous=True)


def _symbol(recorded: Record, place: int) -> "Symbol":
    """Symbol of an argument, positive or not negative as its checks say."""
    lows = [
        (check.limit, check.relation)
        for check in recorded.recording.checks
        if check.value == place
        and type(check.value) is int
        and isinstance(check.limit, float)
        and check.relation in {"above", "at least"}
    ]
    is_positive = any(limit > 0 or (limit == 0 and rule == "above") for limit, rule in lows)
    is_nonnegative = any(limit == 0 for limit, _ in lows)
    sign = {"positive": True} if is_positive else {"nonnegative": True} if is_nonnegative else {}
    return sympy.Symbol(recorded.names[place], **(sign or {"real": True}))


def _applied(operation: str, first: Any, *others: Any) -> Any:
    match operation:
        case "add":
            return first + others[0]
        case "subtract":
            return first - others[0]
        case "multiply":
            return first * others[0]
        case "divide":
            return first / others[0]
        case "power":
            return first ** others[0]
        case "square":
            return first**2
        case "negative":
            return -first
        case "log1p":
            return sympy.log(1 + first)
        case "expm1":
            return _exponential(first) - 1
        case "where":
            return _where(first, *others)
        case _:
            return getattr(sympy, _NAMES.get(operation, operation))(first, *others)


def _exponential(exponent: Any) -> Any:
    """exp(n log x) as a power of x."""
    logarithms = [each for each in sympy.Mul.make_args(exponent) if isinstance(each, sympy.log)]
    if len(logarithms) != 1:
        return sympy.exp(exponent)
    (only,) = logarithms
    return only.args[0] ** (exponent / only)


def _where(condition: Any, if_true: Any, if_false: Any) -> Any:
    """A choice; none where both are the same, also by what the condition says of min and max."""
    if isinstance(condition, sympy.core.relational.LessThan | sympy.core.relational.StrictLessThan):
        low, high = condition.args
        known = if_true.xreplace({sympy.Min(low, high): low, sympy.Max(low, high): high})
        if known == if_false:
            return if_false
    return sympy.Piecewise((if_true, condition), (if_false, True))


@cache
def _cached(name: str) -> Expressions:
    return Expressions(record(formula_of(name), {}))


def expressions_of(formula: "Function | str", fixed: Mapping[str, object]) -> Expressions:
    """Expressions of a formula, kept where nothing is fixed."""
    found = formula_of(formula)
    if not fixed and formulas_by_name().get(found.name) is found:
        return _cached(found.name)
    return Expressions(record(found, fixed))


def expression(formula: "Function | str", **fixed: object) -> "Expr | dict[str, Expr]":
    r"""
    A formula as a SymPy expression, from the same definition that computes numbers.

    Parameters
    ----------
    formula : callable or str
        A public formula, a method of a header stack, or the dotted name of one:
        ``"ceilings.payload_rate_bps"``, ``"framing.Stack.wire_bytes"``.
    **fixed : object
        Arguments that are no symbols: numbers, text with a unit, a stack or its
        text, members of an Enum, or other expressions. All other quantities are
        symbols named after the parameters; ``...`` makes one of an argument that
        may be left out.

    Returns
    -------
    expression : sympy.Expr or dict of str to sympy.Expr
        Exact: whole numbers and fractions, ``Max``, ``Min``, ``ceiling``,
        ``floor`` and ``Piecewise``. Several by name where the formula returns an
        object with several quantities.

    Raises
    ------
    DomainError
        If the formula depends on values that symbols do not have, or a fixed
        number is outside its domain.
    UnknownFormulaError
        If no formula has this name.
    ContradictionError
        If the formula has no such argument.

    Notes
    -----
    The formula is called once with quantities that record what is done to them.
    What it requires of an argument becomes an assumption of its symbol: positive
    or not negative. In a combination of several formulas, give one expression as
    the argument of the next.

    References
    ----------
    A. Meurer et al., "SymPy: symbolic computing in Python", PeerJ Computer
    Science 3 (2017), e103.

    Examples
    --------
    >>> from netmodel.symbolic import expression
    >>> expression("ceilings.frame_rate_fps")
    line_rate_bps/(8*frame_bytes + 160)
    >>> expression("framing.Stack.wire_bytes", stack="ethernet/ipv4/tcp", mtu_bytes=1500)
    Max(64, packet_bytes + 18) + 20
    """
    made = expressions_of(formula, fixed)
    results = made.with_known()
    return next(iter(results.values())) if made.record.is_single else results
