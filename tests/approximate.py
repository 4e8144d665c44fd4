"""Numbers as sources print them."""

import pytest

__all__ = ["digits"]


def digits(value: float, places: int) -> object:
    """Whatever is printed like this, with so many places after the point."""
    return pytest.approx(value, rel=0, abs=0.5001 * 10**-places)
