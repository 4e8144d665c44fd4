"""Plots of paths and sweeps show the numbers of the prediction."""

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from paths import STREAM, closed_network, line

from netmodel.errors import DomainError
from netmodel.path import Interval, Path, Prediction, Stage, Times, Traffic, predict_path
from netmodel.report import plot_path, plot_predictions

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("plt")

BIT_S = 8e-9
COUNTS = np.arange(1, 51)


def stage(name: str, slow: float, quoted: float, fast: float) -> Stage:
    """Rates in Gbit/s."""
    return Stage(
        name=name, to_server=Times(per_byte_s=Interval(BIT_S / quoted, BIT_S / fast, BIT_S / slow))
    )


def requests() -> Prediction:
    return predict_path(closed_network(), Traffic(200, 1000, 250), 1500)


def uncertain(**others: Any) -> Prediction:
    """The second binds where all are slow."""
    stages = (stage("first", 10, 10, 10), stage("second", 8, 16, 20), stage("third", 40, 40, 80))
    return predict_path(Path(stages=stages, **others), STREAM, 1500)


def over_connections() -> Prediction:
    return predict_path(closed_network(), Traffic(200, 1000, COUNTS), 1500)


def over_mtus(*stages: Stage) -> Prediction:
    return predict_path(Path(stages=(*stages, *line(25e9))), STREAM, np.array([1500, 4000, 9000]))


def far_delay() -> Stage:
    """10 ms each way."""
    way = Times(per_message_s=10e-3)
    return Stage(name="fibre", to_server=way, to_client=way, parallel_count=None)


