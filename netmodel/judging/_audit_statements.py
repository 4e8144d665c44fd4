"""Published statements against each other, against tables and against arithmetic."""

from collections import Counter
from collections.abc import Iterator, Sequence

from netmodel.errors import ParseError, UnknownRecordError
from netmodel.judging._audit_contradictions import contradiction_findings
from netmodel.judging._audit_findings import Audit, Finding, Severity
from netmodel.judging._evidence._kinds import REPETITION
from netmodel.judging._evidence._ledger import EvidenceVerdict, evidence
from netmodel.records import Statement, statement, statements
from netmodel.records._load import unchanged_files
from netmodel.records._statements import statement_file

_SEVERITIES = {
    EvidenceVerdict.CONTRADICTED: Severity.FAULT,
    EvidenceVerdict.DOUBTFUL: Severity.NOTE,
}


@unchanged_files()
def audit_statements(document: str | None = None) -> Audit:
    """
    Compare published statements with what else the documents print.

    Parameters
    ----------
    document : str, optional
        Id of a document; all of them when left out.

    Returns
    -------
    audit : Audit
        Summaries that are not those of their tables, numbers that differ
        between two notations, throughput and latency that cannot both be,
        the same quantity with two values, and groups of figures and ratios that
        cannot all be true.

    Raises
    ------
    UnknownRecordError
        If no statement cites that document.
    ParseError
        If what a statement is computed from or repeats is declared wrongly; names file,
        statement and key.

    Examples
    --------
    >>> findings = audit_statements("zvm")
    >>> sorted({each.kind for each in findings})
    ['summary']
    """
    ledger = evidence(document)
    # the pairs below compare what is printed at two places
    computed = [row for row in ledger if row.computed and row.computed_by != REPETITION]
    pairs = list(_pairs(statements(document)))
    findings = []
    for row in computed:
        severity = _SEVERITIES.get(row.verdict)
        if severity is not None:
            about = row.statement
            findings.append(
                Finding(
                    dataset=about.source,
                    column=about.id,
                    place=f"{about.source}, {about.locator}",
                    kind=row.computed_by,
                    severity=severity,
                    printed=_as_printed(about),
                    allowed=row.computed,
                    message=f"{about.wording}; {row.reason}",
                )
            )
    for first, second in pairs:
        ends, other_ends = first.interval, second.interval
        if ends and other_ends and (ends[0] > other_ends[1] or other_ends[0] > ends[1]):
            is_one_document = first.source == second.source
            figures = [each.printed or str(each.value) for each in (first, second)]
            places = dict.fromkeys(f"{each.source}, {each.locator}" for each in (first, second))
            quantity = first.subject.setting or first.quantity.value.replace("_", " ")
            findings.append(
                Finding(
                    dataset=first.source if is_one_document else f"{first.source}, {second.source}",
                    column=f"{first.id}, {second.id}",
                    place="; ".join(places),
                    kind="same_quantity",
                    severity=Severity.FAULT if is_one_document else Severity.NOTE,
                    printed=" and ".join(figures),
                    allowed="one value",
                    message=f"{quantity} is {first.value} and {second.value}",
                )
            )
    checked = Counter(row.computed_by for row in computed)
    checked["same_quantity"] = len(pairs)
    reported = {each.column for each in findings}
    findings += (
        each
        for each in contradiction_findings(statements(document), checked)
        if each.column not in reported
    )
    return Audit("statements", tuple(findings), checked, Counter())


def _pairs(chosen: Sequence[Statement]) -> Iterator[tuple[Statement, Statement]]:
    """Statements on one quantity at two places, as one of them declares, each pair once."""
    ids = {about.id for about in chosen}
    seen: set[frozenset[str]] = set()
    for about in chosen:
        for name in about.repeats:
            try:
                other = statement(name)
            except UnknownRecordError as error:
                place = f"statements ({about.id}).repeats"
                raise ParseError(statement_file(about.id), f"{place}: {error}") from None
            pair = frozenset({about.id, name})
            if name in ids and other.unit == about.unit and pair not in seen:
                seen.add(pair)
                yield about, other


def _as_printed(about: Statement) -> str:
    """The figure as the document writes it, and what it means where that differs."""
    return f"{about.printed} ({about.claim})" if about.printed else about.claim
