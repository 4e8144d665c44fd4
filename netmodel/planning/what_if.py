"""What if: volumes that grow or vary, and one input or unit changed, each planned again."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from operator import ge, le

import numpy as np

from netmodel.planning.demand import planned
from netmodel.planning.notes import amount_text, beside_adapters, resource_text
from netmodel.planning.plans import Plan
from netmodel.planning.volumes import PlannedVolume
from netmodel.results import Result
from netmodel.text import RESULT_DIGITS, percent_text

_STEP = 0.1
"""Forecasts err by 10 %, and guides on the share to use differ by ten points (60 to 80 %)."""
HEADROOM_STEP, _MOST_STEPS = 1e-3, 64_000
"""A tenth of a percent, up to 64 times the volumes: no plan looks further ahead."""
_DRAW_COUNT = 200
"""Points of each load: half a percent of the time each."""
_YEAR_DAYS, _MONTH_DAYS = 365.2425, 30
"""Mean year of the calendar; days within which loads that shrink are looked at once."""


def too_small(
    plan: Plan,
    volume_ratios: float | Sequence[float],
    adapters: int = 0,
    cores: Mapping[str, int] | None = None,
) -> str:
    """
    Return what of a plan is too small for its volumes times a factor; empty where nothing is.

    Parameters
    ----------
    plan : Plan
        One that holds.
    volume_ratios : float or sequence of float
        Of all flows, or of each.
    adapters : int
        At each side, beyond those of the plan.
    cores : mapping of str to int, optional
        Beyond those of the plan, by the pool.
    """
    grown = replace(plan, demand=plan.demand.scaled(volume_ratios))
    demand, count = grown.demand, (plan.chosen_count or 0) + adapters
    holds = np.all(demand.holds(count, plan.headroom), axis=1)
    used = demand.use_ratios(count, is_planned=True).max(axis=1)
    full = [row for row in demand.adapter_rows(demand.asked_side) if not holds[row]]
    if full:
        return demand.resources[max(full, key=lambda row: used[row])].name
    for had, need in zip(plan.cpu_needs, grown.cpu_needs, strict=True):
        there = planned(had.core_count) + (cores or {}).get(had.pool.name, 0)
        if planned(need.core_count) > there:
            return had.pool.name
    return next(beside_adapters(demand, plan.headroom, count), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth(Result):
    """
    When growing volumes exceed a plan, and what is too small then.

    Parameters
    ----------
    start : date
        Day on which the volumes are as planned.
    horizon_on : date
        Last day up to which growth is followed.
    exhausted_on : date, optional
        First day on which adapters or cores of the plan are too few; None for none up to then.
    exhausted_by : str, optional
        Stage of the adapters, CPUs or limit that is too small then; None where none is.
    """

    start: date
    horizon_on: date
    exhausted_on: date | None
    exhausted_by: str | None

    @property
    def day_text(self) -> str:
        """Month in which the plan is too small; of none the last one that is looked at."""
        on = self.exhausted_on
        return f"> {self.horizon_on:%Y-%m}" if on is None else f"{on:%Y-%m}"

    @property
    def text(self) -> str:
        """In a few words: until when the plan holds, and what is too small then."""
        if self.exhausted_on is None or self.exhausted_by is None:
            return f"beyond {self.horizon_on:%Y-%m}"
        name, resource = self.exhausted_by, resource_text(self.exhausted_by)
        is_full = name if " " in name else f"{name} is full"
        lack = is_full if resource == name else f"{resource} run out"
        return f"until {self.exhausted_on:%Y-%m}, when {lack}"


def growth_of(
    plan: Plan, growth_per_year_ratios: Sequence[float], start: date, horizon_years: float
) -> Growth:
    r"""
    Return when growth exceeds the adapters and cores of a plan.

    Parameters
    ----------
    plan : Plan
        One that holds.
    growth_per_year_ratios : sequence of float
        Compound growth of each flow, such as 0.2 for 20 % a year; above -1.
    start : date
        Day on which the volumes are as planned.
    horizon_years : float
        How far growth is followed.

    Notes
    -----
    The first day :math:`t` on which the plan of the volumes :math:`y_k (1 + g_k)^t` needs more
    than there is, found by bisection; where some volumes shrink, within the first month in which
    it does.

    Examples
    --------
    20 % a year for what 6 adapters of 13.4 Gbit/s carry at 70 % after a failure, 46.9 Gbit/s:
    ln(46.9/40) / ln 1.2 = 0.873 years.

    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow, plan
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> needs = plan([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> print(growth_of(needs, [0.2], date(2026, 12, 1), 5).text)
    until 2027-10, when server_adapter_in is full
    """
    factors = 1 + np.asarray(growth_per_year_ratios, dtype=np.float64)

    def exceeded(day: int) -> str:
        return too_small(plan, (factors ** (day / _YEAR_DAYS)).tolist())

    days = range(int(horizon_years * _YEAR_DAYS) + 1)
    last = start + timedelta(days=days[-1])
    if (factors < 1).any():
        month = next((day for day in days[::_MONTH_DAYS] if exceeded(day)), days[-1])
        days = range(max(month - _MONTH_DAYS, 0), month + 1)
    day = days.start + bisect_left(days, True, key=lambda day: bool(exceeded(day)))
    on = start + timedelta(days=day) if day < days.stop else None
    return Growth(
        start=start, horizon_on=last, exhausted_on=on, exhausted_by=exceeded(day) if on else None
    )


def headroom_of(plan: Plan, adapters: int = 0, cores: Mapping[str, int] | None = None) -> float:
    """Return the factor by which all volumes may grow alike."""

    def is_short(step: int) -> bool:
        return bool(too_small(plan, step * HEADROOM_STEP, adapters, cores))

    return bisect_left(range(1, _MOST_STEPS), True, key=is_short) * HEADROOM_STEP


def prices(plan: Plan) -> dict[str, float]:
    """Return the factors by which all volumes may grow with one adapter, or one core, more."""
    if plan.chosen_count is None:
        return {}
    result = {"1 adapter more at each side": headroom_of(plan, adapters=1)}
    for need in plan.cpu_needs:
        more = headroom_of(plan, cores={need.pool.name: 1})
        result[f"1 {need.of_side} {need.unit} more"] = more
    return result


def probability(plan: Plan, volumes: Sequence[PlannedVolume]) -> float | None:
    """
    Return the share of the time in which nothing of a plan is too small; None for steady volumes.

    Loads vary independently, lognormal.
    """
    shares = (np.arange(_DRAW_COUNT) + 0.5) / _DRAW_COUNT
    generator = np.random.default_rng(0)
    drawn = [[each.load_ratio(at) for at in generator.permutation(shares)] for each in volumes]
    if plan.chosen_count is None or not any(len({*ratios}) > 1 for ratios in drawn):
        return None
    held: list[tuple[float, ...]] = []
    short: list[tuple[float, ...]] = []
    for ratios in zip(*drawn, strict=True):
        # with less of each flow than what holds it holds, with more than what does not it does not
        if any(all(map(le, ratios, most)) for most in held):
            held.append(ratios)
        elif not any(all(map(ge, ratios, least)) for least in short):
            (short if too_small(plan, ratios) else held).append(ratios)
    return len(held) / _DRAW_COUNT


def sensitivities(plan: Plan) -> dict[str, Plan]:
    """
    Return plans with one input changed, by the change; none where no number is enough.

    The volume of each flow 10 % lower and higher, and the share that may be used ten points lower
    and higher.
    """
    demand, room = plan.demand, plan.headroom
    if plan.chosen_count is None:
        return {}
    plans = {}
    for place, flow in enumerate(demand.flows):
        for ratio in (1 - _STEP, 1 + _STEP):
            ratios = [ratio if n == place else 1.0 for n in range(len(demand.flows))]
            change = f"{amount_text(flow, ratio)} of {flow.name}"
            plans[change] = Plan(demand=demand.scaled(ratios), headroom=room)
    for step in (-_STEP, _STEP):
        share = min(max(room.max_utilisation_ratio + step, _STEP), 1.0)
        changed = replace(room, max_utilisation_ratio=share)
        plans[f"{percent_text(share, RESULT_DIGITS)} use"] = Plan(demand=demand, headroom=changed)
    return plans
