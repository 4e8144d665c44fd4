"""Measurements, data and published statements against what their path allows."""

import importlib
from typing import TYPE_CHECKING, Any

from netmodel.judging._check import check, check_file, require_checkable
from netmodel.judging._check_results import CheckedResults, check_folder, check_results
from netmodel.judging._findings import Audit, Finding, Severity
from netmodel.judging._limits import Limit, LineLimits, NotJudgeableError
from netmodel.judging._line_limits import line_limits
from netmodel.judging._repeats import pooled
from netmodel.judging._run_limits import run_limits
from netmodel.judging._stated_line import StatedHost, StatedLine
from netmodel.judging._tolerance import Tolerance, TolerancePart
from netmodel.judging._verdict import Outcome, Repeats, Verdict

if TYPE_CHECKING:
    from netmodel.judging._audit import audit_dataset, audit_table, flags_csv
    from netmodel.judging._audit_statements import audit_statements
    from netmodel.judging._evidence._agreement import Agreement
    from netmodel.judging._evidence._ledger import Evidence, EvidenceVerdict, evidence
    from netmodel.judging._evidence._left_out import (
        LeftOut,
        held_out_statements,
        leave_one_statement_out,
    )

__all__ = [
    "Agreement",
    "Audit",
    "CheckedResults",
    "Evidence",
    "EvidenceVerdict",
    "Finding",
    "LeftOut",
    "Limit",
    "LineLimits",
    "NotJudgeableError",
    "Outcome",
    "Repeats",
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
    "pooled",
    "require_checkable",
    "run_limits",
]

_NEED_RECORDS = {
    "Agreement": "_evidence._agreement",
    "Evidence": "_evidence._ledger",
    "EvidenceVerdict": "_evidence._ledger",
    "LeftOut": "_evidence._left_out",
    "audit_dataset": "_audit",
    "audit_statements": "_audit_statements",
    "audit_table": "_audit",
    "evidence": "_evidence._ledger",
    "flags_csv": "_audit",
    "held_out_statements": "_evidence._left_out",
    "leave_one_statement_out": "_evidence._left_out",
}
"""What reads records is loaded when it is used, for that takes a tenth of a second."""


def __getattr__(name: str) -> Any:
    if name in _NEED_RECORDS:
        module = importlib.import_module(f"netmodel.judging.{_NEED_RECORDS[name]}")
        return getattr(module, name)
    raise AttributeError(f"module 'netmodel.judging' has no attribute {name!r}")
