"""Cases against rows: which rows answer, which are context, and which are nearest."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias

from netmodel._display import short_repr
from netmodel.published._rows import FAMILIES, PLACES, Case, Condition, Row, usual_of

Rows: TypeAlias = tuple[Row, ...]
Matches: TypeAlias = tuple["Match", ...]

USUAL_CASE: Case = MappingProxyType({"rps": "off", "protocol": "tcp"})
"""Conditions of a case that does not name them; they are never open."""
_TESTED = frozenset({"connections", "mtu"})
"""A row that leaves one of these open says nothing of values that its document never tested."""
_IN_ORDER = frozenset({"connections", "km"})
"""Conditions in numbers, whose nearest values below and above are shown."""
_FOLLOWING = frozenset({"state", "payload", "attributes"})
"""Conditions that may follow from others of the case; a row need not fix them."""
_OF_NO_DOCUMENT = frozenset({"window", "loss", "message"})
"""Conditions that predictions know and no document fixes: a printed row is context beside them."""
_OF_THE_PAIR = " of the pair"
"""End of what differs where both cases have a setting and a row has it on one side or on none."""
_FARTHEST_COUNT = 3
"""Conditions in which a near row may differ: with four it is about something else."""
SHOWN_COUNT = 6
"""Nearest rows that an answer lists: as many as a reader compares."""


@dataclass(frozen=True)
class Match:
    """
    A row beside a case.

    Parameters
    ----------
    row : Row
        The row, turned and converted to the quantity that was asked for.
    open : tuple of str
        Conditions of the case that the row leaves open.
    differs : tuple of str
        Conditions that the row fixes otherwise.
    silent : tuple of str
        Conditions that the row fixes and the case does not name.
    """

    row: Row
    open: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return short_repr(self, self.row.id, ", ".join(self.differs))

    @property
    def line(self) -> str:
        """The row in a line, with its quantity and side."""
        sides = (
            "" if "side" in self.differs else " and ".join(map(str, self.row.of.get("side", ())))
        )
        of_side = f" of the {sides}" if sides else ""
        return f"{self.row.quantity.replace('_', ' ')}{of_side} {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values by name."""
        lists = {"differs": list(self.differs), "open": list(self.open)}
        plain = self.row.to_dict()
        del plain["is_converted"], plain["is_reciprocal"]
        return {**plain, **lists, "text": self.text}

    @property
    def is_exact(self) -> bool:
        """Whether the row fixes all that the case names."""
        return not self.differs and not self.open

    @property
    def differs_in_numbers(self) -> bool:
        """True where connections or distance alone differ, so that the case lies beside it."""
        return _IN_ORDER.issuperset(self.differs)

    @property
    def text(self) -> str:
        """The row in a line: amount, place, what differs, and what the row leaves open."""
        row, shown = self.row, (*self.differs, *self.silent)
        if any(key.endswith(_OF_THE_PAIR) for key in shown):
            shown = ("rps", "client", *self.silent)
        fixed = (f"{key} {' or '.join(map(str, row.of[key]))}" for key in shown if key in row.of)
        parts = {"with": ", ".join(fixed), "no word of": ", ".join(self.open)}
        words = [f"{lead} {each}" for lead, each in parts.items() if each]
        doubt = f"doubtful: {row.doubt}" if row.doubt else ""
        return "; ".join(filter(None, (f"{row.amount()} ({row.where})", *words, row.note, doubt)))


def value_of(case: Case, key: str) -> Condition | None:
    """Return a condition of a case, or what it usually is."""
    return case.get(key, USUAL_CASE.get(key))


def look_up(
    rows: Rows, case: Case, quantity: str, baseline: Case | None = None
) -> tuple[Matches, Matches]:
    """Return figures of a case, or its ratios to a baseline: answers, and context."""
    return _sorted_out(rows, case, _beside(rows, case, quantity, baseline))


