"""Published statements against what netmodel computes for them: the ledger."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from netmodel.calibration import calibrated_inputs
from netmodel.consumption import cpu_time_ratio, data_ratio_at_fixed_concurrency
from netmodel.judging._evidence._amounts import Agreement, Computed, agreement
from netmodel.judging._evidence._interpreter import computed, implied, kind_of
from netmodel.judging._evidence._predictions import NotComputable, Sources
from netmodel.records import (
    Grade,
    Relation,
    Statement,
    statements,
)
from netmodel.records import _rules as rules
from netmodel.records._subjects import Change, QuantityKind

NOT_DECLARED = "no computation is declared, and no reason why there is none"
_OWN_COUNT = "our own count of what is printed: the document makes no claim to hold it against"
_OF_A_CASE = frozenset({"connection_counts", "side", "load", "setting", "version", "distance_km"})
"""Parts of a subject in which a figure may be more specific than the words that sum it up."""


class EvidenceVerdict(Enum):
    """How a statement stands to what is computed for it."""

    HOLDS = "holds"
    """The printed figure, within its rounding, allows what was computed."""
    CONTRADICTED = "contradicted"
    """It does not."""
    INPUT = "input"
    """Other figures are computed from it."""
    NOT_MODELLED = "not_modelled"
    """Nothing is computed for it; the reason says why."""


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
        What it was held against, such as ``path`` or ``framing``; empty where
        nothing was computed.
    inputs : tuple of str
        Ids of the statements that it was computed from, besides those that records
        of the catalog are calibrated from.
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
    kind: str = ""
    inputs: tuple[str, ...] = ()
    agreement: Agreement = Agreement.NOT_COMPUTED
    notes: tuple[str, ...] = ()
    figures_in: tuple[str, ...] = ()

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
            "agreement": self.agreement.value,
            "reason": self.reason,
            "inputs": list(self.inputs),
            "figures_in": list(self.figures_in),
            "notes": list(self.notes),
        }


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
    results = {about.id: _result(about, sources) for about in chosen}
    used = {
        name: user
        for user, result in results.items()
        if isinstance(result, Computed) and user not in records
        for name in result.inputs
    }
    rows = []
    for about in chosen:
        if about.id in records:
            reason = f"calibrated records rest on it: {', '.join(records[about.id])}"
            rows.append(Evidence(about, EvidenceVerdict.INPUT, "", reason))
        elif about.id in used:
            reason = f"{used[about.id]} is computed from it"
            rows.append(Evidence(about, EvidenceVerdict.INPUT, "", reason))
        else:
            rows.append(_judged(about, results[about.id], sources))
    return tuple(rows)


def _result(about: Statement, sources: Sources) -> Computed | str:
    """What is computed for a statement, or why nothing is."""
    if about.computed is not None:
        try:
            return computed(about, sources)
        except NotComputable as reason:
            return str(reason)
    is_own = about.grade is Grade.DERIVED
    return about.not_modelled or (_OWN_COUNT if is_own else NOT_DECLARED)


def _judged(about: Statement, result: Computed | str, sources: Sources) -> Evidence:
    if isinstance(result, str):
        figures: list[str] = []
        if about.relation is Relation.SIGN and about.change is not None:
            figures = [
                other.id
                for other in statements(about.source)
                if (other.quantity, other.change) == (about.quantity, about.change)
                and other.id != about.id
                and other.has_figure
                and _is_case_of(other, about)
            ]
        follows = " and ".join(implied(about, sources))
        notes = [*([follows] if follows else []), *_cpu_time(about)]
        if figures:
            others = f" and {len(figures) - 1} more" if len(figures) > 1 else ""
            notes.insert(0, f"in words only; figures are in {figures[0]}{others}")
        return Evidence(
            about,
            EvidenceVerdict.NOT_MODELLED,
            "",
            result,
            notes=tuple(notes),
            figures_in=tuple(figures),
        )
    how = agreement(about, result)
    is_missed = how is Agreement.MISSED
    return Evidence(
        about,
        EvidenceVerdict.CONTRADICTED if is_missed else EvidenceVerdict.HOLDS,
        str(result),
        result.how,
        kind_of(rules.rules_within(about.computed)),
        result.inputs,
        how,
    )


def records_of() -> Mapping[str, Sequence[str]]:
    """Ids of the calibrated records that are made from a statement, by its id."""
    records: dict[str, list[str]] = {}
    for record, ids in calibrated_inputs().items():
        for name in ids:
            records.setdefault(name, []).append(record)
    return records


def _is_case_of(other: Statement, about: Statement) -> bool:
    """Whether a statement is about a case of what another one is about."""
    for mine, theirs in ((about.subject, other.subject), (about.baseline, other.baseline)):
        if mine is None or theirs is None:
            continue
        named = mine.model_dump(exclude_defaults=True, exclude=set(_OF_A_CASE))
        others = theirs.model_dump(exclude_defaults=True)
        if not named or any(others.get(name) != value for name, value in named.items()):
            return False
    counts = set(about.subject.connection_counts)
    same_place = about.subject.distance_km in (None, other.subject.distance_km)
    return same_place and (not counts or set(other.subject.connection_counts) <= counts)


def _cpu_time(about: Statement) -> Iterator[str]:
    """CPU time that the printed changes of transaction time and consumption come to together."""
    pair = {QuantityKind.TRANSACTION_TIME, QuantityKind.CPU_CONSUMPTION}
    if about.quantity not in pair or about.value is None:
        return
    partners = {about.quantity: about}
    for other in statements(about.source):
        if other.quantity not in pair or other.unit != "%" or other.value is None:
            continue
        # the changes of one subject, whose side one of them may leave open
        (subject, baseline), (others, other_baseline) = (
            (each.subject.model_copy(update={"side": None}), each.baseline)
            for each in (about, other)
        )
        sides = {each.subject.side for each in (about, other)} - {None}
        is_same = (subject, baseline) == (others, other_baseline) and len(sides) <= 1
        if is_same and other.id != about.id:
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
