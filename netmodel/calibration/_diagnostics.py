"""Whether observations determine the parameters, and how well a fit agrees with them."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from netmodel.calibration._noise import (
    WIDTH_IN_SD,
    Noise,
    noise_argument,
    noise_unknown,
    probability_of_largest,
)
from netmodel.calibration._observed import Conditions, Observed, comparable
from netmodel.calibration._problem import Likely, Optimum, Problem
from netmodel.errors import CalibrationError
from netmodel.numeric import Floats
from netmodel.text import listed, percent_text

OUTLIER = "outlier"
"""First word of the note on an observation that noise does not explain."""
_SAME_COUNT = 2
"""Conditions or parameters that a message names, so that it stays one line."""
_LEAST_EFFECT_SD = 1e-6
"""Standard deviations by which a parameter must move some figure for this to depend on it: well
above the 1e-9 to which searches settle."""
_LEAST_RATIO = 1e-10
"""Smallest to largest singular value of the slopes: slopes by differences are good to 1e-10."""
_TAKES_PART = 0.1
"""Of the largest component of a direction: parameters of smaller ones are not named."""
_CERTAIN = -1e-6
"""Log-likelihood above which every figure is certain to be within its ends."""
_INSEPARABLE = 100.0
"""Variance inflation factor of which a note warns: an interval ten times as wide."""
_MOST_LEVERAGE = 1 - 1e-6
"""An observation that alone determines a parameter has leverage 1: its residual is rounding."""
_LEAST_DEVIATIONS = 0.05
"""Half of the last digit that is printed."""
_SAME_DEVIATIONS = 6
"""Digits to which deviations are equal, as all are with one degree of freedom, but for rounding."""


class Collinearity(NamedTuple):
    """
    How well observations separate the parameters.

    Parameters
    ----------
    condition_number : float
        Of the slopes of the observations, each parameter in its own scale.
    variance_inflation : numpy.ndarray
        For each parameter, its variance over that with the other parameters known.
    """

    condition_number: float
    variance_inflation: Floats


def require_enough(problem: Problem) -> None:
    """
    Refuse fewer observations than parameters.

    Raises
    ------
    CalibrationError
        If there are fewer observations with two ends than parameters.
    """
    informative, wanted, count = len(problem.informative), _names(problem), len(problem.observed)
    if not informative:
        named = wanted if len(wanted) <= _SAME_COUNT else [wanted[0], f"{len(wanted) - 1} more"]
        which = "the only observation is" if count == 1 else f"all {count} observations are"
        raise CalibrationError(f"{which} open at one end; for {listed(named)} {_another(problem)}")
    is_single = informative == 1
    too_few = (
        f"{informative} observation{'s' * (not is_single)} with two ends "
        f"{'is' if is_single else 'are'} too few for {len(wanted)} parameters"
    )
    if informative < len(wanted):
        raise CalibrationError(f"{too_few}; {_another(problem)}")
    is_met = problem.is_all_exact or problem.least_noise_sd > 0
    if informative == len(wanted) and problem.noise_sd is None and not is_met:
        raise CalibrationError(
            f"{too_few} and the noise; {_another(problem)}, or give {noise_argument()}"
        )


def require_noise(problem: Problem, likely: Likely) -> None:
    """
    Refuse observations that the model meets exactly where the noise is to be estimated.

    Raises
    ------
    CalibrationError
        If the likelihood grows without limit as the noise goes to 0.
    """
    if problem.noise_sd is not None or problem.is_all_exact or problem.least_noise_sd:
        return
    is_sure = not problem.exact.size and likely.log_likelihood > _CERTAIN
    if is_sure or problem.is_noiseless(likely.noise_sd):
        raise CalibrationError(
            f"the model meets all observations within their digits; give {noise_argument()}"
        )


def collinearity_of(problem: Problem, parameters: Floats, noise_sd: float) -> Collinearity:
    """
    How well the observations separate the parameters.

    Raises
    ------
    CalibrationError
        If they do not.
    """
    # (1) a parameter whose change moves no observation
    slopes = problem.evidence(parameters, noise_sd)
    size = np.linalg.norm(slopes, axis=0)
    names = _names(problem)
    effect = size * np.abs(parameters)
    lost = (size == 0) | ((effect < _LEAST_EFFECT_SD) & (parameters != 0))
    if lost.any():
        which = [name for name, is_lost in zip(names, lost, strict=True) if is_lost]
        raise CalibrationError(
            f"no observation depends on {listed(which)}; {_another(problem, which)}"
        )
    # (2) parameters whose joint change moves none, by the singular values of the slopes
    _, singular, directions = np.linalg.svd(slopes / size, full_matrices=False)
    if len(singular) < len(names) or singular[-1] < _LEAST_RATIO * singular[0]:
        text, inseparable = _inseparable(names, directions[-1])
        raise CalibrationError(
            f"the observations cannot separate {text}: {_another(problem, inseparable)}"
        )
    inflation = ((directions / singular[:, np.newaxis]) ** 2).sum(axis=0)
    return Collinearity(float(singular[0] / singular[-1]), inflation)


def is_flat(problem: Problem, parameters: Floats, noise_sd: float) -> bool:
    """Whether the observations do not determine the parameters at an optimum."""
    try:
        collinearity_of(problem, parameters, noise_sd)
    except CalibrationError:
        return True
    return False


def _inseparable(names: Sequence[str], direction: Floats) -> tuple[str, list[str]]:
    """In words, and by name, parameters whose changes along a direction no observation shows."""
    shares = direction / np.abs(direction).max()
    taking_part = np.flatnonzero(np.abs(shares) > _TAKES_PART)
    signs = np.sign(shares) * np.sign(shares[taking_part[0]])
    up, down = (
        [names[int(place)] for place in taking_part if signs[place] == sign] for sign in (1, -1)
    )
    if not down:
        return f"{listed(up)}; only their combined effect is observed", up
    text = f"{listed(up)} from {listed(down)}; more of one and less of the other fits as well"
    return text, [*up, *down]


def _another(problem: Problem, names: Sequence[str] = ()) -> str:
    """Which measurement would help: by hints of the parameters, or conditions never varied."""
    hints = dict.fromkeys(
        parameter.separated_by
        for parameter in problem.model.parameters
        if parameter.name in names and parameter.separated_by
    )
    if hints:
        return f"measure with {listed([*hints])} as well"
    every = [case for observation in problem.observed for case in observation.cases]
    same = [
        f"{name} {value}"
        for name, value in every[0].items()
        if all(case.get(name) == value for case in every)
    ]
    if len(every) > 1 and same:
        return f"measure under other conditions than {listed(same[:_SAME_COUNT])}"
    return "measure further conditions without another bottleneck"


def _names(problem: Problem) -> list[str]:
    return [*(parameter.name for parameter in problem.model.parameters), *problem.unknown_names]


class Residual(NamedTuple):
    """
    How far an observation is from the model.

    Parameters
    ----------
    name : str
        Of the observation.
    difference : float
        Measured less fitted: of logarithms where noise is relative, else in the unit of
        the quantity. Zero between its ends.
    standardised : float
        In standard deviations; for an interval, the expected value between its ends.
    quantity : str
        What was measured, with its unit.
    at : mapping
        Its conditions.
    measured, fitted : float
        The figure, or the only end of a bound, and the value of the model there; ratios
        where it is compared with another.
    deviations : float
        Difference over its own standard deviation: of noise and rounding, less the leverage
        of the observation (studentised).
    probability_ratio : float, optional
        Probability that noise alone makes the largest residual at least this large. Unknown
        noise is estimated from the other observations; None where they are too few.
    """

    name: str
    difference: float
    standardised: float
    quantity: str
    at: Conditions
    measured: float
    fitted: float
    deviations: float
    probability_ratio: float | None

    def is_beyond_noise(self, least_ratio: float) -> bool:
        """Whether noise makes a residual of this size with less than a probability."""
        return self.probability_ratio is not None and self.probability_ratio < least_ratio


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
        Of differences at least as large if the model holds.
    """

    test: str
    statistic: float
    degrees_of_freedom: int
    probability_ratio: float


