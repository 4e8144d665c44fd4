"""Explained calculations: every line computes what it says, from numbers with units."""

import json
import math
import re
from typing import Any

import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas
from invocation import printed, refusal

import netmodel
from netmodel.ceilings import line_ceiling, payload_rate_bps
from netmodel.errors import ContradictionError, DomainError, UnitError, UnknownFormulaError
from netmodel.framing import parse_stack
from netmodel.symbolic import Explanation, explain

FORMULAS = public_formulas()
FACTORS = {
    **{
        f"{prefix}bit/s": factor
        for prefix, factor in zip("kMGT", (1e3, 1e6, 1e9, 1e12), strict=True)
    },
    "bit/s": 1,
    "ns": 1e-9,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1,
}
"""Units with prefixes, in base units; all others are printed in their base unit."""
NUMBER = re.compile(r"(?<![\w.])(\d[\d.]*(?:e[-+]?\d+)?)(?: ([a-zA-Zµ][\w/µ·^]*)|/(\w+))?(?![\w.])")
WORDS = {
    "⌈": "ceil(",
    "⌉": ")",
    "⌊": "floor(",
    "⌋": ")",
    "√": "sqrt",
    "−": "-",
    "·": "*",
    "^": "**",
    "ln(": "log(",
}


CONVERTERS = frozenset(
    {
        "ms_per_transaction_to_us_per_gbit",
        "us_per_gbit_to_gbps_per_core",
        "us_per_gbit_to_ms_per_transaction",
    }
)
OWN_UNITS = frozenset({"ms", "µs", "Gbit/s"})
"""Base units of the formulas that convert from or to them."""


def evaluated(numbers: str, own_units: frozenset[str] = frozenset()) -> float:
    """What a line of numbers with units comes to."""
    factors = {unit: 1 if unit in own_units else factor for unit, factor in FACTORS.items()}
    plain = NUMBER.sub(
        lambda each: f"({each.group(1)}*{factors.get(each.group(2) or '', 1)!r})", numbers
    )
    for word, python in WORDS.items():
        plain = plain.replace(word, python)
    names = {name: getattr(math, name) for name in ("ceil", "floor", "sqrt", "exp", "log")}
    return float(eval(plain, {"__builtins__": {}}, names | {"max": max, "min": min}))


def middle(formula: Formula) -> dict[str, Any]:
    ends = {name: DOMAINS[name] for name in formula.quantities}
    point = {name: low + 0.37 * (high - low) for name, (low, high) in ends.items()}
    return point | {name: CHOICES[name][0] for name in formula.choices}


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_every_line_computes_what_it_says(formula: Formula) -> None:
    point = middle(formula)
    explanation = explain(formula.function, **point)
    assert explanation.value == pytest.approx(formula.function(**point), rel=1e-12)
    own_units = OWN_UNITS if formula.function.__name__ in CONVERTERS else frozenset()
    for line in explanation.lines:
        computed = evaluated(line.numbers, own_units)
        assert computed == pytest.approx(line.value, rel=1e-7), line
        assert evaluated(line.text, own_units) == pytest.approx(line.value, rel=1e-9)
    assert max(map(len, explanation.text.splitlines())) <= 100
    assert explanation.source
    assert explanation.latex.count("{") == explanation.latex.count("}")
    assert explanation.latex.count(r"\left") == explanation.latex.count(r"\right")


def test_the_ceiling_of_a_line_as_published() -> None:
    """Adapter document, slides 12 and 13: 90 B of overhead, 0.941482444733, 23.537061118 Gbit/s."""
    explanation = explain("line_ceiling", line_rate_bps="25 Gbit/s", mtu_bytes=1500)
    lines = {line.name: line for line in explanation.lines}
    assert lines["overhead_bytes"].numbers == "7 B + 1 B + 14 B + 20 B + 20 B + 12 B + 4 B + 12 B"
    assert lines["overhead_bytes"].text == "90 B"
    assert lines["payload_bytes"].numbers == "1500 B − (20 B + 32 B)"
    assert lines["efficiency_ratio"].text == "0.941482444733"
    assert lines["payload_rate_bps"].text == "23.537061118 Gbit/s"


@pytest.mark.parametrize(
    "text",
    [
        "ethernet/ipv4/tcp",
        "ethernet/vlan/ipv6/tcp+timestamps",
        "ethernet/ipv4/tcp/tls",
        "ethernet/ipv4/esp/ipv4/tcp",
        "ethernet/ipv4/udp/vxlan/ethernet/ipv4/tcp",
        "ethernet/ipv4/udp/rocev2",
    ],
)
def test_every_line_of_a_ceiling_computes_what_it_says(text: str) -> None:
    ceiling = line_ceiling(25e9, 1500, parse_stack(text))
    explanation = explain(ceiling)
    values = {line.name: line.value for line in explanation.lines}
    assert values["payload_rate_bps"] == ceiling.payload_rate_bps
    assert values["overhead_bytes"] == ceiling.overhead_bytes
    message = explain(ceiling.message(30720))
    assert message.value == ceiling.message(30720).payload_rate_bps
    for line in (*explanation.lines, *message.lines):
        assert evaluated(line.numbers) == pytest.approx(line.value, rel=1e-8), line
    assert str(parse_stack(text)) in explanation.text


def test_the_ceiling_that_the_question_gives_is_explained() -> None:
    assert "23.537061118 Gbit/s" in explain(netmodel.ceiling("25 Gbit/s", 1500)).text


