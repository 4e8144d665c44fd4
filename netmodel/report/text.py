"""Tables and notes of answers, printed rows, and comparisons of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from netmodel.terminal import Column, columns_table
from netmodel.text import NOTE_COUNT

_SHOWN_ROWS = 11
"""Rows of a table that leave room for the answer and the notes on a screen of 24 lines."""
_SHOWN_NEAREST = 4
"""Nearest rows of a quantity: one below and one above in two conditions."""
_SHOWN_PRINTED = 24
"""Printed rows that a screen holds; of more --verbose lists all."""
_CONDITIONS = ("workload", "mtu", "connections")
"""Conditions of printed rows that have a column of their own; rows are sorted by them."""


def note_rows(notes: Sequence[str], is_verbose: bool) -> Iterator[tuple[str, str]]:
    """
    Yield all notes, or the first and the number of those left out.

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
    """Return a printed row in a line, with its quantity and side."""
    sides = () if "side" in row.differs else row.of.get("side", ())
    of_side = f" of the {' and '.join(map(str, sides))}" if sides else ""
    return f"{row.quantity.replace('_', ' ')}{of_side} {row.text}"


def first_rows(columns: Sequence[Column], is_verbose: bool, count: int, more: str) -> Iterator[str]:
    """Yield the table, of its first rows or of all, and how many more there are to ask for."""
    left = 0 if is_verbose else max(len(columns[0].cells) - count, 0)
    kept = len(columns[0].cells) - left
    yield columns_table((each._replace(cells=each.cells[:kept]) for each in columns), is_verbose)
    yield f"{left:,} more {more}" if left else ""


def comparison_blocks(answer: Any, is_verbose: bool) -> Iterator[str]:
    """Yield the answer of a comparison, its table, the nearest printed rows, and notes."""
    yield answer.answer
    more = "rows with --verbose; a condition, such as the connections, leaves fewer."
    yield from first_rows(answer.columns, is_verbose, _SHOWN_ROWS, more)
    count = None if is_verbose else _SHOWN_NEAREST
    unknown = [row for row in reversed(answer.rows) if not row.places]  # the first one counts
    nearest = {row.quantity.startswith("cpu"): row.nearest[:count] for row in unknown}
    lines = dict.fromkeys(f"  {row_text(row)}" for key in sorted(nearest) for row in nearest[key])
    yield "\n".join(["nearest printed:", *lines]) if lines else ""
    yield notes_text(answer.notes, is_verbose)


def published_blocks(rows: Sequence[Any], is_verbose: bool) -> Iterator[str]:
    """Yield what is printed, how much, and a table of it with conditions and places."""
    from netmodel.published.rows import words_of

    def cells(row: Any) -> tuple[str, ...]:
        own = (", ".join(map(str, row.of.get(key, ()))) for key in _CONDITIONS)
        case = words_of({key: x for key, x in row.of.items() if key not in _CONDITIONS})
        printed = row.amount() + (", doubtful" if row.doubt else "")
        return row.quantity.replace("_", " "), *own, case, printed, row.place, row.doubt or row.note

    # numbers by their size, as all cells are aligned on the right for it
    found = sorted(map(cells, rows), key=lambda row: [cell.rjust(24) for cell in row[:4]])
    heads = ("quantity", *_CONDITIONS, "case", "printed", "place", "note")
    columns = dict(zip(heads, zip(*found, strict=True), strict=True))
    alike = [head for head in heads[:3] if len({*columns[head]}) == 1 and columns[head][0]]
    of = ", ".join(("MTU " if head == "mtu" else "") + columns.pop(head)[0] for head in alike)
    documents = " and ".join(sorted({row.document for row in rows}))
    yield f"Printed rows{of and ' of '}{of} in document {documents}: {len(rows)}."
    shown = [Column(*each, rank=int(each[0] == "note")) for each in columns.items()]
    more = "rows with --verbose; a workload and a quantity leave fewer."
    yield from first_rows(shown, is_verbose, _SHOWN_PRINTED, more)
