"""What was computed for a statement, in the words of the statement."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from netmodel.errors import UnitError
from netmodel.records import Change, Relation, Statement
from netmodel.units import parse_size_bytes

__all__ = [
    "Computed",
    "base_of_unit",
    "change_in_words",
    "exactly",
    "size_in_words",
]


@dataclass(frozen=True, slots=True)
class Computed:
    """
    An interval that was computed for a statement.

    Parameters
    ----------
    low, high : float
        In the unit of the statement.
    unit : str
        That unit.
    how : str
        From what, in a sentence.
    is_spread : bool
        Whether every value of the interval occurs, so that a printed range has
        to hold them all; otherwise the truth is one of them.
    text : str
        What to print in place of the interval.
    inputs : tuple of str
        Ids of the statements that it was computed from.
    """

    low: float
    high: float
    unit: str
    how: str
    is_spread: bool = False
    text: str = ""
    inputs: tuple[str, ...] = ()

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else self.unit
        if self.text or self.low == self.high:
            return f"{self.text or format(self.low, '.6g')} {unit}".strip()
        if self.high == inf:
            return f"{self.low:.4g} {unit} or more".replace("  ", " ")
        return f"{self.low:.4g} to {self.high:.4g} {unit}".strip()


def exactly(value: float, told: Statement, how: str, inputs: Sequence[str] = ()) -> Computed:
    return Computed(value, value, told.unit or "", how, inputs=tuple(inputs))


def change_in_words(
    told: Statement, low: float, high: float, how: str, inputs: Sequence[str] = ()
) -> Computed | None:
    """A ratio of subject to baseline in the words of a statement; None where it has none."""
    if told.change is Change.FACTOR:
        return Computed(low, high, "x", how, inputs=tuple(inputs))
    if told.has_figure and told.unit != "%":
        return None
    more = [100 * (ratio - 1) for ratio in (low, high)]
    if told.change is Change.LESS and told.relation is not Relation.SIGN:
        more = [-more[1], -more[0]]
    return Computed(round(more[0], 9), round(more[1], 9), "%", how, inputs=tuple(inputs))


def size_in_words(
    told: Statement, readings_bytes: Sequence[float], how: str, inputs: Sequence[str] = ()
) -> Computed | None:
    """A size in the unit of a statement: of several readings the one that is nearest to it."""
    in_unit_bytes = base_of_unit(told, parse_size_bytes)
    if in_unit_bytes is None or told.value is None:
        return None
    printed = float(told.value)
    sizes = [size / in_unit_bytes for size in readings_bytes]
    return exactly(min(sizes, key=lambda size: abs(size - printed)), told, how, inputs)


def base_of_unit(told: Statement, parse: Callable[[str], float]) -> float | None:
    """What one of the unit of a statement is in base units; None for another kind of unit."""
    try:
        return parse(f"1 {told.unit}")
    except UnitError:
        return None
