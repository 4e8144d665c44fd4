"""Noise of runs: what scatters, and the scatter of repeats."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from netmodel.calibration.observations import Observed, comparable
from netmodel.errors import DomainError
from netmodel.records import Relation
from netmodel.text import argument, percent_text

WIDTH_IN_SD = math.sqrt(12)
"""Width of a uniform distribution in its standard deviations."""


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
        key = (each.quantity, kind, comparable(each.at), comparable(each.baseline))
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
            is_figure = each.is_bounded and not each.is_published
            baselines[name] = each if is_figure and not is_repeated else None
        above = each
        run = None
        if each.baseline is not None and not isinstance(each.baseline, str):
            run = baselines.get(f"{each.quantity}, {sorted(each.baseline.items())}")
        if each.is_published or not each.is_bounded:
            run = None
        runs.append(run)
    return runs


def _times(ratio: Observed, run: Observed) -> Observed:
    """The run that a ratio to another run stands for."""
    value = None if ratio.value is None or run.value is None else ratio.value * run.value
    return replace(
        ratio, low=ratio.low * run.low, high=ratio.high * run.high, value=value, baseline=None
    )
