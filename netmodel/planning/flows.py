"""Flows of a demand: a traffic and its required rate."""

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, UnitError
from netmodel.framing import tcp_stack
from netmodel.framing.presets import LINK_MTU_BYTES
from netmodel.numeric import is_array, require_above, require_kind, require_one
from netmodel.path import Traffic, workload_traffic
from netmodel.path.traffic import FULL_FRAMES
from netmodel.results import Result
from netmodel.text import RESULT_DIGITS, meant_text
from netmodel.units import BITS_PER_BYTE, format_rate
from netmodel.units.parsing import PERIODS_S, parse_volume

if TYPE_CHECKING:
    from netmodel.records.workloads import Workload

_SENDERS = {"in": Side.CLIENT, "inbound": Side.CLIENT, "out": Side.SERVER, "outbound": Side.SERVER}
"""The side that sends, by the direction as seen from the host of the server."""
_SENDER = re.compile(rf"\s(?:({'|'.join(_SENDERS)})|from\s+(client|server))(?=\s|$)")
_SLASH = re.compile(rf"\s*/\s*({'|'.join(PERIODS_S)})(?=\s|$)")
_NUMBER = re.compile(r"[+-]?[0-9.][0-9.,_'’]*(?:[eE][+-]?[0-9]+)?")
_UNIT_LIKE = re.compile(r".*bit.*|.*bps|[^/.]*/[a-z]+|[kmgt](i?b(ytes?)?)?", re.IGNORECASE)
"""What stands behind a number as its unit, also where it is none that is read."""
_RATE_LIKE = re.compile(r"[0-9.+-]|nan|inf", re.IGNORECASE)
"""How a rate begins, or what a reader of numbers says that it is not finite."""
_FORMS = (
    "a rate and a workload, such as '25 Gbit/s str-writex30k' or '100000/s rr1c-200x1000', nor "
    "a rate alone, such as '18 Gbit/s in' or '5 TB/day out'"
)


@dataclass(frozen=True, repr=False)
class Flow(Result):
    """
    A traffic and its required rate.

    Parameters
    ----------
    traffic : Traffic
        Of single numbers. Its connections are all connections of the flow. One that fills frames
        has those of the MTU and the headers of the last plan, of 1500 byte before.
    transaction_rate_tps : float
        Transactions per second; of a stream, writes. [1/s]
    name : str
        Name in results.
    notes : tuple of str
        Notes for the reader of a plan.
    is_in_transactions : bool
        Whether its rate was given as transactions per second; answers then are, too.
    asked_side : Side, optional
        Whose adapters are asked for: of "in" and "out" the server's; None for those of both sides.
    workload : Workload, optional
        The record that its messages are from, for its sources.

    Raises
    ------
    DomainError
        If the traffic has arrays, or the rate is not above zero.

    Examples
    --------
    >>> flow = Flow(Traffic(200, 1000), 1e5, "orders")
    >>> flow.sender.value, flow.payload_rate_bps
    ('server', 800000000.0)
    """

    traffic: Traffic
    transaction_rate_tps: float
    name: str = "flow"
    notes: tuple[str, ...] = ()
    is_in_transactions: bool = False
    asked_side: Side | None = None
    workload: "Workload | None" = field(default=None, repr=False)

    json_keys = (
        "name sender payload_rate_bps transaction_rate_tps request_bytes=traffic.request_bytes "
        "response_bytes=traffic.response_bytes connection_count fills_frames=traffic.fills_frames"
    )

    def __post_init__(self) -> None:
        rate_tps = require_one("transaction_rate_tps", self.transaction_rate_tps)
        require_above("transaction_rate_tps", rate_tps, 0, "1/s")
        require_kind("traffic", self.traffic, Traffic, "a Traffic, as workload_traffic makes it")
        if any(map(is_array, self.traffic.numbers)):
            raise DomainError(f"{self.name} has arrays: plan for one traffic after another")

    @property
    def sender(self) -> Side:
        """The side that sends more of its payload; the client when equal."""
        return self.traffic.sender

    @property
    def payload_rate_bps(self) -> float:
        """Payload rate of the side that sends more. [bit/s]"""
        return float(self.transaction_rate_tps * self.traffic.payload_bytes * BITS_PER_BYTE)

    @property
    def connection_count(self) -> float | None:
        """Connections at the same time; None where it is not known."""
        count = self.traffic.connection_count
        return None if count is None else require_one("connection_count", count)

    def in_frames(self, payload_bytes: float, mtu_bytes: float) -> "Flow":
        """Return the flow in full frames of this payload, with a note, where it fills frames."""
        if not self.traffic.fills_frames:
            return self
        sizes = (payload_bytes, 0) if self.sender is Side.CLIENT else (0, payload_bytes)
        note = (
            f"no workload given: full frames from the {self.sender.value}, "
            f"{payload_bytes:,.9g} byte of payload each at MTU {mtu_bytes:g}"
        )
        return replace(
            self,
            traffic=replace(self.traffic, request_bytes=sizes[0], response_bytes=sizes[1]),
            transaction_rate_tps=self.payload_rate_bps / (payload_bytes * BITS_PER_BYTE),
            notes=(*self.notes, note),
        )

    def __str__(self) -> str:
        count = self.connection_count
        over = "" if count is None else f" over {count:,.9g} connection{'s' * (count != 1)}"
        rate = format_rate(self.payload_rate_bps, RESULT_DIGITS)
        rates = f"{rate}, {self.transaction_rate_tps:,.0f} /s"
        return f"{self.name} from {self.sender.value}: {rates}{over}"


