"""What sources have in common: quantities by unit, figures and their intervals, and flags."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from typing import NamedTuple

from netmodel._grades import Grade
from netmodel.calibration._observed import Observed, allowed_by, ratio_interval
from netmodel.consumption import parse_consumption_us_per_gbit
from netmodel.errors import DomainError, UnitError
from netmodel.records import Relation, Table
from netmodel.records._subjects import Change
from netmodel.records._tables import Column
from netmodel.units import parse_rate_bps, parse_time_s, split_quantity

_PER_TRANSACTION = "/transaction"
_FLAGGED_WEIGHT = 0.1
"""
Weight of a doubtful observation beside a sound one, where it is weighted down.

It then takes part in the fit with a standard deviation about three times as large.
"""
OPPOSITE_BOUND = {
    Relation.AT_LEAST: Relation.AT_MOST,
    Relation.AT_MOST: Relation.AT_LEAST,
    Relation.CENSORED_ABOVE: Relation.CENSORED_BELOW,
    Relation.CENSORED_BELOW: Relation.CENSORED_ABOVE,
    Relation.UP_TO: Relation.AT_LEAST,
}
"""What a bound of a decrease says of the quantity that is left."""


class Flagged(Enum):
    """
    What becomes of a figure that its source, or the caller, marks as faulty.

    ``WEIGHTED_DOWN`` gives it a tenth of the weight: where weights have no meaning, as in a
    feasible set, it counts in full.
    """

    REFUSED = "refused"
    WEIGHTED_DOWN = "weighted down"
    USED = "used"


@dataclass(frozen=True, slots=True)
class Selection:
    """
    Observations from a source.

    Parameters
    ----------
    observed : tuple of Observed
        In the order of the source.
    notes : tuple of str
        What was left out, weighted down or read differently than it is written, and why.

    Examples
    --------
    >>> both = Selection((), ("row 1: flagged",)) + Selection((), ("row 2: no figure",))
    >>> both.notes
    ('row 1: flagged', 'row 2: no figure')
    """

    observed: tuple[Observed, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Observed]:
        """Each observation."""
        return iter(self.observed)

    def __len__(self) -> int:
        """How many observations there are."""
        return len(self.observed)

    def __add__(self, other: "Selection") -> "Selection":
        """The observations and notes of both."""
        return Selection((*self.observed, *other.observed), (*self.notes, *other.notes))


class Figure(NamedTuple):
    """What a figure allows, in base units: smallest, largest, the one to quote, its relation."""

    low: float
    high: float
    value: float | None
    relation: Relation


def _transactions_per_second(text: str) -> float:
    if text.removeprefix("1 ") != "transaction/s":
        raise UnitError(f"{text!r} is not a rate of transactions")
    return 1.0


def _time_per_transaction_s(text: str) -> float:
    if not text.endswith(_PER_TRANSACTION):
        raise UnitError(f"{text!r} is not a time per transaction")
    return parse_time_s(text.removesuffix(_PER_TRANSACTION))


QUANTITIES: dict[str, Callable[[str], float]] = {
    "throughput_bps": parse_rate_bps,
    "transaction_rate_tps": _transactions_per_second,
    "transaction_time_s": parse_time_s,
    "cpu_us_per_gbit": parse_consumption_us_per_gbit,
    "cpu_s_per_transaction": _time_per_transaction_s,
}
"""Quantities of models, and what reads one of each in another unit."""


def quantity_of_unit(unit: str) -> tuple[str, float] | None:
    """Quantity that a unit measures, and one of that unit in base units; None for any other."""
    for quantity, parse in QUANTITIES.items():
        try:
            return quantity, parse(f"1 {unit}")
        except UnitError:
            continue
    return None


def base_quantity(column: Column) -> tuple[str, float] | None:
    """Quantity that a column holds by its unit, and one of that unit; None where it holds none."""
    unit = column.taken_as or column.unit or ""
    is_rate = unit == "1/s" and column.name.endswith("_tps")
    return quantity_of_unit("transaction/s" if is_rate else unit)


def number_of(cell: str) -> Decimal | None:
    """The number in a cell; None where it holds anything else."""
    try:
        number, rest = split_quantity(cell)
    except UnitError:
        return None
    return None if rest else number


def conditions_of(table: Table, names: dict[str, str]) -> list[dict[str, float | str]]:
    """
    Conditions of each row, from columns by the names of the conditions; empty cells give none.

    A column holds numbers where each of its cells is one, else text.
    """
    values = {name: _values(table.text(column)) for name, column in names.items()}
    return [
        {name: value for name, cells in values.items() if (value := cells[row]) is not None}
        for row in range(table.row_count)
    ]


def _values(cells: Iterable[str]) -> list[float | str | None]:
    figures = [(cell, number_of(cell)) for cell in cells]
    if any(cell and figure is None for cell, figure in figures):
        return [cell or None for cell, _ in figures]
    return [
        None
        if figure is None
        else int(figure)
        if figure == figure.to_integral_value()
        else float(figure)
        for _, figure in figures
    ]


def as_ratio(change: Change, by: Figure | None) -> Figure:
    """
    Ratio of subject to baseline of a change: by parts of 1, by a factor, or by an unknown amount.

    Raises
    ------
    DomainError
        If that cannot be.
    """
    if by is None:
        if change is Change.SAME:
            return Figure(*allowed_by(Relation.ABOUT, 1.0), 1.0, Relation.ABOUT)
        if change is Change.FACTOR:
            raise DomainError("a factor has a figure")
        return Figure(*ratio_interval(change, 0.0, float("inf")), None, Relation.SIGN)
    if change is Change.SAME:
        raise DomainError("a change that is the same has no figure")
    if change is Change.LESS and by.low > 1:
        raise DomainError("nothing is less by more than 100 %")
    low, high = ratio_interval(change, by.low, by.high)
    if change is Change.FACTOR or by.value is None:
        return Figure(low, high, by.value, by.relation)
    if change is Change.MORE:
        return Figure(low, high, 1 + by.value, by.relation)
    return Figure(low, high, 1 - by.value, OPPOSITE_BOUND.get(by.relation, by.relation))


def grade_of(relation: Relation, grade: Grade | None) -> Grade | None:
    """That of the source; how far "about" may be off is assumed."""
    return Grade.ASSUMED if relation is Relation.ABOUT else grade


def with_flag(seen: Observed, fault: str, flagged: Flagged) -> Selection:
    """A flagged observation as it is to be taken, and a note that says so."""
    note = f"{seen.place}: {flagged.value}: {fault}"
    if flagged is Flagged.REFUSED:
        return Selection((), (note,))
    if flagged is Flagged.USED:
        return Selection((seen,), (note,))
    weighted = replace(seen, weight=seen.weight * _FLAGGED_WEIGHT)
    return Selection((weighted,), (f"{note} (weight {weighted.weight:g})",))


def counted(kind: str, reasons: Iterable[str]) -> tuple[str, ...]:
    """A note for each reason that something is left out for, with the number of cases."""
    return tuple(
        f"{count} {kind if count == 1 else f'{kind}s'} left out: {reason}"
        for reason, count in Counter(reasons).most_common()
    )
