"""Models by name: service times of adapters and hosts, and laws of rates over connections."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from netmodel.calibration import models, observations
from netmodel.calibration.models import Curve, FreeParameter, LinearModel, Loads, Model, Point
from netmodel.calibration.observations import Cap, Conditions, Observed, Selection
from netmodel.consumption import Side, consumption_us_per_gbit
from netmodel.errors import DomainError
from netmodel.framing import tcp_stack
from netmodel.kept import ReadOnly
from netmodel.lazy_numpy import np
from netmodel.numeric import require_at_least, require_member
from netmodel.path import Stage, Times, Traffic, stages, workload_traffic
from netmodel.path.ensemble import Ensemble
from netmodel.path.from_records import wire_stages
from netmodel.path.stages import TIME_NAMES, Direction
from netmodel.path.traffic import Load
from netmodel.records import workload
from netmodel.results import fields_repr
from netmodel.text import meant_text
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
        known = observations.COSTS if self.is_of_host else observations.RATES
        require_member("quantity", point.quantity, known)
        numbers: Any = point.at
        directions, load = self.carried(point.quantity, point.at)
        counts = stages.COUNT_NAMES if self.is_of_host else ()
        sizes = {name: numbers[name] for name in counts if name in numbers}
        columns = [*dict.fromkeys(self.names.values())]
        rows = []
        for place, direction in directions.items():
            each: Any = {time: 1.0 for where, time in self.names if where == place}
            spent: Any = {direction: Times(**each)}
            rows.append(np.zeros(len(columns) + 1))
            for term, amount in load.demand(Stage(name=place, **spent, **sizes)):
                rows[-1][columns.index(self.names[place, term.rpartition(".")[2]])] += amount
            for stage in self.lines.get(place, ()):
                rows.append(np.zeros(len(columns) + 1))
                rows[-1][-1] = sum(float(time_s) for _, time_s in load.demand(stage))
        # an adapter is as slow as its slowest stage, and a host spends the sum of its stages
        sums = np.sum(rows, axis=0, keepdims=True) if self.is_of_host else np.array(rows)
        sums = sums[sums.any(axis=1)]
        if not len(sums):
            raise DomainError("no known or free part of the cost is spent on what was exchanged")
        bits = BITS_PER_BYTE * float(load.traffic.exchanged_bytes)
        scales = {
            observations.RATES[0]: 1 / bits,
            observations.COSTS[0]: float(consumption_us_per_gbit(1, bits)),
        }
        return Loads(scales.get(point.quantity, 1.0) * sums, not self.is_of_host)

    def carried(self, quantity: str, at: Conditions) -> tuple[dict[str, Direction], Load]:
        """Return the direction on the path of each place, and what it carries."""
        names = {time for _, time in self.names}
        is_of_messages = names & {*stages.TIMES_OF_MESSAGES} or quantity in _PER_MESSAGE
        if is_of_messages and not any(map(at.get, observations.MESSAGE_CONDITIONS)):
            known = ", ".join(name for each in observations.MESSAGE_FORMS for name in sorted(each))
            raise DomainError(f"{quantity} needs one of {known}: none is given")
        for name in names.intersection(_SHARED_BY):
            observations.needed(at, _SHARED_BY[name], name)
        place = str(at.get(self.by)) if self.by else _ADAPTER
        directions: dict[str, Direction] = {place: "to_server"}
        if self.by:
            require_member(self.by, place, self.places)
        if self.is_of_host:
            side = observations.needed(at, "side", quantity)
            require_member("side", side, [each.value for each in Side])
            out, back = (stages.DIRECTION_AT[Side(str(side)), way] for way in ("out", "in"))
            ways: dict[str, Direction] = {"sent": out, "received": back}
            directions = {place: ways[place] for place in self.places}
        numbers: Any = at
        if "payload_bytes" in at and "mtu_bytes" not in at:
            mtu_bytes: Any = tcp_stack().packet_bytes(numbers["payload_bytes"])
        else:
            mtu_bytes = observations.needed(numbers, "mtu_bytes", quantity)
        traffic = _traffic(numbers, one_way=not self.is_of_host)
        require_at_least("mtu_bytes", mtu_bytes, tcp_stack().minimum_mtu_bytes, "byte")
        return directions, Load(traffic, mtu_bytes, tcp_stack(), Ensemble(()))


def _traffic(at: Mapping[str, Any], one_way: bool) -> Traffic:
    """
    Return the traffic of conditions; a stream to the server by default.

    One way, only the larger message counts.
    """
    count = at.get("connection_count")
    request, response = at.get("request_bytes", 0), at.get("response_bytes", 0)
    if "workload" in at:
        record = workload(str(at["workload"]))
        for low, high in (record.request_bytes_bounds, record.response_bytes_bounds):
            if low != high:
                size = f"a message of {record.id} is only known to have {low} to {high} byte"
                raise DomainError(f"{size}: give request_bytes and response_bytes instead")
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
    Return the mean payload of the frames of service times, of each place with any. [byte]

    Raises
    ------
    DomainError
        If a condition that is needed is missing.
    """
    times: Any = service_times(model)
    directions, load = times.carried(observations.RATES[0], at)
    of_place = {place: load.counts[direction] for place, direction in directions.items()}
    return {
        place: float(count.payload_bytes / count.frame_count)
        for place, count in of_place.items()
        if count.message_count
    }


