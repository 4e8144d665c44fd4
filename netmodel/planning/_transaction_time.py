"""Time of a transaction at the planned load, where several flows meet: bound and expected value."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple

from netmodel._estimates import Bound, Predicted
from netmodel._predicted_text import predicted_text
from netmodel._text import RESULT_DIGITS, few_names, fixed_percent
from netmodel.concurrency import busiest_queue_flow_count
from netmodel.concurrency._open import open_residence_ratio
from netmodel.errors import DomainError
from netmodel.path import Interval, Prediction, predict_path
from netmodel.path._expected import ASSUMPTION
from netmodel.path._uncertain import ends_of, quoted_of
from netmodel.planning._demand import Demand
from netmodel.planning._expected_load import expected_load
from netmodel.planning._joint import added
from netmodel.planning._plan import Plan
from netmodel.planning._resources import Corner
from netmodel.units import format_time

_OPEN_ASSUMPTION = (
    "requests arrive at random (Poisson) and share servers equally; any adapter serves any of them "
    "(at the longest: each keeps to its own)"
)
"""What the open network rests on."""
_PLANNED_CPUS = "CPUs are as many as planned"
"""The same, where a path has CPUs in any number."""
_TRIED_RATIO = 4
"""Of the planned adapters: a plan at 70 % use is then used at 18 %, where nothing waits."""


class Verdict(Enum):
    """What a time means for its target."""

    MET = "met"
    """The expected time is within it, at the corner of the plan."""
    MISSED = "missed"
    """The lower bound alone exceeds it."""
    NOT_EXPECTED = "not expected"
    """The expected time exceeds it for all values that parameters may have, or the planned rate
    is not reached."""
    UNCERTAIN = "uncertain"
    """It lies within the range of the time, and is exceeded at the corner of the plan."""
    UNKNOWN = "unknown"
    """No time is expected, and the lower bound is within it."""

    @property
    def fails(self) -> bool:
        """Whether a plan that has to meet the target does not hold."""
        return self in (Verdict.MISSED, Verdict.NOT_EXPECTED, Verdict.UNCERTAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionTime:
    """
    Time of a transaction of a flow at the planned load of all flows.

    Parameters
    ----------
    flow : str
        Name of the flow.
    lower_bound_s : Predicted, optional
        What a transaction that meets no other takes of the stages whose times are known. None
        where no answer is awaited. [s]
    expected_s : Predicted, optional
        Mean time with queues; an end is infinite where a stage is full with its service times.
        None where it is not known. [s]
    target_s : float, optional
        What it is to be; None where there is no target. [s]
    verdict : Verdict, optional
        What follows for the target.
    assumption : str
        What the expected time rests on.
    approximations : tuple of str
        Why it is not exact under that.
    unknown : tuple of str
        Parts that the lower bound leaves out, so that no time is expected.
    reason : str
        Why no time is expected; empty where one is.
    """

    flow: str
    lower_bound_s: Predicted[float] | None
    expected_s: Predicted[float] | None
    target_s: float | None
    verdict: Verdict | None
    assumption: str = ""
    approximations: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    reason: str = ""

    @property
    def fails(self) -> bool:
        """Whether there is a target that it does not meet."""
        return self.verdict is not None and self.verdict.fails

    @property
    def reason_against(self) -> str:
        """Why a plan that has to meet the target does not hold; empty where it does."""
        if not self.fails or self.target_s is None or self.lower_bound_s is None:
            return ""
        target_text = _time_text(self.target_s)
        if self.verdict is Verdict.MISSED:
            takes = f"at least {_time_text(self.lower_bound_s.low)}"
        elif self.expected_s is not None:
            takes = predicted_text(self.expected_s, _time_text)
        elif self.verdict is Verdict.UNCERTAIN:
            takes = f"at least up to {_time_text(self.lower_bound_s.high)}"
        else:
            return f"cannot meet the target of {target_text} for {self.flow}: {self.reason}"
        return f"takes {takes} for a transaction of {self.flow}, and its target is {target_text}"

    @property
    def note(self) -> str:
        """That a target is not judged, and why; empty where it is or there is none."""
        if self.verdict is not Verdict.UNKNOWN or self.target_s is None:
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
            parts.append(f"target of {_time_text(self.target_s)} {self.verdict.value}")
        return f"{self.flow}: {'; '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units."""
        return {
            "flow": self.flow,
            "lower_bound_s": self.lower_bound_s and self.lower_bound_s.to_dict(),
            "expected_s": self.expected_s and self.expected_s.to_dict(),
            "target_s": self.target_s,
            "verdict": self.verdict and self.verdict.value,
            "assumption": self.assumption or None,
            "approximations": list(self.approximations),
            "unknown": list(self.unknown),
            "reason": self.reason or None,
        }


