"""Whether receive packet steering (RPS) pays on a path, and why."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from netmodel.concurrency import busiest_queue_flow_count
from netmodel.errors import DomainError
from netmodel.path import Path, Prediction, Stage, predict_path
from netmodel.path._uncertain import quoted_of
from netmodel.planning._advice import SteeringAdvice, demand_s
from netmodel.planning._steered import SteeringTimes, on_cpus, parts_of, steered_path
from netmodel.tuning import encode_rps_mask
from netmodel.units import format_time

__all__ = ["NOTICEABLE_RATIO", "advise_steering"]

_FULL_RATIO = 1 - 1e-9
NOTICEABLE_RATIO = 0.01
"""Relative change of a rate or a time below which nothing is recommended for its sake."""

_NOTHING_KNOWN = SteeringTimes()


def advise_steering(
    prediction: Prediction,
    queue_stages: str | tuple[str, ...],
    cpus: Iterable[int],
    times: SteeringTimes = _NOTHING_KNOWN,
) -> SteeringAdvice:
    r"""
    Whether receive packet steering (RPS) raises the rate that is predicted, and why.

    Parameters
    ----------
    prediction : Prediction
        Of the path and the load in question, without steering; one, not an array.
    queue_stages : str or tuple of str
        Name of the stage that is the CPU of a receive queue, or of all queues
        of an adapter; several where both sides are to be steered. Its
        `parallel_count` is the number of queues, and it hashes flows where
        there are several. All its time is that of softirqs.
    cpus : iterable of int
        CPUs that handle packets: those that serve the queues, and those that
        steering may use, the same on each side.
    times : SteeringTimes
        What steering divides and adds, where it is known.

    Returns
    -------
    advice : SteeringAdvice
        Recommended where the rate rises by at least 1 %; not where it cannot,
        whatever the times that are not known; else undecided, with what to measure.

    Raises
    ------
    DomainError
        If the prediction has arrays, a stage is not there or has no servers of
        its own, no stage or CPU or one twice is named, or polling takes longer
        than a frame.

    Notes
    -----
    A stage of :math:`q` queues on :math:`k` CPUs, :math:`t` for each frame,
    becomes two: what stays, :math:`t_{poll} + t_{hash} + t_{ipi}/b` on
    :math:`\min(q, k)` CPUs, and what moves,
    :math:`t - t_{poll} + t_{enq}` on :math:`k` CPUs with connections hashed to
    them. Both draw on the pool of the stage, or where it has none on one of
    :math:`k` CPUs, so that steering never gains more than the CPUs have. The
    path is then predicted again; times that are not known count as nothing, and
    a division that is not known as the best one.

    The prediction has no waiting in queues that are not full. Where a
    transaction waits for a softirq longer than steering adds to it, and that
    is at least 1 % of its time, nothing is recommended; the wait of
    :math:`\rho/(1 - \rho)` visits, with :math:`\rho` the use that the other
    :math:`N - 1` connections make, is a yardstick only. That steering changes
    the batches of interrupts and wake-ups is not in this at all: measured
    time and consumption can differ from it in either direction.

    References
    ----------
    Linux, Documentation/networking/scaling.rst ("RPS: Receive Packet
    Steering"); N. Hoppmann, "Exploring the performance of network adapters for
    Linux on IBM Z" (2021), slides 36 to 46; M. Reiser and S. S. Lavenberg,
    "Mean-value analysis of closed multichain queuing networks", Journal of the
    ACM 27 (1980), for what an arriving transaction meets.

    Examples
    --------
    One queue, 6 µs for each frame, of which 1.5 stay; steering adds 1:

    >>> from netmodel.path import Path, Stage, Times, Traffic, predict_path
    >>> path = Path(
    ...     stages=(
    ...         Stage(name="softirq", to_server=Times(per_frame_s=6e-6)),
    ...         Stage(name="delay", to_client=Times(per_message_s=70e-6), parallel_count=None),
    ...     )
    ... )
    >>> times = SteeringTimes(
    ...     poll_time_s=1.5e-6,
    ...     hash_time_s=0.2e-6,
    ...     ipi_time_s=1.2e-6,
    ...     frames_per_ipi=4,
    ...     enqueue_time_s=0.5e-6,
    ... )
    >>> prediction = predict_path(path, Traffic(200, 1000, connection_count=250), 1500)
    >>> advice = advise_steering(prediction, "softirq", range(8), times)
    >>> advice.recommended, advice.mask, round(advice.rate_ratio.value, 9)
    (True, 'ff', 3.0)
    """
    if np.ndim(prediction.transaction_rate_tps.value):
        raise DomainError("this prediction has arrays: advise on one load at a time")
    names = (queue_stages,) if isinstance(queue_stages, str) else tuple(queue_stages)
    chosen = tuple(sorted(cpus))
    if not names or not chosen:
        raise DomainError("name at least one stage of receive queues, and one CPU")
    if len(set(names)) < len(names):
        raise DomainError(f"queue_stages must name each stage once; got {', '.join(names)}")
    encode_rps_mask(chosen)
    path = on_cpus(prediction.path, names, len(chosen))
    without = _predicted(prediction, path)
    traffic = prediction.traffic
    steered = _predicted(prediction, steered_path(path, names, times, len(chosen), traffic))
    first = SteeringAdvice(
        recommended=None,
        queue_stages=names,
        cpus=chosen,
        times=times,
        without=without,
        steered=steered,
        reasons=(),
        measurements=(),
    )
    recommended, reason, measurements = _decision(first)
    return replace(
        first,
        recommended=recommended,
        reasons=(reason, *_figures(first)),
        measurements=measurements,
    )


def _predicted(prediction: Prediction, path: Path) -> Prediction:
    """The same load on another path."""
    other = predict_path(path, prediction.traffic, prediction.mtu_bytes, prediction.stack)
    return replace(other, path_notes=prediction.path_notes)


def _decision(advice: SteeringAdvice) -> tuple[bool | None, str, tuple[str, ...]]:
    """Whether steering is recommended, why, and what would decide."""
    gain = advice.rate_ratio
    least = 1 + NOTICEABLE_RATIO
    traffic = advice.without.traffic
    if gain.high < least:
        if _may_be_full(advice):
            text = "what is uncertain on the path decides whether the queues are full"
            return None, text, (_both_runs(advice),)
        return _without_gain(advice)
    if gain.low < least:
        text = f"the rate changes by a factor of {gain.low:.3g} to {gain.high:.3g}"
        return None, f"what is uncertain on the path decides: {text}", (_both_runs(advice),)
    if traffic.waits and traffic.connection_count is None:
        text = "the receive queues limit the path, but how many connections load it is not known"
        return None, text, ("the number of connections at the same time",)
    if advice.times.missing:
        text = f"the rate rises by a factor of {gain.value:.3g} at most"
        unknown = f"{text}: what steering costs is not known"
        return None, unknown, (_times_run(advice), _both_runs(advice))
    if advice.without.path.unknown:
        text = (
            "the receive queues are the smallest limit known, but something unknown may be smaller"
        )
        return None, text, (_softirq_run(advice),)
    if not traffic.waits and traffic.connection_count == 1:
        text = "the gain of one stream is that of two CPUs in a row, which measurements do not show"
        return None, text, (_both_runs(advice),)
    return True, f"the rate rises by a factor of {gain.value:.3g}", ()


def _may_be_full(advice: SteeringAdvice) -> bool:
    """Whether the queues limit the path at some of the values that its parameters may have."""
    uses = [advice.without.use_ratios[name] for name in advice.queue_stages]
    return any(use.value < _FULL_RATIO <= use.high for use in uses)


def _without_gain(advice: SteeringAdvice) -> tuple[bool | None, str, tuple[str, ...]]:
    """Where the rate does not rise: whether less waiting may be worth it all the same."""
    time_s = advice.without.transaction_time_s
    if time_s is None or _limits_of(advice.without) != ("connections",):
        return False, _why_no_gain(advice), ()
    saved_s = _waiting_s(advice.without, advice.queue_stages)
    saved_s -= _waiting_s(advice.steered, parts_of(advice.queue_stages))
    saved_s -= sum(advice.added_times_s.values())
    if saved_s < NOTICEABLE_RATIO * time_s.value:
        return False, _why_no_gain(advice), ()
    text = (
        "nothing is full, but transactions wait for the queues: by a yardstick, steering saves "
        f"{format_time(saved_s, 2)} at most where {format_time(time_s.value, 3)} are predicted "
        "without waiting"
    )
    missing = (_times_run(advice),) if advice.times.missing else ()
    return None, text, (*missing, _both_runs(advice))


def _why_no_gain(advice: SteeringAdvice) -> str:
    traffic = advice.without.traffic
    if traffic.waits and traffic.connection_count == 1:
        return "one connection that waits for each answer has nothing to spread on CPUs"
    if advice.without.binding in advice.queue_stages:
        return f"the rate cannot rise: with steering, {_limit_text(advice.steered)}"
    return f"the rate cannot rise: {_limit_text(advice.without)}, with steering or without"


def _waiting_s(prediction: Prediction, names: Iterable[str]) -> float:
    """A yardstick for the time that a transaction waits at some stages for others. [s]"""
    count = prediction.traffic.connection_count
    if count is None or not prediction.traffic.waits:
        return 0.0
    rate_tps = prediction.transaction_rate_tps.value
    stages = {stage.name: stage for stage in prediction.path.stages}
    waits_s = 0.0
    for name in names:
        stage_s = demand_s(prediction, [name])
        used_ratio = rate_tps * stage_s / quoted_of(stages[name].parallel_count)
        others_ratio = used_ratio * (count - 1) / count
        waits_s += stage_s * others_ratio / (1 - others_ratio)
    return waits_s


def _figures(advice: SteeringAdvice) -> Iterator[str]:
    """Sentences on the use of the queues, on the CPUs, and on what steering costs and brings."""
    stages = {stage.name: stage for stage in advice.without.path.stages}
    for name in advice.queue_stages:
        used = advice.without.use_ratios[name].value
        yield f"{name}: {used:.0%} of its busiest CPU is used; {_limit_text(advice.without)}"
        yield f"{name}: {_spread(advice, stages[name])}"
        yield f"{name}: {_spare(advice, stages[name])}"
    yield from _effects(advice)


def _effects(advice: SteeringAdvice) -> Iterator[str]:
    """Sentences on what steering brings and costs, as far as that is known."""
    at_most, at_least = ("at most ", "at least ") if advice.is_ceiling else ("", "")
    yield (
        f"steering changes the limit of the queues by a factor of {at_most}"
        f"{advice.limit_ratio.value:.3g}, the rate by {at_most}{advice.rate_ratio.value:.3g}; "
        f"then {_limit_text(advice.steered)}"
    )
    light_ratio = advice.zero_load_ratio
    before, after = advice.without.zero_load_time_s, advice.steered.zero_load_time_s
    if light_ratio is not None and before is not None and after is not None:
        yield (
            f"a transaction that meets no other takes {at_least}{format_time(after.value, 6)} "
            f"instead of {format_time(before.value, 6)} ({light_ratio - 1:+.1%})"
        )
    if advice.added_us_per_gbit is None:
        yield "how much CPU time steering adds to a frame is not known"
        return
    for name, added in advice.added_us_per_gbit.items():
        frame_time = format_time(advice.times.added_time_s, 3)
        yield f"{name}: steering adds {frame_time} of CPU time to each frame, {added:,.0f} µs/Gbit"


def _spread(advice: SteeringAdvice, stage: Stage) -> str:
    """Connections on queues and CPUs."""
    cpu_count = len(advice.cpus)
    queue_count = int(quoted_of(stage.parallel_count))
    count = advice.without.traffic.connection_count
    served = f"its queues use {queue_count} of {cpu_count} CPUs"
    if count is None:
        return served
    if not stage.hashes_flows or queue_count == 1:
        return f"{served} for {count:g} connection{'s' if count > 1 else ''}"
    busiest = busiest_queue_flow_count(count, queue_count)
    return (
        f"{served}; the busiest has {busiest:.1f} of {count:g} connections on average, an even "
        f"share is {count / queue_count:.1f}"
    )


def _spare(advice: SteeringAdvice, stage: Stage) -> str:
    """CPUs that have time for more."""
    pools = {pool.name: pool for pool in advice.without.path.pools}
    pool = pools[str(stage.pool)]
    known = advice.without.pool_busy[pool.name]
    if known is None:
        return f"how many CPUs of {pool.name} are busy is not known"
    busy = known.value
    if pool.parallel_count is None:
        return f"{busy:.2f} CPUs of {pool.name} are busy; how many it has is not known"
    count = quoted_of(pool.parallel_count)
    if sum(one.pool == pool.name for one in advice.without.path.stages) == 1:
        return f"it keeps {busy:.2f} of {count:g} CPUs busy; what else runs on them is not known"
    return f"{busy:.2f} of {count:g} CPUs of {pool.name} are busy, {count - busy:.2f} idle"


def _limits_of(prediction: Prediction) -> tuple[str, ...]:
    return prediction.ties or (str(prediction.binding),)


def _limit_text(prediction: Prediction) -> str:
    names = _limits_of(prediction)
    return f"the rate is limited by {' and '.join(names)}"


def _times_run(advice: SteeringAdvice) -> str:
    return (
        f"{', '.join(advice.times.missing)}: profile the CPU of a queue at this load, "
        "with and without steering"
    )


def _both_runs(advice: SteeringAdvice) -> str:
    return (
        f"rate, transaction time and CPU time at this load, with rps_cpus at 0 and at {advice.mask}"
    )


def _softirq_run(advice: SteeringAdvice) -> str:
    return "the share of softirqs on each CPU at this load: one that is full while others idle"
