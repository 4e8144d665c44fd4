"""Two cases against each other: what documents print, what models compute, what both allow."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from netmodel._display import short_repr
from netmodel._grades import Grade, weakest_grade
from netmodel._terminal import fitted
from netmodel._text import argument, listed
from netmodel.calibration import calibrated_inputs
from netmodel.consumption import Side
from netmodel.errors import UnknownRecordError
from netmodel.judging._compared_answer import OF_THE_ROW, at_count, said_of
from netmodel.judging._compared_cases import (
    case_text,
    differing,
    interval_text,
    is_same,
    listed_differences,
    word,
    words_of,
)
from netmodel.judging._compared_facts import (
    COUNT,
    DISTANCE,
    IMPLIED_BY_PATH,
    IMPLIED_BY_TRANSPORT,
    PART,
    PATH,
    SIDE,
    TRANSPORT,
    WORDS,
    Case,
    Fact,
    Figure,
    Published,
    published,
)
from netmodel.judging._compared_models import (
    CPU_PER_DATA,
    CPU_PER_TRANSACTION,
    QUANTITY_WORDS,
    THROUGHPUT,
    TIME,
    Modelled,
    bounded,
    is_counted,
    modelled,
    what_identifies,
)
from netmodel.judging._compared_nearest import (
    CARDS,
    MOST_CONFLICTS,
    SHOWN_NEAREST,
    Nearest,
    distance,
    variable_conditions,
    with_other_differences,
    with_other_values,
)
from netmodel.judging._compared_shown import frame_of_comparison, html_of_comparison
from netmodel.judging._compared_transports import (
    Crossover,
    bounds_from_other_distances,
    crossover,
    endpoint_notes,
    endpoint_times,
    has_other_windows,
    stream_window_notes,
)
from netmodel.judging._cost_model import MESSAGE, WIDEST
from netmodel.judging._ratios import Ratios, Related
from netmodel.records import catalog, workload

if TYPE_CHECKING:
    import pandas as pd

_ORDER = (THROUGHPUT, "transaction_rate", TIME, "latency", CPU_PER_DATA, CPU_PER_TRANSACTION)
_COSTS = frozenset({CPU_PER_DATA, CPU_PER_TRANSACTION, "cpu_time", "cpu_utilisation"})
_RATES = frozenset({THROUGHPUT, "transaction_rate", "payload_rate"})
_TIMES = frozenset({TIME, "latency"})
_SHOWN_FACTS = 3
"""Statements whose ids a note of one line has room for."""
_SAME_TOLERANCE = 1e-9
"""Of ratios: beyond the rounding of sums of logarithms."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """
    One quantity of variant over baseline.

    Parameters
    ----------
    quantity : str
        As statements name it.
    conditions : mapping
        What the question leaves open: connections, side, MTU.
    printed : tuple of Fact
        What documents print.
    printed_low, printed_high : float
        Ratio that all of them allow; NaN where none of them bounds it.
    model : Modelled, optional
        What a model computes.
    low, high : float
        Ratio that documents, bounds of models and chains of ratios allow together.
    because : tuple of str
        Statements that the ends follow from, beside those in `printed`.
    is_contradicted : bool
        Whether documents and bounds do not hold together: low and high are then as printed.
    is_general : bool
        Whether all that is printed names no workload, though the question does.
    """

    quantity: str
    conditions: Case
    printed: tuple[Fact, ...]
    printed_low: float
    printed_high: float
    model: Modelled | None
    low: float
    high: float
    because: tuple[str, ...] = ()
    is_contradicted: bool = False
    is_general: bool = False

    @property
    def name(self) -> str:
        """The quantity in words, with its side and part."""
        words = QUANTITY_WORDS.get(self.quantity, self.quantity.replace("_", " "))
        beside = [str(self.conditions[key]) for key in (SIDE, PART) if key in self.conditions]
        return " ".join([words, *([f"({', '.join(beside)})"] if beside else [])])

    @property
    def case_text(self) -> str:
        """Conditions besides connections, side and part, in the grammar of the command line."""
        return case_text({k: v for k, v in self.conditions.items() if k not in OF_THE_ROW})

    @property
    def has_figure(self) -> bool:
        """Whether a document prints a figure for it."""
        return 0 < self.printed_low <= self.printed_high < math.inf

    @property
    def known_range(self) -> tuple[float, float] | None:
        """What documents and bounds allow together, else what a model computes; None without."""
        if not math.isnan(self.low):
            return self.low, self.high
        return None if self.model is None else (self.model.low, self.model.high)

    @property
    def printed_text(self) -> str:
        """As documents print it, each text once."""
        return "; ".join(dict.fromkeys(fact.printed for fact in self.printed))

    @property
    def grade(self) -> Grade | None:
        """The weakest of what is printed."""
        return weakest_grade([fact.grade for fact in self.printed]) if self.printed else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values; None for an open end."""
        return {
            "quantity": self.quantity,
            "conditions": {key: _plain(value) for key, value in self.conditions.items()},
            "printed": [
                {
                    "id": fact.id,
                    "text": fact.printed,
                    "low": _finite(fact.low),
                    "high": _finite(fact.high),
                    "document": fact.source,
                    "locator": fact.locator,
                    "grade": fact.grade.value,
                }
                for fact in self.printed
            ],
            "printed_ratio": _ends(self.printed_low, self.printed_high),
            "model": None
            if self.model is None
            else {
                "value": self.model.value,
                "low": _finite(self.model.low),
                "high": _finite(self.model.high),
                "basis": self.model.basis,
                "is_ratio_of_bounds": self.model.is_bound_ratio,
            },
            "together": _ends(self.low, self.high),
            "because": list(self.because),
            "contradicted": self.is_contradicted,
        }


