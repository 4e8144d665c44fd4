"""Laws of the mix that is worth most, against all corners and against changed capacities."""

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netmodel.errors import DomainError
from netmodel.planning.sizing import BestMix, best_mix, mix_scale

ABOUT = 1e-7
"""HiGHS meets rows to 1e-7 of numbers near 1."""


class Table(NamedTuple):
    """A problem as `best_mix` takes it."""

    capacities: Any
    demands: Any
    values: Any
    minimum_volumes: Any

    def solved(self, capacities: Any | None = None) -> BestMix:
        own = self.capacities if capacities is None else capacities
        return best_mix(own, self.demands, self.values, self.minimum_volumes)


def numbers(count: int, low: float, high: float, digits: int) -> st.SearchStrategy[Any]:
    """Few digits, so that ties are frequent."""
    steps = st.integers(round(low * 10**digits), round(high * 10**digits))
    return st.lists(steps.map(lambda step: step / 10**digits), min_size=count, max_size=count)


@st.composite
def tables(draw: st.DrawFn, minima: bool = True) -> Table:
    classes, resources = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    demands = np.array([draw(numbers(classes, 0, 4, 0)) for _ in range(resources)])
    values = np.array(draw(numbers(classes, 0, 5, 0)))
    values[~demands.any(axis=0)] = 0  # what takes nothing is worth nothing
    capacities = np.array(draw(numbers(resources, 1, 9, 0)))
    least = np.zeros(classes)
    if minima:
        shares = np.array(draw(numbers(classes, 0, 1, 1)))
        most = demands @ np.ones(classes) / capacities
        least = shares / max(1.0, float(most.max()))
    return Table(capacities, demands, values, least)


def corners(table: Table) -> Any:
    """All corners of the volumes that fit: where as many rows as classes meet."""
    count = table.values.size
    rows = np.vstack([table.demands, -np.eye(count)])
    ends = np.concatenate([table.capacities, -table.minimum_volumes])
    found = []
    for chosen in combinations(range(len(rows)), count):
        square = rows[list(chosen)]
        if abs(np.linalg.det(square)) > 1e-9:
            point = np.linalg.solve(square, ends[list(chosen)])
            if (rows @ point <= ends + 1e-9).all():
                found.append(point)
    return np.array(found)


@given(tables())
def test_no_corner_is_worth_more(table: Table) -> None:
    result = table.solved()
    most = (corners(table) @ table.values).max()
    assert result.value == pytest.approx(most, rel=ABOUT, abs=ABOUT)
    assert (table.demands @ result.volumes <= table.capacities * (1 + ABOUT)).all()
    assert (result.volumes >= table.minimum_volumes - ABOUT).all()


@given(tables())
def test_prices_are_a_dual_solution_with_the_same_optimum(table: Table) -> None:
    result, least = table.solved(), table.minimum_volumes
    free = table.capacities - table.demands @ least
    assert (result.prices >= 0).all()
    assert (table.demands.T @ result.prices >= table.values - ABOUT).all()
    dual = free @ result.prices + table.values @ least
    assert dual == pytest.approx(result.value, rel=ABOUT, abs=ABOUT)


@given(tables())
def test_what_is_left_has_no_price_and_what_is_carried_earns_what_it_takes(table: Table) -> None:
    result = table.solved()
    assert result.slack_ratios * result.prices == pytest.approx(0, abs=ABOUT)
    assert result.slack_ratios * result.gain_prices == pytest.approx(0, abs=ABOUT)
    extra = result.volumes - table.minimum_volumes
    surplus = table.demands.T @ result.prices - table.values
    assert extra * surplus == pytest.approx(0, abs=10 * ABOUT)
    used = table.demands @ result.volumes / table.capacities
    assert result.slack_ratios == pytest.approx(1 - used, abs=ABOUT)


@given(tables())
def test_one_sided_prices_are_the_slopes_of_the_value(table: Table) -> None:
    """The value is linear in pieces: a step that is small enough stays within one."""
    result = table.solved()
    assert (result.gain_prices <= result.prices + ABOUT).all()
    assert (result.loss_prices >= result.prices - ABOUT).all()
    step = 1e-4
    for place in range(table.capacities.size):
        change = step * np.eye(table.capacities.size)[place]
        more = (table.solved(table.capacities + change).value - result.value) / step
        assert result.gain_prices[place] == pytest.approx(more, rel=1e-4, abs=1e-4)
        if math.isinf(result.loss_prices[place]):
            with pytest.raises(DomainError, match="smallest volumes do not fit"):
                table.solved(table.capacities - change)
            continue
        less = (result.value - table.solved(table.capacities - change).value) / step
        assert result.loss_prices[place] == pytest.approx(less, rel=1e-4, abs=1e-4)


