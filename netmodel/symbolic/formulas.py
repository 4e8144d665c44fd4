"""Public formulas by name, and as SymPy expressions."""

import inspect
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from netmodel.errors import (
    ContradictionError,
    DomainError,
    NetmodelError,
    UnitError,
    UnknownRecordError,
)
from netmodel.framing import Stack, parse_stack
from netmodel.numeric import is_symbol
from netmodel.text import listed, near_name
from netmodel.units.names import PARSERS

if TYPE_CHECKING:
    from sympy import Expr

Function: TypeAlias = Callable[..., Any]

_ROOMS = ("framing", "ceilings", "consumption", "transport", "tuning", "concurrency")
PACKAGES = {name: f"netmodel.{name}" for name in _ROOMS} | {"sizing": "netmodel.planning.sizing"}
"""Modules of the formulas, by the first word of a dotted name."""


@cache
def formulas_by_name() -> Mapping[str, Function]:
    """Return every public function of the formula packages by its dotted name."""
    found: dict[str, Function] = {}
    for package, path in PACKAGES.items():
        module = import_module(path)
        own = [name for name, each in vars(module).items() if _is_of(each, path)]
        for name in getattr(module, "__all__", own):
            if inspect.isfunction(getattr(module, name)):
                found[f"{package}.{name}"] = getattr(module, name)
    return MappingProxyType(found)


def _is_of(value: object, path: str) -> bool:
    """Return whether a public function is defined in a module."""
    name = getattr(value, "__name__", "_")
    return getattr(value, "__module__", "") == path and not name.startswith("_")


def formula_of(formula: Function | str) -> Function:
    """Return a formula by its dotted name or its name alone, or a function itself."""
    if not isinstance(formula, str):
        if not callable(formula):
            raise DomainError(f"formula must be a function or its name; got {formula!r}")
        return formula
    known = formulas_by_name()
    name = formula.removeprefix("netmodel.").removeprefix("planning.")
    short = {dotted.rpartition(".")[2]: each for dotted, each in known.items()}
    found = known.get(name) or short.get(name)
    if found is None:
        near = near_name(name, [*known, *short])
        hint = f"did you mean {near}?" if near else "netmodel explain --list names all"
        raise UnknownRecordError(f"no formula is named {name}; {hint}")
    return found


def name_of(function: Function) -> str:
    """Return the dotted name of a public formula; the own name of any other function."""
    names = (name for name, each in formulas_by_name().items() if each is function)
    return next(names, getattr(function, "__qualname__", type(function).__name__))


def parameters_of(function: Function) -> Mapping[str, inspect.Parameter]:
    """Return the parameters by name."""
    return inspect.signature(function).parameters


def is_quantity(parameter: inspect.Parameter) -> bool:
    """Return whether an argument is a number with or without a unit."""
    return _kind(parameter) is None


def _kind(parameter: inspect.Parameter) -> type | None:
    """Return the type of an argument that is no quantity."""
    for kind in get_args(parameter.annotation) or (parameter.annotation,):
        if isinstance(kind, str):  # one of several texts
            return str
        if isinstance(kind, type) and issubclass(kind, (bool, str, Stack)):
            return kind
    return None


def read_arguments(function: Function, given: Mapping[str, object]) -> dict[str, Any]:
    """Read the texts of arguments: quantities with units, stacks."""
    parameters = parameters_of(function)
    for name in given:
        if name not in parameters:
            near = near_name(name, parameters)
            known = listed(parameters) if parameters else "none"
            hint = f"did you mean {near}?" if near else f"it has {known}"
            raise ContradictionError(f"{name_of(function)} has no argument {name}; {hint}")
    return {name: _read(name, value, _kind(parameters[name])) for name, value in given.items()}


def _read(name: str, value: Any, kind: type | None) -> Any:
    if kind is None:
        return _number(name, value)
    if not isinstance(value, str):
        return value
    return parse_stack(value) if issubclass(kind, Stack) else value


