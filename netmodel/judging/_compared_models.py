"""What models compute of two cases: ratios of rates, times and CPU costs."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isfinite

from netmodel._estimates import LEVEL_RATIO, Estimate
from netmodel._numpy import np
from netmodel.consumption import Side
from netmodel.errors import NetmodelError
from netmodel.framing import parse_stack, tcp_stack
from netmodel.judging._compared_cases import differing, interval_text, is_same
from netmodel.judging._compared_facts import (
    COUNT,
    DISTANCE,
    IMPLIED_BY_PATH,
    IMPLIED_BY_TRANSPORT,
    PATH,
    TRANSPORT,
    Case,
    published,
)
from netmodel.judging._compared_transports import (
    connections_on_line,
    endpoint_times,
    message_sizes,
    round_trip_s,
)
from netmodel.judging._cost_model import (
    MESSAGE,
    Work,
    cost_set,
    is_identified,
    measurement_of,
    work_of,
)
from netmodel.judging._statement_bands import statement_bands
from netmodel.judging._statement_bounds import with_statements
from netmodel.path import (
    Bound,
    DataBand,
    Path,
    Prediction,
    RatioPrediction,
    SpecifiedPath,
    predict_path,
    predict_ratio,
    workload_traffic,
)
from netmodel.path._distance import SMCR_STACK, Distance, Protocol, over_distance
from netmodel.path._recorded_exchange import recorded_exchange, spread
from netmodel.records import adapter, catalog, path_record, workload
from netmodel.records._catalog import is_file
from netmodel.records._steering import steering_records
from netmodel.units._prefixes import WHOLE_PERCENT

THROUGHPUT, TIME = "throughput", "transaction_time"
CPU_PER_DATA, CPU_PER_TRANSACTION = "cpu_consumption", "cpu_time_per_transaction"
QUANTITY_WORDS = {
    "transaction_rate": "transactions/s",
    CPU_PER_DATA: "CPU per data",
    CPU_PER_TRANSACTION: "CPU per transaction",
    "cpu_time": "CPU time",
    "cpu_utilisation": "CPU utilisation",
    "gain": "performance",
    "mtu": "MTU",
}
"""Quantities in a sentence, where their names are no words."""
_READ = frozenset(
    {
        *("adapter", "sender_adapter", "receiver_adapter", PATH, "mtu_bytes", "workload", COUNT),
        *(TRANSPORT, DISTANCE, "window_bytes", "loss_ratio"),
    }
)
"""Conditions that predictions depend on."""
_PROTOCOLS = {"tcp": Protocol.TCP, "smcr": Protocol.SMC_R}
"""Transports of statements that predictions know."""
_CACHED_PREDICTIONS = 64
"""Of one question with several variants, or of a page of them."""


@dataclass(frozen=True, slots=True)
class Modelled:
    """
    Ratio of variant to baseline that a model gives.

    Parameters
    ----------
    value : float
        Ratio to quote.
    low, high : float
        Range that its parameters leave.
    basis : str
        What it is a ratio of, and what it rests on.
    is_bound_ratio : bool
        Whether it is only the ratio of two upper bounds: no interval of the ratio itself.
    records : tuple of str
        Ids of the records that it rests on.
    """

    value: float
    low: float
    high: float
    basis: str
    is_bound_ratio: bool = False
    records: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The ratio with its range, for a sentence."""
        if self.is_bound_ratio:
            kind = self.basis.partition(" (")[0]
            return f"{self.value:.3g} times by {kind} alone"
        span = f" ({interval_text(self.low, self.high)})" if self.low < self.high else ""
        return f"computed {self.value:.3g} times{span}"

    def inverse(self) -> "Modelled":
        """The same of a time in place of a rate."""
        value, low, high = (1 / end if end else inf for end in (self.value, self.high, self.low))
        return replace(self, value=value, low=low, high=high)


@dataclass(frozen=True)
class _Predicted:
    """A case as `netmodel.predict` has it."""

    prediction: Prediction | RatioPrediction
    bound_bps: float
    band: DataBand | None
    composed: Path
    waits: bool


