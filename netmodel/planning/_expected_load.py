"""What a planned path is expected to make of its load: time of a transaction, and highest rate."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from netmodel._estimates import Predicted
from netmodel._numeric import ROUNDING_RATIO
from netmodel._predicted_text import predicted_text
from netmodel._text import RESULT_DIGITS
from netmodel.path import Path, Prediction, predict_path
from netmodel.path._uncertain import mapped
from netmodel.planning._flows import Flow
from netmodel.units import format_time

if TYPE_CHECKING:
    from netmodel.path._expected import Expected

ENOUGH_CPUS = " and no CPU is short"
"""What the values rest on where a pool of CPUs has no number of its own."""


@dataclass(frozen=True, slots=True)
class ExpectedLoad:
    """
    Expected values of the one flow of a plan, over the planned adapters.

    Parameters
    ----------
    flow : str
        Name of the flow.
    planned_tps : float
        Its planned rate. [1/s]
    transaction_rate_tps : Predicted
        Highest rate of its connections, none of which thinks. [1/s]
    transaction_time_s : Predicted, optional
        Mean time of a transaction at the planned rate, between whose requests connections think.
        An end is infinite where the rate is not reached with those service times. None
        where no expected value reaches it, or what is expected is a measured series. [s]
    assumption : str
        What the values rest on.
    approximations : tuple of str
        Why they are not exact under it; none where they are.
    """

    flow: str
    planned_tps: float
    transaction_rate_tps: Predicted[float]
    transaction_time_s: Predicted[float] | None
    assumption: str
    approximations: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units, as in the JSON of ``netmodel plan``."""
        time_s = self.transaction_time_s
        return {
            "flow": self.flow,
            "transaction_rate_tps": self.transaction_rate_tps.to_dict(),
            "transaction_time_s": None if time_s is None else time_s.to_dict(),
            "assumption": self.assumption,
            "approximations": list(self.approximations),
        }

    def __str__(self) -> str:
        rate_tps = self.transaction_rate_tps.value
        text = f"connections that never pause reach {rate_tps:,.0f} /s"
        if rate_tps < self.planned_tps * (1 - ROUNDING_RATIO):
            text = f"its connections reach only {rate_tps:,.0f} /s"
        elif self.transaction_time_s is not None:
            time = predicted_text(self.transaction_time_s, _time_text)
            text = f"{time} for a transaction at the planned rate; {text}"
        return f"{self.flow}: {text}, if {self.assumption}"


def expected_load(
    flow: Flow, prediction: Prediction, of_adapters: Collection[str], adapter_count: int
) -> ExpectedLoad | None:
    """
    What is expected of a flow that is alone on a path with this number of adapters.

    None where the bounds of its prediction stand alone.
    """
    count = flow.connection_count
    if prediction.expected is None or count is None:
        return None
    path = path_with_adapters(prediction.path, of_adapters, adapter_count)

    # each end is searched for: where parameters leave nothing open, over the same times
    @cache
    def expected(think_time_s: float) -> "Expected":
        result = expected_over(path, prediction, think_time_s)
        assert result is not None
        return result

    is_whole = prediction.is_known_as_whole
    busiest = prediction.expected if is_whole else expected(0.0)
    highest = busiest.transaction_rate_tps.numbers()
    # R at the planned rate y: X(N, Z = N / y - R) = y
    period_s = count / flow.transaction_rate_tps

    def time_s(end: str) -> float:
        from scipy.optimize import brentq

        def excess(time_s: float) -> float:
            rate = expected(max(period_s - time_s, 0.0)).transaction_rate_tps.numbers()
            return float(getattr(rate, end)) / flow.transaction_rate_tps - 1

        if excess(period_s) < 0:
            return math.inf
        return float(brentq(excess, 0.0, period_s, rtol=ROUNDING_RATIO))

    times_s = None
    if not is_whole and highest.value >= flow.transaction_rate_tps:
        times_s = Predicted(time_s("value"), time_s("high"), time_s("low"))
    has_any_count = any(pool.is_cpu and pool.parallel_count is None for pool in path.pools)
    return ExpectedLoad(
        flow.name,
        flow.transaction_rate_tps,
        highest,
        times_s,
        busiest.assumption + (ENOUGH_CPUS if has_any_count else ""),
        busiest.approximations,
    )


def path_with_adapters(path: Path, of_adapters: Collection[str], adapter_count: int) -> Path:
    """The path with the adapters and lines of all of them as servers that any transaction uses."""
    stages = tuple(
        stage
        if stage.name not in of_adapters or stage.parallel_count is None
        else replace(
            stage,
            parallel_count=mapped(stage.parallel_count, lambda servers: servers * adapter_count),
        )
        for stage in path.stages
    )
    return replace(path, stages=stages)


def expected_over(
    path: Path, prediction: Prediction, think_time_s: float = 0.0
) -> "Expected | None":
    """What is expected over a path of connections that think this long; None for bounds alone."""
    traffic = replace(prediction.traffic, think_time_s=think_time_s)
    return predict_path(path, traffic, prediction.mtu_bytes, prediction.stack).expected


def _time_text(time_s: float) -> str:
    return format_time(time_s, RESULT_DIGITS) if math.isfinite(time_s) else "no end"
