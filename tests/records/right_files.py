"""Files of records that are read; refusals.toml has them beside what is refused in them."""

import tomllib
from pathlib import Path

from netmodel.records.tables import Column, Table, read_csv, table_of
from netmodel.units.columns import unit_of_name

REFUSALS = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))
FILES: dict[str, dict[str, str]] = {name: table["files"] for name, table in REFUSALS.items()}
"""Texts of the files of each table, by their name."""


def load_table(path: Path | str) -> Table:
    """Table of a CSV file, whose columns have the units of their names."""
    header, rows = read_csv(str(path))
    units = {name: next(iter(unit_of_name(name)), None) for name in header}
    columns = [Column(name=name, unit=unit, meaning="x") for name, unit in units.items()]
    return table_of(str(path), columns, rows)