def modelled(
    baseline: Case,
    variant: Case,
    quantity: str,
    side: str | None,
    printed: Collection[str] = (),
) -> Modelled | None:
    """
    Ratio that a model gives of a quantity; None where none covers both cases.

    Demands from printed CPU ratios leave out those of this case (`printed`, ids of statements).
    """
    for model in (_of_same_frames, _of_steering, _of_transports):
        found = model(baseline, variant, quantity)
        if found is not None:
            return found
    found = _of_predictions(baseline, variant, quantity, side)
    if found is None:
        return _of_demands(baseline, variant, quantity, side, printed)
    keys = ("adapter", "sender_adapter", "receiver_adapter", PATH)
    names = (str(case[key]) for case in (baseline, variant) for key in keys if key in case)
    return replace(found, records=tuple(dict.fromkeys(names)))


def bounded(baseline: Case, variant: Case, quantity: str) -> tuple[float, float] | None:
    """Ratio of throughputs or times that the bounds of both cases leave, with statements."""
    if quantity not in {THROUGHPUT, TIME} or not _reads_all_that_differs(baseline, variant):
        return None
    ends = []
    for case in (baseline, variant):
        known = _predicted(case)
        if known is None or isinstance(known.prediction, RatioPrediction):
            return None
        if known.prediction.throughput_bps.bound is Bound.MEAN:
            return None  # runs may be above a mean
        high = known.bound_bps
        low = 0.0
        if known.band is not None:
            low, high = known.band.throughput_bps.low, min(high, known.band.throughput_bps.high)
        ends.append((low, high))
    (low, high), (own_low, own_high) = ends
    if not own_low and not low:
        return None
    ratio = (own_low / high if isfinite(high) else 0.0, own_high / low if low else inf)
    if quantity == THROUGHPUT:
        return ratio
    known = _predicted(variant)
    is_other_work = not is_same(COUNT, baseline.get(COUNT), variant.get(COUNT))
    if known is None or not known.waits or is_other_work:
        return None
    return tuple(1 / end if end else inf for end in reversed(ratio))  # type: ignore[return-value]


def _of_same_frames(baseline: Case, variant: Case, quantity: str) -> Modelled | None:
    """Law: an MTU that changes no frame of a message changes nothing."""
    name = variant.get("workload")
    if differing(baseline, variant) != {"mtu_bytes"} or not isinstance(name, str):
        return None
    record = workload(name)
    if record.is_stream:
        return None
    traffic = workload_traffic(record)
    counts = []
    for case in (baseline, variant):
        mtu_bytes = case.get("mtu_bytes")
        if not isinstance(mtu_bytes, int):
            return None
        stack, sizes = tcp_stack(), (traffic.request_bytes, traffic.response_bytes)
        counts.append([stack.message_frame_count(size, mtu_bytes) for size in sizes])
    if counts[0] != counts[1]:
        return None
    if quantity not in {THROUGHPUT, TIME, CPU_PER_DATA, CPU_PER_TRANSACTION}:
        return None
    return Modelled(1.0, 1.0, 1.0, "each message has the same frames at both MTUs")


def _of_steering(baseline: Case, variant: Case, quantity: str) -> Modelled | None:
    """Packet steering on and off, and numbers of connections, on one adapter."""
    name, card = variant.get("workload"), variant.get("adapter")
    counts = [case.get(COUNT) for case in (baseline, variant)]
    if quantity not in {TIME, THROUGHPUT, CPU_PER_DATA, CPU_PER_TRANSACTION}:
        return None
    if baseline.get("adapter") != card or not isinstance(card, str):
        return None
    others = differing(baseline, variant) - {COUNT, "receive_packet_steering"}
    alike = {**variant, **{key: baseline[key] for key in others if key in baseline}}
    if others and _of_same_frames(alike, variant, TIME) is None:
        return None
    is_steered = [bool(case.get("receive_packet_steering")) for case in (baseline, variant)]
    if is_steered[0] == is_steered[1] and counts[0] == counts[1]:
        return None
    numbers = [count for count in counts if isinstance(count, int)]
    record = next(
        (each for each in steering_records() if each.workload == name and card in each.samples),
        None,
    )
    if record is None or len(numbers) < len(counts):
        return None
    exchange = recorded_exchange(record, card, numbers)
    is_time = quantity in {TIME, THROUGHPUT}
    own, steered = (
        (exchange.time, exchange.steered_time)
        if is_time
        else (exchange.cost, exchange.steered_cost)
    )
    before, after = ((steered if is_on else own)[place] for place, is_on in enumerate(is_steered))
    ratio = np.asarray(after / before)
    if quantity == THROUGHPUT:
        ratio = numbers[1] / numbers[0] / ratio
    found: Estimate = spread(ratio)
    basis = f"expected of {record.id}, {WHOLE_PERCENT * LEVEL_RATIO:g} % of its parameters"
    return Modelled(found.value, found.low, found.high, basis, records=(record.id,))


