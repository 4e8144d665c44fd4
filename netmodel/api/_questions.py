"""What a line carries, a path delivers and a demand needs, asked with ids and text."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

from netmodel.api import kinds
from netmodel.api.arguments import (
    ArgumentsError,
    WrongValueError,
    cases_of,
    distance_of,
    given_workload,
    in_base_units,
    inner_mtu,
    ip_mtu,
    listed_values,
    not_both,
    path_between,
    rate_text,
    refuse,
    refusing,
    require_least,
    require_own_mtu,
    require_path,
    require_suiting,
    size_notes,
    stack_of,
    with_costs,
)
from netmodel.ceilings import MAX_PACKET_BYTES, LineCeiling, line_ceiling
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, UnitError
from netmodel.framing import Stack
from netmodel.framing._stack import mtu_of_rdma
from netmodel.numeric import require_at_most, require_one

if TYPE_CHECKING:
    from netmodel.path import Path, Prediction, SpecifiedPath, Traffic
    from netmodel.path.distance import Distance
    from netmodel.planning import Flow, Plans


@in_base_units
def ceiling(
    line_rate_bps: kinds.Rate,
    mtu_bytes: kinds.Size | None = None,
    *,
    link_mtu_bytes: kinds.Size | None = None,
    rdma_mtu_bytes: kinds.Size | None = None,
    stack: kinds.Headers | None = None,
    ip: Literal[4, 6] | None = None,
    transport: Literal["tcp", "udp"] | None = None,
    timestamps: bool | None = None,
    vlan_tags: kinds.Count | None = None,
) -> LineCeiling:
    """
    What an Ethernet line carries, and each byte that is not payload.

    Parameters
    ----------
    line_rate_bps : float or str
        MAC rate of the line, such as ``25e9`` or ``"25 Gbit/s"``. [bit/s]
    mtu_bytes : int or str, optional
        IP MTU of the innermost interface, inside any tunnel; this or `link_mtu_bytes`. [byte]
    link_mtu_bytes : int or str, optional
        IP MTU of the outermost interface, in place of `mtu_bytes`. [byte]
    rdma_mtu_bytes : int or str, optional
        Payload of a full RDMA packet, beside or in place of an MTU. [byte]
    stack : Stack or str, optional
        All headers, outermost first, such as ``"ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"``; in
        place of their parts.
    ip : {4, 6}, optional
        IP version; 4 by default.
    transport : {"tcp", "udp"}, optional
        Transport protocol; TCP by default.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option; yes by default.
    vlan_tags : int or str, optional
        802.1Q tags in each frame; 0 by default.

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
    frame = stack_of(stack, ip, transport, timestamps, vlan_tags)
    mtu = inner_mtu(mtu_bytes, link_mtu_bytes, frame)
    if rdma_mtu_bytes is not None:
        mtu = mtu_of_rdma(cast("int", rdma_mtu_bytes), mtu, frame)
    if mtu is None:
        raise ArgumentsError("give {mtu_bytes} or {link_mtu_bytes}")
    return line_ceiling(cast("float", line_rate_bps), mtu, frame)


