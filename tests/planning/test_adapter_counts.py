"""How many adapters a shared stage needs, against counting them up from one."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from netmodel.planning import Headroom
from netmodel.planning._resources import MAX_ADAPTER_COUNT, Resource, _Part

HEADROOMS = (Headroom(0.7, 0), Headroom(0.5, 1), Headroom(0.5, 2, 0.9), Headroom(0.9, 3, 0.5))


def resource(*parts: _Part, are_printed: tuple[bool, ...] = (True,)) -> Resource:
    places = tuple(range(len(parts)))
    return Resource("cpu", None, frozenset(), True, parts, are_printed, places=places)


def part(busy: float, connections: int | None, servers: float = 1.0) -> _Part:
    return _Part((busy,), (servers,), connections, False)


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
            found = resource(*(part(*each) for each in parts)).adapter_counts(headroom)
            assert found == (counted(parts, headroom),), parts


@pytest.mark.parametrize("headroom", HEADROOMS)
@pytest.mark.parametrize("busy", [0.01, 0.6999, 0.75, 3.2, 70.1])
def test_without_numbers_of_connections_all_adapters_share_alike(
    headroom: Headroom, busy: float
) -> None:
    found = resource(part(busy, None)).adapter_counts(headroom)
    assert found == (counted([(busy, None)], headroom),)


def test_all_that_may_be_used_is_enough_but_for_the_rounding_of_floats() -> None:
    """Three connections, one on each of three adapters: 2.1 / 3 of 0.7, and 0.7 after a failure."""
    assert 2.1 / 3 > 0.7
    both = _Part((2.1, 2.1 * 1.006), (1.0, 1.0), 3, False)
    known = resource(both, are_printed=(True, False))
    assert known.adapter_counts(Headroom(0.7, 0)) == (3, math.inf)
    assert known.adapter_counts(Headroom(1.0, 1, 0.7)) == (4, math.inf)
    assert known.adapter_counts(Headroom(0.7, 1, 1.0)) == (4, math.inf)
    rounded = resource(_Part((2.1, 2.1 * 1.004), (1.0, 1.0), 3, False), are_printed=(True, False))
    assert rounded.adapter_counts(Headroom(0.7, 0)) == (3, 3)


def test_no_number_of_adapters_is_enough_for_a_connection_that_is_too_much() -> None:
    """One connection takes 0.8 of the one adapter that has it; 0.7 may be used."""
    assert resource(part(0.8, 1)).adapter_counts(Headroom(0.7, 0)) == (math.inf,)
    assert resource(part(0.7, 1)).adapter_counts(Headroom(0.7, 0)) == (1,)
    # as many as are tried have one of the connections each, and one adapter less is too few
    most = MAX_ADAPTER_COUNT
    for flows, expected in ((most, most), (most + 1, math.inf)):
        busy = 0.7 * flows
        found = resource(part(busy, flows)).adapter_counts(Headroom(0.7, 0))
        assert found == (expected,)
