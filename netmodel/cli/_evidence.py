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
@verbose_option
@json_option
def evidence(
    document: str | None,
    strict: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Compare published statements with computed values.

    Each statement counts as one kind: predicted by a model that it is no input of, or only
    consistent with it; derived from inputs; a look-up in the same document; notation; an input;
    doubtful or contradicted; not modelled, with the reason. --verbose prints every statement.
    """
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
