"""How far the volumes of a plan may grow, and when their growth exceeds what it has."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from netmodel._estimates import Bound, Predicted, combined
from netmodel._numeric import ROUNDING_RATIO, Floats
from netmodel._text import SENTENCE_DIGITS
from netmodel.planning._answer import resource_text
from netmodel.planning._loads import Loads, ResourceLoad
from netmodel.planning._resources import Corner
from netmodel.units._prefixes import WHOLE_PERCENT

_MAX_STEPS = 200
"""Of Newton's method, which takes a dozen."""
_SOONEST_YEARS = 1 / 365
"""A day: dates are no finer."""
_SCANNED_COUNT = 128
"""Times from a day on at which loads known together are looked at, each 12 % later."""
_MARGIN = 1e-12
"""Of a limit: above what rounding adds, so that a load at its limit does not exceed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeHeadroom:
    """
    Factor by which all volumes may grow alike before a limit is exceeded.

    Parameters
    ----------
    volume_ratio : Predicted
        The factor; below 1 where a limit is exceeded already. An upper bound where what is used
        is a lower bound.
    binding : str
        The resource whose limit is the first, at the corner of the plan.
    is_after_failure : bool
        Whether it is its limit after the failures that the plan allows for.
    """

    volume_ratio: Predicted[float]
    binding: str
    is_after_failure: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "volume_ratio": self.volume_ratio.to_dict(),
            "binding": self.binding,
            "is_after_failure": self.is_after_failure,
        }


def headroom_of(loads: Loads, corner: Corner = Corner.WORST) -> VolumeHeadroom:
    r"""
    How far all volumes of a plan may grow alike.

    Parameters
    ----------
    loads : Loads
        What the flows take of the plan.
    corner : Corner
        Which of all values that parameters may have names the binding resource.

    Returns
    -------
    headroom : VolumeHeadroom
        With a range over all values that parameters may have.

    Notes
    -----
    .. math:: \lambda = \min_r \min\left(\frac{u_{max}}{L_r}, \frac{u_{fail}}{L'_r}\right)

    with :math:`L_r` the load of resource :math:`r`, and :math:`L'_r` that after the failures that
    the plan allows for. As of `netmodel.planning.sizing.mix_scale`, of capacities
    :math:`u\,C_r`.

    References
    ----------
    P. J. Denning and J. P. Buzen, "The operational analysis of queueing
    network models", ACM Computing Surveys 10 (1978): the bottleneck.

    Examples
    --------
    40 Gbit/s into 6 adapters of 13.4 Gbit/s, 70 % used at most, also after a failure:
    0.7 / 0.597.

    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.planning._demand import demand_of
    >>> from netmodel.planning._loads import loads_of
    >>> from netmodel.planning._planner import plan_demand
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = demand_of([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> headroom = headroom_of(loads_of(demand, plan_demand(demand)))
    >>> round(headroom.volume_ratio.value, 4), headroom.binding
    (1.1725, 'server_adapter_in')
    """
    ratios = _headrooms(loads)
    (name, is_after), _ = min(ratios.items(), key=lambda item: corner.of_gain(item[1]))
    return VolumeHeadroom(
        volume_ratio=_smallest(list(ratios.values())), binding=name, is_after_failure=is_after
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceGrowth:
    """
    When growth exceeds the limits of a resource.

    Parameters
    ----------
    name : str
        Stage, pool or limit.
    years : Predicted
        Until its limit is exceeded; infinite for never.
    after_failure_years : Predicted
        Until its limit is exceeded while as many have failed as the plan allows for.
    exhausted_on : date, optional
        The earlier of the two at the corner of the plan; None where it is not within the horizon.
    """

    name: str
    years: Predicted[float]
    after_failure_years: Predicted[float]
    exhausted_on: date | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "name": self.name,
            "years": self.years.to_dict(),
            "after_failure_years": self.after_failure_years.to_dict(),
            "exhausted_on": _iso(self.exhausted_on),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """
    When growth exhausts a plan, and by what.

    Parameters
    ----------
    start : date
        The day on which the volumes are as planned.
    horizon_years : float
        How far growth is followed.
    exhausted_on : date, optional
        The first day on which a limit is exceeded, at the corner of the plan; None where that is
        not within the horizon.
    earliest_on, latest_on : date, optional
        The same with the parameters that make it earliest and latest.
    exhausted_by : str
        The resource whose limit is exceeded first; empty where none ever is.
    is_after_failure : bool
        Whether that is its limit after the failures that the plan allows for.
    years : Predicted
        From the start until then; 0 where it is exceeded already, infinite for never. An upper
        bound where what is used is a lower bound.
    volume_ratio : Predicted
        Payload of all flows then over that at the start; infinite for never.
    by_stage : tuple of ResourceGrowth
        The same of each resource.
    corner : Corner
        Which of all values that parameters may have the plan is made for.
    """

    start: date
    horizon_years: float
    exhausted_on: date | None
    earliest_on: date | None
    latest_on: date | None
    exhausted_by: str
    is_after_failure: bool
    years: Predicted[float]
    volume_ratio: Predicted[float]
    by_stage: tuple[ResourceGrowth, ...]
    corner: Corner

    @property
    def horizon_on(self) -> date:
        """The last day up to which growth is followed."""
        return date_after(self.start, self.horizon_years) or date.max

    @property
    def text(self) -> str:
        """In a few words: until when the plan holds, and what is exceeded then."""
        if not self.exhausted_by:
            return "never exceeded: nothing that a limit depends on grows"
        which = resource_text(self.exhausted_by)
        which += " after a failure" if self.is_after_failure else ""
        if self.exhausted_on is None:
            ends = "" if self.earliest_on is None else f" (worst case {self.earliest_on})"
            return f"not before {self.horizon_on}{ends}; the first limit then: {which}"
        if self.corner.of_gain(self.years) == 0:
            return f"exceeded on {self.start} already: {which}"
        growth = WHOLE_PERCENT * (self.corner.of_gain(self.volume_ratio) - 1)
        latest = f"after {self.horizon_on}" if self.latest_on is None else f"{self.latest_on}"
        span = "" if self.earliest_on == self.latest_on else f" ({self.earliest_on} to {latest})"
        return (
            f"until {self.exhausted_on}{span}, "
            f"{growth:+.{SENTENCE_DIGITS - 1}g} % of payload; the first limit then: {which}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values; days as in ISO 8601."""
        return {
            "start": self.start.isoformat(),
            "horizon_years": self.horizon_years,
            "exhausted_on": _iso(self.exhausted_on),
            "earliest_on": _iso(self.earliest_on),
            "latest_on": _iso(self.latest_on),
            "not_before": self.horizon_on.isoformat() if self.exhausted_on is None else None,
            "exhausted_by": self.exhausted_by or None,
            "is_after_failure": self.is_after_failure,
            "years": self.years.to_dict(),
            "volume_ratio": self.volume_ratio.to_dict(),
            "by_stage": [each.to_dict() for each in self.by_stage],
        }


def growth_of(
    loads: Loads,
    growth_per_year_ratios: Sequence[float],
    start: date,
    horizon_years: float = 5.0,
    corner: Corner = Corner.WORST,
) -> Growth:
    r"""
    When growth exceeds a limit of a plan.

    Parameters
    ----------
    loads : Loads
        What the flows take of the plan, at the start.
    growth_per_year_ratios : sequence of float
        Growth of each flow in a year, such as 0.2 for 20 %; above -1.
    start : date
        The day on which the volumes are as planned.
    horizon_years : float
        How far growth is followed, above zero.
    corner : Corner
        Which of all values that parameters may have the plan is made for.

    Returns
    -------
    growth : Growth
        The day with its range, what is exceeded then, and the same of each resource.

    Notes
    -----
    .. math:: t^* = \min\{t \ge 0: \sum_k L_{rk} (1 + g_k)^t > u_r
        \text{ for a resource } r\}

    with :math:`L_{rk}` the share of resource :math:`r` that flow :math:`k` takes at the start and
    :math:`u_r` what may be used, and the same after failures. Growth is compound. Where all flows
    grow alike, :math:`t^* = \ln\lambda / \ln(1 + g)` with the headroom :math:`\lambda`. With
    different growth the sum is a convex function of :math:`t`, so that it exceeds a limit once;
    Newton's method on its logarithm, from where one flow alone is too much, falls to the root.
    A whole year later is the same day; within a year days count alike.

    References
    ----------
    D. A. Menascé and V. A. F. Almeida, "Capacity Planning for Web Services" (2002), chapter 11,
    on the horizon of a workload forecast.

    Examples
    --------
    1.1725 times the volumes at 20 % a year: ln 1.1725 / ln 1.2 = 0.873 years.

    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.planning._demand import demand_of
    >>> from netmodel.planning._loads import loads_of
    >>> from netmodel.planning._planner import plan_demand
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = demand_of([parse_flow("40 Gbit/s str-writex30k")], SpecifiedPath(osa, osa), 1500)
    >>> loads = loads_of(demand, plan_demand(demand))
    >>> growth = growth_of(loads, [0.2], date(2026, 12, 1), corner=Corner.VALUE)
    >>> round(growth.years.value, 3), str(growth.exhausted_on), growth.exhausted_by
    (0.873, '2027-10-15', 'server_adapter_in')
    """
    factors = 1 + np.asarray(growth_per_year_ratios, dtype=np.float64)
    within = {
        (load.name, after): _years(load, factors, after)
        for load in loads.resources
        for after in (False, True)
    }

    def day(years: float) -> date | None:
        return date_after(start, years) if years <= horizon_years else None

    years = _smallest(list(within.values()))
    headrooms = _headrooms(loads)
    # of those that are exceeded already, the one that is exceeded most
    name, is_after = min(
        within, key=lambda each: (corner.of_gain(within[each]), corner.of_gain(headrooms[each]))
    )
    payloads_bps = np.array([flow.payload_rate_bps for flow in loads.flows])

    def grown(years: float) -> float:
        if math.isinf(years):
            return math.inf
        return float(payloads_bps @ factors**years / payloads_bps.sum())

    by_stage = [
        ResourceGrowth(
            name=load.name,
            years=within[load.name, False],
            after_failure_years=within[load.name, True],
            exhausted_on=day(
                min(corner.of_gain(within[load.name, after]) for after in (False, True))
            ),
        )
        for load in loads.resources
    ]
    return Growth(
        start=start,
        horizon_years=horizon_years,
        exhausted_on=day(corner.of_gain(years)),
        earliest_on=day(years.low),
        latest_on=day(years.high),
        exhausted_by="" if math.isinf(corner.of_gain(years)) else name,
        is_after_failure=is_after,
        years=years,
        volume_ratio=_gain(grown(years.value), grown(years.low), grown(years.high), years.bound),
        by_stage=tuple(by_stage),
        corner=corner,
    )


def years_until(use_ratios: Floats, growth_factors: Floats, limit_ratio: float) -> Floats:
    r"""
    Years until a sum of loads that grow exceeds a limit, row by row; infinite for never.

    Parameters
    ----------
    use_ratios : numpy.ndarray
        A row for each case, a column for each load, at least 0.
    growth_factors : numpy.ndarray
        Of each load in a year, above 0.
    limit_ratio : float
        What the sum may reach, above 0.

    Returns
    -------
    years : numpy.ndarray
        0 where it is exceeded already.

    Notes
    -----
    The logarithm of :math:`\sum_k a_k e^{r_k t}`, with :math:`r_k = \ln(1 + g_k)`, is convex in
    :math:`t`. From the first time at which one load alone reaches the limit, where it is not
    below it, Newton's method falls to the root without passing it. Where all loads grow alike the
    logarithm is a straight line, and the first step ends there.

    Examples
    --------
    Half of a capacity that doubles each year, and a quarter that stays: 0.5 2^t = 0.75 at 0.585.

    >>> years_until(np.array([[0.5, 0.25]]), np.array([2.0, 1.0]), 1.0).round(3).tolist()
    [0.585]
    """
    rates = np.log(growth_factors)
    with np.errstate(divide="ignore"):
        logs = np.log(use_ratios) - math.log(limit_ratio)
    total = np.logaddexp.reduce(logs, axis=1)
    years = np.full(len(use_ratios), np.inf)
    years[total > _MARGIN] = 0.0
    # (1) where one load that grows reaches the limit alone
    grows = rates > 0
    if not grows.any():
        return years
    alone = np.where(total > _MARGIN, 0.0, np.min(-logs[:, grows] / rates[grows], axis=1))
    open_rows = np.isfinite(alone) & np.isinf(years)
    # (2) t - F / F', F = ln sum a_k e^(r_k t), until it no longer falls
    times = alone[open_rows]
    own = logs[open_rows]
    for _ in range(_MAX_STEPS):
        parts = own + times[:, np.newaxis] * rates
        sums = np.logaddexp.reduce(parts, axis=1)
        slopes = np.exp(parts - sums[:, np.newaxis]) @ rates
        steps = np.where(slopes > 0, sums / np.where(slopes > 0, slopes, 1.0), 0.0)
        times = times - steps
        if np.all(np.abs(steps) <= _MARGIN * np.maximum(times, 1.0)):
            break
    years[open_rows] = np.maximum(times, 0.0)
    return years


def date_after(start: date, years: float) -> date | None:
    """
    Date a number of years after another; None beyond the last year of the calendar.

    Examples
    --------
    >>> date_after(date(2026, 12, 1), 2.5), date_after(date(2028, 2, 29), 1)
    (datetime.date(2029, 6, 1), datetime.date(2029, 2, 28))
    """

    def anniversary(number: int) -> date:
        try:
            return start.replace(year=start.year + number)
        except ValueError:  # 29 February
            return start.replace(year=start.year + number, day=start.day - 1)

    if not years < date.max.year - start.year:
        return None
    whole = math.floor(years * (1 + ROUNDING_RATIO))
    first = anniversary(whole)
    days = (anniversary(whole + 1) - first).days
    return first + timedelta(days=math.floor(max(years - whole, 0.0) * days * (1 + ROUNDING_RATIO)))


def _headrooms(loads: Loads) -> dict[tuple[str, bool], Predicted[float]]:
    """Limit over use of each resource, before and after failures."""
    ratios = {}
    for load in loads.resources:
        for after_failure in (False, True):
            limit = _limit(load, after_failure)
            use = load.after_failure_ratio if after_failure else load.use_ratio
            value, low, high = (
                limit / end if end else math.inf for end in (use.value, use.high, use.low)
            )
            ratios[load.name, after_failure] = _gain(value, low, high, load.bound)
    return ratios


def _years(load: ResourceLoad, factors: Floats, after_failure: bool) -> Predicted[float]:
    """Until a limit of a resource is exceeded, over all cases of the parameters."""
    limit = _limit(load, after_failure)
    table = load.after_failure_flow_use_ratios if after_failure else load.flow_use_ratios
    own = factors[table.any(axis=0)]
    if own.size and np.all(own == own[0]):
        # all grow alike: t = ln(u / L) / ln(1 + g), also of loads that are known together
        cases = years_until(load.uses(after_failure=after_failure)[:, np.newaxis], own[:1], limit)
    elif load.joint is None:
        cases = years_until(table, factors, limit)
    else:
        value, low, high = (
            _joint_years(load, factors, after_failure, end) for end in ("value", "high", "low")
        )
        return _gain(value, low, high, load.bound)
    # the reverse of a need: the value to quote is the smallest with figures as printed
    smallest = cases[np.array(load.are_printed)].min()
    return _gain(float(smallest), float(cases.min()), float(cases.max()), load.bound)


def _joint_years(load: ResourceLoad, factors: Floats, after_failure: bool, end: str) -> float:
    """An end of the same of flows whose loads are known together, by halving."""
    limit = _limit(load, after_failure) * (1 + _MARGIN)

    def exceeds(years: float) -> bool:
        use = load.predicted(load.uses(factors**years, after_failure))
        return float(getattr(use, end)) > limit

    # what shrinks may free more at first than what grows takes: the first time of several
    times = [0.0, *np.geomspace(_SOONEST_YEARS, date.max.year, _SCANNED_COUNT).tolist()]
    place = next((number for number, years in enumerate(times) if exceeds(years)), None)
    if not place:
        return math.inf if place is None else 0.0
    low, high = float(times[place - 1]), float(times[place])
    while high - low > _MARGIN * high:
        middle = (low + high) / 2
        low, high = (low, middle) if exceeds(middle) else (middle, high)
    return high


def _limit(load: ResourceLoad, after_failure: bool) -> float:
    return load.after_failure_limit_ratio if after_failure else load.limit_ratio


def _gain(value: float, low: float, high: float, bound: Bound) -> Predicted[float]:
    """What falls with a need: where that is a lower bound it is an upper one."""
    return Predicted(value, low, high, Bound.UPPER if bound is Bound.LOWER else bound)


def _smallest(of_resources: Sequence[Predicted[float]]) -> Predicted[float]:
    """The smallest of several, end by end; an upper bound where one of them is."""
    is_upper = any(each.bound is Bound.UPPER for each in of_resources)
    return combined(min, of_resources, Bound.UPPER if is_upper else Bound.VALUE)


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
