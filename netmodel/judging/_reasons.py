"""A verdict in a sentence."""

from netmodel.judging._causes import what_explains_too_little, what_explains_too_much, what_was_lost
from netmodel.judging._limits import Limit, RunLimits
from netmodel.judging._tolerance import FLOOR_RATIO, ROUNDING, Tolerance
from netmodel.judging._verdict import Outcome
from netmodel.readers import Measurement
from netmodel.units import format_rate

__all__ = ["judged_rate_text", "may_be_lost", "reason"]

_DIGITS = 5
"""Of rates in sentences: a fifth digit is below every tolerance."""


def reason(
    outcome: Outcome,
    measured_bps: float,
    measurement: Measurement,
    limits: RunLimits,
    allowed: Tolerance,
    explained_by: Limit | None = None,
) -> str:
    """What was measured beside the smallest specified limit, and what explains it."""
    beside = _beside_the_limit(outcome, measured_bps, limits, allowed)
    known = (measurement, limits, measured_bps)
    if outcome is Outcome.IMPOSSIBLE:
        return f"{beside}: {what_explains_too_much(*known)}"
    if outcome is Outcome.BELOW:
        return f"{beside}: {what_explains_too_little(*known)}"
    if explained_by is not None:
        explained = _explained(explained_by, measured_bps, limits, allowed)
        return "; ".join((f"{beside}; {explained}", *what_was_lost(*known)))
    if outcome is Outcome.NOT_JUDGEABLE:
        return f"{beside}: {_why_not_judgeable(measured_bps, measurement, limits, allowed)}"
    return beside


def judged_rate_text(rate_bps: float, limits: RunLimits) -> str:
    """A rate in the unit of what is judged: bits, or frames per second."""
    if limits.frame_bits is None:
        return format_rate(rate_bps, _DIGITS)
    return f"{rate_bps / limits.frame_bits:,.0f} frames/s"


def may_be_lost(measurement: Measurement, limits: RunLimits) -> bool:
    """Whether what was counted where it was sent need not have arrived."""
    return measurement.is_counted_at_sender and limits.transport == "udp"


def _beside_the_limit(
    outcome: Outcome, measured_bps: float, limits: RunLimits, allowed: Tolerance
) -> str:
    """A rate beside the smallest specified limit; beside an end of it where it is a wide range."""
    measured = judged_rate_text(measured_bps, limits)
    low_bps, high_bps = limits.bounds_bps
    if not allowed.separates(low_bps, high_bps):
        value_bps = limits.smallest.value_bps
        ceiling = judged_rate_text(value_bps, limits)
        if low_bps < high_bps:
            ceiling += f" ({_range_text(low_bps, high_bps, limits)})"
        return f"{measured} is {measured_bps / value_bps:.4f} of the {ceiling} {_carried(limits)}"
    between = f"{_range_text(low_bps, high_bps, limits)} {_carried(limits)}"
    if outcome in (Outcome.BELOW, Outcome.LIMITED):
        ratio = f"{measured_bps / low_bps:.4f} of the lower end of"
    elif outcome is Outcome.NOT_JUDGEABLE:
        return f"{measured} may or may not reach the {between}"
    else:
        ratio = f"{measured_bps / high_bps:.4f} of the upper end of"
    return f"{measured} is {ratio} the {between}"


def _range_text(low_bps: float, high_bps: float, limits: RunLimits) -> str:
    return f"{judged_rate_text(low_bps, limits)} to {judged_rate_text(high_bps, limits)}"


def _carried(limits: RunLimits) -> str:
    smallest = limits.smallest
    if limits.bounds_bps[0] < smallest.bounds_bps[0]:
        return "that the specified limits allow together"
    if limits.frame_wire_bytes is not None:
        at_size = f" with frames of {limits.frame_wire_bytes:.6g} byte on it"
    elif limits.mtu_bytes is not None:
        at_size = f" at MTU {limits.mtu_bytes}"
    else:
        at_size = ""
    if smallest.name == "wire":
        return f"that the wire carries{at_size}"
    carrier = smallest.carrier or f"the {smallest.name} of the path{at_size}"
    return f"that {carrier} allows"


def _explained(
    explained_by: Limit, measured_bps: float, limits: RunLimits, allowed: Tolerance
) -> str:
    """What limited the run, with the rate that it allows."""
    low_bps, high_bps = explained_by.bounds_bps
    if explained_by.name == "segment_size":
        rate = f" ({measured_bps / explained_by.value_bps:.4f} of it)"
    else:
        is_wide = allowed.separates(low_bps, high_bps)
        value = judged_rate_text(explained_by.value_bps, limits)
        rate = f" ({_range_text(low_bps, high_bps, limits) if is_wide else value})"
    nothing = "a line at this MTU" if explained_by.name == "segment_size" else "the line"
    return (
        f"the run was limited by {explained_by.carrier}{rate}, so it says nothing about {nothing}"
    )


def _why_not_judgeable(
    measured_bps: float, measurement: Measurement, limits: RunLimits, allowed: Tolerance
) -> str:
    if measurement.is_loopback:
        return "the connection stayed on a loopback interface"
    if may_be_lost(measurement, limits):
        return "datagrams were counted where they were sent, not where they arrived"
    low_bps, high_bps = limits.bounds_bps
    segment_size = next((one for one in limits.reported if one.name == "segment_size"), None)
    if segment_size is not None and measured_bps > allowed.max_ratio * segment_size.value_bps:
        most = judged_rate_text(segment_size.value_bps, limits)
        return f"{segment_size.carrier} carries at most {most}: line rate or segment size is wrong"
    if measured_bps < allowed.min_ratio * low_bps:
        return "that is a lower bound of what arrived, so the run may have reached the limit"
    if limits.unknown and allowed.separates(low_bps, high_bps):
        return f"specify {'; '.join(limits.unknown)}"
    if measured_bps < allowed.min_ratio * high_bps:
        return "that limit is not known any closer"
    if limits.exceeds_mtu:
        own_bytes = measurement.segment_bytes
        what = "packets" if own_bytes is None else f"segments of {own_bytes} byte"
        return (
            f"the run reports {what}, more than that MTU carries with these headers: specify the "
            "MTU or the headers of the line (--mtu, --no-timestamps)"
        )
    if any(part.name == ROUNDING and part.above_ratio > FLOOR_RATIO for part in allowed.parts):
        return "a figure of so few digits may lie on either side: give it with three or more"
    return (
        "the run is too short to tell, or its repeats scatter too much: measure 30 s or more, the "
        "first seconds left out, or more repeats"
    )
