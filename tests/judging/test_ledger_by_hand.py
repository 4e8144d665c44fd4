"""What documents print again, and what cannot be true together, of made statements."""

import re
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any
from unittest.mock import patch

import pytest
from made_statements import made_statement, statement_with

from netmodel.judging import _audit_contradictions, _audit_statements
from netmodel.judging._audit_contradictions import contradiction_findings, published_ratios
from netmodel.judging._audit_findings import Audit
from netmodel.judging._audit_statements import audit_statements
from netmodel.judging._evidence import _repeated
from netmodel.judging._evidence._amounts import (
    Agreement,
    Amount,
    Computed,
    agreement,
    in_words_of,
)
from netmodel.judging._evidence._kinds import EvidenceKind, doubt, rounded_by_eye
from netmodel.judging._evidence._ledger import Evidence, EvidenceVerdict
from netmodel.judging._evidence._predictions import Sources
from netmodel.judging._evidence._repeated import printed_again
from netmodel.records import Relation, Statement
from netmodel.records._subjects import Change, Configuration, QuantityKind

OSA7, OSA6, OTHER = "osa-express7s-25gbe", "osa-express6s-10gbe", "roce-express2.1-25gbe"
LARGE, STREAM = "rr1c-200x30k", "str-writex30k"


def statement(**fields: Any) -> Statement:
    """A throughput of 10.0 Gbit/s."""
    usual = {
        "quantity": QuantityKind.THROUGHPUT,
        "subject": Configuration(setting="new"),
        "value": Decimal("10.0"),
        "unit": "Gbit/s",
    }
    return statement_with(usual, **fields)


def change(**fields: Any) -> Statement:
    """20 % more."""
    baseline = {"baseline": Configuration(setting="old"), "change": Change.MORE}
    return statement(**{"value": Decimal(20), "unit": "%"} | baseline | fields)


SIGN = {"relation": Relation.SIGN, "value": None, "unit": None}


# Printed again


def again(about: Statement, *others: Statement) -> Computed | None:
    known = {each.id: each for each in (*others, about)}
    with (
        patch.object(_repeated, "statements", lambda _: tuple(known.values())),
        patch.object(_repeated, "statement", known.__getitem__),
        patch.object(_repeated, "statement_file", lambda _: "mine.toml"),
    ):
        return printed_again(about, Sources())


@pytest.mark.parametrize(
    ("other", "is_found"),
    [
        ({}, True),
        ({"source": "another"}, False),
        ({"quantity": QuantityKind.PAYLOAD_RATE}, False),
        ({"subject": Configuration(setting="new", side="client")}, True),
    ],
)
def test_a_figure_is_repeated_by_the_same_quantity_of_the_document(
    other: dict[str, Any], is_found: bool
) -> None:
    """9.95 to 10.05 and 9.5 to 10.5 have 9.95 to 10.05 in common."""
    first = statement(id="first", **other)
    found = again(statement(repeats=("first",)), first)
    assert (found is not None) is is_found
    if found is not None:
        assert (found.low, found.high) == pytest.approx((9.95, 10.05))
        assert found.how == "printed again: throughput 10.0 Gbit/s (first)"
        assert found.compared == ("first",)
        assert str(found) == "10 Gbit/s"


def test_words_are_no_repetition_of_a_figure() -> None:
    words = change(id="words", **SIGN)
    assert again(change(repeats=("words",)), words) is None


def test_both_sides_of_a_case_are_no_repetition() -> None:
    sides = [Configuration(setting="new", side=side) for side in ("client", "server")]
    first = statement(id="first", subject=sides[0])
    assert again(statement(subject=sides[1], repeats=("first",)), first) is None
    assert again(statement(subject=sides[0], repeats=("first",)), first) is not None


def test_what_is_printed_first_is_given() -> None:
    """Of two that name each other, the second repeats the first."""
    mine = statement(repeats=("other",))
    other = statement(id="other", repeats=("mine",))
    known = {"mine": mine, "other": other}
    with (
        patch.object(_repeated, "statements", lambda _: (mine, other)),
        patch.object(_repeated, "statement", known.__getitem__),
    ):
        assert printed_again(mine, Sources()) is None
        assert printed_again(other, Sources()) is not None


