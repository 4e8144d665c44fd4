"""Figures of datasets and statements with the path and workload of a case."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan, log
from typing import TYPE_CHECKING

from netmodel._numeric import ROUNDING_RATIO
from netmodel.calibration import Flagged, Observed, observed_from_dataset, observed_from_records
from netmodel.calibration._observed import Conditions
from netmodel.consumption import Side
from netmodel.errors import DomainError, UnknownRecordError
from netmodel.framing import Stack, tcp_stack
from netmodel.path import SpecifiedPath, predict_path, workload_traffic
from netmodel.path._from_records import without_limits
from netmodel.records import (
    Dataset,
    Relation,
    Statement,
    Table,
    Workload,
    adapter,
    catalog,
    dataset,
    dataset_ids,
    path_record,
    workload,
)
from netmodel.records._datasets import MeasuredRows
from netmodel.records._statements import statements_in_files_naming
from netmodel.records._subjects import Change, QuantityKind

if TYPE_CHECKING:
    from netmodel.records import Adapter

_OF_THE_CASE = frozenset({"workload", "mtu_bytes", "connection_count", "message_bytes"})
_OF_THE_ENDS = frozenset({"adapter", "sender_adapter", "receiver_adapter", "direction", "side"})
_OF_THE_PATH = frozenset({"path", "layer", "host", "link", "interface", "setting", "table"})
"""Conditions that a link to a path of the catalog covers."""
_UNCHANGED = {"receive_packet_steering": False, "distance_km": 0.0}
"""Conditions of a path that specifies nothing else."""
_PROSE = frozenset({"load", "payload", "item", "tool"})
"""Conditions whose value needs no name."""
_CPU_EFFICIENCY = "cpu_efficiency"
_IN_WORDS = {"mtu_bytes": "MTU", "connection_count": "connections"}


@dataclass(frozen=True)
class Case:
    """
    Case of a prediction.

    Parameters
    ----------
    specified_path : SpecifiedPath
        Adapters at both ends, or a path.
    workload : Workload
        Messages of both directions.
    mtu_bytes : float
        Largest innermost packet. [byte]
    connection_count : float, optional
        Connections at the same time.
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.
    """

    specified_path: SpecifiedPath
    workload: Workload
    mtu_bytes: float
    connection_count: float | None
    stack: Stack | None
    _rates_bps: list[tuple[int, SpecifiedPath, float]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @cached_property
    def path_id(self) -> str | None:
        """Id of its path of the catalog, if nothing at its ends is slower."""
        record = self.specified_path.record
        if record is None:
            return None
        try:
            is_known = path_record(record.id) == record
        except UnknownRecordError:
            return None
        hosts = (self.specified_path.client_host, self.specified_path.server_host)
        if not is_known or hosts != (None, None):
            return None
        return record.id if self.is_as_fast_as(SpecifiedPath(record=record)) else None

    @cached_property
    def ends(self) -> "Mapping[str, Adapter | None]":
        """Adapters of the side that sends more of the payload, and of the other."""
        client, server = self.specified_path.adapters(self.workload.sender)
        sends = self.workload.sender is Side.CLIENT
        sender, receiver = (client, server) if sends else (server, client)
        return {"sender": sender, "receiver": receiver}

    @cached_property
    def end_ids(self) -> Mapping[str, str | None]:
        """Ids of these adapters, where they are those of the catalog."""
        ids: dict[str, str | None] = dict.fromkeys(self.ends)
        for end, card in self.ends.items():
            # an adapter of a user's own may only have the id of one of the catalog
            if card is not None and card.id in catalog()["adapters"] and adapter(card.id) == card:
                ids[end] = card.id
        return ids

    @cached_property
    def same_workloads(self) -> frozenset[str]:
        """Ids of the workloads of the catalog that exchange the same messages in the same way."""
        own, known = _messages(self.workload), catalog()["workloads"]
        same = {name for name in known if _messages(workload(name)) == own}
        return frozenset(same | ({self.workload.id} - {*known}))

    @property
    def transport(self) -> str | None:
        """Transport of the payload, if it is one that sources name."""
        protocols = {"tcp", "udp"} & set((self.stack or tcp_stack()).protocols)
        return min(protocols, default=None)

    def is_as_fast_as(self, other: SpecifiedPath, conditions: Conditions | None = None) -> bool:
        """Whether the path is as fast as another one, at the MTU of a figure if it has one."""
        if other == self.specified_path:
            return True
        if self.specified_path.path(self.workload.sender).factors:
            return False
        mtu_bytes = int((conditions or {}).get("mtu_bytes", self.mtu_bytes))
        own_bps, other_bps = (
            self._rate_bps(path, mtu_bytes) for path in (self.specified_path, other)
        )
        return abs(own_bps - other_bps) <= ROUNDING_RATIO * other_bps

    def _rate_bps(self, specified_path: SpecifiedPath, mtu_bytes: int) -> float:
        # dozens of figures ask for the same few paths, of which some are made anew
        for of_mtu_bytes, known_path, rate_bps in self._rates_bps:
            if of_mtu_bytes == mtu_bytes and known_path == specified_path:
                return rate_bps
        bounds = (self.workload.request_bytes_bounds, self.workload.response_bytes_bounds)
        is_client = self.workload.sender is Side.CLIENT
        most_bytes = bounds[0 if is_client else 1][1]
        traffic = workload_traffic(self.workload, self.connection_count, payload_bytes=most_bytes)
        path = specified_path.path(self.workload.sender)
        rate = predict_path(path, traffic, mtu_bytes, self.stack).throughput_bps
        self._rates_bps.append((mtu_bytes, specified_path, float(rate.value)))
        return float(rate.value)


def _messages(workload: Workload) -> tuple[object, ...]:
    return (
        workload.kind,
        workload.sender,
        workload.request_bytes_bounds,
        workload.response_bytes_bounds,
    )


@dataclass(frozen=True)
class Candidate:
    """
    A figure of the path and the workload of a case, at any MTU and number of connections.

    Parameters
    ----------
    seen : Observed
        The figure in base units.
    conditions : mapping
        Conditions of the one of its cases that this is.
    side : Side, optional
        Side of the figure.
    words : tuple of str
        Differences of its case, besides MTU and connections.
    record, source, place, printed, remark : str
        As `MeasuredFigure` has them.
    difference : str
        All differences of the case.
    """

    seen: Observed
    conditions: Conditions
    side: Side | None
    words: tuple[str, ...]
    record: str
    source: str
    place: str
    printed: str
    remark: str
    difference: str = ""

    @property
    def mtu_bytes(self) -> int | None:
        """MTU of the measurement. [byte]"""
        return self._count("mtu_bytes")

    @property
    def connection_count(self) -> int | None:
        """Connections of the measurement."""
        return self._count("connection_count")

    @property
    def unreported_count(self) -> int:
        """Number of conditions that the source does not report."""
        return [self.mtu_bytes, self.connection_count].count(None) + (
            "workload" not in self.conditions
        )

    @cached_property
    def otherwise(self) -> Conditions:
        """Conditions that differ in its baseline."""
        if not isinstance(self.seen.baseline, Mapping):
            return {}
        return {
            name: value
            for name, value in self.seen.baseline.items()
            if self.conditions.get(name) != value and name not in _OF_THE_CASE - {"mtu_bytes"}
        }

    @property
    def baseline(self) -> str | None:
        """Its baseline in words."""
        if self.seen.baseline is None:
            return None
        return ", ".join(f"{_name(name)} {value}" for name, value in self.otherwise.items())

    @property
    def baseline_mtu_bytes(self) -> int | None:
        """MTU of its baseline, where nothing else differs. [byte]"""
        if set(self.otherwise) != {"mtu_bytes"}:
            return None
        return int(self.otherwise["mtu_bytes"])

    def is_at(self, case: Case) -> bool:
        """Whether MTU and connections are those of the case, as far as they are reported."""
        return not self._apart(case)

    def step(self, case: Case) -> tuple[str, float] | None:
        """Which of the two differs, and how far; None where both do, or none."""
        apart = self._apart(case)
        return next(iter(apart.items())) if len(apart) == 1 else None

    def distance(self, case: Case) -> float:
        """How far MTU and connections are from those of the case."""
        return sum(map(abs, self._apart(case).values()))

    def _apart(self, case: Case) -> dict[str, float]:
        """Logarithm of its MTU and connections over those of the case, where they differ."""
        pairs = {
            "mtu_bytes": (self.mtu_bytes, case.mtu_bytes),
            "connection_count": (self.connection_count, case.connection_count or 1),
        }
        return {
            name: log(own / other)
            for name, (own, other) in pairs.items()
            if own is not None and own != other
        }

    def _count(self, name: str) -> int | None:
        return int(self.conditions[name]) if name in self.conditions else None


def candidates(case: Case) -> Iterator[Candidate]:
    """Figures of all datasets, then of all statements, that are of the path and the workload."""
    for each in (*_of_datasets(case), *_of_statements(case)):
        # compared with the MTU of the case, the case is the baseline
        if each.otherwise.get("mtu_bytes") != case.mtu_bytes:
            steps = []
            if each.mtu_bytes not in (None, case.mtu_bytes):
                steps.append(f"at MTU {each.mtu_bytes}")
            if each.connection_count not in (None, case.connection_count):
                s = "" if each.connection_count == 1 else "s"
                steps.append(f"at {each.connection_count} connection{s}")
            is_reached = each.seen.relation is Relation.CENSORED_ABOVE
            if is_reached and each.connection_count is None and case.connection_count:
                steps.append("with connections not reported")
            yield replace(each, difference=", ".join([*steps, *each.words]))


def _of_datasets(case: Case) -> Iterator[Candidate]:
    """Figures of rows of the case's path; over adapters alone, of any path with one of them."""
    for name in dataset_ids():
        source = dataset(name)
        for link in source.paths:
            if link.path == case.path_id:
                yield from _of_rows(case, source, link, ())
            elif case.specified_path.record is None:
                rows = source.tables[link.file]
                named = link.where.get("adapter")
                if named is None and any(column.name == "adapter" for column in rows.columns):
                    cells = set(rows.text("adapter"))
                    named = cells.pop() if len(cells) == 1 else None
                if named is not None and named in case.end_ids.values():
                    yield from _of_rows(case, source, link, (f"over {link.path}",))


