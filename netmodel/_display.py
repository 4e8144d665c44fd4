"""Results in a line of a console: what they are, with the figures that matter and their units."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any

REPR_CHARACTERS = 100
"""Of the short form of a result: lists of them stay readable, a row for each."""
_TEXT_CHARACTERS = 40
"""Of a text within it, such as the name of a file."""
_FEW = 3
"""Members that are listed; of more it says how many there are."""


def short_repr(result: object, *parts: str) -> str:
    """
    The short form of a result: its kind, and as many of the parts as fit.

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
    text = ""
    most = REPR_CHARACTERS - len(f"<{type(result).__name__} >")
    for part in filter(None, (" ".join(part.split()) for part in parts)):
        longer = f"{text}, {part}" if text else part
        if len(longer) > most:
            text = text or shortened(part, most)
            break
        text = longer
    return f"<{type(result).__name__} {text}>"


def shortened(text: str, most: int = _TEXT_CHARACTERS) -> str:
    """A text without its middle where it is too long."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[head + 1 - most :]}"


def shortened_path(path: str, most: int = _TEXT_CHARACTERS) -> str:
    """
    A path that is too long without its first folders: its end identifies it.

    Examples
    --------
    >>> shortened_path("/home/me/results/of/the/first/week/iperf3/run-1.json")
    '…/of/the/first/week/iperf3/run-1.json'
    """
    if len(path) <= most:
        return path
    end = path[1 - most :]
    return f"…{end[end.index('/') :]}" if "/" in end else shortened(path, most)


def fields_repr(result: Any) -> str:
    """
    A short form that names the fields whose value is not the usual one, as many as fit.

    Examples
    --------
    >>> from fractions import Fraction
    >>> fields_repr(Fraction(1, 3))
    'Fraction()'
    """
    kind = type(result).__name__
    parts: list[str] = []
    left = REPR_CHARACTERS - len(f"{kind}(, ...)")
    for name, value in usual_left_out(result):
        part = f"{name}={value_text(value)}"
        if len(part) > left:
            parts.append("...")
            break
        parts.append(part)
        left -= len(part) + len(", ")
    return f"{kind}({', '.join(parts)})"


def usual_left_out(result: Any) -> Iterator[tuple[str, Any]]:
    """Names and values of fields that differ from their default."""
    named: list[tuple[str, Any, Callable[[], Any]]] = []
    if is_dataclass(result):
        named = [
            (
                each.name,
                each.default,
                each.default_factory if each.default_factory is not MISSING else lambda: MISSING,
            )
            for each in fields(result)
            if each.repr
        ]
    elif isinstance(result, tuple):
        defaults = getattr(result, "_field_defaults", {})
        names = getattr(result, "_fields", ())
        named = [(name, defaults.get(name, MISSING), lambda: MISSING) for name in names]
    for name, default, factory in named:
        value = getattr(result, name)
        usual = factory() if default is MISSING else default
        try:
            is_usual = usual is not MISSING and bool(value == usual)
        except ValueError:  # an array has no single answer
            is_usual = False
        if not is_usual:
            yield name, value


def value_text(value: Any) -> str:
    """A value in a few characters: numbers rounded, of collections how many they hold."""
    if isinstance(value, float):
        return min(repr(value), f"{value:.6g}", key=len)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, str):
        return repr(shortened(value))
    shape = getattr(value, "shape", None)
    if shape:
        return f"<{' x '.join(map(str, shape))} numbers>"
    if isinstance(value, Mapping | tuple | list | frozenset) and not hasattr(value, "_fields"):
        is_short = len(value) <= _FEW and all(isinstance(each, str | int) for each in value)
        if is_short and not isinstance(value, Mapping):
            comma = "," if len(value) == 1 else ""
            return f"({', '.join(value_text(each) for each in value)}{comma})"
        return f"<{len(value)}>"
    text = repr(value)
    return text if len(text) <= _TEXT_CHARACTERS else f"<{type(value).__name__}>"
