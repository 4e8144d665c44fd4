"""``netmodel check``."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel.api._check import LineArguments
from netmodel.api._measure import measured_folders, rejudged
from netmodel.api._results import HostDataArguments, is_typed_rate, with_host_cpu
from netmodel.checking import Gate, Verdict
from netmodel.checking._check import check_results, require_checkable
from netmodel.cli._console import (
    UNREADABLE_EXIT_CODE,
    print_blocks,
    print_json,
    with_progress,
    wrapped,
)
from netmodel.cli._files import (
    OUTPUT_FILE,
    require_no_input,
    results_in,
    write_output,
)
from netmodel.cli._ids import Choice, a_file
from netmodel.cli._options import (
    COUNT,
    RATE,
    RATIO_OR_PERCENT,
    QuestionCommand,
    adapter_option,
    client_cost_option,
    host_data_options,
    json_option,
    mtu_options,
    option,
    option_group,
    path_options,
    payload_option,
    rdma_mtu_option,
    rtt_option,
    server_cost_option,
    stack_options,
    verbose_option,
    window_option,
)
from netmodel.cli._snapshots import Snapshots, load_lines, load_numbers, snapshot_options
from netmodel.errors import ContradictionError
from netmodel.readers import FoundResults, result_formats
from netmodel.report._text import NOTE_COUNT, note_rows
from netmodel.report._verdict_rows import LimitRow, verdict_row
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.measuring._measured import MeasuredRun

_INDENT = " " * 4
"""Four columns, as below the paragraphs of Click's help."""
_AS_REPORTED = "as the run reports"


# Options


class _Names(click.ParamType[frozenset[str]]):
    """Names such as ``window,offered_rate``."""

    name = "limit,..."

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> frozenset[str]:
        if isinstance(value, frozenset):
            return value
        names = (name.strip().replace("-", "_") for name in str(value).split(","))
        return frozenset(filter(None, names))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Output:
    """What is printed and written."""

    junit: str | None
    as_json: bool
    verbose: bool

    def require_writable(self) -> None:
        """Refuse a file that cannot be written, before the work is done and not after it."""
        path = self.junit
        if path and not Path(path).exists() and not Path(path).resolve().parent.is_dir():
            raise click.UsageError(f"--junit {path}: there is no such directory")
        self.require_unread()

    def require_unread(self) -> None:
        """Refuse a file that is named as input, or was read by now."""
        if self.junit:
            require_no_input("--junit", self.junit)

    def write(self, verdicts: Sequence[Verdict], title: str) -> list[str]:
        """Write the file; why it could not be written, if so."""
        if self.junit is None:
            return []
        from netmodel.report import junit_xml

        try:
            write_output("--junit", self.junit, junit_xml(verdicts, title).encode())
        except click.UsageError as error:
            return [error.message]
        return []


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """How files are read, and files with CPU data of the hosts at the same time."""

    format_name: str | None
    repeats: bool
    hosts: HostDataArguments


line_options = option_group(
    "specified",
    LineArguments,
    adapter_option("adapter")(),
    path_options(line_rate="that of the slower adapter"),
    mtu_options,
    stack_options(_AS_REPORTED, _AS_REPORTED, _AS_REPORTED),
    payload_option(unset=_AS_REPORTED),
    rdma_mtu_option(unset=_AS_REPORTED),
    option(
        "--assume-transport",
        type=Choice(["tcp", "udp"]),
        help="Transport protocol of runs that do not report it, such as those of uperf.",
    ),
    option(
        "--rate-cap",
        "rate_cap_bps",
        type=RATE,
        help="Payload rate limit of a shaper, policer or contract.",
    ),
    rtt_option(unset=_AS_REPORTED, is_single=True),
    window_option(unset=_AS_REPORTED, is_single=True),
    *(
        each
        for side, cost_option in (("client", client_cost_option), ("server", server_cost_option))
        for each in (
            option(
                f"--{side}-cpus",
                type=COUNT,
                help=f"CPUs of the {side}'s host.",
            ),
            cost_option,
        )
    ),
)
"""Line, path and hosts as one object."""
gate_options = option_group(
    "gate",
    Gate,
    option(
        "--tolerance",
        "floor_ratio",
        type=RATIO_OR_PERCENT,
        show_default="0.01",
        help="Tolerance below the limit; timing, rounding and buffers of a run add to it.",
    ),
    option(
        "--min-ratio",
        type=RATIO_OR_PERCENT,
        show_default="derived from the run",
        help="Goodput over limit from which on a run is at_ceiling.",
    ),
    option(
        "--max-ratio",
        type=RATIO_OR_PERCENT,
        show_default="derived from the run",
        help="Goodput over limit above which a run is impossible.",
    ),
    option(
        "--accept",
        "accepted",
        type=_Names(),
        default=frozenset(),
        show_default="none",
        help="Limits reported by the run itself that still pass, such as window,offered_rate.",
    ),
)
"""What passes, as one object."""
format_option = option(
    "--format",
    "format_name",
    type=Choice(result_formats()),
    show_default="recognised from the content",
    metavar="FORMAT",
    help=f"What wrote the files: {', '.join(result_formats())}.",
)


