"""``netmodel compare``."""

from collections.abc import Iterator
from typing import Annotated

from netmodel.api import compare as compare_cases
from netmodel.api.comparison import Comparison
from netmodel.cli._derived import answering
from netmodel.report.text import notes_text
from netmodel.terminal import columns_table

_SHOWN_ROWS = 11
"""Rows of a table that leave room for the answer and the notes on a screen of 24 lines."""
_SHOWN_NEAREST = 4
"""Nearest rows of a quantity: one below and one above in two conditions."""


def comparisons(**given: Annotated[object, compare_cases]) -> Comparison:
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


def _blocks(answer: Comparison, is_verbose: bool) -> Iterator[str]:
    """The answers, a table, the nearest printed rows, and notes."""
    yield answer.answer
    columns, kept = answer.columns, None if is_verbose else _SHOWN_ROWS
    yield columns_table((each._replace(cells=each.cells[:kept]) for each in columns), is_verbose)
    if not is_verbose and (left_out := len(columns[0].cells) - _SHOWN_ROWS) > 0:
        yield f"{left_out} more rows: give --verbose, or a condition such as --connections."
    unknown = [row for row in answer.rows if not row.places]
    lines = list[str]()
    for is_cost in (False, True):
        rows = next((x.nearest for x in unknown if x.quantity.startswith("cpu") is is_cost), ())
        texts = dict.fromkeys(f"  {row.line}" for row in rows)
        lines += [*texts][: None if is_verbose else _SHOWN_NEAREST]
    yield "\n".join(["nearest printed:", *lines]) if lines else ""
    yield notes_text(answer.notes, is_verbose)


compare = answering(
    comparisons,
    _blocks,
    data=lambda answer: answer.to_dict()["rows"],
    first=("baseline", "variant", "workload", "connections", "mtu_bytes", "km"),
)
