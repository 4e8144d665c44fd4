"""Texts of others in messages: without what steers a terminal, and not too long."""

import re

SHOWN_LENGTH = 60
"""Characters of a value in a message, which then fits on a line of a terminal with its key: of a
file that is not what it should be, nobody sees more."""
_UNPRINTABLE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Characters that XML 1.0 does not allow, other control characters, and bidirectional marks."""


def printable(text: str) -> str:
    r"""
    Return text without characters that control a terminal, break XML, or reverse its direction.

    Parameters
    ----------
    text : str
        May hold control characters, bidirectional marks, and surrogates of
        undecodable bytes. Ends of lines and tabs stay.

    Returns
    -------
    text : str
        With each of them as its escaped number.

    Examples
    --------
    >>> print(printable("a\x1b[1m b\udcff"))
    a\x1b[1m b\udcff
    """
    # isprintable is ten times as fast, and true of most texts but for line ends
    if text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return re.sub(_UNPRINTABLE, lambda match: ascii(match.group())[1:-1], text)


def cut(text: str) -> str:
    """
    Return the beginning of a text, which a message repeats.

    Examples
    --------
    >>> cut("9.2 Gbit/s"), len(cut("x" * 1000))
    ('9.2 Gbit/s', 61)
    """
    return text if len(text) <= SHOWN_LENGTH else f"{text[:SHOWN_LENGTH]}…"


def quoted(text: str) -> str:
    """Return a text in quotes, cut where it is long, with escapes for what is not printable."""
    return repr(cut(text))


def fault_text(error: Exception) -> str:
    """Return the message for one file of many on which netmodel itself fails."""
    return f"a fault of netmodel: {type(error).__name__}; please report it, with the file"
