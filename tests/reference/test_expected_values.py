"""
Expected values of the worked example: theory handbook, section 5.6, printed to two digits.

With RPS the same time per frame is spread over 8 CPUs, at 2 µs more for each frame.
"""

from dataclasses import replace

import numpy as np
import pytest

from netmodel.path import Path, SpecifiedPath, Times, Traffic, predict_path
from netmodel.records import path_record

COUNTS = (1, 2, 10, 50, 250)
RATES_TPS = (12_610.23, 24_926.10, 106_936.92, 162_469.63, 165_971.38)
TIMES_US = (79.3007, 80.2372, 93.5131, 307.7498, 1506.2838)
STEERED_US = (81.3007, 81.4269, 82.6435, 109.8019, 502.4006)


def worked() -> Path:
    return SpecifiedPath(record=path_record("worked-closed-network")).path()


def steered() -> Path:
    """The queues of the worked example with RPS: 2 µs where they were, 5 µs on 8 CPUs."""
    stages = []
    for stage in worked().stages:
        if not stage.name.endswith("-queue"):
            stages.append(stage)
            continue
        direction = "to_client" if stage.name.startswith("client") else "to_server"
        stages.append(replace(stage, **{direction: Times(per_message_s=2e-6)}))
        spread = replace(stage, **{direction: Times(per_message_s=5e-6)})
        stages.append(
            replace(spread, name=f"{stage.name}-rps", parallel_count=8, hashes_flows=False)
        )
    return replace(worked(), stages=tuple(stages))


@pytest.mark.parametrize(
    ("count", "rate_tps", "time_us"), list(zip(COUNTS, RATES_TPS, TIMES_US, strict=True))
)
def test_the_worked_example(count: int, rate_tps: float, time_us: float) -> None:
    prediction = predict_path(worked(), Traffic(200, 1000, connection_count=count), 1500)
    expected = prediction.expected
    assert expected is not None
    assert expected.is_exact
    assert expected.transaction_rate_tps.value == pytest.approx(rate_tps, abs=0.005)
    assert expected.transaction_time_s.value * 1e6 == pytest.approx(time_us, abs=5e-5)


def test_the_worked_example_with_rps() -> None:
    traffic = Traffic(200, 1000, connection_count=np.array(COUNTS))
    expected = predict_path(steered(), traffic, 1500).expected
    assert expected is not None
    times_us = expected.transaction_time_s.value * 1e6
    assert times_us == pytest.approx(STEERED_US, abs=5e-5)
