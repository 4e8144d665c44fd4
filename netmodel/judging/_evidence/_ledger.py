"""Published statements against what netmodel computes for them: the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from netmodel.judging._evidence._agreement import Agreement, agreement
from netmodel.judging._evidence._book import Book
from netmodel.judging._evidence._computed import Computed
from netmodel.judging._evidence._reasons import why_not_modelled
from netmodel.judging._evidence._rules import RULES
from netmodel.records import Grade, Statement, statements

__all__ = ["Evidence", "EvidenceVerdict", "evidence"]


class EvidenceVerdict(Enum):
    """How a statement stands to what is computed for it."""

    HOLDS = "holds"
    """The printed figure, within its rounding, allows what was computed."""
    CONTRADICTED = "contradicted"
    """It does not."""
    INPUT = "input"
    """Other figures are computed from it."""
    NOT_MODELLED = "not_modelled"
    """Nothing is computed for it yet; the reason says what is missing."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """
    One row of the ledger.

    Parameters
    ----------
    statement : Statement
        What is claimed, and where.
    verdict : EvidenceVerdict
        Whether it holds.
    computed : str
        What was computed; empty where nothing was.
    reason : str
        How it was computed, or why it was not.
    kind : str
        What it was held against; empty where nothing was computed.
    inputs : tuple of str
        Ids of the statements that it was computed from, besides those that records
        of the catalog are calibrated from.
    agreement : Agreement
        Whether a statement that holds was predicted, or only not excluded.
    """

    statement: Statement
    verdict: EvidenceVerdict
    computed: str
    reason: str
    kind: str = ""
    inputs: tuple[str, ...] = ()
    agreement: Agreement = Agreement.NOT_TOLD

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel evidence``."""
        told = self.statement
        return {
            "id": told.id,
            "document": told.source,
            "locator": told.locator,
            "wording": told.wording,
            "quantity": told.quantity.value,
            "printed": told.claim,
            "computed": self.computed or None,
            "verdict": self.verdict.value,
            "agreement": self.agreement.value,
            "reason": self.reason,
            "inputs": list(self.inputs),
        }


def evidence(document: str | None = None) -> tuple[Evidence, ...]:
    """
    Hold published statements against what netmodel computes for them.

    Parameters
    ----------
    document : str, optional
        Id of a document; all of them when left out.

    Returns
    -------
    ledger : tuple of Evidence
        A row for each statement, in the order of the document.

    Raises
    ------
    UnknownRecordError
        If no statement cites that document.

    Examples
    --------
    >>> ledger = {row.statement.id: row for row in evidence("adapter")}
    >>> row = ledger["ceiling-25g-mtu-9000"]
    >>> row.verdict.value, row.computed
    ('holds', '24.7511 Gbit/s')
    """
    chosen = statements(document)
    book = Book(statements())
    found = {told.id: _computed(told, book) for told in chosen}
    used = {name: told_id for told_id, one in found.items() if one for name in one[1].inputs}
    return tuple(_judged(told, book, found[told.id], used) for told in chosen)


def _computed(told: Statement, book: Book) -> tuple[str, Computed] | None:
    """What the first rule that knows the claim makes of it, and the kind of the rule."""
    if book.is_input(told) or told.grade is Grade.DERIVED:
        return None
    for kind, rule in RULES:
        found = rule(told, book)
        if found is not None:
            return kind, found
    return None


def _judged(
    told: Statement,
    book: Book,
    found: tuple[str, Computed] | None,
    used: Mapping[str, str],
) -> Evidence:
    if book.is_input(told):
        reason = f"records of the catalog are made from it: {', '.join(book.records_of[told.id])}"
        return Evidence(told, EvidenceVerdict.INPUT, "", reason)
    if told.id in used:
        return Evidence(told, EvidenceVerdict.INPUT, "", f"{used[told.id]} is computed from it")
    if found is None:
        return Evidence(told, EvidenceVerdict.NOT_MODELLED, "", why_not_modelled(told, book))
    kind, computed = found
    how = agreement(told, computed)
    missed = how is Agreement.MISSED
    verdict = EvidenceVerdict.CONTRADICTED if missed else EvidenceVerdict.HOLDS
    return Evidence(told, verdict, str(computed), computed.how, kind, computed.inputs, how)
