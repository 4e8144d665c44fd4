"""Values keep what is printed, and say what they do not know."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from netmodel.errors import AmbiguousValueError, NetmodelError, UnitError
from netmodel.records.values import Relation, Value, half_step
from netmodel.units import parse_count, parse_time_s

SOURCED: dict[str, Any] = {"source": "adapter", "locator": "slide 21", "grade": "published"}


def value_of(number: object, unit: str = "byte", **others: object) -> Value:
    return Value.model_validate(SOURCED | {"value": number, "unit": unit} | others)


def range_of(low: object, high: object, unit: str = "byte") -> Value:
    return Value.model_validate(
        SOURCED | {"low": low, "high": high, "unit": unit, "relation": "range"}
    )


def fault_of(**changed: object) -> str:
    with pytest.raises(ValidationError) as caught:
        Value.model_validate(SOURCED | {"value": 5, "unit": "byte"} | changed)
    return str(caught.value)


def test_printed_digits_survive() -> None:
    assert str(value_of(Decimal("13.40"), "Gbit/s")) == "13.40 Gbit/s"
    assert value_of(Decimal("13.40")).model_dump(mode="json")["value"] == "13.40"


@pytest.mark.parametrize(
    ("printed", "half"),
    [
        ("13.4", "0.05"),
        ("13.40", "0.005"),
        ("0.0", "0.05"),
        ("-4.7", "0.05"),
        ("48", "0.5"),
        ("0", "0.5"),
        ("7", "0.5"),
        ("2.5e3", "50"),
        ("123456789012345678901234567891", "0.5"),
    ],
)
def test_the_last_printed_digit_shows_the_rounding(printed: str, half: str) -> None:
    assert half_step(Decimal(printed)) == Decimal(half)


def test_figures_in_base_units() -> None:
    assert value_of(Decimal("13.4"), "Gbit/s").rate_bps == 13.4e9
    assert value_of(Decimal("1.2"), "µs").time_s == 1.2e-6


@pytest.mark.parametrize("name", ["rate_bps", "time_s", "size_bytes_bounds"])
def test_an_unknown_unit_is_named(name: str) -> None:
    with pytest.raises(UnitError, match="furlong"):
        getattr(value_of(3, "furlong"), name)


@pytest.mark.parametrize("name", ["rate_bps", "time_s"])
def test_a_range_is_not_one_number(name: str) -> None:
    with pytest.raises(AmbiguousValueError, match="20 to 21 byte is not one number") as caught:
        getattr(range_of(20, 21), name)
    assert isinstance(caught.value, NetmodelError)
    assert isinstance(caught.value, ValueError)


def test_bounds_of_a_size() -> None:
    assert range_of(20, 21, "KiB").size_bytes_bounds == (20480, 21504)
    assert value_of(200).size_bytes_bounds == (200, 200)


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"value": Decimal("nan")}, "must be a finite number"),
        ({"value": Decimal("sNaN")}, "must be a finite number"),
        ({"value": Decimal("-inf")}, "must be a finite number"),
        ({"value": 13.4}, "whose digits are kept"),
        ({"value": True}, "whose digits are kept"),
        ({"value": "13.4"}, "whose digits are kept"),
        ({"value": 10**31}, "beyond the range"),
        ({"value": Decimal("1e-31")}, "beyond the range"),
        ({"value": Decimal("0e-99999999")}, "beyond the range"),
        ({"value": None}, "relation equal has a value"),
        ({"low": 4}, "no low or high"),
        ({"relation": "range"}, "relation range has low and high"),
        ({"relation": "range", "low": 4, "high": 6}, "and no value"),
        ({"relation": "range", "value": None, "low": 4}, "low and high"),
        ({"relation": "range", "value": None, "low": 6, "high": 4}, "got 6 and 4"),
        ({"relation": "roughly"}, "Input should be 'equal', 'about'"),
        ({"resolution": 0}, "greater than 0"),
        ({"unit": " "}, "must not be empty"),
        ({"source": ""}, "must not be empty"),
        ({"note": ""}, "must not be empty"),
        ({"grade": "good"}, "Input should be 'standard', 'measured'"),
        ({"grade": "assumed"}, "grade assumed needs a note"),
        ({"grade": "derived"}, "grade derived needs a note"),
        ({"grade": "fitted"}, "grade fitted needs a note"),
        ({"typo": 1}, "typo"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(
    changed: dict[str, object], fault: str
) -> None:
    assert fault in fault_of(**changed)


def from_text(text: str, **defaults: str) -> Value:
    return Value.model_validate(text, context={"defaults": SOURCED | defaults})


@pytest.mark.parametrize(
    ("text", "printed", "relation"),
    [
        ("12 µs", "12 µs", Relation.EQUAL),
        ("0.864478µs", "0.864478 µs", Relation.EQUAL),
        ("25 Gbit/s", "25 Gbit/s", Relation.EQUAL),
        ("13.40 Gbit/s", "13.40 Gbit/s", Relation.EQUAL),
        ("8", "8", Relation.EQUAL),
        ("  1157000 1/s ", "1157000 1/s", Relation.EQUAL),
        ("12 to 14 µs", "12 to 14 µs", Relation.RANGE),
        ("1 to 2", "1 to 2", Relation.RANGE),
        ("about 13 Gbit/s", "about 13 Gbit/s", Relation.ABOUT),
        ("at least 3 µs", "at least 3 µs", Relation.AT_LEAST),
        ("up to 20 Gbit/s", "up to 20 Gbit/s", Relation.UP_TO),
        ("censored above 25 Gbit/s", "censored above 25 Gbit/s", Relation.CENSORED_ABOVE),
    ],
)
def test_a_short_text_is_a_value(text: str, printed: str, relation: Relation) -> None:
    value = from_text(text)
    assert (str(value), value.relation) == (printed, relation)
    assert value.provenance == "published; adapter, slide 21"


@given(
    st.decimals(0, 10**6, places=3),
    st.sampled_from(["µs", "Gbit/s", "1", "km", "KiB"]),
    st.sampled_from(sorted(set(Relation) - {Relation.RANGE, Relation.SIGN}, key=str)),
)
def test_what_a_value_prints_reads_back(number: Decimal, unit: str, relation: Relation) -> None:
    value = value_of(number, unit, relation=relation)
    assert from_text(str(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "about",
        "about 12 to 14 µs",
        "12 µs to 14 µs",
        "14 to µs",
        "12 micro seconds",
        "12,5 µs",
        "roughly 12 µs",
        "nan s",
        "inf",
        "1e99 s",
        "5 9",
    ],
)
def test_a_text_that_is_no_figure_is_reported_what_is_allowed(text: str) -> None:
    with pytest.raises(ValidationError, match="is not a figure") as caught:
        from_text(text)
    assert "write one like '12 µs', '8', '12 to 14 µs', or '13 Gbit/s' after" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "estimate"),
    [
        ("12 µs", (12e-6, 11.5e-6, 12.5e-6)),
        ("12.0 µs", (12e-6, 11.95e-6, 12.05e-6)),
        ("0.01 µs", (0.01e-6, 0.005e-6, 0.015e-6)),
        ("0 µs", (0, 0, 0.5e-6)),
        ("12 to 14 µs", (13e-6, 11.5e-6, 14.5e-6)),
        ("about 20 µs", (20e-6, 19e-6, 21e-6)),
        ("at least 3 µs", (3e-6, 3e-6, float("inf"))),
        ("at most 3 µs", (3e-6, 0, 3e-6)),
        ("up to 3 µs", (3e-6, 0, 3e-6)),
        ("censored above 3 µs", (3e-6, 3e-6, float("inf"))),
    ],
)
def test_an_estimate_is_what_the_figure_leaves_open(
    text: str, estimate: tuple[float, float, float]
) -> None:
    assert from_text(text).time_s_estimate == pytest.approx(estimate, rel=1e-15)
    assert from_text(text).estimate(parse_time_s) == from_text(text).time_s_estimate


@pytest.mark.parametrize("grade", ["standard", "assumed"])
def test_what_is_standard_or_assumed_is_exact(grade: str) -> None:
    assert from_text("12 µs", grade=grade, note="x").time_s_estimate == (12e-6, 12e-6, 12e-6)
    about = from_text("about 20 µs", grade=grade, note="x").time_s_estimate
    assert about == pytest.approx((20e-6, 19e-6, 21e-6))


def test_estimates_of_other_quantities() -> None:
    assert from_text("13.4 Gbit/s").capacity_estimate == pytest.approx((13.4e9, 13.35e9, 13.45e9))
    assert from_text("1.3").number_estimate == pytest.approx((1.3, 1.25, 1.35))
    assert from_text("5.0 pps out").capacity_estimate == pytest.approx((5, 4.95, 5.05))
    assert from_text("up to 5 Gbit/s ip").capacity_estimate == (5e9, 0, 5e9)
    assert from_text("about 1501").size_bytes_estimate == pytest.approx((1501, 1425.95, 1576.05))
    assert from_text("1000 to 2001 byte").size_bytes_estimate == (1500.5, 1000, 2001)


def test_a_range_holds_what_lies_between_its_ends() -> None:
    value = from_text("12 to 14 µs")
    assert [n for n in range(10, 17) if value.holds(f"{n} µs")] == [12, 13, 14]
    assert from_text("5.2 GHz").holds("5.2")
    assert not from_text("5.2 GHz").holds("4.1")


@pytest.mark.parametrize("text", ["8", "1500 B", "64 KiB", "4 MiB"])
def test_what_is_counted_is_exact(text: str) -> None:
    least, *others = from_text(text).size_bytes_estimate
    assert others == [least, least]


def test_a_bare_number_is_a_count_or_bytes() -> None:
    assert from_text("8").estimate(parse_count) == (8, 8, 8)
    assert from_text("1500").size_bytes_bounds == (1500, 1500)
    with pytest.raises(UnitError, match="'8': the unit is missing"):
        _ = from_text("8").time_s_estimate


@pytest.mark.parametrize(
    ("value", "name", "fault"),
    [
        (value_of(3, "KB"), "size_bytes_estimate", "KB' is ambiguous"),
        (value_of(-3, "µs"), "time_s_estimate", "'-3 µs': a time must not be negative"),
        (value_of(3, "Hz"), "capacity_estimate", "'3 Hz' is no capacity, RATE"),
        (value_of(3, "s", relation="sign"), "time_s_estimate", "sign 3 s is not a quantity"),
    ],
)
def test_an_estimate_needs_a_quantity_of_its_kind(value: Value, name: str, fault: str) -> None:
    with pytest.raises((UnitError, AmbiguousValueError), match=fault):
        getattr(value, name)
