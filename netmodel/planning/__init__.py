"""What to buy and what to change: plans and advice computed from predictions.

The formulas behind them are in :mod:`netmodel.planning.sizing`.
"""

from typing import TYPE_CHECKING

from netmodel._packages import loaded_when_used

if TYPE_CHECKING:
    from netmodel.planning._flows import Flow, parse_flow, workload_flow
    from netmodel.planning._plan import Plan
    from netmodel.planning._planner import compare_plans, plan
    from netmodel.planning._resources import Corner, Headroom, Spreading
    from netmodel.planning._scenario import ScenarioPlan
    from netmodel.planning._steering import SteeringAdvice, SteeringTimes, advise_steering
    from netmodel.planning._steering_curve import steering_over_connections

__all__ = [
    "Corner",
    "Flow",
    "Headroom",
    "Plan",
    "ScenarioPlan",
    "Spreading",
    "SteeringAdvice",
    "SteeringTimes",
    "advise_steering",
    "compare_plans",
    "parse_flow",
    "plan",
    "steering_over_connections",
    "workload_flow",
]

__getattr__ = loaded_when_used(
    __name__,
    {
        "_flows": ("Flow", "parse_flow", "workload_flow"),
        "_plan": ("Plan",),
        "_planner": ("compare_plans", "plan"),
        "_resources": ("Corner", "Headroom", "Spreading"),
        "_scenario": ("ScenarioPlan",),
        "_steering": ("SteeringAdvice", "SteeringTimes", "advise_steering"),
        "_steering_curve": ("steering_over_connections",),
    },
)
