"""Every type that holds numbers gives the floats of these numbers, every other an error by name."""

import array
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas

from netmodel.concurrency import exact_multiclass_network
from netmodel.errors import DomainError, UnitError
from netmodel.units import format_rate, format_size

BEYOND_FLOATS = int(sys.float_info.max) + 2**970
"""Larger than the largest float by half of its last place."""

LARGEST_HALF = float(np.finfo(np.float16).max)


def places() -> Iterator[tuple[Formula, str, dict[str, Any]]]:
    """Every argument of every formula, with valid values of the others."""
    for formula in public_formulas():
        chosen = {name: CHOICES[name][0] for name in formula.choices}
        middle = {name: sum(DOMAINS[name]) / 2 for name in formula.quantities}
        for name in formula.quantities:
            yield formula, name, chosen | middle


PLACES = list(places())


def inner(name: str) -> np.ndarray:
    """Two numbers inside the domain of an argument."""
    low, high = DOMAINS[name]
    return low + np.array([0.4, 0.6]) * (high - low)


FLOATS: dict[str, Callable[[np.ndarray], Any]] = {
    "float16": lambda values: values.astype(np.float16),
    "float32": lambda values: values.astype(np.float32),
    "long double": lambda values: values.astype(np.longdouble),
    "other byte order": lambda values: values.astype(values.dtype.newbyteorder()),
    "every second": lambda values: np.repeat(values, 2)[::2],
    "a column": lambda values: values[:, np.newaxis],
    "list": lambda values: values.tolist(),
    "nested list": lambda values: [[value] for value in values.tolist()],
    "tuple": lambda values: tuple(values.tolist()),
    "list of NumPy scalars": lambda values: list(values.astype(np.float32)),
    "array of the standard library": lambda values: array.array("d", values),
    "memory": memoryview,
    "nothing masked": np.ma.array,
}
WIDTHS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SCALARS: dict[str, Callable[[float], Any]] = {
    "float16": np.float16,
    "float32": np.float32,
    "long double": np.longdouble,
    "array without axes": np.array,
    "Fraction": Fraction,
}
REFUSED: dict[str, Any] = {
    "nothing": None,
    "nothing among numbers": [None, 1500],
    "boolean": True,
    "text": "1500",
    "texts": ["1500"],
    "bytes": b"1500",
    "array of text": np.array(["1500"]),
    "objects": np.array([1500.0], dtype=object),
    "no objects": np.array([], dtype=object),
    "Decimal": Decimal(1500),
    "Decimals": [Decimal(1500)],
    "Fractions": [Fraction(1500)],
    "complex": np.array([1500 + 0j]),
    "booleans": np.array([True]),
    "masked booleans": np.ma.array([True]),
    "time": np.array([1], dtype="timedelta64[s]"),
    "date": np.array(["2026-11-23"], dtype="datetime64[D]"),
    "fields": np.array([(1.0, 2.0)], dtype=[("a", float), ("b", float)]),
    "set": frozenset({1500}),
    "mapping": {"mtu_bytes": 1500},
    "iterator": iter([1500]),
    "whole number beyond floats": BEYOND_FLOATS,
    "negative one": -BEYOND_FLOATS,
    "fraction beyond floats": Fraction(BEYOND_FLOATS),
    "list of whole numbers beyond floats": [BEYOND_FLOATS],
    "negative number": -1,
    "infinite float32": np.float32(np.inf),
    "infinite float among numbers": np.array([1500, -np.inf]),
    "infinite long double": np.longdouble(np.inf),
}


def is_among(name: str, values: np.ndarray) -> bool:
    """Whether numbers that a type holds are in the domain of an argument."""
    low, high = DOMAINS[name]
    return bool((low <= values).all() and (values <= high).all())


@pytest.mark.parametrize("kind", FLOATS)
def test_numbers_count_as_floats_of_64_bits(kind: str) -> None:
    """As exact as the type holds them: a float32 keeps its 24 bits, and loses no more."""
    compared = 0
    for formula, name, others in PLACES:
        values = inner(name)
        if kind == "float16" and values.max() > LARGEST_HALF:
            continue
        given = FLOATS[kind](values)
        same = np.asarray(given, dtype=np.float64)
        if is_among(name, same):
            result = formula.function(**others | {name: given})
            assert (type(result), result.dtype) == (np.ndarray, np.float64), formula
            assert result.tolist() == formula.function(**others | {name: same}).tolist(), formula
            compared += 1
    assert compared > len(PLACES) / 2


