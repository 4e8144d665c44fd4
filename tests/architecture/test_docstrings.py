"""Docstrings say what signatures and bodies do: read against each other, for all functions."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from types import CodeType
from typing import Any

import pytest
from formulas import FORMULA_LAYERS, public_formulas, public_functions

from netmodel import (
    api,
    calibration,
    ceilings,
    checking,
    concurrency,
    consumption,
    framing,
    path,
    planning,
    readers,
    records,
    report,
    symbolic,
    testing,
    transport,
    tuning,
    units,
)
from netmodel.planning import sizing

LAYERS = (
    units,
    framing,
    ceilings,
    consumption,
    concurrency,
    readers,
    records,
    path,
    calibration,
    checking,
    planning,
    sizing,
    report,
    symbolic,
    testing,
    api,
    transport,
    tuning,
)
FUNCTIONS = list(public_functions(*LAYERS))
FORMULAS = [formula.function for formula in public_formulas()]
CLASSES = [
    value
    for module in LAYERS
    for name in getattr(module, "__all__", ())
    if inspect.isclass(value := getattr(module, name)) and not issubclass(value, Enum)
]
SECTIONS = (
    "Parameters",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
)
UNITS_OF_SUFFIXES = {
    "_bytes": "[byte]",
    "_bits": "[bit]",
    "_bps": "[bit/s]",
    "_fps": "[frame/s]",
    "_tps": "[1/s]",
    "_m": "[m]",
    "_hz": "[Hz]",
    "_s": "[s]",
    "_us_per_gbit": "[µs/Gbit]",
}

OURS = ("netmodel", __name__)

Function = Callable[..., Any]
Rule = Callable[[Function], Iterator[str]]


def name_of(function: Function) -> str:
    return f"{function.__module__}.{function.__name__}"


def sections_of(function: Function) -> dict[str, str]:
    """Text of each section of a docstring in numpydoc's form; the summary has no name."""
    text = inspect.getdoc(function) or ""
    pieces = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": pieces[0]} | dict(zip(pieces[1::2], pieces[2::2], strict=True))


def entries_of(section: str) -> dict[str, str]:
    """Description of each name in a section of names, types and descriptions."""
    pieces = re.split(r"^(\*{0,2}\w+(?:, \w+)*)(?: : .*)?\n", section, flags=re.MULTILINE)
    return {
        name: description
        for names, description in zip(pieces[1::2], pieces[2::2], strict=True)
        for name in names.split(", ")
    }


def described_result(function: Function) -> str:
    """What a function returns, or a generator yields, as its docstring has it."""
    sections = sections_of(function)
    return sections["Yields" if inspect.isgeneratorfunction(function) else "Returns"]


def may_raise(function: Function, seen: frozenset[CodeType] = frozenset()) -> bool:
    """Whether the body raises or checks, itself or in what it calls of this package."""
    if function.__code__ in seen:
        return False
    try:
        source = inspect.getsource(function)
    except OSError:  # made by a decorator, such as a composite strategy
        return False
    tree = ast.parse(textwrap.dedent(source))
    if any(isinstance(node, ast.Raise) for node in ast.walk(tree)):
        return True
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return any(
        name.startswith("require_") or may_raise(other, seen | {function.__code__})
        for name in called
        for other in _functions_of_ours(function.__globals__.get(name))
    )


def _functions_of_ours(value: object) -> tuple[Function, ...]:
    """The function itself, or for a class what checks its fields."""
    function = getattr(value, "__post_init__", None) if inspect.isclass(value) else value
    ours = inspect.isfunction(function) and function.__module__.startswith(OURS)
    return (function,) if ours else ()


def complaints(rules: Iterable[Rule], functions: Iterable[Function]) -> list[str]:
    """Names of functions with the rules that their docstrings break."""
    return [
        f"{name_of(function)}: {each}"
        for function in functions
        for rule in rules
        for each in rule(function)
    ]


def of_the_summary(function: Function) -> Iterator[str]:
    summary, *_ = sections_of(function)[""].strip().split("\n\n")
    if not summary.endswith(".") or "\n" in summary:
        yield "its summary is one sentence on one line"


