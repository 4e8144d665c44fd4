"""Sentences and cells on distances: what limits streams between two sites."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from netmodel.path import Prediction, predict_path
from netmodel.path.ensemble import Parameter, quoted_of
from netmodel.path.over_distance import missing_window_text
from netmodel.path.stages import LINE_STAGES, Distance
from netmodel.predicted_text import rate_text
from netmodel.text import percent_text
from netmodel.units import format_time
from netmodel.units.formatting import window_text

_DIGITS = 4
"""Of distances, times and shares in tables."""


SWEPT: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "distance_km": ("distance", lambda km: f"{km:.{_DIGITS}g} km"),
    "round_trip_s": ("round trip", lambda s: format_time(s, _DIGITS)),
    "window_bytes": ("window", window_text),
    "loss_ratio": ("loss", lambda p: percent_text(p, _DIGITS)),
}
"""Title and text of parts of a distance, by their names in `netmodel.path.stages.Distance`."""


def swept_parts(distances: list[Distance | None]) -> list[str]:
    """Parts in which distances differ; a round trip that follows from the distance is none."""
    known = [each for each in distances if each is not None]
    parts = [name for name in SWEPT if len({getattr(each, name) for each in known}) > 1]
    return [name for name in parts if name != "round_trip_s" or "distance_km" not in parts]


def place_text(distance: Distance, swept: Sequence[str]) -> str:
    """Return a case of several: the distance, with other parts that differ."""
    others = [name for name in swept if name not in ("distance_km", "round_trip_s")]
    known = ((SWEPT[name], getattr(distance, name)) for name in others)
    return ", ".join([str(distance), *(f"{title} {text(value)}" for (title, text), value in known)])


def limited_text(prediction: Prediction) -> str:
    """
    Return which limit holds streams over a distance to which rate, and the rate without it.

    Parameters
    ----------
    prediction : Prediction
        Of streams, with a distance and a number of connections.

    Returns
    -------
    text : str
        Part of a sentence, such as "one stream is limited by its window of 256 KiB to at most
        6.1174 Gbit/s; the line would carry 23.537 Gbit/s", or "no window given: one stream
        carries at most 9.4118 Gbit/s, limited by the line, with a window of at least 1,126 KiB".
    """
    rates = {name: float(rate.value) for name, rate in prediction.limit_rates_bps.items()}
    count = prediction.traffic.connection_count
    is_one = count == 1
    who = "one stream" if is_one else f"{count:,.12g} streams" if count else "streams"

    def named(name: str) -> str:
        if name == "window":
            size = window_text(_quoted(prediction.path.window_bytes))
            return f"its window of {size}" if is_one else f"their windows of {size} each"
        if name == "loss":
            return f"a loss of {SWEPT['loss_ratio'][1](_quoted(prediction.path.loss_ratio))}"
        return "the line" if name in LINE_STAGES else name

    of_one: dict[str, float] = {}
    if not count:
        case = replace(prediction.traffic, connection_count=1), prediction.mtu_bytes
        alone = predict_path(prediction.path, *case, prediction.load.stack).limit_rates_bps
        of_one = {x: float(alone[x].value) for x in ("window", "loss") if x in alone}
    if of_one and min(of_one.values()) < math.inf:
        most = rate_text(rates[str(prediction.binding)])
        least = min(of_one, key=lambda name: float(of_one[name]))
        verb = "allows each stream about" if least == "loss" else "allow each stream at most"
        what = f"{named(least).removesuffix(' each')} {verb} {rate_text(float(of_one[least]))}"
        return f"{what}; all together carry at most {most}"
    binding = prediction.ties or (str(prediction.binding),)
    bound_bps = float(prediction.throughput_bps.value)
    most = f"{prediction.throughput_bps.bound.words} {rate_text(bound_bps)}"
    by = f"limited by {' and '.join(map(named, binding))}"
    window = missing_window_text(prediction.path, prediction.traffic, bound_bps)
    if window:
        verb = "carries" if is_one else "carry"
        text = f"no window given: {who} {verb} {most}, {by}, with {window}"
    else:
        text = f"{who} {'is' if is_one else 'are'} {by} to {most}"
    of_distance = {"window", "loss"}
    others = {name: x for name, x in rates.items() if name not in binding and math.isfinite(x)}
    is_far = bool(of_distance.intersection(binding))
    unlike = {name: rate for name, rate in others.items() if (name in of_distance) is not is_far}
    if others := unlike or (others if is_far else {}):
        name = min(others, key=others.__getitem__)
        verb = "allow about" if name == "loss" else "carry"
        text += f"; {named(name)} would {verb} {rate_text(others[name])}"
    return text


def _quoted(parameter: "Parameter | None") -> float:
    assert parameter is not None
    return float(quoted_of(parameter))
