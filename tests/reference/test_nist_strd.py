"""Fits of curves against the certified answers of NIST, by day from the far start alone."""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from netmodel.calibration import Observed, fit
from netmodel.calibration.models import Curve, FreeParameter

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


MODELS: dict[str, Model] = {
    "Bennett5": lambda x, b1, b2, b3: b1 * (b2 + x) ** (-1 / b3),
    "BoxBOD": lambda x, b1, b2: b1 * (1 - np.exp(-b2 * x)),
    "Chwirut": lambda x, b1, b2, b3: np.exp(-b1 * x) / (b2 + b3 * x),
    "DanWood": lambda x, b1, b2: b1 * x**b2,
    "ENSO": lambda x, b1, b2, b3, b4, b5, b6, b7, b8, b9: (
        b1
        + (b2 * np.cos(2 * np.pi * x / 12) + b3 * np.sin(2 * np.pi * x / 12))
        + (b5 * np.cos(2 * np.pi * x / b4) + b6 * np.sin(2 * np.pi * x / b4))
        + (b8 * np.cos(2 * np.pi * x / b7) + b9 * np.sin(2 * np.pi * x / b7))
    ),
    "Eckerle4": lambda x, b1, b2, b3: b1 / b2 * np.exp(-0.5 * ((x - b3) / b2) ** 2),
    "Gauss": lambda x, b1, b2, b3, b4, b5, b6, b7, b8: (
        b1 * np.exp(-b2 * x)
        + b3 * np.exp(-(((x - b4) / b5) ** 2))
        + b6 * np.exp(-(((x - b7) / b8) ** 2))
    ),
    "Hahn1": lambda x, *b: _polynomial(x, b[:4]) / _polynomial(x, (1, *b[4:])),
    "Kirby2": lambda x, *b: _polynomial(x, b[:3]) / _polynomial(x, (1, *b[3:])),
    "Lanczos": lambda x, b1, b2, b3, b4, b5, b6: (
        b1 * np.exp(-b2 * x) + b3 * np.exp(-b4 * x) + b5 * np.exp(-b6 * x)
    ),
    "MGH09": lambda x, b1, b2, b3, b4: b1 * (x**2 + x * b2) / (x**2 + x * b3 + b4),
    "MGH10": lambda x, b1, b2, b3: b1 * np.exp(b2 / (x + b3)),
    "MGH17": lambda x, b1, b2, b3, b4, b5: b1 + b2 * np.exp(-x * b4) + b3 * np.exp(-x * b5),
    "Misra1a": lambda x, b1, b2: b1 * (1 - np.exp(-b2 * x)),
    "Misra1b": lambda x, b1, b2: b1 * (1 - (1 + b2 * x / 2) ** -2),
    "Misra1c": lambda x, b1, b2: b1 * (1 - (1 + 2 * b2 * x) ** -0.5),
    "Misra1d": lambda x, b1, b2: b1 * b2 * x / (1 + b2 * x),
    "Nelson": lambda x, b1, b2, b3: b1 - b2 * x[0] * np.exp(-b3 * x[1]),
    "Rat42": lambda x, b1, b2, b3: b1 / (1 + np.exp(b2 - b3 * x)),
    "Rat43": lambda x, b1, b2, b3, b4: b1 / (1 + np.exp(b2 - b3 * x)) ** (1 / b4),
    "Roszman1": lambda x, b1, b2, b3, b4: b1 - b2 * x - np.arctan(b3 / (x - b4)) / np.pi,
    "Thurber": lambda x, *b: _polynomial(x, b[:4]) / _polynomial(x, (1, *b[4:])),
}
"""Of a problem, or of all whose names begin so."""
PROBLEMS = sorted(path.stem for path in DIRECTORY.glob("*.dat"))


def _polynomial(x: Floats, coefficients: Sequence[Any]) -> Any:
    return sum(each * x**power for power, each in enumerate(coefficients))


@pytest.mark.parametrize("start", [0, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", PROBLEMS)
def test_certified_digits(name: str, start: int) -> None:
    """The files are as NIST publishes them: two starts, certified values and deviations, data."""
    lines = (DIRECTORY / f"{name}.dat").read_text(encoding="ascii").splitlines()
    head = "\n".join(lines[:FIRST_ROW])
    table = re.findall(r"^ +b\d = +(\S+) +(\S+) +(\S+) +(\S+)$", head, re.MULTILINE)
    *starts, certified, deviations = np.array(table, dtype=float).T
    response, *predictors = np.array([row.split() for row in lines[FIRST_ROW:]], dtype=float).T
    seen = np.log(response) if "log[y] =" in head else response
    lift = max(0.0, -float(seen.min()))  # nothing observed is negative
    model = MODELS.get(name) or MODELS[name[:-1]]
    names = tuple(f"x{place}" for place in range(len(predictors)))

    def formula(*arguments: Floats) -> Floats:
        x, parameters = arguments[: len(names)], arguments[len(names) :]
        return model(x[0] if len(x) == 1 else x, *parameters) + lift

    free = tuple(FreeParameter(f"b{place}", "", -math.inf) for place in range(len(certified)))
    observed = [
        Observed(quantity="y", at=dict(zip(names, at, strict=True)), low=y, high=y)
        for *at, y in zip(*predictors, seen + lift, strict=True)
    ]
    result = fit(observed, Curve("y", free, formula, names, starts[start]), noise="absolute")
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
