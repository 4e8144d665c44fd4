"""What a statement is evidence of: the one place that sorts rules, agreements and doubts."""

from collections.abc import Mapping
from decimal import Decimal
from enum import Enum

from netmodel.judging._evidence._amounts import (
    PERCENT,
    SAME_PERCENT,
    Agreement,
    Computed,
    agreement,
)
from netmodel.judging._evidence._predictions import is_same_case
from netmodel.records import Statement, statement
from netmodel.records import _rules as rules
from netmodel.records._subjects import Change

ROUND_PERCENT = Decimal(5)
"""Step to which documents round changes in per cent by eye: 35 and 40 %, seldom 37."""
LOOSE_PERCENT = 2 * SAME_PERCENT
"""How far from no change "essentially the same" may be: twice as far as "the same"."""


class EvidenceKind(Enum):
    """What a statement is evidence of."""

    PREDICTED = "predicted"
    """A model gives it, and it covers the whole computed range; it is no input of that model."""
    CONSISTENT = "consistent"
    """A model allows it; it is more precise than what is computed."""
    DERIVED = "derived"
    """It follows from inputs alone, such as the ratio of two of them: it adds nothing."""
    LOOK_UP = "look_up"
    """The document prints it again, in a table, in other words or in what a record cites."""
    NOTATION = "notation"
    """Only its unit, mask or way of writing was checked."""
    INPUT = "input"
    """Records or other statements are computed from it."""
    DOUBTFUL = "doubtful"
    """It disagrees, but not if it was rounded to 5 %, or by a word that leaves room."""
    CONTRADICTED = "contradicted"
    """It disagrees with what is computed."""
    NOT_MODELLED = "not_modelled"
    """Nothing is computed for it."""


REPETITION = "repetition"
"""What compares a figure with the same one at another place of the document."""
_REPEATED = (REPETITION, EvidenceKind.LOOK_UP)
_RULES: Mapping[str, tuple[str, EvidenceKind]] = {
    "path": ("path", EvidenceKind.PREDICTED),
    "line_share": ("path", EvidenceKind.PREDICTED),
    "steering": ("steering", EvidenceKind.PREDICTED),
    "transports": ("transports", EvidenceKind.PREDICTED),
    "cells": ("summary", EvidenceKind.LOOK_UP),
    "distinct": ("summary", EvidenceKind.LOOK_UP),
    "path_mtu": ("path_mtu", EvidenceKind.PREDICTED),
    "formula": ("formula", EvidenceKind.PREDICTED),
    "ceiling": ("ceiling", EvidenceKind.PREDICTED),
    "frame": ("framing", EvidenceKind.PREDICTED),
    "frames": ("framing", EvidenceKind.PREDICTED),
    "one_frame": ("framing", EvidenceKind.PREDICTED),
    "pages": ("framing", EvidenceKind.PREDICTED),
    "mask": ("notation", EvidenceKind.NOTATION),
    "count": ("notation", EvidenceKind.NOTATION),
    "reading": ("notation", EvidenceKind.NOTATION),
    "record": ("reference", EvidenceKind.LOOK_UP),
}
"""What computes a statement, and the most that it is evidence of: the first rule that it nests."""
_ARITHMETIC = ("arithmetic", EvidenceKind.DERIVED)
"""Of figures that documents print, without any other rule."""


def computed_by(about: Statement, result: Computed) -> str:
    """What a statement is compared with: the weightiest of the rules that it nests."""
    return _sorted(about, result)[0]


def kind_of(about: Statement, result: Computed, how: Agreement) -> EvidenceKind:
    """What a statement that agrees with what is computed is evidence of."""
    kind = _sorted(about, result)[1]
    if about.computed is not None and about.computed.counts_as is not None:
        kind = EvidenceKind(about.computed.counts_as)
    if kind is not EvidenceKind.PREDICTED:
        return kind
    inputs = (*result.inputs, *result.record_inputs)
    is_input_again = any(is_same_case(about, statement(name)) for name in result.inputs)
    if about.id in inputs or result.is_restated or is_input_again:
        return EvidenceKind.DERIVED
    return EvidenceKind.PREDICTED if how is Agreement.PREDICTED else EvidenceKind.CONSISTENT


def _sorted(about: Statement, result: Computed) -> tuple[str, EvidenceKind]:
    rule = about.computed
    if result.compared:
        return _REPEATED if about.has_figure else ("summary", EvidenceKind.LOOK_UP)
    if isinstance(rule, rules.Figure) and rule.statement is not None:
        is_repeated = statement(rule.statement).unit == about.unit
        return _REPEATED if is_repeated else ("notation", EvidenceKind.NOTATION)
    names = {nested.rule for nested in rules.rules_within(rule)}
    return next((sort for name, sort in _RULES.items() if name in names), _ARITHMETIC)


def doubt(about: Statement, result: Computed) -> str:
    """Why a contradiction is doubtful, with the arithmetic; empty where it is none."""
    if about.loose is not None and about.change is Change.SAME:
        if max(abs(result.low), abs(result.high)) <= LOOSE_PERCENT:
            return (
                f'"{about.loose}" sets no figure: beyond {SAME_PERCENT:g} %, '
                f"but within {LOOSE_PERCENT:g} %"
            )
        return ""
    widened = rounded_by_eye(about)
    if widened is None or agreement(widened, result) is Agreement.MISSED:
        return ""
    figures = _figures(about)
    low, high = (
        figure + sign * ROUND_PERCENT / 2
        for figure, sign in zip((min(figures), max(figures)), (-1, 1), strict=True)
    )
    return (
        f"rounded to {ROUND_PERCENT} %, {about.amount_text} stands for {low} to {high} %, "
        f"and {result} is computed"
    )


def rounded_by_eye(about: Statement) -> Statement | None:
    """The statement as if its per cents were rounded to multiples of 5; None if they are none."""
    figures = _figures(about)
    is_round = about.unit == PERCENT and any(figures)
    if not is_round or any(figure % ROUND_PERCENT for figure in figures):
        return None
    return about.model_copy(update={"resolution": ROUND_PERCENT})


def _figures(about: Statement) -> list[Decimal]:
    return [each for each in (about.value, about.low, about.high) if each is not None]
