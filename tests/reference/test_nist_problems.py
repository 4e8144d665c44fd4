"""The problems of NIST are read as printed, and their models give the certified answers."""

import math
from collections import Counter

import numpy as np
import pytest
from reference.nist import DIRECTORY, PROBLEMS, Problem, read_problem

STEP = 1e-6
LEAST_SUM = 1e-20
"""What eleven digits of the parameters leave of a sum of squares of the order of one."""

each_problem = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)


def slopes(problem: Problem) -> np.ndarray:
    """A column for each parameter, by central differences."""
    columns = []
    for place, value in enumerate(problem.parameters):
        ends = np.tile(problem.parameters, (2, 1))
        ends[:, place] = value * (1 - STEP), value * (1 + STEP)
        low, high = (problem.model(problem.x, *end) for end in ends)
        columns.append((high - low) / (2 * STEP * value))
    return np.column_stack(columns)


def test_every_file_is_a_problem() -> None:
    assert {problem.name for problem in PROBLEMS} == {path.stem for path in DIRECTORY.glob("*.dat")}
    counts = Counter(problem.difficulty for problem in PROBLEMS)
    assert counts == {"lower": 8, "average": 11, "higher": 8}


def test_a_file_is_read_as_printed() -> None:
    problem = read_problem("Misra1a")
    assert problem.starts == ((500, 0.0001), (250, 0.0005))
    assert problem.parameters == (2.3894212918e02, 5.5015643181e-04)
    assert problem.standard_deviations == (2.7070075241e00, 7.2668688436e-06)
    assert (problem.residual_sum, problem.residual_deviation) == (
        1.2455138894e-01,
        1.0187876330e-01,
    )
    assert (problem.x[0], problem.y[0], problem.x[-1], problem.y[-1]) == (77.6, 10.07, 760, 81.78)
    assert problem.degrees_of_freedom == 12


def test_two_predictors_and_a_logarithm_are_read() -> None:
    problem = read_problem("Nelson")
    assert problem.x.shape == (2, 128)
    assert problem.x[:, -1].tolist() == [64, 275]
    assert problem.y[0] == math.log(15)


@each_problem
def test_the_certified_parameters_have_the_certified_residuals(problem: Problem) -> None:
    residuals = problem.y - problem.model(problem.x, *problem.parameters)
    assert residuals @ residuals == pytest.approx(problem.residual_sum, rel=1e-9, abs=LEAST_SUM)
    assert math.sqrt(problem.residual_sum / problem.degrees_of_freedom) == pytest.approx(
        problem.residual_deviation, rel=1e-9
    )


@each_problem
def test_the_certified_deviations_are_those_of_the_model(problem: Problem) -> None:
    _, triangle = np.linalg.qr(slopes(problem))
    spreads = np.linalg.norm(np.linalg.inv(triangle), axis=1) * problem.residual_deviation
    assert spreads == pytest.approx(problem.standard_deviations, rel=3e-6)


@each_problem
def test_the_starts_are_worse_than_the_answer(problem: Problem) -> None:
    for start in problem.starts:
        assert len(start) == len(problem.parameters)
        with np.errstate(over="ignore"):
            residuals = problem.y - problem.model(problem.x, *start)
            assert not residuals @ residuals <= 1.0001 * problem.residual_sum
