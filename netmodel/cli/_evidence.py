"""``netmodel evidence``."""

from collections import Counter
from typing import TYPE_CHECKING

import click

from netmodel.cli._options import json_option, print_json
from netmodel.report import text_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netmodel.judging import Evidence, LeftOut

__all__ = ["evidence"]

_NOT_MODELLED = "not_modelled"
_ALL = "all"


@click.command()
@click.option("--document", help="Only the statements of this document: adapter, zvm, ...")
@click.option("--all", "show_all", is_flag=True, help="Print what is not modelled, too.")
@click.option("--strict", is_flag=True, help="End with exit code 1 if a statement is contradicted.")
@click.option(
    "--leave-one-out",
    is_flag=True,
    help="Predict each statement that adapters are calibrated from by the others, and those on "
    "large responses, which no adapter is calibrated from.",
)
@json_option
@click.pass_context
def evidence(
    ctx: click.Context,
    document: str | None,
    show_all: bool,
    strict: bool,
    leave_one_out: bool,
    as_json: bool,
) -> None:
    """Hold published statements against what netmodel computes for them.

    A statement holds, is contradicted, is an input from which others are computed, or is not
    modelled, with the reason.
    """
    if leave_one_out:
        if document or show_all or strict:
            raise click.UsageError(
                "--leave-one-out is about the statements that adapters are calibrated from, and "
                "goes with --json only"
            )
        _leave_one_out(as_json)
        return
    from netmodel.judging import evidence as ledger_of

    ledger = ledger_of(document)
    if as_json:
        print_json([row.to_dict() for row in ledger])
    else:
        for row in ledger:
            if show_all or row.verdict.value != _NOT_MODELLED:
                _print_row(row)
        click.echo()
        click.echo(_counts(ledger))
        click.echo(_open_ends(ledger))
    ctx.exit(int(strict and any(row.verdict.value == "contradicted" for row in ledger)))


def _print_row(row: "Evidence") -> None:
    told = row.statement
    computed = f"; computed {row.computed}" if row.computed else ""
    click.echo(f"{row.verdict.value:13} {told.id} ({told.source}, {told.locator})")
    click.echo(f"{'':13} {told.claim}{computed}: {row.reason}")


def _counts(ledger: "Sequence[Evidence]") -> str:
    """How many statements of each document have each verdict."""
    found = Counter((row.statement.source, row.verdict.value) for row in ledger)
    documents = list(dict.fromkeys(source for source, _ in found))
    verdicts = sorted({verdict for _, verdict in found})
    counts = {name: [found[document, name] for document in documents] for name in verdicts}
    counts[_ALL] = [sum(column) for column in zip(*counts.values(), strict=True)]
    sums = [_ALL] if len(documents) > 1 else []
    rows = [(name, *map(str, row), *(str(sum(row)) for _ in sums)) for name, row in counts.items()]
    table = [("verdict", *documents, *sums), *rows]
    return text_table(table, right_aligned=range(1, len(table[0])))


def _open_ends(ledger: "Sequence[Evidence]") -> str:
    """How many of those that hold say more than what is computed for them."""
    holding = [row for row in ledger if row.verdict.value == "holds"]
    consistent = sum(row.agreement.value == "consistent" for row in holding)
    return (
        f"Of {len(holding)} that hold, {len(holding) - consistent} allow all that is computed, and "
        f"{consistent} only a part of it."
    )


def _leave_one_out(as_json: bool) -> None:
    from netmodel.judging import held_out_statements, leave_one_statement_out

    left_out, held_out = leave_one_statement_out(), held_out_statements()
    if as_json:
        print_json([row.to_dict() for row in (*left_out, *held_out)])
        return
    _print_foretold(left_out, "that adapters are calibrated from, the others", "the others leave")
    click.echo()
    _print_foretold(
        held_out, "on large responses that no record is made from, the records", "the records leave"
    )


def _print_foretold(several: "Sequence[LeftOut]", whose: str, left: str) -> None:
    rows = [
        (row.outcome.value, row.statement.id, row.statement.claim, str(row.predicted or ""))
        for row in several
    ]
    click.echo(text_table([("outcome", "statement", "printed", left), *rows]))
    outcomes = Counter(row.outcome.value for row in several)
    click.echo()
    click.echo(
        f"Of {len(several)} statements {whose} predict {outcomes['predicted']}, bound "
        f"{outcomes['consistent']} without telling them, miss {outcomes['missed']}, and tell "
        f"nothing of {outcomes['not_told']}."
    )
