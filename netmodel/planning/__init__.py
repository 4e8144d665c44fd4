"""What to buy and what to change: plans and advice computed from predictions.

The formulas behind them are in :mod:`netmodel.planning.sizing`.
"""

from netmodel.planning._flows import Flow, parse_flow, workload_flow
from netmodel.planning._plan import Corner, Plan
from netmodel.planning._planner import compare_plans, plan
from netmodel.planning._resources import Headroom, Spreading
from netmodel.planning._steering import SteeringAdvice, SteeringTimes, advise_steering

__all__ = [
    "Corner",
    "Flow",
    "Headroom",
    "Plan",
    "Spreading",
    "SteeringAdvice",
    "SteeringTimes",
    "advise_steering",
    "compare_plans",
    "parse_flow",
    "plan",
    "workload_flow",
]
