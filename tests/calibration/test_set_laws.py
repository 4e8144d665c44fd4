"""Laws of feasible sets, for any true times and however they were seen."""

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from netmodel.calibration import Observed, Point, adapter_model, feasible_set
from netmodel.calibration.models import FreeParameter, LinearModel, Loads, demand_model
from netmodel.errors import ContradictionError
from netmodel.records.values import Relation

pytestmark = pytest.mark.thorough

CLOSE = 1e-6
LINE_BPS = 25e9
MODEL = adapter_model(LINE_BPS)
MTUS = st.sampled_from([576, 1000, 1500, 2000, 3000, 4000, 6000, 9000])
FEW = settings(max_examples=20, deadline=None)
Truth = tuple[float, float]

truths = st.tuples(st.floats(0.05e-6, 2e-6), st.floats(0.01e-9, 0.5e-9))
"""Time per frame and per byte of adapters from well below to well above the line."""


def true_value(truth: Truth, point: Point, model: LinearModel = MODEL) -> float:
    return float(model.function([point])(np.array(truth))[0])


def streaming(mtu_bytes: float) -> Point:
    return Point("throughput_bps", {"mtu_bytes": mtu_bytes})


@st.composite
def sights(draw: st.DrawFn, truth: Truth, mtu_bytes: int) -> Observed:
    """One of the ways to see a true rate: all of what is said is true."""
    conditions = {"mtu_bytes": mtu_bytes}
    value = true_value(truth, streaming(mtu_bytes))
    below, above = (draw(st.floats(0.001, 0.3)) for _ in range(2))
    low, high = value * (1 - below), value * (1 + above)
    kind = draw(st.sampled_from(["rounded", "at least", "at most", "censored", "compared"]))
    seen = Observed(quantity="throughput_bps", at=conditions, low=low, high=high)
    if kind == "at least":
        return replace(seen, high=math.inf, relation=Relation.AT_LEAST)
    if kind == "at most":
        return replace(seen, low=0, relation=Relation.AT_MOST)
    if kind == "censored":
        return replace(seen, high=math.inf, relation=Relation.CENSORED_ABOVE)
    if kind == "compared":
        other = {"mtu_bytes": draw(MTUS)}
        baseline = true_value(truth, Point("throughput_bps", other))
        return replace(seen, low=low / baseline, high=high / baseline, baseline=other)
    return seen


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Truth, list[Observed]]:
    """True times, and what was seen of them: a rounded figure among other things."""
    truth = draw(truths)
    mtus = draw(st.lists(MTUS, min_size=1, max_size=4))
    first = true_value(truth, streaming(1500))
    anchor = Observed(
        quantity="throughput_bps",
        at={"mtu_bytes": 1500},
        low=first * 0.97,
        high=first * 1.02,
        value=first,
    )
    return truth, [anchor, *(draw(sights(truth, mtu)) for mtu in mtus)]


def is_in(value: float, low: float, high: float) -> bool:
    return low * (1 - CLOSE) - 1e-18 <= value <= high * (1 + CLOSE) + 1e-18


def holds(observation: Observed, truth: Truth) -> bool:
    """Whether an observation is true, said apart from the code that solves for it."""
    is_uncapped = observation.relation is Relation.CENSORED_ABOVE
    value = true_value(truth, Point(observation.quantity, observation.at, is_uncapped))
    if observation.baseline is not None:
        value /= true_value(truth, Point(observation.quantity, observation.baseline))
    margin = 1e-5
    return observation.low * (1 - margin) <= value <= observation.high * (1 + margin)


@FEW
@given(scenes(), MTUS)
def test_the_truth_is_always_inside_and_below_the_line(
    scene: tuple[Truth, list[Observed]], mtu_bytes: int
) -> None:
    truth, observed = scene
    result = feasible_set(observed, MODEL)
    for value, each in zip(truth, result.parameters.values(), strict=True):
        assert is_in(value, each.low, each.high)
    rate, found = true_value(truth, streaming(mtu_bytes)), result.predict(streaming(mtu_bytes))
    assert is_in(rate, found.low, found.high)
    line = true_value((0, 0), streaming(mtu_bytes))
    assert found.high <= line * (1 + 1e-15)
    assert found.value is None or found.low <= found.value <= found.high


