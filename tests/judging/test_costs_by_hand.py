"""Laws of CPU demands, each by itself, and costs that are carried from one case to another."""

from dataclasses import replace
from math import inf, isnan, nan, sqrt
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from netmodel._estimates import Estimate
from netmodel.consumption import Side
from netmodel.consumption._cost import CpuCost
from netmodel.errors import ContradictionError
from netmodel.judging import _measured_cost
from netmodel.judging._compared_facts import Fact
from netmodel.judging._cost_left_out import LOAD, LeftOutRatio, left_out_costs
from netmodel.judging._cost_model import (
    EXCHANGE_COPY_BYTES,
    CostRatio,
    CostSet,
    Demand,
    can_hold,
    cost_ratios,
    kept_of,
    measurement_of,
    traffic_of,
    with_message,
    work_of,
)
from netmodel.judging._measured_cost import with_costs_of_case
from netmodel.path import SpecifiedPath, Traffic, workload_traffic
from netmodel.records import Grade, adapter, workload

CARD, OLD = "osa-express7s-25gbe", "osa-express6s-10gbe"
LARGE, STREAM = "rr1c-200x30k", "str-writex30k"


def demand(kind: str, direction: str = "in", count: int = 0, card: str = CARD) -> Demand:
    return Demand(kind, direction, card, count)


def ends(subject: dict[Demand, float], baseline: dict[Demand, float]) -> tuple[float, float]:
    """Smallest and largest ratio of two costs where nothing is printed."""
    _, low, high = CostSet(()).ratio(subject, baseline)
    return low, high


# Laws


@pytest.mark.parametrize(
    ("kind", "few", "many", "expected"),
    [
        # wake-ups serve more messages with more connections, up to one of each
        ("message", 10, 50, (10 / 50, 1)),
        ("message", 1, 250, (1 / 250, 1)),
        ("streamed message", 10, 50, (10 / 50, 1)),
        ("frame", 10, 50, (10 / 50, 1)),
    ],
)
def test_with_more_connections_no_demand_grows_nor_falls_faster_than_they_do(
    kind: str, few: int, many: int, expected: tuple[float, float]
) -> None:
    found = ends({demand(kind, count=many): 1}, {demand(kind, count=few): 1})
    assert found == pytest.approx(expected)


def test_a_law_of_neighbours_holds_from_end_to_end() -> None:
    """From 1 to 10 and from 10 to 250 connections: no less than 1 / 250 in all."""
    one, ten, many = (demand("message", count=count) for count in (1, 10, 250))
    assert ends({many: 1}, {one: 1, ten: 0}) == pytest.approx((1 / 250, 1))


def test_demands_of_other_adapters_and_directions_are_their_own() -> None:
    mine = {demand("message", count=10): 1}
    for other in (demand("message", "out", 50), demand("message", count=50, card=OLD)):
        assert ends({other: 1}, mine) == (0, inf)


def test_a_streamed_write_wakes_no_more_than_a_message_of_most_connections() -> None:
    few, many = (demand("message", count=count) for count in (10, 50))
    stream = demand("streamed message")
    assert ends({stream: 1}, {many: 1, few: 0}) == pytest.approx((0, 1))
    assert ends({stream: 1}, {few: 1}) == pytest.approx((0, 1))


def test_128_kib_cost_as_much_as_the_two_messages_of_an_exchange() -> None:
    both = {demand("message", way, 10): 1.0 for way in ("in", "out")}
    low, high = ends({demand("byte"): 1}, both)
    assert low == pytest.approx(1 / EXCHANGE_COPY_BYTES)
    assert high == inf
    # of the fewest connections, with which a message costs most
    more = {demand("message", way, 50): 0 for way in ("in", "out")}
    assert ends({demand("byte"): 1}, both | more)[0] == pytest.approx(1 / EXCHANGE_COPY_BYTES)


