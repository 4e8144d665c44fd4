"""Answers from what is published: printed, between printed rows, in one step, by physics."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Any, TypeAlias

from netmodel.consumption import Side
from netmodel.errors import NetmodelError
from netmodel.path import SpecifiedPath, predict_path, workload_traffic
from netmodel.published._rows import FAMILIES, PLACES, Case, Condition, Row, rows, with_implied
from netmodel.records import adapter, workload
from netmodel.results import Result, fields_repr

Rows: TypeAlias = tuple[Row, ...]
Matches: TypeAlias = tuple["Match", ...]
Point: TypeAlias = tuple[float, float]
"""A number of connections, and the printed figure there."""

USUAL_CASE: Case = MappingProxyType({"rps": "off", "protocol": "tcp"})
"""Conditions of a case that does not name them; they are never open."""
_TESTED = frozenset({"connections", "mtu"})
"""A row that leaves one of these open says nothing of values that its document never tested."""
_IN_ORDER = frozenset({"connections", "km"})
"""Conditions in numbers, whose nearest values below and above are shown."""
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


_CELL = ("workload", "payload", "mtu", "connections", "side")
"""Conditions that make a row of a comparison where the cases leave them out."""
GBPS_OF_UNIT = MappingProxyType({"Gbit/s": 1.0, "MB/s": 8 * 2**20 / 1e9})
"""Throughput units as printed; MB is read as 2**20 byte, as flat rates at line speed show."""
RATES = frozenset({"transaction_rate", "throughput"})
_BATCHED = 0.8
"""Exponent of the time of a round of requests over connections, which are handled in batches: of
0.5 to 1.0 the one with the least error on inner points of the measured series that are left out."""
_ABOVE_NEXT = 1.01
"""A rate between two connections exceeds the greater neighbour by at most 1 %: runs scatter so."""
_DEFAULT_MTU_BYTES = 1500
"""IP MTU of Ethernet (IEEE 802.3), where the case names none."""


@dataclass(frozen=True, slots=True)
class Match(Result):
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

    json_keys = (
        "id=row.id document=row.document place=row.place quantity=row.quantity of=row.of "
        "relation=row.relation against=row.against low=row.low high=row.high "
        "rounding=row.rounding unit=row.unit printed=row.printed note=row.note doubt=row.doubt "
        "differs open text"
    )

    @property
    def line(self) -> str:
        """The row in a line, with its quantity and side."""
        sides = () if "side" in self.differs else self.row.of.get("side", ())
        of_side = f" of the {' and '.join(map(str, sides))}" if sides else ""
        return f"{self.row.quantity.replace('_', ' ')}{of_side} {self.text}"

    @property
    def differs_in_numbers(self) -> bool:
        """True where connections or distance alone differ, so that the case lies beside it."""
        return _IN_ORDER.issuperset(self.differs)

    @property
    def text(self) -> str:
        """The row in a line: amount, place, what differs, and what the row leaves open."""
        row, shown = self.row, (*self.differs, *self.silent)
        fixed = (f"{key} {' or '.join(map(str, row.of[key]))}" for key in shown if key in row.of)
        parts = {"with": ", ".join(fixed), "no word of": ", ".join(self.open)}
        words = [f"{lead} {each}" for lead, each in parts.items() if each]
        doubt = f"doubtful: {row.doubt}" if row.doubt else ""
        return "; ".join(filter(None, (f"{row.amount()} ({row.where})", *words, row.note, doubt)))


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

    __repr__ = fields_repr


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
        ``not_published``, with the nearest rows.

    Examples
    --------
    >>> osa = {"adapter": "osa-express7s-25gbe", "workload": "rr1c-200x30k", "mtu": 1500}
    >>> answer({**osa, "connections": 50}, "throughput").value
    13.0
    """
    known = rows(case, *filter(None, [baseline])) if published is None else published
    case, baseline = with_implied(case), None if baseline is None else with_implied(baseline)
    if baseline is not None:
        return _of_pair(known, case, baseline, quantity)
    found = of_case(known, case, quantity)
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


# ---- rows beside a case


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
    shown: dict[tuple[object, ...], Match] = {}
    for match in sorted(near, key=lambda each: (_distance(each, case), _rank(each))):
        of, ordered = match.row.of, sorted(_IN_ORDER & set(match.differs))
        above = tuple(float(value) > float(case[key]) for key in ordered for value in of[key])
        kind = tuple(of.get(key, ()) for key in ("side", "part", "rps", "client"))
        shown.setdefault((match.differs, above, kind), match)
    return tuple(shown.values())[:_SHOWN_COUNT]


