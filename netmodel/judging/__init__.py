"""Measurements, data and published statements against what their path allows."""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.judging._audit import audit_dataset, audit_table
    from netmodel.judging._audit_statements import audit_statements
    from netmodel.judging._bands_left_out import leave_one_out_of_bands
    from netmodel.judging._check import check, check_directory, check_file
    from netmodel.judging._evidence._ledger import evidence
    from netmodel.judging._evidence._left_out import (
        held_out_statements,
        leave_one_statement_out,
        protocols_left_out,
        steering_left_out,
    )
    from netmodel.judging._limits import SpecifiedHost, SpecifiedLine
    from netmodel.judging._measured import measured_beside
    from netmodel.judging._protocol_verdicts import StreamWindows, stream_windows
    from netmodel.judging._repeats import pooled
    from netmodel.judging._statement_bounds import with_statements
    from netmodel.judging._tolerance import Gate
    from netmodel.judging._verdict import Outcome, Verdict

__all__ = [
    "Gate",
    "Outcome",
    "SpecifiedHost",
    "SpecifiedLine",
    "StreamWindows",
    "Verdict",
    "audit_dataset",
    "audit_statements",
    "audit_table",
    "check",
    "check_directory",
    "check_file",
    "evidence",
    "held_out_statements",
    "leave_one_out_of_bands",
    "leave_one_statement_out",
    "measured_beside",
    "pooled",
    "protocols_left_out",
    "steering_left_out",
    "stream_windows",
    "with_statements",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_audit": ("audit_dataset", "audit_table"),
        "_audit_statements": ("audit_statements",),
        "_bands_left_out": ("leave_one_out_of_bands",),
        "_check": ("check", "check_file", "check_directory"),
        "_evidence._ledger": ("evidence",),
        "_evidence._left_out": (
            "held_out_statements",
            "leave_one_statement_out",
            "protocols_left_out",
            "steering_left_out",
        ),
        "_limits": ("SpecifiedHost", "SpecifiedLine"),
        "_measured": ("measured_beside",),
        "_protocol_verdicts": ("StreamWindows", "stream_windows"),
        "_repeats": ("pooled",),
        "_statement_bounds": ("with_statements",),
        "_tolerance": ("Gate",),
        "_verdict": ("Outcome", "Verdict"),
    },
)
"""Each is loaded when it is used: planning needs the measured figures and no verdicts."""
