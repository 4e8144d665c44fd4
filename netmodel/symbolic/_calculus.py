"""Derivatives, elasticities and inverses of formulas."""

from typing import TYPE_CHECKING

from netmodel._text import listed, near_name
from netmodel.errors import ContradictionError
from netmodel.symbolic._expressions import Expressions, expressions_of, replaced
from netmodel.symbolic._formulas import Function
from netmodel.symbolic._sympy import sympy

_FEW_CASES = 3
"""Choices between cases that are combined into one; each doubles their number."""

if TYPE_CHECKING:
    from collections.abc import Callable

    from sympy import Expr, Symbol


def derivative(formula: "Function | str", by: str, **fixed: object) -> "Expr | dict[str, Expr]":
    r"""
    Derivative of a formula by one of its arguments.

    Parameters
    ----------
    formula : callable or str
        As in :func:`~netmodel.symbolic.expression`.
    by : str
        Name of the argument.
    **fixed : object
        Arguments that are no symbols; also the one of the derivative, which
        then is a number.

    Returns
    -------
    derivative : sympy.Expr or dict of str to sympy.Expr
        Several by name where the formula returns several quantities.

    Raises
    ------
    ContradictionError
        If the formula has no such argument.
    DomainError
        If the formula has no symbolic form, or a fixed number is outside its domain.
    UnknownFormulaError
        If no formula has this name.

    Notes
    -----
    Where a formula rounds up or down it is a step function; the derivative is
    that between two steps, not at one.

    References
    ----------
    A. Meurer et al., "SymPy: symbolic computing in Python", PeerJ Computer
    Science 3 (2017), e103.

    Examples
    --------
    >>> from netmodel.symbolic import derivative
    >>> derivative("transport.window_payload_rate_bps", by="round_trip_s")
    -8*flow_count*window_bytes/round_trip_s**2
    """
    made, symbol = _for_calculus(formula, by, fixed)
    return _by_name(made, {name: _slope(each, symbol) for name, each in made.results().items()})


def elasticity(formula: "Function | str", by: str, **fixed: object) -> "Expr | dict[str, Expr]":
    r"""
    Relative change of a formula for a small relative change of one argument.

    Parameters
    ----------
    formula : callable or str
        As in :func:`~netmodel.symbolic.expression`.
    by : str
        Name of the argument.
    **fixed : object
        Arguments that are no symbols; also the one that changes, at whose value
        the elasticity then is a number.

    Returns
    -------
    elasticity : sympy.Expr or dict of str to sympy.Expr
        :math:`\partial \ln y / \partial \ln x`, a pure number: 1 where the
        result is proportional to the argument, -1 where it is inversely so.

    Raises
    ------
    ContradictionError
        If the formula has no such argument.
    DomainError
        If the formula has no symbolic form, or a fixed number is outside its domain.
    UnknownFormulaError
        If no formula has this name.

    Notes
    -----
    .. math:: E = \frac{x}{y}\,\frac{\partial y}{\partial x}

    Where a formula rounds, it is the elasticity between two steps.

    References
    ----------
    A. Marshall, "Principles of Economics" (1890), book 3, chapter 4.

    Examples
    --------
    What 1 % less loss is worth to a TCP flow that loss alone limits:

    >>> from netmodel.symbolic import elasticity
    >>> elasticity("transport.mathis_payload_rate_bps", by="loss_event_ratio")
    -1/2
    """
    made, symbol = _for_calculus(formula, by, fixed)
    return _by_name(made, {name: _relative(each, symbol) for name, each in made.results().items()})


def _for_calculus(
    formula: "Function | str", by: str, fixed: dict[str, object]
) -> "tuple[Expressions, Symbol]":
    """Expressions, with the argument as a symbol."""
    made = expressions_of(formula, fixed)
    made.require(made.known)
    return made, symbol_of_argument(made, by)


def symbol_of_argument(made: Expressions, name: str) -> "Symbol":
    """Symbol of an argument; ContradictionError where there is none."""
    if name not in made.symbols:
        near = near_name(name, made.symbols)
        hint = f"did you mean {near}?" if near else f"it has {listed(made.symbols)}"
        raise ContradictionError(f"{made.record.formula.name} has no symbol {name}; {hint}")
    return made.symbols[name]


def _by_name(made: Expressions, results: "dict[str, Expr]") -> "Expr | dict[str, Expr]":
    """Results with numbers in them, which come last: simplifying long numbers takes minutes."""
    known = {name: replaced(each, made.known) for name, each in results.items()}
    return next(iter(known.values())) if made.record.is_single else known


def _with_cases(expr: "Expr") -> "tuple[Expr, dict[Symbol, Expr]]":
    """
    An expression with cases instead of the larger or smaller of two quantities.

    What is rounded to whole numbers is constant between two steps: it gets a symbol of its own.
    """
    rounded = sorted(expr.atoms(sympy.ceiling, sympy.floor), key=sympy.count_ops, reverse=True)
    steps = {each: sympy.Dummy("whole", integer=True) for each in rounded}
    kept = expr.xreplace(steps)
    kept = kept.rewrite(sympy.Piecewise) if kept.has(sympy.Max, sympy.Min) else kept
    if len(kept.atoms(sympy.Piecewise)) <= _FEW_CASES:
        kept = sympy.piecewise_fold(kept)
    return kept, {dummy: step for step, dummy in steps.items()}


def _case_by_case(expr: "Expr", change: "Callable[[Expr], Expr]") -> "Expr":
    if not isinstance(expr, sympy.Piecewise):
        return change(expr)
    return sympy.Piecewise(*((change(each), condition) for each, condition in expr.args))


def _slope(expr: "Expr", symbol: "Symbol") -> "Expr":
    """Derivative between two steps of what is rounded."""
    cases, steps = _with_cases(expr)
    return _case_by_case(cases, lambda each: sympy.diff(each, symbol)).xreplace(steps)


def _relative(expr: "Expr", symbol: "Symbol") -> "Expr":
    """Elasticity; in lowest terms where that takes no time."""
    cases, steps = _with_cases(expr)
    return _case_by_case(
        cases, lambda each: _simple(symbol * sympy.diff(each, symbol) / each)
    ).xreplace(steps)


def _simple(expr: "Expr") -> "Expr":
    return expr if expr.has(sympy.Piecewise, sympy.log) else sympy.simplify(expr)
