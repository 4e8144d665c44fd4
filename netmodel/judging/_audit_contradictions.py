"""Published statements that cannot all be true: of the same quantity, or linked by ratios."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from netmodel._text import RESULT_DIGITS, percent_text, span_text
from netmodel.calibration import observed_from_records
from netmodel.calibration._calibrated_records import conflicts_as_printed
from netmodel.calibration._conditions import line_cap
from netmodel.calibration._declarations import calibrated_inputs
from netmodel.calibration._observed import Conditions, Observed
from netmodel.errors import DomainError
from netmodel.judging._audit_findings import Finding, Severity, Suspect
from netmodel.judging._evidence._kinds import ROUND_PERCENT, rounded_by_eye
from netmodel.judging._ratios import Allowed, Ratios, Related, excess_ratio
from netmodel.path import Path, adapter_path, predict_path, workload_traffic
from netmodel.records import Relation, Statement, adapter, workload
from netmodel.units import format_rate, format_time

_Published: TypeAlias = tuple[str, frozenset[tuple[str, float | str | bool]]]
"""Name of a quantity, and its conditions."""
_THROUGHPUT = "throughput_bps"
_CASE = {"adapter", "workload", "mtu_bytes"}
_KNOWN = {*_CASE, "connection_count"}
"""Conditions that a prediction between two adapters of one kind needs, and takes."""
_UNITS = {_THROUGHPUT: format_rate, "transaction_time_s": format_time}


def published_ratios(statements: Sequence[Statement]) -> Ratios:
    """
    What statements say of quantities and of their ratios, and what lines carry at most.

    Parameters
    ----------
    statements : sequence of Statement
        Of any documents.

    Returns
    -------
    ratios : Ratios
        Quantities are pairs of a name, such as ``"throughput_bps"``, and the set of all
        conditions: figures are of the same quantity where all of them are equal. The source of
        a relation is the id of a statement, or ``line of`` and the id of an adapter.
    """
    related: list[Related] = []
    conditions_of: dict[_Published, Conditions] = {}

    def quantity(name: str, conditions: Conditions) -> _Published:
        key = (name, frozenset(conditions.items()))
        conditions_of[key] = conditions
        return key

    rounded = dict(_rounded_ends(statements))
    for seen in observed_from_records(*statements).observed:
        if isinstance(seen.baseline, str):
            continue
        baseline = None if seen.baseline is None else quantity(seen.quantity, seen.baseline)
        source = _statement_id(seen)
        low, high = rounded.get(source, (seen.low, seen.high))
        # which of several cases reaches an "up to" is not printed
        low = 0.0 if seen.also_at else min(low, seen.low)
        for at in seen.cases:
            about = quantity(seen.quantity, at)
            related.append(Related(about, low, max(high, seen.high), source, baseline))
    for key, conditions in conditions_of.items():
        rate_bps = _line_payload_bps(conditions) if key[0] == _THROUGHPUT else None
        if rate_bps is not None:
            related.append(Related(key, 0.0, rate_bps, f"line of {conditions['adapter']}"))
    return Ratios(tuple(related))


def _limits_of_adapters(ratios: Ratios) -> Iterator[Related]:
    """Largest throughput that the records of adapters leave open, of the quantities between two."""
    paths: dict[str, Path] = {}
    ends = (end for each in ratios.related for end in (each.quantity, each.baseline))
    for key in dict.fromkeys(end for end in ends if isinstance(end, tuple)):
        conditions = dict(key[1])
        if key[0] != _THROUGHPUT or not _CASE <= conditions.keys() <= _KNOWN:
            continue
        card = adapter(str(conditions["adapter"]))
        if card.id not in paths:
            paths[card.id] = adapter_path(card, card)
        try:
            prediction = predict_path(
                paths[card.id],
                workload_traffic(
                    workload(str(conditions["workload"])), conditions.get("connection_count")
                ),
                conditions["mtu_bytes"],
            )
        except DomainError:  # the size of a message is not known exactly
            continue
        high = float(prediction.throughput_bps.numbers().high)
        yield Related(key, 0.0, high, f"limits of {card.id}")


def _rounded_ends(statements: Sequence[Statement]) -> Iterator[tuple[str, tuple[float, float]]]:
    """Ends of the figure of each "up to": it may be rounded down as well as up."""
    for about in statements:
        if about.relation is Relation.UP_TO:
            rounded = about.model_copy(update={"relation": Relation.EQUAL})
            for seen in observed_from_records(rounded).observed:
                yield about.id, (seen.low, seen.high)


def _statement_id(seen: Observed) -> str:
    return seen.place.partition(" ")[0]


def _line_payload_bps(conditions: Conditions) -> float | None:
    """What the line of the adapter carries of the workload over TCP; None if either is unknown."""
    if not {"adapter", "mtu_bytes", "workload"} <= conditions.keys():
        return None
    if conditions.get("transport", "tcp") != "tcp":
        return None
    try:
        return line_cap(adapter(str(conditions["adapter"])).line_rate_bps)(conditions)
    except DomainError:  # the size of a message is not known exactly
        return None


def contradiction_findings(
    statements: Sequence[Statement], checked: Counter[str]
) -> Iterator[Finding]:
    """
    Smallest groups of statements that cannot all be true.

    Parameters
    ----------
    statements : sequence of Statement
        Of any documents.
    checked : Counter of str
        Gets the number of comparisons.

    Yields
    ------
    finding : Finding
        A fault where figures and ratios of one document contradict each other. A note where they
        are of several documents, where per cents may have been rounded by eye, and where it
        takes the record of an adapter or its model: service times per frame and byte.
    """
    by_id = {each.id: each for each in statements}
    ratios = published_ratios(statements)
    checked["contradiction"] += ratios.cycle_count
    inputs = {name for names in calibrated_inputs().values() for name in names}
    seen: set[tuple[str, ...]] = set()
    for group in ratios.contradictions():
        names = tuple(each.source for each in group if each.source in by_id)
        # the same statements at another number of connections
        if names not in seen:
            seen.add(names)
            rounded = _round_figures([by_id[name] for name in names])
            is_one_document = len({by_id[name].source for name in names}) == 1
            severity = Severity.FAULT if is_one_document and not rounded else Severity.NOTE
            yield _of_group(group, by_id, severity, rounded)
    # those that only records contradict: of inputs, by the statements that they are made from
    limited = Ratios((*ratios.related, *_limits_of_adapters(ratios)))
    for group in limited.contradictions():
        names = tuple(each.source for each in group if each.source in by_id)
        is_by_record = any(each.source.startswith("limits of ") for each in group)
        if is_by_record and names not in seen and not inputs.issuperset(names):
            seen.add(names)
            yield _of_group(group, by_id, Severity.NOTE)
    for _, conflict in conflicts_as_printed(by_id):
        checked["contradiction"] += 1
        suspects = [_suspect(by_id[_statement_id(each)], "") for each in conflict.observed]
        beside = ["times per frame and byte of the adapter", *conflict.limits]
        yield _finding(suspects, by_id, Severity.NOTE, beside, conflict.widening_ratio)


def _of_group(
    group: Sequence[Related],
    by_id: Mapping[str, Statement],
    severity: Severity,
    rounded: str = "",
) -> Finding:
    """A finding on relations of which some come from statements, others from lines and records."""
    printed = [each for each in group if each.source in by_id]
    beside = [
        f"{each.source} ({_amount(each, each.high)})" for each in group if each not in printed
    ]
    # every interval wider by this part closes the gap
    wider = math.expm1(math.log1p(excess_ratio(group)) / len(printed))
    within = Ratios(group)
    suspects = []
    for each in printed:
        allowed = within.allowed(each.quantity, each.baseline, without=(each,))
        suspects.append(_suspect(by_id[each.source], _span(each, allowed)))
    return _finding(suspects, by_id, severity, beside, wider, rounded)


def _round_figures(group: Sequence[Statement]) -> str:
    """Figures in per cent that leave no contradiction if they are rounded to multiples of 5."""
    widened = [rounded_by_eye(each) for each in group]
    if not any(widened):
        return ""
    loose = [wide or each for wide, each in zip(widened, group, strict=True)]
    if next(published_ratios(loose).contradictions(), None) is not None:
        return ""
    amounts = (each.amount_text for wide, each in zip(widened, group, strict=True) if wide)
    return ", ".join(amounts)


def _suspect(about: Statement, allowed: str) -> Suspect:
    return Suspect(f"{about.source}, {about.locator}", "", None, about.id, about.claim, allowed)


def _finding(
    suspects: Sequence[Suspect],
    by_id: Mapping[str, Statement],
    severity: Severity,
    beside: Sequence[str],
    wider: float,
    rounded: str = "",
) -> Finding:
    """One finding for a group of statements."""
    about = [by_id[each.column] for each in suspects]
    places: dict[str, list[str]] = {}
    for each in about:
        places.setdefault(each.source, []).append(each.locator)
    together = f" with {' and '.join(beside)}" if beside else ""
    return Finding(
        dataset=", ".join(places),
        column=", ".join(each.id for each in about),
        place="; ".join(
            f"{source}, {', '.join(dict.fromkeys(locators))}" for source, locators in places.items()
        ),
        kind="contradiction",
        severity=severity,
        printed="; ".join(f"{each.wording}: {each.amount_text}" for each in about),
        allowed=f"only if each interval were {percent_text(wider, 2)} wider",
        message=f"cannot {'all ' if len(about) > 1 else ''}be true{together}"
        + (f", unless rounded to {ROUND_PERCENT} %: {rounded}" if rounded else ""),
        suspects=tuple(suspects),
    )


def _span(related: Related, allowed: Allowed) -> str:
    """What the others allow, in the unit of the statement."""
    if math.isinf(allowed.high):
        return f"at least {_amount(related, allowed.low)}"
    if not allowed.low:
        return f"at most {_amount(related, allowed.high)}"
    return span_text(_amount(related, allowed.low), _amount(related, allowed.high))


def _amount(related: Related, value: float) -> str:
    if related.baseline is not None:
        return f"{value:.{RESULT_DIGITS}g} x"
    assert isinstance(related.quantity, tuple)
    name = related.quantity[0]
    return _UNITS[name](value, RESULT_DIGITS) if name in _UNITS else f"{value:.{RESULT_DIGITS}g}"
