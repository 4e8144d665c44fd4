"""The sentences of plans that are put together by hand: each word that depends on a figure."""

from dataclasses import replace
from typing import Any

import pytest
from planning.made import BOUNDS, ORDERS, STREAM, carries, cores, made, need

from netmodel.consumption import Side
from netmodel.path import Bound, Predicted
from netmodel.path._distance import Distance
from netmodel.planning import Corner, Headroom, parse_flow
from netmodel.planning._answer import amount_text, counts_range_text, plain_number
from netmodel.planning._plan import PoolNeed

NO_SPARE = Headroom(0.7, 0)
TRUNK = "trunk is used at 90.0 %, more than the 70.0 % allowed, and adapters do not change that"
OF_CPUS = "server_cpus has 6 and 8 are busy, more than the 70.0 % allowed"
ONE = "one card carries at most 13.4 Gbit/s in at MTU 1500"


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        ({}, "No: {one}; {needed}."),
        (
            {"pools": (cores(),)},
            "No: {one}; {needed}. {stream} needs 12 server cores at 70 % use, 8 busy.",
        ),
        # what lacks comes first, and adapters are not what lacks
        (
            {"shortfalls": (TRUNK,), "pools": (cores(),)},
            f"No: {TRUNK}. One{{rest}}; of adapters {{needed}}. "
            "{stream} needs 12 server cores at 70 % use, 8 busy.",
        ),
        # CPUs that lack come before the adapters, in the words of the demand
        (
            {"shortfalls": (OF_CPUS,), "pools": (cores(present_count=6),)},
            "No: {stream} needs 12 server cores at 70 % use, 8 busy, and 6 are not enough. "
            "One{rest}; of adapters {needed}.",
        ),
        (
            {"shortfalls": (TRUNK, OF_CPUS), "pools": (cores(present_count=6),)},
            f"No: {TRUNK}. {{stream}} needs 12 server cores at 70 % use, 8 busy, and 6 are not "
            "enough. One{rest}; of adapters {needed}.",
        ),
        (
            {"shortfalls": (OF_CPUS, TRUNK), "pools": (cores(present_count=6),)},
            f"No: {TRUNK}. {{stream}} needs 12 server cores at 70 % use, 8 busy, and 6 are not "
            "enough. One{rest}; of adapters {needed}.",
        ),
        # CPUs that are there and suffice are not said to lack
        (
            {"shortfalls": (TRUNK,), "pools": (cores(present_count=16),)},
            f"No: {TRUNK}. One{{rest}}; of adapters {{needed}}. "
            "{stream} needs 12 server cores at 70 % use, 8 busy.",
        ),
        ({"pools": (cores(present_count=16),)}, "No: {one}; {needed}. {stream} needs 12 server "
         "cores at 70 % use, 8 busy."),
    ],
)  # fmt: skip
def test_what_lacks_comes_first(parts: dict[str, Any], answer: str) -> None:
    expected = answer.format(
        one=ONE,
        rest=ONE.removeprefix("one"),
        needed="you need 5, or 6 to survive one failure at 70 % use",
        stream="40 Gbit/s of str-writex30k",
    )
    plan = made(**parts)
    assert plan.answer == expected + BOUNDS * plan.holds


def test_a_plan_that_no_number_of_adapters_carries_says_why_last_of_what_lacks() -> None:
    few = "the connections are too few: one adapter has more of the load than it may carry"
    plan = made(count=float("inf"), fewest=float("inf"), shortfalls=(TRUNK, few))
    none = (
        "no number of adapters is enough: one of them has more of the load than it may carry at "
        "70 % use"
    )
    # TRUNK begins with the name of a stage, which stays as it is
    assert plan.answer == f"No: {TRUNK}. No{none.removeprefix('no')}. One{ONE.removeprefix('one')}."
    flows = tuple(parse_flow(text, 7) for text in (STREAM, ORDERS))
    of_both = replace(plan, flows=flows, carried=())
    assert "no number of adapters is enough over 7 connections: " in of_both.answer.lower()
    several = (parse_flow(STREAM, 7), parse_flow(ORDERS, 8))
    assert " enough: one" in replace(of_both, flows=several).answer
    half = (parse_flow(STREAM, 7), parse_flow(ORDERS))
    assert "enough over 7 connections: " in replace(of_both, flows=half).answer


