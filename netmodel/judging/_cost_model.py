"""CPU cost as a sum of demands: what printed ratios leave of the ratio of any two cases."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from math import inf, isnan, nan
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from netmodel._estimates import Estimate
from netmodel._linear_programs import SOLVED, UNBOUNDED
from netmodel._numeric import Floats
from netmodel._numpy import np
from netmodel.consumption import Side
from netmodel.framing import Stack, tcp_stack
from netmodel.judging._compared_facts import COUNT, SIDE, Case, Fact, published
from netmodel.path import Traffic, workload_traffic
from netmodel.records import dataset_ids, workload
from netmodel.records._load import stamped, statement_files

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

RPS, MESSAGE, MTU = "receive_packet_steering", "message_bytes", "mtu_bytes"
ENDS = ("sender_adapter", "receiver_adapter")
_COUNTED = frozenset({"adapter", *ENDS, MTU, "workload", COUNT, SIDE, RPS, MESSAGE})
"""Conditions from which messages, frames and bytes follow; a case with others is not counted."""
USUAL_MTU_BYTES = 1500
"""IP MTU of Ethernet (IEEE 802.3), where a document names none."""
EXCHANGE_COPY_BYTES = 128 * 1024
"""Bytes that take at least as much CPU time as the two messages of an exchange on one connection.
The published virtual paths have both in absolute time: 56 µs for an exchange, 3.9 ns a byte, so
that 14 kB do; this leaves a factor of 9. Without it, costs of bytes and frames may all be 0."""
WIDEST = 10.0
"""High end over low end of a range, above which it says nothing of a change."""
MISS_RATIO = 1.25
"""How far the ratio of a case may be beyond what ratios of other cases leave of it: 19 of 20
printed figures are within, each left out in turn."""
_ROUNDING = 1e-7
"""Feasibility tolerance of the solver (HiGHS)."""
_WEIGHT_ROUNDS = 12
"""Reweighted rounds until the ratios that are given up stay the same, with some to spare."""
_WEIGHT_OFFSET = 0.01
"""Relative misfit, as of one printed percent, below which another ratio is hardly better kept."""
_CACHED_SETS = 2
"""The bundled ratios, and those with one set of directories of a user's own."""


class Demand(NamedTuple):
    """CPU time of one kind of work, on hosts with an adapter."""

    kind: str
    direction: str
    adapter: str
    connection_count: int = 0
    """Where it changes with connections: their number; 0 where it does not."""

    def __str__(self) -> str:
        at = f" at {self.connection_count} connections" if self.connection_count else ""
        return f"{self.kind} {self.direction} ({self.adapter or 'any adapter'}){at}"


Work: TypeAlias = Mapping[Demand, float]
"""How often each demand is needed per byte of payload; below zero where it is saved."""


class CostRatio(NamedTuple):
    """A printed ratio of CPU cost per data on one side, with one number of connections."""

    fact: Fact
    side: str
    connection_count: int
    subject: Work
    baseline: Work

    @property
    def is_of_equal_work(self) -> bool:
        """Whether both cases need the same, so that no demands make one cost more."""
        return dict(self.subject) == dict(self.baseline)

    @property
    def can_be_kept(self) -> bool:
        """Whether any demands keep it: what needs the same is neither "higher" nor "lower"."""
        is_sign = (self.fact.low, self.fact.high) in ((1.0, inf), (0.0, 1.0))
        return not (is_sign and self.is_of_equal_work)

    @property
    def case(self) -> tuple[Hashable, ...]:
        """What is compared, on either side: ratios of one case come from the same runs."""
        own = [
            tuple(sorted((k, str(v)) for k, v in each.items() if k not in (SIDE, COUNT)))
            for each in (self.fact.subject, self.fact.baseline)
        ]
        return (*own, self.connection_count)


