"""
Stages of a path from a series of tables: CPU cost at several MTUs, by connection count.

The tables have the throughput of streams that one side receives, and the CPU time of that side
per data and per request, divided among parts such as guest and hypervisor. They give

(1) for each part and connection count the time of a received frame, p, and of a byte, y: a stream
    in frames of payload m costs p/m + y per byte, so that two MTUs set both, and one MTU their sum;
(2) the time of a message that is sent: the cost of a request beyond p and y of its response;
(3) the frame rate that several streams stop at while line and CPUs have room.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from netmodel._numeric import Floats
from netmodel._text import fixed_percent, listed
from netmodel.calibration._conditions import line_cap, line_speed_as_censored
from netmodel.calibration._declarations import Document
from netmodel.calibration._declared_tables import Series, WorkloadColumns
from netmodel.calibration._documents import (
    chosen_rows,
    dataset_rows,
    observed_from_dataset,
)
from netmodel.calibration._fit import fit
from netmodel.calibration._models import Point
from netmodel.calibration._noise import Noise
from netmodel.calibration._observed import Observed, base_quantity
from netmodel.calibration._path_model import PathModel, host_cost_model
from netmodel.calibration._records import (
    decimal_of,
    in_order,
    known_payload_text,
    points,
    printed_count_of,
    time_text,
)
from netmodel.calibration._sets import conflict, feasible_set
from netmodel.consumption import Side, busy_cpu_count
from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import tcp_stack
from netmodel.path import Path, Pool, Stage
from netmodel.path._path import DIRECTION_AT
from netmodel.records import (
    Dataset,
    Grade,
    Relation,
    Table,
)
from netmodel.records._datasets import Lookup
from netmodel.records._load import unknown_record
from netmodel.units import BITS_PER_BYTE, parse_rate_bps
from netmodel.units._prefixes import US_PER_S

_COUNT, _MTU = "connection_count", "mtu_bytes"
_TIMES = ("per_frame_s", "per_byte_s")
_BUSY_RATIO = 0.5
"""
CPU utilisation from which on CPUs may be the limit.

