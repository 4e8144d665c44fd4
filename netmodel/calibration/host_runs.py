"""The CPU cost of a host from runs of tools, each with the CPU time of its hosts."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

from netmodel.calibration._fit import Fit, fit, with_hidden_outlier
from netmodel.calibration._shown import Shown
from netmodel.calibration.models import read_conditions
from netmodel.calibration.observations import (
    COSTS,
    Conditions,
    Observed,
    conditions_with,
    observed_figure,
    with_given,
)
from netmodel.calibration.path_models import host_cost_model
from netmodel.calibration.records import HOW_MANY_CPUS, decimal_of, host_document
from netmodel.calibration.sources import reported
from netmodel.consumption import Side
from netmodel.errors import CalibrationError, ContradictionError, DomainError
from netmodel.framing import tcp_stack
from netmodel.readers import Direction
from netmodel.readers.host_runs import HostRun, Processor
from netmodel.text import argument

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
_ENOUGH = (
    "small requests, requests with large responses, and a stream each way, at MTU 1500 and 9000, "
    "separate the parts"
)
_SATURATED_RATIO = 0.99
"""Busy share of all CPUs above which other work hides in what a run takes."""
_WRITE_BYTES = 131_072
"""Writes of iperf3."""
_SIZES = ("request_bytes", "response_bytes")
_ALONE = "calibrate each host by itself"
_ALIKE = {
    "scope": "CPU time counts different things: {}: record the same for all (mpstat, sar)",
    "threads_per_core": f"hardware threads of a core differ: {{}}: {_ALONE}",
    "processor_type": f"processors differ: {{}}: {_ALONE}",
    "guest": f"the CPU time of a guest leaves out its hypervisor: {{}}: {_ALONE}",
}
"""Properties that all CPU data must share, each with the refusal where they differ."""
_OF_NO_COST = "it has no CPU time per data"
"""Note of `pair_with_hosts` on a run of requests, whose cost is per transaction."""
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
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

    json_keys: ClassVar[str] = (
        "sides basis scatter_ratio=calibration.scatter_ratio misfit_ratio=calibration.misfit_ratio "
        "unknown"
    )

    @property
    def known(self) -> Fit:
        """The calibration that has the parameters."""
        return self.calibration

    def document(self, title: str, source: str) -> dict[str, Any]:
        """
        The record of the host with this title, for `netmodel.records.write_record`.

        Raises
        ------
        CalibrationError
            If the noise is unknown.
        """
        document = host_document(self.calibration, title, source)
        unknown = [*document["unknown"], *self.unknown]
        if "core_count" in self.facts:
            unknown.remove(HOW_MANY_CPUS)
        return {**document, "unknown": unknown, **self.facts}


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
    varied = (
        part
        for count, part in _BATCH_PARTS.items()
        if len({each.at.get(count) for each in seen}) > 1
    )
    model = host_cost_model(tuple(parts) or (*DEFAULT_PARTS, *varied))
    read_conditions(model, seen)  # an error names the run
    try:
        fitted = with_hidden_outlier(fit(seen, model, noise_ratio=noise_ratio))
    except CalibrationError as error:
        raise CalibrationError(f"{error}; {_ENOUGH}") from error
    notes = [*fitted.notes]
    if not any("segments_per_packet" in each.at for each in seen):
        notes.append(
            "a packet of the host is taken as a frame: with TSO or GRO give segments_per_packet"
        )
    # notes that differ in numbers alone are one
    alike: dict[str, list[str]] = defaultdict(list)
    for note in (note for run in runs for note in dict.fromkeys(run.notes)):
        if _OF_NO_COST not in note:
            alike[_NUMBERS.sub("", note)].append(note)
    for first, *more in alike.values():
        notes.append(f"{first} (and {len(more)} runs like it)" if more else first)
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
        raise ContradictionError(
            f"{run.place}: no CPU time of the {side.value}: record it during the run, or "
            f"choose the other side ({argument('side', '--side')})"
        )
    rates_tps = [
        x.transaction_rate_tps
        or x.counted.measures_latency * (x.stream_count or 1) / (x.transaction_time_s or math.inf)
        for x in run.results
    ]
    is_stream = not all(rates_tps)
    if not is_stream:
        quantity, value, unit = COSTS[1], use.busy_cpu_count / sum(rates_tps), "s/transaction"
    else:
        spent = use.consumption.us_per_gbit if use.consumption else 0.0
        quantity, value, unit = COSTS[0], spent, "µs/Gbit"
    if value <= 0:
        raise ContradictionError(
            f"{run.place}: the {side.value} was no busier than while idle, or neither goodput nor "
            "transactions per second are reported: measure a higher load"
        )
    at = _conditions(run, is_stream, {**run.conditions.get(side, {}), **given})
    at["side"] = side.value
    installed = use.installed_cpu_count or math.inf
    is_whole = run.has_all_cpus and use.scope == "system"
    if is_whole and use.busy_cpu_count > _SATURATED_RATIO * installed:
        raise ContradictionError(
            f"{run.place}: the {side.value} was saturated: all of its {installed} CPUs were busy, "
            f"and other work may be a part. It spent at most {value:.4g} {unit}: measure with "
            "CPUs to spare"
        )
    return observed_figure(quantity, at, value, place=f"{run.place}, {side.value}")


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
        at = conditions_with(at, sizes)
    at = with_given(at, given, run.place)
    sizes_needed = () if {"write_bytes", "workload"} & at.keys() else _SIZES
    for name in (*sizes_needed, "mtu_bytes"):
        if name not in at:
            give = f"{argument('given', '--given')}, or a file conditions.toml beside it"
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