@dataclass(frozen=True)
class Compared:
    """
    A variant against a baseline.

    Parameters
    ----------
    baseline, variant : mapping
        Conditions of both cases, whole.
    rows : tuple of ComparedRow
        A row for each quantity and number of connections.
    nearest : tuple of Nearest
        Where no document compares the two cases, what they print for the nearest ones.
    variable : tuple of str
        Conditions that documents vary for this subject.
    notes : tuple of str
        The most important first.
    crossover : Crossover, optional
        Distance up to which a share of the time is saved, where that was asked and a model
        says it.
    """

    baseline: Case
    variant: Case
    rows: tuple[ComparedRow, ...]
    nearest: tuple[Nearest, ...]
    variable: tuple[str, ...]
    notes: tuple[str, ...]
    crossover: Crossover | None = None

    @property
    def main_rows(self) -> tuple[ComparedRow, ...]:
        """Without parts of a total, and general statements beside those on this very case."""
        whole = [row for row in self.rows if PART not in row.conditions]
        exact = {(row.quantity, row.conditions.get(COUNT)) for row in whole if not row.is_general}
        return tuple(
            row
            for row in whole
            if not (row.is_general and (row.quantity, row.conditions.get(COUNT)) in exact)
        )

    def row(self, quantity: str, **conditions: object) -> ComparedRow:
        """
        The row of a quantity.

        Parameters
        ----------
        quantity : str
            As in the JSON, such as ``"throughput"`` or ``"cpu_consumption"``.
        **conditions
            Of the row where there are several, such as ``side="server"``.

        Raises
        ------
        UnknownRecordError
            If there is no such row, or there are several; names those that there are.
        """
        found = [
            each
            for each in self.main_rows
            if each.quantity == quantity
            and all(str(each.conditions.get(key)) == str(conditions[key]) for key in conditions)
        ]
        if len(found) == 1:
            return found[0]
        names = sorted(
            {
                " ".join([each.quantity, case_text(each.conditions)]).strip()
                for each in self.main_rows
            }
        )
        asked = " ".join([quantity, *(f"{key}={conditions[key]}" for key in conditions)])
        raise UnknownRecordError(
            f"{'several rows' if found else 'no row'} of {asked}; there are: {', '.join(names)}"
        )

    @property
    def title(self) -> str:
        """What differs, variant first."""
        keys = differing(self.baseline, self.variant)
        ends = []
        for case in (self.variant, self.baseline):
            own = {key: case[key] for key in case if key in keys}
            ends.append(
                words_of(own) or words_of({key: case[key] for key in case if key not in keys})
            )
        return f"{ends[0]} against {ends[1]}"

    @property
    def answer(self) -> str:
        """The answer in one sentence."""
        title = self.title
        shared = {
            key: value
            for key, value in self.variant.items()
            if key not in differing(self.baseline, self.variant)
            and not (key in WORDS and word(value) in title)
        }
        of = f" ({words_of(shared)})" if shared else ""
        texts = said_of(self.main_rows)
        if texts:
            return f"{title}{of}: {', '.join(texts[:_SHOWN_FACTS])}."
        found = [row for row in self.rows if not math.isnan(row.low)]
        if found:
            row = found[0]
            allowed = f"{row.name} {interval_text(row.low, row.high)} times{at_count(row)}"
            return f"{title}{of}: not measured; documents and bounds allow {allowed}."
        # a ratio says more than that of two bounds
        some = [(row, row.model) for row in self.rows if row.model is not None]
        is_bound = all(model.is_bound_ratio for _, model in some)
        said = {
            row.name: f"{row.name} {model.text}{at_count(row)}"
            for row, model in reversed(some)
            if model.is_bound_ratio is is_bound
        }
        if said:
            return f"{title}{of}: not measured; {', '.join(reversed(said.values()))}."
        return f"{title}{of}: no document compares them, and no model covers both."

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel compare``."""
        return {
            "baseline": {key: _plain(value) for key, value in self.baseline.items()},
            "variant": {key: _plain(value) for key, value in self.variant.items()},
            "answer": self.answer,
            "rows": [row.to_dict() for row in self.rows],
            "nearest": [each.to_dict() for each in self.nearest],
            "can_vary": list(self.variable),
            "crossover": None if self.crossover is None else self.crossover.to_dict(),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return fitted(self.answer)

    def __repr__(self) -> str:
        return short_repr(self, self.answer)

    def _repr_html_(self) -> str:
        return html_of_comparison(self)

    def to_frame(self) -> "pd.DataFrame":
        """
        A row for each quantity and condition; ratios of the variant to the baseline.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return frame_of_comparison(self)