def test_no_more_is_saved_than_a_message_costs_and_nothing_of_one_connection() -> None:
    for count, least in ((10, 0), (1, 1)):
        message, saved = demand("message", count=count), demand("saved message", count=count)
        found = ends({message: 1, saved: -1}, {message: 1})
        assert found == pytest.approx((least, 1), abs=1e-9)
    # what is saved at 10 connections is saved at 50 too
    at_10, at_50 = (demand("saved message", count=count) for count in (10, 50))
    assert ends({at_50: 1}, {at_10: 1})[0] == pytest.approx(1)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("message", "CPU per data of requests and responses of one frame"),
        ("steered frame", "CPU per data with and without packet steering"),
        ("saved message", "CPU per data with and without packet steering"),
    ],
)
def test_each_demand_has_the_run_that_narrows_it(kind: str, words: str) -> None:
    assert measurement_of(demand(kind, count=50)) == f"{words} over {CARD} with 50 connections"
    assert measurement_of(Demand(kind, "in", "")) == words


@pytest.mark.parametrize("kind", ["frame", "byte", "streamed message"])
def test_what_a_stream_needs_is_narrowed_by_two_mtus(kind: str) -> None:
    assert measurement_of(demand(kind)) == f"CPU per data of a stream over {CARD} at two MTUs"
    assert measurement_of(Demand(kind, "in", "")) == "CPU per data of a stream at two MTUs"


def test_a_demand_is_written_with_its_adapter_and_connections() -> None:
    assert str(demand("message", count=10)) == f"message in ({CARD}) at 10 connections"
    assert str(Demand("byte", "out", "")) == "byte out (any adapter)"


# Ratios of cases


def fact(name: str, low: float, high: float, **fields: Any) -> Fact:
    usual: dict[str, Any] = {"subject": stream(CARD, 1500), "baseline": stream(OLD, 1500)}
    place = ("own", "table 1", Grade.MEASURED)
    given = usual | fields
    return Fact(
        name, "cpu_consumption", given["subject"], given["baseline"], low, high, name, *place
    )


def stream(card: str, mtu_bytes: int, count: int = 10, **more: Any) -> dict[str, Any]:
    return {
        "workload": STREAM,
        "adapter": card,
        "mtu_bytes": mtu_bytes,
        "connection_counts": count,
        "side": "server",
        **more,
    }


def left_out(
    printed: tuple[float, float], predicted: tuple[float, float], is_same: bool = False
) -> LeftOutRatio:
    works = [{demand("byte"): 1.0}, {demand("byte"): 1.0 if is_same else 2.0}]
    ratio = CostRatio(fact("a", *printed), "server", 10, *works)
    return LeftOutRatio(ratio, True, Estimate(1.0, *predicted), "")


@pytest.mark.parametrize(
    ("printed", "has_figure"),
    [
        ((0.8, 0.9), True),
        ((0.9, 0.9), True),
        ((0.0, 1.0), False),
        ((1.0, inf), False),
        ((1e-9, 2.0), True),
    ],
)
def test_a_figure_has_two_ends(printed: tuple[float, float], has_figure: bool) -> None:
    assert left_out(printed, (0.5, 2)).has_figure is has_figure


@pytest.mark.parametrize(
    ("predicted", "is_inside", "missed_ratio", "follows"),
    [
        ((0.5, 2.0), True, 1, False),
        ((0.82, 0.88), True, 1, True),
        ((0.8, 0.9), True, 1, True),
        ((0.8 * (1 - 9e-7), 0.9 * (1 + 9e-7)), True, 1, True),
        ((0.8 * (1 - 2e-6), 0.9), True, 1, False),
        ((0.8, 0.9 * (1 + 2e-6)), True, 1, False),
        ((0.9, 2.0), True, 1, False),
        ((0.5, 0.8), True, 1, False),
        ((0.99, 2.0), False, 1.1, False),
        ((0.2, 0.4), False, 2, False),
    ],
)
def test_what_is_printed_stands_to_what_the_others_leave(
    predicted: tuple[float, float], is_inside: bool, missed_ratio: float, follows: bool
) -> None:
    """0.8 to 0.9: beyond either end it is missed by the factor between them."""
    row = left_out((0.8, 0.9), predicted)
    assert (row.is_inside, row.follows) == (is_inside, follows)
    assert row.missed_ratio == pytest.approx(missed_ratio)
    assert row.is_identified is (predicted[1] <= 10 * predicted[0])


