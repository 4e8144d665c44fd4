"""Nonlinear regression problems of NIST with certified answers, read from ``nist_strd``."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["PROBLEMS", "Problem", "read_problem"]

Floats = npt.NDArray[np.float64]
Model = Callable[..., Floats]

DIRECTORY = Path(__file__).parent / "nist_strd"
FIRST_ROW = 60
"""Lines before the data, the same in all files."""


@dataclass(frozen=True, slots=True)
class Problem:
    """
    A model and data, two starts for a fit, and what the fit must find.

    Parameters
    ----------
    name : str
        As NIST calls it.
    difficulty : str
        ``lower``, ``average`` or ``higher``, as NIST judges it.
    model : callable
        ``model(x, *parameters)``, to be compared with ``y``.
    x : numpy.ndarray
        Predictor; two rows where there are two predictors.
    y : numpy.ndarray
        Response, or its logarithm where the model is one of the logarithm.
    starts : tuple of tuple of float
        Further from the answer, and nearer to it.
    parameters, standard_deviations : tuple of float
        Certified.
    residual_sum, residual_deviation : float
        Certified sum of squares, and standard deviation, of the residuals.
    """

    name: str
    difficulty: str
    model: Model
    x: Floats
    y: Floats
    starts: tuple[tuple[float, ...], tuple[float, ...]]
    parameters: tuple[float, ...]
    standard_deviations: tuple[float, ...]
    residual_sum: float
    residual_deviation: float

    @property
    def degrees_of_freedom(self) -> int:
        """Observations less parameters; the file of Rat43 prints another number."""
        return len(self.y) - len(self.parameters)


def read_problem(name: str) -> Problem:
    """One problem, from its file as NIST publishes it."""
    lines = (DIRECTORY / f"{name}.dat").read_text(encoding="ascii").splitlines()
    head, rows = "\n".join(lines[:FIRST_ROW]), "\n".join(lines[FIRST_ROW:])
    table = re.findall(r"^ +b\d = +(\S+) +(\S+) +(\S+) +(\S+)$", head, re.MULTILINE)
    first, second, certified, deviations = (
        tuple(map(float, column)) for column in zip(*table, strict=True)
    )
    response, *predictors = np.array([row.split() for row in rows.splitlines()], dtype=float).T
    return Problem(
        name=name,
        difficulty=_told(head, r"(\w+) +Level of Difficulty").lower(),
        model=MODELS[name],
        x=np.squeeze(predictors),
        y=np.log(response) if "log[y] =" in head else response,
        starts=(first, second),
        parameters=certified,
        standard_deviations=deviations,
        residual_sum=float(_told(head, r"Residual Sum of Squares: +(\S+)")),
        residual_deviation=float(_told(head, r"Residual Standard Deviation: +(\S+)")),
    )


def _told(head: str, pattern: str) -> str:
    result = re.search(pattern, head)
    assert result, pattern
    return result[1]


def bennett5(x: Floats, b1: float, b2: float, b3: float) -> Floats:
    return b1 * (b2 + x) ** (-1 / b3)


def chwirut(x: Floats, b1: float, b2: float, b3: float) -> Floats:
    return np.exp(-b1 * x) / (b2 + b3 * x)


def danwood(x: Floats, b1: float, b2: float) -> Floats:
    return b1 * x**b2


def eckerle4(x: Floats, b1: float, b2: float, b3: float) -> Floats:
    return b1 / b2 * np.exp(-0.5 * ((x - b3) / b2) ** 2)


def enso(x: Floats, *parameters: float) -> Floats:
    b1, b2, b3, b4, b5, b6, b7, b8, b9 = parameters
    turn = 2 * np.pi * x
    yearly = b2 * np.cos(turn / 12) + b3 * np.sin(turn / 12)
    slow = b5 * np.cos(turn / b4) + b6 * np.sin(turn / b4)
    return b1 + yearly + slow + b8 * np.cos(turn / b7) + b9 * np.sin(turn / b7)


def gauss(x: Floats, *parameters: float) -> Floats:
    b1, b2, b3, b4, b5, b6, b7, b8 = parameters
    first, second = ((x - b4) / b5) ** 2, ((x - b7) / b8) ** 2
    return b1 * np.exp(-b2 * x) + b3 * np.exp(-first) + b6 * np.exp(-second)


def cubic_ratio(x: Floats, *parameters: float) -> Floats:
    b1, b2, b3, b4, b5, b6, b7 = parameters
    return (b1 + b2 * x + b3 * x**2 + b4 * x**3) / (1 + b5 * x + b6 * x**2 + b7 * x**3)


def kirby2(x: Floats, b1: float, b2: float, b3: float, b4: float, b5: float) -> Floats:
    return (b1 + b2 * x + b3 * x**2) / (1 + b4 * x + b5 * x**2)


def lanczos(x: Floats, *parameters: float) -> Floats:
    b1, b2, b3, b4, b5, b6 = parameters
    return b1 * np.exp(-b2 * x) + b3 * np.exp(-b4 * x) + b5 * np.exp(-b6 * x)


def mgh09(x: Floats, b1: float, b2: float, b3: float, b4: float) -> Floats:
    return b1 * (x**2 + x * b2) / (x**2 + x * b3 + b4)


def mgh10(x: Floats, b1: float, b2: float, b3: float) -> Floats:
    return b1 * np.exp(b2 / (x + b3))


def mgh17(x: Floats, b1: float, b2: float, b3: float, b4: float, b5: float) -> Floats:
    return b1 + b2 * np.exp(-x * b4) + b3 * np.exp(-x * b5)


def saturating(x: Floats, b1: float, b2: float) -> Floats:
    return b1 * (1 - np.exp(-b2 * x))


def misra1b(x: Floats, b1: float, b2: float) -> Floats:
    return b1 * (1 - (1 + b2 * x / 2) ** -2)


def misra1c(x: Floats, b1: float, b2: float) -> Floats:
    return b1 * (1 - (1 + 2 * b2 * x) ** -0.5)


def misra1d(x: Floats, b1: float, b2: float) -> Floats:
    return b1 * b2 * x / (1 + b2 * x)


def nelson(x: Floats, b1: float, b2: float, b3: float) -> Floats:
    time, temperature = x
    return b1 - b2 * time * np.exp(-b3 * temperature)


def rat42(x: Floats, b1: float, b2: float, b3: float) -> Floats:
    return b1 / (1 + np.exp(b2 - b3 * x))


def rat43(x: Floats, b1: float, b2: float, b3: float, b4: float) -> Floats:
    return b1 / (1 + np.exp(b2 - b3 * x)) ** (1 / b4)


def roszman1(x: Floats, b1: float, b2: float, b3: float, b4: float) -> Floats:
    return b1 - b2 * x - np.arctan(b3 / (x - b4)) / np.pi


MODELS: dict[str, Model] = {
    "Bennett5": bennett5,
    "BoxBOD": saturating,
    "Chwirut1": chwirut,
    "Chwirut2": chwirut,
    "DanWood": danwood,
    "ENSO": enso,
    "Eckerle4": eckerle4,
    "Gauss1": gauss,
    "Gauss2": gauss,
    "Gauss3": gauss,
    "Hahn1": cubic_ratio,
    "Kirby2": kirby2,
    "Lanczos1": lanczos,
    "Lanczos2": lanczos,
    "Lanczos3": lanczos,
    "MGH09": mgh09,
    "MGH10": mgh10,
    "MGH17": mgh17,
    "Misra1a": saturating,
    "Misra1b": misra1b,
    "Misra1c": misra1c,
    "Misra1d": misra1d,
    "Nelson": nelson,
    "Rat42": rat42,
    "Rat43": rat43,
    "Roszman1": roszman1,
    "Thurber": cubic_ratio,
}

PROBLEMS = tuple(read_problem(name) for name in MODELS)
