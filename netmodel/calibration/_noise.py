"""Noise of runs: what scatters, and the scatter of repeats."""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple

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
    Standard deviation of the logarithm of a run, and what it rests on.

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
        logarithms = np.log([_value(each) for each in group])
        squares += logarithms.var() * len(group) / group[0].run_count
        widths += [math.log(each.high / each.low) ** 2 / each.run_count for each in group]
        degrees += len(group) - 1
    if not degrees:
        return None
    ratio = math.sqrt(max(squares / degrees, float(np.mean(widths)) / WIDTH_IN_SD**2))
    return Scatter(ratio, degrees) if ratio > 0 else None


def means_of_repeats(observed: Iterable[Observed]) -> Iterator[tuple[Observed, int]]:
    """
    Yield an observation for each condition, the mean of its repeats, and how many these are.

    Where the line censored one of them, the mean is a bound.
    """
    for group in repeats(observed):
        mean = group[0]
        if len(group) > 1:
            with np.errstate(divide="ignore", invalid="ignore"):
                ends = np.log([(each.low, each.high, _value(each)) for each in group])
            low, high, value = np.exp(ends.mean(axis=0)).tolist()
            bound = next((each.relation for each in group if not each.is_bounded), None)
            known: Any = {"value": None if bound else value, "relation": bound or mean.relation}
            place = f"{mean.name} and {len(group) - 1} more under these conditions"
            mean = replace(mean, low=low, high=high, place=place, **known)
        yield mean, len(group)


def widened(
    means: Sequence[tuple[Observed, int]], scatter: Scatter, level_ratio: float
) -> Iterator[Observed]:
    """
    Yield observations whose intervals jointly hold the mean of runs at a level.

    Each of n holds it at the level to the power of 1/n (Šidák), so that the joint level is at
    least the one asked for.
    """
    reach = scatter.reach(level_ratio ** (1 / max(len(means), 1)))
    for mean, count in means:
        factor = math.exp(reach * math.sqrt(mean.run_count / count))
        yield replace(mean, low=mean.low / factor, high=mean.high * factor)


def _value(seen: Observed) -> float:
    """Return the figure, else the geometric middle of the ends; NaN of a bound."""
    return seen.value or math.sqrt(seen.low * seen.high if seen.is_bounded else math.nan)
