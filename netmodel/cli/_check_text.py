"""A verdict as lines of text."""

from collections.abc import Iterator

from netmodel.consumption import CpuScope
from netmodel.judging import Verdict
from netmodel.readers import CpuUse
from netmodel.units import format_rate

__all__ = ["verdict_lines"]

_INDENT = " " * 23
_DIGITS = 5
_SCOPES = {CpuScope.PROCESS: "process only", CpuScope.SYSTEM: "whole system"}


def verdict_lines(verdict: Verdict) -> list[str]:
    """A line with the verdict of a run, and indented lines with what else is known of it."""
    outcome = verdict.outcome.value if verdict.outcome else "unreadable"
    ratio = "" if verdict.ratio is None else f"{verdict.ratio:.4f}"
    run = verdict.measurement
    direction = f" ({run.direction.value})" if run and run.direction else ""
    return [
        f"{outcome:13} {ratio:6}  {verdict.file}{direction}: {verdict.reason}",
        *(f"{_INDENT}{text}" for text in (*_limits_text(verdict), *_tolerance_text(verdict))),
        *(f"{_INDENT}{_cpu_text(use)}" for use in (run.cpu if run else ())),
        *(f"{_INDENT}warning: {warning}" for warning in verdict.warnings),
    ]


def _limits_text(verdict: Verdict) -> Iterator[str]:
    """All limits by their size, where there are several."""
    limits = verdict.line_limits.limits if verdict.line_limits else ()
    if len(limits) > 1:
        ordered = sorted(limits, key=lambda limit: limit.value_bps)
        told = (f"{limit.name} {_rate_text(limit.value_bps, verdict)}" for limit in ordered)
        yield f"limits: {', '.join(told)}"


def _rate_text(rate_bps: float, verdict: Verdict) -> str:
    if verdict.frame_bits is None:
        return format_rate(rate_bps, _DIGITS)
    return f"{rate_bps / verdict.frame_bits:,.0f} frames/s"


def _tolerance_text(verdict: Verdict) -> Iterator[str]:
    """What is allowed below the ceiling and above it, and what most of it is."""
    allowed = verdict.tolerance
    if allowed is None:
        return
    below, above = 1 - allowed.min_ratio, allowed.max_ratio - 1
    names = ", ".join(part.name for part in allowed.parts) or "as stated"
    yield f"tolerance: -{100 * below:.3g} % to +{100 * above:.3g} % ({names})"


def _cpu_text(use: CpuUse) -> str:
    consumption = use.consumption
    cost = f", {consumption.us_per_gbit:.0f} µs/Gbit" if consumption else ""
    scope = _SCOPES.get(use.scope, use.scope.value)
    return f"{use.side.value}: {use.busy_cpu_count:.3f} CPUs busy ({scope}){cost}"