def _number(name: str, value: Any) -> Any:
    """Return a number in the unit that its name ends in; expressions and arrays as they are."""
    if isinstance(value, str):
        parser = PARSERS.get(name.rpartition("_")[2])
        try:
            value = float(value) if parser is None else parser(value)
        except UnitError as error:
            raise UnitError(f"{name}: {error}") from error
        except ValueError as error:
            raise UnitError(f"{name} must be a number; got {value!r}") from error
    if isinstance(value, float) and math.isnan(value):
        raise DomainError(f"{name} must be a number; got {value!r}")
    return value


def require_arguments(function: Function, given: Mapping[str, object]) -> None:
    """Raise DomainError where an argument without a default is missing."""
    lacking = [
        name
        for name, parameter in parameters_of(function).items()
        if given.get(name) is None and parameter.default is parameter.empty
    ]
    if lacking:
        raise DomainError(f"{name_of(function)} needs {listed(lacking)} too")


def expression(formula: Function | str, **fixed: object) -> "Expr":
    """
    Return a formula as a SymPy expression, from the function that computes its numbers.

    Parameters
    ----------
    formula : callable or str
        A public formula or its name, such as ``"ceilings.payload_rate_bps"`` or
        ``"payload_rate_bps"``; or a function of your own.
    **fixed : object
        Arguments that are no symbols: numbers, text with a unit, a stack or its
        text, or other expressions.

    Returns
    -------
    expression : sympy.Expr
        All other arguments, but those that default to None, are symbols without
        assumptions, named after the parameters.

    Raises
    ------
    DomainError
        If the formula depends on values that symbols do not have, has not one
        result, or a fixed number is outside its domain.
    UnitError
        If a text is no quantity of the argument.
    UnknownRecordError
        If no formula has this name.
    ContradictionError
        If the formula has no such argument.

    Notes
    -----
    The formula is called with the symbols; fixed numbers become fractions.
    ``sympy.solve`` needs cases in place of ``Max`` and ``Min``:
    ``expression(...).rewrite(sympy.Piecewise)``.

    References
    ----------
    A. Meurer et al., "SymPy: symbolic computing in Python", PeerJ Computer
    Science 3 (2017), e103.

    Examples
    --------
    Which MTU carries 24.5 Gbit/s on 25 GbE?

    >>> import sympy
    >>> from netmodel.symbolic import expression
    >>> rate = expression("payload_rate_bps", line_rate_bps="25 Gbit/s",
    ...                   header_bytes=52, link_header_bytes=14)
    >>> rate
    25000000000*(mtu_bytes - 52)/(Max(64, mtu_bytes + 18) + 20)
    >>> sympy.solve(rate.rewrite(sympy.Piecewise) - 24_500_000_000, "mtu_bytes")
    [4462]
    """
    import sympy

    function = formula_of(formula)
    known = {name: _exact(each) for name, each in read_arguments(function, fixed).items()}
    symbols = {
        name: sympy.Symbol(name)
        for name, parameter in parameters_of(function).items()
        if name not in known and is_quantity(parameter) and parameter.default is not None
    }
    require_arguments(function, known | symbols)
    try:
        result = function(**known, **symbols)
    except NetmodelError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DomainError(f"{name_of(function)} has no symbolic form: {error}") from error
    if is_symbol(result) or isinstance(result, int | float | Fraction):
        return sympy.sympify(result)
    raise DomainError(f"{name_of(function)} returns {kind_of(result)}, not one quantity")


def _exact(value: Any) -> Any:
    """Return a number as the fraction that its digits are: floats lose digits in formulas."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return value
    return Fraction(repr(float(value)) if isinstance(value, float) else value)


def kind_of(value: object) -> str:
    """Return the type of a value with its article."""
    name = type(value).__name__
    return f"an {name}" if name[0] in "AEIOUaeiou" else f"a {name}"
