"""What a document prints of the very case comes first: `predict`, `plan` and `compare`."""

import shlex
from pathlib import Path
from typing import Any

import pytest
from case_tables import cases
from invocation import printed, words

import netmodel
from netmodel.errors import DomainError

OSA7S = "osa-express7s-25gbe"


@pytest.mark.parametrize("case", [*cases(Path(__file__).with_name("published_first.toml"))])
def test_the_text_has_what_the_pages_print(case: dict[str, Any]) -> None:
    for command in case.get("commands", [case.get("command")]):
        shown = words(printed(*shlex.split(command)))
        missing = [each for each in case["words"] if each not in shown]
        assert not missing, shown
        assert not [each for each in case.get("absent", ()) if each in shown], shown


@pytest.mark.parametrize("count", ["ten", None, [1, 10], 0, -1, 1.5, True, float("nan")])
def test_no_number_of_connections_is_refused_in_one_way(count: Any) -> None:
    with pytest.raises(DomainError, match="connections must be"):
        netmodel.published.answer({"path": "zvm-vswitch", "connections": count}, "throughput")


def test_a_printed_bound_is_the_bottleneck_of_a_table() -> None:
    large = ("predict", "--adapter", OSA7S, "--workload", "rr1c-200x30k", "--mtu", "1500")
    table = printed(*large).splitlines()
    row = next(line for line in table if line.split()[:3] == ["1", "<=", "34,751"])
    assert " ".join(row.split("34,751")[1].split()) == "published limit RoCE is 2.8 times as"
