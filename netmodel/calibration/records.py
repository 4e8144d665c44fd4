"""Calibrated adapters and hosts: the cost of a host from its runs, and records of both."""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any, TypeAlias

from netmodel.calibration import named_models, observations
from netmodel.calibration._fit import Fit, fit, with_hidden_outlier
from netmodel.calibration.calibrations import Calibration
from netmodel.calibration.models import Shown, noise_unknown, read_conditions
from netmodel.calibration.observations import Conditions, Observed
from netmodel.calibration.sets import FeasibleSet
from netmodel.calibration.sources import reported
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, ContradictionError, DomainError
from netmodel.framing import tcp_stack
from netmodel.grades import Grade
from netmodel.path.stages import BATCH_NAMES, COUNT_NAMES, TIME_NAMES
from netmodel.readers import Direction
from netmodel.readers.host_runs import HostRun, Processor
from netmodel.text import argument, fixed_percent, listed, percent_text, span_text
from netmodel.units import format_rate, format_time

_DIGITS = 10
"""Of 15 that a float has: the last ones depend on the machine's order of operations."""
_EDGE_COUNT, _LARGE_EDGE_COUNT = 32, 128
"""
Points at the edge of a likelihood region of up to two parameters, and of more.

32 on an ellipse leave 0.5 % of its half-width between a chord and the arc.
"""


def adapter_document(
    calibration: Calibration, line_rate_bps: float, title: str, source: str
) -> dict[str, Any]:
    """
    Return the record of a calibrated adapter, for `netmodel.records.write_record`.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
        Of one direction of an adapter, or of several by the condition ``direction``.
    line_rate_bps : float
        MAC rate of its line. [bit/s]
    title : str
        One line.
    source : str
        Source of the observations.

    Returns
    -------
    document : dict
        Service times of each direction, as points that are possible together: vertices of the
        feasible set of figures as printed, and of their rounding where that is one point; or
        the most likely point and then the edge of the likelihood region. A prediction with them
        spans what they leave open. ``scatter`` is the standard deviation from run to run,
        where it is known.

    Raises
    ------
    CalibrationError
        If a time is unbounded, or the noise of your own runs is not known.
    DomainError
        If the model is not that of an adapter, or the condition ``direction`` is missing.

    Examples
    --------
    >>> from netmodel.calibration import Observed, calibrate
    >>> seen = [
    ...     Observed(
    ...         quantity="throughput_bps",
    ...         at={"mtu_bytes": mtu_bytes, "direction": "in"},
    ...         low=rate_bps,
    ...         high=rate_bps,
    ...     )
    ...     for mtu_bytes, rate_bps in ((1500, 13.4e9), (4000, 20.0e9), (9000, 24.1e9))
    ... ]
    >>> document = adapter_document(calibrate(seen, noise_ratio=0.01), 25e9, "mine", "lab")
    >>> document["in"]["known_payload"]
    '1448 to 8948 B'
    """
    ways = dict.fromkeys(str(x.at.get("direction", "")) for x in calibration.observed)
    if set(ways) - {"in", "out"}:
        give = f"as a column, or {argument('given', '--given', {'direction': 'in'})} for all"
        known = f"in (it receives) or out (it sends), {give}"
        raise DomainError(f"the record of an adapter needs the condition direction: {known}")
    times = named_models.service_times(calibration.model)
    if times is None or times.is_of_host or len(times.places) < len(ways):
        raise DomainError("only the model of an adapter, for each direction, gives its record")
    number, unit = format_rate(line_rate_bps).split()
    specified = {"locator": "line rate as specified", "grade": Grade.PUBLISHED.value}
    rate = {"value": Decimal(number), "unit": unit, "source": source, **specified}
    document = {**_about(calibration, title, source), "line_rate": rate}
    for place in times.places:
        (way,) = [place] if times.by else ways
        own = {name for (where, _), name in times.names.items() if where == place}
        document[way] = _times(_points(calibration, own), calibration, times, place)
    return document


