"""Payload rates over the adapters or the path that a statement is about."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any, TypeVar

from netmodel._text import RESULT_DIGITS, span_text
from netmodel.calibration import calibrated_inputs
from netmodel.calibration._declarations import calibrated_cells
from netmodel.consumption import Side
from netmodel.path import (
    Bound,
    Path,
    Predicted,
    Prediction,
    adapter_path,
    predict_path,
    recorded_path,
    wire_stages,
    workload_traffic,
)
from netmodel.path._from_records import without_limits
from netmodel.path._recorded_exchange import recorded_exchange, spread
from netmodel.path._transport_times import TransportTimes
from netmodel.records import (
    Adapter,
    Relation,
    Statement,
    adapter,
    path_record,
    statement,
    statements,
    workload,
)
from netmodel.records import _rules as rules
from netmodel.records._steering import steering_record
from netmodel.records._subjects import Configuration, QuantityKind
from netmodel.records._transports import transport_records
from netmodel.transport import propagation_round_trip_s
from netmodel.units import format_rate, format_time, parse_rate_bps
from netmodel.units._prefixes import KILO, WHOLE_PERCENT

_ACCOUNTED = frozenset(
    {
        "adapter",
        "sender_adapter",
        "receiver_adapter",
        "mtu_bytes",
        "line_rate",
        "workload",
        "workloads",
        "connection_counts",
        "direction",
    }
)
"""Parts of a subject that a prediction between two adapters takes into account."""
Result = TypeVar("Result")
RATIO_DIGITS = 9
"""Decimals of a ratio of predictions: what is beyond comes from rounded times in records."""


class NotComputable(Exception):  # noqa: N818 - no error: a condition of a rule is not met
    """Why a declared computation does not apply to a statement as it is printed."""


@dataclass(frozen=True)
class Sources:
    """
    What predictions are looked up in.

    Parameters
    ----------
    adapter : callable
        From the id of an adapter to its record.
    known : dict
        What was computed so far, by what it is of: several statements are about one case.
    """

    adapter: Callable[[str], Adapter] = adapter
    known: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, case: Hashable, compute: Callable[[], Result]) -> Result:
        """What is computed for a case, the first time that it is asked for."""
        if case not in self.known:
            self.known[case] = compute()
        result: Result = self.known[case]
        return result

    @cached_property
    def calibrated_from(self) -> Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Statements and cells that calibrated records are made from, by their ids."""
        inputs, cells = calibrated_inputs(), calibrated_cells()
        return {name: (ids, cells[name]) for name, ids in inputs.items()}

    @cached_property
    def saturating_counts(self) -> Mapping[str, frozenset[int]]:
        """
        Numbers of connections that fill an adapter or its line, by workload.

        Those of all statements on the payload rate of an adapter: with them documents print the
        limit of an adapter or line speed. With fewer the hosts may be the bottleneck.
        """
        counts_of: dict[str, frozenset[int]] = {}
        for about in statements():
            if about.quantity is QuantityKind.PAYLOAD_RATE and about.subject.adapter is not None:
                for name in about.subject.all_workloads:
                    counts = counts_of.get(name, frozenset())
                    counts_of[name] = counts | frozenset(about.subject.connection_counts)
        return counts_of


@dataclass(frozen=True, slots=True)
class OverPath:
    """
    What is predicted over adapters or a path, and what their records rest on.

    Parameters
    ----------
    low, high : float
        Ends, in base units.
    text : str
        In print, with the binding limit.
    statements, cells : tuple of str
        Ids of the statements, and cells of tables, that the records are calibrated from.
    is_restated : bool
        Whether one of these statements reports this very case.
    """

    low: float
    high: float
    text: str
    statements: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    is_restated: bool = False


@dataclass(frozen=True, slots=True)
class _Rate:
    """A predicted payload rate, the binding limit and the record that it is of."""

    bps: Predicted[float]
    binding: str
    records: tuple[str, ...] = ()
    is_restated: bool = False

    @property
    def text(self) -> str:
        ends = (format_rate(float(end), RESULT_DIGITS) for end in (self.bps.low, self.bps.high))
        return f"{span_text(*ends)} ({self.binding})"