def residuals_of(problem: Problem, optimum: Optimum) -> tuple[Residual, ...]:
    """The residual of each observation that bounds anything."""
    parameters, noise_sd = optimum.parameters, optimum.likely.noise_sd
    means = problem.means(parameters)
    beyond = np.maximum(problem.low - means, 0) + np.minimum(problem.high - means, 0)
    largest = _largest_by_observation(problem, beyond)
    standardised = problem.residuals(parameters, noise_sd)
    deviations, probabilities = _deviations(problem, optimum)
    fitted = np.full(len(problem.observed), -math.inf)
    np.maximum.at(fitted, problem.of, means)
    if problem.noise is Noise.RELATIVE:
        fitted = np.exp(fitted)
    return tuple(
        Residual(
            name=seen.name,
            difference=float(largest[of]),
            standardised=float(standardised[of]),
            quantity=seen.quantity,
            at=seen.at,
            measured=_measured(seen),
            fitted=float(fitted[of]),
            deviations=float(deviations[of]),
            probability_ratio=probabilities[of],
        )
        for of, seen in enumerate(problem.observed)
    )


def _measured(seen: Observed) -> float:
    if seen.value is not None:
        return seen.value
    if seen.is_bounded:
        return (seen.low + seen.high) / 2
    return seen.low if seen.low > 0 else seen.high


