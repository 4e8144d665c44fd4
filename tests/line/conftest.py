"""Tests on an emulated line are skipped, with the reason, where none can be made."""

import functools
from pathlib import Path

import pytest
from line.emulated import obstacle

_HERE = Path(__file__).parent


@functools.cache
def _obstacle() -> str | None:
    return obstacle()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.path.is_relative_to(_HERE) and _obstacle():
        pytest.skip(str(_obstacle()))
