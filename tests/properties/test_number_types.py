"""Every type that holds numbers gives the floats of these numbers, every other an error by name."""

import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas

from netmodel.errors import DomainError

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
    "a column": lambda values: values[:, np.newaxis],
    "list": lambda values: values.tolist(),
    "tuple": lambda values: tuple(values.tolist()),
}
REFUSED: dict[str, Any] = {
    "nothing": None,
    "boolean": True,
    "text": "1500",
    "bytes": b"1500",
    "objects": np.array([1500.0], dtype=object),
    "Decimal": Decimal(1500),
    "complex": np.array([1500 + 0j]),
    "booleans": np.array([True]),
    "time": np.array([1], dtype="timedelta64[s]"),
    "set": frozenset({1500}),
    "mapping": {"mtu_bytes": 1500},
    "whole number beyond floats": BEYOND_FLOATS,
    "fraction beyond floats": Fraction(BEYOND_FLOATS),
    "negative number": -1,
    "infinite float32": np.float32(np.inf),
    "infinite float among numbers": np.array([1500, -np.inf]),
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