def test_figures_that_do_not_meet_have_all_to_be_allowed() -> None:
    """10.0 and 12.0 have no value in common: 9.95 to 12.05 are both."""
    others = [statement(id=f"at-{value}", value=Decimal(value)) for value in ("10.0", "12.0")]
    found = again(statement(repeats=("at-10.0", "at-12.0")), *others)
    assert found is not None
    assert (found.low, found.high, found.every) == (9.95, 12.05, True)
    assert str(found) == "10 to 12 Gbit/s"
    near = [statement(id=f"at-{value}", value=Decimal(value)) for value in ("10.0", "10.1")]
    found = again(statement(repeats=("at-10.0", "at-10.1")), *near)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((10.05, 10.05))
    assert not found.every


def test_a_figure_in_another_unit_is_not_compared() -> None:
    seconds = statement(id="first", unit="s", quantity=QuantityKind.LATENCY)
    mine = statement(repeats=("first",), quantity=QuantityKind.LATENCY, unit="byte")
    assert again(mine, seconds) is None
    letter = statement(id="first", value=32, unit="K", quantity=QuantityKind.MESSAGE_SIZE)
    kilobytes = statement(
        value=32, unit="KB", quantity=QuantityKind.MESSAGE_SIZE, repeats=("first",)
    )
    found = again(kilobytes, letter)
    assert found is not None
    assert (found.low, found.high, found.unit) == (31.5, 32.5, "KB")


@pytest.mark.parametrize(
    ("other", "is_case"),
    [
        ({}, True),
        ({"subject": Configuration(setting="new", connection_counts=(10,))}, True),
        ({"subject": Configuration(setting="new", mtu_bytes=9000)}, True),
        ({"subject": Configuration(setting="newer")}, True),
        ({"subject": Configuration(mtu_bytes=1500)}, False),
        ({"subject": Configuration(tool="other")}, False),
        ({"baseline": Configuration(tool="old")}, False),
        ({"quantity": QuantityKind.LATENCY}, False),
        (SIGN, False),
    ],
    ids=str,
)
def test_words_are_compared_with_figures_of_their_cases(
    other: dict[str, Any], is_case: bool
) -> None:
    """Of the tool that the words name, with any setting, load or number of connections."""
    named = {"subject": Configuration(tool="mine"), "baseline": Configuration(mtu_bytes=9000)}
    subject = other.pop("subject", Configuration(setting="new"))
    if subject.tool is None and subject.mtu_bytes != 1500:
        subject = subject.model_copy(update={"tool": "mine"})
    baseline = other.pop("baseline", Configuration(mtu_bytes=9000))
    figure = change(id="figure", subject=subject, baseline=baseline, **other)
    found = again(change(**named, **SIGN), figure)
    assert (found is not None) is is_case


def test_words_that_leave_room_are_not_held_against_figures() -> None:
    figure = change(id="figure")
    same = {"subject": Configuration(tool="a"), "baseline": Configuration(tool="b")}
    figure = figure.model_copy(update=same)
    words = change(**SIGN).model_copy(update=same)
    found = again(words, figure)
    assert found is not None
    assert (found.low, found.high, found.how) == (
        20,
        20,
        "in figures: throughput 20 % higher (figure)",
    )
    assert again(words.model_copy(update={"loose": "may"}), figure) is None


# How a figure stands to what is computed


