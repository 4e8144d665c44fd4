"""``netmodel evidence``."""

from collections import Counter
from typing import TYPE_CHECKING

import click

from netmodel.cli._console import print_json, wrapped
from netmodel.cli._options import json_option, strict_option
from netmodel.report import text_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netmodel.judging._evidence._ledger import Evidence
    from netmodel.judging._evidence._left_out import LeftOut

_NOT_MODELLED = "not_modelled"
_ALL = "all"


@click.command()
@click.option("--document", metavar="ID", help="Only the statements of this document.")
@click.option(
    "--all", "show_all", is_flag=True, help="Also print statements that are not modelled."
)
@strict_option
@click.option(
    "--leave-one-out",
    is_flag=True,
    help="Predict each statement that adapters are calibrated from by the others, and those on "
    "requests and responses, which no adapter is calibrated from.",
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
    """Compare published statements with computed values.

    A statement holds, is contradicted, is an input from which others are computed, or is not
    modelled, with the reason.
    """
    if leave_one_out:
        if document or show_all or strict:
            raise click.UsageError(
                "--leave-one-out takes the statements that adapters are calibrated from: use it "
                "alone or with --json"
            )
        _leave_one_out(as_json)
        return
    from netmodel.judging import evidence as ledger_of

    ledger = ledger_of(document)
    if as_json:
        print_json([row.to_dict() for row in ledger])
    else:
        click.echo(f"{wrapped(_answer(ledger))}\n")
        for row in ledger:
            if show_all or row.verdict.value != _NOT_MODELLED:
                about, computed = (
                    row.statement,
                    f"; computed {row.computed}" if row.computed else "",
                )
                place = f"{about.id} ({about.source}, {about.locator})"
                click.echo(wrapped(f"{row.verdict.value:13} {place}"))
                click.echo(wrapped(f"{'':13} {about.claim}{computed}: {row.reason}"))
                for note in row.notes:
                    click.echo(wrapped(f"{'':13} note: {note}"))
        holding = [row for row in ledger if row.verdict.value == "holds"]
        # a statement may be more precise than what is computed for it
        part_count = sum(row.agreement.value == "consistent" for row in holding)
        click.echo(
            f"\n{_counts(ledger)}\n{len(holding)} statements hold: {len(holding) - part_count} "
            f"cover the whole computed range, {part_count} part of it."
        )
    ctx.exit(int(strict and any(row.verdict.value == "contradicted" for row in ledger)))


def _counts(ledger: "Sequence[Evidence]") -> str:
    """How many statements of each document have each verdict."""
    tally = Counter((row.statement.source, row.verdict.value) for row in ledger)
    documents = list(dict.fromkeys(source for source, _ in tally))
    verdicts = sorted({verdict for _, verdict in tally})
    counts = {name: [tally[document, name] for document in documents] for name in verdicts}
    counts[_ALL] = [sum(column) for column in zip(*counts.values(), strict=True)]
    sums = [_ALL] if len(documents) > 1 else []
    rows = [(name, *map(str, row), *(str(sum(row)) for _ in sums)) for name, row in counts.items()]
    table = [("verdict", *documents, *sums), *rows]
    return text_table(table, right_aligned=range(1, len(table[0])))


def _answer(ledger: "Sequence[Evidence]") -> str:
    """The answer in one sentence."""
    tally = Counter(row.verdict.value for row in ledger)
    return (
        f"{tally['holds']} of {len(ledger)} statements hold, {tally['contradicted']} are "
        f"contradicted, {tally['input']} are inputs, {tally[_NOT_MODELLED]} are not modelled."
    )


def _leave_one_out(as_json: bool) -> None:
    from netmodel.judging import held_out_statements, leave_one_statement_out

    left_out, held_out = leave_one_statement_out(), held_out_statements()
    if as_json:
        print_json([row.to_dict() for row in (*left_out, *held_out)])
        return
    _print_predicted(left_out, "that adapters are calibrated from", "predicted by the others")
    click.echo()
    _print_predicted(held_out, "that no record is made from", "predicted by the records")


def _print_predicted(rows: "Sequence[LeftOut]", whose: str, heading: str) -> None:
    cells = [
        (row.outcome.value, row.statement.id, row.statement.claim, str(row.predicted or ""))
        for row in rows
    ]
    click.echo(text_table([("outcome", "statement", "printed", heading), *cells]))
    outcomes = Counter(row.outcome.value for row in rows)
    click.echo()
    click.echo(
        f"{len(rows)} statements {whose}: {outcomes['predicted']} predicted, "
        f"{outcomes['consistent']} consistent with a wider range, {outcomes['missed']} missed, "
        f"{outcomes['not_computed']} not computed."
    )
