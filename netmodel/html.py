"""Tables for notebooks: one look for every result, on light and on dark pages."""

from collections.abc import Iterable, Sequence
from html import escape

from netmodel.text import NOTE_COUNT

_LINE = "1px solid rgba(128,128,128,.35)"
"""A grey that shows on white and on black."""
_TABLE = f"border-collapse:collapse;table-layout:auto;margin:.5em 0;border-bottom:{_LINE}"
_CAPTION = "caption-side:top;text-align:left;font-weight:600;padding:.2em 0;color:inherit"
_CELL = f"padding:.2em .8em .2em 0;vertical-align:top;border-top:{_LINE};background:none"


def definition_table(caption: str, rows: Iterable[tuple[str, str]]) -> str:
    """
    A table of names and what they stand for; notes behind the third are folded.

    Parameters
    ----------
    caption : str
        What the table shows.
    rows : iterable of (str, str)
        Name and text of each row; rows named "note" stand below the table.

    Returns
    -------
    html : str
        Escaped.
    """
    given = list(rows)
    body, notes = ([row for row in given if (row[0] == "note") is of] for of in (False, True))
    below = notes_list([text for _, text in notes])
    return f"{row_table(caption, (), body) if body or not below else ''}{below}"


def row_table(
    caption: str,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    right_aligned: Iterable[int] = (),
) -> str:
    """
    A table of rows below the names of their columns; the first cell names its row.

    Parameters
    ----------
    caption : str
        What the table shows.
    names : sequence of str
        Of the columns.
    rows : iterable of sequence of str
        Cells.
    right_aligned : iterable of int
        Columns of numbers, 0 for the first.

    Returns
    -------
    html : str
        Escaped.
    """
    right = frozenset(right_aligned)
    title = f"<caption style='{_CAPTION}'>{escape(caption)}</caption>" if caption else ""
    head = "".join(_cell(name, place in right, "col") for place, name in enumerate(names))
    body = (
        "".join(
            _cell(text, place in right, "" if place else "row") for place, text in enumerate(row)
        )
        for row in rows
    )
    lines = f"<tbody>{''.join(f'<tr>{cells}</tr>' for cells in body)}</tbody>"
    first = f"<thead><tr>{head}</tr></thead>" if head else ""
    return f"<table style='{_TABLE}'>{title}{first}{lines}</table>"


def notes_list(notes: Sequence[str]) -> str:
    """The first notes as a list, and the others folded; empty without notes."""
    first, others = notes[:NOTE_COUNT], notes[NOTE_COUNT:]
    if not first:
        return ""
    more = f"<details><summary>{len(others)} more notes</summary>{_list(others)}</details>"
    return f"<div style='margin:.3em 0'>Notes{_list(first)}{more if others else ''}</div>"


def _list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul style='margin:.2em 0'>{items}</ul>"


def _cell(text: str, is_right: bool, scope: str) -> str:
    """A cell of numbers or texts; one with a scope names its column or row."""
    name, kind = ("th", f" scope='{scope}'") if scope else ("td", "")
    align = "text-align:right;white-space:nowrap" if is_right else "text-align:left"
    return f"<{name}{kind} style='{align};{_CELL}'>{escape(text)}</{name}>"