def work_of(case: Case, side: str) -> Work | None:
    """
    Demands of a case on the host of a side, per byte of payload; None where they are not known.

    A workload may have another size of its larger message (`message_bytes`).
    """
    name = case.get("workload")
    if not isinstance(name, str) or not set(case) <= _COUNTED:
        return None
    traffic = traffic_of(case)
    if traffic is None:
        return None
    is_sender = side == workload(name).sender.value
    adapter = case.get("adapter") or case.get(ENDS[not is_sender], "")
    mtu_bytes, count = case.get(MTU, USUAL_MTU_BYTES), case.get(COUNT, 0)
    if not isinstance(mtu_bytes, int) or not isinstance(count, int):
        return None
    is_steered = bool(case.get(RPS))
    return work_of_traffic(
        traffic, Side(side), str(adapter), mtu_bytes, count, tcp_stack(), is_steered=is_steered
    )


def traffic_of(case: Case) -> Traffic | None:
    """What is exchanged in a case; None where a size is not known."""
    record, size = workload(str(case["workload"])), case.get(MESSAGE)
    payload_bytes = size if isinstance(size, int) else None
    bounds = {
        Side.CLIENT: record.request_bytes_bounds,
        Side.SERVER: record.response_bytes_bounds,
    }
    open_sides = [side for side, (low, high) in bounds.items() if low != high]
    if open_sides and (payload_bytes is None or open_sides != [record.sender]):
        return None
    traffic = workload_traffic(record, payload_bytes=bounds[record.sender][0])
    return with_message(traffic, payload_bytes)


def with_message(traffic: Traffic, message_bytes: int | None) -> Traffic:
    """The traffic with another size of its larger message, or of both where they are equal."""
    if message_bytes is None:
        return traffic
    if traffic.request_bytes == traffic.response_bytes:
        return replace(traffic, request_bytes=message_bytes, response_bytes=message_bytes)
    if traffic.sender is Side.CLIENT:
        return replace(traffic, request_bytes=message_bytes)
    return replace(traffic, response_bytes=message_bytes)


def work_of_traffic(
    traffic: Traffic,
    side: Side,
    adapter: str,
    mtu_bytes: int,
    connection_count: int,
    stack: Stack,
    *,
    is_steered: bool = False,
) -> Work:
    """Demands of a transaction, or of a streamed write, per byte of payload."""
    sizes = [float(traffic.request_bytes), float(traffic.response_bytes)]
    out_bytes, in_bytes = sizes if side is Side.CLIENT else sizes[::-1]
    kind = "message" if traffic.waits else "streamed message"
    count = connection_count if traffic.waits else 0
    work: dict[Demand, float] = {}
    for direction, size in (("out", out_bytes), ("in", in_bytes)):
        if not size:
            continue
        if traffic.shares_segments and not traffic.waits:
            frames = size / float(stack.payload_bytes(mtu_bytes))
        else:
            frames = float(stack.message_frame_count(size, mtu_bytes))
        work[Demand(kind, direction, adapter, count)] = 1.0
        work[Demand("frame", direction, adapter)] = frames
        work[Demand("byte", direction, adapter)] = size
        if is_steered and direction == "in":
            work[Demand("steered frame", direction, adapter)] = frames
            work[Demand(f"saved {kind}", direction, adapter, count)] = -1.0
    exchanged = sum(sizes)
    return {demand: number / exchanged for demand, number in work.items()}


def cost_ratios(facts: Iterable[Fact]) -> Iterator[CostRatio]:
    """Printed ratios of CPU cost per data, on each side and with each number of connections."""
    for fact in facts:
        if fact.quantity != "cpu_consumption" or not fact.has_ratio:
            continue
        name = fact.subject.get("workload")
        if not isinstance(name, str):
            continue
        count = fact.subject.get(COUNT)
        # what names no number of connections is said of all that were measured
        counts = [count] if isinstance(count, int) else workload(name).connection_counts or (0,)
        named = fact.subject.get(SIDE)
        for side in [str(named)] if named else [each.value for each in Side]:
            for number in counts:
                at: dict[str, int] = {COUNT: number} if number else {}
                cases = (fact.subject, {**fact.baseline, **({} if count else at)})
                works = [work_of({**at, **case}, side) for case in cases]
                if works[0] is not None and works[1] is not None:
                    yield CostRatio(fact, side, number, works[0], works[1])


