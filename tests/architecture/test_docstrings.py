"""Docstrings say what signatures and bodies do: read against each other, for all functions."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
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


each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=name_of)
each_formula = pytest.mark.parametrize("function", FORMULAS, ids=name_of)
each_of_the_formula_layers = pytest.mark.parametrize(
    "function", list(public_functions(*FORMULA_LAYERS)), ids=name_of
)


@each_function
def test_the_summary_is_one_sentence_on_one_line(function: Function) -> None:
    summary, *_ = sections_of(function)[""].strip().split("\n\n")
    assert summary.endswith(".")
    assert "\n" not in summary


@each_function
def test_sections_stand_in_their_order(function: Function) -> None:
    present = [name for name in sections_of(function) if name]
    assert present == [name for name in SECTIONS if name in present]


@each_function
def test_parameters_are_those_of_the_signature(function: Function) -> None:
    documented = entries_of(sections_of(function).get("Parameters", ""))
    names = [name.lstrip("*") for name in documented]
    assert names == list(inspect.signature(function).parameters)
    assert all(text.strip() for text in documented.values())


@each_function
def test_the_result_is_described(function: Function) -> None:
    returns_nothing = inspect.signature(function).return_annotation in (None, "None")
    assert returns_nothing or described_result(function).strip()


@each_function
def test_units_of_parameters_and_result_are_those_of_their_names(function: Function) -> None:
    sections = sections_of(function)
    described = entries_of(sections.get("Parameters", "")) | entries_of(sections.get("Returns", ""))
    for name, text in described.items():
        suffix = max((s for s in UNITS_OF_SUFFIXES if name.endswith(s)), key=len, default="")
        if suffix and not name.endswith("_transaction_s"):
            assert UNITS_OF_SUFFIXES[suffix] in text, name


@each_function
def test_what_can_be_raised_is_listed(function: Function) -> None:
    raises = entries_of(sections_of(function).get("Raises", ""))
    assert raises or not may_raise(function)
    for name, condition in raises.items():
        assert name.endswith("Error")
        assert condition.split()[0] == "If"


NEEDS_A_SERVER = {"measure": "runs a tool against a server: its example is only read"}
"""Functions whose example is not run, each with the reason."""


@each_function
def test_an_example_calls_the_function(function: Function) -> None:
    examples = sections_of(function).get("Examples", "")
    lines = re.findall(r"^(?:>>>|\.\.\.) (.*)", examples, re.MULTILINE)
    assert any(re.search(rf"\b{function.__name__}\(", line) for line in lines)
    assert ("+SKIP" in examples) == (function.__name__ in NEEDS_A_SERVER)


@pytest.mark.parametrize("public", CLASSES, ids=name_of)
def test_a_class_shows_an_instance(public: type) -> None:
    assert re.search(r"^>>> ", inspect.getdoc(public) or "", re.MULTILINE)


@each_of_the_formula_layers
def test_a_function_of_the_formula_layers_names_its_source(function: Function) -> None:
    assert sections_of(function)["References"].strip()


@each_formula
def test_a_formula_has_its_equation_and_the_shape_of_its_result(function: Function) -> None:
    sections = sections_of(function)
    assert sections["Notes"].strip()
    assert re.search(r"\bshape\b", described_result(function))


@each_formula
def test_a_formula_names_its_source_and_shows_a_number(function: Function) -> None:
    sections = sections_of(function)
    assert sections["References"].strip()
    assert re.search(rf"^>>> .*\b{function.__name__}\(", sections["Examples"], re.MULTILINE)


def _checked(first_bytes: float, second_bps: float) -> float:
    """
    Summary.

    Parameters
    ----------
    first_bytes : float
        First, over
        two lines. [byte]
    second_bps : float
        Second. [bit/s]

    Raises
    ------
    DomainError
        If not.
    """
    if first_bytes:
        raise ValueError(second_bps)
    return 0.0


def _indirect(value: float) -> float:
    return _checked(value, 0)


def _harmless(value: float) -> float:
    return abs(value)


def test_docstrings_are_read_as_written() -> None:
    sections = sections_of(_checked)
    assert list(sections) == ["", "Parameters", "Raises"]
    assert list(entries_of(sections["Parameters"])) == ["first_bytes", "second_bps"]
    assert entries_of(sections["Raises"]) == {"DomainError": "    If not."}


def test_checks_are_seen_wherever_they_stand() -> None:
    assert may_raise(_checked)
    assert may_raise(_indirect)
    assert not may_raise(_harmless)
    assert may_raise(ceilings.payload_rate_bps)
    assert may_raise(framing.tcp_stack)
    assert not may_raise(framing.ethernet)
