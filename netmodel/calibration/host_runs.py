"""The CPU cost of a host from runs of tools, each with the CPU time of its hosts."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from netmodel.calibration._path_model import host_cost_model
from netmodel.calibration._records import decimal_of, host_document
from netmodel.calibration._shown import Shown
from netmodel.calibration.calibrations import Calibration, calibrate
from netmodel.calibration.models import LinearModel, Point, SumsModel
from netmodel.calibration.observations import COSTS, Conditions, Observed, Selection
from netmodel.consumption import CpuScope, Side
from netmodel.errors import CalibrationError, ContradictionError, DomainError
from netmodel.estimates import ABOUT_RATIO, Estimate
from netmodel.framing import tcp_stack
from netmodel.grades import Grade
from netmodel.numeric import ROUNDING_RATIO
from netmodel.path.stages import COUNT_NAMES
from netmodel.readers import Direction, Measurement
from netmodel.readers.host_runs import HostRun
from netmodel.text import argument, few_names
from netmodel.units.prefixes import MEGA

DEFAULT_PARTS = (
    "per_message_s",
    *(
        f"{direction}.per_{each}_s"
        for direction in ("sent", "received")
        for each in ("frame", "byte")
    ),
)
"""A message costs the same where it is sent and received: no usual run separates the two."""
_WAKE_UP = "per_wakeup_s"
_BATCH_PARTS = {
    _WAKE_UP: "messages_per_wakeup",
    "received.per_interrupt_s": "frames_per_interrupt",
}
"""Parts that only runs with batches of several sizes separate from messages and frames."""
_CLOCK_TOLERANCE_RATIO = float(ABOUT_RATIO)
"""Clocks of one processor type differ by less from reading to reading; CPU time goes with them."""


_SMALL_BYTES = 200
"""A request of one frame at any MTU, as the workloads of the catalog have it."""
_LARGE_BYTES = 30_000
"""21 frames at MTU 1500 and four at 9000: the large responses of the catalog have 30 KiB."""
_WRITE_BYTES = 131_072
"""Writes of iperf3."""
_USUAL_MTUS = (1500, 9000)
"""The MTU of Ethernet, and of its usual jumbo frames."""
_NO_IDLE = "no CPU was idle"
"""Of `pair_with_hosts`: CPU time of others then hides in that of the run."""
_COVERED = "CPU time is known for"
_TICKS = "the kernel counted"
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)?(?= s\b)")


@dataclass(frozen=True, slots=True)
class HostCalibration(Shown):
    """
    Service times of a host from runs, and what they rest on.

    Parameters
    ----------
    calibration : Fit or FeasibleSet
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

    calibration: Calibration
    sides: tuple[Side, ...]
    basis: str
    facts: Mapping[str, Any]
    unknown: tuple[str, ...]
    notes: tuple[str, ...]

    json_keys: ClassVar[str] = "sides basis scatter_ratio unknown"

    @property
    def known(self) -> Calibration:
        """The calibration that has the parameters."""
        return self.calibration

    @property
    def scatter_ratio(self) -> float | None:
        """Scatter of runs as a ratio; None where it is not known."""
        return self.calibration.scatter_ratio

    def document(self, title: str, source: str) -> dict[str, Any]:
        """
        The record of the host with this title, for `netmodel.records.write_record`.

        Raises
        ------
        CalibrationError
            If a time has no upper bound, or the noise is unknown.
        """
        # both hosts have all parameters in common: the model of one has them
        parts = [each.name for each in self.calibration.model.parameters]
        model = host_cost_model(self.sides[0], parts)
        document = host_document(replace(self.calibration, model=model), title, source)
        unknown = [each for each in document["unknown"] if "core_count" not in self.facts]
        return {**document, "unknown": [*unknown, *self.unknown], **self.facts}

    def with_notes(self, notes: Iterable[str]) -> "HostCalibration":
        """Return the calibration with these notes after its own."""
        return replace(self, notes=(*self.notes, *notes))

    def predict_run(self, at: Conditions, quantity: str) -> Estimate[float | None]:
        """Where the cost of one more run under conditions would be."""
        return self.calibration.predict_run(Point(quantity, at))


