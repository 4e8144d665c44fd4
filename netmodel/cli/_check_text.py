"""A verdict as lines of text."""

from netmodel.consumption import CpuScope
from netmodel.judging import Verdict
from netmodel.readers import CpuUse

__all__ = ["verdict_lines"]

_SCOPES = {CpuScope.PROCESS: "process only", CpuScope.SYSTEM: "whole system"}


def verdict_lines(verdict: Verdict) -> list[str]:
    """A line with the verdict of a run, and indented lines with what else is known of it."""
    outcome = verdict.outcome.value if verdict.outcome else "unreadable"
    ratio = "" if verdict.ratio is None else f"{verdict.ratio:.4f}"
    run = verdict.measurement
    direction = f" ({run.direction.value})" if run and run.direction else ""
    return [
        f"{outcome:13} {ratio:6}  {verdict.file}{direction}: {verdict.reason}",
        *(f"{'':23}{_cpu_text(use)}" for use in (run.cpu if run else ())),
        *(f"{'':23}warning: {warning}" for warning in verdict.warnings),
    ]


def _cpu_text(use: CpuUse) -> str:
    consumption = use.consumption
    cost = f", {consumption.us_per_gbit:.0f} µs/Gbit" if consumption else ""
    scope = _SCOPES.get(use.scope, use.scope.value)
    return f"{use.side.value}: {use.busy_cpu_count:.3f} CPUs busy ({scope}){cost}"