def predicted(
    rule: rules.Path,
    about: Statement,
    subject: Configuration,
    mtu_bytes: int | None,
    sources: Sources,
) -> OverPath:
    """
    What a rule predicts.

    Raises
    ------
    NotComputable
        If the statement lacks what a prediction takes, or hosts may limit what it is about.
    """
    config = subject
    if rule.side == "baseline" and about.baseline is not None:
        others = about.baseline.model_dump(exclude_defaults=True)
        if set(others) == {"line_rate"}:  # the line alone, without the adapters of the subject
            others |= dict.fromkeys(("adapter", "sender_adapter", "receiver_adapter"))
        config = subject.model_copy(update=others)
    name = rule.workload or config.workload
    mtu_bytes = mtu_bytes or config.mtu_bytes
    if name is None or mtu_bytes is None:
        raise NotComputable("names no workload or no MTU, so that no case of it can be predicted")
    if rule.path is not None:
        return _over_path(rule, name, mtu_bytes, config, about, sources)
    for part in config.model_dump(exclude_defaults=True):
        if part not in _ACCOUNTED:
            raise NotComputable(
                f"depends on {part.replace('_', ' ')}, which a prediction between two adapters "
                "does not account for"
            )
    counts = sources.saturating_counts.get(name, frozenset())
    few = sorted(set(about.subject.connection_counts) - counts)
    if few or not counts:
        which = f"as few connections as {' and '.join(map(str, few))}" if counts else name
        raise NotComputable(
            f"needs service times of hosts: with {which} the hosts may be the bottleneck; adapters "
            "and line are only upper bounds"
        )
    rate = _rate(config, name, mtu_bytes, sources)
    low, high, text = rate.bps.low, rate.bps.high, rate.text
    if rule.rule == "line_share":
        line = _line_rate(config, name, mtu_bytes, sources)
        ends = rate.bps.low / line.bps.high, rate.bps.high / line.bps.low
        low, high = (round(end, RATIO_DIGITS) for end in ends)
        text = f"{rate.text} of {line.text}"
    return OverPath(low, high, text, *_rests_on(rate.records, sources), rate.is_restated)


