"""Machine types of clouds: a table of each provider, whose rows are read as adapters."""

from functools import cache
from pathlib import Path
from typing import Any

from netmodel.errors import ParseError
from netmodel.records.equipment import Adapter
from netmodel.records.files import found_files, read_toml, unknown_record, validated
from netmodel.records.tables import read_csv

_CAPACITIES = ("capacity", "burst")
"""Columns that each are a capacity; the second is empty where nothing faster is documented."""


def instance_ids() -> tuple[str, ...]:
    """
    Ids of the bundled machine types of clouds, such as ``aws:c6in.8xlarge``.

    Returns
    -------
    ids : tuple of str
        In the order of their tables.

    Examples
    --------
    >>> "aws:m5.4xlarge" in instance_ids()
    True
    """
    return tuple(f"{of}:{row['type']}" for of in _tables() for row in _rows(of).values())


@cache
def instance(name: str) -> Adapter:
    """
    Return a machine type of a cloud: an adapter without a line, whose capacities bound it.

    Parameters
    ----------
    name : str
        One of `instance_ids`.

    Returns
    -------
    instance : Adapter
        Its capacities, and what else its table has as facts.

    Raises
    ------
    UnknownRecordError
        If no provider has such a type; names similar ids.
    ParseError
        If the table or its description is not valid; names the file and the type.

    Examples
    --------
    >>> [str(each) for each in instance("aws:m5.4xlarge").capacities]
    ['5Gbit/s ip sustained', '10Gbit/s ip nominal', '5Gbit/s per flow']
    """
    provider, _, type_ = name.strip().lower().partition(":")
    if provider not in _tables():
        raise unknown_record("provider of instances", provider, _tables())
    if type_ not in _rows(provider):
        raise unknown_record("instance", name, instance_ids())
    row = dict(_rows(provider)[type_])
    type_ = row.pop("type")
    path, described = str(_tables()[provider]), dict(_description(provider))
    # what is not known of a burst is nothing of a type that has none
    described |= {} if row.get("burst", True) else {"unknown": ()}
    values = {key: {**described.pop(key, {}), "value": row[key]} for key in row}
    own = [values[key] for key in _CAPACITIES if row.get(key)]
    cells = {key: values[key] for key, cell in row.items() if cell and key not in _CAPACITIES}
    given = {**described, "id": f"{provider}:{type_}", "kind": "instance"}
    given["facts"] = described.get("facts", {}) | {"provider": {"value": provider}} | cells
    given["capacities"] = [*own, *described.get("capacities", ())]
    given["title"] = f"{described.get('title')} {type_}"
    return validated(path, Adapter, given, (type_,), {"defaults": given.pop("defaults", {})})


@cache
def _tables() -> dict[str, Path]:
    """Return the description of each provider's table."""
    return {path.stem: path for path in found_files("catalog/instances/*.toml")}


@cache
def _description(provider: str) -> dict[str, Any]:
    """Return what all types of a provider share."""
    return read_toml(_tables()[provider])


@cache
def _rows(provider: str) -> dict[str, dict[str, Any]]:
    """Return the cells of each type in lower case, by the name of their column."""
    path = str(_tables()[provider].with_suffix(".csv"))
    header, rows = read_csv(path)
    if not {"type", "capacity"} <= set(header):
        raise ParseError(path, "needs the columns type and capacity")
    found = [dict(zip(header, cells, strict=True)) for _, cells in rows]
    return {row["type"].lower(): row for row in found}
