"""What every formula promises, checked for each that ``__all__`` of their layers lists."""

import dataclasses
import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable
from datetime import date
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from at_once import all_at_once
from formulas import (
    CHOICES,
    DOMAINS,
    FORMULA_LAYERS,
    Formula,
    public_formulas,
    public_functions,
    stale_names,
    valid_arguments,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from netmodel import units
from netmodel.errors import DomainError, UnitError

FORMULAS = public_formulas()
ROWS = 3
LAST_DIGIT = 4e-16
"""NumPy's powers of vectors may differ by it: 1.8785236198452817 for 1.8785236198452815."""
Columns = dict[str, list[float]]

each_formula = pytest.mark.parametrize("formula", FORMULAS, ids=str)
each_argument = all_at_once(
    [(formula, name) for formula in FORMULAS for name in formula.quantities],
    lambda formula, name: f"{formula}-{name}",
)
for_any_numbers = settings(max_examples=20)

WRONG_OBJECTS = (
    date(2026, 11, 22),
    [date(2026, 11, 22)],
    Path("25G"),
    object(),
    len,
    {"mtu_bytes": "1500"},
    np.array(["1500", "9000"]),
)
"""What no argument of a formula layer takes."""

UNCHECKED = {
    ("parse_consumption_us_per_gbit", "cpu_frequency_hz"),
    ("parse_consumption_us_per_gbit", "transaction_bytes"),
}
"""Arguments that are looked at for some units alone."""

each_function_argument = all_at_once(
    [
        (function, name)
        for function in public_functions(*FORMULA_LAYERS, units)
        for name in inspect.signature(function).parameters
        if (function.__name__, name) not in UNCHECKED
    ],
    lambda function, name: f"{function.__name__}-{name}",
)


def whole_bounds(name: str) -> tuple[int, int]:
    low, high = DOMAINS[name]
    return math.ceil(low), math.floor(high)


def columns(number: Callable[[str], st.SearchStrategy[Any]]) -> st.SearchStrategy[Columns]:
    """A few numbers for every argument that any formula has."""
    return st.fixed_dictionaries(
        {name: st.lists(number(name), min_size=ROWS, max_size=ROWS) for name in DOMAINS}
    )


numbers = columns(
    lambda name: st.integers(*whole_bounds(name)) | st.floats(*DOMAINS[name], allow_subnormal=False)
)
choices = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()})


def middle(formula: Formula) -> dict[str, Any]:
    """Some valid number for each argument, and the first of each choice."""
    chosen = {name: CHOICES[name][0] for name in formula.choices}
    return chosen | {name: sum(DOMAINS[name]) / 2 for name in formula.quantities}


def test_the_tables_name_nothing_that_is_gone() -> None:
    assert stale_names() == set()


@for_any_numbers
@given(numbers, choices)
def test_arrays_give_what_scalars_give_one_by_one(drawn: Columns, chosen: dict[str, Any]) -> None:
    for formula in FORMULAS:
        function = formula.with_choices(chosen)
        result = function(**{name: np.array(drawn[name]) for name in formula.quantities})
        assert isinstance(result, np.ndarray)
        assert result.dtype == np.float64
        scalars = [
            function(**{name: drawn[name][row] for name in formula.quantities})
            for row in range(ROWS)
        ]
        assert {type(scalar) for scalar in scalars} <= {float, int}
        assert all(map(partial(math.isclose, rel_tol=LAST_DIGIT), result, scalars))


@for_any_numbers
@given(numbers, choices)
def test_shapes_are_broadcast(drawn: Columns, chosen: dict[str, Any]) -> None:
    """Each argument gets an axis of its own, and the result has them all."""
    for formula in FORMULAS:
        function, dimensions = formula.with_choices(chosen), len(formula.quantities)
        grid = {
            name: np.array(drawn[name][:2]).reshape(np.roll([2] + [1] * (dimensions - 1), axis))
            for axis, name in enumerate(formula.quantities)
        }
        result = function(**grid)
        assert result.shape == (2,) * dimensions
        for index in product(range(2), repeat=dimensions):
            first = {
                name: drawn[name][i] for name, i in zip(formula.quantities, index, strict=True)
            }
            assert math.isclose(result[index], function(**first), rel_tol=LAST_DIGIT)


@for_any_numbers
@given(numbers, choices)
def test_inputs_stay_as_they_are_and_are_not_handed_out(
    drawn: Columns, chosen: dict[str, Any]
) -> None:
    for formula in FORMULAS:
        arrays = {name: np.array(drawn[name], dtype=float) for name in formula.quantities}
        for array in arrays.values():
            array.flags.writeable = False
        result = formula.with_choices(chosen)(**arrays)
        for name, array in arrays.items():
            assert array.tolist() == drawn[name]
            assert not np.shares_memory(result, array)


@each_argument
def test_nan_in_gives_nan_out(formula: Formula, name: str) -> None:
    arguments = middle(formula)
    for nan in (math.nan, np.float32("nan"), np.longdouble("nan")):
        assert math.isnan(formula.function(**arguments | {name: nan}))
    value = arguments[name]
    result = formula.function(**arguments | {name: [value, math.nan, value]})
    assert np.isnan(result).tolist() == [False, True, False]


@each_argument
def test_every_argument_counts(formula: Formula, name: str) -> None:
    """Somewhere its lowest and its highest value differ: none is accepted and ignored."""
    generator = np.random.default_rng(0)
    chosen = {key: CHOICES[key][0] for key in formula.choices}
    others = {key: generator.uniform(*DOMAINS[key], 500) for key in formula.quantities}
    lowest, highest = (
        formula.function(**chosen | others | {name: np.full(500, end)}) for end in DOMAINS[name]
    )
    assert (lowest != highest).any()


@each_function_argument
def test_wrong_objects_are_refused_by_name(function: Callable[..., Any], name: str) -> None:
    """Whatever an argument is for: the error names it and says what it must be."""
    valid = valid_arguments(function)
    function(**valid)
    for wrong in WRONG_OBJECTS:
        with pytest.raises((DomainError, UnitError), match=rf"^{name}\b.* must "):
            function(**valid | {name: wrong})


@each_formula
def test_rows_of_different_length_are_refused_by_name(formula: Formula) -> None:
    name = formula.quantities[0]
    with pytest.raises(DomainError, match=rf"^{name} must be "):
        formula.function(**middle(formula) | {name: [[1500, 1500], [1500]]})


def test_what_formulas_take_and_give_cannot_change() -> None:
    """Every dataclass of their packages refuses a new value, so that it may be kept and hashed."""
    modules = [
        importlib.import_module(module.name)
        for layer in FORMULA_LAYERS
        if hasattr(layer, "__path__")
        for module in pkgutil.walk_packages(layer.__path__, f"{layer.__name__}.")
    ]
    classes = {
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and dataclasses.is_dataclass(each)
    }
    assert len(classes) > 10
    for each in classes:
        first = dataclasses.fields(each)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(object.__new__(each), first, None)
