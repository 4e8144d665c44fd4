"""Rules of statements and calibrated records: each limit on both sides, in small documents."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from netmodel.records._rules import (
    RULE_NAMES,
    Arithmetic,
    Cases,
    Computation,
    Constant,
    Figure,
    Formula,
    Implication,
    Path,
    PathMtu,
    Range,
    rules_within,
)
from netmodel.records._steering import SteeringRecord
from netmodel.records._transports import TransportRecord


class Holder(BaseModel):
    """As a statement holds its rule."""

    computed: Computation


def computed(rule: object) -> Any:
    return Holder.model_validate({"computed": rule}).computed


def problem_of(rule: object) -> str:
    with pytest.raises(ValidationError) as caught:
        computed(rule)
    return str(caught.value)


def test_a_number_or_a_quantity_stands_for_a_rule() -> None:
    total = computed({"rule": "arithmetic", "operation": "add", "of": [2, Decimal("1.50"), "3 µs"]})
    assert isinstance(total, Arithmetic)
    assert [each.value for each in total.of if isinstance(each, Constant)] == [
        *(Decimal(2), Decimal("1.50"), "3 µs"),
    ]
    assert str(total.of[1].value) == "1.50"  # type: ignore[union-attr]
    nested = computed({"rule": "range", "low": {"rule": "figure"}, "high": 5})
    assert isinstance(nested, Range)
    assert (nested.reaches_high, nested.because, nested.counts_as) == (True, None, None)
    assert [each.rule for each in rules_within(nested)] == ["range", "figure", "constant"]
    open_ended = computed({"rule": "range", "low": 1})
    assert [each.rule for each in rules_within(open_ended)] == ["range", "constant"]


def test_rules_are_found_at_any_depth() -> None:
    rule = computed(
        {
            "rule": "cases",
            "of": [
                {
                    "rule": "formula",
                    "name": "transport.propagation_round_trip_s",
                    "arguments": {"a": 1, "b": {"rule": "ratio", "of": 4, "over": 2}},
                },
                5,
            ],
            "vary": {"mtu_bytes": [1500, 9000]},
        }
    )
    assert isinstance(rule, Cases)
    assert [each.rule for each in rules_within(rule)] == [
        *("cases", "formula", "constant", "ratio", "constant", "constant", "constant"),
    ]
    assert rules_within("no rule") == rules_within(None) == []
    one = computed({"rule": "cases", "of": 5})
    assert len(one.of) == 1


def test_rules_say_what_they_take_for_granted() -> None:
    figure = computed({"rule": "figure"})
    assert isinstance(figure, Figure)
    assert (figure.statement, figure.field, figure.reading, figure.unit, figure.also) == (
        *(None, "value", "interval", None, ()),
    )
    frame = computed({"rule": "frame", "part": "payload"})
    assert (frame.headers, frame.mtu_bytes) == ("ipv4/tcp+timestamps", None)
    hops = computed({"rule": "path_mtu", "part": "packet", "sender_mtu_bytes": 9000, "hops": 1500})
    assert isinstance(hops, PathMtu)
    assert (len(hops.hops), hops.silent) == (1, False)
    path = computed({"rule": "path"})
    assert isinstance(path, Path)
    assert (path.side, path.quantity, path.limit_reached) == ("subject", "throughput", False)
    cells = computed(
        {"rule": "cells", "dataset": "d", "table": "t", "column": "c", "where": {"a": 1}}
    )
    assert (dict(cells.where), dict(cells.minus), cells.keys, cells.gain) == (
        *({"a": (Decimal(1),)}, {}, (), "more"),
    )
    rows = computed({"rule": "distinct", "of": "mtu_bytes", "where": {"a": ["x", 2]}})
    assert dict(rows.where) == {"a": ("x", Decimal(2))}
    formula = computed({"rule": "formula", "name": "framing.a", "arguments": {}})
    assert isinstance(formula, Formula)
    assert dict(formula.arguments) == {}


PATH = {"rule": "path"}
SHARE = {"rule": "line_share"}
TIME = {"quantity": "transaction_time"}


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (5, "must be a rule: a table with the key rule"),
        ({}, f"rule: is missing; known are {', '.join(RULE_NAMES)}"),
        ({"rule": "fraem"}, "rule: unknown rule 'fraem'; did you mean frame?"),
        ({"rule": "zzz"}, "rule: unknown rule 'zzz'; known are constant, figure, record,"),
        ({"rule": "constant", "value": " "}, "must not be empty"),
        ({"rule": "constant", "value": 1.5}, "whose digits are kept"),
        ({"rule": "ratio", "of": True, "over": 1}, "must be a rule: a table with the key rule"),
        ({"rule": "arithmetic", "operation": "add", "of": [1]}, "at least 2 items"),
        ({"rule": "distinct", "of": "a", "dataset": "d"}, "dataset and table belong together"),
        ({"rule": "distinct", "of": "a", "table": "t"}, "dataset and table belong together"),
        (SHARE | {"path": "p"}, "line_share: applies to the throughput between adapters only"),
        (SHARE | TIME, "line_share: applies to the throughput between adapters only"),
        (PATH | TIME, "quantity: a transaction time needs path, a path of the catalog"),
        (PATH | {"limit_reached": True}, "limit_reached: needs path, a path of the catalog"),
        (PATH | {"limit_reached": 1, "path": "p"}, "limit_reached"),
        ({"rule": "reading", "of": 1, "units": []}, "at least 1 item"),
        ({"rule": "cases", "of": []}, "at least 1 item"),
        ({"rule": "cases", "of": 1, "vary": {"mtu_bytes": []}}, "at least 1 item"),
        (
            {"rule": "path_mtu", "part": "packet", "sender_mtu_bytes": 9000, "hops": []},
            "at least 1 item",
        ),
        ({"rule": "formula", "name": "a", "arguments": {}}, "match pattern"),
    ],
)
def test_rules_that_do_not_fit(rule: object, problem: str) -> None:
    assert problem in problem_of(rule)


@pytest.mark.parametrize(
    "rule",
    [
        {"rule": "distinct", "of": "a", "dataset": "d", "table": "t"},
        PATH | TIME | {"path": "p"},
        PATH | {"path": "p", "limit_reached": True},
        SHARE | {"side": "baseline"},
        {"rule": "count", "of": "0-3"},
        {"rule": "mask", "of": "0-3"},
    ],
)
def test_rules_that_just_fit(rule: dict[str, object]) -> None:
    made = computed(rule)
    assert {key: getattr(made, key) for key in rule} == rule
    again = Holder.model_validate({"computed": made}).computed
    assert again is made


def test_what_follows_from_a_statement_is_printed_in_a_text() -> None:
    made = Implication.model_validate({"text": "at {} it is full", "value": 2, "unit": "Gbit/s"})
    assert [each.rule for each in rules_within(made.value)] == ["constant"]
    with pytest.raises(ValidationError, match="text"):
        Implication.model_validate({"text": "nothing", "value": 2, "unit": "x"})


# Records that commands calibrate

ONE = {"transport": "tcp", "adapter": "a", "stack": "ipv4/tcp", "mtu_bytes": 1500}
TWO = {"transport": "smcr", "adapter": "b", "stack": "smcr", "mtu_bytes": 9000}
COLUMNS = [
    *("one.fixed_us", "one.per_frame_us", "one.per_byte_us"),
    *("two.fixed_us", "two.per_frame_us", "two.per_byte_us"),
]
TRANSPORTS: dict[str, Any] = {
    "id": "made",
    "title": "Made",
    "host": "h",
    "baseline": "one",
    "protocols": {"one": ONE, "two": TWO},
    "connection_counts": [1],
    "message_low_bytes": 1,
    "message_high_bytes": 9,
    "columns": COLUMNS,
    "corners": [[1, 2, 3, 4, 5, 6]],
    "cases": [],
    "statements": ["s"],
}


def test_two_protocols_are_compared() -> None:
    made = TransportRecord.model_validate(TRANSPORTS)
    assert made.compared == "two"
    assert TransportRecord.model_validate(TRANSPORTS | {"baseline": "two"}).compared == "one"
    for changed, problem in (
        ({"protocols": {"one": ONE}}, "protocols: must be two, one of them the baseline"),
        (
            {"protocols": {"one": ONE, "two": TWO, "three": TWO}},
            "protocols: must be two, one of them the baseline",
        ),
        ({"baseline": "three"}, "protocols: must be two, one of them the baseline"),
        ({"columns": COLUMNS[::-1]}, f"columns: must be {', '.join(COLUMNS)}"),
        ({"corners": [[1, 2, 3]]}, "corners: each needs a number for each of columns"),
        (
            {"corners": [[1, 2, 3, 4, 5, 6], [1]]},
            "corners: each needs a number for each of columns",
        ),
        ({"message_low_bytes": 0}, "message_low_bytes"),
        ({"message_high_bytes": 0}, "message_high_bytes"),
        ({"protocols": {"one": ONE | {"mtu_bytes": 0}, "two": TWO}}, "mtu_bytes"),
    ):
        with pytest.raises(ValidationError) as caught:
            TransportRecord.model_validate(TRANSPORTS | changed)
        assert problem in str(caught.value)


STEERING: dict[str, Any] = {
    "id": "made",
    "title": "Made",
    "workload": "w",
    "cpu_count": 2,
    "connection_counts": [1],
    "queue_counts": {"a": 1, "b": 2},
    "columns": ["x", "y"],
    "samples": {"a": [[1, 2], [3, 4]], "b": [[5, 6], [7, 8]]},
    "scatter_ratio": Decimal("0.1"),
    "statements": ["s"],
}


def test_samples_of_all_adapters_belong_together() -> None:
    made = SteeringRecord.model_validate(STEERING)
    assert made.samples["b"][1] == (7, 8)
    for changed, problem in (
        ({"cpu_count": 1}, "cpu_count"),
        ({"queue_counts": {"a": 1}}, "samples: each adapter of queue_counts needs as many"),
        (
            {"samples": {"a": [[1, 2]], "b": [[5, 6], [7, 8]]}},
            "samples: each adapter of queue_counts needs as many",
        ),
        ({"columns": ["x"]}, "samples: each needs a number for each of columns"),
        (
            {"samples": {"a": [[1, 2], [3]], "b": [[5, 6], [7, 8]]}},
            "samples: each needs a number for each of columns",
        ),
    ):
        with pytest.raises(ValidationError) as caught:
            SteeringRecord.model_validate(STEERING | changed)
        assert problem in str(caught.value)
