"""The page of symbolic forms has every function, and no equation that is too wide."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from netmodel.symbolic._formulas import formulas_by_name
from netmodel.symbolic._reasons import reason_of

DOCS = Path(__file__).parents[2] / "docs"
WIDEST = 160
"""Letters, digits and signs of an equation, fractions counted as if in one line."""


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("symbolic_pages", DOCS / "symbolic_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.nightly
def test_every_function_is_on_the_page(pages: ModuleType) -> None:
    written = pages.page()
    equations = re.findall(r"```\{math\}\n(.*?)\n```", written, flags=re.DOTALL)
    lines = [line for each in equations for line in each.split(r"\\")]
    widths = [len(re.sub(r"\\[a-zA-Z]+|[{}_^ ]", "", each)) for each in lines]
    assert max(widths) <= WIDEST
    for formula in formulas_by_name().values():
        assert f".{formula.short_name}`" in written
        reason = reason_of(formula)
        assert reason is None or f"| {reason} |" in written
