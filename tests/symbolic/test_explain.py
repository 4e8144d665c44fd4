"""Explained calculations: numbers with units compute the result that stands below them."""

import json
import math
import re
from typing import Any

import pytest
from formulas import CHOICES, DOMAINS, Formula, public_formulas
from invocation import printed, refusal

from netmodel.ceilings import payload_rate_bps
from netmodel.errors import ContradictionError, DomainError, UnitError, UnknownRecordError
from netmodel.symbolic import explain

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
CONVERTERS = frozenset(
    {
        "ms_per_transaction_to_us_per_gbit",
        "us_per_gbit_to_gbps_per_core",
        "us_per_gbit_to_ms_per_transaction",
    }
)
OWN_UNITS = frozenset({"ms", "µs", "Gbit/s"})
"""Base units of the formulas that convert from or to them."""


AS_DOCUMENTED = frozenset(
    {
        "lossy_transfer_time_s",
        "slow_start_round_count",
        "pftk_payload_rate_bps",
        "pftk_received_rate_bps",
        "required_mtu_bytes",
        "short_transfer_time_s",
    }
)
"""Formulas whose expression is longer than a screen."""


def evaluated(numbers: str, own_units: frozenset[str] = frozenset()) -> float:
    """What a line of numbers with units comes to."""
    factors = {unit: 1 if unit in own_units else factor for unit, factor in FACTORS.items()}
    plain = NUMBER.sub(
        lambda each: f"({each.group(1)}*{factors.get(each.group(2) or '', 1)!r})", numbers
    )
    plain = plain.replace("·", "*").replace("^", "**")
    names = {name: getattr(math, name) for name in ("ceil", "floor", "sqrt", "exp", "log")}
    return float(eval(plain, {"__builtins__": {}}, names | {"max": max, "min": min}))


def middle(formula: Formula) -> dict[str, Any]:
    ends = {name: DOMAINS[name] for name in formula.quantities}
    point = {name: low + 0.37 * (high - low) for name, (low, high) in ends.items()}
    return point | {name: CHOICES[name][0] for name in formula.choices}


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_the_numbers_compute_the_result(formula: Formula) -> None:
    point = middle(formula)
    explanation = explain(formula.function, **point)
    assert explanation.value == formula.function(**point)
    own_units = OWN_UNITS if formula.function.__name__ in CONVERTERS else frozenset()
    if formula.function.__name__ in AS_DOCUMENTED:
        assert explanation.equation.count("{") == explanation.equation.count("}")
    else:
        computed = evaluated(explanation.numbers, own_units)
        assert computed == pytest.approx(explanation.value, rel=1e-7), explanation.numbers
    shown = explanation.text.partition(" (")[0]  # without what it is in KiB
    assert evaluated(shown, own_units) == pytest.approx(explanation.value, rel=1e-9)
    text = explanation.text_within(98).splitlines()
    assert max(map(len, text)) <= 98
    assert len(text) <= 40, "more than one screen"
    assert explanation.source
    assert text[0].startswith(f"{explanation.name} = ")


def test_the_ceiling_of_a_line_as_published() -> None:
    """Adapter document, slides 12 and 13: 1448 of 1538 B, 23.537061118 Gbit/s."""
    explanation = explain(payload_rate_bps, line_rate_bps="25 Gbit/s", mtu_bytes=1500)
    assert explanation.equation == (
        "line_rate_bps · (mtu_bytes - header_bytes) / "
        "(max(64, link_header_bytes + mtu_bytes + 4) + 20)"
    )
    assert explanation.numbers == (
        "25 Gbit/s · (1500 B - 52 B) / (max(64, 14 B + 1500 B + 4) + 20)"
    )
    assert explanation.text == "23.537061118 Gbit/s"
    assert "header_bytes       52 B (default)" in str(explanation)
    assert "RFC 6349" in explanation.source
    assert repr(explanation) == "<Explanation payload_rate_bps = 23.537061118 Gbit/s>"
    values = explanation.to_dict()
    assert values["value"] == payload_rate_bps(25e9, 1500)
    assert values["arguments"]["line_rate_bps"] == 25e9
    assert json.loads(json.dumps(values)) == values
    assert "<table" in explanation._repr_html_()