@pytest.mark.parametrize(
    ("about", "ends", "found"),
    [
        # 20 % are 19.5 to 20.5
        (change(), (20, 20), Agreement.PREDICTED),
        (change(), (19.5, 20.5), Agreement.PREDICTED),
        (change(), (19.4, 20), Agreement.CONSISTENT),
        (change(), (20, 20.6), Agreement.CONSISTENT),
        (change(), (20.6, 21), Agreement.MISSED),
        (change(), (19, 19.4), Agreement.MISSED),
        # more, less and the same
        (change(**SIGN), (0.001, 50), Agreement.PREDICTED),
        (change(**SIGN), (0, 50), Agreement.CONSISTENT),
        (change(**SIGN), (-1, 0), Agreement.MISSED),
        (change(change=Change.LESS, **SIGN), (-50, -0.001), Agreement.PREDICTED),
        (change(change=Change.LESS, **SIGN), (-50, 0), Agreement.CONSISTENT),
        (change(change=Change.LESS, **SIGN), (0, 1), Agreement.MISSED),
        (change(change=Change.SAME, **SIGN), (-5, 5), Agreement.PREDICTED),
        (change(change=Change.SAME, **SIGN), (-5.1, 5), Agreement.CONSISTENT),
        (change(change=Change.SAME, **SIGN), (5.1, 6), Agreement.MISSED),
        (change(change=Change.SAME, **SIGN), (-6, -5.1), Agreement.MISSED),
        # about 20 % are 19 to 21, and at least 20 % have no upper end
        (change(relation=Relation.ABOUT), (19.1, 20.9), Agreement.PREDICTED),
        (change(relation=Relation.ABOUT), (18.9, 20.9), Agreement.CONSISTENT),
        (change(relation=Relation.AT_LEAST), (21, 30), Agreement.PREDICTED),
        (change(relation=Relation.AT_LEAST), (19, 30), Agreement.CONSISTENT),
        (change(relation=Relation.AT_LEAST), (18, 19), Agreement.MISSED),
        # what is computed may touch an end that is exact
        (change(relation=Relation.AT_LEAST, value=Decimal(0)), (-3, 0), Agreement.CONSISTENT),
        (change(relation=Relation.AT_MOST, value=Decimal(0)), (0, 3), Agreement.CONSISTENT),
        # up to 20 %: what is computed has to reach it
        (change(relation=Relation.UP_TO), (20, 20.4), Agreement.PREDICTED),
        (change(relation=Relation.UP_TO), (10, 20), Agreement.CONSISTENT),
        (change(relation=Relation.UP_TO), (21, 22), Agreement.MISSED),
    ],
)
def test_a_figure_covers_all_of_what_is_computed_or_a_part_or_nothing(
    about: Statement, ends: tuple[float, float], found: Agreement
) -> None:
    assert agreement(about, Computed(*ends, "%", "made")) is found
    every = agreement(about, Computed(*ends, "%", "made", every=True))
    if about.relation is Relation.UP_TO:
        assert every is (Agreement.PREDICTED if 19.5 <= ends[1] <= 20.5 else Agreement.MISSED)
    else:
        is_met = found is Agreement.PREDICTED
        assert every is (Agreement.PREDICTED if is_met else Agreement.MISSED)


@pytest.mark.parametrize(
    ("about", "ends", "unit", "found"),
    [
        (statement(), (5e9, 10e9), "bit/s", (5, 10, "Gbit/s")),
        (change(), (1.2, 1.3), "1", (20, 30, "%")),
        (change(), (20, 30), "%", (20, 30, "%")),
        (change(change=Change.LESS), (0.7, 0.8), "1", (20, 30, "%")),
        (change(change=Change.LESS, **SIGN), (0.7, 0.8), "1", (-30, -20, "%")),
        (change(change=Change.FACTOR, unit="x"), (1.2, 1.3), "1", (1.2, 1.3, "x")),
        (change(change=Change.FACTOR, unit="x"), (20, 30), "%", (1.2, 1.3, "x")),
    ],
)
def test_an_amount_is_said_as_the_statement_prints_it(
    about: Statement, ends: tuple[float, float], unit: str, found: tuple[float, float, str]
) -> None:
    low, high, own = found
    said = in_words_of(about, Amount(*ends, unit, "made"))
    assert (said.low, said.high, said.unit) == (pytest.approx(low), pytest.approx(high), own)


@pytest.mark.parametrize(
    ("computed", "text"),
    [
        (Computed(5, 5, "Gbit/s", ""), "5 Gbit/s"),
        (Computed(5.12345678, 5.12345678, "1", ""), "5.12346"),
        (Computed(5, float("inf"), "%", ""), "5 % or more"),
        (Computed(5, float("inf"), "1", ""), "5 or more"),
        (Computed(5.12345, 6.12345, "%", ""), "5.123 to 6.123 %"),
        (Computed(5, 6, "%", "", text="said"), "said %"),
    ],
)
def test_what_is_computed_in_words(computed: Computed, text: str) -> None:
    assert str(computed) == text


