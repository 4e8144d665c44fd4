"""Loads that are known at the same times: the quantile of their sum, not the sum of quantiles."""

from collections.abc import Iterable
from typing import cast

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._numeric import FloatOrArray, Floats, ceil_but_for_rounding


@dataclass(frozen=True, eq=False)
class JointLoads:
    r"""
    Flows whose loads at the same times are known, as multiples of their planned loads.

    Parameters
    ----------
    groups : tuple of (tuple of int, numpy.ndarray)
        Places of flows whose series have the same times, and a row for each time with the load
        of each of them over its planned load.
    quantile_ratio : float
        Share of the time that the planned load is to suffice for.

    Notes
    -----
    The load of a resource is linear in the volumes,
    :math:`L_r(t) = \sum_k y_k(t)\, d_{rk} / C_r`. Planned is the quantile of :math:`L_r(t)` for
    the flows of a group. Groups, and flows of none, are added at their own quantiles.

    Examples
    --------
    Two that are never busy at the same time:

    >>> turns = JointLoads((((0, 1), np.array([[1.0, 0.0], [0.0, 1.0]])),), 0.95)
    >>> turns.planned([(0, 0.4), (1, 0.3)]).item()
    0.4
    """

    groups: tuple[tuple[tuple[int, ...], Floats], ...]
    quantile_ratio: float

    def planned(self, loads: Iterable[tuple[int, FloatOrArray]]) -> Floats:
        """The planned sum of loads of flows, by their places; in each case of parameters."""
        by_place: dict[int, FloatOrArray] = dict(loads)
        total: FloatOrArray = 0.0
        for places, ratios in self.groups:
            own = [place for place in places if place in by_place]
            if not own:
                continue
            cases = np.broadcast_arrays(*(np.atleast_1d(by_place.pop(place)) for place in own))
            columns = ratios[:, [places.index(place) for place in own]]
            total = total + quantile_of_rows(columns @ np.stack(cases), self.quantile_ratio)
        return np.asarray(sum(by_place.values(), total), dtype=np.float64)


def quantile_of_rows(values: Floats, quantile_ratio: float) -> Floats:
    r"""
    Lowest value that at least a share of the rows does not exceed, column by column.

    Notes
    -----
    The inverse of the empirical distribution, :math:`x_{(\lceil q n \rceil)}`: definition 1 of
    R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American
    Statistician 50 (1996). It is a value that was observed, and never below the share asked for.
    """
    count = len(values)
    place = max(int(ceil_but_for_rounding(quantile_ratio * count)), 1) - 1
    return cast("Floats", np.partition(values, place, axis=0)[place])


def added(loads: Iterable[tuple[int, FloatOrArray]], joint: JointLoads | None) -> Floats:
    """The planned sum of loads of flows: of those with joint loads the quantile of the sum."""
    if joint is None:
        return np.atleast_1d(np.asarray(sum(load for _, load in loads), dtype=np.float64))
    return np.atleast_1d(joint.planned(loads))
