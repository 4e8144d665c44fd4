"""Values keep what is printed, and say what they do not know."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from netmodel.errors import AmbiguousValueError, NetmodelError, UnitError
from netmodel.records import Grade, Relation, Value

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
def test_the_last_printed_digit_tells_the_rounding(printed: str, half: str) -> None:
    assert value_of(Decimal(printed)).rounding_half_width == Decimal(half)


@pytest.mark.parametrize("printed", ["2500", "10", "-30", "100000000000000000000000000000"])
def test_zeros_at_the_end_of_an_integer_tell_nothing(printed: str) -> None:
    assert value_of(Decimal(printed)).rounding_half_width is None


def test_a_resolution_says_what_the_digits_do_not() -> None:
    assert value_of(2500, resolution=100).rounding_half_width == 50
    assert value_of(Decimal("13.4"), resolution=Decimal("0.2")).rounding_half_width == Decimal(
        "0.1"
    )


def test_a_range_has_ends_and_no_rounding() -> None:
    assert range_of(20, 21).rounding_half_width is None


@given(st.decimals(-(10**6), 10**6, places=3))
def test_a_figure_lies_within_its_rounding_of_what_was_rounded(exact: Decimal) -> None:
    printed = round(exact, 1)
    half = value_of(printed).rounding_half_width
    assert half is not None
    assert abs(printed - exact) <= half


def test_figures_in_base_units() -> None:
    assert value_of(Decimal("13.4"), "Gbit/s").rate_bps == 13.4e9
    assert value_of(30, "KiB").size_bytes == 30720
    assert value_of(Decimal("1.2"), "µs").time_s == 1.2e-6
    assert value_of(Decimal("2e3"), "byte").size_bytes == 2000


@pytest.mark.parametrize("name", ["size_bytes", "rate_bps", "time_s", "size_bytes_bounds"])
def test_an_unknown_unit_is_named(name: str) -> None:
    with pytest.raises(UnitError, match="furlong"):
        getattr(value_of(3, "furlong"), name)


def test_a_unit_of_another_kind_is_refused() -> None:
    with pytest.raises(UnitError, match="Gbit/s"):
        _ = value_of(25, "Gbit/s").size_bytes


def test_an_ambiguous_unit_is_refused() -> None:
    with pytest.raises(UnitError, match="KB may mean 1000 or 1024"):
        _ = value_of(32, "KB").size_bytes


@pytest.mark.parametrize("name", ["size_bytes", "rate_bps", "time_s"])
def test_a_range_is_not_one_number(name: str) -> None:
    with pytest.raises(AmbiguousValueError, match="20 to 21 byte is not one number") as caught:
        getattr(range_of(20, 21), name)
    assert isinstance(caught.value, NetmodelError)
    assert isinstance(caught.value, ValueError)


def test_bounds_of_a_size() -> None:
    assert range_of(20, 21, "KiB").size_bytes_bounds == (20480, 21504)
    assert value_of(200).size_bytes_bounds == (200, 200)


@pytest.mark.parametrize(
    "relation", sorted(set(Relation) - {Relation.EQUAL, Relation.RANGE}, key=str)
)
def test_other_relations_do_not_bound_a_size(relation: Relation) -> None:
    value = value_of(200, relation=relation)
    assert value.size_bytes == 200
    with pytest.raises(AmbiguousValueError, match="200 byte does not bound"):
        _ = value.size_bytes_bounds


def test_relations_are_printed() -> None:
    assert str(value_of(5)) == "5 byte"
    assert str(value_of(5, relation="up_to")) == "up to 5 byte"
    assert str(value_of(5, relation="censored_above")) == "censored above 5 byte"
    assert str(range_of(4, 5)) == "4 to 5 byte"


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
        ({"low": 4}, "neither low nor high"),
        ({"relation": "range"}, "relation range has low and high"),
        ({"relation": "range", "low": 4, "high": 6}, "and no value"),
        ({"relation": "range", "value": None, "low": 4}, "low and high"),
        ({"relation": "range", "value": None, "low": 6, "high": 4}, "got 6 and 4"),
        ({"relation": "roughly"}, "Input should be 'equal', 'about'"),
        ({"resolution": 0}, "resolution must be above 0"),
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


@pytest.mark.parametrize("missing", ["unit", "source", "locator", "grade"])
def test_a_value_needs_unit_source_place_and_grade(missing: str) -> None:
    parts = SOURCED | {"value": 5, "unit": "byte"}
    del parts[missing]
    with pytest.raises(ValidationError, match=missing):
        Value.model_validate(parts)


def test_values_do_not_change() -> None:
    value = value_of(5)
    with pytest.raises(ValidationError, match="frozen"):
        value.value = Decimal(6)  # type: ignore[misc]
    assert hash(value) == hash(value_of(5))


def test_the_provenance_is_one_line() -> None:
    assert value_of(5).provenance == "published; adapter, slide 21"
    assumed = value_of(5, grade=Grade.ASSUMED, note="read off a figure")
    assert assumed.provenance == "assumed; adapter, slide 21; read off a figure"


def test_grades_stand_from_best_to_worst() -> None:
    names = [grade.value for grade in Grade]
    assert names == ["standard", "measured", "published", "derived", "fitted", "assumed"]
