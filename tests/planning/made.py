"""Plans that are put together by hand, for tests of what is said of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from netmodel.consumption import Side
from netmodel.path import Bound, Predicted
from netmodel.planning import Corner, Headroom, Plan, Spreading, parse_flow
from netmodel.planning._carried import Carried
from netmodel.planning._joint import JointLoads
from netmodel.planning._loads import Kind, Loads, ResourceLoad
from netmodel.planning._plan import DirectionNeed, PoolNeed, StageUse

BOUNDS = " This rests on upper bounds of rates: more may be needed."
"""End of the answer of a plan that holds, where no expected value is known."""
STREAM, ORDERS = "40 Gbit/s str-writex30k", "100000/s rr1c-200x1000"


def need(
    value: float, low: float | None = None, high: float | None = None, bound: Bound = Bound.LOWER
) -> Predicted[float]:
    """What is needed, with its range."""
    return Predicted(value, value if low is None else low, value if high is None else high, bound)


def carries(
    ratio: float = 0.335,
    low: float | None = None,
    high: float | None = None,
    count: int = 1,
    binding: str = "server_adapter_in",
    side: Side = Side.SERVER,
    direction: str = "in",
    smallest: float | None = None,
) -> Carried:
    """A third of 40 Gbit/s, 13.4, unless other figures are given."""
    share = need(ratio, low, high, Bound.UPPER)
    return Carried(
        adapter_count=count,
        demand_ratio=share,
        smallest_ratio=ratio if smallest is None else smallest,
        payload_rate_bps=share.scaled(40e9),
        binding=binding,
        side=side,
        direction=direction,
    )


def cores(
    count: float = 12,
    busy: float = 8,
    low: float | None = None,
    high: float | None = None,
    name: str = "server_cpus",
    **parts: Any,
) -> PoolNeed:
    """CPUs of a side: a fixed cost, so that the number of cores is a value."""
    return PoolNeed(
        **{
            "name": name,
            "side": Side.SERVER,
            "is_cpu": True,
            "busy_count": need(busy, bound=Bound.VALUE),
            "needed_count": need(count, bound=Bound.VALUE),
            "present_count": None,
            "time_basis": "core",
            "core_count": need(count, low, high, Bound.VALUE),
            **parts,
        }
    )


def made(*texts: str, fewest: float = 5, count: float = 6, **parts: Any) -> Plan:
    """40 Gbit/s into cards of 13.4: five of them at 70 % use, and a spare one."""
    flows = tuple(map(parse_flow, texts or (STREAM,)))
    given: dict[str, Any] = {
        "client_adapter": "card",
        "server_adapter": "card",
        "path": None,
        "mtu_bytes": 1500,
        "headroom": Headroom(),
        "corner": Corner.WORST,
        "spreading": Spreading.EVEN,
        "adapter_count": need(count),
        "stages": (),
        "directions": (),
        "pools": (),
        "shortfalls": (),
        "grade": None,
        "notes": (),
        "count_without_spares": need(fewest),
        "carried": (carries(),),
    }
    return Plan(flows=flows, **{**given, **parts})


def limiting(
    name: str = "server_adapter_in", use: float = 0.5, after: float = 0.6
) -> dict[str, Any]:
    """The stage that needs most adapters, as parts of a plan: half of it in use."""
    stage = StageUse(
        name=name,
        is_of_adapters=True,
        adapter_count=need(6),
        use_ratio=need(use),
        after_failure_ratio=need(after),
    )
    direction = DirectionNeed(
        side=Side.SERVER, direction="in", binding=stage, adapter_count=need(6)
    )
    return {"stages": (stage,), "directions": (direction,)}


def resource(
    name: str,
    *rows: tuple[float, ...],
    after: tuple[tuple[float, ...], ...] | None = None,
    limits: tuple[float, float] = (0.8, 0.8),
    bound: Bound = Bound.LOWER,
    joint: JointLoads | None = None,
    kind: Kind = Kind.ADAPTER,
    unit_count: float = 1,
) -> ResourceLoad:
    """
    What each flow takes of it, after failures the same unless given.

    A row for each case: the value to quote, then the least and the most that is needed.
    """
    return ResourceLoad(
        name=name,
        side=None,
        kind=kind,
        unit_count=unit_count,
        flow_use_ratios=np.array(rows),
        after_failure_flow_use_ratios=np.array(rows if after is None else after),
        limit_ratio=limits[0],
        after_failure_limit_ratio=limits[1],
        are_printed=(True, False, False)[: len(rows)],
        bound=bound,
        joint=joint,
    )


def loads(*resources: ResourceLoad, texts: tuple[str, ...] = ("1 Gbit/s str-writex30k",)) -> Loads:
    return Loads(tuple(map(parse_flow, texts)), resources)


def plain_values(name: str) -> Any:
    """Return what stands under a name in the file of expected plain values."""
    return json.loads(Path(__file__).with_name("plain_values.json").read_text("utf-8"))[name]


def in_digits(values: Any) -> Any:
    """Return plain values with nine digits of each figure, which rounding leaves alone."""

    def digits(text: str) -> str:
        return f"{float(text):.9g}"

    return json.loads(json.dumps(values), parse_float=digits, parse_int=digits)