@dataclass(frozen=True)
class CostSet:
    """
    All demands that printed ratios allow together; their scale is free.

    Parameters
    ----------
    ratios : tuple of CostRatio
        Those that one set of demands keeps.
    given_up : tuple of CostRatio
        Those that it does not keep.
    """

    ratios: tuple[CostRatio, ...]
    given_up: tuple[CostRatio, ...] = ()

    def ratio(self, subject: Work, baseline: Work) -> Estimate:
        """
        Smallest and largest ratio of two costs, and their geometric mean; infinite where open.

        Notes
        -----
        The ratio of two linear forms over a cone, with its denominator kept at 1 (Charnes and
        Cooper, "Programming with linear fractional functionals", Naval Research Logistics
        Quarterly 9, 1962): two linear programs.
        """
        if dict(subject) == dict(baseline):
            # exactly, and not as the solver rounds
            return Estimate(1.0, 1.0, 1.0)
        problem = _Problem(self.ratios, (subject, baseline))
        ends = [problem.end(subject, baseline, sign) for sign in (1, -1)]
        if any(map(isnan, ends)):
            return Estimate(nan, 0.0, inf)
        low, high = ends
        return Estimate((low * high) ** 0.5 if 0 < high < inf else nan, low, high)

    def expected(self, subject: Work, baseline: Work) -> Estimate:
        """
        The ratio of a case that was not measured: the range of `ratio` and how far it misses.

        What holds of any demands, such as that larger frames cost no more, bounds it.
        """
        value, low, high = self.ratio(subject, baseline)
        if isnan(value):
            return Estimate(value, low, high)
        of_laws = CostSet(()).ratio(subject, baseline)
        return Estimate(
            value,
            max(low / MISS_RATIO, of_laws.low),
            min(high * MISS_RATIO, of_laws.high),
        )

    def without(self, fact_ids: Collection[str], connection_count: int = 0) -> "CostSet":
        """The set without what these statements, or others on the same cases, print."""
        cases = {
            each.case
            for each in self.all_ratios
            if each.fact.id in fact_ids and connection_count in (0, each.connection_count)
        }
        kept, given_up = (
            tuple(each for each in ratios if each.case not in cases)
            for ratios in (self.ratios, self.given_up)
        )
        return CostSet(kept, given_up)

    @property
    def all_ratios(self) -> tuple[CostRatio, ...]:
        """Those that are kept, and those that are not."""
        return (*self.ratios, *self.given_up)

    def least_known(self, subject: Work, baseline: Work) -> Demand:
        """The demand whose share of both costs is most open, which a measurement should narrow."""
        problem = _Problem(self.ratios, (subject, baseline))
        shares = [
            problem.shares(case, subject, baseline, sign)
            for case in (subject, baseline)
            for sign in (1, -1)
        ]
        spread = abs(shares[0] - shares[1]) + abs(shares[2] - shares[3])
        return problem.demands[int(spread.argmax())]


