"""A comparison as a table of a notebook and as a pandas frame."""

from typing import TYPE_CHECKING

from netmodel._frame import frame_of
from netmodel._html import notes_list, row_table
from netmodel.judging._compared_answer import at_count

if TYPE_CHECKING:
    import pandas as pd

    from netmodel.judging._compared import Compared


def html_of_comparison(result: "Compared") -> str:
    """What is printed and computed of each quantity."""
    rows = [
        (
            f"{row.name}{at_count(row)}",
            row.printed_text or "not measured",
            "" if row.model is None else row.model.text,
            row.grade.value if row.grade else "",
        )
        for row in result.rows
    ]
    names = ("quantity", "printed", "computed", "evidence")
    return row_table(result.title, names, rows) + notes_list(result.notes)


def frame_of_comparison(result: "Compared") -> "pd.DataFrame":
    """A row for each quantity and condition."""
    rows = [
        {
            "quantity": row.name,
            "connection_count": row.conditions.get("connection_count"),
            "printed": row.printed_text or None,
            "printed_ratio_low": row.printed_low if row.has_figure else None,
            "printed_ratio_high": row.printed_high if row.has_figure else None,
            "known_ratio_low": row.known_range and row.known_range[0],
            "known_ratio_high": row.known_range and row.known_range[1],
            "grade": row.grade and row.grade.value,
        }
        for row in result.rows
    ]
    return frame_of(rows, "quantity")
