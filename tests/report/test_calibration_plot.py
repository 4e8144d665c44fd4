"""Plots of calibrations show what was seen and what is predicted."""

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from netmodel.calibration import (
    Observed,
    Point,
    SeveralModels,
    adapter_model,
    calibrate,
    curve_model,
)
from netmodel.errors import DomainError
from netmodel.records import Relation
from netmodel.report import plot_calibration

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.usefixtures("plt")

LINE = 24.75e9


def rate(at: Any, rate_gbps: float) -> Observed:
    low, high = (rate_gbps - 0.05) * 1e9, (rate_gbps + 0.05) * 1e9
    return Observed(quantity="throughput_bps", at=at, low=low, high=high, value=rate_gbps * 1e9)


def full(at: Any) -> Observed:
    return Observed(
        quantity="throughput_bps",
        at=at,
        low=LINE,
        high=float("inf"),
        relation=Relation.CENSORED_ABOVE,
    )


@cache
def both_directions(noise_ratio: float | None = 0.01) -> Any:
    model = SeveralModels("direction", dict.fromkeys(("in", "out"), adapter_model(25e9)))
    seen = [
        each
        for way, rate_gbps in (("in", 13.4), ("out", 20.5))
        for each in (
            rate({"mtu_bytes": 1500, "direction": way}, rate_gbps),
            full({"mtu_bytes": 9000, "direction": way}),
        )
    ]
    return calibrate(seen, model, noise_ratio)


@cache
def shared_cost() -> Any:
    """Connections and rates both differ, and only the rate changes the prediction."""
    seen = [
        Observed(
            quantity="cpu_s_per_transaction",
            at={"connection_count": count, "transaction_rate_tps": rate_tps},
            low=cost_s,
            high=cost_s,
            value=cost_s,
        )
        for count, rate_tps, cost_s in (
            (1, 2538.62, 55.9e-6),
            (10, 14340.35, 34.9e-6),
            (50, 31996.02, 24.4e-6),
        )
    ]
    return calibrate(seen, curve_model("coalescing"), noise_ratio=0.01)


def labels(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def test_a_set_is_a_band_for_each_direction_and_no_line() -> None:
    result = both_directions()
    axes = plot_calibration(result)
    assert labels(axes) == ["direction in", "direction out", "observed", "lower bound"]
    assert axes.get_title() == "Feasible set: agrees with every figure within 1.00 % noise"
    inbound = axes.collections[0].get_paths()[0].vertices
    wanted = result.predict(Point("throughput_bps", {"mtu_bytes": 9000, "direction": "in"}))
    at_9000 = inbound[inbound[:, 0] == 9000][:, 1]
    assert (min(at_9000), max(at_9000)) == pytest.approx((wanted.low, wanted.high), rel=1e-9)


def test_open_intervals_are_drawn_as_such() -> None:
    axes = plot_calibration(both_directions(None))
    assert axes.get_title() == "Run-to-run noise not known: intervals are open"
    assert min(axes.collections[0].get_paths()[0].vertices[:, 1]) == 0
    seen = [rate({"mtu_bytes": mtu_bytes}, 13.4) for mtu_bytes in (1500, 1501)]
    assert plot_calibration(calibrate(seen, adapter_model())).get_xlabel() == "MTU [byte]"


def test_figures_are_points_with_their_ends_and_open_ones_triangles() -> None:
    axes = plot_calibration(both_directions())
    bars = [each.lines[2][0].get_segments()[0][:, 1] for each in axes.containers]
    assert np.array(bars) == pytest.approx(np.array([[13.35e9, 13.45e9], [20.45e9, 20.55e9]]))
    open_ends = [each for each in axes.lines if each.get_marker() == "^" and len(each.get_xdata())]
    assert [(*each.get_xdata(), *each.get_ydata()) for each in open_ends] == [(9000, LINE)] * 2


def test_axes_are_in_words_with_units() -> None:
    axes = plot_calibration(both_directions())
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("MTU [byte]", "throughput")
    assert axes.get_xscale() == "linear"
    assert [text.get_text() for text in axes.get_yticklabels()][:2] == ["0", "5 Gbit/s"]


def test_it_is_drawn_over_what_changes_the_prediction() -> None:
    result = shared_cost()
    axes = plot_calibration(result)
    assert axes.get_xlabel() == "transactions per second"
    assert axes.get_ylabel() == "CPU time of a transaction"
    assert axes.get_xscale() == "log"
    assert axes.get_title() == "Maximum-likelihood fit with 95 % intervals of the mean"
    (line,) = [each for each in axes.lines if len(each.get_xdata()) > 3]
    values = dict(zip(line.get_xdata(), line.get_ydata(), strict=True))
    assert values[14340.35] == pytest.approx(34.9e-6, rel=1e-3)
    assert [text.get_text() for text in axes.get_yticklabels()][:2] == ["0", "10 µs"]


def test_a_condition_that_the_model_does_not_read_cannot_be_chosen() -> None:
    with pytest.raises(DomainError, match="nothing to draw over"):
        plot_calibration(shared_cost(), "connection_count")


def test_axes_of_the_user_are_used(plt: ModuleType) -> None:
    axes = plt.subplots()[1]
    assert plot_calibration(both_directions(), ax=axes) is axes


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(DomainError, match=r"nothing to draw over: .* none is a number"):
        plot_calibration(calibrate([rate({"mtu_bytes": 1500}, 13.4)], adapter_model()))
    with pytest.raises(DomainError, match="nothing to draw over"):
        plot_calibration(both_directions(), "direction")
    requests = {"request_bytes": 200, "mtu_bytes": 1500}
    seen = [
        rate({**requests, "mtu_bytes": 9000}, 1.4),
        Observed(quantity="transaction_rate_tps", at=requests, low=800_000, high=900_000),
    ]
    with pytest.raises(DomainError, match="only one quantity can be drawn"):
        plot_calibration(calibrate(seen, adapter_model()))
