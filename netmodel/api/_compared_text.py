"""Comparisons in words: the change of a quantity, the sentence that decides, what is nearest."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from netmodel.published import USUAL_CASE, Answer, Match
from netmodel.text import listed
from netmodel.units.formatting import window_text

Conditions = Mapping[str, str | int | float]

_NAMES = {
    "cpu_consumption": "CPU per data",
    "cpu_time_per_transaction": "CPU per transaction",
    "cpu_time": "CPU time",
    "cpu_efficiency": "CPU efficiency",
    "cpu_utilisation": "CPU utilisation",
}
"""Quantities in a sentence, where their names are no words."""
_OWN_WORDS = {
    **dict.fromkeys(("client", "server", "path", "workload", "protocol"), "{}"),
    "connections": "{} connections",
    "km": "{} km",
    "rtt": "round trip {}",
}
"""Conditions for a sentence, where that is not name and value."""
_WORDS = {"more": "higher (no figure)", "less": "lower (no figure)", "same": "about the same"}
_HEDGES = ("; may", "; can")
"""Words before which a document says that a change is possible, in the text of a row."""
_TURNED = {"at_least": "at_most", "at_most": "at_least"}
_MANY_TIMES = 2.0
"""From here on people say "3 times", below "40 % higher"."""
_SAME_RATIO = 0.01
"""Change of two predictions that is none: they are no better."""
_WORD_COUNT = 30
"""Words of the sentence that decides."""
_SHOWN_CASES = 3
"""Cases of a quantity that a sentence lists; of more the ends."""
_SHOWN_NEAREST = 4
"""Nearest rows of a quantity: one below and one above in two conditions."""


def row_name(row: Answer) -> str:
    """Return quantity and side of a row."""
    side = row.conditions.get("side")
    return f"{_name(row)} ({side})" if side else _name(row)


def _name(row: Answer) -> str:
    return _NAMES.get(row.quantity, row.quantity.replace("_", " "))


def is_known(row: Answer) -> bool:
    """Return whether documents print the ratio of a row, or both figures."""
    return row.status in {"printed", "two_figures"}


def is_figure(row: Answer) -> bool:
    """Return whether a row has a number or "the same", printed or of two expected values."""
    if row.status == "modelled":
        return row.relation == "about"
    return is_known(row) and row.relation not in {"more", "less"}


def change_text(row: Answer) -> str:
    """Return the ratio of a row as a change: 17 % lower, at least 50 % lower, 2.5 times."""
    low, high = row.printed_ends or (row.value or 1.0,) * 2
    if row.relation in _WORDS:
        is_hedged = row.relation != "same" and any(word in row.text for word in _HEDGES)
        return f"{'may be ' * is_hedged}{_WORDS[row.relation]}"
    is_modelled, is_lower = row.status == "modelled", high <= 1
    if is_modelled and abs(low - 1) < _SAME_RATIO:
        is_value = row.relation == "about"
        return (
            "about the same (modelled)" if is_value else f"equal {row.relation.replace('_', ' ')}"
        )
    if low == high == 1 and row.relation in _TURNED:
        return f"the same or {'lower' if row.relation == 'at_most' else 'higher'}"
    if high >= _MANY_TIMES or low < 1 < high:
        amount = " to ".join(dict.fromkeys(f"{end:.3g}" for end in (low, high))) + " times"
    else:
        shares = sorted(100 * abs(1 - end) for end in (low, high))
        shown = dict.fromkeys(f"{share:{'.2g' if is_modelled else '.3g'}}" for share in shares)
        amount = f"{' to '.join(shown)} % {'lower' if is_lower else 'higher'}"
    relation = _TURNED.get(row.relation, row.relation) if is_lower else row.relation
    if relation.endswith("_bounds"):
        return f"{amount} ({relation.replace('_', ' ')})"
    lead = "" if relation in {"equal", "range"} else f"{relation.replace('_', ' ')} "
    return f"{lead}{amount}{' (modelled)' * is_modelled}"


def title_text(variant: Conditions, baseline: Conditions) -> str:
    """Return what differs, variant first, and in brackets what both cases share."""
    keys = {key for key in {**variant, **baseline} if variant.get(key) != baseline.get(key)}
    usual = words_of({k: v for k, v in USUAL_CASE.items() if k in keys}) or "the default"
    sides = [
        words_of({key: case[key] for key in case if key in keys}) for case in (variant, baseline)
    ]
    shared = words_of({key: variant[key] for key in variant if key not in keys})
    return f"{sides[0] or usual} against {sides[1] or usual}{f' ({shared})' * bool(shared)}"


def words_of(case: Conditions) -> str:
    """Return conditions for a sentence; an adapter at both ends once."""
    is_same = case.get("client") == case.get("server")
    texts = []
    for key, value in case.items():
        name = Path(str(value)).stem if str(value).endswith(".toml") else value
        name = window_text(float(value)) if key == "window" else name
        name = f"{name:.4g}" if isinstance(name, float) else name
        is_end = key in {"client", "server"} and not is_same
        plain = f"{key} {{}}"
        text = (plain if is_end else _OWN_WORDS.get(key, plain)).format(name)
        if key != "server" or not is_same:
            texts.append(text.removesuffix("s" * (text == "1 connections")))
    return ", ".join(texts)


def answer_text(title: str, rows: Sequence[Answer], variant: Conditions) -> str:
    """Return the answer in one sentence: what is printed or follows of each quantity."""
    said: dict[str, list[Answer]] = {}
    for row in rows:
        if is_known(row) or is_figure(row):
            said.setdefault(row.quantity, []).append(row)
    direct = {name: [row for row in own if not row.is_converted] for name, own in said.items()}
    facts = [_fact(own, variant) for own in direct.values() if own]
    if all(name.startswith("cpu") for name in said):
        facts.insert(0, f"not published; {_nearest_fact(rows)}")
    answer, *others = facts or [_fact(own, variant) for own in said.values()]
    for fact in others:
        longer = f"{answer}; {fact}"
        word_count = len(f"{title} {longer}".replace(" %", "").split())
        answer = longer if word_count <= _WORD_COUNT else answer
    return f"{title}: {answer}."


def _fact(rows: Sequence[Answer], variant: Conditions) -> str:
    """Return the changes of a quantity with the cases that they are of; of many the ends."""
    values: dict[str, set[object]] = {}
    for row in rows:
        for key, value in row.conditions.items():
            values.setdefault(key, set()).add(value)
    skipped = {"side", *variant}
    telling = [key for key in values if len(rows) == 1 or len(values[key]) > 1]
    cells: dict[tuple[str, str], list[object]] = {}
    for row in rows:
        own = [key for key in telling if key in row.conditions and key not in skipped]
        where = "".join(_where(key, row) for key in own)
        cells.setdefault((change_text(row), where), []).append(row.conditions.get("side"))
    changes = {change for change, _ in cells}
    figures = sorted(filter(is_figure, rows), key=_middle)
    if len(cells) > _SHOWN_CASES and len(changes) > 1 and len(figures) > 1:
        return _fact([figures[0], figures[-1]], variant).replace(", ", " to ", 1)
    parts: list[str] = []
    for (change, where), sides in cells.items():
        side = f"of the {sides[0]} " if len(sides) == 1 and sides[0] else ""
        at = where.removesuffix(" connections") if parts else where
        parts.append(f"{side}{change}{at if len(changes) > 1 or len(rows) == 1 else ''}")
    return f"{_name(rows[0])} {', '.join(dict.fromkeys(parts))}"


def _middle(row: Answer) -> float:
    return row.value or sum(row.printed_ends or (1.0, 1.0)) / 2


def _where(key: str, row: Answer) -> str:
    lead = "at" if key in {"connections", "km", "mtu"} else "for"
    return f" {lead} {words_of({key: row.conditions[key]})}"


def _nearest_fact(rows: Sequence[Answer]) -> str:
    """Return what is printed on both sides of a number, else bounds, else the nearest case."""
    open_rows = [row for row in rows if not is_known(row)]
    for row in open_rows:
        found = [m for m in row.nearest if m.differs_in_numbers and m.row.low is not None]
        if found:
            return f"nearest {row_name(row)} {', '.join(map(_near, found[:2]))}"
    for row in open_rows:
        if row.status == "modelled" and abs((row.value or 1) - 1) > _SAME_RATIO:
            return f"{row_name(row)} {row.text}"
    near = [f"nearest {row_name(row)} {_near(row.nearest[0])}" for row in open_rows if row.nearest]
    return (near or ["no document compares them, and no two predictions of one kind do"])[0]


def _near(match: Match) -> str:
    """Return a printed ratio and the conditions that differ."""
    of = match.row.of
    values = {key: " or ".join(map(str, of.get(key, ()))) for key in match.differs}
    lead = "at" if match.differs_in_numbers else "with"
    words = listed(words_of({key: value}).strip() for key, value in values.items())
    return f"{match.row.amount().partition(' that ')[0]} {lead} {words}"


def nearest_lines(rows: Sequence[Answer], is_verbose: bool) -> Iterator[str]:
    """Yield the nearest printed rows of rates and of costs that documents leave open."""
    for is_cost in (False, True):
        family = [row for row in rows if row.quantity.startswith("cpu") is is_cost]
        texts: dict[object, str] = {}
        for row in [row for row in family if not is_known(row)][:1]:
            for match in row.nearest:
                text = match.text.partition(f"; {match.row.note or ' '}")[0]
                texts.setdefault((match.row.id, match.row.amount()), f"  {_name(row)} {text}")
        yield from [*texts.values()][: None if is_verbose else _SHOWN_NEAREST]


def notes_of(rows: Sequence[Answer]) -> list[str]:
    """Return what to know of the rows: caveats, other rows about the case, what to measure."""
    direct = [row for row in rows if not row.is_converted]
    notes = [f"{row_name(row)} is doubtful: {row.doubt}" for row in rows if row.doubt]
    notes += [f"{row_name(row)}: {row.text}" for row in rows if row.status == "modelled"]
    caveats: dict[str, str] = {}
    for row in filter(is_known, direct):
        text = row.text.partition("); ")[2] if row.status == "printed" else row.text
        caveats.setdefault(text, f"{row_name(row)}: {text}")
    notes += [note for text, note in caveats.items() if text]
    for row in direct:
        notes += [f"{_name(row)} also: {note}" if is_known(row) else note for note in row.notes]
    return [*dict.fromkeys(notes)]
