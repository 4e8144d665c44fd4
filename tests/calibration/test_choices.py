"""The model that predicts left-out figures best, and intervals as wide as it misses them."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from benchmarks.series import all_series
from netmodel.calibration import Observed, Point, adapter_model, calibrate
from netmodel.calibration.calibrations import ChosenModel
from netmodel.errors import CalibrationError, DomainError

pytestmark = pytest.mark.thorough

RATE = "transaction_rate_tps"
COUNTS = (1, 2, 5, 10, 25, 50, 100, 250)


def power(count: float) -> float:
    return count / (400e-6 + 50e-6 * count**0.8)


def saturation(count: float) -> float:
    return min(count / 400e-6, 60e3)


def batching(count: float) -> float:
    return count / (400e-6 + count * (12e-6 + 20e-6 / (1 + count / 30)))


def law(count: float) -> float:
    return 2500 * count / (1 + 0.02 * (count - 1) + 5e-5 * count * (count - 1))


def queue(count: float) -> float:
    """Mean value analysis of three stages and a delay: none of the models is true."""
    demands, lengths = np.array([12e-6, 9e-6, 5e-6]), np.zeros(3)
    rate = 0.0
    for number in range(1, int(count) + 1):
        times = demands * (1 + lengths)
        rate = number / (300e-6 + times.sum())
        lengths = rate * times
    return rate


CURVES = [power, saturation, batching, law, queue]
WILD = (1, 0.5, 0.3, 0.5, 1, 2, 3, 2)
"""Factors that no law follows."""


def seen(
    curve: Callable[[float], float],
    counts: tuple[int, ...] = COUNTS,
    noise: float = 0.0,
    seed: int = 0,
) -> list[Observed]:
    chance = np.random.default_rng(seed)
    return [
        Observed(quantity=RATE, at={"connection_count": count}, low=rate, high=rate)
        for count in counts
        for rate in [curve(count) * math.exp(noise * chance.normal())]
    ]


def point(count: float) -> Point:
    return Point(RATE, {"connection_count": count})


@pytest.mark.parametrize(
    ("curve", "name"), [(power, "power"), (law, "scalability"), (saturation, "saturation")]
)
def test_the_true_model_is_chosen(curve: Callable[[float], float], name: str) -> None:
    result = calibrate(seen(curve, noise=1e-4), "auto")
    assert result.tried[0].name == name
    assert result.predict(point(150)).value == pytest.approx(curve(150), rel=0.01)


@pytest.mark.parametrize("seed_count", [1, pytest.param(6, marks=pytest.mark.nightly)])
def test_intervals_hold_as_often_as_they_say(seed_count: int) -> None:
    """Over five curves, with 2 % of noise: 90 % or more of new runs within them."""
    held = []
    for curve in CURVES:
        for seed in range(seed_count):
            result = calibrate(seen(curve, noise=0.02, seed=seed), "auto")
            chance = np.random.default_rng(100 + seed)
            for count in (3, 7, 17, 35, 70, 170):
                run = curve(count) * math.exp(0.02 * chance.normal())
                low, high = result.predict(point(count))[1:]
                held.append(low <= run <= high)
    assert np.mean(held) >= 0.9


def test_interpolation_is_chosen_where_no_model_follows_the_figures() -> None:
    def bumpy(count: float) -> float:
        return 3000 * (1 + 0.6 * math.sin(2 * math.log(count)))

    counts = tuple(sorted({round(1.35**n) for n in range(2, 20)}))
    result = calibrate(seen(bumpy, counts), "auto")
    assert result.tried[0].name == "interpolation"
    assert not result.parameters


def test_intervals_widen_beyond_the_measured_range_and_end_at_twice_it() -> None:
    result = calibrate(seen(power, noise=0.02), "auto")
    values = [result.predict(point(count)) for count in (250, 350, 500, 1, 0.7, 0.5)]
    widths = [each.high / each.low for each in values]
    # by the factor beyond an end: its root at both ends of the interval
    assert [each / widths[0] for each in widths] == pytest.approx([1, 1.4, 2, 1, 1 / 0.7, 2])
    for count in (501, 0.49, 0, -1):
        with pytest.raises(CalibrationError, match="beyond twice the measured range, 1 to 250"):
            result.predict(point(count))


def test_a_place_without_logarithm_is_refused() -> None:
    figures = [
        Observed(quantity=RATE, at={"loss_percent": loss}, low=9 - loss, high=9 - loss)
        for loss in range(5)
    ]
    with pytest.raises(CalibrationError, match="loss_percent 0: the logarithm"):
        calibrate(figures, "auto")


def test_lines_are_straight_in_logarithms() -> None:
    first, second = power(10), power(25)
    share = (math.log(16) - math.log(10)) / (math.log(25) - math.log(10))
    expected = first ** (1 - share) * second**share
    (lines,) = (x for x in calibrate(seen(power), "auto").tried if x.name == "interpolation")
    assert lines.value(point(16)) == pytest.approx(expected)


def test_conditions_that_a_model_reads_are_kept() -> None:
    """Messages of two lengths: frames of the shorter ones are not all full."""
    model = adapter_model()
    points = [
        Point("throughput_bps", {"mtu_bytes": mtu, "write_bytes": size})
        for mtu in (1500, 2000, 3000, 4000, 6000, 9000)
        for size in (2000, 65536)
    ]
    rates = model.function(points)(np.array([0.8e-6, 0.2e-9]))
    observed = [
        Observed(quantity=each.quantity, at=each.at, low=float(rate), high=float(rate))
        for each, rate in zip(points, rates, strict=True)
    ]
    result = calibrate(observed, "auto")
    assert result.tried[0].name == "adapter"
    assert result.parameters["per_frame_s"].value == pytest.approx(0.8e-6, rel=1e-6)
    assert not any("ignores" in note for note in result.notes)
    assert result.refused["interpolation"] == "other conditions than mtu_bytes differ"


def test_intervals_are_as_wide_as_errors_of_left_out_figures() -> None:
    """Of lines between the neighbours of each figure inside the range."""
    wild = [power(count) * factor for count, factor in zip(COUNTS, WILD, strict=True)]
    observed = [
        Observed(quantity=RATE, at={"connection_count": count}, low=rate, high=rate)
        for count, rate in zip(COUNTS, wild, strict=True)
    ]
    result = calibrate(observed, "auto")
    assert result.tried[0].name == "interpolation"
    x, y = np.log(COUNTS), np.log(wild)
    errors = [
        np.interp(x[n], x[[n - 1, n + 1]], y[[n - 1, n + 1]]) - y[n] for n in range(1, len(x) - 1)
    ]
    assert result.tried[0].error_ratio == pytest.approx(np.sqrt(np.mean(np.square(errors))))
    left = len(errors) - 1  # degrees of freedom, but for the choice
    half_width = t.ppf(0.975, left) * math.sqrt(np.sum(np.square(errors)) / left)
    for count in (16, 250):
        value, low, high = result.predict(point(count))
        expected = (math.exp(-half_width), math.exp(half_width))
        assert (low / value, high / value) == pytest.approx(expected)


def test_throughput_over_the_mtu() -> None:
    mtus = (1500, 2000, 3000, 4000, 6000, 9000)
    frames = [
        Observed(
            quantity="throughput_bps",
            at={"mtu_bytes": mtu, "layer": 3},
            low=8 * (mtu - 52) / (0.8e-6 + 0.2e-9 * (mtu - 52)),
            high=8 * (mtu - 52) / (0.8e-6 + 0.2e-9 * (mtu - 52)),
        )
        for mtu in mtus
    ]
    result = calibrate(frames, "auto")
    assert result.tried[0].name == "adapter"
    assert set(result.parameters) == {"per_frame_s", "per_byte_s"}
    assert result.parameters["per_frame_s"].value == pytest.approx(0.8e-6, rel=1e-6)


def test_why_models_do_not_suit() -> None:
    many = [
        Observed(
            quantity="throughput_bps",
            at={"connection_count": count},
            low=1e9 * count**0.5,
            high=1e9 * count**0.5,
        )
        for count in (1, 4, 16, 64)
    ]
    result = calibrate(many, "auto")
    assert "mtu_bytes" in result.refused["adapter"]


def test_too_few_figures_are_refused() -> None:
    with pytest.raises(
        CalibrationError, match="2 different values of connection_count, of 3 or more"
    ):
        calibrate(seen(power, (1, 10)), "auto")
    with pytest.raises(CalibrationError, match="no condition is a number that differs"):
        calibrate(seen(power, (1, 1, 1)), "auto")
    bounds = [
        Observed(quantity=RATE, at={"connection_count": n}, low=1, high=math.inf) for n in (1, 2, 3)
    ]
    with pytest.raises(CalibrationError, match="no figure"):
        calibrate(bounds, "auto")
    with pytest.raises(DomainError, match="connection_count"):
        calibrate(seen(power), "auto").predict(Point(RATE, {}))


def test_a_table_and_plain_values() -> None:
    result = calibrate(seen(batching, noise=0.02), "auto")
    assert isinstance(result, ChosenModel)
    assert "RMS error" in str(result)
    assert all(len(note) <= 100 for note in result.notes)
    assert "leave out the choice" in result.notes[1]
    row = result.to_dict()
    assert row["chosen"] == result.tried[0].name
    units = {each.name: each.unit for each in result.free}
    assert units == {name: "s" if name.endswith("_s") else "" for name in result.parameters}
    assert "s" in units.values()
    assert [each["name"] for each in row["candidates"]] == [each.name for each in result.tried]
    assert result.tried[0].name in str(result)


# A typo


def left_out(result: ChosenModel) -> list[str]:
    return [each for each in result.notes if "which is left out" in each]


@pytest.mark.parametrize("factor", [10, 0.1, 2])
@pytest.mark.parametrize("place", [0, 3, 7])
def test_a_typo_in_one_row_is_left_out_first_and_said(place: int, factor: float) -> None:
    figures = seen(law, noise=0.01, seed=place)
    rate = factor * figures[place].low
    figures[place] = replace(figures[place], low=rate, high=rate)
    result = calibrate(figures, "auto")
    (note,) = left_out(result)
    assert note == result.notes[0]
    assert f"connection_count {COUNTS[place]}, which" in note
    others = calibrate([*figures[:place], *figures[place + 1 :]], "auto")
    assert [each.error_ratio for each in result.tried] == [x.error_ratio for x in others.tried]


@pytest.mark.parametrize("seed_count", [1, pytest.param(20, marks=pytest.mark.nightly)])
def test_series_without_a_typo_keep_their_rows(seed_count: int) -> None:
    """Also where no law holds: the knee of a queue is softer than that of the saturation law."""
    for curve in CURVES:
        for seed in range(seed_count):
            for noise in (0.005, 0.02):
                figures = seen(curve, noise=noise, seed=seed)
                assert not left_out(calibrate(figures, "auto")), (curve, seed, noise)


def test_a_public_series_that_no_law_follows_keeps_its_rows() -> None:
    """The first of these, alone at 1, is twice as fast as the saturation law has it."""
    rows = all_series()["grpc-go", "calls by concurrency"]
    rates = {int(row["x"]): float(row["y"]) for row in rows}
    result = calibrate(seen(rates.__getitem__, tuple(rates)), "auto")
    assert result.tried[0].name == "interpolation"
    assert not left_out(result)
    assert result.range == (1, 19)
