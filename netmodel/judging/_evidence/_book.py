"""All statements and measured tables, and what they say beside each other."""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from netmodel.calibration.published import adapter_inputs
from netmodel.ceilings import LineCeiling, line_ceiling
from netmodel.framing import tcp_stack
from netmodel.records import (
    Adapter,
    Change,
    StatedQuantity,
    Statement,
    Table,
    adapter,
    dataset,
    path_record,
    path_record_ids,
)
from netmodel.tuning import queue_drain_time_s

__all__ = ["LINE", "Book", "drained_ms", "tcp_ceiling"]

Q = StatedQuantity
LINE = "line"
"""Unit of statements that a line was full."""
_FULL_FRAME_BYTES = 1538


@dataclass(frozen=True)
class Book:
    """
    All statements and the measured tables, which rules look things up in.

    Parameters
    ----------
    statements : sequence of Statement
        Of all documents.
    adapter : callable
        From the id of an adapter to its record.
    rates : dict
        Predictions made so far, by what they are of.
    """

    statements: Sequence[Statement]
    adapter: Callable[[str], Adapter] = adapter
    rates: dict[Hashable, Any] = field(default_factory=dict)

    def is_input(self, told: Statement) -> bool:
        """Whether records of the catalog are made from this statement."""
        return told.id in self.records_of

    def others(
        self, told: Statement, quantity: StatedQuantity | None = None, **about: Any
    ) -> Iterator[Statement]:
        """Other statements of the same document with these fields, or fields of the subject."""
        for other in self._found[told.source, quantity]:
            if other is not told and all(
                getattr(other if hasattr(other, name) else other.subject, name) == value
                for name, value in about.items()
            ):
                yield other

    def figure(self, told: Statement, **about: Any) -> tuple[str, float] | None:
        """Id and figure of the first of the `others` that has one."""
        for other in self.others(told, **about):
            if other.value is not None:
                return other.id, float(other.value)
        return None

    def limited_counts(self, workload: str) -> frozenset[int]:
        """Numbers of connections at which documents say that an adapter or its line is full."""
        return self._limited_counts.get(workload, frozenset())

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

    @cached_property
    def records_of(self) -> dict[str, tuple[str, ...]]:
        """Ids of the records that are made from a statement, by its id."""
        named = {**adapter_inputs(), **_path_inputs({told.id for told in self.statements})}
        found: dict[str, tuple[str, ...]] = {}
        for record, ids in named.items():
            for name in ids:
                found[name] = (*found.get(name, ()), record)
        return found

    @cached_property
    def _limited_counts(self) -> dict[str, frozenset[int]]:
        found: dict[str, frozenset[int]] = {}
        for told in self.statements:
            if told.quantity is Q.PAYLOAD_RATE and told.subject.adapter is not None:
                for name in told.subject.all_workloads:
                    counts = found.get(name, frozenset())
                    found[name] = counts | frozenset(told.subject.connection_counts)
        return found

    @cached_property
    def _found(self) -> Mapping[tuple[str, StatedQuantity | None], list[Statement]]:
        """By document, and of each quantity or of all."""
        found: defaultdict[tuple[str, StatedQuantity | None], list[Statement]] = defaultdict(list)
        for told in self.statements:
            found[told.source, told.quantity].append(told)
            found[told.source, None].append(told)
        return found


def _path_inputs(known: Set[str]) -> dict[str, tuple[str, ...]]:
    """Ids of statements by that of the path whose notes name them as its source."""
    return {
        name: tuple(
            dict.fromkeys(
                word
                for part in path_record(name).parts.values()
                for word in re.findall(r"[\w.-]+", part.note or "")
                if word in known
            )
        )
        for name in path_record_ids()
    }


def tcp_ceiling(line_rate_bps: float, mtu_bytes: int) -> LineCeiling:
    return line_ceiling(line_rate_bps, mtu_bytes, tcp_stack())


def drained_ms(packet_count: float, line_rate_bps: float) -> float:
    """Time until full frames at the usual MTU have left a queue. [ms]"""
    return 1e3 * float(queue_drain_time_s(packet_count, line_rate_bps, _FULL_FRAME_BYTES))
