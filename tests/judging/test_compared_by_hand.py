"""Rows, notes and the answer of a comparison, of facts and models that a test makes."""

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from math import inf, nan
from typing import Any
from unittest.mock import patch

import pytest

from netmodel.errors import UnknownRecordError
from netmodel.judging import _compared
from netmodel.judging._compared import Compared, ComparedRow, compared, require_known_subject
from netmodel.judging._compared_facts import Fact, Figure, Published
from netmodel.judging._compared_models import Modelled
from netmodel.judging._compared_nearest import Nearest
from netmodel.records import Grade

RATE, TIME, CPU = "throughput", "transaction_time", "cpu_consumption"
OLD, NEW = {"layer": 3}, {"layer": 2}
SMALL = "rr1c-200x1000"


def fact(
    name: str, quantity: str = RATE, low: float = 1.1, high: float = 1.3, **fields: Any
) -> Fact:
    usual: dict[str, Any] = {
        "subject": NEW,
        "baseline": OLD,
        "printed": f"printed {name}",
        "source": "made",
        "locator": "page 1",
        "grade": Grade.PUBLISHED,
    }
    return Fact(id=name, quantity=quantity, low=low, high=high, **(usual | fields))


def word(name: str, quantity: str = RATE, **fields: Any) -> Fact:
    """Better, in no figure."""
    return fact(name, quantity, nan, nan, **fields)


@contextmanager
def known(
    *facts: Fact,
    figures: tuple[Figure, ...] = (),
    model: Modelled | dict[str, Modelled] | None = None,
    bounds: tuple[float, float] | None = None,
    records: dict[str, list[str]] | None = None,
) -> Iterator[None]:
    """What documents print, and what models say of each quantity; nothing else."""

    def modelled(base: object, variant: object, quantity: str, *_: object) -> Modelled | None:
        return model.get(quantity) if isinstance(model, dict) else model

    def bounded(base: object, variant: object, quantity: str) -> tuple[float, float] | None:
        return bounds if quantity == RATE else None

    with ExitStack() as stack:
        for name, value in {
            "published": lambda: Published(facts, figures),
            "modelled": modelled,
            "bounded": bounded,
            "records_of": lambda: records or {},
            "what_identifies": lambda *_: iter(()),
        }.items():
            stack.enter_context(patch.object(_compared, name, value))
        yield


# What documents, bounds and models allow together


@pytest.mark.parametrize(
    ("bounds", "together", "is_contradicted"),
    [
        (None, (1.2, 1.3), False),
        ((1.25, 2.0), (1.25, 1.3), False),
        ((0.5, 1.22), (1.2, 1.22), False),
        ((1.3, 2.0), (1.3, 1.3), False),
        ((1.31, 2.0), (1.1, 1.5), True),
        ((0.0, 1.19), (1.1, 1.5), True),
    ],
)
def test_all_that_is_printed_and_bounded_holds_together_or_is_a_contradiction(
    bounds: tuple[float, float] | None, together: tuple[float, float], is_contradicted: bool
) -> None:
    """1.1 to 1.3 and 1.2 to 1.5 leave 1.2 to 1.3; what contradicts leaves all that is printed."""
    model = Modelled(1.27, 1.0, inf, "a model")
    with known(fact("a"), fact("b", low=1.2, high=1.5), model=model, bounds=bounds):
        result = compared(OLD, NEW)
    (row,) = result.rows
    printed = [
        {
            "id": name,
            "text": f"printed {name}",
            "low": low,
            "high": high,
            "document": "made",
            "locator": "page 1",
            "grade": "published",
        }
        for name, low, high in (("a", 1.1, 1.3), ("b", 1.2, 1.5))
    ]
    assert row.to_dict() == {
        "quantity": RATE,
        "conditions": {},
        "printed": printed,
        "printed_ratio": {"low": 1.2, "high": 1.3},
        "model": {
            "value": 1.27,
            "low": 1.0,
            "high": None,
            "basis": "a model",
            "is_ratio_of_bounds": False,
        },
        "computed": [],
        "together": {"low": together[0], "high": together[1]},
        "because": [],
        "contradicted": is_contradicted,
    }
    note = "contradiction: documents and bounds leave no ratio of throughput"
    assert (note in result.notes) is is_contradicted
    assert row.known_range == together
    assert row.printed_text == "printed a; printed b"
    assert row.grade is Grade.PUBLISHED


