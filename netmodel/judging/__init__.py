"""Measurements and data against what their path allows."""

from netmodel._packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.judging._check import check as check
    from netmodel.judging._check import check_directory as check_directory
    from netmodel.judging._check import check_file as check_file
    from netmodel.judging._limits import SpecifiedHost as SpecifiedHost
    from netmodel.judging._limits import SpecifiedLine as SpecifiedLine
    from netmodel.judging._repeats import pooled as pooled
    from netmodel.judging._stream_windows import StreamWindows as StreamWindows
    from netmodel.judging._stream_windows import stream_windows as stream_windows
    from netmodel.judging._tolerance import Gate as Gate
    from netmodel.judging._verdict import Outcome as Outcome
    from netmodel.judging._verdict import Verdict as Verdict
