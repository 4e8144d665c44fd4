"""``netmodel published``."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from netmodel.api.comparison import words_of
from netmodel.api.kinds import Kind
from netmodel.cli._derived import answering
from netmodel.report.fields import rows_table
from netmodel.text import listed

if TYPE_CHECKING:
    from netmodel.published import Row

_Ids: TypeAlias = Annotated[Sequence[str], Kind("id", repeats=True)]
_Answer: TypeAlias = tuple[Sequence["Row"], str]
"""Rows, and the words of what was asked for."""
_SHOWN_ROWS = 24
"""Rows of one workload and quantity that a document prints; of more there is their number."""


def rows_of(
    ids: _Ids = (),
    /,
    *,
    workload: Annotated[str | None, Kind("id|file", records="workloads")] = None,
    quantity: Annotated[str | None, Kind("name")] = None,
) -> _Answer:
    """
    List what documents print of adapters, paths, workloads.

    Each row is one printed figure, or one ratio of a case to another, with every condition that its
    document fixes, and the place in the document. With several ids, rows that name all of them.

    \b
    netmodel published osa-express7s-25gbe roce-express2.1-25gbe --quantity throughput

    Parameters
    ----------
    workload : str, optional
        What is exchanged: a workload of the catalog, or your own in a ``.toml`` file; any by
        default.
    quantity : str, optional
        Quantity wanted; such as throughput or transaction_time.
    """
    from netmodel.published import listing

    words = [*ids, *filter(None, (workload, quantity))]
    return listing(ids, workload, quantity), listed(words or ["anything"])


def _blocks(answer: _Answer, is_verbose: bool) -> Iterator[str]:
    rows, wanted = answer
    if not rows:
        yield f"No document prints a figure that names {wanted}."
        return
    documents = len({row.document for row in rows})
    yield (
        f"{len(rows)} printed {'row names' if len(rows) == 1 else 'rows name'} {wanted}, "
        f"in {documents} document{'s' * (documents > 1)}."
    )
    if is_verbose or len(rows) <= _SHOWN_ROWS:
        yield "\n".join(map(_line, rows))
        return
    names = (" or ".join(map(str, row.of.get("workload", ["any"]))) for row in rows)
    groups = Counter(zip(names, (row.quantity for row in rows), strict=True)).most_common()
    yield rows_table([{"workload": w, "quantity": q, "rows": n} for (w, q), n in groups])
    yield "All rows: --verbose, or give --workload and --quantity."


def _line(row: "Row") -> str:
    """A row in words: figure, place, conditions."""
    of, against = (
        words_of({name: "/".join(map(str, values)) for name, values in each.items()})
        for each in (row.of, row.against)
    )
    figure = f"{row.quantity.replace('_', ' ')} {row.amount()} ({row.document}, {row.place})"
    return f"{figure}: {of}" + f", against {against}" * bool(against)


published = answering(
    rows_of,
    _blocks,
    data=lambda answer: [row.to_dict() for row in answer[0]],
    name="published",
)