@in_base_units
def predict(
    *,
    workload: kinds.AnyTraffic | None = None,
    request_bytes: kinds.Size | None = None,
    response_bytes: kinds.Size | None = None,
    volume_bytes: kinds.Size | None = None,
    sender: kinds.AnAdapter | None = None,
    receiver: kinds.AnAdapter | None = None,
    path: kinds.APath | None = None,
    mtu_bytes: kinds.Mtu | None = None,
    link_mtu_bytes: kinds.Mtu | None = None,
    connections: kinds.Counts | None = None,
    client_host: kinds.AHost | None = None,
    server_host: kinds.AHost | None = None,
    client_cost: kinds.Cost | None = None,
    server_cost: kinds.Cost | None = None,
    cpu_frequency_hz: kinds.Frequency | None = None,
    cpu_time_basis: Literal["core", "thread"] | None = None,
    smt_gain: kinds.Factor | None = None,
    cost_measured_with: kinds.Conditions | None = None,
    line_rate_bps: kinds.Rate | None = None,
    stack: kinds.Headers | None = None,
    ip: Literal[4, 6] | None = None,
    transport: Literal["tcp", "udp"] | None = None,
    timestamps: bool | None = None,
    vlan_tags: kinds.Count | None = None,
    segments_per_ack: kinds.Count | None = None,
    payload_bytes: kinds.Size | None = None,
    physics_only: bool = False,
    km: kinds.Kilometres | None = None,
    rtt_s: kinds.Times | None = None,
    equipment_s: kinds.Time | None = None,
    window_bytes: kinds.Windows | None = None,
    loss_ratio: kinds.Losses | None = None,
    protocol: Literal["tcp", "smc-r"] | None = None,
    adapter: kinds.AnAdapter | None = None,
) -> "Prediction":
    """
    Upper bound of what a path delivers, its CPU cost, and the bottleneck.

    Parameters
    ----------
    workload : Workload, Traffic, str or path, optional
        What is exchanged: a workload of the catalog, or your own in a ``.toml`` file; full frames
        from the client by default. Or an object.
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
        What lies between: an id of the catalog, or your own in a ``.toml`` file.
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
    cpu_frequency_hz : float or str, optional
        Clock of the CPU, such as ``"5.2 GHz"``; for costs in cycles/byte. [Hz]
    cpu_time_basis : {"core", "thread"}, optional
        What the costs are time of: cores with one busy thread, or threads; that of the host by
        default, or cores.
    smt_gain : float, optional
        Work of a core with two busy threads over that with one, 1 to 2; for core time.
    cost_measured_with : str or mapping, optional
        Conditions under which the costs were measured, such as ``"mtu=1500 connections=10"``; those
        of the question by default. The costs are multiplied by the printed ratio of the two cases;
        without one they are used unchanged, and a note says so.
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``25e9`` or ``"25 Gbit/s"``; that of the slower adapter by
        default. [bit/s]
    stack : Stack or str, optional
        All headers, outermost first, such as ``"ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"``; in
        place of their parts.
    ip : {4, 6}, optional
        IP version; 4 by default.
    transport : {"tcp", "udp"}, optional
        Transport protocol; TCP by default.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option; yes by default.
    vlan_tags : int or str, optional
        802.1Q tags in each frame; 0 by default.
    segments_per_ack : int, optional
        Also count pure acknowledgements, each for this many segments; they ride on data by default.
    payload_bytes : int or str, optional
        Payload of one message; of the larger one, where the workload has a range of sizes. [byte]
    physics_only : bool
        Whether to leave out what documents print, and compute from the parts of the path alone.
    km : float, str or sequence of float, optional
        Distance between the sites, in km of fibre; a list or range gives a case for each. Or with a
        unit: ``"800 m"``. A sequence gives arrays in the prediction, as those of the round trip,
        window and loss do. [km]
    rtt_s : float, str or sequence of float, optional
        Round trip between the sites without queues; in place of `km`. [s]
    equipment_s : float or str, optional
        What equipment adds to the round trip of `km`, in both directions together. [s]
    window_bytes : float, str or sequence of float, optional
        Payload that each connection may have in flight, such as ``"256 KiB"``; that of the path by
        default. [byte]
    loss_ratio : float, str or sequence of float, optional
        Share of packets that are lost, independently of each other, such as ``1e-4``.
    protocol : {"tcp", "smc-r"}, optional
        Protocol that carries the data of sockets; TCP by default.
    adapter : Adapter, str or path, optional
        Adapter at both ends; in place of `sender` and `receiver`.

    Returns
    -------
    prediction : Prediction
        With the bound that a printed ratio sets (`bounded_by`), and what documents print of its
        case (`published`). An Unbounded one, with printed ratios alone, where the path has no line.

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
    netmodel.path.predict_path : What the path alone allows, of a composed path and traffic.

    Examples
    --------
    >>> import netmodel
    >>> osa = "osa-express7s-25gbe"
    >>> result = netmodel.predict(sender=osa, receiver=osa, workload="str-writex30k",
    ...                          mtu_bytes=1500, connections=50)
    >>> result.binding, round(result.throughput_bps.value / 1e9, 2)
    ('server_adapter_in', 13.4)
    """
    from netmodel.path import Traffic, workload_traffic

    between = distance_of(km, rtt_s, equipment_s, window_bytes, loss_ratio, protocol)
    sizes = (request_bytes, response_bytes)
    frame = stack_of(stack, ip, transport, timestamps, vlan_tags, protocol)
    mtu = inner_mtu(mtu_bytes, link_mtu_bytes, frame)
    notes: list[str] = []
    if workload is None and payload_bytes is None:
        traffic = _messages(*sizes, connections, segments_per_ack, frame, mtu)
    elif sizes != (None, None):
        raise ArgumentsError("leave out {request_bytes} and {response_bytes} beside {workload}")
    elif isinstance(workload, Traffic):
        own = {"connections": connections, "segments_per_ack": segments_per_ack}
        refuse("leave out {name}: a Traffic has its own", **own, payload_bytes=payload_bytes)
        traffic = workload
    else:
        named = given_workload(workload)
        notes = [] if payload_bytes else size_notes(named)
        given: Any = {"connection_count": connections, "payload_bytes": payload_bytes}
        traffic = workload_traffic(named, segments_per_ack=cast("int", segments_per_ack), **given)
    specified = require_path(
        path_between(adapter, sender, receiver, path, line_rate_bps, client_host, server_host)
    )
    costs = (client_cost, server_cost, cpu_frequency_hz, cpu_time_basis, smt_gain)
    specified = replace(with_costs(specified, *costs, cost_measured_with), distance=between)
    if specified.is_unbounded and between is None:
        from netmodel.path._unbounded import unbounded

        assert specified.record is not None
        found = unbounded(specified.record, traffic, mtu)
        return found if physics_only else _beside(found, specified)
    if specified.has_cost_of_another_case:
        from netmodel.published._of_path import with_costs_of_case

        one_mtu = None if mtu is None else require_one("mtu_bytes", mtu)
        composed = with_costs_of_case(specified, traffic, one_mtu).path_of(traffic)
    else:
        composed = specified.path_of(traffic)
    printed = None if physics_only else specified
    prediction = _of_stages(composed, traffic, mtu, frame, between, printed)
    if between is not None:
        from netmodel.path._endpoints import with_endpoint_times

        prediction = with_endpoint_times(prediction, specified.adapters(traffic.sender), between)
    prediction = replace(
        prediction,
        path_notes=(*notes, *prediction.path_notes),
        volume_bytes=require_least("volume_bytes", volume_bytes),
    )
    return prediction if physics_only else _beside(prediction, specified)


