"""What formulas refuse, and with which words: refusals.toml has the calls."""

import importlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

from netmodel.errors import NetmodelError

REFUSALS = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))
CASES = [(name, case) for name, rows in REFUSALS.items() for case in rows["refused"]]


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda each: str(each)[:60])
def test_what_is_impossible_is_refused(name: str, case: dict[str, Any]) -> None:
    """With the rule, the value and its place; `begins` holds what comes before the rest."""
    package, function = name.rsplit(".", 1)
    given = case["arguments"]
    positional, named = ((), given) if isinstance(given, dict) else (given, {})
    formula = getattr(importlib.import_module(f"netmodel.{package}"), function)
    with pytest.raises(NetmodelError) as caught:
        formula(*positional, **named)
    assert type(caught.value).__name__ == case.get("error", "DomainError")
    if "begins" in case:
        assert str(caught.value).startswith(case["begins"])
    else:
        assert str(caught.value) == case["message"]