def test_the_case_that_holds_is_named() -> None:
    whole = explain("udp_packet_count", datagram_bytes=1472, mtu_bytes=1500)
    split = explain("udp_packet_count", datagram_bytes=1473, mtu_bytes=1500)
    assert whole.value == 1
    assert split.value == 2
    assert whole.conditions == (
        "datagram_bytes <= mtu_bytes - ip_header_bytes - 8: 1472 B <= 1500 B - 20 B - 8",
    )
    assert split.conditions[0].startswith("datagram_bytes > ")
    assert "Case" in str(whole)


def test_a_formula_that_looks_at_values_has_the_equation_of_its_documentation() -> None:
    explanation = explain("erlang_b_blocking_ratio", offered_load_erlang=1.5, parallel_count=2)
    assert explanation.value == pytest.approx(1.125 / (1 + 1.5 + 1.125))
    assert "\\frac" in explanation.equation
    assert explanation.numbers == ""


@pytest.mark.parametrize(
    ("formula", "arguments", "error", "message"),
    [
        ("payload_rate", {}, UnknownRecordError, "did you mean payload_rate_bps"),
        ("wire_time_s", {"wire_bytes": 1}, DomainError, "needs line_rate_bps too"),
        ("wire_time_s", {"wire": 1}, ContradictionError, "did you mean wire_bytes"),
        ("wire_bytes", {"packet_bytes": -1}, DomainError, "packet_bytes must be at least 0 byte"),
        ("wire_bytes", {"packet_bytes": [1, 2]}, DomainError, "returns a ndarray"),
        ("wire_bytes", {"packet_bytes": None}, DomainError, "needs packet_bytes too"),
        ("wire_bytes", {"packet_bytes": float("nan")}, DomainError, "got nan"),
        ("wire_bytes", {"packet_bytes": "1 s"}, UnitError, "packet_bytes"),
        (
            "line_ceiling",
            {"line_rate_bps": 25e9, "mtu_bytes": 1500},
            DomainError,
            "returns a LineCeiling, not one number",
        ),
    ],
)
def test_what_cannot_be_explained_is_refused(
    formula: str, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        explain(formula, **arguments)


# The command


def test_the_command_prints_the_calculation() -> None:
    asked = ("explain", "payload_rate_bps", "line_rate_bps=25Gbit/s", "mtu_bytes=1500")
    explanation = explain("payload_rate_bps", line_rate_bps=25e9, mtu_bytes=1500)
    assert printed(*asked).rstrip() == str(explanation)
    assert json.loads(printed(*asked, "--json")) == explanation.to_dict()


def test_the_command_lists_all_formulas() -> None:
    listed = printed("explain", "--list")
    assert "ceilings.payload_rate_bps " in listed
    assert "tuning.parse_cpu_list" not in listed
    rows = json.loads(printed("explain", "--list", "--json"))
    assert {"formula", "summary", "arguments"} == set(rows[0])
    assert len(rows) >= len(FORMULAS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a formula, or list all with --list"),
        (("wire_time",), "did you mean wire_time_s?"),
        (("wire_bytes", "1500"), "'1500': write name=value"),
        (("wire_bytes", "packet=1"), "did you mean packet_bytes?"),
        (("wire_bytes", "packet_bytes="), "packet_bytes"),
        (("wire_bytes", "packet_bytes=nan"), "'nan' is not a finite number"),
        (("wire_bytes", "packet_bytes=inf"), "'inf' is not a finite number"),
    ],
)
def test_the_command_refuses_what_it_cannot_explain(
    arguments: tuple[str, ...], message: str
) -> None:
    assert message in refusal("explain", *arguments)
