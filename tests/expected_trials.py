"""
Trials of expected values and bounds, against simulated paths that share no formula with them.

Random closed paths, and random paths of messages of several frames, are simulated with service
times of several distributions. A trial says how far the expected rate and time are off, the
sampling error of the run, and where it lies between the bounds.
"""

import math
import random
import zlib
from dataclasses import dataclass, replace
from typing import NamedTuple

from path.test_simulated import case_of
from simulated_path import HEADER_BYTES, simulated
from simulation.closed_paths import (
    CONNECTION_COUNTS,
    MTU_BYTES,
    RANDOM_PATHS,
    ClosedPath,
)
from simulation.events import (
    CONSTANT,
    ERLANG,
    EXPONENTIAL,
    HYPEREXPONENTIAL,
    TWICE,
    deviations,
    simulate,
)

from netmodel.path import Path, Prediction, Stage, Times, Traffic, predict_path

__all__ = ["CASES", "FRAME_COUNTS", "SERVICES", "Case", "Service", "Trial", "trial_of"]

SEGMENT_BYTES = MTU_BYTES - HEADER_BYTES


class Service(NamedTuple):
    """A distribution of service times, and whether delays take the same time each."""

    name: str
    variation: float
    constant_delays: bool
    transaction_count: int = 50_000


SERVICES = {
    each.name: each
    for each in (
        Service("exponential, delays too", EXPONENTIAL, False, 200_000),
        Service("constant", CONSTANT, True),
        Service("Erlang of 4 phases", ERLANG, True),
        Service("exponential, constant delays", EXPONENTIAL, True),
        Service("hyperexponential, c² = 2", TWICE, True),
        Service("hyperexponential, c² = 4", HYPEREXPONENTIAL, True),
    )
}
"""The first is what expected values assume."""
FRAME_COUNTS = (1, 4, 22)
"""Frames of a response; 22 are 30 KiB at MTU 1500."""
FRAME_PATHS = 6
FRAME_TRANSACTIONS = 40_000
"""Frames of a run, so that each takes as long."""


ALONE_FAMILIES = (
    "frames",
    "frames servers",
    "frames pools",
    "frames messages",
)
"""What messages and stages may have of paths with one connection."""
ALONE_PATHS = 16
ALONE_TRANSACTIONS = {"constant": 40, "exponential, constant delays": 2000}
"""With constant times all transactions but the first few are alike."""


class Case(NamedTuple):
    """
    A path by its name, the frames of a response, the connections and the service.

    Messages of one connection alone have 0 frames here: each path has its own sizes.
    """

    kind: str
    path: str
    frame_count: int
    connection_count: int
    service: str

    @property
    def seed(self) -> int:
        """Of its own, the same in every run of the tests."""
        return zlib.crc32(repr(tuple(self)).encode())


@dataclass(frozen=True)
class Trial:
    """
    What a run shows of a prediction.

    Parameters
    ----------
    kind, path, frame_count, connection_count, service
        The case.
    has_product_form : bool
        Whether the path has one where its service is exponential.
    is_exact : bool
        Whether the prediction says that its value is exact under its assumption.
    knee_ratio : float
        Connections over those at which both asymptotes meet.
    rate_off_ratio, time_off_ratio : float
        Expected over simulated, less 1.
    rate_error_ratio, time_error_ratio : float
        Standard error of the run, over its value.
    above_ratio : float
        Simulated rate over its upper bound, less 1.
    """

    kind: str
    path: str
    frame_count: int
    connection_count: int
    service: str
    has_product_form: bool
    is_exact: bool
    knee_ratio: float
    rate_off_ratio: float
    time_off_ratio: float
    rate_error_ratio: float
    time_error_ratio: float
    above_ratio: float

    @property
    def exceeds_a_bound(self) -> bool:
        """Whether the run is above the bound by more than its sampling error."""
        margin = deviations(2 * len(CASES)) * self.rate_error_ratio + ROUNDING
        return self.above_ratio > margin


ROUNDING = 1e-6
"""Of sums over a million events, and of a run that does not end with a whole round."""
_PATHS = {path.name: path for path in RANDOM_PATHS}


def frame_path(name: str, frame_count: int) -> Path:
    """A path of 3 to 6 stages that take 1 to 30 µs of a response, in parts for each frame."""
    chance = random.Random(name)

    def micros(low: float = 1, high: float = 30) -> float:
        return round(math.exp(chance.uniform(math.log(low), math.log(high))), 2) * 1e-6

    stages = []
    for number in range(chance.randint(3, 6)):
        if number and chance.random() < 0.25:
            times, servers = Times(per_message_s=micros(5, 100)), None
        else:
            times = Times(per_frame_s=micros() / frame_count)
            servers = chance.choice((2, 4)) if chance.random() < 0.25 else 1
        answers = times if servers is None or chance.random() < 0.5 else Times()
        stages.append(
            Stage(name=f"s{number}", to_server=answers, to_client=times, parallel_count=servers)
        )
    return Path(stages=tuple(stages))