def test_open_ends_are_none_in_json() -> None:
    with known(fact("a", low=1.2, high=inf)):
        (row,) = compared(OLD, NEW).rows
    shown = row.to_dict()
    assert shown["printed_ratio"] == shown["together"] == {"low": 1.2, "high": None}
    assert (shown["printed"][0]["low"], shown["printed"][0]["high"]) == (1.2, None)
    assert not row.has_figure
    assert row.model is None
    with known(word("better")):
        (row,) = compared(OLD, NEW).rows
    assert row.to_dict()["together"] is None
    assert row.to_dict()["printed_ratio"] is None
    assert row.known_range is None


def test_figures_that_name_more_of_the_case_go_before_general_ones() -> None:
    """And both before words; all are shown, the most specific first."""
    mtu = {"mtu_bytes": 1500}
    case = {"workload": SMALL, **mtu}
    facts = (
        word("better"),
        fact("general", low=2.0, high=2.1),
        fact("exact", subject={**NEW, **case}, baseline={**OLD, **case}),
        fact("named", low=1.4, high=1.6, subject={**NEW, **mtu}, baseline={**OLD, **mtu}),
    )
    with known(*facts):
        (row,) = [each for each in compared({**OLD, **case}, {**NEW, **case}).rows if each.printed]
    assert [each.id for each in row.printed] == ["exact", "named", "general", "better"]
    assert (row.printed_low, row.printed_high) == (1.1, 1.3)
    assert not row.is_general


def test_what_names_no_workload_is_general_where_one_is_asked() -> None:
    case = {"workload": SMALL, "connection_counts": 10}
    with known(fact("a")):
        asked = compared({**OLD, **case}, {**NEW, **case}).rows
        plain = compared(OLD, NEW).rows
    assert [each.is_general for each in asked if each.printed] == [True]
    assert [each.is_general for each in plain] == [False]


def row_of(quantity: str = RATE, low: float = 1.1, high: float = 1.3, **fields: Any) -> ComparedRow:
    """A row with one printed figure, or with none where it has a model."""
    conditions = fields.pop("conditions", {})
    printed = fields.pop("printed", (fact("a", quantity, low, high),))
    model = fields.pop("model", None)
    ends = (low, high) if printed else (nan, nan)
    return ComparedRow(quantity, conditions, printed, *ends, model, low, high, **fields)


def result_of(*rows: ComparedRow, notes: tuple[str, ...] = ()) -> Compared:
    return Compared(OLD, NEW, rows, (), (), notes)


def test_general_statements_and_parts_are_beside_the_rows_on_the_very_case() -> None:
    exact = row_of(conditions={"connection_counts": 10})
    general = row_of(conditions={"connection_counts": 10}, is_general=True)
    other_count = row_of(conditions={"connection_counts": 50}, is_general=True)
    other_quantity = row_of(TIME, conditions={"connection_counts": 10}, is_general=True)
    part = row_of(CPU, conditions={"part": "hypervisor"})
    result = result_of(exact, general, other_count, other_quantity, part)
    assert result.main_rows == (exact, other_count, other_quantity)


def test_a_row_is_found_by_its_quantity_and_conditions() -> None:
    rows = [row_of(CPU, conditions={"side": side}) for side in ("client", "server")]
    result = result_of(row_of(), *rows)
    assert result.row(RATE) is result.rows[0]
    assert result.row(CPU, side="server") is rows[1]
    names = "there are: cpu_consumption side=client, cpu_consumption side=server, throughput"
    with pytest.raises(UnknownRecordError) as caught:
        result.row(CPU)
    assert str(caught.value) == f"several rows of cpu_consumption; {names}"
    with pytest.raises(UnknownRecordError) as caught:
        result.row(CPU, side="switch")
    assert str(caught.value) == f"no row of cpu_consumption side=switch; {names}"


# Rows of several numbers of connections


