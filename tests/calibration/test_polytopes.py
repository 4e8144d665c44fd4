"""Ranges over sets of parameters, against linear programs of the same half-spaces."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from netmodel.calibration.sets import everything
from netmodel.numeric import Floats

EMPTY, UNBOUNDED = 2, 3
"""`status` of `scipy.optimize.linprog`."""


def largest(row: Floats, normals: Floats, offsets: Floats) -> float:
    """Largest value of a sum of parameters from 0 up; minus infinity where none agrees."""
    found = linprog(-row, A_ub=normals, b_ub=offsets, options={"presolve": False})
    if found.status in (EMPTY, UNBOUNDED):
        return -math.inf if found.status == EMPTY else math.inf
    return -float(found.fun)


def assert_spanned(normals: Floats, offsets: Floats, rows: Floats, near: float) -> None:
    """Compare ranges, also where half-spaces come one by one."""
    every = np.column_stack([normals, -offsets])
    size = rows.shape[1]
    start = everything((np.zeros(size), np.full(size, math.inf)), [[every]])
    at_once, one_by_one = start.within(every), start
    for row in every:
        one_by_one = one_by_one.within(row[np.newaxis])
    for ours in (at_once, one_by_one):
        for row in rows:
            expected = largest(row, normals, offsets)
            assert ours.is_empty == (expected == -math.inf)
            if not ours.is_empty:
                sums = np.append(row, 0.0)[np.newaxis]
                assert ours.ends(sums)[1] == pytest.approx(expected, rel=1e-6, abs=near)


@pytest.mark.parametrize("width", [0.1, 1e-3, 1e-6, 0.0])
@pytest.mark.parametrize("size", [2, 3, 4, 6])
@pytest.mark.parametrize("count", [4, 16])
def test_sums_known_to_within_a_width(size: int, width: float, count: int) -> None:
    """As figures bound them; some sets have no inside."""
    random = np.random.default_rng(size)
    truth = random.uniform(0.5, 2, size) * 10.0 ** -np.arange(size)
    rows = random.uniform(0, 1, (count, size)) / truth
    sums = rows @ truth
    normals, offsets = np.vstack([rows, -rows]), np.concatenate([sums * (1 + width), -sums])
    wanted = np.eye(size) / truth
    assert_spanned(normals, offsets, wanted, 1e-6)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("size", [2, 3, 4])
def test_random_half_spaces(size: int, seed: int) -> None:
    """Too few to bound all parameters, or so many that they leave nothing."""
    random = np.random.default_rng(seed)
    normals, offsets = random.normal(size=(seed, size)), random.normal(0.3, 1, seed)
    if seed:
        assert_spanned(normals, offsets, np.abs(random.normal(size=(4, size))), 1e-6)


def test_thousands_of_figures_about_two_parameters() -> None:
    """The nearest ends count: 2 and 3 times a time, each within a ratio."""
    random = np.random.default_rng(0)
    rows = random.uniform(0.5, 1, (5000, 2))
    sums, spread = rows @ [2.0, 3.0], 1 + random.uniform(0, 0.1, 5000)
    normals, offsets = np.vstack([rows, -rows]), np.concatenate([sums * spread, -sums / spread])
    assert_spanned(normals, offsets, np.eye(2), 1e-7)