def nearest(rows: Rows, case: Case, quantity: str, baseline: Case | None = None) -> Matches:
    """
    Return the rows that differ least; each names what differs.

    Of connections and distances, those below and above the one asked for.
    """
    found = _beside(rows, case, quantity, baseline)
    if baseline is not None:
        found += _effects_on_each(rows, case, baseline, quantity)
    near = [each for each in found if 0 < len(each.differs) <= _FARTHEST_COUNT]
    near = [each for each in near if any(case[key] in each.row.of.get(key, ()) for key in case)]
    usual = usual_of({each.row.document for each in near})
    shown: dict[tuple[object, ...], Match] = {}
    for match in sorted(near, key=lambda each: (_distance(each, case, usual), rank(each))):
        of, ordered = match.row.of, sorted(_IN_ORDER & set(match.differs))
        above = tuple(float(value) > float(case[key]) for key in ordered for value in of[key])
        kind = tuple(of.get(key, ()) for key in ("side", "part", "rps", "client"))
        shown.setdefault((match.differs, above, kind), match)
    return tuple(shown.values())[:SHOWN_COUNT]


def ratios_of(rows: Rows, case: Case, quantity: str) -> Matches:
    """Return the printed ratios that have the case on one side, whatever their other side is."""
    found = (match_of(row, case) for row in _ratios(rows, quantity))
    return tuple(sorted((match for match in found if match.is_exact), key=rank))


def printed_of(rows: Rows, case: Case) -> Matches:
    """Return rates, times and CPU cost of a case as they are printed, figures before ratios."""
    kept = [row for row in rows if row.quantity in FAMILIES and not PLACES.isdisjoint(row.base)]
    both = (each for row in kept for each in ((row, row.turned()) if row.against else (row,)))
    fitting, _ = _sorted_out(rows, case, [match_of(each, case) for each in both])
    return tuple(sorted(fitting, key=lambda match: (bool(match.row.against), rank(match))))


def is_tested(rows: Rows, case: Case, key: str) -> bool:
    """Return whether a document names this value of the case, or none of the condition."""
    documents = {row.document for row in rows}
    return not all(_is_untested(rows, case, key, each) for each in documents)


# ---- a row beside a case


def match_of(row: Row, case: Case, compared: Collection[str] = ()) -> Match:
    """Return how a row fits a case, but for what it compares; another place differs."""
    given = {key: value_of(case, key) for key in row.of if key not in compared}
    silent = tuple(key for key, value in given.items() if value is None)
    differs = [key for key, value in given.items() if value not in (None, *row.of[key])]
    is_placed = not row.against or not PLACES.isdisjoint(case)
    places = [key for key in given if key in PLACES]
    if is_placed and places and set(places) <= set(silent):
        differs += places
    covered = {*row.of, *_FOLLOWING, *compared, *(["workload"] if "payload" in row.of else [])}
    opened = tuple(key for key in case if case[key] != USUAL_CASE.get(key) and key not in covered)
    return Match(row, opened, tuple(differs), tuple(key for key in silent if key not in differs))


def rank(match: Match) -> tuple[float | str, ...]:
    """Order fixed before open, figures before words, more conditions, narrower, by name."""
    row, (low, high) = match.row, match.row.interval
    width = high / low if low else math.inf  # the same for the ratio in the other order
    order = (len(match.open), not _has_figure(row), row.is_converted, -len(row.of))
    return *order, round(width, 9), row.id


def _has_figure(row: Row) -> bool:
    return row.low is not None or row.relation in {"same", "line"}


def _beside(rows: Rows, case: Case, quantity: str, baseline: Case | None) -> list[Match]:
    """Return figures beside a case, or ratios that compare all in which it differs from another."""
    if baseline is None:
        return [match_of(row, case) for row in _figures(rows, quantity)]
    case, baseline = _with_state(rows, case, baseline)
    pair = {key: (value_of(case, key), value_of(baseline, key)) for key in {**case, **baseline}}
    changed = {key for key, (first, second) in pair.items() if first != second}

    def is_compared(row: Row, key: str) -> bool:
        first, second = pair.get(key, (value_of(case, key),) * 2)
        fits = first in row.of.get(key, ()) and second in row.against[key]
        return fits or (first is None and second is None)

    return [
        match_of(row, case, row.against)
        for row in (_ratios(rows, quantity) if changed else ())
        if changed <= row.against.keys() and all(is_compared(row, key) for key in row.against)
    ]


