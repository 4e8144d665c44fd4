"""Rows of a comparison: conditions left open, and laws of what is computed of two cases."""

import math
from types import SimpleNamespace

import pytest

import netmodel
from netmodel.consumption import Side
from netmodel.judging._compared import _open_conditions, compared
from netmodel.judging._compared_facts import published
from netmodel.judging._compared_models import bounded, modelled

OSA6, OSA7, ROCE = "osa-express6s-10gbe", "osa-express7s-25gbe", "roce-express2.1-25gbe"
SMALL, LARGE, STREAM = "rr1c-200x1000", "rr1c-200x30k", "str-writex30k"
RATE, TIME = "throughput", "transaction_time"


def case(workload: str, **conditions: object) -> dict[str, object]:
    usual = {"adapter": OSA7, "workload": workload, "mtu_bytes": 1500, "connection_counts": 250}
    return usual | conditions


@pytest.mark.parametrize(
    ("subjects", "fixed", "left"),
    [
        ([{"layer": 2}, {"layer": 3}], {}, {"layer"}),
        ([{"layer": 2}, {"layer": 2}], {}, set()),
        ([{"layer": 2}, {"layer": 3}], {"layer": 2}, set()),
        ([{"path": "a"}, {"path": "b"}], {}, set()),
        ([{"layer": 2, "mtu_bytes": 1500}, {"layer": 2, "mtu_bytes": 8992}], {}, {"mtu_bytes"}),
    ],
)
def test_conditions_in_which_facts_differ_are_open(
    subjects: list[dict[str, object]], fixed: dict[str, object], left: set[str]
) -> None:
    facts = [SimpleNamespace(subject=subject) for subject in subjects]
    assert _open_conditions(facts, fixed, {}) == left  # type: ignore[arg-type]
    assert _open_conditions(facts, {}, fixed) == left  # type: ignore[arg-type]


def test_what_is_printed_of_any_number_of_connections_has_no_second_row() -> None:
    """Slide 25 says that times and costs stay as they are with MTU 9000, and nothing of rates."""
    small = {"adapter": "osa-express7s-25gbe", "workload": "rr1c-200x1000", "mtu_bytes": 1500}
    rows = compared(small, {**small, "mtu_bytes": 9000}).rows
    printed = {row.quantity: row.printed for row in rows}
    assert len(rows) == len(printed) == 3
    assert printed["transaction_time"]
    assert printed["cpu_consumption"]
    assert not printed["throughput"]


def test_to_exchange_the_cases_of_a_published_ratio_is_to_invert_it() -> None:
    ratios = [fact for fact in published().facts if fact.has_ratio and fact.low and fact.high]
    assert len(ratios) > 100
    for fact in ratios:
        back = fact.reversed()
        assert (back.subject, back.baseline) == (fact.baseline, fact.subject)
        assert back.low * fact.high == pytest.approx(1) or fact.high == math.inf
        assert back.high * fact.low == pytest.approx(1)


def test_bounds_of_a_rate_bound_the_time_of_as_many_connections() -> None:
    """X = N / R where each connection waits for its response: a stream has no response to wait."""
    old, new = case(LARGE, adapter=OSA6), case(LARGE, adapter=ROCE)
    rate, time = bounded(old, new, RATE), bounded(old, new, TIME)
    assert rate is not None
    assert time == pytest.approx((1 / rate[1], 1 / rate[0]))
    assert bounded(old, case(LARGE, adapter=ROCE, connection_counts=50), TIME) is None
    assert bounded(case(STREAM, adapter=OSA6), case(STREAM, adapter=ROCE), TIME) is None


def test_the_ratio_of_two_bounds_is_that_of_their_predictions() -> None:
    old, new = case(LARGE, adapter=OSA6), case(LARGE, adapter=ROCE)
    found = modelled(old, new, RATE, None, frozenset())
    bounds_bps = [
        netmodel.predict(
            sender=card, receiver=card, workload=LARGE, mtu_bytes=1500, connections=250
        )
        .throughput_bps.numbers()
        .value
        for card in (OSA6, ROCE)
    ]
    assert found is not None
    assert found.is_bound_ratio
    assert found.value == pytest.approx(bounds_bps[1] / bounds_bps[0])
    assert found.low <= found.value <= found.high


def test_the_cost_of_a_transaction_of_another_size_is_no_question_of_data() -> None:
    """Per data it is one: the same frames and messages carry more or fewer bytes."""
    of_data, of_transactions = (
        modelled(case(SMALL), case(LARGE), quantity, "client", frozenset())
        for quantity in ("cpu_consumption", "cpu_time_per_transaction")
    )
    assert of_data is not None
    assert of_transactions is None


def over(path: str, workload: str = SMALL) -> dict[str, object]:
    whole = {**case(workload, connection_counts=10), "path": path}
    del whole["adapter"]
    return whole


def test_a_path_that_is_known_by_ratios_alone_has_no_ratio_to_one_in_seconds() -> None:
    alone, timed = over("powervm-lpar-to-lpar"), over("worked-closed-network")
    assert modelled(alone, timed, RATE, None, frozenset()) is None
    assert modelled(timed, alone, RATE, None, frozenset()) is None


def test_the_ratio_of_two_costs_is_that_of_their_predictions() -> None:
    paths = ("zvm-vswitch-layer3-1gbe", "zvm-direct-osa-layer3-1gbe")
    found = modelled(over(paths[0]), over(paths[1]), "cpu_consumption", "client", frozenset())
    costs = [
        netmodel.predict(path=path, workload=SMALL, mtu_bytes=1500, connections=10)
        .cpu_us_per_gbit[Side.CLIENT]
        .numbers()
        for path in paths
    ]
    assert found is not None
    assert found.value == pytest.approx(costs[1].value / costs[0].value)
    assert found.low == pytest.approx(min(costs[1].low / costs[0].high, found.value))
    assert found.high == pytest.approx(max(costs[1].high / costs[0].low, found.value))


@pytest.mark.parametrize("km", [None, 10.0])
def test_transports_are_compared_at_a_distance_that_is_given(km: float | None) -> None:
    own = {"workload": "smc-rr-1k"} | ({} if km is None else {"distance_km": km})
    found = modelled(
        {**own, "transport": "tcp"}, {**own, "transport": "smcr"}, TIME, None, frozenset()
    )
    assert (found is None) is (km is None)


def test_where_nothing_varies_both_conditions_those_that_vary_one_are_shown() -> None:
    result = compared({"adapter": OSA6, "mtu_bytes": 1500}, {"adapter": OSA7, "mtu_bytes": 9000})
    assert not any(row.printed for row in result.rows)
    assert result.nearest
    missing = {"does not vary adapter", "does not vary mtu"}
    assert {each.differs for each in result.nearest} <= missing