def _of_demands(
    baseline: Case, variant: Case, quantity: str, side: str | None, printed: Collection[str]
) -> Modelled | None:
    """CPU cost by messages, frames and bytes, with the demands that other printed ratios allow."""
    works = _works(baseline, variant, quantity, side)
    if not works:
        return None
    if _varies_only_connections(baseline, variant, works):
        return None
    known = cost_set()
    count = variant.get(COUNT)
    if printed:
        known = known.without(printed, count if isinstance(count, int) else 0)
    ratios = [known.expected(subject, base) for base, subject in works]
    low, high = min(each.low for each in ratios), max(each.high for each in ratios)
    values = [each.value for each in ratios]
    value = (min(values) * max(values)) ** 0.5
    if not is_identified(Estimate(value, low, high)):
        return None
    basis = "messages, frames and bytes, with demands from other CPU ratios"
    return Modelled(value, low, high, basis)


def _varies_only_connections(
    baseline: Case, variant: Case, works: Sequence[tuple[Work, Work]]
) -> bool:
    """Whether connections differ and no demand knows them: it then says nothing of the ratio."""
    is_other_count = COUNT in differing(baseline, variant)
    return is_other_count and bool(works) and all(base == subject for base, subject in works)


def _works(
    baseline: Case, variant: Case, quantity: str, side: str | None
) -> list[tuple[Work, Work]]:
    """Demands of baseline and variant on each side; none where they are not counted."""
    if quantity not in {CPU_PER_DATA, CPU_PER_TRANSACTION}:
        return []
    if quantity == CPU_PER_TRANSACTION and differing(baseline, variant) & {"workload", MESSAGE}:
        return []
    found = []
    for each in [side] if side else [each.value for each in Side]:
        base, subject = (work_of(case, each) for case in (baseline, variant))
        if base is None or subject is None:
            return []
        found.append((base, subject))
    return found


def is_counted(baseline: Case, variant: Case) -> bool:
    """Whether messages, frames and bytes of both cases are known."""
    return bool(_works(baseline, variant, CPU_PER_DATA, None))


def what_identifies(baseline: Case, variant: Case) -> Iterator[str]:
    """The run that would set a ratio of CPU costs which printed ratios leave open."""
    works = _works(baseline, variant, CPU_PER_DATA, None)
    if _varies_only_connections(baseline, variant, works):
        counts = [case.get(COUNT, "others") for case in (baseline, variant)]
        yield f"CPU cost is left open; measure it with {counts[0]} and {counts[1]} connections"
        return
    for base, subject in works[:1]:
        run = measurement_of(cost_set().least_known(subject, base))
        yield f"CPU cost is left open; measure {run}"


def _of_transports(baseline: Case, variant: Case, quantity: str) -> Modelled | None:
    """Requests and responses of two transports over distance, or of one over two distances."""
    if quantity not in {TIME, THROUGHPUT}:
        return None
    changed = differing(baseline, variant)
    times = endpoint_times(baseline, variant)
    trips = [round_trip_s(each) for each in (baseline, variant)]
    if times is None or None in trips or not changed & {TRANSPORT, DISTANCE}:
        return None
    if changed - IMPLIED_BY_TRANSPORT - {TRANSPORT}:
        return None
    sizes = message_sizes(variant)
    names = {each.transport: each_name for each_name, each in times.record.protocols.items()}
    order = [names[str(case[TRANSPORT])] for case in (baseline, variant)]
    if trips[0] == trips[1] and order == [times.record.baseline, times.record.compared]:
        count = connections_on_line(times, variant)
        known = times.time_ratio(*sizes, trips[0] or 0.0, connection_count=count).numbers()
    else:
        first, last = (
            times.transaction_time_s(
                name, *sizes, trip_s or 0.0, connection_count=connections_on_line(times, case)
            ).numbers()
            for name, trip_s, case in zip(order, trips, (baseline, variant), strict=True)
        )
        low, high = last.low / first.high, last.high / first.low
        known = type(first)(last.value / first.value, low, high)
    basis = "endpoint times, calibrated from published gains, and the round trip"
    result = Modelled(known.value, known.low, known.high, basis, records=(times.record.id,))
    return result if quantity == TIME else result.inverse()


