"""Published figures, looked up: what documents print of a case, and of one case against another."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.published._answers import Answer as Answer
    from netmodel.published._answers import answer as answer
    from netmodel.published._answers import comparison as comparison
    from netmodel.published._of_path import predicted as predicted
    from netmodel.published.rows import Row as Row
    from netmodel.published.rows import listing as listing