@click.command(cls=QuestionCommand)
@click.argument("names", type=a_file, nargs=-1, required=True, metavar="RESULT...")
@line_options
@gate_options
@option_group(
    "reading",
    _Reading,
    format_option,
    option(
        "--repeats",
        is_flag=True,
        help="Judge runs of one configuration together, by the confidence interval of their mean.",
    ),
    option_group("hosts", HostDataArguments, *host_data_options),
)
@snapshot_options
@option_group(
    "output",
    _Output,
    option("--junit", metavar="FILE", type=OUTPUT_FILE, help="Also write JUnit XML for CI."),
    verbose_option,
    json_option,
)
def check(
    names: tuple[str, ...],
    specified: LineArguments,
    gate: Gate,
    reading: _Reading,
    snapshots: Snapshots,
    output: _Output,
) -> None:
    """Judge results of iperf3 and other tools against limits.

    The limits are those that you specify. RESULT is a file of iperf3, netperf, uperf or another
    tool of --format, a directory with all results in it and below, a goodput such as 9.2Gbit/s, or
    - for standard input, which may hold a pasted summary line.

    Give --line-rate, or what it follows from: --adapter at both ends, --sender with --receiver, or
    a --path with them; their limits by direction then count too. --rate-cap alone is enough.
    Without --mtu and --link-mtu the segment size that the run reports sets the ceiling. A folder of
    netmodel measure is judged by what its hosts show, and by what you specify in its place.

    With --interface, --direction and --duration the results are two counter snapshots, the first of
    before: files of ip -j -s link, of /proc/net/dev, or of ethtool -S where the driver counts
    rx_bytes and rx_packets, tx_bytes and tx_packets. The frame rate is judged; packets larger than
    --mtu allows are aggregates of several frames, and the rates then lower bounds.

    \b
    at_ceiling     within the tolerance of the smallest limit that you specify
    limited        below it, and the run's own window, loss, offered rate, segment
                   size or busy CPUs explain why; fails unless --accept names that
                   limit
    below          below it, and nothing that the run reports explains why
    impossible     above it: something is not as specified
    failed         the tool reports an error
    not_judgeable  something unknown decides; the reason names the option to give

    Exit code 0: all runs pass; 1: a run does not pass; 2: an option is wrong, or a run contradicts
    it; 3: a file cannot be read.

    \b
    Example: netmodel check run.json --line-rate 25Gbit/s --mtu 1500
    """
    reading.hosts.refuse_repeats(reading.repeats)
    folders = [] if snapshots.is_given else measured_folders(names)
    load = None
    faults: list[str] = []
    details: list[str] = []
    if folders:
        reading.hosts.refuse_measured()
        output.require_writable()
        runs = rejudged(folders, specified, gate, reading.format_name)
        output.require_unread()
        verdicts = tuple(each for run in runs for each in run.verdicts)
        title = f"Measured runs in {', '.join(names)}"
        details = [line for run in runs for line in _of_record(run, output.verbose)]
    else:
        line = specified.line()
        require_checkable(line, gate)
        output.require_writable()
        load = snapshots.load(names, line)
        cpu = reading.hosts.host_cpu()
        if load is None:
            results = results_in(
                names, reading.format_name, [] if output.junit is None else [output.junit]
            )
        else:
            results = FoundResults((load.measurement,))
            details = load_lines(load)
        output.require_unread()
        try:
            results = with_host_cpu(results, cpu)
        except ContradictionError as error:
            faults.append(str(error))
        checked = check_results(results, line, gate, with_progress)
        verdicts = checked.verdicts
        faults += checked.contradictions
        mtu = "" if line.mtu_bytes is None else f", MTU {line.mtu_bytes}"
        stack = "" if line.stack is None else f", {line.stack}"
        limit = "over a line" if line.has_line else "under a rate cap"
        title = f"Runs {limit} of {format_rate(line.line_rate_bps)}{mtu}{stack}"
    if reading.repeats:
        from netmodel.checking import pooled

        verdicts = pooled(verdicts, gate)
    if output.as_json:
        rows = [verdict.to_dict() for verdict in verdicts]
        # a rate that was typed has no file
        typed = frozenset(filter(is_typed_rate, names))
        rows = [row | {"file": None} if row["file"] in typed else row for row in rows]
        counted = {} if load is None else {"counters": load_numbers(load)}
        print_json([row | counted for row in rows])
    else:
        counts = Counter(verdict.word for verdict in verdicts)
        passed = sum(verdict.passes for verdict in verdicts)
        parts = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        summary = f"{passed} of {len(verdicts)} runs pass: {parts}."
        texts = (wrapped("\n".join(verdict_lines(each, output.verbose))) for each in verdicts)
        print_blocks(
            [
                summary if len(verdicts) > 1 else "",
                *texts,
                wrapped("\n".join(dict.fromkeys(details))),
            ]
        )
    faults += output.write(verdicts, title)
    if faults:
        raise click.UsageError("\n".join(faults))
    click.get_current_context().exit(exit_code(verdicts))


