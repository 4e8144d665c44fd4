"""Notes below answers, and printed rows in a line."""

from collections.abc import Iterator, Sequence
from typing import Any

from netmodel.text import NOTE_COUNT


def note_rows(notes: Sequence[str], is_verbose: bool) -> Iterator[tuple[str, str]]:
    """
    All notes, or the first and the number of those left out.

    Parameters
    ----------
    notes : sequence of str
        In the order of their weight.
    is_verbose : bool
        Whether all are wanted.

    Yields
    ------
    name, text : str
        The last has no name where it says how many are left out.

    Examples
    --------
    >>> list(note_rows(["a", "b", "c", "d"], False))[2:]
    [('note', 'c'), ('', '1 more note with --verbose')]
    """
    yield from (("note", text) for text in notes[: None if is_verbose else NOTE_COUNT])
    left = 0 if is_verbose else len(notes) - NOTE_COUNT
    if left > 0:
        yield "", f"{left} more note{'s' * (left > 1)} with --verbose"


def notes_text(notes: Sequence[str], is_verbose: bool) -> str:
    """Notes, the most important or all, a line each; or nothing."""
    rows = note_rows(notes, is_verbose)
    return "\n".join(f"{name}: {text}" if name else text for name, text in rows)


def row_text(row: Any) -> str:
    """A printed row in a line, with its quantity and side."""
    sides = () if "side" in row.differs else row.of.get("side", ())
    of_side = f" of the {' and '.join(map(str, sides))}" if sides else ""
    return f"{row.quantity.replace('_', ' ')}{of_side} {row.text}"
