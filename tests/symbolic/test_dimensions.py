"""Every formula adds and compares equal dimensions only, and returns what its docstring says."""

import re
from collections.abc import Callable
from typing import Any

import dimensions
import pytest
from dimensions import CONSTANTS, faults_of, named_constants
from formulas import CHOICES, Formula, public_formulas

from netmodel import framing, units
from netmodel._numeric import maximum, where
from netmodel.framing import SILENT_BYTES
from netmodel.symbolic._dimensions import dimension, unit_text
from netmodel.symbolic._formulas import Formula as Named
from netmodel.symbolic._formulas import formula_of

FORMULAS = public_formulas()
OF_CHOICE = {
    "to_us_per_gbit": ({"consumption": "µs/Gbit"}, "checked for one unit; others differ by factors")
}
"""Units of arguments whose unit is another argument, and what remains unchecked."""
CANCELS = {"lossy_transfer_time_s"}
"""Formulas that multiply by a factor and divide by it: one alone that is missing would be seen."""


def faults(formula: Formula, **changed: str) -> list[str]:
    named = formula_of(formula.function)
    known, _ = OF_CHOICE.get(named.short_name, ({}, ""))
    chosen = {name: CHOICES[name][0] for name in formula.choices}
    return faults_of(named, {**known, **changed}, **chosen)


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_a_formula_has_the_dimensions_that_its_names_say(formula: Formula) -> None:
    assert faults(formula) == []


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_every_argument_matters_for_the_dimensions(formula: Formula) -> None:
    unseen = [name for name in formula.quantities if not faults(formula, **{name: "kg"})]
    assert not unseen, "an argument in kilograms went unseen"


def with_bits(formula: Formula) -> bool:
    """Whether a factor between bits and bytes is in a formula."""
    names = formula.function.__code__.co_names
    return "BITS_PER_BYTE" in names and formula.function.__name__ not in CANCELS


@pytest.mark.parametrize("formula", [each for each in FORMULAS if with_bits(each)], ids=str)
def test_a_missing_factor_8_is_seen(formula: Formula, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CONSTANTS, "BITS_PER_BYTE", ("1", "planted: a factor without its unit"))
    assert faults(formula)


def planted(function: Callable[..., Any], like: Callable[..., Any]) -> list[str]:
    """Faults of a function with the name and docstring of a formula."""
    return faults_of(Named(formula_of(like).name, like, function))


def test_planted_errors_are_caught() -> None:
    from netmodel.ceilings import frame_rate_fps, wire_time_s
    from netmodel.transport import retransmission_timeout_s

    def without_factor(line_rate_bps: Any, frame_bytes: Any) -> Any:
        return line_rate_bps / (frame_bytes + 20)

    def bytes_and_seconds(wire_bytes: Any, line_rate_bps: Any) -> Any:
        return units.BITS_PER_BYTE * wire_bytes / line_rate_bps + wire_bytes

    def upside_down(wire_bytes: Any, line_rate_bps: Any) -> Any:
        return line_rate_bps / wire_bytes

    def compared(round_trip_s: Any, deviation_s: Any) -> Any:
        return where(round_trip_s > 5, round_trip_s, 4 * deviation_s)

    def chosen(round_trip_s: Any, deviation_s: Any) -> Any:
        return round_trip_s + maximum(framing.SILENT_BYTES, 4 * deviation_s)

    assert "add of byte and 1" in planted(without_factor, frame_rate_fps)
    assert planted(bytes_and_seconds, wire_time_s) != []
    assert planted(upside_down, wire_time_s) != []
    assert planted(compared, retransmission_timeout_s) == ["greater of s and 1"]
    assert planted(chosen, retransmission_timeout_s) != []


def test_constants_keep_their_values_and_are_put_back() -> None:
    with named_constants():
        assert framing.SILENT_BYTES == SILENT_BYTES == 20
        assert type(framing.SILENT_BYTES) is dimensions.Constant
    assert type(framing.SILENT_BYTES) is int


def test_every_listed_constant_exists() -> None:
    with named_constants():
        named = {
            name
            for names in dimensions._namespaces()
            for name in names
            if name.strip("_").isupper()
        }
    fields = {"WRITE", "READ", "COMPLETION"}
    assert set(CONSTANTS) - named - fields == set()
    assert all(reason for _, reason in CONSTANTS.values())


@pytest.mark.parametrize(
    ("unit", "text"),
    [("bit/s", "bit/s"), ("Hz", "1/s"), ("frame/s", "1/s"), ("", "1"), ("1/s^3", "1/s^3")],
)
def test_units_are_read_and_written(unit: str, text: str) -> None:
    assert unit_text(dimension(unit)) == text
    assert re.fullmatch(r"[\w/^·]+", text)