def transaction_times(
    demand: Demand,
    plan: Plan,
    targets_s: Sequence[float | None] | None = None,
    *,
    adapter_count: int | None = None,
) -> tuple[TransactionTime, ...]:
    r"""
    Time of a transaction of each flow at the planned load, with the adapters of the plan.

    Parameters
    ----------
    demand : Demand
        With the flows at their planned rates, or scaled.
    plan : Plan
        For its adapters and cores.
    targets_s : sequence of float or None, optional
        What the time of each flow is to be. [s]
    adapter_count : int, optional
        Adapters at each side; those of the plan when left out.

    Returns
    -------
    times : tuple of TransactionTime
        A lower bound for each flow that awaits answers, and an expected time where all parts of
        the path are known.

    Raises
    ------
    DomainError
        If no number of adapters is enough and none is given.

    Notes
    -----
    The lower bound is the zero-load response time. Of a flow that is alone and whose connections
    are known, the expected time is that of a closed network (see `Prediction.expected`), with
    pauses between requests that lead to the planned rate. `Plan.expected` is the same with CPUs
    that are never short; here they are those of the plan. Else the path is an open network:

    .. math:: R_k = T_k + \sum_r d_{rk} \left(\frac{L_r}{a_r} - 1\right), \qquad
        a_r = \sum_k y_k\, d_{rk}

    with the zero-load time :math:`T_k`, and :math:`L_r` transactions at station :math:`r` (see
    `netmodel.concurrency._open`); a fibre only delays. The arrivals do not slow down as queues
    grow, as those of few connections do: the open time is then the longer one. At a station that
    is full there is none.

    References
    ----------
    F. Baskett, K. M. Chandy, R. R. Muntz and F. G. Palacios, "Open, closed, and mixed networks of
    queues with different classes of customers", Journal of the ACM 22 (1975).

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
    >>> time.verdict.value, round(1e6 * time.lower_bound_s.value, 3), time.reason
    ('missed', 2.316, 'not known: host CPUs and the network between the adapters')
    """
    targets = targets_s or [None] * len(demand.flows)
    count = plan.chosen_count if adapter_count is None else adapter_count
    if count is None:
        raise DomainError("no number of adapters is enough for this plan: give adapter_count")
    return tuple(
        _time_of(place, target_s, demand, plan, count) for place, target_s in enumerate(targets)
    )


def enough_adapters(
    demand: Demand, plan: Plan, targets_s: Sequence[float | None], available: int | None = None
) -> int | None:
    """Fewest adapters at each side with which all targets are met; None where more do not help."""

    def meets(count: int) -> bool:
        times = transaction_times(demand, plan, targets_s, adapter_count=count)
        return not any(time.fails for time in times)

    planned = plan.chosen_count or 0
    most = _TRIED_RATIO * planned if available is None else available
    counts = range(planned + 1, most + 1)
    if not counts or not meets(most):
        return None
    return counts[bisect_left(counts, True, key=meets)]


class _Found(NamedTuple):
    """An expected time, or why there is none."""

    expected_s: Predicted[float] | None
    assumption: str = ""
    approximations: tuple[str, ...] = ()
    reason: str = ""
    is_reached: bool = True


