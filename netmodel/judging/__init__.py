"""Measurements, data and published statements against what their path allows."""

from typing import TYPE_CHECKING

from netmodel._lazy import loaded_when_used

if TYPE_CHECKING:
    from netmodel.judging._audit import audit_dataset, audit_table, flags_csv
    from netmodel.judging._audit_statements import audit_statements
    from netmodel.judging._check import check, check_file, require_checkable
    from netmodel.judging._check_results import CheckedResults, check_folder, check_results
    from netmodel.judging._evidence._amounts import Agreement
    from netmodel.judging._evidence._ledger import Evidence, EvidenceVerdict, evidence
    from netmodel.judging._evidence._left_out import (
        held_out_statements,
        leave_one_statement_out,
    )
    from netmodel.judging._findings import Audit, Finding, Severity
    from netmodel.judging._limits import Limit, NotJudgeableError, RunLimits
    from netmodel.judging._line_limits import line_limits
    from netmodel.judging._measured import MeasuredFigure, measured_beside
    from netmodel.judging._repeats import pooled
    from netmodel.judging._run_limits import run_limits
    from netmodel.judging._stated_line import StatedHost, StatedLine
    from netmodel.judging._tolerance import Gate, Tolerance, TolerancePart
    from netmodel.judging._verdict import Outcome, Repeats, Verdict

__all__ = [
    "Agreement",
    "Audit",
    "CheckedResults",
    "Evidence",
    "EvidenceVerdict",
    "Finding",
    "Gate",
    "Limit",
    "MeasuredFigure",
    "NotJudgeableError",
    "Outcome",
    "Repeats",
    "RunLimits",
    "Severity",
    "StatedHost",
    "StatedLine",
    "Tolerance",
    "TolerancePart",
    "Verdict",
    "audit_dataset",
    "audit_statements",
    "audit_table",
    "check",
    "check_file",
    "check_folder",
    "check_results",
    "evidence",
    "flags_csv",
    "held_out_statements",
    "leave_one_statement_out",
    "line_limits",
    "measured_beside",
    "pooled",
    "require_checkable",
    "run_limits",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_check": (
            "check",
            "check_file",
            "require_checkable",
        ),
        "_check_results": (
            "CheckedResults",
            "check_folder",
            "check_results",
        ),
        "_limits": (
            "Limit",
            "NotJudgeableError",
            "RunLimits",
        ),
        "_line_limits": ("line_limits",),
        "_run_limits": ("run_limits",),
        "_stated_line": (
            "StatedHost",
            "StatedLine",
        ),
        "_tolerance": (
            "Gate",
            "Tolerance",
            "TolerancePart",
        ),
        "_verdict": (
            "Outcome",
            "Repeats",
            "Verdict",
        ),
        "_audit": (
            "audit_dataset",
            "audit_table",
            "flags_csv",
        ),
        "_audit_statements": ("audit_statements",),
        "_evidence._amounts": ("Agreement",),
        "_evidence._ledger": (
            "Evidence",
            "EvidenceVerdict",
            "evidence",
        ),
        "_evidence._left_out": (
            "held_out_statements",
            "leave_one_statement_out",
        ),
        "_findings": (
            "Audit",
            "Finding",
            "Severity",
        ),
        "_measured": (
            "MeasuredFigure",
            "measured_beside",
        ),
        "_repeats": ("pooled",),
    },
)
