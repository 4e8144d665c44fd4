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


@pytest.mark.parametrize("scatter", [0.0, 0.01])
@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("is_repeated", [False, True])
def test_corners_of_many_half_spaces_are_followed(
    size: int, scatter: float, is_repeated: bool
) -> None:
    """Without scatter all upper ends meet in one corner; repeated ones end at the same sides."""
    random = np.random.default_rng(size)
    truth = random.uniform(0.5, 2, size)
    rows = random.uniform(0, 1, (20 if is_repeated else 40, size))
    sums = rows @ truth * (1 + scatter * random.uniform(-1, 1, len(rows)))
    normals, offsets = np.vstack([rows, -rows]), np.concatenate([1.05 * sums, -0.97 * sums])
    if is_repeated:
        normals, offsets = np.vstack([normals, 2 * normals]), np.concatenate([offsets, 2 * offsets])
    cases = [
        HalfSpaces(normals[[place]], offsets[[place]])
        for place in random.permutation(len(offsets)).tolist()
    ]
    start = everything(HalfSpaces(-np.eye(size), np.zeros(size)), [(case,) for case in cases])
    linear = Polytope(start.scales, start.normals, start.offsets, start.compared)
    theirs = within_all(linear, cases)
    at_once = start.within(HalfSpaces(normals, offsets))
    for ours in (within_all(start, cases), at_once):
        assert ours.known is not None
        assert len(ours.bare.offsets) < 60
        for row in np.vstack([np.eye(size), -np.eye(size), [[1.0] * size]]):
            assert ours.largest(row) == pytest.approx(theirs.largest(row), abs=1e-7)
        # what is left out is implied, and a half-space beyond all corners leaves nothing
        assert theirs.implies(HalfSpaces(ours.bare.normals / ours.scales, ours.bare.offsets))
        assert not ours.is_empty
        assert ours.within(HalfSpaces(np.ones((1, size)), np.array([0.5 * truth.sum()]))).is_empty


def test_a_thin_part_is_left_to_linear_programs() -> None:
    """It is thinner than the rounding of corners: whether it is empty they cannot tell."""
    sides = HalfSpaces(np.vstack([np.eye(3), -np.eye(3)]), np.array([1.0, 1, 1, 0, 0, 0]))
    random = np.random.default_rng(1)
    rows = random.uniform(0, 1, (10, 3))
    start = everything(HalfSpaces(-np.eye(3), np.zeros(3)), [(sides,)])
    cube = start.within(sides).within(HalfSpaces(rows, rows.sum(axis=1)))
    assert cube.known is not None
    assert len(cube.known) == 8
    beside = HalfSpaces(-np.eye(3)[[0]], np.array([-1 - 1e-8]))
    assert cube.within(beside).known is None
    apart = HalfSpaces(-np.eye(3)[[0]], np.array([-1.1]))
    assert cube.within(apart).is_empty


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
