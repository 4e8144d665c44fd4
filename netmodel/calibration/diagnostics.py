"""Whether observations determine the parameters, and how well a fit agrees with them."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from netmodel.calibration import models
from netmodel.calibration._likelihood import WIDTH_IN_SD, Optimum, Problem
from netmodel.calibration.models import LinearModel
from netmodel.calibration.observations import Conditions, cases_of
from netmodel.errors import CalibrationError
from netmodel.estimates import LEVEL_RATIO
from netmodel.numeric import Floats
from netmodel.text import listed, percent_text

OUTLIER = "outlier"
"""First word of the note on an observation that noise does not explain."""
MISFIT = "the model does not hold"
"""First words of the note on observations that no parameters explain."""
_LEAST_RATIO = 1e-10
"""Smallest to largest singular value of the slopes: slopes by differences are good to 1e-10."""
_TAKES_PART = 0.1
"""Of the largest component of a direction: parameters of smaller ones are not named."""
CERTAIN = -1e-6
"""Log-likelihood above which every figure is certain to be within its ends."""
_MOST_LEVERAGE = 1 - 1e-6
"""An observation that alone determines a parameter has leverage 1: its residual is rounding, or
where two sums tie as large as others."""
_LEAST_DEVIATIONS = 0.05
"""Half of the last digit that is printed."""
_AT_BOUND = 1 + 1e-12
"""Noise up to this multiple of its lower bound counts as at the bound."""
_SAME_DEVIATIONS = 6
"""Digits to which deviations are equal, as all are with one degree of freedom, but for rounding."""


def require_enough(problem: Problem) -> None:
    """
    Refuse observations that are fewer than the parameters and the noise.

    Raises
    ------
    CalibrationError
        If too few are figures, and no bounds.
    """
    wanted, count = problem.names, problem.count
    verb = "figure that is no bound is" if count == 1 else "figures that are no bounds are"
    too_few = f"{count} {verb} too few for {len(wanted)} parameters"
    if not count:
        raise CalibrationError("every figure is a bound, as at line speed: measure below it")
    if count < len(wanted):
        raise CalibrationError(f"{too_few}; {_advice(problem, wanted)}")
    if count == len(wanted) and problem.is_rounded_only:
        remedy = f"{_advice(problem, wanted)}, or give {models.noise_argument()}"
        raise CalibrationError(f"{too_few} and the noise; {remedy}")


@np.errstate(all="ignore")
def require_separable(problem: Problem, optimum: Optimum) -> None:
    """
    Refuse parameters whose change, alone or joint with others, moves no observation.

    One of a curve may have no effect where another one is at its bound: its interval is then open.

    Raises
    ------
    CalibrationError
        If there are any; names them.
    """
    # (1) a parameter whose change moves no observation
    names, lost = np.array(problem.names), optimum.is_unseen
    is_linear = isinstance(problem.model, LinearModel)
    if lost.any() and (is_linear or not optimum.is_active.any()):
        raise CalibrationError(f"no observation depends on {_and_advice(problem, names[lost])}")
    # (2) parameters whose joint change moves none, by the singular values of the slopes
    names = names[~lost]
    slopes = problem.log_likelihood(optimum.place)[2][:, ~lost]
    slopes /= np.linalg.norm(slopes, axis=0)
    _, singular, directions = np.linalg.svd(slopes, full_matrices=False)
    if len(singular) < len(names) or singular[-1] < _LEAST_RATIO * singular[0]:
        shares = np.abs(directions[-1])
        which = names[shares > _TAKES_PART * shares.max()]
        raise CalibrationError(f"the observations cannot separate {_and_advice(problem, which)}")


def _and_advice(problem: Problem, names: Collection[str]) -> str:
    """Return parameters, and advice for a measurement that tells more about them."""
    return f"{listed(names)}; {_advice(problem, names)}"


def _advice(problem: Problem, names: Collection[str]) -> str:
    hints = {x.separated_by: None for x in problem.model.parameters if x.name in names}
    return f"measure at {listed([*hints])}"


class Residual(NamedTuple):
    """
    Residual of an observation.

    Parameters
    ----------
    name : str
        Of the observation.
    quantity : str
        What was measured, with its unit.
    at : mapping
        Its conditions.
    measured, fitted : float
        The figure, or the only end of a bound, and the value of the model there; ratios
        where it is compared with another.
    deviations : float
        Measured less fitted, of logarithms where noise is relative, over its own standard
        deviation: of noise and rounding, less the leverage of the observation (studentised).
    probability_ratio : float, optional
        Probability that noise alone makes the largest residual at least this large. Unknown
        noise is estimated from the other observations; None where they are too few.
    """

    name: str
    quantity: str
    at: Conditions
    measured: float
    fitted: float
    deviations: float
    probability_ratio: float | None

    def is_beyond_noise(self, least_ratio: float = 1 - LEVEL_RATIO) -> bool:
        """Return whether noise makes a residual of this size with less than a probability."""
        return self.probability_ratio is not None and self.probability_ratio < least_ratio


@np.errstate(all="ignore")
def residuals_of(problem: Problem, optimum: Optimum) -> tuple[Residual, ...]:
    """
    Return the residual of each observation that bounds anything.

    The leverage of an observation is what it takes from its own residual.
    """
    (places,) = np.nonzero(problem.is_informative)
    misses, slopes = problem.misses(optimum.parameters)
    degrees, count = problem.degrees_of_freedom, len(places)
    noise_sd = optimum.noise_sd * math.sqrt(1 if problem.noise_sd else count / max(degrees, 1))
    # (1) leverage h of each observation: its residual has the variance (1 - h) of the noise and
    # the rounding together; directions that no informative observation shows take no part
    free = slopes[places][:, ~optimum.is_active]
    size = np.linalg.norm(free, axis=0)
    basis, singular, _ = np.linalg.svd(free / np.where(size > 0, size, 1.0), full_matrices=False)
    basis = basis[:, singular > _LEAST_RATIO * singular.max(initial=0.0)]
    taken = (basis**2).sum(axis=1)
    left = np.where(taken < _MOST_LEVERAGE, 1 - taken, 1.0)
    widths = ((problem.high - problem.low) / problem.runs)[places]
    own, deviations = misses[places], misses / noise_sd
    deviations[places] = own / np.sqrt((noise_sd**2 + (widths / WIDTH_IN_SD) ** 2) * left)
    # (2) probability of the largest of them; unknown noise is that of the others
    chances: list[float | None] = [None] * len(deviations)
    if problem.noise_sd is not None:
        chances = [*probability_of_largest(deviations, count, math.inf)]
    elif degrees > 1 and not problem.is_noiseless(optimum.noise_sd):
        others = np.maximum((own @ own - own**2 / left) / (degrees - 1), problem.least_noise_sd**2)
        known = probability_of_largest(own / np.sqrt(others * left), count, degrees - 1)
        for place, chance in zip(places.tolist(), known, strict=True):
            chances[place] = chance
    fitted, _ = problem.means(optimum.parameters)
    fitted = np.exp(fitted) if problem.noise == "relative" else fitted
    every = zip(problem.observed, fitted.tolist(), deviations.tolist(), chances, strict=True)
    return tuple(
        Residual(x.name, x.quantity, x.at, x.middle if x.value is None else x.value, *of)
        for x, *of in every
    )


def probability_of_largest(deviations: Floats, count: int, degrees: float) -> list[float]:
    """
    Return the probability that the largest of `count` residuals has as many deviations or more.

    The noise is estimated from the other observations with some degrees of freedom, or known.
    The sum over all observations (Bonferroni) bounds the probability.
    """
    from scipy.special import stdtr

    return [float(x) for x in np.minimum(1.0, 2 * count * stdtr(degrees, -np.abs(deviations)))]


@np.errstate(all="ignore")
def misfit_of(problem: Problem, optimum: Optimum) -> tuple[float | None, float, float]:
    r"""
    Return the probability of such misses if the model holds, what they amount to, and its degrees.

    Given noise is tested by all misses (chi-square), unknown noise by the scatter of repeats at one
    condition (F test of lack of fit). What the misses amount to is a variance, over that of the
    likeliest noise: where the model does not hold, of means of conditions from it, which take
    the place of the scatter of runs. No probability where no test can decide.
    """
    from scipy.special import chdtrc, fdtrc

    taken = len(problem.names) - int(optimum.is_active.sum())
    # (1) how far means of conditions are from the model, of those with figures alone: beside
    # censored runs the scatter is hidden. Repeats share what rounding adds to their mean
    misses, _ = problem.misses(optimum.parameters)
    case = np.array(cases_of(problem.observed))
    own = (np.bincount(case, ~problem.is_informative) == 0)[case]
    means, square, repeats = scatter_of(case[own], misses[own])
    noise_sd = problem.noise_sd or math.sqrt(square / max(repeats, 1))
    pure = max(noise_sd, problem.least_noise_sd) ** 2
    widths = ((problem.high - problem.low) / problem.runs / WIDTH_IN_SD) ** 2
    shared = 1 + np.bincount(case, widths)[case] / pure
    degrees = int(own.sum()) - repeats - taken
    beyond = float((means**2 / shared[own]).sum()) / max(degrees, 1)
    # (2) whether noise explains that
    p_value, of_noise = None, (problem.correction, float(problem.degrees_of_freedom))
    if problem.noise_sd is not None:
        of_noise, left = (1.0, math.inf), problem.count - taken
        fitted, _ = problem.means(optimum.parameters)
        shifts = problem.terms(fitted, problem.noise_sd)[1, problem.is_informative]
        if left > 0:
            p_value = float(chdtrc(left, shifts @ shifts))
            if degrees < 1:
                degrees, beyond = left, float(shifts @ shifts) / left * noise_sd**2
    # copies of a row, without any scatter, are no repeats
    elif repeats > 0 and degrees > 0 and pure > 0 and not problem.is_noiseless(optimum.noise_sd):
        p_value = float(fdtrc(degrees, repeats, beyond / pure))
    if p_value is None or p_value >= 1 - LEVEL_RATIO:
        return p_value, *of_noise
    # means may lie on the model where their runs scatter beyond a given noise
    return p_value, max(beyond / optimum.noise_sd**2, of_noise[0]), degrees


def scatter_of(case: npt.NDArray[np.int64], values: Floats) -> tuple[Floats, float, int]:
    """Return the mean of each value's case, the squared scatter about these, and its degrees."""
    counts = np.bincount(case)
    means = (np.bincount(case, values) / np.maximum(counts, 1))[case]
    return means, float(((values - means) ** 2).sum()), len(case) - int((counts > 0).sum())


