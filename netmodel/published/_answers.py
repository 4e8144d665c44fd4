"""Answers from what is published: printed, between printed rows, in one step, by physics."""

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import product
from typing import Any

from netmodel.errors import NetmodelError
from netmodel.framing import parse_stack
from netmodel.framing.presets import LINK_MTU_BYTES
from netmodel.numeric import maximum, minimum
from netmodel.path import SpecifiedPath, predict_path, workload_traffic
from netmodel.path.stages import LINE_STAGES, SMCR_STACK
from netmodel.published import rows
from netmodel.published.rows import PLACES, USUAL_CASE, Case, Row, Rows, said_once, with_implied
from netmodel.records import adapter, workload
from netmodel.results import Result
from netmodel.text import number_text
from netmodel.units.prefixes import GIGA

_FOLLOWING = frozenset({"payload", "attributes"})
"""Conditions that may follow from others of the case; a row need not fix them."""
_CELL = ("client", "server", "workload", "path", "payload", "mtu", "km", "connections", "side")
"""Conditions that make a row of a comparison where the cases leave them out."""
_OF_RUN = frozenset({"path", "layer", "workload", "payload", "mtu", "km", "connections"})
"""Conditions that a bound is of: that of one value bounds no other."""
_OF_ROW = ("quantity", "relation", "unit", "text", "doubt", "change", "is_converted", "is_value")
"""What a printed answer has of its first row as it is."""


