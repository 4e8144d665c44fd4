"""The CPU cost of a host from runs and the activity of their hosts."""

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING

from netmodel.api._arguments import ArgumentsError, in_base_units, optional_number
from netmodel.api._kinds import File, Number, Whole
from netmodel.api._results import HostDataArguments, time_zone
from netmodel.consumption import Side
from netmodel.errors import ContradictionError

if TYPE_CHECKING:
    from netmodel.calibration._host_runs import HostCalibration
    from netmodel.calibration._observed import Conditions, Selection
    from netmodel.readers import HostCpu
    from netmodel.readers._host_runs import HostRun

_BOTH = "both"
"""Hosts of one kind at both ends: one set of service times."""


@in_base_units
def calibrate_host(
    results: "File | Iterable[File]",
    *,
    side: str | Side = _BOTH,
    client_cpu: "HostCpu | File | None" = None,
    server_cpu: "HostCpu | File | None" = None,
    client_idle: "HostCpu | File | None" = None,
    server_idle: "HostCpu | File | None" = None,
    host_zone: tzinfo | str | None = None,
    client_cpu_numbers: Iterable[int] = (),
    server_cpu_numbers: Iterable[int] = (),
    mtu_bytes: Whole | None = None,
    given: "Conditions | None" = None,
    given_of: "Mapping[str, Conditions] | None" = None,
    parts: Sequence[str] = (),
    noise_ratio: Number | None = None,
) -> "HostCalibration":
    """
    CPU time of a host per message, frame and byte, from runs and the activity of their hosts.

    Parameters
    ----------
    results : str, path or iterable of them
        Files of results, and directories. A directory that also holds CPU data (mpstat, sar,
        sadf, copies of ``/proc/stat``) is one run; ``client`` or ``server`` in the name of
        such a file says whose they are, ``idle`` that the host was idle. ``lscpu`` or
        ``/proc/cpuinfo`` there, or above, shows processor and clock rate.
    side : {"client", "server", "both"}
        Whose cost; both where client and server are hosts of one kind.
    client_cpu, server_cpu, client_idle, server_idle : str, path or HostCpu, optional
        CPU data of each host over all runs, paired by their times. Without any, the CPU time
        that the tool reports counts.
    host_zone : str or datetime.tzinfo, optional
        Time zone of CPU data that report none.
    client_cpu_numbers, server_cpu_numbers : iterable of int
        CPUs of each side, where both ran on one kernel.
    mtu_bytes : int or str, optional
        IP MTU of runs that do not report it. [byte]
    given : mapping, optional
        Conditions of all runs that results do not report.
    given_of : mapping of str to mapping, optional
        Conditions of the runs whose place has this text in it.
    parts : sequence of str
        Service times to estimate; as `netmodel.calibration.host_cost_model` has them.
    noise_ratio : float or str, optional
        Standard deviation from run to run as a ratio.

    Returns
    -------
    result : HostCalibration
        Its `calibration` has the parameters with intervals, `document` gives the record.

    Raises
    ------
    CalibrationError
        If the runs cannot separate the parts; the message names runs that would.
    ContradictionError
        If CPU data are of another interval, count different things, or are of other clocks.
    DomainError
        If sizes or MTU of a run are not known.
    ParseError
        If a file cannot be read.

    Examples
    --------
    Runs on an emulated line, one CPU for each end:

    >>> from netmodel.records import data_path
    >>> runs = data_path("examples", "emulated-host", "calibration")
    >>> result = calibrate_host(runs, client_cpu_numbers=[0], server_cpu_numbers=[1])
    >>> len(result.calibration.parameters)
    6
    """
    from netmodel.calibration._host_runs import calibrated_host

    sides = sides_of(side)
    hosts = HostDataArguments(
        client_cpu=client_cpu,
        server_cpu=server_cpu,
        client_idle=client_idle,
        server_idle=server_idle,
        host_zone=host_zone,
    )
    numbers = {Side.CLIENT: client_cpu_numbers, Side.SERVER: server_cpu_numbers}
    runs, notes = host_runs(results, sides, hosts, numbers)
    result = calibrated_host(
        runs,
        sides,
        parts=parts,
        given=conditions_with_mtu(given, mtu_bytes),
        given_of=given_of,
        noise_ratio=optional_number("noise_ratio", noise_ratio),
    )
    return result.with_notes(notes)


def sides_of(side: str | Side) -> tuple[Side, ...]:
    """The sides that count."""
    known = {each.value: (each,) for each in Side} | {_BOTH: tuple(Side)}
    name = side.value if isinstance(side, Side) else side
    if name not in known:
        raise ArgumentsError("{side}: must be client, server or both; got {got}", got=repr(name))
    return known[name]


def conditions_with_mtu(given: "Conditions | None", mtu_bytes: Whole | None) -> "Conditions":
    """Conditions of all runs, with the MTU."""
    from netmodel.api._arguments import optional_whole

    mtu = optional_whole("mtu_bytes", mtu_bytes)
    return {**({} if mtu is None else {"mtu_bytes": mtu}), **(given or {})}


def host_runs(
    results: "File | Iterable[File]",
    sides: Sequence[Side],
    hosts: HostDataArguments,
    numbers: Mapping[Side, Iterable[int]],
) -> "tuple[tuple[HostRun, ...], tuple[str, ...]]":
    """Runs with the CPU time of their hosts, and notes on what was passed over."""
    from netmodel.readers import read_host_state
    from netmodel.readers._host_runs import find_host_runs

    places = [results] if isinstance(results, str | os.PathLike) else [*results]
    zone = None if hosts.host_zone is None else time_zone(hosts.host_zone)
    known = hosts.host_cpu()
    runs, notes = find_host_runs(
        [os.fspath(each) for each in places],
        wanted=sides,
        cpu_numbers={side: frozenset(each) for side, each in numbers.items() if each},
        activity={side: known[side.value] for side in Side if side.value in known},
        idle={side: known[f"{side.value}_idle"] for side in Side if f"{side.value}_idle" in known},
        read_activity=lambda path: read_host_state(path, zone=zone).cpu,
    )
    if not runs:
        raise ContradictionError(
            f"no run with a result of a known tool in {', '.join(map(str, places))}"
        )
    return runs, notes


def held_out_runs(
    results: "Iterable[File]",
    sides: Sequence[Side],
    hosts: HostDataArguments,
    numbers: Mapping[Side, Iterable[int]],
    given: "Conditions",
    given_of: "Mapping[str, Conditions]",
) -> "Selection":
    """Costs of runs that a calibration has not seen."""
    from netmodel.calibration._host_runs import observed_of_hosts

    runs, _ = host_runs(results, sides, hosts, numbers)
    return observed_of_hosts(runs, sides, given, given_of)
