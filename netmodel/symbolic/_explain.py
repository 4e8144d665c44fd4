"""A calculation written out: formula, numbers with units, result and source."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from netmodel.errors import DomainError, NetmodelError
from netmodel.html import definition_table
from netmodel.results import Result
from netmodel.symbolic.docstrings import documentation
from netmodel.symbolic.formulas import (
    Function,
    formula_of,
    is_quantity,
    kind_of,
    name_of,
    parameters_of,
    read_arguments,
    require_arguments,
)
from netmodel.terminal import fitted, known_width
from netmodel.text import RATE_DIGITS
from netmodel.units import format_rate, format_time
from netmodel.units.columns import unit_of
from netmodel.units.formatting import window_text
from netmodel.units.prefixes import KIBI

if TYPE_CHECKING:
    from sympy import Expr

_LONGEST = 500
"""Characters of a formula and its conditions: half a screen, with their numbers a whole one."""
_WIDTH, _NARROWEST = 98, 30
"""Columns of the text: what a page of the documentation shows, and what is left behind a name."""
_DIGITS = 12
"""Of all other numbers: those in which tools agree."""
_WORDS = {"**": "^", "*": " · ", "/": " / ", "Max": "max", "Min": "min", "ceiling": "ceil"}
"""How SymPy's text of a formula is written here; of 1.0e-15 and 8.0 the zero goes."""
_WORD = re.compile(r"\*\*|[*/]|\b(?:Max|Min|ceiling)\b|(?<=\d)\.0(?!\d)")


class Given(NamedTuple):
    """An argument: number in base units or what is no quantity, and the same with its unit."""

    name: str
    value: Any
    text: str
    is_default: bool