def counts_of(rows: tuple[ComparedRow, ...], quantity: str) -> list[object]:
    return [row.conditions.get("connection_counts") for row in rows if row.quantity == quantity]


def test_rows_that_say_the_same_of_all_connections_are_one() -> None:
    """Of 1, 10, 50 and 250 connections; where one is printed, the others are rows of their own."""
    case = {"workload": SMALL, "mtu_bytes": 1500}
    model = {RATE: Modelled(1.5, 1.5, 1.5, "a law")}
    with known(model=model):
        alike = compared({**OLD, **case}, {**NEW, **case}).rows
    assert counts_of(alike, RATE) == [None]
    at_10 = {**case, "connection_counts": 10}
    of_10 = fact("at 10", subject={**NEW, **at_10}, baseline={**OLD, **at_10})
    with known(of_10, model=model):
        others = compared({**OLD, **case}, {**NEW, **case}).rows
    assert counts_of(others, RATE) == [None, 10]
    assert [bool(row.printed) for row in others if row.quantity == RATE] == [False, True]
    (time,) = [row for row in others if row.quantity == TIME]
    # of as many connections, X = N / R
    assert (time.low, time.high) == pytest.approx((1 / 1.3, 1 / 1.1))
    assert time.because == ("at 10",)
    assert time.conditions == {"connection_counts": 10}


def test_a_workload_with_one_number_of_connections_keeps_it() -> None:
    case = {"workload": "smc-rr-1k"}
    with known(model={RATE: Modelled(1.5, 1.5, 1.5, "a law")}):
        rows = compared({**OLD, **case}, {**NEW, **case}).rows
    assert counts_of(rows, RATE) == [10]


def test_rows_come_by_connections_and_then_by_quantity() -> None:
    def at(quantity: str, count: int | None) -> Fact:
        case = {} if count is None else {"connection_counts": count}
        cases = {"subject": {**NEW, **case}, "baseline": {**OLD, **case}}
        return fact(f"{quantity} {count}", quantity, **cases)

    quantities = ("latency", "zeal", CPU, "cpu_time", TIME, RATE, "transaction_rate")
    facts = [at(quantity, count) for count in (50, None, 10) for quantity in quantities]
    with known(*facts):
        rows = compared(OLD, NEW).rows
    order = [RATE, "transaction_rate", TIME, "latency", CPU, "cpu_time", "zeal"]
    expected = [(count, quantity) for count in (None, 10, 50) for quantity in order]
    found = [(row.conditions.get("connection_counts"), row.quantity) for row in rows]
    assert found == expected


# Notes


def test_a_model_that_rests_on_what_is_printed_is_no_check_of_it() -> None:
    for records, is_noted in (({"a": ["rec", "other"]}, True), ({"b": ["rec"]}, False)):
        model = Modelled(1.2, 1.1, 1.3, "a model", records=("rec", "third"))
        with known(fact("a"), model=model, records=records):
            notes = compared(OLD, NEW).notes
        words = "the model is no check here: rec is calibrated from printed figures"
        assert notes == ((words,) if is_noted else ())


def test_a_ratio_of_bounds_is_no_interval() -> None:
    note = "bounds: the ratio of two upper bounds is no interval of the ratio of throughputs"
    for is_bound_ratio in (True, False):
        model = Modelled(1.2, 1.2, 1.2, "upper bounds (wire)", is_bound_ratio=is_bound_ratio)
        with known(fact("a"), model=model):
            assert compared(OLD, NEW).notes == ((note,) if is_bound_ratio else ())


def test_words_alone_are_said_to_be_of_no_quantity() -> None:
    note = "documents say that it is better or worse, and not in which quantity"
    with known(word("a"), word("b", TIME)):
        assert compared(OLD, NEW).notes == (note,)
    with known(word("a"), fact("b", TIME)):
        assert compared(OLD, NEW).notes == ()


def test_what_documents_vary_is_named_where_nothing_compares_the_cases() -> None:
    """The three first of what they vary for the adapter."""
    card = {"adapter": "osa-express7s-25gbe"}
    facts = [
        fact(key, subject={**card, key: 1}, baseline={**card, key: 2})
        for key in ("mtu_bytes", "layer", "trunk_count", "processor_count")
    ]
    with known(*facts):
        result = compared({**card, "setting": "a"}, {**card, "setting": "b"})
    assert result.variable == ("mtu", "layer", "trunks", "processor_count")
    assert result.notes == (
        "not measured: no document compares these two cases; for this subject they vary mtu, layer "
        "and trunks",
    )


