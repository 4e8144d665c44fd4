"""``netmodel check``."""

from collections.abc import Sequence

import click

from netmodel.cli._check_hosts import HostFiles, host_options, with_hosts
from netmodel.cli._check_line import LineOptions, line_options
from netmodel.cli._check_read import found_in, with_progress
from netmodel.cli._check_reports import ReportFiles, report_options
from netmodel.cli._check_text import verdict_lines
from netmodel.cli._options import RATIO, json_option, print_json
from netmodel.judging import Outcome, Verdict, check_results, pooled, require_checkable
from netmodel.readers import result_formats

__all__ = ["check", "exit_code"]


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="FILE...")
@line_options
@click.option(
    "--min-ratio",
    type=RATIO,
    help="Goodput over ceiling that counts as reaching it. [left out: derived from the run]",
)
@click.option(
    "--max-ratio",
    type=RATIO,
    help="Goodput over ceiling above which the result is impossible. [left out: derived]",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(result_formats()),
    help="What wrote the files. [left out: recognised from what they hold]",
)
@click.option(
    "--repeats",
    is_flag=True,
    help="Judge runs of one configuration together, by their mean and its interval.",
)
@host_options
@report_options
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    names: tuple[str, ...],
    line: LineOptions,
    min_ratio: float | None,
    max_ratio: float | None,
    format_name: str | None,
    repeats: bool,
    hosts: HostFiles,
    reports: ReportFiles,
    as_json: bool,
) -> None:
    """Judge results of iperf3, netperf, uperf and others against what their line and path carry.

    A folder stands for all results in it and below; - is standard input.

    Needed is --line-rate, or what tells it: --sender with --receiver, the adapters at both ends,
    or a --path with them. Their limits by direction, and all others of the path, then count too.

    Without --mtu and --link-mtu the run's own segment size decides.

    A run is at_ceiling, below or impossible by its goodput at the receiver over the smallest limit
    that is known; failed where the tool reports an error.
    """
    stated, ratios = line.stated_line(), (min_ratio, max_ratio)
    require_checkable(stated, *ratios)
    reports.require_possible()
    cpu = hosts.read()
    if repeats and cpu is not None:
        raise click.UsageError("--repeats: runs at the same time between two hosts are no repeats")
    faults: list[str] = []
    found = with_hosts(found_in(names, format_name), cpu, faults)
    checked = check_results(found, stated, *ratios, with_progress)
    verdicts = pooled(checked.verdicts, *ratios) if repeats else checked.verdicts
    _print(verdicts, as_json)
    faults += (*checked.contradictions, *reports.write(verdicts, stated))
    if faults:
        raise click.UsageError("\n".join(faults))
    ctx.exit(exit_code(verdicts))


def _print(verdicts: Sequence[Verdict], as_json: bool) -> None:
    if as_json:
        print_json([verdict.to_dict() for verdict in verdicts])
        return
    for verdict in verdicts:
        click.echo("\n".join(verdict_lines(verdict)))


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """3 if a file could not be read, else 1 if a run is not at its ceiling, else 0."""
    if any(verdict.outcome is None for verdict in verdicts):
        return 3
    return int(any(verdict.outcome is not Outcome.AT_CEILING for verdict in verdicts))
