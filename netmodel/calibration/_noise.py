"""Noise of runs: likelihoods of observations, and the scatter of repeated runs."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from netmodel.calibration._observed import Observed, comparable
from netmodel.errors import DomainError
from netmodel.numeric import Floats
from netmodel.records import Relation
from netmodel.text import argument, percent_text

WIDTH_IN_SD = math.sqrt(12)
"""Width of a uniform distribution in its standard deviations."""
_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)
"""The standard normal density is exp(-z**2/2) over the root of 2 pi."""
_ROOT_HALF = math.sqrt(0.5)
"""The normal distribution at z is half of erfc(-z times this)."""
_FEW_ENDS = 64
"""One by one they take 20 µs; SciPy takes 150 ms to load, and is as fast at a few of them."""
_FAR = -25.0
"""Standard deviations: the distribution is 3e-138 there, and its own series has all digits."""
_FAR_TERMS = 8
"""Of that series: the first left out is 1e-16."""
_NARROW = 1e-3
"""Standard deviations: the probability of a narrower interval, as a difference, loses digits."""
_NARROW_MOMENT = 1e-2
"""Width times distance of the middle: the first term left out is its square over 24."""
_ALL_BUT_CERTAIN = -1e-12
"""Logarithm of a ratio so near 1 that a product of distributions has lost its digits; the sum of
the cases has them."""


def noise_argument() -> str:
    """How the reader gives the noise of a run."""
    return argument("noise_ratio", "--noise")


def noise_unknown() -> str:
    """Why an interval is open."""
    return (
        "the run-to-run noise is not known (open interval): repeat a run, or give "
        f"{noise_argument()}"
    )


class Noise(Enum):
    """
    What scatters normally about the model.

    ``RELATIVE``: the logarithm of the quantity, so that its standard deviation is a ratio, as of
    rates, times and costs. ``ABSOLUTE``: the quantity itself.
    """

    RELATIVE = "relative"
    ABSOLUTE = "absolute"


def require_noise_and_level(noise_ratio: float | None, level_ratio: float) -> None:
    """Refuse noise that is not above zero, and a level that is no probability."""
    if noise_ratio is not None and not 0 < noise_ratio < math.inf:
        raise DomainError(f"noise_ratio must be above 0; got {noise_ratio!r}")
    if not 0 < level_ratio < 1:
        raise DomainError(f"level_ratio must be between 0 and 1; got {level_ratio!r}")


class Contribution(NamedTuple):
    """
    What observations add to a log-likelihood, and how that changes.

    Ends of observations are standardised: distances from the model in standard deviations. A
    shift adds the same to all ends of an observation. A stretch multiplies them by the same
    factor, as less noise does.

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


