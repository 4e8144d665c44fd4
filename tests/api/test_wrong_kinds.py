"""What is neither text nor what a question takes: refused by name, with what is allowed."""

from typing import Any

import pytest

import netmodel
from netmodel.errors import DomainError

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
        ("check", {"results": "1G", "accept": 3}, "accept must be names .*; got 3"),
        ("check", {"results": "1G", "min_ratio": 1.2}, "^min_ratio must be .* at most 1; got 1.2"),
    ],
)
def test_a_wrong_kind_names_the_argument(
    question: str, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(DomainError, match=message):
        getattr(netmodel, question)(**given)
