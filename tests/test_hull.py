"""Shapes that half-planes leave, against Qhull."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial import HalfspaceIntersection

from netmodel.hull import edges, half_plane_corners


@pytest.mark.parametrize("count", [25, 60, 300])
@pytest.mark.parametrize("slack", [0.3, 1e-3])
def test_corners_of_many_half_planes(count: int, slack: float) -> None:
    """Half-planes around a point, near and far: few of them have an edge."""
    random = np.random.default_rng(count)
    inside = np.array([0.7, 1.2])
    normals = np.vstack([random.uniform(-1, 1, (count, 2)), -np.eye(2), np.eye(2)])
    distances = np.append(random.exponential(slack, count) + 1e-4, [0.7, 1.2, 0.3, 0.8])
    offsets = normals @ inside + distances
    corners, directions = half_plane_corners(normals, offsets)
    theirs = HalfspaceIntersection(np.column_stack([normals, -offsets]), inside).intersections
    for own in corners:
        assert np.hypot(*(theirs - own).T).min() < 1e-9
    for other in theirs:
        assert np.hypot(*(corners - other).T).min() < 1e-9
    assert not len(directions)
    assert len(edges(normals, offsets)) < 25


def exact_edges(lines: list[tuple[int, int, int]]) -> set[int]:
    """
    Half-planes a x + b y <= c with an edge of what all leave.

    Each line is cut by all other half-planes, in fractions: along (p + t d) what remains of t.
    Of half-planes with the same line the first counts.
    """
    found = set()
    for place, (a, b, c) in enumerate(lines):
        start = (Fraction(a * c, a * a + b * b), Fraction(b * c, a * a + b * b))
        low, high = Fraction(-(10**9)), Fraction(10**9)
        for a2, b2, c2 in lines:
            slope, room = b2 * a - a2 * b, c2 - a2 * start[0] - b2 * start[1]
            if slope > 0:
                high = min(high, room / slope)
            elif slope < 0:
                low = max(low, room / slope)
            elif room < 0:
                low, high = Fraction(1), Fraction(0)
        if low < high and (a, b, c) not in lines[:place]:
            found.add(place)
    return found


@pytest.mark.parametrize("seed", range(16))
def test_edges_are_those_of_exact_arithmetic(seed: int) -> None:
    """Around the origin; parallel lines, such as touch at a corner only, shapes without an end."""
    random = np.random.default_rng(seed)
    directions = [(1, 0), (0, 1), (-1, 0), (0, -1), (3, 4), (-4, 3), (4, 3), (-3, -4), (-3, 4)]
    # of which few leave a shape without an end in some direction
    some = [directions[place] for place in random.permutation(9)[: 2 + seed % 8]]
    lines = []
    for _ in range(60):
        a, b = some[random.integers(len(some))]
        lines.append((a, b, int(random.integers(1, 40)) * 5))
    expected = exact_edges(lines)
    normals = np.array([line[:2] for line in lines], float)
    offsets = np.array([line[2] for line in lines], float)
    for scale in (1.0, 2.0**-40):
        places = edges(normals * scale, offsets * scale, 1e-9 * scale).tolist()
        assert expected <= set(places)
        corners, _ = half_plane_corners(normals * scale, offsets * scale, 1e-9 * scale)
        theirs = {
            tuple(round(float(each), 6) + 0.0 for each in corner)
            for corner in exact_corners([lines[place] for place in expected])
        }
        assert {tuple(np.round(each, 6).tolist()) for each in corners + 0.0} == theirs


def exact_corners(lines: list[tuple[int, int, int]]) -> set[tuple[Fraction, Fraction]]:
    """Where two lines meet, within all half-planes."""
    found = set()
    for (a, b, c), (a2, b2, c2) in combinations(lines, 2):
        determinant = a * b2 - a2 * b
        if determinant:
            x = Fraction(c * b2 - c2 * b, determinant)
            y = Fraction(a * c2 - a2 * c, determinant)
            if all(a3 * x + b3 * y <= c3 for a3, b3, c3 in lines):
                found.add((x, y))
    return found


def test_a_segment_keeps_its_ends() -> None:
    """y = 0 and 0 <= x <= 1, without an inside, among lines that are further away."""
    lean = np.linspace(0.05, 1, 30)
    normals = np.vstack(
        [
            *(np.column_stack([sign * np.ones(30), lean]) for sign in (1, -1)),
            [[0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]],
        ]
    )
    offsets = np.concatenate([np.full(30, 2.0), np.ones(30), [0.0, 0.0, 1.0, 0.0]])
    corners, directions = half_plane_corners(normals, offsets)
    assert {tuple(each) for each in corners.tolist()} == {(0.0, 0.0), (1.0, 0.0)}
    assert not len(directions)


SQUARE = np.array([[2.0, 0.0], [-3.0, 0.0], [0.0, 5.0], [0.0, -7.0]])
"""Half-planes 2 x <= 2, -3 x <= 0, 5 y <= 10 and -7 y <= 0 with the offsets below."""
CORNERS = [[0.0, 0.0], [0.0, 2.0], [1.0, 0.0], [1.0, 2.0]]


def test_a_corner_may_be_on_its_half_planes() -> None:
    offsets = np.array([2.0, 0.0, 10.0, 0.0])
    for tolerance in (0.0, 1e-9, 0.5):
        corners, directions = half_plane_corners(SQUARE, offsets, tolerance)
        assert sorted(corners.tolist()) == CORNERS
        assert directions.shape == (0, 2)
        assert not np.signbit(corners).any(), "no corner is at -0"


def test_a_wedge_is_endless_along_its_two_edges() -> None:
    """y >= 3 x and y >= -x / 2 meet in (0, 0); upwards along (1, 3) and (-2, 1)."""
    corners, directions = half_plane_corners(
        np.array([[3.0, -1.0], [-1.0, -2.0]]), np.array([0.0, 0.0])
    )
    assert corners.tolist() == [[0.0, 0.0]]
    assert directions == pytest.approx(
        np.array([[-2 / 5**0.5, 1 / 5**0.5], [1 / 10**0.5, 3 / 10**0.5]])
    )
