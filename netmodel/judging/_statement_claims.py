"""What published statements say on rates: cases, and figures that link them."""

from collections.abc import Iterator
from math import inf
from typing import NamedTuple, TypeAlias

from netmodel._grades import Grade
from netmodel._numeric import FloatOrArray, is_array, is_symbol
from netmodel.calibration import observed_from_records
from netmodel.calibration._observed import Conditions
from netmodel.consumption import Side
from netmodel.path import SpecifiedPath, Traffic, workload_traffic
from netmodel.records import (
    Relation,
    Statement,
    adapter,
    catalog,
    path_record,
    workload,
)
from netmodel.records._statements import statements_in_files_naming
from netmodel.records._subjects import Change, QuantityKind
from netmodel.units import BITS_PER_BYTE

ANY_NUMBER = inf
"""Number of connections of what holds for any number."""
_OF_THE_CASE = frozenset({"workload", "mtu_bytes", "connection_count"})
_OF_THE_ENDS = frozenset({"adapter", "sender_adapter", "receiver_adapter", "direction"})
_OF_THE_PATH = frozenset({"path", "layer", "host", "link", "interface", "setting", "table"})
"""Conditions that a link to a path of the catalog covers."""
_USUAL = {"receive_packet_steering": False, "distance_km": 0.0, "transport": "tcp"}
"""Conditions of a path that specifies nothing else."""
_TIMES = frozenset({QuantityKind.TRANSACTION_TIME, QuantityKind.LATENCY})
_RATES = frozenset(
    {QuantityKind.PAYLOAD_RATE, QuantityKind.THROUGHPUT, QuantityKind.TRANSACTION_RATE}
)
_LIMITS = frozenset({Relation.AT_MOST, Relation.UP_TO, Relation.CENSORED_BELOW})
"""Relations that hold for any number of connections where none is named."""


class Messages(NamedTuple):
    """What is exchanged, as far as statements distinguish cases by it."""

    larger_bytes: float
    smaller_bytes: float
    waits: bool
    shares_segments: bool

    def traffic(self, sender: Side, connection_count: FloatOrArray | None) -> Traffic:
        """The same from a side."""
        sizes = (self.larger_bytes, self.smaller_bytes)
        request_bytes, response_bytes = sizes if sender is Side.CLIENT else sizes[::-1]
        return Traffic(
            request_bytes,
            response_bytes,
            connection_count,
            waits=self.waits,
            shares_segments=self.shares_segments,
        )


