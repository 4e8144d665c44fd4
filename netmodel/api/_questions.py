"""Ceiling of a line, prediction of a path and plan for a demand, asked with ids and text."""

from collections import defaultdict
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal, cast

import netmodel.ceilings as ceilings
import netmodel.path as paths
import netmodel.planning as planning
import netmodel.published as published
from netmodel.api import arguments
from netmodel.errors import ContradictionError, DomainError, UnitError
from netmodel.framing.grammar import usual_mtu_notes
from netmodel.framing.stack import Stack, mtu_of_rdma
from netmodel.numeric import extremes, holds_somewhere
from netmodel.text import RESULT_DIGITS, span_text
from netmodel.units import format_rate

_LISTED = ("adapter", *arguments.OF_DISTANCE)
"""Arguments of a plan of which each value is a case."""


@arguments.in_base_units
def ceiling(
    line_rate_bps: arguments.Rate | None = None,
    mtu_bytes: arguments.Size | None = None,
    *,
    capacity: arguments.Capacities = (),
    link_mtu_bytes: arguments.Size | None = None,
    rdma_mtu_bytes: arguments.Size | None = None,
    stack: arguments.Headers | None = None,
    ip: Literal[4, 6] | None = None,
    transport: Literal["tcp", "udp"] | None = None,
    timestamps: bool | None = None,
    vlan_tags: arguments.Count | None = None,
) -> "ceilings.LineCeiling":
    """
    Compute the payload rate of an Ethernet line, and each byte that is not payload.

    Parameters
    ----------
    line_rate_bps : float or str
        MAC rate of the line, such as ``"25 Gbit/s"``. [bit/s]
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; this or `link_mtu_bytes`. [byte]
    capacity : str, float, Capacity or sequence of them, optional
        Rate that a machine, an adapter or each flow has, with what it counts, such as ``"5
        Gbit/s ip"``, ``"1.8Mpps"``, ``"5Gbit/s ip per flow"`` or ``"10Gbit/s for 30GB
        then 2.5Gbit/s ip"``; in place of a line rate.
    link_mtu_bytes : int or str, optional
        IP MTU of the outermost interface, in place of `mtu_bytes`; 1492 where PPPoE is on Ethernet
        of 1500. [byte]
    rdma_mtu_bytes : int or str, optional
        Payload of a full RDMA packet, beside or in place of an MTU. [byte]
    stack : Stack or str, optional
        All headers, outermost first, such as ``"ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"``, or
        a preset, such as ``"calico-vxlan"``; in place of their parts.
    ip : {4, 6}, optional
        IP version; that of a run, or 4.
    transport : {"tcp", "udp"}, optional
        Transport protocol; that of a run, or TCP.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option; as a run shows, or yes.
    vlan_tags : int or str, optional
        802.1Q tags in each frame; 0 by default.

    Returns
    -------
    ceiling : LineCeiling
        Rates of each layer, and the parts of a frame.

    Raises
    ------
    ContradictionError
        If both MTUs or none are given, or a stack beside one of its parts, or neither a line rate
        nor a capacity whose layer is known.
    DomainError
        If the line cannot exist, or the MTU leaves no room for payload.

    Examples
    --------
    >>> import netmodel
    >>> round(netmodel.ceiling("25 Gbit/s", 1500).payload_rate_bps)
    23537061118
    """
    given = locals()
    frame = arguments.stack_of(given)
    mtu = arguments.inner_mtu(given, frame)
    if rdma_mtu_bytes is not None:
        mtu = mtu_of_rdma(cast("int", rdma_mtu_bytes), mtu, frame)
    if mtu is None:
        raise arguments.ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}")
    given_capacities = arguments.capacities_of(given)
    if (line_rate_bps is None) != bool(given_capacities):
        raise arguments.ArgumentsError("give either {line_rate_bps} or {capacity}")
    if line_rate_bps is not None:
        return ceilings.line_ceiling(cast("float", line_rate_bps), mtu, frame)
    unit = ceilings.line_ceiling(1.0, mtu, frame)
    rates_bps = [each.payload_rates_bps(*unit.counted_bytes()) for each in given_capacities]
    if any(len(each) > 1 for each in rates_bps):
        raise arguments.ArgumentsError("{capacity}: say what counts: wire, frame, tc, ip, payload")
    least_bps = min(min(each.values()) for each in rates_bps)
    return ceilings.line_ceiling(least_bps / unit.payload_rate_bps, mtu, frame)


