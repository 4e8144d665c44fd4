"""``netmodel audit``."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel.cli._options import json_option, print_json
from netmodel.errors import DomainError, ParseError

if TYPE_CHECKING:
    from netmodel.judging import Audit

__all__ = ["audit"]

_ALL = "all"
_STATEMENTS = "statements"


@click.command()
@click.argument("name", default=_ALL, metavar="[DATASET|FILE|statements|all]")
@click.option("--strict", is_flag=True, help="End with exit code 1 if there is a fault.")
@click.option("--write-flags", is_flag=True, help="Write the faults to flags.csv of the dataset.")
@json_option
@click.pass_context
def audit(ctx: click.Context, name: str, strict: bool, write_flags: bool, as_json: bool) -> None:
    """Hold measured data against themselves and against physics.

    DATASET is the id of one that comes with netmodel, FILE a folder with dataset.toml or a CSV
    file of your own. Left out, all bundled datasets and the published statements are audited.
    What only rounding explains is counted, not reported.
    """
    if write_flags and (_is_table(name) or name == _STATEMENTS):
        raise click.UsageError("--write-flags is for datasets, which have a folder of their own")
    audits = list(_audits(name))
    if write_flags:
        for one in audits:
            _write_flags(name, one)
    if as_json:
        print_json([finding.to_dict() for one in audits for finding in one])
    else:
        for one in audits:
            click.echo(_text(one))
    ctx.exit(int(strict and any(one.faults for one in audits)))


def _audits(name: str) -> "Iterator[Audit]":
    from netmodel.judging import audit_dataset, audit_statements, audit_table
    from netmodel.records import dataset, dataset_ids, load_dataset, load_table

    if _is_table(name):
        try:
            yield audit_table(load_table(name))
        except DomainError as error:
            raise ParseError(name, str(error)) from error
        return
    if name == _STATEMENTS:
        yield audit_statements()
        return
    if name == _ALL:
        chosen = [dataset(one) for one in dataset_ids()]
    elif _is_folder(name):
        chosen = [load_dataset(name)]
    else:
        chosen = [dataset(name)]
    yield from map(audit_dataset, chosen)
    if name == _ALL:
        yield audit_statements()


def _is_table(name: str) -> bool:
    return name.lower().endswith(".csv")


def _is_folder(name: str) -> bool:
    return Path(name).is_dir() or "/" in name or "\\" in name


def _write_flags(name: str, found: "Audit") -> None:
    """Write the faults of a dataset beside its tables."""
    from netmodel._writing import write_whole
    from netmodel.judging import flags_csv
    from netmodel.records import data_path

    if found.name == _STATEMENTS:
        return
    folder = Path(name) if _is_folder(name) else data_path("measurements", found.name)
    target = folder / "flags.csv"
    try:
        write_whole(target, flags_csv(found).encode())
    except OSError as error:
        raise ParseError(str(target), f"cannot be written: {error.strerror}") from error


def _text(found: "Audit") -> str:
    lines = [f"{found.name}: {len(found.faults)} faults, {len(found.findings)} findings"]
    for finding in found:
        lines.append(f"  {finding.severity.value:5} {finding.kind:13} {finding.location}")
        lines.append(f"  {'':19} printed {finding.printed}, allowed {finding.allowed}")
        lines.append(f"  {'':19} {finding.message}")
    checked = ", ".join(f"{kind} {count}" for kind, count in sorted(found.checked.items()))
    explained = sum(found.explained.values())
    lines.append(f"  compared: {checked or 'nothing'}; {explained} are off by rounding alone")
    return "\n".join(lines)
