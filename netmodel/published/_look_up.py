"""Rows looked up: those of a case or of a pair of cases, in order, and those nearest to it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from netmodel.published._rows import FAMILIES, IN_ORDER, PLACES, RATES, Case, Row, Rows, said_once

USUAL_CASE: Case = {"rps": "off", "protocol": "tcp"}
"""Conditions of a case that does not name them; they are never open."""
_TESTED = frozenset({"connections", "mtu"})
"""A row that leaves one of these open says nothing of values that its document never tested."""
FOLLOWING = frozenset({"payload", "attributes"})
"""Conditions that may follow from others of the case; a row need not fix them."""
_OF_NO_DOCUMENT = frozenset({"window", "loss", "message"})
"""Conditions that predictions know and no document fixes: a printed row is context beside them."""
_FARTHEST_COUNT = 3
"""Conditions in which a near row may differ: with four it is about something else."""
_BESIDE_COUNT = 3
"""Nearest figures that stand below a prediction: as many as a reader takes in."""
SHOWN_COUNT = 6
"""Nearest rows that an answer lists: as many as a reader compares."""


def look_up(
    known: Rows, case: Case, quantity: str, baseline: Case | None = None
) -> tuple[Rows, Rows]:
    """Return figures of a case, or its ratios to a baseline: answers, and context."""
    return _sorted_out(known, case, _near(known, case, quantity, baseline))


def _near(known: Rows, case: Case, quantity: str, baseline: Case | None) -> list[Row]:
    """Return figures near a case, or ratios that compare all in which it differs from another."""
    found = _of_quantity(known, quantity)
    if baseline is None:
        return _fitted([row for row in found if not row.against], case)
    first, second = ({**USUAL_CASE, **each} for each in (case, baseline))
    changed = {key for key in {**first, **second} if first.get(key) != second.get(key)}

    def is_compared(row: Row, key: str) -> bool:
        one, other = first.get(key), second.get(key)
        return one is other is None or (one in row.of.get(key, ()) and other in row.against[key])

    pairs = [row for row in found if changed and changed <= row.against.keys()]
    pairs = [row for row in pairs if all(is_compared(row, key) for key in row.against)]
    return _fitted(pairs, case, is_pair=True)


def ratios_of(known: Rows, case: Case, quantity: str) -> list[Row]:
    """Return the printed ratios that have the case on one side, whatever their other side is."""
    ratios = (row for row in _of_quantity(known, quantity) if row.against)
    found = [row for row in _fitted(ratios, case) if not row.differs and not row.open]
    return sorted(found, key=lambda row: row.rank)


def _sorted_out(known: Rows, case: Case, near: Sequence[Row]) -> tuple[Rows, Rows]:
    """Return the rows that answer a case, and those that are context."""
    fitting = sorted((row for row in near if not row.differs), key=lambda row: row.rank)
    answers = [row for row in fitting if not _is_context(known, case, row, near)]
    context = tuple(row for row in fitting if row not in answers)
    for key, value in said_once()["usual"].items():
        usual = [row for row in answers if value in row.of.get(key, ())]
        if key not in case and usual:
            answers = [row for row in answers if row in usual or key not in row.of]
    return tuple(answers), context


def _is_context(known: Rows, case: Case, row: Row, near: Sequence[Row]) -> bool:
    """
    Return whether a row with an open condition is no answer to the case.

    It is not where its document never tested the connections or the MTU of the case, or where
    another row fixes all that it fixes and more, and differs from the case only in what it leaves
    open: then the document has values of that condition, and they differ.
    """
    opened = set(row.open)
    tested = all(is_tested(known, key, case[key], row.document) for key in opened & _TESTED)
    return bool(opened) and (
        not (tested and opened.isdisjoint(_OF_NO_DOCUMENT))
        or any(
            opened.issuperset(other.differs)
            and not opened.issubset(other.open)
            and row.of.keys() <= other.of.keys()
            for other in near
        )
    )


@lru_cache(maxsize=64)  # the quantities, of bundled data and of those with a directory of a user
def _of_quantity(known: Rows, quantity: str) -> Rows:
    """Return figures, and ratios in both orders, with those that follow from other quantities."""
    found = (row.as_quantity(quantity) for row in known)
    return tuple(x for row in found if row for x in ([row, row.turned()] if row.against else [row]))


@lru_cache(maxsize=64)
def _tested(known: Rows, key: str, document: str) -> frozenset[object]:
    of = [row.of.get(key, ()) for row in known if document in {"", row.document}]
    return frozenset(value for values in of for value in values)


def is_tested(known: Rows, key: str, value: object, document: str = "") -> bool:
    """Return whether a document, or any of them, has this value of a condition, or none at all."""
    return value in (_tested(known, key, document) or (value,))


def nearest(known: Rows, case: Case, quantity: str, baseline: Case | None = None) -> Rows:
    """
    Return the rows that differ least; each names what differs.

    Of connections and distances, those below and above the one asked for.
    """
    found = _near(known, case, quantity, baseline)
    found += _effects_on_each(known, case, baseline, quantity) if baseline else ()
    near = [
        row
        for row in found
        if 0 < len(row.differs) <= _FARTHEST_COUNT
        and any(case[key] in row.of.get(key, ()) for key in case)
    ]
    shown: dict[tuple[object, ...], Row] = {}
    for row in sorted(near, key=lambda row: (row.distance(case), row.rank)):
        ordered = sorted(IN_ORDER & set(row.differs))
        above = tuple(float(value) > float(case[key]) for key in ordered for value in row.of[key])
        kind = tuple(row.of.get(key, ()) for key in ("side", "part", "rps", "client"))
        shown.setdefault((row.differs, above, kind), row)
    return tuple(shown.values())[:SHOWN_COUNT]


def _effects_on_each(known: Rows, case: Case, baseline: Case, quantity: str) -> Iterator[Row]:
    """Yield, for a setting that is on, its effect on either case, and the pair without it."""
    for key, usual in USUAL_CASE.items():
        pairs = [(x, {**x, key: usual}) for x in (case, baseline) if x.get(key, usual) != usual]
        if not pairs or {each for each in case if case[each] != baseline.get(each)} <= {key}:
            continue
        for first, second in (*pairs, ({**case, key: usual}, {**baseline, key: usual})):
            for row in look_up(known, first, quantity, second)[0]:
                silent = (key, "client", *row.silent)
                yield row.changed(differs=(f"{key} of the pair",), silent=silent)


def beside(known: Rows, case: Case) -> tuple[Rows, Rows]:
    """Return what is printed of a case, figures before ratios, and the nearest rows of its rate."""
    kept = [row for row in known if row.quantity in FAMILIES and not PLACES.isdisjoint(row.base)]
    both = (each for row in kept for each in ((row, row.turned()) if row.against else (row,)))
    fitting, _ = _sorted_out(known, case, _fitted(both, case))
    figures = {row.id: row for row in sorted(fitting, key=lambda row: bool(row.against))}
    near = [row for quantity in RATES for row in nearest(known, case, quantity)]
    others = {row.id: row for row in reversed(near) if row.id not in figures}
    return tuple(figures.values()), tuple(reversed(others.values()))[:_BESIDE_COUNT]


def _fitted(rows: Iterable[Row], case: Case, is_pair: bool = False) -> list[Row]:
    """Return rows with how they fit a case, those of a pair but for what they compare."""
    known, found = {**USUAL_CASE, **case}, []
    asked = [key for key in case if case[key] != USUAL_CASE.get(key) and key not in FOLLOWING]
    places = PLACES & known.keys()
    for row in rows:
        of, compared = row.of, row.against if is_pair else {}
        fixed = [key for key in of if key not in compared]
        silent = [key for key in fixed if key not in known]
        differs = [key for key in fixed if key in known and known[key] not in of[key]]
        if silent and (places or not row.against) and places.isdisjoint(of):  # another place
            differs += [key for key in silent if key in PLACES]
            silent = [key for key in silent if key not in PLACES]
        named = {*of, *compared, *(["workload"] if "payload" in of else [])}
        opened = tuple(key for key in asked if key not in named)
        found.append(row.changed(open=opened, differs=tuple(differs), silent=tuple(silent)))
    return found