@arguments.in_base_units
def predict(
    *,
    workload: arguments.AnyTraffic | None = None,
    request_bytes: arguments.Size | None = None,
    response_bytes: arguments.Size | None = None,
    volume_bytes: arguments.Volume | None = None,
    sender: arguments.AnAdapter | None = None,
    receiver: arguments.AnAdapter | None = None,
    path: arguments.APath | None = None,
    capacity: arguments.Capacities = (),
    mtu_bytes: arguments.Mtu | None = None,
    link_mtu_bytes: arguments.Mtu | None = None,
    connections: arguments.Counts | None = None,
    client_host: arguments.AHost | None = None,
    server_host: arguments.AHost | None = None,
    client_cost: arguments.Cost | None = None,
    server_cost: arguments.Cost | None = None,
    cost_measured_with: arguments.Conditions | None = None,
    line_rate_bps: arguments.Rate | None = None,
    payload_bytes: arguments.Size | None = None,
    physics_only: bool = False,
    km: arguments.Kilometres | None = None,
    rtt_s: arguments.Times | None = None,
    window_bytes: arguments.Windows | None = None,
    loss_ratio: arguments.Losses | None = None,
    protocol: Literal["tcp", "smc-r"] | None = None,
    adapter: arguments.AnAdapter | None = None,
    **headers: Annotated[Any, ceiling, "rdma_mtu_bytes"],
) -> "paths.Prediction":
    """
    Predict the throughput of a path, an upper bound, its CPU cost and bottleneck.

    Parameters
    ----------
    workload : Workload, Traffic, str or path, optional
        Messages to exchange: a workload of the catalog, or your own in a ``.toml`` file; full
        frames from the client by default. Or a Workload or Traffic.
    request_bytes : int or str, optional
        Size of a request; in place of a workload. Without a response, what the client writes
        without a pause. [byte]
    response_bytes : int or str, optional
        Size of its response; without a request, what the server writes without a pause. [byte]
    volume_bytes : int or str, optional
        Payload of a copy, such as ``"5 TB"``; the answer has its time. [byte]
    sender : Adapter, str or path, optional
        Adapter of the side that sends more payload, the client when equal.
    receiver : Adapter, str or path, optional
        Adapter of the other side. Both, or a path.
    path : PathRecord, str or path, optional
        Path between the hosts: an id of the catalog, or your own in a ``.toml`` file.
    capacity : str, float, Capacity or sequence of them, optional
        Rate that a machine, an adapter or each flow has, with what it counts, such as ``"5
        Gbit/s ip"``, ``"1.8Mpps"``, ``"5Gbit/s ip per flow"`` or ``"10Gbit/s for 30GB
        then 2.5Gbit/s ip"``; alone or beside adapters.
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; that of the path by default. [byte]
    link_mtu_bytes : int or str, optional
        IP MTU of the outermost interface, in place of `mtu_bytes`. [byte]
    connections : int, str or sequence of int, optional
        Connections at the same time; any number by default. A sequence gives arrays in the
        prediction.
    client_host, server_host : Host, str or path, optional
        Host of each side; for its CPU time.
    client_cost, server_cost : str, optional
        CPU cost of each side, such as ``"0.16 cores/(Gbit/s)"`` or ``"35 µs/transaction"``; per
        data of both directions, or a range such as ``"0.14..0.18 cores/(Gbit/s)"``. In place of CPU
        times of its host.
    cost_measured_with : str or mapping, optional
        Conditions under which the costs were measured, such as ``"mtu=1500 connections=10"``; those
        of the question by default. The costs are multiplied by the printed ratio of the two cases;
        without one they are used unchanged, and a note says so.
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``"25 Gbit/s"``; that of the slower adapter by
        default. [bit/s]
    payload_bytes : int or str, optional
        Payload of one message; of the larger one, where the workload has a range of sizes. [byte]
    physics_only : bool
        Leave out published figures, and compute from the parts of the path alone.
    km : float, str or sequence of float, optional
        Distance between the sites, in km of fibre; several give a case for each. Or with a
        unit: ``"800 m"``. A sequence gives arrays in the prediction, as those of the round trip,
        window and loss do. [km]
    rtt_s : float, str or sequence of float, optional
        Round trip between the sites without queues; in place of `km`. [s]
    window_bytes : float, str or sequence of float, optional
        Payload that each connection may have in flight, such as ``"256 KiB"``; that of the path by
        default. [byte]
    loss_ratio : float, str or sequence of float, optional
        Share of packets that are lost, independently of each other, such as ``1e-4``.
    protocol : {"tcp", "smc-r"}, optional
        Protocol that carries the data of sockets; TCP by default.
    adapter : Adapter, str or path, optional
        Adapter at both ends; in place of `sender` and `receiver`. A plain line is one, such as
        ethernet-25gbe.
    **headers : optional
        As in `ceiling`: `stack`, `ip`, `transport`, `timestamps`, `vlan_tags`.

    Returns
    -------
    prediction : Prediction
        With the bound that a printed ratio sets (`bounded_by`), and what documents print of its
        case (`published`). Without limits, with printed ratios alone, where the path has no line.

    Raises
    ------
    ContradictionError
        If arguments exclude each other.
    DomainError
        If an argument is of the wrong kind or cannot be, or no MTU is known.
    UnknownRecordError
        If the catalog has no such id; near matches are named.

    See Also
    --------
    netmodel.path.predict_path : Bounds of a composed path and traffic, without published figures.

    Examples
    --------
    >>> import netmodel
    >>> osa = "osa-express7s-25gbe"
    >>> result = netmodel.predict(sender=osa, receiver=osa, workload="str-writex30k",
    ...                          mtu_bytes=1500, connections=50)
    >>> result.binding, round(result.throughput_bps.value / 1e9, 2)
    ('server_adapter_in', 13.4)
    """
    given = locals() | headers
    from netmodel.path.from_records import usual_mtus

    frame, specified = arguments.stack_of(given), arguments.specified_path(given)
    mtu, between = arguments.inner_mtu(given, frame), specified.distance
    traffic, notes = _traffic(given, frame, mtu)
    traffic = replace(traffic, volume_bytes=given["volume_bytes"])
    if between is not None or not specified.is_unbounded:
        arguments.require_suiting(specified, traffic, mtu)
    found = published.predicted(specified, traffic, mtu, frame, physics_only=physics_only)
    if between is not None:
        from netmodel.path.protocols import with_endpoint_times

        found = with_endpoint_times(found, specified.adapters(traffic.sender), between)
    of_flows = any("per flow" in limit.name for limit in found.limits)
    each = found.connection_throughput_bps if of_flows else None
    if each is not None and holds_somewhere(each.value > 0):  # not without any prediction
        ends = (format_rate(rate_bps, RESULT_DIGITS) for rate_bps in extremes(each.value))
        counts = span_text(*(f"{end:,.12g}" for end in extremes(found.traffic.connection_count)))
        notes.append(f"with {counts} connections each has at most {span_text(*ends)} of the rate")
    if said := usual_mtu_notes(frame, mtu, usual_mtus(specified.records)):
        warned = replace(found.path, mixed_notes=(*said, *found.path.mixed_notes))
        found = replace(found, path=warned)
    return replace(found, first_notes=tuple(notes)) if notes else found


