"""Formulas as SymPy expressions, and calculations written out."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.symbolic._explain import Explanation as Explanation
    from netmodel.symbolic._explain import explain as explain
    from netmodel.symbolic.formulas import expression as expression
