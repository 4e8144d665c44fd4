"""Measurements and data against what their path allows."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.checking._check import check as check
    from netmodel.checking._check import check_results as check_results
    from netmodel.checking._check import pooled as pooled
    from netmodel.checking.limits import SpecifiedLine as SpecifiedLine
    from netmodel.checking.tolerance import Gate as Gate
    from netmodel.checking.verdict import Outcome as Outcome
    from netmodel.checking.verdict import Verdict as Verdict
    from netmodel.checking.verdict import Verdicts as Verdicts
