"""How much of each adapter, core, line and limit of a plan each flow takes: the matrix of loads."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from netmodel._estimates import Bound, Predicted
from netmodel._numeric import FloatOrArray, Floats, require_above
from netmodel.consumption import Side
from netmodel.errors import DomainError
from netmodel.path._uncertain import Column, ends_of, quoted_of
from netmodel.planning._demand import Demand
from netmodel.planning._flows import Flow
from netmodel.planning._joint import JointLoads
from netmodel.planning._plan import Plan
from netmodel.planning._resources import PoolLoad, Resource, bound_of, need_of


class Kind(Enum):
    """What a resource is to a planner."""

    ADAPTER = "adapter"
    """A direction of the adapters or of their lines, or a rate published of them: more can be
    bought."""
    CORES = "cores"
    """CPUs of a side: more can be bought."""
    STAGE = "stage"
    """Between the sides, or servers that are there: adapters and cores do not change it."""
    FLOW = "flow"
    """A limit of one flow, such as the window of its connections."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ResourceLoad:
    r"""
    Share of a resource that each flow takes at its planned rate, in each case of the parameters.

    Parameters
    ----------
    name : str
        Stage, pool or limit.
    side : Side, optional
        Whose it is; None for what lies between and for limits of a flow.
    kind : Kind
        What it is to a planner.
    unit_count : float
        Adapters at each side, or cores, that there are; 1 for others.
    flow_use_ratios : numpy.ndarray
        A row for each case, a column for each flow, :math:`y_k d_{rk} / C_r`.
    after_failure_flow_use_ratios : numpy.ndarray
        The same while as many adapters and cores have failed as may fail.
    limit_ratio, after_failure_limit_ratio : float
        Shares that may be used, and that may be used then.
    are_printed : tuple of bool
        Whether a case takes published figures as printed.
    bound : Bound
        LOWER where more may be used of it than that, as where rates are upper bounds.
    joint : JointLoads, optional
        Flows whose loads at the same times are known.
    """

    name: str
    side: Side | None
    kind: Kind
    unit_count: float
    flow_use_ratios: Floats
    after_failure_flow_use_ratios: Floats
    limit_ratio: float
    after_failure_limit_ratio: float
    are_printed: tuple[bool, ...]
    bound: Bound
    joint: JointLoads | None = None

    @property
    def use_ratio(self) -> Predicted[float]:
        """Share that the planned volumes use of it."""
        return self.predicted(self.uses())

    @property
    def after_failure_ratio(self) -> Predicted[float]:
        """The same after the failures that the plan allows for."""
        return self.predicted(self.uses(after_failure=True))

    def uses(
        self, volume_ratios: Sequence[float] | Floats | None = None, after_failure: bool = False
    ) -> Floats:
        """Share in use with each volume times a factor, in each case."""
        table = self.after_failure_flow_use_ratios if after_failure else self.flow_use_ratios
        if volume_ratios is not None:
            table = table * np.asarray(volume_ratios, dtype=np.float64)
        if self.joint is None:
            return np.asarray(sum(table.T), dtype=np.float64)
        return self.joint.planned(enumerate(table.T))

    def predicted(self, cases: Floats) -> Predicted[float]:
        """A need over the cases; the one to quote is the largest with figures as printed."""
        return need_of(tuple(cases.tolist()), self.are_printed, self.bound)


@dataclass(frozen=True, eq=False)
class Loads:
    """
    What flows take of everything that a plan has.

    Parameters
    ----------
    flows : tuple of Flow
        At their planned rates.
    resources : tuple of ResourceLoad
        Adapters and lines, CPUs, other stages, and limits of single flows.
    """

    flows: tuple[Flow, ...]
    resources: tuple[ResourceLoad, ...]

    def __getitem__(self, name: str) -> ResourceLoad:
        return next(each for each in self.resources if each.name == name)


def loads_of(
    demand: Demand,
    plan: Plan,
    *,
    adapter_count: int | None = None,
    core_counts: Mapping[Side, float] | None = None,
) -> Loads:
    r"""
    What the flows of a demand take of each resource of a plan.

    Parameters
    ----------
    demand : Demand
        With the flows at their planned rates.
    plan : Plan
        Of this demand, for its headroom, corner and numbers of adapters and cores.
    adapter_count : int, optional
        Adapters at each side; those of the plan when left out.
    core_counts : mapping of Side to float, optional
        Cores of a side; where left out those that the path has, else those of the plan.

    Returns
    -------
    loads : Loads
        Linear in the volumes. Where no adapter is left after failures, what they carry uses
        infinitely much of them.

    Raises
    ------
    DomainError
        If no number of adapters is enough and none is given, or there are fewer cores than may
        be lost.

    Notes
    -----
    .. math:: L_r = \frac{\sum_k y_k\, d_{rk}}{C_r}

    with :math:`y_k` the transactions per second of flow :math:`k`, :math:`d_{rk}` what each takes
    of resource :math:`r` and :math:`C_r` its servers: those of all adapters, or the work of all
    cores with their second threads.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    40 Gbit/s into 6 adapters of 13.4 Gbit/s, one of which may fail:

    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.planning._demand import demand_of
    >>> from netmodel.planning._planner import plan_demand
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = demand_of([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> into = loads_of(demand, plan_demand(demand))["server_adapter_in"]
    >>> round(into.use_ratio.value, 3), round(into.after_failure_ratio.value, 3)
    (0.498, 0.597)
    """
    count = plan.chosen_count if adapter_count is None else adapter_count
    if count is None:
        raise DomainError("no number of adapters is enough for this plan: give adapter_count")
    failed = plan.headroom.spare_count
    return Loads(
        demand.flows,
        (
            *_of_stages(demand, plan, count, failed),
            *_of_pools(demand, plan, core_counts or {}),
            *_of_flows(demand, count, failed),
        ),
    )


