"""What if: plans of changed inputs, room that one unit more adds, how often a plan holds."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from netmodel._estimates import Bound, Predicted
from netmodel._text import RESULT_DIGITS, percent_text
from netmodel.planning._answer import amount_text
from netmodel.planning._growth import headroom_of
from netmodel.planning._loads import Kind, Loads, loads_of
from netmodel.planning._plan import Plan
from netmodel.planning._planner import plan_demand
from netmodel.planning._resources import FULL_RATIO, Corner
from netmodel.planning._volumes import PlannedVolume, joint_loads

_STEP = 0.1
"""Forecasts err by 10 %, and guides on the share to use differ by ten points (60 to 80 %)."""
_DRAW_COUNT = 2**14
"""Points of each load: shares of time err by less than 0.005."""


def sensitivities(plan: Plan) -> dict[str, Plan]:
    """
    Plans with one input changed, by the change; none where no number of adapters is enough.

    The volume of each flow 10 % lower and higher, the share that may be used ten points lower and
    higher, and the best and worst case of all parameters.
    """
    demand, room = plan.demand, plan.headroom
    if demand is None or plan.chosen_count is None:
        return {}
    inputs = {}
    for place, flow in enumerate(demand.flows):
        for ratio in (1 - _STEP, 1 + _STEP):
            ratios = [ratio if n == place else 1.0 for n in range(len(demand.flows))]
            inputs[f"{amount_text(flow, ratio)} of {flow.name}"] = (
                demand.scaled(ratios),
                room,
                plan.corner,
            )
    for step in (-_STEP, _STEP):
        share = min(max(room.max_utilisation_ratio + step, _STEP), 1.0)
        changed = replace(room, max_utilisation_ratio=share)
        inputs[f"{percent_text(share, RESULT_DIGITS)} use"] = demand, changed, plan.corner
    for corner in (Corner.BEST, Corner.WORST):
        inputs[f"{corner.value} case of all parameters"] = demand, room, corner
    return {change: plan_demand(*own, with_expected=False) for change, own in inputs.items()}


def prices(plan: Plan) -> dict[str, float]:
    """Factor by which all volumes may grow as planned, and with one adapter or core more."""
    demand, count = plan.demand, plan.chosen_count
    if demand is None or count is None:
        return {}
    planned = loads_of(demand, plan)
    more = {"as planned": planned}
    more["1 adapter more at each side"] = loads_of(demand, plan, adapter_count=count + 1)
    for each in planned.resources:
        if each.kind is Kind.CORES and each.side is not None:
            unit = next(
                f"{pool.of_side} {pool.unit}" for pool in plan.pools if pool.name == each.name
            )
            cores = {each.side: each.unit_count + 1}
            more[f"1 {unit} more"] = loads_of(demand, plan, core_counts=cores)
    return {
        unit: plan.corner.of_gain(headroom_of(loads, plan.corner).volume_ratio)
        for unit, loads in more.items()
    }


def probability(loads: Loads, volumes: Sequence[PlannedVolume]) -> Predicted[float] | None:
    """
    Share of the time in which every load is within its limit; None where no volume varies.

    The range covers loads that are independent and that rise together, and resources at their
    lowest and highest use. Series of the same times are taken at the same times.
    """
    joint = joint_loads(volumes, 1.0)
    groups = list(joint.groups) if joint else []
    known = {place for places, _ in groups for place in places}
    alone = [n for n, volume in enumerate(volumes) if volume.varies and n not in known]
    if not groups and not alone:
        return None
    tables = [each.flow_use_ratios for each in loads.resources]
    limits = np.array([each.limit_ratio for each in loads.resources]) * FULL_RATIO
    even, generator = (np.arange(_DRAW_COUNT) + 0.5) / _DRAW_COUNT, np.random.default_rng(0)
    shares = []
    for drawn_from in (lambda: even, lambda: generator.permutation(even)):
        drawn = np.ones((_DRAW_COUNT, len(volumes)))
        for places, rows in groups:
            drawn[:, places] = rows[(drawn_from() * len(rows)).astype(np.intp)]
        for place in alone:
            drawn[:, place] = volumes[place].load_ratios(drawn_from())
        for end in (np.argmax, np.argmin):
            uses = np.array([table[int(end(table.sum(axis=1)))] for table in tables])
            shares.append(float((drawn @ uses.T <= limits).all(axis=1).mean()))
    bounds = {each.bound for each in loads.resources}
    bound = Bound.VALUE if bounds == {Bound.VALUE} else Bound.UPPER
    return Predicted(min(shares), min(shares), max(shares), bound)
