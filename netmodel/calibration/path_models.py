"""Models of service times: of one direction of an adapter, and of the CPUs of a host."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from netmodel.calibration.models import (
    FreeParameter,
    LinearModel,
    Loads,
    Model,
    Point,
    require_quantity,
)
from netmodel.calibration.observations import (
    COSTS,
    MESSAGE_CONDITIONS,
    MESSAGE_FORMS,
    RATES,
    Cap,
    Conditions,
    needed,
)
from netmodel.consumption import Side, consumption_us_per_gbit
from netmodel.errors import DomainError
from netmodel.framing import tcp_stack
from netmodel.kept import ReadOnly
from netmodel.lazy_numpy import np
from netmodel.numeric import require_at_least
from netmodel.path import Stage, Times, Traffic, workload_traffic
from netmodel.path.ensemble import Ensemble
from netmodel.path.from_records import wire_stages
from netmodel.path.stages import (
    COUNT_NAMES,
    DIRECTION_AT,
    DIRECTIONS,
    TIME_NAMES,
    TIMES_OF_MESSAGES,
    Direction,
)
from netmodel.path.traffic import Load
from netmodel.records import workload
from netmodel.results import fields_repr
from netmodel.units import BITS_PER_BYTE

_SHARED_BY = {
    "per_wakeup_s": "messages_per_wakeup",
    "per_interrupt_s": "frames_per_interrupt",
    "per_ack_s": "segments_per_ack",
}
"""Conditions that a time cannot be estimated without."""
_SIZE = "MTU or message size"
"""Conditions of which another value separates all other times."""
_STREAM_WRITE_BYTES = 1 << 20
"""Write size of a stream that specifies none: 1 MiB, at which time per write hardly counts."""
_SIDES = {side.value: side for side in Side}
_PER_MESSAGE = ("transaction_rate_tps", "cpu_s_per_transaction")
HOST_TABLES = {"sent": "send", "received": "receive"}
"""Tables of records that hold the cost of data sent and received, by how parts are called."""
_ADAPTER = "adapter"
USUAL_PARTS = ("per_message_s", "per_frame_s", "per_byte_s")


@dataclass(frozen=True)
class ServiceTimes:
    """
    Sums of a linear model: service times of adapters, or of the CPUs of a host.

    `adapter_model` and `host_cost_model` make it.

    Parameters
    ----------
    names : mapping of (str, str) to str
        For each place and time the parameter that it is. Places are adapters or their directions,
        or what a host sends and receives.
    lines : mapping of str to tuple of Stage
        Of the adapter at a place.
    by : str
        Condition that names the place; empty where there is one, and for hosts.

    Notes
    -----
    Quantities of an adapter: ``throughput_bps`` and ``transaction_rate_tps``, which adapter and
    line set; of a host ``cpu_us_per_gbit`` and ``cpu_s_per_transaction``. Conditions:
    ``mtu_bytes``, or ``payload_bytes`` of a full frame over TCP and IPv4; ``workload``, or
    ``request_bytes`` and ``response_bytes``, or ``write_bytes`` of a stream to
    the server, or none of them where only frames count; ``segments_per_ack`` where pure
    acknowledgements count; ``side`` for costs.
    """

    names: Mapping[tuple[str, str], str]
    lines: Mapping[str, tuple[Stage, ...]] = field(default_factory=ReadOnly)
    by: str = ""

    __repr__ = fields_repr

    @property
    def places(self) -> tuple[str, ...]:
        """Adapters or their directions, or what a host sends and receives, that have times."""
        return tuple(dict.fromkeys(place for place, _ in self.names))

    @property
    def is_of_host(self) -> bool:
        """True for CPU time of a host."""
        return not HOST_TABLES.keys().isdisjoint(self.places)

    def model(self) -> LinearModel:
        """Return the model of these times."""
        # a time that a batch shares needs another size of the batch to be separated
        free = {
            name: FreeParameter(name, "s", separated_by=f"another {_SHARED_BY.get(time, _SIZE)}")
            for (_, time), name in self.names.items()
        }
        return LinearModel(tuple(free.values()), self)

    def __call__(self, point: Point) -> Loads:
        require_quantity(point, COSTS if self.is_of_host else RATES)
        numbers: Any = point.at
        directions, load = self.carried(point.quantity, point.at)
        sizes = {name: numbers[name] for name in COUNT_NAMES if name in numbers and self.is_of_host}
        columns = [*dict.fromkeys(self.names.values())]
        rows = []
        for place, direction in directions.items():
            each: Any = {time: 1.0 for where, time in self.names if where == place}
            spent: Any = {direction: Times(**each)}
            rows.append(np.zeros(len(columns) + 1))
            for term, amount in load.demand(Stage(name=place, **spent, **sizes)):
                name = self.names[place, term.rpartition(".")[2]]
                rows[-1][columns.index(name)] += amount
            for stage in self.lines.get(place, ()):
                rows.append(np.zeros(len(columns) + 1))
                rows[-1][-1] = sum(float(time_s) for _, time_s in load.demand(stage))
        # an adapter is as slow as its slowest stage, and a host spends the sum of its stages
        sums = np.sum(rows, axis=0, keepdims=True) if self.is_of_host else np.array(rows)
        sums = sums[sums.any(axis=1)]
        if not len(sums):
            raise DomainError("no known or free part of the cost is spent on what was exchanged")
        bits = BITS_PER_BYTE * float(load.traffic.exchanged_bytes)
        scales = {RATES[0]: 1 / bits, COSTS[0]: float(consumption_us_per_gbit(1, bits))}
        return Loads(scales.get(point.quantity, 1.0) * sums, not self.is_of_host)

    def carried(self, quantity: str, at: Conditions) -> tuple[dict[str, Direction], Load]:
        """Return the direction on the path of each place, and what it carries."""
        names = {time for _, time in self.names}
        depends_on_messages = names.intersection(TIMES_OF_MESSAGES) or quantity in _PER_MESSAGE
        if depends_on_messages and not any(at.get(name) for name in MESSAGE_CONDITIONS):
            known = ", ".join(name for each in MESSAGE_FORMS for name in sorted(each))
            raise DomainError(f"{quantity} needs one of {known}: none is given")
        for name in names.intersection(_SHARED_BY):
            needed(at, _SHARED_BY[name], name)
        place = str(at.get(self.by)) if self.by else _ADAPTER
        directions: dict[str, Direction] = {place: "to_server"}
        if self.by and place not in self.places:
            raise DomainError(f"{self.by} must be one of {', '.join(self.places)}; got {place}")
        if self.is_of_host:
            side = needed(at, "side", quantity)
            if side not in _SIDES:
                raise DomainError(f"side must be one of {', '.join(_SIDES)}; got {side!r}")
            out, back = (DIRECTION_AT[_SIDES[str(side)], way] for way in ("out", "in"))
            ways: dict[str, Direction] = {"sent": out, "received": back}
            directions = {place: ways[place] for place in self.places}
        numbers: Any = at
        if "payload_bytes" in at and "mtu_bytes" not in at:
            mtu_bytes: Any = tcp_stack().packet_bytes(numbers["payload_bytes"])
        else:
            mtu_bytes = needed(numbers, "mtu_bytes", quantity)
        traffic = _traffic(numbers, one_way=not self.is_of_host)
        require_at_least("mtu_bytes", mtu_bytes, tcp_stack().minimum_mtu_bytes, "byte")
        return directions, Load(traffic, mtu_bytes, tcp_stack(), Ensemble(()))


def _traffic(at: Mapping[str, Any], one_way: bool) -> Traffic:
    """
    What conditions say is exchanged; a stream to the server where they say nothing.

    One way, only the larger message counts.
    """
    count = at.get("connection_count")
    request, response = at.get("request_bytes", 0), at.get("response_bytes", 0)
    if "workload" in at:
        record = workload(str(at["workload"]))
        for low, high in (record.request_bytes_bounds, record.response_bytes_bounds):
            if low != high:
                raise DomainError(
                    f"a message of {record.id} is only known to have {low} to {high} byte: give "
                    "request_bytes and response_bytes in place of the workload"
                )
        traffic = workload_traffic(record, count)
    elif request or response:
        traffic = Traffic(request, response, connection_count=count)
    else:
        write = at.get("write_bytes", _STREAM_WRITE_BYTES)
        traffic = Traffic(write, connection_count=count, waits=False, shares_segments=True)
    if one_way:
        sizes: Any = {"request_bytes": traffic.payload_bytes, "response_bytes": 0}
        return replace(traffic, **sizes, connection_count=None)
    return replace(traffic, segments_per_ack=at.get("segments_per_ack"))


def service_times(model: Model) -> ServiceTimes | None:
    """Return the service times that a model is of; None for any other model."""
    sums = model.sums if isinstance(model, LinearModel) else None
    return sums if isinstance(sums, ServiceTimes) else None


def frame_payloads(model: Model, at: Conditions) -> dict[str, float]:
    """
    Mean payload of the frames under conditions, of each place that has any. [byte]

    Raises
    ------
    DomainError
        If a condition that is needed is missing.
    """
    times = service_times(model)
    if times is None:
        return {}
    directions, load = times.carried(RATES[0], at)
    counts = dict(zip(DIRECTIONS, load.counts, strict=True))
    of_place = {place: counts[direction] for place, direction in directions.items()}
    return {
        place: float(count.payload_bytes / count.frame_count)
        for place, count in of_place.items()
        if count.message_count
    }


def adapter_model(
    line_rate_bps: float | Mapping[str, float | None] | None = None,
    by: str = "",
) -> LinearModel:
    """
    One direction of an adapter: a time for each frame, and one for each byte of payload.

    Parameters
    ----------
    line_rate_bps : float or mapping, optional
        MAC rate of its line, which nothing exceeds; no line when left out. Of several adapters or
        directions that of each, by the value of a condition. [bit/s]
    by : str
        That condition, such as ``"direction"``.

    Returns
    -------
    model : LinearModel
        Its parameters are ``per_frame_s`` and ``per_byte_s``; of several with the value of the
        condition in front, such as ``in.per_frame_s``.

    Raises
    ------
    DomainError
        If a rate is not above zero.

    Examples
    --------
    >>> import numpy as np
    >>> from netmodel.calibration import Point
    >>> model = adapter_model(25e9)
    >>> rate_bps = model.function([Point("throughput_bps", {"mtu_bytes": 1500})])
    >>> round(float(rate_bps(np.array([0.864478e-6, 0]))[0]) / 1e9, 3)
    13.4
    >>> both = adapter_model({"in": 25e9, "out": 25e9}, by="direction")
    >>> [each.name for each in both.parameters]
    ['in.per_frame_s', 'in.per_byte_s', 'out.per_frame_s', 'out.per_byte_s']
    """
    rates = line_rate_bps if isinstance(line_rate_bps, Mapping) else {_ADAPTER: line_rate_bps}
    lines = {place: wire_stages(rate) for place, rate in rates.items() if rate is not None}
    names = {
        (place, time): f"{place}.{time}" if by else time
        for place in rates
        for time in ("per_frame_s", "per_byte_s")
    }
    return ServiceTimes(names, lines, by).model()


def host_cost_model(parts: Sequence[str] = USUAL_PARTS) -> LinearModel:
    """
    CPU time of a host, part by part.

    Parameters
    ----------
    parts : sequence of str
        Service times to estimate: ``per_message_s``, ``per_wakeup_s``,
        ``per_interrupt_s``, ``per_frame_s``, ``per_ack_s``, ``per_byte_s``. One alone
        is the same for what is sent and what is received; with ``sent.`` or
        ``received.`` before it, it is of that alone. Those left out are 0, and
        acknowledgements then cost what frames do.

    Returns
    -------
    model : LinearModel
        Its parameters are the parts. Conditions beside those of every path:
        ``messages_per_wakeup``, ``frames_per_interrupt``, ``segments_per_packet``
        and ``segments_per_ack``; parts that these share cannot be estimated without them.

    Raises
    ------
    DomainError
        If there is no such part or none at all, or two of them are the same time.

    Examples
    --------
    >>> [each.name for each in host_cost_model().parameters]
    ['per_message_s', 'per_frame_s', 'per_byte_s']
    """
    names = dict[tuple[str, str], str]()
    for part in parts:
        place, _, name = part.rpartition(".")
        if name not in TIME_NAMES or place not in ("", *HOST_TABLES):
            raise DomainError(
                f"{part!r} is not a part of the cost of a host: it has {', '.join(TIME_NAMES)}, "
                f"each alone or with {' or '.join(f'{each}.' for each in HOST_TABLES)} before it"
            )
        for key in ((each, name) for each in ([place] if place else HOST_TABLES)):
            if key in names:
                raise DomainError(f"{names[key]} and {part} stand for the same time")
            names[key] = part
    if not names:
        raise DomainError("at least one part must be free")
    return ServiceTimes(names).model()


def line_cap(line_rate_bps: float) -> Cap:
    """
    The payload rate that a line carries, as models of paths have it.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate. [bit/s]

    Returns
    -------
    cap : callable
        From conditions (``mtu_bytes`` and the messages, as `adapter_model` has them)
        to the payload rate of the larger message. [bit/s]

    Raises
    ------
    DomainError
        If the rate is not above zero; from the function that is returned, if the MTU is missing.

    Examples
    --------
    Requests of 200 byte and responses of 30 KiB:

    >>> cap = line_cap(25e9)
    >>> round(cap({"mtu_bytes": 1500, "workload": "rr1c-200x30k"}) / 1e9, 3)
    23.486
    """
    line = ServiceTimes({}, {_ADAPTER: wire_stages(line_rate_bps)})
    return lambda at: line(Point(RATES[0], at)).most
