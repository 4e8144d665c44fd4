"""Operational laws: throughput and latency of closed workloads, distance, queues and caps."""

from dataclasses import replace
from math import inf
from typing import Any

from netmodel.judging._evidence._book import Book, drained_ms
from netmodel.judging._evidence._computed import Computed, change_in_words, exactly
from netmodel.records import (
    Change,
    Configuration,
    Relation,
    StatedQuantity,
    Statement,
    half_step,
)
from netmodel.transport import propagation_round_trip_s
from netmodel.units import parse_rate_bps

__all__ = [
    "enough_trunks",
    "faster_line",
    "gain_at_distance",
    "longer_queue",
    "newer_processor",
    "throughput_from_latency",
    "trunk_caps",
    "twice_the_distance",
]

Q = StatedQuantity
_ON_ONE_SWITCH = "between two RoCE Express features on one switch"
_DEFAULT_QUEUE, _BEST_QUEUE = "txqueuelen, default", "txqueuelen, best in the tests"
_LONG_QUEUE = "txqueuelen, too large"
_SEVERAL_TRUNKS, _PORTS = "several trunk adapters", "port of the link aggregation"
_TRUNK: dict[str, Any] = {"quantity": Q.THROUGHPUT, "interface": "trunk adapter"}
_FAST_BPS = 10e9


def throughput_from_latency(told: Statement, book: Book) -> Computed | None:
    """Throughput gain of a closed workload from what its latency loses: Little's law."""
    key = (told.source, told.locator, told.subject, told.baseline)
    partner = book.partners.get(key)
    if told.quantity is not Q.THROUGHPUT or told.change is not Change.MORE or told.unit != "%":
        return None
    if partner is None or partner.value is None or partner.relation is Relation.RANGE:
        return None
    if told.subject.workload is None or float(partner.value) >= 100:
        return None
    half = float(half_step(partner.value))
    reduced = [(float(partner.value) + shift) / 100 for shift in (-half, half)]
    if partner.relation is Relation.AT_LEAST:
        reduced = [reduced[0], 1.0]
    low, high = (1 / (1 - part) if part < 1 else inf for part in reduced)
    return change_in_words(
        told,
        low,
        high,
        f"1 / (1 - {partner.value} %) by Little's law, from {partner.id}: without think time the "
        "connections wait for the answers all the time",
        [partner.id],
    )


def gain_at_distance(told: Statement, book: Book) -> Computed | None:
    """What is left at a larger distance of the time that a shorter stack saves."""
    subject, baseline = told.subject, told.baseline
    near_km = None if baseline is None else baseline.distance_km
    if told.quantity is not Q.GAIN or near_km is None or subject.distance_km is None:
        return None
    about = {"distance_km": near_km, "workload": subject.workload}
    near = book.figure(told, quantity=Q.LATENCY, **about)
    if near is None:
        return None
    trips_s = [propagation_round_trip_s(1e3 * float(km)) for km in (near_km, subject.distance_km)]
    least = float(trips_s[0] / trips_s[1])
    how = (
        f"of the {near[1]:g} % less time at {near_km} km ({near[0]}) a round trip of "
        f"{1e3 * trips_s[1]:.3f} ms in place of {1e3 * trips_s[0]:.3f} ms leaves {least:.0%} at "
        "least, where the fibre was all of it, and less than all in any case"
    )
    found = Computed(100 * (least - 1), -1e-6, "%", how, inputs=(near[0],))
    return replace(found, text=f"{100 * (least - 1):.3g} to 0")


def twice_the_distance(told: Statement, book: Book) -> Computed | None:
    """Reach between two features on one switch: that of a port to its switch, twice."""
    if told.quantity is not Q.DISTANCE or told.subject.interface != _ON_ONE_SWITCH:
        return None
    about = {"adapter": told.subject.adapter, "unit": told.unit}
    port = book.figure(told, quantity=Q.DISTANCE, **about)
    if port is None:
        return None
    how = f"twice the {port[1]:g} {told.unit} from a port to its switch ({port[0]})"
    return exactly(2 * port[1], told, how, [port[0]])


