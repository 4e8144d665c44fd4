"""Conditions and changes in words, as people say them."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from netmodel.reading import read_toml
from netmodel.records import data_path
from netmodel.units.formatting import window_text

_ENDS = ("client", "server")
_OWN_WORDS = {
    **dict.fromkeys((*_ENDS, "adapter", "path", "workload", "protocol", "side"), "{}"),
    "connections": "{} connections",
    "km": "{} km",
}
"""Conditions in a sentence, where that is not name and value."""
_WITHOUT_FIGURE = {"more": "higher (no figure)", "less": "lower (no figure)"}
_WITHOUT_FIGURE |= {"same": "about the same", "line": "line speed"}
_TURNED = {"at_least": "at_most", "at_most": "at_least"}
_MANY_TIMES = 2.0
"""From here on people say "3 times", below "40 % higher"."""


@cache
def said_once() -> dict[str, dict[str, Any]]:
    """
    Return what the documents say once for all their rows.

    Conditions that are usual where a case leaves them out and rows differ in them, names of ids
    in sentences, and conditions that the id of a path or workload implies.
    """
    return read_toml(str(data_path("published", "conditions.toml")))


def words_of(conditions: Mapping[str, Any]) -> str:
    """
    Return conditions for a sentence; an adapter at both ends once.

    Those of a row have several values, and its ids the names that people use.

    Examples
    --------
    >>> words_of({"client": "roce", "server": "roce", "mtu": 1500, "connections": 1})
    'roce, mtu 1500, 1 connection'
    >>> words_of({"client": ("osa-express7s-25gbe",), "connections": (50, 250)})
    'client OSA-Express7S, 50 or 250 connections'
    """
    is_same, texts = conditions.get("client") == conditions.get("server"), []
    names = said_once()["names"]
    for key, value in conditions.items():
        name = window_text(float(value)) if key == "window" else value
        name = f"{name:.4g}" if isinstance(name, float) else name
        if isinstance(name, tuple):
            name = " or ".join(names.get(str(each), str(each)) for each in name)
        own = f"{key} {{}}" if key in _ENDS and not is_same else _OWN_WORDS.get(key, f"{key} {{}}")
        if key != "server" or not is_same:
            text = own.format(name)
            texts.append("1 connection" if text == "1 connections" else text.strip())
    return ", ".join(texts)


def change_of(
    relation: str, low: float, high: float, digits: int = 3, same_ratio: float = 0.0
) -> str:
    """
    Return a ratio as a change, such as 17 % lower, at least 50 % lower, 2.5 times.

    Parameters
    ----------
    relation : str
        As in a row.
    low, high : float
        Ends of the ratio as printed.
    digits : int
        Of percentages.
    same_ratio : float
        Change that is none.

    Examples
    --------
    >>> change_of("equal", 0.83, 0.83), change_of("up_to", 0.4, 0.4), change_of("range", 2, 3)
    ('17 % lower', 'up to 60 % lower', '2 to 3 times')
    """
    if relation in _WITHOUT_FIGURE:
        return _WITHOUT_FIGURE[relation]
    if max(abs(low - 1), abs(high - 1)) <= same_ratio:
        ways = {"at_most": "the same or lower", "at_least": "the same or higher"}
        return ways.get(relation, "about the same" if same_ratio else "the same")
    if high >= _MANY_TIMES or low < 1 < high:
        amount = " to ".join(dict.fromkeys(f"{end:.3g}" for end in (low, high))) + " times"
    else:
        shares = sorted(100 * abs(1 - end) for end in (low, high))
        shown = " to ".join(dict.fromkeys(f"{share:.{digits}g}" for share in shares))
        amount = f"{shown} % {'lower' if high <= 1 else 'higher'}"
    lead = _TURNED.get(relation, relation) if high <= 1 else relation
    return f"{lead} {amount}".removeprefix("equal ").removeprefix("range ").replace("_", " ")
