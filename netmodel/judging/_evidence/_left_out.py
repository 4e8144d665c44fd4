"""What records of adapters tell of statements that they were not calibrated from."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from netmodel.calibration.published import adapter_documents, adapter_inputs
from netmodel.errors import ContradictionError
from netmodel.judging._evidence._agreement import Agreement, agreement
from netmodel.judging._evidence._book import Book
from netmodel.judging._evidence._computed import Computed
from netmodel.judging._evidence._rates import (
    between_adapters,
    is_of_large_responses,
    line_reached,
    stated_rate,
)
from netmodel.records import Adapter, StageTimes, Statement, adapter, statements

__all__ = ["LeftOut", "held_out_statements", "leave_one_statement_out"]

_RULES = (between_adapters, stated_rate, line_reached)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """
    A statement, and what the others tell of it.

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
        told, found = self.statement, self.predicted
        return {
            "id": told.id,
            "document": told.source,
            "locator": told.locator,
            "adapters": list(self.adapters),
            "repeats": list(self.repeats),
            "printed": told.claim,
            "predicted": None if found is None else str(found),
            "low": None if found is None else found.low,
            "high": None if found is None else found.high,
            "unit": None if found is None else found.unit,
            "outcome": self.outcome.value,
            "reason": self.reason,
        }


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
    >>> found = {row.statement.id: row for row in leave_one_statement_out()}
    >>> found["osa7s-inbound-limit-slide-35"].outcome.value
    'consistent'
    """
    told = {one.id: one for one in statements()}
    users: dict[str, list[str]] = {}
    for name, ids in adapter_inputs().items():
        for statement_id in ids:
            users.setdefault(statement_id, []).append(name)
    made: dict[frozenset[str], Mapping[str, Adapter] | str] = {}
    found = []
    for statement_id, names in users.items():
        repeats = [one for one in users if _says_again(told[one], told[statement_id])]
        without = frozenset(repeats)
        if without not in made:
            made[without] = _calibrated_without(
                without, {name for one in repeats for name in users[one]}
            )
        others = tuple(one for one in repeats if one != statement_id)
        found.append(_left_out(told[statement_id], tuple(names), others, made[without]))
    return tuple(found)


def held_out_statements() -> tuple[LeftOut, ...]:
    """
    Predict each statement on large responses that no record is made from.

    Returns
    -------
    held_out : tuple of LeftOut
        One for each statement that the paths between adapters predict, in the order
        of the documents. Those on streams are none: times of adapters come from
        streams, so that most of what is said of them is said again.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Examples
    --------
    >>> found = {row.statement.id: row for row in held_out_statements()}
    >>> row = found["osa7s-limit-rr30k-slide-19"]
    >>> row.outcome.value, str(row.predicted)
    ('predicted', '12.87 to 13.18 Gbit/s')
    """
    book = Book(statements())
    pairs = (
        (told, next(_predictions(told, book), None))
        for told in book.statements
        if not book.is_input(told)
    )
    return tuple(
        LeftOut(told, (), (), agreement(told, found), found, found.how)
        for told, found in pairs
        if found is not None and is_of_large_responses(told, book)
    )


def _calibrated_without(
    without: frozenset[str], names: Collection[str]
) -> Mapping[str, Adapter] | str:
    """Records of the adapters that these statements are inputs of, or why there are none."""
    try:
        documents = adapter_documents(without, names)
    except ContradictionError as reason:
        return f"the others cannot be true together: {reason}"
    return {name: _record(name, documents.get(("adapters", name), {})) for name in names}


def _record(name: str, document: Mapping[str, Any]) -> Adapter:
    """The record with the times that were found in place of its own, and of what was seen of it."""
    times = {
        field: StageTimes.model_validate(document[key]) if key in document else None
        for field, key in (("out", "out"), ("in_", "in"))
    }
    return adapter(name).model_copy(update={"observations": (), **times})


def _left_out(
    told: Statement,
    names: tuple[str, ...],
    repeats: tuple[str, ...],
    records: Mapping[str, Adapter] | str,
) -> LeftOut:
    if isinstance(records, str):
        return LeftOut(told, names, repeats, Agreement.NOT_TOLD, None, records)
    book = Book(statements(), lambda name: records.get(name) or adapter(name))
    found = next(_predictions(told, book), None)
    if found is None:
        reason = "the others do not bound the times that it depends on"
        return LeftOut(told, names, repeats, Agreement.NOT_TOLD, None, reason)
    return LeftOut(told, names, repeats, agreement(told, found), found, found.how)


def _predictions(told: Statement, book: Book) -> Iterator[Computed]:
    for rule in _RULES:
        found = rule(told, book)
        if found is not None:
            yield found


def _says_again(one: Statement, other: Statement) -> bool:
    """Whether two print the same figure of an adapter and its direction, or are one."""
    if one is other or one.change or _figure(one) != _figure(other):
        return one is other
    pairs = (
        (one.subject.direction, other.subject.direction),
        (one.subject.workload, other.subject.workload),
    )
    return all(mine is None or theirs is None or mine == theirs for mine, theirs in pairs)


def _figure(told: Statement) -> tuple[object, ...]:
    subject = told.subject
    return told.quantity, told.value, told.unit, subject.adapter, subject.mtu_bytes
