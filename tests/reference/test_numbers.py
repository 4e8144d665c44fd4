"""Numbers of formulas, header stacks and lines: numbers.toml has the arguments and the sources."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from netmodel.ceilings import line_ceiling
from netmodel.framing import parse_stack
from netmodel.symbolic.formulas import formula_of, read_arguments

TABLES = tomllib.loads(Path(__file__).with_name("numbers.toml").read_text(encoding="utf-8"))


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


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_numbers_are_those_of_the_source(table: dict[str, Any]) -> None:
    """Each row is the arguments in the order of `names`, then the number in units of `unit`."""
    unit, tolerance = table.get("unit", 1), table.get("abs")
    for *arguments, expected in table["rows"]:
        given = dict(zip(table["names"], arguments, strict=True)) | table.get("fixed", {})
        if "stack" in given:
            given["stack"] = given["stack"].join(table.get("around", ["", ""]))
        result = computed(table["of"], given) / unit
        wanted = pytest.approx(expected, rel=1e-12, abs=tolerance)
        assert result == wanted, (arguments, table["source"])
