"""Formulas as SymPy expressions: the same numbers as the formulas, exact, and composable."""

from fractions import Fraction
from typing import Any

import pytest
import sympy
from formulas import FORMULA_LAYERS, public_functions

from netmodel import ceilings, framing
from netmodel.errors import ContradictionError, DomainError, UnitError, UnknownFormulaError
from netmodel.framing import parse_stack, tcp_stack
from netmodel.symbolic import expression
from netmodel.symbolic._formulas import formulas_by_name


def test_every_public_function_has_a_dotted_name() -> None:
    assert {each.function for each in formulas_by_name().values()} == set(
        public_functions(*FORMULA_LAYERS)
    )


@pytest.mark.parametrize("name", ["ceilings.frame_rate_fps", "frame_rate_fps"])
def test_a_formula_is_found_by_its_name(name: str) -> None:
    assert expression(name) == expression(ceilings.frame_rate_fps)
    assert str(expression(name)) == "line_rate_bps/(8*frame_bytes + 160)"


def test_checks_become_assumptions() -> None:
    symbols = {each.name: each for each in expression("framing.wire_bytes").free_symbols}
    assert symbols["packet_bytes"].is_nonnegative
    assert not symbols["packet_bytes"].is_positive
    rate = {each.name: each for each in expression("ceilings.payload_rate_bps").free_symbols}
    assert rate["line_rate_bps"].is_positive


def test_fixed_arguments_are_exact() -> None:
    fixed = expression("efficiency_ratio", mtu_bytes=1500, header_bytes=52, link_header_bytes=14)
    assert fixed == sympy.Rational(1448, 1538)
    assert expression("consumption_ratio", cpu_time_ratio=0.3, data_ratio="0.1") == 3
    assert expression("wire_bytes", packet_bytes=Fraction(3, 2), link_header_bytes=100) == (
        sympy.Rational(251, 2)
    )


def test_text_is_read_in_the_unit_of_its_argument() -> None:
    assert expression("frame_rate_fps", line_rate_bps="25 Gbit/s", frame_bytes="1518") == (
        sympy.Rational(25 * 10**9, 8 * 1538)
    )
    with pytest.raises(UnitError, match="line_rate_bps"):
        expression("frame_rate_fps", line_rate_bps="25 s")


@pytest.mark.parametrize(
    "text",
    ["ethernet/vlan/ipv6/tcp", "ethernet/ipv4/udp", "ethernet/ipv4/esp/ipv4/tcp/tls"],
)
def test_a_stack_has_expressions(text: str) -> None:
    stack = parse_stack(text)
    line = expression("line_ceiling", stack=text, message_bytes=...)
    assert isinstance(line, dict)
    for mtu_bytes, message_bytes in ((1500, 30720), (1280, 100), (9000, 8961)):
        point = {
            "mtu_bytes": mtu_bytes,
            "message_bytes": message_bytes,
            "line_rate_bps": 25 * 10**9,
        }
        known = ceilings.ceiling_columns(25e9, mtu_bytes, stack, message_bytes)
        for name, column in line.items():
            values = {each: point[each.name] for each in column.free_symbols}
            assert float(column.subs(values)) == pytest.approx(float(known[name]), rel=1e-13)
    bound = expression(stack.message_wire_bytes)
    assert bound == expression("framing.Stack.message_wire_bytes", stack=stack)
    assert bound.subs({each: point[each.name] for each in bound.free_symbols}) == (
        stack.message_wire_bytes(8961, 9000)
    )


def test_one_expression_is_the_argument_of_the_next() -> None:
    payload = expression(tcp_stack().payload_bytes)
    wire = expression("framing.wire_bytes", packet_bytes=payload + 52, link_header_bytes=14)
    rate = expression("layer_rate_bps", layer_bytes=payload, wire_bytes=wire)
    assert {each.name for each in rate.free_symbols} == {"mtu_bytes", "line_rate_bps"}
    rate = rate.subs({each: 1500 for each in rate.free_symbols if each.name == "mtu_bytes"})
    assert rate.subs(dict.fromkeys(rate.free_symbols, 25 * 10**9)) == sympy.Rational(
        1448 * 25 * 10**9, 1538
    )


def test_a_function_of_your_own_has_a_form() -> None:
    def twice(packet_bytes: Any) -> Any:
        return 2 * framing.wire_bytes(packet_bytes)

    assert str(expression(twice)) == "2*Max(64, packet_bytes + 18) + 40"
    assert expression(lambda x: x / 8).has(sympy.Rational(1, 8))
    with pytest.raises(DomainError, match="no symbolic form: a formula that looks at values"):
        expression(lambda x: x if x > 1 else 0)


def test_whole_arguments_must_be_fixed() -> None:
    blocking = expression("erlang_b_blocking_ratio", parallel_count=1)
    (load,) = blocking.free_symbols
    assert sympy.simplify(blocking - load / (1 + load)) == 0
    with pytest.raises(DomainError, match="no symbolic form"):
        expression("erlang_b_blocking_ratio")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"formula": "payload_rate"}, UnknownFormulaError, "did you mean payload_rate_bps"),
        ({"formula": "wire_bytes", "mtu": 1}, ContradictionError, "it has packet_bytes"),
        ({"formula": "wire_bytes", "packet": 1}, ContradictionError, "did you mean packet_bytes"),
        ({"formula": "wire_bytes", "packet_bytes": -1}, DomainError, "must be at least 0 byte"),
        (
            {"formula": "wire_bytes", "packet_bytes": float("inf")},
            DomainError,
            "packet_bytes must be",
        ),
        ({"formula": "parse_stack"}, DomainError, "parse_stack has no symbolic form: reads"),
        ({"formula": 7}, DomainError, "formula must be a function or its name"),
    ],
)
def test_what_cannot_be_is_refused(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        expression(**arguments)


def test_numbers_of_the_smaller_and_of_whole_numbers_below() -> None:
    assert expression("transport.effective_window_bytes").func is sympy.Min
    count = expression(framing.segments_per_aggregate_count)
    assert count.has(sympy.floor)
    assert not expression("consumption.required_cpu_count").has(sympy.Float)
