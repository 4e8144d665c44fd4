"""A verdict as lines of text."""

from collections.abc import Sequence

from netmodel.judging import Verdict
from netmodel.report import LimitRow, verdict_row

__all__ = ["verdict_lines"]

_INDENT = " " * 23


def verdict_lines(verdict: Verdict) -> list[str]:
    """A line with the verdict of a run, and indented lines with what else is known of it."""
    row = verdict_row(verdict)
    told = (row.repeats_text, _limits_text(row.limits), row.tolerance_text, *row.cpu_texts)
    return [
        f"{row.word:13} {row.ratio_text:6}  {row.name}: {row.reason}",
        *(f"{_INDENT}{text}" for text in told if text),
        *(f"{_INDENT}warning: {warning}" for warning in row.warnings),
    ]


def _limits_text(limits: Sequence[LimitRow]) -> str:
    """All limits by their size, where there are several."""
    if len(limits) < 2:
        return ""
    ordered = sorted(limits, key=lambda limit: limit.value)
    return f"limits: {', '.join(f'{limit.name} {limit.value_text}' for limit in ordered)}"
