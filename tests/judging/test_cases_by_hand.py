"""How cases are written, completed and said, and what tables and statements say of them."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from math import inf, isnan
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from made_statements import made_statement
from made_tables import table_of

from netmodel.errors import ContradictionError, DomainError, UnknownRecordError
from netmodel.judging import _compared_cases, _compared_facts
from netmodel.judging._compared_cases import (
    KEYS,
    RoundTripKm,
    Vocabulary,
    case_text,
    checked_case,
    completed,
    differing,
    distance_text,
    is_same,
    listed_differences,
    parse_case,
    short_name,
    word,
    words_of,
)
from netmodel.judging._compared_facts import Fact, Figure, Published, _of_files, published
from netmodel.records import Dataset, Grade, Relation, Statement
from netmodel.records._datasets import (
    ChangesAgreeCheck,
    Comparison,
    Lookup,
    MeasuredRows,
    PartsCheck,
)
from netmodel.records._subjects import Change, Configuration, QuantityKind

CARD, OTHER = "osa-express7s-25gbe", "roce-express2.1-25gbe"
WORDS = Vocabulary(
    {
        "adapter": frozenset({CARD, OTHER, "osa-express6s-10gbe"}),
        "path": frozenset({"zvm-vswitch", "zvm-direct"}),
        "workload": frozenset({"rr1c-200x1000", "rr1c-200x30k"}),
        "hypervisor_level": frozenset({"5.1.0", "5.2.0"}),
        "setting": frozenset(
            {"checksum=yes", "offload=enabled", "buffers increased", "buffers default"}
        ),
        "tool": frozenset({"uperf", "netperf", "tool with a name"}),
        "transport": frozenset({"tcp", "smc-r"}),
        "line_rate": frozenset({"1 Gbit/s", "10 Gbit/s"}),
        "item": frozenset({f"item {number}" for number in range(13)}),
        "load": frozenset({f"long sequence of requests {number}" for number in range(5)}),
    }
)


@pytest.fixture
def own_words() -> Iterator[None]:
    """Documents and a catalog that name no more than this."""
    with patch.object(_compared_cases, "vocabulary", lambda: WORDS):
        yield


# Grammar


@pytest.mark.usefixtures("own_words")
@pytest.mark.parametrize(
    ("text", "case"),
    [
        (CARD, {"adapter": CARD}),
        (
            f"{CARD}, mtu=9000,rps=off",
            {"adapter": CARD, "mtu_bytes": 9000, "receive_packet_steering": False},
        ),
        ("5.1", {"hypervisor_level": "5.1.0"}),
        ("10 km", {"distance_km": 10}),
        ("0.5km", {"distance_km": 0.5}),
        ("km=5", {"distance_km": 5}),
        ("layer=2", {"layer": 2}),
        ("smc-r", {"transport": "smcr"}),
        ("transport=SMC-R", {"transport": "smcr"}),
        ("checksum=yes", {"setting": "checksum=yes"}),
        ("checksum=on", {"setting": "checksum=yes"}),
        ("offload=on", {"setting": "offload=enabled"}),
        ("setting='buffers increased'", {"setting": "buffers increased"}),
        ("'buffers increased'", {"setting": "buffers increased"}),
        ("increased", {"setting": "buffers increased"}),
        ("line=1000Mbit/s", {"line_rate": "1 Gbit/s"}),
        ("line=3G", {"line_rate": "3G"}),
        ("loss=0.1%", {"loss_ratio": 0.001}),
        ("window=2KiB message=1KiB", {"window_bytes": 2048, "message_bytes": 1024}),
        ("connections=10 connections=10", {"connection_counts": 10}),
        ("mtu=1500 mtu_bytes=1500", {"mtu_bytes": 1500}),
        ("hypervisor-level=5.2.0", {"hypervisor_level": "5.2.0"}),
        ("tso=no large_send=no", {"large_send": False}),
        ("", {}),
    ],
)  # fmt: skip
def test_a_case_is_read_by_names_values_and_words(text: str, case: dict[str, object]) -> None:
    assert parse_case(text) == case


KNOWN_CARDS = f"osa-express6s-10gbe, {CARD}, {OTHER}"


NO_VALUE = "no adapter, path or other value is called"
NO_NAME = "no condition is called"
NAMES = f"known are {', '.join(map(short_name, KEYS))}"
ITEMS = ", ".join(sorted(f"item {number}" for number in range(13))[:12])
LOADS = ", ".join(f"'long sequence of requests {number}'" for number in range(4))


@pytest.mark.usefixtures("own_words")
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mtu=1500 mtu=9000", "case 'mtu=1500 mtu=9000': mtu is given twice"),
        ("'x", 'case "\'x": no closing quotation'),
        ("rps=maybe", "rps is on or off; got 'maybe'"),
        ("mtu=0", "mtu must be at least 1; got '0'"),
        ("connections=0", "connections must be at least 1; got '0'"),
        (
            "osa-express7s-25gb",
            f"{NO_VALUE} 'osa-express7s-25gb'; did you mean '{CARD}'?",
        ),
        (
            "buffers",
            f"{NO_VALUE} 'buffers'; did you mean 'buffers default', 'buffers increased'?",
        ),
        ("long", f"{NO_VALUE} 'long'; did you mean {LOADS}, ...?"),
        (
            "xyz",
            f"{NO_VALUE} 'xyz'; write name=value, with a name such as adapter, path, layer, mtu, "
            "connections, rps",
        ),
        ("adapters=x", f"{NO_NAME} 'adapters'; did you mean 'adapter'?; {NAMES}"),
        ("qqq=x", f"{NO_NAME} 'qqq'; {NAMES}"),
        ("increased=x", f"{NO_NAME} 'increased'; did you mean 'buffers increased'?"),
        (
            "adapter=osa-expres7s-25gbe",
            f"no adapter is called 'osa-expres7s-25gbe'; did you mean '{CARD}'?; "
            f"known are {KNOWN_CARDS}",
        ),
        (
            "adapter=express",  # the shortest first
            f"no adapter is called 'express'; did you mean osa-express6s-10gbe, {CARD}, {OTHER}?",
        ),
        ("adapter=zzz", f"no adapter is called 'zzz'; known are {KNOWN_CARDS}"),
        ("item=zzz", f"no item is called 'zzz'; known are {ITEMS}, ..."),
        ("level=7", "no level is called '7'; known are 5.1.0, 5.2.0"),
    ],
)
def test_what_is_not_known_is_named_with_what_may_be_meant(text: str, problem: str) -> None:
    with pytest.raises((ContradictionError, DomainError, UnknownRecordError)) as caught:
        parse_case(text)
    assert str(caught.value) == problem


def test_values_of_more_conditions_are_of_the_one_of_ids_first() -> None:
    words = Vocabulary({"tool": frozenset({"same"}), "adapter": frozenset({"same"})})
    assert words.keys_of("same") == ["adapter", "tool"]
    assert words.keys_of("other") == []


@pytest.mark.usefixtures("own_words")
def test_conditions_may_be_given_as_values() -> None:
    given = {"mtu": 1500, "rps": True, "large_send": False, "distance_km": 2.5, "adapter": CARD}
    assert checked_case(given) == {
        "mtu_bytes": 1500,
        "receive_packet_steering": True,
        "large_send": False,
        "distance_km": 2.5,
        "adapter": CARD,
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((True, "on"), (False, "off"), (2.5, "2.5"), (1500, "1500"), ("smcr", "smc-r")),
        *(("smcd", "smc-d"), ("tcp", "tcp"), (frozenset({"bb", "a", "c"}), "a")),
    ],
)
def test_a_value_is_written_as_it_is_read(value: Any, text: str) -> None:
    assert word(value) == text


def test_a_case_in_words_and_in_the_grammar() -> None:
    case = {
        "adapter": CARD,
        "mtu_bytes": 1500,
        "setting": "a b",
        "distance_km": 12.3456,
        "window_bytes": 65536.0,
        "workload": "/x/mine.toml",
        "layer": 2,
        "transport": "smcr",
        "distance_s": "it's",
    }
    assert case_text(case) == (
        f"adapter={CARD} mtu=1500 setting='a b' distance=12.3456 window=65536 "
        "workload=/x/mine.toml layer=2 protocol=smc-r distance_s='it's'"
    )
    del case["distance_s"]
    assert words_of(case) == (
        f"{CARD}, mtu 1500, a b, 12.35 km, window 64 KiB, mine, layer 2, smc-r"
    )
    trip = RoundTripKm(100.0, 1e-3)
    assert distance_text(trip) == "round trip 1 ms"
    assert distance_text(100.0) == "100 km"


def test_paths_are_the_same_where_they_share_a_name() -> None:
    one, other = frozenset({"a", "b"}), frozenset({"b", "c"})
    assert is_same("path", one, other)
    assert is_same("path", one, "a")
    assert not is_same("path", one, "c")
    assert not is_same("path", None, "c")
    assert not is_same("setting", one, other)
    assert differing({"path": one, "layer": 2}, {"path": other, "mtu_bytes": 1}) == {
        "layer",
        "mtu_bytes",
    }
    assert listed_differences({"layer": 2}, {"mtu_bytes": 1}, ["mtu_bytes", "layer"]) == (
        "layer 2 instead of not named, mtu not named instead of 1"
    )


# Both cases whole


@pytest.mark.parametrize(
    ("baseline", "variant", "common", "whole"),
    [
        (
            {"adapter": CARD, "mtu_bytes": 1500},
            {"adapter": OTHER},
            {"layer": 2},
            (
                {"layer": 2, "adapter": CARD, "mtu_bytes": 1500},
                {"layer": 2, "adapter": OTHER, "mtu_bytes": 1500},
            ),
        ),
        # words of a document stay with their side
        (
            {"setting": "a", "layer": 2},
            {"tool": "b"},
            {},
            ({"setting": "a", "layer": 2, "tool": "b"}, {"tool": "b", "layer": 2}),
        ),
        # the adapter of an end replaces that of both
        (
            {"adapter": CARD},
            {"sender_adapter": OTHER},
            {},
            ({"adapter": CARD}, {"sender_adapter": OTHER, "receiver_adapter": CARD}),
        ),
        (
            {"sender_adapter": CARD, "receiver_adapter": OTHER},
            {"adapter": OTHER},
            {},
            (
                {"sender_adapter": CARD, "receiver_adapter": OTHER},
                {"adapter": OTHER},
            ),
        ),
        # the same at both ends is one
        (
            {"sender_adapter": CARD, "receiver_adapter": CARD},
            {"adapter": OTHER},
            {},
            ({"adapter": CARD}, {"adapter": OTHER}),
        ),
        # where nothing would differ, the variant has only its own
        (
            {"layer": 2, "mtu_bytes": 1500},
            {"mtu_bytes": 1500},
            {},
            ({"layer": 2, "mtu_bytes": 1500}, {"mtu_bytes": 1500}),
        ),
    ],
)
def test_what_one_side_leaves_open_is_that_of_the_other(
    baseline: dict[str, Any], variant: dict[str, Any], common: dict[str, Any], whole: Any
) -> None:
    assert completed(baseline, variant, common) == whole


def test_cases_have_to_differ_and_not_to_contradict_the_question() -> None:
    with pytest.raises(DomainError, match="the variant does not differ from the baseline"):
        completed({"layer": 2}, {"layer": 2}, {})
    with pytest.raises(ContradictionError) as caught:
        completed({"layer": 2}, {"layer": 3}, {"layer": 4})
    assert str(caught.value) == (
        "layer is given with a case and for all cases: leave out one of them"
    )
    assert completed({"layer": 2}, {"layer": 3}, {"mtu_bytes": 1})[0]["mtu_bytes"] == 1


# Facts of statements and tables


def facts_of(*known: Statement, tables: tuple[Dataset, ...] = ()) -> Published:
    """What documents print, where they print no more than this."""
    by_id = {each.id: each for each in tables}
    with (
        patch.object(_compared_facts, "statements", lambda: known),
        patch.object(_compared_facts, "dataset", by_id.__getitem__),
    ):
        return _of_files.__wrapped__((), tuple(by_id))


def ratio(name: str, **fields: Any) -> Statement:
    made = made_statement(name, (CARD, 10), OTHER, relation=Relation.EQUAL, value=Decimal(20))
    return made.model_copy(update={"change": Change.MORE, "unit": "%", **fields})


def only(known: Published) -> Fact:
    (fact,) = known.facts
    return fact


def test_a_statement_on_a_change_is_a_fact_of_both_cases() -> None:
    """20 % more are 19.5 to 20.5."""
    fact = only(facts_of(ratio("more")))
    shared = {"mtu_bytes": 1500, "workload": "rr1c-200x30k", "connection_counts": 10}
    assert dict(fact.subject) == {"adapter": CARD, **shared}
    assert dict(fact.baseline) == {"adapter": OTHER, **shared}
    assert (fact.low, fact.high) == pytest.approx((1.195, 1.205))
    place = (fact.id, fact.quantity, fact.printed, fact.source, fact.locator, fact.grade)
    assert place == ("more", "throughput", "20 % higher", "made", "page 1", Grade.PUBLISHED)
    assert fact.statement is not None
    assert facts_of(made_statement("rate", (CARD, 10), value=Decimal(2))).facts == ()


SIGN = {"relation": Relation.SIGN, "value": None, "unit": None}


@pytest.mark.parametrize(
    ("fields", "ends"),
    [
        ({"change": Change.LESS}, (0.795, 0.805)),
        ({"change": Change.FACTOR, "unit": "x", "value": Decimal("1.5")}, (1.45, 1.55)),
        ({"change": Change.SAME, **SIGN}, (0.95, 1.05)),
        (SIGN, (1, inf)),
        ({"change": Change.LESS, **SIGN}, (0, 1)),
        (
            {"relation": Relation.RANGE, "value": None, "low": Decimal(-10), "high": Decimal(30)},
            (0.895, 1.305),
        ),
        ({"relation": Relation.AT_LEAST}, (1.2, inf)),
    ],
)
def test_each_kind_of_change_allows_a_range_of_ratios(
    fields: dict[str, Any], ends: tuple[float, float]
) -> None:
    fact = only(facts_of(ratio("change", **fields)))
    assert (fact.low, fact.high) == pytest.approx(ends)
    assert fact.has_ratio


def test_a_gain_of_no_quantity_is_no_ratio() -> None:
    fact = only(facts_of(ratio("gain", quantity=QuantityKind.GAIN)))
    assert isnan(fact.low)
    assert isnan(fact.high)
    assert not fact.has_ratio


@pytest.mark.parametrize(
    ("side", "workload", "found"),
    [
        ("sender", "rr1c-200x30k", "server"),  # it sends the larger responses
        ("receiver", "rr1c-200x30k", "client"),
        ("sender", "str-writex30k", "client"),
        ("client", "rr1c-200x30k", "client"),
    ],
)
def test_sender_and_receiver_are_sides_of_the_workload(
    side: str, workload: str, found: str
) -> None:
    known = ratio("cpu", quantity=QuantityKind.CPU_CONSUMPTION)
    subject = known.subject.model_copy(update={"side": side, "workload": workload})
    fact = only(facts_of(known.model_copy(update={"subject": subject})))
    assert (fact.subject["side"], fact.baseline["side"]) == (found, found)


def test_workloads_and_connections_of_a_statement_are_cases_of_their_own() -> None:
    """Of a baseline with one connection, that one."""
    known = ratio("many")
    subject = known.subject.model_copy(
        update={"workload": None, "workloads": ("a", "b"), "connection_counts": (1, 50)}
    )
    baseline = Configuration(adapter=OTHER)
    several = known.model_copy(update={"subject": subject, "baseline": baseline})
    facts = facts_of(several).facts
    keys = ("workload", "connection_counts")
    cases = [("a", 1), ("a", 50), ("b", 1), ("b", 50)]
    assert [tuple(each.subject[key] for key in keys) for each in facts] == cases
    assert [tuple(each.baseline[key] for key in keys) for each in facts] == cases
    from_one = several.model_copy(
        update={"baseline": Configuration(adapter=OTHER, connection_counts=(1,))}
    )
    assert [each.baseline["connection_counts"] for each in facts_of(from_one).facts] == [1] * 4


def test_a_path_has_all_names_that_documents_and_tables_link() -> None:
    known = ratio("first")
    subject = Configuration(path="the switch", workload="rr1c-200x30k", connection_counts=(10,))
    named = known.model_copy(
        update={"subject": subject, "baseline": Configuration(path="direct"), "paths": ("zvm-a",)}
    )
    alias = named.model_copy(
        update={"id": "second", "subject": subject.model_copy(update={"path": "vswitch"})}
    )
    bare = named.model_copy(
        update={
            "id": "third",
            "baseline": Configuration(mtu_bytes=9000),
            "subject": subject.model_copy(update={"path": None}),
        }
    )
    first, second, third = facts_of(named, alias, bare).facts
    switch = {"the switch", "vswitch", "zvm-a"}
    assert first.subject["path"] == second.subject["path"] == switch
    assert first.baseline["path"] == {"direct"}
    assert third.subject["path"] == third.baseline["path"] == {"zvm-a"}


UNITS = {
    "transaction_rate_tps": "transaction/s",
    "latency_s": "s",
    "change": "%",
    **dict.fromkeys(("cpu_s_per_transaction", "own_cpu_s_per_transaction"), "s/transaction"),
    "link_rate_gbps": "Gbit/s",
    "mtu_bytes": "byte",
    "connection_count": "count",
}


def made_dataset(*lines: dict[str, str], **more: Any) -> Dataset:
    tables = {"runs": table_of("runs", lines, units=UNITS)} if lines else {}
    usual: dict[str, Any] = {
        "id": "mine",
        "title": "made",
        "source": "own",
        "locator": "table 1",
        "grade": Grade.MEASURED,
        "tables": tables,
    }
    return Dataset(**usual | more)


def test_figures_of_a_table_have_the_conditions_of_their_row() -> None:
    row = {
        "path": "switch",
        "layer": "2",
        "link_rate_gbps": "10",
        "connection_count": "50",
        "mtu_bytes": "1492",
        "tool": "",
        "bed": "z",
        "transaction_rate_tps": "1200.5",
    }
    none = row | {"transaction_rate_tps": ""}
    link = MeasuredRows(path="zvm-a", file="runs", where={"path": "switch", "link_rate_gbps": 10})
    known = facts_of(tables=(made_dataset(none, row, paths=(link,)),))
    (figure,) = known.figures
    assert (figure.id, figure.quantity, figure.printed) == (
        "mine, runs, row 2",
        "transaction_rate",
        "1200.5",
    )
    assert figure.case == {
        "path": {"switch", "zvm-a"},
        "layer": 2,
        "line_rate": "10 Gbit/s",
        "connection_counts": 50,
        "mtu_bytes": 1492,
    }
    assert (figure.low, figure.high) == pytest.approx((1200.45, 1200.55))
    assert (figure.source, figure.grade) == ("own", Grade.MEASURED)


def test_a_table_without_a_path_or_an_adapter_has_no_figures_to_compare() -> None:
    row = {"transaction_rate_tps": "1200.5"}
    assert facts_of(tables=(made_dataset(row),)).figures == ()
    assert len(facts_of(tables=(made_dataset(row | {"adapter": CARD}),)).figures) == 1


def test_parts_of_a_total_and_the_side_of_cpu_time_are_conditions() -> None:
    cpu, own = "cpu_s_per_transaction", "own_cpu_s_per_transaction"
    row = {"adapter": CARD, cpu: "0.3", own: "0.1", "transaction_rate_tps": "9"}
    parts = PartsCheck(file="runs", total=cpu, parts=(own,))
    source = made_dataset(row, checks=(parts,), side="client")
    figures = facts_of(tables=(source,)).figures
    assert {each.quantity + each.printed: each.case for each in figures} == {
        "cpu_time_per_transaction0.3": {"adapter": CARD, "side": "client"},
        "cpu_time_per_transaction0.1": {"adapter": CARD, "side": "client", "part": "own"},
        "transaction_rate9": {"adapter": CARD},
    }


CHANGES = ChangesAgreeCheck(
    file="runs",
    change="change",
    keys=("quantity", "bed", Lookup(file="beds", key="bed", column="mtu_bytes")),
    comparisons=(Comparison(compared="layer", before="3", after="2", where={"kind": "layer"}),),
)


@pytest.mark.parametrize(
    ("change", "ends", "printed"),
    [
        ("10.0", (1.0995, 1.1005), "+10.0 %"),
        ("-30", (0.695, 0.705), "-30 %"),
        ("-97.0", (0.0295, 0.0305), "-97.0 %"),
        ("-100", (0, 0.005), "-100 %"),
    ],
)
def test_a_printed_change_of_a_table_is_a_fact(
    change: str, ends: tuple[float, float], printed: str
) -> None:
    """With what another file says of its bed; no ratio is below zero."""
    line = {"kind": "layer", "bed": "z", "quantity": "latency_s", "adapter": CARD}
    lines = [
        {**line, "change": change},
        {**line, "change": ""},
        {**line, "kind": "level", "change": "1"},
        {**line, "quantity": "unknown", "change": "1"},
    ]
    tables = {
        "runs": table_of("runs", lines, units=UNITS),
        "beds": table_of("beds", [{"bed": "z", "mtu_bytes": "1492"}], units=UNITS),
        "figures": table_of("figures", [{"latency_s": "1"}], units=UNITS),
    }
    fact = only(facts_of(tables=(made_dataset(checks=(CHANGES,), tables=tables),)))
    shared = {"adapter": CARD, "mtu_bytes": 1492}
    assert (dict(fact.subject), dict(fact.baseline)) == (
        {**shared, "layer": 2},
        {**shared, "layer": 3},
    )
    assert (fact.low, fact.high) == pytest.approx(ends)
    assert (fact.id, fact.quantity, fact.printed) == (
        "mine, runs, row 1",
        "transaction_time",
        printed,
    )


def test_every_case_that_is_named_is_a_case() -> None:
    place = ("1", "made", "page 1", Grade.MEASURED)
    figure = Figure("a", "throughput", {"layer": 4}, 1, 1, *place)
    fact = Fact("b", "throughput", {"layer": 2}, {"layer": 3}, 1, 1, *place)
    assert list(Published((fact,), (figure,)).cases()) == [
        {"layer": 2},
        {"layer": 3},
        {"layer": 4},
    ]


def test_the_bundled_facts_are_of_one_version_of_each_statement() -> None:
    """Facts are equal by what they say, not by the statement that says it."""
    fact = next(each for each in published().facts if each.statement is not None)
    assert fact.statement is not None
    other = fact.statement.model_copy(update={"wording": "other words"})
    assert replace(fact, statement=other) == fact


def test_a_workload_of_a_users_own_file_is_a_value(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text("", encoding="utf-8")
    with patch.object(_compared_cases, "vocabulary", lambda: WORDS):
        assert parse_case(f"workload={mine}") == {"workload": str(mine)}
