"""Whether measured results are plausible and reach what line, path and hosts allow."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from netmodel.api import arguments, kinds
from netmodel.api.results import found_results
from netmodel.checking import Gate, SpecifiedLine, Verdicts, check_results, pooled
from netmodel.readers import FoundResults

if TYPE_CHECKING:
    from netmodel.readers import Measurement

_Result: TypeAlias = "kinds.Number | kinds.File | Measurement"
_OF_LINE = {
    "ip": "ip_version",
    "payload_bytes": "message_bytes",
    "rtt_s": "round_trip_s",
    "assume_transport": "assumed_transport",
    **{name: name for name in ("transport", "timestamps", "vlan_tags", "rdma_mtu_bytes")},
    "window_bytes": "window_bytes",
    "connections": "connection_count",
}
"""Arguments that a line takes as they are, and its names for them."""


@arguments.in_base_units
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
    capacity: kinds.Capacities = (),
    connections: kinds.Positive | None = None,
    rtt_s: kinds.Time | None = None,
    window_bytes: kinds.Window | None = None,
    tolerance: kinds.Ratio | None = None,
    min_ratio: kinds.Ratio | None = None,
    max_ratio: kinds.Ratio | None = None,
    accept: kinds.Names = (),
    format_name: kinds.FormatName | None = None,
    repeats: bool = False,
    adapter: kinds.AnAdapter | None = None,
) -> Verdicts:
    """
    Judge measured results against the limits that you specify.

    Parameters
    ----------
    results : str, path, float, Measurement, FoundResults or iterable of them
        Files, directories with all results in them and below, goodputs such as ``"9.2 Gbit/s"``
        or ``9.2e9`` in bit/s, or measurements that were read before.
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
        All headers, outermost first, such as ``"ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"``, or
        a preset, such as ``"calico-vxlan"``; in place of their parts.
    ip : {4, 6}, optional
        IP version; as the run shows by default.
    transport : {"tcp", "udp"}, optional
        Transport protocol; as the run reports by default.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option; as the run shows by default.
    vlan_tags : int or str, optional
        802.1Q tags in each frame; 0 by default.
    payload_bytes : int or str, optional
        Payload of one message; of each datagram or RDMA message, or write over a path. [byte]
    rdma_mtu_bytes : int or str, optional
        Payload of a full RDMA packet, beside or in place of an MTU. [byte]
    assume_transport : {"tcp", "udp"}, optional
        Transport protocol of runs that do not report theirs.
    rate_cap_bps : float or str, optional
        Payload rate that a shaper, a policer or a contract allows. [bit/s]
    capacity : str, float, Capacity or sequence of them, optional
        Rate that a machine, an adapter or each flow has, with what it counts, such as ``"5
        Gbit/s ip"``, ``"1.8Mpps"``, ``"5Gbit/s per flow"`` or ``"10Gbit/s for 30GB then
        2.5Gbit/s"``; where nothing says which layer, the one that fits the run.
    connections : int or str, optional
        Connections at the same time; of runs that do not report theirs, such as typed goodputs,
        for capacities per flow.
    rtt_s : float or str, optional
        Round trip between the sites without queues; that of the run by default, for what windows
        and losses allow. [s]
    window_bytes : float or str, optional
        Payload that each connection may have in flight, such as ``"256 KiB"``; that of the run by
        default. [byte]
    tolerance : float or str, optional
        Tolerance below the limit; 0.01 by default, and timing, rounding and buffers of a run add
        to it.
    min_ratio : float or str, optional
        Goodput over limit from which on a run is at its ceiling; derived from the run by default.
    max_ratio : float or str, optional
        Goodput over limit above which a run is impossible; derived from the run by default.
    accept : str or iterable of str, optional
        Limits that a run may report about itself and pass all the same, such as
        ``"window,offered_rate"``; ``"borderline"`` passes runs beside an end of the tolerance.
    format_name : str, optional
        Tool that wrote the files; recognised from their text by default.
    repeats : bool
        Whether to judge runs of one configuration together.
    adapter : Adapter, str or path, optional
        Adapter at both ends; in place of `sender` and `receiver`.

    Returns
    -------
    verdicts : Verdicts
        One for each run and direction. Its `outcome` is None where a file cannot be read.

    Raises
    ------
    ContradictionError
        If arguments exclude each other.
    DomainError
        If the line cannot exist, or an argument is of the wrong kind.
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
    given = {name: each for name, each in locals().items() if each is not None}
    headers, between = given.get("stack"), arguments.path_between(given)
    values: dict[str, Any] = {field: given.get(name) for name, field in _OF_LINE.items()}
    values["capacities"] = arguments.capacities_of(given) or None
    values |= {"stack": headers, "mtu_bytes": arguments.inner_mtu(given, headers)}
    names = ",".join(arguments.listed_values(accept)).replace("-", "_").split(",")
    gate = Gate(
        min_ratio=given.get("min_ratio"),
        max_ratio=given.get("max_ratio"),
        floor_ratio=given.get("tolerance"),
        accepted=frozenset(filter(None, map(str.strip, names))),
    )
    line = SpecifiedLine.over(between, given.get("line_rate_bps"), **values)
    if line is None:
        why = ": no adapter of the path has a line rate" if between else ""
        ends = "{adapter}, or {sender} and {receiver}, or a {path} whose link has a rate"
        give = f"give {{line_rate_bps}}, or {ends}, or {{capacity}} alone"
        problem = f"no limit given: nothing was judged; the line rate is not given{why}: {give}"
        raise arguments.NoLimitError(problem)
    verdicts = check_results(found_results(results, format_name), line, gate)
    return Verdicts(pooled(verdicts, gate)) if repeats else verdicts
