"""The answer to a comparison in words: what is printed of each quantity, and in which case."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from netmodel._text import listed
from netmodel.judging._compared_cases import interval_text, word, words_of
from netmodel.judging._compared_facts import COUNT, PART, REVERSED, SIDE
from netmodel.judging._cost_model import WIDEST

if TYPE_CHECKING:
    from netmodel.judging._compared import ComparedRow

OF_THE_ROW = (COUNT, SIDE, PART)
"""Conditions that the name of a row, or its number of connections, says."""
_SHOWN_WORDS = 2
"""Of one quantity: words such as lower, each with its case."""


def said_of(rows: Sequence["ComparedRow"]) -> list[str]:
    """What is printed or follows of each quantity, figures first; ends where rows differ."""
    ranked = sorted((row for row in rows if row.printed), key=lambda row: not row.has_figure)
    groups: dict[str, list[ComparedRow]] = {}
    for row in ranked:
        own = groups.setdefault(row.name, [])
        if not own or own[0].has_figure == row.has_figure:
            own.append(row)
    all_open = {row.name: _open_values(groups[row.name]) for row in ranked}
    texts: dict[tuple[str, str], list[str]] = {}
    for name, own in groups.items():
        # figures and computed ratios say more than words; of several, the ends
        figures = [row for row in own if row.has_figure or _amount(row) != row.printed[0].printed]
        ends = [min(figures, key=_middle), max(figures, key=_middle)] if figures else own
        if figures and not any(row.has_figure or _is_computed(row) for row in figures):
            ends = [min(figures, key=_width)]
        amounts: dict[str, str] = {}
        for row in ends:
            amounts.setdefault(_amount(row), f"{_amount(row)}{_place(row, all_open[name])}")
        said = (" to " if figures else ", ").join([*amounts.values()][:_SHOWN_WORDS])
        if len(own) > 1 and len({_amount(row) for row in own}) == 1:
            (said,) = amounts
        texts.setdefault((own[0].quantity, said), []).append(name)
    return [f"{_joined_names(names)} {said}" for (_, said), names in texts.items()]


def _joined_names(names: Sequence[str]) -> str:
    """Names of one quantity on both sides as one: ``CPU per data (client and server)``."""
    first, *others = names
    more = [name.rpartition("(")[2].rstrip(")") for name in others]
    return f"{first.rstrip(')')} and {listed(more)})" if more and "(" in first else first


def _open_values(rows: Sequence["ComparedRow"]) -> frozenset[str]:
    """Conditions in which rows differ."""
    values: dict[str, set[str]] = {}
    for row in rows:
        for key, value in row.conditions.items():
            values.setdefault(key, set()).add(word(value))
    is_in_all = {key: all(key in row.conditions for row in rows) for key in values}
    return frozenset(key for key, own in values.items() if len(own) > 1 or not is_in_all[key])


def _place(row: "ComparedRow", is_open: frozenset[str]) -> str:
    """The case of a row, where the quantity has rows of others."""
    own = {k: v for k, v in row.conditions.items() if k not in OF_THE_ROW and k in is_open}
    return f"{at_count(row)}{f' ({words_of(own)})' if own else ''}"


def _middle(row: "ComparedRow") -> float:
    if row.has_figure or row.model is None:
        return row.low * row.high
    return row.model.value**2


def _width(row: "ComparedRow") -> float:
    return row.high / row.low


def _is_computed(row: "ComparedRow") -> bool:
    """Whether a model gives the ratio itself."""
    return row.model is not None and not row.model.is_bound_ratio


def _amount(row: "ComparedRow") -> str:
    """What is printed, or the ratio that follows from it."""
    said, model = row.printed[0].printed, row.model
    if row.has_figure:
        is_change = " against " not in said and not said.startswith(REVERSED)
        ratio = interval_text(row.printed_low, row.printed_high)
        return said if is_change else f"{ratio} times ({said})"
    if model is not None and not model.is_bound_ratio:
        return model.text
    if row.low > 0 and row.high <= WIDEST * row.low and not row.is_contradicted:
        return f"{interval_text(row.low, row.high)} times by other figures"
    return said


def at_count(row: "ComparedRow") -> str:
    count = row.conditions.get(COUNT)
    return f" at {count} connection{'s' * (count != 1)}" if count else ""
