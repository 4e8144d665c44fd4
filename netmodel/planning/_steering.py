"""Whether receive packet steering (RPS) pays on a path, and why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any, cast

import numpy as np

from netmodel._display import fields_repr, short_repr
from netmodel._estimates import Estimate
from netmodel._html import definition_table
from netmodel._numeric import (
    ROUNDING_RATIO,
    FloatOrArray,
    minimum,
    require_above,
    require_at_least,
    require_at_most_each,
    require_kind,
    require_one,
)
from netmodel._terminal import fitted
from netmodel._text import fixed_percent, meant_text, signed_percent
from netmodel.concurrency import busiest_queue_flow_count, steering_cpu_time_s, used_queue_count
from netmodel.consumption import consumption_us_per_gbit
from netmodel.errors import DomainError
from netmodel.path import Path, Pool, Prediction, Stage, Times, Traffic, predict_path
from netmodel.path._predict import in_same_cases
from netmodel.path._uncertain import ends_of, mapped, quoted_of
from netmodel.tuning import encode_rps_mask, format_cpu_list
from netmodel.units import BITS_PER_BYTE, format_time


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeringTimes:
    """
    CPU time of each frame that steering divides and adds; None for what is not known.

    Frames are those that the stack handles: where segments are joined before
    they are steered, the joined packets.

    Parameters
    ----------
    poll_time_s : float, optional
        Part of the time of a frame that stays with the CPU of the queue. [s]
    hash_time_s : float, optional
        Choosing a CPU. [s]
    ipi_time_s : float, optional
        An interrupt to another CPU. [s]
    frames_per_ipi : float, optional
        Frames that one such interrupt announces.
    enqueue_time_s : float, optional
        Passing a frame through the backlog of the other CPU. [s]

    Raises
    ------
    DomainError
        If polling takes no time, another time is negative, one is infinite or
        no single number, or an interrupt announces less than one frame.

    Examples
    --------
    >>> SteeringTimes(poll_time_s=1.5e-6, hash_time_s=0.2e-6).missing
    ('ipi_time_s', 'frames_per_ipi', 'enqueue_time_s')
    """

    poll_time_s: float | None = None
    hash_time_s: float | None = None
    ipi_time_s: float | None = None
    frames_per_ipi: float | None = None
    enqueue_time_s: float | None = None

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None:
                continue
            require_one(field.name, value)
            if field.name == "poll_time_s":
                require_above(field.name, value, 0, "s")
            elif field.name == "frames_per_ipi":
                require_at_least(field.name, value, 1, "")
            else:
                require_at_least(field.name, value, 0, "s")

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of what is not known."""
        names = tuple(field.name for field in fields(self) if getattr(self, field.name) is None)
        return tuple(name for name in names if name != "frames_per_ipi" or self.ipi_time_s != 0)

    @property
    def knows_added_time(self) -> bool:
        """Whether every time that steering adds is known."""
        return not set(self.missing) - {"poll_time_s"}

    @property
    def queue_time_s(self) -> float:
        """What stays with the CPU of the queue, without what is not known. [s]"""
        return (self.poll_time_s or 0.0) + self._added_time_s(0.0)

    @property
    def added_time_s(self) -> float:
        """What steering adds, without what is not known. [s]"""
        return self._added_time_s(self.enqueue_time_s or 0.0)

    def _added_time_s(self, enqueue_time_s: float) -> float:
        per_ipi = self.frames_per_ipi
        ipi_time_s = 0.0 if per_ipi is None else self.ipi_time_s or 0.0
        hash_time_s = self.hash_time_s or 0.0
        return float(
            steering_cpu_time_s(
                hash_time_s, ipi_time_s, 1 if per_ipi is None else per_ipi, enqueue_time_s
            )
        )


def parts_of(names: Iterable[str]) -> tuple[str, ...]:
    """Names of the stages that these become: what stays with the queue, and what moves."""
    return tuple(f"{name}_{part}" for name in names for part in ("poll", "protocol"))