def host_document(
    calibration: Calibration, title: str, source: str, **facts: Any
) -> dict[str, Any]:
    """
    Return the record of a host with calibrated CPU times, for `netmodel.records.write_record`.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
        Of the CPU cost of a host.
    title : str
        One line.
    source : str
        Source of the observations.
    **facts
        Of the host, by their keys in its record.

    Returns
    -------
    document : dict
        CPU times of what it sends and of what it receives, as far as the model has them; the
        points of both belong together. Batch sizes that were the same in all observations, such as
        ``segments_per_packet``, stand beside them.

    Raises
    ------
    CalibrationError
        If a time is unbounded, or the noise of a fit is not known.
    DomainError
        If the model is not that of the CPU cost of a host.

    Examples
    --------
    >>> from netmodel.calibration import Observed, calibrate, host_cost_model
    >>> seen = [
    ...     Observed(
    ...         quantity="cpu_us_per_gbit",
    ...         at={"mtu_bytes": mtu, "request_bytes": size, "side": "client"},
    ...         low=0.99 * cost,
    ...         high=1.01 * cost,
    ...     )
    ...     for mtu, size, cost in ((1500, 30720, 73828), (9000, 30720, 37207), (1500, 200, 1e6))
    ... ]
    >>> result = calibrate(seen, host_cost_model(), noise_ratio=0.01)
    >>> sorted(host_document(result, "my host", "lab"))
    ['defaults', 'kind', 'receive', 'scatter', 'send', 'title', 'unknown']
    """
    times, seen = named_models.service_times(calibration.model), calibration.observed
    if times is None or not times.is_of_host:
        raise DomainError("only the model of the CPU cost of a host gives the record of a host")
    # batch sizes: a number where all runs had the same, else the range of the runs
    counts = dict[str, str]()
    unknown = [] if "core_count" in facts else ["how many CPUs it has"]
    for name in COUNT_NAMES:
        usual = 1.0 if name in BATCH_NAMES else None
        known = (each.at.get(name, usual) for each in seen)
        values = sorted({each for each in known if isinstance(each, int | float)})
        if values not in ([], [usual]):
            counts[name] = span_text(f"{values[0]:g}", f"{values[-1]:g}")
        if len(values) > 1:
            unknown.append(f"{name} of a load: {counts[name]} in the runs")
    points = _points(calibration, {*calibration.parameters})
    document = {**_about(calibration, title, source), "unknown": unknown}
    for place in times.places:
        of_place = _times(points, calibration, times, place)
        document[named_models.HOST_TABLES[place]] = of_place | counts
    return document | facts


_Points: TypeAlias = tuple[list[dict[str, float]], str, int]
"""Points of parameters that span what is possible, their form, and how many are as printed."""


def _points(calibration: Calibration, own: Collection[str]) -> _Points:
    """Points of parameters, regardless of the others; those to quote first."""
    is_set = isinstance(calibration, FeasibleSet)
    # intervals of published figures are their rounding: only own runs have a noise to know
    is_published = is_set and all(each.is_published for each in calibration.observed)
    if calibration.scatter_ratio is None and not is_published:
        raise CalibrationError(f"no record: {noise_unknown()}")
    places = {name: place for place, name in enumerate(calibration.parameters) if name in own}
    if not isinstance(calibration, FeasibleSet):
        unknown = [] if any(calibration.estimable[name] for name in places) else [*places]
        why = "no order of magnitude is known: repeat runs, also at another MTU"
        # the edge of one or two parameters is two points or an ellipse
        first: Any = [[*calibration.values.values()]]
        others = calibration.edge(_EDGE_COUNT if len(places) <= 2 else _LARGE_EDGE_COUNT, places)
    else:
        unknown = [name for name, x in calibration.parameters.items() if x.high == math.inf]
        why = "no upper bound is known: measure a rate that is reached at least"
        # where each may be 0, the others may take all of the time
        if not (unknown or is_published or any(calibration.parameters[x].low for x in places)):
            unknown = [*places]
            why = "figures at one MTU say nothing of another: measure each direction at two MTUs"
        first, is_exact = calibration.printed_vertices, calibration.scatter_ratio is None
        others = first if len(first) > 1 and is_exact else calibration.vertices
    if unknown:
        raise CalibrationError(f"no record: {listed(unknown)}: {why}")
    # with the digits that hold on every machine: rounding may part the projections of one corner
    rows = [tuple(float(decimal_of(x[at])) for at in places.values()) for x in (*first, *others)]
    points = [dict(zip(places, row, strict=True)) for row in dict.fromkeys(rows)]
    return points, "vertices" if is_set else "samples", len({*rows[: len(first)]})