def workload_flow(
    workload: "Workload | Traffic | None" = None,
    payload_rate_bps: float | None = None,
    transaction_rate_tps: float | None = None,
    *,
    sender: Side | None = None,
    connection_count: int | None = None,
) -> Flow:
    """
    Return the flow of a workload, or of a stream of full frames, at a required rate.

    Parameters
    ----------
    workload : Workload or Traffic, optional
        From the catalog, or from a file; or own messages, with their connections. A stream of full
        frames when left out: they fit the MTU and the headers of each plan that it is part of.
    payload_rate_bps : float, optional
        Payload rate of the side that sends more; this or the other rate. [bit/s]
    transaction_rate_tps : float, optional
        Transactions per second of a workload; of a stream, writes. [1/s]
    sender : Side, optional
        The side that sends more; that of the workload when left out, the client without one.
        Client and server change sides where it is the other one; a note says so, but of streams
        of a workload or of full frames.
    connection_count : int, optional
        All its connections, where their number is known.

    Returns
    -------
    flow : Flow
        Its notes say what of the workload is assumed.

    Raises
    ------
    ContradictionError
        If none or both of the rates are given, or transactions without a workload.
    AmbiguousValueError
        If a size of the workload is only known as a range.
    DomainError
        If a rate is not above zero, or a count is below 1.

    Examples
    --------
    >>> from netmodel.records import workload
    >>> round(workload_flow(workload("str-writex30k"), payload_rate_bps=25e9).transaction_rate_tps)
    101725
    >>> workload_flow(payload_rate_bps=18e9).in_frames(8948, 9000).traffic.request_bytes
    8948
    """
    from netmodel.records.workloads import Workload

    if isinstance(workload, Traffic):
        traffic, workload = workload, None
    elif workload is not None:
        wanted = "a Workload: netmodel.records.workload reads one"
        require_kind("workload", workload, Workload, wanted)
        traffic = workload_traffic(workload, connection_count)
    else:
        # full frames until the MTU of a plan is known
        sizes = tcp_stack().payload_bytes(LINK_MTU_BYTES), 0
        stream = {"waits": False, "shares_segments": True, "fills_frames": True}
        traffic = Traffic(*sizes, connection_count, **stream, name=FULL_FRAMES)
    if traffic.fills_frames and transaction_rate_tps is not None:
        raise ContradictionError("transaction_rate_tps needs a workload")
    notes = () if workload is None else workload.assumptions
    if sender is not None and sender is not traffic.sender:
        traffic = traffic.reversed
        if traffic.waits or not (workload or traffic.fills_frames):
            change = f"client and server of {traffic.name} change sides"
            notes = (f"the {sender.value} sends more: {change}", *notes)
    if (payload_rate_bps is None) is (transaction_rate_tps is None):
        raise ContradictionError("give payload_rate_bps or transaction_rate_tps, and not both")
    if payload_rate_bps is None:
        rate_tps = transaction_rate_tps or 0.0
    else:
        rate_bps = require_one("payload_rate_bps", payload_rate_bps)
        rate_tps = rate_bps / (float(traffic.payload_bytes) * BITS_PER_BYTE)
    known: Any = {"is_in_transactions": payload_rate_bps is None, "workload": workload}
    return Flow(traffic, rate_tps, traffic.name, notes, **known)


