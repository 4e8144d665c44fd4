"""A formula solved for one of its arguments."""

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from netmodel._dataclasses import dataclass
from netmodel._display import short_repr
from netmodel._html import definition_table
from netmodel._numeric import is_symbol
from netmodel._quantities import unit_of
from netmodel._terminal import fitted
from netmodel._text import listed
from netmodel.errors import ContradictionError, DomainError
from netmodel.symbolic._calculus import symbol_of_argument
from netmodel.symbolic._expressions import Expressions, exact, expressions_of
from netmodel.symbolic._formulas import Formula, Function, formula_of
from netmodel.symbolic._record import read_number
from netmodel.symbolic._sympy import sympy

if TYPE_CHECKING:
    from sympy import Expr, Symbol

_MOST_CASES = 64
"""Combinations of the larger and smaller of quantities that are solved one by one."""
_HIGHEST_DEGREE = 4
"""Of a polynomial whose roots have a closed form."""
_TOLERANCE = 1e-9
"""Relative distance of a computed result from the wanted one that rounding explains."""
_BESIDE_RATIO, _SAME = 1e-3, 1e-12
"""A result that does not change by this much where its argument changes by that much is flat."""
_FLAT = "The result is the same over a range: this is an end of it."
_GRID_RATIO = 10**0.1
"""Between two points at which a formula without closed inverse is computed."""
_LOWEST, _HIGHEST = 1e-12, 1e18
"""Range of all quantities in base units: picoseconds to exabits per second."""
_PRINTED_DIGITS = 12
"""Of an end of a range: without what the last bits of floats differ in."""
_BISECTIONS = 200
"""Enough to halve any interval of floats down to two neighbours."""


@dataclass(frozen=True)
class Solution:
    """
    Values of an argument with which a formula gives the wanted result.

    Parameters
    ----------
    name : str
        The argument.
    values : tuple
        All of them, in ascending order: SymPy expressions, or floats where they
        were found by bracketing.
    is_exact : bool
        Whether they follow from a closed form.
    notes : tuple of str
        Remarks, such as that no closed form is known.

    Examples
    --------
    >>> from netmodel.symbolic import solve
    >>> solution = solve("wire_bytes", for_="packet_bytes", wire_bytes=1538)
    >>> solution.values, solution.is_exact
    ((1500,), True)
    """

    name: str
    values: "tuple[Any, ...]"
    is_exact: bool
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return short_repr(self, self._equation)

    def _repr_html_(self) -> str:
        notes = [("note", note) for note in self.notes]
        return definition_table("Solution", [("value", self._equation), *notes])

    def __str__(self) -> str:
        return fitted("\n".join([self._equation, *self.notes]))

    @property
    def _equation(self) -> str:
        unit = unit_of(self.name) or ""
        unit = "" if unit == "1" else f" {unit}"
        texts = [
            f"{float(each):.12g}{unit}" if _is_number(each) else str(each) for each in self.values
        ]
        return f"{self.name} = {listed(texts)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units; expressions as text."""
        return {
            "name": self.name,
            "values": [float(each) if _is_number(each) else str(each) for each in self.values],
            "is_exact": self.is_exact,
            "notes": list(self.notes),
        }


def _is_number(value: Any) -> bool:
    return not is_symbol(value) or bool(value.is_number)


