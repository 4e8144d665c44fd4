"""Formulas as SymPy expressions: the same numbers as the formulas, exact, and composable."""

from typing import Any

import pytest
import sympy
from formulas import FORMULA_LAYERS, public_functions
from scipy.optimize import brentq

import netmodel
from netmodel import ceilings, framing
from netmodel.errors import ContradictionError, DomainError, UnitError, UnknownRecordError
from netmodel.framing import tcp_stack
from netmodel.symbolic import expression
from netmodel.symbolic.formulas import formulas_by_name


def test_every_public_function_has_a_dotted_name() -> None:
    assert set(formulas_by_name().values()) == set(public_functions(*FORMULA_LAYERS))


def test_the_mtu_that_carries_a_payload_rate() -> None:
    """(M - 52) / (M + 38) = 24.5 / 25 by hand: M = (52 + 0.98 * 38) / 0.02 = 4462."""
    rate_bps = expression("ceilings.payload_rate_bps", line_rate_bps="25 Gbit/s")
    rate_bps = rate_bps.subs({"header_bytes": 52, "link_header_bytes": 14})
    assert sympy.solve(rate_bps.rewrite(sympy.Piecewise) - 24_500_000_000, "mtu_bytes") == [4462]

    def missing_bps(mtu_bytes: float) -> float:
        return ceilings.payload_rate_bps(25e9, mtu_bytes) - 24.5e9

    assert brentq(missing_bps, 1500, 9000) == pytest.approx(4462, rel=1e-9)


def test_fixed_arguments_are_exact() -> None:
    fixed = expression("efficiency_ratio", mtu_bytes=1500, header_bytes=52, link_header_bytes=14)
    assert fixed == sympy.Rational(1448, 1538)
    assert expression("consumption_ratio", cpu_time_ratio=0.3, data_ratio="0.1") == 3
    load = sympy.Symbol("offered_load_erlang")
    blocking = expression("erlang_b_blocking_ratio", parallel_count=1)
    assert sympy.simplify(blocking - load / (1 + load)) == 0


def test_text_is_read_in_the_unit_of_its_argument() -> None:
    assert expression("frame_rate_fps", line_rate_bps="25 Gbit/s", frame_bytes="1518") == (
        sympy.Rational(25 * 10**9, 8 * 1538)
    )
    with pytest.raises(UnitError, match="line_rate_bps"):
        expression("frame_rate_fps", line_rate_bps="25 s")


def test_one_expression_is_the_argument_of_the_next() -> None:
    payload = tcp_stack().payload_bytes(sympy.Symbol("mtu_bytes"))
    wire = expression("framing.wire_bytes", packet_bytes=payload + 52, link_header_bytes=14)
    rate = expression("layer_rate_bps", layer_bytes=payload, wire_bytes=wire)
    assert rate.subs({"mtu_bytes": 1500, "line_rate_bps": 25 * 10**9}) == sympy.Rational(
        1448 * 25 * 10**9, 1538
    )


def test_a_function_of_your_own_has_a_form() -> None:
    def twice(packet_bytes: Any) -> Any:
        return 2 * framing.wire_bytes(packet_bytes, 14)

    assert str(expression(twice)) == "2*Max(64, packet_bytes + 18) + 40"
    with pytest.raises(DomainError, match="no symbolic form: cannot determine truth value"):
        expression(lambda x: x if x > 1 else 0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"formula": "payload_rate"}, UnknownRecordError, "did you mean payload_rate_bps"),
        ({"formula": "wire_bytes", "mtu": 1}, ContradictionError, "it has packet_bytes"),
        ({"formula": "wire_bytes", "packet": 1}, ContradictionError, "did you mean packet_bytes"),
        ({"formula": "wire_bytes", "packet_bytes": -1}, DomainError, "must be at least 0 byte"),
        ({"formula": "wire_bytes", "packet_bytes": float("inf")}, DomainError, "must be finite"),
        ({"formula": lambda mtu_bytes: [mtu_bytes]}, DomainError, "returns a list, not one"),
        ({"formula": "line_ceiling"}, DomainError, "line_rate_bps must be one number"),
        ({"formula": "parse_stack"}, DomainError, "parse_stack needs text too"),
        ({"formula": "exact_closed_network"}, DomainError, "demands_s must hold one demand"),
        ({"formula": 7}, DomainError, "formula must be a function or its name"),
    ],
)
def test_what_cannot_be_is_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        expression(**arguments)


def test_no_result_is_made_of_symbols() -> None:
    with pytest.raises(UnitError, match="mtu_bytes must be a number in byte; got M"):
        netmodel.ceiling(25e9, sympy.Symbol("M"))  # type: ignore[arg-type]
