"""Draw observations, print and censor them, fit: the intervals hold the truth 95 times in 100."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from calibration.drawn import BATCHED, coverage_of
from scipy import stats

from netmodel.calibration import (
    Observed,
    Point,
    adapter_model,
    calibrate,
    fit,
    host_cost_model,
    line_cap,
)
from netmodel.calibration.models import Model
from netmodel.calibration.named_models import curve_model
from netmodel.calibration.observations import Selection, line_speed_as_censored
from netmodel.records.values import Relation

pytestmark = pytest.mark.thorough

LEVEL_RATIO = 0.95
SURE_RATIO = 0.999
"""Of the number of hits in so many seeds, on both sides, if each hits 95 times in 100."""

FEW_SEEDS = 8
"""For each change: coverage of two thirds shows in 3 intervals of each; nights take many more."""
OF_UNKNOWN_NOISE = 4
"""Seeds of runs whose noise is not known: each takes seconds."""

Template = Sequence[Observed]


@dataclass(frozen=True)
class Shape:
    """A model, what is true of it, and what is observed."""

    model: Model
    true: Mapping[str, float]
    template: Template
    noise_ratio: float = 0.02
    noise_is_known: bool = False


def exactly(
    quantity: str, name: str, places: Sequence[float], **conditions: float | str
) -> Template:
    return [
        Observed(quantity=quantity, at={**conditions, name: place}, low=1, high=1)
        for place in places
    ]


def printed(quantity: str, name: str, places: Sequence[float], step: float) -> Template:
    return [
        Observed(quantity=quantity, at={name: place}, low=(n - 0.5) * step, high=(n + 0.5) * step)
        for n, place in enumerate(places, 1)
    ]


def adapter_template() -> Template:
    """Printed to 0.1 Gbit/s below the line and at it, and once only known to be at it."""
    at_line = Observed(
        quantity="throughput_bps",
        at={"mtu_bytes": 9000},
        low=24.7e9,
        high=math.inf,
        relation=Relation.CENSORED_ABOVE,
    )
    mtus = (576, 1000, 1280, 1500, 2000, 4000)
    return [*printed("throughput_bps", "mtu_bytes", mtus, 0.1e9), at_line]


RATE, COST, COUNT = "transaction_rate_tps", "cpu_s_per_transaction", "connection_count"
LINE = {"per_frame_s": 0.5e-6, "per_byte_s": 0.13e-9}
HOST = {"per_message_s": 6e-6, "per_frame_s": 0.8e-6, "per_byte_s": 0.3e-9}
LAW = {"alone_s": 1 / 90, "contention_s": 0.03 / 90, "coherency_s": 1e-4 / 90}
BATCHES = {"time_per_transaction_s": 9e-6, "time_per_batch_s": 57e-6, "batching_time_s": 82e-6}
KNEE = {"zero_load_s": 400e-6, "bottleneck_s": 20e-6}
POWER = {"fixed_s": 380e-6, "growing_s": 40e-6}

HOST_TEMPLATE = [
    Observed(
        quantity=COST,
        at={"mtu_bytes": mtu, "request_bytes": size, "response_bytes": size, "side": "client"},
        low=1,
        high=1,
    )
    for mtu in (1500, 9000)
    for size in (200, 8000, 60000)
]

SHAPES = {
    "adapter with a line": Shape(adapter_model(25e9), LINE, adapter_template()),
    "scalability": Shape(
        curve_model("scalability"), LAW, exactly(RATE, COUNT, (1, 18, 36, 72, 108, 144, 216))
    ),
    "timer batching": Shape(
        BATCHED,
        BATCHES,
        printed(COST, RATE, (500, 2000, 5000, 1e4, 3e4, 6e4, 1e5, 2e5), 0.1e-6),
        noise_ratio=0.01,
    ),
    "saturation": Shape(
        curve_model("saturation"), KNEE, exactly(RATE, COUNT, (1, 2, 5, 50, 100, 200))
    ),
    "host at two MTUs": Shape(host_cost_model(), HOST, HOST_TEMPLATE),
    "four points": Shape(curve_model("power"), POWER, exactly(RATE, COUNT, (1, 5, 10, 50))),
    "three points of known noise": Shape(
        curve_model("scalability"), LAW, exactly(RATE, COUNT, (1, 36, 216)), noise_is_known=True
    ),
}


def check(shape: Shape, seed_count: int) -> None:
    known = {"noise_ratio": shape.noise_ratio} if shape.noise_is_known else {}
    study = coverage_of(
        shape.model,
        shape.true,
        shape.template,
        shape.noise_ratio,
        range(seed_count),
        partial(fit, model=shape.model, **known),
    )
    assert not study.refusals
    least, most = stats.binom.interval(SURE_RATIO, seed_count, LEVEL_RATIO)
    hits = study.hit_counts
    assert all(least <= count <= most for count in hits.values()), (least, most, hits)


MTUS = (1000, 1500, 1500, 2000, 3000, 4000, 9000)
AT_LINE = line_cap(25e9)


def rounded(rate_bps: float, digits: int) -> tuple[float, float]:
    step = 10.0 ** (math.floor(math.log10(rate_bps)) - digits + 1)
    nearest = round(rate_bps / step) * step
    return nearest - step / 2, nearest + step / 2


def own_runs(digits: int, noise_ratio: float, seed: int) -> Selection:
    """Runs past an adapter as a table of your own has them, the last ratio to the second."""
    chance = np.random.default_rng(seed)
    points = [Point("throughput_bps", {"mtu_bytes": mtu_bytes}) for mtu_bytes in MTUS]
    means = adapter_model().function(points)(np.array([*LINE.values()]))
    rates = means * np.exp(noise_ratio * chance.standard_normal(len(MTUS)))
    carried = np.array([AT_LINE(point.at) for point in points])
    seen = []
    for point, rate_bps in zip(points, np.minimum(rates, carried), strict=True):
        low, high = rounded(float(rate_bps), digits)
        seen.append(Observed(quantity=point.quantity, at=point.at, low=low, high=high))
    compared = rates[3] / rates[1]
    low, high = rounded(float(compared), digits)
    ratio = Observed(
        quantity="throughput_bps", at=points[3].at, low=low, high=high, baseline=points[1].at
    )
    return line_speed_as_censored([*seen[:3], ratio, *seen[4:]], AT_LINE)


def check_own_runs(digits: int, noise_ratio: float, is_known: bool, seed_count: int) -> float:
    """At least 90 times in 100 the intervals hold the truth; how often they do."""
    point = Point("throughput_bps", {"mtu_bytes": 2500})
    model = adapter_model(25e9)
    truth = float(model.function([point])(np.array([*LINE.values()]))[0])
    hits, closed = 0, 0
    for seed in range(seed_count):
        seen = own_runs(digits, noise_ratio, seed).observed
        result = calibrate(seen, model, noise_ratio if is_known else None)
        pairs = [(result.parameters[name], true) for name, true in LINE.items()]
        for each, true in (*pairs, (result.predict(point), truth)):
            is_closed = each.low > 0 and each.high < math.inf
            closed += is_closed
            hits += is_closed and each.low <= true <= each.high
    assert closed > 0.5 * 3 * seed_count
    assert hits >= stats.binom.ppf(1 - SURE_RATIO, closed, 0.9)
    return hits / closed


OWN_RUNS = pytest.mark.parametrize("is_known", [True, False])
PRINTED = pytest.mark.parametrize(("digits", "noise_ratio"), [(2, 0.02), (4, 0.005), (4, 0.05)])


@pytest.mark.parametrize(
    ("digits", "noise_ratio", "is_known"),
    [(2, 0.02, True), (4, 0.005, True), (4, 0.05, True), (4, 0.05, False)],
)
def test_closed_intervals_of_own_runs_hold_the_truth(
    digits: int, noise_ratio: float, is_known: bool
) -> None:
    check_own_runs(digits, noise_ratio, is_known, FEW_SEEDS if is_known else OF_UNKNOWN_NOISE)


@pytest.mark.nightly
@OWN_RUNS
@PRINTED
def test_closed_intervals_of_own_runs_are_not_too_wide(
    digits: int, noise_ratio: float, is_known: bool
) -> None:
    """They hold the truth as many as 99 times in 100 only where rounding exceeds the scatter."""
    hit_ratio = check_own_runs(digits, noise_ratio, is_known, 40)
    assert digits == 2 or hit_ratio <= 0.995


@pytest.mark.parametrize("name", SHAPES)
def test_intervals_hold_the_truth(name: str) -> None:
    check(SHAPES[name], FEW_SEEDS)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SHAPES)
def test_intervals_hold_the_truth_of_many_seeds(name: str) -> None:
    check(SHAPES[name], 1000)
