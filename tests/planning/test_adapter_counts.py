"""How many adapters a shared stage needs, against counting them up from one."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from paths import ends

from netmodel.consumption import Side
from netmodel.estimates import Predicted
from netmodel.path import Traffic
from netmodel.planning import Flow, Headroom
from netmodel.planning.demand import MAX_ADAPTER_COUNT, Demand, Resource

HEADROOMS = (Headroom(0.7, 0), Headroom(0.5, 1), Headroom(0.5, 2, 0.9), Headroom(0.9, 3, 0.5))


def needed(
    loads: list[tuple[float, ...]], connections: list[int | None], headroom: Headroom
) -> Predicted[float]:
    """A row of loads for each flow, a column for each case, the first with figures as printed."""
    flows = tuple(Flow(Traffic(200, connection_count=count), 1) for count in connections)
    matrix = np.array(loads)[:, np.newaxis]
    are_printed = np.arange(len(loads[0]))[np.newaxis] < 1
    cpu = Resource("cpu", None, is_of_adapters=True)
    servers = np.ones_like(matrix[0])
    demand = Demand(flows, (), (cpu,), matrix, servers, are_printed, Side.CLIENT)
    return demand.needed(headroom)[0]


def fewest(busy: float, connections: int | None, headroom: Headroom) -> float:
    return needed([(busy,)], [connections], headroom).value


def counted(parts: list[tuple[float, int | None]], headroom: Headroom) -> float:
    """The fewest of up to 200, where the busiest has its connections, in exact fractions."""

    def use(adapters: int) -> Fraction:
        shares = [
            Fraction(1, adapters) if flows is None else Fraction(-(-flows // adapters), flows)
            for _, flows in parts
        ]
        return sum(
            (Fraction(busy) * share for (busy, _), share in zip(parts, shares, strict=True)),
            Fraction(0),
        )

    def holds(adapters: int) -> bool:
        left = adapters - headroom.spare_count
        is_within = use(adapters) <= Fraction(headroom.max_utilisation_ratio)
        return is_within and use(left) <= Fraction(headroom.after_failure_ratio)

    first = headroom.spare_count + 1
    return next(filter(holds, range(first, 200)), math.inf)


@pytest.mark.parametrize("headroom", HEADROOMS)
def test_the_fewest_adapters_are_found_wherever_the_search_begins(headroom: Headroom) -> None:
    """Shares of connections fall in steps; of binary fractions no rounding is in the way."""
    random = np.random.default_rng(4)
    for flows, other in product((1, 3, 16, 100), (None, 4, 50)):
        loads = random.integers(1, 4096, 3) / 1024 * np.array([0.05, 1, 4])
        for busy in loads.tolist():
            parts = [(busy, flows), (busy / 4, other)]
            found = needed([(busy,), (busy / 4,)], [flows, other], headroom)
            assert found.value == counted(parts, headroom), parts


@pytest.mark.parametrize("headroom", HEADROOMS)
@pytest.mark.parametrize("busy", [0.01, 0.6999, 0.75, 3.2, 70.1])
def test_without_numbers_of_connections_all_adapters_share_alike(
    headroom: Headroom, busy: float
) -> None:
    assert fewest(busy, None, headroom) == counted([(busy, None)], headroom)


def test_all_that_may_be_used_is_enough_but_for_the_rounding_of_floats() -> None:
    """Three connections, one on each of three adapters: 2.1 / 3 of 0.7, and 0.7 after a failure."""
    assert 2.1 / 3 > 0.7
    for headroom, value in (
        (Headroom(0.7, 0), 3),
        (Headroom(1.0, 1, 0.7), 4),
        (Headroom(0.7, 1, 1.0), 4),
    ):
        assert ends(needed([(2.1, 2.1 * 1.006)], [3], headroom)) == (value, value, math.inf)
    assert ends(needed([(2.1, 2.1 * 1.004)], [3], Headroom(0.7, 0))) == (3, 3, 3)


def test_no_number_of_adapters_is_enough_for_a_connection_that_is_too_much() -> None:
    """One connection takes 0.8 of the one adapter that has it; 0.7 may be used."""
    assert fewest(0.8, 1, Headroom(0.7, 0)) == math.inf
    assert fewest(0.7, 1, Headroom(0.7, 0)) == 1
    # as many as are tried have one of the connections each, and one adapter less is too few
    most = MAX_ADAPTER_COUNT
    for flows, expected in ((most, most), (most + 1, math.inf)):
        assert fewest(0.7 * flows, flows, Headroom(0.7, 0)) == expected
