"""What a document prints of a statement elsewhere: its figure again, or figures for its words."""

from collections.abc import Sequence
from dataclasses import replace

from netmodel.errors import ParseError, UnitError, UnknownRecordError
from netmodel.judging._evidence._amounts import Amount, Computed, in_words_of
from netmodel.judging._evidence._interpreter import printed_amount
from netmodel.judging._evidence._predictions import NotComputable, Sources
from netmodel.records import Relation, Statement, statement, statements
from netmodel.records import _rules as rules
from netmodel.records._statements import statement_file

_OF_A_CASE = frozenset({"connection_counts", "side", "load", "setting", "version", "distance_km"})
"""Parts of a subject in which a figure may be more specific than the words that sum it up."""
_NAMED_COUNT = 3
"""Of the statements that print a figure again, as many are named as fit a line or two."""


def printed_again(about: Statement, sources: Sources) -> Computed | None:
    """What the document prints of it elsewhere, in a unit that can be compared."""
    others = _figures_of(about) or _earlier_of(about)
    try:
        return _printed_by(about, others, sources) if others else None
    except NotComputable:
        return None


def _figures_of(about: Statement) -> list[Statement]:
    """Statements of the document that print in figures what this one says in words."""
    is_in_words = about.relation is Relation.SIGN and about.change is not None
    if not is_in_words or about.loose is not None:  # "may" allows figures of either sign
        return []
    return [
        other
        for other in statements(about.source)
        if other.quantity is about.quantity
        and other.change is not None
        and other.has_figure
        and other.id != about.id
        and _is_case_of(other, about)
    ]


def _earlier_of(about: Statement) -> list[Statement]:
    """
    Statements of the document that it prints again; none for the first of those that name it too.

    What is printed first is given, and what repeats it can be compared.
    """
    try:
        repeated = [statement(name) for name in about.repeats]
    except UnknownRecordError as error:
        place = f"statements ({about.id}).repeats"
        raise ParseError(statement_file(about.id), f"{place}: {error}") from None
    others = [
        other
        for other in repeated
        if (other.source, other.quantity) == (about.source, about.quantity)
        and other.has_figure
        # one figure of both sides is no repetition
        and len({other.subject.side, about.subject.side} - {None}) <= 1
    ]
    if not others:
        return []
    order = [each.id for each in statements(about.source)]
    is_first = all(
        about.id in other.repeats and order.index(about.id) < order.index(other.id)
        for other in others
    )
    return [] if is_first else others


def _printed_by(about: Statement, others: Sequence[Statement], sources: Sources) -> Computed:
    """
    What other statements of a document print for a statement, all of which it has to allow.

    The same figure at another place allows an interval, which rounding and words leave; words
    have to allow the figures of all their cases, as printed.

    Raises
    ------
    NotComputable
        If they print it in units that cannot be compared.
    """
    is_figure = about.has_figure
    amounts: list[Amount] = []
    shown: list[float] = []
    for other in others:
        # 32K and 32 KB are one figure, whatever the letter means
        mine, theirs = str(about.unit), str(other.unit)
        is_letter = mine != theirs and (theirs.startswith(mine) or mine.startswith(theirs))
        figure = rules.Figure(
            rule="figure",
            statement=other.id,
            reading="interval" if is_figure else "printed",
            unit=mine if is_letter else None,
        )
        try:
            amount = printed_amount(about, other, figure, sources)
            in_words_of(about, amount)
        except (ParseError, UnitError) as error:
            raise NotComputable(f"{other.id} prints another unit: {error}") from None
        amounts.append(amount)
        as_printed = figure.model_copy(update={"reading": "printed"})
        printed = printed_amount(about, other, as_printed, sources)
        shown += [printed.low, printed.high]
    low, high = max(each.low for each in amounts), min(each.high for each in amounts)
    is_every = not is_figure or low > high
    if is_every:
        low, high = min(each.low for each in amounts), max(each.high for each in amounts)
    how = "; ".join(amount.text for amount in amounts[:_NAMED_COUNT])
    if len(amounts) > _NAMED_COUNT:
        how += f"; and {len(amounts) - _NAMED_COUNT} more"
    how = f"printed again: {how}" if is_figure else f"in figures: {how}"
    ends = min(shown), max(shown)
    amount = Amount(low, high, amounts[0].unit, how, every=is_every, shown=ends)
    result = in_words_of(about, amount)
    return replace(result, compared=tuple(other.id for other in others))


def _is_case_of(other: Statement, about: Statement) -> bool:
    """Whether a statement is about a case of what another one is about."""
    for mine, theirs in ((about.subject, other.subject), (about.baseline, other.baseline)):
        if mine is None or theirs is None:
            continue
        parts = ((name, mine.part(name)) for name in vars(mine) if name not in _OF_A_CASE)
        named = {name: part for name, part in parts if part is not None}
        if not named or any(theirs.part(name) != part for name, part in named.items()):
            return False
    counts = set(about.subject.connection_counts)
    same_place = about.subject.distance_km in (None, other.subject.distance_km)
    return same_place and (not counts or set(other.subject.connection_counts) <= counts)
