"""Answers from what is published: printed, between printed rows, in one step, by physics."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from typing import Any

from netmodel.consumption import Side
from netmodel.errors import NetmodelError
from netmodel.path import SpecifiedPath, predict_path, workload_traffic
from netmodel.published._look_up import (
    FOLLOWING,
    SHOWN_COUNT,
    is_tested,
    look_up,
    nearest,
    ratios_of,
)
from netmodel.published._rows import RATES, Case, Condition, Row, Rows, rows, with_implied
from netmodel.records import adapter, workload
from netmodel.results import fields_repr

_CELL = ("workload", "payload", "mtu", "connections", "side")
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
class Answer:
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
    printed_ends : tuple of float, optional
        Both ends of a printed figure, without its rounding.
    is_converted : bool
        Whether another quantity is printed, of which this one follows.
    open_conditions : tuple of str
        Conditions of the case that the printed row leaves open.
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
    printed_ends: tuple[float, float] | None = None
    is_converted: bool = False
    open_conditions: tuple[str, ...] = ()

    __repr__ = fields_repr

    @property
    def is_value(self) -> bool:
        """True of a sure value of the very case, no bound and no doubtful figure."""
        is_figure = self.status in {"printed", "interpolated"} and self.value is not None
        is_open = self.open_conditions or self.doubt or self.relation not in {"equal", "about"}
        return is_figure and not is_open


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
        return _of_pair(known, case, baseline, quantity)
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
    shared = {k: v for k, v in case.items() if k in _CELL[-2:] and baseline.get(k) == v}
    for quantity in quantities:
        found = []
        for cell in _cells(known, case, baseline, quantity):
            first, second = (with_implied({**cell, **each}) for each in (case, baseline))
            of_cell = _of_pair(known, first, second, quantity)
            found.append(replace(of_cell, conditions={**shared, **cell}))
        if all(each.status == "not_published" for each in found):  # figures that nothing divides
            found = [replace(_of_pair(known, case, baseline, quantity), conditions=shared)]
        answers += found
    return tuple(answers)


def _cells(known: Rows, case: Case, baseline: Case, quantity: str) -> Sequence[Case]:
    """Return open conditions of printed ratios, else of figures that both cases have."""
    keys = [key for key in _CELL if key not in case and key not in baseline]

    def cells_of(case: Case, baseline: Case | None = None) -> set[frozenset[tuple[str, Any]]]:
        found = (row.of for row in look_up(known, case, quantity, baseline)[0])
        named = ([[(key, x) for x in of[key]] for key in keys if key in of] for of in found)
        return {frozenset(cell) for each in named for cell in product(*each)}

    cells = cells_of(case, baseline) or cells_of(case) & cells_of(baseline)
    fullest = [dict(sorted(cell)) for cell in cells if not any(cell < other for other in cells)]
    return sorted(fullest, key=lambda x: [(str(type(x.get(k))), x.get(k, 0)) for k in _CELL])


# ---- pairs


def _of_pair(known: Rows, case: Case, baseline: Case, quantity: str) -> Answer:
    """Return the printed ratio; else that of two printed figures; else the nearest ratios."""
    answers, context = look_up(known, case, quantity, baseline)
    figures = [look_up(known, each, quantity)[0] for each in (case, baseline)]
    each_alone = ((_printed([row]) for row in found) for found in figures)
    first, second = (next((x for x in found if x.is_value), None) for found in each_alone)
    if answers:
        found = _printed(answers, context)
    elif first and second and first.unit == second.unit:
        found = _quotient(first, second)
    else:
        found = _unknown(quantity, case, (*figures[0], *figures[1], *context))
    return replace(found, nearest=nearest(known, case, quantity, baseline))


def _quotient(first: Answer, second: Answer) -> Answer:
    """Return the ratio of two printed figures."""
    value = (first.value or math.nan) / (second.value or math.nan)
    low = None if first.low is None or not second.high else first.low / second.high
    high = None if first.high is None or not second.low else first.high / second.low
    relation = "about" if "about" in {first.relation, second.relation} else "equal"
    text = f"{value:.4g} times, of two printed figures: {first.text} and {second.text}"
    ends, places = (value, low, high, "times"), (*first.places, *second.places)
    return Answer(first.quantity, "two_figures", relation, *ends, text, places)


# ---- one case


def of_case(known: Rows, case: Case, quantity: str) -> Answer:
    """Return what `answer` does of a case with all that it implies, without the nearest rows."""
    series = _in_series(known, case, quantity)
    if series and not is_tested(known, "connections", case["connections"]):
        return series  # no row is of the very case: a look-up for each number of a sweep takes long
    answers, context = look_up(known, case, quantity)
    if answers:
        return _printed([row for row in answers if not row.doubt] or answers, context, case)
    if series:
        return series
    about = ratios_of(known, case, quantity)
    steps = [_step(known, case, row) for row in about]
    bounds = [each for each in (_by_physics(case, quantity), *steps) if each]
    if not bounds:
        return _unknown(quantity, case, (*context, *about[:SHOWN_COUNT]))
    tightest = min(bounds, key=lambda x: (x.high or math.inf) * GBPS_OF_UNIT.get(x.unit, 1))
    return replace(tightest, notes=tuple(row.text for row in context))


def _by_physics(case: Case, quantity: str) -> Answer | None:
    """Return the throughput that line and adapters of a case allow; None where it names none."""
    if "path" in case or case.get("protocol", "tcp") != "tcp" or quantity != "throughput":
        return None
    client, server, name = (str(case.get(key)) for key in ("client", "server", "workload"))
    return _of_adapters(client, server, name, float(case.get("mtu", _DEFAULT_MTU_BYTES)))


@lru_cache
def _of_adapters(client: str, server: str, name: str, mtu_bytes: float) -> Answer | None:
    try:
        load, ends = workload(name), [adapter(client), adapter(server)]
        path = SpecifiedPath(*(ends if load.sender is Side.CLIENT else reversed(ends)))
        found = predict_path(path.path(load.sender), workload_traffic(load), mtu_bytes)
    except NetmodelError:  # an unknown id, or a workload without a size: no bound by physics
        return None
    limit = float(found.throughput_bps.value) / 1e9
    by = "line" if str(found.binding).startswith("wire") else "line and adapters"
    text = f"at most {limit:.4g} Gbit/s by {by}"
    return Answer("throughput", "physics", "at_most", limit, None, limit, "Gbit/s", text)


def _reference(known: Rows, case: Case, quantity: str) -> Answer | None:
    """Return a printed figure, line speed, or the physical bound."""
    for row in look_up(known, case, quantity)[0]:
        found = _printed([row], case=case)
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
    other = {**case, **{key: values[0] for key, values in row.against.items()}}
    low, high = row.interval
    is_bound = not row.doubt and math.isfinite(high)
    reference = _reference(known, other, row.quantity) if is_bound else None
    if reference is None or reference.high is None:
        return None
    nominal = {"up_to": max(row.high or 1.0, 1.0), "same": 1.0}.get(row.relation, row.high or high)
    far, value = high * reference.high, nominal * (reference.value or reference.high)
    words = row.amount()
    if row.quantity in RATES and high < 1:
        times = row.turned().amount().partition(" that ")[0]
        words = f"{row.baseline.removeprefix('of ')} is {times} as fast"
    # a bound of a bound may be far from both: it is no answer to begin with
    is_loose = row.relation in {"at_most", "up_to"} and reference.status == "physics"
    text = f"at most {far:.4g} {reference.unit}: {words} ({row.where}) and {reference.text}"
    text = f"not published; {text}" if is_loose else text
    near, places = low * (reference.low or 0) or None, (row.where, *reference.places)
    ends = (value, near, far, reference.unit)
    return Answer(row.quantity, "one_step", "at_most", *ends, text, places)


# ---- between printed numbers of connections


def _in_series(known: Rows, case: Case, quantity: str) -> Answer | None:
    """Return a value between the two next printed numbers; beyond the largest, bounds."""
    count = float(case.get("connections", 0))
    series = tuple((key, value) for key, value in case.items() if key != "connections")
    points = _points(known, quantity, series)
    x1 = max((each for each in points if each < count), default=math.nan)
    x2 = min((each for each in points if each > count), default=math.nan)
    if x1 not in points:
        return None
    row, unit, y1 = points[x1], points[x1].unit, points[x1].low or 0.0
    per = unit.replace("1/s", "/s")
    if x2 not in points:
        high = y1 * count / x1 if quantity in RATES else None
        text = f"measured to {x1:g} connections: {y1:.7g} {per} ({row.where})"
        relation = "at_most" if high else ""
        return Answer(quantity, "beyond", relation, None, None, high, unit, text, (row.where,))
    y2, places = points[x2].low or 0.0, (row.where, points[x2].where)
    value, low, high = _between(quantity, count, (x1, y1), (x2, y2))
    if case.get("part", "total") == "total":
        names = {x for each in known if each.quantity == quantity for x in each.of.get("part", ())}
        parts = [_in_series(known, {**case, "part": x}, quantity) for x in names - {"total"}]
        if parts and all(each and each.value for each in parts):
            ends = ((x.value or 0, x.low or 0, x.high or 0) for x in parts if x)
            value, low, high = map(math.fsum, zip(*ends, strict=True))
    text = f"about {value:.5g} {per}, between {y1:.7g} at {x1:g} and {y2:.7g} at {x2:g}"
    return Answer(quantity, "interpolated", "about", value, low, high, unit, text, places)


def may_be_known(known: Rows, case: Case, quantity: str) -> bool:
    """Return whether rows may be of its connections, or are others of their series."""
    is_near = "connections" not in case or is_tested(known, "connections", case["connections"])
    return is_near or _in_series(known, case, quantity) is not None


@lru_cache(maxsize=64)  # the series of a few sweeps
def _points(known: Rows, of: str, case: tuple[tuple[str, Condition], ...]) -> Mapping[float, Row]:
    """Return the figures of one series by number of connections."""
    points: dict[float, Row] = {}
    for row in look_up(known, dict(case), of)[0]:
        counts = row.of.get("connections", ())
        fixed = {key: values for key, values in row.of.items() if key != "connections"}
        is_one = not (row.open or row.doubt) and row.low and len(counts) == 1
        if is_one and fixed.items() <= next(iter(points.values()), row).of.items():
            points[float(counts[0])] = row
    return points


# ---- answers of rows


def _printed(found: Sequence[Row], context: Rows = (), case: Case | None = None) -> Answer:
    """Return the first row as the answer, line speed with its rate; the others stand below."""
    row, unit, text = found[0], found[0].unit, found[0].text
    low, high = (None if each in {0, math.inf} else each for each in row.interval)  # open
    value = 1.0 if row.relation == "same" else row.low if row.low == row.high else None
    line = _by_physics(case, row.quantity) if case and row.relation == "line" else None
    if line is not None:
        unit, value, low, high = line.unit, line.value, line.value, line.value
        text = text.replace("line speed", f"line speed, {value:.4g} {unit}", 1)
    return Answer(
        *(row.quantity, "printed", row.relation, value, low, high, unit, text),
        places=tuple(dict.fromkeys(each.where for each in found)),
        notes=tuple(each.text for each in (*found[1:], *context)),
        doubt=row.doubt,
        printed_ends=None if row.low is None or row.high is None else (row.low, row.high),
        is_converted=row.is_converted,
        open_conditions=row.open,
    )


def _unknown(quantity: str, case: Case, related: Rows) -> Answer:
    """Return that nothing is published, with the measurement that would tell."""
    named = ", ".join(f"{key} {case[key]}" for key in case if key not in FOLLOWING)
    telling = f"a measurement of {quantity.replace('_', ' ')} with {named} would tell"
    return Answer(quantity, notes=(*(each.text for each in related), telling))


def _between(
    quantity: str, count: float, below: tuple[float, float], above: tuple[float, float]
) -> tuple[float, float, float]:
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