def _time_of(
    place: int, target_s: float | None, demand: Demand, plan: Plan, count: int
) -> TransactionTime:
    flow, prediction = demand.flows[place], demand.predictions[place]
    bound_s, verdict = None, None if target_s is None else Verdict.UNKNOWN
    unknown: tuple[str, ...] = ()
    if not flow.traffic.waits:
        found = _Found(None, reason="connections of a stream await no answers")
    else:
        bound_s = _zero_load_s(prediction)
        partly = (f"service times of {name}" for name in prediction.partly_known)
        unknown = (*prediction.path.unknown, *partly)
        if unknown:
            found = _Found(None, reason=f"not known: {few_names(unknown, 'parts of the path')}")
        elif len(demand.flows) == 1 and flow.connection_count is not None:
            found = _closed(demand, plan, count)
        else:
            found = _open(place, demand, plan, count)
        if target_s is not None:
            verdict = _verdict(bound_s, found, target_s, plan.corner)
    return TransactionTime(
        flow=flow.name,
        lower_bound_s=bound_s,
        expected_s=found.expected_s,
        target_s=target_s,
        verdict=verdict,
        assumption=found.assumption,
        approximations=found.approximations,
        unknown=unknown,
        reason=found.reason,
    )


def _verdict(bound_s: Predicted[float], found: _Found, target_s: float, corner: Corner) -> Verdict:
    """What bound and expected time mean for a target."""
    if bound_s.low > target_s:
        return Verdict.MISSED
    if not found.is_reached:
        return Verdict.NOT_EXPECTED
    known_s = bound_s if found.expected_s is None else found.expected_s
    if corner.of(known_s) > target_s:
        return Verdict.UNCERTAIN if known_s.low <= target_s else Verdict.NOT_EXPECTED
    return Verdict.UNKNOWN if found.expected_s is None else Verdict.MET


def _zero_load_s(prediction: Prediction) -> Predicted[float]:
    """Time of a transaction that meets no other, of the stages whose times are known. [s]"""
    result = prediction.zero_load()
    think_time_s = prediction.traffic.think_time_s
    value, low, high = (
        float(end - think_time_s) for end in (result.shortest.time_s, result.low_s, result.high_s)
    )
    return Predicted(value, low, high, Bound.LOWER)


def _closed(demand: Demand, plan: Plan, count: int) -> _Found:
    """The one flow as connections that think between requests."""
    (flow,), (prediction,) = demand.flows, demand.predictions
    of_adapters = [stage.name for stage in demand.shared if stage.is_of_adapters]
    path, servers = prediction.path, _pool_servers(demand, plan)
    pools = tuple(
        replace(pool, parallel_count=Interval(there.value, there.low, there.high))
        if (there := servers.get(pool.name)) is not None
        else pool
        for pool in path.pools
    )
    limited = predict_path(
        replace(path, pools=pools), prediction.traffic, prediction.mtu_bytes, prediction.stack
    )
    load = expected_load(flow, limited, of_adapters, count)
    if load is None:
        return _Found(None, reason=limited.unexpected or "no expected value")
    if load.transaction_time_s is None:
        rate_tps = load.transaction_rate_tps.value
        reason = f"its connections reach only {rate_tps:,.0f} /s"
        return _Found(None, reason=reason, is_reached=False)
    assumption = _assumption(plan, load.assumption)
    return _Found(load.transaction_time_s, assumption, load.approximations)


class _Station(NamedTuple):
    """Servers, the stages whose transactions wait for them, and all stages that load them."""

    name: str
    waiting: tuple[str, ...]
    loading: tuple[str, ...]
    server_count: Predicted[float]
    is_of_adapters: bool = False
    is_hashed: bool = False


def _open(place: int, demand: Demand, plan: Plan, count: int) -> _Found:
    """All flows as an open network; the expected time of one of them."""
    own, stations = demand.predictions[place], [*_stations(demand, plan)]

    def load_and_servers(station: _Station, end: str) -> tuple[float, float]:
        """With all service times at one end, and the fewest servers at the longest."""
        parts = [
            (
                number,
                (
                    flow.transaction_rate_tps
                    * sum(getattr(each.loads_s[name], end) for name in station.loading),
                ),
            )
            for number, (flow, each) in enumerate(demand.pairs)
        ]
        (load,) = added(parts, demand.joint)
        servers = getattr(station.server_count, {"low": "high", "high": "low"}.get(end, end))
        adapters = count if station.is_of_adapters else 1
        if station.is_hashed:
            # each connection has a server of its own for good, at the longest the busiest
            share = 1 / (adapters * servers)
            connections = demand.flows[place].connection_count
            if end == "high" and connections is not None:
                busiest = busiest_queue_flow_count(connections, adapters * servers)
                share = float(busiest) / connections
            return load * share, 1.0
        return (load / adapters, servers) if end == "high" else (load, servers * adapters)

    def waits_s(end: str) -> float:
        """Time in queues; infinite where a station is full."""
        total_s = 0.0
        for station in stations:
            load, servers = load_and_servers(station, end)
            own_s = sum(float(getattr(own.loads_s[name], end)) for name in station.waiting)
            if not load < servers:
                return math.inf
            total_s += own_s * (open_residence_ratio(load, servers) - 1)
        return total_s

    for station in stations:
        load, servers = load_and_servers(station, "value")
        if not load < servers:
            used = f"{station.name} is used at {fixed_percent(load / servers, 1)}"
            return _Found(None, reason=f"queues without end: {used}", is_reached=False)
    alone = _zero_load_s(own)
    value_s, low_s, high_s = (
        getattr(alone, end) + waits_s(end) for end in ("value", "low", "high")
    )
    return _Found(
        Predicted(value_s, min(low_s, value_s), max(high_s, value_s)),
        _assumption(plan, _OPEN_ASSUMPTION, ASSUMPTION),
        tuple(_approximations(own, demand, stations)),
    )


