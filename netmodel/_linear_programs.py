"""How a linear program ends: values of `status` of `scipy.optimize.linprog`."""

SOLVED, EMPTY, UNBOUNDED = 0, 2, 3
"""With an optimum, without a point that meets all rows, and without an end."""
