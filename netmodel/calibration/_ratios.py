"""
Ratios of two series: how far they spread over pairs that differ alike, and what figures leave.

A series holds one quantity over one condition, such as a rate over connections. The logarithm of
the ratio of two is taken as a level, with a drift that is a random walk in the logarithm of the
condition: between places it is interpolated, outside them it stays.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from netmodel._dataclasses import dataclass
from netmodel._estimates import Estimate
from netmodel._numeric import Floats
from netmodel.calibration._conditions import varied_numbers
from netmodel.calibration._leave_out import figures_of
from netmodel.calibration._observed import Conditions, Observed
from netmodel.errors import CalibrationError

_DEGREES_OF_FREEDOM = 3
"""Of the spread of one pair about the pooled one: the fewest with which a variance exists. Pairs
spread very unequally: streams at a full line by 0.1 %, requests by 4 %."""
_FIRST_PLACE = "connection_count"
"""The condition that a series is over, where all observations have it."""
_ABOUT_LEVEL, _ABOUT_DRIFT, _ABOUT_NOISE = 0.2, 0.1, 0.005
"""Standard deviations of logarithms where nothing is pooled. Bundled series of other paths, MTUs
and adapters differ by 2 to 60 % and drift by 5 to 57 % over 50 times the connections; repeated
runs of one set-up differ by some 0.5 %."""
_PENALTY_SD = 1.0
"""Of the logarithm of a pooled deviation about those above: a factor of e either way."""
_MEAN_SD = 0.1
"""Of the mean ratio of pairs that differ alike, about 1."""
_LEAST_SD = 1e-3
"""Of pooled deviations: repeated runs do not agree better."""
_MOST_SD = 3.0
"""Of pooled deviations: a factor of 20."""


class Spread(NamedTuple):
    """
    How the logarithm of the ratio of two series spreads.

    Parameters
    ----------
    level_sd : float
        Standard deviation at the smallest place.
    drift_sd : float
        Of the random walk, for each factor of e in the condition.
    noise_sd : float
        Of each figure, from run to run, beside its rounding.
    mean : float
        Mean of the level.
    pair_count : int
        Other pairs that it is pooled over; 0 where it is assumed.
    """

    level_sd: float = _ABOUT_LEVEL
    drift_sd: float = _ABOUT_DRIFT
    noise_sd: float = _ABOUT_NOISE
    mean: float = 0.0
    pair_count: int = 0

    def covariance(self, first: Floats, second: Floats) -> Floats:
        """Of logarithms of ratios without noise, at logarithms of places over the smallest."""
        walk = np.minimum(first[:, np.newaxis], second[np.newaxis])
        # the mean of the level is itself a mean over the pairs
        level = self.level_sd**2 * (1 + (1 / self.pair_count if self.pair_count else 0))
        result: Floats = level + self.drift_sd**2 * walk
        return result


class Pair(NamedTuple):
    """Logarithms of ratios of two series, at logarithms of places over the smallest."""

    places: Floats
    ratios: Floats
    variances: Floats


NO_RATIO = Pair(*np.empty((3, 0)))
"""Of a series without figures."""


class StudentT(NamedTuple):
    """Student's distribution of the logarithm of a quantity."""

    mean: float
    scale: float
    degrees_of_freedom: float

    def estimate(self, level_ratio: float) -> Estimate:
        """The median of the quantity, and the interval that holds it with this probability."""
        from scipy.special import stdtrit

        reach = float(stdtrit(self.degrees_of_freedom, (1 + level_ratio) / 2)) * self.scale
        ends = np.exp([self.mean, self.mean - reach, self.mean + reach])
        return Estimate(*map(float, ends))


