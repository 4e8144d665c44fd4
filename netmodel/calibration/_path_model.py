"""Models of service times: of one direction of an adapter, and of the CPUs of a host."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from netmodel.calibration.models import (
    FreeParameter,
    LinearModel,
    Loads,
    Point,
    require_free,
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
from netmodel.framing import Stack, tcp_stack
from netmodel.lazy_numpy import np
from netmodel.numeric import require_at_least
from netmodel.path import Stage, Times, Traffic, wire_stages, workload_traffic
from netmodel.path.ensemble import Ensemble
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
_STREAM_WRITE_BYTES = 1 << 20
"""Write size of a stream that specifies none: 1 MiB, at which time per write hardly counts."""
_SIDES = {side.value: side for side in Side}
_PER_MESSAGE = ("transaction_rate_tps", "cpu_s_per_transaction")
HOST_TABLES = {"sent": "send", "received": "receive"}
"""Tables of records that hold the cost of data sent and received, by how parts are called."""
_ADAPTER = "adapter"
_USUAL_PARTS = ("per_message_s", "per_frame_s", "per_byte_s")


@dataclass(frozen=True)
class TimesModel(LinearModel):
    """
    Service times of one direction of an adapter, or of the CPUs of a host.

    `adapter_model` and `host_cost_model` make it.

    Parameters
    ----------
    times : mapping of (str, str) to str or float
        For each place and time the parameter that it is, or its seconds. Places are the adapter,
        or what a host sends and receives.
    stack : Stack
        Headers of each frame.
    line : tuple of Stage
        Of an adapter.

    Notes
    -----
    Quantities of an adapter: ``throughput_bps`` and ``transaction_rate_tps``, which adapter and
    line set; of a host ``cpu_us_per_gbit`` and ``cpu_s_per_transaction``. Conditions:
    ``mtu_bytes``, or ``payload_bytes`` of a full frame; ``workload``, or
    ``request_bytes`` and ``response_bytes``, or ``write_bytes`` of a stream to
    the server, or none of them where only frames count; ``segments_per_ack`` where pure
    acknowledgements count; ``side`` for costs.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> [parameter.name for parameter in adapter_model(25e9).parameters]
    ['per_frame_s', 'per_byte_s']
    """

    times: Mapping[tuple[str, str], str | float]
    stack: Stack
    line: tuple[Stage, ...] = ()

    __repr__ = fields_repr

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        # a time that a batch shares needs another size of the batch to be separated
        names = dict.fromkeys(each for each in self.times.values() if isinstance(each, str))
        shared = {name: _SHARED_BY.get(name.rpartition(".")[2]) for name in names}
        return tuple(
            FreeParameter(name, "s", separated_by=f"another {count}" if count else "")
            for name, count in shared.items()
        )

    @property
    def places(self) -> tuple[str, ...]:
        """The adapter, or what a host sends and receives, as far as it has times."""
        return tuple(dict.fromkeys(place for place, _ in self.times))

    @property
    def is_of_host(self) -> bool:
        """True for CPU time of a host."""
        return not HOST_TABLES.keys().isdisjoint(self.places)

    def loads(self, point: Point) -> Loads:
        require_quantity(point, COSTS if self.is_of_host else RATES)
        numbers: Any = point.at
        directions, load = self._carried(point.quantity, point.at)
        sizes = {name: numbers[name] for name in COUNT_NAMES if name in numbers and self.is_of_host}
        places = {free.name: place for place, free in enumerate(self.parameters)}
        rows = []
        for place, direction in directions.items():
            each: Any = {time: 1.0 for where, time in self.times if where == place}
            spent: Any = {direction: Times(**each)}
            rows.append(np.zeros(len(places) + 1))
            for term, amount in load.demand(Stage(name=place, **spent, **sizes)):
                known = self.times[place, term.rpartition(".")[2]]
                if isinstance(known, str):
                    rows[-1][places[known]] += amount
                else:
                    rows[-1][-1] += known * amount
        for stage in self.line:
            rows.append(np.zeros(len(places) + 1))
            rows[-1][-1] = sum(float(time_s) for _, time_s in load.demand(stage))
        # an adapter is as slow as its slowest stage, and a host spends the sum of its stages
        sums = np.sum(rows, axis=0, keepdims=True) if self.is_of_host else np.array(rows)
        sums = sums[sums.any(axis=1)]
        if not len(sums):
            raise DomainError("no known or free part of the cost is spent on what was exchanged")
        bits = BITS_PER_BYTE * float(load.traffic.exchanged_bytes)
        scales = {RATES[0]: 1 / bits, COSTS[0]: float(consumption_us_per_gbit(1, bits))}
        result = Loads(scales.get(point.quantity, 1.0) * sums, not self.is_of_host)
        return result.uncapped if point.is_uncapped else result

    def with_fixed(self, values: Mapping[str, float]) -> "TimesModel":
        """
        The same with parameters of these names at these values. [s]

        Raises
        ------
        DomainError
            If there is no such parameter, none would be left, or a value is negative.
        """
        require_free(self.parameters, values)
        known: Any = values
        return replace(self, times={at: known.get(x, x) for at, x in self.times.items()})

    def frame_payloads(self, at: Conditions) -> dict[str, float]:
        """
        Mean payload of the frames under conditions, of each place that has any. [byte]

        Raises
        ------
        DomainError
            If a condition that is needed is missing.
        """
        directions, load = self._carried(RATES[0], at)
        counts = dict(zip(DIRECTIONS, load.counts, strict=True))
        of_place = {place: counts[direction] for place, direction in directions.items()}
        return {
            place: float(count.payload_bytes / count.frame_count)
            for place, count in of_place.items()
            if count.message_count
        }

    def _carried(self, quantity: str, at: Conditions) -> tuple[dict[str, Direction], Load]:
        """The direction on the path of each place, and what it carries under conditions."""
        names = {time for (_, time), each in self.times.items() if isinstance(each, str)}
        depends_on_messages = names.intersection(TIMES_OF_MESSAGES) or quantity in _PER_MESSAGE
        if depends_on_messages and not any(at.get(name) for name in MESSAGE_CONDITIONS):
            known = ", ".join(name for each in MESSAGE_FORMS for name in sorted(each))
            raise DomainError(f"{quantity} needs one of {known}: none is given")
        for name in names.intersection(_SHARED_BY):
            needed(at, _SHARED_BY[name], name)
        directions: dict[str, Direction] = dict.fromkeys(self.places, "to_server")
        if self.is_of_host:
            side = needed(at, "side", quantity)
            if side not in _SIDES:
                raise DomainError(f"side must be one of {', '.join(_SIDES)}; got {side!r}")
            out, back = (DIRECTION_AT[_SIDES[str(side)], way] for way in ("out", "in"))
            ways: dict[str, Direction] = {"sent": out, "received": back}
            directions = {place: ways[place] for place in self.places}
        numbers: Any = at
        if "payload_bytes" in at and "mtu_bytes" not in at:
            mtu_bytes = self.stack.packet_bytes(numbers["payload_bytes"])
        else:
            mtu_bytes = needed(numbers, "mtu_bytes", quantity)
        traffic = _traffic(numbers, one_way=not self.is_of_host)
        require_at_least("mtu_bytes", mtu_bytes, self.stack.minimum_mtu_bytes, "byte")
        return directions, Load(traffic, mtu_bytes, self.stack, Ensemble(()))


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


def adapter_model(line_rate_bps: float | None = None, stack: Stack | None = None) -> TimesModel:
    """
    One direction of an adapter: a time for each frame, and one for each byte of payload.

    Parameters
    ----------
    line_rate_bps : float, optional
        MAC rate of its line, which nothing exceeds; no line when left out. [bit/s]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    model : TimesModel
        Its parameters are ``per_frame_s`` and ``per_byte_s``.

    Raises
    ------
    DomainError
        If the rate is not above zero.

    Examples
    --------
    >>> import numpy as np
    >>> from netmodel.calibration import Point
    >>> model = adapter_model(25e9)
    >>> rate_bps = model.function([Point("throughput_bps", {"mtu_bytes": 1500})])
    >>> round(float(rate_bps(np.array([0.864478e-6, 0]))[0]) / 1e9, 3)
    13.4
    """
    line = () if line_rate_bps is None else wire_stages(line_rate_bps)
    times = {(_ADAPTER, name): name for name in ("per_frame_s", "per_byte_s")}
    return TimesModel(times, stack or tcp_stack(), line)


def host_cost_model(parts: Sequence[str] = _USUAL_PARTS, stack: Stack | None = None) -> TimesModel:
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
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    model : TimesModel
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
    >>> host_cost_model(["per_byte_s"]).times
    {('sent', 'per_byte_s'): 'per_byte_s', ('received', 'per_byte_s'): 'per_byte_s'}
    """
    times = dict[tuple[str, str], str]()
    for part in parts:
        place, _, name = part.rpartition(".")
        if name not in TIME_NAMES or place not in ("", *HOST_TABLES):
            raise DomainError(
                f"{part!r} is not a part of the cost of a host: it has {', '.join(TIME_NAMES)}, "
                f"each alone or with {' or '.join(f'{each}.' for each in HOST_TABLES)} before it"
            )
        for key in ((each, name) for each in ([place] if place else HOST_TABLES)):
            if key in times:
                raise DomainError(f"{times[key]} and {part} stand for the same time")
            times[key] = part
    if not times:
        raise DomainError("at least one part must be free")
    return TimesModel(times, stack or tcp_stack())


def line_cap(line_rate_bps: float, stack: Stack | None = None) -> Cap:
    """
    The payload rate that a line carries, as models of paths have it.

    Parameters
    ----------
    line_rate_bps : float
        MAC rate. [bit/s]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.

    Returns
    -------
    cap : callable
        From conditions (``mtu_bytes`` and the messages, as `TimesModel` has them)
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
    line = TimesModel({}, stack or tcp_stack(), wire_stages(line_rate_bps))
    return lambda at: line.loads(Point(RATES[0], at)).most