It is a mean: half of all CPUs may be one that is always busy of two. Below half no CPU of two or
more explains a rate that several streams share.
"""


@dataclass(frozen=True, slots=True)
class SeriesStages:
    """Stages of a record, with what is unknown and notes on them."""

    stages: list[Document]
    unknown: list[str]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class _Load:
    """
    Times of one part at one connection count.

    Of `vertices`, times of a frame and of a byte, the first `printed_count` give the figures as
    printed. Where no times give all of them, the intervals of the figures would have to be wider
    by `widening_ratio`, and `wanted_per_frame_s` is the negative time of a frame that they need.
    `per_request_s` is empty where the cost of requests is not known.
    """

    connection_count: int
    vertices: list[tuple[float, float]]
    printed_count: int
    per_request_s: tuple[float, ...]
    widening_ratio: float | None = None
    wanted_per_frame_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Tables:
    """The rows of a series, and figures from their columns."""

    declared: Series
    source: Dataset
    rows: Table

    def observed(self, workload: WorkloadColumns, column: str, *more: str) -> tuple[Observed, ...]:
        """
        Figures of a column that are not flagged, by MTU and connection count.

        The size of writes is no condition: a stream of full frames hardly depends on it.
        """
        rows = chosen_rows(self.rows, workload.where)
        conditions = (_MTU, _COUNT, *more)
        return observed_from_dataset(self.source, rows, [column], conditions=conditions).observed

    def costs(self, workload: WorkloadColumns, column: str, *more: str) -> tuple[Observed, ...]:
        """CPU time of a part; empty where a figure of the total is flagged, and so in doubt."""
        row_count = chosen_rows(self.rows, workload.where).row_count
        if len(self.observed(workload, workload.total, *more)) < row_count:
            return ()
        return self.observed(workload, column, *more)

    @property
    def rates(self) -> tuple[Observed, ...]:
        """Throughput of streams."""
        return self.observed(self.declared.streams, self.declared.rate)

    def cpu_count(self, lookup: Lookup) -> int:
        """A count that another table prints for the tables of all rows."""
        tables = self.source.tables
        if lookup.file not in tables:
            raise unknown_record(f"table of {self.source.id}", lookup.file, tables)
        other = tables[lookup.file]
        cells = {
            float(value)
            for key in set(self.rows.text(lookup.key))
            for value in other.where(**{lookup.key: key}).numbers(lookup.column)
        }
        if len(cells) != 1:
            texts = listed(f"{cell:g}" for cell in sorted(cells)) if cells else "none"
            raise DomainError(f"{lookup.column} must be the same for all rows; got {texts}")
        return int(cells.pop())


def series_stages(declared: Series, locator: str) -> SeriesStages:
    """
    Stages with the CPU cost of each part, and with the frame limit where the rates show one.

    Parameters
    ----------
    declared : Series
        Which rows and columns.
    locator : str
        Place in the source.

    Raises
    ------
    DomainError
        If no row is left, or a count of CPUs is not the same for all rows.
    """
    source, rows = dataset_rows(declared.dataset, declared.table, declared.where)
    tables = _Tables(declared, source, rows)
    stages: list[Document] = []
    notes: list[str] = []
    apart: list[str] = []
    has_requests = False
    for part in declared.parts:
        streams = tables.costs(declared.streams, part.streams)
        requests = (
            tables.costs(declared.requests, part.requests, "workload")
            if declared.requests and part.requests
            else ()
        )
        has_requests |= bool(requests)
        loads = _loads(declared, streams, requests)
        about: list[str] = []

        # (1), (2) service times
        stage: Document = {"name": part.name, "kind": part.kind.value, "side": declared.side.value}
        stage |= _service_times(declared, streams, requests, loads)
        apart_at = [load for load in loads if load.widening_ratio is not None]
        if apart_at:
            apart.append(part.name)
            about.append(
                "no times give the figures at all MTUs: a frame would have to take "
                + ", ".join(
                    f"{load.wanted_per_frame_s * US_PER_S:.4g} µs with "
                    f"{_connections(load.connection_count)} ("
                    f"{fixed_percent(load.widening_ratio or 0.0, 0)} wider intervals would agree)"
                    for load in apart_at
                )
            )
            about.append(
                "stored are the least squares, and what each figure alone allows without that time"
            )

        # CPUs of this part alone; a single stream that keeps more than one busy is not serial
        if part.servers is not None:
            stage["servers"] = {
                "value": tables.cpu_count(part.servers),
                "unit": "1",
                "source": source.source,
                "locator": f"{locator}, {part.servers.file}",
                "grade": Grade.PUBLISHED.value,
                **({"note": part.servers_note} if part.servers_note else {}),
            }
            busy_count = _busiest_single_stream(streams, tables.rates)
            if busy_count > 1:
                stage["serial"] = False
                about.append(
                    f"a single stream keeps {busy_count:.3g} CPUs busy: not bound to one of them"
                )
        # of the messages that the side sends, only requests are known, if any
        stages.append({**stage, "incomplete": ["out"]})
        notes += [f"{part.name}: {'; '.join(about)}."] if about else []

    notes += _sums_that_differ(tables)
    mtu_count = len({rate.at[_MTU] for rate in tables.rates})
    unknown = []
    if declared.requests and not has_requests:
        unknown.append("CPU time of requests: its total is flagged as faulty")
    if mtu_count == 1:
        unknown.append("CPU time per frame and per byte: measured at one MTU only")
    unknown += [
        f"{name} time per frame and per byte: figures at {mtu_count} MTUs contradict all such times"
        for name in apart
    ]

    # (3) frame limit
    limit = _frame_limit(tables)
    if declared.frame_limit and limit:
        frames = declared.frame_limit
        side = declared.side.value
        stages.append({"name": frames.name, "kind": frames.kind.value, "side": side} | limit)
        unknown.append(
            f"frames that the {frames.name} takes from the {side}: assumed as many as to it"
        )
    return SeriesStages(stages, unknown, notes)


def _loads(
    declared: Series, streams: Sequence[Observed], requests: Sequence[Observed]
) -> list[_Load]:
    """(1), (2): times at each connection count, fewest first."""
    side = declared.side
    stream_model = _stream_model(declared)
    loads = []
    for count in sorted({int(cost.at[_COUNT]) for cost in streams}):
        of_streams = [cost for cost in streams if cost.at[_COUNT] == count]
        of_requests = [cost for cost in requests if cost.at[_COUNT] == count]

        # (1) vertices of p and y, those of figures as printed first
        widening_ratio, wanted_s = None, 0.0
        try:
            allowed_set = feasible_set(of_streams, stream_model)
        except ContradictionError:
            apart = conflict(of_streams, stream_model)
            widening_ratio = None if apart is None else apart.widening_ratio
            # the time of a frame, negative, with which the figures as printed would agree
            rows = [
                stream_model.loads(Point(cost.quantity, cost.at)).coefficients
                for cost in of_streams
            ]
            figures = np.array([cost.figure for cost in of_streams], float)
            wanted_s = float(np.linalg.lstsq(np.concatenate(rows), figures)[0][0])
            printed, allowed = _nearest_times(stream_model, of_streams)
        else:
            printed, allowed = _pairs(allowed_set.printed_vertices), _pairs(allowed_set.vertices)

        # (2) the cost of a request beyond p and y of its response
        per_request_s: tuple[float, ...] = ()
        if of_requests:
            known = dict(zip(_TIMES, printed[0], strict=True))
            model = _request_model(side).with_fixed(known)
            known_s = feasible_set(of_requests, model).parameters["per_message_s"]
            per_request_s = tuple(time_s for time_s in known_s if time_s is not None)

        vertices = list(dict.fromkeys([*printed, *allowed]))
        printed_count = len(dict.fromkeys(printed))
        loads.append(_Load(count, vertices, printed_count, per_request_s, widening_ratio, wanted_s))
    return loads


def _stream_model(declared: Series) -> PathModel:
    """A stream without end: a time for each frame, and one for each byte."""
    return host_cost_model(declared.side).with_fixed({"per_message_s": 0.0})


def _request_model(side: Side) -> PathModel:
    """A message sent, and one received whose frames and bytes cost what those of a stream do."""
    path = Path(
        stages=(Stage(name="cpu", side=side, pool="cpus"),), pools=(Pool("cpus", None, side),)
    )
    received = f"cpu.{DIRECTION_AT[side, 'in']}"
    free = {"per_message_s": (f"cpu.{DIRECTION_AT[side, 'out']}.per_message_s",)}
    return PathModel(path, free | {name: (f"{received}.{name}",) for name in _TIMES})


def _pairs(rows: Floats) -> list[tuple[float, float]]:
    return in_order((float(frame_s), float(byte_s)) for frame_s, byte_s in rows)


def _nearest_times(
    model: PathModel, streams: Sequence[Observed]
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Least squares of the figures, and with the same time at 0 the times of each figure alone."""
    likeliest = fit([cost.as_printed() for cost in streams], model, noise=Noise.ABSOLUTE)
    bounded = model.with_fixed(dict.fromkeys(likeliest.active_bounds, 0.0))
    names = [parameter.name for parameter in bounded.parameters]
    alone = []
    for cost in streams:
        for end in feasible_set([cost], bounded).vertices:
            free = dict(zip(names, map(float, end), strict=True))
            alone.append((free.get("per_frame_s", 0.0), free.get("per_byte_s", 0.0)))
    return [(likeliest.values["per_frame_s"], likeliest.values["per_byte_s"])], alone