def solve(formula: "Function | str", for_: str, **known: object) -> Solution:
    r"""
    All values of one argument with which a formula gives a wanted result.

    Parameters
    ----------
    formula : callable or str
        A formula with one result, as in :func:`~netmodel.symbolic.expression`.
    for_ : str
        Name of the argument.
    **known : object
        The result, under the name of the formula, and arguments: numbers, text
        with a unit or expressions. Arguments with a default have that one unless
        they are given; the others are symbols, as ``...`` makes of any.

    Returns
    -------
    solution : Solution
        All real values within the domain of the formula, in closed form where
        there is one. Otherwise computed by bracketing, and a note says so.

    Raises
    ------
    DomainError
        If no value gives the result, or there is neither a closed form nor a
        number for every other argument.
    ContradictionError
        If the formula has no such argument, or several results.
    UnknownFormulaError
        If no formula has this name.

    Notes
    -----
    The larger or smaller of several quantities is each of them in turn; what
    then is no solution of the formula itself is dropped. Each case that is a
    polynomial of at most degree 4 is solved in closed form.

    References
    ----------
    A. Meurer et al., "SymPy: symbolic computing in Python", PeerJ Computer
    Science 3 (2017), e103.

    Examples
    --------
    >>> from netmodel.symbolic import solve
    >>> print(solve("ceilings.payload_rate_bps", for_="mtu_bytes",
    ...             payload_rate_bps="24.5 Gbit/s", line_rate_bps="25 Gbit/s"))
    mtu_bytes = 4462 byte
    """
    found = formula_of(formula)
    wanted = read_number(found.short_name, known.get(found.short_name, ...))
    if for_ in known:
        raise ContradictionError(f"{for_} is given; {found.name} is solved for it")
    given = {
        name: parameter.default
        for name, parameter in found.parameters.items()
        if name != for_ and parameter.default not in (parameter.empty, None)
    }
    given |= {name: value for name, value in known.items() if name != found.short_name}
    made = expressions_of(formula, given)
    if not made.record.is_single:
        raise ContradictionError(
            f"{found.name} has several results: solve the formula of one of them"
        )
    symbol = symbol_of_argument(made, for_)
    (expr,) = made.with_known().values()
    target = sympy.Symbol(found.short_name, positive=True) if wanted is ... else exact(wanted)
    if symbol not in expr.free_symbols:
        raise DomainError(f"{found.short_name} does not depend on {for_} here")
    closed = _closed_forms(expr - target, symbol, _upper_limit(made, for_))
    others = (expr.free_symbols | target.free_symbols) - {symbol}
    if others:
        if closed is None:
            names = listed(sorted(each.name for each in others))
            raise DomainError(
                f"{found.short_name} has no closed form for {for_}: give numbers for {names}"
            )
        return _checked(found, for_, tuple(closed))
    # numbers for all: candidates are tried in the formula itself, and in its checks
    if closed is not None:
        values = sorted(
            {each for each in closed if _solves(made, expr, symbol, each, target)}, key=float
        )
        is_flat = any(_is_flat(expr, symbol, each, target) for each in values)
        return _checked(found, for_, tuple(values), (_FLAT,) if is_flat else ())
    return _bracketed(made, expr, symbol, target)


def _is_flat(expr: "Expr", symbol: "Symbol", value: Any, target: Any) -> bool:
    """Whether values beside a solution give the same result."""
    beside = (float(value) * (1 - _BESIDE_RATIO), float(value) * (1 + _BESIDE_RATIO))
    return any(
        math.isclose(float(expr.subs(symbol, each)), float(target), rel_tol=_SAME)
        for each in beside
    )


def _checked(
    formula: Formula, name: str, values: "tuple[Any, ...]", notes: tuple[str, ...] = ()
) -> Solution:
    if not values:
        raise DomainError(f"no {name} within its domain gives this {formula.short_name}")
    return Solution(name, values, is_exact=True, notes=notes)


def _closed_forms(equation: "Expr", symbol: "Symbol", upper: "Expr | None") -> "list[Expr] | None":
    """Solutions of all cases, of which some may not hold; None where one has no closed form."""
    if equation.count(symbol) == 1:
        unwound = _unwound(equation, sympy.Integer(0), symbol, upper)
        if unwound is not None:
            return unwound
    if equation.has(sympy.ceiling, sympy.floor):
        return None
    choices = [each for each in equation.atoms(sympy.Max, sympy.Min) if symbol in each.free_symbols]
    if equation.has(sympy.Piecewise) or math.prod(len(e.args) for e in choices) > _MOST_CASES:
        return None
    if choices and len(equation.free_symbols) > 1:
        return None
    solutions: list[Any] = []
    for case in product(*(each.args for each in choices)):
        plain = equation
        # from the outermost inwards, as a choice may stand in another
        replaced = dict(zip(choices, case, strict=True))
        while plain.has(sympy.Max, sympy.Min) and plain.xreplace(replaced) != plain:
            plain = plain.xreplace(replaced)
        roots = _roots(plain, symbol)
        if roots is None:
            return None
        solutions += roots
    return list(dict.fromkeys(solutions))


