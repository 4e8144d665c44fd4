"""Counter snapshots of an interface before and after, as inputs of ``netmodel check``."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

import click

from netmodel._text import RESULT_DIGITS
from netmodel.cli._ids import Choice, ValueText
from netmodel.cli._options import TIME, Option
from netmodel.errors import ParseError
from netmodel.report import text_table
from netmodel.units import format_rate

if TYPE_CHECKING:
    from netmodel.checking import SpecifiedLine
    from netmodel.readers import Counters
    from netmodel.readers._interface_load import InterfaceLoad

_NUMBERS = (
    *("interface", "direction", "packet_count", "device_bytes", "device_rate_bps"),
    *("wire_rate_bps", "utilisation_ratio", "is_lower_bound", "drop_count", "error_count"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshots:
    """Interface, direction and time of two counter snapshots; None where results are runs."""

    interface: str | None
    direction: Literal["in", "out"] | None
    duration_s: float | None

    @property
    def is_given(self) -> bool:
        """Whether the results are counter snapshots."""
        return (self.interface, self.direction, self.duration_s) != (None, None, None)

    def load(self, names: Sequence[str], line: "SpecifiedLine") -> "InterfaceLoad | None":
        """Load between two files of counters; None where the results are runs."""
        if not self.is_given:
            return None
        if self.interface is None or self.direction is None or self.duration_s is None:
            raise click.UsageError(
                "two counter snapshots need --interface, --direction and --duration"
            )
        if len(names) != 2:
            raise click.UsageError("give two counter snapshots: that of before, and that of after")
        from netmodel.readers import interface_load

        before, after = (_counters(name, self.interface) for name in names)
        return interface_load(
            before,
            after,
            self.duration_s,
            self.interface,
            self.direction,
            line_rate_bps=line.line_rate_bps,
            mtu_bytes=line.mtu_bytes,
        )


SNAPSHOTS = tuple(each.name for each in fields(Snapshots))
snapshot_options = (
    Option(
        ["--interface"], type=ValueText("interface"), help="Name of the interface, such as eth0."
    ),
    Option(
        ["--direction"],
        type=Choice(["in", "out"]),
        help="Direction of the counted traffic: into the host or out of it.",
    ),
    Option(
        ["--duration", "duration_s"],
        type=TIME,
        help="Time between the two counter snapshots, such as 10s.",
    ),
)


def load_numbers(load: "InterfaceLoad") -> dict[str, object]:
    """Counted and computed numbers of an interface, for JSON."""
    return {name: getattr(load, name) for name in _NUMBERS}


def load_lines(load: "InterfaceLoad") -> list[str]:
    """Counted and computed numbers of an interface, line by line."""
    least = "at least " if load.is_lower_bound else ""
    rows = [
        (
            f"{load.interface} {load.direction}, counted",
            format_rate(load.device_rate_bps, RESULT_DIGITS),
        ),
        ("on the wire", least + format_rate(load.wire_rate_bps, RESULT_DIGITS)),
        ("of the line", f"{least}{100 * (load.utilisation_ratio or 0):.2f} %"),
        ("frames", f"{least}{load.measurement.frame_rate_fps or 0:,.0f} /s"),
        ("dropped", _count_text(load.drop_count)),
        ("with errors", _count_text(load.error_count)),
    ]
    return text_table(rows, right_aligned=[1]).splitlines()


def _count_text(count: int | None) -> str:
    return "not reported" if count is None else str(count)


def _counters(path: str, interface: str) -> "Counters":
    """Counters in a file, of any tool, with those of the interface."""
    from netmodel.readers import read_host_state

    state = read_host_state(path, interface=interface)
    if state.counters is None:
        why = "; ".join(state.notes) or "it has no interface counters"
        raise ParseError(path, f"of {state.format_name}: {why}")
    if interface not in state.counters.counts:
        known = ", ".join(state.counters.counts)
        raise click.UsageError(f"--interface {interface}: {path} has only {known}")
    return state.counters
