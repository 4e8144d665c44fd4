"""Models of paths: service times of stages, adapters and hosts as free parameters."""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

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
from netmodel.path import (
    Path,
    Pool,
    Prediction,
    Stage,
    Times,
    predict_path,
    wire_stages,
)
from netmodel.path.response import passages
from netmodel.path.stages import (
    COUNT_NAMES,
    DIRECTION_AT,
    DIRECTIONS,
    TIME_NAMES,
    TIMES_OF_MESSAGES,
)
from netmodel.results import fields_repr
from netmodel.units import BITS_PER_BYTE

_TIMES_OF_ADAPTERS = ("per_frame_s", "per_byte_s")
_QUANTITIES = (*RATES, "transaction_time_s", *COSTS)
_SHARED_BY = {
    "per_wakeup_s": "messages_per_wakeup",
    "per_interrupt_s": "frames_per_interrupt",
    "per_ack_s": "segments_per_ack",
}
"""Conditions that a time cannot be estimated without."""
_PER_MESSAGE = ("transaction_rate_tps", "transaction_time_s", "cpu_s_per_transaction")
_Sum: TypeAlias = Mapping[str, float]
"""Terms of a sum by the names of the parameters that they are proportional to."""
HOST_TABLES = {"sent": "send", "received": "receive"}
"""Tables of records that hold the cost of data sent and received, by how parts are called."""
_USUAL_PARTS = ("per_message_s", "per_frame_s", "per_byte_s")


@dataclass(frozen=True)
class PathModel(LinearModel):
    """
    A path, some service times of which are free parameters.

    Parameters
    ----------
    path : Path
        Every other parameter of it is a number.
    free : mapping of str to tuple of str
        For each free parameter the times that it stands for, by their names in
        predictions, such as ``"adapter_in.to_server.per_frame_s"``.
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.
    one_way : bool
        Whether only the larger message of a workload is sent, as past one
        direction of an adapter.
    batching_stages : tuple of str
        Stages whose ``messages_per_wakeup``, ``frames_per_interrupt`` and
        ``segments_per_packet`` are conditions, and 1 where they are not given.

    Raises
    ------
    DomainError
        If the path has no such time, or another parameter of it is uncertain.

    Notes
    -----
    Quantities: ``throughput_bps`` and ``transaction_rate_tps``, which the
    slowest limit of the path sets, ``transaction_time_s`` by Little's law, and
    of one side ``cpu_us_per_gbit`` and ``cpu_s_per_transaction``. Conditions:
    ``mtu_bytes``, or ``payload_bytes`` of a full frame; ``workload``, or
    ``request_bytes`` and ``response_bytes``, or ``write_bytes`` of a stream to
    the server, or none of them where only frames count; ``connection_count``;
    ``segments_per_ack`` where pure acknowledgements count; ``side`` for costs.

    Examples
    --------
    >>> from netmodel.calibration import adapter_model
    >>> [parameter.name for parameter in adapter_model(25e9).parameters]
    ['per_frame_s', 'per_byte_s']
    """

    path: Path
    free: Mapping[str, tuple[str, ...]]
    stack: Stack = field(default_factory=tcp_stack)
    one_way: bool = False
    batching_stages: tuple[str, ...] = ()

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        known = {
            f"{stage.name}.{direction}.{time}"
            for stage, direction, time in product(self.path.stages, DIRECTIONS, TIME_NAMES)
        }
        for name in self._names - known:
            names = ", ".join(sorted(known))
            raise DomainError(f"{name!r} is not a service time of this path; it has {names}")
        if self._unit_path.is_uncertain:
            raise DomainError("every parameter of the path that is not free must be one number")

    @property
    def parameters(self) -> tuple[FreeParameter, ...]:
        parameters = []
        for name, times in self.free.items():
            # a time that a batch shares needs another size of the batch to be separated
            count = _SHARED_BY.get(times[0].rpartition(".")[2])
            separated_by = f"another {count}" if self.batching_stages and count else ""
            parameters.append(FreeParameter(name, "s", separated_by=separated_by))
        return tuple(parameters)

    def loads(self, point: Point) -> Loads:
        require_quantity(point, _QUANTITIES)
        prediction = self._predicted(point)

        # terms of each sum whose largest the quantity is, or is one over
        if point.quantity in COSTS:
            sums = [self._cost(point, prediction)]
        elif point.quantity == "throughput_bps":
            sums = [*_limits(prediction, BITS_PER_BYTE * float(prediction.traffic.payload_bytes))]
        elif point.quantity in RATES:
            sums = [*_limits(prediction, 1)]
        else:  # a transaction time R = N / X
            count: Any = needed(point.at, "connection_count", point.quantity)
            sums = [*_limits(prediction, 1 / count)]

        parts = [*self.free.values()]
        rows = [
            [*(_sum(terms, names) for names in parts), _sum(terms, set(terms) - self._names)]
            for terms in sums
        ]
        result = Loads(np.array(rows, float), point.quantity in RATES)
        return result.uncapped if point.is_uncapped else result

    def with_fixed(self, values: Mapping[str, float]) -> "PathModel":
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
        counts = self._predicted(Point(RATES[0], at)).counts
        return {
            direction: float(count.payload_bytes / count.frame_count)
            for direction, count in zip(DIRECTIONS, counts, strict=True)
            if count.message_count
        }

    def _predicted(self, point: Point) -> Prediction:
        """The path under the conditions of the point, each free time being one second."""
        at, quantity = point.at, point.quantity
        names = {name.rpartition(".")[2] for name in self._names}
        depends_on_messages = names.intersection(TIMES_OF_MESSAGES) or quantity in _PER_MESSAGE
        if depends_on_messages and not any(at.get(name) for name in MESSAGE_CONDITIONS):
            known = ", ".join(name for each in MESSAGE_FORMS for name in sorted(each))
            raise DomainError(f"{quantity} needs one of {known}: none is given")
        if self.batching_stages:
            for name in names.intersection(_SHARED_BY):
                needed(at, _SHARED_BY[name], name)
        traffic = traffic_under(at, self.one_way)
        mtu_bytes = mtu_under(at, self.stack, quantity)

        path = self._unit_path
        batch_sizes: dict[str, Any] = {
            name: at[name] for name in COUNT_NAMES if self.batching_stages and name in at
        }
        if batch_sizes:
            stages = (
                replace(stage, **batch_sizes) if stage.name in self.batching_stages else stage
                for stage in path.stages
            )
            path = replace(path, stages=tuple(stages))

        # a cost needs a time in a direction in which messages go, or acknowledgements
        sent = dict(zip(DIRECTIONS, (traffic.request_bytes, traffic.response_bytes), strict=True))
        is_spent = traffic.segments_per_ack is not None or any(
            size and getattr(stage, direction).named
            for stage in path.stages
            for direction, size in sent.items()
        )
        if quantity in COSTS and not is_spent:
            raise DomainError("no known or free part of the cost is spent on what was exchanged")
        return predict_path(path, traffic, mtu_bytes, self.stack)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for names in self.free.values() for name in names)

    @cached_property
    def _unit_path(self) -> Path:
        """The path with one second for each free time."""
        return _with_times(self.path, dict.fromkeys(self._names, 1.0))

    def _cost(self, point: Point, prediction: Prediction) -> _Sum:
        name, sides = needed(point.at, "side", point.quantity), {each.value: each for each in Side}
        if name not in sides:
            raise DomainError(f"side must be one of {', '.join(sides)}; got {name!r}")
        side = sides[str(name)]
        bits = BITS_PER_BYTE * float(prediction.traffic.exchanged_bytes)
        scale = consumption_us_per_gbit(1, bits) if point.quantity == "cpu_us_per_gbit" else 1
        stages = prediction.path.cpu_stages(side)
        if not stages:
            raise DomainError(f"no stage of the path takes CPU time of the {side.value}")
        terms = (term for stage in stages for term in prediction.demands[stage.name])
        return {name: float(value) * scale for name, value in terms}