def compared(baseline: Case, variant: Case, *, min_gain_ratio: float | None = None) -> Compared:
    """
    Ratios of variant to baseline: printed, computed, and what both together allow.

    Parameters
    ----------
    baseline, variant : mapping
        Conditions of both cases, whole.
    min_gain_ratio : float, optional
        Share of the time that must be saved, for `Compared.crossover`.

    Returns
    -------
    result : Compared
        With the nearest published cases where the exact one has none.
    """
    known = published()
    # (1) what documents print of these cases, and of each way round
    exact, near = _facts_on(known, baseline, variant)
    exact += [
        fact
        for fact in _of_figures(known, baseline, variant)
        if not any(_is_printed(fact, each) for each in exact)
    ]
    exact = [fact for fact in exact if not has_other_windows(fact, baseline, variant)]
    # (2) a row for each quantity and for what the question leaves open
    groups: dict[tuple[Any, ...], list[Fact]] = {}
    left = _open_conditions(exact, baseline, variant)
    for fact in exact:
        groups.setdefault(_row_key(fact, left), []).append(fact)
    printed = {(_family(quantity), count) for quantity, count, _ in groups}
    of_any_count = {
        _family(quantity)
        for (quantity, count, _), facts in groups.items()
        if not count and any(0 < fact.low <= fact.high < math.inf for fact in facts)
    }
    times = endpoint_times(baseline, variant)
    if times is not None:
        # the model of transports is of any number of connections
        of_any_count |= {_family(quantity) for quantity, *_ in groups}
    for key in _model_keys(baseline, variant):
        family = _family(key[0])
        if family not in of_any_count and (family, key[1]) not in printed:
            groups[key] = []
    rows = [
        _row(key, facts, known, baseline, variant)
        for key, facts in sorted(groups.items(), key=lambda each: _rank(each[0]))
    ]
    rows = _without_repetitions(rows)
    rows = [row for row in rows if row.printed or row.model or not math.isnan(row.low)]
    # (3) what else documents print on this subject
    nearest: tuple[Nearest, ...] = ()
    if not exact:
        nearest = with_other_values(known, baseline, variant)
        nearest = (*nearest, *(each for each in near if each not in nearest))[:SHOWN_NEAREST]
        nearest = nearest or with_other_differences(known, baseline, variant)
    variable = variable_conditions(known, variant)
    has_cost = any(row.quantity in _COSTS and (row.model or row.printed) for row in rows)
    notes = [
        *stream_window_notes(baseline, variant),
        *_notes(rows, exact, nearest, variable),
        *([] if has_cost else what_identifies(baseline, variant)),
    ]
    if times is not None:
        notes = [*endpoint_notes(times, variant), *notes]
    elif (
        TRANSPORT in differing(baseline, variant)
        and DISTANCE in variant
        and "workload" not in variant
    ):
        workload = argument("workload", "--workload")
        notes = [f"give {workload}: times at a distance are computed by its messages", *notes]
    falls = None if min_gain_ratio is None else crossover(baseline, variant, min_gain_ratio)
    if falls is None and min_gain_ratio is not None:
        notes = ["no distance of a smaller gain: no model has times of both cases", *notes]
    return Compared(
        dict(baseline), dict(variant), tuple(rows), nearest, variable, tuple(notes), falls
    )