def log_exact(z: Floats) -> Contribution:
    """
    Log-density of figures that only noise separates from the model.

    It is the density of the standardised figure. That of the quantity is larger by the factor of
    the stretch, whose derivatives are included.
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


@np.errstate(divide="ignore", invalid="ignore")
def log_between(low: Floats, high: Floats) -> Contribution:
    """
    Log-probability of lying between two ends, either of which may be infinite.

    An infinite high end is right-censored (log of the survival function), an
    infinite low end left-censored (log of the cumulative distribution).
    """
    width = high - low
    middle = 0.5 * (low + high)
    narrow = (width < _NARROW) & (np.abs(middle) * width < _NARROW_MOMENT)
    if not narrow.any():
        return _wide(low, high)
    parts = _wide(np.where(narrow, -1.0, low), np.where(narrow, 1.0, high))
    small = _narrow(np.where(narrow, middle, 0.0), np.where(narrow, width, 1.0))
    return Contribution(*(np.where(narrow, *pair) for pair in zip(small, parts, strict=True)))


def log_beyond(low: Floats, high: Floats) -> Contribution:
    """
    The largest log-density that a figure between two ends may have, less the largest of all.

    Rounding may then have moved the figure to whichever place between its ends suits the model
    best.
    """
    beyond = np.maximum(low, 0.0) + np.minimum(high, 0.0)
    square = beyond * beyond
    is_beyond = np.where(beyond == 0, 0.0, -1.0)
    return Contribution(-0.5 * square, -beyond, -square, is_beyond, -2 * beyond, -square)


@np.errstate(divide="ignore", invalid="ignore")
def log_largest(low: Floats, high: Floats) -> Contribution:
    """
    Log-likelihood of the largest of several independent cases, by its ends for each case.

    The first case has the value and the others zero. First derivatives are of each case; second
    ones leave out mixed terms. Where low and high are the same, one case is at the figure and
    none is above it.
    """
    from scipy.special import logsumexp

    log_all_below = _log_cdf(high).sum(axis=0)
    if np.array_equal(low, high):
        # density: d/du prod F_k(u) = prod F_k(u) sum h_k(u), with the hazards h = f/F
        hazard = _hazard(high)
        log_hazard = -0.5 * high * high - _LOG_ROOT_TWO_PI - _log_cdf(high)
        log_sum: Floats = np.asarray(logsumexp(log_hazard, axis=0))
        share = np.exp(log_hazard - log_sum)
        bend = high + hazard
        slope = hazard - share * bend
        stretch = high * slope + 1 / len(high)
        return _of_cases(log_sum + log_all_below, slope, stretch, -hazard * bend - share, high)
    # probability: prod F_k(high) - prod F_k(low)
    log_all_below_low = _log_cdf(low).sum(axis=0)
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


def _wide(low: Floats, high: Floats) -> Contribution:
    value = _log_difference(low, high)
    low_hazard, high_hazard = _density_ratio(low, value), _density_ratio(high, value)
    low_moment, low_second, low_third = _moments(low, low_hazard)
    high_moment, high_second, high_third = _moments(high, high_hazard)
    shift = high_hazard - low_hazard
    stretch = high_moment - low_moment
    return Contribution(
        value=value,
        shift=shift,
        stretch=stretch,
        shift_shift=-stretch - shift * shift,
        shift_stretch=low_second - high_second - shift * stretch,
        stretch_stretch=low_third - high_third - stretch * stretch,
    )


def _moments(end: Floats, hazard: Floats) -> tuple[Floats, Floats, Floats]:
    """The hazard times an end, its square and its cube: 0 where the end is infinite."""
    square = end * end
    if square.size and square.max() < math.inf:  # as of most figures: none of them is infinite
        moment = end * hazard
        return moment, end * moment, square * moment
    moment = _finite_product(end, hazard)
    return moment, _finite_product(end, moment), _finite_product(square, moment)


def _narrow(middle: Floats, width: Floats) -> Contribution:
    """By the density in the middle, and the first term that it leaves out."""
    # P = w phi(m) (1 + (m**2 - 1) w**2 / 24) by Taylor's theorem; with s = w**2 / 24,
    # ln P = ln w + ln phi(m) + (m**2 - 1) s
    square, small = middle * middle, width * width / 24
    return Contribution(
        value=-0.5 * square - _LOG_ROOT_TWO_PI + np.log(width) + (square - 1) * small,
        shift=-middle + 2 * middle * small,  # d/dm
        stretch=1 - square + (4 * square - 2) * small,  # m d/dm + w d/dw
        shift_shift=-1 + 2 * small,  # d/dm of the shift
        shift_stretch=-middle + 6 * middle * small,  # m d/dm + w d/dw of the shift
        stretch_stretch=-1 - square + (12 * square - 2) * small,  # ... of the stretch, less it
    )


def _log_difference(low: Floats, high: Floats) -> Floats:
    """Log-probability between two ends, from the tail that keeps the digits."""
    mirrored = low > 0
    below = _log_cdf(np.where(mirrored, -high, low))
    above = _log_cdf(np.where(mirrored, -low, high))
    return above + _log1mexp(below - above)


def _log_cdf(z: Floats) -> Floats:
    """Logarithm of the cumulative normal distribution."""
    if z.size <= _FEW_ENDS:
        return np.array([_log_cdf_of(end) for end in z.ravel().tolist()]).reshape(z.shape)
    from scipy.special import log_ndtr

    result: Floats = log_ndtr(z)
    return result


def _log_cdf_of(z: float) -> float:
    """The same of one number, without SciPy."""
    if z > -1:
        return math.log1p(-0.5 * math.erfc(z * _ROOT_HALF))
    if z > _FAR or not math.isfinite(z):
        tail = 0.5 * math.erfc(-z * _ROOT_HALF)
        return math.log(tail) if tail else -math.inf
    # phi(z) / -z (1 - 1/z^2 + 1 3/z^4 - 1 3 5/z^6 + ...): Abramowitz and Stegun, 26.2.12
    term = total = 1.0
    for number in range(1, _FAR_TERMS):
        term *= -(2 * number - 1) / (z * z)
        total += term
    return -0.5 * z * z - _LOG_ROOT_TWO_PI - math.log(-z) + math.log(total)


def _log1mexp(exponent: Floats) -> Floats:
    """The logarithm of 1 - exp(exponent), for exponents below zero."""
    small: Floats = np.log(-np.expm1(exponent))
    large: Floats = np.log1p(-np.exp(exponent))
    return np.where(exponent > -math.log(2), small, large)


def _density_ratio(z: Floats, log_probability: Floats) -> Floats:
    result: Floats = np.exp(-0.5 * z * z - _LOG_ROOT_TWO_PI - log_probability)
    return result


def _hazard(z: Floats) -> Floats:
    """Density over cumulative distribution; zero at either infinite end."""
    return np.where(np.isfinite(z), _density_ratio(z, _log_cdf(z)), 0.0)


def _finite_product(end: Floats, factor: Floats) -> Floats:
    """Zero where an end is infinite: the density vanishes faster than the end grows."""
    return np.where(np.isfinite(end), end * factor, 0.0)


class Scatter(NamedTuple):
    """
    Standard deviation of the logarithm of a run of weight 1, and what it rests on.

    Parameters
    ----------
    ratio : float
        The standard deviation.
    degrees_of_freedom : int, optional
        Of the repeats that it was estimated from; None for a given one.
    """

    ratio: float
    degrees_of_freedom: int | None = None

    def reach(self, level_ratio: float) -> float:
        """Deviation of the logarithm from its mean that this share of runs stays within."""
        from scipy.special import ndtri, stdtrit

        quantile = (1 + level_ratio) / 2
        if self.degrees_of_freedom is None:
            return self.ratio * float(ndtri(quantile))
        return self.ratio * float(stdtrit(self.degrees_of_freedom, quantile))


def repeats(observed: Iterable[Observed]) -> list[list[Observed]]:
    """Observations of the same quantity and conditions, each group in the order of the source."""
    groups: dict[Hashable, list[Observed]] = defaultdict(list)
    for each in observed:
        kind = Relation.CENSORED_ABOVE if each.is_uncapped else each.relation
        also_at = tuple(map(comparable, each.also_at))
        key = (each.quantity, kind, comparable(each.at), comparable(each.baseline), also_at)
        groups[key].append(each)
    return list(groups.values())


def pooled(observed: Iterable[Observed]) -> Scatter | None:
    """
    The scatter of repeats, pooled over all conditions; None without repeats that differ.

    It is at least the standard deviation of their rounding, which hides smaller scatter.
    Conditions under which the line censored a run do not count.
    """
    groups = [group for group in repeats(observed) if all(each.is_bounded for each in group)]
    repeated = [group for group in groups if group[1:]]
    degrees = sum(len(group) - 1 for group in repeated)
    if not degrees:
        return None
    squares = 0.0
    for group in repeated:
        weights = np.array([each.scatter_weight for each in group])
        logarithms = np.array([_logarithm(each) for each in group])
        mean = np.average(logarithms, weights=weights)
        squares += float((weights * (logarithms - mean) ** 2).sum())
    widths = [
        math.log(each.high / each.low) * math.sqrt(each.scatter_weight)
        for group in repeated
        for each in group
    ]
    rounding = float(np.sqrt(np.mean(np.square(widths)))) / WIDTH_IN_SD
    ratio = max(math.sqrt(squares / degrees), rounding)
    return Scatter(ratio, degrees) if ratio > 0 else None


def disagreeing_repeats(observed: Iterable[Observed]) -> bool:
    """Whether figures under the same conditions differ by more than their digits allow."""
    return any(
        max(each.low for each in group) > min(each.high for each in group)
        for group in repeats(observed)
    )


def excess_of_repeats(
    observed: Iterable[Observed], noise_ratio: float, least_ratio: float
) -> Iterator[str]:
    """A note where repeats scatter by more than the noise that was given (chi-square test)."""
    from scipy.special import chdtrc

    scatter = pooled(observed)
    if scatter is None or scatter.degrees_of_freedom is None:
        return
    degrees = scatter.degrees_of_freedom
    probability = float(chdtrc(degrees, degrees * (scatter.ratio / noise_ratio) ** 2))
    if probability < least_ratio:
        yield (
            f"repeats scatter by {percent_text(scatter.ratio, 3)}, more than the noise of "
            f"{percent_text(noise_ratio, 3)} (probability {probability:.2g}): check the runs"
        )


def means_of_repeats(observed: Iterable[Observed]) -> list[Observed]:
    """
    One observation for each condition: the mean of its repeats, with the weight of all.

    Where the line censored one of them, the mean is a bound.
    """
    means = []
    for group in repeats(observed):
        first, *others = group
        if not others:
            means.append(first)
            continue
        weights = np.array([each.weight for each in group])
        with np.errstate(divide="ignore"):
            ends = np.log([[each.low, each.high] for each in group])
        low, high = np.exp(np.average(ends, axis=0, weights=weights))
        censored = [each.relation for each in group if not each.is_bounded]
        value = None
        if not censored:
            value = math.exp(np.average([_logarithm(each) for each in group], weights=weights))
        means.append(
            replace(
                first,
                low=float(low),
                high=float(high),
                value=value,
                relation=censored[0] if censored else first.relation,
                weight=float(weights.sum()),
                place=f"{first.name} and {len(others)} more under these conditions",
            )
        )
    return means


def widened(means: Sequence[Observed], scatter: Scatter, level_ratio: float) -> list[Observed]:
    """
    Observations whose intervals jointly hold the mean of runs at a level.

    Each of n holds it at the level to the power of 1/n (Šidák), so that the joint level is at
    least the one asked for.
    """
    reach = scatter.reach(level_ratio ** (1 / max(len(means), 1)))
    return [
        replace(
            each,
            low=each.low * math.exp(-reach / math.sqrt(each.scatter_weight)),
            high=each.high * math.exp(reach / math.sqrt(each.scatter_weight)),
        )
        for each in means
    ]


def probability_of_largest(
    deviations: float, count: int, degrees_of_freedom: float | None
) -> float:
    """
    Probability that the largest of `count` residuals has this many standard deviations or more.

    The noise is known, or estimated from the other observations with some degrees of freedom.
    The sum over all observations (Bonferroni) bounds the probability.
    """
    from scipy.special import ndtr, stdtr

    below = (
        ndtr(-abs(deviations))
        if degrees_of_freedom is None
        else stdtr(degrees_of_freedom, -abs(deviations))
    )
    return min(1.0, 2 * count * float(below))


def _logarithm(observation: Observed) -> float:
    value = observation.value or math.sqrt(observation.low * observation.high)
    return math.log(value)


def with_baselines_as_runs(observed: Sequence[Observed]) -> tuple[Observed, ...]:
    """
    Ratios to your own runs as the runs themselves, where the run is known.

    A run scatters once; ratios to the same run would each count its scatter again, as if it
    were independent.
    """
    return tuple(
        each if run is None else _times(each, run)
        for each, run in zip(observed, runs_above(observed), strict=True)
    )


def with_either_baseline(observed: Sequence[Observed]) -> tuple[Observed, ...]:
    """
    Ratios and the runs above them with noise for both: a shared baseline, or one of its own.

    With a run y and k ratios r to it, noise of variance 1 and v = (1, -1, ..., -1), the covariance
    of (y, r) is diag(0, 1, ..., 1) + v v' where the baseline is that run, and
    diag(1, 2, ..., 2) where it is another one. Diagonal covariances of a and b are at least both,
    so that no interval is too narrow, if 1 / a + k / (b - 1) is at most 1 and b at least 2: a = 2
    and b = 1 + 2 k.
    """
    above = runs_above(observed)
    counts = Counter(id(run) for run in above if run is not None)
    return tuple(
        replace(each, weight=each.weight / 2)
        if id(each) in counts
        else each
        if run is None
        # a comparison has twice the variance of its weight
        else replace(each, weight=each.weight * 2 / (1 + 2 * counts[id(run)]))
        for each, run in zip(observed, above, strict=True)
    )


def runs_above(observed: Sequence[Observed]) -> list[Observed | None]:
    """
    For each ratio to a run of your own this run, where it is known; None for all others.

    That is the nearest row above with the conditions of the baseline, unless the row before it
    has them too: a ratio to one of several repeats, or to their mean, stays a comparison of two
    runs.
    """
    runs: list[Observed | None] = []
    above: Observed | None = None
    baselines: dict[str, Observed | None] = {}
    for each in observed:
        if each.baseline is None:
            # a baseline for the rows below, unless it has repeats
            name = f"{each.quantity}, {sorted(each.at.items())}"
            is_repeated = above is not None and above.baseline is None and above.at == each.at
            is_figure = each.is_bounded and not (each.also_at or each.is_published)
            baselines[name] = each if is_figure and not is_repeated else None
        above = each
        run = None
        if each.baseline is not None and not isinstance(each.baseline, str):
            run = baselines.get(f"{each.quantity}, {sorted(each.baseline.items())}")
        if each.is_published or each.also_at or not each.is_bounded:
            run = None
        runs.append(run)
    return runs


def _times(ratio: Observed, run: Observed) -> Observed:
    """The run that a ratio to another run stands for."""
    value = None if ratio.value is None or run.value is None else ratio.value * run.value
    return replace(
        ratio, low=ratio.low * run.low, high=ratio.high * run.high, value=value, baseline=None
    )
