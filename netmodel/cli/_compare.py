"""``netmodel compare``."""

from collections.abc import Iterator, Sequence

from netmodel._terminal import Column, columns_table
from netmodel.api import compare as compare_cases
from netmodel.api._compare import Comparison
from netmodel.api._compared_text import change_text, nearest_lines, row_name, words_of
from netmodel.cli._console import notes_text, print_blocks, print_json, wrapped
from netmodel.cli._derived import DerivedCommand, Given, Output
from netmodel.published import Answer

_PLACE_CHARACTERS = 18
"""Of a place in a table, which --verbose prints whole: a title of a page is longer."""
_SHOWN_ROWS = 12
"""Rows of a table that leave room for the answer and the notes on a screen of 24 lines."""


def _print(given: Given, output: Output) -> None:
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
    results = compare_cases(**given)
    if output.json:
        print_json([row for each in results for row in each.to_dict()["rows"]])
    else:
        print_blocks(block for each in results for block in blocks(each, output.verbose))


compare = DerivedCommand(
    compare_cases,
    _print,
    first=("baseline", "variant", "workload", "connections", "mtu_bytes", "km"),
    outputs=("verbose", "json"),
)


def blocks(result: Comparison, is_verbose: bool) -> Iterator[str]:
    """The answer, a table, the nearest printed rows, and notes."""
    yield wrapped(result.answer)
    # what follows from a printed row says least
    telling = sorted(result.rows, key=lambda row: row.is_converted)
    kept = telling if is_verbose else telling[:_SHOWN_ROWS]
    shown = [row for row in result.rows if row in kept and row.status != "not_published"]
    if shown:
        yield _table(shown, result, is_verbose)
    left_out = len(result.rows) - len(kept)
    if left_out:
        yield f"{left_out} more rows: give --verbose, or a condition such as --connections."
    near = "\n".join(nearest_lines(result.rows, is_verbose))
    if near:
        yield wrapped(f"nearest printed:\n{near}")
    yield notes_text(result.notes, is_verbose)


def _table(rows: Sequence[Answer], result: Comparison, is_verbose: bool) -> str:
    def cells(name: str) -> list[str]:
        values = [row.conditions.get(name, "") for row in rows]
        return [f"{value:.4g}" if isinstance(value, float) else str(value) for value in values]

    named = {"km", "connections", "side", *result.variant}
    cases = [{k: v for k, v in row.conditions.items() if k not in named} for row in rows]

    def place(text: str) -> str:
        plain = text.replace(" document", "")
        is_short = is_verbose or len(plain) <= _PLACE_CHARACTERS
        return plain if is_short else f"{plain[:_PLACE_CHARACTERS].rstrip()}…"

    columns = (
        Column("km", cells("km"), is_number=True),
        Column("conn.", cells("connections"), is_number=True),
        Column("quantity", [row_name(row) for row in rows]),
        Column("case", [words_of(case) for case in cases]),
        Column("change", [change_text(row) for row in rows]),
        Column("status", [row.status.replace("_", " ") for row in rows], rank=1),
        Column("place", ["; ".join(dict.fromkeys(map(place, row.places))) for row in rows]),
    )
    return columns_table(columns, is_verbose)
