"""Whether observations determine the parameters, and how well a fit agrees with them."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from netmodel._numeric import Floats
from netmodel.calibration._likelihood import Noise
from netmodel.calibration._observed import Conditions, Observed, comparable
from netmodel.calibration._problem import Likely, Optimum, Problem
from netmodel.calibration._scatter import NOISE_UNKNOWN, WIDTH_IN_SD, probability_of_largest
from netmodel.errors import CalibrationError

_SAME_COUNT = 3
"""Conditions that a note names, so that it stays one line."""
_LEAST_EFFECT_SD = 1e-6
"""Standard deviations by which a parameter must move some figure to be seen in it at all: a
millionth, well above the 1e-9 to which searches settle."""
_LEAST_RATIO = 1e-10
"""Smallest to largest singular value of the slopes: below the 1e-10 of slopes by differences,
directions are rounding."""
_TAKES_PART = 0.1
"""Of the largest part of a direction: smaller parts are not named."""
_CERTAIN = -1e-6
"""A log-likelihood so near 0 says that every figure is certain to be within its ends."""
_INSEPARABLE = 100.0
"""A variance that the other parameters make this many times as large: ten times the interval."""
_MOST_DRAWN = 1 - 1e-6
"""The model meets an observation that alone determines a parameter: its residual is rounding."""
_LEAST_DEVIATIONS = 0.05
"""Half of the last digit that is printed of them."""


class Collinearity(NamedTuple):
    """
    How well observations separate the parameters.

    Parameters
    ----------
    condition_number : float
        Of the slopes of the observations, each parameter by its own scale.
    variance_inflation : numpy.ndarray
        Of each parameter: how many times its variance is what it would be if the
        other parameters were known.
    """

    condition_number: float
    variance_inflation: Floats


def require_enough(problem: Problem) -> None:
    """
    Refuse observations that are fewer than what is to be found.

    Raises
    ------
    CalibrationError
        If there are fewer observations with two ends than parameters.
    """
    informative, wanted = len(problem.informative), _names(problem)
    if not informative:
        raise CalibrationError(
            f"all {len(problem.observed)} observations are open at one end, no value for "
            f"{_listed(wanted)}; {_another(problem)}"
        )
    if informative < len(wanted):
        raise CalibrationError(
            f"{informative} observations with two ends are too few for {len(wanted)} parameters, "
            f"{_listed(wanted)}; {_another(problem)}"
        )
    is_met = problem.is_all_exact or problem.least_noise_sd > 0
    if informative == len(wanted) and problem.noise_sd is None and not is_met:
        raise CalibrationError(
            f"{informative} observations with two ends are too few for {len(wanted)} parameters "
            f"and the noise; {_another(problem)}, or give the noise (--noise)"
        )


def require_noise(problem: Problem, likely: Likely) -> None:
    """
    Refuse observations that are met without any noise where it is to be found.

    Raises
    ------
    CalibrationError
        If the less noise there is, the likelier are the observations, and parameters are
        not determined by them.
    """
    if problem.noise_sd is not None or problem.is_all_exact or problem.least_noise_sd:
        return
    is_sure = not problem.exact.size and likely.log_likelihood > _CERTAIN
    if is_sure or problem.is_noiseless(likely.noise_sd):
        raise CalibrationError(
            "every observation is met within its digits; give the noise (--noise)"
        )


def collinearity_of(problem: Problem, parameters: Floats, noise_sd: float) -> Collinearity:
    """
    How well the observations separate the parameters.

    Raises
    ------
    CalibrationError
        If they do not.
    """
    slopes = problem.evidence(parameters, noise_sd)
    size = np.linalg.norm(slopes, axis=0)
    names = _names(problem)
    effect = size * np.where(parameters == 0, 1.0, np.abs(parameters))
    lost = (size == 0) | ((effect < _LEAST_EFFECT_SD) & (parameters != 0))
    if lost.any():
        which = [name for name, is_lost in zip(names, lost, strict=True) if is_lost]
        raise CalibrationError(
            f"no observation depends on {_listed(which)}; {_another(problem, which)}"
        )
    _, singular, directions = np.linalg.svd(slopes / size, full_matrices=False)
    if len(singular) < len(names) or singular[-1] < _LEAST_RATIO * singular[0]:
        up, down = _direction(names, directions[-1])
        raise CalibrationError(
            f"the observations cannot separate {_inseparable(up, down)}; "
            f"{_another(problem, [*up, *down])}"
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


def _direction(names: Sequence[str], direction: Floats) -> tuple[list[str], list[str]]:
    """Parameters that may rise, and that then fall, without a difference to any observation."""
    shares = direction / np.abs(direction).max()
    taking_part = np.flatnonzero(np.abs(shares) > _TAKES_PART)
    signs = np.sign(shares) * np.sign(shares[taking_part[0]])
    up, down = (
        [names[int(each)] for each in taking_part if signs[each] == sign] for sign in (1, -1)
    )
    return up, down


def _inseparable(up: Sequence[str], down: Sequence[str]) -> str:
    if not down:
        return f"{_listed(up)}: only what they make together is seen"
    return f"{_listed(up)} from {_listed(down)}: more of one and less of the other fits as well"


def _another(problem: Problem, names: Sequence[str] = ()) -> str:
    """Which measurement would help: what the parameters say, or what never changed so far."""
    hints = dict.fromkeys(
        parameter.separated_by
        for parameter in problem.model.parameters
        if parameter.name in names and parameter.separated_by
    )
    if hints:
        return f"measure with {_listed([*hints])} as well"
    every = [at for observation in problem.observed for at in observation.cases]
    same = [
        f"{name} {value}"
        for name, value in every[0].items()
        if all(at.get(name) == value for at in every)
    ]
    if len(every) > 1 and same:
        return f"measure under other conditions than {_listed(same[:_SAME_COUNT])}"
    return "measure under further conditions, where nothing else limits"


def _names(problem: Problem) -> list[str]:
    return [*(parameter.name for parameter in problem.model.parameters), *problem.unknown_names]


def _listed(names: Sequence[str]) -> str:
    return " and ".join([*filter(None, [", ".join(names[:-1])]), *names[-1:]])


class Residual(NamedTuple):
    """
    How far an observation is from the model.

    Parameters
    ----------
    name : str
        Of the observation.
    difference : float
        Seen less model: of logarithms where noise is relative, else in the unit of
        the quantity. Zero between its ends.
    standardised : float
        In standard deviations; of an interval, what is expected between its ends.
    quantity : str
        What was measured, with its unit.
    at : mapping
        Conditions of it.
    measured, fitted : float
        The figure, or the only end of a bound, and what the model has there; ratios where
        it is compared with another.
    deviations : float
        Difference in standard deviations of what it should be: of noise and rounding, less
        what the observation itself draws the model towards it.
    probability_ratio : float, optional
        Probability that noise alone makes the largest residual at least this large. Where the
        noise is not known, it is estimated from the other observations; None where they
        cannot give it.
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
        """Whether noise is less likely than this to make a residual so large."""
        return self.probability_ratio is not None and self.probability_ratio < least_ratio

    def to_dict(self) -> dict[str, Any]:
        """Plain values by name."""
        return {**self._asdict(), "at": dict(self.at)}


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
    """One for each observation that bounds anything."""
    parameters, noise_sd = optimum.parameters, optimum.likely.noise_sd
    means = problem.means(parameters)
    beyond = np.maximum(problem.low - means, 0) + np.minimum(problem.high - means, 0)
    largest = np.zeros(len(problem.observed))
    for of, each in zip(problem.of, beyond, strict=True):
        largest[of] = each if abs(each) > abs(largest[of]) else largest[of]
    standardised = problem.residuals(parameters, noise_sd)
    deviations, likely = _deviations(problem, optimum)
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
            probability_ratio=likely[of],
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
    Of each observation its miss over the standard deviation that it should have.

    With how likely noise makes a largest one of it: where noise is to be found, by the
    standard deviation of the others alone.
    """
    places, free = problem.informative, np.flatnonzero(~optimum.is_active)
    misses, noise_sd = problem.misses(optimum.parameters), optimum.likely.noise_sd
    degrees, count = problem.degrees_of_freedom, len(places)
    if problem.noise_sd is None:
        noise_sd *= math.sqrt(count / max(degrees, 1))
    result = np.zeros(len(problem.observed))
    for of, each in zip(problem.of, misses / noise_sd, strict=True):
        result[of] = each if abs(each) > abs(result[of]) else result[of]
    sharpness = problem.sharpness[places]
    slopes = problem.slopes(optimum.parameters)[places][:, free] * sharpness[:, np.newaxis]
    size = np.linalg.norm(slopes, axis=0)
    basis, _ = np.linalg.qr(slopes / np.where(size > 0, size, 1.0))
    left = 1 - np.minimum((basis**2).sum(axis=1), _MOST_DRAWN)
    rounding = ((problem.high[places] - problem.low[places]) * sharpness / WIDTH_IN_SD) ** 2
    own = misses[places]
    result[problem.of[places]] = own / np.sqrt((noise_sd**2 + rounding) * left)
    likely: list[float | None] = [None] * len(result)
    if problem.noise_sd is not None:
        likely = [probability_of_largest(float(each), count, None) for each in result]
    elif degrees > 1 and not problem.is_noiseless(optimum.likely.noise_sd):
        others = np.maximum((own @ own - own**2 / left) / (degrees - 1), 0.0)
        with np.errstate(divide="ignore"):
            students = own / np.sqrt((np.maximum(others, problem.least_noise_sd**2)) * left)
        for of, each in zip(problem.of[places], students, strict=True):
            likely[of] = probability_of_largest(float(each), count, degrees - 1)
    return result, likely


def lack_of_fit(problem: Problem, optimum: Optimum) -> LackOfFit | None:
    """The test that the observations allow; None where they allow none."""
    free = len(optimum.parameters) - int(optimum.is_active.sum())
    if problem.noise_sd is not None:
        return _by_known_noise(problem, optimum, free)
    return _by_replicates(problem, optimum, free)


def active_bounds(problem: Problem, optimum: Optimum) -> tuple[str, ...]:
    """Names of the parameters that a bound keeps from likelier values."""
    names = [parameter.name for parameter in problem.model.parameters]
    return tuple(name for name, active in zip(names, optimum.is_active, strict=False) if active)


def warnings_of(problem: Problem, optimum: Optimum, collinearity: Collinearity) -> Iterator[str]:
    """What to know before using the parameters."""
    if problem.noise_sd is None and problem.degrees_of_freedom < 1:
        yield f"as many figures as parameters, without a degree of freedom: {NOISE_UNKNOWN}"
    elif problem.is_noiseless(optimum.likely.noise_sd):
        yield f"the figures agree with the model to the last digit: {NOISE_UNKNOWN}"
    elif problem.is_hidden(optimum.likely.noise_sd):
        yield (
            f"rounding hides the noise, taken as its {100 * optimum.likely.noise_sd:.2g} %: "
            "print more digits, or give --noise (noise_ratio)"
        )
    if problem.noise_sd is None and problem.degrees_of_freedom == 1 < len(problem.bounds[0]):
        yield (
            "one degree of freedom hardly determines the noise: repeat a run, or give --noise "
            "(noise_ratio)"
        )
    for name in active_bounds(problem, optimum):
        yield f"{name} is at its bound: the observations would have it beyond"
    for parameter, inflation in zip(
        problem.model.parameters, collinearity.variance_inflation, strict=False
    ):
        if inflation > _INSEPARABLE:
            yield (
                f"{parameter.name} is hardly separable from the others: "
                f"they make its variance {inflation:.3g} times as large"
            )


def misfit_warnings(
    misfit: LackOfFit | None, residuals: tuple[Residual, ...], least_ratio: float
) -> Iterator[str]:
    """That the model does not hold, and where it is furthest off."""
    if misfit is not None and misfit.probability_ratio < least_ratio:
        worst = max(residuals, key=lambda each: abs(each.standardised))
        yield (
            f"the model does not hold: differences this large have a probability of "
            f"{misfit.probability_ratio:.2g} ({misfit.test}); the largest is of {worst.name}, "
            f"{worst.standardised:.3g} standard deviations"
        )
    outlier = largest_of(residuals)
    if outlier is not None and outlier.is_beyond_noise(least_ratio):
        yield (
            f"{outlier.name} is {abs(outlier.deviations):.3g} standard deviations from the model, "
            f"more than the noise explains (probability {outlier.probability_ratio:.2g}): check "
            "that run, or flag it"
        )


def largest_of(residuals: Iterable[Residual]) -> Residual | None:
    """The one of most deviations; None where the model meets all observations."""
    return max(
        (each for each in residuals if abs(each.deviations) >= _LEAST_DEVIATIONS),
        key=lambda each: abs(each.deviations),
        default=None,
    )


def _by_known_noise(problem: Problem, optimum: Optimum, free: int) -> LackOfFit | None:
    from scipy.special import chdtrc

    degrees = len(problem.informative) - free
    if degrees < 1:
        return None
    residuals = problem.residuals(optimum.parameters, optimum.likely.noise_sd)
    square = float((residuals[problem.of[problem.informative]] ** 2).sum())
    return LackOfFit("known noise", square, degrees, float(chdtrc(degrees, square)))


def _by_replicates(problem: Problem, optimum: Optimum, free: int) -> LackOfFit | None:
    """Of figures with two ends, whose middle stands for them where noise exceeds their rounding."""
    from scipy.special import fdtrc

    cases, noise_sd = problem.informative, optimum.likely.noise_sd
    widths = (problem.high[cases] - problem.low[cases]) * problem.sharpness[cases]
    is_one_of_several = any(problem.observed[of].also_at for of in problem.of[cases])
    places = _replicates(problem)
    pure_degrees, degrees = len(cases) - len(places), len(places) - free
    is_told = not is_one_of_several and not _is_half_censored(problem, places)
    if not is_told or pure_degrees < 1 or degrees < 1 or (widths > noise_sd).any():
        return None
    pure = sum(_square_about_mean(problem, np.array(place)) for place in places)
    every = float((problem.misses(optimum.parameters)[cases] ** 2).sum())
    if pure <= 0:
        return None
    statistic = (every - pure) / degrees / (pure / pure_degrees)
    probability = float(fdtrc(degrees, pure_degrees, max(statistic, 0.0)))
    return LackOfFit("replicates", statistic, degrees, probability)


def _is_half_censored(problem: Problem, places: list[list[int]]) -> bool:
    """Whether figures have others of the same conditions beside them that were censored."""
    seen = {int(problem.of[place]) for many in places for place in many}
    censored = {
        comparable(observation.at)
        for of, observation in enumerate(problem.observed)
        if of not in seen
    }
    return any(comparable(problem.observed[of].at) in censored for of in seen)


def _replicates(problem: Problem) -> list[list[int]]:
    """Places of figures with two ends of each quantity, all that are of the same together."""
    result: dict[object, list[int]] = defaultdict(list)
    for place in map(int, problem.informative):
        first = problem.observed[problem.of[place]]
        result[
            first.quantity, comparable(first.at), first.relation, comparable(first.baseline)
        ].append(place)
    return list(result.values())


def _square_about_mean(problem: Problem, places: np.ndarray) -> float:
    weight = problem.sharpness[places] ** 2
    seen: Floats = (problem.low[places] + problem.high[places]) / 2
    mean = (weight * seen).sum() / weight.sum()
    return float((weight * (seen - mean) ** 2).sum())
