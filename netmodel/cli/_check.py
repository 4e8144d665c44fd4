"""``netmodel check``."""

from collections.abc import Sequence

import click

from netmodel.cli._options import (
    RATIO,
    SIZE,
    header_options,
    inner_mtu_bytes,
    json_option,
    line_rate_option,
    link_mtu_option,
    mtu_option,
    print_json,
    stated_stack,
)
from netmodel.cli._paths import path_options, stated_path
from netmodel.errors import ContradictionError
from netmodel.judging import (
    Outcome,
    StatedLine,
    Verdict,
    check_file,
)
from netmodel.readers import CpuUse, result_formats

__all__ = ["check", "exit_code", "verdict_lines"]


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@line_rate_option(required=False)
@path_options
@mtu_option
@link_mtu_option
@header_options(*["as the run shows"] * 3)
@click.option(
    "--payload",
    "message_bytes",
    type=SIZE,
    help="Payload of each write, where every write is sent for itself, or of each datagram.",
)
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
@json_option
@click.pass_context
def check(
    ctx: click.Context,
    files: tuple[str, ...],
    line_rate_bps: float | None,
    sender: str | None,
    receiver: str | None,
    path_name: str | None,
    mtu_bytes: int | None,
    link_mtu_bytes: int | None,
    stack_text: str | None,
    ip_version: str | None,
    transport: str | None,
    timestamps: bool | None,
    vlan_tags: int | None,
    message_bytes: int | None,
    min_ratio: float | None,
    max_ratio: float | None,
    format_name: str | None,
    as_json: bool,
) -> None:
    """Judge results of iperf3, netperf, uperf and others against what their line and path carry.

    Needed is --line-rate, or what tells it: --sender with --receiver, the adapters at both ends,
    or a --path with them. Their limits by direction, and all others of the path, then count too.

    Without --mtu and --link-mtu the run's own segment size decides.

    A run is at_ceiling, below or impossible by its goodput at the receiver over the smallest limit
    that is known; failed where iperf3 reports an error.
    """
    if transport == "udp" and timestamps is not None:
        raise click.UsageError("--timestamps and --no-timestamps are for TCP; UDP has none")
    stack = stated_stack(stack_text, ip_version, transport, timestamps, vlan_tags)
    path = stated_path(sender, receiver, path_name, line_rate_bps)
    if line_rate_bps is None and path is not None:
        line_rate_bps = path.own_line_rate_bps
    if line_rate_bps is None:
        why = "" if path is None else ": the path has no link or adapter that tells it"
        raise click.UsageError(
            f"Missing option '--line-rate', or '--sender' and '--receiver'{why}."
        )
    stated = StatedLine(
        line_rate_bps=line_rate_bps,
        mtu_bytes=inner_mtu_bytes(mtu_bytes, link_mtu_bytes, stack),
        ip_version=int(ip_version) if ip_version else None,
        transport=transport,
        timestamps=timestamps,
        vlan_tags=vlan_tags or 0,
        stack=stack,
        message_bytes=message_bytes,
        path=path,
    )
    verdicts: list[Verdict] = []
    contradictions: list[str] = []
    for file in files:
        try:
            verdicts += check_file(file, stated, min_ratio, max_ratio, format_name)
        except ContradictionError as error:
            contradictions.append(str(error))
    if as_json:
        print_json([verdict.to_dict() for verdict in verdicts])
    else:
        for verdict in verdicts:
            click.echo("\n".join(verdict_lines(verdict)))
    if contradictions:
        raise click.UsageError("; ".join(contradictions))
    ctx.exit(exit_code(verdicts))


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """3 if a file could not be read, else 1 if a run is not at its ceiling, else 0."""
    if any(verdict.outcome is None for verdict in verdicts):
        return 3
    return int(any(verdict.outcome is not Outcome.AT_CEILING for verdict in verdicts))


def verdict_lines(verdict: Verdict) -> list[str]:
    """A line with the verdict of a run, and indented lines with what else is known of it."""
    outcome = verdict.outcome.value if verdict.outcome else "unreadable"
    ratio = "" if verdict.ratio is None else f"{verdict.ratio:.4f}"
    run = verdict.measurement
    direction = f" ({run.direction.value})" if run and run.direction else ""
    return [
        f"{outcome:13} {ratio:6}  {verdict.file}{direction}: {verdict.reason}",
        *(f"{'':23}{_cpu_text(use)}" for use in (run.cpu if run else ())),
        *(f"{'':23}warning: {warning}" for warning in verdict.warnings),
    ]


def _cpu_text(use: CpuUse) -> str:
    consumption = use.consumption
    cost = f", {consumption.us_per_gbit:.0f} µs/Gbit" if consumption else ""
    return f"{use.side.value}: {use.busy_cpu_count:.3f} CPUs busy ({use.scope.value} only){cost}"