# Doubts


@pytest.mark.parametrize(
    ("value", "ends", "is_doubtful"),
    [
        (20, (22.4, 22.5), True),
        (20, (22.6, 23), False),
        (20, (17.5, 17.6), True),
        (20, (17, 17.4), False),
        (21, (21.6, 22), False),
        (0, (1, 2), False),
    ],
)
def test_multiples_of_5_per_cent_may_be_rounded_by_eye(
    value: int, ends: tuple[float, float], is_doubtful: bool
) -> None:
    about, found = change(value=Decimal(value)), Computed(*ends, "%", "made")
    words = f"rounded to 5 %, {value} % higher stands for 17.5 to 22.5 %, and {found} is computed"
    assert doubt(about, found) == (words if is_doubtful else "")
    assert (rounded_by_eye(about) is not None) is (value == 20)


@pytest.mark.parametrize(("percent", "is_doubtful"), [(9.9, True), (-10, True), (10.1, False)])
def test_a_loose_word_is_doubtful_up_to_twice_of_about(percent: float, is_doubtful: bool) -> None:
    about = change(change=Change.SAME, loose="nearly", **SIGN)
    words = '"nearly" sets no figure: beyond 5 %, but within 10 %'
    assert doubt(about, Computed(percent, percent, "%", "")) == (words if is_doubtful else "")


# What cannot be true together


def rate(name: str, value: str, count: int | None = 10, **fields: Any) -> Statement:
    relation = fields.pop("relation", Relation.EQUAL)
    made = made_statement(
        name,
        (fields.pop("subject", OSA7), count or 1),
        relation=relation,
        value=Decimal(value),
        **fields,
    )
    if count is None:
        made = made.model_copy(
            update={"subject": made.subject.model_copy(update={"connection_counts": ()})}
        )
    return made


def findings(*known: Statement) -> list[Any]:
    with (
        patch.object(_audit_contradictions, "calibrated_inputs", dict),
        patch.object(_audit_contradictions, "conflicts_as_printed", lambda _: ()),
    ):
        return list(contradiction_findings(known, Counter()))


def test_a_rate_above_its_line_contradicts_it() -> None:
    """25 Gbit/s carry 23.537 of streams; 24.0 is from 23.95 on."""
    (found,) = findings(rate("fast", "24.0", workload=STREAM))
    assert (found.column, found.severity.value, found.kind) == ("fast", "fault", "contradiction")
    assert found.message == f"cannot be true with line of {OSA7} (23.537 Gbit/s)"
    assert found.allowed == "only if each interval were 1.8 % wider"  # 23.95 / 23.537
    (suspect,) = found.suspects
    assert suspect.allowed == "at most 23.537 Gbit/s"
    slow = rate("slow", "9.2", workload=STREAM, subject=OSA6)
    assert findings(slow) == []
    (found,) = findings(rate("fast", "9.5", workload=STREAM, subject=OSA6))
    assert found.message == f"cannot be true with line of {OSA6} (9.4148 Gbit/s)"


@pytest.mark.parametrize("count", [10, None])
def test_a_rate_above_what_the_record_of_its_adapter_leaves_is_noted(count: int | None) -> None:
    """An OSA-Express7S takes 13.4 Gbit/s of streams, or 13.45, whatever the connections."""
    (found,) = findings(rate("fast", "14.0", count, workload=STREAM))
    assert found.severity.value == "note"
    assert found.message.startswith(f"cannot be true with limits of {OSA7} (13.45 Gbit/s)")
    assert findings(rate("slow", "13.4", count, workload=STREAM)) == []
    other = rate("tuned", "14.0", count, workload=STREAM)
    tuned = other.subject.model_copy(update={"setting": "tuned"})
    assert findings(other.model_copy(update={"subject": tuned})) == []


