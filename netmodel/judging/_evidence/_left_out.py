"""What records of adapters say of statements that they were not calibrated from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netmodel._display import short_repr, shortened
from netmodel._html import plain_html
from netmodel.calibration import calibrated_documents, calibrated_inputs
from netmodel.errors import ContradictionError
from netmodel.judging._evidence._amounts import (
    NUMBER,
    Agreement,
    Amount,
    Computed,
    agreement,
    in_words_of,
)
from netmodel.judging._evidence._interpreter import computed
from netmodel.judging._evidence._ledger import records_of
from netmodel.judging._evidence._predictions import NotComputable, Sources
from netmodel.records import (
    Adapter,
    Statement,
    adapter,
    statement,
    statements,
    workload,
)
from netmodel.records import _rules as rules
from netmodel.records._steering import steering_records
from netmodel.records._subjects import QuantityKind
from netmodel.records._times import ServiceTimes
from netmodel.records._transports import transport_records


@dataclass(frozen=True, slots=True)
class LeftOut:
    """
    A statement, and what the others predict for it.

    Parameters
    ----------
    statement : Statement
        What is printed.
    adapters : tuple of str
        Ids of the records that are calibrated from it; none where it is no input.
    repeats : tuple of str
        Ids of statements that print the same figure again, left out with it.
    outcome : Agreement
        How it stands to what the others predict.
    predicted : Computed or None
        What they predict, in the unit of the statement.
    reason : str
        From what, or why nothing.
    """

    statement: Statement
    adapters: tuple[str, ...]
    repeats: tuple[str, ...]
    outcome: Agreement
    predicted: Computed | None
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel evidence --leave-one-out``."""
        about, predicted = self.statement, self.predicted
        return {
            "id": about.id,
            "document": about.source,
            "locator": about.locator,
            "adapters": list(self.adapters),
            "repeats": list(self.repeats),
            "printed": about.claim,
            "predicted": None if predicted is None else str(predicted),
            "low": None if predicted is None else predicted.low,
            "high": None if predicted is None else predicted.high,
            "unit": None if predicted is None else predicted.unit,
            "outcome": self.outcome.value,
            "reason": self.reason,
        }

    def __repr__(self) -> str:
        predicted = "" if self.predicted is None else f"predicted {self.predicted}"
        claim = f"printed {shortened(self.statement.claim)}"
        return short_repr(self, f"{self.statement.id}: {self.outcome.value}", claim, predicted)

    def _repr_html_(self) -> str:
        return plain_html(self)


def leave_one_statement_out() -> tuple[LeftOut, ...]:
    """
    Predict each statement that records of adapters come from, by records made without it.

    Returns
    -------
    left_out : tuple of LeftOut
        One for each statement, in the order of the records. Statements that print
        the same figure again are left out together with it: else each
        would be predicted by its own repetition.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Examples
    --------
    >>> rows = {row.statement.id: row for row in leave_one_statement_out()}
    >>> rows["osa7s-inbound-limit-slide-35"].outcome.value
    'consistent'
    """
    by_id = {other.id: other for other in statements()}
    users: dict[str, list[str]] = {}
    for adapter_id, ids in calibrated_inputs("adapters").items():
        for name in ids:
            users.setdefault(name, []).append(adapter_id)
    made: dict[frozenset[str], Mapping[str, Adapter] | str] = {}
    rows = []
    for name, adapter_ids in users.items():
        repeats = [other for other in users if _is_repeated_by(by_id[other], by_id[name])]
        without = frozenset(repeats)
        if without not in made:
            affected = {other for repeat in repeats for other in users[repeat]}
            try:
                documents = calibrated_documents("adapters", affected, without)
            except ContradictionError as reason:
                made[without] = f"the others cannot be true together: {reason}"
            else:
                made[without] = {
                    other: _record(other, documents.get(("adapters", other), {}))
                    for other in affected
                }
        others = tuple(other for other in repeats if other != name)
        rows.append(_left_out(by_id[name], tuple(adapter_ids), others, made[without]))
    return tuple(rows)


def steering_left_out() -> tuple[LeftOut, ...]:
    """
    Predict each published change by packet steering, by the model made without it.

    Returns
    -------
    left_out : tuple of LeftOut
        One for each such statement that a record of steering is made from, with the interval of
        a new run. A figure that is printed for both sides is left out for both.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Examples
    --------
    >>> from netmodel.judging import steering_left_out
    >>> rows = {row.statement.id: row for row in steering_left_out()}
    >>> rows["rps-osa7s-time-50"].outcome.value
    'consistent'
    """
    rows = []
    for record in steering_records():
        ranges = {each.statement: each for each in record.left_out}
        for name, each in ranges.items():
            about = statement(name)
            case = about.subject.connection_counts, about.subject.adapter, about.quantity
            repeats = tuple(
                other
                for other in map(statement, ranges)
                if other.id != name
                and (other.subject.connection_counts, other.subject.adapter, other.quantity) == case
            )
            text = "with RPS over without, one run, from the other statements"
            amount = Amount(float(each.low), float(each.high), NUMBER, text)
            names = tuple(other.id for other in repeats)
            rows.append(_judged(about, tuple(record.samples), names, in_words_of(about, amount)))
    return tuple(rows)