def _ratios_of(rows: Rows, case: Case, quantity: str) -> Matches:
    """Return the printed ratios that have the case on one side, whatever their other side is."""
    found = _matches(_ratios(rows, quantity), case)
    return tuple(sorted((each for each in found if not (each.differs or each.open)), key=_rank))


def beside(rows: Rows, case: Case, quantities: Sequence[str]) -> tuple[Matches, Matches]:
    """Return what is printed of a case, figures before ratios, and the nearest rows."""
    kept = [row for row in rows if row.quantity in FAMILIES and not PLACES.isdisjoint(row.base)]
    both = (each for row in kept for each in ((row, row.turned()) if row.against else (row,)))
    fitting, _ = _sorted_out(rows, case, _matches(both, case))
    ordered = sorted(fitting, key=lambda match: (bool(match.row.against), _rank(match)))
    figures, others = {match.row.id: match for match in ordered}, dict[str, Match]()
    for match in (each for quantity in quantities for each in nearest(rows, case, quantity)):
        if match.row.id not in figures:
            others.setdefault(match.row.id, match)
    return tuple(figures.values()), tuple(others.values())[:_BESIDE_COUNT]


def is_tested(rows: Rows, case: Case, quantity: str) -> bool:
    """Return whether a row may be of these connections, or others of their series are."""
    count = case.get("connections")
    return count is None or is_in(rows, "connections", count) or bool(_points(rows, case, quantity))


def is_in(rows: Rows, key: str, value: Condition, document: str = "") -> bool:
    """Return whether a document, or any of them, has this value of a condition, or none at all."""
    documents = _tested(rows)
    tested = [documents[document]] if document else documents.values()
    return any(value in each.get(key, (value,)) for each in tested)


def _beside(rows: Rows, case: Case, quantity: str, baseline: Case | None) -> list[Match]:
    """Return figures beside a case, or ratios that compare all in which it differs from another."""
    if baseline is None:
        return _matches(_figures(rows, quantity), case)
    first, second = ({**USUAL_CASE, **each} for each in (case, baseline))
    changed = {key for key in {**first, **second} if first.get(key) != second.get(key)}

    def is_compared(row: Row, key: str) -> bool:
        ends = first.get(key), second.get(key)
        return ends == (None, None) or (
            ends[0] in row.of.get(key, ()) and ends[1] in row.against[key]
        )

    fitting = (
        row
        for row in (_ratios(rows, quantity) if changed else ())
        if changed <= row.against.keys() and all(is_compared(row, key) for key in row.against)
    )
    return _matches(fitting, case, is_pair=True)


def _matches(rows: Iterable[Row], case: Case, is_pair: bool = False) -> list[Match]:
    """Return how rows fit a case, of a pair but for what they compare; another place differs."""
    known = {**USUAL_CASE, **case}
    asked = [key for key in case if case[key] != USUAL_CASE.get(key) and key not in _FOLLOWING]
    places = PLACES & known.keys()
    found = []
    for row in rows:
        of, compared = row.of, row.against if is_pair else {}
        fixed = [key for key in of if key not in compared] if compared else of
        silent = [key for key in fixed if key not in known]
        differs = [key for key in fixed if key in known and known[key] not in of[key]]
        if silent and (places or not row.against) and places.isdisjoint(of):
            differs += [key for key in silent if key in PLACES]
            silent = [key for key in silent if key not in PLACES]
        named = {*of, *compared, *(["workload"] if "payload" in of else [])}
        opened = [key for key in asked if key not in named]
        found.append(Match(row, tuple(opened), tuple(differs), tuple(silent)))
    return found


def _rank(match: Match) -> tuple[float | str, ...]:
    """Order fixed before open, figures before words, more conditions, narrower, by name."""
    row, (low, high) = match.row, match.row.interval
    width = high / low if low else math.inf  # the same for the ratio in the other order
    order = (len(match.open), not _has_figure(row), row.is_converted, -len(row.of))
    return *order, round(width, 9), row.id


def _has_figure(row: Row) -> bool:
    return row.low is not None or row.relation in {"same", "line"}


def _effects_on_each(rows: Rows, case: Case, baseline: Case, quantity: str) -> Iterator[Match]:
    """Yield, for a setting that is on, its effect on either case, and the pair without it."""
    for key, usual in USUAL_CASE.items():
        sides = [side for side in (case, baseline) if side.get(key, usual) != usual]
        if not sides or {each for each in case if case[each] != baseline.get(each)} <= {key}:
            continue
        pairs = [(side, {**side, key: usual}) for side in sides]
        for first, second in (*pairs, ({**case, key: usual}, {**baseline, key: usual})):
            for match in look_up(rows, first, quantity, second)[0]:
                silent = (key, "client", *match.silent)
                yield replace(match, differs=(f"{key} of the pair",), silent=silent)


