"""Conditions and parameters as mappings, or as text such as ``mtu=1500,direction=in``."""

from collections.abc import Iterable, Mapping
from typing import Any

from netmodel._numeric import EXACT_INTEGER
from netmodel.api.arguments import WrongTextError, listed_values, refusing
from netmodel.errors import UnitError
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
        file, colon, alone = key.rpartition(":")
        plain, parse = _COLUMNS.get(alone, (alone, _number_or_text))
        column = file + colon + plain
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


def given_conditions(
    given: Any, mtu_bytes: Any
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Conditions of all runs with their MTU, and by file those of ``FILE:name=value``."""
    of_all = {} if mtu_bytes is None else {"mtu_bytes": mtu_bytes}
    of_files: dict[str, dict[str, Any]] = {}
    for each in named_values("given", given):
        file = next(iter(each), "").rpartition(":")[0]
        for name, value in each.items():
            if isinstance(value, Mapping):
                of_files.setdefault(name, {}).update(value)
            else:
                of = of_files.setdefault(file, {}) if file else of_all
                of[name.removeprefix(f"{file}:")] = value
    return of_all, of_files
