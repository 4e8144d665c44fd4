"""What is neither text nor what a question takes: refused by name, with what is allowed."""

from inspect import signature
from typing import Any

import pytest

import netmodel
from netmodel.errors import ContradictionError, DomainError

OSA = "osa-express7s-25gbe"


@pytest.mark.parametrize(
    ("question", "given", "message"),
    [
        ("plan", {"flows": True}, "flows must be a rate, text .*, or a Flow; got True"),
        ("plan", {"flows": "1G in", "adapters": OSA, "mtu_bytes": 1500, "km": []}, "km has no "),
        (
            "compare",
            {"baseline": 3, "variant": OSA},
            "baseline must be text .* or a mapping; got 3",
        ),
        ("ceiling", {"capacity": [True], "mtu_bytes": 1500}, r"a rate or a Capacity; got \[True\]"),
        (
            "ceiling",
            {"line_rate_bps": 1e9, "stack": 3},
            "^stack: .* such as 'ethernet.ipv4.tcp'; got 3",
        ),
        (
            "ceiling",
            {"line_rate_bps": 1e9, "mtu_bytes": 1500, "timestamps": "no"},
            "^timestamps must be True or False; got 'no'",
        ),
        ("predict", {"adapter": OSA, "mtu_bytes": 1500, "km": -1}, "^km must be at least 0"),
        ("plan", {"flows": "1G in", "spares": -1}, "^spares must be at least 0; got -1"),
        ("check", {"results": b"1", "line_rate_bps": 1e9}, "^results must be files, .*; got bytes"),
        ("check", {"results": "1G", "accept": 3}, "accept must be names .*; got 3"),
        ("check", {"results": "1G", "min_ratio": 1.2}, "^min_ratio must be .* at most 1; got 1.2"),
    ],
)
def test_a_wrong_kind_names_the_argument(
    question: str, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(DomainError, match=message):
        getattr(netmodel, question)(**given)


def test_no_results_are_no_pass() -> None:
    with pytest.raises(ContradictionError, match="give results"):
        netmodel.check([], line_rate_bps=1e9, mtu_bytes=1500)


def test_help_and_completion_show_every_argument() -> None:
    shown = str(signature(netmodel.plan))
    assert "client_cost=None" in shown
    assert "Kind" not in shown


@pytest.mark.parametrize("quantities", [["throughput"], ["notes"]])
def test_a_sweep_has_quantities_of_its_list_alone(quantities: list[str]) -> None:
    with pytest.raises(DomainError, match=r"no quantity .*; there are throughput_bps, "):
        netmodel.sweep(adapter=[OSA], mtu_bytes=1500, quantities=quantities)