def _facts_on(known: Published, baseline: Case, variant: Case) -> tuple[list[Fact], list[Nearest]]:
    """What is printed of the cases, and what of cases that differ in one condition or two."""
    wanted = differing(baseline, variant)
    exact: list[Fact] = []
    near: list[tuple[tuple[float, ...], Nearest]] = []
    for own in known.facts:
        for fact in (own, own.reversed()):
            conflicts = _conflicts(fact, baseline, variant, wanted)
            if conflicts is None:
                continue
            if not conflicts:
                exact.append(fact)
            elif len(conflicts) <= MOST_CONFLICTS:
                differs = listed_differences(fact.subject, variant, conflicts)
                near.append((distance(fact, variant, conflicts), Nearest(fact, differs)))
    near.sort(key=lambda each: each[0])
    return exact, [each for _, each in near]


def _conflicts(
    fact: Fact, baseline: Case, variant: Case, wanted: frozenset[str]
) -> frozenset[str] | None:
    """Conditions in which a comparison is of other cases; None where it varies other things."""
    pairs = ((fact.subject, variant), (fact.baseline, baseline))
    # (1) it varies what is asked, from one asked value to the other
    # what goes with a path may be left open where a path is named
    has_path = PATH in baseline or PATH in variant
    is_open = IMPLIED_BY_PATH | {PATH} if has_path else frozenset()
    for key in wanted:
        for case, asked in pairs:
            if key in is_open and key not in asked:
                continue
            if not is_same(key, case.get(key), asked.get(key)):
                return None
    # (2) and nothing else, but for what goes with a path
    implied = IMPLIED_BY_PATH if PATH in wanted else frozenset()
    if TRANSPORT in wanted:
        implied |= IMPLIED_BY_TRANSPORT
    if wanted & IMPLIED_BY_PATH and PATH not in variant:
        implied |= {PATH}
    varied = differing(fact.subject, fact.baseline)
    if varied - wanted - implied or not (varied & wanted or (PATH in variant and PATH in baseline)):
        return None
    # (3) figures of bare adapters are none of a path that is asked
    of_cards = set(CARDS) & (set(fact.subject) - set(variant))
    if PATH in variant and PATH not in fact.subject and of_cards:
        return frozenset({PATH})
    # and figures of a workload none of messages of another size
    if MESSAGE in variant and "workload" in fact.subject and MESSAGE not in fact.subject:
        return frozenset({MESSAGE})
    # (4) where it names a condition that is asked, the value is that one
    return frozenset(
        key
        for case, asked in pairs
        for key, value in asked.items()
        if key not in wanted and key in case and not is_same(key, case[key], value)
    )


