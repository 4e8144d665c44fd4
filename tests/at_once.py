"""One test over the rows of a table: it says of all rows at once what is wrong with them."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["all_at_once"]


def all_at_once(
    cases: Iterable[Any], name_of: Callable[..., str]
) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Return a decorator for a check of one case, which makes one test of all cases of it."""
    rows = [case if isinstance(case, tuple) else (case,) for case in cases]

    def decorated(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            assert rows
            failed = []
            for row in rows:
                try:
                    check(*row)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - told below
                    failed.append(f"{name_of(*row)}: {type(error).__name__}: {error}")
            assert not failed, "\n".join(failed)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        test.__module__ = check.__module__
        return test

    return decorated
