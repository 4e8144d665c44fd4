"""What a line carries, a path delivers, a run shows and a demand needs, asked with ids and text."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from netmodel._numeric import QuantityLike
from netmodel.api._given import (
    File,
    Number,
    Whole,
    frame_stack,
    given_path,
    given_workload,
    inner_mtu_bytes,
    number,
    optional_number,
    optional_whole,
    whole,
)
from netmodel.api._results import found_results
from netmodel.ceilings import LineCeiling, line_ceiling
from netmodel.errors import ContradictionError
from netmodel.framing import Stack

if TYPE_CHECKING:
    from netmodel.judging import Verdict
    from netmodel.path import Path, Prediction, RatioPrediction, Traffic
    from netmodel.planning import Flow, Plan
    from netmodel.readers import Measurement
    from netmodel.records import (
        Adapter,
        Host,
        PathRecord,
        Workload,
    )


def ceiling(
    line_rate_bps: Number,
    mtu_bytes: Whole | None = None,
    *,
    link_mtu_bytes: Whole | None = None,
    stack: Stack | str | None = None,
    ip: int | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: int | None = None,
) -> LineCeiling:
    """
    What an Ethernet line carries, and each byte that is not payload.

    Parameters
    ----------
    line_rate_bps : float or str
        MAC rate, such as ``25e9`` or ``"25 Gbit/s"``. [bit/s]
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface (inside any tunnel). This or `link_mtu_bytes`. [byte]
    link_mtu_bytes : int or str, optional
        Largest outermost IP packet. [byte]
    stack : Stack or str, optional
        All headers, outermost first, such as ``"ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"``,
        in place of the four arguments below.
    ip : int, optional
        IP version, 4 by default.
    transport : str, optional
        ``"tcp"`` (default) or ``"udp"``.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option, by default yes.
    vlan_tags : int, optional
        802.1Q tags in each frame, 0 by default.

    Returns
    -------
    ceiling : LineCeiling
        Rates of each layer, and the parts of a frame.

    Raises
    ------
    ContradictionError
        If both MTUs or none are given, or a stack beside one of its parts.
    DomainError
        If the line cannot exist, or the MTU leaves no room for payload.

    Examples
    --------
    >>> import netmodel
    >>> round(netmodel.ceiling("25 Gbit/s", 1500).payload_rate_bps)
    23537061118
    """
    headers = frame_stack(stack, ip, transport, timestamps, vlan_tags)
    inner_bytes = inner_mtu_bytes(mtu_bytes, link_mtu_bytes, headers)
    if inner_bytes is None:
        raise ContradictionError("give mtu_bytes or link_mtu_bytes")
    return line_ceiling(number("line_rate_bps", line_rate_bps), inner_bytes, headers)


def predict(
    *,
    workload: "Workload | Traffic | File",
    sender: "Adapter | File | None" = None,
    receiver: "Adapter | File | None" = None,
    path: "Path | PathRecord | File | None" = None,
    mtu_bytes: Whole | None = None,
    link_mtu_bytes: Whole | None = None,
    connections: Whole | Sequence[int] | None = None,
    client_host: "Host | File | None" = None,
    server_host: "Host | File | None" = None,
    line_rate_bps: Number | None = None,
    stack: Stack | str | None = None,
    ip: int | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: int | None = None,
    segments_per_ack: int | None = None,
    payload_bytes: Whole | None = None,
    separate_writes: bool = False,
) -> "Prediction | RatioPrediction":
    """
    Upper bound of what a path delivers, its CPU cost, and the bottleneck.

    Parameters
    ----------
    workload : Workload, Traffic, str or path
        What is exchanged: an id of the catalogue, a ``.toml`` file or an object.
    sender, receiver : Adapter, str or path, optional
        Adapter of the side that sends more of the payload (the client when equal), and of the
        other. Both, or a path.
    path : Path, PathRecord, str or path, optional
        What lies between: an id of the catalogue, a ``.toml`` file, a record, or stages that you
        composed yourself.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface; that of the path by default. [byte]
    link_mtu_bytes : int or str, optional
        Largest outermost IP packet, in place of `mtu_bytes`. [byte]
    connections : int, str or sequence of int, optional
        Connections at the same time. A sequence gives arrays in the prediction. By default any
        number: no limit then depends on it.
    client_host, server_host : Host, str or path, optional
        Hosts whose CPU service times count.
    line_rate_bps : float or str, optional
        MAC rate of the line; that of the slower adapter by default. [bit/s]
    stack, ip, transport, timestamps, vlan_tags : optional
        Headers of each frame, as in `ceiling`.
    segments_per_ack : int, optional
        Also count pure acknowledgements, each for this many frames.
    payload_bytes : int or str, optional
        Size of the larger message, where the workload has a range of sizes. [byte]
    separate_writes : bool
        Whether no two writes of a stream share a segment.

    Returns
    -------
    prediction : Prediction or RatioPrediction
        Ratios to a reference where the CPU times of the path are known up to a factor only.

    Raises
    ------
    ContradictionError
        If arguments exclude each other.
    DomainError
        If an argument is of the wrong kind or cannot be, or no MTU is known.
    UnknownRecordError
        If the catalogue has no such id; near matches are named.

    See Also
    --------
    netmodel.path.predict_path : The same for a composed path and traffic.

    Examples
    --------
    >>> import netmodel
    >>> osa = "osa-express7s-25gbe"
    >>> result = netmodel.predict(sender=osa, receiver=osa, workload="str-writex30k",
    ...                          mtu_bytes=1500, connections=50)
    >>> result.binding, round(result.throughput_bps.value / 1e9, 2)
    ('server_adapter_in', 13.4)
    """
    from netmodel.path import Path, Traffic, predict_path, predict_ratio, workload_traffic

    headers = frame_stack(stack, ip, transport, timestamps, vlan_tags)
    inner_bytes = inner_mtu_bytes(mtu_bytes, link_mtu_bytes, headers)
    if connections is None or (
        isinstance(connections, Sequence) and not isinstance(connections, str)
    ):
        count: QuantityLike | None = connections
    else:
        count = whole("connections", connections)
    exchanged = workload if isinstance(workload, Traffic) else given_workload(workload)
    traffic = (
        exchanged
        if isinstance(exchanged, Traffic)
        else workload_traffic(
            exchanged,
            count,
            shares_segments=not separate_writes,
            segments_per_ack=segments_per_ack,
            payload_bytes=optional_whole("payload_bytes", payload_bytes),
        )
    )
    if isinstance(path, Path):
        between = path
    else:
        ends = given_path(sender, receiver, path, line_rate_bps, client_host, server_host)
        between = ends.path(exchanged.sender)
    ask = predict_ratio if between.factors else predict_path
    return ask(between, traffic, inner_bytes, headers)


def plan(
    flows: "str | Flow | Iterable[str | Flow]",
    *,
    adapters: "Adapter | File | Sequence[Adapter | File]" = (),
    sender: "Adapter | File | None" = None,
    receiver: "Adapter | File | None" = None,
    path: "PathRecord | File | None" = None,
    mtu_bytes: Whole | Sequence[Whole] = (),
    connections: Whole | None = None,
    client_host: "Host | File | None" = None,
    server_host: "Host | File | None" = None,
    max_utilisation: Number | None = None,
    max_utilisation_after_failure: Number | None = None,
    spares: Whole | None = None,
    spreading: str = "even",
    plan_on: str = "worst",
    line_rate_bps: Number | None = None,
    stack: Stack | str | None = None,
    ip: int | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: int | None = None,
    segments_per_ack: int | None = None,
) -> "tuple[Plan, ...]":
    """
    How many adapters and CPUs a demand needs, with headroom and spares.

    Parameters
    ----------
    flows : str, Flow or iterable of them
        The demand: a payload rate or transactions per second, and a workload, such as
        ``"25 Gbit/s str-writex30k"`` or ``"1e5/s rr1c-200x1000 from client"``.
    adapters : Adapter, str, path or sequence of them, optional
        Adapter at both ends; several are candidates to compare.
    sender, receiver, path : optional
        The path, as in `predict`, in place of `adapters`.
    mtu_bytes : int, str or sequence of them, optional
        IP MTU of the innermost interface; several are candidates. [byte]
    connections : int or str, optional
        Connections of each flow, on all adapters together.
    client_host, server_host : optional
        Hosts whose CPU service times count, as in `predict`.
    max_utilisation : float or str, optional
        Share of each stage that may be used, 0.7 by default.
    max_utilisation_after_failure : float or str, optional
        Share that may be used while `spares` adapters have failed; `max_utilisation` by default.
    spares : int or str, optional
        Adapters of a side that may fail at the same time, 1 by default.
    spreading : {"even", "hashed"}
        How connections come to use several adapters.
    plan_on : {"worst", "value", "best"}
        Which case of the parameter uncertainty to size for.
    line_rate_bps : float or str, optional
        MAC rate of the line of each adapter; that of the slower adapter by default. [bit/s]
    stack, ip, transport, timestamps, vlan_tags : optional
        Headers of each frame, as in `ceiling`.
    segments_per_ack : int, optional
        Also count pure acknowledgements of streams, each for this many frames.

    Returns
    -------
    plans : tuple of Plan
        One for each candidate, the best first. Counts of adapters are lower bounds.

    Raises
    ------
    ContradictionError
        If arguments exclude each other.
    DomainError
        If an argument is of the wrong kind or cannot be, or no MTU is known.
    UnitError
        If a flow is not a rate and a workload.
    UnknownRecordError
        If the catalogue has no such id; near matches are named.

    Examples
    --------
    >>> import netmodel
    >>> best, *_ = netmodel.plan("40 Gbit/s str-writex30k", adapters="osa-express7s-25gbe",
    ...                          mtu_bytes=[1500, 9000])
    >>> best.mtu_bytes, best.chosen_count
    (9000, 4)
    """
    from netmodel.planning import Corner, Headroom, Spreading, compare_plans, parse_flow

    count = optional_whole("connections", connections)
    demand = [
        parse_flow(flow, count, segments_per_ack) if isinstance(flow, str) else flow
        for flow in _listed(flows)
    ]
    cards = list(_listed(adapters))
    if cards and (sender, receiver) != (None, None):
        raise ContradictionError("give adapters, or sender and receiver, not both")
    paths = [
        given_path(*ends, path, line_rate_bps, client_host, server_host)
        for ends in ([(card, card) for card in cards] or [(sender, receiver)])
    ]
    usual = Headroom()
    share = optional_number("max_utilisation_ratio", max_utilisation)
    headroom = Headroom(
        usual.max_utilisation_ratio if share is None else share,
        usual.spare_count if spares is None else whole("spares", spares),
        optional_number("max_utilisation_after_failure_ratio", max_utilisation_after_failure),
    )
    return compare_plans(
        demand,
        paths,
        [whole("mtu_bytes", each) for each in _listed(mtu_bytes)] or [None],
        frame_stack(stack, ip, transport, timestamps, vlan_tags),
        headroom=headroom,
        corner=Corner(plan_on),
        spreading=Spreading(spreading),
    )


def check(
    results: "File | Measurement | Iterable[File | Measurement]",
    *,
    line_rate_bps: Number | None = None,
    sender: "Adapter | File | None" = None,
    receiver: "Adapter | File | None" = None,
    path: "PathRecord | File | None" = None,
    mtu_bytes: Whole | None = None,
    link_mtu_bytes: Whole | None = None,
    stack: Stack | str | None = None,
    ip: int | None = None,
    transport: str | None = None,
    timestamps: bool | None = None,
    vlan_tags: int | None = None,
    payload_bytes: Whole | None = None,
    assume_transport: str | None = None,
    rate_cap_bps: Number | None = None,
    rtt_s: Number | None = None,
    client_cpus: Whole | None = None,
    server_cpus: Whole | None = None,
    client_cost: Number | None = None,
    server_cost: Number | None = None,
    tolerance: Number | None = None,
    min_ratio: Number | None = None,
    max_ratio: Number | None = None,
    accept: str | Iterable[str] = (),
    format_name: str | None = None,
    repeats: bool = False,
) -> "tuple[Verdict, ...]":
    """
    Judge measured results against the limits that you specify.

    Parameters
    ----------
    results : str, path, Measurement or iterable of them
        Files, directories with all results in them and below, goodputs such as ``"9.2 Gbit/s"``,
        or measurements that were read before.
    line_rate_bps : float or str, optional
        MAC rate. That of the slower adapter, or of the path, by default. [bit/s]
    sender, receiver, path : optional
        Adapters and path whose limits count too, as in `predict`.
    mtu_bytes, link_mtu_bytes : int or str, optional
        As in `ceiling`. Without either, the segment size that the run reports sets the
        ceiling. [byte]
    stack, ip, transport, timestamps, vlan_tags : optional
        Headers of each frame, as in `ceiling`; as the run shows by default.
    payload_bytes : int or str, optional
        Payload of each write that is sent for itself, or of each datagram. [byte]
    assume_transport : {"tcp", "udp"}, optional
        Transport protocol of runs that do not report theirs.
    rate_cap_bps : float or str, optional
        Payload rate that a shaper, a policer or a contract allows. [bit/s]
    rtt_s : float or str, optional
        Round trip of the path, for what the run's TCP window allows. [s]
    client_cpus, server_cpus : int or str, optional
        CPUs of each host.
    client_cost, server_cost : float or str, optional
        CPU time of each host per data, such as ``"1300 us/Gbit"``; sets a limit together with the
        number of its CPUs. [µs/Gbit]
    tolerance, min_ratio, max_ratio : float or str, optional
        How far from the ceiling a run may be; derived from the run by default.
    accept : str or iterable of str, optional
        Limits that a run may report about itself and pass all the same, such as ``"window"``.
    format_name : str, optional
        Tool that wrote the files; recognised from their text by default.
    repeats : bool
        Whether to judge runs of one configuration together.

    Returns
    -------
    verdicts : tuple of Verdict
        One for each run and direction. Its `outcome` is None where a file cannot be read.

    Raises
    ------
    ContradictionError
        If arguments exclude each other.
    DomainError
        If the line cannot exist, or an argument is of the wrong kind.
    UnknownRecordError
        If there is no such format or id in the catalogue.

    Examples
    --------
    >>> import netmodel
    >>> verdict, = netmodel.check("9.4 Gbit/s", line_rate_bps="10 Gbit/s", mtu_bytes=1500,
    ...                           transport="tcp")
    >>> verdict.outcome.value, round(verdict.ratio, 4)
    ('at_ceiling', 0.9984)
    """
    from netmodel.consumption import parse_consumption_us_per_gbit
    from netmodel.judging import Gate, SpecifiedHost, SpecifiedLine, pooled
    from netmodel.judging._check import check_results

    headers = None if stack is None else frame_stack(stack, ip, transport, timestamps, vlan_tags)
    ends = None
    if (sender, receiver, path) != (None, None, None):
        ends = given_path(sender, receiver, path, line_rate_bps, None, None)
    rate_bps = optional_number("line_rate_bps", line_rate_bps)
    if rate_bps is None and ends is not None:
        rate_bps = ends.own_line_rate_bps
    if rate_bps is None:
        raise ContradictionError(
            "give line_rate_bps, or sender and receiver, or a path whose link has a rate"
        )
    inner_bytes = inner_mtu_bytes(mtu_bytes, link_mtu_bytes, headers)
    hosts = [
        SpecifiedHost(
            optional_whole(f"{side}_cpus", cpus),
            parse_consumption_us_per_gbit(cost) if isinstance(cost, str) else cost,
        )
        for side, cpus, cost in (
            ("client", client_cpus, client_cost),
            ("server", server_cpus, server_cost),
        )
    ]
    line = SpecifiedLine(
        line_rate_bps=rate_bps,
        mtu_bytes=inner_bytes,
        ip_version=None if stack else ip,
        transport=None if stack else transport,
        timestamps=None if stack else timestamps,
        vlan_tags=vlan_tags or 0,
        stack=headers,
        message_bytes=optional_whole("payload_bytes", payload_bytes),
        path=ends,
        round_trip_s=optional_number("rtt_s", rtt_s),
        client=hosts[0],
        server=hosts[1],
        assumed_transport=assume_transport,
        rate_cap_bps=optional_number("rate_cap_bps", rate_cap_bps),
    )
    gate = Gate(
        min_ratio=optional_number("min_ratio", min_ratio),
        max_ratio=optional_number("max_ratio", max_ratio),
        floor_ratio=optional_number("tolerance_ratio", tolerance),
        accepted=frozenset(_listed(accept)),
    )
    verdicts = check_results(found_results(results, format_name), line, gate).verdicts
    return pooled(verdicts, gate) if repeats else verdicts


def _listed(given: Any) -> Sequence[Any]:
    """What is given, as a sequence: one thing alone is the only item."""
    if isinstance(given, Iterable) and not isinstance(given, str | os.PathLike):
        return tuple(given)
    return (given,)
