"""Recorded formulas as loops: each operation, each limit, and arguments of every shape."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from interpreted_loops import interpreted

from netmodel._recording import Recording
from netmodel.planning import _kernel
from netmodel.planning._kernel import Kernel, can_be_compiled

VALUES = (-2.5, -0.0, 0.0, 0.5, 1.0, 2.0, math.nan, math.inf, -math.inf)
FIRST, SECOND = map(np.ravel, np.meshgrid(VALUES, VALUES, indexing="ij"))
TWO_OPERANDS = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "equal", "not_equal"),
    *("greater", "greater_equal", "less", "less_equal"),
)
ONE_OPERAND = ("absolute", "ceil", "floor", "negative", "sqrt", "square")


@pytest.fixture(autouse=True)
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_kernel, "_compiled", interpreted)


def looped(formula: Callable[..., Any], *arrays: Any, shape: tuple[int, ...]) -> Any:
    """What the loop makes of a formula; None where a limit does not hold."""
    recording = Recording(len(arrays))
    place = recording.operand(formula(*recording.arguments()))
    assert can_be_compiled(recording)
    result = np.empty(shape)
    kernel = Kernel(recording, {"result": place})
    return result if kernel.into([*map(np.asarray, arrays)], {"result": result}) else None


@pytest.mark.parametrize("name", TWO_OPERANDS)
def test_an_operation_of_two_has_the_digits_of_numpy(name: str) -> None:
    operation = getattr(np, name)
    found = looped(operation, FIRST, SECOND, shape=FIRST.shape)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, operation(FIRST, SECOND))


@pytest.mark.parametrize("name", ONE_OPERAND)
def test_an_operation_of_one_has_the_digits_of_numpy(name: str) -> None:
    operation = getattr(np, name)
    found = looped(operation, np.array(VALUES), shape=(len(VALUES),))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, operation(np.array(VALUES)))


def test_choices_of_conditions_are_those_of_numpy() -> None:
    def chosen(x: Any, y: Any) -> Any:
        both = np.logical_and(x > 0, y > 0)
        either = np.logical_or(x > 1, np.logical_not(y <= 1))
        return np.where(both, 2.0, np.where(either, x, 3.0))

    found = looped(chosen, FIRST, SECOND, shape=FIRST.shape)
    np.testing.assert_array_equal(found, chosen(FIRST, SECOND))


def test_logarithms_and_powers_are_left_to_numpy() -> None:
    """They may end in another digit."""
    for operation in (np.log, np.log1p, np.expm1, lambda x: x**1.5):
        recording = Recording(1)
        operation(*recording.arguments())
        assert not can_be_compiled(recording)


@pytest.mark.parametrize(
    ("relation", "holding", "broken"),
    [
        ("above", (1.1, 5.0), (1.0, 0.9)),
        ("at least", (1.0, 5.0), (0.9, -1.0)),
        ("at most", (1.0, 0.9), (1.1, 5.0)),
        ("below", (0.9, -1.0), (1.0, 1.1)),
    ],
)
def test_a_limit_that_one_point_breaks_stops_the_loop(
    relation: str, holding: tuple[float, ...], broken: tuple[float, ...]
) -> None:
    """NaN breaks none, and what is infinite breaks each."""

    def checked(x: Any) -> Any:
        x.recording.check(x, relation, 1.0)
        return x + 1

    for value in (*holding, math.nan):
        found = looped(checked, np.array([holding[0], value]), shape=(2,))
        np.testing.assert_array_equal(found, np.array([holding[0], value]) + 1)
    for value in (*broken, math.inf, -math.inf):
        assert looped(checked, np.array([holding[0], value]), shape=(2,)) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((2, 3), (2, 3)),
        ((2, 1), (3,)),
        ((), (2, 3)),
        ((1, 3), (2, 1)),
        ((1, 1), (1, 3)),
        ((2, 3), ()),
        ((4, 2, 3), (2, 1)),
        ((4, 1, 1), (3,)),
        ((4, 2, 1), (4, 1, 3)),
    ],
)
def test_arguments_are_read_by_row_by_column_or_point(
    first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    shape = np.broadcast_shapes(first, second, (2, 3))
    x = np.arange(math.prod(first), dtype=float).reshape(first)
    y = 100.0 + 10 * np.arange(math.prod(second)).reshape(second)
    found = looped(lambda x, y: x + y, x, y, shape=shape)
    np.testing.assert_array_equal(found, np.broadcast_to(x + y, shape))


def test_several_results_and_constants_are_written_at_once() -> None:
    recording = Recording(1)
    (x,) = recording.arguments()
    results = {"double": recording.operand(2 * x), "same": x.place, "constant": 7.0}
    written = {name: np.empty(3) for name in results}
    assert Kernel(recording, results).into([np.array([1.0, 2.0, 3.0])], written)
    assert {name: each.tolist() for name, each in written.items()} == {
        "double": [2, 4, 6],
        "same": [1, 2, 3],
        "constant": [7, 7, 7],
    }
    alone = {"double": np.empty(())}
    assert Kernel(recording, {"double": results["double"]}).into([np.array(4.0)], alone)
    assert alone["double"] == 8
