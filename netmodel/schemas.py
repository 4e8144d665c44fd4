"""JSON Schema of results, from their keys, and from annotations and docstrings of their values."""

import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from enum import Enum
from inspect import getattr_static, getdoc
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from netmodel.results import Result, keys_of

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
    >>> schema_of(Predicted)["properties"]["bound"]["enum"]
    ['value', 'upper', 'lower', 'mean']
    """
    keys = keys_of(kind)  # type: ignore[arg-type]  # classes are hashable
    return {
        "title": kind.__name__,
        "type": "object",
        "properties": {key: _property(kind, path) for key, path, _ in keys},
        "required": [key for key, _, may_lack in keys if not may_lack],
    }


def _property(kind: Any, path: str) -> dict[str, Any]:
    """Return schema and description of what is at the end of a path of attributes."""
    names, text = path.split("."), ""
    for name in names:
        origin = get_origin(kind)
        if origin in (None, Union, UnionType):
            origin = next((each for each in get_args(kind) if each is not NoneType), kind)
        declared = getattr_static(origin, name, None)
        getter = getattr(declared, "fget", None) or getattr(declared, "func", None)
        field = getattr(origin, "__dataclass_fields__", {}).get(name)
        hint = getter.__annotations__["return"] if getter else getattr(field, "type", Any)
        text = getdoc(getter) or "" if getter else _description(origin, name) or text
        known, kind = vars(sys.modules[(getter or origin).__module__]), Any
        with suppress(NameError):  # a type that its module imports for type checkers alone
            kind = get_type_hints(SimpleNamespace(__annotations__={"of": hint}), known)["of"]
    kind = kind | None if len(names) > 1 and kind is not Any else kind
    text = " ".join(text.partition("\n\n")[0].split())
    return ({"description": text} if text else {}) | _schema(kind)


def _description(owner: Any, name: str) -> str:
    """Return the text of a parameter in the docstring of a class, or of a class above it."""
    pattern = rf"^(?:\w+, )*{name}(?:, \w+)* : .*\n((?:[ \t]+.*\n?)+)"
    texts = (getdoc(each) or "" for each in owner.__mro__)
    return next((match[1] for text in texts if (match := re.search(pattern, text, re.M))), "")


def _schema(hint: Any) -> dict[str, Any]:
    """Return the schema of a type."""
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
