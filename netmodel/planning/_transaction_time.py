"""Time of a transaction at the planned load: lower bound, expected value, and its target."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from netmodel._estimates import Bound, Predicted
from netmodel._predicted_text import predicted_text
from netmodel._text import RESULT_DIGITS, few_names, span_text
from netmodel.path import Prediction
from netmodel.planning._demand import Demand
from netmodel.planning._flows import Flow
from netmodel.planning._plan import Plan
from netmodel.units import format_time

MET, MISSED, UNKNOWN = "met", "missed", "unknown"
"""A target is unknown where no time is expected and the lower bound is within it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionTime:
    """
    Time of a transaction of a flow at the planned load.

    Parameters
    ----------
    flow : str
        Name of the flow.
    lower_bound_s : Predicted, optional
        What a transaction that meets no other takes of the stages whose times are known. None
        where no answer is awaited. [s]
    expected_s : Predicted, optional
        Mean time with queues, as of `Plan.expected`; None where it is not known. [s]
    target_s : float, optional
        What it is to be; None where there is no target. [s]
    verdict : str, optional
        ``"met"`` or ``"missed"`` at the corner of the plan, or ``"unknown"``.
    reason : str
        Why no time is expected; empty where one is.
    """

    flow: str
    lower_bound_s: Predicted[float] | None = None
    expected_s: Predicted[float] | None = None
    target_s: float | None = None
    verdict: str | None = None
    reason: str = ""

    @property
    def reason_against(self) -> str:
        """Why a plan that has to meet the target does not hold; empty where it does."""
        if self.verdict != MISSED or self.target_s is None or self.lower_bound_s is None:
            return ""
        ends = (_time_text(end) for end in (self.lower_bound_s.low, self.lower_bound_s.high))
        takes = f"at least {span_text(*ends)}"
        if self.expected_s is not None:
            takes = predicted_text(self.expected_s, _time_text)
        target = _time_text(self.target_s)
        return f"takes {takes} for a transaction of {self.flow}, and its target is {target}"

    @property
    def note(self) -> str:
        """That a target is not judged, and why; empty where it is or there is none."""
        if self.verdict != UNKNOWN or self.target_s is None:
            return ""
        return f"{self.flow}: target of {_time_text(self.target_s)} not judged: {self.reason}"

    @property
    def text(self) -> str:
        """The time, and whether it is within its target."""
        parts = [self.reason] if self.reason else []
        if self.expected_s is not None:
            parts.insert(0, f"{predicted_text(self.expected_s, _time_text)} expected")
        elif self.lower_bound_s is not None:
            parts.insert(0, f">= {_time_text(self.lower_bound_s.value)}")
        if self.target_s is not None and self.verdict is not None:
            parts.append(f"target of {_time_text(self.target_s)} {self.verdict}")
        return f"{self.flow}: {'; '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units."""
        return {
            **asdict(self),
            "lower_bound_s": self.lower_bound_s and self.lower_bound_s.to_dict(),
            "expected_s": self.expected_s and self.expected_s.to_dict(),
            "reason": self.reason or None,
        }


def transaction_times(
    demand: Demand, plan: Plan, targets_s: Sequence[float | None] | None = None
) -> tuple[TransactionTime, ...]:
    """
    Time of a transaction of each flow of a plan, with what follows for its target.

    Parameters
    ----------
    demand : Demand
        Of the plan.
    plan : Plan
        For its expected values and its corner.
    targets_s : sequence of float or None, optional
        What the time of each flow is to be. [s]

    Returns
    -------
    times : tuple of TransactionTime
        The zero-load response time as a lower bound for each flow that awaits answers, and the
        expected time of a flow that is alone, of known connections, on a path that is known.

    Examples
    --------
    >>> from netmodel.path import SpecifiedPath
    >>> from netmodel.planning import parse_flow
    >>> from netmodel.planning._demand import demand_of
    >>> from netmodel.planning._planner import plan_demand
    >>> from netmodel.records import adapter
    >>> osa = adapter("osa-express7s-25gbe")
    >>> demand = demand_of([parse_flow("100000/s rr1c-200x1000")], SpecifiedPath(osa, osa), 1500)
    >>> (time,) = transaction_times(demand, plan_demand(demand), [2e-6])
    >>> time.verdict, round(1e6 * time.lower_bound_s.value, 3), time.reason
    ('missed', 2.316, 'not known: host CPUs and the network between the adapters')
    """
    targets = targets_s or [None] * len(demand.flows)
    return tuple(
        _time_of(flow, prediction, plan, target_s)
        for (flow, prediction), target_s in zip(demand.pairs, targets, strict=True)
    )


def _time_of(
    flow: Flow, prediction: Prediction, plan: Plan, target_s: float | None
) -> TransactionTime:
    if not flow.traffic.waits:
        reason = "connections of a stream await no answers"
        return TransactionTime(flow=flow.name, target_s=target_s, reason=reason)
    alone, think_time_s = prediction.zero_load(), prediction.traffic.think_time_s
    value_s, low_s, high_s = (
        float(end - think_time_s) for end in (alone.shortest.time_s, alone.low_s, alone.high_s)
    )
    bound_s = Predicted(value_s, low_s, high_s, Bound.LOWER)
    expected_s = None if plan.expected is None else plan.expected.transaction_time_s
    verdict = None
    if target_s is not None:
        is_late = plan.corner.of(bound_s if expected_s is None else expected_s) > target_s
        verdict = MISSED if is_late else UNKNOWN if expected_s is None else MET
    return TransactionTime(
        flow=flow.name,
        lower_bound_s=bound_s,
        expected_s=expected_s,
        target_s=target_s,
        verdict=verdict,
        reason="" if expected_s is not None else _unexpected(flow, prediction, plan),
    )


def _unexpected(flow: Flow, prediction: Prediction, plan: Plan) -> str:
    """Why a plan expects no time of a flow."""
    partly = (f"service times of {name}" for name in prediction.partly_known)
    unknown = (*prediction.path.unknown, *partly)
    if unknown:
        return f"not known: {few_names(unknown, 'parts of the path')}"
    if len(plan.flows) > 1:
        return "several flows meet"
    if flow.connection_count is None:
        return "connections not given"
    if plan.expected is None:
        return prediction.unexpected or "no expected value"
    return f"its connections reach {plan.expected.transaction_rate_tps.value:,.0f} /s"


def _time_text(time_s: float) -> str:
    return format_time(time_s, RESULT_DIGITS) if math.isfinite(time_s) else "no end"