def adapter_model(line_rate_bps: float | None = None, stack: Stack | None = None) -> PathModel:
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
    model : PathModel
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
    free = {
        name: tuple(f"adapter.{direction}.{name}" for direction in DIRECTIONS)
        for name in _TIMES_OF_ADAPTERS
    }
    path = Path(stages=(Stage(name="adapter"), *line))
    return PathModel(path, free, stack or tcp_stack(), one_way=True)


def _with_times(path: Path, times: Mapping[str, float]) -> Path:
    """The path with these times, by their names in predictions."""

    def changed(prefix: str, old: Times) -> Times:
        names = {name: f"{prefix}.{name}" for name in TIME_NAMES}
        new: dict[str, Any] = {name: times[key] for name, key in names.items() if key in times}
        return replace(old, **new)

    stages = (
        replace(
            stage,
            to_server=changed(f"{stage.name}.to_server", stage.to_server),
            to_client=changed(f"{stage.name}.to_client", stage.to_client),
        )
        for stage in path.stages
    )
    return replace(path, stages=tuple(stages))


def _limits(prediction: Prediction, amount: float) -> Iterator[_Sum]:
    """Terms of each limit, per unit of what it limits; `amount` of it make a transaction."""
    path, load = prediction.path, prediction.load
    for limit in prediction.limits:
        capacity = float(limit.capacity) * amount
        if limit.name != "connections":
            yield {name: float(value) / capacity for name, value in limit.terms}
            continue
        # each bound of the time of a transaction alone, the largest of which counts
        stages = [stage for stage in path.stages if stage.delays]
        for chosen in product(*passages(stages, path.pools, load)):
            yield ChainMap(
                *({name: float(value) / capacity for name, value in each} for each in chosen)
            )


def _sum(terms: _Sum, names: Iterable[str]) -> float:
    return sum(terms.get(name, 0.0) for name in names)


def host_cost_model(
    side: Side, parts: Sequence[str] = _USUAL_PARTS, stack: Stack | None = None
) -> PathModel:
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
    model : PathModel
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
    free = {part: _times_of(part, directions) for part in parts}
    if not free:
        raise DomainError("at least one part must be free")
    every = [time for times in free.values() for time in times]
    for time in every:
        if every.count(time) > 1:
            raise DomainError(f"more than one of {', '.join(parts)} stands for the same time")
    stages = tuple(Stage(name=name, side=side, pool="cpu") for name in directions)
    path = Path(stages=stages, pools=(Pool("cpu", None, side),))
    return PathModel(path, free, stack or tcp_stack(), batching_stages=tuple(directions))


def host_directions(side: Side) -> dict[str, str]:
    """Direction of what a host sends, and of what it receives, by how parts are called."""
    return dict(
        zip(HOST_TABLES, (DIRECTION_AT[side, "out"], DIRECTION_AT[side, "in"]), strict=True)
    )


def _times_of(part: str, directions: Mapping[str, str]) -> tuple[str, ...]:
    """Names in predictions of the times that a part stands for."""
    prefix, _, name = part.rpartition(".")
    if name not in TIME_NAMES or prefix not in ("", *directions):
        raise DomainError(
            f"{part!r} is not a part of the cost of a host: it has {', '.join(TIME_NAMES)}, each "
            f"alone or with {' or '.join(f'{each}.' for each in directions)} before it"
        )
    return tuple(
        f"{stage}.{direction}.{name}"
        for stage, direction in directions.items()
        if prefix in ("", stage)
    )
