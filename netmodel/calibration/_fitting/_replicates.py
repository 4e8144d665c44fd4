"""Observations as they might have been: drawn from a fit, rounded and censored like the real."""

import math
from dataclasses import replace

import numpy as np

from netmodel.calibration._fitting._likelihood import Noise
from netmodel.calibration._fitting._problem import Problem
from netmodel.calibration._fitting._search import Optimum
from netmodel.records import Relation

__all__ = ["cell_of", "replicate"]


def replicate(problem: Problem, optimum: Optimum, chance: np.random.Generator) -> Problem:
    """
    The problem with figures drawn from the optimum.

    An exact figure is drawn anew; one between ends falls into ends as wide, on the same
    scale of rounding; one open at an end stays open if it is drawn beyond that end. On the
    other side a censored one is exact, and any other bound becomes the opposite one: what
    was only compared with a limit is not known better there, as in `simulate`. Of several
    cases the largest counts.
    """
    scale = optimum.likely.noise_sd / problem.sharpness
    drawn = problem.means(optimum.parameters) + scale * chance.normal(size=len(scale))
    ends = np.empty((len(problem.observed), 2))
    for index, seen in enumerate(problem.observed):
        cases = problem.of == index
        ends[index] = _seen(
            float(drawn[cases].max()),
            float(problem.low[cases][0]),
            float(problem.high[cases][0]),
            is_censored=seen.is_uncapped,
            as_scattered=problem.noise is Noise.ABSOLUTE or seen.relation is Relation.ABOUT,
        )
    low, high = ends[problem.of].T
    return replace(problem, low=low, high=high)


def _seen(
    drawn: float, low: float, high: float, *, is_censored: bool, as_scattered: bool
) -> tuple[float, float]:
    """Ends of what is drawn; rounding is on the scale that scatters, or on that of figures."""
    if low == high:
        return drawn, drawn
    if math.isinf(low) or math.isinf(high):
        if low <= drawn <= high:
            return low, high
        if is_censored:
            return drawn, drawn
        return (high, math.inf) if math.isinf(low) else (-math.inf, low)
    if as_scattered:
        return cell_of(drawn, low, high)
    least, most = cell_of(math.exp(drawn), math.exp(low), math.exp(high))
    return math.log(least) if least > 0 else -math.inf, math.log(most)


def cell_of(drawn: float, low: float, high: float) -> tuple[float, float]:
    """The ends of the same width, on the same grid, that something falls between."""
    width = high - low
    start = low + width * math.floor((drawn - low) / width)
    return start, start + width
