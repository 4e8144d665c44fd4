"""Requests of two transports over a distance: calibrated times, and where a gain gets small."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

from netmodel._estimates import Estimate
from netmodel._text import span_text
from netmodel.judging._compared_facts import COUNT, DISTANCE, TRANSPORT, Case, Fact
from netmodel.judging._cost_model import MESSAGE, with_message
from netmodel.judging._stream_windows import stream_windows
from netmodel.path import workload_traffic
from netmodel.path._transport_times import TransportTimes
from netmodel.records import workload
from netmodel.records._transports import transport_records
from netmodel.transport import propagation_delay_s, propagation_round_trip_s
from netmodel.units import format_size
from netmodel.units._prefixes import KILO, WHOLE_PERCENT

_KM_DIGITS = 3
"""Of a distance that follows from percentages of two digits."""
_WINDOW = "window_bytes"
"""Condition with the bytes that each connection may have in flight."""
_WINDOW_DIGITS = 3
"""Of a window that follows from a percentage of three digits."""


def endpoint_times(baseline: Case, variant: Case) -> TransportTimes | None:
    """Calibrated times of the transports of two cases of requests; None where there are none."""
    names = [each.get(TRANSPORT) for each in (baseline, variant)]
    name = variant.get("workload")
    if not isinstance(name, str) or workload(name).is_stream:
        return None
    for record in transport_records():
        known = {each.transport: each.adapter for each in record.protocols.values()}
        if all(name in known for name in names) and all(
            case.get("adapter", known[str(name)]) == known[str(name)]
            for case, name in zip((baseline, variant), names, strict=True)
        ):
            return TransportTimes(record)
    return None


def message_sizes(case: Case) -> tuple[float, float]:
    """Request and response of a case, with a size of its own where it has one. [byte]"""
    size = case.get(MESSAGE)
    own = workload_traffic(workload(str(case["workload"])))
    traffic = with_message(own, size if isinstance(size, int) else None)
    return float(traffic.request_bytes), float(traffic.response_bytes)


def connections_on_line(times: TransportTimes, case: Case) -> int:
    """Connections that share the line: of the case, its workload, or the published runs."""
    count = case.get(COUNT)
    if isinstance(count, int):
        return count
    own = workload(str(case["workload"])).connections
    counts = times.record.connection_counts if own is None else own.counts
    return max(counts)


def endpoint_notes(times: TransportTimes, case: Case) -> Iterator[str]:
    """What calibrated times do not cover, and where the line is shorter of time than both ends."""
    record, sizes, trip_s = times.record, message_sizes(case), round_trip_s(case)
    count = connections_on_line(times, case)
    names = [name for name, each in record.protocols.items() if each.transport == case[TRANSPORT]]
    for name in names if trip_s is not None else ():
        alone, shared = (
            times.transaction_time_s(name, *sizes, trip_s or 0.0, connection_count=number).value
            for number in (None, count)
        )
        if shared > alone:
            yield f"the line limits {name} with {count} connections"
    yield from times.notes(*sizes)


def round_trip_s(case: Case) -> float | None:
    """Round trip of the distance of a case; None where it has none. [s]"""
    km = case.get(DISTANCE)
    return None if km is None else float(propagation_round_trip_s(float(str(km)) * KILO))


@dataclass(frozen=True, slots=True)
class Crossover:
    """
    Distance up to which a change saves a share of the time.

    Parameters
    ----------
    min_gain_ratio : float
        The share.
    distance_km : Estimate
        Length of the fibre, with the range that published figures leave; 0 where the gain is
        always smaller. [km]
    """

    min_gain_ratio: float
    distance_km: Estimate

    def to_dict(self) -> dict[str, float]:
        """Plain values."""
        value, low, high = self.distance_km
        return {
            "min_gain_ratio": self.min_gain_ratio,
            "distance_km": value,
            "distance_km_low": low,
            "distance_km_high": high,
        }

    def __str__(self) -> str:
        value, low, high = (f"{end:.{_KM_DIGITS}g}" for end in self.distance_km)
        share = f"{WHOLE_PERCENT * self.min_gain_ratio:g} %"
        return f"at least {share} of the time is saved up to {value} km ({span_text(low, high)})"


def crossover(baseline: Case, variant: Case, min_gain_ratio: float) -> Crossover | None:
    """Where the gain of a transport falls to a share; None where no model says it."""
    times = endpoint_times(baseline, variant)
    if times is None:
        return None
    record = times.record
    order = [record.protocols[name].transport for name in (record.baseline, record.compared)]
    if [case[TRANSPORT] for case in (baseline, variant)] != order:
        return None
    known = times.crossover_round_trip_s(
        min_gain_ratio, *message_sizes(variant), connections_on_line(times, variant)
    )
    km_per_s = 1 / (2 * float(propagation_delay_s(KILO)))
    value, low, high = (float(end) * km_per_s for end in (known.value, known.low, known.high))
    return Crossover(min_gain_ratio, Estimate(value, low, high))


def stream_window_notes(baseline: Case, variant: Case) -> Iterator[str]:
    """The windows that streams over a distance had where figures are printed, or that miss."""
    name = variant.get("workload")
    is_far = any(case.get(DISTANCE) for case in (baseline, variant))
    if not isinstance(name, str) or not workload(name).is_stream or not is_far:
        return
    if any(_WINDOW not in case for case in (baseline, variant)):
        yield "no window given: the window of each stream limits it over a distance"
    windows = stream_windows(name)
    if windows is not None and baseline.get(TRANSPORT) != variant.get(TRANSPORT):
        size = format_size(windows.high_window_bytes, _WINDOW_DIGITS)
        yield f"published gains are over {windows.baseline} with a window of at most {size}"


def has_other_windows(fact: Fact, baseline: Case, variant: Case) -> bool:
    """Whether a gain of streams over a distance is of other windows than those of two cases."""
    is_given = any(_WINDOW in case for case in (baseline, variant))
    name = variant.get("workload")
    is_stream = isinstance(name, str) and workload(name).is_stream
    return is_given and is_stream and DISTANCE in fact.subject and _WINDOW not in fact.subject


def bounds_from_other_distances(
    facts: Iterable[Fact], baseline: Case, variant: Case
) -> tuple[float, float, tuple[str, ...]] | None:
    r"""
    Ratio of the rates of streams that published ratios over other distances leave.

    Parameters
    ----------
    facts : iterable of Fact
        Published ratios of throughput.
    baseline, variant : mapping
        Cases with a distance.

    Returns
    -------
    low, high, because : float, float, tuple of str
        None where no ratio is of these protocols and this stream.

    Notes
    -----
    With the distance no rate rises, and no bytes in flight :math:`X r` fall: so it is for a line,
    a window and a CPU. A ratio :math:`q_1` at :math:`r_1` then leaves

    .. math:: q_1 \min(r / r_1, r_1 / r) \le q \le q_1 \max(r / r_1, r_1 / r)
    """
    name, km = variant.get("workload"), variant.get(DISTANCE)
    if not isinstance(name, str) or not workload(name).is_stream or not km:
        return None
    low, high, because = 0.0, inf, []
    for fact in facts:
        if has_other_windows(fact, baseline, variant):
            continue
        there = fact.subject.get(DISTANCE)
        is_same_case = (
            fact.subject.get("workload") == name
            and fact.subject.get(COUNT, variant.get(COUNT)) == variant.get(COUNT)
            and fact.subject.get(TRANSPORT) == variant.get(TRANSPORT)
            and fact.baseline.get(TRANSPORT) == baseline.get(TRANSPORT)
        )
        if there is None or not fact.has_ratio or not is_same_case:
            continue
        farther = float(str(km)) / float(str(there))
        low = max(low, fact.low * min(farther, 1 / farther))
        high = min(high, fact.high * max(farther, 1 / farther))
        because.append(fact.id)
    return (low, high, tuple(because)) if because else None
