"""Whether measured results are plausible and reach what line, path and hosts allow."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, TypeAlias

from netmodel.api import kinds
from netmodel.api.arguments import ArgumentsError, in_base_units, listed_values, refuse
from netmodel.api.lines import (
    ANY_RATE_BPS,
    LINE_ARGUMENTS,
    gate_of,
    measured_folders,
    rejudged,
    require_possible,
)
from netmodel.api.results import found_results, host_cpu, with_host_cpu

if TYPE_CHECKING:
    from netmodel.checking import Verdicts
    from netmodel.readers import FoundResults, Measurement


_Result: TypeAlias = "kinds.Number | kinds.File | Measurement"


@in_base_units
def check(
    results: "_Result | FoundResults | Iterable[_Result]",
    *,
    line_rate_bps: kinds.Rate | None = None,
    sender: kinds.AnAdapter | None = None,
    receiver: kinds.AnAdapter | None = None,
    path: kinds.APath | None = None,
    client_host: kinds.AHost | None = None,
    server_host: kinds.AHost | None = None,
    mtu_bytes: kinds.Size | None = None,
    link_mtu_bytes: kinds.Size | None = None,
    stack: kinds.Headers | None = None,
    ip: Literal[4, 6] | None = None,
    transport: Literal["tcp", "udp"] | None = None,
    timestamps: bool | None = None,
    vlan_tags: kinds.Count | None = None,
    payload_bytes: kinds.Size | None = None,
    rdma_mtu_bytes: kinds.Size | None = None,
    assume_transport: Literal["tcp", "udp"] | None = None,
    rate_cap_bps: kinds.Rate | None = None,
    rtt_s: kinds.Time | None = None,
    window_bytes: kinds.Window | None = None,
    client_cpus: kinds.Count | None = None,
    server_cpus: kinds.Count | None = None,
    client_cost: kinds.Cost | None = None,
    server_cost: kinds.Cost | None = None,
    tolerance: kinds.Ratio | None = None,
    min_ratio: kinds.Ratio | None = None,
    max_ratio: kinds.Ratio | None = None,
    accept: kinds.Names = (),
    format_name: kinds.FormatName | None = None,
    repeats: bool = False,
    client_cpu: kinds.HostData | None = None,
    server_cpu: kinds.HostData | None = None,
    client_idle: kinds.HostData | None = None,
    server_idle: kinds.HostData | None = None,
    host_zone: kinds.Zone | None = None,
    adapter: kinds.AnAdapter | None = None,
) -> "Verdicts":
    """
    Judge measured results against the limits that you specify.

    Parameters
    ----------
    results : str, path, float, Measurement, FoundResults or iterable of them
        Files, directories with all results in them and below, goodputs such as ``"9.2 Gbit/s"``
        or ``9.2e9`` in bit/s, or measurements that were read before. Folders of `measure` alone
        are judged by what their hosts show; arguments take its place.
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``25e9`` or ``"25 Gbit/s"``; that of the slower adapter, or of
        the path, by default. [bit/s]
    sender : Adapter, str or path, optional
        Adapter of the side that sends more payload, the client when equal.
    receiver : Adapter, str or path, optional
        Adapter of the other side. Both, or a path.
    path : PathRecord, str or path, optional
        What lies between: an id of the catalog, or your own in a ``.toml`` file.
    client_host, server_host : Host, str or path, optional
        Host of each side; its CPU limits count too.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; as segments of the run show by
        default. [byte]
    link_mtu_bytes : int or str, optional
        IP MTU of the outermost interface, in place of `mtu_bytes`. [byte]
    stack : Stack or str, optional
        All headers, outermost first, such as ``"ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"``; in
        place of their parts.
    ip : {4, 6}, optional
        IP version; as the run shows by default.
    transport : {"tcp", "udp"}, optional
        Transport protocol; as the run reports by default.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option; as the run shows by default.
    vlan_tags : int or str, optional
        802.1Q tags in each frame; 0 by default.
    payload_bytes : int or str, optional
        Payload of one message; of each write that is sent by itself, or of each datagram. [byte]
    rdma_mtu_bytes : int or str, optional
        Payload of a full RDMA packet, beside or in place of an MTU. [byte]
    assume_transport : {"tcp", "udp"}, optional
        Transport protocol of runs that do not report theirs.
    rate_cap_bps : float or str, optional
        Payload rate that a shaper, a policer or a contract allows. [bit/s]
    rtt_s : float or str, optional
        Round trip between the sites without queues; that of the run by default, for what windows
        and losses allow. [s]
    window_bytes : float or str, optional
        Payload that each connection may have in flight, such as ``"256 KiB"``; that of the run by
        default. [byte]
    client_cpus, server_cpus : int or str, optional
        CPUs of each host.
    client_cost, server_cost : str, optional
        CPU cost of each side, such as ``"0.16 cores/(Gbit/s)"`` or ``"35 µs/transaction"``; one
        figure per data, which limits with the number of its CPUs.
    tolerance : float or str, optional
        Tolerance below the limit; 0.01 by default, and timing, rounding and buffers of a run add
        to it.
    min_ratio : float or str, optional
        Goodput over limit from which on a run is at its ceiling; derived from the run by default.
    max_ratio : float or str, optional
        Goodput over limit above which a run is impossible; derived from the run by default.
    accept : str or iterable of str, optional
        Limits that a run may report about itself and pass all the same, such as
        ``"window,offered_rate"``.
    format_name : str, optional
        Tool that wrote the files; recognised from their text by default.
    repeats : bool
        Whether to judge runs of one configuration together.
    client_cpu, server_cpu : str, path or HostCpu, optional
        CPU data of each host during the runs: mpstat, sar, sadf, or copies of ``/proc/stat``.
    client_idle, server_idle : str, path or HostCpu, optional
        CPU data of each host while idle, to be subtracted.
    host_zone : str or datetime.tzinfo, optional
        Time zone of CPU data that report none, such as ``"Europe/Berlin"`` or ``"+02:00"``.
    adapter : Adapter, str or path, optional
        Adapter at both ends; in place of `sender` and `receiver`.

    Returns
    -------
    verdicts : Verdicts
        One for each run and direction. Its `outcome` is None where a file cannot be read.

    Raises
    ------
    ContradictionError
        If arguments exclude each other, or CPU data of hosts cannot be of these runs.
    DomainError
        If the line cannot exist, or an argument is of the wrong kind.
    ParseError
        If a file with CPU data cannot be read.
    UnknownRecordError
        If there is no such format or id in the catalog.

    Examples
    --------
    >>> import netmodel
    >>> verdict, = netmodel.check("9.4 Gbit/s", line_rate_bps="10 Gbit/s", mtu_bytes=1500,
    ...                           transport="tcp")
    >>> verdict.outcome.value, round(verdict.ratio, 4)
    ('at_ceiling', 0.9984)
    """
    from netmodel.checking import Verdicts, check_results, pooled

    asked = locals()
    given = {name: asked[name] for name in LINE_ARGUMENTS if asked[name] is not None}
    of_idle = {"client_idle": client_idle, "server_idle": server_idle}
    of_hosts = {"client_cpu": client_cpu, "server_cpu": server_cpu, **of_idle}
    gate = gate_of(tolerance, min_ratio, max_ratio, accept)
    folders = measured_folders(listed_values(results))
    if repeats and any(each is not None for each in of_hosts.values()):
        raise ArgumentsError("{repeats}: runs at the same time between two hosts are not repeats")
    if folders:
        refuse("{name}: folders of measured runs have CPU data", **of_hosts)
        require_possible({"line_rate_bps": ANY_RATE_BPS, **given}, gate)
        verdicts = Verdicts(
            each for place in folders for each in rejudged(place, given, gate, format_name)
        )
    else:
        line = require_possible(given, gate)
        cpu = host_cpu(host_zone, client=client_cpu, server=server_cpu, **of_idle)
        runs = with_host_cpu(found_results(results, format_name), cpu)
        verdicts = check_results(runs, line, gate)
    return Verdicts(pooled(verdicts, gate)) if repeats else verdicts