class _Problem:
    """Linear programs over demands: rows a with a x <= 0, in scales in which numbers are near 1."""

    def __init__(self, ratios: Sequence[CostRatio], more: Sequence[Work] = ()) -> None:
        works = [work for each in ratios for work in (each.subject, each.baseline)]
        demands = {demand for work in (*works, *more) for demand in work}
        demands |= set(_beside(demands))
        self.demands = sorted(demands)
        self._place = {demand: place for place, demand in enumerate(self.demands)}
        sizes = np.zeros(len(self.demands))
        for work in (*works, *more):
            for demand, number in work.items():
                spot = self._place[demand]
                sizes[spot] = max(sizes[spot], abs(number))
        self._scale = np.where(sizes > 0, sizes, sizes.max())
        self.laws = np.array([self.row(law) for law in _laws(self.demands)])
        self.laws = self.laws.reshape(-1, len(self.demands))
        # rows of a law are exact; their size only matters to the solver
        sizes = np.abs(self.laws).max(axis=1, keepdims=True, initial=0)
        self.laws = self.laws / np.where(sizes > 0, sizes, 1)
        self.bounds: list[Floats] = []
        self.owners: list[int] = []
        self.baselines = [self.row(each.baseline) for each in ratios]
        for place, each in enumerate(ratios):
            subject, baseline = self.row(each.subject), self.baselines[place]
            if each.fact.high < inf:
                self.bounds.append(subject - each.fact.high * baseline)
                self.owners.append(place)
            if each.fact.low > 0:
                self.bounds.append(each.fact.low * baseline - subject)
                self.owners.append(place)

    def row(self, work: Work) -> Floats:
        """Coefficients of a cost."""
        row = np.zeros(len(self.demands))
        for demand, number in work.items():
            row[self._place[demand]] = number / self._scale[self._place[demand]]
        return row

    def matrix(self, kept: Sequence[bool] | None = None) -> Floats:
        """Rows of the ratios that are kept, and of the laws."""
        rows = [
            row
            for row, owner in zip(self.bounds, self.owners, strict=True)
            if kept is None or kept[owner]
        ]
        return np.vstack([*rows, self.laws]) if rows else self.laws

    def solved(
        self, objective: Floats, whole: Floats, kept: Sequence[bool] | None = None
    ) -> "OptimizeResult":
        """Demands of the smallest objective among those with 1 for the sum that is whole."""
        from scipy.optimize import linprog

        matrix = self.matrix(kept)
        return linprog(
            objective,
            A_ub=matrix if len(matrix) else None,
            b_ub=np.zeros(len(matrix)) if len(matrix) else None,
            A_eq=whole[None],
            b_eq=[1.0],
        )

    def end(self, subject: Work, baseline: Work, sign: int) -> float:
        """Smallest ratio (sign 1) or largest (-1); NaN where the rows leave none."""
        answer = self.solved(sign * self.row(subject), self.row(baseline))
        if answer.status == SOLVED and answer.fun is not None:
            return max(0.0, sign * float(answer.fun))
        return inf if answer.status == UNBOUNDED and sign < 0 else nan

    def shares(self, case: Work, subject: Work, baseline: Work, sign: int) -> Floats:
        """Share of each demand in the cost of a case where the ratio of two costs is at an end."""
        # a ceiling on both costs together keeps an end that is open within reach
        both = self.row(subject) + self.row(baseline)
        answer = self.solved(sign * self.row(subject), both)
        if answer.status != SOLVED or answer.x is None:
            return np.zeros(len(self.demands))
        parts = self.row(case) * answer.x
        return np.asarray(parts / max(float(parts.sum()), _ROUNDING))

    def holds(self, kept: Sequence[bool]) -> bool:
        """Whether demands keep these ratios and no cost that a ratio is of is zero."""
        answer = self.solved(np.zeros(len(self.demands)), self.baselines[0], kept)
        return bool(answer.status == SOLVED)

    def misfits(self, weights: Floats) -> tuple[Floats, Floats]:
        """How far each ratio is missed, and the cost that it is a ratio of, with least misfit."""
        from scipy.optimize import linprog

        count, own = len(self.demands), len(self.baselines)
        slack = np.zeros((len(self.bounds), own))
        slack[np.arange(len(self.bounds)), self.owners] = -1
        matrix = np.block(
            [[np.array(self.bounds), slack], [self.laws, np.zeros((len(self.laws), own))]]
        )
        answer = linprog(
            np.concatenate([np.zeros(count), weights]),
            A_ub=matrix,
            b_ub=np.zeros(len(matrix)),
            A_eq=np.concatenate([self.baselines[0], np.zeros(own)])[None],
            b_eq=[1.0],
        )
        # missing by enough is always possible, so that there is a solution
        found = np.asarray(answer.x, dtype=float)
        return found[count:], np.array(self.baselines) @ found[:count]


def _beside(demands: Iterable[Demand]) -> Iterator[Demand]:
    """Demands that laws need beside those of cases."""
    for demand in list(demands):
        kind, direction, adapter, count = demand
        if kind.startswith("saved "):
            yield Demand(kind.removeprefix("saved "), direction, adapter, count)


