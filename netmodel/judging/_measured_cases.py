"""Figures of datasets and statements, as far as they are of the path and workload of a case."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, log
from typing import TYPE_CHECKING, Any

from netmodel._numeric import ROUNDING_RATIO
from netmodel.calibration import Flagged, Observed, observed_from_dataset, observed_from_statements
from netmodel.calibration._observed import Conditions
from netmodel.consumption import Side
from netmodel.errors import DomainError, UnknownRecordError
from netmodel.framing import Stack, tcp_stack
from netmodel.path import SpecifiedPath, predict_path, workload_traffic
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
    statements,
    workload,
)
from netmodel.records._datasets import MeasuredRows
from netmodel.records._subjects import Change, QuantityKind

if TYPE_CHECKING:
    from netmodel.records import Adapter

_OF_THE_CASE = frozenset({"workload", "mtu_bytes", "connection_count", "message_bytes"})
_OF_THE_ENDS = frozenset({"adapter", "sender_adapter", "receiver_adapter", "direction", "side"})
_OF_THE_PATH = frozenset({"path", "layer", "host", "link", "interface", "setting", "table"})
"""What a link to a path of the catalog stands for."""
_UNCHANGED = {"receive_packet_steering": False, "distance_km": 0.0}
"""What a path has that does not say otherwise."""
_PROSE = frozenset({"load", "payload", "item", "tool"})
"""Conditions whose value says by itself what it is."""
_CPU_EFFICIENCY = "cpu_efficiency"
_IN_WORDS = {"mtu_bytes": "MTU", "connection_count": "connections"}


@dataclass(frozen=True)
class Case:
    """
    What a prediction is of.

    Parameters
    ----------
    stated_path : SpecifiedPath
        Adapters at both ends, or a path.
    workload : Workload
        What is exchanged.
    mtu_bytes : int
        Largest innermost packet. [byte]
    connection_count : int, optional
        Connections at the same time.
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.
    """

    stated_path: SpecifiedPath
    workload: Workload
    mtu_bytes: int
    connection_count: int | None
    stack: Stack | None

    @cached_property
    def path_id(self) -> str | None:
        """Id of the path of the catalog that it is over, with nothing that slows it."""
        record = self.stated_path.record
        if record is None:
            return None
        try:
            is_known = path_record(record.id) == record
        except UnknownRecordError:
            return None
        hosts = (self.stated_path.client_host, self.stated_path.server_host)
        if not is_known or hosts != (None, None):
            return None
        return record.id if self.is_as_fast_as(SpecifiedPath(record=record)) else None

    @cached_property
    def ends(self) -> "Mapping[str, Adapter | None]":
        """Adapters of the side that sends more of the payload, and of the other."""
        client, server = self.stated_path.adapters(self.workload.sender)
        sends = self.workload.sender is Side.CLIENT
        sender, receiver = (client, server) if sends else (server, client)
        return {"sender": sender, "receiver": receiver}

    @cached_property
    def end_ids(self) -> Mapping[str, str | None]:
        """Ids of these adapters, where they are those of the catalog."""
        return {end: _known_id(card) for end, card in self.ends.items()}

    @cached_property
    def same_workloads(self) -> frozenset[str]:
        """Ids of the workloads of the catalog that exchange the same messages in the same way."""
        mine, known = _messages(self.workload), catalog()["workloads"]
        same = {name for name in known if _messages(workload(name)) == mine}
        return frozenset(same | ({self.workload.id} - {*known}))

    @property
    def transport(self) -> str | None:
        """What carries the payload, where it is one that sources name."""
        found = {"tcp", "udp"} & set((self.stack or tcp_stack()).protocols)
        return min(found, default=None)

    def is_as_fast_as(self, other: SpecifiedPath, at: Conditions | None = None) -> bool:
        """Whether the path carries as much as another one, at the MTU of a figure if it has one."""
        if other == self.stated_path:
            return True
        if self.stated_path.path(self.workload.sender).factors:
            return False
        mtu_bytes = int((at or {}).get("mtu_bytes", self.mtu_bytes))
        mine_bps, theirs_bps = (self._rate_bps(one, mtu_bytes) for one in (self.stated_path, other))
        return abs(mine_bps - theirs_bps) <= ROUNDING_RATIO * theirs_bps

    def _rate_bps(self, stated_path: SpecifiedPath, mtu_bytes: int) -> float:
        bounds = (self.workload.request_bytes_bounds, self.workload.response_bytes_bounds)
        is_client = self.workload.sender is Side.CLIENT
        most_bytes = bounds[0 if is_client else 1][1]
        traffic = workload_traffic(self.workload, self.connection_count, payload_bytes=most_bytes)
        path = stated_path.path(self.workload.sender)
        return float(predict_path(path, traffic, mtu_bytes, self.stack).throughput_bps.value)


def _messages(told: Workload) -> tuple[object, ...]:
    return told.kind, told.sender, told.request_bytes_bounds, told.response_bytes_bounds


def _known_id(card: "Adapter | None") -> str | None:
    """Its id; None for one that only has the id of a record of the catalog."""
    try:
        return card.id if card is not None and adapter(card.id) == card else None
    except UnknownRecordError:
        return None


@dataclass(frozen=True)
class Candidate:
    """
    A figure of the path and the workload of a case, at whatever MTU and connections.

    Parameters
    ----------
    seen : Observed
        The figure in base units.
    at : mapping
        Conditions of the one of its cases that this is.
    side : Side, optional
        Whose it is.
    words : tuple of str
        How its case differs, besides MTU and connections.
    record, source, place, printed, remark : str
        As `MeasuredFigure` has them.
    difference : str
        How the case differs, in all.
    """

    seen: Observed
    at: Conditions
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
        """MTU that it was measured at. [byte]"""
        return self._count("mtu_bytes")

    @property
    def connection_count(self) -> int | None:
        """Connections that it was measured with."""
        return self._count("connection_count")

    @property
    def unreported_count(self) -> int:
        """How much of its case the source leaves out."""
        return [self.mtu_bytes, self.connection_count].count(None) + ("workload" not in self.at)

    @cached_property
    def otherwise(self) -> Conditions:
        """What is otherwise in its baseline."""
        if not isinstance(self.seen.baseline, Mapping):
            return {}
        return {
            name: value
            for name, value in self.seen.baseline.items()
            if self.at.get(name) != value and name not in _OF_THE_CASE - {"mtu_bytes"}
        }

    @property
    def baseline(self) -> str | None:
        """What it is compared with, in words."""
        if self.seen.baseline is None:
            return None
        return ", ".join(f"{_name(name)} {value}" for name, value in self.otherwise.items())

    @property
    def baseline_mtu_bytes(self) -> int | None:
        """MTU of its baseline, where nothing else is otherwise there. [byte]"""
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
            name: log(mine / theirs)
            for name, (mine, theirs) in pairs.items()
            if mine is not None and mine != theirs
        }

    def _count(self, name: str) -> int | None:
        return int(self.at[name]) if name in self.at else None


def candidates(case: Case) -> Iterator[Candidate]:
    """Figures of all datasets, then of all statements, that are of the path and the workload."""
    for one in (*_of_datasets(case), *_of_statements(case)):
        if not _is_against_itself(one, case):
            yield replace(one, difference=", ".join([*_steps(one, case), *one.words]))


def _is_against_itself(one: Candidate, case: Case) -> bool:
    """Whether it compares with the MTU of the case, which is then the baseline and not the case."""
    return one.otherwise.get("mtu_bytes") == case.mtu_bytes


def _steps(one: Candidate, case: Case) -> Iterator[str]:
    if one.mtu_bytes not in (None, case.mtu_bytes):
        yield f"at MTU {one.mtu_bytes}"
    if one.connection_count not in (None, case.connection_count):
        s = "" if one.connection_count == 1 else "s"
        yield f"at {one.connection_count} connection{s}"


def _of_datasets(case: Case) -> Iterator[Candidate]:
    for name in dataset_ids():
        source = dataset(name)
        for link in source.paths:
            if link.path == case.path_id:
                yield from _of_rows(case, source, link, ())
            elif case.stated_path.record is None and _names_an_end(case, source, link):
                yield from _of_rows(case, source, link, (f"over {link.path}",))


def _names_an_end(case: Case, source: Dataset, link: MeasuredRows) -> bool:
    """Whether rows are of an adapter at an end of the path."""
    named = link.where.get("adapter", _all_of(source.tables[link.file], "adapter"))
    return named is not None and named in case.end_ids.values()


def _all_of(rows: Table, column: str) -> str | None:
    """What a column holds where that is the same in all rows."""
    if not any(one.name == column for one in rows.columns):
        return None
    cells = set(rows.text(column))
    return cells.pop() if len(cells) == 1 else None


def _of_rows(
    case: Case, source: Dataset, link: MeasuredRows, words: tuple[str, ...]
) -> Iterator[Candidate]:
    rows = source.tables[link.file].where(**link.where)
    known = {*link.where, *source.places, "side"}
    for column in (one for one in rows.columns if one.name not in known):
        for row, seen, flags in _figures(source, rows, column.name):
            at = {key: value for key, value in seen.at.items() if key in _OF_THE_CASE}
            if seen.at.keys() - known - _OF_THE_CASE or not _is_of(case, at) or _is_vague(at):
                continue
            ends = {key: seen.at[key] for key in ("adapter",) if key in seen.at}
            if words and not _is_at_ends(case, at | ends, seen):
                continue
            unit = f"{column.unit}, taken as {column.taken_as}" if column.taken_as else column.unit
            yield Candidate(
                seen=seen,
                at=at,
                side=source.side if seen.quantity.startswith("cpu") else None,
                words=words,
                record=source.id,
                source=source.source,
                place=_place(source, rows, row),
                printed=f"{rows.text(column.name)[row]} {unit}",
                remark=flags,
            )


def _place(source: Dataset, rows: Table, row: int) -> str:
    names = {column.name for column in rows.columns}
    cells = [f"{name} {rows.text(name)[row]}" for name in source.places if name in names]
    return ", ".join([*cells, f"row {rows.row_numbers[row]} of {source.id}/{rows.name}.csv"])


def _figures(source: Dataset, rows: Table, column: str) -> Iterator[tuple[int, Observed, str]]:
    """Place among the rows of each figure that is no part of a total, and flags against it."""
    try:
        found = observed_from_dataset(source, rows, [column], flagged=Flagged.USED)
    except DomainError:
        return
    used = [row for row, number in enumerate(rows.numbers(column)) if not isnan(number)]
    for row, seen in zip(used, found, strict=True):
        if "part" not in seen.at:
            start = f"{seen.place}: {Flagged.USED.value}: "
            flags = [note.removeprefix(start) for note in found.notes if note.startswith(start)]
            yield row, seen, "; ".join(flags)


def _of_statements(case: Case) -> Iterator[Candidate]:
    ids = set(case.end_ids.values()) - {None}
    for told in statements():
        named = told.subject.all_workloads
        if _has_no_number(told) or (named and case.same_workloads.isdisjoint(named)):
            continue
        is_linked = case.path_id in told.paths
        if is_linked or (
            case.stated_path.record is None and not told.paths and ids & {*told.subject.adapters}
        ):
            yield from _of_statement(case, told, is_linked)


def _has_no_number(told: Statement) -> bool:
    """Whether it only says more or less; "the same" counts as a ratio of about 1."""
    return told.relation is Relation.SIGN and told.change is not Change.SAME


def _of_statement(case: Case, told: Statement, is_linked: bool) -> Iterator[Candidate]:
    for seen in _observed(told):
        for at in seen.cases:
            words = _words(case, at, is_linked)
            if words is None or not _is_of(case, at):
                continue
            is_path_ratio = is_linked and seen.baseline is not None
            if _is_vague(at) and not is_path_ratio:
                continue
            if not is_linked and not _is_at_ends(case, at, seen):
                continue
            yield Candidate(
                seen=seen,
                at=at,
                side=_side(case, at),
                words=words,
                record=told.id,
                source=told.source,
                place=told.locator,
                printed=_printed(told),
                remark="the most of several cases" if seen.also_at else "",
            )


def _printed(told: Statement) -> str:
    """Its claim without the quantity."""
    text = told.claim.removeprefix(told.quantity.value.replace("_", " ")).strip()
    return "about the same" if text == Change.SAME.value else text


def _observed(told: Statement) -> tuple[Observed, ...]:
    """What it says, with CPU efficiency, data over CPU time, as a quantity of its own."""
    if told.quantity is not QuantityKind.CPU_EFFICIENCY:
        return observed_from_statements([told]).observed
    as_rate = told.model_copy(update={"quantity": QuantityKind.THROUGHPUT})
    found = observed_from_statements([as_rate]).observed
    return tuple(replace(one, quantity=_CPU_EFFICIENCY) for one in found)


def _is_vague(at: Conditions) -> bool:
    """Whether it does not say of which workload it is, or at which MTU."""
    return not {"workload", "mtu_bytes"} <= at.keys()


def _words(case: Case, at: Conditions, is_linked: bool) -> tuple[str, ...] | None:
    """What else is in a statement, in words; None where the path is another one by that."""
    known = _OF_THE_CASE | _OF_THE_ENDS | (_OF_THE_PATH if is_linked else frozenset())
    words = []
    for name in at.keys() - known:
        value = at[name]
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


def _side(case: Case, at: Conditions) -> Side | None:
    """Whose figure it is; sender and receiver by the workload of the case."""
    told = at.get("side")
    if told in ("sender", "receiver"):
        sending = case.workload.sender
        return sending if told == "sender" else sending.other
    return None if told is None else Side(told)


def _is_of(case: Case, at: Conditions) -> bool:
    """Whether it is of the workload, or of none in particular, over the transport of the case."""
    if at.get("transport", "tcp") != case.transport:
        return False
    if "message_bytes" in at and at["message_bytes"] not in _most_bytes(case.workload):
        return False
    return at.get("workload") in {None, *case.same_workloads}


def _most_bytes(told: Workload) -> tuple[int, ...]:
    return (*told.request_bytes_bounds, *told.response_bytes_bounds)


def _is_at_ends(case: Case, at: Conditions, seen: Observed) -> bool:
    """Whether adapters that a figure names are those of the path, and the other is no slower."""
    named = {end: at.get(f"{end}_adapter") for end in case.end_ids}
    if any(name not in (None, case.end_ids[end]) for end, name in named.items()):
        return False
    if None not in named.values():
        return True
    subject = at.get("adapter")
    if subject is None or None in case.ends.values():
        return False
    direction = at.get("direction")
    if direction is not None:
        end = "receiver" if direction == "in" else "sender"
        return case.end_ids[end] == subject and _other_is_no_slower(case, end, at)
    if set(case.end_ids.values()) == {subject}:
        return True
    if subject not in case.end_ids.values() or seen.quantity != "throughput_bps":
        return False
    card = next(one for one in case.ends.values() if one is not None and one.id == subject)
    return seen.baseline is None and case.is_as_fast_as(
        replace(case.stated_path, sender=card, receiver=card), at
    )


def _other_is_no_slower(case: Case, end: str, at: Conditions) -> bool:
    """Whether the path is as fast as with an adapter at the other end that has no limit."""
    card = case.ends[end]
    assert card is not None
    of_limits: dict[str, Any] = {"observations": (), "out": None, "in_": None}
    free = card.model_copy(update={"id": f"{card.id}, without limits", **of_limits})
    sender, receiver = (card, free) if end == "sender" else (free, card)
    return case.is_as_fast_as(replace(case.stated_path, sender=sender, receiver=receiver), at)


def _name(condition: str) -> str:
    return _IN_WORDS.get(condition, condition.replace("_", " "))