def _traffic(given: arguments.Given, stack: Stack, mtu: Any) -> "tuple[paths.Traffic, list[str]]":
    """Return the traffic, and a note on the size assumed where only a range is known."""
    workload, payload, count = given["workload"], given["payload_bytes"], given["connections"]
    if workload is None:
        return _messages(given, stack, mtu), []
    if isinstance(workload, paths.Traffic):
        own = {"connections": count, "payload_bytes": payload}
        arguments.refuse("leave out {name}: a Traffic has its own", **own)
        return workload, []
    known = arguments.given_record("workload", given)
    low, high = max(known.request_bytes_bounds, known.response_bytes_bounds)
    note = f"messages of {known.id} are {low:,} to {high:,} byte: assuming the larger size"
    traffic = paths.workload_traffic(known, count, payload_bytes=payload)
    return traffic, [note] if low != high and not payload else []


def _messages(given: arguments.Given, stack: Stack, mtu: Any) -> "paths.Traffic":
    """Return requests and responses, or a stream of the one that is given, or full frames."""
    from netmodel.path.from_records import usual_mtus
    from netmodel.path.traffic import FULL_FRAMES

    request, response = given["request_bytes"] or 0, given["response_bytes"] or 0
    waits, name = bool(request and response), f"writes of {request or response:,} B"
    is_full = not (request or response)
    of_stream = {"waits": waits, "shares_segments": not waits, "fills_frames": is_full}
    if waits:
        name = f"requests of {request:,} B, responses of {response:,} B"
    elif is_full:
        if mtu is None:
            need = "give {workload}, or {mtu_bytes} or {link_mtu_bytes}"
            usual = usual_mtu_notes(stack, mtu, usual_mtus(arguments.specified_path(given).records))
            raise arguments.ArgumentsError("; ".join([need, *usual]))
        request, name = stack.payload_bytes(mtu), FULL_FRAMES
    return paths.Traffic(request, response, given["connections"], name=name, **of_stream)


