"""Conditions and parameters as mappings, or as text such as ``mtu=1500,direction=in``."""

from collections.abc import Iterable, Mapping
from typing import Any

from netmodel.api.arguments import WrongTextError, listed_values, refusing
from netmodel.errors import UnitError
from netmodel.numeric import EXACT_INTEGER
from netmodel.units import parse_count, parse_size_bytes, split_quantity

_COLUMNS = {
    "mtu": ("mtu_bytes", parse_size_bytes),
    "connections": ("connection_count", parse_count),
}
"""Options that stand for a column in ``name=value``; the value has units as in the option."""


def named_values(name: str, given: Any) -> list[dict[str, Any]]:
    """Each mapping, or text such as ``mtu=1500,direction=in``, as names and values."""
    if given is None or isinstance(given, Mapping):
        return [dict(given)] if given else []
    return [_named(name, text) for text in listed_values(given)]


def _named(name: str, text: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    problem = (
        "{{{name}}}: {{part!r}}: write name=value, such as mtu_bytes=4000; commas between several"
    )
    for part in text.split(","):
        key, _, value = (each.strip() for each in part.partition("="))
        if not (key and value):
            raise WrongTextError(problem.format(name=name), part=part)
        column, parse = _COLUMNS.get(key, (key, _number_or_text))
        if column in values:
            raise WrongTextError(f"{{{name}}}: {{column}} is given twice", column=column)
        with refusing(name, UnitError):
            values[column] = parse(value)
    return values


def _number_or_text(value: str) -> float | str:
    """A number in base units; a word where it is none at all."""
    try:
        float(value)
    except ValueError:
        return value
    exact, rest = split_quantity(value)
    if rest:
        raise UnitError(f"{value!r} is not a number")
    is_whole = exact == exact.to_integral_value() and abs(exact) < EXACT_INTEGER
    return int(exact) if is_whole else float(exact)


def merged(values: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """All of them, the last of each name."""
    return {name: value for each in values for name, value in each.items()}


def given_conditions(given: Any, mtu_bytes: Any) -> dict[str, Any]:
    """Conditions of all runs, with their MTU."""
    of_mtu = {} if mtu_bytes is None else {"mtu_bytes": mtu_bytes}
    return of_mtu | merged(named_values("given", given))
