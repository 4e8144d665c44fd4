"""How likely observations are: logarithms that keep their digits far out in both tails."""

import math
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np

from netmodel._numeric import Floats
from netmodel.errors import CalibrationError, DomainError

_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)
"""The density of the standard normal distribution is exp(-z**2/2) over the root of 2 pi."""
_NARROW = 1e-3
"""Width of an interval in standard deviations below which differences of logarithms lose digits."""
_NARROW_MOMENT = 1e-2
"""The same times the distance of its middle: the first term left out is its square over 24."""
_ALL_BUT_CERTAIN = -1e-12
"""Above this a product of cumulative distributions has lost its digits, and a sum has them."""


class Noise(Enum):
    """
    What scatters normally about the model.

    ``RELATIVE`` is the logarithm of the quantity, so that its standard deviation
    is a ratio: rates, times and costs. ``ABSOLUTE`` is the quantity itself.
    """

    RELATIVE = "relative"
    ABSOLUTE = "absolute"


class Contribution(NamedTuple):
    """
    What observations add to a log-likelihood, and how that changes.

    Ends of observations are standardised: distances from the model in standard
    deviations. A shift moves all ends of an observation up alike; a stretch
    multiplies all by a factor, as less noise does.

    Parameters
    ----------
    value : numpy.ndarray
        Log-likelihoods.
    shift, stretch : numpy.ndarray
        Their first derivatives.
    shift_shift, shift_stretch, stretch_stretch : numpy.ndarray
        Their second derivatives, negative semidefinite.
    """

    value: Floats
    shift: Floats
    stretch: Floats
    shift_shift: Floats
    shift_stretch: Floats
    stretch_stretch: Floats


def censored_event_rate(times: Sequence[float], is_censored: Sequence[bool]) -> float:
    """
    The likeliest rate of events that come by chance, some of which were not waited for.

    Parameters
    ----------
    times : sequence of float
        How long each was waited for.
    is_censored : sequence of bool
        Whether waiting ended before it came.

    Returns
    -------
    rate : float
        Events in a unit of the times: those that came, over all waiting.

    Raises
    ------
    CalibrationError
        If none came: the rate may then be any up to one that waiting makes unlikely.
    DomainError
        If a time is negative, or there is no time at all.

    Examples
    --------
    >>> censored_event_rate([1, 2, 3, 4], [False, False, True, True])
    0.2
    """
    if min(times) < 0 or not sum(times) > 0:
        raise DomainError(f"times must be from 0 up, and not all 0; got {times!r}")
    events = sum(not censored for _, censored in zip(times, is_censored, strict=True))
    if not events:
        raise CalibrationError("no event came: wait until one does")
    return events / sum(times)


def log_exact(z: Floats) -> Contribution:
    """
    Log-density of figures that only noise separates from the model.

    The density is of standard deviations: of the quantity it is larger by the
    factor of the stretch, whose derivatives are in here.
    """
    square = z * z
    return Contribution(
        value=-0.5 * square - _LOG_ROOT_TWO_PI,
        shift=-z,
        stretch=1 - square,
        shift_shift=np.full_like(z, -1.0),
        shift_stretch=-z,
        stretch_stretch=-1 - square,
    )


def log_between(low: Floats, high: Floats) -> Contribution:
    """
    Log-probability of lying between two ends, either of which may be infinite.

    An infinite high end is right-censored (log of the survival function), an
    infinite low end left-censored (log of the cumulative distribution).
    """
    width = high - low
    with np.errstate(invalid="ignore"):
        middle = 0.5 * (low + high)
        narrow = (width < _NARROW) & (np.abs(middle) * width < _NARROW_MOMENT)
    if not narrow.any():
        return _wide(low, high)
    parts = _wide(np.where(narrow, -1.0, low), np.where(narrow, 1.0, high))
    small = _narrow(np.where(narrow, middle, 0.0), np.where(narrow, width, 1.0))
    return Contribution(*(np.where(narrow, *pair) for pair in zip(small, parts, strict=True)))


def log_beyond(low: Floats, high: Floats) -> Contribution:
    """
    The largest log-density that a figure between two ends may have, less that of none beyond.

    Rounding may then have moved the figure as far as its ends allow, in whichever direction
    suits the model best.
    """
    beyond = np.maximum(low, 0.0) + np.minimum(high, 0.0)
    square = beyond * beyond
    is_beyond = np.where(beyond == 0, 0.0, -1.0)
    return Contribution(-0.5 * square, -beyond, -square, is_beyond, -2 * beyond, -square)