@dataclass(frozen=True)
class Series:
    """
    Figures of one quantity over one condition, all else the same.

    Parameters
    ----------
    quantity, over : str
        The quantity, and the condition.
    at : mapping
        The other conditions.
    places : numpy.ndarray
        Different values of the condition, in order.
    logarithms : numpy.ndarray
        Of the figures there: means of those at the same place.
    variances : numpy.ndarray
        Of the logarithms, from the rounding of the figures.
    """

    quantity: str
    over: str
    at: Conditions
    places: Floats
    logarithms: Floats
    variances: Floats

    def logarithm(self, place: float) -> tuple[float, float]:
        """
        Logarithm of the quantity at a place, and its variance beside noise.

        Between two places on the line through their logarithms. Its error is about half of the
        largest that a bend allows which is as sharp as those of the neighbouring places.

        Raises
        ------
        CalibrationError
            Outside the observed places, and between the only two.
        """
        exact = np.flatnonzero(self.places == place)
        if len(exact):
            return float(self.logarithms[exact[0]]), float(self.variances[exact[0]])
        first, last = self.places[[0, -1]]
        if not first <= place <= last:
            raise CalibrationError(
                f"{self.over} {place:g} is outside the related series, {first:g} to {last:g}"
            )
        if len(self.places) < 3:
            raise CalibrationError(
                f"the related series has only two figures: none near {self.over} {place:g}"
            )
        across = np.log(self.places)
        slopes = np.diff(self.logarithms) / np.diff(across)
        left = int(np.searchsorted(self.places, place)) - 1
        before, after = math.log(place) - across[left], across[left + 1] - math.log(place)
        bends = np.abs(np.diff(slopes))[max(left - 1, 0) : left + 1]
        error = bends.max() * before * after / (before + after) / 2
        ends = self.variances[left : left + 2]
        return float(self.logarithms[left] + slopes[left] * before), float(error**2 + ends.max())


def series_over(observed: Sequence[Observed]) -> str:
    """
    The condition that series are over: connections, else the number with the most values.

    Raises
    ------
    CalibrationError
        If no condition is a number that differs.
    """
    varied = varied_numbers(observed)
    if not varied:
        raise CalibrationError("no condition is a number that differs between the figures")
    return _FIRST_PLACE if _FIRST_PLACE in varied else varied[0]


def series_of(
    observed: Iterable[Observed], over: str, names: Iterable[str] | None = None
) -> dict[Hashable, Series]:
    """
    Series among observations, by quantity and conditions of these names; all when left out.

    Bounds and comparisons are ignored, as are figures without the condition, or without a
    logarithm of it.
    """
    wanted = None if names is None else set(names) - {over}
    groups: dict[Hashable, list[tuple[float, float, float]]] = {}
    ats: dict[Hashable, tuple[str, Conditions]] = {}
    for seen, figure in figures_of(list(observed)):
        place = seen.at.get(over)
        if isinstance(place, str) or place is None or place <= 0:
            continue
        at = {
            name: value
            for name, value in seen.at.items()
            if name != over and (wanted is None or name in wanted)
        }
        key: Hashable = (seen.quantity, frozenset(at.items()))
        ats[key] = seen.quantity, at
        # an even distribution between the printed ends has a twelfth of its width squared
        width = math.log(seen.high / seen.low)
        groups.setdefault(key, []).append((float(place), math.log(figure), width**2 / 12))
    result: dict[Hashable, Series] = {}
    for key, rows in groups.items():
        places, which = np.unique([row[0] for row in rows], return_inverse=True)
        counts = np.bincount(which)
        logarithms = np.bincount(which, [row[1] for row in rows]) / counts
        variances = np.bincount(which, [row[2] for row in rows]) / counts**2
        quantity, conditions = ats[key]
        result[key] = Series(quantity, over, conditions, places, logarithms, variances)
    return result


def pair_of(own: Series, other: Series) -> Pair:
    """Ratios of a series to another one, at the places where the other one has a value."""
    rows = []
    for place, logarithm, variance in zip(own.places, own.logarithms, own.variances, strict=True):
        try:
            base, base_variance = other.logarithm(float(place))
        except CalibrationError:
            continue
        rows.append((math.log(place / other.places[0]), logarithm - base, variance + base_variance))
    places, ratios, variances = np.array(rows, float).reshape(-1, 3).T
    return Pair(places, ratios, variances)


