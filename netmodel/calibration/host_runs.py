"""The CPU cost of a host from runs of tools, each with the CPU time of its hosts."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, ClassVar

import numpy as np

from netmodel.calibration._path_model import TimesModel, host_cost_model
from netmodel.calibration._records import decimal_of, host_document
from netmodel.calibration._shown import Shown
from netmodel.calibration.calibrations import Calibration, calibrate
from netmodel.calibration.models import LinearModel, Loads, Point, SumsModel
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
    *(f"{way}.per_{each}_s" for way in ("sent", "received") for each in ("frame", "byte")),
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
_SATURATED_RATIO = 0.99
"""Busy share of all CPUs above which other work hides in what a run takes."""
_WRITE_BYTES = 131_072
"""Writes of iperf3."""
_USUAL_MTUS = (1500, 9000)
"""The MTU of Ethernet, and of its usual jumbo frames."""
_USUAL_RUNS: tuple[tuple[str, str, dict[str, float]], ...] = (
    # one frame at any MTU; 21 frames at MTU 1500 and four at 9000
    (
        "requests of 200 B with responses of 200 B",
        COSTS[1],
        {"request_bytes": 200, "response_bytes": 200},
    ),
    (
        "requests of 200 B with responses of 30000 B",
        COSTS[1],
        {"request_bytes": 200, "response_bytes": 30_000},
    ),
    ("a stream to the server", COSTS[0], {"write_bytes": _WRITE_BYTES}),
    ("a stream to the client", COSTS[0], {"request_bytes": 0, "response_bytes": _WRITE_BYTES}),
)
"""Runs that are easy to measure, the plainest first: text, quantity and conditions."""
_OF_NO_COST = "it has no CPU time per data"
"""Note of `pair_with_hosts` on a run of requests, whose cost is per transaction."""
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


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
        If a run has no CPU time of a side, or no CPU was idle in it, CPU time counts different
        things, a run reports another value of a condition, or hosts ran at other clock rates.
    DomainError
        If sizes or MTU of a run are not known.
    """
    runs = tuple(runs)
    _require_one_basis(runs, sides)
    observed = [_observed(run, side, given or {}) for run in runs for side in sides]
    # notes that differ in numbers alone are one
    alike: dict[str, list[str]] = {}
    for run in runs:
        for note in dict.fromkeys(run.notes):
            for each in run.results:
                note = note.replace(f"{each.source}: ", "")  # noqa: PLW2901
            if _OF_NO_COST not in note:
                alike.setdefault(_NUMBERS.sub("…", note), []).append(note)
    notes = [
        (texts[0] if len({*texts}) == 1 else same) + f" ({len(texts)} runs)" * (len(texts) > 1)
        for same, texts in alike.items()
    ]
    return Selection(tuple(observed), tuple(notes))


