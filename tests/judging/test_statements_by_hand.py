"""What one to three made statements say of a rate: every part of a bound and of a range."""

from decimal import Decimal
from math import inf
from typing import Any

import numpy as np
import pytest
from made_statements import made_statement, of_statements

from netmodel._numeric import ROUNDING_RATIO
from netmodel.concurrency import Bounds
from netmodel.judging import with_statements
from netmodel.judging._bands_left_out import _case_text, _outcome
from netmodel.judging._evidence._amounts import Agreement
from netmodel.judging._statement_bands import statement_bands
from netmodel.judging._statement_bounds import bounds_of_statements
from netmodel.judging._statement_claims import ANY_NUMBER, Cell, cell_of
from netmodel.path import (
    DataBand,
    Prediction,
    SpecifiedPath,
    predict_path,
    workload_traffic,
)
from netmodel.records import Grade, Relation, Statement, adapter, host, path_record, workload
from netmodel.records._subjects import Change, Configuration, QuantityKind

FAST, OTHER = "ethernet-25gbe", "ethernet-40gbe"
LARGE, STREAM = "rr1c-200x30k", "str-writex30k"
LINE = 25 * 30720 / (30720 + 22 * 90)
"""Gbit/s of responses of 30720 byte in 22 frames."""
BITS = 8 * 30720


def over(name: str = FAST) -> SpecifiedPath:
    return SpecifiedPath(adapter(name), adapter(name))


def alone(
    count: Any = 10, name: str = FAST, load: str = LARGE, mtu_bytes: Any = 1500
) -> Prediction:
    """As the path has it, without statements."""
    path = over(name).path(workload(load).sender)
    return predict_path(path, workload_traffic(workload(load), count), mtu_bytes)


def of(name: str, relation: Relation, value: str, count: int = 10, **more: Any) -> Statement:
    """A figure of the fast adapter, or its ratio to another one's."""
    figures = {"relation": relation, "value": Decimal(value)}
    return made_statement(name, (more.pop("subject", FAST), count), **figures, **more)


def bounded(*known: Statement, count: Any = 10, name: str = FAST, **asked: Any) -> Prediction:
    with of_statements(list(known)):
        return with_statements(alone(count, name, **asked), over(name))


def band(
    *known: Statement, count: int = 10, name: str = FAST, load: str = LARGE
) -> DataBand | None:
    with of_statements(list(known)):
        bands = statement_bands(alone(count, name, load), over(name), [count]).bands
    return bands[0]


def gbps(ends: Any) -> tuple[float, float]:
    return ends[0] / 1e9, ends[1] / 1e9


AT_MOST, AT_LEAST, EQUAL = Relation.AT_MOST, Relation.AT_LEAST, Relation.EQUAL


# Upper bounds


def test_a_bound_has_its_source_its_place_and_what_it_follows_from() -> None:
    """At most half of at most 2 Gbit/s with 50 connections, which 10 do not exceed."""
    half = of("half", AT_MOST, "0.5", subject=OTHER, baseline=FAST)
    known = bounded(half, of("most", AT_MOST, "2", 50), name=OTHER)
    rate = known.throughput_bps
    assert (rate.value, rate.low, rate.high) == pytest.approx((1e9, 1e9, 1e9))
    (limit,) = [each for each in known.to_dict()["limits"] if "statement" in each]
    assert limit["name"] == "statement half"
    assert (limit["statement"], limit["source"]) == ("half", "made, page 1")
    assert limit["grade"] == "published"
    assert limit["derivation"] == [
        f"{OTHER} has at most 0.5 x the throughput of {FAST} at 10 connections",
        f"{FAST}: throughput at most 2 Gbit/s at 50 connections",
    ]
    assert known.path_notes[:2] == (
        "statement half (page 1): at most 0.5 x",
        "statement most (page 1): at most 2 Gbit/s",
    )