def notes_of(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def bars_of(axes: Any) -> list[Any]:
    """Bars, without the band of the throughput."""
    return [patch for patch in axes.patches if patch.get_height() == pytest.approx(0.66)]


def lines_of(axes: Any) -> dict[str, Any]:
    return {text.get_label(): text for text in axes.lines}


def overlaps(axes: Any, texts: list[Any]) -> bool:
    """Whether any two of them, one after the other, lie on each other once they are drawn."""
    axes.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    return any(
        each.overlaps(other) for place, each in enumerate(boxes) for other in boxes[place + 1 :]
    )


# One prediction


def test_rows_are_the_path_and_then_the_other_limits() -> None:
    labels = [label.get_text().split()[0] for label in plot_path(requests()).get_yticklabels()]
    assert labels == [
        *(each.name for each in closed_network().stages),
        *("client", "server", "connections"),
    ]


def test_the_path_begins_at_the_top() -> None:
    axes = plot_path(requests())
    bottom, top = axes.get_ylim()
    assert top < 0 < bottom
    assert axes.get_ylabel() == "server ← client"


def test_bars_are_limits_and_the_line_is_the_throughput() -> None:
    prediction = uncertain()
    axes = plot_path(prediction)
    widths = [bar.get_width() for bar in bars_of(axes)]
    assert widths == pytest.approx([10e9, 16e9, 40e9])
    assert any(
        list(each.get_xdata()) == [prediction.throughput_bps.value] * 2 for each in axes.lines
    )
    assert notes_of(axes)[:3] == [
        "<= 10 Gbit/s, 100.0 % in use, bottleneck",
        "<= 16 Gbit/s, 62.5 % in use, may be it",
        "<= 40 Gbit/s, 25.0 % in use",
    ]


def test_what_is_the_bottleneck_differs_in_colour_and_without() -> None:
    bars = bars_of(plot_path(uncertain()))
    assert len({bar.get_facecolor() for bar in bars}) == 3
    assert len({bar.get_hatch() for bar in bars}) == 3


def test_all_ties_are_marked() -> None:
    axes = plot_path(requests())
    assert axes.get_title().splitlines() == [
        "request 200 byte, response 1000 byte, 250 connections, MTU 1500 byte",
        "<= 1.3333 Gbit/s; bottleneck: server_softirq and client_softirq",
    ]
    assert sum(note.endswith("bottleneck") for note in notes_of(axes)) == 2
    assert sum(bar.get_hatch() == "///" for bar in bars_of(axes)) == 2


def test_intervals_are_error_bars_and_a_band() -> None:
    axes = plot_path(uncertain())
    ends = [
        container.lines[2][0].get_segments()[0][:, 0]
        for container in axes.containers
        if hasattr(container, "has_xerr") and container.has_xerr
    ]
    assert np.array(ends) == pytest.approx(np.array([[8e9, 20e9], [40e9, 80e9]]))
    beyond, band = [patch for patch in axes.patches if patch not in bars_of(axes)]
    assert [band.get_x(), band.get_x() + band.get_width()] == pytest.approx([8e9, 10e9])
    assert beyond.get_x() == 10e9
    assert beyond.get_x() + beyond.get_width() == pytest.approx(axes.get_xlim()[1])


def test_triangles_show_both_directions() -> None:
    places = {
        each.get_marker(): list(each.get_ydata())
        for each in plot_path(requests()).lines
        if each.get_marker() in ("v", "^")
    }
    stages = closed_network().stages
    for marker, way in (("v", "to_server"), ("^", "to_client")):
        used = [place for place, each in enumerate(stages) if getattr(each, way).named]
        assert places[marker] == used


@pytest.mark.parametrize(("most_gbit", "scale"), [(99, "linear"), (101, "log")])
def test_more_than_a_decade_is_logarithmic(most_gbit: float, scale: str) -> None:
    stages = (stage("a", 10, 10, 10), stage("b", 20, 20, most_gbit))
    assert plot_path(predict_path(Path(stages=stages), STREAM, 1500)).get_xscale() == scale


def test_a_limit_without_a_value_is_left_out() -> None:
    free = Stage(name="free", to_server=Times(per_byte_s=Interval(0, 0, BIT_S / 40)))
    axes = plot_path(predict_path(Path(stages=(stage("a", 10, 10, 10), free)), STREAM, 1500))
    assert axes.get_xlim()[1] < 40e9
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a"]


def test_a_limit_that_binds_at_some_values_is_drawn_also_without_a_value() -> None:
    free = Stage(name="free", to_server=Times(per_byte_s=Interval(0, 0, BIT_S / 5)))
    axes = plot_path(predict_path(Path(stages=(stage("a", 10, 10, 10), free)), STREAM, 1500))
    assert "no limit, 0.0 % in use, may be it" in notes_of(axes)
    assert len(bars_of(axes)) == 1


def test_a_path_and_a_workload_are_named() -> None:
    first = stage("first", 10, 10, 10)
    traffic = Traffic(30720, waits=False, shares_segments=True, name="backup")
    axes = plot_path(predict_path(Path(stages=(first,), name="lab"), traffic, 1500))
    assert axes.get_title().splitlines()[0] == "lab: backup, MTU 1500 byte"


def test_no_run_is_faster_than_where_a_hash_spreads_flows_best() -> None:
    """Two of four flows fall on two servers in the best case: 20 Gbit/s, on average fewer."""
    queues = Stage(name="queues", to_server=Times(per_byte_s=BIT_S / 10), parallel_count=2)
    hashed = Path(stages=(replace(queues, hashes_flows=True),))
    prediction = predict_path(hashed, replace(STREAM, connection_count=4), 1500)
    (beyond,) = [patch for patch in plot_path(prediction).patches if patch.get_x() > 0]
    assert prediction.throughput_bps.value < 19e9
    assert beyond.get_x() == pytest.approx(20e9)


def test_runs_may_be_faster_than_the_mean_that_loss_leaves() -> None:
    """Light grey begins at the limit of the CPU, 1.333 Gbit/s, not at the mean of CUBIC."""
    cpu = Stage(name="cpu", to_server=Times(per_byte_s=6e-9))
    lossy = Path(stages=(cpu, far_delay()), loss_ratio=1e-3)
    axes = plot_path(predict_path(lossy, replace(STREAM, connection_count=1), 1500))
    (beyond,) = [patch for patch in axes.patches if patch.get_x() > 0]
    assert beyond.get_x() == pytest.approx(8e9 / 6)
    assert "mean; light grey: no run is faster" in notes_of(axes)
    assert axes.get_xlabel() == "payload rate: upper bounds, mean of loss"
    alone = replace(lossy, stages=(far_delay(),))
    axes = plot_path(predict_path(alone, replace(STREAM, connection_count=1), 1500))
    assert not [patch for patch in axes.patches if patch.get_x() > 0], "loss alone bounds no run"


def test_a_ceiling_and_notes_are_reported() -> None:
    axes = plot_path(uncertain(unknown=("server CPU",), notes=("measured elsewhere",)))
    assert axes.get_title().splitlines()[-1] == (
        "<= 10 Gbit/s (parameters leave 8 to 10 Gbit/s); bottleneck: first"
    )
    notes = axes.figure.get_supxlabel().splitlines()
    assert notes[-1] == "note: measured elsewhere"
    assert "server CPU not modelled" in notes[0]


def test_notes_take_three_lines_at_most(plt: ModuleType) -> None:
    prediction = uncertain(notes=tuple(f"number {count}" for count in range(9)))
    lines = plot_path(prediction).figure.get_supxlabel().splitlines()
    assert len(lines) == 3
    assert lines[-1] == f"{len(prediction.notes) - 2} more notes in the text output"
    axes = plot_path(prediction, plt.subplots(1, 2)[1][0])
    assert axes.texts[-1].get_text().splitlines() == lines


def test_labels_do_not_overlap() -> None:
    """15 limits from 1 Mbit/s to 400 Gbit/s, one with a long name."""
    rates = [0.001 * 400_000 ** (place / 14) for place in range(15)]
    stages = [stage(f"stage_{place}", rate, rate, rate) for place, rate in enumerate(rates)]
    long_name = stage("the_first_of_all_stages_" * 4, 1, 1, 1)
    axes = plot_path(predict_path(Path(stages=(long_name, *stages)), STREAM, 1500))
    assert not overlaps(axes, axes.get_yticklabels())
    assert not overlaps(axes, axes.get_xticklabels())
    assert not overlaps(axes, axes.texts)


def test_arrays_are_refused() -> None:
    with pytest.raises(DomainError, match="plot_predictions"):
        plot_path(over_connections())


# A sweep


def test_lines_are_limits_and_the_lowest_is_the_throughput() -> None:
    prediction = over_connections()
    lines = lines_of(plot_predictions(prediction, COUNTS, "connections"))
    places, throughput = lines.pop("upper bound").get_data()
    throughput = throughput[np.isin(places, COUNTS)]
    del lines["expected"], lines["lower bound"]
    np.testing.assert_array_equal(throughput, prediction.throughput_bps.value)
    limits = [each.get_ydata() for each in lines.values() if len(each.get_xdata()) > 2]
    np.testing.assert_array_equal(np.min(limits, axis=0), throughput)


def test_light_grey_in_a_sweep_begins_at_bounds_also_where_loss_limits() -> None:
    cpu = Stage(name="cpu", to_server=Times(per_byte_s=6e-9))
    lossy = Path(stages=(cpu, far_delay()), loss_ratio=1e-3)
    prediction = predict_path(lossy, replace(STREAM, connection_count=COUNTS), 1500)
    assert prediction.throughput_bps.value[0] < 0.1e9
    axes = plot_predictions(prediction, COUNTS, "connections")
    assert "upper bound, mean where loss limits" in lines_of(axes)
    assert "and its mean where loss limits" in axes.get_title()
    (beyond,) = [each for each in axes.collections if each.get_label() == "no run is faster"]
    (area,) = beyond.get_paths()
    assert area.vertices[:, 1].min() == pytest.approx(8e9 / 6)


def test_the_expected_value_is_a_line_between_the_bounds() -> None:
    prediction = over_connections()
    axes = plot_predictions(prediction, COUNTS, "connections")
    lines = lines_of(axes)
    expected, bounds = prediction.expected, prediction.transaction_rate_bounds_tps
    assert expected is not None
    assert bounds is not None
    places, drawn = lines["expected"].get_data()
    np.testing.assert_array_equal(places, COUNTS)
    np.testing.assert_array_equal(drawn, expected.throughput_bps.value)
    np.testing.assert_allclose(lines["lower bound"].get_ydata(), bounds.low * 8 * 1000)
    assert "if service times are exponential" in axes.get_title()
    unknown = replace(prediction.path, unknown=("hosts",))
    alone = predict_path(unknown, Traffic(200, 1000, COUNTS), 1500)
    axes = plot_predictions(alone, COUNTS, "connections")
    assert not {"expected", "lower bound"} & set(lines_of(axes))
    assert "Upper bounds" in axes.get_title()


def test_the_bound_bends_where_limits_cross_between_values() -> None:
    """1/x falls to 2 halfway: a straight line to the value after it would run below both."""
    cpu = Times(per_message_s=np.array([1e-6, 4e-6]))
    stages = (
        Stage(name="rises", to_server=cpu),
        Stage(name="stays", to_server=Times(per_message_s=2e-6)),
    )
    axes = plot_predictions(predict_path(Path(stages=stages), STREAM, 1500), [1, 2], "case")
    places, bound = lines_of(axes)["upper bound"].get_data()
    rates = 8 * 30720 / np.array([2e-6, 2e-6, 4e-6])
    assert places == pytest.approx([1, 1 + 2 / 3, 2])
    assert bound == pytest.approx(rates)


def test_limits_far_above_are_named_and_not_drawn() -> None:
    far = stage("far", 4000, 4000, 4000)
    axes = plot_predictions(over_mtus(stage("near", 8, 8, 8), far), [1500, 4000, 9000], "MTU")
    assert "far" not in lines_of(axes)
    assert axes.get_ylim()[1] < 40e9
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "over 10 times higher:\nfar" in labels


def test_limits_that_are_the_same_are_one_line() -> None:
    lines = lines_of(plot_predictions(over_connections(), COUNTS, "connections"))
    names = [name for name in lines if not name.startswith("_")]
    names = names[: names.index("expected")]
    assert names[-2:] == ["2: server_softirq, client_softirq", "upper bound"]
    assert "client, server" in lines


def test_regions_are_numbered_by_their_bottleneck() -> None:
    """Connections bind up to 13 of them: 79.3 µs at zero load, 6 µs at the queues."""
    axes = plot_predictions(over_connections(), COUNTS, "connections")
    assert notes_of(axes)[:2] == ["1", "2"]
    knee, border = [each for each in axes.lines if len({*each.get_xdata()}) == 1]
    assert knee.get_label() == "knee: about 13 connections"
    assert border.get_xdata()[0] == pytest.approx(np.sqrt(13 * 14))
    assert "1: connections" in lines_of(axes)


def test_a_tie_at_one_value_has_both_numbers() -> None:
    cpu = Times(per_message_s=np.array([1e-6, 2e-6, 3e-6]))
    stages = (
        Stage(name="rises", to_server=cpu),
        Stage(name="stays", to_server=Times(per_message_s=2e-6)),
    )
    prediction = predict_path(Path(stages=stages), STREAM, 1500)
    axes = plot_predictions(prediction, [1, 2, 3], "CPU time [µs]")
    assert notes_of(axes)[:3] == ["1", "1, 2", "2"]
    assert "1: stays" in lines_of(axes)


def test_the_band_is_the_range_of_the_throughput() -> None:
    prediction = over_mtus(stage("adapter", 8, 16, 30))
    axes = plot_predictions(prediction, [1500, 4000, 9000], "MTU [byte]")
    (band,) = [each for each in axes.collections if each.get_label() == "parameter ranges"]
    ends = band.get_paths()[0].vertices[:, 1]
    assert min(ends) == pytest.approx(min(prediction.throughput_bps.low))
    assert max(ends) == pytest.approx(max(prediction.throughput_bps.high))


def test_axes_have_labels_and_scales() -> None:
    axes = plot_predictions(over_mtus(), [1500, 4000, 9000], "MTU [byte]")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("MTU [byte]", "payload rate")
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "linear")
    assert [text.get_text() for text in axes.get_yticklabels()][:2] == ["0", "5 Gbit/s"]
    axes = plot_predictions(over_connections(), COUNTS, "connections")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_numbers_of_narrow_regions_do_not_overlap() -> None:
    cases = np.arange(100, 140)
    stages = tuple(
        Stage(
            name=f"s{turn}", to_server=Times(per_message_s=np.where(cases % 4 == turn, 2e-6, 1e-6))
        )
        for turn in range(4)
    )
    axes = plot_predictions(predict_path(Path(stages=stages), STREAM, 1500), cases, "case")
    assert len(axes.texts) >= 40
    assert not overlaps(axes, axes.texts)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ([1500, 9000, 4000], "rise"),
        ([1500, 4000, np.nan], "rise"),
        ([1500, 4000], r"shape \(3,\)"),
        ([[1500, 4000, 9000]], r"have \(1, 3\)"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: list[float], fault: str) -> None:
    with pytest.raises(DomainError, match=fault):
        plot_predictions(over_mtus(), values, "MTU [byte]")


def test_one_prediction_is_no_sweep() -> None:
    with pytest.raises(DomainError, match="two or more"):
        plot_predictions(requests(), [250], "connections")
    first = predict_path(closed_network(), Traffic(200, 1000), np.array([1500]))
    with pytest.raises(DomainError, match="two or more"):
        plot_predictions(first, [1500], "MTU [byte]")


# Both


def test_plots_go_where_they_are_asked(plt: ModuleType) -> None:
    _, (left, right) = plt.subplots(1, 2)
    assert plot_path(requests(), left) is left
    assert plot_predictions(over_connections(), COUNTS, "connections", right) is right
