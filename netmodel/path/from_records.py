"""Stages and CPUs from records of adapters and hosts, and traffic of workloads."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from netmodel.ceilings import ByteLayer, Capacity, wire_time_s
from netmodel.consumption import Side, smt_capacity_core_count
from netmodel.errors import ContradictionError, DomainError
from netmodel.estimates import Estimate
from netmodel.grades import Grade, weakest_grade
from netmodel.numeric import FloatOrArray
from netmodel.path.ensemble import Interval, Joint, Parameter, joint_by_connections, require_a
from netmodel.path.stages import (
    COUNT_NAMES,
    DIRECTION_AT,
    LINE_STAGES,
    NO_TIME,
    Pool,
    Setting,
    Stage,
    Times,
    ValidityRange,
    host_pool_name,
)
from netmodel.path.traffic import Traffic
from netmodel.text import RESULT_DIGITS, span_text
from netmodel.units import BITS_PER_BYTE, format_rate

if TYPE_CHECKING:
    from netmodel.records import Adapter, Host
    from netmodel.records.paths import PathPool, PathRecord
    from netmodel.records.times import ServiceTimes
    from netmodel.records.values import Sourced, Value
    from netmodel.records.workloads import Workload

ADAPTER_CAPACITY = "adapter capacity"
"""In the names of stages of capacities that each adapter has."""
NETWORK = "the network between the adapters"
CPU_TIME = "CPU time of "
"""How records of hosts begin what their CPU times leave out."""
HOSTS_AND_NETWORK = f"host CPUs and {NETWORK}"


def parameter_of(known: Estimate, source: "Value | None" = None) -> Parameter:
    """Return a recorded value with its range; the value alone where there is no upper end."""
    value, low, high = known
    if low == high or high == math.inf:
        return value
    return Interval(value, low, high, has_figure(source))


def has_figure(source: "Value | None") -> bool:
    """Return True if a recorded value is a figure, not only a range."""
    return source is None or source.relation.value in {"equal", "about"}


def recorded_times(times: "ServiceTimes", of: str, together: str | None = None) -> Times:
    """Return the service times of one direction from a record; points go together under a name."""
    keys = times.quoted.present
    known_points = ([getattr(point, key) for key in keys] for point in times.points)
    columns = [*zip(*known_points, strict=True)]
    parameters: Sequence[Parameter]
    if times.at:
        # each time with each number of connections; plain ones move to their ends together
        known: dict[int, Sequence[tuple[float, ...]]] = {}
        for each in times.at:
            rows = [
                [getattr(point, key).time_s_estimate for key in point.present]
                for point in each.points
            ]
            points = [tuple(end.value for end in row) for row in rows]
            if each.present:
                (row,) = rows
                points.append(tuple(end.low for end in row))
                points.append(tuple(x.value if x.high == math.inf else x.high for x in row))
            known[each.connections or 1] = points
        name = of if times.middle.present else together or of
        printed = [entry.quoted_count for entry in times.at]
        parameters = joint_by_connections(name, known, times.middle.connections or 1, printed)
    elif len(times.points) == 1:
        parameters = [parameter_of(value.time_s_estimate, value) for (value,) in columns]
    else:
        figures = [tuple(x.time_s_estimate.value for x in column) for column in columns]
        parameters = [Joint(each, together or of, times.quoted_count) for each in figures]
    # records of hosts count packets where stages count frames
    names = ["per_frame_s" if key == "per_packet" else f"{key}_s" for key in keys]
    grades = [weakest_grade(x.grade for x in column) or Grade.ASSUMED for column in columns]
    validity = None
    if times.known_payload is not None:
        low, high = times.known_payload.size_bytes_bounds
        note = f"extrapolation: calibrated for {times.known_payload} of payload"
        validity = ValidityRange(low, high, note)
    given: dict[str, Any] = dict(zip(names, parameters, strict=True))
    return Times(**given, validity=validity, grades=dict(zip(names, grades, strict=True)))


def notes_of(name: str, parts: "Mapping[str, Sourced]") -> Iterator[str]:
    """Yield notes on a record: assumed values, and those without a range."""
    from netmodel.records.equipment import Observation
    from netmodel.records.values import Value

    if assumed := [part for part in parts.values() if part.grade is Grade.ASSUMED]:
        yield f"{len(assumed)} of {len(parts)} values of {name} are assumed"
    for key, part in parts.items():
        if not isinstance(part, Value) or isinstance(part, Observation):
            continue
        # a time without an upper end, or a rate without a lower one, may be endlessly slow
        low, high = part.interval
        is_open = low <= 0 if part.unit.endswith("/s") else high == math.inf
        if is_open and part.relation.value != "equal":
            yield f"{key} of {name} is {part}: assumed exact"


def line_rate_of(
    adapters: "Sequence[Adapter]", line_rate_bps: float | None
) -> tuple[float, Grade | None]:
    """
    Return the rate of the line between adapters, and its grade where a record has it.

    Raises
    ------
    ContradictionError
        If an adapter is slower than the line given.
    """
    slowest = min(adapters, key=lambda item: item.line_rate_bps, default=None)
    if line_rate_bps is None and slowest is not None:
        return slowest.line_rate_bps, (slowest.line_rate.grade if slowest.line_rate else None)
    given_bps = math.inf if line_rate_bps is None else line_rate_bps
    if slowest is not None and given_bps > slowest.line_rate_bps:
        raise ContradictionError(
            f"the line is {format_rate(given_bps, RESULT_DIGITS)}, but {slowest.id} has only "
            f"{format_rate(slowest.line_rate_bps, RESULT_DIGITS)}"
        )
    return given_bps, None


def wire_stages(line_rate_bps: float, grade: Grade | None = None) -> tuple[Stage, Stage]:
    """
    Return the two directions of a line.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate. [bit/s]
    grade : Grade, optional
        How good the evidence for it is.

    Returns
    -------
    to_server, to_client : Stage
        Named ``"wire_to_server"`` and ``"wire_to_client"``.

    Raises
    ------
    DomainError
        If the rate is not above zero, or infinite.

    Examples
    --------
    >>> wire_stages(25e9)[0].to_server.per_byte_s
    3.2e-10
    """
    grades = {} if grade is None else {"per_byte_s": grade}
    times = Times(per_byte_s=wire_time_s(line_rate_bps, 1), grades=grades)
    to_server, to_client = LINE_STAGES
    return (
        Stage(name=to_server, to_server=times, byte_layer=ByteLayer.WIRE),
        Stage(name=to_client, to_client=times, byte_layer=ByteLayer.WIRE),
    )


def capacity_stages(capacity: Capacity, side: Side | None, number: int) -> Iterator[Stage]:
    """
    Yield the stages of a capacity, named by its text: each direction, or one for both together.

    Capacities with the same text at the same end are numbered. That of a side is of its adapter;
    without one both ends have it, each as seen from its host. The bucket counts as always full, and
    an unknown layer as payload, so that the limit stays an upper bound.
    """
    times = Times(per_byte_s=BITS_PER_BYTE / capacity.rate_bps)
    name = ADAPTER_CAPACITY if side or capacity.scope == "adapter" else "capacity"
    whose = f"{side.value} " if side else ""
    name = f"{whose}{name} {capacity}" + f" ({number + 1})" * bool(number)
    servers = capacity_servers(capacity, ByteLayer.PAYLOAD)
    both = Stage(name=name, to_server=times, to_client=times, side=side, **servers)
    if capacity.direction == "both":
        yield both
        return
    seen = ("out", "in") if capacity.direction is None else (capacity.direction,)
    ways = {DIRECTION_AT[end, one]: one for end in ([side] if side else Side) for one in seen}
    for way, other in (("to_server", "to_client"), ("to_client", "to_server")):
        if way in ways:
            given: dict[str, Any] = {other: NO_TIME}
            seen_way = ways[way] if side else way.replace("_", " ")
            yield replace(both, name=f"{name.removesuffix(f' {seen_way}')} {seen_way}", **given)


def capacity_servers(capacity: Capacity, unknown_layer: ByteLayer) -> dict[str, Any]:
    """Return the fields of a stage of a capacity; the given layer counts where none is known."""
    is_of_flow = capacity.scope == "flow"
    return {
        "parallel_count": None if is_of_flow else 1,
        "is_serial": is_of_flow,
        "delays": False,
        "byte_layer": capacity.layer or unknown_layer,
        "capacity": capacity,
    }


def usual_mtus(records: Iterable[Any]) -> dict[str, str]:
    """Return the usual MTU of each adapter that has one, by its id."""
    facts = {each.id: getattr(each, "facts", {}) for each in records}
    return {name: known["usual_mtu"] for name, known in facts.items() if "usual_mtu" in known}


def adapter_stages(adapter: "Adapter", side: Side) -> tuple[Stage, Stage]:
    """
    Return the two directions of an adapter.

    Parameters
    ----------
    adapter : Adapter
        From the catalog, or from a file.
    side : Side
        Whose it is.

    Returns
    -------
    outward, inward : Stage
        As seen from the host: named such as ``"client_adapter_out"``. A
        direction that always filled its line takes no time.

    Raises
    ------
    DomainError
        If it is no record of an adapter.

    Notes
    -----
    An adapter without service times is no slower than its line; a note says so, except of plain
    Ethernet. `netmodel.calibration` makes service times of limits that were observed.

    References
    ----------
    N. Hoppmann, "Exploring the performance of network adapters for Linux on
    IBM Z" (2021), slide 35, for limits of an adapter by direction.

    Examples
    --------
    >>> from netmodel.records import adapter
    >>> _, inward = adapter_stages(adapter("osa-express7s-25gbe"), Side.SERVER)
    >>> inward.name, round(inward.to_server.per_frame_s.values[0] * 1e6, 6)
    ('server_adapter_in', 0.864478)
    """
    require_record("adapter", adapter, "adapters")
    stages = []
    for direction, recorded in (("out", adapter.out), ("in", adapter.in_)):
        seen = any(each.direction == direction for each in adapter.observations)
        known = "observed limits are not calibrated" if seen else "no limit known"
        note = f"{known}: assumed no slower than its line"
        unknown = Times(validity=ValidityRange(math.inf, math.inf, note))
        times = NO_TIME if adapter.kind == "ethernet" or adapter.capacities else unknown
        if recorded:
            times = recorded_times(recorded, f"{adapter.id} {direction}")
        given: dict[str, Any] = {DIRECTION_AT[side, direction]: times}
        stages.append(Stage(name=f"{side.value}_adapter_{direction}", side=side, **given))
    return stages[0], stages[1]


def host_stages(host: "Host", side: Side) -> tuple[Stage, ...]:
    """
    Return the stages on which a host spends CPU time for sending and for receiving.

    Parameters
    ----------
    host : Host
        From the catalog, or from a file.
    side : Side
        Which end of the path it is.

    Returns
    -------
    stages : tuple of Stage
        Named such as ``"client_host_send"`` and ``"client_host_receive"``, on
        the pool of :func:`host_pool`. None where the host has no CPU times; where it
        has those of one direction only, the other is not complete.

    Raises
    ------
    DomainError
        If it is no record of a host, or a time is negative.

    Notes
    -----
    Their CPU time for a message is that of
    :func:`netmodel.consumption.message_cpu_time_s`. A message that waits for its answer shares
    no packet with others: the host then handles at least one.

    References
    ----------
    D. D. Clark, V. Jacobson, J. Romkey and H. Salwen, "An analysis of TCP
    processing overhead", IEEE Communications Magazine 27 (1989), for costs per
    packet and per byte.

    Examples
    --------
    >>> from netmodel.consumption import Side
    >>> from netmodel.records import Host
    >>> given = {"source": "lab", "locator": "run 3", "grade": "measured"}
    >>> packet = {"value": 1, "unit": "µs", **given}
    >>> host = Host(id="mine", title="mine", kind="own", send={"per_packet": packet})
    >>> [(stage.name, stage.to_server.is_complete) for stage in host_stages(host, Side.SERVER)]
    [('server_host_send', True), ('server_host_receive', False)]
    """
    require_record("host", host, "hosts")
    if not host.has_cpu_times:
        return ()
    stages = []
    for key, direction, times in (("send", "out", host.send), ("receive", "in", host.receive)):
        known = ((name, getattr(times, name, None)) for name in COUNT_NAMES)
        counts = {name: count for name, count in known if count is not None}
        taken = Times(is_complete=False)
        if times is not None:
            taken = recorded_times(times, f"{host.id} {key}", together=host.id)
        given: dict[str, Any] = {DIRECTION_AT[side, direction]: taken}
        given |= {name: parameter_of(count.number_estimate) for name, count in counts.items()}
        grades = {name: count.grade for name, count in counts.items()}
        name, pool, is_serial = f"{side.value}_host_{key}", host_pool_name(side), bool(host.serial)
        stage = Stage(name=name, side=side, pool=pool, parallel_count=None, is_serial=is_serial)
        stages.append(replace(stage, grades=grades, **given))
    return tuple(stages)


def host_pool(host: "Host", side: Side) -> Pool:
    """
    Return the CPU pool of a host.

    Parameters
    ----------
    host : Host
        From the catalog, or from a file.
    side : Side
        Which end of the path it is.

    Returns
    -------
    pool : Pool
        Named such as ``"client_cpus"``, in the time basis of the host: threads,
        or cores with one busy thread. Their number is None where it is not known.

    Raises
    ------
    DomainError
        If it is no record of a host, or has no CPU at all.

    Examples
    --------
    Four cores with two threads each; what both together do is not known:

    >>> from netmodel.consumption import Side
    >>> from netmodel.records import host
    >>> host_pool(host("z15-lpar-4core-smt2"), Side.CLIENT).parallel_count
    Interval(value=4.0, low=4.0, high=8.0, has_figure=True)
    """
    require_record("host", host, "hosts")
    return cpu_pool(host_pool_name(side), side, host, host.core_count or host.processor_count)


def cpu_pool(name: str, side: Side | None, cpus: "PathPool | Host", cores: "Value | None") -> Pool:
    """Return CPUs in the time basis of the stages: threads, or cores with one busy thread."""
    basis, threads = cpus.cpu_time_basis or "core", _threads(cpus)
    gain = cpus.smt_gain if basis == "core" and threads > 1 else None
    threads_per_core = threads if basis == "thread" else 1
    given: dict[str, Any] = {"threads_per_core": threads_per_core}
    if gain:
        given["smt_gain"] = parameter_of(gain.number_estimate)
    if cpus.cpu_time_basis or cores is not None:  # without either a CPU may be core or thread
        given["time_basis"] = basis
    if cores is None:
        return Pool(name, None, side, **given)
    known = cores.number_estimate
    if gain:
        pairs = zip(known, gain.number_estimate, strict=True)
        count = [smt_capacity_core_count(core, ratio) for core, ratio in pairs]
    elif _lacks_gain(cpus):
        count = [known.value, known.low, threads * known.high]
    else:
        count = [core * threads_per_core for core in known]
    values = filter(None, (cores, cpus.threads_per_core, gain))
    grade = weakest_grade(value.grade for value in values)
    return Pool(name, parameter_of(Estimate(*count)), side, grade=grade, **given)


def cpu_notes(name: str, cpus: "PathPool | Host") -> Iterator[str]:
    """Yield a note on the number of CPUs."""
    if _lacks_gain(cpus):
        yield f"{name}: smt_gain not given: its CPUs count as cores, up to all threads"


def _threads(cpus: "PathPool | Host") -> float:
    """Threads of a core; one where their number is not known."""
    return cpus.threads_per_core.number_estimate.value if cpus.threads_per_core else 1


def _lacks_gain(cpus: "PathPool | Host") -> bool:
    """Return True if times count cores, and the gain of their threads is not known."""
    return _threads(cpus) > 1 and cpus.smt_gain is None and cpus.cpu_time_basis != "thread"


def host_unknown(host: "Host | None", side: Side) -> Iterator[str]:
    """Yield the CPU times of a side that are not known."""
    if host is None:
        yield f"CPU times of the {side.value}"
    elif not host.has_cpu_times:
        yield f"CPU times of the {side.value} ({host.id} has none)"
    else:
        for times, verb in ((host.send, "sending"), (host.receive, "receiving")):
            if times is None:
                yield f"CPU times of the {side.value} for {verb}"
        if (host.core_count or host.processor_count) is None:
            yield f"the number of CPUs of the {side.value}"
        yield from (f"{text} ({side.value})" for text in host.unknown if text.startswith(CPU_TIME))


def lacks_cpu_time(unknown: Iterable[str], side: Side) -> bool:
    """Return True if the unmodelled parts of a path may be CPU time of a side."""
    own, other = f"of the {side.value}", side.other.value
    elsewhere = re.compile(
        rf"{NETWORK}|the number of CPUs {own}|CPU latency( and number of CPUs)? {own}.*"
        rf"|CPU times of the {other}.*|.*(of the {other}|\({other}\))"
    )
    return not all(map(elsewhere.fullmatch, unknown))


def workload_traffic(
    workload: "Workload",
    connection_count: FloatOrArray | None = None,
    *,
    shares_segments: bool = True,
    segments_per_ack: FloatOrArray | None = None,
    payload_bytes: int | None = None,
) -> Traffic:
    """
    Return the traffic of a workload.

    Parameters
    ----------
    workload : Workload
        From the catalog, or from a file.
    connection_count : float or array_like, optional
        Connections at the same time.
    shares_segments : bool
        Whether the writes of a stream share segments, as they do where the
        sender never pauses; requests and responses never do.
    segments_per_ack : float or array_like, optional
        Frames that one pure acknowledgement answers; not counted when left out.
    payload_bytes : int, optional
        What the side sends each time that sends more: one of the sizes that the
        workload allows, by default the largest, where it has a range. [byte]

    Returns
    -------
    traffic : Traffic
        A transaction is a request with its response, or one write of a stream.

    Raises
    ------
    AmbiguousValueError
        If the size of the smaller message is only known as a range.
    DomainError
        If it is no record of a workload, a count is below 1, or the workload does not
        allow the size given.

    Examples
    --------
    >>> from netmodel.records import workload
    >>> workload_traffic(workload("str-writex30k")).request_bytes
    30720
    """
    require_record("workload", workload, "workloads")
    is_client = workload.sender is Side.CLIENT
    low, high = workload.request_bytes_bounds if is_client else workload.response_bytes_bounds
    if payload_bytes is None and low != high:
        payload_bytes = int(high)
    if payload_bytes is not None and not low <= payload_bytes <= high:
        allowed = span_text(f"{low} byte", f"{high} byte")
        raise DomainError(f"payload_bytes must be {allowed} in {workload.id}; got {payload_bytes}")
    given = {workload.sender: payload_bytes}
    return Traffic(
        request_bytes=given.get(Side.CLIENT) or workload.request_bytes,
        response_bytes=given.get(Side.SERVER) or workload.response_bytes,
        connection_count=connection_count,
        waits=not workload.is_stream,
        shares_segments=workload.is_stream and shares_segments,
        segments_per_ack=segments_per_ack,
        name=workload.id if payload_bytes is None else f"{workload.id} of {payload_bytes:,} byte",
    )


def require_record(name: str, value: object, kind: str) -> None:
    """Raise DomainError if the value is no record of this kind, with advice on how to read one."""
    from netmodel.records.lookup import model_of

    wanted: type = model_of(kind)
    if not isinstance(value, wanted):
        reader = "path_record" if kind == "paths" else kind.removesuffix("s")
        advice = f"netmodel.records.{reader}(id or file) reads one; netmodel.predict takes ids"
        require_a(name, value, wanted, advice)


def settings_of(records: "Iterable[Adapter | Host | PathRecord]") -> Iterator[Setting]:
    """Yield the settings of adapters, hosts and paths, each record once."""
    for record in {each.id: each for each in records}.values():
        for name, fact in record.measured_with.items():
            yield Setting(record.id, name, fact.value, fact.source, fact.locator, fact.note or "")
