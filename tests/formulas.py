"""Every public formula of the formula layers, and numbers that each of its arguments accepts."""

import inspect
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from netmodel import ceilings, concurrency, consumption, framing, transport, tuning, units
from netmodel.ceilings.pcie import Nic
from netmodel.planning import sizing

__all__ = [
    "CHOICES",
    "DOMAINS",
    "FORMULA_LAYERS",
    "NOT_FORMULAS",
    "Formula",
    "public_formulas",
    "public_functions",
    "stale_names",
    "valid_arguments",
]

FORMULA_LAYERS = (framing, ceilings, consumption, transport, tuning, concurrency, sizing)

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
NOT_FORMULAS: dict[str, str] = TABLES["not_formulas"]
"""Public functions that are no formula of quantities, with the reason."""

DOMAINS: dict[str, list[float]] = TABLES["domains"]
"""Lowest and highest number drawn for an argument: any mixture of them is valid input."""

CHOICES: dict[str, tuple[object, ...]] = {
    "adapter": get_args(Nic),
    "flit_mode": (False, True),
}
"""Arguments that are no quantity, and what they may be."""

EXAMPLES: dict[str, object] = TABLES["examples"] | {
    "unit": "ms/MB",
    "stack": framing.tcp_stack(),
}
"""A valid value of each argument that a function which is no formula demands."""

TEXTS: dict[str, str] = TABLES["texts"]
"""What each function that reads a text reads."""


@dataclass(frozen=True)
class Formula:
    """A public function of quantities."""

    function: Callable[..., Any]
    quantities: tuple[str, ...]
    choices: tuple[str, ...]

    def with_choices(self, chosen: Mapping[str, object]) -> Callable[..., Any]:
        """The function with its arguments that are no quantity filled in."""
        return partial(self.function, **{name: chosen[name] for name in self.choices})

    def __str__(self) -> str:
        return f"{self.function.__module__.split('.')[1]}.{self.function.__name__}"


def public_functions(*modules: ModuleType) -> Iterator[Callable[..., Any]]:
    """Each function that a package lists in ``__all__``, or that a module defines."""
    for module in modules:
        own = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
        ]
        for name in getattr(module, "__all__", own):
            if inspect.isfunction(function := getattr(module, name)):
                yield function


def public_formulas() -> list[Formula]:
    """All formulas; an argument that nobody described is an error that says where to do so."""
    return [
        _formula(function)
        for function in public_functions(*FORMULA_LAYERS)
        if function.__name__ not in NOT_FORMULAS
    ]


def valid_arguments(function: Callable[..., Any]) -> dict[str, object]:
    """A valid value for each argument that a public function demands."""
    demanded = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is inspect.Parameter.empty
    ]
    if function.__name__ in TEXTS:
        return dict.fromkeys(demanded, TEXTS[function.__name__])
    known: dict[str, object] = {name: sum(ends) / 2 for name, ends in DOMAINS.items()}
    if function.__name__ in NOT_FORMULAS:
        known |= EXAMPLES
    known |= {name: choices[0] for name, choices in CHOICES.items()}
    return {name: known[name] if name in known else EXAMPLES[name] for name in demanded}


def _formula(function: Callable[..., Any]) -> Formula:
    names = tuple(inspect.signature(function).parameters)
    unknown = [name for name in names if name not in DOMAINS and name not in CHOICES]
    if unknown:
        raise LookupError(
            f"{function.__module__}.{function.__name__}: no domain for {', '.join(unknown)}; add "
            "the lowest and highest valid number to domains in tests/formulas.toml, or the "
            "function with a reason to not_formulas if it is no formula of quantities"
        )
    quantities = tuple(name for name in names if name in DOMAINS)
    return Formula(function, quantities, tuple(name for name in names if name in CHOICES))


def stale_names() -> set[str]:
    """Entries of the tables above that no public function has any more."""
    functions = list(public_functions(*FORMULA_LAYERS, units))
    names = {name for function in functions for name in inspect.signature(function).parameters}
    return (set(NOT_FORMULAS) - {function.__name__ for function in functions}) | (
        (set(DOMAINS) | set(CHOICES)) - names
    )