def trial_of(case: Case, transaction_count: int | None = None) -> Trial:
    """Simulate a case, and compare the prediction with it."""
    service = SERVICES[case.service]
    if case.kind == "alone":
        return _alone(case, service, transaction_count or ALONE_TRANSACTIONS[case.service])
    if case.kind == "frames":
        path = frame_path(case.path, case.frame_count)
        traffic = Traffic(
            1, case.frame_count * SEGMENT_BYTES, connection_count=case.connection_count
        )
        prediction = predict_path(path, traffic, MTU_BYTES)
        # the run has no warm-up, so that the first third of it is left out
        run = simulated(
            path,
            traffic,
            MTU_BYTES,
            count=transaction_count or FRAME_TRANSACTIONS // case.frame_count,
            seed=case.seed,
            is_exponential=service.variation == EXPONENTIAL,
        )
        rate_tps = run.settled_rate_tps
        shown = Shown(
            rate_tps,
            case.connection_count / rate_tps,
            run.scatter_ratio,
            run.scatter_ratio,
            run.rate_tps,
        )
        return _compared(case, prediction, case.frame_count == 1, shown)
    closed = _PATHS[case.path]
    settled = simulate(
        closed,
        case.connection_count,
        transaction_count or service.transaction_count,
        variation=service.variation,
        seed=case.seed,
        constant_delays=service.constant_delays,
    )
    prediction = closed.predicted(case.connection_count)
    return _compared(
        case,
        prediction,
        closed.has_product_form,
        Shown(
            settled.rate_tps,
            settled.time_s,
            settled.rate_error_ratio,
            settled.time_error_ratio,
            settled.rate_tps,
        ),
    )


def _alone(case: Case, service: Service, transaction_count: int) -> Trial:
    """One connection, whose frames meet only each other."""
    features, _, seed = case.path.rpartition(" ")
    drawn = case_of(features, int(seed))
    traffic = replace(drawn.traffic, connection_count=1)
    run = simulated(
        drawn.path,
        traffic,
        MTU_BYTES,
        count=transaction_count,
        seed=case.seed,
        is_exponential=service.variation == EXPONENTIAL,
    )
    error_ratio = run.scatter_ratio if service.variation else 0.0
    shown = Shown(run.rate_tps, run.mean_time_s, error_ratio, error_ratio, run.rate_tps)
    return _compared(case, predict_path(drawn.path, traffic, MTU_BYTES), False, shown)


class Shown(NamedTuple):
    """Rate, time and their standard errors; and a rate that no start flatters."""

    rate_tps: float
    time_s: float
    rate_error_ratio: float
    time_error_ratio: float
    cautious_rate_tps: float


def _compared(case: Case, prediction: Prediction, has_product_form: bool, shown: Shown) -> Trial:
    """A run beside its prediction."""
    expected, highest_tps = prediction.expected, prediction.transaction_rate_tps.high
    alone = prediction.zero_load_time_s
    assert expected is not None
    assert alone is not None
    saturated_tps = min(
        limit.rate.value for limit in prediction.limits if limit.name != "connections"
    )
    round_s = alone.value + prediction.traffic.think_time_s
    return Trial(
        *case,
        has_product_form=has_product_form,
        is_exact=expected.is_exact,
        knee_ratio=float(case.connection_count / (saturated_tps * round_s)),
        rate_off_ratio=float(expected.transaction_rate_tps.value / shown.rate_tps - 1),
        time_off_ratio=float(expected.transaction_time_s.value / shown.time_s - 1),
        rate_error_ratio=shown.rate_error_ratio,
        time_error_ratio=shown.time_error_ratio,
        above_ratio=float(shown.cautious_rate_tps / highest_tps - 1),
    )


def _knee_count(path: ClosedPath) -> int:
    """Whole connections at which both asymptotes of a path meet."""
    servers = path.stations.values()
    busiest_s = max(demand / count for demand, count in zip(path.demands_s, servers, strict=True))
    return max(2, round((math.fsum(path.demands_s) + path.think_time_s) / busiest_s))


CASES = tuple(
    [
        Case("messages", path.name, 1, count, service)
        for service in SERVICES
        for path in RANDOM_PATHS
        for count in sorted({*CONNECTION_COUNTS, _knee_count(path)})
    ]
    + [
        Case("frames", f"frames {number}", frame_count, count, service)
        for service in ("constant", "exponential, constant delays")
        for frame_count in FRAME_COUNTS
        for number in range(FRAME_PATHS)
        for count in (1, 10, 50)
    ]
    + [
        Case("alone", f"{features} {seed}", 0, 1, service)
        for service in ALONE_TRANSACTIONS
        for features in ALONE_FAMILIES
        for seed in range(ALONE_PATHS)
    ]
)
