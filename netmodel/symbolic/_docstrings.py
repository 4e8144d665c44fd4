"""What the docstring of a formula says of it: units, equation and sources."""

import inspect
import re
from functools import cache

from netmodel._dataclasses import dataclass
from netmodel.symbolic._formulas import Function

_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", flags=re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \w+)*)(?: : .*)?\n", flags=re.MULTILINE)
_UNIT = re.compile(r"\[([^\[\]]*)\]\s*$")
_MATH = re.compile(r"^\.\. math::((?:.*\n?)(?:(?:[ \t]+\S.*)?\n)*)", flags=re.MULTILINE)


@dataclass(frozen=True)
class Documentation:
    """
    Parts of a docstring.

    Parameters
    ----------
    summary : str
        First sentence.
    units : dict of str to str
        Unit of each parameter that has one.
    result_unit : str
        Unit of the result; empty for a pure number.
    references : str
        Documents and places.
    equations : tuple of str
        LaTeX of the notes.
    """

    summary: str
    units: dict[str, str]
    result_unit: str
    references: str
    equations: tuple[str, ...]


@cache
def documentation(function: Function) -> Documentation:
    """Documentation of a function."""
    pieces = _HEADING.split(inspect.getdoc(function) or "")
    sections = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    results = _units(sections.get("Returns", ""))
    notes = sections.get("Notes", "")
    summary = pieces[0].strip().partition("\n\n")[0]
    in_summary = _UNIT.search(summary)
    return Documentation(
        _flowing(_UNIT.sub("", summary)),
        _units(sections.get("Parameters", "")),
        next(iter(results.values()), in_summary.group(1) if in_summary else ""),
        _flowing(sections.get("References", "")),
        tuple(_flowing(each) for each in _MATH.findall(notes)),
    )


def _units(section: str) -> dict[str, str]:
    pieces = _ENTRY.split(section)
    return {
        name: unit.group(1)
        for names, text in zip(pieces[1::2], pieces[2::2], strict=True)
        if (unit := _UNIT.search(text))
        for name in names.split(", ")
    }


def _flowing(text: str) -> str:
    return " ".join(text.split())