def _of_predictions(
    baseline: Case, variant: Case, quantity: str, side: str | None
) -> Modelled | None:
    if not _reads_all_that_differs(baseline, variant):
        return None
    before, after = (_predicted(case) for case in (baseline, variant))
    if before is None or after is None:
        return None
    first, last = before.prediction, after.prediction
    if isinstance(first, RatioPrediction) or isinstance(last, RatioPrediction):
        if isinstance(first, Prediction) or isinstance(last, Prediction):
            return None
        return _of_ratios(before, after, first, last, quantity)
    if quantity in {THROUGHPUT, TIME}:
        is_time = quantity == TIME
        if is_time and not after.waits:
            return None
        if first.expected is not None and last.expected is not None:
            values = [
                (each.transaction_time_s if is_time else each.throughput_bps).numbers()
                for each in (first.expected, last.expected)
            ]
            value = values[1].value / values[0].value
            low, high = values[1].low / values[0].high, values[1].high / values[0].low
            return Modelled(value, min(low, value), max(high, value), "expected values")
        bounds = [each.throughput_bps.numbers() for each in (first, last)]
        if not all(0 < each.value < inf for each in bounds):
            return None
        value = bounds[1].value / bounds[0].value
        low, high = bounds[1].low / bounds[0].high, bounds[1].high / bounds[0].low
        names = " over ".join(dict.fromkeys(str(each.binding) for each in (last, first)))
        kinds = {each.bound for each in bounds}
        if kinds == {Bound.MEAN}:
            # loss limits both: means of many runs, no bounds
            result = Modelled(value, min(low, value), max(high, value), f"mean rates ({names})")
        else:
            kind = "a mean and an upper bound" if Bound.MEAN in kinds else "upper bounds"
            result = Modelled(value, low, high, f"{kind} ({names})", is_bound_ratio=True)
        return None if is_time else result
    costs = {CPU_PER_DATA: "cpu_us_per_gbit", CPU_PER_TRANSACTION: "cpu_s_per_transaction"}
    if quantity not in costs or side not in {each.value for each in Side}:
        return None
    own = [getattr(each, costs[quantity]).get(Side(side)) for each in (first, last)]
    if any(each is None or not each.value for each in own):
        return None
    numbers = [each.numbers() for each in own]
    value = numbers[1].value / numbers[0].value
    low, high = numbers[1].low / numbers[0].high, numbers[1].high / numbers[0].low
    return Modelled(value, min(low, value), max(high, value), f"CPU costs of the {side}")


def _reads_all_that_differs(baseline: Case, variant: Case) -> bool:
    """Whether predictions depend on each condition in which the cases differ."""
    keys = differing(baseline, variant)
    if any(_is_of_other_runs(case) for case in (baseline, variant)):
        return False
    return bool(keys) and keys <= _READ | (IMPLIED_BY_PATH if PATH in keys else frozenset())


def _is_of_other_runs(case: Case) -> bool:
    """Whether the runs that a path is calibrated from have another condition, such as a level."""
    path = case.get(PATH)
    runs = [
        figure.case
        for figure in published().figures
        if isinstance(path, str) and is_same(PATH, figure.case.get(PATH), path)
    ]
    return any(
        case[key] not in {each[key] for each in runs if key in each}
        for key in IMPLIED_BY_PATH & set(case)
        if any(key in each for each in runs)
    )


