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
    knee_connection_count,
    usable_capacity_ratio,
)
from netmodel.errors import DomainError

BOUNDS = (
    asymptotic_rate_bounds_tps,
    balanced_rate_bounds_tps,
)
OF_STAGES: tuple[Callable[..., Any], ...] = (
    *BOUNDS,
    lambda demands_s, _, think_time_s, parallel_counts: knee_connection_count(
        demands_s, think_time_s, parallel_counts
    ),
)


@pytest.mark.parametrize("formula", OF_STAGES)
@pytest.mark.parametrize(
    ("demands_s", "parallel_counts", "message"),
    [
        ([], 1, "demands_s must hold one demand for each stage; got []"),
        (1.0, 1, "demands_s must hold one demand for each stage; got 1.0"),
        (None, 1, "demands_s must hold one demand for each stage; got None"),
        ([1, -1], 1, "demands_s[1] must be at least 0 s; got -1"),
        ([1, [2, -3]], 1, "demands_s[1] must be at least 0 s; got -3 at index (1,)"),
        ([1, math.inf], 1, "demands_s[1] must be finite; got inf"),
        ("12", 1, "demands_s[0] must be a number or an array of numbers; got '1'"),
        ([0, 0], 1, "sum of demands_s must be above 0 s; got 0"),
        ([[0, 1], [0, 2]], 1, "sum of demands_s must be above 0 s; got 0 at index (0,)"),
        ([1, 2], 0, "parallel_counts must be at least 1; got 0"),
        ([1, 2], [1, 0.5], "parallel_counts[1] must be at least 1; got 0.5"),
        ([1, 2], [1, math.inf], "parallel_counts[1] must be finite; got inf"),
        ([1, 2], [1], "parallel_counts must be one number, or one for each of 2 stages; got 1"),
        (
            [1, 2],
            [1, 1, 1],
            "parallel_counts must be one number, or one for each of 2 stages; got 3",
        ),
    ],
)
def test_stages_that_cannot_be_are_refused(
    formula: Callable[..., Any], demands_s: object, parallel_counts: object, message: str
) -> None:
    with pytest.raises(DomainError) as caught:
        formula(demands_s, 1, 0, parallel_counts)
    assert str(caught.value) == message


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize(
    ("connection_count", "think_time_s", "message"),
    [
        (0.5, 0, "connection_count must be at least 1; got 0.5"),
        ("2", 0, "connection_count must be a number or an array of numbers; got '2'"),
        (1, -1, "think_time_s must be at least 0 s; got -1"),
        (1, math.inf, "think_time_s must be finite; got inf"),
    ],
)
def test_connections_that_cannot_be_are_refused(
    bounds: Callable[..., Any], connection_count: object, think_time_s: object, message: str
) -> None:
    with pytest.raises(DomainError) as caught:
        bounds([1, 2], connection_count, think_time_s)
    assert str(caught.value) == message


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
