"""Records of adapters, hosts, links, paths, workloads.

They come with netmodel, each value with its source. Your own file prints the same way.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import click

from netmodel.api.arguments import ArgumentsError, refusing
from netmodel.api.kinds import Kind
from netmodel.cli._derived import Stated, answering
from netmodel.errors import AmbiguousIdError

_Kind: TypeAlias = Literal["adapters", "hosts", "links", "paths", "workloads"] | None


def records(
    kind: _Kind = None, /, *, where: Annotated[Sequence[str], Kind("name=value", repeats=True)] = ()
) -> Stated:
    """
    Print id, title, weakest grade and sources of each record.

    KIND is adapters, hosts, links, paths or workloads. Default: all of them.

    \b
    Example: netmodel catalog list adapters --where line_rate=25Gbit/s

    Parameters
    ----------
    where : sequence of str
        Only what has this value, such as line_rate=25Gbit/s; a figure in any unit, or part of a
        text.
    """
    from netmodel.records.lookup import catalog_records

    pairs = [each.partition("=") for each in where]
    if wrong := [each for each in pairs if not all(each)]:
        problem = "{where} is NAME=VALUE, such as line_rate=25Gbit/s; got {key}"
        raise ArgumentsError(problem, key=wrong[0][0])
    found = catalog_records(kind, {key: value for key, _, value in pairs})
    keys = ("grade", "source", "title")
    rows = [{"id": r.id, "kind": of} | {key: r.named[key] for key in keys} for of, r in found]
    return Stated(f"Records: {len(found)}", rows)


def shown_record(name: Annotated[str, Kind("name|file")], /, *, kind: _Kind = None) -> Any:
    """
    Print a record, each value with its source.

    NAME is an id that catalog list prints, FILE your own record in a .toml file.

    Parameters
    ----------
    kind : str, optional
        Kind of the record, such as adapters; required for a file.
    """
    from netmodel.records import record
    from netmodel.records.lookup import is_file, kind_of

    if kind is None and is_file(name):
        raise ArgumentsError("a file needs {kind}, such as adapters")
    with refusing("kind", AmbiguousIdError):
        known = kind or kind_of(name)
    return {"kind": known, "record": record(name, known)}


catalog = click.Group(
    "catalog",
    commands=[
        answering(records, name="list"),
        answering(shown_record, lambda answer, _: [str(answer["record"])], name="show"),
    ],
    help=__doc__,
)
