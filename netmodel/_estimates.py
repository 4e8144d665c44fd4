"""A quantity with its range."""

import math
from typing import NamedTuple

from netmodel._numeric import Quantity
from netmodel._numpy import np

__all__ = ["Estimate"]


class Estimate(NamedTuple):
    """
    A quantity in its base unit, and the range that is left open of it.

    Parameters
    ----------
    value : float or numpy.ndarray
        The one to quote; None where nothing tells one within the range.
    low, high : float or numpy.ndarray
        Smallest and largest; both are the value where it is exact, and an open
        end is 0 or infinite, one that nothing tells NaN.

    Examples
    --------
    >>> Estimate(13.4, 13.35, 13.45).low
    13.35
    """

    value: Quantity
    low: Quantity
    high: Quantity

    @classmethod
    def of_cases(cls, cases: Quantity) -> "Estimate":
        """Along a first axis: the first case is the one to quote, with the range of all."""
        found = (cases[0], cases.min(axis=0), cases.max(axis=0))
        return cls(*(one if np.ndim(one) else float(one) for one in found))

    def to_dict(self) -> dict[str, Quantity]:
        """Value, low and high by name."""
        return self._asdict()

    def known(self) -> dict[str, float | None]:
        """The same of single numbers, for JSON: None for what is not told and for an open end."""
        return {
            name: number if number is not None and math.isfinite(number) else None
            for name, number in self._asdict().items()
        }
