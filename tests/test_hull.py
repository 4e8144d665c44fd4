"""Shapes that half-planes leave, against Qhull."""

import numpy as np
import pytest
from scipy.spatial import HalfspaceIntersection

from netmodel._hull import edges, half_plane_corners


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


def test_an_open_shape_keeps_its_directions() -> None:
    """Sums of at least 1, with many weights: from (1, 0) and (0, 1) outwards."""
    weights = np.linspace(1, 2, 200)
    normals = np.vstack([-np.eye(2), -np.column_stack([np.ones(200), weights])])
    offsets = np.append([0.0, 0.0], -weights)
    # x + w y is at least w where x is at least w (1 - y): at y = 1, and at x = 2 for y = 0
    corners, directions = half_plane_corners(normals, offsets)
    assert {tuple(each) for each in np.round(corners, 9).tolist()} == {(0.0, 1.0), (2.0, 0.0)}
    assert sorted(directions.tolist()) == [[0.0, 1.0], [1.0, 0.0]]


def test_equal_half_planes_count_once() -> None:
    """A square, each of whose sides is there a hundred times."""
    normals = np.tile([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], (100, 1))
    offsets = np.tile([1.0, 0.0, 1.0, 0.0], 100)
    assert edges(normals, offsets).tolist() == [0, 1, 2, 3]
    corners, _ = half_plane_corners(normals, offsets)
    assert sorted(corners.tolist()) == [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]


def test_half_planes_that_leave_nothing_have_no_corners() -> None:
    normals = np.tile([[1.0, 0.0], [-1.0, 0.0], [0.0, -1.0]], (20, 1))
    offsets = np.tile([1.0, -2.0, 0.0], 20)
    corners, _ = half_plane_corners(normals, offsets)
    assert not len(corners)
