"""Expected time of a transaction that meets no other, against one simulated connection."""

from dataclasses import replace
from statistics import median
from typing import NamedTuple

import pytest
from nightly import few_by_day
from path.test_simulated import Case, case_of

pytestmark = pytest.mark.thorough

TRANSACTION_COUNT = 1000
SEEDS = range(12)


class Most(NamedTuple):
    """Largest errors of a family, sampling error of the runs included."""

    median: float
    each: float


FAMILIES = {
    "frames equal": Most(0.06, 0.2),
    "frames": Most(0.08, 0.2),
    "frames servers": Most(0.12, 0.3),
    "frames pools": Most(0.1, 0.2),
    "frames messages": Most(0.06, 0.15),
    "frames delays": Most(0.05, 0.2),
    "frames messages pools": Most(0.08, 0.2),
    "acks": Most(0.12, 0.25),
}
"""What stages and messages may have, and how far the expected time is from exponential service, as
frames of varying times wait for each other, which it leaves out."""


"""The same with constant service, which the path says."""


def error_of(case: Case) -> float:
    """Expected time over the simulated one, less 1; with the think time."""
    alone = replace(case, traffic=replace(case.traffic, connection_count=1))
    expected, run = alone.prediction.expected, alone.run()
    assert expected is not None
    round_s = run.duration_s / len(run.ends_s)
    return float(1 / expected.transaction_rate_tps.value / round_s - 1)


@pytest.mark.parametrize("features", few_by_day(FAMILIES, 3))
def test_messages_that_meet_no_other_take_the_expected_time(features: str) -> None:
    cases = [case_of(f"exponential {features}", seed) for seed in SEEDS]
    errors = [abs(error_of(replace(case, count=TRANSACTION_COUNT))) for case in cases]
    assert median(errors) < FAMILIES[features].median
    assert max(errors) < FAMILIES[features].each