def _times(
    points: _Points, calibration: Calibration, times: named_models.ServiceTimes, place: str
) -> dict[str, Any]:
    """Times of one direction as records have them: a table for each point, and known payloads."""
    rows, form, printed_count = points
    # hosts handle packets of one or several frames
    written = {"per_frame_s": "per_packet_s"} if times.is_of_host else {}
    result: dict[str, Any] = {form: []}
    named = {time: times.names[place, time] for time in TIME_NAMES if (place, time) in times.names}
    for row in rows:
        known = {**calibration.model.fixed, **row}
        spent = {time: known[name] for time, name in named.items() if known[name] or name in row}
        texts = {written.get(time, time): format_time(each) for time, each in spent.items()}
        result[form].append({key.removesuffix("_s"): text for key, text in texts.items()})
    if form == "vertices" and printed_count < len(rows):
        result["printed_count"] = printed_count
    every = (named_models.frame_payloads(calibration.model, x.at) for x in calibration.observed)
    payloads = [of_place[place] for of_place in every if place in of_place]
    if payloads:
        ends = (f"{math.floor(min(payloads))} B", f"{math.ceil(max(payloads))} B")
        result["known_payload"] = span_text(*ends)
    return result


def _about(calibration: Calibration, title: str, source: str) -> dict[str, Any]:
    """Return the title, the scatter of runs and the description that any record has."""
    if isinstance(calibration, FeasibleSet):
        of = "as printed" if calibration.scatter_ratio is None else "and their scatter"
        points = f"vertices of the feasible set of the figures {of}; any may be true"
    else:
        level = fixed_percent(calibration.level_ratio, 0)
        points = f"most likely, then the edge of the region of {level}"
    ratio = calibration.scatter_ratio
    scatter = {} if ratio is None else {"scatter": percent_text(ratio, 3)}
    about = {"grade": Grade.FITTED.value, "note": f"netmodel calibrate: {points}"}
    place = {"source": source, "locator": f"{len(calibration.observed)} observations"}
    return {"title": title, "kind": "calibrated", **scatter, "defaults": place | about}


def decimal_of(number: float) -> Decimal:
    """
    Return a number as calibrated records hold it, with 10 digits.

    Examples
    --------
    >>> decimal_of(1 / 3)
    Decimal('0.3333333333')
    """
    return Decimal(f"{number:.{_DIGITS}g}")


DEFAULT_PARTS = (
    "per_message_s",
    *(f"{way}.per_{each}_s" for way in ("sent", "received") for each in ("frame", "byte")),
)
"""A message costs the same where it is sent and received: no usual run separates the two."""
_BATCH_PARTS = {
    "messages_per_wakeup": "per_wakeup_s",
    "frames_per_interrupt": "received.per_interrupt_s",
}
"""Parts that only runs with batches of several sizes separate from messages and frames."""
_ENOUGH = "small requests, large responses, streams both ways at MTU 1500 and 9000 separate these"
_SATURATED_RATIO = 0.99
"""Busy share of all CPUs above which other work hides in what a run takes."""
_WRITE_BYTES = 131_072
"""Writes of iperf3."""
_ALONE = "calibrate each host by itself"
_ALIKE = {
    "scope": "CPU time counts different things: {}: record the same for all (mpstat, sar)",
    "threads_per_core": f"hardware threads of a core differ: {{}}: {_ALONE}",
    "processor_type": f"processors differ: {{}}: {_ALONE}",
    "guest": f"the CPU time of a guest leaves out its hypervisor: {{}}: {_ALONE}",
}
"""Properties that all CPU data must share, each with the refusal where they differ."""
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True, repr=False)
class HostCalibration(Shown):
    """
    Service times of a host from runs, and what they rest on.

    Parameters
    ----------
    calibration : Fit
        Of CPU time per message, frame and byte.
    sides : tuple of Side
        Ends of the runs that count; both where they were hosts of one kind.
    basis : str
        Whose CPU time it is.
    facts : mapping
        Of the host, as its record has them.
    unknown : tuple of str
        What the CPU time leaves out.
    notes : tuple of str
        What to know before using the times, most important first.
    """

    calibration: Fit
    sides: tuple[Side, ...]
    basis: str
    facts: Mapping[str, Any]
    unknown: tuple[str, ...]
    notes: tuple[str, ...]

    json_keys = "sides basis scatter_ratio=calibration.scatter_ratio "
    json_keys += "misfit_ratio=calibration.misfit_ratio unknown"

    def document(self, title: str, source: str) -> dict[str, Any]:
        """
        Return the record of the host with this title, for `netmodel.records.write_record`.

        Raises
        ------
        CalibrationError
            If the noise is unknown.
        """
        document = host_document(self.calibration, title, source, **self.facts)
        return {**document, "unknown": [*document["unknown"], *self.unknown]}


