"""CPU cost by part, drawn over connections."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from plot_cases import DRAWN

from netmodel.errors import DomainError
from netmodel.path import (
    Path,
    Stage,
    Times,
    Traffic,
    predict_path,
    recorded_path,
)
from netmodel.records import path_record
from netmodel.report import plot_cpu_cost

COUNTS = [1.0, 10.0, 50.0]


def along(counts: Any = COUNTS) -> Any:
    path = recorded_path(path_record("zvm-direct-osa-layer3-1gbe"))
    return predict_path(path, Traffic(200, 1000, connection_count=np.array(counts)), 1492)


def test_areas_add_up_to_the_line_of_all_parts() -> None:
    """Layer 3 and Layer 2 Comparisons, table 8, layer 3: 24.4 + 31.5 µs with one client."""
    axes = plot_cpu_cost(along(), COUNTS)
    (line,) = axes.get_lines()
    assert line.get_ydata() == pytest.approx([55.9, 34.9, 24.4], rel=1e-6)
    guest, hypervisor, _ = axes.collections
    tops = [area.get_paths()[0].vertices[:, 1].max() for area in (guest, hypervisor)]
    assert tops == pytest.approx([24.4, 55.9], rel=1e-6)
    assert axes.get_ylabel() == "CPU of the client, µs per transaction"
    _, names = axes.get_legend_handles_labels()
    assert names == ["guest", "hypervisor", "all parts", "parameter ranges"]


def test_measured_costs_of_requests_lie_on_the_line() -> None:
    axes = DRAWN["cost-zvm-direct-osa-layer3-1gbe-requests"]()
    line, marks = axes.get_lines()
    assert marks.get_label() == "measured, all parts:\nzvm-layer2-layer3"
    at = np.interp(marks.get_xdata(), line.get_xdata(), line.get_ydata())
    assert marks.get_ydata() == pytest.approx(at, rel=1e-6)


def test_measured_costs_of_streams_are_in_their_unit() -> None:
    """Table 9, layer 3: 5.58, 4.82 and 5.41 ms/MiB, each 119,209 µs/Gbit."""
    _, marks = DRAWN["cost-zvm-direct-osa-layer3-1gbe-streams"]().get_lines()
    expected = [each * 119_209.28955 for each in (5.58, 4.82, 5.41)]
    assert sorted(marks.get_ydata()) == pytest.approx(sorted(expected))


@pytest.mark.parametrize("counts", [[1.0], [10.0, 1.0], [1.0, 1.0]])
def test_numbers_of_connections_rise(counts: list[float]) -> None:
    with pytest.raises(DomainError, match="numbers that rise"):
        plot_cpu_cost(along(counts), counts)


def test_a_path_without_cpus_has_no_cost_to_draw() -> None:
    path = Path(stages=(Stage(name="line", to_server=Times(per_message_s=1e-6)),))
    counts = np.array([1.0, 2.0])
    prediction = predict_path(path, Traffic(200, 1000, connection_count=counts), 1500)
    with pytest.raises(DomainError, match="no side whose CPU cost is completely known"):
        plot_cpu_cost(prediction, [1.0, 2.0])