def test_a_smaller_gain_needs_times_of_both_cases() -> None:
    with known(fact("a")):
        assert compared(OLD, NEW, min_gain_ratio=0.1).notes == (
            "no distance of a smaller gain: no model has times of both cases",
        )


@pytest.mark.parametrize(
    ("more", "is_asked"),
    [({"distance_km": 10.0}, True), ({}, False), ({"distance_km": 10.0, "workload": SMALL}, False)],
)
def test_transports_over_a_distance_need_a_workload(more: dict[str, Any], is_asked: bool) -> None:
    with known():
        notes = compared({"transport": "tcp", **more}, {"transport": "smcd", **more}).notes
    words = "give workload=...: times at a distance are computed by its messages"
    assert (words in notes) is is_asked


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ({"workload": SMALL}, "; to compare what models compute, also give mtu_bytes=... and an "),
        (
            {"workload": SMALL, "mtu_bytes": 1500},
            "; to compare what models compute, also give an adapter or path",
        ),
        ({"mtu_bytes": 1500}, "; to compare what models compute, also give workload=... and an "),
        ({"setting": "x"}, ""),
    ],
)
def test_a_subject_of_which_nothing_is_known_names_what_is_missing(
    conditions: dict[str, Any], words: str
) -> None:
    variant = {**conditions, "layer": 2}
    empty = Compared({**conditions, "layer": 3}, variant, (), (), (), ())
    with pytest.raises(UnknownRecordError) as caught:
        require_known_subject(empty)
    start, _, rest = str(caught.value).partition(";")
    assert start.startswith("no document or model compares ")
    assert f";{rest}".startswith(words) if words else not rest
    varied = Compared({**conditions, "layer": 3}, variant, (), (), ("mtu", "rps"), ())
    with pytest.raises(UnknownRecordError, match="; documents vary for it: mtu, rps"):
        require_known_subject(varied)


def test_a_subject_with_a_row_or_a_near_case_is_known() -> None:
    require_known_subject(result_of(row_of()))
    near = (Nearest(fact("a"), "mtu 1500 instead of 9000"),)
    require_known_subject(Compared(OLD, NEW, (), near, (), ()))
    assert near[0].to_dict() == {
        "id": "a",
        "quantity": RATE,
        "text": "printed a",
        "low": 1.1,
        "high": 1.3,
        "document": "made",
        "locator": "page 1",
        "differs": "mtu 1500 instead of 9000",
    }
    assert Nearest(fact("a", high=inf), "").to_dict()["high"] is None


# Near cases, and chains


def test_the_nearest_cases_differ_in_least_and_say_in_what() -> None:
    """First by the number of conditions, then figures before words, then by connections."""
    card = {"adapter": "osa-express7s-25gbe"}
    asked = {**card, "mtu_bytes": 1500, "connection_counts": 10}

    def at(name: str, is_word: bool = False, **own: Any) -> Fact:
        cases = {"subject": {**NEW, **asked, **own}, "baseline": {**OLD, **asked, **own}}
        return word(name, **cases) if is_word else fact(name, **cases)

    facts = (
        at("two", mtu_bytes=9000, connection_counts=50),
        at("words", is_word=True, connection_counts=10, mtu_bytes=9000),
        at("one", connection_counts=1),
        at("fifty", connection_counts=50),
    )
    with known(*facts):
        result = compared({**OLD, **asked}, {**NEW, **asked})
    found = [(each.fact.id, each.differs) for each in result.nearest]
    assert found == [
        ("fifty", "connections 50 instead of 10"),
        ("one", "connections 1 instead of 10"),
        ("words", "mtu 9000 instead of 1500"),
    ]


