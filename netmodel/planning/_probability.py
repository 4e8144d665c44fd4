"""How likely it is that a plan holds: the share of time in which the loads stay within limits."""

import math
from collections.abc import Sequence
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._estimates import Bound
from netmodel._numeric import ROUNDING_RATIO, Floats
from netmodel._text import few_names
from netmodel.planning._loads import Loads, ResourceLoad
from netmodel.planning._volumes import PlannedVolume, same_times, series_rates_bps
from netmodel.units._prefixes import WHOLE_PERCENT

_MOMENT_COUNT = 2**14
"""Points of a sequence that fills a cube evenly: shares of time err by less than 0.001."""
_CERTAIN_RATIO = 0.9999
"""No record of a load is long enough for more digits of the time that it stays below a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldingProbability:
    """
    Share of the time in which a plan holds, as a range.

    Parameters
    ----------
    low, high : float
        Share of the time in which every load is within what may be used, with the parameters and
        the dependence of the loads that make it smallest and largest.
    carried_low, carried_high : float
        Share of the time in which every load is carried at all, without headroom.
    bound : Bound
        UPPER where more may be used of a resource than the loads say, as where rates are upper
        bounds.
    basis : str
        What is random.
    notes : tuple of str
        What is taken as fixed, or as known.
    """

    low: float
    high: float
    carried_low: float
    carried_high: float
    bound: Bound
    basis: str
    notes: tuple[str, ...] = ()

    @property
    def within_text(self) -> str:
        """The share of the time within the limits."""
        return f"{self.bound.sign}{_range_text(self.low, self.high)}"

    @property
    def text(self) -> str:
        """In a line."""
        within = _range_text(self.low, self.high)
        carried = _range_text(self.carried_low, self.carried_high)
        bound = "upper bounds; " if self.bound is Bound.UPPER else ""
        return f"{within} of the time within its limits, {carried} carried ({bound}{self.basis})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "low": self.low,
            "high": self.high,
            "carried_low": self.carried_low,
            "carried_high": self.carried_high,
            "bound": self.bound.value,
            "basis": self.basis,
            "notes": list(self.notes),
        }


def holding_probability(
    loads: Loads, volumes: Sequence[PlannedVolume]
) -> HoldingProbability | None:
    r"""
    Share of the time in which every load of a plan stays within its limits.

    Parameters
    ----------
    loads : Loads
        Of the planned adapters and cores, at the planned rates.
    volumes : sequence of PlannedVolume
        Where the rate of each flow comes from, with what is known of its distribution.

    Returns
    -------
    probability : HoldingProbability or None
        None where no volume has a distribution: then the plan holds or does not.

    Notes
    -----
    .. math:: P = \Pr\Big(\sum_k k_k\, L_{rk} \le u_{max} \text{ for all } r\Big)

    with :math:`L_{rk}` what flow :math:`k` uses of resource :math:`r` at its planned rate, and
    :math:`k_k` its load over that rate: lognormal or normal by its variation, or what its series
    was. Series of the same times are taken at the same times. All other loads are taken as
    independent of each other, and as rising and falling together, and the range covers both.

    Parameters known as sets or intervals have no distribution. One end of the range takes each
    resource at its highest use, the other at its lowest.

    References
    ----------
    E. J. Gumbel, "Statistics of Extremes" (1958), section 1.2, for exceedances;
    H. Niederreiter, "Random number generation and quasi-Monte Carlo methods" (1992), chapter 3,
    for the points.
    """
    groups = _groups(volumes)
    if not groups:
        return None
    # (1) resources at their highest and lowest uses, over all that the parameters may be
    ends = [_limits(loads.resources, at_worst) for at_worst in (True, False)]
    # (2) loads over the planned ones, independent of each other and all together
    samples = [_ratios(volumes, groups, together) for together in {len(groups) == 1, True}]
    # (3) shares of the time within the limits, and within the capacities
    within = [_share(ratios, end, end.limits) for ratios in samples for end in ends]
    carried = [_share(ratios, end, np.ones_like(end.limits)) for ratios in samples for end in ends]
    random = {place for group in groups for place in group}
    fixed = [volume.name for place, volume in enumerate(volumes) if place not in random]
    notes = []
    if fixed:
        notes.append(f"{few_names(fixed, 'classes')}: no variation is known, so the load is fixed")
    if len(groups) > 1:
        notes.append("whether loads rise together is not known: the probability covers both")
    is_bound = any(each.bound is not Bound.VALUE for each in loads.resources)
    return HoldingProbability(
        low=min(within),
        high=max(within),
        carried_low=min(carried),
        carried_high=max(carried),
        bound=Bound.UPPER if is_bound else Bound.VALUE,
        basis="; ".join(dict.fromkeys(_basis(volumes[group[0]]) for group in groups)),
        notes=tuple(notes),
    )


class _Limits(NamedTuple):
    """What flows use of each resource at their planned rates, and what may be used of it."""

    tables: Floats
    limits: Floats


def _limits(resources: Sequence[ResourceLoad], at_worst: bool) -> _Limits:
    """Each resource in the case that uses most, or least, of it."""
    rows = []
    for each in resources:
        total = each.flow_use_ratios.sum(axis=1)
        rows.append(each.flow_use_ratios[int(total.argmax() if at_worst else total.argmin())])
    return _Limits(np.array(rows), np.array([each.limit_ratio for each in resources]))


def _share(ratios: Floats, of: _Limits, limits: Floats) -> float:
    """Share of the rows with which no resource uses more than its limit."""
    allowed = limits * (1 + ROUNDING_RATIO)
    return float(np.mean((ratios @ of.tables.T <= allowed).all(axis=1)))


def _groups(volumes: Sequence[PlannedVolume]) -> list[tuple[int, ...]]:
    """Places of volumes that vary, those with the same times together."""
    together = same_times(volumes)
    alone = [
        (place,) for place, volume in enumerate(volumes) if volume.series is None and volume.varies
    ]
    return [*together, *alone]


def _ratios(
    volumes: Sequence[PlannedVolume], groups: Sequence[tuple[int, ...]], together: bool
) -> Floats:
    """A row for each moment: loads over the planned ones; those that do not vary are 1."""
    moments = _moments(1 if together else len(groups))
    ratios = np.ones((len(moments), len(volumes)))
    for number, group in enumerate(groups):
        moment = moments[:, 0 if together else number]
        for place in group:
            volume = volumes[place]
            ratios[:, place] = (
                volume.load_ratios(moment) if len(group) == 1 else _at_times(volume, moment)
            )
    return ratios


def _moments(dimensions: int) -> Floats:
    """Points that fill a unit cube evenly: multiples of roots of primes (R. D. Richtmyer, 1951)."""
    numbers = np.arange(_MOMENT_COUNT) + 0.5
    first = numbers / _MOMENT_COUNT
    primes = islice(filter(_is_prime, count(2)), dimensions - 1)
    others = [numbers * math.sqrt(prime) % 1 for prime in primes]
    return np.stack([first, *others], axis=1)


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


def _at_times(volume: PlannedVolume, moments: Floats) -> Floats:
    """Loads of a series over its planned rate, in the order of its times."""
    assert volume.series is not None  # else it has no times in common with others
    ratios = series_rates_bps(volume.series, volume.payload_bits) / volume.planned_bps
    return ratios[(moments * len(ratios)).astype(np.intp)]


def _basis(volume: PlannedVolume) -> str:
    """What the distribution of a volume is."""
    return f"{volume.distribution} loads" if volume.series is None else "loads over time as given"


def _range_text(low: float, high: float) -> str:
    """A share of the time, or a range of them."""
    ends = dict.fromkeys(map(_number_text, (low, high)))
    return f"{' to '.join(ends)} %"


def _number_text(ratio: float) -> str:
    if _CERTAIN_RATIO < ratio < 1:
        return f"over {WHOLE_PERCENT * _CERTAIN_RATIO:g}"
    return f"{WHOLE_PERCENT * ratio:.4g}"
