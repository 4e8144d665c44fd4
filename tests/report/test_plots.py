"""Plots show the numbers of the results, and the answer in their title."""

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from paths import STREAM, closed_network

import netmodel
from netmodel import report
from netmodel.calibration import Observed, adapter_model, calibrate
from netmodel.calibration.models import Curve, FreeParameter
from netmodel.ceilings import line_ceiling
from netmodel.consumption import batched_cpu_time_s
from netmodel.errors import DomainError, MissingPartError
from netmodel.path import Interval, Path, Prediction, Stage, Times, Traffic, predict_path
from netmodel.planning import Plan
from netmodel.records.values import Relation
from netmodel.report import plot_calibration, plot_frame, plot_path, plot_plan, plot_predictions

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("plt")

BIT_S = 8e-9
COUNTS = np.arange(1, 51)
HOSTILE = "${$"
"""As a formula of TeX it does not end, which matplotlib refuses when it draws."""


def stage(name: str, slow: float, quoted: float, fast: float) -> Stage:
    """Rates in Gbit/s."""
    times = Times(per_byte_s=Interval(BIT_S / quoted, BIT_S / fast, BIT_S / slow))
    return Stage(name=name, to_server=times)


def uncertain() -> Prediction:
    """The second binds where all are slow."""
    stages = (stage("first", 10, 10, 10), stage("second", 8, 16, 20), stage("far", 400, 400, 800))
    return predict_path(Path(stages=stages, name=HOSTILE), STREAM, 1500)


def over_connections() -> Prediction:
    return predict_path(closed_network(), Traffic(200, 1000, COUNTS), 1500)


def planned(**options: Any) -> tuple[Plan, ...]:
    flows, adapters = ["40 Gbit/s str-writex30k"], "osa-express7s-25gbe"
    return netmodel.plan(flows, adapters=adapters, **{"connections": 50} | options)


def impossible() -> Plan:
    (plan,) = planned(mtu_bytes=1500, connections=1)
    return plan