@pytest.mark.parametrize(("length", "is_long"), [(65, False), (66, True)])
def test_a_note_without_room_leaves_out_the_place(length: int, is_long: bool) -> None:
    """One line has 100 characters: 35 of them are of the statement and its figure."""
    place = "p" * length
    known = bounded(of("most", AT_MOST, "2").model_copy(update={"locator": place}))
    note = f"statement most ({place}): at most 2 Gbit/s"
    assert (len(note) > 100) is is_long
    assert known.path_notes[0] == ("statement most: at most 2 Gbit/s" if is_long else note)


@pytest.mark.parametrize(
    ("relation", "figures", "ends"),
    [
        (EQUAL, {"value": "0.5"}, (0.45, 0.55)),
        (Relation.ABOUT, {"value": "0.50"}, (0.475, 0.525)),
        (Relation.RANGE, {"low": "0.4", "high": "0.6"}, (0.65, 0.65)),
        (AT_MOST, {"value": "0.5"}, (0.5, 0.5)),
    ],
)
def test_a_ratio_bounds_by_its_largest_value_and_spreads_by_its_rounding(
    relation: Relation, figures: dict[str, str], ends: tuple[float, float]
) -> None:
    """Of at most 2 Gbit/s: 0.5 is from 0.45 to 0.55, about 0.50 from 0.475 to 0.525."""
    numbers = {name: Decimal(value) for name, value in figures.items()}
    ratio = made_statement("ratio", (OTHER, 10), FAST, relation=relation, **numbers)
    rate = bounded(ratio, of("most", AT_MOST, "2"), name=OTHER).throughput_bps
    assert (rate.value, rate.low, rate.high) == pytest.approx(
        (2e9 * ends[1], 2e9 * ends[0], 2e9 * ends[1])
    )


@pytest.mark.parametrize(
    ("relation", "ends"), [(EQUAL, (2 / 0.55, 2 / 0.45)), (AT_LEAST, (2 / 0.5, 2 / 0.5))]
)
def test_a_ratio_bounds_its_baseline_by_its_smallest_value(
    relation: Relation, ends: tuple[float, float]
) -> None:
    """The other has at most 2 Gbit/s, and half of this one or more."""
    ratio = of("ratio", relation, "0.5", subject=OTHER, baseline=FAST)
    known = bounded(ratio, of("most", AT_MOST, "2", subject=OTHER))
    rate = known.throughput_bps
    assert (rate.value, rate.low, rate.high) == pytest.approx(
        (1e9 * ends[1], 1e9 * ends[0], 1e9 * ends[1])
    )


def test_a_ratio_of_at_most_something_bounds_no_baseline() -> None:
    ratio = of("ratio", AT_MOST, "0.5", subject=OTHER, baseline=FAST)
    known = bounded(ratio, of("most", AT_MOST, "2", subject=OTHER))
    assert known.throughput_bps.value == pytest.approx(1e9 * LINE)


def test_a_ratio_bounds_by_the_line_of_what_it_is_compared_with() -> None:
    """At most half of what 25 Gbit/s carry, though the line of 40 Gbit/s carries more than that."""
    half = of("half", AT_MOST, "0.5", subject=OTHER, baseline=FAST)
    known = bounded(half, name=OTHER)
    assert known.throughput_bps.value == pytest.approx(1e9 * LINE / 2)
    (limit,) = [each for each in known.to_dict()["limits"] if "statement" in each]
    assert limit["derivation"][1] == f"the line of {FAST} carries at most 23.486 Gbit/s"
    # nor does twice as much bound it
    twice = of("twice", AT_MOST, "2", subject=OTHER, baseline=FAST)
    assert bounded(twice, name=OTHER).binding != "statement twice"


def test_limits_of_statements_are_sorted_by_their_rate() -> None:
    known = bounded(of("b", AT_MOST, "3"), of("a", AT_MOST, "4"), of("c", AT_MOST, "2", 50))
    names = [each.name for each in known.limits if each.name.startswith("statement")]
    assert names == ["statement c", "statement b", "statement a"]
    assert known.binding == "statement c"
    assert known.path_notes[0] == "statement c (page 1): at most 2 Gbit/s"


