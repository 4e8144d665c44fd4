"""All statements and measured tables, and what they say of the rates of adapters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from netmodel.ceilings import LineCeiling, line_ceiling
from netmodel.errors import NetmodelError
from netmodel.framing import tcp_stack
from netmodel.records import (
    Change,
    Configuration,
    StatedQuantity,
    Statement,
    Table,
    Workload,
    adapter,
    dataset,
    workload,
)

__all__ = ["Book", "tcp_ceiling"]

Q = StatedQuantity
_GIGA = 1e9
_LINE = "line"


@dataclass(frozen=True)
class Book:
    """
    All statements and the measured tables, which rules look things up in.

    Parameters
    ----------
    statements : sequence of Statement
        Of all documents.
    """

    statements: Sequence[Statement]

    def is_input(self, told: Statement) -> bool:
        """Whether ratios are computed from this limit of an adapter."""
        subject = told.subject
        is_limit = told.quantity is Q.PAYLOAD_RATE and subject.adapter is not None
        is_streaming = subject.workload in (None, "str-writex30k")
        return is_limit and (told.unit == _LINE or is_streaming)

    def rate_gbps(
        self, name: str, subject: Configuration, direction: str
    ) -> tuple[float, float, str] | None:
        """Payload rate of an adapter that documents state, as a limit or as that of the line."""
        found = [
            told
            for told in self.statements
            if told.quantity is Q.PAYLOAD_RATE
            and told.subject.adapter == name
            and told.subject.direction in (None, direction)
            and _covers(told.subject, subject)
        ]
        if any(told.unit == _LINE for told in found):
            low, high = _line_gbps(name, subject)
            return low, high, f"the line's payload ceiling for {name}"
        figures = [told for told in found if told.unit == "Gbit/s" and told.interval]
        if not figures:
            return None
        lows, highs = zip(*(told.interval for told in figures if told.interval), strict=True)
        printed = figures[0].value
        if max(lows) > min(highs):
            return None
        return float(max(lows)), float(min(highs)), f"the {printed} Gbit/s printed for {name}"

    @cached_property
    def partners(self) -> dict[tuple[Any, ...], Statement]:
        """Statements on latency by what they are about."""
        return {
            (told.source, told.locator, told.subject, told.baseline): told
            for told in self.statements
            if told.quantity is Q.LATENCY and told.interval and told.change is Change.LESS
        }

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """Tables of the measured comparison that summaries speak of."""
        return dataset("zvm-layer2-layer3").tables


def tcp_ceiling(line_rate_bps: float, mtu_bytes: int) -> LineCeiling:
    return line_ceiling(line_rate_bps, mtu_bytes, tcp_stack())


def _covers(stated: Configuration, wanted: Configuration) -> bool:
    """Whether a statement is about all that is wanted."""
    return (
        stated.workload == wanted.workload
        and stated.mtu_bytes in (None, wanted.mtu_bytes)
        and _covers_counts(stated, set(wanted.connection_counts))
    )


def _covers_counts(stated: Configuration, counts: set[int]) -> bool:
    """Whether a statement is about all these counts; the limit of a direction is about any."""
    if not stated.connection_counts:
        return stated.direction is not None
    return bool(counts) and counts <= set(stated.connection_counts)


def _line_gbps(name: str, subject: Configuration) -> tuple[float, float]:
    """What the line of an adapter carries of a workload, from separate to merged writes."""
    rate = adapter(name).line_rate
    if subject.mtu_bytes is None or subject.workload is None:
        raise NetmodelError(f"{name}: neither MTU nor workload may be left out")
    ceiling = tcp_ceiling(rate.rate_bps, subject.mtu_bytes)
    load: Workload = workload(subject.workload)
    if load.is_stream:
        message = ceiling.message(load.write_bytes)
        merged_bps = message.merged_payload_rate_bps or message.payload_rate_bps
        return message.payload_rate_bps / _GIGA, merged_bps / _GIGA
    found = ceiling.transaction(load.request_bytes, load.response_bytes)
    return found.response_payload_rate_bps / _GIGA, found.response_payload_rate_bps / _GIGA