def observed_of_hosts(
    runs: Iterable[HostRun],
    sides: Sequence[Side],
    given: Conditions | None = None,
) -> Selection:
    """
    CPU cost of each run and side: per transaction of requests, per data of a stream.

    Parameters
    ----------
    runs : iterable of HostRun
        With CPU time of the sides.
    sides : sequence of Side
        Sides that count.
    given : mapping, optional
        Conditions of all runs that results do not report, such as ``{"mtu_bytes": 1500}``.

    Raises
    ------
    ContradictionError
        If a run has no CPU time of a side, CPU time counts different things, a run reports
        another value of a condition, or hosts ran at other clock rates.
    DomainError
        If sizes or MTU of a run are not known.
    """
    runs = tuple(runs)
    require_one_basis(runs, sides)
    observed: list[Observed] = []
    notes: list[str] = []
    for run in runs:
        rate_tps = _transaction_rate_tps(run.results)
        for side in sides:
            if side not in run.cpu:
                raise ContradictionError(
                    f"{run.place}: no CPU time of the {side.value}: record it during the run, or "
                    f"choose the other side ({argument('side', '--side')})"
                )
            at = _conditions(run, {**run.conditions.get(side, {}), **(given or {})})
            use = run.cpu[side]
            if rate_tps:
                quantity, value = "cpu_s_per_transaction", use.busy_cpu_count / rate_tps
            elif use.consumption is not None:
                quantity, value = "cpu_us_per_gbit", use.consumption.us_per_gbit
            else:
                raise ContradictionError(
                    f"{run.place}: neither goodput nor transactions per second are reported"
                )
            if value <= 0:
                raise ContradictionError(
                    f"{run.place}: the {side.value} was no busier than while idle: measure a "
                    "higher load"
                )
            observed.append(
                Observed(
                    quantity=quantity,
                    at={**at, "side": side.value},
                    low=value,
                    high=value,
                    value=value,
                    place=f"{run.place}, {side.value}",
                    grade=Grade.MEASURED,
                )
            )
        notes += dict.fromkeys(_short_note(each, run) for each in run.notes)
    counts = Counter(filter(None, notes))
    texts = [text if count == 1 else f"{text} ({count} runs)" for text, count in counts.items()]
    return Selection(tuple(observed), tuple(sorted(texts, key=lambda text: _NO_IDLE not in text)))


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
        and per frame and byte of each direction; a time per wake-up too, where runs differ in
        ``messages_per_wakeup``.
    given : mapping, optional
        As in `observed_of_hosts`.
    noise_ratio : float, optional
        Standard deviation from run to run as a ratio.

    Raises
    ------
    CalibrationError
        If the runs cannot separate the parts; the message names runs that would.
    ContradictionError, DomainError
        As in `observed_of_hosts`.
    """
    selection = observed_of_hosts(runs, sides, given)
    wanted = tuple(parts) or (
        *DEFAULT_PARTS,
        *(
            part
            for part, count in _BATCH_PARTS.items()
            if len({each.at.get(count) for each in selection.observed}) > 1
        ),
    )
    model = _model(sides, wanted)
    require_separated(model, selection.observed, sides)
    calibration = calibrate(selection.observed, model, noise_ratio)
    assert isinstance(calibration, Calibration)  # the model is linear
    facts, unknown = _facts(runs, sides)
    notes = []
    if _WAKE_UP not in wanted:
        notes.append("a message includes its wake-up: no runs that differ in messages_per_wakeup")
    if not any("segments_per_packet" in each.at for each in selection.observed):
        notes.append(
            "a packet of the host is taken as a frame: with TSO or GRO give segments_per_packet"
        )
    return HostCalibration(
        calibration=calibration,
        sides=tuple(sides),
        basis=basis_text(runs, sides),
        facts=facts,
        unknown=unknown,
        notes=(*calibration.notes, *notes, *selection.notes),
    )


def require_one_basis(runs: Sequence[HostRun], sides: Sequence[Side]) -> None:
    """
    Refuse CPU time that does not count the same, or of other clocks.

    Raises
    ------
    ContradictionError
        If scopes, threads of a core, processors or clock rates differ.
    """
    pairs = [(run, side) for run in runs for side in sides]
    alone = "calibrate each host by itself"

    def scope(run: HostRun, side: Side) -> str | None:
        return f"of the {run.cpu[side].scope.value}" if side in run.cpu else None

    def model_name(run: HostRun, side: Side) -> str | None:
        return run.processors[side].model if side in run.processors else None

    for problem, value_of, remedy in (
        ("CPU time counts different things", scope, "record the same for all (mpstat, sar)"),
        ("hardware threads of a core differ", _threads_of_core, alone),
        ("processors differ", model_name, alone),
    ):
        places = {value_of(*pair): pair[0].place for pair in pairs}
        places.pop(None, None)
        if len(places) > 1:
            listed = ", ".join(f"{place} {value}" for value, place in places.items())
            raise ContradictionError(f"{problem}: {listed}: {remedy}")
    known = {
        f"{run.place}, {side.value}": run.processors[side]
        for run, side in pairs
        if side in run.processors
    }
    guests = {each.hypervisor is not None: place for place, each in known.items() if each.model}
    if len(guests) > 1:
        raise ContradictionError(
            f"{guests[True]} ran in a guest, whose CPU time leaves out its hypervisor, and "
            f"{guests[False]} shows none: {alone} ({argument('side', '--side')})"
        )
    clocks = {place: each.clock_rate_hz for place, each in known.items() if each.clock_rate_hz}
    if clocks and max(clocks.values()) > (1 + _CLOCK_TOLERANCE_RATIO) * min(clocks.values()):
        low, high = min(clocks, key=clocks.__getitem__), max(clocks, key=clocks.__getitem__)
        raise ContradictionError(
            f"clock rates differ: {low} {clocks[low] / MEGA:.0f} MHz, {high} "
            f"{clocks[high] / MEGA:.0f} MHz: CPU time depends on the clock; fix the frequency"
        )


def _threads_of_core(run: HostRun, side: Side) -> float | None:
    processor = run.processors.get(side)
    return processor.threads_per_core if processor else None


def basis_text(runs: Sequence[HostRun], sides: Sequence[Side]) -> str:
    """Whose CPU time it is, in words."""
    first = runs[0]
    use = next(first.cpu[side] for side in sides if side in first.cpu)
    whole = "programs, kernel and interrupts" if use.scope is CpuScope.SYSTEM else use.scope.value
    threads = _threads(runs, sides)
    if threads is None:
        unit = "CPUs as the kernel counts them"
    elif threads == 1:
        unit = "cores"
    else:
        unit = f"hardware threads, {threads:g} to a core"
    guest = _hypervisor(runs, sides)
    return f"{whole}; {unit}{'; inside a guest' if guest else ''}"


def require_separated(
    model: LinearModel, observed: Sequence[Observed], sides: Sequence[Side]
) -> None:
    """
    Refuse runs that leave a combination of parts open, and name runs that would not.

    Raises
    ------
    CalibrationError
        If the parts cannot be separated.
    """
    points = [Point(each.quantity, each.at) for each in observed]
    open_names, rank = _open_parts(model, points)
    if not open_names:
        return
    shared = {
        name: observed[0].at[name]
        for name in (*COUNT_NAMES, "segments_per_ack")
        if name in observed[0].at
    }
    wanted, still = [], open_names
    for text, quantity, at in _usual_runs(int(each.at["mtu_bytes"]) for each in observed):
        more = [Point(quantity, {**shared, **at, "side": side.value}) for side in sides]
        names, new_rank = _open_parts(model, [*points, *more])
        if new_rank > rank:
            wanted.append(text)
            points, rank, still = [*points, *more], new_rank, names
        if not still:
            break
    remedy = (
        f"leave one out ({argument('free', '--free')})"
        if still
        else f"also measure {'; '.join(wanted)}"
    )
    raise CalibrationError(f"the runs cannot separate {few_names(open_names, 'parts')}: {remedy}")


def _open_parts(model: LinearModel, points: Sequence[Point]) -> tuple[list[str], int]:
    """Parts of combinations that no run depends on, and how many combinations runs show."""
    rows = np.array([model.loads(point).coefficients.sum(axis=0) for point in points])
    # each run and each part by its own size, so that no result depends on units
    shares = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    lengths = np.linalg.norm(shares, axis=0)
    _, sizes, right = np.linalg.svd(shares / np.where(lengths > 0, lengths, 1))
    rank = int((sizes > ROUNDING_RATIO).sum())
    parts = np.abs(right[rank:]).max(axis=0, initial=0)
    names = [each.name for each in model.parameters]
    return [name for name, part in zip(names, parts, strict=True) if part > ROUNDING_RATIO], rank


def _usual_runs(mtus_bytes: Iterable[int]) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield runs that are easy to measure, the plainest first: text, quantity and conditions."""
    for mtu in dict.fromkeys((*sorted({*mtus_bytes}), *_USUAL_MTUS)):
        for response in (_SMALL_BYTES, _LARGE_BYTES):
            sizes = {"request_bytes": _SMALL_BYTES, "response_bytes": response}
            text = f"requests of {_SMALL_BYTES} B with responses of {response} B at MTU {mtu}"
            yield text, COSTS[1], {"mtu_bytes": mtu, **sizes}
        to_client = {"request_bytes": 0, "response_bytes": _WRITE_BYTES}
        for to, sizes in (("server", {"write_bytes": _WRITE_BYTES}), ("client", to_client)):
            yield f"a stream to the {to} at MTU {mtu}", COSTS[0], {"mtu_bytes": mtu, **sizes}