def _deviations(problem: Problem, optimum: Optimum) -> tuple[Floats, list[float | None]]:
    """
    Difference of each observation from the model in standard deviations, and its probability.

    The probability is that of a largest residual of this size; where the noise is estimated, by
    the standard deviation of the other observations alone.
    """
    places, free = problem.informative, np.flatnonzero(~optimum.is_active)
    misses, noise_sd = problem.misses(optimum.parameters), optimum.likely.noise_sd
    degrees, count = problem.degrees_of_freedom, len(places)
    if problem.noise_sd is None:
        noise_sd *= math.sqrt(count / max(degrees, 1))
    deviations = _largest_by_observation(problem, misses / noise_sd)
    # (1) leverage h of each observation, from the slopes with its weight: its residual has the
    # variance (1 - h) of the noise and the rounding together
    sharpness = problem.sharpness[places]
    slopes = problem.slopes(optimum.parameters)[places][:, free] * sharpness[:, np.newaxis]
    size = np.linalg.norm(slopes, axis=0)
    basis, singular, _ = np.linalg.svd(slopes / np.where(size > 0, size, 1.0), full_matrices=False)
    # directions that no informative observation shows take no part, or rounding chooses theirs
    basis = basis[:, singular > _LEAST_RATIO * singular.max(initial=0.0)]
    left = 1 - np.minimum((basis**2).sum(axis=1), _MOST_LEVERAGE)
    rounding = ((problem.high[places] - problem.low[places]) * sharpness / WIDTH_IN_SD) ** 2
    own = misses[places]
    deviations[problem.of[places]] = own / np.sqrt((noise_sd**2 + rounding) * left)
    # (2) probability of the largest of them
    probabilities: list[float | None] = [None] * len(deviations)
    if problem.noise_sd is not None:
        probabilities = [probability_of_largest(float(each), count, None) for each in deviations]
    elif degrees > 1 and not problem.is_noiseless(optimum.likely.noise_sd):
        # externally studentised: the variance of the others, with a degree of freedom less
        others = np.maximum((own @ own - own**2 / left) / (degrees - 1), 0.0)
        with np.errstate(divide="ignore"):
            students = own / np.sqrt((np.maximum(others, problem.least_noise_sd**2)) * left)
        for of, student in zip(problem.of[places], students, strict=True):
            probabilities[of] = probability_of_largest(float(student), count, degrees - 1)
    return deviations, probabilities


def _largest_by_observation(problem: Problem, values: Floats) -> Floats:
    """For each observation, the value of its case that is farthest from 0."""
    largest = np.zeros(len(problem.observed))
    for of, value in zip(problem.of, values, strict=True):
        largest[of] = value if abs(value) > abs(largest[of]) else largest[of]
    return largest


def lack_of_fit(problem: Problem, optimum: Optimum) -> LackOfFit | None:
    """The test that the observations allow; None where they allow none."""
    from scipy.special import chdtrc

    free_count = len(optimum.parameters) - int(optimum.is_active.sum())
    if problem.noise_sd is None:
        return _by_replicates(problem, optimum, free_count)
    degrees = len(problem.informative) - free_count
    if degrees < 1:
        return None
    residuals = problem.residuals(optimum.parameters, optimum.likely.noise_sd)
    square = float((residuals[problem.of[problem.informative]] ** 2).sum())
    return LackOfFit("known noise", square, degrees, float(chdtrc(degrees, square)))


