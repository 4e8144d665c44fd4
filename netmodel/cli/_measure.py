"""``netmodel measure``."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import click

from netmodel._text import RESULT_DIGITS
from netmodel.api._check import LineArguments
from netmodel.api._measure import RecordingArguments, binary_stream, measured_run
from netmodel.cli._check import format_option, gate_options, line_options, verdict_lines
from netmodel.cli._console import print_blocks, print_json, wrapped
from netmodel.cli._files import INPUT_FILE, OutputFile
from netmodel.cli._ids import what_to_measure
from netmodel.cli._options import (
    COUNT,
    SHARE,
    TIME,
    QuestionCommand,
    SharedOption,
    SizeSweep,
    json_option,
    option,
    option_group,
    sweep_option,
    verbose_option,
)
from netmodel.cli._snapshots import interface_option
from netmodel.judging import Gate
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
    sweep: SizeSweep | None


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
        help="Run this often, and judge the mean; with --until at most.",
    ),
    option(
        "--until",
        type=SHARE,
        show_default="none",
        help="Repeat until the 95 % interval of the mean is this narrow either way, such as 1%.",
    ),
    option("--pause", "pause_s", type=TIME, show_default="1s", help="Time between two repeats."),
)
@line_options
@gate_options
@option_group(
    "output",
    _Output,
    format_option,
    sweep_option(),
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

    --repeat runs the tool several times, each in a folder of its own, and judges the mean; with
    --until it stops when the mean is known well enough, after five runs at the earliest. --sweep
    mtu=1500,9000 prints the commands that change the MTU, waits until it is changed, and measures.

    \b
    Example: netmodel measure -- iperf3 -c server1 -J
    """
    sink = sys.stderr if output.as_json else sys.stdout

    def one(recording: RecordingArguments) -> "MeasuredRun":
        measured = measured_run(
            command,
            recording,
            specified,
            gate,
            output.format_name,
            output=binary_stream(_raw(sink)),
            errors=binary_stream(_raw(sys.stderr)),
            is_terminal=sink.isatty(),
            on_run=lambda text: click.echo(text, err=True),
        )
        if not output.as_json:
            click.echo()
            print_blocks(wrapped("\n".join(lines)) for lines in _blocks(measured, output.verbose))
        return measured

    if output.sweep is None:
        measured = one(recording)
        if output.as_json:
            print_json(measured.to_dict())
        passes = measured.passes
    else:
        from netmodel.cli._measure_sweep import mtu_of_interface, swept

        watched = mtu_of_interface(command, recording)
        runs = swept(output.sweep, recording, watched, one)
        if output.as_json:
            print_json([{"mtu_bytes": mtu} | run.to_dict() for mtu, run in runs])
        else:
            click.echo()
            click.echo(_sweep_table(runs))
        passes = bool(runs) and all(run.passes for _, run in runs)
    click.get_current_context().exit(0 if passes else FAILED_EXIT_CODE)


def _sweep_table(runs: "Sequence[tuple[int, MeasuredRun]]") -> str:
    """A row for each MTU and direction, with its rate, the share of the limit, and the verdict."""
    from netmodel._text import text_table
    from netmodel.units import format_rate

    rows: list[Sequence[str]] = [("MTU", "goodput", "of the limit", "verdict")]
    for mtu_bytes, run in runs:
        for each in run.verdicts:
            rate = "" if each.goodput_bps is None else format_rate(each.goodput_bps, RESULT_DIGITS)
            ratio = "" if each.ratio is None else f"{each.ratio:.4f}"
            rows.append((str(mtu_bytes), rate, ratio, each.word))
    return text_table(rows, right_aligned=[0, 1, 2])


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
