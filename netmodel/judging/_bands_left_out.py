"""Whether the other statements leave what a statement on a rate says."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

from netmodel._display import short_repr
from netmodel._html import plain_html
from netmodel._numeric import ROUNDING_RATIO
from netmodel.calibration import calibrated_inputs
from netmodel.concurrency import Bounds
from netmodel.framing import tcp_stack
from netmodel.judging._evidence._amounts import Agreement
from netmodel.judging._ratios import Ratios
from netmodel.judging._statement_bands import contradictory, left, network_of, read_low
from netmodel.judging._statement_bounds import stamp_of_records
from netmodel.judging._statement_claims import (
    Messages,
    Node,
    claims_with,
    messages_of,
)
from netmodel.path import workload_traffic
from netmodel.records import Statement, catalog, statements, workload


@dataclass(frozen=True, slots=True)
class LeftOutOfBand:
    """
    What a statement says of a rate or of a ratio of rates, and what all others leave of it.

    Parameters
    ----------
    statement : Statement
        What is printed.
    workload : str
        Id of a workload with its messages.
    subject : str
        The case in words.
    baseline : str
        The case that it is compared with; empty for an absolute figure.
    printed, others : Bounds
        Rates [bit/s], or ratios where there is a baseline.
    is_input : bool
        Whether a record of an adapter is calibrated from it, which the others then include.
    outcome : Agreement
        Whether the others leave only what it says (predicted), a range that includes some of it
        (consistent), nothing of it (missed), or an open range (not computed).
    """

    statement: Statement
    workload: str
    subject: str
    baseline: str
    printed: Bounds[float]
    others: Bounds[float]
    is_input: bool
    outcome: Agreement

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "id": self.statement.id,
            "document": self.statement.source,
            "workload": self.workload,
            "subject": self.subject,
            "baseline": self.baseline,
            "printed_low": self.printed.low,
            "printed_high": None if self.printed.high == inf else self.printed.high,
            "others_low": self.others.low,
            "others_high": None if self.others.high == inf else self.others.high,
            "is_input": self.is_input,
            "outcome": self.outcome.value,
        }

    def __repr__(self) -> str:
        printed, others = (
            f"{each.low:.4g} to {each.high:.4g}" for each in (self.printed, self.others)
        )
        outcome = f"{self.statement.id}: {self.outcome.value}"
        return short_repr(self, outcome, f"printed {printed}", f"others leave {others}")

    def _repr_html_(self) -> str:
        return plain_html(self)


def leave_one_out_of_bands() -> tuple[LeftOutOfBand, ...]:
    """
    Leave each statement on rates out of the ranges that statements leave, with its repetitions.

    Returns
    -------
    left_out : tuple of LeftOutOfBand
        One for each case of each statement, in the order of the workloads and documents.

    Raises
    ------
    MissingDataError
        If netmodel was installed without its data.

    Examples
    --------
    >>> rows = leave_one_out_of_bands()
    >>> next(row for row in rows if row.statement.id == "roce-against-osa7s-rr30k-1").outcome.value
    'consistent'
    """
    inputs = {name for ids in calibrated_inputs("adapters").values() for name in ids}
    repeats = _repeats()
    result: list[LeftOutOfBand] = []
    for name, messages in _workloads():
        claims = [claim for claim in claims_with(messages) if claim.high > 0]
        if not claims:
            continue
        network = network_of(
            claims[0].subject[0], claims, messages, tcp_stack(), stamp_of_records()
        )
        of_others: dict[frozenset[str], Ratios] = {}
        for claim in claims:
            without = repeats[claim.statement.id]
            if without not in of_others:
                rest = left(network, without)
                of_others[without] = Ratios(left(rest, contradictory(rest)).related)
            allowed = of_others[without].allowed(claim.subject, claim.baseline)
            printed, others = (
                Bounds(read_low(claim), claim.high),
                Bounds(allowed.low, allowed.high),
            )
            result.append(
                LeftOutOfBand(
                    claim.statement,
                    name,
                    _case_text(claim.subject),
                    "" if claim.baseline is None else _case_text(claim.baseline),
                    printed,
                    others,
                    not inputs.isdisjoint(without),
                    _outcome(printed, others),
                )
            )
    return tuple(result)


def _workloads() -> Iterator[tuple[str, Messages]]:
    """One workload of the catalog for all that exchange the same messages."""
    seen: set[Messages] = set()
    for name in catalog()["workloads"]:
        record = workload(name)
        bounds = (record.request_bytes_bounds, record.response_bytes_bounds)
        if any(low != high for low, high in bounds):
            continue
        messages = messages_of(workload_traffic(record))
        if messages is not None and messages not in seen:
            seen.add(messages)
            yield name, messages


def _repeats() -> dict[str, frozenset[str]]:
    """Statements that print the same figure again, by the id of each, itself included."""
    groups: dict[str, frozenset[str]] = {}
    for about in statements():
        members = frozenset({about.id, *about.repeats})
        # what repeats one of a group belongs to all of it
        for name in members:
            members |= groups.get(name, frozenset())
        groups |= dict.fromkeys(members, members)
    return groups


def _outcome(printed: Bounds[float], others: Bounds[float]) -> Agreement:
    room = ROUNDING_RATIO
    if printed.low > others.high * (1 + room) or printed.high < others.low * (1 - room):
        return Agreement.MISSED
    if printed.low <= others.low * (1 + room) and printed.high >= others.high * (1 - room):
        return Agreement.PREDICTED
    if not others.low or others.high == inf:
        return Agreement.NOT_COMPUTED
    return Agreement.CONSISTENT


def _case_text(node: Node) -> str:
    cell, count = node
    connections = "any number of" if count == inf else f"{count:g}"
    return f"{cell.text}, MTU {cell.mtu_bytes:g}, {connections} connections"
