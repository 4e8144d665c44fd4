"""What two protocols spend at both ends of a fibre: times that ratios over distances allow."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, Field

from netmodel.calibration._declarations import Declaration, Document
from netmodel.calibration._models import FreeParameter, LinearModel, Loads, Point
from netmodel.calibration._observed import Observed, needed, ratio_interval
from netmodel.calibration._sets import FeasibleSet, feasible_set
from netmodel.errors import DomainError, ParseError, UnknownRecordError
from netmodel.path._transport_times import amounts
from netmodel.records import Relation, Statement, Workload, statement, workload
from netmodel.records._load import validated
from netmodel.records._subjects import Change, QuantityKind
from netmodel.records._transports import (
    PARAMETERS,
    Protocol,
    TransportRecord,
    equipment_column,
)
from netmodel.records._values import FROZEN, Text
from netmodel.transport import propagation_round_trip_s
from netmodel.units._prefixes import KILO, MICRO, WHOLE_PERCENT

QUANTITY = "transaction_time_s"
EQUIPMENT = "equipment_time_s"
"""Delay of equipment at a distance, there and back."""
_DIGITS = 6
"""Significant ones of a time or ratio in a record: predictions then keep five."""


_Time = Annotated[float, Field(ge=0)]


class _Declared(BaseModel):
    """What a declaration of this kind says."""

    model_config = FROZEN

    title: Text
    host: Text
    baseline: Text
    statements: Annotated[tuple[Text, ...], Field(min_length=1)]
    protocols: Mapping[str, Protocol]
    equipment_us: Mapping[Decimal, _Time | tuple[_Time, _Time]] = Field(default_factory=dict)
    """
    Delay of equipment on the fibre, there and back, by its length in km; else none.

    A pair is the range of a delay that is not reported: one more time to calibrate.
    """

    @property
    def unknown_equipment_us(self) -> Mapping[Decimal, tuple[float, float]]:
        """Ranges of delays that are not reported, by the length of the fibre in km."""
        return {km: ends for km, ends in self.equipment_us.items() if isinstance(ends, tuple)}

    @property
    def model(self) -> "TransportModel":
        """The model whose times are calibrated."""
        return TransportModel(self.protocols, tuple(self.unknown_equipment_us))

    @property
    def compared(self) -> str:
        """The protocol that is compared with the baseline."""
        return next(name for name in self.protocols if name != self.baseline)


@dataclass(frozen=True)
class TransportModel(LinearModel):
    """
    Transaction times of protocols: wire, round trips, and times for each, frame and byte.

    With a number of connections, no time is shorter than the line takes for a transaction of each.
    Delays of equipment at some distances may be parameters too.
    """

    protocols: Mapping[str, Protocol]
    equipment_km: tuple[Decimal, ...] = ()

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        times = [f"{name}.{each}" for name in self.protocols for each in PARAMETERS]
        delays = map(equipment_column, self.equipment_km)
        return tuple(FreeParameter(name, name.rpartition("_")[2]) for name in (*times, *delays))

    def loads(self, point: Point) -> Loads:
        own = [float(km) == point.at.get("distance_km") for km in self.equipment_km]
        if point.quantity == EQUIPMENT:
            times = np.zeros(len(self.parameters) - len(own))
            return Loads(np.append(times, own)[None], np.zeros(1), False, (EQUIPMENT,))
        if point.quantity != QUANTITY:
            raise DomainError(f"a model of protocols knows {QUANTITY}, not {point.quantity}")
        at = {
            name: needed(point.at, name, point.quantity)
            for name in ("protocol", "request_bytes", "response_bytes", "round_trip_s")
        }
        if at["protocol"] not in self.protocols:
            raise DomainError(
                f"protocol: {at['protocol']!r} is none of {', '.join(self.protocols)}"
            )
        frames, payload_bytes, wire_s, busiest_wire_s = amounts(
            self.protocols[str(at["protocol"])],
            float(at["request_bytes"]),
            float(at["response_bytes"]),
        )
        place = list(self.protocols).index(str(at["protocol"])) * len(PARAMETERS)
        rows = np.zeros((2, len(self.parameters)))
        rows[0, place : place + len(PARAMETERS)] = 1, frames, payload_bytes
        count = float(point.at.get("round_trip_count", 1))
        rows[0, len(self.parameters) - len(own) :] = [count * each for each in own]
        connections = float(point.at.get("connection_count", 0))
        # in microseconds, as the parameters are
        times_s = (
            float(wire_s) + count * float(at["round_trip_s"]),
            connections * float(busiest_wire_s),
        )
        constants = np.array(times_s) / MICRO
        names = (str(at["protocol"]), "line")
        used = 2 if connections else 1
        return Loads(rows[:used], constants[:used], is_rate=False, names=names[:used])


class TransportRatio(NamedTuple):
    """Transaction time over that of the baseline which a statement allows, for one case."""

    statement: str
    workload: str
    distance_km: Decimal
    low: float
    high: float


def transport_document(
    declaration: Declaration, without: Collection[str] = frozenset()
) -> Document:
    """
    The record that a declaration of this kind makes.

    Raises
    ------
    ContradictionError
        If no times agree with all cases.
    ParseError
        If the declaration is wrong, or one of its statements compares something else.
    """
    try:
        return _document(declaration, without)
    except (DomainError, UnknownRecordError) as error:
        raise ParseError(declaration.path, str(error)) from error


def _document(declaration: Declaration, without: Collection[str]) -> Document:
    declared = validated(declaration.path, _Declared, declaration.document)
    if len(declared.protocols) != 2 or declared.baseline not in declared.protocols:
        raise ParseError(declaration.path, "protocols: must be two, one of them the baseline")
    distances = {statement(name).subject.distance_km for name in declared.statements}
    if not distances.issuperset(declared.equipment_us):
        raise ParseError(declaration.path, "equipment_us: must be of distances of the statements")
    ratios = [
        _ratio(declaration.path, declared, statement(name))
        for name in declared.statements
        if name not in without
    ]
    names = dict.fromkeys(ratio.workload for ratio in ratios)
    loads = [workload(name) for name in names]
    sizes = [size for load in loads for size in _sizes(load)]
    parameters = declared.model.parameters
    document: dict[str, Any] = {
        "title": declared.title,
        "host": declared.host,
        "baseline": declared.baseline,
        "protocols": {
            name: each.model_dump(exclude_none=True) for name, each in declared.protocols.items()
        },
        "connection_counts": sorted(
            {n for load in loads if load.connections is not None for n in load.connections.counts}
        ),
        "message_low_bytes": min(sizes),
        "message_high_bytes": max(sizes),
        "equipment_km": [*declared.unknown_equipment_us],
        "columns": [parameter.name for parameter in parameters],
        "statements": [ratio.statement for ratio in ratios],
        "corners": [
            [_decimal(time) for time in corner]
            for corner in _feasible(declared, ratios).vertices.tolist()
        ],
        "cases": [*_cases(ratios)],
    }
    if not without:
        document["left_out"] = [*_left_out(declared, ratios)]
    validated(declaration.path, TransportRecord, {"id": declaration.id, **document})
    return document


def _cases(ratios: Sequence[TransportRatio]) -> Iterator[Document]:
    """Each workload and distance, with the range of all its statements."""
    for case in dict.fromkeys((each.workload, each.distance_km) for each in ratios):
        own = [each for each in ratios if each[1:3] == case]
        # where figures of the same runs exclude each other: by how much
        apart = max(each.low for each in own) / min(each.high for each in own) - 1
        yield {
            "workload": case[0],
            "distance_km": case[1],
            "low": _decimal(min(each.low for each in own)),
            "high": _decimal(max(each.high for each in own)),
            "statements": [each.statement for each in own],
            **({"apart_ratio": _decimal(apart)} if apart > 0 else {}),
        }


def _feasible(declared: _Declared, ratios: Sequence[TransportRatio]) -> FeasibleSet:
    """All times that agree with each case: between its largest and smallest ratio."""
    delays = declared.unknown_equipment_us
    observed = [
        Observed(
            quantity=EQUIPMENT,
            at={"distance_km": float(km)},
            low=low,
            high=high,
            relation=Relation.RANGE,
            place=f"equipment_us of {km} km",
            is_published=True,
        )
        for km, (low, high) in delays.items()
    ]
    for case in _cases(ratios):
        at = _conditions(declared, case["workload"], case["distance_km"])
        observed.append(
            Observed(
                quantity=QUANTITY,
                at={"protocol": declared.compared, **at},
                low=float(case["low"]),
                high=float(case["high"]),
                relation=Relation.RANGE,
                baseline={"protocol": declared.baseline, **at},
                place=" and ".join(case["statements"]),
                is_published=True,
            )
        )
    return feasible_set(observed, declared.model)


def _left_out(declared: _Declared, ratios: Sequence[TransportRatio]) -> Iterator[Document]:
    """What the others predict for each statement: all others, and those of other cases."""
    for ratio in ratios:
        at = _conditions(declared, ratio.workload, ratio.distance_km)
        points = [
            Point(QUANTITY, {"protocol": name, **at})
            for name in (declared.compared, declared.baseline)
        ]
        ends: Document = {}
        for prefix, kept in (
            ("", [each for each in ratios if each is not ratio]),
            ("case_", [each for each in ratios if each[1:3] != ratio[1:3]]),
        ):
            range_ = _feasible(declared, kept).ratio(*points)
            ends |= {f"{prefix}low": _decimal(range_.low), f"{prefix}high": _decimal(range_.high)}
        yield {"statement": ratio.statement, **ends}


def _conditions(
    declared: _Declared, name: str, distance_km: Decimal
) -> dict[str, float | str | bool]:
    load = workload(name)
    request_bytes, response_bytes = _sizes(load)
    counts = () if load.connections is None else load.connections.counts
    delay_us = declared.equipment_us.get(distance_km, 0)
    return {
        "distance_km": float(distance_km),
        "connection_count": min(counts, default=0),
        "request_bytes": request_bytes,
        "response_bytes": response_bytes,
        "round_trip_s": float(
            propagation_round_trip_s(
                float(distance_km) * KILO,
                equipment_time_s=0 if isinstance(delay_us, tuple) else delay_us * MICRO,
            )
        ),
    }


def _sizes(load: Workload) -> tuple[int, int]:
    """Bytes of a request and of its response."""
    if load.is_stream:
        raise DomainError(f"workload {load.id} has no requests with responses")
    return int(load.request_bytes), int(load.response_bytes)


def _ratio(file: str, declared: _Declared, about: Statement) -> TransportRatio:
    """The ratio of times that a statement allows: its figure within its rounding."""
    subject, baseline = about.subject, about.baseline
    compared = declared.protocols[declared.compared]
    is_fit = (
        about.quantity in (QuantityKind.LATENCY, QuantityKind.THROUGHPUT)
        and about.change in (Change.LESS, Change.MORE)
        and about.value is not None
        and about.unit == "%"
        and baseline is not None
        and subject.transport == compared.transport
        and baseline.transport == declared.protocols[declared.baseline].transport
    )
    if not is_fit or subject.workload is None or subject.distance_km is None:
        raise ParseError(
            file,
            f"statements: {about.id} does not compare latency or throughput of both protocols, "
            "in %, with a workload over a distance",
        )
    return TransportRatio(
        about.id, subject.workload, subject.distance_km, *reached_time_ratio(about)
    )


def reached_time_ratio(about: Statement) -> tuple[float, float]:
    """
    Transaction time over that of the baseline where a figure is reached, within its rounding.

    At a fixed number of connections without think time, throughput is one over it.
    """
    is_most = about.relation is Relation.UP_TO
    reached = (about.model_copy(update={"relation": Relation.EQUAL}) if is_most else about).interval
    assert reached is not None
    assert about.change is not None
    percents = sorted(abs(float(end)) / WHOLE_PERCENT for end in reached)
    low, high = ratio_interval(about.change, percents[0], percents[-1])
    return (low, high) if about.quantity is QuantityKind.LATENCY else (1 / high, 1 / low)


def _decimal(number: float) -> Decimal:
    return Decimal(f"{number:.{_DIGITS}g}")