def log_largest(low: Floats, high: Floats) -> Contribution:
    """
    Log-likelihood of the largest of several independent cases, by its ends for each case.

    The value stands at the first case, the others have zero; first derivatives are
    of each case, second ones leave out how cases work together. Where low and high
    are the same, it is the log-density of one case at the figure and none above it.
    """
    if np.array_equal(low, high):
        value, slope, curvature = _log_density_of_largest(high)
        return _of_cases(value, slope, high * slope + 1 / len(high), curvature, high)
    log_all_below, log_all_below_low = _log_cdf(high).sum(axis=0), _log_cdf(low).sum(axis=0)
    exponent = log_all_below_low - log_all_below
    value = np.where(
        exponent > _ALL_BUT_CERTAIN,
        np.logaddexp.reduce(_log_difference(low, high)),
        log_all_below + _log1mexp(exponent),
    )
    high_slope = np.exp(log_all_below - value) * _hazard(high)
    low_slope = -np.exp(log_all_below_low - value) * _hazard(low)
    return _of_cases(
        value,
        high_slope + low_slope,
        _finite_product(high, high_slope) + _finite_product(low, low_slope),
        -high_slope * (high + _hazard(high)),
        high,
    )


def _of_cases(
    value: Floats, shift: Floats, stretch: Floats, curvature: Floats, ends: Floats
) -> Contribution:
    values = np.zeros_like(shift)
    values[0] = value
    return Contribution(
        values, shift, stretch, curvature, ends * curvature, ends * ends * curvature
    )


def _log_density_of_largest(ends: Floats) -> tuple[Floats, Floats, Floats]:
    from scipy.special import logsumexp

    hazard = _hazard(ends)
    log_hazard = -0.5 * ends * ends - _LOG_ROOT_TWO_PI - _log_cdf(ends)
    total: Floats = np.asarray(logsumexp(log_hazard, axis=0))
    share = np.exp(log_hazard - total)
    bend = ends + hazard
    return total + _log_cdf(ends).sum(axis=0), hazard - share * bend, -hazard * bend - share


def _wide(low: Floats, high: Floats) -> Contribution:
    value = _log_difference(low, high)
    low_hazard, high_hazard = _density_ratio(low, value), _density_ratio(high, value)
    low_moment = _finite_product(low, low_hazard)
    high_moment = _finite_product(high, high_hazard)
    shift = high_hazard - low_hazard
    stretch = high_moment - low_moment
    return Contribution(
        value=value,
        shift=shift,
        stretch=stretch,
        shift_shift=-stretch - shift * shift,
        shift_stretch=_finite_product(low, low_moment)
        - _finite_product(high, high_moment)
        - shift * stretch,
        stretch_stretch=_finite_product(low * low, low_moment)
        - _finite_product(high * high, high_moment)
        - stretch * stretch,
    )


def _narrow(middle: Floats, width: Floats) -> Contribution:
    """By the density in the middle, and the first term of what it leaves out."""
    # w phi(m) (1 + (m**2 - 1) w**2 / 24) by Taylor's theorem, and derivatives of its logarithm
    square, small = middle * middle, width * width / 24
    return Contribution(
        value=-0.5 * square - _LOG_ROOT_TWO_PI + np.log(width) + (square - 1) * small,
        shift=-middle + 2 * middle * small,
        stretch=1 - square + (4 * square - 2) * small,
        shift_shift=-1 + 2 * small,
        shift_stretch=-middle + 6 * middle * small,
        stretch_stretch=-1 - square + (12 * square - 2) * small,
    )


def _log_difference(low: Floats, high: Floats) -> Floats:
    """Log-probability between two ends, from whichever tail they are in."""
    mirrored = low > 0
    below = _log_cdf(np.where(mirrored, -high, low))
    above = _log_cdf(np.where(mirrored, -low, high))
    return above + _log1mexp(below - above)


def _log_cdf(z: Floats) -> Floats:
    from scipy.special import log_ndtr

    result: Floats = log_ndtr(z)
    return result


def _log1mexp(exponent: Floats) -> Floats:
    """The logarithm of 1 - exp(exponent), for exponents below zero."""
    with np.errstate(divide="ignore"):
        small: Floats = np.log(-np.expm1(exponent))
        large: Floats = np.log1p(-np.exp(exponent))
    return np.where(exponent > -math.log(2), small, large)


def _density_ratio(z: Floats, log_probability: Floats) -> Floats:
    result: Floats = np.exp(-0.5 * z * z - _LOG_ROOT_TWO_PI - log_probability)
    return result


def _hazard(z: Floats) -> Floats:
    """Density over cumulative distribution; zero at either infinite end."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(z), _density_ratio(z, _log_cdf(z)), 0.0)


def _finite_product(end: Floats, factor: Floats) -> Floats:
    """Zero where an end is infinite, as the density there is zero faster."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(end), end * factor, 0.0)