@FEW
@given(scenes(), MTUS, st.data())
def test_more_observations_never_widen(
    scene: tuple[Truth, list[Observed]], mtu_bytes: int, data: st.DataObject
) -> None:
    truth, observed = scene
    more = data.draw(sights(truth, mtu_bytes))
    before, after = feasible_set(observed, MODEL), feasible_set([*observed, more], MODEL)
    for name, each in after.parameters.items():
        assert is_in(each.low, *before.parameters[name][1:])
        assert is_in(each.high, *before.parameters[name][1:])
    rate = after.predict(streaming(3000))
    assert is_in(rate.low, *before.predict(streaming(3000))[1:])
    assert is_in(rate.high, *before.predict(streaming(3000))[1:])


@FEW
@given(scenes(), st.randoms(use_true_random=False))
def test_order_does_not_matter(scene: tuple[Truth, list[Observed]], random: Random) -> None:
    _, observed = scene
    shuffled = random.sample(observed, len(observed))
    expected, result = feasible_set(observed, MODEL), feasible_set(shuffled, MODEL)
    for name, each in result.parameters.items():
        assert each[1:] == pytest.approx(expected.parameters[name][1:], rel=CLOSE, abs=1e-17)
    rate, expected_rate = (each.predict(streaming(3000)) for each in (result, expected))
    assert rate[1:] == pytest.approx(expected_rate[1:], rel=CLOSE)
    assert (rate.value is None) is (expected_rate.value is None)


@FEW
@given(scenes())
def test_predictions_lie_within_the_observed_range(scene: tuple[Truth, list[Observed]]) -> None:
    result = feasible_set(scene[1], MODEL)
    for each in scene[1]:
        if each.baseline is None:
            is_uncapped = each.relation is Relation.CENSORED_ABOVE
            rate = result.predict(Point(each.quantity, each.at, is_uncapped))
            assert is_in(rate.low, each.low, each.high)
            assert is_in(rate.high, each.low, each.high)


@FEW
@given(scenes())
def test_corners_agree_with_all_observations_and_reach_the_ends(
    scene: tuple[Truth, list[Observed]],
) -> None:
    _, observed = scene
    result = feasible_set(observed, MODEL)
    for corner in result.vertices:
        assert all(holds(each, tuple(corner)) for each in observed)
    for column, each in zip(result.vertices.T, result.parameters.values(), strict=True):
        assert column.min() == pytest.approx(each.low, rel=CLOSE, abs=1e-17)
        assert column.max() == pytest.approx(each.high, rel=CLOSE, abs=1e-17)


def scaled(factor: float, times: float) -> LinearModel:
    """Rates counted in other units, and times of other units behind them."""
    return demand_model(
        "rate",
        (FreeParameter("frame", "s"), FreeParameter("byte", "s")),
        lambda conditions: (times / factor, times * float(conditions["bytes"]) / factor),
    )


@FEW
@given(
    truths,
    st.lists(
        st.tuples(st.sampled_from([100, 1448, 4000, 8948]), st.floats(0.001, 0.2)), max_size=4
    ),
    st.sampled_from([1e-9, 1.0, 1e3, 1e12]),
    st.sampled_from([1e-9, 1.0, 1e6]),
)
def test_units_do_not_matter(
    truth: Truth, seen: list[tuple[int, float]], factor: float, times: float
) -> None:
    def ends_of(factor: float, times: float) -> list[float]:
        model = scaled(factor, times)
        plain = scaled(1, 1)
        observed = []
        for size, width in [(1448, 0.01), *seen]:
            value = factor * true_value(truth, Point("rate", {"bytes": size}), plain)
            ends = value * (1 - width), value * (1 + width)
            observed.append(
                Observed(quantity="rate", at={"bytes": size}, low=ends[0], high=ends[1])
            )
        many = feasible_set(observed, model)
        rate = many.predict(Point("rate", {"bytes": 2000}))
        ends = [times * end for each in many.parameters.values() for end in each[1:]]
        return [*ends, *(end / factor for end in rate[1:])]

    assert ends_of(factor, times) == pytest.approx(ends_of(1, 1), rel=CLOSE, abs=1e-17)