def adapter_model(
    line_rate_bps: float | Mapping[str, float | None] | None = None, by: str = ""
) -> LinearModel:
    """
    Return a model of one adapter direction: a time per frame and per byte of payload.

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
            known = f"{', '.join(TIME_NAMES)}, each alone or with sent. or received. before it"
            raise DomainError(f"{part!r} is not a part of the cost of a host: it has {known}")
        for key in ((each, name) for each in ([place] if place else HOST_TABLES)):
            if key in names:
                raise DomainError(f"{names[key]} and {part} stand for the same time")
            names[key] = part
    if not names:
        raise DomainError("at least one part must be free")
    return ServiceTimes(names).model()


def line_cap(line_rate_bps: float) -> Cap:
    """
    Return the payload rate that a line carries, as models of paths have it.

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
    return lambda at: line(Point(observations.RATES[0], at)).most


COUNT = "connection_count"
"""Condition of laws, and the one that a series is over where it differs between figures."""
_OTHER_COUNTS = "other numbers of connections"
_BATCHING_COUNT = FreeParameter("batching_count", "", 1e-3, separated_by=_OTHER_COUNTS)
"""Connections; above 0, as counts are divided by it. At a thousandth no shared time is left."""

_Sums: TypeAlias = Callable[[float], Sequence[Sequence[float]]]
"""From connections to how much of each time each sum takes: one over the largest is the rate."""

_AMORTISED = "amortised"
_TIMES = ("delay_s", "least_s", "shared_s")
"""Parameters of batches: what nothing shares, what each transaction takes, what a batch takes."""
LAWS: Mapping[str, tuple[tuple[str, ...], _Sums]] = {
    # 1 / X(N) = (t1 + ts (N - 1) + tk N (N - 1)) / N
    "scalability": (
        ("alone_s", "contention_s", "coherency_s"),
        lambda n: [(1 / n, (n - 1) / n, n - 1)],
    ),
    # 1 / X(N) is the larger of R0 / N and D
    "saturation": (("zero_load_s", "bottleneck_s"), lambda n: [(1 / n, 0), (0, 1)]),
    # 1 / X(N) = (Z + N (d + w / sqrt(N))) / N
    "batching": (_TIMES, lambda n: [(1 / n, 1, n**-0.5)]),
    # 1 / X(N) = (z + c N^b) / N: 0.75 to 0.8 follows measured request-response series best
    "power": (("fixed_s", "growing_s"), lambda n: [(1 / n, n**-0.2)]),
}
"""Times and sums of laws by their names."""
MODELS: Mapping[str, tuple[str, ...]] = {
    "adapter": observations.RATES[:1],
    **dict.fromkeys((*LAWS, _AMORTISED), observations.RATES),
}
"""Models by the names that ``netmodel calibrate --model`` takes, with what they predict."""
AUTO = "auto"
"""Name in place of a model: the one that predicts left-out figures best."""


def _amounts(name: str, at: Conditions) -> Sequence[Sequence[float]]:
    return LAWS[name][1](float(at[COUNT]))


