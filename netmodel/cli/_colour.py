"""
Colour in a terminal: verdicts, yes and no, the bottleneck, and notes that stand back.

Words carry the meaning; colour repeats it. Only the standard colours serve, whose shades a
terminal chooses to suit its background, and bold and dim.
"""

import os
import re
from collections.abc import Iterator
from typing import TextIO

_RESET, _BOLD, _DIM = "\x1b[0m", "\x1b[1m", "\x1b[2m"
_GREEN, _YELLOW, _RED = "\x1b[32m", "\x1b[33m", "\x1b[31m"
_WORDS = {
    _GREEN: ("at_ceiling", "Yes"),
    _YELLOW: ("limited", "not_judgeable"),
    _RED: ("below", "impossible", "failed", "unreadable", "contradiction", "No"),
}
"""Words that begin an answer, by how good it is."""
_COLOUR_OF = {word: colour for colour, words in _WORDS.items() for word in words}
_ANSWER = re.compile(rf"({'|'.join(_COLOUR_OF)})(?=: )")
_BOTTLENECK = re.compile(r"\* ([v|] [|^]|bottleneck)  ")
"""Row of the bottleneck in the drawing of a path, or below it."""
_NOTE = re.compile(r" *(note(:|  )|[0-9]+ more notes? with --verbose$)")


def has_colour(stream: TextIO) -> bool:
    """
    Whether a stream gets colour: a terminal does, unless its user or its kind forbids it.

    The variables are those of no-color.org and bixense.com/clicolors, in the order in which Python
    itself reads them: what forbids colour comes first, then what forces it.
    """
    given = os.environ.get
    if given("NO_COLOR") or given("CLICOLOR") == "0":
        return False
    if {given("FORCE_COLOR"), given("CLICOLOR_FORCE")} - {None, "", "0"}:
        return True
    if given("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def painted(text: str) -> str:
    r"""
    Text with colours, its characters otherwise unchanged.

    Parameters
    ----------
    text : str
        Lines as they are printed, wrapped already.

    Returns
    -------
    text : str
        The same lines; each that begins a colour ends it.

    Examples
    --------
    >>> painted("Yes: one is enough")
    '\x1b[1m\x1b[32mYes\x1b[0m: one is enough'
    """
    return "".join(_painted_lines(text))


def _painted_lines(text: str) -> Iterator[str]:
    note_indent: int | None = None
    for line in text.splitlines(keepends=True):
        shown = line.rstrip("\r\n")
        end = line[len(shown) :]
        indent = len(shown) - len(shown.lstrip())
        # a note goes on below itself, further in
        if note_indent is not None and (not shown.strip() or indent <= note_indent):
            note_indent = None
        if _NOTE.match(shown):
            note_indent = indent
        if note_indent is not None:
            yield f"{_DIM}{shown}{_RESET}{end}"
        elif answer := _ANSWER.match(shown):
            word = answer.group()
            yield f"{_BOLD}{_COLOUR_OF[word]}{word}{_RESET}{shown[len(word) :]}{end}"
        elif _BOTTLENECK.match(shown):
            yield f"{_BOLD}{shown}{_RESET}{end}"
        else:
            yield line