@given(tables(), st.floats(0.01, 100))
def test_capacities_and_minima_times_a_factor(table: Table, factor: float) -> None:
    result = table.solved()
    larger = best_mix(
        table.capacities * factor, table.demands, table.values, table.minimum_volumes * factor
    )
    assert larger.value == pytest.approx(result.value * factor, rel=ABOUT, abs=ABOUT)
    assert larger.gain_prices == pytest.approx(result.gain_prices, rel=1e-5, abs=ABOUT)
    dearer = best_mix(table.capacities, table.demands, table.values * factor, table.minimum_volumes)
    assert dearer.value == pytest.approx(result.value * factor, rel=ABOUT, abs=ABOUT)


@given(tables(minima=False), tables(minima=False), st.floats(0, 1))
def test_the_value_is_concave_in_the_capacities(table: Table, other: Table, share: float) -> None:
    ends = table.capacities, np.resize(other.capacities, table.capacities.size)
    between = table.solved(share * ends[0] + (1 - share) * ends[1]).value
    mean = share * table.solved(ends[0]).value + (1 - share) * table.solved(ends[1]).value
    assert between >= mean - ABOUT * max(1.0, mean)


@given(tables(), st.floats(0.1, 10), st.integers(0, 3))
def test_one_more_resource_never_raises_the_value(table: Table, factor: float, place: int) -> None:
    row = table.demands[place % len(table.demands)]
    capacity = max(factor, float(row @ table.minimum_volumes))
    with_it = Table(
        np.append(table.capacities, capacity), np.vstack([table.demands, row]), *table[2:]
    )
    assert with_it.solved().value <= table.solved().value * (1 + ABOUT) + ABOUT


@given(tables(minima=False))
def test_a_mix_that_is_one_class_grows_as_the_fixed_mix(table: Table) -> None:
    """The fixed mix is the linear program whose one class takes what all of it takes."""
    volumes = np.ones(table.values.size)
    takes = table.demands @ volumes
    if not takes.any():
        return
    fixed = mix_scale(table.capacities, table.demands, volumes)
    result = best_mix(table.capacities, takes[:, np.newaxis], [1.0])
    assert result.value == pytest.approx(fixed.scale_ratio)
    assert result.slack_ratios == pytest.approx(fixed.slack_ratios, abs=1e-9)


def test_the_example_of_three_resources() -> None:
    """Computed by hand from the two rows that bind: 2 equations for volumes, 2 for prices."""
    rows = np.array([[1538 / 1448, 0.00872], [1 / 11.584, 0.001], [0.1, 0.015]])
    capacities, values = np.array([25, 1.156768, 4]), np.array([1, 0.02])
    result = best_mix(capacities, rows, values)
    assert result.volumes == pytest.approx((11.173853, 192.174311), abs=5e-7)
    assert result.volumes == pytest.approx(np.linalg.solve(rows[1:], capacities[1:]))
    assert result.value == pytest.approx(15.017340, abs=5e-7)
    assert result.prices == pytest.approx((0, 10.879667, 0.608022), abs=5e-7)
    assert result.prices[1:] == pytest.approx(np.linalg.solve(rows[1:].T, values))
    assert not result.has_ties


def test_two_resources_that_tie_gain_nothing_alone_and_lose_all() -> None:
    result = best_mix([4.0, 4.0], [[1.0], [1.0]], [3.0])
    assert (result.gain_prices.tolist(), result.loss_prices.tolist()) == ([0, 0], [3, 3])
    assert result.has_ties
    assert result.prices.sum() == pytest.approx(3)


def test_units_of_any_size_give_the_same_mix() -> None:
    """Bit/s beside CPUs: 13 orders of magnitude."""
    result = best_mix([25e9, 4e-3], [[8e3, 1e5], [1e-9, 3e-9]], [1e-6, 2e-6])
    by_hand = np.linalg.solve([[8e3, 1e5], [1e-9, 3e-9]], [25e9, 4e-3])
    assert (by_hand < 0).any()  # one row alone binds
    assert result.volumes == pytest.approx([25e9 / 8e3, 0])
    assert result.prices == pytest.approx([1e-6 / 8e3, 0])


def test_classes_that_are_worth_nothing_are_carried_as_little_as_possible() -> None:
    result = best_mix([5.0], [[1.0, 2.0]], [0.0, 0.0], [1.0, 1.5])
    assert (result.value, result.volumes.tolist()) == (0.0, [1.0, 1.5])
    assert result.slack_ratios == pytest.approx([0.2])
