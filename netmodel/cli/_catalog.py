"""``netmodel catalog``."""

from typing import Any

import click

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
from netmodel.report import text_table


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
@json_option
def list_(kind: str | None, as_json: bool) -> None:
    """Print the id and title of each record.

    KIND is adapters, hosts, links, paths or workloads. Default: all of them.
    """
    from netmodel.records import catalog as catalog_ids
    from netmodel.records import record
    from netmodel.records._catalog import titles

    kinds = {each: ids for each, ids in catalog_ids().items() if kind in (None, each)}
    if as_json:
        records = [(each, record(name, each)) for each, ids in kinds.items() for name in ids]
        print_json(
            [
                {"kind": each, "id": item.id, "title": item.title} | item.headline
                for each, item in records
            ]
        )
        return
    rows: list[tuple[str, str, str]] = []
    for each in kinds:
        rows += [("", "", "")] if rows else []
        rows += [(name, each, title) for name, title in titles(each).items()]
    click.echo(text_table(rows))


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
    from netmodel.records._catalog import is_file, kind_of

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
