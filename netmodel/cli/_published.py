"""``netmodel published``."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from netmodel._text import listed
from netmodel.cli._console import print_blocks, print_csv, print_json, wrapped
from netmodel.cli._ids import Named
from netmodel.cli._options import csv_option, json_option, workload_option

if TYPE_CHECKING:
    from netmodel.published import Row
    from netmodel.published._rows import Conditions

_COLUMNS = ("quantity", "printed", "of", "against", "document", "place")


def _known_ids() -> tuple[str, ...]:
    from netmodel.published import listing

    return tuple(sorted({value for row in listing() for value in _ids_of(row)}))


@click.command()
@click.argument("ids", nargs=-1, type=Named(_known_ids), metavar="[ID]...")
@workload_option(unset="any")
@click.option(
    "--quantity",
    metavar="NAME",
    help="Quantity, such as throughput or transaction_time; sweep takes several.",
)
@csv_option
@json_option
def published(
    ids: tuple[str, ...], workload: str | None, quantity: str | None, as_csv: bool, as_json: bool
) -> None:
    """List what documents print of adapters, paths, workloads.

    Each row is one printed figure, or one ratio of a case to another, with every condition that its
    document fixes, and the place in the document. With several ids, rows that name all of them.

    \b
    netmodel published osa-express7s-25gbe roce-express2.1-25gbe --quantity throughput
    """
    from netmodel.published import listing

    if as_csv and as_json:
        raise click.UsageError("give --json or --csv, not both")
    rows = listing(ids, workload, quantity)
    if as_json:
        print_json([row.to_dict() for row in rows])
        return
    cells = [dict(zip(_COLUMNS, _cells(row), strict=True)) for row in rows]
    if as_csv:
        print_csv(_COLUMNS, cells)
        return
    wanted = listed([*ids, *filter(None, (workload, quantity))] or ["anything"])
    if not rows:
        print_blocks([wrapped(f"No document prints a figure that names {wanted}.")])
        return
    documents = len({row.document for row in rows})
    lead = (
        f"{len(rows)} printed {'row names' if len(rows) == 1 else 'rows name'} {wanted}, "
        f"in {documents} document{'s' * (documents > 1)}."
    )
    print_blocks([wrapped(lead), "\n".join(wrapped(_line(each)) for each in cells)])


def _line(cells: Mapping[str, str]) -> str:
    """Return a row in words: figure, place, conditions."""
    against = f", against {cells['against']}" if cells["against"] else ""
    place = f"{cells['document']}, {cells['place']}"
    return f"{cells['quantity']} {cells['printed']} ({place}): {cells['of']}{against}"


def _ids_of(row: "Row") -> set[str]:
    """Return the adapters and paths that a row names."""
    sides = (row.of, row.base)
    names = ("client", "server", "adapter", "path")
    return {str(value) for side in sides for name in names for value in side.get(name, ())}


def _cells(row: "Row") -> tuple[str, ...]:
    return (
        row.quantity.replace("_", " "),
        row.amount(),
        _conditions(row.of),
        _conditions(row.against),
        row.document,
        row.place,
    )


def _conditions(given: "Conditions") -> str:
    """Return conditions in words; an adapter at both ends once."""
    plain = {name: "/".join(map(str, values)) for name, values in given.items()}
    if "client" in plain and plain["client"] == plain.get("server"):
        plain = {"adapter": plain.pop("client")} | plain
        del plain["server"]
    return " ".join(f"{name}={value}" for name, value in plain.items())
