"""``netmodel published``."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from netmodel.api.arguments import ArgumentsError
from netmodel.api.comparison import words_of
from netmodel.api.kinds import Kind
from netmodel.cli._derived import answering
from netmodel.published import Row, listing

_SHOWN_ROWS = 24
"""Printed rows that a screen holds; of more --verbose lists all."""


def listed(
    ids: Annotated[Sequence[str], Kind("id", repeats=True)] = (),
    /,
    *,
    workload: Annotated[str | None, Kind("id|file")] = None,
    quantity: Annotated[str | None, Kind("name")] = None,
) -> Sequence[Row]:
    """
    List what documents print of adapters, paths, workloads.

    Each row is one printed figure, or one ratio of a case to another, with every condition that its
    document fixes, and the place in the document. With several ids, rows that name all of them.

    \b
    Example: netmodel published osa-express7s-25gbe roce-express2.1-25gbe
                 --quantity throughput

    Parameters
    ----------
    workload : str, optional
        What is exchanged: a workload of the catalog, or your own in a ``.toml`` file; any by
        default.
    quantity : str, optional
        Quantity wanted; such as throughput or transaction_time.
    """
    if found := listing(ids, workload, quantity):
        return found
    raise ArgumentsError("no document has a row about all of these: leave one out")


def _blocks(rows: Sequence[Row], is_verbose: bool) -> Iterator[str]:
    documents = len({row.document for row in rows})
    yield f"Printed rows: {len(rows)}, in {documents} document{'s' * (documents != 1)}."
    shown = rows if is_verbose else rows[:_SHOWN_ROWS]
    yield "\n".join(map(_line, shown))
    if left := len(rows) - len(shown):
        yield f"{left} more rows: --verbose, or give --workload and --quantity."


def _line(row: Row) -> str:
    """The conditions of a row, and what it says."""
    of = {name: "/".join(map(str, values)) for name, values in row.of.items()}
    return f"{words_of(of)}: {row.line}"


published = answering(listed, _blocks)
