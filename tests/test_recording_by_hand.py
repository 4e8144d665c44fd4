"""Formulas as lists of steps, each list written out by hand."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from netmodel._numeric import is_array
from netmodel._recording import Check, Recorded, Recording, Step


def recorded(formula: Callable[..., Any], count: int = 2) -> Recording:
    recording = Recording(count)
    formula(*recording.arguments())
    return recording


OPERATIONS: dict[str, tuple[Callable[..., Any], list[Step]]] = {
    "sum": (lambda x, y: x + y, [Step("add", (0, 1))]),
    "constant": (lambda x, y: 2 + x, [Step("add", (2.0, 0))]),
    "difference": (lambda x, y: y - 3, [Step("subtract", (1, 3.0))]),
    "reflected": (lambda x, y: 3 - y, [Step("subtract", (3.0, 1))]),
    "ratio": (lambda x, y: x / y, [Step("divide", (0, 1))]),
    "one over": (lambda x, y: 1 / x, [Step("divide", (1.0, 0))]),
    "negative": (lambda x, y: -x, [Step("negative", (0,))]),
    "size": (lambda x, y: abs(y), [Step("absolute", (1,))]),
    "square": (lambda x, y: x**2, [Step("square", (0,))]),
    "square of a float": (lambda x, y: x**2.0, [Step("square", (0,))]),
    "root": (lambda x, y: x**0.5, [Step("sqrt", (0,))]),
    "itself": (lambda x, y: x**1, [Step("power", (0, 1.0))]),
    "cube": (lambda x, y: x**3, [Step("power", (0, 3.0))]),
    "near a root": (lambda x, y: x**0.6, [Step("power", (0, 0.6))]),
    "power": (lambda x, y: x**y, [Step("power", (0, 1))]),
    "exponent": (lambda x, y: 2**x, [Step("power", (2.0, 0))]),
    "function of numpy": (lambda x, y: np.maximum(x, 64), [Step("maximum", (0, 64.0))]),
    "scalar of numpy": (lambda x, y: np.float64(4) * x, [Step("multiply", (4.0, 0))]),
    "array of one": (lambda x, y: np.add(x, np.array([7.0])), [Step("add", (0, 7.0))]),
    "chain": (
        lambda x, y: (x + 18) * (y + 18) - (x + 18),
        [
            *(Step("add", (0, 18.0)), Step("add", (1, 18.0))),
            *(Step("multiply", (2, 3)), Step("subtract", (4, 2))),
        ],
    ),
    "zeros differ": (
        lambda x, y: (x + 0.0, x + -0.0),
        [Step("add", (0, 0.0)), Step("add", (0, -0.0))],
    ),
    "choice": (
        lambda x, y: np.where((x > 1) & ~(y <= 2), x, 0.0),
        [
            *(Step("greater", (0, 1.0)), Step("less_equal", (1, 2.0)), Step("logical_not", (3,))),
            *(Step("logical_and", (2, 4)), Step("where", (5, 0, 0.0))),
        ],
    ),
}


@pytest.mark.parametrize("case", OPERATIONS)
def test_operations_are_steps_at_the_places_behind_the_arguments(case: str) -> None:
    formula, steps = OPERATIONS[case]
    recording = recorded(formula)
    assert repr(recording.steps) == repr(steps)


def test_a_result_has_the_place_of_its_step() -> None:
    recording = Recording(2)
    first, second = recording.arguments()
    total = first + second
    assert (first.place, second.place, total.place) == (0, 1, 2)
    again = (total * 2).place, (first + second).place, (total * 2).place
    assert again == (3, 2, 3)
    assert len(recording.steps) == 2


def test_a_check_is_noted_once() -> None:
    recording = Recording(1)
    (first,) = recording.arguments()
    for limit in (0, 0.0, 5):
        recording.check(first, "above", limit)
    recording.check(2, "at most", first)
    assert recording.checks == [
        Check(0, "above", 0.0),
        Check(0, "above", 5.0),
        Check(2.0, "at most", 0),
    ]
    assert isinstance(recording.checks[-1].value, float)


REFUSED: dict[str, Callable[[Recorded], Any]] = {
    "reduction": np.add.reduce,
    "output": lambda x: np.add(x, 1, out=np.zeros(1)),
    "shape": np.zeros_like,
    "where with more": np.where,
    "several numbers": lambda x: x + np.array([1.0, 2.0]),
    "no numbers": lambda x: x + "1",
    "truth": bool,
    "length": len,
    "hash": hash,
    "array": np.asarray,
    "sum": np.sum,
    "sort": np.sort,
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_depends_on_values_is_refused(case: str) -> None:
    recording = Recording(1)
    (first,) = recording.arguments()
    if case == "where with more":
        with pytest.raises(TypeError, match="looks at values"):
            first.__array_function__(np.where, (), (first,), {"like": 1})
    else:
        with pytest.raises(TypeError):
            REFUSED[case](first)
    assert recording.steps == []


def test_a_recorded_quantity_counts_as_an_array_of_one_axis() -> None:
    (first,) = Recording(1).arguments()
    assert is_array(first)
    assert first.ndim == 1