@pytest.mark.parametrize(
    ("count", "most"), [(1, 2), (10, 2), (11, 3), (50, 3), (51, LINE), (None, LINE)]
)
def test_a_figure_bounds_as_many_connections_as_it_names_or_fewer(
    count: int | None, most: float
) -> None:
    known = bounded(of("ten", AT_MOST, "2"), of("fifty", AT_MOST, "3", 50), count=count)
    assert known.throughput_bps.value == pytest.approx(1e9 * most)


def test_arrays_are_bounded_only_where_a_statement_is() -> None:
    """
    Up to 10 connections at MTU 1500; with 11 the line, at MTU 9000 in four frames.

    One connection there waits for its request too, of 290 byte on the wire.
    """
    counts, mtus = np.array([1, 10, 11]), np.array([[1500], [9000]])
    known = bounded(of("ten", AT_MOST, "2"), count=counts, mtu_bytes=mtus)
    jumbo = 25 * 30720 / (30720 + 4 * 90)
    one = 25 * 30720 / (290 + 30720 + 4 * 90)
    expected = 1e9 * np.array([[2, 2, LINE], [one, jumbo, jumbo]])
    assert known.throughput_bps.value == pytest.approx(expected)
    (limit,) = [each for each in known.limits if each.name == "statement ten"]
    is_bounded = np.isfinite(limit.rate.value)
    assert is_bounded.tolist() == [[True, True, False], [False] * 3]
    values = (limit.rate.value, limit.rate.low, limit.rate.high)
    assert all(each[0, 0] == pytest.approx(2e9 / BITS) for each in values)


def test_what_is_reached_above_the_bound_of_a_path_is_noted_with_its_rate() -> None:
    """More than the line carries, from 10 connections on."""
    reached = of("reached", AT_LEAST, "24")
    note = "statement reached: 24 Gbit/s is reached, above this bound"
    assert note in bounded(reached).path_notes
    assert note in bounded(reached, count=50).path_notes
    assert note not in bounded(reached, count=9).path_notes
    assert note in bounded(reached, count=None).path_notes
    assert note not in bounded(of("reached", AT_LEAST, "23")).path_notes


def test_no_bound_is_below_what_is_reached() -> None:
    """At most 2 by one statement and at least 3 by another: the bound is 3, and says so."""
    most, reached = of("most", AT_MOST, "2"), of("reached", AT_LEAST, "3", 5)
    half = of("half", AT_MOST, "0.5", subject=OTHER, baseline=FAST)
    assert bounded(most, reached).throughput_bps.value == pytest.approx(2e9)
    known = bounded(most, reached, half, name=OTHER)
    assert known.throughput_bps.value == pytest.approx(1.5e9)
    (limit,) = [each for each in known.to_dict()["limits"] if "statement" in each]
    assert limit["derivation"][1] == "statement reached: 3 Gbit/s is reached"


def test_only_statements_of_a_circle_are_left_out() -> None:
    """Each twice as fast as the other cannot be; a twentieth of one of them can."""
    slow = "ethernet-10gbe"
    known = (
        of("one", AT_LEAST, "2", baseline=OTHER),
        of("back", AT_LEAST, "2", subject=OTHER, baseline=FAST),
        of("small", AT_MOST, "0.05", subject=slow, baseline=FAST),
    )
    result = bounded(*known, name=slow)
    assert result.throughput_bps.value == pytest.approx(1e9 * LINE / 20)
    assert "not used, as they contradict each other: back, one" in result.path_notes


