"""What the windows and the losses of a run allow over its round trip."""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from netmodel.checking.limits import Limit, SpecifiedLine
from netmodel.checking.tolerance import slow_start_doublings
from netmodel.estimates import ABOUT_RATIO
from netmodel.readers import Measurement
from netmodel.text import argument
from netmodel.transport import (
    cubic_payload_rate_bps,
    mathis_payload_rate_bps,
    pftk_received_rate_bps,
    retransmission_timeout_s,
    window_payload_rate_bps,
)
from netmodel.units import BITS_PER_BYTE
from netmodel.units.prefixes import MS_PER_S

SEGMENTS_PER_ACK = 2
"""Segments that one acknowledgement answers (RFC 5681); it is sent before they are read."""
LEAST_USABLE_RATIO = 0.5
"""Share of the largest window that a sender may wait for (RFC 9293, section 3.8.6.2.1)."""
LEAST_FILLED_RATIO = 0.92
"""Share of the largest window that is in flight on average where nothing else limits: runs on an
emulated line were at 0.92 to 1.00 of it, slow start left out."""
MOST_STARTING_RATIO = 0.5
"""A run that is in slow start for longer shows no window."""
WINDOW_OF_BUFFER_RATIOS = (0.5, 2.0)
"""Window over the requested socket buffer: Linux doubles it, and keeps a part for overhead."""
_ABOUT = float(ABOUT_RATIO)
_Response: TypeAlias = Callable[[float, float, float], float]
"""Payload rate by segment size, round trip and share of loss events."""
_RESPONSES: Mapping[str | None, tuple[_Response, _Response]] = {
    "reno": (mathis_payload_rate_bps, mathis_payload_rate_bps),
    "newreno": (mathis_payload_rate_bps, mathis_payload_rate_bps),
    "cubic": (cubic_payload_rate_bps, cubic_payload_rate_bps),
    None: (mathis_payload_rate_bps, cubic_payload_rate_bps),
}
"""Lower and upper response to loss of each congestion control that slows down at every loss event;
of one that is not reported, those of the two that kernels have by default."""
_FEWEST_EVENTS = 3
"""Fewer are a chance, not a rate: on an emulated line, runs with four were within a factor 1.5."""
_RESPONSE_FACTOR = 1.5
"""How far a run may be from its response; 5 s on an emulated line were at 0.77 to 1.04 of it."""
_MOST_OF_MEAN_WINDOW = 2.0
"""Largest congestion window over the mean: a sender halves its window at a loss (RFC 5681), and
starts again no higher than it was."""


