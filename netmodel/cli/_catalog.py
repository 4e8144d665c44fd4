"""``netmodel catalog``."""

from typing import Any

import click

from netmodel._terminal import Column, columns_table
from netmodel.cli._console import print_json, wrapped
from netmodel.cli._ids import (
    RECORD_KINDS,
    Choice,
    any_record,
    record_ids,
    record_kinds,
)
from netmodel.cli._options import json_option
from netmodel.errors import AmbiguousIdError


class _KindType(click.ParamType[str]):
    """A kind of records; the catalog is loaded when the option is used."""

    name = "kind"
    shell_complete = record_kinds.shell_complete

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from netmodel.records import catalog

        return Choice(tuple(catalog())).convert(value, param, ctx)


class _Catalog(click.Group):
    """A group that recognises a kind or an id in place of a command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            for kind in RECORD_KINDS:
                if name in {kind, kind.removesuffix("s")}:
                    ctx.fail(f"No such command {name!r}. Did you mean 'list {kind}'?")
                if name in record_ids(kind):
                    ctx.fail(f"No such command {name!r}. Did you mean 'show {name}'?")
        return super().resolve_command(ctx, args)


@click.group(cls=_Catalog)
def catalog() -> None:
    """Records of adapters, hosts, links, paths, workloads.

    They come with netmodel, each value with its source. Your own file prints the same way.
    """


@catalog.command("list")
@click.argument("kind", type=_KindType(), required=False)
@click.option(
    "--where",
    multiple=True,
    metavar="NAME=VALUE",
    help="Only what has this value, such as line_rate=25Gbit/s; a figure in any unit, or part of "
    "a text. Can be given several times.",
)
@json_option
def list_(kind: str | None, where: tuple[str, ...], as_json: bool) -> None:
    """Print id, title, weakest grade and sources of each record.

    KIND is adapters, hosts, links, paths or workloads. Default: all of them.

    Example: netmodel catalog list adapters --where line_rate=25Gbit/s --where kind=osa
    """
    from netmodel.records.lookup import catalog_records

    pairs = [each.partition("=") for each in where]
    if wrong := [key for key, sign, value in pairs if not (key and sign and value)]:
        raise click.UsageError(f"--where is NAME=VALUE, such as line_rate=25Gbit/s; got {wrong[0]}")
    found = catalog_records(kind, {key: value for key, _, value in pairs})
    rows: list[dict[str, Any]] = [
        {"kind": each, "id": one.id, "title": one.title, **one.headline}
        | {key: one.named[key] for key in ("grade", "source")}
        for each, one in found
    ]
    if as_json:
        print_json(rows)
    elif rows:
        shown = [row | {"source": ", ".join(row["source"])} for row in rows]
        heads = ("id", *(() if kind else ("kind",)), "grade", "source", "title")
        click.echo(columns_table([Column(head, [row[head] for row in shown]) for head in heads]))
    else:
        click.echo("No record has all of these.")


@catalog.command()
@click.argument("name", type=any_record, metavar="NAME|FILE")
@click.option(
    "--kind", type=_KindType(), help="Kind of the record, such as adapters. Required for a file."
)
@json_option
def show(name: str, kind: str | None, as_json: bool) -> None:
    """Print a record, each value with its source.

    NAME is an id that catalog list prints, FILE your own record in a .toml file.
    """
    from netmodel.records import catalog, record
    from netmodel.records.lookup import is_file, kind_of

    if kind is None and is_file(name):
        raise click.UsageError(f"a file needs --kind: {', '.join(catalog())}")
    try:
        kind = kind or kind_of(name)
    except AmbiguousIdError as error:
        raise click.UsageError(f"{error} with --kind") from error
    shown = record(name, kind)
    if as_json:
        print_json({"kind": kind, "record": shown.to_dict()})
    else:
        click.echo(wrapped(str(shown)))
