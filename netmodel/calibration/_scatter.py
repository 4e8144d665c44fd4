"""Run-to-run scatter: given, or pooled from repeats; and what it makes of figures."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from netmodel.calibration._observed import Observed, comparable
from netmodel.records import Relation

NOISE_UNKNOWN = (
    "the run-to-run noise is not known, so the interval is open: give it (--noise, noise_ratio), "
    "or repeat a run"
)
WIDTH_IN_SD = math.sqrt(12)
"""Width of a uniform distribution in its standard deviations."""


class Scatter(NamedTuple):
    """
    Standard deviation of the logarithm of one run of weight 1, and where it is from.

    Parameters
    ----------
    ratio : float
        The standard deviation.
    degrees_of_freedom : int, optional
        Of the repeats that it was estimated from; None where it was given.
    """

    ratio: float
    degrees_of_freedom: int | None = None

    def reach(self, level_ratio: float) -> float:
        """How far the logarithm of a run is from the mean in this fraction of all runs."""
        from scipy.special import ndtri, stdtrit

        quantile = (1 + level_ratio) / 2
        if self.degrees_of_freedom is None:
            return self.ratio * float(ndtri(quantile))
        return self.ratio * float(stdtrit(self.degrees_of_freedom, quantile))


def repeats(observed: Iterable[Observed]) -> list[list[Observed]]:
    """Observations of one quantity under the same conditions, each group in source order."""
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
    Conditions under which a run is censored by the line do not count.
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
            f"repeats scatter by {100 * scatter.ratio:.3g} %, more than a noise of "
            f"{100 * noise_ratio:.3g} % explains (probability {probability:.2g}): check the "
            "runs, or give a larger noise"
        )


def means_of_repeats(observed: Iterable[Observed]) -> list[Observed]:
    """One observation for each condition: the mean of its repeats, with the weight of all."""
    return [_mean(group) for group in repeats(observed)]


def widened(means: Sequence[Observed], scatter: Scatter, level_ratio: float) -> list[Observed]:
    """
    Observations whose intervals all together hold the mean of runs at a level.

    Each holds it at the level to one over their number (Šidák), so that the joint level
    is at least the one asked for.
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

    They are those of a known noise, or of one estimated with some degrees of freedom without
    the observation itself. The sum over all observations (Bonferroni) bounds the probability.
    """
    from scipy.special import ndtr, stdtr

    below = (
        ndtr(-abs(deviations))
        if degrees_of_freedom is None
        else stdtr(degrees_of_freedom, -abs(deviations))
    )
    return min(1.0, 2 * count * float(below))


def _logarithm(one: Observed) -> float:
    value = one.value if one.value else math.sqrt(one.low * one.high)
    return math.log(value)


def _mean(group: Sequence[Observed]) -> Observed:
    """Mean of a group; where one of them is open, a lower or upper bound of the mean."""
    first, *others = group
    if not others:
        return first
    weights = np.array([each.weight for each in group])
    with np.errstate(divide="ignore"):
        ends = np.log([[each.low, each.high] for each in group])
    low, high = np.exp(np.average(ends, axis=0, weights=weights))
    is_bounded = all(each.is_bounded for each in group)
    value = (
        math.exp(np.average([_logarithm(each) for each in group], weights=weights))
        if is_bounded
        else None
    )
    censored = [each.relation for each in group if not each.is_bounded]
    return replace(
        first,
        low=float(low),
        high=float(high),
        value=value,
        relation=censored[0] if censored else first.relation,
        weight=float(weights.sum()),
        place=f"{first.name} and {len(others)} more under these conditions",
    )


def with_baselines_as_runs(observed: Sequence[Observed]) -> tuple[Observed, ...]:
    """
    Ratios to your own runs as the runs themselves, where it is known which run is meant.

    That is the nearest one above with the conditions of the baseline, unless the one above that
    has them too: a ratio to one of several runs, or to their mean, stays a comparison of two runs.
    As a run it scatters once; several ratios to the same run would count its scatter in each of
    them, as if it were independent.
    """
    runs: list[Observed] = []
    above: Observed | None = None
    baselines: dict[str, Observed | None] = {}
    for each in observed:
        if each.baseline is None:
            # a baseline for the rows below, unless there are several such runs
            name = f"{each.quantity}, {sorted(each.at.items())}"
            is_repeated = above is not None and above.baseline is None and above.at == each.at
            is_figure = each.is_bounded and not (each.also_at or each.is_published)
            baselines[name] = each if is_figure and not is_repeated else None
        above = each
        run = None
        if each.baseline is not None and not isinstance(each.baseline, str):
            run = baselines.get(f"{each.quantity}, {sorted(each.baseline.items())}")
        if run is None or each.is_published or each.also_at or not each.is_bounded:
            runs.append(each)
            continue
        value = None if each.value is None or run.value is None else each.value * run.value
        runs.append(
            replace(
                each, low=each.low * run.low, high=each.high * run.high, value=value, baseline=None
            )
        )
    return tuple(runs)