def _rests_on(records: Iterable[str], sources: Sources) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Statements and cells that records are calibrated from."""
    known = [sources.calibrated_from[name] for name in records if name in sources.calibrated_from]
    ids, cells = (tuple(dict.fromkeys(name for each in known for name in each[i])) for i in (0, 1))
    return ids, cells


def _over_path(
    rule: rules.Path,
    name: str,
    mtu_bytes: int,
    config: Configuration,
    about: Statement,
    sources: Sources,
) -> OverPath:
    counts = config.connection_counts
    if len(counts) > 1:
        raise NotComputable("names several connection counts: let cases vary connection_counts")

    def over_path() -> Prediction:
        path = recorded_path(path_record(str(rule.path)))
        return predict_path(path, workload_traffic(workload(name), *counts), mtu_bytes)

    prediction = sources.once(("path", rule.path, name, counts, mtu_bytes), over_path)
    predicted = prediction.throughput_bps
    if rule.quantity == "transaction_time":
        if prediction.transaction_time_s is None:
            raise NotComputable(f"no transaction time is predicted over {rule.path}")
        predicted = prediction.transaction_time_s
    low, high = float(predicted.low), float(predicted.high)
    ends = [
        (format_rate if rule.quantity == "throughput" else format_time)(end, RESULT_DIGITS)
        for end in (low, high)
    ]
    text = span_text(*ends)
    if not rule.limit_reached and predicted.bound is Bound.UPPER:
        low, text = 0.0, f"at most {ends[1]}"
    elif not rule.limit_reached and predicted.bound is Bound.LOWER:
        high, text = inf, f"at least {ends[0]}"
    text = f"{text} over {rule.path} ({prediction.binding})"
    ids, cells = _rests_on((str(rule.path),), sources)
    # Rate, time and cost of one case are the same measurement, seen another way.
    case = config.model_copy(update={"workload": name, "mtu_bytes": mtu_bytes})
    is_line = str(prediction.binding).startswith("wire")
    is_restated = not is_line and any(
        is_same_case(about, each) or (each.baseline is None and each.subject.is_but_for_side(case))
        for each in map(statement, ids)
    )
    return OverPath(low, high, text, ids, cells, is_restated)


def steered(about: Statement, subject: Configuration, sources: Sources) -> OverPath:
    """
    The ratio that packet steering makes of the quantity of a statement.

    Raises
    ------
    NotComputable
        If the statement lacks what it takes, or is a sign that the model leaves open.
    """
    count, adapter_id = subject.connection_counts, subject.adapter
    if subject.workload is None or adapter_id is None or len(count) != 1:
        raise NotComputable("names no workload, adapter or single number of connections")
    record = steering_record(subject.workload, adapter_id)
    exchange = sources.once(
        ("steered", record.id, adapter_id, count),
        lambda: recorded_exchange(record, adapter_id, count),
    )
    match about.quantity:
        case QuantityKind.TRANSACTION_TIME:
            ratio = exchange.time_ratio
        case QuantityKind.THROUGHPUT:
            ratio = 1 / exchange.time_ratio
        case QuantityKind.CPU_CONSUMPTION:
            ratio = exchange.cost_ratio
        case other:
            raise NotComputable(f"is about {other.value}, not time, throughput or CPU cost")
    ends = spread(ratio[0])
    if about.relation is Relation.SIGN and ends.low < 1 < ends.high:
        percents = " to ".join(f"{WHOLE_PERCENT * (end - 1):+.1f}" for end in ends[1:])
        raise NotComputable(f"{percents} % leaves open whether it is more or less")
    return OverPath(
        ends.low,
        ends.high,
        f"with RPS over without, connections {count[0]}, {adapter_id} ({record.id})",
        record.statements,
        is_restated=any(is_same_case(about, each) for each in map(statement, record.statements)),
    )


def over_distance(about: Statement, subject: Configuration, sources: Sources) -> OverPath:
    """
    The ratio that a protocol makes of the quantity of a statement over a length of fibre.

    Raises
    ------
    NotComputable
        If the statement lacks what it takes, or no record compares its protocols.
    """
    name, distance_km = subject.workload, subject.distance_km
    if name is None or distance_km is None:
        raise NotComputable("names no workload or no distance")
    load = workload(name)
    if load.is_stream:
        raise NotComputable(f"{name} is a stream, which times at both ends do not explain")
    compared, baseline = subject.transport, about.baseline and about.baseline.transport
    for record in transport_records():
        names = {each.transport: each.adapter for each in record.protocols.values()}
        is_pair = record.protocols[record.compared].transport == compared and baseline in names
        if is_pair and subject.adapter in (None, names[str(compared)]):
            break
    else:
        raise NotComputable(f"no record compares {compared} with {baseline} over distance")
    round_trip_s = propagation_round_trip_s(float(distance_km) * KILO)
    times = sources.once(("over distance", record.id), lambda: TransportTimes(record))
    counts = subject.connection_counts or (load.connections and load.connections.counts)
    ratio = times.time_ratio(
        float(load.request_bytes or 0),
        float(load.response_bytes or 0),
        round_trip_s,
        connection_count=max(counts or record.connection_counts),
        run_km=distance_km,
    )
    low, high = float(ratio.low), float(ratio.high)
    match about.quantity:
        case QuantityKind.TRANSACTION_TIME | QuantityKind.LATENCY:
            pass
        case QuantityKind.THROUGHPUT:
            low, high = 1 / high, 1 / low
        case other:
            raise NotComputable(f"is about {other.value}, not time or throughput")
    cases = {(each.workload, each.distance_km) for each in record.cases}
    return OverPath(
        low,
        high,
        f"{record.compared} over {record.baseline}, {name} at {distance_km} km ({record.id})",
        record.statements,
        is_restated=(name, distance_km) in cases,
    )


def is_same_case(about: Statement, other: Statement) -> bool:
    """Whether two statements compare the same, so that one is the other seen another way."""
    return about.subject.is_but_for_side(other.subject) and about.baseline == other.baseline


def _rate(config: Configuration, name: str, mtu_bytes: int, sources: Sources) -> _Rate:
    """Predicted rate of a workload over the adapters of a configuration, or over its line."""
    if not config.adapters:
        return _line_rate(config, name, mtu_bytes, sources)
    sender_id = config.sender_adapter or config.adapter
    receiver_id = config.receiver_adapter or config.adapter
    if sender_id is None or receiver_id is None:
        raise NotComputable("names one adapter of the two that the path is between")
    sender, receiver = sources.adapter(sender_id), sources.adapter(receiver_id)
    other_end = config.sender_adapter if config.direction == "in" else config.receiver_adapter
    if config.direction is not None and other_end is None:
        # Of one direction of an adapter: the other end is one that never limits.
        other = without_limits(receiver)
        sender, receiver = (sender, other) if config.direction == "out" else (other, receiver)
    return sources.once(
        ("rate", sender.id, receiver.id, name, mtu_bytes),
        lambda: _between(sender, receiver, name, mtu_bytes, sources),
    )


def _between(
    sender: Adapter, receiver: Adapter, name: str, mtu_bytes: int, sources: Sources
) -> _Rate:
    load = workload(name)
    is_client = load.sender is Side.CLIENT
    client, server = (sender, receiver) if is_client else (receiver, sender)
    path = adapter_path(client, server)
    validity = [
        times.validity for stage in path.stages for times in (stage.to_server, stage.to_client)
    ]
    # Records without service times are valid for no payload at all.
    if any(valid is not None and valid.low_payload_bytes == inf for valid in validity):
        raise NotComputable(f"no service times of {sender.id} or {receiver.id} are known")
    rate = _of(predict_path(path, workload_traffic(load), mtu_bytes))
    ends = (("out", sender.id), ("in", receiver.id))
    binding = (
        "in" if "adapter_in" in rate.binding else "out" if "adapter_out" in rate.binding else ""
    )
    records = tuple(dict.fromkeys(each.id for each in (sender, receiver)))
    observed = [statement(each) for each in _rests_on(records, sources)[0]]
    is_restated = any(
        _reports(each, record, direction if binding else None, name, mtu_bytes)
        for each in observed
        for direction, record in ends
        if binding in ("", direction)
    )
    return replace(rate, records=records, is_restated=is_restated)


def _reports(
    input_: Statement, record: str, direction: str | None, name: str, mtu_bytes: int
) -> bool:
    """
    Whether an input of a record reports a case: its limit, or line speed where the line binds.

    Words that name no workload are about streams, which documents print limits of.
    """
    subject = input_.subject
    config = subject if input_.baseline is None else input_.baseline
    is_line = input_.unit == "line"
    is_stream = workload(name).is_stream
    return (
        config.adapter == record
        and subject.mtu_bytes == mtu_bytes
        and (name in subject.all_workloads or (is_stream and not subject.all_workloads))
        and is_line is (direction is None)
        and (direction is None or subject.direction in (None, direction))
    )


def _line_rate(config: Configuration, name: str, mtu_bytes: int, sources: Sources) -> _Rate:
    """What the line alone carries of a workload."""
    if config.line_rate is not None:
        rate_bps = parse_rate_bps(config.line_rate)
    elif config.adapter is not None:
        rate_bps = adapter(config.adapter).line_rate_bps
    else:
        raise NotComputable("names neither an adapter nor a line rate")

    def over_line() -> _Rate:
        line = Path(stages=wire_stages(rate_bps))
        return _of(predict_path(line, workload_traffic(workload(name)), mtu_bytes))

    return sources.once(("line", rate_bps, name, mtu_bytes), over_line)


def _of(prediction: Prediction) -> _Rate:
    return _Rate(prediction.throughput_bps.numbers(), str(prediction.binding))
