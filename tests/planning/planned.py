"""Demands with their plans, for tests of what follows from a plan."""

from dataclasses import replace
from typing import Any

from netmodel.consumption import Side
from netmodel.consumption.cost import parse_cpu_cost
from netmodel.path import Path, Pool, SpecifiedPath, Stage, Times
from netmodel.path.from_records import wire_stages
from netmodel.planning import Headroom, Plan, parse_flow
from netmodel.planning.demand import Demand, demand_of
from netmodel.records import adapter, path_record

OSA, ROCE = (
    SpecifiedPath(adapter(name), adapter(name))
    for name in ("osa-express7s-25gbe", "roce-express2.1-25gbe")
)
STREAM, ORDERS = "40 Gbit/s str-writex30k", "100000/s rr1c-200x1000"


def costed(path: SpecifiedPath = OSA, **costs: str) -> SpecifiedPath:
    """The path with costs of its sides."""
    parsed: Any = {name: parse_cpu_cost(text) for name, text in costs.items()}
    return replace(path, **parsed)


COSTED = costed(client_cost="0.112..0.144 cores/(Gbit/s)", server_cost="0.16 cores/(Gbit/s)")
RECORDED = SpecifiedPath(record=path_record("zvm-vswitch-layer3-1gbe"))


def demanded(
    *texts: str,
    path: SpecifiedPath = OSA,
    mtu_bytes: float | None = 1500,
    connections: int | None = None,
) -> Demand:
    """Flows on a path."""
    flows = [parse_flow(text, connections) for text in texts]
    return demand_of(flows, path, mtu_bytes)


def planned(*texts: str, headroom: Headroom | None = None, **options: Any) -> tuple[Demand, Plan]:
    """The same with its plan."""
    demand = demanded(*texts, **options)
    return demand, Plan(demand=demand, headroom=headroom or Headroom())


class OwnPath(SpecifiedPath):
    """A path of stages, in place of one from records."""

    def __init__(self, path: Path) -> None:
        super().__init__(adapter("ethernet-25gbe"), adapter("ethernet-25gbe"))
        object.__setattr__(self, "_own", path)

    def path(self, sending: Side) -> Path:
        return self._own  # type: ignore[attr-defined, no-any-return]


def own_path(*stages: Stage, **parts: Any) -> SpecifiedPath:
    """A line of 25 Gbit/s and what is given beside it."""
    return OwnPath(Path(stages=(*wire_stages(25e9), *stages), **parts))


def cpu_path(times: Times, pool: Pool) -> SpecifiedPath:
    """The same with what CPUs of a pool take of what goes to the server."""
    cpu = Stage(name="cpu", to_server=times, parallel_count=None, pool=pool.name, side=pool.side)
    return own_path(cpu, pools=(pool,))