def on_cpus(path: Path, names: tuple[str, ...], cpu_count: int) -> Path:
    """
    The path with its receive queues on this many CPUs, which they draw on as a pool.

    Raises
    ------
    DomainError
        If there is no such stage, or it has no servers of its own.
    """
    known = {stage.name: stage for stage in path.stages}
    for name in names:
        if name not in known:
            raise DomainError(
                f"the path has no stage {name!r}; it has {', '.join(known)}"
                f"{meant_text(name, known)}"
            )
        if known[name].parallel_count is None:
            raise DomainError(
                f"stage {name!r} has no servers of its own: give its parallel_count, the queues"
            )
    pools = tuple(Pool(f"{name}_cpus", cpu_count) for name in names if known[name].pool is None)
    # Queues beyond the CPUs share one with another queue
    stages = tuple(
        replace(
            stage,
            parallel_count=mapped(queue_count, lambda count: minimum(count, cpu_count)),
            pool=stage.pool or f"{stage.name}_cpus",
        )
        if stage.name in names and (queue_count := stage.parallel_count) is not None
        else stage
        for stage in path.stages
    )
    return replace(path, stages=stages, pools=(*path.pools, *pools))


def steered_path(
    path: Path,
    names: tuple[str, ...],
    times: SteeringTimes,
    cpu_count: int,
    traffic: Traffic,
) -> Path:
    """
    The path with each of these stages as two: what stays with the queue, and what moves.

    Where it is not known how much stays, all moves, to servers that have the
    capacity of both: no division of the two allows a higher rate.

    Raises
    ------
    DomainError
        If polling takes longer than a frame in all.
    """
    stages: list[Stage] = []
    for stage in path.stages:
        if stage.name not in names:
            stages.append(stage)
            continue
        in_directions = [_parts(of, times) for of in (stage.to_server, stage.to_client)]
        poll, protocol = (
            replace(stage, name=name, to_server=to_server, to_client=to_client)
            for name, to_server, to_client in zip(
                parts_of([stage.name]), *in_directions, strict=True
            )
        )
        protocol = replace(protocol, parallel_count=cpu_count, hashes_flows=True)
        if times.poll_time_s is None:
            protocol_count = _usable_count(protocol, traffic)

            def both_count(
                count: FloatOrArray, poll: Stage = poll, more: FloatOrArray = protocol_count
            ) -> FloatOrArray:
                return _usable_count(replace(poll, parallel_count=count), traffic) + more

            assert poll.parallel_count is not None
            both = mapped(poll.parallel_count, both_count)
            protocol = replace(protocol, parallel_count=both, hashes_flows=False)
        stages += (poll, protocol)
    return replace(path, stages=tuple(stages))


def _usable_count(stage: Stage, traffic: Traffic) -> FloatOrArray:
    """Servers that connections use at most: the mean number that a hash chooses at all."""
    # A parameter may also be an interval of values: one of them at a time stands here
    count = cast("FloatOrArray", stage.parallel_count)
    flows = traffic.connection_count
    return count if not stage.hashes_flows or flows is None else used_queue_count(flows, count)


def _parts(of: Times, times: SteeringTimes) -> tuple[Times, Times]:
    """Of one direction: what stays, and what moves; nothing of a direction without times."""
    if not of.named:
        return of, of
    poll_time_s = times.poll_time_s or 0.0
    if poll_time_s and not ends_of(of.per_frame_s)[1]:
        raise DomainError(
            "poll_time_s is part of the time per frame, which the receive queue has none of: its "
            "service time is per message or per byte"
        )
    require_at_most_each("poll_time_s", poll_time_s, ends_of(of.per_frame_s)[0], "s")
    more_s = (times.enqueue_time_s or 0.0) - poll_time_s
    moved_s = mapped(of.per_frame_s, lambda frame_s: frame_s + more_s)
    return Times(per_frame_s=times.queue_time_s), replace(of, per_frame_s=moved_s)


