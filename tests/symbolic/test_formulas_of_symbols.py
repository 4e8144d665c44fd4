"""Formulas take symbols in place of numbers, and give expressions of the same value."""

import random

import pytest
import sympy
from formulas import CHOICES, DOMAINS, Formula, public_formulas

from netmodel.errors import DomainError

POINTS = 4
"""Of one formula: both sides of most of its branches."""
MOST_DRAWS = 1000
RELATIVE = 1e-9
"""Sums that cancel lose some of the 16 digits of floats, expressions are computed with 30."""


@pytest.mark.parametrize("formula", public_formulas(), ids=str)
def test_an_expression_has_the_value_of_the_formula(formula: Formula) -> None:
    chosen = {name: CHOICES[name][0] for name in formula.choices}
    symbols = {name: sympy.Symbol(name, positive=True) for name in formula.quantities}
    expression = formula.function(**chosen, **symbols)
    value_of = sympy.lambdify([*symbols.values()], expression, "mpmath")
    draw = random.Random(str(formula))
    compared = 0
    for number in range(MOST_DRAWS):
        # a whole number, or one between: sizes round to whole frames and segments
        numbers = [draw.uniform(*DOMAINS[name]) for name in formula.quantities]
        if number % 2:
            numbers = [max(1, round(each)) for each in numbers]
        try:
            expected = formula.function(
                **chosen, **dict(zip(formula.quantities, numbers, strict=True))
            )
        except DomainError:  # arguments that do not go together
            continue
        assert float(value_of(*numbers)) == pytest.approx(expected, rel=RELATIVE)
        compared += 1
        if compared == POINTS:
            return
    pytest.fail(f"{compared} of {MOST_DRAWS} draws go together")