def _of_stages(demand: Demand, plan: Plan, count: int, failed: int) -> Iterator[ResourceLoad]:
    """Stages that the flows share; those of adapters with the adapters that are left too."""
    headroom = plan.headroom
    for stage in demand.shared:
        is_of_adapters = stage.is_of_adapters
        if is_of_adapters and plan.asked_side not in (None, *demand.sides_of(stage)):
            continue  # the other side has adapters of its own number
        left = count - failed if is_of_adapters else count
        after = _columns(demand, stage.flow_use_ratios(max(left, 1)), stage)
        if left < 1:
            after = np.where(after > 0, np.inf, 0.0)
        if stage.published is not None and not after.any():
            continue  # it bounds fewer connections than an adapter has
        allowed = headroom.max_utilisation_ratio
        yield ResourceLoad(
            name=stage.name,
            side=stage.side,
            kind=Kind.ADAPTER if is_of_adapters else Kind.STAGE,
            unit_count=count if is_of_adapters else 1,
            flow_use_ratios=_columns(demand, stage.flow_use_ratios(count), stage),
            after_failure_flow_use_ratios=after,
            limit_ratio=allowed,
            after_failure_limit_ratio=headroom.after_failure_ratio if is_of_adapters else allowed,
            are_printed=stage.are_printed,
            bound=Bound.LOWER,
            joint=stage.joint,
        )


def _of_pools(
    demand: Demand, plan: Plan, core_counts: Mapping[Side, float]
) -> Iterator[ResourceLoad]:
    """Cores of each side, with what a second thread gains, and other servers."""
    headroom = plan.headroom
    needs = {need.name: need for need in plan.pools}
    for load in demand.pool_loads:
        pool, need = load.pool, needs[load.pool.name]
        given = core_counts.get(pool.side) if pool.is_cpu and pool.side is not None else None
        lost = headroom.spare_core_count
        bound = bound_of(pool, demand.path)
        capacities: list[tuple[FloatOrArray, FloatOrArray]]
        if given is None and load.present is not None:
            present = np.array(load.present)
            left = present - lost * ends_of(pool.smt_gain)[1] * pool.threads_per_core
            printed, tables = load.are_printed, [_columns(demand, load.parts, load)]
            capacities = [(present, left)]
            unit_count = float(np.max(present)) / pool.threads_per_core
        else:
            planned = plan.corner.of(need.core_count if pool.is_cpu else need.needed_count)
            unit_count = planned if given is None else require_above("core_counts", given, lost, "")
            gain_low, gain_high = ends_of(pool.smt_gain)
            gains = dict.fromkeys((quoted_of(pool.smt_gain, False), gain_high, gain_low))
            of_core = [gain * pool.threads_per_core if pool.is_cpu else 1.0 for gain in gains]
            capacities = [(unit_count * each, (unit_count - lost) * each) for each in of_core]
            tables = [_columns(demand, load.parts, load)] * len(of_core)
            # the first gain is the one to quote
            others = (False,) * len(load.are_printed) * (len(of_core) - 1)
            printed = load.are_printed + others
        whole, after = (
            np.concatenate(
                [
                    table / np.reshape(np.maximum(pair[place], np.finfo(float).tiny), (-1, 1))
                    for table, pair in zip(tables, capacities, strict=True)
                ]
            )
            for place in (0, 1)
        )
        yield ResourceLoad(
            name=pool.name,
            side=pool.side,
            kind=Kind.CORES if pool.is_cpu else Kind.STAGE,
            unit_count=unit_count if pool.is_cpu else 1,
            flow_use_ratios=whole,
            after_failure_flow_use_ratios=after,
            limit_ratio=headroom.max_utilisation_ratio,
            after_failure_limit_ratio=headroom.after_failure_ratio
            if lost or load.present is None or given is not None
            else headroom.max_utilisation_ratio,
            are_printed=printed,
            bound=bound,
            joint=demand.joint,
        )


def _of_flows(demand: Demand, count: int, failed: int) -> Iterator[ResourceLoad]:
    """Limits that a flow shares with no other, such as what its connections reach."""
    for place, flow in enumerate(demand.flows):
        after_failure = demand.flow_limits(place, max(count - failed, 1))
        for name, use in demand.flow_limits(place, count).items():
            table, after = (np.zeros((3, len(demand.flows))) for _ in range(2))
            table[:, place] = use.value, use.low, use.high
            left = after_failure[name]
            after[:, place] = left.value, left.low, left.high
            yield ResourceLoad(
                name=name if len(demand.flows) == 1 else f"{name} of {flow.name}",
                side=None,
                kind=Kind.FLOW,
                unit_count=1,
                flow_use_ratios=table,
                after_failure_flow_use_ratios=after,
                limit_ratio=1.0,
                after_failure_limit_ratio=1.0,
                are_printed=(True, False, False),  # the value to quote, then its ends
                bound=use.bound,
            )


def _columns(
    demand: Demand, parts: Iterable[tuple[int, Column]], of: Resource | PoolLoad
) -> Floats:
    """A column for each flow, of what it takes in each case."""
    table = np.zeros((len(of.are_printed), len(demand.flows)))
    for place, part in parts:
        table[:, place] = part
    return table
