"""Demands with their plans, for tests of what follows from a plan."""

from dataclasses import replace
from typing import Any

from netmodel.consumption import Side
from netmodel.consumption.cost import parse_cpu_cost
from netmodel.path import Path, SpecifiedPath, Stage
from netmodel.path.from_records import wire_stages
from netmodel.planning import Plan, parse_flow, plan
from netmodel.records import adapter

OSA, ROCE = (
    SpecifiedPath(adapter(name), adapter(name))
    for name in ("osa-express7s-25gbe", "roce-express2.1-25gbe")
)
STREAM = "40 Gbit/s str-writex30k"
COSTED = replace(
    OSA,
    client_cost=parse_cpu_cost("0.112..0.144 cores/(Gbit/s)"),
    server_cost=parse_cpu_cost("0.16 cores/(Gbit/s)"),
)


def planned(
    *texts: str, path: SpecifiedPath = OSA, mtu_bytes: float = 1500, **options: Any
) -> Plan:
    """A plan of flows on a path."""
    count = options.pop("connections", None)
    return plan([parse_flow(text, count) for text in texts], path, mtu_bytes, **options)


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