def _stations(demand: Demand, plan: Plan) -> Iterator[_Station]:
    """Servers that transactions wait for: pools, and stages with servers of their own."""
    path = demand.path
    of_adapters = {stage.name for stage in demand.shared if stage.is_of_adapters}
    pools = _pool_servers(demand, plan)
    at_pools: dict[str, list[str]] = {name: [] for name in pools}
    for stage in path.stages:
        own, there = stage.parallel_count, pools.get(stage.pool or "")
        if there is not None and (
            own is None or (not stage.hashes_flows and float(quoted_of(own)) >= there.value)
        ):
            if stage.delays:
                at_pools[str(stage.pool)].append(stage.name)
        elif own is not None and stage.delays:
            low, high = (float(end) for end in ends_of(own))
            yield _Station(
                stage.name,
                (stage.name,),
                (stage.name,),
                Predicted(float(quoted_of(own)), low, high),
                stage.name in of_adapters,
                stage.hashes_flows,
            )
    for name, waiting in at_pools.items():
        loading = tuple(stage.name for stage in path.stages if stage.pool == name)
        if waiting:
            yield _Station(name, tuple(waiting), loading, pools[name])


def _assumption(plan: Plan, *texts: str) -> str:
    """Texts, and that CPUs are as many as planned where the path does not give their number."""
    are_planned = any(need.is_cpu and need.present_count is None for need in plan.pools)
    return "; ".join([*texts, *([_PLANNED_CPUS] if are_planned else [])])


def _pool_servers(demand: Demand, plan: Plan) -> dict[str, Predicted[float]]:
    """Servers of each pool whose number is that of the path, or is planned."""
    cores = {need.name: plan.corner.of(need.core_count) for need in plan.pools}
    pools: dict[str, Predicted[float]] = {}
    for pool in demand.path.pools:
        if (count := pool.parallel_count) is not None:
            fewest, most = (float(end) for end in ends_of(count))
            pools[pool.name] = Predicted(float(quoted_of(count)), fewest, most)
        elif pool.is_cpu and pool.name in cores:
            gains = (quoted_of(pool.smt_gain, False), *ends_of(pool.smt_gain))
            value, low, high = (
                float(cores[pool.name] * float(gain) * pool.threads_per_core) for gain in gains
            )
            pools[pool.name] = Predicted(value, low, high)
    return pools


def _approximations(own: Prediction, demand: Demand, stations: Sequence[_Station]) -> Iterator[str]:
    """Why the open time is not exact under its assumption."""
    beside = [each.name for each in stations if set(each.loading) - set(each.waiting)]
    if beside:
        yield f"work beside messages at {few_names(beside, 'pools')}"
    if any(count.frame_count > 1 for count in own.counts):
        yield "frames of a message overlap at stages, and wait as one"
    if any(not flow.traffic.waits for flow in demand.flows):
        yield "writes of streams arrive at random, not as windows allow"
    if any(flow.traffic.think_time_s for flow in demand.flows):
        yield "think times do not slow arrivals down"


def _time_text(time_s: float) -> str:
    return format_time(time_s, RESULT_DIGITS) if math.isfinite(time_s) else "no end"