def _observed(run: HostRun, side: Side, given: Conditions) -> Observed:
    """The cost of a run at one of its ends."""
    use, rate_tps = run.cpu.get(side), _transaction_rate_tps(run.results)
    if use is None:
        raise ContradictionError(
            f"{run.place}: no CPU time of the {side.value}: record it during the run, or "
            f"choose the other side ({argument('side', '--side')})"
        )
    at = _conditions(run, {**run.conditions.get(side, {}), **given})
    if rate_tps:
        quantity, value, unit = COSTS[1], use.busy_cpu_count / rate_tps, "s/transaction"
    elif use.consumption is not None:
        quantity, value, unit = COSTS[0], use.consumption.us_per_gbit, "µs/Gbit"
    else:
        raise ContradictionError(
            f"{run.place}: neither goodput nor transactions per second are reported"
        )
    if value <= 0:
        raise ContradictionError(
            f"{run.place}: the {side.value} was no busier than while idle: measure a higher load"
        )
    installed = use.installed_cpu_count or math.inf
    is_whole = run.has_all_cpus and use.scope is CpuScope.SYSTEM
    if is_whole and use.busy_cpu_count > _SATURATED_RATIO * installed:
        raise ContradictionError(
            f"{run.place}: the {side.value} was saturated: all of its {installed} CPUs were busy, "
            f"and other work may be a part. It spent at most {value:.4g} {unit}: measure with "
            "CPUs to spare"
        )
    return Observed(
        quantity=quantity,
        at={**at, "side": side.value},
        low=value,
        high=value,
        value=value,
        place=f"{run.place}, {side.value}",
        grade=Grade.MEASURED,
    )


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
    seen = selection.observed
    varied = (
        part
        for part, count in _BATCH_PARTS.items()
        if len({each.at.get(count) for each in seen}) > 1
    )
    wanted = tuple(parts) or (*DEFAULT_PARTS, *varied)
    models = {side.value: host_cost_model(side, wanted) for side in sides}
    first = models[sides[0].value]
    # one set of service times for all sides that count
    model = first if len(models) == 1 else SumsModel(first.parameters, partial(_loads_of, models))
    _require_separated(model, seen, sides)
    calibration = calibrate(seen, model, noise_ratio)
    assert isinstance(calibration, Calibration)  # the model is linear
    facts, unknown = _facts(runs, sides)
    notes = []
    if _WAKE_UP not in wanted:
        notes.append("a message includes its wake-up: no runs that differ in messages_per_wakeup")
    if not any("segments_per_packet" in each.at for each in seen):
        notes.append(
            "a packet of the host is taken as a frame: with TSO or GRO give segments_per_packet"
        )
    return HostCalibration(
        calibration=calibration,
        sides=tuple(sides),
        basis=_basis_text(runs, sides),
        facts=facts,
        unknown=unknown,
        notes=(*calibration.notes, *notes, *selection.notes),
    )


def _loads_of(models: Mapping[str, TimesModel], point: Point) -> Loads:
    return models[str(point.at["side"])].loads(point)


def _known(runs: Iterable[HostRun], sides: Sequence[Side], name: str) -> dict[str, Any]:
    """Return an attribute of the CPU time or processor of each end of the runs, where known."""
    known = {}
    for run, side in product(runs, sides):
        for of in (run.cpu.get(side), run.processors.get(side)):
            value = getattr(of, name, None)
            if value is not None:
                known[f"{run.place}, {side.value}"] = value
    return known


def _require_one_basis(runs: Sequence[HostRun], sides: Sequence[Side]) -> None:
    """Refuse CPU time that does not count the same, or of other processors and clocks."""
    alone = "calibrate each host by itself"
    for problem, remedy, name in (
        ("CPU time counts different things", "record the same for all (mpstat, sar)", "scope"),
        ("hardware threads of a core differ", alone, "threads_per_core"),
        ("processors differ", alone, "model"),
    ):
        places = {value: place for place, value in _known(runs, sides, name).items()}
        if len(places) > 1:
            of = (f"{place} {getattr(value, 'value', value)}" for value, place in places.items())
            raise ContradictionError(f"{problem}: {', '.join(of)}: {remedy}")
    vendors = _known(runs, sides, "hypervisor")
    guests = {place in vendors: place for place in _known(runs, sides, "model")}
    if len(guests) > 1:
        raise ContradictionError(
            f"{guests[True]} ran in a guest, whose CPU time leaves out its hypervisor, and "
            f"{guests[False]} shows none: {alone} ({argument('side', '--side')})"
        )
    clocks_hz = _known(runs, sides, "clock_rate_hz")
    low, high = (end(clocks_hz, key=clocks_hz.__getitem__, default="") for end in (min, max))
    if low and clocks_hz[high] > (1 + _CLOCK_TOLERANCE_RATIO) * clocks_hz[low]:
        differ = ", ".join(f"{each} {clocks_hz[each] / MEGA:.0f} MHz" for each in (low, high))
        raise ContradictionError(
            f"clock rates differ: {differ}: CPU time depends on the clock; fix the frequency"
        )


