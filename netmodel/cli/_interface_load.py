"""``netmodel interface-load``."""

from collections.abc import Iterator
from typing import Any, Literal

import click

from netmodel.cli._options import (
    SIZE,
    TIME,
    json_option,
    line_rate_option,
    print_json,
)
from netmodel.errors import ParseError
from netmodel.judging import StatedLine, Verdict, check
from netmodel.readers import Counters, read_host_state
from netmodel.readers import interface_load as load_of
from netmodel.readers._ethtool import Offloads
from netmodel.readers._interface_load import InterfaceLoad
from netmodel.report import text_table, verdict_row
from netmodel.units import format_rate

__all__ = ["interface_load"]

_DIGITS = 5
_PERCENT = 100


@click.command()
@click.argument("before")
@click.argument("after")
@click.option(
    "--duration",
    "duration_s",
    type=TIME,
    required=True,
    help="Time between the two snapshots, such as 10s.",
)
@click.option("--interface", required=True, help="Name of the interface, such as eth0.")
@click.option(
    "--direction",
    type=click.Choice(["in", "out"]),
    required=True,
    help="Into the host or out of it.",
)
@line_rate_option(required=False)
@click.option("--mtu", "mtu_bytes", type=SIZE, help="MTU of the interface.")
@click.option(
    "--offloads", "offloads_file", metavar="FILE", help="Output of ethtool -k for the interface."
)
@json_option
def interface_load(
    before: str,
    after: str,
    duration_s: float,
    interface: str,
    direction: Literal["in", "out"],
    line_rate_bps: float | None,
    mtu_bytes: int | None,
    offloads_file: str | None,
    as_json: bool,
) -> None:
    """Print the throughput of an interface from two snapshots of its counters.

    BEFORE and AFTER are files of ip -j -s link, of /proc/net/dev, or of ethtool -S where the driver
    counts rx_bytes and rx_packets, tx_bytes and tx_packets.

    Whether packets were counted as frames follows from --mtu and --offloads: packets larger than
    the MTU are aggregates of several frames, and the rates then lower bounds. With --line-rate the
    utilisation of the line is reported too, and how its frames stand to what the line carries.
    """
    load = load_of(
        _counters(before, interface),
        _counters(after, interface),
        duration_s,
        interface,
        direction,
        line_rate_bps=line_rate_bps,
        mtu_bytes=mtu_bytes,
        offloads=None if offloads_file is None else _offloads(offloads_file),
    )
    verdict = None
    if line_rate_bps is not None:
        verdict = check(load.measurement, StatedLine(line_rate_bps))
    if as_json:
        print_json(_dict(load, duration_s, verdict))
        return
    click.echo(text_table(list(_rows(load)), right_aligned=[1]))
    if verdict is not None:
        click.echo("\n".join(_verdict_lines(verdict)))
    for warning in verdict.warnings if verdict else load.notes:
        click.echo(f"note: {warning}")


def _counters(path: str, interface: str) -> Counters:
    """Counters in a file, of whatever printed it, with those of the interface."""
    state = read_host_state(path, interface=interface)
    if state.counters is None:
        why = "; ".join(state.notes) or "it has no counters of interfaces"
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


def _verdict_lines(verdict: Verdict) -> Iterator[str]:
    row = verdict_row(verdict)
    yield f"{row.word}: {row.reason}"
    if row.tolerance_text:
        yield row.tolerance_text


def _dict(load: InterfaceLoad, duration_s: float, verdict: Verdict | None) -> dict[str, Any]:
    return {
        "interface": load.interface,
        "direction": load.direction,
        "duration_s": duration_s,
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
        "notes": list(verdict.warnings if verdict else load.notes),
    }


def _rows(load: InterfaceLoad) -> Iterator[tuple[str, str]]:
    """What is known, line by line."""
    least = "at least " if load.is_lower_bound else ""
    frame_rate_fps, used = load.measurement.frame_rate_fps, load.utilisation_ratio
    yield f"{load.interface} {load.direction}, counted", format_rate(load.device_rate_bps, _DIGITS)
    yield "on the wire", least + format_rate(load.wire_rate_bps, _DIGITS)
    if used is not None:
        yield "of the line", f"{least}{_PERCENT * used:.2f} %"
    if frame_rate_fps is not None:
        yield "frames", f"{least}{frame_rate_fps:,.0f} /s"
    for name, count in (("dropped", load.drop_count), ("with errors", load.error_count)):
        yield name, "not reported" if count is None else str(count)