@arguments.in_base_units
def plan(
    flows: arguments.Flows = (),
    *,
    adapters: arguments.Adapters = (),
    mtu_bytes: arguments.Sizes | None = None,
    link_mtu_bytes: arguments.Sizes | None = None,
    connections: arguments.Positive | None = None,
    max_utilisation: arguments.Share = 0.7,
    max_utilisation_after_failure: arguments.Share | None = None,
    spares: arguments.Count = 1,
    adapters_available: arguments.Positive | None = None,
    **more: Annotated[Any, predict, "adapter workload payload_bytes"],
) -> "planning.Plans":
    """
    Plan adapters and CPUs for a demand, with headroom and spares.

    Parameters
    ----------
    flows : str, float, Flow or iterable of them
        The demand: a payload rate or transactions per second, and a workload, such as
        ``"25 Gbit/s str-writex30k"`` or ``"1e5/s rr1c-200x1000"``. A rate alone,
        ``"18 Gbit/s in"``, ``"5 TB/day in"`` or ``18e9`` in bit/s, is a stream of full frames;
        ``in`` and ``out`` are as seen from the server, ``in`` by default.
    adapters : Adapter, str, path or sequence of them, optional
        Adapter at both ends; several are candidates.
    mtu_bytes : int, str or sequence of them, optional
        IP MTU of the innermost interface, inside any tunnel; several are candidates. [byte]
    link_mtu_bytes : int, str or sequence of them, optional
        IP MTU of the outermost interface, in place of `mtu_bytes`. [byte]
    connections : int or str, optional
        Connections at the same time; of each flow, on all adapters together.
    max_utilisation : float or str
        Share of each stage that may be used; of a capacity per flow too, and 0.7 by default.
    max_utilisation_after_failure : float or str, optional
        Share that may be used while `spares` adapters have failed; `max_utilisation` by default.
    spares : int or str
        Adapters of a side that may fail at the same time, 1 by default.
    adapters_available : int or str, optional
        Adapters at each side that there are, or of the server where all flows are "in" or "out"; a
        plan that needs more does not hold.
    **more : optional
        As in `predict`: `request_bytes`, `response_bytes`, `volume_bytes`, `sender`, `receiver`,
        `path`, `line_rate_bps`, `client_host`, `server_host`, headers, CPU costs, distance,
        `physics_only`. With costs the plan has its cores; a list of distances, windows or losses
        gives a plan for each.

    Returns
    -------
    plans : Plans
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
        If the catalog has no such id; near matches are named.

    Examples
    --------
    >>> import netmodel
    >>> best, *_ = netmodel.plan("40 Gbit/s str-writex30k", adapters="osa-express7s-25gbe",
    ...                          mtu_bytes=[1500, 9000])
    >>> best.mtu_bytes, best.chosen_count
    (9000, 4)
    """
    given = defaultdict(lambda: None, locals(), **more)
    from netmodel.planning.candidates import compare_plans

    policy: Any = (max_utilisation, spares, max_utilisation_after_failure)
    frame = arguments.stack_of(given)
    demand, sizes = _demand(given, frame), arguments.cases_of(given, arguments.MTUS)
    mtus = dict.fromkeys(arguments.inner_mtu(each, frame) for each in sizes)
    cases = arguments.cases_of({**given, "adapter": adapters or None}, _LISTED)
    choices = [*dict.fromkeys(arguments.specified_path(each) for each in cases)]
    for each in choices:
        arguments.require_suiting(each, demand[0].traffic, next(iter(mtus)))
    settings: dict[str, Any] = {"physics_only": bool(given["physics_only"])}
    settings |= {"headroom": planning.Headroom(*policy), "adapters_available": adapters_available}
    plans = compare_plans(demand, choices, mtus, frame, **settings)
    return planning.Plans(replace(each, volume_bytes=given["volume_bytes"]) for each in plans)


def _demand(given: arguments.Given, stack: Stack) -> "list[planning.Flow]":
    """Return each flow; messages and connections are of flows given as text."""
    flows = [arguments.rate_text("flows", each) for each in arguments.listed_values(given["flows"])]
    if not flows:
        raise arguments.ArgumentsError("give {flows}")
    own = {name: given[name] for name in ("request_bytes", "response_bytes", "connections")}
    for each in flows:
        if not (isinstance(each, str) or hasattr(each, "traffic")):
            problem = "{flows} must be a rate, text such as '18 Gbit/s in', or a Flow"
            raise DomainError(arguments.named(f"{problem}; got {each!r}"))
        if not isinstance(each, str):
            arguments.refuse("leave out {name}: a Flow has its own in its traffic", **own)
    sizes = _messages(given, stack, None) if own["request_bytes"] or own["response_bytes"] else None
    read = partial(planning.parse_flow, connection_count=own["connections"], messages=sizes)
    with arguments.refusing("flows", UnitError, ContradictionError):
        return [read(each) if isinstance(each, str) else each for each in flows]