def test_text_latex_and_plain_values_say_the_same() -> None:
    explanation = explain(payload_rate_bps, line_rate_bps="25 Gbit/s", mtu_bytes=1500)
    assert "header_bytes       52 B (default)" in explanation.text
    assert "= 25 Gbit/s · 0.941482444733" in explanation.text
    assert "Source: RFC 6349" in explanation.text
    assert r"25\,\mathrm{Gbit/s}" in explanation.latex
    assert str(explanation) == explanation.text
    assert repr(explanation) == "<Explanation payload_rate_bps = 23.537061118 Gbit/s>"
    values = explanation.to_dict()
    assert values["value"] == payload_rate_bps(25e9, 1500)
    assert values["arguments"]["line_rate_bps"] == 25e9
    assert json.loads(json.dumps(values)) == values
    assert "<table" in explanation._repr_html_()
    assert explanation._repr_latex_().startswith("$")


def test_the_case_that_holds_is_named() -> None:
    whole = explain("udp_packet_count", datagram_bytes=1472, mtu_bytes=1500)
    split = explain("udp_packet_count", datagram_bytes=1473, mtu_bytes=1500)
    assert whole.value == 1
    assert split.value == 2
    assert whole.conditions == (
        "not datagram_bytes + 8 B > mtu_bytes − ip_header_bytes: 1472 B + 8 B > 1500 B − 20 B",
    )
    assert not split.conditions[0].startswith("not ")
    assert "Case" in whole.text


@pytest.mark.parametrize(
    ("formula", "arguments", "error", "message"),
    [
        ("payload_rate", {}, UnknownFormulaError, "did you mean payload_rate_bps"),
        (
            "framing.Stack.wire_byte",
            {},
            UnknownFormulaError,
            "did you mean framing.Stack.wire_bytes",
        ),
        ("wire_time_s", {"wire_bytes": 1}, DomainError, "needs line_rate_bps too"),
        ("wire_time_s", {"wire": 1}, ContradictionError, "did you mean wire_bytes"),
        ("wire_bytes", {"packet_bytes": -1}, DomainError, "packet_bytes must be at least 0 byte"),
        ("wire_bytes", {"packet_bytes": ...}, DomainError, "must be one number"),
        ("wire_bytes", {"packet_bytes": [1, 2]}, DomainError, "must be one number"),
        ("wire_bytes", {"packet_bytes": None}, DomainError, "needs packet_bytes too"),
        ("wire_bytes", {"packet_bytes": float("nan")}, DomainError, "got nan"),
        ("wire_bytes", {"packet_bytes": "1 s"}, UnitError, "packet_bytes"),
        ("exact_closed_network", {}, DomainError, "cannot be explained: a recursion"),
        ("ceiling_columns", {"line_rate_bps": 1e9}, DomainError, "needs mtu_bytes too"),
    ],
)
def test_what_cannot_be_explained_is_refused(
    formula: str, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        explain(formula, **arguments)


# The command


def test_the_command_prints_the_calculation() -> None:
    asked = ("explain", "payload_rate_bps", "line_rate_bps=25Gbit/s", "mtu-bytes=1500")
    explanation = explain("payload_rate_bps", line_rate_bps=25e9, mtu_bytes=1500)
    assert printed(*asked).rstrip() == explanation.text
    assert printed(*asked, "--latex").strip() == explanation.latex
    assert json.loads(printed(*asked, "--json")) == (
        explanation.to_dict() | {"latex": explanation.latex}
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("round_trip_s=1ms", "loss_event_ratio=0.01%"),
        ("round_trip_s=0.001", "loss_event_ratio=1e-4"),
        ("round_trip_s=1e3us", "loss_event_ratio=0.01 %"),
    ],
)
def test_values_of_the_command_have_a_unit_or_are_in_base_units(arguments: tuple[str, str]) -> None:
    explanation = explain(
        "mathis_payload_rate_bps", segment_bytes=1448, round_trip_s=0.001, loss_event_ratio=1e-4
    )
    asked = ("explain", "mathis_payload_rate_bps", "segment_bytes=1448", *arguments)
    assert printed(*asked).rstrip() == explanation.text


def test_the_command_lists_all_formulas() -> None:
    listed = printed("explain", "--list")
    assert "ceilings.payload_rate_bps(" in listed
    assert "tuning.parse_cpu_list" not in listed
    rows = json.loads(printed("explain", "--list", "--json"))
    assert {"formula", "summary", "arguments"} == set(rows[0])
    assert len(rows) >= len(FORMULAS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a formula, or list all with --list"),
        (("--list", "wire_bytes"), "give no formula with it"),
        (("wire_time",), "did you mean wire_time_s?"),
        (("wire_bytes", "1500"), "is no NAME=VALUE"),
        (("wire_bytes", "packet_bytes=1", "packet-bytes=2"), "packet_bytes is given twice"),
        (("wire_bytes", "packet=1"), "did you mean packet_bytes?"),
        (("wire_bytes", "packet_bytes="), "packet_bytes"),
        (("wire_bytes", "packet_bytes=nan"), "packet_bytes must be a number; got nan"),
        (("wire_bytes", "packet_bytes=inf"), "packet_bytes must be finite; got inf"),
    ],
)
def test_the_command_refuses_what_it_cannot_explain(
    arguments: tuple[str, ...], message: str
) -> None:
    assert message in refusal("explain", *arguments)


def test_an_explanation_is_exported() -> None:
    assert isinstance(explain("wire_bytes", packet_bytes=1500), Explanation)


def test_a_calculation_goes_on_below_itself_in_a_narrow_terminal() -> None:
    written = explain("ceilings.line_ceiling", line_rate_bps=25e9, mtu_bytes=1500)
    lines = written.text_within(60).splitlines()
    assert max(map(len, lines)) <= 60
    assert all(line.strip() not in {"+", "·", "/", "−"} for line in lines)
    assert written.text_within(98) == written.text
