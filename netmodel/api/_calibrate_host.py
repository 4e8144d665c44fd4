"""The CPU cost of a host from runs and the activity of their hosts."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

from netmodel.api import kinds
from netmodel.api.arguments import in_base_units, refusing
from netmodel.api.named_values import given_conditions
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError

if TYPE_CHECKING:
    from netmodel.calibration.host_runs import HostCalibration

CpuNumbers: TypeAlias = Annotated[str | Iterable[int], kinds.Kind("list")]


@in_base_units
def calibrate_host(
    results: "kinds.File | Iterable[kinds.File]",
    *,
    side: kinds.ASide | None = None,
    client_cpu: kinds.HostData | None = None,
    server_cpu: kinds.HostData | None = None,
    client_idle: kinds.HostData | None = None,
    server_idle: kinds.HostData | None = None,
    host_zone: kinds.Zone | None = None,
    client_cpu_numbers: CpuNumbers = (),
    server_cpu_numbers: CpuNumbers = (),
    mtu_bytes: kinds.Size | None = None,
    given: kinds.NamedValues = None,
    free: kinds.Columns = (),
    noise_ratio: kinds.Noise | None = None,
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
    side : {"client", "server"}, optional
        Side that is calibrated; both by default, as hosts of one kind.
    client_cpu, server_cpu : str, path or HostCpu, optional
        CPU data of each host during the runs: mpstat, sar, sadf, or copies of ``/proc/stat``;
        paired by their times. Without any, the CPU time that the tool reports counts.
    client_idle, server_idle : str, path or HostCpu, optional
        CPU data of each host while idle, to be subtracted.
    host_zone : str or datetime.tzinfo, optional
        Time zone of CPU data that report none, such as Europe/Berlin or +02:00.
    client_cpu_numbers, server_cpu_numbers : str or iterable of int
        CPUs of this side, such as ``"0,2-5"``, where both ends ran on one kernel.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; where the input does not have it.
        [byte]
    given : mapping or str, optional
        Conditions missing from the input, such as response_bytes=20000000; those of one run stand
        in a file ``conditions.toml`` beside it.
    free : str or sequence of str
        Service time to estimate, such as sent.per_frame_s; repeat it for several, per_message_s,
        and per_frame_s and per_byte_s of sent and received by default.
    noise_ratio : float or str, optional
        Measurement noise: standard deviation from run to run as a ratio, such as 0.02; from
        repeats or the scatter about the model by default.

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
    from netmodel.api.results import host_cpu, time_zone
    from netmodel.calibration.host_runs import calibrated_host
    from netmodel.readers.host_runs import find_host_runs

    sides = tuple(Side) if side is None else (Side(side),)
    places = [results] if isinstance(results, str | os.PathLike) else [*results]
    numbers = {
        Side.CLIENT: _cpu_numbers("client_cpu_numbers", client_cpu_numbers),
        Side.SERVER: _cpu_numbers("server_cpu_numbers", server_cpu_numbers),
    }
    zone = time_zone(host_zone)
    of_idle = {"client_idle": client_idle, "server_idle": server_idle}
    cpu = host_cpu(zone, client=client_cpu, server=server_cpu, **of_idle)
    runs, notes = find_host_runs(
        [os.fspath(each) for each in places],
        wanted=sides,
        cpu_numbers={each: cpus for each, cpus in numbers.items() if cpus},
        hosts=cpu,
        zone=zone,
    )
    if not runs:
        listed = ", ".join(map(str, places))
        raise ContradictionError(f"no run with a result of a known tool in {listed}")
    result = calibrated_host(
        runs,
        sides,
        parts=[free] if isinstance(free, str) else free,
        given=given_conditions(given, mtu_bytes),
        noise_ratio=cast("float", noise_ratio),
    )
    return result.with_notes(notes)


def _cpu_numbers(name: str, given: CpuNumbers) -> frozenset[int]:
    from netmodel.tuning import parse_cpu_list

    with refusing(name, DomainError):
        return frozenset(parse_cpu_list(given) if isinstance(given, str) else given)
