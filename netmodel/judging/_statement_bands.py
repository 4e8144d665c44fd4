"""Ranges of throughput and of zero-load response time that published statements leave."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise, product
from math import inf, isfinite
from typing import NamedTuple, cast

from netmodel._estimates import ABOUT_RATIO
from netmodel._grades import Grade, weakest_grade
from netmodel._numeric import ROUNDING_RATIO, is_symbol, require_one
from netmodel._predicted_text import rate_text
from netmodel._text import NOTE_CHARACTERS, few_names
from netmodel.concurrency import Bounds
from netmodel.framing import Stack
from netmodel.judging._ratios import Allowed, Ratios, Related
from netmodel.judging._statement_bounds import case_of, own_bounds
from netmodel.judging._statement_claims import (
    ANY_NUMBER,
    Cell,
    Claim,
    Messages,
    Node,
    claims_about,
    covering,
)
from netmodel.path import Prediction, SpecifiedPath
from netmodel.path._data_band import NO_RATE_KNOWN, Bands, DataBand
from netmodel.records import Relation
from netmodel.records._load import Stamped
from netmodel.units import BITS_PER_BYTE

_CACHED_CASES = 256
"""Cases whose ranges are kept: more than the cells of a document."""
_MOST_PASSES = 1000
"""Ranges of all cases narrow each other so often at most: stopped earlier, they are wider."""
_ABOUT = float(ABOUT_RATIO)
_NO_RATE = "no lower end of the range from statements: none says which rate is reached"
_OWN_HOSTS = "no range from statements: they are of the hosts of their document, not of these"
_MONOTONE = "throughput does not fall with more connections"
_DIRECTION = "an adapter limits each path through it"


class _Slope(NamedTuple):
    """R(b) <= R(a) + (b - a) / C, with C what any number of connections reaches."""

    fewer: Node
    more: Node
    any_number: Node


@dataclass(frozen=True)
class Network:
    """
    Cases, and all that relates their rates.

    Parameters
    ----------
    related : tuple of Related
        Statements, limits of paths, and laws that hold for any service times.
    slopes : tuple of _Slope
        Law for random service times that do not change with load.
    ids : mapping of str to str
        Id of the statement of a source, where it is one.
    texts : mapping of str to str
        Words for a source; laws and limits of paths are their own.
    grades : mapping of str to Grade
        Evidence of a source.
    levels : tuple of float
        Numbers of connections, rising; the last is infinite.
    """

    related: tuple[Related, ...]
    slopes: tuple[_Slope, ...]
    ids: Mapping[str, str]
    texts: Mapping[str, str]
    grades: Mapping[str, Grade | None]
    levels: tuple[float, ...]


_Ranges = dict[Node, Bounds[float]]


@dataclass(frozen=True)
class _CaseRanges:
    """What is left of a case with each number of connections that statements name."""

    asked: Cell
    network: Network
    lawful: _Ranges
    expected: _Ranges | None
    notes: tuple[str, ...]

    @cached_property
    def allowed(self) -> dict[float, Allowed]:
        """What both ends follow from, by the number of connections."""
        known = Ratios(self.network.related)
        return {level: known.allowed((self.asked, level)) for level in self.network.levels}

    @cached_property
    def ratios(self) -> dict[float, dict[str, Bounds[float]]]:
        """Throughput over that of other paths with as many connections, where data bound it."""
        known = Ratios(self.network.related)
        cells = {cast("Node", each.quantity)[0] for each in known.related} - {self.asked}
        result: dict[float, dict[str, Bounds[float]]] = {}
        for level, cell in product(self.network.levels, sorted(cells, key=repr)):
            if cell.kind != self.asked.kind or cell.rest:
                continue
            allowed = known.allowed((self.asked, level), (cell, level))
            name = cell.text
            if cell.mtu_bytes != self.asked.mtu_bytes:
                name = f"{name} at MTU {cell.mtu_bytes:g}"
            if allowed.low or isfinite(allowed.high):
                result.setdefault(level, {})[name] = Bounds(allowed.low, allowed.high)
        return result


def statement_bands(
    prediction: Prediction,
    specified_path: SpecifiedPath,
    connection_counts: Sequence[float],
    without: frozenset[str] = frozenset(),
) -> Bands:
    r"""
    The ranges that published statements leave of the throughput in the case of a prediction.

    Parameters
    ----------
    prediction : Prediction
        Of one MTU, as `netmodel.path.predict_path` returns it.
    specified_path : SpecifiedPath
        Adapters at both ends, or a path of the catalog.
    connection_counts : sequence of float
        Numbers of connections, each at least 1.
    without : frozenset of str
        Ids of statements that are left out.

    Returns
    -------
    bands : Bands
        A range for each number of connections; None where an end is open, with a note.

    Notes
    -----
    Statements on rates and times give intervals of rates and of their ratios. Two laws link
    numbers of connections :math:`a < b` of a case, whatever its service times are:

    .. math:: X(a) \le X(b) \le \frac{b}{a} X(a)

    Throughput does not fall with more connections, and a connection does not become
    faster beside others. In logarithms all of them bound differences, so that the ends are
    shortest paths. "Line speed is reached" is read as within 5 %, as "about" is.

    The expected range also takes service times as random and the same at any load. Then the
    time of a transaction grows by at most the time that the bottleneck spends on it,
    :math:`1/C`, for each further connection (balanced job bounds):

    .. math:: \frac{b}{X(b)} \le \frac{a}{X(a)} + \frac{b - a}{C}

    Ranges of cases narrow each other until none changes. Where work is done in batches,
    service times fall with load and the expected range can be wrong; the other holds.

    References
    ----------
    J. Zahorjan, K. C. Sevcik, D. L. Eager and B. Galler, "Balanced job bound analysis of
    queueing networks" (1982).
    """
    none = Bands((None,) * len(connection_counts))
    if is_symbol(prediction.mtu_bytes):
        return none
    if (specified_path.client_host, specified_path.server_host) != (None, None):
        without_hosts = replace(specified_path, client_host=None, server_host=None)
        theirs = statement_bands(prediction, without_hosts, connection_counts, without)
        if any(theirs.bands):
            return none._replace(note=_OWN_HOSTS)
        return none
    case = case_of(prediction, specified_path)
    mtu_bytes = float(require_one("mtu_bytes", prediction.mtu_bytes))
    if case is None or mtu_bytes not in case.mtus_bytes:
        return none
    asked = case.cell._replace(mtu_bytes=mtu_bytes)
    known = _ranges(asked, case.messages, case.stack, case.stamp, without)
    if known is None:
        return none
    bits = BITS_PER_BYTE * case.messages.larger_bytes if case.messages.waits else None
    return Bands(tuple(_band(float(count), known, bits) for count in connection_counts))


@lru_cache(maxsize=_CACHED_CASES)
def _ranges(
    asked: Cell,
    messages: Messages,
    stack: Stack,
    stamp: tuple[Stamped, ...],
    without: frozenset[str],
) -> _CaseRanges | None:
    """What is left of a case and of those that it is compared with; None without statements."""
    claims = [
        each
        for each in claims_about(asked, messages)
        if each.statement.id not in without and each.high > 0
    ]
    if not claims:
        return None
    network, notes = network_of(asked, claims, messages, stack, stamp), []
    # (1) laws that hold for any service times; statements that contradict them are left out
    lawful, wrong = _propagated(network)
    if wrong is not None:
        circular = contradictory(network)
        notes.append(_names_note("not used, as they contradict each other: ", circular))
        network = left(network, circular)
        lawful, wrong = _propagated(network)
        if wrong is not None:
            return None
    # (2) service times that do not change with load: not for a stream, which fills its window
    if not messages.waits:
        return _CaseRanges(asked, network, lawful, None, tuple(notes))
    expected, wrong = _propagated(network, network.slopes)
    if wrong is None:
        return _CaseRanges(asked, network, lawful, expected, tuple(notes))
    # without any of these statements the others agree; which of them is wrong is not known
    at = f"{wrong[0].text} with {wrong[1]:g} connections"
    remaining: dict[str, _Ranges] = {}
    for name in sorted({*network.ids.values()}):
        ranges, wrong = _propagated(left(network, frozenset({name})), network.slopes)
        if wrong is None:
            remaining[name] = ranges
    if not remaining:
        notes.append(f"no expected range: statements contradict it at {at}")
        return _CaseRanges(asked, network, lawful, None, tuple(notes))
    notes.append(
        _names_note("one of these is not true if times are independent of load: ", remaining)
    )
    either = {
        node: Bounds(
            max(ends.low, min(each[node].low for each in remaining.values() if node in each)),
            min(ends.high, max(each[node].high for each in remaining.values() if node in each)),
        )
        for node, ends in lawful.items()
    }
    is_left = all(low <= high for low, high in either.values())
    return _CaseRanges(asked, network, lawful, either if is_left else None, tuple(notes))


def _names_note(start: str, names: Iterable[str]) -> str:
    known = sorted(names)
    note = f"{start}{few_names(known, 'statements')}"
    return note if len(note) <= NOTE_CHARACTERS else f"{start}{len(known)} statements"


def network_of(
    asked: Cell,
    claims: Sequence[Claim],
    messages: Messages,
    stack: Stack,
    stamp: tuple[Stamped, ...],
) -> Network:
    """All that relates the rates of a case and of those that statements link with it."""
    nodes = [node for each in claims for node in (each.subject, each.baseline) if node is not None]
    levels = tuple(sorted({1.0, ANY_NUMBER, *(level for _, level in nodes)}))
    cells = sorted({asked, *(cell for cell, _ in nodes)}, key=repr)
    related: list[Related] = []
    texts: dict[str, str] = {}
    ids: dict[str, str] = {}
    grades: dict[str, Grade | None] = {}
    # (1) statements, each with a source of its own for each case of it
    for number, claim in enumerate(claims):
        low, source, grade = read_low(claim), f"{claim.statement.id} {number}", claim.grade
        texts[source] = claim.text
        if low < claim.low:
            grade, texts[source] = Grade.ASSUMED, f"{claim.text}, read as at least {rate_text(low)}"
        ids[source], grades[source] = claim.statement.id, grade
        related.append(Related(claim.subject, low, claim.high, source, claim.baseline))
    slopes = []
    for cell in cells:
        # (2) laws: X(a) <= X(b) <= X(a) b / a
        for fewer, more in pairwise(levels):
            related.append(Related((cell, fewer), 0.0, 1.0, _MONOTONE, (cell, more)))
            if isfinite(more):
                law = f"with {fewer:g} connections each is as fast as with {more:g}, or faster"
                related.append(Related((cell, more), 0.0, more / fewer, law, (cell, fewer)))
                slopes.append(_Slope((cell, fewer), (cell, more), (cell, ANY_NUMBER)))
        # (3) a direction of an adapter limits the path through it
        for other in covering(cell) & frozenset(cells) - {cell}:
            related += [
                Related((cell, level), 0.0, 1.0, _DIRECTION, (other, level)) for level in levels
            ]
        # (4) what the path of the case alone allows
        for level, own in zip(
            levels, own_bounds(cell, levels, messages, stack, stamp), strict=True
        ):
            if isfinite(own.rate.value):
                related.append(Related((cell, level), 0.0, own.rate.value, own.root))
    return Network(
        tuple(related),
        tuple(slopes),
        ids,
        texts,
        grades,
        levels,
    )


def read_low(claim: Claim) -> float:
    """The lower end of a figure: "line speed is reached" is read as within 5 %."""
    is_reached = claim.baseline is None and claim.statement.relation is Relation.CENSORED_ABOVE
    return claim.low * (1 - _ABOUT) if is_reached else claim.low


def left(network: Network, without: frozenset[str]) -> Network:
    """The network without some statements."""
    if not without:
        return network
    ids = {source: name for source, name in network.ids.items() if name not in without}
    is_left = network.ids.keys() - ids.keys()
    related = tuple(each for each in network.related if each.source not in is_left)
    return replace(network, related=related, ids=ids)


def contradictory(network: Network) -> frozenset[str]:
    """Statements of the smallest groups that cannot hold together with the laws."""
    groups = Ratios(network.related).contradictions()
    sources = {each.source for group in groups for each in group}
    return frozenset(name for source, name in network.ids.items() if source in sources)


def _alone(asked: Node, known: _CaseRanges) -> dict[str, Bounds[float]]:
    """What each statement on a case says, with what is left of the one that it compares with."""
    result = {}
    for each in known.network.related:
        name = known.network.ids.get(each.source)
        if name is None or asked not in (each.quantity, each.baseline):
            continue
        low, high = each.low, each.high
        if asked == each.baseline:  # the ratio of the other to it
            low, high, other = 1 / each.high, 1 / each.low if each.low else inf, each.quantity
        else:
            other = each.baseline
        if other is not None:
            ends = known.lawful[cast("Node", other)]
            low, high = low * ends.low, high * ends.high
        result[name] = Bounds(low, high)
    return result


def _propagated(network: Network, slopes: Sequence[_Slope] = ()) -> tuple[_Ranges, Node | None]:
    """The ranges that all relations leave of each case; a case where nothing is left."""
    named = [node for each in network.related for node in (each.quantity, each.baseline)]
    named += [node for each in slopes for node in each]
    nodes = cast("set[Node]", {node for node in named if node is not None})
    lows: dict[Hashable, float] = dict.fromkeys(nodes, NO_RATE_KNOWN.low)
    highs: dict[Hashable, float] = dict.fromkeys(nodes, NO_RATE_KNOWN.high)
    for _ in range(_MOST_PASSES):
        is_changed = False

        def narrow(node: Hashable, low: float, high: float) -> None:
            nonlocal is_changed
            if low > lows[node] * (1 + ROUNDING_RATIO):
                lows[node], is_changed = low, True
            if high < highs[node] * (1 - ROUNDING_RATIO):
                highs[node], is_changed = high, True

        # (1) X_A = r X_B: each range bounds the other
        for each in network.related:
            quantity, baseline = each.quantity, each.baseline
            if baseline is None:
                narrow(quantity, each.low, each.high)
                continue
            narrow(quantity, each.low * lows[baseline], each.high * highs[baseline])
            narrow(
                baseline,
                lows[quantity] / each.high,
                highs[quantity] / each.low if each.low else inf,
            )
        # (2) R(b) <= R(a) + (b - a) / C, solved for each of the three
        for fewer, more, any_number in slopes:
            a, b = fewer[1], more[1]
            least_bps = lows[any_number]
            if least_bps:
                if lows[fewer]:
                    narrow(more, b / (a / lows[fewer] + (b - a) / least_bps), inf)
                shortest = b / highs[more] - (b - a) / least_bps
                if shortest > 0:
                    narrow(fewer, 0.0, a / shortest)
            if lows[fewer]:
                longest = (b / highs[more] - a / lows[fewer]) / (b - a)
                if longest > 0:
                    narrow(any_number, 0.0, 1 / longest)
        empty = [node for node in nodes if lows[node] > highs[node] * (1 + ROUNDING_RATIO)]
        if empty:
            return {}, min(empty, key=repr)
        if not is_changed:
            break
    return {node: Bounds(lows[node], max(lows[node], highs[node])) for node in nodes}, None


def _band(count: float, known: _CaseRanges, bits: float | None) -> DataBand | None:
    """The range with any number of connections, from those with fewer and with more."""
    asked, levels, lawful = known.asked, known.network.levels, known.lawful
    below = max(level for level in levels if level <= count)
    above = min(level for level in levels if level >= count)
    fewer, more = lawful[asked, below], lawful[asked, above]
    low, high = _between(fewer, more, count, (below, above))
    ratios, alone = known.ratios.get(count, {}), _alone((asked, count), known)
    if not isfinite(high) or not (low or ratios or alone):
        return None
    because = (
        known.allowed[below if fewer.low >= low else above].low_because,
        known.allowed[above if more.high <= high else below].high_because,
    )
    used = {each.source for chain in because for each in chain}
    texts = [
        tuple(
            dict.fromkeys(
                known.network.texts.get(each.source, each.source) for each in reversed(chain)
            )
        )
        for chain in because
    ]
    # the same with service times independent of load, and R(b) <= R(a) + (b - a) / C
    expected = one_expected = None
    if known.expected is not None:
        one_expected = known.expected[asked, 1.0]
        expected = _expected_at(asked, count, (below, above), known.expected)
    if not low:
        expected = one_expected = None
    return DataBand(
        connection_count=count,
        throughput_bps=Bounds(low, high),
        one_connection_bps=lawful[asked, 1.0],
        expected_bps=expected,
        one_expected_bps=one_expected,
        payload_bits=bits,
        ratios=ratios,
        statements=alone,
        low_from=texts[0],
        high_from=texts[1],
        grade=weakest_grade(
            grade for source, grade in known.network.grades.items() if source in used
        ),
        notes=known.notes if low else (*known.notes, _NO_RATE),
    )


def _between(
    fewer: Bounds[float], more: Bounds[float], count: float, around: tuple[float, float]
) -> Bounds[float]:
    """X(a) <= X(N) <= X(a) N / a, and the same with more connections."""
    below, above = around
    return Bounds(
        max(fewer.low, count / above * more.low), min(more.high, fewer.high * count / below)
    )


def _expected_at(
    asked: Cell, count: float, around: tuple[float, float], known: _Ranges
) -> Bounds[float]:
    """The same, and R(b) <= R(a) + (b - a) / C."""
    below, above = around
    fewer, more, any_number = (known[asked, level] for level in (below, above, ANY_NUMBER))
    low, high = _between(fewer, more, count, around)
    if any_number.low:
        if fewer.low:
            low = max(low, count / (below / fewer.low + (count - below) / any_number.low))
        if isfinite(above):
            shortest = above / more.high - (above - count) / any_number.low
            if shortest > 0:
                high = min(high, count / shortest)
    return Bounds(low, high)