def test_a_bound_by_way_of_the_case_itself_is_no_news() -> None:
    """At most 2 with 50 connections; by way of the other adapter 1.05 / 0.95 times that with 10."""
    same = {"subject": OTHER, "baseline": FAST}
    known = (
        of("most", AT_MOST, "2", 50),
        of("few", EQUAL, "1.0", **same),
        of("many", EQUAL, "1.0", 50, **same),
    )
    assert bounded(*known).throughput_bps.value == pytest.approx(2e9)


def test_bounds_change_with_the_connections_of_the_statements() -> None:
    half = of("half", AT_MOST, "0.5", subject=OTHER, baseline=FAST)
    with of_statements([half, of("most", AT_MOST, "2")]):
        levels = bounds_of_statements(alone(), over()).levels
    assert levels == (10, ANY_NUMBER)


@pytest.mark.parametrize(
    ("path", "line_rate_bps", "is_known"),
    [
        ("zvm-vswitch-layer3-1gbe", None, True),
        ("zvm-vswitch-layer3-1gbe", 1e9, True),
        ("zvm-vswitch-layer3-1gbe", 0.5e9, True),
        ("zvm-vswitch-layer3-1gbe", 2e9, False),
        ("kvm-one-host", None, True),
        ("kvm-one-host", 1e9, False),
    ],
)
def test_statements_on_a_path_are_of_its_own_line_or_of_a_slower_one(
    path: str, line_rate_bps: float | None, is_known: bool
) -> None:
    """One within a host has no line at all."""
    traffic = workload_traffic(workload(LARGE), 10)
    found = cell_of(SpecifiedPath(record=path_record(path), line_rate_bps=line_rate_bps), traffic)
    assert found == (Cell("path", (path, "server"), 0) if is_known else None)


@pytest.mark.parametrize(
    ("direction", "cards", "is_bounded"),
    [
        ("out", (FAST, OTHER), True),
        ("out", (OTHER, FAST), False),
        ("in", (FAST, OTHER), False),
        ("in", (OTHER, FAST), True),
    ],
)
def test_a_direction_is_one_of_the_sender_or_of_the_receiver(
    direction: str, cards: tuple[str, str], is_bounded: bool
) -> None:
    """Responses: the server sends, and is the sender of the pair."""
    limit = of("limit", AT_MOST, "2")
    limit = limit.model_copy(
        update={"subject": limit.subject.model_copy(update={"direction": direction})}
    )
    path = SpecifiedPath(adapter(cards[0]), adapter(cards[1]))
    load = workload(LARGE)
    before = predict_path(path.path(load.sender), workload_traffic(load, 10), 1500)
    with of_statements([limit]):
        known = with_statements(before, path)
    most = 2 if is_bounded else LINE
    assert known.throughput_bps.value == pytest.approx(1e9 * most)


def test_times_are_rates_of_as_many_connections() -> None:
    """10 transactions in 199.5 to 200.5 us: 12.257 to 12.319 Gbit/s of 30720 byte each."""
    time = {"quantity": QuantityKind.TRANSACTION_TIME, "unit": "µs"}
    known = of("time", EQUAL, "200").model_copy(update=time)
    found = band(known)
    assert found is not None
    assert gbps(found.throughput_bps) == pytest.approx((10 * BITS / 200.5e3, 10 * BITS / 199.5e3))
    assert gbps(found.statements["time"]) == pytest.approx(gbps(found.throughput_bps))
    # a stream has no transactions
    stream = known.subject.model_copy(update={"workload": STREAM})
    assert band(known.model_copy(update={"subject": stream}), load=STREAM) is None


def test_a_share_of_the_time_is_as_many_times_the_rate() -> None:
    """30 % less time, 29.5 to 30.5, is 1 / 0.705 to 1 / 0.695 times the rate."""
    ratio = of("time", EQUAL, "30", baseline=OTHER).model_copy(
        update={
            "quantity": QuantityKind.TRANSACTION_TIME,
            "unit": "%",
            "change": Change.LESS,
        }
    )
    found = band(ratio, of("other", AT_LEAST, "1", subject=OTHER))
    assert found is not None
    assert found.ratios == {OTHER: pytest.approx((1 / 0.705, 1 / 0.695))}
    assert gbps(found.throughput_bps)[0] == pytest.approx(1 / 0.705)


