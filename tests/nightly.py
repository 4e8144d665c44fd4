"""Cases of slow tests: a few of them by day, all of them by night."""

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["few_by_day"]


def few_by_day(cases: Iterable[Any], one_of: int) -> list[Any]:
    """Return all cases for a parametrised test; but for one of so many they run by night alone."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if number % one_of == 0 else pytest.mark.nightly,
        )
        for number, case in enumerate(cases)
    ]
