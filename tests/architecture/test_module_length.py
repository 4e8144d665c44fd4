"""A long module is two modules."""

from pathlib import Path

import pytest

import netmodel

pytestmark = pytest.mark.thorough

PACKAGE = Path(netmodel.__file__).parent
TOO_LONG_LINES = 800


@pytest.mark.parametrize(
    "module", sorted(PACKAGE.rglob("*.py")), ids=lambda module: str(module.relative_to(PACKAGE))
)
def test_no_module_is_too_long(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= TOO_LONG_LINES