def _distance(match: Match, case: Case) -> tuple[float, ...]:
    """Return how many conditions differ, those in numbers last, and by how much."""
    ordered, of = _IN_ORDER & set(match.differs), match.row.of
    steps = sum(
        min(abs(math.log(float(value) / float(case[key]))) for value in of[key]) for key in ordered
    )
    usual = match.row.usual.items()
    unusual = any(value not in of[key] for key, value in usual if key in match.silent)
    others = len(match.differs) - len(ordered)
    return others, unusual, not _has_figure(match.row), steps, len(match.open)


def _sorted_out(rows: Rows, case: Case, matches: Sequence[Match]) -> tuple[Matches, Matches]:
    fitting = [match for match in matches if not match.differs]
    answers = [match for match in fitting if not _is_context(rows, case, match, matches)]
    context = [match for match in fitting if match not in answers]
    for key, value in dict(item for match in answers for item in match.row.usual.items()).items():
        usual = [match for match in answers if value in match.row.of.get(key, ())]
        if key not in case and usual:
            answers = [match for match in answers if match in usual or key not in match.row.of]
    return tuple(sorted(answers, key=_rank)), tuple(sorted(context, key=_rank))


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
    if not all(is_in(rows, key, case[key], document) for key in opened & _TESTED):
        return True
    return bool(opened) and any(
        set(other.differs) <= opened
        and opened - set(other.open)
        and set(match.row.of) <= set(other.row.of)
        for other in matches
    )


@lru_cache(maxsize=64)  # the quantities, of bundled data and of those with a directory of a user
def _figures(rows: Rows, quantity: str) -> Rows:
    return tuple(row for row in rows if not row.against and row.quantity == quantity)


@lru_cache(maxsize=64)
def _ratios(rows: Rows, quantity: str) -> Rows:
    """Return ratios in both orders, with those of other quantities that are ratios of this one."""
    converted = (row.as_quantity(quantity) for row in rows if row.against)
    return tuple(each for row in converted if row is not None for each in (row, row.turned()))


@lru_cache(maxsize=4)
def _tested(rows: Rows) -> dict[str, dict[str, set[Condition]]]:
    """Return the values of each condition that a document names, by document and condition."""
    tested: dict[str, dict[str, set[Condition]]] = {}
    for row in rows:
        of = tested.setdefault(row.document, {})
        for key, values in row.of.items():
            of.setdefault(key, set()).update(values)
    return tested


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


def of_case(rows: Rows, case: Case, quantity: str) -> Answer:
    """Return what `answer` does of a case with all that it implies, without the nearest rows."""
    is_between = not is_in(rows, "connections", case.get("connections", 0))
    if is_between and (series := _in_series(rows, case, quantity)):
        return series  # no row is of the very case: a look-up for each number of a sweep takes long
    answers, context = look_up(rows, case, quantity)
    if answers:
        sound = tuple(match for match in answers if not match.row.doubt) or answers
        is_line = sound[0].row.relation == "line"
        return _printed(sound, context, _by_physics(case, quantity) if is_line else None)
    if series := _in_series(rows, case, quantity):
        return series
    bounds = [*filter(None, [_by_physics(case, quantity)]), *_steps(rows, case, quantity)]
    if not bounds:
        ratios = _ratios_of(rows, case, quantity)[:_SHOWN_COUNT]
        return _unknown(quantity, case, (*context, *ratios))
    tightest = min(bounds, key=lambda x: (x.high or math.inf) * GBPS_OF_UNIT.get(x.unit, 1))
    return replace(tightest, notes=tuple(match.text for match in context))


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


def _steps(rows: Rows, case: Case, quantity: str) -> Iterator[Answer]:
    """Yield bounds by one printed ratio to a printed figure or a physical bound."""
    for match in _ratios_of(rows, case, quantity):
        other = {**case, **{key: values[0] for key, values in match.row.against.items()}}
        if not match.row.doubt and math.isfinite(match.row.interval[1]):
            known = _reference(rows, other, quantity)
            if known is not None and known.high is not None:
                yield _bound(match.row, known)


def _reference(rows: Rows, case: Case, quantity: str) -> Answer | None:
    """Return a printed figure, line speed, or the physical bound."""
    limit = _by_physics(case, quantity)
    for match in look_up(rows, case, quantity)[0]:
        row = match.row
        if row.relation == "line" and limit is not None:
            at_line = _printed([match], line=limit)
            return replace(at_line, text=f"it runs at {at_line.text}")
        if row.low and row.high and not row.doubt and row.relation != "at_least":
            low, high = row.low - row.rounding, row.high + row.rounding
            return replace(_printed([match]), low=low, high=high, text=f"it has {match.text}")
    lead = "its line carries" if limit and limit.text.endswith("line") else "it carries at most"
    return None if limit is None else replace(limit, text=f"{lead} {limit.value:.4g}")


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


