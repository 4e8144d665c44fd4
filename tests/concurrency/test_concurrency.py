"""Edges of the domain, errors and shapes of laws, bounds and spreading."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from netmodel.concurrency import (
    asymptotic_rate_bounds_tps,
    balanced_rate_bounds_tps,
    busiest_queue_flow_count,
    usable_capacity_ratio,
)
from netmodel.errors import DomainError

BOUNDS = (
    asymptotic_rate_bounds_tps,
    balanced_rate_bounds_tps,
)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize(
    "arguments",
    [
        ([1.0, math.nan], 2, 1.0, 1),
        ([math.nan], 2, 1.0, 1),
        ([1.0, 2.0], math.nan, 1.0, 1),
        ([1.0, 2.0], 2, math.nan, 1),
    ],
)
def test_nan_in_gives_nan_out(bounds: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    assert all(math.isnan(end) for end in bounds(*arguments))
    arrays = bounds(*arguments[:2], [arguments[2], 1.0], arguments[3])
    assert all(math.isnan(end[0]) for end in arrays)


@pytest.mark.parametrize("bounds", BOUNDS)
def test_inputs_stay_as_they_are(bounds: Callable[..., Any]) -> None:
    demands_s, servers = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 2])
    for array in (demands_s, servers):
        array.flags.writeable = False
    result = bounds(demands_s, [1, 2], [0, 1], servers)
    assert not any(np.shares_memory(end, demands_s) for end in result)
    as_lists = bounds(demands_s.tolist(), (1, 2), (0, 1), [1, 2])
    assert [end.tolist() for end in result] == [end.tolist() for end in as_lists]


def test_the_busiest_queue_is_no_formula_of_symbols() -> None:
    with pytest.raises(DomainError, match=r"^flow_count must be a number; got n$"):
        busiest_queue_flow_count(sympy.Symbol("n", positive=True), 16)


def test_flows_and_queues_are_broadcast() -> None:
    together = busiest_queue_flow_count([[1], [10], [50]], [1, 16])
    assert together.shape == (3, 2)
    assert together[1].tolist() == [10, busiest_queue_flow_count(10, 16)]
    assert busiest_queue_flow_count(np.array([]), 16).shape == (0,)
    assert math.isnan(busiest_queue_flow_count(math.nan, 16))
    assert np.isnan(usable_capacity_ratio([1, math.nan], 16)).tolist() == [False, True]
    assert type(busiest_queue_flow_count(np.int8(100), 16)) is float


@pytest.mark.parametrize("queue_count", [1_000, 100_000])
def test_a_flow_more_adds_as_much_where_not_every_term_is_computed(queue_count: int) -> None:
    counts = busiest_queue_flow_count([99_999, 100_000, 100_001], queue_count)
    before, beyond = np.diff(counts)
    assert beyond == pytest.approx(before, rel=1e-3)
