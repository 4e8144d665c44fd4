"""Fits of curves against the certified answers of NIST, by day from the far start alone."""

import math

import numpy as np
import pytest
from reference.nist import PROBLEMS, Floats, Problem

from netmodel.calibration import Curve, Fit, FreeParameter, Noise, Observed, fit

pytestmark = pytest.mark.thorough

SAME_DIGITS = 1e-8
"""At least eight of the eleven certified ones; the fits reach nine or more of nearly all."""
NOISELESS = frozenset({"Lanczos1"})
"""Data that the certified parameters give to the last of 14 digits."""


def fitted(problem: Problem, start: int) -> Fit:
    """
    With all figures moved up where some are negative, as nothing observed is.

    From the far start of BoxBOD alone a search ends on a plain; the fit tries others about it.
    """
    lift = max(0.0, -float(problem.y.min()))
    rows = np.atleast_2d(problem.x)
    names = tuple(f"x{place}" for place in range(len(rows)))

    def formula(*arguments: Floats) -> Floats:
        x, parameters = arguments[: len(rows)], arguments[len(rows) :]
        return problem.model(x[0] if len(x) == 1 else x, *parameters) + lift

    numbers = range(1, len(problem.parameters) + 1)
    free = tuple(FreeParameter(f"b{number}", "", -math.inf) for number in numbers)
    curve = Curve("y", free, formula, names, problem.starts[start])
    observed = [
        Observed(quantity="y", at=dict(zip(names, at, strict=True)), low=seen, high=seen)
        for at, seen in zip(rows.T.tolist(), (problem.y + lift).tolist(), strict=True)
    ]
    return fit(observed, curve, noise=Noise.ABSOLUTE)


@pytest.mark.parametrize("start", [0, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_certified_digits(problem: Problem, start: int) -> None:
    result = fitted(problem, start)
    assert [*result.values.values()] == pytest.approx(problem.parameters, rel=SAME_DIGITS)
    assert result.degrees_of_freedom == problem.degrees_of_freedom
    if problem.name in NOISELESS:
        assert any("noise is not known" in warning for warning in result.notes)
        return
    variance = result.noise_sd**2 * len(problem.y) / result.degrees_of_freedom
    assert math.sqrt(variance) == pytest.approx(problem.residual_deviation, rel=1e-6)
    deviations = np.sqrt(np.diag(result.covariance))
    assert deviations == pytest.approx(problem.standard_deviations, rel=1e-6)
