"""Public formulas by name, and which of their arguments become symbols."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias, get_args

from netmodel._dataclasses import dataclass
from netmodel._text import listed, near_name
from netmodel.errors import ContradictionError, DomainError, UnknownFormulaError
from netmodel.framing import Stack, parse_stack

Function: TypeAlias = Callable[..., Any]

PACKAGES: Mapping[str, str] = {
    **{
        name: f"netmodel.{name}"
        for name in ("framing", "ceilings", "consumption", "transport", "tuning", "concurrency")
    },
    "sizing": "netmodel.planning.sizing",
}
"""Modules of the formulas, by the first word of a dotted name."""
_FORMS: Mapping[str, tuple[str, str]] = {
    "ceilings.line_ceiling": ("netmodel.ceilings._columns", "columns_of"),
    "ceilings.ceiling_columns": ("netmodel.ceilings._columns", "columns_of"),
}
"""The arithmetic of functions that put it into arrays or an object: module and name."""


_SEVERAL = frozenset({"demands", "demands_s", "limits_bps", "parallel_counts"})
"""Arguments that hold a number for each stage or limit."""


@dataclass(frozen=True)
class Formula:
    """
    A function of quantities.

    Parameters
    ----------
    name : str
        Package and function with a dot between.
    function : callable
        What a user calls.
    arithmetic : callable
        What is recorded: mostly the function itself.
    """

    name: str
    function: Function
    arithmetic: Function

    @property
    def short_name(self) -> str:
        """Name of the function, which is that of its result."""
        return self.name.rpartition(".")[2]

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Parameters by name."""
        return inspect.signature(self.arithmetic).parameters

    def given(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """Arguments with texts read that stand for a stack or a member of an Enum."""
        for name in arguments:
            if name not in self.parameters:
                near = near_name(name, self.parameters)
                hint = f"did you mean {near}?" if near else f"it has {listed(self.parameters)}"
                raise ContradictionError(f"{self.name} has no argument {name}; {hint}")
        return {name: self._read(name, value) for name, value in arguments.items()}

    def _read(self, name: str, value: object) -> object:
        annotation = self.parameters[name].annotation
        kinds = get_args(annotation) or (annotation,)
        if not isinstance(value, str):
            return value
        if Stack in kinds:
            return parse_stack(value)
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, Enum):
                return _member(name, value, kind)
        return value

    def takes_symbols(self, name: str) -> bool:
        """Whether an argument may be an array, and so a symbol."""
        annotation = self.parameters[name].annotation
        return annotation in (Any, inspect.Parameter.empty) or Any in get_args(annotation)

    def is_quantity(self, name: str) -> bool:
        """Whether an argument is a symbol unless it is fixed: one that must not be left out."""
        is_left_out = self.parameters[name].default is None or name in _SEVERAL
        return self.takes_symbols(name) and not is_left_out


def _member(name: str, value: str, kind: type[Enum]) -> Enum:
    for each in kind:
        if value in (each.value, each.name):
            return each
    raise DomainError(f"{name} must be one of {listed(each.value for each in kind)}; got {value!r}")


def formula_of(formula: "Function | str") -> Formula:
    """A formula by its dotted name or its name alone, or a function itself."""
    if isinstance(formula, str):
        return _named(formula)
    if not callable(formula):
        raise DomainError(f"formula must be a function or its name; got {formula!r}")
    for known in formulas_by_name().values():
        if known.function is formula:
            return known
    name = getattr(formula, "__qualname__", type(formula).__name__)
    return Formula(name, formula, formula)


def _named(name: str) -> Formula:
    known = formulas_by_name()
    name = name.removeprefix("netmodel.").removeprefix("planning.")
    if name in known:
        return known[name]
    same = [each for each in known if each.rpartition(".")[2] == name]
    if len(same) == 1:
        return known[same[0]]
    method = _method(name)
    if method is not None:
        return method
    of_stack = (f"framing.Stack.{each}" for each in vars(Stack) if not each.startswith("_"))
    near = near_name(name, [*known, *of_stack, *(each.rpartition(".")[2] for each in known)])
    hint = f"did you mean {near}?" if near else "netmodel explain --list names all"
    raise UnknownFormulaError(f"no formula is named {name}; {hint}")


def _method(name: str) -> Formula | None:
    """A formula of a header stack, such as ``framing.Stack.wire_bytes``: the stack comes first."""
    method = name.removeprefix("framing.").removeprefix("Stack.")
    function = vars(Stack).get(method)
    if name == method or method.startswith("_") or not inspect.isfunction(function):
        return None

    def of_stack(stack: Stack, *values: Any, **more: Any) -> Any:
        return function(stack, *values, **more)

    signature = inspect.signature(function)
    first, *others = signature.parameters.values()
    of_stack.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="stack", annotation=Stack), *others]
    )
    of_stack.__doc__ = function.__doc__
    return Formula(f"framing.Stack.{method}", of_stack, of_stack)


@cache
def formulas_by_name() -> Mapping[str, Formula]:
    """Every public function of the formula packages, by its dotted name."""
    return MappingProxyType({each.name: each for each in _all()})


def _all() -> Iterator[Formula]:
    for package, path in PACKAGES.items():
        module = import_module(path)
        own = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == path
        ]
        for name in getattr(module, "__all__", own):
            function = getattr(module, name)
            if inspect.isfunction(function):
                dotted = f"{package}.{name}"
                form = _FORMS.get(dotted)
                arithmetic = getattr(import_module(form[0]), form[1]) if form else function
                yield Formula(dotted, function, arithmetic)
