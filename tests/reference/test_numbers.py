"""
Numbers of formulas, header stacks and lines, and what formulas refuse.

``numbers.toml`` and ``connections.toml`` have the arguments, the numbers and their sources,
``refusals.toml`` has what is impossible and the words of its refusal.
"""

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import cases, known

from netmodel.ceilings import line_ceiling
from netmodel.errors import NetmodelError
from netmodel.framing import parse_stack
from netmodel.symbolic.formulas import formula_of, read_arguments


def table(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


TABLES = table("numbers.toml")
REFUSED = [
    (name, case) for name, rows in table("refusals.toml").items() for case in rows["refused"]
]


def computed(name: str, given: dict[str, Any]) -> Any:
    """A number of a stack, of a line or of a formula."""
    kind, _, quantity = name.partition(".")
    if kind == "stack":
        found = getattr(parse_stack(given.pop("stack")), quantity)
        return found(**given) if callable(found) else found
    if kind == "line":
        line = line_ceiling(
            given["line_rate_bps"],
            given["mtu_bytes"],
            parse_stack(given.get("stack", "ethernet/ipv4/tcp+timestamps")),
        )
        messages = line.message(given["message_bytes"]) if "message_bytes" in given else line
        return getattr(messages, quantity)
    function = formula_of(name)
    return function(**read_arguments(function, given))


def called(name: str, given: Any) -> Any:
    """What a formula gives for arguments by position or by name."""
    package, function = name.rsplit(".", 1)
    positional, named = ((), given) if isinstance(given, dict) else (given, {})
    return getattr(import_module(f"netmodel.{package}"), function)(*positional, **named)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_numbers_are_those_of_the_source(table: dict[str, Any]) -> None:
    """Each row is the arguments in the order of `names`, then the number in units of `unit`."""
    unit, tolerance = table.get("unit", 1), table.get("abs")
    for *arguments, expected in table["rows"]:
        given = dict(zip(table["names"], arguments, strict=True)) | table.get("fixed", {})
        if "stack" in given:
            given["stack"] = given["stack"].join(table.get("around", ["", ""]))
        result = np.asarray(computed(table["of"], given)) / unit
        wanted = pytest.approx(expected, rel=1e-12, abs=tolerance)
        assert result == wanted, (arguments, table["source"])


@pytest.mark.parametrize("case", [*cases(Path(__file__).with_name("connections.toml"))])
def test_a_formula_gives_what_is_known(case: dict[str, Any]) -> None:
    """Each table is named after its source; ``places`` are the digits that it prints."""
    found = called(case["formula"], case["arguments"])
    if "of" in case:
        found = getattr(found, case["of"])
    if "text" in case:
        assert found == case["text"]
        return
    expected = case["value"]
    wanted = [*map(known, expected)] if isinstance(expected, list) else known(expected)
    if "places" in case:
        close = pytest.approx(wanted, rel=0, abs=0.5001 * 10 ** -case["places"])
    else:
        close = pytest.approx(wanted, rel=case.get("within", 1e-12))
    assert np.asarray(found) * case.get("times", 1) == close


@pytest.mark.parametrize(("name", "case"), REFUSED, ids=lambda each: str(each)[:60])
def test_what_is_impossible_is_refused(name: str, case: dict[str, Any]) -> None:
    """With the rule, the value and its place; `begins` holds what comes before the rest."""
    with pytest.raises(NetmodelError) as caught:
        called(name, case["arguments"])
    assert type(caught.value).__name__ == case.get("error", "DomainError")
    if "begins" in case:
        assert str(caught.value).startswith(case["begins"])
    else:
        assert str(caught.value) == case["message"]
