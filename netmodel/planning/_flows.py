"""What is to be carried: a traffic, and the rate that is needed of it."""

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from netmodel._numeric import require_above, require_kind, require_one
from netmodel._text import RESULT_DIGITS
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError, UnitError
from netmodel.path import Traffic, workload_traffic
from netmodel.units import BITS_PER_BYTE, format_rate, parse_rate_bps

if TYPE_CHECKING:
    from netmodel.records import Workload

_FORM = re.compile(
    r"(?P<rate>\S+(?:\s+\S+)?)\s+(?P<workload>\S+)(?:\s+from\s+(?P<sender>client|server))?"
)
_PER_SECOND = re.compile(r"(?P<number>[0-9.]+(?:[eE][+-]?[0-9]+)?)\s*/\s*s")


@dataclass(frozen=True, slots=True)
class Flow:
    """
    A traffic, and how much of it there is to be.

    Parameters
    ----------
    traffic : Traffic
        Of single numbers. Its connections are all connections of the flow.
    transaction_rate_tps : float
        Transactions per second; of a stream, writes. [1/s]
    name : str
        What to call it in results.
    notes : tuple of str
        What a reader of a plan should know of it.

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

    def __post_init__(self) -> None:
        rate_tps = require_one("transaction_rate_tps", self.transaction_rate_tps)
        require_above("transaction_rate_tps", rate_tps, 0, "1/s")
        traffic = self.traffic
        require_kind("traffic", traffic, Traffic, "a Traffic, as workload_traffic makes it")
        if any(isinstance(number, np.ndarray) for number in traffic.numbers):
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

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units."""
        return {
            "name": self.name,
            "sender": self.sender.value,
            "payload_rate_bps": self.payload_rate_bps,
            "transaction_rate_tps": self.transaction_rate_tps,
            "request_bytes": self.traffic.request_bytes,
            "response_bytes": self.traffic.response_bytes,
            "connection_count": self.traffic.connection_count,
        }

    def __str__(self) -> str:
        count = self.connection_count
        over = "" if count is None else f" over {count:,.9g} connection{'s' * (count != 1)}"
        rate = format_rate(self.payload_rate_bps, RESULT_DIGITS)
        return (
            f"{self.name} from {self.sender.value}: {rate}, "
            f"{self.transaction_rate_tps:,.0f} /s{over}"
        )


def workload_flow(
    workload: "Workload",
    *,
    payload_rate_bps: float | None = None,
    transaction_rate_tps: float | None = None,
    sender: Side | None = None,
    connection_count: int | None = None,
    segments_per_ack: float | None = None,
) -> Flow:
    """
    A workload, and the rate that is needed of it.

    Parameters
    ----------
    workload : Workload
        From the catalog, or from a file.
    payload_rate_bps : float, optional
        Payload rate of the side that sends more; this or the other rate. [bit/s]
    transaction_rate_tps : float, optional
        Transactions per second; of a stream, writes. [1/s]
    sender : Side, optional
        The side that sends more; that of the workload when left out. Its
        client and server change sides where it is the other one.
    connection_count : int, optional
        All its connections, where their number is known.
    segments_per_ack : float, optional
        Frames of a stream that one pure acknowledgement answers; not counted when
        left out. Requests and responses answer each other: theirs ride on data.

    Returns
    -------
    flow : Flow
        Its notes say what of the workload is assumed.

    Raises
    ------
    ContradictionError
        If none or both of the rates are given.
    AmbiguousValueError
        If a size of the workload is only known as a range.
    DomainError
        If a rate is not above zero, or a count is below 1.

    Examples
    --------
    >>> from netmodel.records import workload
    >>> round(workload_flow(workload("str-writex30k"), payload_rate_bps=25e9).transaction_rate_tps)
    101725
    """
    from netmodel.records import Workload

    require_kind("workload", workload, Workload, "a Workload: netmodel.records.workload reads one")
    if (payload_rate_bps is None) == (transaction_rate_tps is None):
        raise ContradictionError("give payload_rate_bps or transaction_rate_tps, and not both")
    own_acks = segments_per_ack if workload.is_stream else None
    traffic = workload_traffic(workload, connection_count, segments_per_ack=own_acks)
    if sender is not None and sender is not workload.sender:
        traffic = traffic.reversed
    rate_tps = transaction_rate_tps
    if payload_rate_bps is not None:
        payload_rate_bps = require_one("payload_rate_bps", payload_rate_bps)
        rate_tps = payload_rate_bps / (float(traffic.payload_bytes) * BITS_PER_BYTE)
    assert rate_tps is not None
    return Flow(traffic, rate_tps, workload.id, workload.assumptions)


def parse_flow(
    text: str, connection_count: int | None = None, segments_per_ack: float | None = None
) -> Flow:
    """
    Read how much of which workload there is to be.

    Parameters
    ----------
    text : str
        A payload rate or transactions per second, a workload by its name or as
        a file, and the side that sends more where it is not that of the
        workload: ``"25 Gbit/s str-writex30k"``, ``"1e5/s rr1c-200x1000 from client"``.
    connection_count : int, optional
        All its connections, where their number is known.
    segments_per_ack : float, optional
        Frames of a stream that one pure acknowledgement answers; not counted when
        left out. Requests and responses answer each other: theirs ride on data.

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
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise UnitError(
            f"{text!r} is not a rate and a workload, such as '25 Gbit/s str-writex30k' or "
            "'100000/s rr1c-200x1000 from client'"
        )
    name, side = match["workload"], match["sender"]
    return workload_flow(
        workload(name),
        sender=None if side is None else Side(side),
        connection_count=connection_count,
        segments_per_ack=segments_per_ack,
        **_rate(text, match["rate"]),
    )


def _rate(text: str, rate: str) -> dict[str, float]:
    """The rate by what it is called in :func:`workload_flow`."""
    if per_second := _PER_SECOND.fullmatch(rate):
        name, value = "transaction_rate_tps", _number(text, per_second["number"])
    else:
        name, value = "payload_rate_bps", parse_rate_bps(rate)
    if not 0 < value < math.inf:
        raise DomainError(f"the rate of a flow must be above 0 and finite; got {text!r}")
    return {name: value}


def _number(text: str, number: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise UnitError(f"{text!r} does not start with a number") from None