def _of_rows(
    case: Case, source: Dataset, link: MeasuredRows, words: tuple[str, ...]
) -> Iterator[Candidate]:
    rows = source.tables[link.file].where(**link.where)
    known = {*link.where, *source.places, "side"}
    for column in (each for each in rows.columns if each.name not in known):
        for row, seen, flags in _figures(source, rows, column.name):
            conditions = {key: value for key, value in seen.at.items() if key in _OF_THE_CASE}
            if (
                seen.at.keys() - known - _OF_THE_CASE
                or not _is_of(case, conditions)
                or _is_vague(conditions)
            ):
                continue
            ends = {key: seen.at[key] for key in ("adapter",) if key in seen.at}
            if words and not _is_at_ends(case, conditions | ends, seen):
                continue
            unit = f"{column.unit}, taken as {column.taken_as}" if column.taken_as else column.unit
            yield Candidate(
                seen=seen,
                conditions=conditions,
                side=source.side if seen.quantity.startswith("cpu") else None,
                words=words,
                record=source.id,
                source=source.source,
                place=source.place(rows, row, column.name),
                printed=f"{rows.text(column.name)[row]} {unit}",
                remark=flags,
            )


def _figures(source: Dataset, rows: Table, column: str) -> Iterator[tuple[int, Observed, str]]:
    """Place among the rows of each figure that is no part of a total, and flags against it."""
    try:
        observed = observed_from_dataset(source, rows, [column], flagged=Flagged.USED)
    except DomainError:
        return
    used = [row for row, number in enumerate(rows.numbers(column)) if not isnan(number)]
    for row, seen in zip(used, observed, strict=True):
        if "part" not in seen.at:
            start = f"{seen.place}: {Flagged.USED.value}: "
            flags = [note.removeprefix(start) for note in observed.notes if note.startswith(start)]
            yield row, seen, "; ".join(flags)


