"""``netmodel catalog``."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import click

from netmodel._terminal import Column, columns_table
from netmodel.api._kinds import Kind
from netmodel.cli._console import print_json, wrapped
from netmodel.cli._derived import answering
from netmodel.errors import AmbiguousIdError
from netmodel.records.files import KINDS, catalog_files

_Kind: TypeAlias = Literal["adapters", "hosts", "paths", "workloads"] | None
_Answer: TypeAlias = tuple[str | None, Sequence[dict[str, Any]]]
"""The kind that was asked for, and rows of records."""


class _Catalog(click.Group):
    """A group that recognises a kind or an id in place of a command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            for kind in KINDS:
                if name in {kind, kind.removesuffix("s")}:
                    ctx.fail(f"No such command {name!r}. Did you mean 'list {kind}'?")
                if name in catalog_files(kind):
                    ctx.fail(f"No such command {name!r}. Did you mean 'show {name}'?")
        return super().resolve_command(ctx, args)


def records(
    kind: _Kind = None, /, *, where: Annotated[Sequence[str], Kind("name=value", repeats=True)] = ()
) -> _Answer:
    """
    Print id, title, weakest grade and sources of each record.

    KIND is adapters, hosts, paths or workloads. Default: all of them.

    \b
    Example: netmodel catalog list adapters --where line_rate=25Gbit/s --where kind=osa

    Parameters
    ----------
    where : sequence of str
        Only what has this value, such as line_rate=25Gbit/s; a figure in any unit, or part of a
        text.
    """
    from netmodel.records.lookup import catalog_records

    pairs = [each.partition("=") for each in where]
    if wrong := [key for key, sign, value in pairs if not (key and sign and value)]:
        raise click.UsageError(f"--where is NAME=VALUE, such as line_rate=25Gbit/s; got {wrong[0]}")
    found = catalog_records(kind, {key: value for key, _, value in pairs})
    return kind, [
        {"kind": each} | {key: one.named[key] for key in ("id", "title", "grade", "source")}
        for each, one in found
    ]


def _table(answer: _Answer, _: bool) -> Iterator[str]:
    kind, rows = answer
    if not rows:
        yield "No record has all of these."
        return
    shown = [row | {"source": ", ".join(row["source"])} for row in rows]
    heads = ("id", *(() if kind else ("kind",)), "grade", "source", "title")
    yield columns_table([Column(head, [row[head] for row in shown]) for head in heads])


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
        raise click.UsageError(f"a file needs --kind: {', '.join(KINDS)}")
    try:
        known = kind or kind_of(name)
    except AmbiguousIdError as error:
        raise click.UsageError(f"{error} with --kind") from error
    return known, record(name, known)


@click.command()
@click.argument(
    "kind", type=click.Choice((*KINDS, "scenarios"), case_sensitive=False), metavar="KIND"
)
def schema(kind: str) -> None:
    """Print the JSON Schema of files, for an editor.

    KIND is adapters, hosts, paths, workloads or scenarios.
    """
    from netmodel.records.lookup import schema_of

    print_json(schema_of(kind))


catalog = _Catalog(
    "catalog",
    commands=[
        answering(records, _table, data=lambda answer: answer[1], name="list"),
        answering(
            shown_record,
            lambda answer, _: (wrapped(str(answer[1])),),
            data=lambda answer: {"kind": answer[0], "record": answer[1].to_dict()},
            name="show",
        ),
        schema,
    ],
    help="""Records of adapters, hosts, paths, workloads.

    They come with netmodel, each value with its source. Your own file prints the same way.
    """,
)
