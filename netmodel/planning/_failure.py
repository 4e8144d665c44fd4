"""What is used of a plan while adapters have failed and cores are lost."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from netmodel._estimates import Predicted
from netmodel.consumption import Side
from netmodel.planning._demand import Demand
from netmodel.planning._loads import Kind, loads_of
from netmodel.planning._plan import Plan
from netmodel.planning._resources import FULL_RATIO


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedStage:
    """
    A resource while adapters have failed.

    Parameters
    ----------
    name : str
        Stage, pool or limit.
    use_ratio : Predicted
        Share that is used of what is left of it; infinite where nothing is left.
    limit_ratio : float
        Share that may be used then.
    holds : bool
        Whether no more is used, at the corner of the plan.
    """

    name: str
    use_ratio: Predicted[float]
    limit_ratio: float
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name,
            "use_ratio": self.use_ratio.to_dict(),
            "limit_ratio": self.limit_ratio,
            "holds": self.holds,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureState:
    """
    A plan while adapters have failed and cores are lost.

    Parameters
    ----------
    failed_count : int
        Adapters at each side that have failed.
    lost_core_count : int
        Cores of each side that are lost.
    adapters_left : int
        Adapters at each side that work.
    stages : tuple of FailedStage
        Everything that the flows use.
    limit_ratio : float
        Share of adapters and cores that may be used then.
    holds : bool
        Whether nothing is used more than allowed, at the corner of the plan.
    is_carried : bool
        Whether nothing is used more than all of it: slower than planned, but carried.
    """

    failed_count: int
    lost_core_count: int
    adapters_left: int
    stages: tuple[FailedStage, ...]
    limit_ratio: float
    holds: bool
    is_carried: bool

    @property
    def busiest(self) -> FailedStage:
        """That of which most is used, measured by what may be used."""
        return max(self.stages, key=lambda each: each.use_ratio.value / each.limit_ratio)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "failed_count": self.failed_count,
            "lost_core_count": self.lost_core_count,
            "adapters_left": self.adapters_left,
            "stages": [each.to_dict() for each in self.stages],
            "limit_ratio": self.limit_ratio,
            "holds": self.holds,
            "is_carried": self.is_carried,
        }


def failure_state(
    demand: Demand,
    plan: Plan,
    *,
    failed_count: int | None = None,
    adapter_count: int | None = None,
    core_counts: Mapping[Side, float] | None = None,
) -> FailureState:
    r"""
    What is used of everything while adapters have failed and the spare cores are lost.

    Parameters
    ----------
    demand : Demand
        With the flows at their planned rates.
    plan : Plan
        Of this demand.
    failed_count : int, optional
        Adapters at each side that have failed; when left out as many as the plan allows for, and
        one where it allows for none.
    adapter_count : int, optional
        Adapters at each side; those of the plan when left out.
    core_counts : mapping of Side to float, optional
        Cores of a side; where left out those that the path has, else those of the plan.

    Returns
    -------
    state : FailureState
        At the corner of the plan.

    Raises
    ------
    DomainError
        If no number of adapters is enough and none is given.

    Notes
    -----
    .. math:: L'_r = \frac{\sum_k y_k\, d_{rk}}{C'_r} \le u_{fail}

    with :math:`C'_r` what the :math:`n - f` adapters that are left have, and the cores without
    those that are lost.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the utilisation law.

    Examples
    --------
    40 Gbit/s into what is left of 6, 5 and 4 adapters of 13.4 Gbit/s:

    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.planning._demand import demand_of
    >>> from netmodel.planning._planner import plan_demand
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = demand_of([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> result = plan_demand(demand)
    >>> for count in (6, 5, 4):
    ...     state = failure_state(demand, result, adapter_count=count)
    ...     print(state.busiest.name, round(state.busiest.use_ratio.value, 3), state.holds)
    server_adapter_in 0.597 True
    server_adapter_in 0.746 False
    server_adapter_in 0.995 False
    """
    failed = (plan.headroom.spare_count or 1) if failed_count is None else failed_count
    loads = loads_of(
        demand, plan, adapter_count=adapter_count, core_counts=core_counts, failed_count=failed
    )
    count = plan.chosen_count if adapter_count is None else adapter_count
    assert count is not None  # loads_of refuses a plan without
    stages = []
    for load in loads.resources:
        use = load.after_failure_ratio
        limit = load.after_failure_limit_ratio
        holds = plan.corner.of(use) <= limit * FULL_RATIO
        stages.append(FailedStage(name=load.name, use_ratio=use, limit_ratio=limit, holds=holds))
    has_cores = any(load.kind is Kind.CORES for load in loads.resources)
    return FailureState(
        failed_count=failed,
        lost_core_count=plan.headroom.spare_core_count if has_cores else 0,
        adapters_left=max(count - failed, 0),
        stages=tuple(stages),
        limit_ratio=plan.headroom.after_failure_ratio,
        holds=all(each.holds for each in stages),
        is_carried=all(plan.corner.of(each.use_ratio) <= FULL_RATIO for each in stages),
    )
