"""What is drawn: in its range, accepted by the library, and simple where a test fails."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, find, settings
from hypothesis import strategies as st

from netmodel import testing
from netmodel.errors import DomainError
from netmodel.path import Traffic

SEEK = settings(
    max_examples=200, database=None, derandomize=True, phases=(Phase.generate, Phase.shrink)
)
"""As a failing test shrinks, without the search for an explanation, which draws again."""


def simplest(strategy: st.SearchStrategy[Any], condition: Callable[[Any], bool]) -> Any:
    return find(strategy, condition, settings=SEEK)


def anything(value: object) -> bool:
    return True


@pytest.mark.parametrize(
    ("strategy", "condition", "expected"),
    [
        (testing.line_rates(), anything, 10e9),
        (testing.line_rates(), lambda rate_bps: rate_bps > 10e9, 25e9),
        (testing.line_rates(max_value=5e9), anything, 5e9),
        (testing.line_rates(30e9, 39e9), anything, 30e9),
        (testing.line_rates(1.5, 2.5), anything, 2.0),
        (testing.mtus(), anything, 1500),
        (testing.mtus(max_value=1499), anything, 1499),
        (testing.mtus(1501, 8000), anything, 1501),
        (testing.stacks(), lambda stack: "ipv6" in stack.protocols, "ethernet/ipv6/tcp"),
        (testing.stacks(), lambda stack: "udp" in stack.protocols, "ethernet/ipv4/udp"),
    ],
)
def test_the_simplest_case_is_plain(
    strategy: st.SearchStrategy[Any], condition: Callable[[Any], bool], expected: object
) -> None:
    drawn = simplest(strategy, condition)
    assert (str(drawn) if isinstance(expected, str) else drawn) == expected


def test_a_workload_shrinks_to_one_connection_and_the_size_that_breaks() -> None:
    assert simplest(testing.workloads(), anything) == Traffic(1, 1, 1)
    found = simplest(testing.workloads(), lambda traffic: traffic.request_bytes > 1448)
    assert (found.request_bytes, found.connection_count) == (1449, 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: testing.line_rates(0, 1e9), "above 0 bit/s; got 0 and 1000000000.0"),
        (lambda: testing.line_rates(2e9, 1e9), "in order"),
        (lambda: testing.line_rates(1e9, math.inf), "in order"),
        (lambda: testing.mtus(67), "above 67 byte and at most 65535 byte; got 67 and 9216"),
        (lambda: testing.mtus(1500, 65536), "at most 65535"),
        (lambda: testing.line_rates("10 Gbit/s"), "min_value must be one number; got '10 Gbit/s'"),
        (lambda: testing.line_rates(max_value=None), "max_value must be one number; got None"),
        (lambda: testing.mtus(1500.5), "min_value must be a whole number; got 1500.5"),
    ],
)
def test_a_strategy_of_nothing_is_refused_when_it_is_made(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(DomainError, match=message):
        make()
