"""What if: volumes that grow or vary, beside the adapters and cores that there are."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from netmodel.path.from_records import ADAPTER_CAPACITY
from netmodel.planning.demand import Demand, Headroom, planned
from netmodel.planning.needs import pool_needs
from netmodel.planning.notes import beside_adapters, resource_text
from netmodel.results import Result

HEADROOM_STEP, _STEPS = 1e-3, range(1, 64_001)
"""A tenth of a percent, up to 64 times the volumes: no plan looks further ahead."""
_YEAR_DAYS = 365.2425
"""Mean year of the calendar."""


class Equipment(NamedTuple):
    """
    Adapters and cores that are available to a demand.

    Parameters
    ----------
    demand : Demand
        What it carries.
    headroom : Headroom
        What may be used of it, and what may fail.
    adapter_count : int
        Adapters at each side, or of the side that is asked for.
    core_counts : mapping of str to float
        Cores by the pool, of those that are planned.
    """

    demand: Demand
    headroom: Headroom
    adapter_count: int
    core_counts: Mapping[str, float]

    def too_small(self, volume_ratios: float | Sequence[float]) -> str:
        """Return what is too small for all volumes times a factor, or each times its own; or ""."""
        demand, count = self.demand.scaled(volume_ratios), self.adapter_count
        holds = np.all(demand.holds(count, self.headroom), axis=1)
        if full := [row for row in demand.adapter_rows(demand.asked_side) if not holds[row]]:
            return demand.resources[full[0]].name
        for need in pool_needs(demand, self.headroom.max_utilisation_ratio):
            if planned(need.core_count) > self.core_counts.get(need.pool.name, np.inf):
                return need.pool.name
        return next(beside_adapters(demand, self.headroom, count), "")


@dataclass(frozen=True, kw_only=True, repr=False)
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
        if (name := self.exhausted_by) is None:
            return f"enough beyond {self.horizon_on:%Y-%m}"
        resource = resource_text(name)
        full = "" if " " in name and ADAPTER_CAPACITY not in name else " is full"
        lack = f"{name}{full}" if resource == name else f"more {resource} are needed"
        return f"until {self.day_text}, when {lack}"


def growth_of(
    there: Equipment, growth_per_year_ratios: Sequence[float], start: date, horizon_years: float
) -> Growth:
    r"""
    Return when growth exceeds what there is.

    Parameters
    ----------
    there : Equipment
        What is enough on the first day.
    growth_per_year_ratios : sequence of float
        Compound growth of each flow, such as 0.2 for 20 % a year; above -1.
    start : date
        Day on which the volumes are as planned.
    horizon_years : float
        How far growth is followed.

    Notes
    -----
    The first day :math:`t` on which the plan of the volumes :math:`y_k (1 + g_k)^t` needs more
    than there is, found by bisection: such a sum is convex, so that what is enough at first and
    exceeded once stays so, also where some volumes shrink.

    Examples
    --------
    20 % a year for what 6 adapters of 13.4 Gbit/s carry at 70 % after a failure, 46.9 Gbit/s:
    ln(46.9/40) / ln 1.2 = 0.873 years.

    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow, plan
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> needs = plan([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> print(growth_of(needs.there, [0.2], date(2026, 12, 1), 5).text)
    until 2027-10, when server_adapter_in is full
    """
    factors = 1 + np.asarray(growth_per_year_ratios, dtype=np.float64)

    def exceeded(day: int) -> str:
        return there.too_small((factors ** (day / _YEAR_DAYS)).tolist())

    days = range(int(horizon_years * _YEAR_DAYS) + 1)
    last = start + timedelta(days=days[-1])
    day = bisect_left(days, True, key=lambda day: bool(exceeded(day)))
    on, by = (None, None) if day == days.stop else (start + timedelta(days=day), exceeded(day))
    return Growth(start=start, horizon_on=last, exhausted_on=on, exhausted_by=by)


def headroom_of(there: Equipment) -> float:
    """Return the factor by which all volumes may grow alike."""
    count = bisect_left(_STEPS, True, key=lambda step: bool(there.too_small(step * HEADROOM_STEP)))
    return count * HEADROOM_STEP
