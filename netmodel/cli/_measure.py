"""``netmodel measure``."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING

import click

from netmodel.api import check
from netmodel.api import measure as measure_of
from netmodel.cli._console import print_blocks, print_json, wrapped
from netmodel.cli._derived import DerivedCommand, Given, Output
from netmodel.report import verdict_lines
from netmodel.report.text import NOTE_COUNT, note_rows

if TYPE_CHECKING:
    from netmodel.measuring.measured import MeasuredRun

FAILED_EXIT_CODE = 1
"""Of a failed gate, and of a tool that failed."""


def _print(given: Given, output: Output) -> None:
    """Run a tool, record its hosts, judge the result.

    TOOL is iperf3, iperf 2, netperf, uperf, sockperf, nuttcp, qperf, ntttcp or perftest at the
    client, with its own options. Before and after the run, commands that only read record route,
    interface, adapter, queues, settings, counters and CPU time of this host, and the result is
    judged as by netmodel check, with line rate, MTU and headers of the interface to the peer; what
    you specify takes their place. The folder holds all of it; no privilege is needed.

    Exit code 0: all runs pass; 1: a run does not pass, or the tool failed; 2: an option is wrong,
    or the tool is not installed; 3: the file of --peer-facts cannot be read.

    \b
    Example: netmodel measure -- iperf3 -c server1 -J
    """
    # what the tool prints, as it is: beside JSON on standard error
    sinks = [sys.stderr if output.json else sys.stdout, sys.stderr]
    of_tool, errors = (getattr(each, "stream", each) for each in sinks)
    with redirect_stdout(of_tool), redirect_stderr(errors):
        measured = measure_of(**given)
    if output.json:
        print_json(measured.to_dict())
    else:
        click.echo()
        print_blocks(wrapped("\n".join(lines)) for lines in _blocks(measured, output.verbose))
    click.get_current_context().exit(0 if measured.passes else FAILED_EXIT_CODE)


measure = DerivedCommand(
    measure_of,
    _print,
    first=("folder", "peer_facts", "repeat", "line_rate_bps", "mtu_bytes"),
    outputs=("verbose", "json"),
    without=("time_limit_s", "max_ratio"),
    more=(
        click.Argument(
            ["command"],
            nargs=-1,
            required=True,
            metavar="-- TOOL [ARGUMENTS]...",
        ),
    ),
    documented_by=check,
    # options of the tool are its own, with or without --
    context_settings={"allow_interspersed_args": False},
)


def _blocks(measured: "MeasuredRun", is_verbose: bool) -> list[list[str]]:
    """The verdicts, what was judged by, notes, and the folder."""
    from netmodel._text import text_table

    count = None if is_verbose else NOTE_COUNT
    rows = [(name, value, f"({source})") for name, (value, source) in measured.line.items()]
    notes = [*(f"contradiction: {each}" for each in measured.contradictions)]
    notes += [
        f"{name}: {text}" if name else text for name, text in note_rows(measured.notes, count)
    ]
    return [
        *(verdict_lines(each, is_verbose) for each in measured.verdicts),
        [text_table(rows)] if rows else [],
        notes,
        [f"recorded in {measured.place} ({measured.state})"],
    ]