def _unwound(
    expr: "Expr", value: "Expr", symbol: "Symbol", upper: "Expr | None"
) -> "list[Expr] | None":
    """Solutions of expr = value where the symbol stands in one place: each step undone in turn."""
    while expr != symbol:
        inner = next((each for each in expr.args if symbol in each.free_symbols), None)
        if isinstance(expr, sympy.Add):
            value, expr = value - (expr - inner), inner
        elif isinstance(expr, sympy.Mul):
            value, expr = value / (expr / inner), inner
        elif isinstance(expr, sympy.log):
            value, expr = sympy.exp(value), inner
        elif isinstance(expr, sympy.Pow) and symbol not in expr.exp.free_symbols:
            roots = [value ** (1 / expr.exp)]
            if expr.exp.is_even and not _is_nonnegative(expr.base, symbol, upper):
                roots.append(-roots[0])
            found = [_unwound(expr.base, each, symbol, upper) for each in roots]
            return None if None in found else [each for some in found for each in some or ()]
        elif isinstance(expr, sympy.Pow) and symbol not in expr.base.free_symbols:
            value, expr = sympy.log(value) / sympy.log(expr.base), inner
        else:
            return None
    value = sympy.simplify(value)
    return [] if value.is_positive is False and symbol.is_positive else [value]


def _is_nonnegative(base: "Expr", symbol: "Symbol", upper: "Expr | None") -> bool:
    """Whether no value of a symbol makes an expression negative: 1 - x with x at most 1."""
    if upper is None:
        return bool(base.is_nonnegative)
    falls = sympy.diff(base, symbol).is_nonpositive
    return bool(base.is_nonnegative or (falls and base.subs(symbol, upper).is_nonnegative))


def _upper_limit(made: Expressions, name: str) -> "Expr | None":
    """Constant that an argument must not exceed; None where there is none."""
    limits = [
        exact(check.limit)
        for check in made.record.recording.checks
        if type(check.value) is int
        and check.value == made.record.names.index(name)
        and isinstance(check.limit, float)
        and check.relation in {"at most", "below"}
    ]
    return min(limits, default=None)


def _roots(equation: "Expr", symbol: "Symbol") -> "list[Expr] | None":
    """Real roots of an equation in whole or broken powers of a symbol."""
    raised = (each.exp for each in equation.atoms(sympy.Pow) if symbol in each.free_symbols)
    if any(each.is_number and abs(each) > _HIGHEST_DEGREE for each in raised):
        return None
    numerator = sympy.expand(sympy.numer(sympy.together(equation)))
    if symbol not in numerator.free_symbols:
        return []
    powers = {
        each.as_base_exp()[1]
        for each in numerator.atoms(sympy.Pow, sympy.Symbol)
        if each.as_base_exp()[0] == symbol
    }
    if not all(each.is_Rational for each in powers):
        return None
    root = sympy.Dummy(symbol.name, positive=True)
    common = sympy.ilcm(*(each.q for each in powers)) if len(powers) > 1 else next(iter(powers)).q
    replaced = sympy.expand(numerator.subs(symbol, root**common), power_base=True)
    if not replaced.is_polynomial(root):
        return None
    polynomial = sympy.Poly(replaced, root)
    if len(polynomial.terms()) > 2 and polynomial.degree() > _HIGHEST_DEGREE:
        return None
    found = sympy.roots(polynomial, root)
    if sum(found.values()) < _degree_without_zero(polynomial):
        return None
    return [
        value
        for each in found
        if (value := sympy.simplify(each**common)).is_real is not False
        and each.is_positive is not False
    ]


def _degree_without_zero(polynomial: Any) -> int:
    return int(polynomial.degree() - min(power for (power,), _ in polynomial.terms()))


def _solves(made: Expressions, expr: "Expr", symbol: "Symbol", value: Any, target: Any) -> bool:
    """Whether a candidate is in the domain and gives the wanted result."""
    if not value.is_real:
        return False
    try:
        made.require({symbol: value} | made.known)
    except DomainError:
        return False
    return _is_near(float(expr.subs(symbol, value)), float(target))


def _is_near(value: float, target: float) -> bool:
    return math.isclose(value, target, rel_tol=_TOLERANCE)


def _bracketed(made: Expressions, expr: "Expr", symbol: "Symbol", target: Any) -> Solution:
    """Values between which the formula crosses the wanted result."""
    numeric = _numeric(made, expr, symbol)
    points = list(_grid(numeric))
    if not points:
        raise DomainError(f"no {symbol.name} is within the domain of {made.record.formula.name}")
    goal = float(target)
    if expr.has(sympy.ceiling, sympy.floor):
        return _of_steps(made, numeric, points, symbol.name, goal)
    crossed = [(low, high) for low, high in pairwise(points) if _crosses(low[1], high[1], goal)]
    values = sorted({_bisected(numeric, low, high, goal) for low, high in crossed})
    solutions = [each for each in values if _is_near(numeric(each), goal)]
    if not solutions:
        raise _unreachable(made, symbol.name, points)
    notes = [_bracket_note(points)]
    if not _is_monotone(points):
        notes.append("The result both rises and falls: there may be more solutions close together.")
    return Solution(symbol.name, tuple(solutions), is_exact=False, notes=tuple(notes))