def test_what_varies_a_part_of_the_question_says_what_it_leaves_out() -> None:
    """Of another adapter and another MTU; those that name fewer other values come first."""
    cards = [{"adapter": name} for name in ("osa-express6s-10gbe", "osa-express7s-25gbe")]
    mtus = [{"mtu_bytes": size} for size in (1500, 9000)]
    work, other = {"workload": SMALL}, {"workload": "rr1c-200x30k"}
    old, new = (each["adapter"] for each in cards)

    def of(name: str, subject: dict[str, Any], baseline: dict[str, Any]) -> Fact:
        return fact(name, subject=subject, baseline=baseline)

    facts = (
        of("large", {**cards[1], **other}, {**cards[0], **other}),
        of("mtu", {**cards[0], **mtus[1], **work}, {**cards[0], **mtus[0], **work}),
        of("named", {**cards[1], **mtus[0], **work}, {**cards[0], **mtus[0], **work}),
        of("open", {**cards[1], **work}, {**cards[0], **work}),
        of("setting", {**cards[1], "setting": "a"}, {**cards[1], "setting": "b"}),
        of("other", {"adapter": "ethernet-10gbe", **work}, {**cards[0], **work}),
    )
    with known(*facts):
        result = compared({**cards[0], **mtus[0], **work}, {**cards[1], **mtus[1], **work})
    assert [(each.fact.id, each.differs) for each in result.nearest] == [
        ("open", "does not vary mtu"),
        ("mtu", f"does not vary adapter; adapter {old} instead of {new}"),
        ("named", "does not vary mtu; mtu 1500 instead of 9000"),
    ]
    # the other way round, the same comparisons reversed
    with known(facts[3]):
        (back,) = compared({**cards[1], **mtus[1], **work}, {**cards[0], **mtus[0], **work}).nearest
    assert (back.fact.subject, back.fact.baseline) == (facts[3].baseline, facts[3].subject)


CARDS = ("ethernet-10gbe", "ethernet-25gbe", "ethernet-40gbe")


def chain(quantity: str, workload: str = SMALL, **counts: Any) -> tuple[Fact, ...]:
    """The second has half of the first, and the third half of the second."""
    shared = {"workload": workload, "mtu_bytes": 1500}
    cases = [{"adapter": card, **shared, **counts.get("own", {})} for card in CARDS]
    bases = [{**each, **counts.get("base", {})} for each in cases]
    return tuple(
        fact(f"to-{place}", quantity, 0.5, 0.5, subject=cases[place], baseline=bases[place - 1])
        for place in (1, 2)
    )


@pytest.mark.parametrize(
    ("facts", "rate", "time"),
    [
        (chain(RATE, own={"connection_counts": 10}), 0.25, 4),
        (chain(TIME, own={"connection_counts": 10}), 4, 0.25),
        (chain("latency", own={"connection_counts": 10}), 4, 0.25),
        (chain("transaction_rate", own={"connection_counts": 10}), 0.25, 4),
        (chain(CPU, own={"connection_counts": 10}), None, None),
        # of no number of connections it is of none of those that are asked
        (chain(TIME), None, None),
    ],
    ids=[RATE, TIME, "latency", "rate of transactions", CPU, "of any number"],
)
def test_ratios_are_chained_within_their_kind(
    facts: tuple[Fact, ...], rate: float | None, time: float | None
) -> None:
    """X = N / R where as many connections wait for their responses."""
    counts = {"connection_counts": 10} if "connection_counts" in facts[0].subject else {}
    asked = [{"adapter": card, "workload": SMALL, "mtu_bytes": 1500, **counts} for card in CARDS]
    with known(*facts):
        rows = compared(asked[0], asked[2]).rows
    found = {row.quantity: (row.low, row.high, row.because) for row in rows if row.low > 0}
    expected = {RATE: rate, TIME: time}
    because = ("to-1", "to-2")
    for quantity, value in expected.items():
        if value is None:
            assert quantity not in found
        else:
            low, high, names = found[quantity]
            assert (low, high) == pytest.approx((value, value))
            assert set(names) == set(because)


