"""Small tables, values with their ranges, and safe characters."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import Any

from netmodel.printable import printable as printable  # noqa: PLC0414  # with other texts
from netmodel.units import format_frequency, format_rate, format_time
from netmodel.units.columns import label_and_unit
from netmodel.units.prefixes import WHOLE_PERCENT

RESULT_DIGITS = 4
"""Significant digits of rates and times in print: one more than any published figure has, and
fewer than repeated runs differ in."""
RATE_DIGITS = 11
"""Those of a rate that is computed: to the bit/s at 25 Gbit/s, to compare it with other tools."""
BOUND_SIGNS = {"value": "", "upper": "<= ", "lower": ">= ", "mean": "about "}
"""What stands in front of a figure, by the side of the true value on which it lies."""
NOTE_COUNT = 3
"""Notes that stand open, and that commands print without --verbose: more are not read."""
PREFIXED = {"bit/s": format_rate, "Hz": format_frequency, "s": format_time}
"""Units that take prefixes."""
UNNAMED = frozenset({"count", "ratio"})
"""Units that nobody writes."""
names_of_arguments = ContextVar("names_of_arguments", default=dict[str, str]())  # noqa: B039
"""Options of the command that runs, or keys of a file; other threads keep what they name."""
_GAP = "  "
"""Between columns of a table."""
_WHOLE_DIGITS = 15
"""Of a float without its last, which rounding spoils: no exponent below 1e15."""
_MIN_LIKENESS = 0.8
"""Ratio of difflib: one wrong letter in five, or two swapped letters in ten."""


def near_name(name: str, known: Iterable[str]) -> str | None:
    """
    Return the known name closest to another one: without case, punctuation and unit, or misspelt.

    Parameters
    ----------
    name : str
        Name as written.
    known : iterable of str
        Names to compare with.

    Returns
    -------
    near : str or None
        None where none is close, or the name is known.

    Examples
    --------
    >>> [near_name(name, ["mtu_bytes", "direction"]) for name in ("mtu", "MTU bytes", "directoin")]
    ['mtu_bytes', 'mtu_bytes', 'direction']
    """
    from difflib import get_close_matches  # of errors alone

    names, flat = {each: slug(each) for each in known}, slug(name)
    if name in names or not flat:
        return None
    by_flat = {x: each for each, x in reversed(names.items())}
    without_unit = (each for each, x in names.items() if x == flat or each.startswith(f"{flat}_"))
    close = (by_flat[each] for each in get_close_matches(flat, by_flat, 1, _MIN_LIKENESS))
    return next(without_unit, None) or next(close, None)


def slug(name: str) -> str:
    """Return a name in lower case with underscores for punctuation."""
    return re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")


def meant_text(name: str, known: Iterable[str]) -> str:
    """
    Return the end of an error on a name: the known one that may be meant, where one is close.

    Examples
    --------
    >>> meant_text("windw", ["loss", "window"]), meant_text("xyz", ["loss"])
    ('; did you mean window?', '')
    """
    near = near_name(name, known)
    return f"; did you mean {near}?" if near else ""


def argument(name: str, option: str, value: object = None) -> str:
    """
    Return an argument as its reader writes it: a keyword in Python, an option in a command.

    Parameters
    ----------
    name : str
        Keyword of the function of `netmodel` that the message comes from.
    option : str
        The same as an option of its command.
    value : optional
        What to give: a text, an ellipsis for any, or a mapping of conditions.

    Returns
    -------
    text : str
        With a keyword and no value, dots for the value.

    Examples
    --------
    >>> argument("mtu_bytes", "--mtu"), argument("where", "--where", {"side": "client"})
    ('mtu_bytes=...', "where={'side': 'client'}")
    """
    if not names_of_arguments.get().get(name, "").startswith("-"):
        return f"{name}={... if value is None else value!r}".replace("Ellipsis", "...")
    return option if value is None else f"{option} {_in_a_shell(value)}"


def _in_a_shell(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(
            f"{key}{':' if isinstance(each, Mapping) else '='}{_in_a_shell(each)}"
            for key, each in value.items()
        )
    text = "..." if value is ... else str(value)
    return f'"{text}"' if " " in text else text


def listed(things: Iterable[object]) -> str:
    """
    Return an enumeration in words.

    Parameters
    ----------
    things : iterable
        One or more.

    Returns
    -------
    text : str
        With commas, and "and" before the last.

    Examples
    --------
    >>> listed([1, 10, 50])
    '1, 10 and 50'
    """
    *others, last = map(str, things)
    return f"{', '.join(others)} and {last}" if others else last


_FEW_NAMES = 2
"""Names of stages that fit into a note of one line beside the sentence on them."""


def few_names(names: Sequence[str], noun: str) -> str:
    """
    Return the names in a sentence of one line: all of a few, and how many there are of more.

    Parameters
    ----------
    names : sequence of str
        Of stages, parts or flows.
    noun : str
        What several of them are called.

    Returns
    -------
    text : str
        Names with commas, or a number with the noun.

    Examples
    --------
    >>> few_names(["client_cpu", "server_cpu"], "stages"), few_names("abc", "stages")
    ('client_cpu, server_cpu', '3 stages')
    """
    return ", ".join(names) if len(names) <= _FEW_NAMES else f"{len(names)} {noun}"


def text_table(rows: Sequence[Sequence[str]], right_aligned: Sequence[int] = ()) -> str:
    """
    Table of aligned columns.

    Parameters
    ----------
    rows : sequence of sequence of str
        Cells; the same number in each row.
    right_aligned : sequence of int
        Indices of the right-aligned columns.

    Returns
    -------
    text : str
        One line for each row, without trailing spaces.

    Examples
    --------
    >>> print(text_table([("part", "bytes"), ("payload", "1448")], right_aligned=[1]))
    part     bytes
    payload   1448
    """
    padded = []
    for at, column in enumerate(zip(*rows, strict=True)):
        width, pad = max(map(len, column)), str.rjust if at in right_aligned else str.ljust
        padded.append([pad(cell, width) for cell in column])
    return "\n".join(_GAP.join(row).rstrip() for row in zip(*padded, strict=True))


def percent_text(share: float, significant_digits: int) -> str:
    """
    Return a share as a percentage, without an exponent however large it is.

    Parameters
    ----------
    share : float
        1 is the whole.
    significant_digits : int
        Digits that are kept.

    Returns
    -------
    text : str
        Such as ``70 %``.

    Examples
    --------
    >>> percent_text(0.0123, 2), percent_text(1.234, 2)
    ('1.2 %', '120 %')
    """
    rounded = float(f"{WHOLE_PERCENT * share:.{significant_digits}g}")
    return f"{rounded:.{_WHOLE_DIGITS}g} %"


def fixed_percent(share: float, decimals: int) -> str:
    """
    Return a share as a percentage with the same decimals in every row of a table.

    Examples
    --------
    >>> fixed_percent(1, 1), fixed_percent(0.0567, 1)
    ('100.0 %', '5.7 %')
    """
    return f"{WHOLE_PERCENT * share:,.{decimals}f} %"


def range_text(low: str, high: str) -> str:
    """
    Return the range of a quantity, with the unit once where it is the same.

    Parameters
    ----------
    low : str
        Lower end.
    high : str
        Upper end.

    Returns
    -------
    text : str
        Such as ``12 to 14 ms``.

    Examples
    --------
    >>> range_text("12 ms", "14 ms"), range_text("0.9 s", "1 min"), range_text("9 %", "up to 2 %")
    ('12 to 14 ms', '0.9 s to 1 min', '9 to at most 2 %')
    """
    low_number, _, low_unit = low.partition(" ")
    least = low_number if high.endswith(f" {low_unit}") else low
    return f"{least} to {re.sub('^up to ', 'at most ', high)}"


def span_text(low: str, high: str) -> str:
    """
    Return the range of a quantity, or a single value where both ends read the same.

    Parameters
    ----------
    low : str
        Lower end.
    high : str
        Upper end.

    Returns
    -------
    text : str
        A value or a range.

    Examples
    --------
    >>> span_text("1448 B", "1448 B"), span_text("1448 B", "8948 B")
    ('1448 B', '1448 to 8948 B')
    """
    return low if low == high else range_text(low, high)


def number_text(value: float) -> str:
    """
    Return a number to read: all digits before the point, four at least.

    Parameters
    ----------
    value : float
        From 0 up.

    Returns
    -------
    text : str
        With commas between thousands.

    Examples
    --------
    >>> number_text(98765.4), number_text(0.123456)
    ('98,765', '0.1235')
    """
    return f"{value:,.0f}" if round(value) >= 10**RESULT_DIGITS else f"{value:.{RESULT_DIGITS}g}"


def amount_text(value: float | None, unit: str, digits: int = RESULT_DIGITS) -> str:
    """
    Return a number with its unit; empty where there is none.

    Examples
    --------
    >>> amount_text(6.28e-05, "s"), amount_text(12345.6, "µs/Gbit"), amount_text(None, "s")
    ('62.8 µs', '12,346 µs/Gbit', '')
    """
    if value is None:
        return ""
    if unit in PREFIXED:
        return PREFIXED[unit](value, digits)
    return f"{number_text(value)} {'' if unit in UNNAMED else unit}".strip()


def value_text(name: str, value: Any, digits: int = RESULT_DIGITS) -> str:
    """
    Return a plain value in the unit that its name ends in.

    Parameters
    ----------
    name : str
        Key in `to_dict`, such as ``payload_rate_bps``.
    value : object
        Number, text, truth value, list, or mapping: of ``low`` and ``high``, or of names.
    digits : int
        Significant digits of what takes a prefix.

    Examples
    --------
    >>> value_text("payload_rate_bps", 23537061118.3, 11), value_text("efficiency_ratio", 0.94148)
    ('23.537061118 Gbit/s', '0.9415')
    >>> value_text("us_per_gbit", {"low": 1.5, "high": 2}), value_text("is_known", True)
    ('1.5 to 2 µs/Gbit', 'yes')
    >>> value_text("time_s", {"value": 0.2, "low": 0.1, "high": None})
    '200 ms (100 ms to open)'
    >>> value_text("rates_bps", {"in": 1e9, "mtu_bytes": 1500}), value_text("parts", [{}, {}])
    ('in 1 Gbit/s, MTU 1500 byte', '2 of them')
    """
    if isinstance(value, Mapping):
        if "low" in value:
            low, high = (value_text(name, value[end], digits) or "open" for end in ("low", "high"))
            if "value" not in value or (value["value"] is None and low != high):
                return range_text(low, high)
            sign = BOUND_SIGNS.get(value.get("bound", ""), "")
            text = value_text(name, value["value"], digits) or "open"
            return sign + (text if text == low == high else f"{text} ({range_text(low, high)})")
        return ", ".join(map(" ".join, named_texts(value, name, digits)))
    if isinstance(value, list | tuple):
        if any(isinstance(each, Mapping) for each in value):
            return f"{len(value)} of them"
        return ", ".join(value_text(name, each, digits) for each in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value or "")
    return amount_text(value, label_and_unit(name)[1], digits)


def named_texts(
    values: Mapping[str, Any], of: str = "", digits: int = RESULT_DIGITS
) -> Iterator[tuple[str, str]]:
    """Label and text of each value that is there, in the unit of its name or else of another."""
    for key, value in values.items():
        label, unit = label_and_unit(key)
        if text := value_text(key if unit else of, value, digits):
            yield label or key, text
