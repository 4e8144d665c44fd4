"""What formulas of connections, CPUs, distance and buffers give: connections.toml has the calls."""

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import cases, known


@pytest.mark.parametrize("case", [*cases(Path(__file__).with_name("connections.toml"))])
def test_a_formula_gives_what_is_known(case: dict[str, Any]) -> None:
    """Each table is named after its source; ``places`` are the digits that it prints."""
    package, name = case["formula"].rsplit(".", 1)
    given = case["arguments"]
    positional, named = ((), given) if isinstance(given, dict) else (given, {})
    found = getattr(import_module(f"netmodel.{package}"), name)(*positional, **named)
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