def _laws(demands: Sequence[Demand]) -> Iterator[Work]:
    """What holds of demands besides that none is below zero: sums that are at most zero."""
    over: dict[tuple[str, str, str], list[Demand]] = defaultdict(list)
    for demand in demands:
        if demand.connection_count:
            over[demand[:3]].append(demand)
    for (kind, direction, adapter), several in over.items():
        several.sort()
        for fewer, more in pairwise(several):
            if kind == "saved message":
                # (1) the more connections, the more messages are handed over together
                yield {fewer: 1.0, more: -1.0}
                continue
            # (2) wake-ups and interrupts serve more messages with more connections,
            yield {more: 1.0, fewer: -1.0}
            # (3) of each connection one at a time
            yield {fewer: fewer.connection_count, more: -more.connection_count}
        if kind == "message":
            # (4) a streamed write waits for no answer, so that it wakes no more than a message
            streamed = Demand("streamed message", direction, adapter)
            if streamed in demands:
                yield {streamed: 1.0, several[-1]: -1.0}
            # (5) bytes cost something
            byte = Demand("byte", direction, adapter)
            if byte in demands:
                both = [Demand(kind, way, adapter, several[0][3]) for way in ("in", "out")]
                yield {
                    **{each: 1.0 for each in both if each in demands},
                    byte: -EXCHANGE_COPY_BYTES,
                }
    for demand in demands:
        kind, direction, adapter, count = demand
        if kind.startswith("saved "):
            # (6) no more is saved than a message costs, and nothing of a single one
            yield {
                demand: 1.0,
                Demand(kind.removeprefix("saved "), direction, adapter, count): -1.0,
            }
            if count == 1:
                yield {demand: 1.0}


def cost_set() -> CostSet:
    """Demands that the bundled ratios and those of registered directories allow."""
    return _of_files(stamped(statement_files()), dataset_ids())


@lru_cache(maxsize=_CACHED_SETS)
def _of_files(files: Hashable, ids: tuple[str, ...]) -> CostSet:
    return kept_of(tuple(cost_ratios(published().facts)))


def kept_of(ratios: Sequence[CostRatio]) -> CostSet:
    """
    Demands that keep as many ratios as possible, and the ratios that they do not keep.

    Notes
    -----
    The smallest number of ratios to give up is a mixed-integer program. Here the sum of relative
    misfits is minimised, each over its last misfit (E. J. Candès, M. B. Wakin and S. P. Boyd,
    "Enhancing sparsity by reweighted l1 minimization", Journal of Fourier Analysis and
    Applications 14, 2008); ratios that are missed are given up, and taken back one by one, the
    least missed first, where demands keep them with all others.
    """
    impossible = tuple(each for each in ratios if not each.can_be_kept)
    ratios = [each for each in ratios if each.can_be_kept]
    if not ratios:
        return CostSet((), impossible)
    problem = _Problem(ratios)
    weights = np.ones(len(ratios))
    missed = costs = weights
    for _ in range(_WEIGHT_ROUNDS):
        missed, costs = problem.misfits(weights)
        weights = 1 / (missed + _WEIGHT_OFFSET * np.maximum(costs, _ROUNDING))
    kept = list(missed <= _ROUNDING * np.maximum(costs, 1))
    for place in np.argsort(missed / np.maximum(costs, _ROUNDING), kind="stable"):
        if not kept[place]:
            kept[place] = True
            kept[place] = problem.holds(kept)
    groups: tuple[list[CostRatio], list[CostRatio]] = ([], [])
    for each, is_kept in zip(ratios, kept, strict=True):
        groups[not is_kept].append(each)
    return CostSet(tuple(groups[0]), (*groups[1], *impossible))


def is_identified(ratio: Estimate) -> bool:
    """Whether the range of a ratio says something: it is closed, and not too wide."""
    return 0 < ratio.low and ratio.high < inf and ratio.high <= WIDEST * ratio.low


def measurement_of(demand: Demand) -> str:
    """The run that narrows a demand, beside one that other ratios share."""
    adapter = f" over {demand.adapter}" if demand.adapter else ""
    at = f" with {demand.connection_count} connections" if demand.connection_count else ""
    if demand.kind.startswith(("steered", "saved")):
        return f"CPU per data with and without packet steering{adapter}{at}"
    if demand.kind == "message":
        return f"CPU per data of requests and responses of one frame{adapter}{at}"
    # frames, bytes and writes of a stream are apart only where an MTU or size changes
    return f"CPU per data of a stream{adapter} at two MTUs"


def can_hold(ratios: Sequence[CostRatio]) -> bool:
    """Whether one set of demands keeps all of these ratios."""
    is_possible = all(each.can_be_kept for each in ratios)
    return is_possible and _Problem(ratios).holds([True] * len(ratios))
