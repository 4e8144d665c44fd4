"""CPU time of the hosts at both ends, beside the runs that ``netmodel check`` judges."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, TypeAlias

import click

from netmodel.cli._options import gathered_options
from netmodel.errors import ContradictionError, ParseError
from netmodel.readers import FoundResults, Measurement
from netmodel.readers._find_results import UnreadableResult

if TYPE_CHECKING:
    from netmodel.readers import HostCpu
    from netmodel.readers._pairing import PairedRuns

__all__ = ["HostFiles", "HostTimes", "host_options", "with_hosts"]

_Row: TypeAlias = Measurement | UnreadableResult


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTimes:
    """CPU time of the hosts at both ends, and while they did nothing else."""

    client: "HostCpu | None" = None
    server: "HostCpu | None" = None
    client_idle: "HostCpu | None" = None
    server_idle: "HostCpu | None" = None

    def paired(self, runs: Sequence[Measurement]) -> "PairedRuns":
        """The runs with this CPU time."""
        from netmodel.readers import pair_with_hosts

        return pair_with_hosts(
            runs,
            client=self.client,
            server=self.server,
            client_idle=self.client_idle,
            server_idle=self.server_idle,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFiles:
    """Files that the options name, and the zone of the times in them."""

    client: str | None
    server: str | None
    client_idle: str | None
    server_idle: str | None
    zone: tzinfo | None

    def read(self) -> HostTimes | None:
        """What the files tell; None where none is named."""
        paths = {
            "client": self.client,
            "server": self.server,
            "client_idle": self.client_idle,
            "server_idle": self.server_idle,
        }
        if not any(paths.values()):
            return None
        read = {name: _cpu_of(path, self.zone) for name, path in paths.items() if path}
        return HostTimes(**read)


def _cpu_of(path: str, zone: tzinfo | None) -> "HostCpu":
    from netmodel.readers import read_host_state

    state = read_host_state(path, zone=zone)
    if state.cpu is None:
        why = "; ".join(state.notes) or "it holds no CPU time"
        wanted = "give mpstat, sar, sadf or two copies of /proc/stat in one file"
        raise ParseError(path, f"of {state.format_name}: {why}; {wanted}")
    return state.cpu


class _Zone(click.ParamType[tzinfo]):
    name = "zone"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tzinfo:
        """A zone from its name in the tz database, or from its offset."""
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        if value.upper() in {"UTC", "GMT", "Z"}:
            return UTC
        offset = _OFFSET.fullmatch(value)
        if offset is not None:
            minutes = int(f"{offset[1]}1") * (60 * int(offset[2]) + int(offset[3]))
            return timezone(timedelta(minutes=minutes))
        try:
            return ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            self.fail(f"{value!r} is no zone such as Europe/Berlin, +02:00 or UTC", param, ctx)


_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(0\d|1[0-4]):?([0-5]\d)")
"""From UTC; no zone is further from it than 14 hours."""


def with_hosts(
    found: FoundResults, hosts: HostTimes | None, contradictions: list[str]
) -> FoundResults:
    """The results, and in each run the CPU time of its hosts; why it cannot be theirs is noted."""
    runs = [row for row in found.rows if isinstance(row, Measurement)]
    if hosts is None or not runs:
        return found
    failed = next((run.source for run in runs if run.error is not None), None)
    if failed is not None:
        note = f"CPU time of the hosts is left out: {failed} failed"
        return replace(found, rows=tuple(_with_notes(row, note) for row in found.rows))
    try:
        paired = hosts.paired(runs)
    except ContradictionError as error:
        contradictions.append(str(error))
        return found
    return replace(found, rows=tuple(_with_cpu(row, paired) for row in found.rows))


def _with_notes(row: _Row, *notes: str) -> _Row:
    if not isinstance(row, Measurement):
        return row
    return replace(row, notes=(*row.notes, *notes))


def _with_cpu(row: _Row, paired: "PairedRuns") -> _Row:
    if not isinstance(row, Measurement):
        return row
    count = len(paired.runs)
    shared = [f"CPU time of the hosts is that of all {count} runs together"] if count > 1 else []
    with_cpu = replace(row, cpu=(*row.cpu, *paired.cpu))
    return _with_notes(with_cpu, *shared, *paired.notes)


_DURING = "CPU data of the {0}'s host during the run: mpstat, sar, sadf, copies of /proc/stat."
_IDLE = "The same of the {0} while it did nothing else, to be taken off."

host_options = gathered_options(
    "hosts",
    HostFiles,
    click.option("--client-cpu", "client", metavar="FILE", help=_DURING.format("client")),
    click.option("--server-cpu", "server", metavar="FILE", help=_DURING.format("server")),
    click.option("--client-idle", metavar="FILE", help=_IDLE.format("client")),
    click.option("--server-idle", metavar="FILE", help=_IDLE.format("server")),
    click.option(
        "--host-zone",
        "zone",
        type=_Zone(),
        help="Zone of the times in these files, if they have none: Europe/Berlin, +02:00 or "
        "UTC. [left out: that in which they overlap the runs]",
    ),
)
"""Gives a command all of them as one argument, ``hosts``."""
