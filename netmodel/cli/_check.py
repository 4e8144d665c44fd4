"""``netmodel check``."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from netmodel._predicted_text import rate_text
from netmodel._text import fixed_percent, printable
from netmodel.api import check as judge
from netmodel.api._check import (
    GATE_ARGUMENTS,
    LINE_ARGUMENTS,
    NoLimitError,
    gate_of,
    specified_line,
)
from netmodel.api._measure import measured_folders, rejudged
from netmodel.api._results import (
    HOST_DATA,
    host_cpu,
    is_typed_rate,
    require_host_data,
    snapshots_load,
    with_host_cpu,
)
from netmodel.checking import Outcome, Verdict
from netmodel.checking import check as judge_run
from netmodel.checking._causes import STANDARD_LINE_RATES_BPS, USUAL_MTUS_BYTES
from netmodel.checking._check import check_results, require_checkable
from netmodel.cli._console import (
    UNREADABLE_EXIT_CODE,
    print_blocks,
    print_json,
    with_progress,
    wrapped,
)
from netmodel.cli._derived import DerivedCommand, Given, Output
from netmodel.cli._files import (
    OUTPUT_FILE,
    require_no_input,
    results_in,
    write_output,
)
from netmodel.cli._ids import a_file
from netmodel.errors import ContradictionError, NetmodelError
from netmodel.readers import FoundResults, Measurement
from netmodel.report import text_table, verdict_lines, verdict_rows
from netmodel.report.text import NOTE_COUNT
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.measuring.measured import MeasuredRun
    from netmodel.readers._interface_load import InterfaceLoad

_COUNTED = (
    *("interface", "direction", "packet_count", "device_bytes", "device_rate_bps"),
    *("wire_rate_bps", "utilisation_ratio", "is_lower_bound", "drop_count", "error_count"),
)
"""What JSON has of two snapshots of counters."""
_LEAST_FILL_RATIO = 0.8
"""No usual headers at an MTU of 1500 take a fifth of a line."""


def _require_writable(junit: str | None) -> None:
    """Refuse a file that cannot be written, before the work is done and not after it."""
    if junit and not Path(junit).exists() and not Path(junit).resolve().parent.is_dir():
        raise click.UsageError(f"--junit {junit}: there is no such directory")
    _require_unread(junit)


def _require_unread(junit: str | None) -> None:
    """Refuse a file that is named as input, or was read by now."""
    if junit:
        require_no_input("--junit", junit)


def _write_junit(junit: str | None, verdicts: Sequence[Verdict], title: str) -> list[str]:
    """Write the file; why it could not be written, if so."""
    if junit is None:
        return []
    from netmodel.report import junit_xml

    try:
        write_output("--junit", junit, junit_xml(verdicts, title).encode())
    except click.UsageError as error:
        return [error.message]
    return []


def _print(given: Given, output: Output) -> None:
    """Judge results of iperf3 and other tools against limits.

    RESULT is a file of a tool, a directory with all results in it and below, a goodput such as
    9.2Gbit/s, or - for standard input. Give --line-rate, or --adapter, or --sender with --receiver,
    or a --path with them; --rate-cap alone is enough.

    \b
    at_ceiling     within the tolerance of the smallest limit that you specify
    limited        below it, and the run's own window, loss, offered rate or busy
                   CPUs explain why; fails unless --accept names that limit
    below          below it, and nothing that the run reports explains why
    impossible     above it: something is not as specified
    not_judgeable  something unknown decides; the reason names the option to give

    Exit code 0: all pass; 1: a run does not; 2: wrong option; 3: unreadable.

    \b
    Example: netmodel check run.json --line-rate 25Gbit/s --mtu 1500
    """
    names: tuple[str, ...] = given["names"]
    junit, repeats = given.get("junit"), given.get("repeats", False)
    specified = {name: given[name] for name in LINE_ARGUMENTS if name in given}
    format_name = given.get("format_name")
    gate = gate_of(**{name: given[name] for name in GATE_ARGUMENTS if name in given})
    of_hosts = {name: given[name] for name in HOST_DATA if name in given}
    folders = measured_folders(names)
    require_host_data(of_hosts, repeats, bool(folders))
    faults: list[str] = []
    details: list[str] = []
    counted: dict[str, object] = {}
    if folders:
        _require_writable(junit)
        runs = rejudged(folders, specified, gate, format_name)
        _require_unread(junit)
        verdicts = tuple(each for run in runs for each in run.verdicts)
        title = f"Measured runs in {', '.join(names)}"
        details = [line for run in runs for line in _of_record(run, output.verbose)]
    else:
        try:
            line = specified_line(**specified)
        except NoLimitError:
            _print_what_was_read(results_in(names, format_name), specified, output)
            raise
        require_checkable(line, gate)
        _require_writable(junit)
        cpu = host_cpu(**of_hosts)
        if {"interface", "duration_s"} & given.keys():
            load = snapshots_load(names, given.get("interface"), given.get("duration_s"), line)
            results = FoundResults((load.measurement,))
            details = _load_lines(load)
            counted = {"counters": {name: getattr(load, name) for name in _COUNTED}}
        else:
            results = results_in(names, format_name, [] if junit is None else [junit])
        _require_unread(junit)
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
    if repeats:
        from netmodel.checking import pooled

        verdicts = pooled(verdicts, gate)
    if output.json:
        rows = [verdict.to_dict() | counted for verdict in verdicts]
        # a rate that was typed has no file
        typed = frozenset(filter(is_typed_rate, names))
        print_json([row | {"file": None} if row["file"] in typed else row for row in rows])
    else:
        print_blocks(
            [
                *_verdict_blocks(verdicts, output.verbose),
                wrapped("\n".join(dict.fromkeys(details))),
            ]
        )
    faults += _write_junit(junit, verdicts, title)
    if faults:
        raise click.UsageError("\n".join(faults))
    click.get_current_context().exit(exit_code(verdicts))


check = DerivedCommand(
    judge,
    _print,
    first=("line_rate_bps", "adapter", "mtu_bytes", "transport", "rate_cap_bps"),
    outputs=("verbose", "json"),
    without=("max_ratio",),
    more=(
        click.Argument(["names"], type=a_file, nargs=-1, required=True, metavar="RESULT..."),
        click.Option(
            ["--junit"], metavar="FILE", type=OUTPUT_FILE, help="Also write JUnit XML for CI."
        ),
    ),
)


def _load_lines(load: "InterfaceLoad") -> list[str]:
    """Counted and computed numbers of an interface, line by line."""
    least = "at least " if load.is_lower_bound else ""
    counts = {"dropped": load.drop_count, "with errors": load.error_count}
    rows = [
        (f"{load.interface} {load.direction}, counted", rate_text(load.device_rate_bps)),
        ("on the wire", f"{least}{rate_text(load.wire_rate_bps)}"),
        ("of the line", f"{least}{fixed_percent(load.utilisation_ratio or 0, 2)}"),
        ("frames", f"{least}{load.measurement.frame_rate_fps or 0:,.0f} /s"),
        *((name, "not reported" if each is None else str(each)) for name, each in counts.items()),
    ]
    return text_table(rows, right_aligned=[1]).splitlines()


def _print_what_was_read(results: FoundResults, specified: Given, output: Output) -> None:
    """Print the runs, and the standard lines that each would fill, where no limit is given."""
    runs = [each for each in results.rows if isinstance(each, Measurement)]
    fits = [_standard_lines(each, specified) for each in runs]
    if output.json:
        keys = ("source", "tool", "tool_version", "goodput_bps", "duration_s", "protocol")
        print_json(
            [
                {**{key: getattr(run, key) for key in keys}, "fits": fit}
                for run, fit in zip(runs, fits, strict=True)
            ]
        )
        return
    lines = []
    for run, fit in zip(runs, fits, strict=True):
        rate = "no goodput" if run.goodput_bps is None else rate_text(run.goodput_bps)
        tool = " ".join(filter(None, (run.tool, run.tool_version)))
        what = f"fits {' and '.join(fit)}" if fit else "fits no standard line"
        lines.append(f"{printable(run.source)} ({tool}): {rate}; {what}")
    lines += [
        f"{printable(each.path)}: {each.problem}"
        for each in results.rows
        if not isinstance(each, Measurement)
    ]
    print_blocks([wrapped("\n".join(lines))])


def _standard_lines(run: Measurement, specified: Given) -> list[str]:
    """Names of Ethernet lines that the run would fill, at usual MTUs where none is given."""
    goodput_bps, found = run.goodput_bps or 0.0, []
    has_mtu = {"mtu_bytes", "link_mtu_bytes"} & specified.keys()
    for rate_bps in STANDARD_LINE_RATES_BPS:
        if not _LEAST_FILL_RATIO * rate_bps <= goodput_bps <= rate_bps:
            continue
        for mtu_bytes in [None] if has_mtu else USUAL_MTUS_BYTES:
            mtu = {} if mtu_bytes is None else {"mtu_bytes": mtu_bytes}
            line = specified_line(**{**specified, **mtu, "line_rate_bps": rate_bps})
            with suppress(NetmodelError):
                if judge_run(run, line).outcome is Outcome.AT_CEILING:
                    at_mtu = f" at MTU {mtu_bytes}" if mtu_bytes else ""
                    found.append(f"a line of {format_rate(rate_bps)}{at_mtu}")
    return found


def _verdict_blocks(verdicts: Sequence[Verdict], is_verbose: bool) -> Iterator[str]:
    """The verdict on one run in full; of several a line each, failures first, and the counts."""
    if len(verdicts) == 1 or is_verbose:
        for each in verdicts:
            yield wrapped("\n".join(verdict_lines(each, is_verbose)))
    elif verdicts:
        yield wrapped("\n".join(verdict_rows(verdicts)))
    if len(verdicts) > 1:
        counts = Counter(verdict.word for verdict in verdicts)
        parts = ", ".join(f"{count} {word}" for word, count in counts.most_common())
        passed = sum(verdict.passes for verdict in verdicts)
        more = "" if is_verbose else " Details: --verbose."
        yield f"{passed} of {len(verdicts)} runs pass: {parts}.{more}"


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
