"""Tables for notebooks: one look for every result, on light and on dark pages."""

from collections.abc import Iterable, Sequence
from html import escape

from netmodel.text import NOTE_COUNT

_LINE = "1px solid rgba(128,128,128,.35)"
"""A grey that shows on white and on black."""
_TABLE = f"border-collapse:collapse;table-layout:auto;margin:.5em 0;border-bottom:{_LINE}"
_CAPTION = "caption-side:top;text-align:left;font-weight:600;padding:.2em 0;color:inherit"
_CELL = f"padding:.2em .8em .2em 0;vertical-align:top;border-top:{_LINE};background:none"


def definition_table(caption: str, rows: Sequence[tuple[str, str]]) -> str:
    """
    Return a table of names and what they stand for; notes behind the third are folded.

    Parameters
    ----------
    caption : str
        What the table shows.
    rows : sequence of (str, str)
        Name and text of each row; rows named "note" stand below the table.

    Returns
    -------
    html : str
        Escaped.
    """
    body = [row for row in rows if row[0] != "note"]
    notes = [text for name, text in rows if name == "note"]
    table = row_table(caption, (), body) if body or caption else ""
    more = f"<details><summary>{len(notes) - NOTE_COUNT} more notes</summary>"
    more += f"{_list(notes[NOTE_COUNT:])}</details>"
    below = f"Notes{_list(notes[:NOTE_COUNT])}{more if len(notes) > NOTE_COUNT else ''}"
    return table + f"<div style='margin:.3em 0'>{below}</div>" * bool(notes)


def row_table(
    caption: str,
    names: Sequence[str],
    rows: Iterable[Sequence[str]],
    right_aligned: Sequence[int] = (),
) -> str:
    """
    Return a table of rows below the names of their columns; the first cell names its row.

    Parameters
    ----------
    caption : str
        What the table shows.
    names : sequence of str
        Of the columns.
    rows : iterable of sequence of str
        Cells.
    right_aligned : sequence of int
        Columns of numbers, 0 for the first.

    Returns
    -------
    html : str
        Escaped.
    """
    title = f"<caption style='{_CAPTION}'>{escape(caption)}</caption>" if caption else ""
    head = f"<thead>{_row(names, right_aligned, 'col', 'col')}</thead>" if names else ""
    body = "".join(_row(row, right_aligned, "row", "") for row in rows)
    return f"<table style='{_TABLE}'>{title}{head}<tbody>{body}</tbody></table>"


def _list(texts: Iterable[str]) -> str:
    return f"<ul style='margin:.2em 0'>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>"


def _row(texts: Iterable[str], right_aligned: Sequence[int], first: str, others: str) -> str:
    """Return a row whose cells name what the scopes say."""
    numbered = enumerate(texts)
    cells = (_cell(text, at in right_aligned, others if at else first) for at, text in numbered)
    return f"<tr>{''.join(cells)}</tr>"


def _cell(text: str, is_right: bool, scope: str) -> str:
    """Return a cell of numbers or texts; one with a scope names its column or row."""
    name, kind = ("th", f" scope='{scope}'") if scope else ("td", "")
    align = "text-align:right;white-space:nowrap" if is_right else "text-align:left"
    return f"<{name}{kind} style='{align};{_CELL}'>{escape(text)}</{name}>"
