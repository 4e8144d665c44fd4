"""``netmodel measure``."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import click

from netmodel.api._check import LineArguments
from netmodel.api._measure import RecordingArguments, binary_stream, measured_run
from netmodel.checking import Gate
from netmodel.cli._check import format_option, gate_options, line_options, verdict_lines
from netmodel.cli._console import print_blocks, print_json, wrapped
from netmodel.cli._files import INPUT_FILE, OutputFile
from netmodel.cli._ids import what_to_measure
from netmodel.cli._options import (
    COUNT,
    TIME,
    QuestionCommand,
    SharedOption,
    json_option,
    option,
    option_group,
    verbose_option,
)
from netmodel.cli._snapshots import interface_option
from netmodel.report._text import NOTE_COUNT, note_rows

if TYPE_CHECKING:
    from netmodel.measuring._measured import MeasuredRun

FAILED_EXIT_CODE = 1
"""Of a failed gate, and of a tool that failed."""
peer_option = SharedOption(
    ("--peer",), "Host at the other end, to which the route is looked up.", metavar="HOST"
)
mask_option = SharedOption(
    ("--mask",),
    "Also mask IP addresses and names of hosts; MAC addresses always are.",
    is_flag=True,
)()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """How the result is read and printed."""

    format_name: str | None
    verbose: bool
    as_json: bool


@click.command(
    cls=QuestionCommand,
    # options of the tool are its own, with or without --
    context_settings={"allow_interspersed_args": False},
)
@click.argument(
    "command", nargs=-1, required=True, metavar="-- TOOL [ARGUMENTS]...", type=what_to_measure
)
@option_group(
    "recording",
    RecordingArguments,
    option(
        "-o",
        "--folder",
        type=OutputFile(file_okay=False),
        metavar="FOLDER",
        show_default="measured-TIME",
        help="New folder for result, facts and manifest.",
    ),
    peer_option(unset="that of the command"),
    interface_option(unset="that of the route to the peer"),
    option(
        "--peer-facts",
        type=INPUT_FILE,
        metavar="FILE",
        help="Facts of the other host, from netmodel measure facts.",
    ),
    mask_option,
    option(
        "--time-limit",
        "time_limit_s",
        type=TIME,
        show_default="none",
        help="End the tool after this time, such as 60s.",
    ),
    option(
        "--repeat",
        type=COUNT,
        show_default="1",
        help="Run this often, and judge the mean.",
    ),
)
@line_options
@gate_options
@option_group(
    "output",
    _Output,
    format_option,
    verbose_option,
    json_option,
)
def measure(
    command: tuple[str, ...],
    recording: RecordingArguments,
    specified: LineArguments,
    gate: Gate,
    output: _Output,
) -> None:
    """Run a tool, record its hosts, judge the result.

    TOOL is iperf3, iperf 2, netperf, uperf, sockperf, nuttcp, qperf, ntttcp or perftest at the
    client, with its own options. Before and after the run, commands that only read record route,
    interface, adapter, queues, settings, counters and CPU time of this host, and the result is
    judged as by netmodel check. Line rate, MTU and headers are those of the interface to the peer,
    but for the speed that virtual devices report; what you specify takes their place.

    The folder holds all of it, with manifest.toml as its list. Nothing is changed on a host, and
    no privilege is needed: what cannot be read is left out, with a note.

    Exit code 0: all runs pass; 1: a run does not pass, or the tool failed; 2: an option is wrong,
    or the tool is not installed; 3: the file of --peer-facts cannot be read.

    --repeat runs the tool several times, each in a folder of its own, and judges the mean.

    \b
    Example: netmodel measure -- iperf3 -c server1 -J
    """
    sink = sys.stderr if output.as_json else sys.stdout
    measured = measured_run(
        command,
        recording,
        specified,
        gate,
        output.format_name,
        output=binary_stream(_raw(sink)),
        errors=binary_stream(_raw(sys.stderr)),
        is_terminal=sink.isatty(),
    )
    if output.as_json:
        print_json(measured.to_dict())
    else:
        click.echo()
        print_blocks(wrapped("\n".join(lines)) for lines in _blocks(measured, output.verbose))
    click.get_current_context().exit(0 if measured.passes else FAILED_EXIT_CODE)


def _raw(stream: TextIO) -> TextIO:
    """The stream below the one that prints control characters as text."""
    below: TextIO = getattr(stream, "stream", stream)
    return below


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
