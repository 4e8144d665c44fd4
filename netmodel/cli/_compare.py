"""``netmodel compare``."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from netmodel._terminal import Column, columns_table
from netmodel.api import compare as compare_cases
from netmodel.api._compare import Comparison
from netmodel.api._compared_text import change_text, nearest_lines, row_name, words_of
from netmodel.cli._console import notes_text
from netmodel.cli._derived import answering
from netmodel.published import Answer

_SHOWN_ROWS = 12
"""Rows of a table that leave room for the answer and the notes on a screen of 24 lines."""
_PLACE_CHARACTERS = 18
"""Of a place in a table, which --verbose prints whole: a title of a page is longer."""


def comparisons(**given: Annotated[object, compare_cases]) -> Sequence[Comparison]:
    """Compare two cases: what a change of adapter or MTU gains.

    Prints for each quantity, side and number of connections the ratio of variant to baseline that
    a document prints, else that of two predictions (modelled), and the nearest printed cases.

    Conditions are those of published rows: adapter (or client and server), path, layer, mtu,
    connections, rps, km, protocol, level (of the hypervisor), attributes and more; a wrong name
    lists them. --protocol smc-r alone compares it with TCP, over the distance of --km or --rtt.

    \b
    Example: netmodel compare --workload rr1c-200x1000 --connections 50
                 --baseline "osa-express7s-25gbe rps=off" --variant rps=on
    """
    return compare_cases(**given)  # type: ignore[arg-type]


def _blocks(answer: Sequence[Comparison], is_verbose: bool) -> Iterator[str]:
    """Of each comparison the answer, a table, the nearest printed rows, and notes."""
    for result in answer:
        yield result.answer
        # what follows from a printed row says least
        telling = sorted(result.rows, key=lambda row: row.is_converted)
        kept = telling if is_verbose else telling[:_SHOWN_ROWS]
        if shown := [row for row in kept if row.status != "not_published"]:
            yield _table(shown, {"km", "connections", "side", *result.variant}, is_verbose)
        if left_out := len(telling) - len(kept):
            yield f"{left_out} more rows: give --verbose, or a condition such as --connections."
        if near := "\n".join(nearest_lines(result.rows, is_verbose)):
            yield f"nearest printed:\n{near}"
        yield notes_text(result.notes, is_verbose)


def _table(rows: Sequence[Answer], named: set[str], is_verbose: bool) -> str:
    """A row for each change, with conditions that the answer has not named."""
    cells = [
        {
            "km": row.conditions.get("km", ""),
            "conn.": row.conditions.get("connections", ""),
            "quantity": row_name(row),
            "case": words_of({k: v for k, v in row.conditions.items() if k not in named}),
            "change": change_text(row),
            "status": row.status.replace("_", " "),
            "place": "; ".join(dict.fromkeys(_place(each, is_verbose) for each in row.places)),
        }
        for row in rows
    ]
    columns = [
        Column(name, [str(row[name]) for row in cells], name in ("km", "conn."), name == "status")
        for name in cells[0]
    ]
    return columns_table(columns, is_verbose)


def _place(text: str, is_verbose: bool) -> str:
    """A place, without the title of its page."""
    plain = text.replace(" document", "")
    return plain if is_verbose else plain[:_PLACE_CHARACTERS]


compare = answering(
    comparisons,
    _blocks,
    data=lambda answer: [row for each in answer for row in each.to_dict()["rows"]],
    first=("baseline", "variant", "workload", "connections", "mtu_bytes", "km"),
    outputs=("verbose", "json"),
    name="compare",
)