@dataclass(frozen=True)
class Explanation(Result):
    """
    A calculation with its numbers filled in.

    Parameters
    ----------
    name : str
        Dotted name of the formula.
    summary : str
        What it computes.
    given : tuple of Given
        Arguments.
    equation : str
        The formula with names, in the case that holds; as LaTeX of its
        documentation where it is no short expression.
    numbers : str
        The same with numbers and units; empty where the formula is LaTeX.
    value : float
        Result in base units.
    text : str
        Result with its unit.
    conditions : tuple of str
        Which case of the formula holds, where it has several.
    source : str
        Documents and places.

    Examples
    --------
    >>> from netmodel.symbolic import explain
    >>> explanation = explain("framing.wire_bytes", packet_bytes=1500)
    >>> explanation.value, explanation.equation
    (1538, 'max(64, link_header_bytes + packet_bytes + 4) + 20')
    """

    name: str
    summary: str
    given: tuple[Given, ...]
    equation: str
    numbers: str
    value: float
    text: str
    conditions: tuple[str, ...]
    source: str

    json_keys = "formula=name summary arguments equation numbers conditions value text source"

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the values of the arguments by name, other ones than numbers as text."""
        return {each.name: each.value for each in self.given}

    def __str__(self) -> str:
        return fitted(self.text_within(known_width() or _WIDTH))

    def __repr__(self) -> str:
        return f"<Explanation {self.name.rpartition('.')[2]} = {self.text}>"

    def text_within(self, columns: int) -> str:
        """Return answer, formula, numbers and source as text of a number of columns."""
        texts = [_wrapped("", f"{self.name} = {self.text}", columns)]
        for head, rows in self._blocks().items():
            width = max((len(label) for label, _ in rows), default=0)
            starts = [f"  {label:{width}}{'  ' if width > 1 else ' ' * width}" for label, _ in rows]
            lines = map(_wrapped, starts, (text for _, text in rows), [columns] * len(rows))
            texts += ["\n".join([head, *lines])] if rows else []
        return "\n\n".join(texts)

    def _blocks(self) -> dict[str, list[tuple[str, str]]]:
        """Return what stands below the answer: heading, and rows of a label and a text."""
        sides = dict.fromkeys(filter(None, (self.equation, self.numbers)))
        is_latex = self.equation and not self.numbers
        return {
            "Formula (LaTeX)" if is_latex else "Formula": [
                ("" if is_latex else "=", side) for side in sides
            ],
            "Case": [("", each) for each in self.conditions],
            "Numbers": [
                (each.name, each.text + " (default)" * each.is_default) for each in self.given
            ],
            "Source": [("", self.source)] if self.source else [],
        }

    def _repr_html_(self) -> str:
        rows = [
            (label if label.isidentifier() else head.lower(), text)
            for head, rows in self._blocks().items()
            for label, text in rows
        ]
        return definition_table(f"{self.name} = {self.text}", rows)


def _wrapped(start: str, text: str, columns: int) -> str:
    """Return a text behind its start, broken between words, but not between number and unit."""
    kept = re.sub(r"(?<=\d) (?=[a-zA-Zµ])", "\xa0", text)
    width = max(columns - len(start), _NARROWEST)
    lines = wrap(kept, width, break_long_words=False, break_on_hyphens=False)
    return (start + f"\n{' ' * len(start)}".join(lines)).replace("\xa0", " ")


def explain(formula: Function | str, **arguments: object) -> Explanation:
    """
    Return the result of a formula, with the formula, its numbers and its source.

    Parameters
    ----------
    formula : callable or str
        As in :func:`~netmodel.symbolic.expression`.
    **arguments : object
        Arguments of the formula: numbers, or text with a unit.

    Returns
    -------
    explanation : Explanation
        Arguments, formula, substitution, result and source; as text and plain
        values.

    Raises
    ------
    DomainError
        If an argument is missing or outside its domain, or the formula does not
        return one number.
    UnitError
        If a text is no quantity of the argument.
    UnknownRecordError
        If no formula has this name.
    ContradictionError
        If the formula has no such argument.

    Notes
    -----
    The formula is what the function returns for SymPy symbols. Where it looks at
    values, or is longer than a screen, the equations of its documentation stand in
    its place.

    References
    ----------
    A. Meurer et al., "SymPy: symbolic computing in Python", PeerJ Computer
    Science 3 (2017), e103.

    Examples
    --------
    >>> from netmodel.symbolic import explain
    >>> print(explain("ceilings.wire_time_s", wire_bytes=1538, line_rate_bps="25 Gbit/s"))
    ceilings.wire_time_s = 492.16 ns
    <BLANKLINE>
    Formula
      = 8 · wire_bytes / line_rate_bps
      = 8 · 1538 B / 25 Gbit/s
    <BLANKLINE>
    Numbers
      line_rate_bps  25 Gbit/s
      wire_bytes     1538 B
    <BLANKLINE>
    Source
      RFC 6349, section 4.1.1.
    """
    function = formula_of(formula)
    read = read_arguments(function, arguments)
    require_arguments(function, read)
    value = function(**read)
    if not isinstance(value, int | float):
        raise DomainError(
            f"{name_of(function)} returns {kind_of(value)}, not one number; "
            "netmodel explain --list names the formulas that return one"
        )
    documented = documentation(function)
    given = tuple(_given(function, read))
    conditions: list[str] = []
    text = _formula(function, given, conditions)
    unit = documented.result_unit or unit_of(function.__name__) or ""
    is_binary = unit == "byte" and value >= KIBI and value % KIBI == 0
    of_binary = f" ({window_text(value)})" if is_binary else ""
    return Explanation(
        name_of(function),
        documented.summary,
        given,
        text or "; ".join(documented.equations),
        _with_numbers(text, given),
        value,
        number_text(value, unit) + of_binary,
        tuple(f"{each}: {_with_numbers(each, given)}" for each in conditions),
        documented.references,
    )


def _given(function: Function, read: Mapping[str, Any]) -> Iterator[Given]:
    units = documentation(function).units
    for name, parameter in parameters_of(function).items():
        value = read.get(name, parameter.default)
        if value is not None:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            unit = units.get(name) or unit_of(name) or ""
            text = number_text(value, unit) if is_number else str(getattr(value, "value", value))
            yield Given(name, value, text, name not in read)


def number_text(value: float, unit: str) -> str:
    """Return a number with its unit, in the prefix that fits: ``25 Gbit/s``, ``1500 B``."""
    prefixed = {"bit/s": format_rate, "s": format_time}.get(unit)
    if prefixed and 0 < value < math.inf:
        return prefixed(value, RATE_DIGITS)
    shown = "" if unit == "1" else f" {unit}".replace(" 1/", "/").replace("byte", "B")
    return f"{value:.{_DIGITS}g}{shown.rstrip()}"


def _formula(function: Function, given: tuple[Given, ...], conditions: list[str]) -> str:
    """Return the formula in the case that holds, and add its conditions; empty if too long."""
    import sympy

    parameters = parameters_of(function)
    numbers = {
        sympy.Symbol(each.name): each.value for each in given if is_quantity(parameters[each.name])
    }
    symbols = {symbol.name: symbol for symbol in numbers}
    try:
        expr = sympy.sympify(function(**{each.name: each.value for each in given} | symbols))
        text = _text(_chosen(expr, numbers, conditions))
    except (NetmodelError, ArithmeticError, AttributeError, TypeError, ValueError):
        text = ""
    if text and len(text) + sum(map(len, conditions)) <= _LONGEST:
        return text
    conditions.clear()
    return ""


def _chosen(expr: "Expr", numbers: "Mapping[Expr, float]", conditions: list[str]) -> "Expr":
    """Return an expression with the branch of each case, from the outermost, that holds."""
    import sympy

    while expr.has(sympy.Piecewise):
        nodes = sympy.preorder_traversal(expr)
        choice = next(each for each in nodes if isinstance(each, sympy.Piecewise))
        for branch, condition in choice.args:
            holds = condition.subs(numbers) == sympy.true
            if condition != sympy.true:
                conditions.append(_text(condition if holds else sympy.Not(condition)))
            if holds:
                expr = expr.xreplace({choice: branch})
                break
    return expr


def _text(expr: "Expr") -> str:
    """Return an expression in the signs of formulas; sums begin with what is added."""
    import sympy
    from sympy.printing.str import StrPrinter

    class Printer(StrPrinter):  # type: ignore[misc]
        def _as_ordered_terms(self, expr: "Expr", order: Any = None) -> "list[Expr]":
            terms = super()._as_ordered_terms(expr, order)
            return sorted(terms, key=lambda each: bool(each.could_extract_minus_sign()))

    short = {each: sympy.Float(each, _DIGITS) for each in expr.atoms(sympy.Float)}
    return _WORD.sub(
        lambda sign: _WORDS.get(sign.group(), ""), Printer().doprint(expr.xreplace(short))
    )


def _with_numbers(text: str, given: tuple[Given, ...]) -> str:
    """Return a formula with numbers and units in place of names."""
    texts = {each.name: each.text for each in given}
    names = re.compile(rf"\b({'|'.join(texts) or '$'})\b(\^?)")

    def filled(found: re.Match[str]) -> str:
        number, power = texts[found.group(1)], found.group(2)
        is_joined = " " not in number and "/" in number  # 1000/s
        return f"({number}){power}" if power or is_joined else number

    return names.sub(filled, text)