def test_ratios_with_one_end_are_chained_at_that_end() -> None:
    """Twice as much or more, and again: four times or more."""
    at_10 = {"connection_counts": 10}
    facts = [replace(each, low=2, high=inf) for each in chain(RATE, own=at_10)]
    asked = [{"adapter": card, "workload": SMALL, "mtu_bytes": 1500, **at_10} for card in CARDS]
    with known(*facts):
        there = {row.quantity: row for row in compared(asked[0], asked[2]).rows}
        back = {row.quantity: row for row in compared(asked[2], asked[0]).rows}
    assert (there[RATE].low, there[RATE].high) == pytest.approx((4, inf))
    assert (back[RATE].low, back[RATE].high) == pytest.approx((0, 0.25))
    assert (there[TIME].low, there[TIME].high) == pytest.approx((0, 0.25))


def test_a_stream_has_no_time_from_its_rate() -> None:
    facts = chain(TIME, "str-writex30k", own={"connection_counts": 10})
    asked = [
        {"adapter": card, "workload": "str-writex30k", "mtu_bytes": 1500, "connection_counts": 10}
        for card in CARDS
    ]
    with known(*facts):
        rows = compared(asked[0], asked[2]).rows
    assert [row.quantity for row in rows if row.low > 0] == [TIME]


def test_a_gain_over_another_distance_bounds_rate_and_time() -> None:
    """2 to 3 times at 20 km is 1 to 6 times at 40 km, and 1 / 6 to 1 of the time."""
    stream = {"workload": "smc-str-20m", "connection_counts": 1}
    near, far = (
        [{"transport": name, "distance_km": km, **stream} for name in ("tcp", "smcr")]
        for km in (20.0, 40.0)
    )
    with known(fact("near", low=2, high=3, baseline=near[0], subject=near[1])):
        rows = {row.quantity: row for row in compared(*far).rows}
    assert (rows[RATE].low, rows[RATE].high) == pytest.approx((1, 6))
    assert (rows[TIME].low, rows[TIME].high) == pytest.approx((1 / 6, 1))
    assert rows[RATE].because == rows[TIME].because == ("near",)


# The answer


def answer(*rows: ComparedRow) -> str:
    said = result_of(*rows).answer
    assert said.startswith("layer 2 against layer 3: ")
    return said.removeprefix("layer 2 against layer 3: ")


def said(quantity: str, text: str, low: float, high: float, **conditions: Any) -> ComparedRow:
    printed = (fact("a", quantity, low, high, printed=text),)
    return row_of(quantity, low, high, conditions=conditions, printed=printed)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ((said(RATE, "+10 %", 1.1, 1.1),), "throughput +10 %."),
        (
            (
                said(RATE, "+10 %", 1.1, 1.1, connection_counts=1),
                said(RATE, "+30 %", 1.3, 1.3, connection_counts=50),
                said(RATE, "+20 %", 1.2, 1.2, connection_counts=10),
            ),
            "throughput +10 % at 1 connection to +30 % at 50 connections.",
        ),
        # the same at all: it is said once, and of no number of connections
        (
            (
                said(RATE, "+10 %", 1.1, 1.1, connection_counts=1),
                said(RATE, "+10 %", 1.1, 1.1, connection_counts=50),
            ),
            "throughput +10 %.",
        ),
        # both sides as one
        (
            (
                said(CPU, "-5 %", 0.95, 0.95, side="client"),
                said(CPU, "-5 %", 0.95, 0.95, side="server"),
            ),
            "CPU per data (client and server) -5 %.",
        ),
        (
            (
                said(CPU, "-5 %", 0.95, 0.95, side="client"),
                said(CPU, "-6 %", 0.94, 0.94, side="server"),
            ),
            "CPU per data (client) -5 %, CPU per data (server) -6 %.",
        ),
        # what is computed of two figures, or of the other way round, is said as a ratio
        (
            (said(RATE, "110 against 100", 1.09, 1.11),),
            "throughput 1.09 to 1.11 times (110 against 100).",
        ),
        (
            (said(RATE, "reversed: -10 %", 1.1, 1.12),),
            "throughput 1.1 to 1.12 times (reversed: -10 %).",
        ),
        # figures before words
        (
            (said(TIME, "shorter", 0, 1), said(RATE, "+10 %", 1.1, 1.1)),
            "throughput +10 %, transaction time shorter.",
        ),
        (
            (
                said(RATE, "higher", 1, inf, mtu_bytes=1500),
                said(RATE, "lower", 0, 1, mtu_bytes=9000),
            ),
            "throughput higher (mtu 1500), lower (mtu 9000).",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)  # fmt: skip