def of_the_order(function: Function) -> Iterator[str]:
    present = [name for name in sections_of(function) if name]
    if present != [name for name in SECTIONS if name in present]:
        yield f"order of its sections {present}"


def of_the_parameters(function: Function) -> Iterator[str]:
    documented = entries_of(sections_of(function).get("Parameters", ""))
    names = [name.lstrip("*") for name in documented]
    if names != list(inspect.signature(inspect.unwrap(function)).parameters):
        yield f"describes the parameters {names}"
    yield from (f"says nothing of {name}" for name, text in documented.items() if not text.strip())


def of_the_result(function: Function) -> Iterator[str]:
    returns_nothing = inspect.signature(function).return_annotation in (None, "None")
    if not returns_nothing and not described_result(function).strip():
        yield "does not describe its result"


def of_units(function: Function) -> Iterator[str]:
    sections = sections_of(function)
    described = entries_of(sections.get("Parameters", "")) | entries_of(sections.get("Returns", ""))
    for name, text in described.items():
        suffix = max((s for s in UNITS_OF_SUFFIXES if name.endswith(s)), key=len, default="")
        if suffix and not name.endswith("_transaction_s") and UNITS_OF_SUFFIXES[suffix] not in text:
            yield f"{name} without {UNITS_OF_SUFFIXES[suffix]}"


def of_errors(function: Function) -> Iterator[str]:
    raises = entries_of(sections_of(function).get("Raises", ""))
    if not raises and may_raise(function):
        yield "does not say what it raises"
    for name, condition in raises.items():
        if not name.endswith("Error") or condition.split()[0] != "If":
            yield f"{name} does not begin with If, or is no error"


NEEDS_A_SERVER = {"measure": "runs a tool against a server: its example is only read"}
"""Functions whose example is not run, each with the reason."""


def of_the_example(function: Function) -> Iterator[str]:
    examples = sections_of(function).get("Examples", "")
    lines = re.findall(r"^(?:>>>|\.\.\.) (.*)", examples, re.MULTILINE)
    if not any(re.search(rf"\b{function.__name__}\(", line) for line in lines):
        yield "no example calls it"
    if ("+SKIP" in examples) != (function.__name__ in NEEDS_A_SERVER):
        yield "an example is run, unless it needs a server"


def of_the_source(function: Function) -> Iterator[str]:
    if not sections_of(function).get("References", "").strip():
        yield "names no source"


def of_the_equation(function: Function) -> Iterator[str]:
    sections = sections_of(function)
    if not sections.get("Notes", "").strip():
        yield "has no equation"
    if not re.search(r"\bshape\b", described_result(function)):
        yield "does not say the shape of its result"
    number = rf"^>>> .*\b{function.__name__}\("
    if not re.search(number, sections.get("Examples", ""), re.MULTILINE):
        yield "shows no number"


@pytest.mark.parametrize(
    "rule",
    [
        of_the_summary,
        of_the_order,
        of_the_parameters,
        of_the_result,
        of_units,
        of_errors,
        of_the_example,
    ],
)
def test_a_function_is_described(rule: Rule) -> None:
    assert FUNCTIONS
    wrong = complaints([rule], FUNCTIONS)
    assert not wrong, "\n".join(wrong)


def test_a_class_shows_an_instance() -> None:
    examples = re.compile(r"^>>> ", re.MULTILINE)
    without = [
        f"{public.__module__}.{public.__name__}"
        for public in CLASSES
        if not examples.search(inspect.getdoc(public) or "")
    ]
    assert CLASSES
    assert not without, without


def test_a_function_of_the_formula_layers_names_its_source() -> None:
    functions = list(public_functions(*FORMULA_LAYERS))
    assert functions
    wrong = complaints([of_the_source], functions)
    assert not wrong, "\n".join(wrong)


def test_a_formula_has_its_equation_its_source_and_a_number() -> None:
    assert FORMULAS
    wrong = complaints([of_the_source, of_the_equation], FORMULAS)
    assert not wrong, "\n".join(wrong)