def _with_state(rows: Rows, case: Case, baseline: Case) -> tuple[Case, Case]:
    """Return both with the state that figures print for the case without packet steering."""
    if value_of(case, "rps") == value_of(baseline, "rps"):
        return case, baseline
    plain = {key: value for key, value in case.items() if key not in {"rps", "side"}}
    at_line = any(m.row.relation == "line" for m in look_up(rows, plain, "throughput")[0])
    is_limited = bool(look_up(rows, plain, "limit")[0])
    state = "line speed" if at_line else "adapter limit" if is_limited else "below its limits"
    return {**case, "state": state}, {**baseline, "state": state}


def _effects_on_each(rows: Rows, case: Case, baseline: Case, quantity: str) -> Iterator[Match]:
    """Yield, for a setting that is on, its effect on either case, and the pair without it."""
    for key, usual in USUAL_CASE.items():
        sides = [side for side in (case, baseline) if value_of(side, key) != usual]
        if not sides or {each for each in case if case[each] != baseline.get(each)} <= {key}:
            continue
        pairs = [(side, {**side, key: usual}) for side in sides]
        for first, second in (*pairs, ({**case, key: usual}, {**baseline, key: usual})):
            for match in look_up(rows, first, quantity, second)[0]:
                yield replace(match, differs=(f"{key}{_OF_THE_PAIR}",))


def _distance(match: Match, case: Case, usual: Case) -> tuple[float, ...]:
    """Return how many conditions differ, those in numbers last, and by how much."""
    ordered, of = _IN_ORDER & set(match.differs), match.row.of
    steps = sum(
        min(abs(math.log(float(value) / float(case[key]))) for value in of[key]) for key in ordered
    )
    unusual = any(usual[key] not in of[key] for key in match.silent if key in usual)
    others = len(match.differs) - len(ordered)
    return others, unusual, not _has_figure(match.row), steps, len(match.open)


# ---- what answers, and what is context


def _sorted_out(rows: Rows, case: Case, matches: Sequence[Match]) -> tuple[Matches, Matches]:
    fitting = [match for match in matches if not match.differs]
    answers = [match for match in fitting if not _is_context(rows, case, match, matches)]
    context = [match for match in fitting if match not in answers]
    for key, value in usual_of({match.row.document for match in answers}).items():
        usual = [match for match in answers if value in match.row.of.get(key, ())]
        if key not in case and usual:
            answers = [match for match in answers if match in usual or key not in match.row.of]
    return tuple(sorted(answers, key=rank)), tuple(sorted(context, key=rank))


def _is_context(rows: Rows, case: Case, match: Match, matches: Sequence[Match]) -> bool:
    """
    Return whether a row with an open condition is no answer to the case.

    It is not where its document never tested the connections or the MTU of the case, or where
    another row fixes all that it fixes and more, and differs from the case only in what it leaves
    open: then the document has values of that condition, and they differ.
    """
    opened, document = set(match.open), match.row.document
    if opened & _OF_NO_DOCUMENT:
        return True
    if any(_is_untested(rows, case, key, document) for key in opened & _TESTED):
        return True
    return bool(opened) and any(
        set(other.differs) <= opened
        and opened - set(other.open)
        and set(match.row.of) <= set(other.row.of)
        for other in matches
    )


def _is_untested(rows: Rows, case: Case, key: str, document: str) -> bool:
    """Return whether a document has values of a condition, and not that of the case."""
    known = _tested(rows).get((document, key))
    return known is not None and case[key] not in known


# ---- rows by quantity; lookups at many cases need them each time


@lru_cache(maxsize=64)  # the quantities, of bundled data and of those with a directory of a user
def _figures(rows: Rows, quantity: str) -> Rows:
    return tuple(row for row in rows if not row.against and row.quantity == quantity)


@lru_cache(maxsize=64)
def _ratios(rows: Rows, quantity: str) -> Rows:
    """Return ratios in both orders, with those of other quantities that are ratios of this one."""
    converted = (row.as_quantity(quantity) for row in rows if row.against)
    return tuple(each for row in converted if row is not None for each in (row, row.turned()))


@lru_cache(maxsize=4)
def _tested(rows: Rows) -> dict[tuple[str, str], set[Condition]]:
    """Return the values of each condition that a document names, by document and condition."""
    tested: dict[tuple[str, str], set[Condition]] = {}
    for row in rows:
        for key, values in row.of.items():
            tested.setdefault((row.document, key), set()).update(values)
    return tested