def test_up_to_a_rate_has_no_lower_end() -> None:
    found = band(of("most", Relation.UP_TO, "2.0"), of("least", AT_LEAST, "1"))
    assert found is not None
    assert gbps(found.throughput_bps)[0] == pytest.approx(1)
    assert found.statements["most"].low == 0


# Ranges


def test_a_range_says_what_both_ends_follow_from_and_how_sure_they_are() -> None:
    """Line speed of 20 Gbit/s is read as 19 or more, which is our own convention."""
    speed = of("speed", Relation.CENSORED_ABOVE, "20.0", 50)
    known = (of("one", EQUAL, "8.0", 1), speed)
    found = band(*known, count=50)
    assert found is not None
    assert found.connection_count == 50
    assert gbps(found.throughput_bps) == pytest.approx((19, LINE))
    assert gbps(found.one_connection_bps) == pytest.approx((7.95, 8.05))
    text = f"{FAST}: throughput {speed.amount_text} at 50 connections"
    assert found.low_from == (f"{text}, read as at least 19 Gbit/s",)
    assert found.high_from == (f"the line of {FAST} carries at most 23.486 Gbit/s",)
    assert found.grade is Grade.ASSUMED
    assert found.payload_bits == BITS
    assert (found.ratios, found.notes) == ({}, ())
    assert gbps(found.statements["speed"]) == (19, inf)
    few = band(*known, count=1)
    assert few is not None
    assert few.low_from == (f"{FAST}: throughput 8.0 Gbit/s at 1 connection",)
    assert few.grade is Grade.PUBLISHED


def test_between_numbers_of_connections_both_neighbours_bound_a_rate() -> None:
    """
    Of 2 with 1 connection, 12 with 10 and 20 with 50, what 5 have.

    At least that of one, and half of that of ten; at most that of ten, and five times that of one.
    With times that load does not change, R(5) <= R(1) + 4 / C and R(10) <= R(5) + 5 / C.
    """
    known = [of("a", EQUAL, "2.0", 1), of("b", EQUAL, "12.0", 10), of("c", EQUAL, "20.0", 50)]
    found = band(*known, count=5)
    assert found is not None
    assert gbps(found.throughput_bps) == pytest.approx((11.95 / 2, 5 * 2.05))
    assert found.expected_bps is not None
    low, high = 5 / (1 / 1.95 + 4 / 19.95), 5 / (10 / 12.05 - 5 / 19.95)
    assert gbps(found.expected_bps) == pytest.approx((low, high))
    assert gbps(found.one_expected_bps) == pytest.approx((1.95, 2.05))


def test_a_rate_of_few_connections_bounds_that_of_any_number() -> None:
    """R(10) <= R(1) + 9 / C: with 8 of 1 and at most 15 of 10, C is 16.64 at most."""
    known = [of("one", EQUAL, "8.0", 1), of("ten", AT_MOST, "15", 10)]
    found = band(*known, count=50)
    assert found is not None
    assert gbps(found.throughput_bps)[1] == pytest.approx(LINE)
    assert gbps(found.expected_bps)[1] == pytest.approx(9 / (10 / 15 - 1 / 7.95))


def test_of_statements_that_constant_times_contradict_any_one_may_be_wrong() -> None:
    """
    1 connection has just 8 Gbit/s and 10 have just 8.5: then nothing serves the 20 of 50.

    Without any of the five the others agree, and leave the same of either number.
    """
    known = [
        of(f"{name}-{count}", relation, value, count)
        for count, value in ((1, "8"), (10, "8.5"))
        for name, relation in (("least", AT_LEAST), ("most", AT_MOST))
    ]
    found = band(*known, of("fifty", EQUAL, "20.0", 50))
    assert found is not None
    assert gbps(found.throughput_bps) == pytest.approx((8.5, 8.5))
    assert found.expected_bps is not None
    assert gbps(found.expected_bps) == pytest.approx((8.5, 8.5))
    assert found.notes == (
        "one of these is not true if times are independent of load: 3 statements",
    )


