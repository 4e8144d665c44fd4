"""Derivatives of models for their parameters: exact ones through SymPy, or differences."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from netmodel._numeric import Quantity
from netmodel.calibration._many._step import Floats

__all__ = ["Rate", "WithSlopes", "by_differences", "differentiated"]

Rate: TypeAlias = Callable[..., Quantity]
WithSlopes: TypeAlias = Callable[..., Sequence[Quantity]]

_DIFFERENCE_RATIO = float(np.finfo(np.float64).eps ** (1 / 3))
"""Step that balances rounding and curvature of a difference on both sides."""


@lru_cache
def differentiated(
    rate: Rate, parameter_count: int, columns: tuple[str, ...] | None = None
) -> WithSlopes:
    """
    A model with its exact derivatives, from the same definition, for `fit_many`.

    Parameters
    ----------
    rate : callable
        ``rate(x, *parameters)`` of operators and of formulas of netmodel, which take
        SymPy symbols.
    parameter_count : int
        Number of parameters.
    columns : tuple of str, optional
        Names of the columns of `x` where it is a mapping.

    Returns
    -------
    with_slopes : callable
        Of the arguments of `rate`; answers with its value, followed by the derivative
        for each parameter. Kept for the next call with the same arguments.

    Examples
    --------
    >>> def rate(x, start, slope):
    ...     return start / (1 + slope * x)
    >>> differentiated(rate, 2)(1.0, 8.0, 3.0)
    [2.0, 0.25, -0.5]
    """
    import sympy

    parameters = sympy.symbols(f"p:{parameter_count}", real=True)
    names = columns or ("x",)
    symbols = [sympy.Symbol(f"x_{place}", real=True) for place in range(len(names))]
    x = dict(zip(names, symbols, strict=True)) if columns else symbols[0]
    value = rate(x, *parameters)
    slopes = [sympy.diff(value, parameter) for parameter in parameters]
    evaluate = sympy.lambdify([*symbols, *parameters], [value, *slopes], "numpy", cse=True)

    def with_slopes(x: Any, *parameters: Quantity) -> Sequence[Quantity]:
        given = [x[name] for name in columns] if columns else [x]
        return evaluate(*given, *parameters)  # type: ignore[no-any-return]

    return with_slopes


def by_differences(rate: Rate, sizes: Floats, lower: Floats, upper: Floats) -> WithSlopes:
    """
    A model with differences in place of its derivatives, within bounds.

    Two more evaluations for each parameter, on both sides or next to a bound on the inner one:
    both are exact to the square of the step. A parameter that is 0 steps as one of its usual size.
    """

    def with_slopes(x: Any, *parameters: Floats) -> Sequence[Floats]:
        value = rate(x, *parameters)

        def change(place: int, step: Floats) -> Floats:
            moved = [*parameters[:place], parameters[place] + step, *parameters[place + 1 :]]
            return rate(x, *moved) - value  # type: ignore[no-any-return]

        def slope(place: int) -> Floats:
            at = parameters[place]
            step = _DIFFERENCE_RATIO * np.where(at == 0, sizes[place], np.abs(at))
            one = np.where(at + step <= upper[place], at + step, at - step) - at
            inside = (at - one >= lower[place]) & (at - one <= upper[place])
            other = np.where(inside, -one, 2 * one)
            numerator = change(place, one) * other**2 - change(place, other) * one**2
            return numerator / (one * other * (other - one))  # type: ignore[no-any-return]

        return [value, *(slope(place) for place in range(len(parameters)))]

    return with_slopes
