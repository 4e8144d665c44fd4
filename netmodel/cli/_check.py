"""``netmodel check``."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from netmodel.cli._check_hosts import HostFiles, host_options, with_hosts
from netmodel.cli._check_line import LineOptions, line_options
from netmodel.cli._check_read import found_in, is_typed_rate, with_progress
from netmodel.cli._check_reports import ReportFiles, report_options
from netmodel.cli._check_text import verdict_lines
from netmodel.cli._options import RATIO, gathered_options, json_option, print_json
from netmodel.judging import Gate, Verdict, check_results, require_checkable
from netmodel.readers import result_formats

__all__ = ["check", "exit_code"]


class _Names(click.ParamType[frozenset[str]]):
    """Names such as ``window,offered_rate``."""

    name = "limit,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> frozenset[str]:
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        return frozenset(
            name.strip().replace("-", "_") for name in value.split(",") if name.strip()
        )


gate_options = gathered_options(
    "gate",
    Gate,
    click.option(
        "--tolerance",
        "floor_ratio",
        type=RATIO,
        help="How much below its ceiling every run may be, beside what follows from the run, such "
        "as 0.02. [left out: 0.01]",
    ),
    click.option(
        "--min-ratio",
        type=RATIO,
        help="Goodput over ceiling that counts as reaching it. [left out: derived from the run]",
    ),
    click.option(
        "--max-ratio",
        type=RATIO,
        help="Goodput over ceiling above which the result is impossible. [left out: derived]",
    ),
    click.option(
        "--accept",
        "accepted",
        type=_Names(),
        default=frozenset(),
        help="Limits that a run may report about itself and pass all the same, such as "
        "window,offered_rate. [left out: none]",
    ),
)


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="RESULT...")
@line_options
@gate_options
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
@click.option("--verbose", is_flag=True, help="Print every part of the tolerance and every note.")
@click.pass_context
def check(
    ctx: click.Context,
    names: tuple[str, ...],
    line: LineOptions,
    gate: Gate,
    format_name: str | None,
    repeats: bool,
    hosts: HostFiles,
    reports: ReportFiles,
    as_json: bool,
    verbose: bool,
) -> None:
    """Judge results of iperf3, netperf, uperf and others against the limits that you specify.

    RESULT is a file, a directory with all results in it and below, a goodput such as 9.2Gbit/s, or
    - for standard input, which may hold a pasted summary line.

    Give --line-rate, or what leads to it: --sender with --receiver, the adapters at both ends, or a
    --path with them; their limits by direction then count too. Without --mtu and --link-mtu the
    segment size that the run reports sets the ceiling.

    \b
    at_ceiling     within the tolerance of the smallest limit that you specify
    limited        below it, and the run's own window, offered rate, segment size
                   or busy CPUs explain why; fails unless --accept names that limit
    below          below it, and nothing that the run reports explains why
    impossible     above it: something is not as specified
    failed         the tool reports an error
    not_judgeable  something unknown decides; the reason names the option to give
    """
    stated = line.stated_line()
    require_checkable(stated, gate)
    reports.require_possible()
    cpu = hosts.read()
    if repeats and cpu is not None:
        raise click.UsageError("--repeats: runs at the same time between two hosts are no repeats")
    faults: list[str] = []
    found = with_hosts(found_in(names, format_name), cpu, faults)
    checked = check_results(found, stated, gate, with_progress)
    verdicts = checked.verdicts
    if repeats:
        from netmodel.judging import pooled

        verdicts = pooled(verdicts, gate)
    _print(verdicts, frozenset(filter(is_typed_rate, names)), as_json, verbose)
    faults += (*checked.contradictions, *reports.write(verdicts, stated))
    if faults:
        raise click.UsageError("\n".join(faults))
    ctx.exit(exit_code(verdicts))


def _print(
    verdicts: Sequence[Verdict], typed: frozenset[str], as_json: bool, is_verbose: bool
) -> None:
    """The verdicts as text or JSON, in which a rate that was typed has no file."""
    if as_json:
        rows = [verdict.to_dict() for verdict in verdicts]
        print_json([row | {"file": None} if row["file"] in typed else row for row in rows])
        return
    blocks = [_summary(verdicts)] if len(verdicts) > 1 else []
    blocks += ("\n".join(verdict_lines(verdict, is_verbose)) for verdict in verdicts)
    click.echo("\n\n".join(blocks))


def _summary(verdicts: Sequence[Verdict]) -> str:
    """How many runs have each outcome, in one sentence."""
    counts = Counter(verdict.word for verdict in verdicts)
    passed = sum(verdict.passes for verdict in verdicts)
    parts = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    return f"{passed} of {len(verdicts)} runs pass: {parts}."


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """3 if a file could not be read, else 1 if a run does not pass, else 0."""
    if any(verdict.outcome is None for verdict in verdicts):
        return 3
    return int(not all(verdict.passes for verdict in verdicts))
