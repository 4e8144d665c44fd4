"""Comparisons in words: the change of a quantity, the sentence that decides, what is nearest."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from netmodel._text import listed
from netmodel.published import Answer, Match
from netmodel.units._format import window_text

Conditions = Mapping[str, str | int | float]

_NAMES = {
    "cpu_consumption": "CPU per data",
    "cpu_time_per_transaction": "CPU per transaction",
    "cpu_time": "CPU time",
    "cpu_efficiency": "CPU efficiency",
    "cpu_utilisation": "CPU utilisation",
}
"""Quantities in a sentence, where their names are no words."""
_PLAIN = frozenset({"client", "server", "path", "workload", "protocol", "payload", "distance"})
"""Conditions whose values say what they are."""
_USUAL = {"rps": "off", "protocol": "tcp"}
"""Values of conditions that a case does not name."""
_MANY_TIMES = 2.0
"""From here on people say "3 times", below "40 % higher"."""
_IN_ORDER = frozenset({"connections", "km"})
_SAME_RATIO = 0.01
"""Ratio of two predictions that is none: they are no better."""
_WORD_COUNT = 30
"""Words of the sentence that decides."""
_SHOWN_FACTS = 3
"""Cases of a quantity that a sentence lists; of more the ends."""
_SHOWN_NEAREST = 4
"""Nearest rows of a quantity: one below and one above in two conditions."""


def row_name(row: Answer) -> str:
    """Return quantity and side of a row."""
    side = row.conditions.get("side")
    name = _NAMES.get(row.quantity, row.quantity.replace("_", " "))
    return f"{name} ({side})" if side else name


def is_known(row: Answer) -> bool:
    """Return whether documents print the ratio of a row, or both figures."""
    return row.status in {"printed", "two_figures"}


def is_figure(row: Answer) -> bool:
    """Return whether a row has a number or "the same", printed or of two expected values."""
    if row.status == "modelled":
        return row.relation == "about"
    return is_known(row) and (row.printed_ends is not None or row.relation in {"same", "equal"})


def _ends(row: Answer) -> tuple[float, float] | None:
    """Return the printed ends of a ratio, or its value as both."""
    if row.printed_ends is not None:
        return row.printed_ends
    return None if row.value is None else (row.value, row.value)


def ratio_text(row: Answer) -> str:
    """Return the ratio as it is printed, with the word before it."""
    words = {"more": "above 1", "less": "below 1", "same": "about 1"}
    ends = _ends(row)
    if row.relation in words or ends is None:
        return words.get(row.relation, "")
    text = " to ".join(dict.fromkeys(f"{end:.4g}" for end in ends))
    if row.relation in {"upper_bounds", "lower_bounds"}:
        return f"{text} (bounds)"
    lead = "" if row.relation in {"equal", "range"} else f"{row.relation.replace('_', ' ')} "
    return f"{lead}{text}"


def change_text(row: Answer) -> str:
    """Return the ratio of a row as a change: 17 % lower, at least 50 % lower, 2.5 times."""
    ends = _ends(row)
    if row.relation in {"more", "less"}:
        return f"{'higher' if row.relation == 'more' else 'lower'}, no figure"
    if row.relation == "same" or ends is None:
        return "about the same" if row.relation == "same" else "not published"
    low, high = ends
    if row.status == "modelled" and abs(low - 1) < _SAME_RATIO:
        return "about the same (modelled)"
    if low == high == 1:
        return {"at_most": "not higher", "at_least": "not lower"}.get(row.relation, "the same")
    is_lower = high <= 1
    lead = {"at_most": "at least" if is_lower else "at most", "at_least": "at least"}
    if row.relation == "at_least" and is_lower:
        lead["at_least"] = "at most"
    words = {"about": "about ", "up_to": "up to "}.get(row.relation, "")
    words += f"{lead[row.relation]} " if row.relation in lead else ""
    if high >= _MANY_TIMES or low < 1 < high:
        amount = " to ".join(dict.fromkeys(f"{end:.3g}" for end in ends)) + " times"
    else:
        shares = sorted(100 * abs(1 - end) for end in ends)
        digits = ".2g" if row.status == "modelled" else ".3g"
        amount = " to ".join(dict.fromkeys(f"{share:{digits}}" for share in shares)) + " %"
        amount += " lower" if is_lower else " higher"
    return f"{words}{amount}{' (modelled)' if row.status == 'modelled' else ''}"


def title_text(variant: Conditions, baseline: Conditions) -> str:
    """Return what differs, variant first, and in brackets what both cases share."""
    keys = {key for key in {**variant, **baseline} if variant.get(key) != baseline.get(key)}
    sides = [
        ", ".join(_words({key: case[key] for key in case if key in keys}))
        or ", ".join(f"{key} {_USUAL[key]}" for key in keys if key in _USUAL)
        or "the default"
        for case in (variant, baseline)
    ]
    shared = ", ".join(_words({key: variant[key] for key in variant if key not in keys}))
    return f"{sides[0]} against {sides[1]}{f' ({shared})' if shared else ''}"


def _words(case: Conditions) -> Iterator[str]:
    """Yield conditions for a sentence; an adapter at both ends once."""
    is_same = case.get("client") == case.get("server")
    for key, value in case.items():
        if key in {"client", "server"} and not is_same:
            yield f"{key} {_condition_text(key, value)}"
        elif key != "server":
            yield _condition_text(key, value)


def _condition_text(key: str, value: str | float) -> str:
    if key == "connections":
        return f"{value} connection{'s' * (value != 1)}"
    if key in {"window", "rtt"}:
        return f"window {window_text(float(value))}" if key == "window" else f"round trip {value}"
    if key in {"km", "loss"}:
        return f"{value:.4g} km" if key == "km" else f"loss {value:.4g}"
    name = Path(str(value)).stem if str(value).endswith(".toml") else value
    return f"{name}" if key in _PLAIN else f"{key} {name}"


def answer_text(title: str, rows: Sequence[Answer], variant: Conditions) -> str:
    """Return the answer in one sentence: what is printed or follows of each quantity."""
    said: dict[str, list[Answer]] = {}
    for row in rows:
        if is_known(row) or is_figure(row):
            said.setdefault(row.quantity, []).append(row)
    direct = {name: own for name, own in said.items() if not all(r.is_converted for r in own)}
    facts = [
        _fact([row for row in own if not row.is_converted] or own, variant)
        for own in (direct or said).values()
    ]
    if all(name.startswith("cpu") for name in said):
        facts.insert(0, f"not published; {_nearest_fact(rows)}")
    answer, *others = facts
    for fact in others:
        longer = f"{answer}; {fact}"
        word_count = len(f"{title} {longer}".replace(" %", "").split())
        answer = longer if word_count <= _WORD_COUNT else answer
    return f"{title}: {answer}."


def _fact(rows: Sequence[Answer], variant: Conditions) -> str:
    """Return the changes of a quantity with the cases that they are of; of many the ends."""
    open_keys = {
        key for row in rows for key in row.conditions if key != "side" and key not in variant
    }
    values = {key: {row.conditions.get(key) for row in rows} for key in open_keys}
    telling = [key for key in values if len(values[key] - {None}) > 1 or len(rows) == 1]
    places: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        where = "".join(_where(key, row) for key in telling if key in row.conditions)
        sides = places.setdefault((change_text(row), where), [])
        sides.append(str(row.conditions.get("side", "")))
    changes = {change for change, _ in places}
    if len(places) > _SHOWN_FACTS and len(changes) > 1:
        figures = [row for row in rows if _ends(row) is not None]
        middles = [sum(_ends(row) or ()) for row in figures]
        ends = [figures[middles.index(end)] for end in (min(middles), max(middles))]
        if {id(row) for row in ends} != {id(row) for row in rows} and len(figures) > 1:
            return _fact(ends, variant).replace(", ", " to ", 1)
    parts: list[str] = []
    for (change, where), sides in places.items():
        side = f"of the {sides[0]} " if len(sides) == 1 and sides[0] else ""
        at = where.removesuffix(" connections") if parts else where
        parts.append(f"{side}{change}{at if len(changes) > 1 or len(rows) == 1 else ''}")
    name = _NAMES.get(rows[0].quantity, rows[0].quantity.replace("_", " "))
    return f"{name} {', '.join(dict.fromkeys(parts))}"


def _where(key: str, row: Answer) -> str:
    """Return the case of a row, for the end of a sentence."""
    value = row.conditions[key]
    words = f"payload {value}" if key == "payload" else _condition_text(key, value)
    return f" {'at' if key in _IN_ORDER | {'mtu'} else 'for'} {words}"


def case_text_of(row: Answer, variant: Conditions) -> str:
    """Return what a row fixes and the question leaves open, beside connections and side."""
    shown = {"connections", "side", "km", "rtt", "distance", *variant}
    return ", ".join(_words({k: v for k, v in row.conditions.items() if k not in shown}))


def _nearest_fact(rows: Sequence[Answer]) -> str:
    """Return what is printed on both sides of a number, else bounds, else the nearest case."""
    open_rows = [row for row in rows if not is_known(row)]
    for row in open_rows:
        found = [m for m in row.nearest if {*m.differs} <= _IN_ORDER and m.row.low is not None]
        if found:
            return f"nearest {row_name(row)} {', '.join(map(_near, found[:2]))}"
    for row in open_rows:
        if row.status == "modelled" and abs((row.value or 1) - 1) > _SAME_RATIO:
            return (
                f"{row_name(row)} by {row.relation.replace('_', ' ')} alone {row.value:.3g} times"
            )
    for row in open_rows:
        if row.nearest:
            return f"nearest {row_name(row)} {_near(row.nearest[0])}"
    return "no document compares them, and no two predictions of one kind do"


def _near(match: Match) -> str:
    """Return a printed ratio and the conditions that differ."""
    differs = [
        f"{' or '.join(map(str, match.row.of[key]))} {key}".removesuffix(
            "s" * (match.row.of[key] == (1,))
        )
        if key in _IN_ORDER
        else " ".join([key, *(f"{value}" for value in match.row.of.get(key, ()))])
        for key in match.differs
    ]
    lead = "at" if {*match.differs} <= _IN_ORDER else "with"
    return f"{match.row.amount().partition(' that ')[0]} {lead} {listed(differs)}"


def nearest_lines(rows: Sequence[Answer], is_verbose: bool) -> Iterator[str]:
    """Yield the nearest printed rows of rates and of costs that documents leave open."""
    seen: set[bool] = set()
    for row in rows:
        is_cost = row.quantity.startswith("cpu")
        if is_known(row) or is_cost in seen:
            continue
        seen.add(is_cost)
        texts: dict[object, str] = {}
        for match in row.nearest:
            note = match.row.note
            text = match.text.partition(f"; {note}")[0] if note else match.text
            texts.setdefault((match.row.id, match.row.amount()), text)
        for text in [*texts.values()][: None if is_verbose else _SHOWN_NEAREST]:
            yield f"  {_NAMES.get(row.quantity, row.quantity.replace('_', ' '))} {text}"


def notes_of(rows: Sequence[Answer]) -> list[str]:
    """Return what to know of the rows: caveats, other rows about the case, what to measure."""
    direct = [row for row in rows if not row.is_converted]
    modelled = [f"{row_name(row)}: {row.text}" for row in rows if row.status == "modelled"]
    doubts = [f"{row_name(row)} is doubtful: {row.doubt}" for row in rows if row.doubt]
    caveats: dict[str, str] = {}
    for row in filter(is_known, direct):
        text = row.text.partition("); ")[2] if row.status == "printed" else row.text
        if text:
            caveats.setdefault(text, f"{row_name(row)}: {text}")
    others = [
        f"{row.quantity.replace('_', ' ')} also: {note}" if is_known(row) else note
        for row in direct
        for note in row.notes
    ]
    return [*dict.fromkeys((*doubts, *modelled, *caveats.values(), *others))]
