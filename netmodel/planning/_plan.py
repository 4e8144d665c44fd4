"""From a demand and a path to what is needed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from netmodel._grades import weakest_grade
from netmodel._numeric import Floats, require_one
from netmodel.errors import ContradictionError, DomainError
from netmodel.framing import Stack
from netmodel.path import Bound, Pool, Predicted, Prediction, SpecifiedPath, predict_path
from netmodel.path._path import LINE_STAGES
from netmodel.planning._flows import Flow, sender_of
from netmodel.planning._plan_warnings import plan_warnings
from netmodel.planning._plans import Corner, DirectionNeed, Plan, PoolNeed, StageUse, plain_number
from netmodel.planning._resources import (
    FULL_RATIO,
    MAX_ADAPTER_COUNT,
    SIDE_DIRECTIONS,
    Headroom,
    Resource,
    Spreading,
    is_partly_known,
    largest,
    need_of,
    own_limits,
    pool_load,
    resources,
)
from netmodel.planning._sizing import required_core_count

__all__ = ["compare_plans", "plan"]

_TIE_DIGITS = 8
_WITH_HEADROOM = Headroom()


def plan(
    flows: Iterable[Flow],
    path: SpecifiedPath,
    mtu_bytes: float | None = None,
    stack: Stack | None = None,
    *,
    headroom: Headroom = _WITH_HEADROOM,
    corner: Corner = Corner.WORST,
    spreading: Spreading = Spreading.EVEN,
) -> Plan:
    r"""
    Adapters and CPUs that a demand needs on a path, with headroom and spares.

    Parameters
    ----------
    flows : iterable of Flow
        The demand: all that goes at the same time, either way.
    path : SpecifiedPath
        One adapter at each side and what is between. Its sender is the side that
        sends more of all payload, the client when equal.
    mtu_bytes : float, optional
        Largest packet of the innermost interface; that of the path when left
        out, or where that is smaller. [byte]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.
    headroom : Headroom
        Share of each stage that may be used, and how many adapters may fail.
    corner : Corner
        Which of all values that parameters may have the plan is made for.
    spreading : Spreading
        How connections come to use several adapters.

    Returns
    -------
    plan : Plan
        With the fewest adapters at each side that leave the headroom, as a range
        over all values that parameters may have together.

    Raises
    ------
    DomainError
        If there is no flow, no MTU is told, an MTU or message does not fit the
        headers, or nothing limits the path.
    ContradictionError
        If a hash is to spread connections whose number is not stated, or what
        is known of the adapters cannot be true together.

    Notes
    -----
    .. math:: n = \max_r \max\left(\left\lceil \frac{L_r}{u_{max}} \right\rceil,
        \left\lceil \frac{L_r}{u_{fail}} \right\rceil + f\right), \qquad
        L_r = \frac{\sum_k y_k\, d_{rk}}{C_r}

    with :math:`y_k` the transactions per second of flow :math:`k`,
    :math:`d_{rk}` what each takes of stage :math:`r` of one adapter and
    :math:`C_r` its servers. Each direction of each adapter and of its line is a
    stage of its own, with its own frames and messages. Stages that do not
    belong to an adapter, and limits of single flows, are not mended by more of
    them: where they are too small, the plan says so.

    Where :math:`N` connections are stated, the adapter that has most of them
    counts: its share, :math:`\lceil N/n \rceil / N` or what a hash is expected
    to make of it, takes the place of :math:`1/n`. Flows are taken to have their
    largest shares on the same adapter.

    Not in it: bursts within the time that the rates are means of, and CPU
    times that the path does not tell.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law and
    the bottleneck.

    Examples
    --------
    40 Gbit/s into adapters of 13.4 Gbit/s at MTU 1500:

    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> found = plan([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> found.chosen_count, found.binding
    (6, 'server_adapter_in')
    """
    flows = tuple(flows)
    if not flows:
        raise DomainError("a plan needs at least one flow")
    if mtu_bytes is not None:
        require_one("mtu_bytes", mtu_bytes)
    if spreading is Spreading.HASHED and any(one.traffic.connection_count is None for one in flows):
        raise ContradictionError("state the connections of every flow for a hash to spread them")
    sending = sender_of(flows)
    composed = path.path(sending)
    predictions = [predict_path(composed, flow.traffic, mtu_bytes, stack) for flow in flows]
    client, server = path.adapters(sending)
    return _Planner(flows, predictions, headroom, corner, spreading).plan(
        *(None if record is None else record.id for record in (client, server, path.record))
    )


def compare_plans(
    flows: Iterable[Flow],
    paths: Iterable[SpecifiedPath],
    mtus_bytes: Iterable[float | None],
    stack: Stack | None = None,
    *,
    headroom: Headroom = _WITH_HEADROOM,
    corner: Corner = Corner.WORST,
    spreading: Spreading = Spreading.EVEN,
) -> tuple[Plan, ...]:
    """
    Plans of one demand on several paths, each with several MTUs.

    Parameters
    ----------
    flows : iterable of Flow
        The demand.
    paths : iterable of SpecifiedPath
        One adapter at each side and what is between.
    mtus_bytes : iterable of float
        Largest packets of the innermost interface; None for that of the path. [byte]
    stack : Stack, optional
        Headers of each frame; TCP over IPv4 over Ethernet when left out.
    headroom : Headroom
        Share of each stage that may be used, and how many adapters may fail.
    corner : Corner
        Which of all values that parameters may have the plans are made for.
    spreading : Spreading
        How connections come to use several adapters.

    Returns
    -------
    plans : tuple of Plan
        Those that hold first, with fewer adapters first, and of as many those
        with better evidence, a narrower range and less in use.

    Raises
    ------
    DomainError
        If one of the plans cannot be made, as in `plan`.
    ContradictionError
        If a hash is to spread connections whose number is not stated, or what
        is known of adapters cannot be true together.

    Examples
    --------
    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = [parse_flow("40 Gbit/s str-writex30k")]
    >>> found = compare_plans(demand, [SpecifiedPath(osa, osa)], [1500, 9000])
    >>> [(one.mtu_bytes, one.chosen_count) for one in found]
    [(9000, 4), (1500, 6)]
    """
    flows, mtus_bytes = tuple(flows), tuple(mtus_bytes)
    plans = (
        plan(flows, path, mtu, stack, headroom=headroom, corner=corner, spreading=spreading)
        for path in paths
        for mtu in mtus_bytes
    )
    return tuple(sorted(plans, key=_order))


def _order(one: Plan) -> tuple[float, ...]:
    evidence = -1 if one.grade is None else one.grade.rank
    uses = (stage.use_ratio for stage in one.stages)
    most_used = max((one.corner.of(use) for use in uses if use is not None), default=0.0)
    counts = one.adapter_count
    return not one.holds, one.corner.of(counts), evidence, counts.high, counts.low, most_used


@dataclass(frozen=True)
class _Planner:
    """A demand with its predictions, on the way to a plan."""

    flows: tuple[Flow, ...]
    predictions: Sequence[Prediction]
    headroom: Headroom
    corner: Corner
    spreading: Spreading

    def plan(
        self, client_adapter: str | None, server_adapter: str | None, path_id: str | None
    ) -> Plan:
        shared = resources(self.flows, self.predictions, self.spreading)
        of_adapters = [one for one in shared if one.is_of_adapters]
        if not of_adapters:
            raise DomainError("the flows use no adapter and no line of this path: nothing to plan")
        counts_of = {one.name: one.needed(one.adapter_counts(self.headroom)) for one in of_adapters}
        counts = largest(list(counts_of.values()))
        needed = self.corner.of(counts)
        chosen = int(needed) if np.isfinite(needed) else None
        uses = {one.name: self._use(one, counts_of.get(one.name), chosen) for one in shared}
        return Plan(
            flows=self.flows,
            client_adapter=client_adapter,
            server_adapter=server_adapter,
            path=path_id,
            mtu_bytes=self.predictions[0].mtu_bytes,
            headroom=self.headroom,
            corner=self.corner,
            spreading=self.spreading,
            adapter_count=counts,
            stages=tuple(uses.values()),
            directions=tuple(self._directions(of_adapters, uses, counts_of, chosen)),
            pools=tuple(self._pool_needs()),
            shortfalls=tuple(self._shortfalls(shared, chosen)),
            grade=weakest_grade(one.grade for one in self.predictions),
            warnings=plan_warnings(self.flows, self.predictions, self.spreading, chosen),
        )

    def _use(self, one: Resource, counts: Predicted | None, chosen: int | None) -> StageUse:
        of_adapters = one.is_of_adapters
        is_told = chosen is not None or not of_adapters
        present = 1 if chosen is None else chosen
        left = max(present - self.headroom.spare_count, 1)
        return StageUse(
            name=one.name,
            is_of_adapters=of_adapters,
            adapter_count=counts,
            use_ratio=one.needed(one.use_ratios(present)) if is_told else None,
            after_failure_ratio=one.needed(one.use_ratios(left)) if is_told else None,
        )

    def _directions(
        self,
        of_adapters: Sequence[Resource],
        uses: dict[str, StageUse],
        counts_of: dict[str, Predicted],
        chosen: int | None,
    ) -> Iterator[DirectionNeed]:
        def scarcity(one: Resource) -> tuple[float, ...]:
            return self._scarcity(one, counts_of[one.name], chosen)

        for side, direction in SIDE_DIRECTIONS:
            passed = [one for one in of_adapters if one.serves(side, direction)]
            if passed:
                yield DirectionNeed(
                    side=side,
                    direction=direction,
                    binding=uses[max(passed, key=scarcity).name],
                    adapter_count=largest([counts_of[one.name] for one in passed]),
                )

    def _scarcity(self, one: Resource, counts: Predicted, chosen: int | None) -> tuple[float, ...]:
        """What stages are compared by; of those that tie, the line is what is known."""
        use = self.corner.of(one.needed(one.use_ratios(1 if chosen is None else chosen)))
        needed = self.corner.of(counts)
        return needed, round(use, _TIE_DIGITS), one.name in LINE_STAGES

    def _shortfalls(self, shared: Sequence[Resource], chosen: int | None) -> Iterator[str]:
        """What is too small, whatever the number of adapters."""
        yield from self._full_stages(shared)
        yield from self._full_pools()
        yield from self._own_shortfalls()
        if chosen is None:
            yield (
                "the connections are too few: one adapter has more of the load than it may carry, "
                f"also where there are {MAX_ADAPTER_COUNT:,} of them"
            )

    def _full_stages(self, shared: Sequence[Resource]) -> Iterator[str]:
        allowed = self.headroom.max_utilisation_ratio
        for one in shared:
            use = self.corner.of(one.needed(one.use_ratios(1)))
            if not one.is_of_adapters and use > allowed * FULL_RATIO:
                yield (
                    f"{one.name} is used at {use:,.1%}, more than the {allowed:.1%} allowed, and "
                    "adapters do not change that"
                )

    def _full_pools(self) -> Iterator[str]:
        """Pools of which too much is busy, in the case of the corner: of load and of CPUs."""
        allowed = self.headroom.max_utilisation_ratio
        for pool, busy, present, are_printed in self._pool_loads():
            if present is None:
                continue
            uses = busy / present
            case = int(np.argmax(uses == self.corner.of(need_of(uses, are_printed))))
            if uses[case] > allowed * FULL_RATIO:
                taken, there = (one[case] for one in np.broadcast_arrays(busy, present))
                yield (
                    f"{pool.name} has {there:g} and {plain_number(taken)} are busy, more than the "
                    f"{allowed:.1%} allowed"
                )

    def _own_shortfalls(self) -> Iterator[str]:
        """Limits that flows share with no other, and that are too small for them."""
        for flow, prediction in self._pairs:
            for name, uses in own_limits(flow, prediction):
                use = self.corner.of(uses)
                if use > FULL_RATIO:
                    yield (
                        f"{flow.name} takes {plain_number(use)} times what its limit {name!r} "
                        "allows, and adapters do not change that"
                    )

    @property
    def _pairs(self) -> Iterator[tuple[Flow, Prediction]]:
        return zip(self.flows, self.predictions, strict=True)

    def _pool_loads(
        self,
    ) -> "Iterator[tuple[Pool, Floats, Floats | None, npt.NDArray[np.bool_]]]":
        """Servers of each pool that are busy and there, where all that is known."""
        for pool in self.predictions[0].path.pools:
            found = pool_load(pool, list(self._pairs))
            if found and not is_partly_known(pool, self.predictions):
                yield pool, *found

    def _pool_needs(self) -> Iterator[PoolNeed]:
        for pool, busy, present, are_printed in self._pool_loads():
            yield PoolNeed(
                name=pool.name,
                side=pool.side,
                is_cpu=pool.is_cpu,
                busy_count=need_of(busy, are_printed, Bound.VALUE),
                needed_count=need_of(
                    required_core_count(busy, self.headroom.max_utilisation_ratio), are_printed
                ),
                present_count=None if present is None else float(present[0]),
                time_basis=pool.time_basis,
            )
