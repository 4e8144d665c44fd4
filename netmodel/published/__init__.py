"""Published figures, looked up: what documents print of a case, and of one case against another."""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.published._answers import USUAL_CASE as USUAL_CASE
    from netmodel.published._answers import Answer as Answer
    from netmodel.published._answers import answer as answer
    from netmodel.published._answers import comparison as comparison
    from netmodel.published._of_path import predicted as predicted
    from netmodel.published._rows import Row as Row
    from netmodel.published._rows import change_of as change_of
    from netmodel.published._rows import listing as listing
    from netmodel.published._rows import words_of as words_of
