"""The base of results: plain values, tables, frames, short forms and schemas from their fields."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import Enum
from functools import cache
from itertools import accumulate
from math import isfinite
from typing import Any, ClassVar

from netmodel.text import named_texts

_REPR_CHARACTERS = 100
"""Of the short form of a result: lists of them stay readable, a row for each."""
_TEXT_CHARACTERS = 40
"""Of a text within it, such as the name of a file."""
_FEW = 3
"""Members that are listed; of more it says how many there are."""
_UNSEEN = frozenset({"notes", "sha256"})
"""Keys that stand below a table, or mean nothing to readers."""
_PLAIN = frozenset({str, int, bool, type(None)})
"""Types that JSON has as they are; a float may have no end."""


class Result:  # noqa: PLW1641 - equal by values, which may be lists and have no hash
    """
    The answer of a question or formula: a data class without a ``__repr__``, shown by its values.

    Attributes
    ----------
    json_keys : str
        Keys of `to_dict` in order, the fields by default. A key is the name of an attribute, or
        ``key=path.of.attributes``; one that ends in ``?`` is left out where its value is None.
    """

    __slots__ = ()
    json_keys: ClassVar[str] = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values in base units by name, as in JSON."""
        given: dict[str, Any] = {}
        for key, path, may_lack in keys_of(type(self)):  # type: ignore[arg-type]
            value = plain(value_at(self, path) if "." in path else getattr(self, path))
            if value is not None or not may_lack:
                given[key] = value
        return given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    def __repr__(self) -> str:
        return fields_repr(self)

    def _repr_html_(self) -> str:
        """Return a table with a row for each value that is there; of lists how many they hold."""
        from netmodel.html import definition_table

        shown = {x: y for x, y in self.to_dict().items() if x not in _UNSEEN and y is not False}
        notes = [("note", str(note)) for note in getattr(self, "notes", ())]
        return definition_table(type(self).__name__, [*named_texts(shown), *notes])


@cache
def keys_of(kind: Any) -> list[tuple[str, str, bool]]:
    """Return the key and the path of each value of a class, and whether it may lack."""
    declared = kind.json_keys.split() or [each.name for each in fields(kind) if each.repr]
    parts = [(each.rstrip("?").partition("="), each.endswith("?")) for each in declared]
    return [(key, path or key, may_lack) for (key, _, path), may_lack in parts]


def value_at(result: Any, path: str) -> Any:
    """Return what is at the end of a path of attributes; None where one of them is None."""
    for name in path.split("."):
        result = None if result is None else getattr(result, name)
    return result


def plain(value: Any) -> Any:
    """Return a value as JSON has it: None for what is not known and for an open end."""
    if (kind := type(value)) in _PLAIN:
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if kind is list or kind is tuple:
        return [plain(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "free_symbols"):
        return value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    value = value._asdict() if hasattr(value, "_asdict") else value
    if kind is dict or isinstance(value, Mapping):
        return {x if type(x) is str else plain(x): plain(each) for x, each in value.items()}
    value = value.tolist() if hasattr(value, "tolist") else value
    return [plain(each) for each in value] if isinstance(value, list | tuple) else str(value)


def short_repr(result: object, *parts: str) -> str:
    """
    Return the short form of a result: its kind, and as many of the parts as fit.

    Parameters
    ----------
    result : object
        Whose kind is named.
    *parts : str
        The most important first; empty ones are left out.

    Returns
    -------
    text : str
        One line.

    Examples
    --------
    >>> short_repr(1.5, "<= 13.4 Gbit/s", "", "bottleneck client_in")
    '<float <= 13.4 Gbit/s, bottleneck client_in>'
    """
    most = _REPR_CHARACTERS - len(f"<{type(result).__name__} >")
    given = [" ".join(part.split()) for part in parts if part.strip()]
    fitting = [text for text in accumulate(given, "{}, {}".format) if len(text) <= most]
    text = fitting[-1] if fitting else shortened("".join(given[:1]), most)
    return f"<{type(result).__name__} {text}>"


def shortened(text: str, most: int = _TEXT_CHARACTERS) -> str:
    """Return a text without its middle where it is too long."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[head + 1 - most :]}"


def fields_repr(result: Any) -> str:
    """
    Return a short form that names the fields whose value is not the usual one, as many as fit.

    Examples
    --------
    >>> from netmodel.estimates import Predicted
    >>> fields_repr(Predicted(13.4, 13.35, 13.45))
    '<Predicted value=13.4, low=13.35, high=13.45>'
    """
    parts = []
    for each in fields(result):
        factory, value = each.default_factory, getattr(result, each.name)
        usual = each.default if factory is MISSING else factory()
        if each.repr and (usual is MISSING or plain(value) != plain(usual)):
            parts.append(f"{each.name}={_short(value)}")
    return short_repr(result, *parts)


def _short(value: Any) -> str:
    """Return a value in a few characters: numbers rounded, of collections how many they hold."""
    if isinstance(value, float):
        return min(repr(value), f"{value:.6g}", key=len)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, str):
        return repr(shortened(value))
    if shape := getattr(value, "shape", None):
        return f"<{' x '.join(map(str, shape))} numbers>"
    if isinstance(value, Mapping | tuple | list | frozenset) and not hasattr(value, "_fields"):
        is_short = len(value) <= _FEW and all(isinstance(each, str | int) for each in value)
        is_list = is_short and not isinstance(value, Mapping)
        return f"({', '.join(map(_short, value))})" if is_list else f"<{len(value)}>"
    text = repr(value)
    return text if len(text) <= _TEXT_CHARACTERS else f"<{type(value).__name__}>"