def test_a_stream_has_no_expected_range() -> None:
    """It fills its window, so that its times change with load."""
    found = band(of("a", AT_LEAST, "2", workload=STREAM), load=STREAM)
    assert found is not None
    assert (found.expected_bps, found.one_expected_bps) == (None, None)
    assert found.payload_bits is None


def test_laws_are_named_where_an_end_follows_from_them() -> None:
    """At least 8 with 10 connections are as many with 50, and half of it of the other."""
    half = of("half", AT_LEAST, "0.5", 50, subject=OTHER, baseline=FAST)
    found = band(of("many", AT_LEAST, "8"), half, count=50, name=OTHER)
    assert found is not None
    assert gbps(found.throughput_bps)[0] == pytest.approx(4)
    assert found.low_from == (
        f"{OTHER} has at least 0.5 x the throughput of {FAST} at 50 connections",
        "throughput does not fall with more connections",
        f"{FAST}: throughput at least 8 Gbit/s at 10 connections",
    )
    fewer = of("less", AT_MOST, "0.5", 5, subject=OTHER, baseline=FAST)
    found = band(of("one", AT_MOST, "1", 1), of("low", AT_LEAST, "1", 5), fewer, count=5)
    assert found is not None
    # five connections, each as fast as the one
    assert gbps(found.throughput_bps) == pytest.approx((1, 5))
    assert "with 1 connections each is as fast as with 5, or faster" in found.high_from


def test_rates_of_another_mtu_are_named_with_it() -> None:
    """With MTU 9000 it has 1.5 times the rate: 1.45 to 1.55."""
    ratio = of("jumbo", EQUAL, "1.5", baseline=FAST, mtu_bytes=9000)
    baseline = Configuration(mtu_bytes=1500)
    found = band(ratio.model_copy(update={"baseline": baseline}), of("low", AT_LEAST, "1"))
    assert found is not None
    assert found.ratios == {f"{FAST} at MTU 9000": pytest.approx((1 / 1.55, 1 / 1.45))}
    assert gbps(found.statements["jumbo"])[1] == pytest.approx(25 * 30720 / (30720 + 4 * 90) / 1.45)


def test_without_a_rate_that_is_reached_the_lower_end_is_open_and_noted() -> None:
    found = band(of("most", AT_MOST, "2"))
    assert found is not None
    assert gbps(found.throughput_bps) == (0, 2)
    assert found.expected_bps is None
    assert found.notes == (
        "no lower end of the range from statements: none says which rate is reached",
    )


def test_statements_are_of_the_hosts_of_their_document() -> None:
    """That with 50 connections there is a range is said of hosts of a user's own too."""
    known = of("most", AT_MOST, "2", 50)
    mine = host("z15-lpar-4core-smt2")
    with of_statements([known]):
        prediction = alone()
        bands = statement_bands(prediction, over(), [10, 50])
        assert [each is not None for each in bands.bands] == [False, True]
        for ends in ({"client_host": mine}, {"server_host": mine}):
            path = SpecifiedPath(adapter(FAST), adapter(FAST), **ends)
            theirs = statement_bands(prediction, path, [10, 50])
            assert theirs.bands == (None, None)
            assert theirs.note.startswith("no range from statements: they are of the hosts of")
            assert statement_bands(prediction, path, [10]).note == ""