def longer_queue(told: Statement, book: Book) -> Computed | None:
    """Packets that wait as long on a faster line, and how much longer a longer queue takes."""
    rates = [config and config.line_rate for config in (told.subject, told.baseline)]
    if told.quantity is Q.QUEUE_LENGTH and rates[0] and rates[1]:
        ratio = parse_rate_bps(rates[0]) / parse_rate_bps(rates[1])
        how = f"packets that leave in the same time at {rates[0]} and at {rates[1]}"
        return change_in_words(told, ratio, ratio, how)
    if told.quantity is not Q.LATENCY or told.subject.setting != _LONG_QUEUE:
        return None
    short, long = (
        book.figure(told, quantity=Q.QUEUE_LENGTH, setting=setting)
        for setting in (_DEFAULT_QUEUE, _BEST_QUEUE)
    )
    if short is None or long is None:
        return None
    times_ms = [drained_ms(count, _FAST_BPS) for _, count in (long, short)]
    how = (
        f"full frames of a full queue at 10 Gbit/s: {long[1]:g} leave in {times_ms[0]:.3g} ms, "
        f"{short[1]:g} in {times_ms[1]:.3g} ms"
    )
    ratio = times_ms[0] / times_ms[1]
    return change_in_words(told, ratio, ratio, how, [long[0], short[0]])


def faster_line(told: Statement, _: Book) -> Computed | None:
    """How much more a faster line lets pass: what its rate gains at most, and nothing at least."""
    rates = [config and config.line_rate for config in (told.subject, told.baseline)]
    if told.quantity is not Q.THROUGHPUT or told.change is not Change.FACTOR or not all(rates):
        return None
    most = parse_rate_bps(str(rates[0])) / parse_rate_bps(str(rates[1]))
    how = (
        f"all of the gain of the line where it binds at {rates[1]} and at {rates[0]}, nothing "
        "where the CPUs bind"
    )
    return Computed(1.0, most, "x", how, is_spread=True)


def trunk_caps(told: Statement, book: Book) -> Computed | None:
    """Most that trunk adapters let pass, against a rate that was not reached with them."""
    subject = told.subject
    if told.quantity is not Q.THROUGHPUT or told.relation is not Relation.CENSORED_BELOW:
        return None
    for cap in book.others(told, **_TRUNK, processor_type=subject.processor_type):
        if cap.interval and cap.unit == told.unit and subject.trunk_count:
            low, high = (float(end) * subject.trunk_count for end in cap.interval)
            how = f"{subject.trunk_count} trunk of {cap.value} {cap.unit} at most ({cap.id})"
            return Computed(low, high, cap.unit or "", how, True, inputs=(cap.id,))
    return None


def newer_processor(told: Statement, book: Book) -> Computed | None:
    """What one processor passed against what another did not reach, both printed as figures."""
    subject, baseline = told.subject, told.baseline
    if told.quantity is not Q.THROUGHPUT or baseline is None or not subject.processor_type:
        return None
    if not baseline.processor_type or subject.interface is None:
        return None
    reached = book.figure(told, **_passed(subject))
    missed = list(book.others(told, **_TRUNK, processor_type=baseline.processor_type))
    if reached is None or not missed or missed[0].interval is None:
        return None
    least = reached[1] / float(missed[0].interval[1])
    how = f"more than {reached[1]:g} ({reached[0]}) over {missed[0].value} ({missed[0].id})"
    return change_in_words(told, least, inf, how, [reached[0], missed[0].id])


def enough_trunks(told: Statement, book: Book) -> Computed | None:
    """Whether one trunk fills a link aggregation, so that more of them gain nothing."""
    subject, baseline = told.subject, told.baseline
    if told.quantity is not Q.THROUGHPUT or told.change is not Change.SAME or baseline is None:
        return None
    if baseline.setting != _SEVERAL_TRUNKS:
        return None
    passed = book.figure(told, **_passed(subject))
    ports = book.figure(told, quantity=Q.ITEM_COUNT, item=_PORTS)
    rate = book.figure(told, quantity=Q.LINE_RATE, setting=_PORTS)
    if passed is None or ports is None or rate is None:
        return None
    line = ports[1] * rate[1]
    how = (
        f"{ports[1]:g} ports of {rate[1]:g} Gbit/s carry {line:g} Gbit/s at most, and one adapter "
        f"passes more than {passed[1]:g} ({passed[0]})"
    )
    used = [passed[0], ports[0], rate[0]]
    return change_in_words(told, 1.0, max(1.0, line / passed[1]), how, used)


def _passed(subject: Configuration) -> dict[str, Any]:
    """What tells a rate that a processor passed at least."""
    return {
        "quantity": Q.THROUGHPUT,
        "relation": Relation.AT_LEAST,
        "processor_type": subject.processor_type,
    }
