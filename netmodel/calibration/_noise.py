"""Noise of runs: what scatters, and the scatter of repeats."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from netmodel.calibration.observations import Observed, comparable
from netmodel.errors import DomainError
from netmodel.records import Relation
from netmodel.text import argument

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


def require_noise(noise_ratio: float | None) -> None:
    """Refuse noise that is not above zero."""
    if noise_ratio is not None and not 0 < noise_ratio < math.inf:
        raise DomainError(f"noise_ratio must be above 0; got {noise_ratio!r}")


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
    squares, widths, degrees = 0.0, list[float](), 0
    for group in repeats(observed):
        if len(group) < 2 or not all(each.is_bounded for each in group):
            continue
        weights = np.array([each.scatter_weight for each in group])
        logarithms = np.log([_value(each) for each in group])
        mean = np.average(logarithms, weights=weights)
        squares += float(weights @ (logarithms - mean) ** 2)
        widths += [math.log(each.high / each.low) ** 2 * each.scatter_weight for each in group]
        degrees += len(group) - 1
    if not degrees:
        return None
    ratio = math.sqrt(max(squares / degrees, float(np.mean(widths)) / WIDTH_IN_SD**2))
    return Scatter(ratio, degrees) if ratio > 0 else None


def means_of_repeats(observed: Iterable[Observed]) -> list[Observed]:
    """
    One observation for each condition: the mean of its repeats, with the weight of all.

    Where the line censored one of them, the mean is a bound.
    """
    means = []
    for group in repeats(observed):
        mean = group[0]
        if len(group) > 1:
            weights = [each.weight for each in group]
            with np.errstate(divide="ignore", invalid="ignore"):
                logarithms = np.log([(each.low, each.high, _value(each)) for each in group])
            low, high, value = np.exp(np.average(logarithms, axis=0, weights=weights)).tolist()
            bound = next((each.relation for each in group if not each.is_bounded), None)
            place = f"{mean.name} and {len(group) - 1} more under these conditions"
            mean = replace(mean, low=low, high=high, weight=float(sum(weights)), place=place)
            relation = bound or mean.relation
            mean = replace(mean, value=None if bound else value, relation=relation)
        means.append(mean)
    return means


def widened(means: Sequence[Observed], scatter: Scatter, level_ratio: float) -> list[Observed]:
    """
    Observations whose intervals jointly hold the mean of runs at a level.

    Each of n holds it at the level to the power of 1/n (Šidák), so that the joint level is at
    least the one asked for.
    """
    reach = scatter.reach(level_ratio ** (1 / max(len(means), 1)))
    result = []
    for each in means:
        factor = math.exp(reach / math.sqrt(each.scatter_weight))
        result.append(replace(each, low=each.low / factor, high=each.high * factor))
    return result


def _value(seen: Observed) -> float:
    """Return the figure, else the geometric middle of the ends; NaN of a bound."""
    return seen.value or math.sqrt(seen.low * seen.high if seen.is_bounded else math.nan)
