"""Conditions and parameters as mappings, or as text such as ``mtu=1500,direction=in``."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from netmodel.api.arguments import WrongTextError, listed_values, refusing
from netmodel.errors import UnitError
from netmodel.numeric import EXACT_INTEGER
from netmodel.units import parse_count, parse_size_bytes

_COLUMNS = {
    "mtu": ("mtu_bytes", parse_size_bytes),
    "connections": ("connection_count", parse_count),
}
"""Options that stand for a column in ``name=value``; the value has units as in the option."""


def named_values(name: str, given: Any) -> dict[str, Any]:
    """Return a mapping, or that of texts such as ``mtu=1500,direction=in``."""
    if not given or isinstance(given, Mapping):
        return dict(given or {})
    values: dict[str, Any] = {}
    for part in ",".join(listed_values(given)).split(","):
        key, _, value = (each.strip() for each in part.partition("="))
        if not (key and value):
            problem = "write name=value, such as mtu_bytes=4000; commas between several"
            raise WrongTextError(f"{{{name}}}: {{part!r}}: {problem}", part=part)
        column, parse = _COLUMNS.get(key, (key, _number_or_text))
        if column in values:
            raise WrongTextError(f"{{{name}}}: {{column}} is given twice", column=column)
        with refusing(name, UnitError):
            values[column] = parse(value)
    return values


def _number_or_text(value: str) -> float | str:
    """Return a number in base units; a word where it is none at all."""
    try:
        number = float(value)
    except ValueError:
        return value
    if not isfinite(number):
        raise UnitError(f"{value!r} is not a finite number")
    return int(number) if number.is_integer() and abs(number) < EXACT_INTEGER else number


def given_conditions(given: Any, mtu_bytes: Any) -> dict[str, Any]:
    """Return conditions of all runs, with their MTU."""
    of_mtu = {} if mtu_bytes is None else {"mtu_bytes": mtu_bytes}
    return of_mtu | named_values("given", given)
