"""Throughput that documents state, by predictions of the path between two adapters."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf

from netmodel._text import span_text
from netmodel.judging._evidence._book import LINE, Book, tcp_ceiling
from netmodel.judging._evidence._computed import Computed, change_in_words
from netmodel.path import Path as NetworkPath
from netmodel.path import (
    Predicted,
    Prediction,
    adapter_path,
    predict_path,
    wire_stages,
    workload_traffic,
)
from netmodel.records import (
    Adapter,
    Change,
    Configuration,
    Relation,
    StatedQuantity,
    Statement,
    adapter,
    workload,
)
from netmodel.units import parse_rate_bps

__all__ = [
    "between_adapters",
    "is_of_large_responses",
    "large_mtu_gain",
    "line_reached",
    "same_frames",
    "stated_rate",
]

Q = StatedQuantity
_GIGA = 1e9
_DIGITS = 9
_VARIED = {"adapter", "sender_adapter", "receiver_adapter", "mtu_bytes", "line_rate"}
_TOLD = _VARIED | {"workload", "workloads", "connection_counts", "direction"}
_SEPARATE_HOSTS = "guests on separate KVM hosts"
_STREAM = "str-writex30k"
_LARGE_RESPONSES = "rr1c-200x30k"
_LIMITED = (_LARGE_RESPONSES, _STREAM)
_MANY = "where documents say that adapters or lines are full"


def between_adapters(told: Statement, book: Book) -> Computed | None:
    """Throughput over two adapters against two others, another MTU, or the line alone."""
    subject, baseline = told.subject, told.baseline
    if told.quantity is not Q.THROUGHPUT or baseline is None:
        return None
    if not _names(subject) <= _TOLD or not _names(baseline) <= _VARIED or not subject.adapters:
        return None
    found = []
    for name in _limited_workloads(told, book):
        first, second = (_rate(one, name, book) for one in (subject, _with(subject, baseline)))
        if first is None or second is None:
            return None
        found.append((first, second, name))
    if not found or (_is_unspecific(told) and any(_ties(*pair[:2]) for pair in found)):
        return None
    how = "; ".join(f"{name}: {first.text} over {second.text}" for first, second, name in found)
    if _is_unspecific(told):
        how += f"; {_MANY}"
    ratios = [_ratio(first, second) for first, second, _ in found]
    return _of_all(told, ratios, lambda low, high: change_in_words(told, low, high, how))


def stated_rate(told: Statement, book: Book) -> Computed | None:
    """Throughput of an adapter in bit/s, at numbers of connections that fill adapter or line."""
    if told.quantity is not Q.PAYLOAD_RATE or told.unit != "Gbit/s" or told.change is not None:
        return None
    names = list(_limited_workloads(told, book)) if told.subject.adapter else []
    found = _rate(told.subject, names[0], book) if len(names) == 1 else None
    if found is None:
        return None
    low, high = (end / _GIGA for end in (found.bps.low, found.bps.high))
    return Computed(low, high, told.unit, f"{names[0]}: {found.text}")


def line_reached(told: Statement, book: Book) -> Computed | None:
    """How much of what the line carries passes adapters that are said to fill it."""
    if told.quantity is not Q.PAYLOAD_RATE or told.unit != LINE:
        return None
    found = []
    for name, config in product(_limited_workloads(told, book), _at_each_mtu(told, book)):
        rate, line = _rate(config, name, book), _line_rate(config, name)
        if rate is None or line is None:
            return None
        label = name if told.subject.mtu_bytes else f"{name} at MTU {config.mtu_bytes}"
        found.append((rate, line, label))
    if not found:
        return None
    how = "; ".join(f"{label}: {rate.text} of {line.text}" for rate, line, label in found)
    parts = [_ratio(rate, line) for rate, line, _ in found]
    return _of_all(told, parts, lambda low, high: Computed(low, high, LINE, how))


def is_of_large_responses(told: Statement, book: Book) -> bool:
    """Whether it is about responses of 30 KiB alone, which no times of adapters come from."""
    return set(_limited_workloads(told, book)) == {_LARGE_RESPONSES}


def same_frames(told: Statement, _: Book) -> Computed | None:
    """Messages that fit into one frame at either MTU: no stage has anything else to do."""
    subject, baseline = told.subject, told.baseline
    quantities = (Q.TRANSACTION_TIME, Q.CPU_CONSUMPTION, Q.THROUGHPUT)
    if told.quantity not in quantities or baseline is None or _names(baseline) != {"mtu_bytes"}:
        return None
    if subject.workload is None or subject.mtu_bytes is None or baseline.mtu_bytes is None:
        return None
    load = workload(subject.workload)
    smallest = min(subject.mtu_bytes, baseline.mtu_bytes)
    payload_bytes = tcp_ceiling(1, smallest).payload_bytes
    if load.is_stream or max(load.request_bytes, load.response_bytes) > payload_bytes:
        return None
    how = (
        f"request and response of {load.request_bytes} and {load.response_bytes} byte are one "
        f"frame each, which carries {payload_bytes:.0f} byte at MTU {smallest}"
    )
    return change_in_words(told, 1.0, 1.0, how)


def large_mtu_gain(told: Statement, _: Book) -> Computed | None:
    """What a line that is full at two MTUs carries more at the larger: framing alone."""
    subject, baseline = told.subject, told.baseline
    if baseline is None or subject.setting != _SEPARATE_HOSTS or subject.adapters:
        return None
    if subject.mtu_bytes is None or baseline.mtu_bytes is None:
        return None
    rates = [
        tcp_ceiling(1, mtu).efficiency_ratio for mtu in (subject.mtu_bytes, baseline.mtu_bytes)
    ]
    gain = float(rates[0] / rates[1])
    ratios = {Q.THROUGHPUT: gain, Q.TRANSACTION_TIME: 1 / gain}
    if told.quantity not in ratios:
        return None
    ratio = ratios[told.quantity]
    how = (
        "framing alone, on a line that is full at both MTUs: the least gain of those printed; "
        "what is beyond it takes the CPU cost of frames, which is not known"
    )
    return change_in_words(told, ratio, ratio, how)


@dataclass(frozen=True, slots=True)
class _Rate:
    """A predicted payload rate, and the limit that binds."""

    bps: Predicted
    binding: str

    @property
    def text(self) -> str:
        low, high = (f"{end / _GIGA:.5g} Gbit/s" for end in (self.bps.low, self.bps.high))
        return f"{span_text(low, high)} ({self.binding})"


def _rate(config: Configuration, name: str, book: Book) -> _Rate | None:
    """Predicted rate of a workload over the adapters of a configuration, or over its line."""
    if config.mtu_bytes is None:
        return None
    if not config.adapters:
        return _line_rate(config, name)
    ends = _ends(config, book)
    if ends is None:
        return None
    case = (*(end.id for end in ends), name, config.mtu_bytes)
    if case not in book.rates:
        book.rates[case] = _predicted(*ends, name, config.mtu_bytes)
    found: _Rate | None = book.rates[case]
    return found


def _ends(config: Configuration, book: Book) -> tuple[Adapter, Adapter] | None:
    """Adapters of the sender and the receiver; beside one direction an end that never limits."""
    sender_id = config.sender_adapter or config.adapter
    receiver_id = config.receiver_adapter or config.adapter
    if sender_id is None or receiver_id is None:
        return None
    sender, receiver = book.adapter(sender_id), book.adapter(receiver_id)
    if config.direction is None or (config.sender_adapter and config.receiver_adapter):
        return sender, receiver
    free = receiver.model_copy(
        update={"id": "line", "kind": "ethernet", "observations": (), "out": None, "in_": None}
    )
    return (sender, free) if config.direction == "out" else (free, receiver)


def _predicted(sender: Adapter, receiver: Adapter, name: str, mtu_bytes: int) -> _Rate | None:
    """None where nothing is known of how long one of the adapters takes."""
    load = workload(name)
    server_sends = load.response_bytes > load.request_bytes
    client, server = (receiver, sender) if server_sends else (sender, receiver)
    path = adapter_path(client, server)
    times = [one for stage in path.stages for one in (stage.to_server, stage.to_client)]
    if any(one.validity is not None and one.validity.low_payload_bytes == inf for one in times):
        return None
    return _of(predict_path(path, workload_traffic(load), mtu_bytes))


def _line_rate(config: Configuration, name: str) -> _Rate | None:
    """What the line alone carries of a workload."""
    if config.mtu_bytes is None:
        return None
    if config.line_rate is not None:
        rate_bps = parse_rate_bps(config.line_rate)
    elif config.adapter is not None:
        rate_bps = adapter(config.adapter).line_rate_bps
    else:
        return None
    line = NetworkPath(stages=wire_stages(rate_bps))
    return _of(predict_path(line, workload_traffic(workload(name)), config.mtu_bytes))


def _of(prediction: Prediction) -> _Rate:
    return _Rate(prediction.throughput_bps, str(prediction.binding))


def _of_all(
    told: Statement,
    ranges: Sequence[tuple[float, float]],
    say: Callable[[float, float], Computed | None],
) -> Computed | None:
    """What is computed for several cases, each of which a claim has to allow."""
    lows, highs = zip(*ranges, strict=True)
    span = say(min(lows), max(highs))
    is_difference = told.relation is Relation.SIGN and told.change is not Change.SAME
    if span is None or is_difference or len(ranges) == 1:
        return span
    shared = say(max(lows), min(highs))
    return shared and replace(shared, text=str(span).removesuffix(span.unit).strip())


def _ratio(first: _Rate, second: _Rate) -> tuple[float, float]:
    """Least and most, without digits that are rounding."""
    low, high = first.bps.low / second.bps.high, first.bps.high / second.bps.low
    return round(low, _DIGITS), round(high, _DIGITS)


def _ties(first: _Rate, second: _Rate) -> bool:
    low, high = _ratio(first, second)
    return low <= 1 + 1e-9 and high >= 1 - 1e-9


def _is_unspecific(told: Statement) -> bool:
    """Whether it claims a difference, and of which workload or connections is not said."""
    subject = told.subject
    is_named = subject.all_workloads and (subject.connection_counts or subject.direction)
    is_pair = subject.sender_adapter is not None and subject.receiver_adapter is not None
    return (
        told.relation is Relation.SIGN
        and told.change is not Change.SAME
        and not (is_named or is_pair)
    )


def _limited_workloads(told: Statement, book: Book) -> Iterator[str]:
    """
    Workloads of a claim that fill adapters or lines at all its numbers of connections.

    None where at one of them the hosts may bind, whose times are not known. Words that name no
    workload are about all that fill them, a figure about streams.
    """
    subject = told.subject
    names = subject.all_workloads or (_LIMITED if told.relation is Relation.SIGN else (_STREAM,))
    limited = {name: book.limited_counts(name) for name in names}
    if all(counts and set(subject.connection_counts) <= counts for counts in limited.values()):
        yield from names


def _at_each_mtu(told: Statement, book: Book) -> Iterator[Configuration]:
    """What a claim is about; without an MTU, at each that its document has of the adapter."""
    subject = told.subject
    if subject.mtu_bytes is not None:
        yield subject
        return
    others = book.others(told, quantity=told.quantity, adapter=subject.adapter)
    for mtu_bytes in sorted({one.subject.mtu_bytes for one in others if one.subject.mtu_bytes}):
        yield subject.model_copy(update={"mtu_bytes": mtu_bytes})


def _names(config: Configuration) -> set[str]:
    """Which parts of a configuration are told."""
    return set(config.model_dump(exclude_defaults=True))


def _with(subject: Configuration, baseline: Configuration) -> Configuration:
    """What is compared with: the subject but for what the baseline tells."""
    told = baseline.model_dump(exclude_defaults=True)
    if set(told) == {"line_rate"}:
        gone = dict.fromkeys(("adapter", "sender_adapter", "receiver_adapter"))
        return subject.model_copy(update={**gone, **told})
    return subject.model_copy(update=told)
