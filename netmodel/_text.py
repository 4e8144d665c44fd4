"""Small tables for terminals, values with their ranges, and what may be printed."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = [
    "listed",
    "near_name",
    "printable",
    "range_text",
    "ratio_text",
    "span_text",
    "text_table",
]

_GAP = "  "
_LEAST_LIKENESS = 0.8
"""Of difflib: one wrong letter in five, or two that changed places in ten."""
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""What XML 1.0 does not allow, more control characters, and what turns the direction of text."""


def near_name(name: str, known: Iterable[str]) -> str | None:
    """
    The known name that another may be meant as: but for case and signs, without unit, or nearly.

    Parameters
    ----------
    name : str
        As it was written.
    known : iterable of str
        Names that have a meaning.

    Returns
    -------
    near : str or None
        None where none is near, or it is one of them.

    Examples
    --------
    >>> [near_name(one, ["mtu_bytes", "direction"]) for one in ("mtu", "MTU bytes", "directoin")]
    ['mtu_bytes', 'mtu_bytes', 'direction']
    """
    names = list(known)
    flat = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")
    if name in names or not flat:
        return None
    without_unit = (one for one in names if one == flat or one.startswith(f"{flat}_"))
    close = get_close_matches(flat, names, n=1, cutoff=_LEAST_LIKENESS)
    return next(without_unit, None) or next(iter(close), None)


def printable(text: str) -> str:
    r"""
    Text without the characters that steer a terminal, that no XML may hold, or that mislead.

    Parameters
    ----------
    text : str
        May hold control characters, marks that turn the direction of writing,
        and what stands for undecodable bytes. Ends of lines and tabs stay.

    Returns
    -------
    text : str
        With each of them written as its number.

    Examples
    --------
    >>> print(printable("a\x1b[1m b\udcff"))
    a\x1b[1m b\udcff
    """
    # most texts hold none of them, which isprintable tells ten times as fast; it minds line ends
    if text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _UNPRINTABLE.sub(_as_number, text)


def _as_number(found: re.Match[str]) -> str:
    return ascii(found.group())[1:-1]


def listed(several: Iterable[object]) -> str:
    """
    Several things in one row of words.

    Parameters
    ----------
    several : iterable
        At least one.

    Returns
    -------
    text : str
        With commas, and "and" before the last.

    Examples
    --------
    >>> listed([1, 10, 50])
    '1, 10 and 50'
    """
    *others, last = map(str, several)
    return f"{', '.join(others)} and {last}" if others else last


def text_table(rows: Sequence[Sequence[str]], right_aligned: Sequence[int] = ()) -> str:
    """
    Rows of text under each other, column by column.

    Parameters
    ----------
    rows : sequence of sequence of str
        Cells, as many in each row.
    right_aligned : sequence of int
        Columns whose cells end under each other, counted from 0.

    Returns
    -------
    text : str
        One line for each row, without spaces at its end.

    Examples
    --------
    >>> print(text_table([("part", "bytes"), ("payload", "1448")], right_aligned=[1]))
    part     bytes
    payload   1448
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        _GAP.join(
            cell.rjust(width) if column in right_aligned else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def range_text(low: str, high: str) -> str:
    """
    Two quantities, the unit once where it is the same.

    Parameters
    ----------
    low : str
        The least.
    high : str
        The most.

    Returns
    -------
    text : str
        From the one to the other.

    Examples
    --------
    >>> range_text("12 ms", "14 ms"), range_text("0.9 s", "1 min")
    ('12 to 14 ms', '0.9 s to 1 min')
    """
    low_number, _, low_unit = low.partition(" ")
    return f"{low_number if high.endswith(f' {low_unit}') else low} to {high}"


def span_text(low: str, high: str) -> str:
    """
    A quantity that is the same in all cases, or the range of it.

    Parameters
    ----------
    low : str
        The least.
    high : str
        The most.

    Returns
    -------
    text : str
        One of them where both read the same.

    Examples
    --------
    >>> span_text("1448 B", "1448 B"), span_text("1448 B", "8948 B")
    ('1448 B', '1448 to 8948 B')
    """
    return low if low == high else range_text(low, high)


def ratio_text(value: float | None, low: float, high: float) -> str:
    """
    A ratio, and its range where there is one.

    Parameters
    ----------
    value : float, optional
        The one to quote; None where there is none.
    low : float
        Its least.
    high : float
        Its most.

    Returns
    -------
    text : str
        With four digits.

    Examples
    --------
    >>> ratio_text(None, 1.05054, 1.75)
    '1.051 to 1.75'
    """
    least, most = f"{low:.4g}", f"{high:.4g}"
    if least == most:
        return least
    several = range_text(least, most)
    return several if value is None else f"{value:.4g} ({several})"
