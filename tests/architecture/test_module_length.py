"""A long module is two modules."""

from pathlib import Path

import pytest

import netmodel

pytestmark = pytest.mark.thorough

PACKAGE = Path(netmodel.__file__).parent
TOO_LONG_LINES = 800


def test_no_module_is_too_long() -> None:
    lines = {
        str(module.relative_to(PACKAGE)): len(module.read_text(encoding="utf-8").splitlines())
        for module in PACKAGE.rglob("*.py")
    }
    too_long = {name: count for name, count in lines.items() if count > TOO_LONG_LINES}
    assert not too_long, too_long
