"""Inverses, derivatives and elasticities: checked against the formulas themselves."""

import math
from typing import Any

import pytest
import sympy
from formulas import DOMAINS, Formula, public_formulas

from netmodel.errors import ContradictionError, DomainError, UnknownFormulaError
from netmodel.symbolic import Solution, derivative, elasticity, solve

FORMULAS = public_formulas()
SAWTEETH = {"page_fill_ratio", "tail_bytes"}
STEP = 1e-6
"""Relative change for a difference quotient: half the digits of a float."""


def middle(formula: Formula) -> dict[str, float]:
    """A point inside of all domains, at no round numbers."""
    return {
        name: low + (high - low) * (0.31 + 0.017 * place)
        for place, (name, (low, high)) in enumerate(
            (name, DOMAINS[name]) for name in formula.quantities
        )
    }


INVERTED = [each for each in FORMULAS if len(each.quantities) <= 3 and not each.choices]


@pytest.mark.parametrize("formula", INVERTED, ids=str)
def test_a_solution_gives_the_wanted_result(formula: Formula) -> None:
    """Every argument of every small formula: what it was is among the solutions."""
    point = middle(formula)
    wanted = formula.function(**point)
    name = formula.quantities[0]
    rest = {each: value for each, value in point.items() if each != name}
    asked = {formula.function.__name__: wanted, **rest}
    if formula.function.__name__ in SAWTEETH:
        with pytest.raises(DomainError, match="both rises and falls"):
            solve(formula.function, for_=name, **asked)
        return
    solution = solve(formula.function, for_=name, **asked)
    results = [formula.function(**{**point, name: float(each)}) for each in solution]
    assert results == pytest.approx([wanted] * len(results), rel=1e-9)
    if solution.is_exact and not solution.notes:
        assert any(math.isclose(float(each), point[name], rel_tol=1e-6) for each in solution)


@pytest.mark.parametrize("formula", INVERTED, ids=str)
def test_an_elasticity_is_a_quotient_of_relative_differences(formula: Formula) -> None:
    point = middle(formula)
    name = formula.quantities[-1]
    low, high = (
        formula.function(**{**point, name: point[name] * factor}) for factor in (1 - STEP, 1 + STEP)
    )
    known = (high - low) / (2 * STEP) / formula.function(**point)
    computed = float(elasticity(formula.function, by=name, **point))
    assert computed == pytest.approx(known, rel=1e-4, abs=1e-6)


def test_closed_forms_of_symbols() -> None:
    (trip,) = solve("window_payload_rate_bps", for_="round_trip_s", flow_count=...)
    assert str(trip) == "8*flow_count*window_bytes/window_payload_rate_bps"
    (ratio,) = solve("frame_loss_ratio", for_="bit_error_ratio", frame_bytes=1518)
    assert str(ratio) == "1 - (1 - frame_loss_ratio)**(1/12144)"


def test_a_maximum_has_a_value_on_both_sides() -> None:
    counts = {"rate_at_one_tps": 1000, "contention_ratio": 0.02, "coherency_ratio": 0.001}
    solution = solve(
        "scalability_rate_tps", for_="connection_count", scalability_rate_tps=8000, **counts
    )
    assert [float(each) for each in solution] == pytest.approx([10.2331904393, 95.7668095607])


def test_numbers_without_a_closed_form_say_so() -> None:
    solution = solve(
        "tfrc_payload_rate_bps",
        for_="loss_event_ratio",
        tfrc_payload_rate_bps="100 Mbit/s",
        segment_bytes=1448,
        round_trip_s="10 ms",
    )
    assert not solution.is_exact
    assert "No closed form" in solution.notes[0]
    assert solution.to_dict()["values"] == [pytest.approx(0.000200558899917)]
    assert "computed by bracketing" in str(solution)


def test_a_range_where_the_formula_rounds() -> None:
    solution = solve("segment_count", for_="message_bytes", segment_bytes=1448, segment_count=3)
    assert solution.values == (4344,)
    assert "between 2896 and 4344" in solution.notes[1]
    down = solve(
        "segments_per_aggregate_count",
        for_="max_aggregate_bytes",
        segment_bytes=1448,
        segments_per_aggregate_count=45,
    )
    assert down.values == (65481,)


@pytest.mark.parametrize(
    ("formula", "name", "known", "error", "message"),
    [
        ("efficiency_ratio", "mtu_bytes", {"efficiency_ratio": 2}, DomainError, "no mtu_bytes"),
        (
            "segment_count",
            "message_bytes",
            {"segment_bytes": 1448, "segment_count": 2.5},
            DomainError,
            "at 2896 it steps from 2 to 3",
        ),
        ("efficiency_ratio", "mtu", {}, ContradictionError, "did you mean mtu_bytes"),
        ("efficiency_ratio", "mtu_bytes", {"mtu_bytes": 1}, ContradictionError, "is given"),
        ("efficiency_ratio", "mtu_bytes", {}, DomainError, "give numbers for efficiency_ratio"),
        ("efficiency", "mtu_bytes", {}, UnknownFormulaError, "did you mean efficiency_ratio"),
        ("line_ceiling", "mtu_bytes", {}, ContradictionError, "several results"),
    ],
)
def test_what_has_no_solution_is_refused(
    formula: str, name: str, known: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        solve(formula, for_=name, **known)


def test_elasticities_that_are_known() -> None:
    assert elasticity("mathis_payload_rate_bps", by="loss_event_ratio") == sympy.Rational(-1, 2)
    assert elasticity("window_payload_rate_bps", by="round_trip_s") == -1
    of_mtu = elasticity(
        "payload_rate_bps", by="mtu_bytes", mtu_bytes=1500, header_bytes=52, link_header_bytes=14
    )
    assert of_mtu == sympy.Rational(1500, 1448) - sympy.Rational(1500, 1538)
    cubic = elasticity("cubic_payload_rate_bps", by="loss_event_ratio")
    assert [each for each, _ in cubic.args] == [sympy.Rational(-1, 2), sympy.Rational(-3, 4)]


def test_a_step_function_is_flat_between_steps() -> None:
    assert derivative("segment_count", by="message_bytes") == 0
    both = derivative("line_ceiling", by="line_rate_bps", mtu_bytes=1500)
    assert isinstance(both, dict)
    assert both["payload_rate_bps"] == sympy.Rational(1448, 1538)


def test_an_argument_that_does_not_exist() -> None:
    with pytest.raises(ContradictionError, match="did you mean mtu_bytes"):
        derivative("efficiency_ratio", by="mtu")
    with pytest.raises(DomainError, match="mtu_bytes must be above 52 byte; got 10"):
        derivative("efficiency_ratio", by="mtu_bytes", mtu_bytes=10, header_bytes=52)


def test_a_solution_is_a_sequence_of_values() -> None:
    solution = Solution("mtu_bytes", (1500,), is_exact=True)
    assert (len(solution), list(solution), str(solution)) == (1, [1500], "mtu_bytes = 1500 byte")
