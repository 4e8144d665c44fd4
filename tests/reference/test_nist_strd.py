"""Fits of curves against the certified answers of NIST, by day from the far start alone."""

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from netmodel.calibration import Curve, FreeParameter, Noise, Observed, fit

pytestmark = pytest.mark.thorough

Floats = npt.NDArray[np.float64]
Model = Callable[..., Floats]

DIRECTORY = Path(__file__).parent / "nist_strd"
FIRST_ROW = 60
"""Lines before the data, the same in all files."""
SAME_DIGITS = 1e-8
"""At least eight of the eleven certified ones; the fits reach nine or more of nearly all."""
NOISELESS = frozenset({"Lanczos1"})
"""Data that the certified parameters give to the last of 14 digits."""


def bennett5(x: Floats, b1: float, b2: float, b3: float) -> Floats:
    return b1 * (b2 + x) ** (-1 / b3)


def thurber(x: Floats, *parameters: float) -> Floats:
    b1, b2, b3, b4, b5, b6, b7 = parameters
    return (b1 + b2 * x + b3 * x**2 + b4 * x**3) / (1 + b5 * x + b6 * x**2 + b7 * x**3)


def lanczos(x: Floats, *parameters: float) -> Floats:
    b1, b2, b3, b4, b5, b6 = parameters
    return b1 * np.exp(-b2 * x) + b3 * np.exp(-b4 * x) + b5 * np.exp(-b6 * x)


def mgh10(x: Floats, b1: float, b2: float, b3: float) -> Floats:
    return b1 * np.exp(b2 / (x + b3))


def saturating(x: Floats, b1: float, b2: float) -> Floats:
    return b1 * (1 - np.exp(-b2 * x))


def nelson(x: Floats, b1: float, b2: float, b3: float) -> Floats:
    time, temperature = x
    return b1 - b2 * time * np.exp(-b3 * temperature)


MODELS: dict[str, Model] = {
    "Bennett5": bennett5,  # needs hundreds of steps; some figures are negative
    "BoxBOD": saturating,  # its far start is on a plain
    "Lanczos1": lanczos,
    "MGH10": mgh10,  # parameters ten million times as large as others
    "Misra1a": saturating,
    "Nelson": nelson,  # two predictors, and the logarithm of the response
    "Thurber": thurber,
}
"""Of each kind one, most of them of the higher level of difficulty."""


@pytest.mark.parametrize("start", [0, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", MODELS)
def test_certified_digits(name: str, start: int) -> None:
    """The files are as NIST publishes them: two starts, certified values and deviations, data."""
    lines = (DIRECTORY / f"{name}.dat").read_text(encoding="ascii").splitlines()
    head = "\n".join(lines[:FIRST_ROW])
    table = re.findall(r"^ +b\d = +(\S+) +(\S+) +(\S+) +(\S+)$", head, re.MULTILINE)
    *starts, certified, deviations = np.array(table, dtype=float).T
    response, *predictors = np.array([row.split() for row in lines[FIRST_ROW:]], dtype=float).T
    seen = np.log(response) if "log[y] =" in head else response
    lift = max(0.0, -float(seen.min()))  # nothing observed is negative
    names = tuple(f"x{place}" for place in range(len(predictors)))

    def formula(*arguments: Floats) -> Floats:
        x, parameters = arguments[: len(names)], arguments[len(names) :]
        return MODELS[name](x[0] if len(x) == 1 else x, *parameters) + lift

    free = tuple(FreeParameter(f"b{place}", "", -math.inf) for place in range(len(certified)))
    observed = [
        Observed(quantity="y", at=dict(zip(names, at, strict=True)), low=y, high=y)
        for *at, y in zip(*predictors, seen + lift, strict=True)
    ]
    result = fit(observed, Curve("y", free, formula, names, starts[start]), noise=Noise.ABSOLUTE)
    assert [*result.values.values()] == pytest.approx(certified, rel=SAME_DIGITS)
    assert result.degrees_of_freedom == len(seen) - len(certified)
    if name in NOISELESS:
        assert any("noise is not known" in warning for warning in result.notes)
        return
    told = re.search(r"Residual Standard Deviation: +(\S+)", head)
    assert told
    variance = result.noise_sd**2 * len(seen) / result.degrees_of_freedom
    assert math.sqrt(variance) == pytest.approx(float(told[1]), rel=1e-6)
    assert np.sqrt(np.diag(result.covariance)) == pytest.approx(deviations, rel=1e-6)