@dataclass(frozen=True, repr=False)
class Answer(Result):
    """
    The published knowledge of one quantity of a case, or of its ratio to a baseline.

    Parameters
    ----------
    quantity : str
        Such as ``"throughput"``.
    status : str
        printed, two_figures, interpolated, one_step, physics, beyond or not_published;
        modelled in comparisons.
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
        True for a sure value of this case, not for a bound or a doubtful figure.
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


def answer(case: Case, quantity: str, baseline: Case | None = None, published: Rows = ()) -> Answer:
    """
    Return the published figure of a case, or its ratio to a baseline.

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
    >>> found = answer({**osa, "connections": 50}, "throughput")
    >>> found.value, found.change  # of a figure there is no change
    (13.0, '')
    """
    case, baseline = with_implied(case), with_implied(baseline or {})
    known = rows.Known(published) or rows.about(case, baseline)
    if baseline:
        return _of_pair(known, quantity, case, baseline, {})
    found = of_case(known, tuple(case.items()), quantity)
    return replace(found, nearest=nearest(known, case, quantity))


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
    known, answers = rows.about(case, baseline), list[Answer]()
    shared = {key: x for key, x in case.items() if key in _CELL[-2:] and baseline.get(key) == x}
    keys = [key for key in _CELL if key not in case and key not in baseline]

    def cells_of(found: Rows) -> set[frozenset[Any]]:
        # what a row compares is in no cell of both cases, and no distance is none
        of = [{k: x for k, x in r.of.items() if k not in r.against and x != (0,)} for r in found]
        # one adapter alone is no condition that tells rows apart
        own = [key for key in keys if key not in PLACES or len({x.get(key) for x in of}) > 1]
        named = ([[(key, value) for value in x[key]] for key in own if key in x] for x in of)
        return {frozenset(cell) for each in named for cell in product(*each)}

    for quantity in quantities:
        first, second = (cells_of(look_up(known, x, quantity)) for x in (case, baseline))
        cells = cells_of(ratios := look_up(known, case, quantity, baseline))
        # two figures say more than words, also where they are of some of the cells
        cells |= {x for x in first & second if all(row.relation in rows.WORDS for row in ratios)}
        fullest = [shared | dict(sorted(x)) for x in cells if not any(x < other for other in cells)]
        fullest.sort(key=lambda cell: [(key in cell, cell.get(key)) for key in _CELL])
        # one without a cell stands alone, as where nothing divides two figures
        *found, alone = (_of_pair(known, quantity, case, baseline, x) for x in (*fullest, shared))
        answers += [each for each in found if each.status != "not_published"] or [alone]
    return tuple(answers)


def _of_pair(known: Rows, quantity: str, case: Case, baseline: Case, cell: Case) -> Answer:
    """
    Return the printed ratio; else that of two printed figures; else the nearest ratios.

    Words such as higher, without a figure, come after two figures.
    """
    case, baseline = {**case, **cell}, {**baseline, **cell}
    answers = look_up(known, case, quantity, baseline)
    figures = [[_with_rate(x, y) for x in look_up(known, y, quantity)] for y in (case, baseline)]
    first, second = (next((row for row in found if row.is_value), None) for found in figures)
    found = _printed(answers, case) if answers else _unknown(quantity, case)
    words = tuple(row.text for row in answers if row.relation in rows.WORDS)
    if len(words) == len(answers) and first and second and first.unit == second.unit:
        value = (first.low or math.nan) / (second.low or math.nan)
        (low, high), (least, most) = first.interval, second.interval
        relation = "about" if {"about", "line"} & {first.relation, second.relation} else "equal"
        ends = (value, low / most, high / least if least else None, "times")
        text = f"{value:.4g} times, of two printed figures: {first.text} and {second.text}"
        said, at = rows.change_of(relation, value, value), (first.where, second.where)
        # where machines differ too, more differs than the pair
        if {key: first.of[key] for key in first.silent} == {x: second.of[x] for x in second.silent}:
            found = Answer(quantity, "two_figures", relation, *ends, text, at, words, change=said)
        elif not answers:
            found = Answer(quantity, places=at, notes=(text,))
    return replace(found, nearest=nearest(known, case, quantity, baseline), conditions=cell)


# ---- rows that fit a case, or a pair


def fitted(
    known: Rows, case: Case, quantity: str, baseline: Case | None, free: Set[str], *fixed: str
) -> Iterator[Row]:
    """
    Yield figures with how they fit a case.

    With a baseline the ratios that compare all in which it differs from the case, and how the rest
    fits; with an empty one the ratios of the case to whatever they have on the other side. Only
    those that fix at least the fixed conditions, and differ from the case in free ones alone.
    """
    first, second = {**USUAL_CASE, **case}, {**USUAL_CASE, **(baseline or {})}
    changed = {key for key in {**first, **second} if first.get(key) != second.get(key)}
    in_both, places = first.keys() & second.keys(), PLACES & first.keys()
    asked = [key for key in case if case[key] != USUAL_CASE.get(key) and key not in _FOLLOWING]
    found, conditions = _of_quantity(known, quantity, baseline is not None)
    bound, least = first.keys() - free, {*fixed}
    barred = {(key, x) for key, x in conditions if key in bound and first[key] not in x}
    for row in (x() for x, own in found if barred.isdisjoint(own) and least <= dict(own).keys()):
        of, compared = row.of, row.against if baseline else {}
        differs = [key for key in of if key in first and first[key] not in of[key]]
        # of two ends that which the pair does not name is equal in both
        named = second.keys() | (PLACES if places else ())
        others = [x for x in compared if x in named and second.get(x) not in compared[x]]
        ends = [x for x in (*others, *compared.keys() & differs) if x in second]
        is_near = ends in ([], ["mtu"])  # another MTU at one end may be
        if not is_near or (baseline and not set() < changed <= compared.keys() & in_both):
            continue
        differs += others
        # of no distance is what does not say how far
        silent = [x for x in of if x not in first and x not in compared and of[x] != (0,)]
        if silent and (places or not compared) and places.isdisjoint(of):  # another place
            differs += [key for key in silent if key in PLACES]
        opened = tuple(x for x in asked if x not in of and (x != "workload" or "payload" not in of))
        if len(differs) <= 3 and free >= {*differs}:  # with more it is about something else
            yield row.changed(open=opened, differs=tuple(differs), silent=tuple(silent))


@lru_cache
def _of_quantity(known: Rows, quantity: str, is_ratio: bool) -> tuple[Any, Set[Any]]:
    """
    Return figures, or ratios in both orders, with what each fixes; and all that these fix.

    What depends on the distance has none in documents of one laboratory.
    """
    near, km = said_once()["at_no_distance"].get(quantity, ()), {"km": (0,)}
    signs = next((x for x in said_once()["families"] if is_ratio and quantity in x), [quantity])
    alike = (x for x in known if x.quantity in signs and bool(x.against) is is_ratio)
    at = ((x, {**x.of, **km} if x.document in near else x.of) for x in alike)
    both = ((x, of, other) for x, of in at for other in ([{}, x.against] if is_ratio else [{}]))
    found = [(partial(x.read_as, quantity, signs, y, z), {**y, **z}.items()) for x, y, z in both]
    return found, frozenset[Any]().union(*(fixed for _, fixed in found))


def look_up(known: Rows, case: Case, quantity: str, baseline: Case | None = None) -> Rows:
    """
    Return figures of a case, or its ratios to a baseline.

    A row with an open condition is none where its document never tested the connections or the
    MTU of the case, or where another row fixes all that it fixes and more, and differs from the
    case only in what it leaves open: then the document has values of that condition, and they
    differ.
    """

    def is_of_case(row: Row) -> bool:
        opened = frozenset(row.open)
        tested = ((x, values(known, x, row.document)) for x in opened & {"connections", "mtu"})
        is_untested = any(seen and case[key] not in seen for key, seen in tested)
        # predictions know some conditions that no document fixes
        is_known = not (is_untested or opened & {"window", "loss", "message"})
        fixing = fitted(known, case, quantity, baseline, opened, *row.of) if opened else ()
        return is_known and all(opened.issubset(x.open) for x in fixing)

    fitting = fitted(known, case, quantity, baseline, frozenset())
    answers = sorted((x for x in fitting if is_of_case(x)), key=lambda x: x.rank)
    for key, value in said_once()["usual"].items():
        if key not in case and any(value in row.of.get(key, ()) for row in answers):
            answers = [row for row in answers if value in row.of.get(key, (value,))]
    return tuple(answers)


@lru_cache
def values(known: Rows, key: str, document: str = "") -> frozenset[Any]:
    """
    Return the values of a condition that a document tested, or any of them.

    An advice, of what may be, names values that need not be tested.
    """
    own = (x for x in known if document in {"", x.document} and not x.is_possible)
    return frozenset(x for row in own for of in (row.of, row.against) for x in of.get(key, ()))


def nearest(known: Rows, case: Case, quantity: str, baseline: Case | None = None) -> Rows:
    """
    Return the rows that differ least; each names what differs.

    Of connections and distances, those below and above the one asked for. Of a setting that is on,
    its effect on either case, and the pair without it.
    """
    anything, other = {*case, *USUAL_CASE, *PLACES}, baseline or case
    found = [*fitted(known, case, quantity, baseline, anything)]
    for key, usual in USUAL_CASE.items():
        off, off_too = {**case, key: usual}, {**other, key: usual}
        pairs = ((case, off), (other, off_too), (off, off_too))
        if off != off_too and {case.get(key, usual), other.get(key, usual)} != {usual}:
            of_pairs = [x for one, two in pairs for x in look_up(known, one, quantity, two)]
            own: dict[str, Any] = {"differs": (f"{key} of the pair",)}
            found += [x.changed(silent=(key, "client", *x.silent), **own) for x in of_pairs]
    near = [x for x in found if x.differs and any(case[key] in x.of.get(key, ()) for key in case)]
    shown: dict[tuple[object, ...], Row] = {}
    for row in sorted(near, key=lambda row: (row.distance(case), row.rank)):
        ordered = sorted(rows.IN_ORDER & set(row.differs))
        above = tuple(float(value) > float(case[key]) for key in ordered for value in row.of[key])
        kind = tuple(row.of.get(key, ()) for key in ("side", "part", "rps", "client"))
        shown.setdefault((row.differs, above, kind), row)
    return tuple(shown.values())[:6]  # as many as a reader compares


# ---- one case


@lru_cache(maxsize=1024)  # a sweep over the printed MTUs and connections of a path
def of_case(known: Rows, conditions: tuple[tuple[str, Any], ...], quantity: str) -> Answer:
    """Return the `answer` for a case with implied conditions, without the nearest rows."""
    case = dict(conditions)
    if between := in_series(known, case, quantity):
        return between
    if answers := look_up(known, case, quantity):
        return _printed(sorted(answers, key=lambda x: bool(x.doubt)), case)
    found = (_by_physics(case, quantity), *_bounds(known, case, quantity))
    return min(found, key=lambda x: x.high or math.inf)  # physics is of no path, MB/s are of some


def _by_physics(case: Case, quantity: str) -> Answer:
    """Return the throughput that line and adapters of a case allow; else an unknown answer."""
    least, line = _carried_gbps(case, quantity)
    if least == math.inf:
        return _unknown(quantity, case)
    by = "adapters" if line == math.inf else f"line{' and adapters' * (least < line)}"
    text = f"at most {least:.4g} Gbit/s by {by}"
    return Answer(quantity, "physics", "at_most", least, None, least, "Gbit/s", text)


def _carried_gbps(case: Case, quantity: str) -> tuple[float, float]:
    """Return throughputs that line and adapters, and the line alone, allow; else no limits."""
    if "path" in case or quantity != "throughput":
        return math.inf, math.inf
    names = (str(case.get(key)) for key in ("protocol", "workload", "client", "server"))
    return _gbps_of(case.get("mtu", LINK_MTU_BYTES), *names)


@lru_cache
def _gbps_of(mtu_bytes: Any, protocol: str, name: str, *ends: str) -> tuple[float, float]:
    stack = parse_stack(SMCR_STACK) if protocol == "smc-r" else None
    try:
        path = SpecifiedPath(adapter(ends[0]), adapter(ends[1])).path()
        found = predict_path(path, workload_traffic(workload(name)), mtu_bytes, stack)
    except NetmodelError:  # an unknown id, or a workload without a size: no bound by physics
        return math.inf, math.inf
    rates = {name: float(x.value) / GIGA for name, x in found.limit_rates_bps.items()}
    return min(rates.values()), min(rates.get(x, math.inf) for x in LINE_STAGES)


def _bounds(known: Rows, case: Case, quantity: str) -> Iterator[Answer]:
    """Yield each printed ratio times one figure or bound."""
    ratios = [x for x in look_up(known, case, quantity, {}) if _OF_RUN.isdisjoint(x.silent)]
    # of each baseline the first: a converted ratio comes after one of the quantity itself
    for row in {frozenset(x.against.items()): x for x in reversed(ratios)}.values():
        high, other = row.interval[1], {k: x[0] for k, x in row.against.items()}
        figure = _reference(known, {**case, **other}, row.quantity)
        if row.open or row.doubt or math.isinf(high) or figure.value is None or figure.high is None:
            continue
        nominal = {"same": 1.0, "up_to": high}.get(row.relation, row.high or high)
        words, far, unit = row.amount(), high * figure.high, figure.unit.removeprefix("1")
        if row.quantity in rows.RATES and high < 1:
            words = f"{rows.words_of(row.against)} is {row.turned().figure} as fast"
        text = f"at most {number_text(far)} {unit}: {words} ({row.where}) and {figure.text}"
        if row.relation in {"at_most", "up_to"} and figure.status == "physics":
            text = f"not published; {text}"  # a bound of a bound may be far from both
        ends = (nominal * figure.value, None, far, figure.unit)
        yield Answer(row.quantity, "one_step", "at_most", *ends, text, (row.where, *figure.places))


def _reference(known: Rows, case: Case, quantity: str) -> Answer:
    """Return the printed figure with its digits, line speed, or the bound by physics."""
    for row in (x for x in look_up(known, case, quantity) if _OF_RUN.isdisjoint(x.silent)):
        found = _printed([row], case)
        if found.value is not None and not row.doubt and row.relation != "at_least":
            text = f"it {'runs at' if row.relation == 'line' else 'has'} {found.text}"
            return replace(found, high=found.value + row.rounding, text=text)
    limit = _by_physics(case, quantity)
    lead = "its line carries" if limit.text.endswith("line") else "it carries at most"
    return replace(limit, text=f"{lead} {limit.value or math.inf:.4g}")


# ---- between printed numbers of connections


def in_series(known: Rows, case: Case, quantity: str, counts: Any = None) -> Answer | None:
    """
    Return a value between the two next printed numbers; beyond the largest, bounds.

    Or those with an array of numbers that lie where that of the case does.
    """
    at = float(case.get("connections", math.nan))
    series = tuple((key, value) for key, value in case.items() if key != "connections")
    points = series_of(known, quantity, series)
    x1 = max((x for x in points if points[x].is_value and x < at), default=0.0)
    x2 = min((x for x in points if points[x].is_value and x > at), default=0.0)
    if not x1 or at in points:
        return None
    first, places = points[x1], tuple(points[x].where for x in (x1, x2) if x)
    asked = at if counts is None else counts
    if not x2:
        high = rows.NOISE_RATIO * (first.low or 0) * asked / x1 if quantity in rows.RATES else None
        text = f"measured to {x1:g} connections: {first.figure} ({first.where})"
        beyond = ("" if high is None else "at_most", None, None, high, first.unit, text, places)
        return Answer(quantity, "beyond", *beyond)
    names = values(known, "part") - {"total"} if case.get("part", "total") == "total" else ()
    parts = [series_of(known, quantity, (*series, ("part", name))) for name in names]
    is_sum = parts and all(x in each for each in parts for x in (x1, x2))
    between = (_between(quantity, asked, x[x1], x[x2]) for x in (parts if is_sum else [points]))
    value, low, high = map(sum, zip(*between, strict=True))
    text = "between " + " and ".join(f"{points[x].low:.7g} at {x:g}" for x in (x1, x2))
    if counts is None:
        text = f"about {value:.5g} {first.figure.split()[-1]} ({low:.5g} to {high:.5g}), {text}"
    known_as = ("interpolated", "about", value, low, high, first.unit, text, places)
    return Answer(quantity, *known_as, is_value=True)


@lru_cache
def series_of(known: Rows, of: str, case: tuple[tuple[str, Any], ...]) -> Mapping[float, Row]:
    """Return the figures of one series by number of connections."""
    found = [row for row in look_up(known, dict(case), of) if row.is_value or row.doubt]
    single = [row for row in found if len(row.of.get("connections", ())) == 1]
    kinds = {frozenset({**row.of, "connections": ()}.items()) for row in single}
    return {float(*row.of["connections"]): row for row in single if len(kinds) == 1}


# ---- answers of rows


def _with_rate(row: Row, case: Case) -> Row:
    """Return line speed with its rate, where that is known; another row as it is."""
    _, line = _carried_gbps({"mtu": row.of.get("mtu", (LINK_MTU_BYTES,))[0], **case}, row.quantity)
    known = row.relation == "line" and "protocol" not in row.open and line < math.inf
    return row.changed(low=line, high=line, interval=(line, line), unit="Gbit/s") if known else row


def _printed(found: Sequence[Row], case: Case) -> Answer:
    """Return the first row as the answer, line speed with its rate; the others stand below."""
    row = _with_rate(found[0], case)
    low, high = (None if each in {0, math.inf} else each for each in row.interval)  # open
    value = 1.0 if row.relation == "same" else row.low if row.low == row.high else None
    at, others = tuple(dict.fromkeys(x.where for x in found)), tuple(x.text for x in found[1:])
    # no line speed is a value
    own: dict[str, Any] = {x: getattr(row, x) for x in _OF_ROW} | {"is_value": found[0].is_value}
    return Answer(status="printed", value=value, low=low, high=high, places=at, notes=others, **own)


def _unknown(quantity: str, case: Case) -> Answer:
    """Return an unpublished answer, with the measurement that would give it."""
    telling = f"to find out, measure {quantity.replace('_', ' ')} with {rows.words_of(case)}"
    return Answer(quantity, notes=(telling,))


def _between(quantity: str, count: Any, below: Row, above: Row) -> tuple[Any, ...]:
    """
    Return a figure between two printed ones, and the lowest and highest that curves leave open.

    Of requests N/X, the time of a round, is a straight line in N**0.8. Each stream keeps its rate
    until the next row is reached. CPU times are a straight line in logarithms. Rates lie above
    that line, because curves are concave, and no connection gets faster by others.
    """
    (x1, y1), (x2, y2) = ((float(*x.of["connections"]), x.low or math.nan) for x in (below, above))
    in_logarithms = y1 * (count / x1) ** (math.log(y2 / y1) / math.log(x2 / x1))
    if quantity not in rows.RATES:
        return in_logarithms, min(y1, y2), max(y1, y2)
    # requests are handled in batches: of exponents from 0.5 to 1.0 the one with the least error on
    # inner points of the measured series that are left out
    power = 0.8 if quantity == "transaction_rate" else 1.0
    share = (count**power - x1**power) / (x2**power - x1**power)
    value = minimum(y1 * count / x1, maximum(y2, 1 / ((1 - share) / y1 + share / y2)))
    if quantity == "transaction_rate":
        value = count / ((1 - share) * x1 / y1 + share * x2 / y2)
    return value, in_logarithms, rows.NOISE_RATIO * minimum(y1 * count / x1, max(y1, y2))