def _of_figures(known: Published, baseline: Case, variant: Case) -> list[Fact]:
    """Ratios of measured figures of both cases, where no document prints the change."""
    wanted = differing(baseline, variant)
    # a level or layer of its own goes with no other machine or line: only a path does
    implied = IMPLIED_BY_PATH if PATH in wanted else frozenset()
    if wanted & IMPLIED_BY_PATH:
        implied |= {PATH}

    def of(asked: Case) -> list[Figure]:
        return [
            each
            for each in known.figures
            if all(key in each.case and is_same(key, each.case[key], asked[key]) for key in asked)
        ]

    others = of(baseline)
    pairs = [
        (differing(figure.case, other.case) - wanted, figure, other)
        for figure in of(variant)
        for other in others
        if figure.quantity == other.quantity and other.high and figure.high
    ]
    # of cases that differ in more than was asked, those that differ in the fewest conditions
    fewest = min((len(keys) for keys, *_ in pairs), default=0)
    return [
        figure.over(other)
        for keys, figure, other in pairs
        if keys <= implied and len(keys) == fewest
    ]


def _is_printed(fact: Fact, other: Fact) -> bool:
    """Whether a document prints the change that two of its figures come to."""
    return (
        fact.quantity == other.quantity
        and other.statement is None
        and fact.subject.get(PART) == other.subject.get(PART)
        and all(
            is_same(key, fact.subject[key], value)
            for key, value in other.subject.items()
            if key in fact.subject
        )
    )


def _open_conditions(facts: Sequence[Fact], baseline: Case, variant: Case) -> frozenset[str]:
    """Conditions that the question leaves open, and in which comparisons differ."""
    values: dict[str, set[object]] = {}
    for fact in facts:
        for key, value in fact.subject.items():
            values.setdefault(key, set()).add(value)
    fixed = {**baseline, **variant}
    return frozenset(
        key
        for key, several in values.items()
        if key not in fixed and (key in OF_THE_ROW or len(several) > 1) and key != PATH
    )


def _row_key(fact: Fact, left: frozenset[str]) -> tuple[Any, ...]:
    """Quantity, number of connections, and what else the question leaves open."""
    open_case = {key: value for key, value in fact.subject.items() if key in left}
    count = open_case.pop(COUNT, 0)
    return fact.quantity, count, tuple(sorted((key, word(each)) for key, each in open_case.items()))


def _model_keys(baseline: Case, variant: Case) -> Iterator[tuple[Any, ...]]:
    """Rows that models may fill where documents print nothing."""
    name = variant.get("workload")
    if not isinstance(name, str):
        return
    counts: Sequence[int] = (0,)
    record = workload(name)
    if COUNT not in {**baseline, **variant}:
        counts = record.connection_counts or (0,)
    for count in counts:
        for quantity in (THROUGHPUT, TIME):
            yield quantity, count, ()
        sides = [((SIDE, each.value),) for each in Side] if is_counted(baseline, variant) else [()]
        for left in sides:
            yield CPU_PER_DATA, count, left


def _family(quantity: str) -> str:
    """Rates as one, and times as one."""
    return THROUGHPUT if quantity in _RATES else TIME if quantity in _TIMES else quantity


