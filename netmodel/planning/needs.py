"""Adapters by direction and CPUs by side that a demand needs on a path, and their utilisation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from netmodel.consumption import Side
from netmodel.estimates import Bound, Predicted, combined
from netmodel.lazy_numpy import np
from netmodel.numeric import Floats
from netmodel.path import Pool
from netmodel.path.ensemble import ends_of, quoted_of
from netmodel.path.stages import DIRECTION_AT, LINE_STAGES, host_pool_name
from netmodel.planning.demand import Demand, bound_of, planned
from netmodel.planning.sizing import required_adapter_count
from netmodel.results import Result

_CPU = "CPU"
"""Time basis of a host whose record does not say whether a CPU is a core or a thread."""
Needs: TypeAlias = Sequence[Predicted[float]]
"""Adapters that each resource of a demand needs."""
TIE_DIGITS = 8
"""Uses that agree so far are a tie: more than any figure has, less than rounding leaves."""


@dataclass(frozen=True, repr=False)
class Carried(Result):
    """
    Part of a demand that one adapter at each side carries, fully used.

    Parameters
    ----------
    demand_ratio : Predicted
        Share of the demand, an upper bound as that of a prediction: the highest that parameters
        leave open, with published figures as printed. Above 1 where they carry more.
    payload_rate_bps : Predicted
        The share as payload of the sides that send more, all flows together. [bit/s]
    binding : str
        The stage that bounds it.
    side : Side
        Whose adapters, or whose end of the line; the server where both.
    direction : str
        ``"in"`` or ``"out"``, as seen from the host of that side.
    """

    demand_ratio: Predicted[float]
    payload_rate_bps: Predicted[float]
    binding: str
    side: Side
    direction: str

    json_keys = (
        "value=payload_rate_bps.value low=payload_rate_bps.low high=payload_rate_bps.high "
        "bound=payload_rate_bps.bound demand_ratio binding side direction"
    )


@dataclass(frozen=True, repr=False)
class StageUse(Result):
    """
    Utilisation of a stage by a demand.

    Parameters
    ----------
    name : str
        That of the stage.
    is_of_adapters : bool
        Whether each adapter brings one.
    adapter_count : Predicted, optional
        Adapters that it needs, with the spares; None where they do not change it.
    use_ratio : Predicted, optional
        Share that is used of it with the adapters of the plan; None where no
        number of them is enough.
    after_failure_ratio : Predicted, optional
        The same while as many have failed as may fail.
    """

    name: str
    is_of_adapters: bool
    adapter_count: Predicted[float] | None
    use_ratio: Predicted[float] | None
    after_failure_ratio: Predicted[float] | None


@dataclass(frozen=True, repr=False)
class DirectionNeed(Result):
    """
    Adapters that one direction of one side needs.

    Parameters
    ----------
    side : Side
        Whose adapters.
    direction : str
        ``"out"`` or ``"in"``, as seen from its host.
    binding : StageUse
        The stage that needs most of them.
    adapter_count : Predicted
        How many, with the spares; infinite where no number is enough.
    """

    side: Side
    direction: str
    binding: StageUse
    adapter_count: Predicted[float]

    json_keys = "side direction binding=binding.name adapter_count"


@dataclass(frozen=True, repr=False)
class PoolNeed(Result):
    """
    CPUs that the stages of a pool need.

    Parameters
    ----------
    pool : Pool
        The servers.
    busy_count : Predicted
        Those that the demand keeps busy.
    needed_count : Predicted
        Whole ones of which no more than allowed is used.
    core_count : Predicted
        Whole cores for that, with what a second thread gains.
    smt_gain : Predicted, optional
        Work of a core with two busy threads over that with one, where it counts.
    present_count : float, optional
        Those that the path has, the value to quote; None where that is not known.
    """

    pool: Pool
    busy_count: Predicted[float]
    needed_count: Predicted[float]
    core_count: Predicted[float]
    smt_gain: Predicted[float] | None
    present_count: float | None

    json_keys = (
        "name=pool.name side=pool.side busy_count needed_count present_count "
        "time_basis=pool.time_basis core_count cost=pool.cost.given_text smt_gain"
    )

    @property
    def title(self) -> str:
        """Side and unit that are planned: "server core"."""
        return f"{self.of_side} {self.unit}"

    @property
    def unit(self) -> str:
        """Unit that is planned: core, or CPU where it may be a core or a thread."""
        return _CPU if self.pool.time_basis == _CPU else "core"

    @property
    def of_side(self) -> str:
        """Whose CPUs: the side of a host, else the name of the pool."""
        side, name = self.pool.side, self.pool.name
        return side.value if side is not None and name == host_pool_name(side) else name


def adapters_of(demand: Demand, needed: Needs, count: float) -> Floats:
    """Return the adapters of the side of each resource: these, or what the other side needs."""
    asked, own = demand.asked_side, dict.fromkeys((None, *Side), count)
    if asked is not None:
        own[asked.other] = planned(demand.largest(needed, asked.other))
    return np.array([[own[each.side]] for each in demand.resources])


def stage_uses(
    demand: Demand, spare_count: int, needed: Needs, count: Predicted[float]
) -> list[StageUse]:
    """Return the use of each resource by the adapters of its side; its own if it is not asked."""
    counts = adapters_of(demand, needed, planned(count))
    left = (counts - failed for failed in (0, spare_count))
    uses = zip(*(demand.spread(demand.use_ratios(each)) for each in left), strict=True)
    result = []
    for each, need, of, own in zip(demand.resources, needed, uses, counts, strict=True):
        is_own = each.is_of_adapters
        known = of if not is_own or math.isfinite(own.item()) else (None, None)
        result.append(StageUse(each.name, is_own, need if is_own else None, *known))
    return result


def direction_needs(
    demand: Demand, needed: Needs, uses: Sequence[StageUse], count: Predicted[float]
) -> tuple[DirectionNeed, ...]:
    """Return the adapters that each direction of each side needs which carries something."""
    alone = demand.spread(demand.use_ratios(1))
    by_stages = demand.largest(needed, demand.asked_side)
    # what the connections reach takes as many adapters in each direction
    more = [] if count == replace(by_stages, bound=count.bound) else [count]

    def scarcity(row: int) -> tuple[float, float, bool]:
        """Adapters that a resource needs, and use of one; of ties, the line is what is known."""
        use = round(planned(alone[row]), TIE_DIGITS)
        return planned(needed[row]), use, uses[row].name in LINE_STAGES

    result = []
    for (side, direction), way in DIRECTION_AT.items():
        rows = [row for row in demand.adapter_rows(side) if way in demand.resources[row].directions]
        if rows:
            most = combined(max, [*(needed[row] for row in rows), *more], count.bound)
            result.append(DirectionNeed(side, direction, uses[max(rows, key=scarcity)], most))
    return tuple(result)


def carried_by_one(demand: Demand) -> Carried:
    r"""Return what one adapter at each side carries of the flows: :math:`1 / \max_r L_r`."""
    used, rows = demand.use_ratios(1), demand.adapter_rows(demand.asked_side)
    least = np.where(demand.are_printed, used, np.inf).min(axis=1)

    def scarcity(row: int) -> tuple[float, bool]:
        return round(least[row], TIE_DIGITS), demand.resources[row].name in LINE_STAGES

    scarcest = demand.resources[max(rows, key=scarcity)]
    ends = (least[rows].max(), used[rows].max(), used[rows].min(axis=1).max())
    value, low, high = (1 / float(use) if use else math.inf for use in ends)
    ratio = Predicted(value, low, high, Bound.UPPER)
    rate = ratio.scaled(sum(flow.payload_rate_bps for flow in demand.flows))
    # a line is of the server, where flows send most
    side, ways = scarcest.side or Side.SERVER, scarcest.directions
    way = next(iter(ways)) if len(ways) == 1 else DIRECTION_AT[demand.sending, "out"]
    direction = "in" if way == DIRECTION_AT[side, "in"] else "out"
    return Carried(ratio, rate, scarcest.name, side, direction)


def pool_needs(demand: Demand, share: float) -> tuple[PoolNeed, ...]:
    """Return CPUs, as far as the path has service times for the flows."""
    used, result = demand.use_ratios(1), []
    for row, each in enumerate(demand.resources):
        if (pool := each.pool) is None:
            continue
        gain = Predicted(quoted_of(pool.smt_gain), *ends_of(pool.smt_gain)).numbers()
        busy, present = used[row], float(demand.server_counts[row, 0])
        # in the time basis of the pool: fewest cores with the largest gain
        needed, cores, most, least = (
            demand.spread(required_adapter_count(used, capacity, share))[row]
            for capacity in (
                1,
                *(x * pool.threads_per_core for x in (gain.value, gain.low, gain.high)),
            )
        )
        bound = bound_of(pool, demand.path)
        result.append(
            PoolNeed(
                pool,
                Predicted(busy[0], busy.min(), busy.max()).numbers(),
                replace(needed, bound=bound),
                Predicted(cores.value, least.low, most.high, bound),
                None if gain.high == 1 else gain,
                None if math.isnan(present) else present,
            )
        )
    return tuple(result)