def test_lower_of_cases_that_need_the_same_is_never_inside() -> None:
    for printed in ((0.0, 1.0), (1.0, inf)):
        assert left_out(printed, (0.5, 2)).is_inside
        assert not left_out(printed, (0.5, 2), is_same=True).is_inside
    assert left_out((0.9, 1.1), (0.5, 2), is_same=True).is_inside


def needed(*facts: Fact) -> set[str]:
    return {row.needs for row in left_out_costs(list(cost_ratios(facts))) if not row.is_kept}


def test_what_is_not_kept_names_the_smallest_change_that_would_keep_it() -> None:
    """
    Of two cards the one costs more with 10 and less with 250 connections, at two MTUs.

    A stream: its writes may change, or its frames and bytes. For the sides of one case demands of
    their own are enough.
    """
    few = {"subject": stream(CARD, 1500), "baseline": stream(OLD, 1500)}
    many = {"subject": stream(CARD, 1500, 250), "baseline": stream(OLD, 1500, 250)}
    assert needed(fact("few", 1.1, 1.2, **few), fact("many", 0.7, 0.8, **many)) == {
        "streamed writes whose cost changes with connections (batches, blocking)"
    }
    work = {"workload": STREAM, "connection_counts": 10, "mtu_bytes": 1500}
    sides = [
        fact(
            side,
            *printed,
            subject={**work, "adapter": CARD, "message_bytes": 1448, "side": side},
            baseline={**work, "adapter": OLD, "message_bytes": 1448, "side": side},
        )
        for side, printed in (("client", (1.1, 1.2)), ("server", (0.7, 0.8)))
    ]
    assert needed(*sides) == set()


@pytest.mark.parametrize(
    ("few", "many", "words"),
    [
        (0.5, 0.9, "frames whose cost falls with connections (interrupts, aggregation)"),
        (0.9, 0.5, "streamed writes whose cost changes with connections (batches, blocking)"),
    ],
)
def test_what_a_larger_mtu_saves_may_change_with_connections(
    few: float, many: float, words: str
) -> None:
    """It saves frames: less where these cost less, and more where all else costs less."""
    facts = [
        fact(
            str(count),
            value,
            value,
            subject=stream(CARD, 9000, count),
            baseline=stream(CARD, 1500, count),
        )
        for count, value in ((10, few), (250, many))
    ]
    assert needed(*facts) == {words}


def test_a_ratio_that_no_change_explains_is_of_the_load() -> None:
    """The same case twice, once cheaper and twice dearer."""
    facts = [fact("a", 0.7, 0.8), fact("b", 1.1, 1.2), fact("c", 1.1, 1.3)]
    assert needed(*facts) == {LOAD}


def test_one_case_on_both_sides_is_left_out_together() -> None:
    both = fact("a", 0.8, 0.9)
    client = fact(
        "b",
        *(0.7, 0.8),
        subject={**both.subject, "side": "client"},
        baseline={**both.baseline, "side": "client"},
    )
    other = fact("c", 0.5, 0.6, subject=stream(CARD, 9000), baseline=stream(OLD, 9000))
    known = CostSet(tuple(cost_ratios([both, client])), tuple(cost_ratios([other])))
    assert [each.fact.id for each in known.all_ratios] == ["a", "b", "c"]
    assert [each.fact.id for each in known.without({"a"}).all_ratios] == ["c"]
    assert [each.fact.id for each in known.without({"c"}).all_ratios] == ["a", "b"]
    assert [each.fact.id for each in known.without({"a"}, 10).all_ratios] == ["c"]
    assert [each.fact.id for each in known.without({"a"}, 50).all_ratios] == ["a", "b", "c"]


def test_a_ratio_counts_for_each_number_of_connections_that_it_leaves_open() -> None:
    """And for each side; of a baseline with connections of its own only for those."""
    open_case = {"workload": STREAM, "adapter": CARD, "mtu_bytes": 1500}
    found = list(
        cost_ratios([fact("a", 1, 2, subject=open_case, baseline={**open_case, "adapter": OLD})])
    )
    assert [(each.side, each.connection_count) for each in found] == [
        (side, count) for side in ("client", "server") for count in (1, 10, 50, 250)
    ]
    rr = {"workload": LARGE, "adapter": CARD, "mtu_bytes": 1500, "side": "server"}
    change = fact(
        "b", 1, 2, subject={**rr, "connection_counts": 50}, baseline={**rr, "connection_counts": 1}
    )
    (ratio,) = cost_ratios([change])
    message = [
        {each.connection_count for each in work} - {0} for work in (ratio.subject, ratio.baseline)
    ]
    assert (message, ratio.connection_count) == ([{50}, {1}], 50)
    assert list(cost_ratios([replace(change, quantity="throughput")])) == []
    assert list(cost_ratios([replace(change, low=float("nan"))])) == []
    without = {key: each for key, each in rr.items() if key != "workload"}
    assert list(cost_ratios([replace(change, subject=without)])) == []


