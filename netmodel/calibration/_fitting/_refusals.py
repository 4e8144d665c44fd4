"""Why observations do not tell parameters, and what would."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from netmodel.calibration._fitting._problem import Likely, Problem
from netmodel.calibration._model import Floats
from netmodel.errors import CalibrationError

__all__ = ["Collinearity", "collinearity_of", "is_flat", "require_enough", "require_noise"]

_LEAST_EFFECT_SD = 1e-6
_LEAST_RATIO = 1e-10
_TAKES_PART = 0.1
_CERTAIN = -1e-6


class Collinearity(NamedTuple):
    """
    How well observations tell parameters apart.

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
            f"all {len(problem.observed)} observations are open at one end: they bound "
            f"{_listed(wanted)}, but tell no value; {_another(problem)}"
        )
    if informative < len(wanted):
        raise CalibrationError(
            f"{informative} observations with two ends do not tell {len(wanted)} parameters, "
            f"{_listed(wanted)}; {_another(problem)}"
        )
    is_met = problem.is_all_exact or problem.least_noise_sd > 0
    if informative == len(wanted) and problem.noise_sd is None and not is_met:
        raise CalibrationError(
            f"{informative} observations with two ends do not tell {len(wanted)} parameters and "
            f"the noise; {_another(problem)}, or give the noise (--noise, noise_ratio)"
        )


def require_noise(problem: Problem, likely: Likely) -> None:
    """
    Refuse observations that are met without any noise where it is to be found.

    Raises
    ------
    CalibrationError
        If the less noise there is, the likelier are the observations, and parameters are
        not told by them.
    """
    if problem.noise_sd is not None or problem.is_all_exact or problem.least_noise_sd:
        return
    is_sure = not problem.exact.size and likely.log_likelihood > _CERTAIN
    if is_sure or problem.is_noiseless(likely.noise_sd):
        raise CalibrationError(
            "the model meets every observation within its ends without any noise, so that "
            "there is no unique best fit; give the noise (--noise, noise_ratio)"
        )


def collinearity_of(problem: Problem, parameters: Floats, noise_sd: float) -> Collinearity:
    """
    How well the observations tell the parameters apart.

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
            f"the observations do not tell {_told_together(up, down)}; "
            f"{_another(problem, [*up, *down])}"
        )
    inflation = ((directions / singular[:, np.newaxis]) ** 2).sum(axis=0)
    return Collinearity(float(singular[0] / singular[-1]), inflation)


def is_flat(problem: Problem, parameters: Floats, noise_sd: float) -> bool:
    """Whether the observations do not tell the parameters at an optimum."""
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
    up, down = ([names[int(one)] for one in taking_part if signs[one] == sign] for sign in (1, -1))
    return up, down


def _told_together(up: Sequence[str], down: Sequence[str]) -> str:
    if not down:
        return f"{_listed(up)} together"
    return f"{_listed(up)} apart from {_listed(down)}: more of one and less of the other is alike"


def _another(problem: Problem, names: Sequence[str] = ()) -> str:
    """Which measurement would help: what the parameters say, or what never changed so far."""
    hints = dict.fromkeys(
        one.told_by for one in problem.model.parameters if one.name in names and one.told_by
    )
    if hints:
        return f"measure with {_listed([*hints])} as well"
    every = [at for one in problem.observed for at in one.cases]
    same = [
        f"{name} {value}"
        for name, value in every[0].items()
        if all(at.get(name) == value for at in every)
    ]
    if len(every) > 1 and same:
        return f"all were at {_listed(same)}: measure at another"
    return "measure under further conditions, where nothing else limits"


def _names(problem: Problem) -> list[str]:
    return [*(one.name for one in problem.model.parameters), *problem.unknown_names]


def _listed(names: Sequence[str]) -> str:
    return " and ".join([*filter(None, [", ".join(names[:-1])]), *names[-1:]])
