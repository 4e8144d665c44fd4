"""``netmodel evidence``."""

import click

from netmodel.cli._console import print_blocks, print_json, wrapped
from netmodel.cli._ids import a_document
from netmodel.cli._options import json_option, strict_option, verbose_option


@click.command()
@click.option(
    "--document", type=a_document, metavar="ID", help="Only the statements of this document."
)
@strict_option
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
    protocols: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Compare published statements with computed values.

    Each statement counts as one kind: predicted by a model that it is no input of, or only
    consistent with it; derived from inputs; a look-up in the same document; notation; an input;
    doubtful or contradicted; not modelled, with the reason. --verbose prints every statement.
    """
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
