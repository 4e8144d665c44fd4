"""Parts of the docstring of a formula: summary, units, equations and sources."""

import inspect
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", flags=re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \w+)*)(?: : .*)?\n", flags=re.MULTILINE)
_UNIT = re.compile(r"\[([^\[\]]*)\]\s*$")
_MATH = re.compile(r"^\.\. math::((?:.*\n?)(?:(?:[ \t]+\S.*)?\n)*)", flags=re.MULTILINE)


class Documentation(NamedTuple):
    """
    Parts of a docstring.

    Parameters
    ----------
    summary : str
        First sentence.
    texts : dict of str to str
        What stands about each parameter, on one line.
    units : dict of str to str
        Unit of each parameter that has one.
    result_type, result_unit : str
        Type of the result, and its unit; empty for a pure number.
    references : str
        Documents and places.
    equations : tuple of str
        LaTeX of the notes.
    """

    summary: str
    texts: Mapping[str, str]
    units: Mapping[str, str]
    result_type: str
    result_unit: str
    references: str
    equations: tuple[str, ...]


@cache
def documentation(function: Callable[..., Any]) -> Documentation:
    """Return the documentation of a function."""
    pieces = _HEADING.split(inspect.getdoc(function) or "")
    sections = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    returned = sections.get("Returns", "")
    texts, results = _texts(sections.get("Parameters", "")), _units(_texts(returned))
    summary = pieces[0].strip().partition("\n\n")[0]
    in_summary = _UNIT.search(summary)
    return Documentation(
        _flowing(_UNIT.sub("", summary)),
        texts,
        _units(texts),
        returned.partition("\n")[0].partition(" : ")[2],
        next(iter(results.values()), in_summary.group(1) if in_summary else ""),
        _flowing(sections.get("References", "")).replace("``", ""),
        tuple(_flowing(each) for each in _MATH.findall(sections.get("Notes", ""))),
    )


def _texts(section: str) -> dict[str, str]:
    pieces = _ENTRY.split(section)
    entries = zip(pieces[1::2], pieces[2::2], strict=True)
    return {name: _flowing(text) for names, text in entries for name in names.split(", ")}


def _units(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: unit[1] for name, text in texts.items() if (unit := _UNIT.search(text))}


def _flowing(text: str) -> str:
    return " ".join(text.split())
