"""Aligned and wrapped text."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from netmodel._terminal import known_width
from netmodel._text import RESULT_DIGITS, text_table
from netmodel.framing import Part

_DRAWING_WIDTH, _NARROWEST_DRAWING = 60, 7
"""Columns of a frame: 60 fit a terminal of 80 with an indented text, 7 show its largest part."""
_AROUND = 3
"""Columns of the gap before the frame, and of a mark behind it."""
NOTE_COUNT = 3
"""Notes that commands print without --verbose: more are not read."""


def note_rows(notes: Sequence[str], count: int | None) -> Iterator[tuple[str, str]]:
    """
    The first notes, and the number of those left out.

    Parameters
    ----------
    notes : sequence of str
        In the order of their weight.
    count : int, optional
        How many to print; None for all.

    Yields
    ------
    name, text : str
        The last has no name where it says how many are left out.

    Examples
    --------
    >>> list(note_rows(["a", "b", "c"], 1))
    [('note', 'a'), ('', '2 more notes with --verbose')]
    """
    shown = notes if count is None else notes[:count]
    yield from (("note", text) for text in shown)
    left = len(notes) - len(shown)
    if left:
        yield "", f"{left} more note{'s' * (left > 1)} with --verbose"


def number_text(value: float) -> str:
    """
    A number to read: all digits before the point, four at least.

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


def frame_drawing(parts: Sequence[Part], width: int | None = None) -> str:
    """
    Draw a frame part by part, to scale.

    Parameters
    ----------
    parts : sequence of Part
        Everything on the wire, in wire order.
    width : int, optional
        Columns that the whole frame takes. When left out 60, or as many as a
        narrower terminal, or ``COLUMNS``, leaves beside the names.

    Returns
    -------
    text : str
        One line for each part: name, offset and length in bytes, and a bar
        where the part stands; a part of less than a column is a thin mark.

    Examples
    --------
    >>> print(frame_drawing([Part("header", 20), Part("payload", 40)], width=6))
    part     offset  bytes
    header        0     20  ##
    payload      20     40    ####
    """
    ends = list(accumulate(part.bytes for part in parts))
    rows = [("part", "offset", "bytes")]
    rows += [
        (part.name, f"{end - part.bytes:.7g}", f"{part.bytes:.7g}")
        for part, end in zip(parts, ends, strict=True)
    ]
    if width is None:
        beside = _AROUND + max(map(len, text_table(rows, right_aligned=[2]).splitlines()))
        left = (known_width() or beside + _DRAWING_WIDTH) - beside
        width = min(_DRAWING_WIDTH, max(left, _NARROWEST_DRAWING))
    columns = [0, *(round(end * width / ends[-1]) for end in ends)]
    bars = ["", *(" " * at + ("#" * (stop - at) or "|") for at, stop in pairwise(columns))]
    drawn = [(*row, bar) for row, bar in zip(rows, bars, strict=True)]
    return text_table(drawn, right_aligned=[1, 2])
