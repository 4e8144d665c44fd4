"""``netmodel evidence``."""

from collections import Counter
from typing import TYPE_CHECKING

import click

from netmodel.cli._console import print_blocks, print_json, wrapped
from netmodel.cli._ids import a_document
from netmodel.cli._options import json_option, strict_option, verbose_option
from netmodel.report import text_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from netmodel.judging._evidence._left_out import LeftOut


@click.command()
@click.option(
    "--document", type=a_document, metavar="ID", help="Only the statements of this document."
)
@strict_option
@click.option(
    "--leave-one-out",
    is_flag=True,
    help="Predict each statement that adapters are calibrated from by the others, and those on "
    "requests and responses, which no adapter is calibrated from.",
)
@click.option(
    "--protocols",
    is_flag=True,
    help="Check each statement that compares protocols over distance against endpoint times and "
    "windows.",
)
@verbose_option
@json_option
def evidence(
    document: str | None,
    strict: bool,
    leave_one_out: bool,
    protocols: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Compare published statements with computed values.

    Each statement counts as one kind: predicted by a model that it is no input of, or only
    consistent with it; derived from inputs; a look-up in the same document; notation; an input;
    doubtful or contradicted; not modelled, with the reason. --verbose prints every statement.
    """
    if leave_one_out:
        if document or verbose or strict or protocols:
            raise click.UsageError(
                "--leave-one-out takes the statements that adapters are calibrated from: use it "
                "alone or with --json"
            )
        _leave_one_out(as_json)
        return
    if protocols:
        if strict:
            raise click.UsageError("--protocols: judges no contradiction of a model; drop --strict")
        _protocols(document, verbose, as_json)
        return
    from netmodel.judging import evidence as ledger_of
    from netmodel.report._evidence_text import (
        answer_text,
        counts_table,
        row_lines,
        summary_lines,
    )

    ledger = ledger_of(document)
    if as_json:
        print_json([row.to_dict() for row in ledger])
    else:
        rows = "\n".join(line for row in ledger for line in row_lines(row)) if verbose else ""
        print_blocks(
            [
                wrapped(answer_text(ledger)),
                counts_table(ledger) if document is None else "",
                wrapped("\n".join(summary_lines(ledger))),
                wrapped(rows),
            ]
        )
    click.get_current_context().exit(
        int(strict and any(row.verdict.value == "contradicted" for row in ledger))
    )


def _protocols(document: str | None, verbose: bool, as_json: bool) -> None:
    from netmodel.judging._protocol_verdicts import protocol_verdicts
    from netmodel.report._protocol_text import answer_text, note_lines, verdict_lines

    rows = protocol_verdicts(document)
    if as_json:
        print_json([row.to_dict() for row in rows])
        return
    print_blocks(
        [
            wrapped(answer_text(rows)),
            wrapped("\n".join(verdict_lines(rows, verbose))),
            wrapped("\n".join(note_lines(rows))),
        ]
    )


def _leave_one_out(as_json: bool) -> None:
    from netmodel.judging import held_out_statements, leave_one_statement_out
    from netmodel.judging._evidence._left_out import protocols_left_out, steering_left_out

    left_out, held_out = leave_one_statement_out(), held_out_statements()
    steering, protocols = steering_left_out(), protocols_left_out()
    if as_json:
        print_json([row.to_dict() for row in (*left_out, *steering, *protocols, *held_out)])
        return
    _print_predicted(left_out, "that adapters are calibrated from", "predicted by the others")
    click.echo()
    _print_predicted(steering, "on packet steering", "one run, predicted by the others")
    click.echo()
    _print_predicted(protocols, "on protocols over distance", "predicted by other cases")
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
