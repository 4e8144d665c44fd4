"""A path over a distance: its round trip, its window, and what loss leaves."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from netmodel.lazy_numpy import np
from netmodel.numeric import FloatOrArray, ceil, is_array, maximum, where
from netmodel.path.ensemble import ends_of, is_nothing, quoted_of
from netmodel.path.stages import DIRECTIONS, LINE_STAGES, Distance, Path, Stage, Times
from netmodel.path.traffic import Load, Traffic
from netmodel.predicted_text import rate_text
from netmodel.text import RESULT_DIGITS, percent_text
from netmodel.transport import (
    MAX_RESPONSE_LOSS_EVENT_RATIO,
    MAX_WINDOW_BYTES,
    random_loss_event_ratio,
    rdma_throughput,
    required_window_bytes,
    tcp_throughput,
)
from netmodel.units import BITS_PER_BYTE
from netmodel.units.formatting import window_text
from netmodel.units.prefixes import KIBI

DISTANCE_STAGE = "distance"
"""Name of the delay that a distance adds to a path."""
WINDOW_ROUNDS = "window_rounds"
"""Name of the delay of messages that are larger than the window."""


def over_distance(path: Path, distance: Distance) -> Path:
    """
    Return the path between two sites.

    Parameters
    ----------
    path : Path
        Between hosts beside each other.
    distance : Distance
        What lies between the sites.

    Returns
    -------
    path : Path
        With the window and the loss, and a stage ``"distance"`` that delays each message by half
        a round trip: in place of the delays of the record, or beside them where a length was
        given. Without either, the distance has the round trip of these delays.

    Examples
    --------
    >>> from netmodel.path import Path, Stage, Times
    >>> fibre = Stage(name="fibre", to_server=Times(per_message_s=5e-3), parallel_count=None)
    >>> path = Path(stages=(Stage(name="cpu", to_server=Times(per_message_s=6e-6)), fibre))
    >>> [stage.name for stage in over_distance(path, Distance(round_trip_s=1e-3)).stages]
    ['cpu', 'distance']
    >>> over_distance(path, Distance(round_trip_s=1e-4, distance_km=10.2)).distance.round_trip_s
    0.0051
    """
    changed = replace(path, distance=distance)
    if distance.window_bytes is not None:
        changed = replace(changed, window_bytes=distance.window_bytes, window_grade=None)
    if distance.loss_ratio is not None:
        changed = replace(changed, loss_ratio=distance.loss_ratio)
    given_s, is_length = distance.round_trip_s, distance.distance_km is not None
    if round_trip_terms(path) and (given_s is None or is_length):
        # a ping shows the delays of the record too, a length of fibre does not
        trip_s = round_trips_s(path)[1] + (0 if given_s is None else given_s)
        changed = replace(changed, distance=replace(distance, round_trip_s=trip_s))
    if given_s is None:
        return changed
    one_way = Times(per_message_s=given_s / 2)
    fibre = Stage(name=DISTANCE_STAGE, to_server=one_way, to_client=one_way, parallel_count=None)
    # what each flow has for itself delays nothing that waits for no other
    stages = [x for x in path.stages if is_length or x.is_serial or not x.is_delay]
    after = next((n for n, x in enumerate(stages, 1) if x.name in LINE_STAGES), len(stages))
    return replace(changed, stages=(*stages[:after], fibre, *stages[after:]))


def round_trip_terms(path: Path) -> list[tuple[str, Any]]:
    """Return the delays of the round trip, by the names of their parameters. [s]"""
    delays = [stage for stage in path.stages if stage.is_delay and stage.name != WINDOW_ROUNDS]
    times = ((x.name, way, getattr(x, way).per_message_s) for x in delays for way in DIRECTIONS)
    return [(f"{x}.{way}.per_message_s", each) for x, way, each in times if not is_nothing(each)]


def round_trips_s(path: Path) -> tuple[Any, Any, Any]:
    """Return the lowest, quoted and highest round trip of delays; 0 without any. [s]"""
    times_s = [time_s for _, time_s in round_trip_terms(path)]
    low_s, high_s = (sum(ends_of(each)[end] for each in times_s) for end in (0, 1))
    return low_s, sum(map(quoted_of, times_s)), high_s


def with_window_rounds(path: Path, load: Load) -> Path:
    r"""
    Return the path with a delay ``"window_rounds"`` where a message is larger than the window.

    Parameters
    ----------
    path : Path
        With a window and delays; without a distance that was given it stays as it is.
    load : Load
        What it carries.

    Notes
    -----
    Byte :math:`k W + 1` of a message leaves when byte :math:`(k - 1) W + 1` is acknowledged, so
    that a message of :math:`M` bytes takes at least

    .. math:: \left(\left\lceil M / W \right\rceil - 1\right) \max(0,\; r - W b)

    more than one that fits the window, with the round trip :math:`r` and the time of a byte
    :math:`b` where frames take longest: while a window is sent, its acknowledgements return.
    """
    window, traffic, load = path.window_bytes, load.traffic, load.without_acks(path.stages)
    if path.distance is None or window is None or not traffic.waits:
        return path
    stages = tuple(stage for stage in path.stages if stage.name != WINDOW_ROUNDS)
    # the largest window and the shortest round trip that are possible: a lower bound
    window_bytes, trip_s = ends_of(window)[1], round_trips_s(path)[0]
    sizes, waits_s = (traffic.request_bytes, traffic.response_bytes), []
    for direction, size_bytes in zip(DIRECTIONS, sizes, strict=True):
        sent_s: FloatOrArray = 0.0
        for stage in (each for each in stages if each.delays and not each.is_delay):
            passed = load.terms(stage, direction)
            # of each frame or byte, and not of the message as a whole
            of_frames = (x for name, x in passed if name.endswith(("per_frame_s", "per_byte_s")))
            sent_s = maximum(sent_s, load.axes.total(of_frames).quoted)
        of_window_s = sent_s * window_bytes / maximum(size_bytes, 1)
        rounds = maximum(ceil(size_bytes / window_bytes) - 1, 0)
        waits_s.append(rounds * maximum(trip_s - of_window_s, 0))
    if np.any(waits_s[0]) or np.any(waits_s[1]):
        there, back = (Times(per_message_s=time_s) for time_s in waits_s)
        extra = Stage(name=WINDOW_ROUNDS, to_server=there, to_client=back, parallel_count=None)
        stages = (*stages, extra)
    return path if len(stages) == len(path.stages) else replace(path, stages=stages)


def loss_limited_rate_bps(
    load: Load, round_trip_s: FloatOrArray, loss_ratio: FloatOrArray
) -> FloatOrArray:
    """
    Return the payload rate that loss allows one connection.

    Of TCP the mean of CUBIC, never slower than Reno, at the loss events that independent losses
    make; over RDMA that of go-back-N on a line without end. [bit/s]
    """
    segment_bytes = load.stack.payload_bytes(load.mtu_bytes)

    def tcp_bps(trip_s: FloatOrArray, event_ratio: FloatOrArray) -> FloatOrArray:
        # neither line nor window limits here: each is a limit of its own
        stream = tcp_throughput(1.0, trip_s, MAX_WINDOW_BYTES, event_ratio, 1, segment_bytes)
        return stream.loss_rate_bps

    if is_rdma(load):
        stream = rdma_throughput(1.0, round_trip_s, MAX_WINDOW_BYTES, loss_ratio, 1, segment_bytes)
        return stream.loss_rate_bps
    # all losses within a round trip are one event, which halves the window once; the window
    # is that of events one by one, which the next step would change by less than its square
    alone_bps = tcp_bps(round_trip_s, loss_ratio)
    window_bits = where(np.isfinite(alone_bps), alone_bps, 0) * round_trip_s
    window_count = maximum(window_bits / BITS_PER_BYTE / segment_bytes, 1)
    return tcp_bps(round_trip_s, random_loss_event_ratio(loss_ratio, window_count))


def is_rdma(load: Load) -> bool:
    """Return True if adapters resend all that followed a lost packet (go-back-N)."""
    return any(name.startswith("roce") for name in load.stack.protocols)


def is_lossy(path: Path) -> bool:
    """Return True if packets are lost on a path with a round trip."""
    highest = 0.0 if path.loss_ratio is None else ends_of(path.loss_ratio)[1]
    return not is_nothing(highest) and bool(round_trip_terms(path))


def missing_window_text(path: Path, traffic: Traffic, rate_bps: FloatOrArray) -> str:
    """
    Return the window that streams over a distance need for a rate, where none is given; else "".

    Part of a sentence, such as "a window of at least 1,126 KiB", in whole KiB as windows are set;
    where TCP has no such window, with that.
    """
    count, trip_s = traffic.connection_count, round_trips_s(path)[1]
    is_one = not any(is_array(each) for each in (rate_bps, count, trip_s))
    lacks_window = is_one and path.window_bytes is None and not traffic.waits
    if path.distance is None or not (lacks_window and 0 < float(rate_bps * trip_s) < np.inf):
        return ""
    needed_bytes = required_window_bytes(rate_bps, trip_s, 1 if count is None else count)
    size = window_text(KIBI * float(ceil(needed_bytes / KIBI)))
    if count is not None and needed_bytes > MAX_WINDOW_BYTES and path.distance.protocol == "tcp":
        size += f" (TCP has {window_text(MAX_WINDOW_BYTES)} at most)"
    whose = " together" if count is None else "" if count == 1 else " each"
    return f"windows of at least {size}{whose}" if whose else f"a window of at least {size}"


def window_notes(path: Path, traffic: Traffic, rate_bps: FloatOrArray) -> Iterator[str]:
    """Yield the window that the upper bound of streams over a distance needs, if none is given."""
    if is_lossy(path) and traffic.connection_count is None:
        yield "loss left out: it limits each connection; give the number of connections"
    if window := missing_window_text(path, traffic, rate_bps):
        yield f"no window given: {rate_text(float(rate_bps))} takes {window}"


def distance_notes(path: Path, load: Load) -> Iterator[str]:
    """Yield caveats of limits over a distance."""
    distance, traffic = path.distance, load.traffic
    if is_lossy(path) and traffic.connection_count is not None:
        if is_rdma(load):
            yield "loss: mean of go-back-N, independent losses; no upper bound"
        else:
            limit = percent_text(MAX_RESPONSE_LOSS_EVENT_RATIO, RESULT_DIGITS)
            high = f"too high above {limit}, no upper bound, not BBR"
            yield f"loss: mean of CUBIC, independent losses, no timeouts: {high}"
    if is_lossy(path) and traffic.waits:
        yield "loss delays some transactions by a timeout: not included; no expected value"
    if any(stage.name == WINDOW_ROUNDS for stage in path.stages):
        yield "messages exceed the window: their extra round trips are the delay window_rounds"
    if distance is None:
        return
    if distance.protocol == "smc-r":
        yield "SMC-R: adapter limits are those of TCP frames"
    elif traffic.waits and path.window_bytes is None and distance.round_trip_s is not None:
        yield "for open connections with windows above the messages: new or idle ones take longer"
