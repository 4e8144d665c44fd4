"""Ranges over sets of parameters by their corners, against linear programs of the same sets."""

import math

import numpy as np
import pytest

from netmodel.calibration._models import Loads
from netmodel.calibration._polytopes import HalfSpaces, Polytope, everything


def within_all(start: Polytope, cases: list[HalfSpaces]) -> Polytope:
    for case in cases:
        start = start.within(case)
    return start


@pytest.mark.parametrize("width", [0.1, 1e-3, 1e-7, 0.0])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_corners_and_linear_programs_agree(size: int, width: float) -> None:
    """Sums known to within a width, as figures bound them; some sets have no inside."""
    random = np.random.default_rng(size)
    for trial in range(4):
        truth = random.uniform(0.5, 2, size) * 10.0 ** -np.arange(size)
        rows = random.uniform(0, 1, (4 + 4 * trial, size)) / truth
        sums = rows @ truth
        shift = 1.01 if trial == 3 else 1  # the last sum contradicts the others
        sums[-1] *= shift
        cases = [
            HalfSpaces(np.array([row, -row]), np.array([total * (1 + width), -total]))
            for row, total in zip(rows, sums, strict=True)
        ]
        limits = HalfSpaces(-np.eye(size), np.zeros(size))
        start = everything(limits, [(case,) for case in cases])
        bare = Polytope(start.scales, start.normals, start.offsets, start.compared)
        ours, theirs = within_all(start, cases), within_all(bare, cases)
        assert type(ours) is not Polytope
        assert ours.is_empty == theirs.is_empty
        if theirs.is_empty:
            continue
        for row in np.vstack([np.eye(size), -np.eye(size)]):
            scale = float(np.abs(row) @ truth)
            assert ours.largest(row) == pytest.approx(theirs.largest(row), abs=3e-7 * scale)
        above, below = (
            Loads(random.uniform(0, 1, (2, size)) / truth, np.array([0.0, 0.5]), True, ("a", "b"))
            for _ in range(2)
        )
        expected = theirs.largest_ratio(above, below)
        assert ours.largest_ratio(above, below) == pytest.approx(expected, rel=3e-7)


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_directions_without_end_and_linear_programs_agree(size: int, count: int) -> None:
    """Random half-spaces, too few to bound all parameters; some leave nothing."""
    random = np.random.default_rng(10 * size + count)
    limits = HalfSpaces(-np.eye(size), np.zeros(size))
    open_ends, empty = 0, 0
    for _ in range(6):
        more = HalfSpaces(random.normal(size=(count, size)), random.normal(0.3, 1, count))
        ours = everything(limits, [(more,)] if count else []).within(more)
        theirs = Polytope(ours.scales, ours.normals, ours.offsets, ours.compared)
        assert ours.is_empty == theirs.is_empty
        empty += ours.is_empty
        if theirs.is_empty:
            continue
        for row in random.normal(size=(4, size)):
            expected = theirs.largest(row)
            open_ends += expected == math.inf
            assert ours.largest(row) == pytest.approx(expected, rel=1e-6, abs=1e-6)
        above, below = (
            Loads(random.uniform(size=(2, size)), random.uniform(size=2), True, ("a", "b"))
            for _ in range(2)
        )
        expected = theirs.largest_ratio(above, below)
        assert ours.largest_ratio(above, below) == pytest.approx(expected, rel=1e-6)
    assert open_ends
    assert empty or count < 5