@pytest.mark.parametrize(
    ("client", "server", "path", "count", "binding", "carrier"),
    [
        ("card", "card", None, 1, "server_adapter_in", "one card carries"),
        ("card", "card", None, 2, "server_adapter_in", "2 card carry"),
        ("card", None, None, 1, "server_adapter_in", "one card carries"),
        ("card", "nic", None, 1, "server_adapter_in", "one pair of card and nic carries"),
        ("card", "nic", None, 1200, "server_adapter_in", "1,200 pairs of card and nic carry"),
        ("card", "card", "lan", 1, "server_adapter_in", "one card over lan carries"),
        ("card", "nic", "lan", 2, "server_adapter_in", "2 pairs of card and nic over lan carry"),
        (None, None, "lan", 1, "server_adapter_in", "one adapter of lan carries"),
        (None, None, "lan", 3, "server_adapter_in", "3 adapters of lan carry"),
        (None, None, "lan", 1, "wire_to_server", "one line of lan carries"),
        (None, None, None, 3, "wire_to_client", "3 lines of the path carry"),
    ],
)
def test_what_carries_is_named_by_its_adapters_or_by_its_path(
    client: str | None, server: str | None, path: str | None, count: int, binding: str, carrier: str
) -> None:
    plan = made(
        client_adapter=client,
        server_adapter=server,
        path=path,
        adapters_available=None if count == 1 else count,
        carried=(carries(0.335 * count, count=count, binding=binding),),
        fewest=1,
        count=1,
    )
    assert plan.answer.partition(": ")[2].startswith(f"{carrier} at most ")


@pytest.mark.parametrize(
    ("binding", "side", "direction", "where"),
    [
        ("server_adapter_in", Side.SERVER, "in", " in at MTU 1500;"),
        ("client_adapter_out", Side.CLIENT, "out", " out of the client at MTU 1500;"),
        ("wire_to_server", Side.SERVER, "in", " in at MTU 1500 (line rate);"),
        ("queue", Side.SERVER, "in", " in at MTU 1500 (queue);"),
        # the direction of the acknowledgements: the payload goes in all the same
        ("server_adapter_out", Side.SERVER, "out", " in at MTU 1500 (server_adapter_out);"),
        ("client_adapter_in", Side.CLIENT, "in", " in at MTU 1500 (client_adapter_in);"),
        ("wire_to_client", Side.SERVER, "out", " in at MTU 1500 (line rate);"),
    ],
)
def test_payload_into_the_server_goes_in_whatever_limits_it(
    binding: str, side: Side, direction: str, where: str
) -> None:
    carried = (carries(binding=binding, side=side, direction=direction),)
    assert f"at most 13.4 Gbit/s{where}" in made(carried=carried).answer


@pytest.mark.parametrize(
    ("side", "direction", "where"),
    [
        (Side.SERVER, "out", " out at MTU"),
        (Side.CLIENT, "in", " into the client at MTU"),
        (Side.SERVER, "in", " out at MTU 1500 (server_adapter_in);"),
    ],
)
def test_payload_to_the_client_goes_out(side: Side, direction: str, where: str) -> None:
    carried = carries(binding=f"{side.value}_adapter_{direction}", side=side, direction=direction)
    assert where in made(f"{STREAM} from server", carried=(carried,)).answer


def test_a_mix_has_no_direction_and_always_names_its_limit() -> None:
    plan = made(STREAM, ORDERS)
    assert "carries at most 33.5 % of the mix at MTU 1500 (server_adapter_in); " in plan.answer
    large = replace(plan, carried=(carries(1234.5),))
    assert "at most 1,234 times the mix at MTU" in replace(
        large, carried=(carries(1234.4),)
    ).answer.replace("1.23e+03", "1,234")
    wide = replace(plan, carried=(carries(0.335, 0.3, 0.4),))
    assert (
        "carries at most 33.5 % of the mix at MTU 1500 (server_adapter_in; planned with 30 % of "
        "the mix, the least favourable parameters)"
    ) in wide.answer


def test_the_distance_and_the_mtu_are_named() -> None:
    far = Distance(round_trip_s=1e-3, distance_m=100e3)
    assert (
        "13.4 Gbit/s in at MTU 8992 over 100 km; you" in made(mtu_bytes=8992, distance=far).answer
    )