class Cell(NamedTuple):
    """
    What a statement is about, but for workload and number of connections.

    Parameters
    ----------
    kind : str
        ``"ends"`` for adapters at both ends, ``"out"`` or ``"in"`` for one direction of one,
        ``"path"`` for a path of the catalog, ``""`` for what nothing is predicted of.
    names : tuple of str
        Ids of adapters, the sender's first; or of the path, and the side that sends more.
    mtu_bytes : float
        [byte]
    rest : frozenset of tuple
        Further conditions; nothing is predicted of a case that has any.
    """

    kind: str
    names: tuple[str, ...]
    mtu_bytes: float
    rest: frozenset[tuple[str, object]] = frozenset()

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the catalog."""
        return self.names[:1] if self.kind == "path" else self.names

    @property
    def text(self) -> str:
        """In words."""
        direction = [self.kind] if self.kind in {"in", "out"} else []
        others = sorted(f"{name.replace('_', ' ')} {value}" for name, value in self.rest)
        name = " ".join([" to ".join(dict.fromkeys(self.ids)), *direction])
        return ", ".join(filter(None, [name, *others]))


Node: TypeAlias = tuple[Cell, float]
"""A cell with a number of connections."""


class Claim(NamedTuple):
    """
    A published figure of a rate, or of the ratio of two.

    Parameters
    ----------
    statement : Statement
        Its source.
    subject : tuple
        What it is about.
    baseline : tuple, optional
        What it is compared with.
    low, high : float
        What it allows: payload rate [bit/s], or ratio of two.
    grade : Grade, optional
        Grade of the evidence.
    """

    statement: Statement
    subject: Node
    baseline: Node | None
    low: float
    high: float
    grade: Grade | None

    @property
    def text(self) -> str:
        """What it claims, in words."""
        about, (cell, count) = self.statement, self.subject
        noun = about.quantity.value.replace("_", " ")
        at = "" if count == ANY_NUMBER else f" at {count:g} connection{'s' * (count != 1)}"
        if self.baseline is None:
            return f"{cell.text}: {noun} {about.amount_text}{at}"
        other = self.baseline[0]
        names = [each.text for each in (cell, other)]
        if cell.mtu_bytes != other.mtu_bytes:
            names = [f"{each.text} at MTU {each.mtu_bytes:g}" for each in (cell, other)]
        if about.change is Change.FACTOR:
            return f"{names[0]} has {about.amount_text} the {noun} of {names[1]}{at}"
        if not about.has_figure:
            amount = f"about the same {noun} as"
            if about.change is not Change.SAME:
                amount = f"{about.amount_text} {noun} than"
            return f"{names[0]} has {amount} {names[1]}{at}"
        return f"{names[0]} has {about.amount_text} {noun} than {names[1]}{at}"


def cell_of(specified_path: SpecifiedPath, traffic: Traffic) -> Cell | None:
    """The case of a path as statements name it; None where it is not of the catalog."""
    given, record = specified_path, specified_path.record
    if (given.client_host, given.server_host) != (None, None):
        return None
    if record is None:
        known, names = catalog()["adapters"], []
        for card in (given.sender, given.receiver):
            # an adapter of a user's own may only have the id of one of the catalog
            if card is None or card.id not in known or adapter(card.id) != card:
                return None
            names.append(card.id)
        return Cell("ends", tuple(names), 0)
    if record.id not in catalog()["paths"] or path_record(record.id) != record:
        return None
    own_bps, line_bps = SpecifiedPath(record=record).own_line_rate_bps, given.line_rate_bps
    is_no_faster = line_bps is None or (own_bps is not None and line_bps <= own_bps)
    has_own_adapters = (given.sender, given.receiver) == (None, None)
    if is_no_faster and has_own_adapters:
        return Cell("path", (record.id, traffic.sender.value), 0)
    return None


def messages_of(traffic: Traffic) -> Messages | None:
    """What is exchanged; None where it is not of one size, as that of documents is."""
    sizes = (traffic.request_bytes, traffic.response_bytes)
    if any(is_array(number) or is_symbol(number) for number in (*sizes, traffic.think_time_s)):
        return None
    if traffic.think_time_s:
        return None
    smaller, larger = sorted(map(float, sizes))
    return Messages(larger, smaller, traffic.waits, traffic.shares_segments)


def covering(cell: Cell) -> frozenset[Cell]:
    """The case, and directions of its adapters, whose limits are limits of the case."""
    if cell.kind != "ends" or cell.rest:
        return frozenset({cell})
    sender, receiver = cell.names
    ends = (("out", sender), ("in", receiver))
    return frozenset({cell, *(Cell(way, (name,), cell.mtu_bytes) for way, name in ends)})


class _Catalog:
    """Ids of the catalog, and its workloads that exchange the messages of a question."""

    def __init__(self, messages: Messages) -> None:
        known = catalog()
        self.adapters, self.paths = known["adapters"], known["paths"]
        self._messages, self._workloads = messages, known["workloads"]
        self._senders: dict[str, Side | None] = {}

    def sender(self, name: object) -> Side | None:
        """Who sends more in a workload; None where that exchanges something else."""
        if not isinstance(name, str) or name not in self._workloads:
            return None
        if name not in self._senders:
            record = workload(name)
            bounds = (record.request_bytes_bounds, record.response_bytes_bounds)
            has_one_size = all(low == high for low, high in bounds)
            is_same = has_one_size and messages_of(workload_traffic(record)) == self._messages
            self._senders[name] = record.sender if is_same else None
        return self._senders[name]


def claims_about(asked: Cell, messages: Messages) -> list[Claim]:
    """Statements on a case, on cases that these compare it with, and so on."""
    known = _Catalog(messages)
    found: dict[str, list[Claim]] = {}
    reached = set(covering(asked))
    ids = {name for cell in reached for name in cell.ids}
    looked_up: set[str] = set()
    # (1) all statements that name the adapters or paths, and those of their baselines
    while ids - looked_up:
        looked_up |= ids
        for statement in statements_in_files_naming(ids):
            if statement.id in found or ids.isdisjoint(_names_in(statement)):
                continue
            found[statement.id] = list(_claims(statement, messages, known))
            ids |= {
                name
                for claim in found[statement.id]
                for node in (claim.subject, claim.baseline)
                if node is not None
                for name in node[0].ids
            }
    # (2) of these, what is linked with the case
    left = sorted(
        (claim for claims in found.values() for claim in claims),
        key=lambda claim: (claim.statement.id, claim.subject[1], repr(claim.subject)),
    )
    result: list[Claim] = []
    while True:
        linked = [
            claim
            for claim in left
            if claim.subject[0] in reached
            or (claim.baseline is not None and claim.baseline[0] in reached)
        ]
        if not linked:
            return result
        result += linked
        left = [claim for claim in left if claim not in linked]
        for claim in linked:
            for node in (claim.subject, claim.baseline):
                if node is not None:
                    reached |= covering(node[0])


def mtus_named_with(ids: frozenset[str]) -> frozenset[float]:
    """MTUs of statements that name an adapter or path, as subject or as baseline. [byte]"""
    return frozenset(
        float(each.mtu_bytes)
        for statement in statements_in_files_naming(ids)
        if not ids.isdisjoint(_names_in(statement))
        for each in (statement.subject, statement.baseline)
        if each is not None and each.mtu_bytes is not None
    )


def _names_in(statement: Statement) -> set[str]:
    """Ids of the adapters and paths that a statement is about or compares with."""
    configurations = [each for each in (statement.subject, statement.baseline) if each is not None]
    names = {name for each in configurations for name in each.adapters}
    return names | {each.path for each in configurations if each.path} | {*statement.paths}


def _claims(statement: Statement, messages: Messages, known: _Catalog) -> Iterator[Claim]:
    """What a statement says on rates with these messages."""
    is_time = statement.quantity in _TIMES
    if not (is_time and messages.waits) and statement.quantity not in _RATES:
        return
    if not any(map(known.sender, statement.subject.all_workloads)):
        return
    is_limit = statement.relation in _LIMITS or (
        statement.baseline is None and statement.quantity is QuantityKind.PAYLOAD_RATE
    )
    bits = BITS_PER_BYTE * messages.larger_bytes
    for seen in observed_from_records(statement).observed:
        other = {} if isinstance(seen.baseline, str | None) else dict(seen.baseline)
        differs = {name: value for name, value in other.items() if seen.at.get(name) != value}
        if isinstance(seen.baseline, str) or "workload" in differs:
            continue
        for conditions in seen.cases:
            sender = known.sender(conditions.get("workload"))
            subject = (
                None if sender is None else _node(statement, conditions, sender, is_limit, known)
            )
            if sender is None or subject is None:
                continue
            baseline = None
            if seen.baseline is not None:
                baseline = _node(statement, {**conditions, **differs}, sender, is_limit, known)
            # X = N / R turns a time into a rate, and a ratio of times into its inverse
            low, high = seen.low, seen.high
            if is_time:
                count = subject[1] * bits if baseline is None else 1.0
                if count == inf:
                    continue
                low, high = count / high, count / low if low else inf
            elif baseline is None and statement.quantity is QuantityKind.TRANSACTION_RATE:
                low, high = low * bits, high * bits
            if baseline is None and statement.relation is Relation.UP_TO:
                low = 0.0  # one of the cases reaches it, and which one is not known
            yield Claim(statement, subject, baseline, low, high, seen.grade)


def _node(
    statement: Statement,
    conditions: Conditions,
    sender: Side,
    is_limit: bool,
    known: _Catalog,
) -> Node | None:
    """What conditions are of; None without an MTU, or a number of connections where needed."""
    if "mtu_bytes" not in conditions:
        return None
    count = conditions.get("connection_count")
    if count is None and not is_limit:
        return None
    level = ANY_NUMBER if count is None else float(count)
    mtu_bytes = float(conditions["mtu_bytes"])
    others = {
        name: value
        for name, value in conditions.items()
        if name not in _OF_THE_CASE and _USUAL.get(name) != value
    }
    # (1) a path of the catalog, by its id or by a link of the file
    label = conditions.get("path")
    path = str(label) if label in known.paths else None
    if path is None and label == statement.subject.path and len(statement.paths) == 1:
        path = statement.paths[0]
    if path is not None:
        covered = _OF_THE_PATH | _OF_THE_ENDS
        rest = {name: value for name, value in others.items() if name not in covered}
        return Cell("path", (path, sender.value), mtu_bytes, frozenset(rest.items())), level
    # (2) adapters at both ends, or a direction of one
    rest = {name: value for name, value in others.items() if name not in _OF_THE_ENDS}
    adapters = [
        conditions.get(f"{end}_adapter", conditions.get("adapter"))
        for end in ("sender", "receiver")
    ]
    names = tuple(str(name) for name in adapters if name in known.adapters)
    direction = conditions.get("direction")
    if len(names) < 2:
        others_of_cell = frozenset(others.items())
        return Cell("", (), mtu_bytes, others_of_cell), level
    kind = "ends" if direction is None else str(direction)
    if direction is not None:
        names = names[:1] if direction == "out" else names[1:]
    return Cell(kind, names, mtu_bytes, frozenset(rest.items())), level