def _of_statements(case: Case) -> Iterator[Candidate]:
    """Figures of statements on the path, or on one of two adapters alone."""
    is_path = case.specified_path.record is not None
    ids = {name for name in ([case.path_id] if is_path else case.end_ids.values()) if name}
    for statement in statements_in_files_naming(ids):
        # only more or less; "the same" counts as a ratio of about 1
        if statement.relation is Relation.SIGN and statement.change is not Change.SAME:
            continue
        named = statement.subject.all_workloads
        if named and case.same_workloads.isdisjoint(named):
            continue
        is_linked = case.path_id in statement.paths
        is_of_an_end = not is_path and not statement.paths and ids & {*statement.subject.adapters}
        if is_linked or is_of_an_end:
            yield from _of_statement(case, statement, is_linked)


def _of_statement(case: Case, statement: Statement, is_linked: bool) -> Iterator[Candidate]:
    for seen in _observed(statement):
        for conditions in seen.cases:
            words = _words(case, conditions, is_linked)
            if words is None or not _is_of(case, conditions):
                continue
            is_path_ratio = is_linked and seen.baseline is not None
            if _is_vague(conditions) and not is_path_ratio:
                continue
            if not is_linked and not _is_at_ends(case, conditions, seen):
                continue
            yield Candidate(
                seen=seen,
                conditions=conditions,
                side=_side(case, conditions),
                words=words,
                record=statement.id,
                source=statement.source,
                place=statement.locator,
                printed=_printed(statement),
                remark="the highest of several cases" if seen.also_at else "",
            )


