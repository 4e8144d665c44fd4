"""Expected values of whole paths, and their bounds, against paths simulated frame by frame."""

import math
import random
from statistics import median
from typing import NamedTuple

import pytest
from simulated_path import HEADER_BYTES, simulated

from netmodel.path import Path, Prediction, Stage, Times, Traffic, predict_path
from netmodel.path.response import SIMULATED_ERRORS

pytestmark = pytest.mark.thorough

MTU_BYTES = 1500
DEVIATIONS = 5
"""Standard errors, from 20 batches, that no run of some hundred is beyond by chance."""
SETTLED_RATIO = 1.5**0.5
"""The rate leaves out the first third of a run, while its standard error is of all of it."""
FRAMES, VISITS = SIMULATED_ERRORS
KINDS = {"equal": (1, None), "unequal": (1, VISITS), "4": (4, FRAMES), "22": (22, FRAMES)}
"""Frames of a response, and what makes the expected rate an approximation."""


class Trial(NamedTuple):
    """Expected over simulated rate, less 1; the standard error; and the rate over its bound."""

    off_ratio: float
    error_ratio: float
    above_ratio: float
    prediction: Prediction


def path_of(kind: str, seed: int) -> Path:
    """A path of 3 to 6 stages that take 1 to 30 µs of a message, in parts for each frame."""
    chance, (frame_count, _) = random.Random(f"{kind} {seed}"), KINDS[kind]

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
        if kind == "unequal" and number == 0:
            answers = Times(per_frame_s=2 * times.per_frame_s)
        stages.append(
            Stage(name=f"s{number}", to_server=answers, to_client=times, parallel_count=servers)
        )
    return Path(stages=tuple(stages))


def trial(
    kind: str, seed: int, connection_count: int, count: int, *, is_exponential: bool = True
) -> Trial:
    frame_count, _ = KINDS[kind]
    path = path_of(kind, seed)
    response_bytes = frame_count * (MTU_BYTES - HEADER_BYTES)
    traffic = Traffic(1, response_bytes, connection_count=connection_count)
    prediction = predict_path(path, traffic, MTU_BYTES)
    run = simulated(path, traffic, MTU_BYTES, count=count, seed=seed, is_exponential=is_exponential)
    assert prediction.expected is not None
    return Trial(
        float(prediction.expected.transaction_rate_tps.value / run.settled_rate_tps - 1),
        SETTLED_RATIO * run.scatter_ratio,
        float(run.rate_tps / prediction.transaction_rate_tps.high - 1),
        prediction,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_expected_values_of_a_few_paths(kind: str) -> None:
    """Exact within the sampling error of a short run; else off by what predictions say."""
    frame_count, cause = KINDS[kind]
    for seed in range(4):
        for connection_count in (2, 20):
            each = trial(kind, seed, connection_count, 6000 // frame_count)
            known = 0.0 if cause is None else SIMULATED_ERRORS[cause]
            assert abs(each.off_ratio) < DEVIATIONS * each.error_ratio + known, each
            assert each.above_ratio < DEVIATIONS * each.error_ratio, each
            assert each.prediction.expected is not None
            assert each.prediction.expected.is_exact is (cause is None)


@pytest.mark.parametrize("kind", KINDS)
def test_constant_service_exceeds_no_bound(kind: str) -> None:
    """Bounds assume nothing of the distribution."""
    for seed in range(6):
        assert trial(kind, seed, 30, 600, is_exponential=False).above_ratio < 1e-6


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [kind for kind, (_, cause) in KINDS.items() if cause])
def test_approximations_are_off_by_what_predictions_say(kind: str) -> None:
    frame_count, cause = KINDS[kind]
    off = [
        abs(trial(kind, seed, connection_count, 20_000 // frame_count).off_ratio)
        for seed in range(8)
        for connection_count in (1, 10, 50)
    ]
    assert cause is not None
    assert max(off) <= SIMULATED_ERRORS[cause]
    assert median(off) < 0.11
