"""Time of a transaction over connections, drawn: what lines and points show."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from invocation import run_netmodel
from numpy.testing import assert_allclose

import netmodel
from netmodel.errors import DomainError

pytest.importorskip("matplotlib")

from netmodel.path import Path as NetworkPath
from netmodel.path import Stage, Times, Traffic, predict_path
from netmodel.report import plot_predictions, plot_transaction_times
from netmodel.report._figure import alt_text

COUNTS = np.array([1.0, 2, 5, 10, 20, 50])
US = 1e-6
MEASURED = {"path": "zvm-vswitch-layer3-1gbe", "workload": "awm-rr", "mtu_bytes": 1492}


def line(axes: Any, name: str) -> Any:
    (found,) = [each for each in axes.lines if each.get_label().startswith(name)]
    return found


def one_stage(**others: Any) -> Any:
    """A stage of 10 µs behind a delay of 90 µs: the textbook's machine repair."""
    stages = (
        Stage(name="delay", to_server=Times(per_message_s=90 * US), parallel_count=None),
        Stage(name="cpu", to_server=Times(per_message_s=10 * US)),
    )
    return predict_path(NetworkPath(stages=stages), Traffic(200, 1000, COUNTS, **others), 1500)


def test_bounds_of_one_stage_behind_a_delay() -> None:
    """R >= max(T, N D - Z), and no more than N T: all queue at the stage, and in the delay."""
    axes = plot_transaction_times(one_stage(), COUNTS)
    lower_s = line(axes, "lower bound").get_ydata()
    assert_allclose(lower_s, np.maximum(100 * US, COUNTS * 10 * US))
    expected_s = line(axes, "expected").get_ydata()
    upper_s = line(axes, "upper bound").get_ydata()
    assert np.all(lower_s <= expected_s * (1 + 1e-9))
    assert np.all(expected_s <= upper_s * (1 + 1e-9))
    assert_allclose((lower_s[0], expected_s[0]), 100 * US)


def test_the_mean_time_that_loss_leaves_is_no_bound() -> None:
    """A stage of 10 µs behind 20 ms: no run takes less, and CUBIC's mean is above it."""
    way = Times(per_message_s=10_000 * US)
    stages = (
        Stage(name="delay", to_server=way, to_client=way, parallel_count=None),
        Stage(name="cpu", to_server=Times(per_message_s=10 * US)),
    )
    path = NetworkPath(stages=stages, loss_ratio=0.01)
    traffic = Traffic(10**6, 1, COUNTS)
    axes = plot_transaction_times(predict_path(path, traffic, 1500), COUNTS)
    mean = line(axes, "lower bound, mean where loss limits")
    (beyond,) = [each for each in axes.collections if each.get_label() == "no run is faster"]
    (area,) = beyond.get_paths()
    assert area.vertices[:, 1].max() == pytest.approx(20_010 * US)
    assert np.all(mean.get_ydata() > 10 * 20_010 * US)
    assert "and its mean where loss limits" in axes.get_title()


def test_the_knee_is_where_the_bounds_meet() -> None:
    """N* = T / D = 100 / 10."""
    axes = plot_transaction_times(one_stage(), COUNTS)
    knee = line(axes, "knee")
    assert knee.get_label() == "knee: about 10 connections"
    assert_allclose(knee.get_xdata(), 10)
    rates = plot_predictions(one_stage(), [*COUNTS], "connections")
    assert_allclose(line(rates, "knee").get_xdata(), 10)


def test_no_knee_where_curves_have_not_met() -> None:
    few = netmodel.predict(connections=[1, 2, 3], **MEASURED)  # type: ignore[arg-type]
    axes = plot_transaction_times(few, [1, 2, 3])  # type: ignore[arg-type]
    assert not [each for each in axes.lines if each.get_label().startswith("knee")]


def test_think_time_is_no_part_of_a_transaction() -> None:
    """With a think time of 900 µs one connection still takes 100 µs."""
    axes = plot_transaction_times(one_stage(think_time_s=900 * US), COUNTS)
    assert_allclose(line(axes, "lower bound").get_ydata()[0], 100 * US)
    assert_allclose(line(axes, "upper bound").get_ydata()[0], 100 * US)


def test_measured_rates_are_times_by_littles_law() -> None:
    """Table 5, layer 3: 2124.07, 13823.21 and 31914.04 transactions/s of 1, 10 and 50 clients."""
    counts = (1, 10, 50)
    prediction: Any = netmodel.predict(connections=[*range(1, 51)], **MEASURED)  # type: ignore[arg-type]
    figures = [
        figure
        for count in counts
        for figure in netmodel.predict(connections=count, **MEASURED).measured  # type: ignore[arg-type]
    ]
    axes = plot_transaction_times(prediction, [*range(1, 51)], figures)
    points = line(axes, "measured")
    assert points.get_label() == "measured: zvm-layer2-layer3"
    assert [*points.get_xdata()] == [*counts]
    assert_allclose(points.get_ydata(), np.array(counts) / [2124.07, 13823.21, 31914.04])


def test_expected_rates_without_a_lower_bound_are_drawn() -> None:
    prediction: Any = netmodel.predict(connections=[1, 10, 50], **MEASURED)  # type: ignore[arg-type]
    axes = plot_predictions(prediction, [1, 10, 50], "connections")
    assert_allclose(line(axes, "expected").get_ydata(), prediction.expected.throughput_bps.value)
    assert not [each for each in axes.lines if each.get_label() == "lower bound"]


def test_streams_have_no_time_of_a_transaction() -> None:
    with pytest.raises(DomainError, match="wait for answers"):
        plot_transaction_times(one_stage(waits=False), COUNTS)
    with pytest.raises(DomainError, match="rise"):
        plot_transaction_times(one_stage(), COUNTS[::-1])


def test_a_text_says_what_a_plot_shows() -> None:
    text = alt_text(plot_transaction_times(one_stage(), COUNTS))
    assert "Expected time of a transaction if service times are exponential" in text
    assert "connections from 1 to 50" in text
    assert "time of a transaction from" in text
    assert "knee: about 10 connections" in text


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_command_draws_times_and_writes_the_text_into_the_file(
    kind: str, tmp_path: Path
) -> None:
    file = tmp_path / f"times.{kind}"
    case = ("predict", "--path", "zvm-vswitch-layer3-1gbe", "--workload", "awm-rr")
    result = run_netmodel(*case, "--mtu", "1492", "--plot-time", str(file))
    assert (result.exit_code, result.stderr) == (0, "")
    if kind != "pdf":  # there in two bytes for each character
        assert b"Expected time of a transaction" in file.read_bytes()


def test_the_command_needs_connections_that_wait(tmp_path: Path) -> None:
    case = ("predict", "--path", "zvm-vswitch-layer3-1gbe", "--mtu", "1492")
    file = str(tmp_path / "times.svg")
    one = run_netmodel(*case, "--workload", "awm-rr", "--connections", "1", "--plot-time", file)
    assert one.exit_code == 2
    assert "--plot-time needs several --connections" in one.stderr
    stream = ("--workload", "awm-str", "--payload", "20MiB")
    result = run_netmodel(*case, *stream, "--plot-time", file)
    assert result.exit_code == 2
    assert "wait for answers" in result.stderr
