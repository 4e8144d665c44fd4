"""What to buy and what to change: plans and advice computed from predictions.

The formulas behind them are in :mod:`netmodel.planning.sizing`.
"""

from netmodel.packages import LoadedWhenUsed

with LoadedWhenUsed(__name__):
    from netmodel.planning.candidates import Plans as Plans
    from netmodel.planning.candidates import ScenarioPlan as ScenarioPlan
    from netmodel.planning.candidates import plan as plan
    from netmodel.planning.demand import Headroom as Headroom
    from netmodel.planning.flows import Flow as Flow
    from netmodel.planning.flows import parse_flow as parse_flow
    from netmodel.planning.plans import Plan as Plan
