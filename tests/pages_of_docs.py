"""Modules of docs/ that write its pages, as Sphinx loads them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def module(name: str) -> ModuleType:
    """One of them, by its name; skips the tests where Sphinx, and so docutils, is missing."""
    pytest.importorskip("docutils")
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(DOCS))
    try:
        spec.loader.exec_module(loaded)
    finally:
        sys.path.remove(str(DOCS))
    return loaded