def _amortised_rate_tps(count: Any, delay_s: Any, least_s: Any, shared_s: Any, batch: Any) -> Any:
    # X(N) = N / (Z + N (d + w / (1 + N / n0)))
    return count / (delay_s + count * (least_s + shared_s / (1 + count / batch)))


def _amortised_start(counts: Any, rates: Any) -> Sequence[float]:
    lightest, per_one = int(np.argmin(counts)), 1 / float(rates.max())
    return counts[lightest] / rates[lightest], per_one / 2, per_one, float(np.median(counts))


def curve_model(name: str, quantity: str | None = None, *, cap: Cap | None = None) -> Model:
    r"""
    Return a model of rates over connections, by its name.

    Parameters
    ----------
    name : str
        ``"scalability"``, ``"saturation"``, ``"batching"``, ``"power"`` or ``"amortised"``.
    quantity : str, optional
        The rate, with its unit: ``"transaction_rate_tps"`` when left out.
    cap : callable, optional
        For the linear models: from conditions to a rate that they never exceed, such
        as `line_cap` makes.

    Returns
    -------
    model : Model
        Its parameters are those of the equation, in order. Linear but for ``"amortised"``.

    See Also
    --------
    netmodel.calibration.calibrate : It takes these names in place of a model.
    netmodel.concurrency.scalability_rate_tps : The law by its coefficients.

    Notes
    -----
    ``scalability``, the universal scalability law [1]_ as ``alone_s``, ``contention_s`` and
    ``coherency_s``: one over the rate of one alone, the part of it that only one can have at a
    time, and what each pair costs one of them. None is below zero, so that no fit speeds up
    without bound. Beside the law itself a contention above 1 is possible; it says that the law
    is the wrong one.

    .. math:: \frac{1}{X(N)} = \frac{t_1 + t_\sigma (N - 1) + t_\kappa N (N - 1)}{N}

    The coefficients of the law are :math:`\gamma = 1 / t_1`, :math:`\sigma = t_\sigma / t_1` and
    :math:`\kappa = t_\kappa / t_1`.

    ``saturation``, the asymptotes of a closed network [2]_ as ``zero_load_s``, the time of a
    transaction that is alone, and ``bottleneck_s``, that of one at the busiest stage. A real
    network has a soft knee between them, streaming of large messages a sharp one. Measurements
    on one side of the knee bound the parameter of the other side only from one end.

    .. math:: X(N) = \min(N / R_0,\; 1 / D_{max})

    ``batching``, requests that move in batches, as ``delay_s``, which nothing shares,
    ``least_s``, what the bottleneck takes of each transaction in any batch, and ``shared_s``, what
    a batch takes once. A batch is as large as the root of the connections: among exponents and
    forms the one that predicts series of other scenarios best with three parameters.

    .. math:: R(N) = N / X(N) = Z + N \left(d + \frac{w}{\sqrt N}\right)

    ``power``, as ``fixed_s``, which nothing shares, and ``growing_s``. The exponents 0.75 to 0.8
    fit measured request-response series; neither parameter is the time of a stage.

    .. math:: R(N) = N / X(N) = z + c\,N^{0.8}

    ``amortised``, a stage whose work per transaction falls as batches grow, as ``delay_s``,
    ``least_s``, ``shared_s`` and ``batching_count``, the connections that halve the last. Below
    five observations nothing is left to test its four parameters.

    .. math:: R(N) = N / X(N) = Z + N \left(d + \frac{w}{1 + N / n_0}\right)

    References
    ----------
    .. [1] N. J. Gunther, "Guerrilla Capacity Planning" (2007), chapters 4 to 6.
    .. [2] P. J. Denning and J. P. Buzen, "The operational analysis of queueing network
       models", ACM Computing Surveys 10 (1978).

    Examples
    --------
    A rate of 1/s alone, 5 % of it one at a time: 9.14/s with 16.

    >>> import numpy as np
    >>> from netmodel.calibration import Point
    >>> points = [Point("transaction_rate_tps", {"connection_count": 16})]
    >>> rate = curve_model("scalability").function(points)
    >>> round(float(rate(np.array([1, 0.05, 0]))[0]), 6)
    9.142857

    Each parameter, and its unit for a bit rate:

    >>> model = curve_model("saturation", "throughput_bps")
    >>> [(each.name, each.unit) for each in model.parameters]
    [('zero_load_s', 's/bit'), ('bottleneck_s', 's/bit')]
    """
    quantity = quantity or observations.RATES[1]
    unit = "s/bit" if quantity == observations.RATES[0] else "s"
    times = _TIMES if name == _AMORTISED else LAWS[name][0]
    free = tuple(FreeParameter(each, unit, separated_by=_OTHER_COUNTS) for each in times)
    if name == _AMORTISED:
        free = (*free, _BATCHING_COUNT)
        return Curve(quantity, free, _amortised_rate_tps, (COUNT,), _amortised_start)
    return models.demand_model(quantity, free, partial(_amounts, name), cap=cap)