@pytest.mark.parametrize(
    ("ratio", "low", "high", "fewest", "text"),
    [
        # 5 % to either side is rounding
        (0.4, 0.381, 0.419, need(5), ""),
        (0.4, 0.379, 0.4, need(5), " (planned with 15.2, the least favourable parameters)"),
        (0.4, 0.4, 0.421, need(5), ""),
        # unless it changes the count, of which one more or less of many is rounding too
        (0.4, 0.399, 0.401, need(5, 4, 5), ""),
        (0.4, 0.39, 0.41, need(5, 4, 5), " (planned with 15.6, the least favourable parameters)"),
        (0.4, 0.39, 0.41, need(10, 9, 10), " (planned with 15.6, the least favourable parameters)"),
        (0.4, 0.39, 0.41, need(11, 10, 11), ""),
        (0.4, 0.02, 0.4, need(5), " (planned with 800 Mbit/s, the least favourable parameters)"),
    ],
)  # fmt: skip
def test_parameters_that_leave_less_are_named_where_that_is_more_than_rounding(
    ratio: float, low: float, high: float, fewest: Predicted[float], text: str
) -> None:
    """Of 40 Gbit/s: at most is the upper bound, as of a prediction, whatever is planned with."""
    plan = replace(made(carried=(carries(ratio, low, high),)), count_without_spares=fewest)
    assert f"carries at most 16 Gbit/s in at MTU 1500{text}; you" in plan.answer


@pytest.mark.parametrize(
    ("corner", "planned_with"),
    [
        (Corner.WORST, "12, the least favourable parameters"),
        (Corner.VALUE, "12.8, the least favourable that published figures leave"),
        (Corner.BEST, "16, the most favourable parameters"),
    ],
)
def test_the_sentence_says_which_parameters_the_plan_takes(
    corner: Corner, planned_with: str
) -> None:
    carried = (carries(0.335, 0.3, 0.4, smallest=0.32),)
    answer = made(carried=carried, corner=corner).answer
    assert f"at most 13.4 Gbit/s in at MTU 1500 (planned with {planned_with});" in answer


def test_a_stage_that_may_take_no_time_carries_any_rate_at_best() -> None:
    carried = (carries(0.4, 0.2, float("inf")),)
    answer = made(fewest=1, corner=Corner.BEST, carried=carried).answer
    any_rate = "planned with any rate, the most favourable parameters"
    assert f"at most 16 Gbit/s in at MTU 1500 ({any_rate});" in answer
    mix = made(STREAM, ORDERS, fewest=1, corner=Corner.BEST, carried=carried).answer
    assert any_rate in mix
    unbounded = (carries(float("inf"), 0.2, float("inf")),)
    answer = made(fewest=1, carried=unbounded).answer
    assert "carries any rate in at MTU 1500 (planned with 8 Gbit/s, the least fav" in answer
    assert "inf" not in answer + mix


@pytest.mark.parametrize(
    ("ratio", "fewest", "answer"),
    [
        # 42 Gbit/s carry 40 in full use only: 70 % of them are 29.4
        (1.05, 2, "No: one card carries at most 42 Gbit/s in at MTU 1500, 29.4 at 70 % use; you "
         "need 2, or 6 to survive one failure."),
        # just as much as is needed
        (1.0, 2, "No: one card carries at most 40 Gbit/s in at MTU 1500, 28 at 70 % use; you "
         "need 2, or 6 to survive one failure."),
        # another unit is named: 70 % of 1.2 Gbit/s are 840 Mbit/s
        (0.03, 48, "No: one card carries at most 1.2 Gbit/s in at MTU 1500; you need 48, or 6 to "
         "survive one failure at 70 % use."),
        (1.5, 1, "Yes: one card carries at most 60 Gbit/s in at MTU 1500; one is enough, or 6 to "
         "survive one failure at 70 % use."),
        # near the whole demand one digit more: 39.96 of 40
        (0.999, 2, "No: one card carries at most 39.96 Gbit/s in at MTU 1500; you need 2, or 6 to "
         "survive one failure at 70 % use."),
        (0.9899, 2, "No: one card carries at most 39.6 Gbit/s in at MTU 1500; you need 2, or 6 to "
         "survive one failure at 70 % use."),
    ],
)  # fmt: skip
def test_the_share_that_may_be_used_is_named_where_all_of_it_would_be_enough(
    ratio: float, fewest: float, answer: str
) -> None:
    assert made(fewest=fewest, carried=(carries(ratio),)).answer == answer + BOUNDS


def test_a_part_in_another_unit_names_it() -> None:
    """1 Gbit/s carries 0.9 of it only in full use: 70 % are 700 Mbit/s."""
    plan = made("0.9 Gbit/s str-writex30k", fewest=2, carried=(carries(1 / 0.9),))
    assert "at most 1 Gbit/s in at MTU 1500, 700 Mbit/s at 70 % use; you" in plan.answer