def parse_flow(
    text: str, connection_count: int | None = None, messages: Traffic | None = None
) -> Flow:
    """
    Read a flow from text: a rate and a workload.

    Parameters
    ----------
    text : str
        A payload rate or transactions per second, then a workload by its name or as a file,
        and the side that sends more where it is not that of the workload:
        ``"1e5/s rr1c-200x1000"``, ``"25 Gbit/s str-writex30k from server"``. In place of the side,
        ``in`` is into the server and ``out`` out of it: the question is then about the
        adapters of the server. A rate in bit/s without a workload is a stream of full frames,
        from the client unless given: ``"18 Gbit/s out"``. A volume in a minute, an hour or a day
        is its mean rate: ``"5 TB/day in"``.
    connection_count : int, optional
        All its connections, where their number is known.
    messages : Traffic, optional
        What is exchanged, in place of a workload, with its connections.

    Returns
    -------
    flow : Flow
        As of :func:`workload_flow`.

    Raises
    ------
    UnitError
        If the text has not this form, or the rate has no unit.
    UnknownRecordError
        If no workload has this name.
    ParseError
        If the file is not a workload.
    AmbiguousValueError
        If a size of the workload is only known as a range.
    DomainError
        If the rate is not above zero, or a count is below 1.

    Examples
    --------
    >>> print(parse_flow("25 Gbit/s str-writex30k from server", connection_count=50))
    str-writex30k from server: 25 Gbit/s, 101,725 /s over 50 connections
    """
    from netmodel.records import workload

    if not isinstance(text, str):
        raise UnitError(f"text must be a rate and a workload, as one text; got {text!r}")
    # (1) the side that sends, the rate and the workload
    words = _SENDER.findall(text)
    senders = {_SENDERS.get(seen) or Side(side) for seen, side in words}
    rate, *names = _SENDER.sub("", _SLASH.sub(r"/\1", text)).split() or [""]
    if names and _NUMBER.fullmatch(rate) and _UNIT_LIKE.fullmatch(names[0]):
        rate = f"{rate} {names.pop(0)}"
    known = (*_SENDERS, *(each.value for each in Side))
    meant = next(filter(None, (meant_text(word, known) for word in names)), "")
    if meant or not _RATE_LIKE.match(rate) or len(names) > 1 or "from" in names:
        raise UnitError(f"{text!r} is not {_FORMS}{meant}")
    if len(senders) > 1:
        raise ContradictionError(
            f"{text!r}: 'in' is from the client and 'out' from the server; give one of them"
        )
    # (2) how much, and of which messages
    bps, tps, period_s = parse_volume(rate)
    if messages is not None and names:
        raise ContradictionError(f"{text!r} has a workload: leave out the sizes of messages")
    if tps is not None and messages is None and not names:
        raise UnitError(
            f"{text!r} has transactions without a workload: write '{rate} rr1c-200x1000', or a "
            "rate in bit/s for a stream of full frames"
        )
    load, sender = workload(names[0]) if names else messages, next(iter(senders), None)
    flow = workload_flow(load, bps, tps, sender=sender, connection_count=connection_count)
    means = [f"{rate} is a mean: busy times need more"] if period_s != 1 else []
    asked = Side.SERVER if any(seen for seen, _ in words) else None
    return replace(flow, notes=(*means, *flow.notes), asked_side=asked)
