"""Models of service times: of one direction of an adapter, and of the CPUs of a host."""

from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from netmodel.calibration.conditions import mtu_under, traffic_under
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
    Conditions,
    needed,
)
from netmodel.consumption import Side, consumption_us_per_gbit
from netmodel.errors import DomainError
from netmodel.framing import Stack, tcp_stack
from netmodel.lazy_numpy import np
from netmodel.path import Path, Pool, Prediction, Stage, predict_path, wire_stages
from netmodel.path.stages import (
    COUNT_NAMES,
    DIRECTION_AT,
    DIRECTIONS,
    TIME_NAMES,
    TIMES_OF_MESSAGES,
    Direction,
)
from netmodel.results import fields_repr
from netmodel.units import BITS_PER_BYTE

_SHARED_BY = {
    "per_wakeup_s": "messages_per_wakeup",
    "per_interrupt_s": "frames_per_interrupt",
    "per_ack_s": "segments_per_ack",
}
"""Conditions that a time cannot be estimated without."""
_PER_MESSAGE = ("transaction_rate_tps", "cpu_s_per_transaction")
HOST_TABLES = {"sent": "send", "received": "receive"}
"""Tables of records that hold the cost of data sent and received, by how parts are called."""
_USUAL_PARTS = ("per_message_s", "per_frame_s", "per_byte_s")


