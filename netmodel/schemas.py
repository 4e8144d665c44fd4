"""JSON Schema of results, from their keys and the annotations of fields and properties."""

import sys
from collections.abc import Mapping, Sequence
from datetime import date
from enum import Enum
from inspect import getattr_static
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from netmodel.results import Result, keys_of
from netmodel.units.columns import unit_of

_TYPES = {int: "integer", str: "string", bool: "boolean", NoneType: "null", date: "string"}
_NUMBER = {"type": ["number", "null"]}
"""A float: null where it is not known or infinite."""


def schema_of(kind: type[Result]) -> dict[str, Any]:
    """
    Return the JSON Schema of what `to_dict` of a result returns.

    Parameters
    ----------
    kind : type of Result
        Its class.

    Returns
    -------
    schema : dict
        Of an object that may have more keys; one of an unknown type may be anything.

    Examples
    --------
    >>> from netmodel.estimates import Predicted
    >>> schema_of(Predicted)["properties"]["bound"]
    {'enum': ['value', 'upper', 'lower', 'mean']}
    """
    keys = keys_of(kind)
    return {
        "title": kind.__name__,
        "type": "object",
        "properties": {key.rstrip("?"): _schema(_hint(kind, path)) for key, path in keys.items()},
        "required": [key for key in keys if not key.endswith("?")],
    }


def schema_of_names(names: Sequence[str]) -> dict[str, Any]:
    """
    Return the JSON Schema of an object with these keys: numbers where their names have a unit.

    Examples
    --------
    >>> schema_of_names(["mtu_bytes", "title"])["properties"]
    {'mtu_bytes': {'type': ['number', 'null']}, 'title': {}}
    """
    kinds = {name: _NUMBER if unit_of(name) else {} for name in names}
    return {"type": "object", "properties": kinds, "required": list(names)}


def _hint(kind: Any, path: str) -> Any:
    """The type of what is at the end of a path of attributes; Any where it is not known here."""
    names = path.split(".")
    for name in names:
        present = [each for each in get_args(kind) if each is not NoneType]
        owner = get_origin(kind) if get_origin(kind) not in (None, Union, UnionType) else None
        owner = owner or next(iter(present), kind)
        declared = getattr_static(owner, name, None)
        getter = getattr(declared, "fget", None) or getattr(declared, "func", None)
        field = getattr(owner, "__dataclass_fields__", {}).get(name)
        hint = getter.__annotations__["return"] if getter else getattr(field, "type", Any)
        known = vars(sys.modules[(getter or owner).__module__])
        try:
            kind = get_type_hints(SimpleNamespace(__annotations__={"of": hint}), known)["of"]
        except NameError:
            return Any
    return kind | None if len(names) > 1 and kind is not Any else kind


def _schema(hint: Any) -> dict[str, Any]:
    """The schema of a type."""
    parts, kind = get_args(hint), get_origin(hint) or hint
    if kind in (Union, UnionType):
        is_number = float in parts
        return {"anyOf": [_schema(each) for each in parts if each is not NoneType or not is_number]}
    if kind is float or isinstance(kind, TypeVar):
        return _NUMBER
    if kind is Literal:
        return {"enum": list(parts)}
    if kind in _TYPES:
        return {"type": _TYPES[kind]}
    if not isinstance(kind, type):
        return {}
    if issubclass(kind, Enum):
        return {"enum": [each.value for each in kind]}
    if issubclass(kind, Result):
        return schema_of(kind)
    if issubclass(kind, Mapping):
        return {"type": "object", "additionalProperties": _schema(parts[1])}
    if issubclass(kind, list | tuple) and not hasattr(kind, "_fields"):
        return {"type": "array", "items": _schema(parts[0]) if parts else {}}
    return {}