def _adapter(observed: Sequence[Observed], rate_bps: float | None) -> LinearModel:
    """Return a model of one adapter direction, or of each that the observations name."""
    directions = {str(seen.at.get("direction", "")): seen.name for seen in reversed(observed)}
    if set(directions) == {""}:
        return adapter_model(rate_bps)
    for direction in set(directions) - {"in", "out"}:
        known = "in (the adapter receives) or out (it sends), in each row or in none"
        got = repr(direction) if direction else "none"
        raise DomainError(f"{directions[direction]}: direction must be {known}; got {got}")
    return adapter_model(dict.fromkeys(directions, rate_bps), by="direction")


def about_model(name: str, selection: Selection) -> Selection:
    """
    Return the observations of the quantity that a model predicts, of several the first.

    Raises
    ------
    DomainError
        If there is none.
    """
    known = MODELS.get(name, observations.QUANTITIES)
    seen = {observation.quantity for observation in selection.observed}
    about = next((quantity for quantity in known if quantity in seen), None)
    if about is None:
        got = f"the observations are of {', '.join(sorted(seen))}: choose another, or {AUTO}"
        raise DomainError(f"model {name} predicts {' or '.join(known)}; {got}")
    notes = [f"{x} is left out: the model predicts {about}" for x in sorted(seen - {about})]
    kept = tuple(each for each in selection.observed if each.quantity == about)
    return Selection(kept, (*selection.notes, *notes))


def named_model(
    name: str, observed: Sequence[Observed], line_rate_bps: float | None = None
) -> Model:
    """
    Return the model of a name, for observations.

    Parameters
    ----------
    name : str
        ``"adapter"``, ``"scalability"``, ``"saturation"``, ``"batching"``, ``"power"``,
        ``"amortised"``.
    observed : sequence of Observed
        Which directions, which quantity the model is about.
    line_rate_bps : float, optional
        MAC rate of the line, which no throughput exceeds. [bit/s]

    Returns
    -------
    model : Model
        Linear but for the curve ``"amortised"``.

    Raises
    ------
    DomainError
        If there is no such model, or a condition that it needs is missing or cannot be.
    """
    if name not in MODELS:
        hint = meant_text(name, MODELS)
        raise DomainError(f"no model {name!r}: choose {AUTO}, {', '.join(MODELS)}{hint}")
    if name == "adapter":
        return _adapter(observed, line_rate_bps)
    # the line is one of the limits where payload is observed
    quantity, cap = observed[0].quantity, None
    if line_rate_bps is not None and quantity == observations.RATES[0]:
        cap = line_cap(line_rate_bps)
    return curve_model(name, quantity, cap=cap)


def require_read(
    model_name: str, model: Model, observed: Iterable[Observed], specified: Iterable[str]
) -> frozenset[str]:
    """
    Return conditions that a model reads; refuse any outside its range, and unread specified ones.

    Raises
    ------
    DomainError
        If a curve is not defined there, or a specified condition changes nothing.
    """
    seen, is_law = list(observed), model_name in LAWS or model_name == _AMORTISED
    for each in seen if is_law else ():
        value = each.at.get(COUNT, 1)
        if isinstance(value, str) or value < 1:
            raise DomainError(f"{each.name}: {COUNT} must be a number from 1 up; got {value!r}")
    read = models.read_conditions(model, seen)
    for condition in specified:
        if condition not in read:
            reads = f"model {model_name} reads {', '.join(sorted(read))}"
            hint = meant_text(condition, read)
            raise DomainError(f"{condition!r} changes nothing: {reads}{hint}")
    return read
