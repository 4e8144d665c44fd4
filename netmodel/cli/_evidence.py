"""``netmodel evidence``."""

from collections import Counter

import click

from netmodel.cli._options import json_option, print_json
from netmodel.report import text_table

__all__ = ["evidence"]

_NOT_MODELLED = "not_modelled"


@click.command()
@click.option("--document", help="Only the statements of this document: adapter, zvm, ...")
@click.option("--all", "show_all", is_flag=True, help="Print what is not modelled yet, too.")
@click.option("--strict", is_flag=True, help="End with exit code 1 if a statement is contradicted.")
@json_option
@click.pass_context
def evidence(
    ctx: click.Context, document: str | None, show_all: bool, strict: bool, as_json: bool
) -> None:
    """Hold published statements against what netmodel computes for them.

    A statement holds, is contradicted, is an input from which others are computed, or is not
    modelled yet, with the reason.
    """
    from netmodel.judging import evidence as ledger_of

    ledger = ledger_of(document)
    found = Counter(row.verdict.value for row in ledger)
    if as_json:
        print_json([row.to_dict() for row in ledger])
    else:
        shown = [row for row in ledger if show_all or row.verdict.value != _NOT_MODELLED]
        for row in shown:
            told = row.statement
            computed = f"; computed {row.computed}" if row.computed else ""
            click.echo(f"{row.verdict.value:13} {told.id} ({told.source}, {told.locator})")
            click.echo(f"{'':13} {told.claim}{computed}: {row.reason}")
        click.echo()
        click.echo(
            text_table(
                [("verdict", "statements"), *((name, str(found[name])) for name in sorted(found))],
                right_aligned=[1],
            )
        )
    ctx.exit(int(strict and found["contradicted"] > 0))
