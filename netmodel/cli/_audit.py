"""``netmodel audit``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel.cli._console import print_json, wrapped
from netmodel.cli._options import json_option, strict_option
from netmodel.errors import DomainError, ParseError

if TYPE_CHECKING:
    from netmodel.judging._audit import Audit

_ALL = "all"
_STATEMENTS = "statements"


@click.command()
@click.argument("name", default=_ALL, metavar="[DATASET|FILE|statements|all]")
@strict_option
@click.option("--write-flags", is_flag=True, help="Write the faults to flags.csv of the dataset.")
@json_option
def audit(name: str, strict: bool, write_flags: bool, as_json: bool) -> None:
    """Check measured data for consistency and plausibility.

    DATASET is the id of one that comes with netmodel, FILE a directory with dataset.toml or a CSV
    file of your own. Without an argument all bundled datasets and the published statements are
    checked. What rounding alone explains is counted, not reported.

    Exit code 0 even if there are faults; with --strict it is then 1.
    """
    from netmodel.judging import audit_dataset, audit_statements, audit_table
    from netmodel.records import data_path, dataset, dataset_ids
    from netmodel.records._tables import load_table

    is_table = name.lower().endswith(".csv")
    is_directory = Path(name).is_dir() or "/" in name or "\\" in name
    if write_flags and (is_table or name == _STATEMENTS):
        raise click.UsageError("--write-flags is for datasets, which have a directory of their own")
    audits: list[Audit] = []
    if is_table:
        try:
            audits.append(audit_table(load_table(name)))
        except DomainError as error:
            raise ParseError(name, str(error)) from error
    elif Path(name).is_file():
        raise ParseError(name, "not a dataset; give a .csv file or a directory with dataset.toml")
    elif name not in (_ALL, _STATEMENTS):
        audits.append(audit_dataset(dataset(Path(name) if is_directory else name)))
    elif name == _ALL:
        audits += (audit_dataset(dataset(each)) for each in dataset_ids())
    if write_flags:
        for each in audits:
            _write_flags(Path(name) if is_directory else data_path("measurements", each.name), each)
    if name in (_ALL, _STATEMENTS):
        audits.append(audit_statements())
    if as_json:
        print_json([finding.to_dict() for each in audits for finding in each])
    else:
        for each in audits:
            click.echo(wrapped(_text(each)))
    click.get_current_context().exit(int(strict and any(each.faults for each in audits)))


def _write_flags(directory: Path, audit: "Audit") -> None:
    """Write the faults of a dataset beside its tables."""
    from netmodel._writing import write_whole
    from netmodel.judging._audit import flags_csv

    target = directory / "flags.csv"
    try:
        write_whole(target, flags_csv(audit).encode())
    except OSError as error:
        raise ParseError(str(target), f"cannot be written: {error.strerror}") from error


def _text(audit: "Audit") -> str:
    lines = [f"{audit.name}: {len(audit.faults)} faults, {len(audit.findings)} findings"]
    for finding in audit:
        lines.append(f"  {finding.severity.value:5} {finding.kind:13} {finding.location}")
        lines.append(f"  {'':19} printed {finding.printed}, allowed {finding.allowed}")
        lines.append(f"  {'':19} {finding.message}")
    checked = ", ".join(f"{kind} {count}" for kind, count in sorted(audit.checked.items()))
    explained = sum(audit.explained.values())
    lines.append(f"  compared: {checked or 'nothing'}; {explained} differ by rounding alone")
    return "\n".join(lines)
