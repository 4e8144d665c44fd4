"""Upper bounds that published statements set for a prediction."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, pairwise, product
from math import inf, isfinite
from typing import NamedTuple

from netmodel._grades import weakest_grade
from netmodel._kept import Once
from netmodel._numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    Mask,
    extremes,
    holds_everywhere,
    holds_somewhere,
    is_array,
    is_symbol,
    require_one,
    where,
)
from netmodel._numpy import np
from netmodel._predicted_text import rate_text
from netmodel._text import NOTE_CHARACTERS, few_names
from netmodel.consumption import Side
from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import Stack
from netmodel.judging._ratios import Ratios, Related
from netmodel.judging._statement_claims import (
    ANY_NUMBER,
    Cell,
    Claim,
    Messages,
    Node,
    cell_of,
    claims_about,
    covering,
    messages_of,
    mtus_named_with,
)
from netmodel.path import Bound, Predicted, Prediction, SpecifiedPath, predict_path
from netmodel.path._from_records import without_limits
from netmodel.path._limits import Capacity, PathLimit, Published
from netmodel.path._path import LINE_STAGES
from netmodel.records import Relation, adapter, path_record
from netmodel.records._load import Stamped, catalog_files, stamped, statement_files
from netmodel.units import BITS_PER_BYTE

_ROUNDED = frozenset({Relation.EQUAL, Relation.ABOUT})
"""Relations whose interval is what the rounding of one figure leaves."""
OF_STATEMENT = "statement "
"""What the name of a limit that a statement sets begins with."""
_CACHED_QUESTIONS = 256
"""Paths with a workload and an MTU whose bounds are kept: more than a sweep has."""


class _Step(NamedTuple):
    """
    An upper bound on the ratio between the rates of two cases.

    Parameters
    ----------
    of, by : tuple
        The bounded case, and the other.
    ratio : float
        The largest that the rounding of the figure leaves.
    tight_ratio : float
        The smallest.
    claim : Claim, optional
        None where it follows without one: for fewer connections, and for a path with one
        direction of an adapter.
    """

    of: Node
    by: Node
    ratio: float = 1.0
    tight_ratio: float = 1.0
    claim: Claim | None = None


class _Known(NamedTuple):
    """
    The smallest upper bound that is known of a case.

    Parameters
    ----------
    rate : Predicted
        Payload rate. [bit/s]
    root : str
        What it starts from, in words; empty for a statement without a baseline.
    claims : tuple of Claim
        What it follows from by then, the last step first.
    cells : frozenset of Cell
        Cases that it passes.
    """

    rate: Predicted[float]
    root: str = ""
    claims: tuple[Claim, ...] = ()
    cells: frozenset[Cell] = frozenset()

    def after(self, step: _Step) -> "_Known":
        """What it bounds through a step."""
        rate = Predicted(
            self.rate.value * step.ratio,
            self.rate.low * step.tight_ratio,
            self.rate.high * step.ratio,
            Bound.UPPER,
        )
        claims = () if step.claim is None else (step.claim,)
        return _Known(rate, self.root, (*claims, *self.claims), self.cells | {step.by[0]})


class _StatementBound(NamedTuple):
    """
    An upper bound that a statement sets, alone or with others.

    Parameters
    ----------
    rate : Predicted
        Payload rate. [bit/s]
    published : Published
        The statement, and how the bound follows.
    """

    rate: Predicted[float]
    published: Published


class _Contradiction(NamedTuple):
    """A rate that statements report as reached, from a number of connections on."""

    connection_count: float
    reached_bps: float
    note: str


class StatementBounds(NamedTuple):
    """
    What statements say of one path, workload and MTU.

    Parameters
    ----------
    levels : tuple of float
        Numbers of connections at which a bound may change, rising; the last is infinite.
    of_statements : mapping of str to tuple
        By statement, its bound up to each level; None where it has none.
    reached : tuple of _Contradiction
        What is reached according to statements, with the note if a bound is below.
    """

    levels: tuple[float, ...]
    of_statements: Mapping[str, tuple[_StatementBound | None, ...]]
    reached: tuple[_Contradiction, ...] = ()


_NO_BOUNDS = StatementBounds((ANY_NUMBER,), {})


def with_statements(prediction: Prediction, specified_path: SpecifiedPath) -> Prediction:
    r"""
    The prediction with the upper bounds that published statements set.

    Parameters
    ----------
    prediction : Prediction
        Of any numbers of connections and MTUs, as `netmodel.path.predict_path` returns it.
    specified_path : SpecifiedPath
        Adapters at both ends, or a path of the catalog.

    Returns
    -------
    prediction : Prediction
        With a limit for each statement that is below what the path alone allows, and a note
        where statements contradict the path; the same object where there are neither.

    Raises
    ------
    ParseError
        If a file of statements cannot be read.

    Notes
    -----
    .. math:: X_A = r\,X_B,\ r_- \le r \le r_+ \quad\Rightarrow\quad
        X_A \le r_+ \bar X_B, \qquad X_B \le \bar X_A / r_-

    with :math:`\bar X` the smallest upper bound that is known of a case, by its path or by
    other statements, repeated until no bound falls. Figures count with the
    ends of their rounding; times of transactions by :math:`X = N/R`. A
    statement bounds its own workload and MTU, and as many connections as it
    names or fewer: throughput does not fall with more connections. Without a
    number of connections only limits count: "up to", "at most", and the payload
    rate of an adapter. With hosts of your own nothing bounds: they are not
    those of the documents. A bound never falls below what a statement says is reached.

    Examples
    --------
    >>> from netmodel.path import predict_path, workload_traffic
    >>> from netmodel.records import adapter, workload
    >>> osa = adapter("osa-express7s-25gbe")
    >>> path, load = SpecifiedPath(osa, osa), workload("rr1c-200x30k")
    >>> alone = predict_path(path.path(load.sender), workload_traffic(load, 10), 9000)
    >>> known = with_statements(alone, path)
    >>> [round(each.throughput_bps.value / 1e9, 2) for each in (alone, known)]
    [24.71, 18.51]
    """
    # (1) what statements say at each MTU
    mtus_bytes, traffic = prediction.mtu_bytes, prediction.traffic
    numbers = (mtus_bytes, traffic.connection_count)
    if any(number is not None and is_symbol(number) for number in numbers):
        return prediction
    case = case_of(prediction, specified_path)
    if case is None:
        return prediction
    of_mtus = {
        mtu_bytes: _bounds_at(mtu_bytes, case)
        for mtu_bytes in map(float, np.unique(mtus_bytes) if is_array(mtus_bytes) else [mtus_bytes])
        if mtu_bytes in case.mtus_bytes
    }
    # (2) a limit for each statement that is below those of the path
    own_tps = prediction.transaction_rate_tps.value
    limits = []
    for name in sorted({name for bounds in of_mtus.values() for name in bounds.of_statements}):
        limit = _limit(name, of_mtus, prediction)
        is_below = limit.rate_tps < own_tps * (1 - ROUNDING_RATIO)
        if holds_somewhere(is_below):
            limits.append(limit if holds_everywhere(is_below) else _only_where(is_below, limit))
    limits.sort(key=lambda limit: (extremes(limit.rate_tps)[0], limit.name))
    # (3) how the lowest follows, and what is reached above the bound of the path; hosts beside
    # each other reach what windows and loss over a distance do not allow
    notes = [note for limit in limits[:1] if limit.published for note in limit.published.notes]
    count, own_bps = traffic.connection_count, own_tps * BITS_PER_BYTE * traffic.payload_bytes
    for bounds in of_mtus.values() if prediction.path.distance is None else ():
        for each in bounds.reached:
            is_reached = (inf if count is None else count) >= each.connection_count
            if holds_somewhere(is_reached & (own_bps < each.reached_bps * (1 - ROUNDING_RATIO))):
                notes.append(each.note)
    if not limits and not notes:
        return prediction
    return replace(
        prediction,
        limits=(*prediction.limits, *limits),
        path_notes=(*dict.fromkeys(notes), *prediction.path_notes),
    )


class _Case(NamedTuple):
    """What a prediction is of, but for MTU and connections; MTUs that statements on it name."""

    cell: Cell
    messages: Messages
    stack: Stack
    stamp: tuple[Stamped, ...]
    mtus_bytes: frozenset[float]


def bounds_of_statements(prediction: Prediction, specified_path: SpecifiedPath) -> StatementBounds:
    """What statements say of the case of one prediction, with any number of connections."""
    case = case_of(prediction, specified_path)
    mtu_bytes = require_one("mtu_bytes", prediction.mtu_bytes)
    if case is None or mtu_bytes not in case.mtus_bytes:
        return _NO_BOUNDS
    return _bounds_at(mtu_bytes, case)


def case_of(prediction: Prediction, specified_path: SpecifiedPath) -> _Case | None:
    """What statements are looked up for; None where no statement can be of that case."""
    cell = cell_of(specified_path, prediction.traffic)
    messages = messages_of(prediction.traffic)
    if cell is None or messages is None or "tcp" not in prediction.stack.protocols:
        return None
    stamp = stamp_of_records()
    return _Case(cell, messages, prediction.stack, stamp, _named_mtus(cell.ids, stamp))


def stamp_of_records() -> tuple[Stamped, ...]:
    """All files that the bounds of a case depend on: answers are kept as long as it is the same."""
    records = (catalog_files(kind).values() for kind in ("adapters", "paths"))
    return stamped([*statement_files(), *chain.from_iterable(chain.from_iterable(records))])


@lru_cache(maxsize=_CACHED_QUESTIONS)
def _named_mtus(names: tuple[str, ...], _stamp: tuple[Stamped, ...]) -> frozenset[float]:
    """MTUs of all statements that may be on these adapters or paths: a sweep has many others."""
    return mtus_named_with(frozenset(names))


def _bounds_at(mtu_bytes: float, case: _Case) -> StatementBounds:
    """What statements say of a case at one MTU."""
    cell = case.cell._replace(mtu_bytes=mtu_bytes)
    return _bounds(cell, case.messages, case.stack, case.stamp)


def _limit(
    name: str, of_mtus: Mapping[float, StatementBounds], prediction: Prediction
) -> PathLimit:
    """The bound of a statement for each element of a prediction, infinite where it has none."""
    traffic = prediction.traffic
    rates: list[FloatOrArray] = [inf, inf, inf]
    used: list[_StatementBound] = []
    for mtu_bytes, bounds in of_mtus.items():
        known = bounds.of_statements.get(name)
        if known is None:
            continue
        # it holds up to its level: the first that is not below the number of connections
        count = ANY_NUMBER if traffic.connection_count is None else traffic.connection_count
        places, at = _places(count, bounds.levels)
        used += [each for place in places if (each := known[place]) is not None]
        is_there = prediction.mtu_bytes == mtu_bytes
        for number, end in enumerate(("value", "low", "high")):
            ends = [inf if each is None else getattr(each.rate, end) for each in known]
            rates[number] = where(is_there, at(ends), rates[number])
    bits = BITS_PER_BYTE * traffic.payload_bytes
    value, low, high = (rate / bits for rate in rates)
    lowest = min(used, key=lambda each: each.rate.value, default=None)
    return PathLimit(
        f"{OF_STATEMENT}{name}",
        (),
        Predicted(value, low, high, Bound.UPPER),
        Once(lambda: Capacity(1, ())),  # in proportion to no parameter of the path
        published=None if lowest is None else lowest.published,
    )


def _places(
    count: FloatOrArray, levels: Sequence[float]
) -> tuple[Iterable[int], Callable[[Sequence[float]], FloatOrArray]]:
    """Places of levels that count, and what is at the place of each element; NaN is any number."""
    if is_array(count):
        places = np.searchsorted(levels, np.fmin(count, ANY_NUMBER))
        return np.unique(places), lambda ends: np.asarray(ends)[places]
    place = bisect_left(levels, ANY_NUMBER if count != count else count)
    return (place,), lambda ends: ends[place]


def _only_where(is_below: Mask, limit: PathLimit) -> PathLimit:
    """The limit where it is below those of the path, as of one prediction; none elsewhere."""
    rate = limit.rate
    value, low, high = (np.where(is_below, end, inf) for end in (rate.value, rate.low, rate.high))
    return replace(limit, rate=Predicted(value, low, high, Bound.UPPER))


@lru_cache(maxsize=_CACHED_QUESTIONS)
def _bounds(
    asked: Cell, messages: Messages, stack: Stack, stamp: tuple[Stamped, ...]
) -> StatementBounds:
    """What statements say of a case, up to each number of connections that they name."""
    claims = claims_about(asked, messages)
    if not claims:
        return _NO_BOUNDS
    # (1) cases and numbers of connections of all these statements
    nodes = [node for each in claims for node in (each.subject, each.baseline) if node is not None]
    levels = tuple(sorted({ANY_NUMBER, *(level for _, level in nodes)}))
    cells = sorted({asked, *(cell for cell, _ in nodes)}, key=repr)
    # (2) X_A <= r X_B from case to case, without statements that contradict each other
    steps, circular = _consistent(list(_steps(claims, cells, levels)))
    # (3) what statements say is reached, with as many connections and with more
    reached: dict[Node, _Reached] = {}
    for claim in claims:
        cell, count = claim.subject
        for level in levels if claim.baseline is None else ():
            before = reached.get((cell, level))
            if level >= count and (before is None or claim.low > before.rate_bps):
                reached[cell, level] = _Reached(claim.low, claim.statement.id)
    # (4) the upper bound of each case by its path and by statements without a baseline
    known = {
        (cell, level): own
        for cell in cells
        for level, own in zip(levels, own_bounds(cell, levels, messages, stack, stamp), strict=True)
    }
    capped: dict[Node, list[_Known]] = {}
    for claim in claims:
        if claim.baseline is None and isfinite(claim.high):
            rate = Predicted(claim.high, claim.high, claim.high, Bound.UPPER)
            capped.setdefault(claim.subject, []).append(_Known(rate, claims=(claim,)))
    for node, caps in capped.items():
        known[node] = min([known[node], *caps], key=lambda each: each.rate.value)
    known = {node: _not_below(own, reached.get(node)) for node, own in known.items()}
    # (5) repeated until no bound falls: a chain passes each case once at most
    for _ in known:
        falls = False
        for step in steps:
            through_bps = known[step.by].rate.value * step.ratio
            lowest_bps = known[step.of].rate.value * (1 - ROUNDING_RATIO)
            if through_bps >= lowest_bps:
                continue
            through = _not_below(known[step.by].after(step), reached.get(step.of))
            if through.rate.value < lowest_bps:
                known[step.of], falls = through, True
        if not falls:
            break
    return _gathered(asked, levels, steps, known, capped, reached, circular)


class _Reached(NamedTuple):
    """A rate that a statement says is reached."""

    rate_bps: float
    statement: str

    @property
    def text(self) -> str:
        """As a note has it."""
        return f"statement {self.statement}: {rate_text(self.rate_bps)} is reached"


def _not_below(bound: _Known, reached: _Reached | None) -> _Known:
    """The bound, or what is reached where that is more: the two contradict each other."""
    if reached is None or bound.rate.value >= reached.rate_bps:
        return bound
    rate = Predicted(reached.rate_bps, reached.rate_bps, reached.rate_bps, Bound.UPPER)
    return _Known(rate, reached.text)


def _gathered(
    asked: Cell,
    levels: Sequence[float],
    steps: Iterable[_Step],
    known: Mapping[Node, _Known],
    capped: Mapping[Node, Sequence[_Known]],
    reached: Mapping[Node, _Reached],
    circular: Sequence[str],
) -> StatementBounds:
    """The bounds of each statement on the case, with what is reached there."""
    there = covering(asked)
    of_statements: dict[str, list[_StatementBound | None]] = {}
    through = [
        (step.of, _not_below(known[step.by].after(step), reached.get(step.of)))
        for step in steps
        if step.claim is not None and step.of[0] in there
    ]
    through += [(node, cap) for node, caps in capped.items() if node[0] in there for cap in caps]
    for node, bound in through:
        level = node[1]
        if not isfinite(bound.rate.value) or not bound.claims:
            continue
        # by way of the case itself with more connections, only what is below all else is news
        lowest_bps = known[node].rate.value * (1 + ROUNDING_RATIO)
        if asked in bound.cells and bound.rate.value > lowest_bps:
            continue
        name = bound.claims[0].statement.id
        of_levels = of_statements.setdefault(name, [None] * len(levels))
        for place, other in enumerate(levels):
            lowest = of_levels[place]
            if other <= level and (lowest is None or bound.rate.value < lowest.rate.value):
                of_levels[place] = _StatementBound(bound.rate, _published(bound))
    notes = [
        _Contradiction(level, each.rate_bps, f"{each.text}, above this bound")
        for level in levels
        if (each := reached.get((asked, level))) is not None
    ]
    if circular:
        start = "not used, as they contradict each other: "
        note = f"{start}{few_names(circular, 'statements')}"
        if len(note) > NOTE_CHARACTERS:
            note = f"{start}{len(circular)} statements"
        notes.append(_Contradiction(0, inf, note))
    return StatementBounds(
        tuple(levels), {name: tuple(each) for name, each in of_statements.items()}, tuple(notes)
    )


def _published(bound: _Known) -> Published:
    """The statement of its last step, and what it follows from."""
    first = bound.claims[0].statement
    derivation = [claim.text for claim in bound.claims]
    notes = []
    for statement in (claim.statement for claim in bound.claims):
        name, amount = f"statement {statement.id}", statement.amount_text
        note = f"{name} ({statement.locator}): {amount}"
        notes.append(note if len(note) <= NOTE_CHARACTERS else f"{name}: {amount}")
    return Published(
        statement=first.id,
        source=f"{first.source}, {first.locator}",
        grade=weakest_grade(claim.grade for claim in bound.claims),
        derivation=(*derivation, *([bound.root] if bound.root else [])),
        notes=tuple(dict.fromkeys(notes)),
    )


def _steps(
    claims: Iterable[Claim], cells: Sequence[Cell], levels: Sequence[float]
) -> Iterator[_Step]:
    """What bounds what, by statements, by more connections and by directions of adapters."""
    for claim in claims:
        if claim.baseline is None:
            continue
        is_rounded = claim.statement.relation in _ROUNDED and 0 < claim.low and isfinite(claim.high)
        low, high = claim.low, claim.high
        if isfinite(high):
            yield _Step(claim.subject, claim.baseline, high, low if is_rounded else high, claim)
        if low > 0:
            tight = 1 / (high if is_rounded else low)
            yield _Step(claim.baseline, claim.subject, 1 / low, tight, claim)
    for cell, (fewer, more) in product(cells, pairwise(levels)):
        yield _Step((cell, fewer), (cell, more))
    present = frozenset(cells)
    for cell in cells:
        for other in covering(cell) & present - {cell}:
            yield from (_Step((cell, level), (other, level)) for level in levels)


def _consistent(steps: list[_Step]) -> tuple[list[_Step], tuple[str, ...]]:
    """The steps without those of circles that make a rate smaller than itself, and their ids."""
    ratios: dict[Node, float] = {node: 1.0 for step in steps for node in (step.of, step.by)}
    for _ in range(len(ratios) + 1):
        falls = False
        for step in steps:
            through = ratios[step.by] * step.ratio
            if through < ratios[step.of] * (1 - ROUNDING_RATIO):
                ratios[step.of], falls = through, True
        if not falls:
            return steps, ()
    related = []
    for step in steps:
        source = "" if step.claim is None else step.claim.statement.id
        related.append(Related(step.of, 0.0, step.ratio, source, step.by))
    names = {each.source for group in Ratios(related).contradictions() for each in group} - {""}
    left = [step for step in steps if step.claim is None or step.claim.statement.id not in names]
    return left, tuple(sorted(names))


@lru_cache(maxsize=_CACHED_QUESTIONS)
def own_bounds(
    cell: Cell,
    levels: tuple[float, ...],
    messages: Messages,
    stack: Stack,
    _stamp: tuple[Stamped, ...],
) -> tuple[_Known, ...]:
    """What the path of a case alone allows, for each number of connections."""
    unknown = _Known(Predicted(inf, inf, inf, Bound.UPPER))
    sender = Side.CLIENT
    if cell.kind == "path":
        specified = SpecifiedPath(record=path_record(cell.names[0]))
        sender = Side(cell.names[1])
    elif cell.kind == "ends":
        specified = SpecifiedPath(adapter(cell.names[0]), adapter(cell.names[1]))
    elif cell.kind in {"in", "out"}:
        # a direction alone: the adapter at the other end has no limit
        card = adapter(cell.names[0])
        other = without_limits(card)
        specified = SpecifiedPath(card, other) if cell.kind == "out" else SpecifiedPath(other, card)
    path = None if cell.rest or not cell.kind else specified.path(sender)
    if path is None or path.factors:
        return (unknown,) * len(levels)
    result: list[_Known] = []
    # one by one, as arrays of a few take longer; the last is any number
    for count in (*map(float, levels[:-1]), None):
        try:
            alone = predict_path(path, messages.traffic(sender, count), cell.mtu_bytes, stack)
        except (ContradictionError, DomainError):
            result.append(unknown)  # such messages do not pass, or nothing limits the path
            continue
        rate, name = alone.throughput_bps.numbers(), alone.binding
        whose = f"the line of {cell.text}" if name in LINE_STAGES else f"{cell.text} ({name})"
        root = f"{whose} carries at most {rate_text(rate.value)}"
        result.append(_Known(Predicted(rate.value, rate.low, rate.high, Bound.UPPER), root))
    return tuple(result)