def test_figures_and_a_ratio_that_do_not_meet_are_all_suspects() -> None:
    """1.0 and 1.0 Gbit/s, and twice as much: 1.05 / 0.95 at most, and 1.95 at least."""
    known = (
        rate("one", "1.0"),
        made_statement("other", (OTHER, 10), relation=Relation.EQUAL, value=Decimal("1.0")),
        made_statement("twice", (OSA7, 10), OTHER, relation=Relation.EQUAL, value=Decimal("2.0")),
    )
    (found,) = findings(*known)
    assert found.column == "one, other, twice"
    assert found.message == "cannot all be true"
    assert found.place == "made, page 1"
    gap = 1.95 * 0.95 / 1.05
    assert found.allowed == f"only if each interval were {100 * (gap ** (1 / 3) - 1):.2g} % wider"
    allowed = {each.column: each.allowed for each in found.suspects}
    assert allowed == {
        "one": "1.8525 to 2.1525 Gbit/s",
        "other": "463.41 to 538.46 Mbit/s",
        "twice": "0.90476 to 1.1053 x",
    }


def test_per_cents_that_may_be_rounded_by_eye_are_a_note() -> None:
    """20 % more and 1.23: 19.5 to 20.5 %, or 17.5 to 22.5 % by eye, and 1.225 to 1.235."""
    more = made_statement("more", (OSA7, 10), OTHER, relation=Relation.EQUAL, value=Decimal(20))
    more = more.model_copy(update={"change": Change.MORE, "unit": "%"})
    known = (
        more,
        made_statement("other", (OTHER, 10), relation=Relation.EQUAL, value=Decimal("1.00")),
        rate("rate", "1.23"),
    )
    (found,) = findings(*known)
    assert found.severity.value == "note"
    assert found.message == "cannot all be true, unless rounded to 5 %: 20 % higher"
    exact = more.model_copy(update={"value": Decimal(21)})
    (found,) = findings(exact, *known[1:])
    assert (found.severity.value, found.message) == ("fault", "cannot all be true")


@pytest.mark.parametrize(("value", "is_above"), [("1.9", True), ("2.0", False)])
def test_up_to_a_figure_is_exceeded_by_its_rounding_at_most(value: str, is_above: bool) -> None:
    """Up to 1.9 Gbit/s are 1.95 at most, which 2.0 from 1.95 on meets, and 1.85 no."""
    most = rate("most", value, relation=Relation.UP_TO)
    (related, *_) = published_ratios([most]).related
    assert (related.low, related.high) == pytest.approx((0, 1e9 * (float(value) + 0.05)))
    found = findings(most, rate("least", "1.96", relation=Relation.AT_LEAST))
    assert [each.column for each in found] == ["most, least"] * is_above


def test_up_to_a_ratio_is_exceeded_by_its_rounding_at_most() -> None:
    """Up to 1.2 times, 20 % more or 20 % less are up to 1.25, 20.5 % and 20.5 %."""
    factor = made_statement("x", (OSA7, 10), OTHER, relation=Relation.UP_TO, value=Decimal("1.2"))
    more = factor.model_copy(update={"change": Change.MORE, "unit": "%", "value": Decimal(20)})
    less = more.model_copy(update={"change": Change.LESS})
    ends = [
        (each.low, each.high)
        for about in (factor, more, less)
        for each in published_ratios([about]).related[:1]
    ]
    assert ends == [pytest.approx(pair) for pair in ((0, 1.25), (1, 1.205), (0.795, 1))]


# The audit of statements


def audited(*known: Statement, rows: tuple[Evidence, ...] = ()) -> Audit:
    by_id = {each.id: each for each in known}
    with (
        patch.object(_audit_statements, "statements", lambda _: known),
        patch.object(_audit_statements, "statement", by_id.__getitem__),
        patch.object(_audit_statements, "evidence", lambda _: rows),
        patch.object(_audit_statements, "contradiction_findings", lambda *_: ()),
    ):
        return audit_statements()


