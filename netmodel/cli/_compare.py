"""``netmodel compare``."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from netmodel.api import compare as compare_cases
from netmodel.api.comparison import Comparison, nearest_lines
from netmodel.cli._derived import answering
from netmodel.report.text import notes_text
from netmodel.terminal import columns_table

_SHOWN_ROWS = 11
"""Rows of a table that leave room for the answer and the notes on a screen of 24 lines."""


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
        columns = result.columns(is_verbose)
        kept = slice(None if is_verbose else _SHOWN_ROWS)
        yield columns_table((each._replace(cells=each.cells[kept]) for each in columns), is_verbose)
        if left_out := len(columns[0].cells) - len(columns[0].cells[kept]):
            yield f"{left_out} more rows: give --verbose, or a condition such as --connections."
        if near := "\n".join(nearest_lines(result.rows, is_verbose)):
            yield f"nearest printed:\n{near}"
        yield notes_text(result.notes, is_verbose)


compare = answering(
    comparisons,
    _blocks,
    data=lambda answer: [row for each in answer for row in each.to_dict()["rows"]],
    first=("baseline", "variant", "workload", "connections", "mtu_bytes", "km"),
)