def notes_of(problem: Problem, optimum: Optimum) -> Iterator[str]:
    """Yield what to know before using the parameters."""
    for name in compress(problem.names, optimum.is_active):
        why = ", as where a larger MTU does worse" * name.endswith("per_frame_s")
        yield f"{name} is at its bound: the best fit lies beyond it{why}"
    if problem.noise_sd is not None:
        return
    if problem.degrees_of_freedom < 1:
        if not optimum.is_active.any():
            yield "as many observations as parameters: no residual to judge the fit by"
        yield models.noise_unknown()
    elif problem.is_noiseless(optimum.noise_sd):
        yield "the observations agree with the model to the last digit"
        yield models.noise_unknown()
    elif optimum.noise_sd <= problem.least_noise_sd * _AT_BOUND:
        hidden = f"rounding hides the noise, taken as its {percent_text(optimum.noise_sd, 2)}"
        yield f"{hidden}: give more digits, or {models.noise_argument()}"
    if problem.degrees_of_freedom == 1 < len(problem.names):
        hardly = "one degree of freedom hardly determines the noise"
        yield f"{hardly}: repeat a run, or give {models.noise_argument()}"


def misfit_notes(misfit_ratio: float | None, residuals: Sequence[Residual]) -> Iterator[str]:
    """Yield that the model does not hold, else which observation noise does not explain."""
    worst = largest_of(residuals)
    if worst and misfit_ratio is not None and misfit_ratio < 1 - LEVEL_RATIO:
        yield f"{MISFIT} (p = {misfit_ratio:.2g}); worst: {worst.name}"
    elif worst and worst.is_beyond_noise():
        yield outlier_note(worst)


def outlier_note(worst: Residual) -> str:
    """Return what to do about an observation that noise does not explain."""
    return f"{OUTLIER} (p = {worst.probability_ratio:.2g}): check or flag {worst.name}"


def largest_of(residuals: Iterable[Residual]) -> Residual | None:
    """Return the residual of the most deviations, the first of equal; None where all are met."""
    return max(
        (each for each in residuals if abs(each.deviations) >= _LEAST_DEVIATIONS),
        key=lambda each: round(abs(each.deviations), _SAME_DEVIATIONS),
        default=None,
    )
