"""The line of ``netmodel calibrate``: from the record of an adapter, or what one would change."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from netmodel.cli._calibrate_models import Stated, chosen_model
from netmodel.errors import NetmodelError
from netmodel.report import number_text
from netmodel.units import format_rate, format_time

if TYPE_CHECKING:
    from netmodel.calibration import Observed
    from netmodel.calibration._calibrate import Calibration

__all__ = ["line_hints", "recorded_line"]

_LINE_RATES_BPS = (1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9)
"""MAC rates of IEEE 802.3 from 1 Gbit/s to 400 Gbit/s."""
_NEAR_LINE_RATIO = 0.02
"""Streams over a full line lose up to about this much to start-up and lost frames."""
_MOST_OVER_RATIO = 0.005
"""The tolerance of line_speed_as_censored: above, no line of this rate carries it."""
_LEAST_CHANGE_RATIO = 0.01
_THROUGHPUT = "throughput_bps"
_OF_THROUGHPUT = ("adapter", "scalability", "saturation", "power")
_DIGITS = 4


def recorded_line(
    names: Sequence[str], model_name: str, observed: "Sequence[Observed]"
) -> tuple[float | None, tuple[str, ...]]:
    """Line rate of the one adapter in the catalogue that observations are of, and a note on it."""
    from netmodel.calibration import line_cap
    from netmodel.records import adapter, catalog

    seen = [one for one in observed if one.quantity == _THROUGHPUT]
    if model_name not in _OF_THROUGHPUT or not seen:
        return None, ()
    adapters = {one.at.get("adapter") for one in seen}
    of = names[0] if len(names) == 1 and names[0] in catalog()["adapters"] else next(iter(adapters))
    if of not in catalog()["adapters"] or not (names == (of,) or adapters == {of}):
        return None, ()
    rate_bps = adapter(str(of)).line_rate_bps
    try:
        for one in seen:
            line_cap(rate_bps)(one.at)
    except NetmodelError:
        return None, ()
    note = (
        f"line rate {format_rate(rate_bps)}, from the record of {of}: figures at the line are "
        "lower bounds; --line-rate replaces it"
    )
    return rate_bps, (note,)


def line_hints(
    model_name: str, found: "Calibration", stated: Stated, noise_ratio: float | None
) -> Iterator[str]:
    """What a line would change that the fastest run comes near; nothing where none does."""
    from netmodel.calibration import calibrate, line_cap, line_speed_as_censored

    figures = [one for one in found.observed if one.quantity == _THROUGHPUT and one.figure]
    if model_name not in _OF_THROUGHPUT or not figures:
        return
    for rate_bps in _LINE_RATES_BPS:
        cap = line_cap(rate_bps)
        try:
            parts = {one.name: (one.figure or 0.0) / cap(one.at) for one in figures}
        except NetmodelError:
            return
        fastest = max(parts, key=lambda name: parts[name])
        if not 1 - _NEAR_LINE_RATIO <= parts[fastest] <= 1 + _MOST_OVER_RATIO:
            continue
        line = format_rate(rate_bps).replace(" ", "")
        hint = (
            f"no line rate is given, and {fastest} is {100 * parts[fastest]:.3g} % of what a line "
            f"of {format_rate(rate_bps)} carries: --line-rate {line} would count figures at the "
            "line as lower bounds"
        )
        try:
            capped = Stated(rate_bps, stated.free, stated.fixed)
            seen = line_speed_as_censored(found.observed, cap).observed
            other = calibrate(seen, chosen_model(model_name, seen, capped), noise_ratio)
        except NetmodelError:
            yield hint
            return
        changes = list(_changes(found, other))
        yield f"{hint}, and make {'; '.join(changes)}" if changes else hint
        return


def _changes(found: "Calibration", other: "Calibration") -> Iterator[str]:
    """Parameters whose value or range the line changes."""
    units = {one.name: one.unit for one in found.model.parameters}
    for name, here in found.parameters.items():
        there = other.parameters[name]
        pairs = [(here.value, there.value), (here.low, there.low), (here.high, there.high)]
        if any(_differ(*pair) for pair in pairs):
            yield f"{name} {_text(there, units[name])} instead of {_text(here, units[name])}"


def _differ(first: float | None, second: float | None) -> bool:
    if first is None or second is None:
        return first is not second
    return first != second and not abs(first - second) <= _LEAST_CHANGE_RATIO * abs(first)


def _text(estimate: "tuple[float | None, float, float]", unit: str) -> str:
    value, low, high = estimate
    if value is not None:
        return _number(value, unit)
    return f"{_number(low, unit)} to {_number(high, unit)}"


def _number(value: float, unit: str) -> str:
    if value == float("inf"):
        return "any"
    return format_time(value, _DIGITS) if unit == "s" else f"{number_text(value)} {unit}".rstrip()
