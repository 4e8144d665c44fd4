"""Small tables for notebooks."""

from collections.abc import Iterable
from html import escape

__all__ = ["definition_table"]


def definition_table(caption: str, rows: Iterable[tuple[str, str]]) -> str:
    """An HTML table of names and what they stand for."""
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(text)}</td></tr>"
        for name, text in rows
    )
    return f"<table><caption>{escape(caption)}</caption>{body}</table>"