def _require_separated(
    model: LinearModel, observed: Sequence[Observed], sides: Sequence[Side]
) -> None:
    """Refuse runs that leave a combination of parts open, and name runs that would not."""
    points = [Point(each.quantity, each.at) for each in observed]
    open_names, rank = _open_parts(model, points)
    if not open_names:
        return
    batches = (*COUNT_NAMES, "segments_per_ack")
    shared = {name: value for name, value in observed[0].at.items() if name in batches}
    wanted, still = [], open_names
    for mtu in dict.fromkeys(
        (*sorted({int(each.at["mtu_bytes"]) for each in observed}), *_USUAL_MTUS)
    ):
        for text, quantity, sizes in _USUAL_RUNS:
            at = {**shared, "mtu_bytes": mtu, **sizes}
            more = [Point(quantity, {**at, "side": side.value}) for side in sides]
            names, new_rank = _open_parts(model, [*points, *more])
            if still and new_rank > rank:
                wanted.append(f"{text} at MTU {mtu}")
                points, rank, still = [*points, *more], new_rank, names
    remedy = f"also measure {'; '.join(wanted)}"
    if still:
        remedy = f"leave one out ({argument('free', '--free')})"
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
    mtu_bytes = first.path_mtu_bytes
    if mtu_bytes is None and first.segment_bytes is not None:
        mtu_bytes = int(tcp_stack().packet_bytes(first.segment_bytes))
    sizes: dict[str, Any] = {
        "request_bytes": first.request_bytes,
        "response_bytes": first.response_bytes,
    }
    if _transaction_rate_tps(run.results) is None:
        write = first.write_bytes or given.get("write_bytes") or _WRITE_BYTES
        is_back = first.direction is Direction.SERVER_TO_CLIENT
        sizes = {"request_bytes": 0, "response_bytes": write} if is_back else {"write_bytes": write}
    streams = sum(each.stream_count or 1 for each in run.results)
    reported = {"mtu_bytes": mtu_bytes, "connection_count": streams, **sizes}
    at = {name: value for name, value in reported.items() if value is not None}
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


def _basis_text(runs: Sequence[HostRun], sides: Sequence[Side]) -> str:
    """Whose CPU time it is, in words."""
    scope = next(iter(_known(runs, sides, "scope").values()))
    whole = "programs, kernel and interrupts" if scope is CpuScope.SYSTEM else scope.value
    unit = "CPUs as the kernel counts them"
    for threads in _known(runs, sides, "threads_per_core").values():
        unit = "cores" if threads == 1 else f"hardware threads, {threads:g} to a core"
    return f"{whole}; {unit}{'; inside a guest' if _known(runs, sides, 'hypervisor') else ''}"


def _facts(
    runs: Sequence[HostRun], sides: Sequence[Side]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What the files of the runs show of the host, and what its CPU time leaves out."""
    facts: dict[str, Any] = {}
    unknown = []
    threads, models, vendors, clocks_hz, counts = (
        [*_known(runs, sides, name).values()]
        for name in (
            *("threads_per_core", "model", "hypervisor", "clock_rate_hz"),
            "installed_cpu_count",
        )
    )
    if threads and len({*counts}) == 1:
        if all(run.has_all_cpus for run in runs):
            facts["core_count"] = {"value": decimal_of(counts[0] / threads[0]), "unit": "1"}
        facts["threads_per_core"] = {"value": decimal_of(threads[0]), "unit": "1"}
        facts["cpu_time_basis"] = "thread" if threads[0] > 1 else "core"
    if clocks_hz:
        rate_mhz = float(round(np.mean(clocks_hz) / MEGA))
        facts["clock_rate"] = {"value": decimal_of(rate_mhz), "unit": "MHz"}
    if models:
        facts["processor_type"] = {"value": models[0]}
    if vendors:
        facts["hypervisor"] = {"value": vendors[0]}
        unknown.append("CPU time of the hypervisor: the CPU time is that of the guest")
    if CpuScope.PROCESS in _known(runs, sides, "scope").values():
        unknown.append("CPU time of interrupts and kernel threads: only the tool's process counts")
    return facts, tuple(unknown)
