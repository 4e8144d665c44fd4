"""What each kind of value lets through, on both sides of its limits, and what figures allow."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from netmodel._estimates import Estimate
from netmodel.errors import AmbiguousValueError, UnitError
from netmodel.records import Adapter, Document, Grade, Relation, Value, Workload
from netmodel.records._equipment import Host
from netmodel.records._figures import (
    allowed_interval,
    is_counted,
    number_as_printed,
    parts_of_figure,
    rounding_half_width,
)
from netmodel.records._paths import PathPool
from netmodel.records._stages import PathStage
from netmodel.records._values import FrozenMapping, with_defaults
from netmodel.units import parse_count

PLACE = {"source": "made", "locator": "page 1", "grade": "measured"}
NOT_ZERO = "must be above 0; got "

KINDS: dict[tuple[type, str], dict[str, str]] = {
    (PathStage, "mtu"): {
        "68 B": "",
        "65536 B": "",
        "9000": "",
        "9000 to 9000 B": "9000 to 9000 B is not one number",
        "67 B": "must be at least 68 byte; got 67 B",
        "65537 B": "must be at most 65536 byte; got 65537 B",
        "1500 to 9000 B": "must be one size; got 1500 to 9000 B",
        "about 1500 B": "about 1500 B does not bound a size on both sides",
    },
    (PathStage, "servers"): {
        "1": "",
        "12": "",
        "2.0": "",
        "0": "must be at least 1; got 0",
        "1.5": "must be a whole number with unit 1; got 1.5",
        "2 B": "must be a whole number with unit 1; got 2 B",
        "1 to 2": "must be a whole number with unit 1; got 1 to 2",
    },
    (PathStage, "frames_per_interrupt"): {
        "1": "",
        "2.5": "",
        "1 to 3": "",
        "0.9": "must be at least 1 over its whole interval; got 0.9",
        "1.0": "must be at least 1 over its whole interval; got 1.0",  # 0.95 to 1.05
        "about 1.02": "must be at least 1 over its whole interval; got about 1.02",
    },
    (PathStage, "service_variation"): {"0": "", "1.5": "", "2 µs": "2 µs", "-1": "negative"},
    (PathStage, "line_rate"): {
        "0.1 bit/s": "",
        "10 to 20 Gbit/s": "",
        "0 Gbit/s": NOT_ZERO,
        "8": "the unit is missing",
    },
    (PathStage, "frame_rate_cap"): {
        "1 1/s": "",
        "1000 to 2000 1/s": "",
        "0 1/s": NOT_ZERO,
        "5 Hz": "write a rate of frames like 1000000 1/s",
    },
    (PathStage, "delay"): {"0 µs": "", "1 to 2 ms": "", "-1 µs": "negative", "5 km": "5 km"},
    (PathPool, "core_count"): {"0.2": "", "4": "", "0": NOT_ZERO, "1 to 3": "", "2 B": "2 B"},
    (PathPool, "smt_gain"): {
        "1": "",
        "2": "",
        "1.3": "",
        "1 to 2": "",
        "0.99": "must be a number from 1 to 2 with unit 1; got 0.99",
        "2.01": "must be a number from 1 to 2 with unit 1; got 2.01",
        "0.9 to 1.5": "must be a number from 1 to 2 with unit 1; got 0.9 to 1.5",
        "1.5 to 2.1": "must be a number from 1 to 2 with unit 1; got 1.5 to 2.1",
        "1.3 B": "must be a number from 1 to 2 with unit 1; got 1.3 B",
    },
    (Adapter, "scatter"): {
        "0.1 %": "",
        "99.9 %": "",
        "0 %": "must be one number in %, above 0 and below 100; got 0 %",
        "100 %": "must be one number in %, above 0 and below 100; got 100 %",
        "0.5": "must be one number in %, above 0 and below 100; got 0.5",
        "1 to 2 %": "must be one number in %, above 0 and below 100; got 1 to 2 %",
    },
    (Adapter, "port_count"): {"0": "", "2": "", "2.5": "must be a whole number with unit 1"},
    (Adapter, "line_rate"): {
        "1 bit/s": "",
        "25 Gbit/s": "",
        "0 bit/s": NOT_ZERO,
        "10 to 25 Gbit/s": "10 to 25 Gbit/s is not one number",
    },
    (Workload, "write"): {
        "1 B": "",
        "1 to 2 B": "",
        "30 KiB": "",
        "0 B": "must be at least 1 byte; got 0 B",
        "0 to 2 B": "must be at least 1 byte; got 0 to 2 B",
        "about 2 B": "does not bound a size on both sides",
    },
}
USUAL: dict[type, dict[str, object]] = {
    PathStage: {"name": "made", "kind": "link", "delay": "1 µs"},
    PathPool: {"core_count": "4"},
    Adapter: {"id": "made", "title": "made", "kind": "made", "line_rate": "25 Gbit/s"},
    Workload: {"id": "made", "title": "made", "kind": "streaming", "writer": "client"},
}


@pytest.mark.parametrize(
    ("key", "text", "problem"),
    [(key, text, problem) for key, cases in KINDS.items() for text, problem in cases.items()],
)
def test_a_value_has_the_limits_of_its_key(key: tuple[Any, str], text: str, problem: str) -> None:
    model, name = key
    data = USUAL[model] | {name: text}
    if not problem:
        assert str(getattr(model.model_validate(data, context=PLACE), name)) == text
        return
    with pytest.raises((ValidationError, UnitError, AmbiguousValueError)) as caught:
        model.model_validate(data, context=PLACE)
    assert problem in str(caught.value)


def made(text: str, **others: object) -> Value:
    return Value.model_validate({**PLACE, **parts_of_figure(text), **others})


@pytest.mark.parametrize(
    ("text", "others", "interval"),
    [
        ("13.40 Gbit/s", {}, ("13.395", "13.405")),
        ("13 Gbit/s", {}, ("12.5", "13.5")),
        ("2500 Gbit/s", {}, ("2499.5", "2500.5")),
        ("2500 Gbit/s", {"resolution": 100}, ("2450", "2550")),
        ("8", {}, ("8", "8")),
        ("8.0", {}, ("7.95", "8.05")),
        ("8", {"resolution": 2}, ("7", "9")),
        *((f"1500 {unit}", {}, ("1500", "1500")) for unit in ("B", "byte", "bytes")),
        *((f"4 {unit}", {}, ("4", "4")) for unit in ("KiB", "MiB", "GiB")),
        ("12 to 14 µs", {}, ("11.5", "14.5")),
        ("12 to 14.0 µs", {}, ("11.5", "14.05")),
        ("12 to 14 µs", {"resolution": 2}, ("11", "15")),
        ("2 to 4", {}, ("2", "4")),
        ("about 20 µs", {}, ("19.00", "21.00")),
        ("about 4 µs", {}, ("3.5", "4.5")),  # its rounding is more than 5 %
        ("about -20 µs", {}, ("-21.00", "-19.00")),
        ("at least 3 µs", {}, ("3", "Infinity")),
        ("censored above 3 µs", {}, ("3", "Infinity")),
        ("at most 3 µs", {}, ("-Infinity", "3")),
        ("up to 3 µs", {}, ("-Infinity", "3")),
        ("censored below 3 µs", {}, ("-Infinity", "3")),
    ],
)
def test_what_a_figure_allows_in_its_unit(
    text: str, others: dict[str, object], interval: tuple[str, str]
) -> None:
    low, high = interval
    assert made(text, **others).interval == (Decimal(low), Decimal(high))


def test_rounding_of_a_range_is_known_where_its_step_is() -> None:
    assert made("12 to 14 µs").rounding_half_width is None
    assert made("12 to 14 µs", resolution=2).rounding_half_width == 1
    assert rounding_half_width(Decimal("130")) is None
    assert rounding_half_width(Decimal("1.30")) == Decimal("0.005")
    assert rounding_half_width(Decimal("13E+1")) == 5
    assert rounding_half_width(Decimal(0)) == Decimal("0.5")
    assert is_counted(Decimal("2E+3"), "byte")
    assert not is_counted(Decimal("2.0"), "byte")
    assert not is_counted(Decimal(2), "MB")


def test_relations_close_or_open_an_interval() -> None:
    """A sign has the interval of a figure: `estimate` refuses it, as it is no quantity."""
    assert allowed_interval(Relation.ABOUT, Decimal(100), Decimal(1)) == (95, 105)
    assert allowed_interval(Relation.EQUAL, Decimal(100), Decimal(1)) == (99, 101)
    with pytest.raises(AmbiguousValueError, match="sign 3 s is not a quantity"):
        _ = made("3 s", relation="sign").time_s_estimate


@pytest.mark.parametrize("number", [Decimal("9.9e30"), Decimal("1e-30"), 10**30, 0])
def test_numbers_within_the_range_are_exact(number: Decimal | int) -> None:
    assert number_as_printed(number) == number


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("8", {"relation": Relation.EQUAL, "unit": "1", "value": Decimal(8)}),
        (" 5 1/s", {"relation": Relation.EQUAL, "unit": "1/s", "value": Decimal(5)}),
        (
            "12.5 to 14 µs",
            {
                "relation": Relation.RANGE,
                "unit": "µs",
                "low": Decimal("12.5"),
                "high": Decimal(14),
            },
        ),
        ("at least 3 µs", {"relation": Relation.AT_LEAST, "unit": "µs", "value": Decimal(3)}),
    ],
)
def test_the_parts_of_a_short_text(text: str, parts: dict[str, object]) -> None:
    assert parts_of_figure(text) == parts


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("12 µs to 14 µs", "write the unit once, after both numbers"),
        ("12 micro seconds", "expected one number and one unit without blanks"),
        ("5 9", "expected one number and one unit without blanks"),
        ("x" * 200, "'" + "x" * 40),
    ],
)
def test_what_is_wrong_with_a_short_text(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="is not a figure") as caught:
        parts_of_figure(text)
    assert why in str(caught.value)
    assert "x" * 150 not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name", "estimate"),
    [
        ("12 µs", "time_s", (12e-6, 11.5e-6, 12.5e-6)),
        ("0.4 µs", "time_s", (0.4e-6, 0.35e-6, 0.45e-6)),
        ("10 to 30 Gbit/s", "rate_bps", (20e9, 9.5e9, 30.5e9)),
        ("1.5 KiB", "size_bytes", (1536, 1484.8, 1587.2)),
        ("about 1001 B", "size_bytes", (1001, 950.95, 1051.05)),
        ("2.5 km", "length_m", (2500, 2450, 2550)),
        ("1000 1/s", "frame_rate_fps", (1000, 999.5, 1000.5)),
        ("0.20", "number", (0.2, 0.195, 0.205)),
        ("at most 0.2", "number", (0.2, 0, 0.2)),
        ("at least 2", "number", (2, 2, float("inf"))),
    ],
)
def test_estimates_are_in_base_units(
    text: str, name: str, estimate: tuple[float, float, float]
) -> None:
    assert getattr(made(text), f"{name}_estimate") == pytest.approx(estimate, rel=1e-14)


@pytest.mark.parametrize(
    ("grade", "is_exact"),
    [("standard", True), ("assumed", True), ("measured", False), ("published", False)],
)
def test_only_what_is_set_or_assumed_is_exact(grade: str, is_exact: bool) -> None:
    value = made("12 µs", grade=grade, note="x")
    expected = (12e-6, 12e-6, 12e-6) if is_exact else (12e-6, 11.5e-6, 12.5e-6)
    assert value.time_s_estimate == pytest.approx(expected, rel=1e-15)
    assert value.interval == (Decimal("11.5"), Decimal("12.5"))
    about = made("about 20 µs", grade=grade, note="x").time_s_estimate
    assert about == pytest.approx((20e-6, 19e-6, 21e-6), rel=1e-15)
    bounds = made("10 to 14 µs", grade=grade, note="x").time_s_estimate
    assert bounds == pytest.approx((12e-6, 9.5e-6, 14.5e-6), rel=1e-15)


def test_a_count_is_read_by_any_parser_of_numbers() -> None:
    assert made("8").estimate(parse_count) == Estimate(8.0, 8.0, 8.0)
    assert made("3 to 5 KiB").size_bytes_bounds == (3072, 5120)
    assert made("30 KiB").size_bytes_bounds == (30720, 30720)


def test_a_value_prints_its_relation_and_its_place() -> None:
    value = made("at least 3.0 µs", note="as printed")
    assert str(value) == "at least 3.0 µs"
    assert value.provenance == "measured; made, page 1; as printed"
    assert repr(value) == "<Value at least 3.0 µs, measured; made, page 1; as printed>"
    assert str(made("8")) == "8"
    assert str(made("2 to 4")) == "2 to 4"


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ({}, {"source": "a", "locator": "p", "grade": "g", "note": "n"}),
        ({"value": 1}, {"source": "a", "locator": "p", "grade": "g", "note": "n", "value": 1}),
        ({"source": "b"}, {"source": "b", "grade": "g"}),
        ({"source": "b", "locator": "q"}, {"source": "b", "locator": "q", "grade": "g"}),
        ({"grade": "h"}, {"source": "a", "locator": "p", "grade": "h"}),
        ({"locator": "q"}, {"source": "a", "locator": "q", "grade": "g", "note": "n"}),
    ],
)
def test_a_place_belongs_to_its_source_and_a_note_to_its_grade(
    given: dict[str, object], result: dict[str, object]
) -> None:
    defaults = {"source": "a", "locator": "p", "grade": "g", "note": "n"}
    assert with_defaults(defaults, given) == result


def test_what_is_neither_measured_nor_set_is_explained() -> None:
    for grade in Grade:
        is_explained = grade in {Grade.DERIVED, Grade.FITTED, Grade.ASSUMED}
        if is_explained:
            with pytest.raises(ValidationError, match=f"grade {grade.value} needs a note"):
                made("8", grade=grade)
        else:
            assert made("8", grade=grade).grade is grade


def test_a_mapping_that_does_not_change_has_a_hash() -> None:
    members = {"a": 1, "b": 2}
    mapping = FrozenMapping(members)
    members["c"] = 3
    assert dict(mapping) == {"a": 1, "b": 2}
    assert (len(mapping), list(mapping), mapping["b"]) == (2, ["a", "b"], 2)
    assert hash(mapping) == hash(FrozenMapping({"b": 2, "a": 1}))
    assert repr(mapping) == "{'a': 1, 'b': 2}"


def test_a_document_is_cited_with_what_is_known_of_it() -> None:
    whole = Document(title="T", publisher="P", authors=("A", "B"), year=2019)
    bare = Document(title="T", publisher="P")
    assert str(whole) == 'A, B, "T", P, 2019'
    assert str(bare) == '"T", P'
    assert repr(bare) == '<Document "T", P>'
    for name in ("title", "authors", "publisher", "year"):
        assert (f">{name}</th>" in whole._repr_html_()) is True
        assert (f">{name}</th>" in bare._repr_html_()) == (name in {"title", "publisher"})
    for year in (0, "2019", 2019.5):
        with pytest.raises(ValidationError):
            Document(title="T", publisher="P", year=year)  # type: ignore[arg-type]
    assert Document(title="T", publisher="P", year=1).year == 1


def test_a_host_counts_its_threads() -> None:
    usual = {"id": "made", "title": "made", "kind": "made"}
    counts = {"core_count": "4", "threads_per_core": "2", "thread_count": "8"}
    assert Host.model_validate(usual | counts, context=PLACE).thread_count is not None
    for left_out in counts:
        fewer = {key: text for key, text in counts.items() if key != left_out}
        Host.model_validate(usual | fewer, context=PLACE)
    with pytest.raises(ValidationError, match="thread_count is 9, but core_count 4 times") as error:
        Host.model_validate(usual | counts | {"thread_count": "9"}, context=PLACE)
    assert "threads_per_core 2 is 8; correct one of them" in str(error.value)