def _by_replicates(problem: Problem, optimum: Optimum, free_count: int) -> LackOfFit | None:
    """
    F test of the differences from the model against those of replicates from their means.

    Figures with two ends count by their middle, which needs noise above their rounding.
    """
    from scipy.special import fdtrc

    cases, noise_sd = problem.informative, optimum.likely.noise_sd
    widths = (problem.high[cases] - problem.low[cases]) * problem.sharpness[cases]
    is_one_of_cases = any(problem.observed[of].also_at for of in problem.of[cases])
    if is_one_of_cases or (widths > noise_sd).any():
        return None
    # (1) replicates: figures of the same quantity, conditions, relation and baseline
    groups: dict[object, list[int]] = defaultdict(list)
    for case in map(int, cases):
        first = problem.observed[problem.of[case]]
        key = (first.quantity, comparable(first.at), first.relation, comparable(first.baseline))
        groups[key].append(case)
    pure_degrees, degrees = len(cases) - len(groups), len(groups) - free_count
    if pure_degrees < 1 or degrees < 1:
        return None
    # (2) none of them beside a censored figure of the same conditions: their mean is biased
    with_two_ends = set(map(int, problem.of[cases]))
    censored = {
        comparable(observation.at)
        for of, observation in enumerate(problem.observed)
        if of not in with_two_ends
    }
    if any(comparable(problem.observed[of].at) in censored for of in with_two_ends):
        return None
    # (3) pure error: squares about the mean of each group
    pure = 0.0
    for places in map(np.array, groups.values()):
        weight = problem.sharpness[places] ** 2
        middles: Floats = (problem.low[places] + problem.high[places]) / 2
        mean = (weight * middles).sum() / weight.sum()
        pure += float((weight * (middles - mean) ** 2).sum())
    if pure <= 0:
        return None
    # (4) F = (lack of fit over its degrees of freedom) / (pure error over its own)
    total = float((problem.misses(optimum.parameters)[cases] ** 2).sum())
    statistic = (total - pure) / degrees / (pure / pure_degrees)
    probability = float(fdtrc(degrees, pure_degrees, max(statistic, 0.0)))
    return LackOfFit("replicates", statistic, degrees, probability)


def active_bounds(problem: Problem, optimum: Optimum) -> tuple[str, ...]:
    """Names of the parameters that a bound keeps from a likelier value."""
    names = [parameter.name for parameter in problem.model.parameters]
    return tuple(name for name, active in zip(names, optimum.is_active, strict=False) if active)


def notes_of(problem: Problem, optimum: Optimum, collinearity: Collinearity) -> Iterator[str]:
    """What to know before using the parameters."""
    if problem.noise_sd is None and problem.degrees_of_freedom < 1:
        yield "as many observations as parameters: no residual to judge the fit by"
        yield noise_unknown()
    elif problem.is_noiseless(optimum.likely.noise_sd):
        yield "the observations agree with the model to the last digit"
        yield noise_unknown()
    elif problem.is_hidden(optimum.likely.noise_sd):
        yield (
            f"rounding hides the noise, taken as its {percent_text(optimum.likely.noise_sd, 2)}: "
            f"give more digits, or {noise_argument()}"
        )
    if problem.noise_sd is None and problem.degrees_of_freedom == 1 < len(problem.bounds[0]):
        yield (
            "one degree of freedom hardly determines the noise: repeat a run, or give "
            f"{noise_argument()}"
        )
    for name in active_bounds(problem, optimum):
        yield f"{name} is at its bound: the best fit lies beyond it"
    for parameter, inflation in zip(
        problem.model.parameters, collinearity.variance_inflation, strict=False
    ):
        if inflation > _INSEPARABLE:
            yield f"{parameter.name} is hardly separable: variance inflation factor {inflation:.3g}"


def misfit_notes(
    misfit: LackOfFit | None, residuals: tuple[Residual, ...], least_ratio: float
) -> Iterator[str]:
    """That the model does not hold, and which observation is farthest from it."""
    if misfit is not None and misfit.probability_ratio < least_ratio:
        worst = max(residuals, key=lambda each: abs(each.standardised))
        yield (
            f"the model does not hold ({misfit.test}, p = {misfit.probability_ratio:.2g}); "
            f"worst: {worst.name}"
        )
    outlier = largest_of(residuals)
    if outlier is not None and outlier.is_beyond_noise(least_ratio):
        yield f"{OUTLIER} (p = {outlier.probability_ratio:.2g}): check or flag {outlier.name}"


def largest_of(residuals: Iterable[Residual]) -> Residual | None:
    """The residual of the most deviations, the first of equal ones; None where all are met."""
    return max(
        (each for each in residuals if abs(each.deviations) >= _LEAST_DEVIATIONS),
        key=lambda each: round(abs(each.deviations), _SAME_DEVIATIONS),
        default=None,
    )