def test_the_answer_says_the_ends_of_what_is_printed(
    rows: tuple[ComparedRow, ...], text: str
) -> None:
    assert answer(*rows) == text


@pytest.mark.parametrize(
    ("high", "is_contradicted", "text"),
    [
        (20.0, False, "throughput 2 to 20 times by other figures."),
        (20.1, False, "throughput higher."),
        (20.0, True, "throughput higher."),
    ],
)
def test_a_word_gives_way_to_what_other_figures_leave_up_to_ten_times(
    high: float, is_contradicted: bool, text: str
) -> None:
    higher = fact("a", low=1, high=inf, printed="higher")
    row = ComparedRow(
        *(RATE, {}, (higher,), 1, inf, None, 2.0, high), is_contradicted=is_contradicted
    )
    assert answer(row) == text


def test_the_ends_are_those_of_the_middles_of_ranges() -> None:
    """Of 1 to 2, 1.1 to 1.2 and 1.05 to 1.5 the middles are 1.41, 1.15 and 1.25."""
    rows = [
        said(RATE, text, low, high, connection_counts=count)
        for text, low, high, count in (
            ("a", 1.0, 2.0, 1),
            ("b", 1.1, 1.2, 10),
            ("c", 1.05, 1.5, 50),
        )
    ]
    assert answer(*rows) == "throughput b at 10 connections to a at 1 connection."


def test_a_computed_ratio_and_a_range_are_ordered_by_their_middles() -> None:
    """1.5 is below the middle of 1.4 to 2, which is 1.67."""
    higher = (fact("a", low=1, high=inf, printed="higher"),)
    model = Modelled(1.5, 1.5, 1.5, "a model")
    rows = [
        ComparedRow(RATE, {"connection_counts": 1}, higher, 1, inf, model, 1, inf),
        ComparedRow(RATE, {"connection_counts": 10}, higher, 1, inf, None, 1.4, 2.0),
    ]
    assert answer(*rows) == (
        "throughput computed 1.5 times at 1 connection to 1.4 to 2 times by other figures at 10 "
        "connections."
    )


def test_of_words_the_narrowest_range_is_said_and_what_all_rows_share_is_not() -> None:
    """1 to 2 is a factor of 2, and 4 to 6 one of 1.5."""
    higher = (fact("a", low=1, high=inf, printed="higher"),)
    rows = [
        ComparedRow(
            *(RATE, {"connection_counts": count, "mtu_bytes": 1500, "layer": layer}, higher),
            *(1, inf, None, low, high),
        )
        for count, layer, low, high in ((1, 2, 1.0, 2.0), (10, 3, 4.0, 6.0))
    ]
    assert answer(*rows) == (
        "throughput 4 to 6 times by other figures at 10 connections (layer 3)."
    )


def test_a_word_gives_way_to_a_model_of_the_ratio_but_not_of_bounds() -> None:
    higher = (fact("a", low=1, high=inf, printed="higher"),)
    for is_bound_ratio, text in ((False, "computed 1.5 times (1.2 to 2)"), (True, "higher")):
        model = Modelled(1.5, 1.2, 2, "upper bounds (wire)", is_bound_ratio=is_bound_ratio)
        row = ComparedRow(RATE, {}, higher, 1, inf, model, 1, inf)
        assert answer(row) == f"throughput {text}."


def test_without_anything_printed_bounds_go_before_models() -> None:
    at_10 = {"connection_counts": 10}
    model = Modelled(1.5, 1.2, 2, "a model")
    bounded = ComparedRow(RATE, at_10, (), nan, nan, model, 0.5, inf)
    assert answer(bounded) == (
        "not measured; documents and bounds allow throughput >= 0.5 times at 10 connections."
    )
    alone = ComparedRow(RATE, at_10, (), nan, nan, model, nan, nan)
    other = ComparedRow(TIME, at_10, (), nan, nan, model.inverse(), nan, nan)
    bounds = Modelled(3, 3, 3, "upper bounds (wire)", is_bound_ratio=True)
    of_bounds = ComparedRow(CPU, at_10, (), nan, nan, bounds, nan, nan)
    assert answer(alone, other, of_bounds) == (
        "not measured; throughput computed 1.5 times (1.2 to 2) at 10 connections, transaction "
        "time computed 0.667 times (0.5 to 0.833) at 10 connections."
    )
    assert answer(of_bounds) == (
        "not measured; CPU per data 3 times by upper bounds alone at 10 connections."
    )
    assert answer() == "no document compares them, and no model covers both."


