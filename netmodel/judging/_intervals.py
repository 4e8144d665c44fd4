"""Columns of printed figures as intervals: what each may have been before it was rounded."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netmodel._numeric import Floats
from netmodel.records import Table

__all__ = ["Intervals", "intervals_of"]

_SLACK = 1e-9
"""Relative width added to every interval, so that binary fractions decide nothing."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """An interval for each row; NaN where nothing is printed."""

    low: Floats
    high: Floats

    def __add__(self, other: "Intervals") -> "Intervals":
        return Intervals(self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Intervals") -> "Intervals":
        """Product of quantities that are not negative."""
        return Intervals(np.maximum(self.low, 0) * np.maximum(other.low, 0), self.high * other.high)

    def scaled(self, factor: float) -> "Intervals":
        """Every figure times a number above zero."""
        return Intervals(self.low * factor, self.high * factor)

    def rows(self, rows: npt.NDArray[np.intp]) -> "Intervals":
        """The intervals of some rows."""
        return Intervals(self.low[rows], self.high[rows])

    def change_from(self, before: "Intervals") -> "Intervals":
        """Change against other figures, in per cent."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return Intervals(
                100 * (self.low / before.high - 1),
                100 * (self.high / np.maximum(before.low, 0) - 1),
            )

    def is_apart_from(self, other: "Intervals") -> npt.NDArray[np.bool_]:
        """Whether no value lies in both; False where either is NaN."""
        slack = _SLACK * np.maximum(np.abs(self.low), np.abs(other.low))
        apart: npt.NDArray[np.bool_] = (self.low > other.high + slack) | (
            self.high < other.low - slack
        )
        return apart


def intervals_of(table: Table, column: str) -> Intervals:
    """What the printed figures of a column may have been."""
    numbers, half_widths = table.numbers(column), table.half_widths(column)
    return Intervals(numbers - half_widths, numbers + half_widths)