def test_ratios_that_cannot_hold_are_told_from_those_that_can() -> None:
    one, other = fact("a", 0.8, 0.9), fact("b", 0.85, 1.0)
    assert can_hold(list(cost_ratios([one, other])))
    assert not can_hold(list(cost_ratios([one, replace(other, low=0.91)])))
    assert kept_of(()).all_ratios == ()


# Work of a case


@pytest.mark.parametrize(
    ("side", "has_message", "sizes"),
    [
        ("client", 1000, (200, 1000)),
        ("server", 1000, (200, 1000)),
        ("client", None, (200, 30720)),
    ],
)
def test_another_size_is_that_of_the_larger_message(
    side: str, has_message: int | None, sizes: tuple[int, int]
) -> None:
    more = {} if has_message is None else {"message_bytes": has_message}
    traffic = traffic_of({"workload": LARGE, **more})
    assert traffic is not None
    assert (traffic.request_bytes, traffic.response_bytes) == sizes
    work = work_of({"workload": LARGE, "mtu_bytes": 1500, **more}, side)
    assert work is not None
    way = "in" if side == "client" else "out"
    assert work[Demand("byte", way, "")] == pytest.approx(sizes[1] / sum(sizes))


def test_messages_of_one_size_stay_so_and_a_stream_has_one() -> None:
    assert with_message(Traffic(100, 100), 50) == Traffic(50, 50)
    assert with_message(Traffic(200, 100), 50) == Traffic(50, 100)
    assert with_message(Traffic(100, 200), 50) == Traffic(100, 50)
    assert with_message(Traffic(100, 200), None) == Traffic(100, 200)


def test_each_end_needs_what_its_adapter_does() -> None:
    case = {"workload": LARGE, "sender_adapter": CARD, "receiver_adapter": OLD, "mtu_bytes": 1500}
    cards = {
        side: {each.adapter for each in work_of(case, side) or ()} for side in ("client", "server")
    }
    assert cards == {"client": {OLD}, "server": {CARD}}  # the server sends the large responses


def test_writes_of_a_stream_share_segments_and_no_number_of_connections() -> None:
    """30720 byte are 21.2 segments of 1448; nothing comes back."""
    work = work_of(stream(CARD, 1500), "server")
    assert work == pytest.approx(
        {
            demand("streamed message"): 1 / 30720,
            demand("frame"): 1 / 1448,
            demand("byte"): 1.0,
        }
    )


# Costs of another case


def path_with(client: CpuCost | None, server: CpuCost | None = None) -> SpecifiedPath:
    card = adapter(CARD)
    return SpecifiedPath(card, card, client_cost=client, server_cost=server)


def carried(
    path: SpecifiedPath, count: Any = None, mtu_bytes: float | None = 9000
) -> SpecifiedPath:
    """Costs of large responses, of which nothing is printed."""
    with patch.object(_measured_cost, "cost_set", lambda: CostSet(())):
        return with_costs_of_case(path, workload_traffic(workload(LARGE), count), mtu_bytes)


def cost(case: str = "mtu=1500") -> CpuCost:
    return CpuCost("10 µs/transaction", s_per_transaction=10e-6, case=case)


@pytest.mark.parametrize("side", list(Side))
def test_only_a_cost_of_another_case_is_carried(side: Side) -> None:
    """22 frames are 4 at MTU 9000: all of the cost is theirs, or nothing is."""
    for other in (None, cost("")):
        sides = (cost(), other) if side is Side.CLIENT else (other, cost())
        found = carried(path_with(*sides))
        known = (found.client_cost, found.server_cost)
        mine, theirs = known if side is Side.CLIENT else known[::-1]
        assert theirs == other
        assert mine is not None
        assert mine.carried_ratios == pytest.approx((sqrt(4 / 22), 4 / 22, 1))
    plain = path_with(cost(""))
    assert carried(plain) is plain


