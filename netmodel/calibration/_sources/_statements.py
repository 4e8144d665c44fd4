"""Observations from statements of documents, and from what was seen of adapters."""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

from netmodel.calibration._models._path import traffic_under
from netmodel.calibration._observed import Conditions, Observed, comparable
from netmodel.calibration._sources._columns import QUANTITIES
from netmodel.calibration._sources._line_speed import line_cap
from netmodel.calibration._sources._selection import Figure, Selection, as_ratio, counted, grade_of
from netmodel.errors import DomainError, UnitError
from netmodel.records import (
    Adapter,
    Relation,
    Statement,
    adapter,
)
from netmodel.records._equipment import Observation
from netmodel.records._subjects import Change, Configuration, QuantityKind
from netmodel.units import parse_rate_bps

__all__ = ["observed_from_adapter", "observed_from_statements"]

_LINE = "line"
_NAMES = {
    QuantityKind.THROUGHPUT: "throughput_bps",
    QuantityKind.PAYLOAD_RATE: "throughput_bps",
    QuantityKind.TRANSACTION_RATE: "transaction_rate_tps",
    QuantityKind.TRANSACTION_TIME: "transaction_time_s",
    QuantityKind.LATENCY: "transaction_time_s",
    QuantityKind.CPU_CONSUMPTION: "cpu_us_per_gbit",
    QuantityKind.CPU_TIME_PER_TRANSACTION: "cpu_s_per_transaction",
}
_CHANGE_UNITS = {"%": 0.01, "x": 1.0}
_WORDS = frozenset({"interface", "setting", "version", "tool", "item", "load", "payload"})
_NOTHING_SEEN = frozenset({"mtu_bytes", "transport"})
_CASES = ("workload", "workloads", "connection_counts")


@dataclass(frozen=True, slots=True)
class _Claim:
    """What statements and what was seen of adapters have in common."""

    told: Statement | Observation
    place: str
    at: Conditions
    workloads: tuple[str, ...]
    connection_counts: tuple[int, ...]
    change: Change | None = None
    otherwise: Conditions | None = None
    line_rate_bps: float | None = None

    @property
    def cases(self) -> tuple[Conditions, ...]:
        """Conditions of each workload and number of connections that it names."""
        workloads = [{"workload": name} for name in self.workloads] or [{}]
        counts = [{"connection_count": count} for count in self.connection_counts] or [{}]
        return tuple(
            _with_client_or_server({**self.at, **one, **other})
            for one, other in product(workloads, counts)
        )


def observed_from_statements(statements: Iterable[Statement]) -> Selection:
    """
    Observations from what documents state.

    Parameters
    ----------
    statements : iterable of Statement
        Such as `netmodel.records.statements` of one document.

    Returns
    -------
    selection : Selection
        One observation for each workload and number of connections that a
        statement names, but one for all where it says "up to". Each part of
        the subject is a condition of the same name, ``connection_count`` one
        for each count, and a sender or receiver is called client or server.
        The baseline has the same conditions but for what it tells itself. The
        notes say how many statements were left out for each reason, and which
        ones say the same again.

    Raises
    ------
    UnknownRecordError
        If a statement names an adapter or a workload that is not known.

    Notes
    -----
    Throughput and payload rate become ``throughput_bps``, transaction time and
    latency ``transaction_time_s``, CPU consumption ``cpu_us_per_gbit``. "The
    same" is within 5 %, "more" without a figure from 1 time up. A rate in units
    of the line, "line speed reached", is that of the payload which the line
    carries of that workload at that MTU, over TCP and IPv4.

    Examples
    --------
    >>> from netmodel.records import statement
    >>> limit = statement("osa7s-inbound-limit-slide-35")
    >>> seen = observed_from_statements([limit]).observed[0]
    >>> seen.low, seen.high, seen.at["direction"]
    (13350000000.0, 13450000000.0, 'in')
    """
    return _selected("statement", map(_of_statement, statements))


def observed_from_adapter(name: str) -> Selection:
    """
    Observations that the record of an adapter carries.

    Parameters
    ----------
    name : str
        Its id, which becomes the condition ``adapter``.

    Returns
    -------
    selection : Selection
        As `observed_from_statements` has it; the adapter at the other end
        is the condition ``peer_adapter``.

    Raises
    ------
    UnknownRecordError
        If there is no such adapter.

    Examples
    --------
    >>> found = observed_from_adapter("osa-express7s-25gbe").observed
    >>> [round(seen.value / 1e9, 1) for seen in found[:2]]
    [13.4, 20.5]
    """
    record = adapter(name)
    claims = [_of_adapter(name, record, told) for told in record.observations]
    return _selected("observation", claims)


def _of_statement(told: Statement) -> _Claim:
    subject = told.subject
    return _Claim(
        told,
        f"{told.id} ({told.source}, {told.locator})",
        _conditions(subject),
        subject.all_workloads,
        subject.connection_counts,
        told.change,
        None if told.baseline is None else _baseline(told.baseline),
        _line_rate_bps(subject),
    )


def _of_adapter(name: str, record: Adapter, told: Observation) -> _Claim:
    at = {key: value for key, value in told.conditions.items() if key not in _CASES}
    return _Claim(
        told,
        f"{name}: {told.quantity.value} {told} ({told.source}, {told.locator})",
        {"adapter": name, **at},
        (told.workload,) if told.workload else (),
        told.connection_counts,
        line_rate_bps=record.line_rate.rate_bps,
    )


