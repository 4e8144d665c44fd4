"""Whether measured results are plausible and reach what line, path and hosts allow."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import tzinfo
from typing import TYPE_CHECKING

from netmodel.api._arguments import (
    ArgumentsError,
    File,
    HeaderArguments,
    MtuArguments,
    Number,
    PathArguments,
    Whole,
    WrongTextError,
    in_base_units,
    optional_number,
    optional_whole,
)
from netmodel.api._results import HostDataArguments, found_results, listed_results, with_host_cpu
from netmodel.errors import UnitError
from netmodel.framing import Stack

if TYPE_CHECKING:
    from netmodel.checking import Gate, SpecifiedLine, Verdict
    from netmodel.readers import HostCpu, Measurement
    from netmodel.records import Adapter, Host, PathRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class LineArguments:
    """What is specified of line, path and hosts, as in `check`; None leaves it to the run."""

    path: PathArguments
    mtu: MtuArguments
    headers: HeaderArguments
    payload_bytes: Whole | None = None
    rdma_mtu_bytes: Whole | None = None
    assume_transport: str | None = None
    rate_cap_bps: Number | None = None
    rtt_s: Number | None = None
    window_bytes: Number | None = None
    client_cpus: Whole | None = None
    server_cpus: Whole | None = None
    client_cost: str | None = None
    server_cost: str | None = None
    adapter: "Adapter | File | None" = None

    def line(self) -> "SpecifiedLine":
        """The specified line; its rate must be given, or that of the path, or a rate cap."""
        from netmodel.checking import SpecifiedHost, SpecifiedLine
        from netmodel.checking._limits import MissingLineRateError

        stack, headers = self.headers.specified(), self.headers
        client, server = (
            SpecifiedHost(
                optional_whole(f"{side}_cpus", cpus),
                _per_data(f"{side}_cost", cost),
            )
            for side, cpus, cost in (
                ("client", self.client_cpus, self.client_cost),
                ("server", self.server_cpus, self.server_cost),
            )
        )
        try:
            return SpecifiedLine.over(
                self.path.with_both(self.adapter).specified(),
                optional_number("line_rate_bps", self.path.line_rate_bps),
                stack=stack,
                mtu_bytes=self.mtu.inner_bytes(stack),
                vlan_tags=headers.vlan_tags,
                ip_version=headers.ip,
                transport=headers.transport,
                timestamps=headers.timestamps,
                message_bytes=optional_whole("payload_bytes", self.payload_bytes),
                rdma_mtu_bytes=optional_whole("rdma_mtu_bytes", self.rdma_mtu_bytes),
                round_trip_s=optional_number("rtt_s", self.rtt_s),
                window_bytes=optional_number("window_bytes", self.window_bytes),
                client=client,
                server=server,
                assumed_transport=self.assume_transport,
                rate_cap_bps=optional_number("rate_cap_bps", self.rate_cap_bps),
            )
        except MissingLineRateError as error:
            raise ArgumentsError(
                "{reason}: give {line_rate_bps}, or {sender} and {receiver}, or a {path} whose "
                "link has a rate, or {rate_cap_bps} alone",
                reason=error,
            ) from error


def gate_of(
    tolerance: Number | None,
    min_ratio: Number | None,
    max_ratio: Number | None,
    accept: str | Iterable[str],
) -> "Gate":
    """What passes, as `check` and `measure` take it."""
    from netmodel.checking import Gate

    return Gate(
        min_ratio=optional_number("min_ratio", min_ratio),
        max_ratio=optional_number("max_ratio", max_ratio),
        floor_ratio=optional_number("tolerance_ratio", tolerance),
        accepted=frozenset((accept,) if isinstance(accept, str) else accept),
    )


def _per_data(name: str, given: str | None) -> float | None:
    """A CPU cost per data; a run has no workload that would convert a cost per transaction."""
    from netmodel.consumption import parse_consumption_us_per_gbit
    from netmodel.consumption._cost import cost_ends, require_cost_text

    if given is None:
        return None
    reason = ""
    try:
        require_cost_text(given)
        if len(cost_ends(given)) > 1:
            reason = "a run is checked against one figure: give the lower end, which allows most"
        elif given.rstrip().endswith("/transaction"):
            reason = "a run is checked against a cost per data, such as cores/(Gbit/s)"
        elif "cycles/byte" in given:
            reason = "convert it with its clock first (netmodel consumption convert)"
        else:
            return parse_consumption_us_per_gbit(given)
    except UnitError as error:
        raise WrongTextError(f"{{{name}}}: {{reason}}", reason=error) from error
    raise WrongTextError(f"{{{name}}}: {{text!r}}: {{reason}}", text=given, reason=reason)


@in_base_units
def check(
    results: "Number | File | Measurement | Iterable[Number | File | Measurement]",
    *,
    line_rate_bps: Number | None = None,
    sender: "Adapter | File | None" = None,
    receiver: "Adapter | File | None" = None,
    path: "PathRecord | File | None" = None,
    client_host: "Host | File | None" = None,
    server_host: "Host | File | None" = None,
    mtu_bytes: Whole | None = None,
    link_mtu_bytes: Whole | None = None,
    stack: Stack | str | None = None,
    ip: int | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: int | None = None,
    payload_bytes: Whole | None = None,
    rdma_mtu_bytes: Whole | None = None,
    assume_transport: str | None = None,
    rate_cap_bps: Number | None = None,
    rtt_s: Number | None = None,
    window_bytes: Number | None = None,
    client_cpus: Whole | None = None,
    server_cpus: Whole | None = None,
    client_cost: str | None = None,
    server_cost: str | None = None,
    tolerance: Number | None = None,
    min_ratio: Number | None = None,
    max_ratio: Number | None = None,
    accept: str | Iterable[str] = (),
    format_name: str | None = None,
    repeats: bool = False,
    client_cpu: "HostCpu | File | None" = None,
    server_cpu: "HostCpu | File | None" = None,
    client_idle: "HostCpu | File | None" = None,
    server_idle: "HostCpu | File | None" = None,
    host_zone: tzinfo | str | None = None,
    adapter: "Adapter | File | None" = None,
) -> "tuple[Verdict, ...]":
    """
    Judge measured results against the limits that you specify.

    Parameters
    ----------
    results : str, path, float, Measurement or iterable of them
        Files, directories with all results in them and below, goodputs such as ``"9.2 Gbit/s"``
        or ``9.2e9`` in bit/s, or measurements that were read before. Folders of `measure` alone
        are judged by what their hosts show; arguments take its place.
    line_rate_bps : float or str, optional
        MAC rate. That of the slower adapter, or of the path, by default; not needed with a rate
        cap. [bit/s]
    sender, receiver, path, client_host, server_host : optional
        Adapters, path and hosts whose limits count too, as in `predict`.
    mtu_bytes, link_mtu_bytes : int or str, optional
        As in `ceiling`. Without either, the segment size that the run reports sets the
        ceiling. [byte]
    stack, ip, transport, timestamps, vlan_tags : optional
        Headers of each frame, as in `ceiling`; as the run shows by default.
    payload_bytes : int or str, optional
        Payload of each write that is sent by itself, or of each datagram. [byte]
    rdma_mtu_bytes : int or str, optional
        Payload of a full RDMA packet, beside or in place of an MTU. [byte]
    assume_transport : {"tcp", "udp"}, optional
        Transport protocol of runs that do not report theirs.
    rate_cap_bps : float or str, optional
        Payload rate that a shaper, a policer or a contract allows. [bit/s]
    rtt_s : float or str, optional
        Round trip of the path, in place of that of the run, for what windows and losses allow.
        Of requests and responses, the note says what else their time consists of. [s]
    window_bytes : float or str, optional
        Payload that each connection may have in flight, in place of the window of the run, such as
        ``"256 KiB"``. [byte]
    client_cpus, server_cpus : int or str, optional
        CPUs of each host.
    client_cost, server_cost : str, optional
        CPU time of each host per data, such as ``"1300 us/Gbit"``; sets a limit together with the
        number of its CPUs.
    tolerance, min_ratio, max_ratio : float or str, optional
        How far from the ceiling a run may be; derived from the run by default.
    accept : str or iterable of str, optional
        Limits that a run may report about itself and pass all the same, such as ``"window"``.
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
        Adapter at both ends, in place of `sender` and `receiver`.

    Returns
    -------
    verdicts : tuple of Verdict
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
    from netmodel.api._measure import measured_folders, rejudged
    from netmodel.checking import pooled
    from netmodel.checking._check import check_results, require_checkable

    specified = LineArguments(
        path=PathArguments(
            sender=sender,
            receiver=receiver,
            path=path,
            line_rate_bps=line_rate_bps,
            client_host=client_host,
            server_host=server_host,
        ),
        mtu=MtuArguments(mtu_bytes=mtu_bytes, link_mtu_bytes=link_mtu_bytes),
        headers=HeaderArguments(
            stack=stack, ip=ip, transport=transport, timestamps=timestamps, vlan_tags=vlan_tags
        ),
        payload_bytes=payload_bytes,
        rdma_mtu_bytes=rdma_mtu_bytes,
        assume_transport=assume_transport,
        rate_cap_bps=rate_cap_bps,
        rtt_s=rtt_s,
        adapter=adapter,
        window_bytes=window_bytes,
        client_cpus=client_cpus,
        server_cpus=server_cpus,
        client_cost=client_cost,
        server_cost=server_cost,
    )
    gate = gate_of(tolerance, min_ratio, max_ratio, accept)
    hosts = HostDataArguments(
        client_cpu=client_cpu,
        server_cpu=server_cpu,
        client_idle=client_idle,
        server_idle=server_idle,
        host_zone=host_zone,
    )
    hosts.refuse_repeats(repeats)
    results = listed_results(results)
    folders = measured_folders(results)
    if folders:
        hosts.refuse_measured()
        verdicts = tuple(
            each for run in rejudged(folders, specified, gate, format_name) for each in run.verdicts
        )
        return pooled(verdicts, gate) if repeats else verdicts
    line = specified.line()
    require_checkable(line, gate)
    cpu = hosts.host_cpu()
    runs = with_host_cpu(found_results(results, format_name), cpu)
    verdicts = check_results(runs, line, gate).verdicts
    return pooled(verdicts, gate) if repeats else verdicts