@pytest.mark.parametrize("width", WIDTHS)
def test_no_width_of_whole_numbers_overflows(width: str) -> None:
    """At the largest number that the type holds, if the argument may be so large."""
    ends, compared = np.iinfo(width), 0
    for formula, name, others in PLACES:
        low, high = DOMAINS[name]
        largest = min(int(high), int(ends.max), 2**53)  # beyond it floats skip whole numbers
        if low <= largest:
            given = np.array([largest], dtype=width)
            expected = formula_or_refusal(formula, others | {name: [float(largest)]})
            assert formula_or_refusal(formula, others | {name: given}) == expected, formula
            assert formula_or_refusal(formula, others | {name: given[0]}) == (
                formula_or_refusal(formula, others | {name: float(largest)})
            ), formula
            compared += 1
    assert compared > len(PLACES) / 2


def formula_or_refusal(formula: Formula, arguments: dict[str, Any]) -> Any:
    """The result, or the error of arguments that contradict each other."""
    try:
        result = formula.function(**arguments)
    except DomainError as error:
        return str(error)
    return result.tolist() if isinstance(result, np.ndarray) else result


@pytest.mark.parametrize("kind", SCALARS)
def test_single_numbers_give_single_numbers(kind: str) -> None:
    for formula, name, others in PLACES:
        value = float(inner(name)[0])
        if kind == "float16" and value > LARGEST_HALF:
            continue
        given = SCALARS[kind](value)
        if is_among(name, np.array([float(given)])):
            result = formula.function(**others | {name: given})
            assert type(result) in {float, int, Fraction}, formula
            same = formula.function(**others | {name: float(given)})
            # a Fraction stays exact as far as it gets, where floats round
            assert float(result) == pytest.approx(same, rel=1e-13 if kind == "Fraction" else 0)


def test_masked_entries_are_unknown() -> None:
    """The number behind a mask may be anything, also one that the formula would refuse."""
    for formula, name, others in PLACES:
        values = inner(name)
        values[0] = -1
        masked = np.ma.array(values, mask=[True, False])
        result = formula.function(**others | {name: masked})
        plain = formula.function(**others | {name: values[1:]})
        assert type(result) is np.ndarray, formula
        assert np.isnan(result[0]), formula
        assert result[1] == plain[0], formula
        assert np.isnan(formula.function(**others | {name: np.ma.masked})), formula


@pytest.mark.parametrize("kind", REFUSED)
def test_what_holds_no_numbers_is_refused_by_name(kind: str) -> None:
    for formula, name, others in PLACES:
        with pytest.raises(DomainError, match=rf"^{name} must be "):
            formula.function(**others | {name: REFUSED[kind]})


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
def test_no_numbers_give_no_results(shape: tuple[int, ...]) -> None:
    for formula, _, others in PLACES:
        empty = dict.fromkeys(formula.quantities, np.empty(shape))
        assert formula.function(**others | empty).shape == shape


def test_a_dataset_is_no_array() -> None:
    xarray = pytest.importorskip("xarray")
    for formula, name, others in PLACES[::20]:  # it takes its time to print itself
        with pytest.raises(DomainError, match=rf"^{name} must be a number or an array of numbers"):
            formula.function(**others | {name: xarray.Dataset({"mtu_bytes": ("x", [1500])})})


def test_whole_numbers_beyond_floats_are_not_printed() -> None:
    for function in (format_rate, format_size):
        with pytest.raises(
            UnitError, match=r"must be at most 1\.79769313486232e\+308; got a larger"
        ):
            function(BEYOND_FLOATS)
    with pytest.raises(UnitError, match="significant_digits must be at most 1000"):
        format_rate(1e9, 10**400)


def test_unknown_numbers_of_connections_are_refused() -> None:
    with pytest.raises(DomainError, match="connection_counts must be whole numbers; got nan"):
        exact_multiclass_network([[1e-6], [2e-6]], [1, np.nan])