def _without_repetitions(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    """One row for all numbers of connections, where nothing is printed and all are alike."""
    found: list[ComparedRow] = []
    for row in rows:
        alike = [
            other
            for other in rows
            if other.quantity == row.quantity
            and other.conditions.get(SIDE) == row.conditions.get(SIDE)
            and not (other.printed or row.printed)
        ]
        same = {(other.model, other.low, other.high) for other in alike if other.low == other.low}
        same |= {(other.model, 0.0, 0.0) for other in alike if other.low != other.low}
        if len(alike) > 1 and len(same) == 1:
            if row is alike[0]:
                rest = {key: each for key, each in row.conditions.items() if key != COUNT}
                found.append(replace(row, conditions=rest))
        else:
            found.append(row)
    return found


def _rank(key: tuple[Any, ...]) -> tuple[Any, ...]:
    quantity, count, left = key
    place = _ORDER.index(quantity) if quantity in _ORDER else len(_ORDER)
    return count, place, quantity, left


def _row(
    key: tuple[Any, ...],
    facts: Sequence[Fact],
    known: Published,
    baseline: Case,
    variant: Case,
) -> ComparedRow:
    quantity, count, left = key
    conditions: dict[str, Any] = dict(facts[0].subject) if facts else {}
    conditions = {name: conditions.get(name, text) for name, text in left}
    if count:
        conditions = {COUNT: count, **conditions}
    cases = [{**case, **conditions} for case in (baseline, variant)]
    side = conditions.get(SIDE)
    asked = _family(quantity)
    plain = [_as_in_catalog(case, facts, place) for place, case in enumerate(cases)]
    model = None
    if PART not in conditions:
        ids = frozenset(fact.id for fact in facts)
        model = modelled(plain[0], plain[1], asked, side, ids)
    # (1) what is printed for exactly this case allows; figures go before words
    facts = sorted(facts, key=_specific, reverse=True)
    ratios = [fact for fact in facts if fact.has_ratio]
    ratios = [fact for fact in ratios if _specific(fact) == _specific(ratios[0])]
    low = max((fact.low for fact in ratios), default=math.nan)
    high = min((fact.high for fact in ratios), default=math.nan)
    # (2) chains of ratios, and bounds of both cases
    chained, because = _chained(known, cases, quantity, frozenset(fact.id for fact in facts))
    ends = [(each.low, each.high) for each in ratios]
    if chained is not None:
        ends.append(chained)
    rates = (each for each in known.facts if each.quantity == THROUGHPUT)
    over = bounds_from_other_distances(rates, *cases) if asked in {THROUGHPUT, TIME} else None
    if over is not None and TRANSPORT in differing(*cases):
        ends.append(over[:2] if asked == THROUGHPUT else (1 / over[1], 1 / over[0]))
        because = (*because, *(each for each in over[2] if each not in because))
    limits = bounded(plain[0], plain[1], asked)
    if limits is not None:
        ends.append(limits)
    both = max((each for each, _ in ends), default=math.nan)
    top = min((each for _, each in ends), default=math.nan)
    is_contradicted = both > top * (1 + _SAME_TOLERANCE)
    if is_contradicted:
        both = min((fact.low for fact in ratios), default=math.nan)
        top = max((fact.high for fact in ratios), default=math.nan)
    is_wide = not ratios and chained is None and top > WIDEST * both
    if is_wide or (both == 0 and top == math.inf):
        both = top = math.nan
    return ComparedRow(
        quantity,
        conditions,
        tuple(facts),
        low,
        high,
        model,
        both,
        top,
        because,
        is_contradicted,
        bool(facts) and "workload" in variant and not any("workload" in f.subject for f in facts),
    )


def _as_in_catalog(case: Case, facts: Sequence[Fact], place: int) -> Case:
    """The case for models: with what all comparisons of a row share, and the id of its path."""
    result = {name: each for name, each in case.items() if name not in (SIDE, PART)}
    own = [(fact.baseline, fact.subject)[place] for fact in facts]
    for key in ("workload", "mtu_bytes", PATH):
        values = {each[key] for each in own if key in each}
        if key not in result and len(values) == 1:
            result[key] = values.pop()
    paths = [each.get(PATH) for each in (result, *own)]
    names = {name for path in paths if isinstance(path, frozenset) for name in path}
    names |= {path for path in paths if isinstance(path, str)}
    known = names & set(catalog()["paths"])
    if len(known) == 1:
        result[PATH] = known.pop()
    return result


def _specific(fact: Fact) -> tuple[bool, int]:
    """Whether it has a figure, and how many conditions it names."""
    is_figure = 0 < fact.low <= fact.high < math.inf
    return is_figure, sum(key not in WORDS for key in fact.subject)


def _chained(
    known: Published, cases: Sequence[Case], quantity: str, printed: frozenset[str]
) -> tuple[tuple[float, float] | None, tuple[str, ...]]:
    """The ratio that printed ratios of other pairs of cases allow, such as A:B and B:C."""
    family = _RATES if quantity in _RATES else _TIMES if quantity in _TIMES else {quantity}
    nodes = [_node(case) for case in cases]
    related = []
    for fact in known.facts:
        is_inverse = fact.quantity in _RATES | _TIMES and fact.quantity not in family
        if not fact.has_ratio or (fact.quantity not in family and not is_inverse):
            continue
        if is_inverse and family not in (_RATES, _TIMES):
            continue
        own = fact
        if is_inverse:
            # with as many connections of a workload that waits, X = N / R
            name, counts = fact.subject.get("workload"), fact.subject.get(COUNT)
            if not isinstance(name, str) or counts is None or fact.baseline.get(COUNT) != counts:
                continue
            if workload(name).is_stream:
                continue
            own = fact.reversed()
            own = replace(own, subject=fact.subject, baseline=fact.baseline)
        related.append(Related(_node(own.subject), own.low, own.high, fact.id, _node(own.baseline)))
    allowed = Ratios(related).allowed(nodes[1], nodes[0])
    if allowed.low == 0 and allowed.high == math.inf:
        return None, ()
    names = [each.source for each in (*allowed.low_because, *allowed.high_because)]
    names = [name for name in names if name not in printed]
    return (allowed.low, allowed.high), tuple(dict.fromkeys(names))


def _node(case: Case) -> frozenset[tuple[str, str]]:
    """A case without what is usual, so that the same case has the same node."""
    usual = {"receive_packet_steering": False}
    return frozenset((key, word(value)) for key, value in case.items() if usual.get(key) != value)


def _notes(
    rows: Sequence[ComparedRow],
    exact: Sequence[Fact],
    nearest: Sequence[Nearest],
    variable: Sequence[str],
) -> Iterator[str]:
    if any(row.is_contradicted for row in rows):
        row = next(row for row in rows if row.is_contradicted)
        yield f"contradiction: documents and bounds leave no ratio of {row.name}{at_count(row)}"
    ids = {fact.id for fact in exact}
    inputs = {name for name, named in calibrated_inputs().items() if ids.intersection(named)}
    inputs &= {name for row in rows if row.model is not None for name in row.model.records}
    if inputs:
        yield f"the model is no check here: {min(inputs)} is calibrated from printed figures"
    if any(row.model is not None and row.model.is_bound_ratio for row in rows):
        yield "bounds: the ratio of two upper bounds is no interval of the ratio of throughputs"
    words = [fact for fact in exact if not fact.has_ratio]
    if words and len(words) == len(exact):
        yield "documents say that it is better or worse, and not in which quantity"
    if not exact:
        text = "not measured: no document compares these two cases"
        if not nearest and variable:
            text += f"; for this subject they vary {listed(variable[:_SHOWN_FACTS])}"
        yield text


def require_known_subject(result: Compared) -> None:
    """Raise UnknownRecordError where there is nothing to say, with what can be varied."""
    if result.rows or result.nearest:
        return
    names = ", ".join(result.variable)
    hint = f"; documents vary for it: {names}" if names else ""
    # what predictions need of both cases
    needed = {
        argument("workload", "--workload"): {"workload"},
        argument("mtu_bytes", "--mtu"): {"mtu_bytes"},
        "an adapter or path": {PATH, *CARDS},
    }
    missing = [name for name, keys in needed.items() if not keys & {*result.variant}]
    if missing and len(missing) < len(needed):
        hint += f"; to compare what models compute, also give {listed(missing)}"
    raise UnknownRecordError(
        f"no document or model compares {case_text(result.variant)} with "
        f"{case_text(result.baseline)}{hint}"
    )


def _plain(value: object) -> object:
    return word(value) if isinstance(value, frozenset) else value


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _ends(low: float, high: float) -> dict[str, float | None] | None:
    return None if math.isnan(low) else {"low": _finite(low), "high": _finite(high)}
