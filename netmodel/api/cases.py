"""Cases as users write them, ``adapter=ID mtu=9000`` or an id, and values by name."""

import re
import shlex
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, TypeAlias

from netmodel.errors import ContradictionError, DomainError, UnitError, UnknownRecordError
from netmodel.numeric import EXACT_INTEGER
from netmodel.units import parse_count, parse_size_bytes
from netmodel.units.parsing import parse_km, parse_share

Condition: TypeAlias = str | int | float
Case: TypeAlias = dict[str, Condition]
CaseGiven: TypeAlias = str | Mapping[str, object]
"""A case as text, such as ``"layer=2 mtu=9000"``, or as conditions by their names."""

_ALIASES = {"largesend": "mtu_bypass"}
"""Names of the same setting elsewhere."""
_PARSERS: Mapping[str, Callable[[str], float]] = {
    **dict.fromkeys(("mtu", "window", "message"), parse_size_bytes),
    **dict.fromkeys(("tcp_sendspace", "tcp_recvspace"), parse_size_bytes),
    **dict.fromkeys(("connections", "trunks", "buffer_count", "txqueuelen"), parse_count),
    "km": parse_km,
    "loss": parse_share,
    "layer": parse_count,
}
"""Conditions in numbers: any value may be asked for, not only those that documents print."""
_KINDS = {
    **dict.fromkeys(("adapter", "client", "server"), "adapters"),
    "path": "paths",
    "workload": "workloads",
}
"""Conditions whose values are ids of the catalog or files, and their kind."""
_SWITCHES = ({"on", "yes", "true"}, {"off", "no", "false"})
_COLUMNS = {"mtu": "mtu_bytes", "connections": "connection_count"}
"""Options that stand for a column in ``name=value``; the value has units as in the option."""


def named_values(given: Any) -> dict[str, Any]:
    """Return a mapping, or that of texts such as ``mtu=1500,direction=in``."""
    if not given or isinstance(given, Mapping):
        return dict(given or {})
    values: dict[str, Any] = {}
    for part in (given if isinstance(given, str) else ",".join(given)).split(","):
        key, _, value = (each.strip() for each in part.partition("="))
        if not (key and value):
            problem = "write name=value, such as mtu_bytes=4000; commas between several"
            raise UnitError(f"{part!r}: {problem}")
        column = _COLUMNS.get(key, key)
        if column in values:
            raise UnitError(f"{column} is given twice")
        values[column] = _PARSERS[key](value) if key in _COLUMNS else _number_or_text(value)
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


def given_case(given: CaseGiven) -> Case:
    """
    Return the conditions of a case by their plain names.

    Parameters
    ----------
    given : str or mapping
        Text with blanks or commas between conditions, ``name=value`` or a value alone where only
        one condition has it (an id, ``smc-r``), quotes around blanks; or values by name.

    Returns
    -------
    case : dict
        Numbers as such, other values as documents or the catalog write them.

    Raises
    ------
    UnknownRecordError
        If a name or value is not known; names near ones, and some that are.
    ContradictionError
        If a condition is given twice.
    DomainError, UnitError
        If a number is none, or below 1 where it counts.

    Examples
    --------
    >>> given_case("osa-express7s-25gbe mtu=9000 rps=yes")
    {'adapter': 'osa-express7s-25gbe', 'mtu': 9000, 'rps': 'on'}
    """
    if isinstance(given, Mapping):
        tokens = [f"{name}={each}" for name, each in given.items() if each is not None]
    else:
        try:
            tokens = shlex.split(given.replace(", ", " "))
        except ValueError as error:
            raise DomainError(f"case {given!r}: {str(error).lower()}") from None
        if not tokens:
            raise DomainError("it names no condition: give an id, or one such as mtu=9000")
    known, case = _known_values(), Case()
    for token in tokens:
        name, value = _condition(token, known)
        if case.setdefault(name, value) != value:
            raise ContradictionError(f"{name} is given twice: {case[name]} and {value}")
    return case


def _known_values() -> dict[str, set[str]]:
    """Return the values of each condition in the rows of documents and in the catalog."""
    from netmodel.published import listing
    from netmodel.records.files import catalog_files

    values = {name: set(catalog_files(kind)) for name, kind in _KINDS.items()}
    values |= {name: set() for name in (*_PARSERS, "rps", "protocol")}
    for row in listing():
        for name, known in (*row.of.items(), *row.against.items()):
            values.setdefault(name, set()).update(map(str, known))
    return values


def _condition(token: str, known: Mapping[str, set[str]]) -> tuple[str, Condition]:
    """Return name and value of one condition."""
    from netmodel.records.files import meant_ids, unknown_record

    words = {name: values for name, values in known.items() if name not in _PARSERS}
    name, has_value, text = token.partition("=")
    names = [each for each, values in words.items() if token in values]
    if len(names) == 1 or names[:1] == ["adapter"]:
        return names[0], token
    if names:
        raise UnknownRecordError(f"{token!r} may be of {' or '.join(names)}: write name={token}")
    if ":" in name:  # a machine type of a cloud
        name, has_value, text = "adapter", "=", token
    if not has_value:
        form = "write name=value, with a name such as adapter, path, layer, mtu, connections, rps"
        meant = meant_ids(token, set().union(*words.values()), form)
        raise UnknownRecordError(f"unknown adapter, path or other value {token!r}; {meant}")
    name = name.strip().lower().replace("-", "_")
    name = _ALIASES.get(name, name if name in known else re.sub("_(bytes|ratio)$", "", name))
    if name not in known:
        raise unknown_record("condition", name, known)
    return name, _value(name, text.strip(), known[name])


def _value(name: str, text: str, values: set[str]) -> Condition:
    """Return the value of a condition: a number, an id, a file, or a word of a document."""
    from netmodel.records.files import unknown_record
    from netmodel.records.lookup import is_file, record

    if name in _PARSERS and (text not in values or text[:1].isdecimal()):
        number = _PARSERS[name](text)
        if number < 1 and name not in {"km", "loss"}:
            raise DomainError(f"{name} must be at least 1; got {text!r}")
        return int(number) if float(number).is_integer() else float(number)
    is_id = name in _KINDS and (":" in text or is_file(text))
    if text in values or (is_id and record(text, _KINDS[name]).id):
        return text
    flat = text.lower().replace(" ", "")
    same = next((switch for switch in _SWITCHES if flat in switch), {flat})
    if found := [value for value in values if value.lower().replace(" ", "") in same]:
        return min(found)
    raise unknown_record(name.replace("_", " "), text, values)
