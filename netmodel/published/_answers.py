"""Answers from what is published: printed, between printed rows, in one step, by physics."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

from netmodel._display import short_repr
from netmodel.published._bounds import (
    GBPS_OF_UNIT,
    RATES,
    Ceiling,
    between,
    limits_gbps,
    line_and_adapters_gbps,
)
from netmodel.published._match import (
    SHOWN_COUNT,
    Match,
    Matches,
    Rows,
    look_up,
    nearest,
    ratios_of,
)
from netmodel.published._rows import Case, Row, rows, with_implied

_CELL = ("workload", "payload", "mtu", "connections", "side")
"""Conditions that make a row of a comparison where the cases leave them out."""


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
    nearest : tuple of Match
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
    nearest: tuple[Match, ...] = ()
    doubt: str = ""
    conditions: Case = field(default_factory=dict)
    printed_ends: tuple[float, float] | None = None
    is_converted: bool = False
    open_conditions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return short_repr(self, self.status, self.text)

    @property
    def line(self) -> str:
        """The answer in a line, with its quantity."""
        return f"{self.quantity.replace('_', ' ')} {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values by name."""
        plain = asdict(self).items()
        return {key: list(value) if isinstance(value, tuple) else value for key, value in plain}


def answer(
    case: Case,
    quantity: str,
    baseline: Case | None = None,
    ceiling: Ceiling | None = None,
    published: Rows | None = None,
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
    ceiling : callable, optional
        Takes a case and returns the physical upper bound of its throughput [Gbit/s], or None. By
        default that of line and adapters, where the case names no path.
    published : tuple of Row, optional
        What is published; by default all rows of the data.

    Returns
    -------
    answer : Answer
        A printed figure of the very case; else one between printed rows of its series; else the
        tighter of physics and one printed ratio to a case whose figure or bound is known; else
        ``not_published``, with the nearest rows.

    Examples
    --------
    >>> osa = {"adapter": "osa-express7s-25gbe", "workload": "rr1c-200x30k", "mtu": 1500}
    >>> answer({**osa, "connections": 50}, "throughput").value
    13
    """
    known = rows(case, *filter(None, [baseline])) if published is None else published
    case, baseline = with_implied(case), None if baseline is None else with_implied(baseline)
    if baseline is not None:
        return _of_pair(known, case, baseline, quantity)
    found = of_case(known, case, quantity, ceiling)
    if found.status == "printed":
        return found
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
    known, case, baseline = rows(case, baseline), with_implied(case), with_implied(baseline)
    shared = {
        key: case[key] for key in _CELL[-2:] if key in case and case[key] == baseline.get(key)
    }
    answers: list[Answer] = []
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


def _cells(rows: Rows, case: Case, baseline: Case, quantity: str) -> Sequence[Case]:
    """Return open conditions of printed ratios, else of figures that both cases have."""
    keys = [key for key in _CELL if key not in case and key not in baseline]

    def cells_of(case: Case, baseline: Case | None) -> set[frozenset[tuple[str, Any]]]:
        matches, _ = look_up(rows, case, quantity, baseline)
        known = [{key: m.row.of[key] for key in keys if key in m.row.of} for m in matches]
        pairs = ((of, product(*of.values())) for of in known)
        return {frozenset(zip(of, each, strict=True)) for of, several in pairs for each in several}

    cells = cells_of(case, baseline) or cells_of(case, None) & cells_of(baseline, None)
    kept = [dict(cell) for cell in cells if not any(cell < other for other in cells)]
    kept.sort(key=lambda cell: [(type(cell.get(k)).__name__, cell.get(k, 0)) for k in _CELL])
    return kept or [{}]


# ---- pairs


def _of_pair(rows: Rows, case: Case, baseline: Case, quantity: str) -> Answer:
    """Return the printed ratio; else that of two printed figures; else the nearest ratios."""
    answers, context = look_up(rows, case, quantity, baseline)
    figures = [look_up(rows, each, quantity)[0] for each in (case, baseline)]
    sole = [_printed([m]) for matches in figures for m in [*filter(_may_be_divided, matches)][:1]]
    if answers:
        found = _printed(answers, context)
    elif len(sole) == len(figures) and sole[0].unit == sole[1].unit:
        found = _quotient(*sole)
    else:
        found = _unknown(quantity, case, (*figures[0], *figures[1], *context))
    return replace(found, nearest=nearest(rows, case, quantity, baseline))


def _may_be_divided(match: Match) -> bool:
    """Return whether a figure is equal or about, with nothing open, and not doubtful."""
    return match.row.relation in {"equal", "about"} and not match.open and not match.row.doubt


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


def of_case(rows: Rows, case: Case, quantity: str, ceiling: Ceiling | None = None) -> Answer:
    """Return what `answer` does of a case with all that it implies, without the nearest rows."""
    limit_of = ceiling or line_and_adapters_gbps
    answers, context = look_up(rows, case, quantity)
    if answers:
        sound = tuple(match for match in answers if not match.row.doubt) or answers
        return _printed(sound, context, limit_of(case) if sound[0].row.relation == "line" else None)
    series = _in_series(rows, case, quantity)
    if series is not None:
        return series
    limit = limit_of(case) if quantity == "throughput" else None
    bounds = [] if limit is None else [_physics(limit)]
    bounds += _steps(rows, case, quantity, limit_of)
    if not bounds:
        return _unknown(quantity, case, (*context, *ratios_of(rows, case, quantity)[:SHOWN_COUNT]))
    tightest = min(
        bounds, key=lambda each: (each.high or math.inf) * GBPS_OF_UNIT.get(each.unit, 1)
    )
    return replace(tightest, notes=tuple(match.text for match in context))


def _steps(rows: Rows, case: Case, quantity: str, limit_of: Ceiling) -> Iterator[Answer]:
    """Yield bounds by one printed ratio to a printed figure or a physical bound."""
    for match in ratios_of(rows, case, quantity):
        other = {**case, **{key: values[0] for key, values in match.row.against.items()}}
        if not match.row.doubt and math.isfinite(match.row.interval[1]):
            known = _reference(rows, other, quantity, limit_of)
            if known is not None and known.high is not None:
                yield _bound(match.row, known)


def _reference(rows: Rows, case: Case, quantity: str, limit_of: Ceiling) -> Answer | None:
    """Return a printed figure, line speed, or the physical bound."""
    limit = limit_of(case) if quantity == "throughput" else None
    for match in look_up(rows, case, quantity)[0]:
        row, (low, high) = match.row, match.row.digits
        if row.relation == "line" and limit is not None:
            at_line = _printed([match], line=limit)
            return replace(at_line, text=f"it runs at {at_line.text}")
        if row.low is not None and not row.doubt and row.relation != "at_least":
            return replace(_printed([match]), low=low, high=high, text=f"it has {match.text}")
    words = "its line carries" if limit in limits_gbps(case)[:1] else "it carries at most"
    return None if limit is None else replace(_physics(limit), text=f"{words} {limit:.4g}")


def _bound(row: Row, reference: Answer) -> Answer:
    """Return one printed ratio times one figure or bound: its far end, and by printed digits."""
    low, high = row.interval
    nominal = {"up_to": max(row.high or 1.0, 1.0), "same": 1.0}.get(row.relation, row.high or high)
    far = high * (reference.high or math.inf)
    value = nominal * (reference.value or reference.high or math.inf)
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


def _physics(limit: float) -> Answer:
    ends, text = (limit, None, limit, "Gbit/s"), f"at most {limit:.4g} Gbit/s by line and adapters"
    return Answer("throughput", "physics", "at_most", *ends, text)


# ---- between printed numbers of connections


def points_of(rows: Rows, case: Case, quantity: str) -> dict[float, Row]:
    """Return the figures of one series by number of connections, whatever that of the case is."""
    series = {key: value for key, value in case.items() if key != "connections"}
    points: dict[float, Row] = {}
    for match in look_up(rows, series, quantity)[0]:
        row, counts = match.row, match.row.of.get("connections", ())
        fixed = {key: values for key, values in row.of.items() if key != "connections"}
        is_one = match.is_exact and not row.doubt and row.low and len(counts) == 1
        if is_one and fixed.items() <= next(iter(points.values()), row).of.items():
            points[float(counts[0])] = row
    return points


def _in_series(rows: Rows, case: Case, quantity: str) -> Answer | None:
    """Return a value between the two next printed numbers; beyond the largest, bounds."""
    count, points = float(case.get("connections", 0)), points_of(rows, case, quantity)
    x1 = max((each for each in points if each < count), default=None)
    x2 = min((each for each in points if each > count), default=None)
    if x1 is None:
        return None
    row, unit, y1 = points[x1], points[x1].unit, points[x1].low or 0.0
    if x2 is None:
        high = y1 * count / x1 if quantity in RATES else None
        text = f"measured to {x1:g} connections: {y1:.7g} {unit} ({row.where})"
        relation = "at_most" if high else ""
        return Answer(quantity, "beyond", relation, None, None, high, unit, text, (row.where,))
    y2, places = points[x2].low or 0.0, (row.where, points[x2].where)
    ends = between(quantity, count, (x1, y1), (x2, y2))
    text = f"about {ends[0]:.5g} {unit}, between {y1:.7g} at {x1:g} and {y2:.7g} at {x2:g}"
    parts = _parts_in_series(rows, case, quantity)
    if parts:
        of_parts = ((part.value or 0, part.low or 0, part.high or 0) for part in parts)
        value, low, high = map(math.fsum, zip(*of_parts, strict=True))
        ends = (value, low, high)
        text = f"about {ends[0]:.5g} {unit}, the sum of its parts; {text}"
    return Answer(quantity, "interpolated", "about", *ends, unit, text, places)


def _parts_in_series(rows: Rows, case: Case, quantity: str) -> list[Answer]:
    """Return the parts of a total there; none where one of them is not printed."""
    if case.get("part", "total") != "total":
        return []
    names = {name for row in rows if row.quantity == quantity for name in row.of.get("part", ())}
    parts = (_in_series(rows, {**case, "part": name}, quantity) for name in names - {"total"})
    known = [part for part in parts if part is not None]
    return known if len(known) == len(names - {"total"}) else []


# ---- answers of rows


def _printed(answers: Sequence[Match], context: Matches = (), line: float | None = None) -> Answer:
    """Return the first row as the answer, line speed with its rate; the others stand below."""
    row, others = answers[0].row, (*answers[1:], *context)
    low, high = (None if each in {0, math.inf} else each for each in row.interval)  # open
    value = 1.0 if row.relation == "same" else row.low if row.low == row.high else None
    figure, text = (value, low, high, row.unit), answers[0].text
    if row.relation == "line" and line is not None:
        figure = (line, line, line, "Gbit/s")
        text = text.replace("line speed", f"line speed, {line:.4g} Gbit/s", 1)
    places = tuple(dict.fromkeys(match.row.where for match in answers))
    known = (row.quantity, "printed", row.relation, *figure, text, places)
    notes = tuple(match.text for match in others)
    ends = None if row.low is None or row.high is None else (row.low, row.high)
    found = Answer(*known, notes, doubt=row.doubt, printed_ends=ends)
    return replace(found, is_converted=row.is_converted, open_conditions=answers[0].open)


def _unknown(quantity: str, case: Case, related: Sequence[Match]) -> Answer:
    """Return that nothing is published, with the measurement that would tell."""
    named = ", ".join(f"{key} {value}" for key, value in case.items())
    telling = f"a measurement of {quantity.replace('_', ' ')} with {named} would tell"
    return Answer(quantity, notes=(*(each.text for each in related), telling))