def _of_ratios(
    before: _Predicted,
    after: _Predicted,
    first: RatioPrediction,
    last: RatioPrediction,
    quantity: str,
) -> Modelled | None:
    """Against the reference of a path whose times are known up to a factor."""
    is_time = quantity == TIME and after.waits
    if (quantity != THROUGHPUT and not is_time) or before.composed != after.composed:
        return None
    # what a reference does not name is that of each prediction: both have to be of one case
    if first.traffic != last.traffic or first.reference_mtu_bytes != last.reference_mtu_bytes:
        return None
    ratios = [each.ratio_to_reference.numbers() for each in (first, last)]
    if first.mtu_bytes == first.reference_mtu_bytes and not first.reference.time_ratios:
        ratios[0] = type(ratios[0])(1.0, 1.0, 1.0)
    low, high = ratios[1].low / ratios[0].high, ratios[1].high / ratios[0].low
    values = [each.value for each in ratios]
    value = (low * high) ** 0.5
    if values[0] is not None and values[1] is not None:
        value = values[1] / values[0]
    is_published = last.published is not None
    basis = "as published for the path" if is_published else "frames and bytes of each message"
    result = Modelled(value, low, high, basis)
    return result.inverse() if is_time else result


def _predicted(case: Case) -> _Predicted | None:
    """The case as `netmodel.predict` has it; None where its path or workload is not known."""
    known = catalog()
    name, path, mtu_bytes = case.get("workload"), case.get(PATH), case.get("mtu_bytes")
    cards = tuple(
        str(case.get(f"{end}_adapter", case.get("adapter", ""))) for end in ("sender", "receiver")
    )
    is_own = isinstance(name, str) and is_file(name)
    if not (name in known["workloads"] or is_own) or case.get("receive_packet_steering"):
        return None
    path = path if isinstance(path, str) and path in known["paths"] else None
    if path is None and (PATH in case or not set(cards) <= set(known["adapters"])):
        return None
    if path is None and mtu_bytes is None:
        return None
    ends = ("", "") if path is not None else cards
    count = case.get(COUNT)
    transport = case.get(TRANSPORT, "tcp")
    if transport not in _PROTOCOLS:
        return None
    # a file may change while the program runs
    predicted = _predicted_of.__wrapped__ if is_own else _predicted_of
    return predicted(
        str(name),
        path,
        ends,
        mtu_bytes if isinstance(mtu_bytes, int) else None,
        count if isinstance(count, int) else None,
        _distance_of(case),
    )


def _distance_of(case: Case) -> Distance | None:
    """What lies between the ends of a case; None for hosts beside each other over TCP."""
    given = [case.get(key) for key in ("window_bytes", "loss_ratio")]
    window_bytes, loss_ratio = (None if each is None else float(str(each)) for each in given)
    trip_s, protocol = round_trip_s(case), _PROTOCOLS[str(case.get(TRANSPORT, "tcp"))]
    if trip_s is None and window_bytes is None and loss_ratio is None and protocol is Protocol.TCP:
        return None
    return Distance(
        round_trip_s=trip_s, window_bytes=window_bytes, loss_ratio=loss_ratio, protocol=protocol
    )


@lru_cache(maxsize=_CACHED_PREDICTIONS)
def _predicted_of(
    name: str,
    path: str | None,
    cards: tuple[str, str],
    mtu_bytes: int | None,
    count: int | None,
    between: Distance | None,
) -> _Predicted | None:
    record = workload(name)
    if path is None:
        specified = SpecifiedPath(adapter(cards[0]), adapter(cards[1]))
    else:
        specified = SpecifiedPath(record=path_record(path))
    try:
        traffic = workload_traffic(record, count)
        composed = specified.path(record.sender)
        if composed.factors:
            ratio = predict_ratio(composed, traffic, mtu_bytes)
            return _Predicted(ratio, inf, None, composed, traffic.waits)
        if between is None:
            prediction = predict_path(composed, traffic, mtu_bytes)
        else:
            stack = parse_stack(SMCR_STACK) if between.protocol is Protocol.SMC_R else tcp_stack()
            prediction = predict_path(over_distance(composed, between), traffic, mtu_bytes, stack)
        bound_bps = float(prediction.throughput_bps.value)
        if between is None or between.protocol is Protocol.TCP:
            bound_bps = float(with_statements(prediction, specified).throughput_bps.value)
        band = None
        if count is not None and between is None:
            (band,) = statement_bands(prediction, specified, [count]).bands
    except NetmodelError:
        return None
    return _Predicted(prediction, bound_bps, band, composed, traffic.waits)
