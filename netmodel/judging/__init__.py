"""Measurements against what their path allows."""

from netmodel.judging._check import (
    DEFAULT_MAX_RATIO,
    DEFAULT_MIN_RATIO,
    Outcome,
    Verdict,
    check,
    check_file,
)
from netmodel.judging._limits import Limit, LineLimits, NotJudgeableError, StatedLine, line_limits

__all__ = [
    "DEFAULT_MAX_RATIO",
    "DEFAULT_MIN_RATIO",
    "Limit",
    "LineLimits",
    "NotJudgeableError",
    "Outcome",
    "StatedLine",
    "Verdict",
    "check",
    "check_file",
    "line_limits",
]
