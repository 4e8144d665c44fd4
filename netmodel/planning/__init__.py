"""What to buy and what to change: plans and advice computed from predictions.

The formulas behind them are in :mod:`netmodel.planning.sizing`.
"""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.planning._flows import Flow as Flow
    from netmodel.planning._flows import parse_flow as parse_flow
    from netmodel.planning._flows import workload_flow as workload_flow
    from netmodel.planning._plan import Plan as Plan
    from netmodel.planning._plan import Plans as Plans
    from netmodel.planning._planner import compare_plans as compare_plans
    from netmodel.planning._planner import plan as plan
    from netmodel.planning._resources import Headroom as Headroom
    from netmodel.planning._scenario import ScenarioPlan as ScenarioPlan