@pytest.mark.parametrize(
    ("change", "figures", "text"),
    [
        (
            Change.FACTOR,
            {"relation": EQUAL, "value": Decimal(2), "unit": "x"},
            "has 2 x the throughput of",
        ),
        (
            Change.MORE,
            {"relation": EQUAL, "value": Decimal(20), "unit": "%"},
            "has 20 % higher throughput than",
        ),
        (Change.SAME, {"relation": Relation.SIGN}, "has about the same throughput as"),
        (Change.MORE, {"relation": Relation.SIGN}, "has higher throughput than"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
def test_a_claim_in_words(
    change: Change, figures: dict[str, Any], text: str, mtu_bytes: int
) -> None:
    numbers = {"value": None, "unit": None} | figures
    baseline = Configuration(adapter=OTHER, mtu_bytes=None if mtu_bytes == 1500 else mtu_bytes)
    ratio = of("ratio", EQUAL, "2", baseline=OTHER).model_copy(
        update={"change": change, "baseline": baseline, **numbers}
    )
    least = of("low", AT_LEAST, "1", subject=OTHER, mtu_bytes=mtu_bytes)
    found = band(ratio, least)
    assert found is not None
    names = (FAST, OTHER)
    if mtu_bytes != 1500:
        names = (f"{FAST} at MTU 1500", f"{OTHER} at MTU 9000")
    assert found.low_from[0] == f"{names[0]} {text} {names[1]} at 10 connections"


# Leave one out


@pytest.mark.parametrize(
    ("printed", "others", "outcome"),
    [
        ((1, 2), (2.1, 3), Agreement.MISSED),
        ((1, 2), (0.1, 0.9), Agreement.MISSED),
        ((1, 2), (1, 2), Agreement.PREDICTED),
        ((1, 2), (1.1, 1.9), Agreement.PREDICTED),
        ((1, 2), (0.9, 1.9), Agreement.CONSISTENT),
        ((1, 2), (1.1, 2.1), Agreement.CONSISTENT),
        ((1, 2), (2, 3), Agreement.CONSISTENT),
        # rounding is no difference
        ((2 * (1 + ROUNDING_RATIO), 3), (1, 2), Agreement.CONSISTENT),
        ((1, 2 * (1 - ROUNDING_RATIO)), (2, 3), Agreement.CONSISTENT),
        ((1, 2), (0.5, 1), Agreement.CONSISTENT),
        ((1, 2), (0, 1.5), Agreement.NOT_COMPUTED),
        ((1, 2), (1.5, inf), Agreement.NOT_COMPUTED),
        ((0, 2), (0, 1.5), Agreement.PREDICTED),
        ((1, inf), (1.5, inf), Agreement.PREDICTED),
    ],
)
def test_what_others_leave_stands_to_what_is_printed(
    printed: tuple[float, float], others: tuple[float, float], outcome: Agreement
) -> None:
    assert _outcome(Bounds(*printed), Bounds(*others)) is outcome


def test_a_case_of_any_number_of_connections_is_said_so() -> None:
    cell = Cell("ends", (FAST, OTHER), 1500)
    assert _case_text((cell, inf)) == f"{FAST} to {OTHER}, MTU 1500, any number of connections"
    assert _case_text((cell, 1)) == f"{FAST} to {OTHER}, MTU 1500, 1 connections"
    of_one = Cell("in", (FAST,), 1500, frozenset({("layer", 2)}))
    assert of_one.text == f"{FAST} in, layer 2"


def test_over_many_connections_the_limit_with_the_lowest_rate_comes_first() -> None:
    """2 Gbit/s with up to 10 connections, nothing with more; 3 Gbit/s with up to 50."""
    few, many = of("zero", AT_MOST, "2", 10), of("any", AT_MOST, "3", 50)
    known = bounded(few, many, count=np.array([10.0, 50.0]))
    names = [limit.name for limit in known.limits if limit.name.startswith("statement")]
    assert names == ["statement zero", "statement any"]
    assert known.path_notes[0] == "statement zero (page 1): at most 2 Gbit/s"
    assert known.throughput_bps.value == pytest.approx([2e9, 3e9])