# ---- between printed numbers of connections


def _points(rows: Rows, case: Case, quantity: str) -> dict[float, Row]:
    """Return the figures of one series by number of connections, whatever that of the case is."""
    series = ((key, value) for key, value in case.items() if key != "connections")
    return _points_of(rows, tuple(series), quantity)


@lru_cache(maxsize=64)  # the series of a few sweeps
def _points_of(rows: Rows, case: tuple[tuple[str, Condition], ...], of: str) -> dict[float, Row]:
    points: dict[float, Row] = {}
    for match in look_up(rows, dict(case), of)[0]:
        row, counts = match.row, match.row.of.get("connections", ())
        fixed = {key: values for key, values in row.of.items() if key != "connections"}
        is_one = not (match.open or row.doubt) and row.low and len(counts) == 1
        if is_one and fixed.items() <= next(iter(points.values()), row).of.items():
            points[float(counts[0])] = row
    return points


def _in_series(rows: Rows, case: Case, quantity: str) -> Answer | None:
    """Return a value between the two next printed numbers; beyond the largest, bounds."""
    count, points = float(case.get("connections", 0)), _points(rows, case, quantity)
    x1 = max((each for each in points if each < count), default=None)
    x2 = min((each for each in points if each > count), default=None)
    if x1 is None:
        return None
    row, unit, y1 = points[x1], points[x1].unit, points[x1].low or 0.0
    per = unit.replace("1/s", "/s")
    if x2 is None:
        high = y1 * count / x1 if quantity in RATES else None
        text = f"measured to {x1:g} connections: {y1:.7g} {per} ({row.where})"
        relation = "at_most" if high else ""
        return Answer(quantity, "beyond", relation, None, None, high, unit, text, (row.where,))
    y2, places = points[x2].low or 0.0, (row.where, points[x2].where)
    ends = _between(quantity, count, (x1, y1), (x2, y2))
    text = f"about {ends[0]:.5g} {per}, between {y1:.7g} at {x1:g} and {y2:.7g} at {x2:g}"
    parts = _parts_in_series(rows, case, quantity)
    if parts:
        value, low, high = map(math.fsum, zip(*parts, strict=True))
        ends = (value, low, high)
        text = f"about {ends[0]:.5g} {per}, the sum of its parts; {text}"
    return Answer(quantity, "interpolated", "about", *ends, unit, text, places)


def _parts_in_series(rows: Rows, case: Case, quantity: str) -> list[tuple[float, float, float]]:
    """Return value and ends of the parts of a total; none where one of them is not printed."""
    if case.get("part", "total") != "total":
        return []
    names = {name for row in rows if row.quantity == quantity for name in row.of.get("part", ())}
    parts = [_in_series(rows, {**case, "part": name}, quantity) for name in names - {"total"}]
    return [(x.value or 0, x.low or 0, x.high or 0) for x in parts if x] if all(parts) else []


# ---- answers of rows


def _printed(answers: Sequence[Match], context: Matches = (), line: Answer | None = None) -> Answer:
    """Return the first row as the answer, line speed with its rate; the others stand below."""
    row = answers[0].row
    low, high = (None if each in {0, math.inf} else each for each in row.interval)  # open
    value = 1.0 if row.relation == "same" else row.low if row.low == row.high else None
    figure, text = (value, low, high, row.unit), answers[0].text
    if row.relation == "line" and line is not None:
        figure = (line.value, line.value, line.value, line.unit)
        text = text.replace("line speed", f"line speed, {line.value:.4g} {line.unit}", 1)
    return Answer(
        *(row.quantity, "printed", row.relation, *figure, text),
        places=tuple(dict.fromkeys(match.row.where for match in answers)),
        notes=tuple(match.text for match in (*answers[1:], *context)),
        doubt=row.doubt,
        printed_ends=None if row.low is None or row.high is None else (row.low, row.high),
        is_converted=row.is_converted,
        open_conditions=answers[0].open,
    )


def _unknown(quantity: str, case: Case, related: Sequence[Match]) -> Answer:
    """Return that nothing is published, with the measurement that would tell."""
    named = ", ".join(f"{key} {value}" for key, value in case.items())
    telling = f"a measurement of {quantity.replace('_', ' ')} with {named} would tell"
    return Answer(quantity, notes=(*(each.text for each in related), telling))


def _between(quantity: str, count: float, below: Point, above: Point) -> tuple[float, float, float]:
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
