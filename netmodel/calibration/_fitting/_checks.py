"""How well a fit agrees with what was seen."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from netmodel.calibration._fitting._problem import Problem
from netmodel.calibration._fitting._refusals import Collinearity
from netmodel.calibration._fitting._search import Optimum
from netmodel.calibration._model import Floats
from netmodel.calibration._observed import comparable

__all__ = [
    "LackOfFit",
    "Residual",
    "active_bounds",
    "lack_of_fit",
    "misfit_warnings",
    "residuals_of",
    "warnings_of",
]

_HARD_TO_TELL = 100.0


class Residual(NamedTuple):
    """
    How far an observation is from the model.

    Parameters
    ----------
    name : str
        Of the observation.
    difference : float
        Seen less model: of logarithms where noise is relative, else in the unit of
        the quantity. Zero within ends that are told.
    standardised : float
        In standard deviations; where ends are told, what is expected between them.
    """

    name: str
    difference: float
    standardised: float


class LackOfFit(NamedTuple):
    """
    Whether observations differ more from the model than noise makes them.

    Parameters
    ----------
    test : str
        ``"known noise"`` (chi-square) or ``"replicates"`` (F test of pure error).
    statistic : float
        Of the test.
    degrees_of_freedom : int
        Of the differences from the model.
    probability_ratio : float
        Of differences this large or larger where the model holds.
    """

    test: str
    statistic: float
    degrees_of_freedom: int
    probability_ratio: float


def residuals_of(problem: Problem, optimum: Optimum) -> tuple[Residual, ...]:
    """One for each observation that tells something."""
    parameters, noise_sd = optimum.parameters, optimum.likely.noise_sd
    means = problem.means(parameters)
    beyond = np.maximum(problem.low - means, 0) + np.minimum(problem.high - means, 0)
    largest = np.zeros(len(problem.observed))
    for of, one in zip(problem.of, beyond, strict=True):
        largest[of] = one if abs(one) > abs(largest[of]) else largest[of]
    standardised = problem.residuals(parameters, noise_sd)
    return tuple(
        Residual(seen.name, float(difference), float(ratio))
        for seen, difference, ratio in zip(problem.observed, largest, standardised, strict=True)
    )


def lack_of_fit(problem: Problem, optimum: Optimum) -> LackOfFit | None:
    """The test that the observations allow; None where they allow none."""
    free = len(optimum.parameters) - int(optimum.is_active.sum())
    if problem.noise_sd is not None:
        return _by_known_noise(problem, optimum, free)
    return _by_replicates(problem, optimum, free)


def active_bounds(problem: Problem, optimum: Optimum) -> tuple[str, ...]:
    """Names of the parameters that a bound keeps from likelier values."""
    names = [one.name for one in problem.model.parameters]
    return tuple(name for name, active in zip(names, optimum.is_active, strict=False) if active)


def warnings_of(problem: Problem, optimum: Optimum, collinearity: Collinearity) -> Iterator[str]:
    """What to know before using the parameters."""
    if problem.noise_sd is None and problem.degrees_of_freedom < 1:
        yield (
            "zero degrees of freedom: not evidence; the parameters are open until there are "
            "more observations, or the noise is known"
        )
    elif problem.is_noiseless(optimum.likely.noise_sd):
        yield "the observations agree with the model to the last digit: nothing tells the noise"
    for name in active_bounds(problem, optimum):
        yield f"{name} is at its bound: the observations would have it beyond"
    for one, inflation in zip(
        problem.model.parameters, collinearity.variance_inflation, strict=False
    ):
        if inflation > _HARD_TO_TELL:
            yield (
                f"{one.name} is hard to tell from the others: "
                f"they make its variance {inflation:.3g} times as large"
            )


def misfit_warnings(
    misfit: LackOfFit | None, residuals: tuple[Residual, ...], least_ratio: float
) -> Iterator[str]:
    """That the model does not hold, and where it is furthest off."""
    if misfit is not None and misfit.probability_ratio < least_ratio:
        worst = max(residuals, key=lambda one: abs(one.standardised))
        yield (
            f"the model does not hold: differences this large have a probability of "
            f"{misfit.probability_ratio:.2g} ({misfit.test}); the largest is of {worst.name}, "
            f"{worst.standardised:.3g} standard deviations"
        )


def _by_known_noise(problem: Problem, optimum: Optimum, free: int) -> LackOfFit | None:
    from scipy.special import chdtrc

    degrees = len(problem.informative) - free
    if degrees < 1:
        return None
    told = problem.residuals(optimum.parameters, optimum.likely.noise_sd)
    square = float((told[problem.of[problem.informative]] ** 2).sum())
    return LackOfFit("known noise", square, degrees, float(chdtrc(degrees, square)))


def _by_replicates(problem: Problem, optimum: Optimum, free: int) -> LackOfFit | None:
    """Of figures with two ends, whose middle stands for them where noise exceeds their rounding."""
    from scipy.special import fdtrc

    told, noise_sd = problem.informative, optimum.likely.noise_sd
    widths = (problem.high[told] - problem.low[told]) * problem.sharpness[told]
    is_one_of_several = any(problem.observed[of].also_at for of in problem.of[told])
    places = _replicates(problem)
    pure_degrees, degrees = len(told) - len(places), len(places) - free
    is_told = not is_one_of_several and not _is_half_censored(problem, places)
    if not is_told or pure_degrees < 1 or degrees < 1 or (widths > noise_sd).any():
        return None
    pure = sum(_square_about_mean(problem, np.array(place)) for place in places)
    every = float((problem.misses(optimum.parameters)[told] ** 2).sum())
    if pure <= 0:
        return None
    statistic = (every - pure) / degrees / (pure / pure_degrees)
    probability = float(fdtrc(degrees, pure_degrees, max(statistic, 0.0)))
    return LackOfFit("replicates", statistic, degrees, probability)


def _is_half_censored(problem: Problem, places: list[list[int]]) -> bool:
    """Whether figures have others of the same conditions beside them that were censored."""
    told = {int(problem.of[place]) for several in places for place in several}
    censored = {comparable(one.at) for of, one in enumerate(problem.observed) if of not in told}
    return any(comparable(problem.observed[of].at) in censored for of in told)


def _replicates(problem: Problem) -> list[list[int]]:
    """Places of figures with two ends of each quantity, all that are of the same together."""
    found: dict[object, list[int]] = defaultdict(list)
    for place in map(int, problem.informative):
        one = problem.observed[problem.of[place]]
        found[one.quantity, comparable(one.at), one.relation, comparable(one.baseline)].append(
            place
        )
    return list(found.values())


def _square_about_mean(problem: Problem, places: np.ndarray) -> float:
    weight = problem.sharpness[places] ** 2
    seen: Floats = (problem.low[places] + problem.high[places]) / 2
    mean = (weight * seen).sum() / weight.sum()
    return float((weight * (seen - mean) ** 2).sum())
