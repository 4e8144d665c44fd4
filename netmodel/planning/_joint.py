"""Loads that are known at the same times: the quantile of their sum, not the sum of quantiles."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from netmodel._numeric import Floats, ceil_but_for_rounding
from netmodel._numpy import np
from netmodel.path._uncertain import Column


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

    >>> import numpy as np
    >>> turns = JointLoads((((0, 1), np.array([[1.0, 0.0], [0.0, 1.0]])),), 0.95)
    >>> turns.planned([(0, (0.4,)), (1, (0.3,))]).tolist()
    [0.4]
    """

    groups: tuple[tuple[tuple[int, ...], Floats], ...]
    quantile_ratio: float

    def planned(self, loads: Iterable[tuple[int, Column | Floats]]) -> Floats:
        """The planned sum of loads of flows, by their places; in each case of parameters."""
        by_place = {place: np.asarray(load, dtype=np.float64) for place, load in loads}
        total: Floats = np.zeros(1)
        for places, ratios in self.groups:
            own = [place for place in places if place in by_place]
            if not own:
                continue
            cases = np.broadcast_arrays(*(by_place.pop(place) for place in own))
            columns = ratios[:, [places.index(place) for place in own]]
            total = total + quantile_of_rows(columns @ np.stack(cases), self.quantile_ratio)
        return sum(by_place.values(), total)


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


def added(loads: Iterable[tuple[int, Column]], joint: JointLoads | None) -> Column:
    """
    The planned sum of loads of flows: of those with joint loads the quantile of the sum.

    A load of one case is the same in all.
    """
    if joint is not None:
        return tuple(joint.planned(loads).tolist())
    columns = [column for _, column in loads]
    count = max(map(len, columns))
    in_all = (column * count if len(column) == 1 else column for column in columns)
    return tuple(map(sum, zip(*in_all, strict=True)))
