"""What a demand needs of windows over a distance."""

import math
from collections.abc import Iterator, Sequence

from netmodel.numeric import require_one
from netmodel.path import Prediction
from netmodel.path._uncertain import quoted_of
from netmodel.path.distance import UNCOUNTED_LOSS, is_lossy, missing_window_text
from netmodel.planning._flows import Flow
from netmodel.text import SENTENCE_DIGITS
from netmodel.transport import required_window_bytes
from netmodel.units import format_rate
from netmodel.units.formatting import window_text
from netmodel.units.prefixes import KIBI


def larger_window(flow: Flow, prediction: Prediction) -> str:
    """What window, or how many connections, a flow needs; empty where that is not known."""
    trip_s, count, window = _round_trip_s(prediction), flow.connection_count, prediction.path
    if not trip_s or count is None or window.window_bytes is None:
        return ""
    needed_bytes = float(required_window_bytes(flow.payload_rate_bps, trip_s))
    window_bytes = float(quoted_of(window.window_bytes))
    size = _kibibytes(needed_bytes / count)
    return f"; use a window of {size}, or {math.ceil(needed_bytes / window_bytes):,} connections"


def in_flight_notes(flows: Sequence[Flow], predictions: Sequence[Prediction]) -> Iterator[str]:
    """What the windows of streams have to hold, where they or the connections are not given."""
    for flow, prediction in zip(flows, predictions, strict=True):
        trip_s, path = _round_trip_s(prediction), prediction.path
        if is_lossy(path) and flow.connection_count is None:
            yield UNCOUNTED_LOSS
        is_limit = path.window_bytes is not None and flow.connection_count is not None
        if not trip_s or flow.traffic.waits or is_limit:
            continue
        window = missing_window_text(path, prediction.traffic, flow.payload_rate_bps)
        if window:
            rate = format_rate(flow.payload_rate_bps, SENTENCE_DIGITS)
            yield f"no window given: {rate} of {flow.name} takes {window}"
            continue
        size = _kibibytes(float(required_window_bytes(flow.payload_rate_bps, trip_s)))
        yield f"connections not given: windows of {flow.name} must hold {size} together"


def _kibibytes(size_bytes: float) -> str:
    """A size that is enough, in whole KiB as windows are set."""
    return window_text(KIBI * math.ceil(size_bytes / KIBI))


def _round_trip_s(prediction: Prediction) -> float:
    """The round trip over the distance that was given; 0 without one. [s]"""
    between = prediction.path.distance
    trip_s = None if between is None else between.round_trip_s
    return 0.0 if trip_s is None else require_one("round_trip_s", trip_s)
