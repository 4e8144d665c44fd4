"""A verdict in a sentence."""

from netmodel.judging._causes import what_explains_too_little, what_explains_too_much
from netmodel.judging._limits import LineLimits
from netmodel.judging._verdict import Outcome
from netmodel.readers import Measurement
from netmodel.units import format_rate

__all__ = ["found", "judged_rate_text", "may_be_lost", "reason"]

_DIGITS = 5


def reason(
    outcome: Outcome,
    measured_bps: float,
    measurement: Measurement,
    limits: LineLimits,
) -> str:
    """What was found, and the causes that would explain it."""
    told = found(measured_bps, limits)
    known = (measurement, limits, measured_bps)
    if outcome is Outcome.IMPOSSIBLE:
        return f"{told}: {what_explains_too_much(*known)}"
    if outcome is Outcome.BELOW:
        return f"{told}: {what_explains_too_little(*known)}"
    if outcome is Outcome.NOT_JUDGEABLE:
        return f"{told}, but {_why_not_judgeable(measurement, limits)}"
    return told


def found(measured_bps: float, limits: LineLimits) -> str:
    """A rate beside the smallest limit."""
    ratio = measured_bps / limits.binding.value_bps
    ceiling = f"{judged_rate_text(limits.binding.value_bps, limits)}{_range(limits)}"
    measured = judged_rate_text(measured_bps, limits)
    return f"{measured} is {ratio:.4f} of the {ceiling} that {_carrier(limits)} allows"


def judged_rate_text(rate_bps: float, limits: LineLimits) -> str:
    """A rate in the unit of what is judged: bits, or frames per second."""
    if limits.frame_bits is None:
        return format_rate(rate_bps, _DIGITS)
    return f"{rate_bps / limits.frame_bits:,.0f} frames/s"


def _range(limits: LineLimits) -> str:
    """What is left open of the ceiling, where anything is."""
    low_bps, high_bps = limits.bounds_bps
    if low_bps == high_bps:
        return ""
    return f" ({judged_rate_text(low_bps, limits)} to {judged_rate_text(high_bps, limits)})"


def _carrier(limits: LineLimits) -> str:
    at_size = (
        f"at MTU {limits.mtu_bytes}"
        if limits.frame_wire_bytes is None
        else f"with frames of {limits.frame_wire_bytes:.6g} byte on it"
    )
    binding = limits.binding
    if binding.name == "wire":
        return f"the wire {at_size}"
    return binding.carrier or f"the {binding.name} of the path {at_size}"


def may_be_lost(measurement: Measurement, limits: LineLimits) -> bool:
    """Whether what was counted where it was sent need not have arrived."""
    return measurement.is_counted_at_sender and limits.transport == "udp"


def _why_not_judgeable(measurement: Measurement, limits: LineLimits) -> str:
    if measurement.is_loopback:
        return "the connection stayed on a loopback interface"
    if may_be_lost(measurement, limits):
        return "datagrams were counted where they were sent, not where they arrived"
    return "its tolerance is wider than that: too short to tell, or with too much scatter"