def _beside(prediction: "Prediction", specified: "SpecifiedPath") -> "Prediction":
    """Return a prediction with what documents print of it; one of physics alone reads none."""
    from netmodel.published._of_path import with_published

    return with_published(prediction, specified)


def _messages(
    request_bytes: Any,
    response_bytes: Any,
    connections: Any,
    segments_per_ack: Any,
    stack: Stack,
    mtu_bytes: Any,
) -> "Traffic":
    """Requests and responses, or a stream of the one that is given, or else of full frames."""
    from netmodel.path import Traffic
    from netmodel.path._traffic import FULL_FRAMES

    request, response = request_bytes or 0, response_bytes or 0
    waits = bool(request and response)
    name = f"requests of {request:,} B, responses of {response:,} B"
    if not waits:
        name = f"writes of {request or response:,} B"
    if not request and not response:
        if mtu_bytes is None:
            raise ArgumentsError("give {workload}, or {mtu_bytes} or {link_mtu_bytes}")
        request, name = stack.payload_bytes(mtu_bytes), FULL_FRAMES
    return Traffic(
        request,
        response,
        connections,
        waits=waits,
        shares_segments=not waits,
        segments_per_ack=segments_per_ack,
        name=name,
    )


def _of_stages(
    path: "Path",
    traffic: "Traffic",
    mtu: Any,
    stack: Stack,
    between: "Distance | None",
    printed: "SpecifiedPath | None" = None,
) -> "Prediction":
    """Return what stages allow, at an MTU of the path where none is given."""
    from netmodel.path import predict_path

    if mtu is None:
        require_own_mtu(path, "{mtu_bytes} or {link_mtu_bytes}")
    else:
        require_at_most("mtu_bytes", mtu, MAX_PACKET_BYTES, "byte")
    require_suiting(between, path)
    if printed is not None:
        from netmodel.published._of_path import with_printed_costs

        path = with_printed_costs(path, printed, traffic, mtu, stack)
    return predict_path(path, traffic, mtu, stack)