@settings(max_examples=10, deadline=None)
@given(scenes(), st.floats(0.03, 0.5), st.floats(1e8, 1e9))
def test_a_planted_contradiction_is_named(
    scene: tuple[Truth, list[Observed]], gap_ratio: float, value: float
) -> None:
    """Two that cannot be true together, as larger frames are not slower, among any that can."""
    at = {"mtu_bytes": 577}
    high = Observed(quantity="throughput_bps", at=at, low=value, high=value, place="planted")
    low = replace(high, at={"mtu_bytes": 601}, low=0, high=value / (1 + gap_ratio))
    with pytest.raises(ContradictionError, match="planted"):
        feasible_set([*scene[1], high, low], MODEL)


def several_limits(is_rate: bool) -> LinearModel:
    """Return times that are the largest of three sums of three parameters and a number."""

    def sums(point: Point) -> Loads:
        amounts = np.random.default_rng(int(point.at["case"])).integers(0, 4, (3, 4))
        return Loads(amounts * [1, 1, 1, 0.5], is_rate)

    return LinearModel(tuple(FreeParameter(name, "s") for name in "abc"), sums)


@FEW
@given(
    st.booleans(),
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), min_size=1, max_size=5),
)
def test_a_set_of_several_limits_is_that_of_trying_many_points(
    is_rate: bool, seen: list[tuple[int, int]]
) -> None:
    """Every point that agrees is within the ends, and every corner agrees."""
    model = several_limits(is_rate)
    truth = np.array([0.7, 1.1, 0.4])
    chance = np.random.default_rng(len(seen))
    observed = []
    for case, kind in seen:
        value = true_value(tuple(truth), Point("q", {"case": case}), model)
        if 0 < value < math.inf and case not in {each.at["case"] for each in observed}:
            low, high = value * chance.uniform(0.6, 1), value * chance.uniform(1, 1.5)
            low, high = (0, high) if kind == 0 else (low, math.inf) if kind == 1 else (low, high)
            observed.append(Observed(quantity="q", at={"case": case}, low=low, high=high))
    assume(observed)
    result = feasible_set(observed, model)
    points = np.column_stack([chance.uniform(0, 2, (3, 20_000)), truth])
    values = model.function([Point("q", each.at) for each in observed])(points)
    ends = np.array([(each.low, each.high) for each in observed]).reshape(-1, 2)
    agrees = ((values >= ends[:, :1]) & (values <= ends[:, 1:])).all(axis=0)
    assert agrees[-1]
    for row, each in zip(points[:, agrees], result.parameters.values(), strict=True):
        assert is_in(row.min(), each.low, each.high)
        assert is_in(row.max(), each.low, each.high)
    asked = Point("q", {"case": 51})
    others = model.function([asked])(points[:, agrees])[0]
    assert is_in(others.min(), *result.predict(asked)[1:])
    assert is_in(others.max(), *result.predict(asked)[1:])
    corners = model.function([Point("q", each.at) for each in observed])(result.vertices.T)
    assert (corners >= ends[:, :1] * (1 - CLOSE)).all()
    assert (corners <= ends[:, 1:] * (1 + CLOSE)).all()
    highs = [each.high for each in result.parameters.values()]
    if max(highs) < math.inf:
        assert result.vertices.max(axis=0) == pytest.approx(highs, rel=CLOSE, abs=1e-9)