@dataclass(frozen=True)
class TimesModel(LinearModel):
    """
    Service times of one direction of an adapter, or of the CPUs of a host.

    `adapter_model` and `host_cost_model` make it.

    Parameters
    ----------
    path : Path
        The adapter and its line, or what the host sends and receives. Free times are one second.
    free : mapping of str to tuple of str
        For each free parameter the times that it stands for, by their names in predictions.
    stack : Stack
        Headers of each frame.
    side : Side, optional
        Whose CPU time it is; None for an adapter.

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

    path: Path
    free: Mapping[str, tuple[str, ...]]
    stack: Stack
    side: Side | None = None

    __repr__ = fields_repr

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        # a time that a batch shares needs another size of the batch to be separated
        shared = [
            (name, _SHARED_BY.get(times[0].rpartition(".")[2])) for name, times in self.free.items()
        ]
        return tuple(
            FreeParameter(name, "s", separated_by=f"another {count}" if count else "")
            for name, count in shared
        )

    def loads(self, point: Point) -> Loads:
        require_quantity(point, RATES if self.side is None else COSTS)
        prediction = self._predicted(point.quantity, point.at)
        bits = BITS_PER_BYTE * float(prediction.traffic.exchanged_bytes)
        # an adapter is as slow as its slowest stage, and a host spends the sum of its stages
        sums, scale = [dict(terms) for terms in prediction.demands.values() if terms], 1.0
        if self.side is not None:
            sums = [dict(ChainMap(*sums))]
        if point.quantity == "throughput_bps":
            scale = 1 / bits
        elif point.quantity == "cpu_us_per_gbit":
            scale = float(consumption_us_per_gbit(1, bits))
        free = {time for times in self.free.values() for time in times}
        rows = [
            [
                *(sum(float(terms.get(time, 0)) for time in times) for times in self.free.values()),
                sum(float(value) for name, value in terms.items() if name not in free),
            ]
            for terms in sums
        ]
        result = Loads(scale * np.array(rows, float), self.side is None)
        return result.uncapped if point.is_uncapped else result

    def with_fixed(self, values: Mapping[str, float]) -> "TimesModel":
        """
        The same with parameters of these names at these values in its path. [s]

        Raises
        ------
        DomainError
            If there is no such parameter, none would be left, or a value is negative.
        """
        require_free(self, values)
        times = {time: value for name, value in values.items() for time in self.free[name]}
        free = {name: times for name, times in self.free.items() if name not in values}
        return replace(self, path=_with_times(self.path, times), free=free)

    def frame_payloads(self, at: Conditions) -> dict[str, float]:
        """
        Mean payload of the frames under conditions, of each direction that has any. [byte]

        Raises
        ------
        DomainError
            If a condition that is needed is missing.
        """
        counts = self._predicted(RATES[0], at).load.counts
        return {
            direction: float(count.payload_bytes / count.frame_count)
            for direction, count in zip(DIRECTIONS, counts, strict=True)
            if count.message_count
        }

    def _predicted(self, quantity: str, at: Conditions) -> Prediction:
        """The path under conditions, each free time being one second."""
        if self.side is not None and quantity in COSTS:
            side = needed(at, "side", quantity)
            if side != self.side.value:
                raise DomainError(f"side must be {self.side.value}; got {side!r}")
        names = {time.rpartition(".")[2] for times in self.free.values() for time in times}
        depends_on_messages = names.intersection(TIMES_OF_MESSAGES) or quantity in _PER_MESSAGE
        if depends_on_messages and not any(at.get(name) for name in MESSAGE_CONDITIONS):
            known = ", ".join(name for each in MESSAGE_FORMS for name in sorted(each))
            raise DomainError(f"{quantity} needs one of {known}: none is given")
        for name in names.intersection(_SHARED_BY):
            needed(at, _SHARED_BY[name], name)
        traffic = traffic_under(at, one_way=self.side is None)
        mtu_bytes = mtu_under(at, self.stack, quantity)
        batch_sizes: dict[str, Any] = {name: at[name] for name in COUNT_NAMES if name in at}
        path = self.path
        if batch_sizes and self.side is not None:
            stages = tuple(replace(stage, **batch_sizes) for stage in path.stages)
            path = replace(path, stages=stages)
        # a cost needs a time in a direction in which messages go, or acknowledgements
        sent = zip(DIRECTIONS, (traffic.request_bytes, traffic.response_bytes), strict=True)
        used = {direction for direction, size in sent if size or "segments_per_ack" in at}
        if not any(getattr(stage, each).named for stage in path.stages for each in used):
            raise DomainError("no known or free part of the cost is spent on what was exchanged")
        return predict_path(path, traffic, mtu_bytes, self.stack)


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
    free = {name: (f"adapter.to_server.{name}",) for name in ("per_frame_s", "per_byte_s")}
    return _model((Stage(name="adapter"), *line), free, stack)


def host_cost_model(
    side: Side, parts: Sequence[str] = _USUAL_PARTS, stack: Stack | None = None
) -> TimesModel:
    """
    CPU time of one host, part by part.

    Parameters
    ----------
    side : Side
        Whose CPUs.
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
        If the side is no `Side`, there is no such part or none at all, or two of
        them are the same time.

    Examples
    --------
    >>> [each.name for each in host_cost_model(Side.CLIENT).parameters]
    ['per_message_s', 'per_frame_s', 'per_byte_s']
    >>> streams = host_cost_model(Side.CLIENT, ("sent.per_frame_s", "sent.per_byte_s"))
    >>> streams.free["sent.per_byte_s"]
    ('sent.to_server.per_byte_s',)
    """
    if not isinstance(side, Side):
        raise DomainError(f"side must be a Side; got {side!r}")
    directions = host_directions(side)
    free = {}
    for part in parts:
        place, _, name = part.rpartition(".")
        if name not in TIME_NAMES or place not in ("", *directions):
            raise DomainError(
                f"{part!r} is not a part of the cost of a host: it has {', '.join(TIME_NAMES)}, "
                f"each alone or with {' or '.join(f'{each}.' for each in directions)} before it"
            )
        free[part] = tuple(
            f"{each}.{direction}.{name}"
            for each, direction in directions.items()
            if place in ("", each)
        )
    if not free:
        raise DomainError("at least one part must be free")
    every = [time for times in free.values() for time in times]
    if len(set(every)) < len(every) or len(free) < len(parts):
        raise DomainError(f"more than one of {', '.join(parts)} stands for the same time")
    stages = tuple(Stage(name=name, side=side, pool="cpu") for name in directions)
    return _model(stages, free, stack, side)


def host_directions(side: Side) -> dict[str, Direction]:
    """Direction of what a host sends, and of what it receives, by how parts are called."""
    return dict(
        zip(HOST_TABLES, (DIRECTION_AT[side, "out"], DIRECTION_AT[side, "in"]), strict=True)
    )


def _model(
    stages: tuple[Stage, ...],
    free: Mapping[str, tuple[str, ...]],
    stack: Stack | None,
    side: Side | None = None,
) -> TimesModel:
    pools = () if side is None else (Pool("cpu", None, side),)
    times = dict.fromkeys((time for times in free.values() for time in times), 1.0)
    path = _with_times(Path(stages=stages, pools=pools), times)
    return TimesModel(path, free, stack or tcp_stack(), side)


def _with_times(path: Path, times: Mapping[str, float]) -> Path:
    """The path with these times, by their names in predictions."""
    stages = []
    for stage in path.stages:
        made = {}
        for direction in DIRECTIONS:
            names = {name: f"{stage.name}.{direction}.{name}" for name in TIME_NAMES}
            own: dict[str, Any] = {name: times[key] for name, key in names.items() if key in times}
            made[direction] = replace(getattr(stage, direction), **own)
        stages.append(replace(stage, **made))
    return replace(path, stages=tuple(stages))