def pooled_spread(pairs: Sequence[Pair]) -> Spread:
    r"""
    The spread under which the ratios of several pairs are likeliest, within wide limits.

    Notes
    -----
    Each pair is multivariate Student's t, so that one that spreads more does not widen all:

    .. math:: r \sim t_\nu(\mu, \Sigma), \quad
        \Sigma_{ij} = \sigma_l^2 + \sigma_d^2 \min(u_i, u_j) + \delta_{ij} \sigma_n^2,
        \quad u = \ln(N / N_{min})
    """
    from scipy.optimize import minimize

    usual = np.log([_ABOUT_LEVEL, _ABOUT_DRIFT, _ABOUT_NOISE])

    # padded to the same length: rows beyond a pair's own are independent, and exactly 0
    counts = np.array([len(pair.ratios) for pair in pairs])
    is_own = np.arange(counts.max()) < counts[:, np.newaxis]
    places, ratios, variances = np.zeros((3, *is_own.shape))
    for row, pair in enumerate(pairs):
        own = slice(counts[row])
        places[row, own], ratios[row, own], variances[row, own] = pair
    walks = np.minimum(places[:, :, np.newaxis], places[:, np.newaxis])
    both = is_own[:, :, np.newaxis] & is_own[:, np.newaxis]
    diagonal = np.eye(counts.max())

    def unlikeliness(values: Floats) -> float:
        level, drift, noise = np.exp(2 * values[:3])
        own = (level + drift * walks) * both
        alone = np.where(is_own, noise + variances, 1.0)
        root = np.linalg.cholesky(own + alone[:, :, np.newaxis] * diagonal)
        misses = np.where(is_own, ratios - values[3], 0.0)
        standard = np.linalg.solve(root, misses[:, :, np.newaxis])[:, :, 0]
        total = np.log(np.diagonal(root, axis1=1, axis2=2)).sum()
        spreads = np.log1p((standard**2).sum(axis=1) / _DEGREES_OF_FREEDOM)
        total += ((_DEGREES_OF_FREEDOM + counts) / 2 * spreads).sum()
        total += (((values[:3] - usual) / _PENALTY_SD) ** 2).sum() / 2
        return float(total + (values[3] / _MEAN_SD) ** 2 / 2)

    ends = math.log(_LEAST_SD), math.log(_MOST_SD)
    found = minimize(
        unlikeliness, [*usual, 0.0], method="L-BFGS-B", bounds=[ends] * 3 + [(-1.0, 1.0)]
    ).x
    level_sd, drift_sd, noise_sd = map(float, np.exp(found[:3]))
    return Spread(level_sd, drift_sd, noise_sd, float(found[3]), len(pairs))


def standardised(pair: Pair, spread: Spread) -> tuple[Floats, Floats]:
    """Root of the covariance of a pair, and its ratios in standard deviations."""
    noise = np.diag(spread.noise_sd**2 + pair.variances)
    root = np.linalg.cholesky(spread.covariance(pair.places, pair.places) + noise)
    standard = np.linalg.solve(root, pair.ratios - spread.mean)
    return np.asarray(root, float), np.asarray(standard, float)


def ratio_at(
    pair: Pair, spread: Spread, place: float, variance: float, with_noise: bool
) -> StudentT:
    """Logarithm of the ratio at a place, given those of a pair; without any, the pooled one."""
    here = np.array([place])
    count = len(pair.ratios)
    own = float(spread.covariance(here, here)[0, 0]) + variance
    mean, left, fitted = spread.mean, own, 0.0
    if count:
        root, standard = standardised(pair, spread)
        shared = np.linalg.solve(root, spread.covariance(pair.places, here)[:, 0])
        mean, left = mean + float(shared @ standard), own - float(shared @ shared)
        fitted = float(standard @ standard)
    left += spread.noise_sd**2 if with_noise else 0.0
    freedom = _DEGREES_OF_FREEDOM + count
    scale = math.sqrt(max(left, 0.0) * (_DEGREES_OF_FREEDOM + fitted) / freedom)
    return StudentT(mean, scale, freedom)
