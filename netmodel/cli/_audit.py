"""``netmodel audit``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel._reading import is_directory, is_file, reason_of
from netmodel.cli._console import notes_text, print_blocks, print_json, wrapped
from netmodel.cli._ids import what_to_audit
from netmodel.cli._options import json_option, strict_option, verbose_option
from netmodel.errors import DomainError, ParseError
from netmodel.report import text_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from netmodel.judging._audit_findings import Audit, Finding

_ALL = "all"


@click.command()
@click.argument("name", type=what_to_audit, default=_ALL, metavar="[DATASET|FILE|all]")
@strict_option
@click.option("--write-flags", is_flag=True, help="Write the faults to flags.csv of the dataset.")
@verbose_option
@json_option
def audit(name: str, strict: bool, write_flags: bool, verbose: bool, as_json: bool) -> None:
    """Check measured data for consistency and plausibility.

    DATASET is the id of one that comes with netmodel, FILE a directory with dataset.toml or a CSV
    file of your own. Without an argument all bundled datasets are checked. What rounding alone
    explains is counted, not reported.

    Exit code 0 even if there are faults; with --strict it is then 1.
    """
    from netmodel.judging import audit_dataset, audit_table
    from netmodel.records import data_path, dataset, dataset_ids
    from netmodel.records._load import unknown_record
    from netmodel.records._tables import load_table

    is_table = name.lower().endswith(".csv")
    is_dataset = is_directory(name) or "/" in name or "\\" in name
    if write_flags and is_table:
        raise click.UsageError("--write-flags is for datasets, which have a directory of their own")
    audits: list[Audit] = []
    if is_table:
        try:
            audits.append(audit_table(load_table(name)))
        except DomainError as error:
            raise ParseError(name, str(error)) from error
    elif is_file(name):
        raise ParseError(name, "not a dataset; give a .csv file or a directory with dataset.toml")
    elif name != _ALL:
        if not is_dataset and name not in dataset_ids():
            raise unknown_record("dataset", name, (*dataset_ids(), _ALL))
        audits.append(audit_dataset(dataset(Path(name) if is_dataset else name)))
    else:
        audits += (audit_dataset(dataset(each)) for each in dataset_ids())
    if write_flags:
        for each in audits:
            _write_flags(Path(name) if is_dataset else data_path("measurements", each.name), each)
    if as_json:
        print_json([finding.to_dict() for each in audits for finding in each])
    else:
        print_blocks([wrapped(_answer(audits)), *(_text(each, verbose) for each in audits)])
    click.get_current_context().exit(int(strict and any(each.faults for each in audits)))


def _write_flags(directory: Path, audit: "Audit") -> None:
    """Write the faults of a dataset beside its tables."""
    from netmodel._writing import write_whole
    from netmodel.judging._audit import flags_csv

    target = directory / "flags.csv"
    try:
        write_whole(target, flags_csv(audit).encode(), is_update=True)
    except OSError as error:
        raise ParseError(str(target), f"cannot be written: {reason_of(error)}") from error


LAWS = {
    "parts": "parts do not add up to their total",
    "utilisation": "more CPUs would be busy than are installed",
    "littles_law": "more transactions in progress than connections",
    "change": "printed change does not follow from its base figures",
    "changes_agree": "changes between the same figures disagree",
    "ceiling": "more than the line carries",
    "unit": "which reading of a unit fits",
    "identifier": "names used twice, or of another pattern",
    "quantised": "figures coarser than their digits",
}
"""What is wrong, by kind of finding."""


_EXPLAINED_BY_MESSAGE = frozenset({"identifier", "quantised"})
"""Kinds of which a reader needs the reason, not an allowed figure."""


def _answer(audits: "Sequence[Audit]") -> str:
    """The answer in one sentence."""
    faults = sum(len(each.faults) for each in audits)
    notes = sum(len(each.findings) for each in audits) - faults
    doubtful = f"; {notes} more need care" if notes else ""
    s = "" if faults == 1 else "s"
    return f"{faults or 'No'} figure{s} or claim{s} cannot be right as printed{doubtful}."


def _text(audit: "Audit", is_verbose: bool) -> str:
    """Findings by severity and kind, the table of comparisons, and notes."""
    counts = (len(audit.faults), len(audit.findings) - len(audit.faults))
    words = (
        f"{n} {name}{'' if n == 1 else 's'}"
        for n, name in zip(counts, ("fault", "note"), strict=True)
    )
    blocks = [f"{audit.name}: {', '.join(words)}"]
    ordered = (*audit.faults, *(each for each in audit if each not in audit.faults))
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in ordered:
        groups.setdefault((finding.severity.value, finding.kind), []).append(finding)
    for (severity, kind), findings in groups.items():
        law = LAWS.get(kind, "differs from what is computed")
        lines = [line for each in findings for line in _lines(each, is_verbose)]
        blocks.append(wrapped("\n".join([f"{severity} {kind} ({len(findings)}): {law}", *lines])))
    blocks.append(_comparisons(audit))
    blocks.append(notes_text(audit.notes, is_verbose))
    return "\n".join(filter(None, blocks))


def _lines(finding: "Finding", is_verbose: bool) -> "Iterator[str]":
    """Place, printed and allowed figure; verbose the reason, and all figures that may be wrong."""
    both = f"{finding.printed}; allowed {finding.allowed}", finding.message
    first, more = reversed(both) if finding.kind in _EXPLAINED_BY_MESSAGE else both
    yield f"  {finding.place}: {first}"
    if is_verbose:
        yield f"    {more}"
        for each in finding.suspects:
            name = f"{each.column}, {each.place}" if finding.file == "" else each.place
            allowed = f"; the others give {each.allowed}" if each.allowed else ""
            confirmed = "; its base figures confirm it" if each.is_confirmed else ""
            yield f"    {name}: {each.printed}{allowed}{confirmed}"


def _comparisons(audit: "Audit") -> str:
    """How much was compared, by kind."""
    kinds = sorted({*audit.checked, *(each.kind for each in audit)})
    rows = [
        (
            kind,
            str(audit.checked[kind]),
            str(sum(each.kind == kind for each in audit)),
            str(audit.explained[kind]),
        )
        for kind in kinds
    ]
    heads = ("check", "compared", "findings", "differ by rounding alone")
    return text_table([heads, *rows], right_aligned=(1, 2, 3)) if rows else "nothing to compare"