def calibrated_host(
    runs: Sequence[HostRun],
    sides: Sequence[Side],
    *,
    parts: Sequence[str] = (),
    given: Conditions | None = None,
    noise_ratio: float | None = None,
) -> HostCalibration:
    """
    Service times of a host: CPU time per message, frame and byte, sent and received.

    Parameters
    ----------
    runs : sequence of HostRun
        Requests and streams, at one MTU or several.
    sides : sequence of Side
        Ends that count; both, where they are hosts of one kind.
    parts : sequence of str
        Service times to estimate, as `host_cost_model` has them. By default a time per message,
        and per frame and byte of each direction; a time per wake-up or interrupt too, where runs
        differ in ``messages_per_wakeup`` or ``frames_per_interrupt``.
    given : mapping, optional
        Conditions of all runs that results do not report, such as ``{"mtu_bytes": 1500}``.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio.

    Raises
    ------
    CalibrationError
        If the runs cannot separate the parts; the message names runs that would.
    ContradictionError
        If CPU time counts different things, processors differ, or as in
        `observed_of_run`.
    DomainError
        If sizes or MTU of a run are not known.
    """
    facts, basis, unknown = _described(runs, sides)
    seen = [observed_of_run(run, side, given or {}) for run in runs for side in sides]
    varied = (part for of, part in _BATCH_PARTS.items() if len({x.at.get(of) for x in seen}) > 1)
    model = named_models.host_cost_model(tuple(parts) or (*DEFAULT_PARTS, *varied))
    read_conditions(model, seen)  # an error names the run
    try:
        fitted = with_hidden_outlier(fit(seen, model, noise_ratio=noise_ratio))
    except CalibrationError as error:
        raise CalibrationError(f"{error}; {_ENOUGH}") from error
    alone = "a packet of the host is taken as a frame: with TSO or GRO give segments_per_packet"
    is_alone = not any("segments_per_packet" in each.at for each in seen)
    notes = [*fitted.notes, *[alone] * is_alone]
    # notes that differ in numbers alone are one; the cost of requests is per transaction
    alike: dict[str, list[str]] = defaultdict(list)
    for note in (note for run in runs for note in dict.fromkeys(run.notes)):
        if "it has no CPU time per data" not in note:
            alike[_NUMBERS.sub("", note)].append(note)
    notes += [f"{x} (and {len(more)} runs like it)" if more else x for x, *more in alike.values()]
    return HostCalibration(fitted, tuple(sides), basis, facts, unknown, tuple(notes))


def observed_of_run(run: HostRun, side: Side, given: Conditions) -> Observed:
    """
    CPU cost of a run at one of its ends: per transaction of requests, per data of a stream.

    Parameters
    ----------
    run : HostRun
        With CPU time of the side.
    side : Side
        Which end.
    given : mapping
        Conditions that its results do not report.

    Raises
    ------
    ContradictionError
        If it has no CPU time of the side, no CPU was idle in it, or it reports another value of
        a condition.
    """
    use = run.cpu.get(side)
    if use is None:
        give = f"record it during the run, or choose the other side ({argument('side', '--side')})"
        raise ContradictionError(f"{run.place}: no CPU time of the {side.value}: {give}")
    rates_tps = [
        x.transaction_rate_tps
        or x.counted.measures_latency * (x.stream_count or 1) / (x.transaction_time_s or math.inf)
        for x in run.results
    ]
    is_stream = not all(rates_tps)
    if is_stream:
        value, unit = use.us_per_gbit or 0.0, "µs/Gbit"
    else:
        value, unit = use.busy_cpu_count / sum(rates_tps), "s/transaction"
    if value <= 0:
        lacks = "neither goodput nor transactions per second are reported"
        problem = f"the {side.value} was no busier than while idle, or {lacks}"
        raise ContradictionError(f"{run.place}: {problem}: measure a higher load")
    at = _conditions(run, is_stream, {**run.conditions.get(side, {}), **given})
    at["side"] = side.value
    installed = use.installed_cpu_count or math.inf
    is_busy = use.busy_cpu_count > _SATURATED_RATIO * installed
    if is_busy and run.has_all_cpus and use.scope == "system":
        most = f"and other work may be a part. It spent at most {value:.4g} {unit}"
        busy = f"the {side.value} was saturated: all of its {installed} CPUs were busy, {most}"
        raise ContradictionError(f"{run.place}: {busy}: measure with CPUs to spare")
    quantity = observations.COSTS[0 if is_stream else 1]
    return observations.observed_figure(quantity, at, value, place=f"{run.place}, {side.value}")