def _printed(statement: Statement) -> str:
    """Its figure and change; without a figure, the same means within 5 %."""
    is_same = statement.change is Change.SAME and not statement.has_figure
    return "about the same" if is_same else statement.amount_text


def _observed(statement: Statement) -> tuple[Observed, ...]:
    """Its figures, with CPU efficiency, data over CPU time, as a separate quantity."""
    if statement.quantity is not QuantityKind.CPU_EFFICIENCY:
        return observed_from_records(statement).observed
    as_rate = statement.model_copy(update={"quantity": QuantityKind.THROUGHPUT})
    observed = observed_from_records(as_rate).observed
    return tuple(replace(each, quantity=_CPU_EFFICIENCY) for each in observed)


def _is_vague(conditions: Conditions) -> bool:
    """Whether its workload or MTU is not reported."""
    return not {"workload", "mtu_bytes"} <= conditions.keys()


def _words(case: Case, conditions: Conditions, is_linked: bool) -> tuple[str, ...] | None:
    """Further conditions in words; None where they make it another path."""
    known = _OF_THE_CASE | _OF_THE_ENDS | (_OF_THE_PATH if is_linked else frozenset())
    words = []
    for name in conditions.keys() - known:
        value = conditions[name]
        if name == "transport":
            if value != case.transport:
                return None
        elif name in _UNCHANGED:
            if value != _UNCHANGED[name]:
                return None
        elif is_linked:
            words.append(f"with {value}" if name in _PROSE else f"with {_name(name)} {value}")
        else:
            return None
    return tuple(sorted(words))


def _side(case: Case, conditions: Conditions) -> Side | None:
    """Side of a figure; sender and receiver by the workload of the case."""
    side = conditions.get("side")
    if side in ("sender", "receiver"):
        sending = case.workload.sender
        return sending if side == "sender" else sending.other
    return None if side is None else Side(side)


def _is_of(case: Case, conditions: Conditions) -> bool:
    """Whether it is of the workload, or of none in particular, over the transport of the case."""
    if conditions.get("transport", "tcp") != case.transport:
        return False
    sizes = (*case.workload.request_bytes_bounds, *case.workload.response_bytes_bounds)
    if "message_bytes" in conditions and conditions["message_bytes"] not in sizes:
        return False
    return conditions.get("workload") in {None, *case.same_workloads}


def _is_at_ends(case: Case, conditions: Conditions, seen: Observed) -> bool:
    """Whether adapters that a figure names are those of the path, and the other is no slower."""
    named = {end: conditions.get(f"{end}_adapter") for end in case.end_ids}
    if any(name not in (None, case.end_ids[end]) for end, name in named.items()):
        return False
    if None not in named.values():
        return True
    subject = conditions.get("adapter")
    if subject is None or None in case.ends.values():
        return False
    direction = conditions.get("direction")
    if direction is not None:
        end = "receiver" if direction == "in" else "sender"
        return case.end_ids[end] == subject and _other_is_no_slower(case, end, conditions)
    if set(case.end_ids.values()) == {subject}:
        return True
    if subject not in case.end_ids.values() or seen.quantity != "throughput_bps":
        return False
    card = next(each for each in case.ends.values() if each is not None and each.id == subject)
    return seen.baseline is None and case.is_as_fast_as(
        replace(case.specified_path, sender=card, receiver=card), conditions
    )


def _other_is_no_slower(case: Case, end: str, conditions: Conditions) -> bool:
    """Whether the path is as fast as with an adapter at the other end that has no limit."""
    card = case.ends[end]
    assert card is not None
    other = without_limits(card)
    sender, receiver = (card, other) if end == "sender" else (other, card)
    return case.is_as_fast_as(
        replace(case.specified_path, sender=sender, receiver=receiver), conditions
    )


def _name(condition: str) -> str:
    return _IN_WORDS.get(condition, condition.replace("_", " "))