def protocols_left_out() -> tuple[LeftOut, ...]:
    """
    Predict each published gain of a protocol over distance, by the model made without it.

    Returns
    -------
    left_out : tuple of LeftOut
        One for each statement that a record of protocols is made from. Figures of the same
        workload and distance are left out together: latency and throughput repeat each other.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Examples
    --------
    >>> from netmodel.judging import protocols_left_out
    >>> rows = {row.statement.id: row for row in protocols_left_out()}
    >>> rows["smcr-summary-10km-rr-1k-latency"].outcome.value
    'consistent'
    """
    rows = []
    for record in transport_records():
        cases = {name: case.statements for case in record.cases for name in case.statements}
        for each in record.left_out:
            about = statement(each.statement)
            low, high = float(each.case_low), float(each.case_high)
            if about.quantity is QuantityKind.THROUGHPUT:
                low, high = 1 / high, 1 / low
            text = "endpoint times and a round trip, from the other cases"
            adapters = tuple(one.adapter for one in record.protocols.values())
            repeats = tuple(name for name in cases[about.id] if name != about.id)
            amount = Amount(low, high, NUMBER, text)
            rows.append(_judged(about, adapters, repeats, in_words_of(about, amount)))
    return tuple(rows)


def held_out_statements() -> tuple[LeftOut, ...]:
    """
    Predict each statement on requests and responses that no record is made from.

    Returns
    -------
    held_out : tuple of LeftOut
        One for each statement that declares a prediction between adapters, in the
        order of the documents. Those on streams are left out: service times of
        adapters come from streams, so most of those statements repeat an input.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Examples
    --------
    >>> rows = {row.statement.id: row for row in held_out_statements()}
    >>> row = rows["osa7s-limit-rr30k-slide-19"]
    >>> row.outcome.value, str(row.predicted)
    ('predicted', '12.87 to 13.18 Gbit/s')
    """
    records, sources, rows = records_of(), Sources(), []
    for about in statements():
        names = _predicted_workloads(about)
        if about.id in records or not names or any(workload(name).is_stream for name in names):
            continue
        try:
            predicted = computed(about, sources)
        except NotComputable:
            continue
        rows.append(_judged(about, (), (), predicted))
    return tuple(rows)


def _predicted_workloads(about: Statement) -> set[str]:
    """Workloads whose payload rate between adapters a statement is computed from."""
    nested = rules.rules_within(about.computed)
    paths = [rule for rule in nested if isinstance(rule, rules.Path) and rule.path is None]
    varied = {
        str(name)
        for rule in nested
        if isinstance(rule, rules.Cases)
        for name in rule.vary.get("workload", ())
    }
    named = {rule.workload or about.subject.workload for rule in paths} - {None}
    return varied or {str(name) for name in named} if paths else set()


def _record(name: str, document: Mapping[str, Any]) -> Adapter:
    """The record with the service times that were calibrated in place of its own."""
    times = {
        field: ServiceTimes.model_validate(document[key]) if key in document else None
        for field, key in (("out", "out"), ("in_", "in"))
    }
    return adapter(name).model_copy(update={"observations": (), **times})


def _left_out(
    about: Statement,
    names: tuple[str, ...],
    repeats: tuple[str, ...],
    records: Mapping[str, Adapter] | str,
) -> LeftOut:
    if isinstance(records, str):
        return LeftOut(about, names, repeats, Agreement.NOT_COMPUTED, None, records)
    sources = Sources(lambda name: records.get(name) or adapter(name))
    try:
        predicted = computed(about, sources)
    except NotComputable:
        reason = "the others do not bound the service times that it depends on"
        return LeftOut(about, names, repeats, Agreement.NOT_COMPUTED, None, reason)
    return _judged(about, names, repeats, predicted)


def _judged(
    about: Statement, names: tuple[str, ...], repeats: tuple[str, ...], predicted: Computed
) -> LeftOut:
    return LeftOut(about, names, repeats, agreement(about, predicted), predicted, predicted.how)


def _is_repeated_by(first: Statement, second: Statement) -> bool:
    """Whether two print the same figure of an adapter and its direction, or are the same."""
    if first is second or first.change or _figure(first) != _figure(second):
        return first is second
    pairs = (
        (first.subject.direction, second.subject.direction),
        (first.subject.workload, second.subject.workload),
    )
    return all(mine is None or theirs is None or mine == theirs for mine, theirs in pairs)


def _figure(about: Statement) -> tuple[object, ...]:
    subject = about.subject
    return about.quantity, about.value, about.unit, subject.adapter, subject.mtu_bytes