def _conditions(run: HostRun, is_stream: bool, given: Conditions) -> dict[str, Any]:
    """Return messages and frame sizes of a run: as reported, else as specified."""
    first = run.results[0]
    known = reported(first).items()
    at = {name: value for name, value in known if name not in ("protocol", "write_bytes")}
    at["connection_count"] = sum(each.stream_count or 1 for each in run.results)
    if "mtu_bytes" not in at and first.traffic.segment_bytes is not None:
        at["mtu_bytes"] = int(tcp_stack().packet_bytes(first.traffic.segment_bytes))
    if is_stream:
        write: Any = first.traffic.write_bytes or given.get("write_bytes") or _WRITE_BYTES
        given = {name: value for name, value in given.items() if name != "write_bytes"}
        is_back = first.direction is Direction.SERVER_TO_CLIENT
        sizes = {"request_bytes": 0, "response_bytes": write} if is_back else {"write_bytes": write}
        at = observations.conditions_with(at, sizes)
    at = observations.with_given(at, given, run.place)
    named = () if {"write_bytes", "workload"} & at.keys() else ("request_bytes", "response_bytes")
    for name in (*named, "mtu_bytes"):
        if name not in at:
            give = f"{argument('given', '--given', {name: 1500})}, or a conditions.toml beside it"
            raise DomainError(f"{run.place}: {name} is not reported: give it ({give})")
    return at


def _described(
    runs: Sequence[HostRun], sides: Sequence[Side]
) -> tuple[dict[str, Any], str, tuple[str, ...]]:
    """
    Facts of the host as records have them, whose CPU time it is, and what that leaves out.

    CPU time that does not count the same, or of other processors, is refused.
    """
    known: dict[str, dict[Any, str]] = defaultdict(dict)  # of each property a place by its value
    for run, side in product(runs, sides):
        use = run.cpu.get(side)
        model, threads, vendor = run.processors.get(side, Processor())
        cpus = use.installed_cpu_count if use and run.has_all_cpus else None
        about = {
            "scope": use and use.scope,
            "core_count": cpus and threads and cpus / threads,
            "threads_per_core": threads,
            "processor_type": model,
            "hypervisor": vendor,
            "guest": model and f"in a guest: {vendor is not None}",
        }
        for name in filter(about.get, about):
            known[name][about[name]] = f"{run.place}, {side.value}"
    for name, problem in _ALIKE.items():
        if len(known[name]) > 1:
            differ = ", ".join(f"{place} {value}" for value, place in known[name].items())
            raise ContradictionError(problem.format(differ))
    facts: dict[str, Any] = {
        name: {"value": decimal_of(*known[name]), "unit": "1"}
        for name in ("core_count", "threads_per_core")
        if len(known[name]) == 1
    }
    for name in filter(known.get, ("processor_type", "hypervisor")):
        facts[name] = {"value": next(iter(known[name]))}
    basis, unit, unknown = "programs, kernel and interrupts", "CPUs as the kernel counts them", []
    for threads in known["threads_per_core"]:
        facts["cpu_time_basis"] = "thread" if threads > 1 else "core"
        unit = "cores" if threads == 1 else f"hardware threads, {threads:g} to a core"
    if known["hypervisor"]:
        unit += "; inside a guest"
        unknown.append("CPU time of the hypervisor: the CPU time is that of the guest")
    if "process" in known["scope"]:
        basis = "process"
        unknown.append("CPU time of interrupts and kernel threads: only the tool's process counts")
    return facts, f"{basis}; {unit}", tuple(unknown)