def _conditions(told: Configuration) -> dict[str, float | str | bool]:
    parts = told.model_dump(exclude_defaults=True, exclude=set(_CASES) | {"line_rate"})
    return {
        name: float(value) if isinstance(value, Decimal) else value for name, value in parts.items()
    }


def _with_client_or_server(at: Conditions) -> Conditions:
    """Conditions that call the side that sends more, or less, by its role in the connection."""
    side = at.get("side")
    if side not in ("sender", "receiver") or "workload" not in at:
        return at
    traffic = traffic_under(at)
    server_sends = bool(traffic.response_bytes > traffic.request_bytes)
    is_server = server_sends == (side == "sender")
    return {**at, "side": "server" if is_server else "client"}


def _baseline(told: Configuration) -> dict[str, float | str | bool]:
    """What is otherwise there; several workloads or numbers of connections are no one place."""
    several: list[tuple[str, Sequence[str | int]]] = [
        ("workload", told.all_workloads),
        ("connection_count", told.connection_counts),
    ]
    single = {name: values[0] for name, values in several if len(values) == 1}
    return _conditions(told) | single


def _line_rate_bps(subject: Configuration) -> float | None:
    if subject.line_rate is not None:
        return parse_rate_bps(subject.line_rate)
    return None if subject.adapter is None else adapter(subject.adapter).line_rate.rate_bps


def _selected(kind: str, claims: Iterable[_Claim]) -> Selection:
    observed: dict[Hashable, Observed] = {}
    repeats: list[str] = []
    reasons: list[str] = []
    for claim in claims:
        try:
            found = list(_observed(claim))
        except DomainError as reason:
            reasons.append(str(reason))
            continue
        for seen in found:
            first = observed.setdefault(_said(seen), seen)
            if first is not seen:
                repeats.append(f"{seen.place}: says again what {first.place} says")
    return Selection(tuple(observed.values()), (*counted(kind, reasons), *dict.fromkeys(repeats)))


def _said(seen: Observed) -> Hashable:
    """All of an observation but where it is from."""
    return (
        *(seen.quantity, seen.relation, seen.low, seen.high, len(seen.also_at)),
        comparable(seen.at),
        comparable(seen.baseline),
    )


def _observed(claim: _Claim) -> Iterator[Observed]:
    """Observations of a claim; a DomainError says why there are none."""
    told = claim.told
    quantity = _quantity(claim)
    cases = claim.cases
    for at in cases:
        figure = _figure(claim, quantity, at)
        also_at = cases[1:] if figure.relation is Relation.UP_TO else ()
        yield Observed(
            quantity=quantity,
            at=at,
            low=figure.low,
            high=figure.high,
            value=figure.value,
            relation=figure.relation,
            baseline=None if claim.otherwise is None else {**at, **claim.otherwise},
            also_at=also_at,
            place=claim.place,
            grade=grade_of(figure.relation, told.grade),
            is_published=True,
        )
        if also_at:
            return


def _quantity(claim: _Claim) -> str:
    told = claim.told
    name = _NAMES.get(told.quantity)
    if name is None and _is_line_reached(told):
        return "throughput_bps"
    if name is None:
        raise DomainError(f"{told.quantity.value} is no quantity that models have")
    if isinstance(told, Statement) and told.given:
        raise DomainError("it is a worked example, not something seen")
    if claim.change is None and set(claim.at) <= _NOTHING_SEEN:
        raise DomainError("it tells what a line could carry, not what something did")
    if claim.otherwise is not None and set(claim.otherwise) <= _WORDS:
        raise DomainError("only words tell what it is compared with")
    return name


def _is_line_reached(told: Statement | Observation) -> bool:
    """Whether it says that the line was full, by its unit or by the rate of the line."""
    if told.quantity is QuantityKind.LINE_RATE:
        return isinstance(told, Observation) and told.relation is Relation.CENSORED_ABOVE
    return told.unit == _LINE


def _figure(claim: _Claim, quantity: str, at: Conditions) -> Figure:
    told = claim.told
    if claim.change is not None:
        return as_ratio(claim.change, _by(told, _CHANGE_UNITS.get(told.unit or "")))
    if _is_line_reached(told):
        cap_bps = _carried_bps(claim, at)
        if told.quantity is QuantityKind.LINE_RATE:
            return Figure(cap_bps, math.inf, cap_bps, Relation.CENSORED_ABOVE)
        scale: float | None = cap_bps
    else:
        scale = _scale(quantity, told.unit)
    figure = _by(told, scale)
    if figure is None:
        raise DomainError("no figure is told")
    return figure


def _by(told: Statement | Observation, scale: float | None) -> Figure | None:
    """Its figures in base units; None where it tells none."""
    if told.interval is None:
        return None
    if scale is None:
        raise DomainError(f"its unit, {told.unit}, is none of {told.quantity.value}")
    low, high = (max(0.0, float(end)) * scale for end in told.interval)
    value = None if told.value is None else float(told.value) * scale
    return Figure(low, high, value, told.relation)


def _scale(quantity: str, unit: str | None) -> float | None:
    try:
        return QUANTITIES[quantity](f"1 {unit}")
    except UnitError:
        return None


def _carried_bps(claim: _Claim, at: Conditions) -> float:
    """Payload of a full line; what it is without TCP is not asked here."""
    if claim.line_rate_bps is None or "mtu_bytes" not in at or "workload" not in at:
        raise DomainError("it speaks of line speed, and not of line rate, MTU and workload")
    if at.get("transport", "tcp") != "tcp":
        raise DomainError("it speaks of line speed of another transport than TCP")
    return line_cap(claim.line_rate_bps)(at)
