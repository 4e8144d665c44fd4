"""``netmodel catalog``."""

from typing import TYPE_CHECKING, Any

import click

from netmodel.cli._console import print_json, terminal_width, with_progress
from netmodel.cli._options import json_option
from netmodel.errors import AmbiguousIdError
from netmodel.report import text_table, wrapped_lines

if TYPE_CHECKING:
    from netmodel.records import CatalogRecord

__all__ = ["catalog"]


class _KindType(click.ParamType[str]):
    """A kind of records, looked up when it is needed."""

    name = "kind"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from netmodel.records import catalog_kinds

        return click.Choice(catalog_kinds()).convert(value, param, ctx)


@click.group()
def catalog() -> None:
    """Records of adapters, hosts, links, paths and workloads, each value with its source.

    They come with netmodel; a file of your own is shown in the same way.
    """


@catalog.command("list")
@click.argument("kind", type=_KindType(), required=False)
@json_option
def list_(kind: str | None, as_json: bool) -> None:
    """Print the id and title of each record.

    KIND is adapters, hosts, links, paths or workloads; left out, all of them are printed.
    """
    from netmodel.records import catalog as known_ids
    from netmodel.records import record

    chosen = {one: ids for one, ids in known_ids().items() if kind in (None, one)}
    found = {one: [record(name, one) for name in ids] for one, ids in chosen.items()}
    if as_json:
        print_json([_entry(one, told) for one, records in found.items() for told in records])
        return
    click.echo(_table(found))


@catalog.command()
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "--kind", type=_KindType(), help="Kind of the record, such as adapters; a file needs it."
)
@json_option
def show(name: str, kind: str | None, as_json: bool) -> None:
    """Print a record: its values as printed, where they come from, and what is unknown.

    NAME is an id that catalog list prints, FILE a record of your own in a .toml file.
    """
    kind, told = _record(name, kind)
    if as_json:
        print_json({"kind": kind, "record": told.to_dict()})
    else:
        click.echo(wrapped_lines(str(told), terminal_width()))


@catalog.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 where a file differs.")
@json_option
@click.pass_context
def calibrate(ctx: click.Context, names: tuple[str, ...], check: bool, as_json: bool) -> None:
    """Calibrate records anew from published statements and datasets: those named, or all.

    Files below calibrations/ declare what each record is made from, those below calibrated/ hold
    the result: of the data that come with netmodel, and of each --own-data folder. Every file that
    differs is named, and written.
    """
    from netmodel.calibration._calibrated_files import (
        FileState,
        calibrated_files,
        write_calibrated_files,
    )
    from netmodel.calibration._declarations import declarations
    from netmodel.calibration._declared import document_of
    from netmodel.records._load import unknown_record

    declared = declarations().values()
    ids = {one.id for one in declared}
    for name in names:
        if name not in ids:
            raise unknown_record("declaration of a calibrated record", name, ids)
    chosen = [one for one in declared if not names or one.id in names]
    documents = {
        one.key: document_of(one) for one in with_progress(chosen, "calibrating", least_count=1)
    }
    files = [one for one in calibrated_files(documents) if not names or one.key in documents]
    if not check:
        write_calibrated_files(files)
    if as_json:
        print_json([one.to_dict() for one in files])
    else:
        click.echo(text_table([(one.id, one.kind, one.state.value) for one in files]))
    if check and any(one.state is not FileState.CURRENT for one in files):
        ctx.exit(1)


def _record(name: str, kind: str | None) -> "tuple[str, CatalogRecord]":
    """The record with its kind, which its id tells where nobody else does."""
    from netmodel.records import catalog_kind, catalog_kinds, load_record, record

    if name.endswith(".toml"):
        if kind is None:
            raise click.UsageError(f"a file needs --kind: {', '.join(catalog_kinds())}")
        return kind, load_record(name, kind)
    try:
        kind = kind or catalog_kind(name)
    except AmbiguousIdError as error:
        raise click.UsageError(f"{error} with --kind") from error
    return kind, record(name, kind)


def _entry(kind: str, told: "CatalogRecord") -> dict[str, Any]:
    return {"kind": kind, "id": told.id, "title": told.title} | told.headline


def _table(found: "dict[str, list[CatalogRecord]]") -> str:
    """One line for each record, with an empty one between kinds."""
    rows: list[tuple[str, str, str]] = []
    for kind, records in found.items():
        rows += [("", "", "")] if rows else []
        rows += [(told.id, kind, told.title) for told in records]
    return text_table(rows)
