"""Why nothing is computed for a published statement: what it is, or what is missing."""

from netmodel.judging._evidence._book import Book
from netmodel.judging._evidence._facts import fact
from netmodel.judging._evidence._missing import missing_for_comparison
from netmodel.records import Configuration, Grade, Relation, Statement

__all__ = ["FALLBACK", "why_not_modelled"]

FALLBACK = "no rule computes a claim of this kind"
"""For statements of other documents than those that netmodel comes with."""

_FREE = frozenset({"connection_counts", "side", "load", "setting", "version", "distance_km"})


def why_not_modelled(told: Statement, book: Book) -> str:
    """What is missing to compute a statement, or why there is nothing to compute."""
    if told.grade is Grade.DERIVED:
        return (
            "the figure is our own count of what is printed, no claim of the document that could "
            "be held against anything"
        )
    why = missing_for_comparison(told, book) if told.change else fact(told)
    figures = ", ".join(_in_figures(told, book))
    if why is None:
        return FALLBACK
    return f"words, whose figures are in {figures}; {why}" if figures else why


def _in_figures(told: Statement, book: Book) -> list[str]:
    """Statements that print in figures what this one says in words."""
    if told.relation is not Relation.SIGN or told.change is None:
        return []
    return [
        other.id
        for other in book.others(told, quantity=told.quantity, change=told.change)
        if other.has_figure and _is_of(other, told)
    ]


def _is_of(other: Statement, told: Statement) -> bool:
    """Whether a statement is about a case of what another one is about."""
    for mine, theirs in ((told.subject, other.subject), (told.baseline, other.baseline)):
        if mine is not None and theirs is not None and not _covers(mine, theirs):
            return False
    counts = set(told.subject.connection_counts)
    same_place = told.subject.distance_km in (None, other.subject.distance_km)
    return same_place and (not counts or set(other.subject.connection_counts) <= counts)


def _covers(mine: Configuration, theirs: Configuration) -> bool:
    told = mine.model_dump(exclude_defaults=True, exclude=set(_FREE))
    found = theirs.model_dump(exclude_defaults=True)
    return bool(told) and all(found.get(name) == value for name, value in told.items())