_WORDS = {True: "recommended", False: "not recommended", None: "cannot be decided"}


@dataclass(frozen=True, kw_only=True)
class SteeringAdvice:
    """
    Whether to turn on receive packet steering, and why.

    Parameters
    ----------
    recommended : bool, optional
        None where it cannot be decided from what is known.
    queue_stages : tuple of str
        Stages of the receive queues that are steered.
    cpus : tuple of int
        CPUs that handle packets.
    times : SteeringTimes
        What steering divides and adds, as far as it is known.
    without : Prediction
        The path without steering, its queues on these CPUs.
    steered : Prediction
        The path with it. Times that are not known are taken at their best: where
        there are any, its rates are upper and its times lower bounds.
    reasons : tuple of str
        Sentences with the figures that decide, and those that do not.
    measurements : tuple of str
        What would decide; none where it is decided.

    Examples
    --------
    >>> import netmodel
    >>> from netmodel.consumption import Side
    >>> from netmodel.path import SpecifiedPath, predict_path, workload_traffic
    >>> from netmodel.planning import SteeringTimes, advise_steering
    >>> from netmodel.records import path_record, workload
    >>> path = SpecifiedPath(record=path_record("worked-closed-network")).path(Side.SERVER)
    >>> prediction = predict_path(path, workload_traffic(workload("rr1c-200x1000"), 250), 1500)
    >>> advise_steering(prediction, ["server-queue"], range(8), SteeringTimes()).recommended
    False
    """

    recommended: bool | None
    queue_stages: tuple[str, ...]
    cpus: tuple[int, ...]
    times: SteeringTimes
    without: Prediction
    steered: Prediction
    reasons: tuple[str, ...]
    measurements: tuple[str, ...]

    @property
    def mask(self) -> str:
        """What turns steering on when written to ``rps_cpus`` of each queue; 0 turns it off."""
        return encode_rps_mask(self.cpus)

    @property
    def is_upper_bound(self) -> bool:
        """Whether a time is not known, so that steering can only do worse than predicted."""
        return bool(self.times.missing)

    @property
    def rate_ratio(self) -> Estimate:
        """Transactions per second with steering over those without."""
        return self._ratio(None, None)

    @property
    def limit_ratio(self) -> Estimate:
        """Limit of the steered queues, the smallest of all, over the same without steering."""
        return self._ratio(self.queue_stages, parts_of(self.queue_stages))

    @property
    def added_times_s(self) -> dict[str, float]:
        """CPU time that steering adds to a transaction, by stage, without what is not known. [s]"""
        return {
            name: demand_s(self.steered, parts_of([name])) - demand_s(self.without, [name])
            for name in self.queue_stages
        }

    @property
    def zero_load_ratio(self) -> float | None:
        """Zero-load time with steering over that without; None where a part is not known."""
        before, after = self.without.zero_load_time_s, self.steered.zero_load_time_s
        return None if before is None or after is None else float(after.value / before.value)

    @property
    def added_us_per_gbit(self) -> dict[str, float] | None:
        """CPU time that steering adds, by stage, to all payload; None if not known. [µs/Gbit]"""
        if not self.times.knows_added_time:
            return None
        bits = BITS_PER_BYTE * self.without.traffic.exchanged_bytes
        added = self.added_times_s.items()
        return {
            name: float(consumption_us_per_gbit(max(time_s, 0), bits)) for name, time_s in added
        }

    def _ratio(
        self, names: tuple[str, ...] | None, steered_names: tuple[str, ...] | None
    ) -> Estimate:
        """Of the smallest of some limits, or of all, in every combination of parameters."""
        steered, without = in_same_cases(self.steered, self.without)
        ratios = np.atleast_1d(
            _smallest_rate_tps(steered, steered_names) / _smallest_rate_tps(without, names)
        )
        return Estimate(float(ratios[0]), float(ratios.min()), float(ratios.max()))

    def to_dict(self) -> dict[str, Any]:
        """Plain values in base units."""
        return {
            "recommended": self.recommended,
            "queue_stages": list(self.queue_stages),
            "cpus": list(self.cpus),
            "mask": self.mask,
            "is_upper_bound": self.is_upper_bound,
            "missing": list(self.times.missing),
            "rate_ratio": self.rate_ratio.to_dict(),
            "limit_ratio": self.limit_ratio.to_dict(),
            "zero_load_ratio": self.zero_load_ratio,
            "added_us_per_gbit": self.added_us_per_gbit,
            "reasons": list(self.reasons),
            "measurements": list(self.measurements),
            "without": self.without.to_dict(),
            "steered": self.steered.to_dict(),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What the predictions rest on or leave out."""
        return self.without.notes

    @property
    def text(self) -> str:
        """All of the advice for people, but for its notes."""
        return "\n".join(f"{name}: {text}" for name, text in [self._heading, *self._rows()])

    def __str__(self) -> str:
        return fitted("\n".join([self.text, *(f"note: {note}" for note in self.notes)]))

    def __repr__(self) -> str:
        return short_repr(self, ": ".join(self._heading), f"mask {self.mask}")

    def _repr_html_(self) -> str:
        notes = (("note", note) for note in self.notes)
        return definition_table(": ".join(self._heading), (*self._rows(), *notes))

    @property
    def _heading(self) -> tuple[str, str]:
        return "receive packet steering", _WORDS[self.recommended]

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "mask", f"{self.mask} (CPUs {format_cpu_list(self.cpus)})"
        yield from (("reason", text) for text in self.reasons)
        yield from (("measure", text) for text in self.measurements)


def demand_s(prediction: Prediction, names: Iterable[str]) -> float:
    """What a transaction takes of some stages, at the values to quote."""
    return float(sum(value for name in names for _, value in prediction.demands[name]))


def _smallest_rate_tps(prediction: Prediction, names: tuple[str, ...] | None) -> FloatOrArray:
    """The smallest of some limits, or of all, in every case."""
    limits = (limit for limit in prediction.limits if names is None or limit.name in names)
    rates = (limit.rate_tps for limit in limits)
    smallest: FloatOrArray = reduce(minimum, rates)
    return smallest


_FULL_RATIO = 1 - ROUNDING_RATIO
"""A queue at its limit, but for what the rounding of a prediction leaves."""
_SHOWN_DIGITS, _COMPARED_DIGITS, _YARDSTICK_DIGITS = 3, 6, 2
"""Of a time that is predicted, of two that may differ by 0.1 % only, and of a yardstick."""
_NOTICEABLE_RATIO = 0.01
"""Change of a rate or time below which nothing is recommended: runs repeat no better."""

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
        of an adapter; two where both sides are to be steered. Its
        `parallel_count` is the number of queues, and it hashes flows where
        there is more than one. All its time is that of softirqs.
    cpus : iterable of int
        CPUs that handle packets: those that serve the queues, and those that
        steering may use, the same on each side.
    times : SteeringTimes
        What steering divides and adds, where it is known.

    Returns
    -------
    advice : SteeringAdvice
        Recommended where the rate rises by at least 1 %; not where it cannot,
        regardless of the times that are not known; else undecided, with what to measure.

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
    require_kind("prediction", prediction, Prediction, "a Prediction, as predict_path makes it")
    require_kind("queue_stages", queue_stages, Iterable, "the name of a stage, or several")
    require_kind("cpus", cpus, Iterable, "numbers of CPUs, such as range(8)")
    require_kind("times", times, SteeringTimes, "a SteeringTimes")
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
    smallest_gain = 1 + _NOTICEABLE_RATIO
    traffic = advice.without.traffic
    if gain.high < smallest_gain:
        uses = [advice.without.use_ratios[name] for name in advice.queue_stages]
        if any(use.value < _FULL_RATIO <= use.high for use in uses):
            text = "what is uncertain on the path decides whether the queues are full"
            return None, text, (_both_runs(advice),)
        return _without_gain(advice)
    if gain.low < smallest_gain:
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
        return (
            None,
            text,
            ("the share of softirqs on each CPU: one that is full while others idle",),
        )
    if not traffic.waits and traffic.connection_count == 1:
        text = "the gain of one stream is that of two CPUs in a row, which measurements do not show"
        return None, text, (_both_runs(advice),)
    return True, f"the rate rises by a factor of {gain.value:.3g}", ()


def _without_gain(advice: SteeringAdvice) -> tuple[bool | None, str, tuple[str, ...]]:
    """Where the rate does not rise: whether less waiting may be worth it all the same."""
    time_s = advice.without.transaction_time_s
    if time_s is None or _limits_of(advice.without) != ("connections",):
        return False, _why_no_gain(advice), ()
    saved_s = _waiting_s(advice.without, advice.queue_stages)
    saved_s -= _waiting_s(advice.steered, parts_of(advice.queue_stages))
    saved_s -= sum(advice.added_times_s.values())
    if saved_s < _NOTICEABLE_RATIO * time_s.value:
        return False, _why_no_gain(advice), ()
    alone = format_time(float(time_s.value), _SHOWN_DIGITS)
    text = (
        "nothing is full, but transactions wait for the queues: by a yardstick, steering saves "
        f"{format_time(saved_s, _YARDSTICK_DIGITS)} at most where {alone} are predicted without "
        "waiting"
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
    rate_tps, count = float(prediction.transaction_rate_tps.value), float(count)
    stages = {stage.name: stage for stage in prediction.path.stages}
    waits_s = 0.0
    for name in names:
        stage_s = demand_s(prediction, [name])
        parallel_count = stages[name].parallel_count
        assert parallel_count is not None
        used_ratio = rate_tps * stage_s / float(quoted_of(parallel_count))
        others_ratio = used_ratio * (count - 1) / count
        waits_s += stage_s * others_ratio / (1 - others_ratio)
    return waits_s


def _figures(advice: SteeringAdvice) -> Iterator[str]:
    """Sentences on the use of the queues, on the CPUs, and on what steering brings and costs."""
    stages = {stage.name: stage for stage in advice.without.path.stages}
    for name in advice.queue_stages:
        used = advice.without.use_ratios[name].value
        limit = _limit_text(advice.without)
        yield f"{name}: {fixed_percent(float(used), 0)} of its busiest CPU is used; {limit}"
        yield f"{name}: {_spread(advice, stages[name])}"
        yield f"{name}: {_spare(advice, stages[name])}"
    at_most, at_least = ("at most ", "at least ") if advice.is_upper_bound else ("", "")
    yield (
        f"steering changes the limit of the queues by a factor of {at_most}"
        f"{advice.limit_ratio.value:.3g}, the rate by {at_most}{advice.rate_ratio.value:.3g}; "
        f"then {_limit_text(advice.steered)}"
    )
    before, after = advice.without.zero_load_time_s, advice.steered.zero_load_time_s
    if before is not None and after is not None:
        with_it, without = (
            format_time(float(each.value), _COMPARED_DIGITS) for each in (after, before)
        )
        more = signed_percent(float(after.value / before.value) - 1, 1)
        change = (
            "with steering and without" if with_it == without else f"instead of {without} ({more})"
        )
        yield f"a transaction that meets no other takes {at_least}{with_it} {change}"
    if advice.added_us_per_gbit is None:
        yield "how much CPU time steering adds to a frame is not known"
        return
    for name, added in advice.added_us_per_gbit.items():
        frame_time = format_time(advice.times.added_time_s, _SHOWN_DIGITS)
        yield f"{name}: steering adds {frame_time} of CPU time to each frame, {added:,.0f} µs/Gbit"


def _spread(advice: SteeringAdvice, stage: Stage) -> str:
    """Connections on queues and CPUs."""
    cpu_count = len(advice.cpus)
    assert stage.parallel_count is not None
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
    if sum(each.pool == pool.name for each in advice.without.path.stages) == 1:
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