def test_the_first_number_of_connections_of_a_quantity_is_said_of_what_models_compute() -> None:
    models = [Modelled(value, value, value, "a model") for value in (1.5, 1.7)]
    rows = [
        ComparedRow(RATE, {"connection_counts": count}, (), nan, nan, model, nan, nan)
        for count, model in zip((1, 50), models, strict=True)
    ]
    assert answer(*rows) == "not measured; throughput computed 1.5 times at 1 connection."


def test_three_quantities_are_said_and_what_both_cases_share() -> None:
    rows = [said(each, "+10 %", 1.1, 1.1) for each in (RATE, TIME, CPU, "cpu_time")]
    shared = {"mtu_bytes": 1500}
    result = Compared({**OLD, **shared}, {**NEW, **shared}, tuple(rows), (), (), ())
    assert result.answer == (
        "layer 2 against layer 3 (mtu 1500): throughput +10 %, transaction time +10 %, CPU per "
        "data +10 %."
    )


# Measured figures


def figure(name: str, value: float, **case: Any) -> Figure:
    place = (f"{value:g}", "made", f"page {name}", Grade.MEASURED)
    return Figure(name, RATE, case, value - 0.5, value + 0.5, *place)


def test_of_figures_those_that_differ_in_least_are_compared() -> None:
    """120 of layer 2 and 100 of layer 3 over one path; another path has 150."""
    paths = [frozenset({name}) for name in ("one", "other")]
    figures = (
        figure("a", 100, layer=3, path=paths[0]),
        figure("b", 120, layer=2, path=paths[0]),
        figure("c", 150, layer=2, path=paths[1]),
    )
    with known(figures=figures):
        (row,) = compared(OLD, NEW).rows
    (found,) = row.printed
    assert (found.id, found.printed, found.locator) == (
        "b and a",
        "120 against 100",
        "page b; page a",
    )
    assert (row.low, row.high) == pytest.approx((119.5 / 100.5, 120.5 / 99.5))
    with known(figures=(figures[0], figures[2])):
        (row,) = compared(OLD, NEW).rows
    assert [each.printed for each in row.printed] == ["150 against 100"]
    others = (figures[0], figure("d", 130, layer=2, path=paths[0], mtu_bytes=9000))
    with known(figures=others):
        assert compared(OLD, NEW).rows == ()


def test_a_figure_of_nothing_leaves_the_ratio_open() -> None:
    none = Figure("z", RATE, OLD, 0.0, 0.0, "0", "made", "page 1", Grade.MEASURED)
    near = Figure("n", RATE, OLD, 0.0, 0.5, "0", "made", "page 1", Grade.MEASURED)
    some = Figure("s", RATE, NEW, 9.5, 10.5, "10", "made", "page 1", Grade.MEASURED)
    assert (some.over(none).low, some.over(none).high) == (inf, inf)
    assert (some.over(near).low, some.over(near).high) == (19, inf)
    assert some.over(near).locator == "page 1"


def test_to_reverse_a_fact_exchanges_its_words_too() -> None:
    pairs = {"higher": "lower", "shorter": "longer", "better": "worse", "unchanged": "unchanged"}
    for there, back in pairs.items():
        assert fact("a", printed=there).reversed().printed == back
        assert fact("a", printed=back).reversed().printed == there
    back = fact("a", low=0, high=4, printed="+10 %").reversed()
    assert (back.low, back.high, back.printed) == (0.25, inf, "reversed: +10 %")
    assert fact("a", low=0, high=0).reversed().low == inf
    assert math.isnan(word("a").reversed().low)