def _of_steps(
    made: Expressions,
    numeric: Callable[[float], float],
    points: "list[tuple[float, float]]",
    name: str,
    goal: float,
) -> Solution:
    """An end of the range in which a formula that rounds gives the wanted result."""
    if not _is_monotone(points):
        raise DomainError(
            f"{made.record.formula.short_name} has no closed form for {name}, and both rises and "
            "falls: its inverse is not one range"
        )
    if not _crosses(points[0][1], points[-1][1], goal):
        raise _unreachable(made, name, points)
    sign = 1 if points[-1][1] >= points[0][1] else -1
    low = _first(points, numeric, lambda result: sign * result >= sign * goal)
    high = _first(points, numeric, lambda result: sign * result > sign * goal)
    ends = [float(f"{each:.{_PRINTED_DIGITS}g}") for each in (low, high)]
    # rounded to fewer digits an end may lie outside
    tried = (ends[1], ends[0], math.nextafter(high, 0), low)
    attained = next((each for each in tried if numeric(each) == goal), None)
    if attained is None:
        raise DomainError(
            f"no {name} gives this {made.record.formula.short_name}: at {low:.12g} it steps from "
            f"{numeric(math.nextafter(low, 0)):.12g} to {numeric(low):.12g}"
        )
    note = f"The formula rounds: all values between {ends[0]:.12g} and {ends[1]:.12g} give this."
    return Solution(name, (attained,), is_exact=False, notes=(_bracket_note(points), note))


def _first(
    points: "list[tuple[float, float]]",
    numeric: Callable[[float], float],
    holds: Callable[[float], bool],
) -> float:
    """Smallest value from which on a condition holds; the last point where it never does."""
    place = next((at for at, (_, result) in enumerate(points) if holds(result)), len(points) - 1)
    left, right = points[max(place - 1, 0)][0], points[place][0]
    for _ in range(_BISECTIONS):
        middle = (left + right) / 2
        if middle in (left, right):
            break
        left, right = (left, middle) if holds(numeric(middle)) else (middle, right)
    return right


def _is_monotone(points: "list[tuple[float, float]]") -> bool:
    return len({math.copysign(1, b[1] - a[1]) for a, b in pairwise(points) if a[1] != b[1]}) < 2


def _bracket_note(points: "list[tuple[float, float]]") -> str:
    return f"No closed form: computed by bracketing from {points[0][0]:.3g} to {points[-1][0]:.3g}."


def _unreachable(made: Expressions, name: str, points: "list[tuple[float, float]]") -> DomainError:
    results = [result for _, result in points]
    return DomainError(
        f"no {name} gives this {made.record.formula.short_name}: it is from {min(results):.6g} to "
        f"{max(results):.6g}"
    )


def _numeric(made: Expressions, expr: "Expr", symbol: "Symbol") -> Callable[[float], float]:
    """The formula as a function of one number; NaN outside its domain."""
    function, known = made.record.formula.arithmetic, dict(made.record.known)
    fixed: Mapping[str, Any] = made.record.others

    def of_one(value: float) -> float:
        try:
            return float(function(**{**fixed, **known, symbol.name: value}))
        except (ArithmeticError, ValueError):
            return math.nan

    return of_one


def _grid(numeric: Callable[[float], float]) -> Iterator[tuple[float, float]]:
    value = _LOWEST
    while value < _HIGHEST:
        result = numeric(value)
        if math.isfinite(result):
            yield value, result
        value *= _GRID_RATIO


def _crosses(first: float, second: float, goal: float) -> bool:
    return min(first, second) <= goal <= max(first, second)


def _bisected(
    numeric: Callable[[float], float],
    low: tuple[float, float],
    high: tuple[float, float],
    goal: float,
) -> float:
    """Where the wanted result is reached, coming from below."""
    (left, at_left), (right, _) = low, high
    if at_left == goal:
        return left
    for _ in range(_BISECTIONS):
        middle = (left + right) / 2
        if middle in (left, right):
            break
        at_middle = numeric(middle)
        if at_middle == goal or (at_middle > goal) != (at_left > goal):
            right = middle
        else:
            left = middle
    return right
