"""Published statements against what netmodel computes for them: the ledger."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from netmodel._display import short_repr, shortened
from netmodel._html import definition_table
from netmodel._text import listed
from netmodel.calibration import calibrated_inputs
from netmodel.consumption import cpu_time_ratio, data_ratio_at_fixed_concurrency
from netmodel.judging._evidence._amounts import Agreement, Computed, agreement
from netmodel.judging._evidence._interpreter import computed, implied
from netmodel.judging._evidence._kinds import EvidenceKind, computed_by, doubt, kind_of
from netmodel.judging._evidence._predictions import NotComputable, Sources
from netmodel.judging._evidence._repeated import printed_again
from netmodel.records import (
    Grade,
    Statement,
    statements,
)
from netmodel.records._load import unchanged_files
from netmodel.records._subjects import Change, QuantityKind

NOT_DECLARED = "no computation is declared, and no reason why there is none"
_NEEDS = "needs "
"""How a reason begins that names a model which netmodel lacks."""
_OWN_COUNT = "given: our own count of what is printed; the document makes no such claim"


class EvidenceVerdict(Enum):
    """How a statement stands to what is computed for it."""

    HOLDS = "holds"
    """The printed figure, within its rounding, allows what was computed."""
    DOUBTFUL = "doubtful"
    """It does not, unless it was rounded to 5 % or a word leaves room."""
    CONTRADICTED = "contradicted"
    """It does not."""
    INPUT = "input"
    """Other figures are computed from it."""
    NOT_MODELLED = "not_modelled"
    """Nothing is computed for it; the reason says why."""


_KINDS = {
    EvidenceVerdict.DOUBTFUL: EvidenceKind.DOUBTFUL,
    EvidenceVerdict.CONTRADICTED: EvidenceKind.CONTRADICTED,
    EvidenceVerdict.INPUT: EvidenceKind.INPUT,
    EvidenceVerdict.NOT_MODELLED: EvidenceKind.NOT_MODELLED,
}
"""Of what does not hold; `kind_of` sorts the rest."""


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
    kind : EvidenceKind
        What it is evidence of: every statement counts as one kind.
    computed_by : str
        What it was compared with, such as ``path`` or ``framing``; empty where
        nothing was computed.
    inputs : tuple of str
        Ids of the statements that it was computed from, those included that records
        of the catalog are calibrated from.
    cells : tuple of str
        Cells of tables that it was computed from, in words.
    agreement : Agreement
        Whether a statement that holds was predicted, or only not excluded.
    notes : tuple of str
        What follows from a statement that is not modelled.
    figures_in : tuple of str
        Ids of statements that print in figures what this one says in words.
    """

    statement: Statement
    verdict: EvidenceVerdict
    computed: str
    reason: str
    kind: EvidenceKind
    computed_by: str = ""
    inputs: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    agreement: Agreement = Agreement.NOT_COMPUTED
    notes: tuple[str, ...] = ()
    figures_in: tuple[str, ...] = ()

    @property
    def waits_for(self) -> str | None:
        """The model without which nothing is computed: what its reason names before a colon."""
        subject, has_colon, _ = self.reason.partition(": ")
        waits = self.verdict is EvidenceVerdict.NOT_MODELLED and subject.startswith(_NEEDS)
        return subject.removeprefix(_NEEDS) if waits and has_colon else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as in the JSON of ``netmodel evidence``."""
        about = self.statement
        return {
            "id": about.id,
            "document": about.source,
            "locator": about.locator,
            "wording": about.wording,
            "quantity": about.quantity.value,
            "printed": about.claim,
            "computed": self.computed or None,
            "verdict": self.verdict.value,
            "kind": self.kind.value,
            "computed_by": self.computed_by or None,
            "agreement": self.agreement.value,
            "reason": self.reason,
            "waits_for": self.waits_for,
            "inputs": list(self.inputs),
            "cells": list(self.cells),
            "figures_in": list(self.figures_in),
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        computed = f"computed {self.computed}" if self.computed else ""
        claim = f"printed {shortened(self.statement.claim)}"
        return short_repr(self, f"{self.statement.id}: {self.verdict.value}", claim, computed)

    def _repr_html_(self) -> str:
        about = self.statement
        rows = {
            "wording": about.wording,
            "printed": about.claim,
            "computed": self.computed,
            "verdict": self.verdict.value,
            "agreement": self.agreement.value,
            "reason": self.reason,
            "place": f"{about.source}, {about.locator}",
        }
        notes = (("note", text) for text in self.notes)
        shown = ((name, text) for name, text in rows.items() if text)
        return definition_table(about.id, (*shown, *notes))


@unchanged_files()
def evidence(document: str | None = None) -> tuple[Evidence, ...]:
    """
    Compare published statements with what netmodel computes for them.

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
    ParseError
        If what a statement is computed from is declared wrongly: an unknown formula, cell,
        statement or record, or a unit that does not fit; names file, statement and key.

    Examples
    --------
    >>> ledger = {row.statement.id: row for row in evidence("adapter")}
    >>> row = ledger["ceiling-25g-mtu-9000"]
    >>> row.verdict.value, row.computed
    ('holds', '24.7511 Gbit/s')
    """
    chosen = statements(document)
    records = records_of()
    sources = Sources()
    results = {about.id: result_of(about, sources) for about in chosen}
    used = {
        name: user
        for user, result in results.items()
        if isinstance(result, Computed) and user not in records
        for name in result.inputs
    }
    rows = []
    for about in chosen:
        result = results[about.id]
        if about.id in records and not _is_implied(about, result, records):
            rows.append(
                _input(about, f"calibrated records rest on it: {listed(records[about.id])}")
            )
        elif about.id in used:
            rows.append(_input(about, f"{used[about.id]} is computed from it"))
        else:
            rows.append(_judged(about, result, sources))
    return tuple(rows)


def _is_implied(
    about: Statement, result: Computed | str, records: Mapping[str, Sequence[str]]
) -> bool:
    """Whether an input follows from another input of the same records, as throughput from time."""
    return (
        isinstance(result, Computed)
        and bool(result.inputs)
        and not result.record_inputs
        and all(records.get(name) == records[about.id] for name in result.inputs)
    )


def judged(about: Statement, sources: Sources) -> Evidence:
    """The row of a statement by itself: what others are computed from it does not matter."""
    return _judged(about, result_of(about, sources), sources)


def _input(about: Statement, reason: str) -> Evidence:
    notes = tuple(_cpu_time(about))
    return Evidence(about, EvidenceVerdict.INPUT, "", reason, EvidenceKind.INPUT, notes=notes)


def result_of(about: Statement, sources: Sources) -> Computed | str:
    """What is computed for a statement, or why nothing is."""
    if about.computed is not None:
        try:
            return computed(about, sources)
        except NotComputable as reason:
            return printed_again(about, sources) or str(reason)
    again = printed_again(about, sources)
    if again is not None:
        return again
    is_own = about.grade is Grade.DERIVED
    return about.not_modelled or (_OWN_COUNT if is_own else NOT_DECLARED)


def _judged(about: Statement, result: Computed | str, sources: Sources) -> Evidence:
    follows = " and ".join(implied(about, sources))
    notes = [*([follows] if follows else []), *_cpu_time(about)]
    if isinstance(result, str):
        return Evidence(
            about,
            EvidenceVerdict.NOT_MODELLED,
            "",
            result,
            EvidenceKind.NOT_MODELLED,
            notes=tuple(notes),
        )
    how = agreement(about, result)
    verdict, reason = EvidenceVerdict.HOLDS, result.how
    if how is Agreement.MISSED:
        why = doubt(about, result)
        verdict = EvidenceVerdict.DOUBTFUL if why else EvidenceVerdict.CONTRADICTED
        reason = f"{why}; {reason}" if why else reason
    elif result.taken_by:
        return _input(about, f"{result.taken_by} is taken from it")
    return Evidence(
        about,
        verdict,
        str(result),
        reason,
        _KINDS.get(verdict) or kind_of(about, result, how),
        computed_by(about, result),
        tuple(dict.fromkeys((*result.inputs, *result.record_inputs))),
        result.cells,
        how,
        tuple(notes),
        result.compared,
    )


def records_of() -> Mapping[str, Sequence[str]]:
    """Ids of the calibrated records that are made from a statement, by its id."""
    records: dict[str, list[str]] = {}
    for record, ids in calibrated_inputs().items():
        for name in ids:
            records.setdefault(name, []).append(record)
    return records


def _cpu_time(about: Statement) -> Iterator[str]:
    """CPU time that the printed changes of transaction time and consumption come to together."""
    pair = {QuantityKind.TRANSACTION_TIME, QuantityKind.CPU_CONSUMPTION}
    if about.quantity not in pair or about.value is None:
        return
    partners = {about.quantity: about}
    for other in statements(about.source):
        if other.quantity not in pair or other.unit != "%" or other.value is None:
            continue
        if other.id == about.id or other.baseline != about.baseline:
            continue
        # the changes of one subject, whose side one of them may leave open
        sides = {each.subject.side for each in (about, other)} - {None}
        if len(sides) <= 1 and about.subject.is_but_for_side(other.subject):
            partners[other.quantity] = other
    if set(partners) != pair:
        return
    time, cost = partners[QuantityKind.TRANSACTION_TIME], partners[QuantityKind.CPU_CONSUMPTION]
    data = float(data_ratio_at_fixed_concurrency(_ratio(time)))
    used = float(cpu_time_ratio(_ratio(cost), data))
    other = cost if about is time else time
    yield f"with {other.id}: {data:.3f} times the data, {used:.3f} times the CPU time"


def _ratio(change: Statement) -> float:
    part = float(change.value or 0) / 100
    return 1 + part if change.change is Change.MORE else 1 - part