@in_base_units
def plan(
    flows: kinds.Flows = (),
    *,
    request_bytes: kinds.Size | None = None,
    response_bytes: kinds.Size | None = None,
    volume_bytes: kinds.Size | None = None,
    adapters: kinds.Adapters = (),
    sender: kinds.AnAdapter | None = None,
    receiver: kinds.AnAdapter | None = None,
    path: kinds.APath | None = None,
    mtu_bytes: kinds.Sizes = (),
    link_mtu_bytes: kinds.Sizes = (),
    connections: kinds.Counts | None = None,
    client_host: kinds.AHost | None = None,
    server_host: kinds.AHost | None = None,
    max_utilisation: kinds.Share | None = None,
    max_utilisation_after_failure: kinds.Share | None = None,
    spares: kinds.Count | None = None,
    adapters_available: kinds.Count | None = None,
    client_cost: kinds.Cost | None = None,
    server_cost: kinds.Cost | None = None,
    cpu_frequency_hz: kinds.Frequency | None = None,
    cpu_time_basis: Literal["core", "thread"] | None = None,
    smt_gain: kinds.Factor | None = None,
    cost_measured_with: kinds.Conditions | None = None,
    line_rate_bps: kinds.Rate | None = None,
    stack: kinds.Headers | None = None,
    ip: Literal[4, 6] | None = None,
    transport: Literal["tcp", "udp"] | None = None,
    timestamps: bool | None = None,
    vlan_tags: kinds.Count | None = None,
    segments_per_ack: kinds.Count | None = None,
    physics_only: bool = False,
    km: kinds.Kilometres | None = None,
    rtt_s: kinds.Times | None = None,
    equipment_s: kinds.Time | None = None,
    window_bytes: kinds.Windows | None = None,
    loss_ratio: kinds.Losses | None = None,
    protocol: Literal["tcp", "smc-r"] | None = None,
) -> "Plans":
    """
    How many adapters and CPUs a demand needs, with headroom and spares.

    Parameters
    ----------
    flows : str, float, Flow or iterable of them
        The demand: a payload rate or transactions per second, and a workload, such as
        ``"25 Gbit/s str-writex30k"`` or ``"1e5/s rr1c-200x1000 from client"``. A rate alone,
        ``"18 Gbit/s in"`` or ``18e9`` in bit/s, is a stream of full frames; ``in`` and ``out``
        are as seen from the server, ``in`` by default.
    request_bytes : int or str, optional
        Size of a request; in place of a workload. Without a response, what the client writes
        without a pause. [byte]
    response_bytes : int or str, optional
        Size of its response; without a request, what the server writes without a pause. [byte]
    volume_bytes : int or str, optional
        Payload of a copy, such as ``"5 TB"``; the answer has its time. [byte]
    adapters : Adapter, str, path or sequence of them, optional
        Adapter at both ends; several are candidates.
    sender : Adapter, str or path, optional
        Adapter of the side that sends more payload, the client when equal.
    receiver : Adapter, str or path, optional
        Adapter of the other side. Both, or a path.
    path : PathRecord, str or path, optional
        What lies between: an id of the catalog, or your own in a ``.toml`` file.
    mtu_bytes : int, str or sequence of them, optional
        IP MTU of the innermost interface, inside any tunnel; several are candidates. [byte]
    link_mtu_bytes : int, str or sequence of them, optional
        IP MTU of the outermost interface, in place of `mtu_bytes`. [byte]
    connections : int or str, optional
        Connections at the same time; of each flow, on all adapters together.
    client_host, server_host : Host, str or path, optional
        Host of each side; for its CPU time.
    max_utilisation : float or str, optional
        Share of each stage that may be used; 0.7 by default.
    max_utilisation_after_failure : float or str, optional
        Share that may be used while `spares` adapters have failed; `max_utilisation` by default.
    spares : int or str, optional
        Adapters of a side that may fail at the same time, 1 by default.
    adapters_available : int or str, optional
        Adapters at each side that there are, or of the server where all flows are "in" or "out"; a
        plan that needs more does not hold.
    client_cost, server_cost : str, optional
        CPU cost of each side, such as ``"0.16 cores/(Gbit/s)"`` or ``"35 µs/transaction"``; the
        plan then has its cores.
    cpu_frequency_hz : float or str, optional
        Clock of the CPU, such as ``"5.2 GHz"``; for costs in cycles/byte. [Hz]
    cpu_time_basis : {"core", "thread"}, optional
        What the costs are time of: cores with one busy thread, or threads; that of the host by
        default, or cores.
    smt_gain : float, optional
        Work of a core with two busy threads over that with one, 1 to 2; for core time.
    cost_measured_with : str or mapping, optional
        Conditions under which the costs were measured, such as ``"mtu=1500 connections=10"``; those
        of the question by default.
    line_rate_bps : float or str, optional
        MAC rate of the line, such as ``25e9`` or ``"25 Gbit/s"``; of each adapter, that of the
        slower by default. [bit/s]
    stack : Stack or str, optional
        All headers, outermost first, such as ``"ipv4/udp/vxlan/ethernet/ipv4/tcp+timestamps"``; in
        place of their parts.
    ip : {4, 6}, optional
        IP version; 4 by default.
    transport : {"tcp", "udp"}, optional
        Transport protocol; TCP by default.
    timestamps : bool, optional
        Whether TCP segments carry the timestamps option; yes by default.
    vlan_tags : int or str, optional
        802.1Q tags in each frame; 0 by default.
    segments_per_ack : int, optional
        Also count pure acknowledgements, each for this many segments; of streams only, as those of
        requests ride on data.
    physics_only : bool
        Whether to leave out what documents print, and compute from the parts of the path alone.
    km : float, str or sequence of float, optional
        Distance between the sites, in km of fibre; a list or range gives a case for each. [km]
    rtt_s : float, str or sequence of float, optional
        Round trip between the sites without queues; in place of `km`. [s]
    equipment_s : float or str, optional
        What equipment adds to the round trip of `km`, in both directions together. [s]
    window_bytes : float, str or sequence of float, optional
        Payload that each connection may have in flight, such as ``"256 KiB"``. [byte]
    loss_ratio : float, str or sequence of float, optional
        Share of packets that are lost, independently of each other, such as ``1e-4``.
    protocol : {"tcp", "smc-r"}, optional
        Protocol that carries the data of sockets; TCP by default.

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
    from netmodel.planning import Headroom, Plans, compare_plans

    policy: dict[str, Any] = {
        "max_utilisation_ratio": max_utilisation,
        "spare_count": spares,
        "max_utilisation_after_failure_ratio": max_utilisation_after_failure,
    }
    headroom = Headroom(**{name: each for name, each in policy.items() if each is not None})
    frame = stack_of(stack, ip, transport, timestamps, vlan_tags, protocol)
    sizes = (request_bytes, response_bytes)
    demand = _demand(flows, sizes, connections, segments_per_ack, frame)
    inner, outer = (listed_values(each) or None for each in (mtu_bytes, link_mtu_bytes))
    not_both(mtu_bytes=inner, link_mtu_bytes=outer)
    mtus = [ip_mtu(each) for each in inner or ()]
    mtus += [int(frame.mtu_bytes(ip_mtu(each, "link_mtu_bytes"))) for each in outer or ()]
    costs = (client_cost, server_cost, cpu_frequency_hz, cpu_time_basis, smt_gain)
    cards = list(listed_values(adapters))
    if not cards and sender is receiver is path is None:
        alone = "; netmodel consumption cpus has CPUs alone" if any(costs) else ""
        raise ArgumentsError("give {adapters}, or {sender} and {receiver}, or {path}" + alone)
    if cards and not sender is receiver is None:
        raise ArgumentsError("give {adapters}, or {sender} and {receiver}, not both")
    between = {"km": km, "rtt_s": rtt_s, "window_bytes": window_bytes, "loss_ratio": loss_ratio}
    paths = []
    for place, card in enumerate(cards or [None]):
        if card in cards[:place]:
            continue
        specified = path_between(
            card, sender, receiver, path, line_rate_bps, client_host, server_host
        )
        costed = with_costs(require_path(specified), *costs, cost_measured_with)
        for case in cases_of(between, between):
            distance = distance_of(**case, equipment_s=equipment_s, protocol=protocol)
            paths.append(replace(costed, distance=distance))
    for each in paths:
        if each.distance is not None:
            require_suiting(each.distance, each.path_of(demand[0].traffic))
        if not mtus:
            require_own_mtu(each.path(Side.CLIENT), "{mtu_bytes} or {link_mtu_bytes}")
    plans = compare_plans(
        demand,
        paths,
        mtus or [None],
        frame,
        headroom=headroom,
        physics_only=physics_only,
        adapters_available=require_least("adapters_available", adapters_available),
    )
    if volume_bytes is None:
        return plans
    volume = require_least("volume_bytes", volume_bytes)
    return Plans(replace(each, volume_bytes=volume) for each in plans)


def _demand(
    flows: "kinds.Number | Flow | Iterable[kinds.Number | Flow]",
    sizes: tuple[Any, Any],
    connections: Any,
    segments_per_ack: Any,
    stack: Stack,
) -> "list[Flow]":
    """Each flow; messages, connections and acknowledgements are those of flows given as text."""
    from netmodel.concurrency._spreading import MAX_FLOW_COUNT
    from netmodel.planning import parse_flow

    given = [rate_text("flows", each) for each in listed_values(flows)]
    if not given:
        raise ArgumentsError("give {flows}")
    if not all(isinstance(each, str) for each in given):
        refuse(
            "leave out {name}: a Flow has its own in its traffic",
            request_bytes=sizes[0],
            response_bytes=sizes[1],
            connections=connections,
            segments_per_ack=segments_per_ack,
        )
    count, *others = listed_values(connections)
    if others:
        raise ArgumentsError("give one number of {connections}: that of each flow")
    if count is not None and not 1 <= count <= MAX_FLOW_COUNT:
        problem = "{connections} must be from 1 to {most:,}; got {count:,}"
        raise WrongValueError(problem, most=MAX_FLOW_COUNT, count=count)
    messages = None
    if sizes != (None, None):
        messages = _messages(*sizes, count, segments_per_ack, stack, None)
    with refusing("flows", UnitError, ContradictionError):
        return [
            parse_flow(each, count, segments_per_ack, messages) if isinstance(each, str) else each
            for each in given
        ]
