"""``netmodel interface-load``."""

from collections.abc import Iterator
from typing import Literal

import click

from netmodel._dataclasses import dataclass
from netmodel._text import RESULT_DIGITS
from netmodel.cli._console import print_json
from netmodel.cli._files import INPUT_FILE
from netmodel.cli._ids import Choice, a_file
from netmodel.cli._options import (
    TIME,
    json_option,
    line_rate_option,
    mtu_option,
    option_group,
    verbose_option,
)
from netmodel.errors import ParseError
from netmodel.judging import SpecifiedLine, check
from netmodel.readers import Counters, read_host_state
from netmodel.readers import interface_load as load_of
from netmodel.readers._ethtool import Offloads
from netmodel.readers._interface_load import InterfaceLoad
from netmodel.report import text_table
from netmodel.report._text import NOTE_COUNT, note_rows
from netmodel.report._verdict_rows import verdict_row
from netmodel.units import format_rate


@dataclass(frozen=True, slots=True, kw_only=True)
class _Interface:
    """Which interface was counted, for how long, and what is known of it."""

    duration_s: float
    interface: str
    direction: Literal["in", "out"]
    line_rate_bps: float | None
    mtu_bytes: int | None
    offloads_file: str | None


@click.command()
@click.argument("before", type=a_file)
@click.argument("after", type=a_file)
@option_group(
    "counted",
    _Interface,
    click.option(
        "--duration",
        "duration_s",
        type=TIME,
        required=True,
        help="Time between the two snapshots, such as 10s.",
    ),
    click.option(
        "--interface", required=True, metavar="NAME", help="Name of the interface, such as eth0."
    ),
    click.option(
        "--direction",
        type=Choice(["in", "out"]),
        required=True,
        help="Into the host or out of it.",
    ),
    line_rate_option(),
    mtu_option(),
    click.option(
        "--offloads",
        "offloads_file",
        type=INPUT_FILE,
        help="Output of ethtool -k for the interface.",
    ),
)
@verbose_option
@json_option
def interface_load(
    before: str, after: str, counted: _Interface, verbose: bool, as_json: bool
) -> None:
    """Interface throughput from two counter snapshots.

    BEFORE and AFTER are files of ip -j -s link, of /proc/net/dev, or of ethtool -S where the driver
    counts rx_bytes and rx_packets, tx_bytes and tx_packets.

    --mtu and --offloads decide whether packets were counted as frames: packets larger than the MTU
    are aggregates of several frames, and the rates then lower bounds. With --line-rate the
    utilisation of the line is printed too, and a verdict on its frame rate.
    """
    offloads = counted.offloads_file
    load = load_of(
        _counters(before, counted.interface),
        _counters(after, counted.interface),
        counted.duration_s,
        counted.interface,
        counted.direction,
        line_rate_bps=counted.line_rate_bps,
        mtu_bytes=counted.mtu_bytes,
        offloads=None if offloads is None else _offloads(offloads),
    )
    verdict = None
    if counted.line_rate_bps is not None:
        verdict = check(load.measurement, SpecifiedLine(counted.line_rate_bps))
    notes = list((verdict or load).notes)
    if as_json:
        print_json(
            {
                "interface": load.interface,
                "direction": load.direction,
                "duration_s": counted.duration_s,
                "packet_count": load.packet_count,
                "device_bytes": load.device_bytes,
                "device_rate_bps": load.device_rate_bps,
                "frame_rate_fps": load.measurement.frame_rate_fps,
                "wire_rate_bps": load.wire_rate_bps,
                "utilisation_ratio": load.utilisation_ratio,
                "is_lower_bound": load.is_lower_bound,
                "drop_count": load.drop_count,
                "error_count": load.error_count,
                "verdict": verdict and verdict.outcome and verdict.outcome.value,
                "reason": verdict and verdict.reason,
                "notes": notes,
            }
        )
        return
    click.echo(text_table(list(_rows(load)), right_aligned=[1]))
    if verdict is not None:
        row = verdict_row(verdict)
        click.echo(f"{row.word}: {row.reason}")
        if row.tolerance_text:
            click.echo(row.tolerance_text)
    for name, text in note_rows(notes, None if verbose else NOTE_COUNT):
        click.echo(f"{name}: {text}" if name else text)


def _counters(path: str, interface: str) -> Counters:
    """Counters in a file, of any tool, with those of the interface."""
    state = read_host_state(path, interface=interface)
    if state.counters is None:
        why = "; ".join(state.notes) or "it has no interface counters"
        raise ParseError(path, f"of {state.format_name}: {why}")
    if interface not in state.counters.counts:
        known = ", ".join(state.counters.counts)
        raise click.UsageError(f"--interface {interface}: {path} has only {known}")
    return state.counters


def _offloads(path: str) -> Offloads:
    state = read_host_state(path)
    if state.offloads is None:
        raise ParseError(path, f"of {state.format_name}: write the file with ethtool -k")
    return state.offloads


def _rows(load: InterfaceLoad) -> Iterator[tuple[str, str]]:
    """What is known, line by line."""
    least = "at least " if load.is_lower_bound else ""
    frame_rate_fps, used = load.measurement.frame_rate_fps, load.utilisation_ratio
    yield (
        f"{load.interface} {load.direction}, counted",
        format_rate(load.device_rate_bps, RESULT_DIGITS),
    )
    yield "on the wire", least + format_rate(load.wire_rate_bps, RESULT_DIGITS)
    if used is not None:
        yield "of the line", f"{least}{100 * used:.2f} %"
    if frame_rate_fps is not None:
        yield "frames", f"{least}{frame_rate_fps:,.0f} /s"
    for name, count in (("dropped", load.drop_count), ("with errors", load.error_count)):
        yield name, "not reported" if count is None else str(count)
