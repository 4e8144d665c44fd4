"""Results of measurements: files, directories, goodputs that were typed, and CPU data of hosts."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, timedelta, timezone, tzinfo
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from netmodel._reading import status_of
from netmodel._text import meant_text
from netmodel.api._arguments import ArgumentsError, WrongValueError, is_number, rate_text
from netmodel.api._kinds import File
from netmodel.errors import DomainError, ParseError, UnitError
from netmodel.readers import FoundResults, Measurement, find_results
from netmodel.readers._find_results import Progress, ResultStream, UnreadableResult
from netmodel.units import parse_rate_bps

if TYPE_CHECKING:
    from netmodel.readers import CpuUse, HostCpu

_NUMBER_WITH_UNIT = re.compile(r"[0-9](?:[0-9.,]*[0-9])?\s*[A-Za-z]*(?:/[A-Za-z]+)?")
"""Such as ``9.2Gbit/s``; a file name such as 1.json has a dot before its letters."""
_OFFSET = re.compile(r"(?:UTC|GMT)?(?P<sign>[+-])(?P<hours>0\d|1[0-4]):?(?P<minutes>[0-5]\d)")
"""Offset from UTC; no zone is further from it than 14 hours."""


# Runs


@dataclass(frozen=True, slots=True)
class TypedRate:
    """A goodput in place of a file."""

    name: str

    def read(self) -> bytes:
        """The text that a reader of rates takes."""
        return self.name.encode()


def is_typed_rate(name: str) -> bool:
    """
    Whether a name is a goodput and no file.

    Raises
    ------
    UnitError
        If it is a number without a unit of a rate, and no file has that name.
    """
    if not _NUMBER_WITH_UNIT.fullmatch(name) or status_of(name) is not None:
        return False
    try:
        parse_rate_bps(name)
    except UnitError as error:
        raise UnitError(f"no file has the name {name!r}, and as a goodput {error}") from error
    return True


Result: TypeAlias = File | ResultStream | Measurement


def listed_results(results: object) -> tuple[Any, ...]:
    """Results one by one, with goodputs that are numbers as typed ones."""
    single = isinstance(results, str | os.PathLike) or not isinstance(results, Iterable)
    return tuple(
        TypedRate(rate_text("results", each)) if is_number(each) else each
        for each in ((results,) if single else cast("Iterable[object]", results))
    )


def found_results(
    results: Result | Iterable[Result],
    format_name: str | None = None,
    progress: Progress | None = None,
    outputs: Sequence[str] = (),
) -> FoundResults:
    """All runs in files, directories and typed goodputs, in the order in which they are given."""
    single = isinstance(results, str | os.PathLike | Measurement)
    each_result = cast("Iterable[Result]", (results,) if single else results)
    result = FoundResults(())
    for is_run, group in groupby(each_result, lambda each: isinstance(each, Measurement)):
        if is_run:
            more = FoundResults(tuple(cast("Iterable[Measurement]", group)))
        else:
            places = list(map(_place, cast("Iterable[File | ResultStream]", group)))
            more = find_results(places, format_name, progress, outputs)
        result = FoundResults(result.rows + more.rows, result.passed_over + more.passed_over)
    return result


def _place(given: File | ResultStream) -> File | ResultStream:
    if isinstance(given, str | os.PathLike):
        name = os.fspath(given)
        return TypedRate(name) if is_typed_rate(name) else name
    if not (hasattr(given, "read") and hasattr(given, "name")):
        raise DomainError(
            "results must be files, directories, goodputs such as '9.2 Gbit/s' or "
            f"Measurement objects; got {type(given).__name__}"
        )
    return given


# CPU data of hosts


def time_zone(given: str | tzinfo) -> tzinfo:
    """A zone by its name in the tz database, or by its offset."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    if isinstance(given, tzinfo):
        return given
    if given.upper() in {"UTC", "GMT", "Z"}:
        return UTC
    offset = _OFFSET.fullmatch(given)
    if offset is not None:
        size = timedelta(hours=int(offset["hours"]), minutes=int(offset["minutes"]))
        return timezone(size if offset["sign"] == "+" else -size)
    try:
        return ZoneInfo(given)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise WrongValueError(
            "{host_zone}: {given!r} is not a time zone like Europe/Berlin, +02:00, UTC{meant}",
            given=given,
            meant=meant_text(given, available_timezones()),
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostDataArguments:
    """Files with CPU data of the hosts during the runs, and while idle, as in `netmodel.check`."""

    client_cpu: "HostCpu | File | None" = None
    server_cpu: "HostCpu | File | None" = None
    client_idle: "HostCpu | File | None" = None
    server_idle: "HostCpu | File | None" = None
    host_zone: tzinfo | str | None = None

    def host_cpu(self) -> "dict[str, HostCpu]":
        """CPU data of each that is given, by the names that `pair_with_hosts` has for them."""
        names = [each.name for each in fields(self) if each.name != "host_zone"]
        specified = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        zone = None if self.host_zone is None else time_zone(self.host_zone)
        if not specified:
            return {}
        from netmodel.readers import HostCpu, read_host_state

        read: dict[str, HostCpu] = {}
        for name, given in specified.items():
            cpu = given if isinstance(given, HostCpu) else None
            if cpu is None:
                path = os.fspath(given)
                state = read_host_state(path, zone=zone)
                cpu = state.cpu
                if cpu is None:
                    why = "; ".join(state.notes) or "it holds no CPU time"
                    wanted = "give mpstat, sar, sadf or two copies of /proc/stat in one file"
                    raise ParseError(path, f"of {state.format_name}: {why}; {wanted}")
            read[name.removesuffix("_cpu")] = cpu
        return read

    def refuse_measured(self) -> None:
        """Refuse CPU data for measured runs, whose folders have them."""
        given = [each.name for each in fields(self) if getattr(self, each.name) is not None]
        if given:
            raise ArgumentsError(f"{{{given[0]}}}: folders of measured runs have CPU data")

    def refuse_repeats(self, repeats: bool) -> None:
        """Refuse to judge runs together as repeats where they ran at the same time."""
        given = any(getattr(self, each.name) is not None for each in fields(self))
        if repeats and given:
            raise ArgumentsError(
                "{repeats}: runs at the same time between two hosts are not repeats"
            )


HOST_DATA = tuple(each.name for each in fields(HostDataArguments))
"""What `check` and `calibrate host` take of CPU data of hosts."""


def with_host_cpu(results: FoundResults, cpu: "dict[str, HostCpu]") -> FoundResults:
    """
    The results with CPU time of the hosts in each run.

    Raises
    ------
    ContradictionError
        If the CPU data cannot be of these runs.
    """
    runs = [row for row in results.rows if isinstance(row, Measurement)]
    if not runs or not cpu:
        return results
    failed = next((run.source for run in runs if run.error is not None), None)
    if failed is not None:
        cpu_times: tuple[CpuUse, ...] = ()
        notes = [f"CPU time of the hosts is left out: {failed} failed"]
    else:
        from netmodel.readers import pair_with_hosts

        paired = pair_with_hosts(runs, **cpu)
        cpu_times, notes = paired.cpu, list(paired.notes)
        if len(paired.runs) > 1:
            notes.insert(0, f"CPU time of the hosts is of all {len(paired.runs)} runs together")

    def with_cpu(row: Measurement | UnreadableResult) -> Measurement | UnreadableResult:
        if not isinstance(row, Measurement):
            return row
        return replace(row, cpu=(*row.cpu, *cpu_times), notes=(*row.notes, *notes))

    return replace(results, rows=tuple(map(with_cpu, results.rows)))
