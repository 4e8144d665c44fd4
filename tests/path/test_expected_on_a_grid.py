"""Expected values on a stress grid: servers to 64, 10,000 connections, times 1e-6 to 1e6 apart."""

from itertools import product

import numpy as np
import pytest

from netmodel.path import Path, Pool, Prediction, Stage, Times, Traffic, predict_path

pytestmark = pytest.mark.thorough

MTU_BYTES = 1500
CLOSE = 1e-9
"""Rounding over 10,000 steps of a recursion."""
FEW_CONNECTIONS = (1, 2, 3, 10, 50, 250)
CONNECTION_COUNTS = (*FEW_CONNECTIONS, 1000, 10_000)
SERVER_COUNTS = (1, 2, 7, 64)
RATIOS = (1e-6, 1e-3, 0.5, 1.0, 2.0, 1e3, 1e6)
BASE_S = 10e-6


def stages_of(servers: int, ratio: float) -> dict[str, Path]:
    """Paths of one stage with so many servers, and of another with times of that ratio."""
    one, other = Times(per_message_s=BASE_S), Times(per_message_s=BASE_S * ratio)
    several = Stage(name="several", to_server=one, to_client=one, parallel_count=servers)
    return {
        "stages": Path(stages=(several, Stage(name="single", to_server=other))),
        "delay": Path(stages=(several, Stage(name="delay", to_client=other, parallel_count=None))),
        "unequal visits": Path(
            stages=(Stage(name="adapter", to_server=one, to_client=other, parallel_count=servers),)
        ),
        "pool": Path(
            stages=(
                Stage(name="first", to_server=one, parallel_count=None, pool="cpu"),
                Stage(name="second", to_client=other, parallel_count=None, pool="cpu"),
                Stage(name="single", to_server=one),
            ),
            pools=(Pool("cpu", servers),),
        ),
        "frames": Path(
            stages=(
                Stage(name="wire", to_server=Times(per_frame_s=BASE_S)),
                Stage(
                    name="cpu", to_server=Times(per_frame_s=BASE_S * ratio), parallel_count=servers
                ),
            )
        ),
        "hash": Path(
            stages=(
                Stage(name="queues", to_server=one, parallel_count=servers, hashes_flows=True),
                Stage(name="single", to_server=other),
            )
        ),
    }


def assert_sound(prediction: Prediction) -> None:
    """Finite, between the bounds, in balance, and not falling with the connections."""
    expected, bounds = prediction.expected, prediction.transaction_rate_bounds_tps
    least_s = prediction.transaction_time_s
    assert expected is not None
    assert bounds is not None
    assert least_s is not None
    counts = prediction.traffic.connection_count
    rate, time_s = expected.transaction_rate_tps.value, expected.transaction_time_s.value
    present = list(expected.stage_transaction_counts.values())
    for each in (rate, time_s, *present, *expected.use_ratios.values()):
        assert np.isfinite(each).all()
        assert (np.asarray(each) >= 0).all()
    assert (rate >= bounds.low * (1 - CLOSE)).all()
    assert (rate <= bounds.high * (1 + CLOSE)).all()
    assert (time_s >= least_s.value * (1 - CLOSE)).all()
    assert (np.diff(rate) >= -CLOSE * rate[:-1]).all()
    assert (np.diff(time_s) >= -CLOSE * time_s[1:]).all()
    for used in expected.use_ratios.values():
        assert (np.asarray(used) <= 1 + CLOSE).all()
    thinking = rate * prediction.traffic.think_time_s
    assert sum(present) + thinking == pytest.approx(counts, rel=1e-6)


def assert_sound_over(
    kind: str, servers: int, ratios: tuple[float, ...], counts: tuple[int, ...]
) -> None:
    frame_count = 5 if kind == "frames" else 1
    for ratio, think_ratio in product(ratios, (0.0, *ratios)):
        traffic = Traffic(
            frame_count * 1000,
            1,
            connection_count=np.array(counts),
            think_time_s=think_ratio * BASE_S,
        )
        assert_sound(predict_path(stages_of(servers, ratio)[kind], traffic, MTU_BYTES))


@pytest.mark.parametrize("servers", [1, 64])
@pytest.mark.parametrize("kind", stages_of(1, 1.0))
def test_expected_values_are_sound(kind: str, servers: int) -> None:
    assert_sound_over(kind, servers, (1e-6, 1.0, 1e6), FEW_CONNECTIONS)


@pytest.mark.nightly
@pytest.mark.parametrize("servers", SERVER_COUNTS)
@pytest.mark.parametrize("kind", stages_of(1, 1.0))
def test_expected_values_are_sound_at_any_size(kind: str, servers: int) -> None:
    assert_sound_over(kind, servers, RATIOS, CONNECTION_COUNTS)


@pytest.mark.parametrize("servers", SERVER_COUNTS)
@pytest.mark.parametrize("kind", stages_of(1, 1.0))
def test_one_connection_takes_the_zero_load_time(kind: str, servers: int) -> None:
    for ratio in RATIOS:
        path = stages_of(servers, ratio)[kind]
        prediction = predict_path(path, Traffic(1, 1, connection_count=1), MTU_BYTES)
        assert prediction.expected is not None
        assert prediction.zero_load_time_s is not None
        assert prediction.expected.transaction_time_s.value == pytest.approx(
            prediction.zero_load_time_s.value, rel=CLOSE
        )