def _service_times(
    declared: Series,
    streams: Sequence[Observed],
    requests: Sequence[Observed],
    loads: Sequence[_Load],
) -> Document:
    """Tables ``in`` and ``out`` of a stage, with the payload of the frames that were measured."""
    side = declared.side
    received, sent = DIRECTION_AT[side, "in"], DIRECTION_AT[side, "out"]
    stream_model, request_model = _stream_model(declared), _request_model(side)
    sizes = [size for cost in streams for size in stream_model.frame_payloads(cost.at).values()]
    sizes += [request_model.frame_payloads(cost.at)[received] for cost in requests]
    tables: Document = {
        "in": {
            "known_payload": known_payload_text(sizes),
            "at": [
                {
                    "connections": load.connection_count,
                    "vertices": (vertices := points(load.vertices)),
                    **printed_count_of(load.printed_count, len(vertices)),
                }
                for load in loads
            ],
        }
    }
    if requests:
        sizes = [request_model.frame_payloads(cost.at)[sent] for cost in requests]
        tables["out"] = {
            "known_payload": known_payload_text(sizes),
            "at": [
                {
                    "connections": load.connection_count,
                    "vertices": [{"per_message": time_text(each)} for each in load.per_request_s],
                    "printed_count": 1,
                }
                for load in loads
                if load.per_request_s
            ],
        }
    return tables


