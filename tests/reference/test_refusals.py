"""What formulas refuse, and with which words: refusals.toml has the calls."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

import netmodel
from netmodel.errors import DomainError

REFUSALS = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))
CASES = [(name, case) for name, rows in REFUSALS.items() for case in rows["refused"]]


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda each: str(each)[:60])
def test_what_is_impossible_is_refused(name: str, case: dict[str, Any]) -> None:
    """With the rule, the value and its place; `begins` holds what comes before the rest."""
    package, function = name.split(".")
    given = case["arguments"]
    positional, named = ((), given) if isinstance(given, dict) else (given, {})
    with pytest.raises(DomainError) as caught:
        getattr(getattr(netmodel, package), function)(*positional, **named)
    if "begins" in case:
        assert str(caught.value).startswith(case["begins"])
    else:
        assert str(caught.value) == case["message"]