def _short_note(note: str, run: HostRun) -> str:
    """A note of a run in words that other runs share; empty where it says nothing of costs."""
    if "it has no CPU time per data" in note:
        return ""
    if _TICKS in note:
        return "samples at ticks and wall time differ: record times with copies of /proc/stat"
    for each in run.results:
        note = note.replace(f"{each.source}: ", "")
    return _NUMBERS.sub("…", note) if _COVERED in note else note


def _model(sides: Sequence[Side], parts: Sequence[str]) -> LinearModel:
    """One set of service times for all sides that count."""
    models = {side.value: host_cost_model(side, parts) for side in sides}
    first = next(iter(models.values()))
    if len(models) == 1:
        return first
    return SumsModel(first.parameters, partial(_loads_of_side, models))


def _loads_of_side(models: Mapping[str, Any], point: Point) -> Any:
    return models[str(point.at["side"])].loads(point)


def _transaction_rate_tps(results: Sequence[Measurement]) -> float | None:
    """Transactions per second of all runs together; None where one is a stream."""
    rates = []
    for run in results:
        if run.transaction_rate_tps is not None:
            rates.append(run.transaction_rate_tps)
        elif run.transaction_time_s and run.measures_latency:
            rates.append((run.stream_count or 1) / run.transaction_time_s)
    return sum(rates) if rates and len(rates) == len(results) else None


