"""Laws of what is looked up, over all rows: cases are made of the conditions that rows fix."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from at_once import all_at_once
from hypothesis import given
from hypothesis import strategies as st

import netmodel
from netmodel.published import Row, answer, comparison, listing

ROWS = listing()
FIGURES = [row for row in ROWS if not row.against and row.low is not None]
RATIOS = [row for row in ROWS if row.against]
SOME = random.Random(44)


def cases(row: Row) -> Iterator[dict[str, str | int | float]]:
    """Yield the cases that a row is about."""
    for values in product(*row.of.values()):
        yield dict(zip(row.of, values, strict=True))


def a_case(row: Row) -> dict[str, str | int | float]:
    return SOME.choice(list(cases(row)))


def a_pair(row: Row) -> tuple[dict[str, str | int | float], dict[str, str | int | float]]:
    case = a_case(row)
    return case, {**case, **{key: values[0] for key, values in row.against.items()}}


@all_at_once(FIGURES, lambda row: row.id)
def test_a_figure_of_the_very_case_is_the_answer(row: Row) -> None:
    case = a_case(row)
    found = answer(case, row.quantity)
    assert found.status == "printed"
    assert row.where in found.places
    assert found.value == row.low or not found.value or found.relation != "equal"


@all_at_once(RATIOS, lambda row: row.id)
def test_a_ratio_of_the_very_pair_is_the_answer_in_both_orders(row: Row) -> None:
    case, baseline = a_pair(row)
    found, turned = (
        answer(first, row.quantity, second)
        for first, second in ((case, baseline), (baseline, case))
    )
    assert found.status == turned.status in {"printed", "two_figures"[: 99 * (row.low is None)]}
    assert all(row.where in f"{each.places} {each.notes}" for each in (found, turned))
    ends = ((found.value, turned.value), (found.low, turned.high), (found.high, turned.low))
    for end, other in ends:
        assert (end is None) == (other is None)
        if end is not None and other is not None:
            assert end * other == pytest.approx(1)


def test_a_figure_of_a_place_is_none_of_a_case_without_one() -> None:
    case = {"workload": "rr1c-200x30k", "mtu": 1500, "connections": 50}
    assert answer(case, "throughput").status == "not_published"
    assert answer({**case, "adapter": "osa-express7s-25gbe"}, "throughput").status == "printed"


@given(st.sampled_from(FIGURES), st.data())
def test_a_wrong_row_with_an_open_condition_changes_no_fixed_answer(
    row: Row, data: st.DataObject
) -> None:
    case = a_case(row)
    key = data.draw(st.sampled_from(sorted(row.of)))
    fewer = {name: values for name, values in row.of.items() if name != key}
    wrong = replace(row, id="wrong", place="nowhere", of=fewer, low=1e6, high=1e6)
    before = answer(case, row.quantity)
    after = answer(case, row.quantity, published=(*ROWS, wrong))
    assert (after.value, after.low, after.high) == (before.value, before.low, before.high)


@given(st.sampled_from([*FIGURES, *RATIOS]), st.integers(1, 400), st.randoms())
def test_the_order_of_rows_changes_nothing(
    row: Row, connections: int, order: random.Random
) -> None:
    mixed = list(ROWS)
    order.shuffle(mixed)
    case, baseline = a_pair(row)
    case["connections"] = baseline["connections"] = connections
    pair = (case, row.quantity, baseline if row.against else None)
    found, other = (answer(*pair, published=rows) for rows in (ROWS, tuple(mixed)))
    assert [match.text for match in found.nearest] == [match.text for match in other.nearest]
    assert replace(found, nearest=()) == replace(other, nearest=())
    in_numbers = [{"connections", "km"}.issuperset(each.differs) for each in found.nearest]
    assert in_numbers == sorted(in_numbers, reverse=True)


@all_at_once(
    [
        row
        for row in FIGURES
        if row.quantity in {"throughput", "transaction_rate"} and not row.doubt
    ],
    lambda row: row.id,
)
def test_a_bound_is_not_below_a_printed_figure_of_the_case(row: Row) -> None:
    case = a_case(row)
    others = tuple(
        each
        for each in ROWS
        if each.against or any(case.get(key) not in values for key, values in each.of.items())
    )
    found = answer(case, row.quantity, published=others)
    printed = (row.low or 0) - row.rounding if row.relation != "up_to" else 0
    assert found.high is None or found.high >= printed or found.relation == "about"


@pytest.mark.parametrize(
    ("asked", "counts"),
    [({}, [1, 10, 50, 250]), ({"connections": 50}, [50]), ({"connections": 7}, [7])],
)
def test_a_comparison_names_the_connections_of_each_answer(
    asked: dict[str, int], counts: list[int]
) -> None:
    case = {"adapter": "osa-express7s-25gbe", "workload": "rr1c-200x30k", "mtu": 1500, **asked}
    found = comparison(case, {**case, "adapter": "roce-express2.1-25gbe"}, ["throughput"])
    assert [each.conditions for each in found] == [{"connections": count} for count in counts]


def test_every_row_has_a_place_known_conditions_and_an_id_of_its_own() -> None:
    known = {
        *("client", "server", "adapter", "direction", "path", "layer", "level", "workload", "mtu"),
        *("connections", "rps", "side", "km", "protocol", "payload", "load", "part"),
        *("processor", "trunks", "os", "tool", "processes", "cpu", "link", "line_rate", "host_mtu"),
        *("attributes", "buffer_count", "setting", "txqueuelen", "checksumming", "queue"),
        *("queue_size", "local_losses", "mtu_bypass", "dcbflush_local", "virtual_buffers"),
        *("tcp_sendspace", "tcp_recvspace", "softirq", "machine"),
    }
    quantities = {
        *("throughput", "transaction_rate", "transaction_time", "cpu_consumption", "cpu_time"),
        *("cpu_time_per_transaction", "cpu_efficiency", "cpu_utilisation", "performance"),
        *("drop_count", "buffer_memory", "buffer_count", "buffer_size", "queue_length", "distance"),
    }
    words = {"more", "less", "same", "line"}
    relations = {"equal", "about", "range", "at_least", "at_most", "up_to"}
    assert len({row.id for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert row.quantity in quantities, row.id
        assert row.relation in (words if row.low is None else relations), row.id
        least = row.rounding if row.against else 0
        assert row.low is None or least <= row.low <= (row.high or 0), row.id
        assert row.low != 0 or not row.against, row.id
        assert "" not in {row.place, row.printed}, row.id
        assert row.of, row.id
        assert {*row.of, *row.against} <= known, row.id
        assert all(row.of.get(key) != values for key, values in row.against.items()), row.id


OF_DISTANCE = {"throughput", "transaction_rate", "transaction_time", "performance"}
NUMBERS = ("connections", "km")
NEAR = [row for row in ROWS if row.quantity in OF_DISTANCE and row.document != "smcr-distance"]


@all_at_once(NEAR, lambda row: row.id)
def test_rates_of_a_laboratory_answer_nothing_at_a_distance(row: Row) -> None:
    case, baseline = ({**each, "km": 300} for each in a_pair(row))
    found = answer(case, row.quantity, baseline if row.against else None)
    assert found.status in {"physics", "not_published"}
    if "path" not in case and {"client", "workload", "mtu", "connections"} <= {*case}:
        names = {"client": "adapter", "workload": "workload", "mtu": "mtu_bytes"}
        given = {names.get(key, key): x for key, x in case.items() if key in {*names, *NUMBERS}}
        far = netmodel.predict(**given)  # type: ignore[arg-type]
        alone = netmodel.predict(**given, physics_only=True)  # type: ignore[arg-type]
        assert far.throughput_bps.value == alone.throughput_bps.value
        assert not far.beside().rate_bps


def test_no_figure_above_what_a_path_carries_stands_beside_a_prediction() -> None:
    """One trunk carries about 13 Gbit/s, and the adapter behind it 10."""
    case = {"path": "powervm-sea-power7", "workload": "str-writex30k", "connections": 10}
    assert not netmodel.predict(**case, mtu_bytes=9000).beside().rate  # type: ignore[arg-type]
