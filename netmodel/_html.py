"""Small tables for notebooks."""

from collections.abc import Iterable, Sequence
from html import escape


def definition_table(caption: str, rows: Iterable[tuple[str, str]]) -> str:
    """An HTML table of names and what they stand for."""
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(text)}</td></tr>"
        for name, text in rows
    )
    return f"<table><caption>{escape(caption)}</caption>{body}</table>"


def row_table(caption: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """An HTML table of rows below the names of their columns."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