def window_limit(
    run: Measurement, line: SpecifiedLine, segment_bytes: float | None, specified_bps: float
) -> Iterator[Limit]:
    """
    Rate of the windows of all connections over the round-trip time.

    Where the congestion window was larger, nothing was lost and the specified limits allow more,
    only the peer's window is left to limit: the lower end then has slow start, and what is not in
    flight of the window on average.
    """
    round_trip_s = line.round_trip_s or run.round_trip_s
    advertised_bytes: float | None = run.peer_window_bytes
    buffer_bytes = run.socket_buffer_bytes
    count = run.stream_count or 1
    each = "" if count == 1 else f" of each of {count} connections"
    if line.window_bytes:
        advertised_bytes = count * line.window_bytes
        window = f"specified window of {line.window_bytes:.0f} byte{each}"
    else:
        window = f"advertised window of {advertised_bytes} byte"
    if not round_trip_s or not (advertised_bytes or buffer_bytes):
        return
    windows_bytes: list[float]
    if advertised_bytes:
        # segments that are acknowledged before they are read still fill the window
        unread_bytes = SEGMENTS_PER_ACK * count * (segment_bytes or 0)
        least_bytes = max(advertised_bytes - unread_bytes, LEAST_USABLE_RATIO * advertised_bytes)
        windows_bytes = [advertised_bytes, least_bytes, advertised_bytes]
    else:
        ratios = (1.0, *WINDOW_OF_BUFFER_RATIOS)
        windows_bytes = [ratio * count * (buffer_bytes or 0) for ratio in ratios]
        window = f"socket buffers of {buffer_bytes} byte"
    known_s = line.round_trip_s or run.least_round_trip_s or round_trip_s
    least_s = min(known_s, round_trip_s)
    trip = f"{MS_PER_S * round_trip_s:.4g} ms"
    least = f"{MS_PER_S * least_s:.4g} ms"
    if least != trip:
        trip = f"{least.removesuffix(' ms')} to {trip}"
    # value, lowest, and highest over the shortest round trip
    value_bps, low_bps, high_bps = (
        float(window_payload_rate_bps(window_bytes, trip_s))
        for window_bytes, trip_s in zip(
            windows_bytes, (round_trip_s, round_trip_s, least_s), strict=True
        )
    )
    carrier = f"its {window} over a round trip of {trip}"
    is_only_limit = (
        (run.congestion_window_bytes or 0) > windows_bytes[0]
        and run.retransmit_count == 0
        and value_bps < specified_bps
    )
    if advertised_bytes and is_only_limit and (run.goodput_bps or math.inf) < low_bps:
        starting_ratio = _starting_ratio(run, advertised_bytes, round_trip_s, segment_bytes)
        if starting_ratio <= MOST_STARTING_RATIO:
            low_bps = min(low_bps, LEAST_FILLED_RATIO * (1 - starting_ratio) * value_bps)
            carrier += ", slow start included" if starting_ratio else ""
    yield Limit("window", value_bps, low_bps, high_bps, carrier)


def _starting_ratio(
    run: Measurement, window_bytes: float, round_trip_s: float, segment_bytes: float | None
) -> float:
    """Share of a run in which its congestion windows grow to the peer's."""
    if run.leaves_out_start or not (run.duration_s and segment_bytes):
        return 0.0
    doublings = slow_start_doublings(window_bytes, segment_bytes * (run.stream_count or 1))
    return doublings * round_trip_s / run.duration_s


def loss_limit(
    run: Measurement, line: SpecifiedLine, segment_bytes: float | None
) -> Iterator[Limit]:
    """
    Rate of loss-based congestion control at the loss that the retransmits of a run show.

    At most every retransmit was a loss event of its own: one event may lose several segments, and
    segments are sent again that were not lost. At least one event fell into each interval of the
    report with retransmits, and no event lost more than a window. The value is that of isolated
    losses. The lower end has timeouts too (PFTK), the upper end the fewest events; both are at
    least as far as a response is from a run with known loss.
    """
    round_trip_s = line.round_trip_s or run.round_trip_s
    retransmit_count, responses = run.retransmit_count, _responses(run)
    sent_count = sent_segment_count(run, segment_bytes)
    if not (responses and sent_count and round_trip_s and segment_bytes and run.goodput_bps):
        return
    assert retransmit_count
    count = run.stream_count or 1
    mean_window_count = run.goodput_bps * round_trip_s / BITS_PER_BYTE / segment_bytes / count
    most_window_count = max(1.0, _MOST_OF_MEAN_WINDOW * mean_window_count)
    fewest = max(run.lossy_interval_count or 1, retransmit_count / most_window_count)
    if fewest < _FEWEST_EVENTS:
        return
    most_ratio, fewest_ratio = retransmit_count / sent_count, fewest / sent_count
    slowest, fastest = responses
    timeout_s = retransmission_timeout_s(round_trip_s)
    value_bps, high_bps, low_bps = (
        count * float(rate_bps)
        for rate_bps in (
            slowest(segment_bytes, round_trip_s, most_ratio),
            fastest(segment_bytes, round_trip_s, fewest_ratio),
            pftk_received_rate_bps(segment_bytes, round_trip_s, timeout_s, most_ratio),
        )
    )
    carrier = (
        f"loss, {retransmit_count} of {sent_count:,.0f} segments retransmitted over a round trip "
        f"of {MS_PER_S * round_trip_s:.4g} ms"
    )
    low_bps = min(low_bps, value_bps / _RESPONSE_FACTOR)
    high_bps = max(high_bps, value_bps * _RESPONSE_FACTOR)
    yield Limit("loss", value_bps, low_bps, high_bps, carrier)


