"""Aligned and wrapped text."""

from collections.abc import Iterator, Sequence

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