def test_a_cost_of_the_same_case_is_the_same() -> None:
    found = carried(path_with(cost("mtu=9000 connections=10")), 10).client_cost
    assert found is not None
    assert found.carried_ratios == (1, 1, 1)


def test_a_cost_of_fewer_connections_is_carried_by_what_a_message_may_cost() -> None:
    """Both messages may cost as much, or a fifth; 128 KiB cost as much as they did, or more."""
    found = carried(path_with(cost("connections=10")), 50).client_cost
    assert found is not None
    assert found.carried_ratios is not None
    _, low, high = found.carried_ratios
    assert high == pytest.approx(1)
    assert low == pytest.approx(
        (2 / 5 + 30920 / EXCHANGE_COPY_BYTES * 2) / (2 + 30920 / EXCHANGE_COPY_BYTES * 2)
    )


WITH = "the CPU cost of the client was measured with"


@pytest.mark.parametrize(
    ("case", "count", "mtu_bytes", "problem"),
    [
        ("mtu=1500", None, None, f"{WITH} mtu=1500: give the MTU"),
        (
            *("mtu=1500", np.array([1, 10]), 9000),
            f"{WITH} mtu=1500: ask for one number of connections at a time",
        ),
        ("connections=10", None, 9000, f"{WITH} connections=10: give the connections"),
        (
            *("workload=awm-str", None, 1500),
            f"{WITH} workload=awm-str: that workload has a range of sizes; give one with "
            "message=SIZE",
        ),
        (
            *(f"adapter={OLD}", None, 9000),
            f"the CPU cost of the client with adapter={OLD} leaves that of this case open: measure "
            f"CPU per data of a stream over {OLD} at two MTUs",
        ),
    ],
)
def test_a_cost_that_cannot_be_carried_says_what_is_missing(
    case: str, count: Any, mtu_bytes: float | None, problem: str
) -> None:
    with pytest.raises(ContradictionError) as caught:
        carried(path_with(cost(case)), count, mtu_bytes)
    assert str(caught.value) == problem


def test_a_cost_of_another_workload_is_per_data_of_that_workload() -> None:
    """10 us for the 1200 byte that it exchanges."""
    small = "workload=rr1c-200x1000 mtu=1500"
    with patch.object(_measured_cost, "is_identified", lambda _: True):
        found = carried(path_with(cost(small))).client_cost
    assert found is not None
    per_gbit = 10 / (1200 * 8 / 1e9)
    assert found.us_per_gbit is not None
    assert found.carried_ratios is not None
    assert found.us_per_gbit == pytest.approx(per_gbit * found.carried_ratios[0])


def test_costs_that_contradict_each_other_leave_any_ratio() -> None:
    """The same case twice, once cheaper and once dearer: there are no such demands."""
    ratios = tuple(cost_ratios([fact("a", 0.7, 0.8), fact("b", 1.1, 1.2)]))
    known = CostSet(ratios)
    for found in (
        known.ratio(ratios[0].subject, ratios[0].baseline),
        known.expected(ratios[0].subject, ratios[0].baseline),
    ):
        assert isnan(found.value)
        assert (found.low, found.high) == (0, inf)


def test_what_is_expected_misses_by_a_quarter_and_keeps_to_the_laws() -> None:
    """0.8 to 0.9 of the old card's; of two frames one more saves half of all at most."""
    (ratio,) = cost_ratios([fact("a", 0.8, 0.9)])
    known = CostSet((ratio,))
    assert known.ratio(ratio.subject, ratio.baseline) == pytest.approx(
        (sqrt(0.72), 0.8, 0.9), rel=1e-6
    )
    assert known.expected(ratio.subject, ratio.baseline) == pytest.approx(
        (sqrt(0.72), 0.8 / 1.25, 0.9 * 1.25), rel=1e-6
    )
    one, two = {demand("frame"): 1.0}, {demand("frame"): 1.0, demand("byte"): 1.0}
    assert known.expected(two, one) == pytest.approx((nan, 1, inf), nan_ok=True)