def texts_of(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


# Limits of a path


def test_limits_are_bars_with_the_bottleneck_first() -> None:
    axes = plot_path(uncertain())
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([10e9, 16e9, 400e9])
    labels = axes.get_yticklabels()
    assert [label.get_text() for label in labels] == ["first", "second", "far"]
    assert [label.get_fontweight() for label in labels] == ["bold", "normal", "normal"]
    assert texts_of(axes) == ["10 Gbit/s", "16 Gbit/s", "400 Gbit/s"]
    assert axes.get_title().splitlines()[-1] == "at most 10 Gbit/s, limited by first"
    assert list(axes.lines[0].get_xdata()) == pytest.approx([8e9, 20e9])  # the range
    assert axes.get_xlim()[1] < 60e9  # the far limit leaves the axis


def test_a_published_rate_is_marked_else_the_expected_one() -> None:
    path = {"path": "zvm-vswitch-layer3-1gbe", "workload": "awm-rr", "mtu_bytes": 1492}
    printed = plot_path(netmodel.predict(connections=10, **path))
    assert texts_of(printed)[-1].startswith("published: ")
    expected = plot_path(predict_path(closed_network(), Traffic(200, 1000, 10), 1500))
    assert texts_of(expected)[-1].startswith("expected: ")


# Sweeps


def test_the_bound_has_a_colour_for_each_bottleneck() -> None:
    prediction = over_connections()
    axes = plot_predictions(prediction, COUNTS, "connections")
    *regions, expected = axes.lines
    assert regions[0].get_label() == "connections"
    drawn = np.nanmin([line.get_ydata() for line in regions], axis=0)
    np.testing.assert_array_equal(drawn, prediction.throughput_bps.value)
    np.testing.assert_array_equal(expected.get_ydata(), prediction.expected.throughput_bps.value)
    assert len(axes.lines) <= 5
    assert {"upper bound", "expected"} <= {*texts_of(axes)}
    answer = "expected 100.9 Mbit/s at 1, 1.3 Gbit/s at 50 connections"
    assert axes.get_title().splitlines()[-1] == answer


def test_printed_rates_are_points() -> None:
    path = {"path": "zvm-vswitch-layer3-1gbe", "workload": "awm-rr", "mtu_bytes": 1492}
    runs = [netmodel.predict(connections=count, **path) for count in (1, 10, 50)]
    axes = plot_predictions(netmodel.predict(connections=range(1, 51), **path), COUNTS, "", runs)
    (points,) = [line for line in axes.lines if line.get_label() == "published"]
    assert [*points.get_xdata()] == [1, 10, 50]
    assert [*points.get_ydata()] == [each.beside().rate_bps for each in runs]


def test_a_range_is_a_band() -> None:
    mtus = np.array([1500, 4000, 9000])
    prediction = predict_path(Path(stages=(stage("adapter", 8, 16, 30),)), STREAM, mtus)
    axes = plot_predictions(prediction, [*mtus], "MTU [byte]")
    ends = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (min(ends), max(ends)) == pytest.approx((8e9, 30e9), rel=1e-9)
    assert axes.get_title().splitlines()[-1].endswith("at 9000 byte")


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ([1, 9, 4], "rise"),
        ([1, 4, np.nan], "rise"),
        ([1, 4], r"shape \(50,\)"),
        ([COUNTS], r"have \(1, 50\)"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: Any, fault: str) -> None:
    prediction = over_connections()
    if fault == "rise":
        prediction = predict_path(closed_network(), Traffic(200, 1000, np.array(values)), 1500)
    with pytest.raises(DomainError, match=fault):
        plot_predictions(prediction, values, "connections")


# Frames and plans


def test_a_frame_is_drawn_to_scale() -> None:
    parts = line_ceiling(25e9, 1500).parts
    axes = plot_frame(parts)
    assert [bar.get_width() for bar in axes.patches] == [part.bytes for part in parts]
    assert axes.patches[-1].get_x() + axes.patches[-1].get_width() == 1538
    assert axes.get_title() == "1,448 of 1,538 bytes on the wire are payload: 94.15 %"


def test_plans_are_bars_with_what_may_fail_hatched() -> None:
    plans = planned(mtu_bytes=(9000, 1500))
    axes = plot_plan(plans)
    assert [bar.get_width() for bar in axes.patches] == [3, 1, 5, 1]
    assert [bar.get_hatch() for bar in axes.patches] == [None, "///"] * 2
    assert texts_of(axes) == ["4", "6"]
    short = replace(plans[0], adapters_available=1)
    axes = plot_plan([short, impossible()])
    assert axes.patches[0].get_facecolor()[:2] == pytest.approx((0.84, 0.15), abs=0.01)
    assert texts_of(axes) == ["4, not enough", "no number is enough"]


def test_a_plan_shows_what_it_uses_of_each_stage() -> None:
    (plan,) = planned(mtu_bytes=4000, max_utilisation=0.6, max_utilisation_after_failure=0.9)
    axes = plot_plan(plan)
    widths = [bar.get_width() for bar in axes.patches]
    for use, sure, added in zip(plan.stages, widths[::2], widths[1::2], strict=True):
        assert use.use_ratio is not None
        assert use.after_failure_ratio is not None
        assert sure == use.use_ratio.value
        assert sure + added == pytest.approx(use.after_failure_ratio.value)
    assert texts_of(axes)[-2:] == ["may be used: 60 %", "after a failure: 90 %"]


# Calibrations


def rate(at: Any, rate_gbps: float) -> Observed:
    low, high = (rate_gbps - 0.05) * 1e9, (rate_gbps + 0.05) * 1e9
    return Observed(quantity="throughput_bps", at=at, low=low, high=high, value=rate_gbps * 1e9)


def full(at: Any) -> Observed:
    above = {"high": float("inf"), "relation": Relation.CENSORED_ABOVE}
    return Observed(quantity="throughput_bps", at=at, low=24.75e9, **above)


def both_directions() -> Any:
    model = adapter_model(dict.fromkeys(("in", "out"), 25e9), by="direction")
    seen = [
        each
        for way, rate_gbps in (("in", 13.4), ("out", 20.5))
        for each in (
            rate({"mtu_bytes": 1500, "direction": way}, rate_gbps),
            full({"mtu_bytes": 9000, "direction": way}),
        )
    ]
    return calibrate(seen, model, 0.01)


def test_a_calibration_is_drawn_with_what_was_observed() -> None:
    axes = plot_calibration(both_directions())
    assert {"direction in", "direction out"} <= {*texts_of(axes)}
    assert axes.get_title() == "Agrees with every figure within 1.00 % noise"
    bars = [each.lines[2][0].get_segments()[0][:, 1] for each in axes.containers]
    assert np.array(bars) == pytest.approx(np.array([[13.35e9, 13.45e9], [20.45e9, 20.55e9]]))
    open_ends = [line for line in axes.lines if line.get_marker() == "^"]
    assert [(*each.get_xdata(), *each.get_ydata()) for each in open_ends] == [(9000, 24.75e9)] * 2
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("MTU [byte]", "throughput")


def test_a_fit_is_drawn_over_what_changes_the_prediction() -> None:
    """Connections and rates both differ, and only the rate changes the prediction."""
    seen = [
        Observed(
            quantity="cpu_s_per_transaction",
            at={"connection_count": count, "transaction_rate_tps": rate_tps},
            **dict.fromkeys(("low", "high", "value"), cost_s),
        )
        for count, rate_tps, cost_s in (
            (1, 2538.62, 55.9e-6),
            (10, 14340.35, 34.9e-6),
            (50, 31996.02, 24.4e-6),
        )
    ]
    names = ("time_per_transaction_s", "time_per_batch_s", "batching_time_s")
    curve = Curve(
        "cpu_s_per_transaction",
        tuple(FreeParameter(name, "s") for name in names),
        batched_cpu_time_s,
        ("transaction_rate_tps",),
        (1e-5, 5e-5, 1e-4),
    )
    axes = plot_calibration(calibrate(seen, curve, noise_ratio=0.01))
    assert (axes.get_xlabel(), axes.get_xscale()) == ("transaction rate [transaction/s]", "log")
    (line,) = [each for each in axes.lines if len(each.get_xdata()) > 3]
    values = dict(zip(line.get_xdata(), line.get_ydata(), strict=True))
    assert values[14340.35] == pytest.approx(34.9e-6, rel=1e-3)


def test_calibrations_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(DomainError, match=r"nothing to draw over: .* none is a number"):
        plot_calibration(calibrate([rate({"mtu_bytes": 1500}, 13.4)], adapter_model(), 0.02))
    with pytest.raises(DomainError, match="nothing to draw over"):
        plot_calibration(both_directions(), "direction")
    requests = {"request_bytes": 200, "mtu_bytes": 1500}
    tps = Observed(quantity="transaction_rate_tps", at=requests, low=800_000, high=900_000)
    both = calibrate([rate({**requests, "mtu_bytes": 9000}, 1.4), tps], adapter_model(), 0.5)
    with pytest.raises(DomainError, match="only one quantity can be drawn"):
        plot_calibration(both)


# All


DRAW: dict[str, Callable[[Any], Any]] = {
    "plot_path": lambda ax: plot_path(uncertain(), ax),
    "plot_predictions": lambda ax: plot_predictions(over_connections(), COUNTS, HOSTILE, ax=ax),
    "plot_frame": lambda ax: plot_frame(line_ceiling(25e9, 1500).parts, ax),
    "plot_plan": lambda ax: plot_plan(planned(mtu_bytes=1500), ax),
    "plot_calibration": lambda ax: plot_calibration(both_directions(), ax=ax, subject=HOSTILE),
}


@pytest.mark.parametrize("name", [name for name in report.__all__ if name.startswith("plot_")])
def test_a_plot_goes_where_it_is_asked_and_changes_nothing_else(name: str, plt: ModuleType) -> None:
    assert "ax" in inspect.signature(getattr(report, name)).parameters
    figure, (theirs, ours) = plt.subplots(1, 2)
    theirs.set_title("$x^2$")
    before = dict(plt.rcParams)
    assert DRAW[name](ours) is ours
    figure.canvas.draw()  # a name that is no formula is drawn as it is
    assert theirs.title.get_parse_math()
    assert not theirs.has_data()
    assert dict(plt.rcParams) == before


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPartError, match=re.escape("[plot]")):
        plot_frame(line_ceiling(25e9, 1500).parts)
