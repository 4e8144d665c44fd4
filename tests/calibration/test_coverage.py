"""Draw observations, print and censor them, fit: the intervals hold the truth 95 times in 100."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pytest
from scipy import stats

from netmodel.calibration import (
    Model,
    Observed,
    adapter_model,
    coalescing_curve,
    coverage_of,
    fit,
    host_cost_model,
    power_model,
    saturation_model,
    scalability_model,
)
from netmodel.consumption import Side
from netmodel.records import Relation

pytestmark = pytest.mark.thorough

LEVEL_RATIO = 0.95
SURE_RATIO = 0.999
"""Of the number of hits in so many seeds, on both sides, if each hits 95 times in 100."""

Template = Sequence[Observed]


@dataclass(frozen=True)
class Shape:
    """A model, what is true of it, and what is observed."""

    model: Model
    true: Mapping[str, float]
    template: Template
    noise_ratio: float = 0.02
    noise_is_known: bool = False


def exactly(quantity: str, name: str, places: Sequence[float], **at: float | str) -> Template:
    return [Observed(quantity=quantity, at={**at, name: place}, low=1, high=1) for place in places]


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
KNEE = {"light_load_s": 400e-6, "bottleneck_s": 20e-6}
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
        scalability_model(), LAW, exactly(RATE, COUNT, (1, 18, 36, 72, 108, 144, 216))
    ),
    "timer batching": Shape(
        coalescing_curve(),
        BATCHES,
        printed(COST, RATE, (500, 2000, 5000, 1e4, 3e4, 6e4, 1e5, 2e5), 0.1e-6),
        noise_ratio=0.01,
    ),
    "saturation": Shape(saturation_model(), KNEE, exactly(RATE, COUNT, (1, 2, 5, 50, 100, 200))),
    "host at two MTUs": Shape(host_cost_model(Side.CLIENT), HOST, HOST_TEMPLATE),
    "three points": Shape(power_model(0.8), POWER, exactly(RATE, COUNT, (1, 10, 50))),
    "three points of known noise": Shape(
        scalability_model(), LAW, exactly(RATE, COUNT, (1, 36, 216)), noise_is_known=True
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
        partial(fit, shape.model, **known),
    )
    assert not study.refusals
    least, most = stats.binom.interval(SURE_RATIO, seed_count, LEVEL_RATIO)
    hits = {name: one.hit_count for name, one in study.parameters.items()}
    assert all(least <= count <= most for count in hits.values()), (least, most, hits)


@pytest.mark.parametrize("name", SHAPES)
def test_intervals_hold_the_truth(name: str) -> None:
    check(SHAPES[name], 60)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SHAPES)
def test_intervals_hold_the_truth_of_many_seeds(name: str) -> None:
    check(SHAPES[name], 1000)
