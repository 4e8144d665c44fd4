"""A path of the catalog, with pools, queues, lines and delays, simulated frame by frame."""

import pytest
from simulated_path import simulated

import netmodel

pytestmark = pytest.mark.thorough

MTU_BYTES = 1500
CONNECTION_COUNTS = (1, 10, 50)
DEVIATIONS = 5
"""Standard errors, from 20 batches, that no run is beyond by chance."""
TRANSACTION_COUNT = 6000
SETTLED_RATIO = 1.5**0.5
"""The rate leaves out the first third of a run, while its standard error is of all of it."""


@pytest.mark.parametrize("count", CONNECTION_COUNTS)
def test_the_worked_example_is_as_expected(count: int) -> None:
    prediction = netmodel.predict(
        path="worked-closed-network",
        workload="rr1c-200x1000",
        mtu_bytes=MTU_BYTES,
        connections=count,
    )
    expected = prediction.expected
    assert expected is not None
    run = simulated(
        prediction.path,
        prediction.traffic,
        MTU_BYTES,
        count=TRANSACTION_COUNT,
        seed=count,
        is_exponential=True,
    )
    error_ratio = expected.transaction_rate_tps.value / run.settled_rate_tps - 1
    limit = DEVIATIONS * SETTLED_RATIO * run.scatter_ratio
    assert abs(error_ratio) < limit
    assert limit < 0.1