def isolated_loss_rate_bps(
    run: Measurement, round_trip_s: float | None, segment_bytes: float | None
) -> float | None:
    """The value of the limit `loss`, also where too few events are sure to set that limit."""
    responses, sent_count = _responses(run), sent_segment_count(run, segment_bytes)
    if not (responses and sent_count and round_trip_s and segment_bytes):
        return None
    assert run.retransmit_count
    event_ratio = run.retransmit_count / sent_count
    return (run.stream_count or 1) * responses[0](segment_bytes, round_trip_s, event_ratio)


def _responses(run: Measurement) -> tuple[_Response, _Response] | None:
    """Lower and upper response of the run; None where it does not slow down at each loss event."""
    control = run.congestion_control
    return _RESPONSES.get(control and control.lower())


def sent_segment_count(run: Measurement, segment_bytes: float | None) -> float | None:
    """Segments that were sent, those again included; None where not known, or none was."""
    received_bytes: float | None = run.received_bytes
    if received_bytes is None and run.goodput_bps and run.duration_s:
        received_bytes = run.goodput_bps * run.duration_s / BITS_PER_BYTE
    if not (received_bytes and segment_bytes and run.retransmit_count):
        return None
    return received_bytes / segment_bytes + run.retransmit_count


def transport_notes(
    run: Measurement, line: SpecifiedLine, limits: tuple[Limit, ...]
) -> Iterator[str]:
    """Where what is specified of round trip and window contradicts the run, and assumptions."""
    trip_s, window_bytes = line.round_trip_s, line.window_bytes
    if trip_s:
        trip = f"specified round trip of {MS_PER_S * trip_s:.4g} ms"
        least_s, mean_s = run.least_round_trip_s, run.round_trip_s
        time_s = run.transaction_time_s
        if least_s and trip_s < (1 - _ABOUT) * least_s:
            yield f"{trip} is below the run's smallest of {MS_PER_S * least_s:.4g} ms"
        elif mean_s and trip_s > (1 + _ABOUT) * mean_s:
            yield f"{trip} is above the run's mean of {MS_PER_S * mean_s:.4g} ms"
        if time_s and time_s < (1 - _ABOUT) * trip_s:
            yield f"{trip} is longer than the mean transaction of {MS_PER_S * time_s:.4g} ms"
        elif time_s:
            rest_s = max(0.0, time_s - trip_s)
            yield (
                f"a transaction takes {MS_PER_S * time_s:.4g} ms: the round trip "
                f"{MS_PER_S * trip_s:.4g} ms, all else {MS_PER_S * rest_s:.3g} ms"
            )
    if window_bytes and not (trip_s or run.round_trip_s):
        yield (
            "the specified window sets a limit only with a round trip "
            f"({argument('rtt_s', '--rtt')})"
        )
    if window_bytes and run.peer_window_bytes:
        own_bytes = run.peer_window_bytes / (run.stream_count or 1)
        if abs(own_bytes - window_bytes) > _ABOUT * window_bytes:
            yield (
                f"specified window of {window_bytes:.0f} byte; the run reports "
                f"{own_bytes:.0f} byte as advertised"
            )
    for limit in limits:
        if limit.name == "window" and (trip_s or window_bytes) and run.goodput_bps:
            excess_ratio = run.goodput_bps / limit.bounds_bps[1]
            if excess_ratio > 1 + _ABOUT:
                yield (
                    f"goodput is {excess_ratio:.3g} times what the window allows over the round "
                    "trip: one is wrong"
                )
        if limit.name == "loss":
            control = run.congestion_control or "Reno to CUBIC"
            yield (
                f"limit loss, for {control}: its upper end if retransmits came in bursts, "
                "its lower with timeouts"
            )
