"""Answers from what is published: printed, between printed rows, in one step, by physics."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

from netmodel.consumption import Side
from netmodel.errors import NetmodelError
from netmodel.lazy_numpy import np
from netmodel.numeric import is_array
from netmodel.path import SpecifiedPath, predict_path, workload_traffic
from netmodel.path.stages import LINE_STAGES
from netmodel.published._rows import (
    FAMILIES,
    IN_ORDER,
    PLACES,
    RATES,
    Case,
    Condition,
    Row,
    Rows,
    rows,
    with_implied,
)
from netmodel.published._words import change_of, said_once, words_of
from netmodel.records import adapter, workload
from netmodel.results import Result
from netmodel.units.prefixes import GIGA

USUAL_CASE: Case = {"rps": "off", "protocol": "tcp"}
"""Conditions of a case that does not name them; they are never open."""
_TESTED = frozenset({"connections", "mtu"})
"""A row that leaves one of these open says nothing of values that its document never tested."""
_FOLLOWING = frozenset({"payload", "attributes"})
"""Conditions that may follow from others of the case; a row need not fix them."""
_OF_NO_DOCUMENT = frozenset({"window", "loss", "message"})
"""Conditions that predictions know and no document fixes: a printed row is context beside them."""
_FARTHEST_COUNT = 3
"""Conditions in which a near row may differ: with four it is about something else."""
_BESIDE_COUNT = 3
"""Nearest figures that stand below a prediction: as many as a reader takes in."""
_SHOWN_COUNT = 6
"""Nearest rows that an answer lists: as many as a reader compares."""


_Point: TypeAlias = tuple[float, float]
"""A number of connections, and the figure that is printed of it."""
_CELL = ("client", "server", "workload", "payload", "mtu", "connections", "side")
"""Conditions that make a row of a comparison where the cases leave them out."""
GBPS_OF_UNIT: Mapping[str, float] = {"Gbit/s": 1.0, "MB/s": 8 * 2**20 / 1e9}
"""Throughput units as printed; MB is read as 2**20 byte, as flat rates at line speed show."""
_BATCHED = 0.8
"""Exponent of the time of a round of requests over connections, which are handled in batches: of
0.5 to 1.0 the one with the least error on inner points of the measured series that are left out."""
_ABOVE_NEXT = 1.01
"""A rate between two connections exceeds the greater neighbour by at most 1 %: runs scatter so."""
_DEFAULT_MTU_BYTES = 1500
"""IP MTU of Ethernet (IEEE 802.3), where the case names none."""


@dataclass(frozen=True)
class Answer(Result):
    """
    The published knowledge of one quantity of a case, or of its ratio to a baseline.

    Parameters
    ----------
    quantity : str
        Such as ``"throughput"``.
    status : str
        printed, two_figures, interpolated, one_step, physics, beyond or not_published.
    relation : str
        As in a row; empty where nothing is known.
    value, low, high : float or None
        The printed value, and what printed digits and words leave; None where open. Of a bound in
        one step, `value` is that of the printed digits and `high` that of their far end.
    unit : str
        As printed; ``"times"`` of ratios.
    text : str
        The answer in a line.
    places : tuple of str
        Document and place of each row that it rests on.
    notes : tuple of str
        Other rows about the case, and what they leave open.
    nearest : tuple of Row
        Rows of cases that differ least.
    doubt : str
        Why a printed figure cannot be right; no other answer rests on such a one.
    conditions : mapping of str to str or number
        Connections and side of an answer in a comparison, and what else the cases leave out.
    change : str
        A ratio as a change, such as 17 % lower.
    is_converted : bool
        Whether another quantity is printed, of which this one follows.
    is_value : bool
        True of a sure value of the very case, no bound and no doubtful figure.
    """

    quantity: str
    status: str = "not_published"
    relation: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = "times"
    text: str = "not published"
    places: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    nearest: Rows = ()
    doubt: str = ""
    conditions: Case = field(default_factory=dict)
    change: str = ""
    is_converted: bool = False
    is_value: bool = False

    json_keys = "quantity status relation value low high unit text places notes nearest"


def answer(
    case: Case, quantity: str, baseline: Case | None = None, published: Rows | None = None
) -> Answer:
    """
    Return what is published of a quantity of a case, or of its ratio to a baseline.

    Parameters
    ----------
    case, baseline : mapping of str to str or number
        Conditions: ``client``, ``server`` (ids of adapters; ``adapter`` stands for both),
        ``path``, ``layer``, ``workload``, ``mtu`` [byte], ``connections``, ``rps``, ``side``,
        ``km``, ``protocol``, ``level``, and any setting under its own name.
    quantity : str
        throughput, transaction_rate, transaction_time, cpu_consumption,
        cpu_time_per_transaction, cpu_utilisation, cpu_efficiency, buffer_memory, queue_length,
        performance.
    published : tuple of Row, optional
        What is published; by default all rows of the data.

    Returns
    -------
    answer : Answer
        A printed figure of the very case; else one between printed rows of its series; else the
        tighter of physics and one printed ratio to a case whose figure or bound is known; else
        ``not_published``. With the nearest rows in any case.

    Examples
    --------
    >>> osa = {"adapter": "osa-express7s-25gbe", "workload": "rr1c-200x30k", "mtu": 1500}
    >>> answer({**osa, "connections": 50}, "throughput").value
    13.0
    """
    case, baseline = with_implied(case), with_implied(baseline or {})
    known = rows(case, baseline) if published is None else published
    if baseline:
        return _of_pair(known, quantity, case, baseline)
    return replace(of_case(known, case, quantity), nearest=nearest(known, case, quantity))


def comparison(case: Case, baseline: Case, quantities: Sequence[str]) -> tuple[Answer, ...]:
    """
    Return one answer for each quantity, number of connections and side that is printed of a pair.

    Parameters
    ----------
    case, baseline : mapping of str to str or number
        As in `answer`; where both leave out workload, payload, MTU, connections or side, each
        printed value has an answer of its own.
    quantities : sequence of str
        As in `answer`.

    Returns
    -------
    answers : tuple of Answer
        Each with what the cases leave out in `conditions`. Of a quantity without any printed
        ratio or pair of figures one answer, with the nearest rows.
    """
    case, baseline = with_implied(case), with_implied(baseline)
    known, answers = rows(case, baseline), list[Answer]()
    shared = {key: x for key, x in case.items() if key in _CELL[-2:] and baseline.get(key) == x}
    keys = [key for key in _CELL if key not in case and key not in baseline]

    def cells_of(quantity: str, case: Case, baseline: Case | None = None) -> set[frozenset[Any]]:
        found = [row.of for row in look_up(known, case, quantity, baseline)]
        # one adapter alone is no condition that tells rows apart
        own = [key for key in keys if key not in PLACES or len({of.get(key) for of in found}) > 1]
        named = ([[(key, x) for x in of[key]] for key in own if key in of] for of in found)
        return {frozenset(cell) for each in named for cell in product(*each)}

    for quantity in quantities:
        cells = cells_of(quantity, case, baseline)
        cells = cells or cells_of(quantity, case) & cells_of(quantity, baseline)
        fullest = [dict(sorted(cell)) for cell in cells if not any(cell < other for other in cells)]
        fullest.sort(key=lambda cell: [(key in cell, cell.get(key, 0)) for key in _CELL])
        found = [
            replace(_of_pair(known, quantity, *pair), conditions={**shared, **cell})
            for cell in (*fullest, {})
            for pair in [[with_implied({**cell, **each}) for each in (case, baseline)]]
        ]
        # one without a cell stands alone, as where nothing divides two figures
        printed = [each for each in found[:-1] if each.status != "not_published"]
        answers += found[:-1] if printed else found[-1:]
    return tuple(answers)


def _of_pair(known: Rows, quantity: str, case: Case, baseline: Case) -> Answer:
    """Return the printed ratio; else that of two printed figures; else the nearest ratios."""
    answers = look_up(known, case, quantity, baseline)
    figures = [look_up(known, each, quantity) for each in (case, baseline)]
    first, second = (next((row for row in found if row.is_value), None) for found in figures)
    if answers:
        found = _printed(answers, case)
    elif first and second and first.unit == second.unit:
        value = (first.low or 0.0) / (second.low or math.nan)
        (low, high), (least, most) = first.interval, second.interval
        relation = "about" if "about" in {first.relation, second.relation} else "equal"
        ends = (value, low / most, high / least if least else None, "times")
        text = f"{value:.4g} times, of two printed figures: {first.text} and {second.text}"
        change, places = change_of(relation, value, value), (first.where, second.where)
        found = Answer(quantity, "two_figures", relation, *ends, text, places, change=change)
    else:
        found = _unknown(quantity, case)
    return replace(found, nearest=nearest(known, case, quantity, baseline))


# ---- rows that fit a case, or a pair


def fitted(known: Rows, case: Case, quantity: str, baseline: Case | None = None) -> list[Row]:
    """
    Return figures with how they fit a case.

    With a baseline the ratios that compare all in which it differs from the case, and how the rest
    fits; with an empty one the ratios of the case to whatever they have on the other side.
    """
    first, second = {**USUAL_CASE, **case}, {**USUAL_CASE, **(baseline or {})}
    changed = {key for key in {**first, **second} if first.get(key) != second.get(key)}
    asked = [key for key in case if case[key] != USUAL_CASE.get(key) and key not in _FOLLOWING]
    places, found = PLACES & first.keys(), []
    for row in _of_quantity(known, quantity, baseline is not None):
        of, compared = row.of, row.against if baseline else {}
        if baseline and not (changed and changed <= compared.keys()):
            continue
        allowed = {key: {(None, None), *product(of.get(key, ()), x)} for key, x in compared.items()}
        if any((first.get(key), second.get(key)) not in pairs for key, pairs in allowed.items()):
            continue
        fixed = [key for key in of if key not in compared]
        silent = [key for key in fixed if key not in first]
        differs = [key for key in fixed if key in first and first[key] not in of[key]]
        if silent and (places or not row.against) and places.isdisjoint(of):  # another place
            differs += [key for key in silent if key in PLACES]
            silent = [key for key in silent if key not in PLACES]
        named = {*of, *compared, *(["workload"] if "payload" in of else [])}
        opened = tuple(key for key in asked if key not in named)
        found.append(row.changed(open=opened, differs=tuple(differs), silent=tuple(silent)))
    return found


@lru_cache(maxsize=64)  # the quantities, of bundled data and of those with a directory of a user
def _of_quantity(known: Rows, quantity: str, is_ratio: bool) -> Rows:
    """Return figures, or ratios in both orders, with those that follow from other quantities."""
    found = (row.as_quantity(quantity) for row in known if bool(row.against) is is_ratio)
    return tuple(x for row in found if row for x in ([row, row.turned()] if is_ratio else [row]))


def look_up(known: Rows, case: Case, quantity: str, baseline: Case | None = None) -> Rows:
    """
    Return figures of a case, or its ratios to a baseline.

    A row with an open condition is none where its document never tested the connections or the
    MTU of the case, or where another row fixes all that it fixes and more, and differs from the
    case only in what it leaves open: then the document has values of that condition, and they
    differ.
    """
    near = fitted(known, case, quantity, baseline)

    def is_of_case(row: Row) -> bool:
        opened = set(row.open)
        tested = all(is_tested(known, key, case[key], row.document) for key in opened & _TESTED)
        others = (x for x in near if opened.issuperset(x.differs) and not opened.issubset(x.open))
        is_fixed = any(row.of.keys() <= other.of.keys() for other in others)
        return not opened or (tested and opened.isdisjoint(_OF_NO_DOCUMENT) and not is_fixed)

    fitting = (row for row in near if not row.differs and is_of_case(row))
    answers = sorted(fitting, key=lambda row: row.rank)
    for key, value in said_once()["usual"].items():
        usual = [row for row in answers if value in row.of.get(key, ())]
        if key not in case and usual:
            answers = [row for row in answers if row in usual or key not in row.of]
    return tuple(answers)


@lru_cache(maxsize=64)
def values_of(known: Rows, key: str, document: str = "") -> frozenset[Condition]:
    """Return the values of a condition that a document has, or any of them."""
    of = [row.of.get(key, ()) for row in known if document in {"", row.document}]
    return frozenset(value for values in of for value in values)


def is_tested(known: Rows, key: str, value: object, document: str = "") -> bool:
    """Return whether a document, or any of them, has this value of a condition, or none at all."""
    return value in (values_of(known, key, document) or (value,))


def nearest(known: Rows, case: Case, quantity: str, baseline: Case | None = None) -> Rows:
    """
    Return the rows that differ least; each names what differs.

    Of connections and distances, those below and above the one asked for. Of a setting that is on,
    its effect on either case, and the pair without it.
    """
    found = fitted(known, case, quantity, baseline)
    other = baseline or case
    for key, usual in USUAL_CASE.items():
        on = [each for each in (case, other) if each.get(key, usual) != usual]
        if not on or {each for each in case if case[each] != other.get(each)} <= {key}:
            continue
        off = {**case, key: usual}, {**other, key: usual}
        for first, second in (*((each, {**each, key: usual}) for each in on), off):
            for row in look_up(known, first, quantity, second):
                silent = (key, "client", *row.silent)
                found.append(row.changed(differs=(f"{key} of the pair",), silent=silent))
    far = (row for row in found if 0 < len(row.differs) <= _FARTHEST_COUNT)
    near = [row for row in far if any(case[key] in row.of.get(key, ()) for key in case)]
    shown: dict[tuple[object, ...], Row] = {}
    for row in sorted(near, key=lambda row: (row.distance(case), row.rank)):
        ordered = sorted(IN_ORDER & set(row.differs))
        above = tuple(float(value) > float(case[key]) for key in ordered for value in row.of[key])
        kind = tuple(row.of.get(key, ()) for key in ("side", "part", "rps", "client"))
        shown.setdefault((row.differs, above, kind), row)
    return tuple(shown.values())[:_SHOWN_COUNT]


def beside(known: Rows, case: Case) -> tuple[Rows, Rows]:
    """Return what is printed of a case, figures before ratios, and the nearest rows of its rate."""
    fitting = [
        row
        for quantity in FAMILIES
        for baseline in (None, dict[str, Condition]())
        for row in look_up(known, case, quantity, baseline)
        if not (row.is_converted or PLACES.isdisjoint(row.base))
    ]
    figures = {row.id: row for row in sorted(fitting, key=lambda x: (bool(x.against), x.rank))}
    near = [row for quantity in RATES for row in nearest(known, case, quantity)]
    others = {row.id: row for row in reversed(near) if row.id not in figures}
    return tuple(figures.values()), tuple(reversed(others.values()))[:_BESIDE_COUNT]


# ---- one case


def of_case(known: Rows, case: Case, quantity: str) -> Answer:
    """Return what `answer` does of a case with all that it implies, without the nearest rows."""
    series = _in_series(known, case, quantity)
    tested = "connections" not in case or is_tested(known, "connections", case["connections"])
    # of other numbers no row is of the very case, and a look-up for each of a sweep takes long
    answers = look_up(known, case, quantity) if tested or not series else ()
    if answers:
        return _printed([row for row in answers if not row.doubt] or answers, case)
    if series:
        return series
    ratios = fitted(known, case, quantity, {}) if tested else []
    about = sorted((x for x in ratios if not (x.differs or x.open)), key=lambda x: x.rank)
    steps = (_step(known, case, row) for row in about)
    bounds = [each for each in (_by_physics(case, quantity), *steps) if each]
    if not bounds:
        return _unknown(quantity, case)
    return min(bounds, key=lambda x: (x.high or math.inf) * GBPS_OF_UNIT.get(x.unit, 1))


def of_each(
    case: Case, mtu_bytes: Any, count: Any, quantities: Sequence[str]
) -> tuple[list[list[Answer]], Any]:
    """
    Return what is published of a case, of each MTU and number of connections that are known.

    With it the place of each given case in the list. Of numbers that no document knows there is
    nothing, and it is not looked up.
    """
    known, at = rows(case), None
    if not (is_array(mtu_bytes) or is_array(count)):
        cases: list[Case | None] = [with_numbers(case, mtu_bytes, count)]
    else:
        series = (series_of(known, quantity, tuple(case.items())) for quantity in quantities)
        is_known = np.isin(mtu_bytes, [*values_of(known, "mtu")])
        if count is not None and not any(series):
            is_known = is_known & np.isin(count, [*values_of(known, "connections")])
        pairs = np.where(is_known, mtu_bytes + 1j * (0 if count is None else count), math.nan)
        each, at = np.unique(pairs, return_inverse=True)
        cases = [with_numbers(case, x.real, x.imag or None) if x == x else None for x in each]
    return [[of_case(known, x, of) if x else Answer(of) for of in quantities] for x in cases], at


def with_numbers(case: Case, mtu_bytes: Any, count: Any) -> Case:
    """Return a case with MTU and connections as documents print them, as far as they are known."""
    given = {"mtu": mtu_bytes, "connections": count}
    known = {key: x for key, x in given.items() if x is not None and not math.isnan(x)}
    return {**case, **{key: int(x) if x % 1 == 0 else x for key, x in known.items()}}


def _by_physics(case: Case, quantity: str, *, at_line_speed: bool = False) -> Answer | None:
    """Return the throughput that line and adapters of a case allow, or its line; None of others."""
    if "path" in case or case.get("protocol", "tcp") != "tcp" or quantity != "throughput":
        return None
    names = (str(case.get(key)) for key in ("client", "server", "workload"))
    known = _bounds_of(*names, float(case.get("mtu", _DEFAULT_MTU_BYTES)))
    return known[at_line_speed] if known else None


@lru_cache
def _bounds_of(client: str, server: str, name: str, mtu_bytes: float) -> list[Answer] | None:
    """Return the bound by line and adapters, and that by the line alone."""
    try:
        load, ends = workload(name), [adapter(client), adapter(server)]
        path = SpecifiedPath(*(ends if load.sender is Side.CLIENT else reversed(ends)))
        found = predict_path(path.path(load.sender), workload_traffic(load), mtu_bytes)
    except NetmodelError:  # an unknown id, or a workload without a size: no bound by physics
        return None
    rates = {name: float(x.value) / GIGA for name, x in found.limit_rates_bps.items()}
    line, least = min(rates[x] for x in LINE_STAGES if x in rates), min(rates.values())
    by = "line" if line == least else "line and adapters"
    texts = (f"at most {least:.4g} Gbit/s by {by}", f"at most {line:.4g} Gbit/s by line")
    return [
        Answer("throughput", "physics", "at_most", value, None, value, "Gbit/s", text)
        for value, text in zip((least, line), texts, strict=True)
    ]


def _reference(known: Rows, case: Case, quantity: str) -> Answer | None:
    """Return a printed figure, line speed, or the physical bound."""
    for row in look_up(known, case, quantity):
        found = _printed([row], case)
        if row.relation == "line" and found.value is not None:
            return replace(found, text=f"it runs at {found.text}")
        if row.low and row.high and not row.doubt and row.relation != "at_least":
            low, high = row.low - row.rounding, row.high + row.rounding
            return replace(found, low=low, high=high, text=f"it has {row.text}")
    limit = _by_physics(case, quantity)
    lead = "its line carries" if limit and limit.text.endswith("line") else "it carries at most"
    return limit and replace(limit, text=f"{lead} {limit.value:.4g}")


def _step(known: Rows, case: Case, row: Row) -> Answer | None:
    """Return one printed ratio times one figure or bound: its far end, and by printed digits."""
    low, high = row.interval
    other = {**case, **{key: values[0] for key, values in row.against.items()}}
    figure = None if row.doubt or math.isinf(high) else _reference(known, other, row.quantity)
    if figure is None or figure.high is None:
        return None
    nominal = {"up_to": max(row.high or 1.0, 1.0), "same": 1.0}.get(row.relation, row.high or high)
    value, far = nominal * (figure.value or figure.high), high * figure.high
    words = row.amount()
    if row.quantity in RATES and high < 1:
        words = f"{words_of(row.against)} is {row.turned().figure} as fast"
    text = f"at most {far:.4g} {figure.unit}: {words} ({row.where}) and {figure.text}"
    if row.relation in {"at_most", "up_to"} and figure.status == "physics":
        text = f"not published; {text}"  # a bound of a bound may be far from both
    near, places = low * (figure.low or 0) or None, (row.where, *figure.places)
    return Answer(row.quantity, "one_step", "at_most", value, near, far, figure.unit, text, places)


# ---- between printed numbers of connections


def _in_series(known: Rows, case: Case, quantity: str) -> Answer | None:
    """Return a value between the two next printed numbers; beyond the largest, bounds."""
    count = float(case.get("connections", 0))
    series = tuple((key, value) for key, value in case.items() if key != "connections")
    points = series_of(known, quantity, series)
    x1 = max((x for x in points if x < count), default=0.0)
    x2 = min((x for x in points if x > count), default=0.0)
    if not x1:
        return None
    row, y1, per = points[x1], points[x1].low or 0.0, points[x1].unit.replace("1/s", "/s")
    if not x2:
        high = y1 * count / x1 if quantity in RATES else None
        text = f"measured to {x1:g} connections: {y1:.7g} {per} ({row.where})"
        relation, places = "at_most" if high else "", (row.where,)
        return Answer(quantity, "beyond", relation, None, None, high, row.unit, text, places)
    y2, both = points[x2].low or 0.0, (row.where, points[x2].where)
    value, low, high = _between(quantity, count, (x1, y1), (x2, y2))
    if case.get("part", "total") == "total":
        names = {x for each in known if each.quantity == quantity for x in each.of.get("part", ())}
        parts = [_in_series(known, {**case, "part": x}, quantity) for x in names - {"total"}]
        if parts and all(each and each.value for each in parts):
            ends = ((x.value or 0, x.low or 0, x.high or 0) for x in parts if x)
            value, low, high = map(math.fsum, zip(*ends, strict=True))
    text = f"about {value:.5g} {per}, between {y1:.7g} at {x1:g} and {y2:.7g} at {x2:g}"
    found = Answer(quantity, "interpolated", "about", value, low, high, row.unit, text, both)
    return replace(found, is_value=True)


@lru_cache(maxsize=64)  # the series of a few sweeps
def series_of(known: Rows, of: str, case: tuple[tuple[str, Condition], ...]) -> Mapping[float, Row]:
    """Return the figures of one series by number of connections."""
    found = [row for row in look_up(known, dict(case), of) if row.is_value]
    counted = [row for row in found if len(row.of.get("connections", ())) == 1]
    first = {**counted[0].of, "connections": None} if counted else {}
    return {
        float(row.of["connections"][0]): row
        for row in counted
        if {**row.of, "connections": None}.items() <= first.items()
    }


# ---- answers of rows


def _printed(found: Sequence[Row], case: Case) -> Answer:
    """Return the first row as the answer, line speed with its rate; the others stand below."""
    row, unit, text = found[0], found[0].unit, found[0].text
    low, high = (None if each in {0, math.inf} else each for each in row.interval)  # open
    value = 1.0 if row.relation == "same" else row.low if row.low == row.high else None
    line = _by_physics(case, row.quantity, at_line_speed=True) if row.relation == "line" else None
    if line is not None:
        unit, value, low, high = line.unit, line.value, line.value, line.value
        text = text.replace("line speed", f"line speed, {value:.4g} {unit}", 1)
    return Answer(
        *(row.quantity, "printed", row.relation, value, low, high, unit, text),
        places=tuple(dict.fromkeys(each.where for each in found)),
        notes=tuple(each.text for each in found[1:]),
        doubt=row.doubt,
        change=row.change if row.against else "",
        is_converted=row.is_converted,
        is_value=row.is_value,
    )


def _unknown(quantity: str, case: Case) -> Answer:
    """Return that nothing is published, with the measurement that would tell."""
    named = ", ".join(f"{key} {case[key]}" for key in case if key not in _FOLLOWING)
    telling = f"a measurement of {quantity.replace('_', ' ')} with {named} would tell"
    return Answer(quantity, notes=(telling,))


def _between(quantity: str, count: float, below: _Point, above: _Point) -> tuple[float, ...]:
    """
    Return a figure between two printed ones, and the lowest and highest that curves leave open.

    Of requests N/X, the time of a round, is a straight line in N**0.8. Each stream keeps its rate
    until the next row is reached. CPU times are a straight line in logarithms. Rates lie above
    that line, because curves are concave, and no connection gets faster by others.
    """
    (x1, y1), (x2, y2) = below, above
    share = math.log(count / x1) / math.log(x2 / x1)
    in_logarithms = math.exp((1 - share) * math.log(y1) + share * math.log(y2))
    if quantity not in RATES:
        return in_logarithms, min(y1, y2), max(y1, y2)
    if quantity == "transaction_rate":
        share = (count**_BATCHED - x1**_BATCHED) / (x2**_BATCHED - x1**_BATCHED)
        value = count / ((1 - share) * x1 / y1 + share * x2 / y2)
    else:
        share = (count - x1) / (x2 - x1)
        value = min(y1 * count / x1, y2 if y2 >= y1 else 1 / ((1 - share) / y1 + share / y2))
    return value, in_logarithms, min(y1 * count / x1, _ABOVE_NEXT * max(y1, y2))
