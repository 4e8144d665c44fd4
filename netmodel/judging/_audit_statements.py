"""Published statements against each other, against tables and against arithmetic."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from netmodel.judging._evidence._ledger import Evidence, EvidenceVerdict, evidence
from netmodel.judging._findings import Audit, Finding, Severity
from netmodel.records import Statement, statements

__all__ = ["audit_statements"]

_DEFAULT = ", default"
_AGAIN = "also "


def audit_statements(document: str | None = None) -> Audit:
    """
    Hold published statements against what else the documents print.

    Parameters
    ----------
    document : str, optional
        Id of a document; all of them when left out.

    Returns
    -------
    audit : Audit
        Summaries that are not those of their tables, numbers that differ
        between two notations, throughput and latency that cannot both be, and
        the same quantity with two values.

    Raises
    ------
    UnknownRecordError
        If no statement cites that document.
    """
    ledger = evidence(document)
    computed = [row for row in ledger if row.computed]
    pairs = list(_pairs(statements(document)))
    findings = [_of_evidence(row) for row in computed if _is_contradicted(row)]
    findings += [_of_pair(first, second) for first, second in pairs if _differ(first, second)]
    checked = Counter(row.kind for row in computed)
    checked["same_quantity"] = len(pairs)
    return Audit("statements", tuple(findings), checked, Counter())


def _is_contradicted(row: Evidence) -> bool:
    return row.verdict is EvidenceVerdict.CONTRADICTED


def _of_evidence(row: Evidence) -> Finding:
    told = row.statement
    return Finding(
        dataset=told.source,
        column=told.id,
        kind=row.kind,
        severity=Severity.FAULT,
        printed=told.claim,
        allowed=row.computed,
        message=f"{told.locator}: {told.wording}; {row.reason}",
    )


def _pairs(chosen: Sequence[Statement]) -> Iterator[tuple[Statement, Statement]]:
    """Statements that print one quantity at two places, each pair once."""
    yield from _defaults(chosen)
    known = {told.id: told for told in chosen}
    seen: set[frozenset[str]] = set()
    for told in chosen:
        for name in _repetitions(told):
            other = known.get(name)
            pair = frozenset({told.id, name})
            if other is not None and other.unit == told.unit and pair not in seen:
                seen.add(pair)
                yield told, other


def _repetitions(told: Statement) -> Iterator[str]:
    """Ids that the note names as places where the same figure is printed again."""
    for clause in (told.note or "").split(";"):
        if _AGAIN in clause:
            yield from re.findall(r"[a-z0-9]+(?:[.-][a-z0-9]+)+", clause.split(_AGAIN, 1)[1])


def _defaults(chosen: Sequence[Statement]) -> Iterator[tuple[Statement, Statement]]:
    """Statements of two documents on the default of one setting."""
    groups: dict[tuple[str, str, str | None], list[Statement]] = defaultdict(list)
    for told in chosen:
        setting = told.subject.setting or ""
        if setting.endswith(_DEFAULT) and told.baseline is None and told.interval:
            groups[told.quantity.value, setting, told.unit].append(told)
    for group in groups.values():
        first = group[0]
        yield from ((first, other) for other in group[1:] if other.source != first.source)


def _differ(first: Statement, second: Statement) -> bool:
    if first.interval is None or second.interval is None:
        return False
    return first.interval[0] > second.interval[1] or second.interval[0] > first.interval[1]


def _of_pair(first: Statement, second: Statement) -> Finding:
    is_one_document = first.source == second.source
    places = [f"{told.value} in {told.source} ({told.locator})" for told in (first, second)]
    quantity = first.subject.setting or first.quantity.value.replace("_", " ")
    return Finding(
        dataset=first.source if is_one_document else f"{first.source}, {second.source}",
        column=f"{first.id}, {second.id}",
        kind="same_quantity",
        severity=Severity.FAULT if is_one_document else Severity.NOTE,
        printed=f"{first.value} and {second.value}",
        allowed="one value",
        message=f"{quantity} is {places[0]} and {places[1]}",
    )
