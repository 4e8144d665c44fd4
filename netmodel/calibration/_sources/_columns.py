"""Columns of tables: quantities in base units, and conditions."""

from collections.abc import Callable
from decimal import Decimal

from netmodel.consumption import parse_consumption_us_per_gbit
from netmodel.errors import UnitError
from netmodel.records import Table
from netmodel.records._tables import Column
from netmodel.units import parse_rate_bps, parse_time_s, split_quantity

__all__ = ["QUANTITIES", "base_quantity", "conditions_of", "number_of"]

_PER_TRANSACTION = "/transaction"


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
"""Quantities that models have, and what reads one of each in another unit."""


def base_quantity(column: Column) -> tuple[str, float] | None:
    """Quantity that a column holds by its unit, and one of that unit; None where it holds none."""
    unit = column.taken_as or column.unit or ""
    if unit == "1/s" and column.name.endswith("_tps"):
        unit = "transaction/s"
    for quantity, parse in QUANTITIES.items():
        try:
            return quantity, parse(f"1 {unit}")
        except UnitError:
            continue
    return None


def number_of(cell: str) -> Decimal | None:
    """The number that is a cell; None where it is anything else."""
    try:
        number, rest = split_quantity(cell)
    except UnitError:
        return None
    return None if rest else number


def conditions_of(table: Table, names: dict[str, str]) -> list[dict[str, float | str]]:
    """
    Conditions of each row, from columns by the names of the conditions; empty cells tell none.

    A column without a unit holds numbers where each of its cells is one.
    """
    columns = {name: _values(table, column) for name, column in names.items()}
    return [
        {name: value for name, cells in columns.items() if (value := cells[row]) is not None}
        for row in range(table.row_count)
    ]


def _values(table: Table, name: str) -> list[float | str | None]:
    cells = table.text(name)
    figures = [number_of(cell) for cell in cells]
    if any(cell and figure is None for cell, figure in zip(cells, figures, strict=True)):
        return [cell or None for cell in cells]
    return [None if figure is None else _plain(figure) for figure in figures]


def _plain(number: Decimal) -> float:
    return int(number) if number == number.to_integral_value() else float(number)