@pytest.mark.parametrize(
    ("source", "severity", "dataset"),
    [("made", "fault", "made"), ("another", "note", "made, another")],
)
def test_the_same_quantity_has_one_value(source: str, severity: str, dataset: str) -> None:
    """10.0 and 10.2 have nothing in common; within a document one is wrong."""
    first = statement(id="first", repeats=("second",), printed="ten")
    second = statement(
        id="second", value=Decimal("10.2"), source=source, locator="page 2", repeats=("first",)
    )
    audit = audited(first, second)
    (found,) = audit
    assert found.to_dict() == {
        "dataset": dataset,
        "place": f"made, page 1; {source}, page 2",
        "file": None,
        "location": "first, second",
        "row": None,
        "line": None,
        "column": "first, second",
        "kind": "same_quantity",
        "severity": severity,
        "printed": "ten and 10.2",
        "allowed": "one value",
        "message": "new is 10.0 and 10.2",
        "suspects": [],
    }
    assert audit.checked == Counter(same_quantity=1)


@pytest.mark.parametrize(
    ("fields", "count"),
    [({}, 1), ({"unit": "Mbit/s"}, 0), ({"value": Decimal("10.1")}, 1)],
    ids=["another value", "another unit", "within rounding"],
)
def test_figures_in_one_unit_are_compared(fields: dict[str, Any], count: int) -> None:
    first = statement(id="first", repeats=("second",))
    second = statement(**{"id": "second", "value": Decimal("10.2")} | fields)
    for known in ((first, second), (second, first)):
        audit = audited(*known)
        assert audit.checked["same_quantity"] == count
        assert len(audit.findings) == (count if fields == {} else 0)


@pytest.mark.parametrize(
    ("verdict", "severity"),
    [
        (EvidenceVerdict.CONTRADICTED, "fault"),
        (EvidenceVerdict.DOUBTFUL, "note"),
        (EvidenceVerdict.HOLDS, None),
    ],
)
def test_what_is_computed_otherwise_is_found(
    verdict: EvidenceVerdict, severity: str | None
) -> None:
    about = statement(printed="ten", wording="as fast as ten")
    row = Evidence(
        *(about, verdict, "9 Gbit/s", "by hand", EvidenceKind.PREDICTED), computed_by="framing"
    )
    again = replace(row, computed_by="repetition")
    nothing = replace(row, computed="")
    audit = audited(about, rows=(row, again, nothing))
    assert audit.checked == Counter(framing=1, same_quantity=0)
    shown = [each.to_dict() for each in audit]
    expected = {
        "dataset": "made",
        "column": "mine",
        "place": "made, page 1",
        "kind": "framing",
        "severity": severity,
        "printed": "ten (throughput 10.0 Gbit/s)",
        "allowed": "9 Gbit/s",
        "message": "as fast as ten; by hand",
    }
    assert [{key: each[key] for key in expected} for each in shown] == [expected] * bool(severity)


def test_a_row_of_the_ledger_in_a_page_and_in_plain_values() -> None:
    about = statement(printed="ten", wording="as fast as ten")
    row = Evidence(
        *(about, EvidenceVerdict.HOLDS, "9 Gbit/s", "by hand", EvidenceKind.PREDICTED),
        computed_by="framing",
        agreement=Agreement.CONSISTENT,
        inputs=("record",),
        notes=("one more",),
    )
    assert row.to_dict() == {
        "id": "mine",
        "document": "made",
        "locator": "page 1",
        "wording": "as fast as ten",
        "quantity": "throughput",
        "printed": "throughput 10.0 Gbit/s",
        "computed": "9 Gbit/s",
        "verdict": "holds",
        "kind": "predicted",
        "computed_by": "framing",
        "agreement": "consistent",
        "reason": "by hand",
        "waits_for": None,
        "inputs": ["record"],
        "cells": [],
        "figures_in": [],
        "notes": ["one more"],
    }
    cells = re.findall(r"<(?:th|td)[^>]*>([^<]*)</", row._repr_html_())
    assert cells == [
        *("wording", "as fast as ten", "printed", "throughput 10.0 Gbit/s"),
        *("computed", "9 Gbit/s", "verdict", "holds", "agreement", "consistent"),
        *("reason", "by hand", "place", "made, page 1"),
    ]
    assert "one more" in row._repr_html_()
    empty = replace(row, computed="")
    assert empty.to_dict()["computed"] is None
    assert "computed" not in empty._repr_html_()