def _busiest_single_stream(costs: Sequence[Observed], rates: Sequence[Observed]) -> float:
    """Lower bound of the CPUs that one stream keeps busy, at the MTU where that is highest."""
    alone = {cost.at[_MTU]: cost.low for cost in costs if cost.at[_COUNT] == 1}
    return max(
        (
            float(busy_cpu_count(alone[rate.at[_MTU]], rate.low))
            for rate in rates
            if rate.at[_COUNT] == 1 and rate.at[_MTU] in alone
        ),
        default=0.0,
    )


def _sums_that_differ(tables: _Tables) -> Iterator[str]:
    """Where the printed parts do not add up to the printed total, within the rounding of all."""
    declared = tables.declared
    parts = [tables.costs(declared.streams, part.streams) for part in declared.parts]
    totals = tables.costs(declared.streams, declared.streams.total)
    column = tables.rows.column(declared.streams.total)
    _, scale = base_quantity(column) or ("", 1.0)
    unit = column.taken_as or column.unit
    names = listed(part.name for part in declared.parts)
    for total, *costs in zip(totals, *parts, strict=True):
        low, high = sum(cost.low for cost in costs), sum(cost.high for cost in costs)
        if low <= total.high and total.low <= high:
            continue
        added = sum(cost.figure or 0.0 for cost in costs)
        yield (
            f"{_connections(int(total.at[_COUNT]))} at MTU {total.at[_MTU]}: {names} add up to "
            f"{added / scale:.4g} {unit}, printed are {(total.figure or 0.0) / scale:.4g}."
        )


def _frame_limit(tables: _Tables) -> Document:
    """(3): frame rates of several streams, none at line speed and none with half its CPUs busy."""
    declared = tables.declared
    cap = line_cap(parse_rate_bps(declared.line_rate))
    shared = [rate for rate in tables.rates if float(rate.at[_COUNT]) > 1]
    not_full = [
        rate
        for rate in line_speed_as_censored(shared, cap)
        if rate.relation is not Relation.CENSORED_ABOVE
    ]
    if not not_full:
        return {}
    # the CPUs of each part that has some of its own, and those of the machine
    counted = [(part.streams, part.servers) for part in declared.parts if part.servers]
    cpus = [
        (tables.costs(declared.streams, column), tables.cpu_count(lookup))
        for column, lookup in (*counted, (declared.streams.total, declared.cpu_count))
    ]
    below = []
    for rate in not_full:
        use_ratio = max(
            float(busy_cpu_count(cost.high, rate.high)) / cpu_count
            for costs, cpu_count in cpus
            for cost in costs
            if all(cost.at[name] == rate.at[name] for name in (_MTU, _COUNT))
        )
        if use_ratio < _BUSY_RATIO:
            frame_bits = BITS_PER_BYTE * float(tcp_stack().payload_bytes(float(rate.at[_MTU])))
            below.append((rate, frame_bits, use_ratio))
    if not below:
        return {}
    counts = listed(dict.fromkeys(rate.at[_COUNT] for rate, _, _ in below))
    mtus = listed(dict.fromkeys(rate.at[_MTU] for rate, _, _ in below))
    line_use = max(rate.high / cap(rate.at) for rate, _, _ in below)
    cpu_use = max(use_ratio for _, _, use_ratio in below)
    return {
        "frame_rate_cap": {
            "relation": Relation.RANGE.value,
            "low": decimal_of(min(rate.low / bits for rate, bits, _ in below)),
            "high": decimal_of(max(rate.high / bits for rate, bits, _ in below)),
            "unit": "1/s",
            "grade": Grade.FITTED.value,
            "note": f"streams of {counts} connections at MTU {mtus}, which use "
            f"{fixed_percent(line_use, 0)} of the line and {fixed_percent(cpu_use, 0)} of the CPUs "
            "at most",
        }
    }


def _connections(count: int) -> str:
    return f"{count} connection{'s' * (count != 1)}"