def test_transactions_are_carried_as_transactions() -> None:
    """A rate that was given as transactions; 33,500 of 100,000, and a count that is one."""
    (orders,) = made(ORDERS).flows
    for ratio, text in ((0.335, "33,500/s"), (1, "100,000/s"), (0.99999, "99,999/s")):
        assert amount_text(orders, ratio) == text
    at_client = carries(side=Side.CLIENT, binding="client_adapter_in")
    assert (
        "carries at most 33,500/s into the client at" in made(ORDERS, carried=(at_client,)).answer
    )
    answer = made(ORDERS, pools=(cores(1, 0.5),)).answer
    needs = "100,000/s of rr1c-200x1000 needs 1 server core at 70 % use, 0.5 busy."
    assert answer.removesuffix(BOUNDS).endswith(needs)
    both = made(STREAM, ORDERS, pools=(cores(),)).answer
    assert both.endswith(f"The demand needs 12 server cores at 70 % use, 8 busy.{BOUNDS}")


@pytest.mark.parametrize(
    ("pool", "text"),
    [
        (cores(12, 7.6543), "12 server cores at 70 % use, 7.65 busy."),
        (cores(12, 8, 11, 13), "13 server cores (11 to 13, planned for the worst) at 70 % use, 8"),
        (cores(12, 8, core_count=need(12)), "at least 12 server cores at 70 % use, 8 busy."),
        (cores(12, 8, time_basis="thread"), "12 server cores at 70 % use, 8 threads busy."),
        (cores(12, 8, time_basis="CPU"), "12 server CPUs at 70 % use, 8 busy."),
        (cores(1, 0.5, time_basis="CPU"), "1 server CPU at 70 % use, 0.5 busy."),
        (cores(12, 8, name="vswitch"), "12 vswitch cores at 70 % use, 8 busy."),
        (
            cores(12, 8, busy_count=need(8, 7.891, 9.126, Bound.VALUE)),
            "12 server cores at 70 % use, 8 busy (7.89 to 9.13).",
        ),
    ],
)
def test_cores_are_counted_with_what_they_are_and_their_range(pool: PoolNeed, text: str) -> None:
    assert f"40 Gbit/s of str-writex30k needs {text}" in made(pools=(pool,)).answer


def test_spare_cores_and_what_is_there_are_named() -> None:
    pool = cores(1, 1, present_count=1, name="server_cpus")
    lacks = "server_cpus is too small without 1,200 of its cores: more than the 70.0 % allowed"
    plan = made(
        pools=(pool,), shortfalls=(lacks,), headroom=Headroom(0.7, 1, None, spare_core_count=1200)
    )
    assert plan.answer.startswith(
        "No: 40 Gbit/s of str-writex30k needs 1 server core at 70 % use, 1,200 of which may fail, "
        "1 busy, and 1 is not enough. "
    )


def test_pools_that_are_no_cpus_or_of_no_side_are_not_counted_in_the_sentence() -> None:
    client = cores(4, 2, name="client_cpus", side=Side.CLIENT)
    others = (cores(is_cpu=False, name="disks"), cores(side=None, name="switch"))
    plan = made(pools=(client, *others, cores()))
    assert plan.cpu_needs == [client, cores()]
    assert plan.answer.endswith(
        "needs 4 client cores at 70 % use, 2 busy, and 12 server cores at 70 % use, 8 busy."
        f"{BOUNDS}"
    )


@pytest.mark.parametrize(
    ("spares", "text"),
    [(1, "one failure"), (2, "two failures"), (3, "3 failures"), (1200, "1,200 failures")],
)
def test_small_numbers_of_failures_are_words(spares: int, text: str) -> None:
    plan = made(count=5 + spares, headroom=Headroom(0.7, spares))
    assert plan.answer.endswith(f"or {5 + spares:,} to survive {text} at 70 % use.{BOUNDS}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.12344, "0.1234"),
        (12.345, "12.35"),
        (9999.4, "9999"),
        (10000.4, "10,000"),
        (1234567.8, "1,234,568"),
        (3.0, "3"),
        (12345.0, "12,345"),
        (1e15, "1e+15"),
        (999_999_999_999_999.0, "999,999,999,999,999"),
    ],
)
def test_numbers_have_four_digits_or_all_in_front_of_the_point(value: float, text: str) -> None:
    assert plain_number(value) == text


@pytest.mark.parametrize(
    ("low", "high", "digits", "text"),
    [
        (2, 3, None, "2 to 3"),
        (2, 2, None, ""),
        (1.2341, 1.2344, 3, ""),
        (1.234, 1.236, 3, "1.23 to 1.24"),
        (2, float("inf"), None, "2 to none"),
        (float("inf"), float("inf"), None, ""),
        (2.2, float("inf"), 3, "2.2 to none"),
    ],
)
def test_a_range_of_counts_has_both_ends(
    low: float, high: float, digits: int | None, text: str
) -> None:
    assert counts_range_text(need(low, low, high), digits) == text