def _conditions(run: HostRun, given: Conditions) -> dict[str, float | str | bool]:
    """What was exchanged, in which frames."""
    first = run.results[0]
    at: dict[str, float | str | bool] = {}
    if first.path_mtu_bytes is not None:
        at["mtu_bytes"] = first.path_mtu_bytes
    elif first.segment_bytes is not None:
        at["mtu_bytes"] = int(tcp_stack().packet_bytes(first.segment_bytes))
    streams = [each.stream_count or 1 for each in run.results]
    at["connection_count"] = sum(streams)
    if _transaction_rate_tps(run.results) is not None:
        sizes = {"request_bytes": first.request_bytes, "response_bytes": first.response_bytes}
        at |= {name: size for name, size in sizes.items() if size is not None}
    else:
        write = first.write_bytes or given.get("write_bytes") or _WRITE_BYTES
        is_back = first.direction is Direction.SERVER_TO_CLIENT
        at |= {"request_bytes": 0, "response_bytes": write} if is_back else {"write_bytes": write}
    extra = {name: value for name, value in given.items() if name != "write_bytes"}
    for name, value in extra.items():
        if at.get(name, value) != value:
            raise ContradictionError(
                f"{run.place}: {name} is {at[name]}, specified as {value}: correct one of them"
            )
    at |= extra
    if "mtu_bytes" not in at:
        raise DomainError(
            f"{run.place}: its MTU is not known: give it ({argument('mtu_bytes', '--mtu')}), or "
            "in a file conditions.toml beside this run"
        )
    if not {"request_bytes", "response_bytes"} <= set(at) and "write_bytes" not in at:
        example = {"request_bytes": 200, "response_bytes": 200}
        raise DomainError(
            f"{run.place}: the size of its messages is not reported: give it, such as "
            f"{argument('given', '--given', example)}"
        )
    return at


def _threads(runs: Sequence[HostRun], sides: Sequence[Side]) -> float | None:
    found = (_threads_of_core(run, side) for run in runs for side in sides)
    return next(filter(None, found), None)


def _hypervisor(runs: Sequence[HostRun], sides: Sequence[Side]) -> str | None:
    found = (run.processors.get(side) for run in runs for side in sides)
    return next((each.hypervisor for each in found if each and each.hypervisor), None)


def _facts(
    runs: Sequence[HostRun], sides: Sequence[Side]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the files of the runs show of the host, and what its CPU time leaves out."""
    facts: dict[str, Any] = {}
    unknown = []
    installed = (run.cpu[side].installed_cpu_count for run in runs for side in sides)
    counts = {each for each in installed if each is not None}
    threads = _threads(runs, sides)
    if len(counts) == 1 and threads is not None:
        (count,) = counts
        if all(run.has_all_cpus for run in runs):
            facts["core_count"] = {"value": decimal_of(count / threads), "unit": "1"}
        facts["threads_per_core"] = {"value": decimal_of(threads), "unit": "1"}
        facts["cpu_time_basis"] = "thread" if threads > 1 else "core"
    processors = [run.processors[side] for run in runs for side in sides if side in run.processors]
    clocks = [each.clock_rate_hz for each in processors if each.clock_rate_hz]
    if clocks:
        facts["clock_rate"] = {
            "value": decimal_of(float(round(np.mean(clocks) / MEGA))),
            "unit": "MHz",
        }
    model = next((each.model for each in processors if each.model), None)
    if model:
        facts["processor_type"] = {"value": model}
    vendor = _hypervisor(runs, sides)
    if vendor:
        facts["hypervisor"] = {"value": vendor}
        unknown.append("CPU time of the hypervisor: the CPU time is that of the guest")
    if runs[0].cpu and next(iter(runs[0].cpu.values())).scope is CpuScope.PROCESS:
        unknown.append("CPU time of interrupts and kernel threads: only the tool's process counts")
    return facts, tuple(unknown)
