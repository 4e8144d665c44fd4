"""The formulas as SymPy expressions, from the definitions that compute numbers."""

from netmodel.symbolic._calculus import derivative, elasticity
from netmodel.symbolic._explain import Explanation, explain
from netmodel.symbolic._expressions import expression
from netmodel.symbolic._latex import latex
from netmodel.symbolic._solve import Solution, solve

__all__ = [
    "Explanation",
    "Solution",
    "derivative",
    "elasticity",
    "explain",
    "expression",
    "latex",
    "solve",
]
