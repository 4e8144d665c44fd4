"""Demands with their plans, for tests of what follows from a plan."""

from typing import Any

from netmodel.api._arguments import CostArguments
from netmodel.path import SpecifiedPath
from netmodel.planning import Headroom, Plan, Spreading, parse_flow
from netmodel.planning._demand import Demand, demand_of
from netmodel.planning._joint import JointLoads
from netmodel.planning._plan import Corner
from netmodel.planning._planner import plan_demand
from netmodel.records import adapter, path_record

OSA, ROCE = (
    SpecifiedPath(adapter(name), adapter(name))
    for name in ("osa-express7s-25gbe", "roce-express2.1-25gbe")
)
STREAM, ORDERS = "40 Gbit/s str-writex30k", "100000/s rr1c-200x1000"


def costed(path: SpecifiedPath = OSA, **costs: Any) -> SpecifiedPath:
    """The path with costs of its sides."""
    return CostArguments(**costs).on(path)


COSTED = costed(
    client_cost="0.14..0.18 cores/(Gbit/s)",
    server_cost="0.2 cores/(Gbit/s)",
    cpu_time_basis="core",
    smt_gain=1.25,
)
RECORDED = SpecifiedPath(record=path_record("zvm-vswitch-layer3-1gbe"))


def demanded(
    *texts: str,
    path: SpecifiedPath = OSA,
    mtu_bytes: float | None = 1500,
    connections: int | None = None,
    spreading: Spreading = Spreading.EVEN,
    joint: JointLoads | None = None,
) -> Demand:
    """Flows on a path."""
    flows = [parse_flow(text, connections) for text in texts]
    return demand_of(flows, path, mtu_bytes, spreading=spreading, joint=joint)


def planned(
    *texts: str, headroom: Headroom | None = None, corner: Corner = Corner.WORST, **options: Any
) -> tuple[Demand, Plan]:
    """The same with its plan."""
    demand = demanded(*texts, **options)
    return demand, plan_demand(demand, headroom or Headroom(), corner)
