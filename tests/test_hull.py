"""Shapes that half-planes leave, against Qhull."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial import HalfspaceIntersection

from netmodel.hull import edges, half_plane_corners, hull


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
        kept = [lines[place][:2] for place in places]
        assert len(set(kept)) == len(kept)
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


def exact_hull(points: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Points that lie neither between two others nor within three, in whole numbers."""

    def turn(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    def is_inside(point: tuple[int, int]) -> bool:
        others = points - {point}
        for a, b in combinations(others, 2):
            along = [(point[i] - a[i]) * (point[i] - b[i]) for i in (0, 1)]
            if turn(a, b, point) == 0 and max(along) <= 0:
                return True
        for a, b, c in combinations(others, 3):
            turns = [turn(a, b, point), turn(b, c, point), turn(c, a, point)]
            if turn(a, b, c) and (min(turns) >= 0 or max(turns) <= 0):
                return True
        return False

    return {point for point in points if not is_inside(point)}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("scale", [1.0, 2.0**-30])
def test_a_hull_has_the_corners_of_exact_arithmetic(seed: int, scale: float) -> None:
    """Few points on a grid: some in one place, many on one line, upright ones among them."""
    random = np.random.default_rng(seed)
    whole = [(7 + int(x), 20 + 3 * int(y)) for x, y in random.integers(0, 5, (9, 2))]
    corners = hull([(x * scale, y * scale) for x, y in whole])
    assert {(x / scale, y / scale) for x, y in corners} == exact_hull(set(whole))
    assert corners[0] == min(corners)
    for a, b, c in zip(
        corners, [*corners[1:], corners[0]], [*corners[2:], *corners[:2]], strict=True
    ):
        turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        assert turn > 0, "against the clock"


def test_a_corner_that_rounding_explains_is_none() -> None:
    """One part in 10^9 of the products that are compared, 2 and 2 (1 - gap)."""
    for gap, is_corner in ((0.5e-9, False), (1.5e-9, True), (-1e-3, False)):
        low = (1.0, 1.0 - gap)
        assert (low in hull([(0.0, 0.0), low, (2.0, 2.0), (0.0, 3.0)])) == is_corner


SQUARE = np.array([[2.0, 0.0], [-3.0, 0.0], [0.0, 5.0], [0.0, -7.0]])
"""Half-planes 2 x <= 2, -3 x <= 0, 5 y <= 10 and -7 y <= 0 with the offsets below."""
CORNERS = [[0.0, 0.0], [0.0, 2.0], [1.0, 0.0], [1.0, 2.0]]


def test_a_corner_may_be_on_its_half_planes_but_not_beyond_the_tolerance() -> None:
    offsets = np.array([2.0, 0.0, 10.0, 0.0])
    for tolerance in (0.0, 1e-9, 0.5):
        corners, directions = half_plane_corners(SQUARE, offsets, tolerance)
        assert sorted(corners.tolist()) == CORNERS
        assert directions.shape == (0, 2)
        assert not np.signbit(corners).any(), "no corner is at -0"
    # x + y <= 2.9 cuts (1, 2) off, by 0.1
    cut = np.vstack([SQUARE, [[1.0, 1.0]]]), np.append(offsets, 2.9)
    for tolerance, is_kept in ((0.09, False), (0.11, True)):
        corners, _ = half_plane_corners(*cut, tolerance)
        assert ([1.0, 2.0] in corners.tolist()) == is_kept


def test_a_wedge_is_endless_along_its_two_edges() -> None:
    """y >= 3 x and y >= -x / 2 meet in (0, 0); upwards along (1, 3) and (-2, 1)."""
    corners, directions = half_plane_corners(
        np.array([[3.0, -1.0], [-1.0, -2.0]]), np.array([0.0, 0.0])
    )
    assert corners.tolist() == [[0.0, 0.0]]
    assert directions == pytest.approx(
        np.array([[-2 / 5**0.5, 1 / 5**0.5], [1 / 10**0.5, 3 / 10**0.5]])
    )