def _of_record(run: "MeasuredRun", is_verbose: bool) -> list[str]:
    """What a measured run was judged by, and contradictions."""
    return [
        *(f"{name}: {value} ({source})" for name, (value, source) in run.line.items()),
        *(f"contradiction: {each}" for each in run.contradictions),
        *(f"note: {each}" for each in run.notes[: None if is_verbose else NOTE_COUNT]),
    ]


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """That of an unreadable file if there is one, else 1 if a run does not pass, else 0."""
    if any(verdict.outcome is None for verdict in verdicts):
        return UNREADABLE_EXIT_CODE
    return int(not all(verdict.passes for verdict in verdicts))


def verdict_lines(verdict: Verdict, is_verbose: bool = False) -> list[str]:
    """The verdict on a run in one sentence, and indented lines with what it rests on."""
    row = verdict_row(verdict)
    limits = []
    # first the limits that the user specified, then those that the run reports, by their size
    for is_specified, name in ((True, "limits"), (False, "reported by the run")):
        chosen = [limit for limit in row.limits if limit.is_specified is is_specified]
        ordered = sorted(chosen, key=lambda limit: limit.value)
        # a single specified limit is in the sentence
        if len(ordered) > 1 or (ordered and not is_specified):
            limits.append(f"{name}: {', '.join(map(_limit_text, ordered))}")
    notes = note_rows(row.notes, None if is_verbose else NOTE_COUNT)
    rest = (
        row.name,
        row.repeats_text,
        *limits,
        row.tolerance_text,
        *(row.tolerance_parts if is_verbose else ()),
        *row.cpu_texts,
        *(f"{name}: {text}" if name else text for name, text in notes),
    )
    return [f"{row.word}: {row.reason}", *(f"{_INDENT}{text}" for text in rest if text)]


def _limit_text(limit: LimitRow) -> str:
    spread = f" ({limit.spread_text})" if limit.spread_text else ""
    return f"{limit.name} {limit.value_text}{spread}"
